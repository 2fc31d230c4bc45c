/*
 * options.c - the words of a command line, sorted into a struct
 *
 * Options are those of table.c.  `--name VALUE` and `--name=VALUE` mean the same; options
 * and arguments may come in any order; the first word that is neither is FILE.py[:KERNEL]; behind
 * `--` no word is an option; @FILE stands for what the file says.  Nothing is evaluated here.
 */
#include "table.h"
#include "../syntax/lex.h"

#include <stdlib.h>
#include <string.h>

/* What here does that for which other tools have this option; NULL: nothing is known. */
static const char *advice_for_option(const char *name)
{
    static const char outputs[] = "--save NAME=FILE writes an array, --show NAME prints it";
    static const char devices[] = "--device NAME says where: cuda, sim, cpu or interp";
    static const char levels[] = "--device cpu runs there; --arch x86-64-v3 (AVX2, FMA) or "
                                 "x86-64-v4 (AVX-512) says for which CPU";
    static const char grids[] = "--grid 'cdiv(n,BLOCK)' says how many programs run";
    static const char times[] = "--time measures, --time N takes so many runs";
    static const char references[] = "--compare NAME=VALUE checks an array, --compare interp all";
    static const char kernels[] = "a kernel is named behind its file: FILE.py:KERNEL";
    static const char stages[] = "a stage has a name: tilec dump FILE.py --stage ptx";
    static const char bounds[] =
        "tolerances stand behind the value: --compare NAME=VALUE,RTOL,ATOL";
    static const char levels_of_optimisation[] = "kernels are always compiled for speed";
    static const char arrays[] = "arrays are arguments: x='rand(fp32,1000)'";
    static const WordText table[] = {
        {"-o", outputs},
        {"--out", outputs},
        {"--output", outputs},
        {"--print", outputs},
        {"--write", outputs},
        {"--gpu", devices},
        {"--cuda", devices},
        {"--cpu", levels},
        {"--target", devices},
        {"--backend", devices},
        {"--block", grids},
        {"--blocks", grids},
        {"--threads-per-block",
         "the extents of tiles are arguments, BLOCK=256, and --num-warps N says how "
         "many threads a GPU takes"},
        {"--programs", grids},
        {"--num-programs", grids},
        {"--bench", times},
        {"--benchmark", times},
        {"--repeat", times},
        {"--iters", times},
        {"--warmup", "--time warms up by itself, and --time N takes N runs"},
        {"-O2", levels_of_optimisation},
        {"-O3", levels_of_optimisation},
        {"--opt", levels_of_optimisation},
        {"--iterations", times},
        {"--verify", references},
        {"--validate", references},
        {"--reference", references},
        {"--expect", references},
        {"--kernel", kernels},
        {"-k", kernels},
        {"--function", kernels},
        {"--ptx", stages},
        {"--asm", stages},
        {"--ir", stages},
        {"--sass", stages},
        {"--tol", bounds},
        {"--tolerance", bounds},
        {"--rtol", bounds},
        {"--atol", bounds},
        {"--dtype", arrays},
        {"--shape", arrays},
        {"--size", arrays},
        {"--input", arrays},
        {"--inputs", arrays},
        {"--seed", "an array of random numbers has it: x='rand(fp32,1000,seed=3)'"},
        {"--all", "all calls are made when no --call NAME is given"},
        {"--backward",
         "the gradient is a kernel of its own, which is written and run as any other"},
    };

    return text_of_word(table, COUNT(table), name);
}

/* The one of them that begins so; NULL: none does, or several do. */
static const char *completed(const char *name, const char *const *known, int n)
{
    const char *found = NULL;

    for (int i = 0; i < n && strlen(name) > 3; i++) {
        if (strncmp(known[i], name, strlen(name)) != 0)
            continue;
        if (found)
            return NULL;
        found = known[i];
    }
    return found;
}

