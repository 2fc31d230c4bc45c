/*
 * plan_print.c - a plan as text, for people (`tilec dump --stage plan`) and for tests
 *
 *     plan of scale_rows: 2 nests, 640 bytes of scratch
 *     buffer 0: i32, 256 bytes
 *     scalar: %3 = mul %1, %2 : i32
 *     nest [64,1] order 1 0 lanes 16 unroll 1
 *       fill 0: %12 = mul %9, %11 : i32[64,1]
 *     nest [64,32] order 0 1 lanes 16 unroll 2
 *       store: store %15, %14, %mask
 */
#include <string.h>

#include "plan_print.h"

const char *const plan_root_names[] = {"store", "atomic", "reduce", "scan", "count", "fill"};
const char *const plan_form_names[] = {"uniform", "shared",  "contiguous", "backwards",
                                       "spread",  "flipped", "record",     "steps",
                                       "indexed", "packed",  "lanes"};

static void print_access(PlanText *p, const AccessPlan *a, bool lined)
{
    text_printf(&p->out, "%s", plan_form_names[a->form]);
    if (a->form == FORM_STEPS)
        text_printf(&p->out, " of %lld%s", (long long)a->steps.stride,
                    a->steps.scale ? " scaled" : "");
    if (a->steps.every > 0)
        text_printf(&p->out, ", each for %d lanes", a->steps.every);
    if (a->steps.flip > 0)
        text_printf(&p->out, " by %d", a->steps.flip);
    if (a->form == FORM_RECORD)
        text_printf(&p->out,
                    a->group->apart ? " %lld of %lld..%lld apart" : " %lld of %lld..%lld by %d",
                    (long long)a->steps.sum.offset, (long long)a->group->low,
                    (long long)a->group->high, a->group->step);
    if (a->steps.chunked)
        text_put(&p->out, " in chunks");
    if (a->streaming)
        text_printf(&p->out, " streaming by %lld bytes", (long long)a->align);
    if (lined)
        text_put(&p->out, " from a line on");
}

static void print_leaves(PlanText *p, const Nest *n, int indent)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        bool again = false;
        for (int k = 0; leaf->load && k < i && !again; k++)
            again = n->leaves.at[k].access == leaf->access;
        if (!leaf->load || again)
            continue;
        text_printf(&p->out, "%*sread ", indent, "");
        print_access(p, leaf->access, false);
        text_printf(&p->out, ": %s\n", op_printer_text(p->ops, leaf->value->def));
    }
}

static void print_bounds(PlanText *p, const Nest *n, int indent)
{
    static const char *const names[] = {"row", "compare", "from", "or"};

    for (int i = 0; i < n->bounds.len; i++) {
        const Bound *b = &n->bounds.at[i];
        text_printf(&p->out, "%*sbound %s%s: ", indent, "", names[b->kind],
                    b->is_last ? " of all" : "");
        if (b->value->def)
            text_printf(&p->out, "%s\n", op_printer_text(p->ops, b->value->def));
        else
            text_printf(&p->out, "argument %d of the loop\n", b->value->index);
    }
}

const char *plan_gather_form(const Entry *e)
{
    return !e->access ? "" : e->access->form == FORM_CONTIGUOUS ? " contiguous" : " backwards";
}

static void print_special(PlanText *p, const Entry *e, int indent)
{
    if (e->kind == MAKE_GATHER)
        text_printf(&p->out, "%*sgather%s from %d%s: ", indent, "", plan_gather_form(e), e->buffer,
                    e->inside ? " inside" : "");
    else if (e->kind == MAKE_DIVIDE && !dtype_is_float(e->value->type->dtype))
        text_printf(&p->out, "%*s%s: ", indent, "",
                    e->in[DIVIDE_ROW] == NO_ENTRY ? "by multiplication" : "in runs");
    else if (e->kind == MAKE_DETOUR || e->kind == MAKE_DIVIDE)
        text_printf(&p->out, "%*sdetour: ", indent, "");
    else
        return;
    text_printf(&p->out, "%s\n", op_printer_text(p->ops, e->value->def));
}

/* Gathers, and what has a fast path that all lanes must agree on, of the rows and of the body that
 * most vectors take. */
