#!/bin/sh
# emacs.sh TILEC SOURCE - the configuration of docs/debugging.md in Emacs, without a screen
#
# With dap-mode, which Debian has as elpa-dap-mode; few have it.
emacs -q --batch --eval "(progn (require 'package) (package-initialize) (unless (locate-library \"dap-ui\") (kill-emacs 1)))" \
    >/dev/null 2>&1 || {
    echo "skipped: there is no Emacs with dap-mode"
    exit 0
}
tilec=$(realpath "$1") source=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# block BEGIN : what stands in the document between that and the three quotes
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$source/docs/debugging.md" | sed '1d; $d'
}
block elisp >configuration.el
block 'python scale.py' | sed '/^@triton.jit/i\
# tilec: call rows --grid 3\
#     x=arange(fp32,3x6) out=empty(fp32,3x5) columns=5 stride=5 BLOCK=8' >scale.py
PATH=$(dirname "$tilec"):$PATH XDG_CACHE_HOME=$folder HOME=$folder timeout 120 emacs -q --batch \
    -l "$source/tests/dap/emacs.el" >messages 2>&1
grep -q '^passed' result || {
    cat result messages
    exit 1
}
cat result
