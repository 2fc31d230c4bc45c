/*
 * test_python.c - one Python everywhere: each expression of tests/lang/python_everywhere.txt has
 * the same value in a constexpr_function, in a heuristic and on the command line
 */
#include "help.h"

#include <stdio.h>

/* A kernel whose F is what a constexpr_function gives, and H what a heuristic does. */
static const char file_text[] =
    "import itertools\nimport math\nimport numpy\nimport triton\nimport triton.language as tl\n"
    "@triton.constexpr_function\ndef f():\n    return str([%s])\n"
    "@triton.heuristics({'H': lambda args: str([%s])})\n"
    "@triton.jit\n"
    "def k(x, H: tl.constexpr, F: tl.constexpr = f()): pass\n";

static const char *of_function(const tilec_file *f)
{
    tilec_param p;

    assert_int_equal(tilec_param_info(f, "k", 2, &p), TILEC_OK);
    return p.has_value && p.value.kind == TILEC_ARG_STRING ? p.value.text : "!";
}

static const char *of_heuristic(tilec_file *f)
{
    const tilec_arg x = {.name = "x", .kind = TILEC_ARG_INT, .integer = 7};
    tilec_arg value;
    char *error = NULL;
    tilec_status status = tilec_param_value(f, "k", 1, &x, 1, NULL, &value, &error);

    tilec_free(error);
    return status == TILEC_OK ? value.text : "!";
}

static const char *of_command_line(Cli *c, const char *expression)
{
    const Names none = {0};
    Const v;

    if (setjmp(c->guard.env) != 0)
        return "!";
    v = value_parse(&c->store, &none, "v", arena_printf(c->arena, "str([%s])", expression));
    return const_str(&v, c->arena);
}

static void compare(const char *where, const char *expression, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("%s in a %s gives %s, not %s", expression, where, got, want);
}

static void check_expression(Cli *c, const char *expression, const char *want)
{
    const char *text = arena_printf(c->arena, file_text, expression, expression);
    char *error = NULL;
    tilec_file *f;

    if (tilec_load_string(c->tilec, "test.py", text, strlen(text), &f, &error) != TILEC_OK)
        fail_msg("%s: %s", expression, error);
    compare("constexpr_function", expression, of_function(f), want);
    compare("heuristic", expression, of_heuristic(f), want);
    compare("value of the command line", expression, of_command_line(c, expression), want);
    tilec_unload(f);
}

static void test_one_python_everywhere(void **state)
{
    Cli *c = *state;
    const char *path =
        arena_printf(c->arena, "%s/tests/lang/python_everywhere.txt", getenv("TILEC_SOURCE"));
    FILE *file = fopen(path, "r");
    char line[512];
    int n = 0;

    assert_non_null(file);
    assert_int_equal(tilec_open(NULL, &c->tilec, NULL), TILEC_OK);
    while (fgets(line, sizeof line, file)) {
        char *equals = NULL;

        line[strcspn(line, "\n")] = '\0';
        for (char *s = line; (s = strstr(s, " == ")); s++)
            equals = s;
        if (line[0] == '#' || !equals)
            continue;
        *equals = '\0';
        check_expression(c, line, equals + strlen(" == "));
        n++;
    }
    fclose(file);
    assert_true(n > 75);
    tilec_close(c->tilec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_python_everywhere, open_cli, close_cli),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
