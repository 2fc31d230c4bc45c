/*
 * builtin_memory.c - loads, stores and atomics through pointers (semantics R200 to R224)
 */
#include <string.h>

#include "tl.h"

/* --- options --- */

/* What cache_modifier may say. */
typedef struct {
    const char *words[5];
    int values[5]; /* CacheHint */
} CacheWords;

static const CacheWords load_words = {
    {"", ".ca", ".cg", ".cs", ".cv"},
    {CACHE_NONE, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_CV},
};
static const CacheWords store_words = {
    {"", ".wb", ".cg", ".cs", ".wt"},
    {CACHE_NONE, CACHE_WB, CACHE_CG, CACHE_CS, CACHE_WT},
};

bool access_hints(Lower *l, const Args *a, AccessHints *out)
{
    static const char *const policies[] = {"", "evict_first", "evict_last"};
    static const int policy_values[] = {EVICT_NORMAL, EVICT_FIRST, EVICT_LAST};
    const CacheWords *cache = a->builtin->data == OP_store ? &store_words : &load_words;
    bool good = arg_choice(l, a, ARG_cache_modifier, cache->words, cache->values,
                           COUNT(cache->words), E_CACHE, &out->cache);

    return arg_choice(l, a, ARG_eviction_policy, policies, policy_values, COUNT(policies),
                      E_EVICTION, &out->evict) &&
           good;
}

void access_hints_put(Op *access, const AccessHints *h)
{
    attr_set(access, ATTR_cache, h->cache);
    attr_set(access, ATTR_evict, h->evict);
}

/* A scalar or tile of pointers; NULL after an error. */
static Value *pointer_argument(Lower *l, const Args *a)
{
    Val v = arg(a, ARG_pointer);

    if (v.kind == VAL_RUN && v.run->type->pointer)
        return v.run;
    if (v.kind == VAL_UNKNOWN)
        return NULL;
    error_at(l, arg_span(a, ARG_pointer), E_POINTER, val_text(l, v), a->builtin->name);
    if (note_not_a_pointer(l, arg_node(a, ARG_pointer)))
        return NULL;
    if (v.kind == VAL_RUN && dtype_is_int(v.run->type->dtype))
        hint_at(l, H_POINTER);
    else
        hint_at(l, H_POINTER_FIRST, a->builtin->name, a->builtin->data == OP_load ? "" : ", value");
    return NULL;
}

/* R201, R210: with a scalar pointer everything else is scalar. */
static bool check_scalar(Lower *l, const Args *a, ArgName name, const Value *p, const Value *v,
                         const char *what)
{
    if (!v || p->type->rank > 0 || v->type->rank == 0)
        return true;
    error_at(l, arg_span(a, name), E_SCALAR_POINTER, what, val_text(l, arg(a, name)));
    hint_at(l, strcmp(what, "Value") == 0 ? H_SCALAR_VALUE : H_SCALAR_POINTER);
    return false;
}

/* The mask, or NULL where there is none; false after an error. */
static bool mask_argument(Lower *l, const Args *a, Value **out)
{
    *out = NULL;
    if (!arg_given(a, ARG_mask))
        return true;
    *out = arg_run(l, a, ARG_mask);
    if (!*out)
        return false;
    if (!(*out)->type->pointer && (*out)->type->dtype == DT_I1)
        return true;
    error_at(l, arg_span(a, ARG_mask), E_MASK, val_type_text(l, (*out)->type));
    hint_at(l, H_MASK);
    return false;
}

/* --- load --- */

/* `other`, or NULL where there is none; cast to the element type (R202). */
static bool other_argument(Lower *l, const Args *a, Value *p, Value **out)
{
    *out = NULL;
    if (!arg_given(a, ARG_other))
        return true;
    if (!arg_given(a, ARG_mask)) {
        error_at(l, arg_span(a, ARG_other), E_OTHER_WITHOUT_MASK);
        hint_at(l, H_OTHER);
        return false;
    }
    if (val_is_number(arg(a, ARG_other))) {
        stored_warn_of_other(l, arg(a, ARG_other).c, p->type->dtype, arg_span(a, ARG_other));
        *out = literal_cast(l, arg(a, ARG_other).c, p->type->dtype, arg_span(a, ARG_other));
        return *out != NULL;
    }
    *out = arg_run(l, a, ARG_other);
    if (!*out || !ops_shapes_fit(l, val_run(p), arg(a, ARG_other), a->span))
        return false;
    *out = ops_cast(l, *out, p->type->dtype, ROUND_NEAREST, arg_span(a, ARG_other));
    return *out != NULL;
}

