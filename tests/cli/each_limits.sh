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
    for k in 0 1 2 3 4 5 6 7 8 9; do ln -f in/a0.png "in/b$i-$k.png"; done
done
# with_handles N COMMAND...
with_handles() {
    (ulimit -n "$1" && shift && "$@")
}
for handles in 8 12 16 32; do
    for extra in "" "--batch 20"; do
        rm -rf out && mkdir out
        # shellcheck disable=SC2086
        expect 0 err "110 of 110 files" with_handles $handles each --threads 60 --save 'o=out/{name}.npy' $extra
        [ "$(find out -type f | wc -l)" = 110 ] || wrong "not all are written"
    done
done

# results that nobody keeps
expect 0 err "tilec: warning: nothing keeps what comes out of these calls: --save 'NAME=out/{name}.png'" each
for kept in '--save o=out/{name}.npy' '--save o=all.csv' '--show o' '--compare interp'; do
    # shellcheck disable=SC2086
    expect 0 err "110 of 110 files" each $kept
    grep -q "warning" "$folder/err" && wrong "$kept keeps them"
done
finish
