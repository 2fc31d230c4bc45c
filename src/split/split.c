/*
 * split.c - how one program may be run in parts, each by another thread
 *
 * A launch may have fewer programs than there are threads.  Then a program is run in *parts*: each
 * goes through all of its steps, with scratch memory of its own, but takes a part of the work only.
 * Parts wait for nobody, and read nothing that another one makes, so any number of them gives the
 * same results to the last bit.  There are two ways:
 *
 *   rounds    Of a loop that carries nothing each part has some rounds, one behind the other; what
 *             stands around the loop all parts do.
 *   elements  Each nest that stores goes through a part of one of its dimensions.  What it reads
 *             from buffers has been filled for that part, or as a whole: from the stores back each
 *             nest gets the dimension along which its readers are split (none that it reduces or
 *             scans along), or, where that is not so, all parts do all of it.
 *
 * What one part stores no other one may load or store: loads and stores through one parameter are
 * at the same addresses, element by element, and rounds do not come to an address of another round.
 * Where several elements of one store have one address, no one has said which of them stays.
 */
#include "split_internal.h"

enum {
    LEAST_WORK = 1 << 10, /* ops of a program for which there is code that splits it */
    ROUNDS = 16,          /* of a loop about which nothing is known */
    MOST_TWICE = 4,       /* what all parts do is no more than that part of the rest */
    ENOUGH_PARTS = 16,    /* more are not worth a dimension further in */
    MOST_NESTS = 256      /* of plans that are looked at */
};

/* --- what there is --- */

static void add_whole(Splitter *x, const Value *v)
{
    if (v->type->rank > 0 && plan_buffer(x->plan, v) != NO_BUFFER)
        vec_push(x->plan->arena, &x->whole, plan_buffer(x->plan, v));
}

static void add_reach(Splitter *x, const Op *op, bool stores, bool same, int place)
{
    x->fails |= op_is_volatile(op);
    vec_push(x->plan->arena, &x->reaches, ((SplitReach){op, op->operands[0], stores, same, place}));
}

static void add_nest(Splitter *x, Nest *n, double runs)
{
    SplitMember p = {.nest = n, .work = runs * MAX(n->work, 1), .dim = UNSET};
    int number = x->places.len;

    for (int d = 0; d < nest_tile_rank(n); d++)
        p.work *= n->dims[d];
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        x->fails |= r->kind == ROOT_ATOMIC || r->combine != NULL;
        p.stores |= r->kind == ROOT_STORE;
        if (r->kind == ROOT_STORE)
            add_reach(x, r->op, true, true, number);
    }
    for (int i = 0; i < n->leaves.len; i++) {
        if (n->leaves.at[i].load)
            add_reach(x, n->leaves.at[i].value->def, false, n->leaves.at[i].identity, number);
    }
    vec_push(x->plan->arena, &x->places, p);
    x->fails |= x->places.len > MOST_NESTS;
}

static void add_scalar(Splitter *x, const Op *op)
{
    if (op_only_reads(op))
        add_reach(x, op, false, false, -1);
    else
        x->fails |= op_has(op, READS | WRITES | EFFECT);
    for (int i = 0; i < op->noperands; i++)
        add_whole(x, op->operands[i]);
}

static double rounds_of(const Op *loop)
{
    uint64_t trips;

    return opt_trip_count(loop, &trips) ? (double)trips : ROUNDS;
}

static void add_steps(Splitter *x, const BlockPlan *b, double runs)
{
    for (int i = 0; b && i < b->steps.len && !x->fails; i++) {
        const Step *s = &b->steps.at[i];
        switch (s->kind) {
        case STEP_SCALAR:
            add_scalar(x, s->op);
            break;
        case STEP_NEST:
            add_nest(x, s->nest, runs);
            break;
        case STEP_DOT:
        case STEP_SORT:
            x->has_products = true;
            break;
        case STEP_RECORD:
            x->fails = true;
            break;
        case STEP_FOR:
            add_steps(x, s->body[0], runs * rounds_of(s->op));
            break;
        case STEP_WHILE:
        case STEP_IF:
            for (int k = 0; k < 2; k++)
                add_steps(x, s->body[k], s->kind == STEP_WHILE ? runs * ROUNDS : runs);
            break;
        }
    }
}

/* --- rounds --- */

