/*
 * random_maps.h - random kernels that map elements of arrays to elements, in the Triton language,
 * for random_source.h
 *
 * Each lane has a row and a column: parts of a flat index, of a tile of rows and columns, or of a
 * program's row along which a loop goes.  Loads take what lies there and beside it, moved and
 * clamped, wrapped, mirrored, turned or masked, with any strides, zero among them, from windows of
 * fixed or counted extents.  Results are stored apart, over what was loaded, or added up by atomics
 * where rows and columns say.
 */
#ifndef TILEC_TEST_RANDOM_MAPS_H
#define TILEC_TEST_RANDOM_MAPS_H

#include "random_writer.h"

typedef enum { FLAT, TILED, ROWS, FORMS } Form;

typedef struct {
    Writer *w;
    Form form;
    int64_t rows, columns; /* parameters H and W */
    int rank, block[2];
    bool exact;   /* no lane is beyond the end */
    bool indexed; /* `ri` is a row that memory says */
    int names;
} Mapping;

static inline const char *map_shape(const Mapping *m, char *to, size_t size)
{
    snprintf(to, size, m->rank == 2 ? "(%d, %d)" : "(%d,)", m->block[0], m->block[1]);
    return to;
}

/* A coordinate of `of` ("r" or "c") that is `shift` (a text) away, as text; whether it may be
 * beyond the ends, which the mask must then say. */
static inline bool coordinate(Mapping *m, const char *of, const char *shift, char *to, size_t size)
{
    const char *end = of[0] == 'r' ? "H" : "W";

    if (m->indexed && of[0] == 'r' && one_of(m->w, 2)) {
        snprintf(to, size, one_of(m->w, 4) ? "tl.minimum(ri + 1, H - 1)" : "ri");
        return false;
    }

    switch (pick(m->w, 12)) {
    case 0:
    case 1:
    case 2:
        snprintf(to, size, "%s", of);
        return false;
    case 3:
        snprintf(to, size, "tl.minimum(tl.maximum(%s + %s, 0), %s - 1)", of, shift, end);
        return false;
    case 4:
        snprintf(to, size, "tl.maximum(tl.minimum(%s + %s, %s - 1), 0)", of, shift, end);
        return false;
    case 5:
        snprintf(to, size, "(%s + %s + 8 * %s) %% %s", of, shift, end, end);
        return false;
    case 6:
        snprintf(to, size, "(%s - 1 - %s)", end, of);
        return false;
    case 7:
        snprintf(to, size, "tl.minimum(tl.abs(%s + %s), %s - 1)", of, shift, end);
        return false;
    case 8:
        snprintf(to, size, "%s // 2", of);
        return false;
    case 9:
        snprintf(to, size, "tl.where(%s + %s < 0, 0, tl.where(%s + %s >= %s, %s - 1, %s + %s))", of,
                 shift, of, shift, end, end, of, shift);
        return false;
    default:
        snprintf(to, size, "(%s + %s)", of, shift);
        return true;
    }
}

static inline void declare_strides(Mapping *m, const char *name, tilec_dtype t)
{
    static const int columns[] = {1, 1, 1, 1, 2, 3, 0}, more[] = {0, 0, 0, 1, 5, 16};
    int64_t sc = PICK(m->w, columns),
            sr = one_of(m->w, 8) ? pick(m->w, 2) : m->columns * MAX(sc, 1) + PICK(m->w, more);
    char text[SOURCE_NAME];

    if (one_of(m->w, 6)) { /* columns side by side in memory */
        sc = m->rows + PICK(m->w, more);
        sr = 1;
    }
    array(m->w, name, t, sr * (m->rows - 1) + sc * (m->columns - 1) + 1, one_of(m->w, 3));
    snprintf(text, sizeof text, "r%s", name);
    integer(m->w, text, sr);
    snprintf(text, sizeof text, "c%s", name);
    integer(m->w, text, sc);
}

