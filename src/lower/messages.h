/*
 * messages.h - THE table of the lowering's messages
 *
 * E_ errors, W_ warnings, NOTE_ places that explain an error, H_ hints.  Errors hold the key words
 * that users of the language search for; rule numbers stand behind.
 * They are format strings and not an enum so that the compiler checks the arguments.
 */
#ifndef TILEC_LOWER_MESSAGES_H
#define TILEC_LOWER_MESSAGES_H

/* clang-format off */

/* kernels and names */
#define E_NO_KERNEL          "there is no kernel `%s` in this file"
#define H_KERNELS_ARE        "it has: %s"
#define H_NO_KERNELS         "it has none; a kernel is a `def` decorated with @triton.jit"
#define H_DID_YOU_MEAN       "did you mean `%s`?"
#define E_NOT_JIT            "`%s` is not a kernel"
#define H_ADD_JIT            "decorate it with @triton.jit"
#define E_ARGUMENT_COUNT     "kernel `%s` has %d parameters, but %d arguments were given"
#define W_CONSTEXPR_LISTED   "%s marked as constexpr and listed in do_not_specialize"                       /* R29 */
#define E_HOST_OBJECT        "`%s` is an object of the caller's, %s, of which a kernel has no value"
#define E_HOST_VALUE         "`%s` is %s, for which a kernel has no value"
#define H_GLOBAL_OBJECT      "it is %s: %s"
#define E_STAR_PARAM         "`*%s`: a kernel takes no variable number of arguments"                        /* R19 */
#define H_STAR_PARAM         "a tuple holds several: the launch gives (a, b), the kernel takes t[0], t[1]"
#define E_NOT_DEFINED        "`%s` is not defined"                                                          /* R7 */
#define W_NOT_CALLED         "this names a function, and does nothing: parentheses call it, f()"
#define W_NOT_DEFINED        "`%s` is not defined: Python stops here"
#define H_NOT_DEFINED        "nothing binds it: assign it before this, or make it a parameter"
#define H_CURLY_QUOTES       "a text stands in straight quotes: \"...\""
#define H_LANGUAGE_HAS       "the language has it as `%s`"
#define NOTE_LOST_IN_ARM     "`%s` is assigned in only one arm of a run-time `if`: bind it before the `if` or in both arms"   /* R118 */
#define NOTE_LOST_WITH_ARM   "`%s` is a constant of this arm of a run-time `if`, and lives only there"                        /* R16, R128 */
#define NOTE_LOST_IN_LOOP    "`%s` is first assigned inside a loop, which may not run: bind it before the loop"               /* R126 */
#define NOTE_LOST_LOOP_VARIABLE "the loop variable `%s` has no value behind the loop"                       /* R126 */
#define E_GLOBAL             "Cannot access global variable `%s` from within a @triton.jit function"        /* R3 */
#define E_GLOBAL_CHOICE      "the value of global variable `%s` depends on a condition outside of the kernel"  /* R3 */
#define W_CHOICE             "`%s` depends on a condition outside of the kernel; this one is taken"
#define H_CHOICE             "--define %s=VALUE says which one it is"
#define NOTE_OTHER_CHOICE    "and not this one"
#define H_GLOBAL             "make it a compile-time constant: `%s: tl.constexpr = ...`, or pass it as an argument"
#define H_ATTRIBUTE_UNKNOWN  "its value is not known at compile time; pass it as an argument"
#define H_GLOBAL_UNKNOWN     "its value is not known at compile time; say it with --define %s=VALUE, or pass it as an argument"
#define NOTE_ASSIGNED_HERE   "`%s` is assigned here"
#define E_UNKNOWN_IMPORT     "`%s` comes from module `%s`, which cannot be read here"                       /* R5 */
#define E_HOST_LANGUAGE      "`%s` is `%s` to the host, which the language does not have"
#define E_DEFINE_VALUE       "the value given for `%s` cannot be evaluated"
#define W_DEFINE_UNUSED      "the value given for `%s%s%s` is not used: no file that was read binds that name"
#define H_FOREIGN_IMPORT     "of modules that are no files of the project only triton, triton.language and Python's math mean something inside a kernel; copy the function into this file"
#define H_FOREIGN_FUNCTION   "a kernel cannot use `%s`: build it of tl functions, or compute it before the launch"
#define H_IMPORT_NOT_FOUND   "%s; --path DIR names the folder that it is in"
#define E_NO_FILE_MEMBER     "%s binds no `%s`"
#define E_IMPORT_CYCLE       "`%s` of %s is imported from itself: no file on the way binds it"
#define E_IMPORT_HOPS        "`%s` of %s is reached through too many imports, one after the other"
#define NOTE_UNKNOWN_IMPORT  "`%s` comes from module `%s`, which cannot be read here"
#define NOTE_UNKNOWN_MODULE  "module `%s` cannot be read here"
#define E_NO_MEMBER          "module `%s` has no `%s`"
#define H_ALL_FUNCTIONS      "`tilec help functions` has a line for each that there is"
#define H_T_RANK             "x[:, None] is a column, x[None, :] a row; a tile of one dimension is neither"
#define E_T_RANK             "`.T` needs a tile of two dimensions, not %s"                                  /* R157 */
#define H_METHODS            "a value has .dtype, .shape, .T and .to, and most functions of tl, as in x.sum(axis=0)"
#define E_NO_ATTRIBUTE       "%s has no attribute `%s`"

