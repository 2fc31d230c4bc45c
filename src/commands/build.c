/*
 * build.c - `tilec build`: a kernel ahead of time, as an object and a header
 *
 * NAME:TYPE is a parameter of the C function; NAME=VALUE is compiled in; of NAME=A,B,C each is, and
 * a parameter says which.  build_forms.c makes specialisations, the library the object and the
 * header.
 */
#include "build.h"

#include <errno.h>
#include <string.h>

/* --- parameters --- */

static bool is_choice(const BuildParam *p, int64_t value)
{
    for (int i = 0; i < p->choices.len; i++) {
        if (p->choices.at[i] == value)
            return true;
    }
    return false;
}

static void take_choices(Cli *c, BuildParam *p, const Const *items, int n)
{
    p->kind = BUILD_CHOSEN;
    for (int i = 0; i < n; i++) {
        if (items[i].kind != CONST_INT || items[i].integer < INT64_MIN ||
            items[i].integer > INT64_MAX)
            cli_stop(
                c, CLI_USAGE,
                "%s: of several values each is a whole number of 64 bits\n"
                "hint: False and True are 0 and 1; for others make an object for each, with --name",
                p->name);
        if (is_choice(p, (int64_t)items[i].integer))
            cli_stop(c, CLI_USAGE, "%s: %lld is there twice", p->name, (long long)items[i].integer);
        vec_push(c->arena, &p->choices, (int64_t)items[i].integer);
    }
}

/* NAME=A,B,C chooses; a tuple in brackets is one value. */
static void take_value(Cli *c, BuildParam *p, const ArgText *text, Names *names)
{
    Const v = value_parse(&c->store, names, text->name, text->text);
    const Const *items;
    int n;

    if (const_items(&v, &items, &n) && !strchr("([", text->text[strspn(text->text, " ")])) {
        take_choices(c, p, items, n);
        return;
    }
    p->kind = BUILD_FIXED;
    p->value = args_of_value(c, p->name, &v);
    vec_push(c->arena, &names[0], ((Named){p->name, v}));
    if (p->value.kind == TILEC_ARG_TENSOR || p->value.kind == TILEC_ARG_DESCRIPTOR)
        cli_stop(c, CLI_USAGE, "%s: an array is given by the calls\nhint: %s:*fp32 is its type",
                 p->name, p->name);
}

/* What stands in for an argument that is not given. */
static void take_default(BuildParam *p, const tilec_param *info)
{
    p->kind = BUILD_FIXED;
    p->is_missing = !info->has_value; /* computed from others, or the library says that it misses */
    p->value = info->value;
}

static BuildParam *find_param(const Build *b, const char *name)
{
    for (int i = 0; i < b->nparams; i++) {
        if (strcmp(b->params[i].name, name) == 0)
            return &b->params[i];
    }
    bug("a parameter that was checked is not there");
}

static void take_argument(Build *b, const ArgText *text, Names *names)
{
    Cli *c = b->cli;
    tilec_param info;

    c->client.origin = text->origin;
    args_check_name(c, b->options, text->name);
    if (args_wishes(c, b->options, text->name)) {
        vec_push(c->arena, &b->wishes, args_wish(c, text));
        c->client.origin = NULL;
        return;
    }
    BuildParam *p = find_param(b, text->name);
    cli_check(c, tilec_param_info(c->file, b->options->kernel, (int)(p - b->params), &info), NULL);
    if (text->is_type && info.is_constexpr)
        cli_stop(
            c, CLI_USAGE,
            "%s is a tl.constexpr, which is compiled in\nhint: %s=VALUE, or a few, of which calls "
            "choose one: %s=64,128",
            p->name, p->name, p->name);
    if (text->is_type)
        p->type = args_of_type(c, text);
    else
        take_value(c, p, text, names);
    c->client.origin = NULL;
}

