/*
 * messages.h - THE table of the messages of the language's functions
 *
 * E_ errors, W_ warnings, NOTE_ places that explain an error, H_ hints.  Errors hold the key words
 * that users of the language search for; rule numbers stand behind.
 * They are format strings and not an enum so that the compiler checks the arguments.
 */
#ifndef TILEC_TL_MESSAGES_H
#define TILEC_TL_MESSAGES_H

/* clang-format off */

/* calls */
#define E_CLASS_CALL         "`%s` is a class of values and makes none"
#define H_DESCRIPTOR_CALL    "the offsets stand in brackets, one for each dimension: d.%s([i, j])"
#define E_TOO_FEW            "%s() takes %d arguments but only %d were given"

/* compile time and run time */
#define E_NOT_CONSTEXPR      "%s: this must be of type tl.constexpr, but it is %s at run time"                /* R150, R151 */
#define E_WRONG_KIND         "%s: this must be %s, not %s"
#define H_WHOLE              "a whole number is written without a point, and `//` divides to one"
#define H_CONSTEXPR_FROM     "known are literals, tl.constexpr parameters, and what is computed of them"
#define H_ARANGE             "only the extent must be known: `start + tl.arange(0, N)`, with a mask for what is too much"
#define H_EXTENT             "the extent of a tile is known when the kernel is compiled: take a tl.constexpr, and mask what is too much"
#define H_CHOICES            "there is %s"
#define H_DTYPE_PYTHON       "Python's does not say how many bits: %s"
#define H_DTYPE_TEXT         "write tl.%s, without quotes"
#define H_DTYPE_ARGUMENTS    "%s takes %s"
#define H_DEMOTED            "`%s = ...` on line %d made it a run-time value: annotate it, `%s: tl.constexpr = ...`"            /* R14 */
#define H_REBOUND            "`%s` was assigned on line %d, which made it a run-time value: use another name"
#define H_GIVEN_RUN_TIME     "the call gives `%s` a run-time value, and the annotation does not change that"     /* R30 */
#define H_PARAM_CONSTEXPR    "annotate the parameter: `%s: tl.constexpr`"
#define H_TEXT_ARGUMENT      "text is no value to compute with; a number stands without quotes"
#define E_LEN                "len() of %s"                                                                  /* R9 */
#define H_LEN                "the extent of a tile is `x.shape[i]`"
#define H_LEN_POINTER        "a pointer does not know how much lies behind it: give the number as an argument"
#define E_CONVERSION         "%s() works at compile time only, not on %s"                                   /* R9 */
#define E_CONVERSION_VALUE   "%s() has no value for %s"                                                      /* R9 */
#define H_CONVERSION         "for run-time values use `.to(tl.%s)`"
#define E_EXTREMUM_ARGS      "%s() needs at least two arguments"                                            /* R11 */
#define H_EXTREMUM_TILE      "the extremum of one tile is tl.%s(x, axis)"
#define E_EXTREMUM_ORDER     "%s() of constants does not take NaN or -0.0, which have no order"              /* R11 */
#define E_PRINT_PREFIX       "the prefix is not string: %s"                                                 /* R290 */

#define H_PRINT_PREFIX       "the text stands first: tl.device_print(\"n\", n)"
#define W_PRINT_FORMAT       "a print has no formats: `%.*s` is printed as it stands, and the values behind the text"
#define E_ASSERT_TUPLE       "the condition is a tuple, which is no condition"
#define H_ASSERT_TUPLE       "brackets around the condition and its text make one: assert c, \"text\""
#define E_EXTREMUM_AXIS      "%s: axis is a dimension of the one tile that is reduced, not %s"
#define H_EXTREMUM_AXIS      "the %s of two is tl.%simum(x, y)"
#define E_ASSERT_TEXT        "the condition is a text, which always holds"
#define H_ASSERT_TEXT        "the condition stands first, the text behind it"
#define E_ASM_ARGS           "the arguments of inline assembly stand in a list, not in %s"                  /* R302 */
#define E_ASM_PACK           "pack is a number of elements from 1 on, not %lld"                             /* R302 */
#define E_ASM_MANY           "inline assembly takes and gives at most %d values"

