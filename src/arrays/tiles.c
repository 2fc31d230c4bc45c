/*
 * tiles.c - descriptor(X, SHAPE): an array that a kernel reads and writes by tiles of one shape
 *
 * What `TensorDescriptor.from_tensor(x, shape)` makes in Python; kernels call `x.load([i, j])`.
 */
#include "value.h"

#include <string.h>

/* The class is what tells such an object from others; it has nothing that could be asked of it. */
static const PyClass tiles_class = {.name = "a descriptor"};

const Tiles *value_tiles(const Const *v)
{
    return v->kind == CONST_OBJECT && v->class == &tiles_class ? v->object : NULL;
}

/* The extents of a tile, one for each dimension of the array. */
static bool read_shape(Py *p, const Const *shape, const Array *a, Span at, Tiles *out)
{
    const Const *items;
    int n;

    if (!const_items(shape, &items, &n)) {
        items = shape;
        n = 1;
    }
    if (n != a->ndim || n == 0)
        return py_fail(p, at, "a descriptor of this array has tiles of %d dimensions", a->ndim);
    for (int i = 0; i < n; i++) {
        if (items[i].kind != CONST_INT || items[i].integer < 1 || items[i].integer > INT32_MAX)
            return py_fail(p, at, "the extents of a tile are integers from 1 on");
        out->extents[i] = (int64_t)items[i].integer;
    }
    return true;
}

static bool call(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    const Array *a = args->len >= 2 ? value_array(&args->at[0].value) : NULL;
    const PyArg *padding = args->len == 3 ? &args->at[2] : NULL;
    Tiles *tiles = NEW(p->arena, Tiles);

    (void)self;
    if (!a || args->len > 3 || (padding && !padding->keyword))
        return py_fail(p, at, "it is descriptor(X, SHAPE[, padding='nan'])");
    tiles->array = *a;
    tiles->pads_nan =
        padding && padding->value.kind == CONST_STRING && strcmp(padding->value.text, "nan") == 0;
    *out = (Const){.kind = CONST_OBJECT, .class = &tiles_class, .object = tiles};
    return read_shape(p, &args->at[1].value, a, at, tiles);
}

bool tiles_function(const char *name, Const *out)
{
    static const PyClass class = {.name = "a function", .call = call};

    *out = (Const){.kind = CONST_OBJECT, .class = &class, .object = &class};
    return strcmp(name, "descriptor") == 0;
}
