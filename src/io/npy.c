/*
 * npy.c - read and write NumPy's .npy files, versions 1.0, 2.0 and 3.0
 *
 * Takes files from anywhere: every length is checked before it is used, and nothing is allocated
 * that the file is too short to fill.  The layout is a magic string, two version bytes, the
 * header's length (2 bytes, from version 2 on 4), the header - a Python dictionary in text - and
 * the elements.
 *
 * NumPy has no names for bf16 and the fp8 types; such arrays are saved as opaque elements
 * ('<V2', '|V1').  Two bytes are taken for bf16; of one byte the reader has to be told.
 */
#include "io.h"

#include <string.h>

enum { LONGEST_HEADER = 1 << 16 };
static const char magic[] = "\x93NUMPY";

/* clang-format off */
static const struct {
    const char *text; /* the type description behind its byte-order mark */
    tilec_dtype dtype;
} known_types[] = {
    {"b1", TILEC_I1},
    {"i1", TILEC_I8}, {"i2", TILEC_I16}, {"i4", TILEC_I32}, {"i8", TILEC_I64},
    {"u1", TILEC_U8}, {"u2", TILEC_U16}, {"u4", TILEC_U32}, {"u8", TILEC_U64},
    {"f2", TILEC_FP16}, {"f4", TILEC_FP32}, {"f8", TILEC_FP64}, {"V2", TILEC_BF16},
    {"bfloat16", TILEC_BF16}, {"float8_e4m3fn", TILEC_FP8E4NV}, {"float8_e5m2", TILEC_FP8E5},
    {"float8_e4m3fnuz", TILEC_FP8E4B8}, {"float8_e5m2fnuz", TILEC_FP8E5B16},
};
/* clang-format on */

/* A reader of the header's dictionary; `error` is the first thing that was wrong. */
typedef struct {
    Arena *arena;
    const char *at, *end;
    const char *error;
} Reader;

static void skip_space(Reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t'))
        r->at++;
}

static bool accept(Reader *r, const char *word)
{
    size_t n = strlen(word);

    skip_space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* string := "'" chars "'" */
static const char *read_string(Reader *r)
{
    const char *start, *quote;

    if (!accept(r, "'") && !accept(r, "\"")) {
        r->error = "a text in quotes is missing in the header";
        return "";
    }
    start = r->at;
    quote = memchr(start, start[-1], (size_t)(r->end - start));
    if (!quote) {
        r->error = "a text in the header has no end";
        return "";
    }
    r->at = quote + 1;
    return arena_strndup(r->arena, start, (size_t)(quote - start));
}

/* extent := digits ['L'] */
static int64_t read_extent(Reader *r)
{
    int64_t v = 0;

    skip_space(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9') {
        r->error = "an extent of the shape is not a number";
        return 0;
    }
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *r->at - '0', &v)) {
            r->error = "an extent of the shape is too large";
            return 0;
        }
    }
    accept(r, "L"); /* Python 2 wrote long integers so */
    return v;
}

/* shape := '(' [extent {',' extent} [',']] ')' */
static void read_shape(Reader *r, NpyHeader *h)
{
    if (!accept(r, "(")) {
        r->error = "the shape is not a tuple";
        return;
    }
    while (!r->error && !accept(r, ")")) {
        if (h->ndim == IO_MAX_DIMS) {
            r->error = "more than 8 dimensions";
            return;
        }
        h->shape[h->ndim++] = read_extent(r);
        if (r->error || accept(r, ","))
            continue;
        skip_space(r);
        if (r->at == r->end || *r->at != ')')
            r->error = "the shape has no end";
    }
}

/* What makes numbers of elements that kernels do not have: by their kind in NumPy. */
static const char *way_out(const char *name)
{
    switch (name[0]) {
    case 'c':
        return "; x.view(numpy.float32), of complex64, has real and imaginary parts in turn";
    case 'U':
    case 'S':
    case 'O':
        return "; x.astype(numpy.float32) makes numbers of them";
    case 'M':
    case 'm':
        return "; x.astype(numpy.int64) makes numbers of them";
    default:
        return "";
    }
}

