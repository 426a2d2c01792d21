#include "bundle.h"
#include "core/files/export.h"

#include <stdint.h>
#include <string.h>

/* "__CLANG_OFFLOAD_BUNDLE__", a number of entries, and each as offset, size, length of its id, id; all
 * numbers 64 bits, little endian. Source: LLVM, clang/docs/ClangOffloadBundler.rst. */
static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";

static bool is_plain(const char *bytes, size_t size) {
  return size >= sizeof bundle_magic - 1 && memcmp(bytes, bundle_magic, sizeof bundle_magic - 1) == 0;
}

bool bundle_is_compressed(const char *bytes, size_t size) {
  return size >= 4 && memcmp(bytes, "CCOB", 4) == 0;
}

struct bundle_reader {
  const char *bytes;
  size_t size, at;
};

static bool take_number(struct bundle_reader *r, uint64_t *n) {
  if (r->size - r->at < sizeof *n)
    return false;
  memcpy(n, r->bytes + r->at, sizeof *n);
  r->at += sizeof *n;
  return true;
}

/* the architecture in an entry's id such as "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-" */
static bool id_is_for(const char *id, size_t n, const char *arch, size_t m) {
  const char *at = n > 3 && memcmp(id, "hip", 3) == 0 ? memmem(id, n, "-gfx", 4) : NULL;
  return at && export_same_arch(at + 1, n - (size_t)(at + 1 - id), arch, m);
}

const char *bundle_find(const char *bytes, size_t size, const char *arch, size_t n, size_t *length) {
  struct bundle_reader r = {bytes, size, sizeof bundle_magic - 1};
  uint64_t entries, offset, bytes_of_it, id;
  if (!is_plain(bytes, size) || !take_number(&r, &entries))
    return NULL;
  for (uint64_t i = 0; i < entries; i++) {
    if (!take_number(&r, &offset) || !take_number(&r, &bytes_of_it) || !take_number(&r, &id) ||
        id > size - r.at || offset > size || bytes_of_it > size - offset)
      return NULL;
    if (id_is_for(bytes + r.at, id, arch, n)) {
      *length = bytes_of_it;
      return bytes + offset;
    }
    r.at += id;
  }
  return NULL;
}

/* ---- writing ---- */

enum { CODE_ALIGN = 4096 };

static size_t aligned(size_t n) {
  return (n + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
}

static void put_number(struct buf *out, uint64_t n) {
  buf_add(out, &n, sizeof n);
}

static void put_entry(struct buf *out, uint64_t offset, uint64_t bytes, const char *id, const char *arch) {
  put_number(out, offset);
  put_number(out, bytes);
  put_number(out, strlen(id) + strlen(arch));
  buf_puts(out, id);
  buf_puts(out, arch);
}

void bundle_write(struct buf *out, const struct bundle_part *parts, size_t n) {
  static const char host[] = "host-x86_64-unknown-linux", device[] = "hipv4-amdgcn-amd-amdhsa--";
  static const char zeros[CODE_ALIGN];
  size_t begin = out->len,
         head = sizeof bundle_magic - 1 + sizeof(uint64_t) + 3 * sizeof(uint64_t) + sizeof host - 1;
  for (size_t i = 0; i < n; i++)
    head += 3 * sizeof(uint64_t) + sizeof device - 1 + strlen(parts[i].arch);
  size_t at = aligned(head);
  buf_puts(out, bundle_magic);
  put_number(out, n + 1);
  put_entry(out, at, 0, host, "");
  for (size_t i = 0; i < n; i++) {
    put_entry(out, at, parts[i].len, device, parts[i].arch);
    at = aligned(at + parts[i].len);
  }
  for (size_t i = 0; i < n; i++) {
    buf_add(out, zeros, aligned(out->len - begin) - (out->len - begin));
    buf_add(out, parts[i].bytes, parts[i].len);
  }
}
