/*
 * figures.c - pictures of bytes, times and occupancy
 */
#include "page.h"

enum { WIDTH = 520, ROW = 30, LABEL = 150 };

/* --- bytes --- */

typedef struct {
    const char *name, *class, *about;
    double bytes;
} Bar;

static void put_bar(Text *t, const Bar *b, int row, double most)
{
    double room = WIDTH - LABEL - 110, wide = b->bytes / most * room;
    int y = row * ROW;

    text_printf(t,
                "<g><title>%s</title><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\" rx=\"3\"/>"
                "<text class=\"kernel\" x=\"%.1f\" y=\"%d\">%s</text></g>\n",
                b->about, LABEL - 8, y + 18, b->name, b->class, LABEL, y + 5, MAX(wide, 1.5),
                LABEL + MAX(wide, 1.5) + 8, y + 18, report_bytes(t->arena, b->bytes));
}

void bytes_put(Text *t, const RunView *v)
{
    const Bar bars[] = {
        {"must move", "own", "arrays that are read and written, once each", v->timing.stats.bytes},
        {"asked for", "other", "elements that loads and stores name, each time", view_asked(v)},
        {"moved", "warm", "sectors of 32 bytes, between the L2 and multiprocessors", view_moved(v)},
    };
    double most = 0;
    int rows = 0;

    for (int i = 0; i < COUNT(bars); i++)
        most = MAX(most, bars[i].bytes);
    if (most <= 0)
        return;
    text_put(t,
             "<figure><figcaption>Bytes <span>that must move, and that did</span></figcaption>\n");
    for (int i = 0; i < COUNT(bars); i++)
        rows += bars[i].bytes > 0;
    text_printf(t, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"bytes\">\n", WIDTH,
                rows * ROW);
    for (int i = 0, row = 0; i < COUNT(bars); i++) {
        if (bars[i].bytes > 0)
            put_bar(t, &bars[i], row++, most);
    }
    text_put(t, "</svg></figure>\n");
}

/* --- times --- */

static void put_tick(Text *t, double x, int y, const char *anchor, const char *name, double seconds)
{
    text_printf(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s %s</text>\n", x, y, anchor,
                name, timing_duration(t->arena, seconds));
}

/* A box around the middle half of the runs, a line from the least on, up to where most end. */
void times_put(Text *t, const RunView *v)
{
    const Times *s = &v->timing.times;
    double end = MIN(s->max, s->upper_quarter + 3 * (s->upper_quarter - s->min) + 1e-9);
    double room = WIDTH - 40, scale = room / MAX(end - s->min, 1e-12);

    if (s->n < 4)
        return;
    double low = 20 + (s->lower_quarter - s->min) * scale;
    double high = 20 + (s->upper_quarter - s->min) * scale;
    double middle = 20 + (s->median - s->min) * scale;
    text_printf(t,
                "<figure><figcaption>Times <span>of %d runs; the box holds half of "
                "them</span></figcaption>\n"
                "<svg viewBox=\"0 0 %d 84\" role=\"img\" aria-label=\"times\">\n"
                "<line class=\"axis\" x1=\"20\" x2=\"%.1f\" y1=\"38\" y2=\"38\"/>\n"
                "<rect class=\"own\" x=\"%.1f\" y=\"26\" width=\"%.1f\" height=\"24\" rx=\"3\"/>\n"
                "<line class=\"median\" x1=\"%.1f\" x2=\"%.1f\" y1=\"22\" y2=\"54\"/>\n",
                s->n, WIDTH, 20 + room, low, MAX(high - low, 2), middle, middle);
    put_tick(t, 20, 72, "start", "min", s->min);
    put_tick(t, MAX(70, MIN(middle, WIDTH - 70)), 16, "middle", "median", s->median);
    put_tick(t, WIDTH - 20, 72, "end", end < s->max ? "off the scale: max" : "max", s->max);
    text_put(t, "</svg></figure>\n");
}

/* --- occupancy --- */

enum { SLOT = 24, SLOTS_WIDE = 16 };

