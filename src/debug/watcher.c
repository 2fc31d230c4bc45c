/*
 * watcher.c - what is looked at in front of each op: does a statement begin, is there a reason to
 * stop?
 *
 * A statement begins with the first of its ops that is told, and again where a loop's round begins
 * or its function is called again.  Ends of blocks are of no statement.  Reasons to stop are looked
 * for only where somebody asks for them, since to run again to a known moment should be quick.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* --- calls and rounds --- */

/* Of the program that it is to come to alone. */
static bool compares(const Debugger *d)
{
    return d->wish.purpose == FOR_DIFFERENCE && d->wish.moment.program == d->now.program;
}

static void begin_program(Debugger *d, const InterpFrame *f)
{
    memcpy(d->program, interp_program(f), sizeof d->program);
    d->now = (DebugMoment){debug_program_number(d, d->program), 0};
    d->depth = d->nwaiting = 0;
    d->nbegun = 0;
    d->forgot_begun = false;
    d->ops = 0;
    d->op = NULL;
    d->module = interp_func(f)->module;
    written_begin_program(&d->journal, d->now.program);
    if (d->launch.follows)
        debug_version_begin(d->launch.follows, d->now.program);
    if (compares(d))
        debug_version_begin(d->version, d->now.program);
}

/* A call begins: so does the statement that it is in, unless an op of that was told of. */
static void wait_for_op(Debugger *d, const InterpPlace *at)
{
    int statement = statement_of(at);

    if (statement < 0 || statement == d->statement[d->depth] || d->nwaiting == MOST_WAITING)
        return;
    d->statement[d->depth] = statement;
    d->waiting[d->nwaiting++] = (Waiting){*at, d->depth};
}

static void at_enter(void *debugger, const InterpPlace *at)
{
    Debugger *d = debugger;
    InterpPlace outer = *at;

    if (!interp_caller(&outer)) {
        begin_program(d, at->frame);
    } else {
        wait_for_op(d, &outer);
        d->depth = MIN(d->depth + 1, MOST_DEPTH - 1);
    }
    d->statement[d->depth] = -1;
}

static void at_leave(void *debugger, const InterpPlace *at)
{
    Debugger *d = debugger;

    (void)at;
    d->depth = MAX(d->depth - 1, 0);
}

static void at_round(void *debugger, const InterpFrame *f, const Op *loop)
{
    Debugger *d = debugger;

    (void)f;
    (void)loop;
    d->statement[d->depth] = -1;
}

static void before_access(void *debugger, const InterpFrame *f, const InterpAccess *a)
{
    (void)f;
    if (a->effect & WRITES)
        written_note(debugger, a);
}

/* --- statements --- */

/* The older half of very many is forgotten. */
static void note_begun(Debugger *d)
{
    if (d->nbegun == MOST_BEGUN) {
        d->nbegun = MOST_BEGUN / 2;
        memmove(d->begun, d->begun + MOST_BEGUN / 2, d->nbegun * sizeof *d->begun);
        d->forgot_begun = true;
    }
    if (d->nbegun == d->begun_room) {
        size_t room = MAX(256, 2 * d->begun_room);
        Begun *more = realloc(d->begun, room * sizeof *more);
        if (!more)
            return; /* one goes back by more than one then */
        d->begun = more;
        d->begun_room = room;
    }
    d->begun[d->nbegun++] = (Begun){d->now.step, d->depth};
}

static bool begins_statement(Debugger *d, const InterpPlace *at, const Op *op)
{
    if (op_has(op, ENDS))
        return false;
    int statement = statement_of(at);
    if (statement < 0 || statement == d->statement[d->depth])
        return false;
    d->statement[d->depth] = statement;
    return true;
}

/* --- reasons to stop --- */

static bool is_in_program(const DebugBreak *b, const int32_t program[3])
{
    for (int i = 0; i < 3; i++) {
        if (b->program[i] >= 0 && b->program[i] != program[i])
            return false;
    }
    return true;
}

