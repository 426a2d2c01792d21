/* trust.c - may the file at a path be used? */
#include "trust.h"

#include "path.h"
#include "abi/ck_jit_trust.h"

static char *text_of(const struct ckjit_suspect *suspect, const char *why) {
  char text[PATH_MAX + 512];
  if (!why)
    return NULL;
  return xstrdup(ckjit_suspect_text(text, sizeof text, suspect, why) ? text : why);
}

char *trust_why(const char *path) {
  struct ckjit_suspect suspect;
  const char *why = ckjit_path_check(path, &suspect);
  return text_of(&suspect, why);
}

char *trust_own_why(const char *path, const char *rest) {
  struct ckjit_suspect suspect;
  autofree char *dir = rest ? xstrdup(path) : path_dir(path);
  const char *why = ckjit_beside_check(dir, rest ? rest : path_base(path), NULL, &suspect);
  return text_of(&suspect, why);
}

void trust_own(const char *path, const char *what, const char *todo) {
  char *why = trust_own_why(path, NULL);
  if (why)
    die(EXIT_FAILED,
        "%s %s is not used, because another user can change the programs there "
        "[ckjit help untrusted-directory]\n%s\n%s",
        what, path, why, todo);
}

const char *trust_open_why(int fd) {
  struct stat st;
  return fstat(fd, &st) ? "cannot be examined" : ckjit_part_check(fd, &st, false, true, NULL);
}
