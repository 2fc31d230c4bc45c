/*
 * tune.c - tilec_tune() for a kernel, whose runs are Python's
 *
 * Python calls a configuration as a program does, with hooks, and through whatever stands around
 * the kernel; its launches on this thread are then timed by the device, and their seconds are those
 * of the run.  Arguments that say nothing to the library, and those that are not given yet, are
 * left out: they are only looked at for what the choice depends on.
 */
#include "core.h"

#include <time.h>

/* Where launches of this thread leave their seconds; NULL: no one asks. */
static _Thread_local TuneClock *clock_now;

TuneClock *tune_clock(void)
{
    return clock_now;
}

/* One call of tuned(). */
typedef struct {
    PyObject *run, *trials;
    PyThreadState *thread; /* while the library is at work */
    Keep keep;
    tilec_arg *args;
    int nargs;
} Tuning;

static double wall_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* run(number) gives seconds, True where its launches say them, None where it fails. */
static tilec_status call_run(Tuning *t, int number, double *seconds)
{
    TuneClock clock = {0}, *before = clock_now;
    double start = wall_seconds();

    clock_now = &clock;
    PyObject *said = PyObject_CallFunction(t->run, "i", number);
    clock_now = before;
    *seconds = clock.launches > 0 ? clock.seconds : wall_seconds() - start;
    if (said && PyFloat_Check(said))
        *seconds = PyFloat_AsDouble(said);
    tilec_status status = !said ? TILEC_CANCELLED : said == Py_None ? TILEC_REFUSED : TILEC_OK;
    Py_XDECREF(said);
    return status;
}

static tilec_status run(void *tuning, int number, double *seconds)
{
    Tuning *t = tuning;

    PyEval_RestoreThread(t->thread);
    tilec_status status = call_run(t, number, seconds);
    t->thread = PyEval_SaveThread();
    return status;
}

/* (number, median, low, high) of those that have times. */
static void on_trial(void *tuning, const tilec_trial *trial)
{
    Tuning *t = tuning;

    if (trial->same_as >= 0 || trial->status != TILEC_OK)
        return;
    PyEval_RestoreThread(t->thread);
    if (!PyErr_Occurred()) { /* which ends all */
        PyObject *row =
            Py_BuildValue("(iddd)", trial->number, trial->median, trial->low, trial->high);
        if (!row || PyList_Append(t->trials, row) != 0)
            PyErr_Clear();
        Py_XDECREF(row);
    }
    t->thread = PyEval_SaveThread();
}

static const char *kept_text(Keep *k, PyObject *text)
{
    PyObject *bytes = PyUnicode_AsUTF8String(text);

    return keep_object(k, bytes) == 0 ? PyBytes_AsString(bytes) : NULL;
}

/* {name: value} as arguments; those that are none of the language's are left out, unless that is
 * `strict`.  How many; -1. */
static int read_values(PyObject *dict, Keep *k, bool strict, tilec_arg **out)
{
    Py_ssize_t at = 0;
    PyObject *key, *value;
    int n = 0;

    *out = keep_memory(k, sizeof(tilec_arg) * (size_t)(PyDict_Size(dict) + 1));
    while (*out && PyDict_Next(dict, &at, &key, &value)) {
        tilec_arg *a = &(*out)[n];
        const char *name = kept_text(k, key);

        if (!name)
            return -1;
        *a = (tilec_arg){0};
        k->any_object = true;
        if (value_read(value, name, a, k) == 0)
            n++;
        else if (strict)
            return -1;
        else
            PyErr_Clear();
        a->name = name;
    }
    return *out ? n : -1;
}

static int read_configs(PyObject *list, Keep *k, tilec_config **out)
{
    int n = (int)PyList_Size(list);

    *out = keep_memory(k, sizeof(tilec_config) * (size_t)(n + 1));
    for (int i = 0; *out && i < n; i++) {
        tilec_arg *values = NULL;

        (*out)[i].nvalues = read_values(PyList_GetItem(list, i), k, true, &values);
        (*out)[i].values = values;
        if ((*out)[i].nvalues < 0)
            return -1;
    }
    return *out ? n : -1;
}

static int read_names(PyObject *list, Keep *k, const char ***out)
{
    int n = (int)PyList_Size(list);

    *out = keep_memory(k, sizeof(char *) * (size_t)(n + 1));
    for (int i = 0; *out && i < n; i++) {
        (*out)[i] = kept_text(k, PyList_GetItem(list, i));
        if (!(*out)[i])
            return -1;
    }
    return *out ? n : -1;
}

static PyObject *tune(Tuning *t, File *file, const tilec_launch_options *launch,
                      const tilec_tune_options *options)
{
    tilec_choice choice;
    char *error = NULL;

    t->thread = PyEval_SaveThread();
    tilec_status status = tilec_tune(file->file, tilec_kernel_name(file->file, 0), NULL, t->args,
                                     t->nargs, launch, options, &choice, &error);
    PyEval_RestoreThread(t->thread);
    if (status == TILEC_OK)
        return Py_BuildValue("(iiO)", choice.number, choice.was_known, t->trials);
    if (PyErr_Occurred()) {
        tilec_free(error);
        return NULL;
    }
    if (status == TILEC_REFUSED) { /* none runs, of which Python knows the reason */
        tilec_free(error);
        return Py_BuildValue("(iiO)", -1, 0, t->trials);
    }
    fail_status(status, error, NULL);
    return NULL;
}

PyObject *tune_kernel(File *file, PyObject *args)
{
    Tuning t = {0};
    PyObject *named, *configs, *keys, *result = NULL;
    tilec_launch_options launch = {0};
    tilec_tune_options options = {.run = run, .on_trial = on_trial, .user = &t};
    tilec_config *list;
    const char **names;

    if (!PyArg_ParseTuple(args, "O!O!O!Oppz", &PyDict_Type, &named, &PyList_Type, &configs,
                          &PyList_Type, &keys, &t.run, &options.measures, &options.unkept,
                          &launch.device))
        return NULL;
    keep_init(&t.keep);
    t.keep.file = file;
    t.trials = PyList_New(0);
    options.nconfigs = read_configs(configs, &t.keep, &list);
    options.nkeys = read_names(keys, &t.keep, &names);
    t.nargs = read_values(named, &t.keep, false, &t.args);
    if (t.trials && options.nconfigs >= 0 && options.nkeys >= 0 && t.nargs >= 0) {
        options.configs = list;
        options.keys = names;
        if (t.keep.on_device && !launch.device)
            launch.device = "cuda";
        if (!launch.device && core.host_device)
            launch.device = PyBytes_AsString(core.host_device);
        result = tune(&t, file, &launch, &options);
    }
    Py_XDECREF(t.trials);
    keep_clear(&t.keep);
    return result;
}