static bool load_options(Lower *l, const Args *a, AccessHints *hints, bool *is_volatile)
{
    bool good = access_hints(l, a, hints);

    *is_volatile = false;
    return arg_bool(l, a, ARG_volatile, is_volatile) && good;
}

/* Does boundary_check name any dimension? */
static bool has_boundary(const Args *a)
{
    Val dims = arg(a, ARG_boundary_check);

    return !val_is_none(dims) && !(dims.kind == VAL_TUPLE && dims.tuple->n == 0);
}

static const char *without_dot(const char *text)
{
    return text + (*text == '.');
}

/* R203 */
static bool check_no_boundary(Lower *l, const Args *a)
{
    Val option = arg(a, ARG_padding_option);
    bool boundary = has_boundary(a);
    bool padding =
        !val_is_none(option) && !(val_is_const(option, CONST_STRING) && !option.c->ntext);

    if (!boundary && !padding)
        return true;
    error_at(l, arg_span(a, boundary ? ARG_boundary_check : ARG_padding_option), E_BOUNDARY);
    if (boundary && val_is_const(arg(a, ARG_boundary_check), CONST_STRING))
        hint_at(l, H_CACHE_BY_NAME, without_dot(arg(a, ARG_boundary_check).c->text));
    else
        hint_at(l, H_BOUNDARY);
    return false;
}

/* The pointers are then broadcast to the mask. */
static void warn_of_mask_rank(Lower *l, const Args *a, const Value *p, const Value *mask)
{
    if (!mask || mask->type->rank <= p->type->rank)
        return;
    warn_at(l, arg_span(a, ARG_mask), W_MASK_RANK, val_type_text(l, mask->type),
            val_type_text(l, p->type));
    hint_at(l, H_MASK_RANK);
}

Val memory_load(Lower *l, const Args *a)
{
    AccessHints hints;
    bool is_volatile;
    Value *v[3];

    if (val_is_handle(arg(a, ARG_pointer)))
        return load_block_ptr(l, a);
    v[LOAD_PTR] = pointer_argument(l, a);
    if (!v[LOAD_PTR] || !load_options(l, a, &hints, &is_volatile) || !check_no_boundary(l, a) ||
        !mask_argument(l, a, &v[LOAD_MASK]) || !other_argument(l, a, v[LOAD_PTR], &v[LOAD_OTHER]) ||
        !check_scalar(l, a, ARG_mask, v[LOAD_PTR], v[LOAD_MASK], "Mask") ||
        !check_scalar(l, a, ARG_other, v[LOAD_PTR], v[LOAD_OTHER], "Other"))
        return val_unknown();
    int n = v[LOAD_OTHER] ? 3 : v[LOAD_MASK] ? 2 : 1;
    warn_of_mask_rank(l, a, v[LOAD_PTR], v[LOAD_MASK]);
    if (!ops_broadcast_all(l, v, n, a->span))
        return val_unknown();
    Op *load = build_load(&l->b, v[LOAD_PTR], v[LOAD_MASK], v[LOAD_OTHER]);
    access_hints_put(load, &hints);
    attr_set(load, ATTR_volatile, is_volatile);
    return val_run(load->results[0]);
}

/* --- store --- */

static bool check_writable(Lower *l, const Args *a, const Value *p)
{
    if (!p->type->is_const)
        return true;
    error_at(l, arg_span(a, ARG_pointer), E_CONST_POINTER, val_type_text(l, p->type));
    return false;
}

/* A value in the element type of what p points to. */
static Value *data_argument(Lower *l, const Args *a, ArgName name, Value *p)
{
    DType t = p->type->dtype;
    Value *v;

    if (val_is_number(arg(a, name))) {
        stored_warn_of_literal(l, arg(a, name).c, t, arg_span(a, name));
        return literal_cast(l, arg(a, name).c, t, arg_span(a, name));
    }
    v = arg_run(l, a, name);
    if (!v || !ops_shapes_fit(l, val_run(p), arg(a, name), a->span))
        return NULL;
    stored_warn(l, v, t, arg_span(a, name));
    return ops_cast(l, v, t, ROUND_NEAREST, arg_span(a, name));
}

