/*
 * operand.c - the operands of an instruction, and the places of registers and constants
 *
 * A row of the table says what it wants; parser.h has the letters.  Whatever comes, register,
 * value, special register or the address of a variable, becomes a place in the register file.
 */
#include <stdio.h>
#include <string.h>

#include "parser.h"

enum { MOST_OPERANDS = 144, ADDRESSES = 3, MOST_FILE_BYTES = 1 << 28 };

/* The operands of one instruction while they are read. */
typedef struct {
    Parser *p;
    Inst *in;
    uint32_t place[MOST_OPERANDS];
    int n;
    int addresses; /* of Inst.at that are set */
} Reading;

static const char *const specials[] = {
#define TEXT_OF_SPECIAL(name, text) text,
    SPECIALS(TEXT_OF_SPECIAL)
#undef TEXT_OF_SPECIAL
};

uint32_t place_new(Parser *p, int bits)
{
    uint32_t place = p->m->file_bytes;
    uint32_t bytes = bits == 1 ? 4 : (uint32_t)(LANES * bits / 8);

    if (place > MOST_FILE_BYTES)
        ptx_error(p, p->token ? p->token->line : 0, "too many registers");
    p->m->file_bytes += (bytes + FILE_ALIGN - 1) / FILE_ALIGN * FILE_ALIGN;
    return place;
}

/* The place of a value in all lanes; the same one for equal values. */
static uint32_t place_of_const(Parser *p, int bits, uint64_t value)
{
    if (bits < 64)
        value &= (UINT64_C(1) << bits) - 1;
    uint64_t key = hash_bytes(&value, sizeof value, (uint64_t)bits);
    void *known = map_get(p->const_places, key);

    if (known) {
        const PtxConst *c = &p->m->consts.at[(uintptr_t)known - 1];

        if (c->bits == bits && c->value == value)
            return c->place;
    }
    PtxConst c = {.place = place_new(p, bits), .bits = bits, .value = value};
    vec_push(p->m->arena, &p->m->consts, c);
    map_put(p->const_places, key, (void *)(uintptr_t)p->m->consts.len);
    return c.place;
}

/* The address of a variable as a constant, known when all are. */
static uint32_t place_of_var(Parser *p, int bits, const PtxVar *v, uint64_t offset)
{
    PtxConst c = {.place = place_new(p, bits), .bits = bits, .value = offset, .var = v};

    vec_push(p->m->arena, &p->m->consts, c);
    return c.place;
}

#define misfit(p, ...) decode_misfit(p, NEAR_OPERANDS, __VA_ARGS__)

static bool put_operand_place(Reading *r, uint32_t place)
{
    if (r->n == MOST_OPERANDS)
        return misfit(r->p, "too many operands");
    r->place[r->n++] = place;
    return true;
}

uint64_t ptx_number_bits(const Token *t, int bits, bool negative)
{
    uint64_t value = t->value;

    if (t->is_float && t->bits == 64 && bits == 32) {
        double d;
        float f;

        memcpy(&d, &value, sizeof d);
        f = (float)d;
        value = 0;
        memcpy(&value, &f, sizeof f);
    }
    if (negative)
        return t->is_float ? value ^ UINT64_C(1) << (MIN(bits, 64) - 1) : -value;
    return value;
}

static bool read_number(Reading *r, int bits)
{
    Parser *p = r->p;
    bool negative = ptx_mark(p, '-');

    if (p->token->kind != TOKEN_NUMBER)
        return misfit(p, "a number is missing");
    uint64_t value = ptx_number_bits(p->token++, bits, negative);
    return put_operand_place(r, place_of_const(p, bits, bits == 1 ? value != 0 : value));
}

/* `+N` behind a name, if it is there. */
static int64_t read_offset(Parser *p)
{
    bool minus = ptx_mark(p, '-');

    if (!minus && !ptx_mark(p, '+'))
        return 0;
    minus ^= ptx_mark(p, '-');
    if (p->token->kind != TOKEN_NUMBER)
        ptx_error(p, p->token->line, "a number is missing");
    uint64_t n = p->token++->value;
    return (int64_t)(minus ? -n : n);
}

static bool read_special(Reading *r, Sym name, int bits)
{
    if (strcmp(name, "WARP_SZ") == 0)
        return put_operand_place(r, place_of_const(r->p, bits, LANES));
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        if (strcmp(specials[i], name) == 0 && bits == 32)
            return put_operand_place(r, (uint32_t)i * SPECIAL_BYTES);
    }
    return misfit(r->p, "'%s' is not known here", name);
}

