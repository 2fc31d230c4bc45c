/*
 * parse_advice.c - what C and MATLAB have that Python writes otherwise, where a statement goes
 * wrong over it
 */
#include "parse.h"

#include <string.h>

/* Does the text at `place` begin with that? */
static bool stands_at(const Parser *p, uint32_t place, const char *text)
{
    size_t n = strlen(text);

    const Source *s = p->lex.source;
    return place >= s->base && place - s->base + n <= s->len &&
           memcmp(parse_text(p, place), text, n) == 0;
}

/* What a word in front of another one is to those who write it there; NULL: one of a declaration.
 */
static const struct {
    const char *word, *advice;
} words[] = {
    /* clang-format off */
    {"int"}, {"float"}, {"double"}, {"long"}, {"short"}, {"char"}, {"bool"}, {"half"}, {"void"},
    {"unsigned"}, {"signed"}, {"auto"}, {"const"}, {"static"}, {"var"}, {"let"}, {"local"}, {"val"},
    {"size_t"}, {"uint"}, {"int8_t"}, {"int16_t"}, {"int32_t"}, {"int64_t"}, {"uint8_t"},
    {"uint16_t"}, {"uint32_t"}, {"uint64_t"}, {"float2"}, {"float4"}, {"dim3"}, {"constexpr"},
    {"volatile"}, {"register"}, {"extern"}, {"mut"}, {"__constant__"},
    {"__shared__", "; tiles are values; the compiler chooses what lies in shared memory"},
    {"elseif",     "; Python writes `elif`"},
    {"elsif",      "; Python writes `elif`"},
    {"function",   "; a function is written `def f(x):`"},
    {"func",       "; a function is written `def f(x):`"},
    {"fn",         "; a function is written `def f(x):`"},
    {"foreach",    "; a loop is written `for i in range(start, end):`"},
    {"repeat",     "; a loop is written `for i in range(start, end):`"},
    {"do",         "; a loop is written `while x < n:`"},
    {"until",      "; a loop is written `while x < n:`"},
    {"unless",     "; Python writes `if not`"},
    {"switch",     "; Python writes `if` and `elif`"},
    {"case",       "; Python writes `if` and `elif`"},
    {"print",      "; print is a function: `print(...)`"},
    {"echo",       "; print is a function: `print(...)`"},
    {"goto",       "; loops and `if` say what is run next"},
    {"new",        "; a class is called: leave `new` out"},
    /* clang-format on */
};

/* The word that ends where the token before the one in hand does; "" when that is none. */
static const char *word_before(const Parser *p)
{
    const char *end = parse_text(p, p->last_end);
    uint32_t n = 0, most = p->last_end - p->lex.source->base;

    while (n < most && is_name_char(end[-1 - (int)n]))
        n++;
    return arena_strndup(p->arena, end - n, n);
}

/* Is the token before the one in hand a name that C, or another language, begins a statement with?
 */
static const char *advice_of_word(const Parser *p)
{
    bool points = p->tok.kind == T_STAR || p->tok.kind == T_AMP;
    const char *word = word_before(p);

    for (int i = 0; i < COUNT(words) && (points || p->tok.kind == T_NAME); i++) {
        if (strcmp(words[i].word, word) != 0)
            continue;
        return words[i].advice
                   ? words[i].advice
                   : arena_printf(p->arena, "; names are bound without types: leave `%s%s` out",
                                  word, points ? "*" : "");
    }
    return NULL;
}

