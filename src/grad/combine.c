/*
 * combine.c - reductions and scans by any function that combines, of one tile or of several
 *
 * Combining is associative, so of f(x0, .., xn) element i is combined with what lies before it and
 * with what lies behind: f(f(before, x), behind).  Both are scans, moved by one element, and the
 * gradient goes back through f twice, for all elements at once.
 *
 * Of a scan, s[i] = f(s[i - 1], x[i]), the gradient of s[i] is what was handed to it and what s[i +
 * 1] hands back, D[i] = d[i] + M[i] D[i + 1], where M is the slope of f(s[i], x[i + 1]) by its
 * first arguments: a scan from the other end, of matrices and gradients.  x[i] gets its own from
 * D[i] through f(s[i - 1], x[i]).
 *
 * Gradients go through f by the rules of its ops, which are computed on whole tiles.
 */
#include <string.h>

#include "../opt/opt.h"
#include "grad.h"

enum { MOST = 4 }; /* tiles that are combined at once */

/* The function on tiles: its first arguments are of earlier elements. */
typedef struct {
    Grad *g;
    const Op *op;
    const Block *body;
    int n;
    bool is_active[MOST]; /* may gradients go to these? */
    Map *varies;          /* MAP_KEY of a value of the body: it depends on such */
    Map *tiles;           /* MAP_KEY of a value of the body: what it is for all elements */
    Map *adjoints;        /* MAP_KEY of the same: its gradient so far */
} Combining;

static const Type *in_shape(Grad *g, const Value *v, const Type *shape)
{
    return type_with_shape(g->func->module, type_element(g->func->module, v->type), shape);
}

static Value *result(const Combining *c, int i)
{
    return c->body->last->operands[i];
}

/* --- which values count --- */

static void find_varying(Combining *c)
{
    c->varies = map_new(c->g->arena);
    for (int i = 0; i < 2 * c->n; i++) {
        if (c->is_active[i % c->n])
            map_put(c->varies, MAP_KEY(c->body->args[i]), (void *)c);
    }
    for (const Op *op = c->body->first; op != c->body->last; op = op->next) {
        bool any = false;
        for (int i = 0; i < op->noperands && dtype_is_float(op->results[0]->type->dtype); i++)
            any |= map_get(c->varies, MAP_KEY(op->operands[i])) != NULL;
        if (any && grad_row(op->code)->kind != GRAD_ZERO)
            map_put(c->varies, MAP_KEY(op->results[0]), (void *)c);
    }
}

/* Those of the combined tiles that depend on what gradients go to, too. */
static void find_active(Combining *c)
{
    bool changed = true;

    for (int i = 0; i < c->n; i++)
        c->is_active[i] = grad_is_active(c->g, c->op->operands[i]);
    while (changed) {
        changed = false;
        find_varying(c);
        for (int i = 0; i < c->n; i++) {
            bool varies = map_get(c->varies, MAP_KEY(result(c, i))) != NULL;
            changed |= varies && !c->is_active[i];
            c->is_active[i] |= varies;
        }
    }
}

static bool check(Combining *c)
{
    const Value *first = NULL;

    if (c->n > MOST) {
        grad_refuse(c->g, c->op, "of so many tiles at once combining has no rule yet");
        return false;
    }
    for (const Op *op = c->body->first; op != c->body->last; op = op->next) {
        GradKind kind = grad_row(op->code)->kind;
        if (op->nresults == 1 && !op->regions[0] && (kind == GRAD_RULE || kind == GRAD_ZERO) &&
            (op_is_elementwise(op) || op->code == OP_const))
            continue;
        grad_refuse(c->g, c->op, "no gradient goes through what this combines with");
        return false;
    }
    find_active(c);
    for (int i = 0; i < c->n; i++) {
        if (!c->is_active[i])
            continue;
        if (first && first->type->dtype != c->op->operands[i]->type->dtype) {
            grad_refuse(c->g, c->op, "of floats of several types combining has no rule yet");
            return false;
        }
        first = c->op->operands[i];
    }
    return true;
}

/* --- there and back --- */

static Value *tile_of(const Combining *c, Value *v, const Type *shape)
{
    Value *tile = map_get(c->tiles, MAP_KEY(v));

    if (tile)
        return tile;
    v = grad_value(c->g, v); /* of outside, the same for all */
    return shape->rank > 0 ? build_splat(&c->g->b, v, in_shape(c->g, v, shape)) : v;
}