static NORETURN void refuse_option(Client *c, Command command, const char *name)
{
    const char *known[MOST_OPTIONS];
    int n = 0;

    const char *advice = advice_for_option(name);
    if (command == COMMAND_BUILD && strcmp(name, "--device") == 0)
        advice = "--arch sm_80 builds for GPUs, --cpu says for which CPUs";
    if (advice && command == COMMAND_DUMP && strncmp(advice, "--save", 6) == 0)
        advice = "the shell writes what is printed to a file: > FILE";
    if (advice)
        client_stop(c, CLIENT_USAGE, "there is no option '%s' here; %s", name, advice);
    for (int i = 0; option_at(i); i++) {
        if (option_is_known(option_at(i), (int)command))
            known[n++] = option_at(i)->name;
    }
    bool is_letter = name[1] != '-' && strlen(name) == 2; /* to which nothing is near */
    const char *word = name[1] == '-' ? name : arena_printf(c->arena, "-%s", name);
    const char *near = is_letter ? NULL : near_name(word, known, n);
    near = near ? near : completed(name, known, n);
    client_stop(c, CLIENT_USAGE, "there is no option '%s' here; %s%s%s", name,
                near ? "did you mean '" : "",
                near ? near : "--help lists them, and arguments are NAME=VALUE, without dashes",
                near ? "'?" : "");
}

/* The number of its row.  In files those of other commands may stand too: they are of no use here.
 */
static int find_option(Client *c, Command command, const char *name)
{
    for (int i = 0; option_at(i); i++) {
        bool is_known = option_is_known(option_at(i), (int)command);

        if (option_is_called(option_at(i), name) && (is_known || c->origin))
            return i;
    }
    refuse_option(c, command, name);
}

int options_depth(const Origin *origin)
{
    return origin ? origin->depth : 0;
}

bool options_typed(const Options *o, const char *name)
{
    for (int i = 0; option_at(i); i++) {
        if (option_is_called(option_at(i), name))
            return o->given[i] == 1;
    }
    return false;
}

static bool is_name_of_option(const char *word)
{
    for (int i = 0; option_at(i); i++) {
        if (option_is_called(option_at(i), word))
            return true;
    }
    return false;
}

/* "hint: --call NAME", as help calls the value. */
static const char *hint_at_value(Client *c, const Option *option)
{
    const char *value = option->help[0].value;

    return !value ? ""
                  : arena_printf(c->arena, "\nhint: %s %s; tilec help %s says more", option->name,
                                 value, option->name);
}

/* The value of an option in the word behind it, where that may be one; NULL. */
static const char *next_operand(Client *c, const char *name, const Option *option,
                                const char *const *words, int left)
{
    bool needs = option->operand == NEEDS;

    if (needs && left < 2)
        client_stop(c, CLIENT_USAGE, "%s needs a value behind it%s", name,
                    hint_at_value(c, option));
    if (needs && is_name_of_option(words[1]))
        client_stop(c, CLIENT_USAGE, "%s needs a value behind it, and `%s` is an option%s", name,
                    words[1], hint_at_value(c, option));
    return left > 1 && option_takes_word(option->operand, words[1]) ? words[1] : NULL;
}

/* Does what stands at c->origin count?  Of two at one depth the second is a mistake. */
static bool goes_first(Client *c, signed char *given, const char *name)
{
    int here = 1 + options_depth(c->origin);

    if (*given == here)
        client_stop(c, CLIENT_USAGE, "%s is given twice\nhint: leave one of the two out", name);
    if (*given != 0 && *given < here)
        return false;
    *given = (signed char)here;
    return true;
}

/* One option; gives how many words it took. */
static int parse_option(const Parse *p, const char *const *words, int left)
{
    Client *c = p->c;
    const char *equals = strchr(words[0], '=');
    size_t length = equals ? (size_t)(equals - words[0]) : strlen(words[0]);
    const char *name = arena_strndup(c->arena, words[0], length);
    const char *operand = equals ? equals + 1 : NULL;
    int i = find_option(c, p->command, name), taken = 1;
    const Option *option = option_at(i);

    if (operand && option->operand == BARE)
        client_stop(c, CLIENT_USAGE, "%s takes no value", name);
    if (!operand) {
        operand = next_operand(c, name, option, words, left);
        taken = operand ? 2 : 1;
    }
    if (option->operand == NEEDS && !operand[0])
        client_stop(c, CLIENT_USAGE, "%s needs a value, not an empty word", name);
    if (!option_is_known(option, (int)p->command))
        return taken;
    if (!option->once && !c->origin)
        p->o->given[i] = 1;
    if (!option->once || goes_first(c, &p->o->given[i], name))
        option->set(&(Given){p, c, p->o, option, operand});
    return taken;
}

/* The argument of that name, if it is one already; what stands nearer to the command line goes
 * first, in the place that the other one had. */
