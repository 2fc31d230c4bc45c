/*
 * loose.c - loads of more lanes than what is differentiated is stored of
 *
 *     a = tl.load(x + i, mask=i < n, other=0.0)
 *     tl.store(out + i, tl.sqrt(a), mask=(i < n) & (a > 0.1))
 *
 * In lanes that the store alone leaves out, a is any number, and the gradient of it is 0 whatever
 * the slope is there: left_out.c keeps that.  A mask says nothing of a load that has it, too, or
 * whose address does not go along what it compares; one that is made of data says it of all tiles
 * of its shape.
 */
#include "../opt/opt.h"
#include "facts.h"

typedef struct {
    Grad *g;
    Map *seen;
    GradOps loads;
    VEC(const Value *) masks; /* parts of the stores' masks that all must be true */
} Loose;

static const Value *before_loop(const Value *v)
{
    const Op *loop = v->def ? v->def : v->block->owner;
    const int i = v->def ? v->index : v->index - 1;

    return loop && loop->code == OP_for && i >= 0 ? loop->operands[FOR_BOUNDS + i] : NULL;
}

/* Is v computed from that value, or, where it is NULL, from what was loaded, or summed in a loop?
 */
static bool comes_from(Loose *l, const Value *v, const Value *of)
{
    const Op *op = v->def;
    const bool is_loop = (!op && v->block->owner) || (op && opt_is_loop(op));
    const Value *begin = is_loop ? before_loop(v) : NULL;

    if (of ? v == of : (op && op_only_reads(op)) || (begin && dtype_is_float(v->type->dtype)))
        return true;
    if (map_get(l->seen, (uint64_t)v->id + 1))
        return false;
    map_put(l->seen, (uint64_t)v->id + 1, l);
    if (begin)
        return comes_from(l, begin, of);
    for (int i = 0; op && i < op->noperands && !is_loop; i++) {
        if (comes_from(l, op->operands[i], of))
            return true;
    }
    return false;
}

static bool is_made_of(Loose *l, const Value *v, const Value *of)
{
    l->seen = map_new(l->g->arena);
    return comes_from(l, v, of);
}

bool grad_is_made_of(Grad *g, const Value *v, const Value *of)
{
    Loose l = {.g = g};

    return is_made_of(&l, v, of);
}

static void add_parts(Loose *l, const Value *mask)
{
    const Value *v = opt_plain(mask);

    if (v->def && v->def->code == OP_and) {
        add_parts(l, v->def->operands[0]);
        add_parts(l, v->def->operands[1]);
        return;
    }
    vec_push(l->g->arena, &l->masks, v);
}

static void look_at(Op *op, void *loose)
{
    Loose *l = loose;
    const Grad *g = l->g;
    const bool is_of =
        grad_puts_in_memory(op) && grad_array_of(g, op->operands[STORE_PTR]) == g->of.array->index;
    const Value *mask = is_of ? op_operand(op, ir_access(op).mask) : NULL;

    if (op->code == OP_load)
        vec_push(g->arena, &l->loads, op);
    if (mask)
        add_parts(l, mask);
}

/* Is it made of data, lane by lane?  Not where an index is compared with a loaded number. */
static bool is_of_data(Loose *l, const Value *part)
{
    const Op *op = part->def;
    bool found = false, any = false;

    for (int i = 0; op && op->noperands == 2 && i < 2; i++) {
        const Value *v = op->operands[i];
        if (opt_plain(v)->type->rank == 0 && part->type->rank > 0)
            continue;
        any = true;
        found |= is_made_of(l, v, NULL);
    }
    return any ? found : is_made_of(l, part, NULL);
}

/* Of floats? */
static bool is_of_floats(const Value *part)
{
    return part->def && part->def->noperands > 0 &&
           dtype_is_float(part->def->operands[0]->type->dtype);
}

/* Does its address go along what an index is compared with? */
static bool goes_along(Loose *l, const Op *load, const Value *part)
{
    for (int i = 0; part->def && i < part->def->noperands; i++) {
        const Value *index = part->def->operands[i];
        if (opt_plain(index)->type->rank > 0 && is_made_of(l, load->operands[LOAD_PTR], index))
            return true;
    }
    return false;
}

void grad_find_loose(Grad *g)
{
    Loose l = {.g = g};

    g->loose = map_new(g->arena);
    g->left_out = map_new(g->arena);
    g->to_sums = map_new(g->arena);
    ir_walk(g->func->body, look_at, &l);
    for (int m = 0; m < l.masks.len; m++) {
        const Value *part = l.masks.at[m];
        const bool is_data = is_of_data(&l, part);

        g->data_leaves_out |= is_data && is_of_floats(part);
        for (int i = 0; i < l.loads.len; i++) {
            const Op *load = l.loads.at[i];
            if (opt_mask_has(op_operand(load, LOAD_MASK), part) ||
                (is_data ? !type_same_shape(load->results[0]->type, part->type)
                         : !goes_along(&l, load, part)))
                continue;
            g->any_loose = true;
            map_put(g->loose, MAP_KEY(load), g);
        }
    }
    g->any_loose |= g->data_leaves_out;
    g->is_masked = l.masks.len > 0;
}

bool grad_is_loose(const Grad *g, const Op *load)
{
    return map_get(g->loose, MAP_KEY(load)) != NULL;
}
