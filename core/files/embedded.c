/* embedded.c - see embedded.h. */
#include "embedded.h"
#include "registered.h"
#include "stubobj.h"
#include "unittext.h"
#include "core/base/path.h"

enum { KEY_DIGITS = 32, SIZE_DIGITS = 16, HEAD_SIZE = KEY_DIGITS + 1 + SIZE_DIGITS + 1 };

struct restoring {
  const char *object, *key, *file;
  char **err;
};

/* The names of kernels are known for an object of one unit; for an object of `ld -r` it is unknown
 * which unit each belongs to. */
static bool write_text(const struct restoring *r, const struct elf *e, const char *text, size_t len,
                       bool alone) {
  autofree_argv kernels = {0};
  autofree_buf named = {0};
  if (alone)
    registered_kernels(&kernels, e);
  autofree char *dir = path_dir(r->file);
  bool good = unittext_named(&named, text, len, &kernels);
  if (!good)
    *r->err = xasprintf("%s: the text of its kernels in section " EMBEDDED_SECTION
                        " is damaged; build the object again",
                        r->object);
  else if (!dir_make(dir) || !file_update(r->file, named.data, named.len, 0666))
    *r->err = xasprintf("%s: cannot write the text of a unit: %s", r->file, strerror(errno));
  return false; /* end the search */
}

static bool look(const struct elf *e, const unsigned char *data, size_t size, const char *member,
                 void *user) {
  const struct restoring *r = user;
  const char *at = (const char *)data, *end = at + size;
  (void)member;
  while ((size_t)(end - at) > HEAD_SIZE) {
    char digits[SIZE_DIGITS + 1] = {0}, *after;
    memcpy(digits, at + KEY_DIGITS + 1, SIZE_DIGITS);
    uint64_t len = strtoull(digits, &after, 16);
    const char *text = at + HEAD_SIZE;
    if (*after || len > (size_t)(end - text))
      len = (uint64_t)(end - text); /* torn: not a whole text */
    if (memcmp(at, r->key, KEY_DIGITS) == 0)
      return write_text(r, e, text, len, at == (const char *)data && text + len == end);
    at = text + len;
  }
  return true;
}

bool embedded_restore(const char *object, const char *key, const char *file, char **err) {
  struct restoring r = {object, key, file, err};
  *err = NULL;
  char *why = NULL;
  if (strlen(key) == KEY_DIGITS && !stub_sections_file(object, EMBEDDED_SECTION, look, &r, &why))
    free(why); /* the linker reports its damage */
  return !*err;
}
