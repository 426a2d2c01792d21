/* inputs.c - see inputs.h. A list is text, one input per line, the digest before the name. The list's own
 * name is the digest of that text: equal lists are one file, and a list never changes. The library contains
 * the same text, in case it is copied away from its lists.
 */
#include "inputs.h"

#include "core/base/elf.h"
#include "core/cc/ccenv.h"
#include "core/base/oneline.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "ckjit-inputs 1\n"

void inputs_add(struct input **list, size_t *n, const char digest[DIGEST_HEX], char *path) {
  struct input *in = vec_add(*list, *n);
  memcpy(in->digest, digest, DIGEST_HEX);
  in->path = path;
}

char *inputs_comment(const char *file, size_t *n) {
  struct elf_section s;
  char *bytes = elf_read_section(file, ".comment", &s), *comment = NULL;
  if (bytes && s.size) {
    *n = s.size;
    comment = xmalloc(s.size + 1);
    memcpy(comment, s.data, s.size);
    comment[s.size] = 0;
  }
  free(bytes);
  return comment;
}

void inputs_key_environment(struct inputs *in, bool dated) {
  struct buf b = {0};
  buf_puts(&b, in->compiler);
  for (size_t i = 0; i < in->environment.n; i++)
    if (ccenv_is_keyed(in->environment.args[i], dated))
      buf_printf(&b, "\n%s", in->environment.args[i]);
  /* without any, the key is that of a library that was built without them */
  if (b.len > strlen(in->compiler))
    digest_bytes(in->compiler, b.data, b.len);
  buf_free(&b);
}

/* ---- what is not there ---- */

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
  struct argv found = {0};
  bool there = false;
  for (size_t i = 0; i < dirs->n && !there; i++) {
    char *path = first_missing(dirs->args[i], name);
    there = !path;
    if (path)
      argv_add_own(&found, path);
  }
  if (!there && found.n)
    argv_add_all(missing, found.args);
  argv_free(&found);
}

/* ---- fragments ---- */

struct input_fragment *inputs_add_fragment(struct inputs *in) {
  vec_push(in->fragments, in->nfragments, (struct input_fragment){.list = DIGEST_NONE});
  return &in->fragments[in->nfragments - 1];
}

