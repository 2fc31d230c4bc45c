/*
 * prompt.c - lines to commands, and where the run stands
 *
 * A command's name may be cut to what tells it from others; some have a letter of their own.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static void do_help(Prompt *p, const char *text);
static void do_display(Prompt *p, const char *text);

static void do_record(Prompt *p, const char *text)
{
    p->host->record(p->host->ctx, text);
}

static void do_replay(Prompt *p, const char *text)
{
    if (!*text)
        client_stop(p->client, CLIENT_USAGE, "replay what? A file that `record` has written");
    p->host->replay(p->host->ctx, text);
}

/* clang-format off */
static const struct {
    const char *name, *other; /* and a short one */
    void (*run)(Prompt *p, const char *text);
    const char *operands, *text;
} commands[] = {
    {"run", "r", do_run, "", "from the first program on, up to a reason to stop"},
    {"continue", "c", do_continue, "", "to the next reason to stop"},
    {"step", "s", do_step, "[N]", "to the next statement, into helpers"},
    {"next", "n", do_next, "[N]", "to the next statement of this function"},
    {"finish", "fin", do_finish, "", "until the helper has returned"},
    {"back", "bk", do_back, "[N]", "to the statement before"},
    {"reverse-continue", "rc", do_reverse, "", "back to the last reason to stop"},
    {"program", NULL, do_program, "X[,Y[,Z]]", "to the beginning of that program"},
    {"differ", NULL, do_differ, "", "to the first value, or write, of what --compare or --against finds wrong"},
    {"break", "b", do_break, "[FILE:]LINE|FUNCTION [if EXPR] [program 3,*] [hits N]", "stop there"},
    {"log", NULL, do_log, "[FILE:]LINE|FUNCTION TEXT", "say the text there, with the values of what is in {}, and go on"},
    {"watch", NULL, do_watch, "out[3,7]", "stop when a program has written to that element"},
    {"catch", NULL, do_catch, "nan|inf|none", "stop when an operation makes one"},
    {"catch", NULL, do_catch, "race|uninitialised", "look for these, from the first program on"},
    {"delete", "d", do_delete, "[N]", "that breakpoint or watch; all"},
    {"print", "p", do_print, "EXPR", "an expression of the kernel's language; an array: out[0,:9]"},
    {"picture", NULL, do_picture, "EXPR [FILE.png]", "the same as a picture"},
    {"picture", NULL, do_picture, "NAME access [now] [program [X[,Y[,Z]]]] [FILE.png]", "which elements of an array programs read and write; up to here"},
    {"picture", NULL, do_picture, "NAME programs [now] [FILE.png]", "which program each is of"},
    {"display", NULL, do_display, "EXPR|picture ...|info", "print that at each stop; `display none`"},
    {"info", "i", do_info, "[stops]", "all names and their values; breakpoints and watches"},
    {"list", "l", do_list, "[LINE]", "the source around this line, or on from there"},
    {"where", "bt", do_where, "", "the calls that the program is in"},
    {"up", NULL, do_up, "[N]", "look at the names of the caller"},
    {"down", NULL, do_down, "[N]", "and back again"},
    {"record", NULL, do_record, "[FILE]", "keep commands from now on in a file; no more"},
    {"replay", NULL, do_replay, "FILE", "obey commands that were kept"},
    {"help", "h", do_help, "[COMMAND]", "this"},
    {"quit", "q", do_quit, "", "end"},
};
/* clang-format on */

void say(Prompt *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *text = arena_vprintf(p->client->arena, fmt, ap);
    va_end(ap);
    if (!answer_keeps(p, text))
        p->host->say(p->host->ctx, text);
}

void draw(Prompt *p, const char *picture)
{
    if (!answer_keeps(p, picture))
        p->host->draw(p->host->ctx, picture);
}

void complain(Prompt *p, const char *why)
{
    if (p->host->answer)
        answer_error(p, why);
    else
        p->host->complain(p->host->ctx, why);
}

void need_frame(const Prompt *p)
{
    if (!p->place.frame)
        client_stop(p->client, CLIENT_USAGE, DEBUG_NO_NAMES);
}

const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

int64_t count_of(const Prompt *p, const char *text)
{
    char *end;
    long long n = *text ? strtoll(text, &end, 10) : 1;

    if (*text && (*skip_blanks(end) || n < 1))
        client_stop(p->client, CLIENT_USAGE, "`%s` is not a number of times", text);
    return MIN(n, INT64_MAX / 2); /* so that a place may be added */
}

/* --- commands --- */

