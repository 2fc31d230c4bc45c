/*
 * lines.c - logical lines of a file, and comments, found without making tokens
 *
 * Most of a kernel file is host code that nobody needs to understand.  This file only knows what
 * may hide an end of line: brackets, strings, comments and backslashes.  Everything is one pass
 * over the bytes, and everything accepts any bytes.
 */
#include <string.h>

#include "lex.h"

/* f-strings inside f-strings, deeper than anybody writes; bounds time and stack. */
enum { MAX_FORMAT_DEPTH = 6, TAB = 8 };

int line_indent(const char *text, uint32_t *pos, uint32_t end)
{
    int indent = 0;

    for (; *pos < end; (*pos)++) {
        char c = text[*pos];

        if (c == ' ')
            indent++;
        else if (c == '\t')
            indent = (indent / TAB + 1) * TAB;
        else if (c == '\f')
            indent = 0;
        else
            break;
    }
    return indent;
}

/* Behind the end of the physical line that `pos` is in. */
static uint32_t physical_end(const char *text, uint32_t pos, uint32_t end)
{
    while (pos < end && !is_newline(text[pos]))
        pos++;
    if (pos + 1 < end && text[pos] == '\r' && text[pos + 1] == '\n')
        pos++;
    return MIN(pos + 1, end);
}

/* Words that never stand inside brackets. */
static const char *const statement_words[] = {
    "assert", "break",    "class", "continue", "def",    "del", "except", "finally", "global",
    "import", "nonlocal", "pass",  "raise",    "return", "try", "while",  "with"};

bool line_breaks_brackets(const char *text, uint32_t pos, uint32_t end, int indent)
{
    int column = line_indent(text, &pos, end);
    uint32_t n = 0;

    if (pos + 1 < end && text[pos] == '@')
        return column <= indent && is_name_start(text[pos + 1]);
    while (pos + n < end && is_name_char(text[pos + n]) && n < 9)
        n++;
    for (int i = 0; n >= 3 && i < COUNT(statement_words); i++) {
        const char *word = statement_words[i];

        if (strlen(word) == n && memcmp(word, text + pos, n) == 0)
            return true;
    }
    return false;
}

static uint32_t string_end_at(const char *text, uint32_t pos, uint32_t end, bool format, int depth,
                              bool *closed);

/* Do the letters in front of the quote at `quote`, none of them before `start`, make an f-string?
 */
static bool has_format_prefix(const char *text, uint32_t start, uint32_t quote)
{
    bool format = false;
    uint32_t n = 0;

    while (n < 3 && quote - n > start && is_name_char(text[quote - n - 1])) {
        char c = text[quote - ++n];

        if (!strchr("rRfF", c))
            return false;
        format |= c == 'f' || c == 'F';
    }
    return n < 3 && format;
}

/*
 * Behind the `}` of a replacement field whose inside begins at `pos`.  A quote in the expression
 * starts a string even when it is the quote of the f-string itself (Python 3.12); in the format
 * specification behind a colon it is an ordinary character.
 */
static uint32_t field_end(const char *text, uint32_t pos, uint32_t end, bool in_spec, int depth,
                          bool *closed)
{
    uint32_t start = pos;
    int nesting = 0;

    *closed = false;
    while (pos < end) {
        char c = text[pos];

        if (c == '}' && nesting == 0) {
            *closed = true;
            return pos + 1;
        }
        if (c == '{' && in_spec && depth > 0) {
            pos = field_end(text, pos + 1, end, false, depth - 1, closed);
            if (!*closed)
                return pos;
            *closed = false;
            continue;
        }
        if ((c == '"' || c == '\'') && !in_spec && depth > 0) {
            pos = string_end_at(text, pos, end, has_format_prefix(text, start, pos), depth - 1,
                                closed);
            if (!*closed)
                return pos;
            *closed = false;
            continue;
        }
        nesting += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        in_spec |= c == ':' && nesting == 0;
        pos++;
    }
    return pos;
}

