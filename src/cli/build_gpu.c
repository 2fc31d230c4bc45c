/*
 * build_gpu.c - the header of `tilec build --arch`: launches through NVIDIA's driver, in C
 *
 * The object has the PTX of each specialisation as data (src/gen/nv_build.c).  The header has what
 * opens the driver, loads that into the context that is current, and launches it; all of it are
 * static functions, so that a program needs no library of ours, and none of NVIDIA's to be built.
 */
#include "build.h"

#include <ctype.h>
#include <string.h>

const char gpu_common[] =
    "\n"
    "#ifndef TILEC_AOT_GPU\n"
    "#define TILEC_AOT_GPU\n"
    "#include <dlfcn.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "/* A specialisation, in the object. */\n"
    "typedef struct {\n"
    "    const char *image; /* its PTX */\n"
    "    int32_t threads;   /* that run a program */\n"
    "    int32_t shared;    /* bytes of shared memory, beside those that the image declares */\n"
    "    void *loaded;      /* a list of tilec_aot_loaded */\n"
    "} tilec_aot_kernel;\n"
    "\n"
    "/* .. in one context, whose number no other ever has. */\n"
    "typedef struct tilec_aot_loaded {\n"
    "    struct tilec_aot_loaded *next;\n"
    "    unsigned long long context;\n"
    "    void *function;\n"
    "} tilec_aot_loaded;\n"
    "\n"
    "/* What is called of the driver; 0 is success. */\n"
    "typedef struct {\n"
    "    int (*init)(unsigned flags);\n"
    "    int (*text)(int result, const char **text);\n"
    "    int (*device)(int *device, int number);\n"
    "    int (*primary)(void **context, int device);\n"
    "    int (*current)(void **context);\n"
    "    int (*number)(void *context, unsigned long long *number);\n"
    "    int (*push)(void *context);\n"
    "    int (*pop)(void **context);\n"
    "    int (*load)(void **module, const void *image, unsigned n, int *options, void **values);\n"
    "    int (*find)(void **function, void *module, const char *name);\n"
    "    int (*set)(void *function, int attribute, int value);\n"
    "    int (*launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, "
    "unsigned one,\n"
    "                  unsigned also_one, unsigned shared, void *stream, void **args, void "
    "**extra);\n"
    "} tilec_aot_driver;\n"
    "\n"
    "/* Why the last call of this thread from this file gave TILEC_AOT_FAILED; else NULL. */\n"
    "static __thread const char *tilec_aot_problem;\n"
    "\n"
    "static inline const char *tilec_aot_gpu_problem(void)\n"
    "{\n"
    "    return tilec_aot_problem;\n"
    "}\n"
    "\n"
    "static inline int tilec_aot_find(void *library, const char *name, void *to)\n"
    "{\n"
    "    void *found = dlsym(library, name);\n"
    "\n"
    "    memcpy(to, &found, sizeof found);\n"
    "    return found != NULL;\n"
    "}\n"
    "\n"
    "static inline int tilec_aot_read_driver(tilec_aot_driver *d)\n"
    "{\n"
    "    const char *path = getenv(\"TILEC_LIBCUDA\");\n"
    "    void *l = dlopen(path && *path ? path : \"libcuda.so.1\", RTLD_NOW);\n"
    "\n"
    "    tilec_aot_problem = \"there is no NVIDIA driver: libcuda.so.1 cannot be opened\";\n"
    "    if (!l)\n"
    "        return 0;\n"
    "    tilec_aot_problem = \"the NVIDIA driver is older than that of CUDA 12.0\";\n"
    "    if (!tilec_aot_find(l, \"cuInit\", &d->init) || !tilec_aot_find(l, \"cuGetErrorString\", "
    "&d->text) ||\n"
    "        !tilec_aot_find(l, \"cuDeviceGet\", &d->device) ||\n"
    "        !tilec_aot_find(l, \"cuDevicePrimaryCtxRetain\", &d->primary) ||\n"
    "        !tilec_aot_find(l, \"cuCtxGetCurrent\", &d->current) ||\n"
    "        !tilec_aot_find(l, \"cuCtxGetId\", &d->number) ||\n"
    "        !tilec_aot_find(l, \"cuCtxPushCurrent_v2\", &d->push) ||\n"
    "        !tilec_aot_find(l, \"cuCtxPopCurrent_v2\", &d->pop) ||\n"
    "        !tilec_aot_find(l, \"cuModuleLoadDataEx\", &d->load) ||\n"
    "        !tilec_aot_find(l, \"cuModuleGetFunction\", &d->find) ||\n"
    "        !tilec_aot_find(l, \"cuFuncSetAttribute\", &d->set) ||\n"
    "        !tilec_aot_find(l, \"cuLaunchKernel\", &d->launch))\n"
    "        return 0;\n"
    "    tilec_aot_problem = \"the NVIDIA driver cannot be started\";\n"
    "    return d->init(0) == 0;\n"
    "}\n"
    "\n"
    "/* Threads may open it at the same time: they find the same, and one of them keeps it. */\n"
    "static inline const tilec_aot_driver *tilec_aot_open(void)\n"
    "{\n"
    "    static tilec_aot_driver *opened;\n"
    "    tilec_aot_driver *d = __atomic_load_n(&opened, __ATOMIC_ACQUIRE), *other = NULL;\n"
    "\n"
    "    if (d)\n"
    "        return d;\n"
    "    tilec_aot_problem = \"out of memory\";\n"
    "    d = (tilec_aot_driver *)malloc(sizeof *d);\n"
    "    if (!d || !tilec_aot_read_driver(d)) {\n"
    "        free(d);\n"
    "        return NULL;\n"
    "    }\n"
    "    if (__atomic_compare_exchange_n(&opened, &other, d, 0, __ATOMIC_ACQ_REL, "
    "__ATOMIC_ACQUIRE))\n"
    "        return d;\n"
    "    free(d);\n"
    "    return other;\n"
    "}\n"
    "\n"
    "/* The function in the current context; more shared memory than 48 KiB has to be asked for. "
    "*/\n"
    "static inline int tilec_aot_load(const tilec_aot_driver *d, const tilec_aot_kernel *k,\n"
    "                                 tilec_aot_loaded *l)\n"
    "{\n"
    "    void *module = NULL;\n"
    "    int result = d->load(&module, k->image, 0, NULL, NULL);\n"
    "\n"
    "    if (result == 0)\n"
    "        result = d->find(&l->function, module, \"tilec_kernel\");\n"
    "    if (result == 0 && k->shared > 48 * 1024)\n"
    "        result = d->set(l->function, 8, k->shared); /* the most dynamic shared memory */\n"
    "    return result;\n"
    "}\n"
    "\n"
    "/* The same, loaded once.  Where two threads do it at the same time both are kept. */\n"
    "static inline int tilec_aot_function(const tilec_aot_driver *d, tilec_aot_kernel *k, void "
    "*context,\n"
    "                                     void **function)\n"
    "{\n"
    "    unsigned long long number = 0;\n"
    "    void *first = __atomic_load_n(&k->loaded, __ATOMIC_ACQUIRE);\n"
    "    tilec_aot_loaded *l;\n"
    "    int result = d->number(context, &number);\n"
    "\n"
    "    for (l = (tilec_aot_loaded *)first; l && l->context != number; l = l->next)\n"
    "        continue;\n"
    "    if (l || result != 0) {\n"
    "        *function = l ? l->function : NULL;\n"
    "        return result;\n"
    "    }\n"
    "    l = (tilec_aot_loaded *)malloc(sizeof *l);\n"
    "    if (!l)\n"
    "        return 2; /* CUDA's number for it */\n"
    "    l->context = number;\n"
    "    result = tilec_aot_load(d, k, l);\n"
    "    if (result != 0) {\n"
    "        free(l);\n"
    "        return result;\n"
    "    }\n"
    "    *function = l->function;\n"
    "    do\n"
    "        l->next = (tilec_aot_loaded *)first;\n"
    "    while (!__atomic_compare_exchange_n(&k->loaded, &first, (void *)l, 0, __ATOMIC_ACQ_REL,\n"
    "                                        __ATOMIC_ACQUIRE));\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "/* In the context that is current, or the primary one of the first GPU. */\n"
    "static inline int tilec_aot_launch(tilec_aot_kernel *k, void **args, const int32_t grid[3], "
    "void *stream)\n"
    "{\n"
    "    const tilec_aot_driver *d = tilec_aot_open();\n"
    "    void *context = NULL, *function = NULL;\n"
    "    int result, device = 0, pushed = 0;\n"
    "\n"
    "    if (!d)\n"
    "        return TILEC_AOT_FAILED;\n"
    "    result = d->current(&context);\n"
    "    if (result == 0 && !context) {\n"
    "        result = d->device(&device, 0);\n"
    "        if (result == 0)\n"
    "            result = d->primary(&context, device);\n"
    "        if (result == 0)\n"
    "            result = d->push(context);\n"
    "        pushed = result == 0;\n"
    "    }\n"
    "    if (result == 0)\n"
    "        result = tilec_aot_function(d, k, context, &function);\n"
    "    if (result == 0)\n"
    "        result = d->launch(function, (unsigned)grid[0], (unsigned)grid[1], "
    "(unsigned)grid[2],\n"
    "                           (unsigned)k->threads, 1, 1, (unsigned)k->shared, stream, args, "
    "NULL);\n"
    "    if (pushed)\n"
    "        d->pop(&context);\n"
    "    tilec_aot_problem = NULL;\n"
    "    if (result != 0 && d->text(result, &tilec_aot_problem) != 0)\n"
    "        tilec_aot_problem = \"the driver refuses\";\n"
    "    return result == 0 ? TILEC_AOT_OK : TILEC_AOT_FAILED;\n"
    "}\n"
    "\n"
    "/* Does a GPU take the grid? */\n"
    "static inline bool tilec_aot_fits(const int32_t grid[3])\n"
    "{\n"
    "    return grid[0] >= 0 && grid[1] >= 0 && grid[1] <= 65535 && grid[2] >= 0 && grid[2] <= "
    "65535;\n"
    "}\n"
    "#endif\n";

