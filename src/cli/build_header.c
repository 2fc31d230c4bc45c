/*
 * build_header.c - the header of `tilec build`: C99 and C++, with all that a program needs to know
 *
 * The object has one function a specialisation, which takes its arguments as words (docs/aot.md);
 * the header has the functions that programs call, with types, in C: they check, choose a
 * specialisation, and put the arguments into words.
 */
#include "build.h"

#include <ctype.h>
#include <string.h>

/* As those in build.h. */
#define FIRST "tilec_first"
#define LAST "tilec_last"
#define PROGRAMS "tilec_programs"

/* What all headers need that a program includes, once. */
static const char common[] =
    "#ifndef TILEC_AOT\n"
    "#define TILEC_AOT\n"
    "/* What the functions return; the values are those of tilec_status in tilec.h. */\n"
    "enum {\n"
    "    TILEC_AOT_OK = 0,\n"
    "    TILEC_AOT_REFUSED = 1,      /* there is no specialisation for these values */\n"
    "    TILEC_AOT_NO_CPU = 2,       /* TILEC_CPU names no level of CPUs that there is code for "
    "*/\n"
    "    TILEC_AOT_NO_MEMORY = 4,    /* for the kernel's intermediate tiles */\n"
    "    TILEC_AOT_BAD_ARGUMENT = 5, /* the grid is negative or too large, or no range of it is "
    "given */\n"
    "    TILEC_AOT_FAILED = 6,       /* of a GPU: there is no driver, or it refuses */\n"
    "    TILEC_AOT_FAULT = 7         /* an assertion in the kernel failed */\n"
    "};\n"
    "\n"
    "/* How the functions for programs are defined.  Without `static` they are real ones, for "
    "other\n"
    " * languages: docs/aot.md. */\n"
    "#ifndef TILEC_AOT_FUNCTION\n"
    "#define TILEC_AOT_FUNCTION static inline\n"
    "#endif\n"
    "\n"
    "/* C's types are what the kernels were compiled for, or this does not compile. */\n"
    "typedef char tilec_aot_floats[sizeof(float) == 4 && sizeof(double) == 8 ? 1 : -1];\n"
    "typedef char tilec_aot_words[sizeof(void *) == 8 && sizeof(bool) == 1 ? 1 : -1];\n"
    "\n"
    "/* Programs of a grid; -1: it is negative, or has more than 2^62. */\n"
    "static inline int64_t tilec_aot_programs(const int32_t grid[3])\n"
    "{\n"
    "    int64_t plane;\n"
    "\n"
    "    if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0)\n"
    "        return -1;\n"
    "    plane = (int64_t)grid[0] * grid[1];\n"
    "    if (grid[2] > 0 && plane > (INT64_C(1) << 62) / grid[2])\n"
    "        return -1;\n"
    "    return plane * grid[2];\n"
    "}\n"
    "\n"
    "/* One extent of a grid; what does not fit is negative. */\n"
    "static inline int32_t tilec_aot_extent(int64_t n)\n"
    "{\n"
    "    return n < 0 || n > INT32_MAX ? -1 : (int32_t)n;\n"
    "}\n"
    "\n"
    "/* Python's whole division, and what it leaves; a division by 0 gives a grid that is refused. "
    "*/\n"
    "static inline int64_t tilec_aot_floordiv(int64_t a, int64_t b)\n"
    "{\n"
    "    return b == 0 || (b == -1 && a == INT64_MIN) ? -1 : a / b - (a % b != 0 && (a < 0) != (b "
    "< 0));\n"
    "}\n"
    "static inline int64_t tilec_aot_mod(int64_t a, int64_t b)\n"
    "{\n"
    "    return b == 0 || b == -1 ? -(b == 0) : a - tilec_aot_floordiv(a, b) * b;\n"
    "}\n"
    "static inline int64_t tilec_aot_cdiv(int64_t a, int64_t b)\n"
    "{\n"
    "    return b == 0 || (b == -1 && a == INT64_MIN) ? -1 : a / b + (a % b != 0 && (a < 0) == (b "
    "< 0));\n"
    "}\n"
    "static inline int64_t tilec_aot_min(int64_t a, int64_t b)\n"
    "{\n"
    "    return a < b ? a : b;\n"
    "}\n"
    "static inline int64_t tilec_aot_max(int64_t a, int64_t b)\n"
    "{\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "#endif\n";

