/*
 * table.c - every option: its name, what stands behind it, what it sets, what help says
 *
 * A new option is a row of the table at the end, and a field of Options that it sets; where no
 * setter here does that, a function of its own.  `tilec help options` prints the rows, and a test
 * (tests/cli/words.sh) holds the manual page, docs/cli.md and the completions of the shells against
 * that.
 */
#include "table.h"
#include "../syntax/lex.h"

#include <string.h>

/* --- setters that put what was given to one field --- */

/* The type of each field is checked: TEXT(runs) does not compile. */
#define FIELD(type, field)                                                                         \
    (offsetof(Options, field) + 0 * sizeof(_Generic(((Options *)0)->field, type : 0)))
#define FLAG(field) set_flag, FIELD(bool, field)
#define SWITCH(field) set_switch, FIELD(int, field)
#define TEXT(field) set_text, FIELD(const char *, field)
#define PATH(field) set_path, FIELD(const char *, field)
#define OUTPUT(field) set_output, FIELD(const char *, field)
#define NUMBER(field) set_number, FIELD(int, field)

static void *field_of(const Given *g)
{
    return (char *)g->o + g->option->at;
}

static void set_flag(const Given *g)
{
    *(bool *)field_of(g) = true;
}

/* The same where the library has an int for it. */
static void set_switch(const Given *g)
{
    *(int *)field_of(g) = 1;
}

static void set_text(const Given *g)
{
    *(const char **)field_of(g) = g->operand;
}

static void set_path(const Given *g)
{
    *(const char **)field_of(g) = origin_path(g->c, g->operand);
}

static void set_output(const Given *g)
{
    set_path(g);
    writing_check_origin(g->c, g->option->name, *(const char **)field_of(g), g->c->origin);
}

static void set_number(const Given *g)
{
    *(int *)field_of(g) = operand_count(g->c, g->option->name, g->operand);
}

/* --- setters of single options --- */

static void set_grid(const Given *g)
{
    g->o->grid = g->operand;
    g->o->grid_origin = g->c->origin;
}

static void set_device(const Given *g)
{
    if (strchr(g->operand, ',') && g->p->command != COMMAND_TEST && !g->c->origin)
        client_stop(g->c, CLIENT_USAGE, "--device %s: only `tilec test` takes several devices",
                    g->operand);
    operand_device(g->c, g->o, g->operand);
}

static void set_timeout(const Given *g)
{
    g->o->timeout = operand_seconds(g->c, g->option->name, g->operand);
}

static void set_atomics(const Given *g)
{
    g->o->atomics = g->operand ? g->operand : "";
}

static void set_tape(const Given *g)
{
    if (strcmp(g->operand, "keep") == 0)
        g->o->launch.tape = 0;
    else if (strcmp(g->operand, "recompute") == 0)
        g->o->launch.tape = TILEC_TAPE_RECOMPUTE;
    else if (g->operand[0] < '0' || g->operand[0] > '9')
        client_stop(g->c, CLIENT_USAGE,
                    "--tape %s: it is `keep`, `recompute`, or of how many rounds", g->operand);
    else
        g->o->launch.tape = operand_count(g->c, g->option->name, g->operand);
}

static void set_debug(const Given *g)
{
    g->o->launch.debug = TILEC_DEBUG_NAMES;
}

static void add_path(const Given *g)
{
    const char *path = origin_path(g->c, g->operand);

    if (os_entry(path).kind != OS_FOLDER)
        client_warn(g->c, "--path %s: there is no such folder", g->operand);
    vec_push(g->c->arena, &g->o->paths, path);
}

static void add_define(const Given *g)
{
    vec_push(g->c->arena, &g->o->defines, operand_define(g->c, g->operand));
}

static void add_call(const Given *g)
{
    if (g->p->command == COMMAND_TEST && !g->c->origin)
        vec_push(g->c->arena, &g->o->calls, g->operand);
    else
        options_call(g->p, g->operand);
}

