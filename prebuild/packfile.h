/* packfile.h - the format of a pack: the description of its entries, and the tar around them.
 *
 * A pack is a tar (POSIX ustar, regular files only) compressed by zstd. Its first member,
 * ckjit-pack, is the index: a description of each entry, in the order of the entries.
 * docs/formats.md has all of it. A reader accepts exactly the output of a writer, so the many other
 * things that a tar can hold (links, devices, paths, a member twice) need no rules.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_PREBUILD_PACKFILE_H
#define CKJIT_PREBUILD_PACKFILE_H

#include "core/base/argv.h"
#include "abi/ck_jit_entry.h"

enum {
  PACK_BLOCK = 512,          /* of a tar */
  PACK_INDEX_MAX = 64 << 20, /* bytes: 200,000 entries */
  PACK_MEMBER_NAME = 100,    /* of a ustar header */
};
#define PACK_INDEX_NAME "ckjit-pack"

struct pack_entry {
  char *stem; /* with the hash of a kernel */
  char *archs;
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  /* of the file with its seal; the seal's hash */
  uint64_t size, hash;
  /* its path, if the pack is being written */
  char *path;
};

struct pack {
  /* of the library's build: "hip", "/opt/rocm/bin/hipcc" */
  char *kind, *compiler;
  struct pack_entry *entries;
  size_t n;
};

/* The build id of STEM's entry of KIND for ARCHS, of the blob or unit with KEY. False: STEM is not
 * that of a kernel. */
bool pack_build_id(uint8_t id[CKJIT_BUILD_ID_SIZE], const uint8_t key[CKJIT_KEY_SIZE],
                   const char *archs, enum ckjit_kind kind, const char *stem);

/* Append to P the entry in the file PATH. */
void pack_add(struct pack *p, const char *path, const char *stem, const char *archs,
              enum ckjit_kind kind, const uint8_t id[CKJIT_BUILD_ID_SIZE]);

/* Append the index of P. */
void pack_index_write(struct buf *out, const struct pack *p);
/* Read the index of N bytes at TEXT, followed by a NUL, into P. False and the reason in *ERR; free
 * P in any case. */
bool pack_index_read(struct pack *p, const char *text, size_t n, char **err);
void pack_free(struct pack *p);

/* The name of the member with entry number I. */
void pack_member_name(char name[PACK_MEMBER_NAME], const struct pack *p, size_t i);
/* The header of a member, and the number of zeros after its SIZE bytes. */
void pack_header(unsigned char block[PACK_BLOCK], const char *name, uint64_t size);
size_t pack_padding(uint64_t size);
/* NULL if BLOCK is the header of a regular file NAME, and its size; else a description, a text that
 * follows FILE and a colon; free() it. */
char *pack_header_check(const unsigned char block[PACK_BLOCK], const char *name, uint64_t *size);

#endif
