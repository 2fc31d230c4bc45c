/*
 * fuzz_dap.c - an editor that sends anything
 *
 * The bytes are what comes by the stream, in pieces, with nothing that could be launched: whatever
 * they are, the session ends when they do, and all that is sent has a header that fits.
 */
#include "../../src/dap/dap.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    Client client;
    Guard guard;
    const char *why;
    const uint8_t *data;
    size_t size;
} Editor;

static long read_piece(void *editor, char *to, size_t room, bool waits)
{
    enum { PIECE = 61 };
    Editor *e = editor;
    size_t n = MIN(MIN(room, e->size), PIECE);

    (void)waits;
    if (n == 0)
        return -1;
    memcpy(to, e->data, n);
    e->data += n;
    e->size -= n;
    return (long)n;
}

static void write_nowhere(void *editor, const char *bytes, size_t n)
{
    (void)editor;
    if (n == 0 || memchr(bytes, '\0', n))
        abort();
}

static void stop(Client *client, const ClientTrouble *why)
{
    Editor *e = CLIENT_OF(Editor, client, client);

    e->why = why->text;
    fail(&e->guard);
}

static const char *attempt(void *editor, void (*work)(void *what), void *what)
{
    Editor *e = editor;
    const Guard outer = e->guard;

    e->why = NULL;
    if (setjmp(e->guard.env) == 0)
        work(what);
    e->guard = outer;
    return e->why;
}

static const DebugLaunch *prepare(void *editor, const DapWanted *wanted)
{
    Editor *e = editor;

    client_stop(&e->client, CLIENT_REFUSED, "%s and %d words", wanted->words[0], wanted->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Editor e = {.data = data, .size = size};
    const DapHost host = {&e, read_piece, write_nowhere, attempt, prepare};

    if (setjmp(e.guard.env) != 0)
        return 0;
    e.client = (Client){.arena = arena_new(&e.guard), .stop = stop};
    dap_run(&e.client, &host);
    arena_free(e.client.arena);
    return 0;
}
