/*
 * random_statements.h - random kernels of statements on tiles, in the Triton language, for
 * random_source.h
 *
 * Where random_source.h has kernels of three usual forms, these are lists of statements: loads and
 * stores (random_tiles.h), arithmetic and casts between all types, reductions, scans, sorts,
 * changes of shape, products of any pair of types, windows, atomics, and in loops of any bounds and
 * directions and in conditions all of that again.
 */
#ifndef TILEC_TEST_RANDOM_STATEMENTS_H
#define TILEC_TEST_RANDOM_STATEMENTS_H

#include "random_tiles.h"

/* --- statements --- */

static inline void arithmetic(Tiles *g)
{
    static const char *const floats[] = {"+", "-", "*", "tl.maximum", "tl.minimum"},
                             *const ints[] = {"+", "-", "*",          "&",
                                              "|", "^", "tl.maximum", "tl.minimum"},
                             *const bits[] = {"&", "|", "^"};
    Tile shape = some_shape(g);
    tilec_dtype t = some_dtype(g);
    bool is_float = is_float_type(t);
    const char *op = is_float        ? PICK(g->w, floats)
                     : t == TILEC_I1 ? PICK(g->w, bits)
                                     : PICK(g->w, ints);
    int64_t cap = most_of(t), b = INT64_MAX;
    char y[40];

    if (is_float)
        b = op[0] == '*' ? (int64_t)sqrt((double)cap) : op[0] == 't' ? cap : cap / 2;
    Tile x = limited(g, some_of(g, &shape, t), b);
    spread_text(g, &shape, t, is_float ? MIN(b, 100) : b, y, sizeof y);
    int64_t most = !is_float      ? cap
                   : op[0] == '*' ? MIN(b, 100) * MIN(x.most, b)
                   : op[0] == 't' ? MAX(x.most, 100)
                                  : x.most + MIN(b, 100);
    Tile r = tile_named(g, t, &shape, MIN(most, cap));
    if (op[0] == 't')
        line(g->w, "%s = %s(%s, %s)%s", r.name, op, x.name, y, again_as(t));
    else
        line(g->w, "%s = %s %s %s", r.name, x.name, op, y);
    keep_tile(g, r);
}

static inline void unary(Tiles *g)
{
    Tile shape = some_shape(g);
    tilec_dtype t = some_dtype(g);
    Tile x = some_of(g, &shape, t), r = tile_named(g, t, &shape, x.most);
    static const int divisors[] = {1, 2, 3, 7, 10, 16, 100, 127};
    int by = PICK(g->w, divisors);

    if (t == TILEC_I1) {
        line(g->w, "%s = ~%s", r.name, x.name);
    } else if (is_float_type(t)) {
        static const char *const ways[] = {"%s = -%s", "%s = tl.abs(%s)", "%s = tl.floor(%s)",
                                           "%s = %s"};
        int way = pick(g->w, 4);
        if (way == 2 && t != TILEC_FP32)
            way = 0;
        line(g->w, ways[way], r.name, x.name);
    } else {
        r.most = most_of(t);
        switch (pick(g->w, 7)) {
        case 5:
            line(g->w, is_unsigned_type(t) ? "%s = %s %s (%s | 1)" : "%s = %s %s (tl.abs(%s) | 1)",
                 r.name, x.name, one_of(g->w, 2) ? "//" : "%", some_of(g, &shape, t).name);
            break;
        case 0:
            line(g->w, "%s = %s // %d", r.name, x.name, by);
            break;
        case 1:
            line(g->w, "%s = %s %% %d", r.name, x.name, by);
            if (!is_unsigned_type(t) || by < 100)
                r.most = by;
            break;
        case 2:
            line(g->w, "%s = %s << %d", r.name, x.name, pick(g->w, 7));
            break;
        case 3:
            line(g->w, "%s = %s >> %d", r.name, x.name, pick(g->w, 7));
            break;
        case 4:
            if (t == TILEC_I32)
                line(g->w, "%s = %s %s l%d", r.name, x.name, one_of(g->w, 2) ? "//" : "%",
                     pick(g->w, 4));
            else
                line(g->w, "%s = ~%s", r.name, x.name);
            break;
        default:
            line(g->w, "%s = %s // ((%s & 7) + 1)", r.name, x.name, some_of(g, &shape, t).name);
        }
    }
    keep_tile(g, r);
}

