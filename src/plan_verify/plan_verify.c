/*
 * plan_verify.c - is everything made that a plan reads, before code is made of it?
 *
 * Who makes code takes the plan at its word, and a value that nobody has made is a crash within
 * LLVM, far from who forgot it.  So the plan is gone through once in the order of its code:
 *
 *   1. A scalar that a step, a nest or a terminator reads is made by a step in front, in the same
 *      block or one around it.
 *   2. An entry reads entries that stand in front of it in its own part or in PART_ROWS, at its own
 *      level or further out; one of a detour only within that detour, but for its end.
 *   3. An entry has the inputs that its kind cannot do without.
 *   4. A tile that is read from a buffer has one; what is taken from a scan stands behind it, and
 *      a scan along rows that goes on from its buffer has that.
 *   5. A product's operands lie as its unit takes them, tiles divide its extents, and its panels
 *      have room for all of b.
 *   6. What is kept is filled by a nest of its own, in a buffer with all its slots, and so is what
 *      is packed of it; the scalars that it is known by are made in front.
 *   7. A nest in pieces has one loop more than its tiles have dimensions, and what ends each of its
 *      pieces; a divisor is above 0, or a nest without pieces stands by.
 *   8. What tells that a nest's bounds hold all over its tile is made in front of it.
 *   9. A nest whose vectors begin at lines only stores, once for each element, and never in chunks.
 *  10. What is packed is stored under a mask, by vectors, from the first one to the last.
 *
 * A plan that breaks a rule is our own mistake, and is told as an internal error at the op.
 */
#include "../plan_schedule/plan_schedule.h"
#include "plan_verify.h"

typedef struct {
    const Plan *plan;
    Diags *diags;
    bool *scalars; /* by value: made in the block that is looked at, or around it */
    VEC(int) made; /* their numbers, in order */
    const Nest *nest;
    int *where; /* by entry of the nest: 1 + its place in the order of code; 0: nowhere yet */
    int places;
    int detour;     /* in which a part is now: the entry that began it; NO_ENTRY: none */
    int *detour_of; /* by entry */
    bool broken;
} Check;

static void PRINTF(3, 4) tell(Check *x, const Op *op, const char *fmt, ...)
{
    va_list ap;

    if (x->broken)
        return;
    va_start(ap, fmt);
    const char *what = arena_vprintf(x->plan->arena, fmt, ap);
    va_end(ap);
    x->broken = true;
    ir_diag(x->diags, DIAG_ERROR, op ? op : x->plan->func->body->last,
            "internal error: the plan of `%s` is wrong: %s", x->plan->func->name, what);
}

/* --- scalars --- */

static void make(Check *x, const Value *v)
{
    if (v->type->rank > 0 || x->scalars[v->id])
        return;
    x->scalars[v->id] = true;
    vec_push(x->plan->arena, &x->made, v->id);
}

static void make_all(Check *x, Value *const *values, int n)
{
    for (int i = 0; i < n; i++)
        make(x, values[i]);
}

/* What a block has made is gone at its end. */
static void forget(Check *x, int before)
{
    while (x->made.len > before)
        x->scalars[x->made.at[--x->made.len]] = false;
}

static void read_scalar(Check *x, const Op *op, const Value *v)
{
    if (v && v->type->rank == 0 && !x->scalars[v->id])
        tell(x, op, "`%s` reads scalar %d, which no step in front has made",
             op_info(op->code)->name, v->id);
}

static void read_operands(Check *x, const Op *op, int first, int n)
{
    for (int i = first; i < first + n; i++)
        read_scalar(x, op, op->operands[i]);
}

/* --- entries --- */

static const Op *op_of(const Check *x, const Entry *e)
{
    if (e->value && e->value->def)
        return e->value->def;
    bool is_root = e->kind == MAKE_ROOT || e->kind == MAKE_REST;
    const Root *r = &x->nest->roots.at[is_root ? e->number : 0];
    return r->op ? r->op : r->value->def;
}

