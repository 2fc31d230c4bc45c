/*
 * verify.c - is this IR well formed?
 *
 * Three layers, each a precondition of the next for the same op:
 *   1. links: ops and values know their block; ids are unique; an operand is visible where it is
 *      used; every block ends in its one terminator;
 *   2. the table: number and kind of operands, attributes, the result's type;
 *   3. rules: what an op demands beyond its row, one small function each (verify_rules.c).
 * An op that fails one is not asked the next; the other ops still are, so that one run reports
 * many independent errors.
 */
#include <string.h>

#include "verify.h"

bool verify_say(const Verifier *v, const Op *op, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *text = arena_vprintf(v->arena, fmt, ap);
    va_end(ap);
    diag(v->diags, DIAG_ERROR, op ? op->span : v->func->span, "%s: %s",
         op ? op_info(op->code)->name : v->func->name, text);
    ir_diag_calls(v->diags, v->func->module, op ? op->site : 0);
    if (op && diag_errors(v->diags) <= 20) /* no more are kept */
        diag(v->diags, DIAG_NOTE, (Span){0}, "in @%s: %s", v->func->name, op_text(op, v->arena));
    return false;
}

const char *verify_type_text(const Verifier *v, const Type *t)
{
    return type_text(v->arena, t);
}

/* --- layer 1: links --- */

static bool check_type(const Verifier *v, const Op *op, const Type *t)
{
    int64_t n = 1;

    if (!t)
        return verify_say(v, op, "a value has no type");
    if ((unsigned)t->dtype >= DT_COUNT || t->rank < 0 || t->rank > MAX_RANK)
        return verify_say(v, op, "a value has a damaged type");
    for (int i = 0; i < t->rank; i++) {
        if (t->dims[i] < 1)
            return verify_say(v, op, "%s has an empty dimension", verify_type_text(v, t));
        n *= t->dims[i];
        if (n > MAX_TILE)
            return verify_say(v, op, "%s is larger than a tile may be (%lld elements)",
                              verify_type_text(v, t), (long long)MAX_TILE);
    }
    return true;
}

/* What numbers were called says what they are. */
static bool check_symbols(const Verifier *v, const Op *op, const Value *x)
{
    const Symbol *wrong = x->number || x->extents ? value_wrong_symbol(v->func->module, x) : NULL;
    Text t = text_new(v->arena);

    if (!wrong)
        return true;
    symbol_put(&t, wrong);
    return verify_say(v, op, "`%s` is not the number beside it", t.s);
}

/* A value comes into being: result or argument `index` of this op or block. */
static bool define(const Verifier *v, const Value *x, const Op *def, const Block *b, int index)
{
    const Op *op = def ? def : b->owner;

    if (!x)
        return verify_say(v, op, "a value is missing");
    if (x->def != def || x->block != b || x->index != index)
        return verify_say(v, op, "a value does not know where it is defined");
    if (x->id < 0 || x->id >= v->func->nvalues)
        return verify_say(v, op, "value id %d is out of range", x->id);
    if (v->seen[x->id])
        return verify_say(v, op, "value id %d is given out twice", x->id);
    v->seen[x->id] = true;
    v->visible[x->id] = x;
    return check_type(v, op, x->type) && check_symbols(v, op, x);
}

static void hide(const Verifier *v, Value *const *values, int n)
{
    for (int i = 0; i < n; i++) {
        if (values[i] && values[i]->id >= 0 && values[i]->id < v->func->nvalues)
            v->visible[values[i]->id] = NULL;
    }
}

static bool check_visible(const Verifier *v, const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        const Value *x = op->operands[i];

        if (!x)
            return verify_say(v, op, "operand %d is missing", i);
        if (x->id < 0 || x->id >= v->func->nvalues || v->visible[x->id] != x)
            return verify_say(v, op, "operand %d is not visible here", i);
    }
    return true;
}

/* --- layer 2: the table --- */

static const char *class_text(const TableWord *w)
{
    static const char *const texts[][2] = {
        {"any", "a number or pointer"},
        {"value", "a value"},
        {"handle", "a block pointer or a descriptor"},
        {"num", "a number"},
        {"int", "an integer"},
        {"float", "floating point"},
        {"bool", "i1"},
        {"ptr", "a pointer"},
        {"index", "an integer scalar"},
        {"flag", "an i1 scalar"},
        {"same", "of operand 0's type"},
        {"mask", "i1 in operand 0's shape"},
        {"offset", "an integer in operand 0's shape"},
        {"data", "what operand 0 points to, in its shape"},
    };

    for (int i = 0; i < COUNT(texts); i++) {
        if (strlen(texts[i][0]) == (size_t)w->len && memcmp(texts[i][0], w->s, w->len) == 0)
            return texts[i][1];
    }
    bug("ops.h: no operand is called %s", w->s);
}

