/*
 * builtin_random.c - counter-based random numbers, bit by bit as the language defines them
 * (semantics R280 to R285)
 *
 * Philox: four counters and two keys go through rounds of multiply and xor.  Counters are tiles in
 * the shape of the offset; keys are scalars, or tiles of a seed for each element.
 */
#include "tl.h"
#include "../ir/analysis.h"

#include <string.h>

enum { MAX_ROUNDS = 64 };

/* The constants of counters of 32 and of 64 bits. */
typedef struct {
    DType dtype;
    uint64_t key_a, key_b, round_a, round_b;
} Width;

static const Width widths[] = {
    {DT_U32, 0x9E3779B9, 0xBB67AE85, 0xD2511F53, 0xCD9E8D57},
    {DT_U64, 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0xD2E7470EE14C6C93, 0xCA5A826395121157},
};

static Value *scalar_bits(Lower *l, DType t, uint64_t bits)
{
    return build_const(&l->b, type_scalar(l->module, t), bits);
}

static Value *in_shape(Lower *l, Value *scalar, const Value *like)
{
    return scalar->type->rank > 0 ? scalar : build_splat(&l->b, scalar, like->type);
}

static Value * xor (Lower * l, Value *x, Value *y) { return build_binary(&l->b, OP_xor, x, y); }

    /* One round (R280): c and k are replaced. */
    static void philox_round(Lower *l, const Width *w, Value **c, Value **k)
{
    Value *a = in_shape(l, scalar_bits(l, w->dtype, w->round_a), c[0]);
    Value *b = in_shape(l, scalar_bits(l, w->dtype, w->round_b), c[0]);
    Value *hi_a = build_binary(&l->b, OP_mulhi, a, c[0]),
          *lo_a = build_binary(&l->b, OP_mul, a, c[0]);
    Value *hi_b = build_binary(&l->b, OP_mulhi, b, c[2]),
          *lo_b = build_binary(&l->b, OP_mul, b, c[2]);

    c[0] = xor(l, xor(l, hi_b, c[1]), in_shape(l, k[0], c[0]));
    c[2] = xor(l, xor(l, hi_a, c[3]), in_shape(l, k[1], c[0]));
    c[1] = lo_b;
    c[3] = lo_a;
    k[0] = build_binary(&l->b, OP_add, k[0], in_shape(l, scalar_bits(l, w->dtype, w->key_a), k[0]));
    k[1] = build_binary(&l->b, OP_add, k[1], in_shape(l, scalar_bits(l, w->dtype, w->key_b), k[1]));
}

/* The two keys of a seed (R281, R282). */
static bool seed_keys(Lower *l, const Args *a, const Width *w, Value **k)
{
    Value *seed = arg_run(l, a, ARG_seed), *high;

    if (!seed)
        return false;
    if (seed->type->pointer || !dtype_is_int(seed->type->dtype)) {
        error_at(l, arg_span(a, ARG_seed), E_SEED, val_type_text(l, seed->type));
        return false;
    }
    seed = build_cast(&l->b, seed, DT_U64, ROUND_NEAREST);
    high = build_binary(&l->b, OP_shr, seed, in_shape(l, scalar_bits(l, DT_U64, 32), seed));
    k[0] = build_cast(&l->b, seed, w->dtype, ROUND_NEAREST);
    k[1] = w->dtype == DT_U64 ? in_shape(l, scalar_bits(l, DT_U64, 0), seed)
                              : build_cast(&l->b, high, DT_U32, ROUND_NEAREST);
    return true;
}

/* The two keys as they are. */
static bool given_keys(Lower *l, const Args *a, const Width *w, Value **k)
{
    static const ArgName names[] = {ARG_k0, ARG_k1};

    for (int i = 0; i < 2; i++) {
        k[i] = arg_run(l, a, names[i]);
        if (!k[i])
            return false;
        if (k[i]->type->pointer || !dtype_is_int(k[i]->type->dtype)) {
            error_at(l, arg_span(a, names[i]), E_SEED, val_type_text(l, k[i]->type));
            return false;
        }
        k[i] = build_cast(&l->b, k[i], w->dtype, ROUND_NEAREST);
    }
    return true;
}

static bool is_same_draw(const Draw *x, const Draw *y)
{
    enum { SAME_DEPTH = 12 };
    bool same = x->block == y->block && x->rounds == y->rounds && x->span.start != y->span.start;

    for (int i = 0; i < COUNT(x->words); i++)
        same = same && ir_same(x->words[i], y->words[i], SAME_DEPTH);
    return same;
}

