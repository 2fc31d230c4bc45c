/*
 * legalise_asm.c - inline assembly for targets that have none
 *
 * Takes and gives verified IR.  A text of PTX whose instructions are all ops here becomes these,
 * rounded as the ops are: `ex2.approx.ftz.f32 $0, $1;` is exp2.  Whatever else is left is refused,
 * with its place and what in it is no op.  None of these instructions acts on more than registers,
 * so what a text says of that does not count.
 */
#include "opt.h"
#include "../inline_ptx/inline_ptx.h"

/* Assembly that the target does not take as it is. */
static bool is_left(const Op *op, OptTakes takes)
{
    return (op->code == OP_inline_asm || op->code == OP_inline_asm_volatile) && op->nresults > 0 &&
           !(takes && takes(op));
}

typedef struct {
    Arena *arena;
    OptTakes takes;
} Translation;

static void translate(Op *op, void *translation)
{
    const Translation *t = translation;

    ir_resolve_operands(op);
    if (!is_left(op, t->takes))
        return;
    Value **results = NEW_N(t->arena, Value *, op->nresults);
    if (asm_read(op, results))
        return; /* what was made so far is dead */
    for (int i = 0; i < op->nresults; i++) {
        op->results[i]->repl = results[i];
        if (!results[i]->name)
            results[i]->name = op->results[i]->name;
    }
    op_remove(op);
}

void opt_translate_asm(Module *m, OptTakes takes)
{
    Translation t = {m->arena, takes};

    for (int i = 0; i < m->nfuncs; i++) {
        ir_walk(m->funcs[i]->body, translate, &t);
        opt_resolve_all(m->funcs[i]->body);
    }
}

typedef struct {
    Module *module;
    OptTakes takes;
    const char *device;
    Diags *diags;
} Report;

static void report_asm(Op *op, void *report)
{
    const Report *r = report;

    if (!is_left(op, r->takes))
        return;
    const char *why = asm_read(op, NEW_N(r->module->arena, Value *, op->nresults));
    ir_diag(r->diags, DIAG_ERROR, op, "inline assembly means nothing to the device `%s`%s%s",
            r->device, why ? ": " : "", why ? why : "");
    diag(r->diags, DIAG_HINT, (Span){0}, "write it with functions of tl for devices without it");
}

bool opt_refuse_asm(Module *m, OptTakes takes, const char *device, Diags *d)
{
    int errors = diag_errors(d);
    Report r = {m, takes, device, d};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, report_asm, &r);
    return diag_errors(d) == errors;
}
