/*
 * nv_store.c - the layout in which a tile is stored
 *
 * Where its elements are when they are stored as they lie, and where not: in a few candidates of
 * which the cheapest is taken.
 *  - the home of the data: nothing moves;
 *  - the same with longer vectors: lanes' bits that go on where a thread's run of neighbours ends
 *    change places with registers' bits, which shuffles within the warp can do.  What mma.sync
 *    leaves in a thread are two neighbours in a row of eight;
 *  - of these the better one, with vectors that go on in the next lane, by shuffles as well;
 *  - the coalesced layout, through shared memory most often; of what goes by elements in each of
 *    them one with neighbours in lanes beside each other.
 * Some stores later turn out not to be done by threads at all (gpu_schedule/nv_send.c).
 *
 * Costs are cycles in which the processor's load and store unit, or its arithmetic for what is
 * done beside it, is busy with the whole tile: a store instruction of a warp takes one for each
 * line of 128 bytes and for each two sectors of 32 bytes that it touches (an L2 takes 64 bytes a
 * cycle from a processor; nv_offset.c tells where elements lie), a shuffle one, four selects one,
 * shared memory one for each wavefront.
 */
#include "nv_plan.h"

/* --- a layout with longer vectors --- */

static int find_basis(const uint32_t *basis, int n, uint32_t unit)
{
    for (int i = 0; i < n; i++) {
        if (basis[i] == unit)
            return i;
    }
    return -1;
}

/* The register's bit that moves nothing but the index along `dim`, by the least at or above
 * `from`; -1: there is none. */
static int next_register_bit(const Layout *l, int dim, int from)
{
    int shift = layout_shift(l, dim);

    for (int bit = from; bit < l->bits[dim]; bit++) {
        int at = find_basis(l->reg, l->nreg, 1u << (shift + bit));
        if (at >= 0)
            return at;
    }
    return -1;
}

/* Runs of 1 << nvector neighbours along `dim` in each thread.  False: other warps have them, or
 * there are no registers to give for them. */
static bool lengthen_runs(Layout *l, int dim, int nvector)
{
    int shift = layout_shift(l, dim);

    for (int bit = 0; bit < nvector; bit++) {
        uint32_t unit = 1u << (shift + bit);
        if (find_basis(l->reg, l->nreg, unit) >= 0)
            continue;
        int lane = find_basis(l->lane, l->nlane, unit);
        int reg = next_register_bit(l, dim, nvector);
        if (lane < 0 || reg < 0)
            return false;
        l->lane[lane] = l->reg[reg];
        l->reg[reg] = unit;
    }
    return true;
}

/* The same runs in each thread, one behind the other in lanes beside each other, of what the warp
 * has: threads whose rows are two vectors long would write each sector of memory twice.  False:
 * the warp has something else, or it is so already. */
static bool line_up_lanes(Layout *l, int dim, int nvector)
{
    const Layout was = *l;
    int shift = layout_shift(l, dim), unit = nvector;

    for (int lane = 0; lane < l->nlane && unit < l->bits[dim]; lane++, unit++) {
        uint32_t wanted = 1u << (shift + unit);
        int reg = find_basis(l->reg, l->nreg, wanted),
            other = find_basis(l->lane, l->nlane, wanted);
        if (other < 0 && reg < 0)
            return false;
        uint32_t *from = other >= 0 ? &l->lane[other] : &l->reg[reg];
        *from = l->lane[lane];
        l->lane[lane] = wanted;
    }
    layout_drop_copies(l);
    return !layout_equal(l, &was);
}

/* --- costs --- */

enum { LINE = 128, SECTOR = 32, SECTORS_A_CYCLE = 2, SELECTS_A_CYCLE = 4 };
/* of writing to shared memory and reading behind a barrier what others wrote */
enum { SHARED_LATENCY = 100 };

