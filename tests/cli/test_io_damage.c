/*
 * test_io_damage.c - array files that are cut off, changed, or claim more than they hold
 *
 * Whatever happened to a file, reading it gives an array or a reason that begins with its name; the
 * address sanitizer sees what is read outside of its bytes, which end where their block does.
 */
#include "../../src/io/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_BYTES = 1 << 20, FLIPS = 4000 };

typedef struct {
    const char *suffix;
    unsigned char *bytes;
    size_t len;
} File;

static uint64_t random_state = 1;

static uint64_t random_number(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

/* Reads `len` bytes; 0: an array; 1: a reason, which is checked. */
static int try_read(const char *suffix, const unsigned char *bytes, size_t len)
{
    const tilec_io_options options = {.most_bytes = MOST_BYTES};
    unsigned char *copy = malloc(len ? len : 1);
    tilec_tensor t;
    char *error, name[16] = "file";
    tilec_status status;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    strcat(name, suffix);
    status = tilec_io_decode(name, copy, len, &options, &t, &error);
    free(copy);
    if (status == TILEC_OK) {
        assert_true(t.ndim >= 0 && t.ndim <= TILEC_IO_MAX_DIMS);
        tilec_io_free(&t);
        return 0;
    }
    assert_int_equal(status, TILEC_IO);
    assert_non_null(error);
    assert_int_equal(strncmp(error, name, strlen(name)), 0);
    free(error);
    return 1;
}

static File read_back(const char *path, const char *suffix)
{
    Guard guard;
    Arena *a = arena_new(&guard);
    File f = {.suffix = suffix};
    char *data;

    assert_int_equal(os_read_file(a, path, 1 << 20, &data, &f.len), 0);
    f.bytes = malloc(f.len);
    assert_non_null(f.bytes);
    memcpy(f.bytes, data, f.len);
    arena_free(a);
    unlink(path);
    return f;
}

/* A good file of each format. */
static File make_file(const char *suffix)
{
    static unsigned char pixels[24 * 20 * 3];
    const int64_t shape[] = {24, 20, 3};
    tilec_tensor t = {.data = pixels, .dtype = TILEC_U8, .ndim = 3, .shape = shape};
    char path[64];

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)random_number(256);
    if (strcmp(suffix, ".csv") == 0 || strcmp(suffix, ".pgm") == 0)
        t.ndim = 2;
    snprintf(path, sizeof path, "/tmp/tilec-damage-%ld%s", (long)getpid(), suffix);
    assert_int_equal(tilec_io_write(path, &t, NULL, NULL), TILEC_OK);
    return read_back(path, suffix);
}

static const char *const suffixes[] = {".npy", ".npz", ".png", ".pgm", ".ppm", ".csv"};

static void cut_files_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(suffixes); i++) {
        File f = make_file(suffixes[i]);
        bool is_csv = strcmp(f.suffix, ".csv") == 0; /* of which a beginning may be a whole file */

        assert_int_equal(try_read(f.suffix, f.bytes, f.len), 0);
        for (size_t n = 0; n < f.len; n++) {
            if (!try_read(f.suffix, f.bytes, n) && !is_csv)
                fail_msg("%s: %zu of %zu bytes are read", f.suffix, n, f.len);
        }
        free(f.bytes);
    }
}

static void changed_files_do_no_harm(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(suffixes); i++) {
        File f = make_file(suffixes[i]);

        for (int k = 0; k < FLIPS; k++) {
            /* heads are where sizes are */
            size_t at = random_number(k % 2 ? f.len : MIN(f.len, 200));
            unsigned char before = f.bytes[at];

            f.bytes[at] ^= (unsigned char)(k % 3 ? 1 << random_number(8) : 0xff);
            try_read(f.suffix, f.bytes, f.len);
            f.bytes[at] = before;
        }
        free(f.bytes);
    }
}

/* A pixel or a member that was changed is noticed by its checksum. */
static void checksums_are_checked(void **state)
{
    (void)state;
    for (int i = 1; i <= 2; i++) {
        File f = make_file(suffixes[i]);

        f.bytes[f.len / 2] ^= 1;
        assert_int_equal(try_read(f.suffix, f.bytes, f.len), 1);
        free(f.bytes);
    }
}

/* --- files that claim more than they hold --- */

static void put32(unsigned char *to, uint32_t v, bool big)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(v >> 8 * (big ? 3 - i : i));
}

