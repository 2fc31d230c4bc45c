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

# the topics of `tilec help`
_tilec_topics() {
    tilec help topics 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

# what a value begins with: the functions that make arrays, dtypes, parameters that stand before
_tilec_values() {
    echo "zeros( ones( full( empty( arange( rand( randn( randint( zeros_like( ones_like( empty_like("
    echo "cdiv( next_power_of_2( True False None fp32 fp16 bf16 i32 i64"
    _tilec_parameters "$@"
}

# the parameters of the kernel that is named, or of all in the file
_tilec_parameters() {
    _tilec_kernels "$1" | awk -v kernel="$2" 'kernel == "" || $1 == kernel { $1 = ""; print }'
}

# bash takes `:` and `=` for words of their own
_tilec() {
    local word=$2 before=$3 options kernel
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "run list test dump build grad debug report devices help --help --version" -- "$word"))
        return
    fi
    case $before in
    --device)
        COMPREPLY=($(compgen -W "cpu interp cuda sim" -- "$word"))
        return
        ;;
    --stage)
        COMPREPLY=($(compgen -W "ast ir vars opt plan schedule layout llvm asm ptx sass" -- "$word"))
        [ "${COMP_WORDS[1]}" != grad ] || COMPREPLY=($(compgen -W "grad" -- "$word"))
        return
        ;;
    --call)
        COMPREPLY=($(compgen -W "$(_tilec_calls "${COMP_WORDS[@]:2}")" -- "$word"))
        return
        ;;
    --color)
        COMPREPLY=($(compgen -W "auto always never" -- "$word"))
        return
        ;;
    --cpu)
        COMPREPLY=($(compgen -W "x86-64 x86-64-v2 x86-64-v3 x86-64-v4" -- "$word"))
        return
        ;;
    -o | --header)
        COMPREPLY=($(compgen -f -- "$word"))
        return
        ;;
    --path)
        COMPREPLY=($(compgen -d -- "$word"))
        return
        ;;
    --grid | --arch | --name | --variant | --define | --threads | --num-warps | --num-stages | --each | --batch | --line | --of | --wrt | --rounds | --tape)
        return
        ;;
    esac
    if [ "${COMP_WORDS[3]}" = : ]; then
        kernel=${COMP_WORDS[4]}
    fi
    case $before in
    --save | --show | --compare)
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -W "$(_tilec_parameters "${COMP_WORDS[2]}" "$kernel")" -- "$word"))
        return
        ;;
    =)
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -W "$(_tilec_values "${COMP_WORDS[2]}" "$kernel")" -- "$word"))
        return
        ;;
    help)
        COMPREPLY=($(compgen -W "run list test dump build grad debug report devices $(_tilec_topics)" -- "$word"))
        return
        ;;
    esac
    local makes="--color --device --arch --threads --num-warps --num-stages --check --debug --unspecialised --path --define"
    case ${COMP_WORDS[1]} in
    list) options="--color --path --define --json" ;;
    test) options="$makes --grid --timeout --call --compare --json" ;;
    run)
        options="$makes --grid --timeout --call --compare --save --compress --show --each --batch --skip-existing --quiet -q --json"
        options+=" --time --tune --against --sweep --csv --plot --profile --trace --repro --count"
        ;;
    dump) options="$makes --stage --line --places --call --json" ;;
    build) options="--color -o --header --name --grid --arch --variant --disjoint --export --cpu --num-warps --num-stages --path --define --json" ;;
    grad) options="--color -o --of --wrt --atomics --recompute --fused --tape --rounds --check --stage --grid --device --threads --timeout --call --path --define --quiet -q --json" ;;
    debug) options="--color -x --dap --json --device --arch --timeout --grid --compare --against --check --num-warps --num-stages --call --path --define --quiet -q" ;;
    report) options="--color -o --text --ptxas --grid --device --arch --threads --num-warps --num-stages --timeout --unspecialised --against --call --path --define --quiet -q" ;;
    devices) options="--color --json" ;;
    esac
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
        COMPREPLY=($(compgen -S = -W "$(_tilec_parameters "${COMP_WORDS[2]}" "$kernel")" -- "$word"))
    fi
}
complete -o filenames -F _tilec tilec
