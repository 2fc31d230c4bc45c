/*
 * test_records.c - what programs have left in a buffer, as the launch hears it
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/run/record.h"
/* after base.h: cmocka makes fail() a macro */
#include <cmocka.h>

enum { BYTES = 1256 };
static const RecordRoom room = {
    .printed = 736, .failed = 248, .values = 192, .first = 1, .last = 3};

static const Type pair = {.dtype = DT_FP16, .rank = 1, .dims = {2}};
static const Type number = {.dtype = DT_I64};
static const Type both[] = {pair, number};
static const RecordSite sites[] = {
    {.kind = RECORD_PRINT, .text = "x={} n={}", .nvalues = 2, .types = both},
    {.kind = RECORD_CHECK},
    {.kind = RECORD_VALUE, .text = "work.x", .nvalues = 1, .types = &pair},
};
static const int32_t grid[3] = {4, 2, 1};

typedef struct {
    RecordBuffer *buffer;
    Records *records;
} Heard;

static Heard begin(void)
{
    Heard h = {calloc(1, BYTES), records_new(sites, COUNT(sites), grid)};

    assert_true(h.buffer && h.records);
    assert_int_equal(record_buffer_bytes(room), BYTES);
    record_buffer_begin(h.buffer, room);
    return h;
}

static void end(Heard *h)
{
    free(h->buffer);
    records_free(h->records);
}

static const Record *drained(Heard *h, int *n)
{
    record_buffer_drain(h->buffer, BYTES, records_port(h->records));
    return records_list(h->records, n);
}

/* Room as a program takes it; NULL: there is none. */
static uint32_t *take(Heard *h, int kind, uint32_t words)
{
    uint64_t at = h->buffer->used[kind];

    h->buffer->used[kind] += words;
    if (at + words > h->buffer->end[kind]) {
        h->buffer->lost++;
        return NULL;
    }
    return h->buffer->data + at;
}

static bool print_pair(Heard *h, int32_t x, int64_t n)
{
    const uint16_t halves[] = {0x3c00, 0x4000};
    const uint32_t head[] = {12, 0, (uint32_t)x, 1, 0, 2, 8, 10};
    uint32_t *r = take(h, RECORDS_PRINTED, 12);

    if (!r)
        return false;
    memcpy(r, head, sizeof head);
    memcpy(r + 8, halves, sizeof halves);
    memcpy(r + 10, &n, sizeof n);
    return true;
}

static void fail_check(Heard *h, int32_t x, int32_t element, int64_t offset)
{
    const uint32_t head[] = {16, 1, (uint32_t)x, 0, 0, 3, 10, 12, 14, 0};
    uint32_t *r = take(h, RECORDS_FAILED, 16);

    assert_non_null(r);
    memcpy(r, head, sizeof head);
    memcpy(r + 10, &element, sizeof element);
    r[12] = 5;
    memcpy(r + 14, &offset, sizeof offset);
}

/* Programs that print nothing need no room for prints, and assertions need less than checks. */
static void test_room(void **state)
{
    static const RecordSite assertion = {.kind = RECORD_ASSERT};
    RecordRoom all = record_room(sites, COUNT(sites), NULL), one = record_room(&assertion, 1, NULL);
    RecordRoom check = record_room(&sites[1], 1, NULL);

    (void)state;
    assert_int_equal(check.printed, 0);
    assert_int_equal(all.failed, check.failed);
    assert_int_equal(one.printed, 0);
    assert_int_equal(one.failed, 512 << 10);
    assert_in_range(record_buffer_bytes(all), 8 << 20, (8 << 20) + (long)sizeof(RecordBuffer));
    assert_true(one.failed < check.failed && check.failed < all.printed);
}

