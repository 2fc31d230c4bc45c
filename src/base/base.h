/*
 * base.h - memory, strings, maps, text buffers, diagnostics and the operating system
 *
 * Everything else stands on this folder and this folder stands on nothing but the C library.
 * Memory comes from arenas that are named by their lifetime and freed as a whole; an arena that
 * runs dry leaves through the Guard it was made with, so no caller ever tests for NULL.
 */
#ifndef TILEC_BASE_H
#define TILEC_BASE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NORETURN __attribute__((noreturn))

/* At the top of a file whose loops are worth vector code at every optimisation level that the
 * build asks for.  The two -fno flags change no result, only errno and the exception flags, which
 * nobody reads.  EACH_LANE before a loop: in place or apart, no element feeds another. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_LOOPS _Pragma("GCC optimize(\"O3,no-math-errno,no-trapping-math\")")
#define EACH_LANE _Pragma("GCC ivdep")
#else
#define VECTOR_LOOPS
#define EACH_LANE
#endif

/* arena.c */

/* Where a failed allocation, or a fail(), lands.  The owner calls setjmp(guard.env) once; see
 * src/api/job.c.  `why` says which of the two it was. */
typedef enum { GUARD_OK, GUARD_NO_MEMORY, GUARD_FAILED } GuardCode;
typedef struct {
    jmp_buf env;
    GuardCode why;
} Guard;

typedef struct Arena Arena;

Arena *arena_new(Guard *guard);            /* NULL only when memory is out and guard is NULL */
void arena_free(Arena *a);                 /* NULL is allowed */
void arena_set_guard(Arena *a, Guard *g);  /* where it leaves from now on */
void *arena_alloc(Arena *a, size_t bytes); /* zeroed, aligned to 16 */
/* The same, but NULL when memory is out: for callers that hold something to give back. */
void *arena_try_alloc(Arena *a, size_t bytes);
void *arena_grow(Arena *a, void *old, size_t n, size_t m); /* copies n bytes into a block of m */
/* Copies n bytes, NUL bytes among them too, and a NUL. */
char *arena_strndup(Arena *a, const char *s, size_t n);
/* As long as it gets, in the arena. */
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF(2, 3);
/* The same; a format that the C library refuses is a bug(). */
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);
size_t arena_used(const Arena *a); /* for the tests */
NORETURN void fail(Guard *guard);  /* leave through the guard: the reason is in the diagnostics */

/* Let the n-th system allocation from now on fail, and all after it; negative switches it off.
 * For the tests of running out of memory; per thread. */
void arena_inject_failure(long n);

#define NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define NEW_N(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* Growable array in an arena: `VEC(int) v = {0}; vec_push(a, &v, 3); v.at[0]`. */
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        int len, cap;                                                                              \
    }
#define vec_push(a, v, x)                                                                          \
    ((v)->len < (v)->cap ? (void)0                                                                 \
                         : (void)((v)->at = vec_more((a), (v)->at, sizeof(*(v)->at), &(v)->cap)),  \
     (void)((v)->at[(v)->len++] = (x)))
void *vec_more(Arena *a, void *at, size_t size, int *cap); /* doubles the room of a VEC */

/* bug.c: an internal error.  Prints file and line to stderr and aborts; never for bad input. */
NORETURN void bug_at(const char *file, int line, const char *fmt, ...) PRINTF(3, 4);
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

/* intern.c: equal strings become one pointer, so names compare with ==. */
typedef const char *Sym;
typedef struct Interner Interner;
/* Names live as long as the arena does.  One thread at a time. */
Interner *interner_new(Arena *a);
Sym intern(Interner *in, const char *s);             /* the name of a C string, which is copied */
Sym intern_n(Interner *in, const char *s, size_t n); /* of n bytes, which may hold NUL bytes */

/* map.c: open-addressing hash map from a key to a pointer, in an arena. */
typedef struct Map Map;
Map *map_new(Arena *a);                    /* empty; takes no room until something is put in */
void *map_get(const Map *m, uint64_t key); /* NULL when absent */
/* In place of what the key had; NULL is a value too. */
void map_put(Map *m, uint64_t key, void *value);
/* Keys of 127 bits; one of 64 is such a key whose `high`, below 2^63, is 0. */
typedef struct {
    uint64_t low, high;
} WideKey;
void *map_get_wide(const Map *m, WideKey key);
void map_put_wide(Map *m, WideKey key, void *value);
#define MAP_KEY(p) ((uint64_t)(uintptr_t)(p))

