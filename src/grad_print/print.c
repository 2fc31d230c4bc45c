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
static void enter(Writer *p, const Op *from)
{
    p->line = 0;
    text_put(&p->text, ":");
    put_end(p, from);
    p->indent++;
}

static void leave(Writer *p)
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
    for (int i = 0; i < v->def->noperands; i++)
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
    if (print_is_inline(v) || is_handed(p, v))
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

/* Does an expression of v read the carried value? */
static bool mentions(const Writer *p, const Value *v, const Value *arg)
{
    if (v == arg)
        return true;
    if (!v->def || (map_get(p->names, MAP_KEY(v)) && v->def))
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (mentions(p, v->def->operands[i], arg))
            return true;
    }
    return false;
}

static const Block *body_of(const Op *loop)
{
    return loop->regions[loop->code == OP_while];
}

static int carried_count(const Op *loop)
{
    return body_of(loop)->last->noperands;
}

/* Does a `while` hand carried value i, as it is, to its body as argument k? */
static bool hands_on(const Op *loop, int i, int k)
{
    const Block *head = loop->regions[0];

    return head->last->operands[k + 1] == head->args[i];
}

/* In the body; of a `while` whose condition alone reads it, there. */
static const Value *carried(const Op *loop, int i)
{
    if (loop->code == OP_for)
        return body_of(loop)->args[i + 1];
    for (int k = 0; k < loop->nresults; k++) {
        if (hands_on(loop, i, k))
            return body_of(loop)->args[k];
    }
    return loop->regions[0]->args[i];
}

/* May carried value i be assigned before the rest of those that are not yet? */
static bool may_go_first(const Writer *p, const Op *loop, const bool *done, int i)
{
    for (int k = 0; k < carried_count(loop); k++) {
        if (k != i && !done[k] && mentions(p, body_of(loop)->last->operands[k], carried(loop, i)))
            return false;
    }
    return !done[i];
}

static const char *carried_name(const Writer *p, const Op *loop, int i)
{
    return map_get(p->names, MAP_KEY(carried(loop, i)));
}

/* What reads each other's values of this round is assigned at once. */
static void put_rest(Writer *p, const Op *loop, const bool *done)
{
    const char *comma = "";

    print_begin(p);
    for (int i = 0; i < carried_count(loop); i++) {
        if (done[i])
            continue;
        text_printf(&p->text, "%s%s", comma, carried_name(p, loop, i));
        comma = ", ";
    }
    comma = " = ";
    for (int i = 0; i < carried_count(loop); i++) {
        if (done[i])
            continue;
        text_put(&p->text, comma);
        put_value(p, body_of(loop)->last->operands[i], LEVEL_ANY);
        comma = ", ";
    }
    put_end(p, loop);
}

/* The op whose expression v is; NULL: it is a name, or a number of no particular line. */
static const Op *made_here(const Writer *p, const Value *v)
{
    bool is_made = v->def && v->def->code != OP_const && !map_get(p->names, MAP_KEY(v));

    return is_made ? v->def : NULL;
}

/* " += x", " -= x": what is added to the carried value; NULL: the next one is made otherwise. */
static const char *added_to(Writer *p, const Op *op, const Value *arg)
{
    const bool adds = op && (op->code == OP_add || op->code == OP_addptr);
    Writer w = *p;

    if (op && op->code == OP_sub && op->operands[0] == arg) {
        w.text = text_new(p->arena);
        text_put(&w.text, " -= ");
        put_bare(&w, op->operands[1], LEVEL_ANY);
        return w.text.s;
    }

    if (!adds || (op->operands[0] != arg && (op->operands[1] != arg || op->code != OP_add)))
        return NULL;
    w.text = text_new(p->arena);
    text_put(&w.text, " += ");
    put_bare(&w, op->operands[op->operands[0] == arg], LEVEL_ANY);
    return strchr(w.text.s, '-') == w.text.s + 4 ? NULL : w.text.s;
}

