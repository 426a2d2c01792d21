/* left_out.c - leaves out directories in the link's variables that are not safe to use.
 *
 * A compile gets the variables that chose the compiler at the link, by value. The link may be long
 * ago: PATH names /tmp/tools/bin, the user has removed it, and in /tmp any user can make it again,
 * with a g++ in it. So a directory that another user could have made since is left out, by the rule
 * of abi/ck_jit_trust.h. A directory that does not exist is judged by the directory in which it
 * would be made.
 *
 * A directory that the job's own variable names too was chosen by the user, and is used.
 */
#include "left_out.h"

#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/base/vec.h"
#include "core/cc/ccenv.h"

#include <sys/stat.h>

/* Why another user could have made PATH, or could make it; NULL: none could. free() it. */
static char *distrust(const char *path) {
  struct stat st;
  autofree char *at = xstrdup(path);
  while (lstat(at, &st) && strcmp(at, "/") != 0) {
    char *up = path_dir(at);
    free(at);
    at = up;
  }
  return trust_why(at);
}

/* Is the directory of N bytes at DIR in LIST, whose parts ':' separates? */
static bool list_has(const char *list, const char *dir, size_t n) {
  for (size_t m; list && *list; list += m + (list[m] == ':')) {
    m = strcspn(list, ":");
    if (m == n && memcmp(list, dir, n) == 0)
      return true;
  }
  return false;
}

static void leave_out(struct left_out **list, size_t *n, const char *variable, const char *dir, char *why) {
  vec_push(*list, *n,
           (struct left_out){.name = xstrndup(variable, strcspn(variable, "=")),
                             .dir = xstrdup(dir),
                             .why = why,
                             .keyed = ccenv_is_keyed(variable, false)});
}

/* Append VARIABLE, whose value is one directory, or a LIST, to OUT; to *LEFT what is not in it. */
static void add_trusted(struct argv *out, struct left_out **left, size_t *n, const char *variable,
                        bool list) {
  size_t head = strcspn(variable, "=") + 1;
  autofree char *name = xstrndup(variable, head - 1);
  const char *own = secure_getenv(name);
  autofree_buf value = {0};
  for (const char *at = variable + head; *at;) {
    size_t len = list ? strcspn(at, ":") : strlen(at);
    autofree char *dir = xstrndup(at, len);
    char *why = dir[0] == '/' && !list_has(own, dir, len) ? distrust(dir) : NULL;
    if (why)
      leave_out(left, n, variable, dir, why);
    else if (len)
      buf_printf(&value, "%s%s", value.len ? ":" : "", dir);
    at += len + (at[len] == ':');
  }
  if (value.len)
    argv_addf(out, "%s=%s", name, value.data);
}

void left_out_find(struct argv *out, struct left_out **left, size_t *n, const struct argv *toolchain) {
  for (size_t i = 0; i < toolchain->n; i++) {
    const char *variable = toolchain->args[i];
    switch (ccenv_directories(variable)) {
    case 0:
      argv_add(out, variable);
      break;
    case CCENV_DIR:
      add_trusted(out, left, n, variable, false);
      break;
    default:
      add_trusted(out, left, n, variable, true);
    }
  }
}

void left_out_free(struct left_out *left, size_t n) {
  for (size_t i = 0; i < n; i++) {
    free(left[i].name);
    free(left[i].dir);
    free(left[i].why);
  }
  free(left);
}
