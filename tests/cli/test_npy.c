/* test_npy.c - .npy files: what is read, what is written, what is refused and why */
#include "help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[64];

/* A version-1 file of this header and so many bytes 0, 1, 2, ... behind it. */
static void write_npy(const char *header, int payload)
{
    FILE *f = fopen(path, "wb");
    size_t n = strlen(header);

    assert_non_null(f);
    fwrite("\x93NUMPY\1\0", 1, 8, f);
    fputc((int)(n & 255), f);
    fputc((int)(n >> 8), f);
    fwrite(header, 1, n, f);
    for (int i = 0; i < payload; i++)
        fputc(i, f);
    fclose(f);
}

static int open_file(void **state)
{
    snprintf(path, sizeof path, "/tmp/tilec-npy-%ld.npy", (long)getpid());
    return open_cli(state);
}

static int close_file(void **state)
{
    unlink(path);
    return close_cli(state);
}

/* The exit code that loading stops with; the text is in c->trouble. */
static CliCode load_stops(Cli *c, const char *file, const tilec_dtype *as)
{
    if (setjmp(c->guard.env) != 0)
        return c->code;
    npy_load(c, file, as);
    return CLI_DONE;
}

static void reads_c_order(void **state)
{
    Cli *c = *state;
    Array a;

    write_npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", 12);
    a = npy_load(c, path, NULL);
    assert_int_equal(a.dtype, TILEC_I16);
    assert_int_equal(a.ndim, 2);
    assert_int_equal(a.strides[0], 3);
    assert_int_equal(a.strides[1], 1);
    assert_true(element(&a, (int64_t[]){1, 0}) == 0x0706);
    assert_int_equal((uintptr_t)a.data % 64, 0);
}

static void reads_fortran_order_as_strides(void **state)
{
    Cli *c = *state;
    Array a;

    write_npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 6);
    a = npy_load(c, path, NULL);
    assert_int_equal(a.strides[0], 1);
    assert_int_equal(a.strides[1], 2);
    assert_true(element(&a, (int64_t[]){1, 2}) == 5);
    assert_false(array_is_dense(&a));
}

static void reads_any_spelling_of_the_header(void **state)
{
    Cli *c = *state;
    Array a;

    write_npy("{\"shape\":(5L,),'fortran_order':False,'descr':\"=u1\"}", 5);
    a = npy_load(c, path, NULL);
    assert_int_equal(a.ndim, 1);
    assert_int_equal(a.shape[0], 5);
    write_npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4);
    a = npy_load(c, path, NULL);
    assert_int_equal(a.ndim, 0);
    assert_int_equal(array_numel(&a), 1);
}

static void reads_raw_bits_as_told(void **state)
{
    tilec_dtype bf16 = TILEC_BF16, e5 = TILEC_FP8E5, fp32 = TILEC_FP32;
    Cli *c = *state;

    write_npy("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", 4);
    assert_int_equal(npy_load(c, path, NULL).dtype, TILEC_BF16);
    write_npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", 4);
    assert_int_equal(npy_load(c, path, &bf16).dtype, TILEC_BF16);
    assert_int_equal(load_stops(c, path, &fp32), CLI_FILES);
    assert_non_null(strstr(c->trouble, "take 2 bytes, but fp32 takes 4"));
    write_npy("{'descr': '|V1', 'fortran_order': False, 'shape': (2,), }", 2);
    assert_int_equal(npy_load(c, path, &e5).dtype, TILEC_FP8E5);
    assert_int_equal(load_stops(c, path, NULL), CLI_FILES);
    assert_non_null(strstr(c->trouble, ":fp8e5"));
    write_npy("{'descr': 'float8_e4m3fn', 'fortran_order': False, 'shape': (2,), }", 2);
    assert_int_equal(npy_load(c, path, NULL).dtype, TILEC_FP8E4NV);
}

static void bools_become_0_and_1(void **state)
{
    Cli *c = *state;
    Array a;

    write_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3);
    a = npy_load(c, path, NULL);
    assert_memory_equal(a.data, "\0\1\1", 3);
}

static void refuses_with_a_reason(void **state)
{
    static const struct {
        const char *header;
        int payload;
        const char *reason;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4, "big-endian"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8, "'<c8'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4, "records"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4, "shorter"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, "not a number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4,
         "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4)}", 4,
         "shorter"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4,
         "more than 8"},
        {"{'descr': '<f4', 'fortran_order': False}", 4, "lacks"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", 4, "each once"},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", 4, "neither True nor False"},
        {"{'descr: '<f4'", 4, "each once"},
        {"{'descr': '<f4", 4, "has no end"},
        {"nonsense", 4, "not a dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} {}", 4, "behind its dictionary"},
        {"{'descr': '<\33[31mRED\xff\x9b', 'fortran_order': False, 'shape': (1,)}", 4,
         "'<\\x1b[31mRED\\xff\\x9b'"},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        write_npy(cases[i].header, cases[i].payload);
        assert_int_equal(load_stops(c, path, NULL), CLI_FILES);
        if (!strstr(c->trouble, cases[i].reason))
            fail_msg("%s: %s", cases[i].header, c->trouble);
    }
    assert_int_equal(load_stops(c, "/nowhere/x.npy", NULL), CLI_FILES);
    assert_int_equal(load_stops(c, "/tmp", NULL), CLI_FILES);
    assert_string_equal(c->trouble, "/tmp: Is a directory");
}

