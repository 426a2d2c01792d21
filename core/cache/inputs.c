/* inputs.c - see inputs.h. The name of a list is the digest of its text: equal lists are one file,
 * and a list never changes. The library contains the same text, in case it is copied away from its
 * lists.
 */
#include "inputs.h"

#include "abi/ck_jit_bundle.h"
#include "core/base/elf.h"
#include "core/cc/ccenv.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <fcntl.h>
#include <unistd.h>

#define HEAD "ckjit-inputs 2"

void inputs_add(struct input **list, size_t *n, const char digest[DIGEST_HEX], char *path) {
  struct input *in = vec_add(*list, *n);
  memcpy(in->digest, digest, DIGEST_HEX);
  in->path = path;
}

char *inputs_comment(const char *file, size_t *n) {
  struct elf_section s;
  autofree char *bytes = elf_read_section(file, ".comment", &s);
  char *comment = NULL;
  if (bytes && s.size) {
    *n = s.size;
    comment = xmalloc(s.size + 1);
    memcpy(comment, s.data, s.size);
    comment[s.size] = 0;
  }
  return comment;
}

void inputs_key_environment(struct inputs *in, bool dated) {
  autofree_buf b = {0};
  buf_puts(&b, in->compiler);
  for (size_t i = 0; i < in->environment.n; i++)
    if (ccenv_is_keyed(in->environment.args[i], dated))
      buf_printf(&b, "\n%s", in->environment.args[i]);
  /* without variables, the key equals that of a library that was built without them */
  if (b.len > strlen(in->compiler))
    digest_bytes(in->compiler, b.data, b.len);
}

/* ---- missing headers ---- */

void inputs_directories(struct argv *dirs, char *const *flags) {
  for (size_t i = 0; flags && flags[i]; i++) {
    const char *dir = ccargs_directory(flags, &i);
    if (dir)
      argv_add(dirs, dir);
  }
}

/* The part of DIR/NAME up to the first missing component; NULL if all of it exists. */
static char *first_missing(const char *dir, const char *name) {
  if (!file_exists(dir))
    return xstrdup(dir);
  for (size_t n = 0;; n++) {
    n += strcspn(name + n, "/");
    char *path = xasprintf("%s/%.*s", dir, (int)n, name);
    if (!file_exists(path))
      return path;
    free(path);
    if (!name[n])
      return NULL;
  }
}

const char *inputs_name(const struct argv *dirs, const char *file) {
  const char *name = NULL;
  for (size_t i = 0; i < dirs->n; i++) {
    size_t n = strlen(dirs->args[i]);
    if (str_starts(file, dirs->args[i]) && file[n] == '/' && (!name || file + n + 1 > name))
      name = file + n + 1;
  }
  return name;
}

void inputs_lacking(struct argv *missing, const struct argv *dirs, const char *name) {
  for (size_t i = 0; i < dirs->n; i++) {
    char *path = first_missing(dirs->args[i], name);
    if (path)
      argv_add_own(missing, path);
  }
}

void inputs_missing(struct argv *missing, const struct argv *dirs, const char *file) {
  const char *name = inputs_name(dirs, file);
  if (name)
    inputs_lacking(missing, dirs, name);
}

void inputs_absent(struct argv *missing, const struct argv *dirs, const char *name) {
  autofree_argv found = {0};
  bool there = false;
  for (size_t i = 0; i < dirs->n && !there; i++) {
    char *path = first_missing(dirs->args[i], name);
    there = !path;
    if (path)
      argv_add_own(&found, path);
  }
  if (!there && found.n)
    argv_add_all(missing, found.args);
}

/* ---- fragments ---- */

struct input_fragment *inputs_add_fragment(struct inputs *in) {
  vec_push(in->fragments, in->nfragments, (struct input_fragment){.list = DIGEST_NONE});
  return &in->fragments[in->nfragments - 1];
}

void inputs_combine(struct inputs *in, const char *digest) {
  autofree_buf b = {0};
  buf_printf(&b, "fragments %s", digest);
  for (size_t i = 0; i < in->nfragments; i++)
    buf_printf(&b, " %s", in->fragments[i].key);
  digest_bytes(in->headers, b.data, b.len);
}

void inputs_free_fragments(struct inputs *in) {
  for (size_t i = 0; i < in->nfragments; i++) {
    struct input_fragment *f = &in->fragments[i];
    free(f->stem);
    free(f->source);
    free(f->flags);
    free(f->tag);
    argv_free(&f->functions);
  }
  free(in->fragments);
}