/* Of those inputs that come first. */
static int needed_inputs(const Check *x, const Entry *e)
{
    switch (e->kind) {
    case MAKE_DIVIDE:
        return DIVIDE_ROW;
    case MAKE_PIECE:
        return x->nest->pieces.at[e->number].divisor ? e->nin : PIECE_DIVISOR;
    case MAKE_REMAINDER:
    case MAKE_OP:
    case MAKE_RUN:
    case MAKE_GATHER:
    case MAKE_SCANNED:
    case MAKE_DETOUR:
    case MAKE_MEET:
    case MAKE_AHEAD:
    case MAKE_LINE:
    case MAKE_REST:
        return e->nin;
    case MAKE_LOAD:
    case MAKE_RECORD:
    case MAKE_FIELD:
        return IN_ADDRESS + 1;
    case MAKE_CUT:
        return bound_compares(&x->nest->bounds.at[e->number]) ? IN_LIMIT + 1 : IN_STEPS + 1;
    case MAKE_ROOT:
        return x->nest->roots.at[e->number].kind == ROOT_COUNT ? 1 : 0;
    default:
        return 0;
    }
}

static bool needs_input(const Check *x, const Entry *e, int i)
{
    const Root *r = e->kind == MAKE_ROOT ? &x->nest->roots.at[e->number] : NULL;

    if (!r || !r->access)
        return i < needed_inputs(x, e);
    return i == IN_ADDRESS || (r->access->group ? i >= ACCESS_INPUTS : i == IN_DATA);
}

static void read_entry(Check *x, int number, int i)
{
    const Schedule *s = x->nest->schedule;
    const Entry *e = &s->entries.at[number];
    const Op *op = op_of(x, e);
    int from = e->in[i];

    if (from == NO_ENTRY) {
        if (needs_input(x, e, i))
            tell(x, op, "in nest %d entry %d has no input %d", x->nest->id, number, i);
        return;
    }
    if (from < 0 || from >= s->entries.len || x->where[from] == 0) {
        tell(x, op, "in nest %d entry %d reads entry %d, which is not made in front of it",
             x->nest->id, number, from);
        return;
    }
    const Entry *in = &s->entries.at[from];
    if (in->level > e->level)
        tell(x, op, "in nest %d entry %d of level %d reads entry %d of level %d", x->nest->id,
             number, e->level, from, in->level);
    if (in->rare && x->detour_of[from] != x->detour)
        tell(x, op, "in nest %d entry %d reads entry %d of a detour that is over", x->nest->id,
             number, from);
}

static bool is_scanned(const Check *x, const Entry *e)
{
    const Root *r = &x->nest->roots.at[0];
    const Entry *from = &x->nest->schedule->entries.at[e->in[0]];

    return r->kind == ROOT_SCAN && from->kind == MAKE_ROOT && from->number == 0 &&
           e->number < r->op->nresults && e->value == r->op->results[e->number];
}

/* Along rows, but in strips, what runs on is in the results' buffers. */
static void check_scan(Check *x, const Nest *n)
{
    const Root *r = &n->roots.at[0];

    if (r->kind != ROOT_SCAN || n->schedule->strips || r->combining.along == ALONG_LANES)
        return;
    for (int i = 0; i < r->op->nresults; i++) {
        if (!plan_buffer_is_there(x->plan, plan_buffer(x->plan, r->op->results[i])))
            tell(x, r->op, "nest %d goes on from result %d, which is in no buffer", n->id, i);
    }
}

static void check_entry(Check *x, int number)
{
    const Entry *e = &x->nest->schedule->entries.at[number];
    bool reads = e->kind == MAKE_READ || e->kind == MAKE_GATHER;

    for (int i = 0; i < e->nin; i++)
        read_entry(x, number, i);
    if (e->kind == MAKE_SCALAR && !x->scalars[e->value->id])
        tell(x, op_of(x, e), "nest %d reads scalar %d, which no step in front has made",
             x->nest->id, e->value->id);
    if (reads &&
        (!plan_buffer_is_there(x->plan, e->buffer) || x->plan->buffers.at[e->buffer].folded))
        tell(x, op_of(x, e), "in nest %d entry %d reads a tile that is in no buffer", x->nest->id,
             number);
    if (e->kind == MAKE_SCANNED && !x->broken && !is_scanned(x, e))
        tell(x, op_of(x, e), "in nest %d entry %d is no result of its scan", x->nest->id, number);
    const RecordGroup *g = e->kind == MAKE_RECORD ? e->access->group : NULL;
    if (g && (g->high - g->low >= g->step || (g->apart && g->step * x->nest->lanes > MOST_APART)))
        tell(x, op_of(x, e), "in nest %d entry %d reads too much at once", x->nest->id, number);
    if (e->kind == MAKE_DETOUR)
        x->detour = number;
    if (e->kind == MAKE_MEET)
        x->detour = NO_ENTRY;
    x->where[number] = ++x->places;
    x->detour_of[number] = x->detour;
}