/* control flow */
#define H_RANGE_VALUE        "a tile of these is tl.arange(start, end)"
#define E_RANGE_VALUE        "%s() has a meaning only behind `for ... in`"

/* operators */
#define E_ROUNDING           "Invalid rounding mode `%s`: it is rtne or rtz"                                /* R82 */
#define E_ROUNDING_MISPLACED "fp_downcast_rounding should be set only for truncating fp conversions"        /* R82 */
#define E_NOT_A_DTYPE        "%s: this must be a dtype such as tl.float32, not %s"
#define E_INT_DTYPE          "there is no integer dtype of %lld bits"
#define E_POINTER_POINTER    "a pointer to pointers has no dtype"

/* shapes */
#define E_SHAPE_ELEMENT      "Shape element %d must have type `constexpr[int]`, not %s"                     /* R150 */
#define H_SHAPE_ELEMENT      "unannotated assignment made it a run-time value: write `name: tl.constexpr = ...`"  /* R14 */
#define E_ARANGE_ORDER       "arange's end argument must be greater than the start argument: %lld to %lld"  /* R151 */
#define H_ARANGE_ORDER       "it counts up from the first to the one before the second; N - 1 - tl.arange(0, N) counts down"
#define E_ARANGE_RANGE       "arange must fit in int32"                                                     /* R151 */
#define H_ARANGE_BELOW       "it counts from 0 or more: tl.arange(0, %lld) - %lld begins below"
#define E_FULL_VALUE         "a scalar or a tile of one element must stand here, not %s"                    /* R152 */
#define H_FULL_VALUE         "make one element of it first, with tl.sum or tl.max; another shape is tl.broadcast_to(x, shape)"
#define E_AXIS               "invalid axis %lld. Expected -%d <= axis < %d"                                 /* R154, R250 */
#define H_AXIS               "the axes are counted from 0, so the last one is %d"
#define H_AXIS_SCALAR        "this is one value, which has no axes"
#define E_AXIS_TWICE         "duplicate axes, normalized axes = [%s]"                                           /* R154 */
#define E_SQUEEZE            "dimension %d of %s is not 1"                                                  /* R156 */
#define E_BROADCAST_RANK     "Cannot broadcast, rank mismatch: %s to %d dimensions"                         /* R155 */
#define H_MORE_DIMENSIONS    "x[:, None] and x[None, :] add a dimension of one element"
#define E_BROADCAST_TO       "the expanded size of the tensor (%d) must match the existing size (%d) at dimension %d"  /* R155 */
#define H_BROADCAST_TO       "a dimension of one element is repeated, and no other: x[:, None] and x[None, :] insert one"
#define E_RESHAPE            "reshape() cannot change total number of elements in tensor: %s has %lld, the new shape %lld"  /* R156 */
#define H_RESHAPE            "a slice, x[a:b], takes some of them, tl.broadcast_to repeats them"
#define H_FULL_ORDER         "the shape stands first: tl.full((M, N), value, dtype)"
#define E_TRANS_RANK         "tl.trans invoked with a 0- or 1-dimensional tensor: %s"                       /* R157 */
#define E_PERMUTE_LENGTH     "permute dims must have the same length as the shape: %d dims for %s"          /* R157 */
#define E_PERMUTE            "permute dims must be a permutation of 0 to %d"                                /* R157 */
#define E_JOIN_TYPES         "%s needs two values of one dtype and shape: %s and %s"                         /* R158, R159 */
#define H_JOIN_TYPES         "give both one dtype by .to, and one shape by tl.broadcast_to or a slice, x[a:b]"
#define E_SPLIT              "expected last dimension to be 2 for split, but this is %s"                     /* R158 */
#define H_SPLIT              "bring the two halves there first: x.reshape(..., 2), or tl.permute"
#define E_GATHER_INDEX       "the indices of gather are integers, not %s"                                    /* R160 */
#define E_GATHER_SHAPE       "the indices of gather (%s) have the extents of the source (%s) but along axis %d"  /* R160 */
#define E_MINOR_DIM          "only minor dimension is currently supported"                                   /* R256 */
#define H_MINOR_DIM          "tl.trans or tl.permute brings another one to the end; %s works on the last"
#define E_TOPK               "k must be 1 to %d, not %lld"                                                   /* R256 */
#define E_HISTOGRAM_RANK     "histogram only supports 1D input, not %s"                                      /* R255 */
#define E_HISTOGRAM_INT      "histogram only supports integer input, not %s"                                 /* R255 */
#define H_TO_INTEGERS        "convert it first: x.to(tl.int32)"
#define H_PROGRAM_AXIS       "0 is x, 1 is y, 2 is z"
#define E_PROGRAM_AXIS       "%s axis must be 0, 1, or 2 but got %lld"                                               /* R303 */

