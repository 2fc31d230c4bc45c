#!/bin/sh
# install.sh TILEC SOURCE - install to a new prefix and use it from there, as other projects would
. "$(dirname "$0")/expect.inc"
build=$(dirname "$tilec")
prefix=$folder/prefix
unset TILEC_PLUGIN

expect 0 out "" cmake --install "$build" --prefix "$prefix"
expect 0 out "tilec-inspect 0." "$prefix/bin/tilec-inspect" --version
expect 0 out "[2. 2. 2. 2.]" "$prefix/bin/tilec" run "$prefix/share/tilec/kernels/add.py" --grid 1 \
    x="ones(fp32,4)" y=x out="empty(fp32,4)" n=4 BLOCK=4 --show out

# called by its bare name from a folder where somebody has put a code generator of his own, with
# nothing in the cache: it must find its own and not run the other, which says so when it is run
mkdir "$folder/elsewhere"
cat >"$folder/trap.c" <<END
#include <unistd.h>
__attribute__((constructor)) static void trap(void)
{
    if (write(2, "somebody else's code ran\n", 25) > 0)
        _exit(66);
}
END
cc -shared -fPIC "$folder/trap.c" -o "$folder/elsewhere/tilec-llvm.so" || wrong "no trap"
add="--grid 1 x=ones(fp32,4) y=x out=empty(fp32,4) n=4 BLOCK=8 --show out"
expect 0 out "[2. 2. 2. 2.]" env -C "$folder/elsewhere" PATH="$prefix/bin:$PATH" TILEC_CACHE_SIZE=0 \
    tilec run "$prefix/share/tilec/kernels/add.py" $add
mv "$prefix" "$folder/moved" # an installation is where it is, not where it was put
expect 0 out "[2. 2. 2. 2.]" env -C "$folder/elsewhere" PATH="$folder/moved/bin:$PATH" TILEC_CACHE_SIZE=0 \
    tilec run "$folder/moved/share/tilec/kernels/add.py" $add
mv "$folder/moved" "$prefix"

for file in lib/libtilec.so lib/libtilec.a include/tilec.h include/tilec_call.h include/tilec.hpp share/man/man1/tilec.1 \
    lib/pkgconfig/tilec.pc lib/cmake/tilec/tilec-config.cmake \
    share/bash-completion/completions/tilec share/doc/tilec/README.md share/doc/tilec/LICENSE \
    share/doc/tilec/docs/c-api.md share/doc/tilec/docs/tutorial/solutions/10_attention.py share/doc/tilec/examples/add.c; do
    [ -e "$prefix/$file" ] || wrong "not installed: $file"
done

# only the entry points of the header leave the library, and what gdb looks for
nm -D --defined-only "$prefix/lib/libtilec.so" |
    awk '$3 !~ /^tilec_/ && $3 !~ /^__jit_debug_(descriptor|register_code)$/ { print $3 }' >"$folder/out"
[ ! -s "$folder/out" ] || wrong "libtilec.so gives away more than tilec_*"

# pkg-config, when it is there
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs tilec)
    expect 0 out "" cc "$source/examples/add.c" -o "$folder/add" $flags
    expect 0 out "99999 + 0.5 = 99999.5" env LD_LIBRARY_PATH="$prefix/lib" "$folder/add" \
        "$source/kernels/add.py"
fi

# array files by the companion library, which the library itself does not need
spots="9,9,9,0,0,0,0"
for file in lib/libtilec-io.so lib/libtilec-io.a include/tilec_io.h lib/pkgconfig/tilec-io.pc; do
    [ -e "$prefix/$file" ] || wrong "not installed: $file"
done
nm -D --defined-only "$prefix/lib/libtilec-io.so" | awk '$3 !~ /^tilec_io_/ { print $3 }' >"$folder/out"
[ ! -s "$folder/out" ] || wrong "libtilec-io.so gives away more than tilec_io_*"
readelf -d "$prefix/lib/libtilec.so" | grep -E 'libpng|libz' >"$folder/out"
[ ! -s "$folder/out" ] || wrong "libtilec.so needs libraries of files"
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs tilec-io)
    expect 0 out "" cc "$source/examples/image.c" -o "$folder/image" $flags
    expect 0 out "$spots" env LD_LIBRARY_PATH="$prefix/lib" "$folder/image" "$source/examples/dilate.py"
    printf 'P2 2 1 255 0 9' >"$folder/in.pgm"
    expect 0 out "" env LD_LIBRARY_PATH="$prefix/lib" "$folder/image" "$source/examples/dilate.py" \
        "$folder/in.pgm" "$folder/out.png"
    expect 0 out "[[9 9]]" "$prefix/bin/tilec" run "$source/examples/dilate.py" --grid 0 \
        x="@$folder/out.png" o=x height=1 width=2 --show x
    expect 1 err "nothing.png: No such file" env LD_LIBRARY_PATH="$prefix/lib" "$folder/image" \
        "$source/examples/dilate.py" nothing.png out.png
