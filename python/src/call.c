/*
 * call.c - one launch, kept for questions about the code that it ran
 *
 * Texts of the compiler's stages are made when they are asked for, from the same arguments.  Only
 * the description of arrays is kept: nobody reads their elements.
 */
#include <string.h>

#include "core.h"

typedef struct {
    PyObject ob_base;
    File *file;
    Keep keep;
    tilec_arg *args;
    int nargs;
    tilec_launch_options options;
} Call;

static void *copied(Keep *k, const void *from, size_t bytes)
{
    void *to = from ? keep_memory(k, bytes) : NULL;

    if (to)
        memcpy(to, from, bytes);
    return to;
}

static const char *copied_text(Keep *k, const char *s)
{
    return s ? copied(k, s, strlen(s) + 1) : NULL;
}

static tilec_arg *copied_args(Keep *k, const tilec_arg *args, int n)
{
    tilec_arg *out = keep_memory(k, sizeof(tilec_arg) * (size_t)n);

    for (int i = 0; out && i < n; i++) {
        tilec_tensor *t = &out[i].tensor;
        size_t bytes =
            sizeof(int64_t) * (size_t)(args[i].tensor.ndim > 0 ? args[i].tensor.ndim : 0);

        out[i] = args[i];
        out[i].name = copied_text(k, args[i].name);
        out[i].text = copied_text(k, args[i].text);
        t->shape = copied(k, t->shape, bytes);
        t->strides = copied(k, t->strides, bytes);
        if (args[i].kind == TILEC_ARG_TUPLE || args[i].kind == TILEC_ARG_DESCRIPTOR)
            out[i].items = copied_args(k, args[i].items, args[i].nitems);
    }
    return out;
}

PyObject *call_new(File *file, const tilec_arg *args, int nargs,
                   const tilec_launch_options *options)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(core.call_type, Py_tp_alloc);
    Call *c = (Call *)alloc(core.call_type, 0);

    if (!c)
        return NULL;
    keep_init(&c->keep);
    Py_INCREF(file);
    c->file = file;
    c->nargs = nargs;
    c->options = (tilec_launch_options){.device = copied_text(&c->keep, options->device),
                                        .arch = copied_text(&c->keep, options->arch),
                                        .check = options->check,
                                        .unspecialised = options->unspecialised};
    c->args = copied_args(&c->keep, args, nargs);
    if (PyErr_Occurred())
        Py_CLEAR(c);
    return (PyObject *)c;
}

static PyObject *call_dump(PyObject *self, PyObject *args)
{
    Call *c = (Call *)self;
    char *text = NULL, *error = NULL;
    PyObject *result = NULL;
    tilec_status status;
    const char *stage;

    if (!PyArg_ParseTuple(args, "s", &stage))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    status = tilec_dump(c->file->file, tilec_kernel_name(c->file->file, 0), stage, c->args,
                        c->nargs, &c->options, &text, &error);
    PyEval_RestoreThread(thread);
    if (file_raised(c->file))
        tilec_free(error);
    else if (status != TILEC_OK)
        fail_status(status, error, NULL);
    else
        result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    tilec_free(text);
    return result;
}

/* stats(): what compiling took and what the code needs, by the names of tilec_stats */
static PyObject *call_stats(PyObject *self, PyObject *unused)
{
    static const int32_t no_programs[3] = {0, 1, 1};
    Call *c = (Call *)self;
    tilec_stats s = {0};
    char *error = NULL;
    tilec_status status;

    (void)unused;
    PyThreadState *thread = PyEval_SaveThread();
    status = tilec_launch_stats(c->file->file, tilec_kernel_name(c->file->file, 0), no_programs,
                                c->args, c->nargs, &c->options, &s, &error);
    PyEval_RestoreThread(thread);
    if (status != TILEC_OK) {
        fail_status(status, error, NULL);
        return NULL;
    }
    return Py_BuildValue("{sdsdsdsdsdsisisisisisi}", "compile_seconds", s.compile_seconds,
                         "generator_seconds", s.generator_seconds, "emit_seconds", s.emit_seconds,
                         "assemble_seconds", s.assemble_seconds, "keep_seconds", s.keep_seconds,
                         "from_cache", s.from_cache, "warps", s.warps, "registers", s.registers,
                         "shared_bytes", s.shared_bytes, "local_bytes", s.local_bytes, "in_place",
                         s.in_place);
}

/* A constant as Python's value; None for what is none, and for None. */
static PyObject *constant_value(const tilec_arg *a)
{
    switch (a->kind) {
    case TILEC_ARG_INT:
        return PyLong_FromLongLong(a->integer);
    case TILEC_ARG_UINT:
        return PyLong_FromUnsignedLongLong(a->uinteger);
    case TILEC_ARG_FLOAT:
        return PyFloat_FromDouble(a->real);
    case TILEC_ARG_BOOL:
        return PyBool_FromLong(a->integer != 0);
    case TILEC_ARG_STRING:
        return PyUnicode_FromString(a->text);
    case TILEC_ARG_DTYPE:
        return PyUnicode_FromString(tilec_dtype_name(a->dtype));
    default:
        Py_RETURN_NONE;
    }
}

/* constants(): {name: value} of all arguments; of those that are no plain constants None */
static PyObject *call_constants(PyObject *self, PyObject *unused)
{
    const Call *c = (const Call *)self;
    PyObject *dict = PyDict_New();

    (void)unused;
    for (int i = 0; dict && i < c->nargs; i++) {
        PyObject *value = constant_value(&c->args[i]);

        if (!value || PyDict_SetItemString(dict, c->args[i].name, value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* device(): its name */
static PyObject *call_device(PyObject *self, PyObject *unused)
{
    const char *device = ((Call *)self)->options.device;

    (void)unused;
    return PyUnicode_FromString(device ? device : "cpu");
}

static int call_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Call *)self)->file);
    return 0;
}

static int call_clear(PyObject *self)
{
    Py_CLEAR(((Call *)self)->file);
    return 0;
}

static void call_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    call_clear(self);
    keep_clear(&((Call *)self)->keep);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef call_methods[] = {
    {"dump", call_dump, METH_VARARGS, NULL},
    {"stats", call_stats, METH_NOARGS, NULL},
    {"constants", call_constants, METH_NOARGS, NULL},
    {"device", call_device, METH_NOARGS, NULL},
    {0},
};

static PyType_Slot call_slots[] = {
    {Py_tp_new, core_no_new},      {Py_tp_traverse, call_traverse}, {Py_tp_clear, call_clear},
    {Py_tp_dealloc, call_dealloc}, {Py_tp_methods, call_methods},   {0, NULL},
};

PyType_Spec call_spec = {
    .name = "tilec._core.Call",
    .basicsize = sizeof(Call),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = call_slots,
};
