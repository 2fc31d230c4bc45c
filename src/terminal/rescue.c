/*
 * rescue.c - tables of --each that are kept when a signal ends the command
 *
 * Whoever adds rows to a table publishes what there is so far, which stays as it is from then on; a
 * handler writes it whole.  os_write_array() takes no lock and no memory, so it may be called
 * there.
 */
#include "terminal.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic(const Rescue *) published;

void rescue_publish(const Rescue *all)
{
    atomic_store(&published, all);
}

static void write_stdout(const char *text, size_t length)
{
    for (ssize_t n = 0; length > 0 && n >= 0; text += n, length -= (size_t)n)
        n = write(STDOUT_FILENO, text, length);
}

void rescue_write(void)
{
    const Rescue *all = atomic_exchange(&published, NULL);

    for (int i = 0; all && i < all->n; i++) {
        if (strcmp(all->at[i].path, "-") == 0)
            write_stdout(all->at[i].text, all->at[i].length);
        else
            os_write_array(all->at[i].path, all->at[i].text, all->at[i].length);
    }
}
