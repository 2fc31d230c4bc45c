# parts.h: the texts of src/aot's runtime*.h and template_*.h, for its header.c
#
# A line `/*! NAME */` begins the part aot_NAME, which ends at the next such line; `/*! */` begins
# what is in no part, as the top of a file is.
set(header ${PROJECT_BINARY_DIR}/aot/parts.h)
set(parts "/* Made of src/aot by cmake/aot.cmake. */\n")
set(mark "/*! ")
foreach(file runtime runtime_gpu template_frame template_cpu template_gpu)
  set(path ${PROJECT_SOURCE_DIR}/src/aot/${file}.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  string(FIND "${text}" "${mark}" at)
  while(at GREATER_EQUAL 0)
    string(SUBSTRING "${text}" ${at} -1 text)
    string(REGEX MATCH "^[^\n]*/\\*! ([a-z_]*)" line "${text}")
    set(name ${CMAKE_MATCH_1})
    string(FIND "${text}" "\n" end)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${text}" ${end} -1 text)
    string(FIND "${text}" "${mark}" at)
    string(SUBSTRING "${text}" 0 ${at} part) # -1: all of it
    if(name)
      string(REGEX REPLACE " +$" "" part "${part}") # which stand in front of the next mark
      string(REPLACE "\\" "\\\\" part "${part}")
      string(REPLACE "\"" "\\\"" part "${part}")
      string(REPLACE "\n" "\\n\"\n    \"" part "${part}")
      string(APPEND parts "static const char aot_${name}[] =\n    \"${part}\";\n")
    endif()
  endwhile()
endforeach()
file(CONFIGURE OUTPUT ${header} CONTENT "${parts}" @ONLY)
target_include_directories(tilec_aot PRIVATE ${PROJECT_BINARY_DIR}/aot)
