/*
 * print.c - the text form of a module, a function, an op
 *
 *     kernel @scale(%x: *fp32 div 16, %n: i32) {
 *       %0 = program_id axis=0 : i32
 *       %1 = for %0, %n, %0, %n : i32 { (%i: i32, %sum: i32)
 *         %2 = add %i, %sum : i32
 *         yield %2
 *       }
 *       return
 *     }
 *
 * docs/ir.md describes it; read.c reads it.  Every value gets a text that no other value of its
 * function has, given out in the order of definition, so that printing what was read gives the
 * same text.  Works on IR that is not well formed, for the verifier's messages.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "ir.h"

struct Printer {
    Arena *arena;
    Text out;
    Map *names;           /* Value* to its text, without the % */
    Interner *pool;       /* of those texts */
    Map *taken;           /* a text to the last Suffix tried on it */
    int unnamed;          /* values so far that are called by number */
    bool sites;           /* shown */
    bool symbols;         /* shown; else the numbers alone, in a line for a message */
    const Module *places; /* whose sources name the line of each op; NULL: none is named */
};

typedef struct {
    int last;
} Suffix;

/* --- names --- */

bool ir_is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* Names come from anywhere; what the reader would not take becomes `_`. */
static char *readable_name(Arena *a, Sym name)
{
    bool starts_well = ir_is_name_char(name[0]) && !isdigit((unsigned char)name[0]);
    char *s = arena_printf(a, "%s%s", starts_well ? "" : "_", name);

    for (char *c = s; *c; c++) {
        if (!ir_is_name_char(*c))
            *c = '_';
    }
    return s;
}

/* `acc`, then `acc.1`, `acc.2` for later values of that name. */
static Sym unique_name(Printer *p, Sym name)
{
    Sym base = intern(p->pool, readable_name(p->arena, name)), s = base;
    Suffix *suffix = map_get(p->taken, MAP_KEY(base));

    while (map_get(p->taken, MAP_KEY(s)))
        s = intern(p->pool, arena_printf(p->arena, "%s.%d", base, ++suffix->last));
    map_put(p->taken, MAP_KEY(s), NEW(p->arena, Suffix));
    return s;
}

static void name_value(Printer *p, const Value *v)
{
    char *s =
        v->name ? (char *)unique_name(p, v->name) : arena_printf(p->arena, "%d", p->unnamed++);

    map_put(p->names, MAP_KEY(v), s);
}

static void name_block(Printer *p, const Block *b)
{
    for (int i = 0; i < b->nargs; i++)
        name_value(p, b->args[i]);
    for (const Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->nresults; i++)
            name_value(p, op->results[i]);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                name_block(p, op->regions[r]);
        }
    }
}

static Printer printer_new(Arena *a)
{
    return (Printer){.arena = a, .out = text_new(a)};
}

static void name_values(Printer *p, const Func *f)
{
    p->names = map_new(p->arena);
    p->pool = interner_new(p->arena);
    p->taken = map_new(p->arena);
    p->unnamed = 0;
    name_block(p, f->body);
}

/* --- pieces --- */

static void put_value(Printer *p, const Value *v)
{
    const char *name = v && p->names ? map_get(p->names, MAP_KEY(v)) : NULL;

    text_put(&p->out, "%");
    if (name)
        text_put(&p->out, name);
    else if (v) /* not in this function: only a message can show it */
        text_printf(&p->out, "?%d", v->id);
    else
        text_put(&p->out, "?");
}

static void put_values(Printer *p, int n, Value *const *values)
{
    for (int i = 0; i < n; i++) {
        text_put(&p->out, i > 0 ? ", " : "");
        put_value(p, values[i]);
    }
}

static void put_type(Printer *p, const Type *t)
{
    if (t)
        type_put(&p->out, t, NULL);
    else
        text_put(&p->out, "?");
}

