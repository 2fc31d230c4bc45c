/*
 * names.c - whether an import brings anything, and what a name of another file is bound by
 *
 * Nothing is evaluated here but __all__.  The lowering asks under the lock of the file that was
 * loaded.  Launches evaluate heuristics without one: what these may name is followed while the file
 * is loaded, and stays in AstImport.file, which nobody else sets.
 */
#include <string.h>

#include "file_python.h"

enum {
    MAX_EXPORTS = 10000, /* the budget of evaluating __all__ */
    MAX_HOPS = 64        /* imports of imports */
};

static bool is_star(const AstImport *i)
{
    return strcmp(i->name, "*") == 0;
}

static bool has_member(const FrontFile *f, Sym name);

static bool import_resolves(const FrontFile *from, const AstImport *i)
{
    const Imported *m;

    if (from->set->language->module_is_known(i->module))
        return !i->member || from->set->language->module_has(i->module, i->member);
    m = import_module(from, i->module);
    return m->file && (!i->member || has_member(m->file, i->member));
}

const AstImport *import_that_resolves(const FrontFile *from, const AstImport *i)
{
    while (i && !import_resolves(from, i))
        i = i->other;
    return i;
}

/* `if there: import project.tile as t` and `else: t = None`: what the import brings is meant, and
 * so it is where the others stand in an `except` block. */
bool import_goes_first(const FrontFile *f, Sym name)
{
    const AstFunc *fn = file_find(f, name);
    const AstGlobal *g = file_assigned(f, NULL, name, UINT32_MAX);

    if (!file_import(f, name) || (fn && !fn->in_except) || (g && g->file->is_given))
        return false;
    while (g && g->choice)
        g = g->earlier;
    return !g || g->in_except;
}

/* --- import * --- */

static void export_all(FrontFile *f, const Const *list)
{
    const Const *items;
    int n;

    if (!const_items(list, &items, &n))
        return;
    for (int i = 0; i < n; i++) {
        if (items[i].kind == CONST_STRING)
            map_put(f->exports, MAP_KEY(intern_n(f->interner, items[i].text, items[i].ntext)), f);
    }
}

/* Evaluate __all__ and what is added to it. */
static void read_exports(FrontFile *f)
{
    FilePython context = {.file = f};
    Py p = file_python(&context, f->arena, MAX_EXPORTS);
    const AstGlobal *all = file_assigned(f, NULL, intern(f->interner, "__all__"), UINT32_MAX);
    Const list;

    f->has_exports = all != NULL;
    f->exports = map_new(f->arena);
    p.is_silent = true;
    for (; all && f->has_exports; all = all->earlier) {
        f->has_exports = py_eval(&p, all->is_augmented ? all->value->right : all->value, &list);
        if (f->has_exports)
            export_all(f, &list);
    }
}

/* What `from FILE import *` may bring: what __all__ says, or all that does not begin with `_`. */
static bool is_exported(FrontFile *f, Sym name)
{
    if (!f->exports)
        read_exports(f);
    return f->has_exports ? map_get(f->exports, MAP_KEY(name)) != NULL : name[0] != '_';
}

static bool star_brings(const FrontFile *f, const AstImport *star, Sym name)
{
    FrontFile *of;

    if (f->set->language->module_is_known(star->module))
        return name[0] != '_' && f->set->language->module_has(star->module, name);
    of = import_module(f, star->module)->file;
    return of && has_member(of, name) && is_exported(of, name);
}

/* The last one counts. */
static AstImport *find_star(const FrontFile *f, Sym name)
{
    AstImport *found = NEW(f->arena, AstImport);

    for (int i = f->nimports - 1; i >= 0; i--) {
        if (!is_star(&f->imports[i]) || !star_brings(f, &f->imports[i], name))
            continue;
        *found = f->imports[i];
        found->name = found->member = name;
        found->other = NULL;
        return found;
    }
    return found;
}

const AstImport *import_star(const FrontFile *f, Sym name)
{
    AstImport *known;

    if (!file_import(f, intern(f->interner, "*")))
        return NULL;
    known = map_get(f->stars, MAP_KEY(name));
    if (!known)
        map_put(f->stars, MAP_KEY(name), known = find_star(f, name));
    return known->name ? known : NULL;
}

/* --- members --- */

static bool is_bound(const FrontFile *f, Sym name)
{
    return file_member_function(f, name) || file_assigned(f, NULL, name, UINT32_MAX) ||
           file_class(f, NULL, name) || import_that_resolves(f, file_import(f, name)) ||
           import_star(f, name) || import_submodule(f, name);
}

/* As other files see it.  Each answer is kept: files that import all of each other would ask
 * without end. */
