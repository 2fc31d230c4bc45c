/*
 * plan_print.c - a plan as text, for people (`tilec dump --stage plan`) and for golden tests
 *
 *     plan of scale_rows: 2 nests, 640 bytes of scratch
 *     buffer 0: i32, 256 bytes
 *     scalar: %3 = mul %1, %2 : i32
 *     nest [64,1] order 1 0
 *       fill 0: %12 = mul %9, %11 : i32[64,1]
 *     nest [64,32] order 0 1
 *       store: store %15, %14, %mask
 */
#include "plan_internal.h"

static const char *const root_names[] = {"store", "atomic", "reduce", "scan", "fill"};

static void print_root(Text *t, const Root *r, int indent, Arena *a)
{
    text_printf(t, "%*s", indent, "");
    if (r->kind != ROOT_FILL)
        text_printf(t, "%s: %s\n", root_names[r->kind], op_text(r->op, a));
    else if (r->source != NO_BUFFER)
        text_printf(t, "fill %d = buffer %d\n", r->buffer, r->source);
    else if (r->value->def)
        text_printf(t, "fill %d: %s\n", r->buffer, op_text(r->value->def, a));
    else
        text_printf(t, "fill %d = argument %d of the loop\n", r->buffer, r->value->index);
}

static void print_nest(Text *t, const Nest *n, int indent, Arena *a)
{
    text_printf(t, "%*snest [", indent, "");
    for (int d = 0; d < n->rank; d++)
        text_printf(t, "%s%d", d ? "," : "", n->dims[d]);
    text_put(t, "] order");
    for (int d = 0; d < n->rank; d++)
        text_printf(t, " %d", n->order[d]);
    text_put(t, n->serial ? " serial\n" : "\n");
    for (int i = 0; i < n->roots.len; i++)
        print_root(t, &n->roots.at[i], indent + 2, a);
    for (int i = 0; i < n->ahead.len; i++)
        text_printf(t, "%*sprefetch %d/%d: %s\n", indent + 2, "", n->ahead.at[i].share, AHEAD_PARTS,
                    op_text(n->ahead.at[i].leaf.value->def, a));
}

static void print_block(Text *t, const BlockPlan *b, int indent, Arena *a)
{
    static const char *const names[] = {"scalar", "nest", "dot", "for", "while", "if"};

    for (int i = 0; i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST) {
            print_nest(t, s->nest, indent, a);
            continue;
        }
        text_printf(t, "%*s%s: %s\n", indent, "", names[s->kind],
                    s->body[0] ? op_info(s->op->code)->name : op_text(s->op, a));
        for (int r = 0; r < 2; r++) {
            if (!s->body[r])
                continue;
            if (r == 1)
                text_printf(t, "%*s%s\n", indent, "", s->kind == STEP_IF ? "else" : "do");
            print_block(t, s->body[r], indent + 2, a);
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

const char *plan_text(const Plan *p, Arena *a)
{
    Text t = text_new(a);
    int nests = count_nests(p->body);

    text_printf(&t, "plan of %s: %d nest%s, %lld bytes of scratch\n", p->func->name, nests,
                nests == 1 ? "" : "s", (long long)p->scratch);
    for (int i = 0; i < p->buffers.len; i++) {
        const Buffer *b = &p->buffers.at[i];
        text_printf(&t, "buffer %d: %s%s, %lld bytes\n", i, b->pointer ? "*" : "",
                    dtype_name(b->dtype), (long long)b->bytes);
    }
    print_block(&t, p->body, 0, a);
    return t.s;
}