static bool is_hit(Debugger *d, DebugBreak *b, const InterpPlace *at)
{
    const Func *f = interp_func(at->frame);
    int statement = d->statement[d->depth];
    const DebugWhen *when = &b->when;

    if (statement_line(d, f, statement) != b->line || !is_in_program(b, d->program))
        return false;
    return statement_place(f, statement).source == b->source &&
           (!when->condition || d->host->holds(d->host->ctx, at, when->condition)) &&
           (when->hits.kind == HITS_ALL || hits_count(d, b));
}

static bool finds_breakpoint(Debugger *d, const InterpPlace *at, DebugStop *stop)
{
    int number = 0;

    for (int i = 0; i < d->breaks.len; i++) {
        DebugBreak *b = &d->breaks.at[i];

        if (!is_hit(d, b, at))
            continue;
        if (b->when.log)
            hits_log(d, b, at);
        else if (number == 0)
            number = b->number;
    }
    if (number > 0) {
        stop->why = DEBUG_BREAKPOINT;
        stop->number = number;
    }
    return number > 0;
}

/* What an op has done is told with its own place: where the run stands is behind it. */
static bool stops_behind(Debugger *d, Span span, DebugWhy why, const char *text, DebugStop *stop)
{
    Place at = source_place(d->module->sources, span.start);

    stop->why = why;
    stop->text = text;
    if (at.source)
        stop->text = arena_printf(d->client->arena, "%s:%d: %s\n%5d   %.*s", at.source->shown,
                                  at.line, text, at.line, at.length, at.text);
    return true;
}

/* A reason that does not depend on what the run goes on for. */
static bool finds_reason(Debugger *d, const InterpPlace *at, bool begins, DebugStop *stop)
{
    Arena *a = d->client->arena;
    const char *text;

    if (d->writing.number > 0 && (text = written_tell(d, &stop->number, a)) != NULL)
        return stops_behind(d, d->op->span, DEBUG_WRITTEN, text, stop);
    if (d->catches && d->frame == at->frame && (text = caught_tell(d, a)) != NULL)
        return stops_behind(d, d->op->span, DEBUG_CAUGHT, text, stop);
    return begins && finds_breakpoint(d, at, stop);
}

/* Of a statement that begins: is it one that a step ends at?  What a program leaves for the next
 * one to be at is one, too. */
static bool ends_step(Debugger *d)
{
    bool is_near = d->depth <= d->wish.depth || d->now.program != d->wish.moment.program;

    return is_near && --d->wish.count <= 0;
}

static bool is_moment(Debugger *d, const InterpPlace *at, bool begins, DebugStop *stop)
{
    if (d->now.program != d->wish.moment.program || d->now.step != d->wish.moment.step)
        return false;
    if (d->wish.why == DEBUG_FAULT || !finds_reason(d, at, begins, stop))
        stop->why = d->wish.why;
    return true;
}

static bool is_wanted(Debugger *d, const InterpPlace *at, bool begins, DebugStop *stop)
{
    switch (d->wish.purpose) {
    case FOR_STOPS:
        return finds_reason(d, at, begins, stop);
    case FOR_STATEMENT:
        if (finds_reason(d, at, begins, stop))
            return true;
        stop->why = DEBUG_STEPPED;
        return begins && ends_step(d);
    case FOR_END:
        break;
    case FOR_PROGRAM:
        stop->why = d->wish.why;
        return begins && d->now.program == d->wish.moment.program;
    case FOR_MOMENT:
        return is_moment(d, at, begins, stop);
    case FOR_DIFFERENCE:
        return d->difference ? stops_behind(d, d->differs_at, DEBUG_CAUGHT, d->difference, stop)
                             : is_moment(d, at, begins, stop);
    case FOR_LAST_STOP:
        d->found |= finds_reason(d, at, begins, stop);
        break;
    case FOR_LAST_STATEMENT:
        d->found |= begins;
        break;
    }
    return false;
}

/* Back to where the search began. */
static void give_up_search(Debugger *d)
{
    if (d->wish.from.step == INT64_MAX)
        d->wish = (Wish){.purpose = FOR_END};
    else
        d->wish = (Wish){.purpose = FOR_MOMENT, .moment = d->wish.from, .why = DEBUG_INTERRUPTED};
    d->ends = false;
    d->goes_again = true;
}

