/*
 * array.c - where the elements of an array are, whoever made it
 *
 * What an object is to a launch depends on its type alone and is looked up once a type.  The ways
 * to read an array, fastest first:
 *
 *   NumPy       the head of its C object, which is part of NumPy's binary interface since 1.7; it
 * is compared with __array_interface__ when the type is first seen, and not used if that says
 * otherwise exchange    the C function that a type offers as __dlpack_c_exchange_api__
 * (PyTorch 2.10) interface   __cuda_array_interface__, the attributes of a torch.Tensor,
 * __array_interface__, a DLPack capsule: through Python, a microsecond or two each
 */
#include <string.h>

#include "core.h"

/* --- dtypes --- */

static const struct {
    const char *name;
    tilec_dtype dtype;
} dtype_names[] = {
    {"float32", TILEC_FP32},
    {"float16", TILEC_FP16},
    {"float64", TILEC_FP64},
    {"int32", TILEC_I32},
    {"int64", TILEC_I64},
    {"int8", TILEC_I8},
    {"int16", TILEC_I16},
    {"uint8", TILEC_U8},
    {"uint16", TILEC_U16},
    {"uint32", TILEC_U32},
    {"uint64", TILEC_U64},
    {"bool", TILEC_I1},
    {"bfloat16", TILEC_BF16},
    {"float8_e4m3fn", TILEC_FP8E4NV},
    {"float8_e5m2", TILEC_FP8E5},
    {"float8_e4m3fnuz", TILEC_FP8E4B8},
    {"float8_e5m2fnuz", TILEC_FP8E5B16},
};

bool dtype_of_name(const char *name, tilec_dtype *out)
{
    for (int i = 0; i < COUNT(dtype_names); i++) {
        if (strcmp(dtype_names[i].name, name) == 0) {
            *out = dtype_names[i].dtype;
            return true;
        }
    }
    return false;
}

/* NumPy's kinds of dtypes, and what makes another array of one. */
static const char *advice_for_dtype(PyObject *dtype)
{
    static const struct {
        const char *kind, *advice;
    } table[] = {
        {"c", ": .view(numpy.float32), of complex64, has real and imaginary parts in turn"},
        {"V", ": a field of it, x['name'], is an array that a kernel may have, with its strides"},
        {"M", ": .view(numpy.int64) has its numbers"},
        {"m", ": .view(numpy.int64) has its numbers"},
        {"f", ": .astype(numpy.float64) is near to it"},
        {"O", ": .astype(numpy.float32) makes numbers of it"},
        {"U", ": .astype(numpy.float32) makes numbers of it"},
        {"S", ": .astype(numpy.float32) makes numbers of it"},
    };
    PyObject *kind =
        PyObject_HasAttrString(dtype, "kind") ? PyObject_GetAttrString(dtype, "kind") : NULL;
    const char *found = "";

    for (int i = 0; kind && PyUnicode_Check(kind) && i < COUNT(table); i++) {
        if (PyUnicode_CompareWithASCIIString(kind, table[i].kind) == 0)
            found = table[i].advice;
    }
    Py_XDECREF(kind);
    return found;
}

static int no_dtype(const char *param, PyObject *dtype)
{
    PyErr_Format(PyExc_TypeError,
                 "the array given for `%s` has the dtype %S, which kernels do not have%s", param,
                 dtype, advice_for_dtype(dtype));
    return -1;
}

/* dtype objects that were asked for before: there are few, and they live long. */
typedef struct {
    PyObject *object; /* owned */
    tilec_dtype dtype;
} KnownDType;
enum { KNOWN_DTYPES = 64 };
static KnownDType known_dtypes[KNOWN_DTYPES];

static KnownDType *known_dtype(PyObject *dtype)
{
    return &known_dtypes[((uintptr_t)dtype >> 4) % KNOWN_DTYPES];
}

