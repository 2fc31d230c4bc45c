/*
 * language.c - the Triton language, as the front end takes it: what its folders have for the
 * lowering and for names, which they stand on
 */
#include "language.h"
#include "../resolve/resolve.h"

static const KernelLanguage kernels = {
    .lower_name = lower_name,
    .lower_undefined = lower_undefined,
    .language_function = language_function,
    .chain_begin = chain_begin,
    .lower_attribute = lower_attribute,
    .value_attribute = value_attribute,
    .global_value = global_value,
    .value_of_host = value_of_host,
    .class_attribute = class_attribute,
    .static_outside = static_outside,
    .annotation_is_constexpr = annotation_is_constexpr,
    .warn_of_choice = warn_of_choice,
    .host_default = host_default,
    .ops_binary = ops_binary,
    .ops_unary = ops_unary,
    .ops_compare = ops_compare,
    .ops_truth_not = ops_truth_not,
    .ops_logical = ops_logical,
    .ops_cast = ops_cast,
    .ops_to_shape = ops_to_shape,
    .elements_shape = elements_shape,
    .elements_of = elements_of,
    .elements_put = elements_put,
    .promote_types = promote_types,
    .literal_cast = literal_cast,
    .val_to_run = val_to_run,
    .builtin_find = builtin_find,
    .call_builtin = call_builtin,
    .bind_builtin = bind_builtin,
    .arg = arg,
    .arg_node = arg_node,
    .arg_given = arg_given,
    .arg_unknown = arg_unknown,
    .arg_int = arg_int,
    .hint_not_constexpr = hint_not_constexpr,
    .value_is_instance = value_is_instance,
    .lower_assert = lower_assert,
    .libdevice_name = libdevice_name,
    .call_libdevice = call_libdevice,
};

const Language triton_language = {
    .module_is_known = module_is_known,
    .module_has = module_has,
    .kernels = &kernels,
};
