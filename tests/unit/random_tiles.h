/*
 * random_tiles.h - values, indices and memory of the kernels of random_statements.h
 *
 * Each value has a bound that is known here.  Floats are whole numbers that their type holds, so
 * every order of summing gives the same bits; indices of many forms (rows and columns of a flat
 * index, clamped, wrapped, shifted, from memory) stay within arrays or are guarded.  Programs store
 * apart, each lane at an address of its own, or by atomics that are no more than added up.
 */
#ifndef TILEC_TEST_RANDOM_TILES_H
#define TILEC_TEST_RANDOM_TILES_H

#include "random_writer.h"

enum {
    TILE_VALUES = 200,
    TILE_INPUT = 1500,   /* elements of each array that is loaded from, */
    TILE_SUMS = 256,     /* of each that atomics add to */
    TILE_RESULTS = 9,    /* stores of a kernel */
    TILE_ELEMENTS = 4096 /* of a tile, at most */
};

/* What has a name: a scalar, or a tile of one or two dimensions, no element of which is beyond
 * `most`. */
typedef struct {
    char name[12];
    tilec_dtype t;
    int rank, d[2];
    int64_t most;
} Tile;

/* An index: i32, of which all lanes are from `low` to `high`. */
typedef struct {
    Tile v;
    int64_t low, high;
} Index;

typedef struct {
    const char *name;
    int64_t low, high;
} Whole;

typedef struct {
    Writer *w;
    Tile values[TILE_VALUES];
    int n, names, loops, dims, dim[3], programs, stores;
    Whole whole[12]; /* scalars that an index may have */
    int nwhole;
    const char *round; /* the number of this round of all loops around, */
    int64_t rounds;    /* of so many */
} Tiles;

static inline void tile_text(const Tile *v, char *to, size_t size)
{
    snprintf(to, size, v->rank == 0 ? "()" : v->rank == 1 ? "(%d,)" : "(%d, %d)", v->d[0], v->d[1]);
}

/* --- bounds --- */

/* The greatest whole number up to which this type has all. */
static inline int64_t most_of(tilec_dtype t)
{
    switch (t) {
    case TILEC_I1:
        return 1;
    case TILEC_FP8E5:
        return 8;
    case TILEC_FP8E4NV:
        return 16;
    case TILEC_BF16:
        return 256;
    case TILEC_FP16:
        return 2048;
    case TILEC_FP32:
        return 1 << 24;
    case TILEC_FP64:
        return (int64_t)1 << 53;
    default:
        return INT64_MAX; /* integers wrap */
    }
}

static inline bool is_float_type(tilec_dtype t)
{
    return t >= TILEC_FP8E4NV;
}

static inline bool is_unsigned_type(tilec_dtype t)
{
    return t >= TILEC_U8 && t <= TILEC_U64;
}

static inline bool same_shape(const Tile *a, const Tile *b)
{
    return a->rank == b->rank && (a->rank < 1 || a->d[0] == b->d[0]) &&
           (a->rank < 2 || a->d[1] == b->d[1]);
}

static inline int elements_of(const Tile *v)
{
    return (v->rank > 0 ? v->d[0] : 1) * (v->rank > 1 ? v->d[1] : 1);
}

/* --- values --- */

static inline Tile tile_named(Tiles *g, tilec_dtype t, const Tile *shape, int64_t most)
{
    Tile v = *shape;

    v.t = t;
    v.most = most;
    snprintf(v.name, sizeof v.name, "v%d", g->names++);
    return v;
}

static inline Tile keep_tile(Tiles *g, Tile v)
{
    if (g->n < TILE_VALUES)
        g->values[g->n++] = v;
    return v;
}

static inline Tile shape_of(int rank, int a, int b)
{
    return (Tile){.rank = rank, .d = {a, b}};
}

