/*
 * random_source.h - random kernels in the Triton language, for test_random_source.c
 *
 * A third of them are lists of statements (random_statements.h), some map elements to elements
 * (random_maps.h), some compute with integers of few bits (random_bytes.h).  The others are as
 * people write them, of three families: products, attention, and sums along rows.  These differ in
 * what compilers treat apart: how a loop advances (pointers, indices, descriptors, block pointers),
 * what of it runs ahead (num_stages), how rows lie (either order, strides of any length), which
 * masks there are, pairs of dtypes, what is done with an operand before it is multiplied and with
 * the result behind the loop, how tiles are shared out (a grid, groups, few programs that go from
 * tile to tile, a split of K by atomics).
 *
 * All numbers are small and whole, or halves of such, so that every order of summing gives the same
 * bits and no type that a kernel stores rounds.  Programs store apart, or by atomics.
 */
#ifndef TILEC_TEST_RANDOM_SOURCE_H
#define TILEC_TEST_RANDOM_SOURCE_H

#include "random_bytes.h"
#include "random_maps.h"
#include "random_statements.h"

/* Of two operands in memory, and what they are multiplied as. */
typedef struct {
    tilec_dtype memory[2], used;
} Pair;

static inline Pair some_pair(Writer *w)
{
    static const tilec_dtype in_memory[] = {TILEC_FP16, TILEC_FP16, TILEC_BF16,  TILEC_BF16,
                                            TILEC_FP32, TILEC_I8,   TILEC_FP8E5, TILEC_FP8E4NV};
    static const tilec_dtype floats[] = {TILEC_FP16, TILEC_BF16, TILEC_FP32};
    Pair p;

    p.memory[0] = p.memory[1] = PICK(w, in_memory);
    p.used = p.memory[0];
    if (one_of(w, 3))
        p.memory[1] = PICK(w, in_memory);
    if (p.memory[0] != p.memory[1] || one_of(w, 4))
        p.used = PICK(w, floats);
    return p;
}

static inline int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* How long rows of n are: with anything behind them, or for copies by the unit, by `unit`. */
static inline int64_t row_length(Writer *w, int64_t n, int64_t unit)
{
    static const int rests[] = {0, 0, 1, 3, 8, 16};

    return unit > 1 || w->tidy || one_of(w, 2) ? round_up(n + PICK(w, rests), MAX(unit, 16))
                                               : n + PICK(w, rests);
}

/* --- products --- */

typedef enum { BY_POINTERS, BY_INDICES, BY_DESCRIPTORS, BY_BLOCKS, WAYS } Way;

/* An operand: rows of `along` elements, of which a tile takes `rows` x `columns`. */
typedef struct {
    const char *name; /* "a", "b" */
    const char *rest; /* how far its free dimension goes: "M" or "N" */
    const char *at;   /* the first of the tile: "m0" or "n0" */
    int free, depth;  /* extents of the tile: of the free dimension, of K */
    bool k_is_inner;  /* memory has K side by side */
    bool spread;      /* .. with a stride of its own, t and the name */
    bool k_first;     /* the product wants it as [K, free] */
    bool wraps;       /* rows beyond the end come from the beginning, else they are masked */
    Way way;
    tilec_dtype memory, used;
} Operand;

typedef struct {
    int bm, bn, bk;
    int64_t m, n, k;
    Pair pair;
    Operand f[3]; /* a, b and, of a gated product, another b */
    int count;
    bool k_masked, while_loop, split, is_int;
} Product;