/* Its text as NumPy or PyTorch say it: "float32", "torch.float32". */
static int ask_dtype(PyObject *dtype, const char *param, tilec_dtype *out)
{
    PyObject *text = PyObject_HasAttr(dtype, core.names.name)
                         ? PyObject_GetAttr(dtype, core.names.name)
                         : PyObject_Str(dtype);
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    const char *name = bytes ? PyBytes_AsString(bytes) : NULL;
    PyObject *order = NULL;
    int result = -1;

    if (name && strncmp(name, "torch.", 6) == 0)
        name += 6;
    if (name && PyObject_HasAttrString(dtype, "byteorder"))
        order = PyObject_GetAttrString(dtype, "byteorder");
    if (order && PyUnicode_CompareWithASCIIString(order, ">") == 0)
        PyErr_Format(PyExc_TypeError,
                     "the array given for `%s` is not in this machine's byte order: "
                     ".astype(x.dtype.newbyteorder('=')) turns its bytes around",
                     param);
    else if (name && dtype_of_name(name, out))
        result = 0;
    else if (name && !PyErr_Occurred())
        no_dtype(param, dtype);
    Py_XDECREF(order);
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    return result;
}

static int dtype_of(PyObject *dtype, const char *param, tilec_dtype *out)
{
    KnownDType *known = known_dtype(dtype);

    if (known->object == dtype) {
        *out = known->dtype;
        return 0;
    }
    if (ask_dtype(dtype, param, out) != 0)
        return -1;
    Py_INCREF(dtype);
    Py_XDECREF(known->object);
    *known = (KnownDType){dtype, *out};
    return 0;
}

/* --- NumPy --- */

/* The head of an ndarray, as every version of NumPy's headers has it. */
typedef struct {
    PyObject ob_base;
    char *data;
    int nd;
    Py_ssize_t *dimensions, *strides; /* in bytes */
    PyObject *base, *descr;
    int flags;
} NumpyHead;
enum { NUMPY_WRITEABLE = 0x400 };

static int not_whole(const char *param)
{
    PyErr_Format(PyExc_ValueError,
                 "the strides of the array given for `%s` are no multiples of its elements' size",
                 param);
    return -1;
}

static int read_numpy(PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    const NumpyHead *a = (const NumpyHead *)o;
    int64_t *dims = keep_dims(k, 2 * a->nd);
    int64_t size;

    if (!dims || dtype_of(a->descr, param, &out->dtype) != 0)
        return -1;
    size = (int64_t)tilec_dtype_size(out->dtype);
    for (int i = 0; i < a->nd; i++) {
        dims[i] = a->dimensions[i];
        dims[a->nd + i] = a->strides[i] / size;
        if (dims[a->nd + i] * size != a->strides[i])
            return not_whole(param);
    }
    out->data = a->data;
    out->read_only = !(a->flags & NUMPY_WRITEABLE);
    out->ndim = a->nd;
    out->shape = dims;
    out->strides = dims + a->nd;
    return 0;
}

/* Are elements of this numpy.ma.MaskedArray masked?  -1 after an exception. */
static int has_masked(PyObject *o)
{
    PyObject *ma = PyImport_ImportModule("numpy.ma");
    PyObject *is = ma ? PyObject_CallMethod(ma, "is_masked", "O", o) : NULL;
    int result = is ? PyObject_IsTrue(is) : -1;

    Py_XDECREF(is);
    Py_XDECREF(ma);
    return result;
}

static int read_masked(PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    int masked = has_masked(o);

    if (masked > 0)
        PyErr_Format(PyExc_ValueError,
                     "the array given for `%s` has masked elements, and kernels know no such "
                     "masks: x.filled(0) has a number for each, x.data those that are below",
                     param);
    return masked ? -1 : read_numpy(o, param, out, k);
}

/* --- DLPack, https://dmlc.github.io/dlpack --- */

typedef struct {
    void *data;
    int device_type;
    int32_t device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

typedef struct {
    uint32_t major, minor;
    const void *previous;
    void *allocate, *managed_from_object, *managed_to_object;
    int (*from_object)(void *object, DLTensor *out);
    int (*current_stream)(int device_type, int32_t device_id, void **out);
} DLExchange;

enum { DL_COMPLEX = 5 }; /* a code of elements */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };

