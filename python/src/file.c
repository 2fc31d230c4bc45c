/*
 * file.c - a kernel as it was loaded, and whether its surroundings are still what they were
 *
 * A File is one tilec_file, which asks for each name once.  What was answered is written down here,
 * and looked at before each launch: a dict's item costs some 20 ns, an attribute some 50.  What
 * only changes when somebody replaces the text of a function is looked at when that happened.
 */
#include "core.h"

#include <structmember.h> /* behind Python.h, which it needs */

/* --- what was answered --- */

static void watched_clear(Watched *w)
{
    Py_CLEAR(w->owner);
    Py_CLEAR(w->name);
    Py_CLEAR(w->seen);
}

/* As it is now: a new reference, or NULL without an exception. */
static PyObject *watched_now(const Watched *w)
{
    PyObject *now = NULL;

    switch (w->how) {
    case WATCH_KEY:
        now = PyDict_GetItemWithError(w->owner, w->name);
        Py_XINCREF(now);
        break;
    case WATCH_ATTRIBUTE:
        now = PyObject_GetAttr(w->owner, w->name);
        break;
    case WATCH_ITEM:
        now = PyObject_GetItem(w->owner, w->name);
        break;
    }
    if (!now)
        PyErr_Clear();
    return now;
}

int file_changed(File *f, int from)
{
    bool all = f->epoch != core.epoch;

    for (int i = from; i < f->nwatched; i++) {
        const Watched *w = &f->watched[i];
        PyObject *now;

        if (w->is_rare && !all)
            continue;
        now = watched_now(w);
        Py_XDECREF(now); /* only compared */
        if (now != w->seen)
            return i;
    }
    f->epoch = core.epoch;
    return -1;
}

static Watched *more_watched(File *f)
{
    int room = f->watched_room ? 2 * f->watched_room : 8;
    Watched *grown;

    if (f->nwatched < f->watched_room)
        return &f->watched[f->nwatched];
    grown = PyMem_Realloc(f->watched, sizeof(Watched) * (size_t)room);
    if (!grown) {
        PyErr_NoMemory();
        return NULL;
    }
    f->watched = grown;
    f->watched_room = room;
    return &f->watched[f->nwatched];
}

/* watch(owner, name, how, is_rare): from now on it must stay what it is; its number */
static PyObject *file_watch(PyObject *self, PyObject *args)
{
    File *f = (File *)self;
    PyObject *owner, *name;
    int how, is_rare;
    Watched *w;

    if (!PyArg_ParseTuple(args, "OOip", &owner, &name, &how, &is_rare))
        return NULL;
    if (how == WATCH_KEY && !PyDict_Check(owner))
        return PyErr_Format(PyExc_TypeError, "a dict is needed");
    if (how != WATCH_ITEM && !PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "a name is a str");
    w = more_watched(f);
    if (!w)
        return NULL;
    Py_INCREF(owner);
    Py_INCREF(name);
    if (how != WATCH_ITEM)
        PyUnicode_InternInPlace(&name);
    *w = (Watched){.owner = owner, .name = name, .how = (WatchKind)how, .is_rare = is_rare};
    w->seen = watched_now(w);
    return PyLong_FromLong(f->nwatched++);
}

/* watched(i): (owner, what it was, what it is); None stands for nothing */
static PyObject *file_watched(PyObject *self, PyObject *args)
{
    const File *f = (File *)self;
    PyObject *now, *result;
    int i;

    if (!PyArg_ParseTuple(args, "i", &i))
        return NULL;
    if (i < 0 || i >= f->nwatched)
        return PyErr_Format(PyExc_IndexError, "nothing is watched by that number");
    now = watched_now(&f->watched[i]);
    result = Py_BuildValue("OOO", f->watched[i].owner,
                           f->watched[i].seen ? f->watched[i].seen : Py_None, now ? now : Py_None);
    Py_XDECREF(now);
    return result;
}