static inline void choose_extents(Writer *w, Product *p)
{
    static const int blocks[] = {16, 16, 32, 32, 64, 64, 128}, depths[] = {16, 32, 32, 64, 64, 128};

    p->bm = w->tidy ? 64 << pick(w, 2) : PICK(w, blocks);
    p->bn = w->tidy ? 64 << pick(w, 2) : PICK(w, blocks);
    p->bk = PICK(w, depths);
    if (p->bm * p->bn > 64 * 128 && !(w->tidy && one_of(w, 4)))
        p->bn = 64;
    bool whole = one_of(w, 3);
    p->m = whole ? p->bm * (1 + pick(w, 2)) : 1 + pick(w, 2 * p->bm);
    p->n = whole ? p->bn * (1 + pick(w, 2)) : 1 + pick(w, 2 * p->bn);
    p->k = one_of(w, 2) ? p->bk * pick(w, 6) : pick(w, 5 * p->bk);
    p->k_masked = p->k % p->bk != 0 || one_of(w, 3);
}

/* An operand's array and the length of its rows. */
static inline void declare_operand(Writer *w, const Product *p, const Operand *f,
                                   int64_t free_total)
{
    int64_t inner = f->k_is_inner ? p->k : free_total, outer = f->k_is_inner ? free_total : p->k;
    bool needs_units = f->way == BY_DESCRIPTORS;
    int64_t length = row_length(w, inner, needs_units ? 16 : 1);
    static const int strides[] = {1, 1, 2, 3, 0};
    int64_t stride = 1;
    char name[SOURCE_NAME];

    if (f->spread) {
        stride = PICK(w, strides);
        length = one_of(w, 6) ? pick(w, 2) : length * MAX(1, stride) + pick(w, 2);
    }
    array(w, f->name, f->memory,
          MAX(1, f->spread ? length * MAX(0, outer - 1) + stride * MAX(0, inner - 1) + 1
                           : length * outer),
          !needs_units && one_of(w, 4));
    snprintf(name, sizeof name, "s%s", f->name);
    integer(w, name, length);
    snprintf(name, sizeof name, "t%s", f->name);
    if (f->spread)
        integer(w, name, stride);
}

/* What an index along this dimension is multiplied by, behind it; empty: nothing. */
static inline const char *times_stride(const Operand *f, bool inner)
{
    static char texts[8][16];
    static int next;
    char *t = texts[next++ % 8];

    t[0] = 0;
    if (!inner || f->spread)
        snprintf(t, sizeof texts[0], " * %s%s", inner ? "t" : "s", f->name);
    return t;
}

static inline void before_loop(Writer *w, const Operand *f)
{
    const char *x = f->name;

    if (f->wraps)
        line(w, "r%s = (%s + tl.arange(0, %d)) %% %s", x, f->at, f->free, f->rest);
    else
        line(w, "r%s = %s + tl.arange(0, %d)", x, f->at, f->free);
    if (f->way == BY_DESCRIPTORS && f->k_is_inner)
        line(w, "d%s = tl.make_tensor_descriptor(%s, [%s, K], [s%s, 1], [%d, %d])", x, x, f->rest,
             x, f->free, f->depth);
    else if (f->way == BY_DESCRIPTORS)
        line(w, "d%s = tl.make_tensor_descriptor(%s, [K, %s], [s%s, 1], [%d, %d])", x, x, f->rest,
             x, f->depth, f->free);
    /* the rest in the order in which the product wants it */
    const char *k = f->k_first ? "rk[:, None]" : "rk[None, :]";
    char free[20];
    snprintf(free, sizeof free, f->k_first ? "r%s[None, :]" : "r%s[:, None]", x);
    if (f->way == BY_POINTERS)
        line(w, "p%s = %s + %s%s + (k0 + %s)%s", x, x, free, times_stride(f, !f->k_is_inner), k,
             times_stride(f, f->k_is_inner));
    const char *free_stride = "1", *k_stride = "1";
    if (!f->k_is_inner || f->spread)
        k_stride = times_stride(f, f->k_is_inner) + 3;
    if (f->k_is_inner || f->spread)
        free_stride = times_stride(f, !f->k_is_inner) + 3;
    if (f->way == BY_BLOCKS && f->k_first)
        line(w, "p%s = tl.make_block_ptr(%s, (K, %s), (%s, %s), (k0, %s), (%d, %d), (%s))", x, x,
             f->rest, k_stride, free_stride, f->at, f->depth, f->free,
             f->k_is_inner ? "0, 1" : "1, 0");
    else if (f->way == BY_BLOCKS)
        line(w, "p%s = tl.make_block_ptr(%s, (%s, K), (%s, %s), (%s, k0), (%d, %d), (%s))", x, x,
             f->rest, free_stride, k_stride, f->at, f->free, f->depth,
             f->k_is_inner ? "1, 0" : "0, 1");
}

