/*
 * plan_print.c - a plan as text, for people (`tilec dump --stage plan`) and for golden tests
 *
 *     plan of scale_rows: 2 nests, 640 bytes of scratch
 *     buffer 0: i32, 256 bytes
 *     scalar: %3 = mul %1, %2 : i32
 *     nest [64,1] order 1 0 lanes 16 unroll 1
 *       fill 0: %12 = mul %9, %11 : i32[64,1]
 *     nest [64,32] order 0 1 lanes 16 unroll 2
 *       store: store %15, %14, %mask
 */
#include "plan_internal.h"

static const char *const root_names[] = {"store", "atomic", "reduce", "scan", "fill"};

typedef struct {
    Text out;
    Printer *ops;
} PlanText;

static const char *const form_names[] = {"uniform", "shared",  "contiguous", "record",
                                         "steps",   "indexed", "lanes"};

static void print_access(PlanText *p, const AccessPlan *a)
{
    text_printf(&p->out, "%s", form_names[a->form]);
    if (a->form == FORM_STEPS)
        text_printf(&p->out, " of %lld%s", (long long)a->steps.stride,
                    a->steps.scale ? " scaled" : "");
    if (a->form == FORM_RECORD)
        text_printf(&p->out, " %lld of %lld..%lld by %d", (long long)a->offset,
                    (long long)a->group->low, (long long)a->group->high, a->group->step);
    if (a->steps.chunked)
        text_put(&p->out, " in chunks");
    if (a->streaming)
        text_printf(&p->out, " streaming by %lld bytes", (long long)a->align);
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
        print_access(p, leaf->access);
        text_printf(&p->out, ": %s\n", op_printer_text(p->ops, leaf->value->def));
    }
}

static void print_bounds(PlanText *p, const Nest *n, int indent)
{
    static const char *const names[] = {"row", "compare", "or"};

    for (int i = 0; i < n->bounds.len; i++) {
        const Bound *b = &n->bounds.at[i];
        text_printf(&p->out, "%*sbound %s: ", indent, "", names[b->kind]);
        if (b->value->def)
            text_printf(&p->out, "%s\n", op_printer_text(p->ops, b->value->def));
        else
            text_printf(&p->out, "argument %d of the loop\n", b->value->index);
    }
}

static void print_root(PlanText *p, const Root *r, int indent)
{
    text_printf(&p->out, "%*s", indent, "");
    if (r->kind != ROOT_FILL) {
        text_printf(&p->out, "%s", root_names[r->kind]);
        if (r->access) {
            text_put(&p->out, " ");
            print_access(p, r->access);
        }
        text_printf(&p->out, ": %s\n", op_printer_text(p->ops, r->op));
    } else if (r->source != NO_BUFFER)
        text_printf(&p->out, "fill %d = buffer %d\n", r->buffer, r->source);
    else if (r->value->def)
        text_printf(&p->out, "fill %d: %s\n", r->buffer, op_printer_text(p->ops, r->value->def));
    else
        text_printf(&p->out, "fill %d = argument %d of the loop\n", r->buffer, r->value->index);
}

static void print_nest(PlanText *p, const Nest *n, int indent)
{
    text_printf(&p->out, "%*snest [", indent, "");
    for (int d = 0; d < n->rank; d++)
        text_printf(&p->out, "%s%d", d ? "," : "", n->dims[d]);
    text_put(&p->out, "] order");
    for (int d = 0; d < n->rank; d++)
        text_printf(&p->out, " %d", n->order[d]);
    if (n->serial)
        text_put(&p->out, " serial\n");
    else
        text_printf(&p->out, " lanes %d unroll %d\n", n->lanes, n->unroll);
    print_bounds(p, n, indent + 2);
    print_leaves(p, n, indent + 2);
    for (int i = 0; i < n->roots.len; i++)
        print_root(p, &n->roots.at[i], indent + 2);
    for (int i = 0; i < n->ahead.len; i++)
        text_printf(&p->out, "%*sprefetch %d/%d to L%d: %s\n", indent + 2, "", n->ahead.at[i].share,
                    AHEAD_PARTS, n->ahead.at[i].level,
                    op_printer_text(p->ops, n->ahead.at[i].leaf.value->def));
}

static void print_block(PlanText *p, const BlockPlan *b, int indent)
{
    static const char *const names[] = {"scalar", "nest", "dot", "record", "for", "while", "if"};

    for (int i = 0; i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST) {
            print_nest(p, s->nest, indent);
            continue;
        }
        if (s->kind == STEP_DOT)
            text_printf(&p->out, "%*sin blocks of %d rows, %d vectors of %d lanes:\n", indent, "",
                        s->dot.rows, s->dot.vectors, s->dot.lanes);
        text_printf(&p->out, "%*s%s: %s\n", indent, "", names[s->kind],
                    s->body[0] ? op_info(s->op->code)->name : op_printer_text(p->ops, s->op));
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

const char *plan_text(const Plan *plan, Arena *a)
{
    PlanText p = {.out = text_new(a), .ops = op_printer_new(plan->func, a)};
    int nests = count_nests(plan->body);

    text_printf(&p.out, "plan of %s: %d nest%s, %lld bytes of scratch\n", plan->func->name, nests,
                nests == 1 ? "" : "s", (long long)plan->scratch);
    for (int i = 0; i < plan->buffers.len; i++) {
        const Buffer *b = &plan->buffers.at[i];
        text_printf(&p.out, "buffer %d: %s%s, %lld bytes\n", i, b->pointer ? "*" : "",
                    dtype_name(b->dtype), (long long)b->bytes);
    }
    print_block(&p, plan->body, 0);
    return p.out.s;
}
