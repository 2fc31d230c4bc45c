/*
 * check_value.c - look at what programs compute and promise, where accesses are checked
 *
 * Takes and gives verified IR, without calls.  check_values() puts assertions
 *   - where a result is used that is none, as that of a division by zero (check_spoils.c);
 *   - behind tl.assume, tl.multiple_of, tl.max_contiguous and tl.max_constancy,
 *   - where a store cuts off bits of integers without being asked to, in 16 bits and less, and
 *     where what it stores is too large for fp16; so is a sum of it.
 *
 * A division in a lane that is masked off, or that tl.where passes over, is right: so such a result
 * is followed.  Beside each value that is made of one goes a *spoilt* tile, i1, true where an
 * element counts for nothing; operations on elements hand it on, selections and masks clear it.
 * It is asked for where elements leave the lanes: stored, summed, used as an address or as a scalar
 * that decides.  Tiles that a loop carries are not followed, since their lanes may be masked off.
 *
 * check_stores() comes behind check_accesses(): a store whose addresses are not known to differ is
 * read back.  What finds another value than it stored has shared the element with another lane, or
 * with another program.  Where a lane adds to what it found there, equal values are as wrong: then
 * the numbers of the lanes go there first.  Both is only right where programs that run at the same
 * time would be told as a race: on devices that look for these.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "../ir/analysis.h"

#define BEYOND_FP16 65520.0 /* what is rounded to infinity */

typedef struct {
    Func *func;
    Map *spoilt; /* Value* -> Value*, i1 in its shape */
    Map *source; /* .. -> Op*: what spoilt it */
    int known;   /* values from there on are ours */
} Values;

static Value *both(Builder *b, Value *x, Value *y)
{
    return x && y ? build_binary(b, OP_and, x, y) : x ? x : y;
}

static Value *either(Builder *b, Value *x, Value *y)
{
    return x && y ? build_binary(b, OP_or, x, y) : x ? x : y;
}

/* Behind an op, at whose place messages are. */
static Builder behind(const Op *op)
{
    Builder b = builder_before(op->next);

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    return b;
}

static void put_assertion(Builder *b, Value *condition, Value *mask, const char *text)
{
    int64_t attrs[] = {attr_of_text(b->module, text, strlen(text)), 0, 1};
    Value *operands[] = {condition, mask};

    build_op(b, OP_assert, mask ? 2 : 1, operands, COUNT(attrs), attrs, 0, NULL);
}

/* --- results that are none --- */

static const Type *like_mask(const Builder *b, const Value *v)
{
    return type_with_dtype(b->module, v->type, DT_I1);
}

static Value *spoilt_of(const Values *k, const Value *v)
{
    return map_get(k->spoilt, MAP_KEY(v));
}

static void set_spoilt(Values *k, const Value *v, Value *spoilt, const Op *source)
{
    map_put(k->spoilt, MAP_KEY(v), spoilt);
    map_put(k->source, MAP_KEY(v), (void *)source);
}

/* False wins over anything, as true does in an `or`. */
static Value *spoilt_of_logic(Builder *b, const Op *op, Value *x, Value *y)
{
    Value *v[2] = {op->operands[0], op->operands[1]}, *s[2] = {x, y}, *all = NULL;

    for (int i = 0; i < 2; i++) {
        Value *other = op->code == OP_and ? v[1 - i] : build_unary(b, OP_not, v[1 - i]);
        if (s[i])
            all = either(b, all, both(b, s[i], either(b, s[1 - i], other)));
    }
    return all;
}

static Value *spoilt_by_operands(const Values *k, Builder *b, const Op *op)
{
    Value *s[MAX_ELEMENTWISE_OPERANDS] = {0}, *all = NULL;

    for (int i = 0; i < op->noperands; i++) {
        s[i] = spoilt_of(k, op->operands[i]);
        all = either(b, all, op->code == OP_select && i > 0 ? NULL : s[i]);
    }
    if ((op->code == OP_and || op->code == OP_or) && op->results[0]->type->dtype == DT_I1)
        return spoilt_of_logic(b, op, s[0], s[1]);
    if (op->code != OP_select || (!s[1] && !s[2]))
        return all;
    Value *none = build_int(b, like_mask(b, op->results[0]), 0);
    return either(b, all, build_select(b, op->operands[0], s[1] ? s[1] : none, s[2] ? s[2] : none));
}

