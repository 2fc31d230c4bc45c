/*
 * build.c - makes modules, functions, blocks, ops and values
 *
 * Nothing is checked beyond what building needs (verify.c does that), so a pass may build in
 * steps.  An op, its results and its lists are one block of the module's arena.
 */
#include <string.h>

#include "ir.h"

Module *module_new(Arena *a, Interner *interner, const SourceMap *sources)
{
    Module *m = NEW(a, Module);

    m->arena = a;
    m->interner = interner;
    m->sources = sources;
    m->types = map_new(a);
    return m;
}

Func *module_kernel(const Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            return m->funcs[i];
    }
    bug("a module without a kernel");
}

Func *func_new(Module *m, const char *name, Span span)
{
    Func *f = NEW(m->arena, Func);

    f->name = intern(m->interner, name);
    f->module = m;
    f->span = span;
    f->body = block_new(f, NULL);
    if (m->nfuncs == m->funcs_cap)
        m->funcs = vec_more(m->arena, m->funcs, sizeof m->funcs[0], &m->funcs_cap);
    m->funcs[m->nfuncs++] = f;
    return f;
}

Value *func_add_param(Func *f, const char *name, const Type *type, int64_t divisible)
{
    Arena *a = f->module->arena;
    int n = f->nparams;
    Value *v = block_add_arg(f->body, type);

    if ((n & (n - 1)) == 0) { /* full: the room is a power of two */
        size_t row = sizeof f->params[0], have = (size_t)n;
        f->params = arena_grow(a, f->params, have * row, MAX(2 * have, 1) * row);
    }
    v->name = intern(f->module->interner, name);
    f->params[f->nparams++] = (Param){.name = v->name, .divisible = divisible};
    return v;
}

Value *func_add_hidden(Func *f, const char *name, const Type *type, ParamKind kind, int of,
                       int part)
{
    Value *v = func_add_param(f, name, type, 0);
    Param *p = &f->params[f->nparams - 1];

    p->kind = kind;
    p->of = of;
    p->part = part;
    return v;
}

Value *func_add_workspace(Func *f, const char *name, const Type *type, int64_t bytes)
{
    Value *v = func_add_hidden(f, name, type, PARAM_WORKSPACE, 0, 0);

    f->params[f->nparams - 1].divisible = WORKSPACE_ALIGN;
    f->params[f->nparams - 1].bytes = bytes;
    return v;
}

int64_t ir_workspace_at(const Func *f, int i)
{
    int64_t at = 0;

    while (i-- > 0) {
        if (f->params[i].kind == PARAM_WORKSPACE)
            at += (f->params[i].bytes + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
    }
    return at;
}

const Value *func_hidden(const Func *f, ParamKind kind)
{
    for (int i = 0; i < f->nparams; i++) {
        if (f->params[i].kind == kind)
            return f->body->args[i];
    }
    return NULL;
}

Block *block_new(Func *f, Op *owner)
{
    Block *b = NEW(f->module->arena, Block);

    b->owner = owner;
    b->func = f;
    return b;
}

Value *block_add_arg(Block *b, const Type *type)
{
    Value *v = NEW(b->func->module->arena, Value);

    *v = (Value){.type = type, .block = b, .index = b->nargs, .id = b->func->nvalues++};
    if (b->nargs == b->args_cap)
        b->args = vec_more(b->func->module->arena, b->args, sizeof b->args[0], &b->args_cap);
    b->args[b->nargs++] = v;
    return v;
}

Builder builder_at_end(Func *f, Block *b)
{
    return (Builder){.module = f->module, .func = f, .block = b};
}

Builder builder_before(Op *op)
{
    Func *f = op->block->func;

    return (Builder){f->module, f, op->block, op, op->span, op->site, op->mark};
}

Builder builder_into(const Builder *b, Block *end)
{
    Builder in = *b;

    in.block = end;
    in.before = NULL;
    return in;
}

/* An op with room for everything it holds, in one block of memory. */
static Op *allocate(Builder *b, int noperands, int nattrs, int nresults)
{
    size_t bytes = sizeof(Op) + sizeof(Value) * (size_t)nresults +
                   sizeof(void *) * (size_t)(noperands + nresults) +
                   sizeof(int64_t) * (size_t)nattrs;
    Op *op = arena_alloc(b->module->arena, bytes);
    Value *values = (Value *)(op + 1);

    op->noperands = noperands;
    op->nattrs = nattrs;
    op->nresults = nresults;
    op->results = (Value **)(values + nresults);
    op->operands = op->results + nresults;
    op->attrs = (int64_t *)(op->operands + noperands);
    for (int i = 0; i < nresults; i++) {
        values[i] = (Value){.def = op, .index = i, .id = b->func->nvalues++};
        op->results[i] = &values[i];
    }
    return op;
}

/* The type of the one result by the table's word; NULL when the word is none or given. */
static const Type *result_type(Builder *b, const OpInfo *info, int n, Value *const *operands)
{
    const char *word = info->result;

    if (strcmp(word, "none") == 0 || strcmp(word, "given") == 0)
        return NULL;
    int like = strcmp(word, "second") == 0 ? 1 : 0;
    if (n <= like)
        bug("%s with %d operands", info->name, n);
    const Type *t = operands[like]->type;
    if (like == 1 || strcmp(word, "first") == 0)
        return t;
    return type_with_dtype(b->module, t, strcmp(word, "bool") == 0 ? DT_I1 : t->dtype);
}

static bool has_named_operand(const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->extents)
            return true;
    }
    return false;
}

