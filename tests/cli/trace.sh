#!/bin/sh
# trace.sh TILEC SOURCE - `run --trace`: what ran when, on each device, as docs/debugging.md has the events
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
python=$("$source/tools/python.sh") || exit 1
cat >kernel.py <<'END'
import triton
import triton.language as tl


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)
END
cat >check.py <<'END'
"""check.py DEVICE THREADS PROGRAMS [silent]: what is wrong with trace.json; silent: programs are not told of"""
import json
import sys

device, threads, count, silent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), len(sys.argv) > 4
trace = json.load(open("trace.json"))
events = trace["traceEvents"]
spans = [e for e in events if e["ph"] == "X"]
names = [e for e in events if e["ph"] == "M"]
named = {e["tid"]: e["args"]["name"] for e in names if e["name"] == "thread_name"}
SHAPES = {"compile": (), "phase": (), "launch": ("device", "grid"), "device": ("device", "grid"),
          "programs": ("first", "last"), "copy": ("bytes",)}


def of(kind):
    return [e for e in spans if e["cat"] == kind]


def inside(a, b):
    return b["ts"] - 0.002 <= a["ts"] and a["ts"] + a["dur"] <= b["ts"] + b["dur"] + 0.002


def apart(some):
    some = sorted(some, key=lambda e: e["ts"])
    return all(a["ts"] + a["dur"] <= b["ts"] + 0.002 for a, b in zip(some, some[1:]))


(launch,) = of("launch")
(compiled,) = of("compile")
ran = sorted(p for e in of("programs") for p in range(e["args"]["first"], e["args"]["last"] + 1))
apart_from_host = device in ("null", "cuda")
checks = {
    "no other events": len(spans) + len(names) == len(events) and set(trace) == {"displayTimeUnit", "traceEvents"},
    "the shape of events": all(set(e) == {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"} and
                               tuple(e["args"]) == SHAPES[e["cat"]] and e["ts"] >= 0 <= e["dur"] for e in spans),
    "the process": [e["args"]["name"] for e in names if e["name"] == "process_name"] == [f"tilec on {device}"],
    "the launch": launch["name"] == "launch copy" and launch["args"] == {"device": device, "grid": [count, 1, 1]},
    "every program once": ran == ([] if silent else list(range(count))),
    "programs in the launch": all(inside(e, launch) for e in of("programs") + of("device")),
    "phases in the compile": all(inside(e, compiled) for e in of("phase")),
    "compile before launch": apart([compiled, launch]),
    "one thing at a time": all(apart([e for e in of("programs") if e["tid"] == tid]) for tid in named),
    "names of threads": {e["tid"] for e in spans} <= set(named) and named[0] == "caller",
    "threads": apart_from_host or len({e["tid"] for e in of("programs")}) <= threads,
    "multiprocessors": not apart_from_host or all(named[e["tid"]].startswith("multiprocessor ") for e in of("programs")),
    "the device's clock": [named[e["tid"]] for e in of("device")] == [device] * apart_from_host,
    "copies": [(e["name"], e["args"]["bytes"]) for e in of("copy")] ==
              [(f"copy {way} the device", 2 * 4 * 50000) for way in ("to", "from")] * apart_from_host,
}
print(*(name for name, good in checks.items() if not good))
END

# traced DEVICE THREADS [silent]
traced() {
    expect 0 out "" "$tilec" run kernel.py --grid 'cdiv(n,BLOCK)' x='rand(fp32,50000)' out='zeros(fp32,50000)' n='x.numel()' \
        BLOCK=1000 --device "$1" --threads "$2" --trace trace.json
    "$python" check.py "$1" "$2" 50 $3 >problems || wrong "no trace of $1"
    [ "$(cat problems)" = "" ] || wrong "the trace of $1 on $2 threads is not as it should be: $(cat problems)"
}

traced cpu 1
traced cpu 2
traced sim 2
traced interp 1
traced null 1 silent
if [ -n "${TILEC_FAKE_CUDA:-}" ]; then # whose kernels do nothing, and note nothing
    TILEC_LIBCUDA=$TILEC_FAKE_CUDA
    export TILEC_LIBCUDA
    traced cuda 1 silent
    unset TILEC_LIBCUDA
fi
if "$tilec" devices | grep -q '^cuda *available'; then
    traced cuda 1
fi
expect 2 err "--trace needs a value, not an empty word" "$tilec" run kernel.py --grid 4 x='rand(fp32,4096)' \
    out='empty(fp32,4096)' n=4096 BLOCK=1024 --trace ''
expect 3 err "nowhere/t.json" "$tilec" run kernel.py --grid 4 x='rand(fp32,4096)' out='empty(fp32,4096)' n=4096 \
    BLOCK=1024 --trace nowhere/t.json
finish