static const Op *source_of_operands(const Values *k, const Op *op)
{
    const Op *source = NULL;

    for (int i = 0; !source && i < op->noperands; i++)
        source = map_get(k->source, MAP_KEY(op->operands[i]));
    return source;
}

static Value *spoilt_by_move(const Values *k, Builder *b, const Op *op)
{
    Value *in = spoilt_of(k, op->operands[0]);
    const Type *t = like_mask(b, op->results[0]);

    return build_op(b, op->code, 1, &in, op->nattrs, op->attrs, 1, &t)->results[0];
}

/* The elements leave their lanes: what the mask lets through must be right. */
static void ask(const Values *k, Op *op)
{
    const Value *mask = op_operand(op, ir_access(op).mask);
    bool hands_on = op->code == OP_yield || op->code == OP_condition || op->code == OP_for ||
                    op->code == OP_while || op->code == OP_histogram;

    for (int i = 0; i < op->noperands; i++) {
        Value *spoilt = spoilt_of(k, op->operands[i]);
        const Op *source = map_get(k->source, MAP_KEY(op->operands[i]));
        if (!spoilt || (hands_on && spoilt->type->rank > 0))
            continue;
        Builder b = builder_before(op);
        b.span = source->span;
        b.site = source->site;
        bool masked = mask && op->operands[i] != mask && type_same_shape(mask->type, spoilt->type);
        put_assertion(&b, build_unary(&b, OP_not, spoilt), masked ? (Value *)mask : NULL,
                      check_spoilt_text(source));
    }
}

static bool follows(const Op *op)
{
    return op->nresults == 1 && op->noperands > 0 && op->noperands <= MAX_ELEMENTWISE_OPERANDS &&
           (op_has(op, FOLDS) || op->code == OP_addptr || op->code == OP_hint ||
            (op_has(op, MOVES) && op->noperands == 1));
}

static void look_at(Values *k, Op *op)
{
    const Op *source = source_of_operands(k, op);

    if (!follows(op)) {
        if (source)
            ask(k, op);
        return;
    }
    if ((!source && !check_may_spoil(op)) || (source && check_mends(op, source)))
        return;
    Builder b = behind(op);
    Value *own = check_spoils(&b, op), *spoilt;
    if (op_has(op, MOVES))
        spoilt = spoilt_by_move(k, &b, op);
    else
        spoilt = either(&b, own, source ? spoilt_by_operands(k, &b, op) : NULL);
    if (spoilt)
        set_spoilt(k, op->results[0], spoilt, own || !source ? op : source);
}

/* --- promises --- */

/* i1, a scalar or along dimension d: is each run of n elements what was promised? */
static Value *keeps_runs(Builder *b, Value *v, int d, int64_t n, int step)
{
    int64_t starts[MAX_RANK] = {0};
    int32_t dims[MAX_RANK];
    int length = v->type->dims[d] - 1;

    memcpy(dims, v->type->dims, sizeof dims);
    dims[d] = length;
    Value *first = build_slice(b, v, starts, dims);
    starts[d] = 1;
    Value *second = build_slice(b, v, starts, dims);
    Value *right = build_binary(b, OP_eq, second,
                                build_binary(b, OP_add, first, build_int(b, first->type, step)));
    Value *at = build_arange(b, 1, length + 1);
    Value *zero = build_int(b, at->type, 0);
    Value *begins =
        build_binary(b, OP_eq, build_binary(b, OP_rem, at, build_int(b, at->type, n)), zero);
    for (int k = 0; k < v->type->rank; k++) {
        if (k != d)
            begins = build_expand(b, begins, k);
    }
    return build_binary(b, OP_or, right, build_broadcast(b, begins, right->type));
}