Op *build_op(Builder *b, OpCode code, int noperands, Value *const *operands, int nattrs,
             const int64_t *attrs, int nresults, const Type *const *given)
{
    const OpInfo *info = op_info(code);
    const Type *ruled = given ? NULL : result_type(b, info, noperands, operands);

    if (!given)
        nresults = ruled ? 1 : 0;
    Op *op = allocate(b, noperands, MAX(nattrs, op_fixed_attrs(code)), nresults);
    op->code = code;
    op->span = b->span;
    op->site = b->site;
    op->mark = b->mark;
    if (noperands > 0)
        memcpy(op->operands, operands, sizeof operands[0] * (size_t)noperands);
    if (nattrs > 0)
        memcpy(op->attrs, attrs, sizeof attrs[0] * (size_t)nattrs);
    for (int i = 0; i < nresults; i++)
        op->results[i]->type = given ? given[i] : ruled;
    if (nresults > 0 && has_named_operand(op))
        extents_follow(b->module, op);
    for (int r = 0; r < ((info->flags & REGION_2) ? 2 : (info->flags & REGION_1) ? 1 : 0); r++)
        op->regions[r] = block_new(b->func, op);
    if (b->before)
        op_insert_before(op, b->before);
    else
        op_append(b->block, op);
    return op;
}

/* --- the shapes that the calls below come in --- */

static Value *leaf(Builder *b, OpCode code, int64_t attr, const Type *t)
{
    return build_op(b, code, 0, NULL, 1, &attr, 1, &t)->results[0];
}

static Value *retyped(Builder *b, OpCode code, Value *x, int nattrs, const int64_t *attrs,
                      const Type *t)
{
    return build_op(b, code, 1, &x, nattrs, attrs, 1, &t)->results[0];
}

Value *build_const(Builder *b, const Type *t, uint64_t bits)
{
    return leaf(
        b, OP_const,
        (int64_t)(t->pointer || t->handle != HANDLE_NONE ? bits : scalar_truncate(t->dtype, bits)),
        t);
}

Value *build_int(Builder *b, const Type *t, int64_t v)
{
    return build_const(b, t, (uint64_t)v);
}

Value *build_float(Builder *b, const Type *t, double v)
{
    return build_const(b, t, scalar_from_double(t->dtype, v));
}

Value *build_unary(Builder *b, OpCode code, Value *x)
{
    return build_op(b, code, 1, &x, 0, NULL, 0, NULL)->results[0];
}

Value *build_binary(Builder *b, OpCode code, Value *x, Value *y)
{
    return build_op(b, code, 2, (Value *[]){x, y}, 0, NULL, 0, NULL)->results[0];
}

Value *build_select(Builder *b, Value *c, Value *x, Value *y)
{
    return build_op(b, OP_select, 3, (Value *[]){c, x, y}, 0, NULL, 0, NULL)->results[0];
}

Value *build_usually(Builder *b, Value *c, Value *x, Value *y)
{
    int64_t kind = HINT_LIKELY;
    Value *likely = build_op(b, OP_hint, 1, &c, 1, &kind, 0, NULL)->results[0];

    return build_select(b, likely, x, y);
}

Value *build_cast(Builder *b, Value *x, DType to, Rounding r)
{
    const Type *t = type_with_dtype(b->module, x->type, to);

    return t == x->type ? x : retyped(b, OP_cast, x, 1, (int64_t[]){r}, t);
}

Value *build_bitcast(Builder *b, Value *x, DType to)
{
    const Type *t = type_with_dtype(b->module, x->type, to);

    return t == x->type ? x : retyped(b, OP_bitcast, x, 0, NULL, t);
}

Value *build_arange(Builder *b, int32_t start, int32_t end)
{
    int32_t extent = end - start;

    return leaf(b, OP_arange, start, type_tile(b->module, DT_I32, 1, &extent));
}

static Value *shaped(Builder *b, OpCode code, Value *x, const Type *shape)
{
    const Type *t = type_with_shape(b->module, x->type, shape);

    return t == x->type ? x : retyped(b, code, x, 0, NULL, t);
}

Value *build_splat(Builder *b, Value *x, const Type *shape)
{
    return shaped(b, OP_splat, x, shape);
}

Value *build_broadcast(Builder *b, Value *x, const Type *shape)
{
    return shaped(b, OP_broadcast, x, shape);
}

