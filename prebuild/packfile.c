/* packfile.c - the format of a pack. */
#include "packfile.h"
#include "core/base/lines.h"
#include "core/base/vec.h"
#include "core/cache/artefact.h"
#include "core/cache/key.h"
#include "core/files/exportformat.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_machine.h"
#include "abi/ck_jit_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ckjit-pack 4"

/* The machine of the code in the entries: that of the programs where the pack was made. */
#define HOST CKJIT_OWN.name

/* ---- build ids ---- */

bool pack_build_id(uint8_t id[CKJIT_BUILD_ID_SIZE], const uint8_t key[CKJIT_KEY_SIZE],
                   const char *archs, enum ckjit_kind kind, const char *stem) {
  struct artefact_name name;
  artefact_stem_read(&name, stem);
  bool of_symbol = kind != CKJIT_KIND_BLOB && kind != CKJIT_KIND_BLOB_HOST;
  ckjit_artefact_id(id, kind, key, archs);
  if (of_symbol && name.has_symbol)
    ckjit_symbol_id(id, name.symbol);
  return !of_symbol || name.has_symbol;
}

void pack_add(struct pack *p, const char *path, const char *stem, const char *archs,
              enum ckjit_kind kind, const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct pack_entry *e = vec_add(p->entries, p->n);
  *e = (struct pack_entry){
      .stem = xstrdup(stem), .archs = xstrdup(archs), .kind = kind, .path = xstrdup(path)};
  memcpy(e->id, id, sizeof e->id);
}

/* ---- the index ---- */

static void put_end(struct buf *out, size_t n) {
  char hex[DIGEST_HEX];
  digest_bytes(hex, out->data, out->len);
  buf_printf(out, "end %zu\t%s\n", n, hex);
}

static void put_entry(struct buf *out, const struct pack_entry *e) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, e->id);
  buf_printf(out, "entry %s\t%s\t%016llx\t%llu\t", hex, artefact_word(e->kind),
             (unsigned long long)e->hash, (unsigned long long)e->size);
  lines_escape(out, e->archs);
  buf_putc(out, '\t');
  lines_escape(out, e->stem);
  buf_putc(out, '\n');
}

void pack_index_write(struct buf *out, const struct pack *p) {
  buf_puts(out, HEAD "\n");
  lines_put(out, "host", HOST, NULL);
  lines_put(out, "ckjit", CKJIT_VERSION, NULL);
  lines_put(out, "kind", p->kind, NULL);
  lines_put(out, "compiler", p->compiler, NULL);
  for (size_t i = 0; i < p->n; i++)
    put_entry(out, &p->entries[i]);
  put_end(out, p->n);
}

/* Whether ARCHS are architectures separated by ';', as in a build id. */
static bool are_archs(const char *archs) {
  const char *at = archs, *word;
  char joined[CKJIT_ARCHS_SIZE] = "";
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    if (!export_arch_is_sound(word, n) || !ckjit_arch_add(joined, word, n))
      return false;
  return *joined && strcmp(joined, archs) == 0;
}

/* Returns the error in E, as far as its file is not needed; NULL: none. Static. */
static const char *entry_wrong(const struct pack_entry *e) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!*e->stem || e->stem[0] == '.' || strchr(e->stem, '/') || strlen(e->stem) > NAME_MAX - 3)
    return "its name is not that of an entry";
  if (!are_archs(e->archs))
    return "its architectures are not valid";
  if (e->size <= sizeof(struct ckjit_seal) || e->size >> 33)
    return "its size is not that of an entry";
  if (!pack_build_id(id, e->id, e->archs, e->kind, e->stem) || memcmp(id, e->id, sizeof id) != 0)
    return "its build id is not that of its architectures";
  return NULL;
}

/* Set E from the fields F of its line. False: they do not have that form. */
static bool take_entry(struct pack_entry *e, char *const *f) {
  e->kind = CKJIT_KIND_BLOB;
  while (e->kind < CKJIT_KINDS && strcmp(artefact_word(e->kind), f[2]) != 0)
    e->kind++;
  e->hash = strtoull(f[3], NULL, 16);
  e->archs = xstrdup(f[5]);
  e->stem = xstrdup(f[6]);
  return e->kind < CKJIT_KINDS && ckjit_build_id_parse(e->id, f[1]) &&
         ckjit_number(f[4], strlen(f[4]), &e->size);
}

/* Is the line L, of N bytes at TEXT, exactly as a writer would write it? Each content has one
 * spelling. E: the entry of the line. */
static bool is_written_so(const struct lines *l, const struct pack_entry *e, const char *text,
                          size_t n) {
  struct buf again = {0};
  if (e)
    put_entry(&again, e);
  else
    lines_put_all(&again, l->field[0], &(struct argv){l->field + 1, l->n - 1});
  bool same = again.len == n && memcmp(again.data, text, n) == 0;
  buf_free(&again);
  return same;
}

