/*
 * proof.c - `tilec grad --check`: are the derived gradients those of the call?
 *
 * The kernel is derived for the types of the call.  Then the call's arrays of floats become ones of
 * fp64 with the same values and strides, and both kernels compute all floats as that.  The forward
 * runs, the derived kernel fills the gradients of a random weighting of what is differentiated, and
 * src/slope compares them with differences of the forward, which runs again and again.  The first
 * run of each looks at all accesses, and for races where the device can.
 */
#include "proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- columns --- */

static int64_t count_of(const tilec_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

static Column column_of(Cli *c, tilec_arg *arg, const char *name)
{
    const tilec_tensor *t = &arg->tensor;
    int64_t index[ARRAY_MAX_DIMS] = {0};
    Column out = {.name = name, .arg = arg, .n = count_of(t), .elements = t->data};

    out.block = array_block(&c->store, t->data);
    out.at = NEW_N(c->arena, int64_t, out.n + 1);
    for (int64_t k = 0; k < out.n; k++) {
        for (int d = 0; d < t->ndim; d++)
            out.at[k] += index[d] * t->strides[d];
        for (int d = t->ndim - 1; d >= 0 && ++index[d] == t->shape[d]; d--)
            index[d] = 0;
    }
    return out;
}

static void take(const Column *from, double *out)
{
    for (int64_t k = 0; k < from->n; k++)
        out[k] = from->elements[from->at[k]];
}

static void put(const Column *to, const double *values)
{
    for (int64_t k = 0; k < to->n; k++)
        to->elements[to->at[k]] = values[k];
}

/* The argument of that name, an array with elements. */
static Column array_called(Cli *c, const Arguments *a, const char *name)
{
    for (int i = 0; i < a->count; i++) {
        tilec_arg *arg = &a->args[i];

        if (strcmp(arg->name, name) != 0)
            continue;
        if (arg->kind != TILEC_ARG_TENSOR || arg->tensor.dtype != TILEC_FP64)
            cli_stop(c, CLI_USAGE, "--check: `%s` needs elements, as %s=randn(fp32,64)", name,
                     name);
        return column_of(c, arg, name);
    }
    cli_stop(c, CLI_USAGE, "--check: `%s` is not given", name);
}

/* An array of zeros for the gradient, laid as that of the forward is. */
static Column gradient_of(Cli *c, tilec_arg *out, const Column *like, const char *name)
{
    const Storage s = c->store.blocks.at[like->block];
    int64_t n = (int64_t)(s.bytes / sizeof(double));
    Array made = array_new(&c->store, TILEC_FP64, 1, &n);

    *out = *like->arg;
    out->name = name;
    out->tensor.data = (double *)made.data + (like->elements - (double *)s.memory);
    out->tensor.blank = 0;
    return column_of(c, out, name);
}

static double *elements_of(Cli *c, const Column *from)
{
    double *out = NEW_N(c->arena, double, from->n + 1);

    take(from, out);
    return out;
}

/* --- running --- */

static void run_forward(Proof *p)
{
    Call *k = &p->forward;

    k->options.launch.wide_floats = 2;
    k->options.launch.check = 1;
    call_launch(k);
    k->options.launch.check = 0; /* once is enough */
}

static void load_derived(const Proof *p)
{
    Cli *c = p->cli;
    const Options *o = &p->forward.options;
    const char *name = o->output ? o->output : arena_printf(c->arena, "%s.py", p->derived->kernel);
    const char *text = p->derived->text;
    char *error = NULL;

    cli_check(c, tilec_load(c->tilec, name, text, strlen(text), NULL, &c->file, &error), &error);
}

/* Random numbers where the derived kernel reads the gradient, which weigh what it is of; 0 for what
 * is no number. */
static void choose_weights(Proof *p, const Column *d_of)
{
    Array all = array_new(&p->cli->store, TILEC_FP64, 1, &d_of->n);
    const double *of = elements_of(p->cli, &p->of);

    array_randomise_normal(&all, 1);
    for (int64_t k = 0; k < d_of->n; k++) {
        if (!isfinite(of[k]))
            array_put(&all, k, 0);
    }
    put(d_of, all.data);
    p->weights = all.data;
}

/* A value that is a number of elements or rounds. */
static int64_t count_of_value(Cli *c, Const v, const char *name, const char *text)
{
    if (v.kind != CONST_INT || v.integer < 0 || v.integer > INT64_MAX)
        cli_stop(c, CLI_USAGE, "--check: %s: %s is no number of elements or rounds", name, text);
    return (int64_t)v.integer;
}

/* Behind the `=` where --rounds says it of this parameter, else NULL. */
static const char *said_of(const char *rounds, const char *name)
{
    size_t n = strlen(name);

    return strncmp(rounds, name, n) == 0 && rounds[n] == '=' ? rounds + n + 1 : NULL;
}

/* What --rounds says how many rounds there are at most; it may use the call's arguments. */
static int64_t rounds_of(const Proof *p, const char *name)
{
    const Options *o = &p->forward.options;

    for (int i = 0; i < o->rounds.len; i++) {
        const char *text = said_of(o->rounds.at[i], name);
        if (text)
            return count_of_value(p->cli,
                                  value_parse(&p->cli->store, &p->forward.args.names, name, text),
                                  name, text);
    }
    cli_stop(p->cli, CLI_USAGE,
             "--check: how many rounds a loop makes at most depends on data: say it by "
             "--rounds %s=N",
             name);
}

/* Each is of a parameter that the derived kernel has. */
static void check_rounds(const Proof *p)
{
    const Options *o = &p->forward.options;

    for (int i = 0; i < o->rounds.len; i++) {
        bool known = false;
        for (int k = 0; k < p->derived->nsizes && !known; k++)
            known =
                !p->derived->sizes[k].array && said_of(o->rounds.at[i], p->derived->sizes[k].name);
        if (!known)
            cli_stop(p->cli, CLI_USAGE,
                     "--rounds %s: the derived kernel has no such number of rounds",
                     o->rounds.at[i]);
    }
}

/* How many elements of the array there are from its pointer on, or rounds of a loop. */
static int64_t size_of(const Proof *p, const tilec_gradient_size *size)
{
    if (!size->array)
        return rounds_of(p, size->name);
    for (int i = 0; i < p->nwrt; i++) {
        const Column *x = &p->wrt[i].x;
        int64_t last = 0;

        for (int64_t k = 0; k < x->n; k++)
            last = MAX(last, x->at[k]);
        if (strcmp(x->name, size->array) == 0)
            return last + 1;
    }
    bug("the size of an array that gradients are not of");
}

/* What the derived kernel's data has an expression for. */
static Const value_in(const Proof *p, const char *name, const char *text)
{
    Cli *c = p->cli;
    const int32_t *grid = p->forward.timing.grid;
    Names names = p->forward.args.names;
    Named extents = {.name = "grid"};

    extents.value =
        value_parse(&c->store, &names, "grid",
                    arena_printf(c->arena, "(%d,%d,%d)", (int)grid[0], (int)grid[1], (int)grid[2]));
    names.at = memcpy(NEW_N(c->arena, Named, names.len + p->derived->nsizes + 1), names.at,
                      sizeof *names.at * (size_t)names.len);
    names.at[names.len++] = extents;
    for (int i = 0; i < p->derived->nsizes; i++) {
        const tilec_gradient_size *size = &p->derived->sizes[i];
        names.at[names.len++] = (Named){.name = size->name, .value = const_int(size_of(p, size))};
    }
    names.cap = names.len;
    return value_parse(&c->store, &names, name, text);
}

static int64_t number_of(const Proof *p, const char *name, const char *text)
{
    return count_of_value(p->cli, value_in(p, name, text), name, text);
}

/* None for a loop that ends before it begins, whose rounds are less. */
static int64_t elements_in(const Proof *p, const tilec_workspace *w)
{
    const Const v = value_in(p, w->name, w->count);

    return v.kind == CONST_INT && v.integer < 0 ? 0 : number_of(p, w->name, w->count);
}

static bool is_met(const Proof *p, const tilec_gradient_need *need)
{
    const Const holds = value_in(p, need->array, need->text);

    return holds.kind == CONST_BOOL && holds.integer;
}

/* Of which arrays something is taken for granted that is not so, as tilec_launch_options.atomics
 * has it: each is told once.  0: none that was not derived so already. */
static int unmet(const Proof *p, const GradNames *wrt, int so_far)
{
    int bits = so_far;

    for (int i = 0; i < p->derived->nneeds; i++) {
        const tilec_gradient_need *need = &p->derived->needs[i];
        if (is_met(p, need))
            continue;
        for (int k = 0; k < wrt->len; k++) {
            const int bit = strcmp(wrt->at[k], need->array) == 0 ? TILEC_ATOMICS_OF(k) : 0;
            if (bit & ~bits)
                fprintf(stderr, "tilec: note: not %s, so that d_%s is derived with --atomics\n",
                        need->text, need->array);
            bits |= bit;
        }
    }
    return bits & ~so_far;
}

/* With atomics nothing is taken for granted of an array that it is differentiated by.  `given`: the
 * call's arguments. */
static void meet_needs(Proof *p, const GradNames *wrt, const Arguments *given)
{
    Cli *c = p->cli;
    Options o = p->forward.options;

    o.launch.wide_floats = 0; /* as the first one */
    for (int more; (more = unmet(p, wrt, o.launch.atomics)) != 0;) {
        o.launch.atomics |= more;
        p->derived = grad_derived(c, &o, wrt, given);
    }
    for (int i = 0; i < p->derived->nneeds; i++) {
        const tilec_gradient_need *need = &p->derived->needs[i];
        if (!is_met(p, need))
            cli_stop(c, CLI_REFUSED, "--check: elements of `%s` are stored twice, as not %s",
                     need->array, need->text);
    }
}

/* Floats are computed as fp64, and kept as that. */
static void add_array(Cli *c, Arguments *a, const tilec_workspace *w, int64_t n)
{
    int64_t *shape = NEW_N(c->arena, int64_t, 2);
    tilec_dtype dtype = w->dtype >= TILEC_FP8E4NV ? TILEC_FP64 : w->dtype;
    Array made = array_new(&c->store, dtype, 1, &n);

    if (!w->is_zero) /* what is read before it is written shows */
        memset(made.data, array_unwritten_byte(dtype), array_bytes(&made));
    shape[0] = n;
    shape[1] = 1;
    a->args[a->count++] = (tilec_arg){
        .name = w->name,
        .kind = TILEC_ARG_TENSOR,
        .tensor = {
            .data = made.data, .dtype = dtype, .ndim = 1, .shape = shape, .strides = shape + 1}};
}

static void add_number(Arguments *a, const char *name, int64_t n)
{
    a->args[a->count++] = (tilec_arg){.name = name, .kind = TILEC_ARG_INT, .integer = n};
}

/* What the launch allocates, and the numbers that it says. */
static void add_workspaces(const Proof *p, Arguments *a)
{
    const tilec_derived *d = p->derived;

    for (int i = 0; i < d->nworkspaces; i++)
        add_array(p->cli, a, &d->workspaces[i], elements_in(p, &d->workspaces[i]));
    for (int i = 0; i < d->nsizes; i++)
        add_number(a, d->sizes[i].name, number_of(p, d->sizes[i].name, d->sizes[i].name));
    for (int i = 0; i < d->nprograms; i++)
        add_number(a, d->programs[i].name, number_of(p, d->programs[i].name, d->programs[i].text));
}

static const tilec_arg *arg_called(const Arguments *a, const char *name)
{
    for (int i = 0; i < a->count; i++) {
        if (strcmp(a->args[i].name, name) == 0)
            return &a->args[i];
    }
    bug("an argument that was not added");
}

/* The second kernel, for each array whose parts were stored. */
static void run_sums(Proof *p, const Arguments *totals)
{
    Cli *c = p->cli;

    for (int i = 0; i < p->derived->nsums; i++) {
        const tilec_partial_sum *s = &p->derived->sums[i];
        Call k = p->backward;
        int64_t width = number_of(p, s->parts, s->width);

        k.args.args = NEW_N(c->arena, tilec_arg, 6);
        k.args.count = 0;
        k.args.args[k.args.count++] = *arg_called(totals, s->total);
        k.args.args[k.args.count++] = *arg_called(&p->backward.args, s->parts);
        k.args.args[0].name = "total";
        k.args.args[1].name = "parts";
        add_number(&k.args, "n_parts", number_of(p, s->parts, s->rows));
        add_number(&k.args, "size", width);
        add_number(&k.args, "ROWS", 16);
        add_number(&k.args, "BLOCK", 128);
        k.options.kernel = arena_printf(c->arena, "%s_sum", p->derived->kernel);
        k.timing.grid[0] = (int32_t)((width + 127) / 128);
        k.timing.grid[1] = k.timing.grid[2] = 1;
        call_launch(&k);
    }
}

/* Does the derived kernel read it as the forward left it? */
static bool is_saved_array(const tilec_derived *d, const char *name)
{
    bool found = false;

    for (int i = 0; i < d->nsaved; i++)
        found |= strcmp(d->saved[i], name) == 0;
    return found;
}

static bool is_saved(const Proof *p, int block)
{
    const Arguments *a = &p->forward.args;
    bool found = false;

    for (int i = 0; i < a->count; i++)
        found |= is_saved_array(p->derived, a->args[i].name) &&
                 array_block(&p->cli->store, a->args[i].tensor.data) == block;
    return found;
}

/* --- kernels that do what the forward does, too --- */

static KeptBlocks left_by_forward(const Proof *p)
{
    const Arguments *a = &p->forward.args;
    KeptBlocks all = {0};

    for (int i = 0; i < a->count && p->forward.options.launch.fused; i++) {
        int block = a->args[i].kind == TILEC_ARG_TENSOR
                        ? array_block(&p->cli->store, a->args[i].tensor.data)
                        : -1;
        if (block >= 0)
            vec_push(p->cli->arena, &all, fresh_copy_of(p->cli, block));
    }
    return all;
}

/* The same but for what sums in another order give, and literals that are written as fp32. */
static bool is_near(double x, double y)
{
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-6 * MAX(fabs(y), 1);
}

static void check_left(const Proof *p, const KeptBlock *left, const tilec_arg *arg)
{
    const Storage *s = &p->cli->store.blocks.at[left->block];
    const double *now = s->memory, *before = left->copy;
    const bool is_wide = arg->tensor.dtype == TILEC_FP64;
    bool same = is_wide || memcmp(s->memory, left->copy, s->bytes) == 0;

    for (size_t i = 0; is_wide && i < s->bytes / sizeof(double) && same; i++)
        same = is_near(now[i], before[i]);
    if (!same)
        cli_stop(p->cli, CLI_REFUSED,
                 "--check: what %s stores to `%s` is not what the forward does", p->derived->kernel,
                 arg->name);
}

static void compare_left(const Proof *p, const KeptBlocks *left)
{
    const Arguments *a = &p->forward.args;

    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < left->len && a->args[i].kind == TILEC_ARG_TENSOR; k++) {
            if (array_block(&p->cli->store, a->args[i].tensor.data) == left->at[k].block)
                check_left(p, &left->at[k], &a->args[i]);
        }
    }
}