/* memory */
#define E_POINTER            "Unsupported ptr type %s in `tl.%s`"                                           /* R200 */
#define H_POINTER            "integers are no addresses: add them to a pointer argument"
#define H_POINTER_FIRST      "the pointer stands first, a parameter that gets an array or what is added to one: tl.%s(pointer + offsets%s)"
#define NOTE_PARAM_GIVEN     "`%s` was given as %s"
#define H_PARAM_REBOUND      "from there on `%s` is no longer what the launch gave: use another name"
#define H_GIVE_INT           "the launch gives `%s`: an integer is wanted there"
#define H_GIVE_ONE           "a list or tuple is as many values as it has: for `%s` give an array, which is one, or a number, as x.shape[0] and x.stride(0) are; x.numel(), in NumPy x.size, counts elements"
#define H_GIVE_ARRAY         "give an array for `%s`; an integer is no address, but can be added to a pointer"
#define E_SCALAR_POINTER     "%s argument cannot be block type if pointer argument is not a block: %s"      /* R201, R210 */
#define H_SCALAR_VALUE       "add a tile of offsets to the pointer, such as `ptr + tl.arange(0, N)`, or give it one value: tl.sum(v)"
#define H_SCALAR_POINTER     "add a tile of offsets to the pointer, such as `ptr + tl.arange(0, N)`"
#define E_MASK               "Mask must have boolean scalar type, not %s"                                   /* R201, R210 */
#define H_MASK               "a mask is a comparison, as in `offsets < n`; offsets are added to the pointer"
#define E_OTHER_WITHOUT_MASK "`other` cannot be provided without `mask`"                                    /* R202 */
#define W_MASK_RANK          "the mask has more dimensions than the pointer, so the same elements are loaded again and again: %s for %s"  /* R201 */
#define H_MASK_RANK          "a mask has the dimensions of the offsets that it is for"
#define H_OTHER              "`mask` says which elements are read, `other` what the rest is: give both, or none"
#define H_BOUNDARY_STORE     "tl.store takes pointer, value, mask; what the mask leaves out is not written"
#define E_BOUNDARY           "`padding_option` or `boundary_check` argument is not supported for pointers that are no block pointers"  /* R203 */
#define H_BOUNDARY           "give a mask instead"
#define H_CACHE_BY_NAME      "behind `other` stands `boundary_check`; write cache_modifier=\".%s\""
#define E_CACHE              "Cache modifier %s not supported"                                              /* R205 */
#define E_EVICTION           "Eviction policy %s not supported"                                             /* R205 */
#define E_CONST_POINTER      "Cannot store to a constant pointer: %s"                                       /* R223 */
#define E_STORE_SHAPE        "Expected pointer argument to have shape of the value or mask (%s) but got %s" /* R210 */
#define H_STORE_SHAPE        "give the pointer offsets of all its dimensions: p + i[:, None] * stride + j[None, :]"
#define E_SEM                "Memory semantic %s not supported"                                             /* R224 */
#define E_ATOMIC_TYPE        "%s does not support %s"                                                       /* R220 */
#define H_ATOMIC_ADD         "it takes integers of 32 and 64 bits, fp16, bf16, fp32 and fp64"
#define H_ATOMIC_WIDE        "it takes integers of 32 and 64 bits, fp32 and fp64"
#define H_ATOMIC_BITS        "it takes integers of 32 and 64 bits"
#define E_CAS_WIDTH          "atomic_cas only supports elements with width {16, 32, 64}, not %s"            /* R222 */
#define E_CAS_TYPE           "atomic_cas compares and stores values of exactly the element type: got %s, expected %s"  /* R222 */

