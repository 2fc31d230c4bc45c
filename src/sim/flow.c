/*
 * flow.c - branches: which way lanes go, and where they meet again
 *
 * When the lanes of a warp part at a branch, one part runs until the first instruction that all
 * ways from the branch lead to, its immediate post-dominator; then the other does; then they go on
 * together.  That instruction is found when a module is loaded, from the graph of each function's
 * basic blocks, by the iteration of Cooper, Harvey and Kennedy on the reversed graph.
 *
 * A conditional ret or exit counts as if it fell through: the lanes that stay meet all the same.
 */
#include <string.h>

#include "execute.h"

/* One function's graph.  Blocks are numbered in the order of the text; the last number is the end
 * of the function. */
typedef struct {
    const SimModule *m;
    const PtxFunc *f;
    int *block_of;     /* of each instruction from f->first on, and of f->end */
    uint32_t *start;   /* first instruction of each block */
    int blocks;        /* without the end */
    VEC(int) * before; /* the blocks that lead to each, the end too */
    int *order;       /* each block's number in post-order of the reversed graph; -1: not reached */
    int *meet;        /* immediate post-dominators; -1: none yet */
    VEC(int) visited; /* blocks in post-order */
} Graph;

static bool is_end(const Inst *in)
{
    return in->run == flow_exit || in->run == flow_ret || in->run == flow_trap;
}

static bool is_branch(const Inst *in)
{
    return in->run == flow_bra || in->run == flow_brx;
}

static void mark_leaders(Graph *g, bool *leader)
{
    const PtxFunc *f = g->f;

    leader[0] = true;
    for (uint32_t i = f->first; i < f->end; i++) {
        const Inst *in = &g->m->code.at[i];

        if (is_end(in) || is_branch(in))
            leader[i + 1 - f->first] = true;
        if (in->run == flow_bra)
            leader[in->target - f->first] = true;
        if (in->run == flow_brx) {
            const PtxJumps *j = &g->m->jumps.at[in->target];

            for (int k = 0; k < j->count; k++)
                leader[j->targets[k] - f->first] = true;
        }
    }
}

static void find_blocks(Graph *g, Arena *a)
{
    int n = (int)(g->f->end - g->f->first);
    bool *leader = NEW_N(a, bool, n + 2);

    g->block_of = NEW_N(a, int, n + 1);
    g->start = NEW_N(a, uint32_t, n + 1);
    mark_leaders(g, leader);
    for (int i = 0; i < n; i++) {
        if (leader[i])
            g->start[g->blocks++] = g->f->first + (uint32_t)i;
        g->block_of[i] = g->blocks - 1;
    }
    g->block_of[n] = g->blocks;
    g->start[g->blocks] = g->f->end;
}

static void add_edge(Graph *g, Arena *a, int from, uint32_t to)
{
    int block = g->block_of[to - g->f->first];

    vec_push(a, &g->before[block], from);
}

static void find_edges(Graph *g, Arena *a)
{
    g->before = arena_alloc(a, sizeof *g->before * (size_t)(g->blocks + 1));
    for (int b = 0; b < g->blocks; b++) {
        const Inst *last = &g->m->code.at[g->start[b + 1] - 1];
        bool falls = last->guard != NO_OPERAND || (!is_end(last) && !is_branch(last));

        if (last->run == flow_bra)
            add_edge(g, a, b, last->target);
        if (last->run == flow_brx) {
            const PtxJumps *j = &g->m->jumps.at[last->target];

            for (int k = 0; k < j->count; k++)
                add_edge(g, a, b, j->targets[k]);
        }
        if (falls)
            add_edge(g, a, b, g->start[b + 1]);
        else if (is_end(last))
            add_edge(g, a, b, g->f->end);
    }
}

/* Number the blocks from which the end can be reached, each behind those that lead to it. */
static void number_blocks(Graph *g, Arena *a)
{
    int n = g->blocks + 1;
    int *stack = NEW_N(a, int, n), *next = NEW_N(a, int, n), depth = 0;

    g->order = NEW_N(a, int, n);
    for (int b = 0; b < n; b++)
        g->order[b] = -1;
    stack[depth++] = g->blocks;
    g->order[g->blocks] = 0; /* seen */
    while (depth > 0) {
        int b = stack[depth - 1];

        if (next[b] == g->before[b].len) {
            g->order[b] = g->visited.len;
            vec_push(a, &g->visited, b);
            depth--;
            continue;
        }
        int from = g->before[b].at[next[b]++];
        if (g->order[from] >= 0)
            continue;
        g->order[from] = 0;
        stack[depth++] = from;
    }
}

static int common(const Graph *g, int a, int b)
{
    while (a != b) {
        while (g->order[a] < g->order[b])
            a = g->meet[a];
        while (g->order[b] < g->order[a])
            b = g->meet[b];
    }
    return a;
}

