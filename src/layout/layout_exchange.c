/*
 * layout_exchange.c - conversions through shared memory
 *
 * One layout writes the tile, the other one reads it, each in the longest vectors that pay. Vectors
 * run along bits of the coordinate that registers alone move: those of both layouts first, then
 * more of one of them.  Each such pair of widths has its best layout in memory (layout_shared.c),
 * and the pair that takes the fewest cycles is taken.
 *
 * A tile that needs too much memory goes in pieces.  Bits of the coordinate that no lane and no
 * warp moves, in either layout, say which piece an element is of: so every piece has a part of the
 * registers of every thread.
 */
#include "layout_internal.h"

/* One try. */
typedef struct {
    const Layout *from, *to;
    int bytes;
    uint32_t pieces; /* bits of the coordinate */
    SharedAccess write, read;
    SharedLayout memory;
    int write_wavefronts, read_wavefronts;
} Try;

static uint32_t all_bits(const Layout *l)
{
    return (1u << layout_total_bits(l)) - 1;
}

/* Bits of the coordinate that threads move. */
static uint32_t moved_by_threads(const Layout *l)
{
    uint32_t moved = 0;

    for (int i = 0; i < l->nlane; i++)
        moved |= l->lane[i];
    for (int i = 0; i < l->nwarp; i++)
        moved |= l->warp[i];
    return moved;
}

/* Those that a register alone moves, so that vectors may run along them. */
static uint32_t vector_bits(const Layout *l)
{
    uint32_t bits = 0;

    for (int i = 0; i < layout_total_bits(l); i++) {
        if (layout_register_of(l, 1u << i) >= 0)
            bits |= 1u << i;
    }
    return bits;
}

/* The highest bits that may, as many as needed; perhaps fewer. */
static uint32_t choose_pieces(const Layout *from, const Layout *to, int bytes, int64_t limit)
{
    uint32_t fixed = moved_by_threads(from) | moved_by_threads(to), pieces = 0;
    int64_t size = (int64_t)bytes << layout_total_bits(from);

    for (int i = layout_total_bits(from) - 1; i >= 0 && size > limit; i--) {
        if (fixed >> i & 1)
            continue;
        pieces |= 1u << i;
        size /= 2;
    }
    return pieces;
}

/* Add the lowest `n` of these bits to the list. */
static int add_lowest(uint32_t *list, int len, uint32_t bits, int n)
{
    for (; n > 0 && bits; bits &= bits - 1, n--)
        list[len++] = bits & -bits;
    return len;
}

/* Vectors of `common` bits for both, and of `more` bits in addition for who writes or reads. */
static void try_vectors(Try *t, uint32_t writes, uint32_t reads, int common, int more, bool write)
{
    uint32_t list[MAX_VECTOR_BITS];
    int n = add_lowest(list, 0, writes & reads, common);
    int longer = add_lowest(list, n, (write ? writes : reads) & ~(writes & reads), more);
    SharedAccess both[2];

    shared_access(t->from, write ? longer : n, list, &t->write);
    shared_access(t->to, write ? n : longer, list, &t->read);
    both[0] = t->write;
    both[1] = t->read;
    shared_choose_bits(all_bits(t->from) & ~t->pieces, t->bytes, both, 2, &t->memory);
    t->write_wavefronts = shared_wavefronts(&t->memory, &t->write);
    t->read_wavefronts = shared_wavefronts(&t->memory, &t->read);
}

/* Of all registers: an instruction and its wavefronts for each vector. */
static int cost_of(const Try *t)
{
    int writes = layout_registers(t->from) >> t->write.nvector;
    int reads = layout_registers(t->to) >> t->read.nvector;

    return writes * (1 + t->write_wavefronts) + reads * (1 + t->read_wavefronts);
}

