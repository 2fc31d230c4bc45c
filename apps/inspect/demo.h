/*
 * demo.h - images with known shifts and planted defects, and a look at what tilec-inspect says
 *
 * scene.c draws one image, demo.c makes files of many and compares.
 */
#ifndef DEMO_H
#define DEMO_H

#include <stdint.h>

enum { SIDE = 256, MARGIN = 16, TEMPLATE_SIDE = 33, MOST_SPOTS = 4 };

/* A dark spot: rows top .. bottom - 1 and columns left .. right - 1 of the crop. */
typedef struct {
    int top, left, bottom, right;
} Spot;
typedef struct {
    int dy, dx; /* by which the part lies off its place */
    Spot spots[MOST_SPOTS];
    int nspots;
    uint64_t state; /* of the random numbers that the rest is drawn with */
} Scene;

/* Image `number` of the images of a seed: the same on every machine. */
Scene scene_plan(uint64_t seed, int number);
void scene_draw(const Scene *scene, unsigned char pixels[SIDE * SIDE]);
/* What is looked for: the mark in the middle of the part. */
void scene_template(unsigned char pixels[TEMPLATE_SIDE * TEMPLATE_SIDE]);

#endif
