/*
 * topics.c - `tilec help NAME`: parts of the pages in docs/, which tools/topics.awk makes into
 * topics.h
 *
 * A TOPIC is one of some words, as `start, tutorial`; an ENTRY, of docs/reference.md, an option or
 * a function of the language by its whole name, as `--save` or `tl.load`, which its last part will
 * do for.  Of what goes by one name a topic goes first.
 */
#include "options.h"

#include <string.h>

static const struct {
    const char *name, *summary, *text;
    bool is_entry;
} topics[] = {
#define TOPIC(name, summary, text) {name, summary, text, false},
#define ENTRY(name, summary, text) {name, summary, text, true},
#include "topics.h"
};

enum { SUMMARY_COLUMN = 13, LINE_COLUMNS = 80 };

/* Is it one of the words of `start, tutorial`? */
static bool is_one_of(const char *words, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = words; at[0];) {
        size_t n = strcspn(at, ",");
        if (n == length && strncmp(at, name, n) == 0)
            return true;
        at += n + strspn(at + n, ", ");
    }
    return false;
}

/* What stands behind the dots of a name, or the dashes of an option. */
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');

    return name[0] == '-' ? name + strspn(name, "-") : dot && dot[1] ? dot + 1 : name;
}

/* `-g` is explained as `--debug`. */
static const char *long_option(const char *name)
{
    for (int i = 0; option_at(i); i++) {
        if (option_at(i)->set && option_is_called(option_at(i), name))
            return option_at(i)->name;
    }
    return name;
}

/* Of a topic's words the first one is what lists have. */
static int first_length(int i)
{
    return (int)strcspn(topics[i].name, ",");
}

void topics_list(FILE *to)
{
    fputs("tilec help TOPIC, with one of these, says more:\n", to);
    for (int i = 0; i < COUNT(topics); i++) {
        if (!topics[i].is_entry)
            fprintf(to, "  %-*.*s%s\n", SUMMARY_COLUMN, first_length(i), topics[i].name,
                    topics[i].summary);
    }
}

void topics_name(FILE *to)
{
    int column = LINE_COLUMNS;
    const char *before = "";

    for (int i = 0; i < COUNT(topics); i++) {
        if (topics[i].is_entry)
            continue;
        if (column + 2 + first_length(i) >= LINE_COLUMNS) {
            fputs(before[0] ? ",\n  " : "  ", to);
            column = 2;
            before = "";
        }
        column += fprintf(to, "%s%.*s", before, first_length(i), topics[i].name);
        before = ", ";
    }
    fputs("\n", to);
}

/* The names that begin with `--` are options, the others functions. */
static bool is_like(const char *entry, const char *name)
{
    bool fits = name[0] != '-' || entry[0] == '-';

    return fits && strcmp(last_part(entry), last_part(name)) == 0;
}

/* All entries with the last part of that name. */
static bool print_entries(const char *name, FILE *to)
{
    int found = 0;

    for (int i = 0; i < COUNT(topics); i++) {
        if (topics[i].is_entry && is_like(topics[i].name, name))
            fprintf(to, "%s%s", found++ ? "\n" : "", topics[i].text);
    }
    return found > 0;
}

bool topics_print(const char *name, FILE *to)
{
    name = name[0] == '-' ? long_option(name) : name;
    for (int i = 0; i < COUNT(topics); i++) {
        if (topics[i].is_entry ? strcmp(topics[i].name, name) == 0
                               : is_one_of(topics[i].name, name)) {
            fputs(topics[i].text, to);
            return true;
        }
    }
    return print_entries(name, to);
}

void topics_refuse(Cli *c, const char *name)
{
    VEC(const char *) names = {0};

    for (int i = 0; i < COUNT(topics); i++) {
        const char *first = topics[i].name;
        vec_push(c->arena, &names, arena_printf(c->arena, "%.*s", first_length(i), first));
        if (topics[i].is_entry)
            vec_push(c->arena, &names, last_part(first));
    }
    const char *near = near_name(name, names.at, names.len);
    stop(c, CLI_USAGE, "there is no help about '%s'; %s%s%s", name, near ? "did you mean '" : "",
         near ? near : "tilec help topics lists what there is", near ? "'?" : "");
}
