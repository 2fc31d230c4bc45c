/*
 * nv_sink.c - what is only used behind a loop, or behind the conversion of a long tile, is computed
 * there
 *
 * Indices, addresses and masks of what a kernel stores at its end are often made where its names
 * are, in front of the loop, and would stay in registers all the while.  They move if nobody up to
 * the end of the loop needs them, and if what is kept for them instead is less: what they are made
 * of may be scalar, needed in the loop, or move as well.  The same goes for the conversion that
 * stands between long arithmetic and its store: neither then has the addresses in registers.
 */
#include "nv_schedule.h"

/* Marks of tiles: the number of the loop for which they hold. */
typedef struct {
    NvPlan *plan;
    int loop;
    int *used;  /* in the loop */
    int *kept;  /* something in front of the loop uses it and stays there */
    int *moved; /* it moves; 0: not, whatever was marked before */
} Sink;

static void mark_inputs(const NvStep *s, int *marks, int loop)
{
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i])
            marks[s->in[i]->id] = loop;
    }
}

static void mark_step(const NvStep *s, int *marks, int loop)
{
    mark_inputs(s, marks, loop);
    for (int r = 0; r < COUNT(s->body); r++) {
        const NvBlock *b = s->body[r];
        for (int i = 0; b && i < b->steps.len; i++)
            mark_step(b->steps.at[i], marks, loop);
        for (int i = 0; b && i < b->nends; i++)
            marks[b->ends[i]->id] = loop;
    }
}

static bool can_move(const Sink *x, const NvStep *s)
{
    const NvTile *t = s->kind == NV_COMPUTE ? s->out[0] : NULL;

    return t && t->layout && x->used[t->id] != x->loop && x->kept[t->id] != x->loop;
}

/* Registers of 32 bits; what is known but for the thread takes one. */
static int words_of(const NvTile *t)
{
    const Op *op = t->value->def;

    if (op && (op->code == OP_arange || op->code == OP_const || op->code == OP_splat))
        return 1;
    return layout_registers(t->layout) * MAX(type_size(t->value->type) / 4, 1);
}

/* Is what must be kept for it alone, when it is computed behind the loop, less than it is? */
static bool gains_by_moving(const Sink *x, const NvStep *s)
{
    int more = 0;

    for (int i = 0; i < s->nin; i++) {
        const NvTile *t = s->in[i];
        if (t && t->layout && x->used[t->id] != x->loop && x->moved[t->id] != x->loop)
            more += words_of(t);
    }
    return more == 0 || more < words_of(s->out[0]);
}

static bool is_moved(const Sink *x, const NvStep *s)
{
    return s->kind == NV_COMPUTE && x->moved[s->out[0]->id] == x->loop;
}

/* Which of the steps from `first` up to the loop move.  Who must stay keeps what it is made of, so
 * that is asked again until nobody changes; false: nobody moves. */
static bool find_moves(Sink *x, const NvBlock *b, int first, int loop)
{
    enum { ROUNDS = 8 };
    bool changed = true, any = false;

    for (int round = 0; changed; round++) {
        if (round == ROUNDS)
            return false;
        changed = any = false;
        for (int i = loop - 1; i >= first; i--) {
            const NvStep *s = b->steps.at[i];
            bool moves = can_move(x, s);
            if (s->kind == NV_COMPUTE)
                x->moved[s->out[0]->id] = moves ? x->loop : 0;
            if (!moves)
                mark_step(s, x->kept, x->loop);
        }
        for (int i = first; i < loop; i++) {
            const NvStep *s = b->steps.at[i];
            if (!is_moved(x, s))
                continue;
            any = true;
            if (gains_by_moving(x, s))
                continue;
            x->moved[s->out[0]->id] = 0;
            x->kept[s->out[0]->id] = x->loop;
            changed = true;
        }
    }
    return any;
}

/* Steps from `first` on up to the loop; returns where the loop is then. */
static int sink_behind(Sink *x, NvBlock *b, int first, int loop)
{
    VEC(NvStep *) moved = {0};
    int at = first;

    x->loop++;
    mark_step(b->steps.at[loop], x->used, x->loop);
    if (!find_moves(x, b, first, loop))
        return loop;
    for (int i = first; i <= loop; i++) {
        NvStep *s = b->steps.at[i];
        if (i < loop && is_moved(x, s))
            vec_push(x->plan->arena, &moved, s);
        else
            b->steps.at[at++] = s;
    }
    for (int i = 0; i < moved.len; i++)
        b->steps.at[at + i] = moved.at[i];
    return at - 1;
}

static bool converts_long(const NvStep *s)
{
    enum { LONG = 32 };

    return s->kind == NV_CONVERT && s->conversion->kind > CONVERT_REGISTERS &&
           words_of(s->out[0]) >= LONG;
}

static void sink_block(Sink *x, NvBlock *b)
{
    for (int i = 0, first = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        bool loops = s->kind == NV_FOR || s->kind == NV_WHILE;
        for (int r = 0; (loops || s->kind == NV_IF) && r < COUNT(s->body); r++) {
            if (s->body[r])
                sink_block(x, s->body[r]);
        }
        if (!loops && !converts_long(s))
            continue;
        i = sink_behind(x, b, first, i);
        first = i + 1;
    }
}

void nv_sink(NvPlan *p)
{
    int n = p->tiles.len + 1;
    Sink x = {p, 0, NEW_N(p->arena, int, n), NEW_N(p->arena, int, n), NEW_N(p->arena, int, n)};

    sink_block(&x, p->body);
}
