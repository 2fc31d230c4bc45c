/*
 * cli.h - the command line: what its files share
 *
 * Only this folder prints or exits.  A command runs inside one guard (main.c): whatever stops it
 * calls stop() with an exit code and a text, which main prints; so nothing below tests for errors
 * twice.  Arrays live until the command ends, or the Call that made them.
 */
#ifndef TILEC_CLI_H
#define TILEC_CLI_H

#include <stdatomic.h>
#include <stdio.h>

#include "tilec.h"
#include "../base/base.h"
#include "../python/python.h"
#include "../syntax/ast.h"

typedef enum {
    CLI_DONE = 0,
    CLI_REFUSED = 1, /* the kernel was refused or failed */
    CLI_USAGE = 2,
    CLI_FILES = 3 /* a file could not be read or written */
} CliCode;

enum { CLI_MAX_DIMS = 8 };

/* A strided array in memory of ours, 64-byte aligned at the start of its storage. */
typedef struct {
    void *data; /* of element [0, 0, ...] */
    tilec_dtype dtype;
    int ndim;
    int64_t shape[CLI_MAX_DIMS], strides[CLI_MAX_DIMS]; /* in elements */
} Array;

typedef struct {
    void *memory;
    size_t bytes;
    bool is_guarded; /* by os_alloc_guarded() */
    bool is_empty;   /* made by `empty`: nobody has said what is in it */
} Storage;

/* A copy of a storage in a device's memory. */
typedef struct {
    int block; /* which one of Cli.blocks */
    const char *device;
    int device_id;
    void *data;
} Moved;

/* A line of a file that says a part of the command line. */
typedef struct Origin {
    const char *file, *folder; /* paths in it are relative to that */
    int line;
    int depth; /* 1: named on the command line itself; 2: in a file that is named there ... */
    const char *call;           /* the named call that it is in, or NULL */
    const struct Origin *outer; /* the line that names the file; NULL: the command line does */
} Origin;

typedef struct {
    Arena *arena;
    Guard guard;
    Interner *words;          /* of expressions */
    const Origin *origin;     /* of what is looked at, for messages and paths; NULL: no file */
    CliCode code;             /* what went wrong */
    const char *trouble;      /* when it stopped: the text for stderr */
    const Origin *trouble_at; /* the line of a file that a text of ours is about; NULL */
    const char *diagnosis;    /* the compiler's part of `trouble`; NULL: all of it */
    const char *trouble_file; /* the file that could not be read or written; NULL: none */
    tilec_status status;      /* what the library said of it; TILEC_OK: it is ours */
    int reason;               /* errno, where the system would not read or write a file; or 0 */
    bool json;                /* --json was given */
    bool quiet;               /* --quiet was */
    bool diagnosed;           /* the text says where in a source file: print it as it is */
    tilec_context *tilec;
    tilec_file *file;
    VEC(Storage) blocks;          /* the storage of all arrays, oldest first */
    VEC(Moved) moved;             /* copies of it in the memory of devices */
    const char *stdin_user;       /* what was read from there; NULL: nothing */
    FILE *tells;                  /* what goes to stdout, unless data or JSON are there */
    const struct EachGroup *each; /* the files that placeholders stand for; NULL: none */
    int random_arrays;            /* made so far: the seed of the next one that gives none */
    const char *compared;         /* what compare_json() gave last, where JSON is asked for */
    const char *warning;          /* with --each: what call_warn() has to say; NULL: nothing */
    const char *unwritten;        /* .. and what unwritten_tell() has, as JSON; NULL: nothing */
    const char **rows; /* for each --save what this file adds to its table, NULL for none */
    int nrows;
    atomic_int *share; /* of a launch beside others: programs that have ended, in 1000ths */
    VEC(const char *) problems; /* what complain() has told, as JSON, where that is asked for */
} Cli;

/* trouble.c */
/* Leave the command with this exit code and this text for stderr, behind the file and the line of
 * c->origin. */
NORETURN void stop(Cli *c, CliCode code, const char *fmt, ...) PRINTF(3, 4);

/* The same with CLI_FILES for what cannot be read or written: `path` goes in front of `why`. */
NORETURN void stop_at_file(Cli *c, const char *path, const char *why);

/* writing.c: files that the command is told to write */
NORETURN void stop_at_output(Cli *c, const char *path, int error); /* as os_write_file() gives it */
void writing_check(Cli *c, const char *path); /* stops where nothing may be written, for now */
/* Stops where a comment of a kernel's file has named a file that it may not replace. */
void writing_check_origin(Cli *c, const char *option, const char *path, const Origin *origin);

/* Do `work`; false when it was stopped: c->code, c->trouble and c->diagnosed say why, and it is for
 * the caller to print them or to go on. */
bool attempt(Cli *c, void (*work)(Cli *c, void *context), void *context);

/* Print the text at once and go on: the command will exit with this code. */
void complain(Cli *c, CliCode code, const char *fmt, ...) PRINTF(3, 4);

/* Print "tilec: warning: " and the text, unless --quiet, and go on. */
void warn(Cli *c, const char *fmt, ...) PRINTF(2, 3);

/* Print a text that a kernel made, with a newline, so that it cannot drive a terminal. */
void print_line(FILE *out, const char *text);

/* The on_message of every launch: to stderr. */
void tell(void *unused, const char *text);

/* problem.c: what stopped the command, or what it told last, as a JSON object; from malloc(), NULL
 * without memory. */
char *problem_json(const Cli *c);
const char *problem_kept(Cli *c); /* the same in the arena; "null" for NULL */
/* The same of a kernel that ends, or has ended, its process. */
const char *problem_of_fault(Cli *c, const char *text, int exit_code);
char *problem_json_of_fault(const Cli *c, const char *text, int exit_code); /* as problem_json() */
/* The array of what complain() has told as the value of one more key of an object; nothing without
 * any. */
void put_json_problems(Text *t, const Cli *c);

/* "; did you mean 'X'?", or all of a few; "". */
const char *hint_text(Arena *a, const char *word, const char *const *candidates, int n);

/* interrupt.c: from now on Ctrl-C, and what ends a command likewise, wipes the line of progress */
void interrupt_watch(void);
void interrupt_wipes(bool shown); /* there is one now, or none any more */
void interrupt_says(const char *fmt, ...)
    PRINTF(1, 2);                      /* how far the command is, when it ends so */