/* calls */
#define E_RECURSION          "`%s` calls itself with the same types and constants, so the recursion has no end"               /* R141 */
#define E_CALL_DEPTH         "`%s` is called more than %d levels deep"
#define E_PLAIN_FUNCTION     "Unsupported function referenced: `%s` is plain Python"                        /* R5 */
#define H_STATIC_RUN         "Python runs while the kernel is compiled: it may ask a tile for what is known then, x.shape, x.dtype, x.type"
#define E_STATIC_RUN         "this is not known at compile time: %s"                                            /* R12 */
#define H_NO_CALL            "it is no function: leave out the `()`"
#define H_HIDES_FUNCTION     "`%s` is a function where no value has its name: give the value another"
#define H_CALL_POINTER       "it is no function; memory is read by tl.load(pointer + i)"
#define H_CALL_TILE          "it is no function; brackets index: x[...]"
#define H_MODULE_CALL        "a module holds functions: call one of them"
#define E_NOT_CALLABLE       "%s cannot be called"
#define E_TOO_MANY           "%s() takes %d arguments but %d were given"
#define E_MISSING            "%s() is missing its argument `%s`"
#define E_KEYWORD            "%s() got an unexpected keyword argument `%s`"
#define H_PARAMETERS         "it takes %s"
#define H_BORDER             "beside an image the index decides: tl.minimum(tl.maximum(i, 0), n - 1) repeats its edge, `tilec help border` has the others"
#define E_TWICE              "%s() got two values for `%s`"
#define H_STARRED            "a kernel reads memory by tl.load(pointer)"
#define E_STARRED            "only a tuple can be spread with `*`, not %s"
#define H_RECURSION          "write a loop; a function calls itself only where constants end it"
#define E_DOUBLE_STAR        "`**` in a call is not supported"                                              /* R21 */
#define E_NOINLINE           "`%s` is marked noinline, but was called with non-scalar argument `%s`: %s"    /* R142 */
#define E_RESULT_UNUSED      "The result of %s is not being used"                                           /* R143 */
#define H_ADVANCE            "a block pointer does not change: write `p = tl.advance(p, ...)`"
#define E_RETURNS_DIFFER     "Return type mismatch: Inconsistent return types %s and %s"                                              /* R140 */
#define H_RETURNS_DIFFER     "every `return` gives the same dtype and shape: convert with .to, or tl.full"
#define H_KERNEL_RETURNS     "nobody takes it: tl.store(pointer, value) writes it to an array"
#define E_KERNEL_RETURNS     "a kernel returns nothing, but `%s` returns a value here"                      /* R140 */

#define E_FIELD_DEFAULT      "the default of field `%s` is not known at compile time"                        /* R31 */
#define E_FIELD_UNSET        "__init__ of `%s` does not set its field `%s`"                                  /* R31 */
#define E_CLASS_NO_VALUE     "`%s` is neither a NamedTuple nor under @triton.aggregate: kernels cannot make one"  /* R31 */
#define H_CLASS_NO_VALUE     "derive it from typing.NamedTuple, or give its fields as arguments of their own"
#define E_REPLACE_INSTANCE   "aggregate_replace() expects an aggregate instance"                             /* R31 */
#define E_CLASS_OPERATOR     "%s has no function `%s`, which would say what this operator gives"               /* R31 */
#define E_REPLACE_FIELD      "%s has no field '%s'"                                                          /* R31 */
#define E_MEMBER_VALUE       "the value of %s.%s is not known at compile time"

