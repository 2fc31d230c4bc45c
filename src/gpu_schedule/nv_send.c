/*
 * nv_send.c - results that tensor copies bring to memory
 *
 * A product leaves its sum where its instructions have it, and memory wants rows: elements go to
 * other lanes, by shuffles or through shared memory, and then to memory by long vectors.  Where a
 * tensor map says what the store's addresses and mask say (nv_tensor.c), they need not.  Each warp
 * lays down what it has in shared memory, as copies want it, and one of its lanes asks for them
 * (NV_SEND): nobody reads it again or computes addresses, no warp waits for another one, and all go
 * on, in a persistent program with the next tile.
 *
 * They wait for the copies as late as can be (NV_SENT).  In a loop that is before the next tile is
 * laid down, and until memory has the last one, since the next may go to the same place; at the
 * program's end it is until shared memory has been read.
 *
 * It must cost nothing.  So that is done where it takes fewer cycles than the store would, no fewer
 * programs fit a multiprocessor, and the launch makes maps anyhow.  It pays where nothing else runs
 * in that time: in a loop, where the next round then begins, or where a program is alone on its
 * multiprocessor, and there for elements of 2 bytes, since sums of fp32 are in whole sectors as
 * they are made.  And nobody else may reach that
 * array, here or by what programs tell each other, since it is not known when it is written.
 */
#include "nv_ring.h"

#include <string.h>

typedef struct {
    NvPlan *plan;
    int tiles;             /* that there were before; those behind are of sends */
    const NvStep **makers; /* by tile: which step makes it */
    bool *there;           /* by tile: it is made, or an argument of a block */
    int *users;            /* by tile */
    Map *gone;             /* steps that nobody needs any more */
    NvStep *end;           /* which waits for all, at the program's end; NULL: there is none yet */
} Results;

/* A store that may become a send. */
typedef struct {
    const NvStep *store, *convert; /* .. and what brings its data into order; NULL: nothing does */
    const NvTile *home;            /* the data as it is made, */
    Layout from;                   /* .. and as it is laid down */
    bool loops;                    /* it is done more than once */
    NvSend *send;
    VEC(const NvTile *) scalars;
} Candidate;

/* --- what is made and read --- */

static void mark_there(Results *x, const NvTile *const *tiles, int count, const NvStep *maker)
{
    for (int i = 0; i < count; i++) {
        if (!tiles[i])
            continue;
        x->there[tiles[i]->id] = true;
        x->makers[tiles[i]->id] = maker;
    }
}

static void find_makers(Results *x, const NvBlock *b)
{
    mark_there(x, b->args, b->nargs, NULL);
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        mark_there(x, s->out, s->nout, s);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                find_makers(x, s->body[r]);
        }
    }
}

static void leave_out(Results *x, const NvStep *s);

/* One reader fewer. */
static void release(Results *x, const NvTile *t)
{
    const NvStep *s = t ? x->makers[t->id] : NULL;

    if (!t || --x->users[t->id] > 0 || !s || s->nout != 1)
        return;
    if (s->kind == NV_COMPUTE || s->kind == NV_CONVERT)
        leave_out(x, s);
}

static void leave_out(Results *x, const NvStep *s)
{
    map_put(x->gone, MAP_KEY(s), (void *)s);
    for (int i = 0; i < s->nin; i++)
        release(x, s->in[i]);
}

static void drop_gone(const Results *x, NvBlock *b)
{
    int n = 0;

    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                drop_gone(x, s->body[r]);
        }
        if (!map_get(x->gone, MAP_KEY(s)))
            b->steps.at[n++] = s;
    }
    b->steps.len = n;
}

/* --- which stores --- */

typedef struct {
    const NvPlan *plan;
    const Op *store;
    uint64_t bases;
    bool shared;
} Others;

static void find_others(Op *op, void *others)
{
    Others *x = others;

    if (op != x->store && op_has(op, READS | WRITES) && op->noperands > 0)
        x->shared |= (ir_bases_of(x->plan->bases, op->operands[0]) & x->bases) != 0;
}

