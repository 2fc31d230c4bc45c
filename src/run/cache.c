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
 *   4. Code that another user may have put there is not run: a folder or an entry that is not
 *      ours, or that others may write to, is not used.  The folder is opened once and for all.
 *
 * A hit touches the file's time; trimming removes the oldest first and happens now and then, so
 * the folder may exceed its cap by a few entries.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
    MAX_WARPS = 1024,         /* more than a program can be given */
    KEY_DIGITS = 32
};
#define DEFAULT_CAP ((uint64_t)1 << 30)
#define MAX_ENTRY ((size_t)256 << 20)
#define MAX_SCRATCH ((uint64_t)64 << 30) /* more than a thread can be given */
#define MAX_SHARED ((uint64_t)1 << 30)   /* .. and a program */
static const char suffix[] = ".tilec";

struct Cache {
    char *folder;  /* as it was named, for people; NULL: memory only */
    int dir;       /* the folder, open; -1: memory only */
    char *problem; /* why there is none, when somebody should know */
    uint64_t cap;
};

typedef struct {
    char magic[8];
    Hash128 key;
    uint64_t len, scratch, parts, warps, shared; /* of GenOutput */
    uint64_t workspace, workspace_arg;           /* of its recipe, with what follows */
    uint64_t nmaps;
    GenMap maps[GEN_MAPS];
    Hash128 checksum; /* of what follows the header, mixed with the fields above */
} Header;

static const char magic[8] = "tilec\0\5\n"; /* the byte before the end is the format's version */

/* --- opening --- */

