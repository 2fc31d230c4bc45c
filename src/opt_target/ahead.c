/*
 * ahead.c - a round asks for the next one's loads
 *
 * Takes and gives verified IR, for targets whose threads wait where they use what they loaded.  A
 * round that adds up what it has loaded, or whose lanes wait for each other, has nothing on its way
 * from memory meanwhile; what keeps memory busy are other programs alone.  So the loop carries what
 * it loads: the first round's loads stand in front of it, masked by whether there is one, and each
 * round begins with the next one's, masked alike:
 *
 *     for i in range(lo, hi, step):            x = load(p(lo), m(lo) and lo < hi)
 *         x = load(p(i), m(i))         ->      for i in range(lo, hi, step), x carried:
 *         .. reduce(x) ..                          next = load(p(i + step), m(i + step) and more)
 *                                                  .. reduce(x) ..
 *                                                  x = next
 *
 * What is the same in each round is loaded in front of the loop alone.
 *
 * `more` is hi - i > step without a sign: i < hi in a round, so that neither side wraps; and the
 * other way round where the counter goes down.  Loads
 * that move are plain, of memory that nobody writes meanwhile; their addresses and masks follow
 * from the counter, from what the loop does not change, and from what it carries, by ops that a
 * lane does alone.  Loops that store what they load are left as they are, unless lanes wait in
 * them, or for what the round before has computed: measured, they gain nothing and need registers.
 * In loops with products, what these multiply as it was loaded or converted is left to the targets,
 * which bring it to where products want it; indices, scales and what is computed with first go
 * ahead, as far as the loop's own tiles leave registers.  What a lane keeps more has a limit, in
 * bytes and as a share of its registers: above it enough is on its way.  Where lanes only add up,
 * all loads that could go ahead do, or none: a round that waits for one of them has waited for all.
 * And where they load and add up little in a round, the assembler repeats the loop and asks for
 * several rounds' loads by itself.
 */
#include <string.h>

#include "opt_target.h"
#include "../ir/analysis.h"

enum {
    USUAL_WARPS = 4, /* where the launch does not say */
    LANES = 32,
    MOST_BYTES = 96,         /* that a lane keeps more, */
    BESIDE_SCANS = 128,      /* with scans, whose tiles are in registers anyway, */
    BESIDE_PRODUCTS = 64,    /* in any case, beside products, */
    BESIDE_TILES = 16,       /* with tiles that operands are computed of, */
    ALL_CARRIED = 256,       /* or with all that their loop carries, */
    MOST_OF_ALL = 48 * 1024, /* and all lanes of a program */
    FACTORS = 2,             /* of a product: its first operands */
    FEW_BYTES = 32,          /* of a round, which the assembler repeats, */
    FEW_ELEMENTS = 16,       /* if a lane has no more of its tiles */
    MOST_LOADS = 8,
    MOST_OPS = 256 /* that addresses and masks take */
};

/* What the loop's arguments are in one round, and what has been computed of them. */
typedef struct Round {
    const Block *body;
    Value **args;               /* NULL: what the round before hands on */
    const struct Round *before; /* whose values are made for that */
    Map *made;
    Builder *b;
} Round;

typedef struct {
    const Func *func;
    const AxisFacts *axis; /* NULL: nobody has asked since the last change */
    const PointerBases *bases;
    uint64_t written; /* parameters whose memory the kernel writes, or may see others write */
} Ahead;

typedef struct {
    bool obstacle; /* loops within */
    bool products;
    bool crosses; /* lanes wait for each other, or rounds that store for the one before */
    bool down;    /* the counter goes down */
    bool scans;
    int64_t largest; /* elements of the largest tile */
} Contents;

/* --- which loops and loads ------------------------------------------------------------------- */

static bool follows(const Block *body, const Value *v, bool next, int *ops);

/* Is it in each round what it is in the first? */
static bool stays(const Block *body, const Value *v)
{
    if (v->block != body)
        return true;
    for (int i = 0; v->def && i < v->def->noperands; i++) {
        if (!stays(body, v->def->operands[i]))
            return false;
    }
    return v->def && !op_only_reads(v->def);
}

static bool load_stays(const Op *load)
{
    for (int i = 0; i < load->noperands; i++) {
        if (!stays(load->block, load->operands[i]))
            return false;
    }
    return true;
}

static bool is_handed_on(const Block *body, int i, int *ops)
{
    return i == 0 || follows(body, ir_resolve(opt_last(body)->operands[i - 1]), false, ops);
}