/* Carried values for the next round, in an order in which none is lost that is still read. */
static void put_next(Writer *p, const Op *loop)
{
    const Block *body = body_of(loop);
    bool *done = NEW_N(p->arena, bool, carried_count(loop) + 1);
    int left = carried_count(loop);

    for (int i = 0; i < carried_count(loop);) {
        if (!may_go_first(p, loop, done, i)) {
            i++;
            continue;
        }
        done[i] = true;
        left--;
        if (body->last->operands[i] != carried(loop, i)) {
            const Value *next = body->last->operands[i];
            if (made_here(p, next))
                print_shorten(p, next, 4 * p->indent + (int)strlen(carried_name(p, loop, i)) + 4);
            const char *more = added_to(p, made_here(p, next), carried(loop, i));
            print_begin(p);
            text_printf(&p->text, "%s%s", carried_name(p, loop, i), more ? more : " = ");
            if (!more)
                put_value(p, next, LEVEL_ANY);
            put_end(p, made_here(p, next));
        }
        i = 0;
    }
    if (left > 0)
        put_rest(p, loop, done);
}

/* A literal is an i32 or fp32 where nothing stands beside it. */
static void put_first(Writer *p, const Value *init)
{
    DType t = init->type->dtype;
    bool is_plain = t == DT_I32 || t == DT_FP32 || t == DT_I1 || init->type->rank > 0;

    if (!init->def || init->def->code != OP_const || is_plain) {
        put_value(p, init, LEVEL_ANY);
        return;
    }
    text_put(&p->text, "tl.full([], ");
    put_value(p, init, LEVEL_ANY);
    text_printf(&p->text, ", tl.%s)", dtype_long_name(t));
}

/* All that carried value i is called in a `while`. */
static void put_names_of(Writer *p, const Op *loop, int i, const char *name)
{
    map_put(p->names, MAP_KEY(loop->regions[0]->args[i]), (void *)name);
    for (int k = 0; k < loop->nresults; k++) {
        if (!hands_on(loop, i, k))
            continue;
        map_put(p->names, MAP_KEY(body_of(loop)->args[k]), (void *)name);
        map_put(p->names, MAP_KEY(loop->results[k]), (void *)name);
    }
}

static void put_carried(Writer *p, const Op *loop)
{
    int first = loop->code == OP_for ? FOR_BOUNDS : 0;

    for (int i = 0; i < carried_count(loop); i++) {
        const Value *init = loop->operands[first + i], *arg = carried(loop, i);
        const Value *out = i < loop->nresults ? loop->results[i] : NULL;
        const char *wish = arg->name          ? arg->name
                           : out && out->name ? out->name
                           : out              ? print_name_of_sum(p, out)
                                              : NULL;
        if (!wish && !opt_made_by(init, OP_const)) /* of which all that are equal have one name */
            wish = init->name;
        const char *name = print_new_name(p, print_plain_name(p, wish, "carried"));

        print_shorten(p, init, 4 * p->indent + (int)strlen(name) + 3);
        print_begin(p);
        text_printf(&p->text, "%s = ", name);
        put_first(p, init);
        put_end(p, made_here(p, init));
        map_put(p->names, MAP_KEY(arg), (void *)name);
        if (loop->code == OP_for)
            map_put(p->names, MAP_KEY(loop->results[i]), (void *)name);
        else
            put_names_of(p, loop, i, name);
    }
}

static void put_loop(Writer *p, const Op *loop)
{
    const Block *body = loop->regions[0];
    const char *counter = print_new_name(p, print_plain_name(p, body->args[0]->name, "i"));
    int64_t step, stages = attr_num_stages(loop);

    put_carried(p, loop);
    map_put(p->names, MAP_KEY(body->args[0]), (void *)counter);
    print_shorten(p, loop->operands[FOR_HI], LINE / 2);
    print_begin(p);
    text_printf(&p->text, "for %s in %srange(", counter, stages ? "tl." : "");
    put_value(p, loop->operands[FOR_LO], LEVEL_ANY);
    text_put(&p->text, ", ");
    put_value(p, loop->operands[FOR_HI], LEVEL_ANY);
    if (!value_const_int(loop->operands[FOR_STEP], &step) || step != 1) {
        text_put(&p->text, ", ");
        put_value(p, loop->operands[FOR_STEP], LEVEL_ANY);
    }
    if (stages)
        text_printf(&p->text, ", num_stages=%d", (int)stages);
    text_put(&p->text, ")");
    enter(p, loop);
    put_block(p, body);
    put_next(p, loop);
    leave(p);
}

