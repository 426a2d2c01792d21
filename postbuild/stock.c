/* stock.c - makes a library as it would be without ckjit: the last level, after which only errors
 * remain that a build without ckjit has as well.
 *
 * It is taken if ckjit's additions to every library are impossible: the runtime or the tables do
 * not compile, or the linker refuses them. All recorded units are compiled by their recorded
 * commands and linked by the build's own link. Objects that were compiled ahead of time before are
 * kept. The files of the link's directory are written as for any library, with a manifest of no
 * kernels: `ckjit full`, quick and relink find the files that they need, and a relink tries again
 * to be lazy. If these files cannot hold the names of the link, they are not written, and quick and
 * relink do not find the library.
 */
#include "link.h"

#include "core/base/env.h"
#include "core/base/path.h"
#include "core/files/state.h"
#include "core/files/storable.h"

#include <unistd.h>

void link_all_ahead(struct link *l, const char *why, const char *each) {
  warn("%s: it is built without ckjit, with no kernel lazy: %s", l->line.output, why);
  l->stock = why;
  if (!l->no_rdc) /* fragments as well */
    l->no_rdc = xstrdup(why);
  for (size_t i = 0; i < l->nblobs; i++)
    blob_settle(&l->blobs[i], BLOB_AHEAD, xstrdup(each));
  for (size_t k = 0; k < l->units.nunits; k++)
    l->units.units[k].nblobs = l->units.units[k].nfunctions = 0;
  for (size_t i = 0; i < l->ndispatchers; i++)
    link_record_dispatcher(l, &l->dispatchers[i], xstrdup(each));
  l->ahead = 0;
  argv_free(&l->command);
  argv_free(&l->objs);
  link_compile_ahead(l);
  link_give_up_lazy_units(l, each);
  link_compile_lazy_ahead(l);
}

_Noreturn void link_as_stock(struct link *l, const char *why) {
  link_all_ahead(l, why, "its library is built without ckjit");
  if (!l->unnamed)
    link_write_manifest(l);
  link_plan_output(l);
  link_output(l);
  link_progress(l, "linked without ckjit");
  if (!l->unnamed)
    argv_add(&l->objs, l->runtime_obj); /* for quick, which compiles it again, and then links it */
  link_write_state(l);
  link_print_summary(l);
  link_run(l);
  exit(EXIT_OK);
}

char *link_unstorable(const struct link *l) {
  const char *base = env_get("CK_JIT_BASE"), *bad = NULL;
  const char *const names[] = {l->line.cwd, l->line.output, l->line.compiler,
                               l->work,     l->home->dir,   base ? base : ""};
  for (size_t i = 0; i < sizeof names / sizeof *names && !bad; i++)
    bad = word_is_storable(names[i]) ? NULL : names[i];
  for (size_t i = 0; i < l->line.args.n && !bad; i++)
    bad = word_is_storable(l->line.args.args[i]) ? NULL : l->line.args.args[i];
  return bad ? xasprintf("'%s' is not UTF-8, or has " STATE_JIT
                         " in it, and its manifest cannot have such a name",
                         bad)
             : NULL;
}

/* The wrapper leaves units of such names to the real compiler, so those of this link were compiled
 * elsewhere. The remains of an earlier library of this name do not belong to this one. */
void link_settle_names(struct link *l) {
  char *why = link_unstorable(l);
  if (!why)
    return;
  l->unnamed = true;
  autofree char *state = path_join(l->dir, STATE_FILE);
  unlink(state);
  link_as_stock(l, why);
}
