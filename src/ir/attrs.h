/* clang-format off */
/*
 * attrs.h - THE table of attributes: enums, words, and named accessors (attr_NAME) come from it
 *
 * ops.h says which op has which.  `text` is how the printer and the reader call it; two attributes
 * may be called alike when no op has both.  What is OPTIONAL is 0, the first word, or the empty text
 * when it is left out, and is not printed then; a list may be empty.
 *
 * NUMBER(name, text, need)         64 bits
 * TEXT(name, text, need)           a quoted text; one of the module's interned names
 * LIST(name, text)                 the rest of op->attrs[]: the last attribute of its op
 * WORDS(Type, name, text, need)    one of the WORDs up to END
 */
#ifndef NUMBER
#define NUMBER(name, text, need)
#endif
#ifndef TEXT
#define TEXT(name, text, need)
#endif
#ifndef LIST
#define LIST(name, text)
#endif
#ifndef WORDS
#define WORDS(Type, name, text, need)
#define WORD(constant, word)
#define END(Type)
#endif

/*      name            text            left out? */
NUMBER( bits,           "bits",         NEEDED )   /* of const: the bits, zero-extended */
NUMBER( axis,           "axis",         NEEDED )
NUMBER( part,           "part",         NEEDED )   /* of a handle: its shape, then its strides */
NUMBER( start,          "start",        NEEDED )
NUMBER( reverse,        "reverse",      OPTIONAL ) /* 0 or 1 */
NUMBER( descending,     "descending",   OPTIONAL ) /* 0 or 1 */
NUMBER( volatile,       "volatile",     OPTIONAL ) /* 0 or 1 */
NUMBER( unroll,         "unroll",       OPTIONAL ) /* rounds at a time, -1: all */
/* wishes for how a loop is scheduled, as tl.range has them; targets that do not schedule loops drop
 * them (legalise.c) */
NUMBER( num_stages,     "num_stages",   OPTIONAL )
NUMBER( flatten,        "flatten",      OPTIONAL ) /* 0 or 1, as those below */
NUMBER( warp_specialize, "warp_specialize", OPTIONAL )
NUMBER( disallow_acc_multi_buffer, "disallow_acc_multi_buffer", OPTIONAL )
NUMBER( disable_licm,   "disable_licm", OPTIONAL )
NUMBER( any_order,      "any_order",    OPTIONAL ) /* 0 or 1: rounds were rows of a tile (rows.c) */
NUMBER( record_site,    "site",         OPTIONAL ) /* in the table of all that the kernel may say */
NUMBER( inserted,       "inserted",     OPTIONAL ) /* 0 or 1: by a check, nobody wrote it */
NUMBER( hex,            "hex",          OPTIONAL ) /* 0 or 1 */
TEXT(   message,        "message",      NEEDED )
TEXT(   asm,            "asm",          NEEDED )
TEXT(   constraints,    "constraints",  OPTIONAL )
NUMBER( imprecise,      "imprecise",    OPTIONAL ) /* of fp8: products that a unit may sum up in
                                                    fewer bits than fp32 has; 0: as the target does */
NUMBER( pack,           "pack",         NEEDED )   /* elements of one run of the text */
LIST(   dims,           "dims" )
LIST(   starts,         "starts" )   /* an index for each dimension */
LIST(   table,          "table" )
LIST(   values,         "values" )
LIST(   order,          "order" )    /* dimensions, from the one that is contiguous in memory */
LIST(   boundary,       "boundary" ) /* dimensions along which a block may leave the array */

/*     type        name         text            left out? */
WORDS( Rounding,   rounding,    "rounding",     OPTIONAL )
    WORD( ROUND_NEAREST,        "nearest" )
    WORD( ROUND_TO_ZERO,        "zero" )
    WORD( ROUND_DOWN,           "down" )
    WORD( ROUND_UP,             "up" )
END( Rounding )
WORDS( HintKind,   hint_kind,   "kind",         NEEDED )
    WORD( HINT_MULTIPLE_OF,     "multiple_of" )
    WORD( HINT_MAX_CONTIGUOUS,  "max_contiguous" )
    WORD( HINT_MAX_CONSTANCY,   "max_constancy" )
    WORD( HINT_LIKELY,          "likely" ) /* of a condition: true nearly everywhere; no promise */
    WORD( HINT_WITHIN,          "within" ) /* of an index: where it should be; no promise */
END( HintKind )
WORDS( Precision,  precision,   "precision",    OPTIONAL )
    WORD( PRECISION_IEEE,       "ieee" )
    WORD( PRECISION_TF32,       "tf32" )
    WORD( PRECISION_TF32X3,     "tf32x3" )
    WORD( PRECISION_BF16X3,     "bf16x3" )
    WORD( PRECISION_BF16X6,     "bf16x6" )
END( Precision )
WORDS( RmwKind,    rmw_kind,    "kind",         NEEDED )
    WORD( RMW_ADD,              "add" )
    WORD( RMW_MAX,              "max" )
    WORD( RMW_MIN,              "min" )
    WORD( RMW_AND,              "and" )
    WORD( RMW_OR,               "or" )
    WORD( RMW_XOR,              "xor" )
    WORD( RMW_XCHG,             "xchg" )
END( RmwKind )
WORDS( RecordKind, record_kind, "kind",         NEEDED )
    WORD( RECORD_PRINT,         "print" )  /* the message with its values */
    WORD( RECORD_ASSERT,        "assert" ) /* element i32, failures i32; ends the launch */
    WORD( RECORD_CHECK,         "check" )  /* element i32, failures i32, offset i64 */
    WORD( RECORD_VALUE,         "value" )  /* of a name, which the message is (check/named.c) */
END( RecordKind )
WORDS( Sem,        sem,         "sem",          OPTIONAL )
    WORD( SEM_ACQ_REL,          "acq_rel" )
    WORD( SEM_ACQUIRE,          "acquire" )
    WORD( SEM_RELEASE,          "release" )
    WORD( SEM_RELAXED,          "relaxed" )
END( Sem )
WORDS( Scope,      scope,       "scope",        OPTIONAL )
    WORD( SCOPE_GPU,            "gpu" )
    WORD( SCOPE_CTA,            "cta" )
    WORD( SCOPE_SYS,            "sys" )
END( Scope )
WORDS( CacheHint,  cache,       "cache",        OPTIONAL )
    WORD( CACHE_NONE,           "none" )
    WORD( CACHE_CA,             "ca" )
    WORD( CACHE_CG,             "cg" )
    WORD( CACHE_CS,             "cs" )
    WORD( CACHE_CV,             "cv" )
    WORD( CACHE_WB,             "wb" )
    WORD( CACHE_WT,             "wt" )
END( CacheHint )
WORDS( Padding,    padding,     "padding",      OPTIONAL ) /* what lanes outside of an array give */
    WORD( PAD_ZERO,             "zero" )
    WORD( PAD_NAN,              "nan" )
END( Padding )
WORDS( Space,      space,       "space",        OPTIONAL ) /* of a pointer's type, where it points */
    WORD( SPACE_GLOBAL,         "global" )
    WORD( SPACE_SHARED,         "shared" ) /* by the threads of one program */
    WORD( SPACE_LOCAL,          "local" )
END( Space )
WORDS( EvictHint,  evict,       "evict",        OPTIONAL )
    WORD( EVICT_NORMAL,         "normal" )
    WORD( EVICT_FIRST,          "first" )
    WORD( EVICT_LAST,           "last" )
END( EvictHint )
#undef NUMBER
#undef TEXT
#undef LIST
#undef WORDS
#undef WORD
#undef END
