/* symbol.c - another name for what is exported.
 *
 * On the host it is a symbol of a relocatable object: a new string table with the name is appended
 * to the file, and the symbol is made to point there. All that refers to the symbol does so by its
 * index, relocations and section groups included, so nothing else changes.
 *
 * On the device a kernel's name is in many places: the function, its descriptor NAME.kd, the
 * metadata, and with newer compilers a dozen symbols for its resources. All of them come from one
 * name in LLVM's intermediate representation, so it is there that it is changed, in its text,
 * before code is generated. PTX is that for CUDA.
 */
#include "symbol.h"
#include "core/base/argv.h"
#include "core/base/elf.h"
#include "core/base/path.h"

/* ---- the host's object file ---- */

/* Whether a program can mean S: a strong function, and not one of those that HIP adds for each
 * kernel. */
static bool is_candidate(const struct elf_symbol *s) {
  return s->type == STT_FUNC && s->section != SHN_UNDEF && s->bind == STB_GLOBAL &&
         s->visibility == STV_DEFAULT && !strstr(s->name, "__device_stub__");
}

static char *not_one(const char *file, const struct argv *names) {
  struct buf b = {0};
  buf_printf(&b, "--symbol: %zu functions match; pass --symbol OLD=NAME with OLD one of", names->n);
  for (size_t i = 0; i < names->n; i++)
    buf_printf(&b, "\n  %s", names->args[i]);
  if (!names->n) {
    buf_free(&b);
    return xasprintf("--symbol: %s defines no function", path_base(file));
  }
  return b.data;
}

/* The index of OLD, or of the only candidate; 0: there is none. */
static size_t find_symbol(const struct elf_symtab *syms, const char *old, struct argv *candidates) {
  struct elf_symbol s;
  size_t found = 0;
  for (size_t i = 1; i < syms->count; i++) {
    if (!elf_symbol(syms, i, &s))
      continue;
    if (!old && is_candidate(&s)) {
      argv_add(candidates, s.name);
      found = i;
    }
    if (old && s.section != SHN_UNDEF && s.bind != STB_LOCAL && strcmp(s.name, old) == 0)
      found = i;
  }
  return found;
}

static bool has_symbol(const struct elf_symtab *syms, const char *name) {
  struct elf_symbol s;
  for (size_t i = 1; i < syms->count; i++)
    if (elf_symbol(syms, i, &s) && s.bind != STB_LOCAL && strcmp(s.name, name) == 0)
      return true;
  return false;
}

/* Make symbol INDEX of the object's bytes, SYMS, be called NAME. */
static void give_name(struct buf *object, const struct elf_symtab *syms, size_t index, const char *name) {
  const struct elf *e = syms->elf;
  uint64_t strings = syms->strings.size, header = e->table + syms->table.link * sizeof(Elf64_Shdr);
  size_t symbol = (size_t)(syms->table.data - e->data) + index * sizeof(Elf64_Sym), at = object->len;
  const char *old = (const char *)syms->strings.data - (const char *)e->data + object->data;
  autofree char *copy = xmalloc(strings);
  memcpy(copy, old, strings); /* the buffer may move */
  buf_add(object, copy, strings);
  buf_add(object, name, strlen(name) + 1);
  Elf64_Shdr h;
  Elf64_Sym s;
  memcpy(&h, object->data + header, sizeof h);
  h.sh_offset = at;
  h.sh_size = strings + strlen(name) + 1;
  memcpy(object->data + header, &h, sizeof h);
  memcpy(&s, object->data + symbol, sizeof s);
  s.st_name = (uint32_t)strings;
  memcpy(object->data + symbol, &s, sizeof s);
}

