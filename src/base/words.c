/*
 * words.c - paths in words of a command line and of files, which are relative to the file that
 * names them; and words as a shell's command has them
 */
#include "client.h"

#include <string.h>

const char *folder_of(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? arena_strndup(a, path, (size_t)(MAX(slash, path + 1) - path)) : ".";
}

const char *origin_path(const Client *c, const char *path)
{
    const char *folder = c->origin ? c->origin->folder : ".";

    bool is_found = strncmp(path, "{}", 2) == 0 || strncmp(path, "{dir}", 5) == 0; /* by --each */
    bool is_stream = path[0] == '-' && (!path[1] || path[1] == '.'); /* see io_name() */

    if (path[0] == '/' || is_stream || is_found || strcmp(folder, ".") == 0)
        return path;
    return arena_printf(c->arena, "%s/%s", folder, path);
}

/* As bash, zsh and ksh read it. */
static const char *word_with_escapes(Arena *a, const char *word)
{
    Text t = text_new(a);
    char shown[PRINTABLE_BYTES];

    text_put(&t, "$'");
    for (size_t n = strlen(word), taken; n > 0; word += taken, n -= taken) {
        if (*word == '\'' || *word == '\\')
            text_put(&t, "\\");
        text_putn(&t, shown, printable_in_name(word, n, shown, &taken));
    }
    text_put(&t, "'");
    return t.s;
}

const char *shell_word(Arena *a, const char *word)
{
    Text t = text_new(a);

    if (strlen(shown_name(a, word)) != strlen(word))
        return word_with_escapes(a, word);
    if (*word && !strpbrk(word, " \t\n\r()[]{}*?'\"<>|&;$#~!\\`"))
        return word;
    if (!strpbrk(word, "\"\\$`!"))
        return arena_printf(a, strchr(word, '\'') ? "\"%s\"" : "'%s'", word);
    text_put(&t, "'");
    for (; *word; word++) {
        if (*word == '\'')
            text_put(&t, "'\\'");
        text_putn(&t, word, 1);
    }
    text_put(&t, "'");
    return t.s;
}
