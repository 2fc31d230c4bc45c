# What users get: libtilec (shared and static) and the command line.  The static layers are the build's own business; both libraries hold all of them.
set(objects "")
foreach(l ${TILEC_LAYERS})
  list(APPEND objects $<TARGET_OBJECTS:${l}>)
endforeach()
# only the entry points of tilec.h leave the shared library
set_target_properties(tilec_api tilec_tune PROPERTIES C_VISIBILITY_PRESET default)

add_library(tilec_shared SHARED ${objects})
# the static one is a single object in which all other names are local, so that a program that
# links it may use any name of its own
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/tilec-all.o
  COMMAND ${CMAKE_LINKER} -r -o ${PROJECT_BINARY_DIR}/tilec-all.o ${objects}
  COMMAND ${CMAKE_OBJCOPY} -w --keep-global-symbol=tilec_* ${PROJECT_BINARY_DIR}/tilec-all.o
  DEPENDS ${objects} ${TILEC_LAYERS} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Joining the objects of libtilec.a")
add_library(tilec_static STATIC ${PROJECT_BINARY_DIR}/tilec-all.o)
foreach(t tilec_shared tilec_static)
  set_target_properties(${t} PROPERTIES OUTPUT_NAME tilec LINKER_LANGUAGE C)
  target_include_directories(${t} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${t} PUBLIC m dl pthread)
endforeach()
set_target_properties(tilec_shared PROPERTIES EXPORT_NAME tilec SOVERSION 0
                                              VERSION ${PROJECT_VERSION})
set_target_properties(tilec_static PROPERTIES EXPORT_NAME tilec_static)
add_library(tilec::tilec ALIAS tilec_shared) # as find_package(tilec) calls them
add_library(tilec::tilec_static ALIAS tilec_static)
target_link_options(tilec_shared PRIVATE
                    -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/tilec.map)
set_target_properties(tilec_shared PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tilec.map)

if(TARGET tilec_commands)
  add_executable(tilec_command src/commands/main.c)
  set_target_properties(tilec_command PROPERTIES OUTPUT_NAME tilec TILEC_IMAGES_INSIDE ON)
  target_link_libraries(tilec_command PRIVATE tilec_commands)
endif()
if(TARGET tilec_llvm) # opened at run time: nobody links it
  foreach(t tilec_shared tilec_static tilec_command)
    if(TARGET ${t})
      add_dependencies(${t} tilec_llvm)
    endif()
  endforeach()
endif()
