/*
 * read.c - reads the text form of the IR (print.c shows it, docs/ir.md describes it)
 *
 * Takes what the printer writes, and what people write by hand: attributes in any order, comments
 * from # to the end of the line.  Stops at the first error of form; what it gives has passed the
 * verifier.  Each grammar production stands above the function that parses it; every parse
 * function gives false after an error, with the diagnostic made.
 *
 * Values of one function share one space of names, whatever their block; whether a value may be
 * used at some place is the verifier's business.
 */
#include <ctype.h>
#include <string.h>

#include "ir.h"

enum {
    MAX_NESTING = 200,
    MAX_LIST = 10000,
    MAX_ATTRS = MAX_OP_ATTRS + MAX_RANK,
    MAX_TEXT = 1 << 16
};

typedef enum {
    TOK_END,
    TOK_NAME,
    TOK_NUMBER,
    TOK_VALUE,
    TOK_SYMBOL,
    TOK_TEXT,
    TOK_PUNCT
} TokenKind;

/* The text of `%x` and `@x` goes without its first character; that of "x" as it stands. */
typedef struct {
    TokenKind kind;
    const char *s;
    size_t len;
    Span span;
    bool starts_line;
} Token;

/* A call whose function may come later in the text. */
typedef struct {
    Op *op;
    Token name;
} Call;

typedef struct {
    Arena *arena;
    Module *module;
    const Source *src;
    Diags *diags;
    Token tok; /* the next one */
    uint32_t at;
    Map *values; /* of the function being read: Sym to Value* */
    Map *funcs;  /* Sym to Func* */
    VEC(Call) calls;
    int nesting;
} Reader;

typedef VEC(Token) Tokens;
typedef VEC(const Type *) Types;
typedef VEC(Value *) Values;

static void report(Reader *r, Span span, const char *fmt, ...) PRINTF(3, 4);
static void report(Reader *r, Span span, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    diag_v(r->diags, DIAG_ERROR, span, fmt, ap);
    va_end(ap);
}

/* Say what is wrong; false, which a macro lets whoever reads the caller see. */
#define say(r, ...) (report(r, __VA_ARGS__), false)

/* tokens */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

static char peek(const Reader *r, uint32_t ahead)
{
    return (size_t)r->at + ahead < r->src->len ? r->src->text[r->at + ahead] : '\0';
}

/* Gives true when a new line was begun. */
static bool skip_blanks(Reader *r)
{
    bool line = r->at == 0;

    for (; r->at < r->src->len; r->at++) {
        char c = peek(r, 0);

        if (c == '#') {
            while (r->at < r->src->len && peek(r, 0) != '\n')
                r->at++;
            c = peek(r, 0);
        }
        line |= c == '\n';
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            break;
    }
    return line;
}

/* A number goes on over the sign of an exponent: 1.5e-3. */
static void scan_number(Reader *r)
{
    bool hex = peek(r, 0) == '0' && peek(r, 1) == 'x';

    for (r->at++; is_name_char(peek(r, 0)); r->at++) {
        bool exponent = !hex && (peek(r, 0) == 'e' || peek(r, 0) == 'E');

        if (exponent && (peek(r, 1) == '-' || peek(r, 1) == '+'))
            r->at++;
    }
}

/* A text goes on to its quote, but not over the end of the line. */
static void scan_text(Reader *r)
{
    for (r->at++; peek(r, 0) != '"' && peek(r, 0) != '\n' && r->at < r->src->len; r->at++)
        r->at += peek(r, 0) == '\\' && peek(r, 1) != '\n';
    r->at += peek(r, 0) == '"';
}

static void next(Reader *r)
{
    bool line = skip_blanks(r);
    uint32_t start = r->at;
    char c = peek(r, 0);
    bool named = c == '%' || c == '@';
    TokenKind kind = TOK_PUNCT;

    if (r->at >= r->src->len) {
        kind = TOK_END;
    } else if (isdigit((unsigned char)c) || (c == '-' && peek(r, 1) != '>')) {
        kind = TOK_NUMBER;
        scan_number(r);
    } else if (named || is_name_char(c)) {
        kind = c == '%' ? TOK_VALUE : c == '@' ? TOK_SYMBOL : TOK_NAME;
        for (r->at++; is_name_char(peek(r, 0)); r->at++)
            continue;
    } else if (c == '"') {
        kind = TOK_TEXT;
        scan_text(r);
    } else {
        r->at += c == '-' ? 2 : 1;
    }
    uint32_t skip = named ? 1 : 0;
    r->tok = (Token){kind, r->src->text + start + skip, r->at - start - skip,
                     source_span(r->src, start, r->at), line};
}