/* How many different numbers there are among n, which are put in order. */
static int count_different(uint64_t *x, int n)
{
    int different = 0;

    for (int i = 0; i < n; i++) {
        bool again = false;
        for (int k = 0; k < different && !again; k++)
            again = x[k] == x[i];
        if (!again)
            x[different++] = x[i];
    }
    return different;
}

static int cost_of_lines(int lines, int sectors)
{
    return MAX(lines, (sectors + 1) / SECTORS_A_CYCLE);
}

/* Of one instruction of a warp by elements, by where these lie; 0: nobody knows. */
static int cost_of_elements(const Value *pointer, const NvAccess *a, const Layout *l, int size)
{
    uint64_t line[1 << LAYOUT_MAX_LANE_BITS], sector[1 << LAYOUT_MAX_LANE_BITS];
    int n = 0;

    for (uint32_t lane = 0; lane < 1u << l->nlane; lane++) {
        int64_t elements;
        if (lane & a->copies)
            continue;
        if (!nv_offset_of(pointer, l, layout_at(l, (Holder){0, lane, 0}), &elements))
            return 0;
        uint64_t byte = (uint64_t)elements * (uint64_t)size;
        line[n] = byte / LINE;
        sector[n++] = byte / SECTOR;
    }
    return cost_of_lines(count_different(line, n), count_different(sector, n));
}

/* Of one instruction of a warp, were all that it writes in rows along `dim` that begin lines. */
static int cost_of_store(const NvAccess *a, const Layout *l, int dim, int size)
{
    int shift = layout_shift(l, dim), nlanes = 0, vector = size << a->vector_bits;
    uint32_t along = ((1u << l->bits[dim]) - 1) << shift;
    uint64_t line[1 << LAYOUT_MAX_LANE_BITS], sector[1 << LAYOUT_MAX_LANE_BITS];

    for (uint32_t lane = 0; lane < 1u << l->nlane; lane++) {
        if (lane & a->copies)
            continue;
        uint32_t at = layout_at(l, (Holder){0, lane, 0});
        uint64_t row = (uint64_t)(at & ~along) << 32;
        uint64_t byte = (uint64_t)((at & along) >> shift) * (uint64_t)size;
        line[nlanes] = row | byte / LINE;
        sector[nlanes++] = row | byte / SECTOR;
    }
    int sectors = count_different(sector, nlanes) * MAX(vector / SECTOR, 1);
    return cost_of_lines(count_different(line, nlanes), sectors);
}

static int64_t cost_of_selects(const uint32_t with[LAYOUT_THREAD_BITS], int words)
{
    int64_t selects = 0;

    for (int bit = 0; bit < LAYOUT_THREAD_BITS; bit++)
        selects += with[bit] != 0 ? words : 0;
    return selects / SELECTS_A_CYCLE;
}

/* Of a warp. */
static int64_t cost_of_shuffles(const Shuffles *s)
{
    int64_t cost = cost_of_selects(s->before, s->nfrom) + cost_of_selects(s->after, s->nto);

    for (int i = 0; i < s->nrounds; i++)
        cost += !s->rounds[i].own;
    return cost;
}

/* Of all warps. */
static int64_t cost_of_exchange(const Exchange *x, int warps)
{
    int64_t cost = 0;

    for (int i = 0; i < x->npieces; i++) {
        const SharedPiece *piece = &x->pieces[i];
        cost += SHARED_LATENCY + (int64_t)warps * (piece->nwrites * x->write.wavefronts +
                                                   piece->nreads * x->read.wavefronts);
    }
    return cost;
}

int64_t nv_cost_of_conversion(NvPlan *p, const Value *v, const Layout *to)
{
    const Layout *home = nv_home(p, v);

    if (!home || layout_equal(home, to))
        return 0;
    const Conversion *c =
        layout_convert(home, to, nv_exchanged_bytes(p, v->type), p->chip->shared / 2, p->arena);
    switch (c->kind) {
    case CONVERT_NOTHING:
    case CONVERT_REGISTERS:
        return 0;
    case CONVERT_SHUFFLE:
        return p->warps * cost_of_shuffles(c->shuffles);
    case CONVERT_SHARED:
        return cost_of_exchange(c->exchange, p->warps);
    }
    bug("conversion %d", (int)c->kind);
}

