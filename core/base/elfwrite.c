#include "elfwrite.h"

#define NAMES ".shstrtab"

enum { TABLE_ALIGN = 8 };

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static void pad(struct buf *out, size_t align) {
  size_t n = (size_t)-out->len % align;
  memset(buf_room(out, n), 0, n);
  out->len += n;
}

/* an upper bound, so that OUT grows once */
static size_t most(const struct elf_part *parts, size_t n, size_t align) {
  size_t bytes =
      sizeof(Elf64_Ehdr) + (n + 1) * sizeof(Elf64_Shdr) + sizeof NAMES + larger(align, TABLE_ALIGN);
  for (size_t i = 1; i < n; i++)
    bytes += (parts[i].data ? parts[i].header.sh_size : 0) +
             larger(align, parts[i].header.sh_addralign) + strlen(parts[i].name) + 1;
  return bytes;
}

static void put_part(struct buf *out, Elf64_Shdr *header, const void *data, size_t align) {
  pad(out, larger(align, header->sh_addralign));
  header->sh_offset = out->len;
  if (data)
    buf_add(out, data, header->sh_size);
}

void elf_write(struct buf *out, uint16_t machine, const struct elf_part *parts, size_t n,
               size_t align) {
  Elf64_Shdr headers[n + 1];
  autofree_buf names = {0};
  Elf64_Ehdr h = {
      .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
                  ELFOSABI_NONE},
      .e_type = ET_REL,
      .e_machine = machine,
      .e_version = EV_CURRENT,
      .e_ehsize = sizeof h,
      .e_shentsize = sizeof *headers,
      .e_shnum = (uint16_t)(n + 1),
      .e_shstrndx = (uint16_t)n,
  };
  buf_room(out, most(parts, n, align));
  buf_add(out, &h, sizeof h);
  headers[0] = (Elf64_Shdr){0};
  buf_putc(&names, 0);
  for (size_t i = 1; i < n; i++) {
    headers[i] = parts[i].header;
    headers[i].sh_name = (uint32_t)names.len;
    buf_add(&names, parts[i].name, strlen(parts[i].name) + 1);
    put_part(out, &headers[i], parts[i].data, align);
  }
  headers[n] =
      (Elf64_Shdr){.sh_name = (uint32_t)names.len, .sh_type = SHT_STRTAB, .sh_addralign = 1};
  buf_add(&names, NAMES, sizeof NAMES);
  headers[n].sh_size = names.len;
  put_part(out, &headers[n], names.data, align);
  pad(out, larger(align, TABLE_ALIGN));
  h.e_shoff = out->len;
  memcpy(out->data, &h, sizeof h);
  buf_add(out, headers, sizeof headers);
}

void elf_write_last(struct buf *out, uint16_t machine, struct elf_part *parts, size_t n,
                    const struct elf_last *last, size_t align) {
  struct elf_part *p = parts + n;
  p[ELF_NOTE] =
      (struct elf_part){".note.GNU-stack", NULL, {.sh_type = SHT_PROGBITS, .sh_addralign = 1}};
  p[ELF_SYMTAB] = (struct elf_part){".symtab",
                                    last->symbols,
                                    {.sh_type = SHT_SYMTAB,
                                     .sh_size = last->symbols_size,
                                     .sh_link = (uint32_t)n + ELF_STRTAB,
                                     .sh_info = last->locals,
                                     .sh_addralign = 8,
                                     .sh_entsize = sizeof(Elf64_Sym)}};
  p[ELF_STRTAB] =
      (struct elf_part){".strtab",
                        last->names,
                        {.sh_type = SHT_STRTAB, .sh_size = last->names_size, .sh_addralign = 1}};
  p[ELF_PROPERTY] = (struct elf_part){".note.gnu.property",
                                      last->property,
                                      {.sh_type = SHT_NOTE,
                                       .sh_flags = SHF_ALLOC,
                                       .sh_size = last->property_size,
                                       .sh_addralign = 8}};
  elf_write(out, machine, parts, n + (last->property_size ? ELF_LAST : ELF_PROPERTY), align);
}