static void put_type_of(Printer *p, const Value *v)
{
    if (v->type)
        type_put(&p->out, v->type, p->symbols ? v->extents : NULL);
    else
        text_put(&p->out, "?");
}

/* The fewest digits that read back to the same bits; the bits themselves where none do. */
static void put_float(Text *t, DType d, uint64_t bits)
{
    double v = scalar_to_double(d, bits);
    size_t start = t->len;

    if (isnan(v) || scalar_from_double(d, v) != bits) { /* some have two ways to write a number */
        text_printf(t, "0x%0*llx", dtype_bits(d) / 4, (unsigned long long)bits);
    } else if (isinf(v)) {
        text_put(t, v < 0 ? "-inf" : "inf");
    } else if (v == rint(v) && fabs(v) < 1e6 && v != 0) { /* 1000.0, not 1e+03 */
        text_printf(t, "%ld.0", (long)v);
    } else {
        scalar_put_shortest(t, d, v);
        text_put(t, strpbrk(t->s + start, ".e") ? "" : ".0");
    }
}

void ir_put_constant(Text *t, const Type *type, uint64_t bits)
{
    if (type->pointer || type->handle != HANDLE_NONE)
        text_printf(t, "0x%llx", (unsigned long long)bits);
    else if (type->dtype == DT_I1 && bits <= 1)
        text_put(t, bits ? "true" : "false");
    else if (dtype_is_float(type->dtype))
        put_float(t, type->dtype, bits);
    else if (dtype_is_signed(type->dtype))
        text_printf(t, "%lld", (long long)scalar_to_int(type->dtype, bits));
    else
        text_printf(t, "%llu", (unsigned long long)bits);
}