Value *build_expand(Builder *b, Value *x, int axis)
{
    Type t = *x->type;

    if (t.rank >= MAX_RANK || axis < 0 || axis > t.rank)
        bug("expand of rank %d at %d", t.rank, axis);
    memmove(t.dims + axis + 1, t.dims + axis, sizeof t.dims[0] * (size_t)(t.rank - axis));
    t.dims[axis] = 1;
    t.rank++;
    return retyped(b, OP_expand, x, 1, (int64_t[]){axis}, type_of(b->module, t));
}

Value *build_reshape(Builder *b, Value *x, int rank, const int32_t *dims)
{
    return shaped(b, OP_reshape, x, type_tile(b->module, x->type->dtype, rank, dims));
}

Value *build_permute(Builder *b, Value *x, const int *dims)
{
    int64_t attrs[MAX_RANK];
    Type t = *x->type;

    for (int i = 0; i < t.rank; i++) {
        attrs[i] = dims[i];
        t.dims[i] = x->type->dims[dims[i]];
    }
    return retyped(b, OP_permute, x, t.rank, attrs, type_of(b->module, t));
}

Value *build_slice(Builder *b, Value *x, const int64_t *starts, const int32_t *dims)
{
    Type t = *x->type;

    memcpy(t.dims, dims, sizeof t.dims[0] * (size_t)t.rank);
    const Type *type = type_of(b->module, t);
    return type == x->type ? x : retyped(b, OP_slice, x, t.rank, starts, type);
}

Value *build_addptr(Builder *b, Value *p, Value *offset)
{
    return build_binary(b, OP_addptr, p, offset);
}

Op *build_load(Builder *b, Value *p, Value *mask, Value *other)
{
    Value *operands[] = {[LOAD_PTR] = p, [LOAD_MASK] = mask, [LOAD_OTHER] = other};

    return build_op(b, OP_load, other ? 3 : mask ? 2 : 1, operands, 0, NULL, 0, NULL);
}

static const Type *without_dimension(Module *m, const Type *tile, int axis)
{
    Type t = *tile;

    t.rank--;
    memmove(t.dims + axis, t.dims + axis + 1, sizeof t.dims[0] * (size_t)(t.rank - axis));
    return type_of(m, t);
}

/* The region gets two elements of each tile. */
static Op *combine(Builder *b, OpCode code, int n, Value *const *tiles, int axis, bool reverse)
{
    const Type **types = NEW_N(b->module->arena, const Type *, n + 1);
    const int64_t attrs[] = {axis, reverse};

    for (int i = 0; i < n; i++)
        types[i] =
            code == OP_scan ? tiles[i]->type : without_dimension(b->module, tiles[i]->type, axis);
    Op *op = build_op(b, code, n, tiles, op_fixed_attrs(code), attrs, n, types);
    for (int i = 0; i < 2 * n; i++)
        block_add_arg(op->regions[0], type_element(b->module, tiles[i % n]->type));
    return op;
}

Op *build_reduce(Builder *b, int n, Value *const *tiles, int axis)
{
    return combine(b, OP_reduce, n, tiles, axis, false);
}

Op *build_scan(Builder *b, int n, Value *const *tiles, int axis, bool reverse)
{
    return combine(b, OP_scan, n, tiles, axis, reverse);
}

void build_yield(Builder *b, OpCode ends, int n, Value *const *values)
{
    build_op(b, ends, n, values, 0, NULL, 0, NULL);
}

Value *build_reduce_along(Builder *b, OpCode how, Value *v, int axis)
{
    Op *op = build_reduce(b, 1, &v, axis);
    Builder in = builder_into(b, op->regions[0]);
    Value *both = build_binary(&in, how, op->regions[0]->args[0], op->regions[0]->args[1]);
    build_yield(&in, OP_yield, 1, &both);
    return op->results[0];
}

Value *build_reduce_all(Builder *b, OpCode how, Value *v)
{
    while (v->type->rank > 0)
        v = build_reduce_along(b, how, v, v->type->rank - 1);
    return v;
}

Value *build_numbers(Builder *b, const Type *shape)
{
    const Type *t = type_with_dtype(b->module, shape, DT_I32);
    Value *sum = NULL;
    int64_t pitch = 1;

    for (int d = t->rank - 1; d >= 0; d--) {
        Value *v = build_arange(b, 0, t->dims[d]);
        if (pitch > 1)
            v = build_binary(b, OP_mul, v, build_int(b, v->type, pitch));
        for (int k = 0; k < t->rank; k++) {
            if (k != d)
                v = build_expand(b, v, k);
        }
        v = t->rank > 1 ? build_broadcast(b, v, t) : v;
        sum = sum ? build_binary(b, OP_add, sum, v) : v;
        pitch *= t->dims[d];
    }
    return sum;
}

Value *build_load_like(Builder *b, const Op *load, Value *pointer, Value *mask, Value *other)
{
    Op *copy = build_load(b, pointer, mask, other);

    for (int i = 0; i < load->nattrs; i++)
        copy->attrs[i] = load->attrs[i];
    copy->span = load->span;
    copy->site = load->site;
    copy->mark = load->mark;
    copy->results[0]->name = load->results[0]->name;
    return copy->results[0];
}