/* A PNG file whose head says that it is so large. */
static char *read_claim(uint32_t width, uint32_t height)
{
    File f = make_file(".png");
    const tilec_io_options options = {.most_bytes = MOST_BYTES};
    tilec_tensor t;
    char *error = NULL;

    put32(f.bytes + 16, width, true);
    put32(f.bytes + 20, height, true);
    put32(f.bytes + 29, (uint32_t)crc32(0, f.bytes + 12, 17), true);
    assert_int_equal(tilec_io_decode("x.png", f.bytes, f.len, &options, &t, &error), TILEC_IO);
    free(f.bytes);
    return error;
}

static void large_claims_are_refused(void **state)
{
    static const struct {
        uint32_t width, height;
        const char *reason;
    } cases[] = {
        {2147483647, 2147483647, "x.png: it would unpack to"},
        {1000, 1000, "it would unpack to 3000000 bytes; the most that is read is 1048576"},
        {20, 17000, "damaged PNG file: Not enough image data"},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        char *error = read_claim(cases[i].width, cases[i].height);

        if (!strstr(error, cases[i].reason))
            fail_msg("%u x %u: %s", cases[i].width, cases[i].height, error);
        free(error);
    }
}

/* --- members that unpack to more than they say --- */

/* An .npz with one compressed member: a header for `shape` bytes, and so many zeros. */
static File pack(const char *shape, size_t zeros, uint32_t claimed)
{
    static unsigned char plain[1 << 21];
    File f = {.suffix = ".npz", .bytes = calloc(1, 1 << 16)};
    size_t head = (size_t)sprintf(
        (char *)plain + 10, "{'descr': '|u1', 'fortran_order': False, 'shape': (%s,), }", shape);
    z_stream z = {0};
    uint32_t checksum, packed;

    memcpy(plain, "\x93NUMPY\1\0", 8);
    plain[8] = (unsigned char)head;
    memset(plain + 10 + head, 0, sizeof plain - 10 - head);
    assert_non_null(f.bytes);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = plain;
    z.avail_in = (uInt)(10 + head + zeros);
    z.next_out = f.bytes + 35;
    z.avail_out = 1 << 15;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    checksum = (uint32_t)crc32(0, plain, (uInt)(10 + head + zeros));
    packed = (uint32_t)z.total_out;
    deflateEnd(&z);
    memcpy(f.bytes, "PK\3\4\24\0\0\0\10", 9);
    f.bytes[26] = 5;
    memcpy(f.bytes + 30, "a.npy", 5);

    unsigned char *r = f.bytes + 35 + packed;
    memcpy(r, "PK\1\2\24\0\24\0\0\0\10", 11);
    put32(r + 16, checksum, false);
    put32(r + 20, packed, false);
    put32(r + 24, claimed ? claimed : (uint32_t)(10 + head + zeros), false);
    r[28] = 5;
    memcpy(r + 46, "a.npy", 5);
    memcpy(r + 51, "PK\5\6\0\0\0\0\1\0\1\0", 12);
    put32(r + 51 + 12, 51, false);
    put32(r + 51 + 16, 35 + packed, false);
    f.len = 35 + packed + 51 + 22;
    return f;
}

static void members_are_what_they_say(void **state)
{
    static const struct {
        const char *shape;
        size_t zeros;
        uint32_t claimed;
        bool is_good;
    } cases[] = {
        {"100", 100, 0, true},
        {"1000000", 1000000, 0, true},
        {"2000000", 2000000, 0, false},       /* more than is allowed */
        {"100", 2000000, 200, false},         /* goes on behind its array */
        {"100", 2000000, 0, false},           /* says so, and that is too much */
        {"1000", 100, 0, false},              /* is shorter than its array */
        {"900000", 100, 0, false},            /* and by much */
        {"18446744073709551", 100, 0, false}, /* and by more */
        {"1000", 100, 1048000, false},        /* cannot unpack to that */
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        File f = pack(cases[i].shape, cases[i].zeros, cases[i].claimed);

        if (try_read(f.suffix, f.bytes, f.len) == cases[i].is_good)
            fail_msg("case %d", i);
        free(f.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_files_are_refused),     cmocka_unit_test(changed_files_do_no_harm),
        cmocka_unit_test(checksums_are_checked),     cmocka_unit_test(large_claims_are_refused),
        cmocka_unit_test(members_are_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
