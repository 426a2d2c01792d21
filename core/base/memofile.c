#include "memofile.h"
#include "path.h"
#include "abi/ck_jit_abi.h"

#define HEAD "ckjit-memo 3\n"
enum { MOST = 64 << 20, DIGEST = 17 };

/* The second line: 16 digits and a newline. */
static void digest_of(char line[DIGEST + 1], const char *name, const char *text) {
  uint64_t h = ckjit_fnv1a_more(ckjit_fnv1a(name, strlen(name) + 1), text, strlen(text));
  snprintf(line, DIGEST + 1, "%016llx\n", (unsigned long long)h);
}

char *memofile_read(const char *file, const char *name) {
  char digest[DIGEST + 1];
  size_t len, head = strlen(HEAD), all = head + DIGEST;
  autofree char *found = file_read_cached(file, MOST, &len);
  bool whole = found && len >= all && strlen(found) == len && str_starts(found, HEAD);
  if (whole)
    digest_of(digest, name, found + all);
  return whole && memcmp(found + head, digest, DIGEST) == 0 ? xstrdup(found + all) : NULL;
}

bool memofile_write(const char *file, const char *name, const char *text) {
  char digest[DIGEST + 1];
  digest_of(digest, name, text);
  autofree char *whole = xasprintf(HEAD "%s%s", digest, text);
  return file_write(file, whole, strlen(whole), 0644);
}

bool memofile_update(const char *file, const char *name, const char *text) {
  autofree char *have = memofile_read(file, name);
  return (have && strcmp(have, text) == 0) || memofile_write(file, name, text);
}

bool memofile_open(struct lines *l, const char *file, const char *name) {
  autofree char *text = memofile_read(file, name);
  *l = (struct lines){.file = file, .number = !text && file_exists(file)};
  if (text && lines_open_text(l, file, text, strlen(text), NULL))
    l->number = 2; /* lines of the file come before the text */
  return text;
}

bool memofile_load(struct argv *lines, const char *file, const char *name) {
  char *text = memofile_read(file, name);
  for (const char *at = text; at && *at;) {
    size_t n = strcspn(at, "\n");
    argv_add_own(lines, xstrndup(at, n));
    at += n + (at[n] == '\n');
  }
  free(text);
  return text != NULL;
}

void memofile_put_file(struct buf *out, const char *digest, const char *stamp, const char *file) {
  buf_printf(out, "%s %s\n", digest, stamp);
  lines_escape(out, file);
  buf_putc(out, '\n');
}

bool memofile_next_file(const char **at, char **facts, char **file) {
  size_t n = strcspn(*at, "\n");
  *facts = *file = NULL;
  if (!(*at)[n])
    return false;
  *facts = xstrndup(*at, n);
  *at += n + 1;
  n = strcspn(*at, "\n");
  *file = lines_unescape(*at, n);
  *at += n + ((*at)[n] == '\n');
  return true;
}

bool memofile_store(const char *file, const char *name, const struct argv *lines) {
  autofree_buf b = {0};
  buf_puts(&b, "");
  for (size_t i = 0; i < lines->n; i++)
    buf_printf(&b, "%s\n", lines->args[i]);
  return memofile_write(file, name, b.data);
}
