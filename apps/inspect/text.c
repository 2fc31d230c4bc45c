/*
 * text.c - texts that grow, memory that is there or ends the program, and lines on stderr
 */
#include "inspect.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *more(void *at, size_t bytes)
{
    at = realloc(at, bytes ? bytes : 1);
    if (!at) {
        fputs("tilec-inspect: out of memory\n", stderr);
        exit(EXIT_FILES);
    }
    return at;
}

void text_add_bytes(Text *t, const void *bytes, size_t n)
{
    if (t->cap - t->len <= n) {
        t->cap = 2 * t->cap + n + 64;
        t->at = more(t->at, t->cap);
    }
    if (n)
        memcpy(t->at + t->len, bytes, n);
    t->len += n;
    t->at[t->len] = '\0';
}

static char *vformat(const char *fmt, va_list args, size_t *len)
{
    va_list again;
    char *text;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    *len = n > 0 ? (size_t)n : 0;
    text = more(NULL, *len + 1);
    text[0] = '\0';
    vsnprintf(text, *len + 1, fmt, args);
    return text;
}

char *format(const char *fmt, ...)
{
    va_list args;
    size_t len;
    char *text;

    va_start(args, fmt);
    text = vformat(fmt, args, &len);
    va_end(args);
    return text;
}

void text_add(Text *t, const char *fmt, ...)
{
    va_list args;
    size_t len;
    char *text;

    va_start(args, fmt);
    text = vformat(fmt, args, &len);
    va_end(args);
    text_add_bytes(t, text, len);
    free(text);
}

void text_add_field(Text *t, const char *field)
{
    if (!field[strcspn(field, ",\"\r\n")]) {
        text_add_bytes(t, field, strlen(field));
        return;
    }
    text_add_bytes(t, "\"", 1);
    for (; *field; field++)
        text_add_bytes(t, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    text_add_bytes(t, "\"", 1);
}

void text_free(Text *t)
{
    free(t->at);
    *t = (Text){0};
}

static int own_rank;

void say_rank(int rank)
{
    own_rank = rank;
}

void say(const char *fmt, ...)
{
    Text line = {0};
    va_list args;
    size_t len;
    char *text;

    va_start(args, fmt);
    text = vformat(fmt, args, &len);
    va_end(args);
    progress_wipe();
    text_add(&line, "tilec-inspect: ");
    if (own_rank)
        text_add(&line, "rank %d: ", own_rank);
    text_add(&line, "%s\n", text);
    fwrite(line.at, 1, line.len, stderr); /* at once, as what comes from other threads is */
    text_free(&line);
    free(text);
}
