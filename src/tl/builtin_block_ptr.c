/*
 * builtin_block_ptr.c - block pointers (semantics R230 to R232), and what descriptors share
 *
 * They are ops, which targets take apart where they have nothing for them: opt/legalise_block.c
 * says what they mean.
 */
#include "tl.h"

/* --- making --- */

bool block_i64_parts(Lower *l, const Args *a, ArgName name, int n, Value **out)
{
    Val given = arg(a, name);
    bool alone = given.kind != VAL_TUPLE && n == 1; /* `(i * BLOCK)` is no tuple to Python */
    const Val *items = alone ? &given : given.kind == VAL_TUPLE ? given.tuple->items : NULL;

    if (!alone && (given.kind != VAL_TUPLE || given.tuple->n != n)) {
        error_at(l, arg_span(a, name), E_SAME_LENGTH, a->builtin->name, val_text(l, arg(a, name)),
                 n);
        hint_at(l, H_SAME_LENGTH, n);
        return false;
    }
    for (int d = 0; d < n; d++) {
        Val v = items[d];
        if (v.kind == VAL_CONST && const_is_integral(v.c)) {
            out[d] = literal_cast(l, v.c, DT_I64, arg_span(a, name));
            if (!out[d])
                return false;
            continue;
        }
        bool scalar = v.kind == VAL_RUN && !v.run->type->pointer && v.run->type->rank == 0 &&
                      dtype_is_int(v.run->type->dtype);
        if (!scalar) {
            error_at(l, arg_span(a, name), E_BLOCK_PTR_INT, val_text(l, v));
            return false;
        }
        out[d] = build_cast(&l->b, v.run, DT_I64, ROUND_NEAREST);
    }
    return true;
}

bool block_parts(Lower *l, const Args *a, Type *t, Value **v)
{
    Val base = arg(a, ARG_base);
    int rank;

    if (base.kind != VAL_RUN || !base.run->type->pointer || base.run->type->rank > 0) {
        error_at(l, arg_span(a, ARG_base), E_BLOCK_PTR_BASE, val_text(l, base));
        return false;
    }
    t->dtype = base.run->type->dtype;
    t->is_const = base.run->type->is_const;
    v[0] = base.run;
    if (!arg_shape(l, a, ARG_block_shape, &rank, t->dims) ||
        !block_i64_parts(l, a, ARG_shape, rank, v + 1) ||
        !block_i64_parts(l, a, ARG_strides, rank, v + 1 + rank))
        return false;
    t->rank = (int8_t)rank;
    return true;
}

/* The order of the dimensions in memory: it has no effect on results. */
static bool order_argument(Lower *l, const Args *a, int rank, int64_t *order)
{
    unsigned used = 0;
    int n;

    if (!arg_ints(l, a, ARG_order, MAX_RANK, order, &n))
        return false;
    for (int i = 0; i < n; i++) {
        if (order[i] >= 0 && order[i] < rank)
            used |= 1u << order[i];
    }
    if (n == rank && used == (1u << rank) - 1)
        return true;
    error_at(l, arg_span(a, ARG_order), E_ORDER, rank - 1);
    return false;
}

Val block_ptr_make(Lower *l, const Args *a)
{
    Type t = {.handle = HANDLE_BLOCK_PTR};
    int64_t order[MAX_RANK];
    Value *v[1 + 3 * MAX_RANK];

    if (!block_parts(l, a, &t, v))
        return val_unknown();
    int rank = t.rank;
    if (!block_i64_parts(l, a, ARG_offsets, rank, v + 1 + 2 * rank) ||
        !order_argument(l, a, rank, order))
        return val_unknown();
    const Type *type = type_of(l->module, t);
    Op *op = build_op(&l->b, OP_make_block_ptr, 1 + 3 * rank, v, rank, order, 1, &type);
    arg_name_extents(l, a, ARG_block_shape, op->results[0]);
    return val_run(op->results[0]);
}

Val block_ptr_advance(Lower *l, const Args *a)
{
    Value *v[1 + MAX_RANK];

    if (!val_is_handle(arg(a, ARG_base)) || arg(a, ARG_base).run->type->handle != HANDLE_BLOCK_PTR)
        return fail_val(l, arg_span(a, ARG_base), E_NOT_BLOCK_PTR, val_text(l, arg(a, ARG_base)));
    v[0] = arg(a, ARG_base).run;
    int rank = v[0]->type->rank;
    if (!block_i64_parts(l, a, ARG_offsets, rank, v + 1))
        return val_unknown();
    return val_run(build_op(&l->b, OP_advance, 1 + rank, v, 0, NULL, 0, NULL)->results[0]);
}

/* --- load and store --- */

/* True is an int, and names a dimension. */
static void warn_of_true(Lower *l, const Args *a)
{
    if (!val_is_const(arg(a, ARG_boundary_check), CONST_BOOL))
        return;
    warn_at(l, arg_span(a, ARG_boundary_check), W_BOUNDARY_TRUE);
    hint_at(l, H_BLOCK_PTR_MASK);
}

/* Nothing is padded where nothing is checked. */
static void warn_of_padding(Lower *l, const Args *a)
{
    if (!arg_node(a, ARG_padding_option) || arg_node(a, ARG_boundary_check) ||
        !val_is_const(arg(a, ARG_padding_option), CONST_STRING) ||
        arg(a, ARG_padding_option).c->text[0] == '\0')
        return;
    warn_at(l, arg_span(a, ARG_padding_option), W_PADDING_ALONE);
    hint_at(l, H_BLOCK_PTR_MASK);
}

