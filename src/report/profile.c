/*
 * profile.c - what `run --profile` says: where the time of a kernel goes, line by line
 *
 * The library takes samples while the kernel is timed, and counts what each line does; the shares
 * of the samples divide the median.  A kernel's share of the roofline is the least time that the
 * machine (peaks.c) would take for its arrays' bytes, or for its float operations, by the time that
 * it took: 100% where nothing but less work helps.
 *
 * A line does not wait for its own bytes alone: memory works on while other lines compute, what is
 * loaded again comes from a cache, and the time that a load takes falls on who needs its result.
 * So a line's time is held against the nearest cache, which no access gets around, and against
 * arithmetic; and a line that moves bytes is at least where memory is in all of the kernel.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SOURCE = 64 << 20, FEWEST_SAMPLES = 10 };

/* --- collecting --- */

static tilec_line *find_line(ProfileLines *p, const tilec_line *like)
{
    for (int i = 0; i < p->lines.len; i++) {
        tilec_line *l = &p->lines.at[i];
        bool same =
            l->file && like->file ? strcmp(l->file, like->file) == 0 : l->file == like->file;
        if (same && l->line == like->line)
            return l;
    }
    tilec_line new = {.line = like->line};
    if (like->file)
        new.file = arena_strndup(p->arena, like->file, strlen(like->file));
    vec_push(p->arena, &p->lines, new);
    return &p->lines.at[p->lines.len - 1];
}

void profile_add(void *lines, const tilec_line *told)
{
    tilec_line *l = find_line(lines, told);

    l->clock = told->clock ? told->clock : l->clock;
    l->samples += told->samples;
    l->cycles += told->cycles;
    l->instructions += told->instructions;
    l->cache_misses += told->cache_misses;
    l->flops += told->flops;
    l->int_ops += told->int_ops;
    l->bytes += told->bytes;
    l->int8_flops += told->int8_flops;
    l->bf16_flops += told->bf16_flops;
}

uint64_t profile_samples(const ProfileLines *p)
{
    uint64_t samples = 0;

    for (int i = 0; i < p->lines.len; i++)
        samples += p->lines.at[i].samples;
    return samples;
}

/* --- telling --- */

/* Line `line` of a file without the spaces around it; "" when it cannot be read. */
static const char *source_text(Profile *p, const char *path, int line)
{
    char *text;
    size_t len;

    if (!p->path || strcmp(p->path, path) != 0) {
        p->path = path;
        p->text = os_read_file(p->arena, path, MOST_SOURCE, &text, &len) == 0 ? text : "";
    }
    const char *at = p->text;
    for (; line > 1 && at; line--)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at)
        return "";
    at += strspn(at, " \t");
    return arena_strndup(p->arena, at, strcspn(at, "\r\n"));
}

double profile_share(const Profile *p, const tilec_line *l)
{
    return p->samples > 0 ? (double)l->samples / (double)p->samples : 0;
}

double profile_time(const Profile *p, const tilec_line *l)
{
    return profile_share(p, l) * p->timing->times.median;
}

bool profile_is_sure(const tilec_line *l)
{
    return l->samples >= FEWEST_SAMPLES;
}

double profile_memory(const Profile *p)
{
    return MIN(p->timing->stats.bytes / p->peaks.bytes / p->timing->times.median, 1);
}

/* The kernel is a probe, too, where all that it moves is known: the machine gave what its fastest
 * run took.  No probe is so far off that this is much more than arrays of that size give: then its
 * bytes come from a cache, again and again. */
static void raise_peaks(Profile *p)
{
    static const double far = 1.5;
    double fastest = p->timing->stats.bytes / p->timing->times.min;

    if (p->timing->stats.flops < 0 || fastest <= p->peaks.bytes)
        return;
    p->peaks.cached |= fastest > far * p->peaks.bytes;
    p->peaks.bytes = MIN(fastest, MAX(p->peaks.near_bytes, p->peaks.bytes));
}

const char *profile_source(const Profile *p)
{
    return p->peaks.cached ? "cache" : "memory";
}

/* Of so many operations, of which some are those of products that have peaks of their own. */
static double least_seconds(const Peaks *p, double flops, double int8_flops, double bf16_flops)
{
    return (flops - int8_flops - bf16_flops) / p->flops + int8_flops / p->int8_flops +
           bf16_flops / p->bf16_flops;
}

double profile_roofline(const Profile *p)
{
    const tilec_stats *s = &p->timing->stats;
    double least = least_seconds(&p->peaks, MAX(s->flops, 0), s->int8_flops, s->bf16_flops);
    double arithmetic = least / p->timing->times.median;

    return MAX(profile_memory(p), MIN(arithmetic, 1));
}

