/*
 * print_random.c - random numbers as the calls that they come from: tl.rand(seed, offset)
 *
 * The lowering spells Philox out, and what is known of seed and offset has changed that since.  So
 * a word is recognised by what it is: its ops give for some numbers in place of seed and offset
 * what Philox does.
 */
#include "../opt/opt.h"
#include "print.h"

enum { SAMPLES = 6, ROUNDS = 10, MOST_CONE = 400 };

/* Of some values, in the order in which they are met. */
typedef struct {
    const Value *leaves[2]; /* seed and offset */
    int nleaves, size;
    Map *met;
    bool good;
} Cone;

static bool is_word(const Value *v)
{
    return v->type->dtype == DT_U32 || v->type->dtype == DT_U64;
}

static bool only_spreads(OpCode code)
{
    return code == OP_splat || code == OP_broadcast || code == OP_expand || code == OP_reshape;
}

/* Words are made of words; else it is what they are made of. */
static void find_leaves(Cone *c, const Value *v)
{
    const Op *op = v->def;

    if (!c->good || map_get(c->met, MAP_KEY(v)))
        return;
    map_put(c->met, MAP_KEY(v), (void *)v);
    if (op && op->code == OP_const)
        return;
    if (is_word(v) && op && op->nresults == 1 &&
        (only_spreads(op->code) || op->code == OP_xor || op->code == OP_mul ||
         op->code == OP_mulhi || op->code == OP_add || op->code == OP_shr || op->code == OP_cast)) {
        c->good = ++c->size < MOST_CONE;
        for (int i = 0; i < op->noperands; i++)
            find_leaves(c, op->operands[i]);
        return;
    }
    c->good = c->nleaves < COUNT(c->leaves) && opt_is_int(v);
    if (c->good)
        c->leaves[c->nleaves++] = v;
}

/* What v is where the leaves are these numbers. */
static uint64_t value_at(const Value *v, const Cone *c, const uint64_t *leaves, Map *known,
                         Arena *a)
{
    const Op *op = v->def;
    uint64_t bits = 0, operands[2] = {0}, *kept = map_get(known, MAP_KEY(v));
    const void *src[2] = {&operands[0], &operands[1]};

    if (kept)
        return *kept;
    for (int i = 0; i < c->nleaves; i++) {
        if (v == c->leaves[i])
            return leaves[i];
    }
    if (value_constant(v, &bits))
        return bits;
    for (int i = 0; i < op->noperands; i++)
        operands[i] = value_at(op->operands[i], c, leaves, known, a);
    if (only_spreads(op->code))
        bits = operands[0];
    else
        scalar_apply(op->code, op->attrs, op->operands[0]->type->dtype, v->type->dtype, src, &bits,
                     1);
    kept = NEW(a, uint64_t);
    *kept = bits;
    map_put(known, MAP_KEY(v), kept);
    return bits;
}

static void philox(uint64_t seed, uint64_t offset, bool wide, uint32_t *c)
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

    c[0] = (uint32_t)offset;
    c[1] = wide ? (uint32_t)(offset >> 32) : 0;
    c[2] = c[3] = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
        c[1] = (uint32_t)b;
        c[3] = (uint32_t)a;
        key[0] += UINT32_C(0x9E3779B9);
        key[1] += UINT32_C(0xBB67AE85);
    }
}

/* A number of the type, as the value has it; *as: what a seed of 64 bits is made of it. */
static uint64_t sample(DType t, uint64_t *state, uint64_t *as)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int bits = dtype_bits(t);
    const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : ~UINT64_C(0);
    const uint64_t drawn = (*state ^ *state >> 29) & mask;

    *as = (uint64_t)scalar_to_int(t, drawn);
    return drawn;
}

/* Is it that word of seed and offset, which are the leaves in this order or the other? */
static bool is_drawn(Writer *p, const Value *v, const Cone *c, int word, int seed)
{
    uint64_t state = 1;

    for (int i = 0; i < SAMPLES; i++) {
        uint64_t leaves[2], as[2];
        uint32_t words[4];
        for (int k = 0; k < 2; k++)
            leaves[k] = sample(c->leaves[k]->type->dtype, &state, &as[k]);
        philox(as[seed], as[1 - seed], dtype_bits(c->leaves[1 - seed]->type->dtype) == 64, words);
        if (value_at(v, c, leaves, map_new(p->arena), p->arena) != words[word])
            return false;
    }
    return true;
}

/* Seed and offset of one of the first two words that the counter gives; NULL: it is none. */
static const Draw *word_of(Writer *p, const Value *v, int word)
{
    Cone c = {.met = map_new(p->arena), .good = v->type->dtype == DT_U32};

    find_leaves(&c, v);
    if (!c.good || c.nleaves != 2 || c.size < ROUNDS)
        return NULL;
    for (int seed = 0; seed < 2; seed++) {
        if (!is_drawn(p, v, &c, word, seed))
            continue;
        Draw *found = NEW(p->arena, Draw);
        *found = (Draw){"tl.randint", {c.leaves[seed], c.leaves[1 - seed]}};
        return found;
    }
    return NULL;
}

