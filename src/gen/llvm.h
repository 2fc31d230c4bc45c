/*
 * llvm.h - the part of LLVM's C API that the code generators use, in shorter words
 *
 * One Llvm holds a context, a module and the usual types, and all that must be given back should an
 * allocation in an arena fail.  Values carry their own LLVM types; the number of lanes of a vector
 * is asked from the value, so most helpers serve scalars and vectors.  Differences between LLVM 20
 * and 22 end in llvm.c.
 */
#ifndef TILEC_GEN_LLVM_H
#define TILEC_GEN_LLVM_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

#include "gen.h"

typedef LLVMValueRef Val;
typedef LLVMBuilderRef Bld;

enum { LLVM_MAX_LANES = 256 }; /* of a vector that the functions below make */

typedef struct Lines Lines;

typedef struct {
    LLVMContextRef ctx;
    LLVMModuleRef module;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, none;
    const char *triple, *cpu, *features;
    const char *passes;
    bool is_text;      /* what the machine takes as an object is a text */
    bool makes_object; /* of machine code */
    Arena *arena;
    VEC(Bld) builders;
    Lines *lines; /* NULL: nobody asked for them */
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef object;
    bool quickly;  /* code that takes less time, not good code: for what is very long */
    bool ordered;  /* instructions stay as they were made, for debuggers */
    char *text;    /* LLVM's, while it is copied */
    char *problem; /* the first error that LLVM found in the module, or NULL */
} Llvm;

const char *llvm_host_features(Arena *a); /* of this machine */

/* What code is for. */
typedef struct {
    const char *triple, *cpu, *features; /* LLVM's names; NULL: this machine's */
    const char *passes;                  /* NULL: those for CPUs */
    bool is_text;                        /* as in Llvm */
} LlvmMachine;
/* Let `make` fill a module, run the passes, and give what the stage wants, in the arena.  False: a
 * diagnostic.  What `make` allocates it takes from l->arena, and leaves through that one's guard;
 * so LLVM's memory is given back, before this leaves through the guard of `a`.  That happens, too,
 * when there is not the memory that LLVM takes for a function of so many values: LLVM ends the
 * process when it meets that itself. */
bool llvm_emit(const LlvmMachine *m, int values, void (*make)(Llvm *l, void *ctx), void *ctx,
               GenStage stage, Arena *a, GenOutput *out, Diags *d);
/* A new builder, at the end of a block; lives until it is dropped, or as long as l. */
Bld llvm_builder(Llvm *l, LLVMBasicBlockRef at);
void llvm_drop_builders(Llvm *l, int kept); /* all but the first so many */
/* Nobody unwinds through it; built for the CPU of llvm_start(). */
Val llvm_function(Llvm *l, const char *name, LLVMTypeRef type);

/* What the parameter points to is reached through it alone; from 1 on. */
void llvm_apart(Llvm *l, Val fn, unsigned parameter);

bool llvm_is_call(Val i, const char *intrinsic); /* by its name without types */

/* llvm_build.c */
LLVMTypeRef llvm_vector(LLVMTypeRef t, int lanes); /* t itself when lanes is 0 */
int llvm_lanes(Val v);                             /* 0 for scalars */
LLVMTypeRef llvm_like(LLVMTypeRef t, Val v);       /* t with v's lanes */
Val llvm_int(LLVMTypeRef t, int64_t v);            /* scalar or vector type */
Val llvm_real(LLVMTypeRef t, double v);            /* rounded to t; a scalar or vector type */
Val llvm_splat(Bld b, Val scalar, int lanes);      /* scalar itself when lanes is 0 */
Val llvm_iota(LLVMTypeRef t, int lanes);           /* <0, 1, 2, ...> */
/* By its name without types, "llvm.fma"; `types` are those that it is overloaded by.  A bug() when
 * LLVM does not have it. */
Val llvm_call(Llvm *l, Bld b, const char *intrinsic, int ntypes, LLVMTypeRef *types, int nargs,
              Val *args);
Val llvm_call1(Llvm *l, Bld b, const char *intrinsic, Val x); /* overloaded by the type of x */
Val llvm_call2(Llvm *l, Bld b, const char *intrinsic, Val x, Val y); /* the same; y has it too */
Val llvm_fma(Llvm *l, Bld b, Val x, Val y, Val z);                   /* x y + z, rounded once */
/* n lanes of x followed by y (NULL: of x alone); a negative number leaves the lane undefined. */
Val llvm_shuffle(Llvm *l, Bld b, Val x, Val y, int n, const int *lanes);
Val llvm_slice(Llvm *l, Bld b, Val x, int first, int n); /* n lanes; 1 gives a scalar */
Val llvm_is_nan(Bld b, Val x);                           /* i1, for each lane */
Val llvm_bits(Llvm *l, Bld b, Val x);                    /* float to the int of its width */
Val llvm_from_bits(Llvm *l, Bld b, Val x); /* and back: i16 half, i32 float, i64 double */

