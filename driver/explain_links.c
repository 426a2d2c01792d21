/* explain_links.c - the outcome of the units in the links of a work directory: ck_jit_units.txt of
 * each library.
 *
 * A unit is found by its source and its object. It may be in several libraries, or in none yet.
 * After a relink in a work directory that was moved, the names are new; the log has the old names,
 * so the new ones are changed back.
 */
#include "explain.h"
#include "core/base/path.h"
#include "core/files/state.h"
#include "core/base/vec.h"

#include <dirent.h>

static int by_files(const void *a, const void *b) {
  const struct linked *x = a, *y = b;
  int c = strcmp(x->outcome->source, y->outcome->source);
  if (!c)
    c = strcmp(x->outcome->object, y->outcome->object);
  return c ? c : strcmp(x->library->library, y->library->library);
}

/* NAME when the present work directory NOW was at PLACE; takes NAME over. */
static char *moved_back(char *name, const char *now, const char *place) {
  char *was = name ? state_moved(name, now, place) : NULL;
  free(name);
  return was;
}

/* Give the units of the library in DIR, and the library, their names in the log. */
static void as_logged(struct outcomes *o, const char *dir) {
  autofree char *file = path_join(dir, STATE_FILE), *err = NULL, *parent = path_dir(dir),
                *now = path_abs(parent);
  /* without it nobody can relink, and nothing was moved */
  autofree struct state *s = state_read(file, &err);
  if (s && s->place && strcmp(s->place, now) != 0) {
    o->library = moved_back(o->library, now, s->place);
    for (size_t i = 0; i < o->n; i++) {
      o->all[i].source = moved_back(o->all[i].source, now, s->place);
      o->all[i].object = moved_back(o->all[i].object, now, s->place);
    }
  }
  if (s)
    state_free(s);
}

/* A library that was linked before ckjit wrote this file has none. */
static void read_library(struct explanation *e, const char *dir) {
  autofree char *file = path_join(dir, OUTCOME_FILE);
  char *err;
  struct outcomes o;
  if (file_exists(file)) {
    if (!outcomes_read(file, &o, &err))
      die(EXIT_FAILED, "%s", err);
    as_logged(&o, dir);
    vec_push(e->libraries, e->nlibraries, o);
    argv_add(&e->dirs, dir);
  }
}

void explain_links(struct explanation *e, const char *work) {
  struct dirent **entries;
  int n = scandir(work, &entries, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    autofree char *dir = path_join(work, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.' && file_is_dir(dir))
      read_library(e, dir);
    free(entries[i]);
  }
  if (n >= 0)
    free(entries);
  for (size_t i = 0; i < e->nlibraries; i++)
    for (size_t k = 0; k < e->libraries[i].n; k++)
      vec_push(e->linked, e->nlinked, (struct linked){&e->libraries[i], &e->libraries[i].all[k]});
  if (e->nlinked)
    qsort(e->linked, e->nlinked, sizeof *e->linked, by_files);
}

const struct linked *explain_linked(const struct explanation *e, const struct explained *x,
                                    size_t *n) {
  size_t low = 0, high = e->nlinked;
  *n = 0;
  while (x->source && low < high) {
    size_t mid = low + (high - low) / 2;
    const struct outcome *o = e->linked[mid].outcome;
    int c = strcmp(o->source, x->source);
    if (!c)
      c = strcmp(o->object, x->output);
    if (c < 0)
      low = mid + 1;
    else
      high = mid;
  }
  while (low + *n < e->nlinked && x->source &&
         strcmp(e->linked[low + *n].outcome->source, x->source) == 0 &&
         strcmp(e->linked[low + *n].outcome->object, x->output) == 0)
    ++*n;
  return e->linked + low;
}

const char *explain_library(const struct explanation *e, const struct explained *x) {
  for (size_t i = 0; i < e->nlibraries; i++)
    if (x->record.kind == RECORD_LINK && strcmp(e->libraries[i].library, x->output) == 0)
      return e->dirs.args[i];
  return NULL;
}
