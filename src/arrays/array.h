/*
 * array.h - arrays as NumPy has them: their memory, their elements, their files
 *
 * A Store holds the memory of a client's arrays, until they are freed or the client ends.  What
 * cannot be done stops the client (base/client.h).
 */
#ifndef TILEC_ARRAYS_ARRAY_H
#define TILEC_ARRAYS_ARRAY_H

#include "../base/client.h"
#include "tilec.h"

enum { ARRAY_MAX_DIMS = 8 };

/* A strided array in memory of ours, 64-byte aligned at the start of its storage. */
typedef struct {
    void *data; /* of element [0, 0, ...] */
    tilec_dtype dtype;
    int ndim;
    int64_t shape[ARRAY_MAX_DIMS], strides[ARRAY_MAX_DIMS]; /* in elements */
} Array;

typedef struct {
    void *memory;
    size_t bytes;
    bool is_guarded; /* by os_alloc_guarded() */
    bool is_empty;   /* made by `empty`: nobody has said what is in it */
    bool is_drawn;   /* made by `rand` or `randn`, to be read by somebody */
} Storage;

/* A file that an argument was read from. */
typedef struct {
    const char *path;
    int block; /* the storage that has what it holds */
} FileRead;

typedef struct ValueHost ValueHost; /* value.h */
typedef struct {
    Client *client;
    Arena *arena;           /* the client's */
    const ValueHost *host;  /* what values may name besides; NULL: nothing */
    VEC(Storage) blocks;    /* the storage of all arrays, oldest first */
    const char *stdin_user; /* what was read from there; NULL: nothing */
    VEC(FileRead) files;    /* .. but for stdin */
    int random_arrays;      /* made so far: the seed of the next one that gives none */
} Store;

/* array.c */
Store store_new(Client *c, const ValueHost *host);
/* Row-major and zeroed; stops the client when the size overflows or memory is out. */
Array array_new(Store *store, tilec_dtype t, int ndim, const int64_t *shape);
/* 1 without dimensions; fits, as array_new() and npy_parse() see to. */
int64_t array_numel(const Array *a);
size_t array_bytes(const Array *a);        /* of the elements alone, without gaps between them */
tilec_tensor array_tensor(const Array *a); /* as the library takes it */
bool array_is_dense(const Array *a);       /* row-major without gaps */
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
Array array_cast(Store *store, const Array *a,
                 tilec_dtype t); /* dense; `a` itself if it is so already */

/* saturate.c: the same, but to integers by rounding, and to the least or greatest where a value
 * lies beyond. */
Array array_saturate(Store *store, const Array *a, tilec_dtype t);
double array_number(const Array *a, int64_t k);  /* element k of a dense array */
__int128 array_whole(const Array *a, int64_t k); /* the same of integers, exactly */
/* The same of `n` elements from k on, as loops over large arrays take them. */
enum { ARRAY_LANES = 4096 };
void array_numbers(const Array *a, int64_t k, int64_t n, double *out);
void array_put(Array *a, int64_t k, double v); /* element k of a dense array, rounded to its type */
/* The storage of every array but the first `kept` of store->blocks; none may be used behind it. */
void array_free_from(Store *store, int kept);
/* The number of the storage in store->blocks that this lies in; -1: in none. */
int array_block(const Store *store, const void *data);
/* Where element k of all, row-major, is: "17,3"; "" without dimensions. */
const char *array_index_text(Arena *arena, const Array *a, int64_t k);
void array_put_index(Text *json, const char *key, const Array *a, int64_t k);
bool array_dtype(const char *name, size_t len, tilec_dtype *out); /* "fp32" or "float32" */

/* file.c: array files, whose names are those of tilec_io.h */
/* `as`: read raw bits as this type, or convert; NULL = what the file says.  Fortran order becomes
 * strides. */
Array file_load(Store *store, const char *path, const tilec_dtype *as);
/* Stops on anything but TILEC_OK; takes `error`, the library's text (may be NULL).  `file` is what
 * it was to read or write, with its errno; NULL: none. */
void client_check(Client *c, const char *file, tilec_status status, char **error);
/* Stops on what io_read() gave but TILEC_OK, with its errno; takes the error.  It warns of an array
 * that drops numbers. */
void file_check(Store *store, const char *path, tilec_status status, bool drops_numbers,
                char **error);
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
void file_claim_stdin(Store *store, const char *what);
bool file_is_csv(Arena *a, const char *path);
bool file_same_output(Arena *a, const char *path, const char *other);

/* parts.c: elements 0 to n - 1 in any order, on all CPUs where there are many; all parts but the
 * last have PART_ELEMENTS. */
enum { PART_ELEMENTS = 1 << 16 };
typedef void PartWork(void *context, int64_t first, int64_t n);
void parts_run(int64_t n, PartWork *work, void *context);

/* difference.c */
typedef struct {
    double rtol, atol;
    bool wants_units;
    int64_t wrong, worst;    /* how many elements; which one, row-major */
    int64_t nans;            /* how many are NaN, here and there */
    double max_abs, max_rel; /* of differences; infinity where one is no number */
    double max_units; /* of the type of what was got: units in the last place; if they are wanted */
} Difference;
/* Tolerances for what should be `want`, which is dense; the second of them for a first one. */
Difference difference_usual(const Array *got, const Array *want);
double difference_atol(double rtol, const Array *want);
/* Fills in what `d` says behind its tolerances; the arrays have one shape. */
void difference_find(Store *store, const Array *got, const Array *want, Difference *d);
bool difference_is_small(Store *store, const Array *got, const Array *want); /* by the usual ones */

/* element.c */
enum { ELEMENT_TEXT = 32 };
/* An element of a dtype with these bits; floats by the shortest digits that read back as it, with
 * an exponent if that is asked for. */
void element_format(char out[ELEMENT_TEXT], tilec_dtype t, uint64_t bits, bool exponents);
bool element_wants_exponent(tilec_dtype t, uint64_t bits); /* too long, or no digits, without one */

#endif