/* For tables in memory: quick, the same on every run, and no defence against bytes that were chosen
 * to collide. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
typedef struct {
    uint64_t lo, hi;
} Hash128;
Hash128 hash128_bytes(const void *p, size_t n); /* for cache keys */

/* text.c: a text buffer in an arena; always NUL-terminated once touched. */
typedef struct {
    Arena *arena;
    char *s;
    size_t len, cap;
} Text;
Text text_new(Arena *a);                          /* empty: s is NULL until something is put in */
void text_put(Text *t, const char *s);            /* a C string, behind what is there */
void text_putn(Text *t, const char *s, size_t n); /* n bytes; s may move with every call */
/* Behind what is there, without limit. */
void text_printf(Text *t, const char *fmt, ...) PRINTF(2, 3);
void text_put_base64(Text *t, const void *bytes, size_t n); /* with `=` at its end */
/* Decimal numbers, the same in every locale: %g with so many digits, and strtod. */
void text_put_double(Text *t, double v, int digits);
void text_put_fixed(Text *t, double v, int digits);       /* %f, with so many behind the point */
double double_from_text(const char *s, const char **end); /* *end == s: no number there */

/* json.c: JSON behind what is in a text, with commas where they belong.  `key` is NULL for an
 * element of an array, and for a value that stands alone. */
void json_object(Text *t, const char *key); /* begins one */
void json_object_end(Text *t);
void json_array(Text *t, const char *key);
void json_array_end(Text *t);
void json_text(Text *t, const char *key, const char *s);      /* NULL: null */
void json_printable(Text *t, const char *key, const char *s); /* whatever its bytes: as printable */
void json_bool(Text *t, const char *key, bool v);
void json_int(Text *t, const char *key, int64_t v);
/* With so many digits, in the second one behind the point; null for NaN and infinity, which JSON
 * does not have. */
void json_number(Text *t, const char *key, double v, int digits);
void json_fixed(Text *t, const char *key, double v, int digits);
void json_value(Text *t, const char *key, const char *json); /* which is JSON already */
void json_members(Text *t, const char *object);              /* all that this one has */
void json_line(Text *t);                                     /* the next value begins a line */

/* python.c: the quotient of divmod(a, b), rounded once (1.0 // 0.1 is 9); b is not 0. */
double python_divmod(double a, double b, double *remainder);

/* source.c: the texts that places are in.  A map gives every text a range of offsets of its own,
 * so that a place names its file.  One thread at a time may add a text; any other may look up what
 * was added before, without a lock. */
typedef struct {
    const char *path; /* as the user wrote it; "<string>" for text from memory */
    const char *text; /* NUL-terminated; may hold NUL bytes inside when hostile */
    size_t len;
    uint32_t base; /* offset of its first byte; base + len, where it ends, is a place in it too */
    int line;      /* number of its first line, usually 1 */
    const char *shown; /* the path as people read it: shown_name() */
} Source;
typedef struct {
    uint32_t start, end; /* offsets in a map, end exclusive; {0,0} = no place */
} Span;
typedef struct {
    const Source *source; /* NULL: no place, and nothing else is set */
    int line, column;     /* both from 1; columns count bytes */
    const char *text;     /* start of that line */
    int length;           /* of that line, without its newline */
} Place;
typedef struct SourceMap SourceMap;
#define SOURCE_MOST_BYTES ((uint32_t)INT32_MAX) /* in one map */
SourceMap *source_map_new(Arena *a);            /* empty, in the arena */
/* Add a text, which must live as long as the map; the path is copied.  Its places stay where they
 * are for good.  NULL when the map is full. */
const Source *source_add(SourceMap *m, const char *path, const char *text, size_t len);
/* The same for a part of a file, whose first line has that number. */
const Source *source_add_part(SourceMap *m, const char *path, int line, const char *text,
                              size_t len);
const Source *source_of(const SourceMap *m, uint32_t offset); /* NULL: in none */
Place source_place(const SourceMap *m, uint32_t offset);
Place source_line(const SourceMap *m, const char *path, int line); /* the beginning of that line */

