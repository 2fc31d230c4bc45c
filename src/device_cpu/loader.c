/*
 * loader.c - from the bytes of a relocatable ELF64 object to code that can be called
 *
 * Takes what a code generator emitted, or what a file in the cache claims to be that.  Every
 * offset, size and index is checked against the buffer before it is used, so damaged or hostile
 * bytes end in RUN_BAD_OBJECT; what sound-looking code then does is its own affair.
 *
 *  1. read_headers   copies the section headers and finds the symbols
 *  2. place_sections gives every SHF_ALLOC section an offset in one mapping, and behind them one
 *                    16-byte stub a symbol: a jump for calls out of reach, and the slot that
 *                    GOT-style references read
 *  3. relocate       by the table in reloc.c
 *  4. keep_symbols   names and addresses of global symbols, for code_symbol()
 *  5. tell_debugger  of objects that say which lines of a source they are from
 *
 * then the mapping becomes executable and read-only.  Generated code keeps no state: a section
 * that is marked writable (constants with addresses in them) is read-only after relocation.
 * Calls out of the object reach only what the table at the end allows.
 */
#define _GNU_SOURCE /* exp10 */
#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device_cpu.h"

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#else
enum { HOST_MACHINE = EM_NONE };
#endif

enum { MAX_ALIGN = 4096 };
#define MAX_MAPPING ((uint64_t)256 << 20)

typedef struct {
    const char *name;
    void *at;
} CodeSymbol;

struct Code {
    uint8_t *map;
    size_t bytes;
    JitCode *told; /* NULL: gdb knows nothing of it */
    int nsymbols;
    CodeSymbol symbols[];
};

typedef struct {
    const uint8_t *object;
    size_t len;
    const char *why;
    Elf64_Shdr *sections;
    uint64_t *offset; /* of each placed section in the mapping; NOT_PLACED */
    int nsections;
    Elf64_Shdr symbols, strings;
    uint64_t nsymbols;
    uint64_t stubs, total; /* offset of the stubs, bytes of the mapping */
    uint8_t *map;
} Loader;

#define NOT_PLACED UINT64_MAX

static void *external_symbol(const char *name);

static bool refuse_object(Loader *l, const char *why)
{
    l->why = why;
    return false;
}

static bool inside_object(const Loader *l, uint64_t offset, uint64_t size)
{
    return offset <= l->len && size <= l->len - offset;
}

/* --- 1. headers --- */

static bool read_file_header(Loader *l, Elf64_Ehdr *head)
{
    if (l->len < sizeof *head)
        return refuse_object(l, "the object is too short");
    memcpy(head, l->object, sizeof *head);
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_type != ET_REL)
        return refuse_object(l, "not a relocatable ELF64 object");
    if (head->e_machine != HOST_MACHINE)
        return refuse_object(l, "the object is for another machine");
    if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum == 0 ||
        !inside_object(l, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return refuse_object(l, "the section table is damaged");
    return true;
}

static bool read_symbol_table(Loader *l)
{
    int i = 0;

    while (i < l->nsections && l->sections[i].sh_type != SHT_SYMTAB)
        i++;
    if (i == l->nsections)
        return refuse_object(l, "there are no symbols");
    l->symbols = l->sections[i];
    if (l->symbols.sh_entsize != sizeof(Elf64_Sym) || l->symbols.sh_link >= (uint32_t)l->nsections)
        return refuse_object(l, "the symbol table is damaged");
    l->nsymbols = l->symbols.sh_size / sizeof(Elf64_Sym);
    l->strings = l->sections[l->symbols.sh_link];
    if (l->strings.sh_type != SHT_STRTAB || l->strings.sh_size == 0 ||
        l->object[l->strings.sh_offset + l->strings.sh_size - 1] != '\0')
        return refuse_object(l, "the names of symbols are damaged");
    return true;
}

static bool read_headers(Loader *l)
{
    Elf64_Ehdr head;

    if (!read_file_header(l, &head))
        return false;
    l->nsections = head.e_shnum;
    l->sections = malloc((sizeof *l->sections + sizeof *l->offset) * (size_t)l->nsections);
    if (!l->sections)
        return false;
    l->offset = (uint64_t *)(l->sections + l->nsections);
    memcpy(l->sections, l->object + head.e_shoff, sizeof *l->sections * (size_t)l->nsections);
    for (int i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];

        if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
            !inside_object(l, s->sh_offset, s->sh_size))
            return refuse_object(l, "a section lies outside of the object");
    }
    return read_symbol_table(l);
}