void interrupt_tell(void);             /* that; also in a handler of signals */
void interrupt_tells_json(bool tells); /* .. with an object on stdout */
/* From now on the first signal is only noted, for a command that then ends by itself; the next one
 * ends it at once. */
void interrupt_defer(bool defers);
int interrupt_noted(void);         /* the signal; 0: none */
NORETURN void interrupt_end(void); /* by the one that was noted */

/* rescue.c: text files that a signal, or a kernel that ends the process, is not to take along */
typedef struct {
    int n;
    struct {
        const char *path; /* "-": stdout */
        const char *text;
        size_t length;
    } at[];
} Rescue;
void rescue_publish(const Rescue *all); /* in place of what was before; NULL: nothing */
void rescue_write(void);                /* from a handler */
void interrupt_settle(
    void); /* before the process ends: wipe, and wait for files that are written */

/* progress.c: one line on a terminal's stderr, from half a second of work on; else nothing. */
typedef struct {
    const char *what;
    double started, shown;
    double next_warning; /* of a launch: after so many seconds in which nothing moves */
    bool quiet;          /* nothing is shown, and nothing warned of */
} Progress;
Progress progress_start(const Cli *c, const char *what); /* `what` is kept; nothing is shown yet */
void progress_at(Progress *p, double share);             /* 0..1 */
/* The same for files, with their rate and the time that is left. */
void progress_files(Progress *p, double done, int all);
/* The line for a launch over the grid, `what` being its kernel, and a warning where it seems to
 * hang; from any thread. */
void progress_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t);
/* The warning alone, where another line is shown. */
void progress_warn_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t);
/* "0 of 6 programs have ended, and (0, 0, 0) has begun and not ended"; from any thread. */
enum { PROGRAMS_TEXT = 800 };
void progress_put_programs(char out[PROGRAMS_TEXT], const int32_t grid[3], const tilec_progress *t);
/* May they wait for one another?  One program alone has nobody to wait for. */
bool progress_may_wait(const int32_t grid[3]);
void progress_end(Progress *p); /* wipes the line */

/* array.c */
/* Row-major and zeroed; stops the command when the size overflows or memory is out. */
Array array_new(Cli *c, tilec_dtype t, int ndim, const int64_t *shape);
/* 1 without dimensions; fits, as array_new() and npy_parse() see to. */
int64_t array_numel(const Array *a);
size_t array_bytes(const Array *a);  /* of the elements alone, without gaps between them */
bool array_is_dense(const Array *a); /* row-major without gaps */
bool array_has_shape_of(const Array *a, const Array *b);
/* Element k of what begins there, of 1, 2, 4 or 8 bytes. */
static inline uint64_t element_get_bits(const void *from, int64_t k, size_t size)
{
    switch (size) {
    case 1:
        return ((const uint8_t *)from)[k];
    case 2:
        return ((const uint16_t *)from)[k];
    case 4:
        return ((const uint32_t *)from)[k];
    default:
        return ((const uint64_t *)from)[k];
    }
}
static inline void element_put_bits(void *to, int64_t k, size_t size, uint64_t bits)
{
    switch (size) {
    case 1:
        ((uint8_t *)to)[k] = (uint8_t)bits;
        return;
    case 2:
        ((uint16_t *)to)[k] = (uint16_t)bits;
        return;
    case 4:
        ((uint32_t *)to)[k] = (uint32_t)bits;
        return;
    default:
        ((uint64_t *)to)[k] = bits;
    }
}
void *array_element(const Array *a, int64_t k);             /* of a dense array: where it is */
const void *array_at(const Array *a, const int64_t *index); /* one index a dimension, not checked */
void array_copy_dense(const Array *a, void *to);            /* array_bytes() bytes, row-major */
/* array_fill.c */
void array_fill(Array *a, double v);       /* dense arrays only, as the five below */
void array_fill_int(Array *a, uint64_t v); /* of an integer type: its low bits */
void array_fill_unwritten(Array *a);       /* NaN, or all bits one: easy to notice */
int array_unwritten_byte(tilec_dtype t);   /* that it fills all bytes with */
void array_count_up(Array *a);             /* 0, 1, 2, ... */
/* Uniform in [0, 1) with as many digits as the type has; integers get all their bits random.  Here
 * and below equal seeds give equal arrays everywhere. */
void array_randomise(Array *a, uint64_t seed);
/* Nearly normal, mean 0 and variance 1, within +-6. */
void array_randomise_normal(Array *a, uint64_t seed);
/* Of the whole numbers low, low + 1, .. last, which wrap at 64 bits; all 2^64 of them at most. */
void array_randomise_between(Array *a, uint64_t seed, uint64_t low, uint64_t last);
Array array_cast(Cli *c, const Array *a, tilec_dtype t); /* dense; `a` itself if it is so already */
/* saturate.c: the same, but to integers by rounding, and to the least or greatest where a value
 * lies beyond. */
Array array_saturate(Cli *c, const Array *a, tilec_dtype t);
double array_number(const Array *a, int64_t k);  /* element k of a dense array */
__int128 array_whole(const Array *a, int64_t k); /* the same of integers, exactly */
/* The same of `n` elements from k on, as loops over large arrays take them. */
enum { ARRAY_LANES = 4096 };
void array_numbers(const Array *a, int64_t k, int64_t n, double *out);
void array_put(Array *a, int64_t k, double v); /* element k of a dense array, rounded to its type */
/* The storage of every array but the first `kept` of c->blocks; none may be used behind it. */
void array_free_from(Cli *c, int kept);
/* The number of the storage in c->blocks that this lies in; -1: in none. */
int array_block(const Cli *c, const void *data);
/* Where element k of all, row-major, is: "17,3"; "" without dimensions. */
const char *array_index_text(Cli *c, const Array *a, int64_t k);
bool array_dtype(const char *name, size_t len, tilec_dtype *out); /* "fp32" or "float32" */

/* parts.c: elements 0 to n - 1 in any order, on all CPUs where there are many; all parts but the
 * last have PART_ELEMENTS. */
enum { PART_ELEMENTS = 1 << 16 };
typedef void PartWork(void *context, int64_t first, int64_t n);
void parts_run(int64_t n, PartWork *work, void *context);

/* file.c: array files, whose names are those of tilec_io.h */
/* `as`: read raw bits as this type, or convert; NULL = what the file says.  Fortran order becomes
 * strides. */