/* What a loop does, of all that a program does. */
static double work_inside(const Splitter *x, const Op *loop, double *all)
{
    double inside = 0;

    *all = 0;
    for (int i = 0; i < x->places.len; i++) {
        const Root *r = &x->places.at[i].nest->roots.at[0];
        const Op *op = r->op ? r->op : r->value->def;
        *all += x->places.at[i].work;
        if (op && block_encloses(loop->regions[0], op->block))
            inside += x->places.at[i].work;
    }
    return inside;
}

static bool is_small(double twice, double rest)
{
    return twice * MOST_TWICE <= rest;
}

/* A loop of the kernel's own block whose rounds may be split among parts, or NULL. */
static const Op *find_loop(const Splitter *x)
{
    const BlockPlan *b = x->plan->body;

    for (int i = 0; i < b->steps.len; i++) {
        const Op *loop = b->steps.at[i].op;
        double all, inside;
        if (b->steps.at[i].kind != STEP_FOR || loop->nresults > 0)
            continue;
        inside = work_inside(x, loop, &all);
        if (is_small(all - inside, inside) && split_apart(x, loop))
            return loop;
    }
    return NULL;
}

/* --- elements --- */

static bool may_split(const Nest *n, int d)
{
    if (d >= nest_tile_rank(n) || n->dims[d] < 2 || (n->serial && d == n->order[n->rank - 1]))
        return false;
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->kind == ROOT_COUNT ||
            ((r->kind == ROOT_REDUCE || r->kind == ROOT_SCAN) && attr_axis(r->op) == d))
            return false;
    }
    return true;
}

/* The buffer of a root's result `i`, or NO_BUFFER; -2: it has no more. */
enum { NO_RESULT = NO_BUFFER - 1 };
static int result_of(const Plan *p, const Root *r, int i)
{
    if (r->kind == ROOT_FILL)
        return i == 0 ? r->buffer : NO_RESULT;
    if (r->kind == ROOT_STORE || i >= r->op->nresults)
        return NO_RESULT;
    return r->op->results[i]->type->rank > 0 ? plan_buffer(p, r->op->results[i]) : NO_BUFFER;
}

/* The dimension of a root's results that is its nest's dimension d, and the other way. */
static int dim_of_result(const Root *r, int d)
{
    return d - (d >= 0 && r->kind == ROOT_REDUCE && attr_axis(r->op) < d);
}

static int dim_of_nest(const Root *r, int e)
{
    return e + (e >= 0 && r->kind == ROOT_REDUCE && attr_axis(r->op) <= e);
}

/* Of a tile that a nest reads from a buffer, which has that dimension split: along which dimension
 * of the tile; ALL: any element may be read. */
static int dim_of_leaf(const Nest *n, const Leaf *leaf, int d)
{
    const Type *t = leaf->value->type;

    for (int e = 0; e < t->rank && d >= 0; e++) {
        if (leaf->map[e] == d && t->dims[e] == n->dims[d])
            return e;
    }
    return ALL;
}

static void split_nest(Splitter *x, int place, int d);

/* A nest reads the buffer so. */
static void want(Splitter *x, int buffer, int e)
{
    int now = x->of_buffer[buffer];

    if (now == e || now == ALL || x->fails)
        return;
    x->of_buffer[buffer] = (int8_t)(e = now == UNSET ? e : ALL);
    for (int i = 0; i < x->places.len; i++) {
        const Nest *n = x->places.at[i].nest;
        for (int k = 0; k < n->roots.len; k++) {
            const Root *r = &n->roots.at[k];
            for (int j = 0; result_of(x->plan, r, j) != NO_RESULT; j++) {
                if (result_of(x->plan, r, j) == buffer)
                    split_nest(x, i, dim_of_nest(r, e));
            }
        }
    }
}

static void want_all_read(Splitter *x, const Nest *n, int d)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        int buffer = plan_buffer(x->plan, leaf->value);
        if (!leaf->load && leaf->value->type->rank > 0 && buffer != NO_BUFFER)
            want(x, buffer, dim_of_leaf(n, leaf, d));
    }
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind == ROOT_FILL && n->roots.at[i].source != NO_BUFFER)
            want(x, n->roots.at[i].source, d);
    }
}