/* Does nobody but that store reach its array, as long as the program runs? */
static bool is_alone(const NvPlan *p, const Op *store)
{
    Others x = {p, store, ir_bases_of(p->bases, store->operands[STORE_PTR]), false};

    if (!p->options->disjoint || p->meets)
        return false;
    ir_walk(p->func->body, find_others, &x);
    return !x.shared;
}

/* --- what a warp has --- */

/* Elements of a box across rows, so that each warp's part is whole boxes; 0: it cannot be. */
static int32_t rows_of_box(const Layout *l, const SharedBoxes *boxes)
{
    enum { LEAST = 8 }; /* rows of which shared memory exchanges vectors */
    int across = 1 - boxes->along;
    int32_t rows = boxes->rows;

    for (int i = 0; i < l->nwarp; i++) {
        int32_t by = layout_index(l, l->warp[i], boxes->along);
        int32_t down = layout_index(l, l->warp[i], across);
        if ((by == 0) == (down == 0) || (by > 0 && by < boxes->row))
            return 0;
        if (down > 0)
            rows = MIN(rows, down);
    }
    return rows >= LEAST ? rows : 0;
}

static bool is_of_warp(const Layout *l, uint32_t unit)
{
    for (int i = 0; i < l->nwarp; i++) {
        if (l->warp[i] == unit)
            return true;
    }
    return false;
}

/* The first warp's boxes, of which each bit of a coordinate beyond one gives twice as many. */
static void find_boxes(NvPlan *p, const Layout *l, int row, int rows, NvSend *out)
{
    int first[2];

    first[out->along] = layout_bits_of(row);
    first[1 - out->along] = layout_bits_of(rows);
    out->nwarp = l->nwarp;
    for (int i = 0; i < l->nwarp; i++)
        out->warp[i] = l->warp[i];
    out->box =
        NEW_N(p->arena, uint32_t, (size_t)1 << (l->bits[0] + l->bits[1] - first[0] - first[1]));
    out->tensor.boxes = 1;
    for (int d = 0; d < 2; d++) {
        for (int bit = first[d]; bit < l->bits[d]; bit++) {
            uint32_t unit = 1u << (layout_shift(l, d) + bit);
            for (int i = 0; !is_of_warp(l, unit) && i < out->tensor.boxes; i++)
                out->box[out->tensor.boxes + i] = out->box[i] | unit;
            out->tensor.boxes *= is_of_warp(l, unit) ? 1 : 2;
        }
    }
}

/* From which layout it is laid down for the least cost, which this gives: as it is made; or lanes
 * of every second row have two registers change places first, so that they write elsewhere than the
 * others.  Pairs of fp32 in eight rows would meet conflicts. */
static int64_t choose_layout(NvPlan *p, Candidate *c, const SharedLayout *memory)
{
    const Layout *home = c->home->layout;
    int64_t least = nv_cost_of_put(p, home, memory);

    c->from = *home;
    for (int lane = 0; lane < home->nlane; lane++) {
        for (int reg = 0; reg < home->nreg; reg++) {
            Layout l = *home;
            l.lane[lane] ^= l.reg[reg];
            int64_t cost = nv_cost_of_put(p, &l, memory);
            if (cost < least)
                cost += nv_cost_of_conversion(p, c->home->value, &l);
            if (cost >= least)
                continue;
            least = cost;
            c->from = l;
        }
    }
    return least;
}

/* Where the tile lies in shared memory, in rows as the array has them; false: it had better not. */
static bool find_memory(NvPlan *p, Candidate *c, int *along, SharedLayout *out)
{
    enum { LEAST_ROW = 64, LINE = 128 }; /* bytes */
    const Op *op = c->store->op;
    const Layout *l = c->home->layout;
    int bytes = type_size(c->home->value->type);
    WgmmaOperand unused;

    if (l->rank != 2 || (bytes != 2 && bytes != 4))
        return false;
    nv_most_vector_bits(p, op, along);
    if (bytes << l->bits[*along] < LEAST_ROW ||
        !shared_wgmma(l, &(WgmmaTile){bytes, *along, *along}, out, &unused))
        return false;
    int64_t put = choose_layout(p, c, out), read = shared_bytes(out) / LINE;
    return put < INT64_MAX &&
           put + read <= nv_cost_of_store(p, op, c->store->in[STORE_DATA]->layout);
}

