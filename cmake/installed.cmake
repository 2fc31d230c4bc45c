# What an installation is followed by: its list of files, for tools/uninstall.sh.  The list is called as the
# folder that was installed to hashes, so that there may be several; its first line is that folder.
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  string(MD5 name \"\${prefix}\")
  list(TRANSFORM CMAKE_INSTALL_MANIFEST_FILES PREPEND \"\$ENV{DESTDIR}\" OUTPUT_VARIABLE files)
  list(JOIN files \"\\n\" files)
  file(WRITE \"${PROJECT_BINARY_DIR}/installed/\${name}.txt\" \"\${prefix}\\n\${files}\\n\")")
