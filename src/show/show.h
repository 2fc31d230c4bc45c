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

/* The same in a file's pixels: at most `most` each way, small arrays enlarged. */
Array picture_image(Store *store, const Array *a, int most);
bool picture_is_drawn(int terminal); /* else pictures are letters there */

/* accesses.c: what programs do with the elements of an array */
typedef struct {
    const char *name;
    Array array;
    int64_t low;   /* the first element that it has in memory, counted from `data` */
    int64_t count; /* of those from there to the last one */
    const uint8_t *reads, *writes; /* from there on: how many programs do, at most 255 */
    /* Which ones do, counted from 1: who writes, where anybody does; 0: nobody. */
    const int32_t *first, *last;
    const int32_t *grid;
} Accessed;
typedef struct {
    char letter;
    const char *name, *text; /* "reread", "several programs read" */
    uint8_t colour[3];
} AccessKind;
enum { ACCESS_KINDS = 6 };
extern const AccessKind access_kinds[ACCESS_KINDS]; /* the most notable last */
/* Of an element that so many programs read and write; more accesses never make it a lesser one. */
int access_kind_of(int reads, int writes);
typedef struct {
    int width, height;
    uint8_t *kinds;    /* numbers in access_kinds */
    int64_t *programs; /* the last that did so; -1: nobody, -2: there is no element */
} AccessCells;
void accesses_put(Text *t, const Accessed *x); /* how many elements by how many, in lines */
AccessCells accesses_cells(Arena *a, const Accessed *x, int width,
                           int height); /* at most so many */
/* The cell of each element that the array has in memory, from `low` on; -1: it has no such one. */
int32_t *accesses_cell_numbers(Arena *a, const Accessed *x, const AccessCells *c);
void accesses_put_letters(Text *t, const AccessCells *c, bool programs);
/* Whose letters they are: "0 (0, 0, 0), 1 (1, 0, 0)", where there are few. */
void accesses_put_programs(Text *t, const Accessed *x, const AccessCells *c);
void accesses_put_legend(Text *t, const AccessCells *c, bool letters);
Array accesses_image(Store *store, const AccessCells *c, bool programs); /* a pixel a cell */

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
