/*
 * print_control.c - loops and branches as statements
 *
 * What a loop carries, and what a branch gives, is assigned to names.  A branch of which one arm is
 * empty, and hands on what nobody else reads, assigns to the name of that in the other.
 */
#include <string.h>

#include "../opt/opt.h"
#include "print.h"

/* Does an expression of v read the carried value? */
static bool mentions(const Writer *p, const Value *v, const Value *arg)
{
    if (v == arg)
        return true;
    if (!v->def || (map_get(p->names, MAP_KEY(v)) && v->def))
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (mentions(p, v->def->operands[i], arg))
            return true;
    }
    return false;
}

static const Block *body_of(const Op *loop)
{
    return loop->regions[loop->code == OP_while];
}

static int carried_count(const Op *loop)
{
    return body_of(loop)->last->noperands;
}

/* Does a `while` hand carried value i, as it is, to its body as argument k? */
static bool hands_on(const Op *loop, int i, int k)
{
    const Block *head = loop->regions[0];

    return head->last->operands[k + 1] == head->args[i];
}

/* In the body; of a `while` whose condition alone reads it, there. */
static const Value *carried(const Op *loop, int i)
{
    if (loop->code == OP_for)
        return body_of(loop)->args[i + 1];
    for (int k = 0; k < loop->nresults; k++) {
        if (hands_on(loop, i, k))
            return body_of(loop)->args[k];
    }
    return loop->regions[0]->args[i];
}

/* May carried value i be assigned before the rest of those that are not yet? */
static bool may_go_first(const Writer *p, const Op *loop, const bool *done, int i)
{
    for (int k = 0; k < carried_count(loop); k++) {
        if (k != i && !done[k] && mentions(p, body_of(loop)->last->operands[k], carried(loop, i)))
            return false;
    }
    return !done[i];
}

static const char *carried_name(const Writer *p, const Op *loop, int i)
{
    return map_get(p->names, MAP_KEY(carried(loop, i)));
}

/* What reads each other's values of this round is assigned at once. */
static void put_rest(Writer *p, const Op *loop, const bool *done)
{
    const char *comma = "";

    print_begin(p);
    for (int i = 0; i < carried_count(loop); i++) {
        if (done[i])
            continue;
        text_printf(&p->text, "%s%s", comma, carried_name(p, loop, i));
        comma = ", ";
    }
    comma = " = ";
    for (int i = 0; i < carried_count(loop); i++) {
        if (done[i])
            continue;
        text_put(&p->text, comma);
        put_value(p, body_of(loop)->last->operands[i], LEVEL_ANY);
        comma = ", ";
    }
    put_end(p, loop);
}

/* The op whose expression v is; NULL: it is a name, or a number of no particular line. */
static const Op *made_here(const Writer *p, const Value *v)
{
    bool is_made = v->def && v->def->code != OP_const && !map_get(p->names, MAP_KEY(v));

    return is_made ? v->def : NULL;
}

/* " += x", " -= x": what is added to the carried value; NULL: the next one is made otherwise. */
static const char *added_to(Writer *p, const Op *op, const Value *arg)
{
    const bool adds = op && (op->code == OP_add || op->code == OP_addptr);
    Writer w = *p;

    if (op && op->code == OP_sub && op->operands[0] == arg) {
        w.text = text_new(p->arena);
        text_put(&w.text, " -= ");
        put_bare(&w, op->operands[1], LEVEL_ANY);
        return w.text.s;
    }

    if (!adds || (op->operands[0] != arg && (op->operands[1] != arg || op->code != OP_add)))
        return NULL;
    w.text = text_new(p->arena);
    text_put(&w.text, " += ");
    put_bare(&w, op->operands[op->operands[0] == arg], LEVEL_ANY);
    return strchr(w.text.s, '-') == w.text.s + 4 ? NULL : w.text.s;
}

static bool is_called(const Writer *p, const Value *v, const char *name)
{
    const char *own = map_get(p->names, MAP_KEY(v));

    return own && strcmp(own, name) == 0;
}

/* Carried values for the next round, in an order in which none is lost that is still read. */
static void put_next(Writer *p, const Op *loop)
{
    const Block *body = body_of(loop);
    bool *done = NEW_N(p->arena, bool, carried_count(loop) + 1);
    int left = carried_count(loop);

    for (int i = 0; i < carried_count(loop);) {
        if (!may_go_first(p, loop, done, i)) {
            i++;
            continue;
        }
        done[i] = true;
        left--;
        if (!is_called(p, body->last->operands[i], carried_name(p, loop, i))) {
            const Value *next = body->last->operands[i];
            if (made_here(p, next))
                print_shorten(p, next, 4 * p->indent + (int)strlen(carried_name(p, loop, i)) + 4);
            const char *more = added_to(p, made_here(p, next), carried(loop, i));
            print_begin(p);
            text_printf(&p->text, "%s%s", carried_name(p, loop, i), more ? more : " = ");
            if (!more)
                put_value(p, next, LEVEL_ANY);
            put_end(p, made_here(p, next));
        }
        i = 0;
    }
    if (left > 0)
        put_rest(p, loop, done);
}

