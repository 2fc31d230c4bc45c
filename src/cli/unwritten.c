/*
 * unwritten.c - elements that a launch left as `empty` made them
 *
 * Storage that `empty` made holds one pattern.  Where a kernel may store to it and loads nothing
 * from it, elements that hold the pattern behind the launch were perhaps not written; or the
 * pattern was, 255 or NaN.  So the launch is made once more, on arrays as they were, but with
 * another pattern there: what holds both in turn was not written.  Nothing that the kernel reads
 * differs between the two, so the second does what the first did, and may do no harm that it did
 * not.
 *
 * Nothing is made again where no element holds the pattern, which is nearly always.  A launch that
 * took long is not, nor one in a debugger; what was found then is said as "may".
 */
#include "each.h"

#include <stdio.h>
#include <string.h>

static const double longest = 2; /* seconds of a launch that is made again */
enum { SECOND_PATTERN = 0 };     /* in all bytes */

/* --- in front of the launch --- */

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
                                  .block = array_block(c, args[i].tensor.data),
                                  .uses = uses_of_tensor(u, &launched[i].tensor)};
        vec_push(c->arena, &k->unwritten.arrays, m);
    }
}

/* What the launch does with the storage of an array, under whatever names. */
static int uses_of_block(const Unwritten *u, int block)
{
    int uses = 0;

    for (int i = 0; i < u->arrays.len; i++)
        uses |= u->arrays.at[i].block == block ? u->arrays.at[i].uses : 0;
    return uses;
}

static bool is_suspect(const Call *k, const MaybeUnwritten *m)
{
    return m->block >= k->first_block && k->cli->blocks.at[m->block].is_empty &&
           uses_of_block(&k->unwritten, m->block) == TILEC_STORES;
}

static bool has_empty_block(const Call *k)
{
    for (int i = k->first_block; i < k->cli->blocks.len; i++) {
        if (k->cli->blocks.at[i].is_empty)
            return true;
    }
    return false;
}

static bool is_kept(const KeptBlocks *all, int block)
{
    for (int i = 0; i < all->len; i++) {
        if (all->at[i].block == block)
            return true;
    }
    return false;
}

static const char no_memory[] = "there is no memory for it";

/* Copy the storage that the launch both loads from and stores to; gives why it cannot be, or NULL.
 */
static const char *keep_inputs(Call *k)
{
    const int both = TILEC_LOADS | TILEC_STORES;
    Unwritten *u = &k->unwritten;

    for (int i = 0; i < u->arrays.len; i++) {
        int block = u->arrays.at[i].block;
        if ((uses_of_block(u, block) & both) != both || is_kept(&u->before, block))
            continue;
        if (block < k->first_block)
            return "it changes an array that other calls use as well";
        if (!os_has_memory(k->cli->blocks.at[block].bytes))
            return no_memory;
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
        u->wanted |= is_suspect(k, &u->arrays.at[i]);
    if (u->wanted)
        u->why_unsure = keep_inputs(k);
}

/* --- behind it --- */

/* An element of all bytes `first`, and in the other array of all bytes `second`. */
#define COUNT_ELEMENTS(T)                                                                          \
    {                                                                                              \
        const T *x = a->data, *y = b->data;                                                        \
        T p, q;                                                                                    \
        memset(&p, first, sizeof p);                                                               \
        memset(&q, second, sizeof q);                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            count += (x[i] == p) & (y[i] == q);                                                    \
        for (*at = 0; count > 0 && (x[*at] != p || y[*at] != q);)                                  \
            ++*at;                                                                                 \
        break;                                                                                     \
    }

/* In how many places two dense arrays have elements of these bytes, and the first of them. */
static int64_t count_both(const Array *a, int first, const Array *b, int second, int64_t *at)
{
    int64_t n = array_numel(a), count = 0;

    switch (tilec_dtype_size(a->dtype)) {
    case 1:
        COUNT_ELEMENTS(uint8_t)
    case 2:
        COUNT_ELEMENTS(uint16_t)
    case 4:
        COUNT_ELEMENTS(uint32_t)
    default:
        COUNT_ELEMENTS(uint64_t)
    }
    return count;
}

/* Is there anything that looks as if it had not been written? */
static bool find_pattern(Call *k)
{
    bool any = false;

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        int byte = array_unwritten_byte(m->array.dtype);

        if (!is_suspect(k, m))
            continue;
        Array dense = array_cast(k->cli, &m->array, m->array.dtype);
        m->count = count_both(&dense, byte, &dense, byte, &m->first);
        any |= m->count > 0;
    }
    return any;
}

/* The storage that the launch stores to, as it has left it; false: there is no memory. */
static bool keep_results(const Call *k, KeptBlocks *out)
{
    const Unwritten *u = &k->unwritten;

    for (int i = 0; i < u->arrays.len; i++) {
        int block = u->arrays.at[i].block;
        if (!(uses_of_block(u, block) & TILEC_STORES) || is_kept(out, block))
            continue;
        if (!os_has_memory(2 * k->cli->blocks.at[block].bytes))
            return false;
        vec_push(k->cli->arena, out, fresh_copy_of(k->cli, block));
    }
    return true;
}

static void put_blocks(const Call *k, const KeptBlocks *blocks)
{
    for (int i = 0; i < blocks->len; i++)
        fresh_put(k, &blocks->at[i]);
}

static void put_second_pattern(Call *k)
{
    Cli *c = k->cli;

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        if (!is_suspect(k, m))
            continue;
        Array other = array_new(c, TILEC_U8, 1, (int64_t[]){(int64_t)c->blocks.at[m->block].bytes});
        memset(other.data, SECOND_PATTERN, array_bytes(&other));
        fresh_put(k, &(KeptBlock){m->block, other.data});
    }
}

