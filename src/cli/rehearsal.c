/*
 * rehearsal.c - check a small launch where nobody has asked for that
 *
 * What `--device interp --check` finds is not told of a launch by those who do not know of it: an
 * element beyond an array, which happens to be 0; programs that add to one place; a maximum that
 * begins with too much.  So where a launch is small, a child process makes it once more, on the
 * interpreter, which looks at everything, and on arrays that are its own, as fork() gives them; and
 * while the command's own launch runs, on the CPU: who names another device knows of --check.  What
 * it finds is a warning of the command, behind the results, and told only where nothing else was:
 * it is likely the same mistake.  Where the command's own launch ends the process, it is said all
 * the same: it has the line.
 *
 * The child has a twentieth of a second of the CPU, and its programs that have begun as much again.
 * One that is not ready then has found nothing, or what it has found up to there.
 */
#include "call.h"

#include <string.h>

enum { MICROS = 50000, MOST_BYTES = 256 << 10 };

static size_t bytes_of(const Call *k)
{
    size_t bytes = 0;

    for (int i = 0; i < k->cli->store.blocks.len; i++)
        bytes += k->cli->store.blocks.at[i].bytes;
    return bytes;
}

/* A call that is about something else than its results has no second one beside it. */
static bool is_wanted(const Call *k)
{
    const Options *o = &k->options;
    bool on_cpu = !o->launch.device || strcmp(o->launch.device, "cpu") == 0;

    return on_cpu && !k->silent && !k->cli->quiet && !k->cli->each && !k->cli->share &&
           !k->cli->launched && !o->launch.check && !o->launch.debug && !o->time && !o->profile &&
           !o->count && !o->trace && !k->cli->warned && bytes_of(k) <= MOST_BYTES;
}

typedef struct {
    Arena *arena;
    Text said;
} Heard;

/* What the compiler says is said of the command's own launch, too, and then nothing of this. */
static void hear(void *heard, const char *text)
{
    Heard *h = heard;

    if (strstr(text, "warning: ") && h->said.len == 0)
        text_put(&h->said, text);
}

/* What stops a checked launch are warnings here. */
static const char *as_warnings(Arena *a, const char *error)
{
    static const char what[] = ": error: ";
    Text out = text_new(a);
    const char *at;

    if (!strstr(error, what))
        return NULL;
    for (; (at = strstr(error, what)); error = at + sizeof what - 1) {
        text_putn(&out, error, (size_t)(at - error));
        text_put(&out, ": warning: ");
    }
    text_put(&out, error);
    return out.s;
}

static const char found[] =
    "note: a second run has found this, as `--device interp --check` makes it\n";

static const char *rehearse(Cli *c, void *call, const volatile int *over)
{
    const Call *k = call;
    Heard h = {c->arena, text_new(c->arena)};
    tilec_launch_options o = {.device = "interp",
                              .check = 1,
                              .num_warps = k->options.launch.num_warps,
                              .num_stages = k->options.launch.num_stages,
                              .on_message = hear,
                              .user = &h,
                              .cancel = over};
    const char *text;
    char *error = NULL;

    bool stopped = tilec_launch(c->file, k->options.kernel, k->timing.grid, k->args.args,
                                k->args.count, &o, &error) == TILEC_FAULT;
    text = stopped && error ? as_warnings(c->arena, error) : h.said.s;
    return text && text[0] ? arena_printf(c->arena, "%s%s", text, found) : NULL;
}

void rehearsal_start(Call *k)
{
    if (is_wanted(k))
        k->rehearsal = aside_start(k->cli, MICROS, rehearse, k);
    if (k->rehearsal.child > 0)
        crash_witness(k->rehearsal.pipe);
}

void rehearsal_tell(Call *k)
{
    const char *text = NULL;

    if (k->rehearsal.child > 0) {
        crash_witness(-1);
        text = aside_end(k->cli, &k->rehearsal);
    }
    k->rehearsal = (Aside){0};
    if (text && !k->cli->warned && k->cli->code == CLI_DONE)
        terminal_say("%s", text);
}