static inline Tile some_shape(Tiles *g)
{
    int a = g->dim[pick(g->w, 3)], b = g->dim[pick(g->w, 3)];

    if (g->n > 0 && !one_of(g->w, 3)) {
        const Tile *v = &g->values[pick(g->w, g->n)];
        if (v->rank > 0)
            return *v;
    }
    return one_of(g->w, 2) && a * b <= TILE_ELEMENTS ? shape_of(2, a, b) : shape_of(1, a, 0);
}

static inline tilec_dtype some_dtype(Tiles *g)
{
    static const tilec_dtype types[] = {TILEC_I32,  TILEC_I32,  TILEC_FP32, TILEC_FP32, TILEC_FP32,
                                        TILEC_FP16, TILEC_BF16, TILEC_FP64, TILEC_I8,   TILEC_I16,
                                        TILEC_I64,  TILEC_U8,   TILEC_U16,  TILEC_U32,  TILEC_I1};
    return PICK(g->w, types);
}

static inline Tile some_load(Tiles *g, const Tile *shape);

/* The end of a maximum or minimum, which makes another type of some. */
static inline const char *again_as(tilec_dtype t)
{
    bool becomes_other =
        t == TILEC_BF16 || t == TILEC_I8 || t == TILEC_I16 || t == TILEC_U8 || t == TILEC_U16;

    return becomes_other ? as_type(TILEC_I1, t) : "";
}

/* Keep within b: what is not, is cut off. */
static inline Tile limited(Tiles *g, Tile v, int64_t b)
{
    if (v.most <= b)
        return v;
    Tile r = tile_named(g, v.t, &v, b);
    if (v.t == TILEC_I1)
        return v;
    if (!is_float_type(v.t) && one_of(g->w, 2)) {
        int64_t mask = 1;
        while (2 * mask - 1 <= b)
            mask *= 2;
        line(g->w, "%s = %s & %d", r.name, v.name, (int)MIN(mask - 1, 127));
    } else if (is_unsigned_type(v.t)) {
        line(g->w, "%s = tl.minimum(%s, %d)%s", r.name, v.name, (int)MIN(b, 127), again_as(v.t));
    } else {
        int most = (int)MIN(b, is_float_type(v.t) ? 1 << 20 : 127);
        line(g->w, "%s = tl.minimum(tl.maximum(%s, -%d), %d)%s", r.name, v.name, most, most,
             again_as(v.t));
    }
    return r;
}

static inline Tile converted(Tiles *g, Tile v, tilec_dtype t)
{
    if (v.t == t)
        return v;
    if (t == TILEC_I1) {
        Tile r = tile_named(g, t, &v, 1);
        line(g->w, "%s = %s %s %d", r.name, v.name, one_of(g->w, 2) ? ">" : "!=", pick(g->w, 3));
        return r;
    }
    if (is_float_type(t))
        v = limited(g, v,
                    is_unsigned_type(v.t) || is_float_type(v.t) ? most_of(t)
                                                                : MIN(most_of(t), 1 << 20));
    else if (is_float_type(v.t))
        v = limited(g, v, 100);
    if (is_float_type(v.t) && is_unsigned_type(t)) {
        Tile r = tile_named(g, v.t, &v, v.most);
        line(g->w, "%s = tl.abs(%s)", r.name, v.name);
        v = r;
    }
    Tile r = tile_named(g, t, &v, is_float_type(t) ? v.most : most_of(t));
    if (!is_float_type(t) && v.most <= 100 && !is_unsigned_type(t))
        r.most = v.most;
    line(g->w, "%s = %s.to(%s)", r.name, v.name, type_word(t));
    return r;
}

/* Some value of this shape, of any type. */
static inline Tile some_value(Tiles *g, const Tile *shape)
{
    for (int tries = 0; tries < 8 && g->n > 0; tries++) {
        Tile v = g->values[g->n - 1 - pick(g->w, 1 + pick(g->w, g->n))];
        if (same_shape(&v, shape) && !is_fp8(v.t))
            return v;
    }
    return some_load(g, shape);
}

static inline Tile some_of(Tiles *g, const Tile *shape, tilec_dtype t)
{
    return converted(g, some_value(g, shape), t);
}

