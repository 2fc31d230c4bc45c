/*
 * test_base.c - arenas, tables, text, JSON, places, diagnostics and the operating system
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/base/base.h"
/* after base.h: cmocka makes fail() a macro */
#include <cmocka.h>

static int set_up(void **state)
{
    *state = arena_new(NULL);
    return 0;
}

static int tear_down(void **state)
{
    arena_free(*state);
    return 0;
}

/* arenas */

static void test_arena_blocks_are_zero_and_aligned(void **state)
{
    Arena *a = *state;

    for (size_t n = 0; n < 5000; n += 7) {
        unsigned char *p = arena_alloc(a, n);

        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, n);
    }
    memset(arena_alloc(a, 10 << 20), 1, 10 << 20); /* far beyond a chunk */
    assert_true(arena_used(a) > (10 << 20));
}

static void test_arena_grow_keeps_the_contents(void **state)
{
    Arena *a = *state;
    char *p = arena_alloc(a, 16);

    strcpy(p, "some text");
    p = arena_grow(a, p, 16, 100);
    assert_string_equal(p, "some text");
    for (int i = 16; i < 100; i++)
        assert_int_equal(p[i], 0);
    char *other = arena_alloc(a, 16);
    char *q = arena_grow(a, p, 100, 1000);
    memset(q + 100, 1, 900);
    assert_string_equal(q, "some text");
    assert_int_equal(other[0], 0);
    assert_string_equal(arena_grow(a, NULL, 0, 8), "");
    assert_string_equal(arena_printf(a, "%d-%s", 42, "x"), "42-x");
    assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
}

static void test_failed_allocations_leave_through_the_guard(void **state)
{
    (void)state;
    volatile int landed = 0;

    for (volatile int n = 1; n < 6; n++) {
        Guard guard = {0};
        Arena *volatile a = NULL;

        arena_inject_failure(n);
        if (setjmp(guard.env) == 0) {
            a = arena_new(&guard);
            for (;;)
                arena_alloc(a, 1 << 20);
        }
        arena_inject_failure(-1);
        assert_int_equal(guard.why, GUARD_NO_MEMORY);
        landed++;
        arena_free(a);
    }
    assert_int_equal(landed, 5);
}

static void test_impossible_sizes_leave_through_the_guard(void **state)
{
    (void)state;
    Guard guard = {0};
    Arena *a = arena_new(&guard);

    if (setjmp(guard.env) == 0) {
        arena_alloc(a, SIZE_MAX - 3);
        assert_true(false);
    }
    assert_int_equal(guard.why, GUARD_NO_MEMORY);
    assert_null(arena_try_alloc(a, SIZE_MAX));
    if (setjmp(guard.env) == 0)
        (fail)(&guard);
    assert_int_equal(guard.why, GUARD_FAILED);
    arena_free(a);
    arena_free(NULL);
}

static void test_vec_grows(void **state)
{
    VEC(int) v = {0};

    for (int i = 0; i < 1000; i++)
        vec_push(*state, &v, i * i);
    assert_int_equal(v.len, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
}

/* tables */

static void test_interned_strings_are_one_pointer(void **state)
{
    Interner *in = interner_new(*state);
    Sym first[500];
    char name[16];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 500; i++) {
            snprintf(name, sizeof name, "name%d", i);
            Sym s = intern(in, name);
            assert_string_equal(s, name);
            if (round == 0)
                first[i] = s;
            assert_ptr_equal(s, first[i]);
        }
    }
    assert_ptr_equal(intern_n(in, "name1xyz", 5), first[1]);
    assert_ptr_not_equal(intern_n(in, "a\0b", 3), intern(in, "a"));
    assert_string_equal(intern(in, ""), "");
}

static void test_map_finds_what_was_put(void **state)
{
    Map *m = map_new(*state);
    static int values[3000];

    assert_null(map_get(m, 0));
    for (uint64_t i = 0; i < 3000; i++)
        map_put(m, i << 32, &values[i]); /* keys that differ in their high half only */
    map_put(m, 7ull << 32, &values[0]);
    for (uint64_t i = 0; i < 3000; i++)
        assert_ptr_equal(map_get(m, i << 32), &values[i == 7 ? 0 : i]);
    assert_null(map_get(m, 1));
}

