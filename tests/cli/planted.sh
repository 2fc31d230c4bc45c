#!/bin/sh
# planted.sh TILEC SOURCE - mistakes that are told, and their right twins, of which nothing is said: see planted*.txt
. "$(dirname "$0")/expect.inc"
set -f # words of the table are no patterns

# run KERNEL WORD... : on the interpreter, which looks at everything
run() {
    kernel=$1
    shift
    "$tilec" run "$kernels:$kernel" --device interp "$@"
}

told=0 all=0
# look_at TABLE: TABLE.txt, of the kernels in TABLE.py
look_at() {
    kernels=$source/tests/cli/$1.py
    twins=$(grep -o '^def [a-z0-9_]*_wrong(' "$kernels")
    while IFS='|' read -r how name text words other; do
        case $how in
        '' | '#'*) continue ;;
        esac
        name=${name# }
        name=${name%% *}
        text=${text# }
        text=${text% }
        case $name/$twins in
        */*/*) wrong_name=${name%/*} name=${name#*/} ;; # WRONG/TWIN, of a twin of several
        *"def ${name}_wrong("*) wrong_name=${name}_wrong ;;
        *) wrong_name=$name ;;
        esac
        # shellcheck disable=SC2086 # they are words
        case $how in
        small*) expect 0 err "$text" "$tilec" run "$kernels:$wrong_name" ${other:-$words} ;;
        run*) expect 0 err "$text" run "$wrong_name" ${other:-$words} ;;
        part*) expect 0 err "$text" run "$wrong_name" ${other:-$words} --check ;;
        check*) expect 1 err "$text" run "$wrong_name" ${other:-$words} --check ;;
        fp64*) expect 1 out "$text" run "$wrong_name" ${other:-$words} --compare fp64 ;;
        *) expect 0 err "" run "$wrong_name" ${other:-$words} --check && silent ;;
        esac
        # shellcheck disable=SC2086
        expect 0 out "" run "$name" $words --check
        silent
        case $how in small*)
            # shellcheck disable=SC2086
            expect 0 out "" "$tilec" run "$kernels:$name" $words
            silent
            ;;
        esac
        all=$((all + 1))
        case $how in -*) ;; *) told=$((told + 1)) ;; esac
    done <"$source/tests/cli/$1.txt"
}

look_at planted
look_at planted_tiles
look_at planted_programs
look_at planted_results
look_at planted_ported
look_at planted_again
look_at planted_local
look_at planted_norms
look_at planted_index
look_at planted_formulas
look_at planted_state
look_at planted_carried
look_at planted_runs
look_at planted_parts
look_at planted_values
look_at planted_kept
look_at planted_weights
look_at planted_scaled
look_at planted_totals
look_at planted_moments
look_at planted_names
look_at planted_factors
[ "$told" -ge 507 ] || wrong "only $told of $all are told"
finish