Array file_load(Cli *c, const char *path, const tilec_dtype *as);
/* check() for what io_read() gave, with its errno and the path.  It warns of an array that drops
 * numbers. */
void file_check(Cli *c, const char *path, tilec_status status, bool drops_numbers, char **error);
/* Of a path of `len` bytes: how much of `behind` is its `:MEMBER`, 0 unless it is an .npz. */
size_t file_member_length(const char *path, size_t len, const char *behind);
/* An array file in the text of a value. */
typedef struct {
    const char *path; /* and member */
    bool has_type;
    tilec_dtype type;
} FileText;
typedef VEC(FileText) FileTexts;
/* `what`, as messages call it, reads stdin; stops when something else does. */
void file_claim_stdin(Cli *c, const char *what);
/* Stops where nothing can be written there, for now. */
void file_check_output(Cli *c, const char *path);

/* value.c: the language of NAME=VALUE and --grid; values are Python's, and objects of ours */
typedef struct {
    const char *name;
    Const value;
    int random_arrays; /* of the command, behind it */
} Named;
typedef struct {
    Named *at;
    int len, cap;
    const char *const *later; /* names of arguments that have no value yet; NULL behind them */
    const char *kernel;       /* all of whose parameters with a value are among them; NULL: none */
} Names;                      /* earlier arguments, oldest first */

/* All of `text` as one expression; `label` ("n", "--grid") is what messages call it. */
Const value_parse(Cli *c, const Names *names, const char *label, const char *text);
/* The same where several with commas between them are meant, or a tuple: gives how many, at most
 * `limit`. */
int value_parse_list(Cli *c, const Names *names, const char *label, const char *text, Const *out,
                     int limit);
FileTexts value_files(Cli *c, const char *label, const char *text); /* that it would load */
Cli *value_cli(const Py *p);                                        /* of an evaluation of ours */

/* array_value.c */
Const value_of_array(Cli *c, Array a);      /* a copy that shares the elements */
const Array *value_array(const Const *v);   /* NULL: it is none */
Const value_of_function(const char *name);  /* of the kernel's file */
const char *value_function(const Const *v); /* NULL: it is none */

/* array_math.c: as PyClass has them; at least one side is an array */
bool array_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out);
bool array_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out); /* `x` is the array */
/* Gives an array of i1; with what is no number, `==` is False. */
bool array_compare(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out);

/* array_reduce.c */
/* The method x.sum and so on, as it can be called; false: there is none of that name. */
bool array_reduction(Py *p, const Array *a, const char *name, Const *out);
/* sum(x), as PyClass has it: of an array of one dimension, by one of these names. */
bool array_reduce(Py *p, const Const *self, const char *name, Span at, Const *out);

/* tiles.c: descriptors of arrays */
typedef struct {
    Array array;
    int64_t extents[CLI_MAX_DIMS]; /* of a tile */
    bool pads_nan;                 /* outside of the array */
} Tiles;
const Tiles *value_tiles(const Const *v);          /* NULL: it is none */
bool tiles_function(const char *name, Const *out); /* descriptor; false for other names */

/* make.c: functions that make arrays */
int make_count(void);
const char *make_name(int i); /* in the order that messages list them; below make_count() */
bool make_is_function(const char *name);          /* by its whole name */
bool make_function(const char *name, Const *out); /* as a value; false: there is none */

/* items.c: the words of a command line in files */
typedef struct {
    const char *words[2]; /* an option and its value, or one word */
    int n, line;
} Item;
typedef VEC(Item) Items;
Items items_of_file(Cli *c, const char *path); /* in their order; stops when it is no text */
void items_of_line(Cli *c, const char *text, int line, Items *out); /* adds them to `out` */
const char *items_end_of_quotes(const char *s);                     /* which begin there */
/* `path`, or where it is from the folder of c->origin. */
const char *origin_path(Cli *c, const char *path);
const char *folder_of(Cli *c, const char *path);  /* "." for a name alone */
const char *shell_word(Cli *c, const char *word); /* as a shell's command has it, with quotes */

/* calls.c: calls that a kernel's file names in comments, `# tilec: call NAME ...` */
typedef struct {
    const char *path, *name;
    const char *kernel;  /* NULL: the file has none */
    const char *problem; /* why it cannot be made; NULL */
    int line;
    Items items;
} NamedCall;
typedef VEC(NamedCall) NamedCalls;
NamedCalls calls_of_file(Cli *c, const char *path);
void calls_check(Cli *c, const NamedCall *call);              /* stops on one with a problem */
bool calls_is_named(const NamedCall *call, const char *name); /* NAME or KERNEL:NAME */
/* That of the kernel, else the only one of that name; stops without one, and where several kernels
 * have one. */
const NamedCall *calls_find(Cli *c, const char *path, const char *kernel, const char *name);

