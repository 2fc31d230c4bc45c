#!/bin/sh
# words.sh TILEC SOURCE - help, manual, header and completions name the stages and devices there are
. "$(dirname "$0")/expect.inc"
cd "$source" || exit 1

# what the library has: "ast, ir or asm", the same in words, and the devices
stages=$("$tilec" dump x.py 2>&1 | sed -n 's/.*--stage \(.*\) is missing/\1/p')
stage_words=$(echo "$stages" | sed 's/,//g; s/ or / /')
devices=$("$tilec" devices --json | grep -o '"name": "[^"]*"' | cut -d '"' -f 4 | tr '\n' ' ')
devices=${devices% }
[ -n "$stages" ] && [ -n "$devices" ] || wrong "there are no stages or devices"

# manual OPTION : the words that the manual page has for it
manual() {
    sed -nE "/^\.BI \\\\-\\\\-$1 /,/^\.(TP|SH)/p" docs/tilec.1 |
        sed '1d; $d; s/^\.[A-Z]* //; s/ *[,.]$//' | tr '\n' ' '
}

expect 0 out "--stage STAGE        $stages" "$tilec" help options
expect 0 out "$(echo "$stages" | tr -d ,) " manual stage
expect 0 "" "" grep -F "compgen -W \"$stage_words\"" tools/completion/tilec.bash
expect 0 "" "" grep -F ":stage:($stage_words)" tools/completion/_tilec
expect 0 "" "" grep -F -- "--stage $(echo "$stage_words" | tr ' ' '|')" docs/cli.md
expect 0 "" "" grep -F "compgen -W \"$devices\"" tools/completion/tilec.bash
expect 0 "" "" grep -F ":device:($devices)" tools/completion/_tilec
for word in $stage_words; do
    expect 0 out "\"$word\"" sed -n '/^ \* stage: /,/^ \* args: /p' include/tilec.h
    expect 0 "" "" grep "^| \`$word\`" docs/cli.md
done
for word in $devices; do
    expect 0 out " $word" sh -c '"$1" help options | grep -e --device' sh "$tilec"
    expect 0 out "$word " manual device
    expect 0 "" "" grep "^| .--device NAME. .*\`$word\`" docs/cli.md
    expect 0 "" "" grep "const char \*device;.*\"$word\"" include/tilec.h
done

# one version, that of the header
version=$("$tilec" --version)
expect 0 "" "" grep -qF "\"$version\"" docs/tilec.1
expect 0 "" "" grep -q "^## \[*${version#tilec }" CHANGELOG.md

# shells take a `*` that is not in quotes for a pattern
for text in README.md docs/*.md docs/tilec.1; do
    expect 1 "" "" grep -nE "^[^|\`]*tilec (dump|build|run) .* [a-z_]+:\*" "$text"
done
"$tilec" help options >"$folder/help"
expect 1 "" "" grep -nE "^[^\`]* [a-z_]+:\*" "$folder/help"

# every option stands in the manual, in the document and in both completions
offered() {
    bash -c '. tools/completion/tilec.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tilec tilec "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        echo " ${COMPREPLY[*]} "' bash "$@"
}
options=$("$tilec" help options | grep -oE '^  (-o|-x|--[a-z-]+)' | tr -d ' ' | grep -v '^--$' | sort -u)
[ "$(echo "$options" | wc -l)" -gt 25 ] || wrong "only these options were found: $options"
for option in $options; do
    grep -qF -- "$(echo "$option" | sed 's/-/\\-/g')" docs/tilec.1 || wrong "the manual lacks $option"
    grep -qF -- "$option" docs/cli.md || wrong "docs/cli.md lacks $option"
    grep -qE -- "'\*?$option(=-?)?\[" tools/completion/_tilec || wrong "zsh's completion lacks $option"
done
# what zsh completes for a command; those of `launch` go for several
zsh_offers() {
    sed -n '/^    launch=(/,/^    )/p' tools/completion/_tilec >"$folder/launch"
    sed -n "/^    $1)/,/;;/p" tools/completion/_tilec >"$folder/own"
    ! grep -qF '$launch' "$folder/own" || cat "$folder/launch"
    cat "$folder/own"
}
# and what a command takes is in its own help and completed for it, and nothing else
for command in run list test dump build grad debug report devices; do
    help=$("$tilec" $command --help)
    for option in $options; do
        takes=yes
        "$tilec" $command "$option" </dev/null 2>&1 | grep -q "there is no option '$option'" && takes=no
        helps=no
        echo "$help" | grep -qE -- "(^| |, )$option( |,|\[|\$)" && helps=yes
        [ $takes = $helps ] || wrong "tilec $command takes $option: $takes; its help has it: $helps"
        completes=no
        zsh_offers $command | grep -qE -- "'\*?$option(=-?)?\[" && completes=yes
        [ $takes = $completes ] || wrong "tilec $command takes $option: $takes; zsh completes it: $completes"
        command -v bash >/dev/null && [ $command != devices ] || continue
        completes=no
        offered tilec $command kernels/add.py "$option" | grep -q -- " $option " && completes=yes
        [ $takes = $completes ] || wrong "tilec $command takes $option: $takes; bash completes it: $completes"
    done
done
finish