/* A tile as one of a shape that it is a row, a column, or a scalar of; the text. */
static inline void spread_text(Tiles *g, const Tile *shape, tilec_dtype t, int64_t b, char *to,
                               size_t size)
{
    Tile small = {0};
    const char *how = "";

    if (shape->rank == 2 && one_of(g->w, 3)) {
        bool column = one_of(g->w, 2);
        small = shape_of(1, shape->d[!column], 0);
        how = column ? "[:, None]" : "[None, :]";
    } else if (!one_of(g->w, 5)) {
        small = *shape;
    }
    Tile v = limited(g, some_of(g, &small, t), b);
    snprintf(to, size, "%s%s", v.name, how);
}

/* --- indices --- */

static inline Index named_index(Tiles *g, const Tile *shape, int64_t low, int64_t high)
{
    return (Index){tile_named(g, TILEC_I32, shape, INT32_MAX), low, high};
}

static inline void arange_text(const Tile *shape, int dim, char *to, size_t size)
{
    snprintf(to, size,
             shape->rank == 1 ? "tl.arange(0, %d)"
             : dim == 0       ? "tl.arange(0, %d)[:, None]"
                              : "tl.arange(0, %d)[None, :]",
             shape->d[dim]);
}

/* The lanes in a row, or with rows or columns apart. */
static inline Index lanes(Tiles *g, const Tile *shape)
{
    static const int more[] = {0, 0, 0, 0, 1, 3, 16};
    char row[48], column[48];

    if (shape->rank == 0) {
        Index i = named_index(g, shape, 0, 0);
        line(g->w, "%s = 0", i.v.name);
        return i;
    }
    arange_text(shape, 0, row, sizeof row);
    if (shape->rank == 1) {
        int step = one_of(g->w, 4) ? pick(g->w, 4) : 1;
        Index i = named_index(g, shape, 0, step * (shape->d[0] - 1));
        if (step == 1)
            line(g->w, "%s = %s", i.v.name, row);
        else
            line(g->w, "%s = %s * %d", i.v.name, row, step);
        return i;
    }
    arange_text(shape, 1, column, sizeof column);
    bool turned = one_of(g->w, 4);
    int64_t a = turned ? 1 : shape->d[1] + PICK(g->w, more),
            b = turned ? shape->d[0] + PICK(g->w, more) : 1;
    if (one_of(g->w, 8))
        *(one_of(g->w, 2) ? &a : &b) = pick(g->w, 3);
    Index i = named_index(g, shape, 0, a * (shape->d[0] - 1) + b * (shape->d[1] - 1));
    line(g->w, "%s = %s * %d + %s * %d", i.v.name, row, (int)a, column, (int)b);
    return i;
}

static inline void add_whole(Tiles *g, const char *name, int64_t low, int64_t high)
{
    if (g->nwhole < COUNT(g->whole))
        g->whole[g->nwhole++] = (Whole){name, low, high};
}

/* Move by something that is the same for all lanes. */
static inline Index moved(Tiles *g, Index from)
{
    const Whole *x = &g->whole[pick(g->w, g->nwhole)];
    static const int scales[] = {1, 1, 1, 2, 16, 64, -1, -7, 0};
    int by = one_of(g->w, 3) ? elements_of(&from.v) : PICK(g->w, scales);
    int64_t a = by * x->low, b = by * x->high;
    Index i = named_index(g, &from.v, from.low + MIN(a, b), from.high + MAX(a, b));

    line(g->w, "%s = %s * %d + %s", i.v.name, x->name, by, from.v.name);
    return i;
}

/* The same, moved up so that it is nowhere below 0: of less, code for GPUs takes no remainder. */
static inline Index above_zero(Tiles *g, Index i)
{
    if (i.low >= 0)
        return i;
    Index r = named_index(g, &i.v, 0, i.high - i.low);
    line(g->w, "%s = %s + %lld", r.v.name, i.v.name, (long long)-i.low);
    return r;
}

