/*
 * module.c - the extension: its types, and what belongs to the whole process
 */
#include "core.h"

Core core;

tilec_context *core_context(void)
{
    char *error = NULL;
    tilec_status status;

    if (core.ctx)
        return core.ctx;
    status = tilec_open(NULL, &core.ctx, &error);
    if (status != TILEC_OK)
        fail_status(status, error, NULL);
    return core.ctx;
}

PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    return PyErr_Format(PyExc_TypeError, "%S are made by the package", type);
}

static void replace(PyObject **at, PyObject *by)
{
    PyObject *old = *at;

    Py_INCREF(by);
    *at = by;
    Py_XDECREF(old);
}

/* classes(dtype, constexpr, reinterpreted, namespace, functions): those that arguments may have,
 * the last a tuple of classes */
static PyObject *core_classes(PyObject *self, PyObject *args)
{
    PyObject *dtype, *constexpr, *reinterpreted, *namespace, *functions;

    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!", &PyType_Type, &dtype, &PyType_Type, &constexpr,
                          &PyType_Type, &reinterpreted, &PyType_Type, &namespace, &PyTuple_Type,
                          &functions))
        return NULL;
    replace(&core.namespace_class, namespace);
    replace(&core.function_classes, functions);
    replace(&core.dtype_class, dtype);
    replace(&core.constexpr_class, constexpr);
    replace(&core.reinterpreted_class, reinterpreted);
    Py_RETURN_NONE;
}

/* voices(raise, say, describe): what raises (status, kind, text), shows what the compiler says, and
 * gives (what an object is, what to do instead or None) */
static PyObject *core_voices(PyObject *self, PyObject *args)
{
    PyObject *raise, *say, *describe;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &raise, &say, &describe))
        return NULL;
    replace(&core.describe, describe);
    replace(&core.raise, raise);
    replace(&core.say, say);
    Py_RETURN_NONE;
}

/* host_device(name or None): where launches on arrays of the host's memory run; what it was */
static PyObject *core_host_device(PyObject *self, PyObject *name)
{
    PyObject *old = core.host_device;
    PyObject *bytes = name == Py_None ? NULL : PyUnicode_AsUTF8String(name);

    (void)self;
    if (!bytes && name != Py_None)
        return NULL;
    core.host_device = bytes;
    if (!old)
        Py_RETURN_NONE;
    name = PyUnicode_FromString(PyBytes_AsString(old));
    Py_DECREF(old);
    return name;
}

/* arch(name or None): the chip that launches on GPUs compile for unless they say it themselves */
static PyObject *core_arch(PyObject *self, PyObject *name)
{
    PyObject *bytes = name == Py_None ? NULL : PyUnicode_AsUTF8String(name);

    (void)self;
    if (!bytes && name != Py_None)
        return NULL;
    Py_XDECREF(core.arch);
    core.arch = bytes;
    Py_RETURN_NONE;
}

/* slow(bool): from now on launches go through JITFunction.run(), which calls hooks */
static PyObject *core_slow(PyObject *self, PyObject *slow)
{
    (void)self;
    core.slow = PyObject_IsTrue(slow) > 0;
    Py_RETURN_NONE;
}

