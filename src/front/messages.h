/*
 * messages.h - THE table of the lowering's messages
 *
 * E_ errors, W_ warnings, NOTE_ places that explain an error, H_ hints.  Errors hold the key words
 * that users of the language search for; rule numbers stand behind.
 * They are format strings and not an enum so that the compiler checks the arguments.
 */
#ifndef TILEC_FRONT_MESSAGES_H
#define TILEC_FRONT_MESSAGES_H

/* clang-format off */

/* kernels and names */
#define E_NO_KERNEL          "there is no kernel `%s` in this file"
#define H_KERNELS_ARE        "it has: %s"
#define H_NO_KERNELS         "it has none; a kernel is a `def` decorated with @triton.jit"
#define H_DID_YOU_MEAN       "did you mean `%s`?"
#define E_NOT_JIT            "`%s` is not a kernel"
#define H_ADD_JIT            "decorate it with @triton.jit"
#define E_ARGUMENT_COUNT     "kernel `%s` has %d parameters, but %d arguments were given"
#define E_CONSTEXPR_LISTED   "%s marked as constexpr and listed in do_not_specialize"                       /* R29 */
#define E_STAR_PARAM         "`*%s`: a kernel takes no variable number of arguments"                        /* R19 */
#define E_NOT_DEFINED        "`%s` is not defined"                                                          /* R7 */
#define H_LANGUAGE_HAS       "the language has it as `%s`"
#define NOTE_LOST_IN_ARM     "`%s` is assigned in only one arm of a run-time `if`: bind it before the `if` or in both arms"   /* R118 */
#define NOTE_LOST_WITH_ARM   "`%s` is a constant of this arm of a run-time `if`, and lives only there"                        /* R16, R128 */
#define NOTE_LOST_IN_LOOP    "`%s` is first assigned inside a loop, which may not run: bind it before the loop"               /* R126 */
#define NOTE_LOST_LOOP_VARIABLE "the loop variable `%s` has no value behind the loop"                       /* R126 */
#define E_GLOBAL             "Cannot access global variable `%s` from within a @triton.jit function"        /* R3 */
#define E_GLOBAL_CHOICE      "the value of global variable `%s` depends on a condition outside of the kernel"  /* R3 */
#define W_CHOICE             "`%s` depends on a condition outside of the kernel; this one is taken"
#define NOTE_OTHER_CHOICE    "and not this one"
#define H_GLOBAL             "make it a compile-time constant: `%s: tl.constexpr = ...`, or pass it as an argument"
#define H_GLOBAL_UNKNOWN     "its value is not known at compile time; say it with --define %s=VALUE, or pass it as an argument"
#define NOTE_ASSIGNED_HERE   "`%s` is assigned here"
#define E_UNKNOWN_IMPORT     "`%s` comes from module `%s`, which cannot be read here"                       /* R5 */
#define E_HOST_LANGUAGE      "`%s` is `%s` to the host, which the language does not have"
#define E_DEFINE             "`%s` cannot be defined so"
#define H_DEFINE             "--define NAME=VALUE, or MODULE.NAME=VALUE for a global of another file; VALUE is a number, a text in quotes, None, True, False, a dtype or a tuple of these"
#define E_DEFINE_VALUE       "the value given for `%s` cannot be evaluated"
#define H_FOREIGN_IMPORT     "of modules that are no files of the project only triton, triton.language and Python's math mean something inside a kernel; copy the function into this file"
#define H_IMPORT_NOT_FOUND   "%s; --path DIR names the folder that it is in"
#define E_NO_FILE_MEMBER     "%s binds no `%s`"
#define E_IMPORT_CYCLE       "`%s` of %s is imported from itself, or through too many imports"
#define NOTE_UNKNOWN_IMPORT  "`%s` comes from module `%s`, which cannot be read here"
#define NOTE_UNKNOWN_MODULE  "module `%s` cannot be read here"
#define E_NO_MEMBER          "module `%s` has no `%s`"
#define E_T_RANK             "`.T` needs a tile of two dimensions, not %s"                                  /* R157 */
#define E_NO_ATTRIBUTE       "%s has no attribute `%s`"

