"""Run kernels through the command line and compare what they store with NumPy.

A script takes TILEC SOURCE VARIANTS: the command, the source tree, and what each case runs as, with
commas: devices, `+check` behind one for a run with every access checked, `sim@sm_80` for another chip.  Where there are several,
a case runs on one device that its name and the seed choose, some are checked, and of many cases alike
some are left out; with TILEC_THOROUGH in the environment each runs as all.  Cases share processes, see
Worker; thoroughly only those on a GPU do.

A Suite collects cases and runs them side by side.  An argument of a case is an array (passed as a
.npy file), a Tensor for the types NumPy lacks, or anything else, passed as text.  An expected
output is an array of float64 or of integers; NaN equals NaN, infinities must agree.
"""

import concurrent.futures
import itertools
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import zlib

import numpy as np

# name: (exponent bits, mantissa bits, bias), for the types that NumPy lacks
SMALL_FLOATS = {
    "bf16": (8, 7, 127),
    "fp8e4nv": (4, 3, 7),
    "fp8e5": (5, 2, 15),
}
NUMPY_TYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "fp16": np.float16, "fp32": np.float32, "fp64": np.float64,
}
# relative distance of two neighbours
EPSILON = {"fp64": 2.0**-52, "fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7,
           "fp8e4nv": 2.0**-3, "fp8e5": 2.0**-2}
FLOATS = ["fp64", "fp32", "fp16", "bf16"]


# The seed of all random numbers of a script: the same in every run unless TILEC_SEED says another.
SEED = int(os.environ.get("TILEC_SEED") or 1)


def generator():
    """Random numbers of the script's own, from SEED."""
    return np.random.default_rng([SEED, zlib.crc32(os.path.basename(sys.argv[0]).encode())])


def decode_table(dtype):
    """The value of every bit pattern of a small float."""
    e_bits, m_bits, bias = SMALL_FLOATS[dtype]
    bits = np.arange(2 ** (1 + e_bits + m_bits))
    sign = np.where(bits >> (e_bits + m_bits), -1.0, 1.0)
    exponent = (bits >> m_bits) & (2**e_bits - 1)
    mantissa = bits & (2**m_bits - 1)
    normal = (1 + mantissa / 2**m_bits) * 2.0 ** (exponent - bias)
    value = sign * np.where(exponent == 0, mantissa / 2**m_bits * 2.0 ** (1 - bias), normal)
    if dtype == "fp8e4nv":  # no infinity, one NaN
        value[(bits & 0x7F) == 0x7F] = np.nan
        return value
    top = exponent == 2**e_bits - 1
    value[top] = np.where(mantissa[top] == 0, sign[top] * np.inf, np.nan)
    return value


TABLES = {dtype: decode_table(dtype) for dtype in SMALL_FLOATS}


class Tensor:
    """An array of a type that NumPy lacks, as its bits."""

    def __init__(self, dtype, bits):
        self.dtype, self.bits = dtype, bits

    def values(self):
        return TABLES[self.dtype][self.bits.astype(np.int64)]


def nearest(values, dtype):
    """Values rounded once to the precision of a small float, ties to even, as float64."""
    e_bits, m_bits, bias = SMALL_FLOATS[dtype]
    values = np.asarray(values, np.float64)
    with np.errstate(invalid="ignore"):
        exponent = np.maximum(np.frexp(values)[1] - 1, 1 - bias)
        step = np.exp2((exponent - m_bits).astype(np.float64))
        return np.where(np.isfinite(values), np.rint(values / step) * step, values)


def encode(values, dtype):
    """Values as an array or Tensor of `dtype`: nearest, ties to even; fp8 saturates (R84)."""
    values = np.asarray(values)
    if dtype in NUMPY_TYPES:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(NUMPY_TYPES[dtype])
    near = nearest(values, dtype)
    if dtype == "bf16":
        with np.errstate(over="ignore"):
            bits = near.astype(np.float32).view(np.uint32) >> 16
        return Tensor(dtype, np.where(np.isnan(values), 0x7FC0, bits).astype(np.uint16))
    positive = np.flatnonzero(np.isfinite(TABLES[dtype]) & (np.arange(256) < 128))
    table = TABLES[dtype][positive]  # ascending, as the bits are
    bits = positive[np.searchsorted(table, np.minimum(np.abs(np.nan_to_num(near)), table[-1]))]
    bits = np.where(np.isnan(values), 0x7F, np.where(np.signbit(near), bits | 0x80, bits))
    return Tensor(dtype, bits.astype(np.uint8))


def decode(x):
    """What an encoded array holds, in float64 (integers as they are)."""
    if isinstance(x, Tensor):
        return x.values()
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        return x.astype(np.float64) if x.dtype.kind == "f" else x


def rounded(values, dtype):
    """Values as `dtype` holds them."""
    return decode(encode(values, dtype))


def differences(got, want, rtol, atol):
    """A sentence on how `got` is wrong, or None."""
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if want.dtype.kind in "iub":
        wrong = got != want
    else:
        with np.errstate(invalid="ignore"):
            near = np.abs(got - want) <= atol + rtol * np.abs(want)
        wrong = ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} wrong, first at {at}: {got[at]} instead of {want[at]}"


