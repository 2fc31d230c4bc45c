/*
 * examples.c - how src/guess runs a call that it tries: with the arguments of a command line, in a
 * trial
 */
#include "call.h"
#include "../guess/guess.h"

#include <string.h>

static ExampleCall evaluate(Client *client, const ExampleOf *of, const Example *e)
{
    Options o = {.file = of->path, .kernel = of->kernel, .grid = e->grid};
    Call *k = NEW(client->arena, Call);

    o.launch.device = "interp";
    for (int i = 0; i < e->guess.n; i++) {
        const ArgText arg = {.name = of->f->params[i].name, .text = e->values[i]};

        if (arg.text)
            vec_push(client->arena, &o.args, arg);
    }
    call_init(k, cli_of(client), &o);
    k->silent = true;
    call_open(k);
    call_evaluate(k);
    ExampleCall out = {.args = k->args.args, .nargs = k->args.count, .names = k->args.names};
    memcpy(out.grid, k->timing.grid, sizeof out.grid);
    return out;
}

typedef struct {
    void (*work)(Client *client, void *context);
    void *context;
} Work;

static void do_work(Cli *c, void *work)
{
    const Work *w = work;

    w->work(&c->client, w->context);
}

static const char *attempt(Client *client, void (*work)(Client *, void *), void *context)
{
    Cli *c = cli_of(client);

    return cli_attempt(c, do_work, &(Work){work, context}) ? NULL : c->trouble;
}

typedef struct {
    ExampleTrial *trial;
    void *context;
} TrialWork;

static const char *do_trial(Cli *c, void *work)
{
    const TrialWork *w = work;

    return w->trial(&c->client, w->context);
}

static bool trial(Client *client, unsigned seconds, ExampleTrial *work, void *context,
                  const char **text)
{
    return trial_run(cli_of(client), seconds, do_trial, &(TrialWork){work, context}, text);
}

const ExampleHost cli_examples = {.evaluate = evaluate, .attempt = attempt, .trial = trial};
