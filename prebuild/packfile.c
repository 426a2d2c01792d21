/* packfile.c - the form of a pack. */
#include "packfile.h"
#include "core/base/vec.h"
#include "core/cache/artefact.h"
#include "core/cache/key.h"
#include "core/files/export.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machine whose code is in the entries: that of the programs, which is where the pack was made. */
#define HOST CKJIT_OWN.name

/* ---- build ids ---- */

bool pack_build_id(uint8_t id[CKJIT_BUILD_ID_SIZE], const uint8_t key[CKJIT_KEY_SIZE], const char *archs,
                   enum ckjit_kind kind, const char *stem) {
  struct artefact_name name;
  artefact_stem_read(&name, stem);
  bool of_symbol = kind != CKJIT_KIND_BLOB && kind != CKJIT_KIND_BLOB_HOST;
  ckjit_artefact_id(id, kind, key, archs);
  if (of_symbol && name.has_symbol)
    ckjit_symbol_id(id, name.symbol);
  return !of_symbol || name.has_symbol;
}

void pack_add(struct pack *p, const char *path, const char *stem, const char *archs, enum ckjit_kind kind,
              const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct pack_entry *e = vec_add(p->entries, p->n);
  *e = (struct pack_entry){
      .stem = xstrdup(stem), .archs = xstrdup(archs), .kind = kind, .path = xstrdup(path)};
  memcpy(e->id, id, sizeof e->id);
}

/* ---- the index ---- */

/* TEXT, any bytes, as one word: all but letters, digits and a few more as %XX. */
static void put_word(struct buf *out, const char *text) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+/";
  for (; *text; text++)
    if (strchr(plain, *text))
      buf_putc(out, *text);
    else
      buf_printf(out, "%%%02x", (unsigned char)*text);
  buf_putc(out, '\n');
}

/* The other way round: N bytes at WORD; free() it. NULL if that is not how it is written. */
static char *get_word(const char *word, size_t n) {
  struct buf text = {0}, again = {0};
  for (size_t i = 0; i < n; i++) {
    uint8_t byte;
    char digits[3] = {i + 2 < n ? word[i + 1] : 0, i + 2 < n ? word[i + 2] : 0, 0};
    if (word[i] != '%') {
      buf_putc(&text, word[i]);
    } else if (ckjit_hex_parse(&byte, 1, digits) && byte) {
      buf_putc(&text, (char)byte);
      i += 2;
    } else {
      break;
    }
  }
  put_word(&again, text.data ? text.data : "");
  bool same = text.len && again.len == n + 1 && memcmp(again.data, word, n) == 0;
  buf_free(&again);
  if (!same)
    buf_free(&text);
  return text.data;
}

static void put_end(struct buf *out, size_t n) {
  char hex[DIGEST_HEX];
  digest_bytes(hex, out->data, out->len);
  buf_printf(out, "end %zu %s\n", n, hex);
}

static void put_entry(struct buf *out, const struct pack_entry *e) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, e->id);
  buf_printf(out, "entry %s %s %016llx %llu %s ", hex, artefact_word(e->kind), (unsigned long long)e->hash,
             (unsigned long long)e->size, e->archs);
  put_word(out, e->stem);
}

void pack_index_write(struct buf *out, const struct pack *p) {
  buf_printf(out, "ckjit-pack %d\nhost %s\nckjit " CKJIT_VERSION "\nkind %s\ncompiler ", PACK_FORMAT, HOST,
             p->kind);
  put_word(out, p->compiler);
  for (size_t i = 0; i < p->n; i++)
    put_entry(out, &p->entries[i]);
  put_end(out, p->n);
}

/* Whether ARCHS are architectures with ';' between, as a build id is made of them. */
static bool are_archs(const char *archs) {
  const char *at = archs, *word;
  char joined[CKJIT_ARCHS_SIZE] = "";
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    if (!export_arch_is_sound(word, n) || !ckjit_arch_add(joined, word, n))
      return false;
  return *joined && strcmp(joined, archs) == 0;
}

/* What is wrong with E, as far as can be told without its file; NULL: nothing. Static. */
static const char *entry_wrong(const struct pack_entry *e) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!e->stem || e->stem[0] == '.' || strchr(e->stem, '/') || strlen(e->stem) > NAME_MAX - 3)
    return "its name is not that of an entry";
  if (!are_archs(e->archs))
    return "its architectures are not valid";
  if (e->size <= sizeof(struct ckjit_seal) || e->size >> 33)
    return "its size is not that of an entry";
  if (!pack_build_id(id, e->id, e->archs, e->kind, e->stem) || memcmp(id, e->id, sizeof id) != 0)
    return "its build id is not that of its architectures";
  return NULL;
}

