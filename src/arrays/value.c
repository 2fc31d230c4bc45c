/*
 * value.c - the language of NAME=VALUE and of --grid: Python's expressions, and a little more
 *
 * Takes the text of one argument and the arguments before it, gives its value.  What Python has
 * not, files (`@x.npy`) and shapes (`4096x781`), is blanked out for Python's parser by names of the
 * same length, so that every place in a message is one in the text.  What names mean, names.c says.
 */
#include "reader.h"
#include "../io/io.h"
#include "../syntax/parse.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET = 1000 * 1000, MAX_DEPTH = 250 };

/* How many columns the text takes from `start` to `end`: a character counts by its first byte. */
static int width_of(const Reader *r, size_t start, size_t end)
{
    Text part = text_new(r->store->arena);
    size_t n = strlen(r->text);
    int width = 0;

    start = MIN(start, n);
    text_put(&part, "");
    text_put_printable(
        &part, arena_strndup(r->store->arena, r->text + start, MAX(MIN(end, n), start) - start));
    for (const char *s = part.s; *s; s++)
        width += ((unsigned char)*s & 0xc0) != 0x80;
    return width;
}

/* Stop with the text and a line below what is wrong in it, from `start` to `end`. */
NORETURN static void wrong(const Reader *r, size_t start, size_t end, const char *what,
                           const char *hint)
{
    Text line = text_new(r->store->arena);

    text_printf(&line, "%*s^", width_of(r, 0, start), "");
    for (int i = width_of(r, start, end); i > 1; i--)
        text_put(&line, "~");
    client_stop(r->store->client, CLIENT_USAGE, "%s: %s\n    %s\n    %s%s%s", r->label, what,
                r->text, line.s, hint ? "\nhint: " : "", hint ? hint : "");
}

/* The same for a place in what Python has read. */
NORETURN static void wrong_at(const Reader *r, Span at, const char *what, const char *hint)
{
    wrong(r, at.start - r->source->base, at.end - r->source->base, what, hint);
}

/* --- files and shapes --- */

/* Let Python see a name from `start` to `end`, with this value. */
static void blank(Reader *r, size_t start, size_t end, Const value)
{
    memset(r->python + start, '_', end - start);
    vec_push(r->store->arena, &r->blanks, ((Blank){(uint32_t)start, value}));
}

/* The end of a text in quotes that begins at `at`. */
static size_t quoted_end(const Reader *r, size_t at)
{
    const char *s = r->text + at + 1;

    while (*s && *s != r->text[at])
        s += s[0] == '\\' && s[1] ? 2 : 1;
    return (size_t)(s - r->text) + (*s != 0);
}

/* file := '@' (path | text) [':' member] [':' dtype]; a bare path ends at any of []():, or a space,
 * and only that of an .npz has members.  Gives the place behind it. */
static size_t parse_file(Reader *r, size_t at, FileText *out)
{
    const char *text = r->text;
    bool is_quoted = text[at + 1] == '\'' || text[at + 1] == '"';
    size_t from = at + 1 + is_quoted, end, next, member, n;

    next = is_quoted ? quoted_end(r, at + 1) : from + strcspn(text + from, "[](): ,");
    end = next - (is_quoted && next > from && text[next - 1] == text[from - 1]);
    if (end == from)
        wrong(r, at, next, "the name of a file is missing here", NULL);
    member = file_member_length(text + from, end - from, text + next);
    *out = (FileText){0};
    out->path = arena_printf(r->store->arena, "%.*s%.*s", (int)(end - from), text + from,
                             (int)member, text + next);
    if (r->host->path)
        out->path = r->host->path(r->store->client, out->path);
    next += member;
    n = text[next] == ':' ? name_length(text + next + 1) : 0;
    if (n > 0) {
        out->has_type = array_dtype(text + next + 1, n, &out->type);
        if (!out->has_type)
            wrong(r, next + 1, next + 1 + n, "not a dtype",
                  strchr(out->path, '{')
                      ? "a member of each .npz is written in quotes: @'{}:w'"
                      : "dtypes are fp16, fp32, fp64, bf16, i8 to i64, u8 to u64, i1, and those of "
                        "fp8");
        next += 1 + n;
    }
    return next;
}

static size_t read_file(Reader *r, size_t at)
{
    FileText t;
    size_t next = parse_file(r, at, &t);
    Array a;

    if (r->only_files) {
        vec_push(r->store->arena, r->only_files, t);
        return next;
    }
    a = r->host->load ? r->host->load(r->store->client, &t, r->label, r->text + at + 1)
                      : file_load(r->store, t.path, t.has_type ? &t.type : NULL);
    blank(r, at, next, value_of_array(r->store, a));
    return next;
}

