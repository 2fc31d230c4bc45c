/*
 * plan_scan.c - which results of scans are at hand where they are read
 *
 * What a scan comes to has a buffer, for others read it as a tile, and the next row of one along
 * rows goes on from there.  But where all who read a result stand behind the scan in its own body,
 * element by element, they can take it from there (MAKE_SCANNED), and most of that buffer would be
 * lines of the cache that are written for nobody.  Along lanes, and in strips, what runs on is in
 * registers, so that there is no buffer; else it is *folded*: its rows are all in one place.
 *
 * It takes schedules, in which it changes entries of that kind alone.
 */
#include "plan_schedule_internal.h"

/* By buffer. */
typedef struct {
    const Nest *nest; /* that scans into it, or NULL */
    int result;       /* .. which of the scan's */
    bool elsewhere;   /* it is read as a tile, too */
} Scanned;

typedef void VisitNest(Plan *p, Scanned *all, Nest *n);
typedef void VisitStep(Plan *p, Scanned *all, const Step *s);

/* And those that may run in its place. */
static void visit_nests(Plan *p, Scanned *all, Nest *n, VisitNest *nest)
{
    if (!n)
        return;
    nest(p, all, n);
    visit_nests(p, all, n->whole, nest);
    visit_nests(p, all, n->direct, nest);
}

static void visit(Plan *p, BlockPlan *b, Scanned *all, VisitNest *nest, VisitStep *step)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (step)
            step(p, all, s);
        visit_nests(p, all, s->nest, nest);
        visit(p, s->body[0], all, nest, step);
        visit(p, s->body[1], all, nest, step);
    }
}

/* Does what runs on stay in registers? */
static bool runs_in_registers(const Nest *n)
{
    return n->schedule->strips || n->roots.at[0].combining.along == ALONG_LANES;
}

static void find_scan(Plan *p, Scanned *all, Nest *n)
{
    const Op *op = n->roots.at[0].op;

    if (n->roots.at[0].kind != ROOT_SCAN || n->serial || n->pieces.len > 0)
        return;
    for (int k = 0; k < op->nresults; k++)
        all[plan_buffer(p, op->results[k])] = (Scanned){.nest = n, .result = k};
}

/* The scan's entry in front of place `at` of a part; NO_ENTRY: it does not stand there. */
static int scan_before(const Nest *n, Part part, int at)
{
    const Schedule *s = n->schedule;

    for (int i = 0; i < at; i++) {
        const Entry *e = &s->entries.at[s->part[part].at[i]];
        if (e->kind == MAKE_ROOT && e->number == 0)
            return s->part[part].at[i];
    }
    return NO_ENTRY;
}

static bool is_at_hand(const Scanned *s, const Nest *n, const Entry *e, Part part, int at)
{
    return s->nest == n && e->kind == MAKE_READ &&
           e->value == n->roots.at[0].op->results[s->result] && e->vector && e->role != AS_LANE &&
           e->level == n->rank && e->number == 0 && plan_is_identity(e->value, e->map, n->rank) &&
           scan_before(n, part, at) != NO_ENTRY;
}

static bool reads(const Entry *e)
{
    return e->kind == MAKE_READ || e->kind == MAKE_GATHER;
}

static void see_readers(Plan *p, Scanned *all, Nest *n)
{
    const Schedule *s = n->schedule;

    (void)p;
    for (Part part = PART_ROWS; part < PARTS; part++) {
        for (int i = 0; i < s->part[part].len; i++) {
            const Entry *e = &s->entries.at[s->part[part].at[i]];
            if (reads(e))
                all[e->buffer].elsewhere |= !is_at_hand(&all[e->buffer], n, e, part, i);
        }
    }
}

static void see_tile(Scanned *all, int buffer)
{
    if (buffer != NO_BUFFER)
        all[buffer].elsewhere = true;
}

/* Of a step that takes tiles from their buffers. */
static void see_tiles(Plan *p, Scanned *all, const Step *s)
{
    bool whole = s->kind == STEP_DOT || s->kind == STEP_SORT;

    for (int i = 0; s->op && i < s->op->noperands; i++) {
        if (whole)
            see_tile(all, plan_buffer(p, s->op->operands[i]));
        if (s->kind == STEP_RECORD)
            see_tile(all, s->buffers[i]);
    }
}

static void take(Plan *p, Scanned *all, Nest *n)
{
    Schedule *s = n->schedule;

    for (Part part = PART_ROWS; part < PARTS; part++) {
        for (int i = 0; i < s->part[part].len; i++) {
            Entry *e = &s->entries.at[s->part[part].at[i]];
            const Scanned *from = reads(e) ? &all[e->buffer] : NULL;
            if (!from || !from->nest || from->elsewhere)
                continue;
            int *in = NEW(p->arena, int);
            *in = scan_before(n, part, i);
            e->kind = MAKE_SCANNED;
            e->number = from->result;
            e->in = in;
            e->nin = 1;
        }
    }
}

/* From here on nobody reads it but the scan. */
static void give_up(Plan *p, const Scanned *s, int buffer)
{
    const Op *op = s->nest->roots.at[0].op;
    const Value *result = op->results[s->result];
    Buffer *b = &p->buffers.at[buffer];

    if (runs_in_registers(s->nest)) {
        p->facts[result->id].buffer = NO_BUFFER;
        b->bytes = 0;
    } else {
        b->folded = 1 + (int)attr_axis(op);
        b->bytes /= result->type->dims[attr_axis(op)];
    }
}

void plan_scan_results(Plan *p)
{
    Scanned *all = NEW_N(p->arena, Scanned, p->buffers.len + 1);

    if (p->options->debug) /* which reads all that has a name */
        return;
    visit(p, p->body, all, find_scan, NULL);
    visit(p, p->body, all, see_readers, see_tiles);
    visit(p, p->body, all, take, NULL);
    for (int i = 0; i < p->buffers.len; i++) {
        if (all[i].nest && !all[i].elsewhere)
            give_up(p, &all[i], i);
    }
}
