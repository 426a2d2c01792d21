/* parts.c - chooses the objects from which a blob with -fgpu-rdc is linked.
 *
 * The text of a fragment says which functions it may define, and its object which it does define.
 * So the choice goes from need to need: the entry is made and its undefined symbols are read; for
 * each the fragment whose text fits best is made, until one does define the symbol; the needs of
 * that fragment come next. A fragment that nothing needs is never compiled. The result is what the
 * linker would take from an archive of all fragments. The device side of a late unit is a fragment
 * for the others (postbuild/fragments.h).
 *
 * If the symbols of an object are not understood, or it calls functions by their addresses, the
 * linker gets all fragments.
 */
#include "parts.h"
#include "carried.h"
#include "closure.h"
#include "inputs.h"
#include "log.h"
#include "place.h"
#include "seen.h"
#include "source.h"
#include "verify.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/cxx/fragment.h"
#include "core/device/rdc.h"
#include "core/files/manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool parts_are_needed(const struct compile_task *t) {
  return t->inputs && *t->inputs->entry;
}

/* ---- one part ---- */

/* PART_ENTRY: what the entry has as well, being the same unit */
enum part_state { PART_OPEN, PART_MADE, PART_CHOSEN, PART_ENTRY };

struct part {
  const char *stem;                      /* borrowed */
  const struct input_fragment *fragment; /* NULL: the entry */
  enum part_state state;
  char *object, *id;
  struct argv defines, needs;
  bool unknown; /* its symbols are not understood */
  bool calls;   /* functions by their addresses, which any other unit may have taken */
};

struct choice {
  const struct compile_task *t;
  need_fn *need;     /* with a cache */
  const char *place; /* NULL: the cache */
  struct part *list; /* the entry, then the fragments */
  size_t n, compiled;
  struct closure closure;
};

/* The list NAME as a file to be given to compile_inputs_check. */
static char *list_file(const struct compile_task *t, const char *name) {
  if (inputs_in_library(t->inputs_file))
    return xstrdup(t->inputs_file);
  autofree char *dir = path_dir(t->inputs_file);
  return path_join(dir, name);
}

/* The key of the entry's object: like a fragment's, made from its source, headers and flags. */
static bool entry_key(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t, char **err) {
  struct inputs *in = inputs_read_named(t->inputs_file, t->inputs->entry, err);
  bool done = in && (compile_inputs_key(key, t, "", in) || task_no_source(t, err));
  inputs_free(in);
  return done;
}

/* F: the object of PART, which T is linked of. False: it must not be compiled. task_free it in any
 * case. */
static bool part_task(struct compile_task *f, const struct compile_task *t, const struct part *part,
                      char **err) {
  const struct input_fragment *fr = part->fragment;
  uint8_t key[CKJIT_KEY_SIZE] = {0};
  bool sound = fr ? ckjit_hex_parse(key, sizeof key, fr->key) : entry_key(key, t, err);
  task_for(f, t, part->stem, key, t->archs, NULL);
  f->device_only = fr != NULL;
  f->source = fr ? manifest_expand(fr->source, t->root) : xstrdup(t->place);
  f->place = xstrdup(f->source);
  f->said_flags = xstrdup(fr ? fr->flags : t->said_flags);
  f->said_link = xstrdup(fr ? KEY_OF_DEVICE_SIDE : ""); /* its object is linked by T */
  f->flags = f->link = (struct argv){0};
  f->cc = (struct ccargs){0};
  task_add_flags(&f->flags, f->said_flags, t->root);
  task_add_flags(&f->flags, t->added_flags, t->root);
  task_scan(f);
  carried_adapt(f);
  /* It has a separate list of inputs, which is compared below. */
  f->inputs_file = list_file(t, fr ? fr->list : t->inputs->entry);
  f->inputs = NULL;
  f->text = f->stamps = NULL;
  f->variant = (struct buf){0};
  f->given = NULL;
  if (!sound)
    return fr && task_fail(t, err,
                           "%s: the key of fragment %s is '%s'; expected %d hexadecimal digits: "
                           "link the library again",
                           t->inputs_file, fr->stem, fr->key, 2 * CKJIT_KEY_SIZE);
  return compile_inputs_check(f, err);
}

static void take_symbol(const struct rdc_symbol *s, void *user) {
  struct part *p = user;
  if (s->defined && s->global)
    argv_add(&p->defines, s->name);
  else if (!s->defined && !s->weak)
    argv_add(&p->needs, s->name);
}

static void read_part(struct part *p) {
  size_t len;
  autofree char *bytes = file_read(p->object, &len);
  enum rdc_state state = bytes ? rdc_symbols(bytes, len, take_symbol, p) : RDC_UNKNOWN;
  p->unknown = state != RDC_READ;
  p->calls = bytes && rdc_calls_by_address(bytes, len);
}

/* Get the object of PART: into the cache, or without one into the closure's directory. */
static bool get_object(const struct choice *c, struct part *part, struct compile_task *f, bool *compiled,
                       char **err) {
  *compiled = true;
  if (!c->place) {
    enum whose whose;
    bool done = c->need(f, &whose, err);
    part->object =
        place_object(f); /* must follow need(), which gives F another build id if it is a variant */
    *compiled = whose == TURN_OURS;
    return done;
  }
  part->object = xasprintf("%s/%zu-%s.o", c->place, (size_t)(part - c->list), part->stem);
  autofree char *log = xasprintf("%s/%s.log", c->place, f->stem);
  bool done = task_use_text(f, err);
  if (done && !(done = source_make(f, c->place, part->object, log, err)))
    log_keep(f, log, err);
  return done && compile_inputs_again(f, err) && verify_made(f, err);
}

