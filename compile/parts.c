/* parts.c - which objects a blob with -fgpu-rdc is linked of.
 *
 * The text of a fragment says which functions it may define, and its object which it does. So the choice goes
 * from need to need: the entry is made and its undefined symbols are read; for each the fragment whose text
 * fits best is made, until one does define it; what that one needs comes next. A fragment that nothing needs
 * is never compiled. What comes out is what the linker would take from an archive of all of them.
 *
 * If the symbols of an object are not understood, the linker gets all fragments.
 */
#include "parts.h"
#include "inputs.h"
#include "object.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/cxx/fragment.h"
#include "core/device/rdc.h"
#include "core/files/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool parts_are_needed(const struct compile_task *t) {
  return t->inputs && *t->inputs->entry;
}

/* ---- one part ---- */

enum part_state { PART_OPEN, PART_MADE, PART_CHOSEN };

struct part {
  const char *stem;                      /* borrowed */
  const struct input_fragment *fragment; /* NULL: the entry */
  enum part_state state;
  char *object, *id;
  struct argv defines, needs;
  bool unknown; /* its symbols are not understood */
};

struct closure {
  const struct compile_task *t;
  const char *place; /* NULL: the cache */
  struct part *list; /* the entry, then the fragments */
  size_t n, compiled;
};

/* The list NAME as a file to be given to compile_inputs_check. */
static char *list_file(const struct compile_task *t, const char *name) {
  if (compile_inputs_in_library(t->inputs_file))
    return xstrdup(t->inputs_file);
  char *dir = path_dir(t->inputs_file), *file = path_join(dir, name);
  free(dir);
  return file;
}

static void add_flags(struct argv *to, const char *text, const char *root) {
  struct argv words = {0};
  argv_split(&words, text, strlen(text));
  for (size_t i = 0; i < words.n; i++)
    argv_add_own(to, manifest_expand(words.args[i], root));
  argv_free(&words);
}

/* The key of the entry's object: as of a fragment, of its own source, headers and flags. */
static char *entry_key(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t) {
  char *why = NULL;
  struct inputs *in = inputs_read_named(t->inputs_file, t->inputs->entry, &why);
  if (in && !compile_inputs_key(key, t->source, t->said_flags, "", in))
    why = xasprintf("%s: cannot read %s: %s", t->stem, t->source, strerror(errno));
  inputs_free(in);
  return why;
}

static bool parse_key(uint8_t key[CKJIT_KEY_SIZE], const char *hex) {
  char whole[CKJIT_BUILD_ID_HEX_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE] = {0};
  snprintf(whole, sizeof whole, "%s%016d", hex, 0);
  bool good = ckjit_build_id_parse(id, whole);
  memcpy(key, id, CKJIT_KEY_SIZE);
  return good;
}

/* The task that makes PART. NULL or why it must not be compiled. */
static char *part_task(struct compile_task *f, const struct compile_task *t, const struct part *part) {
  const struct input_fragment *fr = part->fragment;
  uint8_t key[CKJIT_KEY_SIZE];
  *f = (struct compile_task){.cache = t->cache,
                             .output_fd = t->output_fd,
                             .verbose = t->verbose,
                             .fragment = true,
                             .device_only = fr != NULL,
                             .timeout = t->timeout,
                             .patience = t->patience,
                             .limits = t->limits};
  f->stem = xstrdup(part->stem);
  f->root = xstrdup(t->root);
  f->dir = xstrdup(t->dir);
  f->compiler = xstrdup(t->compiler);
  f->said_link = xstrdup("");
  f->said_flags = xstrdup(fr ? fr->flags : t->said_flags);
  f->source = fr ? manifest_expand(fr->source, t->root) : xstrdup(t->source);
  f->inputs_file = list_file(t, fr ? fr->list : t->inputs->entry);
  f->output = xasprintf("%s/%s.o", t->dir, part->stem);
  memcpy(f->archs, t->archs, sizeof f->archs);
  argv_add_all(&f->launcher, t->launcher.args);
  add_flags(&f->flags, f->said_flags, t->root);
  if (t->added_flags)
    add_flags(&f->flags, t->added_flags, t->root);
  char *why = NULL;
  if (!fr)
    why = entry_key(key, t);
  else if (!parse_key(key, fr->key))
    why = xasprintf("%s: the key of %s in %s is none", t->stem, fr->stem, t->inputs_file);
  if (why)
    return why;
  ckjit_build_id(f->id, key, f->archs);
  ckjit_build_id_hex(f->hex, f->id);
  return compile_inputs_check(f);
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
  char *bytes = file_read(p->object, &len);
  enum rdc_state state = bytes ? rdc_symbols(bytes, len, take_symbol, p) : RDC_UNKNOWN;
  p->unknown = state != RDC_READ;
  free(bytes);
}

