/*
 * nv_memory.c - loads and stores of tiles and scalars
 *
 * Registers whose elements are neighbours in memory go together, up to 16 bytes of a thread, as the
 * plan's NvAccess says.  A mask, and padding that does not exist, are the instruction's predicate;
 * of several threads that hold the same element one stores it.
 */
#include "nv.h"

#include <string.h>

/* One group of registers of an access. */
typedef struct {
    const NvStep *step;
    const NvTile *shape; /* of the data */
    const Type *type;    /* of an element in memory, behind the pointer */
    int bytes;           /* of it */
    int count;           /* of a group */
} Group;

static Group access_of_step(const NvStep *s, const NvTile *shape)
{
    const Type *t = shape->value->type;

    return (Group){s, shape, t, type_size(t), 1 << s->access->vector_bits};
}

static bool begins_group(const Nv *n, const Group *a, int r)
{
    return nv_turn(n, a->step, a->shape, r) &&
           (r & nv_vector_register(a->step->access->regs, 0, a->count - 1)) == 0;
}

/* A pointer that many registers share, and a constant. */
void nv_locate(Nv *n, const NvStep *s, const Layout *l, int r, NvPlace *out)
{
    const NvTile *pointer = s->in[0];
    int first = l ? r & ~(int)s->access->run : r;
    int size = type_size(&(Type){.dtype = pointer->value->type->dtype});

    *out = (NvPlace){.address = LLVMBuildPtrToInt(n->b, nv_get(n, pointer)[first], n->l->i64, "")};
    if (!l)
        return;
    uint32_t from = layout_at(l, (Holder){.reg = (uint32_t)first});
    uint32_t to = layout_at(l, (Holder){.reg = (uint32_t)r});
    for (int d = 0; d < l->rank; d++)
        out->offset += (int64_t)(layout_index(l, to, d) - layout_index(l, from, d)) * size;
}

static Val operand_register(Nv *n, const NvStep *s, int i, int r)
{
    return i < s->nin && s->in[i] ? nv_get(n, s->in[i])[r] : NULL;
}

static Val may_access(Nv *n, const Group *a, int mask, int r)
{
    Val p = operand_register(n, a->step, mask, r);

    if (p && LLVMIsAConstantInt(p) && LLVMConstIntGetZExtValue(p) == 1)
        p = NULL;
    return nv_both(n, p, a->shape->layout ? nv_exists(n, a->shape->layout, r) : NULL);
}

/* --- loads --- */

/* Everything of the instruction in front of the width; a way past a cache excludes a wish for how
 * long something stays there. */
static const char *load_words(const NvStep *s)
{
    const Op *op = s->op;

    if (attr_volatile(op))
        return "ld.volatile.global";
    switch (attr_cache(op)) {
    case CACHE_CA:
        return "ld.global.ca";
    case CACHE_CG:
        return "ld.global.cg";
    case CACHE_CS:
        return "ld.global.cs";
    case CACHE_CV:
        return "ld.global.cv";
    default:
        break;
    }
    if (attr_evict(op) == EVICT_FIRST)
        return "ld.global.L1::evict_first";
    if (attr_evict(op) == EVICT_LAST)
        return "ld.global.L1::evict_last";
    return s->early ? "ld.global.nc" : "ld.global";
}

static const char *store_words(const Op *op)
{
    switch (attr_cache(op)) {
    case CACHE_WB:
        return "st.global.wb";
    case CACHE_CG:
        return "st.global.cg";
    case CACHE_CS:
        return "st.global.cs";
    case CACHE_WT:
        return "st.global.wt";
    default:
        break;
    }
    return attr_evict(op) == EVICT_FIRST  ? "st.global.L1::evict_first"
           : attr_evict(op) == EVICT_LAST ? "st.global.L1::evict_last"
                                          : "st.global";
}

/* Does this thread read?  NULL: true.  Ahead of a loop only for a round that will be. */
static Val may_load(Nv *n, const Group *a, int r)
{
    Val once = nv_once_doer(n, a->step->once);
    Val may = nv_both(n, may_access(n, a, LOAD_MASK, r), once);

    return nv_both(n, may, n->active);
}