/* The derived kernel finds what the forward has found, and what it left to it. */
static void begin_again(const Proof *p)
{
    KeptBlocks others = {0};

    for (int i = 0; i < p->begun.len; i++) {
        const KeptBlock *kept = &p->begun.at[i];
        if (is_saved(p, kept->block))
            continue;
        vec_push(p->cli->arena, &others, *kept);
        const Storage *s = &p->cli->store.blocks.at[kept->block];
        memcpy(s->memory, kept->copy, s->bytes);
    }
    fresh_restore(&p->forward, &others);
}

static void run_backward(Proof *p)
{
    Cli *c = p->cli;
    Call *k = &p->backward;
    tilec_file *forward = c->file;
    const tilec_derived *d = p->derived;
    int n = p->forward.args.count;
    Arguments totals = {.args = NEW_N(c->arena, tilec_arg, p->nwrt + 1)};
    Column *gradients = NEW_N(c->arena, Column, p->nwrt);

    *k = p->forward;
    k->args.args =
        NEW_N(c->arena, tilec_arg, n + p->nwrt + d->nworkspaces + d->nsizes + d->nprograms + 1);
    memcpy(k->args.args, p->forward.args.args, sizeof *k->args.args * (size_t)n);
    k->args.count = n + 1;
    for (int i = 0; i < n; i++) {
        tilec_arg *arg = &k->args.args[i];
        arg->tensor.blank &= !is_saved_array(d, arg->name);
        if (arg->kind == TILEC_ARG_FUNCTION) /* it is inlined, and not in the derived file */
            *arg = (tilec_arg){.name = arg->name, .kind = TILEC_ARG_NONE};
    }
    Column d_of = gradient_of(c, &k->args.args[n], &p->of, d->gradients[0].gradient);
    choose_weights(p, &d_of);
    for (int i = 0; i < p->nwrt; i++) {
        Arguments *to = d->gradients[i + 1].fill == TILEC_GRADIENT_PARTS ? &totals : &k->args;
        gradients[i] =
            gradient_of(c, &to->args[to->count++], &p->wrt[i].x, d->gradients[i + 1].gradient);
        if (strcmp(d->gradients[i + 1].array, d->gradients[0].array) == 0) /* what is not touched */
            put(&gradients[i], p->weights);
    }
    add_workspaces(p, &k->args);
    for (int i = 0; i < 3; i++)
        k->timing.grid[i] = (int32_t)number_of(p, "grid", d->grid[i]);
    const KeptBlocks left = left_by_forward(p);
    begin_again(p);
    k->options.kernel = d->kernel;
    k->options.launch.check = 1;
    load_derived(p);
    call_launch(k);
    compare_left(p, &left);
    run_sums(p, &totals);
    for (int i = 0; i < p->nwrt; i++)
        p->wrt[i].claimed = elements_of(c, &gradients[i]);
    tilec_unload(c->file);
    c->file = forward;
}

