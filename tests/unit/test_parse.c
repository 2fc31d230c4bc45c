/*
 * test_parse.c - the lexer, the parser and the scan for kernels
 *
 * Trees are compared in the form of ast.c folded into one line: children in parentheses.  Whole
 * files stand in tests/lang/files/, each with what the parser should find in it (NAME.want;
 * TILEC_UPDATE=1 rewrites them).
 */
#include <locale.h>
#include <string.h>

#include "../../src/api/language.h"
#include "../../src/names/file.h"
/* after base.h: cmocka makes fail() a macro */
#include "seed.h"
#include <cmocka.h>

typedef struct {
    Arena *arena;
    Interner *interner;
    Diags *diags;
} Fixture;

static int set_up(void **state)
{
    Arena *a = arena_new(NULL);
    Fixture *f = NEW(a, Fixture);

    *f = (Fixture){a, interner_new(a), diags_new(a, NULL)};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;

    arena_free(f->arena);
    return 0;
}

static FrontFile *parse_bytes(Fixture *f, const char *text, size_t n)
{
    const Source *src =
        source_add(diags_sources(f->diags), "t.py", arena_strndup(f->arena, text, n), n);

    return front_parse(f->arena, f->interner, &triton_language, src, NULL, f->diags);
}

static FrontFile *parse(Fixture *f, const char *text)
{
    return parse_bytes(f, text, strlen(text));
}

static const char HEAD[] = "import triton\n@triton.jit\ndef k():\n";
enum { HEAD_LINES = 3 };

/* The only kernel of a file whose body is `body`, every line of which is indented already. */
static const AstFunc *kernel(Fixture *f, const char *body)
{
    FrontFile *file = parse(f, arena_printf(f->arena, "%s%s", HEAD, body));

    assert_non_null(file);
    assert_int_equal(file->nkernels, 1);
    return file->kernels[0];
}

/* Indented lines as one line: what stands deeper goes into parentheses. */
static const char *fold(Arena *a, const char *tree)
{
    Text out = text_new(a);
    int depth = 0, before = -1;

    for (const char *s = tree; *s; s += strcspn(s, "\n") + 1) {
        for (depth = 0; s[2 * depth] == ' ';)
            depth++;
        if (depth > before && before >= 0)
            text_put(&out, "(");
        for (; before > depth; before--)
            text_put(&out, ")");
        if (depth == before && out.s[out.len - 1] != '(')
            text_put(&out, ", ");
        before = depth;
        text_putn(&out, s + 2 * depth, strcspn(s, "\n") - 2 * (size_t)depth);
    }
    for (; before > 0; before--)
        text_put(&out, ")");
    return out.s;
}

/* The statements of a kernel, folded. */
static const char *body_text(Fixture *f, const AstFunc *fn)
{
    static const char before[] = "jit k(body(";
    Text t = text_new(f->arena);
    char *s;

    ast_print(&t, fn);
    s = arena_printf(f->arena, "%s", fold(f->arena, t.s));
    assert_memory_equal(s, before, strlen(before));
    s[strlen(s) - 2] = '\0';
    return s + strlen(before);
}

typedef struct {
    const char *source, *want;
} Pair;

static void check_statements(Fixture *f, const Pair *pairs, int n)
{
    for (int i = 0; i < n; i++) {
        const AstFunc *fn = kernel(f, arena_printf(f->arena, "    %s\n", pairs[i].source));

        if (fn->nerrors)
            fail_msg("%s: %s", pairs[i].source, fn->errors[0].message);
        assert_string_equal(body_text(f, fn), pairs[i].want);
    }
}

static void check_expressions(Fixture *f, const Pair *pairs, int n)
{
    for (int i = 0; i < n; i++) {
        Pair wrapped = {pairs[i].source, arena_printf(f->arena, "expr(%s)", pairs[i].want)};

        check_statements(f, &wrapped, 1);
    }
}

/* expressions */

static void test_literals(void **state)
{
    static const Pair pairs[] = {
        {"0", "int 0"},
        {"1_000_000", "int 1000000"},
        {"0xFF_ff", "int 65535"},
        {"0o17", "int 15"},
        {"0b_1010", "int 10"},
        {"00", "int 0"},
        {"18446744073709551616", "int 18446744073709551616"},
        {"0x7fffffffffffffffffffffffffffffff", "int 170141183460469231731687303715884105727"},
        {"1.5", "float 1.5"},
        {"1.", "float 1"},
        {".5", "float 0.5"},
        {"1e-5", "float 1.0000000000000001e-05"},
        {"1_0.2_5E+1_0", "float 102500000000"},
        {"1e999", "float inf"},
        {"0.1", "float 0.10000000000000001"},
        {"1if x else 2", "conditional(int 1, name x, int 2)"},
        {"True, False, None, ...", "tuple(true, false, none, ellipsis)"},
        {"b'x'", "unsupported Bytes"},
    };

    check_expressions(*state, pairs, COUNT(pairs));
}

