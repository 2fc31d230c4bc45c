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
    int32_t at[3];

    debug_program_named(p->debugger, &text, false, at);
    if (*text)
        client_stop(p->client, CLIENT_USAGE, "`%s`: nothing stands behind the program", text);
    debug_go_to_program(p->debugger, debug_program_number(p->debugger, at));
    p->moves = true;
}

void do_differ(Prompt *p, const char *text)
{
    (void)text;
    if (!p->host->compare)
        client_stop(p->client, CLIENT_USAGE,
                    "nobody has said what arrays should be: tilec debug ... --compare out=cpu, "
                    "--compare out=x+y, --against old.py");
    p->compares = p->stop->why != DEBUG_ENDED;
    p->moves = true;
    if (p->compares)
        debug_go_to_end(p->debugger);
    else
        p->moves = goes_to_difference(p);
}

bool goes_to_difference(Prompt *p)
{
    Map *wrong = map_new(p->client->arena);
    DebugWrite first;

    p->compares = false;
    say(p, "%s", p->host->compare(p->host->ctx, wrong));
    if (!debug_first_of_last(p->debugger, wrong, &first))
        return false;
    debug_watch(p->debugger, first.element->name, first.address, first.element->dtype);
    if (p->host->version)
        debug_differ(p->debugger, p->host->version, first.moment);
    else
        debug_go_to(p->debugger, first.moment);
    return true;
}

void do_quit(Prompt *p, const char *text)
{
    (void)text;
    debug_end(p->debugger);
    p->moves = true;
}