/* The numbers that src/slope moves, and the column that they are of. */
typedef struct {
    Proof *proof;
    const Column *column;
    double *x;
} Moving;

static void set(const Proof *p, const Column *column, const double *values)
{
    const Call *k = &p->forward;
    const KeptBlock block = {column->block, p->cli->store.blocks.at[column->block].memory};

    put(column, values);
    if (k->there != k->args.args)
        fresh_put(k, &block);
}

/* The forward once more. */
static void evaluate(void *moving, double *out)
{
    const Moving *m = moving;
    Call *k = &m->proof->forward;
    bool is_elsewhere = k->there != k->args.args;

    fresh_restore(k, &m->proof->begun);
    set(m->proof, m->column, m->x);
    call_again(k);
    if (is_elsewhere)
        move_back(k);
    take(&m->proof->of, out);
}

/* What the call gives, of arrays that the kernel changes. */
static void hold_as_given(const Proof *p)
{
    for (int i = 0; i < p->begun.len; i++) {
        const Storage *s = &p->cli->store.blocks.at[p->begun.at[i].block];
        memcpy(s->memory, p->begun.at[i].copy, s->bytes);
    }
}

static void compare(Proof *p, Proven *with)
{
    hold_as_given(p);
    Moving moving = {p, &with->x, elements_of(p->cli, &with->x)};
    const SlopeTask task = {.n = with->x.n,
                            .nout = p->of.n,
                            .x = moving.x,
                            .claimed = with->claimed,
                            .weights = p->weights,
                            .evaluate = evaluate,
                            .context = &moving,
                            .seed = 1};

    with->report = slope_check(&task, p->cli->arena);
    evaluate(&moving, NEW_N(p->cli->arena, double, p->of.n + 1)); /* x as it was, everywhere */
}

