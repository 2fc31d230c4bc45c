/*
 * counting.c - what `run --count` says: the work of each line of the source, on a simulated GPU
 */
#include "report.h"

#include <string.h>

void counting_add(Counting *k, const tilec_count *count)
{
    tilec_count kept = *count;

    if (count->file)
        kept.file = arena_strndup(k->arena, count->file, strlen(count->file));
    vec_push(k->arena, &k->lines, kept);
}

/* A share of two counts with a digit behind the point; "-" where there was nothing. */
static const char *share(Arena *a, uint64_t part, uint64_t whole)
{
    return whole ? arena_printf(a, "%.1f", (double)part / (double)whole) : "-";
}

/* What is in no line of the source, which only the PTX's own lines would tell apart, is "-". */
static const char *place_of(Arena *a, const tilec_count *c)
{
    return c->file ? arena_printf(a, "%s:%d", c->file, c->line) : "-";
}

void counting_sum(tilec_count *to, const tilec_count *from)
{
    to->instructions += from->instructions;
    to->lanes += from->lanes;
    to->global_requests += from->global_requests;
    to->global_lines += from->global_lines;
    to->global_sectors += from->global_sectors;
    to->shared_requests += from->shared_requests;
    to->shared_waves += from->shared_waves;
    to->shared_extra += from->shared_extra;
    to->branches += from->branches;
    to->divergent += from->divergent;
    to->special += from->special;
    to->tensor += from->tensor;
    to->apart += from->apart;
    to->cycles += from->cycles;
    to->memory_waits += from->memory_waits;
    to->shared_waits += from->shared_waits;
    to->barrier_waits += from->barrier_waits;
}

static void put_line(Table *t, const tilec_count *c)
{
    Arena *a = t->arena;

    table_put(t, place_of(a, c));
    table_printf(t, "%llu", (unsigned long long)c->instructions);
    table_put(t, share(a, c->lanes, c->instructions));
    table_printf(t, "%llu", (unsigned long long)c->global_requests);
    table_put(t, share(a, c->global_lines, c->global_requests));
    table_put(t, share(a, c->global_sectors, c->global_requests));
    table_printf(t, "%llu", (unsigned long long)c->shared_requests);
    table_put(t, share(a, c->shared_waves, c->shared_requests));
    table_printf(t, "%llu", (unsigned long long)c->branches);
    table_printf(t, "%llu", (unsigned long long)c->divergent);
}

const char *counting_table(const Counting *k)
{
    static const char *const titles[] = {"line",     "instructions", "lanes",  "global",
                                         "requests", "sectors",      "shared", "waves",
                                         "branches", "divergent"};
    Table t = table_titled(k->arena, titles, COUNT(titles), 1);
    tilec_count rest = {0};

    for (int i = 0; i < k->lines.len; i++) {
        if (k->lines.at[i].file)
            put_line(&t, &k->lines.at[i]);
        else
            counting_sum(&rest, &k->lines.at[i]);
    }
    if (rest.instructions > 0)
        put_line(&t, &rest);
    return table_text(&t);
}

static void put_json(Text *out, const tilec_count *c)
{
    json_object(out, NULL);
    json_text(out, "file", c->file);
    json_int(out, "line", c->line);
    json_int(out, "instructions", (int64_t)c->instructions);
    json_int(out, "lanes", (int64_t)c->lanes);
    json_int(out, "global_requests", (int64_t)c->global_requests);
    json_int(out, "global_lines", (int64_t)c->global_lines);
    json_int(out, "global_sectors", (int64_t)c->global_sectors);
    json_int(out, "shared_requests", (int64_t)c->shared_requests);
    json_int(out, "shared_waves", (int64_t)c->shared_waves);
    json_int(out, "shared_extra", (int64_t)c->shared_extra);
    json_int(out, "branches", (int64_t)c->branches);
    json_int(out, "divergent", (int64_t)c->divergent);
    json_int(out, "special", (int64_t)c->special);
    json_int(out, "tensor", (int64_t)c->tensor);
    json_int(out, "apart", (int64_t)c->apart);
    json_int(out, "cycles", (int64_t)c->cycles);
    json_int(out, "memory_waits", (int64_t)c->memory_waits);
    json_int(out, "shared_waits", (int64_t)c->shared_waits);
    json_int(out, "barrier_waits", (int64_t)c->barrier_waits);
    json_object_end(out);
}

const char *counting_json(const Counting *k)
{
    Text out = text_new(k->arena);

    json_array(&out, NULL);
    for (int i = 0; i < k->lines.len; i++)
        put_json(&out, &k->lines.at[i]);
    json_array_end(&out);
    return out.s;
}
