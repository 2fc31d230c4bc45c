/*
 * lower_static.c - Python outside of kernels, which runs while a kernel is compiled
 *
 * Bodies of constexpr_functions (semantics R12), defaults (R19), and what is assigned to globals
 * (R3) are evaluated by src/python; this is their host.  A value crosses the border as what Python
 * has for it, or as an object around a Val: a kernel, a function or module of the language, a type.
 * What is known at run time only comes in as an object that has what the compiler knows of it,
 * x.shape and x.dtype, and does not go out.
 */
#include "lower.h"

#include <string.h>

/* --- values across the border --- */

typedef struct {
    Lower *l;
    Val v;
} Object;

static const PyClass object_class, run_class;

static const Object *object_of(const Const *c)
{
    bool is_ours = c->kind == CONST_OBJECT && (c->class == &object_class || c->class == &run_class);

    return is_ours ? c->object : NULL;
}

static Const wrap(Lower *l, Val v)
{
    Object *o = NEW(l->arena, Object);

    *o = (Object){l, v};
    return (Const){
        .kind = CONST_OBJECT, .class = v.kind == VAL_RUN ? &run_class : &object_class, .object = o};
}

static Const function_of(Lower *l, PyFunction f)
{
    PyFunction *copy = NEW(l->arena, PyFunction);

    *copy = f;
    return (Const){.kind = CONST_FUNCTION, .function = copy};
}

/* Python's own functions, and loops over static ranges, go by what Python has for them. */
static const PyBuiltin *builtin_of_python(const Builtin *b)
{
    if (b->data == RANGE_STATIC || b->data == RANGE_DYNAMIC)
        return py_builtin("range");
    return b->where & IN_PYTHON ? py_builtin(b->name) : NULL;
}

static Const to_python(Lower *l, Val v);

static Const tuple_to_python(Lower *l, const Tuple *t)
{
    Const *items = NEW_N(l->arena, Const, t->n + 1);

    for (int i = 0; i < t->n; i++)
        items[i] = to_python(l, t->items[i]);
    Const out = t->is_list ? const_new_list(l->arena, items, t->n) : const_tuple(items, t->n);
    if (!t->is_list)
        out.fields = t->fields;
    return out;
}

/* What Python holds where the lowering has `v`. */
static Const to_python(Lower *l, Val v)
{
    const PyBuiltin *b;
    Const c;

    if (v.kind == VAL_TUPLE)
        return tuple_to_python(l, v.tuple);
    if (val_to_const(l, v, &c))
        return c;
    if (v.kind == VAL_FUNC && !v.func->is_jit)
        return function_of(l, (PyFunction){.def = v.func});
    b = v.kind == VAL_BUILTIN ? builtin_of_python(v.builtin) : NULL;
    return b ? function_of(l, (PyFunction){.builtin = b}) : wrap(l, v);
}

/* What a value from Python may still have. */
typedef struct {
    long parts;
    int levels;
} Room;

static Val from_python(Lower *l, const Const *c, Room *left);

/* Unknown when it has more parts than a tuple may have, or more levels than the stack has room for;
 * a list may even hold itself. */
static Val tuple_from_python(Lower *l, const Const *items, int n, bool is_list, Room *left)
{
    Tuple *t = NEW(l->arena, Tuple);

    left->parts = left->levels > 0 ? left->parts - n - 1 : -1;
    if (left->parts < 0)
        return val_unknown();
    *t = (Tuple){.n = n, .is_list = is_list, .size = n, .items = NEW_N(l->arena, Val, n + 1)};
    left->levels--;
    for (int i = 0; i < n && left->parts >= 0; i++) {
        t->items[i] = from_python(l, &items[i], left);
        t->size += t->items[i].kind == VAL_TUPLE ? t->items[i].tuple->size : 0;
    }
    left->levels++;
    return left->parts < 0 ? val_unknown() : (Val){.kind = VAL_TUPLE, .tuple = t};
}

static Val function_from_python(Lower *l, const Const *c)
{
    const PyFunction *f = c->function;
    const Builtin *b = NULL;

    if (f->def)
        return (Val){.kind = VAL_FUNC, .func = f->def};
    if (f->builtin && !f->self)
        b = l->language->builtin_find(intern(l->interner, f->builtin->name), IN_PYTHON);
    return b ? (Val){.kind = VAL_BUILTIN, .builtin = b} : val_const(l, *c);
}

static Val from_python(Lower *l, const Const *c, Room *left)
{
    const Object *object = object_of(c);
    const Const *items;
    int n;

    if (object)
        return object->v;
    if (const_items(c, &items, &n)) {
        Val v = tuple_from_python(l, items, n, c->kind == CONST_LIST, left);
        bool named = v.kind == VAL_TUPLE && c->kind == CONST_TUPLE && c->fields;
        return named ? val_with_fields(l, v, c->fields) : v;
    }
    return c->kind == CONST_FUNCTION ? function_from_python(l, c) : val_const(l, *c);
}