fi
expect 0 out "" cc "$source/examples/image.c" -I"$prefix/include" -o "$prefix/bin/static_image" \
    "$prefix/lib/libtilec-io.a" "$prefix/lib/libtilec.a" -lpng -lz -lm -ldl -lpthread
expect 0 out "$spots" "$prefix/bin/static_image" "$source/examples/dilate.py"

# a program that was linked with the static library, too
expect 0 out "" cc "$source/examples/add.c" -I"$prefix/include" -o "$prefix/bin/static_add" \
    "$prefix/lib/libtilec.a" -lm -ldl -lpthread
expect 0 out "99999.5" env -C "$folder/elsewhere" PATH="$prefix/bin:$PATH" TILEC_CACHE_SIZE=0 static_add \
    "$source/kernels/add.py"

# linked with -static it has no loader, and says so where something must be compiled
if cc -static "$source/examples/add.c" -I"$prefix/include" -o "$folder/all_static" "$prefix/lib/libtilec.a" \
    -lm -ldl -lpthread 2>"$folder/err"; then
    expect 1 err "linked with -static cannot load" env TILEC_CACHE_SIZE=0 \
        TILEC_PLUGIN="$prefix/lib/tilec/tilec-llvm.so" "$folder/all_static" "$source/kernels/add.py"
fi

# find_package: the examples that are installed, and the static library
mkdir "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C CXX)
add_subdirectory($prefix/share/doc/tilec/examples examples)
find_package(tilec 0.1 REQUIRED COMPONENTS io)
if(NOT tilec_io_FOUND OR NOT EXISTS "\${tilec_PLUGIN}")
  message(FATAL_ERROR "the package does not say what it has")
endif()
find_package(tilec 0.1 QUIET COMPONENTS nonsense)
if(tilec_FOUND)
  message(FATAL_ERROR "the package has all that there is")
endif()
add_executable(static $source/examples/add.c)
target_link_libraries(static PRIVATE tilec::tilec_static)
END
expect 0 out "" cmake -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$prefix"
expect 0 out "" cmake --build "$folder/project/build"
expect 0 out "99999.5" "$folder/project/build/examples/add" "$source/kernels/add.py"
expect 0 out "99999.5" "$folder/project/build/examples/addpp" "$source/kernels/add.py"
expect 0 out "$spots" "$folder/project/build/examples/image" "$source/examples/dilate.py"
# a program outside of the prefix knows from the package where the plugin is, or is told
expect 0 out "99999.5" env TILEC_CACHE_SIZE=0 "$folder/project/build/static" "$source/kernels/add.py"
expect 1 err "/nowhere/tilec-llvm.so" env TILEC_CACHE_SIZE=0 TILEC_PLUGIN=/nowhere/tilec-llvm.so \
    "$folder/project/build/static" "$source/kernels/add.py"
# .. where `make install` has not put one to the place that this build is for
installed=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
if [ ! -e "$installed/lib/tilec/tilec-llvm.so" ]; then
    mv "$prefix/lib/tilec" "$folder/hidden"
    expect 1 err "or as $prefix/lib/tilec/tilec-llvm.so" env TILEC_CACHE_SIZE=0 \
        "$folder/project/build/static" "$source/kernels/add.py"
    mv "$folder/hidden" "$prefix/lib/tilec"
fi
expect 0 out "$prefix/lib/pkgconfig/../../lib/tilec/tilec-llvm.so" \
    env PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --variable=plugin tilec
readelf -S "$prefix/lib/tilec/tilec-llvm.so" "$prefix/lib/libtilec.so" | grep -F .debug_ >"$folder/out"
[ ! -s "$folder/out" ] || wrong "it was installed with what it has for debuggers"

# taken away again, each from where it is; nothing of ours is left, no folder that we made, and nothing
# else is touched
lists=$build/installed
mv "$lists" "$folder/lists" 2>/dev/null # other installations of this build
mkdir -p "$folder/dest/opt/tilec/include"
for dest in dest "other dest" "other dest"; do # twice is as once
    expect 0 out "" env DESTDIR="$folder/$dest" cmake --install "$build" --prefix /opt/tilec
done
echo mine >"$folder/dest/opt/tilec/lib/mine"
uninstall() {
    env PREFIX="$1" DESTDIR="$2" "$source/tools/uninstall.sh" "$build"
}
expect 1 err "it was to $folder/other dest/opt/tilec" uninstall /opt/til "$folder/dest"
for dest in dest "other dest"; do
    expect 0 out "" uninstall /opt/tilec "$folder/$dest"
done
[ ! -e "$folder/other dest" ] || wrong "folders were left"
(cd "$folder/dest/opt/tilec" && find . | sort | tr '\n' ' ') >"$folder/out"
[ "$(cat "$folder/out")" = ". ./include ./lib ./lib/mine " ] ||
    wrong "something of ours was left, or something else taken away: $(cat "$folder/out")"
expect 1 err "nothing was installed" uninstall /opt/tilec "$folder/dest"
expect 2 err "PREFIX is empty" uninstall "" "$folder/dest"
rm -rf "$lists"
mv "$folder/lists" "$lists" 2>/dev/null
finish