/* The warps of one multiprocessor, those of a program in one shade. */
static void put_slots(Text *t, const Occupancy *o)
{
    int used = o->programs * o->warps;

    for (int i = 0; i < o->most_warps; i++) {
        const char *class = i >= used ? "empty" : i / o->warps % 2 ? "slot odd" : "slot";
        text_printf(t, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>",
                    class, 4 + i % SLOTS_WIDE * (SLOT + 8), 4 + i / SLOTS_WIDE * (SLOT + 6),
                    SLOT + 2, SLOT);
    }
    text_put(t, "\n");
}

static void put_limit(Text *t, const Occupancy *o, const char *name, const char *takes,
                      int programs)
{
    bool is_limit = programs == o->programs;

    if (programs < 0)
        text_printf(t, "<tr><th scope=\"row\">%s</th><td>%s</td><td>not known</td></tr>\n", name,
                    takes);
    else
        text_printf(t, "<tr%s><th scope=\"row\">%s</th><td>%s</td><td>%d</td></tr>\n",
                    is_limit ? " class=\"limit\"" : "", name, takes, programs);
}

static void put_limits(Text *t, const Occupancy *o)
{
    Arena *a = t->arena;

    text_put(t, "<table class=\"limits\"><thead><tr><th scope=\"col\">of a multiprocessor</th>"
                "<th scope=\"col\">a program takes</th><th scope=\"col\">so many fit</th></tr>"
                "</thead><tbody>\n");
    put_limit(t, o, "warps", arena_printf(a, "%d of %d", o->warps, o->most_warps), o->by_warps);
    put_limit(
        t, o, "shared memory",
        arena_printf(a, "%s of %s", report_bytes(a, o->shared), report_bytes(a, o->most_shared)),
        o->by_shared);
    put_limit(t, o, "registers",
              o->registers > 0
                  ? arena_printf(a, "%d a thread", o->registers)
                  : arena_printf(a, "up to %d a thread cost nothing", o->spare_registers),
              o->by_registers);
    put_limit(t, o, "programs", "1", o->by_slots);
    text_put(t, "</tbody></table>\n");
}

/* Each wave a bar, at most so many of them; the last one as long as it has programs. */
static void put_waves(Text *t, const Occupancy *o)
{
    enum { MOST = 8, TALL = 14 };
    int shown = (int)MIN(o->waves, MOST);

    if (o->wave <= 0)
        return;
    text_printf(t,
                "<figure><figcaption>Waves <span>%lld programs, of which %lld run at once on %d "
                "multiprocessors%s%s</span></figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-label=\"waves\">\n",
                (long long)o->grid, (long long)MIN(o->wave, o->grid), o->multiprocessors,
                o->model ? " of " : "", o->model ? o->model : "", WIDTH, shown * (TALL + 4) + 24);
    for (int i = 0; i < shown; i++) {
        bool is_last = i == shown - 1;
        double share = is_last ? (double)o->last / (double)o->wave : 1;
        text_printf(t,
                    "<rect class=\"empty\" x=\"2\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>"
                    "<rect class=\"%s\" x=\"2\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>\n",
                    2 + i * (TALL + 4), WIDTH - 4, TALL, is_last ? "warm" : "own",
                    2 + i * (TALL + 4), MAX(share * (WIDTH - 4), 2), TALL);
    }
    text_printf(t,
                "<text x=\"2\" y=\"%d\">%s%.2g%% of the places of the last wave are taken"
                "</text></svg></figure>\n",
                shown * (TALL + 4) + 18,
                o->waves > shown ? arena_printf(t->arena, "%lld waves, of which %d are drawn; ",
                                                (long long)o->waves, shown)
                                 : "",
                100 * (double)o->last / (double)o->wave);
}

void occupancy_put(Text *t, const RunView *v)
{
    const Occupancy *o = v->occupancy;
    int rows = (o->most_warps + SLOTS_WIDE - 1) / SLOTS_WIDE;

    text_printf(t,
                "<figure><figcaption>Occupancy <span>%s%.0f%%: %d of %d warps, %d program%s at "
                "once, by %s</span></figcaption>\n"
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"occupancy\">\n",
                o->registers > 0 ? "" : "at most ", 100 * occupancy_share(o),
                o->programs * o->warps, o->most_warps, o->programs, o->programs == 1 ? "" : "s",
                o->limit, WIDTH, rows * (SLOT + 6) + 6);
    put_slots(t, o);
    text_put(t, "</svg>\n");
    put_limits(t, o);
    text_put(t, "</figure>\n");
    put_waves(t, o);
}
