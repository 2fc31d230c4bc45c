/*
 * wgmma.c - products of matrices that a group of four warps asks for, and waits for later
 *
 * Each warp of a group asks for the same products in the same order; the group does one when all
 * four have asked for it, and somebody waits for it.  That is as late as may be: operands are read
 * then, from shared memory and registers, so what a program writes there too early comes out.  Who
 * waits for a product that others of its group have not asked for waits for them, too.
 */
#include <stdlib.h>
#include <string.h>

#include "wgmma.h"

static Products *products_of(const Warp *w)
{
    return &w->block->groups[w->index / GROUP_WARPS];
}

static Warp *first_of(const Warp *w)
{
    return &w->block->warps[w->index / GROUP_WARPS * GROUP_WARPS];
}

bool wgmma_open(Warp *w)
{
    w->products.held = calloc((size_t)w->module->nheld + 1, sizeof *w->products.held);
    return w->products.held != NULL;
}

void wgmma_start(Block *b)
{
    for (int i = 0; i < MOST_GROUPS; i++) {
        b->groups[i].len = 0;
        b->groups[i].done = 0;
    }
    for (int i = 0; i < b->nwarps; i++) {
        Asked *a = &b->warps[i].products;

        a->asked = a->waited = a->until = a->fences = 0;
        a->len = 0;
        memset(a->held, 0, ((size_t)b->warps[i].module->nheld + 1) * sizeof *a->held);
    }
}

void wgmma_close(Block *b)
{
    for (int i = 0; i < MOST_GROUPS; i++)
        free(b->groups[i].at);
    for (int i = 0; b->warps && i < b->nwarps; i++) {
        free(b->warps[i].products.groups);
        free(b->warps[i].products.held);
    }
}

/* --- waiting --- */

bool wgmma_waits(const Warp *w)
{
    return w->state == WARP_WAITS && w->inst->run == wgmma_wait;
}

/* Have all four asked for so many? */
static bool all_asked(const Warp *first, uint32_t count)
{
    for (int i = 0; i < GROUP_WARPS; i++) {
        if (first[i].products.asked < count)
            return false;
    }
    return true;
}

static void do_products(Warp *first, Products *all, uint32_t until)
{
    int n = 0;

    while (n < all->len && all->done < until) {
        wgmma_multiply(first, &all->at[n++]);
        all->done++;
    }
    all->len -= n;
    memmove(all->at, all->at + n, (size_t)all->len * sizeof *all->at);
}

/* Do what is waited for, as far as all have asked for it. */
static void settle(Warp *first)
{
    for (int i = 0; i < GROUP_WARPS; i++) {
        Warp *w = &first[i];

        if (!wgmma_waits(w) || !all_asked(first, w->products.until))
            continue;
        do_products(first, products_of(w), w->products.until);
        w->products.waited = w->products.until;
        shadow_fetched(w, w->products.until);
        w->state = WARP_READY;
    }
}

/* wgmma.wait_group: all but the last groups are done */
void wgmma_wait(Warp *w, const Inst *in, uint32_t mask)
{
    Asked *a = &w->products;
    int ended = a->len - (int)MIN(in->number, a->len);

    if (!matrix_whole_warp(w, mask) || ended == 0)
        return;
    a->until = a->groups[ended - 1];
    a->len -= ended;
    memmove(a->groups, a->groups + ended, (size_t)a->len * sizeof *a->groups);
    w->state = WARP_WAITS;
    settle(first_of(w));
    w->stop |= w->state == WARP_WAITS;
}

void wgmma_report(Warp *w)
{
    const Warp *first = first_of(w);

    for (int i = 0; i < GROUP_WARPS; i++) {
        if (first[i].products.asked < w->products.until)
            fault(w, SIM_SYNC, -1,
                  "it waits for wgmma.mma_async number %u of its group of warps, which warp %d has "
                  "not asked for",
                  first[i].products.asked + 1, first[i].index);
    }
}

bool wgmma_end(Block *b)
{
    for (int i = 0; i < b->nwarps; i++) {
        const Asked *a = &b->warps[i].products;

        if (a->asked == a->waited)
            continue;
        fault(&b->warps[i], SIM_SYNC, -1,
              "it ends with a wgmma.mma_async that it has not waited for");
        return false;
    }
    return true;
}

/* --- asking --- */

/* Can this warp be one of a group that executes an instruction together? */
static bool has_group(Warp *w, uint32_t mask)
{
    if (!matrix_whole_warp(w, mask))
        return false;
    if (w->index / GROUP_WARPS * GROUP_WARPS + GROUP_WARPS <= w->block->nwarps)
        return true;
    fault(w, SIM_SYNC, -1, "wgmma needs a group of four warps, and the block has %d",
          w->block->nwarps);
    return false;
}

/* A descriptor, which all lanes must agree on. */
static bool read_descriptor(Warp *w, const Inst *in, int op, uint64_t *out)
{
    const uint64_t *lanes = OPERAND(w, in, op, uint64_t);

    *out = lanes[0];
    for (int i = 1; i < LANES; i++) {
        if (lanes[i] != *out) {
            fault(w, SIM_SYNC, i, "the lanes of a warp give wgmma different descriptors");
            return false;
        }
    }
    return true;
}

static bool read_product(Warp *w, const Inst *in, const ProductShape *s, Product *p)
{
    uint32_t adds = *OPERAND(w, in, s->b + 1, uint32_t);

    *p = (Product){.in = in, .adds = (adds & 1) != in->not_op};
    if (adds != 0 && adds != ALL_LANES) {
        fault(w, SIM_SYNC, -1, "the lanes of a warp differ about whether wgmma adds");
        return false;
    }
    return (s->a_in_registers || read_descriptor(w, in, s->a, &p->a)) &&
           read_descriptor(w, in, s->b, &p->b);
}

