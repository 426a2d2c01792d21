/* trust.c - may what is at a name that was written down earlier be used? */
#include "trust.h"

#include "abi/ck_jit_trust.h"

char *trust_why(const char *path) {
  struct ckjit_suspect suspect;
  char text[PATH_MAX + 512];
  const char *why = ckjit_path_check(path, &suspect);
  if (!why)
    return NULL;
  return xstrdup(ckjit_suspect_text(text, sizeof text, &suspect, why) ? text : why);
}
