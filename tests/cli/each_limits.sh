#!/bin/sh
# each_limits.sh TILEC SOURCE - `run --each` on a machine that is out of something, and what it tells of it
. "$(dirname "$0")/expect.inc"
mkdir "$folder/work" && cd "$folder/work" || exit 1
cat >add.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def add(o, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
KERNEL
mkdir in out full some
"$tilec" run add.py:add --grid 1 x="arange(u8,3x4)" y=x o=x n=12 BLOCK=16 --save x=in/a0.png || wrong "no input"
for i in 1 2 3 4 5 6 7 8 9; do cp in/a0.png in/a$i.png; done

# each OPTION... : twice the image, of 10 files
each() {
    "$tilec" run add.py:add --grid 'cdiv(n,BLOCK)' --each 'in/*.png' x=@{} y=x o='empty_like(x)' n='x.numel()' \
        BLOCK=64 "$@"
}

# a full disk is told of once, and ends the run
for i in 0 1 2 3 4 5 6 7 8 9; do
    ln -s /dev/full full/a$i.npy
    [ $i -lt 3 ] || ln -s /dev/full some/a$i.npy
done
for extra in "" "--threads 1" "--threads 4" "--batch 3"; do
    # shellcheck disable=SC2086
    expect 3 err "; 1 failed; 9 left, which would fail alike" each --save 'o=full/{name}.npy' $extra
    [ "$(grep -c "could not be saved: full/a.*: No space left on device" "$folder/err")" = 1 ] ||
        wrong "not said once"
    # shellcheck disable=SC2086
    expect 3 out '"left": ' each --save 'o=some/{name}.npy' --json $extra
    [ "$(grep -c "No space left" "$folder/err")" = 1 ] || wrong "not said once"
    [ -s some/a0.npy ] || wrong "what there is room for is not written"
done

# too few file handles only make it slower, and say one line when there are too few for one file
for i in 1 2 3 4 5 6 7 8 9 10; do
    for k in 0 1 2 ${TILEC_THOROUGH:+3 4 5 6 7 8 9}; do ln -f in/a0.png "in/b$i-$k.png"; done
done
all=$((40 + ${TILEC_THOROUGH:+70}+0))
# with_handles N COMMAND...
with_handles() {
    (ulimit -n "$1" && shift && "$@")
}
for handles in 8 12 16 32; do
    for extra in "" "--batch 20"; do
        rm -rf out && mkdir out
        # shellcheck disable=SC2086
        expect 0 err "$all of $all files" with_handles $handles each --threads 60 --save 'o=out/{name}.npy' $extra
        [ "$(find out -type f | wc -l)" = $all ] || wrong "not all are written"
    done
done

# results that nobody keeps
expect 0 err "tilec: warning: nothing keeps what comes out of these calls: --save 'NAME=out/{name}.png'" each
for kept in '--save o=out/{name}.npy' '--save o=all.csv' '--show o' '--compare interp'; do
    # shellcheck disable=SC2086
    expect 0 err "$all of $all files" each $kept
    grep -q "warning" "$folder/err" && wrong "$kept keeps them"
done

# what was there before is counted, but for tables of all files and files that are their own outputs
rm -rf out && mkdir out
expect 0 err "files/s" each --save 'o=out/{name}.npy' --save 'x=out/{name}.pgm' --save o=all.csv
grep -q replaced "$folder/err" && wrong "nothing was there"
rm out/a0.npy out/a1.pgm
expect 0 err "; $((2 * all - 2)) older outputs replaced" each --save 'o=out/{name}.npy' --save 'x=out/{name}.pgm' --save o=all.csv
expect 0 out "\"replaced\": $all, \"stale\": 0, \"failed\": []" each --save 'o=out/{name}.npy' --json
echo no >in/a4.png
echo no >in/c.png
expect 1 err " older outputs replaced; 2 failed, of which 1 has outputs of an earlier run" each --save 'o=out/{name}.npy' \
    --save 'x=out/{name}.pgm'
rm in/c.png
cp in/a5.png in/a4.png
cp -r in place
expect 0 err "$all of $all files" "$tilec" run add.py:add --grid 1 --each 'place/*' x=@{} y=x o=x n=1 BLOCK=1 --save 'o={}'
grep -q replaced "$folder/err" && wrong "in place"

# --quiet: what fails is told, nothing else
for extra in "" "--batch 4"; do
    # shellcheck disable=SC2086
    expect 0 err "" each --quiet $extra
    silent
    # shellcheck disable=SC2086
    expect 0 err "" each -q --save 'o=out/{name}.npy' $extra
    silent
    echo no >in/a4.png
    # shellcheck disable=SC2086
    expect 1 err "tilec: in/a4.png: not a PNG file" each --quiet --save 'o=out/{name}.npy' $extra
    [ "$(wc -l <"$folder/err")" = 1 ] || wrong "more than what fails"
    cp in/a5.png in/a4.png
    # shellcheck disable=SC2086
    expect 0 out "{\"files\": $all, " each --quiet --json $extra
    [ ! -s "$folder/err" ] || wrong "it is not quiet with --json"
done
expect 0 err "" "$tilec" run add.py:add --grid 0 x='ones(u8,4)' y=x o='empty(u8,4)' n=4 BLOCK=4 --quiet --path nowhere
silent

# converted when it is saved: each file, a batch's part, the rows of a table
for extra in "" "--batch 4"; do
    # shellcheck disable=SC2086
    expect 0 err "files/s" "$tilec" run add.py:add --grid 1 --each 'in/a?.png' x='(@{}).to(fp32)*30+0.5' y=x o='empty_like(x)' \
        n=0 BLOCK=16 $extra --save 'x:u8=out/{name}.png' --save x:i8=all.csv
    sed -n 2p all.csv | grep -qx "in/a0.png,0,60,120,127" || wrong "rows: $(head -4 all.csv)"
    expect 0 out " [240 255 255 255]" "$tilec" run add.py:add --grid 1 x=@out/a9.png y=x o=x n=0 BLOCK=16 --show x
done

# JSON for programs: what became of each file
python=$("$source/tools/python.sh")
# json CODE EXPRESSION COMMAND... : of `j`, what stands on stdout, EXPRESSION is true
json() {
    code=$1 expression=$2
    shift 2
    expect "$code" out "{" "$@" --json
    "$python" -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert eval("(" + sys.argv[2] + ")"), j' "$folder/out" "$expression" 2>"$folder/err" || wrong "not so: $expression: $*"
}
rm in/b*
for extra in "" "--batch 4"; do
    # shellcheck disable=SC2086
    json 0 '[r["path"] for r in j["results"]] == ["in/a%d.png" % i for i in range(10)] and
        all(set(r) == {"path", "seconds", "saved"} and 0 < r["seconds"] < 600 for r in j["results"]) and
        j["results"][3]["saved"] == [{"name": "o", "path": "out/a3.npy"}, {"name": "x", "path": "out/x3.npz"}] and
        "compared" not in j and "left" not in j' each --save 'o=out/{name}.npy' --save 'x=out/x{i}.npz:in' --save o=all.csv $extra
    # shellcheck disable=SC2086
    json 0 'j["results"][9]["compare"] == j["compared"][9]["compare"] and j["results"][9]["compare"][0]["pass"] and
        j["results"][0]["saved"] == []' each --compare interp $extra
    cp in/a4.png kept.png
    echo no >in/a4.png
    # shellcheck disable=SC2086
    json 1 '"in/a4.png" not in [r["path"] for r in j["results"]] and len(j["results"]) == 9 and j["failed"] == ["in/a4.png"] and
        j["problems"][0]["file"] == "in/a4.png"' each --show o $extra
    mv kept.png in/a4.png
    # shellcheck disable=SC2086
    json 3 'j["left"] + j["done"] == 9 and len(j["results"]) == j["done"] and
        j["problems"][0]["file"] == "full/" + j["problems"][0]["path"][3:6] + "npy"' each --save 'o=full/{name}.npy' $extra
done
json 1 'j["results"][0]["compare"][0]["pass"] is False and len(j["results"]) == len(j["failed"]) == 10 and
    len(j["results"][0]["saved"]) == 1' each --compare o=7 --save 'o=out/{name}.npy'

# .. and what stops it: the file that it is about
mkdir deep && cd deep || exit 1
one() {
    "$tilec" run ../add.py:add --grid 1 --each '../in/*.png' x=@{} y=x o='empty_like(x)' n=12 "$@"
}
json 1 'j["file"] == "../add.py" and j["line"] == 6 and j["text"].startswith("with ../in/a0.png: ") and
    j["message"] == "the constexpr `BLOCK` was not given"' one --show o
json 3 'j["file"] == "none.npy" and j["kind"] == "file"' one BLOCK=16 z=@none.npy
json 2 'j["file"] == "../in/a0.png"' one BLOCK=16 z=1
json 3 'j["file"] == "no/such/a0.npy"' one BLOCK=16 --save 'o=no/such/{name}.npy'
json 3 'j["file"] == "none.png"' "$tilec" run ../add.py:add --grid 1 x=@none.png
json 3 'j["file"] == "none.npz"' "$tilec" run ../add.py:add --grid 1 x=@none.npz:weights
json 3 'j["file"] == "none.py"' "$tilec" run none.py --grid 1
json 3 'j["file"] == "none.py"' "$tilec" list none.py
json 3 'j["file"] == "none.args"' "$tilec" run @none.args
json 3 'j["file"] == "no/o.npy"' "$tilec" run ../add.py:add --grid 1 x=@../in/a0.png y=x o=x n=12 BLOCK=16 --save o=no/o.npy
json 3 'j["problems"][0]["file"] == "/dev/full"' "$tilec" run ../add.py:add --grid 1 x=@../in/a0.png y=x o=x \
    n=12 BLOCK=16 --save o=/dev/full
finish
