/*
 * hint.c - which block size would make the rows of a timed kernel longer
 *
 * The plan of the code says where most of the work goes through rows that are too short for
 * vectors (gen/plan_hint.c).  That is worth a word where there is a cure: a constant of the kernel
 * which, some times as large, makes the rows long enough without making the work more, in as many
 * fewer programs or in fewer rounds of a loop.  Nothing is run for it, and of a kernel whose rows
 * are long nothing is compiled.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { VECTORS = 4 /* in a row that is long enough */ };
static const double some_more = 1.5, far_less = 2; /* times the work; times the programs wanted */

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
        !attempt(c, call_evaluate_grid, &o->call))
        return false;
    double then = programs(&o->call), now = programs(k);
    return then < now ? then * o->factor <= far_less * now : then == now && has_same_work(k, o);
}

const char *shape_hint(const Call *k)
{
    Cli *c = k->cli;
    Call quiet = *k;
    int row, vector, factor = 1;
    tilec_param p;
    Other o;

    quiet.options.launch.on_message = NULL;
    if (strcmp(k->timing.device, "cpu") != 0 ||
        !is_hinted(&quiet, k->args.args, k->args.count, &row, &vector))
        return NULL;
    while (row * factor < VECTORS * vector)
        factor *= 2;
    for (int i = 0; tilec_param_info(c->file, k->options.kernel, i, &p) == TILEC_OK; i++) {
        if (p.is_constexpr && make_other(&quiet, p.name, factor, &o) && is_cure(c, &quiet, &o))
            return arena_printf(c->arena,
                                "tiles have rows of %d element%s for vectors of %d: %s=%lld should "
                                "take less than half the time (docs/block-sizes.md)",
                                row, row == 1 ? "" : "s", vector, o.name, (long long)o.value);
    }
    return NULL;
}