/* What one thread has read for all who hold copies. */
static void tell_copies(Nv *n, const NvStep *s, int each)
{
    const Type *type = s->op->results[0]->type;
    Val *all = NEW_N(n->arena, Val, s->nout * each);

    if (!s->once || !s->once->told)
        return;
    for (int i = 0; i < s->nout * each; i++) {
        Val v = s->out[i / each] ? n->regs[s->out[i / each]->id][i % each] : NULL;
        all[i] = v ? nv_to_exchanged(n, type, v) : NULL;
    }
    nv_once_tell(n, s, all, s->nout * each, nv_exchanged_bytes(n->plan, type));
    for (int i = 0; i < s->nout * each; i++) {
        const NvTile *t = s->out[i / each];
        if (t && all[i])
            n->regs[t->id][i % each] = nv_from_exchanged(n, type, all[i]);
    }
}

static void put_elements(Nv *n, const Group *a, int r, const Val *words, Val *out)
{
    Val elements[NV_ACCESS_BYTES];

    nv_unpack(n, words, a->count, a->bytes, elements);
    for (int i = 0; i < a->count; i++)
        out[nv_vector_register(a->step->access->regs, r, i)] =
            nv_from_bits(n, a->type, elements[i]);
}

/* A group of a load that is issued with others (NvStep.issued). */
typedef struct NvIssued {
    Group group;
    int r;
    Val words[NV_MOST_WORDS];
} NvIssued;

static void keep_words(Nv *n, const Group *a, int r, const Val *words)
{
    NvIssued *x = NEW(n->arena, NvIssued);

    *x = (NvIssued){.group = *a, .r = r};
    for (int i = 0; i * NV_ACCESS_BYTES < a->count * a->bytes * NV_MOST_WORDS; i++)
        x->words[i] = words[i];
    vec_push(n->arena, &n->issued, x);
}

/* What a load has brought for slices behind it: by register the words of the vector that begins
 * there, until one of these asks for it. */
typedef struct {
    Group group;
    struct Words {
        Val at[NV_MOST_WORDS];
    } * words;
} Kept;

static void keep_for_slices(Nv *n, const Group *a, int r, const Val *words)
{
    Kept *k = map_get(n->kept, MAP_KEY(a->shape));

    if (!k) {
        k = NEW(n->arena, Kept);
        *k = (Kept){*a, NEW_N(n->arena, struct Words, nv_count(a->shape))};
        map_put(n->kept, MAP_KEY(a->shape), k);
    }
    memcpy(&k->words[r], words, sizeof k->words[r]);
}

static void take_out(Nv *n, const NvTile *t, int r)
{
    Kept *k = map_get(n->kept, MAP_KEY(t));

    if (!k || r < 0)
        return;
    r &= ~nv_vector_register(k->group.step->access->regs, 0, k->group.count - 1);
    if (k->words[r].at[0])
        put_elements(n, &k->group, r, k->words[r].at, n->regs[t->id]);
    k->words[r].at[0] = NULL;
}

void nv_take_words(Nv *n, const NvBlock *slices)
{
    for (int i = 0; i < slices->steps.len; i++) {
        const NvStep *s = slices->steps.at[i];
        const NvTile *shape = nv_step_shape(s);
        for (int r = 0; r < nv_count(shape); r++) {
            for (int k = 0; nv_turn(n, s, shape, r) && k < s->nin; k++) {
                if (s->in[k])
                    take_out(n, s->in[k], nv_register_read(s, k, r));
            }
        }
    }
}

