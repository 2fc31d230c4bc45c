/*
 * answer.c - what a command came to, as one JSON object in a line, for programs at the prompt
 *
 *     {"command": "print v[:2]", "text": "...", "value": {"dtype": "fp32", "shape": [2], "data":
 * [5, 6]}}
 *     {"command": "continue", "text": "...", "stop": {"reason": "breakpoint", "number": 1, ...}}
 *     {"command": "print vv", "error": "`vv` is not defined ..."}
 *
 * The first one, of where the launch begins, has no command.
 */
#include <math.h>

#include "inside.h"

static bool is_asked(const Prompt *p)
{
    return p->host->answer != NULL;
}

bool answer_keeps(Prompt *p, const char *text)
{
    if (is_asked(p))
        text_put(&p->answer.said, text);
    return is_asked(p);
}

void answer_begin(Prompt *p, const char *command)
{
    p->answer = (Answer){.command = command,
                         .said = text_new(p->client->arena),
                         .members = text_new(p->client->arena)};
    text_put(&p->answer.said, "");
    text_put(&p->answer.members, "");
}

void answer_error(Prompt *p, const char *why)
{
    if (is_asked(p))
        json_printable(&p->answer.members, "error", why);
}

/* --- where the run stands --- */

static const char *reason_of(DebugWhy why)
{
    static const char *const words[] = {
        [DEBUG_BEGINS] = "begins",           [DEBUG_STEPPED] = "step",  [DEBUG_CAME] = "came",
        [DEBUG_BREAKPOINT] = "breakpoint",   [DEBUG_WRITTEN] = "watch", [DEBUG_CAUGHT] = "caught",
        [DEBUG_INTERRUPTED] = "interrupted", [DEBUG_FAULT] = "fault",   [DEBUG_ENDED] = "ended"};

    return words[why];
}

void answer_stop(Prompt *p)
{
    const DebugStop *s = p->stop;
    Text *t = &p->answer.members;

    if (!is_asked(p))
        return;
    json_object(t, "stop");
    json_text(t, "reason", reason_of(s->why));
    if (s->number > 0)
        json_int(t, "number", s->number);
    if (s->text)
        json_printable(t, "text", s->text);
    if (s->place.frame) {
        const Place at = debug_line(&s->place);
        json_array(t, "program");
        for (int i = 0; i < 3; i++)
            json_int(t, NULL, s->program[i]);
        json_array_end(t);
        json_printable(t, "function", debug_function(&s->place, t->arena));
        json_printable(t, "file", at.source ? at.source->path : "");
        json_int(t, "line", at.line);
    }
    json_object_end(t);
}

/* --- values --- */

/* What JSON has no number for is a text. */
static void put_element(Text *t, const DebugTile *tile, int64_t k)
{
    uint64_t bits = element_get_bits(tile->data, k, (size_t)dtype_size(tile->dtype));
    bool is_wide = tile->dtype == DT_FP64;

    if (tile->dtype == DT_I1) {
        json_bool(t, NULL, bits & 1);
        return;
    }
    if (!dtype_is_float(tile->dtype)) {
        char word[ELEMENT_TEXT];
        element_format(word, (tilec_dtype)tile->dtype, bits, false);
        json_value(t, NULL, word);
        return;
    }
    double v = scalar_to_double(tile->dtype, bits);
    if (isfinite(v))
        json_number(t, NULL, v, is_wide ? 17 : 9);
    else
        json_text(t, NULL, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static void put_tile(Text *t, const DebugTile *tile)
{
    int64_t n = debug_tile_numel(tile);

    json_text(t, "dtype", dtype_name(tile->dtype));
    if (tile->array)
        json_printable(t, "points_into", tile->array);
    json_array(t, "shape");
    for (int i = 0; i < tile->ndim; i++)
        json_int(t, NULL, tile->shape[i]);
    json_array_end(t);
    json_array(t, "data");
    for (int64_t k = 0; k < n; k++)
        put_element(t, tile, k);
    json_array_end(t);
    if (!tile->mask)
        return;
    json_array(t, "loaded");
    for (int64_t k = 0; k < n; k++)
        json_bool(t, NULL, tile->mask[k]);
    json_array_end(t);
}

void answer_value(Prompt *p, const DebugValue *v)
{
    if (!is_asked(p) || p->is_displaying || v->text || !v->tiles[0].data)
        return;
    json_object(&p->answer.members, "value");
    put_tile(&p->answer.members, &v->tiles[0]);
    json_object_end(&p->answer.members);
}

/* --- sending --- */

void answer_send(Prompt *p)
{
    Text t = text_new(p->client->arena);
    const Answer *a = &p->answer;

    if (!is_asked(p) || (!a->command && a->members.len == 0))
        return;
    json_object(&t, NULL);
    if (a->command)
        json_printable(&t, "command", a->command);
    if (a->said.len > 0)
        json_printable(&t, "text", a->said.s);
    if (a->members.len > 0)
        json_value(&t, NULL, a->members.s);
    json_object_end(&t);
    p->host->answer(p->host->ctx, t.s);
    answer_begin(p, NULL);
}