/* accept(i): what it is now is as good as what it was */
static PyObject *file_accept(PyObject *self, PyObject *args)
{
    File *f = (File *)self;
    PyObject *old;
    int i;

    if (!PyArg_ParseTuple(args, "i", &i))
        return NULL;
    if (i < 0 || i >= f->nwatched)
        return PyErr_Format(PyExc_IndexError, "nothing is watched by that number");
    old = f->watched[i].seen;
    f->watched[i].seen = watched_now(&f->watched[i]);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

/* --- functions as arguments --- */

/* Tell the library of a function that Python has described: (name, role, parts). */
static int add_function(File *f, PyObject *described, const char **name)
{
    tilec_name function = {.line = 1};
    tilec_status status = TILEC_FAILED;
    PyObject *parts;
    char *error = NULL;
    int role;
    Keep k;

    if (!PyArg_ParseTuple(described, "siO!", name, &role, &PyTuple_Type, &parts))
        return -1;
    keep_init(&k);
    function.role = (tilec_role)role;
    bool good = answer_function(parts, &function, &k) == 0;
    if (good) {
        PyThreadState *thread = PyEval_SaveThread();
        status = tilec_add_function(f->file, *name, &function, &error);
        PyEval_RestoreThread(thread);
    }
    keep_clear(&k);
    if (good && status != TILEC_OK)
        fail_status(status, error, NULL);
    return status == TILEC_OK ? 0 : -1;
}

const char *file_function(File *f, PyObject *function)
{
    PyObject *key = PyLong_FromVoidPtr(function), *known = NULL;
    const char *name = NULL;

    if (!f->functions)
        f->functions = PyDict_New();
    if (key && f->functions)
        known = PyDict_GetItemWithError(f->functions, key);
    if (known) {
        name = PyBytes_AsString(PyTuple_GetItem(known, 1));
    } else if (key && f->functions && !PyErr_Occurred()) {
        PyObject *described =
            PyObject_CallMethodObjArgs(f->resolve, core.names.function, f, function, NULL);

        if (described && add_function(f, described, &name) == 0)
            known = Py_BuildValue("Oy", function, name);
        if (!known || PyDict_SetItem(f->functions, key, known) != 0)
            name = NULL;
        else
            name = PyBytes_AsString(PyTuple_GetItem(known, 1)); /* the dict keeps it */
        Py_XDECREF(known);
        Py_XDECREF(described);
    }
    Py_XDECREF(key);
    return name;
}

/* --- what was compiled --- */

PyObject *file_compiled(File *f, const void *which, Py_hash_t options)
{
    for (int i = 0; i < f->ncompiled; i++) {
        Compiled hit = f->compiled[i];

        if (hit.which != which || hit.options != options)
            continue;
        f->compiled[i] = f->compiled[0]; /* the next launch is like this one */
        f->compiled[0] = hit;
        return hit.object;
    }
    return NULL;
}

int file_add_compiled(File *f, Compiled made)
{
    if (f->ncompiled == f->compiled_room) {
        int room = f->compiled_room ? 2 * f->compiled_room : 4;
        Compiled *grown = PyMem_Realloc(f->compiled, sizeof(Compiled) * (size_t)room);

        if (!grown) {
            PyErr_NoMemory();
            return -1;
        }
        f->compiled = grown;
        f->compiled_room = room;
    }
    Py_INCREF(made.object);
    f->compiled[f->ncompiled++] = made;
    return 0;
}

bool file_is_first(File *f, const void *which)
{
    for (int i = 0; i < f->nfirsts; i++) {
        if (f->firsts[i] == which)
            return false;
    }
    if (f->nfirsts == f->firsts_room) {
        int room = f->firsts_room ? 2 * f->firsts_room : 4;
        const void **grown = PyMem_Realloc(f->firsts, sizeof(void *) * (size_t)room);

        if (!grown)
            return false;
        f->firsts = grown;
        f->firsts_room = room;
    }
    f->firsts[f->nfirsts++] = which;
    return true;
}

/* --- the object --- */

bool file_raised(File *f)
{
    if (!f->error_type)
        return false;
    PyErr_Restore(f->error_type, f->error, f->error_trace);
    f->error_type = f->error = f->error_trace = NULL;
    return true;
}

static int load(File *f, PyObject *function)
{
    const tilec_load_options options = {.resolve = answer_question, .user = f};
    tilec_context *ctx = core_context();
    tilec_name kernel = {.line = 1};
    tilec_status status = TILEC_FAILED;
    char *error = NULL;
    Keep k;

    keep_init(&k);
    bool good = ctx && answer_function(function, &kernel, &k) == 0;
    if (good) {
        PyThreadState *thread = PyEval_SaveThread();
        status = tilec_load_function(ctx, &kernel, &options, &f->file, &error);
        PyEval_RestoreThread(thread);
    }
    keep_clear(&k);
    if (!good)
        return -1;
    if (file_raised(f)) {
        tilec_free(error);
        return -1;
    }
    if (status != TILEC_OK)
        fail_status(status, error, NULL);
    return status == TILEC_OK ? 0 : -1;
}

/* File(function, resolve): `function` as answer_function() has it */
static PyObject *file_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *function, *resolve;
    File *f;

    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &function, &resolve))
        return NULL;
    f = (File *)alloc(type, 0);
    if (!f)
        return NULL;
    keep_init(&f->answer);
    f->epoch = core.epoch;
    Py_INCREF(resolve);
    f->resolve = resolve;
    if (load(f, function) != 0)
        Py_CLEAR(f);
    return (PyObject *)f;
}

