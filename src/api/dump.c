/*
 * dump.c - looking at what the compiler does: its stages as text, and what a launch costs
 *
 * Both compile afresh, in the job's arena, and keep nothing.
 */
#include <string.h>

#include "api.h"
#include "../interp/interp.h"
#include "../ir/mark.h"

enum { SAMPLE = 256 }; /* programs whose scalar part is run to count operations */

/* Those before the plan, and those of machine code, know the line of all that they show. */
static bool knows_lines(GenStage stage)
{
    return stage == GEN_ASM || stage == GEN_PTX || stage == GEN_SASS;
}

typedef enum { FROM_SOURCE, FROM_LOWERED, NAMES_AT_LINES, FROM_PASSES, FROM_TARGET } StageKind;
static const struct Stage {
    const char *name;
    StageKind kind;
    GenStage stage; /* of FROM_TARGET */
} stages[] = {{"ast", FROM_SOURCE, 0},
              {"ir", FROM_LOWERED, 0},
              {"vars", NAMES_AT_LINES, 0},
              {"opt", FROM_PASSES, 0},
#define ROW_OF_TEXT(id, name) {name, FROM_TARGET, GEN_##id},
              GEN_TEXTS(ROW_OF_TEXT)
#undef ROW_OF_TEXT
};

static const struct Stage *find_stage(const char *name)
{
    size_t n = strcspn(name, ":");

    for (int i = 0; i < COUNT(stages); i++) {
        if (strlen(stages[i].name) == n && memcmp(stages[i].name, name, n) == 0)
            return &stages[i];
    }
    return NULL;
}

const char *dump_stage_name(int i)
{
    return i >= 0 && i < COUNT(stages) ? stages[i].name : NULL;
}

/* A target with these texts has the stages in front of code generation too. */
static bool has_stage(unsigned texts, const struct Stage *s)
{
    return s->kind != FROM_TARGET || texts >> s->stage & 1;
}

/* "ast, ir or asm": what there is with these texts. */
static const char *stage_names(unsigned texts, Arena *a)
{
    Text all = text_new(a);
    int last = COUNT(stages) - 1;

    while (!has_stage(texts, &stages[last]))
        last--;
    for (int i = 0; i <= last; i++) {
        if (has_stage(texts, &stages[i]))
            text_printf(&all, "%s%s", i == 0 ? "" : i < last ? ", " : " or ", stages[i].name);
    }
    return all.s;
}

static tilec_status refuse_stage(Job *job, const char *name)
{
    job_refuse(job, TILEC_BAD_ARGUMENT, "there is no stage `%s`", name);
    diag(job->diags, DIAG_HINT, (Span){0}, "%s", stage_names(~0u, job->arena));
    return TILEC_BAD_ARGUMENT;
}

/* NULL: nothing is of the lines that were asked for, which was said. */
static tilec_status give_text(DumpJob *d, const char *text)
{
    if (!text)
        return TILEC_REFUSED;
    d->text = strdup(text);
    return d->text ? TILEC_OK : TILEC_NO_MEMORY;
}

/* Whether code for a device, for the chip that is asked for, can be shown at the stage. */
static bool shows(Job *job, const Request *r, int device, const struct Stage *stage)
{
    const Device *d = device_at(device);
    const char *why;

    if (!d->target_name || (r->options.arch && api_refuse_arch(d, r->options.arch, false)))
        return false;
    if (stage->kind != FROM_TARGET)
        return true;
    const Target *t = compile_target(r->file->ctx, d, job->arena, &why);
    return t && has_stage(t->texts | d->texts, stage);
}

/* Which stages the first device that has code for the chip asked for does have. */
static void hint_stages_of_arch(Job *job, const Request *r)
{
    const char *why;

    for (int i = 0; i < DEVICE_COUNT; i++) {
        const Device *d = device_at(i);
        const Target *t = d->target_name && !api_refuse_arch(d, r->options.arch, false)
                              ? compile_target(r->file->ctx, d, job->arena, &why)
                              : NULL;
        if (t) {
            diag(job->diags, DIAG_HINT, (Span){0}, "code for `%s` has %s", r->options.arch,
                 stage_names(t->texts | d->texts, job->arena));
            return;
        }
    }
}

