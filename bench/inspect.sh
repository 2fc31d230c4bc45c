#!/bin/sh
# inspect.sh [BUILD [COUNT]] - what inspecting COUNT images of 256x256 adds to reading and writing files
#
# Runs tilec-inspect, in turns with a program that reads the same images and writes the same pictures by the same
# library on as many threads; prints the best of five of both, in seconds and of the CPUs, and fails where the
# first takes more than 1.3 times as long.
set -eu
build=$(cd "${1:-build}" && pwd)
count=${2:-2048}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# measure COMMAND... : sets `took` and `cpu` to the milliseconds that it took, and used of the CPUs
measure() {
    from=$(date +%s%N)
    "$@" 2>err || {
        cat err >&2
        exit 1
    }
    took=$((($(date +%s%N) - from) / 1000000))
    times >times # of this shell, not of one for a pipe
    now=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", 1000 * (60 * ($1 + $3) + $2 + $4) }' times)
    cpu=$((now - ${before:-0}))
    before=$now
}

least() {
    if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi
}

measure "$build/tilec-inspect-demo" make parts "$count"
measure "$build/tilec-inspect" parts/images -t parts/template.png -o out # compiles
alone=999999 alone_cpu=999999 whole=999999 whole_cpu=999999
for turn in 1 2 3 4 5; do
    measure "$build/tilec-inspect-demo" copy parts out copied
    alone=$(least "$alone" "$took") alone_cpu=$(least "$alone_cpu" "$cpu")
    measure "$build/tilec-inspect" parts/images -t parts/template.png -o out --replace
    whole=$(least "$whole" "$took") whole_cpu=$(least "$whole_cpu" "$cpu")
done
echo "$count images, $(ls out/defects | wc -l) pictures: files alone $alone ms, inspected $whole ms: $((whole * 100 / alone))%;" \
    "of the CPUs $alone_cpu and $whole_cpu ms: $((whole_cpu * 100 / alone_cpu))%"
"$build/tilec-inspect-demo" check parts out
[ $((whole * 10)) -le $((alone * 13)) ]
