/* elf.c - see elf.h.
 *
 * The file is not trusted and not assumed to be aligned. bytes_at() is the only way to get a
 * pointer into it, and checks the range. Structures are copied out with memcpy, because a member of
 * an archive may begin at any even address. Everything else is the arithmetic of the gABI,
 * including its extended numbering: e_shnum 0 and SHN_XINDEX refer to section 0 and to
 * SHT_SYMTAB_SHNDX.
 */
#include "elf.h"
#include "path.h"

#include <fcntl.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "structures are read as they lie in the file");

/* N bytes at OFFSET; NULL if they are not all in the buffer. */
static const unsigned char *bytes_at(const struct elf *e, uint64_t offset, uint64_t n) {
  return offset <= e->size && n <= e->size - offset ? e->data + offset : NULL;
}

/* The string at OFFSET of the string table S; "" if it is not terminated inside it. */
static const char *string_at(const struct elf_section *s, uint64_t offset) {
  if (!s->data || offset >= s->size || !memchr(s->data + offset, 0, s->size - offset))
    return "";
  return (const char *)s->data + offset;
}

bool elf_magic(const void *data, size_t size) {
  static const unsigned char want[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
  return size >= EI_NIDENT && memcmp(data, want, sizeof want) == 0;
}

static bool refuse(char **err, const char *why) {
  if (err)
    *err = xstrdup(why);
  return false;
}

static bool header_at(const struct elf *e, size_t index, Elf64_Shdr *out) {
  const unsigned char *p = bytes_at(e, e->table + index * sizeof *out, sizeof *out);
  if (p)
    memcpy(out, p, sizeof *out);
  return p != NULL;
}

bool elf_open(struct elf *e, const void *data, size_t size, char **err) {
  *e = (struct elf){.data = data, .size = size};
  Elf64_Ehdr h;
  if (!elf_magic(data, size))
    return refuse(err, "not an ELF64 little-endian file");
  if (size < sizeof h)
    return refuse(err, "truncated within the ELF header");
  memcpy(&h, data, sizeof h);
  e->type = h.e_type;
  e->machine = h.e_machine;
  if (h.e_shoff == 0)
    return true; /* no sections: unusual, but legal */
  if (h.e_shentsize != sizeof(Elf64_Shdr))
    return refuse(err, "section headers of a size that is not ELF64's");
  e->table = h.e_shoff;
  e->sections = h.e_shnum;
  e->names = h.e_shstrndx;
  Elf64_Shdr first;
  if (!bytes_at(e, e->table, sizeof first))
    return refuse(err, "truncated: the section table is after the end of the file");
  header_at(e, 0, &first);
  if (h.e_shnum == 0)
    e->sections = first.sh_size;
  if (h.e_shstrndx == SHN_XINDEX)
    e->names = first.sh_link;
  if (e->sections > (size - e->table) / sizeof first)
    return refuse(err, "truncated: the section table is after the end of the file");
  return true;
}

static bool section_unnamed(const struct elf *e, size_t index, struct elf_section *out,
                            uint32_t *name) {
  Elf64_Shdr h;
  if (index >= e->sections || !header_at(e, index, &h))
    return false;
  *name = h.sh_name;
  *out = (struct elf_section){.name = "",
                              .size = h.sh_size,
                              .flags = h.sh_flags,
                              .entsize = h.sh_entsize,
                              .address = h.sh_addr,
                              .type = h.sh_type,
                              .link = h.sh_link,
                              .info = h.sh_info};
  if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL)
    out->data = bytes_at(e, h.sh_offset, h.sh_size);
  return true;
}

bool elf_section(const struct elf *e, size_t index, struct elf_section *out) {
  struct elf_section names;
  uint32_t name, unused;
  if (!section_unnamed(e, index, out, &name))
    return false;
  if (e->names && section_unnamed(e, e->names, &names, &unused))
    out->name = string_at(&names, name);
  return true;
}

bool elf_find(const struct elf *e, const char *name, size_t *index, struct elf_section *out) {
  for (size_t i = *index; i < e->sections; i++) {
    if (elf_section(e, i, out) && strcmp(out->name, name) == 0) {
      *index = i;
      return true;
    }
  }
  return false;
}

char *elf_read_section(const char *file, const char *name, struct elf_section *out) {
  size_t len, at = 0;
  struct elf e;
  char *bytes = file_read(file, &len);
  if (!bytes)
    return NULL;
  if (elf_open(&e, bytes, len, NULL) && elf_find(&e, name, &at, out) && out->data)
    return bytes;
  free(bytes);
  errno = 0;
  return NULL;
}

bool elf_symtab(const struct elf *e, uint32_t type, struct elf_symtab *out) {
  *out = (struct elf_symtab){.elf = e};
  uint32_t unused;
  size_t found = 0;
  for (size_t i = 1; i < e->sections && !found; i++)
    if (section_unnamed(e, i, &out->table, &unused) && out->table.type == type)
      found = i;
  if (!found || !out->table.data || !section_unnamed(e, out->table.link, &out->strings, &unused))
    return false;
  out->count = out->table.size / sizeof(Elf64_Sym);
  for (size_t i = 1; i < e->sections; i++) {
    struct elf_section s;
    if (section_unnamed(e, i, &s, &unused) && s.type == SHT_SYMTAB_SHNDX && s.link == found)
      out->extended = s;
  }
  return true;
}

bool elf_symbol(const struct elf_symtab *t, size_t index, struct elf_symbol *out) {
  if (index >= t->count)
    return false;
  Elf64_Sym s;
  memcpy(&s, t->table.data + index * sizeof s, sizeof s);
  *out = (struct elf_symbol){.name = string_at(&t->strings, s.st_name),
                             .value = s.st_value,
                             .size = s.st_size,
                             .section = s.st_shndx,
                             .type = ELF64_ST_TYPE(s.st_info),
                             .bind = ELF64_ST_BIND(s.st_info),
                             .visibility = ELF64_ST_VISIBILITY(s.st_other),
                             .other = (uint8_t)(s.st_other & ~ELF64_ST_VISIBILITY(-1))};
  if (s.st_shndx == SHN_XINDEX && t->extended.data && index < t->extended.size / sizeof(uint32_t))
    memcpy(&out->section, t->extended.data + index * sizeof(uint32_t), sizeof(uint32_t));
  return true;
}

bool elf_file_is(const char *file, uint16_t type) {
  Elf64_Ehdr head;
  autoclose fd = open(file, O_RDONLY | O_CLOEXEC);
  return fd >= 0 && read(fd, &head, sizeof head) == sizeof head && elf_magic(&head, sizeof head) &&
         head.e_type == type;
}

void elf_symbols_open(struct elf_symbols *s, const char *file, uint32_t type) {
  size_t len;
  *s = (struct elf_symbols){.bytes = file_read(file, &len)};
  if (!s->bytes || !elf_open(&s->elf, s->bytes, len, NULL) || !elf_symtab(&s->elf, type, &s->table))
    s->table.count = 0;
}

bool elf_symbols_next(struct elf_symbols *s, struct elf_symbol *out) {
  while (s->next < s->table.count)
    if (elf_symbol(&s->table, s->next++, out))
      return true;
  return false;
}

void elf_symbols_close(struct elf_symbols *s) {
  free(s->bytes);
}