static void add_argument(Client *c, Options *o, ArgText arg)
{
    for (int i = 0; i < o->args.len; i++) {
        ArgText *old = &o->args.at[i];
        signed char given = (signed char)(1 + options_depth(old->origin));

        if (strcmp(old->name, arg.name) != 0)
            continue;
        if (goes_first(c, &given, arena_printf(c->arena, "argument '%s'", arg.name)))
            *old = arg;
        return;
    }
    vec_push(c->arena, &o->args, arg);
}

/* NAME=VALUE, or for dump and build NAME:TYPE */
static bool parse_argument(const Parse *p, const char *word)
{
    size_t n = name_length(word);
    bool takes_types =
        p->command == COMMAND_DUMP || p->command == COMMAND_BUILD || p->command == COMMAND_GRAD;
    bool is_type = word[n] == ':' && takes_types && p->o->file;

    if (n == 0 || (word[n] != '=' && !is_type))
        return false;
    add_argument(p->c, p->o,
                 (ArgText){.name = arena_strndup(p->c->arena, word, n),
                           .text = word + n + 1,
                           .is_type = is_type,
                           .origin = p->c->origin});
    return true;
}

/* --- what files say --- */

static void parse_items(const Parse *p, const Items *items, const Origin *origin);

static bool is_same_file(const char *a, const char *b)
{
    OsEntry x = os_entry(a), y = os_entry(b);

    return x.kind == OS_FILE && y.kind == OS_FILE && x.device == y.device && x.number == y.number;
}

/* The lines of an inner file, or of a call in it; stops where it would be inside of itself. */
static Origin inner_origin(const Parse *p, const char *path, const char *call, const char *word)
{
    enum { DEEPEST = 16 };
    Client *c = p->c;

    for (const Origin *o = c->origin; o; o = o->outer) {
        bool is_same_call = call ? o->call && strcmp(o->call, call) == 0 : !o->call;

        if (is_same_call && is_same_file(o->file, path))
            client_stop(c, CLIENT_USAGE, "%s: this %s names itself, here or through others", word,
                        call ? "call" : "file");
    }
    if (options_depth(c->origin) == DEEPEST)
        client_stop(c, CLIENT_USAGE, "%s: files that name files are more than %d deep", word,
                    DEEPEST);
    return (Origin){.file = path,
                    .folder = folder_of(c->arena, path),
                    .depth = options_depth(c->origin) + 1,
                    .call = call,
                    .outer = c->origin};
}

/* @FILE: a line of it is as words here. */
static void parse_file_of_items(const Parse *p, const char *word)
{
    const char *path = origin_path(p->c, word + 1);

    if (!word[1])
        client_stop(p->c, CLIENT_USAGE,
                    "'@' needs the name of a file behind it, with options and NAME=VALUE");
    const Origin inner = inner_origin(p, path, NULL, word);
    const Items items = items_of_file(p->c, path);
    parse_items(p, &items, &inner);
}

static void parse_named_call(const Parse *p, const NamedCall *call)
{
    const char *word = arena_printf(p->c->arena, "--call %s", call->name);
    const char *name =
        arena_printf(p->c->arena, "%s:%s", call->kernel ? call->kernel : "", call->name);

    calls_check(p->c, call);
    const Origin inner = inner_origin(p, call->path, name, word);
    if (!p->o->kernel)
        p->o->kernel = call->kernel;
    parse_items(p, &call->items, &inner);
}

/* `-` and `-:KERNEL` are the file on stdin. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && word[1] != ':';
}

static bool is_argument(const char *word)
{
    return word[0] == '@' || (name_length(word) > 0 && word[name_length(word)] == '=');
}

/* Of the words from here on: an option and, in a word of its own, its value; or one. */
static int words_of_item(const char *const *words, int left)
{
    bool is_whole = !is_option(words[0]) || strchr(words[0], '=') || strcmp(words[0], "--") == 0;

    return !is_whole && left > 1 && option_takes(words[0], words[1]) ? 2 : 1;
}

/* Look ahead for FILE.py[:KERNEL]. */
static void find_file(const Parse *p)
{
    for (int i = 0; i < p->nwords; i += words_of_item(p->words + i, p->nwords - i)) {
        const char *word = p->words[i];

        if (!is_option(word) && !is_argument(word)) {
            p->o->file = operand_file(p->c, word, &p->o->kernel);
            return;
        }
    }
}

