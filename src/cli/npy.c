/*
 * npy.c - read and write NumPy's .npy files, versions 1.0, 2.0 and 3.0
 *
 * Takes files from anywhere: every length is checked before it is used, and nothing is allocated
 * that the file is too short to fill.  The layout is a magic string, two version bytes, the
 * header's length (2 bytes, from version 2 on 4), the header - a Python dictionary in text - and
 * the elements.
 *
 * NumPy has no names for bf16 and the fp8 types; such arrays are saved as opaque elements
 * ('<V2', '|V1').  Two bytes are taken for bf16; one byte needs `@x.npy:fp8e5`.
 */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
        if (h->ndim == CLI_MAX_DIMS) {
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
        if (*text == '>' && tilec_dtype_size(h->dtype) > 1)
            r->error = arena_printf(r->arena,
                                    "big-endian elements ('%s'); in NumPy, "
                                    "x.astype(x.dtype.newbyteorder('<')) swaps them",
                                    text);
        return;
    }
    if (strcmp(name, "V1") == 0)
        h->raw_bytes = 1;
    else
        r->error = arena_printf(r->arena, "elements of type '%s', which kernels do not have", text);
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

/* The elements' bytes; false when the product overflows. */
static bool payload_bytes(const NpyHeader *h, size_t size, size_t *out)
{
    *out = size;
    for (int i = 0; i < h->ndim; i++) {
        if (h->shape[i] == 0)
            *out = 0;
    }
    for (int i = 0; i < h->ndim && *out; i++) {
        if (__builtin_mul_overflow(*out, (size_t)h->shape[i], out))
            return false;
    }
    return true;
}

/* The element type to use: what the file says, unless the command line reads its bits anew. */
static tilec_dtype choose_type(Cli *c, const char *path, const NpyHeader *h, const tilec_dtype *as)
{
    size_t size = h->raw_bytes ? (size_t)h->raw_bytes : tilec_dtype_size(h->dtype);

    if (!as && h->raw_bytes)
        stop(c, CLI_FILES, "%s: holds raw one-byte elements; say how to read them, as in @%s:fp8e5",
             path, path);
    if (!as)
        return h->dtype;
    if (tilec_dtype_size(*as) != size)
        stop(c, CLI_FILES, "%s: its elements take %zu bytes, but %s takes %zu", path, size,
             tilec_dtype_name(*as), tilec_dtype_size(*as));
    return *as;
}

/* Column-major: the first index runs fastest.  The extents of an empty array may have a product
 * beyond 64 bits, and its strides do not matter. */
static void make_fortran(Array *a)
{
    int64_t step = 1;

    if (array_numel(a) == 0)
        return;
    for (int i = 0; i < a->ndim; i++) {
        a->strides[i] = step;
        step *= a->shape[i];
    }
}

/* Stop when the last read failed, as it does for a folder. */
static void check_read(Cli *c, const char *path, FILE *f)
{
    if (ferror(f))
        stop(c, CLI_FILES, "%s: %s", path, strerror(errno));
}

/* A file is known to be too short before memory is taken for what it claims to hold. */
static bool too_short(FILE *f, size_t at, size_t bytes)
{
    struct stat st;

    if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    return (size_t)st.st_size < at || bytes > (size_t)st.st_size - at;
}

/* From the beginning to the end, without going back: it may be a pipe. */
static Array load_from(Cli *c, const char *path, FILE *f, const tilec_dtype *as)
{
    static const char shorter[] = "%s: the file is shorter than its header says";
    char *head = arena_alloc(c->arena, LONGEST_HEADER);
    size_t got = fread(head, 1, LONGEST_HEADER, f), bytes, ready;
    const char *error;
    NpyHeader h;
    tilec_dtype t;
    Array a;

    check_read(c, path, f);
    error = npy_parse(c->arena, head, got, &h);
    if (error)
        stop(c, CLI_FILES, "%s: %s", path, error);
    t = choose_type(c, path, &h, as);
    if (!payload_bytes(&h, tilec_dtype_size(t), &bytes) || too_short(f, h.data_at, bytes))
        stop(c, CLI_FILES, shorter, path);
    a = array_new(c, t, h.ndim, h.shape);
    ready = MIN(bytes, got - h.data_at);
    memcpy(a.data, head + h.data_at, ready);
    ready += fread((char *)a.data + ready, 1, bytes - ready, f);
    check_read(c, path, f);
    if (ready != bytes)
        stop(c, CLI_FILES, shorter, path);
    if (h.fortran)
        make_fortran(&a);
    return a;
}

/* A bool is one byte of 0 or 1; a file may hold anything. */
static void normalise_bools(Array *a)
{
    int64_t n = array_numel(a);

    for (int64_t k = 0; k < n; k++)
        ((unsigned char *)a->data)[k] = ((unsigned char *)a->data)[k] != 0;
}

Array npy_load(Cli *c, const char *path, const tilec_dtype *as)
{
    FILE *f = fopen(path, "rb");
    Array a;

    if (!f)
        stop(c, CLI_FILES, "%s: %s", path, strerror(errno));
    a = load_from(c, path, f, as); /* when this stops, the process ends with the file open */
    fclose(f);
    if (a.dtype == TILEC_I1)
        normalise_bools(&a);
    return a;
}

static const char *element_text(tilec_dtype t)
{
    if (tilec_dtype_size(t) == 1 && t >= TILEC_FP8E4NV && t <= TILEC_FP8E4B15)
        return "V1";
    for (int i = 0; i < COUNT(known_types); i++) {
        if (known_types[i].dtype == t)
            return known_types[i].text;
    }
    bug("no file type for dtype %d", (int)t);
}

/* Version 1.0, padded so that the elements begin at a multiple of 64. */
static Text make_header(Arena *arena, const Array *a)
{
    Text t = text_new(arena);
    size_t size = tilec_dtype_size(a->dtype);

    text_putn(&t, magic, 6);
    text_putn(&t, "\1\0\0\0", 4);
    text_printf(&t, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", size == 1 ? "|" : "<",
                element_text(a->dtype));
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

int npy_save(Cli *c, const char *path, const Array *a)
{
    Text head = make_header(c->arena, a);
    size_t bytes = head.len + array_bytes(a);
    char *whole = os_alloc_pages(bytes); /* given back at once, and no other result is lost */
    int error;

    if (!whole)
        return ENOMEM;
    memcpy(whole, head.s, head.len);
    array_copy_dense(a, whole + head.len);
    error = os_write_file(path, whole, bytes);
    os_free_pages(whole, bytes);
    return error;
}
