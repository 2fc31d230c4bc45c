/*
 * each_tell.c - what `run --each` says: of each file in their order, how far it is, and at the end
 */
#include "each.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- files --- */

/* A test's lines stand among those of its calls. */
static void tell_line(const Eaches *a, const char *text)
{
    Text t = text_new(a->cli->arena);

    if (a->tests) {
        terminal_line(a->cli->tells, text);
        return;
    }
    text_put_printable(&t, text);
    terminal_say_trouble("tilec: %s\n", t.s);
}

void tell_warning(Each *e, const EachFile *f, const char *warning)
{
    Eaches *a = eaches_of(e);
    Arena *arena = a->cli->arena;

    if (a->cli->quiet)
        return;
    progress_end(&a->progress);
    tell_line(a, arena_printf(arena, "warning: %s: %s", shown_name(arena, f->path), warning));
}

/* As a line of its own, behind the name of the file if the text does not begin with it. */
static void tell_trouble(Eaches *a, const EachFile *f, const char *why)
{
    const char *name = shown_name(a->cli->arena, f->path);
    size_t n = strlen(name);
    bool named = strncmp(why, name, n) == 0 && (why[n] == ':' || why[n] == '\0');

    progress_end(&a->progress);
    tell_line(a, arena_printf(a->cli->arena, "%s%s%s", named ? "" : name, named ? "" : ": ", why));
}

static void tell_text(Eaches *a, const EachFile *f, const char *text, bool failed)
{
    if (!text || !*text || (a->tests && !failed))
        return;
    progress_end(&a->progress);
    fprintf(a->cli->tells, "%s:\n%s", shown_name(a->cli->arena, f->path), text);
}

void tell_file(Each *e, const EachFile *f, const char *told, const char *trouble)
{
    enum { MOST_OF_TEST = 5 };
    Eaches *a = eaches_of(e);

    if (a->tests && trouble && ++a->troubles > MOST_OF_TEST)
        return;
    tell_text(a, f, told, trouble != NULL);
    if (trouble)
        tell_trouble(a, f, trouble);
}

void tell_complaint(Each *e, int code, const char *text)
{
    Eaches *a = eaches_of(e);

    progress_end(&a->progress);
    cli_complain(a->cli, (CliCode)code, "%s", text);
}

/* --- how far it is --- */

/* Of files whose kernel is running: how much of them is done, together. */
static double running_share(const Eaches *a)
{
    int sum = 0;

    for (int i = 0; i < a->each.crew.n; i++)
        sum += atomic_load(&a->shares[i]);
    return sum / 1000.0;
}

void tell_progress(Each *e)
{
    Eaches *a = eaches_of(e);

    if (each_assists(e))
        return;
    interrupt_says("%d of %d files are done", e->done - e->failed, e->files.len);
    if (!a->tests)
        progress_files(&a->progress, e->done + running_share(a), e->files.len);
}

void tell_keep_tables(Each *e, const GatheredTable *tables, int n)
{
    Rescue *all = arena_alloc(e->client->arena, sizeof *all + sizeof *all->at * (size_t)n);

    all->n = n;
    for (int i = 0; i < n; i++) {
        all->at[i].path = tables[i].path;
        all->at[i].text = tables[i].text;
        all->at[i].length = tables[i].length;
    }
    rescue_publish(all);
}

/* --- the end --- */

static void put_left(Text *t, const Each *e)
{
    if (e->left)
        text_printf(t, "; %d left%s", e->left, e->halted ? ", which would fail alike" : "");
}

/* The line for people, which goes to stderr. */
static void tell_sums(const Each *e, double seconds)
{
    Text t = text_new(e->client->arena);

    if (interrupt_noted()) {
        text_printf(&t, "tilec: stopped: %d of %d files are done", e->done - e->failed,
                    e->files.len);
        put_left(&t, e);
        terminal_say("%s\n", t.s);
        return;
    }
    text_printf(&t, "tilec: %d of %d files in %.2f s, %.0f files/s", e->done - e->failed,
                e->files.len, seconds, e->files.len / seconds);
    if (e->skips)
        text_printf(&t, "; %d skipped%s", e->skipped,
                    e->files.len > 0 ? ""
                                     : ": all outputs are there, and not older than their files");
    if (e->replaced)
        text_printf(&t, "; %d older output%s replaced", e->replaced, e->replaced > 1 ? "s" : "");
    if (e->failed)
        text_printf(&t, "; %d failed", e->failed);
    if (e->stale)
        text_printf(&t, ", of which %d %s outputs of an earlier run", e->stale,
                    e->stale == 1 ? "has" : "have");
    put_left(&t, e);
    if (e->others.len > 0)
        text_printf(&t, "; compared: %d agree, %d differ%s", e->done - e->failed, e->differ,
                    e->differ == 1 ? "s" : "");
    terminal_say("%s\n", t.s);
    if (e->halted == EMFILE || e->halted == ENFILE)
        terminal_say("hint: `ulimit -n N` lets a process have N files open\n");
}

void tell_end(Eaches *a)
{
    const Each *e = &a->each;

    rescue_publish(NULL);
    gathered_write(&a->cli->client, &e->gathered, stdout);
    double seconds = os_seconds() - a->started;
    checked_tell(!interrupt_noted() && a->options->launch.check &&
                 !checked_races(a->cli, a->options->launch.device));
    progress_end(&a->progress);
    if (!a->options->quiet)
        tell_sums(e, seconds);
    if (a->options->json)
        puts(each_json_object(e, seconds));
}

void tell_interrupted(Each *e)
{
    Eaches *a = eaches_of(e);

    if (!a->tests && !each_assists(e)) {
        tell_end(a);
        fflush(stdout);
    }
    interrupt_end();
}
