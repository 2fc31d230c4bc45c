/*
 * cpu_eval.c - the value of a tile where the loops of a nest stand
 *
 * cpu_eval() goes from a value through its virtual operands down to loads, buffers, constants and
 * scalars, and emits each op at the outermost loop whose index it changes with.  So what does not
 * depend on the inner dimension is computed once per row without any hoisting pass, and stays a
 * scalar until a vector needs it.
 *
 * The way down is a stack of questions, n->asked, not of calls: programs may be long.  A question's
 * operands are asked for one by one, *_asks() say which, and when all are known its own answer is
 * emitted, which then finds them in the tables.
 *
 * Results are remembered, under these invariants:
 *
 *   1. A table's entries are made by code that dominates every place where the table is asked:
 *      `outer` lives as long as the nest, whose at[0..rank-1] stay open to the end; `memo` as long
 *      as one body, and a detour has its own.
 *   2. What depends on a segment (its bounds are known to be true or false) ends with its body,
 *      even at an outer level: `local`, and everything outside of the main segment.
 *   3. MEMO_LANE holds values of lane 0 as scalars, and is the only table while scalar_lane is
 *      set; they would not do for other lanes, nor vectors for lane 0.
 *   4. A key is a value and the dimensions that index it, so the same value read at two places of a
 *      nest has two entries.
 *
 * `map` gives, for each dimension of the value, the nest dimension that indexes it, or -1 for 0.
 */
#include "cpu.h"

static Ev *recall(const NestCg *n, const Value *v, const int8_t *map)
{
    uint64_t key = access_key(v, map);
    Ev *e = cpu_recall(n, n->scalar_lane ? MEMO_LANE : MEMO_INNER, key);

    return e || n->scalar_lane ? e : map_get(n->outer, key);
}

static Ev *recall_mask(const NestCg *n, const Value *v, const int8_t *map)
{
    return cpu_recall(n, MEMO_MASK, access_key(v, map));
}

static Ev *keep(NestCg *n, Map *table, const Value *v, const int8_t *map, Ev e)
{
    Ev *copy = NEW(n->c->arena, Ev);

    *copy = e;
    map_put(table, access_key(v, map), copy);
    n->values++;
    return copy;
}

static void remember(NestCg *n, const Value *v, const int8_t *map, Ev e)
{
    /* what a segment's masks make simpler holds for this body only */
    bool lasting = e.level < n->rank && n->segment == SEGMENT_MAIN && !e.local;
    Map *body = n->memo.table[n->scalar_lane ? MEMO_LANE : MEMO_INNER];

    keep(n, lasting && !n->scalar_lane ? n->outer : body, v, map, e);
}

