/*
 * worker.c - tilec_worker OUT ERR: command lines of `tilec` one behind the other, in one process
 *
 * A process on a GPU waits a third of a second for its driver, and processes that start beside each
 * other wait for each other, too; so cases of tests/num share a few of these.  stdin has a command
 * line a line, its words, `tilec` among them, apart by the character 31 (unit separator).
 * For each a line goes to stdout: what `tilec` would have exited with.  What it prints is in the
 * files OUT and ERR until the next one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/commands/commands.h"

enum { MOST_WORDS = 1000 };

/* The stream goes there from now on; at its end nobody can be told. */
static void send_to(const char *path, int stream)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (file < 0 || dup2(file, stream) < 0)
        abort();
    close(file);
}

static int run_line(char *line)
{
    char *argv[MOST_WORDS + 1] = {0};
    int argc = 0;

    for (char *word; (word = strsep(&line, "\037\n")) && line && argc < MOST_WORDS;)
        argv[argc++] = word;
    return command_line(argc, argv);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    FILE *lines = fdopen(dup(STDIN_FILENO), "r"), *answers = fdopen(dup(STDOUT_FILENO), "w");
    char *line = NULL;
    size_t room = 0;

    if (!lines || !answers || !freopen("/dev/null", "r", stdin))
        return 3;
    while (getline(&line, &room, lines) > 0) {
        send_to(argv[1], STDOUT_FILENO);
        send_to(argv[2], STDERR_FILENO);
        fprintf(answers, "%d\n", run_line(line));
        fflush(stderr);
        fflush(answers);
    }
    return 0;
}
