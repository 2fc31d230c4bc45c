/*
 * constraints.c - which registers a text of inline assembly has for its results and operands
 *
 * One letter says what a register is, `=r`, as LLVM has it.  Values take as many registers, one
 * behind the other, as their `pack` elements fill, and one at least.
 */
#include <ctype.h>
#include <string.h>

#include "inline_ptx.h"

/* Bits of the register behind a letter; 0: nobody knows it. */
static int bits_of_letter(char c)
{
    switch (c) {
    case 'b':
        return 1;
    case 'c':
    case 'h':
        return 16;
    case 'r':
    case 'f':
        return 32;
    case 'l':
    case 'd':
        return 64;
    default:
        return 0;
    }
}

/* False: a constraint that is none. */
static bool read_constraints(Arena *arena, const Op *op, AsmConstraints *out)
{
    for (const char *s = attr_constraints(op); *s;) {
        AsmConstraint c = {.text = s, .len = (int)strcspn(s, ","), .same = -1};
        size_t skip = strspn(s, "=&+ \n");

        c.result = memchr(s, '=', (size_t)c.len) != NULL;
        if (isdigit((unsigned char)s[skip]) && s[skip] - '0' < out->all.len)
            c.same = s[skip] - '0';
        c.bits = c.same >= 0 ? out->all.at[c.same].bits : bits_of_letter(s[skip]);
        if (s[skip] != '~' && c.bits == 0)
            return false;
        if (s[skip] != '~')
            vec_push(arena, &out->all, c);
        s += c.len + (s[c.len] == ',');
    }
    return true;
}

static const Value *value_at(const Op *op, int i)
{
    return i < op->nresults ? op->results[i] : op->operands[i - op->nresults];
}

bool asm_constraints(Arena *arena, const Op *op, AsmConstraints *out)
{
    enum { MOST_BITS = 128 }; /* of one value: what a thread of a GPU moves at once */
    int n = op->nresults + op->noperands, at = 0;
    int *words = NEW_N(arena, int, n + 1);

    *out = (AsmConstraints){.words = words};
    if (!read_constraints(arena, op, out))
        return false;
    for (int i = 0; i < n; i++) {
        const AsmConstraint *x = at < out->all.len ? &out->all.at[at] : NULL;
        int bits = 8 * type_size(value_at(op, i)->type) * (int)attr_pack(op);
        if (!x || x->result != (i < op->nresults) || bits > MOST_BITS)
            return false;
        words[i] = MAX(bits / x->bits, 1);
        at += words[i];
        if (at > out->all.len)
            return false;
    }
    return at == out->all.len;
}