/* What is read: a register of that width, 0 for any; or something that has its value. */
static bool read_source(Reading *r, int bits)
{
    Parser *p = r->p;

    if (p->token->kind != TOKEN_WORD)
        return read_number(r, bits ? bits : 64);
    Sym name = p->token->word;
    Symbol *s = ptx_lookup(p, name);
    p->token++;
    if (!s)
        return read_special(r, name, bits);
    if (s->kind == SYMBOL_VAR && bits >= 32)
        return put_operand_place(r, place_of_var(p, bits, s->var, (uint64_t)read_offset(p)));
    if (s->kind != SYMBOL_REG)
        return misfit(p, "'%s' is no register", name);
    if (bits && s->bits != bits)
        return misfit(p, "'%s' has %d bits, not %d", name, s->bits, bits);
    return put_operand_place(r, s->place);
}

/* A register that is written, or `_`. */
static bool read_target(Reading *r, int bits, int *had)
{
    Parser *p = r->p;

    if (p->token->kind != TOKEN_WORD)
        return misfit(p, "a register is missing");
    Sym name = p->token->word;
    Symbol *s = ptx_lookup(p, name);
    p->token++;
    if (strcmp(name, "_") == 0) {
        *had = bits ? bits : 64;
        return put_operand_place(r, p->trash);
    }
    if (!s || s->kind != SYMBOL_REG)
        return misfit(p, "'%s' is no register", name);
    if (bits && s->bits != bits)
        return misfit(p, "'%s' has %d bits, not %d", name, s->bits, bits);
    *had = s->bits;
    return put_operand_place(r, s->place);
}

static bool read_register(Reading *r, bool written, int bits)
{
    int had;

    return written ? read_target(r, bits, &had) : read_source(r, bits);
}

/* The width of the register that comes next; a number has 64 bits. */
static int next_width(const Parser *p)
{
    Symbol *s = p->token->kind == TOKEN_WORD ? ptx_lookup(p, p->token->word) : NULL;

    return s && s->kind == SYMBOL_REG ? s->bits : 64;
}

/* One of any width but that of a predicate, for the type of that position; its width is noted.  A
 * value is as wide as its type. */
static bool read_any_width(Reading *r, bool written, int which)
{
    Parser *p = r->p;
    PtxType type = (PtxType)r->in->type[which];
    bool is_word = p->token->kind == TOKEN_WORD && strcmp(p->token->word, "_") != 0;
    int bits = is_word ? next_width(p) : 64;

    if (!is_word && !written && type != PTX_NONE)
        bits = MAX(16, ptx_type_bits[type]);
    if (bits < 16 || bits < ptx_type_bits[type])
        return misfit(p, "a register is too narrow");
    r->in->bytes[which] = (uint8_t)(bits / 8);
    return read_register(r, written, bits);
}

/* `{a, b}` by .v2 and its kin, or one alone; all of one width. */
static bool read_vector_operand(Reading *r, bool written)
{
    Parser *p = r->p;
    Inst *in = r->in;
    int n = has(in, MOD_V2) ? 2 : has(in, MOD_V4) ? 4 : has(in, MOD_V8) ? 8 : 1;

    in->count = (uint8_t)n;
    if (n == 1 && !ptx_mark(p, '{'))
        return read_any_width(r, written, 0);
    if (n > 1 && !ptx_mark(p, '{'))
        return misfit(p, "a list of %d registers is missing", n);
    for (int i = 0; i < n; i++) {
        int before = in->bytes[0];

        if ((i > 0 && !ptx_mark(p, ',')) || !read_any_width(r, written, 0))
            return misfit(p, "a list of %d registers is missing", n);
        if (i > 0 && in->bytes[0] != before)
            return misfit(p, "registers of different widths");
    }
    return ptx_mark(p, '}') || misfit(p, "a list of more than %d registers", n);
}

/* `{a, b, ...}` of exactly so many. */
static bool read_list(Reading *r, bool written, int n, int bits)
{
    Parser *p = r->p;
    bool braces = ptx_mark(p, '{');

    if (!braces && n > 1)
        return misfit(p, "a list of %d registers is missing", n);
    for (int i = 0; i < n; i++) {
        if (i > 0 && !ptx_mark(p, ','))
            return misfit(p, "a list of %d registers is missing", n);
        if (!read_register(r, written, bits))
            return false;
    }
    return !braces || ptx_mark(p, '}') || misfit(p, "a list of more than %d registers", n);
}

