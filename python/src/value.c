/*
 * value.c - what a Python object is as an argument of a launch
 *
 * Numbers, texts, None, tuples, and what the package has for dtypes and constants; all else that
 * says where its elements are is an array.
 */
#include <string.h>

#include "core.h"

static int read_int(PyObject *o, const char *param, tilec_arg *out)
{
    int overflow;

    out->kind = TILEC_ARG_INT;
    out->integer = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow <= 0 && !(overflow < 0))
        return out->integer == -1 && PyErr_Occurred() ? -1 : 0;
    out->kind = TILEC_ARG_UINT;
    out->uinteger = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    if (overflow > 0 && !PyErr_Occurred())
        return 0;
    PyErr_Format(PyExc_OverflowError, "the value given for `%s` does not fit into 64 bits", param);
    return -1;
}

static int read_text(PyObject *o, tilec_arg *out, Keep *k)
{
    PyObject *bytes = PyUnicode_AsUTF8String(o);

    if (keep_object(k, bytes) != 0)
        return -1;
    out->kind = TILEC_ARG_STRING;
    out->text = PyBytes_AsString(bytes);
    return 0;
}

static int read_tuple(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    Py_ssize_t n = PyTuple_Size(o);
    tilec_arg *items = keep_memory(k, sizeof(tilec_arg) * (size_t)n);

    if (!items || Py_EnterRecursiveCall(" in an argument of a kernel"))
        return -1;
    Py_ssize_t i = 0;
    while (i < n && value_read(PyTuple_GetItem(o, i), param, &items[i], k) == 0)
        i++;
    Py_LeaveRecursiveCall();
    if (i < n)
        return -1;
    out->kind = TILEC_ARG_TUPLE;
    out->items = items;
    out->nitems = (int)n;
    return 0;
}

static int read_named_tuple(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    PyObject *fields = PyObject_GetAttr((PyObject *)Py_TYPE(o), core.names._fields);

    if (keep_object(k, fields) != 0 || read_tuple(o, param, out, k) != 0)
        return -1;
    for (int i = 0; i < out->nitems; i++) {
        PyObject *name = PySequence_GetItem(fields, i);
        PyObject *bytes = name ? PyUnicode_AsUTF8String(name) : NULL;

        Py_XDECREF(name);
        if (keep_object(k, bytes) != 0)
            return -1;
        ((tilec_arg *)out->items)[i].name = PyBytes_AsString(bytes);
    }
    return 0;
}

/* Reads what `o` stands for, which is handed over. */
static int read_kept(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    if (keep_object(k, o) != 0)
        return -1;
    if (Py_EnterRecursiveCall(" in an argument of a kernel"))
        return -1;
    int result = value_read(o, param, out, k);
    Py_LeaveRecursiveCall();
    return result;
}

/* A scalar of NumPy; one that Python has no number for is rounded to a float. */
static int read_scalar(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    PyObject *item = PyObject_CallMethod(o, "item", NULL);

    if (item && Py_TYPE(item) == Py_TYPE(o)) {
        PyObject *number = PyNumber_Float(item);

        Py_DECREF(item);
        item = number;
    }
    return read_kept(item, param, out, k);
}

/* In the words of describe() in tilec/values.py. */
static int refuse_object(PyObject *o, const char *param)
{
    enum { SHOWN = 200 }; /* characters of what may be a whole file */
    PyObject *said = PyObject_CallFunctionObjArgs(core.describe, o, NULL);
    PyObject *what = said ? PyTuple_GetItem(said, 0) : NULL;
    PyObject *advice = said ? PyTuple_GetItem(said, 1) : NULL;

    PyObject *text = what ? PyObject_Repr(o) : NULL;
    PyObject *begin = text ? PyUnicode_Substring(text, 0, SHOWN) : NULL;
    const char *more = text && PyUnicode_GetLength(text) > SHOWN ? "..." : "";

    if (begin && advice && advice != Py_None)
        PyErr_Format(PyExc_TypeError, "`%s` cannot be %U: %U%s\nhint: %U", param, what, begin, more,
                     advice);
    else if (begin)
        PyErr_Format(PyExc_TypeError,
                     "`%s` cannot be %U: %U%s\nhint: give an array of NumPy or PyTorch, a number, "
                     "or a tuple of these",
                     param, what, begin, more);
    Py_XDECREF(begin);
    Py_XDECREF(text);
    Py_XDECREF(said);
    return -1;
}

