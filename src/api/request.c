/*
 * request.c - what a call of the API asks for: which kernel, for which device, with what options
 *
 * Here is refused what can be told without binding arguments, and what is not compiled yet is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* Says why there is no such kernel: on a Request whose kernel is NULL. */
typedef struct {
    tilec_file *file;
    const char *name;
} Lookup;

static tilec_status explain_lookup(Job *job, void *lookup)
{
    const Lookup *l = lookup;
    const tilec_file *f = l->file;
    const char **names = NEW_N(job->arena, const char *, f->nkernels + 1), *near;
    Text all = text_new(job->arena);

    text_put(&all, "");
    for (int i = 0; i < f->nkernels; i++) {
        names[i] = f->kernels[i].name;
        text_printf(&all, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (l->name)
        job_refuse(job, TILEC_NOT_FOUND, "%s has no kernel `%s`", f->source->shown, l->name);
    else
        job_refuse(job, TILEC_NOT_FOUND, "%s has %d kernels; which one?", f->source->shown,
                   f->nkernels);
    near = l->name ? near_name(l->name, names, f->nkernels) : NULL;
    if (near)
        diag(job->diags, DIAG_HINT, (Span){0}, "did you mean `%s`?", near);
    else if (f->nkernels > 0)
        diag(job->diags, DIAG_HINT, (Span){0}, "there are: %s", all.s);
    else
        diag(job->diags, DIAG_HINT, (Span){0}, "kernels are functions with @triton.jit");
    return TILEC_NOT_FOUND;
}

static tilec_status find_request_kernel(Request *r, const char *name, char **error)
{
    r->kernel = api_find_kernel(r->file, name);
    if (!r->kernel) {
        Lookup lookup = {r->file, name};
        return job_run(explain_lookup, &lookup, error, NULL);
    }
    if (r->kernel->signature)
        return TILEC_OK;
    if (error)
        *error = strdup(r->kernel->problem);
    return TILEC_REFUSED;
}

/* Does a program that is newer than this library ask for what that does not know? */
static bool has_unknown(const tilec_launch_options *o)
{
    for (int i = 0; i < COUNT(o->reserved); i++) {
        if (o->reserved[i])
            return true;
    }
    return false;
}

static tilec_status check_launch_options(const Request *r, char **error)
{
    const tilec_launch_options *o = &r->options;
    const Device *d = device_at(r->device);

    if (o->threads < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "threads cannot be negative; 0 is one a CPU");
    if (o->num_warps < 0 || o->num_stages < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "num_%s cannot be negative; 0 is the default",
                          o->num_warps < 0 ? "warps" : "stages");
    if ((unsigned)o->debug > TILEC_DEBUG_NAMES)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "there is no tilec_debug %d", (int)o->debug);
    if (o->stream && !d->has_streams)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the device `%s` has no streams", d->name);
    if (o->on_count && !d->counts)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the device `%s` does not count; the device `sim` does", d->name);
    if (o->on_counter && !d->has_counters)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the device `%s` has no counters; the device `cuda` has", d->name);
    const char *why = o->arch ? api_refuse_arch(d, o->arch, !r->shown) : NULL;
    if (why && (o->device || !r->shown))
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the device `%s` does not take code for `%s`: %s%s", d->name, o->arch,
                          why,
                          strncmp(o->arch, "sm_", 3) == 0 && !d->has_streams
                              ? "\nhint: it is of a GPU: the devices `cuda` and `sim` take it"
                              : "");
    return TILEC_OK;
}

static const char *why_no_call(const tilec_file *file, int nargs)
{
    if (!handle_is_file(file))
        return handle_problem_of_file(file);
    return nargs < 0 ? "the number of arguments is negative" : "the arguments are NULL";
}

static void write_message(void *user, const char *text)
{
    (void)user;
    fputs(text, stderr);
}

/* A number among the arguments that was not made one: to C it is the name, which comes first in a
 * tilec_arg.  -1: there is none. */
static int bare_number(const tilec_arg *args, int nargs)
{
    for (int i = 0; i < nargs; i++) {
        if (args[i].name && (uintptr_t)args[i].name < NO_MEMORY_BELOW)
            return i;
    }
    return -1;
}

tilec_status request_open(Request *r, tilec_file *file, const char *kernel, const tilec_arg *args,
                          int nargs, const tilec_launch_options *options, char **error)
{
    tilec_status status;

    api_no_error(error);
    if (!handle_is_file(file) || nargs < 0 || (nargs > 0 && !args))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "%s", why_no_call(file, nargs));
    int bare = bare_number(args, nargs);
    if (bare >= 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "argument %d is the number %d and no tilec_arg\nhint: TILEC_VALUE(n), or "
                          "TILEC_NAMED(BLOCK, n) for the parameter `BLOCK`, makes one of a number",
                          bare + 1, (int)(uintptr_t)args[bare].name);
    r->file = file;
    r->args = args;
    r->nargs = nargs;
    if (options)
        r->options = *options;
    if (has_unknown(&r->options)) /* in front of whatever may point to nowhere then */
        return api_refuse(
            error, TILEC_BAD_ARGUMENT,
            "tilec_launch_options.reserved is not zero: a newer library than tilec %s "
            "is needed, or the options were not initialised",
            tilec_version());
    if (!r->options.on_message && file->ctx->speaks)
        r->options.on_message = write_message;
    r->device = api_device(r->options.device, error);
    if (r->device < 0)
        return TILEC_NOT_FOUND;
    r->checks_unasked = device_at(r->device)->checks && !r->options.check && !r->shown;
    r->options.check |= r->checks_unasked;
    r->detail = MAX(r->options.debug, file->ctx->detail);
    status = check_launch_options(r, error);
    return status == TILEC_OK ? find_request_kernel(r, kernel, error) : status;
}

/* Pass on what a call has to say, with no lock held. */
static void tell(const Request *r, char *message)
{
    if (message)
        r->options.on_message(r->options.user, message);
    free(message);
}

tilec_status request_run_on_file(const Request *r, const FileJob *steps, void *what, char **error)
{
    char *message = NULL;
    tilec_status status =
        job_run_on_file(r->file, steps, what, error, r->options.on_message ? &message : NULL);

    tell(r, message);
    return status;
}

/* What is made first may want tensor maps that the arguments do not give. */
enum { MOST_COMPILES = 2 };

tilec_status request_ready(Request *r, char **error)
{
    bool bound = bind_request(r, NULL) == TILEC_OK;
    tilec_status status = TILEC_OK;
    char *message = NULL;

    if (bound && r->binding->typed_only)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "TILEC_ARG_TYPE is for tilec_dump() and tilec_build() only");
    bool ready = bound && spec_ready(r);
    double start = ready ? 0 : os_seconds();
    for (int i = 0; i < MOST_COMPILES && !ready && status == TILEC_OK; i++) {
        status = compile_request(r, error, r->options.on_message ? &message : NULL);
        tell(r, message);
        message = NULL;
        ready = status == TILEC_OK && spec_ready(r);
        if (ready)
            spans_tell_compile(r, start);
    }
    if (status == TILEC_OK && !ready)
        status = TILEC_FAILED;
    if (status == TILEC_OK && r->options.compiled)
        *r->options.compiled = r->variant;
    return status;
}

const char *request_name_of_tensor(const Request *r, const tilec_tensor *t)
{
    for (int i = 0; i < r->nargs; i++) {
        if (&r->args[i].tensor == t)
            return r->args[i].name ? r->args[i].name : r->kernel->signature->params[i].name;
    }
    return NULL;
}
