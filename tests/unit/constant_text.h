/*
 * constant_text.h - constants as the first lines of test cases write them
 */
#ifndef TILEC_TESTS_CONSTANT_TEXT_H
#define TILEC_TESTS_CONSTANT_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "../../src/lower/lowering.h"

/* 'text' (which stays where it is), None, True, False, a dtype, an integer, or else a float. */
static Const constant_item(const char *s)
{
    size_t n = strlen(s);
    DType t;
    char *end;

    if (s[0] == '\'')
        return (Const){.kind = CONST_STRING, .text = s + 1, .ntext = n - 2};
    if (strcmp(s, "None") == 0)
        return (Const){.kind = CONST_NONE};
    if (strcmp(s, "True") == 0 || strcmp(s, "False") == 0)
        return (Const){.kind = CONST_BOOL, .integer = s[0] == 'T'};
    if (dtype_from_name(s, n, &t))
        return (Const){.kind = CONST_DTYPE, .dtype = t};
    long long i = strtoll(s, &end, 10);
    if (!*end)
        return (Const){.kind = CONST_INT, .integer = i};
    return (Const){.kind = CONST_FLOAT, .real = strtod(s, NULL)};
}

/* One of these, or a tuple of them: (1,2,None).  Takes the text apart. */
static Const constant_from_text(Arena *a, char *s)
{
    VEC(Const) items = {0};
    char *rest;

    if (s[0] != '(')
        return constant_item(s);
    for (char *item = strtok_r(s + 1, ",)", &rest); item; item = strtok_r(NULL, ",)", &rest))
        vec_push(a, &items, constant_item(item));
    return (Const){.kind = CONST_TUPLE, .items = items.at, .nitems = items.len};
}

#endif
