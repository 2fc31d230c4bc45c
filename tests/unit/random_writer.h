/*
 * random_writer.h - what writes the random kernels of random_source.h and random_tiles.h: choices,
 * lines, parameters, loops
 */
#ifndef TILEC_TEST_RANDOM_WRITER_H
#define TILEC_TEST_RANDOM_WRITER_H

#include "scene.h"

enum { SOURCE_ARRAYS = 16, SOURCE_INTS = 16, SOURCE_NAME = 8 };

typedef struct {
    char name[SOURCE_NAME];
    tilec_dtype dtype;
    int64_t n;
    bool odd;      /* begins one element behind what is aligned */
    bool is_sum;   /* atomics add to it: it begins as zeros */
    bool is_index; /* whole numbers from 0 to 3 */
    bool is_full;  /* any bits */
    int same;      /* 1 + the number of the array that this one is, too; else 0 */
} SourceArray;

typedef struct {
    char name[SOURCE_NAME];
    int64_t value;
} SourceInt;

/* A kernel `k` and a launch of it: first the arrays, then the integers. */
typedef struct {
    Text text;
    SourceArray arrays[SOURCE_ARRAYS];
    SourceInt ints[SOURCE_INTS];
    int narrays, nints, num_warps, num_stages;
    int32_t grid[3];
} RandomSource;

typedef struct {
    uint64_t rng;
    RandomSource *s;
    int depth; /* of indentation */
    bool tidy; /* large blocks, all at multiples of 16 bytes: what a GPU copies by the box */
} Writer;

/* --- choices --- */

static inline int pick(Writer *w, int n)
{
    uint64_t z = (w->rng += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

static inline bool one_of(Writer *w, int n)
{
    return pick(w, n) == 0;
}

#define PICK(w, list) ((list)[pick(w, COUNT(list))])

/* --- text --- */

__attribute__((format(printf, 2, 3))) static inline void line(Writer *w, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_printf(&w->s->text, "%*s%s\n", 4 * w->depth, "", text);
}

static inline void array(Writer *w, const char *name, tilec_dtype dtype, int64_t n, bool odd)
{
    SourceArray *a = &w->s->arrays[w->s->narrays++];

    *a = (SourceArray){.dtype = dtype, .n = n, .odd = odd && !w->tidy};
    snprintf(a->name, sizeof a->name, "%s", name);
}

/* Another name of the array in front of it. */
static inline void same_array(Writer *w, const char *name)
{
    SourceArray *a = &w->s->arrays[w->s->narrays++];

    *a = a[-1];
    a->same = w->s->narrays - 1;
    snprintf(a->name, sizeof a->name, "%s", name);
}

static inline void integer(Writer *w, const char *name, int64_t value)
{
    SourceInt *i = &w->s->ints[w->s->nints++];

    i->value = value;
    snprintf(i->name, sizeof i->name, "%s", name);
}

static inline void parameters(Writer *w)
{
    const RandomSource *s = w->s;

    for (int i = 0; i < s->narrays; i++)
        text_printf(&w->s->text, "%s%s", i ? ", " : "", s->arrays[i].name);
    for (int i = 0; i < s->nints; i++)
        text_printf(&w->s->text, ", %s", s->ints[i].name);
    text_printf(&w->s->text, "):\n");
}

static inline void head(Writer *w)
{
    text_printf(&w->s->text,
                "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(");
    parameters(w);
    w->depth = 1;
}

/* --- types --- */

static inline const char *type_word(tilec_dtype t)
{
    static const char *const names[] = {
        [TILEC_I1] = "tl.int1",        [TILEC_I8] = "tl.int8",
        [TILEC_I16] = "tl.int16",      [TILEC_I32] = "tl.int32",
        [TILEC_I64] = "tl.int64",      [TILEC_U8] = "tl.uint8",
        [TILEC_U16] = "tl.uint16",     [TILEC_U32] = "tl.uint32",
        [TILEC_FP16] = "tl.float16",   [TILEC_BF16] = "tl.bfloat16",
        [TILEC_FP32] = "tl.float32",   [TILEC_FP64] = "tl.float64",
        [TILEC_FP8E5] = "tl.float8e5", [TILEC_FP8E4NV] = "tl.float8e4nv"};

    return names[t];
}

static inline bool is_fp8(tilec_dtype t)
{
    return t == TILEC_FP8E5 || t == TILEC_FP8E4NV;
}

/* The end of a load that makes another type of it. */
static inline const char *as_type(tilec_dtype from, tilec_dtype to)
{
    static char texts[4][32];
    static int next;
    char *t = texts[next++ % 4];

    t[0] = 0;
    if (from != to)
        snprintf(t, sizeof texts[0], ".to(%s)", type_word(to));
    return t;
}

/* --- loops --- */

/* The statement that begins a loop over `over`, whose rounds may run ahead. */
static inline void for_loop(Writer *w, const char *variable, const char *over)
{
    static const char *const more[] = {
        "", "", "", ", warp_specialize=True", ", flatten=True", ", disallow_acc_multi_buffer=True"};

    if (one_of(w, 2))
        line(w, "for %s in range(%s):", variable, over);
    else
        line(w, "for %s in tl.range(%s, num_stages=%d%s):", variable, over, 1 + pick(w, 4),
             PICK(w, more));
    w->depth++;
}

#endif
