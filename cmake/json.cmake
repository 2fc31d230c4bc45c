# The library that reads JSON, for src/dap alone: inside of the command where it is to be had so, which then
# needs nothing of it where it runs.
find_path(TILEC_JSON_INCLUDE json-c/json.h)
find_library(TILEC_JSON_LIBRARY NAMES libjson-c.a json-c)
if(NOT TILEC_JSON_INCLUDE OR NOT TILEC_JSON_LIBRARY)
  message(FATAL_ERROR "the command needs json-c (libjson-c-dev): tools/setup.sh installs it; "
                      "-DTILEC_COMMAND=OFF builds libtilec alone")
endif()
