/*
 * main.c - the command `tilec`
 *
 * The exit code is 0 when the work is done, 1 when the kernel was refused or failed, 2 when the
 * command line is wrong, 3 when a file could not be read or written.
 */
#include "commands.h"

#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { STACK_NEEDED = 1 << 20 };

typedef struct {
    int argc;
    char **argv;
    CliCode code;
} Process;

/* A command lives for moments: it asks for memory in few pieces, and gives nothing back before its
 * end. */
static void keep_heap(void)
{
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

static void run_all(void *process)
{
    Process *p = process;

    p->code = command_line(p->argc, p->argv);
}

int main(int argc, char **argv)
{
    Process process = {argc, argv, CLI_DONE};

    os_keep_streams();
    os_reads_remember();
    keep_heap();
    int error = os_with_stack(STACK_NEEDED, run_all, &process);
    if (error == 0)
        return process.code;
    terminal_say_trouble(
        "tilec: the stack is too small (ulimit -s), and no thread can be started: %s\n",
        strerror(error));
    return CLI_FILES;
}