/* Every op of the function for tiles of earlier and of later elements. */
static void apply(Combining *c, Value *const *a, Value *const *b)
{
    const Type *shape = a[0]->type;
    Value *operands[MAX_ELEMENTWISE_OPERANDS];

    c->tiles = map_new(c->g->arena);
    for (int i = 0; i < c->n; i++) {
        map_put(c->tiles, MAP_KEY(c->body->args[i]), a[i]);
        map_put(c->tiles, MAP_KEY(c->body->args[i + c->n]), b[i]);
    }
    for (const Op *op = c->body->first; op != c->body->last; op = op->next) {
        const Type *type = in_shape(c->g, op->results[0], shape);
        for (int i = 0; i < op->noperands; i++)
            operands[i] = tile_of(c, op->operands[i], shape);
        Value *made = op->code == OP_const ? build_const(&c->g->b, type, (uint64_t)op->attrs[0])
                                           : build_op(&c->g->b, op->code, op->noperands, operands,
                                                      op->nattrs, op->attrs, 1, &type)
                                                 ->results[0];
        value_shaped_like(c->g->func->module, made, a[0]);
        map_put(c->tiles, MAP_KEY(op->results[0]), made);
    }
}

static void hand(Combining *c, const Value *v, Value *d)
{
    Value *sum = map_get(c->adjoints, MAP_KEY(v));

    if (d && map_get(c->varies, MAP_KEY(v)))
        map_put(c->adjoints, MAP_KEY(v), sum ? grad_binary(c->g, OP_add, sum, d) : d);
}

/* What the results have, handed back to the arguments; NULL: nothing. */
static void pull(Combining *c, Value *const *d)
{
    c->adjoints = map_new(c->g->arena);
    for (int i = 0; i < c->n; i++)
        hand(c, result(c, i), d[i]);
    for (const Op *op = c->body->last->prev; op; op = op->prev) {
        const GradRow *row = grad_row(op->code);
        Value *from = map_get(c->adjoints, MAP_KEY(op->results[0]));
        const Value *tile = map_get(c->tiles, MAP_KEY(op->results[0]));

        for (int i = 0; i < op->noperands && from && row->kind == GRAD_RULE; i++) {
            if (map_get(c->varies, MAP_KEY(op->operands[i])))
                hand(c, op->operands[i], grad_rule(op->code)(c->g, tile->def, i, from));
        }
    }
}

static Value *to_earlier(const Combining *c, int i)
{
    return map_get(c->adjoints, MAP_KEY(c->body->args[i]));
}

static Value *to_later(const Combining *c, int i)
{
    return map_get(c->adjoints, MAP_KEY(c->body->args[i + c->n]));
}

/* --- neighbours --- */

/* The number of each element along the axis of the op. */
static Value *places(const Combining *c)
{
    const Value *x = c->op->operands[0];
    const int axis = (int)attr_axis(c->op);
    Value *v = build_arange(&c->g->b, 0, x->type->dims[axis]);

    for (int d = 0; d < x->type->rank; d++) {
        if (d != axis)
            v = build_expand(&c->g->b, v, d);
    }
    v = build_broadcast(&c->g->b, v, in_shape(c->g, v, x->type));
    value_shaped_like(c->g->func->module, v, x);
    return v;
}

/* Is it the element that the axis begins with, or ends with? */
static Value *is_at_end(const Combining *c, bool last)
{
    Value *at = places(c);
    int end = last ? c->op->operands[0]->type->dims[attr_axis(c->op)] - 1 : 0;

    return build_binary(&c->g->b, OP_eq, at, build_int(&c->g->b, at->type, end));
}

/* Of each element what the next one, or the one before, has; of that at the end its own. */
static Value *neighbour(const Combining *c, Value *v, bool next)
{
    Builder *b = &c->g->b;
    const int64_t axis = attr_axis(c->op);
    Value *at = places(c);
    Value *end = build_int(b, at->type, next ? v->type->dims[axis] - 1 : 0);
    Value *by = build_int(b, at->type, 1);

    at = build_binary(b, next ? OP_add : OP_sub, at, by);
    at = build_binary(b, next ? OP_min : OP_max, at, end);
    Value *moved = build_op(b, OP_gather, 2, (Value *[]){v, at}, 1, &axis, 1, &v->type)->results[0];
    value_shaped_like(c->g->func->module, moved, v);
    return moved;
}

static void neighbours(const Combining *c, Value *const *v, bool next, Value **out)
{
    for (int i = 0; i < c->n; i++)
        out[i] = neighbour(c, v[i], next);
}

