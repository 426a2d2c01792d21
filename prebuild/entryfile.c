/* entryfile.c - see entryfile.h.
 *
 * HIP's section is a bundle whose entries have the architectures in their names (LLVM,
 * clang/docs/ClangOffloadBundler.rst). CUDA's is a row of fat binaries, whose images begin with
 * them. */
#include "entryfile.h"
#include "core/device/bundle.h"
#include "core/device/fatbinary.h"
#include "abi/ck_jit_code.h"
#include "abi/ck_jit_entry.h"
#include "abi/ck_jit_network.h"
#include "abi/ck_jit_seal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL = 128 * 1024 };

/* The SIZE bytes of FD: for a small file a copy, because mapping takes longer than reading, and on
 * a network file system, where the file can vanish under the mapping. */
static void *bytes_of(int fd, size_t size, bool *mapped) {
  *mapped = size > SMALL && !ckjit_on_network(fd);
  if (*mapped)
    return mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  void *data = xmalloc(size);
  if (ckjit_pread_all(fd, data, size, 0))
    return data;
  free(data);
  return MAP_FAILED;
}

bool entry_open(struct entry_file *f, const char *file) {
  struct stat st;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  f->size = fd >= 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
  f->data = f->size ? bytes_of(fd, f->size, &f->mapped) : MAP_FAILED;
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
  if (f->mapped)
    munmap(f->data, f->size);
  else
    free(f->data);
}

bool entry_section(const struct entry_file *f, const char *name, struct elf_section *s) {
  size_t at = 0;
  return elf_find(&f->elf, name, &at, s) && s->data;
}

/* ---- its code ---- */

/* the function that gets each piece */
struct listener {
  void (*each)(const struct entry_code *code, void *user);
  void *user;
};

static bool read_bundle(const struct listener *to, const void *bytes, size_t size) {
  struct bundle b;
  struct bundle_entry e;
  bool is = bundle_open(&b, bytes, size), all = is;
  while (is && bundle_next(&b, &e)) {
    struct entry_code code = {.bytes = e.data, .size = e.size};
    if (!e.arch_len || e.arch_len >= sizeof code.arch)
      continue;
    memcpy(code.arch, e.arch, e.arch_len);
    to->each(&code, to->user);
    all &= e.data != NULL;
  }
  return all && !b.left;
}

static bool read_hip(const struct listener *to, const struct elf_section *s) {
  if (!bundle_is_compressed(s->data, s->size))
    return read_bundle(to, s->data, s->size);
  size_t size;
  char *bytes = bundle_decompress(s->data, s->size, &size);
  bool all = bytes && read_bundle(to, bytes, size);
  free(bytes);
  if (!bytes)
    to->each(&(struct entry_code){.arch = "compressed"}, to->user);
  return all;
}

static bool read_image(const struct listener *to, const struct fatbinary_image *e,
                       const void *data) {
  enum { LZ4 = 0x2000, ZSTD = 0x8000 };
  struct entry_code code = {.bytes = data, .size = e->size};
  autofree char *bytes = NULL;
  if (e->flags & ZSTD)
    code.bytes = bytes = decompress_zstd(data, e->size, &code.size);
  else if (e->flags & LZ4) {
    code.bytes = bytes =
        e->compressed <= e->size ? decompress_lz4(data, e->compressed, e->decompressed) : NULL;
    code.size = e->decompressed;
  }
  snprintf(code.arch, sizeof code.arch, "%s_%u", e->kind == FATBINARY_PTX ? "compute" : "sm",
           e->arch);
  to->each(&code, to->user);
  return code.bytes;
}

static bool read_images(const struct listener *to, const unsigned char *at, uint64_t n) {
  bool all = true;
  for (struct fatbinary_image e; n >= sizeof e; at += e.head + e.size, n -= e.head + e.size) {
    memcpy(&e, at, sizeof e);
    if (e.head < sizeof e || e.head > n || e.size > n - e.head)
      return false;
    if ((e.kind == FATBINARY_PTX || e.kind == FATBINARY_CODE) && e.arch < 10000)
      all &= read_image(to, &e, at + e.head);
  }
  return all;
}

/* Fat binaries, each at a multiple of 8 bytes. */
static bool read_cuda(const struct listener *to, const struct elf_section *s) {
  bool all = true;
  const unsigned char *at = s->data;
  struct fatbinary_head h;
  for (uint64_t n = s->size, step; n >= sizeof h; at += step, n -= step) {
    memcpy(&h, at, sizeof h);
    bool is =
        h.magic == FATBINARY_MAGIC && h.head >= sizeof h && h.head <= n && h.size <= n - h.head;
    if (is)
      all &= read_images(to, at + h.head, h.size);
    step = is ? (h.head + h.size + 7) / 8 * 8 : 8;
    if (step > n)
      break;
  }
  return all;
}

bool entry_codes(const struct entry_file *f,
                 void (*each)(const struct entry_code *code, void *user), void *user) {
  const struct listener to = {each, user};
  struct elf_section s;
  bool all = !entry_section(f, CKJIT_CODE_HIP, &s) || !s.size || read_hip(&to, &s);
  return (!entry_section(f, CKJIT_CODE_CUDA, &s) || read_cuda(&to, &s)) && all;
}
