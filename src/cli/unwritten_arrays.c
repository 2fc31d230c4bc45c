/*
 * unwritten_arrays.c - in front of a launch: the arrays in which unwritten.c looks for elements
 * that nothing wrote, and what the launch does with them
 */
#include "call.h"

typedef struct {
    const tilec_tensor *tensor;
    int uses;
} TensorUse;
typedef struct {
    Call *call;
    VEC(TensorUse) uses;
} TensorUses;

static void add_use(void *uses, const tilec_tensor *tensor, int bits)
{
    TensorUses *u = uses;
    const TensorUse use = {tensor, bits};

    vec_push(u->call->cli->arena, &u->uses, use);
}

static int uses_of_tensor(const TensorUses *u, const tilec_tensor *tensor)
{
    for (int i = 0; i < u->uses.len; i++) {
        if (u->uses.at[i].tensor == tensor)
            return u->uses.at[i].uses;
    }
    return 0;
}

static Array array_of_tensor(const tilec_tensor *t)
{
    Array a = {.data = t->data, .dtype = t->dtype, .ndim = t->ndim};

    for (int i = 0; i < t->ndim; i++) {
        a.shape[i] = t->shape[i];
        a.strides[i] = t->strides[i];
    }
    return a;
}

/* Note the arrays among the arguments, and what happens to their storage; `launched` are the same
 * arguments as the launch has them. */
static void find_arrays(const TensorUses *u, const tilec_arg *args, const tilec_arg *launched,
                        int n, const char *tuple)
{
    Call *k = u->call;
    Cli *c = k->cli;

    for (int i = 0; i < n; i++) {
        const char *name = tuple ? arena_printf(c->arena, "%s[%d]", tuple, i) : args[i].name;
        if (args[i].kind == TILEC_ARG_TUPLE)
            find_arrays(u, args[i].items, launched[i].items, args[i].nitems, name);
        if (args[i].kind != TILEC_ARG_TENSOR && args[i].kind != TILEC_ARG_DESCRIPTOR)
            continue;
        const MaybeUnwritten m = {.name = name,
                                  .array = array_of_tensor(&args[i].tensor),
                                  .block = array_block(&c->store, args[i].tensor.data),
                                  .uses = uses_of_tensor(u, &launched[i].tensor)};
        vec_push(c->arena, &k->unwritten.arrays, m);
    }
}

/* What the launch does with the storage of an array, under whatever names. */
int unwritten_uses(const Unwritten *u, int block)
{
    int uses = 0;

    for (int i = 0; i < u->arrays.len; i++)
        uses |= u->arrays.at[i].block == block ? u->arrays.at[i].uses : 0;
    return uses;
}

bool unwritten_is_suspect(const Call *k, const MaybeUnwritten *m)
{
    return m->block >= k->first_block && k->cli->store.blocks.at[m->block].is_empty &&
           (unwritten_uses(&k->unwritten, m->block) & (TILEC_LOADS | TILEC_STORES)) == TILEC_STORES;
}

static bool has_empty_block(const Call *k)
{
    for (int i = k->first_block; i < k->cli->store.blocks.len; i++) {
        if (k->cli->store.blocks.at[i].is_empty)
            return true;
    }
    return false;
}

const char unwritten_no_memory[] = "there is no memory for it";

/* Copy the storage that the launch both loads from and stores to; gives why it cannot be, or NULL.
 */
static const char *keep_inputs(Call *k)
{
    const int both = TILEC_LOADS | TILEC_STORES;
    Unwritten *u = &k->unwritten;

    for (int i = 0; i < u->arrays.len; i++) {
        int block = u->arrays.at[i].block;
        if ((unwritten_uses(u, block) & both) != both || fresh_has(&u->before, block))
            continue;
        if (block < k->first_block)
            return "it changes an array that other calls use as well";
        if (!os_has_memory(k->cli->store.blocks.at[block].bytes))
            return unwritten_no_memory;
        vec_push(k->cli->arena, &u->before, fresh_copy_of(k->cli, block));
    }
    return NULL;
}

void unwritten_find_arrays(Call *k)
{
    TensorUses uses = {.call = k};
    tilec_launch_options silent = k->options.launch;

    silent.on_message = NULL;
    if (k->unwritten.arrays.len == 0 &&
        tilec_launch_memory(k->cli->file, k->options.kernel, k->there, k->args.count, &silent,
                            add_use, &uses, NULL) == TILEC_OK)
        find_arrays(&uses, k->args.args, k->there, k->args.count, NULL);
}

void unwritten_watch(Call *k)
{
    Unwritten *u = &k->unwritten;

    if (!u->wanted || !has_empty_block(k))
        return;
    u->wanted = false;
    unwritten_find_arrays(k);
    for (int i = 0; i < u->arrays.len; i++)
        u->wanted |= unwritten_is_suspect(k, &u->arrays.at[i]);
    if (u->wanted)
        u->why_unsure = keep_inputs(k);
}