/* compile time and run time */
#define E_NOT_A_TENSOR       "cannot convert %s to tensor"                                                  /* R15 */
#define H_DTYPE_VALUE        "a value stands here: 0.0, or x.to(dtype)"
#define H_CALL_IT            "call it: `%s(...)`"
#define H_TUPLE_VALUE        "a tuple holds several values: unpack it, `a, b = ...`, or take one, t[0]"
#define H_OBJECT_VALUE       "of an object, a kernel uses what attributes hold: `object.NAME`"
#define H_NO_VALUE           "None stands for an argument that was not given, and for what a call that returns nothing gives"
#define W_ANNOTATION         "the annotation changes nothing: `%s` is %s"
#define H_ANNOTATION         "convert the value: .to(tl.%s), or tl.full(shape, value, tl.%s)"
#define H_ANNOTATE_CONSTEXPR "to keep it at compile time write `name: tl.constexpr = ...`"
#define E_REDECLARED         "`%s` is already defined; a constexpr cannot be reassigned"                    /* R16 */
#define W_CONSTEXPR_RUN      "`%s` is declared tl.constexpr but its value is only known at run time: %s"    /* R16 */
#define E_FSTRING            "Cannot evaluate f-string containing non-constexpr conversion values: %s"      /* R20 */
#define H_FSTRING            "texts are made when the kernel is compiled: tl.device_print(\"n\", n) prints what a launch has"
#define E_STATIC_ASSERT      "static assertion failed%s%s"                                                  /* R295 */
#define E_STATIC_ASSERT_RUN  "the condition could not be determined at compile-time: it is %s"              /* R295 */
#define H_STATIC_ASSERT_RUN  "tl.device_assert(condition, text) looks at it when the kernel runs"
#define E_STATIC_ASSERT_ARGS "static_assert requires one or two positional arguments only"                  /* R295 */
#define E_ISINSTANCE         "isinstance() needs a class such as tl.tensor, not %s"                         /* R9 */
#define E_PYTHON_MATH        "%s works on compile-time values, not on %s"                             /* R10 */
#define H_PYTHON_MATH        "for run-time values use `tl.%s`"