/* A length that is known here, and as text a number or a parameter. */
static inline int64_t some_length(Tiles *g, const char **text)
{
    static const struct {
        const char *text;
        int64_t value;
    } fixed[] = {{"1", 1}, {"2", 2}, {"7", 7}, {"16", 16}, {"32", 32}, {"33", 33}, {"100", 100}};
    const RandomSource *s = g->w->s;

    if (one_of(g->w, 2)) {
        int i = pick(g->w, COUNT(fixed));
        *text = fixed[i].text;
        return fixed[i].value;
    }
    int i = pick(g->w, 4); /* the integers l0 to l3 are lengths */
    *text = s->ints[i].name;
    return s->ints[i].value;
}

/* Rows and columns of a flat index, not below 0, put together in another way. */
static inline Index flat_form(Tiles *g, Index f)
{
    const char *c, *s;
    int64_t length = some_length(g, &c), stride = some_length(g, &s);
    int dr = pick(g->w, 5) - 2, dc = pick(g->w, 5) - 2;
    char row[80], column[80];
    int64_t ra = f.low / length, rb = f.high / length, cb = length - 1; /* columns begin at 0 */

    snprintf(row, sizeof row, "%s // %s", f.v.name, c);
    snprintf(column, sizeof column, "%s %% %s", f.v.name, c);
    switch (pick(g->w, 7)) {
    case 0: { /* the row alone, or the column */
        bool rows = one_of(g->w, 2);
        Index i = named_index(g, &f.v, rows ? ra : 0, rows ? rb : cb);
        line(g->w, "%s = %s", i.v.name, rows ? row : column);
        return i;
    }
    case 1: { /* turned */
        Index i = named_index(g, &f.v, ra, cb * stride + rb);
        line(g->w, "%s = %s * %s + %s", i.v.name, column, s, row);
        return i;
    }
    case 2: { /* clamped beside the ends of a row */
        Index i = named_index(g, &f.v, ra * stride, rb * stride + length - 1);
        Index x = named_index(g, &f.v, 0, length - 1);
        line(g->w, "%s = tl.minimum(tl.maximum(%s + %d, 0), %s - 1)", x.v.name, column, dc, c);
        line(g->w, "%s = %s * %s + %s", i.v.name, row, s, x.v.name);
        return i;
    }
    case 3: { /* the row clamped, too */
        int64_t limit = 1 + pick(g->w, 9);
        Index i = named_index(g, &f.v, 0, (limit - 1) * stride + length - 1);
        line(g->w,
             "%s = tl.minimum(tl.maximum(%s + %d, 0), %d) * %s + "
             "tl.maximum(tl.minimum(%s + %d, %s - 1), 0)",
             i.v.name, row, dr, (int)limit - 1, s, column, dc, c);
        return i;
    }
    case 4: { /* from the end */
        Index i = named_index(g, &f.v, (ra + dr) * stride, (rb + dr) * stride + length - 1);
        line(g->w, "%s = (%s + %d) * %s + (%s - 1 - %s)", i.v.name, row, dr, s, c, column);
        return i;
    }
    case 5: { /* halves, as two numbers that belong together */
        Index i = named_index(g, &f.v, ra * stride, rb * stride + cb / 2 + stride);
        line(g->w, "%s = %s * %s + (%s) // 2 + (%s) %% 2", i.v.name, row, s, column, f.v.name);
        return i;
    }
    default: {
        Index i = named_index(g, &f.v, (ra + dr) * stride + dc, (rb + dr) * stride + cb + dc);
        line(g->w, "%s = (%s + %d) * %s + (%s + %d)", i.v.name, row, dr, s, column, dc);
        return i;
    }
    }
}

static inline Index from_memory(Tiles *g, const Tile *shape)
{
    Tile v = some_of(g, shape, TILEC_I32);
    int mask = (8 << pick(g->w, 5)) - 1;
    Index i = named_index(g, shape, 0, mask);

    line(g->w, "%s = %s & %d", i.v.name, v.name, mask);
    return i;
}

