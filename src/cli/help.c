/*
 * help.c - what `tilec --help` prints, in the pieces that `tilec COMMAND --help` has of it
 */
#include "cli.h"

static const struct {
    int commands; /* whose help has it */
    const char *text;
} pieces[] = {
    {COMMAND_RUN,
     "usage: tilec run FILE.py[:KERNEL] --grid E[,E[,E]] [OPTION...] NAME=VALUE... [@FILE...]\n"},
    {COMMAND_LIST, "usage: tilec list FILE.py[:KERNEL] [--json]\n"},
    {COMMAND_TEST, "usage: tilec test FILE.py[:KERNEL]... [OPTION...] [NAME=VALUE...]\n"},
    {COMMAND_DUMP,
     "usage: tilec dump FILE.py[:KERNEL] --stage STAGE [OPTION...] NAME=VALUE|NAME:TYPE... "
     "[@FILE...]\n"},
    {COMMAND_BUILD, "usage: tilec build FILE.py[:KERNEL] -o FILE.o --header FILE.h [OPTION...]\n"
                    "             NAME:TYPE|NAME=VALUE[,VALUE...]... [@FILE...]\n"},
    {COMMAND_DEVICES, "usage: tilec devices [--json]\n"},
    {0, "usage: tilec help [COMMAND | TOPIC] | COMMAND --help | --help | --version\n"},
    {COMMAND_RUN, "\nRun a kernel on arrays once, and say what came out.\n"},
    {COMMAND_LIST,
     "\nShow the kernels of a file: parameters, decorators, the calls that it names, and for each\n"
     "an example that can be copied, which has run in the interpreter.\n"
     "  --json               print JSON instead\n"
     "  --path, --define, --, @FILE as for run\n"},
    {COMMAND_TEST,
     "\nMake the calls that the files name in comments beside kernels, and compare their arrays:\n"
     "  # tilec: call small --grid cdiv(n, BLOCK) --compare out=x+y --device cpu,sim\n"
     "  #     n=1000 x=rand(fp32, n) y=rand(fp32, n) out=empty(fp32, n) BLOCK=256\n"
     "One without --compare is compared with what the device `interp` gives.\n"
     "options of test:\n"
     "  --call NAME          only that call; may be given several times\n"
     "  --device A[,B...]    on these, whatever the calls say\n"
     "  --compare            and what run has that says how: go before what the calls say\n"
     "  --json               print JSON instead of lines\n"
     "  --grid, --arch, --threads, --num-warps, --num-stages, --check, --debug, --path, --define,\n"
     "  -g, --, @FILE as for run\n"},
    {COMMAND_DUMP, "\nPrint a kernel at one stage of its compilation.\n"},
    {COMMAND_BUILD,
     "\nCompile a kernel ahead of time: an object that programs link, and its header in C.\n"
     "NAME:TYPE is a parameter of the function; NAME=VALUE is compiled in; of NAME=A,B,C each\n"
     "is, and a parameter says which.\n"
     "options of build:\n"
     "  -o FILE.o            the object\n"
     "  --header FILE.h      the header, C99 and C++, which says how to call it\n"
     "  --name NAME          of the function; the kernel's when not given\n"
     "  --grid E[,E[,E]]     compute the grid from the arguments; else each call gives it\n"
     "  --variant NAME=VALUE[,NAME=VALUE...]\n"
     "                       code of its own for calls with these values; may be repeated\n"
     "  --disjoint           no call gives an array that overlaps one that is written: faster "
     "code\n"
     "  --cpu LEVEL[,LEVEL...]\n"
     "                       what there is code for: x86-64,x86-64-v3,x86-64-v4 when not given\n"
     "  --json               print JSON instead of a line\n"
     "  --num-warps, --num-stages, --path, --define, --, @FILE as for run\n"},
    {COMMAND_DEVICES, "\nList where kernels can run.\n"
                      "  --json               print JSON instead of a table\n"},
    {COMMAND_RUN | COMMAND_DUMP,
     "\n"
     "options of run and dump:\n"
     "  --device NAME        cpu (the default), interp, the reference interpreter, cuda, or sim:\n"
     "                       NVIDIA's GPUs, where cuda:1 is the second one, or simulated\n"
     "  --arch NAME          the chip that code is for: sm_90a, or of cpu x86-64, x86-64-v2 to "
     "-v4\n"
     "  --threads N          how many threads; every CPU when not given\n"
     "  --num-warps N        launch hints that a kernel may read\n"
     "  --num-stages N\n"
     "  --check              report every access outside of an array, and on sim races; slower\n"
     "  --debug, -g          on the CPU: code that gdb can stop in and show names of; slower\n"
     "  --path DIR           a folder in which modules that the file imports are looked for\n"
     "  --define NAME=VALUE  a global that the file computes; MODULE.NAME=VALUE of another file\n"
     "  --                   no word behind it is an option\n"
     "  --call NAME          the arguments and options of a call that FILE.py names in a comment\n"
     "  @FILE                more of these from a file: an option or a NAME=VALUE a line, `#`\n"
     "                       begins a comment, and nothing needs quotes\n"},
    {COMMAND_RUN,
     "options of run:\n"
     "  --grid E[,E[,E]]     programs along x, y and z; may use every argument\n"
     "  --compare NAME=VALUE[,RTOL[,ATOL]]\n"
     "                       is it near to @ref.npy, x+y, what the device `interp` gives?\n"
     "  --save NAME=FILE     write an array after the first run: .npy, .npz, .png, .pgm, .ppm,\n"
     "                       .csv; - is stdout\n"
     "  --compress [1..9]    smaller .npz and .png files, which take longer; 6 when not given\n"
     "  --each 'PATTERN'     a call for every such file: --each 'in/*.png' x=@{} \\\n"
     "                       --save o=out/{name}.png; also {dir}, {ext}, {i}; --save o=all.csv\n"
     "                       is one table for all; 'in/**/*.png' are those at any depth\n"
     "  --batch N            with --each: stack N files of one shape for one launch\n"
     "  --skip-existing      leave out files of --each whose outputs are there\n"
     "  --show NAME[=WAY]    print an array after the first run, or a part: 'x[0,:9]'.\n"
     "                       WAY: brief, whole, or picture (blocks, text, sixel, kitty)\n"
     "  --time [N]           time N more runs, or as many as fit in a second\n"
     "  --tune [NAME=A,B,C]  find the fastest values, or configuration of @triton.autotune\n"
     "  --sweep              time all combinations of values: n=1024..65536*4 BLOCK=64,128\n"
     "  --csv, --plot FILE   print them as CSV; draw them, FILE.svg or FILE.png, by gnuplot\n"
     "  --trace FILE.json    when what ran on which thread, for Perfetto or chrome://tracing\n"
     "  --profile            time, bytes and operations of each line of the source (cpu, interp)\n"
     "  --count              on sim: count what each line of the source does\n"
     "  --json               print JSON instead of tables\n"},
    {COMMAND_DUMP,
     "options of dump:\n"
     "  --stage STAGE        ast, ir, vars, opt, plan, schedule, layout, llvm, asm, ptx or sass\n"
     "  --json               print an object that has the text\n"},
    {COMMAND_RUN | COMMAND_DUMP,
     "\n"
     "A VALUE is an expression of Python's; names are earlier arguments, dtypes (fp32) and\n"
     "  @x.npy  @x.npy:bf16  @x.npz:MEMBER  @x.png  @x.pgm  @x.csv  @- (stdin)\n"
     "  zeros(fp32,4096x781)  ones  full(i32,7,-1)  empty  arange(i32,99)\n"
     "  rand(fp32,1000[,seed=N])  randn(fp16,1000)  randint(i32,1000,LO,HI)  empty_like(x)\n"
     "  x[1:,::2]  x.numel()  x.shape(0)  x.stride(0)  x.dtype  x.to(fp16)  rand(fp32,9)*2-1\n"
     "  cdiv(n,1024)  next_power_of_2(n)  min  max  sum  len  math.sqrt  64 if n>9 else 32\n"},
    {COMMAND_DUMP | COMMAND_BUILD, "A TYPE is a dtype, or *dtype for a pointer.\n"},
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
     "             x:*fp32 y:*fp32 out:*fp32 n:i32 BLOCK=1024\n"},
    {COMMAND_DUMP,
     "\n"
     "example: tilec dump kernels/add.py --stage asm x:*fp32 y:*fp32 out:*fp32 n:i32 \\\n"
     "             BLOCK=1024\n"},
};

void help_print(Command command, FILE *to)
{
    for (int i = 0; i < COUNT(pieces); i++) {
        if (command == COMMAND_ALL || (pieces[i].commands & (int)command))
            fputs(pieces[i].text, to);
    }
    if (command == COMMAND_ALL)
        topics_list(to);
}