/* syntax */
#define W_UNUSED             "nobody uses what this computes"
#define H_UNUSED_EQUAL       "`==` compares; `=` assigns"
#define H_UNUSED_COUNT       "Python has no `++`: i += 1"
#define H_UNUSED_COUNT_DOWN  "Python has no `--`: i -= 1"
#define H_UNUSED             "assign it to a name: nothing changes in place"
#define W_CHANGES_NOTHING    "this call of `%s` changes nothing: what a function assigns to its parameters stays its own"
#define H_CHANGES_NOTHING    "let it return what it makes: acc = %s(acc, ..)"
#define W_UNUSED_ARRAY       "the %s `%s` stands nowhere in kernel `%s`"
#define H_UNUSED_ARRAY       "was it forgotten? A name that begins with `_` says that it is not needed"
#define W_UNUSED_LOAD        "`%s` is loaded, and stands nowhere else"
#define W_UNUSED_RESULT      "`%s` is computed of what was loaded or drawn, and stands nowhere else"
#define H_UNUSED_LOAD        "was it forgotten?"
#define W_UNUSED_TOTAL       "`%s` is added up, and stands nowhere else"
#define H_UNUSED_TOTAL       "was it to be added to what is stored?"
#define W_UNCHANGED_STATE    "`%s` is 0 in all rounds of the loop: nothing else is assigned to it"
#define H_UNCHANGED_STATE    "is what comes of it given to another name than the next round uses?"
#define W_STRIDES_TURNED     "`%s` is multiplied by `%s` here, and `%s` by `%s`: are the strides turned around?"
#define H_STRIDES_TURNED     "%s * %s and %s * %s go by their names"
#define W_SIGN_ASSIGNED      "this assigns a value with a sign"
#define H_SIGN_ASSIGNED      "`%c=` changes what the name holds"
#define W_IDENTITY           "`%s` asks whether two are one and the same, and a number or a text is not compared by it"
#define H_IDENTITY           "write `%s`"
#define W_DTYPE_TEXT         "a dtype is no text, and never equal to one"
#define H_DTYPE_COMPARED     "compare it with a dtype, as in x.dtype == tl.float32"
#define W_PRECEDENCE         "`%s` binds more tightly than comparisons: this compares what it gives"
#define H_PRECEDENCE         "write brackets: a %s (b < c)"
#define H_ALTERNATIVES       "each is compared: (v == 1) | (v == 2)"
#define E_UNSUPPORTED_SYNTAX "unsupported AST node type: %s"                                                /* R21 */
#define E_DEPTH              "too deeply nested"
#define E_STATEMENTS         "the kernel repeats itself for more than %d statements"
#define E_LOWER_BYTES        "the kernel repeats itself until it takes more than %d MiB to compile"
#define E_NOT_AN_EXPRESSION  "this means nothing here"
#define H_STARRED_VALUE      "memory is read by tl.load(pointer)"
#define E_NESTED_FUNCTION    "nested function definitions are not allowed inside a @triton.jit kernel: `%s`" /* R21 */
#define H_NESTED_FUNCTION    "write it outside of the kernel, and give it as arguments what it needs"
#define E_WITH               "`with` is not supported in a kernel"                                          /* R131 */
#define H_WITH               "leave it out: files, streams and locks belong to the host"
#define E_CHAINED_ASSIGN     "an assignment has one target: `a = b = 1` is not supported"                   /* R135 */
#define H_CHAINED_ASSIGN     "write one assignment for each name: `b = 1`, then `a = b`"
#define E_TARGET             "this cannot be assigned to"
#define E_SETITEM            "__setitem__ is not supported: %s has no elements to assign"                    /* R21 */
#define E_SETITEM_POINTER    "__setitem__ is not supported: a pointer is no array"                          /* R21 */
#define H_SETITEM_POINTER    "write memory with tl.store(pointer + index, value)"
#define E_SETATTR            "Attribute assignment is not supported"                                        /* R21 */
#define H_SETATTR            "values do not change: bind a new name, and pass it on"
#define E_UNPACK             "cannot unpack non-iterable value: %s"                                          /* R135 */
#define H_UNPACK             "only a tuple is taken apart; tl.max and tl.min give the index too with return_indices=True"
#define E_UNPACK_FEW         "not enough values to unpack (expected %d, got %d)"                            /* R135 */
#define H_UNPACK_COUNT       "as many names stand on the left as values on the right; `_` is one for what is not needed"
#define E_UNPACK_MANY        "too many values to unpack (expected %d, got %d)"                              /* R135 */
#define E_STARRED_TARGET     "starred assignment targets are not supported"                                 /* R135 */
#define H_STARRED_TARGET     "a name for each value, a, b, c = t, or slices of the tuple: a = t[0], b = t[1:]"
#define E_COMPARE_CHAIN      "simultaneous multiple comparison is not supported"                            /* R103 */
#define H_COMPARE_CHAIN      "write `(a < b) & (b < c)`"
#define H_COMPARE_BITS       "`&` and `|` bind more tightly than comparisons: write `(a < b) & (c < d)`"
#define E_IN                 "`in` is not supported in a kernel"                                            /* R21 */
#define H_IN                 "compare with each: (x == a) | (x == b)"
#define E_COMPREHENSION      "a comprehension runs over a tuple, not over %s"                               /* R21 */
#define H_COMPREHENSION_TILE "operators and tl functions work on all elements of a tile: x * 2, tl.exp(x)"
#define H_COMPREHENSION      "write its elements, (0, 1, 2), or a loop: `for i in tl.static_range(n)`"
#define E_COMPREHENSION_IF   "the `if` of a comprehension must be known at compile time, but it is %s"       /* R21 */

