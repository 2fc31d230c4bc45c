/*
 * client.c - how a part of the library tells whom it works for why it stops, or what to beware of
 */
#include <errno.h>

#include "client.h"

void client_stop_for(Client *c, const ClientTrouble *why)
{
    c->stop(c, why);
    bug("a client went on that was stopped: %s", why->text);
}

void client_stop(Client *c, ClientFault fault, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const ClientTrouble why = {.fault = fault, .text = arena_vprintf(c->arena, fmt, ap)};
    va_end(ap);
    client_stop_for(c, &why);
}

void client_stop_at_file(Client *c, const char *path, const char *why)
{
    client_stop_for(c, &(ClientTrouble){.fault = CLIENT_FILES,
                                        .file = path,
                                        .text = arena_printf(c->arena, "%s: %s",
                                                             shown_name(c->arena, path), why)});
}

void client_stop_at_output(Client *c, const char *path, int error)
{
    const ClientTrouble why = {
        .fault = error == OS_WAS_READ ? CLIENT_USAGE : CLIENT_FILES,
        .file = path,
        .text = arena_printf(c->arena, "%s: %s%s", shown_name(c->arena, path), os_error_text(error),
                             error == ENOENT ? os_missing(c->arena, path) : "")};

    client_stop_for(c, &why);
}

void client_complain(Client *c, const ClientTrouble *why)
{
    c->complain(c, why);
}

void client_warn(Client *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    c->warn(c, arena_vprintf(c->arena, fmt, ap));
    va_end(ap);
}
