/*
 * header.c - the header of an object that was compiled ahead of time: C99 and C++, with all that a
 * program needs to know
 *
 * The object has one function a specialisation, which takes its arguments as words (docs/aot.md);
 * the header has the functions that programs call, with types, in C: they check, choose a
 * specialisation, and put the arguments into words.  For a GPU the object has data, and the header
 * what launches it.
 */
#include "aot.h"
#include "parts.h"

#include <ctype.h>
#include <string.h>

/* What stands in the holes of a part that has several lines. */
typedef struct {
    AotHeader *h;
    VEC(AotHole) holes;
} Filling;

static void add(Filling *f, const char *name, const char *text)
{
    vec_push(f->h->arena, &f->holes, ((AotHole){name, text}));
}

static void put(Text *t, const Filling *f, const char *part)
{
    aot_fill(t, part, f->holes.at, f->holes.len);
}

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

/* "const float *x, int32_t n", with a comma behind the last one too if others follow. */
static const char *parameters(const AotHeader *h, bool others_follow)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nparams; i++) {
        const AotParam *p = &h->params[i];
        const char *comma = t.len ? ", " : "";

        if (p->kind == AOT_CHOSEN)
            text_printf(&t, "%sint64_t %s", comma, p->c_name);
        else if (p->kind == AOT_GIVEN)
            text_printf(&t, "%s%s%s %s%s", comma, p->type.pointer && !p->is_written ? "const " : "",
                        type_name(p->type.dtype), p->type.pointer ? "*" : "", p->c_name);
    }
    if (others_follow)
        return t.len ? arena_printf(h->arena, "%s,", t.s) : "";
    return t.len ? t.s : "void";
}

/* For each parameter of the C function this text, in which %s is its name. */
static const char *of_parameters(const AotHeader *h, const char *format, const char *between)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nparams; i++) {
        if (h->params[i].kind == AOT_FIXED)
            continue;
        text_put(&t, t.len ? between : "");
        text_printf(&t, format, h->params[i].c_name);
    }
    return t.s;
}

/* The bits of all values that calls give, each in a word. */
static const char *words(const AotHeader *h)
{
    Text t = text_new(h->arena);

    text_printf(&t, "uint64_t tilec_words[%d] = {0};", MAX(h->nparams, 1));
    for (int i = 0; i < h->nparams; i++) {
        const AotParam *p = &h->params[i];

        if (p->kind == AOT_GIVEN)
            text_printf(&t, "\nmemcpy(&tilec_words[%d], &%s, sizeof %s);", i, p->c_name, p->c_name);
    }
    return t.s;
}

/* --- forms --- */

/* "x == 1 && tilec_words[0] % 16 == 0"; "": it fits all calls. */
static const char *conditions(const AotHeader *h, const AotForm *f)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nparams; i++) {
        if (h->params[i].kind != AOT_FIXED && f->uses[i].is_set)
            text_printf(&t, "%s%s == %lld", t.len ? " && " : "", h->params[i].c_name,
                        (long long)f->uses[i].value);
    }
    for (int i = 0; i < h->nparams; i++) {
        if (aot_is_slot(h, f, i) && f->uses[i].divisor > 1)
            text_printf(&t, "%stilec_words[%d] %% %lld == 0", t.len ? " && " : "", i,
                        (long long)f->uses[i].divisor);
    }
    return t.s;
}

/* The words of a form's slots. */
static const char *values(const AotHeader *h, const AotForm *f)
{
    Text t = text_new(h->arena);

    for (int i = 0; i < h->nparams; i++) {
        if (aot_is_slot(h, f, i))
            text_printf(&t, "%stilec_words[%d]", t.len ? ", " : "", i);
    }
    return t.len ? t.s : "0";
}

/* .. and where they are. */
static const char *addresses(const AotHeader *h, const AotForm *f)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nparams; i++) {
        if (aot_is_slot(h, f, i))
            text_printf(&t, "%s&tilec_words[%d],", t.len ? " " : "", i);
    }
    return t.s;
}

/* Take the first form that fits; the parts are for one with a condition and for one without. */
static const char *choice(const AotHeader *h, const char *part_if, const char *part)
{
    Text t = text_new(h->arena);

    for (int i = 0; i < h->nforms; i++) {
        const AotForm *f = &h->forms[i];
        const char *condition = conditions(h, f);
        const AotHole holes[] = {{"CONDITIONS", condition},
                                 {"FORM", f->symbol},
                                 {"VALUES", values(h, f)},
                                 {"ADDRESSES", addresses(h, f)}};

        aot_fill(&t, *condition ? part_if : part, holes, COUNT(holes));
        if (!*condition)
            return t.s;
    }
    text_put(&t, "    return TILEC_AOT_REFUSED;\n");
    return t.s;
}

