/*
 * print_ops.c - how ops are spelled: operators, functions of tl and libdevice, and which can be
 * written at all
 */
#include "print.h"

/* Operators between two operands, and what is called by its name. */
Form print_operator(const Op *op)
{
    bool is_float = dtype_is_float(op->operands[0]->type->dtype);

    switch (op->code) {
    case OP_addptr:
    case OP_add:
        return (Form){" + ", LEVEL_SUM};
    case OP_sub:
        return (Form){" - ", LEVEL_SUM};
    case OP_mul:
        return (Form){" * ", LEVEL_PRODUCT};
    case OP_div:
        return (Form){is_float ? " / " : " // ", LEVEL_PRODUCT};
    case OP_rem:
        return (Form){" % ", LEVEL_PRODUCT};
    case OP_and:
        return (Form){" & ", LEVEL_AND};
    case OP_or:
        return (Form){" | ", LEVEL_OR};
    case OP_xor:
        return (Form){" ^ ", LEVEL_XOR};
    case OP_shl:
        return (Form){" << ", LEVEL_SHIFT};
    case OP_shr:
        return (Form){" >> ", LEVEL_SHIFT};
    case OP_eq:
        return (Form){" == ", LEVEL_COMPARE};
    case OP_ne:
        return (Form){" != ", LEVEL_COMPARE};
    case OP_lt:
        return (Form){" < ", LEVEL_COMPARE};
    case OP_le:
        return (Form){" <= ", LEVEL_COMPARE};
    case OP_gt:
        return (Form){" > ", LEVEL_COMPARE};
    case OP_ge:
        return (Form){" >= ", LEVEL_COMPARE};
    default:
        return (Form){NULL, LEVEL_ANY};
    }
}

const char *print_function(const Op *op)
{
    switch (op->code) {
    case OP_select:
        return "tl.where";
    case OP_min:
    case OP_minnan:
        return "tl.minimum";
    case OP_max:
    case OP_maxnan:
        return "tl.maximum";
    case OP_fma:
        return "tl.fma";
    case OP_mulhi:
        return "tl.umulhi";
#define IN_TL(name)                                                                                \
    case OP_##name:                                                                                \
        return "tl." #name;
        IN_TL(abs)
        IN_TL(exp)
        IN_TL(exp2)
        IN_TL(log)
        IN_TL(log2)
        IN_TL(sin)
        IN_TL(cos)
        IN_TL(sqrt)
        IN_TL(rsqrt)
        IN_TL(floor)
        IN_TL(ceil)
        IN_TL(erf)
#undef IN_TL
#define IN_LIBDEVICE(name)                                                                         \
    case OP_##name:                                                                                \
        return "libdevice." #name;
        IN_LIBDEVICE(trunc)
        IN_LIBDEVICE(rint)
        IN_LIBDEVICE(round)
        IN_LIBDEVICE(copysign)
        IN_LIBDEVICE(ldexp)
        IN_LIBDEVICE(exp10)
        IN_LIBDEVICE(expm1)
        IN_LIBDEVICE(log10)
        IN_LIBDEVICE(log1p)
        IN_LIBDEVICE(tan)
        IN_LIBDEVICE(asin)
        IN_LIBDEVICE(acos)
        IN_LIBDEVICE(atan)
        IN_LIBDEVICE(sinh)
        IN_LIBDEVICE(cosh)
        IN_LIBDEVICE(tanh)
        IN_LIBDEVICE(asinh)
        IN_LIBDEVICE(acosh)
        IN_LIBDEVICE(atanh)
        IN_LIBDEVICE(erfc)
        IN_LIBDEVICE(cbrt)
        IN_LIBDEVICE(pow)
        IN_LIBDEVICE(atan2)
        IN_LIBDEVICE(hypot)
#undef IN_LIBDEVICE
    default:
        return NULL;
    }
}

const char *print_reduction(const Op *op)
{
    CombineKind how = ir_combine_kind(op);
    OpCode code = how.only && op->noperands == 1 ? how.only->code : OP_COUNT;

    if (op->code == OP_scan)
        return code == OP_add ? "tl.cumsum" : code == OP_mul ? "tl.cumprod" : NULL;
    return code == OP_add ? "tl.sum" : code == OP_max ? "tl.max" : code == OP_min ? "tl.min" : NULL;
}

