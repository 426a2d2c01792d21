/* ck_jit_unpack.c - a library that was given away: what its kernels are compiled from is in it, or
 * in a file beside it (abi/ck_jit_bundle.h).
 *
 * The runtime only writes the bundle's program, ckjit-compile, into the cache. The program unpacks
 * the rest there, and verifies it at each compile. Two versions of a library have two directories,
 * since the name is the digest of the content. */
#include "ck_jit_bundle.h"
#include "ck_jit_unpack.h"
#include "ck_jit_access.h"
#include "ck_jit_file.h"
#include "ck_jit_make.h"
#include "ck_jit_manifest.h"
#include "ck_jit_place.h"
#include "ck_jit_say.h"
#include "ck_jit_seal.h"
#include "ck_jit_trust.h"

#include <fcntl.h>
#include <stdlib.h>

/* The bundle of a library, its head and program at least; data is NULL if it has none. */
struct ckjit_found_bundle {
  const char *data;
  size_t size;
  char *copy; /* of a file beside the library; free() it */
};

/* It is read, not mapped: a file that is cut off meanwhile would end the process. */
static struct ckjit_found_bundle ckjit_bundle_beside(const char *file) {
  struct ckjit_found_bundle b = {0};
  struct ckjit_bundle head;
  struct stat st;
  int fd = ckjit_open_named(file, O_RDONLY, 0, UINT64_MAX, &st);
  if (fd >= 0 && ckjit_pread_all(fd, &head, sizeof head, 0)) {
    uint64_t whole = sizeof head + head.program;
    b.size = whole > (uint64_t)st.st_size || whole < head.program ? sizeof head : (size_t)whole;
    b.copy = malloc(b.size);
    if (b.copy && ckjit_pread_all(fd, b.copy, b.size, 0))
      b.data = b.copy;
  }
  if (fd >= 0)
    close(fd);
  return b;
}

/* The bundle that belongs to LIBRARY; FILE becomes the file that it is in. */
static struct ckjit_found_bundle ckjit_find_bundle(struct ckjit_text *file, const char *library) {
  struct ckjit_found_bundle b = {0};
  if (ckjit_facts.bundled) {
    ckjit_add(file, library);
    b.data = ckjit_bundle;
    b.size = (size_t)(ckjit_bundle_end - ckjit_bundle);
    return b;
  }
  const char *slash = strrchr(library, '/');
  struct ckjit_suspect suspect;
  struct stat st;
  if (!slash || stat(library, &st))
    return b;
  ckjit_addf(file, "%.*s/" CKJIT_BUNDLE_FILE, (int)(slash - library), library);
  char dir[PATH_MAX];
  snprintf(dir, sizeof dir, "%.*s", (int)(slash - library), library);
  if (ckjit_whole(file) && ckjit_may(file->data, R_OK) &&
      !ckjit_beside_check(dir, file->data + (slash - library), &st, &suspect))
    b = ckjit_bundle_beside(file->data);
  return b;
}

/* The digits of a digest: it becomes a name. */
static bool ckjit_is_digest(const char *digest) {
  return strspn(digest, "0123456789abcdef") == 32 && !digest[32];
}

/* Is FILE the program of N bytes that ends with SEAL? */
static bool ckjit_is_program_of(const char *file, uint64_t n, const struct ckjit_seal *seal) {
  struct ckjit_seal own;
  struct stat st;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, UINT64_MAX, &st);
  bool is = fd >= 0 && (uint64_t)st.st_size == n && !ckjit_seal_check(fd, n) &&
            ckjit_pread_all(fd, &own, sizeof own, n - sizeof own) &&
            memcmp(&own, seal, sizeof own) == 0 && ckjit_may(file, X_OK);
  if (fd >= 0)
    close(fd);
  return is;
}

