/*
 * peaks.c - what this machine can do at most: bytes of memory and operations a second
 *
 * Measured by kernels of ours, each time and for each number of threads: arrays that are read,
 * copied and filled, and products of tiles that the nearest caches hold, the fastest arithmetic
 * that the CPU's code has: of fp32, and of int8 and bf16, for which it may have units of their own.
 * How fast bytes are depends on which cache still has them, and on which of them are written.  So
 * the arrays are as large as those of the kernel in question, gone through over and over as that is
 * run when it is timed, and what it writes says which of the three rates count how much.  Once more
 * it is done with some that the nearest cache holds.  A machine that is busy shows less, never
 * more, so the best that was ever seen counts; it is kept as a text in the cache folder, with the
 * name of the CPU that it is of.
 */
#include "report.h"

#include <stdio.h>
#include <string.h>

static const char probes[] = "import triton\n"
                             "import triton.language as tl\n"
                             "\n"
                             "@triton.jit\n"
                             "def copy(x, y, n, rounds, BLOCK: tl.constexpr):\n"
                             "    at = tl.program_id(0) * n + tl.arange(0, BLOCK)\n"
                             "    for i in range(rounds):\n"
                             "        for k in range(0, n, BLOCK):\n"
                             "            tl.store(y + at + k, tl.load(x + at + k))\n"
                             "\n"
                             "@triton.jit\n"
                             "def read(x, y, n, rounds, BLOCK: tl.constexpr):\n"
                             "    at = tl.program_id(0) * n + tl.arange(0, BLOCK)\n"
                             "    sum = tl.zeros([BLOCK], x.dtype.element_ty)\n"
                             "    for i in range(rounds):\n"
                             "        for k in range(0, n, BLOCK):\n"
                             "            sum += tl.load(x + at + k)\n"
                             "    tl.store(y + tl.program_id(0), tl.sum(sum))\n"
                             "\n"
                             "@triton.jit\n"
                             "def fill(x, y, n, rounds, BLOCK: tl.constexpr):\n"
                             "    at = tl.program_id(0) * n + tl.arange(0, BLOCK)\n"
                             "    v = tl.load(x + tl.arange(0, BLOCK))\n"
                             "    for i in range(rounds):\n"
                             "        for k in range(0, n, BLOCK):\n"
                             "            tl.store(y + at + k, v)\n"
                             "\n"
                             "@triton.jit\n"
                             "def product(a, b, y, rounds, N: tl.constexpr, K: tl.constexpr):\n"
                             "    n = tl.arange(0, N)\n"
                             "    k = tl.arange(0, K)\n"
                             "    x = tl.load(a + n[:, None] * K + k[None, :])\n"
                             "    w = tl.load(b + k[:, None] * N + n[None, :])\n"
                             "    sum = tl.zeros([N, N], y.dtype.element_ty)\n"
                             "    for i in range(rounds):\n"
                             "        sum = tl.dot(x, w, sum)\n"
                             "    at = n[:, None] * N + n[None, :]\n"
                             "    tl.store(y + tl.program_id(0) * N * N + at, sum)\n";

enum {
    MOVE_BLOCK = 1024,
    N = 128,
    ROW_BYTES = 512,
    ROUNDS = 100,
    PROBE_RUNS = 3,
    MOST_PEAKS_TEXT = 4096
};
enum { NEAR_BYTES = 16 << 10, MOVED_IN_A_RUN = 64 << 20 };
static const double bytes_seconds = 0.03; /* at least: what disturbs them comes and goes */
static const int64_t most_bytes = (int64_t)256 << 20;

typedef struct {
    Store *store;
    tilec_file *file;
    tilec_launch_options options;
    double seconds; /* that a kernel is run at least */
    double best;    /* of its runs */
} Probe;

static void run_probe(Probe *p, const char *kernel, int programs, const tilec_arg *args, int nargs)
{
    const int32_t grid[3] = {programs, 1, 1};
    char *error = NULL;

    double end = os_seconds() + p->seconds;

    p->best = 0;
    for (int i = 0; i <= PROBE_RUNS || os_seconds() < end; i++) { /* the first one compiles */
        double start = os_seconds();
        client_check(p->store->client, NULL,
                     tilec_launch(p->file, kernel, grid, args, nargs, &p->options, &error), &error);
        double took = os_seconds() - start;
        if (i > 0 && (p->best == 0 || took < p->best))
            p->best = took;
    }
}

