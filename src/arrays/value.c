/*
 * value.c - the language of NAME=VALUE and of --grid: Python's expressions, and a little more
 *
 * Takes the text of one argument and the arguments before it, gives its value.  What Python has
 * not, files (`@x.npy`) and shapes (`4096x781`), is blanked out for Python's parser by names of the
 * same length, so that every place in a message is one in the text.  What names mean is said here:
 * earlier arguments, dtypes, functions that make arrays (make.c) and functions of the kernel's
 * file.
 */
#include "value.h"
#include "../io/io.h"
#include "../syntax/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 1000 * 1000, MAX_DEPTH = 250 };

/* A part of the text that Python has no words for. */
typedef struct {
    uint32_t start;
    Const value;
} Blank;

typedef struct {
    Store *store;
    const ValueHost *host; /* the store's, or one that knows nothing */
    tilec_file *file;      /* the host's; NULL: there is none */
    const Names *names;
    const char *label, *text; /* for messages */
    char *python;             /* the text with blanks */
    const Source *source;     /* of that */
    VEC(Blank) blanks;
    FileTexts *only_files; /* files are listed, not loaded; NULL */
} Reader;

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
                  strchr(out->path, '{') ? "a member of each .npz is written in quotes: @'{}:w'"
                                         : NULL);
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

/* Find all that Python has no words for. */
static void read_blanks(Reader *r)
{
    for (size_t at = 0; r->text[at];) {
        char ch = r->text[at];
        bool in_word = at > 0 && (is_name_char(r->text[at - 1]) || r->text[at - 1] == '.');
        size_t next = at;

        if (ch == '\'' || ch == '"')
            next = quoted_end(r, at);
        else if (ch == '@')
            next = read_file(r, at);
        else if (ch == '{')
            next = read_placeholder(r, at);
        else if (is_digit(ch) && !in_word)
            next = read_shape(r, at);
        at = MAX(next, at + 1);
    }
}

/* --- names --- */

static const Const *find_known(const Names *names, const char *name)
{
    for (int i = names->len - 1; i >= 0; i--) {
        if (strcmp(names->at[i].name, name) == 0)
            return &names->at[i].value;
    }
    return NULL;
}

/* The words that name a value by themselves. */
static bool constant(const char *name, Const *out)
{
    /* clang-format off */
    const struct { const char *name; Const value; } words[] = {
        {"true", const_bool(true)},          {"false", const_bool(false)},
        {"inf",  const_float((double)INFINITY)}, {"nan", const_float((double)NAN)},
    };
    /* clang-format on */
    tilec_dtype t;

    for (int i = 0; i < COUNT(words); i++) {
        *out = words[i].value;
        if (strcmp(words[i].name, name) == 0)
            return true;
    }
    *out = const_none();
    if (!array_dtype(name, strlen(name), &t))
        return false;
    *out = const_dtype((DType)t);
    return true;
}

/* All that could have been meant by a word that means nothing. */
static const char *nearest(const Reader *r, const char *name)
{
    static const char *const constants[] = {"True", "False", "None"};
    VEC(const char *) known = {0};
    Arena *a = r->store->arena;

    for (int i = 0; i < r->names->len; i++)
        vec_push(a, &known, r->names->at[i].name);
    for (int i = 0; i < make_count(); i++)
        vec_push(a, &known, make_name(i));
    for (int t = DT_COUNT - 1; t >= 0; t--) /* f32 is nearer to fp32 than to i32 */
        vec_push(a, &known, tilec_dtype_name((tilec_dtype)t));
    for (int i = 0; r->file && i < tilec_kernel_count(r->file); i++)
        vec_push(a, &known, tilec_kernel_name(r->file, i));
    for (int i = 0; i < COUNT(constants); i++)
        vec_push(a, &known, constants[i]);
    return near_name(name, known.at, known.len);
}

/* Is the name given a value further on? */
static bool is_later(const Names *names, const char *name)
{
    const char *const *later = names->later;

    while (later && *later && strcmp(*later, name) != 0)
        later++;
    return later && *later;
}

