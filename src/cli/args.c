/*
 * args.c - open the kernel's file and turn NAME=VALUE into the arguments of a launch
 *
 * Arguments are evaluated in the order of the command line, and each sees those before it.
 */
#include "command.h"
#include "../guess/guess.h"

#include <stdlib.h>
#include <string.h>

static bool has_kernel(const tilec_file *f, const char *name)
{
    for (int i = 0; i < tilec_kernel_count(f); i++) {
        if (strcmp(tilec_kernel_name(f, i), name) == 0)
            return true;
    }
    return tilec_param_count(f, name) >= 0; /* by the names of what it is nested in */
}

/* Is it a name for the first time?  A kernel may be defined in both arms of an `if`. */
static bool is_new_name(const tilec_file *f, int i)
{
    for (int k = 0; k < i; k++) {
        if (strcmp(tilec_kernel_name(f, k), tilec_kernel_name(f, i)) == 0)
            return false;
    }
    return true;
}

/* Helpers are not among them, unless there is nothing else. */
static const char *list_kernels(Cli *c, const Options *o)
{
    const Functions functions = functions_once_read(&c->client, o->file);
    Text kernels = text_new(c->arena), all = text_new(c->arena);

    for (int i = 0; i < tilec_kernel_count(c->file); i++) {
        const char *name = tilec_kernel_name(c->file, i);

        if (!is_new_name(c->file, i))
            continue;
        text_printf(&all, "%s%s", all.len ? ", " : "", name);
        if (!functions_is_helper(&functions, name))
            text_printf(&kernels, "%s%s", kernels.len ? ", " : "", name);
    }
    return kernels.len ? kernels.s : all.s;
}

/* Of a long list the nearest name is enough. */
void args_refuse_kernel(Cli *c, const Options *o)
{
    int n = tilec_kernel_count(c->file);
    const char **names = NEW_N(c->arena, const char *, n + 1);

    for (int i = 0; i < n; i++)
        names[i] = tilec_kernel_name(c->file, i);
    const char *near = near_name(o->kernel, names, n);
    if (near)
        cli_stop(c, CLI_USAGE, "%s has no kernel '%s'; did you mean '%s'?",
                 shown_name(c->arena, o->file), o->kernel, near);
    cli_stop(c, CLI_USAGE, "%s has no kernel '%s'; it has %s", shown_name(c->arena, o->file),
             o->kernel, list_kernels(c, o));
}

static void open_library(Cli *c)
{
    char *error = NULL;

    cli_check(c, tilec_open(NULL, &c->tilec, &error), &error);
    if (tilec_cache_problem(c->tilec))
        cli_warn(c, "%s", tilec_cache_problem(c->tilec));
    else if (getenv("TILEC_CACHE") && !getenv("TILEC_CACHE_DIR"))
        cli_warn(c, "TILEC_CACHE says nothing; the cache's folder is TILEC_CACHE_DIR");
}

/* The kernel's file from stdin, which stands in the folder that we are in. */
static void load_stdin(Cli *c, const tilec_load_options *load)
{
    char *error = NULL, *text;
    size_t len;
    int code;

    file_claim_stdin(&c->store, "the kernel's file");
    code = os_read_file(c->arena, "/dev/stdin", LARGEST_SOURCE, &text, &len);
    if (code)
        cli_stop(c, CLI_FILES, "stdin: %s", strerror(code));
    cli_check(c, tilec_load(c->tilec, "<stdin>", text, len, load, &c->file, &error), &error);
}

