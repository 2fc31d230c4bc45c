/*
 * image.c - which arrays are images: H x W or H x W x C, of u8 or u16
 */
#include "io.h"

#include <string.h>

static const char *shape_text(Arena *a, const tilec_tensor *t)
{
    Text s = text_new(a);

    text_put(&s, t->ndim == 0 ? "one number" : "");
    for (int i = 0; i < t->ndim; i++)
        text_printf(&s, "%s%lld", i ? "x" : "", (long long)t->shape[i]);
    return s.s;
}

/* Why an array is no image of such a file; NULL. */
static const char *image_trouble(Arena *a, const tilec_tensor *t, int most, const char *what)
{
    int64_t channels = t->ndim == 3 ? t->shape[2] : 1;

    if (t->dtype != TILEC_U8 && t->dtype != TILEC_U16)
        return arena_printf(a, "%s holds u8 or u16, not %s; .npy holds every type", what,
                            dtype_name((DType)t->dtype));
    if (t->ndim < 2 || t->ndim > 3 || channels < 1 || channels > most || t->shape[0] < 1 ||
        t->shape[1] < 1 || t->shape[0] > INT32_MAX || t->shape[1] > INT32_MAX)
        return arena_printf(a, "%s holds HxW or HxWxC with up to %d channels, not %s%s", what, most,
                            shape_text(a, t),
                            t->ndim == 3 && t->shape[0] <= most ? ": channels stand last" : "");
    return NULL;
}

Image image_of(Io *io, const tilec_tensor *t, int most, const char *what)
{
    int64_t channels = t->ndim == 3 ? t->shape[2] : 1;
    const char *trouble = image_trouble(io->arena, t, most, what);

    if (trouble)
        io_refuse(io, "%s", trouble);
    return (Image){t->shape[0], t->shape[1], (int)channels, t->dtype == TILEC_U16};
}

const char *io_tensor_trouble(Arena *a, const IoName *name, const tilec_tensor *t)
{
    static const struct {
        const char *suffix, *what;
        int most;
    } kinds[] = {{".png", "PNG", 4}, {".pgm", "PGM", 1}, {".ppm", "PPM", 4}, {".pnm", "PNM", 4}};

    for (int i = 0; i < COUNT(kinds); i++) {
        if (strcmp(kinds[i].suffix, name->suffix) == 0)
            return image_trouble(a, t, kinds[i].most, kinds[i].what);
    }
    return NULL;
}

void image_new(Io *io, const Image *image)
{
    const int64_t shape[] = {image->height, image->width, image->channels};

    io_array_new(io, image->wide ? TILEC_U16 : TILEC_U8, image->channels > 1 ? 3 : 2, shape);
}

/* The bits of a sample in another type; refuses what it does not hold. */
static uint64_t convert(Io *io, DType t, unsigned sample)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);

    if (dtype_is_float(t))
        return scalar_from_double(t, sample);
    if (bits < 32 && sample >> bits != 0)
        io_refuse(io, "%s does not hold a sample of %u", dtype_name(t), sample);
    return sample;
}

void image_convert(Io *io)
{
    const IoArray from = io->array;
    const unsigned char *bytes;
    int64_t n = io_numel(from.ndim, from.shape);
    bool wide = from.dtype == TILEC_U16;

    if (!io->options.as || *io->options.as == from.dtype)
        return;
    bytes = memcpy(arena_alloc(io->arena, from.bytes), from.data, from.bytes);
    io_array_free(&io->array);
    io_array_new(io, *io->options.as, from.ndim, from.shape);
    size_t size = (size_t)dtype_size((DType)io->array.dtype);
    for (int64_t i = 0; i < n; i++) {
        unsigned sample = wide ? ((const uint16_t *)bytes)[i] : bytes[i];
        uint64_t value = convert(io, (DType)io->array.dtype, sample);

        memcpy((char *)io->array.data + (size_t)i * size, &value, size);
    }
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