static inline Index some_index(Tiles *g, const Tile *shape)
{
    if (shape->rank > 0 && one_of(g->w, 8))
        return from_memory(g, shape);
    Index i = lanes(g, shape);
    if (!one_of(g->w, 4))
        i = moved(g, i);
    if (one_of(g->w, 2))
        i = flat_form(g, above_zero(g, i));
    if (one_of(g->w, 4))
        i = moved(g, i);
    if (one_of(g->w, 8))
        i = flat_form(g, above_zero(g, i));
    return i;
}

/* --- memory --- */

/* A mask in which `at` is the index, or "". */
static inline void mask_of(Tiles *g, const Tile *shape, const char *guard, char *to, size_t size)
{
    Tile m = {0};

    to[0] = 0;
    if (one_of(g->w, 3)) {
        m = some_of(g, shape, TILEC_I1);
    } else if (one_of(g->w, 4)) { /* no lane, or those below something */
        Index i = lanes(g, shape);
        m = tile_named(g, TILEC_I1, shape, 1);
        if (one_of(g->w, 2))
            line(g->w, "%s = %s < %s", m.name, i.v.name, one_of(g->w, 2) ? "none" : "l0");
        else
            line(g->w, "%s = %s %s %d", m.name, i.v.name,
                 one_of(g->w, 2) ? "<" : ">=", pick(g->w, 140) - 4);
        if (shape->rank == 0) /* a scalar's mask is a scalar */
            m.rank = 0;
    }
    if (guard[0] && m.name[0])
        snprintf(to, size, "(%s) & %s", guard, m.name);
    else
        snprintf(to, size, "%s", guard[0] ? guard : m.name);
}

/* Make the index one of `n` elements, by what is computed or by the mask that is given. */
static inline Index guarded(Tiles *g, Index i, int64_t n, const char *n_text, char *guard,
                            size_t size)
{
    guard[0] = 0;
    if (i.low >= 0 && i.high < n && !one_of(g->w, 6))
        return i;
    Index r = named_index(g, &i.v, 0, n - 1);
    switch (pick(g->w, 4)) {
    case 0:
        line(g->w, "%s = tl.minimum(tl.maximum(%s, 0), %s - 1)", r.v.name, i.v.name, n_text);
        return r;
    case 1:
        if (i.low >= 0) {
            line(g->w, "%s = %s %% %s", r.v.name, i.v.name, n_text);
            return r;
        }
        snprintf(guard, size, "(%s >= 0) & (%s < %s)", i.v.name, i.v.name, n_text);
        return i;
    default:
        if (i.low >= 0 && one_of(g->w, 2)) {
            line(g->w, "%s = tl.where(%s < %s, %s, %s - 1)", r.v.name, i.v.name, n_text, i.v.name,
                 n_text);
            return r;
        }
        if (i.low >= 0)
            snprintf(guard, size, "%s < %s", i.v.name, n_text);
        else
            snprintf(guard, size, "(0 <= %s) & (%s < %s)", i.v.name, i.v.name, n_text);
        return i;
    }
}

static inline Tile load_at(Tiles *g, Index i, const char *guard)
{
    static const char *const hints[] = {
        "", "", "", "", ", eviction_policy='evict_last'", ", cache_modifier='.cg'"};
    int which = pick(g->w, 4);
    const SourceArray *a = &g->w->s->arrays[which];
    Tile v = tile_named(g, a->dtype, &i.v, 3);
    char mask[160];

    mask_of(g, &i.v, guard, mask, sizeof mask);
    if (is_unsigned_type(a->dtype))
        v.most = most_of(a->dtype);
    if (mask[0] && (one_of(g->w, 2) || is_fp8(a->dtype)))
        line(g->w, "%s = tl.load(%s + %s, mask=%s%s)", v.name, a->name, i.v.name, mask,
             PICK(g->w, hints));
    else if (mask[0])
        line(g->w, "%s = tl.load(%s + %s, mask=%s, other=%d)", v.name, a->name, i.v.name, mask,
             pick(g->w, 4));
    else
        line(g->w, "%s = tl.load(%s + %s%s)", v.name, a->name, i.v.name, PICK(g->w, hints));
    if (is_fp8(a->dtype))
        v = converted(g, v, one_of(g->w, 2) ? TILEC_FP16 : TILEC_FP32);
    return v;
}

