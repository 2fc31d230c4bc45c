/*
 * print.c - the kernel of the gradients as a Python file: its head, and a statement for each value
 * that has a name, is used twice, or is long
 */
#include <string.h>

#include "../opt/opt.h"
#include "print.h"

enum { MOST_INLINE = 8 }; /* ops in one expression, about a line */

/* Not for values: Python's words, and what the file itself uses. */
static const char *const words[] = {
    "False",   "None",     "True",     "and",    "as",     "assert",    "async",  "await",
    "break",   "class",    "continue", "def",    "del",    "elif",      "else",   "except",
    "finally", "for",      "from",     "global", "if",     "import",    "in",     "is",
    "lambda",  "nonlocal", "not",      "or",     "pass",   "raise",     "return", "try",
    "while",   "with",     "yield",    "tl",     "triton", "libdevice", "range",  "float"};

static void take_name(Writer *p, const char *name)
{
    int *next = NEW(p->arena, int);

    *next = 1;
    map_put(p->taken, MAP_KEY(intern(p->g->func->module->interner, name)), next);
}

const char *print_new_name(Writer *p, const char *wish)
{
    Interner *in = p->g->func->module->interner;
    int *next = map_get(p->taken, MAP_KEY(intern(in, wish)));
    const char *name = wish;

    while (next && map_get(p->taken, MAP_KEY(intern(in, name))))
        name = arena_printf(p->arena, "%s_%d", wish, (*next)++);
    take_name(p, name);
    return name;
}

const char *print_plain_name(Writer *p, const char *name, const char *otherwise)
{
    if (!name || strcmp(name, "_") == 0)
        return otherwise;
    char *plain = arena_strndup(p->arena, name, strlen(name));
    for (char *c = plain; *c; c++) {
        if (*c == '.' || *c == '[' || *c == ']')
            *c = '_';
    }
    return plain;
}

void print_begin(Writer *p)
{
    p->began = p->text.len;
    text_printf(&p->text, "%*s", 4 * p->indent, "");
}

/* Begins what is indented, and ends it: what stands behind names its line again. */
void print_enter(Writer *p, const Op *from)
{
    p->line = 0;
    text_put(&p->text, ":");
    put_end(p, from);
    p->indent++;
}

void print_leave(Writer *p)
{
    p->indent--;
    p->line = 0;
}

/* --- which values are statements --- */

static int size_of(const Writer *p, const Value *v)
{
    int size = 1;

    if (map_get(p->names, MAP_KEY(v)) || !v->def || v->def->code == OP_const)
        return 0;
    const Draw *draw = print_draw(p, v);
    for (int i = 0; draw && i < COUNT(draw->of); i++)
        size += size_of(p, draw->of[i]);
    for (int i = 0; !draw && i < v->def->noperands; i++)
        size += size_of(p, v->def->operands[i]);
    return size;
}

/* How often it is written where it is no statement, two counting for many; *block: where the last
 * time.  Through values that are only other shapes of it. */
static int count_written(const Writer *p, const Value *v, const Block **block)
{
    int n = 0;

    for (int i = 0; i < uses_count(&p->uses, v) && n < 2; i++) {
        const Op *op = uses_of(&p->uses, v)[i].op;

        *block = op->block;
        n += op->nresults == 1 && print_is_inline(op->results[0])
                 ? count_written(p, op->results[0], block)
                 : 1;
    }
    return n;
}

/* Handed to a loop, or on to its next round, and to nobody else: the carried name is assigned it.
 */
static bool is_handed(const Writer *p, const Value *v)
{
    if (uses_count(&p->uses, v) != 1)
        return false;
    const Use *use = uses_of(&p->uses, v);
    bool begins =
        use->op->code == OP_while || (use->op->code == OP_for && use->operand >= FOR_BOUNDS);
    return use->op->block == v->block && (use->op->code == OP_yield || begins);
}

static bool is_statement(const Writer *p, const Value *v)
{
    if (print_is_inline(v) || is_handed(p, v) || print_is_for_draws(p, v))
        return false;
    const Block *block = v->block;
    return v->name || count_written(p, v, &block) != 1 || size_of(p, v) > MOST_INLINE ||
           block != v->block;
}

void print_assign(Writer *p, const Value *v)
{
    const char *plain = print_plain_name(p, v->name, print_name_without(v));

    print_shorten(p, v, 4 * p->indent + (int)strlen(plain) + (int)strlen("_1 = "));
    print_begin(p);
    const char *name = print_new_name(p, plain);
    text_printf(&p->text, "%s = ", name);
    put_made(p, v, LEVEL_ANY);
    put_end(p, v->def);
    map_put(p->names, MAP_KEY(v), (void *)name);
}

/* --- statements --- */

