/*
 * options.c - the command line of tilec-inspect: one table, the help text and the readers of values
 */
#include "inspect.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: tilec-inspect IMAGES... --template FILE -o OUT [OPTION...]\n"
    "\n"
    "Finds a template in grey images, shifts and crops them so that it lies where it should, and\n"
    "looks for defects in what is left.  IMAGES are PNG and PGM files, folders of such, and .npy\n"
    "stacks [images, H, W], of u8 or u16.  OUT becomes a folder:\n"
    "  images.csv    image,status,dy,dx,score,defects,area\n"
    "  defects.csv   image,defect,area,top,left,bottom,right,peak\n"
    "  defects/      for each image that has any a picture of its defects\n"
    "  sheet.png     the images with the most defective pixels, in one\n"
    "\n"
    "  -t, --template FILE   what is looked for in each image, of the images' type\n"
    "  -o, --out OUT         the folder; it must be new or empty\n"
    "      --replace         .. or hold what an earlier run wrote, which is then replaced\n"
    "      --op NAME         blackhat (dark spots), tophat (bright ones), gradient, erode, "
    "dilate,\n"
    "                        open, close; default: blackhat\n"
    "      --element SHAPE   rect:N, rect:HxW, cross:N, ellipse:N (or HxW): the neighbourhood of "
    "the\n"
    "                        operation, wider than the defects; default: rect:15\n"
    "      --threshold N     pixels above it are defective; default: 32, of u16 8224\n"
    "      --crop N          what is left of each image, N or HxW; default: seven eighths of it\n"
    "      --search N        look N pixels to each side; default: as far as the crop stays in the\n"
    "                        image\n"
    "      --at Y,X          where the template's first pixel is in an image that needs no shift;\n"
    "                        default: so that the template lies in the middle\n"
    "      --min-score S     a template that is found with no more than S, of -1 to 1, is not "
    "found;\n"
    "                        default: 0\n"
    "      --batch N         images of one launch\n"
    "      --threads N       threads; default: one a CPU\n"
    "      --memory SIZE     bytes of pixels in hand at once (K, M, G); default: 1G\n"
    "      --device NAME     cpu, cuda, sim, interp; default: cpu\n"
    "  -q, --quiet           no progress and no last line\n"
    "      --help, --version\n"
    "\n"
    "Exit code: 0 all images are inspected; 1 some are not, which images.csv and stderr say; 2 "
    "the\n"
    "command line is wrong; 3 a file could not be read or written.  docs/inspect.md says more.\n";

__attribute__((noreturn, format(printf, 1, 2))) static void wrong(const char *fmt, ...)
{
    va_list args;

    fputs("tilec-inspect: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputs("\n", stderr);
    exit(EXIT_USAGE);
}

/* --- values --- */

static int64_t take_number(const char *option, const char *text, int64_t least, int64_t most)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        wrong("--%s %s: a whole number from %lld to %lld is wanted", option, text, (long long)least,
              (long long)most);
    return value;
}

/* "224" or "224x200" */
static Extent take_extent(const char *option, const char *text)
{
    int height = 0, width = 0, n = 0;
    const bool one = sscanf(text, "%d%n", &height, &n) == 1 && !text[n];

    if (one)
        width = height;
    else if (sscanf(text, "%dx%d%n", &height, &width, &n) != 2 || text[n])
        height = 0;
    if (height < 1 || width < 1 || !isdigit((unsigned char)*text))
        wrong("--%s %s: N or HxW is wanted, in pixels", option, text);
    return (Extent){height, width};
}

static void take_element(Options *o, const char *text)
{
    static const char *const kinds[] = {"rect", "cross", "ellipse"};

    for (int i = 0; i < 3; i++) {
        const size_t n = strlen(kinds[i]);

        if (strncmp(text, kinds[i], n) != 0 || text[n] != ':')
            continue;
        o->element = (ElementKind)i;
        o->element_size = take_extent("element", text + n + 1);
        if (o->element_size.height > 1023 || o->element_size.width > 1023)
            wrong("--element %s: up to 1023 pixels", text);
        return;
    }
    wrong("--element %s: rect:N, cross:N and ellipse:N are elements, and HxW sizes", text);
}

/* With or without a hyphen, as black-hat. */
static const char *take_op(const char *text)
{
    static const char *const ops[] = {"blackhat", "tophat", "gradient", "erode",
                                      "dilate",   "open",   "close",    NULL};
    char name[16];
    size_t n = 0;

    for (const char *p = text; *p && n + 1 < sizeof name; p++) {
        if (*p != '-')
            name[n++] = *p;
    }
    name[n] = '\0';
    for (const char *const *op = ops; *op; op++) {
        if (strcmp(*op, name) == 0)
            return *op;
    }
    wrong("--op %s: blackhat, tophat, gradient, erode, dilate, open and close are operations",
          text);
}

static void take_place(Options *o, const char *text)
{
    int n = 0;

    if (sscanf(text, "%d,%d%n", &o->place[0], &o->place[1], &n) != 2 || text[n] ||
        o->place[0] < 0 || o->place[1] < 0)
        wrong("--at %s: Y,X is wanted, a row and a column of the image", text);
    o->has_place = true;
}

static double take_score(const char *text)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end || !(value >= -1 && value <= 1))
        wrong("--min-score %s: a number from -1 to 1 is wanted", text);
    return value;
}

