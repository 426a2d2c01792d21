#include "sourcetext.h"

#include "unittext.h"

#include "core/base/path.h"
#include "core/cc/compiler.h"
#include "core/base/vec.h"
#include "core/cache/key.h"

/* The name of SOURCE's text. Stems are unique among the blobs of a library, and paths may have any
 * length. */
static void name_of(char name[DIGEST_HEX], const char *source) {
  const char *base = path_base(source);
  digest_bytes(name, base, strlen(base));
}

void sourcetext_add(struct sourcetexts *s, const char *source, const char *text) {
  char *name = xmalloc(DIGEST_HEX);
  name_of(name, source);
  vec_push(s->list, s->n, (struct unittext){name, text, strlen(text)});
}

bool sourcetext_write(struct sourcetexts *s, const char *file, char **err) {
  autofree char *dir = path_dir(file);
  bool done = dir_make(dir) && unittext_write(file, s->list, s->n, &(struct argv){0}, err);
  for (size_t i = 0; i < s->n; i++)
    free((char *)s->list[i].arch);
  free(s->list);
  *s = (struct sourcetexts){0};
  return done;
}

char *sourcetext_read(const char *file, const char *source, size_t *len) {
  char name[DIGEST_HEX];
  autofree char *why = NULL;
  name_of(name, source);
  return file_is_regular(file) ? unittext_read(file, name, len, &why) : NULL;
}

static void add_digest(const char *name, const char *digest, void *user) {
  struct sourcetext_digests *d = user;
  if (intern_new(&d->names, name))
    argv_add(&d->digests, digest);
}

void sourcetext_digests_read(struct sourcetext_digests *d, const char *file) {
  autofree char *why = NULL;
  if (file_is_regular(file))
    unittext_each(file, add_digest, d, &why);
}

const char *sourcetext_digest(const struct sourcetext_digests *d, const char *source) {
  char name[DIGEST_HEX];
  name_of(name, source);
  size_t i = intern_find(&d->names, name);
  return i == SIZE_MAX ? NULL : d->digests.args[i];
}

bool sourcetext_copy(const char *copy, const char *place, const char *text) {
  static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's; a file has it only at its beginning */
  autofree_buf out = {0};
  if (str_starts(text, mark)) {
    buf_puts(&out, mark);
    text += sizeof mark - 1;
  }
  buf_puts(&out, "#line 1 \"");
  for (const char *p = place; *p; p++)
    buf_printf(&out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
  buf_puts(&out, "\"\n");
  buf_puts(&out, text);
  return file_update(copy, out.data, out.len, 0666);
}

bool sourcetext_words(struct argv *out, enum cc_dialect dialect, const char *place) {
  autofree char *dir = path_dir(place);
  return compiler_add_quote_dir(out, dialect, dir);
}
