/*
 * digits.c - integers and addresses as sums of digits of one index, times scalars
 *
 * From the operands to the results, an op at a time; what is no such sum has none.
 */
#include "digits.h"

/* --- products ------------------------------------------------------------------------------- */

const Product product_one = {.number = 1};

bool product_is(const Product *p, int64_t number)
{
    return p->count == 0 && p->number == number;
}

static bool push_factor(Product *p, const Value *v)
{
    int at = p->count;

    if (p->count == DIGIT_FACTORS)
        return false;
    for (; at > 0 && p->of[at - 1]->id > v->id; at--)
        p->of[at] = p->of[at - 1];
    p->of[at] = v;
    p->count++;
    return true;
}

bool product_times(const Product *a, const Product *b, Product *out)
{
    Product p = *a;

    if (__builtin_mul_overflow(a->number, b->number, &p.number))
        return false;
    for (int i = 0; i < b->count; i++) {
        if (!push_factor(&p, b->of[i]))
            return false;
    }
    *out = p;
    return true;
}

bool product_quotient(const Product *a, const Product *b, Product *out)
{
    Product p = {0};
    int k = 0;

    if (b->number == 0 || a->number % b->number != 0)
        return false;
    p.number = a->number / b->number;
    for (int i = 0; i < a->count; i++) {
        if (k < b->count && b->of[k] == a->of[i])
            k++;
        else
            p.of[p.count++] = a->of[i];
    }
    *out = p;
    return k == b->count;
}

bool product_same(const Product *a, const Product *b)
{
    Product p;

    return product_quotient(a, b, &p) && product_is(&p, 1);
}

static bool product_of(const Value *v, int depth, Product *out)
{
    int64_t number;
    Product a, b;

    if (value_const_int(v, &number)) {
        *out = (Product){.number = number};
        return true;
    }
    if (v->def && v->def->code == OP_mul && depth > 0)
        return product_of(v->def->operands[0], depth - 1, &a) &&
               product_of(v->def->operands[1], depth - 1, &b) && product_times(&a, &b, out);
    *out = product_one;
    return push_factor(out, v);
}

/* --- sums ----------------------------------------------------------------------------------- */

static bool is_same_digit(const Digit *a, const Digit *b)
{
    return product_same(&a->from, &b->from) && a->open == b->open &&
           (a->open || product_same(&a->size, &b->size));
}

/* Of high * scale of its own + low: is that one digit? */
static bool meet_digits(const DigitTerm *high, const DigitTerm *low, DigitTerm *out)
{
    Product end, scale;

    if (!high->has_digit || !low->has_digit || low->digit.open ||
        !product_times(&low->digit.from, &low->digit.size, &end) ||
        !product_same(&end, &high->digit.from) ||
        !product_times(&low->scale, &low->digit.size, &scale) ||
        !product_same(&scale, &high->scale))
        return false;
    *out = *low;
    out->digit.open = high->digit.open;
    return high->digit.open || product_times(&low->digit.size, &high->digit.size, &out->digit.size);
}

static void remove_term(DigitSum *s, int i)
{
    s->terms[i] = s->terms[--s->count];
}

static bool add_term(DigitSum *s, DigitTerm t)
{
    for (int i = 0; i < s->count; i++) {
        DigitTerm *own = &s->terms[i], both;
        Product quotient;
        if (meet_digits(own, &t, &both) || meet_digits(&t, own, &both)) {
            remove_term(s, i);
            return add_term(s, both);
        }
        if (own->has_digit != t.has_digit || (t.has_digit && !is_same_digit(&own->digit, &t.digit)))
            continue;
        Product a = own->scale, b = t.scale;
        a.number = b.number = 1;
        if (!product_quotient(&a, &b, &quotient) || !product_is(&quotient, 1))
            continue;
        if (__builtin_add_overflow(own->scale.number, t.scale.number, &own->scale.number))
            return false;
        if (own->scale.number == 0)
            remove_term(s, i);
        return true;
    }
    if (t.scale.number == 0)
        return true;
    if (s->count == DIGIT_TERMS)
        return false;
    s->terms[s->count++] = t;
    return true;
}

static bool add_sum(DigitSum *to, const DigitSum *from, const Product *scale)
{
    to->wide |= from->wide;
    for (int i = 0; i < from->count; i++) {
        DigitTerm t = from->terms[i];
        if (!product_times(&t.scale, scale, &t.scale) || !add_term(to, t))
            return false;
    }
    return true;
}

