/*
 * strides.c - arrays whose strides the kernel does not go by
 *
 * A kernel gets an address, and the strides that it is given as numbers.  x[::2] for a kernel that
 * takes no stride gives it the elements between; so does x[:, :100] of an array of 128 columns, and
 * height and width that were turned around read other rows.  Results are wrong, and nothing fails.
 *
 * What the kernel goes by was found when it was lowered (src/check/strides.c).  Said at the launch:
 *   - lanes next to each other take elements next to each other, and no stride of the array is 1;
 *   - elements of what is stored to lie in one place, as x.expand() and broadcasting leave them:
 *     they cannot hold different values, and who goes on by their number leaves the memory;
 *   - an index is multiplied with a number that is no stride of an array of two dimensions, but is
 *     how many columns it has, where rows lie further apart; or how many rows, where another number
 *     of the launch is how many columns; or the stride in bytes, as NumPy has it; or how many
 *     columns a picture has, without its channels;
 *   - elements of two arrays of one shape are taken by one index, and lie in another order.
 * Else nothing is said of what is broadcast, nor of numbers that are neither.
 */
#include <stdio.h>

#include "warn.h"
#include "../tensor/tensor.h"

static void say(const Launch *l, Told kind, int slot, const char *what, const char *hint)
{
    if (warn_claim(l, kind, slot))
        warn_say_of(l, l->tensors[slot], what, hint);
}

/* No dimension has elements next to each other. */
static bool has_gaps_only(const tilec_tensor *t)
{
    int longer = 0;

    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0 || (t->shape[i] > 1 && tensor_stride(t, i) == 1))
            return false;
        longer += t->shape[i] > 1;
    }
    return longer > 0;
}

typedef struct {
    char text[200];
} StrideList;

static StrideList list_strides(const tilec_tensor *t)
{
    StrideList list = {""};
    int n = 0;

    for (int i = 0; i < t->ndim && n < (int)sizeof list.text - 24; i++)
        n += snprintf(list.text + n, sizeof list.text - n, "%s%lld", i ? ", " : "",
                      (long long)tensor_stride(t, i));
    return list;
}

static void warn_of_gaps(const Launch *l, int slot)
{
    const StrideList list = list_strides(l->tensors[slot]);
    char what[400];

    snprintf(
        what, sizeof what,
        "its strides are (%s), and kernel `%.100s` takes elements that lie next to each other, "
        "which are not its own",
        list.text, l->kernel);
    say(l, TOLD_STRIDES, slot, what,
        "a kernel knows the strides that it is given, x + i * stride; else it needs an array "
        "without gaps, a copy");
}

static void look_at_places(const Launch *l, int slot)
{
    const tilec_tensor *t = l->tensors[slot];
    int64_t elements, places;
    char what[400];

    if (!tensor_overlaps(t, &elements, &places))
        return;
    const StrideList list = list_strides(t);
    snprintf(what, sizeof what,
             "its %lld elements share %lld place%s of memory, as its strides (%s) say, and kernel "
             "`%.100s` stores to it",
             (long long)elements, (long long)places, places == 1 ? "" : "s", list.text, l->kernel);
    say(l, TOLD_PLACES, slot, what,
        "an output has a place for each element: torch.empty(shape), or x.contiguous() of what "
        "x.expand() or broadcasting made");
}

/* Is it a number of the launch, or one that is compiled in? */
static bool is_given(const Launch *l, int64_t number, int but)
{
    for (int i = 0; i < l->nslots; i++) {
        if (i != but && !l->tensors[i] && (int64_t)l->slots[i] == number)
            return true;
    }
    for (int i = 0; i < l->nargs; i++) {
        if (l->args[i].kind == TILEC_ARG_INT && l->args[i].integer == number &&
            number != (int64_t)l->slots[but])
            return true;
    }
    return false;
}

/* Does the kernel go through the array by this number, too? */
static bool is_step(const Launch *l, int slot, int64_t number)
{
    const Steps *s = &l->programs->steps;

    for (int i = 0; i < s->nsteps; i++) {
        if (s->steps[i].array == slot && (int64_t)l->slots[s->steps[i].number] == number)
            return true;
    }
    return false;
}