/* --- 2. sections --- */

static bool place_sections(Loader *l)
{
    uint64_t total = 0;

    for (int i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        uint64_t align = MAX(s->sh_addralign, 1u);

        l->offset[i] = NOT_PLACED;
        if ((s->sh_flags & SHF_ALLOC) == 0)
            continue;
        if ((s->sh_flags & SHF_TLS) != 0)
            return refuse_object(l, "thread-local data is not supported");
        if ((align & (align - 1)) != 0 || align > MAX_ALIGN)
            return refuse_object(l, "a section has a strange alignment");
        if (s->sh_size > MAX_MAPPING)
            return refuse_object(l, "the object is too large");
        l->offset[i] = (total + align - 1) & ~(align - 1);
        total = l->offset[i] + s->sh_size;
        if (total > MAX_MAPPING)
            return refuse_object(l, "the object is too large");
    }
    l->stubs = (total + STUB_BYTES - 1) & ~(uint64_t)(STUB_BYTES - 1);
    l->total = l->stubs + l->nsymbols * STUB_BYTES;
    return true;
}

static bool copy_sections(Loader *l)
{
    l->map = os_map_code(l->total);
    if (!l->map)
        return false;
    for (int i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];

        if (l->offset[i] != NOT_PLACED && s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL)
            memcpy(l->map + l->offset[i], l->object + s->sh_offset, s->sh_size);
    }
    return true;
}

/* --- 3. relocations --- */

static Elf64_Sym read_symbol(const Loader *l, uint64_t i)
{
    Elf64_Sym sym;

    memcpy(&sym, l->object + l->symbols.sh_offset + i * sizeof sym, sizeof sym);
    return sym;
}

static const char *symbol_name(const Loader *l, const Elf64_Sym *sym)
{
    if (sym->st_name >= l->strings.sh_size)
        return "";
    return (const char *)l->object + l->strings.sh_offset + sym->st_name;
}

/* Whether the symbol stands in a section of the mapping. */
static bool is_placed(const Loader *l, const Elf64_Sym *sym)
{
    return sym->st_shndx != SHN_UNDEF && sym->st_shndx < l->nsections &&
           l->offset[sym->st_shndx] != NOT_PLACED &&
           sym->st_value <= l->sections[sym->st_shndx].sh_size;
}

static bool symbol_address(Loader *l, const Elf64_Sym *sym, uint64_t *address)
{
    if (sym->st_shndx == SHN_UNDEF) {
        *address = (uint64_t)(uintptr_t)external_symbol(symbol_name(l, sym));
        return *address != 0 ||
               refuse_object(l, "the object needs a function that is not provided");
    }
    if (!is_placed(l, sym))
        return refuse_object(l, "a symbol lies outside of the object");
    *address = (uint64_t)(uintptr_t)l->map + l->offset[sym->st_shndx] + sym->st_value;
    return true;
}

/* One relocation of the section that starts at `base` in the mapping and has `size` bytes. */
static bool relocate_one(Loader *l, const Elf64_Rela *rela, uint8_t *base, uint64_t size)
{
    uint64_t index = ELF64_R_SYM(rela->r_info);
    uint32_t type = ELF64_R_TYPE(rela->r_info);
    int width = reloc_width(HOST_MACHINE, type);

    if (width == 0)
        return refuse_object(l, "a relocation of an unknown type");
    if (index >= l->nsymbols || rela->r_offset > size || size - rela->r_offset < (uint64_t)width)
        return refuse_object(l, "a relocation lies outside of the object");

    Elf64_Sym sym = read_symbol(l, index);
    uint8_t *stub = l->map + l->stubs + index * STUB_BYTES;
    RelocInput in = {.slot = (uint64_t)(uintptr_t)stub + STUB_SLOT,
                     .addend = rela->r_addend,
                     .place = (uint64_t)(uintptr_t)base + rela->r_offset};
    if (!symbol_address(l, &sym, &in.symbol))
        return false;
    reloc_stub(HOST_MACHINE, in.symbol, stub);
    if (sym.st_shndx == SHN_UNDEF && width < 8)
        in.symbol = (uint64_t)(uintptr_t)stub; /* the function itself may be out of reach */
    if (reloc_apply(HOST_MACHINE, type, &in, base + rela->r_offset) != RELOC_OK)
        return refuse_object(l, "a relocation reaches too far");
    return true;
}

