# What `make install` puts where, and what it is found by: find_package(tilec) and pkg-config.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
if(TARGET tilec_command)
  install(TARGETS tilec_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET tilec_mpi)
  install(TARGETS tilec_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilec)
endif()
if(TARGET tilec_inspect)
  install(TARGETS tilec_inspect RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS tilec_shared tilec_static EXPORT tilec LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tilec_llvm)
  install(TARGETS tilec_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilec)
endif()
# debuggers need the sources beside what the plugin has for them, and older tools do not read LLVM's
function(install_stripped folder)
  if(TILEC_INSTALL_DEBUG OR NOT CMAKE_STRIP)
    return()
  endif()
  foreach(t ${ARGN})
    if(TARGET ${t})
      install(CODE "
        execute_process(COMMAND \"${CMAKE_STRIP}\" -g
          \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${t}>\"
          COMMAND_ERROR_IS_FATAL ANY)")
    endif()
  endforeach()
endfunction()
install_stripped(${CMAKE_INSTALL_LIBDIR}/tilec tilec_llvm)
install_stripped(${CMAKE_INSTALL_LIBDIR} tilec_shared tilec_static tilec_io_shared tilec_io_static)
install_stripped(${CMAKE_INSTALL_BINDIR} tilec_command tilec_inspect)
install(FILES include/tilec.h include/tilec_call.h include/tilec.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md
        PATTERN *.svg PATTERN *.png PATTERN *.json PATTERN *.py)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN __pycache__ EXCLUDE)
install(FILES docs/tilec.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion/tilec.bash RENAME tilec
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES tools/completion/_tilec DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/tilec FILES_MATCHING PATTERN *.py)
install(EXPORT tilec NAMESPACE tilec:: DESTINATION ${package} FILE tilec-targets.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilec-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/tilec-config.cmake ${PROJECT_BINARY_DIR}/tilec-config-version.cmake
        DESTINATION ${package})
configure_file(cmake/tilec.pc.in ${PROJECT_BINARY_DIR}/tilec.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tilec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