/* calls */
#define E_RECURSION          "`%s` calls itself with the same types and constants, so the recursion has no end"               /* R141 */
#define E_CALL_DEPTH         "`%s` is called more than %d levels deep"
#define E_PLAIN_FUNCTION     "Unsupported function referenced: `%s` is plain Python"                        /* R5 */
#define E_CONSTEXPR_FUNCTION "the constexpr_function `%s` needs compile-time arguments, not %s"             /* R12 */
#define E_STATIC_RUN         "this is not known at compile time: %s"                                            /* R12 */
#define E_NOT_CALLABLE       "%s cannot be called"
#define E_CLASS_CALL         "`%s` is a class of values and makes none"
#define E_TOO_MANY           "%s() takes %d arguments but %d were given"
#define E_TOO_FEW            "%s() takes %d arguments but only %d were given"
#define E_MISSING            "%s() is missing its argument `%s`"
#define E_KEYWORD            "%s() got an unexpected keyword argument `%s`"
#define H_PARAMETERS         "it takes %s"
#define E_TWICE              "%s() got two values for `%s`"
#define E_STARRED            "only a tuple can be spread with `*`, not %s"
#define E_DOUBLE_STAR        "`**` in a call is not supported"                                              /* R21 */
#define E_NOINLINE           "`%s` is marked noinline, but was called with non-scalar argument `%s`: %s"    /* R142 */
#define E_RESULT_UNUSED      "The result of %s is not being used"                                           /* R143 */
#define H_ADVANCE            "a block pointer does not change: write `p = tl.advance(p, ...)`"
#define E_RETURNS_DIFFER     "Return type mismatch: %s and %s"                                              /* R140 */
#define E_KERNEL_RETURNS     "a kernel returns nothing, but `%s` returns a value here"                      /* R140 */
#define E_NOT_YET            "tl.%s is not supported yet"
#define E_LIBDEVICE_NOT_YET  "libdevice.%s is not supported yet"                                            /* R304 */

/* compile time and run time */
#define E_NOT_CONSTEXPR      "%s: this must be of type tl.constexpr, but it is %s at run time"                /* R150, R151 */
#define E_WRONG_KIND         "%s: this must be %s, not %s"
#define H_DEMOTED            "`%s = ...` on line %d made it a run-time value: annotate it, `%s: tl.constexpr = ...`"            /* R14 */
#define H_REBOUND            "`%s` was assigned on line %d, which made it a run-time value: use another name"
#define H_GIVEN_RUN_TIME     "the call gives `%s` a run-time value, and the annotation does not change that"     /* R30 */
#define H_PARAM_CONSTEXPR    "annotate the parameter: `%s: tl.constexpr`"
#define E_NOT_A_TENSOR       "cannot convert %s to tensor"                                                  /* R15 */
#define H_TEXT_ARGUMENT      "text is no value to compute with; a number stands without quotes"
#define H_ANNOTATE_CONSTEXPR "to keep it at compile time write `name: tl.constexpr = ...`"
#define E_REDECLARED         "`%s` is already defined; a constexpr cannot be reassigned"                    /* R16 */
#define W_CONSTEXPR_RUN      "`%s` is declared tl.constexpr but its value is only known at run time: %s"    /* R16 */
#define E_NONREPRESENTABLE   "Nonrepresentable integer %s"                                                  /* R40 */
#define E_CONST_OPERATOR     "%s: %s and %s"                                                                /* R13 */
#define E_CONST_UNARY        "%s: %s"
#define E_FSTRING            "Cannot evaluate f-string containing non-constexpr conversion values: %s"      /* R20 */
#define E_STATIC_ASSERT      "static assertion failed%s%s"                                                  /* R295 */
#define E_STATIC_ASSERT_RUN  "the condition could not be determined at compile-time: it is %s"              /* R295 */
#define E_STATIC_ASSERT_ARGS "static_assert requires one or two positional arguments only"                  /* R295 */
#define E_LEN                "len() of %s"                                                                  /* R9 */
#define H_LEN                "the extent of a tile is `x.shape[i]`"
#define E_CONVERSION         "%s() works at compile time only, not on %s"                                   /* R9 */
#define E_CONVERSION_VALUE   "%s() has no value for %s"                                                      /* R9 */
#define H_CONVERSION         "use `.to(tl.float32)` and the like for run-time values"
#define E_ISINSTANCE         "isinstance() needs a class such as tl.tensor, not %s"                         /* R9 */
#define E_EXTREMUM_ARGS      "%s() needs at least two arguments"                                            /* R11 */
#define E_PYTHON_MATH        "%s works on compile-time values, not on %s"                             /* R10 */
#define H_PYTHON_MATH        "for run-time values use `tl.%s`"
#define E_PRINT_PREFIX       "the prefix is not string: %s"                                                 /* R290 */

