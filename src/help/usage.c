/*
 * usage.c - what `tilec` alone says, and `tilec COMMAND --help`
 *
 * A piece of the latter is a text and, behind it, the options that options/table.c explains to the
 * same commands; `tilec help options` has all pieces.
 */
#include "help.h"
#include "../options/table.h"

#include <string.h>

enum { NAME_COLUMNS = 23, LINE_COLUMNS = 80 };

static const char brief[] =
    "usage: tilec COMMAND [OPTION...] ...\n"
    "\n"
    "  run FILE.py[:KERNEL] NAME=VALUE...  run a kernel on arrays, say what came out\n"
    "  list FILE.py                        show its kernels, with calls to copy\n"
    "  test FILE.py...                     make the calls that comments name, compare\n"
    "  dump FILE.py --stage STAGE          print a kernel at one stage of its way\n"
    "  build FILE.py -o FILE.o             compile a kernel for programs to link\n"
    "  grad FILE.py --of OUT --wrt X       write the kernel of a kernel's gradients\n"
    "  debug FILE.py[:KERNEL] NAME=VALUE.. step through a kernel, look at its tiles\n"
    "  report FILE.py[:KERNEL] -o R.html   write where its time goes, as a page\n"
    "  devices                             list where kernels can run\n"
    "  help [NAME]                         explain a command, topic, option, function\n"
    "\n"
    "examples:\n"
    "  tilec list kernels/add.py\n"
    "  tilec run kernels/add.py --grid 'cdiv(n,BLOCK)' --show out \\\n"
    "      x='rand(fp32,98432)' y='rand(fp32,98432)' out='empty(fp32,98432)' \\\n"
    "      n='x.numel()' BLOCK=1024\n"
    "  tilec test kernels/add.py kernels/softmax.py\n"
    "\n"
    "tilec COMMAND --help   the options of a command; tilec help options: all of them\n"
    "tilec help start       from nothing to a kernel; tilec help topics has a line on\n";
static const char brief_end[] =
    "tilec help functions   those of the language; tilec help tl.load: one of them\n"
    "tilec help --save      what an option does\n"
    "tilec --version        which one this is\n";

