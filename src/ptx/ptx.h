/*
 * ptx.h - a module of PTX, decoded
 *
 * ptx_read() takes text through lex.c, parse.c, operand.c and decode.c into one array of
 * instructions.  Everything that costs time is done here, once: an instruction that runs has the
 * function that does it and the places of its operands.  Which instructions there are, and which
 * function does each, is the table of who executes them.
 *
 * A register is 32 lanes side by side in the register file of a warp, at an offset that is the
 * same for all warps; so is a constant, and a special register.  A predicate is one mask.  So no
 * instruction asks what kind of operand it has.  There is no recursion: the registers and the local
 * variables of all functions have places of their own.
 */
#ifndef TILEC_PTX_H
#define TILEC_PTX_H

#include "../base/base.h"

enum { LANES = 32, MAX_TYPES = 4, FILE_ALIGN = 64 };

/*   name     text       bits  */
#define PTX_TYPES(T)                                                                               \
    T(PRED, "pred", 1)                                                                             \
    T(B8, "b8", 8)                                                                                 \
    T(U8, "u8", 8)                                                                                 \
    T(S8, "s8", 8)                                                                                 \
    T(E4M3, "e4m3", 8)                                                                             \
    T(E5M2, "e5m2", 8)                                                                             \
    T(E2M1X2, "e2m1x2", 8)                                                                         \
    T(B16, "b16", 16)                                                                              \
    T(U16, "u16", 16)                                                                              \
    T(S16, "s16", 16)                                                                              \
    T(F16, "f16", 16)                                                                              \
    T(BF16, "bf16", 16)                                                                            \
    T(E4M3X2, "e4m3x2", 16)                                                                        \
    T(E5M2X2, "e5m2x2", 16)                                                                        \
    T(B32, "b32", 32)                                                                              \
    T(U32, "u32", 32)                                                                              \
    T(S32, "s32", 32)                                                                              \
    T(F32, "f32", 32)                                                                              \
    T(TF32, "tf32", 32)                                                                            \
    T(F16X2, "f16x2", 32)                                                                          \
    T(BF16X2, "bf16x2", 32)                                                                        \
    T(U16X2, "u16x2", 32)                                                                          \
    T(S16X2, "s16x2", 32)                                                                          \
    T(B64, "b64", 64)                                                                              \
    T(U64, "u64", 64)                                                                              \
    T(S64, "s64", 64)                                                                              \
    T(F64, "f64", 64)                                                                              \
    T(B128, "b128", 128)

#define ENUM_TYPE(name, text, bits) PTX_##name,
typedef enum { PTX_TYPES(ENUM_TYPE) PTX_TYPE_COUNT, PTX_NONE = PTX_TYPE_COUNT } PtxType;
#undef ENUM_TYPE

/* The words between an instruction's name and its types, as far as what is executed depends on
 * them.  Those that only advise a cache are known to decode.c and dropped. */