/* options.c */
typedef struct {
    const char *name, *text;
    bool is_type;       /* NAME:TYPE */
    bool may_lack;      /* a kernel without such a parameter is launched without it */
    const Named *value; /* NULL, or what stands for the text */
    const Origin *origin;
} ArgText;
typedef struct {
    const char *name, *path;
    bool converts; /* .. to this type */
    tilec_dtype type;
    bool gathers;       /* with --each: rows of all files go to this one */
    int table;          /* .. and this is the number of the first --save that does so */
    const char *titles; /* of its columns, with commas between; NULL: none are given */
    const Origin *origin;
} SaveText;
typedef struct {
    const char *name, *with; /* NULL: every array; a value or a device */
    const char *rtol, *atol; /* expressions; NULL: not given */
    const Origin *origin;
} CompareText;
typedef struct {
    const char *text, *file, *kernel; /* NULL: the same */
    VEC(ArgText) values;              /* that are other ones */
    const Origin *origin;
} AgainstText;
enum { MOST_OPTIONS = 48 };
typedef struct {
    const char *name; /* or an expression: x[0] */
    int way;          /* a ShowWay */
} ShowText;
typedef struct {
    const char *file, *kernel; /* kernel NULL = the only one */
    VEC(const char *) files;   /* of test: all of them, as they are written */
    VEC(const char *) calls;   /* of test: the only ones that it makes */
    const char *devices;       /* all that --device says, with commas between */
    const char *grid, *stage, *trace;
    tilec_launch_options launch;
    int device_id; /* behind a colon of --device */
    bool time, json, count, profile;
    int compress;   /* zlib's level for what --save writes; 0: the fastest files */
    double timeout; /* seconds that a launch may take; 0: any */
    int runs;       /* 0 = as many as fit in `seconds` */
    double seconds; /* of timed runs; 0: one */
    bool sweep, csv;
    const char *plot; /* NULL: none */
    bool tune;
    AgainstText against;             /* its text is NULL: it was not given */
    VEC(ArgText) tunes;              /* what it tries; none: what @triton.autotune says */
    bool uses_tuned;                 /* what an earlier one found */
    signed char given[MOST_OPTIONS]; /* 1 more than the depth of its origin; 0: not at all */
    const Origin *grid_origin;
    VEC(ArgText) args;
    VEC(SaveText) saves;
    VEC(CompareText) compares;
    VEC(ShowText) shows;
    VEC(const char *) paths;
    VEC(tilec_define) defines;
    VEC(const char *) eaches; /* patterns of names; none: one call */
    int batch;                /* files a call; 0: each has one of its own */
    bool quiet;
    bool skip_existing; /* of these files those whose outputs are there */
    /* of build: */
    const char *output, *header, *symbol, *cpus; /* cpus: names with commas between */
    bool disjoint, exported;
    VEC(const char *) variants;
} Options;
typedef enum {
    COMMAND_RUN = 1,
    COMMAND_DUMP = 2,
    COMMAND_DEVICES = 4,
    COMMAND_TEST = 8,
    COMMAND_LIST = 16,
    COMMAND_BUILD = 32,
    COMMAND_ALL = 63
} Command;
/* May `word` be the value of the option of that name?  True where there is no such option. */
bool option_takes(const char *name, const char *word);
bool options_typed(const Options *o, const char *name); /* on the command line itself, not a file */
/* argv behind the command's name.  What the command line says goes before what files say that it
 * names, and these before those that they name. */
Options options_parse(Cli *c, Command command, int argc, char **argv);
/* Add what a call says that stands in a file named by the command line. */
void options_add_call(Cli *c, Command command, Options *o, const NamedCall *call);
/* Of the words of `tilec test` what `tilec run` does a call of theirs with, for a shell, each with
 * a blank in front: all but files, calls, devices, and how it tells. */
const char *options_again(Cli *c, int argc, char **argv);

/* operands.c: the values of options.  Each stops on a text that is none. */
size_t name_length(const char *s); /* of the identifier that `s` begins with */
/* The next of the parts of `*text` that commas divide outside of brackets and quotes, without the
 * blanks around it; NULL behind the last. */
const char *operand_next_part(Cli *c, const char **text);
/* FILE.py[:KERNEL]: gives the file; *kernel is NULL without one. */
const char *operand_file(Cli *c, const char *word, const char **kernel);
/* NAME[:N]; of several with commas between them the first. */
void operand_device(Cli *c, Options *o, const char *list);
int operand_count(Cli *c, const char *option, const char *text);      /* 1 or more */
double operand_seconds(Cli *c, const char *option, const char *text); /* more than 0 */
int operand_level(Cli *c, const char *option, const char *text); /* of zlib; NULL: the usual one */
SaveText operand_save(Cli *c, const char *text);                 /* NAME[:TYPE]=FILE */
ShowText operand_show(Cli *c, const char *text);                 /* NAME[=WAY] */
/* [NAME=]WITH[,RTOL[,ATOL]], the last two also as rtol=RTOL and atol=ATOL */
CompareText operand_compare(Cli *c, const char *text);
ArgText operand_tune(Cli *c, const char *text); /* NAME=VALUES */
/* [FILE.py][:KERNEL] or NAME=VALUE, and more of the latter behind commas */
AgainstText operand_against(Cli *c, const char *text);
tilec_define operand_define(Cli *c, const char *text); /* [MODULE.]NAME=VALUE */

/* file.c, for --save: files are checked before anything runs. */
void file_check_saves(Cli *c, const Options *o);
void file_check_array(Cli *c, const SaveText *save, const Array *a); /* can its file hold that? */
bool file_uses_stdout(Cli *c, const Options *o);
bool file_is_csv(Cli *c, const char *path);
bool file_same_output(Cli *c, const char *path, const char *other);
/* One array for each of o->saves; one that fails costs no other. */
void file_save_all(Cli *c, const Options *o, const Array *const *arrays);

/* gather.c: what a file adds to the table of that --save, with a line of titles in front; stops on
 * arrays of more than two dimensions, and of different rows. */
const char *gather_rows(Cli *c, const Options *o, int table, const Array *const *arrays);

/* crash.c: while it watches, a kernel that ends the process by SIGSEGV or SIGBUS is named first */
enum { CRASH_SIGNALS = 2 };
typedef struct {
    const char *text;
    const char *json[CRASH_SIGNALS]; /* for stdout, by signal; "" where no JSON is wanted */
} LastWords;
LastWords crash_words(Cli *c, const char *kernel, bool checked); /* by --check */
/* May be nested, on any threads: the words of the first one are said. */
void crash_watch(const LastWords *words);
void crash_unwatch(void);   /* behind the last one the system's own handling is back */
void crash_be_quiet(void);  /* in a process whose parent says what has ended it */
void crash_say_files(void); /* those that are begun and not ended, on stderr */
/* The words then name the files between these two; the path must last as long. */
void crash_file_begin(const char *path);
void crash_file_end(const char *path); /* nothing when it did not begin */

/* help.c */
void help_brief(FILE *to);                  /* the commands, a line each: what `tilec` alone says */
void help_print(Command command, FILE *to); /* COMMAND_ALL: the options of all */

/* topics.c: what docs/ say of a topic, an option or a function */
void topics_list(FILE *to);                    /* a line each */
void topics_name(FILE *to);                    /* only their names */
bool topics_print(const char *name, FILE *to); /* false: there is none of that name */
NORETURN void topics_refuse(Cli *c, const char *name);

/* args.c: the kernel's file and its arguments */
typedef struct {
    Names names;
    tilec_arg *args;
    int count;
} Arguments;
/* The text of a kernel's file, for what reads it beside the library; stops on stdin. */
const char *args_read_source(Cli *c, const char *path, size_t *n);
/* Opens what the Cli does not have open: the library, the file. */
void args_open_file(Cli *c, const Options *o);
/* The same.  Names the kernel, if the user did
 * not. */
void args_open_kernel(Cli *c, Options *o);
/* In the order they were given, so that later ones may use the names of earlier ones; tuples and
 * texts live in the command's arena.  Equal options give equal arrays each time. */
