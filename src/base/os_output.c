/*
 * os_output.c - can a file be written, and are two paths one file?  Asked before long work
 *
 * Takes paths as a user wrote them, of files that need not exist yet; nothing is changed.  The
 * answers hold for the moment: writing (os_file.c) may fail all the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static int may(const char *path, int how)
{
    return faccessat(AT_FDCWD, path, how, AT_EACCESS) == 0 ? 0 : errno;
}

/* The folder that `path` lies in, in a buffer of PATH_MAX bytes; gives the name within it. */
static const char *split(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;

    strcpy(folder, slash ? "/" : ".");
    if (n > 0) {
        memcpy(folder, path, n);
        folder[n] = '\0';
    }
    return slash ? slash + 1 : path;
}

/* A link that leads nowhere; what it names is left to the writing. */
static bool dangles(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

int os_check_output(const char *path, bool is_array)
{
    char folder[PATH_MAX];
    struct stat st;
    int status = os_reads_refuse(path, is_array);

    if (strlen(path) >= PATH_MAX)
        return ENAMETOOLONG;
    if (status != 0)
        return status;
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? EISDIR : may(path, W_OK);
    if (errno != ENOENT || dangles(path))
        return errno == ENOENT ? 0 : errno;
    return *split(path, folder) ? may(folder, W_OK | X_OK) : EISDIR;
}

bool os_same_output(const char *a, const char *b)
{
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    struct stat at_a, at_b;
    bool there = stat(a, &at_a) == 0;

    if (strlen(a) >= PATH_MAX || strlen(b) >= PATH_MAX || there != (stat(b, &at_b) == 0))
        return false;
    if (there)
        return S_ISREG(at_a.st_mode) && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    return strcmp(split(a, folder_a), split(b, folder_b)) == 0 && stat(folder_a, &at_a) == 0 &&
           stat(folder_b, &at_b) == 0 && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}