static void test_strings(void **state)
{
    static const Pair pairs[] = {
        {"'a\"b'", "string \"a\\\"b\""},
        {"\"a\" 'b'  r'\\n' u'c'", "string \"ab\\\\nc\""},
        {"'\\n\\t\\\\\\'\\x41\\101\\u00e9\\q'", "string \"\\n\\x09\\\\'AA\xc3\xa9\\\\q\""},
        {"'''a\n  'b' # no comment\n'''", "string \"a\\n  'b' # no comment\\n\""},
        {"'a\\\nb'", "string \"ab\""},
        {"''", "string \"\""},
        {"'\\U0001F600'", "string \"\xf0\x9f\x98\x80\""},
        {"f'{a}'", "fstring(format(name a))"},
        {"f'x{{{a!r:>{w}}}}y'", "fstring(string \"x{\", format !r(name a), string \"}y\")"},
        {"'p' f'{a + 1:0.3f}' 'q'",
         "fstring(string \"p\", format(binary +(name a, int 1)), string \"q\")"},
        {"f'{a = }'", "fstring(string \"a = \", format !r(name a))"},
        {"f\"{d[\"k\"]}\"", "fstring(format(subscript(name d, string \"k\")))"},
        {"f'{f\"{a}\"}'", "fstring(format(fstring(format(name a))))"},
        {"rf'\\d{a}'", "fstring(string \"\\\\d\", format(name a))"},
        {"f'{a:=^10}{(b := 1)}{lambda_}'",
         "fstring(format(name a), format(walrus b(int 1)), format(name lambda_))"},
        {"f'{x != y}{x!s}'", "fstring(format(compare !=(name x, name y)), format !s(name x))"},
        {"f'{ {1: 2}[1] }'", "fstring(format(subscript(unsupported Dict(int 1, int 2), int 1)))"},
        {"f'''{\n a\n}'''", "fstring(format(name a))"},
    };

    check_expressions(*state, pairs, COUNT(pairs));
}

static void test_operators_bind_as_in_python(void **state)
{
    static const Pair pairs[] = {
        {"a + b * c", "binary +(name a, binary *(name b, name c))"},
        {"(a + b) * c", "binary *(binary +(name a, name b), name c)"},
        {"a - b - c", "binary -(binary -(name a, name b), name c)"},
        {"-a ** -b", "unary -(binary **(name a, unary -(name b)))"},
        {"a ** b ** c", "binary **(name a, binary **(name b, name c))"},
        {"a | b ^ c & d << e",
         "binary |(name a, binary ^(name b, binary &(name c, binary <<(name d, name e))))"},
        {"a // b % c / d @ e",
         "binary @(binary /(binary %(binary //(name a, name b), name c), name d), name e)"},
        {"~a >> +b", "binary >>(unary ~(name a), unary +(name b))"},
        {"not a == b", "unary not(compare ==(name a, name b))"},
        {"a or b and not c", "bool or(name a, bool and(name b, unary not(name c)))"},
        {"a and b and c", "bool and(name a, name b, name c)"},
        {"a < b", "compare <(name a, name b)"},
        {"a < b <= c is not d", "compare < <= is not(name a, name b, name c, name d)"},
        {"a not in b", "compare not in(name a, name b)"},
        {"a & b == c", "compare ==(binary &(name a, name b), name c)"},
        {"a if b else c if d else e",
         "conditional(name a, name b, conditional(name c, name d, name e))"},
        {"(x := 1) + 2", "binary +(walrus x(int 1), int 2)"},
    };

    check_expressions(*state, pairs, COUNT(pairs));
}

static void test_calls_and_subscripts(void **state)
{
    static const Pair pairs[] = {
        {"f()", "call(name f)"},
        {"a.b.c(1, *d, e=2, **g,)",
         "call(attribute c(attribute b(name a)), int 1, starred(name d), "
         "keyword e(int 2), double-starred(name g))"},
        {"f(a)(b)[c].d", "attribute d(subscript(call(call(name f, name a), name b), name c))"},
        {"x[:, None]", "subscript(name x, tuple(slice(-, -, -), none))"},
        {"x[1:, :-1, ::2, a:b:c]",
         "subscript(name x, tuple(slice(int 1, -, -), slice(-, unary -(int 1), -), "
         "slice(-, -, int 2), slice(name a, name b, name c)))"},
        {"x[0]", "subscript(name x, int 0)"},
        {"x[0,]", "subscript(name x, tuple(int 0))"},
        {"x[...]", "subscript(name x, ellipsis)"},
        {"tl.load(p + offs,  # pointers\n  mask=m)",
         "call(attribute load(name tl), binary +(name p, name offs), keyword mask(name m))"},
    };

    check_expressions(*state, pairs, COUNT(pairs));
}

static void test_displays_and_what_is_not_supported(void **state)
{
    static const Pair pairs[] = {
        {"()", "tuple"},
        {"(a)", "name a"},
        {"(a,)", "tuple(name a)"},
        {"(a, (b, c))", "tuple(name a, tuple(name b, name c))"},
        {"[a, *b]", "list(name a, starred(name b))"},
        {"[]", "list"},
        {"[e for v in t if c]", "comprehension(name e, name v, name t, name c)"},
        {"[e for a in b for c in d]", "unsupported ListComp(name e, comprehension(name a, name b), "
                                      "comprehension(name c, name d))"},
        {"{a: b, **c}", "unsupported Dict(name a, name b, double-starred(name c), -)"},
        {"{a, b}", "unsupported Set(name a, name b)"},
        {"{}", "unsupported Dict"},
        {"lambda x, *y, z=1: x", "unsupported Lambda(name x, name x, starred y, keyword z(int 1))"},
        {"(yield)", "unsupported Yield"},
        {"await f(x)", "unsupported Await"},
        {"f(x for x in y)",
         "call(name f, unsupported GeneratorExp(name x, comprehension(name x, name y)))"},
    };

    check_expressions(*state, pairs, COUNT(pairs));
}