Val val_from_python(Lower *l, const Const *c)
{
    Room left = {.parts = MAX_TUPLE, .levels = LOWER_MAX_DEPTH};

    return from_python(l, c, &left);
}

/* --- frames --- */

/* The frame of the lowering that stands for one of Python: names are looked for from there, and
 * errors tell the calls that led to it. */
static Frame *frame_of(Lower *l, PyFrame *f)
{
    Frame *before = l->frame, *around;

    while (f->is_block)
        f = f->outer;
    if (f->host)
        return f->host;
    around = f->outer ? frame_of(l, f->outer) : NULL;
    l->frame = frame_of(l, f->caller);
    f->host = frame_new(l, f->fn ? f->fn : l->frame->fn, f->call);
    l->frame = before;
    Frame *frame = f->host;
    frame->file = around ? around->file : frame->fn->file;
    frame->scope = f->scope;
    frame->before = f->before;
    frame->is_static = true;
    return frame;
}

/* Stand in the frame that Python is in; gives the one to go back to. */
static Frame *enter_frame(Py *p)
{
    Lower *l = p->context;
    Frame *outside = l->frame;

    l->frame = frame_of(l, p->frame);
    l->quiet += p->is_silent;
    return outside;
}

static void leave_frame(Py *p, Frame *outside)
{
    Lower *l = p->context;

    l->quiet -= p->is_silent;
    l->frame = outside;
}

/* What a part of the lowering has given to Python, or said to be wrong. */
static bool take_value(Py *p, Val v, Span at, Const *out)
{
    Lower *l = p->context;

    if (val_unknown_inside(v))
        return py_fail_told(p, at);
    if (!val_is_known(v))
        return py_fail(p, at, E_STATIC_RUN, val_text(l, v));
    *out = to_python(l, v);
    return true;
}

/* --- what Python asks --- */

static bool find_static_name(Py *p, const Node *n, Const *out, bool *found)
{
    Lower *l = p->context;
    Frame *outside = enter_frame(p);
    Val v = l->language->global_value(l, n->name, n->span, found);

    if (!*found && !py_builtin(n->name)) {
        v = l->language->lower_undefined(l, n);
        *found = true;
    }
    leave_frame(p, outside);
    return !*found || take_value(p, v, n->span, out);
}

static const AstFunc *find_body(Py *p, const AstFunc *fn, Span at)
{
    Lower *l = p->context;
    const AstFunc *with_body = lower_plain_body(l, fn);

    if (with_body->nerrors == 0)
        return with_body;
    l->quiet_errors += p->is_silent;
    if (!p->is_silent)
        file_report_errors(with_body, l->diags);
    py_fail_told(p, at);
    return NULL;
}

/* Of functions the last one is as good as the other. */
static bool is_either(Py *p, const Const *x, const Const *y)
{
    Lower *l = p->context;
    Val a = val_from_python(l, x), b = val_from_python(l, y);

    return val_same(a, b) || (val_is_function(a) && val_is_function(b));
}

static bool object_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    Lower *l = p->context;
    Frame *outside = enter_frame(p);
    Val v = l->language->value_attribute(l, object_of(self)->v, intern(l->interner, name), at);

    leave_frame(p, outside);
    return take_value(p, v, at, out);
}

/* static_assert(condition[, message]), whose arguments have been evaluated. */
static bool check_assertion(Py *p, const PyArgs *args, Span at, Const *out)
{
    const char *s = "";
    bool good;

    if (args->len < 1 || args->len > 2)
        return py_fail(p, at, E_STATIC_ASSERT_ARGS);
    if (!py_truth(p, &args->at[0].value, at, &good))
        return false;
    if (args->len == 2)
        s = const_str(&args->at[1].value, p->arena);
    *out = const_none();
    return good || py_fail(p, at, E_STATIC_ASSERT, *s ? ": " : "", s);
}

static bool object_call(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    Lower *l = p->context;
    Val callee = object_of(self)->v;
    ArgList list = {.span = at, .n = args->len, .at = NEW_N(l->arena, Arg, args->len + 1)};
    Frame *outside;
    Val v;

    if (callee.kind == VAL_BUILTIN && strcmp(callee.builtin->name, "static_assert") == 0)
        return check_assertion(p, args, at, out);
    for (int i = 0; i < args->len; i++) {
        const PyArg *a = &args->at[i];

        list.at[i] = (Arg){.v = val_from_python(l, &a->value), .node = a->node};
        list.at[i].keyword = a->keyword ? intern(l->interner, a->keyword) : NULL;
        list.at[i].word = a->node ? a->node->span : at;
    }
    outside = enter_frame(p);
    v = call_value(l, callee, &list, at);
    leave_frame(p, outside);
    return take_value(p, v, at, out);
}

