# find_package(tilec) gives tilec::tilec (shared) and tilec::tilec_static
include(${CMAKE_CURRENT_LIST_DIR}/tilec-targets.cmake)
