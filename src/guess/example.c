/*
 * example.c - a call of a kernel that can be copied, found by trying
 *
 * What guess.c says makes a first draft, which runs in the interpreter with every access checked.
 * Where it reaches outside of an array, that becomes larger; where it leaves the end of an output
 * unwritten, that becomes smaller.  If that is not all, other values are tried, one argument at a
 * time, and kept when the kernel comes further with them: most calls run at once, and nothing is
 * tried then.
 */
#include "example.h"

#include <sys/resource.h>

enum { LARGEST = 1 << 22, MOST_TRIALS = 150, MOST_ROUNDS = 8, GROWTH = 4 };
static const double most_seconds = 3, slow_seconds = 0.15;

typedef struct {
    const Maker *m;
    Draft best;
    Tried reached; /* by it */
    int trials;
    double until;   /* seconds_spent() */
    bool may_cut;   /* outputs, instead of writing more of them */
    bool hurries;   /* what is slow is not followed up */
    Tried begun;    /* what happened to the last draft that was considered, itself */
    bool tries_all; /* arguments; else only the grid and what can be switched on */
} Search;

/* Of the CPU, by the trials: how busy the machine is must not decide. */
static double seconds_spent(void)
{
    struct rusage r;

    getrusage(RUSAGE_CHILDREN, &r);
    return (double)r.ru_utime.tv_sec + (double)r.ru_utime.tv_usec / 1e6;
}

static bool is_over(const Search *s)
{
    return s->reached.came == CAME_TO_ALL || s->trials >= MOST_TRIALS || seconds_spent() > s->until;
}

/* Did `a` come further than `b`? */
static bool is_better(const Tried *a, const Tried *b)
{
    if (a->came != b->came)
        return a->came > b->came;
    if (a->came == CAME_NOWHERE)
        return a->line > b->line;
    if (a->came == CAME_OUTSIDE)
        return a->failures < b->failures;
    return a->came == CAME_THROUGH &&
           (double)a->unwritten * (double)b->outputs < (double)b->unwritten * (double)a->outputs;
}

/* --- arrays of the size that the kernel needs --- */

/* The leading dimension alone: the strides stay. */
static bool grow(const Search *s, Draft *d, const Tried *t)
{
    bool grew = false;

    for (int i = 0; i < s->m->guess->n; i++) {
        DraftArgument *a = &d->args[i];
        int64_t row = 1;

        if (!s->m->guess->at[i].is_pointer || t->arrays[i].most < 0)
            continue;
        for (int k = 1; k < a->ndims; k++)
            row *= a->dims[k];
        if (t->arrays[i].most / row >= LARGEST / row)
            return false;
        int64_t need = MAX(t->arrays[i].most / row + 1, GROWTH * a->dims[0]);
        if (need * row > LARGEST)
            need = t->arrays[i].most / row + 1;
        grew |= need > a->dims[0];
        a->dims[0] = MAX(need, a->dims[0]);
    }
    return grew;
}

/* Twice as many columns, where programs reach behind their own: the strides follow. */
static bool widen(const Search *s, Draft *d, const Tried *t)
{
    bool wider = false;

    for (int i = 0; i < s->m->guess->n; i++) {
        DraftArgument *a = &d->args[i];

        if (!s->m->guess->at[i].is_pointer || t->arrays[i].most < 0 || a->ndims < 2)
            continue;
        a->dims[a->ndims - 1] *= 2;
        wider = true;
    }
    return wider;
}

/* What is only written is cut behind the last element that was, along every dimension. */
static bool cut(const Search *s, Draft *d, const Tried *t)
{
    bool was_cut = false;

    for (int i = 0; i < s->m->guess->n; i++) {
        DraftArgument *a = &d->args[i];

        if (!s->m->guess->at[i].is_pointer || a->fill != FILL_EMPTY ||
            t->arrays[i].unwritten == 0 || t->arrays[i].written[0] == 0)
            continue;
        for (int k = 0; k < a->ndims; k++) {
            was_cut |= t->arrays[i].written[k] < a->dims[k];
            a->dims[k] = t->arrays[i].written[k];
        }
    }
    return was_cut;
}