/* Every prefix of a good file is refused, never read beyond. */
static void refuses_cut_files(void **state)
{
    static const char whole[] = "\x93NUMPY\2\0\x3c\0\0\0"
                                "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n";
    Cli *c = *state;
    NpyHeader h;

    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        char *copy = malloc(n + 1); /* so that the address sanitizer sees the end */

        assert_non_null(copy);
        memcpy(copy, whole, n);
        copy = realloc(copy, n ? n : 1);
        assert_non_null(npy_parse(c->arena, copy, n, &h));
        free(copy);
    }
    assert_null(npy_parse(c->arena, whole, sizeof whole - 1, &h));
    assert_int_equal(h.data_at, sizeof whole - 1);
    assert_int_equal(h.shape[1], 4);
}

static void writes_what_it_reads(void **state)
{
    Cli *c = *state;

    for (int t = 0; tilec_dtype_name((tilec_dtype)t); t++) {
        tilec_dtype dtype = (tilec_dtype)t;
        Array a = array_new(c, dtype, 2, (int64_t[]){3, 5}), b;

        array_randomise(&a, 7);
        assert_int_equal(npy_save(c, path, &a), 0);
        b = npy_load(c, path, &dtype);
        assert_int_equal(b.dtype, dtype);
        assert_int_equal(b.shape[1], 5);
        assert_memory_equal(a.data, b.data, array_bytes(&a));
    }
}

/* Extents whose product is too large, but for the 0 among them. */
static void reads_empty_arrays(void **state)
{
    Cli *c = *state;

    for (int fortran = 0; fortran < 2; fortran++) {
        write_npy(fortran ? "{'descr': '<f4', 'fortran_order': True, 'shape': "
                            "(4611686018427387904, 4, 0)}"
                          : "{'descr': '<f4', 'fortran_order': False, 'shape': "
                            "(4611686018427387904, 4, 0)}",
                  0);
        Array a = npy_load(c, path, NULL);
        assert_int_equal(a.ndim, 3);
        assert_int_equal(a.shape[0], INT64_C(4611686018427387904));
        assert_int_equal(array_numel(&a), 0);
        assert_int_equal(array_bytes(&a), 0);
        assert_true(array_is_dense(&a));
        assert_int_equal(npy_save(c, path, &a), 0);
    }
}

static void writes_views_in_order(void **state)
{
    Cli *c = *state;
    Array a = array_new(c, TILEC_I32, 2, (int64_t[]){2, 2}), b;

    array_count_up(&a);
    a.strides[0] = 1;
    a.strides[1] = 2;
    assert_int_equal(npy_save(c, path, &a), 0);
    b = npy_load(c, path, NULL);
    assert_memory_equal(b.data, ((int32_t[]){0, 2, 1, 3}), 16);
    a.shape[0] = 0;
    assert_int_equal(npy_save(c, path, &a), 0);
    assert_int_equal(array_numel(&(Array){.ndim = 0}), 1);
    b = npy_load(c, path, NULL);
    assert_int_equal(array_numel(&b), 0);
    assert_int_equal(npy_save(c, "/nowhere/x.npy", &b), ENOENT);
}

/* There is no room for a copy of it. */
static void fails_alone_when_memory_is_out(void **state)
{
    Cli *c = *state;
    Array a = array_new(c, TILEC_I8, 1, (int64_t[]){1});

    a.shape[0] = INT64_C(1) << 60;
    a.strides[0] = 0;
    assert_int_equal(npy_save(c, path, &a), ENOMEM);
    a.shape[0] = 5;
    assert_int_equal(npy_save(c, path, &a), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_c_order, open_file, close_file),
        cmocka_unit_test_setup_teardown(reads_fortran_order_as_strides, open_file, close_file),
        cmocka_unit_test_setup_teardown(reads_any_spelling_of_the_header, open_file, close_file),
        cmocka_unit_test_setup_teardown(reads_raw_bits_as_told, open_file, close_file),
        cmocka_unit_test_setup_teardown(bools_become_0_and_1, open_file, close_file),
        cmocka_unit_test_setup_teardown(refuses_with_a_reason, open_file, close_file),
        cmocka_unit_test_setup_teardown(refuses_cut_files, open_file, close_file),
        cmocka_unit_test_setup_teardown(writes_what_it_reads, open_file, close_file),
        cmocka_unit_test_setup_teardown(reads_empty_arrays, open_file, close_file),
        cmocka_unit_test_setup_teardown(writes_views_in_order, open_file, close_file),
        cmocka_unit_test_setup_teardown(fails_alone_when_memory_is_out, open_file, close_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
