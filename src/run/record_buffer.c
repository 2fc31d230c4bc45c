/*
 * record_buffer.c - what programs have left in a buffer, handed to the port of their launch
 *
 * ir.h says what lies there.  Programs of a GPU write it, so nothing in it is trusted: a record
 * that does not fit ends the walk.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"

/*
 * A print may be long, and there may be many.  A check that fails leaves 64 bytes, each time that a
 * program comes to it.  An assertion does so once a program, which it ends, and keeps others from
 * beginning: that is as many at most as a GPU runs at once, 32 on each of some 150 processors.
 */
enum {
    PRINTS_BYTES = 6 << 20,
    CHECKS_BYTES = 2 << 20,
    ASSERTS_BYTES = 512 << 10,
    VALUES_BYTES = 64 << 20
};

RecordRoom record_room(const RecordSite *sites, int nsites, const RecordValues *values)
{
    RecordRoom room = {0};

    if (values) {
        room.first = values->first;
        room.last = values->last;
        room.values = VALUES_BYTES;
    }
    for (int i = 0; i < nsites; i++) {
        if (sites[i].kind == RECORD_PRINT)
            room.printed = PRINTS_BYTES;
        else if (sites[i].kind != RECORD_VALUE)
            room.failed = MAX(room.failed, (size_t)(sites[i].kind == RECORD_CHECK ? CHECKS_BYTES
                                                                                  : ASSERTS_BYTES));
    }
    return room;
}

size_t record_buffer_bytes(RecordRoom room)
{
    return sizeof(RecordBuffer) + room.printed + room.failed + room.values;
}

static uint64_t words_in(size_t bytes)
{
    return bytes <= sizeof(RecordBuffer) ? 0 : (bytes - sizeof(RecordBuffer)) / sizeof(uint32_t);
}

void record_buffer_begin(RecordBuffer *header, RecordRoom room)
{
    uint64_t printed = room.printed / sizeof(uint32_t);
    uint64_t failed = printed + room.failed / sizeof(uint32_t);

    *header = (RecordBuffer){.used = {[RECORDS_FAILED] = printed, [RECORDS_VALUES] = failed},
                             .end = {[RECORDS_PRINTED] = printed,
                                     [RECORDS_FAILED] = failed,
                                     [RECORDS_VALUES] = failed + room.values / sizeof(uint32_t)},
                             .first = (uint64_t)room.first,
                             .last = (uint64_t)room.last,
                             .told = room.told};
}

void record_buffer_used(const RecordBuffer *b, size_t bytes, int kind, uint64_t *from, uint64_t *to)
{
    uint64_t all = words_in(bytes), end = MIN(b->end[kind], all);

    *from = kind == 0 ? 0 : MIN(b->end[kind - 1], all);
    *to = MAX(*from, MIN(b->used[kind], end));
}

/* Its words; 0: there is none, or none that can be. */
static uint32_t record_length(const uint32_t *record, uint64_t room)
{
    if (room < RECORD_PLACES || record[RECORD_WORDS] < RECORD_PLACES || record[RECORD_WORDS] > room)
        return 0;
    uint32_t words = record[RECORD_WORDS], n = record[RECORD_COUNT];
    if (n > words - RECORD_PLACES)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (record[RECORD_PLACES + i] >= words)
            return 0;
    }
    return words;
}

/* False: memory is out. */
static bool put_record(RecordPort *port, const uint32_t *record)
{
    uint32_t n = record[RECORD_COUNT];
    const void **values = calloc(n + 1, sizeof *values);
    int32_t program[3];

    if (!values)
        return false;
    memcpy(program, record + RECORD_PROGRAM, sizeof program);
    for (uint32_t i = 0; i < n; i++)
        values[i] = record + record[RECORD_PLACES + i];
    port->put(port, record[RECORD_SITE], program, values);
    free(values);
    return true;
}

static void drain(const RecordBuffer *b, RecordPort *port, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to;) {
        uint32_t words = record_length(b->data + at, to - at);
        if (words == 0)
            return; /* what did not fit has left no record */
        if (!put_record(port, b->data + at))
            records_lose(port, 1);
        at += words;
    }
}

void record_buffer_drain(const RecordBuffer *b, size_t bytes, RecordPort *port)
{
    uint64_t from, to;

    port->wide_floats = false;
    for (int k = 0; k < RECORDS_KINDS; k++) {
        record_buffer_used(b, bytes, k, &from, &to);
        drain(b, port, from, to);
    }
    if (b->lost > 0)
        records_lose(port, b->lost);
}