static void put_masked(Writer *p, const Op *op, const char *call, const char *last)
{
    Words all = {0};

    for (int i = 0; i < op->noperands; i++)
        print_shorten(p, op->operands[i], 4 * p->indent + (int)strlen(call) + 1);
    for (int i = 0; i < op->noperands; i++) {
        Writer w = *p;
        w.text = text_new(p->arena);
        text_put(&w.text, i == STORE_MASK ? "mask=" : "");
        if (i == STORE_PTR)
            put_value(&w, op->operands[i], LEVEL_ANY);
        else /* masks and values spread over the addresses by themselves */
            put_bare(&w, op->operands[i], LEVEL_ANY);
        vec_push(p->arena, &all, w.text.s);
    }
    if (last)
        vec_push(p->arena, &all, last);
    print_begin(p);
    text_put(&p->text, call);
    put_list(p, &all, 4 * p->indent + (int)strlen(call));
    text_put(&p->text, ")");
    put_end(p, op);
}

static void put_statement(Writer *p, const Op *op)
{
    if (!print_knows(op)) {
        grad_refuse(p->g, op, "`%s` cannot be written as source yet", op_info(op->code)->name);
        return;
    }
    switch (op->code) {
    case OP_store:
        put_masked(p, op, "tl.store(", NULL);
        return;
    case OP_assert:
        put_masked(p, op, "tl.device_assert(", arena_printf(p->arena, "\"%s\"", attr_message(op)));
        return;
    case OP_atomic_rmw:
        put_masked(p, op, "tl.atomic_add(", "sem=\"relaxed\"");
        return;
    case OP_for:
        put_loop(p, op);
        return;
    case OP_while:
        put_while(p, op);
        return;
    case OP_barrier:
        print_begin(p);
        text_put(&p->text, "tl.debug_barrier()");
        put_end(p, op);
        return;
    case OP_if:
        put_branch(p, op);
        return;
    case OP_reduce:
    case OP_scan:
        if (grad_is_winner(op))
            put_winner(p, op);
        else if (op->nresults > 1)
            put_several(p, op);
        else if (!put_split(p, op) && is_statement(p, op->results[0]))
            print_assign(p, op->results[0]);
        return;
    default:
        if (op->nresults == 1 && is_statement(p, op->results[0]) && !print_is_hidden(p, op))
            print_assign(p, op->results[0]);
    }
}

void put_block(Writer *p, const Block *b)
{
    for (const Op *op = b->first; op && !p->g->failed; op = op->next)
        put_statement(p, op);
}

void print_take_words(Writer *p)
{
    for (int i = 0; i < COUNT(words); i++)
        print_new_name(p, words[i]);
}

static void name_parameters(Writer *p)
{
    const Func *f = p->g->func;

    print_take_words(p);
    for (int i = 0; i < p->g->wish->nparams; i++)
        print_new_name(p, p->g->wish->params[i].name);
    for (int i = 0; i < f->nparams; i++) {
        const char *name = f->params[i].name;

        if (strchr(name, '.') || strchr(name, '['))
            grad_refuse(p->g, NULL, "the parameter `%s`, part of another, cannot be written yet",
                        name);
        map_put(p->names, MAP_KEY(f->body->args[i]), (void *)name);
        take_name(p, name);
    }
}

bool grad_print(Grad *g, GradResult *out)
{
    Writer p = {.g = g,
                .result = out,
                .arena = g->arena,
                .text = text_new(g->arena),
                .uses = ir_uses(g->func, g->arena),
                .names = map_new(g->arena),
                .taken = map_new(g->arena),
                .combines = map_new(g->arena),
                .draws = map_new(g->arena),
                .drawn = map_new(g->arena),
                .given = map_new(g->arena),
                .indent = 1};
    Text file = text_new(g->arena), functions = text_new(g->arena);

    *out = (GradResult){0};
    p.functions = &functions;
    name_parameters(&p);
    print_find_draws(&p);
    text_put(&p.text, "@triton.jit\n");
    print_describe(&p);
    out->accesses = print_accesses(&p); /* no value of the kernel has a name yet */
    put_signature(&p);
    put_docstring(&p);
    put_asserts(&p);
    put_block(&p, g->func->body);
    put_sum(&p);
    if (g->failed)
        return false;
    text_put(&file, "import triton\nimport triton.language as tl\n");
    bool calls = strstr(p.text.s, "libdevice.") != NULL;
    if (calls || (functions.len > 0 && strstr(functions.s, "libdevice.")))
        text_put(&file, "from triton.language.extra import libdevice\n");
    text_printf(&file, "\n\n%s%s", functions.len > 0 ? functions.s : "", p.text.s);
    out->text = file.s;
    return true;
}