static Try best_try(const Layout *from, const Layout *to, int bytes, int64_t limit)
{
    Try best, t = {.from = from, .to = to, .bytes = bytes};
    int most = layout_bits_of(16 / bytes);

    t.pieces = choose_pieces(from, to, bytes, limit);
    uint32_t writes = vector_bits(from) & ~t.pieces, reads = vector_bits(to) & ~t.pieces;
    int common = MIN(most, __builtin_popcount(writes & reads));
    try_vectors(&t, writes, reads, common, 0, false);
    best = t;
    for (int more = 1; more <= most - common; more++) {
        for (int write = 0; write <= 1; write++) {
            try_vectors(&t, writes, reads, common, more, write);
            if (cost_of(&t) < cost_of(&best))
                best = t;
        }
    }
    return best;
}

/* The registers of a vector: bits of the register's number in the order of the elements. */
typedef struct {
    const Layout *l;
    const SharedAccess *access;
    int bit[MAX_VECTOR_BITS];
    uint32_t within; /* these bits as a mask */
} VectorRegs;

static VectorRegs vector_regs(const Layout *l, const SharedAccess *access)
{
    VectorRegs v = {.l = l, .access = access};

    for (int i = 0; i < access->nvector; i++) {
        v.bit[i] = layout_register_of(l, access->vector[i]);
        v.within |= 1u << v.bit[i];
    }
    return v;
}

static uint32_t element_register(const VectorRegs *v, uint32_t first, int i)
{
    for (int k = 0; k < v->access->nvector; k++)
        first |= (uint32_t)(i >> k & 1) << v->bit[k];
    return first;
}

static bool vector_is_live(const VectorRegs *v, uint32_t first)
{
    for (int i = 0; i < 1 << v->access->nvector; i++) {
        if (layout_register_live(v->l, element_register(v, first, i)))
            return true;
    }
    return false;
}

/*
 * Some thread may read a vector because of what exists for another thread.  What it reads must be
 * written all the same, even by registers that hold nothing in any thread.  Coordinates that differ
 * by what threads of either layout move are held by the same registers, so one of each such class
 * stands for all.
 */
typedef struct {
    VectorSpace threads;
    uint32_t classes; /* bits that tell classes apart */
    bool *read;       /* of classes */
} Needed;

static void add_threads(VectorSpace *s, const Layout *l)
{
    for (int i = 0; i < l->nlane; i++)
        space_add(s, l->lane[i], 0, NULL);
    for (int i = 0; i < l->nwarp; i++)
        space_add(s, l->warp[i], 0, NULL);
}

static bool *class_of(const Needed *n, const Layout *l, uint32_t r)
{
    uint32_t c = space_reduce(&n->threads, layout_at(l, (Holder){r, 0, 0}), NULL);

    return &n->read[layout_extract(c, n->classes)];
}

static Needed what_is_needed(const Try *t, Arena *a)
{
    Needed n = {.classes = all_bits(t->from)};
    VectorRegs v = vector_regs(t->to, &t->read);

    add_threads(&n.threads, t->from);
    add_threads(&n.threads, t->to);
    for (int p = 0; p < 32; p++)
        n.classes &= ~(n.threads.vec[p] ? 1u << p : 0);
    n.read = NEW_N(a, bool, 1u << __builtin_popcount(n.classes));
    for (uint32_t r = 0; r < (uint32_t)layout_registers(t->to); r++) {
        if (vector_is_live(&v, r & ~v.within))
            *class_of(&n, t->to, r) = true;
    }
    return n;
}

static bool is_written(const VectorRegs *v, const Needed *n, uint32_t first)
{
    for (int i = 0; i < 1 << v->access->nvector; i++) {
        if (*class_of(n, v->l, element_register(v, first, i)))
            return true;
    }
    return false;
}