#define PTX_MODIFIERS(M)                                                                           \
    M(RN, "rn")                                                                                    \
    M(RZ, "rz")                                                                                    \
    M(RM, "rm")                                                                                    \
    M(RP, "rp")                                                                                    \
    M(RNI, "rni")                                                                                  \
    M(RZI, "rzi")                                                                                  \
    M(RMI, "rmi")                                                                                  \
    M(RPI, "rpi")                                                                                  \
    M(RNA, "rna")                                                                                  \
    M(FTZ, "ftz")                                                                                  \
    M(CC, "cc")                                                                                    \
    M(NOFTZ, "noftz")                                                                              \
    M(SAT, "sat")                                                                                  \
    M(SATFINITE, "satfinite")                                                                      \
    M(RELU, "relu")                                                                                \
    M(NAN_, "NaN")                                                                                 \
    M(XORSIGN, "xorsign")                                                                          \
    M(ABS_, "abs")                                                                                 \
    M(EQ, "eq")                                                                                    \
    M(NE, "ne")                                                                                    \
    M(LT, "lt")                                                                                    \
    M(LE, "le")                                                                                    \
    M(GT, "gt")                                                                                    \
    M(GE, "ge")                                                                                    \
    M(LO, "lo")                                                                                    \
    M(LS, "ls")                                                                                    \
    M(HI, "hi")                                                                                    \
    M(HS, "hs")                                                                                    \
    M(EQU, "equ")                                                                                  \
    M(NEU, "neu")                                                                                  \
    M(LTU, "ltu")                                                                                  \
    M(LEU, "leu")                                                                                  \
    M(GTU, "gtu")                                                                                  \
    M(GEU, "geu")                                                                                  \
    M(NUM, "num")                                                                                  \
    M(UNORDERED, "nan")                                                                            \
    M(AND, "and")                                                                                  \
    M(OR, "or")                                                                                    \
    M(XOR, "xor")                                                                                  \
    M(WRAP, "wrap")                                                                                \
    M(CLAMP, "clamp")                                                                              \
    M(SHIFTAMT, "shiftamt")                                                                        \
    M(F4E, "f4e")                                                                                  \
    M(B4E, "b4e")                                                                                  \
    M(RC8, "rc8")                                                                                  \
    M(ECL, "ecl")                                                                                  \
    M(ECR, "ecr")                                                                                  \
    M(RC16, "rc16")                                                                                \
    M(FINITE, "finite")                                                                            \
    M(INFINITE, "infinite")                                                                        \
    M(NUMBER, "number")                                                                            \
    M(NOTANUMBER, "notanumber")                                                                    \
    M(NORMAL, "normal")                                                                            \
    M(SUBNORMAL, "subnormal")                                                                      \
    M(GLOBAL, "global")                                                                            \
    M(SHARED, "shared")                                                                            \
    M(LOCAL, "local")                                                                              \
    M(CONST, "const")                                                                              \
    M(PARAM, "param")                                                                              \
    M(VOLATILE, "volatile")                                                                        \
    M(RELAXED, "relaxed")                                                                          \
    M(ACQUIRE, "acquire")                                                                          \
    M(RELEASE, "release")                                                                          \
    M(ACQ_REL, "acq_rel")                                                                          \
    M(V2, "v2")                                                                                    \
    M(V4, "v4")                                                                                    \
    M(V8, "v8")                                                                                    \
    M(ADD, "add")                                                                                  \
    M(MIN_, "min")                                                                                 \
    M(MAX_, "max")                                                                                 \
    M(INC, "inc")                                                                                  \
    M(DEC, "dec")                                                                                  \
    M(EXCH, "exch")                                                                                \
    M(CAS, "cas")                                                                                  \
    M(UP, "up")                                                                                    \
    M(DOWN, "down")                                                                                \
    M(BFLY, "bfly")                                                                                \
    M(IDX, "idx")                                                                                  \
    M(ALL, "all")                                                                                  \
    M(ANY, "any")                                                                                  \
    M(UNI, "uni")                                                                                  \
    M(BALLOT, "ballot")                                                                            \
    M(POPC, "popc")                                                                                \
    M(TRANS, "trans")                                                                              \
    M(X1, "x1")                                                                                    \
    M(X2, "x2")                                                                                    \
    M(COMPLETE_TX, "mbarrier::complete_tx::bytes")                                                 \
    M(BULK_GROUP, "bulk_group")                                                                    \
    M(READ, "read")                                                                                \
    M(X4, "x4")                                                                                    \
    M(X8, "x8")                                                                                    \
    M(X16, "x16")                                                                                  \
    M(X32, "x32")

#define ENUM_MODIFIER(name, text) MOD_##name,
typedef enum { PTX_MODIFIERS(ENUM_MODIFIER) MOD_COUNT } PtxModifier;
#undef ENUM_MODIFIER
typedef struct {
    uint64_t bits[(MOD_COUNT + 63) / 64];
} PtxModifiers;

typedef enum {
    SPACE_GENERIC,
    SPACE_GLOBAL, /* and constants: the host's memory */
    SPACE_SHARED,
    SPACE_LOCAL, /* of one thread, its stack and what it passes to functions */
    SPACE_PARAM  /* of the kernel */
} PtxSpace;

/* Generic addresses of memory that is not the host's; the low 32 bits are the address in there. */
#define SHARED_WINDOW (UINT64_C(1) << 56)
#define LOCAL_WINDOW (UINT64_C(2) << 56)
#define PARAM_WINDOW (UINT64_C(3) << 56)

typedef struct Warp Warp;
typedef struct Inst Inst;
/* Do an instruction for the lanes of `mask`, which has some unless the row says CONTROL. */
typedef void Execute(Warp *w, const Inst *in, uint32_t mask);

/* `[register+offset]`, or either alone. */
typedef struct {
    int64_t offset;
    uint32_t base; /* place of the register, or NO_OPERAND */
    bool wide;     /* that register has 64 bits */
} PtxAddress;

