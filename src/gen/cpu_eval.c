/*
 * cpu_eval.c - the value of a tile where the loops of a nest stand
 *
 * cpu_eval() walks from a value through its virtual operands down to loads, buffers, constants and
 * scalars, and emits each op at the outermost loop whose index it changes with.  So what does not
 * depend on the inner dimension is computed once per row without any hoisting pass, and stays a
 * scalar until a vector needs it.
 *
 * Results are remembered, under these invariants:
 *
 *   1. A table's entries are made by code that dominates every place where the table is asked:
 *      `outer` lives as long as the nest, whose at[0..rank-1] stay open to the end; `memo` as long
 *      as one body, and a detour has its own.
 *   2. What depends on a segment (its bounds are known to be true or false) ends with its body,
 *      even at an outer level: `local`, and everything outside of the main segment.
 *   3. `memo.lane` holds values of lane 0 as scalars, and is the only table while scalar_lane is
 *      set; they would not do for other lanes, nor vectors for lane 0.
 *   4. A key is a value and the dimensions that index it, so the same value read at two places of a
 *      nest has two entries.
 *
 * `map` gives, for each dimension of the value, the nest dimension that indexes it, or -1 for 0.
 */
#include "cpu.h"

Memo cpu_memo_new(Arena *a)
{
    return (Memo){map_new(a), map_new(a), map_new(a), map_new(a)};
}

static Map *memo_for(const NestCg *n, int level)
{
    return n->scalar_lane ? n->memo.lane : level == n->rank ? n->memo.inner : n->outer;
}

static Ev *recall(const NestCg *n, const Value *v, const int8_t *map)
{
    uint64_t key = plan_key(v, map);
    Ev *e = n->scalar_lane ? map_get(n->memo.lane, key) : map_get(n->memo.inner, key);

    return e || n->scalar_lane ? e : map_get(n->outer, key);
}

static Ev remember(NestCg *n, const Value *v, const int8_t *map, Ev e)
{
    Ev *copy = NEW(n->c->arena, Ev);

    *copy = e;
    /* what a segment's masks make simpler holds for this body only */
    bool lasting = e.level < n->rank && n->segment == SEGMENT_MAIN && !e.local;
    map_put(memo_for(n, lasting ? e.level : n->rank), plan_key(v, map), copy);
    return e;
}

/* The nest dimension's index as an integer of type t, at the level of its loop. */
static Val index_as(NestCg *n, int dim, LLVMTypeRef t, int level)
{
    Val i = n->index[dim];

    return LLVMTypeOf(i) == t ? i : LLVMBuildIntCast2(n->at[level], i, t, 1, "");
}

Val cpu_vectorise(NestCg *n, Ev e)
{
    if (e.vec || n->nest->serial)
        return e.v;
    return llvm_splat(n->at[e.level], e.v, n->lanes);
}

static Ev eval_arange(NestCg *n, const Value *v, const int8_t *map)
{
    Llvm *l = n->c->l;
    int dim = map[0], start = (int)attr_start(v->def);

    if (dim < 0)
        return (Ev){.v = llvm_int(l->i32, start)};
    int level = n->level_of_dim[dim];
    Bld b = n->at[level];
    Val i = index_as(n, dim, l->i32, level);
    if (start != 0)
        i = LLVMBuildAdd(b, i, llvm_int(l->i32, start), "");
    if (dim != n->inner || n->scalar_lane)
        return (Ev){.v = i, .level = level};
    Val lanes = LLVMBuildAdd(b, llvm_splat(b, i, n->lanes), llvm_iota(l->i32, n->lanes), "");
    return (Ev){.v = lanes, .vec = true, .level = level};
}

/* A reshape that moves elements between dimensions reads its operand's buffer, which is dense and
 * row-major, under the result's dims. */
static Ev eval_reshape(NestCg *n, Value *v, const int8_t *map)
{
    Value *in = v->def->operands[0];

    if (in->type->rank == 0)
        return (Ev){.v = n->c->scalars[in->id]};
    return cpu_eval_buffer(n, plan_buffer(n->c->plan, in), map, v->type);
}

