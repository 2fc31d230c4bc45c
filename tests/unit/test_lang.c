/*
 * test_lang.c - the rules of the language: tests/lang/NAME.py against NAME.out or NAME.err
 *
 * The first lines of a file say what to do with its kernels, one comment a case:
 *     # lower: KERNEL ARG...    the IR
 *     # vars: KERNEL ARG...     what its names mean at each line
 *     # run: KERNEL ARG...      what its arrays hold after the interpreter ran it
 *     # signature: KERNEL       what is known of its parameters
 * ARG:
 *     n:i32  n:i32:16  p:*fp32:16   a run-time argument by type, and what it is divisible by
 *     N=64  F=1.5  S='text'  D=fp16  B=True  E=None    a compile-time one
 *     n:i32=7                       run only: a scalar
 *     x:fp32[8]  x:fp32[8]=iota  x:i32[6]=3,1,2   run only: an array of 0s; of 0, 1, 2...; of
 *                                   these, over and over
 *     grid=4,2                      run only
 * A case that is refused gives its diagnostics instead.  NAME.err holds what all cases gave when
 * all were refused, NAME.out otherwise.  TILEC_UPDATE=1 rewrites them; look at what changed.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"
#include "constant_text.h"
#include "../../src/interp/interp.h"
#include "../../src/suspect/suspect.h"
#include "../../src/opt/opt.h"
#include "../../src/ir/mark.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

enum { MAX_ARGS = 32, MAX_FILES = 1024 };

typedef struct {
    const char *name;
    bool is_constexpr, is_array;
    Const constant;
    DType dtype;
    bool pointer;
    int64_t divisible;
    uint64_t bits; /* of a scalar */
    void *data;    /* of an array */
    int64_t count;
} Argument;

typedef struct {
    Arena *arena;
    Interner *interner;
    SourceMap *sources;
    const Source *source;
    Text out;
    bool accepted; /* any case was */
} Case;

/* --- the specification --- */

static uint64_t bits_of(DType t, double v)
{
    if (dtype_is_float(t))
        return scalar_from_double(t, v);
    return scalar_truncate(t, (uint64_t)(int64_t)v);
}

static void put_element(Argument *a, int64_t i, double v)
{
    uint64_t bits = bits_of(a->dtype, v);

    memcpy((char *)a->data + i * dtype_size(a->dtype), &bits, (size_t)dtype_size(a->dtype));
}

static void fill_array(Case *c, Argument *a, const char *values)
{
    double list[64];
    int n = 0;

    a->data = arena_alloc(c->arena, (size_t)(a->count * dtype_size(a->dtype)) + 16);
    if (!values)
        return;
    bool iota = strcmp(values, "iota") == 0;
    for (char *s = arena_strndup(c->arena, values, strlen(values)), *end; !iota && *s && n < 64;
         s = *end ? end + 1 : end)
        list[n++] = strtod(s, &end);
    for (int64_t i = 0; i < a->count; i++)
        put_element(a, i, iota ? (double)i : list[i % n]);
}

static Argument parse_argument(Case *c, char *word)
{
    Argument a = {.name = word};
    char *colon = strchr(word, ':'), *eq = strchr(word, '=');

    if (eq)
        *eq = 0;
    if (!colon || (eq && eq < colon)) {
        a.is_constexpr = true;
        a.constant = constant_from_text(c->arena, eq + 1);
        return a;
    }
    *colon = 0;
    char *type = colon + 1, *bracket = strchr(type, '['), *second = strchr(type, ':');
    a.pointer = type[0] == '*' || bracket;
    a.divisible = second ? strtol(second + 1, NULL, 10) : 0;
    type += type[0] == '*';
    if (!dtype_from_name(type, strcspn(type, "[:"), &a.dtype))
        fail_msg("no dtype %s", type);
    if (bracket) {
        a.is_array = true;
        a.count = strtol(bracket + 1, NULL, 10);
        fill_array(c, &a, eq ? eq + 1 : NULL);
    } else if (eq) {
        a.bits = bits_of(a.dtype, strtod(eq + 1, NULL));
    }
    return a;
}

static void parse_grid(const char *s, int32_t grid[3])
{
    char *end;

    for (int i = 0; i < 3 && *s; i++) {
        grid[i] = (int32_t)strtol(s, &end, 10);
        s = *end ? end + 1 : end;
    }
}

/* --- running --- */

