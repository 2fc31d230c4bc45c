/*
 * host.c - which CPU this is, in LLVM's words, without LLVM
 *
 * Gives the name that LLVM's -mcpu takes and the features that generated code may use, by asking
 * the CPU itself and checking that the system saves the registers.  A feature that a CPU of that
 * name has but this machine hides (a virtual machine, an old kernel) is listed with a minus, since
 * the name alone would imply it.
 *
 * The texts are made once for a process and never change: the only state in this folder but for the
 * size of the cache in device.c.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "device_cpu.h"

enum { FEATURES_BYTES = 1024 };

typedef struct {
    char name[24];
    char features[FEATURES_BYTES];
    char text[64];
    uint64_t usable;
} Host;

typedef struct {
    GenLevel level;
    char features[FEATURES_BYTES];
} HostLevel;

#if defined(__x86_64__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What cpuid says, asked once: under a hypervisor each question takes many microseconds. */
typedef struct {
    uint32_t r[4]; /* eax, ebx, ecx, edx */
} Cpuid;
enum { EAX, EBX, ECX, EDX };
typedef enum { LEAF_VENDOR, LEAF_1, LEAF_7, LEAF_7_1, LEAF_EXTENDED, LEAF_COUNT } Leaf;

static Cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    Cpuid c;

    __cpuid_count(leaf, sub, c.r[EAX], c.r[EBX], c.r[ECX], c.r[EDX]);
    return c;
}

static void read_leaves(Cpuid *leaves)
{
    leaves[LEAF_VENDOR] = cpuid(0, 0);
    leaves[LEAF_1] = cpuid(1, 0);
    leaves[LEAF_7] = leaves[LEAF_VENDOR].r[EAX] >= 7 ? cpuid(7, 0) : (Cpuid){{0}};
    leaves[LEAF_7_1] = leaves[LEAF_7].r[EAX] >= 1 ? cpuid(7, 1) : (Cpuid){{0}};
    leaves[LEAF_EXTENDED] = cpuid(0x80000001, 0);
}

/* What the system saves on a context switch; bits of XCR0. */
enum { XCR_SSE = 1 << 1, XCR_AVX = 1 << 2, XCR_AVX512 = 7 << 5, XCR_AMX = 3 << 17 };
enum {
    NEEDS_NOTHING = 0,
    NEEDS_AVX = XCR_SSE | XCR_AVX,
    NEEDS_AVX512 = NEEDS_AVX | XCR_AVX512,
    NEEDS_AMX = XCR_AMX
};