/* Flipping any bit of the input flips about half the bits of the hash. */
static void test_hashes_spread(void **state)
{
    (void)state;
    unsigned char data[37] = {0};
    uint64_t base = hash_bytes(data, sizeof data, 1);
    Hash128 wide = hash128_bytes(data, sizeof data);

    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        Hash128 h = hash128_bytes(data, sizeof data);
        int changed = __builtin_popcountll(hash_bytes(data, sizeof data, 1) ^ base);
        int low = __builtin_popcountll(h.lo ^ wide.lo), high = __builtin_popcountll(h.hi ^ wide.hi);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);

        assert_in_range(changed, 10, 54);
        assert_in_range(low, 10, 54);
        assert_in_range(high, 10, 54);
    }
    assert_int_not_equal(hash_bytes(data, 36, 1), base);
    assert_int_not_equal(hash_bytes(data, 37, 2), base);
    assert_true(hash128_bytes(data, 36).lo != wide.lo);
}

/* text */

static void test_text_grows(void **state)
{
    Text t = text_new(*state);

    for (int i = 0; i < 200; i++)
        text_printf(&t, "%d,", i);
    text_put(&t, "end");
    text_putn(&t, "xyz", 1);
    assert_int_equal(t.len, strlen(t.s));
    assert_int_equal(strncmp(t.s, "0,1,2,", 6), 0);
    assert_string_equal(t.s + t.len - 8, "199,endx");
}

static void test_numbers_do_not_depend_on_the_locale(void **state)
{
    Text t = text_new(*state);
    const char *end;

    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is none this tests less */
    text_put_double(&t, 0.1, 17);
    assert_string_equal(t.s, "0.10000000000000001");
    assert_true(double_from_text("2.5e-1x", &end) == 0.25);
    assert_string_equal(end, "x");
    text_put_fixed(&t, 2.0 / 3, 3);
    assert_string_equal(t.s, "0.100000000000000010.667");
    setlocale(LC_ALL, "C");
}

/* JSON */

static void test_json_has_commas_where_they_belong(void **state)
{
    Text t = text_new(*state);

    json_object(&t, NULL);
    json_array(&t, "empty");
    json_array_end(&t);
    json_array(&t, "mixed");
    json_int(&t, NULL, -3);
    json_bool(&t, NULL, true);
    json_object(&t, NULL);
    json_object_end(&t);
    json_text(&t, NULL, "[");
    json_text(&t, NULL, NULL);
    json_array_end(&t);
    json_value(&t, "raw", "[1,2]");
    json_members(&t, "{}");
    json_members(&t, "{\"a\": 1, \"b\": 2}");
    json_object_end(&t);
    assert_string_equal(t.s, "{\"empty\": [], \"mixed\": [-3, true, {}, \"[\", null], "
                             "\"raw\": [1,2], \"a\": 1, \"b\": 2}");
}

static void test_json_of_strings_and_numbers(void **state)
{
    Text t = text_new(*state);

    json_array(&t, NULL);
    json_text(&t, NULL, "\"\\/\n\x01\xc3\xa9");
    json_number(&t, NULL, 1.0 / 3, 4);
    json_number(&t, NULL, 1e300, 17);
    json_fixed(&t, NULL, 1.0 / 3, 2);
    json_number(&t, NULL, NAN, 6);
    json_fixed(&t, NULL, -INFINITY, 6);
    json_array_end(&t);
    assert_string_equal(t.s, "[\"\\\"\\\\/\\u000a\\u0001\xc3\xa9\", 0.3333, "
                             "1.0000000000000001e+300, 0.33, null, null]");
}

static void test_json_in_lines(void **state)
{
    Text t = text_new(*state);

    json_array(&t, NULL);
    json_line(&t);
    json_int(&t, NULL, 1);
    json_line(&t);
    json_int(&t, NULL, 2);
    text_put(&t, "\n");
    json_array_end(&t);
    assert_string_equal(t.s, "[\n1,\n2\n]");
}

/* places and diagnostics */

static const Source *add_text(SourceMap *m, const char *path, const char *text)
{
    return source_add(m, path, text, strlen(text));
}

static void test_places(void **state)
{
    SourceMap *m = source_map_new(*state);
    const Source *src = add_text(m, "k.py", "one\r\n\ntwo two\nlast");
    Place p = source_place(m, src->base);

    assert_int_equal(p.line, 1);
    assert_int_equal(p.column, 1);
    assert_int_equal(p.length, 3);
    p = source_place(m, src->base + 10);
    assert_int_equal(p.line, 3);
    assert_int_equal(p.column, 5);
    assert_int_equal(p.length, 7);
    assert_int_equal(source_place(m, src->base + 5).length, 0);
    p = source_place(m, src->base + 18);
    assert_int_equal(p.line, 4);
    assert_int_equal(p.column, 5);
    assert_null(source_place(m, src->base + 19).source);
    assert_null(source_place(m, 0).source);
}