/* control flow */
#define E_IF_TYPE            "`if` conditionals can only accept values of type bool, int or None, not %s"   /* R100 */
#define E_CONDITION          "this cannot be a condition: %s"
#define E_AMBIGUOUS          "Boolean value of Tensor with more than one value is ambiguous: %s"            /* R101 */
#define H_AMBIGUOUS_IF       "an `if` is for the whole program: a mask leaves lanes out, tl.store(p, v, mask=i < n), tl.where(c, a, b) chooses values, tl.max or tl.sum reduce c first"
#define H_AMBIGUOUS_CHOICE   "reduce it first (tl.max, tl.sum), or choose element by element: tl.where(c, a, b)"
#define H_AMBIGUOUS_WHILE    "a loop is for the whole program: reduce it first, tl.max(c.to(tl.int32), axis=0) > 0, and mask what is done"
#define H_AMBIGUOUS_ASSUME   "reduce it first: tl.min(c.to(tl.int32), axis=0) > 0"
#define E_TERNARY            "Ternary expression with dynamic condition has inconsistent types %s and %s"   /* R102 */
#define H_TERNARY            "give both sides one dtype and shape, with .to or tl.full; element by element chooses tl.where"
#define E_ARMS_DIFFER        "Mismatched type for %s between then block (%s) and else block (%s)"         /* R118 */
#define H_ARMS_DIFFER        "give `%s` one dtype and shape in both arms, with .to or tl.full"
#define E_ARM_REDEFINES      "initial value for `%s` is of type %s, but the %s block redefines it as %s"    /* R118 */
#define H_ARM_NONE           "None is settled when the kernel is compiled: begin with a value of the other type, or decide by a tl.constexpr"
#define H_MAKE_RUN_TIME      "it is a compile-time constant: `%s = %s` before makes it a run-time value"
#define E_RETURN_IN_LOOP     "Cannot have `return` statements inside `while` or `for` statements in triton kernels"           /* R119 */
#define H_RETURN_IN_LOOP     "assign to a name and return that behind the loop"
#define E_CARRIED_TYPE       "Loop-carried variable `%s` has initial type %s but is re-assigned to %s in loop! Please make sure that the type stays consistent"  /* R127 */
#define H_CARRIED_TYPE       "give `%s` its final dtype and shape before the loop, for example with tl.zeros or .to"
#define H_CARRIED_FLOAT      "begin with a float, written with a point, as in `%s = 0.0`"
#define E_CARRIED_CONST      "Loop carried variable `%s` changed type: it is %s and becomes %s"             /* R127 */
#define E_CARRIED_KIND       "loop-carried `%s` is not a triton value: %s"                                  /* R127 */
#define E_ITERATOR           "Only `range` and `static_range` iterators are currently supported"            /* R129 */
#define H_ITERATOR           "over a tuple: `for i in tl.static_range(len(t))`, and take t[i]"
#define H_ITERATE_NUMBER     "a number is counted to: `for i in range(%s)`"
#define H_ITERATE_TILE       "an operation works on all elements of a tile at once; tl.sum and its kin combine them"
#define E_RANGE_BOUND        "For loop bounds and step must all be ints and scalars, not %s"                /* R125 */
#define H_RANGE_FRACTION     "it counts in whole numbers: count steps, and compute the value in the loop, as in i * 0.5"
#define H_RANGE_FLOAT        "it counts in whole numbers: `//` divides to one, and x.to(tl.int32) makes one of a float"
#define H_RANGE_POINTER      "this is the address of an array, which does not know its length: pass that as an argument, as in range(n)"
#define H_RANGE_TILE         "a loop is for the whole program: its bound is one number, such as tl.max(x, axis=0); mask what is done for fewer"
#define E_STEP_ZERO          "the step of a range must not be 0"
#define E_STATIC_RANGE       "used as tl.static_range %s value is not a constexpr: %s"                      /* R128 */
#define E_STATIC_TRIPS       "%s repeats its body more than %d times at compile time"
#define E_LOOP_ELSE          "`else` on a loop is not supported"                                            /* R21 */
#define H_LOOP_ELSE          "nothing breaks out of a loop, so it is what comes next: write it behind the loop"
#define E_WHILE_CONST        "the condition of a `while` must be a run-time value, not %s"                  /* R130 */
#define H_WHILE_CONST        "nothing breaks out of a loop: what ends it is its condition, `while x < n:`"

/* operators */
#define E_TUPLE_LONG         "the tuple would be too long"
#define E_STRING_LONG        "the string would be too long"

