/* entryarch.c - the GPUs that a file has code for.
 *
 * A build id has only a hash of the architectures. But the code itself shows them: HIP's section is
 * a bundle whose entries have them in their names (LLVM, clang/docs/ClangOffloadBundler.rst),
 * CUDA's a row of fat binaries whose entries begin with them. The latter's format is not
 * documented; it is read as nvcc 12 and 13 write it. An `a` at the end of an architecture is in the
 * code itself, and is not detected. */
#include "entries.h"
#include "core/device/bundle.h"
#include "prebuild/entryfile.h"
#include "abi/ck_jit_code.h"

#include <string.h>

struct bytes {
  const unsigned char *at;
  uint64_t n;
};

struct fat_header {
  uint32_t magic;
  uint16_t version, header;
  uint64_t size; /* of the entries after it */
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
    bool is =
        h.magic == magic && h.header >= sizeof h && h.header <= b.n && h.size <= b.n - h.header;
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
  struct entry_file f;
  struct elf_section s;
  struct bundle b;
  struct bundle_entry code;
  if (!entry_open(&f, file))
    return;
  bool hip = entry_section(&f, CKJIT_CODE_HIP, &s);
  if (hip && bundle_is_compressed(s.data, s.size))
    argv_add_once(archs, xstrdup("compressed"));
  if (hip && bundle_open(&b, s.data, s.size))
    while (bundle_next(&b, &code))
      if (code.arch_len)
        argv_add_once(archs, xstrndup(code.arch, code.arch_len));
  if (entry_section(&f, CKJIT_CODE_CUDA, &s))
    read_fat(archs, (struct bytes){s.data, s.size});
  entry_close(&f);
}