/* --- parameters --- */

static const char *type_name(tilec_dtype t)
{
    static const char *const names[] = {
        [TILEC_I1] = "bool",          [TILEC_I8] = "int8_t",        [TILEC_I16] = "int16_t",
        [TILEC_I32] = "int32_t",      [TILEC_I64] = "int64_t",      [TILEC_U8] = "uint8_t",
        [TILEC_U16] = "uint16_t",     [TILEC_U32] = "uint32_t",     [TILEC_U64] = "uint64_t",
        [TILEC_FP8E4NV] = "uint8_t",  [TILEC_FP8E5] = "uint8_t",    [TILEC_FP8E4B8] = "uint8_t",
        [TILEC_FP8E5B16] = "uint8_t", [TILEC_FP8E4B15] = "uint8_t", [TILEC_FP16] = "uint16_t",
        [TILEC_BF16] = "uint16_t",    [TILEC_FP32] = "float",       [TILEC_FP64] = "double",
    };

    return names[t];
}

static bool is_parameter(const BuildParam *p)
{
    return p->kind != BUILD_FIXED;
}

/* "const float *x, int32_t n" with a comma behind it, if there is any. */
void header_put_parameters(Text *t, const Build *b)
{
    for (int i = 0; i < b->nparams; i++) {
        const BuildParam *p = &b->params[i];
        if (p->kind == BUILD_CHOSEN)
            text_printf(t, "int64_t %s, ", p->c_name);
        else if (p->kind == BUILD_GIVEN)
            text_printf(t, "%s%s %s%s, ", p->type.pointer && !p->is_written ? "const " : "",
                        type_name(p->type.dtype), p->type.pointer ? "*" : "", p->c_name);
    }
}

/* "x, n, " */
void header_put_arguments(Text *t, const Build *b)
{
    for (int i = 0; i < b->nparams; i++) {
        if (is_parameter(&b->params[i]))
            text_printf(t, "%s, ", b->params[i].c_name);
    }
}

static void put_choices(Text *t, const BuildParam *p)
{
    for (int i = 0; i < p->choices.len; i++)
        text_printf(t, "%s%lld",
                    i == 0                   ? ""
                    : i < p->choices.len - 1 ? ", "
                                             : " or ",
                    (long long)p->choices.at[i]);
}

static void describe_parameter(Text *t, const BuildParam *p)
{
    const char *name = tilec_dtype_name(p->type.dtype);

    text_printf(t, " *     %s: ", p->c_name);
    if (p->kind == BUILD_CHOSEN)
        put_choices(t, p);
    else if (p->type.pointer)
        text_printf(t, "an array of %s, which is %s", name,
                    p->is_written ? "written, and may be read" : "only read");
    else
        text_printf(t, "%s", name);
    if (p->kind == BUILD_GIVEN && strncmp(name, "fp8", 3) == 0)
        text_put(t, "; its bits, as bytes");
    else if (p->kind == BUILD_GIVEN && (p->type.dtype == TILEC_FP16 || p->type.dtype == TILEC_BF16))
        text_put(t, "; its bits, as 16-bit words");
    text_put(t, "\n");
}

/* --- what stands above it all --- */

/* In quotes, unless it has what might end the comment or the line. */
static void put_text_value(Text *t, const char *text)
{
    bool is_plain = true;

    for (const char *s = text; *s; s++)
        is_plain &= isprint((unsigned char)*s) && !strchr("*/\\'", *s);
    text_printf(t, is_plain ? "'%s'" : "a text", text);
}