Arguments args_evaluate(Cli *c, const Options *o);
const Named *args_value(const Names *names, const char *name); /* NULL: it has none */
bool args_takes(Cli *c, const Options *o, const char *name);   /* has the kernel that parameter? */
/* Stops when the kernel has no such parameter: misspelt arguments are better found here, where the
 * candidates are known, than in the launch. */
void args_check_name(Cli *c, const Options *o, const char *name);
/* One more argument behind the others: a value of a parameter, or a hint of the launch unless the
 * user gives that. */
void args_add(Cli *c, Options *o, Arguments *a, const tilec_arg *value);
/* One of them: NAME:TYPE, and a value, with `name` for messages. */
tilec_arg args_of_type(Cli *c, const ArgText *t);
tilec_arg args_of_value(Cli *c, const char *name, const Const *v);
/* Names for the parameters that are not given but have a value all the same. */
void args_add_defaults(Cli *c, const Options *o, Arguments *a);
/* Stops on anything but TILEC_OK; `error` (may be NULL) is where the library left its text. */
void check(Cli *c, tilec_status status, char **error);

/* element.c */
enum { ELEMENT_TEXT = 32 };
/* An element of a dtype with these bits; floats by the shortest digits that read back as it, with
 * an exponent if that is asked for. */
void element_format(char out[ELEMENT_TEXT], tilec_dtype t, uint64_t bits, bool exponents);
bool element_wants_exponent(tilec_dtype t, uint64_t bits); /* too long, or no digits, without one */

/* summary.c: dtype, shape, and what the elements are like as a whole, without a newline */
void summary_put(Text *t, const Array *a);
/* Of the finite elements of an array that is not empty; left alone where there are none. */
void summary_bounds(Arena *arena, const Array *a, double *least, double *greatest);
void summary_put_shape(Text *t, const Array *a); /* "4096x781" */
const char *summary_shape(Cli *c, const Array *a);

/* show.c */
typedef enum {
    SHOW_BRIEF, /* whole up to a hundred elements, else the first and last three along each long
                 * dimension */
    SHOW_WHOLE,
    SHOW_PICTURE, /* in the best of the ways below that the terminal has */
    SHOW_BLOCKS,
    SHOW_TEXT,
    SHOW_SIXEL,
    SHOW_KITTY
} ShowWay;
/* The array's summary, and its elements NumPy's way or as a picture.  `terminal` is where the text
 * goes to: a file descriptor, whose size and kind say how a picture is drawn. */
void show_array(Text *t, const char *name, const Array *a, ShowWay way, int terminal);

/* picture.c */
const char *picture_problem(const Array *a); /* why it cannot be one; NULL */
void picture_put(Text *t, const Array *a, ShowWay way, int terminal); /* of what has no problem */

/* draw.c */
typedef struct {
    int width, height;
    uint8_t *rgb; /* rows from the top, without gaps */
} Picture;
extern const uint8_t picture_nan[3]; /* the colour of what is no number */
void draw_picture(Text *t, const Picture *p,
                  ShowWay way); /* SHOW_TEXT .. SHOW_KITTY, SHOW_BLOCKS */

/* table.c: cells row by row, the titles first; the first `left` columns are aligned to the left,
 * and so are those without a title */
typedef struct {
    Arena *arena;
    int columns, left;
    VEC(const char *) cells;
} Table;
Table table_new(Arena *a, int columns, int left);
void table_put(Table *t, const char *cell); /* which is kept */
void table_printf(Table *t, const char *fmt, ...) PRINTF(2, 3);
const char *table_text(const Table *t); /* of whole rows */

/* times.c: what the times of some runs of one thing say */
#define TIMES_CONFIDENCE 0.95
typedef struct {
    int n;                               /* 0: nothing was timed */
    double median, min, max;             /* seconds, as all here but `confidence` */
    double lower_quarter, upper_quarter; /* half of the runs lie between these */
    double low, high;                    /* and the median of all such runs between these .. */
    double confidence; /* .. so surely: TIMES_CONFIDENCE, or less where there are too few runs */
} Times;
Times times_of(Arena *a, const double *seconds, int n); /* in the order of the runs; n at least 1 */
double times_unsure(const Times *t); /* the farther end of the interval, as a share of the median */
const char *times_unsure_text(Arena *a, const Times *t); /* that as "0.7%", rounded up */
bool times_disagree(const Times *t);                     /* is the middle half of them far apart? */
double times_median(Arena *a, const double *v, int n);
/* How probable it is that a fair coin shows at least `wins` of `n` heads. */
double times_chance(int wins, int n);
typedef struct {
    int n;
    double ratio, low, high, confidence;
} TimesRatio;
/* How many times as long the first of each of `n` rounds took as the second; each more than 0. */
TimesRatio times_ratio(Arena *a, const double *over, const double *under, int n);

/* timing.c: what --time says */
typedef struct {
    const char *kernel, *device;
    int32_t grid[3];
    Times times;
    double first; /* seconds, with compiling */
    tilec_stats stats;
    const char *tuned;     /* the configuration that --tune has found, or NULL */
    bool fresh;            /* each run began with the arrays that the first one found */
    const char *lines;     /* for JSON: what counting_json() gives, or NULL */
    const char *compared;  /* the same of compare_json() */
    const char *profile;   /* .. and of profile_stop() */
    const char *unwritten; /* .. and of unwritten_tell() */
    bool checked, races;   /* by --check: accesses, and races too */
    const char *hint;      /* NULL, or what would be faster */
} Timing;
/* In billions a second; "-" for what cannot be counted. */
const char *timing_rate(Arena *a, double amount, double seconds);
const char *timing_duration(Arena *a, double seconds); /* "1.25 ms" */
/* Lines that say how sure the median is. */
void put_sureness(Text *out, const Times *t);
/* A line that says what ran, titles, numbers, how sure they are, and what compiling took. */
const char *timing_table(Arena *a, const Timing *t);
/* One object without its closing brace; rates are absent where unknown. */
const char *timing_json(Arena *a, const Timing *t);
void put_json_text(Text *out, const char *s); /* in quotes */

/* peaks.c: bytes of arrays that have about `bytes` together (0: unknown), or that the nearest cache
 * holds, and fp32 operations, that the CPU does in a second, on so many threads (0: all); the best
 * that was ever measured in this cache folder, and now */
