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

        if (!unwritten_is_suspect(k, m))
            continue;
        Array dense = array_cast(&k->cli->store, &m->array, m->array.dtype);
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
        if (!(unwritten_uses(u, block) & TILEC_STORES) || fresh_has(out, block))
            continue;
        if (!os_has_memory(2 * k->cli->store.blocks.at[block].bytes))
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
        if (!unwritten_is_suspect(k, m))
            continue;
        Array other = array_new(&c->store, TILEC_U8, 1,
                                (int64_t[]){(int64_t)c->store.blocks.at[m->block].bytes});
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
                              ((char *)m->array.data - (char *)c->store.blocks.at[m->block].memory);
        }
        if (m->count == 0)
            continue;
        Array one = array_cast(&c->store, &before, before.dtype),
              two = array_cast(&c->store, &m->array, one.dtype);
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
        u->why_unsure = unwritten_no_memory;
    if (u->why_unsure)
        return;
    if (cli_attempt(c, launch_again, k))
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
    int kept = c->store.blocks.len;

    if (!u->wanted)
        return;
    if (find_pattern(k) && is_new_shape(k))
        make_sure(k);
    else
        u->wanted = false;
    array_free_from(&c->store, kept);
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
                    array_index_text(c->arena, &m->array, m->first));
    if (unsure)
        text_printf(&t,
                    ", or hold by chance what `empty` puts there: the launch was not made a "
                    "second time to be sure, because %s",
                    unsure);
    text_printf(&t,
                "\nhint: do the grid and the mask reach all of it, and do its strides fit? If "
                "it is meant, zeros(%s,%s) instead of empty says so",
                tilec_dtype_name(m->array.dtype), summary_shape(c->arena, &m->array));
    return t.s;
}

static void put_json(const Call *k, Text *t, const MaybeUnwritten *m)
{
    json_object(t, NULL);
    json_text(t, "name", m->name);
    json_int(t, "elements", array_numel(&m->array));
    json_int(t, "unwritten", m->count);
    array_put_index(t, "first", &m->array, m->first);
    json_bool(t, "sure", !k->unwritten.why_unsure);
    json_object_end(t);
}

/* Of a call that has some. */
static const char *unwritten_json(const Call *k)
{
    Text t = text_new(k->cli->arena);

    json_array(&t, NULL);
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        if (k->unwritten.arrays.at[i].count > 0)
            put_json(k, &t, &k->unwritten.arrays.at[i]);
    }
    json_array_end(&t);
    return t.s;
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
        cli_stop(c, CLI_REFUSED, "%s", text);
    k->timing.unwritten = unwritten_json(k);
    if (c->json)
        c->unwritten = k->timing.unwritten;
    call_warn(k, text);
}
