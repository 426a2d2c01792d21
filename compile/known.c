#include "known.h"
#include "plan_run.h"
#include "core/base/childenv.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "abi/ck_jit_arch.h"

#include <unistd.h>

enum { SHOWN = 5 }; /* names of architectures in a message */

/* Returns what T's compiler prints for WORDS, which end with NULL, or NULL if it prints nothing.
 * free() it. */
static char *answer_to(const struct compile_task *t, const char *dir, const char *const *of) {
  autofree_argv words = {0}, env = {0};
  bool succeeded;
  argv_add(&words, t->compiler);
  for (const char *const *w = of; *w; w++)
    argv_add(&words, *w);
  childenv_copy(&env);
  return plan_ask(&words, env.args, dir, &succeeded);
}

/* "it is clang 15.0.6, which": its program and version, as far as it says them; free() it */
static char *release(const struct compile_task *t, const char *dir) {
  static const char *const words[] = {"--version", NULL};
  const char *mark = t->kind->proper_release;
  autofree char *text = answer_to(t, dir, words);
  char *at = text ? strstr(text, mark) : NULL,
       *said = at ? xasprintf("it is %s %.*s, which", t->kind->proper,
                              (int)strcspn(at + strlen(mark), ", \n"), at + strlen(mark))
                  : xstrdup("it");
  return said;
}

static size_t shared_prefix(const char *a, const char *b) {
  size_t n = 0;
  while (a[n] && a[n] == b[n])
    n++;
  return n;
}

/* Append to OUT those of NAMES that are most like NAME, in their order, and how many more there
 * are. */
static void put_nearest(struct buf *out, const struct argv *names, const char *name) {
  size_t shown = 0;
  for (size_t like = strlen(name) + 1; like-- && shown < SHOWN;)
    for (size_t i = 0; i < names->n && shown < SHOWN; i++)
      if (shared_prefix(names->args[i], name) == like)
        buf_printf(out, "%s%s", shown++ ? ", " : "", names->args[i]);
  if (names->n > shown)
    buf_printf(out, " and %zu %s", names->n - shown, noun(names->n - shown, "other", "others"));
}

char *known_tell(const struct compile_task *t, const char *dir, const char *arch) {
  autofree char *text = answer_to(t, dir, t->kind->list_gpus),
                *name = xstrndup(arch, ckjit_arch_base(arch, strlen(arch)));
  autofree_argv names = {0};
  struct buf out = {0};
  buf_puts(&out, "");
  for (char *rest, *word = text ? strtok_r(text, " \t\n,", &rest) : NULL; word;
       word = strtok_r(NULL, " \t\n,", &rest))
    if (str_starts(word, "gfx") || str_starts(word, "sm_") || str_starts(word, "compute_"))
      argv_add_once(&names, xstrdup(word));
  if (names.n && !argv_has(&names, name)) { /* else it was refused for another reason */
    autofree char *is = release(t, dir);
    buf_printf(&out, ": %s knows ", is);
    put_nearest(&out, &names, name);
    buf_printf(&out, ", but not %s; if the name is right, set %s to a newer compiler", name,
               t->kind->variable);
  }
  return out.data;
}