/* What a body has made is of no use to the next one. */
static void check_part(Check *x, Part part)
{
    const Schedule *s = x->nest->schedule;

    x->detour = NO_ENTRY;
    for (int i = 0; i < s->part[part].len && !x->broken; i++)
        check_entry(x, s->part[part].at[i]);
    for (int i = 0; i < s->part[part].len && part != PART_ROWS; i++)
        x->where[s->part[part].at[i]] = 0;
}

/* --- what is kept --- */

static void check_kept(Check *x, const Nest *n)
{
    const Root *r = &n->roots.at[0];
    const Op *op = r->op ? r->op : r->value->def;

    if (n->keep < 0 || n->keep > x->plan->keeps.len) {
        tell(x, op, "nest %d fills what is kept nowhere", n->id);
        return;
    }
    const Keep *k = &x->plan->keeps.at[n->keep - 1];
    if (n->roots.len != 1 || r->kind != ROOT_FILL || r->value != k->value ||
        !plan_is_kept(x->plan, r->buffer, n->keep) ||
        !plan_has_room(x->plan, r->buffer, x->plan->buffers.at[r->buffer].dtype,
                       k->rounds * type_numel(k->value->type)))
        tell(x, op, "nest %d does not fill what it keeps, and that alone", n->id);
    if (!plan_has_room(x->plan, k->keys, DT_I64, keep_words(k)))
        tell(x, op, "nest %d has no room for what it knows of its slots", n->id);
    if (k->strips && !(k->several && k->loop && plan_rounds_are_known(k->loop)))
        tell(x, op, "nobody knows how wide the strips of nest %d are", n->id);
    for (int i = 0; i < k->nby; i++)
        read_scalar(x, op, k->by[i]);
}

static bool fills(const Nest *n, int buffer)
{
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind == ROOT_FILL && n->roots.at[i].buffer == buffer)
            return true;
    }
    return false;
}

/* Where elements are computed twice, they come to the same. */
static void check_again(Check *x, const Nest *n)
{
    const Schedule *s = n->schedule;

    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->kind != ROOT_FILL && r->kind != ROOT_STORE)
            tell(x, r->op, "nest %d overlaps, and does more than store", n->id);
    }
    for (int i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.at[i];
        bool moves = e->kind == MAKE_READ ? fills(n, e->buffer)
                     : e->kind == MAKE_LOAD && e->level == n->rank
                         ? plan_sees_stores(x->plan, n, e->value->def)
                         : false;
        if (moves || e->role == AS_LANE)
            tell(x, op_of(x, e), "in nest %d entry %d is another one where vectors overlap", n->id,
                 i);
    }
}

/* What reaches beyond rows is made of buffers, in a buffer, and all of these have room. */
static void check_beyond(Check *x, const Nest *n)
{
    const Schedule *s = n->schedule;
    const Op *first = n->roots.at[0].op ? n->roots.at[0].op : n->roots.at[0].value->def;
    int64_t extent = n->dims[n->order[n->rank - 1]],
            rest = (n->lanes - extent % n->lanes) % n->lanes;

    if (!s->again || s->strips || n->bounds.len > 0)
        tell(x, first, "nest %d reaches beyond its rows, and cannot", n->id);
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->kind != ROOT_FILL || x->plan->buffers.at[r->buffer].row < extent + rest)
            tell(x, first, "nest %d reaches beyond rows of what has no room", n->id);
    }
    for (int i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.at[i];
        int64_t row = e->kind == MAKE_READ ? x->plan->buffers.at[e->buffer].row : 0;
        if (e->kind == MAKE_LOAD || (e->kind == MAKE_READ && e->vector &&
                                     (row == 0 || e->number % row + extent + rest > row)))
            tell(x, op_of(x, e), "in nest %d entry %d reads beyond rows", n->id, i);
    }
}

/* Several go together where there are as many, and none is cut alone. */
static bool takes_planes(const Nest *n)
{
    int planes = n->schedule->planes;

    return planes == 1 || (n->schedule->strips && n->rank > 2 && planes <= MAX_PLANES &&
                           n->dims[n->order[n->rank - 3]] % planes == 0 &&
                           (n->full.len > 0 || plan_planes_are_alike(n)));
}