/* The mask of a tile by pointers or indices, behind a comma; empty: none. */
static inline void mask_text(const Product *p, const Operand *f, char *to, size_t size)
{
    char rows[40] = "", k[40] = "";

    if (!f->wraps)
        snprintf(rows, sizeof rows, f->k_first ? "(r%s[None, :] < %s)" : "(r%s[:, None] < %s)",
                 f->name, f->rest);
    if (p->k_masked)
        snprintf(k, sizeof k, f->k_first ? "(k + rk[:, None] < K)" : "(k + rk[None, :] < K)");
    to[0] = 0;
    if (rows[0] || k[0])
        snprintf(to, size, ", mask=%s%s%s, other=0", rows, rows[0] && k[0] ? " & " : "", k);
}

static inline void load_factor(Writer *w, const Product *p, const Operand *f)
{
    const char *x = f->name;
    const bool turned = f->k_first == f->k_is_inner; /* as descriptors have it */
    const char *turn = !turned ? "" : one_of(w, 2) ? ".T" : ".trans(1, 0)";
    char mask[120];

    mask_text(p, f, mask, sizeof mask);
    if (f->way == BY_DESCRIPTORS)
        line(w, "x%s = d%s.load([%s, %s])%s", x, x, f->k_is_inner ? f->at : "k",
             f->k_is_inner ? "k" : f->at, turn);
    else if (f->way == BY_BLOCKS)
        line(w, "x%s = tl.load(p%s, boundary_check=(0, 1), padding_option='zero')", x, x);
    else if (f->way == BY_POINTERS)
        line(w, "x%s = tl.load(p%s%s)", x, x, mask);
    else
        line(w,
             f->k_first ? "x%s = tl.load(%s + r%s[None, :]%s + (k + rk[:, None])%s%s)"
                        : "x%s = tl.load(%s + r%s[:, None]%s + (k + rk[None, :])%s%s)",
             x, x, x, times_stride(f, !f->k_is_inner), times_stride(f, f->k_is_inner), mask);
}

/* What is done with a tile before it is multiplied: zeros stay zeros. */
static inline void prepare(Writer *w, const Product *p, const Operand *f)
{
    const char *x = f->name;

    if (f->memory != f->used)
        line(w, "x%s = x%s%s", x, x, as_type(f->memory, f->used));
    if (is_fp8(f->used))
        return;
    switch (pick(w, 8)) {
    case 0:
        line(w, "x%s = tl.where(x%s > 0, x%s, 0)%s", x, x, x, p->is_int ? ".to(tl.int8)" : "");
        break;
    case 1:
        line(w, "x%s = (x%s * 2).to(%s)", x, x, type_word(f->used));
        break;
    case 2:
        line(w, "x%s = -x%s", x, x);
        break;
    default:
        break;
    }
}

static inline void advance_factor(Writer *w, const Operand *f, const char *by)
{
    const char *x = f->name;

    if (f->way == BY_POINTERS)
        line(w, "p%s += %s%s", x, by, times_stride(f, f->k_is_inner));
    else if (f->way == BY_BLOCKS && f->k_first)
        line(w, "p%s = tl.advance(p%s, (%s, 0))", x, x, by);
    else if (f->way == BY_BLOCKS)
        line(w, "p%s = tl.advance(p%s, (0, %s))", x, x, by);
}

