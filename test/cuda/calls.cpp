// calls.cpp - calls of mini-flash in one process, on a machine without a GPU: each argument is a case as of
// examples/mini-flash/src/check.cpp, of which is printed what it threw, or sh:COMMAND, which is run between them.
#include "mini_flash.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

static bool call(const char *text) {
  int dtype, dim, causal, window, alibi, lse, splits;
  if (std::sscanf(text, "%d:%d:%d:%d:%d:%d:%d", &dtype, &dim, &causal, &window, &alibi, &lse, &splits) != 7)
    return false;
  MINI_FLASH_NAMESPACE::Fwd_params p = {};
  float dummy = 0;
  p.batch = p.heads = p.seqlen_q = p.seqlen_k = 1;
  p.dim = dim;
  p.window = window;
  p.splits = splits;
  p.lse = lse ? &dummy : nullptr;
  p.alibi = alibi ? &dummy : nullptr;
  try {
    std::printf("%s: %d\n", text, mini_flash_fwd(p, dtype, causal, nullptr));
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", text, e.what());
  }
  std::fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (std::strncmp(argv[i], "sh:", 3) == 0 ? std::system(argv[i] + 3) != 0 : !call(argv[i]))
      return 2;
  return 0;
}