static void launch_again(Cli *c, void *call)
{
    Call *k = call;

    (void)c;
    put_blocks(k, &k->unwritten.before);
    put_second_pattern(k);
    call_again(k);
    move_back(k);
}

/* Of a launch with the second pattern, whose results are in the arrays. */
static void compare_patterns(Call *k, const KeptBlocks *results)
{
    Cli *c = k->cli;

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        Array before = m->array;

        for (int b = 0; b < results->len; b++) {
            const KeptBlock *kept = &results->at[b];
            if (kept->block == m->block)
                before.data = (char *)kept->copy +
                              ((char *)m->array.data - (char *)c->blocks.at[m->block].memory);
        }
        if (m->count == 0)
            continue;
        Array one = array_cast(c, &before, before.dtype), two = array_cast(c, &m->array, one.dtype);
        m->count =
            count_both(&one, array_unwritten_byte(one.dtype), &two, SECOND_PATTERN, &m->first);
    }
}

/* Find out what is sure; the arrays are what they are now, behind it too. */
static void make_sure(Call *k)
{
    Cli *c = k->cli;
    Unwritten *u = &k->unwritten;
    const CliCode code = c->code;
    KeptBlocks results = {0};

    if (k->options.launch.debug)
        u->why_unsure = "it is being debugged";
    if (k->first_seconds > longest)
        u->why_unsure = arena_printf(c->arena, "it took %.3g s", k->first_seconds);
    if (!u->why_unsure && !keep_results(k, &results))
        u->why_unsure = no_memory;
    if (u->why_unsure)
        return;
    if (attempt(c, launch_again, k))
        compare_patterns(k, &results);
    else
        u->why_unsure = "it failed then";
    c->code = code;
    c->diagnosed = false;
    c->status = TILEC_OK;
    put_blocks(k, &results);
    move_back(k);
}

/* With --each the files of one shape are alike. */
static bool is_new_shape(const Call *k)
{
    Text t = text_new(k->cli->arena);

    text_put(&t, "");
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        text_printf(&t, "%s ", tilec_dtype_name(k->unwritten.arrays.at[i].array.dtype));
        summary_put_shape(&t, &k->unwritten.arrays.at[i].array);
    }
    return !k->cli->each || each_meets_shapes(k->cli->each, t.s);
}

void unwritten_find(Call *k)
{
    Cli *c = k->cli;
    Unwritten *u = &k->unwritten;
    int kept = c->blocks.len;

    if (!u->wanted)
        return;
    if (find_pattern(k) && is_new_shape(k))
        make_sure(k);
    else
        u->wanted = false;
    array_free_from(c, kept);
}

const MaybeUnwritten *unwritten_array(const Call *k, const char *name)
{
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        if (strcmp(k->unwritten.arrays.at[i].name, name) == 0)
            return &k->unwritten.arrays.at[i];
    }
    return NULL;
}

/* --- telling --- */

static const char *text_of_array(const Call *k, const MaybeUnwritten *m)
{
    Cli *c = k->cli;
    const char *unsure = k->unwritten.why_unsure;
    int64_t n = array_numel(&m->array);
    Text t = text_new(c->arena);

    text_printf(&t, "%s: ", m->name);
    if (m->count == n)
        text_printf(&t, "none of its %lld elements was written", (long long)n);
    else
        text_printf(&t, "%lld of %lld elements %s not written, the first is %s[%s]",
                    (long long)m->count, (long long)n, m->count == 1 ? "was" : "were", m->name,
                    array_index_text(c, &m->array, m->first));
    if (unsure)
        text_printf(&t,
                    ", or hold by chance what `empty` puts there: the launch was not made a "
                    "second time to be sure, because %s",
                    unsure);
    text_printf(&t,
                "\nhint: do the grid and the mask reach all of it, and do its strides fit? If "
                "it is meant, zeros(%s,%s) instead of empty says so",
                tilec_dtype_name(m->array.dtype), summary_shape(c, &m->array));
    return t.s;
}

static void put_json(const Call *k, Text *t, const MaybeUnwritten *m)
{
    text_put(t, "{\"name\": ");
    put_json_text(t, m->name);
    text_printf(t, ", \"elements\": %lld, \"unwritten\": %lld, \"first\": [%s], \"sure\": %s}",
                (long long)array_numel(&m->array), (long long)m->count,
                array_index_text(k->cli, &m->array, m->first),
                k->unwritten.why_unsure ? "false" : "true");
}

static const char *unwritten_json(const Call *k)
{
    Text t = text_new(k->cli->arena);
    int told = 0;

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];

        if (m->count == 0)
            continue;
        text_put(&t, told++ ? ", " : "[");
        put_json(k, &t, m);
    }
    text_put(&t, told ? "]" : "");
    return told ? t.s : NULL;
}

const char *unwritten_text(const Call *k)
{
    Text t = text_new(k->cli->arena);
    int told = 0;

    for (int i = 0; k->unwritten.wanted && i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];

        if (m->count > 0)
            text_printf(&t, "%s%s", told++ ? "\n" : "", text_of_array(k, m));
    }
    return told ? t.s : NULL;
}

bool unwritten_refuses(const Call *k)
{
    return k->unwritten.wanted && k->options.launch.check && !k->unwritten.why_unsure;
}

void unwritten_tell(Call *k)
{
    Cli *c = k->cli;
    const char *text = unwritten_text(k);

    if (!text)
        return;
    if (unwritten_refuses(k))
        stop(c, CLI_REFUSED, "%s", text);
    k->timing.unwritten = unwritten_json(k);
    if (c->json)
        c->unwritten = k->timing.unwritten;
    call_warn(k, text);
}