bool print_knows(const Op *op)
{
    switch (op->code) {
    case OP_const:
    case OP_program_id:
    case OP_num_programs:
    case OP_arange:
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_reshape:
    case OP_permute:
    case OP_neg:
    case OP_not:
    case OP_isnan:
    case OP_isinf:
    case OP_bitcast:
    case OP_hint:
    case OP_store:
    case OP_assert:
    case OP_atomic_rmw:
    case OP_dot:
    case OP_gather:
    case OP_for:
    case OP_while:
    case OP_if:
    case OP_barrier:
    case OP_condition:
    case OP_yield:
    case OP_return:
        return true;
    case OP_cast:
        return attr_rounding(op) == ROUND_NEAREST && !op->operands[0]->type->pointer;
    case OP_load:
        return !attr_volatile(op);
    case OP_sort:
        return type_same_shape(op->operands[0]->type, op->results[0]->type);
    case OP_reduce:
    case OP_scan:
        return true;
    default:
        return print_operator(op).text || print_function(op);
    }
}

bool print_is_inline(const Value *v)
{
    const Op *op = v->def;

    bool is_argument = op && op->code == OP_cast && !v->name && !op->operands[0]->def &&
                       !op->operands[0]->block->owner &&
                       dtype_is_signed(op->operands[0]->type->dtype);
    return op && (op->code == OP_const || op->code == OP_hint || is_argument ||
                  (!v->name &&
                   (op->code == OP_splat || op->code == OP_broadcast || op->code == OP_expand)));
}

OpCode print_opposite_of(OpCode code)
{
    switch (code) {
    case OP_eq:
        return OP_ne;
    case OP_ne:
        return OP_eq;
    case OP_lt:
        return OP_ge;
    case OP_ge:
        return OP_lt;
    case OP_gt:
        return OP_le;
    case OP_le:
        return OP_gt;
    default:
        return OP_COUNT;
    }
}

const char *print_name_without(const Value *v)
{
    switch (v->def->code) {
    case OP_program_id:
        return "pid";
    case OP_arange:
        return "lanes";
    case OP_addptr:
        return "pointers";
    case OP_reduce:
        return ir_combine_kind(v->def).neutral == OP_COUNT    ? "t"
               : ir_combine_kind(v->def).only->code == OP_add ? "total"
                                                              : "extreme";
    default:
        return v->type->dtype == DT_I1 ? "mask" : "t";
    }
}

const char *print_name_of_sum(const Writer *p, const Value *v)
{
    bool is_summed = false;

    for (int depth = 0; depth < 4 && !v->name && uses_count(&p->uses, v) == 1; depth++) {
        const Op *op = uses_of(&p->uses, v)[0].op;
        is_summed |= op->code == OP_reduce;
        if (op->nresults != 1 || (op->regions[0] && op->code != OP_reduce))
            return NULL;
        v = op->results[0];
    }
    return is_summed && v->name ? arena_printf(p->arena, "%s_lanes", v->name) : NULL;
}

/* x[:, None], x[None, :, None] */
void put_expand(Writer *p, const Op *op)
{
    const int rank = op->results[0]->type->rank;
    int left[MAX_RANK] = {0}, n = rank;
    bool is_new[MAX_RANK] = {false};
    const Value *v = op->results[0];

    for (int d = 0; d < rank; d++)
        left[d] = d;
    do {
        const int axis = (int)attr_axis(v->def);
        is_new[left[axis]] = true;
        n--;
        for (int d = axis; d < n; d++)
            left[d] = left[d + 1];
        v = v->def->operands[0];
    } while (opt_made_by(v, OP_expand) && !map_get(p->names, MAP_KEY(v)));
    put_value(p, v, LEVEL_ATOM);
    for (int d = 0; d < rank; d++)
        text_printf(&p->text, "%s%s", d == 0 ? "[" : ", ", is_new[d] ? "None" : ":");
    text_put(&p->text, "]");
}
