/*
 * records.c - make ready what a kernel may say while it runs
 *
 * Takes a module as it was lowered.  Where something is said, or accesses are to be checked, calls
 * are inlined first, so that each place is known with the calls that lead to it; every op that says
 * something gets its number in the launch's table; and the kernel a parameter for the port that
 * takes it.  A module that says nothing stays as it is.
 */
#include "check.h"
#include "../suspect/suspect.h"

static bool says_something(const Op *op)
{
    return op->code == OP_record || op->code == OP_assert || op->code == OP_check;
}

typedef struct {
    int n;
    bool number; /* give them out; else only count */
} Numbering;

static void number_op(Op *op, void *numbering)
{
    Numbering *n = numbering;

    if (!says_something(op))
        return;
    if (n->number)
        attr_set(op, ATTR_record_site, n->n);
    n->n++;
}

static int count_sites(Module *m, bool number)
{
    Numbering n = {.number = number};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, number_op, &n);
    return n.n;
}

/* What checks make of a kernel is refused before they are made: targets would, much later.  An
 * access and its check count as so many ops. */
enum { MOST_OPS = 1 << 20, CHECKED_OPS = 16 };

typedef struct {
    long left;
    const Op *beyond; /* the first that there is no room for, or NULL */
} Room;

static void take_room(Op *op, void *room)
{
    Room *r = room;

    r->left -= op_has(op, READS | WRITES) ? CHECKED_OPS : 1;
    if (r->left < 0 && !r->beyond)
        r->beyond = op;
}

static bool has_room(Func *f, Diags *d)
{
    Room r = {.left = MOST_OPS};

    ir_walk(f->body, take_room, &r);
    if (!r.beyond)
        return true;
    const Unrolled *most = ir_most_unrolled(f->module, f->nvalues);
    ir_diag(d, DIAG_ERROR, r.beyond,
            "this kernel is too long to be checked: up to here it comes to more than %d "
            "operations with its checks",
            MOST_OPS);
    if (most)
        diag(d, DIAG_NOTE, most->span, "this loop is unrolled %d times", most->rounds);
    return false;
}

/* False: a diagnostic. */
static bool add_checks(Func *f, const CheckWish *wish, Diags *d)
{
    const bool follows = wish->values && !tell_is_tangled(f, f->module->arena);

    if (follows)
        check_left_out(f);
    opt_expand_blocks(f->module); /* so that there are addresses to look at */
    if (!has_room(f, d))
        return false;
    if (wish->values) {
        check_fractions(f);
        check_values(f);
        check_bins(f);
        check_counts(f);
    }
    if (follows) {
        check_winners(f);
        check_starts(f);
        check_columns(f);
        check_means(f);
    }
    check_accesses(f, wish->views);
    if (wish->stores)
        check_stores(f);
    return true;
}

bool check_records(Module *m, const CheckWish *wish, Diags *d)
{
    int errors = diag_errors(d);

    if (!wish->views && !wish->names && count_sites(m, false) == 0)
        return true;
    opt_inline(m, d);
    if (diag_errors(d) > errors)
        return false;
    Func *f = module_kernel(m);
    if (wish->names)
        check_named(f);
    if (wish->views && !add_checks(f, wish, d))
        return false;
    if (count_sites(m, true) > 0)
        func_add_hidden(f, "records", type_pointer(m, DT_I8, false), PARAM_RECORDS, 0, 0);
    return true;
}