static void print_specials(PlanText *p, const Nest *n, int indent)
{
    const Schedule *s = n->schedule;
    const Part parts[] = {PART_ROWS, s && s->part[PART_MAIN].len > 0 ? PART_MAIN : PART_MIXED};

    for (int k = 0; s && k < COUNT(parts); k++) {
        for (int i = 0; i < s->part[parts[k]].len; i++)
            print_special(p, &s->entries.at[s->part[parts[k]].at[i]], indent);
    }
}

static bool is_at_hand(const Plan *plan, const Value *result)
{
    int buffer = plan_buffer(plan, result);

    return buffer == NO_BUFFER || plan->buffers.at[buffer].folded;
}

static void print_at_hand(PlanText *p, const Op *scan)
{
    int at_hand = 0;

    for (int i = 0; i < scan->nresults; i++)
        at_hand += is_at_hand(p->plan, scan->results[i]);
    if (at_hand == scan->nresults)
        text_put(&p->out, ", at hand");
    else if (at_hand > 0)
        text_printf(&p->out, ", %d of %d at hand", at_hand, scan->nresults);
}

/* A scan begins with its first element, and runs the region from then on. */
static void print_combining(PlanText *p, const Root *r)
{
    static const char *const names[] = {
        [ALONG_LANES] = "lanes", [ALONG_ROWS] = "rows", [ALONG_ELEMENTS] = "elements"};
    OpCode by = r->combining.kind.neutral;

    text_printf(&p->out, " %s", names[r->combining.along]);
    OpCode first = r->combining.kind.winner;

    if (r->kind != ROOT_REDUCE) {
        print_at_hand(p, r->op);
        return;
    }
    text_printf(&p->out, " by %s", by == OP_COUNT ? "region" : op_info(by)->name);
    if (first != OP_COUNT && r->combining.along == ALONG_LANES)
        text_printf(&p->out, ", the first %s%s", op_info(first)->name,
                    r->combining.rising ? " of rising indices" : "");
}

static void print_root(PlanText *p, const Root *r, bool lined, int indent)
{
    text_printf(&p->out, "%*s", indent, "");
    if (r->kind != ROOT_FILL) {
        text_printf(&p->out, "%s", plan_root_names[r->kind]);
        if (r->kind == ROOT_ATOMIC && r->buffer != NO_BUFFER)
            text_printf(&p->out, " added up in %d", r->buffer);
        if (r->kind == ROOT_REDUCE || r->kind == ROOT_SCAN)
            print_combining(p, r);
        if (r->access) {
            text_put(&p->out, " ");
            print_access(p, r->access, lined);
        }
        text_printf(&p->out, ": %s\n", op_printer_text(p->ops, r->op));
    } else if (r->source != NO_BUFFER)
        text_printf(&p->out, "fill %d = buffer %d\n", r->buffer, r->source);
    else if (r->value->def)
        text_printf(&p->out, "fill %d: %s\n", r->buffer, op_printer_text(p->ops, r->value->def));
    else
        text_printf(&p->out, "fill %d = argument %d of the loop\n", r->buffer, r->value->index);
}

static const char *overlap_text(const Schedule *s)
{
    if (!s || !s->again)
        return "";
    if (s->edges)
        return s->whole ? " overlapping, edges first, whole rows" : " overlapping, edges first";
    return s->beyond ? " reaching beyond" : " overlapping";
}

void plan_put_head(PlanText *p, const Nest *n, int indent)
{
    int rank = nest_tile_rank(n);

    text_printf(&p->out, "%*snest [", indent, "");
    for (int d = 0; d < rank; d++)
        text_printf(&p->out, "%s%d", d ? "," : "", n->dims[d]);
    text_put(&p->out, "] order");
    for (int d = 0; d < n->rank; d++) {
        if (n->order[d] < rank)
            text_printf(&p->out, " %d", n->order[d]);
    }
    if (n->serial)
        text_put(&p->out, " serial");
    else
        text_printf(&p->out, " lanes %d unroll %d%s", n->lanes, n->unroll,
                    overlap_text(n->schedule));
    if (n->schedule && n->schedule->rows > 1)
        text_printf(&p->out, ", %d rows at once", n->schedule->rows);
    if (n->schedule && n->schedule->strips)
        text_put(&p->out, n->schedule->picks ? ", in strips from the last row, which pick numbers"
                                             : ", in strips");
    if (n->schedule && n->schedule->planes > 1)
        text_printf(&p->out, ", %d planes at once", n->schedule->planes);
    if (p->plan->split.most > 1 && !p->plan->split.loop && n->split < 0)
        text_put(&p->out, ", all of it in each part");
    else if (p->plan->split.most > 1 && !p->plan->split.loop)
        text_printf(&p->out, ", in parts along %d", n->split);
    text_put(&p->out, "\n");
}