/* Does the kernel go by this number, and by no stride of the rows? */
static bool is_wrong_step(const Launch *l, const Stride *s, const tilec_tensor *t)
{
    return !l->tensors[s->number] && t->shape[0] > 1 && t->shape[1] > 1 &&
           (int64_t)l->slots[s->number] != tensor_stride(t, 0) &&
           !is_step(l, s->array, tensor_stride(t, 0));
}

/* Rows of pixels that have channels, and the kernel goes on by as many elements as there are
 * pixels. */
static void look_at_pixels(const Launch *l, const Stride *s, const tilec_tensor *t, int64_t step)
{
    char what[400];

    if (t->shape[2] < 2 || t->shape[2] > 4 || tensor_stride(t, 2) != 1 ||
        tensor_stride(t, 1) != t->shape[2] || tensor_stride(t, 0) != t->shape[1] * t->shape[2] ||
        step != t->shape[1] || step == tensor_stride(t, 1))
        return;
    snprintf(what, sizeof what,
             "its rows lie %lld elements apart, %lld channels of %lld pixels, and kernel `%.100s` "
             "goes %lld from row to row",
             (long long)tensor_stride(t, 0), (long long)t->shape[2], (long long)t->shape[1],
             l->kernel, (long long)step);
    say(l, TOLD_STRIDES, s->array, what,
        "channel c of a pixel is at (y * width + x) * channels + c; a picture of one channel has "
        "one element a pixel");
}

static bool warn_of_bytes(const Launch *l, const Stride *s, const tilec_tensor *t, int64_t step)
{
    char what[400];

    if (tensor_stride(t, 0) < 2 || dtype_size((DType)t->dtype) < 2 ||
        step != tensor_stride(t, 0) * dtype_size((DType)t->dtype))
        return false;
    snprintf(what, sizeof what,
             "its rows lie %lld elements apart, and kernel `%.100s` goes %lld from row to row, as "
             "many as that are bytes",
             (long long)tensor_stride(t, 0), l->kernel, (long long)step);
    say(l, TOLD_STRIDES, s->array, what,
        "strides count elements: x.stride(0), or x.strides[0] // x.itemsize of NumPy");
    return true;
}

/* Columns lie one behind the other, and lanes go along rows as if these did. */
static bool is_by_columns(const Launch *l, const Stride *s, const tilec_tensor *t, int64_t step)
{
    return tensor_stride(t, 0) == 1 && tensor_stride(t, 1) >= t->shape[0] &&
           (l->programs->steps.runs >> s->array & 1) && step != tensor_stride(t, 1) &&
           (step == t->shape[1] || step == dtype_size((DType)t->dtype));
}

/* .. by as many as a row has, though a 1 is given, too, and never by what its columns are apart. */
static bool goes_by_rows(const Launch *l, const Stride *s, const tilec_tensor *t, int64_t step)
{
    return !l->tensors[s->number] && t->shape[0] > 1 && t->shape[1] > 1 && step == t->shape[1] &&
           is_by_columns(l, s, t, step) && !is_step(l, s->array, tensor_stride(t, 1));
}

static void look_at_step(const Launch *l, const Stride *s)
{
    const tilec_tensor *t = l->tensors[s->array];
    int64_t step = (int64_t)l->slots[s->number];
    char what[400];

    if (t && t->ndim == 2 && goes_by_rows(l, s, t, step))
        warn_of_gaps(l, s->array);
    if (!t || t->ndim < 2 || t->ndim > 3 || !is_wrong_step(l, s, t))
        return;
    if (t->ndim == 3) {
        look_at_pixels(l, s, t, step);
        return;
    }
    if (is_by_columns(l, s, t, step))
        warn_of_gaps(l, s->array);
    if (tensor_stride(t, 1) != 1 || warn_of_bytes(l, s, t, step))
        return;
    bool is_packed = tensor_stride(t, 0) == t->shape[1];
    bool turned = is_packed && step == t->shape[0] && is_given(l, t->shape[1], s->number);
    bool part = !is_packed && step == t->shape[1] && tensor_stride(t, 0) > t->shape[1];
    if (!turned && !part)
        return;
    snprintf(what, sizeof what,
             "its rows lie %lld elements apart, and kernel `%.100s` goes %lld from row to row, as "
             "many as it has %s",
             (long long)tensor_stride(t, 0), l->kernel, (long long)step,
             turned ? "rows" : "columns");
    say(l, TOLD_STRIDES, s->array, what,
        turned ? "are height and width turned around?"
               : "give it the stride of the rows, or an array without gaps, a copy");
}