/* Of one array what stands nearer to the command line goes first; several at one depth all count.
 */
static void add_compare(const Given *g)
{
    Options *o = g->o;
    CompareText compare = operand_compare(g->c, g->operand);
    int depth = options_depth(compare.origin), kept = 0;

    for (int i = 0; i < o->compares.len; i++) {
        const CompareText *old = &o->compares.at[i];
        bool is_same = old->name && compare.name && strcmp(old->name, compare.name) == 0;

        if (is_same && options_depth(old->origin) < depth)
            return;
        if (!is_same || options_depth(old->origin) == depth)
            o->compares.at[kept++] = *old;
    }
    o->compares.len = kept;
    vec_push(g->c->arena, &o->compares, compare);
}

static void add_save(const Given *g)
{
    vec_push(g->c->arena, &g->o->saves, operand_save(g->c, g->operand));
}

static void set_compress(const Given *g)
{
    g->o->compress = operand_level(g->c, g->option->name, g->operand);
}

static void add_each(const Given *g)
{
    Client *c = g->c;
    bool is_list = g->operand[0] == '@';
    const char *path = origin_path(c, g->operand + is_list);

    vec_push(c->arena, &g->o->eaches, is_list ? arena_printf(c->arena, "@%s", path) : path);
}

static void add_show(const Given *g)
{
    vec_push(g->c->arena, &g->o->shows, operand_show(g->c, g->operand));
}

static void set_time(const Given *g)
{
    g->o->time = true;
    g->o->runs = g->operand ? operand_count(g->c, g->option->name, g->operand) : 0;
}

static void set_tune(const Given *g)
{
    g->o->tune = true;
    g->o->tune_alone |= !g->operand;
    if (g->operand)
        vec_push(g->c->arena, &g->o->tunes, operand_tune(g->c, g->operand));
}

static void set_against(const Given *g)
{
    bool is_debug = g->p->command & COMMAND_DEBUG;

    if (is_debug && operand_is_word(g->operand)) /* a device, whose results are to be these */
        vec_push(g->c->arena, &g->o->compares, operand_compare(g->c, g->operand));
    else
        g->o->against = operand_against(g->c, g->operand);
}

static void set_profile(const Given *g)
{
    g->o->profile = g->o->time = true;
    g->o->launch.debug = MAX(g->o->launch.debug, TILEC_DEBUG_LINES);
}

static void add_script(const Given *g)
{
    vec_push(g->c->arena, &g->o->scripts, origin_path(g->c, g->operand));
}

static void set_color(const Given *g)
{
    if (g->p->host->color && !g->p->host->color(g->operand))
        client_stop(g->c, CLIENT_USAGE, "--color %s: it is auto, always or never", g->operand);
}

static void set_json(const Given *g)
{
    g->o->json = true;
    if (g->p->host->json)
        g->p->host->json(g->c);
}

static void set_quiet(const Given *g)
{
    g->o->quiet = true;
    if (g->p->host->quiet)
        g->p->host->quiet(g->c);
}

static void add_variant(const Given *g)
{
    vec_push(g->c->arena, &g->o->variants, g->operand);
}

static void add_rounds(const Given *g)
{
    const char *n = strchr(g->operand, '=');

    if (!n || n == g->operand || !n[1])
        client_stop(g->c, CLIENT_USAGE, "--rounds %s: write NAME=N", g->operand);
    vec_push(g->c->arena, &g->o->rounds, g->operand);
}

/* --- the table --- */

enum {
    RUN = COMMAND_RUN,
    LIST = COMMAND_LIST,
    TEST = COMMAND_TEST,
    DUMP = COMMAND_DUMP,
    BUILD = COMMAND_BUILD,
    DEVICES = COMMAND_DEVICES,
    GRAD = COMMAND_GRAD,
    DEBUG = COMMAND_DEBUG,
    REPORT = COMMAND_REPORT
};
#define ONCE true
#define AGAIN false
#define AS_FOR_RUN NULL, NULL
#define NO_OPTION NULL, 0