/* Of the kernel's file, which may come behind it. */
void options_call(const Parse *p, const char *name)
{
    if (!p->o->file)
        find_file(p);
    if (!p->o->file)
        client_stop(p->c, CLIENT_USAGE, "which kernel? FILE.py[:KERNEL] is missing");
    if (!p->o->known)
        p->o->known = calls_of_file(p->c, p->o->file);
    parse_named_call(p, calls_find(p->c, p->o->known, p->o->file, p->o->kernel, name));
}

void options_add_call(Client *c, Command command, Options *o, const NamedCall *call)
{
    static const OptionsHost nobody = {0};
    const Parse p = {.c = c, .host = &nobody, .command = command, .o = o};

    o->file = call->path;
    o->known = call->among;
    o->kernel = NULL;
    parse_named_call(&p, call);
}

/* --- words --- */

/* The word in front of one of the command line; NULL. */
static const char *word_before(const Parse *p, const char *word)
{
    for (int i = 1; i < p->nwords; i++) {
        if (p->words[i] == word)
            return p->words[i - 1];
    }
    return NULL;
}

static bool takes_no_value(const char *name)
{
    for (int i = 0; option_at(i); i++) {
        if (option_is_called(option_at(i), name))
            return option_at(i)->operand == BARE;
    }
    return false;
}

static bool is_identifier(const char *word)
{
    return name_length(word) > 0 && word[name_length(word)] == '\0';
}

/* A grid as Python writes it: [(4,)], (4, 8), 4. */
static bool is_grid(const char *word)
{
    size_t digits = strspn(word, "[( ");

    return strspn(word + digits, "0123456789") > 0 &&
           strspn(word + digits, "0123456789,)] ") == strlen(word + digits);
}

static NORETURN void refuse_word(const Parse *p, const char *word)
{
    if (p->o->eaches.len > 0 && os_entry(word).kind == OS_FILE)
        client_stop(
            p->c, CLIENT_USAGE,
            "'%s' is no option and no NAME=VALUE\nhint: if a shell has put it in the place of a "
            "pattern, quote that: --each 'in/*.png'",
            word);
    if (p->command == COMMAND_RUN && name_length(word) > 0 && word[name_length(word)] == ':')
        client_stop(
            p->c, CLIENT_USAGE,
            "'%s' is a type, with which `tilec dump` and `tilec build` compile; a run needs a "
            "value\n"
            "hint: arrays are made by %.*s='rand(fp32,1000)': tilec help values",
            word, (int)name_length(word), word);
    size_t length = strlen(word);
    if (!p->c->origin && p->command == COMMAND_RUN && length > 3 &&
        strcmp(word + length - 3, ".py") == 0)
        client_stop(p->c, CLIENT_USAGE,
                    "'%s': one kernel runs at a time, of the file that stands first\n"
                    "hint: a pipe joins two, --save out=- | tilec run %s x=@-: tilec help pipe",
                    word, word);
    const char *before = word_before(p, word);
    if (before && strcmp(before, "--time") == 0)
        client_stop(p->c, CLIENT_USAGE,
                    "--time N takes a whole number, or none, and '%s' is no NAME=VALUE", word);
    if (before && strcmp(before, "--tune") == 0)
        client_stop(p->c, CLIENT_USAGE, "--tune needs values to try, as in --tune %s=64,128,256",
                    word);
    if (before && strcmp(before, "-g") == 0)
        client_stop(
            p->c, CLIENT_USAGE,
            "'%s' is no option and no NAME=VALUE: -g is --debug, and --grid %s says how many "
            "programs run",
            word, word);
    if (before && takes_no_value(before))
        client_stop(p->c, CLIENT_USAGE,
                    "'%s' is no option and no NAME=VALUE, and %s takes no value", word, before);
    if (!p->c->origin && before && before == p->o->file && is_identifier(word))
        client_stop(
            p->c, CLIENT_USAGE,
            "'%s' is no option and no NAME=VALUE\nhint: a kernel is named behind its file: %s:%s",
            word, p->o->file, word);
    if (!p->c->origin && p->command == COMMAND_RUN && is_grid(word))
        client_stop(
            p->c, CLIENT_USAGE,
            "'%s' is no option and no NAME=VALUE\n"
            "hint: how many programs run stands behind --grid, without brackets: --grid 4,8",
            word);
    if (!p->c->origin && p->command == COMMAND_RUN && strchr(word, '('))
        client_stop(p->c, CLIENT_USAGE,
                    "'%s' is no option and no NAME=VALUE\n"
                    "hint: each value has the name of the kernel's parameter: x='%s'",
                    word, word);
    if (!p->c->origin)
        client_stop(p->c, CLIENT_USAGE,
                    "'%s' is no option and no NAME=VALUE, which has no spaces around `=`", word);
    client_stop(p->c, CLIENT_USAGE, "'%s' is no option, no NAME=VALUE and no @file", word);
}

