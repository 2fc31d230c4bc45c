/*
 * resolve_import.c - what imports bring (semantics R2, R4, R6)
 *
 * An import stands for a module of the language, or for another file and what is bound there, which
 * may again be an import.  Files are found and read by imports.c, names.c says which import brings
 * anything, and what a name in a file means is for resolve_global.c, so that nothing depends on
 * which file a name was written in.  A name that imports itself through other files has no value,
 * as in Python.
 */
#include "resolve.h"

enum { MAX_LOOKUPS = 64 };

static bool is_being_looked_up(const Lower *l, const FrontFile *f, Sym name)
{
    for (int i = 0; i < l->lookups.len; i++) {
        if (l->lookups.at[i].file == f && l->lookups.at[i].name == name)
            return true;
    }
    return false;
}

/* --- values --- */

static Val no_member_of_file(Lower *l, const FrontFile *f, Sym name, Span span)
{
    VEC(const char *) names = {0};
    const char *near;

    error_at(l, span, E_NO_FILE_MEMBER, f->source->shown, name);
    if (!hints_show(l))
        return val_unknown();
    for (int i = 0; i < f->nfuncs; i++) {
        if (!f->funcs[i]->scope)
            vec_push(l->arena, &names, f->funcs[i]->name);
    }
    for (int i = 0; i < f->nglobals; i++)
        vec_push(l->arena, &names, f->globals[i].name);
    near = near_name(name, names.at, names.len);
    if (near)
        hint_at(l, H_DID_YOU_MEAN, near);
    return val_unknown();
}

Val file_member(Lower *l, const FrontFile *file, Sym name, bool any, Span span)
{
    const Where w = {.file = file, .before = UINT32_MAX, .any = any, .is_member = true};
    bool again = is_being_looked_up(l, file, name); /* as by `from . import a` in a package */
    bool too_deep = l->lookups.len >= MAX_LOOKUPS;
    const FrontFile *submodule;
    Lookup lookup = {file, name};
    Val v = val_unknown();
    bool found = false;

    if (!again && !too_deep) {
        vec_push(l->arena, &l->lookups, lookup);
        found = value_at(l, &w, name, span, &v);
        l->lookups.len--;
    }
    submodule = found ? NULL : import_submodule(file, name);
    if (found || submodule)
        return found ? v : val_file(submodule);
    if (too_deep)
        return fail_val(l, span, E_IMPORT_HOPS, name, file->source->shown);
    return again ? fail_val(l, span, E_IMPORT_CYCLE, name, file->source->shown)
                 : no_member_of_file(l, file, name, span);
}

Val import_value(Lower *l, const Where *w, const AstImport *i, Span span)
{
    const Imported *m = NULL;
    Sym full;

    if (!module_is_known(i->module))
        m = import_module(w->file, i->module);
    if (m && m->file)
        return i->member ? file_member(l, m->file, i->member, w->any, span) : val_file(m->file);
    if (!i->member)
        return val_module(i->module);
    full = intern(l->interner, arena_printf(l->arena, "%s.%s", i->module, i->member));
    return module_is_known(full) ? val_module(full)
                                 : module_member(l, i->module, i->member, m, span);
}

bool star_value(Lower *l, const Where *w, Sym name, Span span, Val *out)
{
    const AstImport *found = import_star(w->file, name);

    if (found)
        *out = import_value(l, w, found, span);
    return found != NULL;
}

/* --- where it leads --- */

const FrontFile *imported_file(const FrontFile *from, const AstImport *i)
{
    const AstImport *good = import_that_resolves(from, i);

    if (!good || module_is_known(good->module))
        return NULL;
    from = import_module(from, good->module)->file;
    return good->member ? import_submodule(from, good->member) : from;
}

const AstGlobal *imported_global(const FrontFile *from, const AstImport *i)
{
    const AstGlobal *g = NULL;

    for (int hops = 0; i && !g && hops < MAX_LOOKUPS; hops++) {
        i = import_that_resolves(from, i);
        if (!i || !i->member || module_is_known(i->module))
            return NULL;
        from = import_module(from, i->module)->file;
        g = file_assigned(from, NULL, i->member, UINT32_MAX);
        i = file_import(from, i->member);
    }
    return g;
}

void hint_of_import(Lower *l, const Imported *module, const AstGlobal *global)
{
    if (module && module->is_missing)
        hint_at(l, H_IMPORT_NOT_FOUND, module->problem);
    else if (module && module->problem)
        hint_at(l, "%s", module->problem);
    else if (!global)
        hint_at(l, H_FOREIGN_IMPORT);
    if (global)
        hint_of_global(l, global);
}