typedef struct {
    double bytes, near_bytes, flops;
} Peaks;
Peaks peaks_find(Cli *c, int threads, double bytes);

/* trace.c: what `run --trace` writes */
enum { TRACE_COPY = TILEC_SPAN_PROGRAMS + 1 }; /* a kind of our own: between memories */
typedef struct {
    Arena *arena;
    VEC(tilec_span) spans;
} Trace;
void trace_add(Trace *t, const tilec_span *span);          /* which is copied */
void trace_copy(Trace *t, const char *name, double start); /* until now */
void trace_write(Cli *c, const Trace *t, const char *path);

/* counting.c: what `run --count` says */
typedef struct {
    Arena *arena;
    VEC(tilec_count) lines;
} Counting;
void counting_add(Counting *k, const tilec_count *count); /* which is copied */
const char *counting_table(const Counting *k);            /* titles, and a line for each */
const char *counting_json(const Counting *k);             /* an array of objects */

/* A block as it was before the first run. */
typedef struct {
    int block;
    void *copy; /* in a block of its own */
} KeptBlock;
typedef VEC(KeptBlock) KeptBlocks;

/* An array among the arguments, as a launch is given it. */
typedef struct {
    const char *name; /* "x", or "x[0]" in a tuple */
    Array array;
    int block;            /* -1: it is none of ours */
    int uses;             /* bits of tilec_use */
    int64_t count, first; /* elements that are not written, and the first of them, row-major */
} MaybeUnwritten;
typedef struct {
    bool wanted; /* look for them, and behind unwritten_find(): there are some */
    VEC(MaybeUnwritten) arrays;
    KeptBlocks before;      /* what the launch both reads and writes, as it was */
    const char *why_unsure; /* why the launch was not made a second time; NULL: it was */
} Unwritten;

/* call.c: one call of a kernel, from open to report.  `run` makes one; a command that makes several
 * makes a Call of each, with options of its own.  A thread that makes calls beside others needs a
 * Cli of its own, which may have the library and the file of another one. */
typedef struct {
    Cli *cli;
    Options options; /* behind call_open() with the kernel's name */
    Arguments args;
    const tilec_arg *there; /* these as launches take them, from call_launch() on */
    bool silent;            /* nobody hears what the kernel says */
    bool again;             /* what the compiler says was heard before */
    Timing timing;          /* with the grid, from call_evaluate() on */
    Counting counting;
    Trace trace;
    KeptBlocks kept;
    Progress progress;    /* of the first run */
    double seconds;       /* of the last launch, by the device's clock if it has one */
    double first_seconds; /* of the first one, without compiling, by ours */
    Unwritten unwritten;
    LastWords last_words; /* if the kernel ends the process */
    int first_block;      /* its arrays are those of cli->blocks from here on .. */
    int end_block;        /* .. in front of this one, from call_evaluate() on */
} Call;
/* The options are copied.  `k` must stay where it is, and calls that overlap end in the order that
 * is the reverse of their begin. */
void call_init(Call *k, Cli *c, const Options *o);
void call_open(Call *k);                     /* as args_open_kernel() */
void call_evaluate(Call *k);                 /* arguments, those not given too, and the grid */
void call_evaluate_grid(Cli *c, void *call); /* into its timing; of the arguments that it has */
/* Compiles, runs once and says what the kernel says; results are in the host's arrays behind it. */
void call_launch(Call *k);
void call_count(Call *k); /* into timing.stats; compiles what call_launch() has not */
/* timing.c: runs until the number or the time is used up, or the median is sure */
void timing_measure(Call *k);
double call_again(Call *k);                      /* one more run, in silence: seconds */
void call_report(Call *k);                       /* what --time, --json and --count say */
void call_warn(const Call *k, const char *text); /* now, or with --each beside the file's path */
void call_close(Call *k);                        /* frees its arrays, here and there */

/* hint.c: NULL, or which block size should take less than half the time; behind timed runs */
const char *shape_hint(const Call *k);

/* checked.c */
bool checked_races(Cli *c, const char *device); /* does it look for them? NULL: the CPU */
/* With --check: does the device not, for more than one program? */
bool checked_in_part(const Call *k);
void checked_tell(bool in_part); /* where it is so: a line on stderr, for the end of the command */

/* unwritten.c: elements of arrays by `empty` that the launch leaves as they were; each does nothing
 * unless unwritten.wanted, and the second turns that off where there are none */
void unwritten_find_arrays(Call *k); /* fills unwritten.arrays, unless that was done */
void unwritten_watch(Call *k);       /* compiled, in front of the first run */
void unwritten_find(Call *k); /* behind it, with results on the host; may make the launch again */
/* What was found out about an argument; NULL: nothing was looked for, or there is none. */
/* undefined.c: warn of what the launch read from arrays of `empty`, which with --check stops, and
 * of results that are all NaN; behind unwritten_find() */
void undefined_tell(Call *k);
const MaybeUnwritten *unwritten_array(const Call *k, const char *name);
/* What there is to say, a warning, or with --check what stops the command; NULL: nothing. */
const char *unwritten_text(const Call *k);
bool unwritten_refuses(const Call *k); /* which of them? */
void unwritten_tell(Call *k);          /* that */

/* fresh.c: arrays that a kernel both reads and writes, as they were */
KeptBlock fresh_copy_of(Cli *c, int block);           /* as it is on the host */
void fresh_put(const Call *k, const KeptBlock *kept); /* where launches find it: on the device if it
                                                       * was moved there, else on the host */
void fresh_copy(Call *k, int end);                    /* of all its blocks in front of that one */
void fresh_keep(Call *k);   /* in front of the first run, with timing.stats for a result */
void fresh_settle(Call *k); /* behind it, with the results on the host */
/* In front of each run that must find what the first one found: these. */
void fresh_restore(const Call *k, const KeptBlocks *kept);

/* range.c: several values of one argument, as texts */
typedef VEC(const char *) Values;
bool range_is_several(const char *text);     /* a range, or values with commas between them */
void range_refuse(Cli *c, const Options *o); /* stops on a range where one value is meant */
Values range_expand(Cli *c, const char *name, const char *text); /* `name` is for messages */

