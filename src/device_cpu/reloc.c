/*
 * reloc.c - what a relocation writes, for x86-64 and AArch64, as a table
 *
 * Each row says which value is computed from S (symbol), G (the slot with its address), A (addend)
 * and P (place), how the result must be bounded, and into which bits it goes.  New types are new
 * rows.  Nothing here knows about ELF files; see loader.c.
 */
#include <elf.h>
#include <string.h>

#include "device_cpu.h"

typedef enum {
    VALUE_ABSOLUTE,  /* S + A */
    VALUE_RELATIVE,  /* S + A - P */
    VALUE_SLOT,      /* G + A - P */
    VALUE_PAGE,      /* page(S + A) - page(P) */
    VALUE_SLOT_PAGE, /* page(G + A) - page(P) */
    VALUE_SLOT_LOW   /* low 12 bits of G + A */
} ValueRule;

typedef enum {
    FIELD_64,
    FIELD_32_SIGNED,
    FIELD_32_UNSIGNED,
    FIELD_32_EITHER,
    /* AArch64 instruction words; the number is log2 of what the value is divided by */
    FIELD_BRANCH26,
    FIELD_BRANCH19,
    FIELD_BRANCH14,
    FIELD_ADR_PAGE,
    FIELD_LOW12_0,
    FIELD_LOW12_1,
    FIELD_LOW12_2,
    FIELD_LOW12_3,
    FIELD_LOW12_4
} Field;

typedef struct {
    int machine;
    uint32_t type;
    ValueRule value;
    Field field;
} Rule;

/* clang-format off */
static const Rule rules[] = {
    {EM_X86_64, R_X86_64_64,            VALUE_ABSOLUTE, FIELD_64},
    {EM_X86_64, R_X86_64_32,            VALUE_ABSOLUTE, FIELD_32_UNSIGNED},
    {EM_X86_64, R_X86_64_32S,           VALUE_ABSOLUTE, FIELD_32_SIGNED},
    {EM_X86_64, R_X86_64_PC32,          VALUE_RELATIVE, FIELD_32_SIGNED},
    {EM_X86_64, R_X86_64_PLT32,         VALUE_RELATIVE, FIELD_32_SIGNED},
    {EM_X86_64, R_X86_64_PC64,          VALUE_RELATIVE, FIELD_64},
    {EM_X86_64, R_X86_64_GOTPCREL,      VALUE_SLOT,     FIELD_32_SIGNED},
    {EM_X86_64, R_X86_64_GOTPCRELX,     VALUE_SLOT,     FIELD_32_SIGNED},
    {EM_X86_64, R_X86_64_REX_GOTPCRELX, VALUE_SLOT,     FIELD_32_SIGNED},
    {EM_AARCH64, R_AARCH64_ABS64,               VALUE_ABSOLUTE,  FIELD_64},
    {EM_AARCH64, R_AARCH64_ABS32,               VALUE_ABSOLUTE,  FIELD_32_EITHER},
    {EM_AARCH64, R_AARCH64_PREL64,              VALUE_RELATIVE,  FIELD_64},
    {EM_AARCH64, R_AARCH64_PREL32,              VALUE_RELATIVE,  FIELD_32_EITHER},
    {EM_AARCH64, R_AARCH64_CALL26,              VALUE_RELATIVE,  FIELD_BRANCH26},
    {EM_AARCH64, R_AARCH64_JUMP26,              VALUE_RELATIVE,  FIELD_BRANCH26},
    {EM_AARCH64, R_AARCH64_CONDBR19,            VALUE_RELATIVE,  FIELD_BRANCH19},
    {EM_AARCH64, R_AARCH64_LD_PREL_LO19,        VALUE_RELATIVE,  FIELD_BRANCH19},
    {EM_AARCH64, R_AARCH64_TSTBR14,             VALUE_RELATIVE,  FIELD_BRANCH14},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21,    VALUE_PAGE,      FIELD_ADR_PAGE},
    {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC,     VALUE_ABSOLUTE,  FIELD_LOW12_0},
    {EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC,   VALUE_ABSOLUTE,  FIELD_LOW12_0},
    {EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC,  VALUE_ABSOLUTE,  FIELD_LOW12_1},
    {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC,  VALUE_ABSOLUTE,  FIELD_LOW12_2},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC,  VALUE_ABSOLUTE,  FIELD_LOW12_3},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, VALUE_ABSOLUTE,  FIELD_LOW12_4},
    {EM_AARCH64, R_AARCH64_ADR_GOT_PAGE,        VALUE_SLOT_PAGE, FIELD_ADR_PAGE},
    {EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC,    VALUE_SLOT_LOW,  FIELD_LOW12_3},
};
/* clang-format on */