/* Words that other tools have for what is written differently here. */
static const char *advice_for_value(const char *name)
{
    static const struct {
        const char *word, *advice;
    } table[] = {
        {"half", "a half is fp16"},
        {"double", "a double is fp64"},
        {"long", "a long is i64"},
        {"short", "a short is i16"},
        {"uchar", "an unsigned char is u8"},
        {"tensor", "values stand in a file, @x.npy or @x.csv; zeros, arange, rand... make arrays"},
        {"array", "values stand in a file, @x.npy or @x.csv; zeros, arange, rand... make arrays"},
        {"linspace", "arange(fp32,N)*STEP+FIRST gives numbers at equal distances"},
        {"ceil", "cdiv(A,B) divides and rounds up"},
        {"meta", "arguments are seen by their names: cdiv(n,BLOCK)"},
        {"sqrt", "x**0.5 takes the root of an array, math.sqrt(n) that of a number"},
        {"exp", "math.exp(n) takes a number; of an array a file may have it, @ref.npy"},
        {"log", "math.log(n) takes a number; of an array a file may have it, @ref.npy"},
        {"where", "a condition is a factor: x*(x>0)+y*(x<=0)"},
        {"mean", "it stands behind the array: x.mean(), x.mean(1)"},
        {"std", "it stands behind the array: x.std(), x.std(1)"},
        {"jnp", "arrays are made by rand(DTYPE,SHAPE), zeros, arange...: tilec help values"},
        {"np", "arrays are made by rand(DTYPE,SHAPE), zeros, arange...: tilec help values"},
        {"numpy", "arrays are made by rand(DTYPE,SHAPE), zeros, arange...: tilec help values"},
        {"random", "arrays are made by rand(DTYPE,SHAPE), randn, randint: tilec help values"},
        {"torch", "arrays are made by rand(DTYPE,SHAPE), zeros, arange...: tilec help values"},
    };

    for (int i = 0; i < COUNT(table); i++) {
        if (strcmp(table[i].word, name) == 0)
            return table[i].advice;
    }
    return NULL;
}

/* Does a function that reads a file follow the name, or is the name one? */
static bool is_reading(const char *name, const char *rest)
{
    static const char *const readers[] = {"imread",  "load",       "open",      "fromfile",
                                          "loadtxt", "genfromtxt", "read_image"};

    for (int i = 0; i < COUNT(readers); i++) {
        size_t n = strlen(readers[i]);

        if (*rest == '.' ? strncmp(rest + 1, readers[i], n) == 0 && rest[1 + n] == '('
                         : *rest == '(' && strcmp(name, readers[i]) == 0)
            return true;
    }
    return false;
}