def units_apart(got, want, dtype):
    """How far fp32 or fp64 are from exact results of a wider type, in units in the last place;
    infinite for a NaN, an infinity or a number in place of another of these."""
    info = np.finfo(NUMPY_TYPES[dtype])
    got = got.astype(want.dtype)
    unit = np.ldexp(want.dtype.type(1), np.maximum(np.frexp(want)[1] - 1, info.minexp) - info.nmant)
    with np.errstate(invalid="ignore"):
        apart = np.abs(got - want) / np.where(np.isfinite(want), unit, 1)
    # what is beyond the largest number, or rounds to it, may be infinite
    edge = (np.abs(want) > info.max * (1 - info.eps)) & (np.abs(got) >= info.max)
    edge &= np.sign(got) == np.sign(want)
    same = edge | (got == want) | (np.isnan(got) & np.isnan(want))
    return np.where(same, 0, np.where(np.isfinite(apart), apart, np.inf))


def too_far(got, want, dtype, units):
    """A sentence on the worst element, or None."""
    apart = units_apart(got, want, dtype)
    at = int(np.argmax(apart))
    if apart[at] <= units:
        return None
    return f"{apart[at]:.3f} units instead of {units} at {at}: {got[at]!r} instead of {want[at]!r}"


# of ten cases so many run on each device, and of eight one is checked, where not all are
IN_TEN = {"cpu": 5, "sim": 3, "interp": 2, "sim@sm_80": 2}  # as many times as likely
ONE_CHECKED_IN = 8
PATIENCE = 900  # seconds for a run, of which most take less than one, however busy the machine is
THOROUGH = bool(os.environ.get("TILEC_THOROUGH"))


class Worker:
    """worker.c: command lines one behind the other in one process, which starts once, and a GPU's driver with it.
    What fails may have spoilt the process, and what succeeds leaves memory behind: `spent` then."""

    CASES = 100
    APART = "\037"

    def __init__(self, program, folder, number):
        self.told = [os.path.join(folder, f"worker-{number}.{stream}") for stream in ("out", "err")]
        self.process = subprocess.Popen([program, *self.told], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        bufsize=0)
        self.cases, self.spent = 0, False

    def run(self, words):
        """As subprocess.run() has it, with texts."""
        line = self.APART.join(words)
        assert "\n" not in line and line.count(self.APART) == len(words) - 1, line
        self.process.stdin.write(f"{line}\n".encode())
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.end()
            raise subprocess.TimeoutExpired(words, PATIENCE)
        answer = self.process.stdout.readline()
        code = int(answer) if answer else self.process.wait() or -1  # it has ended itself, or crashed
        self.cases += 1
        self.spent = code != 0 or self.cases == self.CASES
        out, err = (open(path, encoding="utf-8", errors="replace").read() for path in self.told)
        return subprocess.CompletedProcess(words, code, out, err)

    def end(self):
        self.process.kill()
        self.process.wait()


