#!/bin/sh
# test_aarch64.sh [BUILD] [CTEST FLAGS...] - build for AArch64 on another machine, and test under qemu
#
# Without flags, what proves most of the code for CPUs in the shortest time; the last line is "N passed, N failed".
# Installs nothing and needs no rights: compiler, emulator, and the libraries of Debian's arm64 are
# fetched by apt-get, with lists of its own, and unpacked into BUILD/root, once.  For Debian 12, with
# what tools/setup.sh installs.  TILEC_QEMU_CPU names the CPU that is emulated: "max", which is the
# default, has fp16, bf16 and SVE, "cortex-a72" has none of them.
#
# Ends with 77 where it could not fetch what it needs, since that says nothing of the code.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-aarch64}
[ $# = 0 ] || shift
mkdir -p "$build"
root=$(cd "$build" && pwd)/root
LC_ALL=C
export LC_ALL

say() {
    echo "test_aarch64.sh: $*"
}

skip() {
    say "$*" >&2
    exit 77
}

# apt-get and apt-cache that know this many packages: those of the architecture, none of which is installed
apt() {
    arch=$1
    program=$2
    shift 2
    APT_CONFIG=$root/apt-$arch.conf "$program" -qq "$@"
}

# the distribution's own sources, out of all that this system has
choose_sources() {
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mkdir "$root/sources"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        if grep -qsE "(^|[ :])$release( |\$)" "$file"; then
            cp "$file" "$root/sources"
        fi
    done
}

prepare_apt() {
    state=$root/apt-$1
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    : >"$state/status"
    cat >"$root/apt-$1.conf" <<EOF
APT::Architecture "$1";
APT::Architectures { "$1"; };
APT::Sandbox::User "";
Dir::State "$state";
Dir::State::status "$state/status";
Dir::Cache "$state";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$root/sources";
Acquire::Languages "none";
EOF
    apt "$1" apt-get update >/dev/null 2>&1 || say "not all lists of $1 could be read; going on" >&2
}

# the packages that others depend on by name, one a line
depends() {
    arch=$1
    shift
    apt "$arch" apt-cache depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
        --no-enhances "$@" | sed -n 's/^ *Depends: \([a-z][^<:]*\).*/\1/p'
}

# fetch and unpack packages of an architecture: ARCH FOLDER NAME...
unpack() {
    arch=$1
    to=$root/$2
    shift 2
    mkdir -p "$to" "$root/packages-$arch"
    (cd "$root/packages-$arch" && apt "$arch" apt-get download "$@" >&2) ||
        skip "these packages of $arch could not be fetched: $*"
    for package in "$root/packages-$arch"/*.deb; do
        dpkg -x "$package" "$to"
    done
    rm -r "$root/packages-$arch"
}

# links to absolute paths would lead out of the folder
keep_links_inside() {
    find "$root/arm64" -type l -lname '/*' | while read -r link; do
        ln -sfn "$root/arm64$(readlink "$link")" "$link"
    done
}

# ours and the distribution's, with the same libraries on both machines
choose_llvm() {
    for llvm in 22 21 20; do
        command -v "llvm-config-$llvm" >/dev/null &&
            apt arm64 apt-cache show "llvm-$llvm-dev" >/dev/null 2>&1 && return
    done
    skip "there is no LLVM from 20 to 22 both here (tools/setup.sh) and for arm64"
}

program() {
    cat >"$root/bin/$1"
    chmod +x "$root/bin/$1"
}

write_programs() {
    mkdir -p "$root/bin"
    found="LD_LIBRARY_PATH=$root/host/usr/lib/x86_64-linux-gnu"
    program cc <<EOF
#!/bin/sh
$found exec $root/host/usr/bin/aarch64-linux-gnu-gcc-$gcc --sysroot=$root/arm64 \\
    -L$root/arm64/usr/lib/gcc/aarch64-linux-gnu/$gcc "\$@"
EOF
    program ld <<EOF
#!/bin/sh
$found exec $root/host/usr/bin/aarch64-linux-gnu-ld "\$@"
EOF
    program run <<EOF
#!/bin/sh
exec $root/host/usr/bin/qemu-aarch64-static -cpu "\${TILEC_QEMU_CPU:-max}" -L $root/arm64 "\$@"
EOF
    program llvm-config <<EOF
#!/bin/sh
llvm-config-$llvm "\$@" | sed 's|/usr|$root/arm64/usr|g'
EOF
}

set_up() {
    rm -rf "$root"
    mkdir -p "$root"
    say "fetching compiler, emulator and libraries into $build/root"
    choose_sources
    prepare_apt amd64
    prepare_apt arm64
    choose_llvm
    gcc=$(depends amd64 gcc-aarch64-linux-gnu | sed -n 's/^gcc-\([0-9]*\)-aarch64-linux-gnu$/\1/p')
    [ -n "$gcc" ] || skip "this system's lists have no gcc-aarch64-linux-gnu"
    unpack amd64 host qemu-user-static binutils-aarch64-linux-gnu "gcc-$gcc-aarch64-linux-gnu" \
        "cpp-$gcc-aarch64-linux-gnu" "libgcc-$gcc-dev-arm64-cross"
    libraries="libc6-dev zlib1g-dev libzstd-dev libpng-dev libjson-c-dev libcmocka-dev"
    wanted=$(depends arm64 $libraries)
    unpack arm64 arm64 "llvm-$llvm-dev" "libgcc-$gcc-dev" "libstdc++-$gcc-dev" \
        libgcc-s1 libstdc++6 $libraries $(echo "$wanted" | sort -u)
    keep_links_inside
    write_programs
    touch "$root/complete"
}

[ "$(uname -m)" = x86_64 ] || skip "it builds on x86-64 alone; on AArch64 \`make test\` does"
command -v dpkg >/dev/null && command -v apt-get >/dev/null || skip "it needs Debian's dpkg and apt-get"
[ -e "$root/complete" ] || set_up
tools/configure.sh "$build" "-DCMAKE_TOOLCHAIN_FILE=$PWD/tools/aarch64.cmake" "-DTILEC_AARCH64_ROOT=$root" \
    -DTILEC_PYTHON_PACKAGE=OFF -DTILEC_INSTALL=OFF ${CMAKE_FLAGS:-}

# What knows of the machine: the loader, launches, threads, samples, code for every op on every dtype.  Left out is what
# would start programs of AArch64, which only an emulator of the whole machine can, and what takes long.
units="run device threads sampler records divide gen sim_micro plan_verify plans"
numbers="rope"
targets="tests/libfake_cuda.so tests/libfake_nvtx.so $(for name in $units; do echo "tests/test_$name"; done)"
[ $# = 0 ] || targets=tests/all
# shellcheck disable=SC2086
ninja -C "$build" tilec tilec-llvm.so $targets
PATH=$root/bin:$PATH # for tests that have the C compiler make objects
export PATH
[ $# -gt 0 ] || set -- -R "^(unit\.test_($(echo $units | tr ' ' '|'))|num\.test_($(echo $numbers | tr ' ' '|')))\$"
exec tools/test.sh "$build" "$@"
