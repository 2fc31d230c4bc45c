/*
 * lower_strides.c - strides whose names say that they are turned around
 *
 * b + offs_k[:, None] * stride_bn + offs_n[None, :] * stride_bk goes along rows where it is to go
 * along columns; in a square matrix nothing fails.  Told by names, where these are as people write
 * them: two strides of one array, stride_bk and stride_bn, stride_row and stride_col, and two
 * indices that end as those do, crosswise.
 *
 * Nothing is said where the array is stored to, as by a kernel that transposes, or is also gone
 * through with each index times the stride of its name, as a matrix whose two halves mirror each
 * other.
 */
#include "lower.h"
#include "../ir/analysis.h"

#include <string.h>

enum { MOST_PAIRS = 16, MOST_TOLD = 8, LEAST_WORD = 3 };

/* An index and what it is multiplied with, both names. */
typedef struct {
    Sym index, stride;
    Span span;
} Pair;
typedef struct {
    Pair at[MOST_PAIRS];
    int n;
} Pairs;

/* All of the function that are in one sum with each other, and lie crosswise or straight. */
typedef struct {
    Lower *l;
    const AstFunc *fn;
    const Func *kernel;
    uint64_t stored; /* parameters */
    Sym straight[2 * MOST_TOLD];
    int nstraight;
    struct {
        Pair a, b;
    } crosswise[MOST_TOLD];
    int n;
} Strides;

/* --- names --- */

/* The end of a name that says which dimension it is for: a word behind the last `_`, or its last
 * letter.  Gives the length of what stands in front. */
static size_t stem_of(const char *name)
{
    const char *word = strrchr(name, '_');
    size_t n = strlen(name);

    if (word && strlen(word + 1) >= LEAST_WORD)
        return (size_t)(word + 1 - name);
    return n > 0 ? n - 1 : 0;
}

/* rows as row */
static bool same_end(const char *index, const char *stride)
{
    const char *a = index + stem_of(index), *b = stride + stem_of(stride);
    size_t n = strlen(a), m = strlen(b);

    if (n > 1 && a[n - 1] == 's')
        n--;
    if (m >= LEAST_WORD && strlen(index) >= m && n == 1) { /* `row` without a `_` */
        a = index;
        n = strlen(index) - (index[strlen(index) - 1] == 's');
    }
    return n == m && strncmp(a, b, n) == 0;
}

static bool same_stem(const char *a, const char *b)
{
    return stem_of(a) == stem_of(b) && strncmp(a, b, stem_of(a)) == 0;
}

static bool is_stride(const Strides *s, Sym name)
{
    for (int i = 0; i < s->fn->nparams; i++) {
        if (s->fn->params[i].name == name)
            return strstr(name, "stride") || (name[0] == 's' && strlen(name) == LEAST_WORD);
    }
    return false;
}

/* --- sums --- */

/* NAME, NAME[:, None]; NULL: it is another one. */
static const Node *name_of(const Node *n)
{
    if (n->kind == N_SUBSCRIPT)
        n = n->left;
    return n->kind == N_NAME ? n : NULL;
}

static void find_pairs(const Strides *s, Pairs *p, const Node *n)
{
    if (n->kind == N_BINARY && n->op == BIN_ADD) {
        find_pairs(s, p, n->left);
        find_pairs(s, p, n->right);
        return;
    }
    if (n->kind != N_BINARY || n->op != BIN_MUL || p->n == MOST_PAIRS)
        return;
    const Node *a = name_of(n->left), *b = name_of(n->right);
    if (!a || !b || is_stride(s, a->name) == is_stride(s, b->name))
        return;
    bool turned = is_stride(s, a->name);
    p->at[p->n++] = (Pair){turned ? b->name : a->name, turned ? a->name : b->name, n->span};
}

/* The array at the left of a sum, if it is stored to. */
static bool is_stored(const Strides *s, const Node *n)
{
    while (n->kind == N_BINARY && n->op == BIN_ADD)
        n = n->left;
    for (int i = 0; n->kind == N_NAME && i < s->kernel->nparams; i++) {
        if (strcmp(s->kernel->params[i].name, n->name) == 0)
            return s->stored >> (i < 63 ? i : 63) & 1;
    }
    return true; /* or it is a name for which nobody knows */
}

static void note_sum(Strides *s, const Node *sum)
{
    Pairs p = {.n = 0};

    find_pairs(s, &p, sum);
    for (int i = 0; i < p.n; i++) {
        const Pair *a = &p.at[i];
        if (same_end(a->index, a->stride) && s->nstraight < COUNT(s->straight))
            s->straight[s->nstraight++] = a->stride;
        for (int k = 0; k < i; k++) {
            const Pair *b = &p.at[k];
            if (same_end(a->index, b->stride) && same_end(b->index, a->stride) &&
                !same_end(a->index, a->stride) && same_stem(a->stride, b->stride) &&
                !is_stored(s, sum) && s->n < MOST_TOLD) {
                s->crosswise[s->n].a = *b;
                s->crosswise[s->n++].b = *a;
            }
        }
    }
}

static void look_in(Strides *s, const Node *n);

static void look_in_all(Strides *s, Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++)
        look_in(s, nodes[i]);
}

static void look_in(Strides *s, const Node *n)
{
    if (!n)
        return;
    if (n->kind == N_BINARY && n->op == BIN_ADD) {
        note_sum(s, n);
        return;
    }
    look_in(s, n->left);
    look_in(s, n->right);
    look_in(s, n->extra);
    look_in_all(s, n->items, n->nitems);
    look_in_all(s, n->body, n->nbody);
    look_in_all(s, n->orelse, n->norelse);
}

static bool is_straight(const Strides *s, Sym stride)
{
    for (int i = 0; i < s->nstraight; i++) {
        if (s->straight[i] == stride)
            return true;
    }
    return false;
}

void warn_of_strides(Lower *l, const AstFunc *fn, const Func *kernel)
{
    Strides s = {.l = l, .fn = fn, .kernel = kernel};

    s.stored = ir_memory_use(kernel, l->arena).stored;
    look_in_all(&s, fn->body, fn->nbody);
    for (int i = 0; i < s.n; i++) {
        const Pair *a = &s.crosswise[i].a, *b = &s.crosswise[i].b;
        if (is_straight(&s, a->stride) || is_straight(&s, b->stride))
            continue;
        warn_at(l, a->span, W_STRIDES_TURNED, a->index, a->stride, b->index, b->stride);
        hint_at(l, H_STRIDES_TURNED, a->index, b->stride, b->index, a->stride);
    }
}