static int by_name(const void *a, const void *b) {
  const struct pack_entry *const *x = a, *const *y = b;
  int order = strcmp((*x)->stem, (*y)->stem);
  return order ? order : memcmp((*x)->id, (*y)->id, sizeof(*x)->id);
}

/* An entry that P has twice, or NULL. */
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

/* The last line, at AT of TEXT: it ends P. */
static bool is_end(const char *text, size_t at, size_t n, const struct pack *p) {
  struct buf want = {0};
  buf_add(&want, text, at);
  put_end(&want, p->n);
  bool same = want.len == n && memcmp(want.data, text, n) == 0;
  buf_free(&want);
  return same;
}

/* Read the line L, of N bytes at TEXT. *ERR: it is not valid. */
static void take_line(struct pack *p, const struct lines *l, const char *text, size_t n,
                      char **err) {
  bool good = true;
  if (l->number > 5 && lines_is(l, "entry", 6)) {
    struct pack_entry *e = vec_add(p->entries, p->n);
    const char *wrong = take_entry(e, l->field) && is_written_so(l, e, text, n)
                            ? entry_wrong(e)
                            : "it has another form";
    if (wrong)
      *err = xasprintf("entry %zu, '%.*s': %s", p->n, (int)(n < 300 ? n - 1 : 300), text, wrong);
    return;
  }
  if (l->number == 2 && lines_is(l, "host", 1)) {
    if (strcmp(l->field[1], HOST) != 0)
      *err = xasprintf("it is of another machine: 'host %.60s', expected 'host %s'", l->field[1],
                       HOST);
  } else if (l->number == 4 && lines_is(l, "kind", 1)) {
    p->kind = xstrdup(l->field[1]);
  } else if (l->number == 5 && lines_is(l, "compiler", 1)) {
    p->compiler = xstrdup(l->field[1]);
  } else {
    good = l->number == 3 && lines_is(l, "ckjit", 1);
  }
  if (!*err && (!good || !is_written_so(l, NULL, text, n)))
    *err = xasprintf("line %u of its index has another form: '%.*s'", l->number,
                     (int)(n < 300 ? n - 1 : 300), text);
}

bool pack_index_read(struct pack *p, const char *text, size_t n, char **err) {
  const struct pack_entry *twice;
  struct lines l;
  size_t at = 0; /* of the last line */
  *p = (struct pack){0};
  *err = NULL;
  if (!lines_open_text(&l, "", text, n, HEAD))
    *err = xasprintf("its first line is '%.*s', expected '" HEAD
                     "'; another version of ckjit made it, or it is "
                     "not a pack",
                     (int)strcspn(text, "\n") < 60 ? (int)strcspn(text, "\n") : 60, text);
  while (!*err && lines_next(&l)) {
    at = (size_t)(l.field[0] - l.text);
    if (lines_is(&l, "end", 2))
      break;
    take_line(p, &l, text + at, (size_t)(l.at - l.field[0]), err);
  }
  lines_close(&l);
  if (*err)
    return false;
  if (!is_end(text, at, n, p) || !p->compiler)
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
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100],
      magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], unused[12];
};
_Static_assert(sizeof(struct ustar) == PACK_BLOCK, "a header is a block");

void pack_member_name(char name[PACK_MEMBER_NAME], const struct pack *p, size_t i) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, p->entries[i].id);
  snprintf(name, PACK_MEMBER_NAME, "%zu.%s.so", i + 1, hex);
}

/* A name that is too long for one field is split at a '/' between two. */
static void put_name(struct ustar *h, const char *name) {
  const char *rest = name, *slash = name;
  while (strlen(rest) >= sizeof h->name && (slash = strchr(slash, '/')) &&
         (size_t)(slash - name) < sizeof h->prefix)
    rest = ++slash;
  if (rest > name)
    memcpy(h->prefix, name, (size_t)(rest - name) - 1);
  snprintf(h->name, sizeof h->name, "%s", rest);
}

/* It contains nothing about the machine that made it: the same entries give the same pack. */
void pack_header(unsigned char block[PACK_BLOCK], const char *name, uint64_t size) {
  struct ustar h = {.type = '0'};
  unsigned sum = 0;
  put_name(&h, name);
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
  bool octal = memchr(h.size, 0, sizeof h.size) == h.size + sizeof h.size - 1 &&
               strspn(h.size, "01234567") == 11;
  *size = octal ? strtoull(h.size, NULL, 8) : 0;
  pack_header(want, name, *size);
  if (octal && memcmp(block, want, PACK_BLOCK) == 0)
    return NULL;
  if (memcmp(h.magic, "ustar", 5) != 0)
    return xasprintf("it ends or is damaged where the member %s is expected", name);
  if (h.type != '0' || strncmp(name, h.name, sizeof h.name) != 0)
    return xasprintf("'%.100s', %s, is where the file %s is expected", h.name, type_name(h.type),
                     name);
  return xasprintf("the header of %s is not one that ckjit writes", name);
}