/* Where one text ends and where the next begins are two places. */
static void test_a_place_names_its_file(void **state)
{
    SourceMap *m = source_map_new(*state);

    assert_null(source_of(m, 1));
    const Source *one = add_text(m, "one.py", "x"), *empty = add_text(m, "empty.py", ""),
                 *two = add_text(m, "two.py", "y\nz");
    assert_int_equal(one->base, 1); /* {0,0} is no place */
    assert_ptr_equal(source_of(m, one->base + 1), one);
    assert_ptr_equal(source_of(m, empty->base), empty);
    assert_ptr_equal(source_of(m, two->base), two);
    assert_int_equal(source_place(m, two->base + 2).line, 2);
    assert_string_equal(source_place(m, two->base + 2).source->path, "two.py");
    assert_null(source_add(m, "huge.py", "", INT32_MAX));
    assert_ptr_equal(source_of(m, two->base + 3), two);
}

/* All offsets are taken: no text has room any more. */
static void test_a_map_is_full(void **state)
{
    enum { LONG = 1 << 18 };
    SourceMap *m = source_map_new(*state);
    char *text = arena_alloc(*state, LONG);
    const Source *src;
    uint32_t end = 0;

    memset(text, 'x', LONG);
    while ((src = source_add(m, "long.py", text, LONG)))
        end = src->base + LONG + 1;
    assert_true(SOURCE_MOST_BYTES - end < LONG);
    assert_non_null(source_add(m, "rest.py", text, SOURCE_MOST_BYTES - end));
    assert_null(source_add(m, "full.py", "", 0));
}

enum { MANY_TEXTS = 2000 };

static void *add_many(void *map)
{
    for (int i = 0; i < MANY_TEXTS; i++)
        add_text(map, "more.py", "a\nb\n");
    return NULL;
}

/* A kernel is lowered while another one's import adds a file. */
static void test_places_are_looked_up_without_a_lock(void **state)
{
    SourceMap *m = source_map_new(*state);
    const Source *first = add_text(m, "first.py", "x\ny\n");
    pthread_t other;

    assert_int_equal(pthread_create(&other, NULL, add_many, m), 0);
    for (int i = 0; i < MANY_TEXTS; i++) {
        Place p = source_place(m, first->base + 2);
        assert_ptr_equal(p.source, first);
        assert_int_equal(p.line, 2);
    }
    pthread_join(other, NULL);
    assert_non_null(source_of(m, first->base + 5 * MANY_TEXTS));
}

/* One error over [start, end) of this text, rendered. */
static const char *render(Arena *a, const char *text, size_t len, uint32_t start, uint32_t end)
{
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), "k.py", text, len);

    diag(d, DIAG_ERROR, source_span(src, start, end), "no");
    return diags_text(d, a);
}

static void test_diagnostics_show_the_line(void **state)
{
    Arena *a = *state;
    Diags *d = diags_new(a, NULL);
    const Source *src = add_text(diags_sources(d), "k.py", "def f(x):\n\ty = x + z\n");

    assert_string_equal(diags_text(d, a), "");
    diag(d, DIAG_ERROR, source_span(src, 15, 20), "cannot add %s", "these");
    diag(d, DIAG_NOTE, source_span(src, 6, 7), "x comes from here");
    diag(d, DIAG_HINT, (Span){0, 0}, "do not");
    diag(d, DIAG_WARNING, source_whole(src), "odd file");
    diag(d, DIAG_PRINT, source_span(src, 11, 12), "y");
    assert_int_equal(diag_errors(d), 1);
    assert_string_equal(diags_text(d, a), "k.py:2:6: error: cannot add these\n"
                                          "    \ty = x + z\n"
                                          "    \t    ^~~~~\n"
                                          "k.py:1:7: note: x comes from here\n"
                                          "    def f(x):\n"
                                          "          ^\n"
                                          "hint: do not\n"
                                          "k.py: warning: odd file\n"
                                          "k.py:2:2: static_print: y\n"
                                          "    \ty = x + z\n"
                                          "    \t^\n");
}

static void test_a_note_may_lie_in_another_file(void **state)
{
    Arena *a = *state;
    Diags *d = diags_new(a, NULL);
    const Source *kernel = add_text(diags_sources(d), "k.py", "h(1)\n");
    const Source *helper = add_text(diags_sources(d), "lib/h.py", "def h(x):\n    x + y\n");

    diag(d, DIAG_ERROR, source_span(helper, 18, 19), "`y` is not defined");
    diag(d, DIAG_NOTE, source_span(kernel, 0, 4), "h() is called from here");
    assert_string_equal(diags_text(d, a), "lib/h.py:2:9: error: `y` is not defined\n"
                                          "        x + y\n"
                                          "            ^\n"
                                          "k.py:1:1: note: h() is called from here\n"
                                          "    h(1)\n"
                                          "    ^~~~\n");
}

