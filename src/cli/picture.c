/*
 * picture.c - an array as a picture in a terminal: which pixels, and which way to draw them
 *
 * Rows are lines of the picture, HxWx3 is colour; what an image file with transparency holds, HxWx2
 * or HxWx4 of u8 or u16, stands in front of a grey checkerboard.  u8 goes from 0 to 255; floats
 * from 0 to 1 if all are within that; everything else from its least to its greatest finite
 * element.  A picture that is larger than the terminal is shrunk: each pixel is the mean of those
 * that it stands for, and NaN if one of them is.
 */
#include "cli.h"
#include "../ir/ir.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 80, ROWS = 200, PIXELS = 640, SMALLEST_SIDE = 160, COLOURS = 3 };

/* What black and white are. */
typedef struct {
    double black, white;
} Scale;
typedef struct {
    const Array *array;
    int colours;   /* 1: grey */
    double opaque; /* what the channel behind them is there; 0: there is no such channel */
    Scale scale;
} Subject;

static int channels_of(const Array *a)
{
    return a->ndim == 3 ? (int)MIN(a->shape[2], COLOURS + 2) : 1;
}

/* Only what image files hold has alpha: a third dimension of 2 or 4 may be anything. */
static bool has_alpha(const Array *a)
{
    int channels = channels_of(a);

    return (a->dtype == TILEC_U8 || a->dtype == TILEC_U16) && (channels == 2 || channels == 4);
}

const char *picture_problem(const Array *a)
{
    if (a->ndim != 2 && !(a->ndim == 3 && (a->shape[2] == COLOURS || has_alpha(a))))
        return "a picture has two dimensions, or three of which the last is 3: HxW or HxWx3, and "
               "in "
               "u8 and u16 with alpha HxWx2 or HxWx4";
    if (array_numel(a) == 0)
        return "it has no elements";
    return NULL;
}

static double number_at(const Array *a, int64_t y, int64_t x, int channel)
{
    const int64_t index[] = {y, x, channel};

    uint64_t bits = 0;

    memcpy(&bits, array_at(a, index), tilec_dtype_size(a->dtype));
    return scalar_to_double((DType)a->dtype, bits);
}

static Scale whole_range(const Array *a, int channels)
{
    Scale s = {INFINITY, -INFINITY};

    for (int64_t y = 0; y < a->shape[0]; y++) {
        for (int64_t x = 0; x < a->shape[1] * channels; x++) {
            double v = number_at(a, y, x / channels, (int)(x % channels));
            if (isfinite(v)) {
                s.black = fmin(s.black, v);
                s.white = fmax(s.white, v);
            }
        }
    }
    return s;
}

static Scale choose_scale(const Array *a, int channels)
{
    bool is_float = a->dtype >= TILEC_FP8E4NV;

    if (a->dtype == TILEC_U8)
        return (Scale){0, 255};
    if (a->dtype == TILEC_I1)
        return (Scale){0, 1};
    Scale s = whole_range(a, channels);
    if (is_float && s.black >= 0 && s.white <= 1)
        return (Scale){0, 1};
    return s;
}

static Subject subject_of(const Array *a)
{
    int colours = channels_of(a) - has_alpha(a);
    double opaque = a->dtype == TILEC_U8 ? UINT8_MAX : UINT16_MAX;

    return (Subject){a, colours, has_alpha(a) ? opaque : 0, choose_scale(a, colours)};
}

static double brightness(double v, Scale s)
{
    if (isnan(v))
        return v;
    if (s.white <= s.black)
        return 0.5;
    return fmin(fmax((v - s.black) / (s.white - s.black), 0), 1);
}

/* How much of the ground an element hides: 0..1. */
static double coverage(const Subject *s, int64_t y, int64_t x)
{
    return s->opaque > 0 ? number_at(s->array, y, x, s->colours) / s->opaque : 1;
}

/* Elements that make one pixel; at least one. */
typedef struct {
    int64_t y0, y1, x0, x1;
} Box;

