/*
 * example_text.c - the first draft of a kernel's call, and drafts as words of a command
 *
 * Every dimension gets the same extent at first, so that it does not matter which size bounds which
 * of them, and blocks as many elements, so that kernels without masks work.
 */
#include "example.h"

#include <ctype.h>
#include <string.h>

enum {
    FLAT = 65536,
    FLAT_BLOCK = 1024,
    EXTENT = 64,
    SMALL_EXTENT = 16,
    LEAST_EXTENT = 8,
    GROUPS = 8
};

static const char *name_of(const Maker *m, int i)
{
    return m->of.f->params[i].name;
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

    return MIN(MAX(p->ntile, factors + (p->has_unit || factors == 0)), EXAMPLE_DIMS);
}

/* --- the first draft --- */

/* One element: its address is the pointer itself. */
static bool is_scalar(const GuessedParam *p)
{
    return p->ntile == 0 && p->nstrides + p->constants == 0 && !p->has_unit;
}

static Fill fill_of(const GuessedParam *p)
{
    if (p->is_mask)
        return FILL_MASK;
    if (p->is_lock || p->is_atomic)
        return FILL_ZEROS;
    if (!p->is_loaded)
        return FILL_EMPTY;
    if (p->is_target || (p->has_next && (p->is_index || p->is_length)))
        return FILL_ARANGE;
    if (p->is_length && !p->is_index)
        return FILL_FULL;
    return p->is_index || p->is_integer ? FILL_RANDINT : FILL_RANDN;
}

static const char *dtype_of(const GuessedParam *p)
{
    if (p->is_lock || p->is_index || p->is_integer)
        return p->is_loaded || p->is_lock || !p->dtype ? "i32" : p->dtype;
    return p->is_loaded || !p->dtype ? "fp32" : p->dtype;
}

static DraftArgument array_draft(const Maker *m, int extent, int i)
{
    const GuessedParam *p = &m->guess->at[i];
    DraftArgument a = {.fill = fill_of(p), .dtype = dtype_of(p), .ndims = dimensions(p)};

    for (int d = 0; d < a.ndims; d++)
        a.dims[d] = is_scalar(p) ? 1 : extent;
    a.dims[a.ndims - 1] *= MAX(p->scale, 1);
    if (a.fill == FILL_ARANGE && p->has_next)
        a.dims[a.ndims - 1]++;
    return a;
}

static Draft draft_of(const Maker *m, int extent, int block)
{
    Draft d = {.args = NEW_N(m->c->arena, DraftArgument, m->guess->n + 1),
               .extent = extent,
               .block = block};
    tilec_param p;

    for (int i = 0; i < m->guess->n; i++) {
        if (m->guess->at[i].is_pointer)
            d.args[i] = array_draft(m, extent, i);
        d.args[i].is_left_out =
            tilec_param_info(m->of.file, m->of.kernel, i, &p) == TILEC_OK && p.has_default;
    }
    return d;
}

Draft draft_new(const Maker *m)
{
    int extent = m->is_deep ? SMALL_EXTENT : EXTENT;

    return m->is_flat ? draft_of(m, FLAT, FLAT_BLOCK) : draft_of(m, extent, extent);
}

Draft draft_small(const Maker *m)
{
    int extent = m->is_deep ? LEAST_EXTENT : SMALL_EXTENT;

    return m->is_flat ? draft_of(m, EXTENT * SMALL_EXTENT, EXTENT) : draft_of(m, extent, extent);
}

Draft draft_copy(const Maker *m, const Draft *from)
{
    Draft d = *from;

    d.args = NEW_N(m->c->arena, DraftArgument, m->guess->n + 1);
    memcpy(d.args, from->args, sizeof *d.args * (size_t)m->guess->n);
    return d;
}

int64_t draft_numel(const DraftArgument *a)
{
    int64_t n = 1;

    for (int d = 0; d < a->ndims; d++)
        n *= a->dims[d];
    return n;
}

/* --- arrays --- */

static const char *shape_text(const Maker *m, const DraftArgument *a)
{
    Text t = text_new(m->c->arena);

    for (int d = 0; d < a->ndims; d++)
        text_printf(&t, "%s%lld", d ? "x" : "", (long long)a->dims[d]);
    return t.s;
}

