/*
 * core.h - inside of the Python extension tilec._core
 *
 * A launch goes kernel.c (which argument is which parameter) -> value.c (what a Python object is
 * as an argument) -> array.c (where an array's elements are) -> tilec_launch(), with the GIL
 * released; keep.c holds what it needs meanwhile, file.c holds what was loaded and what its names
 * meant then, answer.c puts the questions of the compiler to Python, call.c keeps one launch for
 * later questions about its code, fail.c makes exceptions of what the library says, interrupt.c
 * hears Ctrl-C meanwhile, rehearse.c checks a first launch, tune.c times configurations, derive.c
 * derives gradients, ranges.c asks whether PyTorch's profiler looks on.  Python's side is
 * tilec/jit.py.
 *
 * Everything is in the limited API of Python 3.9, so that one build serves all later versions.
 * Functions that give an object or an int follow Python: NULL or -1 with an exception set.  All of
 * them want the GIL; whatever calls the library that may take a lock releases it, since the
 * compiler's thread needs it for its questions while it holds the file's lock.
 */
#ifndef TILEC_PYTHON_CORE_H
#define TILEC_PYTHON_CORE_H

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "tilec.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

enum { MOST_PARAMS = 128 };

/* Names that are looked up in every launch, as Python objects; module.c makes them. */
#define CORE_NAMES(X)                                                                              \
    X(cell_contents)                                                                               \
    X(data_ptr)                                                                                    \
    X(device)                                                                                      \
    X(dtype)                                                                                       \
    X(index)                                                                                       \
    X(name)                                                                                        \
    X(run)                                                                                         \
    X(shape)                                                                                       \
    X(stride)                                                                                      \
    X(strides)                                                                                     \
    X(type)                                                                                        \
    X(typestr)                                                                                     \
    X(data)                                                                                        \
    X(value)                                                                                       \
    X(check)                                                                                       \
    X(unspecialised)                                                                               \
    X(stream)                                                                                      \
    X(warmup)                                                                                      \
    X(grid)                                                                                        \
    X(__array_interface__)                                                                         \
    X(__cuda_array_interface__)                                                                    \
    X(__dlpack__)                                                                                  \
    X(__dlpack_c_exchange_api__)                                                                   \
    X(_compiled)                                                                                   \
    X(__dataclass_fields__)                                                                        \
    X(__dict__)                                                                                    \
    X(__members__)                                                                                 \
    X(_fields)                                                                                     \
    X(base)                                                                                        \
    X(block_shape)                                                                                 \
    X(padding)                                                                                     \
    X(debug)                                                                                       \
    X(arch)                                                                                        \
    X(ir_override)                                                                                 \
    X(_is_profiler_enabled)                                                                        \
    X(requires_grad)                                                                               \
    X(_wants_gradient)                                                                             \
    X(function)                                                                                    \
    X(__tilec_descriptor__)                                                                        \
    X(_load)

/* What `check` of a launch says: "first" makes a checked one in front of the first of its kind. */
typedef enum { CHECK_NONE, CHECK_ALL, CHECK_FIRST } Checking;

/* What the extension keeps for the life of the process.  Subinterpreters are refused, so that
 * there is one. */
typedef struct {
    tilec_context *ctx;
    PyTypeObject *kernel_type, *bound_type, *file_type, *call_type;
    /* see classes() in module.c */
    PyObject *dtype_class, *constexpr_class, *reinterpreted_class, *namespace_class;
    PyObject *function_classes;
    PyObject *raise, *say, *describe; /* see voices() */
    PyObject *profiler_module;        /* the name of PyTorch's */
    PyObject *host_device;            /* bytes: where launches on host arrays run; NULL: the CPU */
    PyObject *arch;      /* bytes: of launches on GPUs that do not say it; NULL: the GPU's */
    Checking checks;     /* of launches that do not say it */
    bool slow;           /* all launches go through run() */
    bool lines;          /* launches run code that knows its lines */
    bool waits;          /* launches on GPUs wait for what they assert */
    int debug;           /* what TRITON_DEBUG says: 1, 0, or -1 where it says nothing */
    unsigned long epoch; /* counts changes of functions' texts: see touch() */
    struct {
#define X(name) PyObject *name;
        CORE_NAMES(X)
#undef X
    } names;
} Core;
extern Core core;

/* --- array.c --- */

/* What an object is to a launch, by its type. */
typedef enum {
    IS_UNKNOWN, /* none of these: a number perhaps */
    IS_NUMPY,
    IS_MASKED,   /* of numpy.ma */
    IS_EXCHANGE, /* DLPack by a C function of its type */
    IS_CUDA_INTERFACE,
    IS_TORCH, /* its attributes are those of a torch.Tensor */
    IS_INTERFACE,
    IS_DLPACK,
    IS_POINTER, /* to elements of a dtype; nobody says how many */
    IS_SCALAR,  /* of NumPy */
    IS_DTYPE,
    IS_LIBRARY_DTYPE, /* of NumPy or PyTorch, which the language may not have */
    IS_CONSTEXPR,
    IS_FUNCTION, /* a kernel, or another function for kernels */
    IS_NAMED_TUPLE,
    IS_ENUM,   /* a member of an enumeration */
    IS_RECORD, /* of a dataclass, or a namespace: attributes with names */
    IS_DESCRIPTOR,
    IS_REINTERPRETED
} TypeKind;
typedef struct TypeEntry {
    PyTypeObject *type; /* owned */
    TypeKind kind;
    const void *api; /* of IS_EXCHANGE */
} TypeEntry;

