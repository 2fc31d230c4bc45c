/*
 * functions.h - what the rows of builtins.c call
 *
 * `args` are n values, as many as were given.  A function gives false where Python would raise;
 * without py_fail() before, that it has no value for its arguments is all that is said.
 */
#ifndef TILEC_PYTHON_FUNCTIONS_H
#define TILEC_PYTHON_FUNCTIONS_H

#include "python.h"

typedef bool PyBuiltinCall(Py *p, const Const *args, int n, Const *out);

/* functions.c: of any values */
PyBuiltinCall py_bool, py_dict, py_getattr, py_hasattr, py_isinstance, py_len, py_list, py_range,
    py_str, py_tuple, py_enumerate, py_zip, py_product, py_reversed, py_sorted, py_min, py_max,
    py_sum, py_prod, py_any, py_all, py_filter, py_map;

/* numbers.c: of numbers */
PyBuiltinCall py_abs, py_divmod, py_float, py_int, py_pow, py_round, py_cdiv, py_next_power_of_2,
    py_ceil, py_cos, py_exp, py_exp2, py_fabs, py_floor, py_gcd, py_isfinite, py_isinf, py_isnan,
    py_isqrt, py_log, py_log10, py_log2, py_math_pow, py_sin, py_sqrt, py_tan, py_tanh, py_trunc,
    py_bit_length, py_is_integer;

/* environ.c: of os */
PyBuiltinCall py_getenv;
Const py_environ(void);

/* methods.c: of texts, sequences, dicts and dtypes */
PyBuiltinCall py_startswith, py_endswith, py_upper, py_lower, py_strip, py_count, py_find_index,
    py_append, py_extend, py_get, py_dict_items, py_dict_keys, py_dict_values, py_dtype_is;

/* A dtype of NumPy that is called, numpy.float32(x): the number that such a scalar is. */
bool py_scalar(Py *p, DType t, const PyArgs *args, Span at, Const *out);
/* limits.c: of dtypes */
PyBuiltinCall py_finfo, py_iinfo;

#endif