static inline void choose(Tiles *g)
{
    static const char *const how[] = {"<", "<=", "==", "!=", ">", ">="};
    Tile shape = some_shape(g);
    tilec_dtype t = some_dtype(g), of = some_dtype(g);
    Tile x = some_of(g, &shape, of), a = some_of(g, &shape, t);
    char y[40], b[40];

    if (of == TILEC_I1)
        return;
    spread_text(g, &shape, of, INT64_MAX, y, sizeof y);
    Tile c = tile_named(g, TILEC_I1, &shape, 1);
    line(g->w, "%s = %s %s %s", c.name, x.name, PICK(g->w, how), y);
    keep_tile(g, c);
    if (t == TILEC_I1)
        return;
    spread_text(g, &shape, t, MAX(a.most, 1), b, sizeof b);
    Tile r = tile_named(g, t, &shape, a.most);
    line(g->w, "%s = tl.where(%s, %s, %s)", r.name, c.name, a.name, b);
    keep_tile(g, r);
    if (!one_of(g->w, 3)) /* the larger one, or the smaller */
        return;
    Tile z = some_of(g, &shape, of), largest = tile_named(g, of, &shape, MAX(x.most, z.most));
    bool other = one_of(g->w, 2);
    line(g->w, "%s = tl.where(%s %s %s, %s, %s)", largest.name, x.name, PICK(g->w, how), z.name,
         other ? z.name : x.name, other ? x.name : z.name);
    keep_tile(g, largest);
}

static inline void cast(Tiles *g)
{
    Tile shape = some_shape(g);
    Tile v = some_value(g, &shape);

    keep_tile(g, converted(g, v, some_dtype(g)));
}

static inline bool is_power(int n)
{
    return (n & (n - 1)) == 0;
}

static inline Tile some_tile(Tiles *g)
{
    Tile shape = some_shape(g);

    return some_value(g, &shape);
}

static inline void reduce(Tiles *g)
{
    static const char *const ways[] = {"sum", "sum", "max", "min", "argmax", "argmin", "xor_sum"};
    Tile v = some_tile(g);
    const char *way = PICK(g->w, ways);
    bool sums = way[0] == 's', finds = way[0] == 'a', is_float = is_float_type(v.t);

    if (v.rank == 0)
        return;
    if (v.t == TILEC_I1 || (way[0] == 'x' && is_float))
        v = converted(g, v, TILEC_I32);
    int axis = v.rank == 2 ? pick(g->w, 2) : 0, n = v.d[axis];
    is_float = is_float_type(v.t);
    if (sums && is_float) {
        if (v.t == TILEC_BF16 || v.t == TILEC_FP16)
            v = converted(g, v, TILEC_FP32);
        v = limited(g, v, MAX(1, most_of(v.t) / 4 / n));
    }
    Tile shape = v.rank == 2 ? shape_of(1, v.d[1 - axis], 0) : shape_of(0, 0, 0);
    tilec_dtype t = finds ? TILEC_I32 : v.t;
    bool whole = v.rank == 2 && !finds && !sums && one_of(g->w, 4);
    if (whole)
        shape = shape_of(0, 0, 0);
    Tile r = tile_named(g, t, &shape, finds ? n : sums && is_float ? v.most * n : v.most);
    if (!is_float && !finds)
        r.most = most_of(t);
    if (one_of(g->w, 4) && (way[1] == 'a' || way[1] == 'i') && !finds && !whole) {
        Tile at = tile_named(g, TILEC_I32, &shape, n);
        line(g->w, "%s, %s = tl.%s(%s, %d, return_indices=True)", r.name, at.name, way, v.name,
             axis);
        keep_tile(g, at);
        Tile back = tile_named(g, t, &shape, r.most);
        line(g->w, "%s = %s.to(%s)", back.name, r.name, type_word(t));
        r = back;
    } else if (whole)
        line(g->w, "%s = tl.%s(tl.%s(%s, 0), 0).to(%s)", r.name, way, way, v.name, type_word(t));
    else
        line(g->w, "%s = tl.%s(%s, %d).to(%s)", r.name, way, v.name, axis, type_word(t));
    keep_tile(g, r);
}