/* Is E written as the N bytes at LINE? What is read means one thing, and is written in one way. */
static bool is_written_so(const struct pack_entry *e, const char *line, size_t n) {
  struct buf again = {0};
  put_entry(&again, e);
  bool same = again.len == n + 1 && memcmp(again.data, line, n) == 0;
  buf_free(&again);
  return same;
}

/* E from the N bytes at TEXT, behind "entry ". False: they are not in that form. */
static bool read_words(struct pack_entry *e, const char *line, size_t n) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE], word[16], archs[CKJIT_ARCHS_SIZE], digits[17], size[24], format[64];
  int at = 0;
  char *text = xstrndup(line, n), *end;
  snprintf(format, sizeof format, "%%48s %%15s %%16s %%20s %%%ds %%n", CKJIT_ARCHS_SIZE - 1);
  bool good = sscanf(text, format, hex, word, digits, size, archs, &at) == 5 && at &&
              ckjit_build_id_parse(e->id, hex);
  e->kind = CKJIT_KIND_BLOB;
  while (good && e->kind < CKJIT_KINDS && strcmp(artefact_word(e->kind), word) != 0)
    e->kind++;
  good = good && e->kind < CKJIT_KINDS;
  if (good) {
    e->hash = strtoull(digits, &end, 16);
    good = strlen(digits) == 16 && !*end;
    e->size = strtoull(size, &end, 10);
    good = good && size[0] >= '0' && size[0] <= '9' && !*end;
    e->archs = xstrdup(archs);
    e->stem = get_word(text + at, n - (size_t)at);
  }
  free(text);
  return good;
}

/* E from the N bytes of LINE, which begins with "entry ". */
static bool read_entry(struct pack_entry *e, const char *line, size_t n) {
  const size_t word = strlen("entry ");
  return read_words(e, line + word, n - word) && (!e->stem || is_written_so(e, line, n));
}

static bool is_line(const char *line, size_t n, const char *text) {
  return n == strlen(text) && memcmp(line, text, n) == 0;
}

static int by_name(const void *a, const void *b) {
  const struct pack_entry *const *x = a, *const *y = b;
  int order = strcmp((*x)->stem, (*y)->stem);
  return order ? order : memcmp((*x)->id, (*y)->id, sizeof(*x)->id);
}

/* An entry that is twice in P, NULL if none is. */
static const struct pack_entry *find_twice(const struct pack *p) {
  const struct pack_entry **all = xcalloc(p->n + 1, sizeof *all), *twice = NULL;
  for (size_t i = 0; i < p->n; i++)
    all[i] = &p->entries[i];
  qsort(all, p->n, sizeof *all, by_name);
  for (size_t i = 1; i < p->n && !twice; i++)
    twice = by_name(&all[i - 1], &all[i]) ? NULL : all[i];
  free(all);
  return twice;
}

/* The last line, which is at AT of TEXT: it closes P. */
static bool is_end(const char *text, size_t at, size_t n, const struct pack *p) {
  struct buf want = {0};
  buf_add(&want, text, at);
  put_end(&want, p->n);
  bool same = want.len == n && memcmp(want.data, text, n) == 0;
  buf_free(&want);
  return same;
}

/* One LINE of N bytes, number NUMBER, of the index. False and why in *ERR. */
static bool read_line(struct pack *p, const char *line, size_t n, size_t number, char **err) {
  static const char format[] = "ckjit-pack ", entry[] = "entry ", kind[] = "kind ", compiler[] = "compiler ",
                    version[] = "ckjit ";
  if (number == 1) {
    char ours[32];
    snprintf(ours, sizeof ours, "%s%d", format, PACK_FORMAT);
    if (!is_line(line, n, ours))
      *err = xasprintf("its first line is '%.*s', expected '%s'; another version of ckjit made it, or it is "
                       "not a pack",
                       (int)(n < 60 ? n : 60), line, ours);
  } else if (number == 2) {
    char ours[32];
    snprintf(ours, sizeof ours, "host %s", HOST);
    if (!is_line(line, n, ours))
      *err = xasprintf("it is of another machine: '%.*s', expected '%s'", (int)(n < 60 ? n : 60), line, ours);
  } else if (number == 3 && n > strlen(version) && str_starts(line, version)) {
    return true;
  } else if (number == 4 && n > strlen(kind) && str_starts(line, kind)) {
    p->kind = xstrndup(line + strlen(kind), n - strlen(kind));
  } else if (number == 5 && n > strlen(compiler) && str_starts(line, compiler)) {
    p->compiler = get_word(line + strlen(compiler), n - strlen(compiler));
  } else if (number > 5 && n > strlen(entry) && str_starts(line, entry)) {
    struct pack_entry *e = vec_add(p->entries, p->n);
    const char *wrong = read_entry(e, line, n) ? entry_wrong(e) : "it has another form";
    if (wrong)
      *err = xasprintf("entry %zu, '%.*s': %s", p->n, (int)(n < 300 ? n : 300), line, wrong);
  } else {
    *err =
        xasprintf("line %zu of its index has another form: '%.*s'", number, (int)(n < 300 ? n : 300), line);
  }
  return !*err;
}