static bool relocate_section(Loader *l, const Elf64_Shdr *table)
{
    const Elf64_Shdr *target = &l->sections[table->sh_info];
    uint8_t *base = l->map + l->offset[table->sh_info];

    if (table->sh_entsize != sizeof(Elf64_Rela))
        return refuse_object(l, "the relocations are damaged");
    for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela rela;

        memcpy(&rela, l->object + table->sh_offset + i * sizeof rela, sizeof rela);
        if (!relocate_one(l, &rela, base, target->sh_size))
            return false;
    }
    return true;
}

static bool relocate(Loader *l)
{
    for (int i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];

        if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL)
            continue;
        if (s->sh_info >= (uint32_t)l->nsections)
            return refuse_object(l, "the relocations are damaged");
        if (l->offset[s->sh_info] == NOT_PLACED)
            continue; /* of debug information */
        if (s->sh_type == SHT_REL)
            return refuse_object(l, "relocations without addends are not supported");
        if (!relocate_section(l, s))
            return false;
    }
    return true;
}

/* --- 4. symbols --- */

static bool is_offered(const Loader *l, const Elf64_Sym *sym)
{
    return ELF64_ST_BIND(sym->st_info) == STB_GLOBAL && is_placed(l, sym);
}

/* A Code with room for all the symbols that others may ask for, and their names behind it. */
static Code *keep_symbols(const Loader *l)
{
    size_t count = 0, text = 0;

    for (uint64_t i = 0; i < l->nsymbols; i++) {
        Elf64_Sym sym = read_symbol(l, i);

        if (is_offered(l, &sym)) {
            count++;
            text += strlen(symbol_name(l, &sym)) + 1;
        }
    }
    Code *c = malloc(sizeof *c + count * sizeof(CodeSymbol) + text);
    if (!c)
        return NULL;
    *c = (Code){.map = l->map, .bytes = l->total};
    char *names = (char *)(c->symbols + count);
    for (uint64_t i = 0; i < l->nsymbols; i++) {
        Elf64_Sym sym = read_symbol(l, i);

        if (!is_offered(l, &sym))
            continue;
        size_t n = strlen(symbol_name(l, &sym)) + 1;
        memcpy(names, symbol_name(l, &sym), n);
        c->symbols[c->nsymbols++] =
            (CodeSymbol){names, l->map + l->offset[sym.st_shndx] + sym.st_value};
        names += n;
    }
    return c;
}

/* --- 5. debuggers --- */

static const char *section_name(const Loader *l, int names, const Elf64_Shdr *s)
{
    const Elf64_Shdr *text = &l->sections[names];
    bool sound = text->sh_type == SHT_STRTAB && text->sh_size > 0 &&
                 l->object[text->sh_offset + text->sh_size - 1] == '\0';

    return sound && s->sh_name < text->sh_size
               ? (const char *)l->object + text->sh_offset + s->sh_name
               : "";
}

/* The number of the section with that name; -1: there is none. */
static int find_section(const Loader *l, const char *name)
{
    Elf64_Ehdr head;

    memcpy(&head, l->object, sizeof head);
    for (int i = 0; head.e_shstrndx < l->nsections && i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type == SHT_PROGBITS && strcmp(section_name(l, head.e_shstrndx, s), name) == 0)
            return i;
    }
    return -1;
}

/* An address in a section that is not loaded: 0 unless a relocation puts one there. */
typedef struct {
    const Loader *loader;
    int section;
} Unloaded;

static uint64_t relocated_address(const void *unloaded, uint64_t offset)
{
    const Unloaded *u = unloaded;
    const Loader *l = u->loader;

    for (int i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *table = &l->sections[i];
        if (table->sh_type != SHT_RELA || (int)table->sh_info != u->section)
            continue;
        for (uint64_t k = 0; k < table->sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela rela;
            memcpy(&rela, l->object + table->sh_offset + k * sizeof rela, sizeof rela);
            if (rela.r_offset != offset || ELF64_R_SYM(rela.r_info) >= l->nsymbols)
                continue;
            Elf64_Sym sym = read_symbol(l, ELF64_R_SYM(rela.r_info));
            return !is_placed(l, &sym) ? 0
                                       : (uint64_t)(uintptr_t)l->map + l->offset[sym.st_shndx] +
                                             sym.st_value + (uint64_t)rela.r_addend;
        }
    }
    return 0;
}

