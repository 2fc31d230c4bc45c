#!/bin/sh
# files.sh [BUILD [COUNT]] - what a kernel adds to reading and writing COUNT images of 256x256 u8
#
# Dilates them 5x5 by `tilec run --each`, in turns with a program that reads and writes them alone by the same
# library on as many threads; prints the best of five of both for each format, and fails where the
# first takes more than 1.3 times as long.
set -eu
build=$(cd "${1:-build}" && pwd)
count=${2:-2048}
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# milliseconds COMMAND... : how long it took
milliseconds() {
    from=$(date +%s%N)
    "$@" >/dev/null 2>"$folder/err" || {
        cat "$folder/err" >&2
        exit 1
    }
    echo $((($(date +%s%N) - from) / 1000000))
}

dilate() {
    "$build/tilec" run examples/dilate.py --each "$folder/in/*$suffix" x=@{} o='empty_like(x)' height=256 width=256 \
        --grid 1,32 --save "o=$folder/out/{name}$suffix"
}

least() {
    if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi
}

for suffix in .png .npy .pgm; do
    rm -rf "$folder/in" "$folder/out"
    mkdir "$folder/in" "$folder/out"
    "$build/bench/bench-files" make "$folder/in" "$count" $suffix
    alone=999999 dilated=999999
    for turn in 1 2 3 4 5; do
        alone=$(least "$alone" "$(milliseconds "$build/bench/bench-files" copy "$folder/in" "$folder/out" "$count" $suffix)")
        dilated=$(least "$dilated" "$(milliseconds dilate)")
    done
    size=$(du -sk "$folder/in" | cut -f 1)
    echo "$suffix: $count images, $((size / 1024)) MB; alone $alone ms, dilated $dilated ms: $((dilated * 100 / alone))%"
    [ $((dilated * 10)) -le $((alone * 13)) ] || status=1
done
exit $status
