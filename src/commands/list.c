/*
 * list.c - `tilec list`: the kernels of a file, what they take, and how they can be called
 */
#include "commands.h"
#include "../guess/guess.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *path, *name; /* of the kernel */
    const FileFunction *f;
    bool is_helper;
    const char *example; /* a command; NULL: its parameters cannot be read */
    Example parts;
    bool is_named;           /* the example is a call of the file, not one made of `parts` */
    VEC(const char *) calls; /* that the file names */
    const Functions *functions;
} Listed;
typedef VEC(Listed) Listing;

/* --- examples as commands --- */

static const char *command_of(Cli *c, const Listed *k)
{
    Text t = text_new(c->arena);

    text_printf(&t, "tilec run %s:%s --grid %s", shell_word(c->arena, k->path), k->name,
                shell_word(c->arena, k->parts.grid));
    for (int i = 0; i < k->parts.guess.n; i++) {
        const char *value = k->parts.values[i];

        if (value)
            text_printf(&t, " %s=%s", k->f->syntax.params[i].name, shell_word(c->arena, value));
    }
    return t.s;
}

/* --- reading --- */

static bool is_listed(const Listing *all, const char *name)
{
    for (int i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].name, name) == 0)
            return true; /* defined twice, in two arms of an `if` */
    }
    return false;
}

/* The first line of what a launch would say of a kernel whose parameters cannot be read. */
static const char *why_unread(Cli *c, const char *kernel)
{
    char *error = NULL;
    const char *text;

    tilec_prepare(c->file, kernel, NULL, 0, NULL, &error);
    text = error ? arena_strndup(c->arena, error, strcspn(error, "\n")) : "it cannot be read";
    tilec_free(error);
    return text;
}

/* The first call that the file names for it; without one, one that is looked for by trials. */
static void find_example(Cli *c, Listed *k)
{
    k->is_named = k->calls.len > 0;
    if (k->is_named) {
        k->example =
            arena_printf(c->arena, "tilec run %s:%s --call %s", shell_word(c->arena, k->path),
                         k->name, shell_word(c->arena, k->calls.at[0]));
    } else {
        k->parts = example_of(&c->client, &cli_examples,
                              &(ExampleOf){c->file, k->path, k->name, k->functions, &k->f->syntax});
        k->example = command_of(c, k);
    }
}

static void list_kernel(Cli *c, const Functions *functions, const NamedCalls *calls, Listed k,
                        Listing *out)
{
    k.functions = functions;
    k.f = functions_find(functions, k.name);
    if (!k.f || is_listed(out, k.name))
        return;
    k.is_helper = functions_is_helper(functions, k.name);
    k.parts.guess = guess_kernel(&c->client, functions, &k.f->syntax);
    for (int i = 0; i < calls->len; i++) {
        if (!calls->at[i].problem && calls->at[i].kernel &&
            strcmp(calls->at[i].kernel, k.name) == 0)
            vec_push(c->arena, &k.calls, calls->at[i].name);
    }
    if (tilec_param_count(c->file, k.name) != k.f->syntax.nparams)
        k.parts.problem = why_unread(c, k.name);
    else if (!k.is_helper)
        find_example(c, &k);
    vec_push(c->arena, out, k);
}

static Listing list_file(Cli *c, Options *o, const Functions *functions)
{
    const NamedCalls calls = *calls_of_file(&c->client, o->file);
    const char *wanted = o->kernel;
    Listing out = {0};

    for (int i = 0; i < calls.len; i++) {
        if (calls.at[i].problem)
            cli_warn(c, "%s", calls.at[i].problem);
    }
    args_open_file(c, o);
    for (int i = 0; i < tilec_kernel_count(c->file); i++) {
        Listed k = {.path = o->file, .name = tilec_kernel_name(c->file, i)};

        if (!wanted || strcmp(wanted, k.name) == 0)
            list_kernel(c, functions, &calls, k, &out);
    }
    if (out.len == 0 && wanted && tilec_kernel_count(c->file) > 0)
        args_refuse_kernel(c, o);
    if (out.len == 0)
        cli_stop(c, CLI_USAGE, "%s has no @triton.jit functions", o->file);
    return out;
}

/* --- telling --- */

/* What a parameter is, in a few words. */
static const char *role_text(Cli *c, const Listed *k, int i)
{
    const GuessedParam *p = &k->parts.guess.at[i];

    if (k->f->syntax.params[i].is_constexpr)
        return "constant";
    if (p->is_pointer)
        return p->is_atomic                   ? "array, written by atomics"
               : !p->is_stored                ? "array, read"
               : p->is_loaded || p->is_atomic ? "array, read and written"
                                              : "array, written";
    for (int a = 0; a < k->parts.guess.n && !p->is_size; a++) {
        for (int d = 0; d < k->parts.guess.at[a].nstrides; d++) {
            if (k->parts.guess.at[a].strides[d] == i)
                return arena_printf(c->arena, "stride of %s", k->f->syntax.params[a].name);
        }
    }
    return p->is_size ? "size" : "";
}

static const char *node_text(Cli *c, const Listed *k, const Node *n)
{
    return n ? functions_text(&c->client, k->functions, n) : NULL;
}

static const char *shown_node(Cli *c, const Listed *k, const Node *n)
{
    const char *text = node_text(c, k, n);

    return text ? shown_name(c->arena, text) : NULL;
}