static tilec_status refuse_text(Job *job, const Request *r, const struct Stage *stage)
{
    const Device *d = device_at(r->device);
    const char *why;
    const Target *t = compile_target(r->file->ctx, d, job->arena, &why);

    if (!t)
        return job_refuse(job, TILEC_FAILED, "no code generator: %s", why);
    const char *other = r->options.arch ? api_refuse_arch(d, r->options.arch, false) : NULL;
    bool has = has_stage(t->texts | d->texts, stage);
    if (other && has) {
        job_refuse(job, TILEC_BAD_ARGUMENT,
                   "the stage `%s` is of the device `%s`, which has no code for `%s`: %s",
                   stage->name, d->name, r->options.arch, other);
        hint_stages_of_arch(job, r);
        return TILEC_BAD_ARGUMENT;
    }
    job_refuse(job, TILEC_BAD_ARGUMENT, "code for the device `%s` has no stage `%s`", d->name,
               stage->name);
    diag(job->diags, DIAG_HINT, (Span){0}, "it has %s",
         stage_names(t->texts | d->texts, job->arena));
    return TILEC_BAD_ARGUMENT;
}

/* Let the request be for a device that has the stage.  Where none was asked for it is the first
 * one that does; in place of a device without target the default one is shown. */
static tilec_status choose_device(Job *job, Request *r, const struct Stage *stage)
{
    if (!device_at(r->device)->target_name)
        r->device = 0;
    if (stage->kind < FROM_PASSES || shows(job, r, r->device, stage))
        return TILEC_OK;
    for (int i = 0; !r->options.device && i < device_listed(); i++) {
        if (shows(job, r, i, stage)) {
            r->device = i;
            return TILEC_OK;
        }
    }
    return refuse_text(job, r, stage);
}

/* Bytes beyond ASCII as a .file directive has them, \303: ptxas takes none, not in comments either.
 */
static const char *as_ascii(Arena *a, const char *text)
{
    Text out = text_new(a);

    text_put(&out, "");
    for (size_t n; *text; text += n) {
        for (n = 0; (signed char)text[n] > 0;)
            n++;
        text_putn(&out, text, n);
        for (; (signed char)text[n] < 0; n++)
            text_printf(&out, "\\%03o", (unsigned char)text[n]);
    }
    return out.s;
}

static tilec_status give_listing(const Job *job, DumpJob *d, const char *assembly)
{
    const SourceMap *sources = d->func->module->sources;
    const char *text = sources ? listing_with_source(assembly, sources, job->arena) : assembly;

    if (d->lines.first > 0 && sources)
        text = lines_of_listing(text, &d->lines, d->request->file->source, job->arena, job->diags);
    if (!text)
        return TILEC_REFUSED;
    return give_text(d, find_stage(d->stage)->stage == GEN_PTX ? as_ascii(job->arena, text) : text);
}

static tilec_status give_module(const Job *job, DumpJob *d, const Module *m)
{
    const Source *source = d->request->file->source;

    if (d->lines.first == 0)
        return give_text(d, ir_print(m, job->arena));
    return give_text(d, lines_of_module(m, &d->lines, source, job->arena, job->diags));
}

/* What the device shows of what it makes of the target's output. */
static tilec_status dump_object(Job *job, DumpJob *d, const Target *target, const GenOptions *o)
{
    const Device *device = device_at(d->request->device);
    const char *text;
    char *error = NULL;
    GenOutput object;
    CompileParts ignored;
    void *nothing = NULL;
    tilec_status status =
        compile_object(job, d->request, d->func, target, o, &nothing, &object, &ignored);

    if (status != TILEC_OK)
        return status;
    RunStatus shown = device->show(&object, job->arena, &text, &error);
    status = job_device_status(job, shown, error);
    return status == TILEC_OK ? give_listing(job, d, text) : status;
}

