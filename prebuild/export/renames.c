/* renames.c - `export --symbol`: renames functions. */
#include "export.h"
#include "prebuild/compilewords.h"
#include "prebuild/functionnames.h"

/* The mangled names of O's functions that OLD can mean (NULL: all). */
static void find_functions(struct argv *found, const struct output *o, const char *old) {
  for (size_t i = 0; i < o->nblobs; i++)
    for (size_t k = 0; k < o->blobs[i]->symbols.n; k++)
      if (!old || symbol_is_called(o->blobs[i]->symbols.args[k], old))
        argv_add(found, o->blobs[i]->symbols.args[k]);
}

static void list_functions(struct buf *b, const struct argv *symbols) {
  for (size_t i = 0; i < symbols->n; i++) {
    autofree char *signature = symbol_signature(symbols->args[i]);
    buf_printf(b, "\n  %s\n    %s", symbols->args[i], signature);
  }
}

/* --symbol SYMBOL for O in the form of ckjit-compile, with OLD mangled. NULL if O has no such
 * function. */
static char *resolve_function(const struct output *o, const char *symbol) {
  autofree_argv found = {0};
  autofree char *old = NULL;
  char *resolved = NULL;
  const char *name = export_symbol_parse(symbol, &old);
  bool known = true;
  for (size_t i = 0; i < o->nblobs; i++)
    known &= o->blobs[i]->symbols.n != 0;
  find_functions(&found, o, old);
  if (!known && found.n == 0)
    resolved = xstrdup(symbol); /* an old manifest without symbols: the compile will report it */
  else if (found.n == 1)
    resolved = xasprintf("%s=%s", found.args[0], name);
  else if (found.n > 1) {
    struct buf b = {0};
    list_functions(&b, &found);
    die(EXIT_FAILED,
        "--symbol %s: %s%s has %zu functions that could be meant; pass --symbol OLD=%s, with "
        "OLD one of%s",
        symbol, o->blobs[0]->stem, o->nblobs > 1 ? " and the others" : "", found.n, name, b.data);
  }
  return resolved;
}

void add_symbols(const struct exporting *x, const struct output *o, struct argv *command,
                 bool *used) {
  const struct request *r = x->r;
  for (size_t i = 0; i < r->symbols.n; i++) {
    char *symbol = export_is_device(x->format) ? xstrdup(r->symbols.args[i])
                                               : resolve_function(o, r->symbols.args[i]);
    used[i] |= symbol != NULL;
    if (symbol)
      add_option(command, "--symbol", symbol);
  }
}

void require_used(const struct exporting *x, const bool *used) {
  for (size_t i = 0; i < x->r->symbols.n; i++) {
    if (used[i])
      continue;
    struct argv all = {0};
    struct buf b = {0};
    for (size_t k = 0; k < x->n; k++)
      find_functions(&all, &x->outputs[k], NULL);
    list_functions(&b, &all);
    die(EXIT_FAILED, "--symbol %s: none of the kernels has such a function; they have%s",
        x->r->symbols.args[i], b.data ? b.data : " none");
  }
}

void check_names(const struct exporting *x) {
  const struct argv *symbols = &x->r->symbols;
  for (size_t i = 0; i < symbols->n; i++) {
    autofree char *old = NULL;
    const char *name = export_symbol_parse(symbols->args[i], &old);
    for (size_t k = 0; k < i; k++) {
      autofree char *other = NULL;
      if (strcmp(export_symbol_parse(symbols->args[k], &other), name) == 0)
        die(EXIT_USAGE, "--symbol %s: another --symbol gives that name too", symbols->args[i]);
    }
    for (size_t k = 0; !old && k < x->n; k++)
      if (x->outputs[k].nblobs > 1)
        die(EXIT_USAGE,
            "--symbol %s: one file has %zu kernels; pass --symbol OLD=%s, or export to a directory",
            name, x->outputs[k].nblobs, name);
  }
}