/* The nest dimension's index as an integer of type t, at the level of its loop. */
static Val index_as(NestCg *n, int dim, LLVMTypeRef t, int level)
{
    Val i = n->index[dim];

    return LLVMTypeOf(i) == t ? i : LLVMBuildIntCast2(n->at[level], i, t, 1, "");
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

/* What rearranges elements reads its operand's buffer, which is dense and row-major: a reshape
 * under the result's dims, another op from where it starts. */
static Ev eval_rearranged(NestCg *n, Value *v, const int8_t *map)
{
    Value *in = v->def->operands[0];
    int8_t from[MAX_RANK];
    int64_t first = 0;
    Move m;

    if (in->type->rank == 0)
        return (Ev){.v = n->c->scalars[in->id]};
    int buffer = plan_buffer(n->c->plan, in);
    if (!op_move(v->def, &m))
        return cpu_eval_buffer(n, buffer, 0, map, v->type);
    for (int d = 0; d < in->type->rank; d++) {
        from[d] = m.follows[d] < 0 ? -1 : map[m.follows[d]];
        first = first * in->type->dims[d] + m.start[d];
    }
    return cpu_eval_buffer(n, buffer, first, from, in->type);
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
static bool has_detour(const NestCg *n, const Op *op, const Ev *c)
{
    return plan_is_usual(op) && !n->scalar_lane && c->vec && c->level == n->rank &&
           c->known == KNOWN_NOT;
}

static Ev eval_usual(NestCg *n, const Op *op, const int8_t *map, const Ev *c)
{
    if (n->in_detour) {
        Ev rare = cpu_eval(n, op->operands[SELECT_ELSE], map);
        return (Ev){
            .v = cpu_vectorise(n, rare), .vec = true, .level = n->rank, .local = rare.local};
    }
    Ev usual = cpu_eval(n, op->operands[SELECT_THEN], map);
    Val x = cpu_vectorise(n, usual);
    Detour d = cpu_detour_begin(n, cpu_all(n, c->v), x);
    Ev rare = cpu_eval(n, op->operands[SELECT_ELSE], map);
    return (Ev){.v = cpu_detour_end(n, &d, cpu_vectorise(n, rare)),
                .vec = true,
                .level = n->rank,
                .local = c->local || usual.local || rare.local};
}

/* The operand that a select always gives here, or -1. */
static int chosen_operand(const Ev *c)
{
    if (c->known == KNOWN_NOT)
        return -1;
    return c->known == KNOWN_TRUE ? SELECT_THEN : SELECT_ELSE;
}

/* Of a select, when not both of its values are needed everywhere. */
static bool eval_select(NestCg *n, const Op *op, const int8_t *map, Ev *out)
{
    Ev c = cpu_eval(n, op->operands[SELECT_IF], map);
    int chosen = chosen_operand(&c);

    if (has_detour(n, op, &c)) {
        *out = eval_usual(n, op, map, &c);
        return true;
    }
    if (chosen < 0)
        return false;
    *out = cpu_eval(n, op->operands[chosen], map);
    out->local |= c.local;
    return true;
}

static Ev eval_elementwise(NestCg *n, Value *v, const int8_t *map)
{
    const Op *op = v->def;
    Ev in[MAX_ELEMENTWISE_OPERANDS] = {0};
    Val raw[MAX_ELEMENTWISE_OPERANDS];
    Ev out = {0};

    if (op->noperands > MAX_ELEMENTWISE_OPERANDS)
        bug("%s has %d operands", op_info(op->code)->name, op->noperands);
    if (op->code == OP_select && eval_select(n, op, map, &out))
        return out;
    for (int i = 0; i < op->noperands; i++) {
        in[i] = cpu_eval(n, op->operands[i], map);
        out.vec |= in[i].vec;
        out.level = MAX(out.level, in[i].level);
        out.local |= in[i].local;
    }
    Known k = known_result(op, in);
    if (k != KNOWN_NOT)
        return known_ev(n, k, out.local);
    if (shares_divisor(n, op, in)) {
        out.v = emit_round(&n->c->e, n->at[n->rank], cpu_divide(n, in[0], in[1]), v->type->dtype);
        return out;
    }
    for (int i = 0; i < op->noperands; i++)
        raw[i] = out.vec ? cpu_vectorise(n, in[i]) : in[i].v;
    out.v = emit_op(&n->c->e, n->at[out.level], op, raw);
    return out;
}

/* Integers that are not affine, but may come in runs that fill whole vectors: (i // 16), (i % n).
 */
static bool may_be_chunk(NestCg *n, const Value *v, const int8_t *map)
{
    if (n->scalar_lane || (!v->type->pointer && dtype_is_float(v->type->dtype)))
        return false;
    OpCode code = v->def ? v->def->code : OP_const;
    if (code != OP_div && code != OP_rem && code != OP_shr && code != OP_and)
        return false;
    return cpu_depends(n, v, map);
}

static bool is_chunk(NestCg *n, Value *v, const int8_t *map, Access *a)
{
    if (!may_be_chunk(n, v, map))
        return false;
    *a = cpu_access(n, v, map);
    return a->ok && a->chunked;
}

static bool eval_chunk(NestCg *n, Value *v, const int8_t *map, Ev *out)
{
    Access a;

    if (!is_chunk(n, v, map, &a))
        return false;
    Bld b = n->at[n->rank];
    *out = cpu_chunk(n, v, map);
    if (a.stride == 0)
        return true;
    LLVMTypeRef t = LLVMTypeOf(out->v);
    Val lanes = llvm_iota(t, n->lanes);
    *out = (Ev){.v = LLVMBuildAdd(b, llvm_splat(b, out->v, n->lanes), lanes, ""),
                .vec = true,
                .level = n->rank};
    return true;
}

static Ev eval_definition(NestCg *n, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];
    Value *source = access_renamed(v, map, in);

    if (source)
        return cpu_eval(n, source, in);
    const Op *op = v->def;
    Ev chunk;
    switch (op->code) {
    case OP_const:
        return (Ev){.v = emit_constant(&n->c->e, v->type, (uint64_t)attr_bits(op)),
                    .known = v->type->pointer || v->type->dtype != DT_I1 ? KNOWN_NOT
                             : attr_bits(op) & 1                         ? KNOWN_TRUE
                                                                         : KNOWN_FALSE};
    case OP_splat:
        return cpu_eval(n, op->operands[0], map);
    case OP_arange:
        return eval_arange(n, v, map);
    case OP_load:
        return cpu_eval_load(n, v, map);
    default:
        if (op_has(op, MOVES))
            return eval_rearranged(n, v, map);
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

/* A value that is read from its buffer here. */
static bool is_buffered(const NestCg *n, const Value *v, const int8_t *map)
{
    return plan_buffer(n->c->plan, v) != NO_BUFFER && !(v->def && filled_here(n, v, map));
}

static void find_value(NestCg *n, Value *v, const int8_t *map)
{
    if (is_buffered(n, v, map)) {
        remember(n, v, map, cpu_eval_buffer(n, plan_buffer(n->c->plan, v), 0, map, v->type));
        return;
    }
    if (!v->def)
        bug("a tile argument without a buffer");
    const Op *around = llvm_at(n->c->l, v->def);
    remember(n, v, map, eval_definition(n, v, map));
    llvm_at(n->c->l, around);
}

/* A conjunction in the mask of an access, whose parts may be known. */
static bool is_conjunction(const NestCg *n, const Value *v)
{
    return v->def && v->def->code == OP_and && plan_buffer(n->c->plan, v) == NO_BUFFER;
}

static Ev both(NestCg *n, Ev x, Ev y)
{
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

static Value *mask_source(const NestCg *n, const Value *v, const int8_t *map, int8_t *in)
{
    return plan_buffer(n->c->plan, v) == NO_BUFFER ? access_renamed(v, map, in) : NULL;
}

static void find_mask(NestCg *n, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];
    Value *source = mask_source(n, v, map, in);
    Ev e;

    if (source)
        e = cpu_eval_mask(n, source, in);
    else if (is_conjunction(n, v))
        e = both(n, cpu_eval_mask(n, v->def->operands[0], map),
                 cpu_eval_mask(n, v->def->operands[1], map));
    else
        e = cpu_eval(n, v, map);
    keep(n, n->memo.table[MEMO_MASK], v, map, e);
}

/* --- questions and what they need ---------------------------------------------------------- */

static bool elementwise_asks(NestCg *n, Value *v, const int8_t *map, int i, Ask *out)
{
    const Op *op = v->def;
    Access chunk;

    if (is_chunk(n, v, map, &chunk))
        return false;
    if (i < op->noperands)
        *out = cpu_ask(ASK_VALUE, op->operands[i], map);
    if (i == 0 || op->code != OP_select)
        return i < op->noperands;
    Ev c = cpu_eval(n, op->operands[SELECT_IF], map);
    int chosen = chosen_operand(&c);
    if (has_detour(n, op, &c))
        chosen = n->in_detour ? SELECT_ELSE : SELECT_THEN;
    if (chosen >= 0)
        *out = cpu_ask(ASK_VALUE, op->operands[chosen], map);
    return chosen >= 0 ? i == 1 : i < op->noperands;
}

static bool value_asks(NestCg *n, Value *v, const int8_t *map, int i, Ask *out)
{
    int8_t in[MAX_RANK];

    if (is_buffered(n, v, map) || !v->def)
        return false;
    Value *source = access_renamed(v, map, in);
    if (source) {
        *out = cpu_ask(ASK_VALUE, source, in);
        return i == 0;
    }
    switch (v->def->code) {
    case OP_const:
    case OP_splat:
    case OP_arange:
        return false;
    case OP_load:
        return cpu_load_asks(n, v, map, i, out);
    default:
        return !op_has(v->def, MOVES) && elementwise_asks(n, v, map, i, out);
    }
}

static bool mask_asks(NestCg *n, Value *v, const int8_t *map, int i, Ask *out)
{
    int8_t in[MAX_RANK];
    Value *source = mask_source(n, v, map, in);

    if (source)
        *out = cpu_ask(ASK_MASK, source, in);
    else if (!is_conjunction(n, v))
        *out = cpu_ask(ASK_VALUE, v, map);
    else if (i < 2)
        *out = cpu_ask(ASK_MASK, v->def->operands[i], map);
    return i < (is_conjunction(n, v) ? 2 : 1);
}

static bool next_ask(NestCg *n, const Ask *a, Ask *out)
{
    switch (a->kind) {
    case ASK_VALUE:
        return value_asks(n, a->value, a->map, a->next, out);
    case ASK_MASK:
        return mask_asks(n, a->value, a->map, a->next, out);
    case ASK_ROW:
        return cpu_row_asks(n, a->value, a->map, a->next, out);
    }
    return false;
}

static bool is_answered(const NestCg *n, const Ask *a)
{
    Known k;

    if (a->kind == ASK_ROW)
        return cpu_row_known(n, a->value, a->map);
    if (a->value->type->rank == 0)
        return true;
    if (!n->scalar_lane && cpu_bound_known(n, a->value, a->map, a->kind == ASK_MASK, &k))
        return true;
    return a->kind == ASK_MASK ? recall_mask(n, a->value, a->map) != NULL
                               : recall(n, a->value, a->map) != NULL;
}

static void find_answer(NestCg *n, const Ask *a)
{
    switch (a->kind) {
    case ASK_VALUE:
        find_value(n, a->value, a->map);
        break;
    case ASK_MASK:
        find_mask(n, a->value, a->map);
        break;
    case ASK_ROW:
        cpu_row_compute(n, a->value, a->map);
        break;
    }
}

void cpu_answer(NestCg *n, Ask question)
{
    int base = n->asked.len;

    vec_push(n->c->arena, &n->asked, question);
    while (n->asked.len > base) {
        Ask top = n->asked.at[n->asked.len - 1], need;
        if (next_ask(n, &top, &need)) {
            n->asked.at[n->asked.len - 1].next++;
            if (!is_answered(n, &need))
                vec_push(n->c->arena, &n->asked, need);
        } else {
            n->asked.len--;
            find_answer(n, &top);
        }
    }
}

Ev cpu_eval(NestCg *n, Value *v, const int8_t *map)
{
    Known k;

    if (v->type->rank == 0)
        return (Ev){.v = n->c->scalars[v->id]};
    if (!n->scalar_lane && cpu_bound_known(n, v, map, false, &k))
        return known_ev(n, k, true);
    if (!recall(n, v, map))
        cpu_answer(n, cpu_ask(ASK_VALUE, v, map));
    return *recall(n, v, map);
}

/* For the mask of an access that changes with the inner dimension: row masks count too. */
Ev cpu_eval_mask(NestCg *n, Value *v, const int8_t *map)
{
    Known k;

    if (!n->scalar_lane && cpu_bound_known(n, v, map, true, &k))
        return known_ev(n, k, true);
    if (v->type->rank == 0)
        return cpu_eval(n, v, map);
    if (!recall_mask(n, v, map))
        cpu_answer(n, cpu_ask(ASK_MASK, v, map));
    return *recall_mask(n, v, map);
}
