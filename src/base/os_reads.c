/*
 * os_reads.c - the files that this process has read, which its outputs must not replace
 *
 * A command turns the remembering on; programs that use the library never do.  A file is known by
 * its device and number, so it is the same one by every path, link and further name.  All readers
 * of files tell of what they have opened, and writing asks: whoever adds a reader or an output
 * need not think of it.  The table only grows, without a lock, so it can be asked in a handler of
 * signals too.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"

typedef struct ReadFile {
    dev_t device;
    ino_t number;
    bool is_data; /* arrays, and no more */
    const struct ReadFile *next;
} ReadFile;

enum { CHAINS = 4096 }; /* --each may read a hundred thousand files */
static const ReadFile *_Atomic chains[CHAINS];
static _Atomic bool remembers;

void os_reads_remember(void)
{
    remembers = true;
}

static const ReadFile *_Atomic *chain_of(const struct stat *st)
{
    return &chains[((uint64_t)st->st_ino ^ (uint64_t)st->st_dev) % CHAINS];
}

/* Was it read, as more than data if `as_text`? */
static bool is_known(const struct stat *st, bool as_text)
{
    for (const ReadFile *r = atomic_load(chain_of(st)); r; r = r->next) {
        if (r->device == st->st_dev && r->number == st->st_ino && !(as_text && r->is_data))
            return true;
    }
    return false;
}

void os_reads_add(int fd, bool is_data)
{
    struct stat st;

    if (!remembers || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || is_known(&st, !is_data))
        return;
    ReadFile *r = malloc(sizeof *r);
    if (!r)
        return; /* whoever reads on meets the same */
    *r = (ReadFile){st.st_dev, st.st_ino, is_data, atomic_load(chain_of(&st))};
    while (!atomic_compare_exchange_weak(chain_of(&st), &r->next, r))
        continue;
}

/* Is it no link, and the only name of its file? */
static bool is_own_name(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

int os_reads_refuse(const char *path, bool may_be_data)
{
    struct stat st;

    if (!remembers || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !is_known(&st, false))
        return 0;
    return may_be_data && !is_known(&st, true) && is_own_name(path) ? 0 : OS_WAS_READ;
}

const char *os_error_text(int error)
{
    return error == OS_WAS_READ ? "this command has read that file, and does not replace it"
                                : strerror(error);
}