/* As many rounds of the same keys and counters are the same numbers: told of two that stand one
 * behind the other.  Loops and arms may draw once more what was drawn before. */
static void warn_of_same_draw(Lower *l, const Args *a, int64_t rounds, Value *const *c,
                              Value *const *k)
{
    const Draw draw = {{c[0], c[1], c[2], c[3], k[0], k[1]}, rounds, l->b.block, a->span};

    for (int i = 0; i < l->draws.len; i++) {
        if (!is_same_draw(&l->draws.at[i], &draw))
            continue;
        warn_at(l, draw.span, W_SAME_DRAW);
        hint_at(l, H_SAME_DRAW);
        note_at(l, l->draws.at[i].span, N_SAME_DRAW);
        break;
    }
    vec_push(l->arena, &l->draws, draw);
}

/* Keys that are tiles, and counters, in the shape of both. */
static bool in_one_shape(Lower *l, const Args *a, Value **c, Value **k)
{
    Value *all[] = {c[0], c[1], c[2], c[3], k[0], k[1]};

    if (k[0]->type->rank == 0 && k[1]->type->rank == 0)
        return true;
    if (!ops_broadcast_all(l, all, COUNT(all), a->span))
        return false;
    memcpy(c, all, 4 * sizeof *c);
    memcpy(k, all + 4, 2 * sizeof *k);
    return true;
}

typedef bool Keys(Lower *l, const Args *a, const Width *w, Value **k);

static bool run_rounds(Lower *l, const Args *a, const Width *w, Keys *keys, Value **c)
{
    int64_t rounds;
    Value *k[2];

    if (!arg_int(l, a, ARG_n_rounds, &rounds) || !keys(l, a, w, k) || !in_one_shape(l, a, c, k))
        return false;
    if (rounds < 0 || rounds > MAX_ROUNDS) {
        error_at(l, arg_span(a, ARG_n_rounds), E_ROUNDS, MAX_ROUNDS);
        return false;
    }
    warn_of_same_draw(l, a, rounds, c, k);
    for (int64_t i = 0; i < rounds; i++)
        philox_round(l, w, c, k);
    return true;
}

/* The counters that an offset stands for (R283). */
static bool offset_counters(Lower *l, const Args *a, Value **c)
{
    Value *offset = arg_run(l, a, ARG_offset);
    const Type *t;

    if (!offset)
        return false;
    if (offset->type->pointer || !dtype_is_int(offset->type->dtype)) {
        error_at(l, arg_span(a, ARG_offset), E_OFFSET, val_type_text(l, offset->type));
        hint_at(l, H_OFFSET);
        return false;
    }
    t = type_with_dtype(l->module, offset->type, DT_U32);
    for (int i = 1; i < 4; i++)
        c[i] = build_const(&l->b, t, 0);
    if (dtype_bits(offset->type->dtype) == 64) {
        Value *n = in_shape(l, scalar_bits(l, DT_U64, 32), offset);
        Value *wide = build_cast(&l->b, offset, DT_U64, ROUND_NEAREST);
        c[1] = build_cast(&l->b, build_binary(&l->b, OP_shr, wide, n), DT_U32, ROUND_NEAREST);
    }
    c[0] = build_cast(&l->b, offset, DT_U32, ROUND_NEAREST);
    return true;
}

/* Four random words per element of the offset. */
static bool random_words(Lower *l, const Args *a, Value **c)
{
    return offset_counters(l, a, c) && run_rounds(l, a, &widths[0], seed_keys, c);
}

static Val four(Lower *l, Value *const *v)
{
    Val items[4];

    for (int i = 0; i < 4; i++)
        items[i] = val_run(v[i]);
    return val_tuple(l, 4, items);
}

/* --- floats --- */

/* A word as a number in [0, 1) (R284). */
static Value *to_uniform(Lower *l, Value *u)
{
    bool wide = dtype_bits(u->type->dtype) == 64;
    DType t = wide ? DT_I64 : DT_I32;
    Value *x = build_bitcast(&l->b, u, t);
    Value *negative = build_binary(&l->b, OP_lt, x, build_const(&l->b, x->type, 0));
    Value *scale = scalar_bits(l, DT_FP32, wide ? 0x1FFFFFFE : 0x2FFFFFFF);

    x = build_select(&l->b, negative, build_unary(&l->b, OP_not, x), x); /* -x - 1 */
    x = build_cast(&l->b, x, DT_FP32, ROUND_NEAREST);
    return build_binary(&l->b, OP_mul, x, in_shape(l, scale, x));
}

