/*
 * io.c - read or write one array file: the table of formats, and the guard around them
 *
 * The suffix of a name is its format.  What has none, and stdin, is known by how it begins; such
 * output is .npy.
 */
#define _GNU_SOURCE /* locale_t */
#include "io.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The public dtypes are the compiler's own, in the same order. */
_Static_assert((int)TILEC_I1 == (int)DT_I1 && (int)TILEC_FP64 == (int)DT_FP64,
               "tilec_dtype follows dtypes.h");

static const uint64_t most_bytes = UINT64_C(4) << 30;

static void refuse_pbm(Io *io, const tilec_tensor *t)
{
    (void)t;
    io_refuse(io, "black and white files are only read; .pgm holds grey");
}

/* An .npz of one array, which has NumPy's name when nothing else was said. */
static void npz_write_one(Io *io, const tilec_tensor *t)
{
    const tilec_io_member member = {io->member ? io->member : "arr_0", *t};

    npz_write(io, &member, 1);
}

/* clang-format off */
typedef struct {
    const char *suffix;
    const char *begins[2]; /* with one of these, if it is known by that */
    void (*read)(Io *io);
    void (*write)(Io *io, const tilec_tensor *t);
} Format;
static const Format formats[] = {
    {".npy", {"\x93NUMPY"},   npy_read, npy_write},
    {".npz", {"PK\3\4"},      npz_read, npz_write_one},
    {".png", {"\x89PNG\r\n"}, png_read, png_write},
    {".pgm", {"P2", "P5"},    pnm_read, pgm_write},
    {".ppm", {"P3", "P6"},    pnm_read, ppm_write},
    {".pbm", {"P1", "P4"},    pnm_read, refuse_pbm},
    {".pnm", {0},             pnm_read, pnm_write},
    {".csv", {0},             csv_read, csv_write},
};

/* what files with such suffixes may be instead, and what to do about it */
static const struct {
    const char *begins, *what;
} strangers[] = {
    {"\xff\xd8\xff",    "a JPEG image; ImageMagick makes one of the other: convert a.jpg a.png"},
    {"GIF8",            "a GIF image; ImageMagick makes one of the other: convert a.gif a.png"},
    {"\x80\4\x95",      "a pickle of Python's; numpy.save('x.npy', array) writes a .npy"},
    {"\x89HDF",         "an HDF5 file; numpy.save('x.npy', array) writes a .npy"},
    {"version https://git-lfs", "a pointer of Git LFS; `git lfs pull` brings the file"},
};
/* clang-format on */

/* ".npy, .npz, ... and .csv" */
static const char *known_suffixes(Arena *a)
{
    Text t = text_new(a);

    for (int i = 0; i < COUNT(formats); i++)
        text_printf(&t, "%s%s",
                    i == 0                   ? ""
                    : i + 1 < COUNT(formats) ? ", "
                                             : " and ",
                    formats[i].suffix);
    return t.s;
}

static const Format *find_format(const char *suffix)
{
    for (int i = 0; i < COUNT(formats); i++) {
        if (strcmp(formats[i].suffix, suffix) == 0)
            return &formats[i];
    }
    return NULL;
}

bool io_is_suffix(const char *s, size_t n)
{
    for (int i = 0; i < COUNT(formats); i++) {
        if (strlen(formats[i].suffix) == n && strncasecmp(formats[i].suffix, s, n) == 0)
            return true;
    }
    return false;
}

/* --- names --- */

/* The suffix of the last part of a path, in small letters; "" for `.hidden` and `x.` too. */
static const char *suffix_of(Arena *a, const char *path, size_t len)
{
    char *copy = arena_strndup(a, path, len), *slash = strrchr(copy, '/');
    char *name = slash ? slash + 1 : copy, *dot = strrchr(name, '.');

    if (!dot || dot == name || !dot[1])
        return "";
    for (char *s = dot; *s; s++)
        *s = (char)tolower((unsigned char)*s);
    return dot;
}

IoName io_name(Arena *a, const char *text)
{
    size_t len = strlen(text);
    IoName name = {0};

    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (strcmp(suffix_of(a, text, (size_t)(colon - text)), ".npz") != 0)
            continue;
        name.member = colon + 1;
        len = (size_t)(colon - text);
        break;
    }
    name.suffix = suffix_of(a, text, len);
    name.path = arena_strndup(a, text, len);
    if (strncmp(name.path, "-.", 2) == 0 && strlen(name.path) == 1 + strlen(name.suffix))
        name.path = "-";
    return name;
}

