/*
 * parse_string.c - string literals and f-strings
 *
 * strings = STRING+: adjacent literals are one.  Any f-string among them makes an N_FSTRING of
 * text pieces and replacement fields.  Byte strings have no meaning in a kernel (R21).
 */
#include <string.h>

#include "parse.h"
#include "messages.h"

/* The text between the quotes of the string token in hand. */
static Span inner_span(const Token *t)
{
    return (Span){t->span.start + t->prefix + t->quotes, t->span.end - t->quotes};
}

static void push_text(Parser *p, Span where, int flags)
{
    Node *n = node_new(p, N_STRING, where.start);
    const char *text = parse_text(p, where.start);

    n->text = literal_string(p->arena, text, where.end - where.start, flags, &n->ntext);
    n->span.end = where.end;
    n->depth = 1;
    vec_push(p->arena, &p->list, n);
}

/* Behind what is literal text in an f-string at `pos`: at a single brace, or at the end. */
static uint32_t literal_text_end(const Parser *p, uint32_t pos, uint32_t end, int flags)
{
    const char *start = parse_text(p, pos), *stop = parse_text(p, end), *s = start;

    while (s < stop) {
        char c = *s;

        if (c == '\\' && !(flags & STR_RAW) && stop - s > 2 && s[1] == 'N' && s[2] == '{') {
            while (s < stop && *s != '}')
                s++;
        } else if ((c == '{' || c == '}') && stop - s > 1 && s[1] == c) {
            s++;
        } else if (c == '{' || c == '}') {
            break;
        }
        s++;
    }
    return pos + (uint32_t)(MIN(s, stop) - start);
}

/*
 * field = expression (',' expression)* ['='] ['!' NAME] [':' specification] '}'
 * `start` is behind the '{'; gives where the text goes on.  The field has a lexer of its own, so
 * that an error in it leaves the surrounding one where it was.
 */
static uint32_t field(Parser *p, uint32_t start, uint32_t end)
{
    Node *n = node_new(p, N_FORMAT, start - 1);
    const Token *t = &p->tok;
    uint32_t base = p->lex.source->base;

    p->openings.len = 0;
    lex_init_inside(&p->lex, p->interner, p->lex.source, (Span){start, end});
    p->tok = (Token){.kind = T_LBRACE, .span = {start - 1, start}};
    advance(p);
    n->left = p->tok.kind == T_yield ? parse_yield(p) : parse_tuple(p, parse_expression);
    if (accept(p, T_ASSIGN)) { /* `{x=}` shows its own text, then repr(x) */
        n->op = 'r';
        push_text(p, (Span){start, t->span.start}, STR_RAW);
    }
    if (accept(p, T_BANG)) {
        if (t->kind != T_NAME || !strchr("rsa", t->name[0]) || t->name[1])
            parse_error(p, t->span, E_FORMAT_CONVERSION);
        n->op = expect_name(p)[0];
    }
    if (t->kind == T_COLON || t->kind == T_WALRUS) {
        p->lex.pos = format_spec_end(p->lex.text, t->span.start + 1 - base, end - base);
        advance(p);
    }
    if (t->kind != T_RBRACE)
        parse_unexpected(p, "`}`");
    p->last_end = t->span.end;
    n = node_end(p, n);
    vec_push(p->arena, &p->list, n);
    return n->span.end;
}

/* The pieces of the f-string token in hand. */
static void format_pieces(Parser *p)
{
    Span inner = inner_span(&p->tok);
    int flags = p->tok.string;
    uint32_t pos = inner.start;

    while (pos < inner.end && p->tok.kind != T_FAILED) {
        uint32_t stop = literal_text_end(p, pos, inner.end, flags);

        if (stop > pos)
            push_text(p, (Span){pos, stop}, flags);
        pos = stop;
        if (pos < inner.end && *parse_text(p, pos) == '}')
            parse_error(p, (Span){pos, pos + 1}, E_SINGLE_BRACE);
        else if (pos < inner.end)
            pos = field(p, pos + 1, inner.end);
    }
}

/* Push the pieces of the string token in hand and go to the next. */
static void pieces(Parser *p)
{
    Lexer outer = p->lex;
    Token token = p->tok;
    int brackets = p->openings.len;

    if (!(token.string & STR_FORMAT)) {
        push_text(p, inner_span(&token), token.string);
    } else if (parse_enter(p)) {
        format_pieces(p);
    }
    if (token.string & STR_FORMAT)
        parse_leave(p);
    p->lex = outer;
    p->openings.len = brackets;
    if (p->tok.kind == T_FAILED) {
        p->error_at = token.span.start;
        return;
    }
    p->tok = token;
    advance(p);
}

/* Join the text pieces from `mark` on into one. */
static Node *joined_text(Parser *p, int mark, uint32_t start)
{
    Node *n = node_new(p, N_STRING, start);
    char *text;

    for (int i = mark; i < p->list.len; i++)
        n->ntext += p->list.at[i]->ntext;
    text = arena_alloc(p->arena, n->ntext + 1);
    n->text = text;
    for (int i = mark; i < p->list.len; i++) {
        memcpy(text, p->list.at[i]->text, p->list.at[i]->ntext);
        text += p->list.at[i]->ntext;
    }
    p->list.len = mark;
    return node_end(p, n);
}

Node *parse_strings(Parser *p)
{
    uint32_t start = p->tok.span.start;
    int mark = p->list.len, flags = 0;
    Node *n;

    while (p->tok.kind == T_STRING) {
        flags |= p->tok.string;
        pieces(p);
    }
    if (!(flags & (STR_FORMAT | STR_BYTES)))
        return joined_text(p, mark, start);
    if (flags & STR_BYTES) {
        p->list.len = mark;
        return node_unsupported(p, N_UNSUPPORTED_EXPR, "Bytes", start);
    }
    n = node_new(p, N_FSTRING, start);
    n->items = list_take(p, mark, &n->nitems);
    return node_end(p, n);
}