/* Python's own classes of numbers, where a dtype is meant. */
static const char *text_of_class(PyObject *o)
{
    if (o == (PyObject *)&PyFloat_Type)
        return "the class `float` of Python (a dtype is tl.float32)";
    if (o == (PyObject *)&PyLong_Type)
        return "the class `int` of Python (a dtype is tl.int32)";
    return o == (PyObject *)&PyBool_Type ? "the class `bool` of Python (a dtype is tl.int1)" : NULL;
}

/* What tells an object from others: of a function of the language its path, by which kernels call
 * it; of what no kernel has a value for how it looks. */
static PyObject *text_of_object(PyObject *o, Py_hash_t hash)
{
    const char *known = text_of_class(o);
    PyObject *path =
        known ? PyUnicode_FromString(known) : PyObject_GetAttrString(o, "__tilec_builtin__");

    if (path && PyUnicode_Check(path))
        return path;
    Py_XDECREF(path);
    PyErr_Clear();
    return PyUnicode_FromFormat("%R, a %R of hash %zd", o, Py_TYPE(o), (Py_ssize_t)hash);
}

/* Those that look the same are the same: none is read. */
static int read_object(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    Py_hash_t hash = k->any_object ? PyObject_Hash(o) : -1;

    if (hash == -1) {
        PyErr_Clear();
        return refuse_object(o, param);
    }
    PyObject *text = text_of_object(o, hash);
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass") : NULL;

    Py_XDECREF(text);
    if (keep_object(k, bytes) != 0)
        return -1;
    out->kind = TILEC_ARG_OBJECT;
    out->text = PyBytes_AsString(bytes);
    return 0;
}

/* A dtype of NumPy or PyTorch; one that the language lacks is an object. */
static int read_library_dtype(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    out->kind = TILEC_ARG_DTYPE;
    if (value_dtype(o, &out->dtype) == 0)
        return 0;
    PyErr_Clear();
    return read_object(o, param, out, k);
}

/* What is none of the usual types may derive from one, or turn itself into a number. */
static int read_other(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    if (PyLong_Check(o))
        return read_int(o, param, out);
    if (PyFloat_Check(o)) {
        out->kind = TILEC_ARG_FLOAT;
        out->real = PyFloat_AsDouble(o);
        return 0;
    }
    if (PyUnicode_Check(o))
        return read_text(o, out, k);
    if (PyTuple_Check(o))
        return read_tuple(o, param, out, k);
    if (PyList_Check(o))
        return read_kept(PySequence_Tuple(o), param, out, k);
    if (array_is_scalar_class(o))
        return read_library_dtype(o, param, out, k);
    if (PyIndex_Check(o))
        return read_kept(PyNumber_Index(o), param, out, k);
    return read_object(o, param, out, k);
}

/* A member of an enumeration is to kernels its name and value; of those of numbers the value. */
static int read_enum(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    static const char *const names[] = {"name", "value"};

    if (PyIndex_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o))
        return read_other(o, param, out, k);
    tilec_arg *items = keep_memory(k, sizeof(tilec_arg) * COUNT(names));
    for (int i = 0; i < COUNT(names); i++) {
        if (!items || read_kept(PyObject_GetAttrString(o, names[i]), param, &items[i], k) != 0)
            return -1;
        if (items[i].kind == TILEC_ARG_OBJECT)
            return read_object(o, param, out, k);
        items[i].name = names[i];
    }
    out->kind = TILEC_ARG_TUPLE;
    out->items = items;
    out->nitems = COUNT(names);
    return 0;
}

/* The names of a record's attributes, in their order: a new reference to a tuple. */
static PyObject *record_names(PyObject *o)
{
    bool has_fields = PyObject_HasAttr(o, core.names.__dataclass_fields__);
    PyObject *dict =
        PyObject_GetAttr(o, has_fields ? core.names.__dataclass_fields__ : core.names.__dict__);
    PyObject *names = dict ? PySequence_Tuple(dict) : NULL;

    Py_XDECREF(dict);
    return names;
}

