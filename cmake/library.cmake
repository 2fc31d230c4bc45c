# What users get: libtilec (shared and static), the command line, and the files that other builds
# find them by.  The static layers are the build's own business; both libraries hold all of them.
set(objects "")
foreach(l ${TILEC_LAYERS})
  list(APPEND objects $<TARGET_OBJECTS:${l}>)
endforeach()
# only the entry points of tilec.h leave the shared library
set_target_properties(tilec_api PROPERTIES C_VISIBILITY_PRESET default)

add_library(tilec_shared SHARED ${objects})
# the static one is a single object in which all other names are local, so that a program that
# links it may use any name of its own
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/tilec-all.o
  COMMAND ${CMAKE_LINKER} -r -o ${CMAKE_BINARY_DIR}/tilec-all.o ${objects}
  COMMAND ${CMAKE_OBJCOPY} -w --keep-global-symbol=tilec_* ${CMAKE_BINARY_DIR}/tilec-all.o
  DEPENDS ${objects} ${TILEC_LAYERS} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Joining the objects of libtilec.a")
add_library(tilec_static STATIC ${CMAKE_BINARY_DIR}/tilec-all.o)
foreach(t tilec_shared tilec_static)
  set_target_properties(${t} PROPERTIES OUTPUT_NAME tilec LINKER_LANGUAGE C)
  target_include_directories(${t} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${t} PUBLIC m dl pthread)
endforeach()
set_target_properties(tilec_shared PROPERTIES EXPORT_NAME tilec SOVERSION 0
                                              VERSION ${PROJECT_VERSION})
set_target_properties(tilec_static PROPERTIES EXPORT_NAME tilec_static)
target_link_options(tilec_shared PRIVATE
                    -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/tilec.map)
set_target_properties(tilec_shared PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tilec.map)

if(TARGET tilec_cli)
  add_executable(tilec_command src/cli/main.c)
  set_target_properties(tilec_command PROPERTIES OUTPUT_NAME tilec)
  target_link_libraries(tilec_command PRIVATE tilec_cli)
  install(TARGETS tilec_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET tilec_llvm)
    add_dependencies(tilec_command tilec_llvm)
  endif()
endif()

# installation: what is found by find_package(tilec) and by pkg-config
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
install(TARGETS tilec_shared tilec_static EXPORT tilec LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tilec_llvm)
  install(TARGETS tilec_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilec)
endif()
install(FILES include/tilec.h include/tilec_call.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES docs/tilec.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion/tilec.bash RENAME tilec
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES tools/completion/_tilec DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/tilec FILES_MATCHING PATTERN *.py)
install(EXPORT tilec NAMESPACE tilec:: DESTINATION ${package} FILE tilec-targets.cmake)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilec-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/tilec-config.cmake ${CMAKE_BINARY_DIR}/tilec-config-version.cmake
        DESTINATION ${package})
configure_file(cmake/tilec.pc.in ${CMAKE_BINARY_DIR}/tilec.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tilec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
