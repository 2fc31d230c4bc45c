/*
 * suspect_radix.c - the parts of an index whose bases do not fit together
 *
 * An index of several digits is a * N + b with b less than N.  Told is
 *   - a * (H // G) + h % G: there are H // G groups, h // G is the group of h, and h % G its place
 *     in the group, which ends at G;
 *   - (tl.load(table + t // P) + t % P) * D: a page number, and a place in the page, without the P
 *     between them, and tl.load(table + t // P) * P + t // P, with the page for the place;
 *   - (p // H) * stride_b + (p // H) * stride_h: one digit, where two were meant;
 *   - c % R and c % W in one address, and no quotient of c: which of them is the next digit?
 *   - tl.load(x + label), of a label that was loaded for the program, where x is else gone through
 *     by rows, pid * stride: the row is missing.
 */
#include "suspect.h"

enum { DEEPEST = 12, SAME_DEPTH = 8, MOST_TERMS = 16 };

/* What is added up in an index or an address. */
typedef struct {
    const Value *at[MOST_TERMS];
    int n;
} Terms;

static void find_terms(Terms *t, const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (op && (op->code == OP_add || op->code == OP_addptr) && depth > 0) {
        find_terms(t, op->operands[0], depth - 1);
        find_terms(t, op->operands[1], depth - 1);
    } else if (t->n < MOST_TERMS) {
        t->at[t->n++] = ir_bare(v);
    }
}

static const Op *op_of(const Value *v, OpCode code)
{
    const Op *op = ir_bare(v)->def;

    return op && op->code == code ? op : NULL;
}

static bool is_same(const Value *a, const Value *b)
{
    return ir_same(ir_bare(a), ir_bare(b), SAME_DEPTH);
}

/* --- heads and groups --- */

/* Is one of the factors a number of the launch, divided by what h % G is the rest of?  Of one and
 * the same number, n % G is what is left over of G shares. */
static bool has_quotient(const Value *product, const Op *rest)
{
    const Op *op = op_of(product, OP_mul);

    for (int i = 0; op && i < 2; i++) {
        const Op *quotient = op_of(op->operands[i], OP_div);
        if (quotient && is_same(quotient->operands[1], rest->operands[1]) &&
            !ir_bare(quotient->operands[0])->def && ir_bare(rest->operands[0])->def)
            return true;
    }
    return false;
}

/* --- pages --- */

/* Is it loaded at an index that t / P is part of? */
static bool is_of_page(const Value *v, const Op *rest)
{
    const Op *load = ir_bare(v)->def;
    Terms t = {.n = 0};

    if (!load || !op_only_reads(load))
        return false;
    find_terms(&t, load->operands[ir_access(load).pointer], DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Op *page = op_of(t.at[i], OP_div);
        if (page && is_same(page->operands[0], rest->operands[0]) &&
            is_same(page->operands[1], rest->operands[1]))
            return true;
    }
    return false;
}

/* (tl.load(table + t // P) + t % P) * D of lanes: what is not multiplied is an element, and the
 * table may say at which the elements of a page begin, as one of rows does for a program's. */
static void look_at_pages(const Suspect *s, const Value *multiplied)
{
    Terms t = {.n = 0};

    find_terms(&t, multiplied, DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Op *rest = op_of(t.at[i], OP_rem);
        bool lanes = rest && type_is_tile(rest->results[0]->type);
        for (int k = 0; lanes && k < t.n; k++) {
            if (is_of_page(t.at[k], rest)) {
                tell_warn(s, ir_bare(multiplied)->def, "page * SIZE + t % SIZE",
                          "this adds a place in a page to the number of the page, which is not "
                          "multiplied by how many places a page has");
                return;
            }
        }
    }
}

/* tl.load(table + t // P) * P + t // P */
static void look_at_place(const Suspect *s, const Op *op)
{
    Terms t = {.n = 0};

    find_terms(&t, op->results[0], DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Op *place = op_of(t.at[i], OP_div);
        for (int k = 0; place && k < t.n; k++) {
            const Op *page = op_of(t.at[k], OP_mul);
            for (int f = 0; page && f < 2; f++) {
                if (is_same(page->operands[1 - f], place->operands[1]) &&
                    is_of_page(page->operands[f], place) && !diag_warned(s->diags, op->span))
                    tell_warn(s, op, "page * SIZE + t % SIZE",
                              "this adds the number by which the page was found, where the "
                              "place in the page is what is left over");
            }
        }
    }
}

static void look_at_sum(const Suspect *s, const Op *op)
{
    Terms t = {.n = 0};

    look_at_place(s, op);
    find_terms(&t, op->results[0], DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Op *rest = op_of(t.at[i], OP_rem);
        for (int k = 0; rest && k < t.n; k++) {
            if (has_quotient(t.at[k], rest) &&
                !diag_warned(s->diags, rest->results[0]->def->span)) {
                tell_warn(s, rest->results[0]->def, "h // G is the group, h % G a place in it",
                          "this is less than the size of a group, and there are as many of its "
                          "kind in an index as there are groups");
                return;
            }
        }
    }
}

/* --- one digit twice --- */

static bool follows_program(const Value *v, int depth);

