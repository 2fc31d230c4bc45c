/*
 * lower_import.c - what imports bring (semantics R2, R4, R6)
 *
 * An import stands for a module of the language, or for another file and what is bound there, which
 * may again be an import.  Files are found and read by imports.c; what a name in one means is for
 * lower_global.c, so that nothing depends on which file a name was written in.  A name that imports
 * itself through other files has no value, as in Python.
 */
#include <string.h>

#include "lower.h"

enum { MAX_LOOKUPS = 64 };

/* --- does it bring anything? --- */

static bool is_star(const AstImport *i)
{
    return strcmp(i->name, "*") == 0;
}

/* A member of one of the language's modules. */
static bool language_has(Lower *l, Sym module, Sym member, Span span)
{
    int errors = l->quiet_errors;

    l->quiet++;
    module_member(l, module, member, NULL, span);
    l->quiet--;
    return errors == l->quiet_errors;
}

static bool file_has(Lower *l, const FrontFile *f, Sym name);

static bool import_resolves(Lower *l, const FrontFile *from, const AstImport *i)
{
    const Imported *m;

    if (module_is_known(i->module))
        return !i->member || language_has(l, i->module, i->member, i->span);
    m = import_module(from, i->module);
    return m->file && (!i->member || file_has(l, m->file, i->member));
}

const AstImport *import_that_resolves(Lower *l, const FrontFile *from, const AstImport *i)
{
    while (i && !import_resolves(l, from, i))
        i = i->other;
    return i;
}

/* What `from FILE import *` may bring: what __all__ says, or all that does not begin with `_`. */
static bool is_exported(Lower *l, const FrontFile *f, Sym name)
{
    Sym all = intern(l->interner, "__all__");
    Val v = val_unknown();

    if (file_assigned(f, NULL, all, UINT32_MAX)) {
        l->quiet++;
        v = file_member(l, f, all, true, (Span){0});
        l->quiet--;
    }
    for (int i = 0; v.kind == VAL_TUPLE && i < v.tuple->n; i++)
        if (val_is_const(v.tuple->items[i], CONST_STRING) &&
            strcmp(v.tuple->items[i].c->text, name) == 0)
            return true;
    return v.kind != VAL_TUPLE && name[0] != '_';
}

/* The last `import *` that brings the name. */
static const AstImport *find_star(Lower *l, const FrontFile *f, Sym name)
{
    for (int i = f->nimports - 1; i >= 0; i--) {
        const AstImport *import = &f->imports[i];
        const FrontFile *of;

        if (!is_star(import))
            continue;
        if (module_is_known(import->module)) {
            if (name[0] != '_' && language_has(l, import->module, name, import->span))
                return import;
            continue;
        }
        of = import_module(f, import->module)->file;
        if (of && file_has(l, of, name) && is_exported(l, of, name))
            return import;
    }
    return NULL;
}

static bool is_being_looked_up(const Lower *l, const FrontFile *f, Sym name)
{
    for (int i = 0; i < l->lookups.len; i++)
        if (l->lookups.at[i].file == f && l->lookups.at[i].name == name)
            return true;
    return l->lookups.len >= MAX_LOOKUPS;
}

static bool is_bound(Lower *l, const FrontFile *f, Sym name)
{
    return file_member_function(f, name) || file_assigned(f, NULL, name, UINT32_MAX) ||
           import_that_resolves(l, f, file_import(f, name)) || find_star(l, f, name) ||
           import_submodule(f, name);
}

/* Each answer is kept: files that import all of each other would ask without end. */
static bool file_has(Lower *l, const FrontFile *f, Sym name)
{
    static const char yes, no;
    uint64_t key = MAP_KEY(intern(l->keys, arena_printf(l->arena, "%p.%s", (const void *)f, name)));
    const char *known = map_get(l->members, key);

    if (known)
        return known == &yes;
    map_put(l->members, key, (void *)&no); /* what imports itself is nothing */
    if (is_bound(l, f, name))
        map_put(l->members, key, (void *)&yes);
    return map_get(l->members, key) == &yes;
}

/* --- values --- */

static Val no_member_of_file(Lower *l, const FrontFile *f, Sym name, Span span)
{
    VEC(const char *) names = {0};
    const char *near;

    error_at(l, span, E_NO_FILE_MEMBER, f->source->path, name);
    if (!hints_show(l))
        return val_unknown();
    for (int i = 0; i < f->nfuncs; i++)
        if (!f->funcs[i]->scope)
            vec_push(l->arena, &names, f->funcs[i]->name);
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
    const FrontFile *submodule;
    Lookup lookup = {file, name};
    Val v = val_unknown();
    bool found;

    if (is_being_looked_up(l, file, name))
        return fail_val(l, span, E_IMPORT_CYCLE, name, file->source->path);
    vec_push(l->arena, &l->lookups, lookup);
    found = value_at(l, &w, name, span, &v);
    l->lookups.len--;
    if (found)
        return v;
    submodule = import_submodule(file, name);
    return submodule ? val_file(submodule) : no_member_of_file(l, file, name, span);
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
    const AstImport *found = find_star(l, w->file, name);
    AstImport import;

    if (!found)
        return false;
    import = *found;
    import.member = name;
    *out = import_value(l, w, &import, span);
    return true;
}

/* --- where it leads --- */

const FrontFile *imported_file(Lower *l, const FrontFile *from, const AstImport *i)
{
    const AstImport *good = import_that_resolves(l, from, i);

    if (!good || module_is_known(good->module))
        return NULL;
    from = import_module(from, good->module)->file;
    return good->member ? import_submodule(from, good->member) : from;
}

const AstGlobal *imported_global(Lower *l, const FrontFile *from, const AstImport *i)
{
    const AstGlobal *g = NULL;

    for (int hops = 0; i && !g && hops < MAX_LOOKUPS; hops++) {
        i = import_that_resolves(l, from, i);
        if (!i || !i->member || module_is_known(i->module))
            return NULL;
        from = import_module(from, i->module)->file;
        g = file_assigned(from, NULL, i->member, UINT32_MAX);
        i = file_import(from, i->member);
    }
    return g;
}

void hint_of_import(Lower *l, const Imported *module, const char *global)
{
    if (module && module->is_missing)
        hint_at(l, H_IMPORT_NOT_FOUND, module->problem);
    else if (module && module->problem)
        hint_at(l, "%s", module->problem);
    else if (!global)
        hint_at(l, H_FOREIGN_IMPORT);
    if (global)
        hint_at(l, H_GLOBAL_UNKNOWN, global);
}
