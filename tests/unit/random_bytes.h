/*
 * random_bytes.h - random kernels of integers, as of images, in the Triton language, for
 * random_source.h
 *
 * Elements of 8 to 32 bits with any bits are widened, or not, computed with, where much of it
 * wraps, saturated, averaged, looked for in windows, summed up, and stored as something narrow or
 * wide.
 */
#ifndef TILEC_TEST_RANDOM_BYTES_H
#define TILEC_TEST_RANDOM_BYTES_H

#include "random_writer.h"

enum { BYTE_VALUES = 60, BYTE_INPUTS = 3 };

typedef struct {
    Writer *w;
    struct {
        int name;
        tilec_dtype t;
    } values[BYTE_VALUES];
    int n, names;
    tilec_dtype in[BYTE_INPUTS];
    bool is_flat; /* one dimension: `i` below `n`, else rows `r` and columns `c` */
} Bytes;

static inline tilec_dtype byte_type(Bytes *g)
{
    static const tilec_dtype types[] = {TILEC_U8,  TILEC_U8,  TILEC_I8,  TILEC_I16, TILEC_U16,
                                        TILEC_I32, TILEC_I32, TILEC_I32, TILEC_U32, TILEC_I64};
    return PICK(g->w, types);
}

static inline int byte_value(Bytes *g, tilec_dtype t)
{
    int name = g->names++;

    if (g->n < BYTE_VALUES) {
        g->values[g->n].name = name;
        g->values[g->n++].t = t;
    }
    return name;
}

static inline int byte_load(Bytes *g, const char *shift)
{
    static const char *const names[] = {"a", "b", "e"};
    int which = pick(g->w, BYTE_INPUTS), way = pick(g->w, 4), name = g->names++;
    tilec_dtype t = g->in[which];
    const char *a = names[which];

    if (g->is_flat && way == 0)
        line(g->w, "v%d = tl.load(%s + i, mask=i < n)", name, a);
    else if (g->is_flat && way == 1)
        line(g->w, "v%d = tl.load(%s + tl.minimum(tl.maximum(i + %s, 0), n - 1))", name, a, shift);
    else if (g->is_flat)
        line(g->w, "v%d = tl.load(%s + i + %s, mask=(i + %s >= 0) & (i + %s < n)%s)", name, a,
             shift, shift, shift, way == 2 ? "" : ", other=255");
    else if (way == 0)
        line(g->w, "v%d = tl.load(%s + r * s + c, mask=inside)", name, a);
    else if (way == 1)
        line(g->w,
             "v%d = tl.load(%s + tl.minimum(r, H - 1) * s + tl.minimum(tl.maximum(c + %s, 0), W - "
             "1))",
             name, a, shift);
    else
        line(g->w,
             "v%d = tl.load(%s + r * s + (c + %s), mask=(r < H) & (c + %s >= 0) & (c + %s < W)%s)",
             name, a, shift, shift, shift, way == 2 ? "" : ", other=7");
    if (g->n < BYTE_VALUES) {
        g->values[g->n].name = name;
        g->values[g->n++].t = t;
    }
    return g->n - 1;
}

/* Some value as one of this type; its name. */
static inline int byte_of(Bytes *g, tilec_dtype t)
{
    int at = g->n > 0 && !one_of(g->w, 4) ? g->n - 1 - pick(g->w, 1 + pick(g->w, g->n))
                                          : byte_load(g, one_of(g->w, 2) ? "1" : "-2");
    int name = g->values[at].name;

    if (g->values[at].t == t)
        return name;
    int r = g->names++;
    line(g->w, "v%d = v%d.to(%s)", r, name, type_word(t));
    return r;
}