/* An object that is a constant by its attributes is to kernels what a named tuple of them is. */
static int read_record(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    PyObject *names = k->any_object ? record_names(o) : NULL;

    if (!k->any_object)
        return refuse_object(o, param);
    if (keep_object(k, names) != 0)
        return -1;
    Py_ssize_t n = PyTuple_Size(names);
    tilec_arg *items = keep_memory(k, sizeof(tilec_arg) * (size_t)n);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *name = PyTuple_GetItem(names, i), *bytes = PyUnicode_AsUTF8String(name);

        if (!items || keep_object(k, bytes) != 0 ||
            read_kept(PyObject_GetAttr(o, name), param, &items[i], k) != 0)
            return -1;
        items[i].name = PyBytes_AsString(bytes);
    }
    out->kind = TILEC_ARG_TUPLE;
    out->items = items;
    out->nitems = (int)n;
    return 0;
}

static bool dtype_of_text(const char *name, tilec_dtype *out)
{
    const char *known;

    for (int t = 0; (known = tilec_dtype_name((tilec_dtype)t)); t++) {
        if (strcmp(name, known) == 0) {
            *out = (tilec_dtype)t;
            return true;
        }
    }
    return dtype_of_name(name, out);
}

/* What a dtype calls itself: those of the package "fp32" as the library, "int32" as NumPy, and
 * "int1"; those of PyTorch "torch.float32"; a text is its own name; NumPy's classes of scalars,
 * "float32", too. */
static PyObject *dtype_text(PyObject *o)
{
    if (array_is_scalar_class(o))
        return PyObject_GetAttrString(o, "__name__");
    bool has_name = !PyUnicode_Check(o) && PyObject_HasAttr(o, core.names.name);

    return has_name ? PyObject_GetAttr(o, core.names.name) : PyObject_Str(o);
}

int value_dtype(PyObject *o, tilec_dtype *out)
{
    PyObject *text = dtype_text(o);
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    const char *name = bytes ? PyBytes_AsString(bytes) : NULL;

    if (name && strncmp(name, "torch.", 6) == 0)
        name += 6;
    bool is_bool = name && (strcmp(name, "int1") == 0 || strcmp(name, "bool_") == 0);
    bool known = name && dtype_of_text(is_bool ? "bool" : name, out);

    if (name && !known)
        PyErr_Format(PyExc_TypeError, "%R is no dtype that an argument can be", o);
    Py_XDECREF(text);
    Py_XDECREF(bytes);
    return known ? 0 : -1;
}

/* The elements of an array as those of another dtype.  Without an array: an aligned pointer to them
 * and to no others, as most are, for a compile without a launch. */
static int read_reinterpreted(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    PyObject *base = PyObject_GetAttrString(o, "base"), *dtype;

    if (keep_object(k, base) != 0)
        return -1;
    dtype = PyObject_GetAttr(o, core.names.dtype);
    if (keep_object(k, dtype) != 0)
        return -1;
    if (base == Py_None)
        out->tensor = (tilec_tensor){.data = (void *)(uintptr_t)(4096 * ++k->nstand_ins)};
    else if (value_read(base, param, out, k) != 0)
        return -1;
    out->kind = TILEC_ARG_TENSOR;
    return value_dtype(dtype, &out->tensor.dtype);
}

/* A constant that is compiled in whatever its parameter says. */
static int read_constexpr(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    tilec_arg *value = keep_memory(k, sizeof *value);
    bool any_object = k->any_object;

    k->any_object = true;
    bool good = value && read_kept(PyObject_GetAttr(o, core.names.value), param, value, k) == 0;
    k->any_object = any_object;
    if (!good)
        return -1;
    out->kind = TILEC_ARG_CONSTEXPR;
    out->items = value;
    out->nitems = 1;
    return 0;
}

/* The numbers of an attribute. */
static int read_extents(PyObject *o, PyObject *name, int64_t **out, Keep *k)
{
    PyObject *sequence = PyObject_GetAttr(o, name);

    return keep_object(k, sequence) != 0 ? -1 : array_numbers(sequence, out, k);
}

