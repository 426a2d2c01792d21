#include "rename.h"
#include "symbol.h"

/* ---- kernels, in text ---- */

/* why --symbol SYMBOL, which means OLD (NULL: the only one), fits none of K */
static char *not_one_kernel(const struct export *x, const char *symbol, const char *old,
                            const struct kernels *k) {
  struct buf b = {0};
  if (old)
    buf_printf(&b, "%s: --symbol %s: it has no kernel '%s', but", x->t->stem, symbol, old);
  else
    buf_printf(&b, "%s: --symbol %s: %zu kernels match; pass --symbol OLD=%s with OLD one of", x->t->stem,
               symbol, k->names.n, symbol);
  for (size_t i = 0; i < k->names.n; i++)
    buf_printf(&b, "\n  %s", k->names.args[i]);
  return b.data;
}

/* The old name of the one kernel of K that --symbol SYMBOL means; free() it */
static char *choose_kernel(const struct export *x, const char *symbol, const struct kernels *k, char **err) {
  char *old;
  export_symbol_parse(symbol, &old);
  if (!old && k->names.n == 1)
    return xstrdup(k->names.args[0]);
  if (old && argv_has(&k->names, old))
    return old;
  *err = not_one_kernel(x, symbol, old, k);
  free(old);
  return NULL;
}

/* Rename by one --symbol in *TEXT. */
static bool rename_kernel(struct export *x, const char *symbol, char **text, const struct text_form *form,
                          char **err) {
  struct kernels k = {0};
  autofree char *said = NULL, *why = NULL;
  const char *name = export_symbol_parse(symbol, &said);
  form->kernels(&k, *text);
  autofree char *old = choose_kernel(x, symbol, &k, err);
  char *renamed = old ? form->rename(*text, old, name, &why) : NULL;
  if (renamed) {
    free(*text);
    *text = renamed;
  } else if (old) {
    task_fail(x->t, err, "%s", why);
  }
  kernels_free(&k);
  return renamed != NULL;
}

bool export_rename_kernels(struct export *x, char **text, const struct text_form *form, char **err) {
  for (size_t i = 0; i < x->t->export.symbols->n; i++)
    if (!rename_kernel(x, x->t->export.symbols->args[i], text, form, err))
      return false;
  return true;
}

/* ---- functions, in objects ---- */

/* Rename by one --symbol in the one of OBJECTS that has it. */
static bool rename_function(const struct export *x, const char *symbol, const struct argv *objects,
                            char **err) {
  autofree char *old = NULL, *why = NULL;
  const char *name = export_symbol_parse(symbol, &old);
  bool found = false, done = true;
  if (!old && objects->n > 1)
    done = task_fail(x->t, err, "--symbol %s: pass --symbol OLD=%s, because there are %zu kernels", name,
                     name, objects->n);
  for (size_t i = 0; i < objects->n && !found && done; i++)
    if (!symbol_rename_object(objects->args[i], old, name, &found, &why))
      done = task_fail(x->t, err, "%s", why);
  if (done && !found)
    done = task_fail(x->t, err, "--symbol %s: it defines no function %s", symbol, old);
  return done;
}

bool export_rename_functions(const struct export *x, const struct argv *objects, char **err) {
  for (size_t i = 0; i < x->t->export.symbols->n; i++)
    if (!rename_function(x, x->t->export.symbols->args[i], objects, err))
      return false;
  return true;
}
