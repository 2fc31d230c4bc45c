/*
 * speech.c - launches of kernels that may say something: prints, assertions, checks
 *
 * What such a kernel needs is found once, from its IR as lowered: the table of the places where it
 * may speak, and the hidden parameters that a launch fills in behind the user's arguments.  Such a
 * launch collects what its programs say (run/record.h) and hands it over when it has ended, on the
 * calling thread: all of it to on_record, and what was found wrong as the text of the error.  What
 * launches assert that nobody waits for is asked for later.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "../interp/interp.h"

/* A call on the way to a place. */
typedef struct {
    Span call;
    const char *callee;
} Step;

/* A place where the kernel may say something, and what a report wants to know of it. */
typedef struct {
    Type shape; /* of what is asserted or accessed */
    Step steps[MOST_CALLS_SHOWN];
    int nsteps;
} Spot;

struct Speech {
    Arena *arena;
    tilec_file *file;
    const char *kernel; /* its name */
    bool only_asserts;
    RecordSite *sites;
    Spot *spots; /* by site */
    int nsites;
    const Param *hidden; /* with the names of the user's parameters in front */
    int nparams, nuser;
};

/* --- what a kernel needs --- */

static bool says_something(const Op *op)
{
    return op->code == OP_record || op->code == OP_assert || op->code == OP_check;
}

