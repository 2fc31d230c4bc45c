/*
 * main.c - the command `tilec`: choose a subcommand, print what stopped it, exit
 *
 * The exit code is 0 when the work is done, 1 when the kernel was refused or failed, 2 when the
 * command line is wrong, 3 when a file could not be read or written.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *name, *what;
    void (*run)(Cli *c, int argc, char **argv);
} commands[] = {
    {"run",     "run a kernel on arrays and say what came out", command_run},
    {"dump",    "print a kernel at one stage of its compilation", command_dump},
    {"devices", "list where kernels can run", command_devices},
};
/* clang-format on */

static const char help[] =
    "usage: tilec run FILE.py[:KERNEL] --grid E[,E[,E]] [OPTION...] NAME=VALUE...\n"
    "       tilec dump FILE.py[:KERNEL] --stage STAGE [OPTION...] NAME=VALUE|NAME:TYPE...\n"
    "       tilec devices [--json]\n"
    "       tilec --help | --version\n"
    "\n"
    "options of run and dump:\n"
    "  --device NAME        cpu (the default) or interp, the reference interpreter\n"
    "  --threads N          how many threads; every CPU when not given\n"
    "  --num-warps N        launch hints that a kernel may read\n"
    "  --num-stages N\n"
    "  --path DIR           a folder in which modules that the file imports are looked for\n"
    "  --define NAME=VALUE  a global that the file computes; MODULE.NAME=VALUE of another file\n"
    "options of run:\n"
    "  --grid E[,E[,E]]     programs along x, y and z; may use every argument\n"
    "  --save NAME=FILE.npy write an array after the first run\n"
    "  --show NAME          print an array after the first run\n"
    "  --time[=N]           time N more runs, or as many as fit in a second\n"
    "  --json               print JSON instead of tables\n"
    "options of dump:\n"
    "  --stage STAGE        ast, ir, opt, plan, llvm or asm\n"
    "\n"
    "A VALUE is a number, 'text', True, False, None, a dtype (fp32), an earlier argument, or\n"
    "  @x.npy  @x.npy:bf16  zeros(fp32,4096x781)  ones  full(i32,7,-1)  empty  arange(i32,99)\n"
    "  rand(fp32,1000[,seed])  randn(fp16,1000[,seed])  x[1:,::2]  x.numel()  x.shape(0)\n"
    "  x.stride(0)  x.dtype  cdiv(n,1024)  next_power_of_2(n)  min  max  + - * / // % **  < ==\n"
    "A TYPE is a dtype, or *dtype for a pointer.\n"
    "\n"
    "example: tilec run kernels/add.py --grid 'cdiv(n,BLOCK)' --show out \\\n"
    "             x='rand(fp32,98432)' y='rand(fp32,98432)' out='empty(fp32,98432)' \\\n"
    "             n='x.numel()' BLOCK=1024\n";

static void run_command(Cli *c, int argc, char **argv)
{
    const char *names[COUNT(commands) + 2];

    for (int i = 0; i < COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            commands[i].run(c, argc - 2, argv + 2);
            return;
        }
        names[i] = commands[i].name;
    }
    names[COUNT(commands)] = "--help";
    names[COUNT(commands) + 1] = "--version";
    stop(c, CLI_USAGE, "there is no command '%s'%s", argv[1],
         hint_text(c->arena, argv[1], names, COUNT(names)));
}

static void release(Cli *c)
{
    array_free_all(c);
    tilec_unload(c->file);
    tilec_close(c->tilec);
    arena_free(c->arena);
}

/* stdout is the result: a full disk must not look like success. */
static CliCode flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    fputs("tilec: the output could not be written\n", stderr);
    return CLI_FILES;
}

/* The one place that stop() comes back to. */
static CliCode run_guarded(Cli *c, int argc, char **argv)
{
    if (setjmp(c->guard.env) == 0) {
        c->arena = arena_new(&c->guard);
        run_command(c, argc, argv);
        return c->code;
    }
    if (c->guard.why == GUARD_NO_MEMORY) {
        c->code = CLI_REFUSED;
        c->trouble = "out of memory";
    }
    fprintf(stderr, "%s%s\n", c->diagnosed ? "" : "tilec: ", c->trouble);
    return c->code;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int argc, char **argv)
{
    Cli cli = {0};
    CliCode code, flushed;

    if (argc < 2) {
        fputs(help, stderr);
        return CLI_USAGE;
    }
    if (is_help(argv[1]) || (argc > 2 && is_help(argv[2]))) {
        fputs(help, stdout);
        return flush_output();
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tilec %s\n", TILEC_VERSION);
        return flush_output();
    }
    code = run_guarded(&cli, argc, argv);
    flushed = flush_output();
    release(&cli);
    return code ? code : flushed;
}
