/*
 * store.c - times of configurations, kept in files
 *
 *     tilec-tuned 2
 *     1.25e-05 1.2e-05 1.4e-05 BLOCK=64 num_warps=4
 *     failed BLOCK=65536 num_warps=4
 *
 * Seconds a run: the median of the rounds, and what a fifth of them took less and more than.
 * Processes that write one file at a time each put a whole one in its place.
 */
#include <string.h>

#include "tuning.h"

enum { LONGEST = 1 << 20 };
static const char magic_line[] = "tilec-tuned 2\n", failed[] = "failed ";

/* "1.5 .."; false: no time stands there. */
static bool read_time(const char **at, double *out)
{
    const char *end;

    *out = double_from_text(*at, &end);
    if (end == *at || *end != ' ' || !(*out >= 0))
        return false;
    *at = end + 1;
    return true;
}

/* A line, without its end, into the candidates that it is about. */
static void take_line(Tuning *t, const char *line)
{
    TunedTimes times = {.is_known = true};

    if (strncmp(line, failed, strlen(failed)) == 0) {
        times.fails = true;
        line += strlen(failed);
    } else if (!read_time(&line, &times.median) || !read_time(&line, &times.low) ||
               !read_time(&line, &times.high))
        return;
    for (int i = 0; i < t->count; i++) {
        if (t->all[i].text && strcmp(t->all[i].text, line) == 0)
            t->all[i].times = times;
    }
}

void store_read(Tuning *t, const char *path)
{
    char *text, *end;
    size_t len;

    if (os_read_file(t->arena, path, LONGEST, &text, &len) != 0 ||
        strncmp(text, magic_line, strlen(magic_line)) != 0)
        return;
    for (text += strlen(magic_line); (end = strchr(text, '\n')); text = end + 1) {
        *end = '\0';
        take_line(t, text);
    }
}

int store_write(const Tuning *t, const char *path)
{
    Text out = text_new(t->arena);

    text_put(&out, magic_line);
    for (int i = 0; i < t->count; i++) {
        const Candidate *k = &t->all[i];

        if (!k->times.is_known || k->same_as >= 0)
            continue;
        if (k->times.fails)
            text_put(&out, failed);
        else
            text_printf(&out, "%.9g %.9g %.9g ", k->times.median, k->times.low, k->times.high);
        text_printf(&out, "%s\n", k->text);
    }
    return os_rewrite_file(path, out.s, out.len);
}