static uint32_t saved_state(const Cpuid *leaves)
{
    enum { OSXSAVE = 1 << 27 };
    uint32_t low, high;

    if ((leaves[LEAF_1].r[ECX] & OSXSAVE) == 0)
        return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Linux gives the AMX tile registers only to processes that ask, and for all their threads. */
static bool amx_granted(void)
{
    enum { REQUEST_STATE = 0x1023, TILE_DATA = 18 };

    return syscall(SYS_arch_prctl, REQUEST_STATE, TILE_DATA) == 0;
}

/* clang-format off */
/* The features in LLVM's spelling, what they build on before what builds on them:
 * level = the x86-64 level that includes it (0: none); then where cpuid tells, and what state it
 * needs the system to save. */
static const struct Feature {
    const char *name;
    int level;
    Leaf leaf;
    int reg, bit;
    uint32_t state;
} features[] = {
    /* name              level leaf         reg  bit  state */
    {"sse3",                2, LEAF_1,        ECX,  0, NEEDS_NOTHING},
    {"ssse3",               2, LEAF_1,        ECX,  9, NEEDS_NOTHING},
    {"sse4.1",              2, LEAF_1,        ECX, 19, NEEDS_NOTHING},
    {"sse4.2",              2, LEAF_1,        ECX, 20, NEEDS_NOTHING},
    {"popcnt",              2, LEAF_1,        ECX, 23, NEEDS_NOTHING},
    {"cx16",                2, LEAF_1,        ECX, 13, NEEDS_NOTHING},
    {"sahf",                2, LEAF_EXTENDED, ECX,  0, NEEDS_NOTHING},
    {"lzcnt",               3, LEAF_EXTENDED, ECX,  5, NEEDS_NOTHING},
    {"movbe",               3, LEAF_1,        ECX, 22, NEEDS_NOTHING},
    {"bmi",                 3, LEAF_7,        EBX,  3, NEEDS_NOTHING},
    {"bmi2",                3, LEAF_7,        EBX,  8, NEEDS_NOTHING},
    {"avx",                 3, LEAF_1,        ECX, 28, NEEDS_AVX},
    {"avx2",                3, LEAF_7,        EBX,  5, NEEDS_AVX},
    {"fma",                 3, LEAF_1,        ECX, 12, NEEDS_AVX},
    {"f16c",                3, LEAF_1,        ECX, 29, NEEDS_AVX},
    {"gfni",                0, LEAF_7,        ECX,  8, NEEDS_NOTHING},
    {"vaes",                0, LEAF_7,        ECX,  9, NEEDS_AVX},
    {"vpclmulqdq",          0, LEAF_7,        ECX, 10, NEEDS_AVX},
    {"avxvnni",             0, LEAF_7_1,      EAX,  4, NEEDS_AVX},
    {"avxifma",             0, LEAF_7_1,      EAX, 23, NEEDS_AVX},
    {"avxvnniint8",         0, LEAF_7_1,      EDX,  4, NEEDS_AVX},
    {"avxneconvert",        0, LEAF_7_1,      EDX,  5, NEEDS_AVX},
    {"avx512f",             4, LEAF_7,        EBX, 16, NEEDS_AVX512},
    {"avx512cd",            4, LEAF_7,        EBX, 28, NEEDS_AVX512},
    {"avx512dq",            4, LEAF_7,        EBX, 17, NEEDS_AVX512},
    {"avx512bw",            4, LEAF_7,        EBX, 30, NEEDS_AVX512},
    {"avx512vl",            4, LEAF_7,        EBX, 31, NEEDS_AVX512},
    {"avx512ifma",          0, LEAF_7,        EBX, 21, NEEDS_AVX512},
    {"avx512vbmi",          0, LEAF_7,        ECX,  1, NEEDS_AVX512},
    {"avx512vbmi2",         0, LEAF_7,        ECX,  6, NEEDS_AVX512},
    {"avx512vnni",          0, LEAF_7,        ECX, 11, NEEDS_AVX512},
    {"avx512bitalg",        0, LEAF_7,        ECX, 12, NEEDS_AVX512},
    {"avx512vpopcntdq",     0, LEAF_7,        ECX, 14, NEEDS_AVX512},
    {"avx512vp2intersect",  0, LEAF_7,        EDX,  8, NEEDS_AVX512},
    {"avx512bf16",          0, LEAF_7_1,      EAX,  5, NEEDS_AVX512},
    {"avx512fp16",          0, LEAF_7,        EDX, 23, NEEDS_AVX512},
    {"amx-tile",            0, LEAF_7,        EDX, 24, NEEDS_AMX},
    {"amx-int8",            0, LEAF_7,        EDX, 25, NEEDS_AMX},
    {"amx-bf16",            0, LEAF_7,        EDX, 22, NEEDS_AMX},
    {"amx-fp16",            0, LEAF_7_1,      EAX, 21, NEEDS_AMX},
};

/* Families and models; the first row that holds counts.  `wants` is a feature that tells apart
 * CPUs of one model.  Models of a family that are not listed go by their features. */
enum { INTEL = 'I', AMD = 'A' };
static const struct Model {
    char vendor;
    int family, first, last;
    const char *wants, *name;
} models[] = {
    {AMD,   0x17, 0x00, 0x2f, "avx2", "znver1"},
    {AMD,   0x17, 0x30, 0xff, "avx2", "znver2"},
    {AMD,   0x19, 0x00, 0x0f, "avx2", "znver3"},
    {AMD,   0x19, 0x10, 0x1f, "avx512bf16", "znver4"},
    {AMD,   0x19, 0x20, 0x5f, "avx2", "znver3"},
    {AMD,   0x19, 0x60, 0xaf, "avx512bf16", "znver4"},
    {AMD,   0x1a, 0x00, 0x77, "avx512bf16", "znver5"},
    {INTEL, 6, 0x3c, 0x3c, "avx2", "haswell"},
    {INTEL, 6, 0x3f, 0x3f, "avx2", "haswell"},
    {INTEL, 6, 0x45, 0x46, "avx2", "haswell"},
    {INTEL, 6, 0x3d, 0x3d, "avx2", "broadwell"},
    {INTEL, 6, 0x47, 0x47, "avx2", "broadwell"},
    {INTEL, 6, 0x4f, 0x4f, "avx2", "broadwell"},
    {INTEL, 6, 0x56, 0x56, "avx2", "broadwell"},
    {INTEL, 6, 0x4e, 0x4e, "avx2", "skylake"},
    {INTEL, 6, 0x5e, 0x5e, "avx2", "skylake"},
    {INTEL, 6, 0x8e, 0x8e, "avx2", "skylake"},
    {INTEL, 6, 0x9e, 0x9e, "avx2", "skylake"},
    {INTEL, 6, 0xa5, 0xa6, "avx2", "skylake"},
    {INTEL, 6, 0x55, 0x55, "avx512bf16", "cooperlake"},
    {INTEL, 6, 0x55, 0x55, "avx512vnni", "cascadelake"},
    {INTEL, 6, 0x55, 0x55, "avx512f", "skylake-avx512"},
    {INTEL, 6, 0x7d, 0x7e, "avx512vnni", "icelake-client"},
    {INTEL, 6, 0x6a, 0x6c, "avx512vnni", "icelake-server"},
    {INTEL, 6, 0xa7, 0xa7, "avx512vnni", "rocketlake"},
    {INTEL, 6, 0x8c, 0x8d, "avx512vnni", "tigerlake"},
    {INTEL, 6, 0x8f, 0x8f, "avx512fp16", "sapphirerapids"},
    {INTEL, 6, 0xcf, 0xcf, "avx512fp16", "emeraldrapids"},
    {INTEL, 6, 0xad, 0xad, "avx512fp16", "graniterapids"},
    {INTEL, 6, 0xae, 0xae, "avx512fp16", "graniterapids-d"},
    {INTEL, 6, 0x97, 0x97, "avx2", "alderlake"},
    {INTEL, 6, 0x9a, 0x9a, "avx2", "alderlake"},
    {INTEL, 6, 0xb7, 0xb7, "avx2", "raptorlake"},
    {INTEL, 6, 0xba, 0xba, "avx2", "raptorlake"},
    {INTEL, 6, 0xbf, 0xbf, "avx2", "raptorlake"},
    {INTEL, 6, 0xaa, 0xac, "avx2", "meteorlake"},
};
/* clang-format on */

/* Bit i of the result: feature i may be used. */
static uint64_t usable_features(const Cpuid *leaves)
{
    uint32_t state = saved_state(leaves);
    uint64_t usable = 0;
    bool asked = false, granted = false;

    for (int i = 0; i < COUNT(features); i++) {
        const struct Feature *f = &features[i];

        bool there = leaves[f->leaf].r[f->reg] >> f->bit & 1;
        if (!there || (state & f->state) != f->state)
            continue;
        if (f->state == NEEDS_AMX && !asked) {
            asked = true;
            granted = amx_granted();
        }
        if (f->state != NEEDS_AMX || granted)
            usable |= UINT64_C(1) << i;
    }
    return usable;
}

/* --- levels --- */

static const char *const level_names[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
static HostLevel levels[COUNT(level_names)];

static bool has(uint64_t usable, const char *name)
{
    for (int i = 0; i < COUNT(features); i++) {
        if (strcmp(features[i].name, name) == 0)
            return usable >> i & 1;
    }
    return false;
}

/* "x86-64-v3" and so on: the highest level of which nothing is missing. */
static const char *level_name(uint64_t usable)
{
    int level = COUNT(level_names);

    for (int i = 0; i < COUNT(features); i++) {
        if (features[i].level > 0 && (usable >> i & 1) == 0)
            level = MIN(level, features[i].level - 1);
    }
    return level_names[level - 1];
}

static const char *model_name(const Cpuid *leaves, uint64_t usable)
{
    uint32_t vendor = leaves[LEAF_VENDOR].r[EBX], version = leaves[LEAF_1].r[EAX];
    int family = (int)(version >> 8 & 15), model = (int)(version >> 4 & 15);
    char maker = vendor == signature_INTEL_ebx ? INTEL : vendor == signature_AMD_ebx ? AMD : 0;

    if (family == 6 || family == 15)
        model |= (int)(version >> 12 & 0xf0);
    if (family == 15)
        family += (int)(version >> 20 & 255);
    for (int i = 0; i < COUNT(models); i++) {
        const struct Model *m = &models[i];

        if (m->vendor == maker && m->family == family && m->first <= model && model <= m->last &&
            has(usable, m->wants))
            return m->name;
    }
    return level_name(usable);
}

/* "+a,+b,-c": what there is first, since a minus also takes away what builds on it. */
static void list_features(uint64_t usable, char *to, size_t size)
{
    size_t n = 0;

    for (int sign = 1; sign >= 0; sign--) {
        for (int i = 0; i < COUNT(features); i++) {
            size_t length = strlen(features[i].name);

            if ((int)(usable >> i & 1) != sign)
                continue;
            if (n + length + 2 >= size)
                bug("the features take more than %zu bytes", size);
            to[n++] = sign ? '+' : '-';
            memcpy(to + n, features[i].name, length);
            n += length;
            to[n++] = ',';
        }
    }
    to[n - (n > 0)] = '\0';
}

/* The features that level `number` includes. */
static uint64_t level_features(int number)
{
    uint64_t all = 0;

    for (int i = 0; i < COUNT(features); i++) {
        if (features[i].level > 0 && features[i].level <= number)
            all |= UINT64_C(1) << i;
    }
    return all;
}

/* One more bit that cpuid must show. */
static void add_test(GenLevel *l, const struct Feature *f)
{
    static const GenCpuTest asked[LEAF_COUNT] = {
        [LEAF_1] = {.leaf = 1},
        [LEAF_7] = {.leaf = 7},
        [LEAF_7_1] = {.leaf = 7, .subleaf = 1},
        [LEAF_EXTENDED] = {.leaf = 0x80000001},
    };
    GenCpuTest t = asked[f->leaf];
    int i = 0;

    t.reg = f->reg;
    while (i < l->ntests && (l->tests[i].leaf != t.leaf || l->tests[i].subleaf != t.subleaf ||
                             l->tests[i].reg != t.reg))
        i++;
    if (i == GEN_CPU_TESTS)
        bug("a level asks cpuid too much");
    if (i == l->ntests)
        l->tests[l->ntests++] = t;
    l->tests[i].bits |= UINT32_C(1) << f->bit;
    l->state |= f->state;
}

static void describe_level(int number)
{
    HostLevel *h = &levels[number - 1];
    uint64_t all = level_features(number);

    list_features(all, h->features, sizeof h->features);
    h->level = (GenLevel){.name = level_names[number - 1], .features = h->features};
    for (int i = 0; i < COUNT(features); i++) {
        if (all >> i & 1)
            add_test(&h->level, &features[i]);
    }
}

static void describe_levels(void)
{
    for (int number = 1; number <= COUNT(level_names); number++)
        describe_level(number);
}

/* The brand string of the CPU, without the spaces around it. */
static void brand(char *to, size_t size)
{
    char text[49] = "";

    for (uint32_t i = 0; i < 3; i++) {
        Cpuid c = cpuid(0x80000002u + i, 0);
        memcpy(text + 16 * i, c.r, 16);
    }
    const char *s = text + strspn(text, " ");
    size_t n = strlen(s);
    while (n > 0 && s[n - 1] == ' ')
        n--;
    snprintf(to, size, "%.*s", (int)n, s);
}

static void describe_cpu(Host *h)
{
    Cpuid leaves[LEAF_COUNT];

    read_leaves(leaves);
    uint64_t usable = usable_features(leaves);
    h->usable = usable;
    snprintf(h->name, sizeof h->name, "%s", model_name(leaves, usable));
    list_features(usable, h->features, sizeof h->features);
}

/* For people.  Three questions to the CPU that a launch has no use for. */
static void describe_model(Host *h)
{
    brand(h->text, sizeof h->text);
    if (h->text[0] == '\0')
        snprintf(h->text, sizeof h->text, "%s", h->name);
}

enum { LEVELS = COUNT(level_names) };

#else

static HostLevel levels[1];
enum { LEVELS = 0 };

static uint64_t level_features(int number)
{
    return (uint64_t)number;
}

static void describe_levels(void) {}

#if defined(__aarch64__)

#include <sys/auxv.h>

/* clang-format off */
/* The features in LLVM's spelling, and by which bit of which word the system says that there is one
 * and that its registers are saved.  The name "generic" implies none but NEON, so that none has to
 * be listed with a minus. */
static const struct Feature {
    const char *name;
    unsigned long word, bit;
} features[] = {
    {"neon",     AT_HWCAP,  HWCAP_ASIMD},
    {"fullfp16", AT_HWCAP,  HWCAP_ASIMDHP},
    {"lse",      AT_HWCAP,  HWCAP_ATOMICS},
    {"rdm",      AT_HWCAP,  HWCAP_ASIMDRDM},
    {"rcpc",     AT_HWCAP,  HWCAP_LRCPC},
    {"dotprod",  AT_HWCAP,  HWCAP_ASIMDDP},
    {"fp16fml",  AT_HWCAP,  HWCAP_ASIMDFHM},
    {"i8mm",     AT_HWCAP2, HWCAP2_I8MM},
    {"bf16",     AT_HWCAP2, HWCAP2_BF16},
    {"sve",      AT_HWCAP,  HWCAP_SVE},
    {"sve2",     AT_HWCAP2, HWCAP2_SVE2},
};
/* clang-format on */

static void describe_cpu(Host *h)
{
    size_t n = 0;

    *h = (Host){.name = "generic"};
    for (int i = 0; i < COUNT(features); i++) {
        if (getauxval(features[i].word) & features[i].bit)
            n += (size_t)snprintf(h->features + n, sizeof h->features - n, "%s+%s",
                                  n > 0 ? "," : "", features[i].name);
    }
}

static void describe_model(Host *h)
{
    snprintf(h->text, sizeof h->text, "AArch64");
}

#else

static void describe_cpu(Host *h)
{
    *h = (Host){.name = "generic"};
}

static void describe_model(Host *h)
{
    snprintf(h->text, sizeof h->text, "unknown CPU");
}

#endif
#endif

static Host the_host;
static pthread_once_t described = PTHREAD_ONCE_INIT, model_described = PTHREAD_ONCE_INIT;

static void describe_the_host(void)
{
    describe_cpu(&the_host);
    describe_levels();
}

static void describe_the_model(void)
{
    describe_model(&the_host);
}

static const Host *host(void)
{
    pthread_once(&described, describe_the_host);
    return &the_host;
}

const char *host_cpu_name(void)
{
    return host()->name;
}

const char *host_cpu_features(void)
{
    return host()->features;
}

const char *host_cpu_text(void)
{
    host();
    pthread_once(&model_described, describe_the_model);
    return the_host.text;
}

const GenLevel *host_level(int i)
{
    host();
    for (int k = 0; k < LEVELS; k++) {
        if (k == i)
            return &levels[k].level;
    }
    return NULL;
}

bool host_has_level(int i)
{
    uint64_t needed = level_features(i + 1);

    return (host()->usable & needed) == needed;
}