/* What else is read where a kernel is meant: a notebook, CUDA, a file named without its suffix. */
static void check_source(Cli *c, const char *path)
{
    static const struct {
        const char *suffix, *hint;
    } foreign[] = {
        {".ipynb", "a notebook is no text of Python: write the cell with the kernel to a file, "
                   "`%%writefile kernel.py` at its top"},
        {".cu", "CUDA is another language: kernels are Python's, with @triton.jit"},
        {".cuh", "CUDA is another language: kernels are Python's, with @triton.jit"},
        {".ptx",
         "this is what a kernel is compiled to: `tilec dump FILE.py --stage ptx` writes it"},
        {".cl", "OpenCL is another language: kernels are Python's, with @triton.jit"},
        {".cpp", "C++ is another language: kernels are Python's, with @triton.jit"},
        {".c", "C is another language: kernels are Python's, with @triton.jit"},
        {".m", "MATLAB is another language: kernels are Python's, with @triton.jit"},
        {".npy", "an array is an argument, as in x=@x.npy; the first word is the kernel's file"},
    };
    const char *with_suffix = arena_printf(c->arena, "%s.py", path), *dot = strrchr(path, '.');

    for (int i = 0; dot && i < COUNT(foreign); i++) {
        if (strcmp(dot, foreign[i].suffix) == 0)
            cli_stop(c, CLI_USAGE, "%s: this holds no kernels\nhint: %s",
                     shown_name(c->arena, path), foreign[i].hint);
    }
    if (os_entry(path).kind == OS_NOTHING && os_entry(with_suffix).kind == OS_FILE)
        cli_stop_at_file(c, path,
                         arena_printf(c->arena, "No such file or directory; did you mean '%s'?",
                                      shown_name(c->arena, with_suffix)));
    if (os_entry(path).kind == OS_FOLDER)
        cli_stop_at_file(c, path, "this is a folder; the first word is the kernel's file, FILE.py");
}

static void load_file(Cli *c, const char *path, const tilec_load_options *load)
{
    char *error = NULL;

    check_source(c, path);
    tilec_status status = tilec_load(c->tilec, path, NULL, 0, load, &c->file, &error);

    c->trouble_file = status == TILEC_IO ? path : NULL;
    cli_check(c, status, &error);
}

void args_open_file(Cli *c, const Options *o)
{
    if (!c->tilec)
        open_library(c);
    const tilec_load_options load = {.paths = o->paths.at,
                                     .npaths = o->paths.len,
                                     .defines = o->defines.at,
                                     .ndefines = o->defines.len};

    for (int i = 0; i < o->paths.len; i++) {
        if (os_entry(o->paths.at[i]).kind != OS_FOLDER)
            cli_warn(c, "--path %s: there is no such folder", o->paths.at[i]);
    }
    if (!c->file && strcmp(o->file, "-") == 0)
        load_stdin(c, &load);
    else if (!c->file)
        load_file(c, o->file, &load);
}

void args_open_kernel(Cli *c, Options *o)
{
    args_open_file(c, o);
    if (o->kernel && !has_kernel(c->file, o->kernel))
        args_refuse_kernel(c, o);
    if (!o->kernel)
        o->kernel = tilec_only_kernel(c->file);
    if (!o->kernel)
        cli_stop(c, CLI_USAGE, "which kernel of %s? Write %s:NAME; it has %s",
                 shown_name(c->arena, o->file), shown_name(c->arena, o->file), list_kernels(c, o));
}

bool args_takes(Cli *c, const Options *o, const char *name)
{
    tilec_param p;

    for (int i = 0; tilec_param_info(c->file, o->kernel, i, &p) == TILEC_OK; i++) {
        if (strcmp(p.name, name) == 0)
            return true;
    }
    return false;
}

/* What a launch looks for while it runs, how it rounds, and how many registers it may have is said
 * by name, as from C and Python; a parameter of that name has it for itself. */
static bool is_number(const char *wish)
{
    return strcmp(wish, "maxnreg") == 0;
}

static bool is_wish(const char *name)
{
    return strcmp(name, "debug") == 0 || strcmp(name, "sanitize_overflow") == 0 ||
           strcmp(name, "enable_fp_fusion") == 0 || is_number(name);
}

bool args_wishes(Cli *c, const Options *o, const char *name)
{
    return is_wish(name) && !args_takes(c, o, name);
}

static NORETURN void refuse_wish(Cli *c, const char *name, const char *given)
{
    if (is_number(name))
        cli_stop(c, CLI_USAGE, "%s=N is an option of the launch, and %s is no whole number", name,
                 given);
    cli_stop(c, CLI_USAGE, "%s=True or %s=False is an option of the launch, and %s is neither",
             name, name, given);
}

static bool suits_wish(const char *name, const Const *v)
{
    return v->kind == (is_number(name) ? CONST_INT : CONST_BOOL);
}

static void check_wish(Cli *c, const Options *o, const char *name, const Const *v)
{
    if (args_wishes(c, o, name) && !suits_wish(name, v))
        refuse_wish(c, name, const_brief(v, c->arena));
}

