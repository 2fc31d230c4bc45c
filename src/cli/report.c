/*
 * report.c - what a call told: times, counts and what was found, as a table or as JSON
 */
#include "call.h"

#include <stdio.h>

static void print_json(const Call *k)
{
    Text t = text_new(k->cli->arena);

    json_object(&t, NULL);
    timing_put_json(&t, &k->timing);
    problem_put_all(&t, k->cli);
    json_object_end(&t);
    puts(t.s);
}

void call_report(Call *k)
{
    Cli *c = k->cli;
    const Options *o = &k->options;

    if (o->count && o->json)
        k->timing.lines = counting_json(&k->counting);
    else if (o->count)
        fputs(counting_table(&k->counting), c->tells);
    checked_tell(checked_in_part(k));
    if (!o->time && !o->json)
        return;
    k->timing.checked = o->launch.check != 0;
    k->timing.races = checked_races(c, o->launch.device);
    call_count(k);
    if (o->profile)
        profile_start(k);
    if (o->time)
        timing_measure(k);
    if (o->profile) {
        Profile profile = profile_stop(k);
        k->timing.profile = profile_text(&profile, o->json);
    }
    if (o->time)
        k->timing.hint = shape_hint(k);
    if (o->json)
        print_json(k);
    else
        fputs(timing_table(c->arena, &k->timing), c->tells);
    if (o->profile && !o->json)
        fputs(k->timing.profile, c->tells);
}

void call_warn(const Call *k, const char *text)
{
    Cli *c = k->cli;

    if (!c->each)
        cli_warn(c, "%s", text);
    else
        c->warning = c->warning ? arena_printf(c->arena, "%s\n%s", c->warning, text) : text;
}
