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

#include "read.h"

enum { MAX_NESTING = 200 };

/* --- types --- */

static bool parse_extent(Reader *r, int64_t *dim, const Symbol **symbol)
{
    Span span = r->tok.span;

    if (!read_label(r, symbol) || !read_int(r, 1, MAX_TILE, dim))
        return false;
    if (!*symbol || ((*symbol)->value.kind != SYMBOL_IS_FLOAT && (*symbol)->value.integer == *dim))
        return true;
    return read_error(r, span, "this symbol does not have the value %lld", (long long)*dim);
}

/* dims = `[` extent { `,` extent } `]`, extent = [ label ] INT */
static bool parse_dims(Reader *r, Type *t, const Symbol *const **extents)
{
    const Symbol *names[MAX_RANK], *any = NULL;
    Span start = r->tok.span;
    int64_t dim, numel = 1;

    if (!read_accept(r, "["))
        return true;
    do {
        if (t->rank == MAX_RANK)
            return read_error(r, r->tok.span, "more than %d dimensions", MAX_RANK);
        if (!parse_extent(r, &dim, &names[t->rank]))
            return false;
        any = names[t->rank] ? names[t->rank] : any;
        t->dims[t->rank++] = (int32_t)dim;
        numel *= dim;
        if (numel > MAX_TILE)
            return read_error(r, start, "a tile has at most %lld elements", (long long)MAX_TILE);
    } while (read_accept(r, ","));
    if (any)
        *extents = memcpy(NEW_N(r->arena, const Symbol *, t->rank), names,
                          sizeof names[0] * (size_t)t->rank);
    return read_expect(r, "]");
}

/* type = [ `*` [ SPACE ] | `block` | `descriptor` [ PADDING ] ] [ `k` ] DTYPE [ dims ] */
static bool parse_type(Reader *r, const Type **out, const Symbol *const **extents)
{
    Type t = {.pointer = read_accept(r, "*")};
    int64_t space = SPACE_GLOBAL, padding = PAD_ZERO;
    Token name;

    if (t.pointer && attr_from_word(ATTR_space, r->tok.s, r->tok.len, &space))
        read_next(r);
    t.space = (int8_t)space;
    if (!t.pointer && token_is(&r->tok, "block"))
        t.handle = HANDLE_BLOCK_PTR;
    if (!t.pointer && token_is(&r->tok, "descriptor"))
        t.handle = HANDLE_DESCRIPTOR;
    if (t.handle != HANDLE_NONE)
        read_next(r);
    if (t.handle == HANDLE_DESCRIPTOR &&
        attr_from_word(ATTR_padding, r->tok.s, r->tok.len, &padding))
        read_next(r);
    t.padding = (int8_t)padding;
    if (!read_expect_kind(r, TOK_NAME, "a type", &name))
        return false;
    t.is_const = (t.pointer || t.handle != HANDLE_NONE) && name.len > 0 && name.s[0] == 'k';
    if (!dtype_from_name(name.s + t.is_const, name.len - t.is_const, &t.dtype))
        return read_error(r, name.span, "unknown type `%.*s`", (int)MIN(name.len, 100), name.s);
    *extents = NULL;
    if (!parse_dims(r, &t, extents))
        return false;
    *out = type_of(r->module, t);
    return true;
}

/* types = type { `,` type } */
static bool parse_types(Reader *r, Types *out)
{
    const Symbol *const *extents;
    const Type *t;

    do {
        if (out->len == MAX_LIST)
            return read_error(r, r->tok.span, "more than %d types", MAX_LIST);
        if (!parse_type(r, &t, &extents))
            return false;
        vec_push(r->arena, out, t);
        vec_push(r->arena, &out->extents, extents);
    } while (read_accept(r, ","));
    return true;
}

/* --- values --- */

