/*
 * table.c - the table of instructions, made of rows.h
 */
#include "execute.h"

#define AS_ROW(name, modifiers, types, operands, run)                                              \
    {name, modifiers, types, operands, run, false},
#define AS_CONTROL(name, modifiers, types, operands, run)                                          \
    {name, modifiers, types, operands, run, true},

static const PtxRow rows[] = {PTX_TABLE(AS_ROW, AS_CONTROL)};
const PtxTable sim_table = {rows, COUNT(rows), flow_brx};
