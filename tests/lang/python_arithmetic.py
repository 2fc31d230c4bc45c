# run: division out:fp32[1]
# lower: equality out:*fp32
# lower: large_integers out:*fp32
# lower: sequences out:*fp32
# lower: conversions out:*fp32
# lower: functions out:*fp32
# lower: refused out:*fp32
# lower: refused_functions out:*fp32
"""R9, R10, R13: constants follow Python."""
import math
import triton
import triton.language as tl

EXACT: tl.constexpr = 2**53 + 1


@triton.jit
def division(out):
    tl.static_assert(1.0 // 0.1 == 9.0)
    tl.static_assert(-1.0 // 0.1 == -10.0)
    tl.static_assert(5.5 // -2.0 == -3.0)
    tl.static_assert(1e308 // 1e-308 == float("inf"))
    tl.static_assert(-5.5 % 2.0 == 0.5)
    tl.static_assert(2.0**-1 == 0.5)
    tl.static_assert((-8.0) ** 3 == -512.0)
    tl.static_assert((-8.0) ** 2.0 == 64.0)
    tl.static_assert(0.0 ** -float("inf") == float("inf"))
    tl.static_assert(f"{-1.0 % 1.0} {1.0 % -1.0} {-0.0 // 1.0} {0.5 // -1.0}" == "0.0 -0.0 -0.0 -1.0")
    tl.store(out, 1.0 // 0.1)


@triton.jit
def equality(out):
    tl.static_assert((True, 1) == (1, 1))
    tl.static_assert((1.0, 2) == (1, 2))
    tl.static_assert(((1, 2.0), (3,)) == ((True, 2), (3.0,)))
    tl.static_assert((1, 2) != (1, 3))
    tl.static_assert((1, 2) != (1, 2, 3))
    tl.static_assert((1, "a", None, tl.int8, math.sqrt) == (1.0, "a", None, tl.int8, math.sqrt))
    tl.static_assert((1,) != 1)
    tl.static_assert(True == 1)
    tl.static_assert(True == 1.0)


@triton.jit
def large_integers(out):
    tl.static_assert(EXACT != 9007199254740992.0)
    tl.static_assert(EXACT > 9007199254740992.0)
    tl.static_assert(9007199254740992.0 < EXACT)
    tl.static_assert(EXACT - 1 == 9007199254740992.0)
    tl.static_assert(-EXACT < -9007199254740992.0)
    tl.static_assert(3 < 3.5)
    tl.static_assert(-3 > -3.5)
    tl.static_assert(2**100 < 1e31)
    tl.static_assert(2**100 > 1e30)
    tl.static_assert(2**100 == float(2**100))
    tl.static_assert(2**126 < float("inf"))
    tl.static_assert(-(2**126) > -1e300)
    tl.static_assert(1 != float("nan"))
    tl.static_assert((1 < float("nan")) == False)


@triton.jit
def sequences(out):
    tl.static_assert(2 * (1, 2) == (1, 2, 1, 2))
    tl.static_assert((1,) * 3 == (1, 1, 1))
    tl.static_assert((1, 2) < (1, 3))
    tl.static_assert((1, 2) <= (1, 2))
    tl.static_assert((1, 2) < (1, 2, 0))
    tl.static_assert((2,) > (1, 5))
    tl.static_assert((1, "b") >= (True, "a"))
    tl.static_assert((None, 1) < (None, 2))
    tl.static_assert("ab" * 2 == "abab")
    tl.static_assert(3 * "ab" == "ababab")
    tl.static_assert("ab" * -1 == "")


@triton.jit
def conversions(out):
    tl.static_assert(int("12") == 12)
    tl.static_assert(int(" -1_000\n") == -1000)
    tl.static_assert(int("+7") == 7)
    tl.static_assert(int("007") == 7)
    tl.static_assert(float(" 2 ") == 2.0)
    tl.static_assert(float("1_0.5_0e1_0") == 10.5e10)
    tl.static_assert(float("-Infinity") == -float("inf"))
    tl.static_assert(float(".5") == 0.5)
    tl.static_assert(float("5.") == 5.0)
    tl.static_assert(int(-2.5) == -2)
    tl.static_assert(f"{10.0} {1e15} {1e16} {123456.5} {0.0001} {0.00001}" == "10.0 1000000000000000.0 1e+16 123456.5 0.0001 1e-05")
    tl.static_assert(f"{-1200.0} {9007199254740992.0} {0.1}" == "-1200.0 9007199254740992.0 0.1")


@triton.jit
def functions(out):
    tl.static_assert(math.pow(2, 10) == 1024.0)
    tl.static_assert(math.log(8.0, 2.0) == 3.0)
    tl.static_assert(math.log(1) == 0.0)
    tl.static_assert(math.log(x=100, base=10) == 2.0)
    tl.static_assert(math.exp(-1000) == 0.0)


@triton.jit
def refused(out):
    tl.store(out, 0.0**-1)
    tl.store(out, 0**-1.0)
    tl.store(out, (-8.0) ** 0.5)
    tl.store(out, 10.0**400)
    tl.store(out, "ab" * (1 << 30))
    tl.store(out, "ab" * 2.0)
    tl.store(out, (1, "a") < (1, 2))
    tl.store(out, (1, None) < (1, None, 2))
    tl.store(out, (1, None) < (1, 2))
    tl.store(out, (1, 2) < 3)
    tl.store(out, int("1__0"))
    tl.store(out, int("1.5"))
    tl.store(out, int(""))
    tl.store(out, int("9" * 60))
    tl.store(out, int(float("nan")))
    tl.store(out, float("0x10"))
    tl.store(out, float("_1"))
    tl.store(out, float("1 2"))
    tl.store(out, float("nan(1)"))
    tl.store(out, float(None))


@triton.jit
def refused_functions(out):
    tl.store(out, int(tl.load(out)))
    tl.store(out, math.sqrt(-1))
    tl.store(out, math.log(0))
    tl.store(out, math.pow(0, -1))
    tl.store(out, math.log(2, 1))
    tl.store(out, math.exp(1000))
    tl.store(out, math.sqrt("a"))
    tl.store(out, math.pow(2, tl.load(out)))
