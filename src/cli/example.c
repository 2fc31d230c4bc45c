/*
 * example.c - a call of a kernel that can be copied, made of what guess.c says
 *
 * Every dimension gets the same extent, so that it does not matter which size bounds which of them,
 * and blocks as many elements, so that kernels without masks work.  What is made runs once in the
 * interpreter with every access checked; where it reaches outside of its arrays larger ones are
 * tried, and of those only what was written is kept.
 */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 4, FLAT = 65536, FLAT_BLOCK = 1024, ROUNDS = 3, LARGEST = 1 << 22 };

typedef struct {
    Cli *c;
    const AstFunc *f;
    const char *kernel;
    const Guess *guess;
    int extent, block; /* of every dimension; of tiles */
    bool is_flat;      /* no array has more than one dimension */
    int round;         /* 0: arrays with dimensions; then ever larger ones without */
} Maker;

static const char *name_of(const Maker *m, int i)
{
    return m->f->params[i].name;
}

static bool is_constexpr(const Maker *m, int i)
{
    return m->f->params[i].is_constexpr;
}

/* Is one of the words, which `|` divides, a part of the name?  Case does not matter. */
static bool is_called(const Maker *m, int i, const char *words)
{
    char lower[64];
    size_t n = 0;

    for (const char *s = name_of(m, i); *s && n + 1 < sizeof lower; s++)
        lower[n++] = (char)tolower((unsigned char)*s);
    lower[n] = '\0';
    for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|') {
        const char *word = arena_strndup(m->c->arena, w, strcspn(w, "|"));

        if (strstr(lower, word))
            return true;
    }
    return false;
}

/* Where parameters say what the strides are, constants are rather blocks of programs. */
static int dimensions(const GuessedParam *p)
{
    int factors = p->nstrides ? p->nstrides : p->constants;

    return MIN(MAX(p->ntile, factors + (p->has_unit || factors == 0)), MOST_DIMS);
}

/* --- arrays --- */

static long power(long base, int n)
{
    return n <= 0 ? 1 : base * power(base, n - 1);
}

static const char *shape_text(const Maker *m, const GuessedParam *p)
{
    int n = dimensions(p);
    Text t = text_new(m->c->arena);

    if (m->round > 0)
        return arena_printf(
            m->c->arena, "%ld",
            MIN(LARGEST, power(m->extent, MAX(n, 2) + m->round - 1) * MAX(p->scale, 8)));
    for (int d = 0; d < n - 1; d++)
        text_printf(&t, "%dx", m->extent);
    text_printf(&t, "%d", m->extent * MAX(p->scale, 1));
    return t.s;
}

/* descriptor(randn(fp32,64x64),(BM,BN)) of numbers: the constants may come later. */
static const char *descriptor_text(const Maker *m, const GuessedParam *p)
{
    Text t = text_new(m->c->arena);

    text_put(&t, p->is_loaded ? "descriptor(randn(fp32," : "descriptor(empty(fp32,");
    for (int d = 0; d < p->ntile; d++)
        text_printf(&t, "%s%d", d ? "x" : "", m->extent);
    text_put(&t, "),(");
    for (int d = 0; d < p->ntile; d++)
        text_printf(&t, "%s%d", d ? "," : "", m->block);
    text_put(&t, p->ntile == 1 ? ",))" : "))");
    return t.s;
}

static const char *array_text(const Maker *m, int i)
{
    const GuessedParam *p = &m->guess->at[i];
    const char *shape = shape_text(m, p);

    if (p->ntile > 0)
        return descriptor_text(m, p);
    if (p->is_mask)
        return arena_printf(m->c->arena, "randint(i1,%s,0,2)", shape);
    if (p->is_index || p->is_integer)
        return arena_printf(m->c->arena, "randint(i32,%s,0,%d)", shape, m->extent);
    if (p->is_lock || p->is_atomic)
        return arena_printf(m->c->arena, "zeros(%s,%s)", p->is_lock ? "i32" : "fp32", shape);
    if (!p->is_loaded)
        return arena_printf(m->c->arena, "empty(fp32,%s)", shape);
    return arena_printf(m->c->arena, "randn(fp32,%s)", shape);
}

/* --- numbers --- */

