/*
 * test_run.c - the runtime without a compiler: host, relocations, loader, cache, pool, launch
 *
 * Objects for the loader are made by the C compiler at hand, from kernels with the ABI of gen.h;
 * without one those tests are skipped.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/device_cpu/device_cpu.h"
#include "threads.h"
/* after base.h: cmocka makes fail() a macro */
#include "seed.h"
#include <cmocka.h>

/* help */

typedef struct {
    char folder[64];
    Arena *arena;
} Scene;

static int set_up(void **state)
{
    Scene *s = calloc(1, sizeof *s);

    strcpy(s->folder, "/tmp/tilec-test-XXXXXX");
    if (!mkdtemp(s->folder))
        return -1;
    s->arena = arena_new(NULL);
    *state = s;
    return 0;
}

static void remove_folder(const char *path)
{
    char name[512];
    DIR *dir = opendir(path);

    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.' || e->d_name[1] == 't')
            unlink(name);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static int tear_down(void **state)
{
    Scene *s = *state;

    remove_folder(s->folder);
    arena_free(s->arena);
    free(s);
    return 0;
}

static int count_files(const char *path, const char *ending)
{
    DIR *dir = opendir(path);
    int n = 0;

    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        size_t len = strlen(e->d_name), m = strlen(ending);
        n += len > m && strcmp(e->d_name + len - m, ending) == 0;
    }
    closedir(dir);
    return n;
}