static void put_value(Text *t, const tilec_arg *v)
{
    switch (v->kind) {
    case TILEC_ARG_INT:
        text_printf(t, "%lld", (long long)v->integer);
        break;
    case TILEC_ARG_UINT:
        text_printf(t, "%llu", (unsigned long long)v->uinteger);
        break;
    case TILEC_ARG_FLOAT:
        text_printf(t, "%.17g", v->real);
        break;
    case TILEC_ARG_BOOL:
        text_put(t, v->integer ? "True" : "False");
        break;
    case TILEC_ARG_NONE:
        text_put(t, "None");
        break;
    case TILEC_ARG_DTYPE:
        text_put(t, tilec_dtype_name(v->dtype));
        break;
    case TILEC_ARG_FUNCTION:
        text_put(t, v->text);
        break;
    case TILEC_ARG_STRING:
        put_text_value(t, v->text);
        break;
    default:
        text_put(t, "a tuple");
        break;
    }
}

static void put_fixed(Text *t, const Build *b)
{
    const char *before = " * Compiled in: ";

    for (int i = 0; i < b->nparams; i++) {
        const BuildParam *p = &b->params[i];
        if (p->kind != BUILD_FIXED || p->is_missing)
            continue;
        text_printf(t, "%s%s = ", before, p->name);
        put_value(t, &p->value);
        before = ", ";
    }
    if (before[0] == ',')
        text_put(t, ".\n");
}

static void describe_form(Text *t, const Build *b, const BuildForm *f)
{
    const char *before = "";

    text_printf(t, " *     %s: ", f->symbol);
    for (int i = 0; i < f->conditions.len; i++) {
        text_printf(t, "%s%s == %lld", before, b->params[f->conditions.at[i].param].c_name,
                    (long long)f->conditions.at[i].value);
        before = ", ";
    }
    text_printf(t, "%s%s\n", before,
                f->is_aligned
                    ? "arrays begin at multiples of 16 bytes, integers are multiples of 16"
                    : "any arguments");
}

static void put_levels(Text *t, const Build *b)
{
    for (int i = 0; i < b->levels.len; i++)
        text_printf(t, "%s%s",
                    i == 0                  ? ""
                    : i < b->levels.len - 1 ? ", "
                                            : " and ",
                    b->levels.at[i]);
}

/* What of it is about CPUs. */
static void put_cpu_head(Text *t, const Build *b)
{
    text_put(t, " * Each has code for ");
    put_levels(t, b);
    text_printf(
        t,
        " CPUs; the highest that the machine has is chosen by\n"
        " * the first call, or one that is not above what the environment variable TILEC_CPU "
        "names.\n"
        " *%s\n"
        " * Threads: any number of them may call these functions at once.  Each call runs "
        "on the thread\n"
        " * that makes it; %s_range() runs a part of the grid, for programs that spread it "
        "over threads.\n",
        b->options->disjoint ? " No array may overlap one that is written.\n *" : "", b->symbol);
}

static void put_head(Text *t, const Build *b)
{
    text_printf(
        t,
        "/*\n"
        " * The kernel %s, compiled ahead of time by tilec %s; made by `tilec build`, do not "
        "edit.\n"
        " *\n"
        " * Link the object that came with this header%s\n"
        " *\n",
        b->options->kernel, TILEC_VERSION,
        b->is_gpu ? "; it opens NVIDIA's driver when it runs, and\n * needs nothing else."
                  : ", and the C library's mathematics "
                    "(-lm); nothing else\n"
                    " * is needed, and nothing is read or started when it runs.");
    put_fixed(t, b);
    text_put(t, " * Specialisations, of which the first one is taken that fits:\n");
    for (int i = 0; i < b->forms.len; i++)
        describe_form(t, b, &b->forms.at[i]);
    if (b->is_gpu)
        gpu_put_head(t, b);
    else
        put_cpu_head(t, b);
    text_put(t, " */\n");
}

/* --- functions --- */

static void put_prototypes(Text *t, const Build *b)
{
    text_put(t, "\n/* In the object: args has a word for each value (tilec's docs/aot.md). */\n");
    for (int i = 0; i < b->forms.len; i++)
        text_printf(
            t, "int %s(const void *args, const int32_t grid[3], int64_t first, int64_t last);\n",
            b->forms.at[i].symbol);
    text_printf(t, "int %s_level(void);\n", b->symbol);
}

