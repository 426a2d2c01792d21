#include "launcher.h"
#include "core/base/env.h"
#include "core/base/path.h"

#define VARIABLE "CK_JIT_COMPILER_LAUNCHER"

/* Split LIST into words; empty ones are dropped, as CMake does. */
static void split(struct argv *words, const char *list) {
  struct buf word = {0};
  for (const char *p = list;; p++) {
    if (p[0] == '\\' && p[1] == ';') {
      buf_putc(&word, *++p);
    } else if (*p && *p != ';') {
      buf_putc(&word, *p);
    } else {
      if (word.len)
        argv_add(words, word.data);
      buf_free(&word);
      if (!*p)
        return;
    }
  }
}

/* A relative name with a slash is relative to the current directory; steps run elsewhere, so it is
 * made absolute. NULL if there is no such program. */
static char *find(const char *name) {
  autofree char *found = path_which(name);
  return found ? path_abs(found) : NULL;
}

bool launcher_read(struct argv *words, char **err) {
  const char *value = env_get(VARIABLE);
  if (!value)
    return true;
  split(words, value);
  char *program = words->n ? find(words->args[0]) : NULL;
  if (program) {
    free(words->args[0]);
    words->args[0] = program;
    return true;
  }
  if (!words->n)
    *err = xasprintf(
        VARIABLE "='%s': expected a program, such as ccache, and ';' before each of its arguments", value);
  else
    *err = xasprintf(
        VARIABLE
        "='%s': there is no program '%s'%s; install it, name it by its path, or unset the variable%s",
        value, words->args[0], strchr(words->args[0], '/') ? "" : " on the PATH",
        strpbrk(words->args[0], " \t") ? " (words are separated by ';', not by spaces)" : "");
  argv_free(words);
  return false;
}

char *launcher_seed(const char *digest) {
  return xasprintf("-frandom-seed=ckjit-%.32s", digest);
}
