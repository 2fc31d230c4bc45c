/*
 * pnm.c - the portable anymaps: PBM, PGM and PPM, plain (P1 P2 P3) and raw (P4 P5 P6)
 *
 * Samples are read as they are, not scaled to the type: with a greatest value of 15 they go up to
 * 15.  Black and white becomes 0 and 255.  Written raw, with 255 or 65535 as the greatest value.
 */
#include "io.h"

#include <string.h>

enum { GREATEST = 65535 };

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next byte, or -1. */
static int next(const Io *io)
{
    return io->in.at < io->in.end ? *io->in.at : -1;
}

/* White space and comments, from `#` to the end of a line. */
static void skip_space(Io *io)
{
    bool comment = false;

    for (; next(io) >= 0 && (comment || is_space(next(io)) || next(io) == '#'); io->in.at++)
        comment = next(io) != '\n' && next(io) != '\r' && (comment || next(io) == '#');
}

/* A decimal number of at most `most` behind white space, or, as P1 may have it, one digit. */
static int64_t read_number(Io *io, int64_t most, bool one_digit, const char *what)
{
    int64_t v = 0;
    int n = 0;

    skip_space(io);
    for (; !(one_digit && n == 1) && next(io) >= '0' && next(io) <= '9'; n += n == 0) {
        v = 10 * v + *io->in.at++ - '0';
        if (v > most)
            io_refuse(io, "%s is more than %lld", what, (long long)most);
    }
    if (n == 0)
        io_refuse(io, next(io) < 0 ? "the file ends where %s should be" : "%s is not a number",
                  what);
    return v;
}

typedef struct {
    Image image;
    int kind;         /* 1 to 6, as in P5 */
    int64_t greatest; /* sample */
    size_t samples;
} Header;

static Header read_header(Io *io)
{
    Header h = {0};
    int64_t n;

    if (io->in.end - io->in.at < 3 || io->in.at[0] != 'P' || io->in.at[1] < '1' ||
        io->in.at[1] > '6')
        io_refuse(io, "not a PBM, PGM or PPM file: it does not begin with P1 to P6");
    h.kind = io->in.at[1] - '0';
    io->in.at += 2;
    h.image.width = read_number(io, INT32_MAX, false, "the width");
    h.image.height = read_number(io, INT32_MAX, false, "the height");
    h.greatest = h.kind % 3 == 1 ? 1 : read_number(io, GREATEST, false, "the greatest sample");
    if (h.greatest == 0 || h.image.width == 0 || h.image.height == 0)
        io_refuse(io, "its width, height or greatest sample is 0");
    h.image.channels = h.kind % 3 == 0 ? 3 : 1;
    h.image.wide = h.greatest > 255;
    const int64_t shape[] = {h.image.height, h.image.width, h.image.channels};
    n = io_numel(3, shape);
    h.samples = (size_t)n;
    return h;
}

/* Bytes that the samples take at least: one each where they are plain, with spaces between. */
static size_t least_bytes(const Header *h)
{
    if (h->kind == 4)
        return (size_t)(h->image.width + 7) / 8 * (size_t)h->image.height;
    return h->samples * (h->kind > 3 && h->image.wide ? 2 : 1);
}

static void put_sample(Io *io, const Header *h, size_t k, int64_t v)
{
    if (h->image.wide)
        ((uint16_t *)io->array.data)[k] = (uint16_t)v;
    else
        ((unsigned char *)io->array.data)[k] = (unsigned char)v;
}

static void read_plain(Io *io, const Header *h)
{
    for (size_t k = 0; k < h->samples; k++) {
        int64_t v = read_number(io, h->greatest, h->kind == 1, "a sample");

        put_sample(io, h, k, h->kind == 1 ? (v ? 0 : 255) : v);
    }
}

static void read_bits(Io *io, const Header *h)
{
    unsigned char *out = io->array.data;
    int64_t width = h->image.width;

    for (int64_t row = 0; row < h->image.height; row++) {
        for (int64_t i = 0; i < width; i++)
            *out++ = io->in.at[i / 8] & 0x80 >> i % 8 ? 0 : 255;
        io->in.at += (width + 7) / 8;
    }
}

static void read_raw(Io *io, const Header *h)
{
    size_t bytes = least_bytes(h);

    if (h->image.wide)
        image_swap(io->array.data, io->in.at, h->samples);
    else
        memcpy(io->array.data, io->in.at, bytes);
    io->in.at += bytes;
    for (size_t k = 0; k < h->samples && h->greatest != 255 && h->greatest != GREATEST; k++) {
        if ((h->image.wide ? ((uint16_t *)io->array.data)[k]
                           : ((unsigned char *)io->array.data)[k]) > h->greatest)
            io_refuse(io, "a sample is more than %lld", (long long)h->greatest);
    }
}

void pnm_read(Io *io)
{
    Header h;

    io_get_all(io);
    h = read_header(io);
    if (h.kind > 3 && !is_space(next(io)))
        io_refuse(io, "one white space is missing in front of the samples");
    io->in.at += h.kind > 3;
    if (least_bytes(&h) > (size_t)(io->in.end - io->in.at))
        io_refuse(io, "the file is shorter than its header says");
    image_new(io, &h.image);
    if (h.kind <= 3)
        read_plain(io, &h);
    else if (h.kind == 4)
        read_bits(io, &h);
    else
        read_raw(io, &h);
    skip_space(io);
    if (io->in.at != io->in.end)
        io_refuse(io, "the file goes on behind its image; only files of one image are read");
    image_convert(io);
}

static void write_image(Io *io, const tilec_tensor *t, int kind, const Image *image)
{
    size_t n = (size_t)image->height * (size_t)image->width * (size_t)image->channels;
    const void *pixels = io_dense(io, t);

    io_put_text(io, arena_printf(io->arena, "P%d\n%lld %lld\n%d\n", kind, (long long)image->width,
                                 (long long)image->height, image->wide ? GREATEST : 255));
    if (image->wide)
        image_swap(io_put_room(io, 2 * n), pixels, n);
    else
        io_put(io, pixels, n);
}

void pgm_write(Io *io, const tilec_tensor *t)
{
    Image image = image_of(io, t, 1, "PGM");

    write_image(io, t, 5, &image);
}

static void refuse_channels(Io *io, const Image *image, const char *what)
{
    io_refuse(io, "%s, not %d channels; .png holds 1 to 4", what, image->channels);
}

void ppm_write(Io *io, const tilec_tensor *t)
{
    Image image = image_of(io, t, 4, "PPM");

    if (image.channels != 3)
        refuse_channels(io, &image, "PPM holds HxWx3");
    write_image(io, t, 6, &image);
}

void pnm_write(Io *io, const tilec_tensor *t)
{
    Image image = image_of(io, t, 4, "PNM");

    if (image.channels != 1 && image.channels != 3)
        refuse_channels(io, &image, "PNM holds HxW or HxWx3");
    write_image(io, t, image.channels == 1 ? 5 : 6, &image);
}