/* Element types by their code and bits. */
static const struct {
    uint8_t code, bits, dtype;
} dl_dtypes[] = {
    {2, 32, TILEC_FP32},     {2, 16, TILEC_FP16},    {4, 16, TILEC_BF16},  {0, 32, TILEC_I32},
    {0, 64, TILEC_I64},      {2, 64, TILEC_FP64},    {0, 8, TILEC_I8},     {0, 16, TILEC_I16},
    {1, 8, TILEC_U8},        {1, 16, TILEC_U16},     {1, 32, TILEC_U32},   {1, 64, TILEC_U64},
    {6, 8, TILEC_I1},        {10, 8, TILEC_FP8E4NV}, {12, 8, TILEC_FP8E5}, {11, 8, TILEC_FP8E4B8},
    {13, 8, TILEC_FP8E5B16},
};

/* What they are called that kernels have in other sizes, or not at all. */
static const char *const dl_kinds[] = {"integers", "unsigned integers", "floats",  "objects",
                                       "bfloats",  "complex numbers",   "booleans"};

static int dl_dtype(const DLTensor *t, const char *param, tilec_dtype *out)
{
    for (int i = 0; i < COUNT(dl_dtypes) && t->lanes == 1; i++) {
        if (dl_dtypes[i].code == t->code && dl_dtypes[i].bits == t->bits) {
            *out = (tilec_dtype)dl_dtypes[i].dtype;
            return 0;
        }
    }
    const char *kind = t->code < COUNT(dl_kinds) ? dl_kinds[t->code] : "elements";
    PyErr_Format(
        PyExc_TypeError, "the tensor given for `%s` has %s of %d bits, which kernels do not have%s",
        param, kind, t->bits * t->lanes,
        t->code == DL_COMPLEX ? ": torch.view_as_real(x) has real and imaginary parts in turn"
                              : "");
    return -1;
}

static int dl_memory(const DLTensor *t, const char *param, tilec_tensor *out)
{
    if (t->device_type == DL_CPU || t->device_type == DL_CUDA_HOST)
        return 0;
    if (t->device_type != DL_CUDA && t->device_type != DL_CUDA_MANAGED) {
        PyErr_Format(PyExc_ValueError,
                     "the tensor given for `%s` is on a device that tilec does not know (DLPack's "
                     "number %d)",
                     param, t->device_type);
        return -1;
    }
    out->memory = TILEC_MEMORY_DEVICE;
    out->device_id = t->device_id;
    return 0;
}

static int read_dltensor(const DLTensor *t, const char *param, tilec_tensor *out, Keep *k)
{
    int64_t *dims = keep_dims(k, 2 * t->ndim);

    if (!dims || dl_dtype(t, param, &out->dtype) != 0 || dl_memory(t, param, out) != 0)
        return -1;
    out->data = (char *)t->data + t->byte_offset;
    out->ndim = t->ndim;
    for (int i = 0; i < t->ndim; i++)
        dims[i] = t->shape[i];
    for (int i = 0; i < t->ndim && t->strides; i++)
        dims[t->ndim + i] = t->strides[i];
    out->shape = dims;
    out->strides = t->strides ? dims + t->ndim : NULL;
    return 0;
}

static bool is_true(PyObject *o, const char *attribute)
{
    PyObject *value = PyObject_GetAttrString(o, attribute);
    bool is = value == Py_True;

    PyErr_Clear();
    Py_XDECREF(value);
    return is;
}