/* syntax */
#define E_UNSUPPORTED_SYNTAX "unsupported AST node type: %s"                                                /* R21 */
#define E_DEPTH              "too deeply nested"
#define E_STATEMENTS         "the kernel repeats itself for more than %d statements"
#define E_LOWER_BYTES        "the kernel repeats itself until it takes more than %d MiB to compile"
#define E_NOT_AN_EXPRESSION  "this means nothing here"
#define E_NESTED_FUNCTION    "nested function definitions are not allowed inside a @triton.jit kernel: `%s`" /* R21 */
#define E_WITH               "`with` is not supported in a kernel"                                          /* R131 */
#define H_WITH               "leave it out: files, streams and locks belong to the host"
#define E_CHAINED_ASSIGN     "an assignment has one target: `a = b = 1` is not supported"                   /* R135 */
#define E_TARGET             "this cannot be assigned to"
#define E_SETITEM            "__setitem__ is not supported: a tile cannot be changed in place"              /* R21 */
#define H_SETITEM            "use tl.where for elements of a tile, tl.store for memory"
#define E_SETATTR            "Attribute assignment is not supported"                                        /* R21 */
#define E_UNPACK             "cannot unpack %s"
#define E_UNPACK_FEW         "%d names on the left, but only %d values on the right"                        /* R135 */
#define W_UNPACK_MANY        "%d values on the right are dropped"                                           /* R135 */
#define E_COMPARE_CHAIN      "simultaneous multiple comparison is not supported"                            /* R103 */
#define H_COMPARE_CHAIN      "write `(a < b) & (b < c)`"
#define H_COMPARE_BITS       "`&` and `|` bind more tightly than comparisons: write `(a < b) & (c < d)`"
#define E_IN                 "`in` is not supported in a kernel"                                            /* R21 */
#define E_MATMUL             "`@` is not supported"                                                         /* R21 */
#define H_MATMUL             "use tl.dot"
#define E_COMPREHENSION      "a comprehension runs over a tuple, not over %s"                               /* R21 */
#define H_COMPREHENSION      "write its elements, (0, 1, 2), or a loop: `for i in tl.static_range(n)`"
#define E_COMPREHENSION_IF   "a comprehension takes no `if`"                                                /* R21 */