static void print_array(Text *t, const Argument *a)
{
    text_printf(t, "%s:", a->name);
    for (int64_t i = 0; i < a->count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (char *)a->data + i * dtype_size(a->dtype), (size_t)dtype_size(a->dtype));
        if (dtype_is_float(a->dtype))
            text_printf(t, " %.7g", scalar_to_double(a->dtype, bits));
        else if (dtype_is_signed(a->dtype))
            text_printf(t, " %lld", (long long)scalar_to_int(a->dtype, bits));
        else
            text_printf(t, " %llu", (unsigned long long)bits);
    }
    text_put(t, "\n");
}

static void run_case(Case *c, Module *m, const Argument *args, int n, const int32_t *grid)
{
    uint64_t slots[MAX_ARGS];
    Diags *d = diags_new(c->arena, c->sources);
    InterpLaunch launch = {.args = slots, .grid = {grid[0], grid[1], grid[2]}};
    int slot = 0;

    opt_legalise(m, &(OptOptions){.schedules = true}, d);
    launch.last = (int64_t)grid[0] * grid[1] * grid[2];
    for (int i = 0; i < n; i++) {
        if (!args[i].is_constexpr)
            slots[slot++] = args[i].is_array ? (uint64_t)(uintptr_t)args[i].data : args[i].bits;
    }
    if (interp_run(m->funcs[0], &launch, d) != INTERP_OK)
        fail_msg("%s", diags_text(d, c->arena));
    for (int i = 0; i < n; i++) {
        if (args[i].is_array)
            print_array(&c->out, &args[i]);
    }
}

static FrontArg front_arg(const Argument *a)
{
    return (FrontArg){.name = a->name,
                      .is_constexpr = a->is_constexpr,
                      .constant = a->constant,
                      .dtype = a->dtype,
                      .pointer = a->pointer,
                      .divisible = a->divisible};
}

static Module *lower_case(Case *c, const char *kernel, const Argument *args, int n, Diags *d)
{
    FrontArg given[MAX_ARGS];
    FrontFile *file = front_parse(c->arena, c->interner, &triton_language, c->source, NULL, d);

    for (int i = 0; i < n; i++)
        given[i] = front_arg(&args[i]);
    if (!file || !front_kernel(file, kernel, c->arena, d))
        return NULL;
    Module *m = front_lower(file, kernel, given, n, NULL, c->arena, d);
    Diags *broken = diags_new(c->arena, c->sources);
    if (m && !ir_verify(m, broken))
        fail_msg("%s\n%s", diags_text(broken, c->arena), ir_print(m, c->arena));
    if (m)
        suspect_warn_of_all(m, d);
    return m;
}

static void print_param(Case *c, const FrontParam *p)
{
    text_printf(&c->out, "  %s%s", p->name, p->is_constexpr ? " constexpr" : "");
    if (p->typed)
        text_printf(&c->out, " %s%s", p->pointer ? "*" : "", dtype_name(p->dtype));
    if (p->has_default)
        text_printf(&c->out, " = %s",
                    p->default_known ? const_text(&p->default_value, c->arena) : "?");
    text_printf(&c->out, "%s, line %d\n",
                p->do_not_specialize ? " unspecialised"
                : p->any_alignment   ? " unaligned"
                                     : "",
                p->line);
}

static void print_signature(Case *c, const char *kernel)
{
    Diags *d = diags_new(c->arena, c->sources);
    FrontFile *file = front_parse(c->arena, c->interner, &triton_language, c->source, NULL, d);
    const FrontKernel *k = file ? front_kernel(file, kernel, c->arena, d) : NULL;

    text_put(&c->out, diags_text(d, c->arena));
    for (int i = 0; k && i < k->nparams; i++)
        print_param(c, &k->params[i]);
    c->accepted |= k != NULL;
}

static bool is_case(const char *line)
{
    return strncmp(line, "lower:", 6) == 0 || strncmp(line, "vars:", 5) == 0 ||
           strncmp(line, "run:", 4) == 0 || strncmp(line, "signature:", 10) == 0;
}

/* The text form, which reads back as it is. */
static const char *printed(const Case *c, const Module *m)
{
    const char *text = ir_print(m, c->arena);
    Diags *d = diags_new(c->arena, NULL);
    const Source *src = source_add(diags_sources(d), "printed", text, strlen(text));
    const Module *again = ir_read(c->arena, interner_new(c->arena), src, d);

    if (!again)
        fail_msg("%s\nin\n%s", diags_text(d, c->arena), text);
    assert_string_equal(ir_print(again, c->arena), text);
    return text;
}

