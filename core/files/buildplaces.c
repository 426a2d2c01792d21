/* buildplaces.c - reads the names of the build in a library, and removes them from one that is
 * installed.
 *
 * In its work directory a library falls back to the tree in which it was built. An installed one
 * has ck_jit/ beside it. The names would be useless there and reveal who built it and where, and
 * another user could make the directory again. They are in a separate section
 * (runtime/ck_jit_place.c), whose bytes become zeros: linking the library again without them would
 * take as long as the first time. */
#include "core/files/buildplaces.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cache/inputs.h"

#include "abi/ck_jit_abi.h"

#include <fcntl.h>
#include <unistd.h>

bool build_places_directory(const char *file, char **dir) {
  struct elf_section s;
  autofree char *bytes = elf_read_section(file, CKJIT_BUILD_SECTION, &s);
  const char *at = bytes ? (const char *)s.data : NULL, *end = at + (bytes ? s.size : 0);
  *dir = NULL;
  for (size_t n; at < end && !*dir; at += n + 1) { /* the compiler chooses their order */
    n = strnlen(at, (size_t)(end - at));
    autofree char *place = xstrndup(at, n);
    *dir = str_ends(place, "/" INPUTS_DIR) ? path_dir(place) : NULL;
  }
  return bytes;
}

/* Write SIZE zeros into FILE from byte OFFSET on. */
static bool put_zeros(const char *file, off_t offset, size_t size) {
  autofree char *zeros = xcalloc(size, 1);
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  bool done = fd >= 0 && pwrite(fd, zeros, size, offset) == (ssize_t)size;
  int e = errno;
  if (fd >= 0 && close(fd))
    done = false;
  else
    errno = e;
  return done;
}

bool build_places_clear(const char *file, char **err) {
  struct elf_section s;
  errno = 0;
  autofree char *bytes = elf_read_section(file, CKJIT_BUILD_SECTION, &s);
  return (bytes ? put_zeros(file, (const char *)s.data - bytes, s.size) : errno == 0) ||
         err_fail(err, "%s: cannot take the names of the build out of it: %s", file,
                  strerror(errno));
}