/* Of a kernel that cannot be read nothing is known but what a launch would say. */
static int count_params(Cli *c, const Options *o)
{
    int n = tilec_param_count(c->file, o->kernel);
    char *error = NULL;

    if (n < 0)
        cli_check(c, tilec_prepare(c->file, o->kernel, NULL, 0, NULL, &error), &error);
    return n;
}

static void make_params(Build *b)
{
    Cli *c = b->cli;
    const Options *o = b->options;
    Names names = {0};
    tilec_param info;

    b->nparams = count_params(c, o);
    b->params = NEW_N(c->arena, BuildParam, b->nparams + 1);
    for (int i = 0; i < b->nparams; i++) {
        cli_check(c, tilec_param_info(c->file, o->kernel, i, &info), NULL);
        b->params[i].name = info.name;
        if (!variant_gives(o, info.name))
            take_default(&b->params[i], &info);
    }
    for (int i = 0; i < o->args.len; i++)
        take_argument(b, &o->args.at[i], &names);
}

/* --- levels --- */

/* --arch: one chip. */
static void take_chip(Build *b, const char *arch)
{
    if (strncmp(arch, "sm_", 3) != 0)
        cli_stop(b->cli, CLI_USAGE,
                 "--arch %s: that is no chip of a GPU, as sm_90 is\n"
                 "hint: the CPUs that there is code for are said by --cpu",
                 arch);
    if (b->options->cpus)
        cli_stop(b->cli, CLI_USAGE, "an object is for the CPUs of --cpu or for the GPU of --arch");
    b->is_gpu = true;
    vec_push(b->cli->arena, &b->levels, arch);
}

/* LEVEL[,LEVEL...] */
static void make_levels(Build *b)
{
    static const char usual[] = "x86-64,x86-64-v3,x86-64-v4";
    const char *at = b->options->cpus ? b->options->cpus : usual;

    if (b->options->launch.arch) {
        take_chip(b, b->options->launch.arch);
        return;
    }
    for (;; at++) {
        size_t n = strcspn(at, ",");
        vec_push(b->cli->arena, &b->levels, arena_strndup(b->cli->arena, at, n));
        at += n;
        if (!*at)
            return;
    }
}

/* --- the object and the files --- */

static tilec_build_options options_of(const Build *b)
{
    Arena *a = b->cli->arena;
    tilec_build_form *forms = NEW_N(a, tilec_build_form, b->forms.len);

    for (int i = 0; i < b->forms.len; i++)
        forms[i] = build_form_arguments(b, &b->forms.at[i]);
    return (tilec_build_options){
        .forms = forms,
        .nforms = b->forms.len,
        .level_symbol = arena_printf(a, "%s_level", b->symbol),
        .levels = b->levels.at,
        .nlevels = b->levels.len,
        .disjoint = b->options->disjoint,
        .exported = b->options->exported,
        .num_warps = b->options->launch.num_warps,
        .num_stages = b->options->launch.num_stages,
        .on_message = cli_tell,
        .device = b->is_gpu ? "cuda" : NULL,
    };
}

/* The header; in front of the object, whose making takes time, it only shows that there can be one.
 */
static const char *make_header(const Build *b, const tilec_build_options *options,
                               const tilec_object *object)
{
    char *text, *error = NULL;

    cli_check(b->cli,
              tilec_build_header(b->cli->file, b->options->kernel, options, object,
                                 b->options->symbol, b->options->grid, &text, &error),
              &error);
    const char *kept = arena_strndup(b->cli->arena, text, strlen(text));
    tilec_free(text);
    return kept;
}

/* In the arena, as the header is: the command may end between them. */
static tilec_object make_object(const Build *b, const tilec_build_options *options)
{
    tilec_object object;
    char *error = NULL;

    cli_check(b->cli, tilec_build(b->cli->file, b->options->kernel, options, &object, &error),
              &error);
    void *kept = arena_alloc(b->cli->arena, object.size);
    memcpy(kept, object.data, object.size);
    tilec_free(object.data);
    object.data = kept;
    return object;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);

    return n > k && strcmp(path + n - k, suffix) == 0;
}