static inline void count(Tiles *g)
{
    static const int bins[] = {1, 2, 8, 16, 32, 128};
    Tile v = some_tile(g), shape = shape_of(1, PICK(g->w, bins), 0);

    if (v.rank != 1)
        return;
    v = converted(g, v, TILEC_I32);
    Tile r = tile_named(g, TILEC_I32, &shape, v.d[0]);
    line(g->w, "%s = tl.histogram(%s & %d, %d)", r.name, v.name, shape.d[0] - 1, shape.d[0]);
    keep_tile(g, r);
}

static inline void scan(Tiles *g)
{
    Tile v = some_tile(g);

    if (one_of(g->w, 4)) {
        count(g);
        return;
    }
    if (v.rank == 0)
        return;
    if (v.t != TILEC_I64 && v.t != TILEC_FP64 && v.t != TILEC_I32)
        v = converted(g, v, TILEC_FP32);
    int axis = v.rank == 2 ? pick(g->w, 2) : 0, n = v.d[axis];
    if (is_float_type(v.t))
        v = limited(g, v, MAX(1, most_of(v.t) / 4 / n));
    Tile r = tile_named(g, v.t, &v, is_float_type(v.t) ? v.most * n : most_of(v.t));
    if (one_of(g->w, 3)) {
        line(g->w, "%s = tl.associative_scan(%s, %d, larger%s)", r.name, v.name, axis,
             one_of(g->w, 3) ? ", reverse=True" : "");
        r.most = v.most;
    } else {
        line(g->w, "%s = tl.cumsum(%s, %d%s)", r.name, v.name, axis,
             one_of(g->w, 3) ? ", reverse=True" : "");
    }
    keep_tile(g, r);
}

/* Other places for the same elements. */
static inline void reorder(Tiles *g)
{
    Tile v = some_tile(g), r = tile_named(g, v.t, &v, v.most);
    int last = v.rank > 0 ? v.d[v.rank - 1] : 0, n = elements_of(&v);

    if (v.rank == 0)
        return;
    switch (pick(g->w, 8)) {
    case 0:
        if (!is_power(last) || v.t == TILEC_I1)
            return;
        line(g->w, "%s = tl.sort(%s%s)", r.name, v.name,
             one_of(g->w, 2) ? ", descending=True" : "");
        break;
    case 1:
        if (!is_power(last))
            return;
        line(g->w, "%s = tl.flip(%s, %d)", r.name, v.name, v.rank - 1);
        break;
    case 2:
        if (v.rank != 2)
            return;
        r.d[0] = v.d[1];
        r.d[1] = v.d[0];
        line(g->w, one_of(g->w, 2) ? "%s = %s.T" : "%s = tl.trans(%s)", r.name, v.name);
        break;
    case 3:
        if (v.rank == 2) {
            r.rank = 1;
            r.d[0] = n;
            line(g->w, "%s = tl.reshape(%s, (%d,))", r.name, v.name, n);
        } else if (n % 4 == 0) {
            r.rank = 2;
            r.d[0] = n / 4;
            r.d[1] = 4;
            line(g->w, "%s = tl.reshape(%s, (%d, 4))", r.name, v.name, n / 4);
        } else {
            return;
        }
        break;
    case 4: {
        Tile u = some_of(g, &v, v.t);
        if (2 * n > TILE_ELEMENTS)
            return;
        r.most = MAX(u.most, v.most);
        r.d[v.rank - 1] = 2 * last;
        line(g->w, "%s = tl.interleave(%s, %s)", r.name, v.name, u.name);
        break;
    }
    case 5: {
        if (last % 2 != 0 || v.rank != 1)
            return;
        Tile other = tile_named(g, v.t, &v, v.most);
        r.d[0] = other.d[0] = last / 2;
        line(g->w, "%s, %s = tl.split(tl.reshape(%s, (%d, 2)))", r.name, other.name, v.name,
             last / 2);
        keep_tile(g, other);
        break;
    }
    case 6: {
        if (v.t == TILEC_I1)
            return;
        Tile at = some_of(g, &v, TILEC_I32);
        int axis = pick(g->w, v.rank);
        int low = 1;
        while (2 * low <= v.d[axis])
            low *= 2;
        line(g->w, "%s = tl.gather(%s, %s & %d, %d)", r.name, v.name, at.name, low - 1, axis);
        break;
    }
    default: {
        if (v.rank != 1)
            return;
        int other = g->dim[pick(g->w, 3)];
        if (n * other > TILE_ELEMENTS)
            return;
        r.rank = 2;
        r.d[0] = other;
        r.d[1] = n;
        line(g->w, "%s = tl.broadcast_to(%s[None, :], (%d, %d))", r.name, v.name, other, n);
    }
    }
    keep_tile(g, r);
}

