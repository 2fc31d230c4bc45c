/*
 * window.c - the same op over tiles that are one array a few places apart, by fewer loads and ops
 *
 * Takes and gives verified IR.  A kernel that dilates by 15 x 15 as one writes it down has 225
 * loads and as many maxima, all of the same but for what is added to rows and columns:
 *
 *     best = max(best, load(x + (rows + dy) * stride + columns + dx, mask=.., other=0))
 *
 * The loads are *shifts* of one *leaf*, a function of the indices of the tile.  Where the shifts
 * fill a rectangle, the leaf is computed once, of a tile that is longer by the rectangle's extents
 * less 1: it reads no other places than they do, under the same masks.  The op then goes along one
 * dimension after the other, by parts of that tile which overlap:
 *
 *     wide = load(.., of [R + 14, C + 14])
 *     three = max of wide[i:R + 12 + i, :] for i in 0, 1, 2
 *     rows = max of three[i:R + i, :] for i in 0, 3, 6, 9, 12, and then columns in the same way
 *
 * So elements are put together in another order, and more than once where that changes nothing.  Of
 * integers this goes for max, min, and, or, and + without the latter.  Of floats, max and min give
 * the later one of 0 and -0: the shifts have to be in order, and the dimension that goes through
 * them fastest comes first; sums are left alone, since they would be rounded elsewhere.  Integers
 * are taken not to wrap within the sums that make an index, as in poly.h.  What is not proved to be
 * a window stays as it is.
 *
 * Where a number takes part in max or min, a NaN of the leaf is as good as the least one, which it
 * becomes at once: behind, machines have one instruction.
 */
#include <math.h>
#include <string.h>

#include "window.h"
#include "../ir/analysis.h"

enum {
    MOST_LEAVES = 1024,
    NO_WINDOW = -1,
    MOST_WINDOWS = 32,   /* of one result */
    LEAST_LEAVES = 4,    /* that are looked at */
    KEEPING = 2,         /* reads that a tile which is kept costs */
    MOST_BYTES = 1 << 20 /* of the longer tile: what a core has at hand */
};

/* Leaves that are shifts of the first of them. */
typedef struct {
    int first;                   /* its number */
    int count;                   /* of leaves */
    int64_t low[MAX_RANK];       /* the smallest shift */
    int64_t size[MAX_RANK];      /* shifts along each dimension */
    int order[MAX_RANK], norder; /* dimensions, the fastest first; none: it is no window */
    bool down[MAX_RANK];         /* by dimension: the shifts come in falling order */
    bool stays;                  /* as it is written */
    bool done;                   /* ops for it stand */
} Window;

typedef struct {
    Arena *arena;
    OpCode code;
    const Type *type;
    VEC(Value *) leaves; /* in the order in which the op takes them */
    int *window_of;      /* by leaf */
    Shift *shifts;       /* .. of its window's first leaf */
    Window *windows;
    int nwindows;
    Map *loads; /* that may move to where the result is made */
} Chain;

/* --- the leaf of a longer tile --- */

/* The type of v, read at `map`, where the tile is longer. */
static Type longer_type(const Chain *c, const Value *v, const int8_t *map, const int64_t *more)
{
    Type t = *v->type;

    for (int i = 0; i < t.rank; i++) {
        if (map[i] >= 0 && t.dims[i] == c->type->dims[map[i]])
            t.dims[i] += (int32_t)more[map[i]];
    }
    return t;
}

/* Can it be computed for a longer tile?  `loads`: where memory is read. */
static bool can_be_longer(Shifted *q, const Value *v, const int8_t *map, int *loads)
{
    int8_t in[MAX_RANK] = {0};
    uint64_t bits;

    if (v->type->rank == 0 || value_constant(v, &bits))
        return true;
    if (++q->work > WINDOW_MOST_WORK || !v->def)
        return false;
    if (v->def->code == OP_arange)
        return true;
    const Value *source = window_moved(v, map, in);
    if (source)
        return v->def->code != OP_slice && can_be_longer(q, source, in, loads);
    if (!window_is_pointwise(q, v->def))
        return false;
    *loads += v->def->code == OP_load;
    for (int i = 0; i < v->def->noperands; i++) {
        if (!can_be_longer(q, v->def->operands[i], map, loads))
            return false;
    }
    return true;
}

