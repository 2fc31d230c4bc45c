#!/bin/sh
# package.sh TILEC SOURCE - kernels that use other files: where they are looked for, --define
. "$(dirname "$0")/expect.inc"
mkdir -p "$folder/pkg/ops" "$folder/far/lib" "$folder/open"
head='import triton
import triton.language as tl
'
cat >"$folder/pkg/ops/kernel.py" <<EOF
from ..sizes import SMS, WIDTH
from ..helpers import add
from lib.scale import scale
$head
LIMIT = SMS // 2


@triton.jit
def near(x):
    tl.store(x, add(tl.load(x), WIDTH))


@triton.jit
def far(x):
    tl.store(x, scale(tl.load(x)))


@triton.jit
def asked(x):
    tl.store(x, SMS)


@triton.jit
def own(x):
    tl.store(x, LIMIT)


@triton.jit
def typed(x):
    tl.store(x, tl.load(x).to(DTYPE) + PAIR[1])
EOF
cat >"$folder/pkg/sizes.py" <<EOF
from host import count
$head
SMS = tl.constexpr(count())
WIDTH = tl.constexpr(8)
EOF
printf '%s\n@triton.jit\ndef add(a, b): return a + b\n' "$head" >"$folder/pkg/helpers.py"
printf '%s\n@triton.jit\ndef scale(a): return a * 3\n' "$head" >"$folder/far/lib/scale.py"
cd "$folder" || exit 1

run() {
    kernel=$1
    shift
    "$tilec" run "pkg/ops/kernel.py:$kernel" --device interp --grid 1 x="ones(fp32,1)" --show x "$@"
}
expect 0 out "9." run near
(cd pkg/ops && expect 0 out "9." "$tilec" run kernel.py:near --grid 1 x="ones(fp32,1)" --show x &&
    [ $failed = 0 ]) || failed=1
expect 1 err "it was looked for in pkg/ops, pkg, ." run far
expect 1 err "--path DIR" run far
expect 0 out "3." run far --path nowhere --path far
expect 0 out "3." run far --path="$folder/far"
expect 2 err "--path needs a value behind it" run far --path

# functions that the file imports, or that the language has, as arguments
cat >pkg/given.py <<EOF
from . import helpers
from .helpers import add
from .many import *
import triton.language.extra.libdevice as libdevice
$head

@triton.jit
def one(x, F: tl.constexpr):
    tl.store(x, F(tl.load(x) + 1.0))


@triton.jit
def two(x, F: tl.constexpr):
    tl.store(x, F(tl.load(x) + 1.0, 2.0))


@triton.jit
def both(x, FS: tl.constexpr):
    tl.store(x, FS[0](FS[1](tl.load(x) + 3.0, 2.0)))
EOF
printf '%s\nfrom .helpers import add as plus\n@triton.jit\ndef half(a): return a / 2\n' "$head" >pkg/many.py
given() {
    kernel=$1
    shift
    "$tilec" run "pkg/given.py:$kernel" --device interp --grid 1 x="ones(fp32,1)" --show x "$@"
}
for f in add helpers.add plus; do
    expect 0 out "4." given two F=$f
done
expect 0 out "1." given one F=half
expect 0 out "1.4142135" given one F=tl.sqrt
expect 0 out "1.4142135" given one F=libdevice.sqrt
expect 0 out "2.4494898" given both FS="(tl.sqrt,add)"
expect 2 err "'addd' is not an earlier argument, a function or a dtype" given two F=addd
expect 2 err "tl has no attribute \`sqrd\`" given one F=tl.sqrd

# parts of packages that mean nothing to kernels: only where --path says that they are
mkdir -p site/torch/_inductor/runtime
echo 'finfo = None' >site/torch/__init__.py # which stays closed
printf '%s\nfrom .compat import tl as language\n@triton.jit\ndef six(a): return a * language.full((), 6, language.float32)\n' \
    "$head" >site/torch/_inductor/runtime/helpers.py
printf 'try:\n    import triton.language as tl\nexcept ImportError:\n    class tl:\n        pass\n' \
    >site/torch/_inductor/runtime/compat.py
cat >written.py <<EOF
$head
import torch
from torch._inductor.runtime import helpers
from torch._inductor.runtime.helpers import six

EPS: tl.constexpr = torch.finfo(torch.float16).eps


@triton.jit
def k(x):
    tl.store(x, helpers.six(tl.load(x)) + six(1.0) + EPS * 1024)
