#!/bin/sh
# profile.sh TILEC SOURCE - where `run --profile` says the time of a kernel goes
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
python=$("$source/tools/python.sh") || exit 1
TILEC_CACHE_DIR=$folder/cache
export TILEC_CACHE_DIR

mkdir -p work/deep
cat >work/deep/helper.py <<'END'
import triton
import triton.language as tl


@triton.jit
def slow(x):
    for i in tl.static_range(6):
        x = tl.exp(tl.sin(x))
    return x
END
cat >work/kernel.py <<'END'
import triton
import triton.language as tl

from deep.helper import slow


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(out + at, slow(v) + 1, mask=at < n)
END

profile() {
    "$tilec" run work/kernel.py:kernel --grid 'cdiv(n,BLOCK)' x='rand(fp32,100000)' out='empty(fp32,100000)' n='x.numel()' \
        BLOCK=1024 --profile "$@"
}

# where SCRIPT COMMAND... : the script finds in the object of the command what must be so each time, and in one of some
# tries what is about times, which other work on the machine may disturb
where() {
    script=$1
    shift
    for try in 1 2 3 4 5 6 7 8 9 10; do
        expect 0 out '"profile"' "$@"
        "$python" "$script" out $clock >problems 2>&1 || break
        [ -s problems ] || return
    done
    wrong "not as it should be: $(cat problems)"
}

# the line of all the work has most of the time, and each line its bytes and operations, whoever takes
# the samples
cat >by_clock.py <<'END'
import json, sys

result = json.load(open(sys.argv[1]))
profile, median = result["profile"], result["median_s"]
lines = {(line["file"], line["line"]): line for line in profile["lines"]}
slow = lines["work/deep/helper.py", 8]
load, store = lines["work/kernel.py", 10], lines["work/kernel.py", 11]
counted = sys.argv[2] == "cycles"
checks = {
    "clock": profile["clock"].rstrip("p").rstrip(":") == sys.argv[2],
    "counters": 0.1 < slow.get("ipc", 1) < 20 and ("ipc" in slow) <= counted,
    "sum": sum(line["samples"] for line in lines.values()) == profile["samples"],
    "shares": abs(sum(line["share"] for line in lines.values()) - 1) < 1e-3,
    "source": slow["source"] == "x = tl.exp(tl.sin(x))",
    "operations": slow["flops"] == 98 * 1024 * 12 and slow["bytes"] == 0,
    "load": load["bytes"] == 100000 * 4 and load["flops"] == 0,
    "store": store["bytes"] == 100000 * 4 and store["flops"] == 98 * 1024,
    "roofline": 0 < slow.get("roofline", 0.5) < 1 and 0 < profile["roofline"] <= 1,
    "no line above it": all(line.get("roofline", 1) <= 1 for line in lines.values()),
    "moving bytes is at least what memory does": all(
        line["roofline"] >= 0.99 * min(profile["roofline"], 8e5 / profile["peak_bytes_per_s"] / median)
        for line in (load, store) if "roofline" in line),
    "few samples, no rates": all(line["samples"] >= 10 for line in lines.values() if "roofline" in line),
    "files": {file for file, _ in lines} - {None} == {"work/kernel.py", "work/deep/helper.py"},
    "peaks": profile["peak_bytes_per_s"] > 1e6 and profile["peak_flop_per_s"] > 1e6,
    "peaks of products": profile["peak_int8_flop_per_s"] > 1e6 and profile["peak_bf16_flop_per_s"] > 1e6,
}
times = {
    "samples": profile["samples"] >= 20,
    "most": slow["share"] > 0.5 and "roofline" in slow,
    "nearest caches": profile["peak_near_bytes_per_s"] > profile["peak_bytes_per_s"] * 0.7,
    "peaks": profile["peak_bytes_per_s"] > 1e8 and profile["peak_flop_per_s"] > 1e8,
}
wrong = [name for name, good in checks.items() if not good]
print(end=" ".join(wrong or [name for name, good in times.items() if not good]))
sys.exit(1 if wrong else 0)
END
for clock in cycles cpu-clock timer; do
    TILEC_SAMPLES=$clock
    export TILEC_SAMPLES
    if profile --json >out 2>err; then
        where by_clock.py profile --json
    else
        grep -q "the system gives no samples of the kind" err || wrong "with $clock: $(cat err)"
        echo "skipped: no samples by $clock here"
    fi
