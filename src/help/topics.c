/*
 * topics.c - `tilec help NAME`: parts of the pages in docs/, which tools/topics.awk makes into
 * topics.h
 *
 * A TOPIC is one of some words, as `functions, tl`; an ENTRY, of docs/reference.md, an option or
 * a function of the language by its whole name, as `--save` or `tl.load`, which its last part will
 * do for.  Of what goes by one name a topic goes first.
 */
#include "help.h"

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

/* The next of some words, and how long it is; NULL behind the last. */
static const char *next_word(const char **words, size_t *length)
{
    const char *word = *words + strspn(*words, ", ");

    *length = strcspn(word, ",");
    *words = word + *length;
    return *length ? word : NULL;
}

static bool is_one_of(const char *words, const char *name)
{
    size_t n;

    for (const char *word; (word = next_word(&words, &n));) {
        if (n == strlen(name) && strncmp(word, name, n) == 0)
            return true;
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
    const char *full = option_full_name(name);

    return full ? full : name;
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

/* Does one of these words, of which those that begin with `-` are options, end as the name does? */
static bool one_ends_as(const char *words, const char *name)
{
    const char *end = last_part(name);
    size_t length = strlen(end), n;

    for (const char *word; (word = next_word(&words, &n));) {
        bool ends = n >= length && strncmp(word + n - length, end, length) == 0;
        bool is_whole = ends && (n == length || strchr(".-", word[n - length - 1]));
        if (is_whole && (name[0] != '-' || word[0] == '-') && (word[0] != '-' || n == length + 2))
            return true;
    }
    return false;
}

/* All entries with the last part of that name. */
static bool print_entries(const char *name, FILE *to)
{
    int found = 0;

    for (int i = 0; i < COUNT(topics); i++) {
        if (topics[i].is_entry && one_ends_as(topics[i].name, name))
            fprintf(to, "%s%s", found++ ? "\n" : "", topics[i].text);
    }
    return found > 0;
}

/* The text of this whole name; NULL: there is none. */
static const char *text_of(const char *name, bool with_entries)
{
    for (int i = 0; i < COUNT(topics); i++) {
        if ((with_entries || !topics[i].is_entry) && is_one_of(topics[i].name, name))
            return topics[i].text;
    }
    return NULL;
}

const char *topics_text(const char *name)
{
    return text_of(name, false);
}

bool topics_print(const char *name, FILE *to)
{
    name = name[0] == '-' ? long_option(name) : name;
    const char *text = text_of(name, true);

    return text ? fputs(text, to) >= 0 : print_entries(name, to);
}

/* What begins like that: names to ask for; NULL: nothing. */
static const char *names_that_begin(Arena *arena, const char *name)
{
    enum { LEAST = 3 }; /* letters that say what is meant */
    size_t length = strlen(name), n;
    Text t = text_new(arena);
    int found = 0;

    for (int i = 0; i < COUNT(topics) && length >= LEAST; i++) {
        const char *words = topics[i].name, *word = next_word(&words, &n);
        if (!topics[i].is_entry || !word)
            continue;
        word = arena_printf(arena, "%.*s", (int)n, word);
        const char *last = last_part(word), *dash = word[0] == '-' ? strrchr(word, '-') + 1 : last;
        if (strncmp(last, name, length) == 0 || strncmp(dash, name, length) == 0)
            text_printf(&t, "%s%s", found++ ? ", " : "", word);
    }
    return found ? t.s : NULL;
}

const char *topics_missing(Arena *arena, const char *name)
{
    VEC(const char *) names = {0};
    size_t n;

    for (int i = 0; i < COUNT(topics); i++) {
        const char *words = topics[i].name;
        for (const char *word; (word = next_word(&words, &n));) {
            word = arena_printf(arena, "%.*s", (int)n, word);
            vec_push(arena, &names, word);
            if (topics[i].is_entry)
                vec_push(arena, &names, last_part(word));
        }
    }
    const char *longer = names_that_begin(arena, name);
    if (longer)
        return arena_printf(arena, "there is no help about '%s', but about %s", name, longer);
    const char *near = near_name(name, names.at, names.len);
    return arena_printf(arena, "there is no help about '%s'; %s%s%s", name,
                        near ? "did you mean '" : "",
                        near ? near : "tilec help topics lists what there is", near ? "'?" : "");
}
