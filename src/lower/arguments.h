/*
 * arguments.h - THE table of what parameters of the language's functions are called
 *
 * Takes the words of the signatures in src/tl/builtins.h, and makes the names by which handlers ask
 * for arguments: `arg(a, ARG_mask)`.  So a misspelt name does not compile, and a signature may
 * change its order.  In the order of strcmp, for the search; a name that no signature has is none.
 */
/* clang-format off */
ARGUMENT(a) ARGUMENT(acc) ARGUMENT(address_space) ARGUMENT(allow_tf32) ARGUMENT(arg)
ARGUMENT(arg1) ARGUMENT(arg2) ARGUMENT(args) ARGUMENT(asm) ARGUMENT(axis) ARGUMENT(b)
ARGUMENT(base) ARGUMENT(bitcast) ARGUMENT(bitwidth) ARGUMENT(block_shape) ARGUMENT(boundary_check)
ARGUMENT(c0) ARGUMENT(c1) ARGUMENT(c2) ARGUMENT(c3) ARGUMENT(cache_modifier) ARGUMENT(can_reorder)
ARGUMENT(classinfo) ARGUMENT(cmp) ARGUMENT(combine_fn) ARGUMENT(cond) ARGUMENT(condition)
ARGUMENT(const) ARGUMENT(constraints) ARGUMENT(default) ARGUMENT(desc) ARGUMENT(descending)
ARGUMENT(dim) ARGUMENT(dims) ARGUMENT(disable_licm) ARGUMENT(disallow_acc_multi_buffer)
ARGUMENT(div) ARGUMENT(dtype) ARGUMENT(element_ty) ARGUMENT(end) ARGUMENT(eviction_policy) ARGUMENT(expect)
ARGUMENT(fast_math) ARGUMENT(fields) ARGUMENT(file) ARGUMENT(flatten) ARGUMENT(flush)
ARGUMENT(fp_downcast_rounding) ARGUMENT(hex) ARGUMENT(i) ARGUMENT(ieee_rounding) ARGUMENT(index)
ARGUMENT(input) ARGUMENT(input_precision) ARGUMENT(is_pure) ARGUMENT(j) ARGUMENT(k) ARGUMENT(k0) ARGUMENT(k1)
ARGUMENT(keep_dims) ARGUMENT(lhs) ARGUMENT(lhs_format) ARGUMENT(lhs_k_pack) ARGUMENT(lhs_scale)
ARGUMENT(loop_unroll_factor) ARGUMENT(major) ARGUMENT(mask) ARGUMENT(max) ARGUMENT(max_num_imprecise_acc)
ARGUMENT(min) ARGUMENT(minor) ARGUMENT(msg) ARGUMENT(n) ARGUMENT(n_rounds) ARGUMENT(name) ARGUMENT(num_bins)
ARGUMENT(num_stages) ARGUMENT(obj) ARGUMENT(offset) ARGUMENT(offsets) ARGUMENT(order)
ARGUMENT(other) ARGUMENT(out_dtype) ARGUMENT(pack) ARGUMENT(padding_option) ARGUMENT(pointer)
ARGUMENT(prefix) ARGUMENT(propagate_nan) ARGUMENT(return_indices)
ARGUMENT(return_indices_tie_break_left) ARGUMENT(reverse) ARGUMENT(rhs) ARGUMENT(rhs_format)
ARGUMENT(rhs_k_pack) ARGUMENT(rhs_scale) ARGUMENT(sanitize_overflow) ARGUMENT(scalar_fn)
ARGUMENT(scope) ARGUMENT(seed) ARGUMENT(sem) ARGUMENT(sep) ARGUMENT(shape) ARGUMENT(signed)
ARGUMENT(size_g) ARGUMENT(size_i) ARGUMENT(size_j) ARGUMENT(src) ARGUMENT(start) ARGUMENT(step)
ARGUMENT(strides) ARGUMENT(tie_break_left) ARGUMENT(timeout_ns) ARGUMENT(types) ARGUMENT(u1) ARGUMENT(u2) ARGUMENT(val) ARGUMENT(value)
ARGUMENT(values) ARGUMENT(volatile) ARGUMENT(warp_specialize) ARGUMENT(x)
ARGUMENT(x_offsets) ARGUMENT(y) ARGUMENT(y_offset) ARGUMENT(z)
/* clang-format on */

#undef ARGUMENT