/* control flow */
#define E_IF_TYPE            "`if` conditionals can only accept values of type bool, int or None, not %s"   /* R100 */
#define E_CONDITION          "this cannot be a condition: %s"
#define E_AMBIGUOUS          "Boolean value of Tensor with more than one value is ambiguous: %s"            /* R101 */
#define H_AMBIGUOUS          "reduce it first (tl.max, tl.sum), or use tl.where"
#define E_TERNARY            "Ternary expression with dynamic condition has inconsistent types %s and %s"   /* R102 */
#define E_ARMS_DIFFER        "Mismatched type for %s between then block (%s) and else block (%s)"         /* R118 */
#define E_ARM_REDEFINES      "initial value for `%s` is of type %s, but the %s block redefines it as %s"    /* R118 */
#define H_MAKE_RUN_TIME      "it is a compile-time constant: `%s = %s` before makes it a run-time value"
#define E_RETURN_IN_LOOP     "Cannot have `return` statements inside `while` or `for` statements"           /* R119 */
#define H_RETURN_IN_LOOP     "assign to a name and return that behind the loop"
#define E_CARRIED_TYPE       "Loop-carried variable `%s` has initial type %s but is re-assigned to %s in loop! Please make sure that the type stays consistent"  /* R127 */
#define H_CARRIED_TYPE       "give `%s` its final dtype and shape before the loop, for example with tl.zeros or .to"
#define E_CARRIED_CONST      "Loop carried variable `%s` changed type: it is %s and becomes %s"             /* R127 */
#define E_CARRIED_KIND       "loop-carried `%s` is not a triton value: %s"                                  /* R127 */
#define E_ITERATOR           "Only `range` and `static_range` iterators are currently supported"            /* R129 */
#define H_ITERATOR           "over a tuple: `for i in tl.static_range(len(t))`, and take t[i]"
#define E_RANGE_VALUE        "%s() has a meaning only behind `for ... in`"
#define E_RANGE_BOUND        "For loop bounds and step must all be ints and scalars, not %s"                /* R125 */
#define E_STEP_ZERO          "the step of a range must not be 0"
#define E_STATIC_RANGE       "used as tl.static_range %s value is not a constexpr: %s"                      /* R128 */
#define E_STATIC_TRIPS       "%s repeats its body more than %d times at compile time"
#define E_LOOP_ELSE          "`else` on a loop is not supported"                                            /* R21 */
#define E_WHILE_CONST        "the condition of a `while` must be a run-time value, not %s"                  /* R130 */
#define H_WHILE_CONST        "a loop that never ends, or never starts, has no use in a kernel"

/* operators */
#define E_OPERANDS           "invalid operands of type %s and %s"                                           /* R58, R71 */
#define H_NONE_OPERAND       "None stands for an argument that was not given (test it: `x is not None`) and for what a call that returns nothing gives"
#define H_POINTER_FLOAT      "offsets are integers: `/` gives a float, `//` does not"
#define H_BITS_OF_FLOAT      "bit operators work on integers: multiply instead, or take the bits with x.to(tl.int32, bitcast=True)"
#define E_ADD_POINTERS       "cannot add pointers together"                                                 /* R71 */
#define E_FLOORDIV           "unexpected type: `//` needs integers, not %s and %s"                          /* R53 */
#define H_FLOORDIV           "for floats use tl.floor(x / y)"
#define E_POW                "`**` works on compile-time numbers only"                                      /* R55 */
#define H_POW                "use libdevice.pow, or multiply"
#define E_NEGATE             "wrong type argument to unary minus: %s"                                       /* R56 */
#define E_INVERT             "wrong type argument to unary invert: %s"                                      /* R56 */
#define E_SIGNEDNESS         "Cannot use /, #, or %% on %s and %s because they have different signedness"   /* R43 */
#define H_CAST_ONE           "cast one of them with .to(...)"
#define E_FP8_WITH_INT       "unexpected type: %s with %s"                                                  /* R43 */
#define H_CAST_FIRST         "cast the fp8 value to fp16 or fp32 first"
#define E_OUT_OF_RANGE       "Scalar %s is out of range for type %s"                                        /* R42 */
#define E_UNSIGNED_NEGATIVE  "Cannot perform a binary operation between an unsigned tensor and a negative scalar: %s and %s"  /* R42 */
#define E_BROADCAST          "Cannot make_shape_compatible: incompatible dimensions at index %d: %d and %d" /* R47 */
#define H_BROADCAST          "the shapes are %s and %s; a 1 broadcasts, and x[:, None] inserts one"
#define E_CAST               "cannot cast %s to %s"                                                         /* R80 */
#define H_CAST_POINTER       "only 64-bit integers and pointers convert into each other"
#define H_CAST_FP8           "fp8 converts to and from floating types only: go through fp16 or fp32"
#define E_BITCAST            "Cannot bitcast data-type of size %d to data-type of size %d"                  /* R87, R110 */
#define H_NOT_BOOL           "`and`, `or`, `not` need int1 values and this is %s: compare it, or use & and |"
#define E_ROUNDING           "Invalid rounding mode `%s`: it is rtne or rtz"                                /* R82 */
#define E_ROUNDING_MISPLACED "fp_downcast_rounding should be set only for truncating fp conversions"        /* R82 */
#define E_NOT_A_DTYPE        "%s: this must be a dtype such as tl.float32, not %s"
#define E_INT_DTYPE          "there is no integer dtype of %lld bits"
#define E_POINTER_POINTER    "a pointer to pointers has no dtype"
#define E_TUPLE_LONG         "the tuple would be too long"
#define E_STRING_LONG        "the string would be too long"

