/*
 * plan_values.c - how values become entries of a schedule
 *
 * From a value the way goes through its virtual operands down to loads, buffers, constants and
 * scalars, and each op stands at the outermost loop whose index it changes with.  So what does not
 * depend on the inner dimension is computed once per row without any hoisting pass, and stays a
 * scalar until a vector needs it.  What follows the inner index evenly (axis/access.c), addresses
 * and what masks compare, needs no vector: its value at the first element of a row is computed in
 * front of the inner loop, and what is chunked at the first lane of each vector.  Both are scalars,
 * made of the same ops as the vector would be.
 *
 * A function here that makes an entry asks for its inputs; false says that one of them is not there
 * yet, and that it has to be called again when it is (plan_entry.c).
 */
#include "plan_schedule_internal.h"

enum {
    LONG_WAY = 1000 /* values */
};

/* --- without inputs --- */

static Made of_nothing(Scheduler *s, EntryKind kind, const Ask *a, bool local)
{
    return plan_entry(s, plan_entry_for(kind, a), local);
}

static Made index_entry(Scheduler *s, const Ask *a)
{
    Entry e = plan_entry_for(MAKE_INDEX, a);

    if (a->map[0] >= 0 && a->role != AS_ROW) {
        e.level = s->nest->level_of[a->map[0]];
        e.vector = a->role == AS_VALUE && a->map[0] == s->nest->order[s->nest->rank - 1];
    }
    return plan_entry(s, e, false);
}

Entry plan_buffer_entry(const Scheduler *s, int buffer, int64_t first, Value *shape, Role role,
                        const int8_t *map)
{
    const Type *t = shape->type;
    Entry e = {.kind = MAKE_READ, .role = role, .value = shape, .buffer = buffer, .number = first};
    int inner = s->nest->order[s->nest->rank - 1];

    for (int d = 0; d < t->rank; d++) {
        e.map[d] = map[d];
        if (map[d] < 0 || t->dims[d] == 1)
            continue;
        e.level = MAX(e.level, s->nest->level_of[map[d]]);
        e.vector |= map[d] == inner && role != AS_LANE;
    }
    return e;
}

/* What rearranges elements reads its operand's buffer, which is row-major: a reshape, for which it
 * is dense, under the result's dims, another op from where it starts. */
static Made rearranged(Scheduler *s, const Ask *a)
{
    Value *in = a->value->def->operands[0];
    int buffer = s->plan->facts[in->id].buffer;
    int64_t first = 0, row = s->plan->buffers.at[buffer].row;
    int8_t from[MAX_RANK];
    Move m;

    if (!op_move(a->value->def, &m))
        return plan_entry(s, plan_buffer_entry(s, buffer, 0, a->value, a->role, a->map), false);
    for (int d = 0; d < in->type->rank; d++) {
        bool moves = m.follows[d] >= 0 && a->value->type->dims[m.follows[d]] > 1;
        from[d] = moves ? a->map[m.follows[d]] : -1; /* one of several stays where it starts */
        bool is_row = d == in->type->rank - 1 && row != 0;
        first = first * (is_row ? row : in->type->dims[d]) + m.start[d];
    }
    return plan_entry(s, plan_buffer_entry(s, buffer, first, in, a->role, from), false);
}

/* --- gathers --- */

static bool is_inside(const Plan *p, const Op *gather)
{
    const Axis *index = axis_of(p->axis, gather->operands[GATHER_INDEX]);

    return index && index->has_range && index->lo >= 0 &&
           index->hi < gather->operands[GATHER_SOURCE]->type->dims[attr_axis(gather)];
}

/* Do the elements of a row of the tile lie along this dimension, with all else staying where it is
 * while the inner index of the nest moves? */
static bool goes_along(const Scheduler *s, const Entry *e, const Type *tile)
{
    int inner = s->nest->order[s->nest->rank - 1];
    bool last = e->number >= 0;

    for (int d = 0; d < tile->rank && last; d++)
        last = tile->dims[d] == 1 || d == e->number || (d < e->number && e->map[d] != inner);
    return last;
}