/* A placeholder of --each; gives the place behind it, or `at` when there is none. */
static size_t read_placeholder(Reader *r, size_t at)
{
    Const value;
    size_t n =
        r->host->placeholder ? r->host->placeholder(r->store->client, r->text + at, &value) : 0;

    if (n > 0)
        blank(r, at, at + n, value);
    return at + n;
}

/* Is this the second argument of a function that makes arrays?  Only there 0x10 is a shape. */
static bool is_shape_place(const Reader *r, size_t at)
{
    const char *s = r->text;
    size_t n;
    int depth = 0;

    while (at > 0 && s[at - 1] == ' ')
        at--;
    if (at == 0 || s[--at] != ',')
        return false;
    while (at > 0 && (depth > 0 || s[at - 1] != '(')) {
        at--;
        depth += (s[at] == ')') - (s[at] == '(');
        if (depth == 0 && s[at] == ',')
            return false;
    }
    if (at == 0)
        return false;
    for (n = 0; n + 1 < at && is_name_char(s[at - 2 - n]);)
        n++;
    return make_is_function(arena_strndup(r->store->arena, s + at - 1 - n, n));
}

static bool is_digits(const char *s, size_t n)
{
    return strspn(s, "0123456789") >= n && n > 0;
}

/* shape := digits 'x' digits {'x' digits}: gives the place behind it, or `at` when there is none.
 */
static size_t read_shape(Reader *r, size_t at)
{
    const char *text = r->text, *s = text + at;
    Const dims[ARRAY_MAX_DIMS], *copy;
    int n = 0;

    for (;;) {
        size_t digits = strspn(s, "0123456789");

        if (digits == 0)
            return at;
        if (n == ARRAY_MAX_DIMS)
            wrong(r, at, at, "more than 8 dimensions", NULL);
        if (digits > 18) /* no extent; but it may be a number */
            return at;
        dims[n++] = const_int(strtoll(s, NULL, 10));
        s += digits;
        if (*s != 'x' || !is_digits(s + 1, 1))
            break;
        s++;
    }
    if (n < 2 || is_name_char(*s) || *s == '.')
        return at;
    if (strncmp(text + at, "0x", 2) == 0 && n == 2 && !is_shape_place(r, at))
        return at;
    copy = NEW_N(r->store->arena, Const, n);
    memcpy(copy, dims, sizeof(Const) * (size_t)n);
    blank(r, at, (size_t)(s - text), const_tuple(copy, n));
    return (size_t)(s - text);
}

/* Does a value end in front of `at`, so that what stands there is an operator?  Words of Python's
 * that something follows, `else`, are none. */
static bool ends_value(const Reader *r, size_t at)
{
    static const char *const words[] = {"else", "if", "and", "or", "not", "in", "is", "lambda"};
    size_t n = 0;

    while (at > 0 && r->text[at - 1] == ' ')
        at--;
    while (n < at && is_name_char(r->text[at - 1 - n]))
        n++;
    for (int i = 0; i < COUNT(words); i++) {
        if (strlen(words[i]) == n && memcmp(words[i], r->text + at - n, n) == 0)
            return false;
    }
    return n > 0 || (at > 0 && strchr(")]", r->text[at - 1]));
}

/* Find all that Python has no words for. */
static void read_blanks(Reader *r)
{
    for (size_t at = 0; r->text[at];) {
        char ch = r->text[at];
        bool in_word = at > 0 && (is_name_char(r->text[at - 1]) || r->text[at - 1] == '.');
        size_t next = at;

        if (ch == '\'' || ch == '"')
            next = quoted_end(r, at);
        else if (ch == '@' && ends_value(r, at))
            wrong(r, at, at + 1, "there is no product of matrices here",
                  "`@` begins the name of a file; what a product should be, a device says: "
                  "--compare NAME=interp");
        else if (ch == '@')
            next = read_file(r, at);
        else if (ch == '{')
            next = read_placeholder(r, at);
        else if (is_digit(ch) && !in_word)
            next = read_shape(r, at);
        at = MAX(next, at + 1);
    }
}

/* --- reading --- */

Store *value_store(const Py *p)
{
    return ((const Reader *)p->context)->store;
}

static const ValueHost *host_of(const Store *store)
{
    static const ValueHost knows_nothing = {0};

    return store->host ? store->host : &knows_nothing;
}

