/*
 * test_hpp.cpp - tilec.hpp: types, views, launches, exceptions, options
 *
 * Compiled and run by tests/cli/headers.sh with every compiler that there is, as C++17 and C++20.
 * Exits with 1 and the line of the first thing that is wrong.
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tilec.hpp>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                                 \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

namespace mine
{
struct half {
    std::uint16_t bits;
};
} // namespace mine
template <> struct tilec::dtype_of<mine::half> : tilec::dtype_constant<TILEC_FP16> {
};

static_assert(tilec::dtype_of<std::int8_t>::value == TILEC_I8);
static_assert(tilec::dtype_of<unsigned char>::value == TILEC_U8);
static_assert(tilec::dtype_of<short>::value == TILEC_I16);
static_assert(tilec::dtype_of<std::uint16_t>::value == TILEC_U16);
static_assert(tilec::dtype_of<int>::value == TILEC_I32);
static_assert(tilec::dtype_of<std::uint32_t>::value == TILEC_U32);
static_assert(tilec::dtype_of<std::int64_t>::value == TILEC_I64);
static_assert(tilec::dtype_of<unsigned long long>::value == TILEC_U64);
static_assert(tilec::dtype_of<bool>::value == TILEC_I1);
static_assert(tilec::dtype_of<tilec::bf16>::value == TILEC_BF16);
static_assert(tilec::dtype_of<mine::half>::value == TILEC_FP16);
static_assert(tilec::cdiv(10, 4) == 3 && tilec::cdiv(std::size_t(8), 4) == 2);
static_assert(tilec::cdiv(8, 0) == -1 && tilec::cdiv(8, -2) == -1);
static_assert(!std::is_copy_constructible_v<tilec::context>);
static_assert(!std::is_copy_constructible_v<tilec::file>);
static_assert(std::is_nothrow_move_constructible_v<tilec::file>);

static const char source[] =
    "import triton\nimport triton.language as tl\n\n"
    "@triton.jit\n"
    "def add(x, y, out, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    m = i < n\n"
    "    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)\n"
    "\n"
    "@triton.jit\n"
    "def transpose(x, out, rs, cs, R: tl.constexpr, C: tl.constexpr):\n"
    "    r = tl.arange(0, R)[:, None]\n"
    "    c = tl.arange(0, C)[None, :]\n"
    "    tl.store(out + c * R + r, tl.load(x + r * rs + c * cs))\n"
    "\n"
    "@triton.jit\n"
    "def talk(x, what: tl.constexpr, t: tl.constexpr, flag, none):\n"
    "    tl.static_assert(what == 'word')\n"
    "    tl.static_assert(t == tl.float16)\n"
    "    tl.static_assert(none is None)\n"
    "    if flag:\n"
    "        print('value', tl.load(x))\n"
    "    tl.device_assert(tl.load(x) < 7, 'too large')\n"
    "\n"
    "@triton.jit\n"
    "def slow(x, n):\n"
    "    for i in range(n):\n"
    "        tl.atomic_add(x, 1)\n";

static tilec::options on_interp()
{
    tilec::options o;
    o.device = "interp";
    return o;
}

static tilec_status status_of(const std::function<void()> &f, std::string *text = nullptr)
{
    try {
        f();
    } catch (const tilec::error &e) {
        if (text)
            *text = e.what();
        return e.status();
    }
    return TILEC_OK;
}

static void test_views()
{
    std::vector<float> v(6);
    const std::vector<float> &constant = v;
    std::array<int, 3> a{};
    double c[4] = {};
    std::size_t columns = 3;

    const auto whole = tilec::view(v);
    CHECK(whole.tensor().ndim == 1 && whole.tensor().shape[0] == 6);
    CHECK(whole.tensor().data == v.data() && !whole.tensor().read_only);
    const auto fixed = tilec::view(constant);
    CHECK(fixed.tensor().read_only);
    const auto table = tilec::view(v.data(), 2, columns);
    CHECK(table.tensor().ndim == 2 && table.tensor().shape[1] == 3 && !table.tensor().strides);
    const auto turned = table.strided(1, 2);
    CHECK(turned.tensor().strides[1] == 2);
    const auto integers = tilec::view(a);
    CHECK(integers.tensor().dtype == TILEC_I32 && integers.tensor().shape[0] == 3);
    const auto reals = tilec::view(c);
    CHECK(reals.tensor().dtype == TILEC_FP64 && reals.tensor().shape[0] == 4);
    std::vector<std::uint16_t> words(4);
    const auto halves = tilec::view(words).as(TILEC_BF16);
    CHECK(halves.tensor().dtype == TILEC_BF16);
    CHECK(status_of([&] { tilec::view(words).as(TILEC_FP32); }) == TILEC_BAD_ARGUMENT);
    CHECK(status_of([&] { tilec::view(v, 2, 4); }) == TILEC_BAD_ARGUMENT);
    CHECK(status_of([&] { tilec::view(v, -2, -3); }) == TILEC_BAD_ARGUMENT);
    CHECK(status_of([&] { tilec::view(v, 2, 3); }) == TILEC_OK);
    CHECK(status_of([&] { tilec::view(v, 20, 0); }) == TILEC_OK);
    std::string text;
    CHECK(status_of([&] { tilec::view(v, -1, 10); }, &text) == TILEC_BAD_ARGUMENT);
    CHECK(text.find("an extent is negative") != std::string::npos);
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(status_of([&] { tilec::view(v, huge, huge); }) == TILEC_BAD_ARGUMENT);
    CHECK(status_of([&] { tilec::view(v, huge, 0, huge); }) == TILEC_OK);
    /* strides stay in what a container has; those of a pointer are the caller's */
    CHECK(status_of([&] { tilec::view(v, 2, 2).strided(3, 2); }) == TILEC_OK);
    CHECK(status_of([&] { tilec::view(v, 2, 2).strided(4, 2); }, &text) == TILEC_BAD_ARGUMENT);
    CHECK(text.find("fewer elements") != std::string::npos);
    CHECK(status_of([&] { tilec::view(v, 2, 3).strided(huge, huge); }) == TILEC_BAD_ARGUMENT);
    CHECK(status_of([&] { tilec::view(v, 1, 6).strided(huge, 1); }) == TILEC_OK);
    CHECK(status_of([&] { tilec::view(v, 6).strided(0); }) == TILEC_OK);
    CHECK(status_of([&] { tilec::view(v, 0, 6).strided(huge, huge); }) == TILEC_OK);
    CHECK(status_of([&] { tilec::view(v, 6).strided(-1); }, &text) == TILEC_BAD_ARGUMENT);
    CHECK(text.find("in front of") != std::string::npos);
    CHECK(status_of([&] { tilec::view(v.data() + 5, 6).strided(-1); }) == TILEC_OK);