static Value *first_element(Builder *b, Value *v)
{
    int64_t starts[MAX_RANK] = {0};
    int32_t ones[MAX_RANK];

    if (v->type->rank == 0)
        return v;
    for (int d = 0; d < v->type->rank; d++)
        ones[d] = 1;
    return build_reshape(b, build_slice(b, v, starts, ones), 0, NULL);
}

static Value *is_multiple(Builder *b, Value *v, int64_t of)
{
    Value *zero = build_int(b, v->type, 0);

    return build_binary(b, OP_eq, build_binary(b, OP_rem, v, build_int(b, v->type, of)), zero);
}

static void check_promise(Op *op)
{
    Builder b = behind(op);
    Value *v = op->operands[0];
    HintKind kind = attr_hint_kind(op);
    int n;
    const int64_t *values = attr_values(op, &n);

    if (v->type->pointer && v->type->rank > 0)
        return;
    if (v->type->pointer)
        v = build_cast(&b, v, DT_I64, ROUND_NEAREST);
    if (!opt_is_int(v) || v->type->dtype == DT_I1)
        return;
    for (int d = 0; d < n; d++) {
        bool runs = d < v->type->rank && v->type->dims[d] > 1 && values[d] > 1;
        Value *first = kind == HINT_MULTIPLE_OF && values[d] > 1 ? first_element(&b, v) : NULL;
        if (first)
            put_assertion(
                &b, is_multiple(&b, first, values[d]), NULL,
                arena_printf(b.module->arena, "this is no multiple of %lld", (long long)values[d]));
        if (kind == HINT_MAX_CONTIGUOUS && runs)
            put_assertion(&b, keeps_runs(&b, v, d, MIN(values[d], v->type->dims[d]), 1), NULL,
                          "these are not as contiguous as tl.max_contiguous says");
        if (kind == HINT_MAX_CONSTANCY && runs)
            put_assertion(&b, keeps_runs(&b, v, d, MIN(values[d], v->type->dims[d]), 0), NULL,
                          "these are not as constant as tl.max_constancy says");
    }
}

/* --- integers that a store makes narrower --- */

/* Bits that are put together, or taken out of larger numbers, are meant to be cut. */
static bool takes_bits(const Value *v)
{
    v = ir_bare(v);
    switch (v->def ? v->def->code : OP_COUNT) {
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_shl:
    case OP_shr:
        return true;
    default:
        return false;
    }
}

/* The store's own conversion to a narrower integer, not one that was written; NULL: it has none. */
static const Op *narrowing(const Op *store)
{
    const Op *cast = store->operands[STORE_DATA]->def;

    if (!cast || cast->code != OP_cast || cast->span.start != store->span.start ||
        cast->span.end != store->span.end || !opt_is_int(cast->results[0]) ||
        !opt_is_int(cast->operands[0]))
        return NULL;
    DType from = cast->operands[0]->type->dtype, to = cast->results[0]->type->dtype;
    bool is_narrower = dtype_bits(to) < dtype_bits(from) && dtype_bits(to) <= 32;
    return is_narrower && to != DT_I1 && !takes_bits(cast->operands[0]) ? cast : NULL;
}