/* Objects and memory that a launch needs until it has ended. */
typedef struct {
    struct File *file; /* whose functions may be arguments; NULL: none may */
    bool any_object;   /* what is no constant may be an argument that the kernel does not read */
    bool on_device;    /* some tensor is in a device's memory */
    void *stream;      /* that the library of the first of these works on */
    PyObject **objects;
    int nobjects, room;
    int64_t *dims; /* shapes and strides; `ndims` of them are used */
    int ndims, dims_room;
    int nstand_ins; /* pointers without an array so far */
    void **blocks;  /* of PyMem_Malloc */
    int nblocks, blocks_room;
    PyObject *some_objects[16];
    int64_t some_dims[512];
    void *some_blocks[8];
} Keep;
/* keep.c */
void keep_init(Keep *k);
void keep_clear(Keep *k);
int keep_object(Keep *k, PyObject *o); /* takes the reference, in a failure too */
void *keep_memory(Keep *k, size_t bytes);
int64_t *keep_dims(Keep *k, int n);

const TypeEntry *type_entry(PyObject *o); /* valid until it is called again */

/* The items of a sequence of whole numbers, kept; -1 after an exception, else how many. */
int array_numbers(PyObject *o, int64_t **out, Keep *k);
/* Describe an array of such a kind.  `param` names it in messages. */
int array_read(const TypeEntry *entry, PyObject *o, const char *param, tilec_tensor *out, Keep *k);
/* The stream that the library of a tensor on a device works on now; NULL where nobody says. */
int array_stream(const TypeEntry *entry, PyObject *o, int device_id, void **out);
/* Is it a class of NumPy's scalars, numpy.float32, which stands for its dtype? */
bool array_is_scalar_class(PyObject *o);
/* "float32", as NumPy calls it; false: the language has no such dtype. */
bool dtype_of_name(const char *name, tilec_dtype *out);

/* --- pointer.c --- */

bool pointer_is(PyObject *o); /* of what is no array */
int pointer_read(PyObject *o, tilec_tensor *out, Keep *k);

/* --- value.c --- */

/* Make an argument of an object; its name stays NULL.  `param` is for messages. */
int value_read(PyObject *o, const char *param, tilec_arg *out, Keep *k);
/* What an option says that is on or off: 1 or 0; -1 and an exception where it says neither, as a
 * text does, of which Python takes even "no" for true. */
int value_truth(PyObject *o, const char *option);
/* .. and one that may be "first", too: a Checking, or -1. */
int value_checking(PyObject *o, const char *option);
/* The kind of code a dtype object of tilec.language stands for. */
int value_dtype(PyObject *o, tilec_dtype *out);

/* --- crash.c --- */

/* Between the two a signal that ends the process is told with the name of the last that began.  Any
 * number of threads at a time, with the GIL. */
void crash_begin(const char *kernel);
/* What the handler says first; NULL: nothing.  Copied. */
void crash_says(const char *text);
void crash_end(void);

/* --- interrupt.c --- */

/* With the import: is this the main thread, which hears signals?  A launch begins: the number that
 * cancels it, NULL on other threads; it has ended. */
void interrupt_main(void);
const volatile int *interrupt_begin(void);
void interrupt_end(const volatile int *begun);

/* --- ranges.c --- */

bool ranges_wanted(void); /* by PyTorch's profiler, now */

/* --- nothing.c --- */

/* Warn of a grid without programs, unless an argument says that there is nothing to do. */
int warn_of_nothing(const char *kernel, const int32_t *grid, const tilec_arg *args, int nargs);

/* --- fail.c --- */

/* What a launch had to say, gathered without the GIL. */
typedef struct {
    char *out, *message; /* for stdout; what the compiler says; NULL: nothing */
    size_t nout, nmessage;
    bool assertion; /* that failed */
} Said;
void said_message(void *said, const char *text);
void said_record(void *said, const tilec_record *record);
int said_show(Said *s); /* and forget */
void said_clear(Said *s);
/* Raise what `status` stands for; frees `error`, which may be NULL. */
void fail_status(tilec_status status, char *error, const Said *said);

/* --- file.c --- */