/* descriptor(randn(fp32,64x64),(BM,BN)) of numbers: the constants may come later. */
static const char *descriptor_text(const Maker *m, const Draft *draft, int i)
{
    const GuessedParam *p = &m->guess->at[i];
    const DraftArgument *a = &draft->args[i];
    Text t = text_new(m->c->arena);

    text_printf(&t, "descriptor(%s(%s,%s),(", p->is_loaded ? "randn" : "empty", a->dtype,
                shape_text(m, a));
    for (int d = 0; d < p->ntile; d++)
        text_printf(&t, "%s%d", d ? "," : "", draft->block);
    text_put(&t, p->ntile == 1 ? ",))" : "))");
    return t.s;
}

static const char *array_text(const Maker *m, const Draft *draft, int i)
{
    const DraftArgument *a = &draft->args[i];
    static const char *const formats[] = {
        [FILL_RANDN] = "randn(%s,%s)",     [FILL_RANDINT] = "randint(%s,%s,0,%d)",
        [FILL_ARANGE] = "arange(%s,%s)",   [FILL_FULL] = "full(%s,%s,%d)",
        [FILL_ZEROS] = "zeros(%s,%s)",     [FILL_EMPTY] = "empty(%s,%s)",
        [FILL_MASK] = "randint(%s,%s,0,2)"};

    if (m->guess->at[i].ntile > 0)
        return descriptor_text(m, draft, i);
    if (a->fill == FILL_NONE)
        return "None";
    return arena_printf(m->c->arena, formats[a->fill], a->fill == FILL_MASK ? "i1" : a->dtype,
                        shape_text(m, a), draft->extent);
}

/* --- numbers --- */

/* x.stride(0), for the array that it is a stride of; NULL: of none. */
static const char *stride_text(const Maker *m, const Draft *draft, int i)
{
    for (int k = 0; k < m->guess->n; k++) {
        const GuessedParam *p = &m->guess->at[k];
        const DraftArgument *a = &draft->args[k];

        for (int d = 0; p->is_pointer && a->fill != FILL_NONE && d < MIN(p->nstrides, a->ndims);
             d++) {
            int64_t stride = 1;

            if (p->strides[d] != i)
                continue;
            if (k < i && !a->is_left_out)
                return arena_printf(m->c->arena, "%s.stride(%d)", name_of(m, k), d);
            for (int rest = d + 1; rest < a->ndims; rest++)
                stride *= a->dims[rest];
            return arena_printf(m->c->arena, "%lld", (long long)stride);
        }
    }
    return NULL;
}

/* Can x.numel() stand for the size?  Better of an array whose masks depend on it. */
static bool counts(const Maker *m, const Draft *draft, int k, int size, bool bounded)
{
    const GuessedParam *p = &m->guess->at[k];
    const DraftArgument *a = &draft->args[k];

    if (!p->is_pointer || a->fill == FILL_NONE || a->is_left_out || a->ndims != 1 ||
        a->dims[0] != (int64_t)draft->extent * MAX(p->scale, 1))
        return false;
    for (int s = 0; s < p->nsizes && bounded; s++) {
        if (p->sizes[s] == size)
            return true;
    }
    return !bounded;
}

static const char *size_text(const Maker *m, const Draft *draft, int i)
{
    for (int bounded = 1; bounded >= 0 && m->is_flat; bounded--) {
        for (int k = 0; k < i; k++) {
            int scale = m->guess->at[k].scale;

            if (counts(m, draft, k, i, bounded))
                return arena_printf(m->c->arena, scale > 1 ? "%s.numel()//%d" : "%s.numel()",
                                    name_of(m, k), scale);
        }
    }
    return arena_printf(m->c->arena, "%d", draft->extent);
}

static const char *number_text(const Maker *m, const Draft *draft, int i)
{
    const GuessedParam *p = &m->guess->at[i];
    const char *stride = p->is_size ? NULL : stride_text(m, draft, i);

    if (stride)
        return stride;
    if (p->is_mark)
        return "-1";
    if (p->is_size || p->is_factor)
        return size_text(m, draft, i);
    if (is_called(m, i, "stride") || !p->is_used)
        return "1";
    if (is_called(m, i, "seed"))
        return "42";
    if (is_called(m, i, "eps"))
        return "1e-5";
    if (is_called(m, i, "n_|num|count|len|size|rows|cols|columns|dim|total"))
        return size_text(m, draft, i);
    if (p->is_whole || is_called(m, i, "idx|index|offset|step|start|shift|pad|dilation"))
        return "1";
    return "0.5";
}

