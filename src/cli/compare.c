/*
 * compare.c - `--compare`: are a call's arrays what they should be?
 *
 * The reference is a value, computed before the launch, when the arguments are still what they
 * were; or what another device makes of the same arguments.  For that the kernel runs there first,
 * on the arrays of the call itself, whose contents are put back behind it.  An element is right
 * when |got - want| <= atol + rtol * |want|; a NaN is right where a NaN is wanted.  Where devices
 * agree in nothing but NaN, as about what nobody wrote before the kernel read it, there is a
 * warning.
 */
#include "call.h"

#include <stdlib.h>
#include <string.h>

/* --- tolerances --- */

static double tolerance(Call *k, const char *name, const char *text)
{
    Const v = value_parse(&k->cli->store, &k->args.names, name, text);
    double out = v.kind == CONST_INT ? (double)v.integer : v.real;

    if ((v.kind != CONST_INT && v.kind != CONST_FLOAT) || !(out >= 0))
        cli_stop(k->cli, CLI_USAGE, "%s must be a number of 0 or more, not %s", name, text);
    return out;
}

static void set_tolerances(Call *k, const CompareText *t, Comparison *m)
{
    m->is = difference_usual(m->got, &m->want);
    m->is.wants_units = m->is_wide;
    if (t->rtol) {
        m->is.rtol = tolerance(k, "--compare: rtol", t->rtol);
        m->is.atol = difference_atol(m->is.rtol, &m->want);
    }
    if (t->atol)
        m->is.atol = tolerance(k, "--compare: atol", t->atol);
}

/* --- references --- */

static Array copy_of(Cli *c, const Array *a)
{
    Array out = array_new(&c->store, a->dtype, a->ndim, a->shape);

    array_copy_dense(a, out.data);
    return out;
}

/* An array of one number, in the shape of another. */
static Array number_in_shape(Cli *c, const Const *v, const Array *like)
{
    bool is_float = v->kind == CONST_FLOAT;
    Array one = array_new(&c->store, is_float ? TILEC_FP64 : TILEC_I64, like->ndim, like->shape);

    if (is_float)
        array_fill(&one, v->real);
    else
        array_fill_int(&one, (uint64_t)v->integer);
    return one;
}

static void take_value(Call *k, Comparison *m)
{
    Cli *c = k->cli;
    const char *label = arena_printf(c->arena, "--compare %s", m->name);

    if (*m->with == '=')
        cli_stop(c, CLI_USAGE, "%s=%s: one `=` stands between an array and what it should be",
                 label, m->with);
    Const v = value_parse(&c->store, &k->args.names, label, m->with);
    const Array *a = value_array(&v);

    if (!a && v.kind != CONST_FLOAT && !const_is_integral(&v))
        cli_stop(c, CLI_USAGE,
                 "%s: an array is compared with an array, a number or a device, not %s", label,
                 const_kind_name(&v));
    if (a && !array_has_shape_of(a, m->got))
        cli_stop(c, CLI_USAGE, "%s: its shape is %s, and that of %s is %s", label,
                 summary_shape(c->arena, m->got), m->with, summary_shape(c->arena, a));
    m->want = a ? copy_of(c, a) : number_in_shape(c, &v, m->got);
    m->is_changed = true;
}

static const char wide[] = "fp64"; /* what the interpreter gives with all floats as that */

