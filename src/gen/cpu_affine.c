/*
 * cpu_affine.c - values that step evenly along the inner dimension
 *
 * Addresses and mask operands are sums of products of indices.  Instead of a vector of addresses,
 * such a value is a scalar for the first lane and a step, which makes loads contiguous and masks
 * bounds.  Where the arithmetic is not linear, the axis analysis may still know that the values of
 * one vector are consecutive or equal ((start + i) % n with everything divisible by 16): then the
 * first lane of each chunk is computed as a scalar.
 *
 * Signed 32-bit index arithmetic is taken not to wrap *within one tile*; the first lane has the
 * exact wrapped value.  A kernel for which that matters addresses memory 2^31 elements apart.
 * Masks are another matter, hashes are compared too: cpu_nest.c looks before it relies on it, also
 * at the i32 that the value was widened from.
 *
 * All else steps modulo the width of its type, which is harmless until it is widened: what may come
 * around before that does not step evenly.
 */
#include "cpu.h"

enum { MAX_WIDENED = 32 };

static bool constant_int(const Ev *e, int64_t *out)
{
    if (e->vec || !LLVMIsAConstantInt(e->v))
        return false;
    *out = LLVMConstIntGetSExtValue(e->v);
    return true;
}

static Affine fixed(Ev base)
{
    return (Affine){.ok = true, .base = base};
}

static Ev apply(NestCg *n, const Op *op, Ev x, Ev y)
{
    Ev out = {.level = MAX(x.level, y.level)};

    out.v = cpu_op(n->c, n->at[out.level], op, (Val[]){x.v, y.v});
    return out;
}

/* The same value, seen from the chunk's first lane as chunked ones are. */
static bool to_chunk(NestCg *n, const Type *t, Affine *a)
{
    if (a->chunked || a->stride == 0)
        return true;
    if (a->dynamic || !n->in_body)
        return false;
    Bld b = n->at[n->rank];
    LLVMTypeRef i64 = n->c->l->i64;
    Val passed = LLVMBuildMul(b, n->index[n->inner], llvm_int(i64, a->stride), "");
    if (t->pointer)
        a->base.v = LLVMBuildGEP2(b, cpu_memory_type(n->c, t->dtype), a->base.v, &passed, 1, "");
    else
        a->base.v = LLVMBuildAdd(b, a->base.v,
                                 LLVMBuildIntCast2(b, passed, LLVMTypeOf(a->base.v), 1, ""), "");
    a->base.level = n->rank;
    a->chunked = true;
    return true;
}

/* Both lists, of which the first is copied.  Who has so many wraps for all we know. */
static const Widened *join(NestCg *n, const Widened *x, const Widened *y)
{
    static const Widened too_many = {.stride = INT64_MAX};

    for (int count = 0; x && y; x = x->next, count++) {
        if (count == MAX_WIDENED)
            return &too_many;
        Widened *w = NEW(n->c->arena, Widened);
        *w = (Widened){.base = x->base, .stride = x->stride, .next = y};
        y = w;
    }
    return x ? x : y;
}

static Affine sum(NestCg *n, const Op *op, Affine x, Affine y)
{
    Affine out = {.chunked = x.chunked || y.chunked};

    if (!x.ok || !y.ok || (x.dynamic && y.stride != 0) || (y.dynamic && x.stride != 0))
        return out;
    if (out.chunked &&
        (!to_chunk(n, op->operands[0]->type, &x) || !to_chunk(n, op->operands[1]->type, &y)))
        return out;
    out.ok = op->code == OP_sub ? !__builtin_sub_overflow(x.stride, y.stride, &out.stride)
                                : !__builtin_add_overflow(x.stride, y.stride, &out.stride);
    out.base = apply(n, op, x.base, y.base);
    out.dynamic = x.dynamic ? x.dynamic : y.dynamic;
    out.widened = join(n, x.widened, y.widened);
    return out;
}

static Affine product(NestCg *n, const Op *op, Affine x, Affine y)
{
    if (x.ok && y.ok && x.stride == 0 && y.stride != 0) {
        Affine t = x;
        x = y;
        y = t;
    }
    Affine out = {.chunked = x.chunked || y.chunked};
    if (!x.ok || !y.ok || y.stride != 0 || x.dynamic)
        return out;
    out.ok = true;
    out.base = apply(n, op, x.base, y.base);
    out.stride = x.stride;
    out.widened = x.widened;
    int64_t factor;
    if (x.stride == 0)
        return out;
    if (constant_int(&y.base, &factor)) {
        out.ok = !__builtin_mul_overflow(x.stride, factor, &out.stride);
        return out;
    }
    out.dynamic = LLVMBuildIntCast2(n->at[y.base.level], y.base.v, n->c->l->i64,
                                    dtype_is_signed(op->operands[0]->type->dtype), "");
    out.ok = y.base.level < n->rank;
    return out;
}