static inline void byte_step(Bytes *g)
{
    static const char *const binary[] = {"+", "-", "*", "&", "|", "^"},
                             *const compare[] = {"<", "<=", ">", ">=", "==", "!="},
                             *const least[] = {"minimum", "maximum"};
    static const int constants[] = {0, 1, 2, 3, 5, 7, 16, 100, 127};
    Writer *w = g->w;
    tilec_dtype t = byte_type(g);
    int k = PICK(w, constants);

    switch (pick(w, 14)) {
    case 0:
    case 1: {
        int x = byte_of(g, t), y = byte_of(g, t);
        line(w, "v%d = v%d %s v%d", byte_value(g, t), x, PICK(w, binary), y);
        break;
    }
    case 2: {
        int x = byte_of(g, t);
        line(w, "v%d = v%d %s %d", byte_value(g, t), x, PICK(w, binary), k);
        break;
    }
    case 3: {
        int x = byte_of(g, t), y = byte_of(g, t);
        line(w, "v%d = tl.%s(v%d, v%d)", byte_value(g, t), PICK(w, least), x, y);
        break;
    }
    case 4: {
        int x = byte_of(g, t), y = byte_of(g, t), c = g->names++;
        line(w, "v%d = v%d %s v%d", c, x, PICK(w, compare), y);
        int p = byte_of(g, t), q = byte_of(g, t);
        if (one_of(w, 2))
            line(w, "v%d = tl.where(v%d, v%d, v%d)", byte_value(g, t), c, x, y);
        else
            line(w, "v%d = tl.where(v%d, v%d, v%d)", byte_value(g, t), c, p, q);
        break;
    }
    case 5: { /* the mean of two */
        int x = byte_of(g, TILEC_U8), y = byte_of(g, TILEC_U8);
        const char *as = type_word(one_of(w, 2) ? TILEC_I32 : TILEC_U16);
        line(w, "v%d = ((v%d.to(%s) + v%d.to(%s) + %d) >> 1).to(tl.uint8)", byte_value(g, TILEC_U8),
             x, as, y, as, pick(w, 3));
        break;
    }
    case 6: { /* how far they are apart */
        tilec_dtype narrow = one_of(w, 2) ? TILEC_U8 : TILEC_I8;
        int x = byte_of(g, narrow), y = byte_of(g, narrow);
        const char *as = type_word(one_of(w, 2) ? TILEC_I32 : TILEC_I16);
        line(w, "v%d = tl.abs(v%d.to(%s) - v%d.to(%s)).to(tl.uint8)", byte_value(g, TILEC_U8), x,
             as, y, as);
        break;
    }
    case 7: { /* within what a byte holds */
        int x = byte_of(g, TILEC_I32);
        bool sign = one_of(w, 3);
        line(w, "v%d = tl.minimum(tl.maximum(v%d, %d), %d).to(tl.%s)",
             byte_value(g, sign ? TILEC_I8 : TILEC_U8), x, sign ? -128 : 0, sign ? 127 : 255,
             sign ? "int8" : "uint8");
        break;
    }
    case 8: {
        int x = byte_of(g, t);
        line(w, "v%d = v%d %s %d", byte_value(g, t), x, one_of(w, 2) ? ">>" : "<<", pick(w, 8));
        break;
    }
    case 9: {
        int x = byte_of(g, t);
        line(w, "v%d = v%d %s %d", byte_value(g, t), x, one_of(w, 2) ? "//" : "%", MAX(1, k));
        break;
    }
    case 10: { /* a threshold */
        int x = byte_of(g, t);
        line(w, "v%d = tl.where(v%d %s %d, %d, %d).to(%s)", byte_value(g, t), x, PICK(w, compare),
             k, pick(w, 128), pick(w, 128), type_word(t));
        break;
    }
    case 11: { /* scaled by a fraction */
        int x = byte_of(g, TILEC_U8);
        line(w, "v%d = ((v%d.to(tl.int32) * %d + %d) >> %d).to(tl.uint8)", byte_value(g, TILEC_U8),
             x, pick(w, 300), pick(w, 200), pick(w, 10));
        break;
    }
    default: { /* a window */
        tilec_dtype in = byte_type(g), as = one_of(w, 2) ? in : byte_type(g);
        int sum = g->names++, count = 2 + pick(w, 5), kept = g->n;
        bool is_sum = one_of(w, 3), is_max = one_of(w, 2);
        line(w, "v%d = (v%d - v%d).to(%s)", sum, g->values[0].name, g->values[0].name,
             type_word(as));
        line(w, one_of(w, 2) ? "for d in range(%d):" : "for d in tl.static_range(%d):", count);
        w->depth++;
        int at = byte_load(g, one_of(w, 2) ? "d" : "(d - 2)");
        if (is_sum)
            line(w, "v%d += v%d.to(%s)", sum, g->values[at].name, type_word(as));
        else
            line(w, "v%d = tl.%s(v%d, v%d.to(%s))", sum, is_max ? "maximum" : "minimum", sum,
                 g->values[at].name, type_word(as));
        w->depth--;
        g->n = kept;
        if (g->n < BYTE_VALUES) {
            g->values[g->n].name = sum;
            g->values[g->n++].t = as;
        }
    }
    }
}

