/*
 * kernel.c - kernel[grid](arguments)
 *
 * tilec.jit.JITFunction derives from Kernel, which holds what a launch needs of it in C: the names
 * and defaults of the parameters, and the File that was loaded for it.  A launch of a known
 * specialisation runs no Python but that of the arguments: it looks at what is watched, reads the
 * arguments, and calls tilec_launch(), which finds the code.  All that happens once, loading,
 * noticing a change, describing compiled code, is in jit.py, and so is what hooks and warmup need.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include <structmember.h> /* behind Python.h, which it needs */

typedef struct {
    PyObject *name; /* interned */
    const char *text;
    PyObject *default_value; /* NULL: there is none */
    PyObject *text_bytes;    /* holds `text` */
    int is_constexpr;
} Param;

typedef struct {
    PyObject ob_base;
    File *file; /* NULL: to be loaded */
    Param *params;
    int nparams;
    int npositional; /* the others are given by name only */
    int has_rest;    /* the last of these is *args, which the compiler refuses in its own words */
    char is_slow;    /* launches go through run() */
    bool told_of_gradients;
    int debug; /* that @jit says: 1, 0, or -1 where it says nothing */
} Kernel;

typedef struct {
    PyObject ob_base;
    PyObject *kernel, *grid;
} Bound;

/* One launch.  An argument that is an option of the launch follows the parameters. */
typedef struct {
    Kernel *kernel;
    File *file;
    PyObject *given[MOST_PARAMS];
    tilec_arg args[MOST_PARAMS];
    int nargs;
    tilec_launch_options options;
    Checking check;
    int debug;       /* that the launch says: 1, 0, or -1 where it says nothing */
    Py_hash_t named; /* of options and their values; 0: there are none */
    int32_t grid[3];
    bool warmup;
    Keep keep;
    Said said;
} Launch;

/* --- which argument is which parameter --- */

static int param_index(const Kernel *k, PyObject *name)
{
    for (int i = 0; i < k->nparams; i++) {
        if (k->params[i].name == name)
            return i;
    }
    for (int i = 0; i < k->nparams; i++) {
        if (PyUnicode_Compare(k->params[i].name, name) == 0)
            return i;
    }
    return -1;
}

static bool is_name(PyObject *key, PyObject *name)
{
    return key == name || PyUnicode_Compare(key, name) == 0;
}

static int take_device(Launch *l, PyObject *value)
{
    PyObject *text = value == Py_None ? NULL : PyObject_Str(value);
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;

    Py_XDECREF(text);
    if (value == Py_None)
        return 0;
    if (keep_object(&l->keep, bytes) != 0)
        return -1;
    l->options.device = PyBytes_AsString(bytes);
    return 0;
}

static int take_arch(Launch *l, PyObject *value)
{
    PyObject *bytes = value == Py_None ? NULL : PyUnicode_AsUTF8String(value);

    if (value == Py_None)
        return 0;
    if (keep_object(&l->keep, bytes) != 0)
        return -1;
    l->options.arch = PyBytes_AsString(bytes);
    return 0;
}

/* A file of code in the place of one of Triton's stages, which are not those here. */
static int refuse_override(PyObject *value)
{
    if (value == Py_None)
        return 0;
    PyErr_SetString(PyExc_ValueError,
                    "`ir_override` puts a file in the place of what a stage of Triton's compiler "
                    "makes; tilec has other stages, and takes none");
    return -1;
}

/* A stream is a number, or an object of PyTorch with its number in cuda_stream. */
static int take_stream(Launch *l, PyObject *value)
{
    PyObject *number = PyLong_Check(value) || value == Py_None
                           ? NULL
                           : PyObject_GetAttrString(value, "cuda_stream");

    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "`stream` must be a number or a stream of PyTorch, not %R",
                     value);
    if (PyErr_Occurred() || (number && keep_object(&l->keep, number) != 0))
        return -1;
    if (value != Py_None)
        l->options.stream = PyLong_AsVoidPtr(number ? number : value);
    return PyErr_Occurred() ? -1 : 0;
}

static int refuse_more(void)
{
    PyErr_SetString(PyExc_TypeError, "too many arguments");
    return -1;
}

static int take_truth(int *option, const char *name, PyObject *value)
{
    *option = value_truth(value, name);
    return *option < 0 ? -1 : 0;
}

/* Options that say nothing about what is compiled here: libdevice is in the core, the next four are
 * for AMD's GPUs, the last ones for Triton's own stages. */
static bool is_ignored(PyObject *key)
{
    static const char *const names[] = {
        "extern_libs",   "waves_per_eu",       "matrix_instr_nonkdim", "kpack",
        "schedule_hint", "enable_reflect_ftz", "instrumentation_mode"};

    for (int i = 0; i < COUNT(names); i++) {
        if (PyUnicode_CompareWithASCIIString(key, names[i]) == 0)
            return true;
    }
    return false;
}

