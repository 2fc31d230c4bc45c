/*
 * write.c - a launch as a file that `tilec run` takes, and Triton with PyTorch
 *
 * The arguments stand in it once, in the comment that names the call: they are words of Python,
 * which its last function evaluates for a launch of Python's.
 */
#include <math.h>
#include <string.h>

#include "inside.h"

/* What arguments call, each as a function of Python's over PyTorch. */
static const struct {
    const char *name; /* as it is called in words */
    const char *text;
} makers[] = {
    {"data(", "    def data(dtype, shape, text):\n"
              "        bytes = bytearray(base64.b64decode(text))\n"
              "        return torch.frombuffer(bytes, dtype=dtype).reshape(shape).to(device)\n"},
    {"full(", "    def full(dtype, shape, value):\n"
              "        return torch.full(shape, value, dtype=dtype, device=device)\n"},
    {"zeros(", "    def zeros(dtype, shape):\n"
               "        return torch.zeros(shape, dtype=dtype, device=device)\n"},
    {"empty(",
     "    def empty(dtype, shape):  # easy to see where nobody writes\n"
     "        value = nan if dtype.is_floating_point else 1 if dtype == torch.bool else -1\n"
     "        return torch.full(shape, value, device=device).to(dtype)\n"},
    {"arange(",
     "    def arange(dtype, shape):\n"
     "        return torch.arange(math.prod(shape), device=device).to(dtype).reshape(shape)\n"},
    {"", /* those that are random */
     "    def shifted(z, n):\n"
     "        return (z >> n) & ((1 << (64 - n)) - 1)\n"
     "\n"
     "    def bits(seed, n):  # SplitMix64, as tilec has it\n"
     "        z = seed + (torch.arange(n, device=device) + 1) * -0x61c8864680b583eb\n"
     "        z = (z ^ shifted(z, 30)) * -0x40a7b892e31b1a47\n"
     "        z = (z ^ shifted(z, 27)) * -0x6b2fb644ecceee15\n"
     "        return z ^ shifted(z, 31)\n"},
    {"rand(", "    def rand(dtype, shape, seed):\n"
              "        digits = 53 if dtype == torch.float64 else 24\n"
              "        z = shifted(bits(seed, math.prod(shape)), 64 - digits)\n"
              "        return (z.to(torch.float64) / 2**digits).to(dtype).reshape(shape)\n"},
    {"randn(",
     "    def randn(dtype, shape, seed):\n"
     "        z = bits(seed, 3 * math.prod(shape)).reshape(-1, 3)\n"
     "        total = sum((shifted(z, part) & 0xffff).sum(1) for part in (0, 16, 32, 48))\n"
     "        return ((2 * total + 12 - 12 * 65536) / 131072.0).to(dtype).reshape(shape)\n"},
    {"randint(",
     "    def randint(dtype, shape, low, high, seed):\n"
     "        z, count = bits(seed, math.prod(shape)), high - low\n"
     "        middle = shifted(z, 32) * (count & 0xffffffff) + shifted((z & 0xffffffff) * (count & "
     "0xffffffff), 32)\n"
     "        other = (middle & 0xffffffff) + (z & 0xffffffff) * (count >> 32)\n"
     "        top = shifted(z, 32) * (count >> 32) + shifted(middle, 32) + shifted(other, 32)\n"
     "        return (low + top).to(dtype).reshape(shape)\n"},
    {"strided(",
     "    def strided(x, shape, strides, first):\n"
     "        return torch.as_strided(x, shape, strides, x.storage_offset() + first)\n"},
    {"descriptor(", "    def descriptor(x, shape, padding=\"zero\"):\n"
                    "        from triton.tools.tensor_descriptor import TensorDescriptor\n"
                    "        return TensorDescriptor.from_tensor(x, list(shape), padding)\n"},
};

/* What PyTorch calls them; "": it has none. */
static const char *torch_name(DType t)
{
    switch (t) {
    case DT_I1:
        return "bool";
    case DT_FP8E4NV:
        return "float8_e4m3fn";
    case DT_FP8E5:
        return "float8_e5m2";
    case DT_FP8E4B8:
        return "float8_e4m3fnuz";
    case DT_FP8E5B16:
        return "float8_e5m2fnuz";
    case DT_FP8E4B15:
        return "";
    default:
        return dtype_long_name(t);
    }
}

/* --- arguments --- */

typedef struct {
    const ReproLaunch *launch;
    Uses uses;
    DataWriter data;
} Writer;

static bool put_value(Writer *w, const tilec_arg *a, const char *name, Text *out);

