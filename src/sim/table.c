/*
 * table.c - the table of instructions, made of rows.h
 */
#include "execute.h"
#include "parser.h"

#define AS_ROW(name, modifiers, types, operands, run)                                              \
    {name, modifiers, types, operands, run, false},
#define AS_CONTROL(name, modifiers, types, operands, run)                                          \
    {name, modifiers, types, operands, run, true},

const Row table_rows[] = {PTX_TABLE(AS_ROW, AS_CONTROL)};
const int table_count = COUNT(table_rows);
