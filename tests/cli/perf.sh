#!/bin/sh
# perf.sh TILEC SOURCE - what TILEC_PERF=1 writes for Linux's perf
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
python=$("$source/tools/python.sh") || exit 1
mkdir kernels
cp "$source/kernels/add.py" kernels

add() {
    "$tilec" run kernels/add.py:add_kernel --grid 'cdiv(n,BLOCK)' x='rand(fp32,100000)' y='rand(fp32,100000)' \
        out='empty(fp32,100000)' n='x.numel()' BLOCK=1000 "$@"
}

# nothing but when it is asked for
expect 0 out "" add
TILEC_PERF=0 expect 0 out "" add
[ "$(echo jit-*)" = "jit-*" ] || wrong "files for perf that nobody wants"

expect 0 out "" env TILEC_PERF=1 "$tilec" run kernels/add.py:add_kernel --grid 100 x='rand(fp32,100000)' y='rand(fp32,100000)' \
    out='empty(fp32,100000)' n=100000 BLOCK=1000
"$python" - >problems <<'END' || wrong "no dump that can be read"
import glob, os, struct

(path,) = glob.glob("jit-*.dump")
pid = int(path[4:-5])
data = open(path, "rb").read()
magic, version, size, machine, _, process, _, flags = struct.unpack_from("=6I2Q", data)
checks = {"header": (magic, version, size, process, flags) == (0x4a695444, 1, 40, pid, 0), "machine": machine in (62, 183)}
at, lines, kernels, times = size, [], [], []
while at < len(data):
    kind, size, time = struct.unpack_from("=IIQ", data, at)
    body = data[at + 16:at + size]
    if kind == 2:
        code, n = struct.unpack_from("=QQ", body)
        rest = body[16:]
        for _ in range(n):
            address, line, _ = struct.unpack_from("=Qii", rest)
            name, _, rest = rest[16:].partition(b"\0")
            lines.append((address, line, name.decode()))
        checks["nothing behind the lines"] = rest == b""
    elif kind == 0:
        process, _, address, code, bytes, number = struct.unpack_from("=IIQQQQ", body)
        name, _, text = body[40:].partition(b"\0")
        kernels.append((name.decode(), code, bytes))
        checks["the code is there"] = len(text) == bytes and address == code and process == pid
    at += size
    times.append(time)
(kernel,) = kernels
name, code, bytes = kernel
source = open("kernels/add.py").read().split("\n")
store = 1 + next(i for i, text in enumerate(source) if "tl.store" in text)
checks |= {
    "whole records": at == len(data),
    "in order": times == sorted(times),
    "name": name == "add_kernel",
    "addresses": all(code <= address < code + bytes for address, _, _ in lines),
    "files": {name for _, _, name in lines} == {os.path.realpath("kernels/add.py")},
    "lines": store in {line for _, line, _ in lines},
    "map": open(f"/tmp/perf-{pid}.map").read() == f"{code:x} {bytes:x} add_kernel\n",
}
print(*(name for name, good in checks.items() if not good))
os.remove(f"/tmp/perf-{pid}.map")
os.remove(path)
END
[ "$(cat problems)" = "" ] || wrong "not as it should be: $(cat problems)"

# perf itself, where it is there and allowed
perf record -q -o true.data true >/dev/null 2>&1 || {
    echo "skipped: perf is not here, or may not record"
    finish
}
expect 0 out "" env TILEC_PERF=1 perf record -q -k mono -o perf.data "$tilec" run kernels/add.py:add_kernel --grid 1000 --time \
    x='rand(fp32,1000000)' y='rand(fp32,1000000)' out='empty(fp32,1000000)' n=1000000 BLOCK=1000
expect 0 out "" perf inject --jit -i perf.data -o perf.jit.data
expect 0 out "add_kernel" perf report -i perf.jit.data --stdio
# the source beside the code, from any folder
(cd / && perf annotate -i "$folder/perf.jit.data" --stdio add_kernel 2>/dev/null) >annotated
grep -q 'tl.store(out + offsets' annotated || wrong "perf annotate shows no source"
rm -f /tmp/perf-"$(basename jit-*.dump .dump | cut -d- -f2)".map
finish
