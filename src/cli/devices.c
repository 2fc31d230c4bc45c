/*
 * devices.c - `tilec devices`: where kernels can run
 */
#include "cli.h"

#include <stdio.h>

static void print_json_units(Cli *c, const tilec_device *d)
{
    tilec_unit u;

    printf(", \"units\": [");
    for (int i = 0; tilec_unit_info(c->tilec, d->name, i, &u) == TILEC_OK && u.memory > 0; i++) {
        printf("%s{\"model\": \"%s\", \"arch\": \"%s\", \"memory\": %llu, \"processors\": %d}",
               i ? ", " : "", u.name, u.arch, (unsigned long long)u.memory, u.processors);
    }
    putchar(']');
}

static void print_json(Cli *c, const tilec_device *d, int i)
{
    printf("%s{\"name\": \"%s\", \"available\": %s, \"threads\": %d", i ? ", " : "", d->name,
           d->available ? "true" : "false", d->threads);
    print_json_units(c, d);
    putchar('}');
}

/* A line for each one of the name, where they have memory of their own. */
static void print_units(Cli *c, const tilec_device *d)
{
    tilec_unit u;

    for (int i = 0; tilec_unit_info(c->tilec, d->name, i, &u) == TILEC_OK && u.memory > 0; i++)
        printf("  %s: %s, %s, %d processors, %.1f GB\n",
               arena_printf(c->arena, "%s:%d", d->name, i), u.name, u.arch, u.processors,
               (double)u.memory / 1e9);
}

static void print_device(Cli *c, const tilec_device *d)
{
    printf("%-8s %-13s %3d thread%s  %s\n", d->name, d->available ? "available" : "not available",
           d->threads, d->threads == 1 ? " " : "s", d->missing ? d->missing : d->description);
    print_units(c, d);
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
        if (o.json)
            print_json(c, &d, i);
        else
            print_device(c, &d);
    }
    if (o.json)
        puts("]");
}
