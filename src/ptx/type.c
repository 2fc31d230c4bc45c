/*
 * type.c - the words of PTX: types and modifiers
 */
#include <string.h>

#include "ptx.h"

#define TEXT_OF_TYPE(name, text, bits) text,
static const char *const ptx_type_names[] = {PTX_TYPES(TEXT_OF_TYPE) "none"};
#undef TEXT_OF_TYPE

#define BITS_OF_TYPE(name, text, bits) bits,
const uint8_t ptx_type_bits[] = {PTX_TYPES(BITS_OF_TYPE) 0};
#undef BITS_OF_TYPE

#define TEXT_OF_MODIFIER(name, text) text,
static const char *const modifiers[] = {PTX_MODIFIERS(TEXT_OF_MODIFIER)};
#undef TEXT_OF_MODIFIER

static int find_word(const char *const *words, int n, const char *word, size_t len)
{
    for (int i = 0; i < n; i++) {
        if (strncmp(words[i], word, len) == 0 && words[i][len] == 0)
            return i;
    }
    return n;
}

PtxType ptx_type_from(const char *word, size_t n)
{
    return (PtxType)find_word(ptx_type_names, PTX_TYPE_COUNT, word, n);
}

PtxModifier ptx_modifier_from(const char *word, size_t n)
{
    /* a block's own shared memory, and parameters, go by several names */
    static const struct {
        const char *word;
        PtxModifier is;
    } same[] = {
        {"shared::cta", MOD_SHARED}, {"param::entry", MOD_PARAM}, {"param::func", MOD_PARAM}};

    for (int i = 0; i < COUNT(same); i++) {
        if (strlen(same[i].word) == n && memcmp(same[i].word, word, n) == 0)
            return same[i].is;
    }
    return (PtxModifier)find_word(modifiers, MOD_COUNT, word, n);
}