/* How a file of another format becomes one that is known, or the other way round. */
static const char *advice_for_suffix(Arena *a, const char *suffix)
{
    static const char pictures[] = ".jpg.jpeg.tif.tiff.bmp.gif.webp.heic.";
    static const char tensors[] = ".pt.pth.safetensors.";
    static const char arrays[] = ".mat.h5.hdf5.pkl.parquet.bin.raw.dat.";
    const char *word = arena_printf(a, "%s.", suffix);

    if (strstr(pictures, word))
        return arena_printf(a, "; ImageMagick makes one of the other: convert a%s a.png", suffix);
    if (strstr(tensors, word))
        return "; numpy.save('x.npy', t.numpy()) and torch.from_numpy(numpy.load('x.npy')) are "
               "between both";
    if (strstr(arrays, word))
        return "; numpy.save('x.npy', array) and numpy.load('x.npy') are between both";
    if (strchr(suffix, ':'))
        return "; the dtype of what is written stands at the array's name: out:u8=o.png";
    return strcmp(suffix, ".txt") == 0 || strcmp(suffix, ".tsv") == 0
               ? "; numbers with commas between them are a .csv"
               : "";
}

const char *io_name_trouble(Arena *a, const IoName *name, bool is_output)
{
    if (*name->suffix && !find_format(name->suffix))
        return arena_printf(a, "a file '%s' is not known here; known are %s%s", name->suffix,
                            known_suffixes(a), advice_for_suffix(a, name->suffix));
    if (is_output && strcmp(name->suffix, ".pbm") == 0)
        return "black and white files are only read; .pgm holds grey";
    if (name->member && !*name->member)
        return "the name of the member is missing behind the colon";
    return NULL;
}

/* --- the guard --- */

void io_refuse(Io *io, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    io->trouble = arena_vprintf(io->arena, fmt, ap);
    va_end(ap);
    fail(&io->guard);
}

void io_refuse_system(Io *io, int error, const char *path)
{
    io->reason = error;
    const char *more = error == ENOENT   ? os_missing(io->arena, path)
                       : error == EISDIR ? "; the name of a file in it is missing"
                                         : "";
    io_refuse(io, "%s%s", os_error_text(error), more);
}

void io_no_memory(Io *io)
{
    io->guard.why = GUARD_NO_MEMORY;
    longjmp(io->guard.env, 1);
}

/* What one call is to do. */
typedef struct {
    const char *path;
    const void *bytes;
    size_t len;
    const tilec_tensor *tensor;
    const tilec_io_member *members;
    int nmembers;
} Task;

static bool begins(Io *io, const char *text)
{
    size_t n = strlen(text);

    io_peek(io, n);
    return (size_t)(io->in.end - io->in.at) >= n && memcmp(io->in.at, text, n) == 0;
}

/* The format of what is in hand, by how it begins; NULL: none. */
static const Format *recognise(Io *io)
{
    for (int i = 0; i < COUNT(formats); i++) {
        for (int k = 0; k < 2 && formats[i].begins[k]; k++) {
            if (begins(io, formats[i].begins[k]))
                return &formats[i];
        }
    }
    return NULL;
}

static const Format *format_without_suffix(Io *io)
{
    const Format *f = recognise(io);

    if (!f)
        io_refuse(io, "the name has no suffix, and it does not begin as a file of a known kind; "
                      "for stdin, `-.csv` says that it is CSV");
    return f;
}

/* What is in hand, with a way out, where it is surely not of the format that its suffix says. */
static void check_beginning(Io *io, const Format *f, const char *suffix)
{
    const Format *other = f->begins[0] ? recognise(io) : f;

    if (other && other->read == f->read)
        return;
    if (other)
        io_refuse(io, "not a %s file: it begins as a %s; with that suffix it is read", suffix,
                  other->suffix);
    for (int i = 0; i < COUNT(strangers); i++) {
        if (begins(io, strangers[i].begins))
            io_refuse(io, "not a %s file: it begins as %s", suffix, strangers[i].what);
    }
    if (f->read == npy_read)
        io_refuse(io, "not a .npy file; numpy.save('x.npy', array) writes one");
}

static IoName parse_name(Io *io, const char *path, bool is_output)
{
    IoName name = io_name(io->arena, path);
    const char *trouble = io_name_trouble(io->arena, &name, is_output);

    if (trouble)
        io_refuse(io, "%s", trouble);
    io->member = name.member;
    return name;
}

static void read_task(Io *io, const Task *task)
{
    IoName name = parse_name(io, task->path, false);

    if (task->bytes)
        io->in = (IoInput){.at = task->bytes,
                           .end = (const unsigned char *)task->bytes + task->len,
                           .left = task->len,
                           .fd = -1};
    else
        io_open_file(io, name.path);
    io_peek(io, 1);
    if (io->in.at == io->in.end)
        io_refuse(io, "it is empty");
    const Format *f = *name.suffix ? find_format(name.suffix) : format_without_suffix(io);
    check_beginning(io, f, name.suffix);
    f->read(io);
    if (!io->options.keep_order)
        io_make_row_major(io);
}