static const struct {
    int commands; /* whose help has it */
    const char *text;
    bool has_options;
} pieces[] = {
    {COMMAND_RUN,
     "usage: tilec run FILE.py[:KERNEL] --grid E[,E[,E]] [OPTION...] NAME=VALUE... [@FILE...]\n"},
    {COMMAND_LIST, "usage: tilec list FILE.py[:KERNEL] [--json]\n"},
    {COMMAND_TEST, "usage: tilec test FILE.py[:KERNEL]|FOLDER... [OPTION...] [NAME=VALUE...]\n"},
    {COMMAND_DUMP,
     "usage: tilec dump FILE.py[:KERNEL] --stage STAGE [OPTION...] NAME=VALUE|NAME:TYPE... "
     "[@FILE...]\n"},
    {COMMAND_BUILD, "usage: tilec build FILE.py[:KERNEL] -o FILE.o --header FILE.h [OPTION...]\n"
                    "             NAME:TYPE|NAME=VALUE[,VALUE...]... [@FILE...]\n"},
    {COMMAND_GRAD,
     "usage: tilec grad FILE.py[:KERNEL] --of NAME --wrt NAME[,NAME...] [-o FILE.py]\n"
     "             [OPTION...] NAME=VALUE|NAME:TYPE... [@FILE...]\n"},
    {COMMAND_DEBUG,
     "usage: tilec debug FILE.py[:KERNEL] --grid E[,E[,E]] [OPTION...] NAME=VALUE... [@FILE...]\n"
     "       tilec debug --dap\n"},
    {COMMAND_REPORT,
     "usage: tilec report FILE.py[:KERNEL] -o FILE.html [OPTION...] NAME=VALUE... [@FILE...]\n"},
    {COMMAND_DEVICES, "usage: tilec devices [--json]\n"},
    {0, "usage: tilec help [COMMAND | TOPIC | OPTION | FUNCTION] | COMMAND --help | --version\n"},
    {COMMAND_RUN, "\nRun a kernel on arrays once, and say what came out.\n"},
    {COMMAND_LIST,
     "\nShow the kernels of a file: parameters, decorators, the calls that it names, and for each\n"
     "an example that can be copied, which has run in the interpreter.\n",
     true},
    {COMMAND_TEST,
     "\nMake the calls that the files name in comments beside kernels, and compare their arrays:\n"
     "  # tilec: call small --grid cdiv(n, BLOCK) --compare out=x+y --device cpu,sim\n"
     "  #     n=1000 x=rand(fp32, n) y=rand(fp32, n) out=empty(fp32, n) BLOCK=256\n"
     "One without --compare is compared with what the device `interp` gives.\n"
     "options of test:\n",
     true},
    {COMMAND_DUMP, "\nPrint a kernel at one stage of its compilation.\n"},
    {COMMAND_BUILD,
     "\nCompile a kernel ahead of time: an object that programs link, and its header in C.\n"
     "NAME:TYPE is a parameter of the function; NAME=VALUE is compiled in; of NAME=A,B,C each\n"
     "is, and a parameter says which.\n"
     "options of build:\n",
     true},
    {COMMAND_GRAD,
     "\nDerive the kernel that gives the gradients of one array with respect to others, and print\n"
     "it as a Python file.  It holds for the types and constants of the arguments.\n"
     "options of grad:\n",
     true},
    {COMMAND_DEBUG,
     "\nStep through a kernel on the interpreter, forward and back, and look at its tiles.  At "
     "the\n"
     "prompt `help` lists the commands; `tilec help debugger` explains them, `tilec help dap` "
     "what\n"
     "an editor needs.\n"
     "options of debug:\n",
     true},
    {COMMAND_REPORT,
     "\nRun a kernel, and write where its time goes, what it becomes and what to try: a page of\n"
     "HTML that needs no other file.  `tilec help reports` explains it.\n"
     "options of report:\n",
     true},
    {COMMAND_DEVICES, "\nList where kernels can run.\n", true},
    {COMMAND_RUN | COMMAND_DUMP, "\noptions of run and dump:\n", true},
    {COMMAND_RUN, "options of run:\n", true},
    {COMMAND_DUMP, "options of dump:\n", true},
    {COMMAND_RUN | COMMAND_DUMP | COMMAND_DEBUG | COMMAND_REPORT,
     "\n"
     "A VALUE is an expression of Python's; names are earlier arguments, dtypes (fp32) and\n"
     "  @x.npy  @x.npy:bf16  @x.npz:MEMBER  @x.png  @x.pgm  @x.csv  @- (stdin)\n"
     "  zeros(fp32,4096x781)  ones  full(i32,7,-1)  empty  arange(i32,99)\n"
     "  rand(fp32,1000[,seed=N])  randn(fp16,1000)  randint(i32,1000,LO,HI)  empty_like(x)\n"
     "  x[1:,::2]  x.numel()  x.shape(0)  x.stride(0)  x.dtype  x.to(fp16)  rand(fp32,9)*2-1\n"
     "  x.sum()  x.max(axis)  x.mean  x.argmax  x.std  and so on, as NumPy's\n"
     "  cdiv(n,1024)  next_power_of_2(n)  min  max  sum  len  math.sqrt  64 if n>9 else 32\n"},
    {COMMAND_DUMP | COMMAND_BUILD | COMMAND_GRAD, "A TYPE is a dtype, or *dtype for a pointer.\n"},
    {COMMAND_RUN,
     "\n"
     "example: tilec run kernels/add.py --grid 'cdiv(n,BLOCK)' --show out \\\n"
     "             x='rand(fp32,98432)' y='rand(fp32,98432)' out='empty(fp32,98432)' \\\n"
     "             n='x.numel()' BLOCK=1024\n"
     "example: tilec run kernels/softmax.py --call softmax --time --compare interp\n"},
    {COMMAND_LIST, "\nexample: tilec list kernels/add.py\n"},
    {COMMAND_TEST, "\nexample: tilec test kernels/add.py kernels/softmax.py\n"
                   "example: tilec test kernels/matmul.py --call tails --device cpu,sim --check\n"},
    {COMMAND_BUILD,
     "\n"
     "example: tilec build kernels/add.py -o add.o --header add.h --grid 'cdiv(n,BLOCK)' \\\n"
     "             'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=1024\n"},
    {COMMAND_DUMP,
     "\n"
     "example: tilec dump kernels/add.py --stage asm 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 \\\n"
     "             BLOCK=1024\n"},
    {COMMAND_REPORT, "\nexample: tilec report kernels/softmax.py --call softmax -o softmax.html\n"},
    {COMMAND_DEBUG, "\nexample: tilec debug kernels/softmax.py --call softmax\n"},
    {COMMAND_GRAD, "\n"
                   "example: tilec grad kernels/softmax.py --call softmax --of out --wrt x\n"},
};