EOF
written() {
    "$tilec" run written.py --device interp --grid 1 x="ones(fp32,1)" --show x "$@"
}
expect 0 out "13." written --path site
expect 1 err "\`helpers\` comes from module \`torch._inductor.runtime\`, which cannot be read here" written
grep -qF "hint: modules of \`torch\` are looked for in the folders of --path alone; --path DIR names the folder" \
    "$folder/err" || wrong "no word of --path"
expect 1 err "hint: modules of \`torch\` are looked for in the folders of --path alone" written --path far

# what decorators name
cat >pkg/tuned.py <<EOF
from . import settings
from .compat import language, triton as tr
from .settings import CONFIGS, is_wide, twice
from .ops.kernel import *


@tr.autotune(configs=CONFIGS + [settings.one(64)], key=["n"])
@tr.heuristics({"WIDE": is_wide, "SIZE": lambda args: twice(args["n"]) + settings.MORE,
                "HALF": lambda args: args["x"].dtype == language.float16})
@tr.jit
def tuned(x, n, BLOCK: language.constexpr, WIDE: language.constexpr, SIZE: language.constexpr,
          HALF: language.constexpr):
    language.store(x, BLOCK + SIZE + (1 if WIDE else 2) + (0 if HALF else 1000))
EOF
cat >pkg/settings.py <<EOF
from .compat import language, triton
from .ops.limits import *

WARPS = [4, 8]
CONFIGS = [triton.Config({"BLOCK": 32 * n}, num_warps=w) for n in range(1, 3) for w in WARPS]
MORE = LEAST + 3


def twice(n):
    return n * FACTOR


def is_wide(args):
    return args["n"] > LEAST


def one(n):
    return triton.Config({"BLOCK": n})
EOF
cat >pkg/compat.py <<EOF
try:
    import triton
    from triton import language
except ImportError:
    triton = language = None
EOF
printf '__all__ = ["LEAST"]\n__all__ += ["FACTOR"]\nLEAST = 5\nFACTOR = 2\n' >pkg/ops/limits.py
tuned() {
    "$tilec" run pkg/tuned.py:tuned --device interp --grid 1 --show x "$@"
}
expect 0 out "1067." tuned x="ones(fp32,1)" n=13 # 32 + (2 * 13 + 8) + 1 + 1000
expect 0 out "50." tuned x="ones(fp16,1)" n=4    # 32 + (2 * 4 + 8) + 2
expect 0 out "58." tuned x="ones(fp16,1)" n=4 --define settings.MORE=16

# a define decides what a host \`if\` does, also in a file that is imported
cat >pkg/choice.py <<EOF
$head
from host import is_hopper
HOPPER = is_hopper()
if HOPPER:
    STAGES = tl.constexpr(4)
else:
    STAGES = tl.constexpr(2)
EOF
printf '%s\nfrom .choice import STAGES\n@triton.jit\ndef k(x): tl.store(x, STAGES)\n' "$head" >pkg/k.py
choice() {
    "$tilec" run pkg/k.py --device interp --grid 1 --show x x="ones(fp32,1)" "$@"
}
expect 1 err "depends on a condition outside" choice
expect 0 out "4." choice --define choice.HOPPER=True
expect 0 out "2." choice --define choice.HOPPER=False
expect 0 out "9." choice --define choice.STAGES=9

# a define is of a name of the module, not of an attribute of a class
printf '%s\nclass C:\n    W = 3\nW = 4\n@triton.jit\ndef k(x): tl.store(x, C.W * 10 + W)\n' "$head" >pkg/c.py
expect 0 out "35." "$tilec" run pkg/c.py --device interp --grid 1 --show x x="ones(fp32,1)" --define W=5

# long chains and circles of imports
{
    echo "$head"
    awk 'BEGIN { for (i = 100000; i > 0; i--) printf "from .chain import a%d as a%d\n", i, i - 1 }'
    printf 'import triton.language as a100000\n'
    printf '@triton.autotune(configs=a0, key=[])\n@triton.jit\ndef long(x): tl.store(x, a0)\n'
    printf '@triton.jit\ndef short(x): a99990.store(x, 3)\n'
    printf '@triton.jit\ndef unknown(x): tl.store(x, a5 + a50000)\n'
} >pkg/chain.py
expect 1 err "is reached through too many imports" "$tilec" run pkg/chain.py:long --grid 1 x="ones(fp32,1)"
expect 0 out "3." "$tilec" run pkg/chain.py:short --device interp --grid 1 x="ones(fp32,1)" --show x
expect 1 err "is reached through too many imports" "$tilec" run pkg/chain.py:unknown --grid 1 x="ones(fp32,1)"