typedef struct {
    const Chain *chain;
    Builder *b;
    const int64_t *more; /* elements, by dimension of the tile */
    Map *made;           /* by access_key() */
} Longer;

static Value *longer(Longer *l, Value *v, const int8_t *map);

static Value *make_longer(Longer *l, Value *v, const int8_t *map)
{
    const Type t = longer_type(l->chain, v, map, l->more);
    const Type *type = type_of(l->b->module, t);
    const Op *op = v->def;
    int8_t in[MAX_RANK] = {0};
    uint64_t bits;

    if (value_constant(v, &bits))
        return build_const(l->b, type, bits);
    if (op->code == OP_arange)
        return build_arange(l->b, (int32_t)attr_start(op), (int32_t)attr_start(op) + t.dims[0]);
    Value *source = (Value *)window_moved(v, map, in);
    if (source && op->code == OP_hint)
        return longer(l, source, in);
    Value *operands[op->noperands + 1];
    for (int i = 0; i < op->noperands; i++)
        operands[i] = longer(l, op->operands[i], source ? in : map);
    return build_op(l->b, op->code, op->noperands, operands, op->nattrs, op->attrs, 1, &type)
        ->results[0];
}

static Value *longer(Longer *l, Value *v, const int8_t *map)
{
    if (v->type->rank == 0)
        return v;
    WideKey key = access_key(v, map);
    Value *made = map_get_wide(l->made, key);
    if (!made) {
        made = make_longer(l, v, map);
        map_put_wide(l->made, key, made);
    }
    return made;
}

/* --- windows --- */

static const int8_t identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Is it in a window that is there? */
static bool joins(Chain *c, int leaf)
{
    for (int w = 0; w < c->nwindows; w++) {
        const Value *first = c->leaves.at[c->windows[w].first];
        if (!window_shifted(c->loads, c->leaves.at[leaf], first, &c->shifts[leaf]))
            continue;
        c->window_of[leaf] = w;
        c->windows[w].count++;
        return true;
    }
    return false;
}

/* May a window be made of it? */
static bool may_begin(const Chain *c, const Value *leaf)
{
    Shifted q = {.loads = c->loads};
    int loads = 0;

    return can_be_longer(&q, leaf, identity, &loads) && loads == 1;
}

/* A leaf that no window has taken begins one, if it can. */
static void sort_leaves(Chain *c)
{
    for (int i = 0; i < c->leaves.len; i++) {
        c->window_of[i] = NO_WINDOW;
        if (joins(c, i))
            continue;
        c->shifts[i] = (Shift){0};
        if (c->nwindows == MOST_WINDOWS || !may_begin(c, c->leaves.at[i]))
            continue;
        c->windows[c->nwindows] = (Window){.first = i, .count = 1};
        c->window_of[i] = c->nwindows++;
    }
}

/* Set where the shifts lie.  False: they do not fill a rectangle, once each. */
static bool bound_shifts(Chain *c, int w)
{
    Window *window = &c->windows[w];
    int64_t high[MAX_RANK] = {0}, volume = 1, numel = 1;

    for (int i = 0; i < c->leaves.len; i++) {
        for (int d = 0; c->window_of[i] == w && d < c->type->rank; d++) {
            window->low[d] = MIN(window->low[d], c->shifts[i].by[d]);
            high[d] = MAX(high[d], c->shifts[i].by[d]);
        }
    }
    for (int d = 0; d < c->type->rank; d++) {
        window->size[d] = high[d] - window->low[d] + 1;
        if (window->size[d] > window->count || (window->size[d] > 1 && c->type->dims[d] == 1))
            return false;
        volume *= window->size[d];
        numel *= c->type->dims[d] + window->size[d] - 1;
        if (numel * type_size(c->type) > MOST_BYTES)
            return false;
    }
    return volume == window->count;
}

