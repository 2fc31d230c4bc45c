/*
 * lower_value.c - kinds of Val: making them, printing them, taking them apart into IR values
 *
 * A Val that mixes run-time and compile-time parts (a tuple) crosses an `if`, a
 * loop or a call as the flat list of its run-time values; the Val itself is the template by which
 * the other side puts them together again.
 */
#include "lower.h"

#include <string.h>

bool val_blamed(Lower *l, Val v)
{
    const void *it = v.kind == VAL_RUN     ? (const void *)v.run
                     : v.kind == VAL_CONST ? (const void *)v.c
                     : v.kind == VAL_TUPLE ? (const void *)v.tuple
                                           : NULL;

    if (!it || l->quiet)
        return false;
    if (map_get(l->blamed, MAP_KEY(it)))
        return true;
    map_put(l->blamed, MAP_KEY(it), l);
    return false;
}

/* --- making --- */

Val val_unknown(void)
{
    return (Val){.kind = VAL_UNKNOWN};
}

Val val_const(Lower *l, const Const c)
{
    Const *copy;

    if (c.kind == CONST_DTYPE)
        return val_dtype(l, c.dtype);
    copy = NEW(l->arena, Const);
    *copy = c;
    return (Val){.kind = VAL_CONST, .c = copy};
}

Val val_called(Lower *l, Sym name, Val v)
{
    SymbolValue number;

    if (v.kind != VAL_CONST || v.c->symbol || !const_symbol_value(v.c, &number))
        return v;
    Const c = *v.c;
    c.symbol = module_bind(l->module, name, number);
    return c.symbol ? val_const(l, c) : v;
}

Val val_none(Lower *l)
{
    return val_const(l, const_none());
}

Val val_bool(Lower *l, bool b)
{
    return val_const(l, const_bool(b));
}

Val val_int(Lower *l, __int128 i)
{
    return val_const(l, const_int(i));
}

Val val_float(Lower *l, double d)
{
    return val_const(l, const_float(d));
}

Val val_string(Lower *l, const char *s)
{
    return val_const(l, const_string(s, strlen(s)));
}

Val val_run(Value *v)
{
    return v ? (Val){.kind = VAL_RUN, .run = v} : val_unknown();
}

Val val_type(const Type *t)
{
    return (Val){.kind = VAL_TYPE, .type = t};
}

Val val_dtype(Lower *l, DType d)
{
    return val_type(type_scalar(l->module, l->wide_floats && dtype_is_float(d) ? DT_FP64 : d));
}

Val val_const_type(Lower *l, const Const *c, DType t)
{
    ConstType *made = NEW(l->arena, ConstType);

    *made = (ConstType){type_scalar(l->module, t), c};
    return (Val){.kind = VAL_CONST_TYPE, .const_type = made};
}

Val val_plain_type(Val v)
{
    return v.kind == VAL_CONST_TYPE ? val_type(v.const_type->type) : v;
}

Val val_tuple(Lower *l, int n, const Val *items)
{
    Tuple *t = NEW(l->arena, Tuple);

    t->n = n;
    t->items = NEW_N(l->arena, Val, n + 1);
    t->size = n;
    for (int i = 0; i < n; i++) {
        t->items[i] = items[i];
        t->size += items[i].kind == VAL_TUPLE ? items[i].tuple->size : 0;
    }
    return (Val){.kind = VAL_TUPLE, .tuple = t};
}

Val val_with_fields(Lower *l, Val v, const Sym *fields)
{
    Tuple *t = NEW(l->arena, Tuple);

    *t = *v.tuple;
    t->fields = fields;
    return (Val){.kind = VAL_TUPLE, .tuple = t};
}

Val val_tuple_like(Lower *l, const Tuple *like, const Val *items)
{
    Val v = val_with_fields(l, val_tuple(l, like->n, items), like->fields);

    ((Tuple *)v.tuple)->class = like->class;
    return v;
}