/* FILE.py[:KERNEL]; find_file() may have seen it. */
static bool take_file(const Parse *p, const char *word)
{
    Options *o = p->o;

    if (p->c->origin || (o->files.len > 0 && p->command != COMMAND_TEST))
        return false;
    vec_push(p->c->arena, &o->files, word);
    if (!o->file)
        o->file = operand_file(p->c, word, &o->kernel);
    return true;
}

static void parse_word(const Parse *p, const char *word)
{
    if (p->command == COMMAND_DEVICES)
        refuse_word(p, word);
    if (word[0] == '@')
        parse_file_of_items(p, word);
    else if (!parse_argument(p, word) && !take_file(p, word))
        refuse_word(p, word);
}

static void parse_items(const Parse *p, const Items *items, const Origin *origin)
{
    const Origin *outer = p->c->origin;

    for (int i = 0; i < items->len; i++) {
        const Item *item = &items->at[i];
        Origin *here = NEW(p->c->arena, Origin); /* arguments keep it */

        *here = *origin;
        here->line = item->line;
        p->c->origin = here;
        if (item->words[0][0] == '-')
            parse_option(p, item->words, item->n);
        else
            parse_word(p, item->words[0]);
    }
    p->c->origin = outer;
}

/* A command line without a grid and arguments means the one call that the file names, if there is
 * one: the kernel's, where that is named. */
static void take_only_call(const Parse *p)
{
    const NamedCall *only = NULL;

    if (!(p->command & (COMMAND_RUN | COMMAND_DEBUG | COMMAND_REPORT)) || !p->o->file ||
        p->o->grid || p->o->args.len > 0 || p->o->known ||
        os_entry(p->o->file).kind != OS_FILE) /* what cannot be read is said by who needs it */
        return;
    const NamedCalls *all = calls_of_file(p->c, p->o->file);
    for (int i = 0; i < all->len; i++) {
        const NamedCall *call = &all->at[i];

        if (p->o->kernel && (!call->kernel || strcmp(call->kernel, p->o->kernel) != 0))
            continue;
        if (only)
            return;
        only = call;
    }
    if (only && !only->problem) {
        p->o->known = all;
        parse_named_call(p, only);
    }
}

Options options_parse(Client *c, const OptionsHost *host, Command command, int argc, char **argv)
{
    Options o = {0};
    const Parse p = {c, host, command, &o, (const char *const *)argv, argc};
    bool options = true; /* no `--` yet */

    for (int i = 0; i < argc;) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
            i++;
        } else if (options && is_option(argv[i])) {
            i += parse_option(&p, p.words + i, argc - i);
        } else {
            parse_word(&p, argv[i]);
            i++;
        }
    }
    if (command != COMMAND_DEVICES && !o.file && !o.dap)
        client_stop(c, CLIENT_USAGE, "which kernel? FILE.py[:KERNEL] is missing");
    take_only_call(&p);
    return o;
}

/* Of `tilec test`: does `tilec run` of one call want this word, too? */
static bool is_wanted_again(const char *word)
{
    static const char *const own[] = {"--", "--call", "--device", "--json"};
    size_t n = strcspn(word, "=");

    for (int i = 0; i < COUNT(own); i++) {
        if (strlen(own[i]) == n && strncmp(own[i], word, n) == 0)
            return false;
    }
    return is_option(word) || is_argument(word);
}

const char *options_again(Client *c, int argc, char **argv)
{
    const char *const *words = (const char *const *)argv;
    Text t = text_new(c->arena);

    text_put(&t, "");
    for (int i = 0, n; i < argc; i += n) {
        n = words_of_item(words + i, argc - i);
        for (int k = 0; k < n && is_wanted_again(words[i]); k++)
            text_printf(&t, " %s", shell_word(c->arena, words[i + k]));
    }
    return t.s;
}
