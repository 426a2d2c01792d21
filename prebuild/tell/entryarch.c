/* entryarch.c - for which GPUs a file has code.
 *
 * A build id has only a hash of the architectures. But the code says them itself: HIP's section is a bundle whose entries have
 * them in their names (LLVM, clang/docs/ClangOffloadBundler.rst), CUDA's a row of fat binaries whose entries begin with
 * them. The latter's form is not documented; it is read as nvcc 12 and 13 write it. An `a` behind an architecture is in
 * the code itself, and not seen. */
#include "entries.h"
#include "core/base/elf.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct bytes {
  const unsigned char *at;
  uint64_t n;
};

static bool take(struct bytes *b, void *to, size_t n) {
  if (b->n < n)
    return false;
  memcpy(to, b->at, n);
  b->at += n;
  b->n -= n;
  return true;
}

/* "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-": behind the two dashes; the host's has none. */
static void add_bundled(struct argv *archs, const char *id, size_t n) {
  const char *dashes = memmem(id, n, "--", 2);
  size_t m = dashes ? n - (size_t)(dashes + 2 - id) : 0;
  if (m && n > 3 && memcmp(id, "hip", 3) == 0)
    argv_add_once(archs, xstrndup(dashes + 2, m));
}

static void read_bundle(struct argv *archs, struct bytes b) {
  static const char plain[] = "__CLANG_OFFLOAD_BUNDLE__", packed[] = "CCOB";
  uint64_t entries, where[2], n;
  if (b.n >= sizeof packed - 1 && memcmp(b.at, packed, sizeof packed - 1) == 0)
    argv_add_once(archs, xstrdup("compressed"));
  if (b.n < sizeof plain - 1 || memcmp(b.at, plain, sizeof plain - 1) != 0)
    return;
  b.at += sizeof plain - 1;
  b.n -= sizeof plain - 1;
  if (!take(&b, &entries, sizeof entries))
    return;
  for (; entries && take(&b, where, sizeof where) && take(&b, &n, sizeof n) && n <= b.n; entries--) {
    add_bundled(archs, (const char *)b.at, (size_t)n);
    b.at += n;
    b.n -= n;
  }
}

struct fat_header {
  uint32_t magic;
  uint16_t version, header;
  uint64_t size; /* of the entries behind it */
};

struct fat_entry {
  uint16_t kind, version; /* 1: PTX, 2: code */
  uint32_t header;
  uint64_t size;
  uint32_t unknown[3], arch;
};

static void read_fat_entries(struct argv *archs, struct bytes b) {
  enum { PTX = 1, CODE = 2 };
  struct fat_entry e;
  while (b.n >= sizeof e) {
    memcpy(&e, b.at, sizeof e);
    if (e.header < sizeof e || e.header > b.n || e.size > b.n - e.header)
      return;
    if ((e.kind == PTX || e.kind == CODE) && e.arch < 10000)
      argv_add_once(archs, xasprintf("%s_%u", e.kind == PTX ? "compute" : "sm", e.arch));
    b.at += e.header + e.size;
    b.n -= e.header + e.size;
  }
}

/* Fat binaries, each at a multiple of 8 bytes. */
static void read_fat(struct argv *archs, struct bytes b) {
  const uint32_t magic = 0xba55ed50;
  struct fat_header h;
  while (b.n >= sizeof h) {
    memcpy(&h, b.at, sizeof h);
    bool is = h.magic == magic && h.header >= sizeof h && h.header <= b.n && h.size <= b.n - h.header;
    if (is)
      read_fat_entries(archs, (struct bytes){b.at + h.header, h.size});
    uint64_t step = is ? (h.header + h.size + 7) / 8 * 8 : 8;
    if (step > b.n)
      return;
    b.at += step;
    b.n -= step;
  }
}

void entry_archs(struct argv *archs, const char *file) {
  int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat st;
  size_t size =
      fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
  void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (data == MAP_FAILED)
    return;
  struct elf e;
  struct elf_section s;
  size_t hip = 0, cuda = 0;
  if (elf_open(&e, data, size, NULL)) {
    if (elf_find(&e, ".hip_fatbin", &hip, &s) && s.data)
      read_bundle(archs, (struct bytes){s.data, s.size});
    if (elf_find(&e, ".nv_fatbin", &cuda, &s) && s.data)
      read_fat(archs, (struct bytes){s.data, s.size});
  }
  munmap(data, size);
}