/* --- products --- */

static inline Tile factor(Tiles *g, int rows, int columns, tilec_dtype t)
{
    bool turned = one_of(g->w, 4);
    Tile shape = turned ? shape_of(2, columns, rows) : shape_of(2, rows, columns);
    Tile v = one_of(g->w, 3) ? some_value(g, &shape) : some_load(g, &shape);

    v = is_fp8(t) ? converted(g, limited(g, converted(g, v, TILEC_FP32), 3), t)
                  : limited(g, converted(g, v, t), 3);
    if (!turned)
        return v;
    Tile r = tile_named(g, t, &v, v.most);
    r.d[0] = rows;
    r.d[1] = columns;
    line(g->w, one_of(g->w, 2) ? "%s = %s.T" : "%s = tl.trans(%s)", r.name, v.name);
    return r;
}

/* Add to `sum` where there is one. */
static inline Tile product(Tiles *g, const Tile *sum)
{
    static const tilec_dtype types[] = {TILEC_FP16, TILEC_FP16,  TILEC_BF16,   TILEC_BF16,
                                        TILEC_FP32, TILEC_FP32,  TILEC_I8,     TILEC_I8,
                                        TILEC_FP64, TILEC_FP8E5, TILEC_FP8E4NV};
    static const char *const precisions[] = {"", "", ", input_precision='ieee'",
                                             ", input_precision='tf32x3'"};
    tilec_dtype t = PICK(g->w, types);
    int m = g->dim[pick(g->w, 3)], n = g->dim[pick(g->w, 3)], k = g->dim[pick(g->w, 3)];

    if (sum != NULL) {
        m = sum->d[0];
        n = sum->d[1];
        t = sum->t == TILEC_I32                ? TILEC_I8
            : sum->t == TILEC_FP64             ? TILEC_FP64
            : t == TILEC_I8 || t == TILEC_FP64 ? TILEC_FP16
                                               : t;
    }
    if (k < 16 || m * k > TILE_ELEMENTS || n * k > TILE_ELEMENTS || m * n > TILE_ELEMENTS)
        k = 16;
    if (m * n > TILE_ELEMENTS || m * k > TILE_ELEMENTS || n * k > TILE_ELEMENTS)
        return (Tile){0};
    tilec_dtype to = t == TILEC_I8 ? TILEC_I32 : t == TILEC_FP64 ? t : TILEC_FP32;
    Tile a = factor(g, m, k, t), b = factor(g, k, n, t), shape = shape_of(2, m, n);
    if (k <= 128 && t == TILEC_FP16 && sum == NULL && one_of(g->w, 4))
        to = TILEC_FP16;
    Tile r = tile_named(g, to, &shape, to == TILEC_I32 ? most_of(to) : 9 * k);
    if (sum != NULL)
        line(g->w, one_of(g->w, 2) ? "%s = tl.dot(%s, %s, %s)" : "%s = tl.dot(%s, %s) + %s", r.name,
             a.name, b.name, sum->name);
    else
        line(g->w, "%s = tl.dot(%s, %s%s%s)", r.name, a.name, b.name,
             t == TILEC_FP32 ? PICK(g->w, precisions) : "",
             to == TILEC_FP16 ? ", out_dtype=tl.float16" : "");
    return r;
}

