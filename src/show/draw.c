/*
 * draw.c - pixels as what a terminal draws: half blocks, text, sixels, kitty's graphics
 *
 * A character of a terminal is about twice as high as wide, so it holds two pixels, one above the
 * other.  Sixels have 6 shades of each of three colours; kitty gets the bytes as they are.
 */
#include "show.h"

#include <string.h>

enum { SHADES = 6, PALETTE = SHADES * SHADES * SHADES, BAND = 6, CHUNK = 4096 / 4 * 3 };

const uint8_t picture_nan[3] = {255, 0, 255};

static const uint8_t *pixel_at(const Picture *p, int x, int y)
{
    return p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
}

static void draw_blocks(Text *t, const Picture *p)
{
    for (int y = 0; y < p->height; y += 2) {
        for (int x = 0; x < p->width; x++) {
            const uint8_t *up = pixel_at(p, x, y);

            text_printf(t, "\033[38;2;%d;%d;%d", up[0], up[1], up[2]);
            if (y + 1 < p->height) {
                const uint8_t *down = pixel_at(p, x, y + 1);
                text_printf(t, ";48;2;%d;%d;%d", down[0], down[1], down[2]);
            }
            text_put(t, "m\xe2\x96\x80"); /* the upper half of a block */
        }
        text_put(t, "\033[0m\n");
    }
}

/* As the eye sees it, 0..255. */
static int luminance(const uint8_t *rgb)
{
    return (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000;
}

static char shade(const uint8_t *up, const uint8_t *down)
{
    static const char shades[] = " .:-=+*#%@";

    if (memcmp(up, picture_nan, 3) == 0 || memcmp(down, picture_nan, 3) == 0)
        return '?';
    return shades[(luminance(up) + luminance(down)) * (COUNT(shades) - 1) / 512];
}

static void draw_text(Text *t, const Picture *p)
{
    for (int y = 0; y < p->height; y += 2) {
        for (int x = 0; x < p->width; x++) {
            char c = shade(pixel_at(p, x, y), pixel_at(p, x, MIN(y + 1, p->height - 1)));
            text_putn(t, &c, 1);
        }
        text_put(t, "\n");
    }
}

static int palette_index(const uint8_t *rgb)
{
    int index = 0;

    for (int i = 0; i < 3; i++)
        index = index * SHADES + (rgb[i] * (SHADES - 1) + 127) / 255;
    return index;
}

static void put_run(Text *t, int length, int bits)
{
    char c = (char)('?' + bits);

    if (length > 3)
        text_printf(t, "!%d%c", length, c);
    for (int i = 0; i < length && length <= 3; i++)
        text_putn(t, &c, 1);
}

/* The pixels of one colour in a band of six lines. */
static void put_colour(Text *t, const Picture *p, int top, int colour)
{
    int last = 0, length = 0;

    text_printf(t, "#%d", colour);
    for (int x = 0; x < p->width; x++) {
        int bits = 0;

        for (int i = 0; i < BAND && top + i < p->height; i++)
            bits |= (palette_index(pixel_at(p, x, top + i)) == colour) << i;
        if (bits != last) {
            put_run(t, length, last);
            length = 0;
        }
        last = bits;
        length++;
    }
    put_run(t, length, last);
    text_put(t, "$"); /* back to the start of the band */
}

static void draw_sixels(Text *t, const Picture *p)
{
    text_printf(t, "\033Pq\"1;1;%d;%d", p->width, p->height);
    for (int i = 0; i < PALETTE; i++)
        text_printf(t, "#%d;2;%d;%d;%d", i, i / SHADES / SHADES * 20, i / SHADES % SHADES * 20,
                    i % SHADES * 20);
    for (int top = 0; top < p->height; top += BAND) {
        bool used[PALETTE] = {false};

        for (int k = 0; k < p->width * MIN((int)BAND, p->height - top); k++)
            used[palette_index(pixel_at(p, k % p->width, top + k / p->width))] = true;
        for (int i = 0; i < PALETTE; i++) {
            if (used[i])
                put_colour(t, p, top, i);
        }
        text_put(t, "-"); /* the next band */
    }
    text_put(t, "\033\\\n");
}

static void draw_kitty(Text *t, const Picture *p)
{
    size_t bytes = 3 * (size_t)p->width * (size_t)p->height;

    for (size_t at = 0; at < bytes; at += CHUNK) {
        size_t n = MIN((size_t)CHUNK, bytes - at);

        text_put(t, "\033_G");
        if (at == 0)
            text_printf(t, "a=T,f=24,s=%d,v=%d,", p->width, p->height);
        text_printf(t, "m=%d;", at + n < bytes);
        text_put_base64(t, p->rgb + at, n);
        text_put(t, "\033\\");
    }
    text_put(t, "\n");
}

void draw_picture(Text *t, const Picture *p, ShowWay way)
{
    switch (way) {
    case SHOW_BLOCKS:
        draw_blocks(t, p);
        break;
    case SHOW_SIXEL:
        draw_sixels(t, p);
        break;
    case SHOW_KITTY:
        draw_kitty(t, p);
        break;
    default:
        draw_text(t, p);
        break;
    }
}
