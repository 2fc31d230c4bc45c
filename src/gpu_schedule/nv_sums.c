/*
 * nv_sums.c - where sums lie in tensor memory
 *
 * On chips with tcgen05.mma the unit for products has its sums in a memory of its own: 128 lanes of
 * 512 columns of 4 bytes, of which a program asks for as many columns as it needs, a power of two.
 * A product's sum has its columns from the product on until it lands in registers (nv_land.c).
 * What goes on from round to round of a loop (NvAhead.flying) has them as long as the loop goes,
 * and whatever else is multiplied in there has others.
 */
#include "nv_ring.h"
#include "../gpu_plan/nv_dot.h"

/* Columns that are in use. */
typedef struct {
    const NvTile *sum;
    int first, end;
} Columns;
typedef VEC(Columns) Used;

typedef struct {
    NvPlan *plan;
    int most;     /* columns that are in use at once, from the first on */
    int products; /* that are computed so */
} Sums;

static NvDot *dot_of(const NvStep *s)
{
    NvDot *d = s->kind == NV_DOT ? (NvDot *)s->detail : NULL;

    return d && d->in_tensor_memory ? d : NULL;
}

/* Of a group of warps: a block of 128 rows, or of 64, behind the other. */
static int columns_of(const NvDot *d)
{
    const MmaRegisters *r = &d->regs[MMA_ACC];
    int columns = d->tiling.shape.n << r->columns;

    return columns << (r->rows - (d->tiling.tall ? 1 : 0));
}

/* The first place from `at` on that nobody of these has. */
static int free_place(const Used *used, int at, int count)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < used->len; i++) {
            if (used->at[i].first >= at + count || at >= used->at[i].end)
                continue;
            at = used->at[i].end;
            moved = true;
        }
    }
    return at;
}

static void place_sum(Sums *x, const NvStep *s, int from, Used *used)
{
    NvDot *d = dot_of(s);

    d->columns = columns_of(d);
    int all = d->columns * nv_group_count(x->plan);
    d->column = free_place(used, from, all);
    vec_push(x->plan->arena, used,
             ((Columns){.sum = s->out[0], .first = d->column, .end = d->column + all}));
    x->most = MAX(x->most, d->column + all);
    x->products++;
}

static void forget(Used *used, const NvTile *sum)
{
    for (int i = used->len; i-- > 0;) {
        if (used->at[i].sum == sum)
            used->at[i] = used->at[--used->len];
    }
}

static void place_block(Sums *x, const NvBlock *b, int from);

/* With the sums that go through all of its rounds. */
static void place_loop(Sums *x, const NvStep *s, int from)
{
    Used used = {0};

    for (int i = 0; s->ahead && i < s->ahead->flying.len; i++) {
        if (dot_of(s->ahead->flying.at[i]))
            place_sum(x, s->ahead->flying.at[i], from, &used);
    }
    for (int i = 0; i < used.len; i++)
        from = MAX(from, used.at[i].end);
    for (int r = 0; r < COUNT(s->body); r++) {
        if (s->body[r])
            place_block(x, s->body[r], from);
    }
}

/* Nothing of a block is on its way where a step with a block of its own begins. */
static void place_block(Sums *x, const NvBlock *b, int from)
{
    Used used = {0};

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const NvDot *d = dot_of(s);

        if (d && d->in_flight == 0 && s->out[0])
            place_sum(x, s, from, &used);
        for (int k = 0; s->kind == NV_LAND && k < s->nin; k++)
            forget(&used, s->in[k]);
        place_loop(x, s, from);
    }
}

static int power_from(int least, int count)
{
    while (least < count)
        least *= 2;
    return least;
}

/* A warp that is late waits for a product when others have come by as many more as fit the ring: so
 * many have mbarriers of their own, or it would miss a phase. */
static int most_at_once(const Sums *x)
{
    int rounds = x->plan->ring ? x->plan->ring->stages : 1;

    return x->products * rounds + 1;
}

void nv_place_sums(NvPlan *p)
{
    Sums x = {.plan = p};

    if (!chip_has(p->chip, CHIP_TENSOR_MEMORY) || !p->has_groups)
        return;
    place_block(&x, p->body, 0);
    if (x.products == 0)
        return;
    p->sum_columns = power_from(NV_SUM_LEAST, x.most);
    p->sums_at_once = power_from(2, most_at_once(&x));
    p->sums = nv_buffer(p, NV_SUM_BARRIERS +
                               (int64_t)nv_group_count(p) * p->sums_at_once * NV_SUM_BARRIER);
    p->buffers.at[p->sums].always = true;
}

/* --- checks --- */

static bool meet(const NvPlan *p, const NvDot *a, const NvDot *b)
{
    int groups = nv_group_count(p);

    return a->column < b->column + b->columns * groups &&
           b->column < a->column + a->columns * groups;
}

static bool lands_between(const NvBlock *b, int from, int to, const NvTile *sum)
{
    for (int i = from; i < to; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; s->kind == NV_LAND && k < s->nin; k++) {
            if (s->in[k] == sum)
                return true;
        }
    }
    return false;
}

const char *nv_sums_wrong(const NvPlan *p, const NvBlock *b, const NvStep *s)
{
    const NvDot *d = dot_of(s);
    int at = 0;

    if (!d || !s->out[0])
        return NULL;
    if (d->column < 0 || d->columns <= 0 ||
        d->column + d->columns * nv_group_count(p) > p->sum_columns)
        return "its sum lies outside of the program's tensor memory";
    if (d->operand[MMA_A].way != OPERAND_MEMORY)
        return "its rows are in registers";
    while (b->steps.at[at] != s)
        at++;
    for (int i = 0; i < at; i++) {
        const NvStep *before = b->steps.at[i];
        const NvDot *other = dot_of(before);
        bool gone = other && other->in_flight == 0 && lands_between(b, i, at, before->out[0]);
        if (other && before->out[0] && !gone && meet(p, d, other))
            return "its sum lies where another one does that has not landed";
    }
    return NULL;
}
