/*
 * llvm_build.c - types, constants, calls and accesses of memory as LLVM has them; see llvm.h
 */
#include "llvm.h"

#include <string.h>

/* --- types and constants --- */

LLVMTypeRef llvm_vector(LLVMTypeRef t, int lanes)
{
    return lanes == 0 ? t : LLVMVectorType(t, (unsigned)lanes);
}

static bool is_vector(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind;
}

int llvm_lanes(Val v)
{
    LLVMTypeRef t = LLVMTypeOf(v);

    return is_vector(t) ? (int)LLVMGetVectorSize(t) : 0;
}

LLVMTypeRef llvm_like(LLVMTypeRef t, Val v)
{
    return llvm_vector(t, llvm_lanes(v));
}

/* Of what is listed lane by lane. */
static void check_lanes(int n)
{
    if (n > LLVM_MAX_LANES)
        bug("a vector of %d lanes", n);
}

static Val constant_splat(LLVMTypeRef vector, Val scalar)
{
    Val all[LLVM_MAX_LANES];
    int n = (int)LLVMGetVectorSize(vector);

    check_lanes(n);
    for (int i = 0; i < n; i++)
        all[i] = scalar;
    return LLVMConstVector(all, (unsigned)n);
}

Val llvm_int(LLVMTypeRef t, int64_t v)
{
    if (!is_vector(t))
        return LLVMConstInt(t, (unsigned long long)v, 1);
    return constant_splat(t, llvm_int(LLVMGetElementType(t), v));
}

Val llvm_real(LLVMTypeRef t, double v)
{
    if (!is_vector(t))
        return LLVMConstReal(t, v);
    return constant_splat(t, llvm_real(LLVMGetElementType(t), v));
}

Val llvm_splat(Bld b, Val scalar, int lanes)
{
    if (lanes == 0)
        return scalar;
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)lanes);
    if (LLVMIsConstant(scalar))
        return constant_splat(t, scalar);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
    Val one = LLVMBuildInsertElement(b, LLVMGetPoison(t), scalar, LLVMConstInt(i32, 0, 0), "");
    Val zeros = LLVMConstNull(LLVMVectorType(i32, (unsigned)lanes));
    return LLVMBuildShuffleVector(b, one, LLVMGetPoison(t), zeros, "");
}

Val llvm_iota(LLVMTypeRef t, int lanes)
{
    Val all[LLVM_MAX_LANES];

    check_lanes(lanes);
    for (int i = 0; i < lanes; i++)
        all[i] = LLVMConstInt(t, (unsigned long long)i, 0);
    return LLVMConstVector(all, (unsigned)lanes);
}

/* --- calls --- */

Val llvm_call(Llvm *l, Bld b, const char *intrinsic, int ntypes, LLVMTypeRef *types, int nargs,
              Val *args)
{
    unsigned id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));

    if (id == 0)
        bug("LLVM has no intrinsic %s", intrinsic);
    Val fn = LLVMGetIntrinsicDeclaration(l->module, id, types, (size_t)ntypes);
    LLVMTypeRef type = LLVMIntrinsicGetType(l->ctx, id, types, (size_t)ntypes);
    return LLVMBuildCall2(b, type, fn, args, (unsigned)nargs, "");
}

Val llvm_call1(Llvm *l, Bld b, const char *intrinsic, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return llvm_call(l, b, intrinsic, 1, &t, 1, &x);
}

Val llvm_call2(Llvm *l, Bld b, const char *intrinsic, Val x, Val y)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    Val args[2] = {x, y};

    return llvm_call(l, b, intrinsic, 1, &t, 2, args);
}

Val llvm_fma(Llvm *l, Bld b, Val x, Val y, Val z)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return llvm_call(l, b, "llvm.fma", 1, &t, 3, (Val[]){x, y, z});
}

Val llvm_shuffle(Llvm *l, Bld b, Val x, Val y, int n, const int *lanes)
{
    Val index[LLVM_MAX_LANES];

    check_lanes(n);
    for (int i = 0; i < n; i++)
        index[i] =
            lanes[i] < 0 ? LLVMGetPoison(l->i32) : LLVMConstInt(l->i32, (unsigned)lanes[i], 0);
    return LLVMBuildShuffleVector(b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(index, (unsigned)n), "");
}

Val llvm_slice(Llvm *l, Bld b, Val x, int first, int n)
{
    int lanes[LLVM_MAX_LANES];

    check_lanes(n);
    if (n == 1)
        return LLVMBuildExtractElement(b, x, LLVMConstInt(l->i32, (unsigned)first, 0), "");
    for (int i = 0; i < n; i++)
        lanes[i] = first + i;
    return llvm_shuffle(l, b, x, NULL, n, lanes);
}

