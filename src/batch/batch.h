/*
 * batch.h - one call for many files: which files, on which threads, and what is saved of it
 *
 * pattern.c finds paths, name_list.c reads them, files.c makes them the files of a call and says
 * what a placeholder means for one of them, stacks.c finds those that are one call's; crew.c has
 * threads, each for a client of its own.
 * save.c writes arrays, of one call too, gather.c rows of all files to one table; outputs.c and
 * writing.c look before anything runs at what will be written.  These are the parts; each.h has the
 * whole.
 */
#ifndef TILEC_BATCH_BATCH_H
#define TILEC_BATCH_BATCH_H

#include <pthread.h>
#include <stdio.h>

#include "../arrays/value.h"
#include "../io/io.h"

/* What is to be saved: `--save NAME[:TYPE]=FILE`. */
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
    SaveText *at;
    int len, cap;
} Saves;
typedef struct {
    Store *store;
    const Saves *saves;
    const char *file; /* of --each, whose results they are; NULL: of one call alone */
    int compress;     /* zlib's level; 0: the fastest files */
    bool json;        /* stdout is taken */
} Saving;

/* pattern.c */
typedef VEC(const char *) EachPaths;
/* What a pattern of --each matches, folders too, sorted; a path may be there twice. */
EachPaths each_match(Client *c, const char *pattern);
/* The paths in a folder, none below it, whose names end so; sorted. */
EachPaths each_in_folder(Client *c, const char *folder, const char *ending);

/* name_list.c */
EachPaths each_listed(Store *store, const char *list); /* what that file names; "-": stdin */

/* files.c */
typedef struct {
    const char *path;
    int index; /* from 0, in the order of the names */
} EachFile;
typedef struct {
    EachFile *at;
    int len, cap;
} EachFiles;
/* The files that the patterns of --each match, each once; stops when there are none. */
EachFiles each_find(Store *store, const EachPaths *patterns);
bool each_has_place(const char *text); /* a placeholder in the name of a file */
/* `text` for one file; stops on a placeholder that there is not. */
const char *each_expand(Client *c, const EachFile *f, const char *text);

/* An array that was read before the call which needs it. */
typedef struct {
    FileText text;
    Array array;
    bool is_stack; /* of one file after another; else the same for all of them */
} EachArray;
typedef VEC(EachArray) EachArrays;
/* Shapes of arrays of which it was found out whether they are written; calls on all threads add to
 * it. */
enum { MOST_SHAPES = 1000 };
typedef struct {
    pthread_mutex_t lock;
    uint64_t at[MOST_SHAPES]; /* hashes */
    int n;
} EachShapes;

/* What a call on files is given. */
typedef struct EachGroup {
    const EachFile *files;
    int n;
    bool stacked; /* arrays of files have a leading dimension for the n files */
    const EachArrays *arrays;
    EachShapes *shapes; /* NULL: nothing is launched for it */
} EachGroup;
/* The value of a placeholder that `text` begins with; gives its length, 0: it is none.  A group of
 * NULL has none. */
size_t each_value(Client *c, const EachGroup *group, const char *text, Const *out);
Array each_load(Store *store, const EachGroup *group, const FileText *text);

/* shapes.c */
/* Are these shapes, as a text, met for the first time? */
bool each_meets_shapes(const EachGroup *group, const char *shapes);

/* stacks.c: files of one shape, for which there is one call */
typedef struct {
    IoArray *arrays; /* one a text; no data: it is read no more or not yet */
    double seconds;  /* that reading took */
} StackedFile;
typedef struct {
    Arena *arena;
    const EachFiles *files;
    FileTexts texts;     /* names with placeholders: of what is read of each file */
    StackedFile *loaded; /* one a file */
    VEC(int) waiting;    /* numbers of files that are read, in order */
    int next, end;       /* files that are to be read; those behind them are not ours, so far */
} Stacks;
Stacks stacks_new(Arena *a, const EachFiles *files);
/* Those in a value, which `origin` says. */
void stacks_add_texts(Store *store, Stacks *s, const Origin *origin, const char *name,
                      const char *value);
/* Files `first` to `end` - 1 are to be read, when those before are in batches. */
void stacks_take(Stacks *s, int first, int end);
/* The next `n` files are about to be read, as far as there are so many: gives how many. */
int stacks_window(Stacks *s, int n);
void stacks_read(Store *store, const Stacks *s, int number); /* again, too; stops if it cannot */
void stacks_unload(const Stacks *s, int number);
bool stacks_are_empty(const Stacks *s);       /* none of its files is left, here or to be read */
bool stacks_are_full(const Stacks *s, int n); /* of batches of n: none is to be read before one */
/* Takes the next batch of at most n away; gives how many, 0: there are to be more first. */
int stacks_choose(Stacks *s, int n, int *out);
/* One array for that text of these files, whose own are freed. */
Array stacks_pile(Store *store, const Stacks *s, const int *numbers, int n, int text);

/* outputs.c */
uint64_t each_identity(const OsEntry *e,
                       const char *name);        /* of that name in a folder; "": itself */
