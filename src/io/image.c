/*
 * image.c - which arrays are images: H x W or H x W x C, of u8 or u16
 */
#include "io.h"

static const char *shape_text(Io *io, const tilec_tensor *t)
{
    Text s = text_new(io->arena);

    text_put(&s, t->ndim == 0 ? "one number" : "");
    for (int i = 0; i < t->ndim; i++)
        text_printf(&s, "%s%lld", i ? "x" : "", (long long)t->shape[i]);
    return s.s;
}

Image image_of(Io *io, const tilec_tensor *t, int most, const char *what)
{
    int64_t channels = t->ndim == 3 ? t->shape[2] : 1;

    if (t->dtype != TILEC_U8 && t->dtype != TILEC_U16)
        io_refuse(io, "%s holds u8 or u16, not %s; .npy holds every type", what,
                  dtype_name((DType)t->dtype));
    if (t->ndim < 2 || t->ndim > 3 || channels < 1 || channels > most || t->shape[0] < 1 ||
        t->shape[1] < 1 || t->shape[0] > INT32_MAX || t->shape[1] > INT32_MAX)
        io_refuse(io, "%s holds HxW or HxWxC with up to %d channels, not %s", what, most,
                  shape_text(io, t));
    return (Image){t->shape[0], t->shape[1], (int)channels, t->dtype == TILEC_U16};
}

void image_new(Io *io, const Image *image)
{
    const int64_t shape[] = {image->height, image->width, image->channels};

    io_array_new(io, image->wide ? TILEC_U16 : TILEC_U8, image->channels > 1 ? 3 : 2, shape);
}

void image_swap(void *to, const void *from, size_t n)
{
    const unsigned char *in = from;
    unsigned char *out = to;

    for (size_t i = 0; i < n; i++) {
        unsigned char first = in[2 * i];

        out[2 * i] = in[2 * i + 1];
        out[2 * i + 1] = first;
    }
}
