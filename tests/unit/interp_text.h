/*
 * interp_text.h - run IR text on arrays in the interpreter, and compare
 */
#ifndef TILEC_TEST_INTERP_TEXT_H
#define TILEC_TEST_INTERP_TEXT_H

/* the kernels inside IR() are not C */
/* clang-format off */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/interp/interp.h" /* before cmocka.h, whose fail() is a macro */

#include <cmocka.h>

#define P(array) ((uint64_t)(uintptr_t)(array))

/* IR without quotes: lines end at `;` and around braces, except in `} {`. */
#define IR(...) #__VA_ARGS__

/* The text that IR() means, with `by` in place of every `word`. */
static inline char *spell_out(Arena *a, const char *s, const char *word, const char *by)
{
    Text t = text_new(a);

    for (; *s; s++) {
        if (word && strncmp(s, word, strlen(word)) == 0) {
            text_put(&t, by);
            s += strlen(word) - 1;
        } else if (*s == ';') {
            text_put(&t, "\n");
        } else {
            bool closes = *s == '}', goes_on = closes && s[1] == ' ' && s[2] == '{';
            text_put(&t, closes ? "\n" : "");
            text_putn(&t, s, 1);
            text_put(&t, *s == '{' || (closes && !goes_on) ? "\n" : "");
        }
    }
    return t.s;
}

static const Func *kernel_of(Arena *a, const char *text, Diags *d)
{
    const Source *src = source_add(diags_sources(d), "<test>", text, strlen(text));
    Module *m = ir_read(a, interner_new(a), src, d);
    if (!m)
        fail_msg("%s", diags_text(d, a));
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            return m->funcs[i];
    }
    fail_msg("no kernel");
    return NULL;
}

/* The diagnostics of a run over a whole grid, in the arena; "" when it went well. */
static const char *outcome(Arena *a, const char *text, int x, int y, int z, const uint64_t *args)
{
    Diags *d = diags_new(a, NULL);
    InterpLaunch launch = {.args = args, .grid = {x, y, z}, .first = 0, .last = (int64_t)x * y * z};
    int status = interp_run(kernel_of(a, text, d), &launch, d);

    assert_int_equal(status != 0, diag_errors(d) != 0);
    return diags_text(d, a);
}

static inline void run_grid(const char *text, const char *word, const char *by, int x, int y, int z,
                     const uint64_t *args)
{
    Arena *a = arena_new(NULL);

    assert_string_equal(outcome(a, spell_out(a, text, word, by), x, y, z, args), "");
    arena_free(a);
}

#define RUN_WITH(text, word, by, programs, ...)                                                    \
    run_grid(text, word, by, programs, 1, 1, (const uint64_t[]){__VA_ARGS__})
#define RUN(text, programs, ...) RUN_WITH(text, NULL, NULL, programs, __VA_ARGS__)

static uint64_t random_state = 11;

static inline uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    return hash_bytes(&random_state, sizeof random_state, 3);
}

static inline float random_float(void)
{
    return (float)((double)(int64_t)random_bits() * 0x1p-62);
}

static inline void fill_floats(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = random_float();
}

static inline void check_floats(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++) {
        if (got[i] != want[i] && !(isnan(got[i]) && isnan(want[i])))
            fail_msg("element %d is %.9g, not %.9g", i, got[i], want[i]);
    }
}

/* out = x + y on n elements, BLOCK a program */
#define ADD_KERNEL IR(                                                        \
    kernel @add(%x: *fp32, %y: *fp32, %out: *fp32, %n: i32) {                 \
        %pid = program_id axis=0 : i32;                                       \
        %b = const BLOCK : i32;                                               \
        %base = mul %pid, %b : i32;                                           \
        %r = arange start=0 : i32[BLOCK];                                     \
        %bs = splat %base : i32[BLOCK];                                       \
        %offs = add %bs, %r : i32[BLOCK];                                     \
        %ns = splat %n : i32[BLOCK];                                          \
        %mask = lt %offs, %ns : i1[BLOCK];                                    \
        %xs = splat %x : *fp32[BLOCK];                                        \
        %xp = addptr %xs, %offs : *fp32[BLOCK];                               \
        %xv = load %xp, %mask : fp32[BLOCK];                                  \
        %ys = splat %y : *fp32[BLOCK];                                        \
        %yp = addptr %ys, %offs : *fp32[BLOCK];                               \
        %yv = load %yp, %mask : fp32[BLOCK];                                  \
        %s = add %xv, %yv : fp32[BLOCK];                                      \
        %os = splat %out : *fp32[BLOCK];                                      \
        %op = addptr %os, %offs : *fp32[BLOCK];                               \
        store %op, %s, %mask;                                                 \
        return;                                                               \
    }                                                                         \
)

#endif