/* block pointers */
#define E_BLOCK_PTR_BASE     "Expected `base` to be a scalar pointer type, not %s"                          /* R230 */
#define E_BLOCK_PTR_INT      "shape, strides and offsets of a block pointer are ints, not %s"               /* R230 */
#define E_SAME_LENGTH        "%s: expected shape, strides, offsets and block_shape to have the same length: %s for %d dimensions"  /* R230 */
#define H_SAME_LENGTH        "a tuple of %d stands here, one for each dimension"
#define E_ORDER              "`order` must be a permutation of 0 to %d"                                     /* R230 */
#define E_NOT_DESCRIPTOR     "%s needs a tensor descriptor, not %s"
#define E_DESCRIPTOR_ACCESS  "tl.%s takes no tensor descriptor: use its methods load(offsets) and store(offsets, value)"
#define E_DESCRIPTOR_BYTES   "Descriptor block shape must have at least %d bytes in the last dimension, not %d"  /* R240 */
#define E_DESCRIPTOR_ROW     "the tiles must have 1 row: %s"                                                 /* R243 */
#define E_DESCRIPTOR_ROWS    "rows are a tile of integers of one dimension, and the column an integer, not %s and %s"  /* R243 */
#define E_DESCRIPTOR_STRIDE  "Tensor descriptor last dim must be 1: the stride of the last dimension is %s"
#define H_DESCRIPTOR_STRIDE  "only the constant 1 may stand last: describe the array with its dimensions in the order of memory, and tl.trans what is loaded"
#define H_ADVANCE_BY         "tl.advance(p, offsets) gives a block pointer that is moved, with one offset for each dimension"
#define E_NOT_BLOCK_PTR      "tl.advance needs a block pointer, not %s"                                     /* R232 */
#define E_BLOCK_PTR_MASK     "`mask` and `other` cannot be specified for %s block pointers"                 /* R231 */
#define H_BLOCK_PTR_MASK     "boundary_check=(0, 1) names the dimensions that are checked, padding_option what is outside of them"
#define E_BLOCK_PTR_SHAPE    "the value is %s, but it is stored through a %s"                               /* R231 */
#define E_BOUNDARY_DIM       "boundary_check names dimension %lld, which the block pointer does not have"   /* R231 */
#define H_BOUNDARY_DIM       "its dimensions are 0 to %d"
#define W_BOUNDARY_TRUE      "boundary_check names dimensions, and True is dimension 1"
#define W_PADDING_ALONE      "padding_option is for the dimensions that boundary_check names, and there are none"
#define H_PADDING            "what lies outside is 0 or NaN; other numbers by tl.where(inside, v, other) behind the load"
#define E_BOUNDARY_TWICE     "Duplicate dimension in `boundary_check`: %lld"                                /* R231 */
#define E_PADDING            "Padding option `%s` is not supported"                                         /* R231 */
#define E_PADDING_NAN        "Padding option `nan` is not supported for %s"                                 /* R231 */