static Affine shifted(NestCg *n, const Op *op, Affine x, Affine y)
{
    int64_t k;

    if (!x.ok || !y.ok || y.stride != 0 || x.dynamic || !constant_int(&y.base, &k) || k < 0 ||
        k > 31)
        return (Affine){0};
    Affine out = {.chunked = x.chunked, .widened = x.widened};
    out.ok = !__builtin_mul_overflow(x.stride, (int64_t)1 << k, &out.stride);
    out.base = apply(n, op, x.base, y.base);
    return out;
}

static Affine negated(NestCg *n, const Op *op, Affine x)
{
    if (!x.ok)
        return x;
    x.base.v = cpu_op(n->c, n->at[x.base.level], op, &x.base.v);
    x.ok = !__builtin_sub_overflow(0, x.stride, &x.stride);
    return x;
}

static bool is_index(const Type *t)
{
    return t->pointer || (!dtype_is_float(t->dtype) && t->dtype != DT_I1);
}

/* Integers step modulo their width; that is a step only where they do not come around, which is
 * taken for granted of i32 and wider alone: (offs - 5) as u32 and offs as u8 do on purpose. */
static bool steps_evenly(const NestCg *n, const Value *v, const Affine *a)
{
    const Axis *facts = axis_of(n->c->plan->axis, v);
    DType t = v->type->dtype;

    if (v->type->pointer || t == DT_I32 || dtype_bits(t) == 64 || a->stride == 0)
        return true;
    if (!facts || !facts->has_range || a->dynamic)
        return false;
    int64_t values = (int64_t)1 << dtype_bits(t), step = a->stride < 0 ? -a->stride : a->stride;
    return step < values && facts->hi - facts->lo < values - step;
}

/* `x`, the steps of `v`, where they go on with 64 bits. */
static Affine widened(NestCg *n, const Value *v, Affine x)
{
    if (!x.ok || x.stride == 0 || v->type->pointer || dtype_bits(v->type->dtype) == 64)
        return x;
    if (!steps_evenly(n, v, &x))
        return (Affine){0};
    if (v->type->dtype != DT_I32)
        return x;
    Widened *w = NEW(n->c->arena, Widened);
    *w = (Widened){.base = x.base, .stride = x.stride, .next = x.widened};
    x.widened = w;
    return x;
}

/* Pointers step in elements, integers in bytes when they are addresses. */
static Affine converted(NestCg *n, const Op *op, Affine x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    int64_t had = from->pointer ? dtype_size(from->dtype) : 1;
    int64_t wants = to->pointer ? dtype_size(to->dtype) : 1;

    if (from->pointer || to->pointer || dtype_bits(to->dtype) > dtype_bits(from->dtype))
        x = widened(n, op->operands[0], x);
    if (!x.ok || __builtin_mul_overflow(x.stride, had, &x.stride) || x.stride % wants != 0)
        return (Affine){0};
    x.stride /= wants;
    x.base.v = cpu_op(n->c, n->at[x.base.level], op, &x.base.v);
    return x;
}

static Affine definition(NestCg *n, Value *v, const int8_t *map)
{
    const Op *op = v->def;
    int8_t in[MAX_RANK];
    Value *source = plan_renamed(v, map, in);

    if (source)
        return cpu_affine(n, source, in);
    Llvm *l = n->c->l;
    switch (op->code) {
    case OP_arange: {
        Val first = LLVMBuildAdd(n->at[n->rank - 1], llvm_int(l->i32, 0),
                                 llvm_int(l->i32, attr_start(op)), "");
        return (Affine){.ok = true, .base = {.v = first}, .stride = 1};
    }
    case OP_addptr:
        return sum(n, op, cpu_affine(n, op->operands[0], map),
                   widened(n, op->operands[1], cpu_affine(n, op->operands[1], map)));
    case OP_add:
    case OP_sub:
        return sum(n, op, cpu_affine(n, op->operands[0], map), cpu_affine(n, op->operands[1], map));
    case OP_mul:
        return product(n, op, cpu_affine(n, op->operands[0], map),
                       cpu_affine(n, op->operands[1], map));
    case OP_shl:
        return shifted(n, op, cpu_affine(n, op->operands[0], map),
                       cpu_affine(n, op->operands[1], map));
    case OP_neg:
        return negated(n, op, cpu_affine(n, op->operands[0], map));
    case OP_cast:
        if (is_index(op->operands[0]->type) && is_index(v->type))
            return converted(n, op, cpu_affine(n, op->operands[0], map));
        return (Affine){0};
    default:
        return (Affine){0};
    }
}