/* Where what was loaded says which elements are written, the others have to be something. */
static bool fill_partial(const Search *s, Draft *d, const Tried *t)
{
    bool filled = false;

    for (int i = 0; i < s->m->guess->n; i++) {
        if (s->m->guess->at[i].is_partial && d->args[i].fill == FILL_EMPTY &&
            t->arrays[i].unwritten > 0) {
            d->args[i].fill = FILL_ZEROS;
            filled = true;
        }
    }
    return filled;
}

static bool keep_if_better(Search *s, const Draft *d, const Tried *t)
{
    if (!is_better(t, &s->reached))
        return false;
    s->best = *d;
    s->reached = *t;
    return true;
}

static Tried try_draft(Search *s, const Draft *d)
{
    double from = seconds_spent();
    Tried t = example_try(s->m, d);

    s->trials++;
    t.seconds = seconds_spent() - from;
    return t;
}

/* Another draft, which follows from what happened to this one; false: nothing follows. */
static bool follow_up(Search *s, Draft *d, const Tried *t)
{
    if (t->came == CAME_OUTSIDE)
        return grow(s, d, t);
    return t->came == CAME_THROUGH && (fill_partial(s, d, t) || (s->may_cut && cut(s, d, t)));
}

/* Try a draft, and those that follow from what happens; true: one of them is the best so far. */
static bool consider(Search *s, const Draft *first)
{
    Draft d = draft_copy(s->m, first);
    bool better = false, goes_on = true;

    for (int round = 0; round < MOST_ROUNDS && goes_on; round++) {
        Tried t = try_draft(s, &d);

        if (round == 0)
            s->begun = t;
        better |= keep_if_better(s, &d, &t);
        d = draft_copy(s->m, &d);
        /* what is only too large becomes faster with that */
        goes_on = !(s->hurries && t.seconds > slow_seconds && t.came != CAME_THROUGH) &&
                  follow_up(s, &d, &t);
    }
    return better;
}

/* The first draft, or a smaller one where that is slow, and what else may be meant where it does
 * not do. */
static void begin(Search *s, const Draft *first)
{
    Draft start = *first, wide;

    s->hurries = true;
    consider(s, &start);
    s->hurries = false;
    if (s->begun.seconds > slow_seconds || s->reached.came <= CAME_SO_FAR) {
        start = draft_small(s->m);
        if (s->reached.came < CAME_TO_ALL)
            s->reached = (Tried){.line = -1};
        consider(s, &start);
    }
    wide = draft_copy(s->m, &start);
    if (!is_over(s) && s->begun.came == CAME_OUTSIDE && widen(s, &wide, &s->begun))
        consider(s, &wide);
}

/* --- other values --- */

typedef struct {
    Fill fill;
    const char *dtype;
} ArrayChoice;

/* The k-th other way to fill an array; false: there are no more. */
static bool choose_fill(const GuessedParam *p, int k, DraftArgument *a)
{
    static const ArrayChoice read[] = {{FILL_RANDINT, "i32"}, {FILL_ARANGE, "i32"},
                                       {FILL_ZEROS, "i32"},   {FILL_FULL, "i32"},
                                       {FILL_NONE, "fp32"},   {FILL_RANDN, "fp32"}};
    static const ArrayChoice written[] = {{FILL_EMPTY, "i32"}, {FILL_EMPTY, "fp32"}};
    static const ArrayChoice both[] = {{FILL_ZEROS, "i32"}, {FILL_RANDN, "fp32"}};
    const ArrayChoice *list = p->is_stored && p->is_loaded ? both : p->is_stored ? written : read;
    int n = p->is_stored && p->is_loaded ? COUNT(both)
            : p->is_stored               ? COUNT(written)
                                         : COUNT(read);

    if (k >= n || p->ntile > 0)
        return false;
    a->fill = list[k].fill;
    a->dtype = list[k].dtype;
    return true;
}

