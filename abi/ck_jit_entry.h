/* ck_jit_entry.h - a compiled blob in the cache: its name, its build id, and whether it may be
 * loaded.
 *
 * The cache is flat and its names are readable: <cache>/<stem>.so. But a name says nothing about
 * the content. Two installs with different CK share a cache directory, a compiler is upgraded, a
 * machine has other GPUs; and the content is executed. So the content decides: the build id that
 * the linker wrote into the file must be the wanted one, which is the blob's key (source, headers,
 * flags, compiler; computed when the library was built) and a hash of the architectures. If the
 * plain name holds another install's code, the entry is <stem>.<build id>.so: the first comer has
 * the plain name, and nobody evicts anybody. Two installs that overwrote one another's entry would
 * do so for ever.
 *
 * A file is loaded only if it is complete (a truncated file maps well and raises SIGBUS much
 * later), unchanged since it was made (the seal after its last byte), of this machine's ABI, of the
 * wanted build id, regular, no symbolic link, owned by the user or root, and writable by no one
 * else.
 *
 * This file and ck_jit_artefact.h, ck_jit_elf.h and ck_jit_seal.h, which it includes, own these
 * facts for the runtime, ckjit-compile and ckjit-prebuild. libc only, no allocation, no state,
 * thread-safe.
 */
#ifndef CK_JIT_ENTRY_H
#define CK_JIT_ENTRY_H

#include "ck_jit_artefact.h"
#include "ck_jit_cachedir.h"
#include "ck_jit_elf.h"
#include "ck_jit_file.h"
#include "ck_jit_protocol.h"
#include "ck_jit_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

/* The stem of a source or of a cached file: its base name without the last extension, not
 * terminated. */
static inline const char *ckjit_stem(const char *source, size_t *n) {
  const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source,
             *dot = strrchr(base, '.');
  *n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  return base;
}

/* Write DIR/STEM.so, or with HEX its keyed name, to OUT. False if it does not fit. A keyed name
 * longer than NAME_MAX has only the start of the stem: the digits make it unique. */
static inline bool ckjit_entry_path(char out[PATH_MAX], const char *dir, const char *stem, size_t n,
                                    const char *hex) {
  if (hex && n > NAME_MAX - 4 - 2 * CKJIT_BUILD_ID_SIZE)
    n = NAME_MAX - 4 - 2 * CKJIT_BUILD_ID_SIZE;
  int len = hex ? snprintf(out, PATH_MAX, "%s/%.*s.%s.so", dir, (int)n, stem, hex)
                : snprintf(out, PATH_MAX, "%s/%.*s.so", dir, (int)n, stem);
  return len > 0 && len < PATH_MAX;
}

/* ---- the content of the file ---- */

#define CKJIT_ENTRY_MOST ((uint64_t)4 << 30) /* maximal bytes of an entry */

/* Read the build id of the entry open at FD. NULL, ID and KIND if it is a shared object as above
 * and its seal is right, otherwise the reason. */
static inline const char *ckjit_entry_read(int fd, uint8_t id[CKJIT_BUILD_ID_SIZE],
                                           enum ckjit_kind *kind) {
  struct stat st;
  if (fstat(fd, &st))
    return "cannot be examined";
  const char *why = ckjit_elf_read(fd, (uint64_t)st.st_size, id, kind);
  return why ? why : ckjit_seal_check(fd, (uint64_t)st.st_size);
}

/* ---- the look-up ---- */

/* The file under a name of the cache. */
enum ckjit_entry_state {
  CKJIT_ENTRY_NONE, /* nothing */
  CKJIT_ENTRY_HIT,  /* the wanted code */
  /* an entry of another install, compiler or set of architectures */
  CKJIT_ENTRY_OTHER,
  /* the user's file, but not an entry; may be replaced */
  CKJIT_ENTRY_DAMAGED,
  /* A file of another user, or that others can write, or no regular file. Never touched. */
  CKJIT_ENTRY_FOREIGN,
};

/* the descriptor of an entry that is to be loaded */
struct ckjit_kept {
  int fd; /* the caller closes it */
  /* The descriptor to use in place of FD, a file of SIZE bytes called PATH, which it may close: of
   * a copy, if FD's file may change. -1 with errno and FD closed. */
  int (*settle)(int fd, uint64_t size, const char *path);
};

/* As ckjit_entry_open; if there is an entry and KEPT is not NULL, it has the open descriptor. What
 * is kept is settled first and examined then, so that it is read once. */