static int take_check(Launch *l, PyObject *value)
{
    int asked = value_checking(value, "check");

    l->check = asked < 0 ? CHECK_NONE : (Checking)asked;
    return asked < 0 ? -1 : 0;
}

static int take_debug(Launch *l, PyObject *value)
{
    return value == Py_None ? 0 : take_truth(&l->debug, "debug", value);
}

/* TRITON_DEBUG=1 is for all launches; else the launch decides, @jit where it says nothing, and
 * TRITON_DEBUG=0 where neither does.  The library hears of it when somebody has said something. */
static int put_debug(Launch *l)
{
    const Kernel *k = l->kernel;
    int said = l->debug >= 0 ? l->debug : k->debug;
    int debug = core.debug == 1 || said < 0 ? core.debug : said;

    if (debug < 0 || param_index(k, core.names.debug) >= 0)
        return 0;
    if (l->nargs == MOST_PARAMS)
        return refuse_more();
    l->args[l->nargs++] = (tilec_arg){.name = "debug", .kind = TILEC_ARG_BOOL, .integer = debug};
    return 0;
}

/* Code that does not heed an option is another one to Python all the same. */
static int note_option(Launch *l, PyObject *key, PyObject *value)
{
    PyObject *text = PyObject_Repr(value);
    Py_hash_t of_value = text ? PyObject_Hash(text) : -1, of_key = PyObject_Hash(key);

    Py_XDECREF(text);
    l->named += (Py_hash_t)((size_t)of_key * 1000003 ^ (size_t)of_value);
    return of_value == -1 || of_key == -1 ? -1 : 0;
}

/* What the library itself knows as an option, it takes as a named argument. */
static int take_option(Launch *l, PyObject *key, PyObject *value)
{
    PyObject *name;

    if (is_name(key, core.names.device))
        return take_device(l, value);
    if (is_name(key, core.names.stream))
        return take_stream(l, value);
    if (is_name(key, core.names.debug))
        return take_debug(l, value);
    if (is_name(key, core.names.arch))
        return take_arch(l, value);
    if (is_name(key, core.names.ir_override))
        return refuse_override(value);
    if (is_name(key, core.names.check))
        return take_check(l, value);
    if (is_name(key, core.names.unspecialised))
        return take_truth(&l->options.unspecialised, "unspecialised", value);
    if (note_option(l, key, value) != 0)
        return -1;
    if (is_ignored(key))
        return 0;
    name = PyUnicode_AsUTF8String(key);
    if (keep_object(&l->keep, name) != 0)
        return -1;
    if (l->nargs == MOST_PARAMS)
        return refuse_more();
    tilec_arg *a = &l->args[l->nargs];
    if (value_read(value, PyBytes_AsString(name), a, &l->keep) != 0)
        return -1;
    a->name = PyBytes_AsString(name);
    l->nargs++;
    return 0;
}

static int take_named(Launch *l, PyObject *kwargs)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;

    while (PyDict_Next(kwargs, &at, &key, &value)) {
        int i = param_index(l->kernel, key);

        if (i < 0 && take_option(l, key, value) != 0)
            return -1;
        if (i >= 0 && l->given[i]) {
            PyErr_Format(PyExc_TypeError, "kernel got two values for the parameter `%U`", key);
            return -1;
        }
        if (i >= 0)
            l->given[i] = value;
    }
    return 0;
}

static bool is_launch_option(const char *name)
{
    return strncmp(name, "num_", 4) == 0 || strcmp(name, "maxnreg") == 0 ||
           strcmp(name, "debug") == 0 || strncmp(name, "enable_", 7) == 0;
}

/* What was given by a name that is neither a parameter nor a launch option; NULL. */
static const char *unknown_name(const Launch *l)
{
    for (int i = l->kernel->nparams; i < l->nargs; i++) {
        if (l->args[i].name && !is_launch_option(l->args[i].name))
            return l->args[i].name;
    }
    return NULL;
}

/* "x, y and n" would be kinder, and longer.  `given`: of those that were; NULL: of all. */
static PyObject *join_names(const Kernel *k, int n, PyObject *const *given)
{
    PyObject *names = PyList_New(0), *comma = PyUnicode_FromString(", "), *text = NULL;

    for (int i = 0; names && i < n; i++) {
        if ((!given || given[i]) && PyList_Append(names, k->params[i].name) != 0)
            Py_CLEAR(names);
    }
    if (names && comma)
        text = PyUnicode_Join(comma, names);
    Py_XDECREF(names);
    Py_XDECREF(comma);
    return text;
}

