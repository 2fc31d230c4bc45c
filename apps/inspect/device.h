/*
 * device.h - what device.c, template.c and group.c share: kernels and arrays on a device
 */
#ifndef INSPECT_DEVICE_H
#define INSPECT_DEVICE_H

#include "inspect.h"

/* An array of the host and, on a device with memory of its own, its copy there. */
typedef struct {
    void *host; /* somebody else's */
    void *there;
    size_t bytes; /* of `there` */
} Mirror;
typedef enum {
    IMAGES, /* in the order of the launches */
    TEMPLATES,
    SCORES,
    PLACES,
    BEST,
    OFFSETS,
    CROPS,
    FOUND,
    MIRRORS
} MirrorId;

/* What is looked for. */
typedef struct {
    void *pixels;
    tilec_dtype dtype;
    int height, width;
} Template;

struct Device {
    const Options *options;
    tilec_launch_options launch;
    tilec_context *ctx;
    tilec_file *registration, *morphology;
    int unit;        /* which one of that name */
    bool has_memory; /* of its own */
    Template template;
    char *element; /* of the options, as kernels/morphology.py has it; NULL: a rectangle */
    Mirror mirrors[MIRRORS];
    /* of the group: partial results of each program that looks for the template, and the rest */
    double *scores, *best;
    int32_t *places, *offsets;
};

char *device_why(char *error);
bool device_is_gpu(const Device *d);
void mirror_free(Device *d, Mirror *m);
/* Stands for this array of the host from now on.  NULL, or why not. */
char *mirror_set(Device *d, Mirror *m, void *host, size_t bytes);
char *mirror_copy(Device *d, const Mirror *m, size_t bytes, bool to_device);
/* As an argument of a launch; the shape must live as long. */
tilec_arg mirror_arg(const Device *d, const Mirror *m, tilec_dtype dtype, int ndim,
                     const int64_t *shape);

/* template.c */
char *template_read(Template *t, const char *path); /* NULL, or why not */
/* The rows of the element of the options, "010/111/010", for free(); NULL: it is a rectangle. */
char *element_rows(const Options *o);

#endif