Val val_new_tuple(Lower *l, int n, const Val *items, Span span)
{
    Val v = val_tuple(l, n, items);

    return v.tuple->size <= MAX_TUPLE ? v : fail_val(l, span, E_TUPLE_LONG);
}

Val val_pair(Lower *l, Val a, Val b)
{
    return val_tuple(l, 2, (Val[]){a, b});
}

Val val_module(Sym module)
{
    return (Val){.kind = VAL_MODULE, .module = module};
}

Val val_file(const FrontFile *file)
{
    return (Val){.kind = VAL_FILE, .file = file};
}

/* --- asking --- */

bool val_is_const(Val v, ConstKind kind)
{
    return v.kind == VAL_CONST && v.c->kind == kind;
}

bool val_is_none(Val v)
{
    return val_is_const(v, CONST_NONE);
}

bool val_is_number(Val v)
{
    return v.kind == VAL_CONST && const_is_number(v.c);
}

bool val_is_handle(Val v)
{
    return v.kind == VAL_RUN && v.run->type->handle != HANDLE_NONE;
}

bool val_is_known(Val v)
{
    if (v.kind == VAL_RUN || v.kind == VAL_UNKNOWN)
        return false;
    for (int i = 0; v.kind == VAL_TUPLE && i < v.tuple->n; i++) {
        if (!val_is_known(v.tuple->items[i]))
            return false;
    }
    return true;
}

bool val_is_object(Val v)
{
    return v.kind == VAL_FILE && v.file->object;
}

bool val_is_function(Val v)
{
    return v.kind == VAL_FUNC || v.kind == VAL_BUILTIN || v.kind == VAL_LIBDEVICE ||
           v.kind == VAL_MODULE || v.kind == VAL_CLASS || v.kind == VAL_FILE ||
           val_is_const(v, CONST_FUNCTION);
}

bool val_unknown_inside(Val v)
{
    for (int i = 0; v.kind == VAL_TUPLE && i < v.tuple->n; i++) {
        if (val_unknown_inside(v.tuple->items[i]))
            return true;
    }
    return v.kind == VAL_UNKNOWN;
}

static bool same_tuple(const Tuple *a, const Tuple *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) {
        if (!val_same(a->items[i], b->items[i]))
            return false;
    }
    return true;
}

bool val_same(Val a, Val b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case VAL_UNKNOWN:
    case VAL_UNDEFINED:
        return true;
    case VAL_CONST:
        return a.c == b.c || (a.c->kind == b.c->kind && const_equal(a.c, b.c));
    case VAL_CONST_TYPE:
        return val_same((Val){.kind = VAL_CONST, .c = a.const_type->c},
                        (Val){.kind = VAL_CONST, .c = b.const_type->c});
    case VAL_TUPLE:
        return a.tuple == b.tuple || same_tuple(a.tuple, b.tuple);
    case VAL_METHOD:
        return a.method->name == b.method->name && a.method->func == b.method->func &&
               val_same(a.method->self, b.method->self);
    default:
        return a.run == b.run; /* all others are one pointer */
    }
}

/* --- text for messages --- */

const char *val_type_text(Lower *l, const Type *t)
{
    Text s = text_new(l->arena);

    if (t->handle == HANDLE_BLOCK_PTR)
        text_put(&s, "block pointer to ");
    if (t->handle == HANDLE_DESCRIPTOR)
        text_printf(&s, "tensor descriptor %sof ", t->padding == PAD_NAN ? "padded with nan " : "");
    if (t->pointer)
        text_printf(&s, "pointer<%s%s>", t->is_const ? "const " : "", dtype_triton_name(t->dtype));
    else
        text_put(&s, dtype_triton_name(t->dtype));
    for (int i = 0; i < t->rank; i++)
        text_printf(&s, "%s%d", i ? ", " : "[", t->dims[i]);
    if (t->rank)
        text_put(&s, "]");
    return s.s;
}