# a folder above that everybody may write to is not asked
expect 1 err "it was looked for in pkg/ops, pkg, ., " run far
mkdir -p open/sub open/lib && chmod 777 open && cp pkg/ops/kernel.py open/sub/k.py
cp far/lib/scale.py open/lib/
expect 1 err "it was looked for in open/sub, ., " "$tilec" dump open/sub/k.py:far --stage ir "x:*fp32"
chmod 755 open
expect 0 out "mul" "$tilec" dump open/sub/k.py:far --stage ir "x:*fp32"

# nor is a module read that another user may have written, but where --path says so, or the kernel's file is as open
mkdir -p mine/lib && cp far/lib/scale.py mine/lib/ && cp pkg/ops/kernel.py mine/k.py
strange() { # WHY COMMAND... : the module is refused, and read with --path
    why=$1
    shift
    "$@"
    expect 1 err "mine/lib/scale.py is not read, since $why; where that is all right --path mine/lib says so" \
        "$tilec" dump mine/k.py:far --stage ir "x:*fp32"
    expect 0 out "mul" "$tilec" dump mine/k.py:far --stage ir "x:*fp32" --path mine/lib
    (cd mine/lib && expect 0 out "mul" "$tilec" dump ../k.py:far --stage ir "x:*fp32" --path . && [ $failed = 0 ]) || failed=1
}
strange "everybody may write to it" chmod 666 mine/lib/scale.py
chmod 664 mine/lib/scale.py
strange "everybody may write to its folder" chmod 777 mine/lib
chmod 777 mine
expect 0 out "mul" "$tilec" dump mine/k.py:far --stage ir "x:*fp32"
chmod 775 mine
for mode in 1777 775; do
    chmod "$mode" mine/lib
    expect 0 out "mul" "$tilec" dump mine/k.py:far --stage ir "x:*fp32"
done
if [ "$(id -u)" = 0 ]; then
    strange "it belongs to another user" chown 12345 mine/lib/scale.py
    chown 12345 mine/k.py
    expect 0 out "mul" "$tilec" dump mine/k.py:far --stage ir "x:*fp32"
fi

# what Python would compute
expect 1 err "say it with --define sizes.SMS=VALUE" run asked
expect 1 err "pkg/sizes.py:" run asked
expect 0 out "108." run asked --define sizes.SMS=108
expect 0 out "109." run asked --define pkg.sizes.SMS=109
expect 0 out "110." run asked --define SMS=110
expect 0 out "7." run asked --define SMS=110 --define SMS=7
expect 0 out "54." run own --define sizes.SMS=108
expect 1 err "say it with --define LIMIT=VALUE" run own
expect 0 out "5." run own --define LIMIT=2+3
expect 0 out "4.5" run typed --define DTYPE=fp16 --define "PAIR=(1, 3.5)"
expect 0 out "4.5" run typed --define DTYPE=tl.float16 --define "PAIR=(1, 3.5)"
expect 1 err "\`DTYPE\` is not defined" run typed --define other.DTYPE=fp16 --define "PAIR=(1, 3.5)"
expect 0 err "the value given for \`SSM\` is not used: no file" run asked --define SMS=1 --define SSM=1
expect 0 err "the value given for \`other.SMS\` is not used" run asked --define SMS=1 --define other.SMS=1
# these are bound, though this kernel needs neither
expect 0 out "9." run near --define LIMIT=1 --define sizes.SMS=1
! grep -q "not used" "$folder/err" || wrong "a define that matches was called unused"
expect 1 err "the value given for \`SMS\` cannot be evaluated" run asked --define SMS=nothing
expect 1 err "\`SMS\` cannot be defined so" run asked --define "SMS=1;2"
expect 1 err "\`SMS\` cannot be defined so" run asked --define "SMS=(1"
expect 1 err "cannot be defined so" run asked --define "3=4"
expect 2 err "--define needs NAME=VALUE, not 'SMS'" run asked --define SMS
expect 2 err "--define needs NAME=VALUE, not 'SMS='" run asked --define SMS=
finish