typedef struct {
    const Value *index;
    DigitSum **sums;
} Search;

static const DigitSum *sum_of(const Search *x, const Value *v)
{
    return x->sums[v->id];
}

/* A sum that is one product of scalars. */
static bool is_product(const DigitSum *s, Product *out)
{
    if (!s || s->base || s->count > 1 || (s->count == 1 && s->terms[0].has_digit))
        return false;
    *out = s->count == 1 ? s->terms[0].scale : (Product){0};
    return true;
}

/* A digit's quotient by a product, or what remains. */
static bool divide_digit(const Digit *d, const Product *by, bool remains, Digit *out)
{
    Product more;

    *out = *d;
    if (by->number <= 0 || (!d->open && !product_quotient(&d->size, by, &more)))
        return false;
    if (remains) {
        out->open = false;
        out->size = *by;
        return true;
    }
    if (!d->open)
        out->size = more;
    return product_times(&d->from, by, &out->from);
}

static bool quotient_of(const DigitSum *a, const DigitSum *b, bool remains, DigitSum *out)
{
    Product by;
    DigitTerm t;

    if (!a || a->base || a->count != 1 || !a->terms[0].has_digit || !is_product(b, &by) ||
        !product_is(&a->terms[0].scale, 1))
        return false;
    t = a->terms[0];
    out->wide = a->wide;
    return divide_digit(&a->terms[0].digit, &by, remains, &t.digit) && add_term(out, t);
}

static bool product_sum(const DigitSum *a, const DigitSum *b, DigitSum *out)
{
    Product by;

    if (!a || !b || a->base || b->base)
        return false;
    if (is_product(b, &by))
        return add_sum(out, a, &by);
    return is_product(a, &by) && add_sum(out, b, &by);
}

static bool scalar_sum(const Value *v, DigitSum *out)
{
    DigitTerm t = {0};

    if (v->type->pointer) {
        out->base = v;
        return true;
    }
    out->wide = v->type->dtype == DT_I64;
    return product_of(v, DIGIT_FACTORS, &t.scale) && add_term(out, t);
}

static bool find_sum(const Search *x, const Value *v, DigitSum *out)
{
    const Op *op = v->def;
    const DigitSum *a = op->noperands > 0 ? sum_of(x, op->operands[0]) : NULL;
    const DigitSum *b = op->noperands > 1 ? sum_of(x, op->operands[1]) : NULL;
    const Product less = {.number = -1};
    int64_t number;
    DigitTerm t = {0};

    if (v == x->index) {
        t = (DigitTerm){
            .has_digit = true, .digit = {.from = product_one, .open = true}, .scale = product_one};
        return add_term(out, t);
    }
    switch (op->code) {
    case OP_const:
        t.scale = (Product){0};
        if (!value_const_int(v, &number))
            return false;
        t.scale.number = number;
        out->wide = v->type->dtype == DT_I64;
        return add_term(out, t);
    case OP_splat:
        return scalar_sum(op->operands[0], out);
    case OP_cast:
        if (!a || a->base || v->type->dtype != DT_I64)
            return false;
        *out = *a;
        return out->wide = true;
    case OP_add:
    case OP_sub:
        return a && b && add_sum(out, a, &product_one) &&
               add_sum(out, b, op->code == OP_add ? &product_one : &less);
    case OP_mul:
        return product_sum(a, b, out);
    case OP_div:
    case OP_rem:
        return quotient_of(a, b, op->code == OP_rem, out);
    case OP_addptr:
        if (!a || !b || !a->base)
            return false;
        *out = *a;
        return add_sum(out, b, &product_one);
    default:
        return false;
    }
}

static bool may_be_sum(const Value *v)
{
    const Type *t = v->type;

    return t->rank == 1 && t->handle == HANDLE_NONE &&
           (t->pointer || t->dtype == DT_I32 || t->dtype == DT_I64);
}

DigitSum **digit_sums(const Func *f, const Block *b, const Value *index, Arena *a)
{
    Search x = {.index = index, .sums = NEW_N(a, DigitSum *, (size_t)f->nvalues + 1)};

    for (Op *op = b->first; op; op = op->next) {
        DigitSum s = {0};
        if (op->nresults != 1 || !may_be_sum(op->results[0]) || !find_sum(&x, op->results[0], &s))
            continue;
        x.sums[op->results[0]->id] = NEW(a, DigitSum);
        *x.sums[op->results[0]->id] = s;
    }
    return x.sums;
}