static tilec_arg array_argument(const char *name, const Array *a)
{
    return (tilec_arg){.name = name, .kind = TILEC_ARG_TENSOR, .tensor = array_tensor(a)};
}

static tilec_arg number_argument(const char *name, int64_t v)
{
    return (tilec_arg){.name = name, .kind = TILEC_ARG_INT, .integer = v};
}

/* Bytes a second of one of the first three kernels, which goes through `arrays` arrays that have
 * `bytes` together; each thread has its part of them. */
static double measure_bytes(Probe *p, const char *kernel, int arrays, int threads, int64_t bytes)
{
    int64_t size = arrays * (int64_t)sizeof(float);
    int64_t part = MAX(bytes / size / threads / MOVE_BLOCK, 1) * MOVE_BLOCK;
    const int64_t shape[] = {threads * part};
    int64_t moved = shape[0] * size, rounds = MOVED_IN_A_RUN / moved + 1;
    Array x = array_new(p->store, TILEC_FP32, 1, shape),
          y = array_new(p->store, TILEC_FP32, 1, shape);
    const tilec_arg args[] = {array_argument("x", &x), array_argument("y", &y),
                              number_argument("n", part), number_argument("rounds", rounds),
                              number_argument("BLOCK", MOVE_BLOCK)};
    array_fill(&x, 1);
    run_probe(p, kernel, threads, args, COUNT(args));
    return (double)moved * (double)rounds / p->best;
}

static Bandwidth measure_bandwidth(Probe *p, int threads, int64_t bytes)
{
    int kept = p->store->blocks.len;
    Bandwidth b;

    b.read = measure_bytes(p, "read", 1, threads, bytes);
    array_free_from(p->store, kept);
    b.copied = measure_bytes(p, "copy", 2, threads, bytes);
    array_free_from(p->store, kept);
    b.written = measure_bytes(p, "fill", 1, threads, bytes);
    array_free_from(p->store, kept);
    return b;
}

/* Of tiles of `t`, which has so many bytes, summed in `sum`. */
static double measure_product(Probe *p, int threads, tilec_dtype t, int size, tilec_dtype sum)
{
    int programs = 4 * threads, k = ROW_BYTES / size, rounds = ROUNDS * N / k;
    const int64_t rows[] = {N, k}, columns[] = {k, N}, all[] = {programs, N, N};
    Array a = array_new(p->store, t, 2, rows), b = array_new(p->store, t, 2, columns),
          y = array_new(p->store, sum, 3, all);
    const tilec_arg args[] = {array_argument("a", &a), array_argument("b", &b),
                              array_argument("y", &y), number_argument("rounds", rounds),
                              number_argument("N", N), number_argument("K", k)};

    array_fill(&a, t == TILEC_I8 ? 1 : 1.0 / N);
    array_fill(&b, t == TILEC_I8 ? 1 : 1.0 / N);
    run_probe(p, "product", programs, args, COUNT(args));
    return 2.0 * N * N * k * rounds * programs / p->best;
}

static Peaks measure_peaks(const PeaksOf *of, int threads, int64_t bytes)
{
    Probe p = {.store = of->store, .options = {.threads = threads}};
    int kept = of->store->blocks.len;
    char *error = NULL;
    Peaks peaks = {0};

    client_check(
        of->store->client, NULL,
        tilec_load_string(of->context, "peaks.py", probes, strlen(probes), &p.file, &error),
        &error);
    p.seconds = bytes_seconds;
    const Bandwidth near = measure_bandwidth(&p, threads, (int64_t)threads * NEAR_BYTES);
    peaks.near_bytes = MAX(near.read, MAX(near.copied, near.written));
    peaks.all = measure_bandwidth(&p, threads, bytes);
    p.seconds = 0;
    if (of->progress)
        of->progress(of->user, 0.5);
    peaks.flops = measure_product(&p, threads, TILEC_FP32, 4, TILEC_FP32);
    peaks.int8_flops = measure_product(&p, threads, TILEC_I8, 1, TILEC_I32);
    peaks.bf16_flops = measure_product(&p, threads, TILEC_BF16, 2, TILEC_FP32);
    tilec_unload(p.file);
    array_free_from(of->store, kept);
    return peaks;
}

