/*
 * decode.c - find the row of the table that an instruction is
 *
 * The words behind a row's name must all be known to the row: types by their positions, modifiers
 * in any order.  Whatever no row takes is an error with the instruction's text: nothing is skipped
 * because it is unknown.
 */
#include <stdio.h>
#include <string.h>

#include "parser.h"

/* Words that a group of Row.modifiers stands for.  They advise caches, or order memory for others
 * than the hosts threads, which see everything in order; nothing here depends on them. */
static const struct {
    const char *group;
    const char *words;
} groups[] = {
    {"cache", "ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged L1::evict_first "
              "L1::evict_last L1::no_allocate L2::evict_first L2::evict_last L2::evict_normal "
              "L2::cache_hint L2::64B L2::128B L2::256B"},
    {"order", "weak relaxed acquire release acq_rel sc volatile mmio cta gpu sys cluster"},
    {"space", "global shared shared::cta local const param param::entry param::func"},
};

bool decode_misfit(Parser *p, Nearness near, const char *fmt, ...)
{
    va_list ap;

    if ((int)near <= p->nearest)
        return false;
    p->nearest = near;
    va_start(ap, fmt);
    vsnprintf(p->why, sizeof p->why, fmt, ap);
    va_end(ap);
    return false;
}

/* Is that word one of a list that is apart by blanks? */
static bool in_list(const char *list, const char *word, size_t n)
{
    while (*list) {
        size_t len = strcspn(list, " ");
        size_t skip = *list == '!';

        if (len - skip == n && memcmp(list + skip, word, n) == 0)
            return true;
        list += len;
        list += *list == ' ';
    }
    return false;
}

static bool allows(const PtxRow *row, const char *word, size_t n)
{
    if (in_list(row->modifiers, word, n))
        return true;
    for (int i = 0; i < COUNT(groups); i++) {
        if (in_list(groups[i].words, word, n) &&
            in_list(row->modifiers, groups[i].group, strlen(groups[i].group)))
            return true;
    }
    return false;
}

/* "m64n128k16" where the row has "m64n8+k16", columns by steps of 8, or "m64n16+k16", of 16 above
 * 32.  They are noted. */
static bool take_shape(const PtxRow *row, const char *word, size_t n, Inst *in)
{
    int columns, k, used = 0;
    char form[32];

    if (sscanf(word, "m64n%3dk%2d%n", &columns, &k, &used) != 2 || (size_t)used != n ||
        columns < 8 || columns > 256 || columns % 8 != 0)
        return false;
    in->columns = (uint16_t)columns;
    snprintf(form, sizeof form, "m64n8+k%d", k);
    if (in_list(row->modifiers, form, strlen(form)))
        return true;
    snprintf(form, sizeof form, "m64n16+k%d", k);
    return in_list(row->modifiers, form, strlen(form)) && (columns < 32 || columns % 16 == 0);
}

/* Are the modifiers there that the row must have? */
static bool has_required(const PtxRow *row, const Inst *in)
{
    for (const char *s = strchr(row->modifiers, '!'); s; s = strchr(s + 1, '!')) {
        PtxModifier m = ptx_modifier_from(s + 1, strcspn(s + 1, " "));

        if (m == MOD_COUNT)
            bug("the table has an unknown modifier '%s'", s);
        if (!has(in, m))
            return false;
    }
    return true;
}

/* The alternatives of the n-th position of Row.types, or NULL. */
static const char *types_at(const PtxRow *row, int n, char *list, size_t size)
{
    const char *s = row->types;

    for (; n > 0 && s; n--) {
        s = strchr(s, '|');
        s = s ? s + 1 : NULL;
    }
    if (!s || !*s)
        return NULL;
    snprintf(list, size, "%.*s", (int)strcspn(s, "|"), s);
    return list;
}

