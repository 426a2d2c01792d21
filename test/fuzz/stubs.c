/* stubs.c - inputs of a link: stub objects, archives, thin archives; and the ELF reader on any object.
 *
 * Files are mapped when they are searched, and behind the end of a mapping a page is readable: here the
 * mapping is memory of the exact size (mmap and munmap are wrapped by the linker, Makefile).
 */
#include "fuzz.h"

#include "core/base/elf.h"
#include "core/files/record.h"
#include "core/files/stubobj.h"

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *addr, size_t len);

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset) {
  (void)addr;
  (void)prot;
  (void)flags;
  void *bytes = xmalloc(len);
  CHECK(pread(fd, bytes, len, offset) == (ssize_t)len);
  return bytes;
}

int __wrap_munmap(void *addr, size_t len) {
  (void)len;
  free(addr);
  return 0;
}

static volatile size_t seen; /* so that each byte handed out is read */

static bool note_line(const char *line, size_t len, const char *member, void *user) {
  struct record r;
  char *err = NULL;
  seen += member ? strlen(member) : 0;
  ++*(size_t *)user;
  if (record_parse(line, len, &r, &err))
    record_free(&r);
  free(err);
  return true;
}

static void read_sections(const struct elf *e) {
  struct elf_section s;
  size_t n = 0;
  for (; elf_section(e, n, &s); n++) {
    seen += strlen(s.name);
    if (s.data && s.size)
      seen += s.data[0] + s.data[s.size - 1];
  }
  CHECK(n == e->sections);
}

static void read_symbols(const struct elf *e, uint32_t type) {
  struct elf_symtab t;
  struct elf_symbol s;
  size_t n = 0;
  if (!elf_symtab(e, type, &t))
    return;
  for (; elf_symbol(&t, n, &s); n++)
    seen += strlen(s.name);
  CHECK(n == t.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *file = fuzz_file(data, size);
  size_t found = 0;
  char *err = NULL;
  CHECK(stub_records_file(file, note_line, &found, &err) == !err);
  CHECK(stub_in_file(file) == (found > 0));
  free(err);
  struct elf e;
  if (elf_open(&e, data, size, NULL)) {
    read_sections(&e);
    read_symbols(&e, SHT_SYMTAB);
    read_symbols(&e, SHT_DYNSYM);
  }
  return 0;
}
