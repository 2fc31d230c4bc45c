/*
 * value.c - the language of NAME=VALUE and of --grid
 *
 * Takes the text of one argument and the arguments before it, gives its value.  Integers, their
 * `//` and `%`, and the order of the operators are Python's; there is nothing that assigns or
 * loops.  Each function below parses the production written above it, straight from the text.
 * What a value can be asked (functions, methods, subscripts) is in call.c.
 */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 16, MAX_NESTING = 64 };

typedef struct {
    Cli *cli;
    const Names *names;
    const char *label, *text; /* for messages */
    const char *at;
    int nesting;
} Parser;

static CliValue parse_unary(Parser *p);
static CliValue parse_expression(Parser *p);

/* Stop with the text and a caret below `where`. */
NORETURN static void wrong(Parser *p, const char *where, const char *what)
{
    Arena *a = p->cli->arena;
    Text before = text_new(a);
    int width = 0;

    text_put(&before, "");
    text_put_printable(&before, arena_strndup(a, p->text, (size_t)(where - p->text)));
    for (const char *s = before.s; *s; s++)
        width += ((unsigned char)*s & 0xc0) != 0x80; /* a character counts by its first byte */
    stop(p->cli, CLI_USAGE, "%s: %s\n    %s\n    %*s^", p->label, what, p->text, width, "");
}

static CliValue int_value(WideInt v)
{
    return (CliValue){.kind = VALUE_INT, .integer = v};
}
static CliValue float_value(double v)
{
    return (CliValue){.kind = VALUE_FLOAT, .real = v};
}
static CliValue bool_value(bool v)
{
    return (CliValue){.kind = VALUE_BOOL, .integer = v};
}

const char *value_kind_name(ValueKind k)
{
    static const char *const names[] = {"None",   "a bool",  "an integer", "a float",
                                        "a text", "a dtype", "a tuple",    "an array"};

    return names[k];
}