/* The mean of one channel, in front of a ground of this brightness. */
static double box_mean(const Subject *s, const Box *box, int channel, double ground)
{
    double sum = 0;

    for (int64_t y = box->y0; y < box->y1; y++) {
        for (int64_t x = box->x0; x < box->x1; x++) {
            double covered = coverage(s, y, x);

            sum += covered * brightness(number_at(s->array, y, x, channel), s->scale) +
                   (1 - covered) * ground;
        }
    }
    return sum / (double)((box->y1 - box->y0) * (box->x1 - box->x0));
}

/* Squares of two greys: no image looks like that. */
static double checkerboard(int x, int y)
{
    enum { SQUARE = 4 };

    return (x / SQUARE + y / SQUARE) % 2 == 0 ? 0.6 : 0.4;
}

/* Where pixel `i` of `n` begins among `extent` elements. */
static int64_t cut(int64_t i, int64_t n, int64_t extent)
{
    return (int64_t)((__int128)i * extent / n);
}

static void fill_pixel(const Subject *s, Picture *p, int x, int y)
{
    const int64_t *shape = s->array->shape;
    Box box = {.y0 = cut(y, p->height, shape[0]), .x0 = cut(x, p->width, shape[1])};
    uint8_t *pixel = p->rgb + COLOURS * ((size_t)y * (size_t)p->width + (size_t)x);

    box.y1 = MAX(cut(y + 1, p->height, shape[0]), box.y0 + 1);
    box.x1 = MAX(cut(x + 1, p->width, shape[1]), box.x0 + 1);
    for (int i = 0; i < COLOURS; i++) {
        double v = box_mean(s, &box, MIN(i, s->colours - 1), checkerboard(x, y));
        if (isnan(v)) {
            memcpy(pixel, picture_nan, COLOURS);
            return;
        }
        pixel[i] = (uint8_t)(v * 255 + 0.5);
    }
}

/* At most `width` by `height` pixels, and as many of each side as the array's shape says; small
 * ones are enlarged by a whole factor as long as they are below `least`. */
static Picture make_picture(Arena *arena, const Array *a, int width, int height, int least)
{
    double shrink = fmax(fmax((double)a->shape[1] / width, (double)a->shape[0] / height), 1);
    int64_t side = MIN(MAX(a->shape[0], a->shape[1]), INT32_MAX);
    int enlarge = (int)MAX((least + side - 1) / side, 1);
    Picture p = {.width = (int)fmax((double)a->shape[1] / shrink * enlarge, 1),
                 .height = (int)fmax((double)a->shape[0] / shrink * enlarge, 1)};
    Subject subject = subject_of(a);

    p.rgb = arena_alloc(arena, (size_t)COLOURS * (size_t)p.width * (size_t)p.height);
    for (int y = 0; y < p.height; y++) {
        for (int x = 0; x < p.width; x++)
            fill_pixel(&subject, &p, x, y);
    }
    return p;
}

static bool names(const char *text, const char *word)
{
    return text && strstr(text, word);
}

/* What this terminal can do, as far as its environment says. */
static ShowWay choose_way(int terminal)
{
    const char *term = os_env("TERM");

    if (!os_terminal_draws(terminal))
        return SHOW_TEXT;
    if (os_env("KITTY_WINDOW_ID") || names(term, "kitty") || names(term, "ghostty"))
        return SHOW_KITTY;
    if (names(term, "sixel") || names(term, "mlterm") || strncmp(term, "foot", 4) == 0)
        return SHOW_SIXEL;
    return os_env("NO_COLOR") ? SHOW_TEXT : SHOW_BLOCKS;
}

void picture_put(Text *t, const Array *a, ShowWay way, int terminal)
{
    int columns = COLUMNS, rows = ROWS;

    if (way == SHOW_PICTURE)
        way = choose_way(terminal);
    os_terminal_size(terminal, &columns, &rows);
    if (way == SHOW_KITTY || way == SHOW_SIXEL) {
        Picture p = make_picture(t->arena, a, PIXELS, PIXELS, SMALLEST_SIDE);
        draw_picture(t, &p, way);
        return;
    }
    Picture p = make_picture(t->arena, a, columns, 2 * MAX(rows - 3, 1), 1);
    draw_picture(t, &p, way);
}