/* "512M" in bytes; false when it is not a size. */
static bool parse_size(const char *s, uint64_t *bytes)
{
    static const char units[] = "KkMmGgTt";
    const char *end;
    double n = double_from_text(s, &end);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;

    if (end == s || (unit ? end[1] : end[0]) != '\0')
        return false;
    if (unit)
        n *= (double)((uint64_t)1 << 10 * ((unit - units) / 2 + 1));
    if (n != 0 && !(n >= 1 && n < 0x1p63))
        return false;
    *bytes = (uint64_t)n;
    return true;
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

/* After asprintf(&c->problem, ...), of what the environment says, too. */
static RunStatus told(Cache *c, int length)
{
    char *text = length < 0 ? NULL : c->problem;

    c->problem = text ? printable_copy(text, true) : NULL;
    free(text);
    return c->problem ? RUN_OK : RUN_NO_MEMORY;
}

/* How much may be kept; 0 when that cannot be read. */
static RunStatus take_size(Cache *c)
{
    const char *size = os_env("TILEC_CACHE_SIZE");

    c->cap = DEFAULT_CAP;
    if (!size || size[0] == '\0' || parse_size(size, &c->cap))
        return RUN_OK;
    c->cap = 0;
    return told(c, asprintf(&c->problem,
                            "the cache is not used: TILEC_CACHE_SIZE is `%s`, which is not a "
                            "number of bytes, nor one with K, M, G or T",
                            size));
}

static RunStatus refuse_folder(Cache *c, const char *folder, const char *why)
{
    if (c->dir >= 0)
        close(c->dir);
    c->dir = -1;
    return told(c, asprintf(&c->problem, "the cache folder %s is not used: %s", folder, why));
}

/* Use the folder if it can be.  It stays open: its name may come to mean another one. */
static RunStatus take_folder(Cache *c, const char *folder)
{
    struct stat st;
    int error = os_make_dirs(folder);

    if (error == 0 && (c->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        error = errno;
    if (error == 0 && fstat(c->dir, &st) != 0)
        error = errno;
    const char *why = error == 0 ? distrust(&st) : strerror(error);
    if (!why && faccessat(c->dir, ".", R_OK | X_OK, AT_EACCESS) != 0)
        why = strerror(errno);
    if (why)
        return refuse_folder(c, folder, why);
    c->folder = strdup(folder);
    if (!c->folder)
        return RUN_NO_MEMORY;
    if (faccessat(c->dir, ".", W_OK, AT_EACCESS) == 0)
        return RUN_OK;
    return told(c, asprintf(&c->problem,
                            "the cache folder %s is only read, what it does not hold is compiled "
                            "anew in each process: %s",
                            folder, strerror(errno)));
}

/* Nothing says where the folder should be. */
static RunStatus miss_folder(Cache *c)
{
    return told(c, asprintf(&c->problem, "no cache is used, each process compiles anew: neither "
                                         "TILEC_CACHE_DIR, XDG_CACHE_HOME nor HOME says where"));
}

RunStatus cache_open(const char *folder, Cache **out)
{
    char *path = folder ? strdup(folder) : default_folder();
    Cache *c = calloc(1, sizeof *c);
    RunStatus status = c ? RUN_OK : RUN_NO_MEMORY;

    if (c)
        c->dir = -1;
    bool is_missing = !path && !folder && !os_env("TILEC_CACHE_DIR");
    if (c && (is_missing || (path && path[0] != '\0')))
        status = take_size(c);
    if (c && c->cap > 0 && status == RUN_OK)
        status = is_missing ? miss_folder(c) : take_folder(c, path);
    free(path);
    if (status == RUN_OK)
        *out = c;
    else
        cache_close(c);
    return status;
}

void cache_close(Cache *c)
{
    if (!c)
        return;
    if (c->dir >= 0)
        close(c->dir);
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

/* --- entries --- */

typedef char EntryName[KEY_DIGITS + sizeof suffix];

static void entry_name(Hash128 key, EntryName name)
{
    snprintf(name, sizeof(EntryName), "%016llx%016llx%s", (unsigned long long)key.hi,
             (unsigned long long)key.lo, suffix);
}

static Header make_header(Hash128 key, const GenOutput *o)
{
    Header h = {.key = key,
                .len = o->len,
                .scratch = o->scratch,
                .parts = (uint64_t)o->parts,
                .warps = (uint64_t)o->warps,
                .shared = o->shared,
                .workspace = (uint64_t)o->recipe.workspace,
                .workspace_arg = (uint64_t)o->recipe.workspace_arg,
                .nmaps = (uint64_t)o->recipe.nmaps};
    Hash128 body = hash128_bytes(o->data, o->len);

    memcpy(h.maps, o->recipe.maps, sizeof h.maps);
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = body;
    h.checksum = hash128_bytes(&h, sizeof h);
    return h;
}

/* Whether the bytes of a file are the entry of that key, and what it holds. */
static bool is_entry(char *file, size_t len, Hash128 key, GenOutput *out)
{
    Header h;

    if (len < sizeof h)
        return false;
    memcpy(&h, file, sizeof h);
    if (h.len != len - sizeof h || h.scratch > MAX_SCRATCH || h.warps > MAX_WARPS ||
        h.parts > INT32_MAX || h.shared > MAX_SHARED || h.workspace > MAX_SCRATCH ||
        h.workspace_arg > INT32_MAX || h.nmaps > GEN_MAPS)
        return false;
    *out = (GenOutput){.data = file + sizeof h,
                       .len = h.len,
                       .scratch = h.scratch,
                       .parts = (int)h.parts,
                       .warps = (int)h.warps,
                       .shared = h.shared,
                       .recipe = {.workspace = (int64_t)h.workspace,
                                  .workspace_arg = (int)h.workspace_arg,
                                  .nmaps = (int)h.nmaps}};
    memcpy(out->recipe.maps, h.maps, sizeof h.maps);
    Header right = make_header(key, out);
    return memcmp(&h, &right, sizeof h) == 0;
}

bool cache_get(Cache *c, Hash128 key, Arena *a, GenOutput *out)
{
    EntryName name;
    char *file;
    size_t len;

    if (c->dir < 0)
        return false;
    entry_name(key, name);
    int status = os_read_private(a, c->dir, name, MAX_ENTRY, &file, &len);
    if (status != 0 && status != EFBIG && status != EPERM)
        return false;
    if (status != 0 || !is_entry(file, len, key, out)) {
        cache_remove(c, key);
        return false;
    }
    utimensat(c->dir, name, NULL, AT_SYMLINK_NOFOLLOW); /* used now; else it only ages */
    return true;
}

void cache_remove(Cache *c, Hash128 key)
{
    EntryName name;

    if (c->dir < 0)
        return;
    entry_name(key, name);
    unlinkat(c->dir, name, 0);
}

RunStatus cache_put(Cache *c, Hash128 key, const GenOutput *in)
{
    EntryName name;
    Header h;

    if (c->dir < 0 || in->len > MIN(MAX_ENTRY, c->cap) - MIN(sizeof h, c->cap))
        return RUN_OK;
    h = make_header(key, in);
    char *file = malloc(sizeof h + in->len);
    if (!file)
        return RUN_NO_MEMORY;
    memcpy(file, &h, sizeof h);
    memcpy(file + sizeof h, in->data, in->len);
    entry_name(key, name);
    int status = os_write_private(c->dir, name, file, sizeof h + in->len);
    free(file);
    if (key.lo % TRIM_EVERY == 0 || in->len > c->cap / TRIM_EVERY)
        cache_trim(c);
    return status == 0 ? RUN_OK : RUN_IO;
}

/* --- trimming --- */

typedef struct {
    EntryName name;
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

/* Names that os_write_private() makes. */
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
    int fd = c->dir < 0 ? -1 : openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    time_t now = time(NULL);

    if (!dir && fd >= 0)
        close(fd);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (!look_at(&list, dirfd(dir), e->d_name, now))
            break;
    }
    if (list.bytes > c->cap)
        remove_oldest(&list, dirfd(dir), c->cap / 4 * 3);
    closedir(dir);
    free(list.at);
}