static void skip_space(Parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* Step over `word` if it comes next. */
static bool accept(Parser *p, const char *word)
{
    size_t n = strlen(word);

    skip_space(p);
    if (strncmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

static void expect(Parser *p, const char *word)
{
    if (!accept(p, word))
        wrong(p, p->at, arena_printf(p->cli->arena, "'%s' is missing here", word));
}

static const char *parse_name(Parser *p)
{
    const char *start = p->at;

    p->at += name_length(start);
    return arena_strndup(p->cli->arena, start, (size_t)(p->at - start));
}

/* digits := [0-9]+ in `base`; u64 at most */
static CliValue parse_integer(Parser *p, int base)
{
    const char *start = p->at;
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(start, &end, base);
    if (errno)
        wrong(p, start, "an integer beyond 64 bits");
    p->at = end;
    return int_value(v);
}

/* number := '0x' hex | digits | float */
static CliValue parse_number(Parser *p)
{
    const char *start = p->at;
    const char *end;
    CliValue v;

    if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
        return parse_integer(p, 16);
    v = float_value(double_from_text(start, &end));
    p->at = end;
    if (strspn(start, "0123456789") == (size_t)(end - start)) {
        p->at = start;
        v = parse_integer(p, 10);
    }
    if (is_name_char(*p->at))
        wrong(p, start, "not a number");
    return v;
}

/* dims := digits {'x' digits}, where a function takes a shape: 4096x781 */
static bool accept_dims(Parser *p, CliValue *out)
{
    const char *start = p->at, *s = start;
    WideInt dims[CLI_MAX_DIMS];
    int n = 0;

    while (isdigit((unsigned char)*s)) {
        if (n == CLI_MAX_DIMS)
            wrong(p, start, "more than 8 dimensions");
        p->at = s;
        dims[n++] = parse_integer(p, 10).integer;
        s = p->at;
        if (*s != 'x' || !isdigit((unsigned char)s[1]))
            break;
        s++;
    }
    if (n < 2 || is_name_char(*p->at)) {
        p->at = start;
        return false;
    }
    *out = (CliValue){.kind = VALUE_TUPLE, .count = n};
    out->items = NEW_N(p->cli->arena, CliValue, n);
    for (int i = 0; i < n; i++)
        out->items[i] = int_value(dims[i]);
    return true;
}

/* text := "'" chars "'" | '"' chars '"' */
static CliValue parse_string(Parser *p)
{
    const char *start = p->at, *end = strchr(start + 1, *start);

    if (!end)
        wrong(p, start, "a text without its closing quote");
    p->at = end + 1;
    return (CliValue){.kind = VALUE_STRING,
                      .text = arena_strndup(p->cli->arena, start + 1, (size_t)(end - start - 1))};
}

/* file := '@' (path | text) [':' dtype]; a bare path ends at any of []():, or a space */
static CliValue parse_file(Parser *p)
{
    CliValue v = {.kind = VALUE_ARRAY};
    const char *path, *as;
    tilec_dtype t;
    size_t n;

    p->at++;
    if (*p->at == '\'' || *p->at == '"') {
        path = parse_string(p).text;
    } else {
        n = strcspn(p->at, "[](): ,");
        path = arena_strndup(p->cli->arena, p->at, n);
        p->at += n;
    }
    if (*p->at != ':') {
        v.array = npy_load(p->cli, path, NULL);
        return v;
    }
    as = ++p->at;
    p->at += name_length(as);
    if (!array_dtype(as, (size_t)(p->at - as), &t))
        wrong(p, as, "not a dtype");
    v.array = npy_load(p->cli, path, &t);
    return v;
}

/* tuple := '(' [expression {',' expression} [',']] ')'; without a comma it is the expression */
static CliValue parse_parenthesis(Parser *p, const char *close)
{
    CliValue items[MAX_ARGS], v = {.kind = VALUE_TUPLE};
    bool comma = *close == ']';

    p->at++;
    while (!accept(p, close)) {
        if (v.count == MAX_ARGS)
            wrong(p, p->at, "a tuple this long is of no use here");
        items[v.count++] = parse_expression(p);
        if (!accept(p, ",")) {
            expect(p, close);
            break;
        }
        comma = true;
    }
    if (v.count == 1 && !comma)
        return items[0];
    v.items = NEW_N(p->cli->arena, CliValue, v.count + 1);
    memcpy(v.items, items, sizeof(CliValue) * (size_t)v.count);
    return v;
}

/* arguments := '(' [expression {',' expression}] ')' */
static int parse_arguments(Parser *p, const char *function, CliValue *out)
{
    int n = 0;

    expect(p, "(");
    while (!accept(p, ")")) {
        if (n == MAX_ARGS)
            wrong(p, p->at, "too many arguments");
        skip_space(p);
        if (!call_takes_shape(function, n) || !accept_dims(p, &out[n]))
            out[n] = parse_expression(p);
        n++;
        if (!accept(p, ",")) {
            expect(p, ")");
            break;
        }
    }
    return n;
}

static const CliValue *find(const Names *names, const char *name)
{
    for (int i = names->len - 1; i >= 0; i--)
        if (strcmp(names->at[i].name, name) == 0)
            return &names->at[i].value;
    return NULL;
}

/* The words that name a value by themselves. */
static bool constant(const char *name, CliValue *out)
{
    /* clang-format off */
    const struct { const char *name; CliValue value; } words[] = {
        {"True", bool_value(true)}, {"False", bool_value(false)},
        {"true", bool_value(true)}, {"false", bool_value(false)},
        {"None", {.kind = VALUE_NONE}}, {"inf", float_value((double)INFINITY)},
        {"nan", float_value((double)NAN)},
    };
    /* clang-format on */

    for (int i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].name, name) == 0) {
            *out = words[i].value;
            return true;
        }
    return false;
}

NORETURN static void unknown_name(Parser *p, const char *where, const char *name)
{
    Arena *a = p->cli->arena;
    const char **known = NEW_N(a, const char *, p->names->len + 1);
    const char *nearest;

    for (int i = 0; i < p->names->len; i++)
        known[i] = p->names->at[i].name;
    nearest = hint_text(a, name, known, p->names->len);
    wrong(p, where,
          arena_printf(a, "'%s' is not an earlier argument, a function or a dtype%s", name,
                       *nearest ? nearest : "; a text needs quotes, as in \"'relu'\""));
}

/* name := constant | argument | dtype | function arguments */
static CliValue parse_word(Parser *p)
{
    const char *start = p->at, *name = parse_name(p), *error;
    const CliValue *earlier = find(p->names, name);
    CliValue args[MAX_ARGS], v = {0};
    int n;

    skip_space(p);
    if (*p->at == '(') {
        if (!call_is_function(name))
            wrong(p, start,
                  arena_printf(p->cli->arena, "there is no function '%s'%s", name,
                               call_nearest_function(p->cli->arena, name)));
        n = parse_arguments(p, name, args);
        error = value_call(p->cli, name, args, n, &v);
        if (error)
            wrong(p, start, error);
        return v;
    }
    if (earlier)
        return *earlier;
    if (constant(name, &v))
        return v;
    v.kind = VALUE_DTYPE;
    if (!array_dtype(name, strlen(name), &v.dtype))
        unknown_name(p, start, name);
    return v;
}

/* primary := number | text | file | tuple | name */
static CliValue parse_primary(Parser *p)
{
    char ch;

    skip_space(p);
    ch = *p->at;
    if (isdigit((unsigned char)ch) || (ch == '.' && isdigit((unsigned char)p->at[1])))
        return parse_number(p);
    if (ch == '\'' || ch == '"')
        return parse_string(p);
    if (ch == '@')
        return parse_file(p);
    if (ch == '(' || ch == '[')
        return parse_parenthesis(p, ch == '(' ? ")" : "]");
    if (name_length(p->at) > 0)
        return parse_word(p);
    wrong(p, p->at, "a value is missing here");
}

static int64_t small_int(Parser *p)
{
    const char *start = p->at;
    CliValue v = parse_expression(p);

    if (v.kind != VALUE_INT || v.integer > INT64_MAX || v.integer < INT64_MIN)
        wrong(p, start, "an index must be a 64-bit integer");
    return (int64_t)v.integer;
}

static bool at_slice_end(Parser *p)
{
    skip_space(p);
    return *p->at == ':' || *p->at == ',' || *p->at == ']';
}

/* subscript := index | [start] ':' [stop] [':' [step]] */
static Subscript parse_subscript(Parser *p)
{
    Subscript s = {.step = 1};

    s.has_start = !at_slice_end(p);
    if (s.has_start)
        s.start = small_int(p);
    if (!accept(p, ":")) {
        s.is_index = true;
        return s;
    }
    s.has_stop = !at_slice_end(p);
    if (s.has_stop)
        s.stop = small_int(p);
    if (accept(p, ":") && !at_slice_end(p))
        s.step = small_int(p);
    return s;
}

/* subscripts := '[' subscript {',' subscript} ']' */
static CliValue parse_subscripts(Parser *p, const CliValue *self, const char *where)
{
    Subscript subs[CLI_MAX_DIMS];
    const char *error;
    CliValue v = {0};
    int n = 0;

    do {
        if (n == CLI_MAX_DIMS)
            wrong(p, p->at, "more subscripts than an array has dimensions");
        if (*p->at == ']')
            wrong(p, p->at, "a subscript is missing here");
        subs[n++] = parse_subscript(p);
    } while (accept(p, ","));
    expect(p, "]");
    error = call_subscript(p->cli, self, subs, n, &v);
    if (error)
        wrong(p, where, error);
    return v;
}

/* postfix := primary {'.' name [arguments] | subscripts} */
static CliValue parse_postfix(Parser *p)
{
    CliValue v = parse_primary(p);

    for (;;) {
        const char *where = p->at, *name, *error;
        CliValue args[MAX_ARGS], self = v;
        int n = -1;

        if (accept(p, "[")) {
            v = parse_subscripts(p, &self, where);
            continue;
        }
        if (!accept(p, "."))
            return v;
        where = p->at;
        name = parse_name(p);
        if (*p->at == '(')
            n = parse_arguments(p, name, args);
        error = call_method(p->cli, name, &self, args, n, &v);
        if (error)
            wrong(p, where, error);
    }
}

static bool is_number(const CliValue *v)
{
    return v->kind == VALUE_BOOL || v->kind == VALUE_INT || v->kind == VALUE_FLOAT;
}

static double as_real(const CliValue *v)
{
    return v->kind == VALUE_FLOAT ? v->real : (double)v->integer;
}

typedef enum { LESS, EQUAL, GREATER, UNORDERED } Order;

/* Exactly, as Python does: 2^53 + 1 is not equal to 2^53 as a float. */
static Order order_int_real(WideInt a, double b)
{
    static const double limit = 0x1p127;
    WideInt whole;

    if (isnan(b))
        return UNORDERED;
    if (b >= limit || b < -limit)
        return b > 0 ? LESS : GREATER;
    whole = (WideInt)b; /* toward 0 */
    if (a != whole)
        return a < whole ? LESS : GREATER;
    return b > (double)whole ? LESS : b < (double)whole ? GREATER : EQUAL;
}

/* Of two numbers. */
static Order order_of(const CliValue *a, const CliValue *b)
{
    Order reverse;

    if (a->kind == VALUE_FLOAT && b->kind == VALUE_FLOAT)
        return a->real < b->real    ? LESS
               : a->real > b->real  ? GREATER
               : a->real == b->real ? EQUAL
                                    : UNORDERED;
    if (b->kind == VALUE_FLOAT)
        return order_int_real(a->integer, b->real);
    if (a->kind != VALUE_FLOAT)
        return a->integer < b->integer ? LESS : a->integer > b->integer ? GREATER : EQUAL;
    reverse = order_int_real(b->integer, a->real);
    return reverse == LESS ? GREATER : reverse == GREATER ? LESS : reverse;
}

bool value_less(const CliValue *a, const CliValue *b)
{
    return order_of(a, b) == LESS;
}

/* Python's: toward minus infinity.  False when the result leaves 128 bits. */
static bool floor_divide(WideInt a, WideInt b, WideInt *out)
{
    if (b == -1)
        return !__builtin_sub_overflow((WideInt)0, a, out);
    *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return true;
}

/* With the divisor's sign. */
static WideInt floor_remainder(WideInt a, WideInt b)
{
    WideInt r = b == -1 ? 0 : a % b;

    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* false when the result leaves 128 bits */
static bool int_power(WideInt base, WideInt exponent, WideInt *out)
{
    *out = 1;
    for (; exponent > 0; exponent--) {
        if (__builtin_mul_overflow(*out, base, out))
            return false;
        if (*out == 0 || *out == 1)
            return true;
        if (*out == -1 && exponent % 2 == 1)
            return true;
    }
    return true;
}

typedef enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, POWER } Operator;

static bool int_arithmetic(Operator op, WideInt a, WideInt b, WideInt *out)
{
    switch (op) {
    case ADD:
        return !__builtin_add_overflow(a, b, out);
    case SUBTRACT:
        return !__builtin_sub_overflow(a, b, out);
    case MULTIPLY:
        return !__builtin_mul_overflow(a, b, out);
    case FLOOR_DIVIDE:
        return floor_divide(a, b, out);
    case REMAINDER:
        *out = floor_remainder(a, b);
        return true;
    default:
        return int_power(a, b, out);
    }
}

static double float_arithmetic(Operator op, double a, double b)
{
    double quotient, remainder;

    switch (op) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case FLOOR_DIVIDE:
    case REMAINDER:
        quotient = python_divmod(a, b, &remainder);
        return op == REMAINDER ? remainder : quotient;
    default:
        return pow(a, b);
    }
}