static inline Tile some_load(Tiles *g, const Tile *shape)
{
    char guard[100];
    Index i = guarded(g, some_index(g, shape), TILE_INPUT, one_of(g->w, 2) ? "size" : "1500", guard,
                      sizeof guard);

    return keep_tile(g, load_at(g, i, guard));
}

/* Sum or maximum of loads that lie beside each other, along rows of some length or across them,
 * which ends of rows and columns clamp or mask. */
static inline void window(Tiles *g)
{
    static const char *const ways[] = {"%s = tl.maximum(%s, %s)%s", "%s = %s + %s%s",
                                       "%s = tl.minimum(%s, %s)%s"};
    const char *c, *way = PICK(g->w, ways);
    const SourceArray *x = &g->w->s->arrays[pick(g->w, 4)];
    Tile shape = some_shape(g);
    Index f = lanes(g, &shape);
    int64_t length = some_length(g, &c);
    int count = 2 + pick(g->w, 4), name = g->names++;
    bool rows = one_of(g->w, 2), clamps = one_of(g->w, 2);
    char end[24], whole[80], text[24], value[40], mask[120] = "";

    if (!one_of(g->w, 3))
        f = moved(g, f);
    if (f.low < 0 || f.high >= TILE_INPUT)
        return;
    tilec_dtype t = is_fp8(x->dtype) || x->dtype == TILEC_I1 ? TILEC_FP32 : x->dtype;
    Tile sum = tile_named(g, t, &shape, is_unsigned_type(t) ? most_of(t) : 4 * count);
    tile_text(&shape, text, sizeof text);
    line(g->w, "%s = tl.zeros(%s, %s)", sum.name, text, type_word(t));
    line(g->w, one_of(g->w, 3) ? "for o%d in range(%d):" : "for o%d in tl.static_range(%d):", name,
         count);
    g->w->depth++;
    line(g->w, "a%d = %s %s %s + o%d - %d", name, f.v.name, rows ? "//" : "%", c, name,
         pick(g->w, count + 1));
    if (rows)
        snprintf(end, sizeof end, "%d", (int)(TILE_INPUT / length));
    else
        snprintf(end, sizeof end, "%s", c);
    if (clamps)
        line(g->w,
             one_of(g->w, 2) ? "a%d = tl.minimum(tl.maximum(a%d, 0), %s - 1)"
                             : "a%d = tl.maximum(tl.minimum(a%d, %s - 1), 0)",
             name, name, end);
    else
        snprintf(mask, sizeof mask, "(a%d >= 0) & (a%d < %s)", name, name, end);
    if (rows)
        snprintf(whole, sizeof whole, "a%d * %s + %s %% %s", name, c, f.v.name, c);
    else
        snprintf(whole, sizeof whole, "%s // %s * %s + a%d", f.v.name, c, c, name);
    if ((rows ? TILE_INPUT / length * length : f.high + length) > TILE_INPUT)
        snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "%s(%s < 1500)",
                 mask[0] ? " & " : "", whole);
    snprintf(value, sizeof value, "y%d%s", name, as_type(x->dtype, t));
    line(g->w, "y%d = tl.load(%s + %s%s%s%s)", name, x->name, whole, mask[0] ? ", mask=" : "", mask,
         mask[0] && one_of(g->w, 2) ? ", other=0" : "");
    line(g->w, way, sum.name, sum.name, value, again_as(t));
    g->w->depth--;
    keep_tile(g, sum);
}

/* --- results --- */

