/* clang-format off */
/*
 * symbol_ops.h - THE table of what a symbol may be made with: enum, printer, reader and meaning
 *
 * text: as Python writes it.  level: how tightly it binds, as in Python; 0 is a function, which
 * takes its operands in parentheses.  operands: 1 or 2.  What each means is in symbol_value.c.
 */
/*         name       text                level  operands */
SYMBOL_OP( or,        "|",                1,     2 )
SYMBOL_OP( xor,       "^",                2,     2 )
SYMBOL_OP( and,       "&",                3,     2 )
SYMBOL_OP( shl,       "<<",               4,     2 )
SYMBOL_OP( shr,       ">>",               4,     2 )
SYMBOL_OP( add,       "+",                5,     2 )
SYMBOL_OP( sub,       "-",                5,     2 )
SYMBOL_OP( mul,       "*",                6,     2 )
SYMBOL_OP( floordiv,  "//",               6,     2 )
SYMBOL_OP( div,       "/",                6,     2 )
SYMBOL_OP( rem,       "%",                6,     2 )
SYMBOL_OP( neg,       "-",                7,     1 )
SYMBOL_OP( invert,    "~",                7,     1 )
SYMBOL_OP( pow,       "**",               8,     2 )
SYMBOL_OP( cdiv,      "cdiv",             0,     2 )
SYMBOL_OP( min,       "min",              0,     2 )
SYMBOL_OP( max,       "max",              0,     2 )
SYMBOL_OP( next_power_of_2, "next_power_of_2", 0, 1 )
#undef SYMBOL_OP