static NORETURN void refuse_output(Cli *c, const char *path, int problem)
{
    cli_stop(c, problem == OS_WAS_READ ? CLI_USAGE : CLI_FILES, "%s cannot be written: %s%s",
             shown_name(c->arena, path), os_error_text(problem),
             problem == ENOENT ? os_missing(c->arena, path) : "");
}

static void check_outputs(Cli *c, const Options *o)
{
    int object = os_check_output(o->output, false), header = os_check_output(o->header, false);

    if (object || header)
        refuse_output(c, object ? o->output : o->header, object ? object : header);
}

static void check_files(Cli *c, const Options *o)
{
    const char *const paths[] = {o->output, o->header};

    if (!o->output || !o->header)
        cli_stop(c, CLI_USAGE, "where to? %s is missing",
                 o->output ? "--header FILE.h" : "-o FILE.o");
    for (int i = 0; i < COUNT(paths); i++) {
        if (strcmp(paths[i], "-") == 0)
            cli_stop(c, CLI_USAGE, "%s - : objects and headers go to files, not to stdout",
                     i == 0 ? "-o" : "--header");
    }
    if (os_same_output(o->output, o->header))
        cli_stop(c, CLI_USAGE, "-o and --header are one file, %s", shown_name(c->arena, o->output));
    if (has_suffix(o->output, ".c") || has_suffix(o->output, ".h") || has_suffix(o->output, ".py"))
        cli_stop(c, CLI_USAGE, "-o %s: what is written is an object: FILE.o", o->output);
    if (has_suffix(o->output, ".so") || has_suffix(o->output, ".a"))
        cli_stop(c, CLI_USAGE,
                 "-o %s: what is written is an object, FILE.o, of which cc -shared or ar makes a "
                 "library",
                 o->output);
    if (has_suffix(o->header, ".o") || has_suffix(o->header, ".c"))
        cli_stop(c, CLI_USAGE, "--header %s: what is written is a header: FILE.h", o->header);
    check_outputs(c, o);
}

/* All that is read is read by now. */
static int write_both(const Options *o, const tilec_object *object, const char *header,
                      const char **path)
{
    int problem = os_write_file(*path = o->output, object->data, object->size);

    return problem ? problem : os_write_file(*path = o->header, header, strlen(header));
}

static void print_summary(const Build *b)
{
    printf("%s: %d specialisation%s, each for ", b->symbol, b->forms.len,
           b->forms.len == 1 ? "" : "s");
    if (b->is_gpu)
        printf("%s\n", b->levels.at[0]);
    else
        printf("%d level%s of the CPU\n", b->levels.len, b->levels.len == 1 ? "" : "s");
}

static void print_json(const Build *b)
{
    Text t = text_new(b->cli->arena);

    json_object(&t, NULL);
    json_text(&t, "function", b->symbol);
    json_text(&t, "object", b->options->output);
    json_text(&t, "header", b->options->header);
    json_int(&t, "specialisations", b->forms.len);
    json_array(&t, "levels");
    for (int i = 0; i < b->levels.len; i++)
        json_text(&t, NULL, b->levels.at[i]);
    json_array_end(&t);
    json_object_end(&t);
    puts(t.s);
}

void command_build(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_BUILD, argc, argv);
    Build b = {.cli = c, .options = &o};
    const char *path;

    check_files(c, &o);
    args_open_kernel(c, &o);
    b.symbol = o.symbol ? o.symbol : o.kernel;
    make_params(&b);
    make_levels(&b);
    build_add_forms(&b);
    const tilec_build_options options = options_of(&b);
    (void)make_header(&b, &options, NULL);
    tilec_object object = make_object(&b, &options);
    const char *header = make_header(&b, &options, &object);
    check_outputs(c, &o);
    int problem = write_both(&o, &object, header, &path);
    if (problem != 0)
        refuse_output(c, path, problem);
    if (o.json)
        print_json(&b);
    else
        print_summary(&b);
}