static bool define(Reader *r, const Token *name, Value *v)
{
    Sym s = read_symbol(r, name);
    bool numbered = true;

    for (size_t i = 0; i < name->len; i++)
        numbered &= isdigit((unsigned char)name->s[i]) != 0;
    v->name = numbered ? NULL : s;
    if (map_get(r->values, MAP_KEY(s)))
        return read_error(r, name->span, "%%%s is already defined", s);
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
            return read_error(r, r->tok.span, "more than %d operands", MAX_LIST);
        if (!read_expect_kind(r, TOK_VALUE, "a value", &t))
            return false;
        Value *v = map_get(r->values, MAP_KEY(read_symbol(r, &t)));
        if (!v)
            return read_error(r, t.span, "%%%s is not defined", read_symbol(r, &t));
        vec_push(r->arena, out, v);
    } while (read_accept(r, ","));
    return true;
}

/* argument = VALUE `:` type */
static bool parse_argument(Reader *r, Token *name, const Type **type, const Symbol *const **extents)
{
    return read_expect_kind(r, TOK_VALUE, "a value", name) && read_expect(r, ":") &&
           parse_type(r, type, extents);
}

/* --- ops --- */

static bool parse_block(Reader *r, Func *f, Block *b);

static bool parse_region_argument(Reader *r, Block *b)
{
    const Symbol *const *extents;
    const Type *type;
    Token name;

    if (b->nargs == MAX_LIST)
        return read_error(r, r->tok.span, "more than %d arguments", MAX_LIST);
    if (!parse_argument(r, &name, &type, &extents))
        return false;
    Value *v = block_add_arg(b, type);
    v->extents = extents;
    return define(r, &name, v);
}

/* region = `{` [ `(` argument { `,` argument } `)` ] { op } `}` */
static bool parse_region(Reader *r, Func *f, Block *b)
{

    if (!read_expect(r, "{"))
        return false;
    if (r->nesting == MAX_NESTING)
        return read_error(r, r->tok.span, "regions are nested more than %d deep", MAX_NESTING);
    if (read_accept(r, "(")) {
        do {
            if (!parse_region_argument(r, b))
                return false;
        } while (read_accept(r, ","));
        if (!read_expect(r, ")"))
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
            return read_error(r, r->tok.span, "more than %d results", MAX_LIST);
        if (!read_expect_kind(r, TOK_VALUE, "a value", &t))
            return false;
        vec_push(r->arena, out, t);
    } while (read_accept(r, ","));
    return read_expect(r, "=");
}

/* What stands between the op's name and its attributes. */
typedef struct {
    Token extra;          /* of call: the function; of const: the literal */
    const Symbol *symbol; /* of const: what it is called, or NULL */
    Values operands;
} Inputs;

/* inputs = SYMBOL `(` operands `)` (call) | [ label ] literal (const) | operands */
static bool parse_inputs(Reader *r, OpCode code, Inputs *out)
{
    Token *extra = &out->extra;

    if (code == OP_const) {
        if (!r->tok.starts_line && !read_label(r, &out->symbol))
            return false;
        *extra = r->tok;
        if ((extra->kind != TOK_NUMBER && extra->kind != TOK_NAME) || extra->starts_line)
            return read_unexpected(r, "a constant");
        read_next(r);
        return true;
    }
    if (code == OP_call)
        return read_expect_kind(r, TOK_SYMBOL, "a function", extra) && read_expect(r, "(") &&
               parse_operands(r, &out->operands) && read_expect(r, ")");
    return parse_operands(r, &out->operands);
}

/* result types = [ `:` types ], as many as there are results */
static bool parse_result_types(Reader *r, const Token *op, int n, Types *out)
{
    if (n > 0 && (!read_expect(r, ":") || !parse_types(r, out)))
        return false;
    return out->len == n || read_error(r, op->span, "%d results but %d types", n, out->len);
}

/* A site is a symbol that is a number: `@2`, one of those that stand above. */
static bool parse_site_number(Reader *r, int *out)
{
    Token t;

    if (!read_expect_kind(r, TOK_SYMBOL, "a site such as @1", &t))
        return false;
    for (int i = 1; i < r->module->sites.len; i++) {
        if (token_is(&t, arena_printf(r->arena, "%d", i))) {
            *out = i;
            return true;
        }
    }
    return read_error(r, t.span, "there is no site @%.*s", (int)MIN(t.len, 100), t.s);
}

