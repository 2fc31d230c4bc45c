/*
 * tuning_check.c - what @triton.autotune and @triton.heuristics say in vain (R340-R346)
 *
 * Python finds out when the kernel is launched, or never: names of parameters that the kernel does
 * not have, and decorators in the wrong order.  Here they are warnings of each compile.
 */
#include <string.h>

#include "decorators.h"
#include "messages.h"

typedef struct {
    const FrontFile *file;
    const AstFunc *fn;
    VEC(FrontWarning) found;
} Check;

/* What configurations may say that is no parameter: options of launches, on any target. */
static bool is_option(const char *name)
{
    static const char *const options[] = {"num_warps",
                                          "num_stages",
                                          "num_ctas",
                                          "maxnreg",
                                          "pre_hook",
                                          "ir_override",
                                          "matrix_instr_nonkdim",
                                          "kpack",
                                          "waves_per_eu",
                                          "schedule_hint",
                                          "minRegAutoWS",
                                          "maxRegAutoWS",
                                          "debug",
                                          "sanitize_overflow",
                                          "num_buffers_warp_spec",
                                          "num_consumer_groups",
                                          "reg_dec_producer",
                                          "reg_inc_consumer",
                                          "enable_fp_fusion",
                                          "launch_cooperative_grid",
                                          "launch_pdl",
                                          "cluster_dims"};

    for (int i = 0; i < COUNT(options); i++) {
        if (strcmp(options[i], name) == 0)
            return true;
    }
    return strcmp(name, "**") == 0; /* what cannot be read */
}

static bool is_param(const AstFunc *fn, const char *name)
{
    for (int i = 0; i < fn->nparams; i++) {
        if (strcmp(fn->params[i].name, name) == 0)
            return true;
    }
    return false;
}

static const char *hint_of_params(const Check *c, const char *name)
{
    const AstFunc *fn = c->fn;
    const char **names = NEW_N(c->file->arena, const char *, fn->nparams + 1);
    Text list = text_new(c->file->arena);

    text_put(&list, "");
    for (int i = 0; i < fn->nparams; i++) {
        names[i] = fn->params[i].name;
        text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = near_name(name, names, fn->nparams);
    return near ? arena_printf(c->file->arena, H_PARAM_NEAR, near)
                : arena_printf(c->file->arena, H_PARAMS_ARE, list.s);
}

/* `format` takes the name and the kernel's. */
static void check_name(Check *c, Span at, const char *format, const char *name)
{
    const char *text;

    if (is_param(c->fn, name) || is_option(name))
        return;
    text = arena_printf(c->file->arena, format, name, c->fn->name);
    for (int i = 0; i < c->found.len; i++) {
        if (strcmp(c->found.at[i].text, text) == 0)
            return;
    }
    FrontWarning w = {at, text, hint_of_params(c, name)};
    vec_push(c->file->arena, &c->found, w);
}

static void check_tuner(Check *c, Span at, const FrontTuning *t)
{
    for (int i = 0; i < t->nconfigs; i++) {
        for (int k = 0; k < t->configs[i].nbindings; k++)
            check_name(c, at, W_TUNED_NO_PARAM, t->configs[i].bindings[k].name);
    }
    for (int i = 0; i < t->nkeys; i++)
        check_name(c, at, W_KEY_NO_PARAM, t->keys[i]);
}

static void check_heuristics(Check *c, Span at, const FrontTuning *t)
{
    for (int i = 0; i < t->nheuristics; i++)
        check_name(c, at, W_HEURISTIC_NO_PARAM, t->heuristics[i].name);
}

void tuning_check(const FrontFile *f, const AstFunc *fn, FrontTuning *t)
{
    Check c = {.file = f, .fn = fn};
    bool below_jit = false;

    for (int i = 0; i < fn->ndecorators; i++) {
        const Node *n = fn->decorators[i];

        below_jit |= decorator_at(f, n->span) == DECO_JIT;
        if (!tuning_is_decorator(f, n))
            continue;
        if (below_jit)
            vec_push(f->arena, &c.found, ((FrontWarning){n->span, W_JIT_ABOVE, H_JIT_ABOVE}));
        if (tuning_is_autotune(f, n))
            check_tuner(&c, n->span, t);
        else
            check_heuristics(&c, n->span, t);
    }
    t->warnings = c.found.at;
    t->nwarnings = c.found.len;
}
