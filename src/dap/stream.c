/*
 * stream.c - bytes to messages: "Content-Length: 119\r\n\r\n" and so many bytes of JSON
 *
 * What is no header is told once and passed over, up to the next line that has a length: so one
 * side that got out of step, or something that printed between messages, does not end a session.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "inside.h"

enum { MOST_MESSAGE = 16 << 20, MOST_SKIPPED = 1 << 30, MOST_LINE = 4096, ROOM = 1 << 16 };

static const char length_name[] = "Content-Length:";

char *stream_room(Stream *s, size_t *room)
{
    if (s->at > 0) {
        memmove(s->data, s->data + s->at, s->len - s->at);
        s->len -= s->at;
        s->at = 0;
    }
    if (s->room - s->len < ROOM) {
        char *more = realloc(s->data, 2 * s->room + ROOM);
        if (!more)
            return NULL;
        s->data = more;
        s->room = 2 * s->room + ROOM;
    }
    *room = s->room - s->len;
    return s->data + s->len;
}

void stream_add(Stream *s, size_t n)
{
    s->len += n;
}

void stream_free(Stream *s)
{
    free(s->data);
}

/* The number behind the name, wherever in the line that stands; 0: there is none. */
static size_t length_in(const char *line, size_t n)
{
    const size_t name = sizeof length_name - 1;
    size_t length = 0, i;

    for (i = 0; i + name <= n && strncasecmp(line + i, length_name, name) != 0;)
        i++;
    if (i + name > n)
        return 0;
    for (i += name; i < n && line[i] == ' ';)
        i++;
    for (; i < n && isdigit((unsigned char)line[i]) && length <= SIZE_MAX / 100; i++)
        length = 10 * length + (size_t)(line[i] - '0');
    return i == n && length <= SIZE_MAX / 100 ? length : 0;
}

/* "Name: value" */
static bool is_header(const char *line, size_t n)
{
    size_t i = 0;

    while (i < n && (isalnum((unsigned char)line[i]) || line[i] == '-'))
        i++;
    return i > 0 && i < n && line[i] == ':';
}

/* A line of a header, without its end. */
static void take_line(Stream *s, const char *line, size_t n)
{
    size_t length = length_in(line, n);

    if (length > 0)
        s->length = length;
    else if (!is_header(line, n) || strncasecmp(line, length_name, sizeof length_name - 1) == 0)
        s->garbled = true;
}

/* All lines up to the empty one that ends a header; false: it has not come yet. */
static bool take_header(Stream *s)
{
    while (s->at < s->len) {
        const char *line = s->data + s->at;
        const char *end = memchr(line, '\n', s->len - s->at);
        size_t n = end ? (size_t)(end - line) : s->len - s->at;

        if (!end && n <= MOST_LINE)
            return false;
        s->at += n + (end ? 1 : 0);
        n -= n > 0 && line[n - 1] == '\r';
        if (n == 0 && s->length > 0)
            return true;
        if (n == 0 && s->garbled)
            return false;
        if (n > 0)
            take_line(s, line, n);
    }
    return false;
}

static void skip(Stream *s)
{
    size_t n = MIN(s->skip, s->len - s->at);

    s->at += n;
    s->skip -= n;
}

static StreamState refuse(const char **why, const char *text)
{
    *why = text;
    return STREAM_GARBLED;
}

StreamState stream_next(Stream *s, const char **body, size_t *n, const char **why)
{
    skip(s);
    if (s->skip == 0 && !s->has_header)
        s->has_header = take_header(s);
    if (s->garbled) {
        s->garbled = false;
        return refuse(why, "what came is no header of a message: Content-Length: N, and an empty "
                           "line");
    }
    if (!s->has_header)
        return STREAM_MORE;
    *n = s->length;
    if (*n > MOST_MESSAGE) {
        s->skip = *n <= MOST_SKIPPED ? *n : 0;
        s->has_header = false;
        s->length = 0;
        return refuse(why, "a message is too long");
    }
    if (s->len - s->at < *n)
        return STREAM_MORE;
    *body = s->data + s->at;
    s->at += *n;
    s->has_header = false;
    s->length = 0;
    return STREAM_MESSAGE;
}