static void print_params(Cli *c, const Listed *k)
{
    int width = 0;

    for (int i = 0; i < k->f->syntax.nparams; i++)
        width = MAX(width, (int)strlen(k->f->syntax.params[i].name));
    for (int i = 0; i < k->f->syntax.nparams; i++) {
        const AstParam *p = &k->f->syntax.params[i];
        const char *type = shown_node(c, k, p->annotation);
        const char *value = shown_node(c, k, p->default_value);

        printf("  %-*s  %s%s%s%s%s\n", width, p->name, role_text(c, k, i), type ? "  : " : "",
               type ? type : "", value ? " = " : "", value ? value : "");
    }
}

/* What @triton.autotune says, of which an example takes the first. */
static void print_configurations(Cli *c, const Listed *k)
{
    int n = tilec_config_count(c->file, k->name);
    const char *problem = config_problem(c, k->name, 0);
    const char *hook = tilec_config_hook(c->file, k->name, 0);
    tilec_config first;

    if (problem)
        printf("  whose block sizes are unknown: %s\n", problem);
    else if (n > 0 && tilec_config_info(c->file, k->name, 0, &first) == TILEC_OK)
        printf("  configurations: %d, of which a call takes %s%s\n", n, n > 1 ? "the first: " : "",
               shown_name(c->arena, config_text(c->arena, &first)));
    for (int i = 1; i < n; i++) {
        if ((problem = config_problem(c, k->name, i)) != NULL)
            printf("  of which number %d is unknown: %s\n", i + 1, problem);
    }
    if (hook)
        printf("  whose pre_hook, `%s`, is Python, which is not run\n", shown_name(c->arena, hook));
}

static void print_kernel(Cli *c, const Listed *k)
{
    printf("%s:%d: %s%s\n", shown_name(c->arena, k->path), k->f->line, k->name,
           k->is_helper ? "  (a function of others)" : "");
    if (k->f->decorators)
        printf("  %s\n", shown_name(c->arena, k->f->decorators));
    print_params(c, k);
    for (int i = 0; i < k->calls.len; i++)
        printf("%s%s%s", i ? ", " : "  calls: ", shown_name(c->arena, k->calls.at[i]),
               i + 1 < k->calls.len ? "" : "\n");
    print_configurations(c, k);
    if (k->example && !k->parts.problem)
        printf("  example: %s\n", k->example);
    else if (k->example)
        printf("  no call was found that runs: %s\n  fill in what is wrong: %s\n", k->parts.problem,
               k->example);
    else if (k->parts.problem)
        printf("  cannot be called: %s\n", k->parts.problem);
    if (k->parts.unwritten)
        printf("  which leaves unwritten: %s\n", shown_name(c->arena, k->parts.unwritten));
}

static void put_params(Cli *c, Text *t, const Listed *k)
{
    json_array(t, "parameters");
    for (int i = 0; i < k->f->syntax.nparams; i++) {
        const AstParam *p = &k->f->syntax.params[i];

        json_object(t, NULL);
        json_text(t, "name", p->name);
        json_text(t, "role", role_text(c, k, i));
        json_text(t, "annotation", node_text(c, k, p->annotation));
        json_text(t, "default", node_text(c, k, p->default_value));
        json_text(t, "example", k->example && !k->is_named ? k->parts.values[i] : NULL);
        json_bool(t, "constexpr", p->is_constexpr);
        json_object_end(t);
    }
    json_array_end(t);
}

static void put_configurations(Cli *c, Text *t, const Listed *k)
{
    tilec_config first;
    bool known = tilec_config_info(c->file, k->name, 0, &first) == TILEC_OK;

    json_int(t, "configurations", tilec_config_count(c->file, k->name));
    json_text(t, "first_configuration", known ? config_text(c->arena, &first) : NULL);
    json_text(t, "configuration_problem", config_problem(c, k->name, 0));
    json_text(t, "pre_hook", tilec_config_hook(c->file, k->name, 0));
}

static void put_kernel(Cli *c, Text *t, const Listed *k)
{
    json_object(t, NULL);
    json_text(t, "kernel", k->name);
    json_text(t, "file", k->path);
    json_int(t, "line", k->f->line);
    json_bool(t, "helper", k->is_helper);
    json_text(t, "decorators", k->f->decorators);
    put_params(c, t, k);
    json_array(t, "calls");
    for (int i = 0; i < k->calls.len; i++)
        json_text(t, NULL, k->calls.at[i]);
    json_array_end(t);
    json_text(t, "grid", k->parts.grid);
    json_text(t, "example", k->parts.problem ? NULL : k->example);
    json_text(t, "template", k->parts.problem ? k->example : NULL);
    json_text(t, "problem", k->parts.problem);
    json_text(t, "unwritten", k->parts.unwritten);
    put_configurations(c, t, k);
    json_object_end(t);
}

void command_list(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_LIST, argc, argv);
    const Functions functions = functions_of_file(&c->client, o.file);
    Listing all = list_file(c, &o, &functions);
    Text t = text_new(c->arena);

    json_array(&t, NULL);
    for (int i = 0; i < all.len; i++) {
        if (!o.json && i > 0)
            putchar('\n');
        if (!o.json)
            print_kernel(c, &all.at[i]);
        put_kernel(c, &t, &all.at[i]);
    }
    json_array_end(&t);
    if (o.json)
        puts(t.s);
}