/* functions */
#define E_NEEDS_NUMBERS      "%s needs numbers, not %s"                                                     /* R57 */
#define E_MATH_DTYPE         "%s: Expected dtype ['fp32', 'fp64'] but got %s"                               /* R66, R304 */
#define H_MATH_DTYPE         "convert it first: x.to(tl.float32)"
#define E_LIBDEVICE_TYPES    "libdevice.%s does not promote its arguments: %s and %s"                       /* R304 */
#define E_CLAMP              "Only floating point clamp is supported, not %s"                               /* R62 */
#define E_PROPAGATE_NAN      "propagate_nan is tl.PropagateNan.NONE or ALL, not %s"                         /* R61 */
#define E_UMULHI             "umulhi needs 32- or 64-bit integers, not %s"                                  /* R65 */
#define E_FDIV               "both operands of fdiv must have floating scalar type, and the same: %s and %s"  /* R54 */
#define W_UNREAD_LANES       "lanes that the mask of this load leaves out are undefined, and may be what %s gives" /* R202 */
#define H_UNREAD_LANES       "give the load its `other`: %s"
#define W_UNREAD_FLOW        "lanes that the mask of a load leaves out are undefined, and count in what %s gives" /* R202 */
#define H_UNREAD_FLOW        "mask them again, in front of it: tl.where(mask, .., %s), with the mask of the load"
#define N_UNREAD_FLOW        "the load, which has no `other`"
#define W_FILLED_FLOW        "lanes that the mask of a load leaves out hold what its `other` makes of them, and count in what %s gives" /* R202 */
#define N_FILLED_FLOW        "the load"
#define W_UNREAD_COUNT       "lanes that the mask of a load leaves out are counted, too: each as a %lld" /* R202 */
#define H_UNREAD_COUNT       "give the histogram the mask as well: tl.histogram(x, bins, mask=mask)"
#define N_UNREAD_COUNT       "the load"
#define W_UNREAD_ATOMIC      "lanes that the mask of a load leaves out take part in this %s, too: each at element %lld" /* R202 */
#define H_UNREAD_ATOMIC      "give it the mask as well: tl.%s(pointer, value, mask=mask)"
#define W_FRACTION           "%s has no fractions: %s is cut off toward zero here"
#define H_FRACTION           "round it, or say that it is meant: .to(tl.%s)"
#define W_TRUTH              "int1 keeps whether %s is 0, and not its value"
#define H_TRUTH              "is the array one of bool by mistake? `!= 0.0` says that it is meant"
#define W_QUOTIENT           "this quotient of integers is a whole number, and the array that it is stored to has fractions"
#define H_QUOTIENT           "`/` keeps them; .to(tl.%s) says that a whole number is meant"
#define W_NOT_HELD           "%s does not fit in %s, and is %lld there"
#define H_NOT_HELD           "is tl.%s the type that was meant?"
#define W_WHERE              "the condition of tl.where should be int1; this is compared with 0: %s"        /* R63 */
#define E_NEEDS_TILE         "%s needs a tile, not %s"
#define E_INTEGERS_OF_32_BITS "libdevice.%s takes integers of 32 bits, not %s"                               /* R304 */
#define E_INTEGERS_ONLY      "%s only supported for integers, not %s"                                       /* R251 */
#define E_AXIS_NONE          "%s needs an axis"                                                             /* R250 */
#define E_REDUCE_SHAPES      "all reduction inputs must have the same shape: %s and %s"                     /* R253 */
#define E_COMBINE_COUNT      "the combine function must return %d values, but returns %s"                   /* R253 */
#define E_COMBINE_TYPE       "the combine function returns %s where the elements are %s"                    /* R253 */
#define E_MAP_NOTHING        "map_elementwise() needs a tile"                                               /* R257 */
#define E_MAP_PACK           "the elements of %s are no multiple of pack, which is %d"                      /* R257 */
#define E_MAP_PACK_SIZE      "pack is a power of two up to %d"                                              /* R257 */
#define E_MAP_RESULTS        "the function must return values for %d elements, but returns %s"              /* R257 */
#define E_MAP_MANY           "the function takes and returns more than %d values"                           /* R257 */
#define E_COMBINE_MANY       "at most %d tiles are reduced or scanned together, not %d"                     /* R253, R254 */
#define E_PROMISE_LENGTH     "%s: the shape of %s does not match the length of values (%d)"                 /* R300 */
#define E_PROMISE            "a promise of %lld means nothing: it must be at least 1"                       /* R300 */
#define W_ASSUME_FALSE       "this assumption is false"                                                     /* R301 */
#define E_SEED               "the seed must be an integer, not %s"                                   /* R282 */
#define E_OFFSET             "counters of random numbers are integers, not %s"                              /* R283 */
#define W_SAME_DRAW          "these are the random numbers that were drawn before: seed and offsets are the same"
#define H_SAME_DRAW          "give it a seed of its own, such as seed + 1, or offsets behind the others; use the first where the same numbers are meant"
#define N_SAME_DRAW          "they were drawn here"
#define H_OFFSET             "each element has a number of its own, such as the offsets that it is loaded with"
#define E_ROUNDS             "the number of rounds must be 0 to %d"                                         /* R280 */