/* Rows of one with columns of another, by three dimensions at once. */
static inline void pairs(Tiles *g)
{
    static const char *const ways[] = {
        "%s = tl.sum(%s[:, :, None] * %s[None, :, :], 1)",
        "%s = tl.max(%s[:, :, None] + %s[None, :, :], 1)",
        "%s = tl.sum(tl.abs(%s[:, :, None] - %s[None, :, :]), 1)",
        "%s = tl.min(tl.maximum(%s[:, :, None], %s[None, :, :]), 1)",
    };
    static const tilec_dtype types[] = {TILEC_FP32, TILEC_FP32, TILEC_I32, TILEC_FP64};
    int m = g->dim[pick(g->w, 3)], k = g->dim[pick(g->w, 3)], n = g->dim[pick(g->w, 3)];
    tilec_dtype t = PICK(g->w, types);

    if (m * k * n > TILE_ELEMENTS)
        return;
    Tile a = factor(g, m, k, t), b = factor(g, k, n, t), shape = shape_of(2, m, n);
    Tile r = tile_named(g, t, &shape, is_float_type(t) ? 9 * k : most_of(t));
    line(g->w, PICK(g->w, ways), r.name, a.name, b.name);
    keep_tile(g, r);
}

/* --- control --- */

static inline void statements(Tiles *g, int n);

typedef enum { SUMS, LARGEST, REPLACED, CHOSEN, MULTIPLIED } Carry;

static inline Tile carried(Tiles *g, Carry *how, int64_t rounds)
{
    static const tilec_dtype types[] = {TILEC_FP32, TILEC_FP32, TILEC_I32, TILEC_FP64, TILEC_I64,
                                        TILEC_FP16, TILEC_BF16, TILEC_I8,  TILEC_U8};
    Tile shape = some_shape(g);
    tilec_dtype t = PICK(g->w, types);

    *how = (Carry)pick(g->w, 5);
    if (one_of(g->w, 8))
        shape = shape_of(0, 0, 0);
    if (*how == MULTIPLIED &&
        (shape.rank != 2 || (t != TILEC_FP32 && t != TILEC_FP64 && t != TILEC_I32)))
        *how = SUMS;
    if (*how == SUMS && is_float_type(t) && most_of(t) < 2 * rounds)
        t = TILEC_FP32;
    int64_t most = !is_float_type(t)    ? most_of(t)
                   : *how == MULTIPLIED ? 9 * 256 * rounds
                   : *how == SUMS       ? 2 * rounds
                                        : MIN(most_of(t), 100);
    Tile v = tile_named(g, t, &shape, most);
    char text[24];
    tile_text(&shape, text, sizeof text);
    if (*how == SUMS || *how == MULTIPLIED || one_of(g->w, 2))
        line(g->w, "%s = tl.zeros(%s, %s)", v.name, text, type_word(t));
    else if (one_of(g->w, 2))
        line(g->w, "%s = tl.full(%s, %d, %s)", v.name, text, pick(g->w, 50), type_word(t));
    else
        line(g->w, "%s = %s", v.name, limited(g, some_of(g, &shape, t), most).name);
    return keep_tile(g, v);
}

/* What the next round takes. */
static inline void carry_on(Tiles *g, Tile v, Carry how)
{
    if (how == MULTIPLIED) {
        Tile r = product(g, &v);
        if (r.name[0])
            line(g->w, "%s = %s", v.name, r.name);
        return;
    }
    Tile e = some_of(g, &v, v.t);
    if (is_float_type(v.t))
        e = limited(g, e, how == SUMS ? 2 : v.most);
    switch (how) {
    case SUMS:
        if (one_of(g->w, 2))
            line(g->w, "%s += %s", v.name, e.name);
        else
            line(g->w, "%s = %s + %s", v.name, e.name, v.name);
        break;
    case LARGEST:
        line(g->w, "%s = tl.%s(%s, %s)%s", v.name, one_of(g->w, 2) ? "maximum" : "minimum", v.name,
             e.name, again_as(v.t));
        break;
    case CHOSEN:
        line(g->w, "%s = tl.where(%s, %s, %s)", v.name, some_of(g, &v, TILEC_I1).name, v.name,
             e.name);
        break;
    default:
        line(g->w, "%s = %s", v.name, e.name);
    }
}

/* What is in front of a loop, and in it: a pointer that goes on by so many elements. */
typedef struct {
    char name[12];
    const SourceArray *array;
    Index at;
    int step;
} Going;

