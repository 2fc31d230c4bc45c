/*
 * picture.c - an array as a picture in a terminal: which pixels, and which way to draw them
 *
 * Rows are lines of the picture, a vector is a band, HxWx3 is colour; what an image file with
 * transparency holds, HxWx2 or HxWx4 of u8 or u16, stands in front of a grey checkerboard.  u8 goes
 * from 0 to 255; floats from 0 to 1 if all are within that; everything else from its least to its
 * greatest finite element.  A picture that is larger than the terminal is shrunk: each pixel is the
 * mean of those that it stands for, and NaN if one of them is.
 */
#include "show.h"
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
    void *packed; /* a row without gaps .. */
    double *row;  /* .. and in fp64 */
    double *sums; /* of the pixels of a line, a channel of each behind the other */
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
    if (a->ndim != 1 && a->ndim != 2 && !(a->ndim == 3 && (a->shape[2] == COLOURS || has_alpha(a))))
        return "a picture has one or two dimensions, or three of which the last is 3: HxW or "
               "HxWx3, and in u8 and u16 with alpha HxWx2 or HxWx4";
    if (array_numel(a) == 0)
        return "it has no elements";
    return NULL;
}

/* The colours alone. */
static Array without_alpha(const Array *a)
{
    Array colours = *a;

    if (has_alpha(a))
        colours.shape[2]--;
    return colours;
}

static Scale choose_scale(Arena *arena, const Array *a)
{
    bool is_float = a->dtype >= TILEC_FP8E4NV;
    const Array colours = without_alpha(a);
    Scale s = {INFINITY, -INFINITY};

    if (a->dtype == TILEC_U8)
        return (Scale){0, 255};
    if (a->dtype == TILEC_I1)
        return (Scale){0, 1};
    summary_bounds(arena, &colours, &s.black, &s.white);
    if (is_float && s.black >= 0 && s.white <= 1)
        return (Scale){0, 1};
    return s;
}

static Subject subject_of(Arena *arena, const Array *a, int width)
{
    int channels = channels_of(a);
    size_t row = (size_t)a->shape[1] * (size_t)channels;
    double opaque = a->dtype == TILEC_U8 ? UINT8_MAX : UINT16_MAX;

    return (Subject){.array = a,
                     .colours = channels - has_alpha(a),
                     .opaque = has_alpha(a) ? opaque : 0,
                     .scale = choose_scale(arena, a),
                     .packed = arena_alloc(arena, row * sizeof(uint64_t)),
                     .row = arena_alloc(arena, row * sizeof(double)),
                     .sums = arena_alloc(arena, (size_t)width * COLOURS * sizeof(double))};
}

/* Row `y` comes into s->row. */
static void read_row(const Subject *s, int64_t y)
{
    const int64_t attrs[] = {ROUND_NEAREST};
    const Array *a = s->array;
    Array row = {.data = (char *)a->data + y * a->strides[0] * (int64_t)tilec_dtype_size(a->dtype),
                 .dtype = a->dtype,
                 .ndim = a->ndim - 1};
    const void *source = s->packed;

    memcpy(row.shape, a->shape + 1, sizeof row.shape - sizeof row.shape[0]);
    memcpy(row.strides, a->strides + 1, sizeof row.strides - sizeof row.strides[0]);
    if (array_is_dense(&row))
        source = row.data;
    else
        array_copy_dense(&row, s->packed);
    scalar_apply(OP_cast, attrs, (DType)a->dtype, DT_FP64, &source, s->row,
                 (size_t)array_numel(&row));
}

