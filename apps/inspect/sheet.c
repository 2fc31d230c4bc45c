/*
 * sheet.c - the contact sheet: the images with the most defective pixels, small, in one picture
 *
 * Each is shown as it was cropped, made smaller by a whole number until it fits, with a red frame
 * around each defect and below it the number of its row in images.csv, from 1.  Which images are
 * on it follows from their areas and numbers alone, not from who is done first.
 */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>
#include <tilec_io.h>

enum { CELL = SHEET_SIDE + 8, DIGIT_WIDTH = 3, DIGIT_HEIGHT = 5, LEGEND = DIGIT_HEIGHT + 5 };

/* --- one image --- */

static unsigned pixel(const void *p, tilec_dtype dtype, size_t i)
{
    return dtype == TILEC_U8 ? ((const uint8_t *)p)[i] : ((const uint16_t *)p)[i];
}

/* What is white: 255, or in u16, of which cameras use 10 to 16 bits, the brightest pixel. */
static unsigned white_of(const void *p, tilec_dtype dtype, size_t n)
{
    unsigned most = 1;

    if (dtype == TILEC_U8)
        return 255;
    for (size_t i = 0; i < n; i++)
        most = pixel(p, dtype, i) > most ? pixel(p, dtype, i) : most;
    return most;
}

/* Adds a row of the crop to the sums of its columns. */
static void add_row(uint32_t *sums, const Group *g, const void *crop, int row)
{
    const size_t begin = (size_t)row * (size_t)g->crop_width;

    if (g->dtype == TILEC_U8) {
        for (int x = 0; x < g->crop_width; x++)
            sums[x] += ((const uint8_t *)crop)[begin + (size_t)x];
    } else {
        for (int x = 0; x < g->crop_width; x++)
            sums[x] += ((const uint16_t *)crop)[begin + (size_t)x];
    }
}

/* A row of the small image: means of squares of pixels, as far as they lie in the crop.  `sums` has
 * room for the crop's columns. */
static void shrink_row(Thumb *t, const Group *g, const void *crop, int y, int factor,
                       unsigned white, uint32_t *sums)
{
    const int top = y * factor;
    const int bottom = top + factor < g->crop_height ? top + factor : g->crop_height;

    memset(sums, 0, (size_t)g->crop_width * sizeof *sums);
    for (int row = top; row < bottom; row++)
        add_row(sums, g, crop, row);
    for (int x = 0; x < t->width; x++) {
        const int left = g->crop_width - x * factor, n = left < factor ? left : factor;
        uint64_t sum = 0;

        for (int i = 0; i < n; i++)
            sum += sums[x * factor + i];
        sum = sum * 255u / ((uint64_t)(n * (bottom - top)) * white);
        memset(&t->pixels[3 * (y * SHEET_SIDE + x)], (int)sum, 3);
    }
}

static void paint(Thumb *t, int y, int x)
{
    static const unsigned char red[] = {255, 0, 0};

    if (y >= 0 && x >= 0 && y < t->height && x < t->width)
        memcpy(&t->pixels[3 * (y * SHEET_SIDE + x)], red, sizeof red);
}

static void frame(Thumb *t, const Defect *d, int factor)
{
    const int top = d->top / factor - 2, left = d->left / factor - 2;
    const int bottom = (d->bottom - 1) / factor + 2, right = (d->right - 1) / factor + 2;

    for (int y = top; y <= bottom; y++) {
        paint(t, y, left);
        paint(t, y, right);
    }
    for (int x = left; x <= right; x++) {
        paint(t, top, x);
        paint(t, bottom, x);
    }
}

void thumb_make(Thumb *t, int number, const Group *g, int k, const Defects *d)
{
    const size_t n = (size_t)g->crop_height * (size_t)g->crop_width;
    const void *crop = (const char *)g->crops + (size_t)k * n * tilec_dtype_size(g->dtype);
    const int longest = g->crop_height > g->crop_width ? g->crop_height : g->crop_width;
    const int factor = (longest + SHEET_SIDE - 1) / SHEET_SIDE;
    const unsigned white = white_of(crop, g->dtype, n);
    uint32_t *sums = more(NULL, (size_t)g->crop_width * sizeof *sums);

    t->number = number;
    t->area = d->area;
    t->height = (g->crop_height + factor - 1) / factor;
    t->width = (g->crop_width + factor - 1) / factor;
    for (int y = 0; y < t->height; y++)
        shrink_row(t, g, crop, y, factor, white, sums);
    free(sums);
    for (int i = 0; i < d->n; i++)
        frame(t, &d->at[i], factor);
}

