/*
 * cpu_dot_tiles.c - products by the tile registers of AMX
 *
 * Eight registers of up to 16 rows of 64 bytes: four hold a block of acc, two by two tiles, two
 * tiles of a, which are read where they are, and two tiles of b in panels.  Rows and bytes of each
 * are what the configuration says; extents are such that one is right for all of a product.
 *
 * Products of i8 are exact modulo 2^32, as any.  Those of bf16 are multiply-adds of fp32, rounded
 * to nearest, that take subnormal numbers for zero and give zero for them (Intel's manual of
 * instructions, TDPBF16PS).  An operand that is one may count, times a large number; so where there
 * are any, cpu_dot.c goes another way.  What is lost of products and sums is below 2^-126 for each.
 */
#include "cpu_dot.h"

#include <string.h>

enum { FIRST_SUM = 0, FIRST_A = 4, FIRST_B = 6, TILES = 8, TILES_A_ROW = 2 };
enum { K_UNROLL = 4, SUM_BYTES = 4 };

/* What LDTILECFG reads (Intel's manual, palette 1). */
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} TileConfig;
_Static_assert(sizeof(TileConfig) == 64, "as the processor reads it");

static int element_bytes(const Dot *d)
{
    return cpu_buffer_size(d->c, d->plan.packed);
}

static TileConfig config_of(const Dot *d)
{
    const DotPlan *p = &d->plan;
    TileConfig c = {.palette = 1};

    for (int i = 0; i < TILES; i++) {
        bool is_a = i >= FIRST_A && i < FIRST_B;
        c.rows[i] = (uint8_t)(i >= FIRST_B ? p->depth / p->group : p->height);
        c.row_bytes[i] = (uint16_t)(is_a ? p->depth * element_bytes(d) : p->lanes * SUM_BYTES);
    }
    return c;
}

void cpu_dot_tiles_begin(Dot *d)
{
    Llvm *l = d->c->l;
    TileConfig config = config_of(d);
    Val words[sizeof config / 8], table;

    for (int i = 0; i < COUNT(words); i++) {
        int64_t word;
        memcpy(&word, (char *)&config + 8 * i, 8);
        words[i] = llvm_int(l->i64, word);
    }
    Val value = LLVMConstArray(l->i64, words, COUNT(words));
    table = LLVMAddGlobal(l->module, LLVMTypeOf(value), "tiles");
    LLVMSetInitializer(table, value);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    llvm_call(l, d->c->b, "llvm.x86.ldtilecfg", 0, NULL, 1, &table);
}

void cpu_dot_tiles_end(Dot *d)
{
    llvm_call(d->c->l, d->c->b, "llvm.x86.tilerelease", 0, NULL, 0, NULL);
}

/* A register and memory: from an element on, rows `bytes` apart. */
static void tile(Dot *d, const char *how, int number, Val at, int64_t bytes)
{
    Llvm *l = d->c->l;
    Val args[] = {llvm_int(l->i8, number), at, llvm_int(l->i64, bytes)};

    llvm_call(l, d->c->b, how, 0, NULL, COUNT(args), args);
}

static Val place(Dot *d, Val base, int buffer, Val row, int64_t pitch, Val column, int64_t more)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64;
    Val at = LLVMBuildMul(c->b, row, llvm_int(i64, pitch), "");

    at = LLVMBuildAdd(c->b, at, column, "");
    at = LLVMBuildAdd(c->b, at, llvm_int(i64, more), "");
    return LLVMBuildGEP2(c->b, cpu_buffer_type(c, buffer, 0), base, &at, 1, "");
}

/* --- a block --- */

typedef struct {
    int rows, columns; /* tiles */
    Val i, j;
} TileBlock;

static void sums(Dot *d, const TileBlock *t, const char *how)
{
    const DotPlan *p = &d->plan;

    for (int r = 0; r < t->rows; r++) {
        for (int v = 0; v < t->columns; v++) {
            Val at = place(d, d->base[DOT_ACC], d->buffer[DOT_ACC], t->i, d->n, t->j,
                           r * p->height * d->n + v * p->lanes);
            tile(d, how, FIRST_SUM + r * TILES_A_ROW + v, at, d->n * SUM_BYTES);
        }
    }
}

static void load_a(Dot *d, const TileBlock *t, Val k, int r)
{
    Val at = place(d, d->base[DOT_A], d->buffer[DOT_A], t->i, d->most_k, k,
                   r * d->plan.height * d->most_k);

    tile(d, "llvm.x86.tileloadd64", FIRST_A + r, at, d->most_k * element_bytes(d));
}

/* A panel has room for `lanes` columns of most_k elements. */
static void load_b(Dot *d, const TileBlock *t, Val k, int v)
{
    Cpu *c = d->c;
    const DotPlan *p = &d->plan;
    Val inside = LLVMBuildMul(c->b, k, llvm_int(c->l->i64, p->lanes), "");
    Val at = place(d, cpu_buffer(c, c->b, p->packed), p->packed, t->j, d->most_k, inside,
                   v * p->lanes * d->most_k);

    tile(d, "llvm.x86.tileloadd64", FIRST_B + v, at, p->lanes * SUM_BYTES);
}

static void multiply(Dot *d, int r, int v)
{
    Llvm *l = d->c->l;
    const char *how = d->in == DT_FP32 ? "llvm.x86.tdpbf16ps" : "llvm.x86.tdpbssd";
    Val args[] = {llvm_int(l->i8, FIRST_SUM + r * TILES_A_ROW + v), llvm_int(l->i8, FIRST_A + r),
                  llvm_int(l->i8, FIRST_B + v)};

    llvm_call(l, d->c->b, how, 0, NULL, COUNT(args), args);
}

/* Each product as soon as its tiles are asked for. */
static void k_step(Dot *d, const TileBlock *t, Val k)
{
    for (int v = 0; v < t->columns; v++) {
        load_b(d, t, k, v);
        for (int r = 0; r < t->rows; r++) {
            if (v == 0)
                load_a(d, t, k, r);
            multiply(d, r, v);
        }
    }
}

void cpu_dot_tiles(Dot *d, int rows, int vectors, Val i, Val j)
{
    Cpu *c = d->c;
    TileBlock t = {.rows = rows / d->plan.height, .columns = vectors, .i = i, .j = j};
    int64_t steps = d->k / d->plan.depth;
    int unroll = steps % K_UNROLL == 0 ? K_UNROLL : steps % 2 == 0 ? 2 : 1;

    sums(d, &t, "llvm.x86.tileloadd64");
    Loop l = cpu_loop_begin(c);
    for (int u = 0; u < unroll; u++)
        k_step(d, &t, LLVMBuildAdd(c->b, l.index, llvm_int(c->l->i64, u * d->plan.depth), ""));
    cpu_loop_end_at(c, &l, d->along, (int64_t)unroll * d->plan.depth);
    sums(d, &t, "llvm.x86.tilestored64");
}