/* indexing */
#define E_NOT_INDEXABLE      "%s cannot be indexed"
#define H_LAUNCH_INSIDE      "a kernel launches no other one: call it, %s(...)"
#define E_TUPLE_INDEX        "an index must be known at compile time: %s"                                  /* R136 */
#define E_TUPLE_RANGE        "the index is outside of a tuple of %d"                                        /* R136 */
#define E_TILE_INDEX         "unsupported tensor index"                                                     /* R153 */
#define H_TILE_INDEX         "only `None`, `:` and slices with constant bounds may stand here"
#define E_SLICE_STEP         "a slice of a tile has the step 1"
#define E_SLICE_EMPTY        "a slice of a tile has at least one element; this dimension has %d"
#define H_POINTER_INDEX      "a pointer has no elements of its own: read memory with tl.load(pointer + index)"

/* shapes */
#define E_RANK               "a tile has at most %d dimensions"
#define E_EXTENT             "Shape element %d must be at least 1, not %lld"                                /* R150 */
#define E_TILE_SIZE          "numel exceeds triton maximum tensor numel: a tile has at most %lld elements"  /* R150 */
#define H_TILE_SIZE          "use a smaller block and a loop, or more programs"
#define E_SHAPE_ELEMENT      "Shape element %d must have type `constexpr[int]`, not %s"                     /* R150 */
#define H_SHAPE_ELEMENT      "unannotated assignment made it a run-time value: write `name: tl.constexpr = ...`"  /* R14 */
#define E_ARANGE_ORDER       "arange's end argument must be greater than the start argument: %lld to %lld"  /* R151 */
#define E_ARANGE_RANGE       "arange must fit in int32"                                                     /* R151 */
#define E_FULL_VALUE         "a scalar or a tile of one element must stand here, not %s"                    /* R152 */
#define E_AXIS               "invalid axis %lld. Expected -%d <= axis < %d"                                 /* R154, R250 */
#define E_AXIS_TWICE         "duplicate axes, normalized axes = [%s]"                                           /* R154 */
#define E_SQUEEZE            "dimension %d of %s is not 1"                                                  /* R156 */
#define E_BROADCAST_RANK     "Cannot broadcast, rank mismatch: %s to %d dimensions"                         /* R155 */
#define E_BROADCAST_TO       "the expanded size of the tensor (%d) must match the existing size (%d) at dimension %d"  /* R155 */
#define E_RESHAPE            "reshape() cannot change total number of elements in tensor: %s has %lld, the new shape %lld"  /* R156 */
#define E_TRANS_RANK         "tl.trans invoked with a 0- or 1-dimensional tensor: %s"                       /* R157 */
#define E_PERMUTE_LENGTH     "permute dims must have the same length as the shape: %d dims for %s"          /* R157 */
#define E_PERMUTE            "permute dims must be a permutation of 0 to %d"                                /* R157 */
#define E_JOIN_TYPES         "%s needs two values of one dtype and shape: %s and %s"                         /* R158, R159 */
#define E_SPLIT              "expected last dimension to be 2 for split, but this is %s"                     /* R158 */
#define H_SPLIT              "bring the two halves there first: x.reshape(..., 2), or tl.permute"
#define E_GATHER_INDEX       "the indices of gather are integers, not %s"                                    /* R160 */
#define E_GATHER_SHAPE       "the indices of gather (%s) have the extents of the source (%s) but along axis %d"  /* R160 */
#define E_MINOR_DIM          "only minor dimension is currently supported"                                   /* R256 */
#define H_MINOR_DIM          "tl.trans or tl.permute brings another one to the end; %s works on the last"
#define E_TOPK               "k must be 1 to %d, not %lld"                                                   /* R256 */
#define E_HISTOGRAM_RANK     "histogram only supports 1D input, not %s"                                      /* R255 */
#define E_HISTOGRAM_INT      "histogram only supports integer input, not %s"                                 /* R255 */
#define E_PROGRAM_AXIS       "%s axis must be 0, 1, or 2 but got %lld"                                               /* R303 */