static inline enum ckjit_entry_state ckjit_entry_keep(const char *path,
                                                      uint8_t have[CKJIT_BUILD_ID_SIZE],
                                                      enum ckjit_kind *kind,
                                                      struct ckjit_kept *kept, const char **why) {
  struct stat st;
  *why = NULL;
  int fd = ckjit_open_cached(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return CKJIT_ENTRY_NONE;
    *why = errno == ELOOP                       ? "is a symbolic link"
           : errno == EINVAL || errno == EISDIR ? "is not a regular file"
           : errno == EFBIG                     ? "is too large for an entry"
                                                : "cannot be opened";
    return CKJIT_ENTRY_FOREIGN;
  }
  enum ckjit_entry_state state = CKJIT_ENTRY_FOREIGN;
  if ((*why = ckjit_owner_check(&st)))
    ;
  else if (kept && (fd = kept->settle(fd, (uint64_t)st.st_size, path)) < 0)
    *why = "cannot be read into memory";
  else if ((*why = ckjit_entry_read(fd, have, kind)))
    state = CKJIT_ENTRY_DAMAGED;
  else
    state = CKJIT_ENTRY_OTHER;
  if (kept && state == CKJIT_ENTRY_OTHER)
    kept->fd = fd;
  else if (fd >= 0)
    close(fd);
  return state;
}

/* Examine PATH without a wanted id, so the result is never HIT. If it is an entry the result is
 * OTHER, with its build id in HAVE and its kind in KIND. *WHY is the reason for DAMAGED or FOREIGN,
 * as text that follows the name; static. */
static inline enum ckjit_entry_state ckjit_entry_open(const char *path,
                                                      uint8_t have[CKJIT_BUILD_ID_SIZE],
                                                      enum ckjit_kind *kind, const char **why) {
  return ckjit_entry_keep(path, have, kind, NULL, why);
}

/* Examine PATH. *WHY as above; KEPT's descriptor is set on a HIT only. */
static inline enum ckjit_entry_state ckjit_entry_want(const char *path,
                                                      const uint8_t want[CKJIT_BUILD_ID_SIZE],
                                                      struct ckjit_kept *kept, const char **why) {
  uint8_t have[CKJIT_BUILD_ID_SIZE];
  enum ckjit_kind kind;
  enum ckjit_entry_state state = ckjit_entry_keep(path, have, &kind, kept, why);
  if (state == CKJIT_ENTRY_OTHER && memcmp(have, want, sizeof have) == 0)
    return CKJIT_ENTRY_HIT;
  if (state == CKJIT_ENTRY_OTHER && kept)
    close(kept->fd);
  return state;
}

/* Examine PATH. *WHY as above. */
static inline enum ckjit_entry_state
ckjit_entry_look(const char *path, const uint8_t want[CKJIT_BUILD_ID_SIZE], const char **why) {
  return ckjit_entry_want(path, want, NULL, why);
}

/* As ckjit_entry_find; on a hit KEPT, unless it is NULL, has the open descriptor. */
static inline bool ckjit_entry_find_open(char path[PATH_MAX], const char *dir, const char *stem,
                                         size_t n, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                                         struct ckjit_kept *kept, const char **why) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE], keyed[PATH_MAX];
  const char *refused = NULL;
  ckjit_build_id_hex(hex, want);
  *why = NULL;
  if (!ckjit_entry_path(path, dir, stem, n, NULL) || !ckjit_entry_path(keyed, dir, stem, n, hex)) {
    *why = "has too long a name";
    return false;
  }
  if (ckjit_entry_want(path, want, kept, why) == CKJIT_ENTRY_HIT)
    return true;
  if (ckjit_entry_want(keyed, want, kept, &refused) == CKJIT_ENTRY_HIT) {
    memcpy(path, keyed, sizeof keyed);
    return true;
  }
  if (refused) {
    memcpy(path, keyed, sizeof keyed);
    *why = refused;
  }
  return false;
}

/* Look up the entry of STEM (N bytes) with build id WANT in DIR: the plain name, then the keyed
 * one. On a hit returns true and its name in PATH. On a miss, *WHY is the reason for refusing a
 * file under one of these names, and PATH is that file; or *WHY is NULL. */
static inline bool ckjit_entry_find(char path[PATH_MAX], const char *dir, const char *stem,
                                    size_t n, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                                    const char **why) {
  return ckjit_entry_find_open(path, dir, stem, n, want, NULL, why);
}

#endif
