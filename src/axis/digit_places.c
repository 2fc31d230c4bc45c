/*
 * digit_places.c - an index as a column, a row, and the number of what these are in
 *
 * Digits begin and end at products, which mostly divide one another: where they do, the index has
 * places there, and each digit is a sum of what stands in some of them.
 */
#include "digits.h"

static void add_cut(DigitCuts *c, const Product *p)
{
    if (product_is(p, 1))
        return;
    for (int i = 0; i < c->count; i++) {
        if (product_same(&c->at[i], p))
            return;
    }
    c->lost |= c->count == DIGIT_CUTS;
    if (!c->lost)
        c->at[c->count++] = *p;
}

void digit_add_cuts(DigitCuts *c, const DigitSum *s)
{
    Product end;

    for (int i = 0; i < s->count; i++) {
        const Digit *d = &s->terms[i].digit;
        if (!s->terms[i].has_digit)
            continue;
        add_cut(c, &d->from);
        if (!d->open && product_times(&d->from, &d->size, &end))
            add_cut(c, &end);
    }
}

/* The cut that divides all others, but for those that are taken already. */
static bool take_cut(DigitPlaces *x, const DigitCuts *c)
{
    for (int i = 0; i < c->count; i++) {
        const Product *p = &c->at[i];
        Product q;
        bool divides = true;
        for (int k = 0; k < x->count; k++)
            divides &= !product_same(p, &x->at[k]) && product_quotient(p, &x->at[k], &q);
        for (int k = 0; k < c->count; k++) {
            bool taken = false;
            for (int j = 0; j < x->count; j++)
                taken |= product_same(&c->at[k], &x->at[j]);
            divides &= taken || product_quotient(&c->at[k], p, &q);
        }
        if (!divides)
            continue;
        x->at[x->count++] = *p;
        return true;
    }
    return false;
}

bool digit_places_of(const DigitCuts *c, DigitPlaces *out)
{
    *out = (DigitPlaces){.count = 1, .at = {product_one}};
    if (c->lost || !take_cut(out, c))
        return false;
    take_cut(out, c);
    return true;
}

/* The place that begins there; -1: none. */
static int place_of(const DigitPlaces *x, const Product *at)
{
    for (int i = 0; i < x->count; i++) {
        if (product_same(at, &x->at[i]))
            return i;
    }
    return -1;
}

bool digit_spans(const DigitPlaces *x, const Digit *d, int *first, int *end)
{
    Product to;

    *first = place_of(x, &d->from);
    *end = x->count;
    if (d->open)
        return *first >= 0;
    if (!product_times(&d->from, &d->size, &to))
        return false;
    *end = place_of(x, &to);
    return *first >= 0 && *end > *first;
}

bool digit_scale(const DigitPlaces *x, const DigitTerm *t, int place, Product *out)
{
    return product_quotient(&x->at[place], &t->digit.from, out) &&
           product_times(out, &t->scale, out);
}

bool digit_is_placed(const DigitPlaces *x, const DigitSum *s)
{
    int first, end;

    for (int i = 0; i < s->count; i++) {
        Product scale;
        if (!s->terms[i].has_digit)
            continue;
        if (!digit_spans(x, &s->terms[i].digit, &first, &end))
            return false;
        for (int k = first; k < end; k++) {
            if (!digit_scale(x, &s->terms[i], k, &scale))
                return false;
        }
    }
    return true;
}

bool digit_factor(const DigitPlaces *x, const DigitSum *s, int place, Product *out)
{
    int first, end, found = 0;

    *out = (Product){0};
    for (int i = 0; i < s->count; i++) {
        if (s->terms[i].has_digit && digit_spans(x, &s->terms[i].digit, &first, &end) &&
            first <= place && place < end) {
            found++;
            digit_scale(x, &s->terms[i], place, out);
        }
    }
    return found <= 1;
}