static inline Going going_pointer(Tiles *g, int64_t rounds)
{
    static const int steps[] = {1, 16, 32, 64, -1, 0, 7, -16};
    Going p = {.step = PICK(g->w, steps), .array = &g->w->s->arrays[pick(g->w, 4)]};
    Tile shape = some_shape(g);

    p.at = some_index(g, &shape);
    int64_t end = p.step * rounds;
    if (is_fp8(p.array->dtype) || p.at.low + MIN(end, 0) < 0 ||
        p.at.high + MAX(end, 0) >= TILE_INPUT)
        return (Going){0};
    snprintf(p.name, sizeof p.name, "p%d", g->names++);
    line(g->w, "%s = %s + %s", p.name, p.array->name, p.at.v.name);
    return p;
}

static inline void go_on(Tiles *g, const Going *p, bool load)
{
    if (!p->name[0])
        return;
    if (load) {
        char mask[160];
        Tile v = tile_named(g, p->array->dtype, &p->at.v,
                            is_unsigned_type(p->array->dtype) ? most_of(p->array->dtype) : 4);
        mask_of(g, &p->at.v, "", mask, sizeof mask);
        line(g->w, "%s = tl.load(%s%s%s)", v.name, p->name, mask[0] ? ", mask=" : "", mask);
        keep_tile(g, v);
    } else {
        line(g->w, "%s += %d", p->name, p->step);
    }
}

/* The head of a loop over whole numbers: their name and least and greatest, how many there are at
 * most, and which one this is. */
typedef struct {
    char name[12], round[80];
    int64_t low, high, rounds;
} Loop;

static inline Loop loop_over(Tiles *g, char *over, size_t size)
{
    static const struct {
        const char *over, *round; /* %s: the variable */
        int64_t low, high, rounds;
    } ways[] = {
        {"3", "%s", 0, 2, 3},
        {"0", "%s", 0, 0, 0},
        {"1", "%s", 0, 0, 1},
        {"n0", "%s", 0, 3, 4},
        {"1, n0 + 1", "(%s - 1)", 1, 4, 4},
        {"0, n1, 16", "(%s // 16)", 0, 64, 5},
        {"0, n1, 32", "(%s // 32)", 0, 64, 3},
        {"n0, 0, -1", "(n0 - %s)", 1, 4, 4},
        {"n0, -1, -1", "(n0 - %s)", 0, 4, 5},
        {"n0 - 1, -1, -1", "%s", 0, 3, 4},
        {"3, -1, -1", "%s", 0, 3, 4},
        {"n1, -1, -16", "((n1 - %s) // 16)", 0, 70, 5},
        {"pid, n0, 2", "((%s - pid) // 2)", 0, 3, 2},
        {"pid, n0, tl.num_programs(0)", "((%s - pid) // tl.num_programs(0))", 0, 3, 4},
        {"none, n0", "%s", 0, 3, 4},
        {"n0, none", "(%s - n0)", 0, 0, 0},
        {"tl.cdiv(n1, 32)", "%s", 0, 2, 3},
        {"tl.load(j + pid)", "%s", 0, 3, 4},
        {"tl.load(j + pid), tl.load(j + pid + 3) + 1", "(%s - tl.load(j + pid))", 0, 3, 4},
        {"pid * 2, pid * 2 + 3", "(%s - pid * 2)", 0, 6, 3},
        {"min(n0, pid + 1)", "%s", 0, 2, 3},
    };
    int i = pick(g->w, COUNT(ways));
    Loop l = {.low = ways[i].low, .high = ways[i].high, .rounds = MAX(1, ways[i].rounds)};

    snprintf(l.name, sizeof l.name, "i%d", g->names++);
    snprintf(over, size, "%s", ways[i].over);
    snprintf(l.round, sizeof l.round, ways[i].round, l.name);
    return l;
}