static NvTile *new_tile(NvPlan *p, const Value *v, const SharedLayout *memory)
{
    NvTile *t = NEW(p->arena, NvTile);

    *t = (NvTile){.id = p->tiles.len, .value = v, .memory = *memory};
    t->buffer = nv_buffer(p, shared_bytes(memory));
    p->buffers.at[t->buffer].align = WGMMA_ALIGN;
    vec_push(p->arena, &p->tiles, t);
    return t;
}

/* --- which coordinates --- */

/* The scalar of a coordinate; NULL: the program does not have it. */
static const NvTile *scalar_of(const Results *x, const Value *v)
{
    const NvValue *facts = nv_value(x->plan, v);

    for (int i = 0; i < facts->tiles.len; i++) {
        const NvTile *t = facts->tiles.at[i];
        if (!t->layout && t->id < x->tiles && x->there[t->id])
            return t;
    }
    return NULL;
}

static bool find_scalars(const Results *x, const NvTensor *t, Candidate *c)
{
    for (int d = 0; d < t->rank; d++) {
        for (int i = 0; i < t->at[d].count; i++) {
            const PolyTerm *term = &t->at[d].terms[i];
            for (int k = 0; k < term->count; k++) {
                const NvTile *scalar = scalar_of(x, term->of[k].value);
                if (!scalar)
                    return false;
                vec_push(x->plan->arena, &c->scalars, scalar);
            }
        }
    }
    return true;
}

static bool find_send(const Results *x, Candidate *c, int along, const SharedLayout *memory)
{
    NvPlan *p = x->plan;
    const Layout *l = &c->from;
    SharedBoxes boxes;
    GenMap map;
    uint64_t assumed = 0;

    if (!shared_boxes(memory, l->bits[0], l->bits[1], &boxes) || boxes.along != along)
        return false;
    int32_t rows = rows_of_box(l, &boxes);
    const NvTile *t = rows > 0 ? new_tile(p, c->home->value, memory) : NULL;
    c->send = NEW(p->arena, NvSend);
    if (!t || !nv_tensor_of(p, c->store->op, t, rows, &c->send->tensor, &map, &assumed) ||
        !find_scalars(x, &c->send->tensor, c))
        return false;
    c->send->tensor.map = nv_map_number(p, &map);
    if (c->send->tensor.map < 0 || (assumed & ~nv_map_parameters(p)) != 0)
        return false;
    c->send->along = along;
    c->send->put = nv_put_of(l, memory);
    c->send->put.fence = true;
    find_boxes(p, l, boxes.row, rows, c->send);
    return true;
}

/* Does a store write a tile that nobody else wants in that order? */
static bool is_candidate(const Results *x, const NvStep *s, Candidate *c)
{
    const NvTile *data = s->kind == NV_STORE && !s->detail ? s->in[STORE_DATA] : NULL;
    const NvStep *maker = data ? x->makers[data->id] : NULL;

    if (!data || !data->layout || data->value->type->pointer)
        return false;
    c->store = s;
    c->convert = maker && maker->kind == NV_CONVERT ? maker : NULL;
    c->home = c->convert ? c->convert->in[0] : data;
    return (!c->convert || x->users[data->id] == 1) && attr_cache(s->op) == CACHE_NONE &&
           attr_evict(s->op) == EVICT_NORMAL && is_alone(x->plan, s->op);
}

/* --- the steps --- */

