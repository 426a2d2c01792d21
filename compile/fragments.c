#include "fragments.h"
#include "passes.h"
#include "core/base/elf.h"
#include "core/base/env.h"
#include "core/cxx/fragment.h"
#include "core/cache/key.h"
#include "core/files/manifest.h"
#include "core/base/path.h"
#include "core/device/rdc.h"

#include <blake2.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool parts_are_needed(const struct compile_task *t) {
  return t->inputs && *t->inputs->entry;
}

/* ---- one object in the cache ---- */

/* <object> <build id, 24 bytes> <seal of ck_jit_entry.h>. Tools that read an object go by its section table,
 * and do not see what is behind it. */

static char *object_path(const struct compile_task *f) {
  return xasprintf("%s/" CKJIT_FRAGMENTS "/%s.o", f->dir, f->hex);
}

bool compile_fragment_is_there(const struct compile_task *f) {
  char *path = object_path(f);
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct stat st;
  const off_t behind = sizeof id + sizeof(struct ckjit_seal);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  bool there = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !ckjit_owner_check(&st) &&
               st.st_size > behind && ckjit_pread_all(fd, id, sizeof id, (uint64_t)(st.st_size - behind)) &&
               memcmp(id, f->id, sizeof id) == 0 && !ckjit_seal_check(fd, (uint64_t)st.st_size);
  if (there)
    futimens(fd, NULL); /* when it was used last */
  if (fd >= 0)
    close(fd);
  free(path);
  return there;
}

/* Whether FILE is an object with device code in it, or, of a source without any, an object at all. */
static bool is_object(const char *file) {
  size_t len;
  char *bytes = file_read(file, &len);
  struct elf e;
  bool is = bytes && elf_open(&e, bytes, len, NULL) && e.type == ET_REL;
  free(bytes);
  return is;
}

static char *place_object(const struct compile_task *f, const char *file) {
  char *path = object_path(f), *dir = path_dir(path);
  char *why = is_object(file)
                  ? cachedir_open(dir)
                  : xasprintf("%s: what the compiler %s made is no object file", f->stem, f->compiler);
  if (!why)
    why = compile_seal(f, file, f->id, sizeof f->id);
  if (!why && (rename(file, path) || !compile_sync_dir(dir)))
    why = xasprintf("%s: cannot make %s: %s", f->stem, path, strerror(errno));
  free(path);
  free(dir);
  return why;
}

/* Run F's command, FILE its output, the log in TEMPORARY. */
static char *run(const struct compile_task *f, const char *temporary, const char *file) {
  struct argv command = {0};
  char *log = xasprintf("%s/%s.log", temporary, f->stem);
  compile_command_object(&command, f, NULL, NULL, file);
  if (f->verbose && !f->launcher.n)
    compile_say(f, &command);
  struct argv suspects = {0};
  char *why = NULL;
  if (!compile_launched_object(f, temporary, file) &&
      (f->launcher.n || !compile_passes(f, &command, temporary, file, &suspects)))
    why = compile_run(f, &command, log);
  for (size_t i = 0; i < suspects.n && !why; i++)
    unlink(suspects.args[i]);
  argv_free(&suspects);
  if (why) {
    char *kept = compile_keep_log(f, log);
    char *whole = kept ? xasprintf("%s\nlog: %s", why, kept) : xstrdup(why);
    free(kept);
    free(why);
    why = whole;
  }
  argv_free(&command);
  free(log);
  return why;
}

/* Our turn: compile F into the cache. */
static char *compile_object(struct compile_task *f, bool locked) {
  char *temporary, *why = compile_temporary(&temporary, f, locked);
  if (why)
    return why;
  char *file = xasprintf("%s/%s.o", temporary, f->stem);
  compile_stop_catch(temporary);
  compile_keeper_removes(temporary);
  compile_deadline(f->timeout);
  why = run(f, temporary, file);
  if (!why)
    why = compile_inputs_again(f);
  if (!why)
    why = compile_inputs_learn(f, file);
  if (!why)
    why = place_object(f, file);
  compile_stop_release();
  dir_remove(temporary);
  compile_keeper_removes("");
  free(temporary);
  free(file);
  return why;
}