void inputs_combine(struct inputs *in, const char *digest) {
  struct buf b = {0};
  buf_printf(&b, "fragments %s", digest);
  for (size_t i = 0; i < in->nfragments; i++)
    buf_printf(&b, " %s", in->fragments[i].key);
  digest_bytes(in->headers, b.data, b.len);
  buf_free(&b);
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

static void add_text(struct buf *out, const char *text) {
  oneline_put(out, text);
  buf_putc(out, '\n');
}

static void add_word_line(struct buf *out, const char *word, const char *text) {
  buf_puts(out, word);
  add_text(out, text);
}

static void add_fragments(struct buf *out, const struct inputs *in) {
  if (*in->entry)
    buf_printf(out, "e %s \n", in->entry);
  for (size_t i = 0; i < in->nfragments; i++) {
    const struct input_fragment *f = &in->fragments[i];
    buf_printf(out, "f %s %s ", f->key, f->list);
    add_text(out, f->stem);
    add_word_line(out, "fs ", f->source);
    add_word_line(out, "fo ", f->flags);
    if (f->tag)
      add_word_line(out, "ft ", f->tag);
    for (size_t k = 0; k < f->functions.n; k++)
      add_word_line(out, "fd ", f->functions.args[k]);
  }
}

bool inputs_write(const struct inputs *in, const char *dir, char name[DIGEST_HEX]) {
  struct buf b = {0};
  buf_puts(&b, HEAD);
  buf_printf(&b, "headers %s\ncompiler %s ", in->headers, in->compiler);
  add_text(&b, in->program);
  buf_puts(&b, "comment ");
  add_text(&b, in->comment);
  for (size_t i = 0; i < in->environment.n; i++)
    add_word_line(&b, "env ", in->environment.args[i]);
  if (in->question.n) {
    char *words = argv_join(in->question.args);
    buf_printf(&b, "plan %s ", in->plan);
    add_text(&b, words);
    free(words);
  }
  for (size_t i = 0; i < in->ntools; i++) {
    buf_printf(&b, "t %s ", in->tools[i].digest);
    add_text(&b, in->tools[i].path);
  }
  for (size_t i = 0; i < in->nheaders; i++) {
    buf_printf(&b, "h %s ", in->header[i].digest);
    add_text(&b, in->header[i].path);
  }
  add_fragments(&b, in);
  digest_bytes(name, b.data, b.len);
  char *file = path_join(dir, name);
  bool done = dir_make(dir) && file_update(file, b.data, b.len, 0666);
  int e = errno;
  free(file);
  buf_free(&b);
  errno = e;
  return done;
}

/* Is the line of N bytes "WORD DIGEST TEXT"? Sets DIGEST and the start of TEXT. */
static bool digest_line(const char *line, size_t n, const char *word, char digest[DIGEST_HEX],
                        const char **text) {
  size_t w = strlen(word);
  if (n < w + DIGEST_HEX || memcmp(line, word, w) != 0 || line[w + DIGEST_HEX - 1] != ' ')
    return false;
  memcpy(digest, line + w, DIGEST_HEX - 1);
  digest[DIGEST_HEX - 1] = 0;
  *text = line + w + DIGEST_HEX;
  return strspn(digest, "0123456789abcdef") == DIGEST_HEX - 1;
}

/* Read "WORD TEXT" into *TO, which must not be set yet. */
static bool text_line(const char *line, size_t n, const char *word, char **to) {
  size_t w = strlen(word);
  if (n < w || memcmp(line, word, w) != 0 || *to)
    return false;
  *to = oneline_read(line + w, n - w);
  return true;
}

/* Read a line that belongs to the fragments. */
static bool read_fragment_line(struct inputs *in, const char *line, size_t n) {
  char digest[DIGEST_HEX], list[DIGEST_HEX];
  const char *text;
  if (!*in->entry && digest_line(line, n, "e ", digest, &text)) {
    memcpy(in->entry, digest, sizeof digest);
    return true;
  }
  if (digest_line(line, n, "f ", digest, &text)) {
    if (!digest_line(text, (size_t)(line + n - text), "", list, &text))
      return false;
    struct input_fragment *f = inputs_add_fragment(in);
    memcpy(f->key, digest, sizeof digest);
    memcpy(f->list, list, sizeof list);
    f->stem = oneline_read(text, (size_t)(line + n - text));
    return true;
  }
  struct input_fragment *f = in->nfragments ? &in->fragments[in->nfragments - 1] : NULL;
  if (!f)
    return false;
  char *function = NULL;
  if (text_line(line, n, "fd ", &function)) {
    argv_add_own(&f->functions, function);
    return true;
  }
  return text_line(line, n, "fs ", &f->source) || text_line(line, n, "fo ", &f->flags) ||
         text_line(line, n, "ft ", &f->tag);
}

static bool read_line(struct inputs *in, const char *line, size_t n) {
  char digest[DIGEST_HEX];
  const char *text;
  if (digest_line(line, n, "h ", digest, &text)) {
    inputs_add(&in->header, &in->nheaders, digest, oneline_read(text, (size_t)(line + n - text)));
  } else if (digest_line(line, n, "t ", digest, &text)) {
    inputs_add(&in->tools, &in->ntools, digest, oneline_read(text, (size_t)(line + n - text)));
  } else if (!in->program && digest_line(line, n, "compiler ", in->compiler, &text)) {
    in->program = oneline_read(text, (size_t)(line + n - text));
  } else if (!in->question.n && digest_line(line, n, "plan ", in->plan, &text)) {
    char *words = oneline_read(text, (size_t)(line + n - text));
    argv_split(&in->question, words, strlen(words));
    free(words);
  } else if (!in->comment && n >= 8 && memcmp(line, "comment ", 8) == 0) {
    in->comment = oneline_read(line + 8, n - 8);
  } else if (n > 4 && memcmp(line, "env ", 4) == 0 && memchr(line + 5, '=', n - 5)) {
    argv_add_own(&in->environment, oneline_read(line + 4, n - 4));
  } else if (!*in->headers && n == 8 + DIGEST_HEX - 1 && memcmp(line, "headers ", 8) == 0) {
    memcpy(in->headers, line + 8, DIGEST_HEX - 1);
  } else {
    return read_fragment_line(in, line, n);
  }
  return true;
}

static bool fragments_are_whole(const struct inputs *in) {
  for (size_t i = 0; i < in->nfragments; i++)
    if (!in->fragments[i].source || !in->fragments[i].flags || !*in->entry)
      return false;
  return true;
}

static struct inputs *parse(const char *file, const char *text, size_t len, char **err) {
  struct inputs *in = xcalloc(1, sizeof *in);
  bool good = str_starts(text, HEAD) && strlen(text) == len;
  for (const char *line = text + strlen(HEAD); good && *line;) {
    const char *end = strchr(line, '\n');
    good = end && read_line(in, line, (size_t)(end - line));
    line = end ? end + 1 : line;
  }
  if (good && in->program && in->comment && *in->headers && fragments_are_whole(in))
    return in;
  inputs_free(in);
  *err =
      xasprintf("%s: not a list of inputs as this version of ckjit writes it; build the library again", file);
  return NULL;
}

static char *unreadable(const char *file, const char *why) {
  return xasprintf("%s: cannot read the list of what this library was built from: %s; install the library "
                   "again (--install-dir of ckjit-build), or build it again",
                   file, why);
}

struct inputs *inputs_read(const char *file, char **err) {
  size_t len;
  char *text = file_read_text(file, &len);
  *err = text ? NULL : unreadable(file, strerror(errno));
  struct inputs *in = text ? parse(file, text, len, err) : NULL;
  free(text);
  return in;
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
  return bytes;
}

/* Parse the N bytes at TEXT, which are not trusted, as a list. */
static struct inputs *parse_bytes(const char *file, const char *text, size_t n, char **err) {
  char *copy = xstrndup(text, n);
  struct inputs *in = parse(file, copy, n, err);
  free(copy);
  return in;
}

struct inputs *inputs_read_library(const char *file, size_t index, char **err) {
  const char *text, *end;
  struct inputs *in = NULL;
  *err = NULL;
  char *bytes = lists_of_library(file, &text, &end, err);
  for (; bytes && index && text < end; index--)
    text += strnlen(text, (size_t)(end - text)) + 1;
  size_t n = bytes && text < end ? strnlen(text, (size_t)(end - text)) : 0;
  if (n)
    in = parse_bytes(file, text, n, err);
  free(bytes);
  return in;
}

/* The list of the library FILE whose digest is NAME. */
static struct inputs *find_in_library(const char *file, const char *name, char **err) {
  const char *text, *end;
  char *bytes = lists_of_library(file, &text, &end, err);
  if (!bytes)
    return NULL;
  for (size_t n; text < end; text += n + 1) {
    char digest[DIGEST_HEX];
    n = strnlen(text, (size_t)(end - text));
    digest_bytes(digest, text, n);
    if (strcmp(digest, name) == 0) {
      struct inputs *in = parse_bytes(file, text, n, err);
      free(bytes);
      return in;
    }
  }
  free(bytes);
  *err = unreadable(file, "a list that it refers to is not in it");
  return NULL;
}

bool inputs_in_library(const char *file) {
  char magic[EI_NIDENT];
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  bool library = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && elf_magic(magic, sizeof magic);
  if (fd >= 0)
    close(fd);
  return library;
}

struct inputs *inputs_read_named(const char *file, const char *name, char **err) {
  if (inputs_in_library(file))
    return find_in_library(file, name, err);
  char *dir = path_dir(file), *beside = path_join(dir, name);
  struct inputs *in = inputs_read(beside, err);
  free(dir);
  free(beside);
  return in;
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
  free(in->tools);
  free(in->header);
  free(in->program);
  free(in->comment);
  free(in);
}
