/* ar.c - see ar.h. Sources: ar(5), and binutils' bfd/archive.c for thin archives. */
#include "ar.h"
#include "path.h"

bool ar_open(struct ar *a, const void *bytes, size_t size) {
  static const char thin[] = "!<thin>\n";
  *a = (struct ar){.bytes = bytes, .size = size, .at = SARMAG};
  if (size < SARMAG)
    return false;
  a->thin = memcmp(bytes, thin, SARMAG) == 0;
  return a->thin || memcmp(bytes, ARMAG, SARMAG) == 0;
}

/* The number in the N bytes at TEXT, followed by blanks. False: there are no digits. */
static bool number(const char *text, size_t n, uint64_t *out) {
  size_t i = 0;
  for (*out = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
    *out = *out * 10 + (uint64_t)(text[i] - '0');
  return i > 0;
}

static bool is_called(const struct ar_hdr *h, const char *name) {
  size_t n = strlen(name);
  return memcmp(h->ar_name, name, n) == 0 && h->ar_name[n] == ' ';
}

/* Find M's name: in the header, in the table, or before the content. False: it cannot be known. */
static bool find_name(const struct ar *a, struct ar_member *m) {
  const char *text = m->head->ar_name;
  size_t n = sizeof m->head->ar_name;
  uint64_t at;
  if (text[0] == '/' && number(text + 1, n - 1, &at)) {
    /* An entry ends with "/\n". In a thin archive it may contain slashes. */
    const char *end =
        a->names && at < a->names_len ? memchr(a->names + at, '\n', a->names_len - at) : NULL;
    m->name = end ? a->names + at : NULL;
    m->name_len = end ? (size_t)(end - m->name) - (end > m->name && end[-1] == '/') : 0;
    return end;
  }
  if (memcmp(text, "#1/", 3) == 0 && number(text + 3, n - 3, &at)) {
    if (at > m->size)
      return false;
    m->name = m->data;
    m->name_len = strnlen(m->name, at);
    m->data += at;
    m->size -= at;
    return true;
  }
  while (n && text[n - 1] == ' ')
    n--;
  m->name = text;
  m->name_len = n - (n > 1 && text[n - 1] == '/');
  return true;
}

/* Report that the archive is damaged, because of M or, without a name, because of the header at
 * A. */
static bool damaged(const struct ar *a, const struct ar_member *m, char **err) {
  if (err)
    *err = m->name ? xasprintf("the archive ends within its member %.*s", (int)m->name_len, m->name)
                   : xasprintf("the archive is damaged at byte %zu", a->at);
  return false;
}

bool ar_next(struct ar *a, struct ar_member *m, char **err) {
  if (err)
    *err = NULL;
  while (a->at < a->size && !(a->size - a->at == 1 && a->bytes[a->at] == '\n')) {
    const struct ar_hdr *h = (const struct ar_hdr *)(a->bytes + a->at);
    uint64_t size, left = a->size - a->at;
    *m = (struct ar_member){.head = h};
    if (left < sizeof *h || memcmp(h->ar_fmag, ARFMAG, 2) != 0 ||
        !number(h->ar_size, sizeof h->ar_size, &size))
      return damaged(a, m, err);
    left -= sizeof *h;
    bool table = is_called(h, "//");
    bool member = !table && !is_called(h, "/") && !is_called(h, "/SYM64/") &&
                  memcmp(h->ar_name, "__.SYMDEF", 9) != 0;
    /* In a thin archive only the tables have content. */
    bool outside = a->thin && member;
    m->data = outside ? NULL : a->bytes + a->at + sizeof *h;
    m->size = outside ? 0 : size < left ? size : left;
    if ((member && !find_name(a, m)) || (!outside && size > left))
      return damaged(a, m, err);
    a->at += sizeof *h + (outside ? 0 : size + (size & 1));
    if (member)
      return true;
    if (table) {
      a->names = m->data;
      a->names_len = m->size;
    }
  }
  return false;
}

char *ar_member_file(const char *file, const struct ar_member *m) {
  autofree char *dir = path_dir(file), *name = xstrndup(m->name, m->name_len);
  return path_join(dir, name);
}
