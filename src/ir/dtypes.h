/*
 * dtypes.h - THE table of element types
 *
 * id: enum name after DT_ | text: name in the IR and on the command line | triton: str(dtype) in
 * the language | long: repr, and the spelling as tl.NAME | bits | kind: B bool, S signed, U
 * unsigned, F float | e, m, bias: exponent bits, mantissa bits, exponent bias of floats
 */
/*      id        text        triton      long           bits kind  e   m  bias */
DTYPE(  I1,       "i1",       "int1",     "int1",           1, B,   0,  0,    0)
DTYPE(  I8,       "i8",       "int8",     "int8",           8, S,   0,  0,    0)
DTYPE(  I16,      "i16",      "int16",    "int16",         16, S,   0,  0,    0)
DTYPE(  I32,      "i32",      "int32",    "int32",         32, S,   0,  0,    0)
DTYPE(  I64,      "i64",      "int64",    "int64",         64, S,   0,  0,    0)
DTYPE(  U8,       "u8",       "uint8",    "uint8",          8, U,   0,  0,    0)
DTYPE(  U16,      "u16",      "uint16",   "uint16",        16, U,   0,  0,    0)
DTYPE(  U32,      "u32",      "uint32",   "uint32",        32, U,   0,  0,    0)
DTYPE(  U64,      "u64",      "uint64",   "uint64",        64, U,   0,  0,    0)
DTYPE(  FP8E4NV,  "fp8e4nv",  "fp8e4nv",  "float8e4nv",     8, F,   4,  3,    7)
DTYPE(  FP8E5,    "fp8e5",    "fp8e5",    "float8e5",       8, F,   5,  2,   15)
DTYPE(  FP8E4B8,  "fp8e4b8",  "fp8e4b8",  "float8e4b8",     8, F,   4,  3,    8)
DTYPE(  FP8E5B16, "fp8e5b16", "fp8e5b16", "float8e5b16",    8, F,   5,  2,   16)
DTYPE(  FP8E4B15, "fp8e4b15", "fp8e4b15", "float8e4b15",    8, F,   4,  3,   15)
DTYPE(  FP16,     "fp16",     "fp16",     "float16",       16, F,   5, 10,   15)
DTYPE(  BF16,     "bf16",     "bf16",     "bfloat16",      16, F,   8,  7,  127)
DTYPE(  FP32,     "fp32",     "fp32",     "float32",       32, F,   8, 23,  127)
DTYPE(  FP64,     "fp64",     "fp64",     "float64",       64, F,  11, 52, 1023)
#undef DTYPE