tilec_arg args_wish(Cli *c, const ArgText *text)
{
    const Names none = {0};

    if (text->is_type)
        refuse_wish(c, text->name, text->text);
    Const v = value_parse(&c->store, &none, text->name, text->text);
    if (!suits_wish(text->name, &v))
        refuse_wish(c, text->name, const_brief(&v, c->arena));
    tilec_arg arg = args_of_value(c, text->name, &v);
    arg.name = text->name;
    return arg;
}

void args_check_name(Cli *c, const Options *o, const char *name)
{
    int n = tilec_param_count(c->file, o->kernel);
    const char **names;

    if (n < 0)
        return; /* the launch says why */
    names = NEW_N(c->arena, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        tilec_param p;

        if (tilec_param_info(c->file, o->kernel, i, &p) != TILEC_OK)
            return;
        names[i] = p.name;
        if (strcmp(p.name, name) == 0)
            return;
    }
    if (strcmp(name, "num_warps") == 0 || strcmp(name, "num_stages") == 0)
        cli_stop(c, CLI_USAGE, "the kernel has no parameter '%s'; an option says it: --num-%s N",
                 name, name + strlen("num_"));
    if (is_wish(name))
        return;
    cli_stop(c, CLI_USAGE, "the kernel has no parameter '%s'%s", name,
             hint_text(c->arena, name, names, n));
}

static void bind_integer(Cli *c, const char *name, __int128 v, tilec_arg *out)
{
    if (v > UINT64_MAX || v < INT64_MIN)
        cli_stop(c, CLI_USAGE, "%s: the value is beyond 64 bits", name);
    out->kind = v > INT64_MAX ? TILEC_ARG_UINT : TILEC_ARG_INT;
    out->integer = v > INT64_MAX ? 0 : (int64_t)v;
    out->uinteger = v < 0 ? 0 : (uint64_t)v;
}

static tilec_tensor tensor_of(const Cli *c, const Array *a)
{
    int block = array_block(&c->store, a->data);

    tilec_tensor t = array_tensor(a);

    t.blank = block >= 0 && c->store.blocks.at[block].is_empty;
    return t;
}

static void bind_tiles(Cli *c, const Tiles *t, tilec_arg *out)
{
    tilec_arg *extents = NEW_N(c->arena, tilec_arg, t->array.ndim);

    for (int i = 0; i < t->array.ndim; i++)
        extents[i] = (tilec_arg){.kind = TILEC_ARG_INT, .integer = t->extents[i]};
    out->kind = TILEC_ARG_DESCRIPTOR;
    out->tensor = tensor_of(c, &t->array);
    out->items = extents;
    out->nitems = t->array.ndim;
    out->integer = t->pads_nan;
}

/* An object of ours: an array, a descriptor of one, or a function of the file. */
static void bind_object(Cli *c, const char *name, const Const *v, tilec_arg *out)
{
    const Array *a = value_array(v);

    if (value_tiles(v)) {
        bind_tiles(c, value_tiles(v), out);
        return;
    }

    out->kind = a ? TILEC_ARG_TENSOR : TILEC_ARG_FUNCTION;
    out->text = value_function(v);
    if (a)
        out->tensor = tensor_of(c, a);
    else if (!out->text)
        cli_stop(c, CLI_USAGE, "%s: %s cannot be an argument of a kernel%s", name,
                 const_kind_name(v),
                 v->kind == CONST_FUNCTION || v->kind == CONST_OBJECT
                     ? "\nhint: call it, as in rand(fp32,1000)"
                     : "");
}

/* An argument without a name; `name` is for messages. */
static tilec_arg bind(Cli *c, const char *name, const Const *v);

static void bind_items(Cli *c, const char *name, const Const *items, int n, tilec_arg *out)
{
    tilec_arg *args = NEW_N(c->arena, tilec_arg, n + 1);

    for (int i = 0; i < n; i++)
        args[i] = bind(c, name, &items[i]);
    out->kind = TILEC_ARG_TUPLE;
    out->items = args;
    out->nitems = n;
}

/* {'x': 1, 'y': 2}: a named tuple. */
static void bind_fields(Cli *c, const char *name, const ConstList *dict, tilec_arg *out)
{
    tilec_arg *args = NEW_N(c->arena, tilec_arg, dict->len / 2 + 1);

    for (int i = 0; i < dict->len / 2; i++) {
        const Const *key = &dict->at[2 * i];

        if (key->kind != CONST_STRING)
            cli_stop(c, CLI_USAGE, "%s: the fields of a named tuple are texts: {'x': 1}", name);
        args[i] = bind(c, name, &dict->at[2 * i + 1]);
        args[i].name = key->text;
    }
    out->kind = TILEC_ARG_TUPLE;
    out->items = args;
    out->nitems = dict->len / 2;
}