static bool object_is_class(Py *p, const Const *value, const Const *self, Span at, bool *out)
{
    Lower *l = p->context;
    Val class = object_of(self)->v;

    if (class.kind != VAL_BUILTIN || !(class.builtin->where & IN_CLASS))
        return py_fail(p, at, E_ISINSTANCE, val_text(l, class));
    *out = l->language->value_is_instance(val_from_python(l, value), class.builtin->name);
    return true;
}

static const char *object_text(const Const *self, Arena *a)
{
    (void)a;
    return val_text(object_of(self)->l, object_of(self)->v);
}

static bool same_objects(const Const *a, const Const *b)
{
    return val_same(object_of(a)->v, object_of(b)->v);
}

static const PyClass object_class = {
    .name = "an object",
    .attribute = object_attribute,
    .call = object_call,
    .is_instance = object_is_class,
    .text = object_text,
    .equal = same_objects,
};

/* --- what is known at run time only --- */

static bool refuse_run(Py *p, const Const *x, const Const *y, Span at)
{
    const Object *o = object_of(x);

    if (!o || o->v.kind != VAL_RUN)
        o = object_of(y);
    py_report(p, at, E_STATIC_RUN, val_text(p->context, o->v));
    py_hint(p, H_STATIC_RUN);
    return false;
}

static bool refuse_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out)
{
    (void)op, (void)out;
    return refuse_run(p, x, y, at);
}

static bool refuse_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out)
{
    (void)op, (void)out;
    return refuse_run(p, x, x, at);
}

static bool refuse_compare(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out)
{
    (void)op, (void)out;
    return refuse_run(p, x, y, at);
}

static bool refuse_truth(Py *p, const Const *self, Span at, bool *out)
{
    (void)out;
    return refuse_run(p, self, self, at);
}

static bool refuse_subscript(Py *p, const Const *self, const Const *index, Span at, Const *out)
{
    (void)index, (void)out;
    return refuse_run(p, self, self, at);
}

static const PyClass run_class = {
    .name = "a value of the kernel",
    .attribute = object_attribute,
    .subscript = refuse_subscript,
    .binary = refuse_binary,
    .unary = refuse_unary,
    .compare = refuse_compare,
    .truth = refuse_truth,
    .text = object_text,
    .equal = same_objects,
};

/* --- evaluations --- */

enum { STEPS_PER_STATEMENT = 4 };

/* One that stands in l->frame. */
static Py static_new(Lower *l)
{
    static const PyHost host = {.name = find_static_name, .body = find_body, .either = is_either};
    long left = MAX(MAX_STATEMENTS - l->work, 1) * STEPS_PER_STATEMENT;
    Py p = py_new(l->arena, &host, l, left, LOWER_MAX_DEPTH);

    p.frame->host = l->frame;
    p.frame->fn = l->frame->fn;
    p.frame->scope = l->frame->scope;
    p.frame->before = l->frame->before;
    p.calls = l->frame->depth;
    p.depth = l->depth;
    p.is_silent = l->quiet > 0;
    return p;
}

/* What it gave, for what stands at `at`. */
static Val static_result(Lower *l, Py *p, bool good, const Const *c, Span at)
{
    Frame *outside = l->frame;

    l->work = MAX(l->work, MAX_STATEMENTS - MAX(p->budget, 0) / STEPS_PER_STATEMENT);
    if (good) {
        Val v = val_from_python(l, c);

        if (v.kind == VAL_UNKNOWN)
            return fail_val(l, at, E_TUPLE_LONG);
        return val_is_known(v) ? v : fail_val(l, at, E_STATIC_RUN, val_text(l, v));
    }
    if (p->trouble.why) {
        l->frame = frame_of(l, p->trouble.frame);
        error_at(l, p->trouble.where, "%s", p->trouble.why);
        if (p->trouble.hint)
            hint_at(l, "%s", p->trouble.hint);
        l->frame = outside;
    }
    return val_unknown();
}

Val static_expr(Lower *l, const Node *n)
{
    Py p = static_new(l);
    Const c;
    bool good = py_eval(&p, n, &c);

    return static_result(l, &p, good, &c, n->span);
}

Val static_run(Lower *l, const AstFunc *fn, const Val *args, Span call)
{
    Py p = static_new(l);
    Const *values = NEW_N(l->arena, Const, fn->nparams + 1), c;
    bool good;

    for (int i = 0; i < fn->nparams; i++)
        values[i] = to_python(l, args[i]);
    good = py_run(&p, fn, values, call, &c);
    return static_result(l, &p, good, &c, call);
}

Val static_call(Lower *l, const Const *function, const ArgList *args)
{
    Py p = static_new(l);
    PyArgs list = {0};
    bool good;
    Const c;

    for (int i = 0; i < args->n; i++) {
        PyArg a = {to_python(l, args->at[i].v), args->at[i].keyword, args->at[i].node};

        vec_push(l->arena, &list, a);
    }
    good = py_call(&p, function, &list, args->span, &c);
    return static_result(l, &p, good, &c, args->span);
}