/* statements */

static void test_assignments(void **state)
{
    static const Pair pairs[] = {
        {"x = 1", "assign(name x, int 1)"},
        {"a = b = c", "assign(name a, name b, name c)"},
        {"a, b = b, a", "assign(tuple(name a, name b), tuple(name b, name a))"},
        {"(a, [b, *c]) = d", "assign(tuple(name a, list(name b, starred(name c))), name d)"},
        {"x += 1", "augmented +(name x, int 1)"},
        {"x //= y >> 1", "augmented //(name x, binary >>(name y, int 1))"},
        {"x **= 2; y @= z", "augmented **(name x, int 2), augmented @(name y, name z)"},
        {"x: tl.constexpr = 4", "annotated(name x, int 4, attribute constexpr(name tl))"},
        {"x: int", "annotated(name x, name int)"},
        {"x[i] = o.f = v", "assign(subscript(name x, name i), attribute f(name o), name v)"},
    };

    check_statements(*state, pairs, COUNT(pairs));
}

static void test_simple_statements(void **state)
{
    static const Pair pairs[] = {
        {"return", "return"},
        {"return a, b", "return(tuple(name a, name b))"},
        {"pass; pass;", "pass, pass"},
        {"assert a == b, 'm'", "assert(compare ==(name a, name b), string \"m\")"},
        {"break", "unsupported Break"},
        {"continue", "unsupported Continue"},
        {"raise ValueError(x) from y", "unsupported Raise"},
        {"del a, b", "unsupported Delete"},
        {"global a", "unsupported Global"},
        {"from a import (b, c)", "unsupported ImportFrom"},
        {"x \\\n + y", "expr(binary +(name x, name y))"},
        {"match = 1; match.x", "assign(name match, int 1), expr(attribute x(name match))"},
    };

    check_statements(*state, pairs, COUNT(pairs));
}

static void test_compound_statements(void **state)
{
    static const Pair pairs[] = {
        {"if a: b", "if(name a, body(expr(name b)))"},
        {"if a:\n        b\n    elif c:\n        d\n    else:\n        e",
         "if(name a, body(expr(name b)), else(if(name c, body(expr(name d)), "
         "else(expr(name e)))))"},
        {"for i, j in range(n):\n\n        # comment\n        x\n        y\n    else: z",
         "for(tuple(name i, name j), call(name range, name n), body(expr(name x), "
         "expr(name y)), else(expr(name z)))"},
        {"while (n := f()) > 0: pass",
         "while(compare >(walrus n(call(name f)), int 0), body(pass))"},
        {"with a as b, c:\n        d", "with(name a, name c, body(expr(name d)))"},
        {"with (a as b, c as d):\n        e", "with(name a, name c, body(expr(name e)))"},
        {"def f(x):\n        if y:\n            z\n    w", "function f, expr(name w)"},
        {"@g\n    def f(): pass\n    w", "function f, expr(name w)"},
        {"class A(B):\n        x = 1\n    w", "unsupported ClassDef, expr(name w)"},
        {"try:\n        a\n    except E as e:\n        b\n    finally:\n        c\n    w",
         "unsupported Try, expr(name w)"},
        {"async with a:\n        b", "unsupported AsyncWith"},
        {"match x:\n        case 1: y\n    w", "unsupported Match, expr(name w)"},
    };

    check_statements(*state, pairs, COUNT(pairs));
}

static void test_layout(void **state)
{
    Fixture *f = *state;
    static const char *const bodies[] = {
        "    if a:\n        b\n    c\n",
        "\tif a:\n\t\tb\n\tc\n",
        "    if a:\r\n        b\r\n    c\r\n",
        "    if a:\n      \f\n        b\n#\n\n    c",
        "    if a: # x\n  # less\n             b\n        # more\n    c\n  \n",
    };

    for (int i = 0; i < COUNT(bodies); i++) {
        const AstFunc *fn = kernel(f, bodies[i]);

        assert_int_equal(fn->nerrors, 0);
        assert_string_equal(body_text(f, fn), "if(name a, body(expr(name b))), expr(name c)");
    }
}

static void test_decimal_points_in_any_locale(void **state)
{
    Fixture *f = *state;

    setlocale(LC_ALL, "de_DE.UTF-8"); /* changes nothing where it is not installed */
    assert_string_equal(body_text(f, kernel(f, "    1.5\n")), "expr(float 1.5)");
    setlocale(LC_ALL, "C");
}

/* functions */

