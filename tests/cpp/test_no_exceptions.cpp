/*
 * test_no_exceptions.cpp - tilec.hpp under -fno-exceptions: failures go to a function
 *
 * Compiled and run by tests/cli/headers.sh, also without run-time types.  Exits with 1 and the line
 * of the first thing that is wrong.  With an argument it fails before a handler is set.
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tilec.hpp>
#include <vector>

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                                 \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

static_assert(!TILEC_EXCEPTIONS);

static const char source[] = "import triton\nimport triton.language as tl\n\n"
                             "@triton.jit\n"
                             "def fill(x, n, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    tl.store(x + i, 1.0, mask=i < n)\n";

static tilec_status last = TILEC_OK;
static std::string text;
static int failures = 0;

static void remember(const tilec::error &e)
{
    last = e.status();
    text = e.what();
    failures++;
}

/* The status of what failed since this was last asked. */
static tilec_status told()
{
    const tilec_status status = last;

    last = TILEC_OK;
    return status;
}

/* What failed to be made is empty: more calls of it fail, and none ends the program. */
static void test_empty_objects()
{
    const tilec::context context;
    std::vector<float> x(4);

    const tilec::file file = context.load("/nowhere/x.py");
    CHECK(told() == TILEC_IO && text == "error: /nowhere/x.py: No such file or directory; there is no folder '/nowhere'");
    CHECK(!file.get() && file.kernels().empty());
    const tilec::kernel k = file["fill"];
    k(tilec::grid(1), x, 4, 4);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    CHECK(k.dump("ir", x, 4, 4).empty() && told() == TILEC_BAD_ARGUMENT);
    CHECK(k.stats(tilec::grid(1), x, 4, 4).bytes <= 0 && told() == TILEC_BAD_ARGUMENT);

    auto there = context.array<float>(4, "cpu");
    CHECK(told() == TILEC_BAD_ARGUMENT && there.size() == 0);
    there.copy_from(x.data(), 4);
    CHECK(told() == TILEC_BAD_ARGUMENT && text.find("more elements than it has") == 21);
    auto too_many = context.array<double>(SIZE_MAX / 2, "cpu");
    CHECK(told() == TILEC_NO_MEMORY && too_many.size() == 0);
}

/* A view that reaches too far does so in no launch. */
static void test_views(const tilec::kernel &fill)
{
    std::vector<float> x(4);

    const auto wide = tilec::view(x, 2, 4);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    fill(tilec::grid(1), wide, 8, 8);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    const auto strided = tilec::view(x).strided(2);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    fill(tilec::grid(1), strided, 4, 4);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    const auto doubles = tilec::view(x).as(TILEC_FP64);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    fill(tilec::grid(1), doubles, 4, 4);
    CHECK(told() == TILEC_BAD_ARGUMENT);
    fill(tilec::grid(1), tilec::view(x).as(TILEC_I32), 4, 4);
    CHECK(told() == TILEC_OK);
}

int main(int argc, char **)
{
    if (argc > 1)
        tilec::context().load("/nowhere/x.py");
    CHECK(tilec::set_error_handler(remember) == tilec::terminate_with_text);

    const tilec::context context;
    const tilec::file file = context.load_text(source, "test.py");
    tilec::options o;
    o.device = "interp";
    int heard = 0;
    o.on_message = [&](const char *) { heard++; };
    const tilec::kernel fill = file["fill"].with(o);
    std::vector<float> x(4);

    fill(tilec::grid(1), x, 3, 4);
    CHECK(failures == 0 && x[2] == 1.0f && x[3] == 0.0f);
    fill(tilec::grid(0), x, 3, 4);
    CHECK(failures == 0 && heard == 1);
    fill(tilec::grid(1), x);
    CHECK(told() == TILEC_REFUSED && text.find("`n`") != std::string::npos);
    test_empty_objects();
    test_views(fill);
    CHECK(tilec::set_error_handler(nullptr) == remember);
    CHECK(tilec::set_error_handler(remember) == tilec::terminate_with_text);
    std::puts("all is well");
    return 0;
}