/* --- options --- */

/* "  --debug, -g          on the CPU: ..", whose text stands in a column of its own. */
static void put_option(FILE *to, const Option *o, const OptionHelp *help)
{
    const char *value = help->value ? help->value : "";
    int width = fprintf(to, "  %s%s%s%s%s", o->name, o->other ? ", " : "", o->other ? o->other : "",
                        help->value && o->operand != MAY_NAME ? " " : "", value);

    for (const char *line = help->text; line[0];) {
        size_t n = strcspn(line, "\n");
        bool fits = width + 2 <= NAME_COLUMNS;
        fprintf(to, "%s%*s%.*s", fits ? "" : "\n", fits ? NAME_COLUMNS - width : NAME_COLUMNS, "",
                (int)n, line);
        width = LINE_COLUMNS;
        line += n + (line[n] == '\n');
    }
    fputs("\n", to);
}

static void put_options(FILE *to, int commands)
{
    for (int i = 0; option_at(i); i++) {
        for (int k = 0; k < MOST_HELPS; k++) {
            const OptionHelp *help = &option_at(i)->help[k];
            if (help->text && help->commands == commands)
                put_option(to, option_at(i), help);
        }
    }
}

/* One more name of a list that goes over several lines. */
static int put_name(FILE *to, int column, const char *name)
{
    int width = (int)strlen(name);

    if (column + 2 + width + 2 > LINE_COLUMNS) { /* and a comma, and maybe a blank */
        fputs(",\n", to);
        column = 0;
    }
    return column + fprintf(to, "%s%s", column ? ", " : "  ", name);
}

static bool is_as_for_run(const Option *o, int commands)
{
    for (int k = 0; k < MOST_HELPS; k++) {
        if (!o->help[k].text && (o->help[k].commands & commands))
            return true;
    }
    return false;
}

static void put_options_of_run(FILE *to, int commands)
{
    int column = 0;

    for (int i = 0; option_at(i); i++) {
        const Option *o = option_at(i);
        if (!is_as_for_run(o, commands))
            continue;
        column = put_name(to, column, o->name);
        if (o->other)
            column = put_name(to, column, o->other);
    }
    if (column > 0)
        fputs(" as for run\n", to);
}

/* --- all of it --- */

void help_brief(FILE *to)
{
    fputs(brief, to);
    topics_name(to);
    fputs(brief_end, to);
}

void help_print(Command command, FILE *to)
{
    for (int i = 0; i < COUNT(pieces); i++) {
        if (command != COMMAND_ALL && !(pieces[i].commands & (int)command))
            continue;
        fputs(pieces[i].text, to);
        if (!pieces[i].has_options)
            continue;
        put_options(to, pieces[i].commands);
        put_options_of_run(to, pieces[i].commands);
    }
}