/* The device that a text names, and which one of that name; false: none. */
static bool is_device(Cli *c, const char *text, const char **name, int *id)
{
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    tilec_device d;

    for (int i = 0; tilec_device_info(c->tilec, i, &d) == TILEC_OK; i++) {
        if (strlen(d.name) != n || memcmp(d.name, text, n) != 0)
            continue;
        *name = d.name;
        *id = colon ? atoi(colon + 1) : 0;
        return !colon || (colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0');
    }
    return false;
}

bool compare_device(Cli *c, const CompareText *t, const char **device, int *id)
{
    return strcmp(t->with, wide) != 0 && is_device(c, t->with, device, id);
}

static const char *near_device(Cli *c, const char *text)
{
    VEC(const char *) known = {0};
    tilec_device d;

    while (tilec_device_info(c->tilec, known.len, &d) == TILEC_OK)
        vec_push(c->arena, &known, d.name);
    return hint_text(c->arena, text, known.at, known.len);
}

void compare_check_devices(Cli *c, const char *names)
{
    char *error = NULL;

    if (names)
        cli_check(c, tilec_open(NULL, &c->tilec, &error), &error);
    for (const char *s = names; s && *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        const char *one = arena_strndup(c->arena, s, n), *name;
        int id;

        if (!is_device(c, one, &name, &id))
            cli_stop(c, CLI_USAGE, "--device: '%s' is no device%s", one, near_device(c, one));
        s += n;
    }
    if (names)
        tilec_close(c->tilec);
    c->tilec = NULL;
}

/* --- references by other devices --- */

/* The same call there, in silence, and nothing but it. */
static Call call_elsewhere(const Call *k, const char *device, int id, bool is_wide)
{
    Call other = *k;

    other.options.launch.wide_floats = is_wide;
    other.silent = true;
    other.options.launch.device = other.timing.device = device;
    other.options.launch.arch = NULL;
    other.options.launch.check = 0;
    other.options.device_id = id;
    other.options.count = other.options.time = other.options.profile = false;
    other.options.trace = NULL;
    other.kept = (KeptBlocks){0};
    return other;
}

static bool has_bytes_of(Cli *c, const Array *a, const Array *dense)
{
    Array copy = array_cast(&c->store, a, a->dtype);

    return memcmp(copy.data, dense->data, array_bytes(dense)) == 0;
}

/* For `n` comparisons. */
static void take_from_device(Call *k, Comparison *all, int n, const char *device, int id,
                             bool is_wide)
{
    Cli *c = k->cli;
    Call other = call_elsewhere(k, device, id, is_wide);
    int kept;

    for (int i = 0; i < n; i++) {
        all[i].want = array_new(&c->store, all[i].got->dtype, all[i].got->ndim, all[i].got->shape);
        all[i].is_of_device = true;
        all[i].is_wide = is_wide;
    }
    kept = c->store.blocks.len;
    fresh_copy(&other, k->end_block);
    call_launch(&other);
    move_release(c, k->first_block);
    for (int i = 0; i < n; i++)
        array_copy_dense(all[i].got, all[i].want.data);
    fresh_restore(&other, &other.kept);
    for (int i = 0; i < n; i++)
        all[i].is_changed = !has_bytes_of(c, all[i].got, &all[i].want);
    array_free_from(&c->store, kept);
}

/* One for the array of the text, or for each argument that is one. */
static void add_comparisons(Call *k, const CompareText *t, Comparisons *out)
{
    Cli *c = k->cli;
    Comparison m = {.name = t->name, .with = t->with, .is_named = t->name != NULL};

    if (t->name) {
        m.got = outputs_find(c, &k->args.names, "--compare", t->name);
        vec_push(c->arena, out, m);
        return;
    }
    for (int i = 0; i < k->args.names.len; i++) {
        m.name = k->args.names.at[i].name;
        m.got = value_array(&k->args.names.at[i].value);
        if (m.got)
            vec_push(c->arena, out, m);
    }
}

Comparisons compare_prepare(Call *k)
{
    Cli *c = k->cli;
    const Options *o = &k->options;
    Comparisons out = {0};
    int id;
    const char *device;

    for (int i = 0; i < o->compares.len; i++) {
        const CompareText *t = &o->compares.at[i];
        int from = out.len;

        c->client.origin = t->origin;
        add_comparisons(k, t, &out);
        bool is_wide = strcmp(t->with, wide) == 0;
        if (is_wide || is_device(c, t->with, &device, &id)) {
            c->client.origin = NULL; /* what goes wrong there is no mistake of the line */
            take_from_device(k, out.at + from, out.len - from, is_wide ? "interp" : device,
                             is_wide ? 0 : id, is_wide);
        } else if (t->name) {
            take_value(k, &out.at[from]);
        } else {
            cli_stop(c, CLI_USAGE,
                     "--compare needs NAME=VALUE, a device or fp64; '%s' is no device%s%s%s",
                     t->with, near_device(c, t->with),
                     strpbrk(t->with, "@.([")
                         ? "\nhint: which array should be that? --compare NAME="
                         : "",
                     strpbrk(t->with, "@.([") ? t->with : "");
        }
        c->client.origin = t->origin;
        for (int m = from; m < out.len; m++)
            set_tolerances(k, t, &out.at[m]);
        if (out.len > from)
            out.at[out.len - 1].is_last = true;
    }
    c->client.origin = NULL;
    return out;
}

/* --- references by other calls --- */

/* What a call has made of its array `now`; is it changed? */
static bool is_changed(Cli *c, const Array *now, const Array *made, const KeptBlocks *before)
{
    for (int i = 0; i < before->len; i++) {
        const KeptBlock *kept = &before->at[i];
        const Storage *s = &c->store.blocks.at[kept->block];
        Array old = *now;

        if (kept->block != array_block(&c->store, now->data))
            continue;
        old.data = (char *)kept->copy + ((char *)now->data - (char *)s->memory);
        return !has_bytes_of(c, &old, made);
    }
    return true;
}

Comparisons compare_with_call(Call *k, const Call *other, const CompareText *t,
                              const KeptBlocks *before)
{
    Cli *c = k->cli;
    Comparisons all = {0}, out = {0};

    add_comparisons(k, t, &all);
    for (int i = 0; i < all.len; i++) {
        Comparison m = all.at[i];
        const Named *theirs = args_value(&other->args.names, m.name);
        const Array *a = theirs ? value_array(&theirs->value) : NULL;

        if (!a)
            continue;
        if (!array_has_shape_of(a, m.got)) {
            cli_warn(c, "'%s' is not compared: its shape is %s, and %s in %s", m.name,
                     summary_shape(c->arena, m.got), summary_shape(c->arena, a), t->with);
            continue;
        }
        m.want = copy_of(c, a);
        m.is_of_device = true;
        m.is_changed = is_changed(c, a, &m.want, before);
        set_tolerances(k, t, &m);
        vec_push(c->arena, &out, m);
    }
    if (out.len > 0)
        out.at[out.len - 1].is_last = true;
    return out;
}

/* --- comparing --- */

/* Integers that were rounded from floats, and lie on the edge between two: a few of many that are
 * one apart say nothing of the kernel. */
static bool is_on_edges(const Comparison *m)
{
    const Difference *d = &m->is;

    return m->is_wide && d->rtol == 0 && d->atol == 0 && d->max_abs <= 1 &&
           dtype_is_int((DType)m->got->dtype) && d->wrong * 100 <= array_numel(m->got);
}

bool compare_finish(Call *k, Comparisons *all)
{
    bool right = true;

    for (int i = 0; i < all->len; i++) {
        Comparison *m = &all->at[i];

        difference_find(&k->cli->store, m->got, &m->want, &m->is);
        if (is_on_edges(m))
            m->is.wrong = 0;
        right &= m->is.wrong == 0;
    }
    return right;
}

/* --- telling --- */

/* Nothing but NaN is in an array of results.  What nobody wrote is not told twice. */
static bool is_only_nan(const Call *k, const Comparison *m)
{
    const MaybeUnwritten *u = unwritten_array(k, m->name);

    if (!m->is_of_device || m->is.nans == 0 || m->is.nans < array_numel(m->got))
        return false;
    return u && u->count > 0 ? false : comparison_is_told(m) || (u && (u->uses & TILEC_STORES));
}

const char *compare_warning(const Call *k, const Comparisons *all)
{
    Text t = text_new(k->cli->arena);

    for (int i = 0; i < all->len; i++) {
        const Comparison *m = &all->at[i];

        if (!is_only_nan(k, m))
            continue;
        text_printf(&t, "%s%s: ", t.len ? "\n" : "", m->name);
        comparison_put_nans(&t, m);
        text_printf(&t,
                    ": that %s gives the same says nothing\n"
                    "hint: does the kernel read an array that nobody filled? `empty` makes it of "
                    "NaN; zeros(%s,%s) begins with 0",
                    m->with, tilec_dtype_name(m->got->dtype), summary_shape(k->cli->arena, m->got));
    }
    return t.len ? t.s : NULL;
}