/* One line of the specification, without `# `. */
static void do_case(Case *c, char *line)
{
    Argument args[MAX_ARGS];
    int32_t grid[3] = {1, 1, 1};
    Diags *d = diags_new(c->arena, c->sources);
    int n = 0;

    text_printf(&c->out, "# %s\n", line);
    bool run = strncmp(line, "run:", 4) == 0;
    char *kernel = strtok(strchr(line, ':') + 1, " ");
    if (line[0] == 's') {
        print_signature(c, kernel);
        return;
    }
    for (char *w = strtok(NULL, " "); w && n < MAX_ARGS; w = strtok(NULL, " ")) {
        if (strncmp(w, "grid=", 5) == 0)
            parse_grid(w + 5, grid);
        else
            args[n++] = parse_argument(c, w);
    }
    Module *m = lower_case(c, kernel, args, n, d);
    text_put(&c->out, diags_text(d, c->arena));
    if (!m)
        return;
    c->accepted = true;
    if (run)
        run_case(c, m, args, n, grid);
    else
        text_put(&c->out, line[0] == 'v' ? ir_print_vars(m, c->arena) : printed(c, m));
}

/* --- files --- */

static void write_golden(const char *path, const char *other, const char *text, size_t n)
{
    remove(other);
    if (os_write_file(path, text, n) != 0)
        fail_msg("cannot write %s", path);
}

static void check_golden(Case *c, const char *base)
{
    const char *out = arena_printf(c->arena, "%s.out", base);
    const char *err = arena_printf(c->arena, "%s.err", base);
    const char *path = c->accepted ? out : err;
    char *want;
    size_t n;

    if (os_env("TILEC_UPDATE")) {
        write_golden(path, c->accepted ? err : out, c->out.s, c->out.len);
        return;
    }
    if (os_read_file(c->arena, path, 1 << 24, &want, &n) != 0)
        fail_msg("cannot read %s; got:\n%s", path, c->out.s);
    assert_string_equal(c->out.s, want);
}

static void test_file(void **state)
{
    const char *base = *state;
    Guard guard;
    char *text;
    size_t n;

    if (setjmp(guard.env))
        fail_msg("left through the guard");
    Arena *a = arena_new(&guard);
    Case c = {.arena = a, .interner = interner_new(a), .out = text_new(a)};
    if (os_read_file(a, arena_printf(a, "%s.py", base), 1 << 24, &text, &n) != 0)
        fail_msg("cannot read %s.py", base);
    c.sources = source_map_new(a);
    c.source = source_add(c.sources, arena_printf(a, "%s.py", strrchr(base, '/') + 1), text, n);
    text_put(&c.out, "");
    for (const char *s = text; strncmp(s, "# ", 2) == 0; s += strcspn(s, "\n") + 1) {
        char *line = arena_strndup(a, s + 2, strcspn(s + 2, "\n"));
        if (is_case(line))
            do_case(&c, line);
    }
    assert_true(c.out.len > 0);
    check_golden(&c, base);
    arena_free(a);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

/* One test a file NAME.py of the folder, or the one that is asked for. */
static int find_tests(Arena *a, const char *folder, const char *only, struct CMUnitTest *out)
{
    DIR *dir = opendir(folder);
    int n = 0;

    for (struct dirent *e; dir && (e = readdir(dir)) && n < MAX_FILES;) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".py") != 0)
            continue;
        const char *name = arena_strndup(a, e->d_name, (size_t)(dot - e->d_name));
        if (only && strcmp(only, name) != 0)
            continue;
        out[n++] = (struct CMUnitTest){
            .name = name, .test_func = test_file, .initial_state = arena_printf(a, "./%s", name)};
    }
    if (dir)
        closedir(dir);
    qsort(out, (size_t)n, sizeof out[0], by_name);
    return n;
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[MAX_FILES];
    const char *root = getenv("TILEC_SOURCE");
    Arena *a = arena_new(NULL);
    const char *folder = arena_printf(a, "%s/tests/lang", root ? root : ".");
    int n = find_tests(a, folder, argc > 1 ? argv[1] : NULL, tests);

    if (chdir(folder) != 0) /* imports are found from there, whatever the tree's name is */
        return 1;
    int failed = n == 0 ? 1 : _cmocka_run_group_tests("lang", tests, (size_t)n, NULL, NULL);

    arena_free(a);
    return failed;
}