/* An array that was forgotten among those that are given by position is missed at the end. */
static void refuse_missing_number(const Launch *l, const Param *param)
{
    PyObject *given = join_names(l->kernel, l->kernel->nparams, l->given);
    PyObject *all = given ? join_names(l->kernel, l->kernel->nparams, NULL) : NULL;

    if (all && PyUnicode_GetLength(given) > 0)
        PyErr_Format(PyExc_TypeError,
                     "the kernel misses an argument for `%s`: it takes %U, and was given %U",
                     param->text, all, given);
    else if (all)
        PyErr_Format(PyExc_TypeError, "the kernel misses an argument for `%s`: it takes %U",
                     param->text, all);
    Py_XDECREF(all);
    Py_XDECREF(given);
}

static void refuse_missing(const Launch *l, const Param *param)
{
    const char *unknown = unknown_name(l);

    if (unknown)
        PyErr_Format(PyExc_TypeError,
                     "the kernel misses an argument for `%s`; it has no parameter `%s`, which was "
                     "given",
                     param->text, unknown);
    else if (strcmp(l->kernel->params[0].text, "self") == 0)
        PyErr_Format(PyExc_TypeError,
                     "the kernel misses an argument for `%s`: a kernel is no method, and `self` "
                     "takes the first argument",
                     param->text);
    else if (param->is_constexpr)
        PyErr_Format(PyExc_TypeError,
                     "the kernel misses an argument for `%s`, which is compiled in: %s=... by name",
                     param->text, param->text);
    else
        refuse_missing_number(l, param);
}

static void refuse_count(const Kernel *k, Py_ssize_t n)
{
    PyObject *text = join_names(k, k->npositional, NULL);

    if (text)
        PyErr_Format(PyExc_TypeError, "the kernel takes %d argument%s%s, but %zd were given: %U",
                     k->npositional, k->npositional == 1 ? "" : "s",
                     k->npositional < k->nparams ? " by position" : "", n, text);
    Py_XDECREF(text);
}