/* Names row `r`, column `c` and, where there may be lanes beyond the end, `inside`. */
static inline void place_lanes(Mapping *m)
{
    static const char *const flat_rows[] = {"r = f // W", "r = f // W", "r = (f // W) % H",
                                            "r = f // W % H"};
    Writer *w = m->w;
    const char *wide = one_of(w, 6) ? ".to(tl.int64)" : "";

    switch (m->form) {
    case FLAT:
        if (m->rank == 1)
            line(w, "f = tl.program_id(0)%s * %d + tl.arange(0, %d)", wide, m->block[0],
                 m->block[0]);
        else
            line(w,
                 "f = tl.program_id(0)%s * %d + tl.arange(0, %d)[:, None] * %d + tl.arange(0, "
                 "%d)[None, :]",
                 wide, m->block[0] * m->block[1], m->block[0], m->block[1], m->block[1]);
        line(w, "%s", PICK(w, flat_rows));
        line(w, one_of(w, 4) ? "c = f - f // W * W" : "c = f %% W");
        line(w, one_of(w, 2) ? "inside = f < n" : "inside = f < H * W");
        break;
    case TILED:
        line(w, "r = (tl.program_id(0)%s * %d + tl.arange(0, %d))[:, None]", wide, m->block[0],
             m->block[0]);
        line(w, "c = (tl.program_id(1) * %d + tl.arange(0, %d))[None, :]", m->block[1],
             m->block[1]);
        line(w, "inside = (r < H) & (c < W)");
        break;
    default:
        line(w, "r = tl.program_id(0)%s", wide);
        if (one_of(w, 4))
            line(w, "for k in range((W - 1) // %d, -1, -1):", m->block[0]);
        else
            for_loop(w, "k", "tl.cdiv(W, BLOCK)");
        w->depth = 2;
        line(w, "c = k * %d + tl.arange(0, %d)", m->block[0], m->block[0]);
        line(w, "inside = c < W");
    }
}

/* One load, moved by `shift`; its name is `x` with a number. */
static inline int one_load(Mapping *m, const char *array_name, tilec_dtype t, const char *shift_r,
                           const char *shift_c)
{
    char r[200] = "r", c[200] = "c", mask[300] = "";
    bool masks_r = coordinate(m, "r", shift_r, r, sizeof r),
         masks_c = coordinate(m, "c", shift_c, c, sizeof c);
    int name = m->names++;
    Writer *w = m->w;

    if (strcmp(r, "r") != 0)
        line(w, "r%d = %s", name, r);
    if (strcmp(c, "c") != 0)
        line(w, "c%d = %s", name, c);
    snprintf(r, sizeof r, strcmp(r, "r") != 0 ? "r%d" : "r", name);
    snprintf(c, sizeof c, strcmp(c, "c") != 0 ? "c%d" : "c", name);
    if (!m->exact)
        snprintf(mask, sizeof mask, "inside");
    if (masks_r)
        snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "%s(%s >= 0) & (%s < H)",
                 mask[0] ? " & " : "", r, r);
    if (masks_c)
        snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "%s(%s < W) & (%s >= 0)",
                 mask[0] ? " & " : "", c, c);
    line(w, "x%d = tl.load(%s + %s * r%s + %s * c%s%s%s%s)%s", name, array_name, r, array_name, c,
         array_name, mask[0] ? ", mask=" : "", mask,
         !mask[0] || one_of(w, 2) ? ""
         : one_of(w, 2)           ? ", other=0"
                                  : ", other=3",
         is_fp8(t) ? ".to(tl.float16)" : "");
    return name;
}

