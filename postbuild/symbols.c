/* symbols.c - `nm k.o`, `objcopy --redefine-sym … k.o r.o` with recorded objects
 * (wrapper/symbols.c). Only the compiler knows which symbols a blob defines, and it is not asked
 * when the blob is recorded: that would cost as much as recording saves.
 *
 *     shown     the forwarding units of the objects give the names of the functions, and the
 *               objects get them, as definitions in an empty .text. They stay recorded. A blob that
 *               cannot be forwarded is compiled
 *     changed   everything is compiled. ckjit does not follow a function that was renamed, hidden
 *               or left out
 *
 * A lazy unit has its symbols already. The objects keep their times, so nothing is built again.
 * Programs that a build calls by another name, or by a path, see objects without functions.
 */
#include "link.h"

#include "core/base/path.h"

#include <unistd.h>

/* The names of B's functions as an object; NULL: they are not known. free() it. */
static char *names_of(const struct link *l, const struct blob *b) {
  if (!blob_is_forwarded(b))
    return NULL;
  const struct unit *un = &l->units.units[b->unit];
  if (!un->forward)
    return NULL;
  char *object = xasprintf("%s/objs/names-%zu.o", l->dir, (size_t)(b - l->blobs));
  if (!stubs_write_names(object, un->machine, un->forward + b->first_function, b->functions.n))
    die(EXIT_FAILED, "%s: cannot write: %s", object, strerror(errno));
  return object;
}

/* Are records I and K of one object? */
static bool together(const struct link *l, size_t i, size_t k) {
  return strcmp(l->line.files.args[i], l->line.files.args[k]) == 0 &&
         strcmp(l->line.members.args[i], l->line.members.args[k]) == 0;
}

/* The objects to compile, by record: those that NAMES lacks, and all records that share an object
 * with one of these. They leave NAMES. */
static char **find_rest(const struct link *l, char **names) {
  size_t n = l->line.nrecords;
  char **objects = xcalloc(n + 1, sizeof *objects);
  for (size_t i = 0; i < n; i++) {
    bool whole = false;
    for (size_t k = 0; k < n && l->line.records[i].kind != RECORD_UNIT; k++)
      whole |= !names[k] && l->line.records[k].kind != RECORD_UNIT && together(l, i, k);
    if (whole)
      objects[i] = xasprintf("%s/objs/whole-%zu-%s.o", l->dir, i, l->line.records[i].stem);
  }
  for (size_t i = 0; i < n; i++)
    if (objects[i]) {
      free(names[i]);
      names[i] = NULL;
    }
  return objects;
}

/* The names of what can be forwarded, by record. */
static char **show_names(struct link *l) {
  char **names = xcalloc(l->line.nrecords + 1, sizeof *names);
  if (l->line.nrecords)
    link_read_blobs(l);
  link_give_up_late(l, "its symbols are asked for");
  l->ndispatchers = 0; /* they are compiled whole */
  link_compile_units(l);
  for (size_t i = 0; i < l->nblobs; i++)
    names[l->blobs[i].record - l->line.records] = names_of(l, &l->blobs[i]);
  return names;
}

_Noreturn void link_give_symbols(struct link *l) {
  bool shown = strcmp(l->symbols, "shown") == 0, any = false;
  for (size_t i = 0; i < l->line.nrecords; i++)
    any |= l->line.records[i].kind != RECORD_UNIT;
  if (!any)
    link_become_given(l);
  char **names = shown ? show_names(l) : xcalloc(l->line.nrecords + 1, sizeof *names);
  char **objects = find_rest(l, names);
  link_put_whole(l, objects, "its symbols are asked for");
  link_join_objects(l, names);
  link_become_given(l);
}