/* The digit of a program's number that is multiplied by a number of the launch; NULL: none is. */
static const Op *digit_of(const Value *term, const Value **stride)
{
    const Op *op = op_of(term, OP_mul);

    for (int i = 0; op && i < 2; i++) {
        const Op *digit = ir_bare(op->operands[i])->def;
        *stride = ir_bare(op->operands[1 - i]);
        if (digit && (digit->code == OP_div || digit->code == OP_rem) && !(*stride)->def &&
            !(*stride)->block->owner && follows_program(digit->operands[0], DEEPEST))
            return digit;
    }
    return NULL;
}

static void look_at_digits(const Suspect *s, const Op *op)
{
    const Value *first, *second;
    Terms t = {.n = 0};

    find_terms(&t, op->results[0], DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Op *digit = digit_of(t.at[i], &first);
        for (int k = i + 1; digit && k < t.n; k++) {
            const Op *again = digit_of(t.at[k], &second);
            if (!again || first == second || !is_same(digit->results[0], again->results[0]) ||
                diag_warned(s->diags, again->span))
                continue;
            tell_warn(s, again, "p // H is the one, p % H the other",
                      "this is the same part of the program's number as in another term of an "
                      "address, which has another stride");
            return;
        }
    }
}

/* --- two last digits --- */

static void find_digits(Terms *t, const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return;
    if ((op->code == OP_rem || op->code == OP_div) && t->n < MOST_TERMS)
        t->at[t->n++] = op->results[0];
    for (int i = 0; i < 2 && (op->code == OP_add || op->code == OP_addptr || op->code == OP_mul);
         i++)
        find_digits(t, op->operands[i], depth - 1);
}

/* The digit that is the rest of the same index by another number; NULL: none, or one is a quotient
 * of it. */
static const Op *other_rest(const Terms *t, const Op *rest)
{
    const Op *found = NULL;

    for (int i = 0; i < t->n; i++) {
        const Op *op = t->at[i]->def;
        if (!is_same(op->operands[0], rest->operands[0]))
            continue;
        if (op->code == OP_div || t->n == MOST_TERMS)
            return NULL;
        found = is_same(op->operands[1], rest->operands[1]) ? found : op;
    }
    return found;
}

static void look_at_rests(const Suspect *s, const Op *access)
{
    Terms t = {.n = 0};

    find_digits(&t, access->operands[ir_access(access).pointer], DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Op *other = t.at[i]->def->code == OP_rem ? other_rest(&t, t.at[i]->def) : NULL;
        if (other && !diag_warned(s->diags, other->span)) {
            tell_warn(s, other, "c % R is the last digit, c // R what is in front of it",
                      "an address has the remainder of this index by another number, too, and "
                      "no quotient of it");
            return;
        }
    }
}

/* --- rows --- */

static bool follows_program(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return depth == 0;
    if (op->code == OP_program_id)
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (follows_program(op->operands[i], depth - 1))
            return true;
    }
    return op->regions[0] != NULL;
}

/* A row that is a program's, times a number of the launch */
static bool is_row(const Value *v)
{
    const Op *op = op_of(v, OP_mul);

    for (int i = 0; op && i < 2; i++) {
        if (op_of(op->operands[i], OP_program_id) && !ir_bare(op->operands[1 - i])->def)
            return true;
    }
    return false;
}

typedef struct {
    const Value *array;
    int accesses, by_rows; /* of it; those that have a row in their addresses */
} Rows;

static void count_access(Op *op, void *rows)
{
    Rows *r = rows;
    Terms t = {.n = 0};

    if (!op_has(op, READS | WRITES) || op->noperands == 0 || !op->operands[0]->type->pointer)
        return;
    find_terms(&t, op->operands[0], DEEPEST);
    if (t.n == 0 || t.at[0] != r->array)
        return;
    r->accesses++;
    for (int i = 1; i < t.n; i++) {
        if (is_row(t.at[i])) {
            r->by_rows++;
            break;
        }
    }
}

/* tl.load(x + label) */
static void look_at_label(const Suspect *s, const Op *load)
{
    Terms t = {.n = 0};

    find_terms(&t, load->operands[ir_access(load).pointer], DEEPEST);
    if (load->results[0]->type->rank > 0 || t.n != 2 || t.at[0]->def || !t.at[0]->type->pointer)
        return;
    const Op *label = t.at[1]->def;
    if (!label || !op_only_reads(label) ||
        !follows_program(label->operands[ir_access(label).pointer], DEEPEST))
        return;
    Rows r = {t.at[0], 0, 0};
    ir_walk(s->func->body, count_access, &r);
    if (r.by_rows > 0 && r.by_rows == r.accesses - 1)
        tell_warn(s, load, "x + row * stride + label",
                  "this is an element of the first row in all programs: all else of this array "
                  "is taken by rows");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if ((op->code == OP_add && dtype_is_int(op->results[0]->type->dtype)) || op->code == OP_addptr)
        look_at_sum(s, op);
    if (op->code == OP_addptr)
        look_at_digits(s, op);
    for (int i = 0; op->code == OP_mul && i < 2; i++)
        look_at_pages(s, op->operands[i]);
    if (ir_access(op).effect)
        look_at_rests(s, op);
    if (op_only_reads(op) && s->func->is_kernel)
        look_at_label(s, op);
}

void suspect_radix(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