/* The error of a fragment concerns the blob that needs it. */
static void name_fragment(const struct choice *c, const struct part *part, char **err) {
  char *whole = xasprintf("%s: it needs the fragment %s: %s", c->t->stem, part->stem, *err);
  free(*err);
  *err = whole;
}

/* Get the object of PART, and read what it defines and needs. */
static bool make_part(struct choice *c, struct part *part, char **err) {
  struct compile_task f;
  bool compiled;
  bool done = part_task(&f, c->t, part, err) && get_object(c, part, &f, &compiled, err);
  if (done) {
    part->id = xstrdup(f.hex);
    if (c->t->seen && f.learnt_files.n) /* what differs for a part does so for the whole */
      argv_add_all(&c->t->seen->files, f.learnt_files.args);
    part->state = PART_MADE;
    c->compiled += compiled;
    read_part(part);
    closure_define(&c->closure, (size_t)(part - c->list), &part->defines);
    if (f.verbose)
      note("%s: %s %s", c->t->stem, part->fragment ? "fragment" : "entry", part->stem);
  } else if (part->fragment) {
    name_fragment(c, part, err);
  }
  task_free(&f);
  return done;
}

/* ---- which are needed ---- */

/* The part, not made yet, whose text fits NAME best; NULL: none. A macro may have made the function,
 * so in the end each is tried. */
static struct part *find_candidate(const struct choice *c, const char *name) {
  struct part *best = NULL;
  unsigned score = 0;
  for (size_t i = 1; i < c->n && !best && !str_starts(name, "__"); i++)
    best = c->list[i].state == PART_OPEN ? &c->list[i] : NULL;
  for (size_t i = 1; i < c->n; i++) {
    const struct argv *functions = &c->list[i].fragment->functions;
    for (size_t k = 0; c->list[i].state == PART_OPEN && k < functions->n; k++) {
      unsigned s = fragment_fits(functions->args[k], name);
      if (s > score) {
        score = s;
        best = &c->list[i];
      }
    }
  }
  return best;
}

/* Choose the part that defines NAME: the text says which may, the object which does. *BY: it, or
 * CLOSURE_NONE. */
static bool find_definition(struct choice *c, const char *name, size_t *by, char **err) {
  struct part *p;
  while ((*by = closure_definer(&c->closure, name)) == CLOSURE_NONE && (p = find_candidate(c, name))) {
    if (!make_part(c, p, err))
      return false;
    if (p->unknown) /* it can only be tried */
      p->state = PART_CHOSEN;
  }
  return true;
}

static void choose(struct choice *c, size_t i) {
  if (c->list[i].state != PART_CHOSEN)
    closure_need_all(&c->closure, i, &c->list[i].needs);
  c->list[i].state = PART_CHOSEN;
}

/* Chooses every unit that defines a name which a chosen unit needs. MISSING gets a line for each
 * name that no unit defines. */
static bool choose_all(struct choice *c, struct buf *missing, char **err) {
  size_t who, by;
  const char *name;
  choose(c, 0);
  while (closure_next(&c->closure, &who, &name)) {
    if (!find_definition(c, name, &by, err))
      return false;
    if (by == CLOSURE_NONE)
      buf_printf(missing, "%s needs %s\n", c->list[who].stem, name);
    else
      choose(c, by);
  }
  return true;
}

/* If the symbols of an object are not understood, the linker gets all there is. So it does if a
 * function is called by its address: a kernel has the registers that the functions in its link need. */
static bool make_rest(struct choice *c, char **err) {
  bool unknown = false;
  for (size_t i = 0; i < c->n; i++)
    unknown |= (c->list[i].unknown || c->list[i].calls) && c->list[i].state == PART_CHOSEN;
  if (unknown && c->t->verbose)
    note("%s: it calls functions by their addresses, or is not understood, so it is linked with all "
         "units of its library",
         c->t->stem);
  for (size_t i = 1; i < c->n && unknown; i++) {
    if (c->list[i].state == PART_OPEN && !make_part(c, &c->list[i], err))
      return false;
    if (c->list[i].state != PART_ENTRY)
      c->list[i].state = PART_CHOSEN;
  }
  return true;
}

bool parts_make(struct parts *p, const struct compile_task *t, need_fn *need, const char *place, char **err) {
  const struct inputs *in = t->inputs;
  struct choice c = {.t = t, .need = need, .place = place, .n = in->nfragments + 1};
  *p = (struct parts){0};
  c.list = xcalloc(c.n, sizeof *c.list);
  autofree char *entry = path_stem(t->source);
  c.list[0].stem = entry;
  for (size_t i = 1; i < c.n; i++) {
    c.list[i].fragment = &in->fragments[i - 1];
    c.list[i].stem = in->fragments[i - 1].stem;
    autofree char *source = manifest_expand(c.list[i].fragment->source, t->root);
    if (strcmp(source, t->place) == 0)
      c.list[i].state = PART_ENTRY;
  }
  bool done = make_part(&c, &c.list[0], err) && choose_all(&c, &p->missing, err) && make_rest(&c, err);
  for (size_t i = 0; i < c.n; i++) {
    if (done && c.list[i].state == PART_CHOSEN) {
      argv_add(&p->objects, c.list[i].object);
      argv_add(&p->ids, c.list[i].id);
    }
    if (i == 0)
      argv_add_all(&p->exports, c.list[i].defines.args);
    free(c.list[i].object);
    free(c.list[i].id);
    argv_free(&c.list[i].defines);
    argv_free(&c.list[i].needs);
  }
  p->compiled = c.compiled;
  closure_free(&c.closure);
  free(c.list);
  return done;
}

void parts_free(struct parts *p) {
  argv_free(&p->objects);
  argv_free(&p->ids);
  argv_free(&p->exports);
  buf_free(&p->missing);
  *p = (struct parts){0};
}
