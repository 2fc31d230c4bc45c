/*
 * cache.c - compiled objects on disk, one file an entry
 *
 * The folder is flat; an entry is named by its key in hex and written under a temporary name and
 * renamed, so that a reader sees all of it or nothing.  What makes it safe:
 *
 *   1. The name, the header's key and the checksum must agree, else the entry is a miss and is
 *      removed: it is damaged, cut short by a full disk, or was copied here by hand.
 *   2. Equal keys have equal contents, so it does not matter which of several writers comes last.
 *   3. Removing an entry at any time is allowed: whoever had opened it still reads it to the end.
 *   4. Code that another user may have put there is not run: a folder that is not ours, or that
 *      others may write to, is not used.
 *
 * A hit touches the file's time; trimming removes the oldest first and happens now and then, so
 * the folder may exceed its cap by a few entries.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

enum {
    TRIM_EVERY = 64,          /* one put in so many looks at the whole folder */
    TEMPORARY_SECONDS = 3600, /* older ones were left behind by a process that died */
    KEY_DIGITS = 32
};
#define DEFAULT_CAP ((uint64_t)1 << 30)
#define MAX_ENTRY ((size_t)256 << 20)
static const char suffix[] = ".tilec";

struct Cache {
    char *folder;  /* NULL: memory only */
    char *problem; /* why `folder` is NULL, when somebody should know */
    uint64_t cap;
};

typedef struct {
    char magic[8];
    Hash128 key;
    uint64_t len, scratch;
    Hash128 checksum; /* of what follows the header, mixed with the fields above */
} Header;

static const char magic[8] = "tilec\0\1\n"; /* the byte before the end is the format's version */

/* opening */

/* "512M" in bytes; 0 when it is not a size. */
static uint64_t parse_size(const char *s)
{
    static const char units[] = "KMGT";
    const char *end;
    double n = double_from_text(s, &end);
    const char *unit = *end != '\0' ? strchr(units, *end & ~0x20) : NULL;

    if (unit)
        n *= (double)((uint64_t)1 << 10 * (unit - units + 1));
    return n >= 1 && n < 0x1p63 && (unit ? end[1] : end[0]) == '\0' ? (uint64_t)n : 0;
}

/* The folder that the environment asks for; NULL for none. */
static char *default_folder(void)
{
    const char *chosen = os_env("TILEC_CACHE_DIR"), *xdg = os_env("XDG_CACHE_HOME");
    const char *home = os_env("HOME");
    char *path = NULL;
    int n = 0;

    if (chosen)
        return chosen[0] != '\0' ? strdup(chosen) : NULL;
    if (xdg && xdg[0] == '/')
        n = asprintf(&path, "%s/tilec", xdg);
    else if (home && home[0] == '/')
        n = asprintf(&path, "%s/.cache/tilec", home);
    return n < 0 ? NULL : path;
}

/* NULL when only we can have put there what is in it. */
static const char *distrust(const struct stat *folder)
{
    if (folder->st_uid != geteuid())
        return "it belongs to another user";
    if (folder->st_mode & (S_IWGRP | S_IWOTH))
        return "others may write to it, and what it holds is run; `chmod go-w` helps";
    return NULL;
}

/* Use `folder`, which the cache then owns, if it can be. */
static RunStatus take_folder(Cache *c, char *folder)
{
    struct stat st;
    const char *why = NULL;
    bool usable = folder && os_make_dirs(folder) == 0 && stat(folder, &st) == 0 &&
                  access(folder, R_OK | W_OK | X_OK) == 0 && !(why = distrust(&st));
    int length = 0;

    if (why)
        length = asprintf(&c->problem, "the cache folder %s is not used: %s", folder, why);
    if (usable)
        c->folder = folder;
    else
        free(folder);
    if (length < 0)
        c->problem = NULL;
    return length < 0 ? RUN_NO_MEMORY : RUN_OK;
}

RunStatus cache_open(const char *folder, Cache **out)
{
    const char *cap = os_env("TILEC_CACHE_SIZE");
    Cache *c = calloc(1, sizeof *c);

    if (!c)
        return RUN_NO_MEMORY;
    c->cap = cap ? parse_size(cap) : 0;
    if (c->cap == 0)
        c->cap = DEFAULT_CAP;
    RunStatus status = take_folder(c, !folder             ? default_folder()
                                      : folder[0] != '\0' ? strdup(folder)
                                                          : NULL);
    if (status != RUN_OK) {
        cache_close(c);
        return status;
    }
    *out = c;
    return RUN_OK;
}

void cache_close(Cache *c)
{
    if (!c)
        return;
    free(c->folder);
    free(c->problem);
    free(c);
}

const char *cache_folder(const Cache *c)
{
    return c->folder;
}

const char *cache_problem(const Cache *c)
{
    return c->problem;
}

/* entries */