/* p, value and mask in one shape, which must be p's (R210). */
static bool spread_data(Lower *l, const Args *a, Value **v, int n)
{
    const Type *shape = v[0]->type;

    if (!ops_broadcast_all(l, v, n, a->span))
        return false;
    if (v[0]->type == shape)
        return true;
    error_at(l, arg_span(a, ARG_pointer), E_STORE_SHAPE, val_type_text(l, v[1]->type),
             val_type_text(l, shape));
    hint_at(l, H_STORE_SHAPE);
    return false;
}

Val memory_store(Lower *l, const Args *a)
{
    AccessHints hints;
    Value *v[3];

    if (val_is_handle(arg(a, ARG_pointer)))
        return store_block_ptr(l, a);
    v[STORE_PTR] = pointer_argument(l, a);
    if (!v[STORE_PTR] || !check_writable(l, a, v[STORE_PTR]))
        return val_unknown();
    if (has_boundary(a)) {
        error_at(l, arg_span(a, ARG_boundary_check), E_BOUNDARY);
        hint_at(l, H_BOUNDARY_STORE);
        return val_unknown();
    }
    v[STORE_DATA] = data_argument(l, a, ARG_value, v[STORE_PTR]);
    if (!v[STORE_DATA] || !mask_argument(l, a, &v[STORE_MASK]) || !access_hints(l, a, &hints) ||
        !check_scalar(l, a, ARG_value, v[STORE_PTR], v[STORE_DATA], "Value") ||
        !check_scalar(l, a, ARG_mask, v[STORE_PTR], v[STORE_MASK], "Mask"))
        return val_unknown();
    int n = v[STORE_MASK] ? 3 : 2;
    if (!spread_data(l, a, v, n))
        return val_unknown();
    access_hints_put(build_op(&l->b, OP_store, n, v, 0, NULL, 0, NULL), &hints);
    return val_none(l);
}

/* --- atomics --- */

/* `usual` is the order where none is said. */
static bool sem_options(Lower *l, const Args *a, Sem usual, int64_t *sem, int64_t *scope)
{
    static const char *const sems[] = {"", "acq_rel", "acquire", "release", "relaxed"};
    const int sem_values[] = {usual, SEM_ACQ_REL, SEM_ACQUIRE, SEM_RELEASE, SEM_RELAXED};
    static const char *const scopes[] = {"", "gpu", "cta", "sys"};
    static const int scope_values[] = {SCOPE_GPU, SCOPE_GPU, SCOPE_CTA, SCOPE_SYS};

    bool good = arg_choice(l, a, ARG_sem, sems, sem_values, COUNT(sems), E_SEM, sem);

    return arg_choice(l, a, ARG_scope, scopes, scope_values, COUNT(scopes), E_SEM, scope) && good;
}

bool atomic_takes(RmwKind kind, DType t)
{
    bool wide_int = dtype_is_int(t) && dtype_bits(t) >= 32;
    bool wide_float = t == DT_FP32 || t == DT_FP64;

    switch (kind) {
    case RMW_ADD:
        return wide_int || wide_float || t == DT_FP16 || t == DT_BF16;
    case RMW_MAX:
    case RMW_MIN:
    case RMW_XCHG:
        return wide_int || wide_float;
    case RMW_AND:
    case RMW_OR:
    case RMW_XOR:
        return wide_int;
    }
    return false;
}

typedef struct {
    RmwKind kind;
    int64_t sem, scope;
} Atomic;

/* v: pointer, data, mask or NULL, of one shape. */
static Value *build_atomic(Lower *l, const Atomic *how, Value *const *v)
{
    Op *op = build_op(&l->b, OP_atomic_rmw, v[RMW_MASK] ? 3 : 2, v, 0, NULL, 0, NULL);

    attr_set(op, ATTR_rmw_kind, how->kind);
    attr_set(op, ATTR_sem, how->sem);
    attr_set(op, ATTR_scope, how->scope);
    return op->results[0];
}

