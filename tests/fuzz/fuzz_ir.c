/*
 * fuzz_ir.c - any bytes as IR text: refused with a diagnostic, or a module that survives printing
 *
 * What is read is verified by the reader.  Printing it and reading that again must give the same
 * text, and a deep copy of its ops must verify too.
 */
#include <string.h>

#include "../../src/ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Module *read_text(Arena *a, Interner *names, const char *text, size_t len, Diags *d)
{
    const Source *src = source_add(diags_sources(d), "<fuzz>", arena_strndup(a, text, len), len);

    return ir_read(a, names, src, d);
}

/* Everything once more, behind what is there. */
static void copy_bodies(Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        Op *end = m->funcs[i]->body->last;
        Map *values = map_new(m->arena);
        Builder b = builder_before(end);

        for (Op *op = m->funcs[i]->body->first, *last = end->prev; op != end; op = op->next) {
            op_clone(&b, op, values);
            if (op == last)
                break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new(NULL);
    Interner *names = interner_new(a);
    Diags *d = diags_new(a, NULL);
    Module *m = read_text(a, names, (const char *)data, size, d);

    if (!m != (diag_errors(d) > 0))
        bug("refused without a reason, or read in spite of one");
    if (m) {
        const char *text = ir_print(m, a);
        Module *again = read_text(a, names, text, strlen(text), d);

        if (!again)
            bug("not readable: %s\n%s", diags_text(d, a), text);
        if (strcmp(text, ir_print(again, a)) != 0)
            bug("differs:\n%s\n%s", text, ir_print(again, a));
        copy_bodies(again);
        if (!ir_verify(again, d))
            bug("the copy is broken: %s", diags_text(d, a));
    }
    diags_text(d, a);
    arena_free(a);
    return 0;
}
