#!/bin/sh
# report.sh TILEC SOURCE - the page of `tilec report`, its text, and what it refuses
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
python=$("$source/tools/python.sh") || exit 1
TILEC_CACHE_DIR=$folder/cache
export TILEC_CACHE_DIR

cat >helper.py <<'END'
import triton


@triton.jit
def twice(x):
    return x + x
END
cat >'a<b&"c".py' <<'END'
import triton
import triton.language as tl

from helper import twice


# tilec: call few --grid 2 n=200 x=rand(fp32,(200,32)) out=empty(fp32,200) TEXT="</script>" BLOCK=128
@triton.jit
def rows(x, out, n, TEXT: tl.constexpr, BLOCK: tl.constexpr):
    """a text of & < two
    lines"""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for k in range(32):
        sums += tl.load(x + at * 32 + k, mask=at < n, other=0.0)
    if TEXT != "<&\"":
        sums = twice(sums)
    tl.store(out + at, sums, mask=at < n)
END

# page FILE WORD... : the file is well-formed, tied together, and has these words
page() {
    "$python" -B "$source/tests/cli/report_page.py" "$@" >problems 2>&1 || wrong "$1: $(cat problems)"
}

# on the simulator each line has counters, and the line that reads a column is named
expect 0 out "Accesses are not coalesced" "$tilec" report 'a<b&"c".py' --call few --device sim -o sim.html --text
grep -q '^  Accesses are not coalesced, a<b&"c".py:15: up to [0-9]*% of the time$' out || wrong "the line is not named"
grep -qE '^moved  +[0-9.]+ kB  sectors of 32 bytes' out || wrong "no bytes that moved"
! grep -qE '^(time|roofline) ' out || wrong "the simulator has a time"
page sim.html stage=PTX stage=Plan rule=uncoalesced column=sect. number=occupancy number=sectors helper.py

# what programs do with arrays, of which the fresh launch of the interpreter tells
grep -q 'aria-label="accesses of x"' sim.html && grep -q 'aria-label="programs of out"' sim.html ||
    wrong "no accesses"
grep -q 'class="cell-read" d="M0 0.5h[1-9]' sim.html || wrong "no cells"
grep -q 'data-steps="0,f0l15,r,0,[0-9+ r]*;0,f0l15,r,' sim.html || wrong "no accesses one by one"
grep -q '1,f0l18,w,1,[0-9+ w]*"' sim.html || wrong "the last access is not the last"
grep -q '  written by one program: 200$' sim.html || wrong "no counts"

# .. unless the arrays are so large that they would take more memory than the launch
expect 0 "" "" "$tilec" report 'a<b&"c".py' --call few x='zeros(fp32,(3000000,32))' --device sim -o large.html
grep -q '<div class="explorer"' large.html || wrong "no page of large arrays"
! grep -q 'aria-label="accesses of x"' large.html || wrong "accesses of large arrays"

# on the CPU each line has samples
expect 0 out "" "$tilec" report 'a<b&"c".py' --call few --quiet --threads 1 -o cpu.html
silent
page cpu.html stage=Assembly stage=Plan column=share number=time number=roofline helper.py
! grep -q 'data-title="PTX"' cpu.html || wrong "the CPU has a GPU's code"
grep -q 'aria-label="roofline"' cpu.html || wrong "no roofline"
grep -q 'aria-label="times"' cpu.html || wrong "no times"

# in the interpreter its own time, and no code
expect 0 "" "" "$tilec" report 'a<b&"c".py' --call few --device interp -o interp.html
page interp.html 'stage=Tile IR' column=share number=time
! grep -q 'data-title="Assembly"' interp.html || wrong "the interpreter has assembly"

# what has a GPU's code and no counters
expect 0 "" "" "$tilec" report 'a<b&"c".py' --call few --device null -o null.html
page null.html number=time
expect 1 err 'no 3200000 bytes on number 0 of the device `null`, which exists for tests' \
    "$tilec" report 'a<b&"c".py' --call few x='zeros(fp32,(25000,32))' --device null --text

