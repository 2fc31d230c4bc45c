/*
 * files.c - the source files that a kernel's lines are of: its own, and those of its helpers
 */
#include "page.h"

#include <string.h>

enum { LARGEST = 4 << 20 };

static void split(Arena *a, PageFile *file, char *text)
{
    VEC(const char *) lines = {0};

    for (char *at = text; *at;) {
        size_t n = strcspn(at, "\n"), shown = n > 0 && at[n - 1] == '\r' ? n - 1 : n;
        vec_push(a, &lines, arena_strndup(a, at, shown));
        at += n + (at[n] == '\n');
    }
    file->lines = lines.at;
    file->nlines = lines.len;
    file->has = NEW_N(a, bool, lines.len + 1);
    memset(file->has, 0, sizeof *file->has * (size_t)(lines.len + 1));
}

int files_find(PageFiles *f, const char *path)
{
    const char *shown = shown_name(f->arena, path);
    char *text;
    size_t len;

    for (int i = 0; i < f->all.len; i++) {
        if (strcmp(f->all.at[i].path, path) == 0 || strcmp(f->all.at[i].shown, shown) == 0)
            return i;
    }
    PageFile file = {.path = arena_strndup(f->arena, path, strlen(path)), .shown = shown};
    if (os_entry(path).kind == OS_FILE && os_read_file(f->arena, path, LARGEST, &text, &len) == 0)
        split(f->arena, &file, text);
    vec_push(f->arena, &f->all, file);
    return f->all.len - 1;
}

PageFiles files_new(Arena *a, int version, const char *kernel)
{
    PageFiles f = {.arena = a, .version = version};

    files_find(&f, kernel);
    return f;
}

static bool is_line(const PageFile *file, int line)
{
    return line >= 1 && line <= file->nlines;
}

void files_note(PageFiles *f, const char *path, int line)
{
    PageFile *file = &f->all.at[files_find(f, path)];

    if (is_line(file, line))
        file->has[line] = true;
}

void files_put_keys(Text *t, const PageLines *lines)
{
    for (int i = 0; i < lines->len; i++)
        text_printf(t, "%sf%dl%d", i == 0 ? " data-l=\"" : " ", lines->at[i].file,
                    lines->at[i].line);
    text_put(t, lines->len > 0 ? "\"" : "");
}

const char *files_id(const PageFiles *f, const char *path, int line)
{
    for (int i = 0; path && i < f->all.len; i++) {
        const PageFile *file = &f->all.at[i];

        if (is_line(file, line) && file->has[line] && strcmp(file->path, path) == 0)
            return arena_printf(f->arena, "v%d-f%dl%d", f->version, i, line);
    }
    return NULL;
}
