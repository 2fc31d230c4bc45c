/*
 * resolve_attribute.c - what attributes of values mean (semantics R13, R161, R245)
 *
 * Of tiles and numbers they are those that Triton has, methods too; of tuples with fields and of
 * classes what their definition says; of modules and files what names in these stand for
 * (resolve_name.c, resolve_global.c).
 */
#include "resolve.h"

#include <string.h>

/* The extents as constants; `v` is a value of the type, which knows what they are called, or NULL.
 */
static Val shape_tuple(Lower *l, const Type *t, const Value *v)
{
    Val items[MAX_RANK];

    for (int i = 0; i < t->rank; i++) {
        Const c = const_int(t->dims[i]);
        c.symbol = v ? value_extent(v, i) : NULL;
        items[i] = val_const(l, c);
    }
    return val_tuple(l, t->rank, items);
}

static Val bind_method(Lower *l, Val self, Sym name, const Builtin *b)
{
    Method *m = NEW(l->arena, Method);

    *m = (Method){.self = self, .name = name, .builtin = b};
    return (Val){.kind = VAL_METHOD, .method = m};
}

/* What arrays of PyTorch and NumPy know of themselves. */
static bool is_of_arrays(Sym name)
{
    static const char *const names[] = {"stride", "strides", "size",          "dim", "ndim",
                                        "numel",  "nbytes",  "is_contiguous", "len", "itemsize"};

    for (int i = 0; i < COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool is_dtype(Sym name)
{
    DType t;

    return dtype_from_long_name(name, strlen(name), &t) || dtype_from_name(name, strlen(name), &t);
}

static Val method_of(Lower *l, Val self, Sym name, Span span)
{
    const Builtin *b = builtin_find(name, IN_METHOD);
    const char *near;

    if (b)
        return bind_method(l, self, name, b);
    error_at(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
    near = hints_show(l) ? builtin_near(name, IN_METHOD) : NULL;
    if (self.kind == VAL_RUN && self.run->type->pointer && is_of_arrays(name))
        hint_at(l, H_POINTER_SHAPE);
    else if (builtin_find(name, IN_TL))
        hint_at(l, H_LANGUAGE_HAS, own_name(l, name));
    else if (strlen(name) == 1 && *name >= 'x' && *name <= 'z')
        hint_at(l, H_ALONG_AXIS, *name - 'x');
    else if (strlen(name) == 1 && strchr("rgb", *name))
        hint_at(l, H_CHANNEL);
    else if (is_dtype(name))
        hint_at(l, H_CONVERTED, own_name(l, name));
    else if (hint_instead(l, name, libdevice_find(name) ? NULL : near))
        return val_unknown();
    else if (libdevice_find(name))
        hint_at(l, H_LANGUAGE_HAS, own_name(l, name));
    else
        hint_at(l, H_METHODS);
    return val_unknown();
}

static Val run_attribute(Lower *l, Val self, Sym name, Span span)
{
    const Type *t = self.run->type;

    if (strcmp(name, "shape") == 0)
        return shape_tuple(l, t, self.run);
    if (strcmp(name, "numel") == 0 && (!t->pointer || t->rank > 0))
        return val_int(l, type_numel(t));
    if (strcmp(name, "dtype") == 0)
        return val_type(type_element(l->module, t));
    if (strcmp(name, "type") == 0)
        return val_type(t);
    if (strcmp(name, "T") == 0 && t->rank == 2)
        return val_run(build_permute(&l->b, self.run, (int[]){1, 0}));
    if (strcmp(name, "T") == 0)
        return fail_hint(l, span, H_T_RANK, E_T_RANK, val_text(l, self));
    return method_of(l, self, name, span);
}

static Val const_attribute(Lower *l, Val self, Sym name, Span span)
{
    DType t;

    bool asks_type = strcmp(name, "dtype") == 0 || strcmp(name, "type") == 0;
    Py p = {.arena = l->arena, .is_silent = true};
    Const c;

    if (asks_type && val_is_number(self) && !literal_dtype(l, self.c, span, &t))
        return val_unknown();
    if (asks_type && val_is_number(self))
        return strcmp(name, "type") == 0 ? val_const_type(l, self.c, t) : val_dtype(l, t);
    if (val_is_number(self) && builtin_find(name, IN_METHOD))
        return method_of(l, self, name, span);
    if (py_attribute(&p, self.c, name, span, &c))
        return val_from_python(l, &c);
    if (val_is_number(self))
        return method_of(l, self, name, span);
    error_at(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
    hint_instead(l, name, NULL);
    return val_unknown();
}

static Val type_element_of(Lower *l, const Type *t)
{
    if (t->rank > 0)
        return val_type(type_element(l->module, t));
    return val_dtype(l, t->dtype);
}

static Val type_attribute(Lower *l, Val self, Sym name, Span span)
{
    const Type *t = self.type;
    Const c;

    if (strcmp(name, "element_ty") == 0)
        return type_element_of(l, t);
    if (strcmp(name, "scalar") == 0)
        return val_type(type_element(l->module, t));
    if (strcmp(name, "shape") == 0)
        return shape_tuple(l, t, NULL);
    if (strcmp(name, "name") == 0)
        return val_string(l, val_type_text(l, t));
    if (t->pointer && strstr(name, "_bitwidth"))
        return val_int(l, 64);
    if (t->pointer && strcmp(name, "itemsize") == 0)
        return val_int(l, 8);
    if (py_dtype_attribute(t->dtype, name, &c))
        return val_const(l, c);
    if (strncmp(name, "is_", 3) == 0 || strcmp(name, "get_block_shapes") == 0)
        return bind_method(l, self, name, NULL);
    return fail_val(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
}

/* R245: `.shape`, which is i32, and `.strides`, from part `first` of the handle on. */
static Val handle_parts(Lower *l, Value *handle, int64_t first, DType t)
{
    const Type *i64 = type_scalar(l->module, DT_I64);
    int rank = handle->type->rank;
    Val items[MAX_RANK];

    for (int i = 0; i < rank; i++) {
        int64_t part = first + i;
        Op *op = build_op(&l->b, OP_handle_part, 1, &handle, 1, &part, 1, &i64);

        items[i] = val_run(build_cast(&l->b, op->results[0], t, ROUND_NEAREST));
    }
    return val_tuple(l, rank, items);
}

static Val descriptor_attribute(Lower *l, Val self, Sym name, Span span)
{
    const Type *t = self.run->type;

    const Builtin *b = builtin_find(name, IN_DESCRIPTOR);

    if (b)
        return bind_method(l, self, name, b);
    if (strcmp(name, "dtype") == 0)
        return val_dtype(l, t->dtype);
    if (strcmp(name, "shape") == 0)
        return handle_parts(l, self.run, 0, DT_I32);
    if (strcmp(name, "strides") == 0)
        return handle_parts(l, self.run, t->rank, DT_I64);
    if (strcmp(name, "block_shape") == 0)
        return shape_tuple(l, t, self.run);
    return fail_val(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
}

static Val handle_attribute(Lower *l, Val self, Sym name, Span span)
{
    const Type *t = self.run->type;

    if (t->handle == HANDLE_DESCRIPTOR)
        return descriptor_attribute(l, self, name, span);
    if (strcmp(name, "dtype") == 0 || strcmp(name, "type") == 0)
        return val_type(type_pointer(l->module, t->dtype, t->is_const));
    return method_of(l, self, name, span);
}

/* A function of the class, which gets the instance. */
static Val bind_function(Lower *l, Val self, Sym name, const AstFunc *fn, Span span)
{
    Method *m = NEW(l->arena, Method);
    const ArgList none = {.span = span};
    const ArgList only_self = arguments_behind(l, self, &none, span);

    *m = (Method){.self = self, .name = name, .func = fn};
    if (fn->is_property)
        return call_function(l, fn, &only_self);
    return fn->is_static ? (Val){.kind = VAL_FUNC, .func = fn}
                         : (Val){.kind = VAL_METHOD, .method = m};
}

/* A field; and a tuple has for its type the tuple of the types. */
static Val tuple_attribute(Lower *l, Val self, Sym name, Span span)
{
    Val *types = NEW_N(l->arena, Val, self.tuple->n + 1);
    int field = field_index(self.tuple->fields, self.tuple->n, name);

    const AstClass *class = self.tuple->class;
    const AstFunc *fn = class ? class_function(l, class, name) : NULL;

    if (field >= 0)
        return self.tuple->items[field];
    if (fn)
        return bind_function(l, self, name, fn, span);
    if (strcmp(name, "value") == 0)
        return self;
    if (strcmp(name, "type") != 0) {
        error_at(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
        hint_instead(l, name, NULL);
        return val_unknown();
    }
    for (int i = 0; i < self.tuple->n; i++) {
        Val item = self.tuple->items[i];
        bool has_type = item.kind == VAL_RUN || item.kind == VAL_TUPLE || val_is_number(item);
        /* None or a dtype: what is known has itself for a type, as constexprs do */
        types[i] = has_type ? value_attribute(l, item, name, span) : item;
    }
    return val_tuple(l, self.tuple->n, types);
}

/* Why there is no such module, if there is none. */
static const Imported *unknown_module(Lower *l, Sym module)
{
    return module_is_known(module) ? NULL : import_module(l->frame->file, module);
}

Val value_attribute(Lower *l, Val self, Sym name, Span span)
{
    bool compile_time = self.kind == VAL_CONST || self.kind == VAL_TYPE;

    if (compile_time && strcmp(name, "value") == 0) /* of a tl.constexpr (R13) */
        return self;
    switch (self.kind) {
    case VAL_UNKNOWN:
        return self;
    case VAL_RUN:
        return (val_is_handle(self) ? handle_attribute : run_attribute)(l, self, name, span);
    case VAL_CONST:
        return const_attribute(l, self, name, span);
    case VAL_TYPE:
        return type_attribute(l, self, name, span);
    case VAL_CONST_TYPE:
        if (strcmp(name, "value") == 0)
            return (Val){.kind = VAL_CONST, .c = self.const_type->c};
        return type_attribute(l, val_plain_type(self), name, span);
    case VAL_TUPLE:
        return tuple_attribute(l, self, name, span);
    case VAL_CLASS:
        return class_member(l, self.class, name, span);
    case VAL_MODULE:
        return module_member(l, self.module, name, unknown_module(l, self.module), span);
    case VAL_FILE:
        return file_member(l, self.file, name, true, span);
    default:
        return fail_val(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
    }
}

Val lower_attribute(Lower *l, const Node *n)
{
    Text path = text_new(l->arena);
    Val self, v;

    chain_begin(l, n);
    self = lower_admitting(l, n->left, ADMIT_OBJECTS);
    l->b.span = n->span;
    v = value_attribute(l, self, n->name, n->span);
    if (self.kind == VAL_TUPLE && v.kind == VAL_CONST && lower_put_outside(l, n, &path))
        v = val_called(l, intern(l->interner, path.s), v);
    if (v.kind == VAL_UNKNOWN && self.kind == VAL_TUPLE && !self.tuple->fields &&
        !self.tuple->class && n->left->kind == N_NAME)
        env_miss(l, n->left->name, n->span); /* a list's method would have changed it */
    return v;
}