done
unset TILEC_SAMPLES clock
long=$folder/a_folder_of_a_long_name/and_one_more_in_it
mkdir -p "$long"
cp -r work/kernel.py work/deep "$long"
expect 0 out "../and_one_more_in_it/kernel.py:11 " "$tilec" run "$long/kernel.py:kernel" --grid 98 x='rand(fp32,100000)' \
    out='empty(fp32,100000)' n='x.numel()' BLOCK=1024 --profile
expect 1 err "TILEC_SAMPLES is none of" env TILEC_SAMPLES=sundial "$tilec" run work/kernel.py:kernel --grid 4 \
    x='rand(fp32,4096)' out='empty(fp32,4096)' n=4096 BLOCK=1024 --profile

# bytes of tails are those that there are: a product in three dimensions of which none fits, and sums in a loop
cat >work/layer_norm.py <<'END'
import triton
import triton.language as tl


@triton.jit
def layer_norm_loop_kernel(x, y, weight, bias, mean, rstd, stride, n_cols, eps,
                           BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride

    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        sums += tl.load(x + columns, mask=columns < n_cols, other=0.0).to(tl.float32)
    average = tl.sum(sums, axis=0) / n_cols

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + columns, mask=columns < n_cols, other=0.0).to(tl.float32)
        centred = tl.where(columns < n_cols, values - average, 0.0)
        squares += centred * centred
    variance = tl.sum(squares, axis=0) / n_cols
    scale = 1 / tl.sqrt(variance + eps)

    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        inside = columns < n_cols
        values = tl.load(x + columns, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + columns, mask=inside).to(tl.float32)
        b = tl.load(bias + columns, mask=inside).to(tl.float32)
        tl.store(y + columns, (values - average) * scale * w + b, mask=inside)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