/* Blocks behind `b` that have a post-dominator already give it theirs. */
static void find_post_dominators(Graph *g, Arena *a)
{
    int n = g->blocks + 1;
    bool changed = true;
    VEC(int) *after = arena_alloc(a, sizeof *g->before * (size_t)n);

    for (int b = 0; b < n; b++) {
        for (int k = 0; k < g->before[b].len; k++)
            vec_push(a, &after[g->before[b].at[k]], b);
    }
    g->meet = NEW_N(a, int, n);
    for (int b = 0; b < n; b++)
        g->meet[b] = -1;
    g->meet[g->blocks] = g->blocks;
    while (changed) {
        changed = false;
        for (int i = g->visited.len - 2; i >= 0; i--) {
            int b = g->visited.at[i], meet = -1;

            for (int k = 0; k < after[b].len; k++) {
                int to = after[b].at[k];

                if (g->order[to] < 0 || g->meet[to] < 0)
                    continue;
                meet = meet < 0 ? to : common(g, meet, to);
            }
            changed |= g->meet[b] != meet;
            g->meet[b] = meet;
        }
    }
}

void flow_find_meets(SimModule *m, const PtxFunc *f, Arena *scratch)
{
    Graph g = {.m = m, .f = f};

    if (f->first == f->end)
        return;
    find_blocks(&g, scratch);
    find_edges(&g, scratch);
    number_blocks(&g, scratch);
    find_post_dominators(&g, scratch);
    for (int b = 0; b < g.blocks; b++) {
        Inst *last = &m->code.at[g.start[b + 1] - 1];
        int meet = g.order[b] >= 0 ? g.meet[b] : g.blocks;

        if (is_branch(last))
            last->meet = g.start[meet < 0 ? g.blocks : meet];
    }
}

/* --- execution --- */

static WorkCount *counts_of(Warp *w)
{
    return w->worker->counts ? &w->worker->counts[w->inst - w->module->code.at] : NULL;
}

static void push(Warp *w, Path path)
{
    w->waiting[w->depth++] = path;
}

/* The lanes part: those below wait at `meet` for what runs now. */
static void wait_at(Warp *w, uint32_t meet)
{
    if (w->now.meet == meet)
        return; /* somebody waits there already, for these too */
    push(w, (Path){meet, w->now.meet, w->now.mask, w->now.frame});
    w->now.meet = meet;
}

void flow_bra(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t rest = w->now.mask & ~mask;
    WorkCount *count = counts_of(w);

    if (count && in->guard != NO_OPERAND) {
        count->branches++;
        count->divergent += mask && rest;
    }
    if (!mask)
        return;
    if (!rest) {
        w->now.pc = in->target;
        return;
    }
    wait_at(w, in->meet);
    if (in->target == in->meet) {
        w->now.mask = rest;
        return;
    }
    if (w->now.pc != in->meet)
        push(w, (Path){w->now.pc, in->meet, rest, w->now.frame});
    w->now.pc = in->target;
    w->now.mask = mask;
}

/* The first of the lanes' targets runs, the others wait. */
void flow_brx(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *index = OPERAND(w, in, 0, uint32_t);
    const PtxJumps *jumps = &w->module->jumps.at[in->target];
    uint32_t all = w->now.mask, left = mask;
    WorkCount *count = counts_of(w);
    int ways = 0;

    if (!mask)
        return;
    FOR_LANES(lane, mask)
    {
        if (index[lane] >= (uint32_t)jumps->count) {
            fault(w, SIM_CODE, (int)lane, "index %u of a jump table with %d targets", index[lane],
                  jumps->count);
            return;
        }
    }
    wait_at(w, in->meet);
    if (mask != all)
        push(w, (Path){w->now.pc, in->meet, all & ~mask, w->now.frame});
    while (left) {
        uint32_t target = jumps->targets[index[__builtin_ctz(left)]], same = 0;

        FOR_LANES(lane, left)
        {
            if (jumps->targets[index[lane]] == target)
                same |= UINT32_C(1) << lane;
        }
        left &= ~same;
        ways++;
        push(w, (Path){target, in->meet, same, w->now.frame});
    }
    w->now = w->waiting[--w->depth];
    if (count) {
        count->branches++;
        count->divergent += ways > 1;
    }
}

void flow_call(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t frame = w->now.frame + 1;

    if (!mask)
        return;
    push(w, w->now);
    w->now = (Path){in->target, in->meet, mask, frame};
}

/* The lanes leave the function, on all of its paths; the caller's path has them still. */
void flow_ret(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    if (w->now.frame == 0) {
        warp_end_lanes(w, mask);
        return;
    }
    for (int i = w->depth - 1; i >= 0 && w->waiting[i].frame == w->now.frame; i--)
        w->waiting[i].mask &= ~mask;
    w->now.mask &= ~mask;
}

void flow_exit(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    warp_end_lanes(w, mask);
}

void flow_trap(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    if (mask)
        fault(w, SIM_CODE, __builtin_ctz(mask), "the program stopped itself with trap");
}

/* What orders memory is in order here, but for programs that race (order.c). */
void flow_fence(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    (void)mask;
    order_fence(w);
}
