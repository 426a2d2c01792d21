#include "rename.h"
#include "symbol.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels, in text ---- */

/* why --symbol SYMBOL, which means OLD (NULL: the only one), fits none of K */
static char *not_one_kernel(const struct export *x, const char *symbol, const char *old,
                            const struct kernels *k) {
  struct buf b = {0};
  if (old)
    buf_printf(&b, "%s: --symbol %s: it has no kernel '%s', but", x->t->stem, symbol, old);
  else
    buf_printf(&b, "%s: --symbol %s: %zu kernels could be meant; say --symbol OLD=%s with OLD one of",
               x->t->stem, symbol, k->names.n, symbol);
  for (size_t i = 0; i < k->names.n; i++)
    buf_printf(&b, "\n  %s", k->names.args[i]);
  return b.data;
}

static bool is_kernel(const struct kernels *k, const char *name) {
  for (size_t i = 0; i < k->names.n; i++)
    if (strcmp(k->names.args[i], name) == 0)
      return true;
  return false;
}

/* The old name of the one kernel of K that --symbol SYMBOL means, in *OLD, which is the caller's to free(). */
static char *choose_kernel(const struct export *x, const char *symbol, const struct kernels *k, char **old) {
  export_symbol_parse(symbol, old);
  if (*old ? !is_kernel(k, *old) : k->names.n != 1)
    return not_one_kernel(x, symbol, *old, k);
  if (!*old)
    *old = xstrdup(k->names.args[0]);
  return NULL;
}

/* Rename by one --symbol in *TEXT. */
static char *rename_kernel(struct export *x, const char *symbol, char **text, const struct text_form *form) {
  struct kernels k = {0};
  char *said, *old = NULL, *renamed = NULL;
  const char *name = export_symbol_parse(symbol, &said);
  form->kernels(&k, *text);
  char *why = choose_kernel(x, symbol, &k, &old);
  if (!why && !(renamed = form->rename(*text, old, name, &why))) {
    char *what = why;
    why = xasprintf("%s: %s", x->t->stem, what ? what : "it cannot be found in the compiler's text");
    free(what);
  }
  if (renamed) {
    free(*text);
    *text = renamed;
  }
  kernels_free(&k);
  free(said);
  free(old);
  return why;
}

char *export_rename_kernels(struct export *x, char **text, const struct text_form *form) {
  char *why = NULL;
  for (size_t i = 0; !why && i < x->t->symbols->n; i++)
    why = rename_kernel(x, x->t->symbols->args[i], text, form);
  return why;
}

/* ---- functions, in objects ---- */

/* Rename by one --symbol in the one of OBJECTS that has it. */
static char *rename_function(const struct export *x, const char *symbol, const struct argv *objects) {
  char *old, *why = NULL;
  const char *name = export_symbol_parse(symbol, &old);
  bool found = false;
  if (!old && objects->n > 1)
    why = xasprintf("--symbol %s: say --symbol OLD=%s, for there are %zu kernels", name, name, objects->n);
  for (size_t i = 0; i < objects->n && !found && !why; i++)
    why = symbol_rename_object(objects->args[i], old, name, &found);
  if (!why && !found)
    why = xasprintf("--symbol %s: it defines no function %s", symbol, old);
  char *whole = why ? xasprintf("%s: %s", x->t->stem, why) : NULL;
  free(old);
  free(why);
  return whole;
}

char *export_rename_functions(const struct export *x, const struct argv *objects) {
  char *why = NULL;
  for (size_t i = 0; !why && i < x->t->symbols->n; i++)
    why = rename_function(x, x->t->symbols->args[i], objects);
  return why;
}
