/*
 * devices.c - `tilec devices`: where kernels can run
 */
#include "cli.h"

#include <stdio.h>

static void print_device(const tilec_device *d, bool json, int i)
{
    if (json)
        printf("%s{\"name\": \"%s\", \"available\": %s, \"threads\": %d}", i ? ", " : "", d->name,
               d->available ? "true" : "false", d->threads);
    else
        printf("%-8s %-13s %3d thread%s  %s\n", d->name,
               d->available ? "available" : "not available", d->threads,
               d->threads == 1 ? " " : "s", d->missing ? d->missing : d->description);
}

void command_devices(Cli *c, int argc, char **argv)
{
    Options o = options_parse(c, COMMAND_DEVICES, argc, argv);
    char *error = NULL;

    check(c, tilec_open(NULL, &c->tilec, &error), &error);
    if (o.json)
        putchar('[');
    for (int i = 0; i < tilec_device_count(c->tilec); i++) {
        tilec_device d;

        check(c, tilec_device_info(c->tilec, i, &d), NULL);
        print_device(&d, o.json, i);
    }
    if (o.json)
        puts("]");
}
