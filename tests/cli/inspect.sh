#!/bin/sh
# inspect.sh TILEC SOURCE - tilec-inspect: its tables and pictures are those of inspected.py, whatever the batches,
# threads and device; what it says of images and calls that are wrong; what a signal leaves
. "$(dirname "$0")/expect.inc"
inspect=$(dirname "$tilec")/tilec-inspect
python=$("$source/tools/python.sh")
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$folder/work" && cd "$folder/work" || exit 1
"$python" "$here/inspected.py" make >"$folder/seed" || wrong "no images"

# agrees OPTION... IMAGES... : what a run writes to `out`, and how it ends, is what the reference says
agrees() {
    rm -rf out
    "$inspect" --template mark.png -o out "$@" >"$folder/out" 2>"$folder/err"
    want=$?
    "$python" "$here/inspected.py" check --code "$want" --template mark.png -o out "$@" >"$folder/out" 2>&1 || wrong "$(cat "$folder/seed"): $*"
}

# same OPTION... IMAGES... : writes the bytes that are in `out`
same() {
    rm -rf again
    expect "$want" out "" "$inspect" --template mark.png -o again "$@"
    diff -r out again >"$folder/out" 2>&1 || wrong "other bytes: $*"
}

# everything, and again in other batches, on other threads, in less memory
agrees small stack.npy short.npy
expect 1 err "small/cut.png: damaged PNG file: the file ends before its image does" "$inspect" -q -t mark.png -o o1 small
for line in "small/colour.png: it is in colour" "small/real.npy: its pixels are '<f4'" "small/tiny.png: it is of 5 x 6 pixels" \
    "small/deep.png: its pixels are u16, those of the template u8" "small/none.png: " \
    "small/flat.png: the template is not found: its best score is 0.000000"; do
    grep -qF -- "$line" "$folder/err" || wrong "no line '$line'"
done
grep -q " images/s" "$folder/err" && wrong "-q is not quiet"
expect 1 err "short.npy[8]: the file ends before its images do" "$inspect" -t mark.png -o o2 short.npy
grep -qF "7 of 9 images in " "$folder/err" && grep -qF "; 2 failed" "$folder/err" || wrong "the last line"
same --batch 1 --threads 5 small stack.npy short.npy
same --batch 7 --memory 60K small stack.npy short.npy
for options in ${TILEC_THOROUGH:+1,1 3,2 64,1 64,3}; do
    same --batch "${options%,*}" --threads "${options#*,}" small stack.npy short.npy
done

# operations, elements, the crop, the search, the place and the other devices
agrees --op gradient --element cross:5 --threshold 60 --crop 30 stack.npy
agrees --op black-hat --element ellipse:7x9 --crop 37x40 --search 1 stack.npy
agrees --at 14,20 --crop 33x42 --search 5 --min-score 0.1 stack.npy
agrees --template mark16.png wide
agrees --device sim --element cross:5 --batch 9 --op gradient --threshold 60 stack.npy
if [ -n "${TILEC_THOROUGH:-}" ]; then
    agrees --op tophat --element rect:5x7 --threshold 40 stack.npy
    agrees --op tophat --element ellipse:7 stack.npy
    agrees --op close --element cross:3x5 --threshold 150 stack.npy
    agrees --op open --element cross:3 --threshold 120 stack.npy
    agrees --op erode --element rect:2 --threshold 110 stack.npy
    agrees --op dilate --element ellipse:4 --threshold 180 --search 0 stack.npy
    agrees --min-score 0.98 stack.npy
    agrees --device interp --crop 35x43 --element rect:7 --batch 4 stack.npy
    agrees --device sim --crop 35x43 --element rect:7 --batch 4 stack.npy
fi

# calls that are wrong
expect 2 err "no images: name PNG or PGM files" "$inspect" -t mark.png -o new
expect 2 err "--template FILE is missing" "$inspect" small -o new
expect 2 err "-o OUT is missing" "$inspect" small -t mark.png
expect 2 err "--crop 0: N or HxW is wanted" "$inspect" small -t mark.png -o new --crop 0
expect 2 err "--batch none: a whole number from 1" "$inspect" small -t mark.png -o new --batch none
expect 2 err "--op blur: blackhat, tophat" "$inspect" small -t mark.png -o new --op blur
expect 2 err "--element box:3: rect:N, cross:N" "$inspect" small -t mark.png -o new --element=box:3
expect 2 err "--colour: no such option" "$inspect" small -t mark.png -o new --colour
expect 2 err "--threshold: its value is missing" "$inspect" small -t mark.png -o new --threshold
expect 2 err "both have the picture defects/1.png" "$inspect" wide/1.png wide -t mark16.png -o new
expect 2 err "not an image by its name" "$inspect" small/notes.txt -t mark.png -o new
expect 3 err "gone: No such file" "$inspect" gone -t mark.png -o new
expect 3 err "empty: no images in this folder" "$inspect" empty -t mark.png -o new
expect 3 err "--template small/flat.png: all its pixels are alike" "$inspect" small -t small/flat.png -o new
expect 3 err "--template small/cut.png: damaged PNG" "$inspect" small -t small/cut.png -o new
expect 3 err "no/folder/new: No such file" "$inspect" small -t mark.png -o no/folder/new
[ ! -e new ] || wrong "a call that is wrong makes OUT"
expect 0 out "usage: tilec-inspect IMAGES" "$inspect" --help
expect 0 out "tilec-inspect 0." "$inspect" --version
expect 1 err "--device cuda: " env TILEC_LIBCUDA=none "$inspect" small -t mark.png -o new --device cuda