/* `Var v = 3`: some word that begins its line, a name, and an assignment. */
static const char *advice_of_declaration(const Parser *p)
{
    const char *word = word_before(p);
    const char *at = parse_text(p, p->last_end) - strlen(word);
    const char *end = parse_text(p, p->tok.span.end);

    if (p->tok.kind != T_NAME || !word[0])
        return NULL;
    while (at > p->lex.source->text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    end += strspn(end, " ");
    if ((at > p->lex.source->text && at[-1] != '\n') || end[0] != '=' || end[1] == '=')
        return NULL;
    return arena_printf(p->arena, "; names are bound without a declaration: leave `%.40s` out",
                        word);
}

/* Is this the header of a `for` that has no `in` up to the end of the line? */
static bool is_foreign_loop(const Parser *p)
{
    const Source *s = p->lex.source;
    const char *at = parse_text(p, p->loop), *end;

    if (!p->loop)
        return false;
    end = memchr(at, '\n', s->len - (p->loop - s->base));
    end = end ? end : s->text + s->len;
    for (; end - at > 4; at++) {
        if (memcmp(at, " in ", 4) == 0 || memcmp(at, " in(", 4) == 0)
            return false;
    }
    return true;
}

/* `x'` of MATLAB: a quote right behind a value. */
static bool is_transposed(const Parser *p)
{
    return p->tok.kind == T_STRING && p->tok.span.start == p->last_end &&
           *parse_text(p, p->last_end) == '\'';
}

/* Does a value begin where the one before it has just ended? */
static bool begins_value(TokenKind kind)
{
    return kind == T_NAME || kind == T_INT || kind == T_FLOAT || kind == T_STRING;
}

/* `(float)x`: a type of C in brackets, right before what is in hand. */
static bool is_cast(const Parser *p)
{
    const char *at = parse_text(p, p->last_end);

    if (at == p->lex.source->text || at[-1] != ')')
        return false;
    for (int i = 0; i < COUNT(words); i++) {
        size_t n = strlen(words[i].word);
        if (!words[i].advice && (size_t)(at - p->lex.source->text) > n + 1 &&
            memcmp(at - 1 - n, words[i].word, n) == 0 && at[-2 - (ptrdiff_t)n] == '(')
            return true;
    }
    return false;
}

/* `(float4*)x`: the same of a pointer, where the bracket is in hand. */
static bool is_pointer_cast(const Parser *p)
{
    const char *end = parse_text(p, p->last_end);

    if (p->tok.kind != T_RPAREN || end == p->lex.source->text || end[-1] != '*')
        return false;
    for (int i = 0; i < COUNT(words); i++) {
        size_t n = strlen(words[i].word);
        if (!words[i].advice && (size_t)(end - p->lex.source->text) > n + 1 &&
            memcmp(end - 1 - n, words[i].word, n) == 0)
            return true;
    }
    return false;
}

/* `1:n` of MATLAB: a colon with something behind it in the line. */
static bool is_colon_of_range(const Parser *p)
{
    const char *behind = parse_text(p, p->tok.span.end);

    behind += strspn(behind, " ");
    return p->tok.kind == T_COLON && *behind && !strchr("\r\n#", *behind);
}

/* What brackets make of what is in hand, which Python writes otherwise; NULL: nothing. */
static const char *advice_in_brackets(const Parser *p)
{
    char opening = *parse_text(p, p->openings.at[p->openings.len - 1].start);

    if (p->tok.kind == T_ASSIGN)
        return "; a comparison is written `==`, an assignment inside of an expression `:=`";
    if (p->tok.kind == T_SEMICOLON && opening == '[')
        return "; tl.join and tl.cat make one tile of two";
    if (opening == '(' && is_colon_of_range(p))
        return "; elements stand in brackets, x[1:n], numbers that follow each other are "
               "tl.arange(0, N)";
    return begins_value(p->tok.kind) ? "; is a comma or an operator missing in front of it?" : NULL;
}

static const char loop_advice[] = "; a loop is written `for i in range(start, end):`";

const char *parse_advice(const Parser *p)
{
    /* clang-format off */
    static const struct {
        const char *text; /* that the error is in or behind, */
        int before;       /* so many bytes from its start */
        const char *advice;
    } table[] = {
        {"&&",     1, "; Python writes `and`, and `&` between tiles"},
        {"<<<",    2, "; a kernel starts no other: call a function with @triton.jit, f(x)"},
        {"||",     1, "; Python writes `or`, and `|` between tiles"},
        {"&",      0, "; a pointer is an address already: `x + i`"},
        {"++",     2, "; Python writes `i += 1`"},
        {"--",     2, "; Python writes `i -= 1`"},
        {" do:",   4, "; a loop is written `while x < n:`"},
        {"else if", 5, "; Python writes `elif`"},
        {"//",     0, "; a comment begins with `#`"},
        {"/*",     0, "; a comment begins with `#`"},
        {"%",      0, "; a comment begins with `#`"},
        {"{",      0, "; blocks are indented, without braces"},
        {"then",   0, "; a block begins with `:`"},
        {"do\n",   0, "; a block begins with `:`"},
        {"->",     0, "; a member is written `x.y`"},
        {"::",     1, "; a member is written `x.y`"},
        {"===",    2, "; Python writes `==`"},
        {"!==",    2, "; Python writes `!=`"},
        {"<>",     1, "; Python writes `!=`"},
        {"~=",     0, "; Python writes `!=`"},
        {"!=",     0, ""},
        {"!",      0, "; Python writes `not`"},
        {".*",     1, "; operators work element by element: write `*`"},
        {"./",     1, "; operators work element by element: write `/`"},
        {".^",     1, "; operators work element by element: a square is `x * x`"},
        {".'",     1, "; a transpose is written `x.T`"},
        {"..",     1, "; numbers are counted by `range(start, end)`"},
        {"print ", 6, "; print is a function: `print(...)`"},
        {"\xc3\x97",     0, "; a product is written `*`"},
        {"\xc2\xb7",     0, "; a product is written `*`"},
        {"\xc3\xb7",     0, "; a quotient is written `/`"},
        {"\xe2\x88\x92", 0, "; a minus is written `-`"},
        {"\xe2\x80\x93", 0, "; a minus is written `-`"},
        {"\xe2\x89\xa4", 0, "; Python writes `<=`"},
        {"\xe2\x89\xa5", 0, "; Python writes `>=`"},
        {"\xe2\x89\xa0", 0, "; Python writes `!=`"},
        {"\xe2\x80\x9c", 0, "; a text is written in straight quotes: \"...\""},
        {"\xe2\x80\x98", 0, "; a text is written in straight quotes: '...'"},
    };
    /* clang-format on */
    const uint32_t start = p->tok.span.start;

    if (is_foreign_loop(p))
        return loop_advice;
    for (int i = 0; i < COUNT(table); i++) {
        if (stands_at(p, start - (uint32_t)table[i].before, table[i].text))
            return table[i].advice;
    }
    const char *advice = advice_of_word(p);
    if (advice)
        return advice;
    if ((advice = advice_of_declaration(p)) != NULL)
        return advice;
    if (is_cast(p))
        return "; a conversion is written `x.to(tl.float32)`";
    if (is_transposed(p))
        return "; a transpose is written `x.T`";
    if (is_pointer_cast(p))
        return "; the type of a pointer is changed by x.to(tl.pointer_type(tl.float32))";
    if (p->tok.kind == T_AT)
        return "; a function has a name: `def` under @triton.jit";
    if (p->openings.len == 0 && is_colon_of_range(p))
        return "; numbers that follow each other are tl.arange(0, N)";
    if (p->openings.len > 0 && (advice = advice_in_brackets(p)) != NULL)
        return advice;
    return p->loop && p->openings.len == 0 ? loop_advice : "";
}