#if __cplusplus >= 202002L
    const auto part = tilec::view(std::span<float>(v).subspan(2, 3));
    CHECK(part.tensor().data == v.data() + 2 && part.tensor().shape[0] == 3);
#endif
    CHECK(tilec::grid(4).data()[1] == 1 && tilec::grid(4, 5u, 6L).data()[2] == 6);
    CHECK(tilec::grid(std::int64_t(5000000000)).data()[0] == -1);
    CHECK(tilec::grid(std::size_t(5000000000)).data()[0] == -1);
}

static void test_launches(const tilec::file &file, const tilec::options &o)
{
    const int n = 10;
    std::vector<float> x(n, 1.5f), out(n);
    const std::vector<float> y(n, 2.0f);
    std::vector<int> a{0, 1, 2, 3, 4, 5, 6, 7}, b(6);

    const tilec::kernel add = file["add"].with(o);
    add(tilec::grid(tilec::cdiv(n, 4)), x, y, out, n, tilec::named("BLOCK", 4));
    for (float v : out)
        CHECK(v == 3.5f);
    /* every argument by name, in another order, an array as a view */
    add(tilec::grid(3), tilec::named("out", tilec::view(out)), tilec::named("BLOCK", 4),
        tilec::named("n", x.size()), tilec::named("y", x), tilec::named("x", x));
    CHECK(out[9] == 3.0f);
    file["transpose"].with(o)(tilec::grid(1), tilec::view(a.data(), 2, 3).strided(4, 1), b, 4, 1, 2,
                              3);
    CHECK((b == std::vector<int>{0, 4, 1, 5, 2, 6}));
    const tilec_stats s = add.stats(tilec::grid(3), x, y, out, n, 4);
    CHECK(s.bytes > 0);
    add.prepare(x, y, out, n, 4);
    CHECK(add.dump("ir", x, y, out, n, 4).find("store") != std::string::npos);
    CHECK((file.kernels() == std::vector<std::string>{"add", "transpose", "talk", "slow"}));
}

static void test_errors(const tilec::context &context, const tilec::file &file)
{
    std::vector<float> x(4);
    const std::vector<float> constant(4);
    std::string text;

    CHECK(status_of([&] { context.load("/nowhere/x.py"); }) == TILEC_IO);
    CHECK(status_of([&] { context.load_text("def f(", "bad.py"); }, &text) == TILEC_REFUSED);
    CHECK(text.find("bad.py") != std::string::npos && text.back() != '\n');
    CHECK(status_of([&] { file["ad"](tilec::grid(1), x); }, &text) == TILEC_NOT_FOUND);
    CHECK(text.find("did you mean `add`") != std::string::npos);
    CHECK(status_of([&] { file["add"](tilec::grid(1), x, x, constant, 4, 4); }, &text) ==
          TILEC_BAD_ARGUMENT);
    CHECK(text.find("`out`") != std::string::npos);
    CHECK(status_of([&] { file["add"](tilec::grid(-1), x, x, x, 4, 4); }) == TILEC_BAD_ARGUMENT);
    CHECK(status_of([&] { context.array<float>(4, "cpu"); }) == TILEC_BAD_ARGUMENT);
}