/* May this warp read an operand that lies in shared memory?  The first of the group that asks for
 * it notes what is read. */
static bool check_operand(Warp *w, uint64_t descriptor, bool across, int lines, int parts)
{
    const Products *all = products_of(w);
    uint32_t bytes = w->block->shared_bytes, number = w->products.asked;
    bool is_first = number == all->done + (uint32_t)all->len;

    for (int i = 0; i < lines * parts; i++) {
        uint32_t at = wgmma_chunk(descriptor, across, (uint32_t)(i / parts), (uint32_t)(i % parts));

        if (bytes < CHUNK || at > bytes - CHUNK) {
            fault(w, SIM_ACCESS, -1, "wgmma reads %d bytes at %u of %u bytes of shared memory",
                  CHUNK, at, bytes);
            return false;
        }
        if (!shadow_may_fetch(w, at, CHUNK) || (is_first && !shadow_fetch(w, at, number)))
            return false;
    }
    if (is_first && w->worker->counts)
        count_unit(w, (uint32_t)(lines * parts * CHUNK));
    return true;
}

/* All that the group needs: what is in order for one of them need not be for the others. */
static bool check_operands(Warp *w, const Product *p, const ProductShape *s)
{
    int per = CHUNK * 8 / ptx_type_bits[p->in->type[1]], rows = GROUP_WARPS * WGMMA_ROWS;
    int columns = p->in->columns, parts = s->k / per;
    bool good = true;

    if (!s->a_in_registers)
        good = s->a_across ? check_operand(w, p->a, true, s->k, rows / per)
                           : check_operand(w, p->a, false, rows, parts);
    return good && (s->b_across ? check_operand(w, p->b, true, s->k, columns / per)
                                : check_operand(w, p->b, false, columns, parts));
}

static bool keep(Warp *w, Product p)
{
    Products *all = products_of(w);
    Product *at = room_for_one(w, all->at, all->len, &all->cap, sizeof p);

    if (!at)
        return false;
    all->at = at;
    all->at[all->len++] = p;
    return true;
}

/* It is the one that others of the group have asked for, or the first of them asks. */
static bool join(Warp *w, const Product *p)
{
    Products *all = products_of(w);
    uint32_t number = w->products.asked - all->done;

    if ((int)number == all->len && !keep(w, *p))
        return false;
    Product *known = &all->at[number];
    if (known->in != p->in || known->a != p->a || known->b != p->b || known->adds != p->adds) {
        fault(w, SIM_SYNC, -1,
              "it asks for another wgmma.mma_async than others of its group of warps, number %u",
              w->products.asked + 1);
        return false;
    }
    known->came |= (uint8_t)(1 << w->index % GROUP_WARPS);
    return true;
}

static void ask(Warp *w, const Inst *in, uint32_t mask)
{
    Product p;

    if (!has_group(w, mask))
        return;
    ProductShape s = wgmma_shape(w, in);
    if (!read_product(w, in, &s, &p) || !wgmma_take_registers(w, in, &s) ||
        !check_operands(w, &p, &s) || !join(w, &p))
        return;
    w->products.asked++;
    settle(first_of(w));
}

/* wgmma.mma_async results, A, B, adds, ...; A by a descriptor */
void wgmma_mma(Warp *w, const Inst *in, uint32_t mask)
{
    ask(w, in, mask);
}

/* .. and in registers */
void wgmma_mma_registers(Warp *w, const Inst *in, uint32_t mask)
{
    ask(w, in, mask);
}

void wgmma_commit(Warp *w, const Inst *in, uint32_t mask)
{
    Asked *a = &w->products;

    (void)in;
    if (!has_group(w, mask))
        return;
    uint32_t *at = room_for_one(w, a->groups, a->len, &a->cap, sizeof *at);
    if (!at)
        return;
    a->groups = at;
    a->groups[a->len++] = a->asked;
}

void wgmma_fence(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    if (has_group(w, mask))
        w->products.fences++;
}

/* What a multiprocessor has of them, where the program is alone. */
enum { REGISTERS = 65536, REGISTER_UNIT = 8, MOST_REGISTERS = 256 };

/* A program is launched with as many registers for each thread as go around, by whole units; who
 * asks for more waits until others give some back. */
static bool gets_registers(const Block *b)
{
    int64_t threads = (int64_t)b->nwarps * LANES, asked = 0;
    int64_t each = MIN(REGISTERS / threads / REGISTER_UNIT * REGISTER_UNIT, MOST_REGISTERS);

    for (int i = 0; i < b->nwarps; i++) {
        if (b->warps[i].registers == 0)
            return true; /* it may give some back */
        asked += (int64_t)b->warps[i].registers * LANES;
    }
    return asked <= each * threads;
}

/* setmaxnreg registers */
void wgmma_setmaxnreg(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t registers = *OPERAND(w, in, 0, uint32_t);

    if (!has_group(w, mask))
        return;
    if (registers < 24 || registers > MOST_REGISTERS || registers % REGISTER_UNIT != 0) {
        fault(w, SIM_CODE, -1, "setmaxnreg of %u registers: 24 to 256, by steps of 8, may be",
              registers);
        return;
    }
    w->registers = registers;
    if (!gets_registers(w->block))
        fault(w, SIM_CODE, -1,
              "setmaxnreg of %u registers: all warps together ask for more than they were launched "
              "with, "
              "and wait for ever",
              registers);
}