/* In BYTES of FILE: to OBJECT what FILE is to hold; nothing if it does not define OLD. */
static bool rename_in(struct buf *object, const char *file, const char *bytes, size_t size, const char *old,
                      const char *name, char **err) {
  struct elf e;
  struct elf_symtab syms;
  autofree_argv candidates = {0};
  if (!bytes || !elf_open(&e, bytes, size, NULL) || e.type != ET_REL || !elf_symtab(&e, SHT_SYMTAB, &syms) ||
      !syms.table.data || !syms.strings.data || syms.table.entsize != sizeof(Elf64_Sym))
    return err_fail(err, "%s: not an object file with symbols", file);
  size_t index = find_symbol(&syms, old, &candidates);
  bool good = old || candidates.n == 1;
  if (!good)
    *err = not_one(file, &candidates);
  if (good && index && has_symbol(&syms, name))
    return err_fail(err, "--symbol %s: the kernel's object has a symbol of that name already", name);
  if (good && index) {
    buf_add(object, bytes, size);
    give_name(object, &syms, index, name);
  }
  return good;
}

bool symbol_rename_object(const char *file, const char *old, const char *name, bool *found, char **err) {
  size_t size = 0;
  autofree char *bytes = file_read(file, &size);
  autofree_buf object = {0};
  bool done = rename_in(&object, file, bytes, size, old, name, err);
  *found = done && object.len;
  return done && (!*found || file_write(file, object.data, object.len, 0666) ||
                  err_fail(err, "cannot write %s: %s", file, strerror(errno)));
}

/* ---- LLVM's text ---- */

static bool is_name_char(char c) {
  return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-", c) && c;
}

/* Returns the next place after P where TEXT names the global or its comdat NAME: the place after
 * the sigil; NULL: none. */
static const char *find_name(const char *text, const char *p, const char *name) {
  size_t n = strlen(name);
  while ((p = strstr(p, name))) {
    char before = p > text ? p[-1] : 0, earlier = p > text + 1 ? p[-2] : '\n';
    if (!is_name_char(p[n]) && (before == '@' || (before == '$' && !is_name_char(earlier))))
      return p;
    p += n;
  }
  return NULL;
}

/* Returns TEXT with NAME in place of OLD; NEXT finds the next place at or after P. */
static char *replaced(const char *text, const char *old, const char *name,
                      const char *(*next)(const char *text, const char *p, const char *name)) {
  struct buf b = {0};
  const char *from = text;
  for (const char *at; (at = next(text, from, old)); from = at + strlen(old)) {
    buf_add(&b, from, (size_t)(at - from));
    buf_puts(&b, name);
  }
  buf_puts(&b, from);
  return b.data;
}

static char *not_found(void) {
  return xstrdup("it cannot be found in the compiler's text");
}

static char *is_taken(const char *name) {
  return xasprintf("--symbol %s: the kernel's code has a symbol of that name already", name);
}

char *symbol_rename_ir(const char *text, const char *old, const char *name, char **err) {
  if (!find_name(text, text, old))
    *err = not_found();
  else if (find_name(text, text, name))
    *err = is_taken(name);
  else
    return replaced(text, old, name, find_name);
  return NULL;
}

/* ---- PTX ---- */

static bool is_ptx_char(char c) {
  return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%", c) && c;
}

/* Returns the next place at or after P where TEXT has the identifier NAME; NULL: none. */
static const char *find_identifier(const char *text, const char *p, const char *name) {
  size_t n = strlen(name);
  for (; (p = strstr(p, name)); p += n)
    if (!is_ptx_char(p[n]) && (p == text || !is_ptx_char(p[-1])))
      return p;
  return NULL;
}

char *symbol_rename_ptx(const char *text, const char *old, const char *name, char **err) {
  if (strchr(name, '.'))
    *err = xasprintf("--symbol %s: PTX has no names with a dot in them", name);
  else if (find_identifier(text, text, name))
    *err = is_taken(name);
  else if (!find_identifier(text, text, old))
    *err = not_found();
  else
    return replaced(text, old, name, find_identifier);
  return NULL;
}
