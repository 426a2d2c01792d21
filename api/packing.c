/* packing.c - the compiled kernels of a library as bytes: ckjit_pack, ckjit_unpack.
 *
 * `ckjit pack` and `ckjit unpack` do it: the format, the checks and their messages are theirs, and
 * a pack needs libraries that no user's process should have to load. The library's runtime runs the
 * program (abi/ck_jit_api.h), and the pack is a file without a name that both have open.
 */
#include "internal.h"

#include "abi/ck_jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* what the program calls descriptor 3 */
#define THE_FILE "/dev/fd/3"

enum { CLOSE_ON_EXEC = 1 }; /* MFD_CLOEXEC */

/* A file without a name; -1 with *ERROR. Its number is above those that a child is given. */
static int open_file(const struct ckjit_library *l, char **error) {
  enum { LEAST = 4 };
  int raw = (int)syscall(SYS_memfd_create, "ckjit-pack", CLOSE_ON_EXEC);
  int file = raw < 0 ? -1 : fcntl(raw, F_DUPFD_CLOEXEC, LEAST);
  if (file < 0)
    fail(error, CKJIT_E_MEMORY, "%s: no file in memory for a pack: %s", l->path, strerror(errno));
  if (raw >= 0)
    close(raw);
  return file;
}

static int run(const struct ckjit_library *l, const char *const *words, int file, char **error) {
  static const char prefix[] = "ckjit-prebuild: error: ";
  char *why = NULL;
  if (l->api.prebuild(words, file, &why))
    return CKJIT_OK;
  const char *text = why ? why : "out of memory";
  if (strncmp(text, prefix, sizeof prefix - 1) == 0)
    text += sizeof prefix - 1;
  fail(error, CKJIT_E_FAILED, "%s: %s", l->path, text);
  l->api.free_text(why);
  return CKJIT_E_FAILED;
}

int ckjit_pack(ckjit_library *l, void **bytes, size_t *size, char **error) {
  if (bytes)
    *bytes = NULL;
  if (size)
    *size = 0;
  if (!l || !bytes || !size)
    return fail(error, CKJIT_E_INVALID,
                "ckjit_pack: expected a library, and where to put bytes and size");
  const char *const words[] = {"pack", "--all", "--output", THE_FILE, l->path, NULL};
  int before = errno, file = open_file(l, error);
  int status = file < 0 ? CKJIT_E_MEMORY : run(l, words, file, error);
  if (!status && !(*bytes = read_all(file, size)))
    status = fail(error, errno == ENOMEM ? CKJIT_E_MEMORY : CKJIT_E_FAILED,
                  "%s: cannot read its pack: %s", l->path, strerror(errno));
  if (file >= 0)
    close(file);
  errno = before;
  return status;
}

int ckjit_unpack(ckjit_library *l, const void *bytes, size_t size, char **error) {
  if (!l || !bytes || !size)
    return fail(error, CKJIT_E_INVALID, "ckjit_unpack: expected a library and the bytes of a pack");
  const char *const words[] = {"unpack", THE_FILE, NULL};
  int before = errno, file = open_file(l, error), status = file < 0 ? CKJIT_E_MEMORY : CKJIT_OK;
  if (!status && ckjit_write_file(file, bytes, size))
    status = fail(error, CKJIT_E_MEMORY, "%s: no memory for a pack of %zu bytes: %s", l->path, size,
                  strerror(errno));
  if (!status)
    status = run(l, words, file, error);
  if (file >= 0)
    close(file);
  errno = before;
  return status;
}