/* The function in the region of a scan, which from the other end meets later elements first. */
static Op *scan(const Combining *c, Value *const *tiles, bool from_end)
{
    Op *made = build_scan(&c->g->b, c->n, tiles, (int)attr_axis(c->op), from_end);
    Builder inside = builder_into(&c->g->b, made->regions[0]);
    Map *to = map_new(c->g->arena);
    Value *results[MOST];

    for (int i = 0; i < 2 * c->n; i++) {
        int other = (i + c->n) % (2 * c->n);
        map_put(to, MAP_KEY(c->body->args[i]), made->regions[0]->args[from_end ? other : i]);
    }
    for (const Op *op = c->body->first; op != c->body->last; op = op->next)
        op_clone(&inside, op, to);
    for (int i = 0; i < c->n; i++) {
        Value *v = map_get(to, MAP_KEY(result(c, i)));
        results[i] = v ? v : grad_value(c->g, result(c, i));
        value_shaped_like(c->g->func->module, made->results[i], tiles[i]);
    }
    build_yield(&inside, OP_yield, c->n, results);
    return made;
}

/* NULL: nothing. */
static Value *choose(const Combining *c, Value *condition, Value *x, Value *y)
{
    Grad *g = c->g;

    if (!x && !y)
        return NULL;
    Value *none = grad_number(g, x ? x : y, 0);
    return build_select(&g->b, condition, x ? x : none, y ? y : none);
}

/* --- reductions --- */

static Value *to_each(const Combining *c, Value *d)
{
    const Value *x = c->op->operands[0];
    const Type *shape = in_shape(c->g, d, x->type);
    Value *whole =
        x->type->rank == 1
            ? build_splat(&c->g->b, d, shape)
            : build_broadcast(&c->g->b, build_expand(&c->g->b, d, (int)attr_axis(c->op)), shape);

    value_shaped_like(c->g->func->module, whole, x);
    return whole;
}

static void reduction(Combining *c)
{
    Grad *g = c->g;
    Value *x[MOST], *d[MOST] = {0}, *before[MOST], *behind[MOST];

    for (int i = 0; i < c->n; i++) {
        Value *whole = c->is_active[i] ? grad_adjoint(g, c->op->results[i]) : NULL;
        x[i] = grad_value(g, c->op->operands[i]);
        d[i] = whole ? to_each(c, whole) : NULL;
    }
    const Op *up_to = scan(c, x, false), *from = scan(c, x, true);
    neighbours(c, up_to->results, false, before);
    neighbours(c, from->results, true, behind);
    apply(c, up_to->results, behind);
    pull(c, d);
    Value *last = is_at_end(c, true), *first = is_at_end(c, false);
    for (int i = 0; i < c->n; i++) {
        Value *through = to_earlier(c, i);
        if (c->is_active[i])
            d[i] = choose(c, last, d[i], through);
    }
    apply(c, before, x);
    pull(c, d);
    for (int i = 0; i < c->n; i++) {
        Value *through = to_later(c, i);
        grad_add(g, c->op->operands[i], choose(c, first, d[i], through));
    }
}

/* --- scans --- */

/* What element i + 1 hands back: by how much of the gradient r that of argument k grows. */
typedef struct {
    Value *by[MOST][MOST]; /* k, r; NULL: nothing, in any product either */
    int at[MOST][MOST];    /* among what is scanned */
    bool is_reached[MOST]; /* argument k: something is handed to it, at some element */
    int gradient[MOST];    /* among what is scanned, too */
    int n;                 /* of these */
    Value *tiles[MOST * MOST + MOST];
} Slopes;

/* In products of the matrices there may be something at k, r that is at none of them. */
static void close_slopes(const Combining *c, Slopes *s, const Value *like)
{
    for (int by = 0; by < c->n; by++) {
        for (int k = 0; k < c->n; k++) {
            for (int r = 0; r < c->n; r++) {
                if (!s->by[k][r] && s->by[k][by] && s->by[by][r])
                    s->by[k][r] = grad_number(c->g, like, 0);
            }
        }
    }
}

/* Gradients that are nothing everywhere are not scanned. */
static void find_reached(const Combining *c, Slopes *s)
{
    for (int r = 0; r < c->n; r++) {
        bool handed = c->is_active[r] && grad_adjoint(c->g, c->op->results[r]) != NULL;
        for (int k = 0; k < c->n && handed; k++)
            s->is_reached[k] |= k == r || s->by[k][r];
    }
    for (int k = 0; k < c->n; k++) {
        for (int r = 0; r < c->n; r++)
            s->by[k][r] = s->is_reached[k] && s->is_reached[r] ? s->by[k][r] : NULL;
    }
}