/* Fill in `given`, and behind what will be the parameters' arguments the options. */
static int take_arguments(Launch *l, PyObject *args, PyObject *kwargs)
{
    const Kernel *k = l->kernel;
    Py_ssize_t n = PyTuple_Size(args);

    if (n > k->npositional && k->has_rest)
        n = k->npositional;
    if (n > k->npositional) {
        refuse_count(k, n);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        l->given[i] = PyTuple_GetItem(args, i);
    for (int i = (int)n; i < k->nparams; i++)
        l->given[i] = NULL;
    l->nargs = k->nparams;
    if ((kwargs && take_named(l, kwargs) != 0) || put_debug(l) != 0)
        return -1;
    for (int i = 0; i < k->nparams; i++) {
        if (!l->given[i])
            l->given[i] = k->params[i].default_value;
        if (!l->given[i]) {
            refuse_missing(l, &k->params[i]);
            return -1;
        }
    }
    return 0;
}

static int read_arguments(Launch *l)
{
    const Kernel *k = l->kernel;

    for (int i = 0; i < k->nparams; i++) {
        tilec_arg *a = &l->args[i];

        l->keep.any_object = k->params[i].is_constexpr;
        if (value_read(l->given[i], k->params[i].text, a, &l->keep) != 0)
            return -1;
        if (a->kind == TILEC_ARG_CONSTEXPR && k->params[i].is_constexpr)
            *a = a->items[0]; /* which the library binds without memory */
        a->name = k->params[i].text;
    }
    return 0;
}

/* --- the grid --- */

static PyObject *named_arguments(const Launch *l)
{
    const Kernel *k = l->kernel;
    PyObject *dict = PyObject_CallMethod((PyObject *)k, "_named", NULL);

    for (int i = 0; dict && i < k->nparams; i++) {
        if (PyDict_SetItem(dict, k->params[i].name, l->given[i]) != 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static int refuse_extent(PyObject *o)
{
    const char *advice = "";

    if (PyFloat_Check(o))
        advice = ": triton.cdiv(n, BLOCK) of integers divides and rounds up";
    else if (PyTuple_Check(o) || PyList_Check(o))
        advice = "; a launch names the grid alone, kernel[(x, y)], and no threads: num_warps=... "
                 "is an argument";
    PyErr_Format(PyExc_TypeError, "the extents of a grid are integers, not %R%s", o, advice);
    return -1;
}

static int read_extent(PyObject *o, int32_t *out)
{
    if (!PyIndex_Check(o))
        return refuse_extent(o);
    PyObject *number = PyNumber_Index(o);
    long long v = number ? PyLong_AsLongLong(number) : -1;

    Py_XDECREF(number);
    if (v == -1 && PyErr_Occurred())
        return -1;
    if (v > INT32_MAX || v < 0) {
        PyErr_Format(PyExc_ValueError, "a grid cannot have an extent of %lld", v);
        return -1;
    }
    *out = (int32_t)v;
    return 0;
}

static int read_extents(PyObject *tuple, int32_t out[3])
{
    Py_ssize_t n = PyTuple_Size(tuple);

    if (n < 1 || n > 3) {
        PyErr_Format(PyExc_ValueError, "a grid has one to three extents, not %zd", n);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (read_extent(PyTuple_GetItem(tuple, i), &out[i]) != 0)
            return -1;
    }
    return 0;
}

/* The call of a grid's function has failed: was it for want of a parameter, or of an argument? */
static void explain_call(void)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (!trace && type == PyExc_TypeError) {
        PyErr_Format(PyExc_TypeError,
                     "%S: a grid's function gets the arguments by name: lambda meta: "
                     "(triton.cdiv(n, meta['BLOCK']),)",
                     value);
        Py_XDECREF(type);
        Py_XDECREF(value);
        return;
    }
    PyErr_Restore(type, value, trace);
}

/* The result is a new reference. */
static PyObject *call_grid(Launch *l, PyObject *grid)
{
    PyObject *named = named_arguments(l);
    PyObject *result = named ? PyObject_CallFunctionObjArgs(grid, named, NULL) : NULL;

    if (named && !result)
        explain_call();
    Py_XDECREF(named);
    return result;
}

/* Arrays of integers have an index, too, where they have one element. */
static bool is_sequence(PyObject *o)
{
    bool is = PySequence_Check(o) && PySequence_Size(o) >= 0;

    PyErr_Clear();
    return is;
}

static int read_grid(Launch *l, PyObject *grid)
{
    PyObject *tuple;

    l->grid[0] = l->grid[1] = l->grid[2] = 1;
    if (PyTuple_Check(grid))
        return read_extents(grid, l->grid);
    if (PyLong_CheckExact(grid))
        return read_extent(grid, l->grid);
    if (PyCallable_Check(grid)) {
        PyObject *result = call_grid(l, grid);
        if (keep_object(&l->keep, result) != 0)
            return -1;
        if (!PyCallable_Check(result))
            return read_grid(l, result);
        grid = result;
    }
    if (!is_sequence(grid))
        return read_extent(grid, l->grid);
    tuple = PySequence_Tuple(grid);
    return keep_object(&l->keep, tuple) != 0 ? -1 : read_extents(tuple, l->grid);
}

/* --- launching --- */

/* While a file is asked what its names mean, a launch of it by the answer would never end. */
static int refuse_launch_in_answer(const Kernel *k)
{
    if (!k->file || k->file->asking == 0 || k->file->asking != PyThread_get_thread_ident())
        return 0;
    PyErr_Format(PyExc_RuntimeError,
                 "the kernel `%s` is launched by what one of its own names means, while it is "
                 "compiled: no property that it reads may launch it",
                 tilec_kernel_name(k->file->file, 0));
    return -1;
}

/* Whether `k->file` is still what its names mean; lets go of it where it is not. */
static int drop_stale(Kernel *k)
{
    int changed = -1;

    while (k->file && (changed = file_changed(k->file, changed + 1)) >= 0) {
        PyObject *asked = (PyObject *)k->file, *stale;

        Py_INCREF(asked); /* another thread may let go of it */
        stale = PyObject_CallMethod((PyObject *)k, "_changed", "Oi", asked, changed);
        if (stale == Py_True && (PyObject *)k->file == asked)
            Py_CLEAR(k->file);
        Py_DECREF(asked);
        if (!stale)
            return -1;
        Py_DECREF(stale);
    }
    return 0;
}

/* Load the kernel unless what was loaded is still what its names mean. */
static int make_current(Launch *l)
{
    Kernel *k = l->kernel;
    File *asked = k->file;

    if (refuse_launch_in_answer(k) != 0)
        return -1;
    if (asked) {
        unsigned long before = asked->asking;
        int failed;

        Py_INCREF(asked);
        asked->asking = PyThread_get_thread_ident();
        failed = drop_stale(k);
        asked->asking = before;
        Py_DECREF(asked);
        if (failed != 0)
            return -1;
    }
    if (!k->file) {
        PyObject *done = PyObject_CallMethodObjArgs((PyObject *)k, core.names._load, NULL);

        Py_XDECREF(done);
        if (!done)
            return -1;
    }
    if (!k->file) {
        PyErr_SetString(PyExc_SystemError, "the kernel was not loaded");
        return -1;
    }
    Py_INCREF(k->file);
    l->file = l->keep.file = k->file;
    return 0;
}

static bool is_gpu(const char *device)
{
    return device && (strncmp(device, "cuda", 4) == 0 || strncmp(device, "sim", 3) == 0);
}

/* Triton writes "sm80" for what is "sm_80" here. */
static int choose_arch(Launch *l)
{
    const char *given = l->options.arch;

    if (!given && core.arch && is_gpu(l->options.device))
        given = PyBytes_AsString(core.arch);
    l->options.arch = given;
    if (!given || strncmp(given, "sm", 2) != 0 || given[2] < '0' || given[2] > '9')
        return 0;
    size_t room = strlen(given) + 2;
    char *name = keep_memory(&l->keep, room);
    if (!name)
        return -1;
    snprintf(name, room, "sm_%s", given + 2);
    l->options.arch = name;
    return 0;
}

static void choose_device(Launch *l)
{
    if (l->keep.on_device && !l->options.device)
        l->options.device = "cuda";
    if (l->keep.on_device && !l->options.stream)
        l->options.stream = l->keep.stream;
    if (!l->options.device && core.host_device)
        l->options.device = PyBytes_AsString(core.host_device);
}

/* What a checked run in front of the launch finds, which `check` may ask for; NULL: nothing. */
static char *look_first(const Launch *l)
{
    const char *device = l->options.device;
    const Rehearsal r = {l->file, l->args, l->nargs, &l->options, l->grid};

    return l->check == CHECK_FIRST && (!device || strcmp(device, "cpu") == 0) ? rehearse(&r) : NULL;
}

/* The library's call, without the GIL; the kernel's code that it ran is `which`. */
static int call_library(Launch *l, const void **which)
{
    tilec_file *file = l->file->file;
    const char *name = tilec_kernel_name(file, 0);
    tilec_status status;
    char *error = NULL;
    bool runs = !l->warmup && l->grid[0] > 0 && l->grid[1] > 0 && l->grid[2] > 0;
    TuneClock *timed = runs ? tune_clock() : NULL;
    double seconds = 0;

    if (!runs && !l->warmup && warn_of_nothing(name, l->grid, l->args, l->nargs) != 0)
        return -1;
    char *found = runs ? look_first(l) : NULL;
    l->options.on_message = said_message;
    l->options.on_record = said_record;
    l->options.user = &l->said;
    l->options.compiled = which;
    l->options.seconds = timed ? &seconds : NULL;
    crash_begin(name);
    if (found)
        crash_says(found);
    l->options.cancel = interrupt_begin();
    PyThreadState *thread = PyEval_SaveThread();
    status = runs ? tilec_launch(file, name, l->grid, l->args, l->nargs, &l->options, &error)
                  : tilec_prepare(file, name, l->args, l->nargs, &l->options, &error);
    PyEval_RestoreThread(thread);
    if (timed && status == TILEC_OK) {
        timed->seconds += seconds;
        timed->launches++;
    }
    interrupt_end(l->options.cancel);
    l->options.cancel = NULL;
    /* one mistake is told once */
    bool is_new = found && !(l->said.message && strstr(l->said.message, "warning: "));
    bool failed =
        file_raised(l->file) || ((l->said.out || l->said.message) && said_show(&l->said) != 0);
    crash_end();
    if (found)
        crash_says(NULL);
    if (!failed && status == TILEC_OK && is_new)
        failed = rehearse_warn(found) != 0;
    free(found);
    if (failed) {
        tilec_free(error);
        return -1;
    }
    if (status == TILEC_CANCELLED && PyErr_CheckSignals() != 0)
        tilec_free(error);
    else if (status != TILEC_OK)
        fail_status(status, error, &l->said);
    return status == TILEC_OK ? 0 : -1;
}

/* What Python has for the code that ran: a new reference. */
static PyObject *compiled_kernel(Launch *l, const void *which, PyObject *args, PyObject *kwargs)
{
    PyObject *known = file_compiled(l->file, which, l->named), *call, *made;

    if (known) {
        Py_INCREF(known);
        return known;
    }
    call = call_new(l->file, l->args, l->nargs, &l->options);
    made = call ? PyObject_CallMethodObjArgs((PyObject *)l->kernel, core.names._compiled, call,
                                             args, kwargs ? kwargs : Py_None,
                                             l->warmup ? Py_True : Py_False, NULL)
                : NULL;
    Py_XDECREF(call);
    known = made ? file_compiled(l->file, which, l->named) : NULL;
    if (known) { /* another thread was quicker */
        Py_INCREF(known);
        Py_DECREF(made);
        return known;
    }
    if (made && file_add_compiled(l->file, (Compiled){which, l->named, made}) != 0)
        Py_CLEAR(made);
    return made;
}

/* A tensor that requires a gradient gets none from a launch: gradients.py says so once a kernel,
 * whenever the first such tensor comes, as behind a launch that only warms up. */
static int look_for_gradients(const Launch *l)
{
    Kernel *k = l->kernel;

    for (int i = 0; i < k->nparams && !k->told_of_gradients && !l->warmup; i++) {
        if (l->args[i].kind != TILEC_ARG_TENSOR || type_entry(l->given[i])->kind == IS_NUMPY)
            continue;
        PyObject *wants = PyObject_GetAttr(l->given[i], core.names.requires_grad), *told;
        if (!wants)
            PyErr_Clear();
        Py_XDECREF(wants);
        if (wants != Py_True)
            continue;
        told = PyObject_CallMethodObjArgs((PyObject *)k, core.names._wants_gradient,
                                          k->params[i].name, NULL);
        Py_XDECREF(told);
        if (!told)
            return -1;
        k->told_of_gradients = told == Py_True;
        break;
    }
    return 0;
}

static PyObject *launch(Launch *l, PyObject *grid, PyObject *args, PyObject *kwargs)
{
    const void *which = NULL;

    if (make_current(l) != 0 || take_arguments(l, args, kwargs) != 0 || read_arguments(l) != 0)
        return NULL;
    if (!l->warmup && read_grid(l, grid) != 0)
        return NULL;
    choose_device(l);
    l->options.check = l->check == CHECK_ALL;
    if (choose_arch(l) != 0)
        return NULL;
    l->options.async_asserts = !core.waits && core.debug != 1;
    if (l->keep.on_device && core_raise_async(false) != 0)
        return NULL;
    if (call_library(l, &which) != 0 || look_for_gradients(l) != 0)
        return NULL;
    return compiled_kernel(l, which, args, kwargs);
}

static PyObject *launch_kernel(Kernel *k, PyObject *grid, PyObject *args, PyObject *kwargs,
                               bool warmup)
{
    PyObject *result;
    Launch l;

    l.kernel = k;
    l.file = NULL;
    l.named = 0;
    l.warmup = warmup;
    l.check = core.checks;
    l.options = (tilec_launch_options){.debug = core.lines ? TILEC_DEBUG_LINES : TILEC_DEBUG_NONE};
    l.debug = -1;
    l.said = (Said){0};
    keep_init(&l.keep);
    result = launch(&l, grid, args, kwargs);
    keep_clear(&l.keep);
    said_clear(&l.said);
    Py_XDECREF(l.file);
    return result;
}

/* --- kernel[grid] --- */

/* Hooks see the call as it is. */
static PyObject *run_slowly(Bound *b, PyObject *args, PyObject *kwargs)
{
    PyObject *named = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    PyObject *run = PyObject_GetAttr(b->kernel, core.names.run), *result = NULL;

    if (named && run && PyDict_SetItem(named, core.names.grid, b->grid) == 0 &&
        (PyDict_Contains(named, core.names.warmup) ||
         PyDict_SetItem(named, core.names.warmup, Py_False) == 0))
        result = PyObject_Call(run, args, named);
    Py_XDECREF(named);
    Py_XDECREF(run);
    return result;
}

static PyObject *bound_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    Bound *b = (Bound *)self;
    Kernel *k = (Kernel *)b->kernel;

    if (k->is_slow || core.slow || ranges_wanted())
        return run_slowly(b, args, kwargs);
    return launch_kernel(k, b->grid, args, kwargs, false);
}

/* A program may keep it where the kernel itself leads to, in a global that the kernel names. */
static int bound_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Bound *)self)->kernel);
    Py_VISIT(((Bound *)self)->grid);
    return 0;
}