static void split_nest(Splitter *x, int place, int d)
{
    SplitMember *p = &x->places.at[place];
    const Nest *n = p->nest;

    if (x->fails || p->dim == d || p->dim == ALL)
        return;
    p->dim = p->dim == UNSET && d >= 0 && may_split(n, d) ? d : ALL;
    for (int k = 0; k < n->roots.len && p->dim >= 0; k++) {
        const Root *r = &n->roots.at[k];
        for (int j = 0; result_of(x->plan, r, j) != NO_RESULT; j++) {
            int buffer = result_of(x->plan, r, j);
            if (buffer != NO_BUFFER && x->of_buffer[buffer] == ALL)
                p->dim = ALL;
            else if (buffer != NO_BUFFER)
                want(x, buffer, dim_of_result(r, p->dim));
        }
    }
    x->fails |= p->dim == ALL && p->stores;
    want_all_read(x, n, p->dim);
}

/* Elements that a part has a multiple of, along the dimension: whole vectors, whole bodies of
 * several rows or planes. */
static int unit_of(const Nest *n, int d)
{
    if (d == n->order[n->rank - 1])
        return n->lanes;
    if (n->rank >= 3 && d == n->order[n->rank - 3])
        return n->schedule->planes;
    return n->rank >= 2 && d == n->order[n->rank - 2] ? n->schedule->rows : 1;
}

/* The range that parts of such a dimension have; a new one, or one that becomes coarser. */
static int range_for(Plan *p, int32_t extent, int unit)
{
    Split *s = &p->split;
    int i = 0;

    while (i < s->ranges.len && s->ranges.at[i].extent != extent)
        i++;
    if (i == s->ranges.len)
        vec_push(p->arena, &s->ranges, ((SplitRange){extent, 1}));
    SplitRange *r = &s->ranges.at[i];
    r->unit = (int32_t)(r->unit / axis_gcd(r->unit, unit) * unit);
    return i;
}

static void note_nest(Plan *p, Nest *n, int d)
{
    n->split = d;
    n->split_range = d >= 0 ? range_for(p, n->dims[d], unit_of(n, d)) : 0;
}

/* As the places say, from scratch; gives how many parts there may be. */
static int most_parts(Splitter *x)
{
    Split *s = &x->plan->split;
    int most = SPLIT_MOST;

    s->ranges.len = 0;
    for (int i = 0; i < x->places.len; i++) {
        const SplitMember *p = &x->places.at[i];
        note_nest(x->plan, p->nest, p->dim);
        if (p->nest->whole)
            note_nest(x->plan, p->nest->whole, p->dim);
    }
    for (int i = 0; i < s->ranges.len; i++)
        most = MIN(most, s->ranges.at[i].extent / s->ranges.at[i].unit);
    return s->ranges.len > 0 ? most : 1;
}

static void begin_try(Splitter *x)
{
    x->fails = false;
    for (int i = 0; i < x->plan->buffers.len; i++)
        x->of_buffer[i] = UNSET;
    for (int i = 0; i < x->places.len; i++)
        x->places.at[i].dim = UNSET;
    for (int i = 0; i < x->whole.len; i++)
        want(x, x->whole.at[i], ALL);
}

/* The outermost dimension of a nest that gives enough parts, or that which gives most. */
static int best_dimension(const Nest *n)
{
    int best = ALL, most = 1;

    for (int k = 0; k < n->rank && most < ENOUGH_PARTS; k++) {
        int d = n->order[k];
        int parts = may_split(n, d) ? n->dims[d] / unit_of(n, d) : 1;
        if (parts > most) {
            best = d;
            most = parts;
        }
    }
    return best;
}

/* Where the first store is split along that dimension of its nest, and those that this says nothing
 * about each along its best.  Gives how many parts there may be. */
static int try_split(Splitter *x, int first)
{
    double twice = 0, all = 0;

    begin_try(x);
    for (int i = 0; i < x->places.len && !x->fails; i++) {
        const SplitMember *p = &x->places.at[i];
        if (!p->stores || p->dim != UNSET)
            continue;
        split_nest(x, i, first >= 0 ? first : best_dimension(p->nest));
        first = ALL;
    }
    for (int i = 0; i < x->places.len && !x->fails; i++) {
        if (x->places.at[i].dim == UNSET)
            split_nest(x, i, ALL);
        all += x->places.at[i].work;
        twice += x->places.at[i].dim == ALL ? x->places.at[i].work : 0;
    }
    if (x->fails || !is_small(twice, all - twice) || !split_apart(x, NULL))
        return 1;
    return most_parts(x);
}

