/*
 * nv_spans.c - programs that note when they ran and on which multiprocessor, for traces
 *
 * Of code with GenOptions.spans a parameter behind all others says where: one GenSpan a program,
 * all zero before the launch. Thread 0 notes the start as the first thing that it does; each warp
 * notes the end as its last, and the latest stays.
 */
#include <stddef.h>

#include "nv.h"

/* Where this program's lies, a pointer. */
static Val place_of(Nv *n)
{
    Val all = LLVMGetParam(n->fn, LLVMCountParams(n->fn) - 1 - n->options->clocks);
    Val at = LLVMBuildMul(n->b, nv_program_number(n), llvm_int(n->l->i64, sizeof(GenSpan)), "");

    return LLVMBuildGEP2(n->b, n->l->i8, all, &at, 1, "");
}

/* Code for a thread where `number` is 0, of the programs that there is room for. */
static LLVMBasicBlockRef begin_for(Nv *n, Val number)
{
    Val room = llvm_int(n->l->i64, GEN_SPANS);
    Val is_first = LLVMBuildICmp(n->b, LLVMIntEQ, number, llvm_int(n->l->i32, 0), "");
    Val has_room = LLVMBuildICmp(n->b, LLVMIntULT, nv_program_number(n), room, "");

    return nv_begin_if(n, LLVMBuildAnd(n->b, is_first, has_room, ""));
}

void nv_spans_begin(Nv *n)
{
    const NvWait lanes = {.kind = NV_WAIT_LANES};

    if (!n->options->spans)
        return;
    LLVMBasicBlockRef after = begin_for(n, n->thread);
    Val place = place_of(n);
    const char *text = arena_printf(n->arena,
                                    "{ .reg .b64 t; .reg .b32 m; mov.u64 t, %%globaltimer; "
                                    "mov.u32 m, %%smid; st.global.b64 [$0+%zu], t; "
                                    "st.global.b32 [$0+%zu], m; }",
                                    offsetof(GenSpan, start), offsetof(GenSpan, unit));

    nv_asm(n, n->l->none, text, "l,~{memory}", &place, 1);
    nv_end_if(n, after);
    nv_wait(n, &lanes); /* warps go on as a whole */
}

void nv_spans_end(Nv *n)
{
    if (!n->options->spans)
        return;
    LLVMBasicBlockRef after = begin_for(n, n->lane);
    Val place = place_of(n);
    const char *text = arena_printf(n->arena,
                                    "{ .reg .b64 t; mov.u64 t, %%globaltimer; "
                                    "red.global.max.u64 [$0+%zu], t; }",
                                    offsetof(GenSpan, end));

    nv_asm(n, n->l->none, text, "l,~{memory}", &place, 1);
    nv_end_if(n, after);
}