/* The steps of an index by which the lanes of a gather are one vector in the buffer, forwards or
 * backwards; NULL: they are not. */
static const AccessPlan *run_of(const Scheduler *s, const Ask *a, const Entry *e, const Type *tile)
{
    Value *index = a->value->def->operands[GATHER_INDEX];
    DType t = index->type->dtype;
    int size = dtype_size(s->plan->buffers.at[e->buffer].dtype);

    if (a->role != AS_VALUE || !access_follows(s->nest->space, index, a->map) ||
        !goes_along(s, e, tile) || s->nest->lanes * size > PLAN_SINK)
        return NULL;
    AccessPlan run = {.steps = access_of(s->nest->space, index, a->map)};
    bool wide = t == DT_I32 || dtype_bits(t) == 64; /* narrower ones may come around on purpose */
    if (!wide || !run.steps.ok || run.steps.scale || run.steps.every != 0 || run.steps.flip != 0 ||
        (run.steps.stride != 1 && run.steps.stride != -1))
        return NULL;
    run.form = run.steps.stride == 1 ? FORM_CONTIGUOUS : FORM_BACKWARDS;
    AccessPlan *out = NEW(s->plan->arena, AccessPlan);
    *out = run;
    return out;
}

/* From the buffer of what the source is: at the nest's indices, but along the axis. */
static bool gathered(Scheduler *s, const Ask *a, Made *out)
{
    const Op *op = a->value->def;
    int8_t from[MAX_RANK];
    int along = -1;
    Made index;

    if (!plan_get(s, a->role, op->operands[GATHER_INDEX], a->map, &index))
        return false;
    Value *tile = plan_gathered(op, from);
    for (int d = 0; d < tile->type->rank; d++) {
        bool is_axis = from[d] == attr_axis(op);
        along = is_axis ? d : along;
        from[d] = is_axis || from[d] < 0 ? -1 : a->map[from[d]];
    }
    const Entry *i = plan_entry_of(s, index);
    Entry e = plan_buffer_entry(s, plan_buffer(s->plan, tile), along, tile, a->role, from);
    e.kind = MAKE_GATHER;
    e.value = a->value;
    e.inside = is_inside(s->plan, op);
    e.access = i->vector ? run_of(s, a, &e, tile->type) : NULL;
    e.vector |= i->vector;
    e.level = MAX(e.level, i->level);
    e.in = plan_inputs(s, &index.entry, 1);
    e.nin = 1;
    *out = plan_entry(s, e, index.local);
    return true;
}

/* --- loads --- */

/* One scalar for all lanes: pointer, mask and other do not change with the inner dimension. */
static bool uniform_load(Scheduler *s, const Ask *a, Made *out)
{
    const Op *op = a->value->def;
    int in[ACCESS_INPUTS] = {NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY};
    bool local = false;

    _Static_assert((int)LOAD_PTR == (int)IN_ADDRESS && (int)LOAD_MASK == (int)IN_MASK &&
                       (int)LOAD_OTHER == (int)IN_DATA,
                   "the first inputs of a load are its operands");
    for (int i = 0; i < op->noperands; i++) {
        Made m;
        if (!op->operands[i])
            continue;
        Role role = i == LOAD_MASK && s->nest->serial ? AS_MASK : a->role;
        if (!plan_get(s, role, op->operands[i], a->map, &m))
            return false;
        local |= m.local;
        in[i] = i == LOAD_MASK && plan_is_known(s, m, true) ? NO_ENTRY : m.entry;
    }
    *out = plan_made_of(s, MAKE_LOAD, a, in, ACCESS_INPUTS, local);
    return true;
}