static void test_parameters(void **state)
{
    Fixture *f = *state;
    FrontFile *file = parse(f, "import triton\n@triton.jit\ndef k(a, /, b: tl.int32,\n"
                               "      C: tl.constexpr = 4, D: \"constexpr\" = None, *rest) -> x:\n"
                               "    return\n");
    const AstFunc *fn = file->kernels[0];

    assert_int_equal(fn->nerrors, 0);
    assert_int_equal(fn->nparams, 5);
    assert_string_equal(fn->params[0].name, "a");
    assert_null(fn->params[0].annotation);
    assert_int_equal(fn->params[1].annotation->kind, N_ATTRIBUTE);
    assert_false(fn->params[1].is_constexpr);
    assert_true(fn->params[2].is_constexpr);
    assert_int_equal(fn->params[2].default_value->integer, 4);
    assert_true(fn->params[3].is_constexpr);
    assert_int_equal(fn->params[3].default_value->kind, N_NONE);
    assert_true(fn->params[4].is_star);
}

/* The n-th node of a kind in the order of printing. */
static const Node *find(const Node *n, NodeKind kind, int *count)
{
    const Node *found = NULL;

    if (!n || (n->kind == kind && (*count)-- == 0))
        return n;
    found = find(n->left, kind, count);
    found = found ? found : find(n->right, kind, count);
    found = found ? found : find(n->extra, kind, count);
    for (int i = 0; i < n->nitems && !found; i++)
        found = find(n->items[i], kind, count);
    for (int i = 0; i < n->nbody && !found; i++)
        found = find(n->body[i], kind, count);
    return found;
}

static void test_spans(void **state)
{
    static const struct {
        const char *source;
        NodeKind kind;
        int index;
        const char *want;
    } cases[] = {
        {"x = (a + b) * c", N_ASSIGN, 0, "x = (a + b) * c"},
        {"x = (a + b) * c", N_BINARY, 0, "(a + b) * c"},
        {"x = (a + b) * c", N_BINARY, 1, "a + b"},
        {"f( a , k = b )", N_CALL, 0, "f( a , k = b )"},
        {"f( a , k = b )", N_KEYWORD, 0, "k = b"},
        {"(a).b [ 1 ]", N_SUBSCRIPT, 0, "(a).b [ 1 ]"},
        {"(a).b [ 1 ]", N_ATTRIBUTE, 0, "(a).b"},
        {"(a).b [ 1 ]", N_NAME, 0, "a"},
        {"x[ 1 : 2 , : ]", N_SLICE, 0, "1 : 2"},
        {"x[ 1 : 2 , : ]", N_TUPLE, 0, "1 : 2 , :"},
        {"not  a  # b", N_UNARY, 0, "not  a"},
        {"( a , b )", N_TUPLE, 0, "( a , b )"},
        {"'a' \\\n  'b'", N_STRING, 0, "'a' \\\n  'b'"},
        {"f'x{ a!r:>3}y'", N_FORMAT, 0, "{ a!r:>3}"},
        {"f'x{ a!r:>3}y'", N_NAME, 0, "a"},
        {"f'x{ a!r:>3}y'", N_FSTRING, 0, "f'x{ a!r:>3}y'"},
        {"if a:\n        b\n\n    # c", N_IF, 0, "if a:\n        b"},
        {"a if b else c", N_CONDITIONAL, 0, "a if b else c"},
        {"a < b", N_COMPARE, 0, "a < b"},
        {"{1: 2}", N_UNSUPPORTED_EXPR, 0, "{1: 2}"},
        {"raise x  # y", N_UNSUPPORTED_STMT, 0, "raise x"},
        {"try:\n        a\n    finally:\n        b\n", N_UNSUPPORTED_STMT, 0,
         "try:\n        a\n    finally:\n        b"},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        const AstFunc *fn = kernel(f, arena_printf(f->arena, "    %s\n", cases[i].source));
        uint32_t base = source_of(diags_sources(f->diags), fn->span.start)->base;
        int index = cases[i].index;
        const Node *n = find(fn->body[0], cases[i].kind, &index);
        size_t len = strlen(cases[i].want);

        assert_non_null(n);
        assert_int_equal(n->span.start + len, n->span.end);
        /* the kernel's text is the fixture's text: HEAD, four blanks, the source */
        assert_memory_equal(cases[i].source + (n->span.start - base - strlen(HEAD) - 4),
                            cases[i].want, len);
    }
}

/* errors */

/* The errors of one kernel as `line:column message` lines; lines count from the body's first. */
static const char *errors_text(Fixture *f, const char *body)
{
    const AstFunc *fn = kernel(f, body);
    Text tree = text_new(f->arena), t = text_new(f->arena);

    ast_print(&tree, fn); /* what is left of the tree can be printed all the same */
    text_put(&t, "");
    for (int i = 0; i < fn->nerrors; i++) {
        Place at = source_place(diags_sources(f->diags), fn->errors[i].span.start);

        text_printf(&t, "%s%d:%d %s", i ? "\n" : "", at.line - HEAD_LINES, at.column,
                    fn->errors[i].message);
    }
    return t.s;
}