/* x.stride(0), for the array that it is a stride of; NULL: of none. */
static const char *stride_text(const Maker *m, int i)
{
    for (int k = 0; k < m->guess->n; k++) {
        const GuessedParam *p = &m->guess->at[k];

        for (int d = 0; p->is_pointer && d < p->nstrides; d++) {
            if (p->strides[d] != i)
                continue;
            if (m->round > 0)
                return arena_printf(m->c->arena, "%ld", power(m->extent, dimensions(p) - 1 - d));
            return arena_printf(m->c->arena, k < i ? "%s.stride(%d)" : "%s", name_of(m, k), d);
        }
    }
    return NULL;
}

static const char *size_text(const Maker *m, int i)
{
    for (int k = 0; k < i && m->is_flat && m->round == 0; k++) {
        int scale = m->guess->at[k].scale;

        if (m->guess->at[k].is_pointer)
            return arena_printf(m->c->arena, scale > 1 ? "%s.numel()//%d" : "%s.numel()",
                                name_of(m, k), scale);
    }
    return arena_printf(m->c->arena, "%d", m->extent);
}

static const char *number_text(const Maker *m, int i)
{
    const GuessedParam *p = &m->guess->at[i];
    const char *stride = p->is_size ? NULL : stride_text(m, i);

    if (stride)
        return stride;
    if (p->is_size || p->is_factor)
        return size_text(m, i);
    if (is_called(m, i, "stride") || !p->is_used)
        return "1";
    if (is_called(m, i, "seed"))
        return "42";
    if (is_called(m, i, "eps"))
        return "1e-5";
    if (is_called(m, i, "n_|num|count|len|size|rows|cols|columns|dim|total"))
        return size_text(m, i);
    if (p->is_whole || is_called(m, i, "idx|index|offset|step|start|shift|pad|dilation"))
        return "1";
    return "0.5";
}

static const char *constant_text(const Maker *m, int i)
{
    const GuessedParam *p = &m->guess->at[i];

    if (p->text)
        return arena_printf(m->c->arena, "'%s'", p->text);
    if (p->is_unrolled)
        return "2";
    if (p->choice && !p->is_extent)
        return arena_printf(m->c->arena, "%d", p->choice);
    if (is_called(m, i, "group"))
        return "8";
    if (is_called(m, i, "stage|warp"))
        return "2";
    if (is_called(m, i, "is_|has_|use_|with_|even"))
        return "False";
    if (is_called(m, i, "dtype"))
        return "fp32";
    if (is_called(m, i, "precision"))
        return "'ieee'";
    if (is_called(m, i, "axis"))
        return "0";
    if (p->is_extent || p->is_size || p->is_factor || is_called(m, i, "block|tile|chunk|size|dim"))
        return arena_printf(m->c->arena, "%d", m->block);
    return "False";
}

static const char *value_text(const Maker *m, int i)
{
    tilec_param p;

    if (tilec_param_info(m->c->file, m->kernel, i, &p) == TILEC_OK && p.has_default)
        return NULL;
    if (m->guess->at[i].is_pointer)
        return array_text(m, i);
    return is_constexpr(m, i) ? constant_text(m, i) : number_text(m, i);
}

/* --- the grid --- */