# what is there is replaced only if that is said, and as a whole
mkdir other && echo mine >other/notes.txt
expect 2 err "other: this folder holds other files" "$inspect" stack.npy -t mark.png -o other --replace
rm -rf out && expect 0 out "" "$inspect" stack.npy -t mark.png -o out
expect 2 err "out: this folder holds an earlier run" "$inspect" stack.npy -t mark.png -o out
expect 2 err "lies in OUT" "$inspect" out/defects -t mark.png -o out --replace
expect 0 out "" "$inspect" stack.npy -t mark.png -o out --replace --threshold 255
[ -z "$(ls out/defects)" ] && [ "$(wc -l <out/defects.csv)" = 1 ] || wrong "pictures of the earlier run are left"
rm -rf out/defects && echo >out/defects
expect 3 err "Not a directory" "$inspect" stack.npy -t mark.png -o out --replace
[ -s out/images.csv ] || wrong "the table is lost with the pictures"

# Ctrl-C leaves whole files, and rows of what is done
cat >stop.py <<'SCRIPT'
import os
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while process.poll() is None and not (os.path.isdir("stopped/defects") and len(os.listdir("stopped/defects")) > 5):
    time.sleep(0.001)
process.send_signal(signal.SIGINT)
err = process.communicate()[1].decode()
assert process.returncode == -signal.SIGINT, (process.returncode, err)
assert " left" in err, err
rows = [line.split(",") for line in open("stopped/images.csv").read().splitlines()[1:]]
assert 5 < len(rows) < len(os.listdir("many")) and all(len(row) == 7 and row[1] == "ok" for row in rows), rows
names = {os.path.basename(row[0])[:-4] + ".png" for row in rows if row[5] != "0"}
assert names == set(os.listdir("stopped/defects")), names
assert all(open("stopped/defects/" + n, "rb").read().endswith(b"IEND\xaeB`\x82") for n in names)
assert sorted(os.listdir("stopped")) == ["defects", "defects.csv", "images.csv", "sheet.png"]
defects = sum(int(row[5]) for row in rows)
assert len(open("stopped/defects.csv").read().splitlines()) == defects + 1
SCRIPT
expect 0 out "" "$python" stop.py "$inspect" many -t mark.png -o stopped --batch 2 --threads 2

# thoroughly, where there is an MPI: several ranks write the same bytes; one that dies leaves whole files, and is named
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
leaks=${ASAN_OPTIONS:-}
export ASAN_OPTIONS="$leaks:detect_leaks=0" # MPI keeps what it has to the end
if [ -n "${TILEC_THOROUGH:-}" ] && [ -e "$(dirname "$inspect")/tilec-mpi.so" ] && mpirun --oversubscribe -n 1 true 2>/dev/null; then
    rm -rf out && expect 1 out "" "$inspect" -t mark.png -o out small stack.npy short.npy
    for ranks in 2 3; do
        rm -rf again
        expect 1 err "; 11 failed" mpirun --oversubscribe -n $ranks "$inspect" --threads 1 -t mark.png -o again small stack.npy short.npy
        diff -r out again >"$folder/out" 2>&1 || wrong "other bytes of $ranks ranks"
    done
    expect 2 err "this folder holds an earlier run" mpirun --oversubscribe -n 2 "$inspect" -t mark.png -o out stack.npy
    cat >die.sh <<'SCRIPT'
# rank 1 of tilec-inspect: ends in the middle
"$@" &
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
    while [ "$(ls dead/defects 2>/dev/null | wc -l)" -lt 5 ]; do sleep 0.01; done
    kill -9 $! $$
fi
wait
SCRIPT
    mpirun --oversubscribe -n 2 sh die.sh "$inspect" --threads 1 --batch 1 -t mark.png -o dead many >"$folder/out" 2>"$folder/err" &&
        wrong "a dead rank is no failure"
    grep -q "rank 1 .* signal 9" "$folder/err" || wrong "the dead rank is not named"
fi
export ASAN_OPTIONS="$leaks"
expect 1 err "this is one of 2 ranks, and tilec-mpi.so" sh -c "cp '$inspect' alone && OMPI_COMM_WORLD_SIZE=2 ./alone -t mark.png -o alone.out stack.npy"

finish
