/*
 * lower.c - from a parsed file and argument types to a module of IR
 *
 * One IR function per instance: the kernel, and each helper per distinct list of argument types
 * and constants, reached through `call` ops (semantics R141).  opt_inline takes the calls away.
 * Read lower.h first.
 */
#include "lower.h"

/* --- messages --- */

/* "called from here" for each caller, the innermost first, a few at most. */
static void put_callers(Lower *l)
{
    int shown = 0;

    for (const Frame *f = l->frame; f && f->caller && shown < MOST_CALLS_SHOWN;
         f = f->caller, shown++)
        diag_call(l->diags, f->call, f->fn->name);
}

int error_count(const Lower *l)
{
    return l->quiet ? l->quiet_errors : diag_errors(l->diags);
}

void error_at(Lower *l, Span span, const char *fmt, ...)
{
    va_list ap;

    if (l->quiet) {
        l->quiet_errors++;
        return;
    }
    va_start(ap, fmt);
    diag_v(l->diags, DIAG_ERROR, span, fmt, ap);
    va_end(ap);
    put_callers(l);
}

bool hints_show(const Lower *l)
{
    return l->quiet == 0 && diag_kept(l->diags);
}

void hint_at(Lower *l, const char *fmt, ...)
{
    va_list ap;

    if (l->quiet)
        return;
    va_start(ap, fmt);
    diag_v(l->diags, DIAG_HINT, (Span){0}, fmt, ap);
    va_end(ap);
}

void note_at(Lower *l, Span span, const char *fmt, ...)
{
    va_list ap;

    if (l->quiet)
        return;
    va_start(ap, fmt);
    diag_v(l->diags, DIAG_NOTE, span, fmt, ap);
    va_end(ap);
}

void warn_at(Lower *l, Span span, const char *fmt, ...)
{
    va_list ap;

    if (l->quiet)
        return;
    va_start(ap, fmt);
    diag_v(l->diags, DIAG_WARNING, span, fmt, ap);
    va_end(ap);
}

void print_at(Lower *l, Span span, const char *text)
{
    if (!l->quiet)
        diag(l->diags, DIAG_PRINT, span, "%s", text);
}

/* --- instances --- */

/* Numbers that are called differently are of different instances, for those who read them. */
static void put_symbol(Text *t, const Symbol *s)
{
    if (s)
        symbol_put_label(t, s);
    text_put(t, ",");
}

static void put_key(Lower *l, Text *t, Val v)
{
    switch (v.kind) {
    case VAL_CONST:
        text_printf(t, "c%d%s,", v.c->kind, const_text(v.c, l->arena));
        put_symbol(t, v.c->symbol);
        if (v.c->kind > CONST_TUPLE) /* no text tells functions and lambdas apart */
            text_printf(t, "%p", v.c->object);
        return;
    case VAL_RUN:
        text_printf(t, "r%p,", (const void *)v.run->type);
        for (int d = 0; v.run->extents && d < v.run->type->rank; d++)
            put_symbol(t, v.run->extents[d]);
        return;
    case VAL_TUPLE:
        text_printf(t, "(%p", (const void *)v.tuple->class);
        for (int i = 0; v.tuple->fields && i < v.tuple->n; i++)
            text_printf(t, "%s:", v.tuple->fields[i]);
        for (int i = 0; i < v.tuple->n; i++)
            put_key(l, t, v.tuple->items[i]);
        text_put(t, ")");
        return;
    case VAL_METHOD:
        text_printf(t, "m%s%p", v.method->name, (const void *)v.method->func);
        put_key(l, t, v.method->self);
        return;
    default:
        text_printf(t, "p%d:%p,", v.kind, (const void *)v.c);
    }
}

static uint64_t instance_key(Lower *l, const AstFunc *fn, const Val *args)
{
    Text t = text_new(l->arena);

    text_printf(&t, "%p %d:", (const void *)fn, l->finds_overflow);
    for (int i = 0; i < fn->nparams; i++)
        put_key(l, &t, args[i]);
    return MAP_KEY(intern_n(l->keys, t.s, t.len));
}

