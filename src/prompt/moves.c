/*
 * moves.c - commands that let the run go on, or back
 */
#include "inside.h"

void do_run(Prompt *p, const char *text)
{
    (void)text;
    debug_restart(p->debugger);
    p->moves = true;
}

void do_continue(Prompt *p, const char *text)
{
    (void)text;
    debug_continue(p->debugger);
    p->moves = true;
}

void do_step(Prompt *p, const char *text)
{
    debug_step(p->debugger, count_of(p, text));
    p->moves = true;
}

void do_next(Prompt *p, const char *text)
{
    debug_next(p->debugger, count_of(p, text));
    p->moves = true;
}

void do_finish(Prompt *p, const char *text)
{
    (void)text;
    debug_finish(p->debugger);
    p->moves = true;
}

void do_back(Prompt *p, const char *text)
{
    debug_back(p->debugger, count_of(p, text));
    p->moves = true;
}

void do_reverse(Prompt *p, const char *text)
{
    (void)text;
    debug_reverse(p->debugger);
    p->moves = true;
}

void do_program(Prompt *p, const char *text)
{
    const int32_t *grid = p->launch->grid;
    int32_t at[3];

    program_of(p, &text, false, at);
    if (*text)
        client_stop(p->client, CLIENT_USAGE, "`%s`: nothing stands behind the program", text);
    debug_go_to_program(p->debugger, at[0] + (int64_t)grid[0] * (at[1] + (int64_t)grid[1] * at[2]));
    p->moves = true;
}

void do_quit(Prompt *p, const char *text)
{
    (void)text;
    debug_end(p->debugger);
    p->moves = true;
}
