# What an installation is followed by: its list of files and of the folders that it made, for
# tools/uninstall.sh.  The list is called as the folder that was installed to hashes, so that there may be
# several; its first line is that folder.  What an earlier installation made there stays on it.
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  string(MD5 name \"\${prefix}\")
  set(list \"${PROJECT_BINARY_DIR}/installed/\${name}.txt\")
  if(EXISTS \"\${list}\")
    file(STRINGS \"\${list}\" earlier REGEX \"/\$\")
  endif()
  list(TRANSFORM CMAKE_INSTALL_MANIFEST_FILES PREPEND \"\$ENV{DESTDIR}\" OUTPUT_VARIABLE lines)
  list(APPEND lines \${made} \${earlier})
  list(REMOVE_DUPLICATES lines)
  list(JOIN lines \"\\n\" lines)
  file(WRITE \"\${list}\" \"\${prefix}\\n\${lines}\\n\")")
