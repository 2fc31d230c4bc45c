/*
 * verify_regions.c - what ops demand that have regions, call functions, or take whole tiles
 * together
 *
 * What a region is given, what it hands over, and what may be in the one of a reduction.
 */
#include <string.h>

#include "verify.h"

/* The arguments of a region have these types. */
static bool args_are(const Verifier *v, const Op *op, int r, int n, const Type *const *types)
{
    const Block *b = op->regions[r];

    if (b->nargs != n)
        return verify_say(v, op, "region %d takes %d arguments but must take %d", r, b->nargs, n);
    for (int i = 0; i < n; i++) {
        if (!type_equal(b->args[i]->type, types[i]))
            return verify_say(v, op, "argument %d of region %d is %s but must be %s", i, r,
                              verify_type_text(v, b->args[i]->type), verify_type_text(v, types[i]));
    }
    return true;
}

bool verify_hands_over(const Verifier *v, const Block *b, int skip, int n, const Type *const *types)
{
    const Op *end = b->last;

    if (end->noperands - skip != n)
        return verify_say(v, end, "hands over %d values but must hand over %d",
                          end->noperands - skip, n);
    for (int i = 0; i < n; i++) {
        const Type *t = end->operands[skip + i]->type;

        if (!type_equal(t, types[i]))
            return verify_say(v, end, "value %d is %s but must be %s", i, verify_type_text(v, t),
                              verify_type_text(v, types[i]));
    }
    return true;
}

/* The types of some values, in the module's arena. */
static const Type **types_of(const Verifier *v, int n, Value *const *values)
{
    const Type **types = NEW_N(v->arena, const Type *, n);

    for (int i = 0; i < n; i++)
        types[i] = values[i]->type;
    return types;
}

/* --- whole tiles --- */

static bool has_tiles(const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->type->rank > 0)
            return true;
    }
    for (int i = 0; i < op->nresults; i++) {
        if (op->results[i]->type->rank > 0)
            return true;
    }
    return false;
}

/* A combine region works on scalars only (R253), and so do the functions that it calls.  Gives the
 * first op that does not, which may be the call; `seen` holds the functions that were searched. */
static const Op *find_tiles(const Block *b, Map *seen)
{
    for (const Op *op = b->first; op; op = op->next) {
        const Func *f = op->callee;

        if (has_tiles(op))
            return op;
        for (int r = 0; r < COUNT(op->regions); r++) {
            const Op *inner = op->regions[r] ? find_tiles(op->regions[r], seen) : NULL;
            if (inner)
                return inner;
        }
        if (!f || map_get(seen, MAP_KEY(f)))
            continue;
        map_put(seen, MAP_KEY(f), op->callee);
        if (find_tiles(f->body, seen))
            return op;
    }
    return NULL;
}

static bool only_scalars(const Verifier *v, const Block *b)
{
    const Op *op = find_tiles(b, map_new(v->arena));

    if (!op)
        return true;
    if (has_tiles(op))
        return verify_say(v, op, "a tile inside a combine region");
    return verify_say(v, op, "@%s works on tiles, inside a combine region", op->callee->name);
}

/* Operands of one shape, and a region (a1..an, b1..bn) that yields n, all element types. */
static bool check_combine(const Verifier *v, const Op *op)
{
    int n = op->noperands;
    const Type *types[2 * MAX_COMBINED];

    if (n == 0)
        return verify_say(v, op, "takes at least 1 operand, not 0");
    if (n > MAX_COMBINED)
        return verify_say(v, op, "takes at most %d operands, not %d", MAX_COMBINED, n);
    for (int i = 0; i < n; i++) {
        const Type *t = op->operands[i]->type;

        if (!type_same_shape(t, op->operands[0]->type))
            return verify_say(v, op, "operands differ in shape: %s and %s",
                              verify_type_text(v, op->operands[0]->type), verify_type_text(v, t));
        types[i] = types[n + i] = type_element(v->func->module, t);
    }
    return verify_gives(v, op, n) && verify_axis_in(v, op, op->operands[0]->type->rank) &&
           args_are(v, op, 0, 2 * n, types) && verify_hands_over(v, op->regions[0], 0, n, types) &&
           only_scalars(v, op->regions[0]);
}

static bool check_reduce(const Verifier *v, const Op *op)
{
    if (!check_combine(v, op))
        return false;
    int axis = (int)attr_axis(op);
    for (int i = 0; i < op->noperands; i++) {
        Type want = *op->operands[i]->type;

        want.rank--;
        memmove(want.dims + axis, want.dims + axis + 1,
                sizeof want.dims[0] * (size_t)(want.rank - axis));
        if (!verify_result_is(v, op, i, &want))
            return false;
    }
    return true;
}

static bool check_scan(const Verifier *v, const Op *op)
{
    if (!check_combine(v, op))
        return false;
    int64_t reverse = attr_reverse(op);
    if (reverse != 0 && reverse != 1)
        return verify_say(v, op, "reverse=%lld is not 0 or 1", (long long)reverse);
    for (int i = 0; i < op->noperands; i++) {
        if (!verify_result_is(v, op, i, op->operands[i]->type))
            return false;
    }
    return true;
}

