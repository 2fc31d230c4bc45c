/*
 * commands.c - a command line of `tilec`: choose a subcommand, print what stopped it
 */
#include "commands.h"
#include "../help/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *name;
    Command command;
    void (*run)(Cli *c, int argc, char **argv);
} commands[] = {
    {"run", COMMAND_RUN, command_run},
    {"list", COMMAND_LIST, command_list},
    {"test", COMMAND_TEST, command_test},
    {"dump", COMMAND_DUMP, command_dump},
    {"build", COMMAND_BUILD, command_build},
    {"grad", COMMAND_GRAD, command_grad},
    {"debug", COMMAND_DEBUG, command_debug},
    {"report", COMMAND_REPORT, command_report},
    {"devices", COMMAND_DEVICES, command_devices},
};
/* clang-format on */

typedef struct {
    int argc;
    char **argv;
} Words;

/* What other tools call what this one does. */
static const char *meant_command(const char *name)
{
    static const WordText meant[] = {
        {"bench", "`tilec run --time` measures a kernel, --tune finds its fastest constants"},
        {"benchmark", "`tilec run --time` measures a kernel, --tune finds its fastest constants"},
        {"time", "`tilec run --time` measures a kernel"},
        {"tune", "`tilec run --tune` finds the fastest constants of a kernel"},
        {"autotune", "`tilec run --tune` finds the fastest constants of a kernel"},
        {"profile", "`tilec report` writes where a kernel spends its time as a page, `tilec run "
                    "--profile` prints it"},
        {"compile", "`tilec run` compiles what it runs; `tilec build` makes an object, `tilec "
                    "dump` shows code"},
        {"check", "`tilec run --check` finds accesses outside of arrays"},
        {"gdb", "`tilec debug` steps through a kernel; `tilec run --debug` makes code for gdb"},
        {"compare", "`tilec run --compare` compares results, --against two kernels in turns"},
        {"diff", "`tilec run --compare` compares results, --against two kernels in turns"},
        {"explain", "`tilec report` says where the time of a kernel goes"},
        {"exec", "`tilec run` runs a kernel"},
        {"ls", "`tilec list` shows what a file has"},
        {"show",
         "`tilec list` shows what a file has, `tilec dump` its code, `tilec run --show` an array"},
        {"version", "`tilec --version` says it"},
    };

    return text_of_word(meant, COUNT(meant), name);
}

static void run_command(Cli *c, void *context)
{
    const Words *words = context;
    const char *name = words->argv[1], *names[COUNT(commands) + 3];

    cli_start(c);
    for (int i = 0; i < COUNT(commands); i++) {
        if (strcmp(name, commands[i].name) == 0) {
            commands[i].run(c, words->argc - 2, words->argv + 2);
            return;
        }
        names[i] = commands[i].name;
    }
    if (strcmp(name, "help") == 0) {
        if (!topics_print(words->argv[2], stdout))
            cli_stop(c, CLI_USAGE, "%s", topics_missing(c->arena, words->argv[2]));
        return;
    }
    names[COUNT(commands)] = "help";
    names[COUNT(commands) + 1] = "--version";
    names[COUNT(commands) + 2] = "--help";
    if (strstr(name, ".py"))
        cli_stop(c, CLI_USAGE, "there is no command '%s'; `tilec run %s ...` runs a kernel of it",
                 name, name);
    if (meant_command(name))
        cli_stop(c, CLI_USAGE, "there is no command '%s'; %s", name, meant_command(name));
    cli_stop(c, CLI_USAGE, "there is no command '%s'%s", name,
             hint_text(c->arena, name, names, COUNT(names)));
}

/* stdout is the result: a full disk must not look like success. */
static CliCode flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    terminal_say_trouble("tilec: the output could not be written\n");
    return CLI_FILES;
}

/* Options that were not understood may stand in front of it. */
static bool wants_json(Words words)
{
    for (int i = 2; i < words.argc && strcmp(words.argv[i], "--") != 0; i++) {
        if (strcmp(words.argv[i], "--json") == 0)
            return true;
    }
    return false;
}

/* The one place that cli_stop() comes back to, but for commands that go on behind it. */
static CliCode run_guarded(Cli *c, Words words)
{
    if (cli_attempt(c, run_command, &words))
        return c->code;
    terminal_say_trouble("%s%s\n", c->diagnosed ? "" : "tilec: ", c->trouble);
    char *json = c->json || wants_json(words) ? problem_json(c) : NULL;
    if (json)
        puts(json);
    free(json);
    return c->code;
}

/* The command of that name; 0: none. */
static Command find_command(const char *name)
{
    for (int i = 0; i < COUNT(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].command;
    }
    return 0;
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Behind `tilec help`; false: it is no command and no list, but may be a topic. */
static bool help_named(const char *name)
{
    Command command = strcmp(name, "options") == 0 ? COMMAND_ALL : find_command(name);

    if (command) {
        help_print(command, stdout);
        if (topics_text(name)) /* a command may be a topic, too */
            printf("\n%s", topics_text(name));
    } else if (strcmp(name, "topics") == 0)
        topics_list(stdout);
    else if (strcmp(name, "help") == 0)
        help_brief(stdout);
    else
        return false;
    return true;
}

/* Help that is asked for anywhere in front of `--`; false: nothing was said. */
static bool help_asked(int argc, char **argv)
{
    Command command = find_command(argv[1]);

    if (strcmp(argv[1], "help") == 0 && argc > 2 && !asks_help(argv[2]))
        return help_named(argv[2]);
    if (strcmp(argv[1], "help") == 0) {
        help_brief(stdout);
        return true;
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!asks_help(argv[i]))
            continue;
        if (command)
            help_print(command, stdout);
        else
            help_brief(stdout);
        return true;
    }
    return false;
}

CliCode command_line(int argc, char **argv)
{
    static Cli cli; /* what it holds goes with the process: to give it back would only take time */

    if (argc < 2) {
        help_brief(stderr);
        return CLI_USAGE;
    }
    if (help_asked(argc, argv))
        return flush_output();
    if (strcmp(argv[1], "--version") == 0) {
        printf("tilec %s\n", tilec_version());
        return flush_output();
    }
    Words words = {argc, argv};
    cli = (Cli){0};
    interrupt_watch();
    colour_find(argc, argv);
    interrupt_tells_json(wants_json(words) ? problem_json_of_signal : NULL);
    CliCode code = run_guarded(&cli, words), flushed = flush_output();
    return code ? code : flushed;
}
