/* error.c - messages, and names of numbers. */
#include "internal.h"

#include "core/base/base.h"

#include <stdio.h>
#include <stdlib.h>

int fail(char **error, int status, const char *fmt, ...) {
  va_list ap;
  if (!error)
    return status;
  va_start(ap, fmt);
  if (vasprintf(error, fmt, ap) < 0)
    *error = NULL;
  va_end(ap);
  return status;
}

int fail_with(char **error, int status, const struct ckjit_library *library, char *text) {
  fail(error, status, "%s", text ? text : "out of memory");
  library->api.free_text(text);
  return status;
}

const char *ckjit_status_name(int status) {
  static const char *const names[] = {"CKJIT_OK",          "CKJIT_E_INVALID",   "CKJIT_E_MEMORY",
                                      "CKJIT_E_OPEN",      "CKJIT_E_NOT_CKJIT", "CKJIT_E_VERSION",
                                      "CKJIT_E_NOT_FOUND", "CKJIT_E_FAILED",    "CKJIT_E_CANCELLED",
                                      "CKJIT_E_BUSY",      "CKJIT_E_MISS"};
  return status >= 0 && status < (int)(sizeof names / sizeof *names) ? names[status]
                                                                     : "unknown status";
}

const char *ckjit_state_name(int state) {
  static const char *const names[] = {"absent", "compiling", "cached",
                                      "loaded", "linked",    "variant"};
  return state >= 0 && state < (int)(sizeof names / sizeof *names) ? names[state] : "unknown state";
}

const char *ckjit_version(void) {
  return CKJIT_VERSION;
}

void ckjit_free(void *memory) {
  free(memory);
}
