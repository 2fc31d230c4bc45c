/* test_io.c - array files: what is read, what is written, what is refused and why */
#include "help.h"
#include "../../src/io/io.h"

#include <math.h>
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
    file_load(&c->store, file, as);
    return CLI_DONE;
}

static tilec_status save(const char *file, const Array *a)
{
    const tilec_tensor t = {.data = a->data,
                            .dtype = a->dtype,
                            .ndim = a->ndim,
                            .shape = a->shape,
                            .strides = a->strides};

    return io_write(file, &t, NULL, 0, NULL, NULL);
}

static void reads_c_order(void **state)
{
    Cli *c = *state;
    Array a;

    write_npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", 12);
    a = file_load(&c->store, path, NULL);
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
    a = file_load(&c->store, path, NULL);
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
    a = file_load(&c->store, path, NULL);
    assert_int_equal(a.ndim, 1);
    assert_int_equal(a.shape[0], 5);
    write_npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4);
    a = file_load(&c->store, path, NULL);
    assert_int_equal(a.ndim, 0);
    assert_int_equal(array_numel(&a), 1);
}

static void reads_raw_bits_as_told(void **state)
{
    tilec_dtype bf16 = TILEC_BF16, e5 = TILEC_FP8E5, fp32 = TILEC_FP32;
    Cli *c = *state;

    write_npy("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", 4);
    assert_int_equal(file_load(&c->store, path, NULL).dtype, TILEC_BF16);
    write_npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", 4);
    assert_int_equal(file_load(&c->store, path, &bf16).dtype, TILEC_BF16);
    assert_int_equal(load_stops(c, path, &fp32), CLI_FILES);
    assert_non_null(strstr(c->trouble, "take 2 bytes, but fp32 takes 4"));
    write_npy("{'descr': '|V1', 'fortran_order': False, 'shape': (2,), }", 2);
    assert_int_equal(file_load(&c->store, path, &e5).dtype, TILEC_FP8E5);
    assert_int_equal(load_stops(c, path, NULL), CLI_FILES);
    assert_non_null(strstr(c->trouble, ":fp8e5"));
    write_npy("{'descr': 'float8_e4m3fn', 'fortran_order': False, 'shape': (2,), }", 2);
    assert_int_equal(file_load(&c->store, path, NULL).dtype, TILEC_FP8E4NV);
}

static void bools_become_0_and_1(void **state)
{
    Cli *c = *state;
    Array a;

    write_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3);
    a = file_load(&c->store, path, NULL);
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
    assert_string_equal(c->trouble, "/tmp: Is a directory; the name of a file in it is missing");
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
        Array a = array_new(&c->store, dtype, 2, (int64_t[]){3, 5}), b;

        array_randomise(&a, 7);
        assert_int_equal(save(path, &a), 0);
        b = file_load(&c->store, path, &dtype);
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
        Array a = file_load(&c->store, path, NULL);
        assert_int_equal(a.ndim, 3);
        assert_int_equal(a.shape[0], INT64_C(4611686018427387904));
        assert_int_equal(array_numel(&a), 0);
        assert_int_equal(array_bytes(&a), 0);
        assert_true(array_is_dense(&a));
        assert_int_equal(save(path, &a), 0);
    }
}

static void writes_views_in_order(void **state)
{
    Cli *c = *state;
    Array a = array_new(&c->store, TILEC_I32, 2, (int64_t[]){2, 2}), b;

    array_count_up(&a);
    a.strides[0] = 1;
    a.strides[1] = 2;
    assert_int_equal(save(path, &a), 0);
    b = file_load(&c->store, path, NULL);
    assert_memory_equal(b.data, ((int32_t[]){0, 2, 1, 3}), 16);
    a.shape[0] = 0;
    assert_int_equal(save(path, &a), 0);
    assert_int_equal(array_numel(&(Array){.ndim = 0}), 1);
    b = file_load(&c->store, path, NULL);
    assert_int_equal(array_numel(&b), 0);
    assert_int_equal(save("/nowhere/x.npy", &b), TILEC_IO);
}