static void load_group(Nv *n, const Group *a, int r, Val *out)
{
    NvPlace p;
    Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS], other[NV_MOST_WORDS];
    bool has_other = operand_register(n, a->step, LOAD_OTHER, r) != NULL;

    nv_locate(n, a->step, a->shape->layout, r, &p);
    p.how = load_words(a->step);
    p.bytes = a->bytes * a->count;
    p.predicate = may_load(n, a, r);
    for (int i = 0; has_other && i < a->count; i++) {
        Val v = operand_register(n, a->step, LOAD_OTHER,
                                 nv_vector_register(a->step->access->regs, r, i));
        elements[i] = nv_to_bits(n, a->type, v);
    }
    if (has_other)
        nv_pack(n, elements, a->count, a->bytes, other);
    nv_read(n, &p, has_other ? other : NULL, words);
    if (a->step->issued)
        keep_words(n, a, r, words);
    else if (a->step->words)
        keep_for_slices(n, a, r, words);
    else
        put_elements(n, a, r, words, out);
}

/* Elements of one record, each the same register of another tile. */
static void load_fields(Nv *n, const Group *a, int r, const NvFields *g)
{
    NvPlace p;
    Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS], other[NV_MOST_WORDS];
    Val given = operand_register(n, a->step, LOAD_OTHER, r);

    nv_locate(n, a->step, a->shape->layout, r, &p);
    p.how = load_words(a->step);
    p.bytes = a->bytes * g->count;
    p.offset -= g->before * a->bytes;
    p.predicate = may_load(n, a, r);
    for (int i = 0; given && i < g->count; i++)
        elements[i] = nv_to_bits(n, a->type, given);
    if (given)
        nv_pack(n, elements, g->count, a->bytes, other);
    nv_read(n, &p, given ? other : NULL, words);
    nv_unpack(n, words, g->count, a->bytes, elements);
    for (int i = 0; i < g->count; i++) {
        if (g->out[i])
            n->regs[g->out[i]->id][r] = nv_from_bits(n, a->type, elements[i]);
    }
}

/* One of the tiles stands for the shape of all. */
static bool load_group_of_fields(Nv *n, const NvStep *s)
{
    const NvFields *g = s->detail;
    const NvTile *shape = NULL;

    for (int i = 0; g && i < g->count; i++) {
        if (g->out[i]) {
            shape = g->out[i];
            nv_out(n, s, i);
        }
    }
    if (!shape)
        return g != NULL;
    Group a = access_of_step(s, shape);
    for (int r = 0; r < nv_count(shape); r++) {
        if (nv_turn(n, s, shape, r))
            load_fields(n, &a, r, g);
    }
    tell_copies(n, s, nv_count(shape));
    return true;
}

/* Registers that are those of others. */
static void copy_groups(Nv *n, const Group *a, Val *out)
{
    const int8_t *regs = a->step->access->regs;

    for (int r = 0; r < nv_count(a->shape); r++) {
        int like = r & ~(int)a->step->same;
        if (like == r || !begins_group(n, a, r))
            continue;
        for (int i = 0; out[like] && i < a->count; i++)
            out[nv_vector_register(regs, r, i)] = out[nv_vector_register(regs, like, i)];
    }
}

/* All loads that have been kept, behind the last one. */
static void issue(Nv *n)
{
    Val **words = NEW_N(n->arena, Val *, n->issued.len * NV_MOST_WORDS + 1);
    int count = 0;

    for (int i = 0; i < n->issued.len; i++) {
        NvIssued *x = n->issued.at[i];
        for (int k = 0; k < NV_MOST_WORDS; k++) {
            if (x->words[k] && LLVMTypeOf(x->words[k]) == n->l->i32)
                words[count++] = &x->words[k];
        }
    }
    if (nv_never(n))
        nv_change(n, words, count, true);
    for (int i = 0; i < n->issued.len; i++) {
        const NvIssued *x = n->issued.at[i];
        Val *out = n->regs[x->group.shape->id];
        put_elements(n, &x->group, x->r, x->words, out);
        copy_groups(n, &x->group, out);
    }
    n->issued.len = 0;
}

void nv_load(Nv *n, const NvStep *s)
{
    if (load_group_of_fields(n, s))
        return;

    Group a = access_of_step(s, s->out[0]);
    Val *out = nv_out(n, s, 0);

    for (int r = 0; r < nv_count(s->out[0]); r++) {
        int like = r & ~(int)s->same;
        if (begins_group(n, &a, r) && (like == r || (!out[like] && !s->issued)))
            load_group(n, &a, r, out);
    }
    copy_groups(n, &a, out);
    tell_copies(n, s, nv_count(s->out[0]));
    if (s->issued == s)
        issue(n);
}