/* ---- the file ---- */

static void put_fragments(struct buf *out, const struct inputs *in) {
  if (*in->entry)
    lines_put(out, "entry", in->entry, NULL);
  for (size_t i = 0; i < in->nfragments; i++) {
    const struct input_fragment *f = &in->fragments[i];
    lines_put(out, "fragment", f->key, f->list, f->stem, f->source, f->flags, f->tag, NULL);
    lines_put_all(out, "defines", &f->functions);
  }
}

bool inputs_write(const struct inputs *in, const char *dir, char name[DIGEST_HEX]) {
  autofree_buf b = {0};
  buf_puts(&b, HEAD "\n");
  lines_put(&b, "headers", in->headers, NULL);
  lines_put(&b, "compiler", in->compiler, in->program, NULL);
  lines_put(&b, "comment", in->comment, NULL);
  for (size_t i = 0; i < in->environment.n; i++)
    lines_put(&b, "env", in->environment.args[i], NULL);
  if (in->question.n) {
    lines_put(&b, "plan", in->plan, NULL);
    lines_put_all(&b, "question", &in->question);
    if (in->settled)
      lines_put(&b, "settled", NULL);
  }
  for (size_t i = 0; i < in->ntools; i++)
    lines_put(&b, "t", in->tools[i].digest, in->tools[i].path, NULL);
  for (size_t i = 0; i < in->nheaders; i++)
    lines_put(&b, "h", in->header[i].digest, in->header[i].path, NULL);
  for (size_t i = 0; i < in->own.n; i++)
    lines_put(&b, "own", in->own.args[i], NULL);
  put_fragments(&b, in);
  digest_bytes(name, b.data, b.len);
  autofree char *file = path_join(dir, name);
  bool done = dir_make(dir) && file_update(file, b.data, b.len, 0666);
  int e = errno;
  errno = e;
  return done;
}

static bool take_digest(char to[DIGEST_HEX], const char *text) {
  if (strlen(text) != DIGEST_HEX - 1 || strspn(text, "0123456789abcdef") != DIGEST_HEX - 1)
    return false;
  memcpy(to, text, DIGEST_HEX);
  return true;
}

static bool take_fragment(struct inputs *in, const struct lines *l) {
  struct input_fragment *f = inputs_add_fragment(in);
  f->stem = xstrdup(l->field[3]);
  f->source = xstrdup(l->field[4]);
  f->flags = xstrdup(l->field[5]);
  f->tag = l->n > 6 ? xstrdup(l->field[6]) : NULL;
  return *in->entry && take_digest(f->key, l->field[1]) && take_digest(f->list, l->field[2]);
}

/* Read one line into IN. A list has each of its facts once. */
static bool take_line(struct inputs *in, const struct lines *l) {
  char digest[DIGEST_HEX];
  bool header = lines_is(l, "h", 2);
  if (header || lines_is(l, "t", 2)) {
    if (!take_digest(digest, l->field[1]))
      return false;
    if (header)
      inputs_add(&in->header, &in->nheaders, digest, xstrdup(l->field[2]));
    else
      inputs_add(&in->tools, &in->ntools, digest, xstrdup(l->field[2]));
  } else if (!*in->headers && lines_is(l, "headers", 1)) {
    return take_digest(in->headers, l->field[1]);
  } else if (!in->program && lines_is(l, "compiler", 2)) {
    in->program = xstrdup(l->field[2]);
    return take_digest(in->compiler, l->field[1]);
  } else if (!in->comment && lines_is(l, "comment", 1)) {
    in->comment = xstrdup(l->field[1]);
  } else if (lines_is(l, "env", 1) && strchr(l->field[1], '=')) {
    argv_add(&in->environment, l->field[1]);
  } else if (!*in->plan && lines_is(l, "plan", 1)) {
    return take_digest(in->plan, l->field[1]);
  } else if (!in->question.n && *in->plan && strcmp(l->field[0], "question") == 0) {
    argv_add_all(&in->question, l->field + 1);
  } else if (lines_is(l, "settled", 0)) {
    in->settled = true;
  } else if (lines_is(l, "own", 1)) {
    argv_add(&in->own, l->field[1]);
  } else if (!*in->entry && lines_is(l, "entry", 1)) {
    return take_digest(in->entry, l->field[1]);
  } else if (lines_is(l, "fragment", 5) || lines_is(l, "fragment", 6)) {
    return take_fragment(in, l);
  } else if (in->nfragments && strcmp(l->field[0], "defines") == 0) {
    argv_add_all(&in->fragments[in->nfragments - 1].functions, l->field + 1);
  } else {
    return false;
  }
  return true;
}

