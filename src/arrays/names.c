/*
 * names.c - what names in a value stand for, and what is said of those that stand for nothing
 *
 * Earlier arguments, dtypes, functions that make arrays (make.c) and functions of the kernel's
 * file.
 */
#include "reader.h"
#include "../io/io.h"

#include <math.h>
#include <string.h>

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
    static const WordText table[] = {
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
        {"uniform", "rand(DTYPE,SHAPE) is uniform from 0 to 1, and a factor scales it"},
        {"normal", "randn(DTYPE,SHAPE) is normal, with mean 0 and deviation 1"},
        {"gauss", "randn(DTYPE,SHAPE) is normal, with mean 0 and deviation 1"},
        {"eye", "no array of it is made here: a file may have it, x=@eye.npy"},
        {"identity", "no array of it is made here: a file may have it, x=@eye.npy"},
        {"torch", "arrays are made by rand(DTYPE,SHAPE), zeros, arange...: tilec help values"},
    };

    return text_of_word(table, COUNT(table), name);
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

bool reader_find_name(Py *p, const Node *n, Const *out, bool *found)
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

bool reader_find_path(Py *p, const Node *n, Const *out, bool *found)
{
    const char *name = n->kind == N_ATTRIBUTE ? full_name(p->arena, n) : NULL;
    const Reader *r = p->context;

    /* FN=tl.cdiv is the kernel's, n=tl.cdiv(m,2) Python's */
    *found = name && ((is_whole_value(r, n) && find_imported(r, n, out)) ||
                      py_full_name(p, name, out) || find_imported(r, n, out));
    return true;
}
