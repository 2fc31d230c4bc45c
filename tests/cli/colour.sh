#!/bin/sh
# colour.sh TILEC SOURCE - messages in colour: when, which, and that the text stays what it is
. "$(dirname "$0")/expect.inc"
unset NO_COLOR CLICOLOR_FORCE
cd "$folder" || exit 1
cat >k.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(x):
    value = tl.load(x)
    tl.store(x, valeu)
KERNEL
escape=$(printf '\033')
red="$escape[1;31m" green="$escape[1;32m" magenta="$escape[1;35m" cyan="$escape[1;36m"
bold="$escape[1m" end="$escape[0m"

# colours WORDS : what a command says on stderr
colours() {
    "$tilec" "$@" 2>&1 >/dev/null </dev/null
}

# shows TEXT : it stands in what `colours` has said
shows() {
    echo "$said" >"$folder/err"
    : >"$folder/out"
    grep -qF -- "$1" "$folder/err" || wrong "no '$1'"
}

# same WORDS : without its colours it is the text that there is without them
same() {
    colours "$@" >plain.txt
    colours "$@" --color=always | sed "s/$escape\[[0-9;]*m//g" >stripped.txt
    cmp -s plain.txt stripped.txt || wrong "colours change the text of: $*"
    ! grep -q "$escape" plain.txt || wrong "colours without a terminal: $*"
    said=$(colours "$@" --color always)
}

same run k.py --grid 1 'x=ones(fp32,1)'
shows "${bold}k.py:8:17: $end${red}error:$end \`valeu\` is not defined"
shows "    tl.store(x, valeu)"
shows "                $green^~~~~$end"
shows "${green}hint:$end did you mean"
same run k.py --grid 1 'x=ones(fp32,1)' --path nowhere
shows "${bold}tilec: $end${magenta}warning:$end --path nowhere"
same run k.py --grid 1 x=1 --frob
shows "${red}tilec:$end there is no option '--frob' here"
same run "$source/kernels/add.py" --call add --check
shows "${bold}tilec: $end${cyan}note:$end --check has looked at accesses"
said=$(colours run wrong.py --color always)
shows "${bold}tilec: $end${red}error:$end wrong.py"

# who decides: the option, then NO_COLOR, then CLICOLOR_FORCE, then the terminal, which stderr is not
is_coloured() {
    "$@" run k.py --frob 2>&1 | grep -q "$escape"
}
! is_coloured "$tilec" || wrong "colours without a terminal"
is_coloured env CLICOLOR_FORCE=1 "$tilec" || wrong "CLICOLOR_FORCE is not heard"
! is_coloured env CLICOLOR_FORCE=0 "$tilec" || wrong "CLICOLOR_FORCE=0 is heard as 1"
! is_coloured env CLICOLOR_FORCE=1 NO_COLOR=1 "$tilec" || wrong "NO_COLOR is not heard"
is_coloured env CLICOLOR_FORCE=1 NO_COLOR= "$tilec" || wrong "an empty NO_COLOR counts"
NO_COLOR=1 colours run k.py --frob --color always | grep -q "$escape" || wrong "--color always"
! CLICOLOR_FORCE=1 colours run k.py --frob --color=never | grep -q "$escape" || wrong "--color never"
expect 2 err "--color pink: it is auto, always or never" "$tilec" devices --color pink
expect 2 err "--color needs a value behind it" "$tilec" devices --color
# what is no message has none
expect 0 out '[{"name": "cpu"' "$tilec" devices --json --color always
! grep -q "$escape" "$folder/out" || wrong "colours in JSON"
said=$("$tilec" run k.py --grid 1 'x=ones(fp32,1)' --json --color always 2>/dev/null)
! echo "$said" | grep -qE "$escape|u001b" || wrong "colours in JSON of an error"
finish