class Suite:
    def __init__(self, one_in=1):
        """Where many cases are alike, one in so many of them runs, and thoroughly each."""
        self.one_in = one_in
        self.tilec, self.source = sys.argv[1:3]
        self.variants = sys.argv[3].split(",")
        self.folder = tempfile.TemporaryDirectory(prefix="tilec-num-")
        self.files = itertools.count()
        self.worker = os.path.join(os.path.dirname(self.tilec), "tests", "tilec_worker")
        self.alone = threading.local()  # .worker: of a thread, or None
        self.workers = []  # all that were made
        self.cases = []
        self.unchecked = set()  # labels of cases
        self.others = 0  # cases of a script that runs them itself
        self.failures = []

    def kernel(self, name):
        """The path of kernels/NAME or of tests/num/NAME."""
        for folder in ("kernels", os.path.join("tests", "num")):
            path = os.path.join(self.source, folder, name)
            if os.path.exists(path.split(":")[0]):
                return path
        raise FileNotFoundError(name)

    def write(self, x):
        """Save an argument; give the text that passes it."""
        if not isinstance(x, (np.ndarray, Tensor)):
            return x if isinstance(x, str) else repr(x)
        path = os.path.join(self.folder.name, f"{next(self.files)}.npy")
        if isinstance(x, Tensor):
            np.save(path, x.bits)
            return f"@{path}:{x.dtype}"
        np.save(path, x)
        return f"@{path}"

    def is_left_out(self, label):
        """By its name and the seed; on one device alone, as other tools ask for, no case is."""
        dice = np.random.default_rng([SEED, zlib.crc32(label.encode()), self.one_in])
        return not THOROUGH and len(self.variants) > 1 and dice.integers(self.one_in) != 0

    def chosen(self, label):
        """The variants that a case of this name runs as."""
        variants = self.variants
        if label in self.unchecked:
            variants = [v for v in variants if v != "interp" and "+check" not in v]
        if THOROUGH or len(variants) <= 1:
            return variants
        plain = [v for v in variants for _ in range(IN_TEN.get(v, 0))]
        checked = [v for v in variants if v not in IN_TEN]
        dice = np.random.default_rng([SEED, zlib.crc32(label.encode())])
        chosen = [plain[dice.integers(len(plain))]]
        if checked and dice.integers(ONE_CHECKED_IN) == 0:
            chosen.append(checked[dice.integers(len(checked))])
        return chosen

    def case(self, label, kernel, grid, args, outputs, rtol=0.0, atol=0.0, options=(), units=None, arch=None, since=None,
             unchecked=False):
        """args: name -> argument in order; outputs: name -> (dtype, expected values).  With `units`
        these are of a wider type, and so many units in the last place away at most.  `arch` is the
        GPU that is simulated; `since` is the first one that has the case's instructions, "sm_100":
        it is simulated, and on a GPU before it there is no such case.  An `unchecked` case does what `--check`
        refuses: it reads outside of an argument's array, in what another one holds, or divides by 0."""
        if unchecked:
            self.unchecked.add(label)
        if not self.is_left_out(label) and not (since and self.is_before(since)):
            self.cases.append((label, kernel, grid, args, outputs, rtol, atol, options, units, arch or since))

    def is_before(self, arch):
        """Whether the cases run on a GPU alone, and it is one before `arch`."""
        if self.variants != ["cuda"]:
            return False
        told = subprocess.run([self.tilec, "devices"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        chip = re.search(r"sm_([0-9]+)", told.stdout)
        return chip is not None and int(chip[1]) < int(arch.removeprefix("sm_"))

    def refused(self, label, kernel, grid, args, code, text):
        """A case that must fail with this exit code and this text."""
        for variant in self.variants:
            words = self.command(variant, kernel, grid, args)
            done = self.run(variant, words)
            if done.returncode != code or text not in done.stderr:
                self.failures.append(f"{variant}: {label}: exit {done.returncode}: {done.stderr.strip()}")

    def command(self, variant, kernel, grid, args):
        device, *check = variant.split("+")
        device, _, chip = device.partition("@")
        words = [self.tilec, "run", self.kernel(kernel), "--grid", grid, "--device", device]
        words += ["--check"] if check else []
        words += ["--arch", chip] if chip else []
        return words + [f"{name}={self.write(value)}" for name, value in args.items()]

    def run(self, variant, words):
        """A command line: by this thread's worker; thoroughly, and not on a GPU, in a process of its own."""
        if not os.path.exists(self.worker) or (variant != "cuda" and THOROUGH):
            return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        worker = getattr(self.alone, "worker", None)
        if not worker:
            worker = Worker(self.worker, self.folder.name, next(self.files))
            self.workers.append(worker)
        self.alone.worker = None  # unless this one is to go on
        done = worker.run(words)
        if worker.spent:
            worker.end()
        else:
            self.alone.worker = worker
        return done

    def run_case(self, case):
        """What was wrong, as what."""
        label, kernel, grid, args, *rest = case
        args = {name: self.write(value) for name, value in args.items()}
        variants = self.chosen(label)
        problems = [(v, self.run_as(v, (label, kernel, grid, args, *rest))) for v in variants]
        return [f"{v}: {problem}" for v, problem in problems if problem]

    def run_as(self, variant, case):
        label, kernel, grid, args, outputs, rtol, atol, options, units, arch = case
        if arch:  # which the case needs
            variant = variant.partition("@")[0]
        words = self.command(variant, kernel, grid, args) + list(options)
        if arch and variant.startswith("sim"):
            words += ["--arch", arch]
        paths = {}
        for name in outputs:
            paths[name] = os.path.join(self.folder.name, f"{next(self.files)}-{name}.npy")
            words += ["--save", f"{name}={paths[name]}"]
        done = self.run(variant, words)
        if done.returncode != 0:
            return f"{label}: exit {done.returncode}: {done.stderr.strip()}"
        for name, (dtype, want) in outputs.items():
            raw = np.load(paths[name])
            if dtype in SMALL_FLOATS:
                raw = Tensor(dtype, raw.view(np.uint16 if dtype == "bf16" else np.uint8))
            if units is None:
                problem = differences(decode(raw), np.asarray(want), rtol, atol)
            else:
                problem = too_far(raw, want, dtype, units)
            if problem:
                return f"{label}: {name}: {problem}"
            os.unlink(paths[name])
        return None

    def finish(self):
        """Run all, say what failed, exit.  TILEC_JOBS at once, each of which may hold a GPU's context."""
        workers = int(os.environ.get("TILEC_JOBS") or min(os.cpu_count(), 16))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            self.failures += sum(pool.map(self.run_case, self.cases), [])
        for worker in self.workers:
            worker.end()
        for failure in self.failures[:None if os.environ.get("TILEC_SHOW") else 20]:
            print("FAILED", failure)
        runs = sum(len(self.chosen(case[0])) for case in self.cases)
        what = self.variants[0] if len(self.variants) == 1 else f"{runs} runs"
        print(f"{what}: {len(self.cases) + self.others} cases, {len(self.failures)} failed")
        if self.failures:
            print(f"TILEC_SEED={SEED} repeats this")
        sys.exit(1 if self.failures else 0)