/* Lanes in any order, all at different places; how many there are from the first on. */
static inline Index apart_lanes(Tiles *g, const Tile *shape)
{
    char row[48], column[48];
    int n = elements_of(shape);
    Index i = named_index(g, shape, 0, n - 1);

    if (shape->rank == 0) {
        line(g->w, "%s = 0", i.v.name);
        return i;
    }
    arange_text(shape, 0, row, sizeof row);
    if (shape->rank == 1) {
        line(g->w, "%s = %s", i.v.name, row);
    } else {
        arange_text(shape, 1, column, sizeof column);
        bool turned = one_of(g->w, 3);
        int gap = one_of(g->w, 3) ? 3 : 0;
        int a = turned ? 1 : shape->d[1] + gap, b = turned ? shape->d[0] + gap : 1;
        i.high = a * (shape->d[0] - 1) + b * (shape->d[1] - 1);
        line(g->w, "%s = %s * %d + %s * %d", i.v.name, row, a, column, b);
    }
    if (!one_of(g->w, 3))
        return i;
    Index r = named_index(g, shape, 0, i.high);
    const char *c;
    int64_t length = some_length(g, &c);
    switch (pick(g->w, 3)) {
    case 0:
        line(g->w, "%s = %d - %s", r.v.name, (int)i.high, i.v.name);
        break;
    case 1:
        r.high = i.high / length * (length + 2) + length - 1;
        line(g->w, "%s = %s // %s * (%s + 2) + %s %% %s", r.v.name, i.v.name, c, c, i.v.name, c);
        break;
    default:
        r.high = (length - 1) * (i.high / length + 1) + i.high / length;
        line(g->w, "%s = %s %% %s * %d + %s // %s", r.v.name, i.v.name, c,
             (int)(i.high / length + 1), i.v.name, c);
    }
    return r;
}

/* Store a value where nothing else does. */
static inline void store_value(Tiles *g, Tile v)
{
    SourceArray *out = &g->w->s->arrays[one_of(g->w, 2) ? 4 : 5];
    char mask[160];

    if (g->stores++ >= TILE_RESULTS)
        return;
    if (out->dtype == TILEC_I1)
        out->dtype = TILEC_I8;
    v = is_fp8(out->dtype) ? converted(g, converted(g, v, TILEC_FP32), out->dtype)
                           : converted(g, v, out->dtype);
    Index i = apart_lanes(g, &v);
    int64_t one = i.high + 1;
    mask_of(g, &i.v, "", mask, sizeof mask);
    line(g->w, "tl.store(%s + %d + (pid * %d + %s) * %d + %s, %s%s%s)", out->name, (int)out->n,
         (int)g->rounds, g->round, (int)one, i.v.name, v.name, mask[0] ? ", mask=" : "", mask);
    out->n += one * g->rounds * g->programs;
}

static inline void add_up(Tiles *g)
{
    static const char *const of_int[] = {"add", "add", "max", "min", "xor", "or"};
    Tile shape = some_shape(g);
    char guard[100], mask[160];
    bool is_float = one_of(g->w, 2);
    int op = is_float ? 0 : pick(g->w, COUNT(of_int));
    SourceArray *sums = &g->w->s->arrays[is_float  ? 6
                                         : op < 2  ? 7
                                         : op == 2 ? 8
                                         : op == 3 ? 9
                                         : op == 4 ? 10
                                                   : 11];
    Tile v = some_of(g, &shape, sums->dtype);
    int64_t b = is_float ? most_of(sums->dtype) / (32 * g->rounds * g->programs * TILE_ELEMENTS)
                         : INT64_MAX;
    if (b < 1)
        return;
    v = limited(g, v, b);
    Index i = guarded(g, some_index(g, &shape), TILE_SUMS, "256", guard, sizeof guard);
    mask_of(g, &shape, guard, mask, sizeof mask);
    line(g->w, "tl.atomic_%s(%s + %s, %s%s%s%s)", of_int[op], sums->name, i.v.name, v.name,
         mask[0] ? ", mask=" : "", mask, one_of(g->w, 2) ? ", sem='relaxed'" : "");
}

#endif