/* Write N BYTES to FILE, whole or not at all; 0 or errno. */
static int ckjit_write_program(const char *file, const char *bytes, uint64_t n) {
  struct ckjit_text tmp = {0};
  int error = ENOMEM, fd = -1;
  ckjit_addf(&tmp, "%s.tmp-XXXXXX", file);
  if (ckjit_whole(&tmp)) {
    fd = mkostemp(tmp.data, O_CLOEXEC);
    error = fd < 0 ? errno : 0;
  }
  if (!error)
    error = ckjit_write_file(fd, bytes, (size_t)n);
  if (!error && fchmod(fd, 0700))
    error = errno;
  if (fd >= 0 && close(fd) && !error)
    error = errno;
  if (!error && rename(tmp.data, file))
    error = errno;
  if (error && fd >= 0)
    unlink(tmp.data);
  ckjit_text_free(&tmp);
  return error;
}

/* Have PROGRAM be the one of the bundle AT in FILE. False, and the reason in ERROR. */
static bool ckjit_unpack_program(const char *program, const char *at, const char *file,
                                 struct ckjit_text *error) {
  struct ckjit_bundle head;
  struct ckjit_seal seal;
  memcpy(&head, at, sizeof head);
  const char *bytes = at + sizeof head;
  memcpy(&seal, bytes + head.program - sizeof seal, sizeof seal);
  if (ckjit_is_program_of(program, head.program, &seal))
    return true;
  int e = ckjit_write_program(program, bytes, head.program);
  if (e)
    ckjit_addf(error,
               "the bundle of %s cannot be unpacked: cannot write %s: %s; free some space, or set "
               "CK_JIT_CACHE_DIR to another directory [ckjit help cache-not-written]",
               file, program, strerror(e));
  else if (!ckjit_is_program_of(program, head.program, &seal))
    ckjit_addf(
        error,
        "%s: its bundle, of what its kernels are compiled from, is damaged: its program does "
        "not match its seal; install the package of %s again [ckjit help bundle-damaged]",
        file, file);
  return !error->len;
}

/* Is the bundle AT, of N bytes, one of this version, with its program in these bytes? */
static bool ckjit_is_bundle(const char *at, size_t n) {
  struct ckjit_bundle head;
  if (n < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  return memcmp(head.magic, CKJIT_BUNDLE_MAGIC, sizeof head.magic) == 0 &&
         ckjit_is_digest(head.digest) && head.program > sizeof(struct ckjit_seal) &&
         head.program <= n - sizeof head;
}

static void ckjit_make_below(struct ckjit_text *root, const char *cache, const char *at) {
  ckjit_addf(root, "%s/" CKJIT_BUNDLES, cache);
  if (ckjit_whole(root))
    ckjit_make_dir(root->data, true);
  ckjit_addf(root, "/%s", at + offsetof(struct ckjit_bundle, digest));
  if (ckjit_whole(root))
    ckjit_make_dir(root->data, true);
}

bool ckjit_unpack(struct ckjit_text *root, struct ckjit_text *file, const char *library,
                  const char *cache, struct ckjit_text *error) {
  struct ckjit_text own = {0}, program = {0};
  bool none = false;
  struct ckjit_found_bundle b = ckjit_find_bundle(file, library);
  if (!b.data) {
    free(b.copy);
    ckjit_text_clear(file);
    return true;
  }
  if (!ckjit_is_bundle(b.data, b.size)) {
    ckjit_addf(error,
               "%s: its bundle, of what its kernels are compiled from, is damaged, or of another "
               "version of ckjit; install its package again [ckjit help bundle-damaged]",
               file->data);
  } else if (*cache || ckjit_find_cache(&own, error, &none)) {
    ckjit_make_below(root, *cache ? cache : own.data, b.data);
    ckjit_addf(&program, "%s/ckjit-compile", ckjit_whole(root) ? root->data : "");
    if (!ckjit_whole(root) || !ckjit_whole(&program))
      ckjit_add(error, "out of memory");
    else
      ckjit_unpack_program(program.data, b.data, file->data, error);
  }
  free(b.copy);
  ckjit_text_free(&own);
  ckjit_text_free(&program);
  return !error->len;
}