/* op = results NAME inputs attributes result-types [ site ] { region } */
static bool parse_op(Reader *r, Func *f, Block *b)
{
    Tokens results = {0};
    Inputs in = {0};
    Types types = {0};
    Attrs attrs = {0};
    Token name;
    OpCode code;

    if (!parse_results(r, &results) || !read_expect_kind(r, TOK_NAME, "an op", &name))
        return false;
    if (!opcode_from_name(name.s, name.len, &code))
        return read_error(r, name.span, "unknown op `%.*s`", (int)MIN(name.len, 100), name.s);
    if (!parse_inputs(r, code, &in) || !read_attrs(r, code, &name, &attrs) ||
        !parse_result_types(r, &name, results.len, &types) ||
        (code == OP_const && !read_constant(r, &in.extra, &types, &attrs)))
        return false;

    Builder at = builder_at_end(f, b);
    at.span = name.span;
    if (r->tok.kind == TOK_SYMBOL && !r->tok.starts_line && !parse_site_number(r, &at.site))
        return false;
    Op *op = build_op(&at, code, in.operands.len, in.operands.at, attrs.n, attrs.at, types.len,
                      types.at ? types.at : (const Type *[]){NULL});
    for (int i = 0; i < COUNT(op->regions); i++) {
        if (op->regions[i] && !parse_region(r, f, op->regions[i]))
            return false;
    }
    for (int i = 0; i < results.len; i++) {
        op->results[i]->extents = types.extents.at[i];
        if (!define(r, &results.at[i], op->results[i]))
            return false;
    }
    if (code == OP_const)
        op->results[0]->number = in.symbol;
    if (code == OP_call) {
        Call call = {op, in.extra};
        vec_push(r->arena, &r->calls, call);
    }
    return r->tok.starts_line || read_is_at(r, "}") || read_unexpected(r, "the end of the line");
}

/* block = { op } `}` */
static bool parse_block(Reader *r, Func *f, Block *b)
{
    while (!read_accept(r, "}")) {
        if (!parse_op(r, f, b))
            return false;
    }
    return true;
}

/* --- functions --- */

/* source = `records` | `view` INT INT | `workspace` INT */
static bool parse_source(Reader *r, Param *out)
{
    int64_t of = 0, part = 0;
    Token word;

    if (!read_expect_kind(r, TOK_NAME, "`records`, `view` or `workspace`", &word))
        return false;
    if (token_is(&word, "records")) {
        out->kind = PARAM_RECORDS;
        return true;
    }
    if (token_is(&word, "workspace")) {
        out->kind = PARAM_WORKSPACE;
        return read_int(r, 1, IR_MOST_TILE_BYTES, &out->bytes);
    }
    if (!token_is(&word, "view"))
        return read_error(r, word.span, "expected `records`, `view` or `workspace`");
    if (!read_int(r, 0, MAX_LIST, &of) || !read_int(r, 0, MAX_LIST, &part))
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
    const Symbol *const *extents;
    const Type *type;
    Token name;

    if (f->nparams == MAX_LIST)
        return read_error(r, r->tok.span, "more than %d parameters", MAX_LIST);
    if (!parse_argument(r, &name, &type, &extents))
        return false;
    if (r->tok.kind == TOK_NAME && token_is(&r->tok, "div")) {
        read_next(r);
        if (!read_int(r, 1, INT64_MAX, &divisible))
            return false;
    }
    Value *v = func_add_param(f, read_symbol(r, &name), type, divisible);
    v->extents = extents;
    bool hidden = r->tok.kind == TOK_NAME && token_is(&r->tok, "hidden");
    if (hidden)
        read_next(r);
    return (!hidden || parse_source(r, &f->params[f->nparams - 1])) && define(r, &name, v);
}

