# bash completion for tilec: subcommands, options, files, kernels of a file, arguments of a kernel

_tilec() {
    local word=$2 before=$3 options
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "run dump devices --help --version" -- "$word"))
        return
    fi
    case $before in
    --device)
        COMPREPLY=($(compgen -W "cpu interp" -- "$word"))
        return
        ;;
    --stage)
        COMPREPLY=($(compgen -W "ast ir opt plan llvm asm" -- "$word"))
        return
        ;;
    --grid | --threads | --num-warps | --num-stages | --save | --show)
        return
        ;;
    esac
    case ${COMP_WORDS[1]} in
    run) options="--grid --device --threads --num-warps --num-stages --save --show --time --json" ;;
    dump) options="--stage --device --threads --num-warps --num-stages" ;;
    devices) options="--json" ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [ "$COMP_CWORD" -eq 2 ]; then
        COMPREPLY=($(compgen -f -X '!*.py' -- "$word") $(compgen -d -- "$word"))
    fi
}
complete -o filenames -F _tilec tilec
