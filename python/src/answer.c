/*
 * answer.c - what a name means: the compiler asks, Python answers
 *
 * tilec/names.py has the knowledge.  Its resolve(file, name, module, function) gives None for what
 * it does not know, or a tuple that begins with one of the kinds below.
 */
#include "core.h"

enum {
    ANSWER_VALUE,    /* object, whether it is a constexpr */
    ANSWER_FUNCTION, /* role, the function */
    ANSWER_MODULE,   /* name or None, path or None */
    ANSWER_LANGUAGE, /* full name */
    ANSWER_CLASS,    /* role, the class, in the parts of a function */
    ANSWER_LIBRARY,  /* full name */
    ANSWER_OBJECT /* what it is, hint or None, name of its attributes' space, is it a constexpr */
};

/* A text as UTF-8, NULL for None; borrowed from `k`. */
static int text_of(PyObject *o, const char **out, size_t *length, Keep *k)
{
    PyObject *bytes;
    Py_ssize_t n = 0;
    char *s;

    *out = NULL;
    if (!o || o == Py_None)
        return o ? 0 : -1;
    bytes = PyUnicode_AsUTF8String(o);
    if (keep_object(k, bytes) != 0 || PyBytes_AsStringAndSize(bytes, &s, length ? &n : NULL) != 0)
        return -1;
    *out = s;
    if (length)
        *length = (size_t)n;
    return 0;
}

/* How many; -1 after an exception. */
static int names_of(PyObject *tuple, const char *const **out, Keep *k)
{
    Py_ssize_t n = tuple ? PyTuple_Size(tuple) : -1;
    const char **names = n < 0 ? NULL : keep_memory(k, sizeof(char *) * (size_t)n);

    if (!names)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (text_of(PyTuple_GetItem(tuple, i), &names[i], NULL, k) != 0)
            return -1;
    }
    *out = names;
    return (int)n;
}

int answer_function(PyObject *tuple, tilec_name *out, Keep *k)
{
    out->kind = TILEC_NAME_FUNCTION;
    if (PyTuple_Size(tuple) != 8) {
        PyErr_SetString(PyExc_TypeError, "a function has eight parts");
        return -1;
    }
    if (text_of(PyTuple_GetItem(tuple, 0), &out->text, &out->length, k) != 0 ||
        text_of(PyTuple_GetItem(tuple, 1), &out->function, NULL, k) != 0 ||
        text_of(PyTuple_GetItem(tuple, 2), &out->module, NULL, k) != 0 ||
        text_of(PyTuple_GetItem(tuple, 3), &out->path, NULL, k) != 0)
        return -1;
    out->nunspecialised = names_of(PyTuple_GetItem(tuple, 5), &out->unspecialised, k);
    out->nunaligned =
        out->nunspecialised < 0 ? -1 : names_of(PyTuple_GetItem(tuple, 7), &out->unaligned, k);
    if (out->nunaligned < 0)
        return -1;
    out->line = (int)PyLong_AsLong(PyTuple_GetItem(tuple, 4));
    out->noinline = PyObject_IsTrue(PyTuple_GetItem(tuple, 6));
    return PyErr_Occurred() ? -1 : 0;
}

static int answer_object(PyObject *a, tilec_name *out, Keep *k)
{
    out->kind = TILEC_NAME_OBJECT;
    out->is_constexpr = PyObject_IsTrue(PyTuple_GetItem(a, 4));
    return text_of(PyTuple_GetItem(a, 1), &out->text, NULL, k) != 0 ||
                   text_of(PyTuple_GetItem(a, 2), &out->hint, NULL, k) != 0 ||
                   text_of(PyTuple_GetItem(a, 3), &out->module, NULL, k) != 0
               ? -1
               : 0;
}

static int take_answer(PyObject *a, const char *name, tilec_name *out, Keep *k)
{
    long kind = PyLong_AsLong(PyTuple_GetItem(a, 0));

    switch (kind) {
    case ANSWER_VALUE:
        out->kind = TILEC_NAME_VALUE;
        out->is_constexpr = PyObject_IsTrue(PyTuple_GetItem(a, 2));
        return value_read(PyTuple_GetItem(a, 1), name, &out->value, k);
    case ANSWER_FUNCTION:
        out->role = (tilec_role)PyLong_AsLong(PyTuple_GetItem(a, 1));
        return answer_function(PyTuple_GetItem(a, 2), out, k);
    case ANSWER_CLASS:
        out->role = (tilec_role)PyLong_AsLong(PyTuple_GetItem(a, 1));
        if (answer_function(PyTuple_GetItem(a, 2), out, k) != 0)
            return -1;
        out->kind = TILEC_NAME_CLASS;
        return 0;
    case ANSWER_MODULE:
        out->kind = TILEC_NAME_MODULE;
        return text_of(PyTuple_GetItem(a, 1), &out->module, NULL, k) != 0 ||
                       text_of(PyTuple_GetItem(a, 2), &out->path, NULL, k) != 0
                   ? -1
                   : 0;
    case ANSWER_LANGUAGE:
        out->kind = TILEC_NAME_LANGUAGE;
        return text_of(PyTuple_GetItem(a, 1), &out->module, NULL, k);
    case ANSWER_LIBRARY:
        out->kind = TILEC_NAME_LIBRARY;
        return text_of(PyTuple_GetItem(a, 1), &out->module, NULL, k);
    case ANSWER_OBJECT:
        return answer_object(a, out, k);
    default:
        PyErr_Format(PyExc_SystemError, "there is no answer of kind %ld", kind);
        return -1;
    }
}

static void ask(File *f, const tilec_question *q, tilec_name *out)
{
    PyObject *a = PyObject_CallFunction(f->resolve, "Ozzz", f, q->name, q->module, q->function);

    keep_clear(&f->answer);
    if (a && a != Py_None && keep_object(&f->answer, a) == 0) {
        if (take_answer(a, q->name, out, &f->answer) != 0)
            out->kind = TILEC_NAME_UNKNOWN;
    } else {
        Py_XDECREF(a);
    }
}

/* On whatever thread compiles; the first thing that Python raises is raised again behind the call,
 * and all later questions have no answer. */
void answer_question(void *file, const tilec_question *question, tilec_name *answer)
{
    PyGILState_STATE state = PyGILState_Ensure();
    File *f = file;

    if (!f->error_type) {
        f->asking = PyThread_get_thread_ident();
        ask(f, question, answer);
        f->asking = 0;
    }
    if (PyErr_Occurred()) {
        answer->kind = TILEC_NAME_UNKNOWN;
        PyErr_Fetch(&f->error_type, &f->error, &f->error_trace);
    }
    PyGILState_Release(state);
}