/* Where a number that is too large for fp16 may be chosen, it is a mark, and may be an infinity. */
static bool is_mark(const Value *v, int depth)
{
    const Op *op = v->def;
    uint64_t bits;

    if (value_constant(v, &bits))
        return fabs(scalar_to_double(v->type->dtype, bits)) >= BEYOND_FP16;
    bool goes_on =
        op && depth > 0 &&
        (op_has(op, MOVES) || op->code == OP_cast || op->code == OP_select || op->code == OP_splat);
    for (int i = op && op->code == OP_select; goes_on && i < op->noperands; i++) {
        if (is_mark(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static bool reaches_beyond_fp16(DType t)
{
    return t == DT_BF16 || t == DT_FP32 || t == DT_FP64;
}

/* A number of a wider type is stored as fp16 that ends below it; what is infinite already is
 * told by nobody. */
static void check_overflow(Op *store)
{
    enum { CHOICES = 6 };
    const Op *cast = store->operands[STORE_DATA]->def;

    while (cast && op_has(cast, MOVES))
        cast = cast->operands[0]->def;
    if (!cast || cast->code != OP_cast || cast->results[0]->type->dtype != DT_FP16 ||
        !type_same_shape(cast->results[0]->type, store->operands[STORE_DATA]->type) ||
        !reaches_beyond_fp16(cast->operands[0]->type->dtype) || is_mark(cast->operands[0], CHOICES))
        return;
    Builder b = builder_before(store);
    Value *v = cast->operands[0], *most = build_float(&b, v->type, BEYOND_FP16);
    Value *infinite = build_float(&b, v->type, INFINITY);
    Value *is_infinite = build_binary(&b, OP_eq, v, infinite);
    Value *fits = build_binary(&b, OP_or, build_unary(&b, OP_not, build_binary(&b, OP_ge, v, most)),
                               is_infinite);
    b.span = store->span;
    b.site = store->site;
    b.mark = store->mark;
    put_assertion(&b, fits, op_operand(store, STORE_MASK),
                  "this is infinite in fp16, which ends at 65504: scale it, or store fp32 or bf16");
}

/* Where an element is infinite, or a factor of it. */
static Value *is_made_infinite(Builder *b, const Value *v)
{
    const Op *op = v->def;

    if (!op || op->code != OP_mul)
        return build_unary(b, OP_isinf, (Value *)v);
    Value *second = build_unary(b, OP_isinf, op->operands[1]);
    return build_binary(b, OP_or, build_unary(b, OP_isinf, op->operands[0]), second);
}

/* A sum of fp16 that is infinite where nothing that is added, or multiplied and added, is. */
static void check_sum(Op *op)
{
    static const char text[] = "this sum is infinite in fp16, which ends at 65504: .to(tl.float32) "
                               "of what is added";
    const Op *only = ir_combine_kind(op).only;

    if (op->noperands != 1 || !only || only->code != OP_add || op->results[0]->type->pointer ||
        op->results[0]->type->dtype != DT_FP16)
        return;
    Builder b = behind(op);
    Value *any = build_cast(&b, is_made_infinite(&b, op->operands[0]), DT_I32, ROUND_NEAREST);
    Value *some = build_reduce_along(&b, OP_max, any, attr_axis(op));
    Value *sum = build_unary(&b, OP_isinf, op->results[0]);
    Value *none = build_binary(&b, OP_eq, some, build_int(&b, some->type, 0));
    put_assertion(&b, build_unary(&b, OP_not, both(&b, sum, none)), NULL, text);
}

/* A sum along an axis, or of rounds, which is a number and no bits. */
static bool is_total(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && (opt_is_loop(op) || (ir_reduces(op) && ir_combine_code(op) == OP_add));
}

/* It may be the number, or one of its bits without a sign: 255 in int8 is -1. */
static void check_narrowing(Op *store)
{
    const Op *cast = narrowing(store);

    if (!cast)
        return;
    Builder b = builder_before(store);
    Value *v = cast->operands[0];
    DType to = cast->results[0]->type->dtype;
    int bits = dtype_bits(to), sign = dtype_is_signed(to) && is_total(v);
    Value *most = build_int(&b, v->type, (INT64_C(1) << (bits - sign)) - 1);
    Value *fits = build_binary(&b, OP_le, v, most);
    if (dtype_is_signed(v->type->dtype)) {
        Value *least = build_int(&b, v->type, -(INT64_C(1) << (bits - 1)));
        fits = build_binary(&b, OP_and, fits, build_binary(&b, OP_ge, v, least));
    }
    b.span = store->span;
    b.site = store->site;
    b.mark = store->mark;
    put_assertion(&b, fits, op_operand(store, STORE_MASK),
                  arena_printf(b.module->arena,
                               "this does not fit in %s, and loses its high bits: .to(tl.%s) says "
                               "that it is meant",
                               dtype_triton_name(to), dtype_long_name(to)));
}

static void look_through(Values *k, Block *block)
{
    for (Op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (op->nresults > 0 && op->results[0]->id >= k->known)
            continue;
        look_at(k, op);
        if (op->code == OP_hint)
            check_promise(op);
        if (op->code == OP_store) {
            check_narrowing(op);
            check_overflow(op);
        }
        if (ir_reduces(op))
            check_sum(op);
        if (op->code == OP_assume) {
            Builder b = builder_before(op);
            put_assertion(&b, op->operands[0], NULL, "this assumption does not hold");
        }
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r] && !op_has(op, COMBINES))
                look_through(k, op->regions[r]);
        }
    }
}

void check_values(Func *f)
{
    Values k = {f, map_new(f->module->arena), map_new(f->module->arena), f->nvalues};

    look_through(&k, f->body);
}

/* --- stores that share an element --- */

enum { DEEPEST_SUM = 20, SAME_DEPTH = 12 };

/* Is what is stored made of what was loaded from the same addresses? */
static bool adds_to(const Value *v, const Value *p, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op_only_reads(op))
        return ir_same(op->operands[ir_access(op).pointer], p, SAME_DEPTH);
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++) {
        if (adds_to(op->operands[i], p, depth - 1))
            return true;
    }
    return false;
}

