/*
 * rows.h - the instructions that there are: name, modifiers, types, operands, what does it
 *
 * ptx.h says what the columns mean.  Rows whose names begin with the same word lie side by side,
 * and the first that fits is taken, so the strict ones come first.  C marks those that run when no
 * lane is active, too.  A new instruction is a row and a function.
 */
#define BITS3(R, name, mods, t16, t32, t64, operands, run)                                         \
    R(name, mods, t16, operands, run##16)                                                          \
    R(name, mods, t32, operands, run##32)                                                          \
    R(name, mods, t64, operands, run##64)
#define UNSIGNED3(R, name, operands, run)                                                          \
    BITS3(R, name, "", "u16 b16", "u32 b32", "u64 b64", operands, run)
#define SIGNED3(R, name, operands, run) BITS3(R, name, "", "s16", "s32", "s64", operands, run)
#define ANY3(R, name, operands, run)                                                               \
    BITS3(R, name, "", "b16 u16 s16", "b32 u32 s32", "b64 u64 s64", operands, run)

#define PTX_TABLE(R, C)                                                                            \
    PTX_FLOW(R, C)                                                                                 \
    PTX_INT(R)                                                                                     \
    PTX_FLOAT(R)                                                                                   \
    PTX_CONVERT(R)                                                                                 \
    PTX_BITS(R)                                                                                    \
    PTX_COMPARE(R)                                                                                 \
    PTX_MOVE(R)                                                                                    \
    PTX_EXCHANGE(R)                                                                                \
    PTX_ATOMIC(R)                                                                                  \
    PTX_COPY(R)                                                                                    \
    PTX_MBARRIER(R)                                                                                \
    PTX_MATRIX(R)                                                                                  \
    PTX_WGMMA(R)                                                                                   \
    PTX_TCGEN05(R)

/* of all threads of the block where no number of them stands before the predicate */
#define BARRIER_RED(R, name, mods)                                                                 \
    R(name ".popc", mods, "u32", "=0 i i p", barrier_popc)                                         \
    R(name ".popc", mods, "u32", "=0 i - p", barrier_popc)                                         \
    R(name ".and", mods, "pred", "=p i i p", barrier_and)                                          \
    R(name ".and", mods, "pred", "=p i - p", barrier_and)                                          \
    R(name ".or", mods, "pred", "=p i i p", barrier_or)                                            \
    R(name ".or", mods, "pred", "=p i - p", barrier_or)

#define PTX_FLOW(R, C)                                                                             \
    C("bra", "uni", "", "l", flow_bra)                                                             \
    C("brx.idx", "uni", "", "i l", flow_brx)                                                       \
    C("call", "uni", "", "c", flow_call)                                                           \
    C("ret", "uni", "", "", flow_ret)                                                              \
    C("exit", "", "", "", flow_exit)                                                               \
    C("trap", "", "", "", flow_trap)                                                               \
    R("bar.warp.sync", "", "", "i", exchange_sync)                                                 \
    R("bar.sync", "", "", "i ?i", barrier_sync)                                                    \
    R("bar.arrive", "", "", "i i", barrier_arrive)                                                 \
    BARRIER_RED(R, "bar.red", "")                                                                  \
    R("bar.cta.sync", "", "", "i ?i", barrier_sync)                                                \
    R("bar.cta.arrive", "", "", "i i", barrier_arrive)                                             \
    BARRIER_RED(R, "bar.cta.red", "")                                                              \
    R("barrier.sync", "aligned", "", "i ?i", barrier_sync)                                         \
    R("barrier.cta.sync", "aligned", "", "i ?i", barrier_sync)                                     \
    R("barrier.arrive", "aligned", "", "i i", barrier_arrive)                                      \
    R("barrier.cta.arrive", "aligned", "", "i i", barrier_arrive)                                  \
    BARRIER_RED(R, "barrier.red", "aligned")                                                       \
    BARRIER_RED(R, "barrier.cta.red", "aligned")                                                   \
    R("membar", "gl cta sys", "", "", flow_fence)                                                  \
    R("fence.proxy.async", "space shared::cluster", "", "", bulk_fence)                            \
    R("fence.proxy.tensormap::generic", "order", "", "?a ?n", move_nothing)                        \
    R("fence.mbarrier_init", "order", "", "", move_nothing)                                        \
    R("fence", "order", "", "", flow_fence)                                                        \
    R("griddepcontrol.wait", "", "", "", move_nothing)                                             \
    R("griddepcontrol.launch_dependents", "", "", "", move_nothing)                                \
    R("nanosleep", "", "u32", "0", move_nothing)                                                   \
    R("setmaxnreg.inc.sync.aligned", "", "u32", "k", wgmma_setmaxnreg)                             \
    R("setmaxnreg.dec.sync.aligned", "", "u32", "k", wgmma_setmaxnreg)                             \
    R("prefetch", "global local param tensormap L1 L2 cache", "", "a", move_nothing)               \
    R("prefetchu", "L1", "", "a", move_nothing)                                                    \
    R("createpolicy.fractional", "cache", "b64", "=0 ?i", move_policy)

#define PTX_INT(R)                                                                                 \
    R("add", "!cc", "u32 s32 b32", "=0 0 0", int_add_cc_32)                                        \
    R("add", "!cc", "u64 s64 b64", "=0 0 0", int_add_cc_64)                                        \
    R("add", "!sat", "s32", "=0 0 0", int_add_sat)                                                 \
    R("add", "", "u16x2 s16x2", "=0 0 0", int_add_x2)                                              \
    ANY3(R, "add", "=0 0 0", int_add_)                                                             \
    PTX_ADD_FLOAT(R)                                                                               \
    R("addc", "cc", "u32 s32 b32", "=0 0 0", int_addc_32)                                          \
    R("addc", "cc", "u64 s64 b64", "=0 0 0", int_addc_64)                                          \
    R("sub", "!cc", "u32 s32 b32", "=0 0 0", int_sub_cc_32)                                        \
    R("sub", "!cc", "u64 s64 b64", "=0 0 0", int_sub_cc_64)                                        \
    R("sub", "!sat", "s32", "=0 0 0", int_sub_sat)                                                 \
    R("sub", "", "u16x2 s16x2", "=0 0 0", int_sub_x2)                                              \
    ANY3(R, "sub", "=0 0 0", int_sub_)                                                             \
    PTX_SUB_FLOAT(R)                                                                               \
    R("subc", "cc", "u32 s32 b32", "=0 0 0", int_subc_32)                                          \
    R("subc", "cc", "u64 s64 b64", "=0 0 0", int_subc_64)                                          \
    ANY3(R, "mul.lo", "=0 0 0", int_mul_)                                                          \
    UNSIGNED3(R, "mul.hi", "=0 0 0", int_hi_u)                                                     \
    SIGNED3(R, "mul.hi", "=0 0 0", int_hi_s)                                                       \
    R("mul.wide", "", "u16", "=w 0 0", int_wide_u16)                                               \
    R("mul.wide", "", "s16", "=w 0 0", int_wide_s16)                                               \
    R("mul.wide", "", "u32", "=w 0 0", int_wide_u32)                                               \
    R("mul.wide", "", "s32", "=w 0 0", int_wide_s32)                                               \
    PTX_MUL_FLOAT(R)                                                                               \
    R("mul24.lo", "", "u32", "=0 0 0", int_mul24_u)                                                \
    R("mul24.lo", "", "s32", "=0 0 0", int_mul24_s)                                                \
    ANY3(R, "mad.lo", "=0 0 0 0", int_mad_)                                                        \
    R("mad.hi", "", "u16", "=0 0 0 0", int_mad_hi_u16)                                             \
    R("mad.hi", "", "s16", "=0 0 0 0", int_mad_hi_s16)                                             \
    R("mad.hi", "", "u32", "=0 0 0 0", int_mad_hi_u32)                                             \
    R("mad.hi", "", "s32", "=0 0 0 0", int_mad_hi_s32)                                             \
    R("mad.hi", "", "u64", "=0 0 0 0", int_mad_hi_u64)                                             \
    R("mad.hi", "", "s64", "=0 0 0 0", int_mad_hi_s64)                                             \
    R("mad.wide", "", "u16", "=w 0 0 w", int_mad_wide_u16)                                         \
    R("mad.wide", "", "s16", "=w 0 0 w", int_mad_wide_s16)                                         \
    R("mad.wide", "", "u32", "=w 0 0 w", int_mad_wide_u32)                                         \
    R("mad.wide", "", "s32", "=w 0 0 w", int_mad_wide_s32)                                         \
    R("mad24.lo", "", "u32", "=0 0 0 0", int_mad24_u)                                              \
    R("mad24.lo", "", "s32", "=0 0 0 0", int_mad24_s)                                              \
    UNSIGNED3(R, "div", "=0 0 0", int_div_u)                                                       \
    SIGNED3(R, "div", "=0 0 0", int_div_s)                                                         \
    PTX_DIV_FLOAT(R)                                                                               \
    UNSIGNED3(R, "rem", "=0 0 0", int_rem_u)                                                       \
    SIGNED3(R, "rem", "=0 0 0", int_rem_s)                                                         \
    UNSIGNED3(R, "min", "=0 0 0", int_min_u)                                                       \
    SIGNED3(R, "min", "=0 0 0", int_min_s)                                                         \
    R("min", "!relu", "s32", "=0 0 0", int_min_relu)                                               \
    R("min", "!relu", "s16x2", "=0 0 0", int_min_relu_x2)                                          \
    R("min", "", "u16x2", "=0 0 0", int_min_u16x2)                                                 \
    R("min", "", "s16x2", "=0 0 0", int_min_s16x2)                                                 \
    PTX_MIN_FLOAT(R)                                                                               \
    UNSIGNED3(R, "max", "=0 0 0", int_max_u)                                                       \
    SIGNED3(R, "max", "=0 0 0", int_max_s)                                                         \
    R("max", "!relu", "s32", "=0 0 0", int_max_relu)                                               \
    R("max", "!relu", "s16x2", "=0 0 0", int_max_relu_x2)                                          \
    R("max", "", "u16x2", "=0 0 0", int_max_u16x2)                                                 \
    R("max", "", "s16x2", "=0 0 0", int_max_s16x2)                                                 \
    PTX_MAX_FLOAT(R)                                                                               \
    SIGNED3(R, "neg", "=0 0", int_neg_)                                                            \
    PTX_NEG_FLOAT(R)                                                                               \
    SIGNED3(R, "abs", "=0 0", int_abs_)                                                            \
    PTX_ABS_FLOAT(R)                                                                               \
    UNSIGNED3(R, "sad", "=0 0 0 0", int_sad_u)                                                     \
    SIGNED3(R, "sad", "=0 0 0 0", int_sad_s)                                                       \
    R("dp4a", "", "u32 s32|u32 s32", "=i i i i", int_dp4a)

#define F32_ALL "rn rz rm rp ftz sat"
#define F64_ALL "rn rz rm rp"
#define HALF "rn ftz sat relu"
/* one operation in all formats: quick where nothing but .rn is asked for */
#define FLOATS(R, name, operands, run)                                                             \
    R(name, "rn", "f32", operands, run##32)                                                        \
    R(name, F32_ALL, "f32", operands, run##32_full)                                                \
    R(name, F64_ALL, "f64", operands, run##64)                                                     \
    R(name, HALF, "f16 bf16", operands, half_##run)                                                \
    R(name, HALF, "f16x2 bf16x2", operands, half_##run##x2)

#define PTX_ADD_FLOAT(R)                                                                           \
    R("add", "rn", "f32|f16 bf16", "=0 1 0", add_mixed)                                            \
    FLOATS(R, "add", "=0 0 0", add_f)
#define PTX_SUB_FLOAT(R)                                                                           \
    R("sub", "rn", "f32|f16 bf16", "=0 1 0", sub_mixed)                                            \
    FLOATS(R, "sub", "=0 0 0", sub_f)
#define PTX_MUL_FLOAT(R) FLOATS(R, "mul", "=0 0 0", mul_f)
#define PTX_DIV_FLOAT(R)                                                                           \
    R("div", "approx full rn rz rm rp ftz", "f32", "=0 0 0", div_f32)                              \
    R("div", F64_ALL, "f64", "=0 0 0", div_f64)
#define PTX_MIN_FLOAT(R)                                                                           \
    R("min", "ftz NaN xorsign abs", "f32", "=0 0 0", min_f32)                                      \
    R("min", "", "f64", "=0 0 0", min_f64)                                                         \
    R("min", "ftz NaN xorsign abs", "f16 bf16", "=0 0 0", half_min_f)                              \
    R("min", "ftz NaN xorsign abs", "f16x2 bf16x2", "=0 0 0", half_min_fx2)
#define PTX_MAX_FLOAT(R)                                                                           \
    R("max", "ftz NaN xorsign abs", "f32", "=0 0 0", max_f32)                                      \
    R("max", "", "f64", "=0 0 0", max_f64)                                                         \
    R("max", "ftz NaN xorsign abs", "f16 bf16", "=0 0 0", half_max_f)                              \
    R("max", "ftz NaN xorsign abs", "f16x2 bf16x2", "=0 0 0", half_max_fx2)
#define PTX_NEG_FLOAT(R)                                                                           \
    R("neg", "ftz", "f32", "=0 0", neg_f32)                                                        \
    R("neg", "", "f64", "=0 0", neg_f64)                                                           \
    R("neg", "ftz", "f16 bf16", "=0 0", half_neg_f)                                                \
    R("neg", "ftz", "f16x2 bf16x2", "=0 0", half_neg_fx2)
#define PTX_ABS_FLOAT(R)                                                                           \
    R("abs", "ftz", "f32", "=0 0", abs_f32)                                                        \
    R("abs", "", "f64", "=0 0", abs_f64)                                                           \
    R("abs", "ftz", "f16 bf16", "=0 0", half_abs_f)                                                \
    R("abs", "ftz", "f16x2 bf16x2", "=0 0", half_abs_fx2)

#define PTX_FLOAT(R)                                                                               \
    R("fma", "rn", "f32|f16 bf16", "=0 1 1 0", fma_mixed)                                          \
    FLOATS(R, "fma", "=0 0 0 0", fma_f)                                                            \
    R("mad", F32_ALL, "f32", "=0 0 0 0", fma_f32_full)                                             \
    R("mad", F64_ALL, "f64", "=0 0 0 0", fma_f64)                                                  \
    R("rcp", "approx rn rz rm rp ftz", "f32", "=0 0", rcp_f32)                                     \
    R("rcp", "approx rn rz rm rp ftz", "f64", "=0 0", rcp_f64)                                     \
    R("sqrt", "approx rn rz rm rp ftz", "f32", "=0 0", sqrt_f32)                                   \
    R("sqrt", F64_ALL, "f64", "=0 0", sqrt_f64)                                                    \
    R("rsqrt", "approx ftz", "f32", "=0 0", rsqrt_f32)                                             \
    R("rsqrt", "approx ftz", "f64", "=0 0", rsqrt_f64)                                             \
    R("ex2", "approx ftz", "f32", "=0 0", ex2_f32)                                                 \
    R("ex2", "approx ftz", "f16 bf16", "=0 0", half_ex2_f)                                         \
    R("ex2", "approx ftz", "f16x2 bf16x2", "=0 0", half_ex2_fx2)                                   \
    R("lg2", "approx ftz", "f32", "=0 0", lg2_f32)                                                 \
    R("sin", "approx ftz", "f32", "=0 0", sin_f32)                                                 \
    R("cos", "approx ftz", "f32", "=0 0", cos_f32)                                                 \
    R("tanh", "approx", "f32", "=0 0", tanh_f32)                                                   \
    R("tanh", "approx", "f16 bf16", "=0 0", half_tanh_f)                                           \
    R("tanh", "approx", "f16x2 bf16x2", "=0 0", half_tanh_fx2)                                     \
    R("copysign", "", "f32", "=0 0 0", copysign_f32)                                               \
    R("copysign", "", "f64", "=0 0 0", copysign_f64)

#define INT_TYPES "u8 s8 u16 s16 u32 s32 u64 s64"
#define PTX_CONVERT(R)                                                                             \
    R("cvt", "", "u32 s32|u16", "=0 1", convert_32_u16)                                            \
    R("cvt", "", "u64 s64|u32", "=0 1", convert_64_u32)                                            \
    R("cvt", "", "u64 s64|s32", "=0 1", convert_64_s32)                                            \
    R("cvt", "", "u32 s32|u64 s64", "=0 1", convert_32_64)                                         \
    R("cvt", "rn", "f32|s32", "=0 1", convert_f32_s32)                                             \
    R("cvt", "", "f32|bf16", "=0 1", convert_f32_bf16)                                             \
    R("cvt", "", "f64|f32", "=0 1", convert_f64_f32)                                               \
    R("cvt", "rn", "f32|f64", "=0 1", convert_f32_f64)                                             \
    R("cvt", "sat", INT_TYPES "|" INT_TYPES, "=x y", convert_int)                                  \
    R("cvt", "rn rz rm rp sat", "f16 bf16 f32 f64|" INT_TYPES, "=0 y", convert_to_float)           \
    R("cvt", "rni rzi rmi rpi ftz sat", INT_TYPES "|f16 bf16 f32 f64", "=x 1", convert_from_float) \
    R("cvt", "rn rz rm rp rni rzi rmi rpi ftz sat relu satfinite",                                 \
      "f16 bf16 f32 f64|"                                                                          \
      "f16 bf16 f32 f64",                                                                          \
      "=0 1", convert_float)                                                                       \
    R("cvt", "rn rz rna relu satfinite", "tf32|f32", "=0 1", convert_tf32)                         \
    R("cvt", "rn rz relu satfinite", "f16x2 bf16x2|f32", "=0 1 1", convert_pair)                   \
    R("cvt", "!rn !satfinite relu", "e4m3x2 e5m2x2|f32", "=h 1 1", convert_pair)                   \
    R("cvt", "!rn !satfinite relu", "e4m3x2 e5m2x2|f16x2", "=h 1", convert_to_fp8)                 \
    R("cvt", "!rn relu", "f16x2|e4m3x2 e5m2x2", "=0 h", convert_from_fp8)                          \
    R("cvt", "!rn !satfinite relu", "e2m1x2|f32", "=0 1 1", convert_to_fp4)                        \
    R("cvt", "!rn relu", "f16x2|e2m1x2", "=0 1", convert_from_fp4)                                 \
    R("cvt.pack.sat", "", "u8 s8 u16 s16|s32", "=i i i", convert_pack)                             \
    R("cvt.pack.sat", "", "u8 s8|s32|b32", "=i i i i", convert_pack)

#define PTX_BITS(R)                                                                                \
    R("and", "", "pred", "=p p p", predicate_and)                                                  \
    ANY3(R, "and", "=0 0 0", int_and_)                                                             \
    R("or", "", "pred", "=p p p", predicate_or)                                                    \
    ANY3(R, "or", "=0 0 0", int_or_)                                                               \
    R("xor", "", "pred", "=p p p", predicate_xor)                                                  \
    ANY3(R, "xor", "=0 0 0", int_xor_)                                                             \
    R("not", "", "pred", "=p p", predicate_not)                                                    \
    ANY3(R, "not", "=0 0", int_not_)                                                               \
    ANY3(R, "cnot", "=0 0", int_cnot_)                                                             \
    ANY3(R, "shl", "=0 0 i", int_shl_)                                                             \
    UNSIGNED3(R, "shr", "=0 0 i", int_shr_u)                                                       \
    SIGNED3(R, "shr", "=0 0 i", int_shr_s)                                                         \
    R("shf.l", "wrap clamp", "b32", "=0 0 0 i", bits_funnel_l)                                     \
    R("shf.r", "wrap clamp", "b32", "=0 0 0 i", bits_funnel_r)                                     \
    R("bfe", "", "u32", "=0 0 i i", bits_extract_u32)                                              \
    R("bfe", "", "s32", "=0 0 i i", bits_extract_s32)                                              \
    R("bfe", "", "u64", "=0 0 i i", bits_extract_u64)                                              \
    R("bfe", "", "s64", "=0 0 i i", bits_extract_s64)                                              \
    R("bfi", "", "b32", "=0 0 0 i i", bits_insert_32)                                              \
    R("bfi", "", "b64", "=0 0 0 i i", bits_insert_64)                                              \
    R("bfind", "shiftamt", "u32", "=i 0", bits_find_u32)                                           \
    R("bfind", "shiftamt", "s32", "=i 0", bits_find_s32)                                           \
    R("bfind", "shiftamt", "u64", "=i 0", bits_find_u64)                                           \
    R("bfind", "shiftamt", "s64", "=i 0", bits_find_s64)                                           \
    R("bmsk", "!wrap", "b32", "=0 i i", bits_mask)                                                 \
    R("bmsk", "!clamp", "b32", "=0 i i", bits_mask)                                                \
    R("szext", "wrap clamp", "u32", "=0 0 i", bits_extend_u32)                                     \
    R("szext", "wrap clamp", "s32", "=0 0 i", bits_extend_s32)                                     \
    R("brev", "", "b32", "=0 0", bits_brev_32)                                                     \
    R("brev", "", "b64", "=0 0", bits_brev_64)                                                     \
    R("popc", "", "b32", "=i 0", bits_popc_32)                                                     \
    R("popc", "", "b64", "=i 0", bits_popc_64)                                                     \
    R("clz", "", "b32", "=i 0", bits_clz_32)                                                       \
    R("clz", "", "b64", "=i 0", bits_clz_64)                                                       \
    R("prmt", "f4e b4e rc8 ecl ecr rc16", "b32", "=0 0 0 i", bits_permute)                         \
    R("lop3", "", "b32", "=0 0 0 0 n", bits_lookup3)

#define COMPARISONS "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"

#define PTX_COMPARE(R)                                                                             \
    R("setp", COMPARISONS, "f16x2 bf16x2", "=p|p 0 0 ?p", compare_setp_x2)                         \
    R("setp", COMPARISONS, "b16 u16 s16 f16 bf16 b32 u32 s32 f32 b64 u64 s64 f64", "=p|p 0 0 ?p",  \
      compare_setp)                                                                                \
    R("set", COMPARISONS, "f16x2 bf16x2 u32 s32 b32|f16x2 bf16x2", "=0 1 1 ?p", compare_set_x2)    \
    R("set", COMPARISONS,                                                                          \
      "u32 s32 b32 f32 u16 s16 f16 bf16|b16 u16 s16 f16 bf16 b32 u32 s32 f32 b64 u64 s64 f64",     \
      "=0 1 1 ?p", compare_set)                                                                    \
    R("selp", "", "pred", "=p p p p", select_predicate)                                            \
    R("selp", "", "b16 u16 s16 f16 bf16", "=0 0 0 p", select_16)                                   \
    R("selp", "", "b32 u32 s32 f32 f16x2 bf16x2", "=0 0 0 p", select_32)                           \
    R("selp", "", "b64 u64 s64 f64", "=0 0 0 p", select_64)                                        \
    R("slct", "", "b16 u16 s16|s32", "=0 0 0 1", slct_16)                                          \
    R("slct", "", "b32 u32 s32 f32|s32", "=0 0 0 1", slct_32)                                      \
    R("slct", "", "b64 u64 s64 f64|s32", "=0 0 0 1", slct_64)                                      \
    R("slct", "ftz", "b16 u16 s16|f32", "=0 0 0 1", slct_float_16)                                 \
    R("slct", "ftz", "b32 u32 s32 f32|f32", "=0 0 0 1", slct_float_32)                             \
    R("slct", "ftz", "b64 u64 s64 f64|f32", "=0 0 0 1", slct_float_64)                             \
    R("testp", "finite infinite number notanumber normal subnormal", "f32", "=p 0",                \
      compare_testp_f32)                                                                           \
    R("testp", "finite infinite number notanumber normal subnormal", "f64", "=p 0",                \
      compare_testp_f64)

#define PTX_MOVE(R)                                                                                \
    R("mov", "", "pred", "=p p", predicate_mov)                                                    \
    R("mov", "", "b32 u32 s32", "=0 t", move_clock_32)                                             \
    R("mov", "", "b64 u64 s64", "=0 t", move_clock_64)                                             \
    R("mov", "", "b16 u16 s16 f16 bf16", "=0 0", move_16)                                          \
    R("mov", "", "b32 u32 s32 f32 f16x2 bf16x2", "=0 0", move_32)                                  \
    R("mov", "", "b64 u64 s64 f64", "=0 0", move_64)                                               \
    R("mov", "", "b32", "=0 {2:16}", move_pack_32_16)                                              \
    R("mov", "", "b32", "={2:16} 0", move_unpack_32_16)                                            \
    R("mov", "", "b32", "=0 {4:8}", move_pack_32_8)                                                \
    R("mov", "", "b32", "={4:8} 0", move_unpack_32_8)                                              \
    R("mov", "", "b64", "=0 {2:32}", move_pack_64_32)                                              \
    R("mov", "", "b64", "={2:32} 0", move_unpack_64_32)                                            \
    R("mov", "", "b64", "=0 {4:16}", move_pack_64_16)                                              \
    R("mov", "", "b64", "={4:16} 0", move_unpack_64_16)                                            \
    R("cvta.to", "space", "u64", "=0 0", move_cvta_to)                                             \
    R("cvta", "space", "u64", "=0 0", move_cvta)                                                   \
    R("isspacep", "global shared shared::cta local", "", "=p d", move_isspacep)                    \
    R("ld", "space order cache v2 v4 v8",                                                          \
      "b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 b64 u64 s64 f64", "=v a ?d", move_load)       \
    R("ldu", "global v2 v4", "b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64", "=v a",       \
      move_load)                                                                                   \
    R("st", "space order cache v2 v4 v8",                                                          \
      "b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 b64 u64 s64 f64", "a v ?d", move_store)

#define PTX_EXCHANGE(R)                                                                            \
    R("shfl.sync", "!up", "b32", "=0|p 0 i i i", exchange_shfl)                                    \
    R("shfl.sync", "!down", "b32", "=0|p 0 i i i", exchange_shfl)                                  \
    R("shfl.sync", "!bfly", "b32", "=0|p 0 i i i", exchange_shfl)                                  \
    R("shfl.sync", "!idx", "b32", "=0|p 0 i i i", exchange_shfl)                                   \
    R("vote.sync", "!ballot", "b32", "=0 p i", exchange_ballot)                                    \
    R("vote.sync", "!all", "pred", "=p p i", exchange_vote)                                        \
    R("vote.sync", "!any", "pred", "=p p i", exchange_vote)                                        \
    R("vote.sync", "!uni", "pred", "=p p i", exchange_vote)                                        \
    R("activemask", "", "b32", "=0", exchange_activemask)                                          \
    R("match.any.sync", "", "b32 b64", "=i|p 0 i", exchange_match_any)                             \
    R("match.all.sync", "", "b32 b64", "=i|p 0 i", exchange_match_all)                             \
    R("redux.sync", "!add", "u32 s32", "=0 0 i", exchange_redux_add)                               \
    R("redux.sync", "!and", "b32", "=0 0 i", exchange_redux_and)                                   \
    R("redux.sync", "!or", "b32", "=0 0 i", exchange_redux_or)                                     \
    R("redux.sync", "!xor", "b32", "=0 0 i", exchange_redux_xor)                                   \
    R("redux.sync", "!min", "u32", "=0 0 i", exchange_redux_min_u)                                 \
    R("redux.sync", "!max", "u32", "=0 0 i", exchange_redux_max_u)                                 \
    R("redux.sync", "!min", "s32", "=0 0 i", exchange_redux_min_s)                                 \
    R("redux.sync", "!max", "s32", "=0 0 i", exchange_redux_max_s)                                 \
    R("elect.sync", "", "", "=i|p i", exchange_elect)

#define ATOMS "order space cache "
/* of one operation: with its types, as atom and as red */
#define ATOM(R, op, more, types) R("atom", ATOMS "!" op more, types, "=0 a 0 ?d", atomic_atom)
#define RED(R, op, more, types) R("red", ATOMS "!" op more, types, "a 0 ?d", atomic_red)
#define ATOMIC_OPS(R, ROW)                                                                         \
    ROW(R, "add", "", "u32 s32 u64 s64 f32 f64")                                                   \
    ROW(R, "add", " !noftz", "f16 bf16 f16x2 bf16x2")                                              \
    ROW(R, "min", "", "u32 s32 u64 s64")                                                           \
    ROW(R, "max", "", "u32 s32 u64 s64")                                                           \
    ROW(R, "inc", "", "u32")                                                                       \
    ROW(R, "dec", "", "u32")                                                                       \
    ROW(R, "and", "", "b32 b64")                                                                   \
    ROW(R, "or", "", "b32 b64")                                                                    \
    ROW(R, "xor", "", "b32 b64")
/* neighbours by one instruction, each atomic by itself */
#define ATOM_LIST(R, v, list, more, types)                                                         \
    R("atom", ATOMS "!add !" v more, types, "=" list " a " list " ?d", atomic_atom)
#define RED_LIST(R, v, list, more, types)                                                          \
    R("red", ATOMS "!add !" v more, types, "a " list " ?d", atomic_red)
#define ATOMIC_LISTS(R, ROW)                                                                       \
    ROW(R, "v2", "{2:32}", "", "f32")                                                              \
    ROW(R, "v4", "{4:32}", "", "f32")                                                              \
    ROW(R, "v2", "{2:32}", " !noftz", "f16x2 bf16x2")                                              \
    ROW(R, "v4", "{4:32}", " !noftz", "f16x2 bf16x2")
#define PTX_ATOMIC(R)                                                                              \
    ATOMIC_OPS(R, ATOM)                                                                            \
    ATOM(R, "exch", "", "b32 b64")                                                                 \
    R("atom", ATOMS "!cas", "b16 b32 b64", "=0 a 0 0 ?d", atomic_atom)                             \
    ATOMIC_LISTS(R, ATOM_LIST)                                                                     \
    ATOMIC_OPS(R, RED)                                                                             \
    ATOMIC_LISTS(R, RED_LIST)

#define SHARED_GLOBAL "shared shared::cta global cache"
#define BULK "shared::cluster shared::cta global cache"
#define TENSOR(R, rank)                                                                            \
    R("cp.async.bulk.tensor." rank "d", BULK " tile !mbarrier::complete_tx::bytes", "",            \
      "a g" rank " a ?d", tensor_load)                                                             \
    R("cp.async.bulk.tensor." rank "d", BULK " tile !bulk_group", "", "g" rank " a ?d",            \
      tensor_store)                                                                                \
    R("cp.async.bulk.prefetch.tensor." rank "d", "L2 global tile cache", "", "g" rank " ?d",       \
      move_nothing)
#define PTX_COPY(R)                                                                                \
    R("cp.async.commit_group", "", "", "", copy_commit)                                            \
    R("cp.async.wait_group", "", "", "n", copy_wait_group)                                         \
    R("cp.async.wait_all", "", "", "", copy_wait_all)                                              \
    R("cp.async.bulk.commit_group", "", "", "", bulk_commit)                                       \
    R("cp.async.bulk.wait_group", "read", "", "n", bulk_wait_group)                                \
    TENSOR(R, "1")                                                                                 \
    TENSOR(R, "2")                                                                                 \
    TENSOR(R, "3")                                                                                 \
    TENSOR(R, "4")                                                                                 \
    TENSOR(R, "5")                                                                                 \
    R("cp.async.bulk", BULK " !mbarrier::complete_tx::bytes", "", "a a i a ?d", bulk_load)         \
    R("cp.async.bulk", BULK " !bulk_group", "", "a a i ?d", bulk_store)                            \
    R("cp.async", SHARED_GLOBAL, "", "a a n ?i ?d", copy_async)                                    \
    R("cp.async", SHARED_GLOBAL, "", "a a n d", copy_async)                                        \
    R("cp.async", SHARED_GLOBAL, "", "a a n p ?d", copy_async_ignore)

/* objects in shared memory, 8 bytes each, for what comes later: copies, and warps */
#define PTX_MBARRIER(R)                                                                            \
    R("mbarrier.init", "space", "b64", "a i", mbarrier_init)                                       \
    R("mbarrier.inval", "space", "b64", "a", mbarrier_inval)                                       \
    R("mbarrier.arrive.expect_tx", "space order", "b64", "=0 a i", mbarrier_arrive_expect)         \
    R("mbarrier.arrive", "space order", "b64", "=0 a ?i", mbarrier_arrive)                         \
    R("mbarrier.expect_tx", "space order", "b64", "a i", mbarrier_expect)                          \
    R("mbarrier.test_wait.parity", "space order", "b64", "=p a i", mbarrier_test_parity)           \
    R("mbarrier.test_wait", "space order", "b64", "=p a 0", mbarrier_test)                         \
    R("mbarrier.try_wait.parity", "space order", "b64", "=p a i ?i", mbarrier_try_parity)          \
    R("mbarrier.try_wait", "space order", "b64", "=p a 0 ?i", mbarrier_try)

#define LDMATRIX(R, x, list)                                                                       \
    R("ldmatrix.sync.aligned.m8n8", "!" x " trans shared shared::cta", "b16", "=" list " a",       \
      matrix_load)
#define STMATRIX(R, x, list)                                                                       \
    R("stmatrix.sync.aligned.m8n8", "!" x " trans shared shared::cta", "b16", "a " list,           \
      matrix_store)
#define MMA(R, shape, types, operands)                                                             \
    R("mma.sync.aligned." shape ".row.col", "satfinite", types, operands, matrix_mma)
#define F8 "e4m3 e5m2"
#define I8 "u8 s8"
#define PTX_MATRIX(R)                                                                              \
    LDMATRIX(R, "x1", "{1:32}")                                                                    \
    LDMATRIX(R, "x2", "{2:32}")                                                                    \
    LDMATRIX(R, "x4", "{4:32}")                                                                    \
    STMATRIX(R, "x1", "{1:32}")                                                                    \
    STMATRIX(R, "x2", "{2:32}")                                                                    \
    STMATRIX(R, "x4", "{4:32}")                                                                    \
    MMA(R, "m16n8k8", "f32|f16|f16|f32", "={4:32} {2:32} {1:32} {4:32}")                           \
    MMA(R, "m16n8k8", "f16|f16|f16|f16", "={2:32} {2:32} {1:32} {2:32}")                           \
    MMA(R, "m16n8k8", "f32|bf16|bf16|f32", "={4:32} {2:32} {1:32} {4:32}")                         \
    MMA(R, "m16n8k8", "f32|tf32|tf32|f32", "={4:32} {4:32} {2:32} {4:32}")                         \
    MMA(R, "m16n8k8", "f64|f64|f64|f64", "={4:64} {4:64} {2:64} {4:64}")                           \
    MMA(R, "m16n8k4", "f32|tf32|tf32|f32", "={4:32} {2:32} {1:32} {4:32}")                         \
    MMA(R, "m16n8k4", "f64|f64|f64|f64", "={4:64} {2:64} {1:64} {4:64}")                           \
    MMA(R, "m16n8k16", "f32|f16|f16|f32", "={4:32} {4:32} {2:32} {4:32}")                          \
    MMA(R, "m16n8k16", "f16|f16|f16|f16", "={2:32} {4:32} {2:32} {2:32}")                          \
    MMA(R, "m16n8k16", "f32|bf16|bf16|f32", "={4:32} {4:32} {2:32} {4:32}")                        \
    MMA(R, "m16n8k16", "f64|f64|f64|f64", "={4:64} {8:64} {4:64} {4:64}")                          \
    MMA(R, "m16n8k16", "s32|" I8 "|" I8 "|s32", "={4:32} {2:32} {1:32} {4:32}")                    \
    MMA(R, "m16n8k16", "f32|" F8 "|" F8 "|f32", "={4:32} {2:32} {1:32} {4:32}")                    \
    MMA(R, "m16n8k16", "f16|" F8 "|" F8 "|f16", "={2:32} {2:32} {1:32} {2:32}")                    \
    MMA(R, "m16n8k32", "s32|" I8 "|" I8 "|s32", "={4:32} {4:32} {2:32} {4:32}")                    \
    MMA(R, "m16n8k32", "f32|" F8 "|" F8 "|f32", "={4:32} {4:32} {2:32} {4:32}")                    \
    MMA(R, "m16n8k32", "f16|" F8 "|" F8 "|f16", "={2:32} {4:32} {2:32} {2:32}")                    \
    R("mma.sync.aligned.m8n8k4.row.col", "", "f64|f64|f64|f64", "={2:64} {1:64} {1:64} {2:64}",    \
      matrix_mma8)

/* A in shared memory, or in registers; behind the descriptors whether to add, the signs of A and B,
 * and which of those in shared memory are transposed */
#define WGMMA(R, shape, types, tail)                                                               \
    R("wgmma.mma_async.sync.aligned", shape, types, "=m d d p" tail, wgmma_mma)                    \
    R("wgmma.mma_async.sync.aligned", shape, types, "=m {4:32} d p" tail, wgmma_mma_registers)
#define WGMMA_16(R, types)                                                                         \
    R("wgmma.mma_async.sync.aligned", "m64n8+k16", types, "=m d d p k k k k", wgmma_mma)           \
    R("wgmma.mma_async.sync.aligned", "m64n8+k16", types, "=m {4:32} d p k k k",                   \
      wgmma_mma_registers)
#define PTX_WGMMA(R)                                                                               \
    R("wgmma.fence.sync.aligned", "", "", "", wgmma_fence)                                         \
    R("wgmma.commit_group.sync.aligned", "", "", "", wgmma_commit)                                 \
    R("wgmma.wait_group.sync.aligned", "", "", "n", wgmma_wait)                                    \
    WGMMA_16(R, "f32 f16|f16|f16")                                                                 \
    WGMMA_16(R, "f32|bf16|bf16")                                                                   \
    WGMMA(R, "m64n8+k8", "f32|tf32|tf32", " k k")                                                  \
    WGMMA(R, "m64n8+k32", "f32 f16|" F8 "|" F8, " k k")                                            \
    WGMMA(R, "m64n16+k32 satfinite", "s32|" I8 "|" I8, "")

/* products of a block, whose sums lie in tensor memory: one thread asks for them */
#define PTX_TCGEN05(R)                                                                             \
    R("tcgen05.alloc.cta_group::1.sync.aligned", "shared::cta", "b32", "a i", tcgen05_alloc)       \
    R("tcgen05.dealloc.cta_group::1.sync.aligned", "", "b32", "i i", tcgen05_dealloc)              \
    R("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", "", "", "", tcgen05_relinquish) \
    R("tcgen05.fence::before_thread_sync", "", "", "", move_nothing)                               \
    R("tcgen05.fence::after_thread_sync", "", "", "", move_nothing)                                \
    R("tcgen05.wait::ld.sync.aligned", "", "", "", move_nothing)                                   \
    R("tcgen05.wait::st.sync.aligned", "", "", "", move_nothing)                                   \
    R("tcgen05.mma.cta_group::1.kind::f16", "", "", "a d d i p", tcgen05_mma_f16)                  \
    R("tcgen05.mma.cta_group::1.kind::tf32", "", "", "a d d i p", tcgen05_mma_tf32)                \
    R("tcgen05.mma.cta_group::1.kind::i8", "", "", "a d d i p", tcgen05_mma_i8)                    \
    R("tcgen05.commit.cta_group::1.mbarrier::arrive::one", "shared::cluster", "b64", "a",          \
      tcgen05_commit)                                                                              \
    R("tcgen05.ld.sync.aligned.16x256b", "!x1", "b32", "={4:32} a", tcgen05_ld)                    \
    R("tcgen05.ld.sync.aligned.16x256b", "!x2", "b32", "={8:32} a", tcgen05_ld)                    \
    R("tcgen05.ld.sync.aligned.16x256b", "!x4", "b32", "={16:32} a", tcgen05_ld)                   \
    R("tcgen05.ld.sync.aligned.16x256b", "!x8", "b32", "={32:32} a", tcgen05_ld)                   \
    R("tcgen05.ld.sync.aligned.16x256b", "!x16", "b32", "={64:32} a", tcgen05_ld)                  \
    R("tcgen05.ld.sync.aligned.16x256b", "!x32", "b32", "={128:32} a", tcgen05_ld)                 \
    R("tcgen05.st.sync.aligned.16x256b", "!x1", "b32", "a {4:32}", tcgen05_st)                     \
    R("tcgen05.st.sync.aligned.16x256b", "!x2", "b32", "a {8:32}", tcgen05_st)                     \
    R("tcgen05.st.sync.aligned.16x256b", "!x4", "b32", "a {16:32}", tcgen05_st)                    \
    R("tcgen05.st.sync.aligned.16x256b", "!x8", "b32", "a {32:32}", tcgen05_st)                    \
    R("tcgen05.st.sync.aligned.16x256b", "!x16", "b32", "a {64:32}", tcgen05_st)                   \
    R("tcgen05.st.sync.aligned.16x256b", "!x32", "b32", "a {128:32}", tcgen05_st)