/* In strips all rows are cut alike, or are dead as a whole, and nothing is done once a row. */
static void check_strips(Check *x, const Nest *n)
{
    const Schedule *s = n->schedule;
    const Root *first = &n->roots.at[0];
    const Op *op = first->op ? first->op : first->value->def;

    if (n->rank < 2 || n->serial || n->backwards || n->pieces.len > 0 || s->edges || s->rows > 1)
        tell(x, op, "nest %d goes in strips that it cannot have", n->id);
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        bool combines = r->kind == ROOT_REDUCE || r->kind == ROOT_SCAN;
        if (combines && attr_axis(r->op) != n->order[n->rank - 2])
            tell(x, r->op, "nest %d goes in strips, and combines along another dimension", n->id);
    }
    for (int i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.at[i];
        bool cuts = e->kind == MAKE_CUT && e->level == n->rank - 1;
        if (e->kind == MAKE_REST || e->kind == MAKE_SOME ||
            (cuts && n->bounds.at[e->number].kind != BOUND_ROW))
            tell(x, op_of(x, e), "in nest %d entry %d is of one row, and rows go in strips", n->id,
                 i);
    }
}

static void check_lined(Check *x, const Nest *n)
{
    const Schedule *s = n->schedule;
    const Root *lines = n->lined <= n->roots.len ? &n->roots.at[n->lined - 1] : NULL;
    bool stores = lines && lines->access && lines->access->streaming != s->again;

    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        stores &= r->kind == ROOT_STORE && r->access && !r->access->steps.chunked;
    }
    if (!stores || n->serial || n->backwards || n->pieces.len > 0 || n->full.len > 0 || s->edges ||
        s->strips || s->rows > 1)
        tell(x, n->roots.at[0].op, "nest %d has vectors that begin at lines, and cannot", n->id);
}

static void check_packed(Check *x, const Nest *n)
{
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (!r->access || r->access->form != FORM_PACKED)
            continue;
        if (r->kind != ROOT_STORE || !plan_root_mask(r) || n->serial || n->backwards)
            tell(x, r->op, "nest %d cannot pack what it stores", n->id);
    }
}

/* --- pieces of rows --- */

static bool ends_piece(const Nest *n, int number)
{
    const Schedule *s = n->schedule;

    for (int i = 0; i < s->part[PART_ROWS].len; i++) {
        const Entry *e = &s->entries.at[s->part[PART_ROWS].at[i]];
        if (e->kind == MAKE_PIECE && e->number == number && e->level == n->rank - 1)
            return true;
    }
    return false;
}

static void check_pieces(Check *x, const Nest *n)
{
    const Root *r = &n->roots.at[0];
    const Op *op = r->op ? r->op : r->value->def;

    if (n->rank < 2 || n->order[n->rank - 2] != n->rank - 1 || n->dims[n->rank - 1] != 1 ||
        n->serial || n->backwards || n->keep != 0 || n->schedule->again)
        tell(x, op, "nest %d goes through pieces that it cannot have", n->id);
    if (n->whole && (n->whole->pieces.len > 0 || n->whole->rank != nest_tile_rank(n)))
        tell(x, op, "nest %d has pieces without a way to do without", n->id);
    for (int i = 0; i < n->pieces.len; i++) {
        const Quotient *q = &n->pieces.at[i];
        if (!ends_piece(n, i))
            tell(x, op, "nothing ends the pieces of nest %d at quotient %d", n->id, i);
        if (!quotient_compares(q) && q->number < 1 && (!n->whole || q->divisor->type->rank > 0))
            tell(x, op, "nest %d divides by what may be 0", n->id);
    }
}

/* --- steps --- */

static bool is_made(const void *x, const Value *scalar)
{
    return ((const Check *)x)->scalars[scalar->id];
}

static void check_full(Check *x, const Nest *n)
{
    for (int i = 0; i < n->full.len; i++) {
        if (!plan_holds_by_ends(n->full.at[i], is_made, x))
            tell(x, n->roots.at[0].op, "nest %d does not know whether its bounds hold", n->id);
    }
}

static void check_block(Check *x, const BlockPlan *b);

