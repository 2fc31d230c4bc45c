#!/bin/sh
# report_cpu.sh TILEC SOURCE - two versions in one report, timed in turns
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
TILEC_CACHE_DIR=$folder/cache
export TILEC_CACHE_DIR

expect 0 out "times as fast as" "$tilec" report "$source/kernels/add.py" --call add --threads 1 --against BLOCK=64 --text -o both.html
grep -q '^BLOCK=64$' out || wrong "the other version has no part of its own"
grep -q '^this call$' out || wrong "nor has this one"
grep -qE '^time .* (us|ms) .* (us|ms)' out || wrong "not both have times"
[ "$(grep -c 'aria-label="roofline"' both.html)" = 2 ] || [ "$(grep -c 'aria-label="times"' both.html)" = 2 ] ||
    wrong "not both have figures"
grep -q 'is .* times as fast' both.html || wrong "the page does not say which is faster"

# other results are a warning, and the kernel's own arrays are what each version finds
cat >scale.py <<'END'
import triton
import triton.language as tl


@triton.jit
def scale(x, n, BY: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) * BY, mask=at < n)
END
expect 0 err "the results differ" "$tilec" report scale.py --grid 'cdiv(n,BLOCK)' x='ones(fp32,5000)' n=5000 BY=2 BLOCK=512 \
    --against BY=3 --text
finish