static inline void write_map(Writer *w)
{
    static const tilec_dtype types[] = {TILEC_FP32, TILEC_FP32, TILEC_FP16, TILEC_BF16,
                                        TILEC_I8,   TILEC_I32,  TILEC_U8,   TILEC_I16,
                                        TILEC_FP64, TILEC_I64,  TILEC_FP8E5},
                             used[] = {TILEC_FP32, TILEC_FP32, TILEC_I32,
                                       TILEC_FP64, TILEC_I64,  TILEC_FP16},
                             outs[] = {TILEC_FP32, TILEC_FP16, TILEC_BF16,
                                       TILEC_I32,  TILEC_FP64, TILEC_I16};
    static const int blocks[] = {1,   2,   8,   16,  32,  64,   100, 128,
                                 128, 256, 256, 512, 781, 1024, 2048},
                     rows[] = {1, 2, 4, 7, 8, 16, 32}, columns[] = {1, 4, 8, 16, 32, 48, 64, 128},
                     widths[] = {1, 2, 3, 7, 8, 16, 31, 32, 33, 64, 100, 128, 129, 250};
    static const char *const shifts[] = {"0", "1", "-1", "2", "-3", "d", "-d", "16"};
    Mapping m = {.w = w, .form = (Form)pick(w, FORMS)};
    RandomSource *s = w->s;
    char shape[24];

    m.rows = 1 + pick(w, 20);
    m.columns = PICK(w, widths);
    m.rank = m.form == TILED || (m.form == FLAT && one_of(w, 4)) ? 2 : 1;
    m.block[0] = m.rank == 2 ? PICK(w, rows) : PICK(w, blocks);
    m.block[1] = m.rank == 2 ? PICK(w, columns) : 1;
    if (one_of(w, 2)) { /* what fills blocks */
        m.columns = m.form == ROWS   ? m.block[0] * (1 + pick(w, 2))
                    : m.block[1] > 1 ? m.block[1]
                                     : 64;
        m.rows = m.form == TILED ? m.block[0] * 2 : m.form == FLAT ? m.block[0] * 2 : m.rows;
        m.exact = !one_of(w, 4);
        if (m.rows * m.columns > 60000) {
            m.exact = false;
            m.rows = 3;
        }
    }
    tilec_dtype t[3], in = PICK(w, used), out = PICK(w, outs);

    static const char *const names[] = {"a", "b", "e"};
    int count = 1 + pick(w, 3);
    bool in_place = one_of(w, 5);
    for (int i = 0; i < count; i++) {
        t[i] = PICK(w, types);
        declare_strides(&m, names[i], t[i]);
    }
    /* the result's rows and columns are apart, in either order */
    int64_t gap = pick(w, 3), sc = 1, sr = m.columns + gap;
    bool turned = !in_place && one_of(w, 4);
    if (turned) {
        sc = m.rows + gap;
        sr = 1;
    }
    array(w, "z", out, sr * (m.rows - 1) + sc * (m.columns - 1) + 1, one_of(w, 3));
    bool same = in_place && one_of(w, 2);
    if (same)
        same_array(w, "y");
    integer(w, "rz", sr);
    integer(w, "cz", sc);
    bool adds = !in_place && one_of(w, 3);
    static const tilec_dtype sums[] = {TILEC_I32, TILEC_FP32, TILEC_I32, TILEC_FP64};
    tilec_dtype sum = PICK(w, sums);
    if (adds) {
        array(w, "sum", sum, m.rows * m.columns + 200, one_of(w, 3));
        s->arrays[s->narrays - 1].is_sum = true;
    }
    for (int i = 0; i < count; i++)
        in = in == TILEC_FP16 && t[i] == TILEC_U8 ? TILEC_FP32 : in;
    array(w, "per", PICK(w, types), MAX(m.columns, m.rows), one_of(w, 3));
    bool per_fp8 = is_fp8(s->arrays[s->narrays - 1].dtype);
    m.indexed = one_of(w, 3) && m.rows >= 4;
    if (m.indexed) {
        array(w, "ix", one_of(w, 3) ? TILEC_I64 : TILEC_I32, m.rows, one_of(w, 3));
        s->arrays[s->narrays - 1].is_index = true;
    }
    integer(w, "H", m.rows);
    integer(w, "W", m.columns);
    integer(w, "n", m.rows * m.columns);
    integer(w, "d", 1 + pick(w, 5));
    head(w);
    s->grid[0] = (int32_t)(m.form == FLAT ? (m.rows * m.columns + m.block[0] * m.block[1] - 1) /
                                                (m.block[0] * m.block[1])
                           : m.form == TILED ? (m.rows + m.block[0] - 1) / m.block[0]
                                             : m.rows);
    if (m.form == TILED)
        s->grid[1] = (int32_t)((m.columns + m.block[1] - 1) / m.block[1]);
    if (m.form == ROWS)
        line(w, "BLOCK: tl.constexpr = %d", m.block[0]);
    place_lanes(&m);
    const char *as = type_word(in);
    if (m.indexed)
        line(w, "ri = tl.load(ix + (r + c * 0)%s%s)", m.exact ? "" : ", mask=inside",
             m.exact || one_of(w, 2) ? "" : ", other=0");
    line(w, "v = tl.zeros(%s, %s)", map_shape(&m, shape, sizeof shape), as);
    if (in_place)
        line(w, "v += tl.load(%s + r * rz + c * cz%s).to(%s)", same ? "y" : "z",
             m.exact ? "" : ", mask=inside", as);
    int loads = 1 + pick(w, 4);
    for (int i = 0; i < loads; i++) {
        static const char *const ways[] = {"v = v + x%d.to(%s)", "v = tl.maximum(v, x%d.to(%s))",
                                           "v = v - x%d.to(%s)", "v = tl.minimum(v, x%d.to(%s))"};
        const char *way = PICK(w, ways);
        int which = pick(w, count);
        if (one_of(w, 4)) { /* a window */
            int extent = 2 + pick(w, 3), depth = w->depth;
            bool is_static = one_of(w, 2);
            line(w, is_static ? "for i in tl.static_range(%d):" : "for i in range(%d):", extent);
            w->depth++;
            if (one_of(w, 2)) {
                line(w,
                     is_static ? "for j in tl.static_range(%d):" : "for j in range(%d):", extent);
                w->depth++;
                line(w, way, one_load(&m, names[which], t[which], "i - 1", "j - 1"), as);
            } else {
                bool of_rows = one_of(w, 2);
                line(w, way,
                     one_load(&m, names[which], t[which], of_rows ? "(i - 1)" : "0",
                              of_rows ? "0" : "(i - 1)"),
                     as);
            }
            w->depth = depth;
        } else {
            line(w, way, one_load(&m, names[which], t[which], PICK(w, shifts), PICK(w, shifts)),
                 as);
        }
    }
    if (one_of(w, 3))
        line(w, "v = v + tl.load(per + %s%s)%s.to(%s)", m.form == ROWS || one_of(w, 2) ? "c" : "r",
             m.exact ? "" : ", mask=inside", per_fp8 ? ".to(tl.float16)" : "", as);
    if (one_of(w, 4))
        line(w, "v = tl.where((c + r) %% 2 == 0, v, -v)");
    if (m.form == ROWS && one_of(w, 3))
        line(w, "v = v - tl.max(v, 0)");
    if (adds) {
        static const char *const where[] = {"r",
                                            "c",
                                            "r * W + c",
                                            "c // 2",
                                            "(r + c)",
                                            "f // d",
                                            "f % 7",
                                            "tl.abs(v.to(tl.int32)) & 127",
                                            "r * 2 + c % 2"};
        const char *at = m.indexed && one_of(w, 2) ? "ri * W + c" : PICK(w, where);
        if (at[0] == 'f' && m.form != FLAT)
            at = "r * W + c";
        const char *spread =
            m.rank == 1 && m.form == ROWS && at[0] == 'r' && !at[1] ? " + 0 * c" : "";
        if (at[0] == 'r' && m.form == TILED)
            spread = " + 0 * c";
        if (at[0] == 'c' && m.form == TILED)
            spread = " + 0 * r";
        line(w, "v = tl.minimum(tl.maximum(v, -20), 20)");
        line(w, "tl.atomic_add(sum + (%s%s), v.to(%s)%s)", at, spread, type_word(sum),
             m.exact ? "" : ", mask=inside");
    }
    if (out == TILEC_BF16 || out == TILEC_FP16 || out == TILEC_I16)
        line(w, "v = tl.minimum(tl.maximum(v, -100), 100)");
    line(w, "tl.store(z + r * rz + c * cz, v.to(%s)%s)", type_word(out),
         m.exact ? "" : ", mask=inside");
}

#endif
