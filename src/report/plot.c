/*
 * plot.c - `--plot FILE.svg|png`: the rows of a sweep drawn by gnuplot
 *
 * Along x goes the swept argument with the most numbers; each combination of the others is a line.
 * Along y goes what the rows are compared by.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const Sweep *sweep;
    int x; /* which of its names */
    Text *out;
} Plot;

static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);

    return n > m && strcmp(path + n - m, suffix) == 0;
}

void plot_check(Client *c, const char *path)
{
    static const char *const version[] = {"gnuplot", "--version", NULL};
    OsRun run;
    int error;

    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        client_stop(c, CLIENT_USAGE, "--plot %s: a plot is a .svg or a .png", path);
    error = os_check_output(path, false);
    if (error)
        client_stop_at_output(c, path, error);
    error = os_run(c->arena, version, "", 0, &run);
    if (error || run.code != 0)
        client_stop(
            c, CLIENT_FILES,
            "--plot: gnuplot, which draws, cannot be run: %s\n"
            "hint: install it (gnuplot-nox on Debian and Ubuntu), or draw what --csv prints",
            error ? strerror(error) : run.errors);
}

static bool is_number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end;
}

/* How many values a name has, or 0 when one of them is no number. */
static int count_numbers(const Sweep *s, int name)
{
    int n = 0;

    for (int i = 0; i < s->nrows; i++) {
        bool known = false;
        double v;

        if (!is_number(s->rows[i].values[name], &v))
            return 0;
        for (int k = 0; k < i; k++)
            known |= strcmp(s->rows[k].values[name], s->rows[i].values[name]) == 0;
        n += !known;
    }
    return n;
}

static int choose_x(Client *c, const Sweep *s)
{
    int best = -1, most = 1;

    for (int i = 0; i < s->nnames; i++) {
        int n = count_numbers(s, i);
        if (n > most) {
            most = n;
            best = i;
        }
    }
    if (best < 0)
        client_stop(c, CLIENT_USAGE, "--plot: no argument of the sweep has several numbers");
    return best;
}

/* Are two rows on one line, all but x being the same? */
static bool on_one_line(const Plot *p, const SweepRow *a, const SweepRow *b)
{
    for (int i = 0; i < p->sweep->nnames; i++) {
        if (i != p->x && strcmp(a->values[i], b->values[i]) != 0)
            return false;
    }
    return true;
}

static bool begins_line(const Plot *p, int row)
{
    for (int i = 0; i < row; i++) {
        if (on_one_line(p, &p->sweep->rows[i], &p->sweep->rows[row]))
            return false;
    }
    return true;
}

/* In single quotes of gnuplot, which has nothing special in them but these. */
static void put_quoted(Text *t, const char *s)
{
    text_put(t, "'");
    for (; *s; s++) {
        if ((unsigned char)*s >= ' ')
            text_printf(t, *s == '\'' ? "''" : "%c", *s);
    }
    text_put(t, "'");
}

static void put_title(const Plot *p, const SweepRow *r)
{
    Text title = text_new(p->out->arena);

    text_put(&title, "");
    for (int i = 0; i < p->sweep->nnames; i++) {
        if (i != p->x)
            text_printf(&title, "%s%s=%s", title.len ? " " : "", p->sweep->names[i], r->values[i]);
    }
    put_quoted(p->out, title.s);
}

/* The points of the line that the row begins. */
static void put_points(const Plot *p, int row)
{
    const Sweep *s = p->sweep;

    for (int i = row; i < s->nrows; i++) {
        const SweepRow *r = &s->rows[i];
        double y =
            s->basis == SWEEP_BY_TIME ? r->timing.times.median * 1e6 : sweep_rate(r, s->basis);

        if (!r->problem && on_one_line(p, &s->rows[row], r))
            text_printf(p->out, "%s %.9g\n", r->values[p->x], y);
    }
    text_put(p->out, "e\n");
}

static bool is_geometric(const Plot *p)
{
    double least = 0, greatest = 0;

    for (int i = 0; i < p->sweep->nrows; i++) {
        double v;

        is_number(p->sweep->rows[i].values[p->x], &v);
        least = i == 0 ? v : MIN(least, v);
        greatest = i == 0 ? v : MAX(greatest, v);
    }
    return least > 0 && greatest / least >= 8;
}

static void put_script(const Plot *p, const char *path)
{
    static const char *const y_titles[] = {
        [SWEEP_BY_TIME] = "microseconds", [SWEEP_BY_BYTES] = "GB/s", [SWEEP_BY_FLOPS] = "GFLOP/s"};
    const Sweep *s = p->sweep;
    const char *between = "plot ";

    text_printf(p->out, "set terminal %s size 900,600\nset output '/dev/stdout'\n",
                ends_in(path, ".svg") ? "svg noenhanced" : "pngcairo noenhanced");
    text_put(p->out, "set format x '%.9g'\nset grid\nset yrange [0:*]\nset key outside\n");
    if (is_geometric(p))
        text_put(p->out, "set logscale x 2\n");
    text_put(p->out, "set title ");
    put_quoted(p->out, arena_printf(p->out->arena, "%s on %s", s->kernel, s->device));
    text_printf(p->out, "\nset ylabel '%s'\nset xlabel ", y_titles[s->basis]);
    put_quoted(p->out, s->names[p->x]);
    text_put(p->out, "\n");
    for (int i = 0; i < s->nrows; i++) {
        if (!begins_line(p, i))
            continue;
        text_printf(p->out, "%s'-' with linespoints title ", between);
        put_title(p, &s->rows[i]);
        between = ", ";
    }
    text_put(p->out, "\n");
    for (int i = 0; i < s->nrows; i++) {
        if (begins_line(p, i))
            put_points(p, i);
    }
}

void plot_sweep(Client *c, const Sweep *s, const char *path)
{
    static const char *const program[] = {"gnuplot", NULL};
    Text script = text_new(c->arena);
    const Plot p = {s, choose_x(c, s), &script};
    OsRun run;
    int error;

    put_script(&p, path);
    error = os_run(c->arena, program, script.s, script.len, &run);
    if (error || run.code != 0 || run.noutput == 0)
        client_stop(c, CLIENT_FILES, "--plot: gnuplot failed: %s",
                    error ? strerror(error) : run.errors);
    error = os_write_file(path, run.output, run.noutput);
    if (error)
        client_stop_at_output(c, path, error);
}
