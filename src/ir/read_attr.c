/*
 * read_attr.c - attributes and constants in the text form of the IR
 */
#include <ctype.h>
#include <string.h>

#include "read.h"

enum { MAX_TEXT = 1 << 16 };

/* --- attributes --- */

/* list = `[` INT { `,` INT } `]` */
static bool parse_int_list(Reader *r, Attrs *out)
{
    int64_t v;

    if (!read_expect(r, "["))
        return false;
    if (read_accept(r, "]"))
        return true;
    do {
        if (out->n == MAX_ATTRS)
            return read_error(r, r->tok.span, "the list is too long");
        if (!read_int(r, INT64_MIN, INT64_MAX, &v))
            return false;
        out->at[out->n++] = v;
    } while (read_accept(r, ","));
    return read_expect(r, "]");
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* text = `"` { any but quote, backslash and new line | `\"` | `\\` | `\n` | `\x` HEX HEX } `"` */
static bool parse_text(Reader *r, int64_t *out)
{
    Token t;

    if (!read_expect_kind(r, TOK_TEXT, "a quoted text", &t))
        return false;
    if (t.len < 2 || t.s[t.len - 1] != '"' || t.len > MAX_TEXT)
        return read_error(r, t.span,
                          t.len > MAX_TEXT ? "the text is too long" : "the text has no end");
    const char *p = t.s + 1, *end = t.s + t.len - 1;
    char *text = arena_alloc(r->arena, t.len), *to = text;
    for (; p < end; to++) {
        *to = *p++;
        if (*to != '\\')
            continue;
        char c = p < end ? *p++ : '\0';
        int high = c == 'x' && end - p >= 2 ? hex_digit(p[0]) : -1;
        int low = high >= 0 ? hex_digit(p[1]) : -1;
        if (low >= 0 && high + low > 0) { /* no text holds a zero */
            *to = (char)(high * 16 + low);
            p += 2;
        } else if (c == '"' || c == '\\' || c == 'n') {
            *to = c == 'n' ? '\n' : c;
        } else {
            return read_error(r, t.span,
                              "a backslash stands before `\"`, `\\`, `n` or `x` and two digits");
        }
    }
    *out = attr_of_text(r->module, text, (size_t)(to - text));
    return true;
}

/* The place of the attribute of this name in the op's row; -1 when there is none. */
static int find_attr(OpCode code, const Token *name)
{
    const AttrId *attrs = op_info(code)->attrs;

    for (int i = 0; attrs[i] != ATTR_NONE && code != OP_const; i++) {
        if (token_is(name, attr_info(attrs[i])->name))
            return i;
    }
    return -1;
}

/* value = WORD | INT | text | list */
static bool parse_attr_value(Reader *r, AttrId attr, Attrs *out, int place)
{
    const AttrInfo *info = attr_info(attr);

    if (info->kind == ATTR_IS_LIST)
        return parse_int_list(r, out);
    if (info->kind == ATTR_IS_TEXT)
        return parse_text(r, &out->at[place]);
    if (r->tok.kind != TOK_NAME)
        return read_int(r, INT64_MIN, INT64_MAX, &out->at[place]);
    if (!attr_from_word(attr, r->tok.s, r->tok.len, &out->at[place]))
        return read_error(r, r->tok.span, "`%s` has no such value", info->name);
    read_next(r);
    return true;
}

/* attribute = NAME `=` value */
static bool parse_attr(Reader *r, OpCode code, Attrs *out)
{
    Token name = r->tok;
    int i = find_attr(code, &name);

    read_next(r);
    if (i < 0)
        return read_error(r, name.span, "%s has no attribute `%.*s`", op_info(code)->name,
                          (int)MIN(name.len, 100), name.s);
    if (out->given & 1u << i)
        return read_error(r, name.span, "this attribute is given twice");
    out->given |= 1u << i;
    return read_expect(r, "=") && parse_attr_value(r, op_info(code)->attrs[i], out, i);
}

/* attributes = { attribute }, on the line of the op; those left out are 0 */
bool read_attrs(Reader *r, OpCode code, const Token *op, Attrs *out)
{
    const AttrId *attrs = op_info(code)->attrs;

    out->n = op_fixed_attrs(code);
    while (r->tok.kind == TOK_NAME && !r->tok.starts_line) {
        if (!parse_attr(r, code, out))
            return false;
    }
    for (int i = 0; attrs[i] != ATTR_NONE && code != OP_const; i++) {
        if (attr_info(attrs[i])->needed && !(out->given & 1u << i))
            return read_error(r, op->span, "%s needs `%s=`", op_info(code)->name,
                              attr_info(attrs[i])->name);
    }
    return true;
}

/* --- constants --- */

/* A number with a minus is the bits' complement, in every integer type that holds it. */
static bool int_bits(const Token *t, DType d, uint64_t *out)
{
    uint64_t magnitude;
    bool negative;

    if (!token_magnitude(t, &negative, &magnitude))
        return false;
    *out = scalar_truncate(d, negative ? -magnitude : magnitude);
    if (dtype_is_unsigned(d) || (!negative && t->len > 2 && t->s[1] == 'x'))
        return !negative && *out == magnitude;
    return scalar_to_int(d, *out) == (int64_t)(negative ? -magnitude : magnitude) &&
           magnitude <= (uint64_t)INT64_MAX + negative;
}

static bool float_bits(const Token *t, DType d, uint64_t *out)
{
    const char *end;
    bool negative;

    if (t->len > 2 && t->s[1] == 'x')
        return token_magnitude(t, &negative, out) && !negative && scalar_truncate(d, *out) == *out;
    if (token_is(t, "inf") || token_is(t, "-inf")) {
        *out = scalar_from_double(d, t->s[0] == '-' ? -__builtin_inf() : __builtin_inf());
        return true;
    }
    if (strspn(t->s, "0123456789+-.eE") < t->len) /* strtod takes more than we do */
        return false;
    *out = scalar_from_double(d, double_from_text(t->s, &end));
    return end == t->s + t->len;
}

/* literal = INT | FLOAT | `inf` | `-inf` | `true` | `false` | HEX */
static bool literal_bits(const Token *t, const Type *type, uint64_t *out)
{
    bool negative;

    if (type->pointer || type->handle != HANDLE_NONE)
        return token_magnitude(t, &negative, out) && !negative;
    if (type->dtype == DT_I1 && t->kind == TOK_NAME) {
        *out = token_is(t, "true");
        return *out || token_is(t, "false");
    }
    return dtype_is_float(type->dtype) ? float_bits(t, type->dtype, out)
                                       : int_bits(t, type->dtype, out);
}

bool read_constant(Reader *r, const Token *literal, const Types *types, Attrs *attrs)
{
    uint64_t bits;

    if (types->len != 1)
        return read_error(r, literal->span, "a constant has one result");
    if (!literal_bits(literal, types->at[0], &bits))
        return read_error(r, literal->span, "not a constant of type %s",
                          type_text(r->arena, types->at[0]));
    attrs->at[0] = (int64_t)bits;
    return true;
}