static bool fills_rectangle(Chain *c, int w)
{
    const Window *window = &c->windows[w];

    if (window->count == 1 || !bound_shifts(c, w))
        return false;
    bool *seen = NEW_N(c->arena, bool, window->count);
    for (int i = 0; i < c->leaves.len; i++) {
        int64_t at = 0;
        if (c->window_of[i] != w)
            continue;
        for (int d = 0; d < c->type->rank; d++)
            at = at * window->size[d] + c->shifts[i].by[d] - window->low[d];
        if (seen[at])
            return false;
        seen[at] = true;
    }
    return true;
}

/* Leaf number t of a window whose shifts are in order: is it where it should be? */
static bool is_in_order(const Chain *c, const Window *w, int t)
{
    const Shift *first = &c->shifts[w->first], *s = &c->shifts[w->first + t];
    int64_t rest = t;

    for (int k = 0; k < w->norder; k++) {
        int d = w->order[k];
        int64_t at = rest % w->size[d];
        if (s->by[d] != first->by[d] + (w->down[d] ? -at : at))
            return false;
        rest /= w->size[d];
    }
    return true;
}

/* Of floats: the shifts go through the rectangle in order, and no other leaf stands between. */
static bool find_order(const Chain *c, int number)
{
    Window *w = &c->windows[number];
    const Shift *first = &c->shifts[w->first];

    for (int64_t t = 1; t < w->count; t *= w->size[w->order[w->norder - 1]]) {
        int changed = -1;
        for (int d = 0; d < c->type->rank; d++) {
            if (c->shifts[w->first + t].by[d] != first->by[d])
                changed = d;
        }
        if (changed < 0 || w->size[changed] == 1 || w->norder == c->type->rank)
            return false;
        w->down[changed] = c->shifts[w->first + t].by[changed] < first->by[changed];
        w->order[w->norder++] = changed;
    }
    for (int t = 0; t < w->count; t++) {
        if (c->window_of[w->first + t] != number || !is_in_order(c, w, t))
            return false;
    }
    return true;
}

/* Rows before columns: there are fewer elements left for the latter. */
static void choose_order(const Chain *c, Window *w)
{
    for (int d = 0; d < c->type->rank; d++) {
        if (w->size[d] > 1)
            w->order[w->norder++] = d;
    }
}

/* Set its order, which makes it one. */
static void find_window(Chain *c, int w)
{
    Window *window = &c->windows[w];

    if (!fills_rectangle(c, w))
        return;
    if (!dtype_is_float(c->type->dtype))
        choose_order(c, window);
    else if (!find_order(c, w))
        window->norder = 0;
}

/* --- is it worth it? --- */

/* How many elements the parts have that windows of each size are best made of; 1: of elements.  A
 * part costs a read, and a step of its own a tile that is kept.  Gives what the largest one costs.
 */
static int choose_parts(OpCode code, int64_t size, int *of)
{
    int cost[MOST_LEAVES + 1] = {0};
    bool repeats = code != OP_add;

    for (int n = 2; n <= size; n++) {
        of[n] = 1;
        cost[n] = n;
        for (int part = 2; part < n; part++) {
            int parts = repeats ? (n + part - 1) / part : n / part + n % part;
            if (cost[part] + parts + KEEPING < cost[n]) {
                cost[n] = cost[part] + parts + KEEPING;
                of[n] = part;
            }
        }
    }
    return cost[size];
}

/* Windows whose larger tiles are put together first: of integers all that are as large. */
static bool is_grouped(const Chain *c, int w, int with)
{
    const Window *a = &c->windows[w], *b = &c->windows[with];

    if (w == with || dtype_is_float(c->type->dtype))
        return w == with;
    return a->norder > 0 && b->norder > 0 && memcmp(a->size, b->size, sizeof a->size) == 0;
}