/* launch = { ( `num_warps` | `num_stages` | `maxnreg` | `most_programs` ) `=` INT } */
static bool parse_launch(Reader *r, Func *f)
{
    const struct {
        const char *name;
        int *to;
        int most;
    } words[] = {{"num_warps", &f->num_warps, 1 << 16},
                 {"num_stages", &f->num_stages, 1 << 16},
                 {"maxnreg", &f->maxnreg, 1 << 16},
                 {"most_programs", &f->most_programs, INT32_MAX}};
    int64_t n;

    while (r->tok.kind == TOK_NAME) {
        int i = 0;
        while (i < COUNT(words) && !token_is(&r->tok, words[i].name))
            i++;
        if (i == COUNT(words))
            return read_unexpected(r,
                                   "`num_warps`, `num_stages`, `maxnreg`, `most_programs` or `{`");
        read_next(r);
        if (!read_expect(r, "=") || !read_int(r, 1, words[i].most, &n))
            return false;
        *words[i].to = (int)n;
    }
    return true;
}

/* function = ( `kernel` | `func` ) [ `noinline` ] SYMBOL `(` [ parameter { `,` parameter } ] `)`
 *            [ `->` types ] launch `{` block */
static bool parse_func(Reader *r)
{
    Types results = {0};
    Token word, name;

    if (!read_expect_kind(r, TOK_NAME, "`kernel` or `func`", &word))
        return false;
    bool is_kernel = token_is(&word, "kernel");
    if (!is_kernel && !token_is(&word, "func"))
        return read_error(r, word.span, "expected `kernel` or `func`");
    bool noinline = r->tok.kind == TOK_NAME && token_is(&r->tok, "noinline");
    if (noinline)
        read_next(r);
    if (!read_expect_kind(r, TOK_SYMBOL, "a name such as @add", &name))
        return false;
    Sym s = read_symbol(r, &name);
    if (map_get(r->funcs, MAP_KEY(s)))
        return read_error(r, name.span, "@%s is already defined", s);

    Func *f = func_new(r->module, s, name.span);
    f->is_kernel = is_kernel;
    f->noinline = noinline;
    map_put(r->funcs, MAP_KEY(s), f);
    r->values = map_new(r->arena);
    if (!read_expect(r, "("))
        return false;
    while (!read_is_at(r, ")")) {
        if (!parse_param(r, f) || (!read_is_at(r, ")") && !read_expect(r, ",")))
            return false;
    }
    read_next(r);
    if (read_accept(r, "->") && !parse_types(r, &results))
        return false;
    f->results = results.at;
    f->nresults = results.len;
    return parse_launch(r, f) && read_expect(r, "{") && parse_block(r, f, f->body);
}

/* sites = { `site` site SYMBOL [ site ] }: numbered from 1 on */
static bool parse_sites(Reader *r)
{
    for (int n = 1; r->tok.kind == TOK_NAME && token_is(&r->tok, "site"); n++) {
        CallSite s = {.call = r->tok.span, .callee_span = r->tok.span};
        Token number, callee;
        int parent = 0;

        read_next(r);
        if (!read_expect_kind(r, TOK_SYMBOL, "a site such as @1", &number))
            return false;
        if (!token_is(&number, arena_printf(r->arena, "%d", n)))
            return read_error(r, number.span, "expected @%d", n);
        if (!read_expect_kind(r, TOK_SYMBOL, "a function", &callee))
            return false;
        s.callee = read_symbol(r, &callee);
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
        Sym s = read_symbol(r, &call->name);

        call->op->callee = map_get(r->funcs, MAP_KEY(s));
        if (!call->op->callee)
            return read_error(r, call->name.span, "@%s is not defined", s);
    }
    return true;
}

Module *ir_read(Arena *a, Interner *interner, const Source *src, Diags *d)
{
    Reader r = {.arena = a, .src = src, .diags = d};

    r.module = module_new(a, interner, diags_sources(d));
    r.funcs = map_new(a);
    read_next(&r);
    if (!read_constexprs(&r) || !parse_sites(&r))
        return NULL;
    while (r.tok.kind != TOK_END) {
        if (!parse_func(&r))
            return NULL;
    }
    return resolve_calls(&r) && ir_verify(r.module, d) ? r.module : NULL;
}
