/*
 * png.c - PNG files through libpng: u8 or u16, grey, grey and alpha, RGB or RGBA
 *
 * Read, every kind of PNG becomes one of these: less than 8 bits are spread over 0 to 255, palettes
 * become colours, transparency that is said in another way than by a channel becomes one.  Gamma
 * and colour profiles are neither used nor kept.  Chunks that say nothing about pixels are skipped
 * unread, so none of them can unpack to something large.
 *
 * Written, unless a level is asked for, with the filter Up and nothing but runs of one byte
 * (Z_RLE): that is the fastest by far.  For photographs it also makes the smallest files, of 145 KB
 * where level 6 with a filter for each row makes 154 KB and takes five times as long; flat colours
 * take up to twice the room.
 */
#include "io.h"

#include <ctype.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* What libpng has made, for when the call ends. */
typedef struct {
    png_structp png;
    png_infop info;
    bool writes;
} Held;

static void release(void *held)
{
    Held *h = held;

    if (h->writes)
        png_destroy_write_struct(&h->png, &h->info);
    else
        png_destroy_read_struct(&h->png, &h->info, NULL);
}

/* libpng puts the name of a chunk in front, `IDAT: `, where what is no letter stands as `[0A]`.
 * Gives the place behind, and the four bytes; NULL: there is no name. */
static const char *take_chunk_name(const char *why, unsigned char name[4])
{
    for (int i = 0; i < 4; i++) {
        unsigned value;
        int n = 0;

        if (sscanf(why, "[%2x]%n", &value, &n) != 1 || n == 0) {
            value = (unsigned char)*why;
            n = isalpha((int)value) ? 1 : 0;
        }
        if (n == 0)
            return NULL;
        name[i] = (unsigned char)value;
        why += n;
    }
    return strncmp(why, ": ", 2) == 0 ? why + 2 : NULL;
}

/* libpng's words, for who knows no chunks. */
NORETURN static void wrong(png_structp png, png_const_charp why)
{
    Io *io = png_get_error_ptr(png);
    unsigned char name[4];
    const char *text = take_chunk_name(why, name);

    if (!text)
        io_refuse(io, "%s%s", strncmp(why, "Not a PNG", 9) == 0 ? "" : "damaged PNG file: ", why);
    for (int i = 0; i < 4; i++) {
        if (!isalpha(name[i]))
            io_refuse(io,
                      "damaged PNG file: where the name of a chunk should stand are the bytes "
                      "%02X %02X %02X %02X",
                      name[0], name[1], name[2], name[3]);
    }
    if (strcmp(text, "CRC error") == 0)
        io_refuse(io, "damaged PNG file: the checksum of its chunk %.4s is wrong", (char *)name);
    io_refuse(io, "damaged PNG file: in its chunk %.4s: %s", (char *)name, text);
}

static void ignore(png_structp png, png_const_charp why)
{
    (void)png;
    (void)why;
}

/* libpng's handle, which ends with the call; it jumps to no place but the call's guard. */
static Held *hold(Io *io, bool writes)
{
    Held *h = NEW(io->arena, Held);

    h->writes = writes;
    io->held = h;
    io->release = release;
    h->png = writes ? png_create_write_struct(PNG_LIBPNG_VER_STRING, io, wrong, ignore)
                    : png_create_read_struct(PNG_LIBPNG_VER_STRING, io, wrong, ignore);
    h->info = h->png ? png_create_info_struct(h->png) : NULL;
    if (!h->info)
        io_no_memory(io);
    return h;
}

/* --- reading --- */

static void take(png_structp png, png_bytep to, size_t n)
{
    if (io_get(png_get_io_ptr(png), to, n) != n)
        png_error(png, "the file ends before its image does");
}

/* Let libpng convert to one of our four kinds. */
static void convert(png_structp png, png_infop info)
{
    png_set_expand(png); /* palettes, less than 8 bits, transparent colours */
    if (png_get_bit_depth(png, info) == 16)
        png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
}

/* Before memory is taken for the pixels. */
static void check_size(Io *io, const Held *h, uint64_t packed)
{
    uint64_t bytes, height = png_get_image_height(h->png, h->info);

    if (__builtin_mul_overflow((uint64_t)png_get_rowbytes(h->png, h->info), height, &bytes))
        bytes = UINT64_MAX;
    io_check_unpacked(io, bytes, packed);
}

void png_read(Io *io)
{
    Held *h = hold(io, false);
    Image image;
    size_t row;

    io_get_all(io);
    const uint64_t packed = io->in.left;
    if (packed < 8 || png_sig_cmp(io->in.at, 0, 8) != 0)
        io_refuse(io, "not a PNG file");
    png_set_read_fn(h->png, io, take);
    png_set_user_limits(h->png, INT32_MAX, INT32_MAX); /* the limit is one of bytes, below */
    png_set_keep_unknown_chunks(h->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(h->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "tRNS", 1);
    png_read_info(h->png, h->info);
    check_size(io, h, packed);
    convert(h->png, h->info);
    image = (Image){png_get_image_height(h->png, h->info), png_get_image_width(h->png, h->info),
                    png_get_channels(h->png, h->info), png_get_bit_depth(h->png, h->info) == 16};
    row = png_get_rowbytes(h->png, h->info);
    check_size(io, h, UINT64_MAX / 2); /* what it became may be larger */
    image_new(io, &image);
    png_bytepp rows = arena_alloc(io->arena, sizeof *rows * (size_t)image.height);
    for (int64_t i = 0; i < image.height; i++)
        rows[i] = (png_bytep)io->array.data + (size_t)i * row;
    png_read_image(h->png, rows);
    png_read_end(h->png, NULL); /* the checksum of the last pixels stands behind them */
    image_convert(io);
}

/* --- writing --- */

static void give(png_structp png, png_bytep from, size_t n)
{
    io_put(png_get_io_ptr(png), from, n);
}

static void flush(png_structp png)
{
    (void)png;
}

/* Level 0 is ours, the others are zlib's. */
static void choose_compression(png_structp png, int level)
{
    png_set_compression_level(png, level ? level : 1);
    if (level)
        return;
    png_set_filter(png, 0, PNG_FILTER_UP);
    png_set_compression_strategy(png, Z_RLE);
}

void png_write(Io *io, const tilec_tensor *t)
{
    static const int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    Image image = image_of(io, t, COUNT(kinds), "PNG");
    const char *pixels = io_dense(io, t);
    size_t row = (size_t)image.width * (size_t)image.channels * (image.wide ? 2 : 1);
    Held *h = hold(io, true);

    png_set_write_fn(h->png, io, give, flush);
    png_set_user_limits(h->png, INT32_MAX, INT32_MAX);
    choose_compression(h->png, io->options.png_level);
    png_set_IHDR(h->png, h->info, (png_uint_32)image.width, (png_uint_32)image.height,
                 image.wide ? 16 : 8, kinds[image.channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(h->png, h->info);
    if (image.wide)
        png_set_swap(h->png);
    for (int64_t i = 0; i < image.height; i++)
        png_write_row(h->png, (png_const_bytep)pixels + (size_t)i * row);
    png_write_end(h->png, NULL);
}