/* Can v be computed at the beginning of a round, for this one or for the next? */
static bool follows(const Block *body, const Value *v, bool next, int *ops)
{
    if (v->block != body)
        return true;
    if (!v->def)
        return !next || is_handed_on(body, v->index, ops);
    if (!op_has(v->def, PURE) || v->def->regions[0] || op_crosses_lanes(v->def) || --*ops < 0)
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (!follows(body, v->def->operands[i], next, ops))
            return false;
    }
    return true;
}

/* Does it read what nobody writes while the kernel runs? */
static bool is_constant(const Ahead *x, const Op *load)
{
    return (ir_bases_of(x->bases, load->operands[LOAD_PTR]) & x->written) == 0;
}

static bool is_plain(const Op *op)
{
    return op_only_reads(op) && !op_is_volatile(op) && attr_cache(op) != CACHE_CV;
}

/* Those that are the same in each round; their number. */
static int keep_staying(Op **loads, int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++) {
        if (load_stays(loads[i]))
            loads[kept++] = loads[i];
    }
    return kept;
}

/* --- beside products: what a load is for --- */

typedef enum {
    MULTIPLIED = 1, /* moved or converted at most: targets bring it to where products want it */
    LOCATES = 2,    /* where something else is loaded that is multiplied */
    OPERAND = 4,    /* a product's operand is computed of it, which waits for it */
    COLUMNS = 8     /* a row of numbers for the columns of a tile, of which a lane has many */
} Purpose;

typedef struct {
    const Block *body;
    uint8_t *of; /* Purposes, by the id of the load's result */
    bool changed;
} Purposes;

static void serve(Purposes *p, const Value *v, Purpose purpose, int *ops)
{
    v = ir_resolve((Value *)v);
    if (v->block != p->body || !v->def || --*ops < 0)
        return;
    if (op_only_reads(v->def)) {
        p->changed |= !(p->of[v->id] & purpose);
        p->of[v->id] |= (uint8_t)purpose;
        return;
    }
    for (int i = 0; i < v->def->noperands; i++)
        serve(p, v->def->operands[i], purpose, ops);
}

static const Value *unmoved(const Value *v)
{
    const Op *op = ir_resolve((Value *)v)->def;

    while (op && op->noperands == 1 &&
           (op_has(op, MOVES) || op->code == OP_cast || op->code == OP_bitcast ||
            op->code == OP_hint)) {
        v = ir_resolve(op->operands[0]);
        op = v->def;
    }
    return ir_resolve((Value *)v);
}

static void note_purposes(Op *op, void *purposes)
{
    Purposes *p = purposes;
    int ops = MOST_OPS;

    for (int i = 0; op->code == OP_dot && i < FACTORS; i++) {
        const Value *from = unmoved(op->operands[i]);
        bool as_it_is = from->def && op_only_reads(from->def);
        serve(p, from, as_it_is ? MULTIPLIED : OPERAND, &ops);
    }
    if (op->code == OP_expand && attr_axis(op) == 0)
        serve(p, op->operands[0], COLUMNS, &ops);
    for (int i = 0; op_only_reads(op) && i < op->noperands; i++) {
        if (p->of[op->results[0]->id] & MULTIPLIED)
            serve(p, op->operands[i], LOCATES, &ops);
        if (p->of[op->results[0]->id] & OPERAND)
            serve(p, op->operands[i], OPERAND, &ops);
    }
}

static const uint8_t *purposes_of(const Ahead *x, const Op *loop)
{
    Purposes p = {.body = loop->regions[0]};

    p.of = NEW_N(x->func->module->arena, uint8_t, x->func->nvalues + 1);
    do {
        p.changed = false;
        ir_walk(loop->regions[0], note_purposes, &p);
    } while (p.changed);
    return p.of;
}

/* --- which go ahead --- */

static int64_t lanes_of(const Ahead *x)
{
    return (x->func->num_warps > 0 ? x->func->num_warps : USUAL_WARPS) * LANES;
}

/* How many neighbours read the same, beside each other or across rows: a lane has it once. */
static int64_t alike(Ahead *x, const Op *load)
{
    const Value *pointer = load->operands[LOAD_PTR];
    int64_t n = 1;

    if (!x->axis) {
        opt_resolve_all(x->func->body); /* what loops in front of this one have changed */
        x->axis = axis_analyse_trusting(x->func, x->func->module->arena);
    }
    for (int d = 0; d < pointer->type->rank; d++) {
        int64_t same = axis_of(x->axis, pointer)->constancy[d];
        n *= same < pointer->type->dims[d] ? same & -same : 1;
    }
    return n;
}