static NvStep *send_step(NvPlan *p, const Candidate *c, const NvTile *from)
{
    NvStep *s = nv_step(p, NV_SEND, NULL);

    s->op = c->store->op;
    s->within = nv_wait_lanes(p);
    s->detail = c->send;
    s->nin = 1 + c->scalars.len;
    s->in = NEW_N(p->arena, const NvTile *, s->nin);
    s->in[0] = from;
    for (int i = 0; i < c->scalars.len; i++)
        s->in[1 + i] = c->scalars.at[i];
    nv_use(p, s, c->send->tensor.tile->buffer, true, false);
    return s;
}

static NvStep *wait_step(NvPlan *p, const Candidate *c, bool read)
{
    NvStep *s = nv_step(p, NV_SENT, NULL);

    s->op = c->store->op;
    s->within = (NvWait){.kind = NV_WAIT_SENT, .who = s->who, .read = read};
    return s;
}

/* In place of that step of the block, behind a wait for the last round's where there is one; gives
 * how many steps there are. */
static int replace_store(NvPlan *p, NvBlock *b, int at, const Candidate *c)
{
    NvStep *sent = c->loops ? wait_step(p, c, false) : NULL;
    const NvTile *from = nv_tile(p, c->home->value, &c->from);
    NvBlock out = {0};

    for (int i = 0; i < b->steps.len; i++) {
        if (i == at && from != c->home)
            vec_push(p->arena, &out.steps, nv_convert_step(p, c->home, from));
        if (i == at && sent)
            vec_push(p->arena, &out.steps, sent);
        vec_push(p->arena, &out.steps, i == at ? send_step(p, c, from) : b->steps.at[i]);
    }
    if (sent)
        nv_use(p, sent, c->send->tensor.tile->buffer, false, false);
    b->steps.at = out.steps.at;
    b->steps.len = out.steps.len;
    b->steps.cap = out.steps.cap;
    return 1 + (sent != NULL) + (from != c->home);
}

/* The wait at the program's end, for this one, too. */
static void need_end(Results *x, const Candidate *c)
{
    NvPlan *p = x->plan;

    if (!x->end) {
        x->end = wait_step(p, c, true);
        vec_push(p->arena, &p->body->steps, x->end);
    }
    nv_use(p, x->end, c->send->tensor.tile->buffer, false, false);
}

/* Puts the steps there, with a place of their own or one that something else had before, and gives
 * how many there are; 0: fewer programs would fit then, and nothing has changed. */
static int send(Results *x, NvBlock *b, int at, const Candidate *c)
{
    enum { HALF = 2 }; /* bytes */
    NvPlan *p = x->plan;
    bool exchanges = c->convert && c->convert->uses.len > 0;
    NvBuffer unused = {0}, *own = &p->buffers.at[c->send->tensor.tile->buffer];
    NvBuffer *old = exchanges ? &p->buffers.at[c->convert->uses.at[0].buffer] : &unused;
    int64_t own_bytes = own->bytes, old_bytes = old->bytes;

    own->bytes = 0;
    int64_t wanted =
        MIN(nv_programs_by_shared(p, nv_place_buffers(p)), nv_programs_by_registers(p));
    if (!c->loops && (wanted > 1 || type_size(c->home->value->type) > HALF)) {
        own->bytes = own_bytes;
        return 0;
    }
    need_end(x, c);
    NvBlock was = *b;
    int steps = replace_store(p, b, at, c);
    own->bytes = own_bytes;
    old->bytes = 0;
    for (int shares = 0; shares < 2; shares++) {
        own->always = !shares; /* then no warp waits for others that still read what was there */
        int64_t bytes = nv_place_buffers(p);
        if (bytes <= p->chip->shared && nv_programs_by_shared(p, bytes) >= wanted)
            return steps;
    }
    *b = was;
    old->bytes = old_bytes;
    x->end->uses.len--;
    return 0;
}

