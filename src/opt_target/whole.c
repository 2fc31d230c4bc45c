/*
 * whole.c - programs all of whose elements are inside need no masks
 *
 * Takes and gives verified IR, for targets whose threads access memory by vectors.  A mask i < n of
 * a run of indices ends anywhere if n may be any number, so elements of less than a word would be
 * read and written one by one; yet of all programs it leaves out elements of the last one alone. So
 * what follows the mask is there twice:
 *
 *     i = first + arange(0, B)                    i = first + arange(0, B)
 *     x = load(p + i, i < n)            ->        if first < n and n - first >= B:
 *     ..                                              x = load(p + i)
 *     store(q + i, y, i < n)                          ..
 *                                                     store(q + i, y)
 *                                                 else:
 *                                                     x = load(p + i, i < n)
 *                                                     ..
 *
 * n - first does not wrap where it counts: a first below 0 makes it too small at worst, or the
 * first comparison false.  It is for kernels without loops and branches that load and store, and do
 * nothing else to the world.
 */
#include "opt_target.h"
#include "../axis/axis.h"
#include "../ir/analysis.h"

enum {
    WORD = 4,      /* bytes from which on elements are as good as vectors */
    MOST_OPS = 256 /* that are there twice */
};

/* A mask i < n. */
typedef struct {
    Op *op;
    Value *first, *bound; /* tiles of one value */
    int64_t count;
} Mask;

/* Of a run of indices that a bound cuts off. */
static bool is_mask(Op *op, Mask *out)
{
    const Op *sum = op->code == OP_lt ? op->operands[0]->def : NULL;
    int run = 0;

    if (!sum || sum->code != OP_add || sum->results[0]->type->rank != 1 ||
        dtype_is_unsigned(sum->results[0]->type->dtype) || !opt_is_uniform(op->operands[1]))
        return false;
    while (run < 2 && !opt_is_index(sum->operands[run], 0))
        run++;
    if (run == 2 || !opt_is_uniform(sum->operands[1 - run]))
        return false;
    *out = (Mask){.op = op,
                  .first = sum->operands[1 - run],
                  .bound = op->operands[1],
                  .count = op->results[0]->type->dims[0]};
    return true;
}

/* Is there nothing but plain loads and stores and what is computed? */
static bool is_plain(const Block *body)
{
    for (const Op *op = body->first; op; op = op->next) {
        bool access = (op_only_reads(op) && !op_is_volatile(op)) || op->code == OP_store;
        if (op->regions[0] ||
            (!access && op != opt_last(body) && !op_has(op, PURE) && op->code != OP_hint))
            return false;
    }
    return opt_count_ops(body) <= MOST_OPS;
}

/* Would the access move several elements in a word, but for that mask? */
static bool is_cut_up(const AxisFacts *facts, const Op *op, const Mask *mask)
{
    const Value *pointer = op->operands[0], *m = op_operand(op, ir_access(op).mask);
    int size = type_size(&(Type){.dtype = pointer->type->dtype});

    if (!m || !opt_mask_has(m, mask->op->results[0]) || size >= WORD)
        return false;
    const Axis *where = axis_of(facts, pointer), *alike = axis_of(facts, m);
    return where->contiguity[0] == pointer->type->dims[0] && where->divisibility >= WORD &&
           alike->constancy[0] * size < WORD;
}

/* The first mask that cuts up some access; NULL: there is none. */
static bool find_mask(const Func *f, Mask *out)
{
    const AxisFacts *facts = axis_analyse_trusting(f, f->module->arena);

    for (Op *op = f->body->first; op; op = op->next) {
        if (!is_mask(op, out))
            continue;
        for (const Op *access = op->next; access; access = access->next) {
            if (ir_access(access).effect && is_cut_up(facts, access, out))
                return true;
        }
    }
    return false;
}

static Value *all_inside(Builder *b, const Mask *mask)
{
    Value *first = opt_uniform_scalar(b, mask->first);
    Value *bound = opt_uniform_scalar(b, mask->bound);
    Value *rest = build_binary(b, OP_sub, bound, first);
    Value *some = build_binary(b, OP_lt, first, bound);
    Value *count = build_int(b, first->type, mask->count);

    return build_binary(b, OP_and, some, build_binary(b, OP_ge, rest, count));
}

void opt_whole(Func *f)
{
    Mask mask;

    if (!is_plain(f->body) || !find_mask(f, &mask))
        return;
    Builder b = builder_before(mask.op);
    Value *whole = all_inside(&b, &mask);
    Op *branch = build_op(&b, OP_if, 1, &whole, 0, NULL, 0, NULL), *end = opt_last(f->body);
    Builder in = builder_into(&b, branch->regions[0]);
    Map *values = map_new(f->module->arena);

    map_put(values, MAP_KEY(mask.op->results[0]), build_int(&in, mask.op->results[0]->type, 1));
    for (const Op *op = mask.op->next; op != end; op = op->next)
        op_clone(&in, op, values);
    build_yield(&in, OP_yield, 0, NULL);
    for (Op *op = mask.op, *next; op != end; op = next) {
        next = op->next;
        op_append(branch->regions[1], op);
    }
    in = builder_into(&b, branch->regions[1]);
    build_yield(&in, OP_yield, 0, NULL);
}
