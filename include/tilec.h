/*
 * tilec.h - compile and run Triton-language kernels from C
 *
 * The one public header.  Nothing here prints, exits or keeps global state; every function may be
 * called from any thread, and one context may be used by several threads at once.
 *
 * Functions that can fail return a tilec_status; where the last parameter is `char **error` and
 * not NULL, a failure stores the full diagnostic text there (free it with tilec_free()); success
 * stores NULL.
 */
#ifndef TILEC_H
#define TILEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILEC_VERSION "0.1.0"

typedef enum {
    TILEC_OK = 0,
    TILEC_REFUSED,     /* the kernel or an argument is wrong; the text says where and why */
    TILEC_NOT_FOUND,   /* no such kernel, parameter or device */
    TILEC_IO,          /* a file could not be read or written */
    TILEC_NO_MEMORY,
    TILEC_BAD_ARGUMENT, /* a NULL, a negative count: the caller's mistake */
    TILEC_FAILED       /* the machine refused: no threads, no code generator, a damaged install */
} tilec_status;

typedef enum { /* the same order as the compiler's own table */
    TILEC_I1, TILEC_I8, TILEC_I16, TILEC_I32, TILEC_I64,
    TILEC_U8, TILEC_U16, TILEC_U32, TILEC_U64,
    TILEC_FP8E4NV, TILEC_FP8E5, TILEC_FP8E4B8, TILEC_FP8E5B16, TILEC_FP8E4B15,
    TILEC_FP16, TILEC_BF16, TILEC_FP32, TILEC_FP64
} tilec_dtype;

typedef struct tilec_context tilec_context; /* devices, threads, compiled kernels */
typedef struct tilec_file tilec_file;       /* one parsed source file */

/* A strided array in memory that the caller owns; the fields of a DLPack tensor. */
typedef struct {
    void *data;
    tilec_dtype dtype;
    int ndim;
    const int64_t *shape;   /* elements */
    const int64_t *strides; /* elements; NULL = row-major without gaps */
} tilec_tensor;

typedef enum {
    TILEC_ARG_TENSOR, /* tensor */
    TILEC_ARG_INT,    /* integer: i32, or i64 / u64 where the value needs it; 1 specialises */
    TILEC_ARG_UINT,   /* uinteger: for values of 2^63 and more */
    TILEC_ARG_FLOAT,  /* real: fp32 at run time */
    TILEC_ARG_BOOL,   /* integer != 0 */
    TILEC_ARG_NONE,
    TILEC_ARG_STRING, /* text; constexpr parameters only */
    TILEC_ARG_DTYPE,  /* dtype; constexpr parameters only */
    TILEC_ARG_TYPE    /* tilec_dump() only: a run-time value of `dtype`, a pointer if `pointer` */
} tilec_arg_kind;

typedef struct {
    const char *name; /* the parameter; NULL = the next in order */
    tilec_arg_kind kind;
    tilec_tensor tensor;
    int64_t integer;
    uint64_t uinteger;
    double real;
    const char *text;
    tilec_dtype dtype;
    int pointer;
} tilec_arg;

typedef struct {
    const char *name;
    int is_constexpr;
    int has_default;
    int line; /* of the `def` or of the parameter, from 1 */
} tilec_param;

typedef struct {
    const char *device; /* "cpu" (also NULL) or "interp" */
    int threads;        /* 0 = every CPU */
    int num_warps, num_stages; /* 0 = the defaults; hints on a CPU */
} tilec_launch_options;

typedef struct {
    const char *name, *description;
    int available;
    int threads;
} tilec_device;

/* What one launch cost and did; see tilec_launch_stats(). */
typedef struct {
    double compile_seconds; /* 0 when it was compiled before */
    int from_cache;         /* the object came from disk */
    double flops;           /* float operations; negative when they cannot be counted */
    double bytes;           /* tensors read plus tensors written, once each */
} tilec_stats;

/* `cache_folder` NULL: TILEC_CACHE_DIR, else $XDG_CACHE_HOME/tilec, else ~/.cache/tilec;
 * "" keeps compiled kernels in memory only. */
tilec_status tilec_open(const char *cache_folder, tilec_context **out, char **error);
void tilec_close(tilec_context *ctx); /* after its files; NULL is allowed */

tilec_status tilec_load_file(tilec_context *ctx, const char *path, tilec_file **out, char **error);
tilec_status tilec_load_string(tilec_context *ctx, const char *name, const char *text, size_t len,
                               tilec_file **out, char **error);
void tilec_unload(tilec_file *file);

int tilec_kernel_count(const tilec_file *file);
const char *tilec_kernel_name(const tilec_file *file, int i);
/* `kernel` NULL means the only kernel of the file, wherever one is asked for. */
int tilec_param_count(const tilec_file *file, const char *kernel); /* negative: no such kernel */
tilec_status tilec_param_info(const tilec_file *file, const char *kernel, int i, tilec_param *out);

tilec_status tilec_launch(tilec_file *file, const char *kernel, const int32_t grid[3],
                          const tilec_arg *args, int nargs, const tilec_launch_options *options,
                          char **error);
/* Everything tilec_launch() does short of running: compile and keep. */
tilec_status tilec_prepare(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                           const tilec_launch_options *options, char **error);
/* What such a launch would do; compiles if need be, runs nothing but a scalar sample. */
tilec_status tilec_launch_stats(tilec_file *file, const char *kernel, const int32_t grid[3],
                                const tilec_arg *args, int nargs,
                                const tilec_launch_options *options, tilec_stats *out,
                                char **error);
/* `stage`: "ast" "ir" "opt" "plan" "llvm" "asm".  Text to free with tilec_free(). */
tilec_status tilec_dump(tilec_file *file, const char *kernel, const char *stage,
                        const tilec_arg *args, int nargs, const tilec_launch_options *options,
                        char **text, char **error);

int tilec_device_count(const tilec_context *ctx);
tilec_status tilec_device_info(const tilec_context *ctx, int i, tilec_device *out);

const char *tilec_status_text(tilec_status s); /* static, a few words */
size_t tilec_dtype_size(tilec_dtype t);        /* bytes of one element; 0 for a wrong value */
const char *tilec_dtype_name(tilec_dtype t);   /* "fp32"; NULL for a wrong value */
void tilec_free(void *p);

#ifdef __cplusplus
}
#endif
#endif