/* --- elements that meet --- */

/* Of one shape, of two dimensions or more, without elements that lie in one place. */
static bool have_one_shape(const tilec_tensor *t, const tilec_tensor *u)
{
    if (t->ndim < 2 || t->ndim != u->ndim)
        return false;
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] != u->shape[i] ||
            (t->shape[i] > 1 && (tensor_stride(t, i) < 1 || tensor_stride(u, i) < 1)))
            return false;
    }
    return true;
}

/* Of these two dimensions one is the outer one in the one array, and the inner one in the other. */
static bool is_turned(const tilec_tensor *t, const tilec_tensor *u, int i, int k)
{
    return t->shape[i] > 1 && t->shape[k] > 1 && tensor_stride(t, i) > tensor_stride(t, k) &&
           tensor_stride(u, i) < tensor_stride(u, k);
}

static bool lie_in_one_order(const tilec_tensor *t, const tilec_tensor *u)
{
    for (int i = 0; i < t->ndim; i++) {
        for (int k = 0; k < t->ndim; k++) {
            if (is_turned(t, u, i, k))
                return false;
        }
    }
    return true;
}

static void warn_of_order(const Launch *l, int slot, const tilec_tensor *other)
{
    const StrideList its = list_strides(l->tensors[slot]), those = list_strides(other);
    char what[800];

    snprintf(what, sizeof what,
             "its strides are (%s), and those of `%.60s`, of the same shape, (%s): kernel `%.100s` "
             "takes an element of each by one index, which is another element",
             its.text, warn_name_of(l, other), those.text, l->kernel);
    say(l, TOLD_STRIDES, slot, what,
        "arrays that a kernel goes through by one index lie in one order: x.contiguous() of "
        "PyTorch, numpy.ascontiguousarray(x)");
}

static void look_at_order(const Launch *l, uint64_t arrays)
{
    const tilec_tensor *first = NULL;

    for (int i = 0; i < l->nslots && i < 63; i++) {
        const tilec_tensor *t = arrays >> i & 1 ? l->tensors[i] : NULL;
        if (t && first && have_one_shape(first, t) && !lie_in_one_order(first, t))
            warn_of_order(l, i, first);
        first = first ? first : t;
    }
}

/* Is there a number 1, which may say how many elements there are? */
static bool is_one_given(const Launch *l)
{
    for (int i = 0; i < l->nargs; i++) {
        if (l->args[i].kind == TILEC_ARG_INT && l->args[i].integer == 1)
            return true;
    }
    return false;
}

void warn_of_arrays(const Launch *l)
{
    const Steps *s = &l->programs->steps;

    for (int i = 0; i < l->nslots && i < 63; i++) {
        const tilec_tensor *t = l->tensors[i];
        if (t && t->ndim == 0 && (s->runs >> i & 1) && !is_one_given(l))
            say(l, TOLD_STRIDES, i,
                "it has no dimensions, and so one element, and the kernel takes those behind it",
                "an array of one dimension has them, as x.reshape(-1); in C ndim = 1, and shape "
                "points to how many there are");
        if (t && t->strides && (s->stores >> i & 1))
            look_at_places(l, i);
        if (t && t->strides && t->ndim > 0 && (s->runs >> i & 1) && has_gaps_only(t))
            warn_of_gaps(l, i);
    }
    for (int i = 0; i < s->nsteps; i++)
        look_at_step(l, &s->steps[i]);
    for (int i = 0; i < l->programs->together.n; i++)
        look_at_order(l, l->programs->together.arrays[i]);
}
