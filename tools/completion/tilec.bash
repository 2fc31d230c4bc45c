# bash completion for tilec: subcommands, options, files, kernels of a file, parameters of a kernel

# the @triton.jit functions of a file, one a line: NAME PARAMETER...
_tilec_kernels() {
    awk '/^[ \t]*@/ { jit = jit || /jit/ }
        /^[ \t]*def / { reading = jit; jit = 0; text = "" }
        reading { sub(/#.*/, ""); text = text $0 }
        reading && /\)/ {
            sub(/^[ \t]*def +/, "", text)
            sub(/\).*/, "", text)
            gsub(/[ \t]*[:=][^,]*/, "", text)
            gsub(/[(,]/, " ", text)
            print text
            reading = 0
        }' "$1" 2>/dev/null
}

# the calls that the Python files among the words name in comments
_tilec_calls() {
    local file
    for file in "$@"; do
        [[ $file == *.py && -f $file ]] &&
            sed -nE 's/^[[:space:]]*#[[:space:]]*tilec:[[:space:]]*call[[:space:]]+([^[:space:]]*:)?([^[:space:]]+).*/\2/p' "$file"
    done
}

# bash takes `:` and `=` for words of their own
_tilec() {
    local word=$2 before=$3 options kernel
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "run list test dump devices --help --version" -- "$word"))
        return
    fi
    case $before in
    --device)
        COMPREPLY=($(compgen -W "cpu interp cuda sim" -- "$word"))
        return
        ;;
    --stage)
        COMPREPLY=($(compgen -W "ast ir vars opt plan schedule layout llvm asm ptx sass" -- "$word"))
        return
        ;;
    --call)
        COMPREPLY=($(compgen -W "$(_tilec_calls "${COMP_WORDS[@]:2}")" -- "$word"))
        return
        ;;
    --path)
        COMPREPLY=($(compgen -d -- "$word"))
        return
        ;;
    --grid | --arch | --define | --threads | --num-warps | --num-stages | --save | --each | --batch | --show | --compare | =)
        return
        ;;
    esac
    case ${COMP_WORDS[1]} in
    list) options="--path --define --json" ;;
    test) options="--call --device --arch --threads --num-warps --num-stages --check --debug --path --define --compare --json" ;;
    run) options="--grid --device --arch --threads --num-warps --num-stages --check --debug --path --define --call --compare --save --each --batch --show --time --sweep --csv --plot --count --json" ;;
    dump) options="--stage --device --arch --threads --num-warps --num-stages --check --debug --path --define --call" ;;
    devices) options="--json" ;;
    esac
    if [ "${COMP_WORDS[3]}" = : ]; then
        kernel=${COMP_WORDS[4]}
    fi
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ $word == @* ]]; then
        COMPREPLY=($(compgen -P @ -f -- "${word#@}"))
    elif [ "$COMP_CWORD" -eq 2 ] || [ "${COMP_WORDS[1]}" = test ]; then
        COMPREPLY=($(compgen -f -X '!*.py' -- "$word") $(compgen -d -- "$word"))
    elif [ "${COMP_WORDS[3]}" = : ] && [ "$COMP_CWORD" -le 4 ]; then
        COMPREPLY=($(compgen -W "$(_tilec_kernels "${COMP_WORDS[2]}" | cut -d ' ' -f 1)" -- "${word#:}"))
    elif [ "$word" != = ] && [ -f "${COMP_WORDS[2]}" ]; then
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -S = -W "$(_tilec_kernels "${COMP_WORDS[2]}" |
            awk -v kernel="$kernel" 'kernel == "" || $1 == kernel { $1 = ""; print }')" -- "$word"))
    fi
}
complete -o filenames -F _tilec tilec
