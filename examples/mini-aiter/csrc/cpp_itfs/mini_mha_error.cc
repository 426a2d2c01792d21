// The one source without HIP in it: the build gives it to $CXX, and with a dependency file.
#include "mini_mha.h"

#include <string>

static thread_local std::string last_error;

void mini_mha_set_error(const char* what) { last_error = what; }

extern "C" const char* mini_mha_last_error(void) { return last_error.c_str(); }