static bool entry_path(const Cache *c, Hash128 key, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%016llx%016llx%s", c->folder, (unsigned long long)key.hi,
                     (unsigned long long)key.lo, suffix);

    return n > 0 && (size_t)n < size;
}

static Header make_header(Hash128 key, const void *data, size_t len, size_t scratch)
{
    Header h = {.key = key, .len = len, .scratch = scratch};
    Hash128 body = hash128_bytes(data, len);

    memcpy(h.magic, magic, sizeof magic);
    h.checksum = body;
    h.checksum = hash128_bytes(&h, sizeof h);
    return h;
}

/* Whether the bytes of a file are the entry of that key. */
static bool is_entry(const char *file, size_t len, Hash128 key, Header *h)
{
    if (len < sizeof *h)
        return false;
    memcpy(h, file, sizeof *h);
    if (h->len != len - sizeof *h)
        return false;
    Header right = make_header(key, file + sizeof *h, h->len, h->scratch);
    return memcmp(h, &right, sizeof *h) == 0;
}

bool cache_get(Cache *c, Hash128 key, Arena *a, GenOutput *out)
{
    char path[PATH_MAX], *file;
    size_t len;
    Header h;

    if (!c->folder || !entry_path(c, key, path, sizeof path))
        return false;
    int status = os_read_file(a, path, MAX_ENTRY, &file, &len);
    if (status != 0 && status != EFBIG)
        return false;
    if (status != 0 || !is_entry(file, len, key, &h)) {
        unlink(path);
        return false;
    }
    utimensat(AT_FDCWD, path, NULL, 0); /* used now; if that fails it only ages */
    *out = (GenOutput){.data = file + sizeof h, .len = h.len, .scratch = h.scratch};
    return true;
}

RunStatus cache_put(Cache *c, Hash128 key, const GenOutput *in)
{
    char path[PATH_MAX];

    if (!c->folder || !entry_path(c, key, path, sizeof path))
        return RUN_OK;
    Header h = make_header(key, in->data, in->len, in->scratch);
    char *file = malloc(sizeof h + in->len);
    if (!file)
        return RUN_NO_MEMORY;
    memcpy(file, &h, sizeof h);
    memcpy(file + sizeof h, in->data, in->len);
    int status = os_write_file(path, file, sizeof h + in->len);
    free(file);
    if (key.lo % TRIM_EVERY == 0 || in->len > c->cap / TRIM_EVERY)
        cache_trim(c);
    return status == 0 ? RUN_OK : RUN_IO;
}

/* trimming */

typedef struct {
    char name[KEY_DIGITS + sizeof suffix];
    uint64_t size;
    struct timespec used;
} Entry;

typedef struct {
    Entry *at;
    size_t len, cap;
    uint64_t bytes;
} Entries;

static bool is_entry_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == KEY_DIGITS && strcmp(name + KEY_DIGITS, suffix) == 0;
}

/* Names that os_write_file() makes. */
static bool is_temporary_name(const char *name)
{
    size_t n = strlen(name);

    return strncmp(name, ".tilec-", 7) == 0 && n > 4 && strcmp(name + n - 4, ".tmp") == 0;
}

/* False when memory is out; the list is then short and trimming removes too little. */
static bool add_entry(Entries *list, const char *name, const struct stat *st)
{
    if (list->len == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 256;
        Entry *at = realloc(list->at, cap * sizeof *at);

        if (!at)
            return false;
        list->at = at;
        list->cap = cap;
    }
    Entry *e = &list->at[list->len++];
    *e = (Entry){.size = (uint64_t)st->st_size, .used = st->st_mtim};
    memcpy(e->name, name, sizeof e->name);
    list->bytes += e->size;
    return true;
}

/* Note the file if it is an entry; remove it if it is an old temporary. */
static bool look_at(Entries *list, int folder, const char *name, time_t now)
{
    struct stat st;
    bool temporary = is_temporary_name(name);

    if ((!temporary && !is_entry_name(name)) ||
        fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if (!temporary)
        return add_entry(list, name, &st);
    if (now - st.st_mtim.tv_sec > TEMPORARY_SECONDS)
        unlinkat(folder, name, 0);
    return true;
}

static int by_age(const void *a, const void *b)
{
    const Entry *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static void remove_oldest(Entries *list, int folder, uint64_t wanted)
{
    qsort(list->at, list->len, sizeof *list->at, by_age);
    for (size_t i = 0; i < list->len && list->bytes > wanted; i++) {
        unlinkat(folder, list->at[i].name, 0);
        list->bytes -= list->at[i].size;
    }
}

void cache_trim(Cache *c)
{
    Entries list = {0};
    DIR *dir = c->folder ? opendir(c->folder) : NULL;
    time_t now = time(NULL);

    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        if (!look_at(&list, dirfd(dir), e->d_name, now))
            break;
    if (list.bytes > c->cap)
        remove_oldest(&list, dirfd(dir), c->cap / 4 * 3);
    closedir(dir);
    free(list.at);
}