/* dot */
#define E_DOT_UINT8          "only int8 supported! uint8 operands have no product"                          /* R261 */
#define E_DOT_DTYPES         "Both operands must be same dtype. Got %s and %s"                              /* R261 */
#define E_DOT_UNSUPPORTED    "Unsupported lhs dtype %s"                                                     /* R261 */
#define H_DOT_UNSUPPORTED    "operands are int8, fp8, fp16, bf16, fp32 or fp64: .to(...) converts them"
#define E_DOT_RANK           "Both operands must have equal ranks >= 2: %s and %s"                          /* R260 */
#define E_DOT_BATCH          "Both operands must have equal batch shapes: %s and %s"                        /* R260 */
#define E_DOT_INNER          "Both operands must have equal reduction dimensions: %s and %s give %d and %d" /* R260 */
#define H_DOT_INNER          "the second one fits when it is transposed: tl.trans(b)"
#define H_DOT_RANK           "the sum of products of two rows is tl.sum(a * b); a row becomes a matrix with x[None, :]"
#define E_DOT_ACC_SHAPE      "accumulator shape is incompatible: %s where the product is %s"                /* R260 */
#define E_DOT_ACC_DTYPE      "expected accumulator dtype %s, got %s"                                        /* R262 */
#define H_DOT_ACC            "it is made with the product's dtype and shape: tl.zeros((M, N), tl.%s)"
#define E_DOT_BF16_OUT       "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with `.to(tl.bfloat16)`"  /* R262 */
#define E_DOT_OUT            "out_dtype of a dot is float32 or float16, not %s"                             /* R262 */
#define E_DOT_PRECISION      "input_precision must be one of ieee, tf32, tf32x3, bf16x3, bf16x6, not %s"    /* R263 */
#define E_SCALED_FORMAT      "Invalid float format `%s`: it is e2m1, e4m3, e5m2, bf16 or fp16"                /* R270 */
#define E_SCALED_OPERAND     "%s is no operand of this format: it is a tile of %s, or of integers as wide"     /* R270 */
#define E_SCALED_SCALE       "%s is no scale for %s: a byte, or fp8e4nv, for 16 or 32 elements along K"      /* R271 */
#define E_SCALED_OUT         "out_dtype of dot_scaled is float32, not %s"                                   /* R272 */
#define E_DOT_TF32           "Only one of input_precision and allow_tf32 can be specified"                  /* R263 */
#define E_DOT_IMPRECISE      "max_num_imprecise_acc (%lld) must be <= K (%lld)"                             /* R264 */

/* compile time and run time */
#define E_NONREPRESENTABLE   "Nonrepresentable integer %s"                                                  /* R40 */
#define H_NONREPRESENTABLE   "integers have 64 bits at most; 2.0 ** 70 is a float"
#define H_SHIFT_FLOAT        "integers are shifted; of floats write x * 2.0**n, or x / 2.0**n"
#define H_BITS_FLOAT         "this is an operator of bits, which integers have; conditions are joined by `and` and `or`"
#define E_CONST_OPERATOR     "%s: %s and %s"                                                                /* R13 */
#define E_CONST_UNARY        "%s: %s"

/* syntax */
#define E_MATMUL             "`@` is not supported"                                                         /* R21 */
#define H_MATMUL             "use tl.dot"