/* A line that is faster than the machine: samples fall on the instruction behind, so that what it
 * waited for is found at a neighbour. */
static bool has_others_time(const Profile *p, const tilec_line *l)
{
    static const double much = 1.1;

    return p->has_peaks && l->bytes > much * profile_time(p, l) * p->peaks.near_bytes;
}

double profile_line_roofline(const Profile *p, const tilec_line *l)
{
    double least = MAX(l->bytes / p->peaks.near_bytes,
                       least_seconds(&p->peaks, l->flops, l->int8_flops, l->bf16_flops));

    if (!profile_is_sure(l) || least <= 0 || has_others_time(p, l))
        return -1;
    return MAX(MIN(least / profile_time(p, l), 1), l->bytes > 0 ? profile_memory(p) : 0);
}

static int by_samples(const void *a, const void *b)
{
    const tilec_line *x = a, *y = b;

    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return x->line - y->line;
}

static void put_rate(Table *t, const Profile *p, const tilec_line *l, double amount)
{
    if (amount > 0 && profile_is_sure(l) && !has_others_time(p, l))
        table_printf(t, "%.2f", amount / profile_time(p, l) / 1e9);
    else
        table_put(t, "-");
}

static void put_roofline(Table *t, double share)
{
    if (share >= 0)
        table_printf(t, "%.0f%%", 100 * share);
    else
        table_put(t, "-");
}

/* One number by another, or `-` where nobody knows. */
static void put_ratio(Table *t, double amount, double by)
{
    if (by > 0)
        table_printf(t, "%.2f", amount / by);
    else
        table_put(t, "-");
}

enum { WIDEST_PATH = 40 };

/* The end of a long path, from a folder on where that fits: `../kernels/add.py`. */
static const char *path_end(Arena *a, const char *path)
{
    size_t len = strlen(path);

    if (len <= WIDEST_PATH)
        return path;
    const char *end = path + len - WIDEST_PATH, *folder = strchr(end, '/');
    return arena_printf(a, "..%s", folder ? folder : end);
}

static void put_profile_line(Table *t, Profile *p, const tilec_line *l)
{
    if (l->file)
        table_printf(t, "%s:%d", path_end(t->arena, l->file), l->line);
    else
        table_put(t, "-");
    table_printf(t, "%.1f%%", 100 * profile_share(p, l));
    table_put(t, timing_duration(t->arena, profile_time(p, l)));
    put_rate(t, p, l, l->bytes);
    put_rate(t, p, l, l->flops);
    if (p->has_peaks)
        put_roofline(t, profile_line_roofline(p, l));
    if (p->counted) {
        put_ratio(t, l->instructions, l->cycles);
        put_ratio(t, 1000 * l->cache_misses, l->instructions);
    }
    table_put(t, l->file ? source_text(p, l->file, l->line) : "launching, waiting");
}

static const char *profile_rows(Profile *p)
{
    static const char *const titles[] = {"line", "share", "time", "GB/s", "GFLOP/s"},
                             *const counts[] = {"IPC", "MPKI"};
    int columns = COUNT(titles) + (p->has_peaks ? 1 : 0) + (p->counted ? COUNT(counts) : 0);
    Table table = table_new(p->arena, columns + 1, 1);

    for (int i = 0; i < COUNT(titles); i++)
        table_put(&table, titles[i]);
    if (p->has_peaks)
        table_put(&table, "roofline");
    for (int i = 0; p->counted && i < COUNT(counts); i++)
        table_put(&table, counts[i]);
    table_put(&table, ""); /* the source, to the left and to its end */
    for (int i = 0; i < p->lines->lines.len; i++)
        put_profile_line(&table, p, &p->lines->lines.at[i]);
    return table_text(&table);
}

/* Else its loops, or ifs, depend on what it loads. */
static bool is_work_known(const Profile *p)
{
    return p->timing->stats.flops >= 0;
}

/* Of those products that the kernel has. */
static const char *product_peaks(const Profile *p)
{
    const tilec_stats *s = &p->timing->stats;
    Text out = text_new(p->arena);

    if (s->int8_flops > 0)
        text_printf(&out, ", %.0f in products of int8", p->peaks.int8_flops / 1e9);
    if (s->bf16_flops > 0)
        text_printf(&out, ", %.0f in products of bf16", p->peaks.bf16_flops / 1e9);
    return out.s ? out.s : "";
}