/* Its library says why at length; what the tensor is, and where, says it better. */
static int unreadable(PyObject *o, const char *param)
{
    PyErr_Clear();
    if (is_true(o, "is_sparse") || is_true(o, "is_sparse_csr"))
        PyErr_Format(
            PyExc_ValueError,
            "the tensor given for `%s` is sparse, and kernels read arrays: .to_dense() makes "
            "one, or give its values and indices",
            param);
    else if (is_true(o, "is_quantized"))
        PyErr_Format(PyExc_ValueError,
                     "the tensor given for `%s` is quantized, which kernels do not know: "
                     ".dequantize() makes floats of it, .int_repr() gives its integers, to which "
                     ".q_scale() and .q_zero_point() belong",
                     param);
    if (PyErr_Occurred())
        return -1;
    PyObject *device = PyObject_GetAttr(o, core.names.device);

    if (device)
        PyErr_Format(PyExc_ValueError,
                     "the tensor given for `%s` is where kernels cannot read it: its device is %S; "
                     ".to(\"cpu\") brings elements here, of which \"meta\" has none",
                     param, device);
    Py_XDECREF(device);
    return -1;
}

static int read_exchange(const DLExchange *api, PyObject *o, const char *param, tilec_tensor *out,
                         Keep *k)
{
    DLTensor t;

    if (api->from_object(o, &t) == 0)
        return read_dltensor(&t, param, out, k);
    return unreadable(o, param);
}

static int read_capsule(PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    PyObject *capsule = PyObject_CallMethodObjArgs(o, core.names.__dlpack__, NULL);
    const DLTensor *t;

    if (keep_object(k, capsule) != 0)
        return -1;
    t = PyCapsule_GetPointer(capsule, "dltensor"); /* which a managed tensor begins with */
    return t ? read_dltensor(t, param, out, k) : -1;
}

/* --- __array_interface__, __cuda_array_interface__ --- */

int array_numbers(PyObject *o, int64_t **out, Keep *k)
{
    PyObject *tuple = PySequence_Tuple(o);
    Py_ssize_t n;

    if (keep_object(k, tuple) != 0)
        return -1;
    n = PyTuple_Size(tuple);
    if (n > TILEC_MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError, "an array has too many dimensions");
        return -1;
    }
    *out = keep_dims(k, (int)n);
    for (Py_ssize_t i = 0; *out && i < n; i++)
        (*out)[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return !*out || PyErr_Occurred() ? -1 : (int)n;
}

/* The item, as a new reference that is kept; None and what is missing are NULL. */
static PyObject *interface_item(PyObject *interface, PyObject *name, Keep *k)
{
    PyObject *item = PyObject_GetItem(interface, name);

    if (!item && PyErr_ExceptionMatches(PyExc_KeyError))
        PyErr_Clear();
    if (!item || keep_object(k, item) != 0)
        return NULL;
    return item == Py_None ? NULL : item;
}

/* "<f4": the byte order, the kind, and the size of an element. */
static int read_typestr(PyObject *text, const char *param, tilec_dtype *out)
{
    static const char kinds[][12] = {"<f4float32", "<f2float16", "<f8float64", "|i1int8",
                                     "<i2int16",   "<i4int32",   "<i8int64",   "|u1uint8",
                                     "<u2uint16",  "<u4uint32",  "<u8uint64",  "|b1bool"};
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    const char *s = bytes ? PyBytes_AsString(bytes) : "";
    int result = -1;

    for (int i = 0; i < COUNT(kinds) && result != 0; i++) {
        if (s[0] && s[0] != '>' && strcmp(s + 1, "") != 0 && strncmp(kinds[i] + 1, s + 1, 2) == 0 &&
            s[3] == '\0')
            result = dtype_of_name(kinds[i] + 3, out) ? 0 : -1;
    }
    if (result != 0 && !PyErr_Occurred())
        no_dtype(param, text ? text : Py_None);
    Py_XDECREF(bytes);
    return result;
}

static int read_interface_strides(PyObject *strides, const char *param, tilec_tensor *out, Keep *k)
{
    int64_t size = (int64_t)tilec_dtype_size(out->dtype), *at;
    int n = array_numbers(strides, &at, k);

    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        if (at[i] % size != 0)
            return not_whole(param);
        at[i] /= size;
    }
    out->strides = at;
    return n == out->ndim ? 0 : not_whole(param);
}