/* Where it is a store: a send in its place, if that can be.  How many steps there are then. */
static int try_step(Results *x, NvBlock *b, int at, bool loops)
{
    NvPlan *p = x->plan;
    Candidate c = {.loops = loops};
    GenRecipe recipe = p->recipe;
    int buffers = p->buffers.len, along;
    SharedLayout memory;

    if (!is_candidate(x, b->steps.at[at], &c) || !find_memory(p, &c, &along, &memory))
        return 1;
    int steps = find_send(x, &c, along, &memory) ? send(x, b, at, &c) : 0;
    if (steps == 0) {
        p->recipe = recipe;
        for (int i = buffers; i < p->buffers.len; i++)
            p->buffers.at[i].bytes = 0;
        return 1;
    }
    x->users[c.home->id]++;
    for (int i = 0; i < c.scalars.len; i++)
        x->users[c.scalars.at[i]->id]++;
    leave_out(x, c.store);
    return steps;
}

/* A round's other sends may go on while it waits for one of the round before. */
static void let_others_go_on(const NvBlock *b)
{
    int sends = 0;

    for (int i = 0; i < b->steps.len; i++)
        sends += b->steps.at[i]->kind == NV_SEND;
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        if (s->kind == NV_SENT && !s->within.read)
            s->within.in_flight = sends - 1;
    }
}

static void send_from(Results *x, NvBlock *b, bool loops)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        bool inner = loops || s->kind == NV_FOR || s->kind == NV_WHILE;
        i += try_step(x, b, i, loops) - 1;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                send_from(x, s->body[r], inner);
        }
    }
    let_others_go_on(b);
}

void nv_send_results(NvPlan *p)
{
    Results x = {.plan = p, .tiles = p->tiles.len, .gone = map_new(p->arena)};

    if (!p->ring || p->no_tensors || func_hidden(p->func, PARAM_RECORDS))
        return;
    x.makers = NEW_N(p->arena, const NvStep *, x.tiles + 1);
    x.there = NEW_N(p->arena, bool, x.tiles + 1);
    x.users = NEW_N(p->arena, int, x.tiles + 1);
    nv_count_users(p->body, x.users);
    find_makers(&x, p->body);
    send_from(&x, p->body, false);
    if (x.end && x.end->uses.len == 0)
        p->body->steps.len--;
    drop_gone(&x, p->body);
}

/* --- the check --- */

static bool uses_buffer(const NvStep *s, int buffer)
{
    for (int i = 0; i < s->uses.len; i++) {
        if (s->uses.at[i].buffer == buffer)
            return true;
    }
    return false;
}

static const char *wrong_boxes(const NvPlan *p, const NvStep *s, const NvSend *send)
{
    const NvTensor *t = &send->tensor;
    const Layout *l = s->in[0] ? s->in[0]->layout : NULL;

    if (t->map < 0 || t->map >= p->recipe.nmaps || !send->put.fence ||
        p->buffers.at[t->tile->buffer].offset % WGMMA_ALIGN != 0)
        return "it is not what copies take";
    if (!l || send->nwarp != l->nwarp ||
        memcmp(send->warp, l->warp, (size_t)l->nwarp * sizeof *l->warp) != 0 ||
        (t->boxes * t->bytes) << send->nwarp != shared_bytes(&t->tile->memory))
        return "a warp sends what it has not laid down";
    if (!uses_buffer(s, t->tile->buffer))
        return "it does not say where its tile is";
    return s->within.kind != NV_WAIT_LANES ? "its lanes do not wait for each other" : NULL;
}

/* Of the sends of its block a wait may leave those in flight that it is not for. */
static bool waits_too_little(const NvBlock *b, const NvStep *s)
{
    int others = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *send = b->steps.at[i];
        others += send->kind == NV_SEND && !uses_buffer(s, send->uses.at[0].buffer);
    }
    return s->within.kind != NV_WAIT_SENT || s->within.in_flight > others;
}

const char *nv_send_wrong(const NvPlan *p, const NvBlock *b, const NvStep *s)
{
    if (s->kind == NV_SEND)
        return wrong_boxes(p, s, s->detail);
    return s->kind == NV_SENT && waits_too_little(b, s) ? "its wait may let go on what it is for"
                                                        : NULL;
}
