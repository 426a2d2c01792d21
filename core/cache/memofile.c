#include "memofile.h"
#include "key.h"
#include "core/base/lines.h"
#include "core/base/path.h"

#define HEAD "ckjit-memo 2\n"
enum { MOST = 64 << 20 };

/* The whole file; free() it. */
static char *whole_of(const char *name, const char *text) {
  char digest[DIGEST_HEX];
  autofree char *both = xasprintf("%s\n%s", name, text);
  digest_bytes(digest, both, strlen(both));
  return xasprintf(HEAD "%s\n%s", digest, text);
}

char *memofile_read(const char *file, const char *name) {
  size_t len, head = strlen(HEAD) + DIGEST_HEX;
  autofree char *found = file_read_cached(file, MOST, &len);
  char *text = NULL;
  if (found && len >= head && strlen(found) == len) {
    autofree char *whole = whole_of(name, found + head);
    if (strcmp(whole, found) == 0)
      text = xstrdup(found + head);
  }
  return text;
}

bool memofile_write(const char *file, const char *name, const char *text) {
  autofree char *whole = whole_of(name, text);
  return file_write(file, whole, strlen(whole), 0644);
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