/* PTX for `sm_90` is for what comes after it, too; what ends in a letter is not. */
static bool is_for_one_chip(const char *arch)
{
    return isalpha((unsigned char)arch[strlen(arch) - 1]);
}

void gpu_put_head(Text *t, const Build *b)
{
    const char *arch = b->levels.at[0];

    text_printf(
        t,
        " * Each is for NVIDIA's chip%s%s%s, as PTX, which the driver assembles when it "
        "is first\n"
        " * launched in a context.\n"
        " *%s\n"
        " * Arrays are addresses on the GPU.  A launch goes to the context that is current, "
        "or to the\n"
        " * primary one of the first GPU, and is queued on the stream; errors of the "
        "programs come from\n"
        " * later calls of the driver.  Any number of threads may launch at once.\n",
        is_for_one_chip(arch) ? " " : "s from ", arch, is_for_one_chip(arch) ? " alone" : " on",
        b->options->disjoint ? " No array may overlap one that is written.\n *" : "");
}

void gpu_put_variables(Text *t, const Build *b)
{
    text_put(t, "\n/* In the object. */\n");
    for (int i = 0; i < b->forms.len; i++)
        text_printf(t, "extern tilec_aot_kernel %s;\n", b->forms.at[i].symbol);
}

/* Take this form, if it fits; gives whether others may come behind it. */
static bool put_gpu_form(Text *t, const Build *b, const BuildForm *f)
{
    Text conditions = text_new(b->cli->arena);
    bool is_conditional = header_put_conditions(&conditions, b, f) > 0;
    const char *indent = is_conditional ? "        " : "    ";

    if (is_conditional)
        text_printf(t, "    if (%s) {\n", conditions.s);
    text_printf(t, "%svoid *" ARGS "[] = {", indent);
    for (int i = 0; i < b->nparams; i++) {
        if (build_is_slot(f, b, i))
            text_printf(t, "&" WORDS "[%d], ", i);
    }
    text_printf(t, "NULL};\n%sreturn tilec_aot_launch(&%s, " ARGS ", " GRID ", tilec_stream);\n",
                indent, f->symbol);
    if (is_conditional)
        text_put(t, "    }\n");
    return is_conditional;
}