static Value *float_like(Lower *l, const Value *like, double d)
{
    return in_shape(l, build_float(&l->b, type_scalar(l->module, DT_FP32), d), like);
}

/* Two numbers of the normal distribution of two uniform ones (R285). */
static void to_normal(Lower *l, Value *u1, Value *u2, Value **n1, Value **n2)
{
    Value *v = build_binary(&l->b, OP_max, float_like(l, u1, 1.0e-7), u1);
    Value *t = build_binary(&l->b, OP_mul, float_like(l, u2, 6.283185307179586), u2);
    Value *log = build_unary(&l->b, OP_log, v);
    Value *r = build_binary(&l->b, OP_mul, float_like(l, log, -2.0), log);

    r = build_unary(&l->b, OP_sqrt, r);
    *n1 = build_binary(&l->b, OP_mul, r, build_unary(&l->b, OP_cos, t));
    *n2 = build_binary(&l->b, OP_mul, r, build_unary(&l->b, OP_sin, t));
}

/* --- functions --- */

/* Of the words of a counter so many as numbers in [0, 1), and these by pairs as normal ones. */
static Val random_numbers(Lower *l, const Args *a, int uniform, int normal)
{
    Value *c[4];

    if (!random_words(l, a, c))
        return val_unknown();
    for (int i = 0; i < uniform; i++)
        c[i] = to_uniform(l, c[i]);
    for (int i = 0; i < normal; i += 2)
        to_normal(l, c[i], c[i + 1], &c[i], &c[i + 1]);
    return a->builtin->data == 4 ? four(l, c) : val_run(c[0]);
}

Val random_int(Lower *l, const Args *a)
{
    return random_numbers(l, a, 0, 0);
}

Val random_uniform(Lower *l, const Args *a)
{
    return random_numbers(l, a, a->builtin->data, 0);
}

Val random_normal(Lower *l, const Args *a)
{
    int n = MAX(a->builtin->data, 2);

    return random_numbers(l, a, n, n);
}

/* philox(seed, c0, c1, c2, c3, n_rounds), or with keys in place of the seed, as `data` tells: the
 * width of c0 decides. */
Val random_philox(Lower *l, const Args *a)
{
    Keys *keys = a->builtin->data == PHILOX_KEYS ? given_keys : seed_keys;
    static const ArgName counters[] = {ARG_c0, ARG_c1, ARG_c2, ARG_c3};
    Value *c[4];

    for (int i = 0; i < 4; i++) {
        c[i] = arg_run(l, a, counters[i]);
        if (!c[i])
            return val_unknown();
        if (c[i]->type->pointer || !dtype_is_int(c[i]->type->dtype))
            return fail_val(l, arg_span(a, counters[i]), E_OFFSET, val_type_text(l, c[i]->type));
    }
    const Width *w = &widths[dtype_bits(c[0]->type->dtype) == 64];
    for (int i = 0; i < 4; i++)
        c[i] = build_cast(&l->b, c[i], w->dtype, ROUND_NEAREST);
    if (!ops_broadcast_all(l, c, 4, a->span) || !run_rounds(l, a, w, keys, c))
        return val_unknown();
    return four(l, c);
}

Val random_to_uniform(Lower *l, const Args *a)
{
    Value *u = arg_run(l, a, ARG_x);
    bool word =
        u && !u->type->pointer && dtype_is_int(u->type->dtype) && dtype_bits(u->type->dtype) >= 32;

    if (u && !word)
        return fail_val(l, arg_span(a, ARG_x), E_OFFSET, val_type_text(l, u->type));
    return u ? val_run(to_uniform(l, u)) : val_unknown();
}

Val random_to_normal(Lower *l, const Args *a)
{
    Value *u1 = float_operand(l, a, ARG_u1), *u2 = float_operand(l, a, ARG_u2);

    if (!u1 || !u2 || !ops_broadcast(l, &u1, &u2, a->span))
        return val_unknown();
    u1 = build_cast(&l->b, u1, DT_FP32, ROUND_NEAREST);
    u2 = build_cast(&l->b, u2, DT_FP32, ROUND_NEAREST);
    to_normal(l, u1, u2, &u1, &u2);
    return val_pair(l, val_run(u1), val_run(u2));
}