/* A literal is an i32 or fp32 where nothing stands beside it. */
static void put_first(Writer *p, const Value *init)
{
    DType t = init->type->dtype;
    bool is_plain = t == DT_I32 || t == DT_FP32 || t == DT_I1 || init->type->rank > 0;

    if (!init->def || init->def->code != OP_const || is_plain) {
        put_value(p, init, LEVEL_ANY);
        return;
    }
    text_put(&p->text, "tl.full([], ");
    put_value(p, init, LEVEL_ANY);
    text_printf(&p->text, ", tl.%s)", dtype_long_name(t));
}

/* All that carried value i is called in a `while`. */
static void put_names_of(Writer *p, const Op *loop, int i, const char *name)
{
    map_put(p->names, MAP_KEY(loop->regions[0]->args[i]), (void *)name);
    for (int k = 0; k < loop->nresults; k++) {
        if (!hands_on(loop, i, k))
            continue;
        map_put(p->names, MAP_KEY(body_of(loop)->args[k]), (void *)name);
        map_put(p->names, MAP_KEY(loop->results[k]), (void *)name);
    }
}

static void put_carried(Writer *p, const Op *loop)
{
    int first = loop->code == OP_for ? FOR_BOUNDS : 0;

    for (int i = 0; i < carried_count(loop); i++) {
        const Value *init = loop->operands[first + i], *arg = carried(loop, i);
        const Value *out = i < loop->nresults ? loop->results[i] : NULL;
        const char *wish = arg->name          ? arg->name
                           : out && out->name ? out->name
                           : out              ? print_name_of_sum(p, out)
                                              : NULL;
        if (!wish && !opt_made_by(init, OP_const)) /* of which all that are equal have one name */
            wish = init->name;
        const char *name = print_new_name(p, print_plain_name(p, wish, "carried"));

        print_shorten(p, init, 4 * p->indent + (int)strlen(name) + 3);
        print_begin(p);
        text_printf(&p->text, "%s = ", name);
        put_first(p, init);
        put_end(p, made_here(p, init));
        map_put(p->names, MAP_KEY(arg), (void *)name);
        if (loop->code == OP_for)
            map_put(p->names, MAP_KEY(loop->results[i]), (void *)name);
        else
            put_names_of(p, loop, i, name);
    }
}

void put_loop(Writer *p, const Op *loop)
{
    const Block *body = loop->regions[0];
    const char *counter = print_new_name(p, print_plain_name(p, body->args[0]->name, "i"));
    int64_t step, stages = attr_num_stages(loop);

    put_carried(p, loop);
    map_put(p->names, MAP_KEY(body->args[0]), (void *)counter);
    print_shorten(p, loop->operands[FOR_HI], LINE / 2);
    print_begin(p);
    text_printf(&p->text, "for %s in %srange(", counter, stages ? "tl." : "");
    put_value(p, loop->operands[FOR_LO], LEVEL_ANY);
    text_put(&p->text, ", ");
    put_value(p, loop->operands[FOR_HI], LEVEL_ANY);
    if (!value_const_int(loop->operands[FOR_STEP], &step) || step != 1) {
        text_put(&p->text, ", ");
        put_value(p, loop->operands[FOR_STEP], LEVEL_ANY);
    }
    if (stages)
        text_printf(&p->text, ", num_stages=%d", (int)stages);
    text_put(&p->text, ")");
    print_enter(p, loop);
    put_block(p, body);
    put_next(p, loop);
    print_leave(p);
}

static bool is_handed_on(const Op *loop, int k)
{
    for (int i = 0; i < loop->regions[0]->nargs; i++) {
        if (hands_on(loop, i, k))
            return true;
    }
    return false;
}

/* What the condition reads goes by the names of what is carried. */
void put_while(Writer *p, const Op *loop)
{
    const Block *head = loop->regions[0];

    for (int k = 0; k < loop->nresults; k++) {
        if (is_handed_on(loop, k))
            continue;
        grad_refuse(p->g, loop, "this `while` cannot be written as source yet");
        return;
    }
    put_carried(p, loop);
    for (const Op *op = head->first; op && op != head->last && !p->g->failed; op = op->next) {
        bool is_used_once = op->nresults == 1 && uses_count(&p->uses, op->results[0]) == 1;
        if (!is_used_once && !print_is_inline(op->results[0]))
            grad_refuse(p->g, op, "the condition of a `while` cannot be written as source yet");
    }
    print_begin(p);
    text_put(&p->text, "while ");
    put_value(p, head->last->operands[0], LEVEL_ANY);
    print_enter(p, loop);
    put_block(p, body_of(loop));
    put_next(p, loop);
    print_leave(p);
}