/* Of what has been copied for all threads. */
static void take_common(Nv *n, const NvStep *s)
{
    const NvPut *take = s->detail;
    const NvTile *to = s->out[0];
    int count = 1 << take->nvector, bytes = s->in[0]->memory.bytes;
    Val *out = nv_out(n, s, 0);
    uint32_t threads[LAYOUT_THREAD_BITS];

    nv_threads_of(to->layout, threads);
    for (int r = 0; r < nv_count(to); r++) {
        NvPlace p = {.how = "ld.shared", .bytes = bytes * count};
        Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];
        if ((r & nv_vector_register(take->regs, 0, count - 1)) != 0)
            continue;
        nv_shared_place(n, s->in[0], threads, layout_at(to->layout, (Holder){.reg = (uint32_t)r}),
                        &p);
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, count, bytes, elements);
        for (int i = 0; i < count; i++)
            out[nv_vector_register(take->regs, r, i)] =
                nv_from_bits(n, to->value->type, elements[i]);
    }
}

void nv_take(Nv *n, const NvStep *s)
{
    if (s->detail) {
        take_common(n, s);
        return;
    }
    Group a = access_of_step(s, s->out[0]);
    Val *out = nv_out(n, s, 0), words[NV_MOST_WORDS];
    int vector = 0;

    for (int r = 0; r < nv_count(a.shape); r++) {
        NvPlace p = {.how = "ld.shared", .bytes = a.bytes * a.count};
        if (!nv_begins_own(s, r))
            continue;
        nv_own_place(n, s->in[0], vector++, p.bytes, &p);
        nv_read(n, &p, NULL, words);
        put_elements(n, &a, r, words, out);
    }
    copy_groups(n, &a, out);
}

/* --- stores --- */

/* Elements of one record, each of another tile. */
static void store_fields(Nv *n, const Group *a, int r, Val first, const NvFields *g)
{
    NvPlace p;
    Val elements[NV_MOST_FIELDS], words[NV_MOST_WORDS];

    nv_locate(n, a->step, a->shape->layout, r, &p);
    p.how = store_words(a->step->op);
    p.bytes = a->bytes * g->count;
    p.offset -= g->before * a->bytes;
    p.predicate = nv_both(n, may_access(n, a, STORE_MASK, r), first);
    for (int i = 0; i < g->count; i++)
        elements[i] = nv_to_bits(n, a->type, operand_register(n, a->step, STORE_FIELDS + i, r));
    nv_pack(n, elements, g->count, a->bytes, words);
    nv_write(n, &p, words);
}

static void store_group(Nv *n, const Group *a, int r, Val first)
{
    NvPlace p;
    Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];

    nv_locate(n, a->step, a->shape->layout, r, &p);
    p.how = store_words(a->step->op);
    p.bytes = a->bytes * a->count;
    p.predicate = nv_both(n, may_access(n, a, STORE_MASK, r), first);
    for (int i = 0; i < a->count; i++) {
        Val v = operand_register(n, a->step, STORE_DATA,
                                 nv_vector_register(a->step->access->regs, r, i));
        elements[i] = nv_to_bits(n, a->type, v);
    }
    nv_pack(n, elements, a->count, a->bytes, words);
    nv_write(n, &p, words);
}

void nv_store(Nv *n, const NvStep *s)
{
    const NvTile *data = s->in[STORE_DATA];
    Group a = access_of_step(s, data);
    Val first = nv_is_first(n, s->access->copies);

    for (int r = 0; r < nv_count(data); r++) {
        if (s->detail && nv_turn(n, s, data, r))
            store_fields(n, &a, r, first, s->detail);
        else if (!s->detail && begins_group(n, &a, r))
            store_group(n, &a, r, first);
    }
}
