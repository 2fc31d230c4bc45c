/*
 * builtin_asm.c - inline assembly (semantics R302)
 *
 * The text is for one target and means nothing to any other: the op carries it as it stands, and a
 * target that has no use for it refuses the kernel (opt/legalise_asm.c).
 */
#include <string.h>

#include "tl.h"

enum { MAX_ASM_VALUES = 32 };

/* The run-time values in one shape; -1 after an error. */
static int asm_operands(Lower *l, const Args *a, Value **out)
{
    Val v = arg(a, ARG_args);
    Span span = arg_span(a, ARG_args);
    int n = v.kind == VAL_TUPLE ? v.tuple->n : 0;

    if (v.kind != VAL_TUPLE) {
        error_at(l, span, E_ASM_ARGS, val_text(l, v));
        return -1;
    }
    if (n > MAX_ASM_VALUES) {
        error_at(l, span, E_ASM_MANY, MAX_ASM_VALUES);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        out[i] = val_to_run(l, v.tuple->items[i], span);
        if (!out[i])
            return -1;
    }
    return n == 0 || ops_broadcast_all(l, out, n, span) ? n : -1;
}

/* One dtype or several, for results in the shape of `like` (NULL: scalars); -1 after an error. */
static int asm_results(Lower *l, const Args *a, const Value *like, const Type **out)
{
    Val v = arg(a, ARG_dtype);
    const Tuple one = {.n = 1, .items = &v};
    const Tuple *types = v.kind == VAL_TUPLE ? v.tuple : &one;

    if (types->n < 1 || types->n > MAX_ASM_VALUES) {
        error_at(l, arg_span(a, ARG_dtype), E_ASM_MANY, MAX_ASM_VALUES);
        return -1;
    }
    for (int i = 0; i < types->n; i++) {
        Val t = val_plain_type(types->items[i]);

        if (t.kind != VAL_TYPE || t.type->rank > 0) {
            error_at(l, arg_span(a, ARG_dtype), E_NOT_A_DTYPE, a->builtin->name, val_text(l, t));
            return -1;
        }
        out[i] = like ? type_with_shape(l->module, t.type, like->type) : t.type;
    }
    return types->n;
}

typedef struct {
    const char *text, *constraints;
    int64_t pack;
} AsmText;

static Op *build_asm(Lower *l, bool is_pure, AsmText a, int noperands, Value *const *operands,
                     int nresults, const Type *const *types)
{
    Op *op = build_op(&l->b, is_pure ? OP_inline_asm : OP_inline_asm_volatile, noperands, operands,
                      0, NULL, nresults, types);

    attr_set(op, ATTR_asm, attr_of_text(l->module, a.text, strlen(a.text)));
    attr_set(op, ATTR_constraints, attr_of_text(l->module, a.constraints, strlen(a.constraints)));
    attr_set(op, ATTR_pack, a.pack);
    return op;
}

static Val asm_value(Lower *l, const Op *op, bool is_tuple)
{
    Val *items = NEW_N(l->arena, Val, op->nresults);

    for (int i = 0; i < op->nresults; i++)
        items[i] = val_run(op->results[i]);
    return is_tuple ? val_tuple(l, op->nresults, items) : items[0];
}

Val asm_elementwise(Lower *l, const Args *a)
{
    const char *text, *constraints;
    const Type *types[MAX_ASM_VALUES];
    Value *operands[MAX_ASM_VALUES];
    int noperands, nresults;
    int64_t pack;
    bool is_pure;
    Op *op;

    if (arg_unknown(a) || !arg_string(l, a, ARG_asm, &text) ||
        !arg_string(l, a, ARG_constraints, &constraints) ||
        !arg_bool(l, a, ARG_is_pure, &is_pure) || !arg_int(l, a, ARG_pack, &pack))
        return val_unknown();
    if (pack < 1)
        return fail_val(l, arg_span(a, ARG_pack), E_ASM_PACK, (long long)pack);
    noperands = asm_operands(l, a, operands);
    nresults = noperands < 0 ? -1 : asm_results(l, a, noperands ? operands[0] : NULL, types);
    if (nresults < 0)
        return val_unknown();
    op = build_asm(l, is_pure, (AsmText){text, constraints, pack}, noperands, operands, nresults,
                   types);
    return asm_value(l, op, arg(a, ARG_dtype).kind == VAL_TUPLE);
}

/* R303: what a register of the chip holds; the reference has the same text. */
Val asm_register(Lower *l, const Args *a)
{
    bool timer = a->builtin->data == ASM_TIMER; /* it gives another value each time */
    const char *text = timer ? "mov.u64 $0, %globaltimer;" : "mov.u32 $0, %smid;";
    const char *constraints = timer ? "=l" : "=r";
    const Type *t = type_scalar(l->module, timer ? DT_I64 : DT_I32);

    return val_run(
        build_asm(l, !timer, (AsmText){text, constraints, 1}, 0, NULL, 1, &t)->results[0]);
}
