/*
 * device.c - the device "null" and its target: a code generator that only prints, and a machine
 * that does nothing
 *
 * The target's object is the text of what it was asked to make, so that everything in front of it,
 * and the way of an object through cache and loader, can be tested without LLVM.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "device_null.h"

static const char magic[] = "null target: ";
#define NAME_OF_TEXT(id, name) [GEN_##id] = (name),
static const char *const stage_names[] = {[GEN_OBJECT] = "object", GEN_TEXTS(NAME_OF_TEXT)};
#undef NAME_OF_TEXT

static atomic_int objects;

int null_objects_made(void)
{
    return atomic_load(&objects);
}

/* Held while an object is made, and by tests that want the making to last. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

void null_hold(void)
{
    pthread_mutex_lock(&making);
}

void null_release(void)
{
    pthread_mutex_unlock(&making);
}

static void count_object(void)
{
    pthread_mutex_lock(&making);
    atomic_fetch_add(&objects, 1);
    pthread_mutex_unlock(&making);
}

static bool emit_null(const Func *f, const GenOptions *o, GenStage stage, Arena *a, GenOutput *out,
                      Diags *d)
{
    Text t = text_new(a);

    (void)d;
    if (stage == GEN_OBJECT)
        count_object();
    text_printf(&t, "%s%s of %s for %s, disjoint %d\n", magic, stage_names[stage], f->name, o->cpu,
                o->disjoint);
    text_put(&t, ir_print(f->module, a));
    *out = (GenOutput){.data = t.s, .len = t.len};
    return true;
}

static bool takes(const Op *op)
{
    return op->code == OP_inline_asm || op->code == OP_inline_asm_volatile;
}

static const char *const archs[] = {"none", "less", NULL};

/* Everything but a plan, so that tests see what a target without a text does. */
static const Target null_target = {
    .name = "null",
    .archs = archs,
    .takes = takes,
    .texts = GEN_HAS(LAYOUT) | GEN_HAS(LLVM) | GEN_HAS(ASM) | GEN_HAS(PTX),
    .emit = emit_null,
};

static const char *describe_null(void)
{
    return "prints code, runs nothing";
}

static int threads_of_null(void)
{
    return 1;
}

static const char *_Atomic lack;

void null_set_missing(const char *what)
{
    atomic_store(&lack, what);
}

static const char *missing_for_null(void)
{
    return atomic_load(&lack);
}

static GenOptions options_for_null(const LaunchFacts *facts)
{
    return (GenOptions){
        .cpu = facts->arch ? facts->arch : archs[0], .features = "", .disjoint = facts->disjoint};
}

static RunStatus load_for_null(const DeviceObject *object, void **code, const char **why)
{
    const GenOutput *text = object->output;
    size_t n = sizeof magic - 1;

    *code = (void *)&null_target; /* any pointer: nothing is kept */
    *why = "it is no text of the null target";
    return text->len > n && memcmp(text->data, magic, n) == 0 ? RUN_OK : RUN_BAD_OBJECT;
}

static RunStatus facts_of_null(void *state, void *code, int id, CodeFacts *out, char **error)
{
    (void)state;
    (void)code;
    (void)id;
    *error = NULL;
    *out = (CodeFacts){.warps = 1, .registers = 2, .shared = 3, .local = 4};
    return RUN_OK;
}

static atomic_int launched_id = -2;
static void *_Atomic launched_stream;

int null_launched_id(void)
{
    return atomic_load(&launched_id);
}

void *null_launched_stream(void)
{
    return atomic_load(&launched_stream);
}

static RunStatus launch_on_null(void *state, void *code, const DeviceLaunch *l, char **error)
{
    (void)state;
    (void)code;
    atomic_store(&launched_id, l->id);
    atomic_store(&launched_stream, l->stream);
    if (l->seconds)
        *l->seconds = 0;
    *error = NULL;
    return RUN_OK;
}

const Device null_device = {
    .name = "null",
    .internal = true,
    .target_name = "null",
    .target = &null_target,
    .has_archs = true,
    .schedules = true, /* what it prints tells one wish from another */
    .memory = MEMORY_DEVICE,
    .has_streams = true,
    .arrays = &null_arrays,
    .describe = describe_null,
    .missing = missing_for_null,
    .threads = threads_of_null,
    .options = options_for_null,
    .load = load_for_null,
    .facts = facts_of_null,
    .launch = launch_on_null,
};