/* tune.c: --tune */
typedef struct {
    const char *name;
    Array array;
} Result;
typedef struct {
    const char *text; /* "BLOCK=64 num_warps=4" */
    int config;       /* of @triton.autotune: its number */
    Options options;
    Call call;
    VEC(Result) outputs; /* of one that others are compared with */
    int group;           /* the first candidate that gives the same */
    bool is_in;          /* it runs, and gives what most give: the rest is about these */
    const char *problem; /* why it does not run */
    const char *problem_json;
    const char *differs; /* the array in which it gives something else */
    double *rounds;      /* seconds */
    int nrounds;
    Times times;     /* of the rounds */
    bool is_dropped; /* far behind after a few rounds */
    bool is_slower;  /* than the best, by more than noise */
} Candidate;
typedef struct {
    Cli *cli;
    VEC(Candidate) candidates;
    Values names; /* of what is tuned */
    bool is_autotune;
    int best, first_block;
    KeptBlocks kept; /* all arrays as they were */
} Tuner;
/* Instead of one call: try, compare, time in turns, and say which is fastest. */
void tune_run(Cli *c, const Options *o);

/* tune_measure.c: fills in the times of those that are in, and the best; rounds 0: the usual number
 */
void tune_measure(Tuner *t, int rounds);

/* tune_table.c */
const char *tune_table(const Tuner *t);
const char *tune_json(const Tuner *t); /* one object */

/* against.c: --against: the call and another version of it, compared, and timed in turns */
void against_run(Cli *c, const Options *o);

/* tuned.c: what --tune found for @triton.autotune, in the folder of the cache */
/* Why a configuration is not known, on one line: "k.py:5:26: ..."; NULL: it is. */
const char *tuned_problem(Cli *c, const char *kernel, int i);
const char *tuned_value_text(Arena *a, const tilec_arg *v);     /* as an expression */
const char *tuned_config_text(Arena *a, const tilec_config *c); /* "BLOCK=64 num_warps=4" */
void tuned_keep(const Call *k, int config);                     /* behind call_evaluate() */
void tuned_use(Call *k); /* adds to the arguments what is kept for this call, and says so */

/* variant.c: options with other values; the kernel's file is open */
Options variant_of(Cli *c, const Options *o); /* a copy whose arguments may be set */
/* An argument, given or not, or num_warps or num_stages. */
void variant_set(Cli *c, Options *o, const char *name, const char *text);
bool variant_gives(const Options *o, const char *name);   /* an argument of that name */
bool variant_takes(Cli *c, Options *o, const char *name); /* may it be set? */
/* What does not depend on the changed names has the value that is given, the same array. */
void variant_share(Cli *c, Options *o, const Values *changed, const Names *given);

/* sweep.c, sweep_table.c: --sweep */
typedef struct {
    const char **values; /* one for each name of the sweep */
    Timing timing;
    double of_best;      /* from sweep_rank() on: 0..1 */
    const char *problem; /* why it has no time; NULL */
    const char *problem_json;
} SweepRow;
enum { SWEEP_FLOPS_A_BYTE = 16 }; /* from here on arithmetic is what a kernel is about */
typedef enum { SWEEP_BY_TIME, SWEEP_BY_BYTES, SWEEP_BY_FLOPS } SweepBasis;
typedef struct {
    const char *kernel, *device;
    const char **names;
    int nnames, nrows;
    SweepRow *rows;
    SweepBasis basis; /* what the rows are compared by */
} Sweep;
/* Instead of one call: all that the values of arguments make, timed, and printed together. */
void sweep_run(Cli *c, const Options *o);
void sweep_rank(Sweep *s);
double sweep_rate(const SweepRow *r, SweepBasis basis); /* the more the better; 0: it has none */
const char *sweep_table(Arena *a, const Sweep *s);
const char *sweep_csv(Arena *a, const Sweep *s);
void put_csv_cell(Text *t, const char *cell);     /* in quotes where it needs them */
const char *sweep_json(Arena *a, const Sweep *s); /* one object */

/* plot.c: --plot */
void plot_check(Cli *c, const char *path); /* stops when it cannot be drawn or written */
void plot_sweep(Cli *c, const Sweep *s, const char *path);

/* profile.c: what `run --profile` says */
void profile_check(Cli *c, const Options *o);   /* stops where there are no samples */
void profile_start(Call *k);                    /* in front of timed runs */
void profile_pause(const Call *k, bool paused); /* around what is none of theirs */
const char *profile_stop(Call *k);              /* behind them: a table, or JSON */

/* outputs.c: --save and --show */
/* The array of an argument, `x`, or in one, `x[0]`; stops on anything else. */
const Array *outputs_find(Cli *c, const Names *names, const char *option, const char *text);
void outputs_check(const Call *k); /* names and files; before anything runs */
void outputs_write(const Call *k);

/* compare.c: --compare */
typedef struct {
    const CompareText *text;
    const char *name;
    const Array *got; /* the argument, of any strides */
    Array want;       /* dense */
    bool is_changed;  /* by the device that `want` comes from, or that is not known */
    double rtol, atol;
    bool is_of_device;    /* `want` is */
    bool is_wide;         /* .. with all floats as fp64, which no fault of the kernel's is */
    double max_units;     /* of the type of `got`, between it and `want`: units in the last place */
    int64_t wrong, worst; /* how many elements; which one, row-major */
    int64_t nans;         /* how many are NaN, here and there */
    double max_abs, max_rel; /* of differences; infinity where one is no number */
} Comparison;
typedef VEC(Comparison) Comparisons;
/* Behind call_evaluate() and before call_launch(): finds what the arrays will be compared with, for
 * which the kernel may run on other devices. */
Comparisons compare_prepare(Call *k);
/* Behind a launch of `other`, with its results in the host's arrays: the same with what it made of
 * the arrays that both calls have, which were `before` it. */
Comparisons compare_with_call(Call *k, const Call *other, const CompareText *t,
                              const KeptBlocks *before);
bool compare_finish(Call *k, Comparisons *all); /* behind the launch: is all within tolerance? */
/* Is an array within the usual tolerance of a dense one of its shape? */
bool compare_is_near(Cli *c, const Array *got, const Array *want);
const char *compare_text(Cli *c, const Comparisons *all); /* lines for people */
/* What to warn of, behind unwritten_find(): devices that agree in nothing but NaN; NULL. */
const char *compare_warning(const Call *k, const Comparisons *all);
const char *compare_json(Cli *c, const Comparisons *all); /* an array of objects */

