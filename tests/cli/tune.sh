#!/bin/sh
# tune.sh TILEC SOURCE - `run --tune`: what is tried, what is recommended, and what later runs take
. "$(dirname "$0")/expect.inc"
mkdir "$folder/cache"
export TILEC_CACHE_DIR="$folder/cache"

cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def copy(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)

@triton.jit
def wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m)
    if B == 64:
        v = tl.where(i == n - 1, v + 1, v)
    tl.store(out + i, v, mask=m)

@triton.jit
def bump(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    old = tl.load(x + i, mask=i < n)
    tl.device_assert(old < 1, "it was not fresh")
    tl.store(x + i, old + 1, mask=i < n)

@triton.autotune(configs=[triton.Config({"B": 1}), triton.Config({"B": 1024}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def tuned(x, out, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.static_print("EVEN", EVEN)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
KERNEL

cat >"$folder/c.py" <<'KERNEL'
import triton
import triton.language as tl
from repository import runtime

def zero(args):
    args["x"].zero_()

def configs():
    if triton.runtime.driver.active.get_current_target().backend == "hip":
        return [triton.Config({"B": 16, "waves_per_eu": 2})]
    return [triton.Config({"B": b, "waves_per_eu": 2}, num_ctas=1, pre_hook=zero) for b in [256, 512, 1024]]

@triton.autotune(configs=list(filter(lambda c: c.kwargs["B"] > 256, configs())), key=["n"])
@triton.jit
def chosen(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)

@triton.autotune(configs=runtime.get_tuned_config("k"), key=["n"])
@triton.jit
def loaded(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
KERNEL


tune() {
    kernel=$1
    shift
    "$tilec" run "$folder/k.py:$kernel" --grid 'cdiv(n,B)' n=65536 x='rand(fp32,n)' \
        out='empty(fp32,n)' --time=5 "$@"
}

# one program an element is far slower than 64 tiles
expect 0 out "fastest: B=1024" tune copy --tune B=1,1024
grep -qE "^B=1024 .* 1\.00  fastest$" "$folder/out" || wrong "no row for the fastest"
grep -qE " times as fast as B=1$" "$folder/out" || wrong "by how much?"
grep -qF "hint: B=1 costs" "$folder/out" || wrong "no hint for CPUs"
expect 0 out '"fastest": "B=1024", "significant": true, "configurations": [{"configuration": "B=1", "median_s": ' \
    tune copy --tune B=1,1024 --json
grep -qE '"configuration": "B=1", [^}]*"slower": true' "$folder/out" || wrong "it is slower"

# two that are one: no difference is real, unless what else the machine does seems to be one; then it is tried again
settles() { # TEXT COMMAND... : one of some tries prints it
    text=$1
    shift
    for try in 1 2 3 4 5 6 7 8 9 10; do
        expect 0 out "" "$@"
        ! grep -qF -- "$text" "$folder/out" || return 0
    done
    wrong "never '$text': $*"
}
settles "within the noise" tune copy --tune B=1024 --tune num_warps=4,8
settles '"significant": false' tune copy --tune B=1024 --tune num_warps=4,8 --json
for combination in "B=512 num_warps=4" "B=512 num_warps=8" "B=1024 num_warps=4" "B=1024 num_warps=8"; do
    expect 0 out "$combination " tune copy --tune B=512..1024*2 --tune num_warps=4,8
done

# what gives something else is named, and never recommended
expect 1 err "tilec: B=64 gives another 'out' than B=32: it is not recommended, however fast" \
    tune wrong --tune B=32,64,128
grep -qE "^B=64 .*differs in 'out'$" "$folder/out" || wrong "no note"
grep -qE "^fastest: B=(32|128)" "$folder/out" || wrong "none is recommended"
expect 1 err "tilec: B=64 gives another 'out' than B=32" tune wrong --tune B=64,32,128

# of one grid for all, those that leave elements out are wrong, however many they are
of_one_grid() { "$tilec" run "$folder/k.py:copy" n=4096 x='rand(fp32,n)' out='empty(fp32,n)' --grid 4 --time=2 "$@"; }
expect 1 err "tilec: B=256 leaves 3072 elements of 'out' as \`empty\` made them, which B=1024 writes" \
    of_one_grid --tune B=256,512,1024
expect 1 err "hint: both have one grid: cdiv(n, BLOCK) goes with the parameter" of_one_grid --tune B=256,512,1024
expect 1 out "fastest: B=1024" of_one_grid --tune B=256,512,1024
expect 1 out '"configuration": "B=64", "differs_in": "out"' tune wrong --tune B=32,64,128 --json

expect 0 err "tilec: B=64: out: " tune wrong --tune B=64,128 --compare out=x
expect 0 out "fastest: B=128" tune wrong --tune B=64,128 --compare out=x

# a reference that another device makes leaves the arrays of the others as they were
for reference in interp sim; do
    expect 0 out "fastest: B=" tune copy --tune B=256,512,1024 --compare out=$reference
    grep -q "gives another" "$folder/err" && wrong "all give what $reference does"
    expect 1 err "tilec: B=64 gives another 'out' than B=32: it is not recommended" \
        tune wrong --tune B=32,64,128 --compare $reference
    expect 0 out "fastest: B=" "$tilec" run "$folder/k.py:bump" --grid 'cdiv(n,B)' n=512 \
        x='zeros(i32,n)' --tune B=64,128 --time=3 --compare $reference
    expect 0 out "fastest: B=1024 num_warps=8" tune tuned --tune --compare $reference
done
rm "$folder"/cache/*.tuned

# what fails costs no other; arrays are as they were for each run
expect 0 err "tilec: B=0: --grid: division by zero" tune copy --tune B=0,64
expect 0 out "fastest: B=64" tune copy --tune B=0,64
expect 1 err "--tune: no configuration runs" tune copy --tune=B=0
for device in cpu sim; do
    expect 0 out "fastest: B=" "$tilec" run "$folder/k.py:bump" --grid 'cdiv(n,B)' n=512 \
        x='zeros(i32,n)' --tune B=64,128 --time=3 --device $device
done
# an array may depend on what is tuned
expect 0 out "fastest: B=" "$tilec" run "$folder/k.py:copy" --grid 'cdiv(n,B)' n=1000 x='rand(fp32,n)' \
    out='empty(fp32,B*cdiv(n,B))' --tune B=256,512 --time=3

# autotune: nothing is kept before, then it is used for this key, and gives way to what is given
use() {
    "$tilec" run "$folder/k.py:tuned" --grid 'cdiv(n,B)' n=65536 x='rand(fp32,n)' \
        out='empty(fp32,n)' --json "$@"
}
expect 0 out '"grid": [65536, 1, 1]' use
expect 0 out "fastest: B=1024 num_warps=8" tune tuned --tune
[ "$(ls "$folder/cache" | grep -c '\.tuned$')" = 1 ] || wrong "nothing is kept"
expect 0 out '"grid": [64, 1, 1]' use
grep -qF '"tuned": "B=1024 num_warps=8' "$folder/out" || wrong "the object does not say so"
[ "$(grep -cF "tilec: tuned: B=1024 num_warps=8" "$folder/err")" = 1 ] || wrong "not said once"
grep -qF "EVEN True" "$folder/err" || wrong "the heuristic has another block size"
expect 0 out '"grid": [128, 1, 1]' use B=512
grep -qF '"tuned":' "$folder/out" && wrong "what is given is not tuned"
expect 0 out '"grid": [65536, 1, 1]' use --device interp # another device
expect 0 out '"grid": [65536, 1, 1]' use --threads 1
use2() {
    "$tilec" run "$folder/k.py:tuned" --grid 'cdiv(n,B)' "$@" out='empty(fp32,n)' --json
}
expect 0 out '"grid": [4096, 1, 1]' use2 n=4096 x='rand(fp32,n)'
expect 0 out '"grid": [65536, 1, 1]' use2 n=65536 x='rand(fp16,n)'
for file in "$folder"/cache/*.tuned; do
    echo damage >"$file"
done
expect 0 out '"grid": [65536, 1, 1]' use
expect 0 out "fastest" tune tuned --tune
sed -i 's/return tl/&/; s/"EVEN", EVEN/"even", EVEN/' "$folder/k.py" # another text of the kernel
expect 0 out '"grid": [65536, 1, 1]' use

# what a CPU has no use for makes no other code, and is timed once
cat >"$folder/warps.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": 256}, num_warps=w) for w in (2, 4)], key=["n"])
@triton.jit
def warps(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
KERNEL
of_warps() { "$tilec" run "$folder/warps.py" --grid 'cdiv(n,B)' n=1000 x='zeros(fp32,n)' --tune --time=2 "$@"; }
expect 0 out "" of_warps
grep -qE "^B=256 num_warps=4 .*  the same code as B=256 num_warps=2$" "$folder/out" || wrong "equal code is not told"
expect 0 out '"configuration": "B=256 num_warps=4"' of_warps --json
grep -qF '"same_as": "B=256 num_warps=2"' "$folder/out" || wrong "equal code is not in the object"
! of_warps --device sim | grep -qF "the same code" || wrong "a GPU's warps are code"

# .. nor for registers, which a GPU's code depends on; None and 0 say nothing
sed 's/num_warps=w) for w in (2, 4)/maxnreg=r) for r in (None, 0, 40)/' "$folder/warps.py" >"$folder/registers.py"
of_registers() { "$tilec" run "$folder/registers.py" --grid 'cdiv(n,B)' n=1000 x='zeros(fp32,n)' --tune --time=2 "$@"; }
expect 0 out "" of_registers
grep -qE "^B=256 maxnreg=40 .*  the same code as B=256$" "$folder/out" || wrong "registers are a CPU's code"
expect 0 out "" of_registers --device sim
grep -qE "^B=256 maxnreg=0 .*  the same code as B=256$" "$folder/out" || wrong "maxnreg=0 is code"
! grep -qE "^B=256 maxnreg=40 .*  the same code" "$folder/out" || wrong "a GPU's registers are no code"

# what is Python's is told
cat >"$folder/pruned.py" <<'KERNEL'
import triton
import triton.language as tl

def early(configs, named_args, **kwargs):
    return configs[:1]

@triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 64})], key=["n"],
                 prune_configs_by={"early_config_prune": early}, reset_to_zero=["o"])
@triton.jit
def count(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o, tl.sum(tl.load(x + i, mask=i < n, other=0)))
KERNEL
pruned() {
    "$tilec" run "$folder/pruned.py" --grid 'cdiv(n,B)' n=512 x='ones(fp32,n)' --time=3 "$@"
}
expect 0 err "warning: --tune: prune_configs_by of @triton.autotune: all configurations are tried" \
    pruned o='zeros(fp32,1)' --tune --compare o=512
grep -q "reset_to_zero of @triton.autotune: each run begins with the arrays as the command line" "$folder/err" ||
    wrong "nothing about reset_to_zero"
grep -cE "^B=(32|64) " "$folder/out" | grep -q 2 || wrong "both are tried"
expect 0 err "" pruned o='zeros(fp32,1)' --tune B=32,64
! grep -q prune "$folder/err" || wrong "--tune B=.. does not look at @triton.autotune"

# configurations that functions make: by target, filtered, with hooks and options of other devices
of_c() {
    kernel=$1
    shift
    "$tilec" run "$folder/c.py:$kernel" n=1000 x='zeros(fp32,n)' "$@"
}
expect 0 out '"grid": [2, 1, 1]' of_c chosen --grid 'cdiv(n,B)' --json
expect 0 out "fastest: B=" of_c chosen --grid 'cdiv(n,B)' --tune --time=2
grep -qF "waves_per_eu" "$folder/out" && wrong "an option that means nothing here"
[ "$(grep -cF "note: the pre_hook of the configurations, \`zero\`, is Python, which is not run" "$folder/err")" = 1 ] ||
    wrong "the hook is not told once"
expect 0 out '"tuned": "B=' of_c chosen --grid 'cdiv(n,B)' --json
expect 0 out "  configurations: 2, of which a call takes the first: B=512 waves_per_eu=2 num_ctas=1" \
    "$tilec" list "$folder/c.py:chosen"
grep -qF "  whose pre_hook, \`zero\`, is Python, which is not run" "$folder/out" || wrong "list tells no hook"
expect 0 out '"configurations": 2, "first_configuration": "B=512 waves_per_eu=2 num_ctas=1", "configuration_problem": null, "pre_hook": "zero"' \
    "$tilec" list "$folder/c.py:chosen" --json

# a list that is changed behind its first assignment
cat >"$folder/grown.py" <<'KERNEL'
import triton
import triton.language as tl

CONFIGS = [triton.Config({"B": 128})]
CONFIGS += [triton.Config({"B": 256})]
CONFIGS.append(triton.Config({"B": 512}))
if True:
    CONFIGS = CONFIGS + [triton.Config({"B": 1024})]
LOOP = [triton.Config({"B": 128})]
for b in (256, 512):
    LOOP.append(triton.Config({"B": b}))

@triton.autotune(CONFIGS, key=["n"])
@triton.jit
def grown(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)

@triton.autotune(LOOP, key=["n"])
@triton.jit
def looped(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
KERNEL
expect 0 out "fastest: B=" "$tilec" run "$folder/grown.py:grown" --grid 'cdiv(n,B)' n=1000 x='zeros(fp32,n)' \
    --tune --time=2
for size in 128 256 512 1024; do
    grep -qE "^ *B=$size( |\$)" "$folder/out" || wrong "the configuration B=$size was not tried"
done
expect 0 out "configurations: 4, of which a call takes the first: B=128" "$tilec" list "$folder/grown.py:grown"
expect 2 err "grown.py:11:5: the configurations of @triton.autotune cannot be told from the file: \`LOOP\` is changed here in a loop" \
    "$tilec" run "$folder/grown.py:looped" --grid 'cdiv(n,B)' n=1000 x='zeros(fp32,n)'

# one that other files begin, that an `if` may change, or that grows often
printf 'import triton\nCONFIGS = [triton.Config({"B": 128})]\n' >"$folder/begun.py"
{
    printf 'import os\nimport triton\nimport triton.language as tl\nfrom begun import CONFIGS\n'
    printf 'CONFIGS += [triton.Config({"B": 256})]\n'
    printf 'OPEN = [triton.Config({"B": 64})]\nif os.cpu_count() > 1000000:\n    OPEN.append(triton.Config({"B": 512}))\nMANY = []\n'
    for i in $(seq 40); do echo "MANY.append(triton.Config({\"B\": $((16 * i))}))"; done
    for list in CONFIGS OPEN MANY '[triton.Config({"BLOCK": 64})]'; do
        name=$(echo "$list" | tr -cd '[:alpha:]' | tr '[:upper:]' '[:lower:]' | cut -c1-7)
        printf '\n@triton.autotune(%s, key=["n"])\n@triton.jit\n' "$list"
        printf 'def k_%s(x, n, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(x + i, 1.0, mask=i < n)\n' "$name"
    done
} >"$folder/lists.py"
of_lists() { # NAME WORDS: a run of it
    name=$1 && shift
    "$tilec" run "$folder/lists.py:$name" --grid 'cdiv(n,B)' n=1000 x='zeros(fp32,n)' "$@"
}
expect 0 out "configurations: 2, of which a call takes the first: B=128" "$tilec" list "$folder/lists.py:k_configs"
expect 0 out "fastest: B=" of_lists k_configs --tune --time=2
grep -qE "^ *B=128 " "$folder/out" && grep -qE "^ *B=256 " "$folder/out" || wrong "an imported list that is added to"
expect 0 out "configurations: 40, of which a call takes the first: B=16" "$tilec" list "$folder/lists.py:k_many"
expect 0 out "" of_lists k_open
expect 0 out "  of which number 2 is unknown: $folder/lists.py:8:5: the configurations of @triton.autotune cannot be told from the file: \`OPEN\` changes here under a condition that only Python can decide" \
    "$tilec" list "$folder/lists.py:k_open"
expect 0 err "configuration 2 of @triton.autotune is left out: $folder/lists.py:8:5: " of_lists k_open --tune --time=2
expect 2 err "@triton.autotune gives BLOCK, which the kernel has not: is B meant?" of_lists k_tritonc

# those that the file does not tell: what stopped it, its place, what to do
untold="$folder/c.py:19:26: the configurations of @triton.autotune cannot be told from the file: what \`repository.runtime.get_tuned_config\` is cannot be known here"
expect 2 err "hint: it has no value: give B=...; $untold" of_c loaded --grid 'cdiv(n,B)'
expect 1 err "hint: it comes from \`runtime.get_tuned_config(\"k\")\`, which is not a constant" of_c loaded --grid 4
grep -qF "c.py:19:26: note: what \`repository.runtime.get_tuned_config\` is" "$folder/err" || wrong "no place"
expect 2 err "kernel 'loaded' has no configuration that the file tells; write what to try" \
    of_c loaded --grid 'cdiv(n,B)' --tune
grep -qF "warning: configuration 1 of @triton.autotune is left out: $untold" "$folder/err" || wrong "why?"
expect 0 out "fastest: B=" of_c loaded --grid 'cdiv(n,B)' --tune B=128,256 --time=2
expect 0 out "  whose block sizes are unknown: $untold" "$tilec" list "$folder/c.py:loaded"
expect 0 out '"configuration_problem": "' "$tilec" list "$folder/c.py:loaded" --json

expect 2 err "hint: it has no value: give n=...; it has no default" "$tilec" run "$folder/k.py:copy" \
    --grid 'cdiv(n,B)' x='zeros(i32,1)' B=1

# what --show and --save say is what the fastest gives, once, on the arrays as they were
best() { "$tilec" run "$folder/k.py:bump" n=4 x='zeros(i32,4)' --grid 'cdiv(n,B)' --tune B=2,4 --time=2 "$@"; }
expect 0 out "1 1 1 1" best --show x --save x="$folder/x.npy"
grep -q "fastest: B=" "$folder/out" && [ -s "$folder/x.npy" ] || wrong "--show and --save beside --tune"
expect 2 err "there is no such argument" best --show z

# mistakes
expect 2 err "kernel 'copy' has no @triton.autotune; write what to try" tune copy --tune
expect 2 err "'B' is given, and the configurations of @triton.autotune give it" tune tuned --tune B=64
expect 2 err "--tune needs NAME=A,B,C" tune copy --tune=B
expect 2 err "'B' is there twice; one list has all: --tune B=64,128,256,512" \
    tune copy --tune B=64,128 --tune B=256,512
expect 2 err "--tune B=256: of one value there is nothing to choose; one list has all that is to be tried" \
    tune copy --tune B=64,128 --tune B=256
expect 2 err "--count is for one" tune copy --tune B=1,2 --count
expect 2 err "all make many calls: one of them at a time" tune copy --tune B=1,2 --sweep
expect 2 err "the kernel has no parameter 'C'" tune copy --tune C=1,2 B=64
finish
