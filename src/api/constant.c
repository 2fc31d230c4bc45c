/*
 * constant.c - arguments of the API as the constants that Python has, and back
 */
#include <string.h>

#include "bind.h"

bool bind_argument_of(const Const *c, tilec_arg *out)
{
    switch (c->kind) {
    case CONST_NONE:
        out->kind = TILEC_ARG_NONE;
        return true;
    case CONST_BOOL:
        out->kind = TILEC_ARG_BOOL;
        out->integer = (int64_t)c->integer;
        return true;
    case CONST_INT:
        out->kind = c->integer > INT64_MAX ? TILEC_ARG_UINT : TILEC_ARG_INT;
        out->integer = (int64_t)c->integer;
        out->uinteger = (uint64_t)c->integer;
        return c->integer >= INT64_MIN && c->integer <= UINT64_MAX;
    case CONST_FLOAT:
        out->kind = TILEC_ARG_FLOAT;
        out->real = c->real;
        return true;
    case CONST_STRING:
        out->kind = TILEC_ARG_STRING;
        out->text = c->text;
        return strlen(c->text) == c->ntext;
    case CONST_DTYPE:
        out->kind = TILEC_ARG_DTYPE;
        out->dtype = (tilec_dtype)c->dtype;
        return true;
    default:
        return false;
    }
}

static bool constant_of(const tilec_arg *a, const FrontFile *file, Arena *arena, int level,
                        Const *out);

static bool tuple_of(const tilec_arg *a, const FrontFile *file, Arena *arena, int level, Const *out)
{
    Const *items;
    Sym *fields;

    if (!arena || level == BIND_MOST_LEVELS || a->nitems < 0 || a->nitems > CONST_MAX_TUPLE ||
        (a->nitems > 0 && !a->items))
        return false;
    items = NEW_N(arena, Const, a->nitems + 1);
    *out = const_tuple(items, a->nitems);
    fields = NEW_N(arena, Sym, a->nitems + 1);
    bool named = a->nitems > 0;
    for (int i = 0; i < a->nitems; i++) {
        named &= a->items[i].name != NULL;
        fields[i] = a->items[i].name;
        if (!constant_of(&a->items[i], file, arena, level + 1, &items[i]))
            return false;
    }
    out->fields = named ? fields : NULL;
    return true;
}

static bool function_named(const FrontFile *file, const char *name, Const *out)
{
    if (!front_function(file, name, out))
        return false;
    if (out->kind == CONST_STRING) /* as who has it as an object gives it */
        *out = (Const){.kind = CONST_OBJECT, .class = &front_object_class, .object = out->text};
    return true;
}

static bool constant_of(const tilec_arg *a, const FrontFile *file, Arena *arena, int level,
                        Const *out)
{
    *out = (Const){.kind = CONST_NONE};
    switch (a->kind) {
    case TILEC_ARG_INT:
        *out = (Const){.kind = CONST_INT, .integer = a->integer};
        return true;
    case TILEC_ARG_UINT:
        *out = (Const){.kind = CONST_INT, .integer = a->uinteger};
        return true;
    case TILEC_ARG_FLOAT:
        *out = (Const){.kind = CONST_FLOAT, .real = a->real};
        return true;
    case TILEC_ARG_BOOL:
        *out = (Const){.kind = CONST_BOOL, .integer = a->integer != 0};
        return true;
    case TILEC_ARG_NONE:
        return true;
    case TILEC_ARG_STRING:
        *out =
            (Const){.kind = CONST_STRING, .text = a->text, .ntext = a->text ? strlen(a->text) : 0};
        return a->text != NULL;
    case TILEC_ARG_OBJECT:
        *out = (Const){.kind = CONST_OBJECT, .class = &front_object_class, .object = a->text};
        return a->text != NULL;
    case TILEC_ARG_DTYPE:
        *out = (Const){.kind = CONST_DTYPE, .dtype = (DType)a->dtype};
        return tilec_dtype_name(a->dtype) != NULL;
    case TILEC_ARG_TUPLE:
        return tuple_of(a, file, arena, level, out);
    case TILEC_ARG_CONSTEXPR:
        return a->nitems == 1 && a->items && level < BIND_MOST_LEVELS &&
               constant_of(a->items, file, arena, level + 1, out);
    case TILEC_ARG_FUNCTION:
        return file && a->text && function_named(file, a->text, out);
    default:
        return false;
    }
}

bool bind_constant_of(const tilec_arg *a, const FrontFile *file, Arena *arena, Const *out)
{
    return constant_of(a, file, arena, 0, out);
}