static bool same_letters(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

/* What a block is of, by its name: M of BLOCK_M and BLOCK_SIZE_M, H of BH; "" */
static const char *subject_of(const char *block)
{
    const char *last = strrchr(block, '_');

    if (last)
        return last + 1;
    return tolower((unsigned char)block[0]) == 'b' && strlen(block) == 2 ? block + 1 : "";
}

/* The size that a block divides, by its name, else the one that is as far behind the first one as
 * the axis is; -1: none. */
static int size_of_block(const Maker *m, int block, int axis)
{
    int found = -1;

    for (int i = 0; i < m->guess->n; i++) {
        if (!m->guess->at[i].is_size || m->guess->at[i].is_pointer || i == block)
            continue;
        if (same_letters(subject_of(name_of(m, block)), name_of(m, i)))
            return i;
        if (!is_constexpr(m, i) && axis-- >= 0)
            found = i;
    }
    return found;
}

static const char *tiles_text(const Maker *m, int block, int size)
{
    if (size < 0)
        return arena_printf(m->c->arena, "cdiv(%d,%s)", m->extent, name_of(m, block));
    return arena_printf(m->c->arena, "cdiv(%s,%s)", name_of(m, size), name_of(m, block));
}

/* cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N), of a kernel that takes its place in two dimensions from one
 * number; NULL: there are no two of that kind. */
static const char *product_text(const Maker *m)
{
    const char *tiles[2];
    int n = 0;

    for (int i = 0; i < m->guess->n && n < 2; i++) {
        const char *last = strrchr(name_of(m, i), '_');

        if (is_constexpr(m, i) && is_called(m, i, "block") && last &&
            (strcmp(last, "_M") == 0 || strcmp(last, "_N") == 0))
            tiles[n] = tiles_text(m, i, size_of_block(m, i, n)), n++;
    }
    return n == 2 ? arena_printf(m->c->arena, "%s*%s", tiles[0], tiles[1]) : NULL;
}

static const char *axis_text(const Maker *m, int axis)
{
    const char *text = m->guess->axes[axis].is_split ? product_text(m) : NULL;

    if (text)
        return text;
    if (!m->guess->axes[axis].is_used)
        return "1";
    int block = m->guess->axes[axis].block, size = m->guess->axes[axis].size;

    if (block >= 0)
        return tiles_text(m, block, size >= 0 ? size : size_of_block(m, block, axis));
    if (size >= 0)
        return name_of(m, size);
    return arena_printf(m->c->arena, "%d", m->extent);
}

static const char *grid_text(const Maker *m)
{
    Text t = text_new(m->c->arena);
    int n = 3;

    while (n > 1 && !m->guess->axes[n - 1].is_used)
        n--;
    for (int axis = 0; axis < n; axis++)
        text_printf(&t, "%s%s", axis ? "," : "", axis_text(m, axis));
    return t.s;
}

/* --- trying --- */

/* What has gone well so long is taken to go on so. */
static int is_enough(void *unused, const tilec_progress *progress)
{
    (void)unused;
    return progress->seconds > 0.2;
}

/* A trial, which is over in a process of its own. */
typedef struct {
    Options options;
    Text found; /* "=", and of each array "NAME=N ", up to which element it was written */
} Attempt;

/* Behind the last element that is not as array_fill_unwritten() leaves it. */
static int64_t written_extent(Cli *c, const Array *a)
{
    Array one = array_new(c, a->dtype, 1, (int64_t[]){1});
    size_t size = tilec_dtype_size(a->dtype);
    int64_t n = array_numel(a);

    array_fill_unwritten(&one);
    while (n > 0 && memcmp((char *)a->data + (size_t)(n - 1) * size, one.data, size) == 0)
        n--;
    return n;
}

static void run_once(Cli *c, void *context)
{
    Attempt *t = context;
    char *error = NULL;
    tilec_status status;
    Call k;

    call_init(&k, c, &t->options);
    k.silent = true;
    call_open(&k);
    call_evaluate(&k);
    k.options.launch.on_progress = is_enough;
    status = tilec_launch(c->file, k.options.kernel, k.timing.grid, k.args.args, k.args.count,
                          &k.options.launch, &error);
    if (status != TILEC_CANCELLED)
        check(c, status, &error);
    tilec_free(error);
    text_put(&t->found, "=");
    for (int i = 0; i < k.args.names.len && status == TILEC_OK; i++) {
        const Array *a = value_array(&k.args.names.at[i].value);

        if (a && a->ndim == 1)
            text_printf(&t->found, "%s=%lld ", k.args.names.at[i].name,
                        (long long)written_extent(c, a));
    }
}

/* What it found, or the first line of why it does not run; ends with the process. */
static const char *find_problem(Cli *c, void *context)
{
    const Attempt *t = context;

    if (attempt(c, run_once, context))
        return t->found.s;
    return arena_strndup(c->arena, c->trouble, strcspn(c->trouble, "\n"));
}

/* Sets e->problem; gives what was found where there is none. */
static const char *try_example(const Maker *m, const char *path, Example *e)
{
    enum { MOST_SECONDS = 2 };
    Cli *c = m->c;
    Attempt t = {.options = {.file = path, .kernel = m->kernel, .grid = e->grid},
                 .found = text_new(c->arena)};
    const char *said;

    t.options.launch.device = "interp";
    t.options.launch.check = 1;
    for (int i = 0; i < m->guess->n; i++) {
        const ArgText arg = {.name = name_of(m, i), .text = e->values[i]};

        if (arg.text)
            vec_push(c->arena, &t.options.args, arg);
    }
    trial_run(c, MOST_SECONDS, find_problem, &t, &said);
    e->problem = said && *said == '=' ? NULL : said;
    return said && *said == '=' ? said + 1 : "";
}

/* --- what was not written --- */

/* N of "NAME=N " in what a trial found; 0: nothing is known. */
static long long found_extent(const char *found, const char *name)
{
    size_t n = strlen(name);

    for (const char *s = found; *s; s += strcspn(s, " ") + 1) {
        if (strncmp(s, name, n) == 0 && s[n] == '=')
            return strtoll(s + n + 1, NULL, 10);
    }
    return 0;
}

/* Does another value, or the grid, ask for the array? */
static bool is_asked(const Maker *m, const Example *e, int i)
{
    const char *dot = arena_printf(m->c->arena, "%s.", name_of(m, i));
    bool asked = strstr(e->grid, dot) != NULL;

    for (int k = 0; k < m->guess->n && !asked; k++)
        asked = e->values[k] && strncmp(e->values[k], dot, strlen(dot)) == 0;
    return asked;
}

/* Cut what is only written behind the last element that was; false: there is nothing to cut. */
static bool cut_outputs(const Maker *m, const char *found, Example *e)
{
    static const char empty[] = "empty(fp32,";
    bool cut = false;

    for (int i = 0; i < m->guess->n; i++) {
        const char *text = e->values[i] ? e->values[i] : "";
        long long n = found_extent(found, name_of(m, i));

        if (strncmp(text, empty, strlen(empty)) != 0 || strchr(text, 'x') || n == 0 ||
            n >= strtoll(text + strlen(empty), NULL, 10) || is_asked(m, e, i))
            continue;
        e->values[i] = arena_printf(m->c->arena, "%s%lld)", empty, n);
        cut = true;
    }
    return cut;
}

static Example make(const Maker *m)
{
    Example e = {.guess = *m->guess, .values = NEW_N(m->c->arena, const char *, m->guess->n + 1)};

    for (int i = 0; i < m->guess->n; i++)
        e.values[i] = value_text(m, i);
    e.grid = grid_text(m);
    return e;
}

static Maker maker_new(Cli *c, const char *kernel, const AstFunc *f, const Guess *guess)
{
    Maker m = {.c = c, .f = f, .kernel = kernel, .guess = guess};
    int most = 0, tiles = 0; /* dimensions of arrays and of tiles */
    bool has_rows = false;   /* programs that are not counted in blocks */

    for (int i = 0; i < guess->n; i++)
        tiles += f->params[i].is_constexpr && guess->at[i].is_extent;
    for (int i = 0; i < guess->n; i++)
        most = MAX(most, guess->at[i].is_pointer ? dimensions(&guess->at[i]) : 0);
    for (int i = 0; i < 3; i++)
        has_rows |= guess->axes[i].is_used && guess->axes[i].block < 0;
    m.is_flat = most <= 1 && tiles <= 1 && !has_rows;
    m.extent = m.is_flat ? FLAT : MAX(most, tiles) > 3 ? 16 : 64;
    m.block = m.is_flat ? FLAT_BLOCK : m.extent;
    return m;
}

Example example_of(Cli *c, const char *path, const char *kernel, const Functions *functions,
                   const AstFunc *f)
{
    const Guess guess = guess_kernel(c, functions, f);
    Maker m = maker_new(c, kernel, f, &guess);
    Example first = make(&m), e = first;
    const char *found = try_example(&m, path, &e);

    first.problem = e.problem;
    for (m.round = 1; m.round < ROUNDS && e.problem && strstr(e.problem, "outside of"); m.round++) {
        e = make(&m);
        found = try_example(&m, path, &e);
    }
    if (e.problem)
        return first;
    first = e;
    first.values = NEW_N(c->arena, const char *, guess.n + 1);
    memcpy(first.values, e.values, sizeof *e.values * (size_t)guess.n);
    if (cut_outputs(&m, found, &e))
        try_example(&m, path, &e);
    return e.problem ? first : e;
}
