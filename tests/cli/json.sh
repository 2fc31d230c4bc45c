#!/bin/sh
# json.sh TILEC SOURCE - whatever goes wrong: with --json stdout is one JSON text, and exit codes stay
. "$(dirname "$0")/expect.inc"
mkdir "$folder/work" && cd "$folder/work" || exit 1
python=$("$source/tools/python.sh")
cat >k.py <<'KERNEL'
import triton
import triton.language as tl


# tilec: call good --grid 1
#     x=ones(fp32,8) o=empty(fp32,8) n=8 BLOCK=8
# tilec: call bad --call good n=y
# tilec: call wild --call good n=9000000000 BLOCK=131072 x=ones(fp32,8) --grid 40000 --compare o=x
@triton.jit
def copy(o, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(v < 100, "too large", mask=i < n)
    tl.store(o + i, v, mask=i < n)


@triton.jit
def misspelt(o, x):
    tl.store(o, tl.lod(x))
KERNEL

# json CODE EXPRESSION WORD... : a command with --json exits with CODE, and of `j`, what stands on
# stdout, EXPRESSION is true
json() {
    code=$1 expression=$2
    shift 2
    expect "$code" "" "" "$tilec" "$@" --json
    "$python" -c 'import json, sys
def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
j = json.load(open(sys.argv[1]), object_pairs_hook=once)
keys = {"kind", "message", "file", "line", "column", "hint", "text", "exit"}
assert eval("(" + sys.argv[2] + ")"), j' "$folder/out" "$expression" 2>"$folder/err.python" ||
        { tail -n 1 "$folder/err.python"; wrong "not so: $expression: $*"; }
}
# the prompt of the debugger: an object a line; of `j`, all of them, EXPRESSION is true
answers() {
    wanted=$1
    shift
    "$tilec" debug k.py:copy --grid 2 x='-1/arange(fp32,8)' o='empty(fp32,8)' n=7 BLOCK=4 --json "$@" >"$folder/out" 2>"$folder/err"
    "$python" -c 'import json, sys
def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
j = [json.loads(line, object_pairs_hook=once) for line in open(sys.argv[1])]
assert eval("(" + sys.argv[2] + ")"), j' "$folder/out" "$wanted" 2>"$folder/err.python" ||
        { tail -n 1 "$folder/err.python"; wrong "not so: $wanted"; }
}
run() {
    code=$1 expression=$2
    shift 2
    json "$code" "$expression" run k.py:copy --grid 'cdiv(n,BLOCK)' x="full(fp32,8,$value)" o='empty(fp32,8)' "$@"
}

value=1 # of x
# one that stops the command
json 2 'j["kind"] == "usage" and set(j) == keys and j["exit"] == 2' run k.py:copy --gird 1
json 1 'j["kind"] == "refused" and j["line"] == 19 and j["hint"]' run k.py:misspelt --grid 1 \
    x='ones(fp32,8)' o=x
json 3 'j["kind"] == "file"' run none.py --grid 1
json 3 'j["kind"] == "file"' list none.py
json 3 'j["kind"] == "file"' test none.py
json 2 'j["kind"] == "usage"' test k.py --call none
json 2 'j["kind"] == "usage"' dump k.py:copy --stage none
json 1 'j["kind"] == "refused" and j["line"] == 19' dump k.py:misspelt --stage ir x:*fp32 o:*fp32
json 2 'j["kind"] == "usage"' build k.py:copy -o k.o
json 3 'j["kind"] == "file"' build k.py:copy -o none/k.o --header k.h x:*fp32 o:*fp32 n:i32 BLOCK=8
json 2 'j["kind"] == "usage"' devices more
json 2 'j["kind"] == "usage"' help nothing
json 2 'j["kind"] == "usage" and "did you mean" in j["hint"]' runn
value=200
run 1 'j["kind"] == "fault" and j["line"] == 13 and j["exit"] == 1' n=8 BLOCK=8
run 1 'j["rows"][0]["problem"]["kind"] == "fault" and j["rows"][1]["of_best"] == 1' n=8,0 BLOCK=8 --sweep --time 2
value=1
run 139 'j["kind"] == "fault" and set(j) == keys and j["exit"] == 139 and "--check" in j["text"]' \
    n=9000000000 BLOCK=131072

# one that costs a part of the work: behind the kernel ..
run 3 'j["kernel"] == "copy" and [p["kind"] for p in j["problems"]] == ["file"] and
    set(j["problems"][0]) == keys and j["problems"][0]["exit"] == 3' n=8 BLOCK=8 --save o=/dev/full
run 3 'len(j["problems"]) == 2 and j["median_s"] >= 0' n=8 BLOCK=8 --save o=/dev/full --save x=/dev/full --time 2
run 0 '"problems" not in j' n=8 BLOCK=8
# .. how sure a time is
run 0 'j["runs"] == 6 and j["confidence"] == 0.95 and j["min_s"] == j["median_low_s"] <= j["median_s"] <=
    j["median_high_s"] == j["max_s"] and j["lower_quarter_s"] <= j["upper_quarter_s"] and
    j["noisy"] in (True, False)' n=8 BLOCK=8 --time 6
run 0 'j["confidence"] == 0.75' n=8 BLOCK=8 --time 3
run 0 'j["rows"][0]["timing"]["confidence"] == 0.5' n=8,8 BLOCK=8 --sweep --time 2
# .. of a comparison, a sweep, a search
run 1 'j["compare"][0]["pass"] is False' n=8 BLOCK=8 --compare o=0
run 2 'j["kind"] == "usage"' n=8 BLOCK=8 --compare o=none
run 2 '"timing" in j["rows"][0] and set(j["rows"][1]["problem"]) == keys and
    j["rows"][1]["problem"]["kind"] == "usage"' n=8 BLOCK=8,0 --sweep --time 2
run 0 'set(j["configurations"][1]["problem"]) == keys' n=8 --tune BLOCK=8,0 --time 2
run 1 'j["kind"] == "refused"' n=8 --tune BLOCK=0,-8 --time 2

# .. of tests and files
json 1 '{c["call"]: c["result"] for c in j["calls"]} == {"good": "PASS", "bad": "FAIL", "wild": "FAIL"} and
    set(j["calls"][1]["problem"]) == keys and j["calls"][2]["problem"]["kind"] == "fault"' test k.py:copy
mkdir in
for i in 0 1 2; do
    expect 0 "" "" "$tilec" run k.py:copy --grid 1 x='zeros(u8,2x4)' o=x n=8 BLOCK=8 --save x=in/$i.png
done
head -c 40 in/1.png >cut && mv cut in/1.png
for extra in "--threads 1" "--threads 3" "--batch 2"; do
    json 1 'j["failed"] == ["in/1.png"] and j["done"] == 2 and
        [(p["path"], p["kind"], set(p) - {"path"} == keys) for p in j["problems"]] == [("in/1.png", "file", True)]' \
        run k.py:copy --grid 1 --each 'in/*.png' x=@{} o='empty_like(x)' n='x.numel()' BLOCK=8 $extra
done
json 1 'j["problems"][0]["kind"] == "refused" and "--compare" in j["problems"][0]["message"]' \
    run k.py:copy --grid 1 --each 'in/[02].png' x=@{} o='empty_like(x)' n='x.numel()' BLOCK=8 --compare o=1
json 2 'set(j) == keys and j["kind"] == "usage"' run k.py:copy --grid 1 --each 'in/*.png' x=@{} o=x m=1
mkdir ops && cp k.py ops
for extra in "" "--threads 1" "--batch 2"; do # what all files have alike, in a kernel of another folder
    json 1 'j["file"] == "in/../ops/k.py" and j["line"] == 19 and "lod" in j["message"] and
        j["text"].startswith("with in/")' \
        run in/../ops/k.py:misspelt --grid 1 --each 'in/[02].png' x=@{} o=x $extra
done

# what goes well
json 0 'j["stage"] == "ir" and "load" in j["text"] and j["kernel"] == "copy"' dump k.py:copy --stage ir \
    x:*fp32 o:*fp32 n:i32 BLOCK=8
json 0 'j == {"function": "copy", "object": "k.o", "header": "k.h", "specialisations": 2, "levels": ["x86-64"]}' \
    build k.py:copy -o k.o --header k.h --cpu x86-64 x:*fp32 o:*fp32 n:i32 BLOCK=8
# the debugger
printf 'watch o[5]\nb 14\nc\nprint v\nprint vv\nprint (n, BLOCK)\nprint v < 1\nc\nprint v\nc\nc\n' >commands
for expression in 'j[0]["stop"] == {"reason": "begins", "program": [0, 0, 0], "function": "copy", "file": "k.py", "line": 11}' \
    '[a.get("command") for a in j[1:4]] == ["watch o[5]", "b 14", "c"] and j[2]["text"] == "breakpoint 2 at k.py:14\n"' \
    'j[3]["stop"]["reason"] == "breakpoint" and j[3]["stop"]["number"] == 2 and j[3]["stop"]["line"] == 14' \
    'j[4]["value"] == {"dtype": "fp32", "shape": [4], "data": ["-inf", -1, -0.5, -0.333333343], "loaded": [True] * 4}' \
    '"not defined" in j[5]["error"] and "value" not in j[5] and "text" not in j[5]' \
    'j[6] == {"command": "print (n, BLOCK)", "text": "(n, BLOCK) = (7, 4)\n"}' \
    'j[7]["value"] == {"dtype": "i1", "shape": [4], "data": [True] * 4}' \
    'j[8]["stop"]["program"] == [1, 0, 0] and j[9]["value"]["loaded"] == [True, True, True, False]' \
    'j[10]["stop"]["reason"] == "watch" and "o[5] was nan, now -0.2" in j[10]["stop"]["text"]' \
    'j[11]["stop"] == {"reason": "ended"} and len(j) == 12'; do
    answers "$expression" <commands
done
echo differ >commands # by way of the end, and it is one command
answers 'len(j) == 2 and j[1]["stop"]["reason"] == "watch" and "differs from 0" in j[1]["text"]' --compare o=0 <commands
finish