Sym lower_function_name(Lower *l, Sym wanted)
{
    intptr_t n = (intptr_t)map_get(l->names, MAP_KEY(wanted));
    Sym name = wanted;

    do {
        if (++n > 1)
            name = intern(l->interner, arena_printf(l->arena, "%s__%ld", wanted, (long)n));
    } while (n > 1 && map_get(l->names, MAP_KEY(name)));
    map_put(l->names, MAP_KEY(name), (void *)1);
    map_put(l->names, MAP_KEY(wanted), (void *)n);
    return name;
}

static void name_values(Lower *l, Sym name, Value *const *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i]->name = i == 0 ? name : intern(l->interner, arena_printf(l->arena, "%s_%d", name, i));
}

/* The parameters of the function for one argument of a helper, and the value inside. */
static Val add_params(Lower *l, Func *f, Sym name, Val arg)
{
    Values given = {0}, inside = {0};

    val_flatten(l, arg, &given);
    for (int i = 0; i < given.len; i++) {
        Value *v = func_add_param(f, name, given.at[i]->type, 0);
        value_shaped_like(l->module, v, given.at[i]);
        vec_push(l->arena, &inside, v);
    }
    name_values(l, name, inside.at, inside.len);
    for (int i = 0; i < inside.len; i++)
        f->params[f->nparams - inside.len + i].name = inside.at[i]->name;
    Value *const *next = inside.at;
    return val_rebuild(l, arg, &next);
}

static void bind_param(Lower *l, const AstParam *p, Val v)
{
    Binding b = {.bound = true, .span = p->span, .val = v};

    b.declared = p->is_constexpr;
    b.weak = v.kind == VAL_CONST && !p->is_constexpr;
    env_put(l, env_slot(l, p->name), b);
}

static bool returns_nothing(Val v)
{
    return v.kind == VAL_UNDEFINED || val_is_none(v);
}

/* End the function: what `return` gives is the list of the run-time values in the result. */
static void finish_func(Lower *l, Func *f, Val result)
{
    Values out = {0};

    val_flatten(l, result, &out);
    f->nresults = out.len;
    f->results = NEW_N(l->module->arena, const Type *, out.len + 1);
    for (int i = 0; i < out.len; i++)
        f->results[i] = out.at[i]->type;
    build_yield(&l->b, OP_return, out.len, out.at);
}

/* Lower the body with the frame's parameters bound. */
static void lower_body(Lower *l, Instance *in, const AstFunc *fn)
{
    lower_head(l, fn);
    int errors = error_count(l);
    Flow flow = lower_stmts(l, fn->body, fn->nbody, true);
    if (class_of_init(fn) && returns_nothing(flow.result)) /* what it has set */
        flow.result = env_find(l, fn->params[0].name)->val;
    in->result = returns_nothing(flow.result) ? val_none(l) : flow.result;
    if (error_count(l) != errors || val_unknown_inside(in->result)) {
        in->state = INSTANCE_FAILED;
        in->result = val_unknown();
        return;
    }
    finish_func(l, in->func, in->result);
    in->state = INSTANCE_DONE;
}

static Instance *new_instance(Lower *l, uint64_t key)
{
    Instance *in = NEW(l->arena, Instance);

    in->result = val_unknown();
    map_put(l->instances, key, in);
    return in;
}

/* An instance that is still open calls itself: nothing about it changed (R141). */
static Instance *find_instance(Lower *l, const AstFunc *fn, uint64_t key, Span call)
{
    Instance *in = map_get(l->instances, key);

    if (in && in->state == INSTANCE_OPEN) {
        error_at(l, call, E_RECURSION, fn->name);
        hint_at(l, H_RECURSION);
        in->state = INSTANCE_FAILED;
    }
    return in;
}

