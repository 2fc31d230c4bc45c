# topics.h: what `tilec help TOPIC` says, from the topics that docs/*.md and the tutorial have
find_program(TILEC_AWK NAMES awk gawk mawk REQUIRED)
set(header ${PROJECT_BINARY_DIR}/topics/topics.h)
file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md
     ${PROJECT_SOURCE_DIR}/docs/tutorial/README.md)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/topics)
add_custom_command(OUTPUT ${header} VERBATIM
  COMMAND ${TILEC_AWK} -v out=${header} -f ${PROJECT_SOURCE_DIR}/tools/topics.awk ${documents}
  DEPENDS ${documents} ${PROJECT_SOURCE_DIR}/tools/topics.awk
  COMMENT "Taking the topics of `tilec help` from docs/")
add_custom_target(tilec_topics DEPENDS ${header})
add_dependencies(tilec_help tilec_topics)
target_include_directories(tilec_help PRIVATE ${PROJECT_BINARY_DIR}/topics)
