# The readers and writers of array files, which no other part of the library needs.
if(NOT PNG_FOUND OR NOT ZLIB_FOUND)
  message(FATAL_ERROR "the command and libtilec-io need libpng and zlib (libpng-dev, zlib1g-dev): "
                      "tools/setup.sh installs them; -DTILEC_COMMAND=OFF -DTILEC_IO=OFF builds "
                      "libtilec alone")
endif()
# The command has these libraries inside where they are to be had so: loading them takes a tenth of a
# millisecond of the two that it runs.
find_library(TILEC_PNG_ARCHIVE NAMES libpng16.a libpng.a)
find_library(TILEC_ZLIB_ARCHIVE NAMES libz.a)
set(png PNG::PNG)
set(zlib ZLIB::ZLIB)
if(TILEC_PNG_ARCHIVE AND TILEC_ZLIB_ARCHIVE)
  set(inside $<BOOL:$<TARGET_PROPERTY:TILEC_IMAGES_INSIDE>>)
  set(png $<IF:${inside},${TILEC_PNG_ARCHIVE},PNG::PNG>)
  set(zlib $<IF:${inside},${TILEC_ZLIB_ARCHIVE},ZLIB::ZLIB>)
endif()
layer(io tilec_ir ${png} ${zlib} m)
list(REMOVE_ITEM TILEC_LAYERS tilec_io)