/* Parse L, and close it; OPENED: whether its head is right. */
static struct inputs *parse(struct lines *l, bool opened, char **err) {
  struct inputs *in = xcalloc(1, sizeof *in);
  bool good = opened;
  while (good && lines_next(l))
    good = take_line(in, l);
  if (!good || !lines_ended(l) || !in->program || !in->comment || !*in->headers) {
    *err = lines_error(
        l, "a list of inputs as this version of ckjit writes it; build the library again");
    inputs_free(in);
    in = NULL;
  }
  lines_close(l);
  return in;
}

/* The same for N bytes at TEXT. */
static struct inputs *parse_text(const char *file, const char *text, size_t n, char **err) {
  struct lines l;
  bool opened = lines_open_text(&l, file, text, n, HEAD);
  return parse(&l, opened, err);
}

static char *unreadable(const char *file, const char *why) {
  return xasprintf(
      "%s: cannot read the list of what this library was built from: %s; install the library "
      "again (--install-dir of ckjit-build), or build it again",
      file, why);
}

struct inputs *inputs_read(const char *file, char **err) {
  struct lines l;
  bool opened = lines_open(&l, file, HEAD);
  *err = l.text ? NULL : unreadable(file, strerror(errno));
  return l.text ? parse(&l, opened, err) : NULL;
}

/* The lists in section INPUTS_SECTION of the library FILE. Returns the bytes; free() them. */
static char *lists_of_library(const char *file, const char **begin, const char **end, char **err) {
  struct elf_section s;
  char *bytes = elf_read_section(file, INPUTS_SECTION, &s);
  if (!bytes) {
    *err = unreadable(file, errno ? strerror(errno) : "it has no section " INPUTS_SECTION);
    return NULL;
  }
  *begin = (const char *)s.data;
  *end = *begin + s.size;
  bool hidden = s.size && **begin == CKJIT_SLASH;
  *begin += hidden;
  for (char *c = bytes; hidden && c < *end; c++)
    *c = *c == CKJIT_SLASH ? '/' : *c;
  return bytes;
}

struct inputs *inputs_read_library(const char *file, size_t index, char **err) {
  const char *text, *end;
  struct inputs *in = NULL;
  *err = NULL;
  autofree char *bytes = lists_of_library(file, &text, &end, err);
  for (; bytes && index && text < end; index--)
    text += strnlen(text, (size_t)(end - text)) + 1;
  size_t n = bytes && text < end ? strnlen(text, (size_t)(end - text)) : 0;
  if (n)
    in = parse_text(file, text, n, err);
  return in;
}

/* The list of the library FILE whose digest is NAME. */
static struct inputs *find_in_library(const char *file, const char *name, char **err) {
  const char *text, *end;
  autofree char *bytes = lists_of_library(file, &text, &end, err);
  if (!bytes)
    return NULL;
  for (size_t n; text < end; text += n + 1) {
    char digest[DIGEST_HEX];
    n = strnlen(text, (size_t)(end - text));
    digest_bytes(digest, text, n);
    if (strcmp(digest, name) == 0)
      return parse_text(file, text, n, err);
  }
  *err = unreadable(file, "a list that it refers to is not in it");
  return NULL;
}

bool inputs_in_library(const char *file) {
  char magic[EI_NIDENT];
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  bool library =
      fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && elf_magic(magic, sizeof magic);
  if (fd >= 0)
    close(fd);
  return library;
}

struct inputs *inputs_read_named(const char *file, const char *name, char **err) {
  if (inputs_in_library(file))
    return find_in_library(file, name, err);
  autofree char *dir = path_dir(file), *beside = path_join(dir, name);
  return inputs_read(beside, err);
}

void inputs_free(struct inputs *in) {
  if (!in)
    return;
  inputs_free_fragments(in);
  for (size_t i = 0; i < in->ntools; i++)
    free(in->tools[i].path);
  for (size_t i = 0; i < in->nheaders; i++)
    free(in->header[i].path);
  argv_free(&in->environment);
  argv_free(&in->question);
  argv_free(&in->directories);
  argv_free(&in->own);
  free(in->tools);
  free(in->header);
  free(in->program);
  free(in->comment);
  free(in);
}