static tilec_status dump_target(Job *job, DumpJob *d, GenStage stage)
{
    const Device *device = device_at(d->request->device);
    const char *why;
    const Target *target = compile_target(d->request->file->ctx, device, job->arena, &why);
    uint64_t stored = ir_memory_use(d->func, job->arena).stored;
    GenOptions options =
        compile_options(d->request, device, stored, ir_most_programs(d->func->module));
    GenOutput out;

    options.lines = options.shown = true;
    if (device->texts >> stage & 1)
        return dump_object(job, d, target, &options);
    tilec_status status = compile_emit(job, d->func, device, target, &options, stage, &out);
    if (status != TILEC_OK)
        return status;
    bool listed = stage == GEN_ASM || stage == GEN_PTX;
    return listed ? give_listing(job, d, out.data) : give_text(d, out.data);
}

/* The passes ask the target what it has natively; without one they expand everything. */
static tilec_status dump_passes(Job *job, DumpJob *d)
{
    const char *why;
    const Device *device = device_at(d->request->device);
    const Target *target = compile_target(d->request->file->ctx, device, job->arena, &why);
    uint64_t stored = ir_memory_use(d->func, job->arena).stored;
    GenOptions options =
        compile_options(d->request, device, stored, ir_most_programs(d->func->module));
    const Func *f = compile_optimise(d->func, device, target, &options, job->diags);

    return f ? give_module(job, d, f->module) : TILEC_REFUSED;
}

/* "asm:7-9" */
static tilec_status take_lines(Job *job, DumpJob *d, const struct Stage *stage)
{
    bool knows = stage->kind == FROM_LOWERED || stage->kind == FROM_PASSES ||
                 (stage->kind == FROM_TARGET && knows_lines(stage->stage));

    if (!lines_parse(d->stage, &d->lines))
        return job_refuse(job, TILEC_BAD_ARGUMENT,
                          "`%s`: what stands behind the colon is a line, 7, some, 7-9, or `places`",
                          d->stage);
    if (d->lines.places && (stage->kind == FROM_SOURCE || stage->kind == NAMES_AT_LINES ||
                            (stage->kind == FROM_TARGET && stage->stage == GEN_SCHEDULE)))
        return job_refuse(job, TILEC_BAD_ARGUMENT,
                          "the stage `%s` has no ops whose places could be named", stage->name);
    if (d->lines.first > 0 && !knows)
        return job_refuse(job, TILEC_BAD_ARGUMENT,
                          "the stage `%s` is not shown by lines; ir, opt, asm, ptx and sass are",
                          stage->name);
    return TILEC_OK;
}

static tilec_status lower_dump(Job *job, void *dump)
{
    DumpJob *d = dump;
    const Request *r = d->request;
    const struct Stage *stage = find_stage(d->stage);

    if (!stage)
        return refuse_stage(job, d->stage);
    tilec_status lines = take_lines(job, d, stage);
    if (lines != TILEC_OK)
        return lines;
    if (stage->kind == FROM_SOURCE)
        return give_text(d, front_print_ast(r->file->parsed, r->kernel->name, job->arena));
    tilec_status status = choose_device(job, d->request, stage);
    if (status == TILEC_OK)
        status = bind_request(d->request, job);
    if (status != TILEC_OK)
        return status;
    d->func = compile_lower(r, job->arena, job->diags);
    if (d->func)
        d->func->module->tells_places = d->lines.places;
    return d->func ? TILEC_OK : TILEC_REFUSED;
}