/* FOR_LAST_..: note what there is, and end where they end. */
static bool searches_on(Debugger *d, const InterpPlace *at, bool begins)
{
    DebugStop stop = {0};
    bool found = d->found;

    if (!moment_is_before(d->now, d->wish.moment))
        return false;
    if (d->host->interrupts && d->host->interrupts(d->host->ctx)) {
        give_up_search(d);
        return false;
    }
    d->found = false;
    is_wanted(d, at, begins, &stop);
    if (d->found)
        d->last = d->now;
    d->found |= found;
    return true;
}

/* Stand still; does the launch go on behind it? */
static bool stand(Debugger *d, const InterpPlace *at, DebugStop *stop)
{
    stop->moment = d->now;
    stop->place = *at;
    memcpy(stop->program, d->program, sizeof stop->program);
    stop->text = stop->why == DEBUG_FAULT ? d->fault : stop->text;
    d->ends = true; /* unless the host says how to go on */
    d->stands = true;
    d->host->stopped(d->host->ctx, stop);
    d->stands = false;
    return !d->ends && !d->goes_again;
}

/* Does the launch go on behind this moment? */
static bool goes_on_behind(Debugger *d, const InterpPlace *at, bool begins)
{
    DebugStop stop = {0};

    if (begins)
        note_begun(d);
    if (d->wish.purpose == FOR_LAST_STOP || d->wish.purpose == FOR_LAST_STATEMENT)
        return searches_on(d, at, begins);
    bool stops = is_wanted(d, at, begins, &stop);
    if (!stops && d->host->interrupts && d->host->interrupts(d->host->ctx)) {
        stop = (DebugStop){.why = DEBUG_INTERRUPTED};
        stops = true;
    }
    return !stops || stand(d, at, &stop);
}

/* One more moment.  It has been when what comes next has run, and not when the run stood there. */
static bool pass(Debugger *d, const InterpPlace *at, bool begins)
{
    d->now.step++;
    d->is_new = moment_is_before(d->farthest, d->now);
    bool goes_on = goes_on_behind(d, at, begins);
    if (goes_on && d->is_new)
        d->farthest = d->now;
    return goes_on;
}

static bool pass_waiting(Debugger *d)
{
    int depth = d->depth;
    bool goes_on = true;

    for (int i = 0; i < d->nwaiting && goes_on; i++) {
        d->depth = d->waiting[i].depth;
        goes_on = pass(d, &d->waiting[i].at, true);
    }
    d->depth = depth;
    d->nwaiting = 0;
    return goes_on;
}

/* A name is given a value, which is no moment of its own. */
static void look_at_value(Debugger *d, const InterpFrame *f, const Op *op)
{
    Arena *a = d->client->arena;
    DebugVersion *there = d->launch.follows;
    const char *text = there ? version_follow(there, f, op) : NULL;

    if (text && d->is_new)
        d->host->printed(d->host->ctx, arena_printf(a, text, version_name(there)));
    if (d->difference || !compares(d))
        return;
    d->difference = version_compare(d->version, f, op, a);
    d->differs_at = op->span;
}

static bool before_op(void *debugger, const InterpFrame *f, const Op *op)
{
    Debugger *d = debugger;
    InterpPlace at = interp_place(f, op);

    if (op_says_value(op)) {
        look_at_value(d, f, op);
        return !d->failed;
    }
    if (d->failed || !pass_waiting(d))
        return false;
    bool goes_on = pass(d, &at, begins_statement(d, &at, op));
    d->difference = NULL;
    d->writing.number = 0;
    d->ops++;
    d->op = op;
    d->frame = f;
    return goes_on;
}

InterpObserver watcher_observer(Debugger *d)
{
    return (InterpObserver){.ctx = d,
                            .keeps_values = true,
                            .op = before_op,
                            .access = before_access,
                            .recall = recalled_room,
                            .round = at_round,
                            .enter = at_enter,
                            .leave = at_leave};
}