static inline void product_loop(Writer *w, const Product *p, bool sums_rows, bool scales)
{
    const char *precisions[] = {"", "", ", input_precision='ieee'", ", input_precision='tf32x3'"};
    const char *precision = p->pair.used == TILEC_FP32 ? PICK(w, precisions) : "";
    char step[40], over[80];

    snprintf(step, sizeof step, p->split ? "(%d * tl.num_programs(1))" : "%d", p->bk);
    snprintf(over, sizeof over, "k0, K, %s", step);
    if (p->while_loop) {
        line(w, "k = k0");
        line(w, "while k < K:");
        w->depth++;
    } else {
        for_loop(w, "k", over);
    }
    for (int i = 0; i < p->count; i++)
        load_factor(w, p, &p->f[i]);
    for (int i = 0; i < p->count; i++)
        prepare(w, p, &p->f[i]);
    if (sums_rows)
        line(w, "rows += tl.sum(xa.to(tl.float32), 1)");
    if (scales)
        line(w, "acc += tl.dot(xa, xb%s) * tl.load(scale + k // %d)", precision, p->bk);
    else if (one_of(w, 2))
        line(w, "acc += tl.dot(xa, xb%s)", precision);
    else
        line(w, "acc = tl.dot(xa, xb, acc%s)", precision);
    if (p->count > 2)
        line(w, "gate = tl.dot(xa, xg, gate%s)", precision);
    for (int i = 0; i < p->count; i++)
        advance_factor(w, &p->f[i], step);
    if (p->while_loop)
        line(w, "k += %s", step);
    w->depth--;
}

/* Where the tile with the number `tile` lies, row by row or in groups of rows. */
static inline void place_tile(Writer *w, const Product *p)
{
    line(w, "nm = tl.cdiv(M, %d)", p->bm);
    line(w, "nn = tl.cdiv(N, %d)", p->bn);
    if (one_of(w, 3)) {
        line(w, "first = tile // (2 * nn) * 2");
        line(w, "size = min(nm - first, 2)");
        line(w, "m0 = (first + tile %% (2 * nn) %% size) * %d", p->bm);
        line(w, "n0 = tile %% (2 * nn) // size * %d", p->bn);
    } else {
        line(w, "m0 = tile // nn * %d", p->bm);
        line(w, "n0 = tile %% nn * %d", p->bn);
    }
}

static inline void store_product(Writer *w, const Product *p, tilec_dtype stored,
                                 bool by_descriptor)
{
    if (by_descriptor) {
        line(w, "dc = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [%d, %d])", p->bm, p->bn);
        line(w, "dc.store([m0, n0], acc.to(%s))", type_word(stored));
        return;
    }
    line(w, "rm = m0 + tl.arange(0, %d)", p->bm);
    line(w, "rn = n0 + tl.arange(0, %d)", p->bn);
    line(w, "inside = (rm[:, None] < M) & (rn[None, :] < N)");
    if (p->split)
        line(w, "tl.atomic_add(c + rm[:, None] * sc + rn[None, :], acc, mask=inside)");
    else
        line(w, "tl.store(c + rm[:, None] * sc + rn[None, :], acc.to(%s), mask=inside)",
             type_word(stored));
}

static inline void choose_factors(Writer *w, Product *p)
{
    Way way = (Way)pick(w, WAYS);

    p->f[0] = (Operand){.name = "a",
                        .rest = "M",
                        .at = "m0",
                        .free = p->bm,
                        .depth = p->bk,
                        .k_is_inner = !one_of(w, 4),
                        .way = way,
                        .memory = p->pair.memory[0],
                        .used = p->pair.used};
    p->f[1] = (Operand){.name = "b",
                        .rest = "N",
                        .at = "n0",
                        .free = p->bn,
                        .depth = p->bk,
                        .k_is_inner = one_of(w, 3),
                        .k_first = true,
                        .way = way,
                        .memory = p->pair.memory[1],
                        .used = p->pair.used};
    if (one_of(w, 4))
        p->f[1].way = (Way)pick(w, WAYS);
    p->f[2] = p->f[1];
    p->f[2].name = "g";
    for (int i = 0; i < COUNT(p->f); i++) {
        Operand *f = &p->f[i];
        f->wraps = f->way < BY_DESCRIPTORS && one_of(w, 4);
        f->spread = f->way != BY_DESCRIPTORS && !w->tidy && one_of(w, 4);
    }
}

