/*
 * layout_text.c - layouts and conversions as text, for people and for tests
 */
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

const char *layout_text(const Layout *l, Arena *a)
{
    Text t = text_new(a);

    put_dims(&t, l);
    put_bases(&t, "regs", l, l->reg, l->nreg);
    put_bases(&t, "lanes", l, l->lane, l->nlane);
    put_bases(&t, "warps", l, l->warp, l->nwarp);
    return t.s;
}

const char *shared_text(const SharedLayout *s, const Layout *shape, Arena *a)
{
    Text t = text_new(a);

    put_dims(&t, shape);
    put_bases(&t, "offsets", shape, s->coordinate, s->nbits);
    return t.s;
}

/* Numbers of bits with what they do, those that do nothing left out. */
static void put_masks(Text *t, const char *name, const uint32_t *masks, int first, int n,
                      const char *what)
{
    for (int i = 0; i < n; i++) {
        if (masks[first + i] != 0)
            text_printf(t, "%s %s bit %d: %u\n", name, what, i, masks[first + i]);
    }
}

static void put_thread_masks(Text *t, const char *name, const uint32_t *masks, int nlane)
{
    put_masks(t, name, masks, 0, nlane, "lane");
    put_masks(t, name, masks, nlane, LAYOUT_MAX_WARP_BITS, "warp");
}

/* A list of registers, `-` where there is nothing. */
static void put_registers(Text *t, const int32_t *regs, int n)
{
    for (int i = 0; i < n; i++) {
        if (regs[i] < 0)
            text_put(t, " -");
        else
            text_printf(t, " %d", (int)regs[i]);
    }
    text_put(t, "\n");
}

static void put_word_list(Text *t, const char *name, const int32_t *regs, int words, int per_word)
{
    for (int i = 0; per_word > 1 && i < words; i++) {
        text_printf(t, "%s %d:", name, i);
        put_registers(t, regs + i * per_word, per_word);
    }
}

static void put_shuffles(Text *t, const Shuffles *s)
{
    uint32_t source[LAYOUT_THREAD_BITS];

    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        source[i] = s->source[i];
    put_word_list(t, "pack", s->from, s->nfrom, s->per_word);
    put_thread_masks(t, "before", s->before, s->nlane);
    put_thread_masks(t, "source", source, s->nlane);
    for (int i = 0; i < s->nrounds; i++) {
        const ShuffleRound *r = &s->rounds[i];
        text_printf(t, "%s %d to %d", r->own ? "move" : "shuffle", r->send, r->take);
        text_printf(t, r->lane ? " lane ^ %d\n" : "\n", r->lane);
    }
    put_thread_masks(t, "after", s->after, s->nlane);
    put_word_list(t, "unpack", s->to, s->nto, s->per_word);
}

static void put_vectors(Text *t, const char *name, const SharedVector *list, int n, int nvector)
{
    for (int i = 0; i < n; i++) {
        text_printf(t, "%s at %u:", name, list[i].offset);
        put_registers(t, list[i].regs, 1 << nvector);
    }
}

static void put_side(Text *t, const char *name, const SharedSide *s)
{
    text_printf(t, "%s vectors of %d, wavefronts %d\n", name, 1 << s->nvector, s->wavefronts);
    put_thread_masks(t, name, s->thread, s->nlane);
}

static void put_exchange(Text *t, const Exchange *e)
{
    text_printf(t, "%lld bytes, pieces %d%s\n", (long long)shared_bytes(&e->memory), e->npieces,
                e->within_warp ? ", within warps" : "");
    put_side(t, "write", &e->write);
    put_side(t, "read", &e->read);
    for (int i = 0; i < e->npieces; i++) {
        put_vectors(t, "write", e->pieces[i].writes, e->pieces[i].nwrites, e->write.nvector);
        put_vectors(t, "read", e->pieces[i].reads, e->pieces[i].nreads, e->read.nvector);
    }
}

const char *conversion_text(const Conversion *c, Arena *a)
{
    static const char *const names[] = {"nothing", "registers", "shuffle", "shared"};
    Text t = text_new(a);

    text_printf(&t, "convert by %s\n", names[c->kind]);
    if (c->kind == CONVERT_REGISTERS) {
        text_put(&t, "take");
        put_registers(&t, c->take, c->nregs);
    }
    if (c->shuffles)
        put_shuffles(&t, c->shuffles);
    if (c->exchange)
        put_exchange(&t, c->exchange);
    return t.s;
}