/* Get the object of PART, and read what it defines and needs. */
static char *make_part(struct closure *c, struct part *part) {
  struct compile_task f;
  bool compiled = true;
  char *why = part_task(&f, c->t, part);
  if (!why && c->place) {
    part->object = xasprintf("%s/%zu-%s.o", c->place, (size_t)(part - c->list), part->stem);
    why = object_make(&f, c->place, part->object);
    if (!why)
      why = compile_inputs_again(&f);
  } else if (!why) {
    why = object_get(&f, &compiled);
    part->object = object_path(&f);
  }
  if (!why) {
    part->id = xstrdup(f.hex);
    part->state = PART_MADE;
    c->compiled += compiled;
    read_part(part);
    if (f.verbose)
      note("%s: %s %s", c->t->stem, part->fragment ? "fragment" : "entry", part->stem);
  }
  compile_task_free(&f);
  return why;
}

static char *failed(const struct closure *c, const struct part *part, char *why) {
  if (!part->fragment)
    return why;
  char *whole = xasprintf("%s: it needs the fragment %s: %s", c->t->stem, part->stem, why);
  free(why);
  return whole;
}

/* ---- which are needed ---- */

static bool has(const struct argv *list, const char *name) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->args[i], name) == 0)
      return true;
  return false;
}

/* The first part that defines NAME and is STATE; NULL: none. */
static struct part *find_definition(const struct closure *c, const char *name, enum part_state state) {
  for (size_t i = 0; i < c->n; i++)
    if (c->list[i].state == state && has(&c->list[i].defines, name))
      return &c->list[i];
  return NULL;
}

/* The fragment, not made yet, whose text looks most as if it defines NAME; NULL: none does. */
static struct part *find_candidate(const struct closure *c, const char *name) {
  struct part *best = NULL;
  unsigned score = 0;
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

/* Have the part chosen that defines NAME: the text says who may, the object who does. *FOUND: there is one.
 */
static char *choose_for(struct closure *c, const char *name, bool *found) {
  *found = find_definition(c, name, PART_CHOSEN) != NULL;
  while (!*found) {
    struct part *p = find_definition(c, name, PART_MADE);
    if (p) {
      p->state = PART_CHOSEN;
      *found = true;
      break;
    }
    if (!(p = find_candidate(c, name)))
      break;
    char *why = make_part(c, p);
    if (why)
      return failed(c, p, why);
    if (p->unknown) /* it can only be tried */
      p->state = PART_CHOSEN;
  }
  return NULL;
}

/* The linker's own rule: whoever defines what a chosen one needs is chosen, until nothing is open. */
static char *choose_all(struct closure *c, struct buf *missing) {
  bool again = true, *done = xcalloc(c->n, sizeof *done);
  char *why = NULL;
  while (again && !why) {
    again = false;
    for (size_t i = 0; i < c->n && !why; i++) {
      struct part *p = &c->list[i];
      if (p->state != PART_CHOSEN || done[i])
        continue;
      again = done[i] = true;
      for (size_t k = 0; k < p->needs.n && !why; k++) {
        bool found;
        why = choose_for(c, p->needs.args[k], &found);
        if (!why && !found)
          buf_printf(missing, "%s needs %s\n", p->stem, p->needs.args[k]);
      }
    }
  }
  free(done);
  return why;
}

/* Where the symbols of an object are not understood, the linker gets all there is. */
static char *make_rest(struct closure *c) {
  char *why = NULL;
  bool unknown = false;
  for (size_t i = 0; i < c->n; i++)
    unknown |= c->list[i].unknown && c->list[i].state == PART_CHOSEN;
  for (size_t i = 1; i < c->n && unknown && !why; i++) {
    if (c->list[i].state == PART_OPEN)
      why = make_part(c, &c->list[i]);
    if (why)
      why = failed(c, &c->list[i], why);
    c->list[i].state = PART_CHOSEN;
  }
  return why;
}

char *parts_make(struct parts *p, const struct compile_task *t, const char *place) {
  const struct inputs *in = t->inputs;
  struct closure c = {.t = t, .place = place, .n = in->nfragments + 1};
  *p = (struct parts){0};
  c.list = xcalloc(c.n, sizeof *c.list);
  char *entry = path_stem(t->source);
  c.list[0].stem = entry;
  for (size_t i = 1; i < c.n; i++) {
    c.list[i].fragment = &in->fragments[i - 1];
    c.list[i].stem = in->fragments[i - 1].stem;
  }
  char *why = make_part(&c, &c.list[0]);
  c.list[0].state = PART_CHOSEN;
  if (!why)
    why = choose_all(&c, &p->missing);
  if (!why)
    why = make_rest(&c);
  for (size_t i = 0; i < c.n; i++) {
    if (!why && c.list[i].state == PART_CHOSEN) {
      argv_add(&p->objects, c.list[i].object);
      argv_add(&p->ids, c.list[i].id);
    }
    free(c.list[i].object);
    free(c.list[i].id);
    argv_free(&c.list[i].defines);
    argv_free(&c.list[i].needs);
  }
  p->compiled = c.compiled;
  free(entry);
  free(c.list);
  return why;
}

void parts_free(struct parts *p) {
  argv_free(&p->objects);
  argv_free(&p->ids);
  buf_free(&p->missing);
  *p = (struct parts){0};
}
