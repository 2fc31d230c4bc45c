/*
 * evaluate.c - expressions of the kernel's language, on the values of a moment
 *
 * There is no evaluator here: an expression becomes a kernel of a few lines behind the text of the
 * file, so that all names mean what they mean there.  Its parameters are the names that it uses: a
 * tile is an array that the kernel loads whole, pointers are offsets into the array of the launch,
 * so that accesses are checked.  The kernel runs on the interpreter, and its last op is where the
 * value is looked at, by name, as any other.  It runs as the program that stands there, in the grid
 * of the launch, so that tl.program_id and tl.num_programs mean what they mean there, too.
 *
 *     @__triton.jit
 *     def __print(x, __1, __2):
 *         v = __tl.reshape(__tl.load(__1 + __tl.arange(0, 32)), 4, 8)
 *         p = x + __tl.reshape(__tl.load(__2 + __tl.arange(0, 32)), 4, 8)
 *         __it = (
 *     v + tl.load(p)
 *         )
 */
#include <ctype.h>
#include <string.h>

#include "inside.h"

static const char kernel_name[] = "__print", value_name[] = "__it";

/* A kernel that was made; equal texts are one. */
typedef struct Evaluated {
    const char *text; /* behind that of the file */
    tilec_file *file;
} Evaluated;

/* One that is being made, and run. */
typedef struct {
    Debugger *d;
    Arena *arena;
    const Func *func; /* that the expression is about, and the call that was inlined there */
    int site;
    Text params, body;
    VEC(tilec_arg) args;
    int64_t one;
    DebugValue *out;
    const char *said;  /* the expression as it was typed, where arrays have other names in it */
    const char *wrong; /* the op that may not be in an expression; NULL: there is none */
    bool found;
} Making;

void evaluated_free(Debugger *d)
{
    for (int i = 0; i < d->evaluated.len; i++)
        tilec_unload(d->evaluated.at[i]->file);
}

/* --- the text --- */

static bool is_name_part(int c)
{
    return isalnum(c) || c == '_' || c >= 0x80;
}

/* Does the expression have the name, for itself?  In a text of it is one, too: that does no harm.
 */
static bool uses_name(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *s = strstr(text, name); s; s = strstr(s + 1, name)) {
        bool begins = s == text || (!is_name_part((unsigned char)s[-1]) && s[-1] != '.');
        if (begins && !is_name_part((unsigned char)s[n]))
            return true;
    }
    return false;
}

static const char *new_param(Making *m, tilec_arg arg, const char *annotation)
{
    if (!arg.name)
        arg.name = arena_printf(m->arena, "__%d", m->args.len);
    text_printf(&m->params, "%s%s%s", m->params.len ? ", " : "", arg.name, annotation);
    vec_push(m->arena, &m->args, arg);
    return arg.name;
}

/* The elements as an array, which a kernel can load. */
static const char *elements_param(Making *m, const DebugTile *t)
{
    int64_t *n = NEW(m->arena, int64_t);

    *n = 1;
    for (int i = 0; i < t->ndim; i++)
        *n *= t->shape[i];
    tilec_arg arg = {.kind = TILEC_ARG_TENSOR,
                     .tensor = {.data = (void *)(uintptr_t)t->data,
                                .dtype = (tilec_dtype)t->dtype,
                                .ndim = 1,
                                .shape = n,
                                .strides = &m->one}};
    return new_param(m, arg, "");
}

/* Which parameter an array of the launch is; a new one is called `__x`. */
static const char *tensor_param(Making *m, const DebugTile *t)
{
    const tilec_tensor *tensor = t->tensor;

    for (int i = 0; i < m->args.len; i++) {
        if (m->args.at[i].kind == TILEC_ARG_TENSOR && m->args.at[i].tensor.data == tensor->data &&
            m->args.at[i].tensor.dtype == tensor->dtype)
            return m->args.at[i].name;
    }
    return new_param(m,
                     (tilec_arg){.name = arena_printf(m->arena, "__%s", t->array),
                                 .kind = TILEC_ARG_TENSOR,
                                 .tensor = *tensor},
                     "");
}

/* Does the name still mean the array that was given for it? */
static bool is_array_itself(const DebugValue *v)
{
    const DebugTile *t = v->tiles;

    return !v->text && t->array && t->data && t->ndim == 0 && *(const int64_t *)t->data == 0 &&
           strcmp(t->array, v->name) == 0;
}

static void bind_array(Making *m, const DebugValue *v)
{
    tilec_arg arg = {.name = v->name, .kind = TILEC_ARG_TENSOR, .tensor = *v->tiles[0].tensor};

    new_param(m, arg, "");
}

