# libtilec-io, the companion library of tilec_io.h: array files for programs that use tilec.
set_target_properties(tilec_io PROPERTIES C_VISIBILITY_PRESET default)

add_library(tilec_io_shared SHARED $<TARGET_OBJECTS:tilec_io>)
target_link_libraries(tilec_io_shared PRIVATE tilec_ir PNG::PNG ZLIB::ZLIB INTERFACE tilec_shared)
# one object, as libtilec.a is, with what it needs of the layers below
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/tilec-io-all.o
  COMMAND ${CMAKE_LINKER} -r -o ${PROJECT_BINARY_DIR}/tilec-io-all.o $<TARGET_OBJECTS:tilec_io>
          $<TARGET_FILE:tilec_ir> $<TARGET_FILE:tilec_base>
  COMMAND ${CMAKE_OBJCOPY} -w --keep-global-symbol=tilec_io_* ${PROJECT_BINARY_DIR}/tilec-io-all.o
  DEPENDS $<TARGET_OBJECTS:tilec_io> tilec_io tilec_ir tilec_base COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Joining the objects of libtilec-io.a")
add_library(tilec_io_static STATIC ${PROJECT_BINARY_DIR}/tilec-io-all.o)
target_link_libraries(tilec_io_static INTERFACE tilec_static png z)
foreach(t tilec_io_shared tilec_io_static)
  set_target_properties(${t} PROPERTIES OUTPUT_NAME tilec-io LINKER_LANGUAGE C)
  target_include_directories(${t} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(tilec_io_shared PROPERTIES EXPORT_NAME io SOVERSION 0
                                                 VERSION ${PROJECT_VERSION}
                                                 LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tilec.map)
set_target_properties(tilec_io_static PROPERTIES EXPORT_NAME io_static)
target_link_options(tilec_io_shared PRIVATE
                    -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/tilec.map)
add_library(tilec::io ALIAS tilec_io_shared)
add_library(tilec::io_static ALIAS tilec_io_static)

if(TILEC_INSTALL)
  install(TARGETS tilec_io_shared tilec_io_static EXPORT tilec
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/tilec_io.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(cmake/tilec-io.pc.in ${PROJECT_BINARY_DIR}/tilec-io.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tilec-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