static SharedVector make_vector(const VectorRegs *v, const SharedLayout *memory, uint32_t first,
                                Arena *a)
{
    int n = 1 << v->access->nvector;
    int32_t *regs = NEW_N(a, int32_t, n);

    for (int i = 0; i < n; i++) {
        uint32_t r = element_register(v, first, i);
        regs[i] = layout_register_live(v->l, r) ? (int32_t)r : -1;
    }
    return (SharedVector){shared_offset(memory, layout_at(v->l, (Holder){first, 0, 0})), regs};
}

/* The vectors of one piece; `needed` is NULL for those that read. */
static const SharedVector *vectors_of(const Try *t, const VectorRegs *v, const Needed *needed,
                                      uint32_t piece, int *n, Arena *a)
{
    int most = layout_registers(v->l) >> v->access->nvector;
    SharedVector *list = NEW_N(a, SharedVector, most);

    *n = 0;
    for (uint32_t r = 0; r < (uint32_t)layout_registers(v->l); r++) {
        uint32_t c = layout_at(v->l, (Holder){r, 0, 0});
        if ((r & v->within) != 0 || layout_extract(c, t->pieces) != piece)
            continue;
        if (needed ? is_written(v, needed, r) : vector_is_live(v, r))
            list[(*n)++] = make_vector(v, &t->memory, r, a);
    }
    return list;
}

static SharedSide make_side(const Try *t, const Layout *l, const SharedAccess *access,
                            int wavefronts)
{
    SharedSide s = {.nlane = l->nlane, .nvector = access->nvector, .wavefronts = wavefronts};

    for (int i = 0; i < l->nlane; i++)
        s.thread[i] = shared_offset(&t->memory, l->lane[i]);
    for (int i = 0; i < l->nwarp; i++)
        s.thread[l->nlane + i] = shared_offset(&t->memory, l->warp[i]);
    return s;
}

/* Does each warp read only what it has written itself? */
static bool stays_in_warps(const Inverse *writers, const Layout *to)
{
    for (int i = 0; i < to->nreg; i++) {
        if (layout_holder(writers, to->reg[i]).warp != 0)
            return false;
    }
    for (int i = 0; i < to->nlane; i++) {
        if (layout_holder(writers, to->lane[i]).warp != 0)
            return false;
    }
    for (int i = 0; i < to->nwarp; i++) {
        if (layout_holder(writers, to->warp[i]).warp != 1u << i)
            return false;
    }
    return true;
}

const Exchange *exchange_between(const Layout *from, const Layout *to, int bytes, int64_t limit,
                                 Arena *a)
{
    Try t = best_try(from, to, bytes, limit);
    Exchange *e = NEW(a, Exchange);
    Needed needed = what_is_needed(&t, a);
    VectorRegs writes = vector_regs(from, &t.write), reads = vector_regs(to, &t.read);
    Inverse writers;

    layout_invert(from, &writers);
    e->memory = t.memory;
    e->within_warp = stays_in_warps(&writers, to);
    e->copies = writers.copies;
    e->write = make_side(&t, from, &t.write, t.write_wavefronts);
    e->read = make_side(&t, to, &t.read, t.read_wavefronts);
    SharedPiece *pieces = NEW_N(a, SharedPiece, 1u << __builtin_popcount(t.pieces));
    for (uint32_t i = 0; i < 1u << __builtin_popcount(t.pieces); i++) {
        SharedPiece *p = &pieces[e->npieces];
        p->writes = vectors_of(&t, &writes, &needed, i, &p->nwrites, a);
        p->reads = vectors_of(&t, &reads, NULL, i, &p->nreads, a);
        e->npieces += p->nreads > 0;
    }
    e->pieces = pieces;
    return e;
}

/* Instructions, wavefronts, and waiting. */
int exchange_cost(const Exchange *e)
{
    enum { WAIT = 32 };
    int cost = 0;

    for (int i = 0; i < e->npieces; i++) {
        cost += e->pieces[i].nwrites * (1 + e->write.wavefronts) + WAIT;
        cost += e->pieces[i].nreads * (1 + e->read.wavefronts) + WAIT;
    }
    return cost;
}
