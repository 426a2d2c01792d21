/* entryarch.c - the GPUs that a file has code for.
 *
 * A build id has only a hash of the architectures. But the code itself shows them: HIP's section is
 * a bundle whose entries have them in their names (LLVM, clang/docs/ClangOffloadBundler.rst),
 * CUDA's a row of fat binaries whose images begin with them. An `a` at the end of an architecture
 * is in the code itself, and is not detected. */
#include "entries.h"
#include "core/device/bundle.h"
#include "core/device/fatbinary.h"
#include "prebuild/entryfile.h"
#include "abi/ck_jit_code.h"

#include <string.h>

struct bytes {
  const unsigned char *at;
  uint64_t n;
};

static void read_fat_entries(struct argv *archs, struct bytes b) {
  struct fatbinary_image e;
  while (b.n >= sizeof e) {
    memcpy(&e, b.at, sizeof e);
    if (e.head < sizeof e || e.head > b.n || e.size > b.n - e.head)
      return;
    if ((e.kind == FATBINARY_PTX || e.kind == FATBINARY_CODE) && e.arch < 10000)
      argv_add_once(archs, xasprintf("%s_%u", e.kind == FATBINARY_PTX ? "compute" : "sm", e.arch));
    b.at += e.head + e.size;
    b.n -= e.head + e.size;
  }
}

/* Fat binaries, each at a multiple of 8 bytes. */
static void read_fat(struct argv *archs, struct bytes b) {
  struct fatbinary_head h;
  while (b.n >= sizeof h) {
    memcpy(&h, b.at, sizeof h);
    bool is =
        h.magic == FATBINARY_MAGIC && h.head >= sizeof h && h.head <= b.n && h.size <= b.n - h.head;
    if (is)
      read_fat_entries(archs, (struct bytes){b.at + h.head, h.size});
    uint64_t step = is ? (h.head + h.size + 7) / 8 * 8 : 8;
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