/* `[`, and what stands behind it as far as the address goes. */
static bool open_address(Reading *r)
{
    Parser *p = r->p;
    PtxAddress a = {.base = NO_OPERAND};

    if (r->addresses == ADDRESSES || !ptx_mark(p, '['))
        return misfit(p, "an address is missing");
    if (p->token->kind == TOKEN_NUMBER) {
        a.offset = (int64_t)p->token++->value;
    } else {
        Sym name = ptx_word(p, "a name");
        Symbol *s = ptx_lookup(p, name);

        if (s && s->kind == SYMBOL_VAR) {
            VarFixup f = {(uint32_t)p->m->code.len, r->addresses, s->var};

            vec_push(p->scratch, &p->var_fixups, f);
            if (r->in->space == SPACE_PARAM)
                r->in->space = (uint8_t)s->var->space;
        } else if (s && s->kind == SYMBOL_REG && s->bits >= 32) {
            a.base = s->place;
            a.wide = s->bits == 64;
        } else {
            return misfit(p, "'%s' is no address", name);
        }
        a.offset = read_offset(p);
    }
    r->in->at[r->addresses++] = a;
    return true;
}

static bool read_address(Reading *r)
{
    return open_address(r) && (ptx_mark(r->p, ']') || misfit(r->p, "']' is missing"));
}

/* `[map, {x, y}]`: the address of a tensor map, and so many coordinates. */
static bool read_tile(Reading *r, int rank)
{
    if (!open_address(r))
        return false;
    if (!ptx_mark(r->p, ','))
        return misfit(r->p, "the coordinates are missing");
    return read_list(r, false, rank, 32) && (ptx_mark(r->p, ']') || misfit(r->p, "']' is missing"));
}

static bool read_predicate(Reading *r, bool written)
{
    Parser *p = r->p;

    if (!written && ptx_mark(p, '!'))
        r->in->not_op = true;
    return read_register(r, written, 1);
}

static bool read_label(Reading *r)
{
    Parser *p = r->p;
    Fixup f = {.depth = p->depth, .inst = (uint32_t)p->m->code.len, .line = p->token->line};

    if (p->token->kind != TOKEN_WORD)
        return misfit(p, "a label is missing");
    f.label = p->token++->word;
    vec_push(p->scratch, &p->fixups, f);
    return true;
}

static bool read_clock(Reading *r)
{
    static const char *const clocks[] = {"%clock", "%clock64", "%globaltimer", "%clock_hi",
                                         "%globaltimer_lo"};
    Parser *p = r->p;

    for (int i = 0; i < COUNT(clocks) && p->token->kind == TOKEN_WORD; i++) {
        if (strcmp(p->token->word, clocks[i]) == 0) {
            p->token++;
            return true;
        }
    }
    return misfit(p, "no clock");
}

/* `(a, b)` of a call: each variable lies where the function has its own. */
static bool read_call_list(Reading *r, PtxVar *const *vars, int n)
{
    Parser *p = r->p;

    for (int i = 0; i < n; i++) {
        Sym name = i == 0 || ptx_mark(p, ',') ? ptx_word(p, "an argument") : NULL;
        Symbol *s = name ? ptx_lookup(p, name) : NULL;

        if (!s || s->kind != SYMBOL_VAR || !s->var->is_argument)
            return misfit(p, "an argument of a call is no parameter");
        if (s->var->bytes != vars[i]->bytes)
            return misfit(p, "an argument of %d bytes for a parameter of %d", (int)s->var->bytes,
                          (int)vars[i]->bytes);
        s->var->same_as = vars[i];
    }
    return ptx_mark(p, ')') || misfit(p, "a call with other arguments than its function");
}