/* operators */
#define E_OPERANDS           "invalid operands of type %s and %s"                                           /* R58, R71 */
#define H_NONE_OPERAND       "None stands for an argument that was not given (test it: `x is not None`) and for what a call that returns nothing gives"
#define H_UNCALLED           "a function gives something when it is called: tl.program_id(0)"
#define H_POINTER_FLOAT      "offsets are integers: `/` gives a float, `//` does not; what is at an address changes by tl.store"
#define H_POINTER_TUPLE      "an offset is one number, or a tile of them: row * width + column, tl.arange(0, N)"
#define H_POINTER_NUMBER     "a pointer is an address: tl.load reads what is there; for a number, the launch gives a number, as x.item() is, and not an array"
#define H_POINTER_OFFSET     "an offset is added, and counts elements: pointer + offset; what is at an address tl.load reads"
#define H_BITS_OF_FLOAT      "bit operators work on integers: multiply instead, or take the bits with x.to(tl.int32, bitcast=True)"
#define E_ADD_POINTERS       "cannot add pointers together"                                                 /* R71 */
#define H_ADD_POINTERS       "an address takes integers as offsets; what is at the other one tl.load reads"
#define E_FLOORDIV           "unexpected type: `//` needs integers, not %s and %s"                          /* R53 */
#define H_FLOORDIV           "for floats use tl.floor(x / y)"
#define E_POW                "`**` works on compile-time numbers only"                                      /* R55 */
#define H_POW_TWO            "powers of 2 are tl.exp2(x)"
#define H_POW_SQUARE         "a square is x * x; other powers are libdevice.pow"
#define H_POW_ROOT           "a root is tl.sqrt(x); other powers are libdevice.pow"
#define H_POW                "use libdevice.pow, or multiply"
#define E_NEGATE             "wrong type argument to unary minus: %s"                                       /* R56 */
#define E_INVERT             "wrong type argument to unary invert: %s"                                      /* R56 */
#define H_INVERT             "`~` turns integers and conditions around: ~(x > 0); of a float write -x"
#define E_SIGNEDNESS         "Cannot use /, #, or %% on %s and %s because they have different signedness"   /* R43 */
#define H_CAST_ONE           "cast one of them with .to(...)"
#define E_FP8_WITH_INT       "unexpected type: %s with %s"                                                  /* R43 */
#define H_CAST_FIRST         "cast the fp8 value to fp16 or fp32 first"
#define E_OUT_OF_RANGE       "Scalar %s is out of range for type %s"                                        /* R42 */
#define H_OUT_OF_RANGE       "a number takes the dtype of the other side: convert that first, .to(tl.int64)"
#define E_UNSIGNED_NEGATIVE  "Cannot perform a binary operation between an unsigned tensor and a negative scalar: %s and %s"  /* R42 */
#define E_BROADCAST          "Cannot make_shape_compatible: incompatible dimensions at index %d: %d and %d" /* R47 */
#define H_BROADCAST          "the shapes are %s and %s; a 1 broadcasts, and x[:, None] inserts one"
#define W_ROWS               "a value for each row, which a reduction over the last axis gave, is used as one for each column"
#define H_ROWS               "write x[:, None], or keep_dims=True in the reduction"
#define W_ROUNDED            "`%s` is computed with in fp64, but was rounded to fp32, as a float is whose parameter does not say its type"  /* R24 */
#define H_ROUNDED            "the whole value comes with `%s: tl.float64`"
#define W_UNSIGNED_SUB       "this difference of %s is never negative: where the second is larger it wraps around"
#define H_UNSIGNED_SUB       "convert both first: .to(tl.int%d)"
#define E_CAST               "cannot cast %s to %s"                                                         /* R80 */
#define H_CAST_POINTER       "only 64-bit integers and pointers convert into each other"
#define H_CAST_ELEMENT       "only 64-bit integers become addresses; the dtype of what is there is pointer.dtype.element_ty"
#define H_STORE_POINTER      "a pointer is an address: tl.load reads what is there"
#define H_CAST_FP8           "fp8 converts to and from floating types only: go through fp16 or fp32"
#define E_POLL_TIMEOUT       "atomic_poll: a timeout must be None, or 0 for a single look"
#define E_BITCAST            "Cannot bitcast data-type of size %d to data-type of size %d"                  /* R87, R110 */
#define H_BITCAST            "bits keep their number: a dtype of %d bits, or .to(...) without bitcast, which converts the value"
#define H_NOT_BOOL           "`and`, `or`, `not` need int1 values and this is %s: compare it, or use & and |"

/* shapes */
#define H_INFERRED           "no extent is inferred here: write the number that is left"
#define H_ONE_NUMBER         "one number stands here; several axes are reduced one after the other"
#define E_EXTENT             "Shape element %d must be at least 1, not %lld"                                /* R150 */
#define E_TILE_SIZE          "numel exceeds triton maximum tensor numel: a tile has at most %lld elements"  /* R150 */
#define H_TILE_SIZE          "use a smaller block and a loop, or more programs"

/* block pointers */
#define E_BLOCK_PTR_VALUE    "a block pointer is no value to compute with: load through it first"

/* clang-format on */

#endif