/* The address and its scale, or an index and where it counts from, or the addresses themselves. */
static bool get_address(Scheduler *s, const AccessPlan *p, Value *ptr, const int8_t *map,
                        bool masked, int *in)
{
    Made m;

    if (!p->steps.ok && p->index && !masked) {
        if (!plan_get(s, AS_VALUE, p->index, map, &m))
            return false;
        in[IN_INDEX] = m.entry;
        ptr = ptr->def->operands[0];
    }
    bool stays = p->steps.ok || in[IN_INDEX] != NO_ENTRY;
    Role role = p->steps.chunked ? AS_LANE : stays ? AS_ROW : AS_VALUE;
    if (!plan_get(s, role, ptr, map, &m))
        return false;
    in[IN_ADDRESS] = m.entry;
    if (!p->steps.ok || !p->steps.scale)
        return true;
    if (!plan_get(s, AS_VALUE, (Value *)p->steps.scale, p->steps.scale_map, &m))
        return false;
    in[IN_SCALE] = m.entry;
    return true;
}

/* One address for all lanes.  Where masks are known to be true (NULL) it is loaded once for the
 * row, if that has an element for which they are; else, of what is the same wherever somebody looks
 * at it, for each vector. */
static bool shared_load(Scheduler *s, const Ask *a, const AccessPlan *p, const Made *mask,
                        Made *out)
{
    int in[ACCESS_INPUTS] = {NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY};

    if (!get_address(s, p, a->value->def->operands[LOAD_PTR], a->map, false, in))
        return false;
    in[IN_MASK] = mask ? plan_any(s, *mask).entry : plan_some(s).entry;
    *out = plan_made_of(s, MAKE_LOAD, a, in, ACCESS_INPUTS, !mask || mask->local);
    return true;
}

static Made vector_load(Scheduler *s, EntryKind kind, const Ask *a, const AccessPlan *p,
                        const int *in)
{
    Entry e = plan_vector_entry(s, kind, a, in, ACCESS_INPUTS);

    e.access = p;
    return plan_entry(s, e, false);
}

/* The records that v has a field of are read once, masked or not. */
static Made field_load(Scheduler *s, const Ask *a, const AccessPlan *p, int *in)
{
    WideKey key = {MAP_KEY(p->group) + (in[IN_MASK] != NO_ENTRY || s->tail), 0};
    Made records;

    if (!plan_recall(s, RECORDS, key, &records)) {
        records = vector_load(s, MAKE_RECORD, a, p, in);
        map_put_wide(s->current->of[RECORDS], key, plan_pack(records));
    }
    in[IN_ADDRESS] = records.entry;
    return vector_load(s, MAKE_FIELD, a, p, in);
}

static bool load_value(Scheduler *s, const Ask *a, Made *out)
{
    const Op *op = a->value->def;
    Value *mask = op_operand(op, LOAD_MASK), *other = op_operand(op, LOAD_OTHER);
    const AccessPlan *p = map_get_wide(s->nest->access, access_key(a->value, a->map));
    int in[ACCESS_INPUTS] = {NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY};
    Made m = {0}, o = {0};

    if (!p)
        bug("a load that no root of the nest has among its leaves");
    if (a->role == AS_LANE || p->form == FORM_UNIFORM)
        return uniform_load(s, a, out);
    if (mask && !plan_get(s, AS_MASK, mask, a->map, &m))
        return false;
    bool all = !mask || plan_is_known(s, m, true), none = mask && plan_is_known(s, m, false);
    bool sure = mask && !access_follows(s->nest->space, a->value, a->map);
    if (!all && other && !sure && !plan_get(s, AS_VALUE, other, a->map, &o))
        return false;
    if (none) {
        *out = other && !sure ? o : of_nothing(s, MAKE_ZERO, a, m.local);
        out->local |= m.local;
        return true;
    }
    bool once = all && mask && s->part == PART_MAIN && p->form == FORM_SHARED && !p->steps.chunked;
    if (sure || (once && !s->rare))
        return shared_load(s, a, p, once ? NULL : &m, out);
    if (!get_address(s, p, op->operands[LOAD_PTR], a->map, !all || s->tail, in))
        return false;
    in[IN_MASK] = all ? NO_ENTRY : m.entry;
    in[IN_DATA] = all || !other ? NO_ENTRY : o.entry;
    *out = p->form == FORM_RECORD ? field_load(s, a, p, in) : vector_load(s, MAKE_LOAD, a, p, in);
    return true;
}

