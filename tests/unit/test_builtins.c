/*
 * test_builtins.c - the names of arguments in the table of the language's functions
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/lower/lower.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

static const char *const names[] = {
#define ARGUMENT(name) #name,
#include "../../src/lower/arguments.h"
};

static const struct {
    const char *name, *signature;
} rows[] = {
#define BUILTIN(name, where, data, signature, handler) {name, signature},
#include "../../src/tl/builtins.h"
};

/* The next word of a signature without its star and default, and what is behind it; NULL: none. */
static const char *next_word(const char *at, char word[64])
{
    at += strspn(at, " *");
    size_t n = strcspn(at, " =");

    assert_true(n < 64);
    memcpy(word, at, n);
    word[n] = '\0';
    return n > 0 ? at + strcspn(at, " ") : NULL;
}

static bool is_in(const char *signature, const char *name)
{
    char word[64];

    for (const char *at = signature; (at = next_word(at, word)) != NULL;) {
        if (strcmp(word, name) == 0)
            return true;
    }
    return false;
}

/* builtin.c searches by halves. */
static void test_names_are_in_order(void **state)
{
    (void)state;
    assert_int_equal(COUNT(names), ARG_COUNT);
    for (int i = 1; i < COUNT(names); i++) {
        if (strcmp(names[i - 1], names[i]) >= 0)
            fail_msg("arguments.h: `%s` comes before `%s`", names[i], names[i - 1]);
    }
}

static void test_every_word_of_a_signature_is_a_name(void **state)
{
    char word[64];

    (void)state;
    for (int r = 0; r < COUNT(rows); r++) {
        int n = 0;
        for (const char *at = rows[r].signature; (at = next_word(at, word)) != NULL; n++) {
            int i = 0;
            while (i < COUNT(names) && strcmp(names[i], word) != 0)
                i++;
            if (i == COUNT(names))
                fail_msg("arguments.h lacks `%s` of %s", word, rows[r].name);
        }
        assert_true(n <= BUILTIN_MAX_PARAMS);
    }
}

static void test_every_name_is_in_a_signature(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(names); i++) {
        int r = 0;
        while (r < COUNT(rows) && !is_in(rows[r].signature, names[i]))
            r++;
        if (r == COUNT(rows))
            fail_msg("arguments.h: no signature has `%s`", names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_in_order),
        cmocka_unit_test(test_every_word_of_a_signature_is_a_name),
        cmocka_unit_test(test_every_name_is_in_a_signature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
