/*
 * timex.cu - the CUDA algorithm that RWKV published for timex, a peer of kernels/timex.py
 *
 * The algorithm is version 3 of depthwise_conv1d in Peng Bo's RWKV-CUDA (2022,
 * https://github.com/BlinkDL/RWKV-CUDA), written anew: a block has one channel of a few samples, with their rows
 * and the weights in shared memory, and a thread makes four neighbouring times of each of these
 * samples, so that a weight that it has read serves them all.  Of the gradients, that of the
 * weights is stored for each sample, [B, C, T], and the caller sums it over samples.
 *
 *     nvcc -O3 -arch=sm_90 -cubin -DLENGTH=768 bench/timex.cu -o timex.cubin
 *
 * LENGTH is T, as in the original; B and C are any.  Rows that would reach over an end of the weights find
 * zeros there, where the original has code for the corner.  Blocks: (C, samples / FORWARD or BACKWARD,
 * rounded up), of THREADS threads.
 */
#ifndef LENGTH
#define LENGTH 768
#endif

enum {
    STEP = 4,                                /* times of a thread */
    THREADS = (LENGTH + STEP - 1) / STEP,    /* of a block */
    EDGE = STEP - 1,                         /* zeros on either side of weights */
    PADDED = LENGTH + 2 * EDGE,
    FORWARD = 8, BACKWARD = 2                /* samples of a block, as the original groups them */
};

/* Copy a row into shared memory, all threads together; zeros where it is not there. */
static __device__ void load_row(float *to, const float *from, bool there)
{
    for (int t = threadIdx.x; t < LENGTH; t += THREADS)
        to[t] = there ? from[t] : 0.f;
}

/* The same with zeros on either side. */
static __device__ void load_weights(float *to, const float *from, bool there)
{
    if (threadIdx.x < EDGE)
        to[threadIdx.x] = to[PADDED - 1 - threadIdx.x] = 0.f;
    load_row(to + EDGE, from, there);
}

/* total[s][j] += the sum over u <= t of weights[s][LENGTH - 1 - (t - u)] * values[s][u], for the
 * times t = first + j; values[s][u] stands at s * LENGTH + BEGIN + u * WAY.  All samples have the same
 * weights where WEIGHTS is 1. */
template <int SAMPLES, int WEIGHTS, int BEGIN, int WAY>
static __device__ void add_products(float (&total)[SAMPLES][STEP], const float *weights,
                                    const float *values, int first)
{
    float near[WEIGHTS][STEP]; /* those of the four times, the last one's first */

    weights += LENGTH - 1 - first; /* of the last time, at u = 0, behind the edge */
    for (int r = 0; r < WEIGHTS; r++) {
        for (int j = 0; j < EDGE; j++)
            near[r][j + 1] = weights[r * PADDED + j];
    }
    for (int u = 0; u < first + STEP && u < LENGTH; u++) {
#pragma unroll
        for (int r = 0; r < WEIGHTS; r++) {
#pragma unroll
            for (int j = 0; j < EDGE; j++)
                near[r][j] = near[r][j + 1];
            near[r][EDGE] = weights[r * PADDED + EDGE + u];
        }
#pragma unroll
        for (int s = 0; s < SAMPLES; s++) {
            float value = values[s * LENGTH + BEGIN + u * WAY];

#pragma unroll
            for (int j = 0; j < STEP; j++)
                total[s][j] += near[s % WEIGHTS][EDGE - j] * value;
        }
    }
}

/* Store the four times of each sample that is there, the row turned around where WAY is -1. */
template <int SAMPLES, int BEGIN, int WAY>
static __device__ void store(float *out, const float (&total)[SAMPLES][STEP], int first, int there,
                             size_t between)
{
    for (int s = 0; s < SAMPLES && s < there; s++) {
        for (int j = 0; j < STEP && first + j < LENGTH; j++)
            out[s * between + BEGIN + (first + j) * WAY] = total[s][j];
    }
}

/* out[b, c, t] = eps + sum over u <= t of w[c, LENGTH - 1 - (t - u)] * k[b, c, u] */
extern "C" __global__ void __launch_bounds__(THREADS)
    timex_forward(const float *w, const float *k, float *out, float eps, int B, int C)
{
    __shared__ float weights[PADDED], values[FORWARD * LENGTH];
    int first = threadIdx.x * STEP, c = blockIdx.x, b = blockIdx.y * FORWARD;
    size_t row = ((size_t)b * C + c) * LENGTH, between = (size_t)C * LENGTH;
    float total[FORWARD][STEP];

    load_weights(weights, w + (size_t)c * LENGTH, true);
    for (int s = 0; s < FORWARD; s++) {
        load_row(values + s * LENGTH, k + row + s * between, b + s < B);
        for (int j = 0; j < STEP; j++)
            total[s][j] = eps;
    }
    __syncthreads();
    add_products<FORWARD, 1, 0, 1>(total, weights, values, first);
    store<FORWARD, 0, 1>(out + row, total, first, B - b, between);
}

/* For the gradient g behind out: d_k [B, C, LENGTH], and d_w of each sample, [B, C, LENGTH].  Both
 * are convolutions like out: d_w of k by g for weights, d_k of g by w, with g and d_k turned around. */
extern "C" __global__ void __launch_bounds__(THREADS)
    timex_backward(const float *w, const float *k, const float *g, float *d_w, float *d_k, int B,
                   int C)
{
    __shared__ float weights[PADDED], values[BACKWARD * LENGTH], behind[BACKWARD * PADDED];
    __shared__ float turned[BACKWARD * LENGTH];
    int first = threadIdx.x * STEP, c = blockIdx.x, b = blockIdx.y * BACKWARD;
    size_t row = ((size_t)b * C + c) * LENGTH, between = (size_t)C * LENGTH;
    float by_w[BACKWARD][STEP] = {}, by_k[BACKWARD][STEP] = {};

    load_weights(weights, w + (size_t)c * LENGTH, true);
    for (int s = 0; s < BACKWARD; s++) {
        load_row(values + s * LENGTH, k + row + s * between, b + s < B);
        load_weights(behind + s * PADDED, g + row + s * between, b + s < B);
        load_row(turned + s * LENGTH, g + row + s * between, b + s < B);
    }
    __syncthreads();
    add_products<BACKWARD, BACKWARD, 0, 1>(by_w, behind, values, first);
    add_products<BACKWARD, 1, LENGTH - 1, -1>(by_k, weights, turned, first);
    store<BACKWARD, 0, 1>(d_w + row, by_w, first, B - b, between);
    store<BACKWARD, LENGTH - 1, -1>(d_k + row, by_k, first, B - b, between);
}
