/*
 * nv_shared.c - where buffers lie in shared memory
 *
 * A buffer is in use from the first step that touches it to the last one, and to the end of every
 * loop that it is carried around in; buffers that are never in use at once may lie at the same
 * place, where nv_wait.c then puts barriers between their users.
 */
#include "nv_ring.h"

#include <limits.h>

/* --- when buffers are in use --- */

static int number_block(NvBlock *b, int next)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        s->number = next++;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                next = number_block(s->body[r], next);
        }
    }
    return next;
}

static void touch(NvPlan *p, int buffer, int number)
{
    NvBuffer *b = &p->buffers.at[buffer];

    if (b->last < b->first) {
        b->first = b->last = number;
        return;
    }
    b->first = MIN(b->first, number);
    b->last = MAX(b->last, number);
}

static int last_number(const NvStep *s)
{
    int last = s->number;

    for (int r = 0; r < COUNT(s->body); r++) {
        const NvBlock *b = s->body[r];
        if (b && b->steps.len > 0)
            last = MAX(last, last_number(b->steps.at[b->steps.len - 1]));
    }
    return last;
}

static void find_uses(NvPlan *p, const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->uses.len; k++)
            touch(p, s->uses.at[k].buffer, s->number);
        for (int k = 0; s->ahead && k < s->uses.len; k++)
            touch(p, s->uses.at[k].buffer, last_number(s));
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                find_uses(p, s->body[r]);
        }
    }
}

/* What the producer fills may be filled as soon as the program begins. */
static void begin_at_once(NvPlan *p)
{
    for (int i = 0; i < p->buffers.len; i++) {
        NvBuffer *b = &p->buffers.at[i];
        if (b->always && b->last < b->first)
            b->last = INT_MAX;
        if (b->always)
            b->first = 0;
    }
}

/* A buffer that is used inside of a loop and outside stays in use for all of the loop; of an `if`
 * it does not: what is behind its last use there comes only once. */
static void extend(NvPlan *p, const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        int first = s->number, last = last_number(s);
        for (int k = 0; s->body[0] && s->kind != NV_IF && k < p->buffers.len; k++) {
            NvBuffer *buffer = &p->buffers.at[k];
            if (buffer->first < first && buffer->last >= first)
                buffer->last = MAX(buffer->last, last);
            if (buffer->first <= last && buffer->last > last)
                buffer->first = MIN(buffer->first, first);
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                extend(p, s->body[r]);
        }
    }
}

/* --- offsets --- */

enum { ALIGN = 128 };

/* Two that are never in use at once may share a place, but who writes the second one must wait for
 * those who read the first.  Small ones, such as reductions have, are not worth that, as long as
 * there are few. */
enum { SMALL = 512, SMALL_ONES = 8 };

static bool keeps_apart(const NvPlan *p)
{
    int64_t bytes = 0;

    for (int i = 0; i < p->buffers.len; i++)
        bytes += p->buffers.at[i].bytes <= SMALL ? p->buffers.at[i].bytes : 0;
    return bytes <= SMALL * SMALL_ONES;
}

static bool may_share(const NvBuffer *a, const NvBuffer *b, bool apart)
{
    if (apart && a->bytes <= SMALL && b->bytes <= SMALL)
        return false;
    return a->first > b->last || b->first > a->last;
}

int nv_shared_align(const NvPlan *p)
{
    int align = ALIGN;

    for (int i = 0; i < p->buffers.len; i++)
        align = MAX(align, p->buffers.at[i].align);
    return align;
}

static int64_t aligned(int64_t at, const NvBuffer *b)
{
    int64_t align = MAX(b->align, ALIGN);

    return (at + align - 1) / align * align;
}

/* The lowest place where no other buffer lies that was placed and cannot share it. */
static int64_t free_place(const NvPlan *p, int buffer, const bool *placed, bool apart)
{
    const NvBuffer *b = &p->buffers.at[buffer];
    int64_t at = 0;

    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < p->buffers.len; i++) {
            const NvBuffer *other = &p->buffers.at[i];
            if (!placed[i] || may_share(b, other, apart) || other->offset >= at + b->bytes ||
                at >= other->offset + other->bytes)
                continue;
            at = aligned(other->offset + other->bytes, b);
            moved = true;
        }
    }
    return at;
}

/* Large ones first. */
static void place_by_size(NvPlan *p)
{
    bool *placed = NEW_N(p->arena, bool, p->buffers.len + 1), apart = keeps_apart(p);

    p->shared = 0;
    for (int n = 0; n < p->buffers.len; n++) {
        int next = -1;
        for (int i = 0; i < p->buffers.len; i++) {
            if (!placed[i] && (next < 0 || p->buffers.at[i].bytes > p->buffers.at[next].bytes))
                next = i;
        }
        p->buffers.at[next].offset = free_place(p, next, placed, apart);
        placed[next] = true;
        p->shared = MAX(p->shared, p->buffers.at[next].offset + p->buffers.at[next].bytes);
    }
}

int64_t nv_place_buffers(NvPlan *p)
{
    number_block(p->body, 0);
    for (int i = 0; i < p->buffers.len; i++)
        p->buffers.at[i].last = -1;
    find_uses(p, p->body);
    begin_at_once(p);
    extend(p, p->body);
    place_by_size(p);
    return p->shared;
}

void nv_place(NvPlan *p)
{
    nv_place_buffers(p);
    while (p->shared > p->chip->shared && nv_ring_shorten(p))
        place_by_size(p);
    nv_put_barriers(p);
    nv_settle_turns(p);
    if (p->shared <= p->chip->shared)
        return;
    p->refused = true;
    if (p->ring || p->has_pieces) /* without it there will be another plan */
        return;
    diag(p->diags, DIAG_ERROR, p->func->span,
         "this kernel needs %lld bytes of shared memory, and %s has %lld for a program",
         (long long)p->shared, p->chip->name, (long long)p->chip->shared);
    diag(p->diags, DIAG_HINT, (Span){0, 0}, "use a smaller block or fewer stages");
}