uint64_t each_place(Arena *a, const char *path); /* the same for all spellings of a path */
Saves each_saves(Client *c, const Saves *all, const EachFile *f); /* the outputs of one file */
/* Stops when an output cannot be written, is that of two files, or an input that was not meant. */
void each_check_outputs(const Saving *s, const EachFiles *files);
/* Leaves out those whose outputs are there, and not older than they; gives how many. */
int each_skip_existing(Client *c, const Saves *saves, EachFiles *files);
/* How many outputs of a file are there, but for one that is the file itself. */
int each_older_outputs(Client *c, const Saves *saves, const EachFile *f);

/* writing.c: files that a client is told to write */
void writing_check(Client *c, const char *path); /* stops where nothing may be written, for now */
/* Stops where a comment of a kernel's file has named a file that it may not replace. */
void writing_check_origin(Client *c, const char *option, const char *path, const Origin *origin);

/* save.c: files are checked before anything runs. */
void save_check_all(const Saving *s);
void save_check_array(const Saving *s, const SaveText *save,
                      const Array *a); /* can its file hold that? */
bool save_uses_stdout(Arena *a, const Saves *saves);
/* One array for each of the saves; one that fails costs no other.  Gives what each adds to its
 * table, NULL for none. */
const char **save_all(const Saving *s, const Array *const *arrays);
/* dark.c: a warning of a picture that is black, since nothing in it is more than 1. */
void save_warn_of_dark(const Saving *s, const SaveText *save, const Array *pixels);

/* gather.c: one .csv for all files, a row or several for each, with its path in front */
/* The saves with those marked that name no place for a file's name. */
Saves each_mark_gathered(Client *c, const Saves *all);
/* What a file adds to the table of that save, with a line of titles in front; stops on arrays of
 * more than two dimensions, and of different rows. */
const char *gather_rows(const Saving *s, int table, const Array *const *arrays);
typedef struct {
    Arena *arena;
    const Saves *saves;
    Text *texts; /* for each of the saves, what there is so far */
    bool *begun; /* there is a line of titles */
} Gathered;
Gathered gathered_new(Arena *a, const Saves *saves);
bool gathered_add(Gathered *g, char *const *rows); /* of the next file; false: it has none */
void gathered_write(Client *c, const Gathered *g, FILE *out); /* `out`: for "-"; may complain */
typedef struct {
    const char *path, *text;
    size_t length;
} GatheredTable;
int gathered_tables(const Gathered *g, GatheredTable *out); /* as far as they are; gives how many */

/* crew.c */
/* What became of a piece of work.  The texts are from malloc(). */
typedef struct {
    bool failed;
    int code; /* a ClientFault; 0: it went well */
    tilec_status status;
    int reason;      /* as ClientTrouble.reason */
    double seconds;  /* that it took */
    char *told;      /* what it printed; NULL: there was no memory */
    char *trouble;   /* why it failed; NULL */
    char *problem;   /* the same as JSON, where that is asked for; NULL */
    char *compared;  /* what it was compared with, likewise */
    char *warning;   /* what the kernel did not write; NULL .. */
    char *unwritten; /* .. and as JSON */
    char **rows;     /* as save_all() gives them */
    int nrows;
} CrewResult;
/* Do piece i for this client, with its arrays.  It fails by being stopped, or by complaining. */
typedef void CrewWork(Store *store, void *context, int i);
typedef struct {
    CrewWork *work;
    /* Behind it; takes the texts.  False: no more pieces are begun. */
    bool (*settle)(void *context, int i, CrewResult *r);
    void (*watch)(void *context); /* some times a second, and behind the last piece */
    void *context;
    int (*next)(void *context); /* a piece that nobody has, on any thread; -1: there are no more.
                                 * NULL: those from 0 on in order */
} CrewTask;
typedef struct {
    Client **workers; /* one a thread; none has anything */
    int n;
    /* Piece i, for one of them: its memory and its arrays are gone behind it. */
    CrewResult (*perform)(Client *worker, const CrewTask *task, int i);
} Crew;
void crew_rows_free(char **rows, int n);
void crew_result_free(CrewResult *r); /* of one that nobody takes */
/* pack.c: what became of piece `i` as bytes, for another process of this program on a like machine
 */
void crew_pack(Text *out, int i, const CrewResult *r);
bool crew_unpack(const void *bytes, size_t n, int *i, CrewResult *r); /* false: they are none */
/* Names of files, with what {i} stands for. */
void files_pack(Text *out, const EachFiles *files);
bool files_unpack(Arena *a, const void *bytes, size_t n, EachFiles *out);
/* Piece i, on this thread; it is for the caller to settle. */
CrewResult crew_do(const Crew *w, const CrewTask *task, int i);
/* n pieces, those that the task says, in any order, on all threads; settle() and watch() never at
 * the same time. Where there are too few file handles for so many threads it goes on with fewer. */
void crew_run(Crew *w, int n, const CrewTask *task);

#endif