static void put_cpu_name(Text *t, const Build *b)
{
    text_printf(
        t,
        "\n/* Which of them code is used for, \"%s\"; else what is wrong with TILEC_CPU. */\n"
        "TILEC_AOT_FUNCTION const char *%s_cpu(void)\n"
        "{\n"
        "    static const char *const names[] = {",
        b->levels.at[0], b->symbol);
    for (int i = 0; i < b->levels.len; i++)
        text_printf(t, "%s\"%s\"", i ? ", " : "", b->levels.at[i]);
    text_printf(
        t,
        "};\n"
        "    const int tilec_level = %s_level();\n"
        "\n"
        "    return tilec_level >= 0 ? names[tilec_level]\n"
        "                            : \"none: TILEC_CPU names no level of CPUs that there is "
        "code for\";\n"
        "}\n",
        b->symbol);
}

static void put_cpu_functions(Text *t, const Build *b)
{
    put_prototypes(t, b);
    put_cpu_name(t, b);
}

static void put_grid_function(Text *t, const Build *b)
{
    text_printf(
        t,
        "\n/* The grid for these arguments: programs along x, y and z; negative where it is "
        "too large. */\n"
        "TILEC_AOT_FUNCTION void %s_grid(",
        b->symbol);
    header_put_parameters(t, b);
    text_put(t, "int32_t " GRID "[3])\n{\n");
    for (int i = 0; i < b->nparams; i++) {
        if (is_parameter(&b->params[i]))
            text_printf(t, "    (void)%s;\n", b->params[i].c_name);
    }
    for (int d = 0; d < 3; d++)
        text_printf(t, "    " GRID "[%d] = tilec_aot_extent(%s);\n", d, b->grid[d]);
    text_put(t, "}\n");
}

/* The bits of all values that calls give, each in a word. */
void header_put_words(Text *t, const Build *b)
{
    text_printf(t, "    uint64_t " WORDS "[%d] = {0};\n", MAX(b->nparams, 1));
    for (int i = 0; i < b->nparams; i++) {
        if (b->params[i].kind == BUILD_GIVEN)
            text_printf(t, "    memcpy(&" WORDS "[%d], &%s, sizeof %s);\n", i, b->params[i].c_name,
                        b->params[i].c_name);
    }
}

/* " && x == 1", each with what is in front of it; gives how many there are. */
int header_put_conditions(Text *t, const Build *b, const BuildForm *f)
{
    int n = 0;

    for (int i = 0; i < f->conditions.len; i++)
        text_printf(t, "%s%s == %lld", n++ ? " && " : "",
                    b->params[f->conditions.at[i].param].c_name,
                    (long long)f->conditions.at[i].value);
    for (int i = 0; f->is_aligned && i < b->nparams; i++) {
        if (build_is_slot(f, b, i) &&
            (b->params[i].type.pointer || build_is_integer(&b->params[i])))
            text_printf(t, "%s" WORDS "[%d] %% 16 == 0", n++ ? " && " : "", i);
    }
    return n;
}

/* Take this form, if it fits; gives whether others may come behind it. */
static bool put_form(Text *t, const Build *b, const BuildForm *f)
{
    Text conditions = text_new(b->cli->arena);
    bool is_conditional = header_put_conditions(&conditions, b, f) > 0;
    const char *indent = is_conditional ? "        " : "    ";
    const char *before = "";

    if (is_conditional)
        text_printf(t, "    if (%s) {\n", conditions.s);
    text_printf(t, "%sconst uint64_t " ARGS "[] = {", indent);
    for (int i = 0; i < b->nparams; i++) {
        if (!build_is_slot(f, b, i))
            continue;
        text_printf(t, "%s" WORDS "[%d]", before, i);
        before = ", ";
    }
    text_printf(t, "%s};\n", *before ? "" : "0");
    text_printf(t, "%sreturn %s(" ARGS ", " GRID ", " FIRST ", " LAST ");\n", indent, f->symbol);
    if (is_conditional)
        text_put(t, "    }\n");
    return is_conditional;
}