static int read_interface(PyObject *interface, const char *param, tilec_tensor *out, Keep *k)
{
    PyObject *shape, *strides, *data;
    int64_t *dims;

    if (keep_object(k, interface) != 0)
        return -1;
    data = interface_item(interface, core.names.data, k);
    shape = interface_item(interface, core.names.shape, k);
    strides = interface_item(interface, core.names.strides, k);
    if (PyErr_Occurred())
        return -1;
    if (!data || !PyTuple_Check(data) || PyTuple_Size(data) < 1 || !shape) {
        PyErr_Format(PyExc_TypeError, "the array given for `%s` does not say where it is", param);
        return -1;
    }
    if (read_typestr(interface_item(interface, core.names.typestr, k), param, &out->dtype) != 0)
        return -1;
    out->data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    out->read_only = PyTuple_Size(data) > 1 && PyObject_IsTrue(PyTuple_GetItem(data, 1)) != 0;
    if (PyErr_Occurred())
        return -1;
    out->ndim = array_numbers(shape, &dims, k);
    if (out->ndim < 0)
        return -1;
    out->shape = dims;
    return strides ? read_interface_strides(strides, param, out, k) : 0;
}

static int read_cuda_interface(PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    PyObject *device;

    out->memory = TILEC_MEMORY_DEVICE;
    if (read_interface(PyObject_GetAttr(o, core.names.__cuda_array_interface__), param, out, k) !=
        0)
        return -1;
    device = PyObject_GetAttr(o, core.names.device);
    if (device && PyLong_Check(device))
        out->device_id = (int)PyLong_AsLong(device);
    Py_XDECREF(device);
    PyErr_Clear(); /* nobody must say on which device; 0 then */
    return 0;
}

/* --- torch.Tensor by its attributes, before PyTorch 2.10 --- */

