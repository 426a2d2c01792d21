/* entryfile.c - see entryfile.h. */
#include "entryfile.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool entry_open(struct entry_file *f, const char *file) {
  struct stat st;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  f->size = fd >= 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
  f->data = f->size ? mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (f->data == MAP_FAILED)
    return false;
  if (elf_open(&f->elf, f->data, f->size, NULL))
    return true;
  entry_close(f);
  return false;
}

void entry_close(struct entry_file *f) {
  munmap(f->data, f->size);
}

bool entry_section(const struct entry_file *f, const char *name, struct elf_section *s) {
  size_t at = 0;
  return elf_find(&f->elf, name, &at, s) && s->data;
}

static bool begins(const struct elf_section *s, const char *magic) {
  return s->size >= strlen(magic) && memcmp(s->data, magic, strlen(magic)) == 0;
}

bool entry_bundle_is_compressed(const struct elf_section *section) {
  return begins(section, "CCOB");
}

bool entry_bundle(const struct elf_section *section, void (*each)(void *data, const struct entry_code *code),
                  void *data) {
  static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  const uint64_t n = section->size;
  uint64_t at = sizeof magic - 1, entries, head[3]; /* offset, size, length of the name */
  if (!begins(section, magic) || n - at < sizeof entries)
    return false;
  memcpy(&entries, section->data + at, sizeof entries);
  at += sizeof entries;
  bool whole = true;
  for (; entries; entries--) {
    if (n - at < sizeof head)
      return false;
    memcpy(head, section->data + at, sizeof head);
    at += sizeof head;
    if (head[2] > n - at)
      return false;
    bool inside = head[0] <= n && head[1] <= n - head[0];
    whole &= inside;
    each(data, &(struct entry_code){.target = (const char *)section->data + at,
                                    .target_len = head[2],
                                    .data = inside ? section->data + head[0] : NULL,
                                    .size = inside ? head[1] : 0});
    at += head[2];
  }
  return whole;
}
