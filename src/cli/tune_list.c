/*
 * tune_list.c - the candidates of `tilec run --tune`: combinations of the values that it lists, or
 * the configurations of @triton.autotune
 */
#include "call.h"
#include "../guess/guess.h"

#include <string.h>

enum { MOST_CANDIDATES = 1000 };

static void add_candidate(Tuner *t, const Options *o, const char *text)
{
    const Candidate new = {.row.text = text, .options = *o};

    if (t->candidates.len == MOST_CANDIDATES)
        cli_stop(t->cli, CLI_USAGE, "--tune: there are more than %d configurations",
                 MOST_CANDIDATES);
    vec_push(t->cli->arena, &t->candidates, new);
}

static void add_name(Tuner *t, const char *name)
{
    for (int i = 0; i < t->names.len; i++) {
        if (strcmp(t->names.at[i], name) == 0)
            return;
    }
    vec_push(t->cli->arena, &t->names, name);
}

/* Set the values of a configuration; gives "BLOCK=64 num_warps=4". */
static const char *apply(Tuner *t, Options *o, const char *const *names, const char *const *values,
                         int n)
{
    Text text = text_new(t->cli->arena);

    text_put(&text, "");
    for (int i = 0; i < n; i++) {
        variant_set(t->cli, o, names[i], values[i]);
        add_name(t, names[i]);
        text_printf(&text, "%s%s=%s", i ? " " : "", names[i], values[i]);
    }
    return text.s;
}

/* `--tune BLOCK=64,128 --tune BLOCK=256`: the last is an argument. */
static void refuse_single(Cli *c, const Options *o, const char *name)
{
    for (int i = 0; i < o->args.len && o->tune_alone; i++) {
        const ArgText *a = &o->args.at[i];
        if (a->name && strcmp(a->name, name) == 0)
            cli_stop(c, CLI_USAGE,
                     "--tune %s=%s: of one value there is nothing to choose; one list has all that "
                     "is to be tried",
                     name, a->text);
    }
}

/* All combinations of what --tune lists, the last one fastest. */
static void list_combinations(Tuner *t, const Options *o)
{
    Cli *c = t->cli;
    int n = o->tunes.len, total = 1;
    Values *lists = NEW_N(c->arena, Values, n);
    const char **names = NEW_N(c->arena, const char *, n),
               **values = NEW_N(c->arena, const char *, n);

    for (int i = 0; i < n; i++) {
        names[i] = o->tunes.at[i].name;
        refuse_single(c, o, names[i]);
        for (int k = 0; k < i; k++) {
            if (strcmp(names[k], names[i]) == 0)
                cli_stop(c, CLI_USAGE,
                         "--tune: '%s' is there twice; one list has all: --tune %s=%s,%s", names[i],
                         names[i], o->tunes.at[k].text, o->tunes.at[i].text);
        }
        lists[i] = range_expand(&c->store, names[i], o->tunes.at[i].text);
        total *= lists[i].len;
        if (total > MOST_CANDIDATES)
            cli_stop(c, CLI_USAGE, "--tune: there are more than %d combinations", MOST_CANDIDATES);
    }
    for (int k = 0; k < total; k++) {
        Options with = variant_of(c, o);
        int rest = k;

        for (int i = n - 1; i >= 0; i--) {
            values[i] = lists[i].at[rest % lists[i].len];
            rest /= lists[i].len;
        }
        const char *text = apply(t, &with, names, values, n);
        add_candidate(t, &with, text);
    }
}

static void add_configuration(Tuner *t, const Options *o, int i)
{
    Cli *c = t->cli;
    Options with = variant_of(c, o);
    tilec_config config;
    int n = 0;

    if (tilec_config_info(c->file, o->kernel, i, &config) != TILEC_OK) {
        cli_warn(c, "configuration %d of @triton.autotune is left out: %s", i + 1,
                 config_problem(c, o->kernel, i));
        return;
    }
    const char **names = NEW_N(c->arena, const char *, config.nvalues + 1);
    const char **values = NEW_N(c->arena, const char *, config.nvalues + 1);
    for (int k = 0; k < config.nvalues; k++) {
        if (!variant_takes(c, &with, config.values[k].name) ||
            (config.values[k].kind == TILEC_ARG_NONE &&
             !args_takes(c, &with, config.values[k].name)))
            continue; /* an option of other devices, or of none here, or not said */
        names[n] = config.values[k].name;
        values[n] = config_value_text(c->arena, &config.values[k]);
        if (variant_gives(o, names[n++]))
            cli_stop(c, CLI_USAGE,
                     "--tune: '%s' is given, and the configurations of @triton.autotune "
                     "give it: leave it out, or write --tune %s=A,B",
                     names[n - 1], names[n - 1]);
    }
    const char *text = apply(t, &with, names, values, n);
    add_candidate(t, &with, text);
    t->candidates.at[t->candidates.len - 1].config = i;
}

/* Once, however many configurations have one. */
static void tell_hook(const Cli *c, const Options *o, int count)
{
    const char *hook = NULL;

    for (int i = 0; i < count && !hook; i++)
        hook = tilec_config_hook(c->file, o->kernel, i);
    if (hook)
        terminal_say(
            "tilec: note: the pre_hook of the configurations, `%s`, is Python, which is not run\n",
            hook);
}

/* What @triton.autotune says beside its configurations, and --tune does in its own way. */
static void tell_of_keywords(Cli *c, const Options *o, int count)
{
    static const struct {
        const char *name, *text;
    } keywords[] = {
        {"prune_configs_by", "all configurations are tried and timed: functions that choose among "
                             "them are Python's, and are not called"},
        {"reset_to_zero", "each run begins with the arrays as the command line gives them: "
                          "out=zeros(..) for one that is to be zero"},
        {"pre_hook", "it is Python's, and is not called"},
        {"post_hook", "it is Python's, and is not called"},
    };
    const Functions all = functions_once_read(&c->client, o->file);
    const FileFunction *f = functions_find(&all, o->kernel);

    if (!f || !f->decorators || !strstr(f->decorators, "pre_hook"))
        tell_hook(c, o, count);
    for (int i = 0; f && f->decorators && i < COUNT(keywords); i++) {
        const char *at = strstr(f->decorators, keywords[i].name);
        const char *behind = at ? at + strlen(keywords[i].name) : "";

        if (*(behind + strspn(behind, " ")) == '=')
            cli_warn(c, "--tune: %s of @triton.autotune: %s", keywords[i].name, keywords[i].text);
    }
}

void tune_list(Tuner *t, const Options *o)
{
    int count = tilec_config_count(t->cli->file, o->kernel);

    if (o->tunes.len > 0) {
        list_combinations(t, o);
        return;
    }
    t->is_autotune = true;
    for (int i = 0; i < count; i++)
        add_configuration(t, o, i);
    if (t->candidates.len == 0)
        cli_stop(t->cli, CLI_USAGE,
                 "--tune: kernel '%s' has no %s; write what to try, two values or more: --tune "
                 "BLOCK=64,128,256",
                 o->kernel, count > 0 ? "configuration that the file tells" : "@triton.autotune");
    tell_of_keywords(t->cli, o, count);
}
