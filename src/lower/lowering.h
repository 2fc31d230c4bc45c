/*
 * lowering.h - from a kernel of a file to typed tile IR: what the rest of the project calls
 *
 * front_kernel() says which parameters a kernel has, front_lower() makes IR for one set of argument
 * types and constants.  Both report every error that they find and give NULL when there was any.
 */
#ifndef TILEC_LOWER_LOWERING_H
#define TILEC_LOWER_LOWERING_H

#include "../ir/ir.h"
#include "../names/front.h"

/* How one parameter is given to front_lower(): a value, or parts that make one. */
typedef enum {
    FRONT_VALUE,
    FRONT_TUPLE,     /* parts: its elements */
    FRONT_DESCRIPTOR /* parts: the pointer, the extents, the strides; block, padding */
} FrontForm;
typedef struct FrontArg FrontArg;
struct FrontArg {
    const char *name; /* of the parameter; of an element that of its field, NULL without fields */
    FrontForm form;
    bool is_constexpr; /* `constant` holds; else a run-time argument of `dtype` */
    Const constant;
    DType dtype;
    bool pointer;
    bool is_rounded;   /* a float of which fp32, for want of an annotation, does not hold all */
    int64_t divisible; /* promise; 0 or 1 = none.  Whoever binds has applied do_not_specialize */
    const FrontArg *parts; /* run-time arguments are parameters of the kernel in their order */
    int nparts;
    int32_t block[MAX_RANK]; /* extents of a descriptor's tiles; of (nparts - 1) / 2 dimensions */
    bool pads_nan;           /* outside of a descriptor's array; else 0 */
};

/* Of a constant that stands for what only the caller can read: `object` is the text that tells it
 * from others.  An argument by itself, never an item of a tuple. */
extern const PyClass front_object_class;

/* One parameter as the language sees it, for callers that bind arguments. */
typedef struct {
    const char *name;
    bool is_constexpr;
    bool has_default;
    Const default_value; /* valid if has_default and default_known */
    bool default_known;
    bool typed; /* a dtype annotation fixes the type (semantics R27) */
    DType dtype;
    bool pointer;
    bool do_not_specialize;
    bool any_alignment; /* nothing is promised of what divides it; so too of do_not_specialize */
    int line;
    Span span; /* of the name in the signature, for messages about arguments */
} FrontParam;

typedef struct {
    const char *name;
    int line;
    Span span; /* of the `def` line */
    const FrontParam *params;
    int nparams;
} FrontKernel;

/* NULL and a diagnostic when there is no such kernel (the message lists near names) or its
 * signature is wrong. */
const FrontKernel *front_kernel(const FrontFile *f, const char *kernel, Arena *a, Diags *d);

/* What a launch says beside its arguments; NULL: nothing. */
typedef struct {
    int num_warps;       /* 0: nobody asked for a number */
    bool drops_asserts;  /* debug=False: what kernels assert is not looked at */
    bool finds_overflow; /* sanitize_overflow=True, or debug=True: sums, differences and products of
                          * integers of less than 64 bits that do not fit are failed assertions */
    bool wide_floats;    /* every float type that the source names, and of literals, is fp64 */
} FrontLaunch;

/* `args` one for each parameter, in order.  The module holds the kernel and the helper instances
 * that it calls, through `call` ops.  The kernel's number of warps is the launch's, but 4 where it
 * depends on one and nobody asked for any. */
Module *front_lower(const FrontFile *f, const char *kernel, const FrontArg *args, int nargs,
                    const FrontLaunch *launch, Arena *a, Diags *d);

#endif