static void test_diagnostics_survive_hostile_text(void **state)
{
    Arena *a = *state;
    static const char text[] = "\xc3\xa9 \x00 \xff\x1b[2J \xe2\x80\xae x";

    assert_string_equal(render(a, text, sizeof text - 1, 5, 6),
                        "k.py:1:6: error: no\n"
                        "    \xc3\xa9 \\x00 \\xff\\x1b[2J \\xe2\\x80\\xae x\n"
                        "           ^~~~\n");
    /* places beyond the end, ends before the start, a line cut inside a character */
    assert_string_equal(render(a, "ab\n", 3, 3, 2), "k.py:2:1: error: no\n    \n    ^\n");
    assert_string_equal(render(a, "ab\n", 3, 9, 2), "error: no\n");
    assert_string_equal(render(a, "ab", 2, 2, 900), "k.py:1:3: error: no\n    ab\n      ^\n");
    assert_string_equal(render(a, "a\xe2\x82", 3, 1, 3),
                        "k.py:1:2: error: no\n    a\\xe2\\x82\n     ^~~~~~~~\n");
    for (uint32_t at = 0; at < sizeof text + 2; at++)
        assert_non_null(render(a, text, sizeof text - 1, at, at + 40));
}

static void test_long_lines_are_cut_around_the_caret(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    for (int i = 0; i < 1000; i++)
        text_put(&t, "\xc3\xa9");
    text_put(&t, "X");
    for (int i = 0; i < 1000; i++)
        text_put(&t, "b");
    const char *out = render(a, t.s, t.len, 2000, 2001);
    const char *line = strchr(out, '\n') + 1, *carets = strchr(line, '\n') + 1;

    assert_int_equal(strncmp(line, "    ...\xc3\xa9", 9), 0);
    assert_true(carets - line < 130);
    assert_string_equal(carets - 4, strstr(carets - 4, "...\n"));
    /* the caret is under the X: 30 characters of two bytes before it */
    assert_int_equal(strchr(carets, '^') - carets, strchr(line, 'X') - line - 30);
}

static void test_errors_are_limited(void **state)
{
    Arena *a = *state;
    Diags *d = diags_new(a, NULL);

    for (int i = 0; i < 50; i++) {
        diag(d, DIAG_ERROR, (Span){0, 0}, "number %d.", i);
        diag(d, DIAG_NOTE, (Span){0, 0}, "of %d.", i);
    }
    assert_int_equal(diag_errors(d), 50);
    assert_non_null(strstr(diags_text(d, a), "of 19."));
    assert_null(strstr(diags_text(d, a), "20."));
    assert_non_null(strstr(diags_text(d, a), "... and 30 more errors"));
}

static void test_an_error_is_said_once(void **state)
{
    Arena *a = *state;
    Diags *d = diags_new(a, NULL);
    const Source *src = add_text(diags_sources(d), "k.py", "x = 1\ny = 2\n");

    for (int i = 0; i < 3; i++) {
        diag(d, DIAG_ERROR, source_span(src, 6, 7), "the same");
        diag(d, DIAG_HINT, (Span){0, 0}, "its hint");
        diag(d, DIAG_ERROR, source_span(src, 6, 7), "another %d", i);
    }
    const char *text = diags_text(d, a);
    assert_int_equal(diag_errors(d), 6); /* whoever compares counts still sees it fail */
    assert_null(strstr(strstr(text, "the same") + 1, "the same"));
    assert_null(strstr(strstr(text, "its hint") + 1, "its hint"));
    assert_non_null(strstr(text, "another 2"));
}

/* the operating system */

/* A fresh folder under the system's one for temporary files. */
static const char *scratch_folder(Arena *a)
{
    const char *tmp = os_env("TMPDIR");
    char *name = arena_printf(a, "%s/tilec-test-XXXXXX", tmp ? tmp : "/tmp");

    assert_non_null(mkdtemp(name));
    return name;
}