/* indexing */
#define E_NOT_INDEXABLE      "%s cannot be indexed"
#define H_CALL_BY_BRACKETS   "a function is called with parentheses: tl.load(pointer + offsets, mask)"
#define H_LAUNCH_INSIDE      "a kernel launches no other one: call it, %s(...)"
#define E_TUPLE_INDEX        "an index must be known at compile time: %s"                                  /* R136 */
#define E_INDEX_KIND         "an index is an integer, not %s"                                               /* R136, R153 */
#define E_TUPLE_RANGE        "index %lld is outside of a tuple of %d"                                        /* R136 */
#define H_TUPLE_RANGE        "it is counted from 0, so the last one is %d"
#define H_CHANNEL            "a value is one number for each lane: load each channel by its own offsets, tl.load(p), tl.load(p + 1), tl.load(p + 2)"
#define H_CONVERTED          "x.to(%s)"
#define H_ALONG_AXIS         "a value has no parts along x, y and z: tl.program_id(%d) and tl.num_programs are numbers"
#define H_POINTER_SHAPE      "a pointer knows neither shape nor strides: give the kernel what it needs as arguments"
#define E_TILE_INDEX         "unsupported tensor index"                                                     /* R153 */
#define H_SCALAR_INDEX       "it has no dimensions: only `None` may stand here"
#define E_INDEX_MANY         "too many indices for %s"
#define E_INDEX_RANGE        "index %lld is outside of a dimension of %d"
#define H_INDEX_RANGE        "it is counted from 0, or from the end by negative numbers: -%d to %d"
#define E_INDEX_DTYPE        "an index is an integer or a tile of integers, not %s"
#define H_INDEX_DTYPE        "convert it: .to(tl.int32)"
#define E_INDEX_SEVERAL      "only one index may be a tile"
#define H_INDEX_SEVERAL      "x[i, j] for pairs of tiles is tl.ravel(x)[i * columns + j]"
#define E_INDEX_POINTERS     "elements of a tile of pointers are taken by constant indices"
#define H_INDEX_POINTERS     "index the offsets, and add them to the pointer: p + offsets[i]"
#define H_TILE_MASK          "a tile keeps its shape: tl.where(condition, x, y) chooses element by element"
#define H_SLICE_FLIP         "tl.flip(x, axis) turns it around"
#define E_SLICE_STEP         "a slice of a tile has the step 1"
#define H_SLICE_HALVES       "tl.split(tl.reshape(x, (n // 2, 2))) takes even and odd elements apart; a load takes them with p + 2 * i"
#define H_SLICE_LOAD         "a load takes what stands so far apart: p + i * step"
#define E_SLICE_EMPTY        "a slice of a tile has at least one element; this dimension has %d"
#define E_SLICE_LONG         "a slice of %lld elements does not fit into a dimension of %d"
#define E_SLICE_EXTENT       "how many elements a slice has must be known at compile time"
#define H_SLICE_EXTENT       "write the same start and a constant behind it, x[i:i + 4]; to leave some elements out take a mask, tl.where(index < n, x, 0)"
#define E_PUT_LEFT           "only a name is given a tile with new elements"
#define H_PUT_LEFT           "bind the tile to a name first: `t = ...`, then `t[i] = value`"
#define H_PUT_NESTED         "name all dimensions at once: x[i, j] = value"
#define H_PUT_TUPLE          "a tuple does not change: make a new one, t[:1] + (value,) + t[2:]"
#define E_PUT_TILE           "elements are put at one place, or into one slice, not where a tile says"
#define H_PUT_TILE           "memory takes elements in any order: tl.store(pointer + index, value)"
#define E_PUT_KIND           "%s does not go into a tile of %s"
#define H_PUT_KIND           "convert the value: .to(tl.%s)"
#define E_PUT_SHAPE          "%s does not fit into these elements: %s"
#define H_POINTER_INDEX      "a pointer has no elements of its own: tl.load and tl.store take an address, pointer + index"

/* shapes */
#define E_RANK               "a tile has at most %d dimensions"

/* functions */
#define E_COMBINE_TILE       "a combine function works on single elements, and this is %s"                   /* R253 */
#define H_COMBINE_TILE       "it is called with one element of each side: shapes have no meaning in it"

/* clang-format on */

#endif