/* One whose functions give what a kernel is compared with. */
static bool is_library(const char *name)
{
    static const char *const names[] = {"torch", "np", "numpy", "F", "jnp", "cp"};

    for (int i = 0; i < COUNT(names); i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* Of any kernel of the file. */
static bool is_parameter(tilec_file *file, const char *name)
{
    tilec_param p;

    for (int k = 0; file && k < tilec_kernel_count(file); k++) {
        const char *kernel = tilec_kernel_name(file, k);

        for (int i = 0; tilec_param_info(file, kernel, i, &p) == TILEC_OK; i++) {
            if (strcmp(p.name, name) == 0)
                return true;
        }
    }
    return false;
}

/* Is the name all that the argument says? */
static bool is_whole_value(const Reader *r, const Node *n)
{
    return *r->label != '-' && n->span.start == r->source->base &&
           n->span.end - n->span.start == strlen(r->text);
}

static const char *names_text(const Reader *r)
{
    Text t = text_new(r->store->arena);

    text_put(&t, *r->label == '-' ? "the arguments are " : "the arguments before it are ");
    for (int i = 0; i < r->names->len; i++)
        text_printf(&t, "%s%s", i ? ", " : "", r->names->at[i].name);
    return r->names->len ? t.s : "tilec help values says what there is";
}

static bool has_parameter(const Reader *r, const char *name)
{
    tilec_param p;

    for (int i = 0; tilec_param_info(r->file, r->names->kernel, i, &p) == TILEC_OK; i++) {
        if (strcmp(p.name, name) == 0)
            return true;
    }
    return false;
}

/* What the first configuration gives that the kernel has no parameter for, most likely by mistake;
 * NULL: nothing. */
static const char *given_in_vain(const Reader *r)
{
    tilec_config config;

    if (tilec_config_info(r->file, r->names->kernel, 0, &config) != TILEC_OK)
        return NULL;
    for (int i = 0; i < config.nvalues; i++) {
        const char *name = config.values[i].name;

        if (!has_parameter(r, name) && strncmp(name, "num_", 4) != 0)
            return name;
    }
    return NULL;
}

/* Of a parameter that nothing gives a value. */
static void hint_missing(Py *p, const Reader *r, const char *name)
{
    const char *problem = r->names->kernel && r->host->problem
                              ? r->host->problem(r->store->client, r->names->kernel)
                              : NULL;
    const char *other = r->names->kernel ? given_in_vain(r) : NULL;

    if (other)
        py_hint(p,
                "it has no value: give %s=...; @triton.autotune gives %s, which the kernel has "
                "not: is %s meant?",
                name, other, name);
    else
        py_hint(p, "it has no value: give %s=...; %s", name,
                problem ? problem : "it has no default, nor does a configuration give one");
}

static bool unknown_name(Py *p, const Reader *r, const Node *n)
{
    const char *near = nearest(r, n->name), *python = near ? NULL : py_near_builtin(n->name);
    uint32_t end = n->span.end - r->source->base;

    py_report(p, n->span, "'%s' is not an earlier argument, a function or a dtype", n->name);
    size_t suffix = strcspn(r->text + end, "[](): ,");

    if (io_is_suffix(r->text + end, suffix))
        py_hint(p, "a file is written with @: @%s%.*s", n->name, (int)suffix, r->text + end);
    else if (is_reading(n->name, r->text + end))
        py_hint(p, "a file is written with @, and read for that: @in.png, @x.npy");
    else if (strcmp(r->label, n->name) == 0)
        py_hint(p, "an argument cannot be made of itself");
    else if (is_later(r->names, n->name))
        py_hint(p, "it comes later: put %s=... in front of %s=...", n->name, r->label);
    else if (*r->label == '-' && is_parameter(r->file, n->name))
        hint_missing(p, r, n->name);
    else if (strncmp(r->label, "--compare", 9) == 0 && is_library(n->name))
        py_hint(p, "write what it computes, x*(x>0) or x.sum(1), or a file that has it, @ref.npy; "
                   "the device `interp` gives it, too");
    else if (advice_for_value(n->name))
        py_hint(p, "%s", advice_for_value(n->name));
    else if (near || python)
        py_hint(p, "did you mean '%s'?", near ? near : python);
    else if (is_whole_value(r, n))
        py_hint(p, "a text needs quotes, as in \"'%s'\"", n->name);
    else
        py_hint(p, "%s", names_text(r));
    return false;
}

static bool is_function_of_file(tilec_file *file, const char *name)
{
    for (int i = 0; file && i < tilec_kernel_count(file); i++) {
        if (strcmp(tilec_kernel_name(file, i), name) == 0)
            return true;
    }
    return false;
}

static bool find_name(Py *p, const Node *n, Const *out, bool *found)
{
    const Reader *r = p->context;
    const Const *earlier = find_known(r->names, n->name);

    *found = true;
    for (int i = 0; i < r->blanks.len; i++) {
        if (r->blanks.at[i].start != n->span.start - r->source->base)
            continue;
        *out = r->blanks.at[i].value;
        return true;
    }
    if (earlier) {
        *out = *earlier;
        return true;
    }
    if (constant(n->name, out) || make_function(n->name, out) || tiles_function(n->name, out))
        return true;
    if (is_function_of_file(r->file, n->name) ||
        (!py_builtin(n->name) && tilec_has_function(r->file, n->name))) {
        *out = value_of_function(n->name);
        return true;
    }
    *found = false;
    return py_builtin(n->name) || unknown_name(p, r, n);
}

/* tl.cdiv, triton.cdiv, math.sqrt, torch.float16: under the names that kernels' files have. */
static const char *full_name(Arena *a, const Node *n)
{
    const char *left;

    if (n->kind == N_NAME)
        return strcmp(n->name, "tl") == 0 ? "triton.language" : n->name;
    left = n->kind == N_ATTRIBUTE ? full_name(a, n->left) : NULL;
    return left ? arena_printf(a, "%s.%s", left, n->name) : NULL;
}

/* The name that a path begins with; NULL: it begins with something else. */
static const char *first_name(const Node *n)
{
    while (n->kind == N_ATTRIBUTE)
        n = n->left;
    return n->kind == N_NAME ? n->name : NULL;
}

/* A function that the file imports, helper.twice or tl.exp: given to a parameter, not called. */
static bool find_imported(const Reader *r, const Node *n, Const *out)
{
    const char *first = first_name(n);
    uint32_t begin = n->span.start - r->source->base, end = n->span.end - r->source->base;
    const char *path = arena_strndup(r->store->arena, r->text + begin, end - begin);

    if (!first || find_known(r->names, first) || r->text[end] == '(' ||
        !tilec_has_function(r->file, path))
        return false;
    *out = value_of_function(path);
    return true;
}

static bool find_path(Py *p, const Node *n, Const *out, bool *found)
{
    const char *name = n->kind == N_ATTRIBUTE ? full_name(p->arena, n) : NULL;
    const Reader *r = p->context;

    /* FN=tl.cdiv is the kernel's, n=tl.cdiv(m,2) Python's */
    *found = name && ((is_whole_value(r, n) && find_imported(r, n, out)) ||
                      py_full_name(p, name, out) || find_imported(r, n, out));
    return true;
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

/* All of the text as expressions: several, with commas between them, are a tuple. */
static const Node *parse(Reader *r)
{
    Parser p;
    const Node *n;

    if (r->text[0] == '*' && *r->label != '-')
        wrong(r, 0, strlen(r->text),
              "a type stands behind `:`, and only where code is compiled alone",
              arena_printf(r->store->arena, "for tilec dump and build: %s:%s", r->label, r->text));
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
    if (p.errors.len > 0)
        wrong_at(r, p.errors.at[0].span, p.errors.at[0].message, hint ? hint : file_hint(r));
    return n;
}

static Const evaluate(Reader *r, const Node *n)
{
    static const PyHost host = {.name = find_name, .path = find_path};
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
