/*
 * said.c - options that say something to the command as a whole, from where they stand on
 */
#include "command.h"

static void say_json(Client *client)
{
    cli_of(client)->json = true;
}

static void say_quiet(Client *client)
{
    cli_of(client)->quiet = true;
}

Options cli_options(Cli *c, Command command, int argc, char **argv)
{
    static const OptionsHost host = {.json = say_json, .quiet = say_quiet, .color = colour_choose};

    return options_parse(&c->client, &host, command, argc, argv);
}