static void test_error_messages(void **state)
{
    static const Pair pairs[] = {
        {"    x = \n", "1:9 expected an expression, found the end of the line"},
        {"    x = 1 2\n", "1:11 expected an operator or the end of the line, found an integer"},
        {"    x = a b\n", "1:11 expected an operator or the end of the line, found `b`"},
        {"    f(a b)\n",
         "1:9 expected `,` or `)`, found `b`; is a comma or an operator missing in front "
         "of it?"},
        {"    int i = 0\n",
         "1:9 expected an operator or the end of the line, found `i`; names are bound "
         "without types: leave `int` out"},
        {"    i := 3\n", "1:5 `:=` stands inside of expressions; a statement writes `i = ...`"},
        {"    f(a, if)\n", "1:10 expected an expression, found `if`"},
        {"    x[1\n", "1:6 this `[` is never closed"},
        {"    x = (1 +\n    y = 2\n", "1:9 this `(` is never closed"},
        {"    x = (1 + [2\n    return x\n", "1:14 this `[` is never closed"},
        {"    x = 1)\n", "1:10 this `)` closes nothing"},
        {"    x = (1]\n", "1:11 expected `,` or `)`, found `]`"},
        {"    if a = b:\n        c\n", "1:10 expected `:`, found `=`; the comparison is `==`"},
        {"    if a\n        b\n", "1:9 expected `:`, found the end of the line"},
        {"    if a:\n    b\n", "1:10 an indented block has to follow this `:`"},
        {"    a\n      b\n", "2:7 this line is indented more than the block that it is in"},
        {"    if a:\n        b\n      c\n", "3:1 this indentation matches no block above"},
        {"    1 = a\n", "1:5 this expression cannot be assigned to"},
        {"    f(x) = a\n", "1:5 a call cannot be assigned to; memory is written by "
                           "tl.store(pointer + i, value)"},
        {"    a == b = c\n", "1:5 a comparison cannot be assigned to; is one `=` too many?"},
        {"    a, b += c\n", "1:5 only one name can be assigned to here"},
        {"    1 += a\n", "1:5 this expression cannot be assigned to"},
        {"    'abc\n", "1:5 this string has no end"},
        {"    '''abc\n", "1:5 this triple-quoted string has no end"},
        {"    f'{a'\n", "1:5 this string has no end"},
        {"    f'a}'\n", "1:8 a single `}` in an f-string; a brace in its text is `}}`"},
        {"    f'{}'\n", "1:8 expected an expression, found `}`"},
        {"    f'{a!x}'\n", "1:10 expected `r`, `s` or `a` behind `!`"},
        {"    f'{a b}'\n",
         "1:10 expected `}`, found `b`; is a comma or an operator missing in front of it?"},
        {"    x = 3j\n",
         "1:9 imaginary numbers are not supported: keep the two parts in names of their own"},
        {"    x = 012\n", "1:9 a number cannot begin with 0; octal is 0o..."},
        {"    x = 0x\n", "1:9 this is not a number"},
        {"    x = 1__0\n", "1:9 this is not a number"},
        {"    x = 12abc\n", "1:9 this is not a number; a product is written `2 * x`"},
        {"    x = 170141183460469231731687303715884105728\n",
         "1:9 this integer needs more than 127 bits"},
        {"    x = a ? b\n",
         "1:11 this character has no meaning here; a choice is written `a if c else b`"},
        {"    x = a \\ b\n", "1:11 only a new line may follow a backslash"},
        {"    else:\n        a\n", "1:5 expected an expression, found `else`"},
        {"    return = 1\n", "1:12 expected an operator or the end of the line, found `=`"},
        {"    f(b=2, 3)\n", "1:12 positional argument follows keyword argument"},
        {"    f(**d, 3)\n", "1:12 positional argument follows keyword argument"},
        {"    f(**d, *t)\n", "1:12 positional argument follows keyword argument"},
        {"    f(1, *t, 2, b=2, *t, **d, c=3)\n", ""},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(pairs); i++)
        assert_string_equal(errors_text(f, pairs[i].source), pairs[i].want);
}

static void test_independent_errors_are_all_found(void **state)
{
    Fixture *f = *state;

    assert_string_equal(
        errors_text(f, "    a = = 1\n"
                       "    if x:\n"
                       "        b = f(\n"
                       "            1 2,\n"
                       "        )\n"
                       "        c = 1\n"
                       "    while y\n"
                       "        d = = 2\n"
                       "    else:\n"
                       "        e = 3\n"
                       "    g = 'h\n"
                       "    i = '''\n"
                       "  ''' + 1 j\n"
                       "    k = 1\n"),
        "1:9 expected an expression, found `=`\n"
        "4:15 expected `,` or `)`, found an integer; is a comma or an operator missing "
        "in front of it?\n"
        "7:12 expected `:`, found the end of the line\n"
        "11:9 this string has no end\n"
        "13:11 expected an operator or the end of the line, found `j`");
}

static void test_the_twentieth_error_is_the_last(void **state)
{
    Fixture *f = *state;
    Text t = text_new(f->arena);

    for (int i = 0; i < 1000; i++)
        text_put(&t, "    = 1\n");
    assert_int_equal(kernel(f, t.s)->nerrors, 20);
}

static const char *repeat(Arena *a, const char *before, const char *s, int n, const char *after)
{
    Text t = text_new(a);

    text_put(&t, before);
    for (int i = 0; i < n; i++)
        text_put(&t, s);
    text_put(&t, after);
    return t.s;
}

