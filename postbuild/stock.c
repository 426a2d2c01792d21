/* stock.c - a library as it would be without ckjit: the last level, below which there are only errors that stock
 * has as well.
 *
 * It is taken if what ckjit adds to every library cannot be had: the runtime or the tables do not compile, or the
 * linker refuses them. All that was recorded is compiled by its recorded command and linked by the build's own
 * link. What was compiled ahead of time before is kept. The files of the link's directory are written as for any
 * library, with a manifest of no kernels: `ckjit-build full`, quick and relink find what they look for, and a
 * relink tries again to be lazy.
 */
#include "link.h"

#include "core/base/path.h"

#include <stdlib.h>

_Noreturn void link_as_stock(struct link *l, const char *why) {
  warn("%s: it is made as without ckjit, with no kernel lazy: %s", l->line.output, why);
  l->stock = why;
  if (!l->no_rdc)
    l->no_rdc = xstrdup(why);
  for (size_t i = 0; i < l->nblobs; i++)
    blob_settle(&l->blobs[i], BLOB_AHEAD, xstrdup("its library is made as without ckjit"));
  for (size_t k = 0; k < l->units.nunits; k++)
    l->units.units[k].nblobs = l->units.units[k].nfunctions = 0;
  for (size_t i = 0; i < l->ndispatchers; i++)
    link_record_dispatcher(l, &l->dispatchers[i], xstrdup("its library is made as without ckjit"));
  argv_free(&l->aot);
  argv_free(&l->command);
  argv_free(&l->objs);
  link_compile_ahead(l);
  link_give_up_lazy_units(l, "its library is made as without ckjit");
  link_compile_lazy_ahead(l);
  link_write_manifest(l);
  link_plan_output(l);
  link_output(l);
  link_progress(l, "linked as without ckjit");
  argv_add(&l->objs, l->runtime_obj); /* for quick, which compiles it again, and then links it */
  link_write_state(l);
  link_print_summary(l);
  exit(EXIT_OK);
}
