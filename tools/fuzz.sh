#!/bin/sh
# fuzz.sh [SECONDS] - build every fuzzer with clang and run each for so long
#
# tools/setup.sh --checks installs clang.
# What a fuzzer finds is kept in build-fuzz/NAME/, and so is the corpus, which later runs start from.
set -eu
seconds=${1:-60}
cd "$(dirname "$0")/.."

CC=clang tools/configure.sh build-fuzz -DTILEC_FUZZ=ON -DCMAKE_C_COMPILER=clang
ninja -C build-fuzz
for fuzzer in build-fuzz/fuzzers/fuzz_*; do
    name=$(basename "$fuzzer")
    corpus=build-fuzz/$name
    mkdir -p "$corpus"
    seeds=
    case $name in
    fuzz_source) # but for what runs to the end of all limits, which takes too long under a fuzzer
        mkdir -p build-fuzz/seeds
        cp tests/lang/*.py build-fuzz/seeds
        rm build-fuzz/seeds/constexpr_limits.py
        seeds="build-fuzz/seeds kernels tests/num/programs"
        ;;
    fuzz_ir) seeds="tests/ir tests/gen" ;;
    fuzz_ptx*) seeds=tests/sim ;;
    *) [ ! -d "tests/fuzz/$name" ] || seeds=tests/fuzz/$name ;;
    esac
    echo "$name: $seconds s"
    "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$corpus/" -verbosity=0 "$corpus" $seeds >"$corpus.log" 2>&1 || {
        tail -40 "$corpus.log"
        echo "fuzz.sh: $name found something; the input is in $corpus/"
        exit 1
    }
done
echo "fuzz.sh: nothing found"
