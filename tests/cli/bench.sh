#!/bin/sh
# bench.sh TILEC SOURCE - all of `make bench` runs and finds right results; how fast it is, it does not say
tilec=$1
source=$2
bench=$(dirname "$tilec")/bench/tilec-bench
said=$(mktemp)
trap 'rm -f "$said"' EXIT

"$bench" --quick "$source/kernels" "$tilec" >"$said" 2>&1 || {
    cat "$said"
    exit 1
}
for line in '^add .* GB/s' '^giou .* GB/s' '^matmul .* GFLOP/s' '^compiling add, by BLOCK: .* ms' \
    '^compiling [0-9]* configurations of giou: .* ms' '^process that compiles giou and runs it: .* ms' \
    '^the same with the kernel in the cache: .* ms'; do
    grep -q "$line" "$said" || {
        echo "bench.sh: no line is like '$line'"
        cat "$said"
        exit 1
    }
done
