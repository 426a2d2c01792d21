/* ck_jit_fail.c - ends a call whose kernel is not available. */
#include "ck_jit_fail.h"
#include "ck_jit_say.h"
#include "ck_jit_settings.h"
#include "ck_jit_stack.h"

#include <stdlib.h>
#include <string.h>

/* bytes of a message, with its NUL; it is copied to the stack for throwing */
enum { CKJIT_MESSAGE_MAX = 24 * 1024 };

#define CKJIT_THROWN "ckjit: " /* what() begins with it */
#define CKJIT_NO_MEMORY "a kernel cannot be loaded: out of memory"

#ifdef CKJIT_THROWS
/* What `throw std::runtime_error(message)` calls, by the names of the C++ ABI, which are those of
 * libstdc++ and libc++. */
#define CKJIT_CXX(name) __asm__(name) __attribute__((visibility("default")))
enum { CKJIT_ERROR_SIZE = 16 };
void *ckjit_error_allocate(size_t size) CKJIT_CXX("__cxa_allocate_exception");
void ckjit_error_make(void *error, const char *message) CKJIT_CXX("_ZNSt13runtime_errorC1EPKc");
void ckjit_error_destroy(void *error) CKJIT_CXX("_ZNSt13runtime_errorD1Ev");
extern char ckjit_error_type[] CKJIT_CXX("_ZTISt13runtime_error");
_Noreturn void ckjit_error_throw(void *error, void *type, void (*destroy)(void *))
    CKJIT_CXX("__cxa_throw");

void ckjit_throw(const char *message) {
  void *error = ckjit_error_allocate(CKJIT_ERROR_SIZE);
  ckjit_error_make(error, message);
  ckjit_error_throw(error, ckjit_error_type, ckjit_error_destroy);
}
#endif

static bool ckjit_throws(void) {
  const char *mode = ckjit_env("CK_JIT_ON_ERROR");
  return ckjit_throw && !(mode && strcmp(mode, "abort") == 0);
}

void ckjit_check_on_error(void) {
  static int said;
  const char *mode = ckjit_env("CK_JIT_ON_ERROR");
  if (mode && strcmp(mode, "throw") != 0 && strcmp(mode, "abort") != 0)
    ckjit_warn_once(&said, "CK_JIT_ON_ERROR: expected throw or abort, found '%s'; using throw",
                    mode);
}

/* The compiler's last lines are at the end: cut the middle. */
static void ckjit_shorten(struct ckjit_text *error, size_t max) {
  static const char cut[] = "\n[…]\n";
  if (error->len <= max)
    return;
  size_t half = max / 2 - sizeof cut;
  char *tail = error->data + error->len - half;
  memcpy(error->data + half, cut, sizeof cut - 1);
  memmove(error->data + half + sizeof cut - 1, tail, half + 1);
  error->len = 2 * half + sizeof cut - 1;
}

_Noreturn void ckjit_fail(struct ckjit_text *error) {
  /* no memory for the message either: do not throw an empty one */
  if (error->lost || !error->data) {
    ckjit_text_free(error);
    if (ckjit_throws())
      ckjit_throw(CKJIT_THROWN CKJIT_NO_MEMORY);
    ckjit_say(CKJIT_ERROR, CKJIT_NO_MEMORY, sizeof CKJIT_NO_MEMORY - 1);
    abort();
  }
  size_t room = ckjit_stack_room() / 4, most = room < CKJIT_MESSAGE_MAX ? room : CKJIT_MESSAGE_MAX;
  ckjit_shorten(error, most > 256 ? most - sizeof CKJIT_THROWN : 256);
  if (ckjit_throws()) {
    /* ckjit_throw copies the message and does not return to free it. */
    char *message = __builtin_alloca(sizeof CKJIT_THROWN + error->len);
    memcpy(message, CKJIT_THROWN, sizeof CKJIT_THROWN - 1);
    memcpy(message + sizeof CKJIT_THROWN - 1, error->data, error->len + 1);
    ckjit_text_free(error);
    ckjit_throw(message);
  }
  ckjit_say(CKJIT_ERROR, error->data, error->len);
  abort();
}