static void put_gpu_grid(Text *t, const Build *b)
{
    if (!b->grid[0]) {
        text_put(t, "    const int32_t " GRID "[3] = {tilec_x, tilec_y, tilec_z};\n");
        return;
    }
    text_printf(t, "    int32_t " GRID "[3];\n");
    header_put_words(t, b);
    text_printf(t, "    %s_grid(", b->symbol);
    header_put_arguments(t, b);
    text_put(t, GRID ");\n");
}

void gpu_put_function(Text *t, const Build *b)
{
    bool more = true;

    text_put(t, "\n/*\n * Launch the kernel over its grid.\n *\n");
    header_put_description(t, b);
    if (!b->grid[0])
        text_put(t,
                 " *     tilec_x, tilec_y, tilec_z: how many programs; 1 where a dimension is not "
                 "used\n");
    text_printf(t,
                " *     tilec_stream: a CUstream or cudaStream_t; NULL: the default one\n *\n"
                " * Gives TILEC_AOT_OK, or one of the errors that this header begins with; of "
                "TILEC_AOT_FAILED\n * tilec_aot_gpu_problem() says why.\n */\n"
                "TILEC_AOT_FUNCTION int %s(",
                b->symbol);
    header_put_parameters(t, b);
    text_printf(t, "%svoid *tilec_stream)\n{\n",
                b->grid[0] ? "" : "int32_t tilec_x, int32_t tilec_y, int32_t tilec_z, ");
    put_gpu_grid(t, b);
    if (!b->grid[0])
        header_put_words(t, b);
    text_put(t, "    if (!tilec_aot_fits(" GRID "))\n        return TILEC_AOT_BAD_ARGUMENT;\n"
                "    if (tilec_aot_programs(" GRID ") == 0)\n        return TILEC_AOT_OK;\n");
    for (int i = 0; more && i < b->forms.len; i++)
        more = put_gpu_form(t, b, &b->forms.at[i]);
    text_put(t, more ? "    return TILEC_AOT_REFUSED;\n}\n" : "}\n");
}
