/* ck_jit_seal.h - the seal after a file of the cache.
 *
 * 24 bytes follow the file's own content: a magic, the length of that content and its XXH64. The
 * dynamic linker does not look there. A copy that lost blocks, a disk that lost bits and a file
 * that a crash filled with zeros all have the right length; the seal detects them. It protects
 * against accidents; owner and mode protect against attackers (ck_jit_entry.h). libc only, no
 * allocation, no state, thread-safe.
 */
#ifndef CK_JIT_SEAL_H
#define CK_JIT_SEAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Read N bytes of FD at OFFSET. False if there are fewer, with the read's errno. */
static inline bool ckjit_pread_all(int fd, void *to, size_t n, uint64_t offset) {
  char *p = (char *)to;
  while (n) {
    ssize_t r = pread(fd, p, n, (off_t)offset);
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      return false;
    p += r;
    offset += (uint64_t)r;
    n -= (size_t)r;
  }
  return true;
}

#define CKJIT_SEAL_MAGIC "ckjitEN1"
struct ckjit_seal {
  char magic[8];
  uint64_t size, hash; /* little endian, as all of the file */
};

static inline uint64_t ckjit_rotate(uint64_t x, int n) {
  return x << n | x >> (64 - n);
}

static inline uint64_t ckjit_word64(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline uint64_t ckjit_xxh_round(uint64_t lane, uint64_t word) {
  return ckjit_rotate(lane + word * 0xc2b2ae3d27d4eb4fu, 31) * 0x9e3779b185ebca87u;
}

/* Mix the last N bytes, fewer than 32, into H. */
static inline uint64_t ckjit_xxh_end(uint64_t h, const unsigned char *p, size_t n) {
  const uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p3 = 0x165667b19e3779f9u,
                 p4 = 0x85ebca77c2b2ae63u, p5 = 0x27d4eb2f165667c5u;
  for (; n >= 8; p += 8, n -= 8)
    h = ckjit_rotate(h ^ ckjit_xxh_round(0, ckjit_word64(p)), 27) * p1 + p4;
  if (n >= 4) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    h = ckjit_rotate(h ^ word * p1, 23) * p2 + p3;
    p += 4;
    n -= 4;
  }
  for (; n; p++, n--)
    h = ckjit_rotate(h ^ *p * p5, 11) * p1;
  h = (h ^ h >> 33) * p2;
  h = (h ^ h >> 29) * p3;
  return h ^ h >> 32;
}

/* The XXH64 (seed 0) of the first SIZE bytes of FD. False if they cannot be read. Source: the XXH64
 * specification, github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md; the runtime may not link
 * that library into the user's. */
static inline bool ckjit_xxh64(int fd, uint64_t size, uint64_t *hash) {
  enum { CHUNK = 16 * 1024 }; /* bytes of stack; a multiple of 32 */
  const uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p4 = 0x85ebca77c2b2ae63u,
                 p5 = 0x27d4eb2f165667c5u;
  uint64_t lane[4] = {p1 + p2, p2, 0, -p1}, h = p5;
  unsigned char bytes[CHUNK];
  size_t n = 0, done = 0;
  for (uint64_t at = 0; at < size; at += n) {
    n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
    if (!ckjit_pread_all(fd, bytes, n, at))
      return false;
    for (done = 0; n - done >= 32; done += 32)
      for (int i = 0; i < 4; i++)
        lane[i] = ckjit_xxh_round(lane[i], ckjit_word64(bytes + done + 8 * i));
  }
  if (size >= 32) {
    h = ckjit_rotate(lane[0], 1) + ckjit_rotate(lane[1], 7) + ckjit_rotate(lane[2], 12) +
        ckjit_rotate(lane[3], 18);
    for (int i = 0; i < 4; i++)
      h = (h ^ ckjit_xxh_round(0, lane[i])) * p1 + p4;
  }
  *hash = ckjit_xxh_end(h + size, bytes + done, n - done);
  return true;
}

/* NULL if the SIZE bytes of FD end with a correct seal, otherwise the reason. */
static inline const char *ckjit_seal_check(int fd, uint64_t size) {
  struct ckjit_seal seal;
  uint64_t hash;
  if (size < sizeof seal || !ckjit_pread_all(fd, &seal, sizeof seal, size - sizeof seal) ||
      memcmp(seal.magic, CKJIT_SEAL_MAGIC, sizeof seal.magic) != 0 ||
      seal.size != size - sizeof seal)
    return "is truncated, or was not made by ckjit: it has no seal";
  if (!ckjit_xxh64(fd, seal.size, &hash) || hash != seal.hash)
    return "is damaged: its content does not match its seal";
  return NULL;
}

#endif