static const char *constant_text(const Maker *m, const Draft *draft, int i)
{
    const GuessedParam *p = &m->guess->at[i];

    if (p->text)
        return arena_printf(m->c->arena, "'%s'", p->text);
    if (p->is_unrolled)
        return "2";
    if (p->choice && !p->is_extent)
        return arena_printf(m->c->arena, "%d", p->choice);
    if (p->is_extent)
        return arena_printf(m->c->arena, "%d", draft->block);
    if (is_called(m, i, "group"))
        return arena_printf(m->c->arena, "%d", GROUPS);
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
    if (p->is_size || p->is_factor || is_called(m, i, "block|tile|chunk|size|dim"))
        return arena_printf(m->c->arena, "%d", draft->block);
    return p->is_number || !p->is_used ? "1" : "False";
}

static const char *value_text(const Maker *m, const Draft *draft, int i)
{
    const DraftArgument *a = &draft->args[i];

    if (a->is_left_out)
        return NULL;
    if (m->guess->at[i].is_pointer)
        return array_text(m, draft, i);
    if (a->text)
        return a->text;
    return m->of.f->params[i].is_constexpr ? constant_text(m, draft, i) : number_text(m, draft, i);
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
        if (!m->of.f->params[i].is_constexpr && axis-- >= 0)
            found = i;
    }
    return found;
}

/* cdiv(n,BLOCK) of programs that take a tile each, where no place is compared with a size. */
static const char *blocks_text(const Maker *m, const Draft *draft, int axis)
{
    int block = m->guess->axes[axis].block, size = size_of_block(m, block, axis);

    if (size < 0)
        return arena_printf(m->c->arena, "cdiv(%d,%s)", draft->extent, name_of(m, block));
    return arena_printf(m->c->arena, "cdiv(%s,%s)", name_of(m, size), name_of(m, block));
}

/* cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N), of programs that take their places from one number. */
static const char *product_text(const Maker *m, const GuessedAxis *axis)
{
    Text t = text_new(m->c->arena);

    for (int i = 0; i < axis->ntiles; i++) {
        const GuessedTile *tile = &axis->tiles[i];

        text_put(&t, i ? "*" : "");
        if (tile->block >= 0)
            text_printf(&t, "cdiv(%s,%s)", tile->size, name_of(m, tile->block));
        else
            text_put(&t, tile->size);
    }
    return t.s;
}

static const char *axis_text(const Maker *m, const Draft *draft, int i)
{
    const GuessedAxis *axis = &m->guess->axes[i];

    if (!axis->is_used)
        return "1";
    if (axis->ntiles > 0)
        return product_text(m, axis);
    if (axis->part)
        return arena_printf(m->c->arena, "%d*%s", draft->extent, axis->part);
    if (axis->block >= 0)
        return blocks_text(m, draft, i);
    return arena_printf(m->c->arena, "%d", draft->extent);
}

static const char *grid_text(const Maker *m, const Draft *d)
{
    Text t = text_new(m->c->arena);
    int n = 3;

    while (n > 1 && !m->guess->axes[n - 1].is_used)
        n--;
    for (int axis = 0; axis < n; axis++)
        text_printf(&t, "%s%s", axis ? "," : "",
                    d->grid[axis] ? d->grid[axis] : axis_text(m, d, axis));
    return t.s;
}

Example draft_example(const Maker *m, const Draft *d)
{
    Example e = {.guess = *m->guess, .values = NEW_N(m->c->arena, const char *, m->guess->n + 1)};

    for (int i = 0; i < m->guess->n; i++)
        e.values[i] = value_text(m, d, i);
    e.grid = grid_text(m, d);
    return e;
}

Maker maker_new(Client *c, const ExampleHost *host, const ExampleOf *of, const Guess *guess)
{
    Maker m = {.c = c, .host = host, .of = *of, .guess = guess};
    int most = 0, tiles = 0; /* dimensions of arrays and of tiles */
    int axes = 0;            /* of the grid */
    bool has_rows = false;   /* programs that are not counted in blocks */

    for (int i = 0; i < guess->n; i++)
        tiles += of->f->params[i].is_constexpr && guess->at[i].is_extent;
    for (int i = 0; i < guess->n; i++)
        most = MAX(most, guess->at[i].is_pointer ? dimensions(&guess->at[i]) : 0);
    for (int i = 0; i < 3; i++) {
        has_rows |= guess->axes[i].is_used && guess->axes[i].block < 0;
        axes += guess->axes[i].is_used + (guess->axes[i].is_used && guess->axes[i].part);
    }
    m.is_flat = most <= 1 && tiles <= 1 && !has_rows;
    m.is_deep = MAX(MAX(most, tiles), axes + 1) > 3;
    return m;
}