static int bound_clear(PyObject *self)
{
    Py_CLEAR(((Bound *)self)->kernel);
    Py_CLEAR(((Bound *)self)->grid);
    return 0;
}

static void bound_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    bound_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMemberDef bound_members[] = {
    {"kernel", T_OBJECT, offsetof(Bound, kernel), READONLY, NULL},
    {"grid", T_OBJECT, offsetof(Bound, grid), READONLY, NULL},
    {0},
};

static PyObject *bound_subscript(PyObject *self, PyObject *grid)
{
    (void)self, (void)grid;
    PyErr_SetString(PyExc_TypeError, "the kernel has its grid: kernel[grid](...), and for two axes "
                                     "kernel[(x, y)](...)");
    return NULL;
}

static PyType_Slot bound_slots[] = {
    {Py_tp_new, core_no_new},           {Py_tp_call, bound_call},
    {Py_mp_subscript, bound_subscript}, {Py_tp_traverse, bound_traverse},
    {Py_tp_clear, bound_clear},         {Py_tp_dealloc, bound_dealloc},
    {Py_tp_members, bound_members},     {0, NULL},
};

PyType_Spec bound_spec = {
    .name = "tilec._core.Bound",
    .basicsize = sizeof(Bound),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = bound_slots,
};

static PyObject *kernel_subscript(PyObject *self, PyObject *grid)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(core.bound_type, Py_tp_alloc);
    Bound *b = (Bound *)alloc(core.bound_type, 0);

    if (!b)
        return NULL;
    Py_INCREF(self);
    Py_INCREF(grid);
    b->kernel = self;
    b->grid = grid;
    return (PyObject *)b;
}

