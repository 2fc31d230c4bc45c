/*
 * lines.c - which line of the kernel each instruction comes from, as LLVM's debug information
 *
 * Only where GenOptions.lines asks for it: for people who read the code, and for tools that do. The
 * kernel and each helper that was inlined is a subprogram; the place of an instruction is the line
 * of an op, inside the calls that the op was inlined through (ir/site.c).  The machine code stays
 * the same, which tests/unit/test_gen.c compares.  Objects get the sections that profilers and
 * debuggers read; cpu_debug.c adds what names stand for.
 *
 * LLVM keeps one place a builder, and a nest has many builders: llvm_at() tells all of them for
 * which op code is made now.  Code of no op has the place of the kernel.
 */
#include <string.h>

#include "llvm.h"

/* How much LLVM says: all of it; lines, functions and calls; or line directives in assembly and no
 * sections of its own. */
enum { FULL_DEBUG = 1, LINE_TABLES = 2, ONLY_DIRECTIVES = 3, DWARF = 4 };

/* Where code of one site stands. */
typedef struct {
    LLVMMetadataRef scope;  /* the subprogram */
    LLVMMetadataRef called; /* from where, or NULL */
} Inlined;

struct Lines {
    Llvm *l;
    LLVMDIBuilderRef di;
    const Module *module;
    const char *folder; /* of relative paths */
    const Op *now;
    Map *files;     /* Source* to its metadata */
    Map *helpers;   /* the place of a function to its subprogram */
    Inlined *sites; /* one a site of the module; the first is the kernel itself */
    Span kernel;
    const char *name; /* of the kernel */
};

static LLVMMetadataRef file_of(Lines *n, const Source *src)
{
    LLVMMetadataRef f = map_get(n->files, MAP_KEY(src));
    const char *folder = src->path[0] != '/' ? n->folder : "";

    if (!f) {
        Text path = text_new(n->l->arena);
        text_put_name(&path, src->path); /* an assembler takes no control characters in a text */
        f = LLVMDIBuilderCreateFile(n->di, path.s, path.len, folder, strlen(folder));
        map_put(n->files, MAP_KEY(src), f);
    }
    return f;
}

static LLVMMetadataRef new_subprogram(Lines *n, const char *name, Place at)
{
    LLVMMetadataRef file = file_of(n, at.source);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(n->di, file, NULL, 0, LLVMDIFlagZero);

    return LLVMDIBuilderCreateFunction(n->di, file, name, strlen(name), "", 0, file,
                                       (unsigned)at.line, type, 1, 1, (unsigned)at.line,
                                       LLVMDIFlagZero, 1);
}

static LLVMMetadataRef subprogram(Lines *n, const char *name, Span span)
{
    uint64_t key = (uint64_t)span.start << 32 | 1;
    LLVMMetadataRef sub = map_get(n->helpers, key);

    if (!sub) {
        sub = new_subprogram(n, name, source_place(n->module->sources, span.start));
        map_put(n->helpers, key, sub);
    }
    return sub;
}

static LLVMMetadataRef location(const Lines *n, Span span, const Inlined *s)
{
    Place at = source_place(n->module->sources, span.start);

    return LLVMDIBuilderCreateDebugLocation(n->l->ctx, (unsigned)at.line, (unsigned)at.column,
                                            s->scope, s->called);
}

static void find_scopes(Lines *n, const Func *f)
{
    n->sites = NEW_N(n->l->arena, Inlined, n->module->sites.len + 1);
    n->sites[0].scope = subprogram(n, f->name, f->span);
    for (int i = 1; i < n->module->sites.len; i++) {
        const CallSite *s = &n->module->sites.at[i];
        bool placed = source_of(n->module->sources, s->callee_span.start);

        n->sites[i] = n->sites[s->parent];
        if (placed)
            n->sites[i] = (Inlined){subprogram(n, s->callee, s->callee_span),
                                    location(n, s->call, &n->sites[s->parent])};
    }
}

static void add_flag(Llvm *l, const char *name, unsigned value)
{
    LLVMAddModuleFlag(l->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(l->i32, value, 0)));
}

