/*
 * moves.c - requests that let the run go on, or back
 *
 * There is one run, of one program after the other: to let one thread go on lets all.  A step of a
 * program in which the run does not stand leads to its beginning, forward or back.
 */
#include "inside.h"

static int64_t program_wanted(const Dap *p)
{
    return want_whole(p, p->args, "threadId") - 1;
}

/* Behind a fault, or the end, there is nothing. */
static bool is_at_end(const Dap *p)
{
    return p->stop->why == DEBUG_FAULT || p->stop->why == DEBUG_ENDED;
}

static void end(Dap *p)
{
    p->exit_code = p->stop->why == DEBUG_FAULT;
    debug_end(p->debugger);
    p->moves = true;
}

static int64_t programs_of(const Dap *p)
{
    const int32_t *grid = p->launch->grid;

    return (int64_t)grid[0] * grid[1] * grid[2];
}

static void step(Dap *p, void (*move)(Debugger *d))
{
    int64_t program = program_wanted(p);

    if (program < 0 || program >= programs_of(p))
        client_stop(p->client, CLIENT_USAGE, "there is no thread %lld", (long long)program + 1);
    if (program == p->stop->moment.program && is_at_end(p)) {
        end(p);
        return;
    }
    if (program == p->stop->moment.program)
        move(p->debugger);
    else
        debug_go_to_program(p->debugger, program);
    p->moves = true;
}

static void next(Debugger *d)
{
    debug_next(d, 1);
}

static void step_in(Debugger *d)
{
    debug_step(d, 1);
}

void request_continue(Dap *p)
{
    program_wanted(p);
    json_bool(&p->body, "allThreadsContinued", true);
    if (is_at_end(p))
        end(p);
    else
        debug_continue(p->debugger);
    p->moves = true;
}

void request_next(Dap *p)
{
    step(p, next);
}

void request_stepIn(Dap *p)
{
    step(p, step_in);
}

void request_stepOut(Dap *p)
{
    step(p, debug_finish);
}

void request_stepBack(Dap *p)
{
    program_wanted(p);
    debug_back(p->debugger, 1);
    p->moves = true;
}

void request_reverseContinue(Dap *p)
{
    program_wanted(p);
    debug_reverse(p->debugger);
    p->moves = true;
}

void request_pause(Dap *p)
{
    p->pauses = p->stage == RUNS;
}