static uint64_t take_size(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    const double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    if (end == text || (*end && (!unit || end[1])) || !(value > 0 && value < 1e6))
        wrong("--memory %s: a number of bytes is wanted, as 512M or 2G", text);
    return (uint64_t)(value * (double)(1ull << shift));
}

static const char *take_device(const char *text)
{
    static const char *const names[] = {"cpu", "cuda", "sim", "interp"};

    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) == 0)
            return names[i];
    }
    wrong("--device %s: cpu, cuda, sim and interp are devices", text);
}

/* --- options --- */

typedef enum {
    TEMPLATE,
    OUT,
    REPLACE,
    OP,
    ELEMENT,
    THRESHOLD,
    CROP,
    SEARCH,
    AT,
    MIN_SCORE,
    BATCH,
    THREADS,
    MEMORY,
    DEVICE,
    QUIET,
    HELP,
    VERSION
} OptionId;
static const struct {
    const char *name;
    char letter; /* 0: none */
    bool has_value;
} options[] = {
    [TEMPLATE] = {"template", 't', true},
    [OUT] = {"out", 'o', true},
    [REPLACE] = {"replace", 0, false},
    [OP] = {"op", 0, true},
    [ELEMENT] = {"element", 0, true},
    [THRESHOLD] = {"threshold", 0, true},
    [CROP] = {"crop", 0, true},
    [SEARCH] = {"search", 0, true},
    [AT] = {"at", 0, true},
    [MIN_SCORE] = {"min-score", 0, true},
    [BATCH] = {"batch", 0, true},
    [THREADS] = {"threads", 0, true},
    [MEMORY] = {"memory", 0, true},
    [DEVICE] = {"device", 0, true},
    [QUIET] = {"quiet", 'q', false},
    [HELP] = {"help", 'h', false},
    [VERSION] = {"version", 0, false},
};
enum { NOPTIONS = sizeof options / sizeof *options };

/* Which option a word is; its value, of "--name=value" and "-ovalue", or NULL. */
static OptionId find_option(const char *word, const char **value)
{
    const bool is_long = word[1] == '-';
    const size_t n = is_long ? strcspn(word + 2, "=") : 0;

    *value = NULL;
    for (int i = 0; i < NOPTIONS; i++) {
        if (is_long && strlen(options[i].name) == n && strncmp(options[i].name, word + 2, n) == 0) {
            *value = word[2 + n] ? word + 3 + n : NULL;
            return (OptionId)i;
        }
        if (!is_long && options[i].letter == word[1]) {
            *value = word[2] ? word + 2 : NULL;
            return (OptionId)i;
        }
    }
    wrong("%s: no such option; tilec-inspect --help lists them", word);
}

__attribute__((noreturn)) static void show(const char *text)
{
    fputs(text, stdout);
    exit(fflush(stdout) == 0 ? EXIT_DONE : EXIT_FILES);
}

static void set_option(Options *o, OptionId id, const char *value)
{
    switch (id) {
    case TEMPLATE:
        o->template_path = value;
        break;
    case OUT:
        o->out = value;
        break;
    case REPLACE:
        o->replace = true;
        break;
    case OP:
        o->op = take_op(value);
        break;
    case ELEMENT:
        take_element(o, value);
        break;
    case THRESHOLD:
        o->threshold = take_number("threshold", value, 0, 65535);
        break;
    case CROP:
        o->crop = take_extent("crop", value);
        break;
    case SEARCH:
        o->search = (int)take_number("search", value, 0, 1 << 20);
        break;
    case AT:
        take_place(o, value);
        break;
    case MIN_SCORE:
        o->least_score = take_score(value);
        break;
    case BATCH:
        o->batch = (int)take_number("batch", value, 1, 1 << 16);
        break;
    case THREADS:
        o->threads = (int)take_number("threads", value, 1, 1024);
        break;
    case MEMORY:
        o->memory = take_size(value);
        break;
    case DEVICE:
        o->device = take_device(value);
        break;
    case QUIET:
        o->quiet = true;
        break;
    case HELP:
        show(help);
    case VERSION:
        show("tilec-inspect " TILEC_VERSION "\n");
    }
}

static void check_all_there(const Options *o)
{
    if (!o->nimages)
        wrong(
            "no images: name PNG or PGM files, .npy stacks, or folders of them; --help says more");
    if (!o->template_path)
        wrong("--template FILE is missing: the image of what is looked for");
    if (!o->out)
        wrong("-o OUT is missing: the folder that the results go to");
}

void options_read(Options *o, int argc, char **argv)
{
    bool only_images = false;

    *o = (Options){.op = "blackhat",
                   .element_size = {15, 15},
                   .threshold = -1,
                   .search = -1,
                   .memory = 1ull << 30,
                   .device = "cpu"};
    o->images = more(NULL, (size_t)argc * sizeof *o->images);
    for (int i = 1; i < argc; i++) {
        const char *value;
        OptionId id;

        if (only_images || argv[i][0] != '-' || !argv[i][1]) {
            o->images[o->nimages++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_images = true;
            continue;
        }
        id = find_option(argv[i], &value);
        if (value && !options[id].has_value)
            wrong("%s: the option takes no value", argv[i]);
        if (!value && options[id].has_value && !(value = argv[++i]))
            wrong("--%s: its value is missing", options[id].name);
        set_option(o, id, value);
    }
    check_all_there(o);
}