static void check_nest(Check *x, const Nest *n)
{
    int entries = n->schedule->entries.len, before = x->made.len;

    if (n->pieces.len > 0)
        check_pieces(x, n);
    if (n->whole)
        check_nest(x, n->whole);
    if (n->direct)
        check_nest(x, n->direct);
    if (n->keep != 0)
        check_kept(x, n);
    x->nest = n;
    if (n->schedule->again)
        check_again(x, n);
    if (n->schedule->beyond)
        check_beyond(x, n);
    if (n->schedule->strips)
        check_strips(x, n);
    if (n->lined != 0)
        check_lined(x, n);
    check_packed(x, n);
    if (!takes_planes(n))
        tell(x, n->roots.at[0].op, "nest %d has planes that it cannot have", n->id);
    check_scan(x, n);
    x->where = NEW_N(x->plan->arena, int, entries + 1);
    x->detour_of = NEW_N(x->plan->arena, int, entries + 1);
    x->places = 0;
    for (Part part = PART_ROWS; part < PARTS; part++)
        check_part(x, part);
    check_full(x, n);
    for (int i = 0; i < n->roots.len && !x->broken; i++) {
        const Root *r = &n->roots.at[i];
        if (r->combine) {
            make_all(x, r->op->regions[0]->args, r->op->regions[0]->nargs);
            check_block(x, r->combine);
            read_operands(x, r->op->regions[0]->last, 0, r->op->regions[0]->last->noperands);
        }
    }
    forget(x, before);
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].op)
            make_all(x, n->roots.at[i].op->results, n->roots.at[i].op->nresults);
    }
}

static void check_body(Check *x, const Block *b, const BlockPlan *plan)
{
    int before = x->made.len;

    make_all(x, b->args, b->nargs);
    check_block(x, plan);
    if (!x->broken)
        read_operands(x, b->last, 0, b->last->noperands);
    forget(x, before);
}

static void check_control(Check *x, const Step *s)
{
    const Op *op = s->op;

    read_operands(x, op, 0, op->noperands);
    for (int r = 0; r < COUNT(s->body); r++) {
        if (s->body[r])
            check_body(x, op->regions[r], s->body[r]);
    }
}

static void check_record(Check *x, const Step *s)
{
    read_operands(x, s->op, 0, s->op->noperands);
    for (int i = 0; i < s->op->noperands; i++) {
        if (s->op->operands[i]->type->rank > 0 && !plan_buffer_is_there(x->plan, s->buffers[i]))
            tell(x, s->op, "`%s` reads a tile that is in no buffer", op_info(s->op->code)->name);
    }
}

/* --- products --- */

static void check_dot(Check *x, const Step *s)
{
    const char *fault = plan_product_fault(x->plan, s, is_made, x);

    if (fault)
        tell(x, s->op, "%s", fault);
}

static void check_step(Check *x, const Step *s)
{
    switch (s->kind) {
    case STEP_NEST:
        check_nest(x, s->nest);
        return;
    case STEP_FOR:
    case STEP_WHILE:
    case STEP_IF:
        check_control(x, s);
        break;
    case STEP_RECORD:
        check_record(x, s);
        break;
    case STEP_DOT:
        check_dot(x, s);
        break;
    case STEP_SORT:
        if (!plan_buffer_is_there(x->plan, plan_buffer(x->plan, s->op->operands[0])) ||
            !plan_buffer_is_there(x->plan, plan_buffer(x->plan, s->op->results[0])) ||
            !plan_buffer_is_there(x->plan, s->sort.work))
            tell(x, s->op, "rows to be sorted have no buffer");
        break;
    case STEP_SCALAR:
        read_operands(x, s->op, 0, s->op->noperands);
        break;
    }
    make_all(x, s->op->results, s->op->nresults);
}

/* What runs where a loop has no round stands in front of it, beside others that do, and what a
 * product does in front of that, with other nests between. */
static void check_unless(Check *x, const BlockPlan *b, int i)
{
    const Nest *n = b->steps.at[i].kind == STEP_NEST ? b->steps.at[i].nest : NULL;
    int next = i + 1;

    if (!n || !n->unless)
        return;
    while (next < b->steps.len && b->steps.at[next].kind <= STEP_NEST &&
           (n->unless->code == OP_dot ||
            (b->steps.at[next].kind == STEP_NEST && b->steps.at[next].nest->unless == n->unless)))
        next++;
    if (next == b->steps.len || b->steps.at[next].op != n->unless)
        tell(x, n->unless, "nest %d does not stand in front of its loop, or product", n->id);
}

static void check_block(Check *x, const BlockPlan *b)
{
    for (int i = 0; i < b->steps.len && !x->broken; i++) {
        check_unless(x, b, i);
        check_step(x, &b->steps.at[i]);
    }
}

bool plan_verify(const Plan *p, Diags *d)
{
    Check x = {.plan = p, .diags = d, .detour = NO_ENTRY};

    x.scalars = NEW_N(p->arena, bool, p->func->nvalues + 1);
    make_all(&x, p->func->body->args, p->func->body->nargs);
    check_block(&x, p->body);
    return !x.broken;
}