/* A larger tile for each, which is kept, and what is read of it; or a load for each shift. */
static bool is_worth_it(const Chain *c, int w)
{
    const Window *window = &c->windows[w];
    int windows = 0, cost = KEEPING, of[MOST_LEAVES + 1];

    for (int k = 0; k < c->nwindows; k++)
        windows += is_grouped(c, w, k);
    for (int k = 0; k < window->norder; k++)
        cost += choose_parts(c->code, window->size[window->order[k]], of);
    return window->norder > 0 && windows + cost <= windows * window->count;
}

/* --- what takes their place --- */

/* n elements along `dim`, from `start` on. */
static Value *part(Builder *b, Value *v, int dim, int64_t start, int64_t n)
{
    Type t = *v->type;
    int64_t starts[MAX_RANK] = {0};

    t.dims[dim] = (int32_t)n;
    starts[dim] = start;
    return build_slice(b, v, starts, t.dims);
}

typedef struct {
    const Chain *chain;
    Builder *b;
    int dim;
    bool repeats; /* an element may be taken twice */
    bool down;
    int of[MOST_LEAVES + 1];
} Along;

/* The op on `size` elements of t, from each on: of parts, of which the last one overlaps where it
 * may, and else of what they leave over. */
static Value *combine_along(const Along *a, Value *t, int size)
{
    if (size == 1)
        return t;
    int n = a->of[size];
    int64_t result = t->type->dims[a->dim] - size + 1;
    Value *parts = combine_along(a, t, n), *all = NULL;
    for (int at = 0; at < size; at += at + n <= size || a->repeats ? n : 1) {
        bool inside = at + n <= size;
        int from = inside ? at : a->repeats ? size - n : at;
        Value *v = part(a->b, inside || a->repeats ? parts : t, a->dim, from, result);
        if (all)
            v = build_binary(a->b, a->chain->code, a->down ? v : all, a->down ? all : v);
        all = v;
    }
    return all;
}

/* The leaf whose tile begins where that of all shifts does, of a tile that covers them. */
static Value *whole_leaf(const Chain *c, Builder *b, int w)
{
    const Window *window = &c->windows[w];
    int64_t more[MAX_RANK] = {0};
    Longer l = {.chain = c, .b = b, .more = more, .made = map_new(c->arena)};

    for (int d = 0; d < c->type->rank; d++)
        more[d] = window->size[d] - 1;
    for (int i = 0; i < c->leaves.len; i++) {
        if (c->window_of[i] == w && memcmp(c->shifts[i].by, window->low, sizeof window->low) == 0)
            return longer(&l, c->leaves.at[i], identity);
    }
    bug("a window has no first shift");
}

/* What changes nothing but a NaN, where the chain has a number: it wins against them all, and the
 * machine need not look for any behind.  NULL: there is no such. */
static Value *least_number(const Chain *c, Builder *b, const Type *t)
{
    bool has = false;

    if ((c->code != OP_max && c->code != OP_min) || !dtype_is_float(t->dtype) ||
        dtype_is_fp8(t->dtype))
        return NULL;
    for (int i = 0; i < c->leaves.len && !has; i++) {
        uint64_t bits;
        double x = NAN;
        if (value_constant(c->leaves.at[i], &bits))
            x = scalar_to_double(t->dtype, bits);
        has = x == x;
    }
    return has ? build_float(b, t, c->code == OP_max ? -INFINITY : INFINITY) : NULL;
}

/* All of window w and of those that are grouped with it, which are done with. */
static Value *window_value(const Chain *c, Builder *b, int w)
{
    Window *window = &c->windows[w];
    Value *v = whole_leaf(c, b, w), *least = least_number(c, b, v->type);

    if (least)
        v = build_binary(b, c->code, v, least);
    for (int k = w + 1; k < c->nwindows; k++) {
        if (!is_grouped(c, w, k))
            continue;
        v = build_binary(b, c->code, v, whole_leaf(c, b, k));
        c->windows[k].done = true;
    }
    for (int k = 0; k < window->norder; k++) {
        int d = window->order[k];
        Along a = {
            .chain = c, .b = b, .dim = d, .repeats = c->code != OP_add, .down = window->down[d]};
        choose_parts(c->code, window->size[d], a.of);
        v = combine_along(&a, v, (int)window->size[d]);
    }
    window->done = true;
    return v;
}

