/*
 * plan_entry.c - the entries that a schedule has so far, and what is asked for
 *
 * The way from a value down to what it is made of is a stack of what is asked for, not of calls:
 * programs may be long.  Whoever makes an entry (plan_values.c) asks for its inputs, gives up at
 * the first that is not there yet, and starts again when it is.
 *
 * What was made is remembered, under these invariants:
 *
 *   1. A table's entries are made by code that dominates every place where the table is asked:
 *      `lasting` are those of PART_ROWS, which stand in front of all bodies; `body` lives as long
 *      as one body, and a detour has tables of its own.
 *   2. What depends on a segment (its bounds are known to be true or false) ends with its body,
 *      even at an outer level: `local`, and everything outside of the main segment.
 *   3. A role has tables of its own: values of lane 0 would not do for other lanes, nor those of
 *      masks for who wants the value.
 *   4. A key is a value and the dimensions that index it, so the same value read at two places of a
 *      nest has two entries.
 */
#include <string.h>

#include "plan_schedule_internal.h"

Entry *plan_entry_of(const Scheduler *s, Made m)
{
    return &s->out->entries.at[m.entry];
}

/* --- what there is --- */

Tables *plan_tables(Arena *a, const Tables *under)
{
    Tables *t = NEW(a, Tables);

    for (int i = 0; i < TABLES; i++)
        t->of[i] = map_new(a);
    t->under = under;
    return t;
}

/* What no index of the inner loop changes is as good for all of its row: the first lane's, too,
 * where a value only looks as if it followed that index. */
static bool lasts(const Scheduler *s, Role role, const Entry *e, bool local)
{
    bool of_row = role != AS_MASK || s->nest->serial;

    return of_row && !local && e->level < s->nest->rank &&
           (s->part == PART_ROWS || s->part == PART_MAIN);
}

/* Of scalars and the like, which stand for no code: in front of all else. */
static Made first_entry(Scheduler *s, Entry e)
{
    int number = s->out->entries.len;

    vec_push(s->plan->arena, &s->out->entries, e);
    vec_push(s->plan->arena, &s->out->part[PART_ROWS], number);
    return (Made){.entry = number};
}

Made plan_entry(Scheduler *s, Entry e, bool local)
{
    int number = s->out->entries.len;
    Part part = lasts(s, e.role, &e, local) ? PART_ROWS : s->part;

    e.rare = s->rare && part != PART_ROWS;
    vec_push(s->plan->arena, &s->out->entries, e);
    vec_push(s->plan->arena, &s->out->part[part], number);
    return (Made){.entry = number, .local = local};
}

void *plan_pack(Made m)
{
    return (void *)(((intptr_t)m.entry + 1) * 2 + m.local);
}

static bool unpack_made(const void *packed, Made *out)
{
    intptr_t x = (intptr_t)packed;

    *out = (Made){.entry = (int)(x / 2 - 1), .local = x % 2 != 0};
    return packed != NULL;
}

void plan_remember(Scheduler *s, const Ask *a, Made m)
{
    bool lasting = lasts(s, a->role, plan_entry_of(s, m), m.local);

    map_put_wide(lasting ? s->lasting[a->role] : s->current->of[a->role],
                 access_key(a->value, a->map), plan_pack(m));
    s->values += a->role != AS_ROW;
}

bool plan_recall(const Scheduler *s, int table, WideKey key, Made *out)
{
    const void *found = NULL;

    for (const Tables *t = s->current; t && !found; t = t->under)
        found = map_get_wide(t->of[table], key);
    if (!found && table < ROLES)
        found = map_get_wide(s->lasting[table], key);
    return unpack_made(found, out);
}

/* An i1 that is known: a constant, or by the segment. */
bool plan_is_known(const Scheduler *s, Made m, bool what)
{
    const Entry *e = plan_entry_of(s, m);

    if (e->kind == MAKE_CONST)
        return !e->value->type->pointer && e->value->type->dtype == DT_I1 &&
               (attr_bits(e->value->def) & 1) == what;
    return e->kind == MAKE_KNOWN && e->number == what;
}

Made plan_known(Scheduler *s, bool what, bool local)
{
    Entry e = {.kind = MAKE_KNOWN, .number = what};

    if (s->known[what] == NO_ENTRY)
        s->known[what] = first_entry(s, e).entry;
    return (Made){s->known[what], local};
}

Made plan_some(Scheduler *s)
{
    Entry e = {.kind = MAKE_SOME, .level = s->nest->rank - 1};

    if (s->some == NO_ENTRY)
        s->some = plan_entry(s, e, false).entry;
    return (Made){.entry = s->some};
}

