#include "bundle.h"

/* "__CLANG_OFFLOAD_BUNDLE__", a number of entries, and each as offset, size, length of its id, id;
 * all numbers 64 bits, little endian. Source: LLVM, clang/docs/ClangOffloadBundler.rst. */
static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";

bool bundle_is_compressed(const void *bytes, size_t size) {
  return size >= 4 && memcmp(bytes, "CCOB", 4) == 0;
}

bool bundle_open(struct bundle *b, const void *bytes, size_t size) {
  *b =
      (struct bundle){.bytes = bytes, .size = size, .at = sizeof bundle_magic - 1 + sizeof b->left};
  if (size < b->at || memcmp(bytes, bundle_magic, sizeof bundle_magic - 1) != 0)
    return false;
  memcpy(&b->left, b->bytes + sizeof bundle_magic - 1, sizeof b->left);
  return true;
}

bool bundle_next(struct bundle *b, struct bundle_entry *e) {
  uint64_t head[3]; /* offset, size, length of the id */
  if (!b->left || b->size - b->at < sizeof head)
    return false;
  memcpy(head, b->bytes + b->at, sizeof head);
  if (head[2] > b->size - b->at - sizeof head)
    return false;
  bool inside = head[0] <= b->size && head[1] <= b->size - head[0];
  *e = (struct bundle_entry){.id = b->bytes + b->at + sizeof head,
                             .id_len = head[2],
                             .data = inside ? b->bytes + head[0] : NULL,
                             .size = inside ? head[1] : 0};
  /* An id such as "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-". */
  bool hip = e->id_len > 3 && memcmp(e->id, "hip", 3) == 0;
  const char *dashes = hip ? memmem(e->id, e->id_len, "--", 2) : NULL;
  e->arch = dashes ? dashes + 2 : e->id + e->id_len;
  e->arch_len = (size_t)(e->id + e->id_len - e->arch);
  b->at += sizeof head + e->id_len;
  b->left--;
  return true;
}

/* ---- writing ---- */

enum { CODE_ALIGN = 4096 };

static size_t aligned(size_t n) {
  return (n + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
}

static void put_number(struct buf *out, uint64_t n) {
  buf_add(out, &n, sizeof n);
}

static void put_entry(struct buf *out, uint64_t offset, uint64_t bytes, const char *id,
                      const char *arch) {
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