static inline void write_product(Writer *w)
{
    Product p = {.pair = some_pair(w)};

    choose_extents(w, &p);
    p.is_int = p.pair.used == TILEC_I8;
    p.while_loop = one_of(w, 12);
    choose_factors(w, &p);
    bool persistent = one_of(w, 4), sums_rows = one_of(w, 6), biased = one_of(w, 4);
    bool scales = !p.is_int && one_of(w, 6), again = !p.is_int && one_of(w, 8);
    p.split = !again && !biased && one_of(w, 6);
    p.count = one_of(w, 6) ? 3 : 2;
    static const tilec_dtype results[] = {TILEC_FP32, TILEC_FP32, TILEC_FP16};
    tilec_dtype stored = p.is_int ? TILEC_I32 : p.split || scales ? TILEC_FP32 : PICK(w, results);
    bool by_descriptor = !p.split && one_of(w, 4);
    declare_operand(w, &p, &p.f[0], p.m);
    declare_operand(w, &p, &p.f[1], p.n);
    if (p.count > 2)
        declare_operand(w, &p, &p.f[2], p.n);
    int64_t sc = row_length(w, p.n, by_descriptor ? 16 : 1);
    array(w, "c", stored, p.m * sc, false);
    w->s->arrays[w->s->narrays - 1].is_sum = p.split;
    if (sums_rows)
        array(w, "rs", TILEC_FP32, (p.m + p.bm) * (p.n / p.bn + 1) * 4, false);
    if (biased)
        array(w, "bias", TILEC_FP32, p.n, one_of(w, 2));
    if (scales)
        array(w, "scale", TILEC_FP32, p.k / p.bk + 1, false);
    if (again)
        array(w, "w2", TILEC_FP16, p.bn * 16, false);
    integer(w, "sc", sc);
    integer(w, "M", p.m);
    integer(w, "N", p.n);
    integer(w, "K", p.k);
    head(w);
    int64_t tiles = (p.m + p.bm - 1) / p.bm * ((p.n + p.bn - 1) / p.bn);
    int splits = p.split ? 1 + pick(w, 3) : 1;
    w->s->grid[0] = (int32_t)(persistent ? MIN(tiles, 2) : tiles);
    w->s->grid[1] = splits;
    line(w, "rk = tl.arange(0, %d)", p.bk);
    if (p.split)
        line(w, "k0 = tl.program_id(1) * %d", p.bk);
    else
        line(w, "k0 = 0");
    if (persistent) {
        line(w, "tiles = tl.cdiv(M, %d) * tl.cdiv(N, %d)", p.bm, p.bn);
        for_loop(w, "tile", "tl.program_id(0), tiles, tl.num_programs(0)");
    } else {
        line(w, "tile = tl.program_id(0)");
    }
    place_tile(w, &p);
    for (int i = 0; i < p.count; i++)
        before_loop(w, &p.f[i]);
    line(w, "acc = tl.zeros((%d, %d), %s)", p.bm, p.bn, p.is_int ? "tl.int32" : "tl.float32");
    if (p.count > 2)
        line(w, "gate = acc");
    if (sums_rows)
        line(w, "rows = tl.zeros((%d,), tl.float32)", p.bm);
    product_loop(w, &p, sums_rows, scales);
    if (p.count > 2)
        line(w, "acc = tl.where(gate > 0, acc, -acc)");
    if (biased) {
        line(w, "cols = n0 + tl.arange(0, %d)", p.bn);
        line(w, "acc += tl.load(bias + cols, mask=cols < N, other=0)[None, :]%s",
             p.is_int ? ".to(tl.int32)" : "");
    }
    if (one_of(w, 3))
        line(w, "acc = tl.maximum(acc, 0)");
    if (again) {
        line(w, "narrow = tl.minimum(tl.maximum(acc, -64), 64).to(tl.float16)");
        line(w, "i = tl.arange(0, %d)", p.bn);
        line(w, "j = tl.arange(0, 16)");
        line(w, "more = tl.dot(narrow, tl.load(w2 + i[:, None] * 16 + j[None, :]))");
        line(w, "acc += tl.sum(more, 1)[:, None]");
    }
    if (stored == TILEC_FP16)
        line(w, "acc = tl.minimum(tl.maximum(acc, -512), 512)");
    store_product(w, &p, stored, by_descriptor);
    if (sums_rows)
        line(w, "tl.store(rs + (tile * %d + tl.arange(0, %d)) * %s, rows)", p.bm, p.bm,
             p.split ? "tl.num_programs(1) + tl.program_id(1)" : "1");
    if (sums_rows)
        w->s->arrays[p.count + 1].n = tiles * p.bm * splits;
}