static Reader reader_new(Store *store, const Names *names, const char *label, const char *text)
{
    Reader r = {
        .store = store, .host = host_of(store), .names = names, .label = label, .text = text};

    r.file = r.host->file ? r.host->file(store->client) : NULL;
    r.python = arena_strndup(store->arena, text, strlen(text));
    read_blanks(&r);
    r.source = source_add(source_map_new(store->arena), label, r.python, strlen(r.python));
    if (!r.source)
        wrong(&r, 0, 0, "this text is too long", NULL);
    return r;
}

/* For a text that is no value, but the path of a file. */
static const char *file_hint(const Reader *r)
{
    size_t n = strcspn(r->text, "*[](): ,");
    const char *path = arena_strndup(r->store->arena, r->text, n), *dot = strrchr(path, '.');
    bool has_suffix = dot && dot != path && io_is_suffix(dot, strlen(dot));

    if (r->text[n] == '*' || *r->label == '-' ||
        !(has_suffix || (strpbrk(path, "./") && os_entry(path).kind == OS_FILE)))
        return NULL;
    return arena_printf(r->store->arena, "a file is written with @: %s=@%s", r->label, path);
}

/* 1e3x4, and 4x with nothing behind it */
static const char *shape_hint(const Reader *r, Span at)
{
    const char *text = r->text + (at.start - r->source->base);
    size_t n = MIN(at.end - at.start, strlen(text));

    return is_digit(*text) && memchr(text, 'x', n)
               ? "extents of a shape are whole numbers: 4096x781"
               : NULL;
}

/* All of the text as expressions: several, with commas between them, are a tuple. */
static const Node *parse(Reader *r)
{
    Parser p;
    const Node *n;

    if (r->text[0] == '*' && *r->label != '-')
        wrong(r, 0, strlen(r->text),
              "a type stands behind `:`, and only where code is compiled alone",
              arena_printf(r->store->arena, "for tilec dump and build: %s:%s", r->label, r->text));
    if (r->text[strspn(r->text, " ")] == '\0' && *r->label != '-')
        client_stop(r->store->client, CLIENT_USAGE,
                    "%s: the value behind `=` is missing\nhint: %s=1000, %s='empty(fp32,1000)', "
                    "%s=@file.npy",
                    r->label, r->label, r->label, r->label);
    parser_init_inside(&p, r->store->arena, r->store->client->words, r->source);
    n = parse_expressions(&p);
    if (p.errors.len == 0 && p.tok.kind == T_ASSIGN && *r->label == '-')
        wrong_at(r, p.tok.span, "an argument stands here, where the option's value is missing",
                 NULL);
    const char *hint = p.tok.kind == T_SEMICOLON ? "each argument is a word of its own"
                       : *r->label == '-' && p.tok.kind == T_INT
                           ? "values are divided by commas, as in 1,2"
                           : NULL;
    if (p.errors.len == 0 && p.tok.kind != T_END)
        parse_unexpected(&p, "nothing more");
    else
        hint = NULL;
    if (p.errors.len > 0 && !hint)
        hint = shape_hint(r, p.errors.at[0].span);
    if (p.errors.len > 0)
        wrong_at(r, p.errors.at[0].span, p.errors.at[0].message, hint ? hint : file_hint(r));
    return n;
}

static Const evaluate(Reader *r, const Node *n)
{
    static const PyHost host = {.name = reader_find_name, .path = reader_find_path};
    Py p = py_new(r->store->arena, &host, r, BUDGET, MAX_DEPTH);
    Const out;

    if (!py_eval(&p, n, &out))
        wrong_at(r, p.trouble.where, p.trouble.why, file_hint(r) ? file_hint(r) : p.trouble.hint);
    return out;
}

Const value_parse(Store *store, const Names *names, const char *label, const char *text)
{
    Reader r = reader_new(store, names, label, text);

    return evaluate(&r, parse(&r));
}

FileTexts value_files(Store *store, const char *label, const char *text)
{
    FileTexts found = {0};
    Reader r = {
        .store = store, .host = host_of(store), .label = label, .text = text, .only_files = &found};

    r.python = arena_strndup(store->arena, text, strlen(text));
    read_blanks(&r);
    return found;
}

int value_parse_list(Store *store, const Names *names, const char *label, const char *text,
                     Const *out, int limit)
{
    Const all = value_parse(store, names, label, text);
    const Const *items;
    int n;

    if (!const_items(&all, &items, &n)) {
        out[0] = all;
        return 1;
    }
    if (n > limit)
        client_stop(store->client, CLIENT_USAGE, "%s: at most %d values, not %d", label, limit, n);
    for (int i = 0; i < n; i++)
        out[i] = items[i];
    return n;
}
