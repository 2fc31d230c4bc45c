# The readers and writers of array files, which no other part of the library needs.
find_package(PNG QUIET)
find_package(ZLIB QUIET)
if(NOT PNG_FOUND OR NOT ZLIB_FOUND)
  message(FATAL_ERROR "the command needs libpng and zlib (libpng-dev, zlib1g-dev): tools/setup.sh "
                      "installs them; -DTILEC_COMMAND=OFF builds libtilec alone")
endif()
layer(io tilec_ir PNG::PNG ZLIB::ZLIB)
list(REMOVE_ITEM TILEC_LAYERS tilec_io)
