/* ck_jit_build_id.h - the build id of a compiled blob: 16 bytes of key and 8 of a hash.
 *
 * The key is made of all that decides what the blob is (source, headers, flags, compiler) when its library is
 * built; the hash is of the architectures that it is compiled for on this machine. The linker writes both
 * into the file, as its NT_GNU_BUILD_ID note. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_BUILD_ID_H
#define CK_JIT_BUILD_ID_H

#include "ck_jit_abi.h"

#include <stdbool.h>
#include <string.h>

/* Behind the architectures, in what is hashed for an entry without kernels. Another number when what is made
 * of the same bitcode changes: 2, variables that another kernel writes are read. */
#define CKJIT_APART ";kernels 2"

/* The part of ID after the key is H, big endian. */
static inline void ckjit_build_id_hash(uint8_t id[CKJIT_BUILD_ID_SIZE], uint64_t h) {
  for (int i = 0; i < 8; i++)
    id[CKJIT_KEY_SIZE + i] = (uint8_t)(h >> (56 - 8 * i));
}

/* OUT = KEY, then the FNV-1a of ARCHS, a ';' list in the order given to the compiler. */
static inline void ckjit_build_id(uint8_t out[CKJIT_BUILD_ID_SIZE], const uint8_t key[CKJIT_KEY_SIZE],
                                  const char *archs) {
  memcpy(out, key, CKJIT_KEY_SIZE);
  ckjit_build_id_hash(out, ckjit_fnv1a(archs, strlen(archs)));
}

/* The id of what has a blob's functions that launch nothing, and no others (compile/hostonly/alone.h). */
static inline void ckjit_alone_id(uint8_t out[CKJIT_BUILD_ID_SIZE], const uint8_t key[CKJIT_KEY_SIZE],
                                  const char *archs) {
  static const char alone[] = ";alone 1";
  memcpy(out, key, CKJIT_KEY_SIZE);
  ckjit_build_id_hash(out, ckjit_fnv1a_more(ckjit_fnv1a(archs, strlen(archs)), alone, sizeof alone - 1));
}

/* ID, of the entry of a CUDA blob without its kernels, becomes that of the entry of its kernel NAME. Returns the hash that is behind the
 * blob's stem, with a dot and as 16 digits, in that entry's stem. */
static inline uint64_t ckjit_kernel_id(uint8_t id[CKJIT_BUILD_ID_SIZE], const char *name) {
  uint64_t hash = ckjit_fnv1a(name, strlen(name));
  ckjit_build_id_hash(id, ckjit_fnv1a_more(hash, id, CKJIT_BUILD_ID_SIZE));
  return hash;
}

/* N bytes as 2 N hexadecimal digits, and a NUL. */
static inline void ckjit_hex(char *hex, const uint8_t *bytes, size_t n) {
  static const char digit[] = "0123456789abcdef";
  for (size_t i = 0; i < n; i++) {
    hex[2 * i] = digit[bytes[i] >> 4];
    hex[2 * i + 1] = digit[bytes[i] & 15];
  }
  hex[2 * n] = 0;
}

/* The other way round; false if TEXT is not exactly 2 N hexadecimal digits as ckjit_hex writes them: an id has one spelling. */
static inline bool ckjit_hex_parse(uint8_t *bytes, size_t n, const char *text) {
  if (strlen(text) != 2 * n)
    return false;
  for (size_t i = 0; i < 2 * n; i++) {
    int c = text[i], v;
    if (c >= '0' && c <= '9')
      v = c - '0';
    else if (c >= 'a' && c <= 'f')
      v = c - 'a' + 10;
    else
      return false;
    bytes[i / 2] = (uint8_t)(i % 2 ? bytes[i / 2] | v : v << 4);
  }
  return true;
}

/* ID as 48 hexadecimal digits. */
static inline void ckjit_build_id_hex(char hex[CKJIT_BUILD_ID_HEX_SIZE],
                                      const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  ckjit_hex(hex, id, CKJIT_BUILD_ID_SIZE);
}

/* The other way round; false if TEXT is not exactly 48 hexadecimal digits. */
static inline bool ckjit_build_id_parse(uint8_t id[CKJIT_BUILD_ID_SIZE], const char *text) {
  return ckjit_hex_parse(id, CKJIT_BUILD_ID_SIZE, text);
}

#endif