/* Is t of the class that the word names?  `first` is the type of operand 0. */
static bool is_of_class(const TableWord *w, const Type *t, const Type *first)
{
    bool integer = !t->pointer && dtype_is_int(t->dtype);

    if (t->handle != HANDLE_NONE)
        return w->s[0] == 'h' || w->s[0] == 'v';
    switch (w->s[0]) {
    case 'a': /* any, value */
    case 'v':
        return true;
    case 'h': /* handle */
        return false;
    case 'n': /* num */
        return !t->pointer;
    case 'b': /* bool */
        return !t->pointer && t->dtype == DT_I1;
    case 'p': /* ptr */
        return t->pointer;
    case 's': /* same */
        return t == first;
    case 'm': /* mask */
        return !t->pointer && t->dtype == DT_I1 && type_same_shape(t, first);
    case 'o': /* offset */
        return integer && type_same_shape(t, first);
    case 'd': /* data */
        return !t->pointer && t->dtype == first->dtype && type_same_shape(t, first);
    case 'f': /* float, flag */
        if (w->s[2] == 'a')
            return !t->pointer && t->dtype == DT_I1 && t->rank == 0;
        return !t->pointer && dtype_is_float(t->dtype);
    case 'i': /* int, index */
        return integer && (w->len == 3 || (t->rank == 0 && t->dtype != DT_I1));
    default:
        bug("ops.h: no operand is called %s", w->s);
    }
}

static bool check_operand_count(const Verifier *v, const Op *op)
{
    const char *list = op_info(op->code)->operands;
    int least = 0, most = 0;
    TableWord w;

    while (table_word(&list, &w)) {
        least += w.mark == 0;
        most = w.mark == '*' ? INT32_MAX : most + 1;
    }
    if (op->noperands >= least && op->noperands <= most)
        return true;
    if (least == most)
        return verify_say(v, op, "takes %d operand%s, not %d", least, least == 1 ? "" : "s",
                          op->noperands);
    if (most == INT32_MAX)
        return verify_say(v, op, "takes at least %d operands, not %d", least, op->noperands);
    return verify_say(v, op, "takes %d to %d operands, not %d", least, most, op->noperands);
}

static bool check_operands(const Verifier *v, const Op *op)
{
    const char *list = op_info(op->code)->operands;
    TableWord w = {0};

    for (int i = 0; i < op->noperands; i++) {
        const Type *t = op->operands[i]->type;

        if (w.mark != '*')
            table_word(&list, &w);
        if (!is_of_class(&w, t, op->operands[0]->type))
            return verify_say(v, op, "operand %d is %s but must be %s", i, verify_type_text(v, t),
                              class_text(&w));
    }
    return true;
}

static bool check_attrs(const Verifier *v, const Op *op)
{
    const AttrId *attrs = op_info(op->code)->attrs;
    int n = op_fixed_attrs(op->code);

    if (op->nattrs < n || (op->nattrs > n && attrs[n] == ATTR_NONE))
        return verify_say(v, op, "takes %d attributes, not %d", n, op->nattrs);
    for (int i = 0; i < n; i++) {
        const AttrInfo *info = attr_info(attrs[i]);

        if (info->kind == ATTR_IS_WORD && (op->attrs[i] < 0 || op->attrs[i] >= info->nwords))
            return verify_say(v, op, "%s=%lld is not between 0 and %d", info->name,
                              (long long)op->attrs[i], info->nwords - 1);
    }
    return true;
}

static bool check_result(const Verifier *v, const Op *op)
{
    const char *word = op_info(op->code)->result;
    int n = strcmp(word, "none") == 0 ? 0 : 1;

    if (strcmp(word, "given") == 0)
        return true;
    if (op->nresults != n)
        return verify_say(v, op, "gives %d results, not %d", n, op->nresults);
    if (n == 0)
        return true;
    const Type *t = op->results[0]->type;
    Type want = *op->operands[word[0] == 's' ? 1 : 0]->type; /* first, second, bool, pointee */
    if (word[0] == 'b')
        want.dtype = DT_I1;
    if (word[0] == 'b' || word[0] == 'p') {
        want.pointer = want.is_const = false;
        want.space = want.handle = want.padding = 0;
    }
    if (!type_equal(&want, t))
        return verify_say(v, op, "the result is %s but must be %s", verify_type_text(v, t),
                          verify_type_text(v, &want));
    return true;
}

/* --- blocks --- */

/* The op that must end this block. */
static OpCode terminator_of(const Block *b)
{
    if (!b->owner)
        return OP_return;
    return b->owner->code == OP_while && b == b->owner->regions[0] ? OP_condition : OP_yield;
}

static bool check_regions(const Verifier *v, const Op *op)
{
    int flags = op_info(op->code)->flags;
    int n = (flags & REGION_2) ? 2 : (flags & REGION_1) ? 1 : 0;

    for (int r = 0; r < COUNT(op->regions); r++) {
        const Block *b = op->regions[r];

        if ((b != NULL) != (r < n))
            return verify_say(v, op, "takes %d regions", n);
        if (b && (b->owner != op || b->func != v->func))
            return verify_say(v, op, "region %d does not know its owner", r);
    }
    return true;
}

static bool check_block(const Verifier *v, const Block *b);

static bool check_site(const Verifier *v, const Op *op)
{
    return op->site == 0 || call_site(v->func->module, op->site) ||
           verify_say(v, op, "came through call %d, which its module does not know", op->site);
}