/* R260: a[.., M, K], b[.., K, N], acc[.., M, N] with equal leading dims */
static bool dot_shapes_fit(const Type *a, const Type *b, const Type *acc)
{
    int r = a->rank;

    if (r < 2 || b->rank != r || acc->rank != r)
        return false;
    for (int i = 0; i < r - 2; i++) {
        if (a->dims[i] != b->dims[i] || a->dims[i] != acc->dims[i])
            return false;
    }
    return a->dims[r - 1] == b->dims[r - 2] && acc->dims[r - 2] == a->dims[r - 2] &&
           acc->dims[r - 1] == b->dims[r - 1];
}

/* R261, R262 */
static bool dot_dtypes_fit(DType a, DType b, DType acc)
{
    if (a != b && !(dtype_is_fp8(a) && dtype_is_fp8(b)))
        return false;
    if (a == DT_I8)
        return acc == DT_I32;
    if (a == DT_FP64)
        return acc == DT_FP64;
    if (!dtype_is_float(a))
        return false;
    return acc == DT_FP32 || (acc == DT_FP16 && (a == DT_FP16 || dtype_is_fp8(a)));
}

static bool check_dot(const Verifier *v, const Op *op)
{
    const Type *a = op->operands[0]->type, *b = op->operands[1]->type;
    const Type *acc = op->operands[2]->type;
    bool shapes = dot_shapes_fit(a, b, acc);

    if (!shapes || !dot_dtypes_fit(a->dtype, b->dtype, acc->dtype))
        return verify_say(v, op, "the %s of %s, %s and %s do not fit", shapes ? "dtypes" : "shapes",
                          verify_type_text(v, a), verify_type_text(v, b), verify_type_text(v, acc));
    return verify_gives(v, op, 1) && verify_result_is(v, op, 0, acc);
}

/* --- control --- */

static bool results_are(const Verifier *v, const Op *op, int n, const Type *const *types)
{
    if (!verify_gives(v, op, n))
        return false;
    for (int i = 0; i < n; i++) {
        if (!verify_result_is(v, op, i, types[i]))
            return false;
    }
    return true;
}

static bool check_for(const Verifier *v, const Op *op)
{
    const Type **types = types_of(v, op->noperands, op->operands);
    int n = op->noperands - FOR_BOUNDS;

    if (types[FOR_LO] != types[FOR_HI] || types[FOR_LO] != types[FOR_STEP])
        return verify_say(v, op, "the bounds and the step differ in type: %s, %s, %s",
                          verify_type_text(v, types[FOR_LO]), verify_type_text(v, types[FOR_HI]),
                          verify_type_text(v, types[FOR_STEP]));
    /* from the step on: its type, which is the counter's, then the carried ones */
    return args_are(v, op, 0, 1 + n, types + FOR_STEP) &&
           verify_hands_over(v, op->regions[0], 0, n, types + FOR_BOUNDS) &&
           results_are(v, op, n, types + FOR_BOUNDS);
}

static bool check_while(const Verifier *v, const Op *op)
{
    const Type **carried = types_of(v, op->noperands, op->operands);
    const Op *condition = op->regions[0]->last;
    int passed = condition->noperands - 1;
    const Type **types = types_of(v, passed, condition->operands + 1);

    return args_are(v, op, 0, op->noperands, carried) && args_are(v, op, 1, passed, types) &&
           verify_hands_over(v, op->regions[1], 0, op->noperands, carried) &&
           results_are(v, op, passed, types);
}

static bool check_if(const Verifier *v, const Op *op)
{
    const Type **types = types_of(v, op->nresults, op->results);

    return args_are(v, op, 0, 0, NULL) && args_are(v, op, 1, 0, NULL) &&
           verify_hands_over(v, op->regions[0], 0, op->nresults, types) &&
           verify_hands_over(v, op->regions[1], 0, op->nresults, types);
}

static bool check_call(const Verifier *v, const Op *op)
{
    const Func *f = op->callee;

    if (!f || f->module != v->func->module)
        return verify_say(v, op, "the function is not of this module");
    if (f->is_kernel)
        return verify_say(v, op, "@%s is a kernel", f->name);
    if (op->noperands != f->nparams)
        return verify_say(v, op, "@%s takes %d arguments, not %d", f->name, f->nparams,
                          op->noperands);
    for (int i = 0; i < f->nparams; i++) {
        if (!type_equal(op->operands[i]->type, f->body->args[i]->type))
            return verify_say(v, op, "argument %d is %s but must be %s", i,
                              verify_type_text(v, op->operands[i]->type),
                              verify_type_text(v, f->body->args[i]->type));
    }
    return results_are(v, op, f->nresults, f->results);
}

VerifyRule *verify_regions_rule(OpCode code)
{
    static VerifyRule *const rules[OP_COUNT] = {
        [OP_reduce] = check_reduce, [OP_scan] = check_scan,   [OP_dot] = check_dot,
        [OP_for] = check_for,       [OP_while] = check_while, [OP_if] = check_if,
        [OP_call] = check_call,
    };

    return rules[code];
}
