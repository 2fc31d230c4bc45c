/*
 * asm_text.c - reads inline PTX: declarations, and instructions with their operands and predicates
 *
 * The text is run once for each element: where `pack` puts several beside each other into
 * registers, copies of one stand there, since nothing is promised on which elements meet.  There
 * are no jumps and no memory, so a text is a list of instructions, and one behind a predicate
 * chooses between what its result was and what it would be.
 */
#include "asm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VECTOR = 4 };

/* A register and what it holds; value NULL: nothing yet.  One bit: a predicate. */
typedef struct {
    const char *name;
    int bits;
    Value *value;
} Register;

/* An operand as it stands there: a word, maybe behind a `!`, or several words between braces. */
typedef struct {
    const char *words[MOST_VECTOR];
    int n;
    bool is_vector, negated;
} Operand;

typedef struct {
    Asm a;
    const Op *op;
    Arena *arena;
    const char *at; /* what is left of the text */
    VEC(Register) registers;
    const char *why; /* it cannot be read */
} Reader;

static bool refuse(Reader *r, const char *fmt, const char *what)
{
    Text t = text_new(r->arena);

    text_printf(&t, fmt, what);
    if (!r->why)
        r->why = t.s;
    return false;
}

static Value *refuse_value(Reader *r, const char *fmt, const char *what)
{
    refuse(r, fmt, what);
    return NULL;
}

/* --- words --- */

static void skip_comment(Reader *r)
{
    if (r->at[1] == '/') {
        r->at += strcspn(r->at, "\n");
        return;
    }
    const char *end = strstr(r->at + 2, "*/");
    r->at = end ? end + 2 : r->at + strlen(r->at);
}

static void skip_spaces(Reader *r)
{
    for (;;) {
        r->at += strspn(r->at, " \t\n\r");
        if (r->at[0] != '/' || (r->at[1] != '/' && r->at[1] != '*'))
            return;
        skip_comment(r);
    }
}

