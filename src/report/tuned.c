/*
 * tuned.c - what `run --tune` says: a table, the words below it, JSON
 */
#include "report.h"

#include <string.h>

static const TunedRow *best_of(const Tuned *t)
{
    return &t->rows[t->best];
}

static double times_of_best(const Tuned *t, const TunedRow *k)
{
    double best = best_of(t)->times.median;

    return best > 0 ? k->times.median / best : 1;
}

static const char *note_of(Arena *a, const Tuned *t, const TunedRow *k)
{
    if (k->problem)
        return "failed";
    if (k->is_left)
        return "not timed";
    if (!k->is_in)
        return arena_printf(a, "differs in '%s'", k->differs ? k->differs : "a result");
    if (k->same_as)
        return arena_printf(a, "the same code as %s", k->same_as);
    if (k == best_of(t))
        return t->is_interrupted ? "fastest so far" : "fastest";
    return k->is_slower ? "" : "within the noise";
}

static void put_row(Table *table, const Tuned *t, const TunedRow *k)
{
    table_put(table, k->text);
    if (k->is_in) {
        const tilec_stats *s = &k->stats;

        table_put(table, timing_duration(table->arena, k->times.median));
        table_put(table, timing_duration(table->arena, k->times.min));
        table_put(table, timing_rate(table->arena, s->bytes, k->times.median));
        table_put(table, timing_rate(table->arena, s->flops, k->times.median));
        table_printf(table, "%.2f", times_of_best(t, k));
    } else {
        for (int i = 0; i < 5; i++)
            table_put(table, "-");
    }
    table_put(table, note_of(table->arena, t, k));
}

/* Of those that are really slower the fastest, or the slowest; NULL. */
static const TunedRow *slower_one(const Tuned *t, bool slowest)
{
    const TunedRow *found = NULL;

    for (int i = 0; i < t->nrows; i++) {
        const TunedRow *k = &t->rows[i];
        if (k->is_slower && (!found || (k->times.median > found->times.median) == slowest))
            found = k;
    }
    return found;
}

static int count_equals(const Tuned *t)
{
    int n = 0;

    for (int i = 0; i < t->nrows; i++) {
        const TunedRow *k = &t->rows[i];
        n += k->is_in && !k->same_as && !k->is_slower && i != t->best;
    }
    return n;
}

/* Which tiles are mostly the fastest; products do many operations for each byte. */
static const char *advice(const tilec_stats *s)
{
    return s->flops > SWEEP_FLOPS_A_BYTE * s->bytes
               ? "tiles of a product want 64 to 128 elements along each side"
               : "tiles that are wide along contiguous memory and flat across it are mostly the "
                 "fastest";
}

static void put_verdict(Text *out, const Tuned *t)
{
    const TunedRow *best = best_of(t), *next = slower_one(t, false), *last = slower_one(t, true);
    int equals = count_equals(t);

    text_printf(out, "fastest%s: %s", t->is_interrupted ? " so far" : "", best->text);
    if (equals > 0)
        text_printf(out, "; %d other%s as fast within the noise", equals,
                    equals == 1 ? " is" : "s are");
    if (next)
        text_printf(out, "; %.2f times as fast as %s", times_of_best(t, next), next->text);
    if (last && last != next)
        text_printf(out, " and %.2f times as %s", times_of_best(t, last), last->text);
    text_put(out, "\n");
    if (last && times_of_best(t, last) > 2 && strcmp(t->device, "cpu") == 0)
        text_printf(out,
                    "hint: %s costs %.1f times what %s does: on a CPU %s (docs/block-sizes.md)\n",
                    last->text, times_of_best(t, last), best->text, advice(&best->stats));
}

const char *tuned_table(Arena *a, const Tuned *t)
{
    static const char *const titles[] = {"configuration", "median",     "min", "GB/s",
                                         "GFLOP/s",       "times best", ""};
    Text out = text_new(a);
    Table table = table_titled(a, titles, COUNT(titles), 1);

    for (int i = 0; i < t->nrows; i++)
        put_row(&table, t, &t->rows[i]);
    text_put(&out, table_text(&table));
    put_verdict(&out, t);
    return out.s;
}

static void put_candidate(Text *out, const Tuned *t, const TunedRow *k)
{
    json_object(out, NULL);
    json_text(out, "configuration", k->text);
    if (k->is_in) {
        json_number(out, "median_s", k->times.median, 9);
        json_number(out, "min_s", k->times.min, 9);
        json_number(out, "median_low_s", k->times.low, 9);
        json_number(out, "median_high_s", k->times.high, 9);
        json_int(out, "rounds", k->times.n);
        json_number(out, "times_best", times_of_best(t, k), 6);
        json_bool(out, "slower", k->is_slower);
        if (k->same_as)
            json_text(out, "same_as", k->same_as);
    }
    if (k->problem)
        json_value(out, "problem", k->problem_json);
    else if (!k->is_in && !k->is_left)
        json_text(out, "differs_in", k->differs ? k->differs : "");
    json_object_end(out);
}

const char *tuned_json(Arena *a, const Tuned *t)
{
    Text out = text_new(a);

    json_object(&out, NULL);
    json_text(&out, "kernel", t->kernel);
    json_text(&out, "device", t->device);
    json_text(&out, "fastest", best_of(t)->text);
    json_bool(&out, "significant", count_equals(t) == 0);
    if (t->is_interrupted)
        json_bool(&out, "interrupted", true);
    json_array(&out, "configurations");
    for (int i = 0; i < t->nrows; i++)
        put_candidate(&out, t, &t->rows[i]);
    json_array_end(&out);
    json_object_end(&out);
    text_put(&out, "\n");
    return out.s;
}