Val llvm_is_nan(Bld b, Val x)
{
    return LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
}

static LLVMTypeRef scalar_type(Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return is_vector(t) ? LLVMGetElementType(t) : t;
}

Val llvm_bits(Llvm *l, Bld b, Val x)
{
    LLVMTypeRef t = scalar_type(x);
    LLVMTypeRef to = t == l->f16 ? l->i16 : t == l->f32 ? l->i32 : t == l->f64 ? l->i64 : t;

    return LLVMBuildBitCast(b, x, llvm_like(to, x), "");
}

Val llvm_from_bits(Llvm *l, Bld b, Val x)
{
    LLVMTypeRef t = scalar_type(x);
    LLVMTypeRef to = t == l->i16 ? l->f16 : t == l->i32 ? l->f32 : t == l->i64 ? l->f64 : t;

    return LLVMBuildBitCast(b, x, llvm_like(to, x), "");
}

/* --- memory --- */

Val llvm_load(Bld b, LLVMTypeRef t, Val ptr, int align)
{
    Val v = LLVMBuildLoad2(b, t, ptr, "");

    LLVMSetAlignment(v, (unsigned)align);
    return v;
}

Val llvm_store(Bld b, Val v, Val ptr, int align)
{
    Val s = LLVMBuildStore(b, v, ptr);

    LLVMSetAlignment(s, (unsigned)align);
    return s;
}

/* A masked memory intrinsic.  Since LLVM 22 the alignment is an attribute of the pointer operand
 * (argument `at`); before, it was an operand behind the pointer. */
static Val masked_call(Llvm *l, Bld b, const char *name, LLVMTypeRef *types, Val *args, int nargs,
                       int at, int align)
{
#if LLVM_VERSION_MAJOR >= 22
    Val call = llvm_call(l, b, name, 2, types, nargs, args);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, (unsigned)at + 1,
                             LLVMCreateEnumAttribute(l->ctx, kind, (uint64_t)align));
    return call;
#else
    Val wide[5];
    for (int i = 0, k = 0; i < nargs; i++) {
        wide[k++] = args[i];
        if (i == at)
            wide[k++] = LLVMConstInt(l->i32, (unsigned)align, 0);
    }
    return llvm_call(l, b, name, 2, types, nargs + 1, wide);
#endif
}

Val llvm_masked_load(Llvm *l, Bld b, LLVMTypeRef t, Val ptr, int align, Val mask, Val other)
{
    return masked_call(l, b, "llvm.masked.load", (LLVMTypeRef[]){t, l->ptr},
                       (Val[]){ptr, mask, other}, 3, 0, align);
}

void llvm_masked_store(Llvm *l, Bld b, Val v, Val ptr, int align, Val mask)
{
    masked_call(l, b, "llvm.masked.store", (LLVMTypeRef[]){LLVMTypeOf(v), l->ptr},
                (Val[]){v, ptr, mask}, 3, 1, align);
}

Val llvm_gather(Llvm *l, Bld b, LLVMTypeRef t, Val ptrs, int align, Val mask, Val other)
{
    return masked_call(l, b, "llvm.masked.gather", (LLVMTypeRef[]){t, LLVMTypeOf(ptrs)},
                       (Val[]){ptrs, mask, other}, 3, 0, align);
}

void llvm_scatter(Llvm *l, Bld b, Val v, Val ptrs, int align, Val mask)
{
    masked_call(l, b, "llvm.masked.scatter", (LLVMTypeRef[]){LLVMTypeOf(v), LLVMTypeOf(ptrs)},
                (Val[]){v, ptrs, mask}, 3, 1, align);
}

Val llvm_extreme(Llvm *l, Bld b, bool largest, bool is_signed, Val x, Val y)
{
    static const char *const names[2][2] = {{"llvm.umin", "llvm.umax"}, {"llvm.smin", "llvm.smax"}};

    return llvm_call2(l, b, names[is_signed][largest], x, y);
}

void llvm_likely(Llvm *l, Val branch)
{
    enum { USUAL = 2000 };
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(l->ctx, "branch_weights", 14),
                               LLVMValueAsMetadata(llvm_int(l->i32, USUAL)),
                               LLVMValueAsMetadata(llvm_int(l->i32, 1))};
    LLVMMetadataRef weights = LLVMMDNodeInContext2(l->ctx, parts, 3);

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->ctx, "prof", 4),
                    LLVMMetadataAsValue(l->ctx, weights));
}

void llvm_mark_nontemporal(Llvm *l, Val store)
{
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(l->i32, 1, 0));
    LLVMMetadataRef node = LLVMMDNodeInContext2(l->ctx, &one, 1);

    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(l->ctx, "nontemporal", 11),
                    LLVMMetadataAsValue(l->ctx, node));
}