/* An expression that loads it. */
static const char *loaded(Making *m, const DebugTile *t)
{
    const char *from = elements_param(m, t);
    Text e = text_new(m->arena);
    int64_t n = 1;

    if (t->array)
        text_printf(&e, "%s + ", tensor_param(m, t));
    if (t->ndim == 0) {
        text_printf(&e, "__tl.load(%s)", from);
        return e.s;
    }
    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    text_printf(&e, "__tl.reshape(__tl.load(%s + __tl.arange(0, %lld))", from, (long long)n);
    for (int i = 0; i < t->ndim; i++)
        text_printf(&e, ", %lld", (long long)t->shape[i]);
    text_put(&e, ")");
    return e.s;
}

/* An argument of the kernel that is compiled in stands for itself. */
static const tilec_arg *constant_arg(const Making *m, const char *name)
{
    const DebugLaunch *l = &m->d->launch;

    for (int i = 0; i < l->nargs; i++) {
        if (l->args[i].name && strcmp(l->args[i].name, name) == 0)
            return &l->args[i];
    }
    return NULL;
}

/* Why the name cannot be used; NULL. */
static const char *unusable(Making *m, const DebugValue *v)
{
    if (v->text && strstr(v->text, "..."))
        return arena_printf(m->arena, "`%s` has too many items to be used here", v->name);
    for (int i = 0; i < v->n; i++) {
        if (!v->tiles[i].data)
            return arena_printf(m->arena, "`%s` has no value here yet", v->name);
        if (v->tiles[i].array && !v->tiles[i].tensor)
            return arena_printf(m->arena, "`%s` points to no array of the launch", v->name);
    }
    return NULL;
}

/* A constant as it is written in a kernel. */
static const char *constant_text(Making *m, const char *text)
{
    static const char function[] = "function ";

    if (strncmp(text, function, sizeof function - 1) == 0)
        return text + sizeof function - 1;
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 || strcmp(text, "nan") == 0)
        return arena_printf(m->arena, "float('%s')", text);
    return text;
}

static void bind_name(Making *m, const DebugValue *v, bool is_kernel)
{
    const tilec_arg *arg = is_kernel && v->n == 0 ? constant_arg(m, v->name) : NULL;
    int tile = 0;

    if (arg) {
        new_param(m, *arg, ": __tl.constexpr");
        return;
    }
    if (v->n == 0) {
        text_printf(&m->body, "    %s: __tl.constexpr = %s\n", v->name, constant_text(m, v->text));
        return;
    }
    Text e = text_new(m->arena);
    if (!v->text)
        text_put(&e, loaded(m, &v->tiles[0]));
    for (const char *s = v->text; s && *s; s++) {
        if (*s == '%' && *++s == 'v')
            text_put(&e, loaded(m, &v->tiles[tile++]));
        else
            text_putn(&e, s, 1);
    }
    text_printf(&m->body, "    %s = %s\n", v->name, e.s);
}

/* `abs` is Python's, which kernels do not have, and people type: unless the file has one. */
static void bind_abs(Making *m, const DebugValues *names, const char *text)
{
    const Source *source = m->d->launch.file->source;
    bool is_known = uses_name(source->text, "abs");

    for (int i = 0; i < names->len; i++)
        is_known |= strcmp(names->at[i].name, "abs") == 0;
    if (uses_name(text, "abs") && !is_known)
        text_put(&m->body, "    abs: __tl.constexpr = __tl.abs\n");
}

/* --- running it --- */

static tilec_file *load(Making *m, const char *text, char **error)
{
    Debugger *d = m->d;
    const Source *source = d->launch.file->source;
    tilec_file *file = NULL;

    for (int i = 0; i < d->evaluated.len; i++) {
        if (strcmp(d->evaluated.at[i]->text, text) == 0)
            return d->evaluated.at[i]->file;
    }
    Text all = text_new(m->arena);
    text_putn(&all, source->text, source->len);
    text_put(&all, text);
    if (tilec_load(d->launch.file->ctx, source->path, all.s, all.len, d->launch.load, &file, error))
        return NULL;
    Evaluated *e = NEW(d->client->arena, Evaluated);
    *e = (Evaluated){arena_printf(d->client->arena, "%s", text), file};
    vec_push(d->client->arena, &d->evaluated, e);
    return file;
}

/* The elements, which the run that made them does not keep. */
static void copy_tile(DebugTile *t, Arena *a)
{
    size_t bytes = (size_t)dtype_size(t->dtype);

    for (int i = 0; i < t->ndim; i++)
        bytes *= (size_t)t->shape[i];
    if (t->data)
        t->data = memcpy(arena_alloc(a, bytes), t->data, bytes);
    t->mask = NULL;
}