/* The word that is a number in [0, 1) as tl.rand makes it; NULL. */
static const Value *word_in(const Value *v)
{
    uint64_t bits;
    const Op *times = opt_made_by(v, OP_mul);
    const Op *cast = times ? opt_made_by(times->operands[0], OP_cast) : NULL;
    const Op *select = cast ? opt_made_by(cast->operands[0], OP_select) : NULL;
    const Op *less = select ? opt_made_by(select->operands[0], OP_lt) : NULL;
    const Op *word = select ? opt_made_by(select->operands[2], OP_bitcast) : NULL;
    const Op *turned = select ? opt_made_by(select->operands[1], OP_not) : NULL;

    if (!less || !word || !turned || turned->operands[0] != word->results[0] ||
        less->operands[0] != word->results[0] || !value_constant(less->operands[1], &bits) ||
        bits != 0 || !value_constant(times->operands[1], &bits) || v->type->dtype != DT_FP32 ||
        bits != UINT64_C(0x2FFFFFFF))
        return NULL;
    return word->operands[0];
}

static const Value *times_number(const Value *v, double *number)
{
    const Op *op = opt_made_by(v, OP_mul);
    uint64_t bits;

    for (int i = 0; op && i < 2; i++) {
        if (value_constant(op->operands[i], &bits)) {
            *number = scalar_to_double(v->type->dtype, bits);
            return op->operands[1 - i];
        }
    }
    return NULL;
}

/* sqrt(-2 log(max(1e-7, u))) * cos(2 pi w), with the words that u and w are. */
static bool is_normal(const Value *v, const Value **first, const Value **second)
{
    const Op *times = opt_made_by(v, OP_mul);
    const Op *root = times ? opt_made_by(times->operands[0], OP_sqrt) : NULL;
    const Op *cos = times ? opt_made_by(times->operands[1], OP_cos) : NULL;
    double minus_two = 0, circle = 0;
    uint64_t least;

    if (!root || !cos || v->type->dtype != DT_FP32)
        return false;
    const Value *logged = times_number(root->operands[0], &minus_two);
    const Value *turn = times_number(cos->operands[0], &circle);
    const Op *log = logged ? opt_made_by(logged, OP_log) : NULL;
    const Op *max = log ? opt_made_by(log->operands[0], OP_max) : NULL;
    for (int i = 0; max && turn && i < 2; i++) {
        *first = word_in(max->operands[i]);
        *second = word_in(turn);
        if (*first && *second && value_constant(max->operands[1 - i], &least))
            return minus_two == -2 && (float)circle == 6.2831853F &&
                   (float)scalar_to_double(DT_FP32, least) == 1.0e-7F;
    }
    return false;
}

static const Draw *draw_of(Writer *p, const Value *v)
{
    const Value *first, *second;
    const Draw *word;
    const char *call = "tl.randint";

    if (is_normal(v, &first, &second)) {
        const Draw *other = word_of(p, second, 1);
        word = other ? word_of(p, first, 0) : NULL;
        if (word && (other->of[0] != word->of[0] || other->of[1] != word->of[1]))
            return NULL;
        call = "tl.randn";
    } else if (word_in(v)) {
        word = word_of(p, word_in(v), 0);
        call = "tl.rand";
    } else {
        word = opt_made_by(v, OP_xor) ? word_of(p, v, 0) : NULL;
    }
    if (!word)
        return NULL;
    Draw *found = NEW(p->arena, Draw);
    *found = (Draw){call, {word->of[0], word->of[1]}};
    return found;
}

static void has_mulhi(Op *op, void *found)
{
    *(bool *)found |= op->code == OP_mulhi;
}

/* From the last op to the first: what others read is known. */
static void find_in(Writer *p, const Block *b)
{
    for (const Op *op = b->last; op; op = op->prev) {
        for (int i = COUNT(op->regions) - 1; i >= 0; i--) {
            if (op->regions[i])
                find_in(p, op->regions[i]);
        }
        if (op->nresults != 1 || !op_has(op, PURE))
            continue;
        const Value *v = op->results[0];
        bool only_for_draws = uses_count(&p->uses, v) > 0;
        for (int i = 0; i < uses_count(&p->uses, v); i++) {
            const Op *by = uses_of(&p->uses, v)[i].op;
            only_for_draws &=
                by->nresults == 1 && map_get(p->drawn, MAP_KEY(by->results[0])) != NULL;
        }
        static const Draw part;
        const Draw *draw = only_for_draws ? NULL : draw_of(p, v);
        bool hides = only_for_draws && !v->name && !map_get(p->given, MAP_KEY(v));
        for (int i = 0; draw && i < COUNT(draw->of); i++)
            map_put(p->given, MAP_KEY(draw->of[i]), (void *)draw);
        if (draw)
            map_put(p->draws, MAP_KEY(v), (void *)draw);
        if (draw || hides)
            map_put(p->drawn, MAP_KEY(v), (void *)&part);
    }
}

void print_find_draws(Writer *p)
{
    bool any = false;

    ir_walk(p->g->func->body, has_mulhi, &any);
    if (any)
        find_in(p, p->g->func->body);
}

const Draw *print_draw(const Writer *p, const Value *v)
{
    return map_get(p->draws, MAP_KEY(v));
}

bool print_is_for_draws(const Writer *p, const Value *v)
{
    return map_get(p->drawn, MAP_KEY(v)) && !map_get(p->draws, MAP_KEY(v));
}

void put_draw(Writer *p, const Draw *draw)
{
    text_printf(&p->text, "%s(", draw->call);
    put_value(p, draw->of[0], LEVEL_ANY);
    text_put(&p->text, ", ");
    put_value(p, draw->of[1], LEVEL_ANY);
    text_put(&p->text, ")");
}
