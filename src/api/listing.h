/*
 * listing.h - assembly with the text of the lines that it is from, and reading that: see listing.c
 */
#ifndef TILEC_API_LISTING_H
#define TILEC_API_LISTING_H

#include "../base/base.h"

/* With the lines between its instructions; in `a`. */
const char *listing_with_source(const char *assembly, const SourceMap *sources, Arena *a);
/* Of a line of that, of n bytes: the number of the line of the source that it names, and the path,
 * which is in it; 0: it is none of these comments. */
int listing_place(const char *text, size_t n, const char **path, size_t *len);

#endif