/* The pointer of an atomic of this kind; NULL after an error. */
static Value *atomic_pointer(Lower *l, const Args *a, RmwKind kind)
{
    Value *p = pointer_argument(l, a);

    if (!p || !check_writable(l, a, p))
        return NULL;
    if (atomic_takes(kind, p->type->dtype))
        return p;
    error_at(l, arg_span(a, ARG_pointer), E_ATOMIC_TYPE, a->builtin->name,
             dtype_triton_name(p->type->dtype));
    hint_at(l, "%s",
            atomic_takes(kind, DT_FP16)   ? H_ATOMIC_ADD
            : atomic_takes(kind, DT_FP32) ? H_ATOMIC_WIDE
                                          : H_ATOMIC_BITS);
    return NULL;
}

static Value *atomic_of(Lower *l, const Args *a, RmwKind kind, Sem usual)
{
    Value *v[3] = {[RMW_PTR] = atomic_pointer(l, a, kind)};
    Atomic how = {.kind = kind};

    if (!v[RMW_PTR])
        return NULL;
    v[RMW_DATA] = data_argument(l, a, ARG_val, v[RMW_PTR]);
    if (!v[RMW_DATA] || !mask_argument(l, a, &v[RMW_MASK]) ||
        !sem_options(l, a, usual, &how.sem, &how.scope) ||
        !check_scalar(l, a, ARG_val, v[RMW_PTR], v[RMW_DATA], "Value") ||
        !check_scalar(l, a, ARG_mask, v[RMW_PTR], v[RMW_MASK], "Mask") ||
        !spread_data(l, a, v, v[RMW_MASK] ? 3 : 2))
        return NULL;
    if (kind == RMW_ADD && !v[RMW_MASK])
        unread_warn_of_atomic(l, a, v[RMW_PTR], v[RMW_DATA]);
    return build_atomic(l, &how, v);
}

Val memory_atomic(Lower *l, const Args *a)
{
    Value *old = atomic_of(l, a, (RmwKind)a->builtin->data, SEM_ACQ_REL);

    return old ? val_run(old) : val_unknown();
}

Val memory_atomic_store(Lower *l, const Args *a)
{
    return atomic_of(l, a, RMW_XCHG, SEM_RELEASE) ? val_none(l) : val_unknown();
}

/* What changes nothing where it is added or or-ed; of floats -0, since 0 + -0 is 0. */
static Atomic reading(const Value *p)
{
    return (Atomic){.kind = dtype_is_float(p->type->dtype) ? RMW_ADD : RMW_OR};
}

static Value *neutral(Lower *l, const Value *p)
{
    const Type *t = type_with_dtype(l->module, p->type, p->type->dtype);

    return dtype_is_float(t->dtype) ? build_float(&l->b, t, -0.0) : build_int(&l->b, t, 0);
}

/* A pointer whose elements are read as whole ones; NULL after an error. */
static Value *atomic_source(Lower *l, const Args *a)
{
    Value *p = pointer_argument(l, a);
    bool is_float = p && dtype_is_float(p->type->dtype);

    return p ? atomic_pointer(l, a, is_float ? RMW_ADD : RMW_OR) : NULL;
}

Val memory_atomic_load(Lower *l, const Args *a)
{
    Value *v[3] = {[RMW_PTR] = atomic_source(l, a)};

    if (!v[RMW_PTR])
        return val_unknown();
    Atomic how = reading(v[RMW_PTR]);
    if (!mask_argument(l, a, &v[RMW_MASK]) ||
        !sem_options(l, a, SEM_ACQUIRE, &how.sem, &how.scope) ||
        !check_scalar(l, a, ARG_mask, v[RMW_PTR], v[RMW_MASK], "Mask"))
        return val_unknown();
    v[RMW_DATA] = neutral(l, v[RMW_PTR]);
    if (!spread_data(l, a, v, v[RMW_MASK] ? 3 : 2))
        return val_unknown();
    return val_run(build_atomic(l, &how, v));
}