/* F's object, from the cache or by whoever's turn it is. */
static char *get_object(struct compile_task *f, bool *compiled) {
  struct compile_lock lock;
  char *why = NULL;
  enum compile_turn turn = compile_lock_enter(&lock, f, &why);
  *compiled = turn == COMPILE_OURS;
  if (turn == COMPILE_OURS) {
    why = compile_object(f, lock.fd >= 0);
    compile_lock_leave(&lock, why);
  }
  return why;
}

/* ---- the parts ---- */

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
  char magic[4] = "";
  int fd = open(t->inputs_file, O_RDONLY | O_CLOEXEC);
  bool library =
      fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
  if (fd >= 0)
    close(fd);
  if (library)
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
    why = run(&f, c->place, part->object);
    if (!why)
      why = compile_inputs_again(&f);
  } else if (!why) {
    why = get_object(&f, &compiled);
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

bool parts_hold(struct parts *p, const struct compile_task *t, const char *temporary) {
  for (size_t i = 0; i < p->objects.n && t->cache; i++) {
    char *own = xasprintf("%s/%zu.o", temporary, i);
    if (link(p->objects.args[i], own) && file_copy(p->objects.args[i], own)) {
      free(own);
      return false;
    }
    free(p->objects.args[i]);
    p->objects.args[i] = own;
  }
  return true;
}

void parts_free(struct parts *p) {
  argv_free(&p->objects);
  argv_free(&p->ids);
  buf_free(&p->missing);
  *p = (struct parts){0};
}

/* ---- linked before ---- */

/* The key of a blob is of all fragments that it may need. One that it does not need may change; then what was
 * linked has only another build id. <cache>/.fragments/<digits>.linked has the name of the entry; the digits
 * are of the parts and of the command that links them. */
static char *memo_path(const struct parts *p, const struct compile_task *t) {
  struct argv command = {0};
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  compile_command_link(&command, t, "", NULL);
  char *words = argv_join(command.args);
  blake2b_state h;
  blake2b_init(&h, sizeof id);
  blake2b_update(&h, (const uint8_t *)t->stem, strlen(t->stem) + 1);
  /* the build id is one of the words */
  for (char *at; (at = strstr(words, t->hex));)
    memset(at, '.', strlen(t->hex));
  blake2b_update(&h, (const uint8_t *)words, strlen(words) + 1);
  for (size_t i = 0; i < p->ids.n; i++)
    blake2b_update(&h, (const uint8_t *)p->ids.args[i], strlen(p->ids.args[i]) + 1);
  blake2b_final(&h, id, sizeof id);
  ckjit_build_id_hex(hex, id);
  argv_free(&command);
  free(words);
  return xasprintf("%s/" CKJIT_FRAGMENTS "/%s.linked", t->dir, hex);
}

/* A copy of the entry PATH without its seal, and its build id. */
static bool copy_entry(const char *path, const char *file, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !ckjit_owner_check(&st) &&
              !ckjit_entry_read(fd, id) && file_copy(path, file) == 0 && chmod(file, 0600) == 0 &&
              truncate(file, st.st_size - (off_t)sizeof(struct ckjit_seal)) == 0;
  if (fd >= 0)
    close(fd);
  return good;
}

bool parts_linked_before(const struct parts *p, const struct compile_task *t, const char *file) {
  size_t len;
  uint8_t id[CKJIT_BUILD_ID_SIZE], wanted[CKJIT_BUILD_ID_SIZE];
  char *memo = t->cache ? memo_path(p, t) : NULL, *text = memo ? file_read(memo, &len) : NULL;
  char *hex = text ? strchr(text, '\n') : NULL; /* "NAME\nBUILD ID" */
  bool found = false;
  if (hex && !strchr(text, '/')) {
    *hex++ = 0;
    char *path = path_join(t->dir, text);
    found = ckjit_build_id_parse(wanted, hex) && copy_entry(path, file, id) &&
            memcmp(id, wanted, sizeof id) == 0 &&
            (memcmp(id, t->id, sizeof id) == 0 || compile_inputs_replace_id(file, id, t->id));
    free(path);
  }
  if (!found)
    unlink(file);
  free(text);
  free(memo);
  return found;
}

void parts_remember(const struct parts *p, const struct compile_task *t) {
  if (!t->cache || !*t->placed)
    return;
  char *memo = memo_path(p, t), *text = xasprintf("%s\n%s", t->placed, t->hex);
  mode_t mask = umask(077);
  file_write(memo, text, strlen(text), 0600); /* where it cannot be kept, it is linked again */
  umask(mask);
  free(memo);
  free(text);
}