struct Inst {
    Execute *run;
    const uint32_t *op; /* places of the operands in the register file, in the order of the text
                         * and with lists taken apart; NO_OPERAND where one was left out */
    PtxAddress at[3];   /* of those that have addresses */
    int64_t number;     /* an operand that must be a number */
    PtxModifiers mods;
    uint32_t guard;  /* place of the predicate, or NO_OPERAND */
    uint32_t target; /* of a branch or call: an instruction, or an index of the jump tables */
    uint32_t meet;   /* of a branch: where its ways meet again; flow.c */
    uint32_t line;   /* of the PTX */
    uint32_t place;  /* index of PtxModule.places; 0: none */
    uint8_t nops;
    uint8_t results;         /* of them, the first ones, that are written */
    uint8_t type[MAX_TYPES]; /* PtxType */
    uint8_t bytes[2];        /* of the registers of the first and second operand that may have any
                              * width: they may be wider than the type */
    uint8_t count;           /* elements of a vector access, at least 1 */
    uint8_t space;           /* PtxSpace */
    uint16_t columns;        /* of the result of wgmma */
    bool guard_not;
    bool not_op;     /* the predicate that is the last operand is negated */
    uint8_t compare; /* of those that compare: MOD_EQ to MOD_UNORDERED */
    bool is_control; /* runs with an empty mask too, and may set the warp's pc */
    bool is_held;    /* touches registers that wgmma has; wgmma_check.c */
    uint8_t unit;    /* that does it; pace.c */
};
#define NO_OPERAND UINT32_MAX
#define NO_TARGET UINT32_MAX

static inline bool has(const Inst *in, PtxModifier m)
{
    return in->mods.bits[m / 64] >> (m % 64) & 1;
}

/* A source line by .loc. */
typedef struct {
    const char *file;
    int file_number; /* of .file, which may come last */
    int line, column;
} PtxPlace;

/* A variable of any space but registers. */
typedef struct PtxVar PtxVar;
struct PtxVar {
    Sym name;
    PtxSpace space;
    uint64_t address; /* in its space */
    uint64_t bytes;
    PtxVar *same_as;  /* an argument of a call lies where the function expects it; NULL: itself */
    bool dynamic;     /* shared memory behind all that is static */
    bool is_argument; /* declared for a call */
};

typedef struct PtxFunc PtxFunc;
struct PtxFunc {
    Sym name;
    bool is_entry, is_defined;
    uint32_t first, end; /* instructions; one that is never executed stands at `end` */
    int threads;         /* .reqntid or .maxntid; 0: not said */
    VEC(PtxVar *) params, results;
    uint64_t param_bytes; /* of an entry's parameters together */
    bool has_large;       /* some have more than 8 bytes */
    int call_depth; /* the longest chain of calls from here on; 0: not known, -1: being found */
    PtxFunc *next;
};

/* A range of PtxModule.jumps for brx.idx. */
typedef struct {
    uint32_t *targets;
    int count;
} PtxJumps;

/* A constant of the register file. */
typedef struct {
    uint32_t place;
    int bits;
    uint64_t value;
    const PtxVar *var; /* whose address is added; NULL: none */
} PtxConst;

/* Special registers, by their places in the register file: 128 bytes each. */
#define SPECIALS(S)                                                                                \
    S(TID_X, "%tid.x")                                                                             \
    S(TID_Y, "%tid.y")                                                                             \
    S(TID_Z, "%tid.z")                                                                             \
    S(NTID_X, "%ntid.x")                                                                           \
    S(NTID_Y, "%ntid.y")                                                                           \
    S(NTID_Z, "%ntid.z")                                                                           \
    S(CTAID_X, "%ctaid.x")                                                                         \
    S(CTAID_Y, "%ctaid.y")                                                                         \
    S(CTAID_Z, "%ctaid.z")                                                                         \
    S(NCTAID_X, "%nctaid.x")                                                                       \
    S(NCTAID_Y, "%nctaid.y")                                                                       \
    S(NCTAID_Z, "%nctaid.z")                                                                       \
    S(LANEID, "%laneid")                                                                           \
    S(WARPID, "%warpid")                                                                           \
    S(NWARPID, "%nwarpid")                                                                         \
    S(SMID, "%smid")                                                                               \
    S(NSMID, "%nsmid")                                                                             \
    S(LANEMASK_EQ, "%lanemask_eq")                                                                 \
    S(LANEMASK_LT, "%lanemask_lt")                                                                 \
    S(LANEMASK_LE, "%lanemask_le")                                                                 \
    S(LANEMASK_GT, "%lanemask_gt")                                                                 \
    S(LANEMASK_GE, "%lanemask_ge")                                                                 \
    S(DYNAMIC_SMEM, "%dynamic_smem_size")                                                          \
    S(TOTAL_SMEM, "%total_smem_size")

