/*
 * scalar_int_ops.h - THE meaning of the ops on integers, one row an op
 *
 * scalar_int.c includes this inside a switch, once per dtype, with these defined:
 *     T  the element in memory      U, S  unsigned and signed of that size
 *     W  unsigned and wide enough that C does not promote it to int; overflow wraps in it
 *     D  unsigned of twice the bits       BITS  width of the dtype       SIGNED  0 or 1
 * x and y are operands of type T; results are cut to BITS.
 */
/* clang-format off */
/*       op      meaning                                                                   */
BINARY(  add,    (W)x + (W)y )
BINARY(  sub,    (W)x - (W)y )
BINARY(  mul,    (W)x * (W)y )
BINARY(  div,    y == 0 ? 0 : SIGNED && (S)y == -1 ? 0 - (W)x : (W)(x / y) )
BINARY(  rem,    y == 0 || (SIGNED && (S)y == -1) ? 0 : (W)(x % y) )
BINARY(  mulhi,  (D)(U)x * (U)y >> BITS )
UNARY(   neg,    0 - (W)x )
UNARY(   abs,    SIGNED && (S)x < 0 ? 0 - (W)x : (W)x )
BINARY(  and,    x & y )
BINARY(  or,     x | y )
BINARY(  xor,    x ^ y )
UNARY(   not,    ~(W)x )
BINARY(  shl,    (U)y < BITS ? (W)x << y : 0 )
BINARY(  shr,    SIGNED ? (W)((S)x >> ((U)y < BITS ? (U)y : BITS - 1))
                        : (U)y < BITS ? (W)((U)x >> y) : 0 )
BINARY(  min,    x < y ? x : y )
BINARY(  max,    x > y ? x : y )
COMPARE( eq,     x == y )
COMPARE( ne,     x != y )
COMPARE( lt,     x < y )
COMPARE( le,     x <= y )
COMPARE( gt,     x > y )
COMPARE( ge,     x >= y )
UNARY(   clz,    x == 0 ? BITS : __builtin_clzll((U)x) - (64 - BITS) )
UNARY(   popc,   __builtin_popcountll((U)x) )
UNARY(   ffs,    __builtin_ffsll((int64_t)(U)x) )
/* clang-format on */
