/*
 * got.h - JSON that was sent: values of any kind, which may be other than what was hoped for
 *
 * All takes NULL, which is a value that is not there.  For inside.h.
 */
#ifndef TILEC_DAP_GOT_H
#define TILEC_DAP_GOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_object Got;
typedef enum { GOT_NOTHING, GOT_BOOL, GOT_NUMBER, GOT_TEXT, GOT_ARRAY, GOT_OBJECT } GotKind;

Got *got_parse(const char *s, size_t n, const char **why); /* NULL: it is no JSON, or null */
void got_free(Got *g);
GotKind got_kind(const Got *g); /* null is nothing, too */
const Got *got_member(const Got *g, const char *name);
const char *got_text(const Got *g);         /* NULL: it is none */
bool got_whole(const Got *g, int64_t *out); /* false: it is no number without a fraction */
bool got_is_true(const Got *g);
int got_length(const Got *g);             /* of an array; else 0 */
const Got *got_item(const Got *g, int i); /* NULL behind the last */

#endif
