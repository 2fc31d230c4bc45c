/*
 * lower_mark.c - what a debugger is told: statements, and what names mean (ir/mark.c)
 *
 * Every binding of a name becomes a mark, whatever it binds: a run-time value, a constant, a second
 * name of a value.  Python that runs while compiling leaves none.
 */
#include <string.h>

#include "lower.h"
#include "../ir/mark.h"

enum { MOST_ITEMS = 8 }; /* of a tuple, and of the tuples in it together */

void mark_statement(Lower *l, const Node *n)
{
    bool is_text = n->kind == N_EXPR && n->left->kind == N_STRING;

    if (!l->frame->is_static && !is_text)
        mark_add(&l->b, (Mark){.span = n->span});
}

typedef struct {
    Lower *l;
    Text text;
    Values values;
    int items;
} Shown;

static void put_text(Shown *s, const char *text)
{
    for (; *text; text++) {
        text_putn(&s->text, text, 1);
        if (*text == '%')
            text_put(&s->text, "%");
    }
}

static void put_shown(Shown *s, Val v);

static void put_items(Shown *s, const Tuple *t)
{
    text_put(&s->text, "(");
    for (int i = 0; i < t->n; i++) {
        text_put(&s->text, i > 0 ? ", " : "");
        if (++s->items > MOST_ITEMS) {
            text_put(&s->text, "...");
            break;
        }
        put_shown(s, t->items[i]);
    }
    text_put(&s->text, t->n == 1 ? ",)" : ")");
}

static void put_shown(Shown *s, Val v)
{
    if (v.kind == VAL_RUN) {
        text_put(&s->text, "%v");
        vec_push(s->l->arena, &s->values, v.run);
    } else if (v.kind == VAL_TUPLE) {
        put_items(s, v.tuple);
    } else if (v.kind == VAL_CONST) {
        put_text(s, const_text(v.c, s->l->arena));
    } else {
        put_text(s, val_text(s->l, v));
    }
}

/* As Python's int, float and bool are to others: 64 bits, or 1. */
static void set_constant(const Lower *l, Mark *m, const Const *c)
{
    Module *module = l->b.module;
    bool fits = c->kind == CONST_INT && c->integer == (int64_t)c->integer;

    if (c->kind == CONST_BOOL) {
        m->constant = type_scalar(module, DT_I1);
        m->bits = c->integer != 0;
    } else if (fits) {
        m->constant = type_scalar(module, DT_I64);
        m->bits = (uint64_t)c->integer;
    } else if (c->kind == CONST_FLOAT) {
        m->constant = type_scalar(module, DT_FP64);
        memcpy(&m->bits, &c->real, sizeof m->bits);
    }
}

void mark_binding(Lower *l, int slot, const Binding *b)
{
    Mark m = {.span = b->span, .name = l->frame->names.at[slot]};
    bool means = b->bound && !b->missing && b->val.kind != VAL_UNKNOWN;

    if (l->frame->is_static)
        return;
    if (means) {
        Shown s = {.l = l, .text = text_new(l->arena)};

        if (b->val.kind == VAL_RUN)
            vec_push(l->arena, &s.values, b->val.run);
        else
            put_shown(&s, b->val);
        m.values = s.values.at;
        m.nvalues = s.values.len;
        m.text = s.text.s;
        if (b->val.kind == VAL_CONST)
            set_constant(l, &m, b->val.c);
    }
    mark_add(&l->b, m);
}
