/*
 * io.h - array files: what the readers and writers of this folder share
 *
 * A call (io.c) opens a file, finds its format in a table, and runs one function of it inside of
 * the only guard.  What stops it calls io_refuse() or runs out of memory; the call then gives back
 * all that the Io holds, so no reader cleans up after itself.  Every size comes from a file that
 * somebody else made: it is checked before it is used.
 */
#ifndef TILEC_IO_INTERNAL_H
#define TILEC_IO_INTERNAL_H

#include "tilec.h"
#include "tilec_io.h"
#include "../base/base.h"
#include "../ir/ir.h"

enum { IO_MAX_DIMS = TILEC_IO_MAX_DIMS };

/* An array that was read; `data` is os_alloc_pages(bytes). */
typedef struct {
    void *data;
    size_t bytes;
    tilec_dtype dtype;
    int ndim;
    int64_t shape[IO_MAX_DIMS], strides[IO_MAX_DIMS]; /* in elements */
    bool drops_numbers; /* a line of titles has some, which are not read */
} IoArray;

/* What reads a file from its beginning to its end, which may be a pipe. */
typedef struct Io Io;
typedef struct {
    const unsigned char *at, *end; /* bytes in hand */
    size_t (*more)(Io *io, void *to,
                   size_t n); /* those behind; fewer than n: the end.  NULL: none */
    uint64_t left;            /* bytes from `at` to the end of the file; UINT64_MAX: unknown */
    int fd;
} IoInput;

struct Io {
    Guard guard;
    Arena *arena; /* of this call */
    tilec_io_options options;
    bool writes;
    const char *member; /* of an .npz; NULL: not said */
    IoInput in;
    IoArray array; /* that is read */
    char *out;     /* what is written, from malloc() */
    size_t out_len, out_cap;
    void (*release)(void *held); /* for what a library has made; NULL: nothing */
    void *held;
    const char *trouble; /* why it stopped */
    int reason;          /* .. as errno has it; 0: it is not the system's */
};

/* io.c: the calls */

/* A file's name, and how its format is found. */
typedef struct {
    const char *path;   /* "-": stdin or stdout */
    const char *member; /* of an .npz, or NULL */
    const char *suffix; /* with its dot, in small letters; "" when there is none */
} IoName;
/* `PATH`, `PATH.npz:MEMBER`, `-` or `-.SUFFIX`; texts live in the arena. */
IoName io_name(Arena *a, const char *text);
bool io_is_suffix(const char *s, size_t n); /* ".png": of a format that is known here */
/* NULL, or why nothing of this name can be read or (`is_output`) written. */
const char *io_name_trouble(Arena *a, const IoName *name, bool is_output);
/* NULL, or why a file of that name cannot hold an array of this dtype and shape. */
const char *io_tensor_trouble(Arena *a, const IoName *name, const tilec_tensor *t);

/* As tilec_io_read(), tilec_io_decode() and tilec_io_write_npz(); `bytes` NULL: read the file. Both
 * leave in errno what the system said of a failure, 0 where it is none of the system's. */
tilec_status io_read(const char *path, const void *bytes, size_t len,
                     const tilec_io_options *options, IoArray *out, char **error);
void io_array_free(IoArray *a); /* may be empty */
/* `members` NULL: `tensor` alone, in the format of the path. */
tilec_status io_write(const char *path, const tilec_tensor *tensor, const tilec_io_member *members,
                      int n, const tilec_io_options *options, char **error);

/* Leave the call, with what is wrong with the file; its name is put in front. */
NORETURN void io_refuse(Io *io, const char *fmt, ...) PRINTF(2, 3);
/* the same in the system's words, of a path */
NORETURN void io_refuse_system(Io *io, int error, const char *path);
NORETURN void io_no_memory(Io *io);

/* memory.c: bytes in, arrays, bytes out */
size_t io_get(Io *io, void *to, size_t n); /* takes so many bytes; fewer: the end of the file */
/* At least n bytes in hand, unless the file ends before. */
void io_peek(Io *io, size_t n);
/* Have all that is left in hand, in->at to in->end. */
void io_get_all(Io *io);
void io_open_file(Io *io, const char *path); /* "-": stdin */

/* Row-major and zero; refuses extents whose product overflows.  One array a call. */
void io_array_new(Io *io, tilec_dtype t, int ndim, const int64_t *shape);
int64_t io_numel(int ndim, const int64_t *shape); /* 0 with an extent of 0; -1: it overflows */
/* The elements in row-major order without gaps: where they are, or in the arena. */
const void *io_dense(Io *io, const tilec_tensor *t);
void io_make_row_major(Io *io); /* the array that was read */

void io_put(Io *io, const void *bytes, size_t n);
void io_put_text(Io *io, const char *s);
char *io_put_room(Io *io, size_t n); /* the next n bytes, to be filled */

/* Stops what claims to unpack to more than is allowed, or than `packed` bytes of deflate can. */
void io_check_unpacked(Io *io, uint64_t bytes, uint64_t packed);

/* The formats: a reader fills io->array, a writer io->out. */
/* npy.c */
void npy_read(Io *io);
void npy_write(Io *io, const tilec_tensor *t);
typedef struct {
    tilec_dtype dtype;
    int raw_bytes; /* the file holds opaque elements of so many bytes; 0 = `dtype` is known */
    bool fortran;
    int ndim;
    int64_t shape[IO_MAX_DIMS];
    size_t data_at; /* where the elements begin */
} NpyHeader;
/* Parse the first `len` bytes of a file.  Gives NULL, or what is wrong with them. */
const char *npy_parse(Arena *a, const char *bytes, size_t len, NpyHeader *out);

/* npz.c */
void npz_read(Io *io);
void npz_write(Io *io, const tilec_io_member *members, int n);

/* png.c, pnm.c, csv.c */
void png_read(Io *io);
void png_write(Io *io, const tilec_tensor *t);
void pnm_read(Io *io);
void pgm_write(Io *io, const tilec_tensor *t); /* grey */
void ppm_write(Io *io, const tilec_tensor *t); /* colours */
void pnm_write(Io *io, const tilec_tensor *t); /* either */
void csv_read(Io *io);
void csv_write(Io *io, const tilec_tensor *t);
/* One element as csv_write() has it, in CSV_NUMBER bytes; gives its length. */
enum { CSV_NUMBER = 40 };
int csv_put_element(char *to, DType t, uint64_t bits);

/* image.c: arrays as images */
typedef struct {
    int64_t height, width;
    int channels; /* 1 to 4 */
    bool wide;    /* u16, not u8 */
} Image;
/* H x W or H x W x C of u8 or u16, C at most `most`; refuses what is none, for a file called
 * `what`. */
Image image_of(Io *io, const tilec_tensor *t, int most, const char *what);
void image_new(Io *io, const Image *image);            /* io->array for it */
void image_convert(Io *io);                            /* .. to the type that is asked for */
void image_swap(void *to, const void *from, size_t n); /* n u16 between byte orders; may be one */

#endif