/* Take the words behind the name: "rn.f32". */
static bool match_words(Parser *p, const PtxRow *row, const char *words, Inst *in)
{
    int types = 0;
    char list[200];

    while (*words) {
        size_t n = strcspn(words, ".");
        PtxType type = ptx_type_from(words, n);

        if (type != PTX_NONE) {
            const char *wanted = types_at(row, types, list, sizeof list);

            if (!wanted || !in_list(wanted, words, n))
                return decode_misfit(p, NEAR_TYPES, "not with the type '%.*s'", (int)n, words);
            in->type[types++] = (uint8_t)type;
        } else if (allows(row, words, n)) {
            PtxModifier m = ptx_modifier_from(words, n);

            if (m != MOD_COUNT)
                in->mods.bits[m / 64] |= UINT64_C(1) << (m % 64);
        } else if (!take_shape(row, words, n, in)) {
            return decode_misfit(p, NEAR_MODIFIERS, "unknown modifier '%.*s'", (int)n, words);
        }
        words += n;
        words += *words == '.';
    }
    return !types_at(row, types, list, sizeof list) ||
           decode_misfit(p, NEAR_TYPES, "a type is missing");
}

static PtxSpace space_of(const Inst *in)
{
    if (has(in, MOD_SHARED))
        return SPACE_SHARED;
    if (has(in, MOD_LOCAL))
        return SPACE_LOCAL;
    if (has(in, MOD_PARAM))
        return SPACE_PARAM;
    return has(in, MOD_GLOBAL) || has(in, MOD_CONST) ? SPACE_GLOBAL : SPACE_GENERIC;
}

/* The comparison among its modifiers, MOD_COUNT for none. */
static PtxModifier comparison_of(const Inst *in)
{
    for (int m = MOD_EQ; m <= MOD_UNORDERED; m++) {
        if (has(in, (PtxModifier)m))
            return (PtxModifier)m;
    }
    return MOD_COUNT;
}

/* Put it into *in if it is that row's; else the parser stands where it stood. */
static bool try_row(Parser *p, const PtxRow *row, Sym word, Inst *in)
{
    size_t n = strlen(row->name);
    const Token *start = p->token;
    int fixups = p->fixups.len, var_fixups = p->var_fixups.len;
    Inst made = *in;

    if (strncmp(word, row->name, n) != 0 || (word[n] != '.' && word[n] != 0))
        return false;
    memset(made.type, PTX_NONE, sizeof made.type);
    made.run = row->run;
    made.is_control = row->is_control;
    if (!match_words(p, row, word + n + (word[n] == '.'), &made) || !has_required(row, &made))
        return false;
    made.space = (uint8_t)space_of(&made);
    made.compare = (uint8_t)comparison_of(&made);
    if (ptx_operands(p, row->operands, &made)) {
        *in = made;
        return true;
    }
    p->token = start;
    p->fixups.len = fixups;
    p->var_fixups.len = var_fixups;
    return false;
}

/* Parameters of functions lie in local memory, where only a name leads to. */
static void check_param(Parser *p, const Inst *in)
{
    if (in->space == SPACE_PARAM && !p->func->is_entry)
        ptx_error(p, in->line, "addresses of a function's parameters are not supported");
}

void decode_inst(Parser *p, Inst in)
{
    Sym word = p->token->word;
    Sym first = intern_n(p->names, word, strcspn(word, "."));
    const PtxRow *row = p->table->rows;

    p->token++;
    p->why[0] = 0;
    p->nearest = 0;
    for (int i = (int)(uintptr_t)map_get(p->rows, MAP_KEY(first)); i > 0 && i <= p->table->count;
         i++) {
        row = &p->table->rows[i - 1];
        if (strncmp(row->name, first, strlen(first)) != 0)
            break;
        if (try_row(p, row, word, &in)) {
            check_param(p, &in);
            vec_push(p->m->arena, &p->m->code, in);
            return;
        }
    }
    if (p->why[0])
        ptx_error(p, in.line, "unknown instruction '%s': %s", word, p->why);
    ptx_error(p, in.line, "unknown instruction '%s'", word);
}
