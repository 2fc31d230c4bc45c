/*
 * tilec_io.h - array files for programs that use tilec: .npy, .npz, PNG, PGM, PPM, CSV
 *
 *     tilec_tensor x;  char *error;
 *     if (tilec_io_read("in.png", NULL, &x, &error)) ...
 *     ... a launch that uses x ...
 *     if (tilec_io_write("out.png", &x, NULL, &error)) ...
 *     tilec_io_free(&x);
 *
 * The companion library libtilec-io; libtilec itself reads no such file and does not need it.
 * examples/image.c is a whole program.  Errors and structs are as in tilec.h: a text in *error ends
 * with a newline and is freed with tilec_free(), zero is the default of every field.  Nothing here
 * prints, exits or keeps state; any function may be called on any thread.
 *
 * A file's format is that of its suffix, in capitals or not:
 *     .npy            NumPy's arrays.  bf16 and fp8, which NumPy does not have, are raw elements
 *                     ('<V2', '|V1'); the names of the package ml_dtypes are read too
 *     .npz            several of these in one file: `x.npz:weights` is its member `weights`; where
 *                     there is only one, `x.npz` will do.  Compressed members are read
 *     .png            H x W (grey) or H x W x C of u8 or u16; C is 2 with grey and alpha, 3 or 4
 *                     for colours.  What has less than 8 bits is spread over 0 to 255, palettes
 *                     become colours, and transparency a channel
 *     .pgm .ppm .pbm .pnm    the same without alpha, plain or raw, up to 65535.  Black and white
 *                     (.pbm) is 0 and 255, and read only
 *     .csv            numbers with commas between them: n for one column, else rows x columns; i64
 *                     when all are whole, else fp64.  Fields may stand in quotes.  A first line
 *                     whose first field is no number, and does not begin like one, is one of
 *                     titles; a field that is empty is NaN
 * `-` is stdin or stdout: a .npy when written, and what it looks like when read; `-.png` is a PNG
 * there.  A file without a suffix is taken like `-`.
 */
#ifndef TILEC_IO_H
#define TILEC_IO_H

#include "tilec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEC_IO_MAX_DIMS 8

typedef struct {
    /* Reading: NULL, or the type to have.  The bits of raw elements, and of any others of that
     * size in .npy and .npz, are read as it; numbers of a .csv and samples of images are converted,
     * or refused where they do not fit. */
    const tilec_dtype *as;
    /* Reading: the most bytes that a compressed file may unpack to, and that a file without a known
     * size may have; 0 = 4 GiB. */
    uint64_t most_bytes;
    /* Reading: 0 = rows one behind the other, in whatever order the file has them; not 0: an .npy
     * or .npz in Fortran's order, as numpy.asfortranarray() makes it, keeps it, as strides, which a
     * kernel must then be given. */
    int keep_order;
    /* Writing a PNG: 0 = the fastest, which for photographs also makes small files; else zlib's
     * level, 1 to 9, with a filter chosen for each row: smaller files of drawings, several times as
     * slow. */
    int png_level;
    /* Writing an .npz: 0 = its members are stored, as numpy.savez does; else zlib's level, 1 to 9,
     * as numpy.savez_compressed does with 6. */
    int npz_level;
} tilec_io_options;

/*
 * Read an array into memory of its own, 64-byte aligned, which tilec_io_free() gives back.  `out`
 * may be launched with as it is: it is row-major without gaps, and its strides are NULL, unless
 * options->keep_order says otherwise.  After a failure it is all zeros, which tilec_io_free()
 * takes. `options` may be NULL.
 *
 * Fails with TILEC_IO when the file cannot be read, is damaged, larger than allowed, or of no
 * format that is known here: the text begins with its name; TILEC_BAD_ARGUMENT for NULLs and an
 * option out of range; TILEC_NO_MEMORY.
 */
tilec_status tilec_io_read(const char *path, const tilec_io_options *options, tilec_tensor *out,
                           char **error);

/* The same for the bytes of a file in memory; the suffix of `name` says their format. */
tilec_status tilec_io_decode(const char *name, const void *bytes, size_t len,
                             const tilec_io_options *options, tilec_tensor *out, char **error);

/* What tilec_io_read() gave; makes it a tensor of no elements.  NULL is allowed. */
void tilec_io_free(tilec_tensor *tensor);

/*
 * Write an array in the host's memory, of any strides.  What stood at `path` is replaced as a
 * whole or, after a failure, still there; behind a link it is what the link names.  Of an .npz this
 * makes one with a single member, named behind a colon (`o.npz:a`), else `arr_0`.
 *
 * Fails with TILEC_IO when the file cannot be written, or its format does not hold such an array:
 * the text says what it holds; TILEC_BAD_ARGUMENT for a tensor that is no array in the host's
 * memory, such as one that has elements and whose data is NULL; else as tilec_io_read() does.
 */
tilec_status tilec_io_write(const char *path, const tilec_tensor *tensor,
                            const tilec_io_options *options, char **error);

typedef struct {
    const char *name; /* of the member; each once, and none that leads out of the archive, "../x" */
    tilec_tensor tensor;
} tilec_io_member;

/* Write an .npz of `n` members, as numpy.savez does, or numpy.savez_compressed: see npz_level.
 * Fails as tilec_io_write() does. */
tilec_status tilec_io_write_npz(const char *path, const tilec_io_member *members, int n,
                                const tilec_io_options *options, char **error);

#ifdef __cplusplus
}
#endif
#endif