static tilec_arg bind(Cli *c, const char *name, const Const *v)
{
    tilec_arg arg = {0};
    const Const *items;
    int n;

    switch (v->kind) {
    case CONST_NONE:
        arg.kind = TILEC_ARG_NONE;
        break;
    case CONST_BOOL:
        arg.kind = TILEC_ARG_BOOL;
        arg.integer = (int64_t)v->integer;
        break;
    case CONST_INT:
        bind_integer(c, name, v->integer, &arg);
        break;
    case CONST_FLOAT:
        arg.kind = TILEC_ARG_FLOAT;
        arg.real = v->real;
        break;
    case CONST_STRING:
        arg.kind = TILEC_ARG_STRING;
        arg.text = arena_strndup(c->arena, v->text, v->ntext);
        break;
    case CONST_DTYPE:
        arg.kind = TILEC_ARG_DTYPE;
        arg.dtype = (tilec_dtype)v->dtype;
        break;
    case CONST_DICT:
        bind_fields(c, name, v->list, &arg);
        break;
    default:
        if (const_items(v, &items, &n))
            bind_items(c, name, items, n, &arg);
        else
            bind_object(c, name, v, &arg);
        break;
    }
    return arg;
}

/* What C, NumPy and PyTorch call a dtype, or "". */
static const char *meant_type(Cli *c, const char *name, bool pointer)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {
        {"f16", "fp16"},  {"half", "fp16"},   {"f32", "fp32"}, {"float", "fp32"},
        {"f64", "fp64"},  {"double", "fp64"}, {"int", "i32"},  {"long", "i64"},
        {"short", "i16"}, {"char", "i8"},     {"byte", "u8"},  {"bool", "i1"},
    };
    size_t n = strcspn(name, "*"); /* `fp32*`, as C has pointers */
    bool behind = name[n] == '*';
    tilec_dtype t;

    for (int i = 0; i < COUNT(names); i++) {
        if (strlen(names[i].theirs) == n && strncmp(names[i].theirs, name, n) == 0)
            return arena_printf(c->arena, "; did you mean '%s%s'?", pointer || behind ? "*" : "",
                                names[i].ours);
    }
    if (behind && array_dtype(name, n, &t))
        return arena_printf(c->arena, "; did you mean '*%.*s'?", (int)n, name);
    return "";
}

/* type := ['*'] dtype */
tilec_arg args_of_type(Cli *c, const ArgText *t)
{
    tilec_arg arg = {.name = t->name, .kind = TILEC_ARG_TYPE, .pointer = t->text[0] == '*'};
    const char *name = t->text + arg.pointer;

    if (!array_dtype(name, strlen(name), &arg.dtype))
        cli_stop(c, CLI_USAGE, "%s: '%s' is no type; types are fp32, i64, *fp16 and so on%s",
                 t->name, t->text, meant_type(c, name, arg.pointer));
    return arg;
}

tilec_arg args_of_value(Cli *c, const char *name, const Const *v)
{
    return bind(c, name, v);
}

/* What bind() undoes: an argument without memory of its own. */
static Const value_of(const tilec_arg *a)
{
    switch (a->kind) {
    case TILEC_ARG_BOOL:
        return const_bool(a->integer != 0);
    case TILEC_ARG_INT:
        return const_int(a->integer);
    case TILEC_ARG_UINT:
        return const_int(a->uinteger);
    case TILEC_ARG_FLOAT:
        return const_float(a->real);
    case TILEC_ARG_STRING:
        return const_string(a->text, strlen(a->text));
    case TILEC_ARG_DTYPE:
        return const_dtype((DType)a->dtype);
    case TILEC_ARG_NONE:
        return const_none();
    default:
        break;
    }
    bug("a default that is no plain value");
}

/* What a parameter takes that is not given: --num-warps and --num-stages go before its default. */
static bool left_out(const Options *o, const tilec_param *p, Const *out)
{
    int option = 0;

    if (strcmp(p->name, "num_warps") == 0)
        option = o->launch.num_warps;
    else if (strcmp(p->name, "num_stages") == 0)
        option = o->launch.num_stages;
    if (option != 0)
        *out = const_int(option);
    else if (p->has_value)
        *out = value_of(&p->value);
    return option != 0 || p->has_value;
}

