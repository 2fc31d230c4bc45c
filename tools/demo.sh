#!/bin/sh
# demo.sh BUILD [COUNT] - tilec-inspect on COUNT images (2,048) with known shifts and planted defects
#
# Draws them, inspects them twice, since the first time also compiles the kernels, and says how many of the
# shifts and defects were found; fails where one was not.
set -eu
build=$(cd "$1" && pwd)
count=${2:-2048}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

echo "tilec-inspect: $count images of 256x256, each shifted, every fourth with spots"
"$build/tilec-inspect-demo" make parts "$count"
"$build/tilec-inspect" parts/images --template parts/template.png -o first
"$build/tilec-inspect" parts/images --template parts/template.png -o second
"$build/tilec-inspect-demo" check parts second