/* --- what jit.py does with a Kernel --- */

static void free_params(Kernel *k)
{
    Param *params = k->params;
    int n = k->nparams;

    k->params = NULL;
    k->nparams = 0;
    for (int i = 0; i < n; i++) {
        Py_XDECREF(params[i].name);
        Py_XDECREF(params[i].default_value);
        Py_XDECREF(params[i].text_bytes);
    }
    PyMem_Free(params);
}

/* From a tuple (name, is_constexpr) or (name, is_constexpr, default). */
static int read_param(PyObject *o, Param *out)
{
    PyObject *name, *value = NULL;

    if (!PyTuple_Check(o) || !PyArg_ParseTuple(o, "Up|O", &name, &out->is_constexpr, &value))
        return -1;
    out->text_bytes = PyUnicode_AsUTF8String(name);
    if (!out->text_bytes)
        return -1;
    out->text = PyBytes_AsString(out->text_bytes);
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    out->name = name;
    Py_XINCREF(value);
    out->default_value = value;
    return 0;
}

/* _set_params(tuple of what read_param() takes, how many of them may be given by position, is the
 * last of these *args?) */
static PyObject *kernel_set_params(PyObject *self, PyObject *args)
{
    Kernel *k = (Kernel *)self;
    PyObject *tuple;
    int npositional, has_rest;

    if (!PyArg_ParseTuple(args, "O!ip", &PyTuple_Type, &tuple, &npositional, &has_rest))
        return NULL;
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n >= MOST_PARAMS)
        return PyErr_Format(PyExc_TypeError, "a kernel has at most %d parameters", MOST_PARAMS - 1);
    free_params(k);
    k->params = PyMem_Calloc((size_t)n + 1, sizeof(Param));
    if (!k->params)
        return PyErr_NoMemory();
    for (k->nparams = 0; k->nparams < (int)n; k->nparams++) {
        if (read_param(PyTuple_GetItem(tuple, k->nparams), &k->params[k->nparams]) != 0)
            return NULL;
    }
    k->npositional = npositional;
    k->has_rest = has_rest;
    Py_RETURN_NONE;
}