static DType bits_of(DType t)
{
    static const DType ints[] = {[1] = DT_U8, [2] = DT_U16, [4] = DT_U32, [8] = DT_U64};

    return ints[dtype_size(t)];
}

/* What was just stored, read back; true where it is still there.  Of a volatile load nobody says
 * that it races: another program may have stored the same there. */
static Value *still_there(Builder *b, Value *const *store, int n)
{
    Value *mask = n > STORE_MASK ? store[STORE_MASK] : NULL;
    DType t = store[STORE_DATA]->type->dtype, bits = bits_of(t);

    build_op(b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
    Op *load = build_load(b, store[STORE_PTR], mask, mask ? store[STORE_DATA] : NULL);
    Value *v = load->results[0];

    attr_set(load, ATTR_volatile, true);
    if (t == DT_I1)
        return build_binary(b, OP_eq, v, store[STORE_DATA]);
    Value *data = build_bitcast(b, store[STORE_DATA], bits);
    return build_binary(b, OP_eq, build_bitcast(b, v, bits), data);
}

/* In front of the store the numbers of its lanes go there. */
static void check_alone(Op *op)
{
    Builder b = builder_before(op);
    DType t = op->operands[STORE_DATA]->type->dtype;
    Value *lanes = build_cast(&b, build_numbers(&b, op->operands[STORE_DATA]->type), bits_of(t),
                              ROUND_NEAREST);
    Value *v[3];

    memcpy(v, op->operands, sizeof v[0] * (size_t)op->noperands);
    v[STORE_DATA] = build_bitcast(&b, lanes, t);
    build_op(&b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
    build_op(&b, OP_store, op->noperands, v, 0, NULL, 0, NULL);
    put_assertion(&b, still_there(&b, v, op->noperands), NULL,
                  "another lane of this store has the same address: what both add counts once");
    build_op(&b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
}

static void check_store(const AxisFacts *facts, Op *op)
{
    Value *p = op->operands[STORE_PTR], *data = op->operands[STORE_DATA];

    if (type_numel(p->type) <= 1 || access_distinct(op->block->func->module->arena, facts, p))
        return;
    if (data->type->dtype != DT_I1 && adds_to(data, p, DEEPEST_SUM)) {
        check_alone(op);
        return;
    }
    if (opt_is_uniform(data))
        return;
    Builder b = behind(op);
    put_assertion(&b, still_there(&b, op->operands, op->noperands), NULL,
                  "another lane of this store, or another program, has the same address and "
                  "another value");
}

typedef struct {
    Arena *arena;
    VEC(Op *) found;
} Stores;

static void note_store(Op *op, void *stores)
{
    Stores *s = stores;

    if (op->code == OP_store && op->operands[STORE_PTR]->type->rank > 0)
        vec_push(s->arena, &s->found, op);
}

void check_stores(Func *f)
{
    Stores s = {.arena = f->module->arena};

    ir_walk(f->body, note_store, &s);
    if (s.found.len == 0)
        return;
    AxisFacts *facts = axis_analyse(f, s.arena);
    for (int i = 0; i < s.found.len; i++)
        check_store(facts, s.found.at[i]);
}