/* functions.c: the functions of a kernel's file as syntax trees, nested ones too */
typedef struct {
    AstFunc syntax;         /* without what decorators would say */
    const char *decorators; /* on one line, or NULL */
    bool is_jit;
    int line;
} FileFunction;
typedef struct {
    const Source *source;
    VEC(FileFunction) all; /* in file order */
} Functions;
Functions functions_of_file(Cli *c, const char *path);
Functions functions_once_read(Cli *c, const char *path); /* none of stdin: that is read */
const FileFunction *functions_find(const Functions *all, const char *name); /* the last; or NULL */
bool functions_is_helper(const Functions *all, const char *name);           /* a kernel uses it */
const char *functions_text(Cli *c, const Functions *all, const Node *n);    /* as it is written */

/* guess.c: what a kernel's parameters seem to be for */
typedef struct {
    bool is_constexpr;
    bool is_pointer, is_loaded, is_stored;
    bool is_atomic, is_lock;             /* of atomics; of those that take integers */
    bool is_integer, is_mask;            /* what it points to is one */
    bool is_index, is_target;            /* that is part of an address; of one that is stored to */
    bool is_length;                      /* that bounds places or counts rounds */
    bool is_address;                     /* what it points to are addresses */
    bool has_next;                       /* elements are used with those behind them */
    bool is_partial;                     /* what was loaded says where it is stored to */
    bool is_size;                        /* it bounds something */
    bool is_factor;                      /* in an address */
    bool is_extent;                      /* of a tile */
    bool is_unrolled;                    /* it bounds a loop that is */
    bool is_rounds;                      /* a loop has more rounds the larger it is */
    bool is_whole;                       /* no float can stand there */
    bool is_mark;                        /* loaded elements may be equal to it */
    bool is_number;                      /* it is computed with */
    bool is_used;                        /* its name stands in the kernel */
    const char *text;                    /* that it is compared with; NULL: none */
    const char *dtype;                   /* of what is stored, as "i32"; NULL: not known */
    int choice;                          /* a number that it is compared with; 0: none */
    int ntile;                           /* dimensions, of a descriptor that is given; else 0 */
    int strides[CLI_MAX_DIMS], nstrides; /* of a pointer: parameters that are factors with it */
    int sizes[CLI_MAX_DIMS], nsizes;     /* those that masks of its accesses depend on */
    bool has_unit;                       /* and a dimension without such a factor */
    int constants;                       /* dimensions whose factor is a constant */
    int scale;                           /* largest literal factor; 0: none */
} GuessedParam;
typedef struct {
    const char *size; /* what places are less than: an expression of parameters */
    int block;        /* the parameter that says how many of them a program takes; -1: one */
    bool is_exact;    /* places behind it are left out; else they come around by `%` */
} GuessedTile;
typedef struct {
    bool is_used, is_split; /* program_id; it is divided, as by grouped orders */
    bool is_row;            /* it is multiplied with what is no constant, as a stride */
    const char *part;       /* what it is divided by: an expression of parameters; or NULL */
    int block;              /* the parameter that it is multiplied with, or -1 */
    GuessedTile tiles[3];
    int ntiles;
} GuessedAxis;
typedef struct {
    GuessedParam *at; /* one a parameter */
    int n;
    GuessedAxis axes[3];
} Guess;
Guess guess_kernel(Cli *c, const Functions *functions, const AstFunc *f);

/* trial.c: work in a child process, with what it has to say */
typedef const char *Trial(Cli *c, void *context);
/* For so many seconds of the CPU at most, if not 0.  *text is what it said, NULL: nothing; when it
 * gives false the trial did not come to its end, and *text is why. */
bool trial_run(Cli *c, unsigned seconds, Trial *trial, void *context, const char **text);
/* Where a kernel that reaches memory outside of its arrays ends the process that launches it, a
 * command that makes several calls makes them in trials.  Behind a launch of its own it must not:
 * threads are not in the child. */
bool trial_is_needed(const Options *o);
/* In a trial, on any of its threads: end it, and `text` is why.  Elsewhere it does nothing. */
void trial_stop(const char *text);

/* timeout.c: does the launch take longer than --timeout allows?  Then the command ends here, or the
 * trial that it is in.  From any thread. */
void timeout_check(const Call *k, const tilec_progress *t);

/* example.c: a call of a kernel that can be copied */
typedef struct {
    Guess guess;
    const char *grid;
    const char **values;   /* of the parameters; NULL: it is left out */
    const char *problem;   /* why it does not run as it is, or NULL */
    const char *unwritten; /* of outputs, when it runs: "2 of 8 elements of y", or NULL */
} Example;
/* Tries it in the interpreter, with every access checked; the file is open. */
Example example_of(Cli *c, const char *path, const char *kernel, const Functions *functions,
                   const AstFunc *f);

/* move.c: a call's arrays in the memory of its device */
/* Sets k->there. */
bool move_there(Call *k);            /* false: it works on the host's, and they stay */
void move_back(const Call *k);       /* what a launch has written, to the arrays of the command */
void move_release(Cli *c, int kept); /* all copies of blocks behind the first `kept` */

/* run.c: from open to what --save, --show and --compare say, which may leave an exit code */
void call_run(Call *k);
void call_run_evaluated(Call *k); /* the same from the arguments on */

/* files.c, each.c: --each */
typedef struct EachGroup EachGroup;
Array each_load(Cli *c, const FileText *text); /* an array for c->each */
/* The value of a placeholder that `text` begins with; gives its length, 0: it is none. */
size_t each_value(Cli *c, const char *text, Const *out);
void each_run(Cli *c, const Options *o); /* a call for each of the files */
typedef struct {
    const char *why;      /* lines about some files that failed, and warnings; NULL: none */
    const char *compared; /* with --json what --compare found, as objects with commas; or NULL */
} EachTest;
/* The same in silence, with an open kernel: do all files pass? */
bool each_test(Cli *c, const Options *o, EachTest *out);
bool each_is_read(const Options *o); /* does an argument ask which file it is? */

/* run.c, dump.c, devices.c, test.c, list.c: each prints its result on stdout */
void command_run(Cli *c, int argc, char **argv); /* files are written before times are taken */
/* `argv` behind the command's name, as for all three. */
void command_dump(Cli *c, int argc, char **argv);
void command_build(Cli *c, int argc, char **argv);   /* writes two files */
void command_devices(Cli *c, int argc, char **argv); /* works without a kernel's file */
void command_list(Cli *c, int argc, char **argv);
void command_test(Cli *c, int argc, char **argv); /* the exit code is 1 when a call fails */

#endif