static void test_deep_nesting_is_an_error(void **state)
{
    static const struct {
        const char *before, *s, *after, *want;
    } cases[] = {
        {"    x = ", "(", "\n", "1:209 this is nested too deeply"},
        {"    x = ", "[", "\n", "1:209 this is nested too deeply"},
        {"    x = ", "-", "1\n", "1:209 this is nested too deeply"},
        {"    x = ", "not ", "1\n", "1:809 this is nested too deeply"},
        {"    x = a", "**a", "\n", "1:609 this is nested too deeply"},
        {"    x = ", "lambda: ", "a\n", "1:1609 this is nested too deeply"},
        {"    x = ", "a if b else ", "c\n", "1:2409 this is nested too deeply"},
        {"    x = ", "f(", "\n", "1:409 this is nested too deeply"},
        {"    x = a", "+a", "\n", NULL},
        {"    x = a", ".a", "\n", NULL},
        {"    x = a", "[0]", "\n", NULL},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        const char *body = repeat(f->arena, cases[i].before, cases[i].s, 20000, cases[i].after);

        assert_string_equal(errors_text(f, body),
                            cases[i].want ? cases[i].want
                                          : "1:9 this expression has too many levels; give parts "
                                            "of it names");
    }
    /* what people may write is not deep */
    assert_int_equal(kernel(f, repeat(f->arena, "    x = ", "(", 190, "1" /* ... */))->nerrors, 1);
    assert_int_equal(kernel(f, repeat(f->arena, "    x = a", "+a", 900, "\n"))->nerrors, 0);
}

/* files */

static void test_what_is_no_kernel_file(void **state)
{
    static const char utf16[] = "\xff\xfe"
                                "i\0m\0p\0";
    Fixture *f = *state;
    const char *text;

    assert_null(parse_bytes(f, utf16, sizeof utf16 - 1));
    assert_null(parse(f, ""));
    assert_null(parse(f, "def softmax(x):\n    return (\n\ndef add(): pass\n"));
    text = diags_text(f->diags, f->arena);
    assert_non_null(strstr(text, "this is not a text file: byte 3 is 0"));
    assert_non_null(strstr(text, "there is no function with @triton.jit in this file"));
    assert_non_null(strstr(text, "it has `softmax`, `add`"));
}

static void test_a_string_that_takes_in_the_kernels(void **state)
{
    Fixture *f = *state;

    assert_null(
        parse(f, "import triton\nx = 'a', \"\"\"unclosed\n@triton.jit\ndef k(x):\n    pass\n"));
    assert_string_equal(
        diags_text(f->diags, f->arena),
        "t.py: error: there is no function with @triton.jit in this file\n"
        "t.py:2:10: note: this string has no end, and what stands behind it is part "
        "of it\n"
        "    x = 'a', \"\"\"unclosed\n"
        "             ^~~\n");
}

static void test_errors_wait_until_the_function_is_needed(void **state)
{
    Fixture *f = *state;
    FrontFile *file = parse(f, "import triton\n@triton.jit\ndef bad(x):\n    y = (\n"
                               "@triton.jit\ndef good(x):\n    y = 1\n");

    assert_int_equal(file->nkernels, 2);
    assert_int_equal(diag_errors(f->diags), 0);
    assert_false(file_report_errors(file->kernels[1], f->diags));
    assert_true(file_report_errors(file->kernels[0], f->diags));
    assert_string_equal(diags_text(f->diags, f->arena),
                        "t.py:4:9: error: this `(` is never closed\n"
                        "        y = (\n"
                        "            ^\n");
}

static void test_which_definition_counts(void **state)
{
    Fixture *f = *state;
    FrontFile *file = parse(f, "import triton\n"
                               "try:\n"
                               "    import a as m\n"
                               "    LIMIT = 1\n"
                               "except ImportError:\n"
                               "    import b as m\n"
                               "    LIMIT = 2\n"
                               "def test():\n"
                               "    import c as m\n"
                               "    @triton.jit\n"
                               "    def f(): return 1\n"
                               "    @triton.jit\n"
                               "    def g(): return f()\n"
                               "    def g(): return 0\n"
                               "@triton.jit\n"
                               "def f(): return 2\n"
                               "if True:\n"
                               "    @triton.jit\n"
                               "    def f(): return 3\n"
                               "else:\n"
                               "    def f(): return 4\n");
    Sym name = intern(f->interner, "f");
    const AstFunc *g = file_find(file, intern(f->interner, "g"));

    assert_string_equal(file_import(file, intern(f->interner, "m"))->module, "a");
    assert_int_equal(file_global(file, intern(f->interner, "LIMIT"))->value->integer, 1);
    assert_int_equal(file_find(file, name)->body[0]->left->integer, 3);
    assert_int_equal(file_find_from(file, g, name)->body[0]->left->integer, 1);
    assert_int_equal(file_find(file, intern(f->interner, "test.f"))->body[0]->left->integer, 1);
    assert_ptr_equal(file_find(file, intern(f->interner, "test.g")), g);
    assert_null(file_find(file, intern(f->interner, "est.f")));
    assert_null(file_find(file, intern(f->interner, "x.f")));
    assert_string_equal(front_kernel_name(file, 0), "test.f");
    assert_string_equal(front_kernel_name(file, 1), "g");
}

/* The kernel that stands for a file, or "" */
static const char *only_kernel(Fixture *f, const char *kernels)
{
    FrontFile *file = parse(f, arena_printf(f->arena, "from triton import jit\n%s", kernels));
    int i = front_only_kernel(file);

    return i < 0 ? "" : front_kernel_name(file, i);
}