static bool choose_value(const Search *s, int i, int k, Draft *d)
{
    const Maker *m = s->m;
    const char *extent = arena_printf(m->c->arena, "%d", d->extent);
    const char *constants[] = {"True", "False", "1", "2", "16", extent};
    const char *numbers[] = {extent, "1", "0", "0.5", "2"};
    bool is_constexpr = m->of.f->params[i].is_constexpr;
    int n = is_constexpr ? COUNT(constants) : COUNT(numbers);

    if (!s->tries_all && (!is_constexpr || k > 0 || m->guess->at[i].is_number))
        return false;
    if (m->guess->at[i].is_pointer)
        return !d->args[i].is_left_out && choose_fill(&m->guess->at[i], k, &d->args[i]);
    if (k >= (d->args[i].is_left_out ? 1 : n))
        return false;
    d->args[i].text = is_constexpr ? constants[k] : numbers[k];
    d->args[i].is_left_out = false;
    return true;
}

static bool choose_grid(const Search *s, int axis, int k, Draft *d)
{
    const char *const others[] = {arena_printf(s->m->c->arena, "%d", d->extent),
                                  arena_printf(s->m->c->arena, "%d", d->extent * 4), "1"};

    if (!s->m->guess->axes[axis].is_used || k >= COUNT(others))
        return false;
    d->grid[axis] = others[k];
    return true;
}

/* The k-th other value of place `at`: the axes of the grid come first, then the parameters. */
static bool choose(const Search *s, int at, int k, Draft *d)
{
    return at < 3 ? choose_grid(s, at, k, d) : choose_value(s, at - 3, k, d);
}

/* Change one place after the other, as long as that helps. */
static void improve(Search *s)
{
    bool helped = true;

    while (helped && !is_over(s)) {
        helped = false;
        for (int at = 0; at < s->m->guess->n + 3 && !is_over(s); at++) {
            Draft base = s->best;

            for (int k = 0; !is_over(s); k++) {
                Draft d = draft_copy(s->m, &base), less = draft_small(s->m);

                if (!choose(s, at, k, &d))
                    break;
                helped |= consider(s, &d);
                if (s->begun.came == CAME_SO_FAR && choose(s, at, k, &less))
                    helped |= consider(s, &less);
            }
        }
    }
}

/* Arrays that grew may have become larger than they must be. */
static void tighten(Search *s, const Draft *first)
{
    for (int i = 0; i < s->m->guess->n; i++) {
        const GuessedParam *p = &s->m->guess->at[i];
        bool fits = p->is_pointer && !p->is_stored;

        while (fits && s->best.args[i].dims[0] > MAX(first->args[i].dims[0], 1) &&
               s->trials < MOST_TRIALS) {
            Draft d = draft_copy(s->m, &s->best);
            Tried t;

            d.args[i].dims[0] = MAX(d.args[i].dims[0] / 2, first->args[i].dims[0]);
            t = try_draft(s, &d);
            fits = t.came == CAME_TO_ALL;
            if (fits)
                s->best = d;
        }
    }
}

/* --- what is not read --- */

static bool is_input(const Search *s, int i)
{
    const GuessedParam *p = &s->m->guess->at[i];

    return p->is_pointer && !p->is_stored && p->ntile == 0 && s->best.args[i].fill != FILL_NONE &&
           s->best.args[i].ndims > 0 && !s->best.args[i].is_left_out;
}

/* A few times as many rows where it reached behind those that there are; false: there are no more.
 */
static bool grow_inputs(const Search *s, Draft *d, const Tried *t)
{
    bool grew = false;

    for (int i = 0; i < s->m->guess->n; i++) {
        int64_t *rows = &d->args[i].dims[0], most = s->best.args[i].dims[0];

        if (!is_input(s, i) || t->arrays[i].most < 0 || *rows >= most)
            continue;
        *rows = GROWTH * *rows > most / 2 ? most : GROWTH * *rows;
        grew = true;
    }
    return grew;
}

