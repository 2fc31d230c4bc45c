/*
 * chip.c - the GPUs that there is code for
 *
 * Figures are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"; versions of PTX those of the PTX ISA's "Target ISA Notes".  sm_90a is sm_90 with the
 * instructions that later chips need not have, and so is sm_100a, whose products by tensor memory
 * have been executed by the simulator alone.  Of sm_90 and sm_100 the assembler makes what we
 * make of a product of fp8, and an addition more.
 */
#include "chip.h"

#include <string.h>

enum {
    KIB = 1024,
    SINCE_80 = CHIP_MMA,
    BOTH_FP8 = SINCE_80 | CHIP_FP8_DOT | CHIP_FP8_CAST,
    SINCE_90 = SINCE_80 | CHIP_FP8_CAST | CHIP_WIDE_ATOMICS | CHIP_PAIRS,
    ONLY_90 = SINCE_90 | CHIP_SET_REGISTERS | CHIP_WGMMA,
    ONLY_100 = SINCE_90 | CHIP_SET_REGISTERS | CHIP_TENSOR_MEMORY,
    SINCE_120 = SINCE_90 | CHIP_FP8_DOT
};

/* clang-format off */
/*      name      features  lane_bits banks warps  shared     threads registers own  has */
#define CHIPS(ROW) \
    ROW("sm_80",  "+ptx84",  5,        32,   32,    163 * KIB, 2048,   65536,    255, SINCE_80) \
    ROW("sm_86",  "+ptx84",  5,        32,   32,     99 * KIB, 1536,   65536,    255, SINCE_80) \
    ROW("sm_87",  "+ptx84",  5,        32,   32,    163 * KIB, 1536,   65536,    255, SINCE_80) \
    ROW("sm_89",  "+ptx84",  5,        32,   32,     99 * KIB, 1536,   65536,    255, BOTH_FP8) \
    ROW("sm_90",  "+ptx84",  5,        32,   32,    227 * KIB, 2048,   65536,    255, SINCE_90) \
    ROW("sm_90a", "+ptx84",  5,        32,   32,    227 * KIB, 2048,   65536,    255, ONLY_90) \
    ROW("sm_100", "+ptx86",  5,        32,   32,    227 * KIB, 2048,   65536,    255, SINCE_90) \
    ROW("sm_100a", "+ptx86", 5,        32,   32,    227 * KIB, 2048,   65536,    255, ONLY_100) \
    ROW("sm_103", "+ptx88",  5,        32,   32,    227 * KIB, 2048,   65536,    255, SINCE_90) \
    ROW("sm_120", "+ptx87",  5,        32,   32,     99 * KIB, 1536,   65536,    255, SINCE_120) \
    ROW("sm_121", "+ptx88",  5,        32,   32,     99 * KIB, 1536,   65536,    255, SINCE_120)
/* clang-format on */

#define CHIP_OF(...) {__VA_ARGS__},
static const Chip chips[] = {CHIPS(CHIP_OF)};
#undef CHIP_OF

#define NAME_OF(name, ...) name,
const char *const chip_names[] = {CHIPS(NAME_OF) NULL};
#undef NAME_OF

const char chip_64_lanes[] = "64 lanes";
static const Chip wide = {chip_64_lanes, NULL, 6, 32, 16, 64 * KIB, 2048, 131072, 255, 0};

const Chip *chip_find(const char *name)
{
    for (int i = 0; name && i < COUNT(chips); i++) {
        if (strcmp(chips[i].name, name) == 0)
            return &chips[i];
    }
    return name && strcmp(name, chip_64_lanes) == 0 ? &wide : &chips[0];
}
