/*
 * fail.c - what launches say, and exceptions
 *
 * The library speaks while the GIL is released, so its words are gathered, and shown when the
 * launch has ended: prints on Python's stdout; warnings and tl.static_print through a function of
 * jit.py, which also makes the exceptions of what went wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Out of memory it is lost, as what a program prints when the disk is full. */
static void append(char **text, size_t *n, const char *more, const char *end)
{
    size_t a = strlen(more), b = strlen(end);
    char *grown = realloc(*text, *n + a + b + 1);

    if (!grown)
        return;
    memcpy(grown + *n, more, a);
    memcpy(grown + *n + a, end, b + 1);
    *text = grown;
    *n += a + b;
}

void said_message(void *said, const char *text)
{
    Said *s = said;

    append(&s->message, &s->nmessage, text, "");
    crash_says(s->message);
}

void said_record(void *said, const tilec_record *record)
{
    Said *s = said;

    if (record->kind == TILEC_RECORD_PRINT || record->kind == TILEC_RECORD_LOST)
        append(&s->out, &s->nout, record->text, "\n");
    s->assertion |= record->kind == TILEC_RECORD_ASSERT;
}

static int show(const char *text, size_t n, PyObject *how)
{
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "replace");
    PyObject *result = string ? PyObject_CallFunctionObjArgs(how, string, NULL) : NULL;

    Py_XDECREF(string);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* As print() does, so that whatever stands in for sys.stdout gets it. */
static int print_text(const char *text, size_t n)
{
    PyObject *out = PySys_GetObject("stdout");
    PyObject *write;
    int result;

    if (!out || out == Py_None)
        return 0;
    write = PyObject_GetAttrString(out, "write");
    result = write ? show(text, n, write) : -1;
    Py_XDECREF(write);
    return result;
}

int said_show(Said *s)
{
    int result = 0;

    if (s->message)
        result = show(s->message, s->nmessage, core.say);
    if (s->out && result == 0)
        result = print_text(s->out, s->nout);
    said_clear(s);
    return result;
}

void said_clear(Said *s)
{
    crash_says(NULL);
    free(s->message);
    free(s->out);
    s->message = s->out = NULL;
    s->nmessage = s->nout = 0;
}

void fail_status(tilec_status status, char *error, const Said *said)
{
    const char *text = error ? error : tilec_status_text(status);
    const char *kind = status == TILEC_FAULT && !(said && said->assertion) ? "access" : "";
    PyObject *result = PyObject_CallFunction(core.raise, "iss#", (int)status, kind, text,
                                             (Py_ssize_t)strlen(text));

    tilec_free(error);
    Py_XDECREF(result);
    if (result)
        PyErr_SetString(PyExc_SystemError, "a failure of tilec was not raised");
}