Instance *lower_instance(Lower *l, const AstFunc *fn, const Val *args, Span call)
{
    uint64_t key = instance_key(l, fn, args);
    Instance *in = find_instance(l, fn, key, call);
    Builder caller = l->b;

    if (in)
        return in;
    in = new_instance(l, key);
    bool broken = l->quiet == 0 && file_report_errors(fn, l->diags);
    if (!broken && l->frame && l->frame->depth >= MAX_CALL_DEPTH) {
        error_at(l, call, E_CALL_DEPTH, fn->name, MAX_CALL_DEPTH);
        broken = true;
    }
    if (broken) {
        in->state = INSTANCE_FAILED;
        return in;
    }
    in->func = func_new(l->module, lower_function_name(l, fn->name), fn->span);
    in->func->noinline = fn->noinline;
    l->frame = frame_new(l, fn, call);
    l->b = builder_at_end(in->func, in->func->body);
    for (int i = 0; i < fn->nparams; i++)
        bind_param(l, &fn->params[i], add_params(l, in->func, fn->params[i].name, args[i]));
    lower_body(l, in, fn);
    l->frame = l->frame->caller;
    l->b = caller;
    return in;
}

/* --- the kernel --- */

static Lower lower_new(const FrontFile *file, Arena *a, Diags *d)
{
    Lower l = {.root = file,
               .language = file->set->language->kernels,
               .arena = a,
               .interner = file->interner,
               .diags = d};

    l.module = module_new(a, file->interner, file->set->sources);
    l.keys = interner_new(a);
    l.instances = map_new(a);
    l.names = map_new(a);
    l.globals = map_new(a);
    l.choices = map_new(a);
    l.blamed = map_new(a);
    l.told = map_new(a);
    l.rounded = map_new(a);
    l.plain = map_new(a);
    l.signatures = map_new(a);
    return l;
}