/* There is no room for a copy of it. */
static void fails_alone_when_memory_is_out(void **state)
{
    Cli *c = *state;
    Array a = array_new(&c->store, TILEC_I8, 1, (int64_t[]){1});

    a.shape[0] = INT64_C(1) << 60;
    a.strides[0] = 0;
    assert_int_equal(save(path, &a), TILEC_NO_MEMORY);
    a.shape[0] = 5;
    assert_int_equal(save(path, &a), 0);
}

/* --- images --- */

static char image_path[64];

/* Of this shape and type, with bytes 1, 2, 3, ... that differ in both halves of a u16. */
static Array pattern(Cli *c, tilec_dtype t, int ndim, const int64_t *shape)
{
    Array a = array_new(&c->store, t, ndim, shape);

    for (size_t i = 0; i < array_bytes(&a); i++)
        ((unsigned char *)a.data)[i] = (unsigned char)(i * 7 + 1);
    return a;
}

static void check_round(Cli *c, const char *suffix, tilec_dtype t, int ndim, const int64_t *shape)
{
    Array a = pattern(c, t, ndim, shape), b;

    snprintf(image_path, sizeof image_path, "/tmp/tilec-io-%ld%s", (long)getpid(), suffix);
    assert_int_equal(save(image_path, &a), TILEC_OK);
    b = file_load(&c->store, image_path, NULL);
    unlink(image_path);
    assert_int_equal(b.dtype, t);
    assert_int_equal(b.ndim, ndim);
    for (int i = 0; i < ndim; i++)
        assert_int_equal(b.shape[i], shape[i]);
    assert_memory_equal(a.data, b.data, array_bytes(&a));
}

static void images_come_back(void **state)
{
    Cli *c = *state;

    for (int wide = 0; wide < 2; wide++) {
        tilec_dtype t = wide ? TILEC_U16 : TILEC_U8;

        for (int64_t width = 1; width < 70; width += 17) {
            check_round(c, ".png", t, 2, (int64_t[]){3, width});
            check_round(c, ".pgm", t, 2, (int64_t[]){3, width});
            check_round(c, ".pnm", t, 2, (int64_t[]){3, width});
            check_round(c, ".PPM", t, 3, (int64_t[]){3, width, 3});
            check_round(c, ".pnm", t, 3, (int64_t[]){3, width, 3});
            for (int64_t channels = 2; channels <= 4; channels++)
                check_round(c, ".png", t, 3, (int64_t[]){3, width, channels});
        }
    }
}

static void refuses_what_a_format_does_not_hold(void **state)
{
    static const struct {
        const char *file;
        tilec_dtype dtype;
        int ndim;
        int64_t shape[4];
        const char *reason;
    } cases[] = {
        {"x.png", TILEC_FP32, 2, {2, 2}, "PNG holds u8 or u16, not fp32; .npy holds every type"},
        {"x.png", TILEC_U8, 1, {4}, "not 4"},
        {"x.png", TILEC_U8, 3, {2, 2, 5}, "up to 4 channels, not 2x2x5"},
        {"x.png", TILEC_U8, 2, {0, 2}, "not 0x2"},
        {"x.pgm", TILEC_U8, 3, {2, 2, 3}, "up to 1 channels"},
        {"x.ppm", TILEC_U8, 2, {2, 2}, "PPM holds HxWx3, not 1 channels"},
        {"x.pnm", TILEC_U8, 3, {2, 2, 2}, ".png holds 1 to 4"},
        {"x.pbm", TILEC_U8, 2, {2, 2}, "only read; .pgm holds grey"},
        {"x.csv", TILEC_U8, 3, {2, 2, 2}, "not 3 dimensions"},
        {"x.csv", TILEC_U8, 1, {0}, "without elements"},
        {"x.jpg",
         TILEC_U8,
         2,
         {2, 2},
         "a file '.jpg' is not known here; known are .npy, .npz, .png, .pgm, .ppm, .pbm, .pnm and "
         ".csv"},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Array a = array_new(&c->store, cases[i].dtype, cases[i].ndim, cases[i].shape);
        const tilec_tensor t = {.data = a.data, .dtype = a.dtype, .ndim = a.ndim, .shape = a.shape};
        char *error = NULL;

        assert_int_equal(io_write(cases[i].file, &t, NULL, 0, NULL, &error), TILEC_IO);
        assert_int_equal(strncmp(error, cases[i].file, strlen(cases[i].file)), 0);
        if (!strstr(error, cases[i].reason))
            fail_msg("%s: %s", cases[i].file, error);
        tilec_free(error);
        assert_int_equal(access(cases[i].file, F_OK), -1);
    }
}