/* What a lane keeps of it: of a row or column of numbers, as the tiles of products want it. */
static int64_t kept_bytes(Ahead *x, const Op *load, int purpose)
{
    enum { ROWS_LANES = 16, COLUMNS_LANES = 4 };
    int64_t bytes = ir_access(load).bytes / (purpose & OPERAND ? alike(x, load) : 1);
    int64_t lanes = lanes_of(x);

    if (load_stays(load))
        return 0;
    if (load->results[0]->type->rank == 1 && purpose & COLUMNS)
        lanes = MIN(lanes, COLUMNS_LANES);
    else if (load->results[0]->type->rank == 1 && purpose & OPERAND)
        lanes = MIN(lanes, ROWS_LANES);
    return (bytes + lanes - 1) / lanes;
}

/* What a lane may keep more; beside products at least so much. */
static int64_t room(const Ahead *x, const Op *loop, int64_t least)
{
    int64_t most = MIN(MOST_BYTES, MOST_OF_ALL / lanes_of(x)), carried = 0;

    for (int i = 0; i < loop->nresults; i++) {
        const Type *t = loop->results[i]->type;
        carried += (type_numel(t) * type_size(t) + lanes_of(x) - 1) / lanes_of(x);
    }
    return least > 0 ? MIN(most, MAX(least, ALL_CARRIED - carried)) : most;
}

static bool can_go(const Ahead *x, const Op *loop, const Op *load)
{
    int ops = MOST_OPS;

    if (!is_plain(load) || (op_contains(loop, WRITES | EFFECT) && !is_constant(x, load)))
        return false;
    for (int i = 0; i < load->noperands; i++) {
        if (!follows(loop->regions[0], load->operands[i], true, &ops))
            return false;
    }
    return true;
}

/* Of a loop with products: what locates, what operands are computed of, what is used behind. */
typedef enum { LOCATING, OPERANDS, BEHIND, GROUPS, NONE = GROUPS } Group;

static Group group_of(const Op *op, int purpose)
{
    if (!op_only_reads(op) || purpose & MULTIPLIED)
        return NONE;
    if (purpose & LOCATES)
        return LOCATING;
    return purpose & OPERAND ? OPERANDS : op->results[0]->type->rank <= 1 ? BEHIND : NONE;
}

static int purpose_of(const uint8_t *purposes, const Op *op)
{
    return op->nresults == 1 ? purposes[op->results[0]->id] : 0;
}

/* Are there tiles among what operands are computed of, and not rows and columns alone? */
static bool has_tiles(const Op *loop, const uint8_t *purposes, Group g)
{
    for (const Op *op = loop->regions[0]->first; g == OPERANDS && op; op = op->next) {
        if (group_of(op, purpose_of(purposes, op)) == g && op->results[0]->type->rank > 1)
            return true;
    }
    return false;
}

/* Is something multiplied as it was loaded, which targets ask for some rounds before? */
static bool has_copies(const Op *loop, const uint8_t *purposes)
{
    for (const Op *op = loop->regions[0]->first; op; op = op->next) {
        if (op_only_reads(op) && purpose_of(purposes, op) & MULTIPLIED)
            return true;
    }
    return false;
}

/* Those that go ahead of products; their number.  What operands are computed of goes as a whole or
 * not at all: a round that waits for one load has waited for all.  Where targets ask for some of a
 * round's tiles early, they do for larger ones of these as well, which stay.  So do rows and
 * columns that are used behind products; tiles, for which products hide the waiting, do not. */
static int find_beside_products(Ahead *x, const Op *loop, Op **loads)
{
    const uint8_t *purposes = purposes_of(x, loop);
    int64_t bytes = 0;
    int n = 0;

    for (Group g = LOCATING; g < GROUPS; g++) {
        int first = n;
        bool tiles = has_tiles(loop, purposes, g);
        bool copied = tiles && has_copies(loop, purposes);
        int64_t before = bytes, most = room(x, loop, tiles ? BESIDE_TILES : BESIDE_PRODUCTS);
        bool all = true;
        for (Op *op = loop->regions[0]->first; op; op = op->next) {
            int purpose = purpose_of(purposes, op);
            int64_t more = group_of(op, purpose) == g ? kept_bytes(x, op, purpose) : 0;
            if (group_of(op, purpose) != g)
                continue;
            if (n == MOST_LOADS || bytes + more > most || !can_go(x, loop, op)) {
                all = all && copied && op->results[0]->type->rank > 1 && can_go(x, loop, op);
                continue;
            }
            bytes += more;
            loads[n++] = op;
        }
        if (!all && g != LOCATING) {
            n = first;
            bytes = before;
        }
    }
    return n;
}