/* What @triton.heuristics computes for parameter `i`; false for what no argument can say. */
static bool computed(Cli *c, const Options *o, int i, const Arguments *a, Const *out)
{
    char *error = NULL;
    tilec_arg value;
    tilec_status status =
        tilec_param_value(c->file, o->kernel, i, a->args, a->count, &o->launch, &value, &error);

    if (status == TILEC_REFUSED)
        cli_check(c, status, &error);
    tilec_free(error);
    if (status == TILEC_OK)
        *out = value_of(&value);
    return status == TILEC_OK;
}

const Named *args_value(const Names *names, const char *name)
{
    for (int i = 0; i < names->len; i++) {
        if (strcmp(names->at[i].name, name) == 0)
            return &names->at[i];
    }
    return NULL;
}

void args_add_defaults(Cli *c, const Options *o, Arguments *a)
{
    tilec_param p;

    for (int i = 0; tilec_param_info(c->file, o->kernel, i, &p) == TILEC_OK; i++) {
        Named named = {.name = p.name};

        if (args_value(&a->names, p.name))
            continue;
        if (p.is_computed ? computed(c, o, i, a, &named.value) : left_out(o, &p, &named.value))
            vec_push(c->arena, &a->names, named);
    }
    a->names.kernel = o->kernel;
}

/* In a file a value in quotes is what a shell would have taken them off from. */
static void check_quotes(Cli *c, const Options *o, const char *name, const Const *v)
{
    tilec_param p;

    for (int i = 0; c->client.origin && v->kind == CONST_STRING; i++) {
        if (tilec_param_info(c->file, o->kernel, i, &p) != TILEC_OK)
            return;
        if (strcmp(p.name, name) == 0 && !p.is_constexpr)
            cli_stop(c, CLI_USAGE,
                     "%s: in quotes this is a text, which only a tl.constexpr parameter takes\n"
                     "hint: in a file no quotes are needed: %s=%.*s",
                     name, name, (int)v->ntext, v->text);
    }
}

void args_add(Cli *c, Options *o, Arguments *a, const tilec_arg *value)
{
    bool warps = strcmp(value->name, "num_warps") == 0;
    bool stages = strcmp(value->name, "num_stages") == 0;
    tilec_arg *args = NEW_N(c->arena, tilec_arg, a->count + 1);
    const Named named = {value->name, value_of(value)};

    if ((warps && o->launch.num_warps > 0) || (stages && o->launch.num_stages > 0))
        return;
    memcpy(args, a->args, sizeof *args * (size_t)a->count);
    args[a->count++] = *value;
    a->args = args;
    vec_push(c->arena, &a->names, named);
}

Arguments args_evaluate(Cli *c, const Options *o)
{
    Arguments out = {.args = NEW_N(c->arena, tilec_arg, o->args.len + 1)};
    const char **given = NEW_N(c->arena, const char *, o->args.len + 1);

    c->store.random_arrays = 0;
    for (int i = 0; i < o->args.len; i++)
        given[i] = o->args.at[i].name;
    for (int i = 0; i < o->args.len; i++) {
        const ArgText *text = &o->args.at[i];
        Named named = {.name = text->name};

        out.names.later = given + i;
        c->client.origin = text->origin;
        if (!text->may_lack)
            args_check_name(c, o, text->name);
        if (text->is_type && args_wishes(c, o, text->name))
            refuse_wish(c, text->name, text->text);
        if (text->is_type) {
            out.args[out.count++] = args_of_type(c, text);
            continue;
        }
        if (text->value)
            c->store.random_arrays = text->value->random_arrays;
        named.value = text->value ? text->value->value
                                  : value_parse(&c->store, &out.names, text->name, text->text);
        named.random_arrays = c->store.random_arrays;
        check_quotes(c, o, text->name, &named.value);
        check_wish(c, o, text->name, &named.value);
        vec_push(c->arena, &out.names, named);
        if (text->may_lack && !args_takes(c, o, text->name))
            continue;
        out.args[out.count] = bind(c, text->name, &named.value);
        out.args[out.count++].name = text->name;
    }
    c->client.origin = NULL;
    out.names.later = NULL;
    return out;
}
