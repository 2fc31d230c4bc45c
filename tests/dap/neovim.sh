#!/bin/sh
# neovim.sh TILEC SOURCE NVIM_DAP - the configuration of docs/debugging.md in Neovim, without a screen
#
# NVIM_DAP is a folder with nvim-dap, https://github.com/mfussenegger/nvim-dap, of a version for this Neovim.
# No part of `make test`, since few have it.
[ -n "$3" ] && command -v nvim >/dev/null || {
    echo "usage: neovim.sh TILEC SOURCE NVIM_DAP, with Neovim installed" >&2
    exit 2
}
tilec=$(realpath "$1") source=$(realpath "$2") plugin=$(realpath "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# block BEGIN : what stands in the document between that and the three quotes
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$source/docs/debugging.md" | sed '1d; $d'
}
block lua >configuration.lua
block 'python scale.py' | sed '/^@triton.jit/i\
# tilec: call rows --grid 3\
#     x=arange(fp32,3x6) out=empty(fp32,3x5) columns=5 stride=5 BLOCK=8' >scale.py
PATH=$(dirname "$tilec"):$PATH XDG_CACHE_HOME=$folder timeout 60 nvim --headless -u NONE --cmd "set rtp^=$plugin" \
    -c 'runtime plugin/dap.lua' -c "luafile $source/tests/dap/neovim.lua" >messages 2>&1
grep -q '^passed' result || {
    cat result messages
    exit 1
}
cat result