/* In front of the last op of the kernel. */
static bool look_at_value(void *making, const InterpFrame *f, const Op *op)
{
    Making *m = making;
    const InterpPlace at = interp_place(f, op);

    m->wrong = ir_access(op).effect & WRITES ? op_info(op->code)->name : NULL;
    if (m->wrong)
        return false;
    if (!op_has(op, ENDS) || op->block->owner || !interp_func(f)->is_kernel)
        return true;
    DebugValues all = debug_names(m->d, &at, m->arena);
    for (int i = 0; i < all.len; i++) {
        if (strcmp(all.at[i].name, value_name) != 0)
            continue;
        *m->out = all.at[i];
        m->found = true;
        if (m->out->text)
            m->out->text = arena_printf(m->arena, "%s", m->out->text);
    }
    for (int i = 0; m->found && i < m->out->n; i++)
        copy_tile(&m->out->tiles[i], m->arena);
    return true;
}

/* A message about the part of an expression that begins at `at`, in its only line. */
static const char *at_place(Arena *a, const char *text, int at, const char *what)
{
    return arena_printf(a, "%s\n    %s\n    %*s^", what, text, at, "");
}

/* Why the text alone is none: the lines around it would be read as a part of it, or it as a part of
 * these.  NULL: it may be one. */
static const char *no_expression(Arena *a, const char *text)
{
    static const char opening[] = "([{", closing[] = ")]}";
    VEC(int) open = {0};

    for (const char *s = text; *s; s++) {
        const char *closes = strchr(closing, *s);

        if (*s == '#')
            return at_place(a, text, (int)(s - text), "a comment is no part of an expression");
        if (*s == '\'' || *s == '"')
            s = value_end_of_quotes(s) - 1;
        else if (strchr(opening, *s))
            vec_push(a, &open, (int)(s - text));
        else if (closes && open.len > 0 && text[open.at[open.len - 1]] == opening[closes - closing])
            open.len--;
        else if (closes)
            return at_place(a, text, (int)(s - text),
                            arena_printf(a, "nothing opens this `%c`", *s));
    }
    if (!text[strspn(text, " \t")])
        return "an expression is missing";
    if (open.len == 0)
        return NULL;
    int last = open.at[open.len - 1];
    return at_place(a, text, last, arena_printf(a, "this `%c` is never closed", text[last]));
}

/* Without the lines around the expression, which nobody has typed: what is wrong there is so with
 * all of it. */
static const char *unwrapped(Arena *a, const char *expression, const char *text)
{
    static const char *const frame[] = {"\n        __it = (\n", "\n        )\n"};
    static const char condition[] = "\n        if __it:\n",
                      missing[] = "expected an expression, found `)`";
    size_t n = strcspn(text, "\n");

    if (strncmp(text + n, condition, strlen(condition)) == 0)
        return arena_printf(a,
                            "%.*s\n    %s\nhint: tl.max(c), tl.min(c) or tl.sum(c) make one value "
                            "of a tile's, which a condition is",
                            (int)n, text, expression);
    if (strncmp(text + n, frame[0], strlen(frame[0])) != 0 &&
        strncmp(text + n, frame[1], strlen(frame[1])) != 0)
        return text;
    if (n == strlen(missing) && memcmp(text, missing, n) == 0)
        return at_place(a, expression, (int)strlen(expression),
                        "the expression is not complete: something is missing at its end");
    if (strncmp(text, "this `(` is never closed", n) == 0)
        return arena_printf(a, "`%s` is no expression", expression);
    return arena_strndup(a, text, n);
}

/* Of "`v` is not defined": where the function gives it a value that it does not have here. */
static const char *hint_for_name(const Making *m, const char *text)
{
    const Func *f = m->func;
    const char *name = text + (*text == '`');
    size_t n = strcspn(name, "`");

    for (int i = 0; i < f->marks.len; i++) {
        const Mark *mark = &f->marks.at[i];

        if (mark->site != m->site || !mark->name || strlen(mark->name) != n ||
            memcmp(mark->name, name, n) != 0)
            continue;
        return arena_printf(m->arena,
                            "\nhint: line %d gives `%s` its value, which it does not have here",
                            source_place(f->module->sources, mark->span.start).line, mark->name);
    }
    return "\nhint: `info` lists the names that mean something here";
}

/* A message that shows the expression as it was typed, without a place in what was made of it. */
static const char *with_pieces(const Making *m, const char *text)
{
    size_t n = strcspn(text, "\n"), end;

    if (!strstr(text, "__p") || strncmp(text + n, "\n    ", 5) != 0)
        return text;
    end = n + 1 + strcspn(text + n + 1, "\n");
    end += text[end] ? 1 + strcspn(text + end + 1, "\n") : 0;
    return arena_printf(m->arena, "%.*s\n    %s%s", (int)n, text, m->said, text + end);
}

/* The first thing that the library says, without its place, which is in no file.  Hints are for who
 * writes a kernel. */