/* Nobody looks at where sections were placed any more. */
static JitCode *tell_debugger(Loader *l)
{
    int lines = find_section(l, ".debug_line");
    const Unloaded unloaded = {l, lines};
    uint64_t start = (uint64_t)(uintptr_t)l->map;

    if (lines < 0)
        return NULL;
    LineTable *table = line_table_read(l->object + l->sections[lines].sh_offset,
                                       l->sections[lines].sh_size, relocated_address, &unloaded);
    for (int i = 0; i < l->nsections; i++)
        l->offset[i] = l->offset[i] == NOT_PLACED ? 0 : start + l->offset[i];
    const JitPlaces places = {start, start + l->total, l->offset, table};
    return debugger_register(l->object, l->len, &places);
}

/* All steps; NULL with l->why set for a bad object, without for a lack of memory. */
static Code *load_object(Loader *l)
{
    if (!read_headers(l) || !place_sections(l) || !copy_sections(l) || !relocate(l))
        return NULL;
    Code *c = keep_symbols(l);
    if (c && os_seal_code(l->map, l->total) != 0) {
        free(c);
        refuse_object(l, "the system does not let memory become executable, as "
                         "systemd's MemoryDenyWriteExecute= has it; kernels that `tilec build` "
                         "compiles ahead of time need none");
        return NULL;
    }
    if (c)
        c->told = tell_debugger(l);
    return c;
}

RunStatus code_load(const void *object, size_t len, Code **out, const char **why)
{
    Loader l = {.object = object, .len = len};

    *out = load_object(&l);
    *why = *out ? NULL : l.why ? l.why : "out of memory";
    free(l.sections);
    if (*out)
        return RUN_OK;
    if (l.map)
        os_unmap_code(l.map, l.total);
    return l.why ? RUN_BAD_OBJECT : RUN_NO_MEMORY;
}

void *code_symbol(const Code *c, const char *name)
{
    for (int i = 0; i < c->nsymbols; i++) {
        if (strcmp(c->symbols[i].name, name) == 0)
            return c->symbols[i].at;
    }
    return NULL;
}

const LineTable *code_lines(const Code *c)
{
    return debugger_table(c->told);
}

void code_free(Code *c)
{
    if (!c)
        return;
    debugger_unregister(c->told);
    os_unmap_code(c->map, c->bytes);
    free(c);
}

/* --- what generated code may call --- */

#if defined(__x86_64__)
/* What LLVM calls on CPUs without F16C.  A half lies in the low bits of a register for floats. */
static float widen_half(float half)
{
    uint16_t bits;

    memcpy(&bits, &half, sizeof bits);
    return (float)scalar_to_double(DT_FP16, bits);
}

static float narrow_to_half(float x)
{
    uint32_t bits = (uint32_t)scalar_from_double(DT_FP16, x);
    float half;

    memcpy(&half, &bits, sizeof half);
    return half;
}

#define OF_HALVES                                                                                  \
    {"__extendhfsf2", (void *)(uintptr_t)&widen_half},                                             \
        {"__truncsfhf2", (void *)(uintptr_t)&narrow_to_half},
#else
#define OF_HALVES
#endif

typedef struct {
    const char *name;
    void *at;
} External;

#define FUNCTION(f)                                                                                \
    {                                                                                              \
#f, (void *)(uintptr_t)&f                                                                  \
    }
#define BOTH(name) FUNCTION(name), FUNCTION(name##f) /* fp64 and fp32 */
static const External externals[] = {
    FUNCTION(memcpy), FUNCTION(memmove), FUNCTION(memset), BOTH(exp),   BOTH(exp2),  BOTH(exp10),
    BOTH(expm1),      BOTH(log),         BOTH(log2),       BOTH(log10), BOTH(log1p), BOTH(sin),
    BOTH(cos),        BOTH(tan),         BOTH(asin),       BOTH(acos),  BOTH(atan),  BOTH(sinh),
    BOTH(cosh),       BOTH(tanh),        BOTH(asinh),      BOTH(acosh), BOTH(atanh), BOTH(erf),
    BOTH(erfc),       BOTH(cbrt),        BOTH(sqrt),       BOTH(floor), BOTH(ceil),  BOTH(trunc),
    BOTH(rint),       BOTH(nearbyint),   BOTH(round),      BOTH(pow),   BOTH(atan2), BOTH(hypot),
    BOTH(fmod),       BOTH(fma),         BOTH(ldexp),      BOTH(fmin),  BOTH(fmax),  OF_HALVES};
#undef OF_HALVES
#undef BOTH
#undef FUNCTION

static void *external_symbol(const char *name)
{
    for (int i = 0; i < COUNT(externals); i++) {
        if (strcmp(externals[i].name, name) == 0)
            return externals[i].at;
    }
    return NULL;
}
