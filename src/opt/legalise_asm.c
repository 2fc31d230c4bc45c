/*
 * legalise_asm.c - inline assembly for targets that have none
 *
 * Takes and gives verified IR.
 */
#include "opt.h"

typedef struct {
    const char *device;
    Diags *diags;
} Report;

static void report_asm(Op *op, void *report)
{
    const Report *r = report;

    if (op->code == OP_inline_asm || op->code == OP_inline_asm_volatile) {
        ir_diag(r->diags, DIAG_ERROR, op, "inline assembly means nothing to the device `%s`",
                r->device);
        diag(r->diags, DIAG_HINT, (Span){0},
             "write it with functions of tl for devices without it");
    }
}

bool opt_refuse_asm(const Module *m, const char *device, Diags *d)
{
    int errors = diag_errors(d);
    Report r = {device, d};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, report_asm, &r);
    return diag_errors(d) == errors;
}
