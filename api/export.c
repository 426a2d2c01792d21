/* export.c - a kernel as bytes: ckjit_export.
 *
 * The library's runtime lets ckjit-compile write them to a file without a name (abi/ck_jit_api.h).
 * This file checks the arguments and reads the file into memory of libckjit, so that ckjit_free()
 * frees it.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int options_check(const struct ckjit_export_options *o, char **error) {
  static const char *const formats[] = {"so", "obj", "code-object", "bitcode", "asm"};
  if (!o || o->size != sizeof *o)
    return fail(error, CKJIT_E_INVALID,
                "the size in ckjit_export_options is %zu: expected sizeof, %zu", o ? o->size : 0,
                sizeof *o);
  if (o->nsymbols && !o->symbols)
    return fail(error, CKJIT_E_INVALID, "ckjit_export: %zu symbols announced, but symbols is NULL",
                o->nsymbols);
  for (size_t i = 0; i < o->nsymbols; i++)
    if (!o->symbols[i])
      return fail(error, CKJIT_E_INVALID,
                  "ckjit_export: symbol %zu is NULL; expected NAME or OLD=NAME", i);
  for (size_t i = 0; o->format && i < sizeof formats / sizeof *formats; i++)
    if (strcmp(o->format, formats[i]) == 0)
      return CKJIT_OK;
  return fail(error, CKJIT_E_INVALID,
              "ckjit_export: unknown format '%s': expected so, obj, code-object, bitcode or asm",
              o->format ? o->format : "");
}

/* It does not use fstat, which is a function of glibc only since 2.33. */
char *read_all(int file, size_t *size) {
  off_t end = lseek(file, 0, SEEK_END);
  char *bytes = end >= 0 ? malloc((size_t)end + 1) : NULL;
  size_t n = 0;
  while (bytes && n < (size_t)end) {
    ssize_t got = pread(file, bytes + n, (size_t)end - n, (off_t)n);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    n += (size_t)got;
  }
  bool whole = bytes && n == (size_t)end;
  int why = errno ? errno : EIO;
  if (whole) {
    bytes[n] = 0;
    *size = n;
    return bytes;
  }
  free(bytes);
  errno = why;
  return NULL;
}

int ckjit_export(ckjit_library *l, uint32_t kernel, const struct ckjit_export_options *o,
                 void **bytes, size_t *size, char **error) {
  if (bytes)
    *bytes = NULL;
  if (size)
    *size = 0;
  if (!l || !bytes || !size)
    return fail(error, CKJIT_E_INVALID,
                "ckjit_export: expected a library, and where to put bytes and size");
  int status = options_check(o, error);
  if (!status)
    status = kernel_check(l, kernel, error);
  if (status)
    return status;
  const struct ckjit_api_export how = {.format = o->format,
                                       .archs = o->archs,
                                       .add_flags = o->compiler_flags,
                                       .symbols = o->symbols,
                                       .nsymbols = o->nsymbols};
  char *why = NULL;
  int file = l->api.export(kernel, &how, &why);
  if (file < 0)
    return fail_with(error, compile_failure(l, kernel, true), l, why);
  int before = errno;
  *bytes = read_all(file, size);
  close(file);
  if (!*bytes)
    status = fail(error, errno == ENOMEM ? CKJIT_E_MEMORY : CKJIT_E_FAILED,
                  "%s: cannot read the exported file: %s", l->stems[kernel], strerror(errno));
  errno = before;
  return status;
}