static const Rule *find_rule(int machine, uint32_t type)
{
    for (int i = 0; i < COUNT(rules); i++) {
        if (rules[i].machine == machine && rules[i].type == type)
            return &rules[i];
    }
    return NULL;
}

int reloc_width(int machine, uint32_t type)
{
    const Rule *r = find_rule(machine, type);

    return !r ? 0 : r->field == FIELD_64 ? 8 : 4;
}

static uint64_t page(uint64_t address)
{
    return address & ~UINT64_C(0xfff);
}

static uint64_t compute_value(ValueRule rule, const RelocInput *in)
{
    uint64_t symbol = in->symbol + (uint64_t)in->addend, slot = in->slot + (uint64_t)in->addend;

    switch (rule) {
    case VALUE_ABSOLUTE:
        return symbol;
    case VALUE_RELATIVE:
        return symbol - in->place;
    case VALUE_SLOT:
        return slot - in->place;
    case VALUE_PAGE:
        return page(symbol) - page(in->place);
    case VALUE_SLOT_PAGE:
        return page(slot) - page(in->place);
    case VALUE_SLOT_LOW:
        return slot & 0xfff;
    }
    return 0;
}

static bool fits_signed(uint64_t value, int bits)
{
    int64_t v = (int64_t)value, limit = INT64_C(1) << (bits - 1);

    return -limit <= v && v < limit;
}

/* Replace `count` bits of the instruction word at `at`, from bit `first` on. */
static void put_bits(uint8_t *at, int first, int count, uint64_t value)
{
    uint32_t word, mask = ((UINT32_C(1) << count) - 1) << first;

    memcpy(&word, at, sizeof word);
    word = (word & ~mask) | ((uint32_t)value << first & mask);
    memcpy(at, &word, sizeof word);
}

static RelocResult put_word(uint8_t *at, uint64_t value, bool fits)
{
    uint32_t word = (uint32_t)value;

    if (fits)
        memcpy(at, &word, sizeof word);
    return fits ? RELOC_OK : RELOC_TOO_FAR;
}

/* A distance in instructions. */
static RelocResult put_branch(uint8_t *at, int first, int count, uint64_t value)
{
    if (!fits_signed(value, count + 2) || (value & 3) != 0)
        return RELOC_TOO_FAR;
    put_bits(at, first, count, value >> 2);
    return RELOC_OK;
}

static RelocResult put_page(uint8_t *at, uint64_t value)
{
    if (!fits_signed(value, 33))
        return RELOC_TOO_FAR;
    put_bits(at, 29, 2, value >> 12);
    put_bits(at, 5, 19, value >> 14);
    return RELOC_OK;
}

/* The offset inside a page, in units of 1 << scale bytes. */
static RelocResult put_low12(uint8_t *at, int scale, uint64_t value)
{
    if ((value & ((UINT64_C(1) << scale) - 1)) != 0)
        return RELOC_TOO_FAR;
    put_bits(at, 10, 12, (value & 0xfff) >> scale);
    return RELOC_OK;
}

RelocResult reloc_apply(int machine, uint32_t type, const RelocInput *in, uint8_t *at)
{
    const Rule *r = find_rule(machine, type);

    if (!r)
        return RELOC_UNKNOWN;
    uint64_t value = compute_value(r->value, in);
    switch (r->field) {
    case FIELD_64:
        memcpy(at, &value, sizeof value);
        return RELOC_OK;
    case FIELD_32_SIGNED:
        return put_word(at, value, fits_signed(value, 32));
    case FIELD_32_UNSIGNED:
        return put_word(at, value, value <= UINT32_MAX);
    case FIELD_32_EITHER:
        return put_word(at, value, value <= UINT32_MAX || fits_signed(value, 32));
    case FIELD_BRANCH26:
        return put_branch(at, 0, 26, value);
    case FIELD_BRANCH19:
        return put_branch(at, 5, 19, value);
    case FIELD_BRANCH14:
        return put_branch(at, 5, 14, value);
    case FIELD_ADR_PAGE:
        return put_page(at, value);
    case FIELD_LOW12_0:
    case FIELD_LOW12_1:
    case FIELD_LOW12_2:
    case FIELD_LOW12_3:
    case FIELD_LOW12_4:
        return put_low12(at, (int)(r->field - FIELD_LOW12_0), value);
    }
    return RELOC_UNKNOWN;
}

void reloc_stub(int machine, uint64_t target, uint8_t *at)
{
    static const uint8_t x86[STUB_SLOT] = {0xff, 0x25, 0x02, 0, 0, 0, 0xcc, 0xcc};
    static const uint32_t arm[2] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */

    if (machine == EM_X86_64)
        memcpy(at, x86, sizeof x86); /* jmp *2(%rip) */
    else
        memcpy(at, arm, sizeof arm);
    memcpy(at + STUB_SLOT, &target, sizeof target);
}