/* memory */
#define E_POINTER            "Unsupported ptr type %s in `tl.%s`"                                           /* R200 */
#define H_POINTER            "integers are no addresses: add them to a pointer argument"
#define NOTE_PARAM_GIVEN     "`%s` was given as %s"
#define H_GIVE_ARRAY         "give an array for `%s`; an integer is no address, but can be added to a pointer"
#define E_SCALAR_POINTER     "%s argument cannot be block type if pointer argument is not a block: %s"      /* R201, R210 */
#define H_SCALAR_POINTER     "add a tile of offsets to the pointer, such as `ptr + tl.arange(0, N)`"
#define E_MASK               "Mask must have boolean scalar type, not %s"                                   /* R201, R210 */
#define H_MASK               "compare it: `mask != 0`"
#define E_OTHER_WITHOUT_MASK "`other` cannot be provided without `mask`"                                    /* R202 */
#define E_BOUNDARY           "`padding_option` or `boundary_check` argument is not supported for pointers that are no block pointers"  /* R203 */
#define H_BOUNDARY           "give a mask instead"
#define E_CACHE              "Cache modifier %s not supported"                                              /* R205 */
#define E_EVICTION           "Eviction policy %s not supported"                                             /* R205 */
#define E_CONST_POINTER      "Cannot store to a constant pointer: %s"                                       /* R223 */
#define E_STORE_SHAPE        "Expected pointer argument to have shape of the value or mask (%s) but got %s" /* R210 */
#define E_SEM                "Memory semantic %s not supported"                                             /* R224 */
#define E_ATOMIC_TYPE        "%s does not support %s"                                                       /* R220 */
#define E_CAS_WIDTH          "atomic_cas only supports elements with width {16, 32, 64}, not %s"            /* R222 */
#define E_CAS_TYPE           "atomic_cas compares and stores values of exactly the element type: got %s, expected %s"  /* R222 */

/* block pointers */
#define E_BLOCK_PTR_BASE     "Expected `base` to be a scalar pointer type, not %s"                          /* R230 */
#define E_BLOCK_PTR_INT      "shape, strides and offsets of a block pointer are ints, not %s"               /* R230 */
#define E_SAME_LENGTH        "%s: expected shape, strides, offsets and block_shape to have the same length: %s for %d dimensions"  /* R230 */
#define E_ORDER              "`order` must be a permutation of 0 to %d"                                     /* R230 */
#define E_NOT_DESCRIPTOR     "%s needs a tensor descriptor, not %s"
#define E_DESCRIPTOR_ACCESS  "tl.%s takes no tensor descriptor: use its methods load(offsets) and store(offsets, value)"
#define E_DESCRIPTOR_STRIDE  "Tensor descriptor last dim must be 1: the last stride is the constant 1"
#define E_NOT_BLOCK_PTR      "tl.advance needs a block pointer, not %s"                                     /* R232 */
#define E_BLOCK_PTR_VALUE    "a block pointer is no value to compute with: load through it first"
#define E_BLOCK_PTR_MASK     "`mask` and `other` cannot be specified for %s block pointers"                 /* R231 */
#define E_BLOCK_PTR_SHAPE    "the value is %s, but it is stored through a %s"                               /* R231 */
#define E_BOUNDARY_DIM       "boundary_check names dimension %lld, which the block pointer does not have"   /* R231 */
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
#define W_WHERE              "the condition of tl.where should be int1; this is compared with 0: %s"        /* R63 */
#define E_NEEDS_TILE         "%s needs a tile, not %s"
#define E_INTEGERS_ONLY      "%s only supported for integers, not %s"                                       /* R251 */
#define E_AXIS_NONE          "%s needs an axis"                                                             /* R250 */
#define E_REDUCE_SHAPES      "all reduction inputs must have the same shape: %s and %s"                     /* R253 */
#define E_COMBINE_COUNT      "the combine function must return %d values, but returns %s"                   /* R253 */
#define E_COMBINE_TYPE       "the combine function returns %s where the elements are %s"                    /* R253 */
#define E_COMBINE_TILE       "a combine function works on single elements, and this is %s"                   /* R253 */
#define H_COMBINE_TILE       "it is called with one element of each side: shapes have no meaning in it"
#define E_COMBINE_MANY       "at most %d tiles are reduced or scanned together, not %d"                     /* R253, R254 */
#define E_PROMISE_LENGTH     "%s: the shape of %s does not match the length of values (%d)"                 /* R300 */
#define E_PROMISE            "a promise of %lld means nothing: it must be at least 1"                       /* R300 */
#define W_ASSUME_FALSE       "this assumption is false"                                                     /* R301 */

