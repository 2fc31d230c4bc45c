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
 *
 * A plan that breaks a rule is our own mistake, and is told as an internal error at the op.
 */
#include "plan.h"

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

static bool has_buffer(const Plan *p, int buffer)
{
    return buffer >= 0 && buffer < p->buffers.len && p->buffers.at[buffer].bytes > 0;
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
        if (!has_buffer(x->plan, plan_buffer(x->plan, r->op->results[i])))
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
    if (reads && (!has_buffer(x->plan, e->buffer) || x->plan->buffers.at[e->buffer].folded))
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

static bool is_kept(const Check *x, int buffer, int keep)
{
    return has_buffer(x->plan, buffer) && x->plan->buffers.at[buffer].keep == keep;
}

/* In each of its slots, where it has some. */
static bool has_room(const Check *x, int buffer, DType t, int64_t elements)
{
    const Buffer *b = has_buffer(x->plan, buffer) ? &x->plan->buffers.at[buffer] : NULL;
    int64_t bytes = elements * dtype_size(t);

    if (!b || b->dtype != t || b->keep < 0 || b->keep > x->plan->keeps.len)
        return false;
    if (b->keep == 0)
        return b->bytes >= bytes;
    int others = keep_all_slots(&x->plan->keeps.at[b->keep - 1]) - 1;
    return b->slot >= bytes && b->bytes - b->slot * others >= bytes;
}

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
        !is_kept(x, r->buffer, n->keep) ||
        !has_room(x, r->buffer, x->plan->buffers.at[r->buffer].dtype,
                  k->rounds * type_numel(k->value->type)))
        tell(x, op, "nest %d does not fill what it keeps, and that alone", n->id);
    if (!has_room(x, k->keys, DT_I64, keep_words(k)))
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
    if (n->schedule->strips)
        check_strips(x, n);
    check_scan(x, n);
    x->where = NEW_N(x->plan->arena, int, entries + 1);
    x->detour_of = NEW_N(x->plan->arena, int, entries + 1);
    x->places = 0;
    for (Part part = PART_ROWS; part < PARTS; part++)
        check_part(x, part);
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
        if (s->op->operands[i]->type->rank > 0 && !has_buffer(x->plan, s->buffers[i]))
            tell(x, s->op, "`%s` reads a tile that is in no buffer", op_info(s->op->code)->name);
    }
}

/* --- products --- */

static const Buffer *buffer_of(const Check *x, const Value *v)
{
    return &x->plan->buffers.at[plan_buffer(x->plan, v)];
}

/* Elements rounded up to whole parts. */
static int64_t rounded(int n, int part)
{
    return (n + (int64_t)part - 1) / part * part;
}

static void check_panels(Check *x, const Step *s, int m, int n, int k)
{
    const DotPlan *d = &s->dot;
    const Op *op = s->op;
    bool by_fma = d->unit == DOT_FMA;
    DType t = by_fma ? buffer_of(x, op->operands[DOT_B])->dtype : op->operands[DOT_B]->type->dtype;
    DType in = d->unit == DOT_PAIRS ? DT_I16 : t;
    int64_t columns = rounded(n, d->lanes), depth = rounded(d->rounds * k, d->group);

    if (!by_fma && (buffer_of(x, op->operands[DOT_A])->dtype != t ||
                    buffer_of(x, op->operands[DOT_B])->dtype != t))
        tell(x, op, "a product's operands do not lie as its unit takes them");
    if (!has_room(x, d->packed, in, columns * depth))
        tell(x, op, "a product has no room for its panels");
    if (d->keep != 0 && (!is_kept(x, d->packed, d->keep) ||
                         (d->sums != NO_BUFFER && !is_kept(x, d->sums, d->keep))))
        tell(x, op, "a product keeps its panels where there is no room for them");
    if (d->unit == DOT_VNNI && !has_room(x, d->sums, DT_I32, columns))
        tell(x, op, "a product has no room for the sums of its columns");
    if (d->unit == DOT_PAIRS && !has_room(x, d->widened, in, m * depth))
        tell(x, op, "a product has no room for its rows in 16 bits");
}

/* Does each round's tile of `other` rows of a, or columns of b, lie where the product takes it, and
 * is there room for all? */
static bool lies_well(const Check *x, const Value *v, bool is_a, int64_t other, int64_t k,
                      int rounds)
{
    const Buffer *b = buffer_of(x, v);
    bool along_k = is_a != b->turned;
    int64_t least = along_k ? rounds * k : other, lines = along_k ? other : rounds * k;

    return b->row >= least && b->apart == (along_k ? k : k * b->row) &&
           has_room(x, plan_buffer(x->plan, v), b->dtype, lines * b->row);
}