static double brightness(double v, Scale s)
{
    if (isnan(v))
        return v;
    if (s.white <= s.black)
        return 0.5;
    return fmin(fmax((v - s.black) / (s.white - s.black), 0), 1);
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

/* The elements of pixel `i` of `n` along a dimension; one at least. */
typedef struct {
    int64_t first, end;
} Range;

static Range range_of(int i, int n, int64_t extent)
{
    int64_t first = cut(i, n, extent);

    return (Range){first, MAX(cut(i + 1, n, extent), first + 1)};
}

/* Add s->row to a pixel of this line, in front of a ground of this brightness. */
static void add_to_pixel(const Subject *s, Range columns, double ground, double *sums)
{
    int channels = s->colours + (s->opaque > 0);

    for (int64_t x = columns.first; x < columns.end; x++) {
        const double *v = s->row + x * channels;
        double covered = s->opaque > 0 ? v[s->colours] / s->opaque : 1;

        for (int i = 0; i < s->colours; i++)
            sums[i] += covered * brightness(v[i], s->scale) + (1 - covered) * ground;
    }
}

/* Of the means of its elements; NaN if one of them is. */
static void put_pixel(const Subject *s, const double *sums, int64_t count, uint8_t *pixel)
{
    for (int i = 0; i < COLOURS; i++) {
        double v = sums[MIN(i, s->colours - 1)] / (double)count;

        if (isnan(v)) {
            memcpy(pixel, picture_nan, COLOURS);
            return;
        }
        pixel[i] = (uint8_t)(v * 255 + 0.5);
    }
}

static void fill_line(const Subject *s, const Picture *p, int y)
{
    Range rows = range_of(y, p->height, s->array->shape[0]);
    uint8_t *line = p->rgb + (size_t)COLOURS * (size_t)y * (size_t)p->width;

    memset(s->sums, 0, (size_t)p->width * COLOURS * sizeof *s->sums);
    for (int64_t k = rows.first; k < rows.end; k++) {
        read_row(s, k);
        for (int x = 0; x < p->width; x++)
            add_to_pixel(s, range_of(x, p->width, s->array->shape[1]), checkerboard(x, y),
                         s->sums + x * COLOURS);
    }
    for (int x = 0; x < p->width; x++) {
        Range columns = range_of(x, p->width, s->array->shape[1]);

        put_pixel(s, s->sums + x * COLOURS, (rows.end - rows.first) * (columns.end - columns.first),
                  line + x * COLOURS);
    }
}

/* A vector is a row. */
static Array with_rows(const Array *a)
{
    Array rows = *a;

    if (a->ndim != 1)
        return rows;
    rows.ndim = 2;
    rows.shape[0] = 1;
    rows.shape[1] = a->shape[0];
    rows.strides[0] = 0;
    rows.strides[1] = a->strides[0];
    return rows;
}

/* At most `width` by `height` pixels, and as many of each side as the array's shape says; small
 * ones are enlarged by a whole factor as long as they are below `least`.  A band is as high as a
 * part of its length. */
static Picture make_picture(Arena *arena, const Array *whole, int width, int height, int least)
{
    enum { BAND = 16 };
    const Array rows = with_rows(whole), *a = &rows;
    double shrink = fmax(fmax((double)a->shape[1] / width, (double)a->shape[0] / height), 1);
    int64_t side = MIN(MAX(a->shape[0], a->shape[1]), INT32_MAX);
    int enlarge = (int)MAX((least + side - 1) / side, 1);
    Picture p = {.width = (int)fmax((double)a->shape[1] / shrink * enlarge, 1),
                 .height = (int)fmax((double)a->shape[0] / shrink * enlarge, 1)};
    const Subject subject = subject_of(arena, a, p.width);

    if (whole->ndim == 1)
        p.height = MAX(p.height, p.width / BAND);
    p.rgb = arena_alloc(arena, (size_t)COLOURS * (size_t)p.width * (size_t)p.height);
    for (int y = 0; y < p.height; y++)
        fill_line(&subject, &p, y);
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

bool picture_is_drawn(int terminal)
{
    return choose_way(terminal) != SHOW_TEXT;
}

Array picture_image(Store *store, const Array *a, int most)
{
    const Picture p = make_picture(store->arena, a, most, most, SMALLEST_SIDE);
    Array image = array_new(store, TILEC_U8, 3, (const int64_t[]){p.height, p.width, COLOURS});

    memcpy(image.data, p.rgb, array_bytes(&image));
    return image;
}