/* --- files in memory --- */

/* Reads `text` as a file called `name`; gives why not, or NULL. */
static char *decode(const char *name, const char *text, size_t len, const tilec_dtype *as,
                    IoArray *out)
{
    const tilec_io_options options = {.as = as, .most_bytes = 1 << 20};
    char *error = NULL;

    tilec_status status = io_read(name, text, len, &options, out, &error);

    assert_int_equal(status == TILEC_OK, error == NULL);
    return error;
}

static void check_numbers(const char *name, const char *text, const tilec_dtype *as,
                          tilec_dtype dtype, const char *shape, const double *want)
{
    char got[64] = "";
    IoArray a;
    char *error = decode(name, text, strlen(text), as, &a);

    if (error)
        fail_msg("%s: %s", text, error);
    assert_int_equal(a.dtype, dtype);
    for (int i = 0; i < a.ndim; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%lld", i ? "x" : "",
                 (long long)a.shape[i]);
    assert_string_equal(got, shape);
    for (int64_t k = 0; k < io_numel(a.ndim, a.shape); k++) {
        uint64_t bits = 0;
        size_t size = (size_t)dtype_size((DType)dtype);
        double v;

        memcpy(&bits, (char *)a.data + (size_t)k * size, size);
        v = scalar_to_double((DType)dtype, bits);
        if (v != want[k] && !(v != v && want[k] != want[k]))
            fail_msg("%s: element %lld is %g", text, (long long)k, v);
    }
    io_array_free(&a);
}

static void reads_csv(void **state)
{
    const tilec_dtype fp32 = TILEC_FP32, u8 = TILEC_U8;
    const double nan = scalar_to_double(DT_FP32, 0x7fc00000);

    (void)state;
    check_numbers("x.csv", "1,2\n3,4\n", NULL, TILEC_I64, "2x2", (double[]){1, 2, 3, 4});
    check_numbers("x.csv", "a,b\r\n1, 2\r\n\r\n3,4", NULL, TILEC_I64, "2x2",
                  (double[]){1, 2, 3, 4});
    check_numbers("x.csv", "\xef\xbb\xbf-5\n+6\n", NULL, TILEC_I64, "2", (double[]){-5, 6});
    check_numbers("x.csv", "1,2,3", NULL, TILEC_I64, "1x3", (double[]){1, 2, 3});
    check_numbers("x.csv", "1,\nNaN,-inf\n", NULL, TILEC_FP64, "2x2",
                  (double[]){1, nan, nan, -(double)INFINITY});
    check_numbers("x.csv", "1.5e3\n2\n", &fp32, TILEC_FP32, "2", (double[]){1500, 2});
    check_numbers("x.csv", "0\n255\n", &u8, TILEC_U8, "2", (double[]){0, 255});
    check_numbers("x.csv", "18446744073709551615\n0\n", NULL, TILEC_U64, "2",
                  (double[]){18446744073709551616.0, 0});
    check_numbers("x.csv", "18446744073709551615\n-1\n", NULL, TILEC_FP64, "2",
                  (double[]){18446744073709551616.0, -1});
    check_numbers("x.csv", "-9223372036854775808\n", NULL, TILEC_I64, "1",
                  (double[]){-9223372036854775808.0});
    check_numbers("x.csv", "\"1\",\" 2\"\n3,\"\"\n", NULL, TILEC_FP64, "2x2",
                  (double[]){1, 2, 3, nan});
    check_numbers("x.csv", "\"a, \"\"b\"\"\nc\",\"1 m\"\n3,4\n", NULL, TILEC_I64, "1x2",
                  (double[]){3, 4});
    check_numbers("x.csv", "\"0-10cm\",10-20cm\n3,4\n", NULL, TILEC_I64, "1x2", (double[]){3, 4});
}