static const char *copy_text(Arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

static void fill_spot(Speech *s, Spot *spot, const Op *op)
{
    const Module *m = op->block->func->module;

    if (op->noperands > 0)
        spot->shape = *op->operands[0]->type;
    for (const CallSite *c = call_site(m, op->site); c && spot->nsteps < MOST_CALLS_SHOWN;
         c = call_site(m, c->parent))
        spot->steps[spot->nsteps++] = (Step){c->call, copy_text(s->arena, c->callee)};
}

enum { USUAL_WARPS = 4, WARP = 32 }; /* of Triton's launches; threads */

static void fill_site(Speech *s, RecordSite *site, const Op *op)
{
    *site = (RecordSite){.kind = op->code == OP_assert  ? RECORD_ASSERT
                                 : op->code == OP_check ? RECORD_CHECK
                                                        : attr_record_kind(op),
                         .text = copy_text(s->arena, attr_message(op)),
                         .inserted = op->code == OP_assert && attr_inserted(op),
                         .span = op->span};
    if (op->code != OP_record)
        return;
    site->hex = attr_hex(op) != 0;
    site->nvalues = op->noperands;
    Type *types = NEW_N(s->arena, Type, op->noperands + 1);
    for (int i = 0; i < op->noperands; i++)
        types[i] = *op->operands[i]->type;
    site->types = types;
    int warps = op->block->func->num_warps > 0 ? op->block->func->num_warps : USUAL_WARPS;
    site->threads = os_wants("TILEC_PRINT_THREADS") ? WARP * warps : 0;
}

typedef struct {
    Speech *speech;
    int n;
} Visit;

static void count_site(Op *op, void *visit)
{
    ((Visit *)visit)->n += says_something(op);
}

static void visit_site(Op *op, void *visit)
{
    Speech *s = ((Visit *)visit)->speech;

    if (!says_something(op))
        return;
    int i = (int)attr_record_site(op);
    fill_site(s, &s->sites[i], op);
    s->only_asserts &= s->sites[i].kind == RECORD_ASSERT;
    fill_spot(s, &s->spots[i], op);
}

static void copy_params(Speech *s, const Func *f)
{
    Param *params = NEW_N(s->arena, Param, f->nparams + 1);

    for (int i = 0; i < f->nparams; i++) {
        params[i] = f->params[i];
        params[i].name = copy_text(s->arena, f->params[i].name);
        s->nuser += params[i].kind == PARAM_USER;
    }
    s->hidden = params;
    s->nparams = f->nparams;
}

void speech_prepare(Specialisation *spec, const Request *r, const Func *f, Guard *guard)
{
    Visit v = {0};

    ir_walk(f->body, count_site, &v);
    if (v.n == 0 && (f->nparams == 0 || f->params[f->nparams - 1].kind == PARAM_USER))
        return;
    arena_free(spec->words); /* of an attempt that was left early */
    spec->words = NULL;
    spec->words = arena_new(guard);
    Speech *s = v.speech = NEW(spec->words, Speech);
    s->arena = spec->words;
    s->file = r->file;
    s->kernel = r->kernel->name;
    s->only_asserts = v.n > 0;
    s->nsites = v.n;
    s->sites = NEW_N(s->arena, RecordSite, v.n + 1);
    s->spots = NEW_N(s->arena, Spot, v.n + 1);
    copy_params(s, f);
    ir_walk(f->body, visit_site, &v);
    spec->speech = s;
}

/* --- what was found wrong --- */

typedef struct {
    const Request *request; /* NULL: of launches that nobody has waited for */
    const Speech *speech;
    const Record *records;
    int n;
    const Record *one; /* only this, for its own text; else all that failed */
    bool cut_short;    /* see records_cut_short() */
} Report;

/* "[3, 5]": an index into a tile. */
static void put_element(Text *t, const Type *shape, int64_t element)
{
    int64_t index[MAX_RANK];

    for (int d = shape->rank - 1; d >= 0; d--) {
        index[d] = element % shape->dims[d];
        element /= shape->dims[d];
    }
    for (int d = 0; d < shape->rank; d++)
        text_printf(t, "%s%lld", d == 0 ? "[" : ", ", (long long)index[d]);
    text_put(t, "]");
}

/* In which program, and where in its tile. */
static void note_program(Job *job, const Report *r, const Record *record)
{
    const Spot *spot = &r->speech->spots[record->site];
    Text t = text_new(job->arena);

    text_printf(&t, "in program (%d, %d, %d)", record->at[0], record->at[1], record->at[2]);
    if (record->element >= 0) {
        text_put(&t, ", at ");
        put_element(&t, &spot->shape, record->element);
        text_put(&t, " of the tile");
    }
    if (record->failures > 1)
        text_printf(&t, "; %lld elements in %lld program%s", (long long)record->failures,
                    (long long)record->programs, record->programs == 1 ? "" : "s");
    diag(job->diags, DIAG_NOTE, (Span){0}, "%s", t.s);
    for (int i = 0; i < spot->nsteps; i++)
        diag_call(job->diags, spot->steps[i].call, spot->steps[i].callee);
}

/* The array that "load of x" is about; NULL when it is about several. */
static const tilec_tensor *array_of(const Report *r, const char *what)
{
    const char *name = strrchr(what, ' ') + 1;

    if (strstr(what, " or "))
        return NULL;
    for (int i = 0; i < r->speech->nuser; i++) {
        if (strcmp(r->speech->hidden[i].name, name) == 0)
            return r->request->binding->tensors[i];
    }
    return NULL;
}

/* "load of x[1027] is outside of its 1000 elements"; where the text has a place for the offset it
 * is about no array. */
static void put_check(Text *t, const Report *r, const Record *record)
{
    const char *what = r->speech->sites[record->site].text, *hole = strstr(what, "{}");
    const tilec_tensor *array = hole ? NULL : array_of(r, what);

    if (hole) {
        text_printf(t, "%.*s%lld%s", (int)(hole - what), what, (long long)record->offset, hole + 2);
        return;
    }
    text_put(t, what);
    if (array)
        place_put_outside(t, array, record->offset);
    else
        text_printf(t, ", %lld elements behind the first, is outside of every one",
                    (long long)record->offset);
}

static const char *fault_text(Job *job, const Report *r, const Record *record)
{
    const RecordSite *site = &r->speech->sites[record->site];
    Text t = text_new(job->arena);

    if (site->kind == RECORD_CHECK)
        put_check(&t, r, record);
    else if (site->inserted)
        text_put(&t, site->text);
    else
        text_printf(&t, "assertion failed%s%s", site->text[0] ? ": " : "", site->text);
    return t.s;
}

/* So far in front of an array leads hardly anything but an offset that has passed 2^31. */
static void hint_at_wrap(Job *job, const RecordSite *site, const Record *record)
{
    enum { FARTHEST = 1 << 28 }; /* elements */

    if (site->kind == RECORD_CHECK && record->offset < -FARTHEST)
        diag(job->diags, DIAG_HINT, (Span){0},
             "32 bits wrap to negative numbers from 2^31 on; does a factor of the offset need "
             ".to(tl.int64)?");
}

static tilec_status report_faults(Job *job, void *report)
{
    const Report *r = report;
    tilec_status status = TILEC_OK;

    for (int i = 0; i < r->n; i++) {
        const Record *record = &r->records[i];
        const RecordSite *site = &r->speech->sites[record->site];
        if (site->kind == RECORD_PRINT || (r->one && r->one != record))
            continue;
        diag(job->diags, DIAG_ERROR, site->span, "%s", fault_text(job, r, record));
        note_program(job, r, record);
        hint_at_wrap(job, site, record);
        status = TILEC_FAULT;
    }
    if (status != TILEC_OK && !r->request)
        diag(job->diags, DIAG_NOTE, (Span){0},
             "in an earlier launch of `%s`, which was not waited for", r->speech->kernel);
    if (r->cut_short && !r->one)
        diag(job->diags, DIAG_NOTE, (Span){0},
             "the launch was stopped 2 s behind the first of these: there may be more, in programs "
             "that have not run");
    return status;
}

/* --- handing over --- */

static void hand_over(const Request *r, const RecordSite *site, const Record *record,
                      const char *ready)
{
    Place place = source_place(r->file->sources, site->span.start);
    tilec_record out = {.kind = (tilec_record_kind)site->kind,
                        .file = place.source ? place.source->path : NULL,
                        .line = place.line,
                        .column = place.column,
                        .program = {record->at[0], record->at[1], record->at[2]},
                        .element = record->element,
                        .offset = record->offset,
                        .failures = record->failures,
                        .programs = record->programs,
                        .message = site->text,
                        .text = ready};

    if (site->kind == RECORD_PRINT)
        out.element = -1;
    r->options.on_record(r->options.user, &out);
}

/* As RecordHear, of a launch that is observed. */
static void hear_at_once(void *request, const Record *record)
{
    const Request *r = request;
    const RecordSite *site = &r->spec->speech->sites[record->site];

    if (site->kind != RECORD_PRINT && r->observed->on_fault)
        r->observed->on_fault(r->observed->observer->ctx);
    else if (site->kind == RECORD_PRINT && r->options.on_record)
        hand_over(r, site, record, record->text);
}

static void hand_over_lost(const Request *r, int64_t lost)
{
    char *text;

    if (asprintf(&text, "%lld more prints were not kept: a launch keeps some megabytes of them",
                 (long long)lost) < 0)
        return;
    tilec_record out = {
        .kind = TILEC_RECORD_LOST, .element = -1, .failures = lost, .message = "", .text = text};
    r->options.on_record(r->options.user, &out);
    free(text);
}

static void hand_over_all(Report *report, int64_t lost)
{
    const Request *r = report->request;

    for (int i = 0; i < report->n; i++) {
        const Record *record = &report->records[i];
        const RecordSite *site = &report->speech->sites[record->site];
        char *text = NULL;
        report->one = record;
        if (site->kind != RECORD_PRINT)
            job_run_with_places(r->file, report_faults, report, &text);
        hand_over(r, site, record, site->kind == RECORD_PRINT ? record->text : text ? text : "");
        free(text);
    }
    report->one = NULL;
    if (lost > 0)
        hand_over_lost(r, lost);
}

/* --- launching --- */

static uint64_t hidden_value(const Request *r, const Param *p, Records *records)
{
    const tilec_tensor *array = p->kind == PARAM_VIEW ? r->binding->tensors[p->of] : NULL;
    View view;

    if (p->kind == PARAM_RECORDS)
        return records ? (uint64_t)(uintptr_t)records_port(records) : 0;
    if (p->kind == PARAM_WORKSPACE) /* which the device has */
        return 0;
    if (!array || !view_of(array, &view))
        bug("a launch without the array that is checked");
    return (uint64_t)view.parts[p->part];
}

static RecordValues wanted_values(const Request *r)
{
    const Observed *o = r->observed;

    return o ? (RecordValues){o->on_value, o->user, o->first, o->last} : (RecordValues){0};
}

int speech_nargs(const Speech *s)
{
    return s->nparams;
}

int speech_records_arg(const Speech *s)
{
    for (int i = s->nuser; i < s->nparams; i++) {
        if (s->hidden[i].kind == PARAM_RECORDS)
            return i;
    }
    return -1;
}

RecordRoom speech_room(const Request *r)
{
    const Speech *s = r->spec->speech;
    const RecordValues values = wanted_values(r);

    return record_room(s->sites, s->nsites, values.value ? &values : NULL);
}

static bool has_faults(const Report *r)
{
    for (int i = 0; i < r->n; i++) {
        if (r->speech->sites[r->records[i].site].kind != RECORD_PRINT)
            return true;
    }
    return false;
}

/* What the launch collected, to whom it may concern; its status becomes that of the call. */
static tilec_status conclude(const Request *r, Records *records, tilec_status status, char **error)
{
    Report report = {.request = r, .speech = r->spec->speech};

    report.records = records_list(records, &report.n);
    report.cut_short = records_cut_short(records);
    if (r->observed && r->observed->on_value)
        *r->observed->lost = records_lost(records);
    if (r->options.on_record)
        hand_over_all(&report, records_lost(records));
    if (!has_faults(&report))
        return status;
    if (error) {
        free(*error);
        *error = NULL;
    }
    job_run_with_places(r->file, report_faults, &report, error);
    return TILEC_FAULT;
}

const void *speech_async(const Request *r)
{
    const tilec_launch_options *o = &r->options;
    const Speech *s = r->spec->speech;
    bool waits = o->seconds || o->on_span || o->on_counter || r->observed;

    return o->async_asserts && s && s->only_asserts && !waits && device_at(r->device)->hear ? s
                                                                                            : NULL;
}

static void fill_slots(const Request *r, Records *records, uint64_t *slots)
{
    const Speech *s = r->spec->speech;

    for (int i = 0; i < s->nparams; i++)
        slots[i] = i < s->nuser ? r->binding->slots[i] : hidden_value(r, &s->hidden[i], records);
}

tilec_status speech_launch(const Request *r, const int32_t *grid, LaunchFn *launch, char **error)
{
    const Speech *s = r->spec->speech;
    bool is_async = speech_async(r) != NULL;
    Records *records = is_async ? NULL : records_new(s->sites, s->nsites, grid);
    uint64_t *slots = malloc(sizeof *slots * (size_t)(s->nparams + 1));
    tilec_status status = TILEC_NO_MEMORY;

    if (slots && is_async) {
        fill_slots(r, NULL, slots);
        status = launch(r, grid, slots, NULL, error);
    } else if (records && slots) {
        const RecordValues values = wanted_values(r);
        records_want(records, &values);
        if (request_observer(r))
            records_hear(records, hear_at_once, (void *)r);
        fill_slots(r, records, slots);
        status = launch(r, grid, slots, records_port(records), error);
        status = conclude(r, records, status, error);
    }
    records_free(records);
    free(slots);
    return status;
}

/* --- what nobody has waited for --- */

/* A text that grows by what each kernel has to say. */
typedef struct {
    char **error;
    tilec_status status;
    const Speech *speech; /* whose records these are */
    Records *records;
} Hearing;

/* Programs are ordered as in a grid that holds any. */
static RecordPort *begin_hearing(void *hearing, const void *speech)
{
    static const int32_t any[3] = {1 << 21, 1 << 21, 1 << 20};
    Hearing *h = hearing;

    h->speech = speech;
    h->records = records_new(h->speech->sites, h->speech->nsites, any);
    return h->records ? records_port(h->records) : NULL;
}

static void end_hearing(void *hearing)
{
    Hearing *h = hearing;
    Report report = {.speech = h->speech};
    char *text = NULL;

    h->status = TILEC_FAULT;
    if (!h->records)
        return;
    report.records = records_list(h->records, &report.n);
    job_run_with_places(h->speech->file, report_faults, &report, &text);
    if (text)
        api_append(h->error, text);
    free(text);
    records_free(h->records);
    h->records = NULL;
}

tilec_status speech_hear(const Device *d, void *state, bool waits, char **error)
{
    char *text = NULL, *failure = NULL;
    Hearing h = {.error = &text, .status = TILEC_OK};
    const DeviceHear hear = {&h, begin_hearing, end_hearing};
    RunStatus status = d->hear(state, waits, &hear, &failure);

    if (status != RUN_OK) {
        free(text);
        return api_device_status(status, failure, error);
    }
    if (error)
        *error = text;
    else
        free(text);
    return h.status;
}