/* Inputs with half of their rows; those that it wants more of have all again. */
static bool halve_inputs(Search *s, Draft *d)
{
    bool any = false;
    Tried t;

    for (int i = 0; i < s->m->guess->n; i++) {
        if (is_input(s, i))
            d->args[i].dims[0] = (d->args[i].dims[0] + 1) / 2;
    }
    t = try_draft(s, d);
    for (int i = 0; i < s->m->guess->n; i++) {
        if (!is_input(s, i))
            continue;
        if (t.arrays[i].most >= 0 || t.came == CAME_NOWHERE)
            d->args[i].dims[0] = s->best.args[i].dims[0];
        any |= d->args[i].dims[0] < s->best.args[i].dims[0];
    }
    return any;
}

/* Inputs of which it reads one row alone get one: who runs the example would be told of the others.
 * Numbers that are not there are 0, and what they say reaches less far: so all begin as one row,
 * and grow until nothing is missed. */
static void leave_out_unread(Search *s)
{
    Draft d = draft_copy(s->m, &s->best);
    Tried t;

    if (!halve_inputs(s, &d))
        return;
    for (int i = 0; i < s->m->guess->n; i++) {
        if (is_input(s, i) && d.args[i].dims[0] < s->best.args[i].dims[0])
            d.args[i].dims[0] = 1;
    }
    do {
        t = try_draft(s, &d);
    } while (t.came == CAME_OUTSIDE && grow_inputs(s, &d, &t));
    for (int i = 0; i < s->m->guess->n; i++) {
        if (is_input(s, i) && d.args[i].dims[0] > 1) /* as many as these random numbers ask for */
            d.args[i].dims[0] = s->best.args[i].dims[0];
    }
    if (t.came == CAME_TO_ALL)
        s->best = d;
}

/* --- an example --- */

/* "out: 12 of 64 elements" */
static const char *left_text(const Search *s)
{
    Text t = text_new(s->m->c->arena);

    for (int i = 0; i < s->m->guess->n; i++) {
        const DraftArgument *a = &s->best.args[i];

        if (s->m->guess->at[i].is_pointer && a->fill == FILL_EMPTY &&
            s->reached.arrays[i].unwritten > 0)
            text_printf(&t, "%s%lld of %lld elements of %s", t.len ? ", " : "",
                        (long long)s->reached.arrays[i].unwritten, (long long)draft_numel(a),
                        s->m->of.f->params[i].name);
    }
    return t.len ? t.s : NULL;
}

/* Why nothing runs that was tried. */
static const char *problem_of(const Search *s)
{
    for (int i = 0; i < s->m->guess->n; i++) {
        if (s->m->guess->at[i].is_address)
            return arena_printf(s->m->c->arena,
                                "%s holds addresses, which no command line can give; C and Python "
                                "can",
                                s->m->of.f->params[i].name);
    }
    return s->reached.problem;
}

Example example_of(Client *c, const ExampleHost *host, const ExampleOf *of)
{
    const Guess guess = guess_kernel(c, of->functions, of->f);
    const Maker m = maker_new(c, host, of, &guess);
    Search s = {.m = &m, .until = seconds_spent() + most_seconds, .reached = {.line = -1}};
    const Draft first = draft_new(&m);
    Example e;

    begin(&s, &first);
    improve(&s);
    s.may_cut = s.tries_all = true;
    if (!is_over(&s))
        consider(&s, &s.best);
    improve(&s);
    if (s.reached.came == CAME_TO_ALL) {
        tighten(&s, &first);
        leave_out_unread(&s);
    }
    e = draft_example(&m, &s.best);
    e.problem = s.reached.came < CAME_SO_FAR ? problem_of(&s) : NULL;
    e.unwritten = left_text(&s);
    return e;
}
