/*
 * load.c - a source file, its kernels, and what its host says of names
 *
 * Parses the file and describes the signature of each kernel; a kernel whose signature is wrong
 * keeps the text that says so.  What the caller said of other files is handed to the front end,
 * which asks for it as kernels are lowered.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "api.h"
#include "language.h"

#define MAX_SOURCE ((size_t)256 << 20)

/* The signature of one kernel, or the text that says what is wrong with it. */
static void describe_kernel(Job *job, tilec_file *f, Kernel *k)
{
    Diags *diags = diags_new(job->arena, f->sources);

    k->signature = front_kernel(f->parsed, k->name, f->arena, diags);
    if (k->signature && k->signature->nparams > MAX_PARAMS) {
        diag(diags, DIAG_ERROR, k->signature->span, "kernel `%s` has more than %d parameters",
             k->name, MAX_PARAMS);
        k->signature = NULL;
    }
    if (k->signature)
        bind_describe(f, k, f->arena);
    else
        k->problem = diags_text(diags, f->arena);
}

static const char *copy_text(Arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

/* What the host of a file answers, in the terms of the front end. */
typedef struct {
    void (*resolve)(void *user, const tilec_question *question, tilec_name *answer);
    void *user;
    Arena *arena;
} Host;

static HostKind host_kind(const tilec_name *n, Arena *a, Const *value)
{
    switch (n->kind) {
    case TILEC_NAME_VALUE:
        return bind_constant_of(&n->value, NULL, a, value) ? HOST_VALUE : HOST_UNKNOWN;
    case TILEC_NAME_FUNCTION:
        return n->text && n->length <= MAX_SOURCE ? HOST_FUNCTION : HOST_UNKNOWN;
    case TILEC_NAME_CLASS:
        return n->text && n->length <= MAX_SOURCE ? HOST_CLASS : HOST_UNKNOWN;
    case TILEC_NAME_MODULE:
        return HOST_MODULE;
    case TILEC_NAME_LANGUAGE:
        return HOST_LANGUAGE;
    case TILEC_NAME_LIBRARY:
        return n->module ? HOST_LIBRARY : HOST_UNKNOWN;
    case TILEC_NAME_OBJECT:
        return n->text ? HOST_OBJECT : HOST_UNKNOWN;
    case TILEC_NAME_UNKNOWN:
        break;
    }
    return HOST_UNKNOWN;
}

/* Python's, for what is none of tilec_role. */
static HostRole host_role(tilec_role role)
{
    static const HostRole roles[] = {[TILEC_ROLE_JIT] = HOST_JIT,
                                     [TILEC_ROLE_CONSTEXPR] = HOST_CONSTEXPR_FUNCTION,
                                     [TILEC_ROLE_PYTHON] = HOST_PYTHON,
                                     [TILEC_ROLE_NAMED_TUPLE] = HOST_NAMED_TUPLE,
                                     [TILEC_ROLE_AGGREGATE] = HOST_AGGREGATE,
                                     [TILEC_ROLE_ENUM] = HOST_ENUM};

    return (unsigned)role < COUNT(roles) ? roles[role] : HOST_PYTHON;
}

#define MAX_LINE (1 << 30) /* where a text may begin; its own lines follow */

static HostAnswer host_answer(const tilec_name *n)
{
    const HostNames unspecialised = {n->unspecialised, n->unspecialised ? n->nunspecialised : 0};
    const HostNames unaligned = {n->unaligned, n->unaligned ? n->nunaligned : 0};

    return (HostAnswer){.is_constexpr = n->is_constexpr != 0,
                        .role = host_role(n->role),
                        .text = n->text,
                        .len = n->length,
                        .path = n->path,
                        .line = MIN(MAX(n->line, 1), MAX_LINE),
                        .module = n->module,
                        .function = n->function,
                        .unspecialised = unspecialised,
                        .unaligned = unaligned,
                        .noinline = n->noinline != 0,
                        .hint = n->hint};
}

static void ask_host(void *context, const HostQuestion *q, HostAnswer *out)
{
    const Host *host = context;
    const tilec_question question = {q->name, q->function, q->module, q->path};
    tilec_name n = {.line = 1};

    host->resolve(host->user, &question, &n);
    *out = host_answer(&n);
    out->kind = host_kind(&n, host->arena, &out->value);
}

static FrontHost host_of(const tilec_load_options *o, Arena *a)
{
    Host *host;

    if (!o->resolve)
        return (FrontHost){0};
    host = NEW(a, Host);
    *host = (Host){o->resolve, o->user, a};
    return (FrontHost){ask_host, host};
}

/* What the caller said of other files, kept as long as the file. */
static FrontOptions load_options(const LoadJob *l, Arena *a)
{
    const tilec_load_options *o = &l->options;
    const char **paths = NEW_N(a, const char *, o->npaths + 1);
    FrontDefine *defines = NEW_N(a, FrontDefine, o->ndefines + 1);

    for (int i = 0; i < o->npaths; i++)
        paths[i] = copy_text(a, o->paths[i]);
    for (int i = 0; i < o->ndefines; i++)
        defines[i] =
            (FrontDefine){copy_text(a, o->defines[i].name), copy_text(a, o->defines[i].value)};
    return (FrontOptions){.paths = paths,
                          .npaths = o->npaths,
                          .defines = defines,
                          .ndefines = o->ndefines,
                          .host = host_of(o, a),
                          .in_memory = l->text != NULL};
}

tilec_status load_file(Job *job, void *load)
{
    LoadJob *l = load;
    tilec_file *f = l->file;
    FrontOptions options;
    HostAnswer kernel;
    char *text = NULL;
    size_t len = l->len;

    f->arena = arena_new(&job->guard);
    f->names = interner_new(f->arena);
    f->sources = source_map_new(f->arena);
    job->diags = diags_new(job->arena, f->sources);
    if (l->text && len > MAX_SOURCE)
        return job_refuse(job, TILEC_REFUSED, "%s: too large", shown_name(job->arena, l->path));
    if (l->text)
        text = arena_strndup(f->arena, l->text, len);
    int status = l->text ? 0 : os_read_file(f->arena, l->path, MAX_SOURCE, &text, &len);
    if (status != 0)
        return job_refuse(job, TILEC_IO, "%s: %s%s%s",
                          l->path[0] ? shown_name(job->arena, l->path) : "a path without a name",
                          strerror(status), status == ENOENT ? os_missing(job->arena, l->path) : "",
                          strchr(l->path, '\n') ? "\nhint: this is a text and no path: "
                                                  "tilec_load_string() takes it, in C++ load_text()"
                                                : "");
    if (l->kernel)
        kernel = host_answer(l->kernel);
    f->folder = os_current_folder(f->arena);
    f->source = source_add_part(f->sources, l->path, l->kernel ? kernel.line : 1, text, len);
    options = load_options(l, f->arena);
    options.kernel = l->kernel ? &kernel : NULL;
    f->parsed = front_parse(f->arena, f->names, &triton_language, f->source, &options, job->diags);
    if (!f->parsed)
        return TILEC_REFUSED;
    f->nkernels = front_kernel_count(f->parsed);
    f->kernels = NEW_N(f->arena, Kernel, MAX(f->nkernels, 1));
    for (int i = 0; i < f->nkernels; i++) {
        f->kernels[i] = (Kernel){.name = front_kernel_name(f->parsed, i),
                                 .full_name = front_kernel_full_name(f->parsed, i),
                                 .index = i};
        describe_kernel(job, f, &f->kernels[i]);
    }
    f->only = front_only_kernel(f->parsed) < 0 ? NULL : &f->kernels[front_only_kernel(f->parsed)];
    return TILEC_OK;
}

/* Under the file's lock, as lowering is. */
tilec_status load_function(Job *job, void *added)
{
    const AddedJob *j = added;
    const HostAnswer function = host_answer(j->function);

    if (front_add_function(j->file->parsed, j->name, &function))
        return TILEC_OK;
    return job_refuse(job, TILEC_REFUSED, "%s: the text has no function `%s`",
                      function.path ? function.path : "<host>",
                      function.function ? function.function : j->name);
}

tilec_status find_function(Job *job, void *wanted)
{
    const AddedJob *j = wanted;

    (void)job;
    return front_import_function(j->file->parsed, j->name) ? TILEC_OK : TILEC_NOT_FOUND;
}