#define ENUM_SPECIAL(name, text) SPECIAL_##name,
typedef enum { SPECIALS(ENUM_SPECIAL) SPECIAL_COUNT } PtxSpecial;
#undef ENUM_SPECIAL
enum { SPECIAL_BYTES = LANES * 4 };

typedef struct PtxModule PtxModule;
typedef struct PtxKernel PtxKernel;
struct PtxKernel {
    const PtxModule *module;
    const PtxFunc *func;
    PtxKernel *next;
};

/* A variable in global memory. */
typedef struct {
    uint64_t address, bytes;
    bool read_only;
} PtxGlobal;

struct PtxModule {
    Arena *arena;
    VEC(Inst) code;
    VEC(PtxConst) consts;
    VEC(PtxPlace) places;
    VEC(PtxJumps) jumps;
    VEC(PtxGlobal) globals; /* variables of the module */
    PtxFunc *funcs;
    PtxKernel *kernels;
    uint32_t file_bytes; /* of a warp's register file */
    uint16_t *held;      /* of who executes it: numbers from 1 of registers that wgmma has, by their
                          * places in units of FILE_ALIGN; NULL: there is no wgmma */
    int nheld;
    uint64_t shared_bytes;    /* that are static */
    uint64_t dynamic_at;      /* address of the dynamic shared memory, behind them */
    uint64_t local_bytes;     /* of one thread */
    const char *const *lines; /* of the text, each with a NUL, in the arena */
    int nlines;
};

/* type.c */
extern const uint8_t ptx_type_bits[];
static inline bool ptx_is_signed(PtxType t)
{
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}
PtxType ptx_type_from(const char *word, size_t n);         /* PTX_NONE: there is none */
PtxModifier ptx_modifier_from(const char *word, size_t n); /* MOD_COUNT: there is none */

/*
 * The table of instructions.  The first row that fits is taken.
 *
 * Modifiers are words; one that starts with ! must be there; m64n8+k16 is shapes (decode.c);
 * `cache`, `order` and `space` stand for the words of such a kind.  `operands` has one word for
 * each, = in front of what is written and ? in front of what may be left out at the end; - is one
 * that was left out before others:
 *
 * - 0..3    a register, or a value, as wide as that type
 * - w       twice as wide as the first
 * - h i d   of 16, 32, 64 bits
 * - p       a predicate; written, with a second one: p|p
 * - x y     a register of any width, for the first and the second type; its bytes are noted
 * - v       one such or, by .v2, a list of them
 * - {4:32}  a list of four registers of 32 bits
 * - m       a list of those of 32 bits that have the result of wgmma
 * - a       an address
 * - g2      a tile of a tensor map, with so many coordinates
 * - n       a number
 * - k       a number, as a constant in the register file
 * - l       a label, or a jump table
 * - t       a clock
 * - c       all of a call
 */
typedef struct {
    const char *name;      /* the first words, with their dots */
    const char *modifiers; /* that may follow */
    const char *types;     /* of each position, alternatives; positions apart by | */
    const char *operands;
    Execute *run;
    bool is_control;
} PtxRow;

typedef struct {
    const PtxRow *rows;
    int count;
    Execute *jumps; /* the one that takes a jump table, not a label */
} PtxTable;

/* read.c */
typedef enum { PTX_OK, PTX_NO_MEMORY, PTX_BAD } PtxStatus;
typedef struct {
    char text[400]; /* the message; cut where it does not fit, as is the line */
    int line;       /* from 1; 0: none */
    char line_text[160];
} PtxError;
/* Read PTX text, of `len` bytes, into the arena, from which errors leave through no guard.
 * Addresses of variables are filled in, calls have what they call; Inst.meet of branches is not
 * known. */
PtxStatus ptx_read(const char *text, size_t len, const PtxTable *table, Arena *a, PtxModule **out,
                   PtxError *error);

#endif