/* `(results), function, (arguments)`, each list only where there are some. */
static bool read_call(Reading *r)
{
    Parser *p = r->p;
    const Token *results = p->token;

    if (ptx_mark(p, '(')) {
        while (p->token->kind == TOKEN_WORD ||
               (p->token->kind == TOKEN_MARK && p->token->mark == ','))
            p->token++;
        if (!ptx_mark(p, ')') || !ptx_mark(p, ','))
            return misfit(p, "no call");
    }
    Sym name = ptx_word(p, "a function");
    Symbol *s = ptx_lookup(p, name);
    if (!s || s->kind != SYMBOL_FUNC || s->func->is_entry)
        return misfit(p, "'%s' is no function", name);
    r->in->target = NO_TARGET;
    vec_push(p->scratch, &p->calls, ((CallFixup){(uint32_t)p->m->code.len, s->func, p->func}));
    const Token *after = p->token;
    if (s->func->results.len > 0) {
        p->token = results;
        ptx_expect(p, '(');
        if (!read_call_list(r, s->func->results.at, s->func->results.len))
            return false;
        p->token = after;
    }
    if (!ptx_mark(p, ','))
        return s->func->params.len == 0 || misfit(p, "arguments are missing");
    ptx_expect(p, '(');
    if (s->func->params.len == 0)
        return ptx_mark(p, ')') || misfit(p, "a function without parameters");
    return read_call_list(r, s->func->params.at, s->func->params.len);
}

/* The operand that the letters at `spec` ask for. */
static bool read_operand(Reading *r, const char *spec, bool written)
{
    Inst *in = r->in;
    Parser *p = r->p;
    int n, bits;

    if (*spec >= '0' && *spec < '0' + MAX_TYPES)
        return in->type[*spec - '0'] == PTX_PRED
                   ? read_predicate(r, written)
                   : read_register(r, written, ptx_type_bits[in->type[*spec - '0']]);
    if (sscanf(spec, "{%d:%d}", &n, &bits) == 2)
        return read_list(r, written, n, bits);
    switch (*spec) {
    case 'w':
        return read_register(r, written, 2 * ptx_type_bits[in->type[0]]);
    case 'h':
        return read_register(r, written, 16);
    case 'i':
        return read_register(r, written, 32);
    case 'd':
        return read_register(r, written, 64);
    case 'p':
        return read_predicate(r, written);
    case 'x':
    case 'y':
        return read_any_width(r, written, *spec - 'x');
    case 'v':
        return read_vector_operand(r, written);
    case 'a':
        return read_address(r);
    case 'g':
        return read_tile(r, spec[1] - '0');
    case 'm':
        n = in->columns / (in->type[0] == PTX_F16 ? 4 : 2);
        return n > 0 ? read_list(r, written, n, 32) : misfit(p, "its shape is missing");
    case 'k':
        return p->token->kind == TOKEN_WORD ? misfit(p, "a number is missing") : read_number(r, 32);
    case 'l':
        return read_label(r);
    case 't':
        return read_clock(r);
    case 'c':
        return read_call(r);
    case 'n':
        if (p->token->kind != TOKEN_NUMBER)
            return misfit(p, "a number is missing");
        in->number = (int64_t)p->token++->value;
        return true;
    default:
        bug("the table asks for an operand '%s'", spec);
    }
}

/* One word of a spec, without its comma. */
static bool read_word_operand(Reading *r, const char *spec)
{
    bool written = *spec == '=';
    const char *second = strstr(spec, "|p");

    if (!read_operand(r, spec + written, written))
        return false;
    if (second && second < spec + strcspn(spec, " ") &&
        !(ptx_mark(r->p, '|') ? read_register(r, true, 1) : put_operand_place(r, NO_OPERAND)))
        return false;
    if (written)
        r->in->results = (uint8_t)r->n;
    return true;
}

static bool at_end(const Parser *p)
{
    return p->token->kind == TOKEN_MARK && p->token->mark == ';';
}

bool ptx_operands(Parser *p, const char *spec, Inst *in)
{
    Reading r = {.p = p, .in = in};
    bool first = true;

    in->results = 0;
    for (; *spec; spec += strcspn(spec, " "), spec += *spec == ' ') {
        bool optional = *spec == '?';

        if (*spec == '-' || (optional && at_end(p))) {
            put_operand_place(&r, NO_OPERAND);
            continue;
        }
        if (!first && !ptx_mark(p, ','))
            return misfit(p, "an operand is missing");
        if (!read_word_operand(&r, spec + optional))
            return false;
        first = false;
    }
    if (!ptx_mark(p, ';'))
        return misfit(p, "there are too many operands");
    uint32_t *kept = NEW_N(p->m->arena, uint32_t, MAX(r.n, 1));
    memcpy(kept, r.place, (size_t)r.n * sizeof *kept);
    in->op = kept;
    in->nops = (uint8_t)r.n;
    return true;
}
