/*
 * derive.c - the kernel of a kernel's gradients, what a kernel does with its arrays, and a launch
 * as a file, for tilec/derived.py, tilec/torch.py and tilec/reproduced.py
 */
#include "core.h"

/* A list of texts, each kept; NULL after an exception. */
static const char **kept_names(PyObject *tuple, Keep *k)
{
    Py_ssize_t n = PyTuple_Size(tuple);
    const char **out = keep_memory(k, sizeof(char *) * (size_t)(n + 1));

    for (Py_ssize_t i = 0; out && i < n; i++) {
        PyObject *bytes = PyUnicode_AsUTF8String(PyTuple_GetItem(tuple, i));

        if (keep_object(k, bytes) != 0)
            return NULL;
        out[i] = PyBytes_AsString(bytes);
    }
    return out;
}

/* Adds it to the list, and takes it; false after an exception. */
static bool push(PyObject *list, PyObject *item)
{
    bool done = item && PyList_Append(list, item) == 0;

    Py_XDECREF(item);
    return done;
}

static PyObject *result_of(const tilec_derived *d)
{
    PyObject *gradients = PyList_New(0), *spaces = PyList_New(0), *sums = PyList_New(0);
    PyObject *sizes = PyList_New(0), *needs = PyList_New(0), *programs = PyList_New(0);
    PyObject *saved = PyList_New(0);
    bool good = gradients && spaces && sums && sizes && needs && programs && saved;

    for (int i = 0; good && i < d->ngradients; i++)
        good =
            push(gradients, Py_BuildValue("(ssiz)", d->gradients[i].array, d->gradients[i].gradient,
                                          (int)d->gradients[i].fill, d->gradients[i].stored));
    for (int i = 0; good && i < d->nworkspaces; i++)
        good = push(spaces, Py_BuildValue("(sssi)", d->workspaces[i].name, d->workspaces[i].count,
                                          tilec_dtype_name(d->workspaces[i].dtype),
                                          d->workspaces[i].is_zero));
    for (int i = 0; good && i < d->nsums; i++)
        good = push(sums, Py_BuildValue("(ssss)", d->sums[i].total, d->sums[i].parts,
                                        d->sums[i].rows, d->sums[i].width));
    for (int i = 0; good && i < d->nsizes; i++)
        good = push(sizes, Py_BuildValue("(sz)", d->sizes[i].name, d->sizes[i].array));
    for (int i = 0; good && i < d->nneeds; i++)
        good = push(needs, Py_BuildValue("(ss)", d->needs[i].array, d->needs[i].text));
    for (int i = 0; good && i < d->nprograms; i++)
        good = push(programs, Py_BuildValue("(ss)", d->programs[i].name, d->programs[i].text));
    for (int i = 0; good && i < d->nsaved; i++)
        good = push(saved, PyUnicode_FromString(d->saved[i]));
    if (good)
        return Py_BuildValue("(ssNNNNNN(sss)N)", d->text, d->kernel, gradients, spaces, sums, sizes,
                             needs, programs, d->grid[0], d->grid[1], d->grid[2], saved);
    Py_XDECREF(gradients);
    Py_XDECREF(spaces);
    Py_XDECREF(sums);
    Py_XDECREF(sizes);
    Py_XDECREF(needs);
    Py_XDECREF(programs);
    Py_XDECREF(saved);
    return NULL;
}

PyObject *derive_kernel(const DeriveWish *w, PyObject *of, PyObject *wrt)
{
    PyObject *of_bytes = PyUnicode_AsUTF8String(of), *result = NULL;
    const char **names = kept_names(wrt, w->keep);
    tilec_launch_options options = *w->options;
    tilec_derived *derived = NULL;
    char *error = NULL;

    if (keep_object(w->keep, of_bytes) != 0 || !names)
        return NULL;
    options.unspecialised = 1; /* what is derived is for other values, too */
    options.check = 0;
    options.atomics = w->how.atomics;
    options.recompute = w->how.recompute;
    options.tape = w->how.tape;
    options.fused = w->how.fused;
    PyThreadState *thread = PyEval_SaveThread();
    tilec_status status =
        tilec_derive(w->file->file, tilec_kernel_name(w->file->file, 0), PyBytes_AsString(of_bytes),
                     names, (int)PyTuple_Size(wrt), w->args, w->nargs, &options, &derived, &error);
    PyEval_RestoreThread(thread);
    if (file_raised(w->file))
        tilec_free(error);
    else if (status != TILEC_OK)
        fail_status(status, error, NULL);
    else
        result = result_of(derived);
    tilec_free(derived);
    return result;
}

/* --- uses --- */

typedef struct {
    const DeriveWish *wish;
    int *uses; /* of each argument */
} Uses;

static void note_uses(void *user, const tilec_tensor *tensor, int uses)
{
    const Uses *u = user;

    for (int i = 0; i < u->wish->nargs; i++) {
        if (tensor == &u->wish->args[i].tensor)
            u->uses[i] = uses;
    }
}

PyObject *derive_uses(const DeriveWish *w)
{
    Uses u = {w, keep_memory(w->keep, sizeof(int) * (size_t)(w->nargs + 1))};
    PyObject *dict = u.uses ? PyDict_New() : NULL;
    char *error = NULL;

    for (int i = 0; dict && i < w->nargs; i++)
        u.uses[i] = 0;
    if (!dict)
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    tilec_status status = tilec_launch_memory(w->file->file, tilec_kernel_name(w->file->file, 0),
                                              w->args, w->nargs, w->options, note_uses, &u, &error);
    PyEval_RestoreThread(thread);
    if (file_raised(w->file)) {
        tilec_free(error);
        Py_CLEAR(dict);
    } else if (status != TILEC_OK) {
        fail_status(status, error, NULL);
        Py_CLEAR(dict);
    }
    for (int i = 0; dict && i < w->nargs; i++) {
        PyObject *value = PyLong_FromLong(u.uses[i]);

        if (w->args[i].kind == TILEC_ARG_TENSOR &&
            (!value || PyDict_SetItemString(dict, w->args[i].name, value) != 0))
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* --- a launch as a file --- */

PyObject *derive_repro(const DeriveWish *w, const int32_t grid[3])
{
    char *error = NULL, *text = NULL;
    PyObject *result = NULL;

    PyThreadState *thread = PyEval_SaveThread();
    tilec_status status = tilec_reproduce(w->file->file, tilec_kernel_name(w->file->file, 0), grid,
                                          w->args, w->nargs, w->options, &text, &error);
    PyEval_RestoreThread(thread);
    if (file_raised(w->file))
        tilec_free(error);
    else if (status != TILEC_OK)
        fail_status(status, error, NULL);
    else
        result = PyUnicode_FromString(text);
    tilec_free(text);
    return result;
}
