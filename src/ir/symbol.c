/*
 * symbol.c - makes, compares and prints symbols
 */
#include <math.h>

#include "ir.h"

const SymbolInfo *symbol_info(SymbolCode op)
{
    static const SymbolInfo infos[] = {
#define SYMBOL_OP(name, text, level, operands) [SYMBOL_##name] = {text, level, operands},
#include "symbol_ops.h"
    };

    if (op <= SYMBOL_NUMBER || op >= SYMBOL_CODES)
        bug("%d is no operator of symbols", (int)op);
    return &infos[op];
}

static const Symbol *new_symbol(Arena *a, Symbol s)
{
    bool is_float = s.value.kind == SYMBOL_IS_FLOAT;
    Symbol *new;

    if (is_float ? isnan(s.value.real) : s.value.integer == INT64_MIN) /* no text has these */
        return NULL;
    new = NEW(a, Symbol);
    *new = s;
    return new;
}

const Symbol *symbol_of_name(Arena *a, Sym name, SymbolValue value)
{
    return new_symbol(a, (Symbol){.code = SYMBOL_NAME, .size = 1, .value = value, .name = name});
}

const Symbol *symbol_of_number(Arena *a, SymbolValue value)
{
    return new_symbol(a, (Symbol){.code = SYMBOL_NUMBER, .size = 1, .value = value});
}

const Symbol *symbol_apply(Arena *a, SymbolCode op, const Symbol *x, const Symbol *y)
{
    bool two = symbol_info(op)->operands == 2;
    Symbol s = {.code = op, .operands = {x, two ? y : NULL}};

    if (!x || (two && !y))
        return NULL;
    s.size = 1 + x->size + (two ? y->size : 0);
    if (s.size > SYMBOL_MOST || !symbol_value(op, x->value, two ? y->value : x->value, &s.value))
        return NULL;
    if (x->code == SYMBOL_NUMBER && (!two || y->code == SYMBOL_NUMBER))
        return symbol_of_number(a, s.value);
    return new_symbol(a, s);
}

bool symbol_same(const Symbol *a, const Symbol *b)
{
    if (a == b || !a || !b)
        return a == b;
    return a->code == b->code && a->size == b->size && a->value.kind == b->value.kind &&
           symbol_value_equal(a->value, b->value) && a->name == b->name &&
           symbol_same(a->operands[0], b->operands[0]) &&
           symbol_same(a->operands[1], b->operands[1]);
}

/* --- text --- */

enum { LEVEL_NEGATIVE = 7, LEVEL_POWER = 8, LEVEL_LEAF = 9 };

static bool is_negative(SymbolValue n)
{
    return n.kind == SYMBOL_IS_FLOAT ? signbit(n.real) : n.integer < 0;
}

static int level_of(const Symbol *s)
{
    if (s->code == SYMBOL_NUMBER)
        return is_negative(s->value) ? LEVEL_NEGATIVE : LEVEL_LEAF;
    if (s->code == SYMBOL_NAME || symbol_info(s->code)->level == 0)
        return LEVEL_LEAF;
    return symbol_info(s->code)->level;
}

static void put_number(Text *t, SymbolValue n)
{
    static const Type fp64 = {.dtype = DT_FP64};

    if (n.kind == SYMBOL_IS_FLOAT)
        ir_put_constant(t, &fp64, scalar_from_double(DT_FP64, n.real));
    else if (n.kind == SYMBOL_IS_BOOL)
        text_put(t, n.integer ? "True" : "False");
    else
        text_printf(t, "%lld", (long long)n.integer);
}

/* In parentheses where it binds less tightly than what is around it. */
static void put_operand(Text *t, const Symbol *s, int least)
{
    bool within = level_of(s) < least;

    text_put(t, within ? "(" : "");
    symbol_put(t, s);
    text_put(t, within ? ")" : "");
}

static void put_function(Text *t, const Symbol *s, const SymbolInfo *info)
{
    text_printf(t, "%s(", info->text);
    symbol_put(t, s->operands[0]);
    if (info->operands == 2) {
        text_put(t, ", ");
        symbol_put(t, s->operands[1]);
    }
    text_put(t, ")");
}

static void put_operator(Text *t, const Symbol *s, const SymbolInfo *info)
{
    /* of operators of one level the first goes first; powers have leaves on both sides */
    int left = info->level == LEVEL_POWER ? LEVEL_LEAF : info->level;

    if (info->operands == 1) {
        text_put(t, info->text);
        put_operand(t, s->operands[0], info->level);
        return;
    }
    put_operand(t, s->operands[0], left);
    text_printf(t, " %s ", info->text);
    put_operand(t, s->operands[1], info->level + 1);
}

void symbol_put(Text *t, const Symbol *s)
{
    if (s->code == SYMBOL_NAME)
        text_put(t, s->name);
    else if (s->code == SYMBOL_NUMBER)
        put_number(t, s->value);
    else if (symbol_info(s->code)->level == 0)
        put_function(t, s, symbol_info(s->code));
    else
        put_operator(t, s, symbol_info(s->code));
}

void symbol_put_label(Text *t, const Symbol *s)
{
    put_operand(t, s, s->code == SYMBOL_NAME ? 0 : LEVEL_LEAF + 1);
    text_put(t, "=");
}
