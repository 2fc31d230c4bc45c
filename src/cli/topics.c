/*
 * topics.c - `tilec help TOPIC`: parts of the pages in docs/, which tools/topics.awk makes into
 * topics.h
 */
#include "cli.h"

#include <string.h>

static const struct {
    const char *name, *summary, *text;
} topics[] = {
#define TOPIC(name, summary, text) {name, summary, text},
#include "topics.h"
};

void topics_list(FILE *to)
{
    fputs("\ntilec help TOPIC, with one of these, says more:\n", to);
    for (int i = 0; i < COUNT(topics); i++)
        fprintf(to, "  %-12s %s\n", topics[i].name, topics[i].summary);
}

bool topics_print(const char *name, FILE *to)
{
    for (int i = 0; i < COUNT(topics); i++) {
        if (strcmp(topics[i].name, name) == 0) {
            fputs(topics[i].text, to);
            return true;
        }
    }
    return false;
}

void topics_refuse(Cli *c, const char *name)
{
    const char *names[COUNT(topics)];

    for (int i = 0; i < COUNT(topics); i++)
        names[i] = topics[i].name;
    const char *near = near_name(name, names, COUNT(topics));
    stop(c, CLI_USAGE, "there is no help about '%s'; %s%s%s", name, near ? "did you mean '" : "",
         near ? near : "tilec help lists the topics", near ? "'?" : "");
}