int64_t nv_cost_of_store(NvPlan *p, const Op *op, const Layout *l)
{
    const NvAccess *a = nv_access(p, op, l, true);
    int dim, size = type_size(&(Type){.dtype = op->operands[0]->type->dtype});
    int64_t cost = 0;

    nv_most_vector_bits(p, op, &dim);
    for (int i = 0; i < op->noperands; i++) {
        if (nv_is_tile(op->operands[i]))
            cost += nv_cost_of_conversion(p, op->operands[i], l);
    }
    int64_t instructions = (int64_t)p->warps * layout_registers(l) >> a->vector_bits;
    int each = a->vector_bits == 0 ? cost_of_elements(op->operands[0], a, l, size) : 0;
    return cost + instructions * (each > 0 ? each : cost_of_store(a, l, dim, size));
}

int64_t nv_cost_of_put(const NvPlan *p, const Layout *l, const SharedLayout *memory)
{
    int8_t regs[MAX_VECTOR_BITS];
    uint32_t vector[MAX_VECTOR_BITS];
    int n = nv_shared_vector(l, memory, regs);
    SharedAccess access;

    for (int i = 0; i < n; i++)
        vector[i] = l->reg[regs[i]];
    if (!shared_access(l, n, vector, &access))
        return INT64_MAX;
    return SHARED_LATENCY +
           (int64_t)p->warps * (layout_registers(l) >> n) * shared_wavefronts(memory, &access);
}

/* --- the choice --- */

/* Of what goes by elements in any layout: where lanes beside each other have neighbours, if these
 * lie nearer to each other than what lanes have at home. */
static const Layout *choose_by_elements(NvPlan *p, const Op *op, const Layout *home)
{
    const Layout *beside = nv_by_elements(p, op->operands[0]);

    return beside && nv_cost_of_store(p, op, beside) < nv_cost_of_store(p, op, home) ? beside
                                                                                     : home;
}

/* Take it in place of the best so far, whose cost is *least, if it costs less. */
static void try_layout(NvPlan *p, const Op *op, const Layout *l, const Layout **best,
                       int64_t *least)
{
    int64_t cost = nv_cost_of_store(p, op, l);

    if (cost < *least) {
        *best = nv_layout(p, l);
        *least = cost;
    }
}

static const Layout *choose_layout(NvPlan *p, const Op *op, const Value *data)
{
    const Layout *home = nv_home(p, data), *coalesced = nv_coalesced(p, op);
    Layout other;
    int dim, nvector = nv_most_vector_bits(p, op, &dim);

    if (home && coalesced && layout_equal(home, coalesced) && nvector == 0)
        return choose_by_elements(p, op, home);
    if (!home || !coalesced || layout_equal(home, coalesced))
        return coalesced;
    const Layout *best = home;
    int64_t least = nv_cost_of_store(p, op, home);
    other = *home;
    if (lengthen_runs(&other, dim, nvector) && !layout_equal(&other, home))
        try_layout(p, op, &other, &best, &least);
    other = *best;
    if (nvector > 0 && find_basis(other.reg, other.nreg, 1u << layout_shift(&other, dim)) >= 0 &&
        line_up_lanes(&other, dim, nvector))
        try_layout(p, op, &other, &best, &least);
    try_layout(p, op, coalesced, &best, &least);
    return best;
}

void nv_list_store(NvPlan *p, const Op *op)
{
    if (nv_is_stored_later(p, op))
        return;
    NvStep *s = nv_step(p, NV_STORE, op);
    const Value *data = op->operands[STORE_DATA];
    const Layout *l = nv_is_tile(data) ? choose_layout(p, op, data) : NULL;

    s->access = nv_access(p, op, l, true);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, l);
    nv_want_fields(p, s, l);
    nv_list(p, s);
}