/* The text at an offset of the map, and the other way round: text[start, end) as a place. */
static inline const char *source_at(const Source *src, uint32_t offset)
{
    return src->text + (offset - src->base);
}
static inline Span source_span(const Source *src, uint32_t start, uint32_t end)
{
    return (Span){src->base + start, src->base + end};
}
/* The file and no line of it: an empty span at its first byte. */
static inline Span source_whole(const Source *src)
{
    return (Span){src->base, src->base};
}

/* What a simulated GPU did, for one instruction or several; as tilec_count in tilec.h.  The unit of
 * all but `instructions` is one warp's access. */
typedef struct {
    uint64_t instructions;                  /* executed by warps */
    uint64_t lanes;                         /* executed by lanes: instructions times active lanes */
    uint64_t global_requests, global_lines; /* accesses; what they asked the L2, a line at a time */
    uint64_t global_sectors;                /* of 32 bytes, summed over what was asked */
    uint64_t shared_requests, shared_waves; /* waves: requests are 1 each without conflicts; */
    uint64_t shared_extra;                  /* waves more than the widths of accesses need */
    uint64_t branches, divergent;           /* branches that had a choice; that split a warp */
    uint64_t special, tensor;               /* instructions of these units */
    uint64_t apart;                         /* additions of what was just multiplied */
    uint64_t cycles;                        /* of a warp that has its unit alone, about */
    uint64_t memory_waits, shared_waits, barrier_waits; /* of these */
} WorkCount;
/* That of one source line. */
typedef struct {
    const char *file; /* NULL: the line is one of the PTX, which names no source there */
    int line;
    WorkCount work;
} LineCount;

/* diag.c: what went wrong, and where.  Several a run; sorted by the order of reporting. */
typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_PRINT, DIAG_NOTE, DIAG_HINT } DiagKind;
typedef struct Diags Diags;
/* Spans are places in `sources`; NULL makes a map of its own. */
Diags *diags_new(Arena *a, SourceMap *sources);
SourceMap *diags_sources(const Diags *d); /* never NULL; lives as long as its arena */
/* A span of {0,0} is a message without a place.  Notes and hints attach to the last error or
 * warning.  At most 20 errors are kept; the rest are counted. */
void diag(Diags *d, DiagKind kind, Span span, const char *fmt, ...) PRINTF(4, 5);
/* The same with the arguments in hand.  What was said at this place before is counted as an error
 * but not kept again. */
void diag_v(Diags *d, DiagKind kind, Span span, const char *fmt, va_list ap);
/* A note: what was reported is in the callee, which was called there.  The innermost call goes
 * first; more than a few help nobody. */
enum { MOST_CALLS_SHOWN = 4 };
void diag_call(Diags *d, Span call, const char *callee); /* `callee`: its name, copied */
bool diag_warned(const Diags *d, Span span);             /* of exactly that place */
int diag_errors(const Diags *d); /* reported so far, also those that were not kept */
bool diag_kept(const Diags *d);  /* was the last error or warning?  Only then do hints show */
/* Render all: `file:line:column: error: text`, the source line, a caret line, then notes, each with
 * its own file. */
const char *diags_text(const Diags *d, Arena *a);

/* printable.c: \xNN for what is neither UTF-8 nor safe on a terminal */
enum { PRINTABLE_BYTES = 4 };
/* What stands at p, of n bytes, n > 0: gives how many of `out` show it; *taken bytes were it. */
size_t printable_character(const char *p, size_t n, char out[PRINTABLE_BYTES], size_t *taken);
/* The same with \n and \t for newlines and tabs. */
size_t printable_in_name(const char *p, size_t n, char out[PRINTABLE_BYTES], size_t *taken);
void text_put_printable(Text *t, const char *s);    /* a message: tabs and newlines stay */
void text_put_name(Text *t, const char *s);         /* of a file, say: in one line */
const char *shown_name(Arena *a, const char *name); /* the same as a text of its own */
/* As text_put_printable() has it or, of one line, text_put_name(); from malloc(), NULL without
 * memory. */
char *printable_copy(const char *s, bool is_line);