static bool check_op(const Verifier *v, const Op *op)
{
    bool good = true;

    if (op_has(op, ENDS) && (op->next || op->code != terminator_of(op->block)))
        return verify_say(
            v, op, op->next ? "ends a block but is not its last op" : "cannot end this block");
    if (!check_regions(v, op) || !check_site(v, op) || !check_visible(v, op) ||
        !check_operand_count(v, op) || !check_operands(v, op) || !check_attrs(v, op))
        return false;
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            good &= check_block(v, op->regions[r]);
    }
    return good;
}

/* Everything in the block; its values are hidden again afterwards. */
static bool check_block(const Verifier *v, const Block *b)
{
    const Op *last = NULL;
    bool good = true;

    for (int i = 0; i < b->nargs; i++)
        good &= define(v, b->args[i], NULL, b, i);
    for (const Op *op = b->first; op; last = op, op = op->next) {
        if (op->block != b || op->prev != last) {
            good = verify_say(v, op, "is not linked into its block");
            break;
        }
        bool sound = check_op(v, op);
        for (int i = 0; i < op->nresults; i++)
            sound &= define(v, op->results[i], op, b, i);
        good &= sound && check_result(v, op) && verify_rule(v, op);
    }
    if (good && (b->last != last || !last || !op_has(last, ENDS)))
        good =
            verify_say(v, b->owner, "a block does not end in %s", op_info(terminator_of(b))->name);
    hide(v, b->args, b->nargs);
    for (const Op *op = b->first; op && op->block == b; op = op->next)
        hide(v, op->results, op->nresults);
    return good;
}

static bool check_workspace(const Verifier *v, const Param *p, const Type *t, int i)
{
    if (!t->pointer || t->is_const)
        return verify_say(v, NULL, "parameter %d must be a pointer that is stored through", i);
    if (p->bytes < 1 || p->bytes > IR_MOST_TILE_BYTES)
        return verify_say(v, NULL, "parameter %d is a workspace of %lld bytes", i,
                          (long long)p->bytes);
    return p->divisible <= 1 || WORKSPACE_ALIGN % p->divisible == 0 ||
           verify_say(v, NULL, "workspaces are multiples of %d", WORKSPACE_ALIGN);
}

/* One that the launch fills: behind the user's, of a type that fits. */
static bool check_hidden(const Verifier *v, const Func *f, int i)
{
    const Param *p = &f->params[i];
    const Type *t = f->body->args[i]->type;

    if (!f->is_kernel)
        return verify_say(v, NULL, "parameter %d is hidden, but this is no kernel", i);
    if (p->kind == PARAM_RECORDS)
        return t->pointer || verify_say(v, NULL, "parameter %d must be a pointer", i);
    if (p->kind == PARAM_WORKSPACE)
        return check_workspace(v, p, t, i);
    if (p->kind != PARAM_VIEW || t->pointer || t->dtype != DT_I64 || p->part < 0)
        return verify_say(v, NULL, "hidden parameter %d is damaged", i);
    return (p->of >= 0 && p->of < i && f->params[p->of].kind == PARAM_USER &&
            f->body->args[p->of]->type->pointer) ||
           verify_say(v, NULL, "parameter %d is the view of no array", i);
}

static bool check_params(const Verifier *v, const Func *f)
{
    bool hidden = false;

    for (int i = 0; i < f->nparams; i++) {
        const Type *t = f->body->args[i]->type;
        if (f->is_kernel && (t->rank > 0 || t->space != SPACE_GLOBAL))
            return verify_say(v, NULL, "parameter %d of a kernel is %s", i,
                              t->rank > 0 ? "a tile" : "a pointer to memory of a program");
        if (hidden && f->params[i].kind == PARAM_USER)
            return verify_say(v, NULL, "parameter %d stands behind a hidden one", i);
        hidden = f->params[i].kind != PARAM_USER;
        if (hidden && !check_hidden(v, f, i))
            return false;
    }
    return true;
}

static bool check_func(Verifier *v, const Func *f)
{
    v->func = f;
    v->visible = NEW_N(v->arena, const Value *, f->nvalues);
    v->seen = NEW_N(v->arena, bool, f->nvalues);
    if (!f->body || f->body->func != f || f->body->owner || f->nparams != f->body->nargs)
        return verify_say(v, NULL, "the function does not fit its body");
    if (!check_params(v, f))
        return false;
    if (f->is_kernel && f->nresults > 0)
        return verify_say(v, NULL, "a kernel gives no results");
    return check_block(v, f->body) && verify_hands_over(v, f->body, 0, f->nresults, f->results);
}

bool ir_verify(const Module *m, Diags *d)
{
    Map *names = map_new(m->arena);
    bool good = true;

    for (int i = 0; i < m->nfuncs; i++) {
        Verifier v = {.func = m->funcs[i], .arena = m->arena, .diags = d};

        if (map_get(names, MAP_KEY(m->funcs[i]->name)))
            good = verify_say(&v, NULL, "two functions have this name");
        map_put(names, MAP_KEY(m->funcs[i]->name), m->funcs[i]);
        good &= check_func(&v, m->funcs[i]);
    }
    return good;
}