/* --- keeping --- */

static const char *cpu_text(const PeaksOf *of)
{
    tilec_device cpu = {0};

    tilec_device_info(of->context, 0, &cpu);
    return cpu.description;
}

static const char *peaks_form = "tilec peaks 4\n%s\n%.6g read/s\n%.6g copied/s\n%.6g written/s\n"
                                "%.6g near bytes/s\n%.6g flop/s\n%.6g of int8/s\n%.6g of bf16/s\n";

static bool read_peaks(const PeaksOf *of, const char *path, Peaks *out)
{
    char *text;
    size_t len;

    if (!path || os_read_file(of->store->arena, path, MOST_PEAKS_TEXT, &text, &len) != 0)
        return false;
    const char *cpu = cpu_text(of), *numbers = strstr(text, cpu);
    return numbers && sscanf(numbers + strlen(cpu),
                             " %lf read/s %lf copied/s %lf written/s %lf near bytes/s %lf flop/s "
                             "%lf of int8/s %lf of bf16/s",
                             &out->all.read, &out->all.copied, &out->all.written, &out->near_bytes,
                             &out->flops, &out->int8_flops, &out->bf16_flops) == 7;
}

/* Eight steps from a power of two to the next, so that kept figures serve kernels of about that
 * size, and none where an array fits in a cache and the other does not; of bare pointers nothing is
 * known, and no cache is counted on. */
static int64_t probed_bytes(double bytes)
{
    int64_t probed = NEAR_BYTES;

    while (probed < most_bytes && ((double)(2 * probed) <= bytes || bytes == 0))
        probed *= 2;
    for (int64_t step = probed / 8; probed < most_bytes && (double)probed < bytes;)
        probed += step;
    while (probed > NEAR_BYTES && !os_has_memory(2 * (size_t)probed))
        probed /= 2;
    return probed;
}

/* What is read and written as much is copied, the rest is read or written. */
static double mixed_bytes(const Bandwidth *b, double written)
{
    double copied = 2 * MIN(written, 1 - written), rest = 1 - copied;

    return 1 / (copied / b->copied + rest / (written < 0.5 ? b->read : b->written));
}

Peaks peaks_find(const PeaksOf *of)
{
    const char *folder = tilec_cache_folder(of->context);
    tilec_device cpu = {0};
    int64_t probed = probed_bytes(of->bytes);
    Peaks before;

    tilec_device_info(of->context, 0, &cpu);
    int threads = of->threads > 0 ? MIN(of->threads, cpu.threads) : cpu.threads;
    const char *path = folder ? arena_printf(of->store->arena, "%s/peaks-%d-%lldK.txt", folder,
                                             threads, (long long)probed >> 10)
                              : NULL;
    Peaks peaks = measure_peaks(of, threads, probed);
    if (read_peaks(of, path, &before)) {
        peaks.all.read = MAX(peaks.all.read, before.all.read);
        peaks.all.copied = MAX(peaks.all.copied, before.all.copied);
        peaks.all.written = MAX(peaks.all.written, before.all.written);
        peaks.near_bytes = MAX(peaks.near_bytes, before.near_bytes);
        peaks.flops = MAX(peaks.flops, before.flops);
        peaks.int8_flops = MAX(peaks.int8_flops, before.int8_flops);
        peaks.bf16_flops = MAX(peaks.bf16_flops, before.bf16_flops);
    }
    peaks.bytes = mixed_bytes(&peaks.all, of->written);
    peaks.cached = of->bytes > 0 && of->bytes <= (double)os_last_level_cache_bytes();
    const char *text = arena_printf(of->store->arena, peaks_form, cpu_text(of), peaks.all.read,
                                    peaks.all.copied, peaks.all.written, peaks.near_bytes,
                                    peaks.flops, peaks.int8_flops, peaks.bf16_flops);
    if (path)
        os_rewrite_file(path, text, strlen(text)); /* what cannot be kept is found anew */
    return peaks;
}