/* The value that an entry is for, as the plan's text has it: in `%x, %y = op ..`. */
void plan_put_value(PlanText *p, const Value *v)
{
    const char *text = v->def ? op_printer_text(p->ops, v->def) : "";

    if (!v->def) {
        text_printf(&p->out, " argument %d", v->index);
        return;
    }
    for (int i = 0; i < v->index; i++)
        text += strcspn(text, " ") + 1;
    text_printf(&p->out, " %.*s", (int)strcspn(text, ", "), text);
}

static void print_keep(PlanText *p, const Keep *k, int indent)
{
    text_printf(&p->out, "%*skept in %d slot%s, known in %d", indent, "", k->slots,
                k->slots == 1 ? "" : "s", k->keys);
    for (int i = 0; i < k->nby; i++) {
        text_put(&p->out, i ? "," : " by");
        plan_put_value(p, k->by[i]);
    }
    text_put(&p->out, k->strips    ? ", for several programs, which go in strips\n"
                      : k->several ? ", for several programs\n"
                                   : "\n");
}

static void print_ahead(PlanText *p, const Ahead *a, int indent)
{
    text_printf(&p->out, "%*sprefetch ", indent, "");
    if (a->rows > 0)
        text_printf(&p->out, "%d rows on", a->rows);
    else
        text_printf(&p->out, "%d/%d", a->share, AHEAD_PARTS);
    text_printf(&p->out, " to L%d: %s\n", a->level, op_printer_text(p->ops, a->leaf.value->def));
}

static void print_pieces(PlanText *p, const Nest *n, int indent)
{
    for (int i = 0; i < n->pieces.len; i++) {
        const Quotient *q = &n->pieces.at[i];
        text_printf(&p->out, "%*sin pieces%s where %s %s ", indent, "",
                    n->aligned ? " of whole vectors" : "", op_printer_value(p->ops, q->dividend),
                    quotient_compares(q) ? "<"
                    : q->down            ? ">>"
                                         : "//");
        if (quotient_compares(q))
            text_printf(&p->out, "%lld stays\n", (long long)q->from);
        else if (q->number > 0)
            text_printf(&p->out, "%lld stays\n",
                        q->down ? (long long)__builtin_ctzll((uint64_t)q->number)
                                : (long long)q->number);
        else
            text_printf(&p->out, "%s stays\n", op_printer_value(p->ops, q->divisor));
    }
    if (n->whole)
        text_printf(&p->out, "%*sif each is %d elements or more, else\n", indent, "", n->least);
}

static void print_full(PlanText *p, const Nest *n, int indent)
{
    for (int i = 0; i < n->full.len; i++)
        text_printf(&p->out, "%*s%s %s", i == 0 ? indent : 0, "", i == 0 ? "full while" : ",",
                    op_printer_value(p->ops, n->full.at[i]));
    if (n->full.len > 0)
        text_put(&p->out, "\n");
}

static void print_place(PlanText *p, const Nest *n, int indent)
{
    if (n->place == 0)
        return;
    const Buffer *b = &p->plan->buffers.at[n->place - 1];
    const Value *v = b->in_place->results[0];
    int operand = uses_of(&p->plan->uses, v)->operand, same = b->same[operand];
    text_printf(&p->out, "%*sunless %s is in place, where %d programs have the same along", indent,
                "", op_printer_value(p->ops, v), PLACE_PROGRAMS);
    for (int axis = 0; axis < 3; axis++) {
        if ((same >> axis & 1) != 0)
            text_printf(&p->out, " %c", "xyz"[axis]);
    }
    if (b->waits >> PLACE_BOTH & 1)
        text_put(&p->out, ", in loops of one round");
    else if (b->waits >> operand & 1)
        text_put(&p->out, ", and of the other operand, or in loops of one round");
    text_put(&p->out, "\n");
}

