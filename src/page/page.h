/*
 * page.h - a report of one run of a kernel, or of two versions of it beside each other: a page of
 * HTML, and the essence of it as text
 *
 * All that is told is in a RunView (src/report), which the command fills in; here it is only
 * written. The page needs no other file: page.css and page.js are put into it (cmake/page.cmake).
 * It is well-formed as XML, too, so that any tool can read it: each element is closed, and what
 * users have named goes through html_text().
 *
 * What ties lines to each other is a key, "f0l26" for line 26 of the first file; an element that is
 * of some lines has their keys as `data-l`, and the row of the source the id "v0-f0l26", where v0
 * is the version.
 */
#ifndef TILEC_PAGE_PAGE_H
#define TILEC_PAGE_PAGE_H

#include "../report/report.h"

enum { PAGE_VIEWS = 2 };
typedef struct {
    Arena *arena;
    const char *kernel, *command; /* the words of the shell */
    const char *made;             /* by what and when */
    const RunView *views[PAGE_VIEWS];
    int nviews;
    const char *ratio; /* of two that were timed in turns: a sentence; NULL */
} Page;

/* page.c */
const char *page_html(const Page *p);

/* brief.c */
const char *page_text(const Page *p);

/* html.c */
const char *html_text(Arena *a, const char *s); /* as text, and between double quotes */
void html_put(Text *t, const char *s);          /* the same, behind what is there */
/* A line of Python, with elements around keywords, comments, texts and numbers.  *quotes is NULL,
 * or those of a text that the lines before have begun and not ended. */
void html_put_python(Text *t, const char *s, const char **quotes);

/* files.c: the files that lines are of */
typedef struct {
    const char *path, *shown;
    const char **lines; /* their texts; NULL: it cannot be read */
    bool *has;          /* by number: there is something to be tied to it */
    int nlines;
} PageFile;
typedef struct {
    Arena *arena;
    int version;
    VEC(PageFile) all; /* the kernel's first */
} PageFiles;
PageFiles files_new(Arena *a, int version, const char *kernel);
int files_find(PageFiles *f, const char *path);            /* reads it, if it is new */
void files_note(PageFiles *f, const char *path, int line); /* there is something of that line */
/* Lines that are in one element. */
typedef struct {
    int file, line;
} PageLine;
typedef VEC(PageLine) PageLines;
void files_put_keys(Text *t, const PageLines *lines); /* ` data-l="f0l26 f1l8"`, or nothing */
const char *files_id(const PageFiles *f, const char *path, int line); /* NULL: it is not shown */

/* stage.c: the texts of the compiler, line by line */
typedef struct {
    const char *text;
    PageLines of; /* from the innermost call outwards */
} StageLine;
typedef VEC(StageLine) StageLines;
StageLines stage_lines(PageFiles *f, const ViewStage *stage);

/* measures.c: what is known of each line, as columns */
enum { MOST_MEASURES = 8 };
typedef struct {
    const char *text; /* "": nothing */
    double heat;      /* 0..1, of the largest in its column */
} Cell;
typedef struct {
    const char *file; /* NULL: what is in no line */
    int line;
    Cell cells[MOST_MEASURES];
} MeasuredLine;
typedef struct {
    int n;
    const char *titles[MOST_MEASURES], *abouts[MOST_MEASURES];
    VEC(MeasuredLine) lines;
    const char *rest; /* what is in no line of the source, in words */
} Measures;
Measures measures_of(const RunView *v);

/* numbers.c: what is known of all of the kernel, each a number with a name */
typedef struct {
    const char *title, *text, *about; /* "time", "1.25 ms", what it is; */
    double value;                     /* for comparing; 0: it cannot be */
} Number;
typedef VEC(Number) Numbers;
Numbers numbers_of(const RunView *v);

/* explorer.c: the source with its columns, and the stages beside it */
void explorer_put(Text *t, PageFiles *f, const RunView *v);

/* roofline.c, figures.c: pictures, as elements of SVG */
bool roofline_has(const RunView *v);
void roofline_put(Text *t, const Page *p, int version);
void bytes_put(Text *t, const RunView *v);
void times_put(Text *t, const RunView *v);
void occupancy_put(Text *t, const RunView *v);

/* accesses.c: figures of what programs do with arrays */
void accesses_figures(Text *t, const PageFiles *f, const RunView *v);

#endif