/* Runs known to the axis analysis that cover whole vectors; they too step modulo the width. */
static Affine by_runs(NestCg *n, Value *v, const int8_t *map)
{
    const Axis *a = axis_of(n->c->plan->axis, v);
    int dim = -1;

    if (!n->in_body)
        return (Affine){0};
    for (int d = 0; d < v->type->rank; d++) {
        if (map[d] != n->inner || v->type->dims[d] == 1)
            continue;
        if (dim >= 0)
            return (Affine){0};
        dim = d;
    }
    if (dim < 0 || !a)
        return (Affine){0};
    bool equal = a->constancy[dim] % n->lanes == 0, runs = a->contiguity[dim] % n->lanes == 0;
    if (!equal && !runs)
        return (Affine){0};
    bool scalar_lane = n->scalar_lane;
    n->scalar_lane = true;
    Ev first = cpu_eval(n, v, map);
    n->scalar_lane = scalar_lane;
    first.level = n->rank;
    return (Affine){.ok = true, .chunked = true, .base = first, .stride = equal ? 0 : 1};
}

static Affine compute(NestCg *n, Value *v, const int8_t *map)
{
    if (!is_index(v->type))
        return (Affine){0};
    if (v->type->rank == 0 || !cpu_depends(n, v, map))
        return fixed(cpu_eval(n, v, map));
    Affine a = {0};
    if (plan_buffer(n->c->plan, v) == NO_BUFFER)
        a = definition(n, v, map);
    return a.ok && steps_evenly(n, v, &a) ? a : by_runs(n, v, map);
}

/* Affine where its definition says so: other values are asked for as they are, or not at all. */
static bool by_definition(NestCg *n, const Value *v, const int8_t *map)
{
    return is_index(v->type) && v->type->rank > 0 && cpu_depends(n, v, map) && v->def &&
           plan_buffer(n->c->plan, v) == NO_BUFFER;
}

bool cpu_affine_asks(NestCg *n, Value *v, const int8_t *map, int i, Ask *out)
{
    int8_t in[MAX_RANK];
    const Op *op = v->def;

    if (!by_definition(n, v, map)) {
        *out = cpu_ask(ASK_VALUE, v, map);
        return i == 0 && is_index(v->type) && !cpu_depends(n, v, map);
    }
    Value *source = plan_renamed(v, map, in);
    if (source) {
        *out = cpu_ask(ASK_AFFINE, source, in);
        return i == 0;
    }
    switch (op->code) {
    case OP_cast:
        if (!is_index(op->operands[0]->type))
            return false;
        break;
    case OP_addptr:
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_shl:
    case OP_neg:
        break;
    default:
        return false;
    }
    if (i < op->noperands)
        *out = cpu_ask(ASK_AFFINE, op->operands[i], map);
    return i < op->noperands;
}

static Affine *known_affine(const NestCg *n, const Value *v, const int8_t *map)
{
    uint64_t key = plan_key(v, map);
    Affine *a = cpu_recall(n, MEMO_AFFINE, key);

    return a ? a : map_get(n->affine_outer, key);
}

bool cpu_affine_known(const NestCg *n, const Value *v, const int8_t *map)
{
    return known_affine(n, v, map) != NULL;
}

void cpu_affine_compute(NestCg *n, Value *v, const int8_t *map)
{
    Affine *a = NEW(n->c->arena, Affine);

    *a = compute(n, v, map);
    bool lasting = !a->chunked && a->base.level < n->rank && n->segment == SEGMENT_MAIN;
    map_put(lasting && a->ok ? n->affine_outer : n->memo.table[MEMO_AFFINE], plan_key(v, map), a);
}

Affine cpu_affine(NestCg *n, Value *v, const int8_t *map)
{
    if (!known_affine(n, v, map))
        cpu_answer(n, cpu_ask(ASK_AFFINE, v, map));
    return *known_affine(n, v, map);
}
