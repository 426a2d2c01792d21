/* elfwrite.c - an object that was written is read back as it was meant. */
// tier: check
#include "core/base/elf.h"
#include "core/base/elfwrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "elfwrite: %s\n", what);
    bad = 1;
  }
}

static void check_object(size_t align) {
  const struct elf_part parts[] = {
      {0},
      {".one", "12345", {.sh_type = SHT_PROGBITS, .sh_size = 5, .sh_addralign = 1}},
      {".bss", NULL, {.sh_type = SHT_NOBITS, .sh_size = 4096, .sh_addralign = 16, .sh_flags = SHF_ALLOC}},
      {".empty", NULL, {.sh_type = SHT_PROGBITS, .sh_addralign = 1}},
      {".two", "x", {.sh_type = SHT_NOTE, .sh_size = 1, .sh_addralign = 4, .sh_link = 1, .sh_info = 2}},
  };
  struct buf out = {0};
  elf_write(&out, EM_AARCH64, parts, sizeof parts / sizeof *parts, align);
  char *exact = xmalloc(out.len), *err = NULL; /* a read behind its end is seen */
  memcpy(exact, out.data, out.len);
  struct elf e;
  check(elf_open(&e, exact, out.len, &err) && e.type == ET_REL && e.machine == EM_AARCH64, "the header");
  check(e.sections == 6 && e.table % (align > 8 ? align : 8) == 0, "the table of sections");
  static const char *const names[] = {"", ".one", ".bss", ".empty", ".two", ".shstrtab"};
  struct elf_section s;
  for (size_t i = 0; i < e.sections; i++) {
    check(elf_section(&e, i, &s) && strcmp(s.name, names[i]) == 0, names[i]);
    check(!i || !s.data || (size_t)((const char *)s.data - exact) % align == 0, "where a section begins");
  }
  check(elf_section(&e, 1, &s) && s.size == 5 && memcmp(s.data, "12345", 5) == 0, "bytes");
  check(elf_section(&e, 2, &s) && s.size == 4096 && !s.data && s.flags == SHF_ALLOC, "no bytes");
  check(elf_section(&e, 4, &s) && s.type == SHT_NOTE && s.link == 1 && s.info == 2 && *s.data == 'x' &&
            (size_t)((const char *)s.data - exact) % 4 == 0,
        "what the caller has said");
  free(exact);
  free(err);
  buf_free(&out);
}

int main(void) {
  check_object(1);
  check_object(16);
  check_object(64);
  return bad;
}