/* _set_file(File or None) */
static PyObject *kernel_set_file(PyObject *self, PyObject *file)
{
    Kernel *k = (Kernel *)self;
    PyObject *old = (PyObject *)k->file;

    if (file != Py_None && Py_TYPE(file) != core.file_type)
        return PyErr_Format(PyExc_TypeError, "a File is needed");
    k->file = file == Py_None ? NULL : (File *)file;
    Py_XINCREF((PyObject *)k->file);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

/* _launch(grid, args, kwargs, warmup) */
static PyObject *kernel_launch(PyObject *self, PyObject *args)
{
    PyObject *grid, *positional, *named;
    int warmup;

    if (!PyArg_ParseTuple(args, "OO!O!p", &grid, &PyTuple_Type, &positional, &PyDict_Type, &named,
                          &warmup))
        return NULL;
    return launch_kernel((Kernel *)self, grid, positional, named, warmup != 0);
}

/* _tune(arguments by name, list of configurations by name, list of keys, run, measures, unkept,
 * device or None): (the fastest, was it known?, [(number, median, low, high)]), in seconds; the
 * fastest is -1 where none runs.  `run` and the next two are those of tilec_tune_options: see
 * tune.c. */
static PyObject *kernel_tune(PyObject *self, PyObject *args)
{
    PyObject *result = NULL;
    Launch l = {.kernel = (Kernel *)self};

    keep_init(&l.keep);
    if (make_current(&l) == 0)
        result = tune_kernel(l.file, args);
    keep_clear(&l.keep);
    Py_XDECREF(l.file);
    return result;
}

/* What derive.c makes of a call: what `of` and `wrt` say where they are not NULL, else its uses. */
/* Names that the derived kernel alone has, as that of how many rounds a loop makes, say nothing of
 * the forward; a wrong one is told when the derived kernel is launched. */
static void drop_unknown(Launch *l)
{
    int kept = l->kernel->nparams;

    for (int i = kept; i < l->nargs; i++) {
        if (!l->args[i].name || is_launch_option(l->args[i].name))
            l->args[kept++] = l->args[i];
    }
    l->nargs = kept;
}

static PyObject *ask(Kernel *k, PyObject *args, PyObject *kwargs, PyObject *of, PyObject *wrt,
                     const DeriveHow *how)
{
    Launch l = {.kernel = k, .debug = -1};
    PyObject *result = NULL;

    keep_init(&l.keep);
    if (make_current(&l) == 0 && take_arguments(&l, args, kwargs) == 0 && read_arguments(&l) == 0) {
        choose_device(&l);
        if (of)
            drop_unknown(&l);
        const DeriveWish wish = {l.file, l.args, l.nargs, &l.options, &l.keep, *how};
        if (choose_arch(&l) == 0)
            result = of ? derive_kernel(&wish, of, wrt) : derive_uses(&wish);
    }
    keep_clear(&l.keep);
    Py_XDECREF(l.file);
    return result;
}

/* _derive(args, kwargs, of, wrt, atomics, recompute, tape, fused): see derive.c */
static PyObject *kernel_derive(PyObject *self, PyObject *args)
{
    PyObject *positional, *named, *of, *wrt;
    DeriveHow how = {0};

    if (!PyArg_ParseTuple(args, "O!O!UO!ipip", &PyTuple_Type, &positional, &PyDict_Type, &named,
                          &of, &PyTuple_Type, &wrt, &how.atomics, &how.recompute, &how.tape,
                          &how.fused))
        return NULL;
    return ask((Kernel *)self, positional, named, of, wrt, &how);
}

/* _uses(args, kwargs): {array: bits of tilec_use} */
static PyObject *kernel_uses(PyObject *self, PyObject *args)
{
    PyObject *positional, *named;

    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &positional, &PyDict_Type, &named))
        return NULL;
    return ask((Kernel *)self, positional, named, NULL, NULL, &(DeriveHow){0});
}