static void print_nest(PlanText *p, const Nest *n, int indent)
{
    plan_put_head(p, n, indent);
    if (n->result != 0)
        text_printf(&p->out, "%*sunless the product stores buffer %d, where rows are apart\n",
                    indent + 2, "", n->result - 1);
    if (n->unless)
        text_printf(&p->out, "%*s%s\n", indent + 2, "",
                    n->unless->code == OP_dot ? "in registers of the product behind it"
                                              : "unless the loop behind it has a round");
    print_pieces(p, n, indent + 2);
    if (n->whole)
        print_nest(p, n->whole, indent + 4);
    if (n->direct) {
        text_printf(&p->out, "%*swithout the table\n", indent + 2, "");
        print_nest(p, n->direct, indent + 4);
    }
    if (n->keep != 0)
        print_keep(p, &p->plan->keeps.at[n->keep - 1], indent + 2);
    print_bounds(p, n, indent + 2);
    print_full(p, n, indent + 2);
    print_place(p, n, indent + 2);
    print_leaves(p, n, indent + 2);
    print_specials(p, n, indent + 2);
    for (int i = 0; i < n->roots.len; i++)
        print_root(p, &n->roots.at[i], i == n->lined - 1, indent + 2);
    for (int i = 0; i < n->ahead.len; i++)
        print_ahead(p, &n->ahead.at[i], indent + 2);
}

static void print_sort(PlanText *p, const Step *s, int indent)
{
    text_printf(&p->out, "%*sin rows of %d vectors of %d lanes", indent, "", 1 << s->sort.bits,
                s->sort.lanes);
    if (s->sort.kept != SORT_ALL)
        text_printf(&p->out, ", the first %d of each lane", 1 << s->sort.kept);
    text_printf(&p->out, ", by %d:\n", s->sort.work);
}

static void print_dot(PlanText *p, const DotPlan *d, int indent)
{
    static const char *const by[] = {
        [DOT_FMA] = "", [DOT_PAIRS] = "by pairs ", [DOT_VNNI] = "by vnni ", [DOT_AMX] = ""};

    text_printf(&p->out, "%*s", indent, "");
    if (d->unit == DOT_AMX)
        text_printf(&p->out,
                    "by amx in blocks of %d rows, %d tiles of %d columns, %d high, %d deep",
                    d->rows, d->vectors, d->lanes, d->height, d->depth);
    else
        text_printf(&p->out, "%sin blocks of %d rows, %d vectors of %d lanes", by[d->unit], d->rows,
                    d->vectors, d->lanes);
    if (d->packed != NO_BUFFER)
        text_printf(&p->out, ", packed by %d in %d", d->group, d->packed);
    if (d->sums != NO_BUFFER)
        text_printf(&p->out, ", its sums in %d", d->sums);
    if (d->widened != NO_BUFFER)
        text_printf(&p->out, ", a in %d", d->widened);
    if (d->rounds > 1)
        text_printf(&p->out, ", %d rounds together", d->rounds);
    if (d->keep != 0 && d->packed != NO_BUFFER)
        text_put(&p->out, ", kept");
    for (int i = 0; i < COUNT(d->asks); i++) {
        if (d->asks[i])
            text_printf(&p->out, ", %s of the next rounds ahead", i == DOT_A ? "a" : "b");
        if (d->from[i].rows > 0)
            text_printf(&p->out, ", %d rows of %d bytes ahead for %s", d->from[i].rows,
                        d->from[i].bytes, i == DOT_A ? "a" : "b");
    }
    for (int i = 0; i < LIVES; i++) {
        static const char *const of[] = {"rows", "columns", "elements along k"};
        if (d->live[i])
            text_printf(&p->out, ", %s while %s", of[i], op_printer_value(p->ops, d->live[i]));
    }
    text_put(&p->out, ":\n");
}

static void print_whole(PlanText *p, const Whole *w, int indent)
{
    text_printf(&p->out, "%*sone product, where tiles lie in memory one behind the other", indent,
                "");
    if (w->dense_columns)
        text_printf(&p->out, ", of up to %d rows by vectors along k", w->most);
    else if (w->few > 0)
        text_printf(&p->out, ", of up to %d rows in blocks of %d by %d vectors", w->most, w->few,
                    DOT_MAX_VECTORS);
    if (w->thin && !w->dense_columns)
        text_put(&p->out, ", and of no more");
    if (w->column)
        text_put(&p->out, ", of one column by vectors along k");
    text_put(&p->out, ":\n");
}