static CliValue arithmetic(Parser *p, const char *where, Operator op, const CliValue *a,
                           const CliValue *b)
{
    CliValue v = {.kind = VALUE_INT};
    bool whole = a->kind != VALUE_FLOAT && b->kind != VALUE_FLOAT && op != DIVIDE;

    if (!is_number(a) || !is_number(b))
        wrong(p, where,
              arena_printf(p->cli->arena, "arithmetic needs numbers, but one side is %s",
                           value_kind_name(is_number(a) ? b->kind : a->kind)));
    if ((op == DIVIDE || op == FLOOR_DIVIDE || op == REMAINDER) && as_real(b) == 0)
        wrong(p, where, "division by zero");
    if (op == POWER && as_real(a) == 0 && as_real(b) < 0)
        wrong(p, where, "0 to a negative power");
    if (op == POWER && as_real(a) < 0 && isfinite(as_real(a)) && isfinite(as_real(b)) &&
        as_real(b) != floor(as_real(b)))
        wrong(p, where, "a fractional power of a negative number is complex");
    if (op == POWER && whole && b->integer < 0)
        whole = false;
    if (!whole)
        return float_value(float_arithmetic(op, as_real(a), as_real(b)));
    if (!int_arithmetic(op, a->integer, b->integer, &v.integer))
        wrong(p, where, "the result is beyond 128 bits");
    return v;
}