static bool is_empty(const Op *branch, int arm)
{
    return branch->regions[arm]->first == branch->regions[arm]->last;
}

static const char *name_of(const Writer *p, const Value *v)
{
    return map_get(p->names, MAP_KEY(v));
}

static void put_results(Writer *p, const Op *branch, int arm)
{
    for (int i = 0; i < branch->nresults; i++) {
        const Value *v = branch->regions[arm]->last->operands[i];
        const Value *kept = branch->regions[1 - arm]->last->operands[i];
        const char *name = name_of(p, branch->results[i]);
        if (is_called(p, v, name))
            continue;
        print_shorten(p, v, 4 * p->indent + (int)strlen(name) + 3);
        const char *more = is_called(p, kept, name) ? added_to(p, made_here(p, v), kept) : NULL;
        print_begin(p);
        text_printf(&p->text, "%s%s", name, more ? more : " = ");
        if (!more)
            put_first(p, v);
        put_end(p, made_here(p, v));
    }
}

static bool is_in(const Op *op, const Op *branch)
{
    for (; op; op = op->block->owner) {
        if (op == branch)
            return true;
    }
    return false;
}

/* Is it what the loop carries on as this value, maybe changed by branches that follow? */
static bool becomes(const Value *v, const Op *loop, int i)
{
    const Value *next = body_of(loop)->last->operands[i];

    while (next != v) {
        const Op *branch = next->def;
        if (!branch || branch->code != OP_if || branch->block != v->block)
            return false;
        const int other = is_empty(branch, 0) && !is_empty(branch, 1) ? 1 : 0;
        next = branch->regions[1 - other]->last->operands[next->index];
    }
    return true;
}

/* Is what an empty arm hands on read by nobody but the other arm, which may change it then? */
static bool goes_on(const Writer *p, const Op *branch, int empty, int i)
{
    const Block *other = branch->regions[1 - empty];
    const Value *v = branch->regions[empty]->last->operands[i];
    const Op *owner = branch->block->owner;
    const bool is_carried = !v->def && owner && owner->code == OP_for && v->index > 0 &&
                            becomes(branch->results[i], owner, v->index - 1);

    if (v->block != branch->block || !name_of(p, v) ||
        !(is_carried || (v->def && v->def->code == OP_if)))
        return false;
    for (int k = 0; k < uses_count(&p->uses, v); k++) {
        if (!is_in(uses_of(&p->uses, v)[k].op, branch))
            return false;
    }
    for (int k = 0; k < branch->nresults; k++) {
        if (k != i && (branch->regions[empty]->last->operands[k] == v ||
                       mentions(p, other->last->operands[k], v)))
            return false;
    }
    return true;
}

static void put_arm(Writer *p, const Op *branch, int arm)
{
    put_block(p, branch->regions[arm]);
    put_results(p, branch, arm);
    print_leave(p);
}

static void put_condition(Writer *p, const Op *branch, int arm)
{
    const Value *condition = branch->operands[0];
    Level level = arm == 1 && !print_opposite(p, condition) ? LEVEL_COMPARE : LEVEL_ANY;

    print_shorten(p, condition, 4 * p->indent + 8);
    print_begin(p);
    text_put(&p->text, level == LEVEL_COMPARE ? "if not " : "if ");
    if (arm == 1 && level == LEVEL_ANY)
        put_opposite(p, condition);
    else
        put_value(p, condition, level);
    print_enter(p, branch);
}

/* An arm that computes nothing stands in front, as what holds otherwise. */
void put_branch(Writer *p, const Op *branch)
{
    int first = is_empty(branch, 0) && !is_empty(branch, 1), other = 1 - first;

    for (int i = 0; i < branch->nresults; i++) {
        const Value *v = branch->results[i];
        const char *wish = v->name ? v->name : branch->regions[first]->last->operands[i]->name;
        const char *name = is_empty(branch, other) && goes_on(p, branch, other, i)
                               ? name_of(p, branch->regions[other]->last->operands[i])
                               : print_new_name(p, print_plain_name(p, wish, "chosen"));
        map_put(p->names, MAP_KEY(v), (void *)name);
    }
    if (is_empty(branch, other))
        put_results(p, branch, other);
    put_condition(p, branch, first);
    put_arm(p, branch, first);
    if (is_empty(branch, other))
        return;
    print_begin(p);
    text_put(&p->text, "else");
    print_enter(p, NULL);
    put_arm(p, branch, other);
}
