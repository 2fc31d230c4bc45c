/*
 * roofline.c - the machine's roofs, as they were measured, and where a kernel lies below them
 *
 * Across: float operations by bytes of the arrays, once each.  Up: float operations a second.  Both
 * axes go by powers of ten.  The slopes are what memory gives for arrays of that size, and what the
 * nearest caches give; the level is arithmetic.
 */
#include "page.h"

#include <math.h>
#include <string.h>

enum { BESIDE = 11, LETTER = 8 }; /* a name from its point; the width of one in it */
enum { WIDTH = 520, HEIGHT = 300, LEFT = 62, RIGHT = 14, TOP = 14, BOTTOM = 42 };
typedef struct {
    Text *out;
    double x0, x1, y0, y1; /* logarithms to the base 10 of what the edges stand for */
} Axes;

static double intensity_of(const RunView *v)
{
    return v->timing.stats.flops / v->timing.stats.bytes;
}

static double speed_of(const RunView *v)
{
    return v->timing.stats.flops / v->timing.times.median;
}

bool roofline_has(const RunView *v)
{
    const Timing *t = &v->timing;

    return v->profile && v->profile->has_peaks && t->times.n > 0 && t->stats.flops > 0 &&
           t->stats.bytes > 0;
}

static double x_of(const Axes *a, double v)
{
    return LEFT + (log10(v) - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const Axes *a, double v)
{
    return HEIGHT - BOTTOM - (log10(v) - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

/* The level of arithmetic for what the kernel computes: products of small types have one of their
 * own. */
static double level_of(const RunView *v)
{
    const tilec_stats *s = &v->timing.stats;
    const Peaks *p = &v->profile->peaks;
    double small = s->int8_flops + s->bf16_flops, rest = s->flops - small;

    return s->flops / (rest / p->flops + (s->int8_flops > 0 ? s->int8_flops / p->int8_flops : 0) +
                       (s->bf16_flops > 0 ? s->bf16_flops / p->bf16_flops : 0));
}

static Axes axes_of(Text *t, const Page *p, const RunView *v)
{
    double least = 1, most = 1, slow = level_of(v), fast = level_of(v);

    for (int i = 0; i < p->nviews; i++) {
        if (!roofline_has(p->views[i]))
            continue;
        least = MIN(least, intensity_of(p->views[i]));
        most = MAX(most, intensity_of(p->views[i]));
        slow = MIN(slow, speed_of(p->views[i]));
    }
    most = MAX(most, fast / v->profile->peaks.bytes);
    least = MIN(least, fast / v->profile->peaks.near_bytes / 5); /* room for the slopes' names */
    slow = MIN(slow, least * v->profile->peaks.bytes);
    return (Axes){.out = t,
                  .x0 = floor(log10(least) - 0.3),
                  .x1 = ceil(log10(most) + 0.3),
                  .y0 = floor(log10(slow) - 0.3),
                  .y1 = ceil(log10(fast) + 0.1)};
}

static const char *power_text(Arena *a, int n)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};

    if (n < 0 || n >= 3 * COUNT(units))
        return arena_printf(a, "%g", pow(10, n));
    return arena_printf(a, "%g%s", pow(10, n % 3), units[n / 3]);
}

static void put_grid(const Axes *a)
{
    Text *t = a->out;

    for (int i = (int)a->x0; i <= (int)a->x1; i++) {
        double x = x_of(a, pow(10, i));
        const char *anchor = i < (int)a->x1 ? "middle" : "end"; /* no part of it is cut off */
        text_printf(t,
                    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%g</text>\n",
                    x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16, anchor, pow(10, i));
    }
    for (int i = (int)a->y0; i <= (int)a->y1; i++) {
        double y = y_of(a, pow(10, i));
        text_printf(t,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                    LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, power_text(t->arena, i));
    }
    text_printf(t,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">float operations a byte</text>\n"
                "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">FLOP/s"
                "</text>\n",
                (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, (TOP + HEIGHT - BOTTOM) / 2);
}

/* A slope of so many bytes a second, up to the level, with its name along it. */
static void put_slope(const Axes *a, double bytes, double level, const char *class,
                      const char *name)
{
    double from = MAX(pow(10, a->x0), pow(10, a->y0) / bytes), to = level / bytes;
    double x0 = x_of(a, from), y0 = y_of(a, from * bytes), x1 = x_of(a, to), y1 = y_of(a, level);

    if (to <= from)
        return;
    double turn = atan2(y1 - y0, x1 - x0) * 180 / 3.14159265358979;
    text_printf(a->out,
                "<line class=\"roof %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n"
                "<text class=\"name\" transform=\"translate(%.1f %.1f) rotate(%.1f)\" "
                "text-anchor=\"middle\">%s %.3g GB/s</text>\n",
                class, x0, y0, x1, y1, (x0 + x1) / 2 - 5, (y0 + y1) / 2 - 7, turn, name,
                bytes / 1e9);
}

static void put_level(const Axes *a, const Peaks *p, double level)
{
    double y = y_of(a, level);

    text_printf(a->out,
                "<line class=\"roof\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n"
                "<text class=\"name\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">arithmetic %.3g "
                "GFLOP/s</text>\n",
                x_of(a, MAX(level / MAX(p->near_bytes, p->bytes), pow(10, a->x0))), y,
                WIDTH - RIGHT, y, WIDTH - RIGHT - 4, y - 7, level / 1e9);
}

static void put_kernel(const Axes *a, const RunView *v, double level, bool is_own, bool above)
{
    double x = x_of(a, intensity_of(v)), y = y_of(a, speed_of(v));
    double roof = MIN(level, intensity_of(v) * v->profile->peaks.bytes);
    const char *name = v->version ? v->version : v->timing.kernel;
    bool fits = x + BESIDE + LETTER * (double)strlen(name) < WIDTH - RIGHT; /* to the right of it */

    if (is_own && speed_of(v) < roof)
        text_printf(a->out,
                    "<line class=\"gap\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x,
                    y, y_of(a, roof));
    text_printf(a->out,
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>\n"
                "<text class=\"kernel\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                is_own ? "own" : "other", x, y, fits ? x + BESIDE : x - BESIDE,
                above ? y - 9 : y + 16, fits ? "start" : "end", html_text(a->out->arena, name));
}

void roofline_put(Text *t, const Page *p, int version)
{
    const RunView *v = p->views[version];
    const Peaks *peaks = &v->profile->peaks;
    double level = level_of(v);
    const Axes a = axes_of(t, p, v);
    bool is_faster = false; /* than the one beside it, whose name must not lie on this one's */

    text_printf(t,
                "<figure><figcaption>Roofline <span>%.0f%% of what this machine, measured beside "
                "it, allows</span></figcaption>\n"
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"roofline\">\n",
                100 * profile_roofline(v->profile), WIDTH, HEIGHT);
    put_grid(&a);
    put_slope(&a, peaks->near_bytes, level, "near", "nearest caches");
    put_slope(&a, peaks->bytes, level, "", profile_source(v->profile));
    put_level(&a, peaks, level);
    for (int i = 0; i < p->nviews; i++) {
        if (i == version || !roofline_has(p->views[i]))
            continue;
        is_faster = speed_of(v) >= speed_of(p->views[i]);
        put_kernel(&a, p->views[i], level, false, speed_of(p->views[i]) > speed_of(v));
    }
    put_kernel(&a, v, level, true, is_faster);
    text_put(t, "</svg></figure>\n");
}