static void make_unit(Lines *n, const Source *src, bool debug)
{
    static const char producer[] = "tilec";

    add_flag(n->l, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(n->l, "Dwarf Version", DWARF);
    /* debuggers read expressions by the rules of a language that they know: `print x[0]@4` */
    LLVMDIBuilderCreateCompileUnit(
        n->di, debug ? LLVMDWARFSourceLanguageC99 : LLVMDWARFSourceLanguagePython, file_of(n, src),
        producer, strlen(producer), 1, "", 0, 0, "", 0,
        (LLVMDWARFEmissionKind)(!n->l->makes_object ? ONLY_DIRECTIVES
                                : debug             ? FULL_DEBUG
                                                    : LINE_TABLES),
        0, 0, 0, "", 0, "", 0);
}

void llvm_lines_begin(Llvm *l, const Func *f, Val fn, const GenOptions *o)
{
    const Source *src = f->module->sources ? source_of(f->module->sources, f->span.start) : NULL;

    if (!src || (!o->lines && !o->debug))
        return;
    Lines *n = NEW(l->arena, Lines);
    *n = (Lines){.l = l,
                 .module = f->module,
                 .folder = o->folder ? o->folder : "",
                 .kernel = f->span,
                 .name = f->name};
    n->files = map_new(l->arena);
    n->helpers = map_new(l->arena);
    l->lines = n;
    n->di = LLVMCreateDIBuilder(l->module);
    make_unit(n, src, o->debug);
    find_scopes(n, f);
    LLVMSetSubprogram(fn, n->sites[0].scope);
}

void llvm_lines_end(Llvm *l)
{
    if (l->lines)
        LLVMDIBuilderFinalize(l->lines->di);
}

bool llvm_lines_frame(const Llvm *l, int site, LineFrame *out)
{
    Lines *n = l->lines;
    const CallSite *s = n ? call_site(n->module, site) : NULL;

    if (!n)
        return false;
    Span span =
        s && source_of(n->module->sources, s->callee_span.start) ? s->callee_span : n->kernel;
    const Inlined *at = &n->sites[site];
    *out = (LineFrame){n->di, at->scope, file_of(n, source_of(n->module->sources, span.start)),
                       location(n, span, at)};
    return true;
}

void llvm_lines_set(const Llvm *l, Val instruction, Span span, int site)
{
    LLVMInstructionSetDebugLoc(instruction, location(l->lines, span, &l->lines->sites[site]));
}

void llvm_lines_free(Llvm *l)
{
    if (l->lines && l->lines->di)
        LLVMDisposeDIBuilder(l->lines->di);
}

/* The same place with the kernel's part of a call chain in another function. */
static LLVMMetadataRef moved(const Lines *n, LLVMMetadataRef at, LLVMMetadataRef scope, Map *known)
{
    LLVMMetadataRef in = LLVMDILocationGetInlinedAt(at), new = map_get(known, MAP_KEY(at));

    if (new)
        return new;
    LLVMMetadataRef called = in ? moved(n, in, scope, known) : NULL;
    new = LLVMDIBuilderCreateDebugLocation(n->l->ctx, LLVMDILocationGetLine(at),
                                           LLVMDILocationGetColumn(at),
                                           in ? LLVMDILocationGetScope(at) : scope, called);
    map_put(known, MAP_KEY(at), new);
    return new;
}

void llvm_lines_moved(Llvm *l, Val fn)
{
    Lines *n = l->lines;
    Map *known = map_new(l->arena);

    if (!n)
        return;
    Place at = source_place(n->module->sources, n->kernel.start);
    LLVMMetadataRef scope = new_subprogram(n, n->name, at);
    LLVMSetSubprogram(fn, scope);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        for (Val i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMMetadataRef place = LLVMInstructionGetDebugLoc(i);
            if (place)
                LLVMInstructionSetDebugLoc(i, moved(n, place, scope, known));
        }
    }
}

static LLVMMetadataRef place_now(const Lines *n)
{
    bool placed = n->now && source_of(n->module->sources, n->now->span.start);

    return placed ? location(n, n->now->span, &n->sites[n->now->site])
                  : location(n, n->kernel, &n->sites[0]);
}

void llvm_lines_place(const Llvm *l, Bld b)
{
    if (l->lines)
        LLVMSetCurrentDebugLocation2(b, place_now(l->lines));
}

const Op *llvm_at(Llvm *l, const Op *op)
{
    if (!l->lines || op == l->lines->now)
        return op;
    const Op *before = l->lines->now;
    l->lines->now = op;
    LLVMMetadataRef at = place_now(l->lines);
    for (int i = 0; i < l->builders.len; i++) {
        if (l->builders.at[i])
            LLVMSetCurrentDebugLocation2(l->builders.at[i], at);
    }
    return before;
}