/* What the shares are of, and what there was to be had. */
static const char *profile_end(const Profile *p)
{
    if (p->chip)
        return arena_printf(
            p->arena, "%s cycles of warps, by %s, in runs that took %.2f times as long\n%s",
            report_count(p->arena, (double)p->samples), p->clock, p->slowdown, chip_table(p->chip));
    if (!p->has_peaks)
        return "the interpreter runs op by op, on one thread: a share says where its own time "
               "goes, "
               "and not where a device's does\n";
    return arena_printf(p->arena,
                        "%llu samples by %s; the machine: %.1f GB/s of arrays like these "
                        "(%s), %.1f GB/s of its nearest caches, %.0f GFLOP/s%s\n"
                        "all of the kernel: %.0f%% of the roofline\n",
                        (unsigned long long)p->samples, p->clock, p->peaks.bytes / 1e9,
                        profile_source(p), p->peaks.near_bytes / 1e9, p->peaks.flops / 1e9,
                        product_peaks(p), 100 * profile_roofline(p));
}

static const char *profile_table(Profile *p)
{
    return arena_printf(p->arena, "%s%s%s", profile_rows(p), profile_end(p),
                        is_work_known(p) ? ""
                                         : "what each line does cannot be counted: it depends "
                                           "on the arrays' data, or takes too many steps\n");
}

static void put_line_json(Text *out, Profile *p, const tilec_line *l)
{
    double share = p->has_peaks ? profile_line_roofline(p, l) : -1;

    json_object(out, NULL);
    json_text(out, "file", l->file);
    json_int(out, "line", l->line);
    json_text(out, "source", l->file ? source_text(p, l->file, l->line) : "");
    json_int(out, "samples", (int64_t)l->samples);
    json_number(out, "share", profile_share(p, l), 6);
    json_number(out, "seconds", profile_time(p, l), 6);
    if (is_work_known(p)) {
        json_number(out, "bytes", l->bytes, 17);
        json_number(out, "flops", l->flops, 17);
        json_number(out, "int_ops", l->int_ops, 17);
    }
    if (share >= 0)
        json_number(out, "roofline", share, 6);
    if (l->cycles > 0)
        json_number(out, "ipc", l->instructions / l->cycles, 6);
    if (l->instructions > 0)
        json_number(out, "mpki", 1000 * l->cache_misses / l->instructions, 6);
    json_object_end(out);
}

static const char *profile_json(Profile *p)
{
    Text out = text_new(p->arena);

    json_object(&out, NULL);
    json_int(&out, "samples", (int64_t)p->samples);
    json_text(&out, "clock", p->clock);
    if (p->chip) {
        json_number(&out, "slowdown", p->slowdown, 6);
        chip_put_json(&out, p->chip);
    }
    if (p->has_peaks) {
        json_number(&out, "peak_bytes_per_s", p->peaks.bytes, 6);
        json_bool(&out, "cached", p->peaks.cached);
        json_number(&out, "peak_near_bytes_per_s", p->peaks.near_bytes, 6);
        json_number(&out, "peak_flop_per_s", p->peaks.flops, 6);
        json_number(&out, "peak_int8_flop_per_s", p->peaks.int8_flops, 6);
        json_number(&out, "peak_bf16_flop_per_s", p->peaks.bf16_flops, 6);
        json_number(&out, "roofline", profile_roofline(p), 6);
    }
    json_array(&out, "lines");
    for (int i = 0; i < p->lines->lines.len; i++)
        put_line_json(&out, p, &p->lines->lines.at[i]);
    json_array_end(&out);
    json_object_end(&out);
    return out.s;
}

Profile profile_of(const Timing *timing, const Peaks *peaks, ProfileLines *lines)
{
    Profile p = {.arena = lines->arena,
                 .timing = timing,
                 .lines = lines,
                 .has_peaks = peaks != NULL,
                 .samples = profile_samples(lines),
                 .clock = "no clock"};

    if (peaks) {
        p.peaks = *peaks;
        raise_peaks(&p);
    }
    for (int i = 0; i < lines->lines.len; i++) {
        p.clock = lines->lines.at[i].clock ? lines->lines.at[i].clock : p.clock;
        p.counted |= lines->lines.at[i].cycles > 0;
    }
    if (lines->lines.len > 0)
        qsort(lines->lines.at, (size_t)lines->lines.len, sizeof *lines->lines.at, by_samples);
    return p;
}

const char *profile_text(Profile *p, bool json)
{
    return json ? profile_json(p) : profile_table(p);
}