static bool accept(Reader *r, char c)
{
    skip_spaces(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* Letters that names, types and numbers have; NULL: there are none. */
static const char *read_word(Reader *r)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$%-+:";

    skip_spaces(r);
    size_t n = strspn(r->at, letters);
    const char *word = n > 0 && n < ASM_MOST_LETTERS ? arena_strndup(r->arena, r->at, n) : NULL;
    r->at += word ? n : 0;
    return word;
}

static bool read_operand(Reader *r, Operand *out)
{
    *out = (Operand){.negated = accept(r, '!'), .is_vector = accept(r, '{')};
    do {
        out->words[out->n] = read_word(r);
        if (!out->words[out->n++])
            return refuse(r, "an operand cannot be read in front of `%s`", r->at);
    } while (out->is_vector && out->n < MOST_VECTOR && accept(r, ','));
    return !out->is_vector || accept(r, '}') ||
           refuse(r, "`%s` does not end its braces", out->words[0]);
}

/* --- registers --- */

static Register *find_register(Reader *r, const char *name)
{
    for (int i = r->registers.len - 1; i >= 0; i--) {
        if (strcmp(r->registers.at[i].name, name) == 0)
            return &r->registers.at[i];
    }
    return NULL;
}

static void declare(Reader *r, const char *name, int bits, Value *value)
{
    vec_push(r->arena, &r->registers, ((Register){name, bits, value}));
}

/* NAME<4> is NAME0 to NAME3. */
static bool declare_many(Reader *r, const char *name, int bits)
{
    enum { MOST = 1024 };
    char *end;
    long n = strtol(r->at, &end, 10);

    r->at = end;
    if (n < 0 || n > MOST || !accept(r, '>'))
        return refuse(r, "the registers `%s<` have no number that can be read", name);
    for (long i = 0; i < n; i++) {
        Text t = text_new(r->arena);
        text_printf(&t, "%s%ld", name, i);
        declare(r, t.s, bits, NULL);
    }
    return true;
}

/* .reg .TYPE NAME, NAME.. */
static bool read_declaration(Reader *r, const char *word)
{
    const char *type = word[4] ? word + 4 : read_word(r);
    const AsmType *t = type && *type == '.' ? asm_type(type + 1, strlen(type + 1)) : NULL;

    if (!t)
        return refuse(r, "registers cannot be of type `%s` here", type ? type : "");
    do {
        const char *name = read_word(r);
        if (!name)
            return refuse(r, "a register has no name in front of `%s`", r->at);
        if (!accept(r, '<'))
            declare(r, name, t->bits, NULL);
        else if (!declare_many(r, name, t->bits))
            return false;
    } while (accept(r, ','));
    return true;
}

static DType word_of_bits(int bits)
{
    return bits == 1    ? DT_I1
           : bits == 8  ? DT_U8
           : bits == 16 ? DT_U16
           : bits == 32 ? DT_U32
                        : DT_U64;
}

/* --- operands --- */

/* 0f3F800000, 0d..., 1.5; false: no such number. */
static bool float_literal(const char *word, double *out)
{
    char *end;

    if (word[0] == '0' && (word[1] == 'f' || word[1] == 'F') && strlen(word) == 10) {
        *out = scalar_to_double(DT_FP32, strtoull(word + 2, &end, 16));
        return !*end;
    }
    if (word[0] == '0' && (word[1] == 'd' || word[1] == 'D') && strlen(word) == 18) {
        *out = scalar_to_double(DT_FP64, strtoull(word + 2, &end, 16));
        return !*end;
    }
    if (!strpbrk(word, "."))
        return false;
    *out = double_from_text(word, (const char **)&end);
    return !*end;
}

static bool int_literal(const char *word, int64_t *out)
{
    bool negative = *word == '-';
    const char *digits = word + (negative || *word == '+');
    char *end;

    if (!isdigit((unsigned char)*digits))
        return false;
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    uint64_t v = strtoull(digits + (binary ? 2 : 0), &end, binary ? 2 : 0);
    *out = (int64_t)(negative ? -v : v);
    return !*end || (strcmp(end, "U") == 0);
}

/* A float's digits in the place of bits, `mov.b32 r, 0f40000000`. */
static bool bits_literal(const char *word, int bits, int64_t *out)
{
    double real;

    if (word[0] != '0' ||
        (bits == 32 ? !strchr("fF", word[1]) : bits != 64 || !strchr("dD", word[1])) ||
        !float_literal(word, &real))
        return false;
    *out = (int64_t)strtoull(word + 2, NULL, 16);
    return true;
}

static Value *read_literal(Reader *r, const char *word, const AsmType *t)
{
    int64_t number = 0;
    double real = 0;

    if (t->lanes == 1 && dtype_is_float(t->dtype) && float_literal(word, &real))
        return asm_float(&r->a, t->dtype, real);
    if (!int_literal(word, &number) && !bits_literal(word, t->bits, &number)) {
        refuse(r,
               *word == '%' ? "`%s` is a register of a GPU, or not declared"
                            : "`%s` is neither a register that was declared nor a number",
               word);
        return NULL;
    }
    Value *bits = asm_int(&r->a, word_of_bits(t->bits), number);
    return t->lanes > 1 ? bits : asm_bitcast(&r->a, bits, t->dtype);
}

/* In the dtype of the type; pairs as the bits of both. */
static Value *read_value(Reader *r, const char *word, const AsmType *t, bool may_be_wider)
{
    const Register *g = find_register(r, word);

    if (!g)
        return read_literal(r, word, t);
    if (!g->value)
        return refuse_value(r, "`%s` holds nothing yet", word);
    if (g->bits != t->bits && !(may_be_wider && g->bits > t->bits))
        return refuse_value(r, "`%s` has another width than its instruction", word);
    Value *v = asm_cast(&r->a, g->value, word_of_bits(t->bits));
    return t->lanes > 1 || t->bits == 1 ? v : asm_bitcast(&r->a, v, t->dtype);
}

static const AsmType *type_twice(const AsmType *t)
{
    return t->bits == 16 ? asm_type("b32", 3) : asm_type("b64", 3);
}

static bool operand_value(Reader *r, AsmInst *in, char letter, const Operand *o, Value **out)
{
    const AsmType *t = letter == '0'                    ? in->type[0]
                       : letter == '1' || letter == 'x' ? in->type[1]
                       : letter == 'w'                  ? type_twice(in->type[0])
                       : letter == 'p'                  ? asm_type("pred", 4)
                                                        : asm_type("b32", 3);
    int64_t number;

    if (o->is_vector || (o->negated && t->bits != 1))
        return refuse(r, "`%s` stands where no such operand may", o->words[0]);
    if (letter == 'n') {
        if (!int_literal(o->words[0], &number))
            return refuse(r, "`%s` has to be a number that is written there", o->words[0]);
        in->number = (uint32_t)number;
        return true;
    }
    *out = read_value(r, o->words[0], t, letter == 'x');
    if (*out && o->negated)
        *out = asm_op(&r->a, OP_not, *out, NULL);
    return *out != NULL;
}

/* --- results --- */

/* Where the predicate is false the register keeps what it had; what nobody set is 0. */
static bool set_register(Reader *r, const char *name, Value *v, Value *guard)
{
    Register *g = find_register(r, name);
    int bits = v->type->dtype == DT_I1 ? 1 : dtype_bits(v->type->dtype);

    if (!g || g->bits != bits)
        return refuse(r, g ? "`%s` has another width than its instruction" : "`%s` is not declared",
                      name);
    if (guard) {
        Value *was = g->value ? g->value : build_const(&r->a.b, v->type, 0);
        v = build_select(&r->a.b, guard, v, was);
    }
    g->value = v;
    return true;
}

/* The result of `x` may lie in a wider register, and then has its sign there. */
static Value *result_bits(Reader *r, const AsmInst *in, const char *name, Value *v)
{
    const Register *g = find_register(r, name);
    bool is_signed = dtype_is_signed(in->type[0]->dtype);

    if (*in->row->result == 'x' && g && g->bits > in->type[0]->bits) {
        DType wide = word_of_bits(g->bits);
        if (is_signed)
            wide = g->bits == 16 ? DT_I16 : g->bits == 32 ? DT_I32 : DT_I64;
        v = asm_cast(&r->a, v, wide);
    }
    return asm_bits(&r->a, v);
}

/* --- instructions --- */

static Value *half_of(Reader *r, Value *pair, const AsmType *t, int lane)
{
    int bits = t->bits / t->lanes;
    Value *part = asm_op(&r->a, OP_shr, pair, asm_int(&r->a, pair->type->dtype, lane * bits));

    return asm_bitcast(&r->a, asm_cast(&r->a, part, word_of_bits(bits)), t->dtype);
}

/* An instruction of pairs, for each half. */
static Value *make_lanes(Reader *r, const AsmInst *in, int n, Value **v)
{
    const AsmType *t = in->type[0];
    DType whole = word_of_bits(t->bits);
    Value *out = NULL;

    for (int lane = 0; lane < t->lanes; lane++) {
        Value *half[ASM_MOST_OPERANDS];
        for (int i = 0; i < n; i++)
            half[i] = half_of(r, v[i], t, lane);
        Value *x = in->row->make(&r->a, in, half);
        if (!x)
            return NULL;
        x = asm_cast(&r->a, asm_bits(&r->a, x), whole);
        x = asm_op(&r->a, OP_shl, x, asm_int(&r->a, whole, lane * t->bits / t->lanes));
        out = out ? asm_op(&r->a, OP_or, out, x) : x;
    }
    return out;
}

/* mov.b32 {LOW, HIGH}, WHOLE */
static bool unpack(Reader *r, const Operand *parts, const Operand *whole, const AsmType *t,
                   Value *guard)
{
    int bits = t->bits / parts->n;
    Value *v = whole->is_vector ? NULL : read_value(r, whole->words[0], t, false);

    for (int i = 0; v && i < parts->n; i++) {
        Value *part = asm_op(&r->a, OP_shr, v, asm_int(&r->a, v->type->dtype, i * bits));
        if (strcmp(parts->words[i], "_") != 0 &&
            !set_register(r, parts->words[i], asm_cast(&r->a, part, word_of_bits(bits)), guard))
            return false;
    }
    return v != NULL;
}

/* mov.b32 WHOLE, {LOW, HIGH} */
static bool pack(Reader *r, const Operand *whole, const Operand *parts, const AsmType *t,
                 Value *guard)
{
    int bits = t->bits / parts->n;
    const AsmType part = {.dtype = word_of_bits(bits), .lanes = 1, .bits = bits};
    DType wide = word_of_bits(t->bits);
    Value *out = asm_int(&r->a, wide, 0);

    for (int i = 0; i < parts->n; i++) {
        Value *v = read_value(r, parts->words[i], &part, false);
        if (!v)
            return false;
        Value *places = asm_int(&r->a, wide, i * bits);
        v = asm_op(&r->a, OP_shl, asm_cast(&r->a, v, wide), places);
        out = asm_op(&r->a, OP_or, out, v);
    }
    return set_register(r, whole->words[0], out, guard);
}

static bool move_parts(Reader *r, const char *name, const Operand *to, const Operand *from,
                       Value *guard)
{
    const AsmType *t = strncmp(name, "mov.b", 5) == 0 ? asm_type(name + 4, strlen(name + 4)) : NULL;
    const Operand *parts = to->is_vector ? to : from;

    if (!t || (to->is_vector && from->is_vector) || t->bits % parts->n || t->bits / parts->n < 8 ||
        t->bits / parts->n == t->bits)
        return refuse(r, "`%s` does not move registers like these", name);
    return to->is_vector ? unpack(r, to, from, t, guard) : pack(r, to, from, t, guard);
}

static bool run(Reader *r, const char *name, const Operand *to, int n, const Operand *from,
                Value *guard)
{
    Value *v[ASM_MOST_OPERANDS] = {NULL}, *out;
    AsmInst in;

    if (strncmp(name, "mov.", 4) == 0 && n == 1 && (to->is_vector || from->is_vector))
        return move_parts(r, name, to, from, guard);
    if (to->is_vector || !asm_row(name, n, &in))
        return refuse(r, "`%s` is no instruction that is known here", name);
    for (int i = 0; i < n; i++) {
        if (!operand_value(r, &in, in.row->operands[i], &from[i], &v[i]))
            return false;
    }
    if (in.type[0]->lanes > 1 && !in.row->pairs)
        out = make_lanes(r, &in, n, v);
    else
        out = in.row->make(&r->a, &in, v);
    if (!out)
        return refuse(r, "`%s` is no instruction that is known here", name);
    return set_register(r, to->words[0], result_bits(r, &in, to->words[0], out), guard);
}

/* @PREDICATE or @!PREDICATE; *out is NULL where there is none. */
static bool read_guard(Reader *r, Value **out)
{
    Operand o;

    *out = NULL;
    if (!accept(r, '@'))
        return true;
    if (!read_operand(r, &o))
        return false;
    *out = read_value(r, o.words[0], asm_type("pred", 4), false);
    if (*out && o.negated)
        *out = asm_op(&r->a, OP_not, *out, NULL);
    return *out != NULL;
}

/* A declaration, or [@PREDICATE] INSTRUCTION RESULT, OPERAND.. */
static bool read_statement(Reader *r)
{
    Operand to, from[ASM_MOST_OPERANDS];
    Value *guard;
    int n = 0;

    if (!read_guard(r, &guard))
        return false;
    const char *name = read_word(r);
    if (!name)
        return refuse(r, "there is no instruction in front of `%s`", r->at);
    if (strncmp(name, ".reg", 4) == 0)
        return read_declaration(r, name);
    skip_spaces(r);
    if (*r->at == '[' || *r->at == ';' || !*r->at) /* memory, barriers, labels */
        return refuse(r, "`%s` is no instruction that is known here", name);
    if (!read_operand(r, &to))
        return false;
    while (accept(r, ',')) {
        skip_spaces(r);
        if (n == ASM_MOST_OPERANDS || *r->at == '[')
            return refuse(r, "`%s` is no instruction that is known here", name);
        if (!read_operand(r, &from[n++]))
            return false;
    }
    return run(r, name, &to, n, from, guard);
}

/* Braces between statements only keep names apart. */
static bool read_statements(Reader *r)
{
    for (;;) {
        skip_spaces(r);
        r->at += strspn(r->at, "{};");
        skip_spaces(r);
        if (!*r->at)
            return true;
        if (strchr("{};", *r->at))
            continue;
        if (!read_statement(r))
            return false;
        skip_spaces(r);
        if (*r->at && !strchr(";}", *r->at))
            return refuse(r, "a `;` is missing in front of `%s`", r->at);
    }
}

/* --- results and operands of the op --- */

static const char *register_name(Reader *r, int i)
{
    Text t = text_new(r->arena);

    text_printf(&t, "$%d", i);
    return t.s;
}

/* Word `w` of what copies of an element fill: several of a small one, with zeros behind the last,
 * or a part of a large one. */
static Value *word_with(Reader *r, Value *v, int bits, int w, int pack)
{
    int own = dtype_bits(v->type->dtype), copies = MIN(MAX(bits / own, 1), pack);
    DType t = word_of_bits(bits);
    Value *out = NULL;

    if (own > bits) {
        int part = w % (own / bits);
        v = asm_op(&r->a, OP_shr, v, asm_int(&r->a, v->type->dtype, part * bits));
        return asm_cast(&r->a, v, t);
    }
    v = asm_cast(&r->a, v, t);
    for (int i = 0; i < copies; i++) {
        Value *x = i ? asm_op(&r->a, OP_shl, v, asm_int(&r->a, t, i * own)) : v;
        out = out ? asm_op(&r->a, OP_or, out, x) : x;
    }
    return out;
}

/* An i1 is a byte. */
static Value *element_bits(Reader *r, Value *v)
{
    return v->type->dtype == DT_I1 ? asm_cast(&r->a, v, DT_U8) : asm_bits(&r->a, v);
}

static bool declare_values(Reader *r, const AsmConstraints *c)
{
    int at = 0;

    for (int i = 0; i < r->op->nresults + r->op->noperands; i++) {
        Value *v = i < r->op->nresults ? NULL : r->op->operands[i - r->op->nresults];
        const Type *t = v ? v->type : r->op->results[i]->type;

        if (t->pointer)
            return refuse(r, "it takes %s", "addresses");
        for (int w = 0; w < c->words[i]; w++, at++) {
            const AsmConstraint *x = &c->all.at[at];
            if (x->bits == 1)
                return refuse(r, "it takes %s", "predicates");
            Value *word =
                v ? word_with(r, element_bits(r, v), x->bits, w, (int)attr_pack(r->op)) : NULL;
            declare(r, register_name(r, at), x->bits, word);
            if (x->same >= 0)
                r->registers.at[x->same].value = word;
        }
    }
    return true;
}

/* The first element of the registers from `at` on. */
static Value *first_element(Reader *r, const Type *t, int at)
{
    int own = t->dtype == DT_I1 ? 8 : dtype_bits(t->dtype), bits = r->registers.at[at].bits;
    DType word = word_of_bits(own);
    Value *out = asm_cast(&r->a, r->registers.at[at].value, word);

    for (int w = 1; w < own / bits; w++) {
        Value *x = asm_cast(&r->a, r->registers.at[at + w].value, word);
        x = asm_op(&r->a, OP_shl, x, asm_int(&r->a, word, w * bits));
        out = asm_op(&r->a, OP_or, out, x);
    }
    if (t->dtype != DT_I1)
        return asm_bitcast(&r->a, out, t->dtype);
    out = asm_op(&r->a, OP_and, out, asm_int(&r->a, DT_U8, 1));
    return asm_op(&r->a, OP_ne, out, asm_int(&r->a, DT_U8, 0));
}

static bool take_results(Reader *r, const AsmConstraints *c, Value **results)
{
    int at = 0;

    for (int i = 0; i < r->op->nresults; i++) {
        for (int w = 0; w < c->words[i]; w++) {
            if (!r->registers.at[at + w].value)
                return refuse(r, "`%s` is never set", r->registers.at[at + w].name);
        }
        results[i] = first_element(r, r->op->results[i]->type, at);
        at += c->words[i];
    }
    return true;
}

const char *asm_read(Op *op, Value **results)
{
    Builder b = builder_before(op);
    Reader r = {
        .a = {b, op->results[0]->type}, .op = op, .arena = b.module->arena, .at = attr_asm(op)};
    AsmConstraints c;

    if (!asm_constraints(r.arena, op, &c))
        return "its constraints do not fit its results and operands";
    if (declare_values(&r, &c) && read_statements(&r) && take_results(&r, &c, results))
        return NULL;
    return r.why;
}