/* In quotes, with \\ before a quote or backslash, \\n for a new line, \\x1f for other controls. */
static void put_quoted(Text *t, const char *s)
{
    text_put(t, "\"");
    for (; *s; s++) {
        if (*s == '\n')
            text_put(t, "\\n");
        else if ((unsigned char)*s < 0x20 || *s == 0x7f)
            text_printf(t, "\\x%02x", (unsigned)(unsigned char)*s);
        else
            text_printf(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    text_put(t, "\"");
}

static void put_list(Text *t, const int64_t *values, int n)
{
    text_put(t, "[");
    for (int i = 0; i < n; i++)
        text_printf(t, "%s%lld", i > 0 ? "," : "", (long long)values[i]);
    text_put(t, "]");
}

/* A word that is out of range is for a message: the verifier has something to say of it. */
static void put_attr(Text *t, const AttrInfo *info, int64_t v)
{
    if (info->kind == ATTR_IS_TEXT)
        put_quoted(t, v ? (Sym)(intptr_t)v : "");
    else if (v >= 0 && v < info->nwords)
        text_put(t, info->words[v]);
    else
        text_printf(t, "%lld", (long long)v);
}

/* ` name=value` for each attribute that says something. */
static void put_attrs(Printer *p, const Op *op)
{
    const AttrId *attrs = op_info(op->code)->attrs;

    for (int i = 0; i < op->nattrs && attrs[i] != ATTR_NONE; i++) {
        const AttrInfo *info = attr_info(attrs[i]);

        if (info->kind != ATTR_IS_LIST && !info->needed && op->attrs[i] == 0)
            continue;
        text_printf(&p->out, " %s=", info->name);
        if (info->kind == ATTR_IS_LIST) {
            put_list(&p->out, op->attrs + i, op->nattrs - i);
            return;
        }
        put_attr(&p->out, info, op->attrs[i]);
    }
}

/* `%1, %2 = NAME operands attributes : types`, without regions. */
static void put_op_line(Printer *p, const Op *op)
{
    put_values(p, op->nresults, op->results);
    text_put(&p->out, op->nresults > 0 ? " = " : "");
    text_put(&p->out, op_info(op->code)->name);
    if (op->code == OP_call) {
        text_put(&p->out, " @");
        text_put(&p->out, op->callee ? readable_name(p->arena, op->callee->name) : "?");
        text_put(&p->out, "(");
        put_values(p, op->noperands, op->operands);
        text_put(&p->out, ")");
    } else {
        text_put(&p->out, op->noperands > 0 ? " " : "");
        put_values(p, op->noperands, op->operands);
    }
    if (op->code == OP_const && op->nattrs == 1 && op->nresults == 1 && op->results[0]->type) {
        text_put(&p->out, " ");
        if (p->symbols && op->results[0]->number)
            symbol_put_label(&p->out, op->results[0]->number);
        ir_put_constant(&p->out, op->results[0]->type, (uint64_t)op->attrs[0]);
    } else {
        put_attrs(p, op);
    }
    for (int i = 0; i < op->nresults; i++) {
        text_put(&p->out, i == 0 ? " : " : ", ");
        put_type_of(p, op->results[i]);
    }
}

/* `  # k.py:7 @[ k.py:16 ]`: the line of an op, from the innermost call outwards. */
static void put_places(Printer *p, const Op *op)
{
    const Module *m = p->places;
    Place at = m ? source_place(m->sources, op->span.start) : (Place){0};

    if (!at.source)
        return;
    text_printf(&p->out, "  # %s:%d", at.source->shown, at.line);
    for (const CallSite *s = call_site(m, op->site); s; s = call_site(m, s->parent)) {
        at = source_place(m->sources, s->call.start);
        if (at.source)
            text_printf(&p->out, " @[ %s:%d ]", at.source->shown, at.line);
    }
}

static const Module *module_of_places(const Module *m)
{
    return m && m->tells_places && m->sources ? m : NULL;
}

static void put_indent(Printer *p, int depth)
{
    for (int i = 0; i < depth; i++)
        text_put(&p->out, "  ");
}

static void put_op(Printer *p, const Op *op, int depth);

/* ` { (%arg: type, ..)`, the ops, and the closing brace.  */
static void put_region(Printer *p, const Op *of, const Block *b, int depth)
{
    text_put(&p->out, b->nargs > 0 ? " { (" : " {");
    for (int i = 0; i < b->nargs; i++) {
        text_put(&p->out, i > 0 ? ", " : "");
        put_value(p, b->args[i]);
        text_put(&p->out, ": ");
        put_type_of(p, b->args[i]);
    }
    text_put(&p->out, b->nargs > 0 ? ")" : "");
    put_places(p, of);
    text_put(&p->out, "\n");
    for (const Op *op = b->first; op; op = op->next)
        put_op(p, op, depth + 1);
    put_indent(p, depth);
    text_put(&p->out, "}");
}

static void put_op(Printer *p, const Op *op, int depth)
{
    put_indent(p, depth);
    put_op_line(p, op);
    if (p->sites && op->site > 0)
        text_printf(&p->out, " @%d", op->site);
    bool has_regions = false;
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            put_region(p, op, op->regions[r], depth);
        has_regions |= op->regions[r] != NULL;
    }
    if (!has_regions)
        put_places(p, op);
    text_put(&p->out, "\n");
}

/* Where the launch takes a hidden parameter from. */
static void put_source(Printer *p, const Param *param)
{
    if (param->kind == PARAM_RECORDS)
        text_put(&p->out, " hidden records");
    else if (param->kind == PARAM_VIEW)
        text_printf(&p->out, " hidden view %d %d", param->of, param->part);
    else if (param->kind == PARAM_WORKSPACE)
        text_printf(&p->out, " hidden workspace %lld", (long long)param->bytes);
}

static void put_func(Printer *p, const Func *f)
{
    name_values(p, f);
    text_printf(&p->out, "%s%s @", f->is_kernel ? "kernel" : "func",
                f->noinline ? " noinline" : "");
    text_put(&p->out, readable_name(p->arena, f->name));
    text_put(&p->out, "(");
    for (int i = 0; i < f->nparams; i++) {
        text_put(&p->out, i > 0 ? ", " : "");
        put_value(p, f->body->args[i]);
        text_put(&p->out, ": ");
        put_type_of(p, f->body->args[i]);
        if (f->params[i].divisible > 1)
            text_printf(&p->out, " div %lld", (long long)f->params[i].divisible);
        put_source(p, &f->params[i]);
    }
    text_put(&p->out, ")");
    for (int i = 0; i < f->nresults; i++) {
        text_put(&p->out, i == 0 ? " -> " : ", ");
        put_type(p, f->results[i]);
    }
    if (f->num_warps != 0)
        text_printf(&p->out, " num_warps=%d", f->num_warps);
    if (f->num_stages != 0)
        text_printf(&p->out, " num_stages=%d", f->num_stages);
    if (f->maxnreg != 0)
        text_printf(&p->out, " maxnreg=%d", f->maxnreg);
    if (f->most_programs != 0)
        text_printf(&p->out, " most_programs=%d", (int)f->most_programs);
    text_put(&p->out, " {\n");
    for (const Op *op = f->body->first; op; op = op->next)
        put_op(p, op, 1);
    text_put(&p->out, "}\n");
}

/* `site @2 @callee @1  # k.py:12:5`: what has this site was @callee, called at that place in what
 * has site 1. */
static void put_site(Printer *p, const Module *m, int site)
{
    const CallSite *s = call_site(m, site);
    Place at = m->sources ? source_place(m->sources, s->call.start) : (Place){0};

    text_printf(&p->out, "site @%d @%s", site, readable_name(p->arena, s->callee));
    if (s->parent > 0)
        text_printf(&p->out, " @%d", s->parent);
    if (at.source)
        text_printf(&p->out, "  # %s:%d:%d", at.source->shown, at.line, at.column);
    text_put(&p->out, "\n");
}

static void put_constexpr(Printer *p, const Symbol *s)
{
    text_printf(&p->out, "constexpr %s = ", s->name);
    symbol_put(&p->out, symbol_of_number(p->arena, s->value));
    text_put(&p->out, "\n");
}

static const char *print_module(Printer *p, const Module *m)
{
    p->symbols = true;
    p->places = module_of_places(m);
    text_put(&p->out, "");
    for (int i = 0; i < m->constexprs.len; i++)
        put_constexpr(p, m->constexprs.at[i]);
    for (int i = 1; p->sites && i < m->sites.len; i++)
        put_site(p, m, i);
    for (int i = 0; i < m->nfuncs; i++) {
        text_put(&p->out, p->out.len > 0 ? "\n" : "");
        put_func(p, m->funcs[i]);
    }
    return p->out.s;
}

const char *ir_print(const Module *m, Arena *a)
{
    Printer p = printer_new(a);

    return print_module(&p, m);
}

const char *ir_print_sites(const Module *m, Arena *a)
{
    Printer p = printer_new(a);

    p.sites = true;
    return print_module(&p, m);
}

Printer *op_printer_new(const Func *f, Arena *a)
{
    Printer *p = NEW(a, Printer);

    *p = printer_new(a);
    if (f) {
        name_values(p, f);
        p->places = module_of_places(f->module);
    }
    return p;
}

void op_printer_show_symbols(Printer *p)
{
    p->symbols = true;
}

const char *op_printer_value(Printer *p, const Value *v)
{
    p->out = text_new(p->arena);
    put_value(p, v);
    return p->out.s;
}

const char *op_printer_text(Printer *p, const Op *op)
{
    p->out = text_new(p->arena);
    put_op_line(p, op);
    put_places(p, op);
    return p->out.s;
}

const char *op_text(const Op *op, Arena *a)
{
    return op_printer_text(op_printer_new(op->block ? op->block->func : NULL, a), op);
}
