/*
 * hash.c - hashes of byte strings: 64 bits for tables, 128 bits for cache keys
 *
 * Neither withstands somebody who looks for collisions; the 128-bit one makes an accidental
 * collision between cache keys as good as impossible.  Every step of both is invertible, so two
 * states that differ stay different until the last mixing.
 */
#include <string.h>

#include "base.h"

/* odd, with evenly spread bits: fractional parts of square roots of 2, 3, 5 */
static const uint64_t K1 = 0x6a09e667f3bcc909, K2 = 0xbb67ae8584caa73b, K3 = 0x3c6ef372fe94f82b;

static uint64_t rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

/* Every input bit reaches every output bit. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * K2;
    x = (x ^ x >> 29) * K3;
    return x ^ x >> 32;
}

/* Eight bytes as a number, or what is left of them; the missing ones are zero.  Of all eight that
 * is one instruction, and else a call. */
static uint64_t word_at(const unsigned char *p, size_t left)
{
    uint64_t w = 0;

    if (left >= sizeof w)
        memcpy(&w, p, sizeof w);
    else
        memcpy(&w, p, left);
    return w;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
    uint64_t h = seed ^ n * K3;

    for (size_t i = 0; i < n; i += 8) {
        h = (h ^ word_at((const unsigned char *)p + i, n - i)) * K1;
        h ^= h >> 32;
    }
    return mix(h);
}

Hash128 hash128_bytes(const void *p, size_t n)
{
    uint64_t lo = K1 ^ n, hi = K2 + n;

    for (size_t i = 0; i < n; i += 8) {
        uint64_t w = word_at((const unsigned char *)p + i, n - i);

        lo = rotate(lo ^ w * K1, 27) * K2 + hi;
        hi = rotate(hi ^ rotate(w * K3, 33), 31) * K1 + lo;
    }
    lo += mix(hi);
    hi += mix(lo);
    return (Hash128){mix(lo), mix(hi)};
}