Made plan_any(Scheduler *s, Made mask)
{
    Entry e = {.kind = MAKE_ANY, .role = AS_MASK, .level = s->nest->rank};
    int in[ACCESS_INPUTS] = {NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY};

    in[IN_MASK] = mask.entry;
    e.in = plan_inputs(s, in, ACCESS_INPUTS);
    e.nin = ACCESS_INPUTS;
    return plan_entry(s, e, true);
}

/* Is it a mask that is false wherever a dead segment is? */
static bool is_dead_mask(const Scheduler *s, const Ask *a)
{
    return (s->part == PART_REST || s->part == PART_DEAD) && a->value->def &&
           a->value->def->code == OP_and && a->value->type->dtype == DT_I1 &&
           plan_ends_with_bounds(s->plan, s->nest, a->value, a->map);
}

/* Is v a bound of the plan, and this segment on one side of it?  uniform_too: bounds of whole rows.
 */
static bool bound_known(Scheduler *s, const Ask *a, bool uniform_too, Made *out)
{
    bool holds = s->part == PART_MAIN;

    if (s->part == PART_ROWS || s->part == PART_MIXED)
        return false;
    if (is_dead_mask(s, a)) {
        *out = plan_known(s, false, true);
        return true;
    }
    for (int i = 0; i < s->nest->bounds.len; i++) {
        const Bound *b = &s->nest->bounds.at[i];
        if (!plan_same_place(b, a->value, a->map) || (b->kind == BOUND_ROW && !uniform_too) ||
            (!bound_ends(b) && !holds))
            continue;
        *out = plan_known(s, holds, true);
        s->assumed |= !holds && a->role != AS_MASK ? UINT64_C(1) << i : 0;
        return true;
    }
    return false;
}

/* --- asking --- */

static bool follows(const Scheduler *s, const Ask *a)
{
    return access_follows(s->nest->space, a->value, a->map);
}

/* What does not change along the row is no matter of lanes; in a serial nest there are none. */
static Role role_of(const Scheduler *s, const Ask *a)
{
    if (a->role == AS_MASK)
        return AS_MASK;
    if (s->nest->serial)
        return a->role == AS_ROW && follows(s, a) ? AS_ROW : AS_LANE;
    return a->role != AS_VALUE && !follows(s, a) ? AS_VALUE : a->role;
}

static Made scalar(Scheduler *s, const Ask *a)
{
    Entry e = {.kind = MAKE_SCALAR, .value = a->value};
    WideKey key = access_key(a->value, a->map);
    Made m;

    if (!unpack_made(map_get_wide(s->lasting[AS_VALUE], key), &m)) {
        m = first_entry(s, e);
        map_put_wide(s->lasting[AS_VALUE], key, plan_pack(m));
    }
    return m;
}

static Ask ask_for(Role role, Value *v, const int8_t *map)
{
    Ask a = {.role = role, .value = v, .detour = NO_ENTRY};

    for (int d = 0; d < v->type->rank; d++)
        a.map[d] = map[d];
    return a;
}

bool plan_get(Scheduler *s, Role role, Value *v, const int8_t *map, Made *out)
{
    Ask a = ask_for(role, v, map);

    a.role = role_of(s, &a);
    if (a.role == AS_MASK && bound_known(s, &a, true, out))
        return true;
    if (v->type->rank == 0) {
        *out = scalar(s, &a);
        return true;
    }
    if (a.role == AS_VALUE && bound_known(s, &a, false, out))
        return true;
    if (plan_recall(s, (int)a.role, access_key(v, a.map), out))
        return true;
    vec_push(s->plan->arena, &s->asked, a);
    return false;
}

/* --- entries of inputs --- */

Entry plan_entry_for(EntryKind kind, const Ask *a)
{
    Entry e = {.kind = kind, .role = a->role, .value = a->value};

    memcpy(e.map, a->map, sizeof e.map);
    return e;
}

int *plan_inputs(Scheduler *s, const int *in, int n)
{
    int *out = NEW_N(s->plan->arena, int, n + 1);

    for (int i = 0; i < n; i++)
        out[i] = in[i];
    return out;
}

Made plan_made_of(Scheduler *s, EntryKind kind, const Ask *a, const int *in, int n, bool local)
{
    Entry e = plan_entry_for(kind, a);

    e.in = plan_inputs(s, in, n);
    e.nin = n;
    for (int i = 0; i < n; i++) {
        if (in[i] == NO_ENTRY)
            continue;
        e.vector |= s->out->entries.at[in[i]].vector;
        e.level = MAX(e.level, s->out->entries.at[in[i]].level);
    }
    return plan_entry(s, e, local);
}

Entry plan_vector_entry(Scheduler *s, EntryKind kind, const Ask *a, const int *in, int n)
{
    Entry e = plan_entry_for(kind, a);

    e.vector = true;
    e.level = s->nest->rank;
    e.in = plan_inputs(s, in, n);
    e.nin = n;
    return e;
}