static inline void loop(Tiles *g, int n)
{
    static char names[8][12]; /* of loop variables around */
    char over[80];
    int nwhole = g->nwhole, depth = g->loops++;
    int64_t rounds = g->rounds;
    bool waits = one_of(g->w, 8);
    Loop l = loop_over(g, over, sizeof over);
    Carry how[3];
    Tile v[3];
    int count = 1 + pick(g->w, 3);
    Going p = {0};

    if (one_of(g->w, 2))
        p = going_pointer(g, l.rounds);
    for (int i = 0; i < count; i++)
        v[i] = carried(g, &how[i], l.rounds);
    Text round = text_new(g->w->s->text.arena);
    const char *around = g->round;
    if (waits) {
        l.low = 0;
        l.high = 3;
        l.rounds = MAX(4, l.rounds);
        snprintf(l.round, sizeof l.round, "%s", l.name);
        line(g->w, "%s = 0", l.name);
        line(g->w, "while %s < n0:", l.name);
        g->w->depth++;
    } else {
        for_loop(g->w, l.name, over);
    }
    text_printf(&round, "(%s * %d + %s)", around, (int)l.rounds, l.round);
    g->round = round.s;
    g->rounds *= l.rounds;
    snprintf(names[depth % 8], sizeof names[0], "%s", l.name);
    add_whole(g, names[depth % 8], l.low, l.high);
    int outside = g->n;
    go_on(g, &p, true);
    statements(g, n);
    for (int i = 0; i < count; i++)
        carry_on(g, v[i], how[i]);
    go_on(g, &p, false);
    if (waits)
        line(g->w, "%s += 1", l.name);
    g->w->depth--;
    g->n = outside;
    g->loops--;
    g->nwhole = nwhole;
    g->rounds = rounds;
    g->round = around;
}

static inline void condition(Tiles *g, int n)
{
    static const char *const simple[] = {"pid > 0",     "n0 > 2",   "pid == n0",
                                         "n1 % 2 == 0", "none > 0", "tl.load(j + pid) > 1"};
    Tile scalar = {0}, shape = some_shape(g);
    char text[60];
    tilec_dtype t = some_dtype(g);
    Tile e = some_of(g, &shape, t);
    Tile v = tile_named(g, t, &shape, e.most);

    line(g->w, "%s = %s", v.name, e.name);
    keep_tile(g, v);
    if (one_of(g->w, 2))
        snprintf(text, sizeof text, "%s", PICK(g->w, simple));
    else
        snprintf(text, sizeof text, "%s > 0", some_of(g, &scalar, TILEC_I32).name);
    line(g->w, "if %s:", text);
    int outside = g->n;
    g->w->depth++;
    statements(g, n);
    line(g->w, "%s = %s", v.name, limited(g, some_of(g, &v, t), v.most).name);
    g->w->depth--;
    g->n = outside;
    if (one_of(g->w, 2))
        return;
    line(g->w, "else:");
    g->w->depth++;
    statements(g, 1);
    line(g->w, "%s = %s", v.name, limited(g, some_of(g, &v, t), v.most).name);
    g->w->depth--;
    g->n = outside;
}

static inline void statement(Tiles *g)
{
    Tile shape;

    switch (pick(g->w, g->loops > 1 ? 26 : 30)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        shape = some_shape(g);
        some_load(g, &shape);
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        arithmetic(g);
        break;
    case 9:
    case 10:
        unary(g);
        break;
    case 11:
    case 12:
        choose(g);
        break;
    case 13:
        cast(g);
        break;
    case 14:
    case 15:
        reduce(g);
        break;
    case 16:
        scan(g);
        break;
    case 17:
    case 18:
        reorder(g);
        break;
    case 19:
    case 20: {
        if (one_of(g->w, 3)) {
            pairs(g);
            break;
        }
        Tile r = product(g, NULL);
        if (r.name[0])
            keep_tile(g, r);
        break;
    }
    case 21:
    case 22:
        window(g);
        break;
    case 23:
        add_up(g);
        break;
    case 24:
    case 25:
        store_value(g, some_tile(g));
        break;
    case 26:
        condition(g, 1 + pick(g->w, 3));
        break;
    default:
        loop(g, 1 + pick(g->w, 4));
    }
}

static inline void statements(Tiles *g, int n)
{
    for (int i = 0; i < n; i++)
        statement(g);
}