/* Does some element differ from what is expected?  A scalar i1. */
static Value *differs(Lower *l, const Atomic *how, Value *const *v, Value *expected)
{
    Value *wrong = build_binary(&l->b, OP_ne, build_atomic(l, how, v), expected);
    int32_t all = (int32_t)type_numel(wrong->type);

    if (wrong->type->rank == 0)
        return wrong;
    return reduce_values(l, OP_or, build_reshape(&l->b, wrong, 1, &all), 0);
}

/* while differs(): nothing */
static void build_wait(Lower *l, const Atomic *how, Value *const *v, Value *expected)
{
    Op *op = build_op(&l->b, OP_while, 0, NULL, 0, NULL, 0, NULL);
    Builder after = l->b;

    for (int r = 0; r < 2; r++) {
        op->regions[r] = block_new(l->b.func, op);
        l->b.block = op->regions[r];
        l->b.before = NULL;
        Value *again = r == 0 ? differs(l, how, v, expected) : NULL;
        build_yield(&l->b, r == 0 ? OP_condition : OP_yield, r == 0, &again);
    }
    l->b = after;
}

/* True once all are as expected; with a timeout of 0, whether they are. */
Val memory_atomic_poll(Lower *l, const Args *a)
{
    Value *v[3] = {[RMW_PTR] = atomic_source(l, a)}, *expected;
    Val timeout = arg(a, ARG_timeout_ns);
    int64_t none = -1;

    if (!v[RMW_PTR])
        return val_unknown();
    Atomic how = reading(v[RMW_PTR]);
    if (!sem_options(l, a, SEM_ACQUIRE, &how.sem, &how.scope))
        return val_unknown();
    if (!val_is_const(timeout, CONST_NONE) && (!arg_int(l, a, ARG_timeout_ns, &none) || none != 0))
        return fail_val(l, arg_span(a, ARG_timeout_ns), E_POLL_TIMEOUT);
    v[RMW_DATA] = neutral(l, v[RMW_PTR]);
    expected = data_argument(l, a, ARG_expect, v[RMW_PTR]);
    if (!expected || !(expected = ops_to_shape(l, expected, v[RMW_DATA]->type)))
        return val_unknown();
    if (none == 0)
        return val_run(build_unary(&l->b, OP_not, differs(l, &how, v, expected)));
    build_wait(l, &how, v, expected);
    return val_run(build_int(&l->b, type_scalar(l->module, DT_I1), 1));
}

/* R222 asks for exactly the element type; a literal takes it. */
static Value *cas_operand(Lower *l, const Args *a, ArgName name, const Value *p)
{
    const Type *want = type_with_dtype(l->module, p->type, p->type->dtype);
    Value *v;

    if (val_is_number(arg(a, name))) {
        v = literal_cast(l, arg(a, name).c, p->type->dtype, arg_span(a, name));
        return v ? ops_to_shape(l, v, p->type) : NULL;
    }
    v = arg_run(l, a, name);
    if (!v || v->type == want)
        return v;
    error_at(l, arg_span(a, name), E_CAS_TYPE, val_type_text(l, v->type), val_type_text(l, want));
    return NULL;
}

Val memory_cas(Lower *l, const Args *a)
{
    Value *v[3] = {[CAS_PTR] = pointer_argument(l, a)};
    int64_t sem, scope;

    if (!v[CAS_PTR] || !check_writable(l, a, v[CAS_PTR]))
        return val_unknown();
    if (dtype_bits(v[CAS_PTR]->type->dtype) < 16)
        return fail_val(l, arg_span(a, ARG_pointer), E_CAS_WIDTH,
                        dtype_triton_name(v[CAS_PTR]->type->dtype));
    v[CAS_EXPECTED] = cas_operand(l, a, ARG_cmp, v[CAS_PTR]);
    v[CAS_NEW] = cas_operand(l, a, ARG_val, v[CAS_PTR]);
    if (!v[CAS_EXPECTED] || !v[CAS_NEW] || !sem_options(l, a, SEM_ACQ_REL, &sem, &scope))
        return val_unknown();
    Op *op = build_op(&l->b, OP_atomic_cas, 3, v, 0, NULL, 0, NULL);
    attr_set(op, ATTR_sem, sem);
    attr_set(op, ATTR_scope, scope);
    return val_run(op->results[0]);
}

Val memory_barrier(Lower *l, const Args *a)
{
    (void)a;
    build_op(&l->b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
    return val_none(l);
}