static bool is_text(const Token *t, const char *s)
{
    return strlen(s) == t->len && memcmp(t->s, s, t->len) == 0;
}

static bool is_punct(const Reader *r, const char *s)
{
    return r->tok.kind == TOK_PUNCT && is_text(&r->tok, s);
}

static bool accept(Reader *r, const char *punct)
{
    if (!is_punct(r, punct))
        return false;
    next(r);
    return true;
}

static bool unexpected(Reader *r, const char *want)
{
    if (r->tok.kind == TOK_END)
        return say(r, r->tok.span, "expected %s, found the end", want);
    return say(r, r->tok.span, "expected %s", want);
}

static bool expect(Reader *r, const char *punct)
{
    return accept(r, punct) || unexpected(r, arena_printf(r->arena, "`%s`", punct));
}

static bool expect_kind(Reader *r, TokenKind kind, const char *want, Token *out)
{
    *out = r->tok;
    if (r->tok.kind != kind || r->tok.len == 0)
        return unexpected(r, want);
    next(r);
    return true;
}

static Sym symbol(const Reader *r, const Token *t)
{
    return intern_n(r->module->interner, t->s, t->len);
}

/* numbers */

/* decimal or 0x: the magnitude, and whether a minus stands in front */
static bool parse_magnitude(const Token *t, bool *negative, uint64_t *out)
{
    const char *p = t->s, *end = t->s + t->len;
    unsigned base = 10;

    *negative = p < end && *p == '-';
    p += *negative;
    if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
        base = 16;
        p += 2;
    }
    *out = 0;
    if (p == end)
        return false;
    for (; p < end; p++) {
        unsigned digit = isdigit((unsigned char)*p) ? (unsigned)(*p - '0')
                         : *p >= 'a' && *p <= 'f'   ? (unsigned)(*p - 'a') + 10
                                                    : 99;
        if (digit >= base || __builtin_mul_overflow(*out, (uint64_t)base, out) ||
            __builtin_add_overflow(*out, (uint64_t)digit, out))
            return false;
    }
    return true;
}