static const char *told(const Making *m, char *error)
{
    Arena *a = m->arena;
    const char *begin = error ? strstr(error, "error: ") : NULL;
    const char *text = begin ? begin + strlen("error: ") : error ? error : "it has no value";
    const char *hint = strstr(text, "\nhint: "), *next = strstr(text, ": error: "),
               *note = strstr(text, ": note: ");
    const char *ours = strstr(text, "` is not defined\n") ? hint_for_name(m, text)
                       : strstr(text, "pointer<")
                           ? "\nhint: x[:] is what an array has, and x where it begins"
                           : NULL;
    size_t n = strlen(text);

    n = hint && ours ? MIN(n, (size_t)(hint - text)) : n;
    next = note && (!next || note < next) ? note : next;
    for (n = next ? MIN(n, (size_t)(next - text)) : n; next && n > 0 && text[n - 1] != '\n';)
        n--;
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text = arena_printf(a, "%.*s%s", (int)n, text, ours ? ours : "");
    tilec_free(error);
    return unwrapped(a, m->said, with_pieces(m, text));
}

static bool run(Making *m, tilec_file *file, int64_t first, int64_t last, char **error)
{
    const InterpObserver observer = {.ctx = m, .keeps_values = true, .op = look_at_value};
    const Observed observed = {.observer = &observer, .first = first, .last = last};

    return api_launch_observed(file, kernel_name, m->d->launch.grid, m->args.at, m->args.len, NULL,
                               &observed, error) == TILEC_OK;
}

/* Of the expression on these names, with `behind` behind it; NULL: *why it cannot be. */
static const char *kernel_text(Making *m, const DebugValues *known, bool is_kernel,
                               const char *text, const char *behind, const char **why)
{
    DebugValues names = {0};

    *why = no_expression(m->arena, text);
    if (*why)
        return NULL;
    for (int i = 0; i < known->len; i++)
        vec_push(m->arena, &names, known->at[i]);
    m->said = text;
    text = pieces_taken(m->d, known, text, m->arena, &names, why);
    if (!text)
        return NULL;
    m->params = m->body = text_new(m->arena);
    text_put(&m->body, "");
    text_put(&m->params, "");
    for (int i = 0; i < names.len; i++) {
        const DebugValue *v = &names.at[i];
        if (!uses_name(text, v->name))
            continue;
        *why = unusable(m, v);
        if (*why)
            return NULL;
        if (is_array_itself(v))
            bind_array(m, v);
    }
    for (int i = 0; i < names.len; i++) {
        if (uses_name(text, names.at[i].name) && !is_array_itself(&names.at[i]))
            bind_name(m, &names.at[i], is_kernel);
    }
    bind_abs(m, &names, text);
    return arena_printf(m->arena,
                        "\n\nimport triton as __triton\nimport triton.language as __tl\n"
                        "@__triton.jit\ndef %s(%s):\n%s    %s = (\n%s\n    )\n%s",
                        kernel_name, m->params.s, m->body.s, value_name, text, behind);
}

bool debug_evaluate(Debugger *d, const InterpPlace *at, const char *text, Arena *a, DebugValue *out,
                    const char **why)
{
    Making m = {.d = d, .arena = a, .one = 1, .out = out};
    DebugValues names = debug_names(d, at, a);
    InterpPlace outer = *at;
    char *error = NULL;

    m.func = interp_func(at->frame);
    m.site = at->site;
    const char *kernel = kernel_text(&m, &names, !interp_caller(&outer), text, "", why);
    if (!kernel)
        return false;
    tilec_file *file = load(&m, kernel, &error);
    int64_t program = debug_program_number(d, interp_program(at->frame));
    if (file && run(&m, file, program, program + 1, &error) && m.found)
        return true;
    *why = told(&m, error);
    if (m.wrong)
        *why = arena_printf(a, "an expression changes no array, which its `%s` would", m.wrong);
    return false;
}

/* It is compiled on what has the types of the values there, and no program runs. */
const char *evaluate_unfit(Debugger *d, const Func *f, int mark, const char *text,
                           bool is_condition, Arena *a)
{
    const int site = f->marks.at[mark].site;
    DebugValues names = names_at_statement(d, f, mark, a);
    Making m = {.d = d, .arena = a, .func = f, .site = site, .one = 1};
    bool is_kernel = f->is_kernel && !call_site(f->module, site);
    const char *behind = is_condition ? "    if __it:\n        pass\n" : "", *why = NULL;
    const char *kernel = kernel_text(&m, &names, is_kernel, text, behind, &why);
    char *error = NULL;

    if (!kernel)
        return no_expression(a, text); /* what else is wrong may be so of these values alone */
    tilec_file *file = load(&m, kernel, &error);
    if (file && run(&m, file, 0, 0, &error))
        return NULL;
    return told(&m, error);
}
