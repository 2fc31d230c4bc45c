/*
 * devices.c - `tilec devices`: where kernels can run
 */
#include "commands.h"

#include <stdio.h>

static void put_units(Cli *c, Text *t, const tilec_device *d)
{
    tilec_unit u;

    json_array(t, "units");
    for (int i = 0; tilec_unit_info(c->tilec, d->name, i, &u) == TILEC_OK && u.memory > 0; i++) {
        json_object(t, NULL);
        json_text(t, "model", u.name);
        json_text(t, "arch", u.arch);
        json_int(t, "memory", (int64_t)u.memory);
        json_int(t, "processors", u.processors);
        json_object_end(t);
    }
    json_array_end(t);
}

static void put_device(Cli *c, Text *t, const tilec_device *d)
{
    json_object(t, NULL);
    json_text(t, "name", d->name);
    json_bool(t, "available", d->available);
    json_int(t, "threads", d->threads);
    put_units(c, t, d);
    json_object_end(t);
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
    Options o = cli_options(c, COMMAND_DEVICES, argc, argv);
    Text json = text_new(c->arena);
    char *error = NULL;

    cli_check(c, tilec_open(NULL, &c->tilec, &error), &error);
    json_array(&json, NULL);
    for (int i = 0; i < tilec_device_count(c->tilec); i++) {
        tilec_device d;

        cli_check(c, tilec_device_info(c->tilec, i, &d), NULL);
        if (o.json)
            put_device(c, &json, &d);
        else
            print_device(c, &d);
    }
    json_array_end(&json);
    if (o.json)
        puts(json.s);
}