static const Nest *first_store(const Splitter *x)
{
    int i = 0;

    while (!x->places.at[i].stores)
        i++;
    return x->places.at[i].nest;
}

static int split_elements(Splitter *x)
{
    const Nest *n = first_store(x);
    int best = ALL, most = 1;

    if (x->has_products || x->plan->keeps.len > 0)
        return 1;
    for (int k = 0; k < n->rank && most < ENOUGH_PARTS; k++) {
        int parts = n->order[k] < nest_tile_rank(n) ? try_split(x, n->order[k]) : 1;
        if (parts > most) {
            best = n->order[k];
            most = parts;
        }
    }
    return best == ALL ? 1 : try_split(x, best);
}

/* --- which --- */

static void stay_whole(Splitter *x)
{
    x->plan->split.ranges.len = 0;
    for (int i = 0; i < x->places.len; i++) {
        Nest *n = x->places.at[i].nest;
        n->split = SPLIT_NONE;
        if (n->whole)
            n->whole->split = SPLIT_NONE;
    }
}

static bool is_worth_it(const Splitter *x)
{
    double all = 0;
    bool stores = false;

    for (int i = 0; i < x->places.len; i++) {
        all += x->places.at[i].work;
        stores |= x->places.at[i].stores;
    }
    return stores && (all >= LEAST_WORK || x->has_products);
}

void split_programs(Plan *p)
{
    Splitter x = {.plan = p, .bases = p->bases};
    Split *s = &p->split;
    uint64_t trips = SPLIT_MOST;

    s->most = 1;
    if (!p->bases || p->options->debug || p->beyond ||
        ir_workspace_at(p->func, p->func->nparams) > 0)
        return;
    add_steps(&x, p->body, 1);
    if (x.fails || !is_worth_it(&x))
        return;
    x.of_buffer = arena_alloc(p->arena, (size_t)p->buffers.len + 1);
    const Op *loop = find_loop(&x);
    if (loop && !opt_trip_count(loop, &trips))
        trips = SPLIT_MOST;
    if (!loop || trips < ENOUGH_PARTS)
        s->most = split_elements(&x);
    if (loop && (trips >= ENOUGH_PARTS || (uint64_t)s->most < trips)) {
        s->loop = loop;
        s->most = (int)MIN(trips, (uint64_t)SPLIT_MOST);
    }
    if (s->most < 2)
        s->loop = NULL;
    if (s->loop || s->most < 2)
        stay_whole(&x);
    if (s->loop && s->most > 1)
        split_apart(&x, s->loop); /* for what is asked when running */
    else
        s->ifs.len = 0;
}

/* --- is it right? --- */

static bool reads_whole(const Plan *p, const Nest *n, const Leaf *leaf, const Nest *from)
{
    int buffer = plan_buffer(p, leaf->value);

    for (int k = 0; k < from->roots.len; k++) {
        const Root *r = &from->roots.at[k];
        for (int j = 0; result_of(p, r, j) != NO_RESULT; j++) {
            if (result_of(p, r, j) == buffer && buffer != NO_BUFFER && from->split >= 0 &&
                (n->split < 0 || n->split_range != from->split_range ||
                 dim_of_leaf(n, leaf, n->split) != dim_of_result(r, from->split)))
                return false;
        }
    }
    return true;
}

const Op *split_wrong(const Plan *p)
{
    Splitter x = {.plan = (Plan *)p};

    if (p->split.most < 2 || p->split.loop)
        return NULL;
    add_steps(&x, p->body, 1);
    for (int i = 0; i < x.places.len; i++) {
        const Nest *n = x.places.at[i].nest;
        const Root *first = &n->roots.at[0];
        bool right = !x.places.at[i].stores || n->split >= 0;
        for (int k = 0; k < n->leaves.len; k++) {
            for (int j = 0; j < x.places.len && !n->leaves.at[k].load; j++)
                right &= reads_whole(p, n, &n->leaves.at[k], x.places.at[j].nest);
        }
        if (!right)
            return first->op ? first->op : first->value->def;
    }
    return NULL;
}
