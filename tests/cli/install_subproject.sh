#!/bin/sh
# install_subproject.sh TILEC SOURCE - tilec as a part of other projects: add_subdirectory and
# FetchContent, shared and static
. "$(dirname "$0")/expect.inc"
unset TILEC_PLUGIN
CCACHE_NOHASHDIR=1
export CCACHE_NOHASHDIR
config=$(grep -h '^TILEC_LLVM_CONFIG:[^=]*=.' "$(dirname "$tilec")/CMakeCache.txt" | sed 's/^/-D/')

mkdir "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(user LANGUAGES C CXX)
if(FETCH)
  include(FetchContent)
  FetchContent_Declare(tilec SOURCE_DIR ${TILEC})
  FetchContent_MakeAvailable(tilec)
else()
  add_subdirectory(${TILEC} parts/tilec EXCLUDE_FROM_ALL)
endif()
if(TARGET tilec_python_core OR TARGET test_api OR CMAKE_INSTALL_LIBDIR STREQUAL "")
  message(FATAL_ERROR "tests, the Python package or settings came along")
endif()
add_executable(shared ${TILEC}/examples/add.c)
target_link_libraries(shared PRIVATE tilec::tilec)
add_executable(static ${TILEC}/examples/add.c)
target_link_libraries(static PRIVATE tilec::tilec_static)
add_executable(image ${TILEC}/examples/image.c)
target_link_libraries(image PRIVATE tilec::io)
END
# both ways configure; one of them is built
expect 0 out "" cmake -G Ninja -S "$folder/project" -B "$folder/fetched" -DTILEC="$source" \
    -DFETCH=ON $config
expect 0 out "" cmake -G Ninja -S "$folder/project" -B "$folder/build" -DTILEC="$source" $config \
    -DCMAKE_C_FLAGS="-Wpedantic -Wcast-qual -Werror" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
expect 0 out "" cmake --build "$folder/build" --target shared static image
for program in shared static; do
    expect 0 out "99999.5" env TILEC_CACHE_SIZE=0 "$folder/build/$program" "$source/kernels/add.py"
done
expect 0 out "9,9,9,0,0,0,0" env TILEC_CACHE_SIZE=0 "$folder/build/image" "$source/examples/dilate.py"
# installing the project installs nothing of ours
expect 0 out "" cmake --install "$folder/build" --prefix "$folder/prefix"
[ ! -e "$folder/prefix/lib" ] && [ ! -e "$folder/prefix/bin" ] || wrong "it installed tilec"
finish