static void reads_anymaps(void **state)
{
    (void)state;
    check_numbers("x.pgm", "P2 # grey\n2 2\n15\n0 1\n14 15\n", NULL, TILEC_U8, "2x2",
                  (double[]){0, 1, 14, 15});
    check_numbers("x.pgm", "P2\n#c\n#d\n1 2 65535 65535\n#e\n258", NULL, TILEC_U16, "2x1",
                  (double[]){65535, 258});
    check_numbers("x.pgm", "P5\n2 1\n1000\n\1\2\3\4", NULL, TILEC_U16, "1x2", (double[]){258, 772});
    check_numbers("x.ppm", "P3 1 1 255 7 8 9", NULL, TILEC_U8, "1x1x3", (double[]){7, 8, 9});
    check_numbers("x.pbm", "P1\n3 1\n101", NULL, TILEC_U8, "1x3", (double[]){0, 255, 0});
    check_numbers("x.pbm", "P4\n9 1\n\x80\x80", NULL, TILEC_U8, "1x9",
                  (double[]){0, 255, 255, 255, 255, 255, 255, 255, 0});
    check_numbers("-", "P2 1 1 9 9", NULL, TILEC_U8, "1x1", (double[]){9});
}

static void says_what_is_wrong_in_memory(void **state)
{
    static const tilec_dtype u8 = TILEC_U8;
    static const struct {
        const char *name, *text, *reason;
        const tilec_dtype *as;
    } cases[] = {
        {"x.csv", "1,2\n3\n", "line 2 has 1 columns, but those above have 2"},
        {"x.csv", "a,b\n1,2\n3,x y\n", "line 3, column 2: 'x y' is not a number"},
        {"x.csv", "1;2\n3;4\n", "line 1, column 1: '1;2' is not a number; fields have commas"},
        {"x.csv", "1.O\n2\n", "line 1, column 1: '1.O' is not a number; a title that begins like"},
        {"x.csv", "1_000,2\n3,4\n", "line 1, column 1: '1_000' is not a number; a title"},
        {"x.csv", ",-.5.1\n3,4\n", "line 1, column 2: '-.5.1' is not a number"},
        {"x.csv", "\"1,5\",\"2\"\n3,4\n",
         "line 1, column 1: '1,5' is not a number; numbers have a point, 1.5, and no commas"},
        {"x.csv", "a,b\n\"-1,000.5\",2\n",
         "line 2, column 1: '-1,000.5' is not a number; numbers have a point"},
        {"x.csv", "0x10\n1\n", "line 1, column 1: '0x10' is not a number"},
        {"x.csv", "1\n-1e400\n", "line 2, column 1: '-1e400' is not a number"},
        {"x.csv", "1\n\"1\"2\n", "line 2, column 1: '\"1\"2' is not a number"},
        {"x.csv", "a\n\"1,\n3\n", "line 2, column 1: a quote is not closed"},
        {"x.csv", "1\n-1\n", "line 2, column 1: u8 does not hold '-1'", &u8},
        {"x.csv", "h\n1\n256\n", "line 3, column 1: u8 does not hold '256'", &u8},
        {"x.csv", "0.5\n", "u8 does not hold '0.5'", &u8},
        {"x.csv", "", "it is empty"},
        {"x.npy", "", "it is empty"},
        {"x.png", "", "it is empty"},
        {"x", "", "it is empty"},
        {"x.csv", " \n", "there are no numbers"},
        {"x.csv", "1,foo\n2,3\n",
         "line 1, column 2: 'foo' is not a number; a line of titles begins with one"},
        {"x.csv", ",1,foo\n,2,3\n", "line 1, column 3: 'foo' is not a number; a line of titles"},
        {"x.csv", "year,2020\n2,foo\n", "line 2, column 2: 'foo' is not a number"},
        {"x.png", "\x89PNG\r\n\x1a\n\x01\x01\x01\x01PN\x03\x07",
         "where the name of a chunk should stand are the bytes 50 4E 03 07"},
        {"x.csv", "name\n", "there are no numbers"},
        {"x.pgm", "P9 1 1 1", "does not begin with P1 to P6"},
        {"x.pgm", "P2 1", "the file ends where the height should be"},
        {"x.pgm", "P2 x", "the width is not a number"},
        {"x.pgm", "P2 99999999999 1 1", "the width is more than"},
        {"x.pgm", "P2 1 1 65536 0", "the greatest sample is more than 65535"},
        {"x.pgm", "P2 1 1 9 10", "a sample is more than 9"},
        {"x.pgm", "P5 1 1 9\n\n", "a sample is more than 9"},
        {"x.pgm", "P5 2 2 255\nabc", "shorter than its header says"},
        {"x.pgm", "P5 2147483647 2147483647 255\nabc", "shorter than its header says"},
        {"x.pgm", "P5 1 1 255\nabc", "goes on behind its image"},
        {"x.pgm", "P5 0 1 255\nabc", "is 0"},
        {"x.png", "\x89PNG\r\n\x1a", "not a PNG file"},
        {"x.png", "\x89PNG\r\n\x1a\nabc", "ends before its image does"},
        {"x.png", "\x89PNG\r\n\x1a\n\xff\xff\xff\xffIHDR",
         "damaged PNG file: PNG unsigned integer out of range"},
        {"x.npz", "PK\3\4", "its directory is missing"},
        {"x", "hello", "the name has no suffix, and it does not begin as a file of a known kind"},
        {"x.txt", "hello", "a file '.txt' is not known here"},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        IoArray a;
        char *error = decode(cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].as, &a);

        if (!error || !strstr(error, cases[i].reason))
            fail_msg("%s: %s", cases[i].text, error ? error : "accepted");
        tilec_free(error);
    }
}

