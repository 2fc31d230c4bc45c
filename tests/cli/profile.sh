#!/bin/sh
# profile.sh TILEC SOURCE - where `run --profile` says the time of a kernel goes
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
python=$("$source/tools/python.sh") || exit 1
TILEC_CACHE_DIR=$folder/cache
export TILEC_CACHE_DIR

cat >kernel.py <<'END'
import triton
import triton.language as tl


@triton.jit
def slow(x):
    for i in tl.static_range(6):
        x = tl.exp(tl.sin(x))
    return x


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(out + at, slow(v) + 1, mask=at < n)
END

profile() {
    "$tilec" run kernel.py:kernel --grid 'cdiv(n,BLOCK)' x='rand(fp32,100000)' out='empty(fp32,100000)' n='x.numel()' \
        BLOCK=1024 --profile "$@"
}

# the line of all the work has most of the time, and each line its bytes and operations
expect 0 out '"profile": {"samples": ' profile --json
"$python" - out >problems <<'END'
import json, sys

profile = json.load(open(sys.argv[1]))["profile"]
lines = {line["line"]: line for line in profile["lines"]}
checks = {
    "samples": profile["samples"] >= 20,
    "sum": sum(line["samples"] for line in lines.values()) == profile["samples"],
    "shares": abs(sum(line["share"] for line in lines.values()) - 1) < 1e-3,
    "most": lines[8]["share"] > 0.5 and lines[8]["source"] == "x = tl.exp(tl.sin(x))",
    "operations": lines[8]["flops"] == 98 * 1024 * 12 and lines[8]["bytes"] == 0,
    "load": lines[15]["bytes"] == 98 * 1024 * 4 and lines[15]["flops"] == 0,
    "store": lines[16]["bytes"] == 98 * 1024 * 4 and lines[16]["flops"] == 98 * 1024,
    "roofline": 0 < lines[8]["roofline"] < 1,
    "files": all(line["file"] in ("kernel.py", None) for line in lines.values()),
    "peaks": profile["peak_bytes_per_s"] > 1e8 and profile["peak_flop_per_s"] > 1e8,
}
print(*(name for name, good in checks.items() if not good))
END
[ "$(cat problems)" = "" ] || wrong "not as it should be: $(cat problems)"

# the peaks are kept, and measured again when they are another machine's
set -- "$folder"/cache/peaks-*.txt
grep -q ' bytes/s$' "$1" || wrong "no peaks are kept"
sed -i 's/.* bytes/7.5e+10 bytes/' "$1"
expect 0 out "the machine: 75.0 GB/s" profile
for column in 'roofline' 'kernel.py:8 ' 'x = tl.exp(tl.sin(x))' ' samples; '; do
    grep -qF -- "$column" out || wrong "no '$column'"
done
sed -i 2s/.*/another/ "$1"
expect 0 out '"profile"' profile --json
! grep -q '"peak_bytes_per_s": 7.5e+10' out || wrong "another machine's peaks are used"

# elsewhere it says what there is instead
expect 2 err '--count' profile --device sim
expect 2 err 'ncu' profile --device cuda
expect 2 err 'on the CPU alone' profile --device interp
expect 2 err '--profile is for one' profile --sweep
finish
