#!/bin/sh
# sweep.sh TILEC SOURCE - `run --sweep`: which combinations run, and the table, CSV, JSON, plot of them
. "$(dirname "$0")/expect.inc"

sweep() {
    "$tilec" run "$source/kernels/add.py" --grid 'cdiv(n,BLOCK)' "$@" x='rand(fp32,n)' \
        y='rand(fp32,n)' out='empty(fp32,n)' --time=1
}

# rows N : the first N values of the combinations, in the order of the rows of the last CSV
rows() {
    sed 1d "$folder/out" | cut -d , -f "1-$1" | tr '\n' ' '
}

expect 0 out "n,BLOCK,median_s,min_s,gb_per_s,gflop_per_s,giop_per_s,of_best,median_low_s,median_high_s" \
    sweep --sweep --csv n=1,2 BLOCK=8,16
expect 0 out "" sweep --sweep --csv n=16..64*2 BLOCK=8,16
[ "$(rows 2)" = "16,8 16,16 32,8 32,16 64,8 64,16 " ] || wrong "other combinations: $(rows 2)"
expect 0 out "" sweep --sweep --csv n=0..25+10 BLOCK=16
[ "$(rows 1)" = "0 10 20 " ] || wrong "other values: $(rows 1)"
expect 0 out "" sweep --sweep --csv n=2**4..2**6*3 BLOCK=16
[ "$(rows 1)" = "16 48 " ] || wrong "other values: $(rows 1)"
expect 0 out "" sweep --sweep --csv n=7..9 BLOCK=16
[ "$(rows 1)" = "7 8 9 " ] || wrong "other values: $(rows 1)"
expect 0 out "" sweep --sweep --csv n=64 BLOCK=16 num_warps=4,8
[ "$(rows 1)" = "4 8 " ] || wrong "other values: $(rows 1)"

# one of them is the best; JSON has what --time --json has
expect 0 out "of best time" sweep --sweep n=4096 BLOCK=64,1024
grep -qE " 1\.00$" "$folder/out" || wrong "none is the best"
expect 0 out "of best GB/s" sweep --sweep n=64,4096 BLOCK=64
expect 0 out '{"best_by": "time", "rows": [{"values": {"BLOCK": "64"}, "of_best": ' \
    sweep --sweep --json n=4096 BLOCK=64,1024
expect 0 out '"timing": {"kernel": "add_kernel", "device": "cpu", "grid": [4, 1, 1]' \
    sweep --sweep --json n=4096 BLOCK=64,1024
expect 0 out "n,median_s" "$tilec" run "$source/kernels/add.py" --grid 1 --sweep --csv --time=1 \
    n="len('a,b')",2 x="ones(fp32,4)" y=x out="ones(fp32,4)" BLOCK=4
sed -n 2p "$folder/out" | grep -q "^\"len('a,b')\"," || wrong "a value with a comma has no quotes"

# what fails costs no other
expect 2 out "failed" sweep --sweep n=64 BLOCK=16,0,32
[ "$(grep -c " us " "$folder/out")" = 2 ] || wrong "the others did not run"
grep -qF "tilec: BLOCK=0: --grid: division by zero" "$folder/err" || wrong "no reason"
expect 1 err "tilec: n=3: fails like the one before" "$tilec" run "$source/kernels/add.py" --grid 1 --sweep n=1..3
[ "$(grep -c "argument .x. was not given" "$folder/err")" = 1 ] || wrong "one reason is told again and again"

# mistakes
expect 2 err "BLOCK=8..64*2 is a range: --sweep runs all of its values" sweep n=64 BLOCK=8..64*2
expect 2 err "--sweep: no argument has several values" sweep --sweep n=64 BLOCK=8
expect 2 err "n: the range 64..8 is empty" sweep --sweep n=64..8 BLOCK=8
expect 2 err "n: the range 0..8*2 needs a factor of 2 or more, and a start of 1" sweep --sweep \
    n=0..8*2 BLOCK=8
expect 2 err "there are more than 10000 combinations" sweep --sweep n=1..1000 BLOCK=1..1000
expect 2 err "--save, --show and --count are for one" sweep --sweep n=1,2 BLOCK=1 --show out
expect 2 err "--csv and --plot are for --sweep" sweep n=1 BLOCK=1 --csv
expect 2 err "--plot $folder/p.pdf: a plot is a .svg or a .png" sweep --sweep n=1,2 BLOCK=1 \
    --plot "$folder/p.pdf"

# a plot is what gnuplot makes of the rows; without it nothing runs
mkdir "$folder/bin"
expect 3 err "gnuplot, which draws, cannot be run: No such file or directory" env PATH="$folder/bin" \
    "$tilec" run "$source/kernels/add.py" --grid 1 --sweep n=1,2 x="ones(fp32,4)" y=x out=x BLOCK=4 \
    --plot "$folder/p.svg"
[ ! -s "$folder/out" ] && [ ! -e "$folder/p.svg" ] || wrong "it went on"
cat >"$folder/bin/gnuplot" <<'PROGRAM'
#!/bin/sh
[ "$1" = --version ] || { echo '<svg>'; cat; }
PROGRAM
chmod +x "$folder/bin/gnuplot"
expect 0 out "of best" env PATH="$folder/bin:$PATH" "$tilec" run "$source/kernels/add.py" --time=1 \
    --grid 1 --sweep n=1..1024*2 x="ones(fp32,1024)" y=x out=x BLOCK=512,1024 --plot "$folder/p.svg"
for line in "set terminal svg" "set logscale x 2" "set title 'add_kernel on cpu'" "set xlabel 'n'" \
    "plot '-' with linespoints title 'BLOCK=512', '-' with linespoints title 'BLOCK=1024'"; do
    grep -qF -- "$line" "$folder/p.svg" || wrong "the plot has no $line"
done
[ "$(grep -c '^e$' "$folder/p.svg")" = 2 ] || wrong "two lines were expected"
[ "$(grep -cE '^1024 [0-9.]+' "$folder/p.svg")" = 2 ] || wrong "points are missing"
# a combination that ends its process is one row
cat >"$folder/wild.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def copy(x, o, n, STEP: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    tl.store(o + i * STEP, tl.load(x + i * STEP, mask=i < n), mask=i < n)
KERNEL
wild() {
    "$tilec" run "$folder/wild.py" --grid 'cdiv(n,B)' n=512 x='rand(fp32,n)' o='empty(fp32,n)' --time=2 "$@"
}
expect 1 err "tilec: STEP=100000000: it reaches memory outside of its arrays: --check says where" \
    wild --sweep STEP=1,100000000,1 B=64
[ "$(grep -cE '^ *(1|100000000)  ' "$folder/out")" = 3 ] || wrong "rows are missing"
grep -qE "^ *100000000 +failed" "$folder/out" || wrong "it has a time"
expect 1 out '"problem": {"kind": "fault", "message": "it reaches memory' wild --sweep STEP=1,100000000 B=64 --json
expect 0 err "tilec: STEP=100000000: it reaches memory outside of its arrays" wild --tune STEP=100000000,1 B=64
grep -q "^fastest: STEP=1" "$folder/out" || wrong "the others did not go on"
finish
