/*
 * layout_text.c - layouts and conversions as text, for people and for tests
 */
#include <stdio.h>

#include "layout_internal.h"

/* What a basis moves: a number in one dimension, else a tuple. */
static void put_basis(Text *t, const Layout *l, uint32_t basis)
{
    if (basis == 0) {
        text_put(t, " -");
        return;
    }
    text_put(t, l->rank > 1 ? " (" : " ");
    for (int d = 0; d < l->rank; d++)
        text_printf(t, "%s%d", d ? "," : "", (int)layout_index(l, basis, d));
    text_put(t, l->rank > 1 ? ")" : "");
}

static void put_bases(Text *t, const char *name, const Layout *l, const uint32_t *bases, int n)
{
    if (n == 0)
        return;
    text_printf(t, " %s", name);
    for (int i = 0; i < n; i++)
        put_basis(t, l, bases[i]);
}

static void put_dims(Text *t, const Layout *l)
{
    text_put(t, "[");
    for (int d = 0; d < l->rank; d++)
        text_printf(t, "%s%d", d ? "," : "", (int)l->dims[d]);
    text_put(t, "]");
}

void layout_put(Text *t, const Layout *l)
{
    put_dims(t, l);
    put_bases(t, "regs", l, l->reg, l->nreg);
    put_bases(t, "lanes", l, l->lane, LAYOUT_LANE_BITS);
    put_bases(t, "warps", l, l->warp, l->nwarp);
}

const char *layout_text(const Layout *l, Arena *a)
{
    Text t = text_new(a);

    layout_put(&t, l);
    return t.s;
}

/* Who holds one element, first of all who have copies; blank where it does not exist. */
static void put_holder(Text *t, const Layout *l, const Inverse *v, uint32_t c)
{
    Holder h = layout_holder(v, c);
    char name[32] = "";

    if (layout_exists(l, c))
        snprintf(name, sizeof(name), "%u:%u", h.warp << LAYOUT_LANE_BITS | h.lane, h.reg);
    text_printf(t, " %6s", name);
}

const char *layout_draw(const Layout *l, Arena *a)
{
    Text t = text_new(a);
    Inverse v;
    int total = layout_total_bits(l), columns = l->rank ? l->bits[l->rank - 1] : 0;

    layout_invert(l, &v);
    for (uint32_t c = 0; c < 1u << total; c++) {
        put_holder(&t, l, &v, c);
        if ((c + 1) % (1u << columns) == 0)
            text_put(&t, "\n");
    }
    return t.s;
}