/* clang-format off */
/* name, another one, what stands behind it, how often, what it sets;
 *     to whom it is known, what help calls its value there, and what it says */
static const Option options[] = {
    {"-o", NULL, NEEDS, ONCE, OUTPUT(output),
        {{BUILD, "FILE.o", "the object"},
         {REPORT, "FILE.html", "the report, one file that needs no other"},
         {GRAD, "FILE.py", "where the kernel is written; printed when not given"}}},
    {"-x", NULL, NEEDS, AGAIN, add_script, 0,
        {{DEBUG, "FILE", "commands, one a line, in front of those that are typed"}}},
    {"--dap", NULL, BARE, AGAIN, FLAG(dap),
        {{DEBUG, NULL, "alone: serve an editor by the Debug Adapter Protocol, on stdin and stdout"}}},
    {"--of", NULL, NEEDS, ONCE, TEXT(of),
        {{GRAD, "NAME", "the array that is differentiated"}}},
    {"--wrt", NULL, NEEDS, ONCE, TEXT(wrt),
        {{GRAD, "NAME[,NAME...]", "those that it is differentiated by"}}},
    {"--atomics", NULL, MAY_NAME, AGAIN, set_atomics, 0,
        {{GRAD, "[=NAME[,NAME...]]",
          "programs that meet add by atomics, not to parts that a second kernel adds up;\n"
          "at gradients of these arrays alone"}}},
    {"--recompute", NULL, BARE, AGAIN, SWITCH(launch.recompute),
        {{GRAD, NULL, "what the forward has stored is computed again, and nothing read that it writes"}}},
    {"--fused", NULL, BARE, AGAIN, SWITCH(launch.fused),
        {{GRAD, NULL, "one kernel of forward and backward, where programs share nothing"}}},
    {"--tape", NULL, NEEDS, ONCE, set_tape, 0,
        {{GRAD, "keep|recompute|N",
          "what a loop that goes backwards keeps: what each round began with,\n"
          "nothing, or that of N rounds"}}},
    {"--rounds", NULL, NEEDS, AGAIN, add_rounds, 0,
        {{GRAD, "NAME=N", "how many rounds a loop makes at most, for --check: the derived kernel's parameter NAME"}}},
    {"--header", NULL, NEEDS, ONCE, OUTPUT(header),
        {{BUILD, "FILE.h", "the header, C99 and C++, which says how to call it"}}},
    {"--name", NULL, NEEDS, ONCE, TEXT(symbol),
        {{BUILD, "NAME", "of the function; the kernel's when not given"}}},
    {"--grid", NULL, NEEDS, ONCE, set_grid, 0,
        {{RUN, "E[,E[,E]]", "programs along x, y and z; may use every argument"},
         {BUILD, "E[,E[,E]]", "compute the grid from the arguments; else each call gives it"},
         {TEST | DEBUG | GRAD | REPORT, AS_FOR_RUN}}},
    {"--variant", NULL, NEEDS, AGAIN, add_variant, 0,
        {{BUILD, "NAME=VALUE[,NAME=VALUE...]",
          "code of its own for calls with these values; may be repeated"}}},
    {"--disjoint", NULL, BARE, AGAIN, FLAG(disjoint),
        {{BUILD, NULL, "no call gives an array that overlaps one that is written: faster code"}}},
    {"--export", NULL, BARE, AGAIN, FLAG(exported),
        {{BUILD, NULL, "let others see the object's functions in a shared library"}}},
    {"--cpu", NULL, NEEDS, ONCE, TEXT(cpus),
        {{BUILD, "LEVEL[,LEVEL...]",
          "what there is code for: x86-64,x86-64-v3,x86-64-v4 when not given"}}},
    {"--device", NULL, NEEDS, ONCE, set_device, 0,
        {{RUN | DUMP, "NAME",
          "cpu (the default), interp, the reference interpreter, cuda, or sim:\n"
          "NVIDIA's GPUs, where cuda:1 is the second one, or simulated"},
         {TEST, "A[,B...]", "on these, whatever the calls say"},
         {DEBUG, "NAME", "names have the values that they are given on this device"},
         {GRAD | REPORT, AS_FOR_RUN}}},
    {"--arch", NULL, NEEDS, ONCE, TEXT(launch.arch),
        {{RUN | DUMP, "NAME",
          "the chip that code is for: sm_90a, or of cpu x86-64, x86-64-v2 to -v4"},
         {BUILD, "NAME", "for an NVIDIA GPU, from that chip on: sm_80; the header launches it"},
         {TEST | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--threads", NULL, NEEDS, ONCE, NUMBER(launch.threads),
        {{RUN | DUMP, "N", "how many threads; every CPU when not given"},
         {TEST | GRAD | REPORT, AS_FOR_RUN}}},
    {"--num-warps", NULL, NEEDS, ONCE, NUMBER(launch.num_warps),
        {{RUN | DUMP, "N", "launch hints that a kernel may read"},
         {TEST | BUILD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--num-stages", NULL, NEEDS, ONCE, NUMBER(launch.num_stages),
        {{RUN | DUMP, "N", ""},
         {TEST | BUILD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--timeout", NULL, NEEDS, ONCE, set_timeout, 0,
        {{RUN, "SECONDS", "end the command, with exit code 1, when a launch takes longer"},
         {TEST, "SECONDS", "a call fails when one of its launches takes longer"},
         {DEBUG, "SECONDS", "stop a run that takes longer, where it is"},
         {GRAD | REPORT, AS_FOR_RUN}}},
    {"--check", NULL, BARE, AGAIN, SWITCH(launch.check),
        {{RUN | DUMP, NULL, "report every access outside of an array, on interp and sim races too"},
         {DEBUG, NULL, "stop at races between programs, and where nothing was written, too"},
         {TEST, AS_FOR_RUN},
         {GRAD, NULL,
          "run both kernels in fp64, on --device NAME, and compare the\n"
          "gradients with differences; prints that, and no source"}}},
    {"--debug", "-g", BARE, AGAIN, set_debug, 0,
        {{RUN | DUMP, NULL, "on the CPU: code that gdb can stop in and show names of; slower"},
         {TEST, AS_FOR_RUN}}},
    {"--unspecialised", NULL, BARE, AGAIN, SWITCH(launch.unspecialised),
        {{RUN | DUMP, NULL, "one form of the code for all values, divisible or not"},
         {TEST | REPORT, AS_FOR_RUN}}},
    {"--path", NULL, NEEDS, AGAIN, add_path, 0,
        {{RUN | DUMP, "DIR", "a folder in which modules that the file imports are looked for"},
         {LIST | TEST | BUILD | GRAD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--define", NULL, NEEDS, AGAIN, add_define, 0,
        {{RUN | DUMP, "NAME=VALUE",
          "a global that the file computes; MODULE.NAME=VALUE of another file"},
         {LIST | TEST | BUILD | GRAD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--", NULL, BARE, AGAIN, NO_OPTION,
        {{RUN | DUMP, NULL, "no word behind it is an option"},
         {LIST | TEST | BUILD | GRAD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--call", NULL, NEEDS, AGAIN, add_call, 0,
        {{RUN | DUMP, "NAME",
          "the arguments and options of a call that FILE.py names in a comment"},
         {TEST, "NAME", "only that call; may be given several times"},
         {GRAD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"@FILE", NULL, BARE, AGAIN, NO_OPTION,
        {{RUN | DUMP, NULL,
          "more of these from a file: an option or a NAME=VALUE a line, `#`\n"
          "begins a comment, and nothing needs quotes"},
         {LIST | TEST | BUILD | GRAD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--compare", NULL, NEEDS, AGAIN, add_compare, 0,
        {{RUN, "NAME=VALUE[,RTOL[,ATOL]]",
          "is it near to @ref.npy, x+y, what the device `interp` gives?\n"
          "fp64: what do the kernel's own roundings cost?"},
         {TEST, "NAME=VALUE[,RTOL[,ATOL]]",
          "as for run; goes before what the calls say"},
         {DEBUG, "NAME=VALUE[,RTOL[,ATOL]]", "what `differ` goes by; as for run"}}},
    {"--save", NULL, NEEDS, AGAIN, add_save, 0,
        {{RUN, "NAME[:TYPE]=FILE",
          "write an array after the first run: .npy, .npz, .png, .pgm, .ppm,\n"
          ".csv; - is stdout; out:u8=o.png rounds, and cuts at 0 and 255"}}},
    {"--compress", NULL, MAY_HAVE, ONCE, set_compress, 0,
        {{RUN, "[1..9]", "smaller .npz and .png files, which take longer; 6 when not given"}}},
    {"--each", NULL, NEEDS, AGAIN, add_each, 0,
        {{RUN, "'PATTERN'",
          "a call for every such file: --each 'in/*.png' x=@{} \\\n"
          "--save o=out/{name}.png; also {dir}, {ext}, {i}; --save o=all.csv\n"
          "is one table for all, all.csv:TITLE,TITLE names its columns;\n"
          "'in/**/*.png' are those at any depth, @list.txt what a list names"}}},
    {"--batch", NULL, NEEDS, ONCE, NUMBER(batch),
        {{RUN, "N", "with --each: stack N files of one shape for one launch"}}},
    {"--skip-existing", NULL, BARE, AGAIN, FLAG(skip_existing),
        {{RUN, NULL, "leave out files of --each whose outputs are there, and not older"}}},
    {"--show", NULL, NEEDS, AGAIN, add_show, 0,
        {{RUN, "NAME[=WAY]",
          "print an array after the first run, or a part: 'x[0,:9]'.\n"
          "WAY: brief, whole, or picture (blocks, text, sixel, kitty)"}}},
    {"--time", NULL, MAY_HAVE, ONCE, set_time, 0,
        {{RUN, "[N]", "time N more runs, or until the median is sure to 1%, 2 s at most"}}},
    {"--tune", NULL, MAY_LIST, AGAIN, set_tune, 0,
        {{RUN, "[NAME=A,B,C]",
          "find the fastest values, or configuration of @triton.autotune"}}},
    {"--against", NULL, NEEDS, ONCE, set_against, 0,
        {{RUN, "OLD.py[:KERNEL]",
          "or NAME=VALUE[,NAME=VALUE...]: is that version as fast? Compares the\n"
          "results, times both in turns; the ratio with a confidence interval"},
         {REPORT, "OLD.py[:KERNEL]", "or NAME=VALUE: that version beside this one"},
         {DEBUG, "OLD.py[:KERNEL]",
          "or NAME=VALUE, or a device: what `differ` goes by is that version's results"}}},
    {"--sweep", NULL, BARE, AGAIN, FLAG(sweep),
        {{RUN, NULL, "time all combinations of values: n=1024..65536*4 BLOCK=64,128"}}},
    {"--csv", NULL, BARE, AGAIN, FLAG(csv),
        {{RUN, NULL, "print the table of --sweep as CSV"}}},
    {"--plot", NULL, NEEDS, ONCE, OUTPUT(plot),
        {{RUN, "FILE", "draw that table, to FILE.svg or FILE.png, by gnuplot"}}},
    {"--trace", NULL, NEEDS, ONCE, OUTPUT(trace),
        {{RUN, "FILE.json", "when what ran on which thread, for Perfetto or chrome://tracing"}}},
    {"--repro", NULL, NEEDS, ONCE, OUTPUT(repro),
        {{RUN, "FILE.py", "write this launch with all that it needs: for `tilec run`, and for Triton"}}},
    {"--profile", NULL, BARE, AGAIN, set_profile, 0,
        {{RUN, NULL, "time, bytes and operations of each line of the source (cpu, interp, cuda)"}}},
    {"--count", NULL, BARE, AGAIN, FLAG(count),
        {{RUN, NULL, "on sim: count what each line of the source does"}}},
    {"--text", NULL, BARE, AGAIN, FLAG(text),
        {{REPORT, NULL, "print what matters most of it, in the terminal"}}},
    {"--ptxas", NULL, BARE, AGAIN, FLAG(ptxas),
        {{REPORT, NULL, "on sim: ask ptxas of the CUDA toolkit for registers, and what is spilled"}}},
    {"--stage", NULL, NEEDS, ONCE, TEXT(stage),
        {{DUMP, "STAGE",
          "ast, ir, vars, opt, plan, schedule, layout, llvm, asm, ptx or sass"},
         {GRAD, "grad", "print who adds to which gradient, and how, in place of the kernel"}}},
    {"--line", NULL, NEEDS, ONCE, TEXT(lines),
        {{DUMP, "N|N-M",
          "only what is of these lines of the file: of ir, opt, asm, ptx, sass"}}},
    {"--places", NULL, BARE, AGAIN, FLAG(places),
        {{DUMP, NULL,
          "name the line of each op behind it: of ir, opt, plan, layout"}}},
    {"--quiet", "-q", BARE, AGAIN, set_quiet, 0,
        {{RUN, NULL, "no progress, no warnings, no last line of --each: only what fails"},
         {DEBUG | GRAD | REPORT, AS_FOR_RUN}}},
    {"--color", NULL, NEEDS, ONCE, set_color, 0,
        {{RUN, "WHEN", "messages in colour: auto (on a terminal), always or never"},
         {LIST | TEST | DUMP | BUILD | DEVICES | GRAD | DEBUG | REPORT, AS_FOR_RUN}}},
    {"--json", NULL, BARE, AGAIN, set_json, 0,
        {{RUN, NULL, "print JSON instead of tables"},
         {LIST, NULL, "print JSON instead"},
         {TEST, NULL, "print JSON instead of lines"},
         {DUMP, NULL, "print an object that has the text"},
         {BUILD, NULL, "print JSON instead of a line"},
         {GRAD, NULL, "print what --check says as JSON"},
         {DEBUG, NULL, "an object a line for what each command came to"},
         {DEVICES, NULL, "print JSON instead of a table"}}},
};
/* clang-format on */
_Static_assert(COUNT(options) <= MOST_OPTIONS, "Options.given has room for all");

const Option *option_at(int i)
{
    return i < COUNT(options) ? &options[i] : NULL;
}

bool option_is_called(const Option *o, const char *name)
{
    return o->set && (strcmp(o->name, name) == 0 || (o->other && strcmp(o->other, name) == 0));
}

bool option_is_known(const Option *o, int commands)
{
    int known = 0;

    for (int i = 0; i < MOST_HELPS; i++)
        known |= o->help[i].commands;
    return o->set && (known & commands) != 0;
}

bool option_takes_word(Operand operand, const char *word)
{
    bool is_number = word[0] && word[strspn(word, "0123456789")] == '\0';
    size_t n = name_length(word);
    bool lists = n > 0 && word[n] == '=' && range_is_several(word + n + 1);

    return operand == NEEDS || (operand == MAY_HAVE && is_number) || (operand == MAY_LIST && lists);
}

bool option_takes(const char *name, const char *word)
{
    for (int i = 0; option_at(i); i++) {
        if (option_is_called(option_at(i), name))
            return option_takes_word(option_at(i)->operand, word);
    }
    return true;
}

const char *option_full_name(const char *name)
{
    for (int i = 0; option_at(i); i++) {
        if (option_at(i)->set && option_is_called(option_at(i), name))
            return option_at(i)->name;
    }
    return NULL;
}
