/*
 * names.c - names of Python's as C and C++ take them
 *
 * A kernel's parameter becomes one of C functions in a header, which programs include behind any
 * others.  Where its name may be something else there a `_` is put behind it: a word of the
 * languages, from C99 to C23 and from C++17 to C++26; a macro of the system's headers, all of which
 * begin with a capital or are listed here; a type, which ends in `_t`; a name of the header's own.
 * The function itself must have a name that nobody has taken, since programs call it.
 */
#include "aot.h"

#include <ctype.h>
#include <string.h>

static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class co_await"
    " co_return co_yield compl concept const const_cast consteval constexpr constinit continue"
    " contract_assert decltype default delete do double dynamic_cast else enum explicit export"
    " extern false float for friend goto if inline int long mutable namespace new noexcept not"
    " not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires"
    " restrict return short signed sizeof static static_assert static_cast struct switch template"
    " this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned"
    " using virtual void volatile while xor xor_eq ";

/* Macros that begin with a small letter and are used without arguments: of C's headers, POSIX's and
 * Linux's, and of compilers. */
static const char macros[] =
    " complex d_fileno errno h_addr h_errno i386 imaginary linux math_errhandling no_argument"
    " noreturn optional_argument required_argument s6_addr s6_addr16 s6_addr32 sched_priority"
    " stderr stdin stdout unix ";
static const char *const macro_families[] = {"atomic_", "sa_", "si_", "sigev_", "st_"};

/* Is it in a list of words, each between blanks? */
static bool is_word_of(const char *words, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    }
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    size_t n = strlen(name), m = strlen(with);

    return n >= m && strcmp(name + n - m, with) == 0;
}

static bool is_identifier(const char *s)
{
    size_t n = 0;

    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n > 0 && !s[n] && !isdigit((unsigned char)s[0]);
}

/* --- parameters --- */

static bool may_be_macro(const char *name)
{
    for (int i = 0; i < COUNT(macro_families); i++) {
        if (begins(name, macro_families[i]))
            return true;
    }
    return isupper((unsigned char)name[0]) || name[0] == '_' || is_word_of(macros, name);
}

/* Is it a function of the object? */
static bool is_of_object(const AotHeader *h, const char *name)
{
    bool is = h->level && strcmp(h->level, name) == 0;

    for (int i = 0; i < h->nforms; i++)
        is |= strcmp(h->forms[i].symbol, name) == 0;
    return is;
}

/* Is it a name of the header's own, which copies arguments with memcpy()? */
static bool is_of_header(const AotHeader *h, const char *name)
{
    size_t n = strlen(h->function);
    bool is_made = strncmp(name, h->function, n) == 0 && name[n] == '_'; /* k_range, k_1 */

    return is_made || begins(name, "tilec_") || strcmp(name, "memcpy") == 0 ||
           is_of_object(h, name);
}

/* Does a parameter have the name, in Python or, of those that have one there, in C? */
static bool is_parameter(const AotHeader *h, const char *name)
{
    for (int i = 0; i < h->nparams; i++) {
        const AotParam *p = &h->params[i];
        if (strcmp(p->name, name) == 0 || (p->c_name && strcmp(p->c_name, name) == 0))
            return true;
    }
    return false;
}

/* A parameter's name, other than those that parameters in front of it have. */
static const char *c_name(const AotHeader *h, const char *name)
{
    if (!is_word_of(keywords, name) && !may_be_macro(name) && !ends(name, "_t") &&
        !is_of_header(h, name))
        return name;
    do
        name = arena_printf(h->arena, "%s_", name);
    while (is_parameter(h, name));
    return name;
}

const char *aot_name_params(AotHeader *h)
{
    for (int i = 0; i < h->nparams; i++) {
        AotParam *p = &h->params[i];

        if (!is_identifier(p->name))
            return arena_printf(h->arena, "the parameter '%s' has no name that C takes", p->name);
        p->c_name = c_name(h, p->name);
    }
    return NULL;
}

/* --- the function --- */

static bool is_between(const char *name, const char *const *first, int nfirst,
                       const char *const *last, int nlast)
{
    bool is_first = false, is_last = false;

    for (int i = 0; i < nfirst; i++)
        is_first |= begins(name, first[i]);
    for (int i = 0; i < nlast; i++)
        is_last |= ends(name, last[i]);
    return is_first && is_last;
}

/* A type or a limit of the headers that ours includes: int_fast8_t, SIZE_MAX, NULL. */
static bool is_of_numbers(const char *name)
{
    static const char *const whole[] = {"int", "uint"}, *const type[] = {"_t"};
    static const char *const limited[] = {"INT",   "UINT",   "PTRDIFF_", "SIG_ATOMIC_",
                                          "SIZE_", "WCHAR_", "WINT_"};
    static const char *const limits[] = {"_C", "_MAX", "_MIN", "_WIDTH"};

    return is_between(name, whole, COUNT(whole), type, COUNT(type)) ||
           is_between(name, limited, COUNT(limited), limits, COUNT(limits)) ||
           is_word_of(" NULL size_t ssize_t ptrdiff_t wchar_t char8_t char16_t char32_t locale_t ",
                      name);
}

/* Does the C library that is here have a function or variable of that name? */
static bool is_of_library(const char *name)
{
    const char *error;
    void *lib = os_load_library("libm.so.6", &error); /* with the one that it needs, libc */

    return lib && os_library_symbol(lib, name);
}

/* NULL, or what has taken the name of a function. */
static const char *taken_by(const char *name)
{
    if (strcmp(name, "main") == 0)
        return "every program has a function of that name";
    if (is_word_of(keywords, name))
        return "it is a word of C or C++";
    if (is_word_of(macros, name) || is_of_numbers(name))
        return "C's headers define it";
    if (begins(name, "tilec_") || begins(name, "__") ||
        (name[0] == '_' && isupper((unsigned char)name[1])))
        return "names that begin like that are kept for others";
    return is_of_library(name) ? "the C library has one" : NULL;
}

const char *aot_name_problem(Arena *a, const char *name)
{
    const char *why = is_identifier(name) ? taken_by(name) : "it has other signs than C's";

    return why ? arena_printf(a, "'%s' cannot be the name of a function in C: %s", name, why)
               : NULL;
}