/* near.c: what is said of a word that is not ours; NULL: the table has none */
typedef struct {
    const char *word, *text;
} WordText;
const char *text_of_word(const WordText *table, int n, const char *word);
/* The candidate nearest to a misspelt `word`, or NULL when none is near. */
const char *near_name(const char *word, const char *const *candidates, int n);
/* "; did you mean 'X'?", or all of a few; "". */
const char *hint_text(Arena *a, const char *word, const char *const *candidates, int n);

/* The program of this number in a grid: x fastest. */
static inline void program_at(int64_t number, const int32_t grid[3], int32_t out[3])
{
    out[0] = (int32_t)(number % grid[0]);
    out[1] = (int32_t)(number / grid[0] % grid[1]);
    out[2] = (int32_t)(number / grid[0] / grid[1]);
}

/* watch.c: work of many steps, of which each worker tells what it is in; all but watch_new() and
 * watch_free() from any thread */
typedef struct {
    _Alignas(128) _Atomic int64_t first, last; /* the steps that it is in; the same: none */
    _Atomic int64_t ended;
    _Atomic int64_t piece; /* steps that watch_run() takes at once */
} WatchPlace;
typedef struct {
    int64_t steps;
    int workers;
    _Atomic bool cancelled;
    _Atomic int64_t parts;    /* of each step, that workers count instead; 0: steps are whole */
    const volatile int *wish; /* NULL, or what cancels when it is not 0 */
    WatchPlace at[];
} Watch;
typedef struct {
    int64_t first, last; /* without the last one */
} WatchRange;
typedef void WatchSteps(void *ctx, int64_t first, int64_t last);
Watch *watch_new(int64_t steps, int workers); /* workers from 1 on; NULL when memory is out */
void watch_free(Watch *w);                    /* NULL is allowed */
typedef union {
    Watch watch;
    _Alignas(Watch) char bytes[sizeof(Watch) + sizeof(WatchPlace)];
} WatchRoom;
Watch *watch_in(WatchRoom *room, int64_t steps); /* of one worker, and not to be freed */
/* Whether the number is there, and another one than 0; others may write it meanwhile. */
bool wish_is_there(const volatile int *wish);
/* A worker begins steps, and has ended them.  Beginning gives false, and they must not begin, when
 * somebody has cancelled.  A `w` of NULL is told nothing and never cancels. */
bool watch_begin(Watch *w, int worker, int64_t first, int64_t last);
void watch_end(Watch *w, int worker);
/* Both for all of these steps, a hundredth of a second of them at a time; false: not all were done.
 */
#define WATCH_SECONDS 0.01
bool watch_run(Watch *w, int worker, int64_t first, int64_t last, WatchSteps *steps, void *ctx);
void watch_cancel(Watch *w);
/* Before any begins: workers tell of parts, so many of each step, and who looks sees steps. */
void watch_in_parts(Watch *w, int64_t parts);
bool watch_cut_short(const Watch *w); /* it was, and some have not ended; NULL was not */
/* How many have begun, how many have ended, and those between: gives how many ranges, at most
 * `most`.  Workers go on meanwhile. */
int watch_look(const Watch *w, WatchRange *ranges, int most, int64_t *begun, int64_t *ended);

/* flags.c: rows of bytes that are set or not */
/* Is the first one clear, and all set from another one on? */
bool flags_begin_late(const unsigned char *set, int64_t n);
/* Set from 0 on, and with no gap that is narrower than `least`, as those of steps and of what lies
 * interleaved; or from a later one on, with no gap at all. */
bool flags_in_blocks(const unsigned char *set, int64_t n, int64_t least);
int64_t flags_end(const unsigned char *set, int64_t n); /* behind the last that is set; or 0 */
int64_t flags_first_clear(const unsigned char *set);    /* there is one */

/* stints.c: which steps each worker did when, for whoever draws that.  A NULL takes notes of
 * nothing. */
typedef struct {
    int64_t first, last; /* steps first .. last - 1 */
    double start, end;   /* by os_seconds() */
    int worker;
} Stint;
typedef struct {
    int64_t most;
    _Atomic int64_t taken;
    Stint at[];
} Stints;
Stints *stints_new(int64_t most); /* what comes behind so many is dropped; NULL: no memory */
void stints_free(Stints *s);
void stints_add(Stints *s, const Stint *stint); /* from any thread */
double stints_begin(const Stints *s);           /* now, as the last function wants it */
int64_t stints_count(const Stints *s);          /* of at[]; once nobody adds any more */
/* These steps ended just now; from any thread. */
void stints_end(Stints *s, int worker, int64_t first, int64_t last, double start);

