/* fuzz.h - what the libFuzzer targets share. Each target is one file: it hands its input to one reader as a
 * file or as text, then holds what came out against what the reader's header promises. A reader that ends the
 * program (die) is a finding as well as one that crashes, hangs or leaks: bad input is an error to return.
 */
#ifndef CKJIT_FUZZ_H
#define CKJIT_FUZZ_H

#include "core/base/base.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(ok)                                                                                            \
  do {                                                                                                       \
    if (!(ok)) {                                                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #ok);                                       \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

/* the input as a regular file: its name, the same each time */
static inline const char *fuzz_file(const void *data, size_t size) {
  static int fd = -1;
  static char name[32];
  if (fd < 0) {
    fd = memfd_create("input", MFD_CLOEXEC);
    CHECK(fchmod(fd, 0600) == 0); /* what others could write to is not read (core/base/trust.h) */
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  }
  CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
  return name;
}

/* the input as text with a NUL behind it, on which AddressSanitizer sees a read beyond; free() it */
static inline char *fuzz_text(const void *data, size_t size) {
  char *text = xmalloc(size + 1);
  if (size)
    memcpy(text, data, size);
  text[size] = 0;
  return text;
}

/* a directory of this process's own, empty at first and removed at its end; below TMPDIR */
static char *fuzz_own_dir;

static inline void fuzz_remove_dir(void) {
  dir_remove(fuzz_own_dir);
}

static inline const char *fuzz_dir(void) {
  if (!fuzz_own_dir) {
    const char *tmp = getenv("TMPDIR");
    fuzz_own_dir = xasprintf("%s/ckjit-fuzz.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    CHECK(mkdtemp(fuzz_own_dir));
    atexit(fuzz_remove_dir);
  }
  return fuzz_own_dir;
}

#endif
