/*
 * bind_key.c - the bytes that tell what a call needs compiled from what other calls need
 *
 * Two calls with the same key run the same code.  A value that may be long, a text or a tuple, is
 * in it as its length and 128 bits of hash, so that a Binding has room for any call.
 */
#include <string.h>

#include "bind.h"

void bind_key_put(Binding *out, const void *p, size_t n)
{
    memcpy(out->key + out->nkey, p, n);
    out->nkey += n;
}

void bind_key_byte(Binding *out, int byte)
{
    out->key[out->nkey++] = (uint8_t)byte;
}

/* Set in the first byte of a run-time parameter, and of what has parts, which tells it from a
 * constant's kind. */
enum { KEY_PARTS = 0x20, KEY_RUN_TIME = 0x40, KEY_POINTER = 0x80 };

void bind_key_run_time(Binding *out, DType t, bool pointer, int divisible)
{
    bind_key_byte(out, KEY_RUN_TIME | (pointer ? KEY_POINTER : 0) | (int)t);
    bind_key_byte(out, divisible);
}

void bind_key_parts(Binding *out, const FrontArg *a)
{
    bind_key_byte(out, KEY_PARTS | (int)a->form);
    bind_key_byte(out, a->nparts);
    bind_key_byte(out, a->pads_nan);
    if (a->form != FRONT_DESCRIPTOR)
        return;
    const Hash128 block = hash128_bytes(a->block, sizeof a->block[0] * (size_t)(a->nparts / 2));
    bind_key_put(out, &block, sizeof block);
}

/* 64 bits of it: names come from the programs that launch, not from strangers. */
void bind_key_name(Binding *out, const char *name)
{
    const uint64_t hash = name ? hash_bytes((const uint8_t *)name, strlen(name), 0) : 0;

    if (name)
        bind_key_put(out, &hash, sizeof hash);
    else
        bind_key_byte(out, 0);
}

static Hash128 hash_tuple(const Const *c);

/* What tells a constant from all others of its kind, in 128 bits. */
static Hash128 hash_constant(const Const *c)
{
    uint64_t parts[2] = {0, 0};

    switch (c->kind) {
    case CONST_STRING:
        return hash128_bytes(c->text, c->ntext);
    case CONST_TUPLE:
        return hash_tuple(c);
    case CONST_FLOAT:
        memcpy(parts, &c->real, sizeof c->real);
        break;
    case CONST_DTYPE:
        parts[0] = (uint64_t)c->dtype;
        break;
    case CONST_FUNCTION:
        parts[0] = (uint64_t)(uintptr_t)c->function;
        break;
    case CONST_OBJECT:
        return hash128_bytes(c->object, strlen(c->object));
    default:
        memcpy(parts, &c->integer, sizeof c->integer);
        break;
    }
    return (Hash128){parts[0], parts[1]};
}

static Hash128 hash_tuple(const Const *c)
{
    struct {
        Hash128 before, item, field;
        uint64_t kind;
    } chain = {{0, 0}, {0, 0}, {0, 0}, 0};

    for (int i = 0; i < c->nitems; i++) {
        chain.item = hash_constant(&c->items[i]);
        chain.kind = (uint64_t)c->items[i].kind;
        chain.field = c->fields ? hash128_bytes(c->fields[i], strlen(c->fields[i])) : chain.before;
        chain.before = hash128_bytes(&chain, sizeof chain);
    }
    return chain.before;
}

void bind_key_constant(Binding *out, const Const *c)
{
    Hash128 hash;

    bind_key_byte(out, (int)c->kind);
    switch (c->kind) {
    case CONST_BOOL:
    case CONST_INT:
        bind_key_put(out, &c->integer, sizeof c->integer);
        break;
    case CONST_FLOAT:
        bind_key_put(out, &c->real, sizeof c->real);
        break;
    case CONST_STRING:
        hash = hash128_bytes(c->text, c->ntext);
        bind_key_put(out, &c->ntext, sizeof c->ntext);
        bind_key_put(out, &hash, sizeof hash);
        break;
    case CONST_DTYPE:
        bind_key_byte(out, (int)c->dtype);
        break;
    case CONST_TUPLE:
        bind_key_put(out, &c->nitems, sizeof c->nitems);
        hash = hash_tuple(c);
        bind_key_put(out, &hash, sizeof hash);
        break;
    case CONST_OBJECT:
        hash = hash_constant(c);
        bind_key_put(out, &hash, sizeof hash);
        break;
    case CONST_FUNCTION: /* of this file, and keys are the file's */
        bind_key_put(out, &c->function, sizeof c->function);
        break;
    default: /* CONST_NONE; parameters get nothing but plain values */
        break;
    }
}

void bind_key_arch(Binding *out)
{
    Hash128 hash;

    bind_key_byte(out, out->arch != NULL);
    if (!out->arch)
        return;
    hash = hash128_bytes(out->arch, strlen(out->arch));
    bind_key_put(out, &hash, sizeof hash);
}
