#!/bin/sh
# completion_zsh.sh TILEC SOURCE - what zsh offers behind a beginning of a command line, where there is a zsh
. "$(dirname "$0")/expect.inc"
command -v zsh >/dev/null || exit 0
cd "$source" || exit 1
PATH=$(dirname "$tilec"):$PATH
export PATH matches="$folder/matches"

# in the shell that completes: each match goes to a file, and DONE behind the last
cat >"$folder/inner" <<'END'
fpath=($PWD/tools/completion $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
    local -a hits
    [[ ${(M)@:#-[ADO]} ]] || builtin compadd -A hits "$@"
    (( $#hits )) && print -rl -- $hits >>$matches
    builtin compadd "$@"
}
tell() { zle complete-word; print DONE >>$matches }
zle -N tell
bindkey '^I' tell
print READY >>$matches
END
cat >"$folder/outer" <<'END'
zmodload zsh/zpty
await() { repeat 6000 { grep -q $1 $matches && return; sleep 0.05 } }
: >$matches
zpty inner zsh -f -i
zpty -w inner ". $folder/inner"
await READY
: >$matches
zpty -w -n inner "$1"$'\t'
await DONE
zpty -d inner
print -r -- "[$(grep -v DONE $matches | sort -u | tr '\n' ' ')]"
END
export folder

# offers LINE : what completes it
offers() {
    zsh -f "$folder/outer" "$1"
}

expect 0 out "[$(cd kernels && ls -- *.py | tr "\n" " ")]" offers "tilec run kernels/"
expect 0 out "[add_kernel ]" offers "tilec run kernels/add.py:"
expect 0 out "[matmul_kernel ]" offers "tilec list kernels/matmul.py:m"
expect 0 out "[BLOCK n out x y ]" offers "tilec run kernels/add.py "
expect 0 out "[BLOCK n out x y ]" offers "tilec run kernels/add.py --show "
expect 0 out "[BLOCK n out x y ]" offers "tilec run kernels/add.py:add_kernel --show="
expect 0 out "rand\\(" offers "tilec run kernels/add.py x=ra"
expect 0 out "[add in-place mixed ]" offers "tilec run kernels/add.py --call "
expect 0 out "[cpu cuda interp sim ]" offers "tilec run kernels/add.py --device "
expect 0 out "[--save --show --sweep ]" offers "tilec run kernels/add.py --s"
expect 0 out "[plan ptx ]" offers "tilec dump kernels/add.py --stage p"
expect 0 out "[grid ]" offers "tilec help gr"
finish
