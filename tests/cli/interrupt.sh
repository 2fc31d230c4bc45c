#!/bin/bash
# interrupt.sh TILEC SOURCE - what a signal leaves of --each: complete rows, whole files, the right count, an object
. "$(dirname "$0")/expect.inc"
python=$("$2/tools/python.sh")
mkdir "$folder/work" && cd "$folder/work" || exit
cat >k.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def work(out, x, n):
    v = tl.load(x)
    for i in range(n):
        v = v * 1664525 + 1013904223
    tl.store(out, v)


@triton.jit
def wild(out, x, bad):
    v = tl.load(x)
    tl.store(out + tl.where(v == bad, 1 << 40, 0), v)
KERNEL
cat >stop.py <<'SCRIPT'
"""stop.py SIGNAL FILES COMMAND... - send it, twice at once, when so many files are in out/; print what there is then"""
import json
import os
import signal
import subprocess
import sys
import time

number, least = getattr(signal, sys.argv[1]), int(sys.argv[2])
process = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))


def computed():
    """The seconds of the CPU that it has used, however long that took: half a one is far in the kernel."""
    with open(f"/proc/{process.pid}/stat") as stat:
        user, system = stat.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


while (len(os.listdir("out")) < least or least == 0 and computed() < 0.5) and process.poll() is None:
    time.sleep(0.01)
process.send_signal(number)
process.send_signal(number)
out, err = process.communicate()
assert process.returncode == -number, (process.returncode, err)
files = sorted(os.listdir("out"))
assert not any(name.startswith(".") for name in files + os.listdir(".")), files
if "--json" in sys.argv:
    j = json.loads(out)
    if least == 0:
        assert j["kind"] == "interrupted" and j["exit"] == 128 + number, j
        sys.exit()
    assert j["interrupted"] is True and j["done"] == len(j["results"]) == len(files), (j, files)
    assert j["left"] == j["files"] - j["done"] > 0 and j["files"] == 60, j
if number == signal.SIGINT:
    assert f"stopped: {len(files)} of 60 files are done" in err, (err, files)
rows = open("all.csv").read()
assert rows.endswith("\n") and rows.startswith("file,out\n"), rows
lines = rows.splitlines()[1:]
assert {os.path.basename(line.split(",")[0]) for line in lines} == set(files), (lines, files)
assert all(line.split(",")[1].lstrip("-").isdigit() for line in lines), lines
SCRIPT

mkdir in out
for i in {100..159}; do
    "$tilec" run k.py:work --grid 0 x="full(i32,1,$i)" n=0 out=x --save x="in/$i.npy" --quiet || exit
done
each() {
    "$python" stop.py "$1" 3 "$tilec" run k.py:work --each 'in/*.npy' --grid 1 x=@{} out='empty(i32,1)' n=60000000 \
        --save out=all.csv --save 'out=out/{name}.npy' "${@:2}"
    code=$?
    rm -f out/* all.csv
    return $code
}
expect 0 "" "" each SIGINT
expect 0 "" "" each SIGTERM --json --threads 3
for number in ${TILEC_THOROUGH:+SIGINT SIGTERM SIGHUP}; do
    expect 0 "" "" each $number
    expect 0 "" "" each $number --json --threads 3
done
# no file is done; one call
single() {
    "$python" stop.py SIGINT 0 "$tilec" run k.py:work --grid 1000 n=1000000000 "$@" out=x --json
}
expect 0 "" "" single 'x=zeros(i32,1)'
expect 0 "" "" single 'x=@{}' --each 'in/*.npy' --save out=all.csv

# a sweep tells what it has measured, whoever gets the signal first
swept() {
    timeout -s INT --preserve-status 2 "$tilec" run k.py:work --grid 4 --sweep --time=3 x='zeros(i32,1)' out=x "$@" \
        n=100,10000000,20000000,40000000,100000000,200000000,400000000,800000000
}
expect 130 err "of 8 combinations are measured" swept --csv
grep -q "^100,[0-9]" "$folder/out" || wrong "the first row is missing"
expect 130 out '"values": {"n": "100"}' swept --json

# so does tuning, and it leaves alone what was kept
export TILEC_CACHE_DIR="$folder/cache"
cat >tuned.py <<'KERNEL'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": 1}), triton.Config({"B": 30}), triton.Config({"B": 60})], key=["n"])
@triton.jit
def work(out, x, n, B: tl.constexpr):
    v = tl.load(x)
    for i in range(n * B):
        v = v * 1664525 + 1013904223
    tl.store(out, (v == 12345).to(tl.int32))
KERNEL
tuned() {
    timeout -s INT --preserve-status "$limit" "$tilec" run tuned.py:work --grid 1 x='zeros(i32,1)' out=x n=300000 \
        --tune "$@"
}
limit=60 # it ends of itself
expect 0 out "fastest: B=1" tuned --time 1
limit=2
expect 130 err "tilec stopped: 3 of 3 configurations are timed, in " tuned --time=100000
grep -q "^fastest so far: B=1;" "$folder/out" || wrong "the fastest yet is missing"
expect 130 out '"interrupted": true' tuned --time=100000 --json
expect 0 err "tuned: B=1, which --tune has found" "$tilec" run tuned.py:work --grid 1 x='zeros(i32,1)' out=x n=300000
slow() { # no round of all ends
    timeout -s INT --preserve-status 2 "$tilec" run tuned.py:work --grid 1 x='zeros(i32,1)' out=x n=700000000 --tune
}
expect 130 err "stopped: none of 3 configurations is timed yet" slow
[ "$(wc -l <"$folder/err")" = 1 ] || wrong "the process that tries them says it, too"

# a kernel that ends the process: the rows of all in front of its file
expect 139 err "it was at work on in/140.npy" bash -c '"$0" run k.py:wild --each "in/*.npy" --threads 1 --grid 1 x=@{} \
    out="empty(i32,1)" bad=140 --save out=all.csv; exit $?' "$tilec"
[ "$(wc -l <all.csv)" = 41 ] && tail -n 1 all.csv | grep -qx "in/139.npy,139" || wrong "rows: $(cat all.csv)"
expect 139 out "in/139.npy,139" bash -c '"$0" run k.py:wild --each "in/*.npy" --threads 1 --grid 1 x=@{} \
    out="empty(i32,1)" bad=140 --save out=-.csv; exit $?' "$tilec"
finish