static uint32_t string_end_at(const char *text, uint32_t pos, uint32_t end, bool format, int depth,
                              bool *closed)
{
    char quote = text[pos];
    bool triple = pos + 2 < end && text[pos + 1] == quote && text[pos + 2] == quote;
    uint32_t line = triple ? end : 0; /* where a replacement field has to end */

    *closed = false;
    pos += triple ? 3 : 1;
    while (pos < end) {
        char c = text[pos];

        if (c == '\\' && !(format && pos + 1 < end && text[pos + 1] == '{')) {
            pos += pos + 2 < end && text[pos + 1] == '\r' && text[pos + 2] == '\n' ? 3 : 2;
        } else if (c == quote && !triple) {
            *closed = true;
            return pos + 1;
        } else if (c == quote && pos + 2 < end && text[pos + 1] == quote &&
                   text[pos + 2] == quote) {
            *closed = true;
            return pos + 3;
        } else if (is_newline(c) && !triple) {
            return pos;
        } else if (format && c == '{' && pos + 1 < end && text[pos + 1] == '{') {
            pos += 2;
        } else if (format && c == '{') {
            if (pos >= line)
                line = physical_end(text, pos, end);
            pos = field_end(text, pos + 1, line, false, depth, closed);
            if (!*closed)
                return pos;
            *closed = false;
        } else {
            pos++;
        }
    }
    return MIN(pos, end);
}

uint32_t string_end(const char *text, uint32_t pos, uint32_t end, bool format, bool *closed)
{
    return string_end_at(text, pos, end, format, MAX_FORMAT_DEPTH, closed);
}

uint32_t format_spec_end(const char *text, uint32_t pos, uint32_t end)
{
    bool closed;
    uint32_t after = field_end(text, pos, end, true, MAX_FORMAT_DEPTH, &closed);

    return closed ? after - 1 : end;
}

typedef enum { PLAIN, END_OF_LINE, COMMENT, QUOTE, OPENS, CLOSES, BACKSLASH } CharClass;

static const uint8_t char_class[256] = {
    ['\n'] = END_OF_LINE, ['\r'] = END_OF_LINE, ['#'] = COMMENT, ['"'] = QUOTE,
    ['\''] = QUOTE,       ['('] = OPENS,        ['['] = OPENS,   ['{'] = OPENS,
    [')'] = CLOSES,       [']'] = CLOSES,       ['}'] = CLOSES,  ['\\'] = BACKSLASH,
};

/* Behind the logical line that is indented by `indent` and whose first character is at `pos`. */
static uint32_t logical_end(const char *text, uint32_t pos, uint32_t end, int indent)
{
    uint32_t start = pos;
    int brackets = 0;
    bool closed;

    while (pos < end) {
        switch ((CharClass)char_class[(unsigned char)text[pos]]) {
        case PLAIN:
            pos++;
            break;
        case END_OF_LINE:
            pos = physical_end(text, pos, end);
            if (brackets == 0 || line_breaks_brackets(text, pos, end, indent))
                return pos;
            break;
        case COMMENT:
            while (pos < end && !is_newline(text[pos]))
                pos++;
            break;
        case QUOTE:
            pos = string_end(text, pos, end, has_format_prefix(text, start, pos), &closed);
            break;
        case OPENS:
            brackets++;
            pos++;
            break;
        case CLOSES:
            brackets -= brackets > 0;
            pos++;
            break;
        case BACKSLASH:
            pos++;
            if (pos < end && is_newline(text[pos]))
                pos = physical_end(text, pos, end);
            break;
        }
    }
    return MIN(pos, end);
}

bool line_next(const char *text, uint32_t pos, uint32_t end, Line *out)
{
    while (pos < end) {
        int indent = line_indent(text, &pos, end);

        if (pos < end && text[pos] != '#' && !is_newline(text[pos])) {
            *out = (Line){pos, logical_end(text, pos, end, indent), indent};
            return true;
        }
        pos = physical_end(text, pos, end);
    }
    return false;
}

/* Behind the line that `pos` is in, or the last one of the texts that begin in it. */
static uint32_t behind_texts(const char *text, uint32_t pos, uint32_t end)
{
    uint32_t start = pos;
    bool closed;

    while (pos < end && !is_newline(text[pos]) && text[pos] != '#') {
        bool quote = char_class[(unsigned char)text[pos]] == QUOTE;

        pos = quote ? string_end(text, pos, end, has_format_prefix(text, start, pos), &closed)
                    : pos + 1;
    }
    return physical_end(text, pos, end);
}

bool comment_next(const char *text, uint32_t pos, uint32_t end, Line *out)
{
    while (pos < end) {
        out->indent = line_indent(text, &pos, end);
        out->start = pos;
        if (pos < end && text[pos] == '#') {
            while (pos < end && !is_newline(text[pos]))
                pos++;
            out->end = pos;
            return true;
        }
        pos = behind_texts(text, pos, end);
    }
    return false;
}
