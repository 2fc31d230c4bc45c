/* build.c - the identity of this build; build_id.h is made by CMakeLists.txt beside this file */
#include "build_id.h"
#include "run.h"

const char *run_build_id(void)
{
    return TILEC_BUILD_ID;
}
