/*
 * edit.c - lines that are typed: with history and completion where the machine has libedit
 *
 * The library is looked for when the first line is read, by the functions that it has in readline's
 * place, so nothing is needed to build this.  It calls back without a context: the words are here
 * while a line is read.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "terminal.h"

typedef char *NextMatch(const char *word, int is_next);
typedef char **Complete(const char *word, int start, int end);

static struct {
    bool looked;
    char *(*read)(const char *prompt);
    int (*add)(const char *line);
    char **(*matches)(const char *word, NextMatch *next);
    int *is_over;                             /* files are no words */
    const char *const *first, *const *others; /* words of a line */
    const char *const *words;                 /* .. those of the two that are to be completed */
    int next;
} edit;

static char *next_match(const char *word, int is_next)
{
    edit.next = is_next ? edit.next : 0;
    while (edit.words[edit.next]) {
        const char *candidate = edit.words[edit.next++];
        if (strncmp(candidate, word, strlen(word)) == 0)
            return strdup(candidate);
    }
    return NULL;
}

static char **complete(const char *word, int start, int end)
{
    (void)end;
    edit.words = start == 0 ? edit.first : edit.others;
    *edit.is_over = 1;
    return edit.matches(word, next_match);
}

/* dlsym() gives functions as pointers to data. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = os_library_symbol(library, name);

    memcpy(function, &symbol, sizeof symbol);
}

static void look_for_library(void)
{
    const char *why;
    void *library = os_load_library("libedit.so.2", &why);
    Complete **attempted;

    edit.looked = true;
    if (!library)
        return;
    find(library, "readline", &edit.read);
    find(library, "add_history", &edit.add);
    find(library, "rl_completion_matches", &edit.matches);
    find(library, "rl_attempted_completion_over", &edit.is_over);
    find(library, "rl_attempted_completion_function", &attempted);
    if (!edit.add || !edit.matches || !edit.is_over || !attempted)
        edit.read = NULL;
    else
        *attempted = complete;
}

static char *read_plainly(const char *prompt)
{
    char *line = NULL;
    size_t room = 0;

    fputs(prompt, stdout);
    fflush(stdout);
    if (getline(&line, &room, stdin) >= 0)
        return line;
    free(line);
    return NULL;
}

static char *read_line(const char *prompt)
{
    struct termios mode;
    bool has_mode = tcgetattr(STDIN_FILENO, &mode) == 0;

    if (!edit.looked)
        look_for_library();
    if (!edit.read || !has_mode)
        return read_plainly(prompt);
    fflush(stdout);
    char *line = edit.read(prompt);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
    if (line && line[0])
        edit.add(line);
    return line;
}

char *terminal_read(const char *prompt, const char *const *first, const char *const *others)
{
    edit.first = first;
    edit.others = others;
    interrupt_reads(true);
    char *line = read_line(prompt);
    interrupt_reads(false);
    return line;
}
