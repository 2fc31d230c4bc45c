/*
 * plan_shape.c - how wide each nest runs on the machine at hand
 *
 * The last decisions of a plan, made when no more values move: lanes of a vector, copies of a
 * nest's body, how a row to be sorted lies in vectors.
 */
#include <string.h>

#include "plan_internal.h"

/* Bytes.  The machine gathers elements of this size, from addresses of twice that; smaller ones are
 * cut out of them.  More lanes than a register has of these would take nothing together, but as
 * many instructions for each lane, in a body so much longer. */
enum { GATHERED_WORD = 4 };

Machine plan_machine(const char *features)
{
    Machine m = {.avx2 = strstr(features, "+avx2") != NULL};

    m.neon = strstr(features, "+neon") != NULL;
    m.fma = m.neon || strstr(features, "+fma") != NULL;
    m.avx512f = strstr(features, "+avx512f") != NULL;
    m.avx512bw = strstr(features, "+avx512bw") != NULL;
    m.avx512fp16 = strstr(features, "+avx512fp16") != NULL && m.avx512bw;
    m.avx512vnni = strstr(features, "+avx512vnni") != NULL;
    m.amx_int8 = strstr(features, "+amx-int8") != NULL && m.avx512bw;
    m.amx_bf16 = strstr(features, "+amx-bf16") != NULL && m.avx512bw;
    m.vector_bytes = m.avx512f ? MAX_VECTOR : m.avx2 ? 32 : 16;
    m.registers = m.avx512f || m.neon ? 32 : 16;
    return m;
}

/* --- nests --- */

bool plan_runs_backwards(const Nest *n, int dim)
{
    const Root *r = &n->roots.at[0];

    return r->kind == ROOT_SCAN && attr_reverse(r->op) != 0 && attr_axis(r->op) == dim;
}

static int data_bits(const Plan *p, const Nest *n, const Value *v)
{
    const Type *t = v->type;

    if (t->rank == 0 || (!t->pointer && t->dtype == DT_I1))
        return 0;
    int buffer = plan_buffer(p, v);
    if (t->pointer)
        return buffer != NO_BUFFER ? 64 : 0;
    if (buffer != NO_BUFFER) /* where floats may have the width that they have in memory */
        return dtype_bits(p->buffers.at[buffer].dtype);
    bool is_data = !v->def || op_only_reads(v->def) || dtype_is_float(t->dtype);
    bool is_short = !n->widens && plan_is_short_float(t);
    return is_data ? dtype_bits(is_short ? t->dtype : plan_register_dtype(t->dtype)) : 0;
}

static const Value *root_value(const Root *r)
{
    switch (r->kind) {
    case ROOT_FILL:
        return r->value;
    case ROOT_STORE:
        return r->op->operands[STORE_DATA];
    case ROOT_ATOMIC: /* the new value of a compare-and-swap is as wide as what it expects */
        return r->op->operands[RMW_DATA];
    default:
        return r->op->operands[0];
    }
}

/* Has it several elements along the inner dimension?  One is a scalar, however wide. */
static bool is_vector(const Nest *n, const Leaf *leaf)
{
    const Type *t = leaf->value->type;
    int inner = n->order[n->rank - 1];

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] > 1 && (leaf->map[d] == inner || leaf->map[d] < 0))
            return true;
    }
    return false;
}

static int leaf_bits(const Plan *p, const Nest *n, bool vectors)
{
    int bits = 0;

    for (int i = 0; i < n->leaves.len; i++) {
        if (!vectors || is_vector(n, &n->leaves.at[i]))
            bits = MAX(bits, data_bits(p, n, n->leaves.at[i].value));
    }
    return bits;
}

/* As many of the widest data as one machine vector holds. */
int plan_full_lanes(const Plan *p, const Nest *nest)
{
    int bits = leaf_bits(p, nest, true);

    if (bits == 0)
        bits = leaf_bits(p, nest, false);
    for (int i = 0; i < nest->roots.len; i++) {
        const Root *r = &nest->roots.at[i];
        bits = MAX(bits, data_bits(p, nest, root_value(r)));
        for (int k = 0; r->op && k < r->op->nresults; k++)
            bits = MAX(bits, data_bits(p, nest, r->op->results[k]));
    }
    return p->machine.vector_bytes * 8 / (bits == 0 ? 32 : MAX(bits, 8));
}

