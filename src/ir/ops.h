/* clang-format off */
/*
 * ops.h - THE op table: enum, names, printer, reader and verifier come from it
 *
 * operands: one word per operand; `?` marks one that may be left out, `*` any number of them.
 *     any     every type but handles     num    integer, bool or float, scalar or tile
 *     value   every type                 handle block pointer or descriptor
 *     int     integer or bool            float  floating point
 *     bool    i1                         ptr    pointer, scalar or tile of pointers
 *     index   integer, rank 0            flag   i1, rank 0
 *     same    the type of operand 0      mask   i1 in the shape of operand 0
 *     offset  integer in operand 0's shape
 *     data    the element type that operand 0 points to, in its shape
 * result: none | first (operand 0's type) | second (operand 1's type) | bool (i1 in operand 0's
 *     shape) | pointee (what operand 0 points to) | given (the builder says; verify_rules.c has the
 *     rule)
 *     Of an op that READS or WRITES memory these words say how (ir_access()): where, which lanes, what.
 * attributes: what op->attrs[] holds, in order, by the names of attrs.h; A0 none, A1(a) one, ...
 * flags: PURE no effect, may be merged, moved, dropped.  COMMUTES operands 0 and 1 may swap.
 *     FOLDS scalar_apply() evaluates it element by element, for constants and in the interpreter.
 *     FLOP counts as one float operation an element when operand 0 is a float; APPROX does too.
 *     READS / WRITES memory.  EFFECT acts on more than memory, or may end the program: runs as often
 *     as written, in this order.  MOVES elements of the result are elements of operand 0 (moves.c).
 *     COMPARES numbers, by its name.  COMBINES elements along an axis, by its region.  APPROX targets
 *     may differ from the interpreter within the documented ULP.  TOWARD rounds to a side, not to
 *     nearest (scalar_toward.c).  ENDS ends a block.  REGIONS(n) carries n regions.
 */
/*  name         operands              result   attributes         flags                            */
/* values */
OP( const,       "",                   given,   A1(bits),          PURE )
OP( program_id,  "",                   given,   A1(axis),          PURE )
OP( num_programs,"",                   given,   A1(axis),          PURE )
OP( arange,      "",                   given,   A1(start),         PURE ) /* i32, rank 1 */
/* shape; all in row-major element order */
OP( splat,       "any",                given,   A0,                PURE|MOVES ) /* scalar to tile */
OP( broadcast,   "any",                given,   A0,                PURE|MOVES ) /* dims of 1 repeat */
OP( expand,      "any",                given,   A1(axis),          PURE|MOVES ) /* insert a dim of 1 */
OP( reshape,     "any",                given,   A0,                PURE|MOVES ) /* rank 0 counts as 1 element */
OP( permute,     "any",                given,   A1(dims),          PURE|MOVES ) /* out dim i = in dim dims[i] */
OP( slice,       "any",                given,   A1(starts),        PURE|MOVES ) /* from starts[i] on, as far as the result goes */
/* arithmetic: ints wrap, int division truncates toward zero, floats round to nearest even.
 * fp16, bf16 and fp8 compute in fp32 and round once per op. */
