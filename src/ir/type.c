/*
 * type.c - types of values; equal types of a module are one pointer
 */
#include <string.h>

#include "ir.h"

/* Types whose hashes are equal hang together. */
typedef struct Node Node;
struct Node {
    Type type;
    Node *next;
};

/* Equal types get equal bytes: what has no meaning is zero, padding included. */
static void canonical(Type *out, const Type *t)
{
    if (t->rank < 0 || t->rank > MAX_RANK)
        bug("a type of rank %d", t->rank);
    memset(out, 0, sizeof *out);
    out->dtype = t->dtype;
    out->pointer = t->pointer;
    out->is_const = (t->pointer || t->handle != HANDLE_NONE) && t->is_const;
    out->space = t->pointer ? t->space : SPACE_GLOBAL;
    out->handle = t->handle;
    out->padding = t->handle == HANDLE_DESCRIPTOR ? t->padding : PAD_ZERO;
    out->rank = t->rank;
    memcpy(out->dims, t->dims, sizeof t->dims[0] * (size_t)t->rank);
}

const Type *type_of(Module *m, Type t)
{
    Type key;

    canonical(&key, &t);
    uint64_t hash = hash_bytes(&key, sizeof key, 0);
    Node *first = map_get(m->types, hash);
    for (Node *n = first; n; n = n->next) {
        if (type_equal(&n->type, &key))
            return &n->type;
    }
    Node *n = NEW(m->arena, Node);
    n->type = key;
    n->next = first;
    map_put(m->types, hash, n);
    return &n->type;
}

const Type *type_scalar(Module *m, DType d)
{
    return type_of(m, (Type){.dtype = d});
}

const Type *type_pointer(Module *m, DType d, bool is_const)
{
    return type_of(m, (Type){.dtype = d, .pointer = true, .is_const = is_const});
}

const Type *type_tile(Module *m, DType d, int rank, const int32_t *dims)
{
    Type t = {.dtype = d, .rank = (int8_t)rank};

    if (rank < 0 || rank > MAX_RANK)
        bug("a type of rank %d", rank);
    if (rank > 0)
        memcpy(t.dims, dims, sizeof t.dims[0] * (size_t)rank);
    return type_of(m, t);
}

const Type *type_with_shape(Module *m, const Type *element, const Type *shape)
{
    Type t = *element;

    t.rank = shape->rank;
    memcpy(t.dims, shape->dims, sizeof t.dims);
    return type_of(m, t);
}

const Type *type_with_dtype(Module *m, const Type *shape, DType d)
{
    Type t = {.dtype = d, .rank = shape->rank};

    memcpy(t.dims, shape->dims, sizeof t.dims);
    return type_of(m, t);
}

const Type *type_element(Module *m, const Type *t)
{
    if (t->rank == 0)
        return t;
    return type_with_shape(m, t, &(Type){0});
}

int64_t type_numel(const Type *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->dims[i];
    return n;
}

int type_size(const Type *t)
{
    return t->pointer ? 8 : dtype_size(t->dtype);
}

bool type_same_shape(const Type *a, const Type *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims[0] * (size_t)a->rank) == 0;
}

bool type_same_element(const Type *a, const Type *b)
{
    return a->dtype == b->dtype && a->pointer == b->pointer && a->is_const == b->is_const &&
           a->space == b->space;
}

bool type_equal(const Type *a, const Type *b)
{
    return type_same_element(a, b) && a->handle == b->handle && a->padding == b->padding &&
           type_same_shape(a, b);
}

bool type_is_tile(const Type *t)
{
    return t->rank > 0;
}

static void put_element(Text *s, const Type *t)
{
    text_put(s, t->pointer ? "*" : "");
    if (t->pointer && t->space != SPACE_GLOBAL)
        text_printf(s, "%s ", attr_info(ATTR_space)->words[t->space]);
    text_put(s, t->handle == HANDLE_BLOCK_PTR    ? "block "
                : t->handle == HANDLE_DESCRIPTOR ? "descriptor "
                                                 : "");
    if (t->handle == HANDLE_DESCRIPTOR && t->padding != PAD_ZERO)
        text_printf(s, "%s ", attr_info(ATTR_padding)->words[t->padding]);
    text_put(s, t->is_const ? "k" : "");
    text_put(s, dtype_name(t->dtype));
}

void type_put(Text *s, const Type *t, const Symbol *const *extents)
{
    put_element(s, t);
    for (int i = 0; i < t->rank; i++) {
        text_put(s, i == 0 ? "[" : ",");
        if (extents && extents[i])
            symbol_put_label(s, extents[i]);
        text_printf(s, "%d", (int)t->dims[i]);
    }
    text_put(s, t->rank > 0 ? "]" : "");
}

const char *type_text(Arena *a, const Type *t)
{
    Text s = text_new(a);

    type_put(&s, t, NULL);
    return s.s;
}
