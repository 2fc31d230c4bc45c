/*
 * tilec.hpp - tilec.h for C++17: objects that free themselves, exceptions, arguments by their types
 *
 *     tilec::context context;
 *     tilec::file file = context.load("add.py");
 *     std::vector<float> x(n), y(n), out(n);
 *     file["add_kernel"](tilec::grid(tilec::cdiv(n, 1024)), x, y, out, n, tilec::named("BLOCK",
 * 1024));
 *
 * A thin layer: each member calls one function of tilec.h, whose comments say what it does, and
 * turns a status into an exception of class tilec::error.  docs/cpp.md goes by task.
 *
 * Without exceptions (-fno-exceptions) a failure goes to the function that
 * tilec::set_error_handler() was given: see there.
 *
 * Lifetimes: objects keep what they stand on, a kernel its file, a file and a device_array their
 * context, so they may end in any order.  Moved-from objects may only be destroyed or assigned to.
 * Threads: as tilec.h says; objects here have no state of their own to be guarded.
 */
#ifndef TILEC_HPP
#define TILEC_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tilec.h>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/* 1: a failure is thrown. */
#if defined __cpp_exceptions
#define TILEC_EXCEPTIONS 1
#else
#define TILEC_EXCEPTIONS 0
#endif

namespace tilec
{
#if !TILEC_EXCEPTIONS
inline namespace without_exceptions /* so that a program may have files of both kinds */
{
#endif

/* --- errors --- */

/* What a call failed with: what() is the diagnostic text, as the command line prints it, without a
 * newline at its end. */
class error : public std::runtime_error
{
  public:
    error(tilec_status status, const std::string &text) : std::runtime_error(text), status_(status)
    {
    }
    tilec_status status() const noexcept { return status_; }

  private:
    tilec_status status_;
};

#if !TILEC_EXCEPTIONS
/*
 * What a failure is told to where nothing can be thrown.  If it returns, the call has done nothing:
 * an object that was to be made is empty, and calls of it fail too; a view that reaches too far is
 * refused by the launch that gets it; numbers and texts are 0 and "".
 */
using error_handler = void (*)(const error &);

/* The one that there is until another one is set: writes the text to stderr and ends the program by
 * std::terminate(). */
[[noreturn]] inline void terminate_with_text(const error &e) noexcept
{
    std::fprintf(stderr, "%s\n", e.what());
    std::terminate();
}

namespace detail
{
inline std::atomic<error_handler> &error_handler_now() noexcept
{
    static std::atomic<error_handler> handler{terminate_with_text};
    return handler;
}
} // namespace detail

/* Set the handler of the whole program; nullptr: terminate_with_text().  Gives the one before.  May
 * be called on any thread, as the handler is called on the one that failed. */
inline error_handler set_error_handler(error_handler handler) noexcept
{
    return detail::error_handler_now().exchange(handler ? handler : terminate_with_text);
}
#endif

namespace detail
{

#if TILEC_EXCEPTIONS
[[noreturn]] inline void fail(tilec_status status, const std::string &text)
{
    throw error(status, text);
}
#else
inline void fail(tilec_status status, const std::string &text)
{
    error_handler_now().load()(error(status, text));
}
#endif

struct freer {
    void operator()(char *text) const noexcept { tilec_free(text); }
};
using owned_text = std::unique_ptr<char, freer>;

inline void check(tilec_status status, char *message)
{
    owned_text owned(message);

    if (status == TILEC_OK)
        return;
    std::string text = message ? message : tilec_status_text(status);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    fail(status, text);
}

} // namespace detail

/* --- element types --- */

/* For element types that C++ may not have: their bits, to be computed with by somebody else. */
struct fp16 {
    std::uint16_t bits;
};
struct bf16 {
    std::uint16_t bits;
};

/*
 * dtype_of<T>::value is the tilec_dtype of arrays of T.  A program adds types of its own, such as
 * a half-precision class, by a specialisation:
 *
 *     template <> struct tilec::dtype_of<my::half> : tilec::dtype_constant<TILEC_FP16> {};
 */
template <tilec_dtype D> using dtype_constant = std::integral_constant<tilec_dtype, D>;
template <class T, class = void> struct dtype_of {
    static_assert(
        !std::is_same_v<T, T>,
        "tilec::dtype_of has no element type for this C++ type: specialise it, or view the "
        "elements as those of another type, tilec::view(reinterpret_cast<...>(data), n)");
};
template <> struct dtype_of<bool> : dtype_constant<TILEC_I1> {
};
template <> struct dtype_of<float> : dtype_constant<TILEC_FP32> {
};
template <> struct dtype_of<double> : dtype_constant<TILEC_FP64> {
};
template <> struct dtype_of<fp16> : dtype_constant<TILEC_FP16> {
};
template <> struct dtype_of<bf16> : dtype_constant<TILEC_BF16> {
};
#if defined __STDCPP_FLOAT16_T__
template <> struct dtype_of<decltype(0.0f16)> : dtype_constant<TILEC_FP16> {
};
#endif
#if defined __STDCPP_BFLOAT16_T__
template <> struct dtype_of<decltype(0.0bf16)> : dtype_constant<TILEC_BF16> {
};
#endif

namespace detail
{

template <std::size_t Bytes, bool Signed> constexpr tilec_dtype integer_dtype()
{
    if constexpr (Bytes == 1)
        return Signed ? TILEC_I8 : TILEC_U8;
    else if constexpr (Bytes == 2)
        return Signed ? TILEC_I16 : TILEC_U16;
    else if constexpr (Bytes == 4)
        return Signed ? TILEC_I32 : TILEC_U32;
    else
        return Signed ? TILEC_I64 : TILEC_U64;
}

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/* Of a grid or shape: what does not fit becomes -1, which the library refuses. */
template <class To, class From> constexpr To extent(From value)
{
    static_assert(is_integer<From>, "extents and strides are integers");
    if constexpr (std::is_signed_v<From>) {
        if (static_cast<std::int64_t>(value) <
                static_cast<std::int64_t>(std::numeric_limits<To>::min()) ||
            static_cast<std::int64_t>(value) >
                static_cast<std::int64_t>(std::numeric_limits<To>::max()))
            return To(-1);
    } else if (static_cast<std::uint64_t>(value) >
               static_cast<std::uint64_t>(std::numeric_limits<To>::max())) {
        return To(-1);
    }
    return static_cast<To>(value);
}

} // namespace detail

template <class T>
struct dtype_of<T, std::enable_if_t<detail::is_integer<T>>>
    : dtype_constant<detail::integer_dtype<sizeof(T), std::is_signed_v<T>>()> {
};

/* --- grids --- */

/* How many parts of `part` elements cover `n`: triton.cdiv().  Of no or negative elements it is -1,
 * which a grid and a launch refuse. */
template <class N, class P> constexpr std::int64_t cdiv(N n, P part)
{
    const std::int64_t whole = detail::extent<std::int64_t>(n);
    const std::int64_t size = detail::extent<std::int64_t>(part);

    if (size <= 0)
        return -1;
    return whole / size + (whole % size != 0 ? 1 : 0);
}

/* Programs along x, y and z. */
class grid
{
  public:
    template <class X, class Y = int, class Z = int>
    explicit constexpr grid(X x, Y y = 1, Z z = 1)
        : programs_{detail::extent<std::int32_t>(x), detail::extent<std::int32_t>(y),
                    detail::extent<std::int32_t>(z)}
    {
    }
    constexpr const std::int32_t *data() const noexcept { return programs_; }

  private:
    std::int32_t programs_[3];
};

/* --- arrays --- */

namespace detail
{

inline constexpr std::int64_t unknown = -1;

inline bool refuse(const std::string &text)
{
    fail(TILEC_BAD_ARGUMENT, text);
    return false;
}

/* What is written by a list: "3 x 4". */
template <std::size_t Rank>
std::string list_text(const std::array<std::int64_t, Rank> &list, const char *between)
{
    std::string text;

    for (std::size_t i = 0; i < Rank; i++)
        text += (i > 0 ? between : "") + std::to_string(list[i]);
    return text;
}

template <std::size_t Rank>
bool refuse_reach(std::int64_t have, const std::array<std::int64_t, Rank> &shape,
                  const std::array<std::int64_t, Rank> &strides)
{
    return refuse("tilec::view: the container has fewer elements than that: " +
                  std::to_string(have) + ", too few for " + list_text(shape, " x ") +
                  " with strides of " + list_text(strides, ", "));
}

/* Fails, and gives false, where an array of these extents and strides reaches beyond the `have`
 * elements that there are, or in front of the first. */
template <std::size_t Rank>
constexpr bool check_reach(std::int64_t have, const std::array<std::int64_t, Rank> &shape,
                           const std::array<std::int64_t, Rank> &strides)
{
    std::int64_t left = have - 1; // behind the last element that is reached

    if (have == unknown)
        return true;
    for (std::int64_t n : shape) {
        if (n < 0)
            return refuse("tilec::view: an extent is negative, or too large");
    }
    for (std::int64_t n : shape) {
        if (n == 0)
            return true;
    }
    for (std::size_t i = 0; i < Rank && left >= 0; i++) {
        const std::int64_t more = shape[i] - 1, stride = strides[i];
        if (more > 0 && stride < 0)
            return refuse(
                "tilec::view: a negative stride leads in front of the container's elements");
        left = more > 0 && stride > left / more ? -1 : left - more * stride;
    }
    return left >= 0 || refuse_reach(have, shape, strides);
}

/* The strides of what is row-major without gaps; what does not fit is as large as may be. */
template <std::size_t Rank>
constexpr std::array<std::int64_t, Rank> row_major(const std::array<std::int64_t, Rank> &shape)
{
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::array<std::int64_t, Rank> strides{};
    std::int64_t stride = 1;

    for (std::size_t i = Rank; i-- > 0;) {
        strides[i] = stride;
        stride = shape[i] > 0 && stride > most / shape[i] ? most : stride * shape[i];
    }
    return strides;
}

} // namespace detail

/*
 * An array of `Rank` dimensions in memory that somebody else owns, row-major without gaps unless
 * strided() says otherwise.  Made by view() and device_array::view().  Of const elements it is
 * refused where a kernel may write to it.
 */
template <class T, std::size_t Rank> class array_view
{
  public:
    constexpr array_view(T *data, const std::array<std::int64_t, Rank> &shape) noexcept
        : data_(data), shape_(shape), strides_{}
    {
    }
    /* Of the first `have` elements there; fails where the array would reach further. */
    constexpr array_view(T *data, const std::array<std::int64_t, Rank> &shape, std::int64_t have)
        : data_(data), shape_(shape), strides_{}, have_(have)
    {
        if (!detail::check_reach(have, shape, detail::row_major(shape)))
            data_ = nullptr; // which a launch refuses
    }
    /* The same elements with strides, counted in elements, one a dimension.  Fails where they lead
     * out of a container that this is a view of. */
    template <class... S> constexpr array_view strided(S... strides) const
    {
        static_assert(sizeof...(S) == Rank, "one stride for each dimension");
        array_view v = *this;
        v.strides_ = {detail::extent<std::int64_t>(strides)...};
        v.is_strided_ = true;
        if (!detail::check_reach(have_, shape_, v.strides_))
            v.data_ = nullptr;
        return v;
    }
    /* The same bits as another element type of that size, such as uint16_t as TILEC_BF16. */
    constexpr array_view as(tilec_dtype dtype) const
    {
        array_view v = *this;
        if (tilec_dtype_size(dtype) != sizeof(T) &&
            !detail::refuse("tilec::array_view::as: elements of another size"))
            v.data_ = nullptr;
        v.dtype_ = dtype;
        return v;
    }
    /* The same address on a device with memory of its own. */
    constexpr array_view on_device(int device_id) const
    {
        array_view v = *this;
        v.memory_ = TILEC_MEMORY_DEVICE;
        v.device_id_ = device_id;
        return v;
    }
    /* Points into this object. */
    tilec_tensor tensor() const noexcept
    {
        tilec_tensor t{};
        t.data = const_cast<std::remove_const_t<T> *>(data_);
        t.dtype = dtype_;
        t.ndim = static_cast<int>(Rank);
        t.shape = shape_.data();
        t.strides = is_strided_ ? strides_.data() : nullptr;
        t.memory = memory_;
        t.device_id = device_id_;
        t.read_only = std::is_const_v<T>;
        return t;
    }

  private:
    T *data_;
    std::array<std::int64_t, Rank> shape_, strides_;
    std::int64_t have_ = detail::unknown; // elements from data_ on
    bool is_strided_ = false;
    tilec_dtype dtype_ = dtype_of<std::remove_const_t<T>>::value;
    tilec_memory memory_ = TILEC_MEMORY_HOST;
    int device_id_ = 0;
};

/* view(pointer, rows, columns): an array of those extents. */
template <class T, class First, class... Rest>
constexpr array_view<T, 1 + sizeof...(Rest)> view(T *data, First first, Rest... rest)
{
    return {data, {detail::extent<std::int64_t>(first), detail::extent<std::int64_t>(rest)...}};
}

namespace detail
{

template <class C> using element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

template <class C, class = void> inline constexpr bool is_container = false;
template <class C>
inline constexpr bool is_container<
    C, std::void_t<element<C>, decltype(std::size(std::declval<C &>())),
                   std::enable_if_t<!std::is_convertible_v<const C &, std::string_view> &&
                                    !std::is_convertible_v<const C &, std::string>>>> = true;

/* Does it only refer to its elements, as a span does?  Then a temporary may be viewed. */
template <class C, class = void> inline constexpr bool refers = false;
template <class C>
inline constexpr bool refers<C, std::enable_if_t<std::is_same_v<element<C>, element<const C>>>> =
    true;
template <class C, class V = std::remove_reference_t<C>>
using viewed = std::enable_if_t<is_container<V> && (std::is_lvalue_reference_v<C> || refers<V>), V>;

} // namespace detail

/* view(container): one dimension; of anything that has data() and size(), such as vector, array,
 * span, and of arrays of C. */
template <class C, class V = detail::viewed<C>>
constexpr array_view<detail::element<V>, 1> view(C &&container)
{
    const std::int64_t have = detail::extent<std::int64_t>(std::size(container));
    return {std::data(container), {have}, have};
}

/* view(container, rows, columns): its elements in that shape; fails where there are fewer. */
template <class C, class First, class... Rest, class V = detail::viewed<C>>
constexpr array_view<detail::element<V>, 1 + sizeof...(Rest)> view(C &&container, First first,
                                                                   Rest... rest)
{
    return {std::data(container),
            {detail::extent<std::int64_t>(first), detail::extent<std::int64_t>(rest)...},
            detail::extent<std::int64_t>(std::size(container))};
}

/* --- arguments --- */

struct options;

/* named("BLOCK", 1024): an argument for the parameter of that name; these come last. */
template <class T> struct named_argument {
    const char *name;
    T value;
};
template <class T> named_argument<T> named(const char *name, T &&value)
{
    return {name, std::forward<T>(value)};
}

namespace detail
{

/* keep() gives what an argument is kept as during a call, argument() the tilec_arg that points to
 * that. */

inline tilec_arg plain(tilec_arg_kind kind)
{
    tilec_arg a{};
    a.kind = kind;
    return a;
}

template <class T, std::size_t R> const array_view<T, R> &keep(const array_view<T, R> &v)
{
    return v;
}
template <class T, std::size_t R> tilec_arg argument(const array_view<T, R> &v)
{
    tilec_arg a = plain(TILEC_ARG_TENSOR);
    a.tensor = v.tensor();
    return a;
}

template <class C, std::enable_if_t<is_container<C>, int> = 0> auto keep(C &container)
{
    return view(container);
}

template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0> N keep(const N &n)
{
    return n;
}
template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0> tilec_arg argument(N n)
{
    if constexpr (std::is_same_v<N, bool>) {
        tilec_arg a = plain(TILEC_ARG_BOOL);
        a.integer = n;
        return a;
    } else if constexpr (std::is_floating_point_v<N>) {
        tilec_arg a = plain(TILEC_ARG_FLOAT);
        a.real = static_cast<double>(n);
        return a;
    } else if constexpr (std::is_signed_v<N>) {
        tilec_arg a = plain(TILEC_ARG_INT);
        a.integer = n;
        return a;
    } else {
        tilec_arg a = plain(TILEC_ARG_UINT);
        a.uinteger = n;
        return a;
    }
}

inline tilec_dtype keep(tilec_dtype dtype)
{
    return dtype;
}
inline tilec_arg argument(tilec_dtype dtype)
{
    tilec_arg a = plain(TILEC_ARG_DTYPE);
    a.dtype = dtype;
    return a;
}

inline std::nullptr_t keep(std::nullptr_t)
{
    return nullptr;
}
inline tilec_arg argument(std::nullptr_t)
{
    return plain(TILEC_ARG_NONE);
}

inline std::string keep(const std::string &text)
{
    return text;
}
inline std::string keep(const char *text)
{
    return text;
}
inline std::string keep(std::string_view text)
{
    return std::string(text);
}
inline tilec_arg argument(const std::string &text)
{
    tilec_arg a = plain(TILEC_ARG_STRING);
    a.text = text.c_str();
    return a;
}

inline const tilec_arg &keep(const tilec_arg &a)
{
    return a;
}
inline const tilec_arg &argument(const tilec_arg &a)
{
    return a;
}

/* What there is a keep() for, but for views and names. */
template <class T>
inline constexpr bool is_plain_argument =
    is_container<T> || std::is_arithmetic_v<T> || std::is_same_v<T, std::nullptr_t> ||
    std::is_convertible_v<const T &, std::string_view> ||
    std::is_convertible_v<const T &, std::string> || std::is_same_v<T, tilec_dtype> ||
    std::is_convertible_v<const T &, const tilec_arg &>;
template <class T> inline constexpr bool is_wrapped_argument = false;
template <class T, std::size_t R>
inline constexpr bool is_wrapped_argument<array_view<T, R>> = true;
template <class T> inline constexpr bool is_wrapped_argument<named_argument<T>> = true;

/* What is no argument is said here, once, in place of all that does not fit. */
template <class T, std::enable_if_t<!is_plain_argument<std::remove_const_t<T>> &&
                                        !is_wrapped_argument<std::remove_const_t<T>>,
                                    int> = 0>
std::nullptr_t keep(T &)
{
    static_assert(!std::is_pointer_v<T>,
                  "a pointer has no extent: pass tilec::view(pointer, n) to the kernel");
    static_assert(!std::is_enum_v<T>,
                  "an enumeration is no argument of a kernel: static_cast it to a number");
    static_assert(!std::is_same_v<std::remove_const_t<T>, options>,
                  "options are no argument: kernel.with(options)(grid, arguments...)");
    static_assert(std::is_pointer_v<T> || std::is_enum_v<T> ||
                      std::is_same_v<std::remove_const_t<T>, options>,
                  "this is no argument of a kernel: pass a number, a text, a tilec_dtype, nullptr, "
                  "what has data() and size(), or tilec::view(pointer, n)");
    return nullptr;
}

template <class K> struct kept_name {
    const char *name;
    K kept;
};
template <class T> auto keep(const named_argument<T> &n)
{
    return kept_name<decltype(keep(n.value))>{n.name, keep(n.value)};
}
template <class K> tilec_arg argument(const kept_name<K> &n)
{
    tilec_arg a = argument(n.kept);
    a.name = n.name;
    return a;
}

} // namespace detail

/* --- options --- */

/* tilec_launch_options, with functions that may throw: what they throw comes out of the launch.
 * on_progress gives true to cancel it, is called on another thread, and cancels it by throwing. */
struct options {
    std::string device; /* "" is the default one */
    int threads = 0, num_warps = 0, num_stages = 0;
    bool check = false;
    void *stream = nullptr;
    double *seconds = nullptr;
    std::string arch;
    std::function<void(const char *text)> on_message;
    std::function<void(const tilec_record &record)> on_record;
    std::function<void(const tilec_count &count)> on_count;
    std::function<void(const tilec_counter &counter)> on_counter;
    std::function<void(const tilec_span &span)> on_span;
    std::function<bool(const tilec_progress &progress)> on_progress;
    tilec_debug debug = TILEC_DEBUG_NONE;
    const void **compiled = nullptr;
    bool unspecialised = false;
};

namespace detail
{

/* A tilec_launch_options for the time of one call. */
class call
{
  public:
    explicit call(const options &o) : options_(o)
    {
        c_.device = o.device.empty() ? nullptr : o.device.c_str();
        c_.threads = o.threads;
        c_.num_warps = o.num_warps;
        c_.num_stages = o.num_stages;
        c_.check = o.check;
        c_.stream = o.stream;
        c_.seconds = o.seconds;
        c_.arch = o.arch.empty() ? nullptr : o.arch.c_str();
        c_.user = this;
        if (o.on_message)
            c_.on_message = hear_message;
        if (o.on_record)
            c_.on_record = hear_record;
        if (o.on_count)
            c_.on_count = hear_count;
        if (o.on_counter)
            c_.on_counter = hear_counter;
        if (o.on_span)
            c_.on_span = hear_span;
        if (o.on_progress)
            c_.on_progress = hear_progress;
        c_.debug = o.debug;
        c_.compiled = o.compiled;
        c_.unspecialised = o.unspecialised;
    }
    const tilec_launch_options *c() const noexcept { return &c_; }
    void finish(tilec_status status, char *message) const
    {
        owned_text owned(message);

#if TILEC_EXCEPTIONS
        if (thrown_)
            std::rethrow_exception(thrown_);
#endif
        check(status, owned.release());
    }

  private:
    /* The launch waits for all of these, so no two are at work at a time. */
    template <class F, class A> void pass(const F &f, const A &a) noexcept
    {
#if TILEC_EXCEPTIONS
        try {
            if (!thrown_)
                f(a);
        } catch (...) {
            thrown_ = std::current_exception();
        }
#else
        f(a);
#endif
    }
    static call *self(void *user) noexcept
    {
        return static_cast<call *>(user);
    }
    static void hear_message(void *user, const char *text)
    {
        self(user)->pass(self(user)->options_.on_message, text);
    }
    static void hear_record(void *user, const tilec_record *record)
    {
        self(user)->pass(self(user)->options_.on_record, *record);
    }
    static void hear_count(void *user, const tilec_count *count)
    {
        self(user)->pass(self(user)->options_.on_count, *count);
    }
    static void hear_counter(void *user, const tilec_counter *counter)
    {
        self(user)->pass(self(user)->options_.on_counter, *counter);
    }
    static void hear_span(void *user, const tilec_span *span)
    {
        self(user)->pass(self(user)->options_.on_span, *span);
    }
    static int hear_progress(void *user, const tilec_progress *progress)
    {
        bool stop = false;
        self(user)->pass(
            [&](const tilec_progress &p) { stop = self(user)->options_.on_progress(p); },
            *progress);
#if TILEC_EXCEPTIONS
        stop = stop || self(user)->thrown_;
#endif
        return stop;
    }

    const options &options_;
    tilec_launch_options c_{};
#if TILEC_EXCEPTIONS
    std::exception_ptr thrown_;
#endif
};

} // namespace detail

/* --- kernels, files, contexts --- */

/* A kernel of a file, with the options of its launches.  It may outlive the `file`. */
class kernel
{
  public:
    /* The same with other options. */
    kernel with(options o) const
    {
        kernel k = *this;
        k.options_ = std::move(o);
        return k;
    }

    /*
     * Launch: tilec_launch().  Arguments are numbers (a double is rounded to fp32, unless the
     * kernel says `x: tl.float64`), bools, texts, dtypes, nullptr for None, views, anything with
     * data() and size(), and a tilec_arg for what else there is; each of them may be named().  On a
     * device with memory of its own the launch is queued.
     */
    template <class... A> void operator()(const grid &g, A &&...arguments) const
    {
        run(
            [&](const tilec_arg *args, int n, const tilec_launch_options *o, char **message) {
                return tilec_launch(file_.get(), name(), g.data(), args, n, o, message);
            },
            arguments...);
    }

    /* What is no grid is said in words. */
    template <class G, class... A,
              std::enable_if_t<!std::is_convertible_v<G, const grid &>, int> = 0>
    void operator()(G &&, A &&...) const
    {
        no_grid<G>();
    }
    template <class N, class... A> void operator()(std::initializer_list<N>, A &&...) const
    {
        no_grid<N>();
    }
    struct launched_as_in_python {
        template <class... A> void operator()(A &&...) const {}
    };
    template <class G> launched_as_in_python operator[](const G &) const
    {
        no_grid<G *>();
        return {};
    }

    /* Compile for such arguments without running: tilec_prepare(). */
    template <class... A> void prepare(A &&...arguments) const
    {
        run([&](const tilec_arg *args, int n, const tilec_launch_options *o,
                char **message) { return tilec_prepare(file_.get(), name(), args, n, o, message); },
            arguments...);
    }

    /* What such a launch costs and does: tilec_launch_stats(). */
    template <class... A> tilec_stats stats(const grid &g, A &&...arguments) const
    {
        tilec_stats s{};
        run(
            [&](const tilec_arg *args, int n, const tilec_launch_options *o, char **message) {
                return tilec_launch_stats(file_.get(), name(), g.data(), args, n, o, &s, message);
            },
            arguments...);
        return s;
    }

    /* A stage of the compiler as text: tilec_dump(). */
    template <class... A> std::string dump(const char *stage, A &&...arguments) const
    {
        char *shown = nullptr;
        run(
            [&](const tilec_arg *args, int n, const tilec_launch_options *o, char **message) {
                return tilec_dump(file_.get(), name(), stage, args, n, o, &shown, message);
            },
            arguments...);
        const detail::owned_text owned(shown);
        return shown ? shown : "";
    }

  private:
    friend class file;
    kernel(std::shared_ptr<tilec_file> file, std::string name)
        : file_(std::move(file)), name_(std::move(name))
    {
    }
    const char *name() const noexcept { return name_.empty() ? nullptr : name_.c_str(); }
    template <class T> static void no_grid()
    {
        static_assert(std::is_same_v<T, grid>, "a launch begins with how many programs there are: "
                                               "kernel(tilec::grid(programs), arguments...)");
    }

    template <class F, class... A> void run(const F &f, A &...arguments) const
    {
        auto kept = std::tuple<decltype(detail::keep(arguments))...>(detail::keep(arguments)...);
        detail::call call(options_);
        char *message = nullptr;
        const tilec_status status = std::apply(
            [&](const auto &...k) {
                const std::array<tilec_arg, sizeof...(A) + 1> args{detail::argument(k)...,
                                                                   tilec_arg{}};
                return f(args.data(), static_cast<int>(sizeof...(A)), call.c(), &message);
            },
            kept);
        call.finish(status, message);
    }

    std::shared_ptr<tilec_file> file_;
    std::string name_;
    options options_;
};

/* A source file and its compiled kernels, which are freed behind the last of this and its kernels.
 */
class file
{
  public:
    file(file &&) noexcept = default;
    file &operator=(file &&) noexcept = default;
    /* The kernel of that name; that there is none shows when it is launched.  "" is the file's only
     * one. */
    kernel operator[](const std::string &name) const { return kernel(file_, name); }
    std::vector<std::string> kernels() const
    {
        std::vector<std::string> names;
        for (int i = 0; i < tilec_kernel_count(file_.get()); i++)
            names.emplace_back(tilec_kernel_name(file_.get(), i));
        return names;
    }
    tilec_file *get() const noexcept /* for the rest of tilec.h */ { return file_.get(); }

  private:
    friend class context;
    struct closer {
        std::shared_ptr<tilec_context> context; // which ends behind its files
        void operator()(tilec_file *f) const noexcept { tilec_unload(f); }
    };
    file(const std::shared_ptr<tilec_context> &context, tilec_file *f) : file_(f, closer{context})
    {
    }
    std::shared_ptr<tilec_file> file_;
};

template <class T> class device_array;

/* Devices, threads, the cache, which end behind the last of this, its files and arrays. */
class context
{
  public:
    context(context &&) noexcept = default;
    context &operator=(context &&) noexcept = default;
    context() : context(tilec_open_options{}) {}
    explicit context(const tilec_open_options &o)
    {
        tilec_context *c = nullptr;
        char *message = nullptr;
        const tilec_status status = tilec_open_with(&o, &c, &message);
        context_.reset(c, tilec_close);
        detail::check(status, message);
    }

    /* tilec_load() of a path. */
    file load(const std::string &path, const tilec_load_options *o = nullptr) const
    {
        return load(path.c_str(), nullptr, 0, o);
    }
    /* The same of a text; `name` stands for its path in messages. */
    file load_text(const std::string &text, const std::string &name = "<string>",
                   const tilec_load_options *o = nullptr) const
    {
        return load(name.c_str(), text.c_str(), text.size(), o);
    }

    /* An array of `n` elements in the memory of a device. */
    template <class T>
    device_array<T> array(std::size_t n, const std::string &device, int device_id = 0) const
    {
        return device_array<T>(context_, n, device, device_id);
    }
    /* Wait for what was queued: tilec_wait(). */
    void wait(const std::string &device, int device_id = 0, void *stream = nullptr) const
    {
        char *message = nullptr;
        const tilec_status status =
            tilec_wait(context_.get(), device.c_str(), device_id, stream, &message);
        detail::check(status, message);
    }
    tilec_context *get() const noexcept /* for the rest of tilec.h */ { return context_.get(); }
    /* Kernels are a file's. */
    template <class Name> kernel operator[](const Name &) const
    {
        static_assert(!std::is_same_v<Name, Name>,
                      "kernels are in files: context.load(\"add.py\")[\"add_kernel\"]");
        std::terminate();
    }

  private:
    file load(const char *path, const char *text, std::size_t n, const tilec_load_options *o) const
    {
        tilec_file *f = nullptr;
        char *message = nullptr;
        const tilec_status status = tilec_load(context_.get(), path, text, n, o, &f, &message);
        file loaded(context_, f);
        detail::check(status, message);
        return loaded;
    }
    std::shared_ptr<tilec_context> context_;
};

/* --- memory of devices --- */

/* Memory of a device that has its own, freed at the end; made by context::array(). */
template <class T> class device_array
{
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");

  public:
    device_array(device_array &&other) noexcept
        : context_(std::move(other.context_)), size_(std::exchange(other.size_, 0)),
          device_(std::move(other.device_)), device_id_(other.device_id_),
          data_(std::exchange(other.data_, nullptr))
    {
    }
    device_array &operator=(device_array &&other) noexcept
    {
        device_array taken(std::move(other));
        std::swap(context_, taken.context_);
        std::swap(size_, taken.size_);
        std::swap(device_, taken.device_);
        std::swap(device_id_, taken.device_id_);
        std::swap(data_, taken.data_);
        return *this;
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array()
    {
        if (data_)
            tilec_release(context_.get(), device_.c_str(), device_id_, data_, nullptr);
    }

    std::size_t size() const noexcept { return size_; }
    /* For launches, in any shape that it holds. */
    template <class... E> auto view(E... extents) const
    {
        const array_view<T, sizeof...(E)> v(static_cast<T *>(data_),
                                            {detail::extent<std::int64_t>(extents)...},
                                            detail::extent<std::int64_t>(size_));
        return v.on_device(device_id_);
    }
    auto view() const { return view(size_); }
    /* Copy `n` elements, at most size(), and wait unless there is a stream: tilec_copy(). */
    void copy_from(const T *host, std::size_t n, void *stream = nullptr)
    {
        copy(there(), {const_cast<T *>(host), TILEC_MEMORY_HOST, 0}, n, stream);
    }
    void copy_to(T *host, std::size_t n, void *stream = nullptr) const
    {
        copy({host, TILEC_MEMORY_HOST, 0}, there(), n, stream);
    }

  private:
    friend class context;
    device_array(std::shared_ptr<tilec_context> context, std::size_t n, const std::string &device,
                 int device_id)
        : context_(std::move(context)), device_(device), device_id_(device_id)
    {
        char *message = nullptr;
        if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
            detail::fail(TILEC_NO_MEMORY, "out of memory");
            return;
        }
        const tilec_status status = tilec_alloc(context_.get(), device_.c_str(), device_id,
                                                n * sizeof(T), &data_, &message);
        size_ = status == TILEC_OK ? n : 0;
        detail::check(status, message);
    }
    tilec_place there() const noexcept { return {data_, TILEC_MEMORY_DEVICE, device_id_}; }
    void copy(tilec_place to, tilec_place from, std::size_t n, void *stream) const
    {
        char *message = nullptr;
        if (n > size_ && !detail::refuse("tilec::device_array: more elements than it has: " +
                                         std::to_string(n) + " of " + std::to_string(size_)))
            return;
        const tilec_status status =
            tilec_copy(context_.get(), device_.c_str(), to, from, n * sizeof(T), stream, &message);
        detail::check(status, message);
    }

    std::shared_ptr<tilec_context> context_;
    std::size_t size_ = 0;
    std::string device_;
    int device_id_;
    void *data_ = nullptr;
};

#if !TILEC_EXCEPTIONS
} // namespace without_exceptions
#endif
} // namespace tilec

#endif