/* Align in bytes, as below: of every address. */
Val llvm_load(Bld b, LLVMTypeRef t, Val ptr, int align);
Val llvm_store(Bld b, Val v, Val ptr, int align); /* gives the store, for llvm_mark_nontemporal() */
/* Lanes that are masked off are not read and give `other`. */
Val llvm_masked_load(Llvm *l, Bld b, LLVMTypeRef t, Val ptr, int align, Val mask, Val other);
/* Lanes that are masked off are not written. */
void llvm_masked_store(Llvm *l, Bld b, Val v, Val ptr, int align, Val mask);
/* An address a lane; else as llvm_masked_load(). */
Val llvm_gather(Llvm *l, Bld b, LLVMTypeRef t, Val ptrs, int align, Val mask, Val other);
/* The highest of several lanes to one address wins. */
void llvm_scatter(Llvm *l, Bld b, Val v, Val ptrs, int align, Val mask);
/* Around the cache; whoever asks for it must fence before others may read. */
void llvm_mark_nontemporal(Llvm *l, Val store);
/* The larger or the smaller one of two integers, or vectors of them. */
Val llvm_extreme(Llvm *l, Bld b, bool largest, bool is_signed, Val x, Val y);
void llvm_likely(Llvm *l, Val branch); /* the first way out is the usual one */

/* constants.c: after all passes on the module, operands that instructions take from memory */
void llvm_place_constants(Llvm *l);

/* masked.c */
enum { LLVM_WORD = 4 }; /* bytes: the smallest element of masked gathers and scatters */
/* The lanes that the mask has, at most 64, of elements of that size. */
void llvm_copy_lanes(Llvm *l, Bld b, Val to, Val from, LLVMTypeRef element, int size, Val mask);
/* i1: all of the vector lies in one page, as does a lane that is there. */
Val llvm_may_read_whole(Llvm *l, Bld b, Val ptr, int bytes, Val mask);
/* Elements of less than a word, which never crosses into another page than they are in. */
Val llvm_gather_small(Llvm *l, Bld b, LLVMTypeRef vector, Val ptrs, int size, Val mask);

/* quotient.c: integers of at most 32 bits by one number, without a division of vectors */
/* What multiplies, and how far is shifted behind it, i64; the divisor, in its own type. */
typedef struct {
    Val factor, shift, divisor;
} LlvmReciprocal;
/* By 0 a quotient is 0, which a shift beyond all bits gives, and a remainder that by 1. */
LlvmReciprocal llvm_reciprocal(Llvm *l, Bld b, Val s, bool is_signed, bool remainder);
Val llvm_magnitude(Llvm *l, Bld b, Val x, bool is_signed);
/* The magnitudes of quotients, as i64, of a vector of these. */
Val llvm_quotients(Llvm *l, Bld b, Val x, const LlvmReciprocal *r);

/* cut.c: make several functions of each that takes LLVM too long, before passes run, and several
 * blocks of each, behind them. */
void llvm_cut(Llvm *l);
bool llvm_is_very_long(const Llvm *l); /* all functions together: code may be worse */
void llvm_cut_blocks(Llvm *l);

/* lines.c: the place of each instruction in the source, where somebody asked for it. */
/* Before builders are made. */
void llvm_lines_begin(Llvm *l, const Func *f, Val fn, const GenOptions *o);
void llvm_lines_end(Llvm *l);                /* before passes run */
void llvm_lines_free(Llvm *l);               /* may be called when there are none */
void llvm_lines_place(const Llvm *l, Bld b); /* a new builder is for the op of now, too */
/* What a variable of one call is described by; see llvm-c/DebugInfo.h. */
typedef struct {
    LLVMDIBuilderRef di;
    LLVMMetadataRef scope, file, place;
} LineFrame;
bool llvm_lines_frame(const Llvm *l, int site, LineFrame *out); /* false: nobody asked for lines */
/* Where somebody did: this instruction is from there. */
void llvm_lines_set(const Llvm *l, Val instruction, Span span, int site);
/* The function was made, and has instructions of the kernel's function: they are lines of it still.
 */
void llvm_lines_moved(Llvm *l, Val fn);
/* Code is made for this op from here on (NULL: for the kernel as a whole), until the one before it,
 * which this gives, has its turn again. */
const Op *llvm_at(Llvm *l, const Op *op);

#endif