static bool is_called(int i, const char *word, size_t n)
{
    const char *other = commands[i].other;

    return (other && strlen(other) == n && memcmp(other, word, n) == 0) ||
           (strlen(commands[i].name) == n && memcmp(commands[i].name, word, n) == 0);
}

/* By its name, or by the beginning of one alone. */
static int find_command(const Prompt *p, const char *word, size_t n)
{
    const char *names[COUNT(commands)];
    int found = -1, several = 0;

    for (int i = 0; i < COUNT(commands); i++) {
        names[i] = commands[i].name;
        if (is_called(i, word, n))
            return i;
        if (strncmp(names[i], word, n) != 0)
            continue;
        several += found >= 0 && commands[found].run != commands[i].run;
        found = found < 0 ? i : found;
    }
    const char *text = arena_strndup(p->client->arena, word, n);
    if (several)
        client_stop(p->client, CLIENT_USAGE, "`%s` begins several commands: %s and others", text,
                    names[found]);
    if (found < 0)
        client_stop(p->client, CLIENT_USAGE, "there is no command `%s`%s; `help` lists them", text,
                    hint_text(p->client->arena, text, names, COUNT(names)));
    return found;
}

static void do_help(Prompt *p, const char *text)
{
    Table t = table_new(p->client->arena, 2, 2);
    int only = *text ? find_command(p, text, strcspn(text, " \t")) : -1;

    for (int i = 0; i < COUNT(commands); i++) {
        if (only >= 0 && commands[i].run != commands[only].run)
            continue;
        table_printf(&t, "%s%s%s %s", commands[i].name, commands[i].other ? ", " : "",
                     commands[i].other ? commands[i].other : "", commands[i].operands);
        table_put(&t, commands[i].text);
    }
    say(p, "%s", table_text(&t));
    if (only < 0)
        say(p, "`tilec help debugger` says more\n");
}

typedef struct {
    Prompt *prompt;
    const char *line;
} Line;

/* By `record`: what was replayed is, line by line, and one goes on behind the end of a record. */
static bool is_kept(int i)
{
    return commands[i].run != do_record && commands[i].run != do_replay &&
           commands[i].run != do_quit;
}

static void show_line(void *what)
{
    const Line *l = what;
    size_t n = strcspn(l->line, " \t");

    commands[find_command(l->prompt, l->line, n)].run(l->prompt, skip_blanks(l->line + n));
}

static void run_line(void *what)
{
    const Line *l = what;
    int i = find_command(l->prompt, l->line, strcspn(l->line, " \t"));

    if (is_kept(i))
        l->prompt->host->keep(l->prompt->host->ctx, l->line);
    show_line(what);
}

/* The line without blanks around it. */
static const char *trimmed(Arena *a, const char *line)
{
    size_t n;

    line = skip_blanks(line);
    for (n = strlen(line); n > 0 && strchr(" \t\r\n", line[n - 1]);)
        n--;
    return arena_strndup(a, line, n);
}

/* What `display` may do at each stop: it shows, and moves nothing. */
static bool only_shows(int i)
{
    return commands[i].run == do_print || commands[i].run == do_picture ||
           commands[i].run == do_info || commands[i].run == do_list || commands[i].run == do_where;
}

/* `picture x access now`; what begins with no such command, by its whole name, is an expression to
 * print: `i` is one. */
static void do_display(Prompt *p, const char *text)
{
    Arena *a = p->client->arena;
    size_t n = strcspn(text, " \t");
    bool is_command = false;

    if (strcmp(text, "none") == 0) {
        p->displays.len = 0;
        return;
    }
    for (int i = 0; i < COUNT(commands); i++)
        is_command |= only_shows(i) && strlen(commands[i].name) == n &&
                      memcmp(commands[i].name, text, n) == 0;
    const char *line = is_command ? text : arena_printf(a, "print %s", text);
    if (*text)
        vec_push(a, &p->displays, line);
    for (int i = 0; i < p->displays.len && !*text; i++)
        say(p, "display %s\n", p->displays.at[i]);
    if (!*text && p->displays.len == 0)
        say(p, "nothing is displayed\n");
    if (*text)
        show_line(&(Line){p, line});
}

/* What cannot be shown here, such as a name that has no value yet, is only told. */
static void show_displays(Prompt *p)
{
    p->is_displaying = true;
    for (int i = 0; i < p->displays.len; i++) {
        const char *line = p->displays.at[i];
        const char *why = p->host->attempt(p->host->ctx, show_line, &(Line){p, line});

        if (why)
            say(p, "%s: %.*s\n", line, (int)strcspn(why, "\n"), why);
    }
    p->is_displaying = false;
}

