/*
 * array.h - arrays in memory of the command's, their files, and how they are shown
 */
#ifndef TILEC_CLI_ARRAY_H
#define TILEC_CLI_ARRAY_H

#include "cli.h"

enum { CLI_MAX_DIMS = 8 };

/* A strided array in memory of ours, 64-byte aligned at the start of its storage. */
typedef struct {
    void *data; /* of element [0, 0, ...] */
    tilec_dtype dtype;
    int ndim;
    int64_t shape[CLI_MAX_DIMS], strides[CLI_MAX_DIMS]; /* in elements */
} Array;

/* array.c */
/* Row-major and zeroed; stops the command when the size overflows or memory is out. */
Array array_new(Cli *c, tilec_dtype t, int ndim, const int64_t *shape);
/* 1 without dimensions; fits, as array_new() and npy_parse() see to. */
int64_t array_numel(const Array *a);
size_t array_bytes(const Array *a);  /* of the elements alone, without gaps between them */
bool array_is_dense(const Array *a); /* row-major without gaps */
bool array_has_shape_of(const Array *a, const Array *b);
/* Element k of what begins there, of 1, 2, 4 or 8 bytes. */
static inline uint64_t element_get_bits(const void *from, int64_t k, size_t size)
{
    switch (size) {
    case 1:
        return ((const uint8_t *)from)[k];
    case 2:
        return ((const uint16_t *)from)[k];
    case 4:
        return ((const uint32_t *)from)[k];
    default:
        return ((const uint64_t *)from)[k];
    }
}
static inline void element_put_bits(void *to, int64_t k, size_t size, uint64_t bits)
{
    switch (size) {
    case 1:
        ((uint8_t *)to)[k] = (uint8_t)bits;
        return;
    case 2:
        ((uint16_t *)to)[k] = (uint16_t)bits;
        return;
    case 4:
        ((uint32_t *)to)[k] = (uint32_t)bits;
        return;
    default:
        ((uint64_t *)to)[k] = bits;
    }
}
void *array_element(const Array *a, int64_t k);             /* of a dense array: where it is */
const void *array_at(const Array *a, const int64_t *index); /* one index a dimension, not checked */
void array_copy_dense(const Array *a, void *to);            /* array_bytes() bytes, row-major */

/* array_fill.c */
void array_fill(Array *a, double v);       /* dense arrays only, as the five below */
void array_fill_int(Array *a, uint64_t v); /* of an integer type: its low bits */
void array_fill_unwritten(Array *a);       /* NaN, or all bits one: easy to notice */
int array_unwritten_byte(tilec_dtype t);   /* that it fills all bytes with */
void array_count_up(Array *a);             /* 0, 1, 2, ... */
/* Uniform in [0, 1) with as many digits as the type has; integers get all their bits random.  Here
 * and below equal seeds give equal arrays everywhere. */
void array_randomise(Array *a, uint64_t seed);
/* Nearly normal, mean 0 and variance 1, within +-6. */
void array_randomise_normal(Array *a, uint64_t seed);
/* Of the whole numbers low, low + 1, .. last, which wrap at 64 bits; all 2^64 of them at most. */
void array_randomise_between(Array *a, uint64_t seed, uint64_t low, uint64_t last);
Array array_cast(Cli *c, const Array *a, tilec_dtype t); /* dense; `a` itself if it is so already */

/* saturate.c: the same, but to integers by rounding, and to the least or greatest where a value
 * lies beyond. */
Array array_saturate(Cli *c, const Array *a, tilec_dtype t);
double array_number(const Array *a, int64_t k);  /* element k of a dense array */
__int128 array_whole(const Array *a, int64_t k); /* the same of integers, exactly */
/* The same of `n` elements from k on, as loops over large arrays take them. */
enum { ARRAY_LANES = 4096 };
void array_numbers(const Array *a, int64_t k, int64_t n, double *out);
void array_put(Array *a, int64_t k, double v); /* element k of a dense array, rounded to its type */
/* The storage of every array but the first `kept` of c->blocks; none may be used behind it. */
void array_free_from(Cli *c, int kept);
/* The number of the storage in c->blocks that this lies in; -1: in none. */
int array_block(const Cli *c, const void *data);
/* Where element k of all, row-major, is: "17,3"; "" without dimensions. */
const char *array_index_text(Cli *c, const Array *a, int64_t k);
void array_put_index(Cli *c, Text *json, const char *key, const Array *a, int64_t k);
bool array_dtype(const char *name, size_t len, tilec_dtype *out); /* "fp32" or "float32" */

/* file.c: array files, whose names are those of tilec_io.h */
/* `as`: read raw bits as this type, or convert; NULL = what the file says.  Fortran order becomes
 * strides. */
Array file_load(Cli *c, const char *path, const tilec_dtype *as);
/* cli_check() for what io_read() gave, with its errno and the path.  It warns of an array that
 * drops numbers. */
void file_check(Cli *c, const char *path, tilec_status status, bool drops_numbers, char **error);
/* Of a path of `len` bytes: how much of `behind` is its `:MEMBER`, 0 unless it is an .npz. */
size_t file_member_length(const char *path, size_t len, const char *behind);
/* An array file in the text of a value. */
typedef struct {
    const char *path; /* and member */
    bool has_type;
    tilec_dtype type;
} FileText;
typedef VEC(FileText) FileTexts;
/* `what`, as messages call it, reads stdin; stops when something else does. */
void file_claim_stdin(Cli *c, const char *what);
bool file_is_csv(Cli *c, const char *path);
bool file_same_output(Cli *c, const char *path, const char *other);

/* element.c */
enum { ELEMENT_TEXT = 32 };
/* An element of a dtype with these bits; floats by the shortest digits that read back as it, with
 * an exponent if that is asked for. */
void element_format(char out[ELEMENT_TEXT], tilec_dtype t, uint64_t bits, bool exponents);
bool element_wants_exponent(tilec_dtype t, uint64_t bits); /* too long, or no digits, without one */

/* summary.c: dtype, shape, and what the elements are like as a whole, without a newline */
void summary_put(Text *t, const Array *a);
/* Of the finite elements of an array that is not empty; left alone where there are none. */
void summary_bounds(Arena *arena, const Array *a, double *least, double *greatest);
void summary_put_shape(Text *t, const Array *a); /* "4096x781" */
const char *summary_shape(Cli *c, const Array *a);

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

#endif
