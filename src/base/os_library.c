/*
 * os_library.c - shared libraries: loading one, and where the file of this one is
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

#define MAX_MAPS ((size_t)64 << 20)

/* --- loading --- */

#ifdef __linux__
/* The main program comes first. */
static int note_static(struct dl_phdr_info *program, size_t size, void *is_static)
{
    (void)size;
    *(bool *)is_static = true;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            *(bool *)is_static = false;
    }
    return 1;
}
#endif

/* A program without a loader of its own: dlopen() would give it a second C library, and it dies. */
static bool is_static(void)
{
    bool found = false;

#ifdef __linux__
    dl_iterate_phdr(note_static, &found);
#endif
    return found;
}

void *os_load_library(const char *path, const char **error)
{
    if (is_static()) {
        *error = "a program that is linked with -static cannot load libraries";
        return NULL;
    }
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    *error = lib ? NULL : dlerror();
    return lib;
}

void *os_library_symbol(void *lib, const char *name)
{
    return dlsym(lib, name);
}

/* --- damage --- */

/* Is all of it there that its tables speak of?  Of what is no library of this machine, yes. */
static bool is_whole(int fd, uint64_t size)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;

    if (pread(fd, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof part)
        return true;
    if (head.e_shoff > size || size - head.e_shoff < (uint64_t)head.e_shnum * head.e_shentsize)
        return false;
    for (int i = 0; i < head.e_phnum; i++) {
        uint64_t at = head.e_phoff + (uint64_t)i * sizeof part;
        if (at > size || pread(fd, &part, sizeof part, (off_t)at) != sizeof part)
            return false;
        if (part.p_type == PT_LOAD &&
            (part.p_offset > size || size - part.p_offset < part.p_filesz))
            return false;
    }
    return true;
}

bool os_library_is_whole(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = fd < 0 || fstat(fd, &st) != 0 || is_whole(fd, (uint64_t)st.st_size);

    if (fd >= 0)
        close(fd);
    return whole;
}

/* --- where it is --- */

/* One line of /proc/self/maps, "FROM-TO PERMISSIONS OFFSET DEVICE INODE   PATH": the path, cut off
 * its line, when the address is mapped from a file there. */
static const char *mapped_file(char *line, uintptr_t address)
{
    uintptr_t from, to;
    int path = 0;

    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &from, &to, &path) < 2)
        return NULL;
    return address >= from && address < to && line[path] == '/' ? line + path : NULL;
}

/* What the system says that this code was mapped from.  The loader only knows the words by which
 * it was asked: for the main program that is argv[0], which says nothing. */
static const char *own_file(Arena *a)
{
    char *maps, *next;
    size_t len;

    if (os_read_file(a, "/proc/self/maps", MAX_MAPS, &maps, &len) != 0)
        return NULL;
    for (char *line = maps; (next = strchr(line, '\n')) != NULL; line = next + 1) {
        *next = '\0';
        const char *path = mapped_file(line, (uintptr_t)&os_library_file);
        if (path)
            return path;
    }
    return NULL;
}

const char *os_library_file(Arena *a)
{
    static const char here;
    Dl_info info;
    const char *path = own_file(a);

    if (path)
        return path;
    if (dladdr(&here, &info) && info.dli_fname && info.dli_fname[0] == '/')
        return arena_strndup(a, info.dli_fname, strlen(info.dli_fname));
    return NULL;
}