static bool put_tuple(Writer *w, const tilec_arg *a, const char *name, Text *out)
{
    bool is_named = a->nitems > 0 && a->items[0].name;

    text_put(out, is_named ? "{" : "(");
    for (int i = 0; i < a->nitems; i++) {
        const char *field = a->items[i].name;

        if (is_named)
            text_printf(out, "'%s':", field);
        if (!put_value(w, &a->items[i],
                       is_named ? arena_printf(w->uses.arena, "%s['%s']", name, field)
                                : arena_printf(w->uses.arena, "%s[%d]", name, i),
                       out))
            return false;
        text_put(out, i + 1 < a->nitems || (a->nitems == 1 && !is_named) ? "," : "");
    }
    text_put(out, is_named ? "}" : ")");
    return true;
}

static void put_descriptor(Writer *w, const tilec_arg *a, const char *name, Text *out)
{
    text_put(out, "descriptor(");
    data_put(&w->data, &a->tensor, name, out);
    text_put(out, ",(");
    for (int i = 0; i < a->nitems; i++)
        text_printf(out, "%lld,", (long long)a->items[i].integer);
    text_printf(out, ")%s)", a->integer ? ",padding='nan'" : "");
}

/* One of the file, or of the language. */
static bool put_function(Writer *w, const tilec_arg *a, Text *out)
{
    static const char language[] = "triton.language.";
    const Part *part = uses_add_function(&w->uses, a->text);
    Const known;

    if (part) {
        text_put(out, part->name ? part->name : part->wish);
        return true;
    }
    if (front_function(w->launch->file, a->text, &known) && known.kind == CONST_STRING &&
        strncmp(known.text, language, strlen(language)) == 0)
        text_printf(out, "tl.%s", known.text + strlen(language));
    else
        text_put(out, a->text);
    return true;
}

static bool put_value(Writer *w, const tilec_arg *a, const char *name, Text *out)
{
    Arena *arena = w->uses.arena;
    Const c;

    switch (a->kind) {
    case TILEC_ARG_TENSOR:
        data_put(&w->data, &a->tensor, name, out);
        return true;
    case TILEC_ARG_INT:
        text_printf(out, "%lld", (long long)a->integer);
        return true;
    case TILEC_ARG_UINT:
        text_printf(out, "%llu", (unsigned long long)a->uinteger);
        return true;
    case TILEC_ARG_FLOAT:
        c = const_float(a->real);
        text_put(out, const_text(&c, arena));
        return true;
    case TILEC_ARG_BOOL:
        text_put(out, a->integer ? "True" : "False");
        return true;
    case TILEC_ARG_NONE:
        text_put(out, "None");
        return true;
    case TILEC_ARG_STRING:
        c = const_string(a->text, strlen(a->text));
        text_put(out, const_text(&c, arena));
        return true;
    case TILEC_ARG_DTYPE:
        text_printf(out, "tl.%s", dtype_long_name((DType)a->dtype));
        return true;
    case TILEC_ARG_TUPLE:
        return put_tuple(w, a, name, out);
    case TILEC_ARG_CONSTEXPR:
        return put_value(w, a->items, name, out);
    case TILEC_ARG_FUNCTION:
        return put_function(w, a, out);
    case TILEC_ARG_DESCRIPTOR:
        put_descriptor(w, a, name, out);
        return true;
    case TILEC_ARG_TYPE:
    case TILEC_ARG_OBJECT:
        break;
    }
    diag(w->uses.diags, DIAG_ERROR, (Span){0},
         "the argument `%s` is nothing that can be written to a file", name);
    return false;
}

static void add_tensors(DataWriter *w, const tilec_arg *args, int n)
{
    for (int i = 0; i < n; i++) {
        if (args[i].kind == TILEC_ARG_TENSOR || args[i].kind == TILEC_ARG_DESCRIPTOR)
            vec_push(w->arena, &w->all, &args[i].tensor);
        if (args[i].kind == TILEC_ARG_TUPLE)
            add_tensors(w, args[i].items, args[i].nitems);
    }
}

static void add_unread(DataWriter *w, const ReproLaunch *l)
{
    for (int i = 0; l->unread && i < l->nargs; i++) {
        if (l->unread[i])
            vec_push(w->arena, &w->unread, &l->args[i].tensor);
    }
}

