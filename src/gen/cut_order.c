/*
 * cut_order.c - the blocks of a function in order, and the places where it may be cut
 *
 * The order is a reverse postorder in which ways out of a loop are walked before the loop itself,
 * so that each loop, and each arm of an if, lies in one row.  A place's sign is made of all edges
 * that pass it, a random number each: where two signs are the same, no edge begins on one side of
 * the row between them and ends on the other, but those at the two places.  (Signs of 64 bits:
 * nobody will see two different sets of edges have the same.)  Nothing here recurses: there may be
 * as many blocks as the program has operations.
 */
#include <stdlib.h>
#include <string.h>

#include "cut.h"

typedef struct {
    Cut *c;
    int n;
    LLVMBasicBlockRef *block; /* as the function has them */
    int *first, *target;      /* block i goes to target[first[i]] up to target[first[i + 1] - 1] */
    int *first_in, *source;   /* and is reached from these */
    int *depth;               /* how many loops are around it */
    int *row;                 /* its number in c->blocks; -1: it is never reached */
} Graph;

static void find_blocks(Graph *g)
{
    Arena *a = g->c->arena;
    Map *number = map_new(a);
    VEC(int) targets = {0};

    g->n = (int)LLVMCountBasicBlocks(g->c->fn);
    g->block = NEW_N(a, LLVMBasicBlockRef, g->n);
    g->first = NEW_N(a, int, g->n + 1);
    LLVMGetBasicBlocks(g->c->fn, g->block);
    for (int i = 0; i < g->n; i++)
        map_put(number, MAP_KEY(g->block[i]), (void *)(intptr_t)i);
    for (int i = 0; i < g->n; i++) {
        Val end = LLVMGetBasicBlockTerminator(g->block[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            int to = (int)(intptr_t)map_get(number, MAP_KEY(LLVMGetSuccessor(end, k)));
            vec_push(a, &targets, to);
        }
        g->first[i + 1] = targets.len;
    }
    g->target = targets.at;
}

static void find_sources(Graph *g)
{
    int edges = g->first[g->n];
    int *count = NEW_N(g->c->arena, int, g->n);

    g->first_in = NEW_N(g->c->arena, int, g->n + 1);
    g->source = NEW_N(g->c->arena, int, edges);
    for (int e = 0; e < edges; e++)
        count[g->target[e]]++;
    for (int i = 0; i < g->n; i++) {
        g->first_in[i + 1] = g->first_in[i] + count[i];
        count[i] = g->first_in[i];
    }
    for (int i = 0; i < g->n; i++) {
        for (int e = g->first[i]; e < g->first[i + 1]; e++)
            g->source[count[g->target[e]]++] = i;
    }
}

static bool begins_with_phi(LLVMBasicBlockRef b)
{
    return LLVMIsAPHINode(LLVMGetFirstInstruction(b)) != NULL;
}

static bool is_end(LLVMBasicBlockRef b)
{
    return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(b)) && !begins_with_phi(b);
}

static void find_end(Graph *g)
{
    int found = 0;

    for (int i = 0; i < g->n; i++) {
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(g->block[i])))
            found++;
        if (is_end(g->block[i]))
            g->c->end = g->block[i];
    }
    if (found != 1)
        g->c->end = NULL;
}

/* An edge back to the head of a loop. */
typedef struct {
    int head, latch;
} Back;
typedef VEC(Back) Backs;

typedef enum { UNSEEN, OPEN, DONE } State;

/* Walk all blocks in depth, and list edges back to one that is open, and the blocks as they are
 * done; either list may be NULL. */
static int walk(const Graph *g, Backs *backs, int *done)
{
    Arena *a = g->c->arena;
    State *state = NEW_N(a, State, g->n);
    int *stack = NEW_N(a, int, g->n), *next = NEW_N(a, int, g->n), depth = 0, count = 0;

    memcpy(next, g->first, sizeof(int) * (size_t)g->n);
    stack[depth++] = 0;
    state[0] = OPEN;
    while (depth > 0) {
        int at = stack[depth - 1];
        if (next[at] == g->first[at + 1]) {
            state[at] = DONE;
            depth--;
            if (done)
                done[count++] = at;
            continue;
        }
        int to = g->target[next[at]++];
        if (state[to] == OPEN && backs)
            vec_push(a, backs, ((Back){to, at}));
        if (state[to] != UNSEEN)
            continue;
        state[to] = OPEN;
        stack[depth++] = to;
    }
    return count;
}

static int by_head(const void *a, const void *b)
{
    return ((const Back *)a)->head - ((const Back *)b)->head;
}