/* descr := '<f4' and its like; a list would be a record type */
static void read_type(Reader *r, NpyHeader *h)
{
    const char *text, *name;

    skip_space(r);
    if (r->at < r->end && *r->at == '[') {
        r->error = "records (structured arrays) are not arrays of numbers";
        return;
    }
    text = read_string(r);
    if (r->error)
        return;
    name = text + (*text == '<' || *text == '|' || *text == '=' || *text == '>');
    for (int i = 0; i < COUNT(known_types); i++) {
        if (strcmp(name, known_types[i].text) != 0)
            continue;
        h->dtype = known_types[i].dtype;
        if (*text == '>' && dtype_size((DType)h->dtype) > 1)
            r->error = arena_printf(r->arena,
                                    "big-endian elements ('%s'); in NumPy, "
                                    "x.astype(x.dtype.newbyteorder('<')) swaps them",
                                    text);
        return;
    }
    if (strcmp(name, "V1") == 0)
        h->raw_bytes = 1;
    else
        r->error = arena_printf(r->arena, "elements of type '%s', which kernels do not have%s",
                                text, way_out(name));
}

static void read_fortran(Reader *r, NpyHeader *h)
{
    h->fortran = accept(r, "True");
    if (!h->fortran && !accept(r, "False"))
        r->error = "fortran_order is neither True nor False";
}

/* dictionary := '{' {key ':' value ','} '}', each of the three keys once */
static void read_dictionary(Reader *r, NpyHeader *h)
{
    static const struct {
        const char *key;
        void (*read)(Reader *r, NpyHeader *h);
    } keys[] = {{"descr", read_type}, {"fortran_order", read_fortran}, {"shape", read_shape}};
    int seen = 0;

    if (!accept(r, "{"))
        r->error = "the header is not a dictionary";
    while (!r->error && !accept(r, "}")) {
        const char *key = read_string(r);
        int i = 0;

        while (i < COUNT(keys) && strcmp(key, keys[i].key) != 0)
            i++;
        if (r->error)
            return;
        if (i == COUNT(keys) || (seen & (1 << i)) || !accept(r, ":")) {
            r->error = "the header's keys are not descr, fortran_order and shape, each once";
            return;
        }
        seen |= 1 << i;
        keys[i].read(r, h);
        accept(r, ",");
    }
    if (!r->error && seen != (1 << COUNT(keys)) - 1)
        r->error = "the header lacks descr, fortran_order or shape";
    skip_space(r);
    if (!r->error && r->at < r->end)
        r->error = "the header goes on behind its dictionary";
}

const char *npy_parse(Arena *a, const char *bytes, size_t len, NpyHeader *out)
{
    const unsigned char *b = (const unsigned char *)bytes;
    size_t prefix, header;
    Reader r;

    memset(out, 0, sizeof *out);
    if (len < 10 || memcmp(bytes, magic, 6) != 0)
        return "not a .npy file";
    if (b[6] < 1 || b[6] > 3)
        return arena_printf(a, "version %d of the format is not known", b[6]);
    prefix = b[6] == 1 ? 10 : 12;
    if (len < prefix)
        return "the file ends in its header";
    header = b[6] == 1 ? b[8] | (size_t)b[9] << 8
                       : b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (header > len - prefix)
        return header > LONGEST_HEADER ? "the header claims more than 64 KB"
                                       : "the file ends in its header";
    r = (Reader){a, bytes + prefix, bytes + prefix + header, NULL};
    read_dictionary(&r, out);
    out->data_at = prefix + header;
    return r.error;
}