/* --- elementwise ops --- */

/* and, or, not of what is known. */
static bool known_result(const Scheduler *s, const Op *op, const Made *in, bool *out)
{
    OpCode code = op->code;

    if (code == OP_not) {
        *out = plan_is_known(s, in[0], false);
        return *out || plan_is_known(s, in[0], true);
    }
    if (code != OP_and && code != OP_or)
        return false;
    bool decides = code == OP_or; /* true decides `or`, false decides `and` */
    *out =
        plan_is_known(s, in[0], decides) || plan_is_known(s, in[1], decides) ? decides : !decides;
    return *out == decides ||
           (plan_is_known(s, in[0], !decides) && plan_is_known(s, in[1], !decides));
}

static bool elementwise(Scheduler *s, const Ask *a, Made *out)
{
    const Op *op = a->value->def;
    Made in[MAX_ELEMENTWISE_OPERANDS];
    int numbers[MAX_ELEMENTWISE_OPERANDS + 1];
    bool local = false, what;

    if (op->noperands > MAX_ELEMENTWISE_OPERANDS)
        bug("%s has %d operands", op_info(op->code)->name, op->noperands);
    for (int i = 0; i < op->noperands; i++) {
        if (!plan_get(s, a->role, op->operands[i], a->map, &in[i]))
            return false;
        local |= in[i].local;
        numbers[i] = in[i].entry;
    }
    if (a->role != AS_ROW && known_result(s, op, in, &what)) {
        *out = plan_known(s, what, local);
        return true;
    }
    if (plan_shares_divisor(s, op, in))
        return plan_divide(s, a, numbers, local, out);
    *out = plan_made_of(s, MAKE_OP, a, numbers, op->noperands, local);
    return true;
}

/* --- selects, of which not both values are needed everywhere --- */

/* What a detour has computed is not there for the code behind it; nor does it take what the usual
 * way has, which would be kept in registers for it.  But it may not read memory again that has
 * changed, and where the way to it was long, bodies would grow with the square of their length. */
static void begin_detour(Scheduler *s, Ask *a, Made c, Made usual)
{
    const Tables *under = s->stored || s->values > LONG_WAY ? s->body : NULL;
    int in[] = {c.entry, usual.entry};

    a->detour = plan_made_of(s, MAKE_DETOUR, a, in, COUNT(in), false).entry;
    s->current = plan_tables(s->plan->arena, under);
    s->rare = true;
}

static Made end_detour(Scheduler *s, const Ask *a, Made rare)
{
    int in[] = {a->detour, rare.entry};

    s->current = s->body;
    s->rare = false;
    return plan_entry(s, plan_vector_entry(s, MAKE_MEET, a, in, COUNT(in)), false);
}

/* select(likely c, x, y) of vectors: y is computed where some lane of c is false.  In a detour no
 * other begins: its y is right for all lanes. */
static bool usual_select(Scheduler *s, Ask *a, Made c, Made *out)
{
    const Op *op = a->value->def;
    Made usual, rare;

    if (a->detour == NO_ENTRY && !s->rare) {
        if (!plan_get(s, AS_VALUE, op->operands[SELECT_THEN], a->map, &usual))
            return false;
        begin_detour(s, a, c, usual);
    }
    if (!plan_get(s, AS_VALUE, op->operands[SELECT_ELSE], a->map, &rare))
        return false;
    *out = a->detour == NO_ENTRY ? rare : end_detour(s, a, rare);
    return true;
}

