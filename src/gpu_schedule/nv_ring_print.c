/*
 * nv_ring_print.c - a plan's tensor maps, its ring, what a producer brings and what is sent, as
 * text
 *
 *     map 0: tiles of 64 x 128 of %a, [%K, %M] elements by [2, 2*%stride_am] bytes, rows of 128
 *     ring of 3 stages at 0..147456, mbarriers at 147456..147504
 *     fill 49152 bytes: %a_values by 1 of map 0 at (64*%k, %12), ..
 *     send D: %total by 4 of map 2 at (256*%11, 128*%10) by each warp
 */
#include "nv_ring.h"

static void put_sum(Text *t, const NvPlan *p, Printer *names, const GenSum *s)
{
    bool first = true;

    for (int i = 0; i < GEN_TERMS && s->bytes[i]; i++) {
        text_put(t, first ? "" : " + ");
        if (s->scale[i] != 1)
            text_printf(t, "%lld*", (long long)s->scale[i]);
        text_put(t, op_printer_value(names, p->func->body->args[s->param[i]]));
        first = false;
    }
    if (s->constant != 0 || first)
        text_printf(t, "%s%lld", first ? "" : " + ", (long long)s->constant);
}

static void put_sums(Text *t, const NvPlan *p, Printer *names, const GenSum *sums, int count)
{
    for (int i = 0; i < count; i++) {
        text_put(t, i > 0 ? ", " : "[");
        put_sum(t, p, names, &sums[i]);
    }
    text_put(t, "]");
}

static void put_map(Text *t, const NvPlan *p, Printer *names, int i)
{
    const GenMap *m = &p->recipe.maps[i];
    GenSum strides[TENSOR_MAP_RANK];

    strides[0] = (GenSum){.constant = m->element};
    for (int d = 1; d < m->rank; d++)
        strides[d] = m->stride[d];
    text_printf(t, "map %d: tiles of ", i);
    for (int d = 0; d < m->rank; d++)
        text_printf(t, "%s%d", d > 0 ? " x " : "", m->box[d]);
    text_printf(t, " of %s, ", op_printer_value(names, p->func->body->args[m->pointer]));
    put_sums(t, p, names, m->extent, m->rank);
    text_put(t, " elements by ");
    put_sums(t, p, names, strides, m->rank);
    text_printf(t, " bytes, rows of %d", 16 << m->swizzle);
    if (m->stride[0].bytes[0] != 0) {
        text_put(t, ", if not negative: ");
        put_sum(t, p, names, &m->stride[0]);
    }
    text_put(t, "\n");
}

void nv_ring_put(Text *t, const NvPlan *p, Printer *names)
{
    const NvRing *r = p->ring;

    for (int i = 0; i < p->recipe.nmaps; i++)
        put_map(t, p, names, i);
    if (!r)
        return;
    const NvBuffer *stages = &p->buffers.at[r->buffer], *barriers = &p->buffers.at[r->barriers];
    text_printf(t, "ring of %d stages%s at %lld..%lld, mbarriers at %lld..%lld", r->stages,
                r->parts > 1 ? " of two parts" : "", (long long)stages->offset,
                (long long)(stages->offset + stages->bytes), (long long)barriers->offset,
                (long long)(barriers->offset + barriers->bytes));
    if (r->registers > 0)
        text_printf(t, "; %d warps leave the others %d registers", r->warps, r->registers);
    if (r->leaves) {
        const char *asked = op_printer_value(names, r->leaves->op->operands[0]);
        text_printf(t, "; programs end before where %s%s", asked, r->leaves_in == 0 ? "" : " is 0");
    }
    text_put(t, "\n");
}

/* "64*%k + %12" */
static void put_poly(Text *t, Printer *names, const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *term = &p->terms[i];
        text_put(t, i > 0 ? " + " : "");
        if (term->count == 0 || term->scale != 1)
            text_printf(t, "%lld%s", (long long)term->scale, term->count > 0 ? "*" : "");
        for (int k = 0; k < term->count; k++)
            text_printf(t, "%s%s", k > 0 ? "*" : "", op_printer_value(names, term->of[k].value));
    }
    if (p->count == 0)
        text_put(t, "0");
}

static void put_tensor(Text *t, Printer *names, const NvTensor *x)
{
    text_printf(t, "%s by %d of map %d at (", op_printer_value(names, nv_tensor_value(x->op)),
                x->boxes, x->map);
    for (int d = 0; d < x->rank; d++) {
        text_put(t, d > 0 ? ", " : "");
        put_poly(t, names, &x->at[d]);
    }
    text_put(t, ")");
}

void nv_fill_put(Text *t, Printer *names, const NvFill *fill)
{
    for (int part = 0; part < NV_RING_PARTS && fill->bytes[part] > 0; part++) {
        const char *before = ": ";
        text_printf(t, "%s %lld bytes", part > 0 ? ", then" : "", (long long)fill->bytes[part]);
        for (int i = 0; i < fill->tensors.len; i++) {
            if (fill->tensors.at[i].part != part)
                continue;
            text_put(t, before);
            put_tensor(t, names, &fill->tensors.at[i]);
            before = ", ";
        }
    }
}

void nv_send_put(Text *t, Printer *names, const NvSend *send)
{
    text_put(t, ": ");
    put_tensor(t, names, &send->tensor);
    text_put(t, " by each warp");
}
