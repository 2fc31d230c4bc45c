/*
 * stream.c - how fast this machine moves memory right now
 *
 * The triad a[i] = b[i] + 3 c[i] of McCalpin's STREAM, with non-temporal stores, so that a line of
 * `a` is not read before it is overwritten: no kernel that reads two arrays and writes one can be
 * faster.
 */
#include "bench.h"

enum { PART = 1 << 16 }; /* floats that a thread takes at a time */

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx"))) static void triad_avx(const Stream *s, size_t from, size_t to)
{
    __m256 three = _mm256_set1_ps(3);

    for (size_t i = from; i < to; i += 32)
        for (size_t k = i; k < i + 32; k += 8) {
            __m256 b = _mm256_loadu_ps(s->b + k), c = _mm256_loadu_ps(s->c + k);

            _mm256_stream_ps(s->a + k, _mm256_add_ps(b, _mm256_mul_ps(three, c)));
        }
    _mm_sfence();
}
#endif

static void triad_plain(const Stream *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        s->a[i] = s->b[i] + 3 * s->c[i];
}

static void triad_part(void *ctx, int part)
{
    const Stream *s = ctx;
    size_t from = (size_t)part * PART, to = from + PART;

    to = to < s->n ? to : s->n / 32 * 32;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx")) {
        triad_avx(s, from, to);
        return;
    }
#endif
    triad_plain(s, from, to);
}

Stream stream_new(size_t bytes)
{
    Stream s = {pages(bytes), pages(bytes), pages(bytes), bytes / sizeof(float)};

    return s;
}

double stream_rate_by(const Stream *s, int threads, double (*clock)(void))
{
    Stream copy = *s;
    double start = clock();

    on_threads(threads, (int)((s->n + PART - 1) / PART), triad_part, &copy);
    return 3.0 * (double)(s->n * sizeof(float)) / (clock() - start);
}

double stream_rate(const Stream *s, int threads)
{
    return stream_rate_by(s, threads, now);
}
