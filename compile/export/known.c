#include "known.h"
#include "way.h"
#include "compile/plan_run.h"
#include "core/base/childenv.h"
#include "core/base/path.h"
#include "core/base/suggest.h"
#include "abi/ck_jit_arch.h"

#include <stdlib.h>
#include <string.h>

/* What X's compiler answers when it is asked for the processors that it knows; NULL: nothing. free() it */
static char *list(struct export *x) {
  static const char *const of_clang[] = {"--target=amdgcn-amd-amdhsa", "-nogpulib", "-print-supported-cpus",
                                         NULL};
  static const char *const of_nvcc[] = {"--list-gpu-code", NULL};
  struct argv words = {0}, env = {0};
  argv_add(&words, x->t->compiler);
  for (const char *const *w = x->t->kind->dialect == CC_NVCC ? of_nvcc : of_clang; *w; w++)
    argv_add(&words, *w);
  childenv_copy(&env);
  char *answer = export_new_file(x, ".known");
  size_t len;
  plan_ask(&words, &env, answer);
  char *text = file_read(answer, &len);
  argv_free(&words);
  argv_free(&env);
  free(answer);
  return text;
}

char *known_similar(struct export *x, const char *arch) {
  char *text = list(x), *name = xstrndup(arch, ckjit_arch_base(arch, strlen(arch)));
  struct argv names = {0};
  for (char *rest, *word = text ? strtok_r(text, " \t\n,", &rest) : NULL; word;
       word = strtok_r(NULL, " \t\n,", &rest))
    if (str_starts(word, "gfx") || str_starts(word, "sm_") || str_starts(word, "compute_"))
      argv_add(&names, word);
  /* one that it knows was refused for another reason */
  char *meant =
      names.n && !argv_has(&names, name) ? did_you_mean(name, (const char *const *)names.args) : xstrdup("");
  argv_free(&names);
  free(name);
  free(text);
  return meant;
}
