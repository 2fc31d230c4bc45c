/*
 * sweep.c - what a sweep has measured, as a table, as CSV or as JSON
 *
 * Each row is related to the best.  Where all do the same work that is the one of least time; else
 * the one of the highest rate, of operations if there are many for each byte, else of bytes.
 */
#include "report.h"

static double share_of(double amount, double seconds)
{
    return amount >= 0 && seconds > 0 ? amount / seconds / 1e9 : -1;
}

double sweep_rate(const SweepRow *r, SweepBasis basis)
{
    const Timing *t = &r->timing;

    if (r->problem || t->times.median <= 0)
        return 0;
    switch (basis) {
    case SWEEP_BY_BYTES:
        return share_of(t->stats.bytes, t->times.median);
    case SWEEP_BY_FLOPS:
        return share_of(t->stats.flops, t->times.median);
    default:
        return 1 / t->times.median;
    }
}

static SweepBasis choose_basis(const Sweep *s)
{
    const tilec_stats *first = NULL;
    bool same = true, arithmetic = true;

    for (int i = 0; i < s->nrows; i++) {
        const tilec_stats *now = &s->rows[i].timing.stats;

        if (s->rows[i].problem)
            continue;
        first = first ? first : now;
        same &= now->bytes == first->bytes && now->flops == first->flops;
        arithmetic &= now->flops > SWEEP_FLOPS_A_BYTE * now->bytes;
    }
    if (same || (first->bytes <= 0 && !arithmetic))
        return SWEEP_BY_TIME;
    return arithmetic ? SWEEP_BY_FLOPS : SWEEP_BY_BYTES;
}

void sweep_rank(Sweep *s)
{
    double best = 0;

    s->basis = choose_basis(s);
    for (int i = 0; i < s->nrows; i++)
        best = MAX(best, sweep_rate(&s->rows[i], s->basis));
    for (int i = 0; i < s->nrows; i++)
        s->rows[i].of_best = best > 0 ? sweep_rate(&s->rows[i], s->basis) / best : 0;
}

static void put_rate(Table *t, double amount, double seconds)
{
    double rate = share_of(amount, seconds);

    if (rate < 0)
        table_put(t, "-");
    else
        table_printf(t, "%.2f", rate);
}

static void put_row(Table *t, const Sweep *s, const SweepRow *r)
{
    const Timing *now = &r->timing;

    for (int i = 0; i < s->nnames; i++)
        table_put(t, r->values[i]);
    if (r->problem) {
        table_put(t, "failed");
        for (int i = 0; i < 6; i++)
            table_put(t, "-");
        return;
    }
    table_put(t, timing_duration(t->arena, now->times.median));
    table_put(t, times_unsure_text(t->arena, &now->times));
    table_put(t, timing_duration(t->arena, now->times.min));
    put_rate(t, now->stats.bytes, now->times.median);
    put_rate(t, now->stats.flops, now->times.median);
    put_rate(t, now->stats.int_ops, now->times.median);
    table_printf(t, "%.2f", r->of_best);
}

const char *sweep_table(Arena *a, const Sweep *s)
{
    static const char *const bases[] = {[SWEEP_BY_TIME] = "of best time",
                                        [SWEEP_BY_BYTES] = "of best GB/s",
                                        [SWEEP_BY_FLOPS] = "of best GFLOP/s"};
    const char *const titles[] = {"median",  "sure to", "min",          "GB/s",
                                  "GFLOP/s", "GIOP/s",  bases[s->basis]};
    Table t = table_new(a, s->nnames + COUNT(titles), 0);

    for (int i = 0; i < s->nnames; i++)
        table_put(&t, s->names[i]);
    for (int i = 0; i < COUNT(titles); i++)
        table_put(&t, titles[i]);
    for (int i = 0; i < s->nrows; i++)
        put_row(&t, s, &s->rows[i]);
    return table_text(&t);
}

/* --- CSV --- */

static void put_number(Text *t, double v)
{
    if (v >= 0)
        text_printf(t, ",%.9g", v);
    else
        text_put(t, ",");
}

const char *sweep_csv(Arena *a, const Sweep *s)
{
    Text t = text_new(a);

    for (int i = 0; i < s->nnames; i++)
        text_printf(&t, "%s,", s->names[i]);
    text_put(&t,
             "median_s,min_s,gb_per_s,gflop_per_s,giop_per_s,of_best,median_low_s,median_high_s\n");
    for (int i = 0; i < s->nrows; i++) {
        const SweepRow *r = &s->rows[i];
        const Timing *now = &r->timing;
        double seconds = r->problem ? -1 : now->times.median;

        for (int k = 0; k < s->nnames; k++) {
            text_put(&t, k ? "," : "");
            put_csv_cell(&t, r->values[k]);
        }
        put_number(&t, seconds);
        put_number(&t, r->problem ? -1 : now->times.min);
        put_number(&t, share_of(now->stats.bytes, seconds));
        put_number(&t, share_of(now->stats.flops, seconds));
        put_number(&t, share_of(now->stats.int_ops, seconds));
        put_number(&t, r->problem ? -1 : r->of_best);
        put_number(&t, r->problem ? -1 : now->times.low);
        put_number(&t, r->problem ? -1 : now->times.high);
        text_put(&t, "\n");
    }
    return t.s;
}

/* --- JSON --- */

static void put_row_json(Text *t, const Sweep *s, const SweepRow *r)
{
    json_object(t, NULL);
    json_object(t, "values");
    for (int i = 0; i < s->nnames; i++)
        json_text(t, s->names[i], r->values[i]);
    json_object_end(t);
    if (r->problem) {
        json_value(t, "problem", r->problem_json);
    } else {
        json_number(t, "of_best", r->of_best, 6);
        json_object(t, "timing");
        timing_put_json(t, &r->timing);
        json_object_end(t);
    }
    json_object_end(t);
}

const char *sweep_json(Arena *a, const Sweep *s)
{
    static const char *const bases[] = {
        [SWEEP_BY_TIME] = "time", [SWEEP_BY_BYTES] = "gb_per_s", [SWEEP_BY_FLOPS] = "gflop_per_s"};
    Text t = text_new(a);

    json_object(&t, NULL);
    json_text(&t, "best_by", bases[s->basis]);
    json_array(&t, "rows");
    for (int i = 0; i < s->nrows; i++)
        put_row_json(&t, s, &s->rows[i]);
    json_array_end(&t);
    json_object_end(&t);
    text_put(&t, "\n");
    return t.s;
}
