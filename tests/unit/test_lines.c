/*
 * test_lines.c - lines by address: what the code generator writes, and bytes that nobody wrote
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/run/run.h"
#include "../../src/device_cpu/device_cpu.h"
#include "interp_text.h"

static const char kernel[] = "kernel @k(%p: *fp32) {\n"
                             "  %x = load %p : fp32\n"
                             "  %y = mul %x, %x : fp32\n"
                             "  store %p, %y\n"
                             "  return\n"
                             "}\n";

/* An object with lines. */
static GenOutput make_object(Arena *a)
{
    const char *why = NULL;
    const GenPlugin *plugin = run_plugin(a, &why);
    Diags *d = diags_new(a, NULL);
    GenOptions o = {.cpu = host_cpu_name(), .features = host_cpu_features(), .lines = true};
    GenOutput out;

    if (!plugin)
        fail_msg("no code generator: %s", why);
    assert_true(plugin->targets[0]->emit(kernel_of(a, kernel, d), &o, GEN_OBJECT, a, &out, d));
    return out;
}

typedef struct {
    int line[8], n;
} Seen;

static void note(void *seen, const char *file, int line)
{
    Seen *s = seen;

    assert_true((file != NULL) == (line > 0));
    assert_true(line <= 4);
    if (line > 0)
        s->line[line]++;
    s->n++;
}

static void test_loaded_code_knows_its_lines(void **state)
{
    Arena *a = arena_new(NULL);
    GenOutput object = make_object(a);
    const char *why;
    Code *code;
    Seen seen = {0}, later = {0};

    (void)state;
    assert_int_equal(code_load(object.data, object.len, &code, &why), RUN_OK);
    uint64_t start = (uint64_t)(uintptr_t)code_symbol(code, "tilec_kernel");
    for (uint64_t at = start; at < start + 400; at++)
        debugger_lines(&at, 1, note, &seen);
    assert_true(seen.line[2] > 0);
    const uint64_t elsewhere[] = {0, (uint64_t)(uintptr_t)&later};
    debugger_lines(elsewhere, 2, note, &later);
    code_free(code);
    debugger_lines(&start, 1, note, &later);
    assert_int_equal(later.n, 3);
    assert_int_equal(later.line[2], 0);
    arena_free(a);
}

static uint64_t no_address(const void *ctx, uint64_t offset)
{
    (void)ctx;
    return offset;
}

static const Elf64_Shdr *find_section(const GenOutput *o, const char *name)
{
    const Elf64_Ehdr *head = (const void *)o->data;
    const Elf64_Shdr *s = (const void *)(o->data + head->e_shoff);
    const char *names = o->data + s[head->e_shstrndx].sh_offset;

    for (int i = 0; i < head->e_shnum; i++) {
        if (strcmp(names + s[i].sh_name, name) == 0)
            return &s[i];
    }
    fail_msg("no section %s", name);
    return NULL;
}

/* Whatever is read, looking for a line ends, and a row's file is one of the table's. */
static void read_any(const char *bytes, size_t len)
{
    char *exact = malloc(len + 1); /* so that sanitizers see what reads beyond the end */

    memcpy(exact, bytes, len);
    LineTable *t = line_table_read(exact, len, no_address, NULL);
    for (int i = 0; t && i < t->n; i++) {
        const LineRow *row = line_table_find(t, t->rows[i].address);
        assert_true(!row || (row->file >= 0 && row->file < LINE_FILES));
    }
    line_table_free(t);
    free(exact);
}

static void test_damaged_lines_do_no_harm(void **state)
{
    Arena *a = arena_new(NULL);
    GenOutput object = make_object(a);
    const Elf64_Shdr *s = find_section(&object, ".debug_line");
    char *bytes = arena_strndup(a, object.data + s->sh_offset, s->sh_size);
    uint32_t seed = 1;

    (void)state;
    for (size_t len = 0; len <= s->sh_size; len++)
        read_any(bytes, len);
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t at = (seed >> 8) % s->sh_size;
        char before = bytes[at];
        bytes[at] = (char)(seed >> 24);
        read_any(bytes, s->sh_size);
        if (i % 3 != 0)
            bytes[at] = before;
        if (i % 64 == 0)
            memcpy(bytes, object.data + s->sh_offset, s->sh_size);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loaded_code_knows_its_lines),
                                       cmocka_unit_test(test_damaged_lines_do_no_harm)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