/* Those that go ahead; their number. */
static int find_loads(Ahead *x, const Op *loop, const Contents *has, Op **loads)
{
    int64_t beside = MIN(BESIDE_SCANS, MOST_OF_ALL / lanes_of(x));
    int64_t most = has->scans ? beside : room(x, loop, 0), bytes = 0;
    const bool crosses = has->crosses;
    int n = 0;

    for (Op *op = loop->regions[0]->first; op && n < MOST_LOADS; op = op->next) {
        if (!can_go(x, loop, op))
            continue;
        int64_t more = kept_bytes(x, op, 0);
        if (crosses && bytes + more > most)
            continue;
        bytes += more;
        loads[n++] = op;
    }
    bool repeats = bytes <= FEW_BYTES && has->largest <= FEW_ELEMENTS * lanes_of(x);
    if (crosses || (!repeats && bytes <= most))
        return n;
    return keep_staying(loads, n);
}

static void note_contents(Op *op, void *contents)
{
    Contents *c = contents;

    c->obstacle = c->obstacle || opt_is_loop(op);
    c->products = c->products || op->code == OP_dot;
    c->crosses = c->crosses || op_crosses_lanes(op);
    c->scans = c->scans || op->code == OP_scan;
    for (int i = 0; i < op->nresults; i++)
        c->largest = MAX(c->largest, type_numel(op->results[i]->type));
}

/* Does a round need a tile that the one before has computed? */
static bool is_recurrent(const Op *loop)
{
    for (int i = 0; i < loop->nresults; i++) {
        const Type *t = loop->results[i]->type;
        int ops = MOST_OPS;
        if (t->rank > 0 && !t->pointer && !is_handed_on(loop->regions[0], i + 1, &ops))
            return true;
    }
    return false;
}

static bool takes_loads(const Op *loop, Contents *has)
{
    int64_t step;

    if (loop->code != OP_for || !value_const_signed(loop->operands[FOR_STEP], &step) || step == 0 ||
        attr_num_stages(loop) == 1)
        return false;
    *has = (Contents){.down = step < 0};
    ir_walk(loop->regions[0], note_contents, has);
    if (op_contains(loop, WRITES) && is_recurrent(loop))
        has->crosses = true;
    return !has->obstacle && (has->crosses || !op_contains(loop, WRITES));
}

/* --- the next round's values ----------------------------------------------------------------- */

static Value *value_in(const Round *r, Value *v)
{
    v = ir_resolve(v);
    if (v->block != r->body)
        return v;
    if (!v->def && r->args[v->index])
        return r->args[v->index];
    if (!v->def)
        return value_in(r->before, opt_last(r->body)->operands[v->index - 1]);
    Value *made = map_get(r->made, MAP_KEY(v));
    if (made)
        return made;
    for (int i = 0; i < v->def->noperands; i++) {
        Value *operand = v->def->operands[i];
        map_put(r->made, MAP_KEY(operand), value_in(r, operand));
    }
    op_clone(r->b, v->def, r->made);
    return map_get(r->made, MAP_KEY(v));
}

/* The load as it is in that round, if there is one. */
static Value *load_in(const Round *r, const Op *load, Value *exists)
{
    const Type *shape = load->operands[LOAD_PTR]->type;
    Value *mask = op_operand(load, LOAD_MASK), *other = op_operand(load, LOAD_OTHER);
    Value *pointer = value_in(r, load->operands[LOAD_PTR]);

    if (type_is_tile(shape))
        exists = build_splat(r->b, exists, shape);
    mask = mask ? build_binary(r->b, OP_and, value_in(r, mask), exists) : exists;
    return build_load_like(r->b, load, pointer, mask, other ? value_in(r, other) : NULL);
}

static Value *without_sign(Builder *b, Value *v)
{
    DType t = v->type->dtype;

    return dtype_is_signed(t) ? build_bitcast(b, v, (DType)(DT_U8 + (t - DT_I8))) : v;
}