# registers, and what does not fit into them, are known of ptxas; what asks for too few is made again without
mkdir tools
printf '#!/bin/sh\nif grep -q "^[.]maxnreg"; then echo "Used 40 registers, 96 bytes spill stores"\nelse echo "Used 168 registers, 8 bytes spill stores"\nfi >&2\n' >tools/ptxas
chmod +x tools/ptxas
expect 0 "" "" env PATH="$folder/tools:$PATH" "$tilec" report 'a<b&"c".py' --call few --device sim --ptxas --text
grep -qE '^registers +168  of a thread$' out || wrong "no registers"
grep -qE '^occupancy +19%  of the warps that a multiprocessor has room for$' out || wrong "no occupancy"
grep -q 'each thread keeps 8 bytes in memory that its 168 registers do not hold' out || wrong "no spills"
expect 1 err "--ptxas: ptxas refuses the PTX: none today" env PATH="$folder/refuses:$PATH" \
    sh -c 'mkdir -p refuses; printf "#!/bin/sh\ncat >/dev/null; echo none today >&2; exit 1\n" >refuses/ptxas; chmod +x refuses/ptxas; "$@"' - \
    "$tilec" report 'a<b&"c".py' --call few --device sim --ptxas --text
expect 2 err "--ptxas is for --device sim" "$tilec" report 'a<b&"c".py' --call few --device cpu --ptxas --text

# a text of which lines are left out ends where it does
{
    cat <<'END' && seq 30 && cat <<'END'
import triton
import triton.language as tl


@triton.jit
def long(x, out, N: tl.constexpr):
    '''a text that is long
END
    and goes on'''
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at))
END
} >long.py
expect 0 "" "" "$tilec" report long.py --grid 1 x='rand(fp32,32)' out='empty(fp32,32)' N=32 --device sim -o long.html
grep -q 'lines [0-9]* to [0-9]* are not of this kernel' long.html || wrong "all of a long text is shown"
grep -q '<i class="[a-z]*">    and goes on' long.html || wrong "a line of a text is code"
grep -q '"code">    at = tl.arange' long.html || wrong "code behind a text is of it"

# two versions
expect 0 out "second by first" sh -c '"$1" report "a<b&\"c\".py" --call few --device sim --against BLOCK=64,grid=4 -o both.html --text &&
    cat both.html' sh "$tilec"
page both.html number=sectors column=sect. 'BLOCK=64 grid=4' 'this call'
[ "$(grep -c '<section class="version"' both.html)" = 2 ] || wrong "not two versions"
grep -q 'is .* times as fast' both.html && wrong "a ratio of the simulator's times"

# the lines behind ops are there for all to see
expect 0 out '# helper.py:6 @[ a<b&"c".py:17 ]' "$tilec" dump 'a<b&"c".py' --call few --stage opt --places
for stage in 'ir 17' 'opt 15' 'plan 15'; do
    expect 0 out "  # a<b&\"c\".py:${stage#* }" "$tilec" dump 'a<b&"c".py' --call few --stage "${stage% *}" --places
done
expect 0 out '  # a<b&"c".py:15' "$tilec" dump 'a<b&"c".py' --call few --stage layout --device sim --places
expect 2 err "the stage \`vars\` has no ops" "$tilec" dump 'a<b&"c".py' --call few --stage vars --places
expect 2 err "--line takes a part of a stage" "$tilec" dump 'a<b&"c".py' --call few --stage ir --places --line 15

# where to, and what is not replaced
expect 2 err "-o FILE.html is missing" "$tilec" report 'a<b&"c".py' --call few
expect 2 err "-o x.txt: what is written is a page" "$tilec" report 'a<b&"c".py' --call few -o x.txt
expect 3 err "nowhere/x.html" "$tilec" report 'a<b&"c".py' --call few --device sim -o nowhere/x.html
cp 'a<b&"c".py' source.html
expect 2 err "source.html" "$tilec" report source.html:rows --call few --device sim -o source.html
cmp -s 'a<b&"c".py' source.html || wrong "the kernel's file was replaced"
mkdir folder.html
expect 3 err "folder.html" "$tilec" report 'a<b&"c".py' --call few --device sim -o folder.html
[ "$(echo ./*.html.* .*.html*)" = './*.html.* .*.html*' ] || wrong "a file is left over"
expect 2 err "there is no option '--json'" "$tilec" report 'a<b&"c".py' --call few --json
finish