/* Compile C text to an object; skips the test when there is no compiler. */
static char *compile(Scene *s, const char *text, const char *flags, size_t *len)
{
    char command[512], path[128], *object;

    snprintf(path, sizeof path, "%s/k.c", s->folder);
    assert_int_equal(os_write_file(path, text, strlen(text)), 0);
    snprintf(command, sizeof command, "cc -c -O2 -fPIC %s -o %s/k.o %s", flags, s->folder, path);
    if (system("cc --version > /dev/null 2>&1") != 0)
        skip();
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/k.o", s->folder);
    assert_int_equal(os_read_file(s->arena, path, 1 << 20, &object, len), 0);
    return object;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* host.c */

static bool listed(const char *feature)
{
    char wanted[64];

    snprintf(wanted, sizeof wanted, ",%s,", feature);
    char *all = NULL;
    assert_true(asprintf(&all, ",%s,", host_cpu_features()) > 0);
    bool found = strstr(all, wanted) != NULL;
    free(all);
    return found;
}

static void test_host_agrees_with_the_compiler(void **state)
{
    (void)state;
    assert_true(strlen(host_cpu_name()) > 0);
    assert_true(strlen(host_cpu_text()) > 0);
    assert_ptr_equal(host_cpu_features(), host_cpu_features());
#ifdef __x86_64__
    __builtin_cpu_init();
    assert_int_equal(listed("+avx2"), __builtin_cpu_supports("avx2") != 0);
    assert_int_equal(listed("+fma"), __builtin_cpu_supports("fma") != 0);
    assert_int_equal(listed("+avx512f"), __builtin_cpu_supports("avx512f") != 0);
    assert_int_equal(listed("-avx512f"), __builtin_cpu_supports("avx512f") == 0);
    assert_int_equal(listed("+avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
    if (__builtin_cpu_is("znver3") &&
        !__builtin_cpu_supports("avx512f")) /* else Zen 4, new to gcc 12 */
        assert_string_equal(host_cpu_name(), "znver3");
#elif defined(__aarch64__)
    assert_true(listed("+neon"));
    assert_int_equal(listed("+fullfp16"), (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0);
    assert_int_equal(listed("+bf16"), (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0);
#endif
}

/* reloc.c */

static uint32_t word_after(int machine, uint32_t type, RelocInput in, uint32_t before)
{
    uint8_t at[8];

    memcpy(at, &before, 4);
    assert_int_equal(reloc_apply(machine, type, &in, at), RELOC_OK);
    memcpy(&before, at, 4);
    return before;
}

static void test_relocations_of_x86(void **state)
{
    RelocInput in = {.symbol = 0x2000, .slot = 0x3008, .addend = -4, .place = 0x1000};
    uint8_t at[8];
    uint64_t far;

    (void)state;
    assert_int_equal(word_after(EM_X86_64, R_X86_64_PC32, in, 0), 0x2000 - 4 - 0x1000);
    assert_int_equal(word_after(EM_X86_64, R_X86_64_REX_GOTPCRELX, in, 0), 0x3008 - 4 - 0x1000);
    assert_int_equal(word_after(EM_X86_64, R_X86_64_32S, in, 0), 0x1ffc);
    in.symbol = UINT64_C(1) << 40;
    assert_int_equal(reloc_apply(EM_X86_64, R_X86_64_PC32, &in, at), RELOC_TOO_FAR);
    assert_int_equal(reloc_apply(EM_X86_64, R_X86_64_32, &in, at), RELOC_TOO_FAR);
    assert_int_equal(reloc_apply(EM_X86_64, R_X86_64_64, &in, at), RELOC_OK);
    memcpy(&far, at, 8);
    assert_true(far == (UINT64_C(1) << 40) - 4);
    assert_int_equal(reloc_apply(EM_X86_64, R_X86_64_TLSGD, &in, at), RELOC_UNKNOWN);
    assert_int_equal(reloc_width(EM_X86_64, R_X86_64_64), 8);
    assert_int_equal(reloc_width(EM_X86_64, R_X86_64_PLT32), 4);
    assert_int_equal(reloc_width(EM_X86_64, R_X86_64_TLSGD), 0);
}

/* The words wanted are what an assembler makes of the instruction in the comment. */
static void test_relocations_of_aarch64(void **state)
{
    RelocInput in = {.symbol = 0x12345678, .slot = 0x12345008, .place = 0x12344000};
    uint8_t at[8] = {0};

    (void)state;
    /* bl .+0x1678 */
    assert_int_equal(word_after(EM_AARCH64, R_AARCH64_CALL26, in, 0x94000000), 0x9400059e);
    /* b.eq .+0x1678 */
    assert_int_equal(word_after(EM_AARCH64, R_AARCH64_CONDBR19, in, 0x54000000), 0x5400b3c0);
    /* adrp x0, .+0x1000 */
    assert_int_equal(word_after(EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, in, 0x90000000),
                     0xb0000000);
    /* add x0, x0, #0x678 */
    assert_int_equal(word_after(EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, in, 0x91000000), 0x9119e000);
    /* ldr x0, [x0, #0x678] */
    assert_int_equal(word_after(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, in, 0xf9400000),
                     0xf9433c00);
    /* ldr x0, [x0, #8] */
    assert_int_equal(word_after(EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC, in, 0xf9400000),
                     0xf9400400);
    in.symbol += 4; /* not a multiple of the access */
    assert_int_equal(reloc_apply(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, &in, at), RELOC_TOO_FAR);
    in.symbol = in.place + (1 << 28);
    assert_int_equal(reloc_apply(EM_AARCH64, R_AARCH64_CALL26, &in, at), RELOC_TOO_FAR);
}

/* loader.c */

/* Exercises constants, a table of addresses, a jump table, calls out and calls inside. */
static const char kernel_text[] =
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "static const float table[5] = {1, 2, 3, 4, 5};\n"
    "static float one(float x) { return x + table[0]; }\n"
    "static float two(float x) { return expf(x); }\n"
    "static float (*const functions[])(float) = {one, two, sinf};\n"
    "__attribute__((noinline)) int pick(int i) {\n"
    "    switch (i) { case 0: return 7; case 1: return -3; case 2: return 91; case 3: return 12;\n"
    "                 case 4: return 55; case 5: return 6; default: return 0; } }\n"
    "void tilec_kernel(const uint64_t *args, const int32_t grid[3], int64_t first, int64_t last,\n"
    "                  void *scratch) {\n"
    "    float *out = (float *)args[0];\n"
    "    float buffer[64];\n"
    "    memset(buffer, (int)args[1], sizeof buffer);\n"
    "    for (int64_t i = first; i < last; i++)\n"
    "        out[i] = functions[i % 3]((float)i) + pick(i % 7) + buffer[i % 64];\n"
    "}\n";

static float kernel_wants(int i)
{
    static const int picks[] = {7, -3, 91, 12, 55, 6, 0};
    float x = i % 3 == 0   ? (float)i + 1
              : i % 3 == 1 ? __builtin_expf((float)i)
                           : __builtin_sinf((float)i);

    return x + (float)picks[i % 7];
}

static void check_object(Scene *s, const char *flags)
{
    size_t len;
    char *object = compile(s, kernel_text, flags, &len);
    const char *why;
    Code *code;
    float out[64];
    uint64_t args[2] = {(uint64_t)(uintptr_t)out, 0};
    int32_t grid[3] = {40, 1, 1};

    assert_int_equal(code_load(object, len, &code, &why), RUN_OK);
    assert_null(code_symbol(code, "nothing"));
    assert_null(code_symbol(code, "one")); /* local */
    assert_non_null(code_symbol(code, "pick"));
    CpuKernel *kernel = (CpuKernel *)code_symbol(code, "tilec_kernel");
    assert_non_null(kernel);
    kernel(args, grid, 0, 40, NULL);
    for (int i = 0; i < 40; i++)
        assert_float_equal(out[i], kernel_wants(i), 1e-4f * __builtin_fabsf(kernel_wants(i)));
    code_free(code);
}

static void test_loader_runs_what_the_compiler_made(void **state)
{
    check_object(*state, "");
    check_object(*state, "-g");
    check_object(*state, "-ffunction-sections -fno-plt");
    check_object(*state, "-O0 -mcmodel=small");
}

static void test_loader_refuses_what_it_cannot_run(void **state)
{
    Scene *s = *state;
    size_t len;
    const char *why;
    Code *code;
    char *object = compile(
        s, "int puts(const char *); int tilec_kernel(void) { return puts(\"\"); }", "", &len);

    assert_int_equal(code_load(object, len, &code, &why), RUN_BAD_OBJECT);
    assert_non_null(strstr(why, "not provided"));
    assert_null(code);
    object = compile(s, "__thread int x; int tilec_kernel(void) { return x; }", "", &len);
    assert_int_equal(code_load(object, len, &code, &why), RUN_BAD_OBJECT);
    assert_int_equal(code_load("", 0, &code, &why), RUN_BAD_OBJECT);
    assert_int_equal(code_load("\177ELF", 4, &code, &why), RUN_BAD_OBJECT);
    object[EI_CLASS] = ELFCLASS32;
    assert_int_equal(code_load(object, len, &code, &why), RUN_BAD_OBJECT);
}

/* Every prefix, and thousands of objects with a few bytes changed: refused or loaded, no crash. */
static void test_loader_survives_hostile_objects(void **state)
{
    Scene *s = *state;
    size_t len;
    const char *object = compile(s, kernel_text, "", &len), *why;
    char *copy = malloc(len);
    uint64_t seed = own_seed(1);
    int refused = 0, rounds = 4000;
    Code *code;

    for (size_t n = 0; n < len; n += 1 + n / 64) {
        char *prefix = malloc(n + 1); /* exact, so that a read past the end is seen */
        memcpy(prefix, object, n);
        char *exact = realloc(prefix, n > 0 ? n : 1);
        assert_int_equal(code_load(exact, n, &code, &why), RUN_BAD_OBJECT);
        free(exact);
    }
    for (int round = 0; round < rounds; round++) {
        memcpy(copy, object, len);
        for (int k = 0; k <= round % 4; k++) {
            /* mostly the headers: they are few among many bytes */
            size_t at = round % 2 ? next_random(&seed) % len
                                  : len - 1 - next_random(&seed) % MIN(len, 64 * 20);
            copy[at] = (char)next_random(&seed);
        }
        refused += code_load(copy, len, &code, &why) != RUN_OK;
        code_free(code);
    }
    assert_true(refused > 0 && refused < rounds);
    free(copy);
}

/* cache.c */

/* An entry whose contents follow from its number. */
static GenOutput entry_for(Arena *a, uint64_t number)
{
    size_t len = 100 + number * 37 % 5000;
    GenOutput out = {.data = arena_alloc(a, len),
                     .len = len,
                     .scratch = number * 64,
                     .warps = (int)(number % 64),
                     .shared = number * 128,
                     .recipe = {.workspace = (int64_t)number * 256,
                                .workspace_arg = (int)(number % 9),
                                .nmaps = (int)(number % GEN_MAPS),
                                .maps[1] = {.rank = 2, .pointer = (int)(number % 7)}}};
    uint64_t seed = number;

    for (size_t i = 0; i < len; i++)
        out.data[i] = (char)next_random(&seed);
    return out;
}

static Hash128 key_for(uint64_t number)
{
    return hash128_bytes(&number, sizeof number);
}

static bool holds(Cache *c, Arena *a, uint64_t number)
{
    GenOutput wanted = entry_for(a, number), got;

    if (!cache_get(c, key_for(number), a, &got))
        return false;
    assert_int_equal(got.len, wanted.len);
    assert_int_equal(got.scratch, wanted.scratch);
    assert_int_equal(got.warps, wanted.warps);
    assert_int_equal(got.shared, wanted.shared);
    assert_int_equal(got.recipe.workspace, wanted.recipe.workspace);
    assert_int_equal(got.recipe.workspace_arg, wanted.recipe.workspace_arg);
    assert_int_equal(got.recipe.nmaps, wanted.recipe.nmaps);
    assert_memory_equal(got.recipe.maps, wanted.recipe.maps, sizeof wanted.recipe.maps);
    assert_memory_equal(got.data, wanted.data, wanted.len);
    return true;
}

static void put(Cache *c, Arena *a, uint64_t number)
{
    GenOutput out = entry_for(a, number);

    assert_int_equal(cache_put(c, key_for(number), &out), RUN_OK);
}

static char *path_of(Scene *s, uint64_t number)
{
    Hash128 k = key_for(number);

    return arena_printf(s->arena, "%s/%016llx%016llx.tilec", s->folder, (unsigned long long)k.hi,
                        (unsigned long long)k.lo);
}

static void test_cache_keeps_entries(void **state)
{
    Scene *s = *state;
    Cache *c;

    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    assert_string_equal(cache_folder(c), s->folder);
    assert_false(holds(c, s->arena, 1));
    put(c, s->arena, 1);
    put(c, s->arena, 2);
    put(c, s->arena, 2);
    assert_true(holds(c, s->arena, 1));
    assert_true(holds(c, s->arena, 2));
    assert_int_equal(count_files(s->folder, ".tilec"), 2);
    assert_int_equal(count_files(s->folder, ".tmp"), 0);
    cache_close(c);
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    assert_true(holds(c, s->arena, 1));
    cache_close(c);
}

static void test_cache_removes_damaged_entries(void **state)
{
    Scene *s = *state;
    Cache *c;
    char *data;
    size_t len;

    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    put(c, s->arena, 3);
    assert_int_equal(os_read_file(s->arena, path_of(s, 3), 1 << 20, &data, &len), 0);
    for (size_t at = 0; at < len; at += 1 + at / 32) {
        data[at] ^= 0x10;
        assert_int_equal(os_write_file(path_of(s, 3), data, len), 0);
        assert_false(holds(c, s->arena, 3));
        assert_int_equal(access(path_of(s, 3), F_OK), -1);
        data[at] ^= 0x10;
    }
    for (size_t n = 0; n < len; n += 1 + n / 8) {
        assert_int_equal(os_write_file(path_of(s, 3), data, n), 0);
        assert_false(holds(c, s->arena, 3));
        assert_int_equal(access(path_of(s, 3), F_OK), -1);
    }
    /* a sound entry under another key's name */
    assert_int_equal(os_write_file(path_of(s, 4), data, len), 0);
    assert_false(holds(c, s->arena, 4));
    assert_int_equal(os_write_file(path_of(s, 3), data, len), 0);
    assert_int_equal(chmod(path_of(s, 3), 0600), 0);
    assert_true(holds(c, s->arena, 3));
    cache_close(c);
}

static void check_dropped(Scene *s, Cache *c, uint64_t number)
{
    struct stat st;

    assert_false(holds(c, s->arena, number));
    assert_int_equal(lstat(path_of(s, number), &st), -1);
}

/* Whatever the umask, and whatever stands where an entry should. */
static void test_cache_entries_are_ours_alone(void **state)
{
    Scene *s = *state;
    const char *elsewhere = arena_printf(s->arena, "%s/elsewhere", s->folder);
    mode_t before = umask(0);
    struct stat st;
    Cache *c;

    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    put(c, s->arena, 6);
    assert_int_equal(stat(path_of(s, 6), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(chmod(path_of(s, 6), 0620), 0);
    check_dropped(s, c, 6);
    put(c, s->arena, 6);
    assert_int_equal(rename(path_of(s, 6), elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path_of(s, 6)), 0);
    check_dropped(s, c, 6);
    assert_int_equal(mkfifo(path_of(s, 6), 0600), 0);
    check_dropped(s, c, 6);
    assert_int_equal(symlink(elsewhere, path_of(s, 6)), 0);
    put(c, s->arena, 6);
    assert_true(holds(c, s->arena, 6));
    if (chown(path_of(s, 6), 12345, 12345) == 0) /* only root can give files away */
        check_dropped(s, c, 6);
    cache_close(c);
    umask(before);
}

/* The name of the folder is looked up once. */
static void test_cache_folder_is_relative_to_where_it_was_opened(void **state)
{
    Scene *s = *state;
    int before = open(".", O_RDONLY | O_DIRECTORY);
    char *sub = arena_printf(s->arena, "%s/sub", s->folder);
    Cache *c;

    assert_true(before >= 0);
    assert_int_equal(mkdir(sub, 0700), 0);
    assert_int_equal(chdir(s->folder), 0);
    assert_int_equal(cache_open("sub", &c), RUN_OK);
    assert_int_equal(chdir("/"), 0);
    put(c, s->arena, 7);
    assert_true(holds(c, s->arena, 7));
    assert_int_equal(count_files(sub, ".tilec"), 1);
    cache_trim(c);
    cache_remove(c, key_for(7));
    assert_int_equal(count_files(sub, ".tilec"), 0);
    cache_close(c);
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_int_equal(rmdir(sub), 0);
}

static void test_cache_keeps_nothing_that_makes_no_sense(void **state)
{
    Scene *s = *state;
    GenOutput out = entry_for(s->arena, 8);
    Cache *c;

    setenv("TILEC_CACHE_SIZE", "120", 1);
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    put(c, s->arena, 8);
    assert_int_equal(count_files(s->folder, ".tilec"), 0);
    cache_close(c);
    unsetenv("TILEC_CACHE_SIZE");
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    out.scratch = (size_t)1 << 40;
    assert_int_equal(cache_put(c, key_for(8), &out), RUN_OK);
    check_dropped(s, c, 8);
    out.scratch = 0;
    out.shared = (size_t)1 << 40;
    assert_int_equal(cache_put(c, key_for(8), &out), RUN_OK);
    check_dropped(s, c, 8);
    out.shared = 0;
    out.warps = -1;
    assert_int_equal(cache_put(c, key_for(8), &out), RUN_OK);
    check_dropped(s, c, 8);
    cache_close(c);
}

static void check_size(Scene *s, const char *size, bool used, bool problem)
{
    Cache *c;

    setenv("TILEC_CACHE_SIZE", size, 1);
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    if ((cache_folder(c) != NULL) != used || (cache_problem(c) != NULL) != problem)
        fail_msg("TILEC_CACHE_SIZE=`%s`: %s", size, cache_problem(c));
    cache_close(c);
    unsetenv("TILEC_CACHE_SIZE");
}

static void test_cache_sizes(void **state)
{
    static const char *const good[] = {"", "4096", "64k", "0.5M", "1G", "2t", "1e6"};
    static const char *const none[] = {"0", "0G"};
    static const char *const bad[] = {"5 ", "1GB", "0.5", "-1", "K", "much", "1e99", "nan"};

    for (int i = 0; i < COUNT(good); i++)
        check_size(*state, good[i], true, false);
    for (int i = 0; i < COUNT(none); i++)
        check_size(*state, none[i], false, false);
    for (int i = 0; i < COUNT(bad); i++)
        check_size(*state, bad[i], false, true);
}

static void set_used(Scene *s, uint64_t number, time_t when)
{
    struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};

    assert_int_equal(utimensat(AT_FDCWD, path_of(s, number), times, 0), 0);
}

static void test_cache_forgets_the_least_recently_used(void **state)
{
    Scene *s = *state;
    Cache *c;
    char *stray = arena_printf(s->arena, "%s/notes.txt", s->folder);
    char *left = arena_printf(s->arena, "%s/.tilec-1-2-3.tmp", s->folder);

    setenv("TILEC_CACHE_SIZE", "62.5K", 1);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is none this tests less */
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    assert_int_equal(os_write_file(stray, "mine", 4), 0);
    assert_int_equal(os_write_file(left, "dead", 4), 0);
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, left, old, 0), 0);
    for (uint64_t i = 0; i < 20; i++) {
        put(c, s->arena, i);
        set_used(s, i, 1000000 + (time_t)i);
    }
    assert_true(holds(c, s->arena, 0)); /* a hit makes it the youngest */
    for (uint64_t i = 20; i < 60; i++)
        put(c, s->arena, i);
    cache_trim(c);
    struct stat st;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < 60; i++)
        bytes += stat(path_of(s, i), &st) == 0 ? (uint64_t)st.st_size : 0;
    assert_true(bytes > 0 && bytes <= 64000);
    assert_false(holds(c, s->arena, 1));
    assert_true(holds(c, s->arena, 59));
    assert_int_equal(access(stray, F_OK), 0); /* not ours */
    assert_int_equal(access(left, F_OK), -1);
    cache_close(c);
    setlocale(LC_ALL, "C");
    unsetenv("TILEC_CACHE_SIZE");
}

static void test_cache_without_a_folder(void **state)
{
    Scene *s = *state;
    Cache *c;
    GenOutput out = entry_for(s->arena, 5);

    assert_int_equal(cache_open("", &c), RUN_OK);
    assert_null(cache_folder(c));
    assert_int_equal(cache_put(c, key_for(5), &out), RUN_OK);
    assert_false(cache_get(c, key_for(5), s->arena, &out));
    cache_trim(c);
    assert_null(cache_problem(c)); /* nobody wants one */
    cache_close(c);
    assert_int_equal(cache_open("/dev/null/no", &c), RUN_OK);
    assert_null(cache_folder(c));
    assert_non_null(strstr(cache_problem(c), "/dev/null/no is not used: Not a directory"));
    cache_close(c);
}

/* A warm folder that is shipped where nothing may be written. */
static void test_cache_that_is_only_read(void **state)
{
    Scene *s = *state;
    Cache *c;

    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    put(c, s->arena, 5);
    cache_close(c);
    assert_int_equal(chmod(s->folder, 0555), 0);
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    assert_true(holds(c, s->arena, 5));
    if (geteuid() != 0) /* root may write everywhere */
        assert_non_null(strstr(cache_problem(c), "is only read"));
    cache_close(c);
    assert_int_equal(chmod(s->folder, 0700), 0);
}

/* What others can write could be anything; it is not run, and the reason is told. */
static void test_cache_folder_of_others(void **state)
{
    Scene *s = *state;
    const mode_t open_modes[] = {0777, 0775, 0702};
    Cache *c;

    for (int i = 0; i < COUNT(open_modes); i++) {
        chmod(s->folder, open_modes[i]);
        assert_int_equal(cache_open(s->folder, &c), RUN_OK);
        assert_null(cache_folder(c));
        assert_non_null(strstr(cache_problem(c), "others may write to it"));
        assert_non_null(strstr(cache_problem(c), s->folder));
        cache_close(c);
    }
    chmod(s->folder, 0755);
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    assert_string_equal(cache_folder(c), s->folder);
    assert_null(cache_problem(c));
    cache_close(c);
    if (chown(s->folder, 12345, 12345) != 0)
        return; /* only root can give folders away */
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    assert_null(cache_folder(c));
    assert_non_null(strstr(cache_problem(c), "it belongs to another user"));
    cache_close(c);
    assert_int_equal(chown(s->folder, geteuid(), getegid()), 0);
}

static void test_cache_folder_from_the_environment(void **state)
{
    Scene *s = *state;
    char *saved = os_env("TILEC_CACHE_DIR") ? strdup(os_env("TILEC_CACHE_DIR")) : NULL;
    char *wanted = arena_printf(s->arena, "%s/tilec", s->folder);
    Cache *c;

    setenv("TILEC_CACHE_DIR", s->folder, 1);
    assert_int_equal(cache_open(NULL, &c), RUN_OK);
    assert_string_equal(cache_folder(c), s->folder);
    cache_close(c);
    unsetenv("TILEC_CACHE_DIR");
    setenv("XDG_CACHE_HOME", s->folder, 1);
    assert_int_equal(cache_open(NULL, &c), RUN_OK);
    assert_string_equal(cache_folder(c), wanted);
    cache_close(c);
    rmdir(wanted);
    unsetenv("XDG_CACHE_HOME");
    char *home = os_env("HOME") ? strdup(os_env("HOME")) : NULL;
    unsetenv("HOME");
    assert_int_equal(cache_open(NULL, &c), RUN_OK);
    assert_null(cache_folder(c));
    assert_non_null(strstr(cache_problem(c), "nor HOME says where"));
    cache_close(c);
    setenv("TILEC_CACHE_SIZE", "0", 1);
    assert_int_equal(cache_open(NULL, &c), RUN_OK);
    assert_null(cache_problem(c));
    cache_close(c);
    unsetenv("TILEC_CACHE_SIZE");
    if (home)
        setenv("HOME", home, 1);
    free(home);
    if (saved)
        setenv("TILEC_CACHE_DIR", saved, 1);
    free(saved);
}

enum { PROCESSES = 64, FEWER = 24, KEYS = 24 };

/* One of many processes on one folder: gets or puts every key in an order of its own. */
static int work_on_cache(Scene *s, int self)
{
    Cache *c;
    uint64_t seed = (uint64_t)self;

    if (cache_open(s->folder, &c) != RUN_OK)
        return 1;
    for (int i = 0; i < 3 * KEYS; i++) {
        uint64_t number = next_random(&seed) % KEYS;
        GenOutput wanted = entry_for(s->arena, number), got;

        if (!cache_get(c, key_for(number), s->arena, &got))
            cache_put(c, key_for(number), &wanted);
        else if (got.len != wanted.len || memcmp(got.data, wanted.data, got.len) != 0)
            return 2;
        if (self % 8 == 0 && i % 8 == 0)
            cache_trim(c);
    }
    cache_close(c);
    return 0;
}

static void check_many_processes(Scene *s)
{
    int status, processes = thorough() ? PROCESSES : FEWER;
    pid_t children[PROCESSES];

    for (int i = 0; i < processes; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(work_on_cache(s, i));
    }
    for (int i = 0; i < processes; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    assert_int_equal(count_files(s->folder, ".tmp"), 0);
}

static void test_cache_under_many_processes(void **state)
{
    Scene *s = *state;
    Cache *c;

    check_many_processes(s);
    assert_int_equal(cache_open(s->folder, &c), RUN_OK);
    for (uint64_t i = 0; i < KEYS; i++)
        assert_true(holds(c, s->arena, i));
    assert_int_equal(count_files(s->folder, ".tilec"), KEYS);
    cache_close(c);
}

/* With a cap that the entries exceed, so that some are removed while others read them. */
static void test_cache_under_many_processes_while_trimming(void **state)
{
    setenv("TILEC_CACHE_SIZE", "20000", 1);
    check_many_processes(*state);
    unsetenv("TILEC_CACHE_SIZE");
}

/* pool.c */

enum { ITEMS = 100000, MANY = 8 };

typedef struct {
    _Atomic uint8_t done[ITEMS];
    _Atomic int inside[MANY];
    bool came[MANY];
    size_t scratch;
    _Atomic bool clash;
} Tally;

/* When a worker comes first, though others have left their marks. */
static bool begins_cleared(const Tally *t, int worker, const char *scratch)
{
    bool cleared = true;

    for (size_t i = 0; i < MIN(t->scratch, (size_t)GEN_CLEARED) && !t->came[worker]; i++)
        cleared = cleared && scratch[i] == 0;
    return cleared;
}

static void tally(void *ctx, int64_t first, int64_t last, int worker, void *scratch)
{
    Tally *t = ctx;

    if (atomic_fetch_add(&t->inside[worker], 1) != 0)
        atomic_store(&t->clash, true);
    if (scratch) { /* nobody else writes here meanwhile */
        if (!begins_cleared(t, worker, scratch))
            atomic_store(&t->clash, true);
        t->came[worker] = true;
        memset(scratch, worker + 1, 1000);
        for (int64_t i = first; i < last; i++) {
            if (((char *)scratch)[i % 1000] != (char)(worker + 1))
                atomic_store(&t->clash, true);
        }
    }
    for (int64_t i = first; i < last; i++)
        atomic_fetch_add(&t->done[i], 1);
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void check_job(Pool *p, int64_t n, int64_t chunk, int threads, size_t scratch)
{
    Tally *t = calloc(1, sizeof *t);
    PoolJob job = {n, chunk, threads, scratch, tally, t};

    t->scratch = scratch;
    assert_int_equal(pool_run(p, &job), RUN_OK);
    assert_false(atomic_load(&t->clash));
    for (int64_t i = 0; i < ITEMS; i++)
        assert_int_equal(atomic_load(&t->done[i]), i < n);
    free(t);
}

static void test_pool_does_everything_once(void **state)
{
    static const int64_t counts[] = {0, 1, 2, 7, 1000, ITEMS};
    static const int64_t chunks[] = {1, 3, 1000, INT64_MAX};

    (void)state;
    for (int threads = 1; threads <= MANY; threads += 3) {
        Pool *p;
        assert_int_equal(pool_new(threads, &p), RUN_OK);
        assert_int_equal(pool_threads(p), threads);
        for (int i = 0; i < COUNT(counts); i++) {
            for (int k = 0; k < COUNT(chunks); k++)
                check_job(p, counts[i], chunks[k], i % 3, (size_t)k * 1000);
        }
        pool_free(p);
    }
    pool_free(NULL);
}

/* Many short jobs in a row, with pauses in between that let the helpers fall asleep. */
static void test_pool_wakes_up_again(void **state)
{
    Pool *p;
    Tally *t = calloc(1, sizeof *t);
    PoolJob job = {50, 1, 0, 0, tally, t};

    (void)state;
    assert_int_equal(pool_new(4, &p), RUN_OK);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(pool_run(p, &job), RUN_OK);
        for (int k = 0; k < 50; k++)
            assert_int_equal(atomic_load(&t->done[k]), (i + 1) % 256);
        if (i % 20 == 0)
            usleep(2000);
    }
    pool_free(p);
    free(t);
}

/* Of workers that all have come before one goes on: where each began. */
typedef struct {
    int64_t first[MANY];
    _Atomic int came;
} Beginnings;

static void note_beginning(void *ctx, int64_t first, int64_t last, int worker, void *scratch)
{
    Beginnings *b = ctx;

    (void)last;
    (void)scratch;
    if (b->first[worker] >= 0)
        return;
    b->first[worker] = first;
    atomic_fetch_add(&b->came, 1);
    while (atomic_load(&b->came) < MANY)
        usleep(10);
}

/* Two jobs alike: what a worker did of the first one it begins with in the second. */
static void test_pool_gives_workers_their_shares(void **state)
{
    static const int64_t counts[] = {MANY, 1000, 1003};
    Pool *p;

    (void)state;
    assert_int_equal(pool_new(MANY, &p), RUN_OK);
    for (int i = 0; i < COUNT(counts); i++) {
        Beginnings b;
        PoolJob job = {counts[i], 1, 0, 0, note_beginning, &b};
        for (int in_order = 0; in_order < 2; in_order++) {
            bool began[MANY] = {false};
            job.in_order = in_order;
            memset(b.first, -1, sizeof b.first);
            atomic_store(&b.came, 0);
            assert_int_equal(pool_run(p, &job), RUN_OK);
            for (int64_t w = 0, at = 0; w < MANY; w++) {
                assert_true(in_order || b.first[w] == at);
                at += counts[i] / MANY + (w < counts[i] % MANY);
                if (in_order) {
                    assert_in_range(b.first[w], 0, MANY - 1);
                    began[b.first[w]] = true;
                }
            }
            for (int w = 0; in_order && w < MANY; w++)
                assert_true(began[w]);
        }
    }
    pool_free(p);
}

static void *launch_often(void *pool)
{
    for (int i = 0; i < 20; i++)
        check_job(pool, 1000 + i, 7, 0, 2000);
    return NULL;
}

static void test_pool_takes_jobs_of_several_threads(void **state)
{
    pthread_t threads[6];
    Pool *p;

    (void)state;
    assert_int_equal(pool_new(4, &p), RUN_OK);
    for (int i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, p), 0);
    for (int i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    pool_free(p);
}

static void test_pool_refuses_impossible_scratch(void **state)
{
    Pool *p;
    Tally *t = calloc(1, sizeof *t);
    PoolJob job = {50, 1, 0, SIZE_MAX / 2 + 1, tally, t};

    (void)state;
    assert_int_equal(pool_new(2, &p), RUN_OK);
    assert_int_equal(pool_run(p, &job), RUN_NO_MEMORY);
    assert_int_equal(atomic_load(&t->done[0]), 0);
    check_job(p, 500, 1, 0, 1000); /* and goes on */
    pool_free(p);
    free(t);
}

static int threads_at_start; /* sanitizers have some of their own */

/* Jobs for one thread start no others, whatever scratch they need. */
static void test_pool_starts_threads_when_they_are_needed(void **state)
{
    int before = thread_count(threads_at_start);
    Pool *p;

    (void)state;
    assert_int_equal(pool_new(4, &p), RUN_OK);
    assert_int_equal(pool_threads(p), 4);
    check_job(p, 1000, 1, 1, 1 << 20);
    check_job(p, 1000, 1000, 0, 1 << 20);
    assert_int_equal(thread_count(before), before);
    check_job(p, 1000, 1, 0, 1 << 20);
    assert_int_equal(thread_count(before + 3), before + 3);
    check_job(p, 1000, 1, 2, 0);
    assert_int_equal(thread_count(before + 3), before + 3);
    pool_free(p);
    assert_int_equal(pool_new(4, &p), RUN_OK);
    pool_free(p); /* that never had a thread */
    assert_int_equal(thread_count(before), before);
}

/* The child has no helpers any more, and must neither hang nor lose work.  Those of a pool that had
 * none yet are its own. */
static void test_pool_after_fork(void **state)
{
    Pool *p, *late;
    int status;

    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* TSan does not support threads around a fork */
#endif
    assert_int_equal(pool_new(4, &p), RUN_OK);
    assert_int_equal(pool_new(4, &late), RUN_OK);
    check_job(p, 1000, 1, 0, 0);
    pid_t child = fork();
    if (child == 0) {
        check_job(p, 1000, 1, 0, 1000);
        check_job(late, 1000, 1, 0, 1000);
        pool_free(p);
        pool_free(late);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_job(p, 1000, 1, 0, 0);
    check_job(late, 1000, 1, 0, 0);
    pool_free(p);
    pool_free(late);
}

/* launch.c */

typedef struct {
    _Atomic int64_t programs, calls;
    size_t scratch;
    _Atomic bool bad_scratch;
} Count;

static void count_kernel(const uint64_t *args, const int32_t grid[3], int64_t first, int64_t last,
                         void *scratch)
{
    Count *c = (Count *)(uintptr_t)args[0];

    if (c->scratch == 0 ? scratch != NULL : (uintptr_t)scratch % 64 != 0 || !scratch)
        atomic_store(&c->bad_scratch, true);
    if (c->scratch > 0)
        memset(scratch, 1, c->scratch);
    if (last > (int64_t)grid[0] * grid[1] * grid[2])
        atomic_store(&c->bad_scratch, true);
    atomic_fetch_add(&c->programs, last - first);
    atomic_fetch_add(&c->calls, 1);
}

static RunStatus launch_count(Pool *p, int32_t x, int32_t y, int32_t z, size_t scratch, Count *c)
{
    uint64_t args[1] = {(uint64_t)(uintptr_t)c};
    _Atomic uint32_t cost = 0;
    CpuLaunch l = {count_kernel, scratch, args, {x, y, z}, 0, &cost};

    *c = (Count){.scratch = scratch};
    RunStatus status = cpu_launch(p, &l);
    if (status == RUN_OK && (int64_t)x * y * z > 0) {
        assert_int_equal(atomic_load(&c->programs), (int64_t)x * y * z);
        assert_false(atomic_load(&c->bad_scratch));
        /* once more, now that the cost is known */
        *c = (Count){.scratch = scratch};
        assert_int_equal(cpu_launch(p, &l), RUN_OK);
        assert_int_equal(atomic_load(&c->programs), (int64_t)x * y * z);
    }
    return status;
}

enum { SPLIT = 24 };

/* What parts of programs were run, of four programs. */
typedef struct {
    _Atomic int times[4 * SPLIT];
    _Atomic int parts;
} PartCount;

static void part_kernel(const uint64_t *args, const int32_t grid[4], int64_t first, int64_t last,
                        void *scratch)
{
    PartCount *c = (PartCount *)(uintptr_t)args[0];
    double end = os_seconds() + 20e-6 * (double)(last - first);

    (void)scratch;
    atomic_store(&c->parts, grid[GEN_PARTS / sizeof *grid]);
    for (int64_t i = first; i < last; i++)
        atomic_fetch_add(&c->times[i], 1);
    while (os_seconds() < end)
        continue;
}

static int launch_in_parts(Pool *p, int programs, uint32_t cost, Watch *watch)
{
    PartCount c = {0};
    uint64_t args[] = {(uint64_t)(uintptr_t)&c};
    _Atomic uint32_t known = cost;
    const CpuLaunch l = {.entry = part_kernel,
                         .args = args,
                         .grid = {programs, 1, 1},
                         .cost = &known,
                         .watch = watch,
                         .parts = SPLIT};

    assert_int_equal(cpu_launch(p, &l), RUN_OK);
    int parts = atomic_load(&c.parts);
    for (int i = 0; i < 4 * SPLIT; i++)
        assert_int_equal(atomic_load(&c.times[i]), i < programs * parts);
    cost = cost == 0 ? atomic_load(&known) : 0; /* 0: others were there before the caller */
    assert_true(cost == 0 || cost > 15000 * (unsigned)parts);
    return parts;
}

/* Each part once; as many as threads can use, of work that is worth it. */
static void test_launch_runs_every_part(void **state)
{
    static const int threads[] = {1, 2, 3, 16};
    int64_t begun, ended;
    Pool *p;

    (void)state;
    for (int i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pool_new(threads[i], &p), RUN_OK);
        for (int programs = 1; programs <= 4; programs++) {
            bool fills = programs >= threads[i];
            int each = (threads[i] + programs - 1) / programs;
            assert_int_equal(launch_in_parts(p, programs, 0, NULL), fills ? 1 : each);
            int most = MIN((4 * threads[i] + programs - 1) / programs, SPLIT);
            assert_int_equal(launch_in_parts(p, programs, 100000000, NULL), fills ? 1 : most);
            assert_int_equal(launch_in_parts(p, programs, 900, NULL), 1);
        }
        Watch *w = watch_new(2, threads[i]);
        launch_in_parts(p, 2, 0, w);
        assert_int_equal(watch_look(w, NULL, 0, &begun, &ended), 0);
        assert_int_equal(begun, 2);
        assert_int_equal(ended, 2);
        watch_free(w);
        pool_free(p);
    }
}

static void test_launch_runs_every_program(void **state)
{
    static const size_t scratches[] = {0, 64, 4096, 4160, 3 << 20};
    Pool *p;
    Count c;

    (void)state;
    assert_int_equal(pool_new(3, &p), RUN_OK);
    for (int i = 0; i < COUNT(scratches); i++) {
        Pool *pools[] = {p, NULL};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(launch_count(pools[k], 1, 1, 1, scratches[i], &c), RUN_OK);
            assert_int_equal(launch_count(pools[k], 5, 7, 3, scratches[i], &c), RUN_OK);
            assert_int_equal(launch_count(pools[k], 1, 1, 1000, scratches[i], &c), RUN_OK);
        }
    }
    pool_free(p);
}

static void test_launch_checks_the_grid(void **state)
{
    static const int32_t huge[3] = {INT32_MAX, INT32_MAX, 2}, most[3] = {INT32_MAX, INT32_MAX, 1};
    static const int32_t none[3] = {INT32_MAX, INT32_MAX, 0}, zero[3] = {0, INT32_MAX, INT32_MAX};
    static const int32_t negative[3] = {0, -1, 1};
    Count c;

    (void)state;
    assert_int_equal(grid_programs(huge), -1);
    assert_true(grid_programs(most) == (int64_t)INT32_MAX * INT32_MAX);
    assert_int_equal(grid_programs(none), 0);
    assert_int_equal(grid_programs(zero), 0);
    assert_int_equal(grid_programs(negative), -1);
    assert_int_equal(launch_count(NULL, 0, 5, 5, 0, &c), RUN_OK);
    assert_int_equal(atomic_load(&c.calls), 0);
    assert_int_equal(launch_count(NULL, -1, 5, 5, 0, &c), RUN_BAD_GRID);
    assert_int_equal(launch_count(NULL, INT32_MAX, INT32_MAX, INT32_MAX, 0, &c), RUN_BAD_GRID);
    assert_int_equal(atomic_load(&c.calls), 0);
}

enum { WAITING = 3 };

/* Each program waits for the next one, but not for ever. */
static void waiting_kernel(const uint64_t *args, const int32_t grid[3], int64_t first, int64_t last,
                           void *scratch)
{
    _Atomic int *there = (_Atomic int *)(uintptr_t)args[0];

    (void)scratch;
    for (int64_t p = first; p < last; p++) {
        double end = os_seconds() + 300; /* more than a busy machine can keep the others waiting */
        atomic_store(&there[p], 1);
        while (p + 1 < grid[0] && !atomic_load(&there[p + 1]) && os_seconds() < end)
            sched_yield();
        atomic_fetch_add(&there[WAITING], p + 1 == grid[0] || atomic_load(&there[p + 1]));
    }
}

static void test_programs_that_wait_get_all_threads(void **state)
{
    _Atomic int there[WAITING + 1]; /* .. and how many saw the next one */
    uint64_t args[] = {(uint64_t)(uintptr_t)there};
    _Atomic uint32_t cost = 1; /* such that one thread would do */
    CpuLaunch l = {.entry = waiting_kernel,
                   .args = args,
                   .grid = {WAITING, 1, 1},
                   .cost = &cost,
                   .waits = true};
    Pool *p;

    (void)state;
    assert_int_equal(pool_new(WAITING, &p), RUN_OK);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i <= WAITING; i++)
            atomic_store(&there[i], 0);
        assert_int_equal(cpu_launch(p, &l), RUN_OK);
        assert_int_equal(atomic_load(&there[WAITING]), WAITING);
    }
    pool_free(p);
}

/* Adds to a number, with a lock unless it is told that it needs none, and launches itself again,
 * of which it then is told nothing of the kind. */
typedef struct {
    _Atomic int64_t sum;
    _Atomic int alone, locked;
    Pool *pool;
    bool again;
} Adding;

static void adding_kernel(const uint64_t *args, const int32_t grid[3], int64_t first, int64_t last,
                          void *scratch)
{
    Adding *a = (Adding *)(uintptr_t)args[0];
    bool alone = *(int64_t *)((char *)scratch + GEN_ALONE) != 0;

    (void)grid;
    for (int64_t p = first; p < last; p++) {
        if (alone)
            atomic_store(&a->sum, atomic_load(&a->sum) + 1);
        else
            atomic_fetch_add(&a->sum, 1);
    }
    atomic_fetch_add(alone ? &a->alone : &a->locked, 1);
    if (!a->again)
        return;
    a->again = false;
    CpuLaunch l = {adding_kernel, GEN_CLEARED, args, {1, 1, 1}, 1, .atomics = true};
    assert_int_equal(cpu_launch(NULL, &l), RUN_OK);
}

static void *add_often(void *adding)
{
    Adding *a = adding;
    uint64_t args[] = {(uint64_t)(uintptr_t)a};

    for (int i = 0; i < 300; i++) {
        CpuLaunch l = {adding_kernel, GEN_CLEARED,         args,
                       {100, 1, 1},   i % 10 == 0 ? 2 : 1, .atomics = true};
        assert_int_equal(cpu_launch(a->pool, &l), RUN_OK);
    }
    return NULL;
}

static void test_atomics_of_one_thread_need_no_locks(void **state)
{
    enum { THREADS = 4 };
    Adding a = {.again = true};
    uint64_t args[] = {(uint64_t)(uintptr_t)&a};
    CpuLaunch l = {adding_kernel, GEN_CLEARED, args, {5, 1, 1}, 1, .atomics = true};
    pthread_t threads[THREADS];

    (void)state;
    assert_int_equal(pool_new(2, &a.pool), RUN_OK);
    assert_int_equal(cpu_launch(a.pool, &l), RUN_OK);
    assert_int_equal(a.sum, 6);
    assert_int_equal(a.alone, 1);
    assert_int_equal(a.locked, 1);
    l.atomics = false;
    assert_int_equal(cpu_launch(a.pool, &l), RUN_OK);
    assert_int_equal(a.locked, 2);
    l = (CpuLaunch){adding_kernel, GEN_CLEARED, args, {5, 1, 1}, 1, .atomics = true, .waits = true};
    assert_int_equal(cpu_launch(a.pool, &l), RUN_OK);
    assert_int_equal(a.alone, 1);
    atomic_store(&a.sum, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_often, &a), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(a.sum, THREADS * 300 * 100);
    pool_free(a.pool);
}

/* .. and it is chosen where it takes less time, which is tried where that does not take long. */
static void test_one_thread_is_chosen_for_atomics(void **state)
{
    static const struct {
        uint32_t cost, alone;
        bool is_alone;
    } cases[] = {{0, 0, false},
                 {100000, 0, true},
                 {UINT32_MAX, 0, false},
                 {100000, 40000, true},
                 {100000, 60000, false}};
    Adding a = {0};
    uint64_t args[] = {(uint64_t)(uintptr_t)&a};

    (void)state;
    assert_int_equal(pool_new(2, &a.pool), RUN_OK);
    for (int i = 0; i < COUNT(cases); i++) {
        _Atomic uint32_t cost = cases[i].cost, alone = cases[i].alone;
        CpuLaunch l = {.entry = adding_kernel,
                       .scratch = GEN_CLEARED,
                       .args = args,
                       .grid = {1000, 1, 1},
                       .atomics = true,
                       .cost = &cost,
                       .alone_cost = &alone};
        atomic_store(&a.alone, 0);
        assert_int_equal(cpu_launch(a.pool, &l), RUN_OK);
        assert_int_equal(atomic_load(&a.alone), cases[i].is_alone);
        assert_true(cases[i].is_alone ? cost == cases[i].cost && alone > 0
                                      : cost > 0 && alone == cases[i].alone);
    }
    assert_int_equal(a.sum, 1000 * COUNT(cases));
    pool_free(a.pool);
}

/* plugin.c */

static void test_plugin_says_why_not(void **state)
{
    Scene *s = *state;
    const char *why = NULL;
    char *saved = os_env("TILEC_PLUGIN") ? strdup(os_env("TILEC_PLUGIN")) : NULL;

    setenv("TILEC_PLUGIN", "/nowhere/tilec-llvm.so", 1);
    assert_null(run_plugin(s->arena, &why));
    assert_non_null(strstr(why, "/nowhere/tilec-llvm.so"));
    setenv("TILEC_PLUGIN", "./tilec-llvm.so", 1);
    assert_null(run_plugin(s->arena, &why));
    assert_string_equal(why, "TILEC_PLUGIN is no absolute path: ./tilec-llvm.so");
    assert_int_equal(strlen(run_build_id()), 32);
    unsetenv("TILEC_PLUGIN");
    if (saved)
        setenv("TILEC_PLUGIN", saved, 1);
    free(saved);
}

/* A copy that was cut off: to load it would be a SIGBUS, or worse. */
static void test_plugin_that_was_cut_off_is_not_loaded(void **state)
{
    Scene *s = *state;
    const char *copy = arena_printf(s->arena, "%s/cut.so", s->folder), *why = NULL;
    char *bytes;
    size_t n;

    assert_int_equal(os_read_file(s->arena, "/proc/self/exe", (size_t)1 << 30, &bytes, &n), 0);
    for (size_t kept = n - 1; kept > 64; kept /= 2) {
        assert_int_equal(os_write_file(copy, bytes, kept), 0);
        assert_false(os_library_is_whole(copy));
        assert_null(run_plugin_at(s->arena, copy, &why));
        assert_non_null(strstr(why, "its end is missing"));
    }
    assert_int_equal(os_write_file(copy, bytes, n), 0);
    assert_true(os_library_is_whole(copy));
    assert_int_equal(os_write_file(copy, "text", 4), 0);
    assert_true(os_library_is_whole(copy));
    assert_null(run_plugin_at(s->arena, copy, &why));
    assert_non_null(strstr(why, "cut.so"));
    assert_int_equal(unlink(copy), 0);
}

static void says(const char *why, const char *words)
{
    assert_non_null(why);
    if (!strstr(why, words))
        fail_msg("wanted: %s\ngot: %s", words, why);
}

/* Why a plugin is not taken for this library; NULL where one is, or where there is none. */
static const char *reason_against(Scene *s, const char *library)
{
    const char *why = NULL, *path = run_plugin_path(s->arena, library, NULL, &why);

    assert_true(!path || !why);
    return why;
}

/* The folder above the library's may be one that everybody writes to. */
static void test_plugin_of_a_stranger_is_not_found(void **state)
{
    Scene *s = *state;
    const char *sub = arena_printf(s->arena, "%s/sub", s->folder);
    const char *library = arena_printf(s->arena, "%s/libtilec.so", sub);
    const char *plugin = arena_printf(s->arena, "%s/tilec-llvm.so", s->folder);

    assert_int_equal(mkdir(sub, 0700), 0);
    assert_int_equal(os_write_file(library, "", 0), 0);
    assert_null(reason_against(s, library)); /* there is none */
    assert_int_equal(os_write_file(plugin, "", 0), 0);
    assert_null(reason_against(s, library));
    assert_int_equal(chmod(plugin, 0666), 0);
    says(reason_against(s, library), "tilec-llvm.so may be written by everybody");
    says(reason_against(s, library), "chmod o-w /");
    assert_int_equal(chmod(plugin, 0644), 0);
    assert_int_equal(chmod(s->folder, 0777), 0); /* everybody may put another one there */
    says(reason_against(s, library), "/ may be written by everybody");
    assert_int_equal(chmod(s->folder, 0700), 0);
    if (chown(plugin, 12345, 12345) == 0) { /* only root can give files away */
        says(reason_against(s, library), "tilec-llvm.so belongs to another user");
        assert_int_equal(chown(sub, 12345, 12345),
                         0); /* the owner of a folder counts for nothing */
        says(reason_against(s, library), "tilec-llvm.so belongs to another user");
        assert_int_equal(chown(library, 12345, 12345), 0);
        assert_null(reason_against(s, library));
        /* one that is not trusted does not hide another one */
        const char *beside = arena_printf(s->arena, "%s/tilec-llvm.so", sub), *why = NULL;
        assert_int_equal(os_write_file(beside, "", 0), 0);
        assert_int_equal(chmod(beside, 0666), 0);
        assert_string_equal(run_plugin_path(s->arena, library, NULL, &why),
                            arena_printf(s->arena, "%s/../tilec-llvm.so", sub));
        assert_int_equal(unlink(beside), 0);
    }
    assert_int_equal(unlink(library), 0);
    assert_int_equal(rmdir(sub), 0);
}

/* A name without its folder, as argv[0] may be, means whatever folder the process stands in. */
static void test_plugin_is_not_looked_for_in_the_current_folder(void **state)
{
    Scene *s = *state;
    const char *plugin = arena_printf(s->arena, "%s/tilec-llvm.so", s->folder);
    char *here = getcwd(NULL, 0);
    const char *why = NULL;

    assert_int_equal(os_write_file(plugin, "", 0), 0);
    assert_int_equal(chdir(s->folder), 0);
    assert_null(run_plugin_path(s->arena, "tilec-llvm.so", NULL, &why));
    assert_null(run_plugin_path(s->arena, "./tilec-llvm.so", NULL, &why));
    assert_int_equal(chdir(here), 0);
    free(here);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_agrees_with_the_compiler),
        cmocka_unit_test(test_relocations_of_x86),
        cmocka_unit_test(test_relocations_of_aarch64),
        TEST(test_loader_runs_what_the_compiler_made),
        TEST(test_loader_refuses_what_it_cannot_run),
        TEST(test_loader_survives_hostile_objects),
        TEST(test_cache_keeps_entries),
        TEST(test_cache_removes_damaged_entries),
        TEST(test_cache_entries_are_ours_alone),
        TEST(test_cache_folder_is_relative_to_where_it_was_opened),
        TEST(test_cache_keeps_nothing_that_makes_no_sense),
        TEST(test_cache_sizes),
        TEST(test_cache_forgets_the_least_recently_used),
        TEST(test_cache_without_a_folder),
        TEST(test_cache_that_is_only_read),
        TEST(test_cache_folder_of_others),
        TEST(test_cache_folder_from_the_environment),
        TEST(test_cache_under_many_processes),
        TEST(test_cache_under_many_processes_while_trimming),
        cmocka_unit_test(test_pool_does_everything_once),
        cmocka_unit_test(test_pool_gives_workers_their_shares),
        cmocka_unit_test(test_pool_wakes_up_again),
        cmocka_unit_test(test_pool_takes_jobs_of_several_threads),
        cmocka_unit_test(test_pool_refuses_impossible_scratch),
        cmocka_unit_test(test_pool_starts_threads_when_they_are_needed),
        cmocka_unit_test(test_pool_after_fork),
        cmocka_unit_test(test_launch_runs_every_part),
        cmocka_unit_test(test_launch_runs_every_program),
        cmocka_unit_test(test_launch_checks_the_grid),
        cmocka_unit_test(test_programs_that_wait_get_all_threads),
        cmocka_unit_test(test_atomics_of_one_thread_need_no_locks),
        cmocka_unit_test(test_one_thread_is_chosen_for_atomics),
        TEST(test_plugin_says_why_not),
        TEST(test_plugin_that_was_cut_off_is_not_loaded),
        TEST(test_plugin_of_a_stranger_is_not_found),
        TEST(test_plugin_is_not_looked_for_in_the_current_folder),
    };

    threads_at_start = threads_now();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