static int read_torch_device(PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    PyObject *device = PyObject_GetAttr(o, core.names.device), *type, *index;

    if (keep_object(k, device) != 0)
        return -1;
    type = PyObject_GetAttr(device, core.names.type);
    if (keep_object(k, type) != 0)
        return -1;
    if (PyUnicode_CompareWithASCIIString(type, "cpu") == 0)
        return 0;
    if (PyUnicode_CompareWithASCIIString(type, "cuda") != 0) {
        PyErr_Format(PyExc_ValueError, "the tensor given for `%s` is on the device %S", param,
                     device);
        return -1;
    }
    out->memory = TILEC_MEMORY_DEVICE;
    index = PyObject_GetAttr(device, core.names.index);
    if (keep_object(k, index) != 0)
        return -1;
    out->device_id = index == Py_None ? 0 : (int)PyLong_AsLong(index);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_torch(PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    PyObject *dtype = PyObject_GetAttr(o, core.names.dtype), *pointer, *shape, *strides;
    int64_t *dims;

    if (keep_object(k, dtype) != 0 || dtype_of(dtype, param, &out->dtype) != 0)
        return -1;
    pointer = PyObject_CallMethodObjArgs(o, core.names.data_ptr, NULL);
    if (keep_object(k, pointer) != 0)
        return -1;
    out->data = PyLong_AsVoidPtr(pointer);
    shape = PyObject_GetAttr(o, core.names.shape);
    if (PyErr_Occurred() || keep_object(k, shape) != 0)
        return -1;
    out->ndim = array_numbers(shape, &dims, k);
    out->shape = dims;
    strides = PyObject_CallMethodObjArgs(o, core.names.stride, NULL);
    if (out->ndim < 0 || keep_object(k, strides) != 0 || array_numbers(strides, &dims, k) < 0)
        return -1;
    out->strides = dims;
    return read_torch_device(o, param, out, k);
}

/* --- what a type is --- */

enum { KNOWN_TYPES = 64 };
static TypeEntry known_types[KNOWN_TYPES];

static bool head_is_as_told(const NumpyHead *head, PyObject *o, PyObject *interface, Keep *k)
{
    PyObject *data = interface_item(interface, core.names.data, k);
    PyObject *shape = interface_item(interface, core.names.shape, k);
    PyObject *dtype = PyObject_GetAttr(o, core.names.dtype);
    int64_t *dims;
    int n = shape ? array_numbers(shape, &dims, k) : -1;
    bool same = data && PyTuple_Check(data) && n == head->nd && dtype == head->descr &&
                PyLong_AsVoidPtr(PyTuple_GetItem(data, 0)) == head->data &&
                PyObject_IsTrue(PyTuple_GetItem(data, 1)) == !(head->flags & NUMPY_WRITEABLE);

    for (int i = 0; same && i < n; i++)
        same = head->dimensions[i] == dims[i];
    Py_XDECREF(dtype);
    return same;
}

/* Does the head of the object say what the object says? */
static bool numpy_is_as_known(PyObject *o)
{
    PyObject *interface = PyObject_GetAttr(o, core.names.__array_interface__);
    bool same;
    Keep k;

    keep_init(&k);
    same =
        keep_object(&k, interface) == 0 && head_is_as_told((const NumpyHead *)o, o, interface, &k);
    PyErr_Clear();
    keep_clear(&k);
    return same;
}

/* Is the type, or one that it derives from, the one that the library, if loaded, calls so? */
static bool is_of(PyTypeObject *type, const char *library, const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules ? PyDict_GetItemString(modules, library) : NULL;
    PyObject *base = module ? PyObject_GetAttrString(module, name) : NULL;
    bool is = base && PyType_Check(base) && PyType_IsSubtype(type, (PyTypeObject *)base);

    Py_XDECREF(base);
    PyErr_Clear();
    return is;
}

bool array_is_scalar_class(PyObject *o)
{
    return PyType_Check(o) && is_of((PyTypeObject *)o, "numpy", "generic");
}

static const void *exchange_api(PyTypeObject *type)
{
    PyObject *capsule = PyObject_GetAttr((PyObject *)type, core.names.__dlpack_c_exchange_api__);
    const DLExchange *api = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;

    Py_XDECREF(capsule);
    PyErr_Clear();
    while (api && api->major != 1)
        api = api->previous;
    return api && api->from_object ? api : NULL;
}

static bool has(PyTypeObject *type, PyObject *name)
{
    return PyObject_HasAttr((PyObject *)type, name);
}

static TypeKind array_kind(PyTypeObject *type, PyObject *o, TypeEntry *e)
{
    if (is_of(type, "numpy", "generic"))
        return IS_SCALAR;
    if (is_of(type, "numpy", "dtype") || is_of(type, "torch", "dtype"))
        return IS_LIBRARY_DTYPE;
    if (is_of(type, "numpy.ma", "MaskedArray") && numpy_is_as_known(o))
        return IS_MASKED;
    if (is_of(type, "numpy", "ndarray"))
        return numpy_is_as_known(o) ? IS_NUMPY : IS_INTERFACE;
    e->api = exchange_api(type);
    if (e->api)
        return IS_EXCHANGE;
    if (has(type, core.names.data_ptr) && has(type, core.names.stride))
        return IS_TORCH;
    if (has(type, core.names.__cuda_array_interface__))
        return IS_CUDA_INTERFACE;
    if (has(type, core.names.__dlpack__))
        return IS_DLPACK;
    if (has(type, core.names.__array_interface__))
        return IS_INTERFACE;
    return pointer_is(o) ? IS_POINTER : IS_UNKNOWN;
}

static bool is_instance_of(PyTypeObject *type, PyObject *base)
{
    return base && PyType_IsSubtype(type, (PyTypeObject *)base);
}

static TypeKind kind_of_type(PyTypeObject *type, PyObject *o, TypeEntry *e)
{
    if (is_instance_of(type, core.constexpr_class))
        return IS_CONSTEXPR;
    if (is_instance_of(type, core.dtype_class))
        return IS_DTYPE;
    if (is_instance_of(type, core.reinterpreted_class))
        return IS_REINTERPRETED;
    if (PyObject_IsSubclass((PyObject *)type, core.function_classes) > 0)
        return IS_FUNCTION;
    if (PyType_IsSubtype(type, &PyTuple_Type) && has(type, core.names._fields))
        return IS_NAMED_TUPLE;
    if (has(type, core.names.__members__) && PyObject_HasAttr(o, core.names.value))
        return IS_ENUM;
    if (has(type, core.names.__tilec_descriptor__))
        return IS_DESCRIPTOR;
    TypeKind kind = array_kind(type, o, e);
    bool is_record = kind == IS_UNKNOWN && (is_instance_of(type, core.namespace_class) ||
                                            has(type, core.names.__dataclass_fields__));
    return is_record ? IS_RECORD : kind;
}

const TypeEntry *type_entry(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    TypeEntry *e = &known_types[((uintptr_t)type >> 5) % KNOWN_TYPES], made = {type};

    if (e->type == type)
        return e;
    made.kind = kind_of_type(type, o, &made);
    Py_INCREF(type);
    Py_XDECREF(e->type);
    *e = made;
    return e;
}

int array_read(const TypeEntry *entry, PyObject *o, const char *param, tilec_tensor *out, Keep *k)
{
    out->blank = 0;
    memset(out->reserved, 0, sizeof out->reserved);
    switch (entry->kind) {
    case IS_NUMPY:
        return read_numpy(o, param, out, k);
    case IS_MASKED:
        return read_masked(o, param, out, k);
    case IS_EXCHANGE:
        return read_exchange(entry->api, o, param, out, k);
    case IS_TORCH:
        return read_torch(o, param, out, k);
    case IS_CUDA_INTERFACE:
        return read_cuda_interface(o, param, out, k);
    case IS_DLPACK:
        return read_capsule(o, param, out, k);
    case IS_POINTER:
        return pointer_read(o, out, k);
    default:
        return read_interface(PyObject_GetAttr(o, core.names.__array_interface__), param, out, k);
    }
}

/* Of PyTorch before 2.10, which has a function for it. */
static int torch_stream(int device_id, void **out)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *torch = modules ? PyDict_GetItemString(modules, "torch") : NULL;
    PyObject *inner = torch ? PyObject_GetAttrString(torch, "_C") : NULL;
    PyObject *number =
        inner ? PyObject_CallMethod(inner, "_cuda_getCurrentRawStream", "i", device_id) : NULL;

    Py_XDECREF(inner);
    if (number)
        *out = PyLong_AsVoidPtr(number);
    else if (!torch)
        PyErr_Clear(); /* a tensor of something else that looks like one */
    Py_XDECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

/* __cuda_array_interface__ names it from its version 3 on, with the driver's numbers. */
static int interface_stream(PyObject *o, void **out)
{
    PyObject *interface = PyObject_GetAttr(o, core.names.__cuda_array_interface__);
    PyObject *number = interface ? PyObject_GetItem(interface, core.names.stream) : NULL;

    if (number && PyLong_Check(number))
        *out = PyLong_AsVoidPtr(number);
    if (!number && PyErr_ExceptionMatches(PyExc_KeyError))
        PyErr_Clear();
    Py_XDECREF(number);
    Py_XDECREF(interface);
    return PyErr_Occurred() ? -1 : 0;
}

int array_stream(const TypeEntry *entry, PyObject *o, int device_id, void **out)
{
    const DLExchange *api = entry->api;

    *out = NULL;
    if (entry->kind == IS_TORCH || entry->kind == IS_POINTER)
        return torch_stream(device_id, out);
    if (entry->kind == IS_CUDA_INTERFACE)
        return interface_stream(o, out);
    if (entry->kind != IS_EXCHANGE || !api->current_stream ||
        api->current_stream(DL_CUDA, device_id, out) == 0)
        return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the current stream of the device is not known");
    return -1;
}
