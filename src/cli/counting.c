/*
 * counting.c - what `run --count` says: the work of each line of the source, on a simulated GPU
 */
#include "cli.h"

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

static const char *place_of(Arena *a, const tilec_count *c)
{
    return c->file ? arena_printf(a, "%s:%d", c->file, c->line)
                   : arena_printf(a, "PTX:%d", c->line);
}

const char *counting_table(const Counting *k)
{
    Arena *a = k->arena;
    Text out = text_new(a);
    int width = 4;

    for (int i = 0; i < k->lines.len; i++)
        width = MAX(width, (int)strlen(place_of(a, &k->lines.at[i])));
    text_printf(&out, "%-*s %12s %6s %9s %8s %8s %9s %7s %9s %8s\n", width, "line", "instructions",
                "lanes", "global", "requests", "sectors", "shared", "waves", "branches",
                "divergent");
    for (int i = 0; i < k->lines.len; i++) {
        const tilec_count *c = &k->lines.at[i];

        text_printf(
            &out, "%-*s %12llu %6s %9llu %8s %8s %9llu %7s %9llu %9llu\n", width, place_of(a, c),
            (unsigned long long)c->instructions, share(a, c->lanes, c->instructions),
            (unsigned long long)c->global_requests, share(a, c->global_lines, c->global_requests),
            share(a, c->global_sectors, c->global_requests), (unsigned long long)c->shared_requests,
            share(a, c->shared_waves, c->shared_requests), (unsigned long long)c->branches,
            (unsigned long long)c->divergent);
    }
    return out.s;
}

const char *counting_json(const Counting *k)
{
    Text out = text_new(k->arena);

    text_put(&out, "[");
    for (int i = 0; i < k->lines.len; i++) {
        const tilec_count *c = &k->lines.at[i];

        text_put(&out, i ? ", {\"file\": " : "{\"file\": ");
        if (c->file)
            put_json_text(&out, c->file);
        else
            text_put(&out, "null");
        text_printf(&out, ", \"line\": %d, \"instructions\": %llu, \"lanes\": %llu", c->line,
                    (unsigned long long)c->instructions, (unsigned long long)c->lanes);
        text_printf(&out,
                    ", \"global_requests\": %llu, \"global_lines\": %llu, \"global_sectors\": %llu",
                    (unsigned long long)c->global_requests, (unsigned long long)c->global_lines,
                    (unsigned long long)c->global_sectors);
        text_printf(&out,
                    ", \"shared_requests\": %llu, \"shared_waves\": %llu, \"shared_extra\": %llu",
                    (unsigned long long)c->shared_requests, (unsigned long long)c->shared_waves,
                    (unsigned long long)c->shared_extra);
        text_printf(&out, ", \"branches\": %llu, \"divergent\": %llu}",
                    (unsigned long long)c->branches, (unsigned long long)c->divergent);
    }
    text_put(&out, "]");
    return out.s;
}