/* What CSV holds of every type reads back the same. */
static void csv_comes_back(void **state)
{
    Cli *c = *state;

    snprintf(image_path, sizeof image_path, "/tmp/tilec-io-%ld.csv", (long)getpid());
    for (int t = 0; tilec_dtype_name((tilec_dtype)t); t++) {
        tilec_dtype dtype = (tilec_dtype)t;
        Array a = array_new(&c->store, dtype, 2, (int64_t[]){40, 5}), b;

        if (dtype_is_float((DType)t))
            array_randomise_normal(&a, 3);
        else
            array_randomise(&a, 3);
        assert_int_equal(save(image_path, &a), TILEC_OK);
        b = file_load(&c->store, image_path, &dtype);
        unlink(image_path);
        assert_memory_equal(a.data, b.data, array_bytes(&a));
    }
}

static void npz_has_members(void **state)
{
    Cli *c = *state;
    Array a = array_new(&c->store, TILEC_I32, 1, (int64_t[]){300}),
          b = array_new(&c->store, TILEC_BF16, 0, NULL);
    tilec_io_member members[] = {
        {"a", {.data = a.data, .dtype = a.dtype, .ndim = 1, .shape = a.shape}},
        {"b.weight", {.data = b.data, .dtype = b.dtype}},
    };
    char *error = NULL;

    array_count_up(&a);
    snprintf(image_path, sizeof image_path, "/tmp/tilec-io-%ld.npz", (long)getpid());
    assert_int_equal(io_write(image_path, NULL, members, 2, NULL, NULL), TILEC_OK);
    assert_int_equal(load_stops(c, image_path, NULL), CLI_FILES);
    assert_non_null(
        strstr(c->trouble, "which of its arrays? Write @FILE.npz:NAME; it has a, b.weight"));
    Array got = file_load(&c->store, arena_printf(c->arena, "%s:a", image_path), NULL);
    assert_memory_equal(got.data, a.data, 1200);
    got = file_load(&c->store, arena_printf(c->arena, "%s:b.weight", image_path), NULL);
    assert_int_equal(got.dtype, TILEC_BF16);
    assert_int_equal(load_stops(c, arena_printf(c->arena, "%s:c", image_path), NULL), CLI_FILES);
    assert_non_null(strstr(c->trouble, "there is no array 'c' in it; it has a, b.weight"));
    unlink(image_path);
    members[1].name = "a";
    assert_int_equal(io_write(image_path, NULL, members, 2, NULL, &error), TILEC_IO);
    assert_non_null(strstr(error, "two members are called 'a'"));
    tilec_free(error);
    assert_int_equal(io_write("x.npy", NULL, members, 1, NULL, NULL), TILEC_IO);
}