OP( add,         "num same",           first,   A0,                PURE|COMMUTES|FOLDS|FLOP )
OP( sub,         "num same",           first,   A0,                PURE|FOLDS|FLOP )
OP( mul,         "num same",           first,   A0,                PURE|COMMUTES|FOLDS|FLOP )
OP( div,         "num same",           first,   A0,                PURE|FOLDS|FLOP ) /* x/0 = 0, MIN/-1 = MIN on ints */
OP( rem,         "num same",           first,   A0,                PURE|FOLDS|FLOP ) /* C's %, fmod; x%0 = 0, MIN%-1 = 0 */
OP( mulhi,       "int same",           first,   A0,                PURE|COMMUTES|FOLDS ) /* unsigned high half */
OP( neg,         "num",                first,   A0,                PURE|FOLDS )
OP( abs,         "num",                first,   A0,                PURE|FOLDS )
OP( and,         "int same",           first,   A0,                PURE|COMMUTES|FOLDS )
OP( or,          "int same",           first,   A0,                PURE|COMMUTES|FOLDS )
OP( xor,         "int same",           first,   A0,                PURE|COMMUTES|FOLDS )
OP( not,         "int",                first,   A0,                PURE|FOLDS ) /* bitwise */
OP( shl,         "int same",           first,   A0,                PURE|FOLDS ) /* amount >= width: 0 */
OP( shr,         "int same",           first,   A0,                PURE|FOLDS ) /* arithmetic iff signed; amount >= width: sign fill or 0 */
OP( min,         "num same",           first,   A0,                PURE|COMMUTES|FOLDS|FLOP ) /* one NaN: the other operand */
OP( max,         "num same",           first,   A0,                PURE|COMMUTES|FOLDS|FLOP )
OP( minnan,      "float same",         first,   A0,                PURE|COMMUTES|FOLDS|FLOP ) /* any NaN: NaN */
OP( maxnan,      "float same",         first,   A0,                PURE|COMMUTES|FOLDS|FLOP )
OP( fma,         "float same same",    first,   A0,                PURE|FOLDS|FLOP ) /* one rounding */
/* the same, rounded to the side that the attribute says; fp32 and fp64 */
OP( add_toward,  "float same",         first,   A1(rounding),      PURE|COMMUTES|FOLDS|FLOP|TOWARD )
OP( mul_toward,  "float same",         first,   A1(rounding),      PURE|COMMUTES|FOLDS|FLOP|TOWARD )
OP( div_toward,  "float same",         first,   A1(rounding),      PURE|FOLDS|FLOP|TOWARD )
OP( fma_toward,  "float same same",    first,   A1(rounding),      PURE|FOLDS|FLOP|TOWARD )
OP( sqrt_toward, "float",              first,   A1(rounding),      PURE|FOLDS|FLOP|TOWARD )
OP( select,      "bool any any",       second,  A0,                PURE|FOLDS )
/* comparisons; floats ordered, but ne is true on NaN */
OP( eq,          "num same",           bool,    A0,                PURE|COMMUTES|FOLDS|COMPARES )
OP( ne,          "num same",           bool,    A0,                PURE|COMMUTES|FOLDS|COMPARES )
OP( lt,          "num same",           bool,    A0,                PURE|FOLDS|COMPARES )
OP( le,          "num same",           bool,    A0,                PURE|FOLDS|COMPARES )
OP( gt,          "num same",           bool,    A0,                PURE|FOLDS|COMPARES )
OP( ge,          "num same",           bool,    A0,                PURE|FOLDS|COMPARES )
OP( isnan,       "float",              bool,    A0,                PURE|FOLDS )
OP( isinf,       "float",              bool,    A0,                PURE|FOLDS )
/* exact functions */
OP( sqrt,        "float",              first,   A0,                PURE|FOLDS|FLOP )
OP( floor,       "float",              first,   A0,                PURE|FOLDS|FLOP )
OP( ceil,        "float",              first,   A0,                PURE|FOLDS|FLOP )
OP( trunc,       "float",              first,   A0,                PURE|FOLDS|FLOP )
OP( rint,        "float",              first,   A0,                PURE|FOLDS|FLOP ) /* ties to even */
OP( round,       "float",              first,   A0,                PURE|FOLDS|FLOP ) /* ties away from zero */
OP( copysign,    "float same",         first,   A0,                PURE|FOLDS )
OP( ldexp,       "float offset",       first,   A0,                PURE|FOLDS|FLOP ) /* x * 2^n, n is i32 */
OP( clz,         "int",                first,   A0,                PURE|FOLDS )
OP( popc,        "int",                first,   A0,                PURE|FOLDS )
OP( ffs,         "int",                first,   A0,                PURE|FOLDS ) /* lowest set bit from 1; 0 for 0 */
OP( lookup8,     "int",                first,   A1(table),         PURE|FOLDS ) /* table[the low 3 bits], 8 entries */
/* approximated functions: docs/accuracy.md gives the ULP of each; fp32 and fp64 */
OP( rsqrt,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( exp,         "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( exp2,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( exp10,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( expm1,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( log,         "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( log2,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( log10,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( log1p,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( sin,         "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( cos,         "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( tan,         "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( asin,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( acos,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( atan,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( sinh,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( cosh,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( tanh,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( asinh,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( acosh,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( atanh,       "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( erf,         "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( erfc,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( cbrt,        "float",              first,   A0,                PURE|FOLDS|APPROX )
OP( pow,         "float same",         first,   A0,                PURE|FOLDS|APPROX )
OP( atan2,       "float same",         first,   A0,                PURE|FOLDS|APPROX )
OP( hypot,       "float same",         first,   A0,                PURE|FOLDS|APPROX )
/* conversions */
OP( cast,        "any",                given,   A1(rounding),      PURE|FOLDS ) /* Rounding; R80 */
OP( bitcast,     "any",                given,   A0,                PURE|FOLDS ) /* equal widths */
/* text of the target's own assembler, element by element: $0.. the results, then the operands, by
 * constraints as LLVM has them; `pack` elements at a time.  Operands and results have one shape.  The
 * second one acts on more than these. */
OP( inline_asm,  "any*",               given,   A3(asm, constraints, pack), PURE )
OP( inline_asm_volatile, "any*",       given,   A3(asm, constraints, pack), READS|WRITES|EFFECT )
/* memory */
OP( addptr,      "ptr offset",         first,   A0,                PURE )  /* offset counts elements */
OP( load,        "ptr mask? data?",    pointee, A3(cache, evict, volatile), READS ) /* masked lanes: data, or 0 */
OP( store,       "ptr data mask?",     none,    A2(cache, evict),  WRITES )
/* blocks of an array (docs/ir.md): pointer, shape.., strides.., offsets..; a descriptor without offsets */
OP( make_block_ptr, "ptr index*",       given,   A1(order),         PURE )
OP( make_descriptor, "ptr index*",      given,   A0,                PURE )
OP( handle_part, "handle",              given,   A1(part),          PURE ) /* i64: shape[part], then strides[part - rank]; last the pointer */
OP( advance,     "handle index*",       first,   A0,                PURE ) /* add to the offsets */
OP( load_block,  "handle index*",       pointee, A4(cache, evict, padding, boundary), READS ) /* of a descriptor: offsets */
OP( store_block, "handle data index*",  none,    A3(cache, evict, boundary), WRITES )
OP( atomic_rmw,  "ptr data mask?",     pointee, A3(rmw_kind, sem, scope), READS|WRITES ) /* RmwKind; the old value; masked lanes 0 */
OP( atomic_cas,  "ptr data data",      pointee, A2(sem, scope),    READS|WRITES ) /* ptr, expected, new; bitwise */
OP( barrier,     "",                   none,    A0,                READS|WRITES|EFFECT )
/* promises; HintKind and one value per dim, or one for a scalar; `likely` takes none */
OP( hint,        "any",                first,   A2(hint_kind, values), PURE )
OP( assume,      "flag",               none,    A0,                EFFECT )
/* ends the launch with this message where a condition is false */
OP( assert,      "bool mask?",          none,    A3(message, record_site, inserted), EFFECT )
/* says so where an offset is not what the condition demands, and goes on */
OP( check,       "bool mask offset",    none,    A2(message, record_site), EFFECT )
/* what a program says: see RecordKind for the operands */
OP( record,      "any*",                none,    A4(record_kind, message, hex, record_site), EFFECT )
/* elements of operand 0 at places along an axis, which operand 1 says; 0 where there is no such place */
OP( gather,      "num int",             given,   A1(axis),          PURE )
/* how many elements of operand 0, rank 1, have each of the values 0, 1, 2..; the mask says which count */
OP( histogram,   "int mask?",           given,   A0,                PURE )
/* each row along the last dimension in order, or as many of the first elements of that order as the
 * result has columns; no i1 */
OP( sort,        "int",                 given,   A1(descending),    PURE )
/* whole tiles.  reduce and scan: region (a1..an, b1..bn) yields n; a is the earlier element */
OP( reduce,      "any*",               given,   A1(axis),          PURE|COMBINES|REGIONS(1) )
OP( scan,        "any*",               given,   A2(axis, reverse), PURE|COMBINES|REGIONS(1) )
OP( dot,         "num num num",        given,   A2(precision, imprecise), PURE ) /* a[..,M,K] b[..,K,N] acc[..,M,N] */
/* control: structured only.  for: (lo, hi, step, init*) region (iv, carried*).  A positive step
 * counts up while iv < hi, a negative one down while iv > hi, both signed; see docs/ir.md.
 * while: region 0 (carried*) ends in `condition`, region 1 (carried*) in `yield`. */
OP( for,         "index index index value*", given,
    A7(unroll, num_stages, flatten, warp_specialize, disallow_acc_multi_buffer, disable_licm, any_order), REGIONS(1) )
OP( while,       "value*",               given,   A0,                REGIONS(2) )
OP( if,          "flag",               given,   A0,                REGIONS(2) )
OP( yield,       "value*",               none,    A0,                ENDS )
OP( condition,   "flag value*",          none,    A0,                ENDS )
OP( return,      "value*",               none,    A0,                ENDS )
OP( call,        "value*",               given,   A0,                READS|WRITES|EFFECT ) /* op->callee; gone after inlining */
#undef OP