static tilec_status show_dump(Job *job, void *dump)
{
    DumpJob *d = dump;
    const struct Stage *stage = find_stage(d->stage);

    switch (stage->kind) {
    case FROM_SOURCE:
        return TILEC_OK; /* done */
    case NAMES_AT_LINES:
        return give_text(d, ir_print_vars(d->func->module, job->arena));
    case FROM_LOWERED:
        return give_module(job, d, d->func->module);
    case FROM_PASSES:
        return dump_passes(job, d);
    case FROM_TARGET:
        return dump_target(job, d, stage->stage);
    }
    bug("a stage of an unknown kind");
}

const FileJob dump_stage = {.locked = lower_dump, .unlocked = show_dump};

static tilec_status lower_stats(Job *job, void *stats)
{
    StatsJob *s = stats;
    tilec_status status = bind_request(s->request, job); /* what heuristics made lives in a job */

    job->repeats = true;
    if (status != TILEC_OK)
        return status;
    Request plain = *s->request;
    plain.options.check = 0; /* what checks do is none of the kernel's work */
    s->func = compile_lower(&plain, job->arena, job->diags);
    return s->func ? TILEC_OK : TILEC_REFUSED;
}

static tilec_status add_facts(Job *job, const Request *r, tilec_stats *out)
{
    const Device *d = device_at(r->device);
    CodeFacts facts;
    char *error = NULL;

    if (!d->facts || device_missing(d))
        return TILEC_OK;
    void *state = api_device_state(r->file->ctx, r->device);
    RunStatus status = d->facts(state, r->variant->code, r->binding->id, &facts, &error);
    if (status != RUN_OK)
        return job_device_status(job, status, error);
    out->warps = facts.warps;
    out->registers = facts.registers;
    out->shared_bytes = facts.shared;
    out->local_bytes = facts.local;
    return TILEC_OK;
}

static void add_work(void *stats, const Op *op, const InterpWork *work)
{
    StatsJob *s = stats;
    Place at = source_place(s->func->module->sources, op->span.start);
    tilec_line *l = s->lines && at.source ? line_list_at(s->lines, at.source->path, at.line) : NULL;

    s->asked += work->bytes;
    if (!l)
        return;
    l->flops += work->flops;
    l->int_ops += work->int_ops;
    l->bytes += work->bytes;
    l->int8_flops += work->int8_flops;
    l->bf16_flops += work->bf16_flops;
}

static tilec_status count_stats(Job *job, void *stats)
{
    StatsJob *s = stats;
    const Request *r = s->request;
    InterpCounts counts = {0};
    InterpLaunch launch = {.args = r->binding->slots,
                           .grid = {s->grid[0], s->grid[1], s->grid[2]},
                           .last = grid_programs(s->grid)};
    MemoryUse use = ir_memory_use(s->func, job->arena);
    bool counted = interp_count(s->func, &launch, SAMPLE, &counts, add_work, s) == INTERP_OK;

    counted = counted && counts.known;
    s->stats.flops = counted ? counts.flops : -1;
    s->stats.int_ops = counted ? counts.int_ops : -1;
    s->stats.int8_flops = counted ? counts.int8_flops : 0;
    s->stats.bf16_flops = counted ? counts.bf16_flops : 0;
    s->stats.in_place = memory_in_place(r->binding, use.loaded, use.stored);
    s->stats.bytes = memory_bytes(r->binding, use.loaded) + memory_bytes(r->binding, use.stored);
    if (counted) /* of arrays that are larger than what is done to them, that part */
        s->stats.bytes = MIN(s->stats.bytes, s->asked);
    s->stats.compile_seconds = r->variant->seconds;
    s->stats.from_cache = r->variant->from_cache;
    s->stats.generator_seconds = r->variant->parts.generator;
    s->stats.emit_seconds = r->variant->parts.emit;
    s->stats.assemble_seconds = r->variant->parts.assemble;
    s->stats.keep_seconds = r->variant->parts.keep;
    return add_facts(job, r, &s->stats);
}

const FileJob dump_stats = {.locked = lower_stats, .unlocked = count_stats};