END
cat >work/product.py <<'END'
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        kk = k + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + kk[None, :], mask=(m[:, None] < M) & (kk[None, :] < K), other=0.0)
        y = tl.load(b + kk[:, None] * N + n[None, :], mask=(kk[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
END
expect 0 out "" "$tilec" run work/product.py --grid 'cdiv(M,BM),cdiv(N,BN)' a='rand(fp32,300x500)' b='rand(fp32,500x200)' \
    c='empty(fp32,300x200)' M=300 N=200 K=500 BM=64 BN=64 BK=32 --profile --json
cp out product.json
expect 0 out "" "$tilec" run work/layer_norm.py:layer_norm_loop_kernel --grid 100 x='randn(fp32,100x781)' \
    y='empty(fp32,100x781)' weight='randn(fp32,781)' bias='randn(fp32,781)' mean='empty(fp32,100)' rstd='empty(fp32,100)' \
    stride='x.stride(0)' n_cols=781 eps=1e-5 BLOCK=256 --profile --json
cp out norm.json
"$python" - >problems <<'END' || wrong "no profile of known traffic"
import json


def run(path):
    result = json.load(open(path))
    lines = result["profile"]["lines"]
    if abs(sum(line["flops"] for line in lines) / result["flops"] - 1) > 1e-9:
        print("operations of", path)
    if abs(sum(line["seconds"] for line in lines) / result["median_s"] - 1) > 1e-3:
        print("time of", path)
    return {line["source"].split("(")[0]: line["bytes"] for line in lines if line["bytes"]}, lines


moved, _ = run("product.json")
wanted = {"x = tl.load": 4 * 300 * 500 * 4, "y = tl.load": 4 * 500 * 200 * 5, "tl.store": 4 * 300 * 200}
if moved != wanted:
    print("product:", moved)
_, lines = run("norm.json")
moved = sorted(line["bytes"] for line in lines if line["bytes"])
if moved != 2 * [4 * 100] + 6 * [4 * 100 * 781]:
    print("layer norm:", moved)
END
[ "$(cat problems)" = "" ] || wrong "not the traffic that there is: $(cat problems)"

# the reference of --compare is not profiled, nor traced
expect 0 out "out: agrees with sim in 4096" "$tilec" run "$source/kernels/add.py" --grid 'cdiv(n,BLOCK)' n=4096 \
    x='rand(fp32,n)' y=x out='empty(fp32,n)' BLOCK=1024 --profile --compare out=sim

# what depends on data has times alone
cat >work/ragged.py <<'END'
import triton
import triton.language as tl


@triton.jit
def ragged(x, lengths, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.load(lengths + row)
    total = 0.0
    for k in range(0, n, BLOCK):
        at = k + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x + row * width + at, mask=at < n, other=0.0), 0)
    tl.store(out + row, total)
END
for form in '' --json; do
    expect 0 out "" "$tilec" run work/ragged.py --grid 100 x='rand(fp32,100x1000)' lengths='randint(i32,100,1,1000)' \
        out='empty(fp32,100)' width=1000 BLOCK=128 --profile $form
    if [ "$form" ]; then
        sed -n 's/.*"profile": //p' out | grep -q '"seconds"' || wrong "no times"
        ! sed -n 's/.*"profile": //p' out | grep -q '"bytes"' || wrong "bytes that nobody knows"
    else
        grep -qx "what each line does cannot be counted: it depends on the arrays' data, or takes too many steps" out || wrong "no word of what is unknown"
    fi
done

# the best peaks are kept, unless they are another machine's
set -- "$folder"/cache/peaks-*.txt
grep -q ' copied/s$' "$1" || wrong "no peaks are kept"
sed -i 's|^[^ ]* copied/s|7.5e+13 copied/s|; s|.* near bytes|8.5e+13 near bytes|; s|.* flop/s|1 flop/s|' "$@"
expect 0 out "the machine: 75000.0 GB/s of arrays like these (cache), 85000.0 GB/s of its nearest caches" profile
! grep -q 'GB/s, 0 GFLOP' out || wrong "a peak of a busy machine stays"
for column in 'roofline' 'work/deep/helper.py:8 ' 'x = tl.exp(tl.sin(x))' ' samples by '; do
    grep -qF -- "$column" out || wrong "no '$column'"
done
sed -i 2s/.*/another/ "$@"
expect 0 out '"profile"' profile --json
! grep -q '"peak_bytes_per_s": 7.5e+13' out || wrong "another machine's peaks are used"

# arrays that are restored between runs take none of the kernel's time
cat >work/add.py <<'END'
import triton
import triton.language as tl


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)
END
cat >restored.py <<'END'
import json, sys

result = json.load(open(sys.argv[1]))
if not result["restored"]:
    sys.exit("it was not restored")
if sum(line["share"] for line in result["profile"]["lines"] if line["file"] is None) > 0.3:
    print("restoring is in the profile")
END
where restored.py "$tilec" run work/add.py --grid 'cdiv(n,BLOCK)' x='rand(fp32,4000000)' y='rand(fp32,4000000)' \
    n='x.numel()' BLOCK=1024 --profile --json --threads 1

# elsewhere it says what there is instead
expect 2 err '--count' profile --device sim
# on a GPU too, which the driver that is none only shows to be asked for
expect 1 err 'no NVIDIA driver' env TILEC_LIBCUDA=/nowhere/libcuda.so "$tilec" run work/kernel.py:kernel \
    --grid 'cdiv(n,BLOCK)' x='rand(fp32,1000)' out='empty(fp32,1000)' n='x.numel()' BLOCK=1024 --profile --device cuda
# the interpreter has times and work, of its own, and no roofline
expect 0 out "where its own time goes" profile --device interp
! grep -q roofline out || wrong "the interpreter has a roofline"
expect 0 out '"clock": "microseconds"' profile --device interp --json
cat >interp.py <<'END'
import json, sys

result = json.load(open(sys.argv[1]))
lines = {(line["file"], line["line"]): line for line in result["profile"]["lines"]}
slow, launching = lines["work/deep/helper.py", 8], lines[None, 0]
checks = {
    "shares": abs(sum(line["share"] for line in lines.values()) - 1) < 1e-3,
    "work": slow["flops"] == 98 * 1024 * 12 and lines["work/kernel.py", 10]["bytes"] == 100000 * 4,
}
times = {
    "most": slow["share"] > 0.5 and launching["share"] < 0.2,
    "all of the time": 0.5 < sum(line["samples"] for line in lines.values()) * 1e-6 / (result["median_s"] * result["runs"]) < 2,
}
wrong = [name for name, good in checks.items() if not good]
print(end=" ".join(wrong or [name for name, good in times.items() if not good]))
sys.exit(1 if wrong else 0)
END
where interp.py profile --device interp --json
expect 2 err '--profile and --trace are for one' profile --sweep
expect 2 err '--profile and --trace are for one' profile --tune BLOCK=512,1024

finish