/* The op on all windows and what is left, each where its first leaf stood. */
static Value *combine_all(const Chain *c, Builder *b)
{
    Value *all = NULL;

    for (int i = 0; i < c->leaves.len; i++) {
        int w = c->window_of[i];
        bool stays = w == NO_WINDOW || c->windows[w].stays;
        if (!stays && c->windows[w].done)
            continue;
        Value *v = stays ? c->leaves.at[i] : window_value(c, b, w);
        all = all ? build_binary(b, c->code, all, v) : v;
    }
    return all;
}

/* --- chains --- */

bool window_is_chained(const Op *op)
{
    switch (op->code) {
    case OP_max:
    case OP_min:
    case OP_maxnan:
    case OP_minnan:
    case OP_and:
    case OP_or:
        return op->results[0]->type->rank > 0;
    case OP_add:
        return op->results[0]->type->rank > 0 && opt_is_int(op->results[0]);
    default:
        return false;
    }
}

/* Does nobody but another op of the chain look at it? */
static bool is_inner(const UseLists *uses, const Op *op)
{
    const Value *v = op->results[0];

    if (uses_count(uses, v) != 1)
        return false;
    const Op *user = uses_of(uses, v)->op;
    return user->code == op->code && user->block == op->block;
}

static void add_leaves(Chain *c, const UseLists *uses, const Op *root, int depth)
{
    for (int i = 0; i < root->noperands; i++) {
        Value *v = root->operands[i];
        bool goes_on = depth < MOST_LEAVES && v->def && v->def->code == root->code &&
                       v->def->block == root->block && is_inner(uses, v->def);
        if (goes_on)
            add_leaves(c, uses, v->def, depth + 1);
        else
            vec_push(c->arena, &c->leaves, v);
    }
}

/* Loads that may as well happen at the root: nothing writes in between. */
static Map *loads_before(const Op *root, Arena *a)
{
    Map *loads = map_new(a);

    for (const Op *op = root->prev; op; op = op->prev) {
        if (op->code == OP_load)
            map_put(loads, MAP_KEY(op), (void *)op);
        else if (op->code != OP_assume && op_contains(op, WRITES | EFFECT))
            break;
    }
    return loads;
}

static bool find_windows(Chain *c, const Op *root)
{
    bool found = false;

    c->loads = loads_before(root, c->arena);
    c->window_of = NEW_N(c->arena, int, c->leaves.len);
    c->shifts = NEW_N(c->arena, Shift, c->leaves.len);
    c->windows = NEW_N(c->arena, Window, MOST_WINDOWS);
    sort_leaves(c);
    for (int w = 0; w < c->nwindows; w++)
        find_window(c, w);
    for (int w = 0; w < c->nwindows; w++) {
        c->windows[w].stays = !is_worth_it(c, w);
        found |= !c->windows[w].stays;
    }
    return found;
}

/* False: it stays as it is. */
static bool rewrite(Op *root, const UseLists *uses, Arena *a)
{
    Chain c = {.arena = a, .code = root->code, .type = root->results[0]->type};

    add_leaves(&c, uses, root, 0);
    if (c.leaves.len < LEAST_LEAVES || c.leaves.len > MOST_LEAVES || !find_windows(&c, root))
        return false;
    Builder b = builder_before(root);
    root->results[0]->repl = combine_all(&c, &b);
    op_remove(root);
    return true;
}

static void visit_block(Func *f, Block *b, UseLists *uses)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        for (int r = 0; r < COUNT(op->regions) && !op_has(op, COMBINES); r++) {
            if (op->regions[r])
                visit_block(f, op->regions[r], uses);
        }
        if (!window_is_chained(op) || is_inner(uses, op) || !rewrite(op, uses, f->module->arena))
            continue;
        opt_resolve_all(f->body);
        *uses = ir_uses(f, f->module->arena);
    }
}

void opt_window(Func *f)
{
    opt_resolve_all(f->body);
    UseLists uses = ir_uses(f, f->module->arena);

    visit_block(f, f->body, &uses);
}