/* Refuse what no format can hold. */
static void check_rank(Io *io, const tilec_tensor *t)
{
    if (t->ndim > IO_MAX_DIMS)
        io_refuse(io, "files hold arrays of up to %d dimensions", IO_MAX_DIMS);
}

static void write_out(Io *io, const char *path)
{
    int error;

    if (strcmp(path, "-") != 0)
        error = os_write_array(path, io->out, io->out_len);
    else
        error =
            fwrite(io->out, 1, io->out_len, stdout) != io->out_len || fflush(stdout) ? errno : 0;
    if (error)
        io_refuse_system(io, error, path);
}

static void write_task(Io *io, const Task *task)
{
    IoName name = parse_name(io, task->path, true);
    const Format *f = find_format(*name.suffix ? name.suffix : ".npy");

    if (task->tensor) {
        check_rank(io, task->tensor);
        f->write(io, task->tensor);
    } else {
        if (*name.suffix && strcmp(name.suffix, ".npz") != 0)
            io_refuse(io, "only .npz holds several arrays");
        for (int i = 0; i < task->nmembers; i++)
            check_rank(io, &task->members[i].tensor);
        npz_write(io, task->members, task->nmembers);
    }
    write_out(io, name.path);
}

/* As text_put_name(); `to` has room for four times the length of `s`; gives the end. */
static char *put_escaped(char *to, const char *s)
{
    for (size_t n = strlen(s), taken; n > 0; s += taken, n -= taken)
        to += printable_in_name(s, n, to, &taken);
    *to = '\0';
    return to;
}

static char *one_line(const char *path, const char *why)
{
    char *text = malloc(4 * (strlen(path) + strlen(why)) + sizeof ": ");

    if (text)
        put_escaped(stpcpy(put_escaped(text, path), ": "), why);
    return text;
}

static char *error_text(const Io *io, tilec_status status, const char *path)
{
    const char *why = status == TILEC_NO_MEMORY ? "there is no memory for it" : io->trouble;

    if (path[0] == '-' && (!path[1] || path[1] == '.'))
        path = io->writes ? "stdout" : "stdin";
    return one_line(path, why);
}

/* The one place that io_refuse() comes back to. */
static tilec_status run_guarded(Io *io, const Task *task, void (*run)(Io *io, const Task *task))
{
    if (setjmp(io->guard.env) != 0)
        return io->guard.why == GUARD_NO_MEMORY ? TILEC_NO_MEMORY : TILEC_IO;
    io->arena = arena_new(&io->guard);
    run(io, task);
    return TILEC_OK;
}

/* Numbers in files have a decimal point, whatever the program's locale says. */
static tilec_status run_task(Io *io, const Task *task, void (*run)(Io *io, const Task *task))
{
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    tilec_status status = run_guarded(io, task, run);

    uselocale(before);
    if (io->release)
        io->release(io->held);
    if (io->in.fd >= 0)
        close(io->in.fd);
    if (status != TILEC_OK)
        io_array_free(&io->array);
    return status;
}

/* Of zlib; 0 is ours. */
static bool is_level(int level)
{
    return level >= 0 && level <= 9;
}

static tilec_status perform(Io *io, const tilec_io_options *options, const Task *task,
                            void (*run)(Io *io, const Task *task), char **error)
{
    tilec_status status = TILEC_BAD_ARGUMENT;

    if (error)
        *error = NULL;
    io->in.fd = -1;
    io->options = options ? *options : (tilec_io_options){0};
    if (!io->options.most_bytes)
        io->options.most_bytes = most_bytes;
    io->trouble = "options->png_level or npz_level is not 0 to 9, or options->as no dtype";
    if (is_level(io->options.png_level) && is_level(io->options.npz_level) &&
        (!io->options.as || (unsigned)*io->options.as <= TILEC_FP64))
        status = run_task(io, task, run);
    if (status != TILEC_OK && error)
        *error = error_text(io, status, task->path);
    arena_free(io->arena);
    free(io->out);
    errno = io->reason;
    return status;
}

tilec_status io_read(const char *path, const void *bytes, size_t len,
                     const tilec_io_options *options, IoArray *out, char **error)
{
    const Task task = {.path = path, .bytes = bytes, .len = len};
    Io io = {0};
    tilec_status status = perform(&io, options, &task, read_task, error);

    if (status == TILEC_OK)
        *out = io.array;
    return status;
}

tilec_status io_write(const char *path, const tilec_tensor *tensor, const tilec_io_member *members,
                      int n, const tilec_io_options *options, char **error)
{
    const Task task = {.path = path, .tensor = tensor, .members = members, .nmembers = n};
    Io io = {.writes = true};

    return perform(&io, options, &task, write_task, error);
}
