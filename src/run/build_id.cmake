# Writes HEADER with the hash of LLVM's version and of the sources, in the order of their names,
# that core and plugin must agree on and that compiled code depends on beside its IR: not the
# front end, since the IR's text is in every cache key.  Included without HEADER it only gives the
# list of their folders.
set(build_id_folders base ir math inline_ptx unread axis opt opt_target tell formula suspect check layout plan plan_schedule plan_verify split gpu_plan gpu_schedule gen gen_cpu_dot gen_cpu gen_cpu_target gen_nv_values gen_nv plugin)
if(NOT HEADER)
  return()
endif()
set(files "")
foreach(folder ${build_id_folders})
  file(GLOB more RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.c ${SOURCE}/${folder}/*.h)
  list(APPEND files ${more})
endforeach()
list(SORT files)
set(all "LLVM ${LLVM}")
foreach(file ${files})
  file(SHA256 ${SOURCE}/${file} hash)
  string(APPEND all " ${file} ${hash}")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 32 id)
file(WRITE ${HEADER} "#define TILEC_BUILD_ID \"${id}\"\n")