/* These, but not far beyond the extent.  No buffer holds wider elements, so that a vector at its
 * end stays within its padding. */
static int choose_lanes(const Plan *p, const Nest *nest, int extent)
{
    int lanes = plan_full_lanes(p, nest);

    while (lanes > 1 && lanes / 2 >= extent)
        lanes /= 2;
    return lanes;
}

/* Independent chains for the processor, as many as registers allow. */
static int choose_unroll(const Plan *p, const Nest *nest, int extent, int lanes)
{
    int room = REGISTER_WORK * p->machine.registers;
    int work = nest->work + nest->roots.len, unroll = MAX_UNROLL;

    while (unroll > 1 && (unroll * work > room || extent < 2 * unroll * lanes))
        unroll /= 2;
    return unroll;
}

/* More lanes than a register has bytes would have masks that no register holds, and LLVM takes such
 * ones apart lane by lane.
 *
 * Two copies of a long body stand one behind the other, too far apart for the processor to overlap
 * them well, and copies that branch each branch for themselves.  Vectors of several registers do
 * the same work, and LLVM splits them op by op.  But of pieces that are short less would be left
 * over. */
static void put_side_by_side(const Plan *p, Nest *n)
{
    bool apart = (n->unroll == 2 && n->pieces.len == 0) || n->branches;

    if (n->unroll == 1 || !apart || n->lanes * n->unroll > p->machine.vector_bytes)
        return;
    n->lanes *= n->unroll;
    n->unroll = 1;
}

/* Elements of a scan follow each other, so where there are no lanes they are rows of one element.
 */
static Combining combining_of(const Nest *n, const Root *r)
{
    Combining c = {.kind = ir_combine_kind(r->op)};
    bool inner = attr_axis(r->op) == n->order[n->rank - 1];

    if (!inner || (n->serial && r->kind == ROOT_SCAN))
        c.along = ALONG_ROWS;
    else
        c.along = n->serial ? ALONG_ELEMENTS : ALONG_LANES;
    return c;
}

/* A float that is no larger than the one before it does not win, then. */
static bool rises(const Nest *n, const Root *r)
{
    const Combining *c = &r->combining;

    if (r->kind != ROOT_REDUCE || c->along != ALONG_LANES || c->kind.winner == OP_COUNT ||
        !dtype_is_float(r->op->operands[0]->type->dtype))
        return false;
    Access a = access_of(n->space, r->op->operands[1], plan_identity);
    return a.ok && a.stride > 0 && !a.scale && !a.chunked;
}

/* What all effects of the nest have in their masks. */
static void find_sure(Plan *p, const Nest *n, AccessPlaces *out)
{
    for (int i = 0; i < n->roots.len && (i == 0 || out->len > 0); i++)
        access_meet_mask(p->arena, out, plan_root_mask(&n->roots.at[i]), plan_identity, i == 0);
}

AccessSpace *plan_space(Plan *p, const Nest *n)
{
    AccessSpace *s =
        access_space(p->arena, p->axis, n->order[n->rank - 1], n->lanes, plan_has_buffer, p);

    s->quotients = n->pieces.at;
    s->nquotients = n->pieces.len;
    s->anywhere = (n->pieces.len > 0 && !n->aligned) || n->lined != 0;
    if (n->pieces.len > 0)
        find_sure(p, n, &s->sure);
    return s;
}

void plan_size_body(const Plan *p, Nest *n, int extent)
{
    n->lanes = n->serial ? 1 : choose_lanes(p, n, extent);
    n->unroll = n->serial ? 1 : choose_unroll(p, n, extent, n->lanes);
    put_side_by_side(p, n);
}