static bool has_detour(const Scheduler *s, const Ask *a, Made c)
{
    const Entry *e = plan_entry_of(s, c);

    return plan_is_usual(a->value->def) && a->role == AS_VALUE && e->vector;
}

static bool select_entry(Scheduler *s, Ask *a, Made *out)
{
    const Op *op = a->value->def;
    Made c;

    if (a->detour != NO_ENTRY)
        return usual_select(s, a, (Made){0}, out);
    if (!plan_get(s, a->role, op->operands[SELECT_IF], a->map, &c))
        return false;
    if (has_detour(s, a, c))
        return usual_select(s, a, c, out);
    bool then = plan_is_known(s, c, true);
    if (!then && !plan_is_known(s, c, false))
        return elementwise(s, a, out);
    if (!plan_get(s, a->role, op->operands[then ? SELECT_THEN : SELECT_ELSE], a->map, out))
        return false;
    out->local |= c.local;
    return true;
}

/* --- runs --- */

/* Integers that are not affine, but may come in runs that fill whole vectors: (i // 16), (i % n).
 */
static bool is_chunk(const Scheduler *s, const Ask *a, Access *out)
{
    const Type *t = a->value->type;
    OpCode code = a->value->def->code;

    if (a->role != AS_VALUE || (!t->pointer && dtype_is_float(t->dtype)) ||
        !access_follows(s->nest->space, a->value, a->map) ||
        (code != OP_div && code != OP_rem && code != OP_shr && code != OP_and))
        return false;
    *out = access_of(s->nest->space, a->value, a->map);
    return out->ok && out->chunked;
}

static bool chunk(Scheduler *s, const Ask *a, const Access *steps, Made *out)
{
    Made first;

    if (!plan_get(s, AS_LANE, a->value, a->map, &first))
        return false;
    *out = first;
    if (steps->stride == 0)
        return true;
    Entry run = plan_vector_entry(s, MAKE_RUN, a, &first.entry, 1);
    run.number = MAX(steps->every, 1);
    *out = plan_entry(s, run, false);
    return true;
}

/* --- values --- */

static bool filled_here(const Scheduler *s, const Value *v, const int8_t *map)
{
    int buffer = s->plan->facts[v->id].buffer;

    if (!plan_is_identity(v, map, nest_tile_rank(s->nest)))
        return false;
    for (int i = 0; i < s->nest->roots.len; i++) {
        const Root *r = &s->nest->roots.at[i];
        if (r->kind == ROOT_FILL && r->value == v && r->buffer == buffer && r->source == NO_BUFFER)
            return true;
    }
    return false;
}

/* A value that is read from its buffer here. */
static bool is_buffered(const Scheduler *s, const Ask *a)
{
    const Value *v = a->value;

    return plan_buffer(s->plan, v) != NO_BUFFER && !(v->def && filled_here(s, v, a->map));
}

static bool by_definition(Scheduler *s, Ask *a, Made *out)
{
    const Op *op = a->value->def;
    int piece = access_quotient(s->nest->space, a->value, a->map);
    Access steps;

    if (piece != NO_QUOTIENT)
        return plan_in_piece(s, a, piece, out);
    switch (op->code) {
    case OP_const:
        *out = of_nothing(s, MAKE_CONST, a, false);
        return true;
    case OP_splat:
        return plan_get(s, a->role, op->operands[0], a->map, out);
    case OP_arange:
        *out = index_entry(s, a);
        return true;
    case OP_load:
        return load_value(s, a, out);
    case OP_gather:
        return gathered(s, a, out);
    case OP_select:
        return select_entry(s, a, out);
    default:
        if (op_has(op, MOVES) && op->operands[0]->type->rank == 0)
            return plan_get(s, a->role, op->operands[0], a->map, out);
        if (op_has(op, MOVES)) {
            *out = rearranged(s, a);
            return true;
        }
        return is_chunk(s, a, &steps) ? chunk(s, a, &steps, out) : elementwise(s, a, out);
    }
}

