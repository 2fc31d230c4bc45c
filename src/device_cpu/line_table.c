/*
 * line_table.c - which line of the source stands behind an address of loaded code
 *
 * Reads section .debug_line of DWARF 2 to 4, which our code generator writes (src/gen/lines.c), to
 * a sorted list.  Bytes are not trusted: what is damaged ends the reading, and addresses behind
 * that have no line.  Addresses in the section are relocated by the caller (loader.c), through
 * `address_at`.
 */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_cpu.h"

enum { OLDEST = 2, NEWEST = 4 };
/* DWARF's numbers: DW_LNS_* and, behind a 0, DW_LNE_*. */
enum {
    LNS_EXTENDED,
    LNS_COPY,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_NEGATE_STMT,
    LNS_BASIC_BLOCK,
    LNS_CONST_ADD_PC,
    LNS_FIXED_ADVANCE_PC
};
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };

typedef struct {
    const uint8_t *start, *at, *end;
    bool damaged;
} Bytes;

static uint64_t get_fixed(Bytes *b, int size)
{
    uint64_t v = 0;

    if (b->end - b->at < size) {
        b->damaged = true;
        b->at = b->end;
        return 0;
    }
    memcpy(&v, b->at, (size_t)size); /* little-endian, as the hosts are */
    b->at += size;
    return v;
}

/* LEB128 */
static uint64_t get_number(Bytes *b, bool is_signed)
{
    uint64_t v = 0;
    unsigned shift = 0, byte;

    do {
        byte = (unsigned)get_fixed(b, 1);
        v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && (byte & 0x40))
        v |= ~UINT64_C(0) << shift;
    return v;
}

static const char *get_text(Bytes *b)
{
    const char *s = (const char *)b->at;
    const uint8_t *end = b->at < b->end ? memchr(b->at, 0, (size_t)(b->end - b->at)) : NULL;

    if (!end) {
        b->damaged = true;
        b->at = b->end;
        return "";
    }
    b->at = end + 1;
    return s;
}

/* --- the header --- */

typedef struct {
    int least_instruction, line_base, line_range, first_special;
    uint8_t operands[256];
    const char *folders[LINE_FILES]; /* from 1; others are the one of the compilation */
    const char *files[LINE_FILES];   /* from 1 */
    int folder_of[LINE_FILES];
    int nfolders, nfiles;
} Program;

static void read_folders(Bytes *b, Program *p)
{
    for (const char *name; !b->damaged && (name = get_text(b))[0];) {
        if (p->nfolders + 1 < LINE_FILES)
            p->folders[++p->nfolders] = name;
    }
}

static void read_files(Bytes *b, Program *p)
{
    for (const char *name; !b->damaged && (name = get_text(b))[0];) {
        uint64_t folder = get_number(b, false);
        get_number(b, false); /* time */
        get_number(b, false); /* size */
        if (p->nfiles + 1 == LINE_FILES)
            continue;
        p->files[++p->nfiles] = name;
        p->folder_of[p->nfiles] = folder <= (uint64_t)p->nfolders ? (int)folder : 0;
    }
}

static bool read_program_header(Bytes *b, Program *p)
{
    uint64_t bytes = get_fixed(b, 4);

    if (bytes > (uint64_t)(b->end - b->at))
        return false;
    b->end = b->at + bytes;
    int version = (int)get_fixed(b, 2);
    uint64_t header = get_fixed(b, 4);
    if (version < OLDEST || version > NEWEST || header > (uint64_t)(b->end - b->at))
        return false;
    const uint8_t *code = b->at + header;
    p->least_instruction = (int)get_fixed(b, 1);
    if (version >= 4)
        get_fixed(b, 1); /* operations of a VLIW instruction */
    get_fixed(b, 1);     /* whether rows begin statements */
    p->line_base = (int8_t)get_fixed(b, 1);
    p->line_range = (int)get_fixed(b, 1);
    p->first_special = (int)get_fixed(b, 1);
    for (int i = 1; i < p->first_special; i++)
        p->operands[i] = (uint8_t)get_fixed(b, 1);
    read_folders(b, p);
    read_files(b, p);
    b->at = code;
    return !b->damaged && p->line_range > 0;
}

/* --- the program --- */

typedef struct {
    LineTable *table;
    const Program *program;
    LineRow row; /* as it is now */
    bool failed; /* memory is out */
} Reader;