/* Is a small element of each lane looked up at an address of its own? */
static bool gathers_small(const Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const AccessPlan *a = n->leaves.at[i].access;
        bool gathers = a && (a->form == FORM_STEPS || a->form == FORM_LANES);
        if (gathers && dtype_size(n->leaves.at[i].value->type->dtype) < GATHERED_WORD)
            return true;
    }
    return false;
}

void plan_find_accesses(Plan *p, Nest *n)
{
    n->space = plan_space(p, n);
    plan_accesses(p, n);
    if (n->lanes <= p->machine.vector_bytes / GATHERED_WORD || !gathers_small(n))
        return;
    n->lanes = p->machine.vector_bytes / GATHERED_WORD;
    n->space = plan_space(p, n);
    plan_accesses(p, n);
}

static void shape_nest(Plan *p, Nest *n)
{
    int inner = n->order[n->rank - 1], extent = n->dims[inner];

    for (int k = 0; k < n->rank - 1; k++)
        n->level_of[n->order[k]] = n->dims[n->order[k]] == 1 ? 0 : k + 1;
    n->level_of[inner] = n->rank;
    n->backwards = plan_runs_backwards(n, inner);
    plan_size_body(p, n, extent);
    for (int i = 0; i < n->roots.len; i++) {
        Root *r = &n->roots.at[i];
        if (r->kind == ROOT_REDUCE || r->kind == ROOT_SCAN)
            r->combining = combining_of(n, r);
    }
    plan_widen_strips(p, n);
    plan_find_accesses(p, n);
    plan_lines(p, n);
    n->roots.at[0].combining.counts = n->roots.at[0].kind == ROOT_SCAN && plan_counts_packed(n);
    for (int i = 0; i < n->roots.len; i++)
        n->roots.at[i].combining.rising = rises(n, &n->roots.at[i]);
}

/* --- rows to be sorted --- */

int plan_sort_bits(const Type *t)
{
    int bits = 0;

    while ((int64_t)1 << bits < t->dims[t->rank - 1])
        bits++;
    return bits;
}

/* A row has as many vectors as these have lanes, or more, to be transposed in the end.  Where lists
 * of a few elements are all that is wanted, two in each lane are enough. */
static void shape_sort(const Plan *p, const Op *op, SortShape *s)
{
    const Type *from = op->operands[0]->type;
    int all = plan_sort_bits(from), kept = plan_sort_bits(op->results[0]->type);
    int most = __builtin_ctz((unsigned)(p->machine.vector_bytes / dtype_size(from->dtype)));
    int lanes = MIN(most, all / 2), lanes_of_lists = MIN(most, all - kept - 1);

    s->kept = lanes_of_lists >= MAX(lanes - 1, 0) && kept < all ? kept : SORT_ALL;
    lanes = s->kept == SORT_ALL ? lanes : lanes_of_lists;
    s->lanes = 1 << lanes;
    s->bits = all - lanes;
}

/* Integers that are added to neighbours: where a launch is alone, by vectors, and no table. */
static Nest *direct_nest(Plan *p, const Nest *n)
{
    const Root *r = &n->roots.at[0];

    if (r->kind != ROOT_ATOMIC || r->buffer == NO_BUFFER || !plan_adds_vectors(p, r))
        return NULL;
    Nest *out = plan_copy_nest(p, n);
    memset(&out->bounds, 0, sizeof out->bounds);
    out->serial = !plan_adds_rows(p, n);
    out->roots.at[0].buffer = NO_BUFFER;
    shape_nest(p, out);
    Nest *pieces = plan_pieces(p, out);
    return out->serial && pieces == out ? NULL : pieces;
}

static void shape_block(Plan *p, BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST) {
            shape_nest(p, s->nest);
            s->nest = plan_pieces(p, s->nest);
            plan_lines_in_cache(p, s->nest);
            s->nest->direct = direct_nest(p, s->nest);
        }
        if (s->kind == STEP_SORT)
            shape_sort(p, s->op, &s->sort);
        shape_block(p, s->body[0]);
        shape_block(p, s->body[1]);
    }
}

void plan_shape(Plan *p)
{
    shape_block(p, p->body);
}