static bool is_handed_on(const Op *loop, int k)
{
    for (int i = 0; i < loop->regions[0]->nargs; i++) {
        if (hands_on(loop, i, k))
            return true;
    }
    return false;
}

/* What the condition reads goes by the names of what is carried. */
static void put_while(Writer *p, const Op *loop)
{
    const Block *head = loop->regions[0];

    for (int k = 0; k < loop->nresults; k++) {
        if (is_handed_on(loop, k))
            continue;
        grad_refuse(p->g, loop, "this `while` cannot be written as source yet");
        return;
    }
    put_carried(p, loop);
    for (const Op *op = head->first; op && op != head->last && !p->g->failed; op = op->next) {
        bool is_used_once = op->nresults == 1 && uses_count(&p->uses, op->results[0]) == 1;
        if (!is_used_once && !print_is_inline(op->results[0]))
            grad_refuse(p->g, op, "the condition of a `while` cannot be written as source yet");
    }
    print_begin(p);
    text_put(&p->text, "while ");
    put_value(p, head->last->operands[0], LEVEL_ANY);
    enter(p, loop);
    put_block(p, body_of(loop));
    put_next(p, loop);
    leave(p);
}

static bool is_empty(const Op *branch, int arm)
{
    return branch->regions[arm]->first == branch->regions[arm]->last;
}

static void put_results(Writer *p, const Op *branch, int arm)
{
    for (int i = 0; i < branch->nresults; i++) {
        const char *name = map_get(p->names, MAP_KEY(branch->results[i]));
        print_shorten(p, branch->regions[arm]->last->operands[i],
                      4 * p->indent + (int)strlen(name) + 3);
        print_begin(p);
        text_printf(&p->text, "%s = ", name);
        put_first(p, branch->regions[arm]->last->operands[i]);
        put_end(p, made_here(p, branch->regions[arm]->last->operands[i]));
    }
}

static void put_arm(Writer *p, const Op *branch, int arm)
{
    put_block(p, branch->regions[arm]);
    put_results(p, branch, arm);
    leave(p);
}

static void put_condition(Writer *p, const Op *branch, int arm)
{
    const Value *condition = branch->operands[0];
    Level level = arm == 1 && !print_opposite(p, condition) ? LEVEL_COMPARE : LEVEL_ANY;

    print_shorten(p, condition, 4 * p->indent + 8);
    print_begin(p);
    text_put(&p->text, level == LEVEL_COMPARE ? "if not " : "if ");
    if (arm == 1 && level == LEVEL_ANY)
        put_opposite(p, condition);
    else
        put_value(p, condition, level);
    enter(p, branch);
}

/* An arm that computes nothing stands in front, as what holds otherwise. */
static void put_branch(Writer *p, const Op *branch)
{
    int first = is_empty(branch, 0) && !is_empty(branch, 1), other = 1 - first;

    for (int i = 0; i < branch->nresults; i++) {
        const Value *v = branch->results[i];
        const char *wish = v->name ? v->name : branch->regions[first]->last->operands[i]->name;
        map_put(p->names, MAP_KEY(v),
                (void *)print_new_name(p, print_plain_name(p, wish, "chosen")));
    }
    if (is_empty(branch, other))
        put_results(p, branch, other);
    put_condition(p, branch, first);
    put_arm(p, branch, first);
    if (is_empty(branch, other))
        return;
    print_begin(p);
    text_put(&p->text, "else");
    enter(p, NULL);
    put_arm(p, branch, other);
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
                .indent = 1};
    Text file = text_new(g->arena), functions = text_new(g->arena);

    *out = (GradResult){0};
    p.functions = &functions;
    name_parameters(&p);
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