/* --- all of them --- */

static bool comes_before(int64_t area, int number, int64_t other_area, int other)
{
    return area != other_area ? area > other_area : number < other;
}

bool ranking_add(Ranking *r, int number, int64_t area)
{
    int i;

    if (r->n == SHEET_MOST) {
        if (!comes_before(area, number, r->at[r->n - 1].area, r->at[r->n - 1].number))
            return false;
        r->n--;
    }
    for (i = r->n++; i > 0 && comes_before(area, number, r->at[i - 1].area, r->at[i - 1].number);
         i--)
        r->at[i] = r->at[i - 1];
    r->at[i].area = area;
    r->at[i].number = number;
    return true;
}

void sheet_add(Sheet *s, const Thumb *t)
{
    Thumb *own;
    int i;

    if (s->n == SHEET_MOST &&
        !comes_before(t->area, t->number, s->at[s->n - 1]->area, s->at[s->n - 1]->number))
        return;
    own = s->n == SHEET_MOST ? s->at[--s->n] : more(NULL, sizeof *own);
    *own = *t;
    for (i = s->n++;
         i > 0 && comes_before(t->area, t->number, s->at[i - 1]->area, s->at[i - 1]->number); i--)
        s->at[i] = s->at[i - 1];
    s->at[i] = own;
}

static void put_digit(unsigned char *to, size_t row_bytes, int digit)
{
    /* rows of three pixels from the top, the leftmost is 4 */
    static const unsigned char digits[10][DIGIT_HEIGHT] = {
        {7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 7, 1, 7}, {5, 5, 7, 1, 1},
        {7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 1, 1, 1}, {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7}};

    for (int y = 0; y < DIGIT_HEIGHT; y++) {
        for (int x = 0; x < DIGIT_WIDTH; x++) {
            if (digits[digit][y] & (4 >> x))
                memset(to + (size_t)y * row_bytes + 3 * x, 255, 3);
        }
    }
}

static void put_thumb(unsigned char *sheet, size_t row_bytes, int cell, const Thumb *t)
{
    unsigned char *to = sheet + (size_t)(cell / SHEET_COLUMNS) * (CELL + LEGEND) * row_bytes +
                        (size_t)(cell % SHEET_COLUMNS) * CELL * 3 + 4 * row_bytes + 4 * 3;
    char number[16];
    const int digits = snprintf(number, sizeof number, "%d", t->number + 1);

    for (int y = 0; y < t->height; y++)
        memcpy(to + (size_t)y * row_bytes, &t->pixels[3 * y * SHEET_SIDE], 3 * (size_t)t->width);
    to += (size_t)(SHEET_SIDE + 4) * row_bytes;
    for (int i = 0; i < digits; i++)
        put_digit(to + (size_t)i * 3 * (DIGIT_WIDTH + 1), row_bytes, number[i] - '0');
}

char *sheet_write(const Sheet *s, const char *path)
{
    const int columns = s->n && s->n < SHEET_COLUMNS ? s->n : SHEET_COLUMNS;
    const int rows = s->n ? (s->n + SHEET_COLUMNS - 1) / SHEET_COLUMNS : 1;
    const int64_t shape[] = {rows * (CELL + LEGEND), columns * CELL, 3};
    const size_t row_bytes = 3 * (size_t)shape[1], bytes = (size_t)shape[0] * row_bytes;
    unsigned char *pixels = more(NULL, bytes);
    const tilec_tensor t = {.data = pixels, .dtype = TILEC_U8, .ndim = 3, .shape = shape};
    char *error = NULL, *why = NULL;

    memset(pixels, 32, bytes);
    for (int i = 0; i < s->n; i++)
        put_thumb(pixels, row_bytes, i, s->at[i]);
    if (tilec_io_write(path, &t, NULL, &error) != TILEC_OK)
        why = format("%.*s", error ? (int)strcspn(error, "\n") : 0, error ? error : "");
    tilec_free(error);
    free(pixels);
    return why;
}

void sheet_free(Sheet *s)
{
    for (int i = 0; i < s->n; i++)
        free(s->at[i]);
    s->n = 0;
}