static bool parse_int(Reader *r, int64_t least, int64_t most, int64_t *out)
{
    uint64_t magnitude;
    bool negative;
    Token t;

    if (!expect_kind(r, TOK_NUMBER, "an integer", &t))
        return false;
    if (!parse_magnitude(&t, &negative, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return say(r, t.span, "not an integer of 64 bits");
    *out = (int64_t)(negative ? -magnitude : magnitude);
    if (*out < least || *out > most)
        return say(r, t.span, "must be between %lld and %lld", (long long)least, (long long)most);
    return true;
}

/* types */

/* dims = `[` INT { `,` INT } `]` */
static bool parse_dims(Reader *r, Type *t)
{
    Span start = r->tok.span;
    int64_t dim, numel = 1;

    if (!accept(r, "["))
        return true;
    do {
        if (t->rank == MAX_RANK)
            return say(r, r->tok.span, "more than %d dimensions", MAX_RANK);
        if (!parse_int(r, 1, MAX_TILE, &dim))
            return false;
        t->dims[t->rank++] = (int32_t)dim;
        numel *= dim;
        if (numel > MAX_TILE)
            return say(r, start, "a tile has at most %lld elements", (long long)MAX_TILE);
    } while (accept(r, ","));
    return expect(r, "]");
}

/* type = [ `*` [ SPACE ] | `block` | `descriptor` [ PADDING ] ] [ `k` ] DTYPE [ dims ] */
static bool parse_type(Reader *r, const Type **out)
{
    Type t = {.pointer = accept(r, "*")};
    int64_t space = SPACE_GLOBAL, padding = PAD_ZERO;
    Token name;

    if (t.pointer && attr_from_word(ATTR_space, r->tok.s, r->tok.len, &space))
        next(r);
    t.space = (int8_t)space;
    if (!t.pointer && is_text(&r->tok, "block"))
        t.handle = HANDLE_BLOCK_PTR;
    if (!t.pointer && is_text(&r->tok, "descriptor"))
        t.handle = HANDLE_DESCRIPTOR;
    if (t.handle != HANDLE_NONE)
        next(r);
    if (t.handle == HANDLE_DESCRIPTOR &&
        attr_from_word(ATTR_padding, r->tok.s, r->tok.len, &padding))
        next(r);
    t.padding = (int8_t)padding;
    if (!expect_kind(r, TOK_NAME, "a type", &name))
        return false;
    t.is_const = (t.pointer || t.handle != HANDLE_NONE) && name.len > 0 && name.s[0] == 'k';
    if (!dtype_from_name(name.s + t.is_const, name.len - t.is_const, &t.dtype))
        return say(r, name.span, "unknown type `%.*s`", (int)MIN(name.len, 100), name.s);
    if (!parse_dims(r, &t))
        return false;
    *out = type_of(r->module, t);
    return true;
}

/* types = type { `,` type } */
static bool parse_types(Reader *r, Types *out)
{
    const Type *t;

    do {
        if (out->len == MAX_LIST)
            return say(r, r->tok.span, "more than %d types", MAX_LIST);
        if (!parse_type(r, &t))
            return false;
        vec_push(r->arena, out, t);
    } while (accept(r, ","));
    return true;
}

/* values */

static bool define(Reader *r, const Token *name, Value *v)
{
    Sym s = symbol(r, name);
    bool numbered = true;

    for (size_t i = 0; i < name->len; i++)
        numbered &= isdigit((unsigned char)name->s[i]) != 0;
    v->name = numbered ? NULL : s;
    if (map_get(r->values, MAP_KEY(s)))
        return say(r, name->span, "%%%s is already defined", s);
    map_put(r->values, MAP_KEY(s), v);
    return true;
}

/* operands = [ VALUE { `,` VALUE } ], all on the line of the op */
static bool parse_operands(Reader *r, Values *out)
{
    Token t;

    if (r->tok.kind != TOK_VALUE || r->tok.starts_line)
        return true;
    do {
        if (out->len == MAX_LIST)
            return say(r, r->tok.span, "more than %d operands", MAX_LIST);
        if (!expect_kind(r, TOK_VALUE, "a value", &t))
            return false;
        Value *v = map_get(r->values, MAP_KEY(symbol(r, &t)));
        if (!v)
            return say(r, t.span, "%%%s is not defined", symbol(r, &t));
        vec_push(r->arena, out, v);
    } while (accept(r, ","));
    return true;
}

/* argument = VALUE `:` type */
static bool parse_argument(Reader *r, Token *name, const Type **type)
{
    return expect_kind(r, TOK_VALUE, "a value", name) && expect(r, ":") && parse_type(r, type);
}

/* attributes */

typedef struct {
    int64_t at[MAX_ATTRS];
    int n;
    unsigned given; /* bit i: word i of the row was there */
} Attrs;

/* list = `[` INT { `,` INT } `]` */
static bool parse_int_list(Reader *r, Attrs *out)
{
    int64_t v;

    if (!expect(r, "["))
        return false;
    if (accept(r, "]"))
        return true;
    do {
        if (out->n == MAX_ATTRS)
            return say(r, r->tok.span, "the list is too long");
        if (!parse_int(r, INT64_MIN, INT64_MAX, &v))
            return false;
        out->at[out->n++] = v;
    } while (accept(r, ","));
    return expect(r, "]");
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* text = `"` { any but quote, backslash and new line | `\"` | `\\` | `\n` | `\x` HEX HEX } `"` */
static bool parse_text(Reader *r, int64_t *out)
{
    Token t;

    if (!expect_kind(r, TOK_TEXT, "a quoted text", &t))
        return false;
    if (t.len < 2 || t.s[t.len - 1] != '"' || t.len > MAX_TEXT)
        return say(r, t.span, t.len > MAX_TEXT ? "the text is too long" : "the text has no end");
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
            return say(r, t.span,
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
        if (is_text(name, attr_info(attrs[i])->name))
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
        return parse_int(r, INT64_MIN, INT64_MAX, &out->at[place]);
    if (!attr_from_word(attr, r->tok.s, r->tok.len, &out->at[place]))
        return say(r, r->tok.span, "`%s` has no such value", info->name);
    next(r);
    return true;
}

/* attribute = NAME `=` value */
static bool parse_attr(Reader *r, OpCode code, Attrs *out)
{
    Token name = r->tok;
    int i = find_attr(code, &name);

    next(r);
    if (i < 0)
        return say(r, name.span, "%s has no attribute `%.*s`", op_info(code)->name,
                   (int)MIN(name.len, 100), name.s);
    if (out->given & 1u << i)
        return say(r, name.span, "this attribute is given twice");
    out->given |= 1u << i;
    return expect(r, "=") && parse_attr_value(r, op_info(code)->attrs[i], out, i);
}

/* attributes = { attribute }, on the line of the op; those left out are 0 */
static bool parse_attrs(Reader *r, OpCode code, const Token *op, Attrs *out)
{
    const AttrId *attrs = op_info(code)->attrs;

    out->n = op_fixed_attrs(code);
    while (r->tok.kind == TOK_NAME && !r->tok.starts_line) {
        if (!parse_attr(r, code, out))
            return false;
    }
    for (int i = 0; attrs[i] != ATTR_NONE && code != OP_const; i++) {
        if (attr_info(attrs[i])->needed && !(out->given & 1u << i))
            return say(r, op->span, "%s needs `%s=`", op_info(code)->name,
                       attr_info(attrs[i])->name);
    }
    return true;
}

/* constants */

/* A number with a minus is the bits' complement, in every integer type that holds it. */
static bool int_bits(const Token *t, DType d, uint64_t *out)
{
    uint64_t magnitude;
    bool negative;

    if (!parse_magnitude(t, &negative, &magnitude))
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
        return parse_magnitude(t, &negative, out) && !negative && scalar_truncate(d, *out) == *out;
    if (is_text(t, "inf") || is_text(t, "-inf")) {
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
        return parse_magnitude(t, &negative, out) && !negative;
    if (type->dtype == DT_I1 && t->kind == TOK_NAME) {
        *out = is_text(t, "true");
        return *out || is_text(t, "false");
    }
    return dtype_is_float(type->dtype) ? float_bits(t, type->dtype, out)
                                       : int_bits(t, type->dtype, out);
}

static bool read_constant(Reader *r, const Token *literal, const Types *types, Attrs *attrs)
{
    uint64_t bits;

    if (types->len != 1)
        return say(r, literal->span, "a constant has one result");
    if (!literal_bits(literal, types->at[0], &bits))
        return say(r, literal->span, "not a constant of type %s",
                   type_text(r->arena, types->at[0]));
    attrs->at[0] = (int64_t)bits;
    return true;
}

/* ops */

static bool parse_block(Reader *r, Func *f, Block *b);

/* region = `{` [ `(` argument { `,` argument } `)` ] { op } `}` */
static bool parse_region(Reader *r, Func *f, Block *b)
{
    const Type *type;
    Token name;

    if (!expect(r, "{"))
        return false;
    if (r->nesting == MAX_NESTING)
        return say(r, r->tok.span, "regions are nested more than %d deep", MAX_NESTING);
    if (accept(r, "(")) {
        do {
            if (b->nargs == MAX_LIST)
                return say(r, r->tok.span, "more than %d arguments", MAX_LIST);
            if (!parse_argument(r, &name, &type) || !define(r, &name, block_add_arg(b, type)))
                return false;
        } while (accept(r, ","));
        if (!expect(r, ")"))
            return false;
    }
    r->nesting++;
    bool good = parse_block(r, f, b);
    r->nesting--;
    return good;
}

/* results = [ VALUE { `,` VALUE } `=` ] */
static bool parse_results(Reader *r, Tokens *out)
{
    Token t;

    if (r->tok.kind != TOK_VALUE)
        return true;
    do {
        if (out->len == MAX_LIST)
            return say(r, r->tok.span, "more than %d results", MAX_LIST);
        if (!expect_kind(r, TOK_VALUE, "a value", &t))
            return false;
        vec_push(r->arena, out, t);
    } while (accept(r, ","));
    return expect(r, "=");
}

/* What stands between the op's name and its attributes:
 * inputs = SYMBOL `(` operands `)` (call) | literal (const) | operands */
static bool parse_inputs(Reader *r, OpCode code, Token *extra, Values *operands)
{
    if (code == OP_const) {
        *extra = r->tok;
        if ((extra->kind != TOK_NUMBER && extra->kind != TOK_NAME) || extra->starts_line)
            return unexpected(r, "a constant");
        next(r);
        return true;
    }
    if (code == OP_call)
        return expect_kind(r, TOK_SYMBOL, "a function", extra) && expect(r, "(") &&
               parse_operands(r, operands) && expect(r, ")");
    return parse_operands(r, operands);
}

/* result types = [ `:` types ], as many as there are results */
static bool parse_result_types(Reader *r, const Token *op, int n, Types *out)
{
    if (n > 0 && (!expect(r, ":") || !parse_types(r, out)))
        return false;
    return out->len == n || say(r, op->span, "%d results but %d types", n, out->len);
}

/* A site is a symbol that is a number: `@2`, one of those that stand above. */
static bool parse_site_number(Reader *r, int *out)
{
    Token t;

    if (!expect_kind(r, TOK_SYMBOL, "a site such as @1", &t))
        return false;
    for (int i = 1; i < r->module->sites.len; i++) {
        if (is_text(&t, arena_printf(r->arena, "%d", i))) {
            *out = i;
            return true;
        }
    }
    return say(r, t.span, "there is no site @%.*s", (int)MIN(t.len, 100), t.s);
}

/* op = results NAME inputs attributes result-types [ site ] { region } */
static bool parse_op(Reader *r, Func *f, Block *b)
{
    Tokens results = {0};
    Values operands = {0};
    Types types = {0};
    Attrs attrs = {0};
    Token name, extra = {0};
    OpCode code;

    if (!parse_results(r, &results) || !expect_kind(r, TOK_NAME, "an op", &name))
        return false;
    if (!opcode_from_name(name.s, name.len, &code))
        return say(r, name.span, "unknown op `%.*s`", (int)MIN(name.len, 100), name.s);
    if (!parse_inputs(r, code, &extra, &operands) || !parse_attrs(r, code, &name, &attrs) ||
        !parse_result_types(r, &name, results.len, &types) ||
        (code == OP_const && !read_constant(r, &extra, &types, &attrs)))
        return false;

    Builder at = builder_at_end(f, b);
    at.span = name.span;
    if (r->tok.kind == TOK_SYMBOL && !r->tok.starts_line && !parse_site_number(r, &at.site))
        return false;
    Op *op = build_op(&at, code, operands.len, operands.at, attrs.n, attrs.at, types.len,
                      types.at ? types.at : (const Type *[]){NULL});
    for (int i = 0; i < COUNT(op->regions); i++) {
        if (op->regions[i] && !parse_region(r, f, op->regions[i]))
            return false;
    }
    for (int i = 0; i < results.len; i++) {
        if (!define(r, &results.at[i], op->results[i]))
            return false;
    }
    if (code == OP_call) {
        Call call = {op, extra};
        vec_push(r->arena, &r->calls, call);
    }
    return r->tok.starts_line || is_punct(r, "}") || unexpected(r, "the end of the line");
}

/* block = { op } `}` */
static bool parse_block(Reader *r, Func *f, Block *b)
{
    while (!accept(r, "}")) {
        if (!parse_op(r, f, b))
            return false;
    }
    return true;
}

/* functions */

/* source = `records` | `view` INT INT */
static bool parse_source(Reader *r, Param *out)
{
    int64_t of = 0, part = 0;
    Token word;

    if (!expect_kind(r, TOK_NAME, "`records` or `view`", &word))
        return false;
    if (is_text(&word, "records")) {
        out->kind = PARAM_RECORDS;
        return true;
    }
    if (!is_text(&word, "view"))
        return say(r, word.span, "expected `records` or `view`");
    if (!parse_int(r, 0, MAX_LIST, &of) || !parse_int(r, 0, MAX_LIST, &part))
        return false;
    out->kind = PARAM_VIEW;
    out->of = (int)of;
    out->part = (int)part;
    return true;
}

/* parameter = argument [ `div` INT ] [ `hidden` source ] */
static bool parse_param(Reader *r, Func *f)
{
    int64_t divisible = 0;
    const Type *type;
    Token name;

    if (f->nparams == MAX_LIST)
        return say(r, r->tok.span, "more than %d parameters", MAX_LIST);
    if (!parse_argument(r, &name, &type))
        return false;
    if (r->tok.kind == TOK_NAME && is_text(&r->tok, "div")) {
        next(r);
        if (!parse_int(r, 1, INT64_MAX, &divisible))
            return false;
    }
    Value *v = func_add_param(f, symbol(r, &name), type, divisible);
    bool hidden = r->tok.kind == TOK_NAME && is_text(&r->tok, "hidden");
    if (hidden)
        next(r);
    return (!hidden || parse_source(r, &f->params[f->nparams - 1])) && define(r, &name, v);
}

/* launch = { ( `num_warps` | `num_stages` ) `=` INT } */
static bool parse_launch(Reader *r, Func *f)
{
    int64_t n;

    while (r->tok.kind == TOK_NAME) {
        bool warps = is_text(&r->tok, "num_warps");
        if (!warps && !is_text(&r->tok, "num_stages"))
            return unexpected(r, "`num_warps`, `num_stages` or `{`");
        next(r);
        if (!expect(r, "=") || !parse_int(r, 1, 1 << 16, &n))
            return false;
        *(warps ? &f->num_warps : &f->num_stages) = (int)n;
    }
    return true;
}

/* function = ( `kernel` | `func` ) SYMBOL `(` [ parameter { `,` parameter } ] `)`
 *            [ `->` types ] launch `{` block */
static bool parse_func(Reader *r)
{
    Types results = {0};
    Token word, name;

    if (!expect_kind(r, TOK_NAME, "`kernel` or `func`", &word))
        return false;
    bool is_kernel = is_text(&word, "kernel");
    if (!is_kernel && !is_text(&word, "func"))
        return say(r, word.span, "expected `kernel` or `func`");
    if (!expect_kind(r, TOK_SYMBOL, "a name such as @add", &name))
        return false;
    Sym s = symbol(r, &name);
    if (map_get(r->funcs, MAP_KEY(s)))
        return say(r, name.span, "@%s is already defined", s);

    Func *f = func_new(r->module, s, name.span);
    f->is_kernel = is_kernel;
    map_put(r->funcs, MAP_KEY(s), f);
    r->values = map_new(r->arena);
    if (!expect(r, "("))
        return false;
    while (!is_punct(r, ")")) {
        if (!parse_param(r, f) || (!is_punct(r, ")") && !expect(r, ",")))
            return false;
    }
    next(r);
    if (accept(r, "->") && !parse_types(r, &results))
        return false;
    f->results = results.at;
    f->nresults = results.len;
    return parse_launch(r, f) && expect(r, "{") && parse_block(r, f, f->body);
}

/* sites = { `site` site SYMBOL [ site ] }: numbered from 1 on */
static bool parse_sites(Reader *r)
{
    for (int n = 1; r->tok.kind == TOK_NAME && is_text(&r->tok, "site"); n++) {
        CallSite s = {.call = r->tok.span, .callee_span = r->tok.span};
        Token number, callee;
        int parent = 0;

        next(r);
        if (!expect_kind(r, TOK_SYMBOL, "a site such as @1", &number))
            return false;
        if (!is_text(&number, arena_printf(r->arena, "%d", n)))
            return say(r, number.span, "expected @%d", n);
        if (!expect_kind(r, TOK_SYMBOL, "a function", &callee))
            return false;
        s.callee = symbol(r, &callee);
        if (r->tok.kind == TOK_SYMBOL && !r->tok.starts_line && !parse_site_number(r, &parent))
            return false;
        call_site_under(r->module, s, parent);
    }
    return true;
}

static bool resolve_calls(Reader *r)
{
    for (int i = 0; i < r->calls.len; i++) {
        Call *call = &r->calls.at[i];
        Sym s = symbol(r, &call->name);

        call->op->callee = map_get(r->funcs, MAP_KEY(s));
        if (!call->op->callee)
            return say(r, call->name.span, "@%s is not defined", s);
    }
    return true;
}

Module *ir_read(Arena *a, Interner *interner, const Source *src, Diags *d)
{
    Reader r = {.arena = a, .src = src, .diags = d};

    r.module = module_new(a, interner, diags_sources(d));
    r.funcs = map_new(a);
    next(&r);
    if (!parse_sites(&r))
        return NULL;
    while (r.tok.kind != TOK_END) {
        if (!parse_func(&r))
            return NULL;
    }
    return resolve_calls(&r) && ir_verify(r.module, d) ? r.module : NULL;
}