/* --- the whole --- */

static void find_columns(Proof *p, const char *of, const GradNames *wrt)
{
    const Arguments *a = &p->forward.args;

    p->of = array_called(p->cli, a, of);
    p->nwrt = wrt->len;
    p->wrt = NEW_N(p->cli->arena, Proven, wrt->len);
    for (int i = 0; i < wrt->len; i++) {
        p->wrt[i].x = array_called(p->cli, a, wrt->at[i]);
        if (p->wrt[i].x.arg->tensor.blank)
            cli_stop(p->cli, CLI_USAGE, "--check: `%s` needs values, and `empty` has none",
                     wrt->at[i]);
    }
}

const tilec_derived *proof_run(Cli *c, const Options *o, const GradNames *wrt)
{
    Proof p = {.cli = c};
    Call *k = &p.forward;

    call_init(k, c, o);
    k->silent = true;
    call_open(k);
    call_evaluate(k);
    const int32_t *grid = k->timing.grid;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
        cli_stop(k->cli, CLI_USAGE,
                 "--check: the grid %dx%dx%d has no programs: no gradient is computed", grid[0],
                 grid[1], grid[2]);
    p.derived = grad_derived(c, &k->options, wrt, &k->args);
    check_rounds(&p);
    const Arguments given = k->args;
    args_widen(c, &k->args);
    k->end_block = c->store.blocks.len;
    find_columns(&p, o->of, wrt);
    for (int i = k->first_block; i < k->end_block; i++)
        vec_push(c->arena, &p.begun, fresh_copy_of(c, i));
    run_forward(&p);
    meet_needs(&p, wrt, &given);
    run_backward(&p);
    for (int i = 0; i < p.nwrt; i++)
        compare(&p, &p.wrt[i]);
    proof_tell(&p);
    call_close(k);
    return p.derived;
}