static void test_helpers_are_not_the_only_kernel(void **state)
{
#define HELPER "@jit\ndef h(a): a\n"
#define VALUE "@jit\ndef v(a):\n  if a: return a\n"
    static const struct {
        const char *text, *only;
    } cases[] = {
        {HELPER, "h"},
        {VALUE, "v"},
        {VALUE HELPER, "h"},
        {VALUE "@jit\ndef w(x): return 1\n", ""},
        {VALUE "@jit\ndef k(x): return\n", "k"},
        {HELPER "@jit\ndef k(x): h(x)\n", "k"},
        {"@jit\ndef k(x): tl.reduce(x, 0, h)\n" HELPER, "k"},
        {"@jit\ndef k(x):\n  for i in range(x):\n    if i: y = [h(1)]\n" HELPER, "k"},
        {HELPER "@jit\ndef g(x): h(x)\n@jit\ndef k(x): g(x)\n", "k"},
        {HELPER "@jit\ndef k(x): pass\n", ""},
        {HELPER "@jit\ndef k(h): h(1)\n", ""},
        {HELPER "@jit\ndef k(x):\n  i, h = x\n  y = h\n", ""},
        {HELPER "@jit\ndef k(x): x[h] = 1\n", "k"},
        {HELPER "@jit\ndef k(x): x.h(1)\n", ""},
        {HELPER "@jit\ndef k(x): h(1)\n@jit\ndef l(x): h(1)\n", ""},
        {"@jit\ndef a(x): a(x)\n", "a"},
        {"@jit\ndef a(x): b(x)\n@jit\ndef b(x): a(x)\n", ""},
        {"if 1:\n  @jit\n  def a(x): pass\nelse:\n  @jit\n  def a(x): pass\n", "a"},
        {"if 1:\n  @jit\n  def a(x): pass\nelse:\n  @jit\n  def a(x): pass\n"
         "@jit\ndef k(x): a(x)\n",
         "k"},
        {"def f():\n  @jit\n  def h(x): pass\n  @jit\n  def k(x): h(x)\n", "k"},
        {HELPER "def f():\n  @jit\n  def h(x): pass\n  @jit\n  def k(x): h(x)\n", ""},
    };
#undef HELPER
#undef VALUE

    for (int i = 0; i < COUNT(cases); i++)
        assert_string_equal(only_kernel(*state, cases[i].text), cases[i].only);
}

/* What there is to know about a file, for comparison with NAME.want. */

static void put_source(Text *t, const FrontFile *f, Span where)
{
    for (uint32_t i = where.start; i < where.end; i++) {
        const char *c = source_at(f->source, i);

        if (*c != '\n')
            text_putn(t, c, 1);
        else if (c[1] != ' ')
            text_put(t, " ");
    }
}

static void put_binding(Text *t, const FrontFile *f, const FrontBinding *b)
{
    Place at;

    if (b->known)
        text_printf(t, " %s=%s", b->name, const_text(&b->value, t->arena));
    else
        text_printf(t, " %s=`%s`", b->name, b->text);
    if (!b->why)
        return;
    at = source_place(f->set->sources, b->where.start);
    text_printf(t, " (%d:%d: %s)", at.line, at.column, b->why);
}

static void put_tuning(Text *t, const FrontFile *f, const FrontTuning *tuning)
{
    for (int i = 0; i < tuning->nconfigs; i++) {
        text_put(t, "  config");
        for (int k = 0; k < tuning->configs[i].nbindings; k++)
            put_binding(t, f, &tuning->configs[i].bindings[k]);
        if (tuning->configs[i].hook)
            text_printf(t, " hook `%s`", tuning->configs[i].hook);
        text_put(t, "\n");
    }
    for (int i = 0; i < tuning->nheuristics; i++) {
        text_put(t, "  heuristic");
        put_binding(t, f, &tuning->heuristics[i]);
        text_put(t, "\n");
    }
}

static void put_scope(Text *t, const AstScope *s)
{
    if (!s)
        return;
    put_scope(t, s->outer);
    text_printf(t, "%s.", s->name);
}

static void put_function(Text *t, const FrontFile *f, const AstFunc *fn)
{
    text_printf(t, "%s ",
                fn->is_jit                  ? "kernel"
                : fn->is_constexpr_function ? "constexpr function"
                                            : "function");
    put_scope(t, fn->scope);
    text_printf(t, "%s, line %d%s\n", fn->name,
                source_place(f->set->sources, fn->extent.start).line,
                fn->noinline ? ", noinline" : "");
    for (int i = 0; i < fn->nparams; i++) {
        text_put(t, "  param ");
        put_source(t, f, fn->params[i].span);
        text_put(t, fn->params[i].is_constexpr ? " (constexpr)\n" : "\n");
    }
    for (int i = 0; i < fn->do_not_specialize.n; i++)
        text_printf(t, "  do not specialize %s\n", fn->do_not_specialize.at[i]);
    if (fn->tuning) /* of kernels */
        put_tuning(t, f, fn->tuning);
    for (int i = 0; i < fn->nerrors; i++) {
        Place at = source_place(f->set->sources, fn->errors[i].span.start);

        text_printf(t, "  %d:%d: %s\n", at.line, at.column, fn->errors[i].message);
    }
    if (fn->nbody > 0 && fn->nerrors == 0)
        text_printf(t, "  %d statements\n", fn->nbody);
}