/* Tiles of the loop's rounds lie where the product takes them. */
static void check_rounds(Check *x, const Step *s, int m, int n, int k)
{
    const Op *op = s->op;
    const Value *p = op->operands[DOT_A], *q = op->operands[DOT_B];
    const Buffer *a = buffer_of(x, p), *b = buffer_of(x, q);
    int rounds = s->dot.rounds;

    if ((a->row != 0 && !lies_well(x, p, true, m, k, rounds)) ||
        (b->row != 0 && !lies_well(x, q, false, n, k, rounds)) ||
        ((a->turned || b->turned) && s->dot.unit != DOT_FMA))
        tell(x, op, "operands do not lie as their product takes them");

    if (rounds == 1) {
        if (a->loop || b->loop)
            tell(x, op, "a product takes one of the tiles that lie together");
        return;
    }
    if (a->loop != op->block->owner || b->loop != a->loop || a->rounds != rounds ||
        b->rounds != rounds || a->row == 0 || b->row == 0 || k % s->dot.group != 0)
        tell(x, op, "tiles of several rounds do not lie as their product takes them");
}

static bool is_made(const void *x, const Value *scalar)
{
    return ((const Check *)x)->scalars[scalar->id];
}

/* Does what counts the rows, columns or elements along k count as many, and is it there? */
static void check_live(Check *x, const Step *s)
{
    const Type *a = s->op->operands[DOT_A]->type, *sum = s->op->results[0]->type;

    for (int i = 0; i < LIVES; i++) {
        const Value *v = s->dot.live[i];
        if (v &&
            (sum->rank != 2 || !plan_can_count(v, is_made, x) ||
             type_numel(plan_counted(v)->type) != (i == LIVE_DEPTH ? a->dims[1] : sum->dims[i])))
            tell(x, s->op, "what a product leaves out is not known in front of it");
    }
}

static void check_dot(Check *x, const Step *s)
{
    const Op *op = s->op;
    const Type *a = op->operands[DOT_A]->type, *sum = op->results[0]->type;
    const DotPlan *d = &s->dot;
    int m = a->dims[a->rank - 2], k = a->dims[a->rank - 1], n = sum->dims[sum->rank - 1];

    if (!has_buffer(x->plan, plan_buffer(x->plan, op->results[0])) ||
        !has_buffer(x->plan, plan_buffer(x->plan, op->operands[DOT_A])) ||
        !has_buffer(x->plan, plan_buffer(x->plan, op->operands[DOT_B]))) {
        tell(x, op, "a product has no buffer");
        return;
    }
    if (d->keep != buffer_of(x, op->operands[DOT_B])->keep || d->keep > x->plan->keeps.len) {
        tell(x, op, "a product does not know whether its panels are kept");
        return;
    }
    if (d->unit != DOT_FMA || buffer_of(x, op->operands[DOT_B])->turned)
        check_panels(x, s, m, n, k);
    check_rounds(x, s, m, n, k);
    check_live(x, s);
    if (d->unit != DOT_AMX && d->rows > DOT_MAX_ROWS)
        tell(x, op, "a product's block has too many rows");
    if (d->unit == DOT_AMX && (m % d->height != 0 || d->rows % d->height != 0 ||
                               n % d->lanes != 0 || k % d->depth != 0 || d->depth % d->group != 0))
        tell(x, op, "a product is not cut into whole tiles");
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
        if (!has_buffer(x->plan, plan_buffer(x->plan, s->op->operands[0])) ||
            !has_buffer(x->plan, plan_buffer(x->plan, s->op->results[0])) ||
            !has_buffer(x->plan, s->sort.work))
            tell(x, s->op, "rows to be sorted have no buffer");
        break;
    case STEP_SCALAR:
        read_operands(x, s->op, 0, s->op->noperands);
        break;
    }
    make_all(x, s->op->results, s->op->nresults);
}

static void check_block(Check *x, const BlockPlan *b)
{
    for (int i = 0; i < b->steps.len && !x->broken; i++)
        check_step(x, &b->steps.at[i]);
}

bool plan_verify(const Plan *p, Diags *d)
{
    Check x = {.plan = p, .diags = d, .detour = NO_ENTRY};

    x.scalars = NEW_N(p->arena, bool, p->func->nvalues + 1);
    make_all(&x, p->func->body->args, p->func->body->nargs);
    check_block(&x, p->body);
    return !x.broken;
}