static void test_records(const tilec::file &file)
{
    std::vector<int> x{5};
    std::string heard, text;
    tilec::options o = on_interp();

    o.on_record = [&](const tilec_record &r) { heard += r.text; };
    const tilec::kernel talk = file["talk"].with(o);
    talk(tilec::grid(1), x, std::string_view("words").substr(0, 4), TILEC_FP16, true, nullptr);
    CHECK(heard.find("value") != std::string::npos && heard.find('5') != std::string::npos);
    x[0] = 8;
    CHECK(
        status_of([&] { talk(tilec::grid(1), x, std::string("word"), TILEC_FP16, false, nullptr); },
                  &text) == TILEC_FAULT);
    CHECK(text.find("too large") != std::string::npos);
    /* what a function throws comes out of the launch */
    o.on_record = [](const tilec_record &) { throw std::out_of_range("thrown in between"); };
    try {
        file["talk"].with(o)(tilec::grid(1), x, "word", TILEC_FP16, true, nullptr);
        CHECK(false);
    } catch (const std::out_of_range &e) {
        CHECK(std::string(e.what()) == "thrown in between");
    }
}

/* An endless kernel is stopped from the thread that is told of it, by its answer or by throwing. */
static void test_progress(const tilec::file &file)
{
    std::vector<int> x{0};
    tilec::options o;
    int asked = 0, spans = 0;

    o.on_progress = [&](const tilec_progress &p) {
        CHECK(p.programs == 1000000 && p.begun >= 0);
        return ++asked > 0; /* again, while programs that have begun end */
    };
    o.on_span = [&](const tilec_span &span) { spans += span.end >= span.start; };
    o.debug = TILEC_DEBUG_LINES;
    const auto slow = [&](const tilec::options &with) {
        file["slow"].with(with)(tilec::grid(1000000), x, 100000);
    };
    CHECK(status_of([&] { slow(o); }) == TILEC_CANCELLED);
    CHECK(asked > 0 && spans > 0);
    o.on_progress = [&](const tilec_progress &) -> bool { throw std::out_of_range("enough"); };
    try {
        slow(o);
        CHECK(false);
    } catch (const std::out_of_range &e) {
        CHECK(std::string(e.what()) == "enough");
    }
    const void *first = nullptr, *second = nullptr;
    tilec::options which;
    which.compiled = &first;
    file["slow"].with(which)(tilec::grid(1), x, 2);
    which.compiled = &second;
    file["slow"].with(which)(tilec::grid(1), x, 3);
    CHECK(first && first == second);
}

/* Objects keep what they stand on, in whatever order they end. */
static void test_lifetimes()
{
    std::vector<float> x(4, 1.0f), out(4);
    tilec_open_options cold{};
    cold.cache_folder = "";

    const auto add = tilec::context(cold).load_text(source, "test.py")["add"].with(on_interp());
    add(tilec::grid(1), x, x, out, 4, 4);
    CHECK(out[3] == 2.0f);
    tilec::context context(cold);
    tilec::file file = context.load_text(source, "test.py");
    context = tilec::context(cold);
    const tilec::kernel of_first = file["add"].with(on_interp());
    file = context.load_text(source, "again.py");
    of_first(tilec::grid(1), out, x, out, 4, 4);
    CHECK(out[3] == 3.0f);
    file["add"].with(on_interp())(tilec::grid(1), out, x, out, 4, 4);
    CHECK(out[3] == 4.0f);
}

static void test_counts(const tilec::file &file)
{
    std::vector<int> x{0};
    tilec::options o;
    std::uint64_t instructions = 0;

    o.device = "sim";
    o.on_count = [&](const tilec_count &c) { instructions += c.instructions; };
    file["slow"].with(o)(tilec::grid(1), x, 2);
    CHECK(instructions > 0);
}

int main()
{
    tilec_open_options o{};
    o.cache_folder = "";
    const tilec::context context(o);
    tilec::file first = context.load_text(source, "test.py");
    const tilec::file file = std::move(first);

    test_views();
    test_launches(file, on_interp());
    test_launches(file, {});
    test_errors(context, file);
    test_records(file);
    test_progress(file);
    test_lifetimes();
    test_counts(file);
    std::puts("all is well");
    return 0;
}