#define E_SEED               "the seed must be an integer scalar, not %s"                                   /* R282 */
#define E_OFFSET             "counters of random numbers are integers, not %s"                              /* R283 */
#define E_ROUNDS             "the number of rounds must be 0 to %d"                                         /* R280 */

/* dot */
#define E_DOT_UINT8          "only int8 supported! uint8 operands have no product"                          /* R261 */
#define E_DOT_DTYPES         "Both operands must be same dtype. Got %s and %s"                              /* R261 */
#define E_DOT_UNSUPPORTED    "Unsupported lhs dtype %s"                                                     /* R261 */
#define E_DOT_RANK           "Both operands must have equal ranks >= 2: %s and %s"                          /* R260 */
#define E_DOT_BATCH          "Both operands must have equal batch shapes: %s and %s"                        /* R260 */
#define E_DOT_INNER          "Both operands must have equal reduction dimensions: %s and %s give %d and %d" /* R260 */
#define H_DOT_INNER          "the second one fits when it is transposed: tl.trans(b)"
#define H_DOT_RANK           "the sum of products of two rows is tl.sum(a * b); a row becomes a matrix with x[None, :]"
#define E_DOT_ACC_SHAPE      "accumulator shape is incompatible: %s where the product is %s"                /* R260 */
#define E_DOT_ACC_DTYPE      "expected accumulator dtype %s, got %s"                                        /* R262 */
#define E_DOT_BF16_OUT       "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with `.to(tl.bfloat16)`"  /* R262 */
#define E_DOT_OUT            "out_dtype of a dot is float32 or float16, not %s"                             /* R262 */
#define E_DOT_PRECISION      "input_precision must be one of ieee, tf32, tf32x3, bf16x3, bf16x6, not %s"    /* R263 */
#define E_DOT_TF32           "Only one of input_precision and allow_tf32 can be specified"                  /* R263 */
#define E_DOT_IMPRECISE      "max_num_imprecise_acc (%lld) must be <= K (%lld)"                             /* R264 */

/* decorators and heuristics (R340 to R346) */
#define E_UNCERTAIN          "what `%s` holds depends on more than its assignment"
#define E_NOT_KNOWN          "what `%s` is cannot be known here"
#define E_NOT_READ           "`%s` cannot be read"
#define E_GIVEN_ARRAY        "`%s` is an array, which has no value here"
#define E_GIVEN_TYPE         "`%s` was given as a type, without a value"
#define E_GIVEN_NO_SHAPE     "the array was given without a shape"
#define E_GIVEN_ONLY_TYPE    "the array was given as a type only"
#define E_GIVEN_PROPERTY     "what `%s` of an array is cannot be told here"
#define E_GIVEN_DIMENSION    "the array has %d dimensions"
#define E_GIVEN_TOO_LARGE    "nothing is as large as this array"
#define E_GIVEN_NOT          "`%s` has no value"
#define E_GIVEN_KEY          "arguments are asked for by their names"
#define E_GIVEN_METHOD       "`args` has no `%s` here"
#define E_HEURISTIC_RESULT   "this gives %s, which no constexpr can be"
#define E_HEURISTIC_UNREAD   "what this gives cannot be read"

/* clang-format on */

#endif
