/* ck_jit_utf8.h - which bytes of a name are a character. The name of a file can have any bytes;
 * output and JSON are UTF-8. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_UTF8_H
#define CK_JIT_UTF8_H

#include <stddef.h>

/* The number of bytes of the UTF-8 character at S, of which N bytes may be read; 0 if there is
 * none. */
static inline size_t ckjit_utf8(const char *s, size_t n) {
  const unsigned char *u = (const unsigned char *)s;
  size_t bytes = !n            ? 0
                 : u[0] < 0x80 ? 1
                 : u[0] < 0xc2 ? 0
                 : u[0] < 0xe0 ? 2
                 : u[0] < 0xf0 ? 3
                 : u[0] < 0xf5 ? 4
                               : 0;
  if (bytes > n)
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((u[i] & 0xc0) != 0x80)
      return 0;
  /* overlong forms, surrogates, numbers after the last code point */
  if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
      (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
    return 0;
  return bytes;
}

#endif