static void add_row(Reader *r, bool is_end)
{
    LineTable *t = r->table;

    if ((t->n & (t->n - 1)) == 0) { /* full: sizes are powers of two */
        LineRow *rows = realloc(t->rows, sizeof *rows * (size_t)MAX(2 * t->n, 1));
        if (!rows) {
            r->failed = true;
            return;
        }
        t->rows = rows;
    }
    t->rows[t->n] = r->row;
    t->rows[t->n].number = t->n;
    if (is_end || r->row.file > r->program->nfiles)
        t->rows[t->n].line = 0;
    t->n++;
}

static void run_extended(Reader *r, Bytes *b, LineAddress *address_at, const void *ctx)
{
    uint64_t bytes = get_number(b, false);
    const uint8_t *next = b->at + MIN(bytes, (uint64_t)(b->end - b->at));
    int code = (int)get_fixed(b, 1);

    if (code == LNE_END_SEQUENCE) {
        add_row(r, true);
        r->row = (LineRow){.file = 1, .line = 1};
    } else if (code == LNE_SET_ADDRESS) {
        r->row.address = address_at(ctx, (uint64_t)(b->at - b->start));
    }
    b->at = next;
}

static void run_special(Reader *r, int code)
{
    const Program *p = r->program;

    code -= p->first_special;
    r->row.address += (uint64_t)(code / p->line_range * p->least_instruction);
    r->row.line += p->line_base + code % p->line_range;
    add_row(r, false);
}

static void run_standard(Reader *r, Bytes *b, int code)
{
    const Program *p = r->program;
    uint64_t file;

    switch (code) {
    case LNS_COPY:
        add_row(r, false);
        break;
    case LNS_ADVANCE_PC:
        r->row.address += get_number(b, false) * (uint64_t)p->least_instruction;
        break;
    case LNS_ADVANCE_LINE:
        r->row.line += (int)(int64_t)get_number(b, true);
        break;
    case LNS_SET_FILE:
        file = get_number(b, false);
        r->row.file = (int)MIN(file, (uint64_t)LINE_FILES);
        break;
    case LNS_CONST_ADD_PC:
        r->row.address +=
            (uint64_t)((255 - p->first_special) / p->line_range * p->least_instruction);
        break;
    case LNS_FIXED_ADVANCE_PC:
        r->row.address += get_fixed(b, 2);
        break;
    default: /* what says nothing of lines */
        for (int i = 0; i < p->operands[code]; i++)
            get_number(b, false);
        break;
    }
}

static void run_program(Reader *r, Bytes *b, LineAddress *address_at, const void *ctx)
{
    while (b->at < b->end && !b->damaged && !r->failed) {
        int code = (int)get_fixed(b, 1);
        if (code == LNS_EXTENDED)
            run_extended(r, b, address_at, ctx);
        else if (code >= r->program->first_special)
            run_special(r, code);
        else
            run_standard(r, b, code);
    }
}

static int by_address(const void *a, const void *b)
{
    const LineRow *x = a, *y = b;

    if (x->address == y->address)
        return x->number - y->number;
    return x->address > y->address ? 1 : -1;
}

/* As the source was named: LLVM writes the folders in its path apart.  For free(), or NULL. */
static char *file_path(const Program *p, int file)
{
    const char *folder = p->folders[p->folder_of[file]], *name = p->files[file];
    char *path;

    if (!folder || name[0] == '/')
        return strdup(name);
    return asprintf(&path, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", name) < 0 ? NULL
                                                                                            : path;
}

static bool keep_files(LineTable *t, const Program *p)
{
    for (int i = 1; i <= p->nfiles; i++) {
        t->files[i] = file_path(p, i);
        if (!t->files[i])
            return false;
    }
    return true;
}

LineTable *line_table_read(const void *section, size_t len, LineAddress *address_at,
                           const void *ctx)
{
    Bytes b = {section, section, (const uint8_t *)section + len, false};
    Program p = {0};
    LineTable *t = calloc(1, sizeof *t);
    Reader r = {.table = t, .program = &p, .row = {.file = 1, .line = 1}};

    if (!t || !read_program_header(&b, &p) || !keep_files(t, &p)) {
        line_table_free(t);
        return NULL;
    }
    run_program(&r, &b, address_at, ctx);
    if (r.failed) {
        line_table_free(t);
        return NULL;
    }
    if (t->n > 0) /* of rows with one address the last one counts */
        qsort(t->rows, (size_t)t->n, sizeof *t->rows, by_address);
    return t;
}

void line_table_free(LineTable *t)
{
    for (int i = 0; t && i < LINE_FILES; i++)
        free(t->files[i]);
    if (t)
        free(t->rows);
    free(t);
}

const LineRow *line_table_find(const LineTable *t, uint64_t address)
{
    int low = 0, high = t->n; /* rows below `low` begin at the address or before */

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && t->rows[low - 1].line > 0 ? &t->rows[low - 1] : NULL;
}