/* power := postfix ['**' unary] */
static CliValue parse_power(Parser *p)
{
    CliValue v = parse_postfix(p), exponent;
    const char *where = (skip_space(p), p->at);

    if (!accept(p, "**"))
        return v;
    exponent = parse_unary(p);
    return arithmetic(p, where, POWER, &v, &exponent);
}

/* unary := ('-' | '+') unary | power; all that nests comes by here */
static CliValue parse_unary(Parser *p)
{
    const char *where = (skip_space(p), p->at);
    CliValue v, zero = int_value(0);

    if (p->nesting++ == MAX_NESTING)
        wrong(p, where, "nested too deeply");
    if (accept(p, "+")) {
        v = parse_unary(p);
        v = arithmetic(p, where, ADD, &zero, &v);
    } else if (accept(p, "-")) {
        v = parse_unary(p);
        v = v.kind == VALUE_FLOAT ? float_value(-v.real) /* 0 - 0.0 would lose the sign */
                                  : arithmetic(p, where, SUBTRACT, &zero, &v);
    } else {
        v = parse_power(p);
    }
    p->nesting--;
    return v;
}

/* term := unary {('*' | '/' | '//' | '%') unary} */
static CliValue parse_term(Parser *p)
{
    CliValue v = parse_unary(p);

    for (;;) {
        const char *where = (skip_space(p), p->at);
        Operator op;
        CliValue right;

        if (accept(p, "//"))
            op = FLOOR_DIVIDE;
        else if (accept(p, "/"))
            op = DIVIDE;
        else if (accept(p, "%"))
            op = REMAINDER;
        else if (accept(p, "*"))
            op = MULTIPLY;
        else
            return v;
        right = parse_unary(p);
        v = arithmetic(p, where, op, &v, &right);
    }
}