static void report_no_kernel(const FrontFile *file, const char *name, Arena *a, Diags *d)
{
    int n = front_kernel_count(file);
    const char **names = NEW_N(a, const char *, n + 1);
    Text list = text_new(a);

    text_put(&list, "");
    for (int i = 0; i < n; i++) {
        names[i] = front_kernel_name(file, i);
        text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    diag(d, DIAG_ERROR, source_whole(file->source), E_NO_KERNEL, name);
    const char *near = near_name(name, names, n);
    if (near)
        diag(d, DIAG_HINT, (Span){0}, H_DID_YOU_MEAN, near);
    else if (n)
        diag(d, DIAG_HINT, (Span){0}, H_KERNELS_ARE, list.s);
    else
        diag(d, DIAG_HINT, (Span){0}, H_NO_KERNELS);
}

static const AstFunc *find_kernel(const FrontFile *file, const char *name, Arena *a, Diags *d)
{
    const AstFunc *fn = file_find(file, intern(file->interner, name));

    if (fn && fn->is_jit)
        return file_report_errors(fn, d) ? NULL : fn;
    if (fn) {
        diag(d, DIAG_ERROR, fn->span, E_NOT_JIT, name);
        diag(d, DIAG_HINT, (Span){0}, H_ADD_JIT);
        return NULL;
    }
    report_no_kernel(file, name, a, d);
    return NULL;
}

static bool listed(const AstNames *names, Sym name)
{
    for (int i = 0; i < names->n; i++) {
        if (names->at[i] == name)
            return true;
    }
    return false;
}

static void lower_kernel(Lower *l, const AstFunc *fn, const FrontArg *args)
{
    Instance in = {.func = func_new(l->module, lower_function_name(l, fn->name), fn->span)};
    int errors = diag_errors(l->diags);

    in.func->is_kernel = true;
    l->frame = frame_new(l, fn, fn->span);
    l->b = builder_at_end(in.func, in.func->body);
    for (int i = 0; i < fn->nparams; i++) {
        if (fn->params[i].is_constexpr && listed(&fn->do_not_specialize, fn->params[i].name))
            warn_at(l, fn->params[i].span, W_CONSTEXPR_LISTED, fn->params[i].name);
        bind_param(l, &fn->params[i], lower_kernel_param(l, in.func, &fn->params[i], &args[i]));
    }
    l->language->warn_of_choice(l, fn);
    warn_of_tuning(l, fn);
    lower_body(l, &in, fn);
    if (diag_errors(l->diags) == errors) {
        warn_of_forgotten(l, fn, in.func);
        warn_of_strides(l, fn, in.func);
    }
    in.func->num_warps = l->num_warps;
}

/* What the user gave for a name that nothing has, most likely misspelt. */
static void warn_of_defines(Lower *l)
{
    const FileSet *s = l->root->set;

    for (int i = 0; i < s->given.len; i++) {
        const FileDefine *d = s->given.at[i];

        if (!map_get(l->globals, MAP_KEY(&d->global)) && !define_is_bound(s, d))
            diag(l->diags, DIAG_WARNING, d->global.span, W_DEFINE_UNUSED,
                 d->module ? d->module : "", d->module ? "." : "", d->global.name);
    }
}

Module *front_lower(const FrontFile *file, const char *kernel, const FrontArg *args, int nargs,
                    const FrontLaunch *launch, Arena *a, Diags *d)
{
    int errors = diag_errors(d);
    const AstFunc *fn = find_kernel(file, kernel, a, d);

    if (!fn)
        return NULL;
    if (nargs != fn->nparams) {
        diag(d, DIAG_ERROR, fn->span, E_ARGUMENT_COUNT, kernel, fn->nparams, nargs);
        return NULL;
    }
    Lower l = lower_new(file, a, d);
    l.num_warps = launch ? launch->num_warps : 0;
    l.drops_asserts = launch && launch->drops_asserts;
    l.finds_overflow = launch && launch->finds_overflow;
    l.wide_floats = launch && launch->wide_floats;
    lower_kernel(&l, fn, args);
    warn_of_defines(&l);
    return diag_errors(d) == errors ? l.module : NULL;
}

/* --- the signature --- */

/* Evaluate a default without a word; some need more than the compiler knows (os.environ...). */
static void find_default(Lower *l, const AstFunc *fn, const AstParam *p, FrontParam *out)
{
    out->has_default = p->default_value != NULL;
    if (!p->default_value)
        return;
    int errors = l->quiet_errors;
    Const c;
    l->quiet++;
    Val v = lower_default(l, fn, p, p->span);
    l->quiet--;
    if (errors == l->quiet_errors)
        out->default_known =
            val_to_const(l, v, &c) && const_freeze(l->arena, &c, &out->default_value);
}

static FrontParam describe_param(Lower *l, const AstFunc *fn, const AstParam *p)
{
    FrontParam out = {.name = p->name, .is_constexpr = p->is_constexpr, .span = p->span};

    out.line = source_place(l->frame->file->set->sources, p->span.start).line;
    out.do_not_specialize = listed(&fn->do_not_specialize, p->name);
    out.any_alignment =
        out.do_not_specialize || listed(&fn->do_not_specialize_on_alignment, p->name);
    if (p->is_star) {
        error_at(l, p->span, E_STAR_PARAM, p->name);
        hint_at(l, H_STAR_PARAM);
    }
    out.typed = !p->is_constexpr && param_dtype(l, p, &out.dtype, &out.pointer);
    find_default(l, fn, p, &out);
    return out;
}

const FrontKernel *front_kernel(const FrontFile *file, const char *kernel, Arena *a, Diags *d)
{
    int errors = diag_errors(d);
    const AstFunc *fn = find_kernel(file, kernel, a, d);

    if (!fn)
        return NULL;
    Lower l = lower_new(file, a, d);
    Func *scratch = func_new(l.module, "signature", fn->span);
    FrontKernel *k = NEW(a, FrontKernel);
    FrontParam *params = NEW_N(a, FrontParam, fn->nparams + 1);
    l.frame = frame_new(&l, fn, fn->span);
    l.b = builder_at_end(scratch, scratch->body);
    for (int i = 0; i < fn->nparams; i++)
        params[i] = describe_param(&l, fn, &fn->params[i]);
    *k = (FrontKernel){.name = fn->name, .span = fn->span, .params = params};
    k->nparams = fn->nparams;
    k->line = source_place(file->set->sources, fn->span.start).line;
    return diag_errors(d) == errors ? k : NULL;
}