/* debug(1, 0 or -1): what launches take for `debug` when they do not say it */
static PyObject *core_debug(PyObject *self, PyObject *said)
{
    (void)self;
    core.debug = (int)PyLong_AsLong(said);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* waits(bool): do launches on GPUs wait for what they assert? */
static PyObject *core_waits(PyObject *self, PyObject *on)
{
    (void)self;
    core.waits = PyObject_IsTrue(on) > 0;
    Py_RETURN_NONE;
}

int core_raise_async(bool waits)
{
    const Said said = {.assertion = true};
    char *error = NULL;

    if (!core.ctx)
        return 0; /* nothing was launched */
    PyThreadState *thread = waits ? PyEval_SaveThread() : NULL;
    tilec_status status = tilec_async_fault(core.ctx, "cuda", waits, &error);
    if (thread)
        PyEval_RestoreThread(thread);
    if (status == TILEC_OK)
        return 0;
    fail_status(status, error, &said);
    return -1;
}

/* async_fault(bool): raise what earlier launches on GPUs have asserted; wait for them? */
static PyObject *core_async_fault(PyObject *self, PyObject *waits)
{
    (void)self;
    if (core_raise_async(PyObject_IsTrue(waits) > 0) != 0)
        return NULL;
    Py_RETURN_NONE;
}

/* check_all(bool or "first"): do launches that do not say it check their accesses?; what it was */
static PyObject *core_check_all(PyObject *self, PyObject *on)
{
    Checking before = core.checks;
    int asked = value_checking(on, "check_accesses()");

    (void)self;
    if (asked < 0)
        return NULL;
    core.checks = (Checking)asked;
    return before == CHECK_FIRST ? PyUnicode_FromString("first") : PyBool_FromLong(before);
}

/* touch(): the text of some function was replaced */
static PyObject *core_touch(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    core.epoch++;
    Py_RETURN_NONE;
}

/* is_dtype(value): does the language have this dtype, whoever calls it so? */
static PyObject *core_is_dtype(PyObject *self, PyObject *value)
{
    tilec_dtype ignored;
    bool known = value_dtype(value, &ignored) == 0;

    (void)self;
    PyErr_Clear();
    return PyBool_FromLong(known);
}

/* devices(): (name, description, what is missing or None) of each that this build knows */
static PyObject *core_devices(PyObject *self, PyObject *unused)
{
    tilec_context *ctx = core_context();
    PyObject *list = ctx ? PyList_New(0) : NULL;
    tilec_device d;

    (void)self;
    (void)unused;
    for (int i = 0; list && tilec_device_info(ctx, i, &d) == TILEC_OK; i++) {
        PyObject *item = Py_BuildValue("szz", d.name, d.description, d.missing);

        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* units(device): (name, arch or None, bytes of memory, processors) of each of that name */
static PyObject *core_units(PyObject *self, PyObject *args)
{
    tilec_context *ctx = core_context();
    PyObject *list;
    const char *device;
    tilec_unit u;

    (void)self;
    if (!ctx || !PyArg_ParseTuple(args, "s", &device))
        return NULL;
    list = PyList_New(0);
    for (int i = 0; list && tilec_unit_info(ctx, device, i, &u) == TILEC_OK; i++) {
        PyObject *item =
            Py_BuildValue("zzKi", u.name, u.arch, (unsigned long long)u.memory, u.processors);

        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyMethodDef core_methods[] = {
    {"classes", core_classes, METH_VARARGS, NULL},
    {"voices", core_voices, METH_VARARGS, NULL},
    {"check_all", core_check_all, METH_O, NULL},
    {"host_device", core_host_device, METH_O, NULL},
    {"arch", core_arch, METH_O, NULL},
    {"slow", core_slow, METH_O, NULL},
    {"debug", core_debug, METH_O, NULL},
    {"waits", core_waits, METH_O, NULL},
    {"async_fault", core_async_fault, METH_O, NULL},
    {"touch", core_touch, METH_NOARGS, NULL},
    {"is_dtype", core_is_dtype, METH_O, NULL},
    {"devices", core_devices, METH_NOARGS, NULL},
    {"profile_start", profile_start, METH_O, NULL},
    {"profile_stop", profile_stop, METH_O, NULL},
    {"units", core_units, METH_VARARGS, NULL},
    {0},
};

static int make_type(PyTypeObject **out, PyType_Spec *spec)
{
    if (!*out)
        *out = (PyTypeObject *)PyType_FromSpec(spec);
    return *out ? 0 : -1;
}

static int make_names(void)
{
#define X(n)                                                                                       \
    if (!core.names.n)                                                                             \
        core.names.n = PyUnicode_InternFromString(#n);                                             \
    if (!core.names.n)                                                                             \
        return -1;
    CORE_NAMES(X)
#undef X
    core.profiler_module = PyUnicode_InternFromString("torch.autograd.profiler");
    return core.profiler_module ? 0 : -1;
}

static int core_exec(PyObject *module)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError, "tilec works in the main interpreter only");
        return -1;
    }
    interrupt_main();
    if (make_names() != 0 || make_type(&core.kernel_type, &kernel_spec) != 0 ||
        make_type(&core.bound_type, &bound_spec) != 0 ||
        make_type(&core.file_type, &file_spec) != 0 || make_type(&core.call_type, &call_spec) != 0)
        return -1;
    Py_INCREF((PyObject *)core.kernel_type);
    Py_INCREF((PyObject *)core.file_type);
    if (PyModule_AddObject(module, "Kernel", (PyObject *)core.kernel_type) != 0 ||
        PyModule_AddObject(module, "File", (PyObject *)core.file_type) != 0)
        return -1;
    return PyModule_AddStringConstant(module, "VERSION", tilec_version());
}

static PyModuleDef_Slot core_slots[] = {{Py_mod_exec, core_exec}, {0, NULL}};

static struct PyModuleDef core_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "tilec._core",
    .m_methods = core_methods,
    .m_slots = core_slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