static void public_functions(void **state)
{
    const tilec_dtype none = (tilec_dtype)99;
    const tilec_io_options wrong = {.as = &none}, level = {.png_level = 10};
    const int64_t shape[] = {2, 3};
    float x[6] = {1, 2, 3, 4, 5, 6};
    tilec_tensor t = {.data = x, .dtype = TILEC_FP32, .ndim = 2, .shape = shape}, got;
    tilec_io_member unnamed = {NULL, t};
    char *error = NULL;

    (void)state;
    assert_int_equal(tilec_io_write(path, &t, NULL, &error), TILEC_OK);
    assert_null(error);
    assert_int_equal(tilec_io_read(path, NULL, &got, &error), TILEC_OK);
    assert_null(got.strides);
    assert_int_equal(got.shape[1], 3);
    assert_memory_equal(got.data, x, sizeof x);
    assert_int_equal(tilec_io_write("/nowhere/x.npy", &got, NULL, &error), TILEC_IO);
    assert_string_equal(error, "/nowhere/x.npy: No such file or directory; "
                               "there is no folder '/nowhere'\n");
    tilec_free(error);
    tilec_io_free(&got);
    assert_null(got.data);
    tilec_io_free(&got);
    tilec_io_free(NULL);
    got = (tilec_tensor){.shape = (const int64_t *)path};
    assert_int_equal(tilec_io_read("no such file.npy", NULL, &got, NULL), TILEC_IO);
    tilec_io_free(&got); /* nothing */
    assert_int_equal(tilec_io_read(NULL, NULL, &got, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_read(NULL, NULL, &got, &error), TILEC_BAD_ARGUMENT);
    assert_string_equal(error, "error: the path is NULL\n");
    tilec_free(error);
    assert_int_equal(tilec_io_read(path, &wrong, &got, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_decode("x.npy", NULL, 0, NULL, &got, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_write(path, &t, &level, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_write(NULL, &t, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_write_npz("x.npz", &unnamed, 1, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_write_npz("x.npz", NULL, 1, NULL, NULL), TILEC_BAD_ARGUMENT);
}

/* What NumPy wrote in Fortran's order has its rows in order, unless that is to stay. */
static void turns_what_lies_in_fortran_order(void **state)
{
    static const char header[] = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 1, 3), }";
    static const int16_t as_written[] = {0x0100, 0x0302, 0x0504, 0x0706, 0x0908, 0x0b0a};
    static const int16_t in_rows[] = {0x0100, 0x0504, 0x0908, 0x0302, 0x0706, 0x0b0a};
    const tilec_io_options keep = {.keep_order = 1};
    tilec_tensor got;

    (void)state;
    write_npy(header, sizeof in_rows);
    assert_int_equal(tilec_io_read(path, NULL, &got, NULL), TILEC_OK);
    assert_null(got.strides);
    assert_int_equal(got.shape[2], 3);
    assert_memory_equal(got.data, in_rows, sizeof in_rows);
    tilec_io_free(&got);
    assert_int_equal(tilec_io_read(path, &keep, &got, NULL), TILEC_OK);
    assert_int_equal(got.strides[0], 1);
    assert_int_equal(got.strides[1], 2);
    assert_int_equal(got.strides[2], 2);
    assert_memory_equal(got.data, as_written, sizeof as_written);
    tilec_io_free(&got);
    write_npy("{'descr': '<i2', 'fortran_order': True, 'shape': (3, 0, 2), }", 0);
    assert_int_equal(tilec_io_read(path, NULL, &got, NULL), TILEC_OK);
    assert_null(got.strides);
    tilec_io_free(&got);
}

/* Neither writer has anything but words for what is no array, and leaves what stood there. */
static void refuses_what_is_no_array(void **state)
{
    static const int64_t two[] = {2}, negative[] = {-1}, huge[] = {INT64_MAX / 2, 1};
    float x[2] = {0};
    const struct {
        const char *trouble;
        tilec_tensor tensor;
    } rows[] = {
        {"the tensor has elements, and its data is NULL", {NULL, TILEC_FP32, 1, two}},
        {"the tensor has elements, and its data is NULL", {NULL, TILEC_FP32, 0}},
        {"the tensor is a pointer of unknown extent (ndim is negative): a file needs a shape",
         {x, TILEC_FP32, -1, two}},
        {"the tensor's shape is NULL", {x, TILEC_FP32, 1}},
        {"the tensor's dtype is none of tilec_dtype", {x, (tilec_dtype)-1, 1, two}},
        {"the tensor is not in the host's memory: tilec_copy() brings it there",
         {x, TILEC_FP32, 1, two, NULL, TILEC_MEMORY_DEVICE}},
        {"an extent of the tensor is negative", {x, TILEC_FP32, 1, negative}},
        {"the tensor's extents make more bytes than an address can say", {x, TILEC_FP32, 1, huge}},
    };
    static const char *const suffixes[] = {".npy", ".npz", ".png", ".pgm", ".ppm", ".csv"};
    char file[80], wanted[160], *error;

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        const tilec_io_member member = {"a", rows[i].tensor};
        snprintf(wanted, sizeof wanted, "error: %s\n", rows[i].trouble);
        for (int k = 0; k < COUNT(suffixes); k++) {
            snprintf(file, sizeof file, "%s%s", path, suffixes[k]);
            assert_int_equal(tilec_io_write(file, &rows[i].tensor, NULL, &error),
                             TILEC_BAD_ARGUMENT);
            assert_string_equal(error, wanted);
            tilec_free(error);
            assert_int_equal(access(file, F_OK), -1);
        }
        assert_int_equal(tilec_io_write_npz(file, &member, 1, NULL, &error), TILEC_BAD_ARGUMENT);
        assert_string_equal(error, wanted);
        tilec_free(error);
    }
    const tilec_tensor empty = {NULL, TILEC_FP32, 1, &(int64_t){0}};
    assert_int_equal(tilec_io_write(path, &empty, NULL, NULL), TILEC_OK);
    const tilec_io_member none = {"a", {x, TILEC_FP32, 1, two}};
    assert_int_equal(tilec_io_write_npz(path, &none, -1, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_io_write(path, NULL, NULL, NULL), TILEC_BAD_ARGUMENT);
}

static void refuses_members_that_leave_their_folder(void **state)
{
    static const char *const wrong[] = {"..", "../a", "a/../../b", "/a", "a/.."};
    static const char *const right[] = {"a/b", "..a", "a..", "a/...", "."};
    const int64_t two = 2;
    float x[2] = {1, 2};
    tilec_io_member m = {"", {x, TILEC_FP32, 1, &two}};
    char file[80], *error;

    (void)state;
    snprintf(file, sizeof file, "%s.npz", path);
    for (int i = 0; i < COUNT(wrong); i++) {
        m.name = wrong[i];
        assert_int_equal(tilec_io_write_npz(file, &m, 1, NULL, &error), TILEC_IO);
        assert_non_null(strstr(error, "would be unpacked outside of a folder"));
        tilec_free(error);
        m.name = right[i];
        assert_int_equal(tilec_io_write_npz(file, &m, 1, NULL, NULL), TILEC_OK);
    }
    unlink(file);
}

/* Whoever prints the text of an error prints the name of a file, which may be anything. */
static void names_of_files_are_escaped(void **state)
{
    char *error = NULL;
    IoArray out;

    (void)state;
    assert_int_equal(io_read("a\nb\x1b[31m\xc2\x9b\xc3\xa9.npy", NULL, 0, NULL, &out, &error),
                     TILEC_IO);
    assert_string_equal(error, "a\\nb\\x1b[31m\\xc2\\x9b\xc3\xa9.npy: No such file or directory");
    tilec_free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_files_are_escaped),
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
        cmocka_unit_test_setup_teardown(images_come_back, open_file, close_file),
        cmocka_unit_test_setup_teardown(refuses_what_a_format_does_not_hold, open_file, close_file),
        cmocka_unit_test_setup_teardown(reads_csv, open_file, close_file),
        cmocka_unit_test_setup_teardown(reads_anymaps, open_file, close_file),
        cmocka_unit_test_setup_teardown(says_what_is_wrong_in_memory, open_file, close_file),
        cmocka_unit_test_setup_teardown(csv_comes_back, open_file, close_file),
        cmocka_unit_test_setup_teardown(npz_has_members, open_file, close_file),
        cmocka_unit_test_setup_teardown(public_functions, open_file, close_file),
        cmocka_unit_test_setup_teardown(turns_what_lies_in_fortran_order, open_file, close_file),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_array, open_file, close_file),
        cmocka_unit_test_setup_teardown(refuses_members_that_leave_their_folder, open_file,
                                        close_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
