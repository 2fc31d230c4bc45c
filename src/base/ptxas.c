/*
 * ptxas.c - what the program `ptxas -v` says of code that it makes
 */
#include "ptxas.h"
#include "base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Goes through a text from one number with `what` behind it to the next one; -1: no more. */
static int next_number(const char *text, const char **at, const char *what)
{
    const char *end = strstr(*at, what), *begin = end;

    if (!end)
        return -1;
    *at = end + strlen(what);
    while (begin > text && isdigit((unsigned char)begin[-1]))
        begin--;
    return atoi(begin);
}

PtxasReport ptxas_report(const char *said)
{
    PtxasReport r = {0, 0};
    const char *at = said;

    for (int n; (n = next_number(said, &at, " registers")) >= 0;)
        r.registers = MAX(r.registers, n);
    at = said;
    for (int n; (n = next_number(said, &at, " bytes spill stores")) >= 0;)
        r.spilled += n;
    return r;
}