/* sum := term {('+' | '-') term} */
static CliValue parse_sum(Parser *p)
{
    CliValue v = parse_term(p);

    for (;;) {
        const char *where = (skip_space(p), p->at);
        Operator op = *p->at == '+' ? ADD : SUBTRACT;
        CliValue right;

        if (!accept(p, "+") && !accept(p, "-"))
            return v;
        right = parse_term(p);
        v = arithmetic(p, where, op, &v, &right);
    }
}

static bool values_equal(const CliValue *a, const CliValue *b)
{
    bool equal = true;

    if (is_number(a) && is_number(b))
        return order_of(a, b) == EQUAL;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_STRING:
        return strcmp(a->text, b->text) == 0;
    case VALUE_TUPLE:
        for (int i = 0; equal && i < a->count && i < b->count; i++)
            equal = values_equal(&a->items[i], &b->items[i]);
        return equal && a->count == b->count;
    case VALUE_DTYPE:
        return a->dtype == b->dtype;
    default:
        return a->kind == VALUE_NONE;
    }
}

/* expression := sum [('==' | '!=' | '<=' | '>=' | '<' | '>') sum] */
static CliValue parse_expression(Parser *p)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    const char *where;
    CliValue left, right;
    Order order;
    int op = 0;

    left = parse_sum(p);
    where = (skip_space(p), p->at);
    while (op < COUNT(operators) && !accept(p, operators[op]))
        op++;
    if (op == COUNT(operators))
        return left;
    right = parse_sum(p);
    if (op < 2)
        return bool_value(values_equal(&left, &right) == (op == 0));
    if (!is_number(&left) || !is_number(&right))
        wrong(p, where, "only numbers can be less or greater");
    order = order_of(&left, &right);
    switch (op) {
    case 2:
        return bool_value(order == LESS || order == EQUAL);
    case 3:
        return bool_value(order == GREATER || order == EQUAL);
    case 4:
        return bool_value(order == LESS);
    default:
        return bool_value(order == GREATER);
    }
}

CliValue value_parse(Cli *c, const Names *names, const char *label, const char *text)
{
    Parser p = {c, names, label, text, text, 0};
    CliValue v = parse_expression(&p);

    skip_space(&p);
    if (*p.at)
        wrong(&p, p.at, "nothing more was expected here");
    return v;
}

int value_parse_list(Cli *c, const Names *names, const char *label, const char *text, CliValue *out,
                     int limit)
{
    Parser p = {c, names, label, text, text, 0};
    int n = 0;

    do {
        if (n == limit)
            wrong(&p, p.at, arena_printf(c->arena, "at most %d values", limit));
        out[n++] = parse_expression(&p);
    } while (accept(&p, ","));
    skip_space(&p);
    if (*p.at)
        wrong(&p, p.at, "nothing more was expected here");
    return n;
}