/* os_cpu.c; the files under /proc and /sys are named for the tests */
int os_cpu_count(void);                 /* CPUs this process may use: by affinity and by quota */
size_t os_last_level_cache_bytes(void); /* what they may count on of it; 32 MiB if unknown */
int os_vector_bytes(void);              /* of the widest vectors: 16, 32 (AVX2), 64 (AVX-512) */
int os_cpu_quota(const char *groups, const char *mount); /* in whole CPUs; 0: no limit */
size_t os_cache_share(const char *folder, int cpus);     /* 0: unknown */

/* os_memory.c */
typedef struct {
    uint64_t start, end;
    bool writable;
} OsMapping;
/* What the process can read, by address, for free(): how many there are; 0 too where nobody tells.
 */
int os_mappings(OsMapping **out);

/* os_stack.c */
size_t os_stack_left(void); /* bytes below the caller's frame; 0: unknown */
/* Run fn(arg) where there is that much stack: here, or on a thread of its own, which has more, and
 * wait for it.  0, or the errno of why there is no such thread. */
enum { OS_STACK_ROOM = 2 }; /* times what was asked for */
/* fn must return: it may be on another thread, and no jump leads out of that. */
int os_with_stack(size_t bytes, void (*fn)(void *arg), void *arg);

/* os_thread.c: pthread_create() of a thread that leaves the process's signals to the program's
 * threads, but for the faults that it causes itself.  `attributes` NULL: with the usual stack, but
 * at least 1 MiB. */
int os_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                    void *argument);

/* os_reads.c: files that were read, for commands, whose outputs must not replace them */
enum { OS_WAS_READ = 1 << 20 };          /* no errno: behind all of them */
void os_reads_remember(void);            /* from now on; else none is ever refused */
void os_reads_add(int fd, bool is_data); /* an open file is read; `is_data`: for arrays */
/* OS_WAS_READ where `path` names, by whatever link or name, what was read; 0.  With `may_be_data`
 * what was read for arrays alone may be replaced by its own and only name. */
int os_reads_refuse(const char *path, bool may_be_data);
const char *os_error_text(int error); /* strerror(), of this one too */

/* os_missing.c: what follows "No such file or directory": "; there is no folder 'x'" of the first
 * one that is missing, "; did you mean 'x'?" of an entry whose name is nearly that, or "" */
const char *os_missing(Arena *a, const char *path);

/* os_output.c: before long work whose result is to be written */
/* 0, or the error that writing would meet, one of os_write_file() or os_write_array(). */
int os_check_output(const char *path, bool is_array);
bool os_same_output(const char *a, const char *b); /* one file, there or not; not devices */

/* os_file.c.  Status results: 0 or an errno. */
/* All of it with a NUL behind, in the arena; a pipe too.  EFBIG: more than `limit` bytes; ENOMEM:
 * the guard is not taken. */
int os_read_file(Arena *a, const char *path, size_t limit, char **data, size_t *len);
/* Make these the contents of what `path` names, behind links if it is one: all or nothing where
 * that is a file of one name, whose mode and owner stay.  EACCES: it may not be written to;
 * OS_WAS_READ: see os_reads.c. */
int os_write_file(const char *path, const void *data, size_t len);
int os_write_array(const char *path, const void *data, size_t len); /* also over the array's file */
/* The same without that question, for files of ours that are read to be written anew. */
int os_rewrite_file(const char *path, const void *data, size_t len);
/* For what nobody else may have written, in an open folder.  EPERM: it may have been, or `name` is
 * no file but a link or a pipe.  Writing replaces whatever has that name, all or nothing. */
int os_read_private(Arena *a, int folder, const char *name, size_t limit, char **data, size_t *len);
/* How many files have a name just now that they will lose: what ends the process should wait for
 * them, and is what this is for: from the first call on no further one begins.  For signal
 * handlers too. */