/* Of a long one the first items, and how many there are. */
static const char *tuple_text(Lower *l, const Tuple *t)
{
    enum { LONG = 12, SHOWN = 4 };
    Text s = text_new(l->arena);

    text_put(&s, "(");
    for (int i = 0; i < (t->n > LONG ? SHOWN : t->n); i++)
        text_printf(&s, "%s%s", i ? ", " : "", val_text(l, t->items[i]));
    if (t->n > LONG)
        text_printf(&s, ", .. %d values", t->n);
    text_put(&s, t->n == 1 ? ",)" : ")");
    return s.s;
}

const char *val_text(Lower *l, Val v)
{
    switch (v.kind) {
    case VAL_UNKNOWN:
    case VAL_UNDEFINED:
        return "an undefined value";
    case VAL_CONST:
        if (v.c->kind == CONST_NONE)
            return "None";
        if (v.c->kind == CONST_FUNCTION)
            return arena_printf(l->arena, "function %s", py_function_name(v.c->function));
        return arena_printf(l->arena, "constexpr %s", const_brief(v.c, l->arena));
    case VAL_RUN:
        return val_type_text(l, v.run->type);
    case VAL_TUPLE:
        return tuple_text(l, v.tuple);
    case VAL_TYPE:
        return arena_printf(l->arena, "the type %s", val_type_text(l, v.type));
    case VAL_CONST_TYPE:
        return arena_printf(l->arena, "the type constexpr_type[%s]",
                            const_text(v.const_type->c, l->arena));
    case VAL_FUNC:
        return arena_printf(l->arena, "function %s", v.func->name);
    case VAL_BUILTIN:
        return arena_printf(l->arena, "function %s", v.builtin->name);
    case VAL_LIBDEVICE:
        return arena_printf(l->arena, "function libdevice.%s",
                            l->language->libdevice_name(v.libdevice));
    case VAL_METHOD:
        return arena_printf(l->arena, "method %s", v.method->name);
    case VAL_CLASS:
        return arena_printf(l->arena, "class %s", v.class->name);
    case VAL_MODULE:
        return arena_printf(l->arena, "module %s", v.module);
    case VAL_FILE:
        return v.file->object ? v.file->object
                              : arena_printf(l->arena, "module %s", v.file->source->shown);
    }
    return "?";
}

/* --- what Python holds --- */

static bool tuple_to_const(Lower *l, const Tuple *t, Const *out)
{
    Const *items = NEW_N(l->arena, Const, t->n + 1);

    for (int i = 0; i < t->n; i++) {
        if (!val_to_const(l, t->items[i], &items[i]))
            return false;
    }
    *out = const_tuple(items, t->n);
    out->fields = t->fields;
    return true;
}

bool val_to_const(Lower *l, Val v, Const *out)
{
    v = val_plain_type(v);
    if (v.kind == VAL_CONST) {
        *out = *v.c;
        return true;
    }
    if (v.kind == VAL_TYPE && !v.type->pointer && v.type->rank == 0) {
        *out = (Const){.kind = CONST_DTYPE, .dtype = v.type->dtype};
        return true;
    }
    return v.kind == VAL_TUPLE && tuple_to_const(l, v.tuple, out);
}

/* --- flat form --- */

void val_flatten(Lower *l, Val v, Values *out)
{
    l->work += v.kind == VAL_TUPLE ? v.tuple->n : 0;
    if (v.kind == VAL_RUN)
        vec_push(l->arena, out, v.run);
    for (int i = 0; v.kind == VAL_TUPLE && i < v.tuple->n; i++)
        val_flatten(l, v.tuple->items[i], out);
}

Val val_rebuild(Lower *l, Val like, Value *const **next)
{
    if (like.kind == VAL_RUN)
        return val_run(*(*next)++);
    if (like.kind != VAL_TUPLE || val_is_known(like))
        return like;
    Val v = val_tuple_like(l, like.tuple, like.tuple->items);
    for (int i = 0; i < v.tuple->n; i++)
        v.tuple->items[i] = val_rebuild(l, like.tuple->items[i], next);
    return v;
}