static void find_slopes(Combining *c, Slopes *s, Value *const *d)
{
    const Value *like = NULL;

    for (int r = 0; r < c->n; r++) {
        Value *one[MOST] = {0};
        if (!c->is_active[r])
            continue;
        like = d[r];
        one[r] = grad_number(c->g, d[r], 1);
        pull(c, one);
        for (int k = 0; k < c->n; k++)
            s->by[k][r] = c->is_active[k] ? to_earlier(c, k) : NULL;
    }
    close_slopes(c, s, like);
    find_reached(c, s);
    for (int k = 0; k < c->n; k++) {
        for (int r = 0; r < c->n; r++) {
            s->at[k][r] = s->n;
            if (s->by[k][r])
                s->tiles[s->n++] = s->by[k][r];
        }
    }
    for (int k = 0; k < c->n; k++) {
        s->gradient[k] = s->n;
        if (s->is_reached[k])
            s->tiles[s->n++] = d[k];
    }
}

static Value *plus_product(Builder *b, Value *sum, Value *x, Value *y)
{
    Value *product = build_binary(b, OP_mul, x, y);

    return sum ? build_binary(b, OP_add, sum, product) : product;
}

/* (M, d) of an element behind (M', d') of those that follow: (M M', d + M d'). */
static Op *scan_slopes(const Combining *c, const Slopes *s)
{
    Op *made = build_scan(&c->g->b, s->n, s->tiles, (int)attr_axis(c->op), !attr_reverse(c->op));
    Builder b = builder_into(&c->g->b, made->regions[0]);
    Value *const *behind = made->regions[0]->args, *const *own = behind + s->n;
    Value *next[MOST * MOST + MOST];

    for (int k = 0; k < c->n; k++) {
        for (int r = 0; r < c->n; r++) {
            Value *sum = NULL;
            for (int by = 0; by < c->n && s->by[k][r]; by++) {
                if (s->by[k][by] && s->by[by][r])
                    sum = plus_product(&b, sum, own[s->at[k][by]], behind[s->at[by][r]]);
            }
            if (s->by[k][r])
                next[s->at[k][r]] = sum ? sum : build_float(&b, own[s->at[k][r]]->type, 0);
        }
        if (!s->is_reached[k])
            continue;
        Value *d = own[s->gradient[k]];
        for (int r = 0; r < c->n; r++) {
            if (s->by[k][r])
                d = plus_product(&b, d, own[s->at[k][r]], behind[s->gradient[r]]);
        }
        next[s->gradient[k]] = d;
    }
    build_yield(&b, OP_yield, s->n, next);
    for (int i = 0; i < s->n; i++)
        value_shaped_like(c->g->func->module, made->results[i], s->tiles[i]);
    return made;
}

static void running(Combining *c)
{
    Grad *g = c->g;
    const bool reverse = attr_reverse(c->op) != 0;
    Value *x[MOST], *s[MOST], *d[MOST] = {0}, *next[MOST], *before[MOST];
    Slopes slopes = {0};

    for (int i = 0; i < c->n; i++) {
        Value *handed = grad_adjoint(g, c->op->results[i]);
        x[i] = grad_value(g, c->op->operands[i]);
        s[i] = grad_value(g, c->op->results[i]);
        if (c->is_active[i])
            d[i] = handed ? handed : grad_number(g, x[i], 0);
    }
    neighbours(c, x, !reverse, next);
    apply(c, s, next);
    find_slopes(c, &slopes, d);
    if (slopes.n > MAX_COMBINED) {
        grad_refuse(g, c->op,
                    "the gradients of this scan are one of %d tiles at once, and %d are the most",
                    slopes.n, MAX_COMBINED);
        return;
    }
    const Op *all = scan_slopes(c, &slopes);
    for (int i = 0; i < c->n; i++)
        d[i] = slopes.is_reached[i] ? all->results[slopes.gradient[i]] : NULL;
    neighbours(c, s, reverse, before);
    apply(c, before, x);
    pull(c, d);
    Value *first = is_at_end(c, reverse);
    for (int i = 0; i < c->n; i++) {
        Value *through = to_later(c, i);
        grad_add(g, c->op->operands[i], choose(c, first, d[i], through));
    }
}

void grad_combining(Grad *g, const Op *op)
{
    Combining c = {.g = g, .op = op, .body = op->regions[0], .n = op->noperands};

    if (!check(&c))
        return;
    if (op->code == OP_reduce)
        reduction(&c);
    else
        running(&c);
}
