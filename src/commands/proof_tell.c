/*
 * proof_tell.c - what `tilec grad --check` says of each gradient
 */
#include <stdio.h>
#include <string.h>

#include "proof.h"

static bool is_wrong(const SlopeReport *r)
{
    return r->wrong_directions + r->wrong_elements > 0 || r->worst.at >= 0;
}

static bool is_judged(const SlopeReport *r)
{
    return r->rough < r->directions + r->elements;
}

/* Where element k of the column is, as an index of the array. */
static Array shape_of(const Column *column)
{
    const tilec_tensor *t = &column->arg->tensor;
    Array out = {.dtype = TILEC_FP64, .ndim = t->ndim};

    memcpy(out.shape, t->shape, sizeof *t->shape * (size_t)t->ndim);
    return out;
}

static void put_verdict(const Proof *p, Text *t, int i)
{
    const Proven *with = &p->wrt[i];
    const SlopeReport *r = &with->report;
    const char *name = p->derived->gradients[i + 1].gradient;

    if (with->x.n == 0)
        text_printf(t, "%s: not judged: `%s` has no elements\n", name, with->x.name);
    else if (!is_judged(r))
        text_printf(t, "%s: not judged: differences of `%s` say too little here\n", name,
                    p->of.name);
    else if (!is_wrong(r))
        text_printf(t,
                    "%s: agrees with differences along %d directions, in %d of %lld elements; "
                    "farthest off %.2g\n",
                    name, r->directions, r->elements - r->rough, (long long)with->x.n, r->largest);
    else
        text_printf(t,
                    "%s: differs from differences along %d of %d directions, in %d of %d "
                    "elements\n",
                    name, r->wrong_directions, r->directions, r->wrong_elements, r->elements);
    if (r->worst.at >= 0) {
        const Array shape = shape_of(&with->x);
        text_printf(t, "    worst: %s[%s] is %.9g, not %.9g\n", name,
                    array_index_text(p->cli->arena, &shape, r->worst.at), r->worst.claimed,
                    r->worst.found);
    }
    if (r->kinks)
        text_printf(t, "    at kinks, where any slope between both sides is right: %d\n", r->kinks);
    if (r->rough && is_judged(r))
        text_printf(t, "    not judged, as differences say too little: %d\n", r->rough);
}

static void put_json(const Proof *p, Text *t, int i)
{
    const SlopeReport *r = &p->wrt[i].report;
    const Array shape = shape_of(&p->wrt[i].x);

    json_object(t, NULL);
    json_text(t, "name", p->derived->gradients[i + 1].gradient);
    json_text(t, "array", p->wrt[i].x.name);
    json_bool(t, "pass", is_judged(r) && !is_wrong(r));
    json_int(t, "directions", r->directions);
    json_int(t, "wrong_directions", r->wrong_directions);
    json_int(t, "elements", r->elements);
    json_int(t, "wrong_elements", r->wrong_elements);
    json_int(t, "kinks", r->kinks);
    json_int(t, "not_judged", r->rough);
    json_number(t, "max_rel", r->largest, 9);
    if (r->worst.at >= 0) {
        json_object(t, "worst");
        array_put_index(t, "index", &shape, r->worst.at);
        json_number(t, "value", r->worst.claimed, 17);
        json_number(t, "reference", r->worst.found, 17);
        json_object_end(t);
    }
    json_object_end(t);
}

void proof_tell(const Proof *p)
{
    Text t = text_new(p->cli->arena);
    bool json = p->forward.options.json;

    if (json)
        json_array(&t, NULL);
    for (int i = 0; i < p->nwrt; i++) {
        const SlopeReport *r = &p->wrt[i].report;
        (json ? put_json : put_verdict)(p, &t, i);
        if (is_wrong(r) || !is_judged(r))
            p->cli->code = CLI_REFUSED;
    }
    if (json)
        json_array_end(&t);
    printf("%s%s", t.s, json ? "\n" : "");
}