void header_put_description(Text *t, const Build *b)
{
    for (int i = 0; i < b->nparams; i++) {
        if (is_parameter(&b->params[i]))
            describe_parameter(t, &b->params[i]);
    }
}

static void put_range_function(Text *t, const Build *b)
{
    bool more = true;

    text_put(t, "\n/*\n * Run some programs of a grid: those from number " FIRST
                " up to, not with, " LAST
                ",\n * where the program at (x, y, z) has the number x + " GRID "[0] * (y + " GRID
                "[1] * z).\n *\n");
    header_put_description(t, b);
    text_printf(t,
                " *\n"
                " * Gives TILEC_AOT_OK, or one of the errors that this header begins with; nothing "
                "has\n * run then%s.\n */\n",
                b->may_fault ? ", but for TILEC_AOT_FAULT, when memory is as the programs left it"
                             : "");
    text_printf(t, "TILEC_AOT_FUNCTION int %s_range(", b->symbol);
    header_put_parameters(t, b);
    text_put(t, "const int32_t " GRID "[3], int64_t " FIRST ", int64_t " LAST ")\n{\n");
    text_put(t, "    const int64_t " PROGRAMS " = tilec_aot_programs(" GRID ");\n");
    header_put_words(t, b);
    text_put(t, "    if (" PROGRAMS " < 0 || " FIRST " < 0 || " FIRST " > " LAST " || " LAST
                " > " PROGRAMS ")\n"
                "        return TILEC_AOT_BAD_ARGUMENT;\n");
    for (int i = 0; more && i < b->forms.len; i++)
        more = put_form(t, b, &b->forms.at[i]);
    text_put(t, more ? "    return TILEC_AOT_REFUSED;\n}\n" : "}\n");
}

static void put_function(Text *t, const Build *b)
{
    text_put(t, "\n/*\n * Run the kernel over its grid.\n *\n");
    header_put_description(t, b);
    if (!b->grid[0])
        text_put(t,
                 " *     tilec_x, tilec_y, tilec_z: how many programs; 1 where a dimension is not "
                 "used\n");
    text_printf(t, " *\n * Returns as %s_range() does.\n */\nTILEC_AOT_FUNCTION int %s(", b->symbol,
                b->symbol);
    header_put_parameters(t, b);
    if (b->grid[0]) {
        t->len -= 2; /* ", " */
        t->s[t->len] = '\0';
        text_put(t, ")\n{\n    int32_t " GRID "[3];\n\n");
        text_printf(t, "    %s_grid(", b->symbol);
        header_put_arguments(t, b);
        text_put(t, GRID ");\n");
    } else {
        text_put(t, "int32_t tilec_x, int32_t tilec_y, int32_t tilec_z)\n{\n");
        text_put(t, "    const int32_t " GRID "[3] = {tilec_x, tilec_y, tilec_z};\n\n");
    }
    text_printf(t, "    return %s_range(", b->symbol);
    header_put_arguments(t, b);
    text_put(t, GRID ", 0, tilec_aot_programs(" GRID "));\n}\n");
}

/* --- all of it --- */

const char *build_header_text(const Build *b)
{
    Text t = text_new(b->cli->arena), guard = text_new(b->cli->arena);

    text_put(&guard, "TILEC_AOT_");
    for (const char *s = b->symbol; *s; s++)
        text_printf(&guard, "%c", toupper((unsigned char)*s));
    put_head(&t, b);
    text_printf(&t,
                "#ifndef %s\n#define %s\n\n"
                "#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n\n%s%s\n"
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
                guard.s, guard.s, common, b->is_gpu ? gpu_common : "");
    if (b->is_gpu)
        gpu_put_variables(&t, b);
    else
        put_cpu_functions(&t, b);
    if (b->grid[0])
        put_grid_function(&t, b);
    if (b->is_gpu) {
        gpu_put_function(&t, b);
    } else {
        put_range_function(&t, b);
        put_function(&t, b);
    }
    text_put(&t, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return t.s;
}
