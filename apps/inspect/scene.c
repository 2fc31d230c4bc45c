/*
 * scene.c - one image of a part under a camera, with integers only, so that every machine draws the
 * same
 *
 * The part is a slowly changing grey with a mark in its middle: three bright rectangles, one on the
 * other and off each other's middle, so that it fits at one place.  It lies up to MARGIN pixels off
 * its place, light and contrast differ from image to image, each pixel has noise of -4 to 4.  Every
 * fourth image or so has 1 to MOST_SPOTS dark spots of 2 to 8 pixels to a side, which touch neither
 * each other nor the mark.
 */
#include "demo.h"

enum { CROP = SIDE - 2 * MARGIN, APART = 16, TRIES = 100 };

/* Steele, Lea and Flood's SplitMix (2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number from least to most. */
static int draw(uint64_t *state, int least, int most)
{
    return least + (int)(next(state) % (uint64_t)(most - least + 1));
}

/* --- the plan --- */

static int near(const Spot *a, const Spot *b)
{
    return a->top < b->bottom + APART && b->top < a->bottom + APART && a->left < b->right + APART &&
           b->left < a->right + APART;
}

static int fits(const Scene *s, const Spot *spot)
{
    const int first = (CROP - TEMPLATE_SIDE) / 2, last = first + TEMPLATE_SIDE;
    const Spot mark = {first, first, last, last};

    for (int i = 0; i < s->nspots; i++) {
        if (near(&s->spots[i], spot))
            return 0;
    }
    return !near(&mark, spot);
}

static void plant(Scene *s)
{
    for (int i = 0; i < TRIES; i++) {
        const int height = draw(&s->state, 2, 8), width = draw(&s->state, 2, 8);
        const int top = draw(&s->state, 4, CROP - 4 - height);
        const int left = draw(&s->state, 4, CROP - 4 - width);
        const Spot spot = {top, left, top + height, left + width};

        if (!fits(s, &spot))
            continue;
        s->spots[s->nspots++] = spot;
        return;
    }
}

Scene scene_plan(uint64_t seed, int number)
{
    Scene s = {.state = seed * 0x100000001b3u + (uint64_t)number};

    s.dy = draw(&s.state, -MARGIN, MARGIN);
    s.dx = draw(&s.state, -MARGIN, MARGIN);
    if (draw(&s.state, 0, 3) == 0) {
        const int n = draw(&s.state, 1, MOST_SPOTS);

        for (int i = 0; i < n; i++)
            plant(&s);
    }
    return s;
}

/* --- pixels --- */

/* From 0 to 60 and back. */
static int wave(int v, int period)
{
    v = ((v % (2 * period)) + 2 * period) % (2 * period);
    return (v < period ? v : 2 * period - v) * 60 / period;
}

/* The mark's brightness, y and x counted from its first pixel. */
static int mark_at(int y, int x)
{
    int light = 0;

    light += y >= 4 && y < 29 && x >= 4 && x < 29 ? 40 : 0;
    light += y >= 7 && y < 25 && x >= 10 && x < 27 ? 30 : 0;
    light += y >= 9 && y < 19 && x >= 12 && x < 20 ? 30 : 0;
    return light;
}

/* The part at a place of the crop, which may be one beside it. */
static int part_at(int y, int x)
{
    const int first = (CROP - TEMPLATE_SIDE) / 2;

    return 60 + wave(y + 40, 97) / 2 + wave(x - 30, 131) / 2 + mark_at(y - first, x - first);
}

static int is_spot(const Scene *s, int y, int x)
{
    for (int i = 0; i < s->nspots; i++) {
        const Spot *p = &s->spots[i];

        if (y >= p->top && y < p->bottom && x >= p->left && x < p->right)
            return 1;
    }
    return 0;
}

static unsigned char limit(int v)
{
    return (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
}

void scene_draw(const Scene *scene, unsigned char pixels[SIDE * SIDE])
{
    Scene s = *scene;
    const int contrast = draw(&s.state, 90, 110), light = draw(&s.state, -10, 30);
    const int depth = draw(&s.state, 55, 80);

    for (int i = 0; i < SIDE * SIDE; i++) {
        const int y = i / SIDE - MARGIN - s.dy, x = i % SIDE - MARGIN - s.dx;
        const int part = part_at(y, x) - (is_spot(&s, y, x) ? depth : 0);

        pixels[i] = limit(light + part * contrast / 100 + draw(&s.state, -4, 4));
    }
}

void scene_template(unsigned char pixels[TEMPLATE_SIDE * TEMPLATE_SIDE])
{
    const int first = (CROP - TEMPLATE_SIDE) / 2;

    for (int i = 0; i < TEMPLATE_SIDE * TEMPLATE_SIDE; i++)
        pixels[i] = limit(part_at(first + i / TEMPLATE_SIDE, first + i % TEMPLATE_SIDE));
}
