/*
 * classes.c - the classes of a file that mean something in kernels
 *
 * Of most classes only the functions in them do, and what they assign, as constants.  Named tuples
 * and aggregates have fields, in the order of their text; enumerations have members.
 */
#include <string.h>

#include "../syntax/lex.h"
#include "decorators.h"
#include "file.h"

/* Bases of bases; bounds cycles. */
enum { MAX_BASES = 16 };

/* --- what a class is --- */

static bool is_one_of(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static const char *last_name(const char *dotted)
{
    const char *dot = strrchr(dotted, '.');

    return dot ? dot + 1 : dotted;
}

/* By the name of a base, whatever module it comes from. */
static AstClassKind kind_of_base(const FrontFile *f, const Node *base)
{
    static const char *const enums[] = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"};
    const char *full = file_full_name(f, base);

    if (full && strcmp(last_name(full), "NamedTuple") == 0)
        return CLASS_NAMED_TUPLE;
    return full && is_one_of(last_name(full), enums, COUNT(enums)) ? CLASS_ENUM : CLASS_OTHER;
}

static AstClassKind kind_of_class(const FrontFile *f, const AstClass *c, const ScanClass *scan)
{
    AstClassKind kind = CLASS_OTHER;

    for (int i = 0; i < scan->ndecorators; i++) {
        if (decorator_at(f, scan->decorators[i]) == DECO_AGGREGATE)
            return CLASS_AGGREGATE;
    }
    for (int i = 0; i < c->nbases && kind == CLASS_OTHER; i++)
        kind = kind_of_base(f, c->bases[i]);
    return kind;
}

/* --- reading --- */

static AstClass *new_class(FrontFile *f, const ScanClass *scan)
{
    Node *header = scan_class_header(f->arena, f->interner, f->source, scan->header);
    AstClass *c = NEW(f->arena, AstClass);

    *c = (AstClass){.name = scan->body->name,
                    .file = f,
                    .scope = scan->scope,
                    .body = scan->body,
                    .span = scan->header,
                    .in_except = scan->in_except,
                    .choice = scan->choice};
    if (header && header->kind == N_CALL) {
        c->bases = header->items;
        c->nbases = header->nitems;
    }
    c->kind = kind_of_class(f, c, scan);
    return c;
}

static void read_fields(FrontFile *f, AstClass *c, const Scan *scan)
{
    VEC(AstField) fields = {0};
    AstField field;

    for (int i = 0; i < scan->locals.len; i++) {
        if (scan->locals.at[i].scope == c->body &&
            scan_field(f->arena, f->interner, f->source, &scan->locals.at[i], &field))
            vec_push(f->arena, &fields, field);
    }
    c->fields = fields.at;
    c->nfields = fields.len;
}

/* A decorator or base under a name of which the file says nothing may make anything of it. */
static bool may_have_fields(const AstClass *c, const ScanClass *scan)
{
    return c->kind != CLASS_ENUM && (c->nbases > 0 || scan->ndecorators > 0);
}

void classes_read(FrontFile *f, const Scan *scan)
{
    f->classes = NEW_N(f->arena, AstClass *, scan->classes.len + 1);
    for (int i = 0; i < scan->classes.len; i++) {
        AstClass *c = new_class(f, &scan->classes.at[i]);

        f->classes[f->nclasses++] = c;
        if (may_have_fields(c, &scan->classes.at[i]))
            read_fields(f, c, scan);
    }
}

bool class_is_body(const FrontFile *f, const AstScope *body)
{
    for (int i = 0; i < f->nclasses; i++) {
        if (f->classes[i]->body == body)
            return true;
    }
    return false;
}

/* Is it `CLASS.NAME =`, `cls.NAME +=` or the like?  `t` holds the last four tokens. */
static bool assigns_member(const AstClass *c, Sym name, const Token *t)
{
    bool is_class = t[0].kind == T_NAME && (t[0].name == c->name || strcmp(t[0].name, "cls") == 0);
    bool assigns = t[3].kind == T_ASSIGN || (t[3].kind >= T_PLUS_EQ && t[3].kind <= T_CARET_EQ);

    return is_class && t[1].kind == T_DOT && t[2].kind == T_NAME && t[2].name == name && assigns;
}

bool class_is_assigned(const AstClass *c, Sym name, Span *where)
{
    const FrontFile *f = c->file;
    Token last[4] = {{0}};
    Lexer lx;

    lex_init(&lx, f->interner, f->source, source_span(f->source, 0, (uint32_t)f->source->len));
    do {
        memmove(last, last + 1, sizeof last - sizeof *last);
        last[3] = lex_next(&lx);
    } while (last[3].kind != T_END && !assigns_member(c, name, last));
    if (last[3].kind != T_END)
        *where = (Span){last[0].span.start, last[2].span.end};
    return last[3].kind != T_END;
}

const AstClass *class_of_host(FrontFile *f, Sym name, HostRole role)
{
    AstClass *c = (AstClass *)file_class(f, NULL, name);

    if (c && role == HOST_NAMED_TUPLE)
        c->kind = CLASS_NAMED_TUPLE;
    if (c && role == HOST_AGGREGATE)
        c->kind = CLASS_AGGREGATE;
    if (c && role == HOST_ENUM)
        c->kind = CLASS_ENUM;
    return c;
}

/* --- looking up --- */

const AstClass *file_class(const FrontFile *f, const AstScope *scope, Sym name)
{
    for (int i = f->nclasses - 1; i >= 0; i--) {
        if (f->classes[i]->scope == scope && f->classes[i]->name == name)
            return f->classes[i];
    }
    return NULL;
}

const AstClass *class_around(const AstFunc *fn)
{
    const FrontFile *f = fn->file;

    for (int i = 0; i < f->nclasses; i++) {
        if (f->classes[i]->body == fn->scope)
            return f->classes[i];
    }
    return NULL;
}