/* _repro(grid, args, kwargs): the text of a file that makes this launch */
static PyObject *kernel_repro(PyObject *self, PyObject *args)
{
    PyObject *grid, *positional, *named, *result = NULL;
    Launch l = {.kernel = (Kernel *)self, .debug = -1};

    if (!PyArg_ParseTuple(args, "OO!O!", &grid, &PyTuple_Type, &positional, &PyDict_Type, &named))
        return NULL;
    keep_init(&l.keep);
    if (make_current(&l) == 0 && take_arguments(&l, positional, named) == 0 &&
        read_arguments(&l) == 0 && read_grid(&l, grid) == 0) {
        const DeriveWish wish = {l.file, l.args, l.nargs, &l.options, &l.keep, {0}};
        result = derive_repro(&wish, l.grid);
    }
    keep_clear(&l.keep);
    Py_XDECREF(l.file);
    return result;
}

/* _current(): the File of what its names mean now */
static PyObject *kernel_current(PyObject *self, PyObject *unused)
{
    Launch l = {.kernel = (Kernel *)self};

    (void)unused;
    keep_init(&l.keep);
    if (make_current(&l) != 0)
        Py_CLEAR(l.file);
    keep_clear(&l.keep);
    return (PyObject *)l.file;
}

static int kernel_traverse(PyObject *self, visitproc visit, void *arg)
{
    const Kernel *k = (const Kernel *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)k->file);
    for (int i = 0; i < k->nparams; i++)
        Py_VISIT(k->params[i].default_value);
    return 0;
}

static int kernel_clear(PyObject *self)
{
    Kernel *k = (Kernel *)self;

    Py_CLEAR(k->file);
    free_params(k);
    return 0;
}

static void kernel_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    kernel_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMemberDef kernel_members[] = {
    {"_file", T_OBJECT, offsetof(Kernel, file), READONLY, NULL},
    {"_is_slow", T_BOOL, offsetof(Kernel, is_slow), 0, NULL},
    {"_debug", T_INT, offsetof(Kernel, debug), 0, NULL},
    {0},
};

static PyMethodDef kernel_methods[] = {
    {"_set_params", kernel_set_params, METH_VARARGS, NULL},
    {"_set_file", kernel_set_file, METH_O, NULL},
    {"_launch", kernel_launch, METH_VARARGS, NULL},
    {"_tune", kernel_tune, METH_VARARGS, NULL},
    {"_derive", kernel_derive, METH_VARARGS, NULL},
    {"_uses", kernel_uses, METH_VARARGS, NULL},
    {"_repro", kernel_repro, METH_VARARGS, NULL},
    {"_current", kernel_current, METH_NOARGS, NULL},
    {0},
};

static PyType_Slot kernel_slots[] = {
    {Py_mp_subscript, kernel_subscript},
    {Py_tp_traverse, kernel_traverse},
    {Py_tp_clear, kernel_clear},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_members, kernel_members},
    {Py_tp_methods, kernel_methods},
    {0, NULL},
};

PyType_Spec kernel_spec = {
    .name = "tilec._core.Kernel",
    .basicsize = sizeof(Kernel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = kernel_slots,
};