static bool has_member(const FrontFile *f, Sym name)
{
    static char yes, no;
    const char *known = map_get(f->members, MAP_KEY(name));

    if (known)
        return known == &yes;
    map_put(f->members, MAP_KEY(name), &no); /* what imports itself is nothing */
    if (f->set->hops < MAX_HOPS) {
        f->set->hops++;
        if (is_bound(f, name))
            map_put(f->members, MAP_KEY(name), &yes);
        f->set->hops--;
    }
    return map_get(f->members, MAP_KEY(name)) == &yes;
}

/* --- following names ahead --- */

/* What an import of `f` leads to in the end. */
static void set_target(FrontFile *f, AstImport *import, const AstImport *good)
{
    FrontFile *file = f->set->language->module_is_known(good->module)
                          ? NULL
                          : import_module(f, good->module)->file;
    const AstImport *next;
    Sym member = good->member;

    if (!file) {
        import->full =
            member ? arena_printf(f->arena, "%s.%s", good->module, member) : good->module;
        return;
    }
    next = member ? import_follow(file, member) : NULL;
    if (next) {
        import->file = next->file;
        import->target = next->target;
        import->full = next->full;
    } else if (!member || file_find(file, member) || file_class(file, NULL, member) ||
               file_assigned(file, NULL, member, UINT32_MAX)) {
        import->file = file;
        import->target = member;
    } else {
        import->file = import_submodule(file, member);
    }
}

/* What `import *` brings, as an import that stands in the file. */
static AstImport *add_star(FrontFile *f, Sym name)
{
    const AstImport *star = NULL;
    AstImport *added;

    if (!file_global(f, name) && !file_find(f, name) && !py_builtin(name))
        star = import_star(f, name);
    if (!star)
        return NULL;
    added = NEW(f->arena, AstImport);
    *added = *star;
    map_put(f->import_of, MAP_KEY(name), added);
    return added;
}

/* Is all that is assigned to the name added to what was imported? */
static bool is_added_to(const FrontFile *f, Sym name)
{
    const AstGlobal *g = file_assigned(f, NULL, name, UINT32_MAX);

    while (g && g->is_augmented)
        g = g->earlier;
    return !g;
}

const AstImport *import_follow(FrontFile *f, Sym name)
{
    AstImport *first = map_get(f->import_of, MAP_KEY(name));
    const AstImport *good;

    if (!first)
        first = add_star(f, name);
    if (!first || !(import_goes_first(f, name) || is_added_to(f, name)))
        return NULL;
    if (!first->is_followed) { /* `from . import a` in a package may come back here */
        first->is_followed = true;
        good = f->set->hops < MAX_HOPS ? import_that_resolves(f, first) : NULL;
        f->set->hops++;
        if (good)
            set_target(f, first, good);
        f->set->hops--;
    }
    return first->file || first->full ? first : NULL;
}

/* --- functions that a launch names --- */

static bool is_for_kernels(const AstFunc *fn)
{
    return fn && (fn->is_jit || fn->is_constexpr_function);
}

static bool find_by_path(const FrontFile *f, const char *path, ImportedFunction *out);

/* What the import stands for, and `rest` of it: ".b.c" or "". */
static bool follow_path(const FrontFile *f, const AstImport *i, const char *rest,
                        ImportedFunction *out)
{
    const Language *language = f->set->language;
    const char *full = arena_printf(f->arena, "%s%s%s%s", i->module, i->member ? "." : "",
                                    i->member ? i->member : "", rest);
    const char *dot = strrchr(full, '.');
    FrontFile *file;

    if (language->module_is_known(i->module)) {
        Sym module = dot ? intern_n(f->interner, full, (size_t)(dot - full)) : NULL;
        out->language = full;
        return module && language->module_is_known(module) &&
               language->module_has(module, intern(f->interner, dot + 1));
    }
    file = import_module(f, i->module)->file;
    if (!file)
        return false;
    if (!i->member)
        return rest[0] == '.' && find_by_path(file, rest + 1, out);
    if (find_by_path(file, arena_printf(f->arena, "%s%s", i->member, rest), out))
        return true;
    file = import_submodule(file, i->member);
    return file && rest[0] == '.' && find_by_path(file, rest + 1, out);
}

static bool find_by_path(const FrontFile *f, const char *path, ImportedFunction *out)
{
    size_t n = strcspn(path, ".");
    Sym first = intern_n(f->interner, path, n);
    const AstImport *import;
    bool found;

    out->def = path[n] ? NULL : file_member_function(f, first);
    if (is_for_kernels(out->def))
        return true;
    import = import_that_resolves(f, file_import(f, first));
    if (!import)
        import = import_star(f, first);
    if (!import || f->set->hops >= MAX_HOPS)
        return false;
    f->set->hops++;
    found = follow_path(f, import, path + n, out);
    f->set->hops--;
    return found;
}

bool import_function(const FrontFile *f, const char *path, ImportedFunction *out)
{
    *out = (ImportedFunction){0};
    return find_by_path(f, path, out);
}