static const char *summary(const FrontFile *f)
{
    Text t = text_new(f->arena);

    for (int i = 0; i < f->nimports; i++) {
        const AstImport *m = &f->imports[i];

        text_printf(&t, "import %s = %s%s%s%s\n", m->name, m->module, m->member ? " : " : "",
                    m->member ? m->member : "", m->goes_last ? " (fallback)" : "");
    }
    for (int i = 0; i < f->nglobals; i++) {
        text_printf(&t, "global %s = ", f->globals[i].name);
        if (f->globals[i].value->kind == N_UNSUPPORTED_EXPR)
            text_put(&t, f->globals[i].value->name);
        else
            put_source(&t, f, f->globals[i].value->span);
        text_put(&t, "\n");
    }
    for (int i = 0; i < f->nfuncs; i++)
        put_function(&t, f, f->funcs[i]);
    return t.s;
}

static void check_file(Fixture *f, const char *path)
{
    const char *want_path = arena_printf(f->arena, "%s.want", path), *found;
    char *text, *want;
    size_t n;
    FrontFile *file;

    assert_int_equal(
        os_read_file(f->arena, arena_printf(f->arena, "%s.py", path), 1 << 20, &text, &n), 0);
    file = parse_bytes(f, text, n);
    assert_non_null(file);
    found = summary(file);
    if (os_env("TILEC_UPDATE"))
        os_write_file(want_path, found, strlen(found));
    assert_int_equal(os_read_file(f->arena, want_path, 1 << 20, &want, &n), 0);
    assert_string_equal(found, want);
}

static void test_whole_files(void **state)
{
    static const char *const names[] = {"host",  "nested",  "tuned", "configurations",
                                        "grown", "aliases", "broken"};
    Fixture *f = *state;
    const char *root = os_env("TILEC_SOURCE");

    for (int i = 0; i < COUNT(names); i++)
        check_file(f,
                   arena_printf(f->arena, "%s/tests/lang/files/%s", root ? root : ".", names[i]));
}

/* Hostile text: no crash, no endless loop, and every position inside the text. */

static void check_spans_inside(const Node *n, size_t size)
{
    if (!n)
        return;
    assert_true(n->span.start <= n->span.end && n->span.end <= size);
    assert_true(n->depth <= AST_MAX_DEPTH);
    check_spans_inside(n->left, size);
    check_spans_inside(n->right, size);
    check_spans_inside(n->extra, size);
    for (int i = 0; i < n->nitems; i++)
        check_spans_inside(n->items[i], size);
    for (int i = 0; i < n->nbody; i++)
        check_spans_inside(n->body[i], size);
    for (int i = 0; i < n->norelse; i++)
        check_spans_inside(n->orelse[i], size);
}

static void test_random_words(void **state)
{
    static const char *const words[] = {
        "x",       " ",      "\n    ",  "\n        ", "\n",     "(",
        ")",       "[",      "]",       "{",          "}",      "f'",
        "'",       "\"\"\"", ":",       "=",          "if ",    "#",
        "for ",    "in ",    "def f",   "@",          "1.",     "\\\n",
        "else",    "elif",   "lambda ", ",",          "not ",   "with ",
        "match ",  "\xc3",   ";",       ".",          "*",      "!",
        "yield ",  "\t",     "\r",      "try:",       "class ", "@triton.jit\ndef k(x):\n    ",
        "import ", "from ",  "as ",     "return ",    "{{",     "}}",
    };
    uint64_t seed = own_seed(1);
    int errors = 0;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        Arena *a = arena_new(NULL);
        Fixture one = {a, interner_new(a), diags_new(a, NULL)};
        Text t = text_new(a);
        FrontFile *file;
        size_t size;

        text_put(&t, HEAD);
        for (int k = 0; k < 60; k++) {
            seed = hash_bytes(&seed, sizeof seed, (uint64_t)k);
            text_put(&t, words[seed % COUNT(words)]);
        }
        size = t.len;
        file = parse_bytes(&one, t.s, size);
        assert_non_null(file);
        for (int k = 0; k < file->nkernels; k++) {
            const AstFunc *fn = file->kernels[k];

            errors += fn->nerrors;
            ast_print(&t, fn);
            for (int j = 0; j < fn->nbody; j++)
                check_spans_inside(fn->body[j], file->source->base + size);
        }
        arena_free(a);
    }
    assert_true(errors > 2000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_literals),
        TEST(test_strings),
        TEST(test_operators_bind_as_in_python),
        TEST(test_calls_and_subscripts),
        TEST(test_displays_and_what_is_not_supported),
        TEST(test_assignments),
        TEST(test_simple_statements),
        TEST(test_compound_statements),
        TEST(test_layout),
        TEST(test_decimal_points_in_any_locale),
        TEST(test_parameters),
        TEST(test_spans),
        TEST(test_error_messages),
        TEST(test_independent_errors_are_all_found),
        TEST(test_the_twentieth_error_is_the_last),
        TEST(test_deep_nesting_is_an_error),
        TEST(test_what_is_no_kernel_file),
        TEST(test_a_string_that_takes_in_the_kernels),
        TEST(test_errors_wait_until_the_function_is_needed),
        TEST(test_which_definition_counts),
        TEST(test_helpers_are_not_the_only_kernel),
        TEST(test_whole_files),
        TEST(test_random_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
