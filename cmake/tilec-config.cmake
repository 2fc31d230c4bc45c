# find_package(tilec) gives tilec::tilec (shared) and tilec::tilec_static, and where they were made
# tilec::io and tilec::io_static; tilec_PLUGIN is the path of the code generator.
include(${CMAKE_CURRENT_LIST_DIR}/tilec-targets.cmake)
get_filename_component(tilec_PLUGIN ${CMAKE_CURRENT_LIST_DIR}/../../tilec/tilec-llvm.so ABSOLUTE)
# programs with the static library may be anywhere
set_property(TARGET tilec::tilec_static APPEND PROPERTY
             INTERFACE_COMPILE_DEFINITIONS "TILEC_LAST_PLUGIN=\"${tilec_PLUGIN}\"")
foreach(part ${tilec_FIND_COMPONENTS})
  set(tilec_${part}_FOUND OFF)
  if(TARGET tilec::${part})
    set(tilec_${part}_FOUND ON)
  elseif(tilec_FIND_REQUIRED_${part})
    set(tilec_FOUND OFF)
    set(tilec_NOT_FOUND_MESSAGE "this installation has no ${part}")
  endif()
endforeach()