static Known known_result(const Op *op, const Ev *in)
{
    if (op->code == OP_and) {
        if (in[0].known == KNOWN_FALSE || in[1].known == KNOWN_FALSE)
            return KNOWN_FALSE;
        return in[0].known == KNOWN_TRUE && in[1].known == KNOWN_TRUE ? KNOWN_TRUE : KNOWN_NOT;
    }
    if (op->code == OP_or) {
        if (in[0].known == KNOWN_TRUE || in[1].known == KNOWN_TRUE)
            return KNOWN_TRUE;
        return in[0].known == KNOWN_FALSE && in[1].known == KNOWN_FALSE ? KNOWN_FALSE : KNOWN_NOT;
    }
    if (op->code == OP_not && in[0].known != KNOWN_NOT)
        return in[0].known == KNOWN_TRUE ? KNOWN_FALSE : KNOWN_TRUE;
    return KNOWN_NOT;
}

static Ev known_ev(NestCg *n, Known k, bool local)
{
    return (Ev){.v = llvm_int(n->c->l->i1, k == KNOWN_TRUE), .known = k, .local = local};
}

/* A float division of a vector by what is one number for the whole row. */
static bool shares_divisor(const NestCg *n, const Op *op, const Ev *in)
{
    return op->code == OP_div && dtype_is_float(op->operands[0]->type->dtype) && in[0].vec &&
           !in[1].vec && in[1].level < n->rank && n->lanes >= 4;
}

/* select(likely c, x, y) of vectors: y is computed where some lane of c is false. */
static bool eval_usual(NestCg *n, const Op *op, const int8_t *map, Ev *out)
{
    if (!plan_is_usual(op) || n->scalar_lane)
        return false;
    Ev c = cpu_eval(n, op->operands[SELECT_IF], map);
    if (!c.vec || c.level < n->rank || c.known != KNOWN_NOT)
        return false;
    Ev usual = cpu_eval(n, op->operands[SELECT_THEN], map);
    Val x = cpu_vectorise(n, usual);
    Detour d = cpu_detour_begin(n, cpu_all(n, c.v), x);
    Ev rare = cpu_eval(n, op->operands[SELECT_ELSE], map);
    *out = (Ev){.v = cpu_detour_end(n, &d, cpu_vectorise(n, rare)),
                .vec = true,
                .level = n->rank,
                .local = c.local || usual.local || rare.local};
    return true;
}

static Ev eval_elementwise(NestCg *n, Value *v, const int8_t *map)
{
    const Op *op = v->def;
    Ev in[4];
    Val raw[4];
    Ev out = {0};

    if (eval_usual(n, op, map, &out))
        return out;
    for (int i = 0; i < op->noperands; i++) {
        in[i] = cpu_eval(n, op->operands[i], map);
        out.vec |= in[i].vec;
        out.level = MAX(out.level, in[i].level);
        out.local |= in[i].local;
        if (op->code == OP_select && i == SELECT_IF && in[i].known != KNOWN_NOT) {
            int chosen = in[i].known == KNOWN_TRUE ? SELECT_THEN : SELECT_ELSE;
            Ev choice = cpu_eval(n, op->operands[chosen], map);
            choice.local |= out.local;
            return choice;
        }
    }
    Known k = known_result(op, in);
    if (k != KNOWN_NOT)
        return known_ev(n, k, out.local);
    if (shares_divisor(n, op, in)) {
        out.v = cpu_round(n->c, n->at[n->rank], cpu_divide(n, in[0], in[1]), v->type->dtype);
        return out;
    }
    for (int i = 0; i < op->noperands; i++)
        raw[i] = out.vec ? cpu_vectorise(n, in[i]) : in[i].v;
    out.v = cpu_op(n->c, n->at[out.level], op, raw);
    return out;
}