/* The element type to use: what the file says, unless its bits are to be read anew. */
static tilec_dtype choose_type(Io *io, const NpyHeader *h)
{
    int size = h->raw_bytes ? h->raw_bytes : dtype_size((DType)h->dtype);
    const tilec_dtype *as = io->options.as;

    if (!as && h->raw_bytes)
        io_refuse(io, "holds raw one-byte elements; say how to read them, as in x.npy:fp8e5");
    if (!as)
        return h->dtype;
    if (dtype_size((DType)*as) != size)
        io_refuse(io, "its elements take %d bytes, but %s takes %d", size, dtype_name((DType)*as),
                  dtype_size((DType)*as));
    return *as;
}

/* Column-major: the first index runs fastest.  The extents of an empty array may have a product
 * beyond 64 bits, and its strides do not matter. */
static void make_fortran(IoArray *a)
{
    int64_t step = 1;

    if (io_numel(a->ndim, a->shape) == 0)
        return;
    for (int i = 0; i < a->ndim; i++) {
        a->strides[i] = step;
        step *= a->shape[i];
    }
}

/* A bool is one byte of 0 or 1; a file may hold anything. */
static void normalise_bools(IoArray *a, size_t n)
{
    unsigned char *bytes = a->data;

    for (size_t k = 0; k < n; k++)
        bytes[k] = bytes[k] != 0;
}

/* From the beginning to the end, without going back: it may be a pipe.  A file is known to be too
 * short before memory is taken for what it claims to hold. */
void npy_read(Io *io)
{
    static const char shorter[] = "the file is shorter than its header says";
    const char *error;
    size_t bytes;
    int64_t n;
    NpyHeader h;
    tilec_dtype t;

    io_peek(io, LONGEST_HEADER);
    error = npy_parse(io->arena, (const char *)io->in.at, (size_t)(io->in.end - io->in.at), &h);
    if (error)
        io_refuse(io, "%s", error);
    t = choose_type(io, &h);
    n = io_numel(h.ndim, h.shape);
    if (n < 0 || __builtin_mul_overflow((size_t)n, (size_t)dtype_size((DType)t), &bytes) ||
        bytes > io->in.left - MIN(h.data_at, io->in.left))
        io_refuse(io, shorter);
    io_array_new(io, t, h.ndim, h.shape);
    io->in.at += h.data_at;
    if (io_get(io, io->array.data, bytes) != bytes)
        io_refuse(io, shorter);
    if (h.fortran)
        make_fortran(&io->array);
    if (t == TILEC_I1)
        normalise_bools(&io->array, bytes);
}

static const char *element_text(tilec_dtype t)
{
    if (dtype_is_fp8((DType)t))
        return "V1";
    for (int i = 0; i < COUNT(known_types); i++) {
        if (known_types[i].dtype == t)
            return known_types[i].text;
    }
    bug("no file type for dtype %d", (int)t);
}

/* Version 1.0, padded so that the elements begin at a multiple of 64. */
static Text make_header(Arena *arena, const tilec_tensor *a)
{
    Text t = text_new(arena);

    text_putn(&t, magic, 6);
    text_putn(&t, "\1\0\0\0", 4);
    text_printf(&t, "{'descr': '%s%s', 'fortran_order': False, 'shape': (",
                dtype_size((DType)a->dtype) == 1 ? "|" : "<", element_text(a->dtype));
    for (int i = 0; i < a->ndim; i++)
        text_printf(&t, i + 1 < a->ndim || i == 0 ? "%lld, " : "%lld", (long long)a->shape[i]);
    text_put(&t, "), }");
    while ((t.len + 1) % 64 != 0)
        text_put(&t, " ");
    text_put(&t, "\n");
    t.s[8] = (char)((t.len - 10) & 0xff);
    t.s[9] = (char)((t.len - 10) >> 8);
    return t;
}

void npy_write(Io *io, const tilec_tensor *t)
{
    Text head = make_header(io->arena, t);
    const void *elements = io_dense(io, t);
    size_t bytes = (size_t)io_numel(t->ndim, t->shape) * (size_t)dtype_size((DType)t->dtype);
    char *room = io_put_room(io, head.len + bytes);

    memcpy(room, head.s, head.len);
    memcpy(room + head.len, elements, bytes);
}