static inline void write_tiles(Writer *w)
{
    static const tilec_dtype in[] = {TILEC_FP32,  TILEC_FP32,    TILEC_FP16, TILEC_BF16,
                                     TILEC_I8,    TILEC_I32,     TILEC_U8,   TILEC_I16,
                                     TILEC_FP8E5, TILEC_FP8E4NV, TILEC_FP64, TILEC_I64},
                             floats[] = {TILEC_FP32, TILEC_FP32, TILEC_FP16,
                                         TILEC_BF16, TILEC_FP64, TILEC_FP8E5},
                             ints[] = {TILEC_I32, TILEC_I32, TILEC_I8,
                                       TILEC_I64, TILEC_U8,  TILEC_I16};
    static const int extents[] = {1, 2, 4, 8, 16, 16, 32, 32, 64, 64, 128, 256},
                     odd[] = {3, 5, 7, 24, 33, 48, 100},
                     lengths[] = {1, 2, 3, 5, 8, 13, 16, 31, 32, 64, 96, 100, 128};
    Tiles g = {.w = w, .programs = 1 + pick(w, 3), .round = "0", .rounds = 1};
    RandomSource *s = w->s;
    bool in_place = one_of(w, 3);

    for (int i = 0; i < 3; i++)
        g.dim[i] = one_of(w, 8) ? PICK(w, odd) : PICK(w, extents);
    for (int i = 0; i < 4; i++) {
        char name[] = {'x', (char)('0' + i), 0};
        array(w, name, PICK(w, in), TILE_INPUT, one_of(w, 3));
    }
    array(w, "of", PICK(w, floats), 0, one_of(w, 4));
    array(w, "oi", PICK(w, ints), 0, one_of(w, 4));
    static const tilec_dtype sums[] = {TILEC_FP32, TILEC_FP32, TILEC_FP64};
    static const char *const names[] = {"sf", "si", "sx", "sn", "so", "sr"};
    for (int i = 0; i < COUNT(names); i++) {
        array(w, names[i], i == 0 ? PICK(w, sums) : TILEC_I32, TILE_SUMS, false);
        s->arrays[s->narrays - 1].is_sum = true;
    }
    array(w, "j", TILEC_I32, 8, false);
    s->arrays[s->narrays - 1].is_index = true;
    for (int i = 0; i < 4; i++) {
        char name[] = {'l', (char)('0' + i), 0};
        integer(w, name, PICK(w, lengths));
    }
    integer(w, "n0", pick(w, 5));
    integer(w, "n1", pick(w, 71));
    integer(w, "none", 0);
    integer(w, "size", TILE_INPUT);
    s->grid[0] = g.programs;
    add_whole(&g, "pid", 0, g.programs - 1);
    add_whole(&g, "n0", 0, 4);
    add_whole(&g, "n1", 0, 70);
    add_whole(&g, "l0", 1, 128);
    add_whole(&g, "none", 0, 0);

    Text all = s->text;
    s->text = text_new(s->text.arena);
    w->depth = 1;
    line(w, "pid = tl.program_id(0)");
    Index at = {0};
    Tile own = {0};
    int inout = 0;
    if (in_place) {
        Tile shape = some_shape(&g);
        inout = s->narrays;
        array(w, "io", PICK(w, in), elements_of(&shape) * 4 * g.programs + 600, one_of(w, 3));
        at = apart_lanes(&g, &shape);
        tilec_dtype t = s->arrays[inout].dtype;
        own = tile_named(&g, t, &shape, is_unsigned_type(t) ? most_of(t) : 4);
        s->arrays[inout].n = (at.high + 1) * g.programs;
        bool same = one_of(w, 2);
        if (same)
            same_array(w, "io2");
        line(w, same ? "%s = tl.load(io2 + pid * %d + %s)" : "%s = tl.load(io + pid * %d + %s)",
             own.name, (int)at.high + 1, at.v.name);
        if (is_fp8(t))
            own = converted(&g, own, TILEC_FP32);
        keep_tile(&g, own);
    }
    statements(&g, 3 + pick(w, 10));
    for (int i = 0; i < 2 || (g.stores < 2 && i < 4); i++)
        store_value(&g, g.n > 0 ? g.values[g.n - 1 - pick(w, MIN(g.n, 4))] : some_tile(&g));
    if (in_place) {
        tilec_dtype t = s->arrays[inout].dtype;
        Tile v = some_value(&g, &own);
        v = is_fp8(t) ? converted(&g, converted(&g, v, TILEC_FP32), t) : converted(&g, v, t);
        line(w, "tl.store(io + pid * %d + %s, %s)", (int)at.high + 1, at.v.name, v.name);
    }
    Text body = s->text;
    s->text = all;
    text_printf(&s->text, "import triton\nimport triton.language as tl\n\n\n"
                          "@triton.jit\ndef larger(a, b):\n    return tl.maximum(a, b)\n\n\n"
                          "@triton.jit\ndef k(");
    parameters(w);
    text_printf(&s->text, "%s", body.s);
}

#endif
