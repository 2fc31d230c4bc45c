/*
 * rehearse.c - check="first": what a check finds is told of a kernel's first launch, as a warning
 *
 * A checked launch costs some times what a plain one does, so nobody has it on for long, and who
 * does not know of a mistake does not ask.  Here the first launch of each specialisation is made
 * once more, in front of itself, on the interpreter, which looks at everything `check` and races
 * are about.  A child process does that, on copies of the arrays: neither what the kernel writes
 * nor what it may fault at reaches the program, whose memory may be shared with others.  All that
 * takes locks of Python, names that are asked for, has been compiled before; where another thread
 * holds one of the library's, the child ends with its time.
 *
 * The child has half a second of the CPU, and its programs that have begun as much again.  What is
 * not ready then has found nothing.
 */
#define _GNU_SOURCE /* pipe2 */
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MICROS = 500000, SLOWEST = 5000 /* milliseconds on the wall */ };
static const size_t most_bytes = (size_t)16 << 20;

/* --- arrays --- */

/* The bytes of a view, or of several that share some. */
typedef struct {
    char *first, *end;
    char *copy;
} Stretch;

typedef struct {
    Stretch at[MOST_PARAMS];
    int n;
    bool is_possible; /* all of it is the host's, and known */
} Stretches;

static Stretch stretch_of(const tilec_tensor *t)
{
    int64_t low = 0, high = 1, dense = 1;

    for (int d = t->ndim - 1; d >= 0; d--) {
        int64_t reach = (t->shape[d] - 1) * (t->strides ? t->strides[d] : dense);
        if (t->shape[d] == 0)
            return (Stretch){t->data, t->data, NULL};
        dense *= t->shape[d];
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    int64_t size = tilec_dtype_size(t->dtype);
    return (Stretch){(char *)t->data + low * size, (char *)t->data + high * size, NULL};
}

/* What it shares bytes with becomes one with it. */
static void put_stretch(Stretches *s, Stretch new)
{
    for (int i = 0; i < s->n; i++) {
        Stretch *old = &s->at[i];

        if (new.first >= old->end || old->first >= new.end)
            continue;
        new.first = old->first < new.first ? old->first : new.first;
        new.end = old->end > new.end ? old->end : new.end;
        *old = s->at[--s->n];
        i = -1;
    }
    s->is_possible &= s->n < MOST_PARAMS;
    if (s->is_possible)
        s->at[s->n++] = new;
}

static void look_at(Stretches *s, const tilec_arg *args, int nargs)
{
    for (int i = 0; i < nargs; i++) {
        const tilec_tensor *t = &args[i].tensor;

        look_at(s, args[i].items, args[i].nitems);
        if (args[i].kind != TILEC_ARG_TENSOR && args[i].kind != TILEC_ARG_DESCRIPTOR)
            continue;
        s->is_possible &= t->ndim >= 0 && t->memory == TILEC_MEMORY_HOST;
        if (s->is_possible && t->data)
            put_stretch(s, stretch_of(t));
    }
}

static size_t bytes_of(const Stretches *s)
{
    size_t bytes = 0;

    for (int i = 0; i < s->n; i++)
        bytes += (size_t)(s->at[i].end - s->at[i].first);
    return bytes;
}

/* --- in the child, which frees nothing --- */

static volatile int is_over;

/* The first half of the time: programs that have begun may end; then all of it. */
static void end_child(int number)
{
    (void)number;
    if (is_over)
        _exit(0);
    is_over = 1;
}

static void limit_child(void)
{
    const struct itimerval half = {{0, MICROS}, {0, MICROS}};

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    signal(SIGPROF, end_child);
    setitimer(ITIMER_PROF, &half, NULL);
}

static void copy_stretches(Stretches *s)
{
    enum { LINE = 64 }; /* what divides an address says which code runs */

    for (int i = 0; i < s->n; i++) {
        Stretch *at = &s->at[i];
        size_t bytes = (size_t)(at->end - at->first), over = (uintptr_t)at->first % LINE;
        char *room = aligned_alloc(LINE, (bytes + over + LINE - 1) / LINE * LINE + LINE);

        if (!room)
            _exit(0);
        at->copy = memcpy(room + over, at->first, bytes);
    }
}

static tilec_arg *moved_args(const Stretches *s, const tilec_arg *args, int nargs)
{
    tilec_arg *out = malloc(sizeof *out * (size_t)(nargs + 1));

    if (!out)
        _exit(0);
    for (int i = 0; i < nargs; i++) {
        char *data = args[i].tensor.data;

        out[i] = args[i];
        out[i].items = args[i].nitems > 0 ? moved_args(s, args[i].items, args[i].nitems) : NULL;
        for (int k = 0; k < s->n; k++) {
            if (data >= s->at[k].first && data < s->at[k].end)
                out[i].tensor.data = s->at[k].copy + (data - s->at[k].first);
        }
    }
    return out;
}

static void write_text(int to, const char *text)
{
    const char *end = text ? text + strlen(text) : NULL;

    for (ssize_t n = 0; text && text < end && n >= 0; text += n)
        n = write(to, text, (size_t)(end - text));
}

/* The first warning: what else there is comes of the same mistake, most likely. */
static void hear(void *heard, const char *text)
{
    char **first = heard;

    if (!*first && strstr(text, "warning: "))
        *first = strdup(text);
}

/* What stops a checked launch is a warning here. */
static void write_as_warnings(int to, char *text)
{
    static const char error[] = ": error: ", warning[] = ": warning: ";

    for (char *at; (at = strstr(text, error)); text = at + sizeof error - 1) {
        *at = '\0';
        write_text(to, text);
        write_text(to, warning);
    }
    write_text(to, text);
}

static void be_child(const Rehearsal *r, Stretches *s, int to)
{
    tilec_launch_options o = *r->options;
    char *text = NULL, *heard = NULL;

    limit_child();
    copy_stretches(s);
    o.on_message = hear;
    o.user = &heard;
    o.cancel = &is_over;
    tilec_arg *args = moved_args(s, r->args, r->nargs);
    if (tilec_launch(r->file->file, tilec_kernel_name(r->file->file, 0), r->grid, args, r->nargs,
                     &o, &text) == TILEC_FAULT &&
        text)
        write_as_warnings(to, text);
    else
        write_text(to, heard);
    _exit(0);
}

/* --- in the parent --- */

static char *read_all(int from)
{
    struct pollfd end = {.fd = from, .events = POLLIN};
    size_t n = 0, room = 4096;
    char *text = malloc(room);
    ssize_t got = 1;

    while (text && got > 0 && poll(&end, 1, SLOWEST) > 0) {
        if (n + 1 >= room) {
            char *grown = realloc(text, room *= 2);
            if (!grown)
                break;
            text = grown;
        }
        got = read(from, text + n, room - n - 1);
        n += got > 0 ? (size_t)got : 0;
    }
    if (text)
        text[n] = '\0';
    return text;
}

static char *run_child(const Rehearsal *r, Stretches *s)
{
    int ends[2] = {-1, -1};
    pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    char *text = NULL;

    if (child == 0)
        be_child(r, s, ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    if (child > 0) {
        text = read_all(ends[0]);
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (ends[0] >= 0)
        close(ends[0]);
    return text;
}

static void hear_nothing(void *user, const char *text)
{
    (void)user, (void)text;
}

char *rehearse(const Rehearsal *r)
{
    tilec_launch_options o = {.device = "interp",
                              .check = 1,
                              .unspecialised = r->options->unspecialised,
                              .on_message = hear_nothing};
    Stretches s = {.is_possible = true};
    const void *which = NULL;
    char *error = NULL, *text = NULL;

    o.compiled = &which;
    PyThreadState *thread = PyEval_SaveThread();
    bool compiles = tilec_prepare(r->file->file, tilec_kernel_name(r->file->file, 0), r->args,
                                  r->nargs, &o, &error) == TILEC_OK;
    tilec_free(error);
    PyEval_RestoreThread(thread);
    if (!compiles || !file_is_first(r->file, which))
        return NULL;
    look_at(&s, r->args, r->nargs);
    if (s.is_possible && bytes_of(&s) <= most_bytes) {
        const Rehearsal child = {r->file, r->args, r->nargs, &o, r->grid};
        thread = PyEval_SaveThread();
        text = run_child(&child, &s);
        PyEval_RestoreThread(thread);
    }
    if (text && text[0])
        return text;
    free(text);
    return NULL;
}

int rehearse_warn(const char *text)
{
    PyObject *module = PyImport_ImportModule("tilec.errors");
    PyObject *kind = module ? PyObject_GetAttrString(module, "CheckWarning") : NULL;
    int result = kind ? PyErr_WarnFormat(kind, 1,
                                         "\n%s"
                                         "note: a first run has found this, on copies of "
                                         "the arrays; check=True stops at it",
                                         text)
                      : -1;

    Py_XDECREF(module);
    Py_XDECREF(kind);
    return result;
}