static void test_files_are_written_and_read(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);
    const char *sub = arena_printf(a, "%s/a/b//c", folder);
    const char *path = arena_printf(a, "%s/file", sub);
    char *data;
    size_t len;

    assert_int_equal(os_make_dirs(sub), 0);
    assert_int_equal(os_make_dirs(sub), 0);
    assert_int_equal(os_read_file(a, path, 100, &data, &len), ENOENT);
    assert_int_equal(os_write_file(path, "a\0b", 3), 0);
    assert_int_equal(os_write_file(path, "longer text", 11), 0);
    assert_int_equal(os_read_file(a, path, 11, &data, &len), 0);
    assert_int_equal(len, 11);
    assert_string_equal(data, "longer text");
    assert_int_equal(os_read_file(a, path, 10, &data, &len), EFBIG);
    assert_int_equal(os_write_file(path, "", 0), 0);
    assert_int_equal(os_read_file(a, path, 0, &data, &len), 0);
    assert_int_equal(len, 0);

    assert_int_equal(os_write_file(arena_printf(a, "%s/no/file", folder), "x", 1), ENOENT);
    assert_int_not_equal(os_write_file(sub, "x", 1), 0); /* a folder stands there */
    assert_int_equal(os_make_dirs(arena_printf(a, "%s/under", path)), ENOTDIR);
    assert_int_equal(os_read_file(a, sub, 100, &data, &len), EISDIR);
    /* nothing but the file was left behind */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(sub), 0);
    assert_int_equal(rmdir(arena_printf(a, "%s/a/b", folder)), 0);
    assert_int_equal(rmdir(arena_printf(a, "%s/a", folder)), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* More than one pipe's worth, so that reads come short. */
static void test_pipes_are_read_to_the_end(void **state)
{
    Arena *a = *state;
    enum { BYTES = 300000 };
    char *data;
    size_t len;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    pid_t child = fork();
    if (child == 0) {
        char block[1000];
        memset(block, 'x', sizeof block);
        for (int i = 0; i < BYTES / 1000; i++) {
            if (write(fds[1], block, sizeof block) != sizeof block)
                _exit(1);
        }
        _exit(0);
    }
    close(fds[1]);
    const char *path = arena_printf(a, "/dev/fd/%d", fds[0]);
    assert_int_equal(os_read_file(a, path, BYTES, &data, &len), 0);
    assert_int_equal(len, BYTES);
    assert_int_equal(strlen(data), BYTES);
    close(fds[0]);
}

static void test_a_device_is_written_to_not_replaced(void **state)
{
    (void)state;
    struct stat st;

    assert_int_equal(os_write_file("/dev/null", "x", 1), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void check_contents(Arena *a, const char *path, const char *wanted)
{
    char *data;
    size_t len;

    assert_int_equal(os_read_file(a, path, 100, &data, &len), 0);
    assert_string_equal(data, wanted);
}

static void check_is_link(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void test_links_are_written_through(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);
    const char *file = arena_printf(a, "%s/file", folder), *sub = arena_printf(a, "%s/sub", folder);
    const char *near = arena_printf(a, "%s/near", folder), *far = arena_printf(a, "%s/far", sub);
    const char *loop = arena_printf(a, "%s/loop", folder);

    assert_int_equal(mkdir(sub, 0700), 0);
    assert_int_equal(symlink("../near", far), 0);
    assert_int_equal(symlink(file, near), 0);
    assert_int_equal(os_write_file(far, "new", 3), 0); /* nothing is behind the links yet */
    check_contents(a, file, "new");
    assert_int_equal(os_write_file(far, "next", 4), 0);
    check_contents(a, file, "next");
    check_is_link(near);
    check_is_link(far);
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(os_write_file(loop, "x", 1), ELOOP);

    /* an open file is reached through a link too, as /dev/stdout is */
    int fd = open(file, O_RDONLY);
    char got[8] = "";
    assert_int_equal(os_write_file(arena_printf(a, "/dev/fd/%d", fd), "open", 4), 0);
    assert_int_equal(read(fd, got, sizeof got), 4);
    assert_string_equal(got, "open");
    close(fd);
    assert_int_equal(unlink(file) + unlink(near) + unlink(far) + unlink(loop), 0);
    assert_int_equal(rmdir(sub) + rmdir(folder), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

/* The file keeps its mode and its other names. */
static void test_a_written_file_stays_what_it_is(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);
    const char *file = arena_printf(a, "%s/file", folder);
    const char *other = arena_printf(a, "%s/other", folder);

    assert_int_equal(os_write_file(file, "old", 3), 0);
    assert_int_equal(chmod(file, 0610), 0);
    assert_int_equal(os_write_file(file, "new", 3), 0);
    assert_int_equal(mode_of(file), 0610);
    assert_int_equal(link(file, other), 0);
    assert_int_equal(os_write_file(other, "both", 4), 0);
    check_contents(a, file, "both");
    assert_int_equal(mode_of(file), 0610);
    assert_int_equal(unlink(file) + unlink(other) + rmdir(folder), 0);
}

/* Run fn in a process of its own, which 12345 runs where we may choose; 0: it found no fault. */
static int as_another_user(int (*fn)(const char *path), const char *path)
{
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(geteuid() == 0 && seteuid(12345) != 0 ? 1 : fn(path));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_fails(const char *path)
{
    return os_write_file(path, "no", 2) == EACCES ? 0 : 2;
}

static int write_succeeds(const char *path)
{
    return os_write_file(path, "yes", 3) == 0 ? 0 : 2;
}

static void test_files_that_may_not_be_written_are_not(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);
    const char *file = arena_printf(a, "%s/file", folder);
    struct stat st;

    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(os_write_file(file, "old", 3), 0);
    assert_int_equal(chmod(file, 0444), 0);
    assert_int_equal(as_another_user(write_fails, file), 0);
    check_contents(a, file, "old");
    /* who may write to it, but not make another in its folder, or not give one away */
    assert_int_equal(chmod(file, 0666), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(as_another_user(write_succeeds, file), 0);
        check_contents(a, file, "yes");
        assert_int_equal(stat(file, &st), 0);
        assert_int_equal(st.st_uid, geteuid());
        assert_int_equal(st.st_mode & 07777, 0666);
        assert_int_equal(os_write_file(file, "old", 3), 0);
        assert_int_equal(chmod(folder, 0555), 0);
    }
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(unlink(file) + rmdir(folder), 0);
}

/* The process that hits a limit goes on, and leaves neither half a file nor a temporary one. */
static int write_too_much(const char *path)
{
    static const char data[5000];
    const struct rlimit small = {1000, 1000};

    if (setrlimit(RLIMIT_FSIZE, &small) != 0)
        return 1;
    return os_write_file(path, data, sizeof data) == EFBIG && access(path, F_OK) != 0 ? 0 : 2;
}

static void test_a_limit_on_files_ends_no_process(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);

    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(as_another_user(write_too_much, arena_printf(a, "%s/file", folder)), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Running out of memory while a file is read closes it and is reported. */
static void test_reading_without_memory_fails(void **state)
{
    Arena *a = *state;
    char *data;
    size_t len;

    arena_inject_failure(1);
    int status = os_read_file(a, "/dev/zero", 100 << 20, &data, &len);
    arena_inject_failure(-1);
    assert_int_equal(status, ENOMEM);
    assert_int_equal(os_read_file(a, "/dev/zero", 1 << 20, &data, &len), EFBIG);
}

static void test_the_machine_is_known(void **state)
{
    (void)state;
    double before = os_seconds();

    assert_true(os_cpu_count() >= 1);
    assert_true(os_last_level_cache_bytes() >= 1 << 18);
    assert_true(os_seconds() >= before);
    assert_true(os_seconds() < before + 60);
    assert_null(os_env("TILEC_NO_SUCH_VARIABLE"));
    assert_false(os_is_terminal(-1));
}

static void test_the_library_knows_its_file(void **state)
{
    char *here = getcwd(NULL, 0);
    const char *file = os_library_file(*state);

    assert_non_null(file);
    assert_int_equal(file[0], '/');
    assert_int_equal(access(file, R_OK), 0);
    assert_int_equal(chdir("/"), 0);
    assert_string_equal(os_library_file(*state), file);
    assert_int_equal(chdir(here), 0);
    free(here);
}

/* A file in a folder that is made if need be. */
static void put_file(Arena *a, const char *folder, const char *name, const char *text)
{
    assert_int_equal(os_make_dirs(folder), 0);
    assert_int_equal(os_write_file(arena_printf(a, "%s/%s", folder, name), text, strlen(text)), 0);
}

static void remove_all(Arena *a, const char *folder)
{
    assert_int_equal(system(arena_printf(a, "rm -r '%s'", folder)), 0);
}

static void test_cpu_quota(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);
    const char *groups = arena_printf(a, "%s/groups", folder);
    const char *outer = arena_printf(a, "%s/outer", folder);
    const char *old = arena_printf(a, "%s/cpu", folder);

    assert_int_equal(os_cpu_quota(groups, folder), 0);
    put_file(a, folder, "groups", "0::/outer/inner\n");
    assert_int_equal(os_cpu_quota(groups, folder), 0);
    put_file(a, arena_printf(a, "%s/inner", outer), "cpu.max", "max 100000\n");
    assert_int_equal(os_cpu_quota(groups, folder), 0);
    put_file(a, arena_printf(a, "%s/inner", outer), "cpu.max", "350000 100000\n");
    assert_int_equal(os_cpu_quota(groups, folder), 4);
    put_file(a, outer, "cpu.max", "200000 100000\n");
    assert_int_equal(os_cpu_quota(groups, folder), 2);
    put_file(a, folder, "cpu.max", "800000 100000\n");
    assert_int_equal(os_cpu_quota(groups, folder), 2);
    put_file(a, folder, "groups", "0::/../elsewhere\n");
    assert_int_equal(os_cpu_quota(groups, folder), 8);
    put_file(a, folder, "groups", "5:cpuset:/\n3:cpuacct,cpu:/from/the/host\n0::/none\n");
    put_file(a, old, "cpu.cfs_period_us", "50000\n");
    put_file(a, old, "cpu.cfs_quota_us", "-1\n");
    assert_int_equal(os_cpu_quota(groups, folder), 8);
    put_file(a, old, "cpu.cfs_quota_us", "150000\n");
    assert_int_equal(os_cpu_quota(groups, folder), 3);
    remove_all(a, folder);
}

static void test_vectors_are_as_wide_as_the_system_says(void **state)
{
    int bytes = os_vector_bytes();

    (void)state;
    assert_true(bytes == 16 || bytes == 32 || bytes == 64);
#ifdef __x86_64__
    bool wide = false, widest = false;
    char word[4096];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fscanf(f, "%4095s", word) == 1) {
        wide |= strcmp(word, "avx2") == 0;
        widest |= strcmp(word, "avx512f") == 0;
    }
    if (!f)
        skip();
    fclose(f);
    assert_int_equal(bytes, widest ? 64 : wide ? 32 : 16);
#endif
}

static void test_cache_share(void **state)
{
    Arena *a = *state;
    const char *folder = scratch_folder(a);
    const char *second = arena_printf(a, "%s/index2", folder);
    const char *third = arena_printf(a, "%s/index3", folder);

    assert_int_equal(os_cache_share(folder, 4), 0);
    put_file(a, second, "level", "2\n");
    put_file(a, second, "size", "1024K\n");
    put_file(a, second, "shared_cpu_list", "0\n");
    assert_int_equal(os_cache_share(folder, 4), 4 << 20);
    put_file(a, third, "level", "3\n");
    put_file(a, third, "size", "32M\n");
    assert_int_equal(os_cache_share(folder, 1), 32 << 20);
    put_file(a, third, "shared_cpu_list", "0-7,32-39\n");
    assert_int_equal(os_cache_share(folder, 4), 32 << 20);  /* few share it */
    assert_int_equal(os_cache_share(folder, 32), 64 << 20); /* two such caches */
    put_file(a, third, "size", "64M\n");
    assert_int_equal(os_cache_share(folder, 4), 16 << 20);
    put_file(a, third, "shared_cpu_list", "0\n");
    assert_int_equal(os_cache_share(folder, 1), 4 << 20); /* nobody has more of one */
    remove_all(a, folder);
}

static void test_pages(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4096, 5 << 20};

    for (int i = 0; i < COUNT(sizes); i++) {
        unsigned char *p = os_alloc_pages(sizes[i]);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        p[0] = p[sizes[i] - 1] = 1;
        os_free_pages(p, sizes[i]);
    }
    assert_null(os_alloc_pages(SIZE_MAX - 4));
    os_free_pages(NULL, 1);
}

#if defined(__x86_64__)
static void test_sealed_code_runs(void **state)
{
    (void)state;
    static const unsigned char return_42[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov eax, 42; ret */
    void *p = os_map_code(sizeof return_42);

    assert_non_null(p);
    memcpy(p, return_42, sizeof return_42);
    assert_int_equal(os_seal_code(p, sizeof return_42), 0);
    assert_int_equal(((int (*)(void))p)(), 42);
    os_unmap_code(p, sizeof return_42);
}
#endif

static void test_libraries_are_loaded(void **state)
{
    (void)state;
    const char *error;
    void *lib = os_load_library("libm.so.6", &error);
    double (*root)(double) = lib ? os_library_symbol(lib, "sqrt") : NULL;

    assert_non_null(root);
    assert_true(root(81) == 9);
    assert_null(os_library_symbol(lib, "no_such_function"));
    assert_null(os_load_library("no/such/library.so", &error));
    assert_non_null(error);
}

/* other programs */

static void test_running_a_program(void **state)
{
    static const char *const cat[] = {"sh", "-c", "cat; echo trouble >&2; exit 3", NULL};
    static const char *const reopen[] = {"cp", "/dev/stdin", "/dev/stdout", NULL};
    static const char *const none[] = {"tilec-has-no-such-program", NULL};
    static const char *const dies[] = {"sh", "-c", "kill -9 $$", NULL};
    Arena *a = *state;
    size_t len = 1 << 20; /* more than a pipe holds */
    char *input = arena_alloc(a, len);
    OsRun run;

    for (size_t i = 0; i < len; i++)
        input[i] = (char)(i * 7);
    assert_int_equal(os_run(a, cat, input, len, &run), 0);
    assert_int_equal(run.code, 3);
    assert_int_equal(run.noutput, len);
    assert_memory_equal(run.output, input, len);
    assert_string_equal(run.errors, "trouble\n");
    assert_int_equal(os_run(a, reopen, input, len, &run), 0);
    assert_int_equal(run.code, 0);
    assert_int_equal(run.noutput, len);
    assert_memory_equal(run.output, input, len);
    assert_int_equal(run.nerrors, 0);
    assert_int_equal(os_run(a, none, NULL, 0, &run), ENOENT);
    assert_int_equal(os_run(a, dies, NULL, 0, &run), 0);
    assert_int_equal(run.code, 128 + 9);
}

/* It runs before its input is there, and ends whatever else has forked since. */
static void test_starting_a_program(void **state)
{
    static const char *const cat[] = {"sh", "-c", "cat /dev/stdin; echo trouble >&2; exit 3", NULL};
    static const char *const deaf[] = {"sh", "-c", "exec <&-; exit 4", NULL};
    static const char *const none[] = {"tilec-has-no-such-program", NULL};
    Arena *a = *state;
    size_t len = 1 << 20;
    char *input = arena_alloc(a, len);
    OsProgram program, other;
    OsRun run;

    for (size_t i = 0; i < len; i++)
        input[i] = (char)(i * 7);
    assert_int_equal(os_start(none, &program), ENOENT);
    assert_int_equal(os_start(cat, &program), 0);
    assert_int_equal(os_start(cat, &other), 0);
    pid_t child = fork(); /* which has what the pipe is written by, and lives on */
    if (child == 0) {
        pause();
        _exit(0);
    }
    assert_int_equal(os_finish(&program, a, input, len, &run), 0);
    assert_int_equal(run.code, 3);
    assert_int_equal(run.noutput, len);
    assert_memory_equal(run.output, input, len);
    assert_string_equal(run.errors, "trouble\n");
    os_stop(&other);
    assert_int_equal(os_start(deaf, &program), 0);
    assert_int_equal(os_finish(&program, a, input, len, &run), 0);
    assert_int_equal(run.code, 4);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(waitpid(program.child, NULL, 0), -1); /* none is left */
    assert_int_equal(waitpid(other.child, NULL, 0), -1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_arena_blocks_are_zero_and_aligned),
        TEST(test_arena_grow_keeps_the_contents),
        TEST(test_failed_allocations_leave_through_the_guard),
        TEST(test_impossible_sizes_leave_through_the_guard),
        TEST(test_vec_grows),
        TEST(test_interned_strings_are_one_pointer),
        TEST(test_map_finds_what_was_put),
        TEST(test_hashes_spread),
        TEST(test_text_grows),
        TEST(test_json_has_commas_where_they_belong),
        TEST(test_json_of_strings_and_numbers),
        TEST(test_json_in_lines),
        TEST(test_numbers_do_not_depend_on_the_locale),
        TEST(test_places),
        TEST(test_a_place_names_its_file),
        TEST(test_a_map_is_full),
        TEST(test_places_are_looked_up_without_a_lock),
        TEST(test_a_note_may_lie_in_another_file),
        TEST(test_diagnostics_show_the_line),
        TEST(test_diagnostics_survive_hostile_text),
        TEST(test_long_lines_are_cut_around_the_caret),
        TEST(test_errors_are_limited),
        TEST(test_an_error_is_said_once),
        TEST(test_files_are_written_and_read),
        TEST(test_pipes_are_read_to_the_end),
        TEST(test_a_device_is_written_to_not_replaced),
        TEST(test_links_are_written_through),
        TEST(test_a_written_file_stays_what_it_is),
        TEST(test_files_that_may_not_be_written_are_not),
        TEST(test_a_limit_on_files_ends_no_process),
        TEST(test_reading_without_memory_fails),
        TEST(test_the_machine_is_known),
        TEST(test_the_library_knows_its_file),
        TEST(test_cpu_quota),
        TEST(test_vectors_are_as_wide_as_the_system_says),
        TEST(test_cache_share),
        TEST(test_pages),
#if defined(__x86_64__)
        TEST(test_sealed_code_runs),
#endif
        TEST(test_libraries_are_loaded),
        TEST(test_running_a_program),
        TEST(test_starting_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