typedef VEC(const char *) Words;

static void add_word(Arena *a, Words *words, const char *word)
{
    for (int i = 0; i < words->len; i++) {
        if (strcmp(words->at[i], word) == 0)
            return;
    }
    vec_push(a, words, word);
}

/* Those that stand in a command's operands as they are: `nan|inf|none`, `[now]`, no `out[3,7]` or
 * `FILE.png`. */
static void add_operands(Arena *a, Words *words, const char *operands)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";

    for (const char *s = operands; *s; s++) {
        size_t n = strspn(s, small);

        if (n > 1 && s[n] != '[' && (s == operands || s[-1] != '.'))
            add_word(a, words, arena_strndup(a, s, n));
        s += n > 0 ? n - 1 : 0;
    }
}

/* Commands; behind one also what they take, and names that mean something here. */
static PromptWords likely_words(const Prompt *p)
{
    Arena *a = p->client->arena;
    Words first = {0}, others = {0};
    DebugValues names = {0};

    if (p->place.frame)
        names = debug_names(p->debugger, &p->place, a);
    for (int i = 0; i < names.len; i++)
        add_word(a, &others, names.at[i].name);
    for (int i = 0; i < COUNT(commands); i++) {
        add_word(a, &first, commands[i].name);
        add_word(a, &others, commands[i].name);
        add_operands(a, &others, commands[i].operands);
    }
    vec_push(a, &first, NULL);
    vec_push(a, &others, NULL);
    return (PromptWords){first.at, others.at};
}

/* Obey lines until one lets the run go on. */
static void obey(Prompt *p)
{
    p->moves = false;
    while (!p->moves) {
        answer_send(p);
        const char *line = p->host->read(p->host->ctx, likely_words(p)), *why;

        if (!line) {
            do_quit(p, "");
            return;
        }
        line = trimmed(p->client->arena, line);
        if (!*line && p->host->repeats && p->last)
            line = p->last;
        if (!*line || *line == '#')
            continue;
        p->last = line;
        answer_begin(p, line);
        why = p->host->attempt(p->host->ctx, run_line, &(Line){p, line});
        if (why) {
            p->moves = false;
            complain(p, why);
        }
    }
}

/* --- where the run stands --- */

static void tell_reason(Prompt *p)
{
    const DebugStop *s = p->stop;

    switch (s->why) {
    case DEBUG_BREAKPOINT:
        say(p, "breakpoint %d, ", s->number);
        break;
    case DEBUG_WRITTEN:
        say(p, "watch %d: %s\n", s->number, s->text);
        break;
    case DEBUG_INTERRUPTED:
        say(p, "interrupted, ");
        break;
    case DEBUG_CAUGHT:
        say(p, "%s\n", s->text);
        break;
    case DEBUG_FAULT:
        say(p, "%s", s->text);
        break;
    default:
        break;
    }
}

static void stopped(void *prompt, const DebugStop *stop)
{
    Prompt *p = prompt;

    p->stop = stop;
    p->place = stop->place;
    p->level = p->listed = 0;
    tell_reason(p);
    if (stop->place.frame)
        look_at_place(p);
    else
        say(p, "the launch has ended\n");
    if (p->compares && stop->why == DEBUG_ENDED && goes_to_difference(p))
        return;
    p->compares = false;
    answer_stop(p);
    show_displays(p);
    obey(p);
}

static void printed(void *prompt, const char *text)
{
    say(prompt, "%s\n", text);
}

static const char *attempt(void *prompt, void (*work)(void *what), void *what)
{
    const Prompt *p = prompt;

    return p->host->attempt(p->host->ctx, work, what);
}

static bool interrupts(void *prompt)
{
    const Prompt *p = prompt;

    return p->host->interrupts(p->host->ctx);
}

tilec_status prompt_run(const PromptHost *host, const DebugLaunch *launch, char **error)
{
    Prompt p = {.host = host, .client = launch->store->client, .launch = launch};
    const DebugHost debug_host = {.ctx = &p,
                                  .stopped = stopped,
                                  .holds = condition_holds,
                                  .printed = printed,
                                  .logged = printed,
                                  .interrupts = host->interrupts ? interrupts : NULL,
                                  .attempt = attempt};

    answer_begin(&p, NULL);
    p.debugger = debug_new(p.client, launch, &debug_host);
    tilec_status status = debug_run(p.debugger, error);
    debug_free(p.debugger);
    answer_send(&p);
    return status;
}