static int read_descriptor(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    int64_t *shape, *strides, *block;
    int n, nstrides, nblock;
    PyObject *padding;

    if (read_kept(PyObject_GetAttr(o, core.names.base), param, out, k) != 0)
        return -1;
    n = read_extents(o, core.names.shape, &shape, k);
    nstrides = n < 0 ? -1 : read_extents(o, core.names.strides, &strides, k);
    nblock = nstrides < 0 ? -1 : read_extents(o, core.names.block_shape, &block, k);
    if (nblock < 0)
        return -1;
    tilec_arg *items = keep_memory(k, sizeof(tilec_arg) * (size_t)nblock);
    padding = PyObject_GetAttr(o, core.names.padding);
    if (!items || keep_object(k, padding) != 0)
        return -1;
    if (out->kind != TILEC_ARG_TENSOR || n != nstrides || n != nblock) {
        PyErr_Format(PyExc_ValueError, "the descriptor given for `%s` makes no sense: %R", param,
                     o);
        return -1;
    }
    for (int i = 0; i < nblock; i++)
        items[i] = (tilec_arg){.kind = TILEC_ARG_INT, .integer = block[i]};
    out->kind = TILEC_ARG_DESCRIPTOR;
    out->tensor.ndim = n;
    out->tensor.shape = shape;
    out->tensor.strides = strides;
    out->items = items;
    out->nitems = nblock;
    out->integer =
        PyUnicode_Check(padding) && PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
    return 0;
}

static int read_function(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    out->kind = TILEC_ARG_FUNCTION;
    if (k->file)
        out->text = file_function(k->file, o);
    else
        PyErr_Format(PyExc_TypeError, "`%s` cannot be a function", param);
    return out->text ? 0 : -1;
}

/* One element without a dimension is, as a constant, a number. */
static bool is_number(PyObject *o, const tilec_tensor *t)
{
    return t->ndim == 0 && t->memory == TILEC_MEMORY_HOST && PyObject_HasAttrString(o, "item");
}

int value_truth(PyObject *o, const char *option)
{
    if (PyUnicode_Check(o) || PyBytes_Check(o) || PyFloat_Check(o) || PyDict_Check(o) ||
        (PySequence_Check(o) && PySequence_Size(o) >= 0)) {
        PyErr_Format(PyExc_TypeError, "%s must be True or False, not %R", option, o);
        return -1;
    }
    PyErr_Clear(); /* of what has no length */
    return PyObject_IsTrue(o);
}

int value_checking(PyObject *o, const char *option)
{
    if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, "first") == 0)
        return CHECK_FIRST;
    if (PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s must be True, False or \"first\", not %R", option, o);
        return -1;
    }
    return value_truth(o, option);
}

int value_read(PyObject *o, const char *param, tilec_arg *out, Keep *k)
{
    TypeEntry found;
    const TypeEntry *entry = &found;

    *out = (tilec_arg){0};
    if (PyLong_CheckExact(o))
        return read_int(o, param, out);
    if (PyFloat_CheckExact(o)) {
        out->kind = TILEC_ARG_FLOAT;
        out->real = PyFloat_AsDouble(o);
        return 0;
    }
    if (o == Py_None) {
        out->kind = TILEC_ARG_NONE;
        return 0;
    }
    if (PyBool_Check(o)) {
        out->kind = TILEC_ARG_BOOL;
        out->integer = o == Py_True;
        return 0;
    }
    if (PyUnicode_CheckExact(o))
        return read_text(o, out, k);
    if (PyTuple_CheckExact(o))
        return read_tuple(o, param, out, k);
    found = *type_entry(o); /* reading may ask for other types */
    switch (entry->kind) {
    case IS_UNKNOWN:
        return read_other(o, param, out, k);
    case IS_SCALAR:
        return read_scalar(o, param, out, k);
    case IS_CONSTEXPR:
        return read_constexpr(o, param, out, k);
    case IS_LIBRARY_DTYPE:
        return read_library_dtype(o, param, out, k);
    case IS_DTYPE:
        out->kind = TILEC_ARG_DTYPE;
        return value_dtype(o, &out->dtype);
    case IS_REINTERPRETED:
        return read_reinterpreted(o, param, out, k);
    case IS_FUNCTION:
        return read_function(o, param, out, k);
    case IS_NAMED_TUPLE:
        return read_named_tuple(o, param, out, k);
    case IS_ENUM:
        return read_enum(o, param, out, k);
    case IS_RECORD:
        return read_record(o, param, out, k);
    case IS_DESCRIPTOR:
        return read_descriptor(o, param, out, k);
    default:
        out->kind = TILEC_ARG_TENSOR;
        if (array_read(entry, o, param, &out->tensor, k) != 0)
            return -1;
        if (k->any_object && is_number(o, &out->tensor))
            return read_kept(PyObject_CallMethod(o, "item", NULL), param, out, k);
        if (out->tensor.memory == TILEC_MEMORY_HOST || k->on_device)
            return 0;
        k->on_device = true;
        return array_stream(entry, o, out->tensor.device_id, &k->stream);
    }
}
