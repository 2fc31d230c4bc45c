/*
 * print_long.c - what does not fit into a line: lists go on in the next one, and of expressions the
 * longest parts become statements in front, until the rest fits
 */
#include <string.h>

#include "print.h"

enum { FEW = 24 }; /* columns of a part that a name would hardly shorten */

static int columns_of(const Writer *p, const Value *v)
{
    Writer w = *p;

    w.text = text_new(p->arena);
    put_made(&w, v, LEVEL_ANY);
    return (int)w.text.len;
}

/* The longest part that is written in place and can be a statement; NULL: there is none. */
static const Value *longest_part(const Writer *p, const Value *v, int *columns)
{
    const Value *found = NULL, *inside = print_sigmoid(p, v->def);
    const Draw *draw = print_draw(p, v);

    for (int i = 0; i < (draw ? 2 : inside ? 1 : v->def->noperands); i++) {
        const Value *part = draw ? draw->of[i] : inside ? inside : v->def->operands[i];
        if (!part->def || part->def->code == OP_const || map_get(p->names, MAP_KEY(part)))
            continue;
        if (print_is_inline(part) || part->def->code == OP_neg) {
            const Value *inner = longest_part(p, part, columns);
            found = inner ? inner : found;
            continue;
        }
        const int long_as = columns_of(p, part);
        if (long_as <= *columns || part->block != v->block || part->def->nresults != 1)
            continue;
        *columns = long_as;
        found = part;
    }
    return found;
}

void print_shorten(Writer *p, const Value *v, int used)
{
    while (v->def && v->def->code != OP_const && !map_get(p->names, MAP_KEY(v)) &&
           used + columns_of(p, v) > LINE) {
        int columns = FEW;
        const Value *part = longest_part(p, v, &columns);
        if (!part)
            return;
        print_assign(p, part);
    }
}

void put_list(Writer *p, const Words *all, int used)
{
    int column = used;

    for (int i = 0; i < all->len; i++) {
        int width = (int)strlen(all->at[i]) + 2;
        if (i > 0 && column + width > LINE) {
            text_printf(&p->text, ",\n%*s", used, "");
            column = used;
        } else if (i > 0) {
            text_put(&p->text, ", ");
        }
        text_put(&p->text, all->at[i]);
        column += width;
    }
}
