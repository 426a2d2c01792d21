#include "judge.h"

bool export_no_kernel(const struct export *x, const char *arch, size_t n, char **err) {
  const char *built = x->t->export.built;
  return task_fail(x->t, err, "no code for %.*s: an #if removes its kernel for that architecture%s%s", (int)n,
                   arch, built && *built ? "; the library was built for " : "", built && *built ? built : "");
}

/* another architecture of the library than ARCH (N bytes), for which there is code; free() it */
static char *code_elsewhere(struct export *x, const char *arch, size_t n) {
  const char *at = x->t->export.built ? x->t->export.built : "", *word;
  char *found = NULL;
  for (size_t m; !found && (word = ckjit_arch_next(&at, &m));) {
    if (export_same_arch(word, m, arch, n))
      continue;
    autofree char *other = xstrndup(word, m);
    struct kernels k = {0};
    if (x->way->look(x, &k, other) && k.empty < k.names.n)
      found = xstrdup(other);
    kernels_free(&k);
  }
  return found;
}

bool export_judge(struct export *x, const struct kernels *k, const char *arch, size_t n, char **err) {
  if (!k->names.n)
    return export_no_kernel(x, arch, n, err);
  if (k->empty < k->names.n)
    return true;
  /* Empty everywhere is what the source says; empty here alone is an #if. */
  autofree char *other = code_elsewhere(x, arch, n);
  bool good =
      !other ||
      task_fail(
          x->t, err,
          "no code for %.*s: its kernel is empty for that architecture (an #if removes its body); there is code for %s",
          (int)n, arch, other);
  if (good)
    warn("%s: the kernel is empty for %.*s", x->t->stem, (int)n, arch);
  return good;
}
