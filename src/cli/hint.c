/*
 * hint.c - which block size would make the rows of a timed kernel longer
 *
 * The plan of the code says where most of the work goes through rows that are too short for
 * vectors (plan_verify/plan_hint.c).  That is worth a word where there is a cure: a constant of the
 * kernel which, some times as large, makes the rows long enough without making the work more, in as
 * many fewer programs or in fewer rounds of a loop.  Nothing is run for it, and of a kernel whose
 * rows are long nothing is compiled.
 *
 * Only extents of tiles are tried, since a larger radius of a window is another result, and may be
 * hours of compiling.  What that costs is bounded in operations: of one compile, and of all.
 */
#include "call.h"
#include "../guess/guess.h"

#include <stdio.h>
#include <string.h>

enum {
    VECTORS = 4,     /* in a row that is long enough */
    MOST_OPS = 20000 /* that are compiled for a hint; that takes less than a tenth of a second */
};
static const double some_more = 1.5, far_less = 2; /* times the work; times the programs wanted */

/* The operations of the kernel as it is written, one a line; 0: it has none with these arguments.
 */
static int count_ops(const Call *k, const tilec_arg *args, int n)
{
    char *text = NULL;
    int lines = 0;

    if (tilec_dump(k->cli->file, k->options.kernel, "ir", args, n, &k->options.launch, &text,
                   NULL) != TILEC_OK)
        return 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    tilec_free(text);
    return lines;
}

/* Does the plan for these arguments have the hint?  Then a row and a vector, in elements. */
static bool is_hinted(const Call *k, const tilec_arg *args, int n, int *row, int *vector)
{
    static const char begin[] = "\nhint: rows of ";
    char *text = NULL;

    if (tilec_dump(k->cli->file, k->options.kernel, "plan", args, n, &k->options.launch, &text,
                   NULL) != TILEC_OK)
        return false;
    const char *line = strstr(text, begin);
    bool found = line && sscanf(line + strlen(begin), "%d in vectors of %d", row, vector) == 2;
    tilec_free(text);
    return found;
}

/* The call with another value of one argument. */
typedef struct {
    Call call; /* for its arguments and its grid */
    const char *name;
    int64_t value;
    int factor; /* the value over what it is in the call */
} Other;

static int find_name(const Names *names, const char *name)
{
    for (int i = 0; i < names->len; i++) {
        if (strcmp(names->at[i].name, name) == 0)
            return i;
    }
    return -1;
}

static void copy_arguments(Cli *c, Call *to, const Call *from)
{
    int n = from->args.count;

    to->args.args = NEW_N(c->arena, tilec_arg, n + 1);
    memcpy(to->args.args, from->args.args, sizeof *to->args.args * (size_t)n);
    to->args.names.at = NEW_N(c->arena, Named, from->args.names.len + 1);
    memcpy(to->args.names.at, from->args.names.at,
           sizeof *to->args.names.at * (size_t)from->args.names.len);
}

/* False: it is no whole number above 0. */
static bool make_other(const Call *k, const char *name, int factor, Other *out)
{
    Cli *c = k->cli;
    int i = find_name(&k->args.names, name), at = 0;
    const Const *now = i >= 0 ? &k->args.names.at[i].value : NULL;

    if (!now || now->kind != CONST_INT || now->integer < 1 || now->integer > INT32_MAX / factor)
        return false;
    *out = (Other){*k, name, (int64_t)now->integer * factor, factor};
    copy_arguments(c, &out->call, k);
    out->call.args.names.at[i].value = const_int(out->value);
    for (; at < k->args.count && strcmp(k->args.args[at].name, name) != 0; at++)
        continue;
    out->call.args.count = MAX(k->args.count, at + 1);
    out->call.args.args[at] =
        (tilec_arg){.name = name, .kind = TILEC_ARG_INT, .integer = out->value};
    return true;
}

static double programs(const Call *k)
{
    return (double)k->timing.grid[0] * k->timing.grid[1] * k->timing.grid[2];
}

/* Do rounds of a loop become fewer, so that the work stays what it is? */
static bool has_same_work(const Call *k, const Other *o)
{
    const tilec_stats *now = &k->timing.stats;
    tilec_stats then;

    if (tilec_launch_stats(k->cli->file, k->options.kernel, o->call.timing.grid, o->call.args.args,
                           o->call.args.count, &k->options.launch, &then, NULL) != TILEC_OK)
        return false;
    return now->flops + now->int_ops > 0 && then.flops >= 0 &&
           then.flops + then.int_ops <= some_more * (now->flops + now->int_ops);
}

static bool is_cure(Cli *c, const Call *k, Other *o)
{
    int row, vector;

    if (is_hinted(k, o->call.args.args, o->call.args.count, &row, &vector) ||
        !cli_attempt(c, call_evaluate_grid, &o->call))
        return false;
    double then = programs(&o->call), now = programs(k);
    return then < now ? then * o->factor <= far_less * now : then == now && has_same_work(k, o);
}

/* Only its tiles grow with it. */
static bool is_block(const Guess *g, int param)
{
    const GuessedParam *p = param < g->n ? &g->at[param] : NULL;

    return p && p->is_extent && !p->is_unrolled && !p->is_rounds;
}

static Guess guess_of_call(const Call *k)
{
    const Functions all = functions_once_read(&k->cli->client, k->options.file);
    const FileFunction *f = functions_find(&all, k->options.kernel);
    Guess none = {0};

    return f ? guess_kernel(&k->cli->client, &all, &f->syntax) : none;
}

/* A block that cures it, into *out. */
static bool find_cure(const Call *k, int factor, int ops, Other *out)
{
    const Guess guess = guess_of_call(k);
    int left = MOST_OPS - ops;
    tilec_param p;

    for (int i = 0; tilec_param_info(k->cli->file, k->options.kernel, i, &p) == TILEC_OK; i++) {
        if (!p.is_constexpr || !is_block(&guess, i) || !make_other(k, p.name, factor, out))
            continue;
        int then = count_ops(k, out->call.args.args, out->call.args.count);

        left -= then;
        if (left < 0)
            return false;
        if (then <= some_more * ops && is_cure(k->cli, k, out))
            return true;
    }
    return false;
}

const char *shape_hint(const Call *k)
{
    Call quiet = *k;
    int row, vector, ops, factor = 1;
    Other o;

    quiet.options.launch.on_message = NULL;
    if (strcmp(k->timing.device, "cpu") != 0)
        return NULL;
    ops = count_ops(&quiet, k->args.args, k->args.count);
    if (ops > MOST_OPS || !is_hinted(&quiet, k->args.args, k->args.count, &row, &vector))
        return NULL;
    while (row * factor < VECTORS * vector)
        factor *= 2;
    if (!find_cure(&quiet, factor, ops, &o))
        return NULL;
    return arena_printf(k->cli->arena,
                        "tiles have rows of %d element%s for vectors of %d: %s=%lld should take "
                        "less than half the time (docs/block-sizes.md)",
                        row, row == 1 ? "" : "s", vector, o.name, (long long)o.value);
}