/* The lines of the call, as a comment. */
static bool put_call(Writer *w, const Part *kernel, Text *out)
{
    const ReproLaunch *l = w->launch;

    text_printf(out, "# tilec: call %s:repro --grid %d,%d,%d", kernel->name, l->grid[0], l->grid[1],
                l->grid[2]);
    if (l->num_warps > 0)
        text_printf(out, " --num-warps %d", l->num_warps);
    if (l->num_stages > 0)
        text_printf(out, " --num-stages %d", l->num_stages);
    text_put(out, "\n");
    for (int i = 0; i < l->nargs; i++) {
        text_printf(out, "#     %s=", l->args[i].name);
        if (!put_value(w, &l->args[i], l->args[i].name, out))
            return false;
        text_put(out, "\n");
    }
    return true;
}

/* --- the launch of Python's --- */

static void put_dtypes(const char *call, Text *out)
{
    const char *comma = "";

    text_put(out, "    dtypes = {");
    for (int t = DT_I1; t <= DT_FP64; t++) {
        const char *name = dtype_name((DType)t), *torch = torch_name((DType)t);

        if (!*torch || (!strstr(call, arena_printf(out->arena, "(%s,", name)) &&
                        !strstr(call, arena_printf(out->arena, ".to(%s)", name))))
            continue;
        text_printf(out, "%s\"%s\": torch.%s", comma, name, torch);
        comma = ", ";
    }
    text_put(out, "}\n");
}

static void put_launch(const Writer *w, const Part *kernel, const char *call, Text *out)
{
    const ReproLaunch *l = w->launch;
    bool has_random = strstr(call, "rand") != NULL;

    text_put(out, "\n\ndef launch():\n"
                  "    \"\"\"The call above, by PyTorch; gives its arguments behind it.\"\"\"\n"
                  "    import base64, math, re\n"
                  "    import torch\n"
                  "\n"
                  "    device = \"cuda\" if torch.cuda.is_available() else \"cpu\"\n"
                  "    nan, inf = math.nan, math.inf\n");
    put_dtypes(call, out);
    for (int i = 0; i < COUNT(makers); i++) {
        if (*makers[i].name ? strstr(call, makers[i].name) != NULL : has_random)
            text_printf(out, "\n%s", makers[i].text);
    }
    text_printf(out,
                "\n"
                "    known, args = {**globals(), **dtypes, **locals()}, {}\n"
                "    for line in open(__file__):\n"
                "        word = re.match(r\"#     (\\w+)=(.*)\", line)\n"
                "        if word:\n"
                "            args[word[1]] = eval(word[2], {**known, **args})\n"
                "    %s[%d, %d, %d](**args",
                kernel->name, l->grid[0], l->grid[1], l->grid[2]);
    if (l->num_warps > 0)
        text_printf(out, ", num_warps=%d", l->num_warps);
    if (l->num_stages > 0)
        text_printf(out, ", num_stages=%d", l->num_stages);
    text_put(out, ")\n"
                  "    return args\n"
                  "\n\n"
                  "if __name__ == \"__main__\":\n"
                  "    for name, value in launch().items():\n"
                  "        print(name, value, sep=\" = \")\n");
}

const char *repro_text(const ReproLaunch *l, Arena *a, Diags *d)
{
    Writer w = {.launch = l,
                .uses = {.arena = a,
                         .interner = l->file->interner,
                         .diags = d,
                         .file = l->file,
                         .known = map_new(a)},
                .data = {.arena = a, .notes = text_new(a)}};
    Text out = text_new(a), call = text_new(a);
    Sym tl = intern(l->file->interner, "tl"), triton = intern(l->file->interner, "triton");
    const Part *kernel;

    uses_add_import(&w.uses, "triton", triton)->name = triton;
    uses_add_import(&w.uses, "triton.language", tl)->name = tl;
    kernel = uses_add_function(&w.uses, l->kernel);
    if (!kernel || w.uses.failed)
        return NULL;
    for (int i = 0; i < l->nargs; i++) {
        if (l->args[i].kind == TILEC_ARG_FUNCTION)
            uses_add_function(&w.uses, l->args[i].text);
    }
    cut_name(&w.uses);
    add_tensors(&w.data, l->args, l->nargs);
    add_unread(&w.data, l);
    text_put(&w.data.notes, "");
    if (!put_call(&w, kernel, &call))
        return NULL;
    text_printf(
        &out,
        "# A launch of %s with all that it needs: `tilec run FILE` makes it, and so does\n"
        "# `python FILE` with Triton and PyTorch, or `python -m tilec FILE` without a GPU.\n"
        "%s\n",
        l->kernel, w.data.notes.s);
    cut_put(&w.uses, &out);
    text_printf(&out, "\n\n%s", call.s);
    put_launch(&w, kernel, call.s, &out);
    return out.s;
}