bool pack_index_read(struct pack *p, const char *text, size_t n, char **err) {
  const struct pack_entry *twice;
  size_t at = 0, number = 0;
  *p = (struct pack){0};
  *err = NULL;
  while (at < n) {
    const char *line = text + at, *newline = memchr(line, '\n', n - at);
    size_t len = newline ? (size_t)(newline - line) : n - at;
    if (newline && str_starts(line, "end "))
      break;
    if (!read_line(p, line, len, ++number, err))
      return false;
    at += len + 1;
  }
  if (!is_end(text, at < n ? at : n, n, p) || !p->compiler)
    *err = xstrdup("its index is truncated: its last line does not match the others");
  else if ((twice = find_twice(p)))
    *err = xasprintf("%s for %s is in it twice", twice->stem, twice->archs);
  return !*err;
}

void pack_free(struct pack *p) {
  for (size_t i = 0; i < p->n; i++) {
    free(p->entries[i].stem);
    free(p->entries[i].archs);
    free(p->entries[i].path);
  }
  free(p->entries);
  free(p->kind);
  free(p->compiler);
  *p = (struct pack){0};
}

/* ---- the tar ---- */

/* Source: POSIX.1-2017, pax, "ustar Interchange Format". */
struct ustar {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6],
      version[2], user[32], group[32], major[8], minor[8], prefix[155], unused[12];
};
_Static_assert(sizeof(struct ustar) == PACK_BLOCK, "a header is a block");

void pack_member_name(char name[PACK_MEMBER_NAME], const struct pack *p, size_t i) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, p->entries[i].id);
  snprintf(name, PACK_MEMBER_NAME, "%zu.%s.so", i + 1, hex);
}

/* Nothing of the machine that made it: the same entries are the same pack. */
void pack_header(unsigned char block[PACK_BLOCK], const char *name, uint64_t size) {
  struct ustar h = {.type = '0'};
  unsigned sum = 0;
  snprintf(h.name, sizeof h.name, "%s", name);
  memcpy(h.mode, "0000644", 8);
  memcpy(h.uid, "0000000", 8);
  memcpy(h.gid, "0000000", 8);
  snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)size);
  memcpy(h.mtime, "00000000000", 12);
  memset(h.checksum, ' ', sizeof h.checksum);
  memcpy(h.magic, "ustar", 6);
  memcpy(h.version, "00", 2);
  memcpy(block, &h, PACK_BLOCK);
  for (size_t i = 0; i < PACK_BLOCK; i++)
    sum += block[i];
  snprintf(h.checksum, sizeof h.checksum, "%06o", sum);
  memcpy(block, &h, PACK_BLOCK);
}

size_t pack_padding(uint64_t size) {
  return (size_t)(-size % PACK_BLOCK);
}

static const char *type_name(char type) {
  switch (type) {
  case '0':
  case 0:
    return "a file";
  case '1':
    return "a hard link";
  case '2':
    return "a symbolic link";
  case '3':
  case '4':
    return "a device";
  case '5':
    return "a directory";
  case '6':
    return "a FIFO";
  default:
    return "an extension of tar's";
  }
}

char *pack_header_check(const unsigned char block[PACK_BLOCK], const char *name, uint64_t *size) {
  unsigned char want[PACK_BLOCK];
  struct ustar h;
  memcpy(&h, block, sizeof h);
  bool octal =
      memchr(h.size, 0, sizeof h.size) == h.size + sizeof h.size - 1 && strspn(h.size, "01234567") == 11;
  *size = octal ? strtoull(h.size, NULL, 8) : 0;
  pack_header(want, name, *size);
  if (octal && memcmp(block, want, PACK_BLOCK) == 0)
    return NULL;
  if (memcmp(h.magic, "ustar", 5) != 0)
    return xasprintf("it ends or is damaged where the member %s is expected", name);
  if (h.type != '0' || strncmp(name, h.name, sizeof h.name) != 0)
    return xasprintf("'%.100s', %s, is where the file %s is expected", h.name, type_name(h.type), name);
  return xasprintf("the header of %s is not one that ckjit writes", name);
}