static inline void write_bytes(Writer *w)
{
    static const int blocks[] = {16, 32, 64, 64, 128, 256, 512, 1024, 100}, rows[] = {1, 2, 4, 8},
                     columns[] = {8, 16, 32, 64, 128};
    static const char *const names[] = {"a", "b", "e"};
    Bytes g = {.w = w, .is_flat = one_of(w, 2)};
    int block = g.is_flat ? PICK(w, blocks) : PICK(w, columns),
        high = g.is_flat ? 1 : PICK(w, rows);
    int64_t h = g.is_flat ? 1 : 1 + pick(w, 12);
    int64_t width = one_of(w, 3) ? block * (1 + pick(w, 3)) : 1 + pick(w, 3 * block);
    int64_t s = width + (one_of(w, 2) ? 0 : pick(w, 20));
    static const tilec_dtype in[] = {TILEC_U8,  TILEC_U8,  TILEC_U8, TILEC_I8,
                                     TILEC_I16, TILEC_U16, TILEC_I32};
    static const tilec_dtype outs[] = {TILEC_U8,  TILEC_U8,  TILEC_I8,  TILEC_I16,
                                       TILEC_I32, TILEC_U32, TILEC_I64, TILEC_FP32};
    tilec_dtype same = PICK(w, in), out[2] = {PICK(w, outs), PICK(w, outs)};
    bool alike = one_of(w, 2);

    for (int i = 0; i < BYTE_INPUTS; i++) {
        g.in[i] = alike ? same : PICK(w, in);
        array(w, names[i], g.in[i], h * s, one_of(w, 3));
        w->s->arrays[i].is_full = true;
    }
    array(w, "y", out[0], h * width, one_of(w, 3));
    array(w, "z", out[1], h * width, one_of(w, 3));
    array(w, "t", TILEC_I64, 64 * 64 * 2, false);
    integer(w, "n", width);
    integer(w, "H", h);
    integer(w, "W", width);
    integer(w, "s", s);
    head(w);
    w->s->grid[0] = (int32_t)((width + block - 1) / block);
    w->s->grid[1] = (int32_t)((h + high - 1) / high);
    if (g.is_flat) {
        line(w, "i = tl.program_id(0) * %d + tl.arange(0, %d)", block, block);
        line(w, "inside = i < n");
        line(w, "at = i");
    } else {
        line(w, "r = (tl.program_id(1) * %d + tl.arange(0, %d))[:, None]", high, high);
        line(w, "c = (tl.program_id(0) * %d + tl.arange(0, %d))[None, :]", block, block);
        line(w, "inside = (r < H) & (c < W)");
        line(w, "at = r * W + c");
    }
    byte_load(&g, "0");
    for (int i = 2 + pick(w, 7); i > 0; i--)
        byte_step(&g);
    for (int i = 0; i < 2; i++) {
        int v = g.n - 1 - pick(w, MIN(g.n, 3));
        const char *end = out[i] == TILEC_FP32 ? " & 4095" : "";
        line(w, "tl.store(%s + at, (v%d%s).to(%s), mask=inside)", i ? "z" : "y", g.values[v].name,
             g.values[v].t == TILEC_I8 || g.values[v].t == TILEC_U8 ? "" : end, type_word(out[i]));
    }
    if (one_of(w, 3)) {
        static const char *const ways[] = {"sum", "max", "min", "xor_sum"};
        int v = g.values[g.n - 1].name;
        const char *way = PICK(w, ways);
        line(w, "q = tl.where(inside, v%d, 0).to(%s)", v, type_word(byte_type(&g)));
        line(w,
             g.is_flat
                 ? "tl.store(t + tl.program_id(0), tl.%s(q, 0))"
                 : "tl.store(t + tl.program_id(0) + tl.program_id(1) * 64, tl.%s(tl.%s(q, 0), 0))",
             way, way);
    }
}

#endif
