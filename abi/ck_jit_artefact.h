/* ck_jit_artefact.h - what ckjit makes: the kinds of artefacts, and their build ids.
 *
 * Each artefact is an entry of a cache. Its build id has 16 bytes of key and 8 of a hash. The key
 * covers everything that determines the code (source, headers, flags, compiler) and is computed
 * when the library is built. The hash covers the architectures that are compiled for on this
 * machine, and the artefact's kind. The entry's NT_GNU_BUILD_ID note holds the id, followed by the
 * kind. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_ARTEFACT_H
#define CK_JIT_ARTEFACT_H

#include "ck_jit_abi.h"

#include <stdbool.h>
#include <string.h>

/* Entries and packs contain these numbers: never reuse one. */
enum ckjit_kind {
  /* host code and all kernels of a blob */
  CKJIT_KIND_BLOB = 1,
  /* host code of a CUDA blob, and the bitcode that its kernels are made of (compile/unit/late.h) */
  CKJIT_KIND_BLOB_HOST = 2,
  /* functions of a HIP blob that launch no kernel (compile/hostonly/alone.h) */
  CKJIT_KIND_FUNCTIONS = 4,
  /* one kernel of a lazy unit or of such a blob, or all of them; 3 was one of a blob */
  CKJIT_KIND_KERNEL = 5,
  /* the bitcode from which the kernels of a CUDA unit are made (compile/unit/cuda.h) */
  CKJIT_KIND_UNIT_FRONT = 6,
  /* LTO-IR of a CUDA unit with -rdc=true (compile/unit/part.h) */
  CKJIT_KIND_UNIT_PART = 7,
  CKJIT_KINDS
};

/* These stand in place of a kernel's name: all kernels, the front end's bitcode, LTO-IR. No
 * function has such a name. */
#define CKJIT_UNIT_WHOLE "*"
#define CKJIT_UNIT_FRONT_NAME "+front"
#define CKJIT_UNIT_PART_NAME "+part"

/* In the name of a kernel's entry, this separates the stem of its blob or unit from the FNV-1a of
 * the kernel's name. */
#define CKJIT_SYMBOL_FORMAT ".%016llx"
enum { CKJIT_SYMBOL_DIGITS = 16 };

/* The note: the id, the kind, and zeros, because linkers do not pad a note of any other size. */
enum { CKJIT_NOTE_SIZE = CKJIT_BUILD_ID_SIZE + 4 };

/* Set the part of ID after the key to H, big endian. */
static inline void ckjit_build_id_hash(uint8_t id[CKJIT_BUILD_ID_SIZE], uint64_t h) {
  for (int i = 0; i < 8; i++)
    id[CKJIT_KEY_SIZE + i] = (uint8_t)(h >> (56 - 8 * i));
}

/* Text that is hashed after the architectures for KIND. Raise its number when the same key gives
 * other content: then entries of earlier versions are not found. All artefacts of one blob or unit
 * have one tag; the names distinguish its kernels. */
static inline const char *ckjit_kind_tag(enum ckjit_kind kind) {
  switch (kind) {
  case CKJIT_KIND_FUNCTIONS:
    return ";alone 1";
  case CKJIT_KIND_BLOB_HOST:
  case CKJIT_KIND_KERNEL:
  case CKJIT_KIND_UNIT_FRONT:
  case CKJIT_KIND_UNIT_PART:
    return ";unit 3";
  default:
    return "";
  }
}

/* ID = KEY, then the hash of ARCHS and KIND. ARCHS is a ';' list in the order in which the compiler
 * gets it. */
static inline void ckjit_artefact_id(uint8_t id[CKJIT_BUILD_ID_SIZE], enum ckjit_kind kind,
                                     const uint8_t key[CKJIT_KEY_SIZE], const char *archs) {
  const char *tag = ckjit_kind_tag(kind);
  memmove(id, key, CKJIT_KEY_SIZE);
  ckjit_build_id_hash(id, ckjit_fnv1a_more(ckjit_fnv1a(archs, strlen(archs)), tag, strlen(tag)));
}

/* ID is that of all kernels of an artefact. Change it to that of the kernel whose name has the
 * FNV-1a SYMBOL. */
static inline void ckjit_symbol_id(uint8_t id[CKJIT_BUILD_ID_SIZE], uint64_t symbol) {
  ckjit_build_id_hash(id, ckjit_fnv1a_more(symbol, id, CKJIT_BUILD_ID_SIZE));
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

/* The inverse; false if TEXT is not exactly 2 N hexadecimal digits as ckjit_hex writes them: an id
 * has one spelling. */
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

/* The inverse; false if TEXT is not exactly 48 hexadecimal digits. */
static inline bool ckjit_build_id_parse(uint8_t id[CKJIT_BUILD_ID_SIZE], const char *text) {
  return ckjit_hex_parse(id, CKJIT_BUILD_ID_SIZE, text);
}

#endif