static int file_traverse(PyObject *self, visitproc visit, void *arg)
{
    File *f = (File *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->resolve);
    Py_VISIT(f->functions);
    Py_VISIT(f->error_type);
    Py_VISIT(f->error);
    Py_VISIT(f->error_trace);
    for (int i = 0; i < f->nwatched; i++) {
        Py_VISIT(f->watched[i].owner);
        Py_VISIT(f->watched[i].seen);
    }
    for (int i = 0; i < f->ncompiled; i++)
        Py_VISIT(f->compiled[i].object);
    return 0;
}

static int file_clear(PyObject *self)
{
    File *f = (File *)self;
    int nwatched = f->nwatched, ncompiled = f->ncompiled;

    f->nwatched = f->ncompiled = 0;
    Py_CLEAR(f->resolve);
    Py_CLEAR(f->functions);
    Py_CLEAR(f->error_type);
    Py_CLEAR(f->error);
    Py_CLEAR(f->error_trace);
    for (int i = 0; i < nwatched; i++)
        watched_clear(&f->watched[i]);
    for (int i = 0; i < ncompiled; i++)
        Py_CLEAR(f->compiled[i].object);
    keep_clear(&f->answer);
    return 0;
}

static void file_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    File *f = (File *)self;

    PyObject_GC_UnTrack(self);
    file_clear(self);
    tilec_unload(f->file);
    PyMem_Free(f->watched);
    PyMem_Free(f->compiled);
    PyMem_Free(f->firsts);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef file_methods[] = {
    {"watch", file_watch, METH_VARARGS, NULL},
    {"watched", file_watched, METH_VARARGS, NULL},
    {"accept", file_accept, METH_VARARGS, NULL},
    {0},
};

static PyMemberDef file_members[] = {
    {"resolve", T_OBJECT_EX, offsetof(File, resolve), READONLY, NULL},
    {0},
};

static PyType_Slot file_slots[] = {
    {Py_tp_members, file_members},
    {Py_tp_new, file_new},
    {Py_tp_traverse, file_traverse},
    {Py_tp_clear, file_clear},
    {Py_tp_dealloc, file_dealloc},
    {Py_tp_methods, file_methods},
    {0, NULL},
};

PyType_Spec file_spec = {
    .name = "tilec._core.File",
    .basicsize = sizeof(File),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = file_slots,
};
