/* ccenv.c - see ccenv.h. The order of the rows matters twice: options from the environment are recorded in
 * this order, and the CCENV_CHOOSES variables are hashed in it for the memos of compilers' files
 * (core/cache/toolchain.c).
 */
#include "ccenv.h"

#include <stdlib.h>
#include <string.h>

const struct cc_variable ccenv[] = {
    /* which clang hipcc runs, and with which libraries */
    {"HIP_CLANG_PATH", "hip", CCENV_CHOOSES, NULL, false},
    {"HIP_PATH", "hip", CCENV_CHOOSES, NULL, false},
    {"HIP_PLATFORM", "hip", CCENV_CHOOSES, NULL, false},
    {"ROCM_PATH", "hip", CCENV_CHOOSES, NULL, false},
    {"HIP_DEVICE_LIB_PATH", "hip", CCENV_CHOOSES, NULL, false},
    {"DEVICE_LIB_PATH", "hip", CCENV_CHOOSES, NULL, false},
    {"LD_LIBRARY_PATH", NULL, CCENV_CHOOSES, NULL, false},

    /* options; -ccbin goes first, since a -ccbin in the others overrides NVCC_CCBIN */
    {"NVCC_CCBIN", "cuda", CCENV_BEFORE | CCENV_CLEANED | CCENV_CHOOSES, "-ccbin", false},
    {"NVCC_PREPEND_FLAGS", "cuda", CCENV_BEFORE | CCENV_CLEANED | CCENV_CHOOSES, NULL, false},
    {"NVCC_APPEND_FLAGS", "cuda", CCENV_BEHIND | CCENV_CLEANED | CCENV_CHOOSES, NULL, false},
    /* hipcc's script puts these before the arguments, despite the name */
    {"HIPCC_COMPILE_FLAGS_APPEND", "hip", CCENV_BEFORE, NULL, false},

    /* search paths, set by conda and Spack; they follow the directories of the same kind on the command
     * line */
    {"CPATH", NULL, CCENV_BEHIND, "-I", true},
    {"CPLUS_INCLUDE_PATH", NULL, CCENV_BEHIND, "-isystem", true},

    /* the variables of nvcc.profile: nvcc appends the environment's value to its own and pastes the result
     * into the command lines of its programs */
    {"INCLUDES", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"SYSTEM_INCLUDES", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"LIBRARIES", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"PTXAS_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"CUDAFE_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},

    /* gcc's */
    {"DEPENDENCIES_OUTPUT", NULL, CCENV_BENDS, NULL, false},
    {"SUNPRO_DEPENDENCIES", NULL, CCENV_BENDS, NULL, false},
    {"GCC_COMPARE_DEBUG", NULL, CCENV_BENDS, NULL, false},
    {"GCC_EXEC_PREFIX", NULL, CCENV_BENDS, NULL, false},
    /* clang's */
    {"CCC_OVERRIDE_OPTIONS", NULL, CCENV_BENDS, NULL, false},
    {"CCC_ADD_ARGS", NULL, CCENV_BENDS, NULL, false},
    {"QA_OVERRIDE_GCC3_OPTIONS", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_OPTIONS", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_HEADERS", NULL, CCENV_BENDS, NULL, false},
    {"CC_LOG_DIAGNOSTICS", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_PROC_STAT", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_INTERNAL_STAT", NULL, CCENV_BENDS, NULL, false},
    {"AS_SECURE_LOG_FILE", NULL, CCENV_BENDS, NULL, false},
    /* hipcc's */
    {"HIP_COMPILE_CXX_AS_HIP", NULL, CCENV_BENDS, NULL, false},
    {0},
};

bool ccenv_is_read(const struct cc_variable *v, const struct compiler *c) {
  return !v->kind || strcmp(v->kind, c->kind) == 0;
}

bool ccenv_is_bent(const struct compiler *c) {
  for (const struct cc_variable *v = ccenv; v->name; v++) {
    const char *value = ccenv_is_read(v, c) ? getenv(v->name) : NULL;
    if (value && ((v->what & CCENV_BENDS) || ((v->what & CCENV_ADDS) && *value)))
      return true;
  }
  return false;
}

void ccenv_clean(void) {
  for (const struct cc_variable *v = ccenv; v->name; v++)
    if (v->what & CCENV_CLEANED)
      unsetenv(v->name);
}