/* Integers that are not affine, but come in runs that fill whole vectors: (i // 16), (i % n). */
static bool eval_chunk(NestCg *n, Value *v, const int8_t *map, Ev *out)
{
    if (n->scalar_lane || (!v->type->pointer && dtype_is_float(v->type->dtype)))
        return false;
    OpCode code = v->def ? v->def->code : OP_const;
    if (code != OP_div && code != OP_rem && code != OP_shr && code != OP_and)
        return false;
    if (!cpu_depends(n, v, map))
        return false;
    Affine a = cpu_affine(n, v, map);
    if (!a.ok || !a.chunked)
        return false;
    Bld b = n->at[n->rank];
    *out = a.base;
    if (a.stride == 0)
        return true;
    LLVMTypeRef t = LLVMTypeOf(a.base.v);
    Val lanes = llvm_iota(t, n->lanes);
    *out = (Ev){.v = LLVMBuildAdd(b, llvm_splat(b, a.base.v, n->lanes), lanes, ""),
                .vec = true,
                .level = n->rank};
    return true;
}

static Ev eval_definition(NestCg *n, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];
    Value *source = plan_renamed(v, map, in);

    if (source)
        return cpu_eval(n, source, in);
    const Op *op = v->def;
    Ev chunk;
    switch (op->code) {
    case OP_const:
        return (Ev){.v = cpu_constant(n->c, v->type, (uint64_t)attr_bits(op)),
                    .known = v->type->pointer || v->type->dtype != DT_I1 ? KNOWN_NOT
                             : attr_bits(op) & 1                         ? KNOWN_TRUE
                                                                         : KNOWN_FALSE};
    case OP_splat:
        return cpu_eval(n, op->operands[0], map);
    case OP_arange:
        return eval_arange(n, v, map);
    case OP_reshape:
        return eval_reshape(n, v, map);
    case OP_load:
        return cpu_eval_load(n, v, map);
    default:
        return eval_chunk(n, v, map, &chunk) ? chunk : eval_elementwise(n, v, map);
    }
}

static bool filled_here(const NestCg *n, const Value *v, const int8_t *map)
{
    int buffer = plan_buffer(n->c->plan, v);

    if (!plan_is_identity(v, map, n->rank))
        return false;
    for (int i = 0; i < n->nest->roots.len; i++) {
        const Root *r = &n->nest->roots.at[i];
        if (r->kind == ROOT_FILL && r->value == v && r->buffer == buffer && r->source == NO_BUFFER)
            return true;
    }
    return false;
}

Ev cpu_eval(NestCg *n, Value *v, const int8_t *map)
{
    Known k;

    if (v->type->rank == 0)
        return (Ev){.v = n->c->scalars[v->id]};
    if (!n->scalar_lane && cpu_bound_known(n, v, map, false, &k))
        return known_ev(n, k, true);
    Ev *old = recall(n, v, map);
    if (old)
        return *old;
    int buffer = plan_buffer(n->c->plan, v);
    if (buffer != NO_BUFFER && !(filled_here(n, v, map) && v->def))
        return remember(n, v, map, cpu_eval_buffer(n, buffer, map, v->type));
    if (!v->def)
        bug("a tile argument without a buffer");
    return remember(n, v, map, eval_definition(n, v, map));
}

/* For the mask of an access that changes with the inner dimension: row masks count too. */
Ev cpu_eval_mask(NestCg *n, Value *v, const int8_t *map)
{
    Known k;
    int8_t in[MAX_RANK];

    if (!n->scalar_lane && cpu_bound_known(n, v, map, true, &k))
        return known_ev(n, k, true);
    Value *source = plan_buffer(n->c->plan, v) == NO_BUFFER ? plan_renamed(v, map, in) : NULL;
    if (source)
        return cpu_eval_mask(n, source, in);
    if (!v->def || v->def->code != OP_and || plan_buffer(n->c->plan, v) != NO_BUFFER)
        return cpu_eval(n, v, map);
    Ev x = cpu_eval_mask(n, v->def->operands[0], map);
    Ev y = cpu_eval_mask(n, v->def->operands[1], map);
    if (x.known == KNOWN_FALSE || y.known == KNOWN_FALSE)
        return known_ev(n, KNOWN_FALSE, true);
    if (x.known == KNOWN_TRUE)
        return y;
    if (y.known == KNOWN_TRUE)
        return x;
    Ev out = {.vec = x.vec || y.vec, .level = MAX(x.level, y.level)};
    Val a = out.vec ? cpu_vectorise(n, x) : x.v, b = out.vec ? cpu_vectorise(n, y) : y.v;
    out.v = LLVMBuildAnd(n->at[out.level], a, b, "");
    return out;
}