static void test_records(void **state)
{
    Heard h = begin();
    int n;

    (void)state;
    fail_check(&h, 3, 7, -100);
    print_pair(&h, 2, -9);
    fail_check(&h, 1, 6, 90);
    const Record *r = drained(&h, &n);
    assert_int_equal(n, 2);
    assert_string_equal(r[0].text, "(2, 1, 0)x=[1.0 2.0] n=-9");
    assert_int_equal(r[1].program, 1);
    assert_int_equal(r[1].element, 6);
    assert_int_equal(r[1].offset, 90);
    assert_int_equal(r[1].failures, 10);
    assert_int_equal(r[1].programs, 2);
    assert_int_equal(records_lost(h.records), 0);
    end(&h);
}

/* A program that fails again and again at one place, between others, is one program. */
static void test_programs(void **state)
{
    Heard h = begin();
    int n;

    (void)state;
    for (int round = 0; round < 4; round++) {
        for (int32_t x = 0; x < 3; x++)
            fail_check(&h, x, 7, -100);
        record_buffer_drain(h.buffer, BYTES, records_port(h.records));
        memset(h.buffer, 0, BYTES);
        record_buffer_begin(h.buffer, room);
    }
    const Record *r = records_list(h.records, &n);
    assert_int_equal(n, 1);
    assert_int_equal(r[0].failures, 60);
    assert_int_equal(r[0].programs, 3);
    end(&h);
}

/* Prints that find no room are counted, and leave room for what failed. */
static void test_full(void **state)
{
    Heard h = begin();
    int n, printed = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        printed += print_pair(&h, 0, i);
    fail_check(&h, 0, 0, 1);
    assert_in_range(printed, 10, 20);
    const Record *r = drained(&h, &n);
    assert_int_equal(n, printed + 1);
    assert_int_equal(r[printed].programs, 1);
    assert_int_equal(records_lost(h.records), 100 - printed);
    end(&h);
}

static void hear_value(void *heard, const RecordedValue *v)
{
    uint16_t *all = heard;

    assert_string_equal(v->name, "work.x");
    assert_int_equal(type_numel(v->type), 2);
    memcpy(all + 2 * v->program, v->data, 2 * sizeof *all);
}

static void say_value(Heard *h, uint32_t x, uint16_t first)
{
    const uint32_t head[] = {10, 2, x, 0, 0, 1, 8};
    const uint16_t halves[] = {first, 0x4000};
    uint32_t *r = take(h, RECORDS_VALUES, 10);

    assert_non_null(r);
    memcpy(r, head, sizeof head);
    memcpy(r + 8, halves, sizeof halves);
}

/* Of the programs that are wanted alone, and they fail nothing. */
static void test_values(void **state)
{
    Heard h = begin();
    uint16_t heard[8] = {0};
    const RecordValues wanted = {hear_value, heard, 1, 3};
    int n;

    (void)state;
    records_want(h.records, &wanted);
    for (uint32_t x = 0; x < 4; x++)
        say_value(&h, x, (uint16_t)(x + 1));
    drained(&h, &n);
    assert_int_equal(n, 0);
    assert_int_equal(records_lost(h.records), 0);
    assert_memory_equal(heard, ((uint16_t[]){0, 0, 2, 0x4000, 3, 0x4000, 0, 0}), sizeof heard);
    end(&h);
}

/* Nothing beyond the buffer is read, whatever stands in it. */
static void test_nonsense(void **state)
{
    static const uint32_t heads[][8] = {
        {5000, 0, 0, 0, 0, 2, 8, 10}, {12, 0, 0, 0, 0, 2000, 8, 10}, {12, 0, 0, 0, 0, 2, 8, 12}};
    int n;

    (void)state;
    for (int i = 0; i < COUNT(heads); i++) {
        Heard h = begin();
        memcpy(take(&h, RECORDS_PRINTED, 12), heads[i], sizeof heads[i]);
        h.buffer->used[RECORDS_FAILED] = UINT64_MAX;
        h.buffer->end[RECORDS_FAILED] = UINT64_MAX;
        drained(&h, &n);
        assert_int_equal(n, 0);
        end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room),     cmocka_unit_test(test_records),
        cmocka_unit_test(test_programs), cmocka_unit_test(test_full),
        cmocka_unit_test(test_values),   cmocka_unit_test(test_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