/* The checked dimensions behind `fixed` attributes that are 0; gives how many there are in all, or
 * -1 after an error. */
static int boundary_argument(Lower *l, const Args *a, int rank, int fixed, int64_t *attrs)
{
    int64_t *dims = attrs + fixed;
    unsigned used = 0;
    int n = 0;

    warn_of_true(l, a);
    if (arg_given(a, ARG_boundary_check) &&
        !arg_ints(l, a, ARG_boundary_check, MAX_RANK, dims, &n)) {
        if (val_is_const(arg(a, ARG_boundary_check), CONST_STRING))
            hint_at(l, H_BLOCK_PTR_MASK);
        return -1;
    }
    for (int k = 0; k < n; k++) {
        bool valid = dims[k] >= 0 && dims[k] < rank;
        if (!valid || (used & 1u << dims[k])) {
            error_at(l, arg_span(a, ARG_boundary_check), valid ? E_BOUNDARY_TWICE : E_BOUNDARY_DIM,
                     (long long)dims[k]);
            if (!valid)
                hint_at(l, H_BOUNDARY_DIM, rank - 1);
            return -1;
        }
        used |= 1u << dims[k];
    }
    return fixed + n;
}

bool block_padding(Lower *l, const Args *a, DType t, int64_t *out)
{
    static const char *const names[] = {"", "zero", "nan"};
    static const int values[] = {PAD_ZERO, PAD_ZERO, PAD_NAN};

    if (!arg_choice(l, a, ARG_padding_option, names, values, COUNT(names), E_PADDING, out)) {
        hint_at(l, H_PADDING);
        return false;
    }
    if (*out != PAD_NAN || dtype_is_float(t))
        return true;
    error_at(l, arg_span(a, ARG_padding_option), E_PADDING_NAN, dtype_triton_name(t));
    return false;
}

/* A descriptor is loaded and stored through its own methods, which take offsets. */
static bool refuse_descriptor(Lower *l, const Args *a)
{
    if (arg(a, ARG_pointer).run->type->handle == HANDLE_BLOCK_PTR)
        return false;
    error_at(l, arg_span(a, ARG_pointer), E_DESCRIPTOR_ACCESS, a->builtin->name);
    return true;
}

static Val refuse_mask(Lower *l, const Args *a, ArgName name, const char *doing)
{
    error_at(l, arg_span(a, name), E_BLOCK_PTR_MASK, doing);
    hint_at(l, H_BLOCK_PTR_MASK);
    return val_unknown();
}

Val load_block_ptr(Lower *l, const Args *a)
{
    Value *handle = arg(a, ARG_pointer).run;
    int64_t attrs[MAX_OP_ATTRS + MAX_RANK] = {0}, padding;
    AccessHints hints;

    if (refuse_descriptor(l, a))
        return val_unknown();
    if (arg_given(a, ARG_mask) || arg_given(a, ARG_other))
        return refuse_mask(l, a, arg_given(a, ARG_mask) ? ARG_mask : ARG_other, "loading");
    if (!block_padding(l, a, handle->type->dtype, &padding) || !access_hints(l, a, &hints))
        return val_unknown();
    int n = boundary_argument(l, a, handle->type->rank, op_fixed_attrs(OP_load_block), attrs);
    if (n < 0)
        return val_unknown();
    warn_of_padding(l, a);
    Op *load = build_op(&l->b, OP_load_block, 1, &handle, n, attrs, 0, NULL);
    access_hints_put(load, &hints);
    attr_set(load, ATTR_padding, padding);
    return val_run(load->results[0]);
}

Value *block_data(Lower *l, const Args *a, ArgName name, Val handle)
{
    const Type *block = handle.run->type;
    bool number = val_is_number(arg(a, name));
    Value *v = number ? literal_cast(l, arg(a, name).c, block->dtype, arg_span(a, name))
                      : arg_run(l, a, name);

    if (v && !number)
        stored_warn(l, v, block->dtype, arg_span(a, name));
    v = v ? ops_cast(l, v, block->dtype, ROUND_NEAREST, arg_span(a, name)) : NULL;
    if (v && v->type->rank > 0 && !type_same_shape(v->type, block)) {
        error_at(l, arg_span(a, name), E_BLOCK_PTR_SHAPE, val_type_text(l, v->type),
                 val_text(l, handle));
        return NULL;
    }
    return v ? ops_to_shape(l, v, block) : NULL;
}

Val store_block_ptr(Lower *l, const Args *a)
{
    Val handle = arg(a, ARG_pointer);
    int64_t attrs[MAX_OP_ATTRS + MAX_RANK] = {0};
    Value *v[2] = {[BLOCK_HANDLE] = handle.run};
    AccessHints hints;

    if (refuse_descriptor(l, a))
        return val_unknown();
    if (arg_given(a, ARG_mask))
        return refuse_mask(l, a, ARG_mask, "storing");
    if (handle.run->type->is_const)
        return fail_val(l, arg_span(a, ARG_pointer), E_CONST_POINTER, val_text(l, handle));
    v[BLOCK_DATA] = block_data(l, a, ARG_value, handle);
    if (!v[BLOCK_DATA] || !access_hints(l, a, &hints))
        return val_unknown();
    int n = boundary_argument(l, a, handle.run->type->rank, op_fixed_attrs(OP_store_block), attrs);
    if (n < 0)
        return val_unknown();
    access_hints_put(build_op(&l->b, OP_store_block, 2, v, n, attrs, 0, NULL), &hints);
    return val_none(l);
}