int os_unfinished_files(void);
/* Mode 0600; 0 or an errno. */
int os_write_private(int folder, const char *name, const void *data, size_t len);
int os_make_dirs(const char *path); /* like mkdir -p, mode 0700 for new folders */
/* What stands at a path, behind links; what is neither a file nor a folder is nothing. */
typedef enum { OS_NOTHING, OS_FILE, OS_FOLDER } OsKind;
typedef struct {
    OsKind kind;
    bool is_public;          /* everybody may write to it */
    bool is_sticky;          /* .. and, in a folder, nobody replace what belongs to others */
    uint64_t owner;          /* the user's number */
    uint64_t device, number; /* together its identity, whatever path led to it */
    int64_t changed;         /* its content, last: nanoseconds since 1970 */
} OsEntry;
uint64_t os_user(void); /* the number of the one whose rights this process has */
/* Of what cannot be looked at too, OS_NOTHING.  For the moment of the call only. */
OsEntry os_entry(const char *path);

/* os_process.c */
typedef struct {
    int code;              /* its exit code; 128 + n: signal n ended it */
    char *output, *errors; /* what it wrote to its stdout and stderr, a NUL behind each */
    size_t noutput, nerrors;
} OsRun;
/* Run a program, which is looked for in PATH (so never where the caller must not choose), with
 * `input` as its stdin, and wait for its end.  0, or the errno of why it could not be run or its
 * output not be kept; ENOENT: there is none of that name.  argv ends with NULL; the texts are in
 * the arena, whose guard is not taken. */
int os_run(Arena *a, const char *const *argv, const void *input, size_t len, OsRun *out);
/* The same in two steps, so that a program starts while its input is made: it runs up to where it
 * wants that.  What os_start() gave 0 for must be finished or stopped. */
typedef struct {
    int child;      /* its number */
    int streams[3]; /* what it has for stdin, stdout, stderr: the first is a pipe's end to write to
                     */
} OsProgram;
int os_start(const char *const *argv, OsProgram *out);
int os_finish(OsProgram *p, Arena *a, const void *input, size_t len, OsRun *out);
void os_stop(OsProgram *p); /* kill it; nobody wants what it says */

/* os.c: the rest of the operating system.  Status results: 0 or an errno. */
double os_seconds(void);              /* monotonic clock */
const char *os_env(const char *name); /* NULL too where the caller must not choose: setuid */
bool os_wants(const char *name);      /* such a variable that is neither empty nor 0 */
bool os_is_terminal(int fd);          /* false too for what is not open */
bool os_terminal_draws(int fd);       /* .. and it can do more than write: not TERM=dumb */
/* Of stdin, stdout and stderr let what is closed fail, so that no file opened later takes its
 * place.
 */
void os_keep_streams(void);
bool os_can_read(int fd); /* it is open, for that */
/* Of the terminal there, in characters; left alone where that is unknown. */
void os_terminal_size(int fd, int *columns, int *rows);
void *os_map_code(size_t bytes);           /* writable pages, NULL on failure */
int os_seal_code(void *p, size_t bytes);   /* make them executable and read-only */
void os_unmap_code(void *p, size_t bytes); /* the size that was asked for; NULL is allowed */
void *os_alloc_pages(size_t bytes);        /* 64-byte aligned or better, may be huge pages */
void os_free_pages(void *p, size_t bytes); /* the size that was asked for; NULL is allowed */
/* Zeros, 64-byte aligned; reaching 64 bytes or more beyond their end kills the process. */
void *os_alloc_guarded(size_t bytes);
void os_free_guarded(void *p, size_t bytes); /* the size that was asked for; NULL is allowed */
bool os_has_memory(size_t bytes);            /* that much could be had just now */
/* Where relative paths begin, absolute; "" when nobody knows. */
const char *os_current_folder(Arena *a);

/* os_library.c */
/* NULL when it fails; *error then is text that lasts until this thread loads or looks up again. */
void *os_load_library(const char *path, const char **error);
void *os_library_symbol(void *lib, const char *name); /* NULL when there is none; never unloaded */
/* Has the file all that it should?  Loading one that was cut off may kill the process.  True too of
 * what cannot be read or is no library: loading says so. */
bool os_library_is_whole(const char *path);
/* The file that this code was loaded from, by an absolute path that neither the folder where the
 * process stands nor the name that it was called by has a say in.  NULL when nobody knows. */
const char *os_library_file(Arena *a);

#endif
