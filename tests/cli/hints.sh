#!/bin/sh
# hints.sh TILEC SOURCE - each hint of `tilec report` on the simulator, on a kernel that is like that and on one that is not
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cp "$source/tests/cli/hints.py" . || exit 1
TILEC_CACHE_DIR=$folder/cache
export TILEC_CACHE_DIR

while IFS='|' read -r title line call other; do
    expect 0 "" "" "$tilec" report hints.py --call "$call" --device sim --text
    cp out first
    grep -qE "^  $title$line: up to [1-9][0-9]*% of the time$" out || wrong "no '$title' of $call"
    expect 0 "" "" "$tilec" report hints.py --call "$other" --device sim --text
    ! grep -q "^  $title" out || wrong "'$title' of $other"
    [ "$call" != banks ] || cp first banks
done <<'END'
Accesses are not coalesced|, hints.py:12|uncoalesced|coalesced
There are too few programs||few|enough
Warps wait for memory|, hints.py:32|chained|unchained
The last wave is short||tail|even
Memory is asked again and again||again|once
Multiplications and additions are apart|, hints.py:68|apart|fused
One unit has most of the work||special|plain
Products run without tensor cores|, hints.py:91|thin|square
Banks of shared memory conflict|, hints.py:103|banks|in-order
Few warps are resident||one-warp|four
Warps wait for shared memory and special functions|, hints.py:124|in-a-row|one-sum
Warps diverge|, hints.py:136|small-quotients|same
END

# what gains most comes first
[ "$(grep -c 'up to' banks)" -gt 1 ] || wrong "one hint, or none"
grep 'up to' banks | sed 's/.*up to \([0-9]*\)%.*/\1/' >gains
sort -nrc gains || wrong "not in order of what they gain"
finish
