/*
 * unread.c - warnings of lanes that the mask of a load leaves out, and that count
 *
 * src/unread/unread.c finds them; here is what somebody is told, and what to write instead.
 */
#include "tl.h"
#include "../ir/analysis.h"
#include "../unread/unread.h"

static const char *neutral(OpCode code, DType t)
{
    if (code == OP_add)
        return dtype_is_float(t) ? "0.0" : "0";
    if (code == OP_mul)
        return dtype_is_float(t) ? "1.0" : "1";
    if (!dtype_is_float(t))
        return code == OP_max ? "the smallest number of its type"
                              : "the largest number of its type";
    return code == OP_max ? "-float(\"inf\")" : "float(\"inf\")";
}

static void warn_of(Lower *l, const Args *a, ArgName of, OpCode code, const Value *v,
                    const Op *load)
{
    Span span = arg_span(a, of);
    DType t = v->type->dtype;

    if (load->noperands > LOAD_OTHER) {
        warn_at(l, span, W_FILLED_FLOW, a->builtin->name);
        hint_at(l, H_UNREAD_FLOW, neutral(code, t));
        note_at(l, load->span, N_FILLED_FLOW);
        return;
    }
    if (ir_uncast(v) == load->results[0]) {
        warn_at(l, span, W_UNREAD_LANES, a->builtin->name);
        hint_at(l, H_UNREAD_LANES, neutral(code, t));
        return;
    }
    warn_at(l, span, W_UNREAD_FLOW, a->builtin->name);
    hint_at(l, H_UNREAD_FLOW, neutral(code, t));
    note_at(l, load->span, N_UNREAD_FLOW);
}

void unread_warn(Lower *l, const Args *a, ArgName of, OpCode code, const Value *v, int axis)
{
    const Op *load = unread_in_reduction(l->arena, code, v, axis, &v);

    if (load)
        warn_of(l, a, of, code, v, load);
}

void unread_warn_of_atomic(Lower *l, const Args *a, const Value *p, const Value *data)
{
    int64_t at;
    const Op *load = unread_in_atomic(l->arena, p, data, &at);

    if (!load)
        return;
    warn_at(l, a->span, W_UNREAD_ATOMIC, a->builtin->name, (long long)at);
    hint_at(l, H_UNREAD_ATOMIC, a->builtin->name);
    note_at(l, load->span, N_UNREAD_COUNT);
}

void unread_warn_of_count(Lower *l, const Args *a, const Value *v, int32_t bins)
{
    int64_t number;
    const Op *load = unread_in_count(l->arena, v, bins, &number);

    if (!load)
        return;
    warn_at(l, arg_span(a, ARG_input), W_UNREAD_COUNT, (long long)number);
    hint_at(l, H_UNREAD_COUNT);
    note_at(l, load->span, N_UNREAD_COUNT);
}