/* Everything from where the latches of one loop can be reached is in it, back to its head. */
static void find_loops(Graph *g)
{
    Arena *a = g->c->arena;
    Backs backs = {0};
    int *seen_for = NEW_N(a, int, g->n);
    VEC(int) todo = {0};

    g->depth = NEW_N(a, int, g->n);
    walk(g, &backs, NULL);
    qsort(backs.at, (size_t)backs.len, sizeof(Back), by_head);
    for (int i = 0; i < backs.len; i++) {
        int head = backs.at[i].head;
        vec_push(a, &todo, backs.at[i].latch);
        while (todo.len > 0) {
            int at = todo.at[--todo.len];
            if (seen_for[at] == head + 1)
                continue;
            seen_for[at] = head + 1;
            g->depth[at]++;
            for (int e = g->first_in[at]; at != head && e < g->first_in[at + 1]; e++)
                vec_push(a, &todo, g->source[e]);
        }
    }
}

/* Blocks that only lead to the function's end, as behind a check that failed, stand where they
 * begin, in loops or not. */
static void keep_detours(Graph *g)
{
    Arena *a = g->c->arena;
    bool *leads = NEW_N(a, bool, g->n);
    int *done = NEW_N(a, int, g->n), count = walk(g, NULL, done);

    for (int i = 0; i < count; i++) {
        int at = done[i];
        leads[at] = g->first[at] < g->first[at + 1];
        for (int e = g->first[at]; e < g->first[at + 1]; e++)
            leads[at] &= g->block[g->target[e]] == g->c->end || leads[g->target[e]];
    }
    for (int i = count - 1; i >= 0; i--) {
        int at = done[i], from = g->first_in[at];
        if (leads[at] && from < g->first_in[at + 1])
            g->depth[at] = MAX(g->depth[at], g->depth[g->source[from]]);
    }
}

/* Ways out of loops first; else the last first, so that the first comes first in the row. */
static void sort_targets(Graph *g)
{
    for (int i = 0; i < g->n; i++) {
        int *t = g->target + g->first[i], n = g->first[i + 1] - g->first[i];
        for (int k = 1; k < n; k++) {
            int moved = t[k], at = k;
            for (; at > 0 && g->depth[t[at - 1]] >= g->depth[moved]; at--)
                t[at] = t[at - 1];
            t[at] = moved;
        }
    }
}

static void put_in_row(Graph *g)
{
    int *done = NEW_N(g->c->arena, int, g->n), count = walk(g, NULL, done);

    g->row = NEW_N(g->c->arena, int, g->n);
    memset(g->row, -1, sizeof(int) * (size_t)g->n);
    for (int i = 0; i < count; i++) {
        int at = done[count - 1 - i];
        g->row[at] = i;
        CutBlock b = {.block = g->block[at], .size = cut_block_weight(g->block[at])};
        vec_push(g->c->arena, &g->c->blocks, b);
    }
}

/* The edge of a place. */
static bool is_place(const Graph *g, int from, int to)
{
    return g->row[to] == g->row[from] + 1 && g->first[from + 1] - g->first[from] == 1 &&
           g->first_in[to + 1] - g->first_in[to] == 1 && !begins_with_phi(g->block[to]);
}

/* sign[p]: of all edges that pass the place behind block p of the row. */
static void sign_edges(const Graph *g, uint64_t *sign)
{
    for (int i = 0; i < g->n; i++) {
        for (int e = g->first[i]; g->row[i] >= 0 && e < g->first[i + 1]; e++) {
            int to = g->target[e], ends[2] = {i, to};
            if (g->block[to] == g->c->end || is_place(g, i, to))
                continue;
            uint64_t edge = hash_bytes(ends, sizeof ends, 0);
            sign[MIN(g->row[i], g->row[to])] ^= edge;
            sign[MAX(g->row[i], g->row[to])] ^= edge;
        }
    }
    for (int p = 1; p < g->c->blocks.len; p++)
        sign[p] ^= sign[p - 1];
}

static void find_places(Graph *g)
{
    uint64_t *sign = NEW_N(g->c->arena, uint64_t, g->c->blocks.len);

    sign_edges(g, sign);
    for (int i = 0; i < g->n; i++) {
        int from = g->row[i];
        if (from < 0 || g->first[i + 1] == g->first[i] || !is_place(g, i, g->target[g->first[i]]))
            continue;
        CutPlace place = {sign[from], from};
        vec_push(g->c->arena, &g->c->places, place);
    }
}

void cut_order(Cut *c)
{
    Graph g = {.c = c};

    find_blocks(&g);
    find_sources(&g);
    find_end(&g);
    find_loops(&g);
    keep_detours(&g);
    sort_targets(&g);
    put_in_row(&g);
    find_places(&g);
}
