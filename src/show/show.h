/*
 * show.h - arrays and tables as text, for people: summaries, elements, pictures in a terminal
 *
 * All of it is put into texts; nothing is printed here.
 */
#ifndef TILEC_SHOW_SHOW_H
#define TILEC_SHOW_SHOW_H

#include "../arrays/array.h"

/* summary.c: dtype, shape, and what the elements are like as a whole, without a newline */
void summary_put(Text *t, const Array *a);
/* Of the finite elements of an array that is not empty; left alone where there are none. */
void summary_bounds(Arena *arena, const Array *a, double *least, double *greatest);
void summary_put_shape(Text *t, const Array *a); /* "4096x781" */
const char *summary_shape(Arena *arena, const Array *a);

/* show.c */
typedef enum {
    SHOW_BRIEF, /* whole up to a hundred elements, else the first and last three along each long
                 * dimension */
    SHOW_WHOLE,
    SHOW_PICTURE, /* in the best of the ways below that the terminal has */
    SHOW_BLOCKS,
    SHOW_TEXT,
    SHOW_SIXEL,
    SHOW_KITTY
} ShowWay;
/* The array's summary, and its elements NumPy's way or as a picture.  `terminal` is where the text
 * goes to: a file descriptor, whose size and kind say how a picture is drawn. */
void show_array(Text *t, const char *name, const Array *a, ShowWay way, int terminal);

/* tile.c: elements row-major with their indices, whatever they are */
typedef struct {
    void *ctx;
    const char *(*cell)(void *ctx, Arena *a, int64_t k);
    int ndim;
    const int64_t *shape;
} Cells;
void show_cells(Text *t, const Cells *c); /* of one dimension or more */

/* picture.c */
const char *picture_problem(const Array *a); /* why it cannot be one; NULL */
void picture_put(Text *t, const Array *a, ShowWay way, int terminal); /* of what has no problem */

/* draw.c */
typedef struct {
    int width, height;
    uint8_t *rgb; /* rows from the top, without gaps */
} Picture;
extern const uint8_t picture_nan[3]; /* the colour of what is no number */
void draw_picture(Text *t, const Picture *p,
                  ShowWay way); /* SHOW_TEXT .. SHOW_KITTY, SHOW_BLOCKS */

/* table.c: cells row by row, the titles first; the first `left` columns are aligned to the left,
 * and so are those without a title */
typedef struct {
    Arena *arena;
    int columns, left;
    VEC(const char *) cells;
} Table;
Table table_new(Arena *a, int columns, int left);
Table table_titled(Arena *a, const char *const *titles, int n, int left); /* as its first row */
void table_put(Table *t, const char *cell);                               /* which is kept */
void table_printf(Table *t, const char *fmt, ...) PRINTF(2, 3);
const char *table_text(const Table *t);       /* of whole rows */
void put_csv_cell(Text *t, const char *cell); /* of a file of CSV: in quotes where it needs them */

#endif
