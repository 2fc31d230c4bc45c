# What an installation begins with: which of the folders that it puts files into it will have to make.  They
# are in `made`, each with a slash behind it, for installed.cmake, and go with what is in them.
set(folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_LIBDIR}/tilec
            ${CMAKE_INSTALL_LIBDIR}/cmake/tilec ${CMAKE_INSTALL_LIBDIR}/pkgconfig
            ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_MANDIR}/man1
            ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            ${CMAKE_INSTALL_DATADIR}/zsh/site-functions ${CMAKE_INSTALL_DATADIR}/tilec)
install(CODE "
  set(made \"\")
  foreach(folder ${folders})
    set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\")
    while(NOT EXISTS \"\${path}\")
      list(APPEND made \"\${path}/\")
      get_filename_component(path \"\${path}\" DIRECTORY)
    endwhile()
  endforeach()")