static bool make_value(Scheduler *s, Ask *a, Made *out)
{
    int8_t in[MAX_RANK];

    if (is_buffered(s, a)) {
        int buffer = plan_buffer(s->plan, a->value);
        *out = plan_entry(s, plan_buffer_entry(s, buffer, 0, a->value, a->role, a->map), false);
        return true;
    }
    if (!a->value->def)
        bug("a tile argument without a buffer");
    int rank = a->value->type->rank;
    if (plan_buffer(s->plan, a->value) != NO_BUFFER &&
        memcmp(a->map, plan_identity, (size_t)rank) != 0) /* of extents of 1: as its fill has it */
        return plan_get(s, a->role, a->value, plan_identity, out);
    Value *source = access_renamed(a->value, a->map, in);
    return source ? plan_get(s, a->role, source, in, out) : by_definition(s, a, out);
}

static bool make_row(Scheduler *s, const Ask *a, Made *out)
{
    int8_t in[MAX_RANK];
    Value *source = access_renamed(a->value, a->map, in);
    int piece = access_quotient(s->nest->space, a->value, a->map);

    if (source)
        return plan_get(s, AS_ROW, source, in, out);
    if (piece != NO_QUOTIENT)
        return plan_in_piece(s, a, piece, out);
    if (a->value->def->code != OP_arange)
        return elementwise(s, a, out);
    *out = index_entry(s, a);
    return true;
}

/* A conjunction in the mask of an access, whose parts may be known. */
static bool both(Scheduler *s, const Ask *a, Made *out)
{
    const Op *op = a->value->def;
    Made x, y;

    if (!plan_get(s, AS_MASK, op->operands[0], a->map, &x) ||
        !plan_get(s, AS_MASK, op->operands[1], a->map, &y))
        return false;
    if (plan_is_known(s, x, false) || plan_is_known(s, y, false))
        *out = plan_known(s, false, true);
    else if (plan_is_known(s, x, true))
        *out = y;
    else if (plan_is_known(s, y, true))
        *out = x;
    else
        *out = plan_made_of(s, MAKE_OP, a, (int[]){x.entry, y.entry}, 2, false);
    return true;
}

static bool make_mask(Scheduler *s, const Ask *a, Made *out)
{
    int8_t in[MAX_RANK];
    bool virtual = plan_buffer(s->plan, a->value) == NO_BUFFER;
    Value *source = virtual ? access_renamed(a->value, a->map, in) : NULL;

    if (source)
        return plan_get(s, AS_MASK, source, in, out);
    if (virtual && a->value->def && a->value->def->code == OP_and)
        return both(s, a, out);
    return plan_get(s, AS_VALUE, a->value, a->map, out);
}

static bool make_asked(Scheduler *s, Ask *a, Made *out)
{
    switch (a->role) {
    case AS_MASK:
        return make_mask(s, a, out);
    case AS_ROW:
        return make_row(s, a, out);
    default:
        return make_value(s, a, out);
    }
}

/* Until nothing is asked for any more. */
static void make_all(Scheduler *s)
{
    while (s->asked.len > 0) {
        int top = s->asked.len - 1;
        Ask a = s->asked.at[top];
        Made m;
        bool made = make_asked(s, &a, &m);
        s->asked.at[top].detour = a.detour;
        if (!made)
            continue;
        s->asked.len = top;
        plan_remember(s, &a, m);
    }
}

Made plan_compute(Scheduler *s, Role role, Value *v, const int8_t *map)
{
    Made m;

    while (!plan_get(s, role, v, map, &m))
        make_all(s);
    return m;
}

void plan_address(Scheduler *s, const AccessPlan *a, Value *ptr, const int8_t *map, bool masked,
                  int *in)
{
    while (!get_address(s, a, ptr, map, masked, in))
        make_all(s);
}