static void print_block(PlanText *p, const BlockPlan *b, int indent)
{
    static const char *const names[] = {"scalar", "nest", "dot",   "sort",
                                        "record", "for",  "while", "if"};

    for (int i = 0; i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST) {
            print_nest(p, s->nest, indent);
            continue;
        }
        if (s->kind == STEP_DOT)
            print_dot(p, &s->dot, indent);
        if (s->kind == STEP_SORT)
            print_sort(p, s, indent);
        if (s->whole)
            print_whole(p, s->whole, indent);
        text_printf(&p->out, "%*s%s: %s%s\n", indent, "", names[s->kind],
                    s->body[0] ? op_info(s->op->code)->name : op_printer_text(p->ops, s->op),
                    p->plan->split.loop && s->op == p->plan->split.loop ? ", in parts" : "");
        for (int r = 0; r < 2; r++) {
            if (!s->body[r])
                continue;
            if (r == 1)
                text_printf(&p->out, "%*s%s\n", indent, "", s->kind == STEP_IF ? "else" : "do");
            print_block(p, s->body[r], indent + 2);
        }
    }
}

static int count_nests(const BlockPlan *b)
{
    int n = 0;

    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        n += (s->kind == STEP_NEST) + count_nests(s->body[0]) + count_nests(s->body[1]);
    }
    return n;
}

static void print_split(PlanText *p, const Split *s)
{
    if (s->most < 2)
        return;
    text_printf(&p->out, "parts: up to %d, ", s->most);
    if (s->loop)
        text_put(&p->out, "of rounds of the loop");
    for (int i = 0; i < s->ifs.len; i++) {
        const SplitIf *c = &s->ifs.at[i];
        text_printf(&p->out, "%s%lld", i ? " and " : ", if ", (long long)c->pitch);
        if (c->scale)
            text_printf(&p->out, " %s", op_printer_value(p->ops, c->scale));
        text_put(&p->out, c->limit ? " >= " : " > ");
        if (c->limit)
            text_put(&p->out, op_printer_value(p->ops, c->limit));
        if (c->limit && c->reach < INT64_MAX)
            text_put(&p->out, " or > ");
        if (c->reach < INT64_MAX)
            text_printf(&p->out, "%lld", (long long)c->reach);
    }
    for (int i = 0; i < s->ranges.len; i++)
        text_printf(&p->out, "%s%d elements by %d", i ? ", of " : "of ", s->ranges.at[i].extent,
                    s->ranges.at[i].unit);
    text_put(&p->out, "\n");
}

/* `tilec run --time` looks for this line (cli/hint.c). */
static void print_hint(PlanText *p, const Plan *plan)
{
    PlanHint hint;

    if (plan_hint(plan, &hint))
        text_printf(&p->out,
                    "hint: rows of %d in vectors of %d: longer rows would take less than half the "
                    "time for each element\n",
                    hint.row, hint.vector);
}

const char *plan_text(const Plan *plan, Arena *a)
{
    PlanText p = {.out = text_new(a), .plan = plan, .ops = op_printer_new(plan->func, a)};
    const char *const order[] = {"", ", programs along y first", ", programs along z first"};
    int nests = count_nests(plan->body);

    text_printf(&p.out, "plan of %s: %d nest%s, %lld bytes of scratch%s\n", plan->func->name, nests,
                nests == 1 ? "" : "s", (long long)plan->scratch, order[plan->first_axis]);
    for (int i = 0; i < plan->buffers.len; i++) {
        const Buffer *b = &plan->buffers.at[i];
        if (b->bytes == 0)
            continue;
        text_printf(&p.out, "buffer %d: %s%s, %lld bytes%s", i, b->pointer ? "*" : "",
                    dtype_name(b->dtype), (long long)b->bytes, b->biased ? ", each 128 more" : "");
        if (b->tables > 1)
            text_printf(&p.out, ", counted in %d tables", b->tables);
        text_put(&p.out, "\n");
    }
    print_split(&p, &plan->split);
    print_block(&p, plan->body, 0);
    print_hint(&p, plan);
    return p.out.s;
}