/* --- attention --- */

static inline void write_attention(Writer *w)
{
    static const int blocks[] = {16, 32, 64, 64, 128}, rounds_of[] = {16, 32, 64, 128},
                     widths[] = {16, 32, 64, 128};
    static const tilec_dtype types[] = {TILEC_FP16, TILEC_FP16, TILEC_BF16,
                                        TILEC_BF16, TILEC_FP32, TILEC_FP8E5};
    int bm = w->tidy ? 64 : PICK(w, blocks), bn = PICK(w, rounds_of), d = PICK(w, widths);
    if (bm * d > 64 * 128)
        bm = 32;
    if (bn * d > 64 * 128)
        bn = 32;
    tilec_dtype t = PICK(w, types), tv = one_of(w, 3) ? PICK(w, types) : t;
    tilec_dtype used = is_fp8(tv) ? TILEC_FP16 : tv, score = is_fp8(t) ? TILEC_FP16 : t;
    int64_t queries = 1 + pick(w, 2 * bm),
            keys = one_of(w, 3) ? bn * (1 + pick(w, 3)) : 1 + pick(w, 3 * bn);
    bool causal = one_of(w, 3), descriptors = one_of(w, 3), turned = one_of(w, 2),
         ahead = one_of(w, 2);
    int64_t unit = descriptors ? 16 : 1;
    int64_t sq = row_length(w, d, 1), sk = row_length(w, d, unit), sv = row_length(w, d, unit);
    array(w, "q", t, queries * sq, one_of(w, 5));
    array(w, "key", t, keys * sk, !descriptors && one_of(w, 5));
    array(w, "v", tv, keys * sv, !descriptors && one_of(w, 5));
    array(w, "out", TILEC_FP32, queries * d, false);
    array(w, "top", TILEC_FP32, queries, false);
    array(w, "sum", TILEC_FP32, queries, false);
    integer(w, "Q", queries);
    integer(w, "N", keys);
    integer(w, "sq", sq);
    integer(w, "sk", sk);
    integer(w, "sv", sv);
    head(w);
    w->s->grid[0] = (int32_t)((queries + bm - 1) / bm);
    line(w, "rm = tl.program_id(0) * %d + tl.arange(0, %d)", bm, bm);
    line(w, "rn = tl.arange(0, %d)", bn);
    line(w, "rd = tl.arange(0, %d)", d);
    line(w, "xq = tl.load(q + rm[:, None] * sq + rd[None, :], mask=rm[:, None] < Q, other=0)%s",
         as_type(t, score));
    if (descriptors) {
        line(w, "dk = tl.make_tensor_descriptor(key, [N, %d], [sk, 1], [%d, %d])", d, bn, d);
        line(w, "dv = tl.make_tensor_descriptor(v, [N, %d], [sv, 1], [%d, %d])", d, bn, d);
    }
    line(w, "m = tl.full((%d,), -64, tl.float32)", bm);
    line(w, "l = tl.zeros((%d,), tl.float32)", bm);
    line(w, "acc = tl.zeros((%d, %d), tl.float32)", bm, d);
    char over[80];
    snprintf(over, sizeof over, causal ? "0, min(N, (tl.program_id(0) + 1) * %d), %d" : "0, N, %d",
             causal ? bm : bn, bn);
    for_loop(w, "n", over);
    if (descriptors)
        line(w, "xk = dk.load([n, 0]).T%s", as_type(t, score));
    else if (turned)
        line(w,
             "xk = tl.trans(tl.load(key + (n + rn)[:, None] * sk + rd[None, :], "
             "mask=(n + rn)[:, None] < N, other=0))%s",
             as_type(t, score));
    else
        line(w,
             "xk = tl.load(key + (n + rn)[None, :] * sk + rd[:, None], "
             "mask=(n + rn)[None, :] < N, other=0)%s",
             as_type(t, score));
    const char *load_v = descriptors ? "xv = dv.load([n, 0])%s"
                                     : "xv = tl.load(v + (n + rn)[:, None] * sv + rd[None, :], "
                                       "mask=(n + rn)[:, None] < N, other=0)%s";
    char of_v[160];
    snprintf(of_v, sizeof of_v, load_v, as_type(tv, used));
    if (ahead)
        line(w, "%s", of_v);
    line(w, "s = tl.dot(xq, xk)");
    line(w, causal ? "seen = ((n + rn)[None, :] < N) & (rm[:, None] >= (n + rn)[None, :])"
                   : "seen = (n + rn)[None, :] < N");
    line(w, "s = tl.where(seen, s, -64)");
    line(w, "mn = tl.maximum(m, tl.max(s, 1))");
    switch (pick(w, 3)) {
    case 0:
        line(w, "p = tl.where(seen & (s > mn[:, None] - 8), 2.0, 0.0)");
        break;
    case 1:
        line(w, "p = tl.minimum(tl.maximum(s, -2), 2)");
        break;
    default:
        line(w, "p = tl.exp2(tl.maximum(s - mn[:, None], -4))");
    }
    line(w, "fade = tl.where(mn > m, 0.5, 1.0)");
    line(w, "l = l * fade + tl.sum(p, 1)");
    line(w, "acc = acc * fade[:, None]");
    if (!ahead)
        line(w, "%s", of_v);
    if (one_of(w, 2))
        line(w, "acc = tl.dot(p.to(%s), xv, acc)", type_word(used));
    else
        line(w, "acc += tl.dot(p.to(%s), xv)", type_word(used));
    line(w, "m = mn");
    w->depth--;
    line(w, "tl.store(out + rm[:, None] * %d + rd[None, :], acc, mask=rm[:, None] < Q)", d);
    line(w, "tl.store(top + rm, m, mask=rm < Q)");
    line(w, "tl.store(sum + rm, l, mask=rm < Q)");
}