/* A part for each form. */
static const char *of_forms(const AotHeader *h, const char *part)
{
    Text t = text_new(h->arena);

    for (int i = 0; i < h->nforms; i++) {
        const AotHole hole = {"FORM", h->forms[i].symbol};
        aot_fill(&t, part, &hole, 1);
    }
    return t.s;
}

/* --- what is said of machines --- */

static const char *level_names(const AotHeader *h)
{
    Text t = text_new(h->arena);

    for (int i = 0; i < h->nlevels; i++)
        text_printf(&t, "%s\"%s\"", i ? ", " : "", h->levels[i]);
    return t.s;
}

/* PTX for `sm_90` is for what comes after it, too; what ends in a letter is not. */
static const char *chips(Arena *a, const char *arch)
{
    bool is_alone = isalpha((unsigned char)arch[strlen(arch) - 1]);

    return arena_printf(a, is_alone ? "chip %s alone" : "chips from %s on", arch);
}

/* --- all of it --- */

static const char *guard_name(const AotHeader *h)
{
    char *name = arena_printf(h->arena, "TILEC_AOT_%s", h->function);

    for (char *s = name; *s; s++)
        *s = (char)toupper((unsigned char)*s);
    return name;
}

static void add_names(Filling *f)
{
    AotHeader *h = f->h;

    add(f, "KERNEL", h->kernel);
    add(f, "VERSION", TILEC_VERSION);
    add(f, "NAME", h->function);
    add(f, "GUARD", guard_name(h));
    add(f, "PARAMETERS", parameters(h, true));
    add(f, "PARAMETERS_ALONE", parameters(h, false));
    add(f, "ARGUMENTS", of_parameters(h, "%s,", " "));
    add(f, "USES", of_parameters(h, "(void)%s;", "\n"));
    add(f, "WORDS", words(h));
    add(f, "GRID_X", h->extent[0]);
    add(f, "GRID_Y", h->extent[1]);
    add(f, "GRID_Z", h->extent[2]);
    add(f, "CONSTANTS", aot_describe_constants(h));
    add(f, "DESCRIPTION", aot_describe_params(h));
    add(f, "FORMS_TEXT", aot_describe_forms(h));
    add(f, "DISJOINT", h->is_disjoint ? "No array may overlap one that is written." : "");
}

static void put_begin(Text *t, Filling *f)
{
    AotHeader *h = f->h;

    add(f, "RUNTIME",
        h->is_gpu ? arena_printf(h->arena, "%s%s", aot_runtime, aot_runtime_gpu) : aot_runtime);
    put(t, f, h->is_gpu ? aot_head_gpu : aot_head_cpu);
    put(t, f, aot_begin);
}

static void put_for_cpu(Text *t, Filling *f)
{
    AotHeader *h = f->h;

    add(f, "LEVEL", h->level);
    add(f, "LEVELS", aot_list(h->arena, h->levels, h->nlevels, " and "));
    add(f, "FIRST_LEVEL", h->levels[0]);
    add(f, "LEVEL_NAMES", level_names(h));
    add(f, "PROTOTYPES", of_forms(h, aot_prototype));
    add(f, "FORMS", choice(h, aot_form_if, aot_form));
    add(f, "FAULTS",
        h->may_fault ? ", but for TILEC_AOT_FAULT, when memory is as the programs left it" : "");
    put_begin(t, f);
    put(t, f, aot_cpu);
    if (h->grid)
        put(t, f, aot_grid_function);
    put(t, f, aot_range);
    put(t, f, h->grid ? aot_function_with_grid : aot_function);
}

static void put_for_gpu(Text *t, Filling *f)
{
    AotHeader *h = f->h;

    add(f, "CHIPS", chips(h->arena, h->levels[0]));
    add(f, "VARIABLES", of_forms(h, aot_variable));
    add(f, "FORMS", choice(h, aot_launch_if, aot_launch));
    put_begin(t, f);
    put(t, f, aot_gpu);
    if (h->grid)
        put(t, f, aot_grid_function);
    put(t, f, h->grid ? aot_function_gpu_with_grid : aot_function_gpu);
}

const char *aot_header(AotHeader *h, const char **problem)
{
    Text t = text_new(h->arena);
    Filling f = {.h = h};

    *problem = aot_name_params(h);
    if (!*problem && h->grid)
        *problem = aot_grid(h);
    if (*problem)
        return NULL;
    add_names(&f);
    if (h->is_gpu)
        put_for_gpu(&t, &f);
    else
        put_for_cpu(&t, &f);
    put(&t, &f, aot_end);
    return t.s;
}