/* Is there a round behind this one? */
static Value *is_more(Builder *b, const Op *loop, bool down, Value *counter)
{
    Value *hi = loop->operands[FOR_HI], *step = loop->operands[FOR_STEP];
    Value *rest =
        down ? build_binary(b, OP_sub, counter, hi) : build_binary(b, OP_sub, hi, counter);

    if (down)
        step = build_unary(b, OP_neg, step);
    Value *left = without_sign(b, rest);
    return build_binary(b, OP_lt, without_sign(b, step), left);
}

/* Bounds count as signed whatever their dtype (semantics R126). */
static Value *with_sign(Builder *b, Value *v)
{
    DType t = v->type->dtype;

    return dtype_is_unsigned(t) ? build_bitcast(b, v, (DType)(DT_I8 + (t - DT_U8))) : v;
}

/* --- the loop -------------------------------------------------------------------------------- */

static void load_first(Op *loop, bool down, int n, Op *const *loads, Value **out)
{
    Builder b = builder_before(loop);
    const Block *body = loop->regions[0];
    Value *args[body->nargs];
    Round first = {body, args, NULL, map_new(b.module->arena), &b};

    args[0] = loop->operands[FOR_LO];
    for (int i = 1; i < body->nargs; i++)
        args[i] = loop->operands[FOR_BOUNDS + i - 1];
    Value *lo = with_sign(&b, loop->operands[FOR_LO]), *hi = with_sign(&b, loop->operands[FOR_HI]);
    Value *exists = build_binary(&b, OP_lt, down ? hi : lo, down ? lo : hi);
    for (int i = 0; i < n; i++)
        out[i] = load_in(&first, loads[i], exists);
}

static void load_next(const Op *loop, bool down, int n, Op *const *loads, Value **out)
{
    Block *body = loop->regions[0];
    Builder b = builder_before(body->first);
    Value *args[body->nargs];
    const Round now = {body, body->args, NULL, map_new(b.module->arena), &b};
    const Round next = {body, args, &now, map_new(b.module->arena), &b};

    memset(args, 0, sizeof args);
    Value *more = is_more(&b, loop, down, body->args[0]);
    args[0] = build_binary(&b, OP_add, body->args[0], loop->operands[FOR_STEP]);
    for (int i = 0; i < n; i++)
        out[i] = load_in(&next, loads[i], more);
}

/* Those that are the same in each round stand in front of the loop alone. */
static int take_out(Op *loop, bool down, int n, Op **loads)
{
    Value *first[MOST_LOADS];
    Op *same[MOST_LOADS];
    int nsame = 0, rest = 0;

    for (int i = 0; i < n; i++) {
        if (load_stays(loads[i]))
            same[nsame++] = loads[i];
        else
            loads[rest++] = loads[i];
    }
    if (nsame > 0)
        load_first(loop, down, nsame, same, first);
    for (int i = 0; i < nsame; i++) {
        same[i]->results[0]->repl = first[i];
        op_remove(same[i]);
    }
    return rest;
}

static void go_ahead(Op *loop, bool down, int n, Op *const *loads)
{
    Value *first[MOST_LOADS], *next[MOST_LOADS], *now[MOST_LOADS];

    load_first(loop, down, n, loads, first);
    load_next(loop, down, n, loads, next);
    opt_carry_more(loop, n, first, next, now);
    for (int i = 0; i < n; i++) {
        loads[i]->results[0]->repl = now[i];
        op_remove(loads[i]);
    }
}

static void visit(Op *op, void *ahead)
{
    Op *loads[MOST_LOADS];
    Contents has;

    if (!takes_loads(op, &has))
        return;
    int n =
        has.products ? find_beside_products(ahead, op, loads) : find_loads(ahead, op, &has, loads);
    n = take_out(op, has.down, n, loads);
    if (n > 0) {
        go_ahead(op, has.down, n, loads);
        ((Ahead *)ahead)->axis = NULL; /* which knows nothing of what is new */
    }
}

static void find_meeting(Op *op, void *meets)
{
    OpAccess a = ir_access(op);

    if (a.effect == (READS | WRITES) || op->code == OP_inline_asm ||
        op->code == OP_inline_asm_volatile)
        *(bool *)meets = true;
}

void opt_ahead(Func *f, bool disjoint)
{
    Arena *a = f->module->arena;
    Ahead x = {.func = f, .bases = ir_pointer_bases(f, a), .written = EVERY_PARAM};
    bool meets = !disjoint;

    ir_walk(f->body, find_meeting, &meets);
    if (!meets)
        x.written = ir_memory_use(f, a).stored;
    ir_walk(f->body, visit, &x);
    opt_resolve_all(f->body);
}
