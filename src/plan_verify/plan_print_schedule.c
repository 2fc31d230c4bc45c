/*
 * plan_print_schedule.c - the schedules of a plan's nests as text (`tilec dump --stage schedule`)
 *
 * An entry a line: its number, what it is and how it is made, of which entries, at which level (0
 * in front of all loops), for which value.
 *
 *     nest [64] order 0 lanes 16 unroll 1
 *       rows
 *         0: scalar at 0 for %x
 *       main
 *         1: vector load contiguous (0) at 1 for %values
 *         2: root 0 reduce (1) at 1
 */
#include "plan_print.h"

static void print_inputs(PlanText *p, const Entry *e)
{
    int n = e->nin;

    while (n > 0 && e->in[n - 1] == NO_ENTRY)
        n--;
    for (int i = 0; i < n; i++) {
        text_put(&p->out, i ? ", " : " (");
        if (e->in[i] == NO_ENTRY)
            text_put(&p->out, "-");
        else
            text_printf(&p->out, "%d", e->in[i]);
    }
    if (n > 0)
        text_put(&p->out, ")");
}

/* What is made, and whatever says more about it than its inputs. */
static void print_made(PlanText *p, const Nest *n, const Entry *e)
{
    static const char *const names[] = {
        [MAKE_SCALAR] = "scalar", [MAKE_KNOWN] = "known",     [MAKE_ZERO] = "zero",
        [MAKE_CONST] = "const",   [MAKE_INDEX] = "index",     [MAKE_READ] = "buffer",
        [MAKE_OP] = "op",         [MAKE_DIVIDE] = "divide",   [MAKE_RUN] = "run",
        [MAKE_LOAD] = "load",     [MAKE_RECORD] = "record",   [MAKE_FIELD] = "field",
        [MAKE_DETOUR] = "detour", [MAKE_MEET] = "meet",       [MAKE_CUT] = "cut",
        [MAKE_AHEAD] = "ahead",   [MAKE_ROOT] = "root",       [MAKE_REST] = "rest of root",
        [MAKE_GATHER] = "gather", [MAKE_PIECE] = "piece",     [MAKE_REMAINDER] = "remainder",
        [MAKE_SOME] = "some",     [MAKE_SCANNED] = "scanned", [MAKE_LINE] = "line of root",
        [MAKE_ANY] = "any"};

    if (e->kind == MAKE_OP && e->value) {
        text_put(&p->out, op_info(e->value->def->code)->name);
        return;
    }
    text_put(&p->out, names[e->kind]);
    if (e->kind == MAKE_KNOWN)
        text_put(&p->out, e->number ? " true" : " false");
    if (e->kind == MAKE_READ || e->kind == MAKE_GATHER)
        text_printf(&p->out, " %d", e->buffer);
    if (e->kind == MAKE_GATHER)
        text_printf(&p->out, "%s%s", e->inside ? " inside" : "", plan_gather_form(e));
    if (e->kind == MAKE_READ && e->number != 0)
        text_printf(&p->out, " from element %lld on", (long long)e->number);
    if (e->kind == MAKE_SCANNED || e->kind == MAKE_CUT || e->kind == MAKE_AHEAD ||
        e->kind == MAKE_PIECE || e->kind == MAKE_LINE)
        text_printf(&p->out, " %lld", (long long)e->number);
    if (e->kind == MAKE_ROOT || e->kind == MAKE_REST)
        text_printf(&p->out, " %lld %s", (long long)e->number,
                    plan_root_names[n->roots.at[e->number].kind]);
    if (e->kind == MAKE_RUN && e->number > 1)
        text_printf(&p->out, ", each for %lld lanes", (long long)e->number);
    if (e->kind == MAKE_LOAD && e->access)
        text_printf(&p->out, " %s", plan_form_names[e->access->form]);
}

static void print_entry(PlanText *p, const Nest *n, int number)
{
    static const char *const roles[] = {
        [AS_VALUE] = "uniform", [AS_LANE] = "lane", [AS_ROW] = "row", [AS_MASK] = "mask"};
    const Entry *e = &n->schedule->entries.at[number];

    text_printf(&p->out, "    %d: ", number);
    if (e->rare)
        text_put(&p->out, "rare ");
    if (e->value && e->kind != MAKE_SCALAR && e->kind != MAKE_DETOUR)
        text_printf(&p->out, "%s ", e->vector ? "vector" : roles[e->role]);
    print_made(p, n, e);
    print_inputs(p, e);
    text_printf(&p->out, " at %d", e->level);
    if (e->value) {
        text_put(&p->out, " for");
        plan_put_value(p, e->value);
    }
    text_put(&p->out, "\n");
}

static void print_schedule(PlanText *p, const Nest *n)
{
    static const char *const names[PARTS] = {
        [PART_ROWS] = "rows", [PART_MAIN] = "main", [PART_MIXED] = "mixed",
        [PART_REST] = "rest", [PART_DEAD] = "dead",
    };

    if (!n)
        return;
    plan_put_head(p, n, 0);
    for (int k = 0; n->schedule && k < PARTS; k++) {
        if (n->schedule->part[k].len == 0)
            continue;
        text_printf(&p->out, "  %s\n", names[k]);
        for (int i = 0; i < n->schedule->part[k].len; i++)
            print_entry(p, n, n->schedule->part[k].at[i]);
    }
}

/* And those that may run in its place. */
static void print_nests(PlanText *p, const Nest *n)
{
    if (!n)
        return;
    print_schedule(p, n);
    print_nests(p, n->whole);
    print_nests(p, n->direct);
}

static void print_schedules(PlanText *p, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        print_nests(p, s->nest);
        print_schedules(p, s->body[0]);
        print_schedules(p, s->body[1]);
    }
}

const char *plan_schedule_text(const Plan *plan, Arena *a)
{
    PlanText p = {.out = text_new(a), .plan = plan, .ops = op_printer_new(plan->func, a)};

    text_printf(&p.out, "schedules of %s\n", plan->func->name);
    print_schedules(&p, plan->body);
    return p.out.s;
}