/* --- rows --- */

static inline void one_round(Writer *w, bool stores)
{
    line(w, "at = start + cols");
    line(w, "inside = here & (at < N)[None, :]");
    line(w, "vx = tl.load(x + rows * sx + at[None, :], mask=inside, other=0).to(tl.float32)");
    if (one_of(w, 2))
        line(w, "vx += tl.load(y + rows * sy + at[None, :], mask=inside, other=0)");
    else
        line(w, "vx = vx * 2 - tl.load(y + rows * sy + at[None, :], mask=inside, other=0)");
    if (one_of(w, 4))
        line(w, "vx += tl.load(per + at, mask=at < N, other=0)[None, :]");
    line(w, "vx = tl.where(inside, vx, 0)");
    switch (pick(w, 5)) {
    case 0:
        line(w, "total += tl.sum(vx, 1)");
        line(w, "most = tl.maximum(most, tl.max(vx, 1))");
        break;
    case 1:
        line(w, "run = tl.cumsum(vx, 1) + total[:, None]");
        line(w, "total += tl.sum(vx, 1)");
        line(w, "most = tl.maximum(most, tl.max(run, 1))");
        stores = true;
        line(w, "vx = run");
        break;
    case 2:
        line(w, "here_most = tl.max(vx, 1)");
        line(w, "total = tl.where(here_most > most, tl.argmax(vx, 1) + start, total)");
        line(w, "most = tl.maximum(most, here_most)");
        break;
    case 3:
        line(w, "wide += vx");
        line(w, "total += 1");
        break;
    default:
        line(w, "wide = tl.maximum(wide, vx)");
        line(w, "total += tl.sum(tl.where(vx > 0, 1.0, 0.0), 1)");
    }
    if (stores)
        line(w, "tl.store(z + rows * N + at[None, :], vx, mask=inside)");
}

