/*
 * plan_hint.c - does most of the work of a kernel go through rows that are too short for vectors?
 *
 * A row of a nest costs its addresses, its bounds and the loop, however short it is, and a vector
 * that it does not fill costs as much as a full one.  So where a row has no more than half of a
 * vector's lanes, each element takes at least twice as long as in rows of several vectors.  That
 * holds where the row is contiguous in memory: what gathers lanes one by one pays for each of
 * them.  Where nothing is contiguous, as in a tile of one column, each element is a row.
 *
 * A product of few rows, or of short ones, uses each element that it loads so few times: what reads
 * its operands, in the same block, is part of its work then, and gets less with it.  Of a single
 * row or column it has become a sum of products (opt_target/thin.c), which is looked for by what
 * that leaves. docs/block-sizes.md has the measurements; `run --time` knows which block size makes
 * rows longer.
 */
#include "plan_verify.h"

enum {
    ROUNDS = 8,       /* of a loop, whose trips are not known */
    SMALL_TYPES = 16, /* from more lanes than that on elements are widened on their way, and a
                       * vector is several registers */
    FEW_ROWS = 4      /* of a product, which is made for many */
};

typedef struct {
    const Plan *plan;
    double all, narrow; /* work: of everything, and in short rows */
    double most;        /* of one of these */
    PlanHint hint;      /* about that */
    Map *thin;          /* ops that add up products with one row or column */
} Survey;

/* Is it read or written in vectors of neighbours, or element by element? */
static void count_forms(const AccessPlan *a, int *contiguous, int *apart)
{
    *contiguous += a->form == FORM_CONTIGUOUS || a->form == FORM_BACKWARDS ||
                   a->form == FORM_SPREAD || a->form == FORM_FLIPPED || a->form == FORM_RECORD;
    *apart += a->form == FORM_STEPS || a->form == FORM_LANES || a->form == FORM_INDEXED;
}

/* The elements of a row that lie side by side; 0: some accesses have neighbours, others do not. */
static int row_of(const Nest *n)
{
    int contiguous = 0, apart = 0;

    for (int i = 0; i < n->leaves.len; i++) {
        if (n->leaves.at[i].access)
            count_forms(n->leaves.at[i].access, &contiguous, &apart);
    }
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].access)
            count_forms(n->roots.at[i].access, &contiguous, &apart);
    }
    if (contiguous > 0 && apart > 0)
        return 0;
    return apart > 0 ? 1 : n->dims[n->order[n->rank - 1]];
}

static bool is_short(int row, int vector)
{
    return row > 0 && row * (vector > SMALL_TYPES ? 4 : 2) <= vector;
}

static void add(Survey *s, double work, PlanHint hint)
{
    s->all += work;
    if (!is_short(hint.row, hint.vector))
        return;
    s->narrow += work;
    if (work > s->most) {
        s->most = work;
        s->hint = hint;
    }
}

static const Op *made_by(const Value *v, OpCode code)
{
    return v->def && v->def->code == code ? v->def : NULL;
}

static bool is_repeated(const Value *v)
{
    return made_by(v, OP_broadcast) != NULL;
}

/* The sum of products that the addition takes as a row or a column: a product with one; NULL. */
static const Op *thin_product(const Op *add)
{
    const Op *row = made_by(add->operands[1], OP_expand);
    const Op *sum = row ? made_by(row->operands[0], OP_reduce) : NULL;
    const Op *all = sum ? made_by(sum->operands[0], OP_mul) : NULL;

    return all && is_repeated(all->operands[0]) != is_repeated(all->operands[1]) ? sum : NULL;
}

static void note_thin(Op *op, void *thin)
{
    const Op *sum = op->code == OP_add ? thin_product(op) : NULL;

    if (sum)
        map_put(thin, MAP_KEY(sum), (void *)op);
}

/* Is it such a product? */
static bool is_thin(const Survey *s, const Nest *n)
{
    for (int i = 0; i < n->roots.len; i++) {
        if (map_get(s->thin, MAP_KEY(n->roots.at[i].op)))
            return true;
    }
    return false;
}

/* `product`: that of its block, or NULL. */
static void survey_nest(Survey *s, const Nest *n, const PlanHint *product, double rounds)
{
    PlanHint own = {n->serial ? 0 : row_of(n), plan_full_lanes(s->plan, n)};
    double elements = rounds;

    if (is_thin(s, n))
        own.row = 1;
    for (int i = 0; i < n->rank; i++)
        elements *= n->dims[i];
    add(s, elements * (n->work + n->roots.len),
        product && is_short(product->row, product->vector) ? *product : own);
}

static PlanHint hint_of_dot(const Plan *p, const Op *op)
{
    const Type *acc = op->results[0]->type;
    int rows = acc->dims[acc->rank - 2], columns = acc->dims[acc->rank - 1];
    int vector = p->machine.vector_bytes / dtype_size(plan_register_dtype(acc->dtype));

    return (PlanHint){rows <= FEW_ROWS ? rows : columns, vector};
}

static double work_of_dot(const Op *op)
{
    const Type *a = op->operands[DOT_A]->type, *acc = op->results[0]->type;

    return (double)acc->dims[acc->rank - 2] * acc->dims[acc->rank - 1] * a->dims[a->rank - 1];
}

/* The largest product right in a block; NULL. */
static const Op *largest_dot(const BlockPlan *b)
{
    const Op *most = NULL;

    for (int i = 0; i < b->steps.len; i++) {
        const Step *step = &b->steps.at[i];

        if (step->kind == STEP_DOT && (!most || work_of_dot(step->op) > work_of_dot(most)))
            most = step->op;
    }
    return most;
}

static void survey_block(Survey *s, const BlockPlan *b, double rounds)
{
    const Op *dot = b ? largest_dot(b) : NULL;
    PlanHint product = dot ? hint_of_dot(s->plan, dot) : (PlanHint){0};

    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *step = &b->steps.at[i];
        bool loops = step->kind == STEP_FOR || step->kind == STEP_WHILE;

        if (step->kind == STEP_NEST)
            survey_nest(s, step->nest, dot ? &product : NULL, rounds);
        if (step->kind == STEP_DOT)
            add(s, rounds * work_of_dot(step->op), hint_of_dot(s->plan, step->op));
        survey_block(s, step->body[0], loops ? rounds * ROUNDS : rounds);
        survey_block(s, step->body[1], loops ? rounds * ROUNDS : rounds);
    }
}

bool plan_hint(const Plan *p, PlanHint *out)
{
    Arena *a = arena_new(NULL);
    Survey s = {.plan = p, .thin = map_new(a)};

    ir_walk(p->func->body, note_thin, s.thin);
    survey_block(&s, p->body, 1);
    arena_free(a);
    *out = s.hint;
    return s.narrow > s.all / 2;
}
