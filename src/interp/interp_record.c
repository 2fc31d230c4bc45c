/*
 * interp_record.c - what programs say: prints, assertions and checks
 *
 * All of it goes through the port of the launch (ir.h).  Without one, only an assertion that fails
 * is heard of: it stops the run with an error at its place.
 */
#include "machine.h"

static void say(const Frame *f, const Op *op, const void *const *values)
{
    const Machine *m = f->machine;
    RecordPort *port = m->launch->records;

    if (port)
        port->put(port, attr_record_site(op), m->program, values);
}

void exec_record(Frame *f, const Op *op)
{
    const void *values[op->noperands + 1];

    for (int i = 0; i < op->noperands; i++)
        values[i] = operand(f, op, i);
    say(f, op, values);
}

/* As `record` has them. */
typedef struct {
    int32_t element, failures;
    int64_t offset;
} Fault;

static Fault find_fault(const Frame *f, const Op *op)
{
    const Value *condition = op->operands[ASSERT_CONDITION];
    const uint8_t *holds = operand(f, op, ASSERT_CONDITION);
    const uint8_t *mask = op->noperands > ASSERT_MASK ? operand(f, op, ASSERT_MASK) : NULL;
    bool is_tile = condition->type->rank > 0;
    Fault fault = {.element = -1};
    size_t first = 0;

    for (size_t i = 0; i < value_numel(condition); i++) {
        if (holds[i] || (mask && !mask[i]))
            continue;
        if (fault.failures++ == 0)
            first = i;
    }
    if (fault.failures > 0 && is_tile)
        fault.element = (int32_t)first;
    if (op->code == OP_check)
        fault.offset = ((const int64_t *)operand(f, op, CHECK_OFFSET))[first];
    return fault;
}

void exec_assert(Frame *f, const Op *op)
{
    Machine *m = f->machine;
    Fault fault = find_fault(f, op);

    if (fault.failures == 0)
        return;
    say(f, op, (const void *[]){&fault.element, &fault.failures, &fault.offset});
    if (op->code == OP_check)
        return;
    if (m->launch->records)
        fail(&m->guard);
    machine_stop(m, op, "assertion failed in program (%d, %d, %d): %s", m->program[0],
                 m->program[1], m->program[2], attr_message(op));
}
