/*
 * profile.c - samples of where kernels are, for tilec/profile.py
 */
#include "core.h"

/* A name, or None: the text borrowed from *bytes, which is the caller's; -1 after an exception. */
static int device_name(PyObject *device, PyObject **bytes, const char **name)
{
    *bytes = device == Py_None ? NULL : PyUnicode_AsUTF8String(device);
    *name = *bytes ? PyBytes_AsString(*bytes) : NULL;
    return device != Py_None && !*bytes ? -1 : 0;
}

/* profile_start(device or None): take samples, and let launches know their lines */
PyObject *profile_start(PyObject *module, PyObject *device)
{
    tilec_context *ctx = core_context();
    char *error = NULL;
    PyObject *bytes;
    const char *name;

    (void)module;
    if (!ctx || device_name(device, &bytes, &name) != 0)
        return NULL;
    tilec_status status = tilec_profile_start(ctx, name, &error);
    Py_XDECREF(bytes);
    if (status != TILEC_OK) {
        fail_status(status, error, NULL);
        return NULL;
    }
    core.lines = true;
    Py_RETURN_NONE;
}

static void hear_line(void *list, const tilec_line *l)
{
    PyObject *item = PyErr_Occurred() ? NULL
                                      : Py_BuildValue("ziKzddd", l->file, l->line,
                                                      (unsigned long long)l->samples, l->clock,
                                                      l->cycles, l->instructions, l->cache_misses);

    if (item)
        PyList_Append(list, item);
    Py_XDECREF(item);
}

/* profile_stop(device or None): (file or None, line, samples, clock, cycles, instructions, cache
 * misses) of each line; those that tilec_line has */
PyObject *profile_stop(PyObject *module, PyObject *device)
{
    tilec_context *ctx = core_context();
    char *error = NULL;
    PyObject *bytes, *list;
    const char *name;

    (void)module;
    core.lines = false;
    if (!ctx || device_name(device, &bytes, &name) != 0)
        return NULL;
    list = PyList_New(0);
    tilec_status status = list ? tilec_profile_stop(ctx, name, hear_line, list, &error) : TILEC_OK;
    Py_XDECREF(bytes);
    if (status != TILEC_OK)
        fail_status(status, error, NULL);
    if (PyErr_Occurred())
        Py_CLEAR(list);
    return list;
}