/* Something that the compiler was told, to be looked at again before a launch. */
typedef enum { WATCH_KEY, WATCH_ATTRIBUTE, WATCH_ITEM } WatchKind; /* as tilec/names.py has them */
typedef struct {
    PyObject *owner, *name; /* a dict and a key; an object and its attribute; a list and an index */
    PyObject *seen;         /* what it was; NULL: there was nothing */
    WatchKind how;
    bool is_rare; /* it changes only with core.epoch */
} Watched;

/* What ran for some arguments. */
typedef struct {
    const void *which; /* tilec_launch_options.compiled */
    Py_hash_t options; /* that the launch named, whether the code heeds them or not */
    PyObject *object;  /* that Python has for it */
} Compiled;

/* A kernel with the surroundings that it had when it was loaded. */
typedef struct File {
    PyObject ob_base;
    tilec_file *file;
    PyObject *resolve;
    PyObject *error_type, *error, *error_trace; /* what resolve() raised */
    Keep answer;                                /* what the last answer points to */
    Watched *watched;
    int nwatched, watched_room;
    unsigned long epoch;
    unsigned long asking; /* the thread on which resolve() runs; 0: none */
    Compiled *compiled;
    int ncompiled, compiled_room;
    const void **firsts; /* code of which a first launch was looked at */
    int nfirsts, firsts_room;
    PyObject *functions; /* that were arguments: {function: (itself, its name)}; NULL: none yet */
} File;
extern PyType_Spec file_spec;

/* The first that is not what it was, from number `from` on; -1: there is none. */
int file_changed(File *f, int from);
/* After a call of the library: what the resolver raised goes before all else.  Is there such? */
bool file_raised(File *f);
/* The name by which the library knows a function that is an argument; it lives as long as the file.
 * NULL after an exception. */
const char *file_function(File *f, PyObject *function);
/* Borrowed; NULL: it is not known yet. */
PyObject *file_compiled(File *f, const void *which, Py_hash_t options);
/* Is it asked of this code for the first time?  Also false where there is no memory. */
bool file_is_first(File *f, const void *which);
int file_add_compiled(File *f, Compiled made); /* takes a reference of its own */

/* --- answer.c --- */

/* tilec_load_options.resolve of a File. */
void answer_question(void *file, const tilec_question *question, tilec_name *answer);
/* A function from the tuple (text, name, module, path, line, unspecialised, noinline, unaligned),
 * whose texts and names are borrowed from `k`. */
int answer_function(PyObject *tuple, tilec_name *out, Keep *k);

/* --- call.c --- */

extern PyType_Spec call_spec;
/* Keep the arguments of a launch: what Python asks about the code that it ran. */
PyObject *call_new(File *file, const tilec_arg *args, int nargs,
                   const tilec_launch_options *options);

/* --- kernel.c --- */

extern PyType_Spec kernel_spec, bound_spec;

/* --- tune.c --- */

/* What launches of a thread add their seconds to, while it runs what is tuned. */
typedef struct {
    double seconds; /* by the device's clock */
    int launches;
} TuneClock;
TuneClock *tune_clock(void);                       /* of this thread; NULL: no one asks */
PyObject *tune_kernel(File *file, PyObject *args); /* Kernel._tune(), on a file that is current */

/* --- derive.c --- */

/* As in tilec_launch_options. */
typedef struct {
    int atomics, recompute, tape, fused; /* as tilec_launch_options has them */
} DeriveHow;
/* A kernel with arguments, as a launch has them. */
typedef struct {
    File *file;
    const tilec_arg *args;
    int nargs;
    const tilec_launch_options *options;
    Keep *keep;
    DeriveHow how;
} DeriveWish;
/* The gradients of `of` by the names in the tuple `wrt`: (text of a file, name of the kernel in it,
 * [(array, parameter of its gradient, tilec_gradient_fill)]). */
PyObject *derive_kernel(const DeriveWish *w, PyObject *of, PyObject *wrt);
PyObject *derive_uses(const DeriveWish *w); /* {array: bits of tilec_use} */
/* The text of a file that makes this launch: tilec_reproduce(). */
PyObject *derive_repro(const DeriveWish *w, const int32_t grid[3]);

/* --- rehearse.c --- */

/* A launch on arrays of the host, as tilec_launch() takes it. */
typedef struct {
    File *file;
    const tilec_arg *args;
    int nargs;
    const tilec_launch_options *options;
    const int32_t *grid;
} Rehearsal;
/* What a checked run of the first launch of such code finds, to be freed; NULL: nothing, or it is
 * not the first one. */
char *rehearse(const Rehearsal *r);
int rehearse_warn(const char *text); /* by Python's `warnings` */

/* --- profile.c --- */

/* Functions of the module; see there. */
PyObject *profile_start(PyObject *module, PyObject *device);
PyObject *profile_stop(PyObject *module, PyObject *device);

/* --- module.c --- */

tilec_context *core_context(void); /* opened with the first call; NULL after an exception */
/* Raise what launches on GPUs have asserted that nobody waited for; -1: it was. */
int core_raise_async(bool waits);
/* tp_new of types whose objects come from launches only: raises. */
PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

#endif
