/*
 * spec.c - the compiled kernels of a file, found by what they were compiled for
 *
 * A launch that was made before must find its code at once and without a lock: the table's buckets
 * are chains that only grow at their front.  Adding happens under the file's lock; entries are
 * freed only with the file.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"

Specialisation *spec_find(tilec_file *f, const Binding *b)
{
    Specialisation *s =
        atomic_load_explicit(&f->specs[b->hash % SPEC_BUCKETS], memory_order_acquire);

    while (s && (s->hash != b->hash || s->nkey != b->nkey || memcmp(s->key, b->key, s->nkey) != 0))
        s = s->next;
    return s;
}

Specialisation *spec_add(tilec_file *f, const Binding *b)
{
    _Atomic(Specialisation *) *bucket = &f->specs[b->hash % SPEC_BUCKETS];
    Specialisation *s = calloc(1, sizeof *s + b->nkey);

    if (!s)
        return NULL;
    s->hash = b->hash;
    s->nkey = b->nkey;
    memcpy(s->key, b->key, b->nkey);
    s->next = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, s, memory_order_release);
    return s;
}

static Variant *find_variant(const Request *r, Specialisation *s)
{
    GenOptions o = compile_options(r, device_at(r->device), s->use.stored, s->most_programs);
    int i = spec_variant_index(&o);
    Variant *own = atomic_load_explicit(&s->variants[i], memory_order_acquire);
    Variant *other = atomic_load_explicit(&s->variants[i ^ IN_PARTS], memory_order_acquire);

    return own || !other || !other->whole ? own : other;
}

bool spec_ready(Request *r)
{
    Specialisation *s = spec_find(r->file, r->binding);

    if (!s || !atomic_load_explicit(&s->lowered, memory_order_acquire))
        return false;
    r->spec = s;
    r->no_tensors = false;
    r->variant = find_variant(r, s);
    if (r->variant && !device_maps_fit(&r->variant->recipe, r->binding->slots)) {
        r->no_tensors = true;
        r->variant = find_variant(r, s);
    }
    return r->variant != NULL;
}

int spec_variant_index(const GenOptions *o)
{
    return (o->disjoint ? IF_DISJOINT : 0) | (o->streaming ? IF_STREAMING : 0) |
           (o->few_programs ? IF_FEW_PROGRAMS : 0) | (o->lines ? WITH_LINES : 0) |
           (o->debug ? WITH_DEBUG : 0) | (o->no_tensors ? WITHOUT_TENSORS : 0) |
           (o->spans ? WITH_SPANS : 0) | (o->clocks ? WITH_CLOCKS : 0) | (o->parts ? IN_PARTS : 0);
}

void spec_free_variant(Variant *v)
{
    if (!v)
        return;
    if (v->code && v->device->unload)
        v->device->unload(v->code);
    arena_free(v->ir);
    free(v);
}

static void spec_free(Specialisation *s)
{
    for (int i = 0; i < VARIANTS; i++)
        spec_free_variant(atomic_load_explicit(&s->variants[i], memory_order_relaxed));
    arena_free(s->words);
    free(s);
}

void spec_free_all(tilec_file *f)
{
    for (int i = 0; i < SPEC_BUCKETS; i++) {
        for (Specialisation *s = atomic_load_explicit(&f->specs[i], memory_order_relaxed), *next; s;
             s = next) {
            next = s->next;
            spec_free(s);
        }
    }
}