static inline void write_rows(Writer *w)
{
    static const int heights[] = {1, 1, 1, 2, 4, 8, 16}, lengths[] = {16, 32, 64, 128, 256, 512};
    static const tilec_dtype types[] = {TILEC_FP16, TILEC_BF16, TILEC_FP32, TILEC_I8, TILEC_I32};
    int height = PICK(w, heights), length = PICK(w, lengths);
    if (height * length > 2048)
        length = 128;
    int64_t n = one_of(w, 3) ? length * (1 + pick(w, 4)) : 1 + pick(w, 4 * length);
    int64_t count = 1 + pick(w, 3 * height), sx = row_length(w, n, 1), sy = row_length(w, n, 1);
    array(w, "x", PICK(w, types), count * sx, one_of(w, 3));
    array(w, "y", PICK(w, types), count * sy, one_of(w, 3));
    array(w, "per", TILEC_FP32, n, one_of(w, 3));
    array(w, "z", TILEC_FP32, count * n, false);
    array(w, "out", TILEC_FP32, 3 * count, false);
    integer(w, "R", count);
    integer(w, "N", n);
    integer(w, "sx", sx);
    integer(w, "sy", sy);
    head(w);
    w->s->grid[0] = (int32_t)((count + height - 1) / height);
    line(w, "row = tl.program_id(0) * %d + tl.arange(0, %d)", height, height);
    line(w, "cols = tl.arange(0, %d)", length);
    line(w, "rows = row[:, None]");
    line(w, "here = rows < R");
    line(w, "total = tl.zeros((%d,), tl.float32)", height);
    line(w, "most = tl.full((%d,), -100.0, tl.float32)", height);
    line(w, "wide = tl.zeros((%d, %d), tl.float32)", height, length);
    char over[40];
    snprintf(over, sizeof over, "0, N, %d", length);
    for_loop(w, "start", over);
    one_round(w, one_of(w, 3));
    w->depth--;
    if (one_of(w, 3)) {
        for_loop(w, "start", over);
        one_round(w, true);
        w->depth--;
    }
    line(w, "tl.store(out + row, total, mask=row < R)");
    line(w, "tl.store(out + R + row, most, mask=row < R)");
    line(w, "tl.store(out + 2 * R + row, tl.sum(wide, 1), mask=row < R)");
}

/* The kernel with this number. */
static inline RandomSource random_source(Arena *a, uint64_t seed)
{
    RandomSource s = {.text = text_new(a), .grid = {1, 1, 1}};
    Writer w = {.rng = seed * 1000003 + 17, .s = &s};

    w.tidy = one_of(&w, 3);
    s.num_warps = one_of(&w, 3) ? 0 : w.tidy ? 4 << pick(&w, 2) : 1 << pick(&w, 4);
    s.num_stages = one_of(&w, 3) ? 0 : 1 + pick(&w, 5);
    switch (pick(&w, 16)) {
    default:
        s.num_warps = one_of(&w, 3) ? 0 : 1 << pick(&w, 6);
        write_tiles(&w);
        break;
    case 11:
    case 12:
        write_bytes(&w);
        break;
    case 8:
    case 9:
    case 10:
        write_map(&w);
        break;
    case 0:
    case 1:
        write_rows(&w);
        break;
    case 2:
    case 3:
        write_attention(&w);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        write_product(&w);
    }
    return s;
}

#endif
