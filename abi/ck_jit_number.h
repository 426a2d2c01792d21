/* ck_jit_number.h - reads the whole numbers that a user writes, in one way for the runtime,
 * libckjit.so and the programs (core/base/number.h). libc only, no state, thread-safe.
 */
#ifndef CK_JIT_NUMBER_H
#define CK_JIT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The N bytes of TEXT as a number: decimal digits, and nothing before, between or after them. False
 * if they are something else or too large for 64 bits; then *VALUE is unchanged. */
static inline bool ckjit_number(const char *text, size_t n, uint64_t *value) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++)
    if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
        __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
      return false;
  if (n)
    *value = v;
  return n;
}

/* The N bytes of TEXT as seconds, at most 10^9, with or without a decimal point. *MICROSECONDS is
 * rounded down. False as above. strtod would depend on the locale of the host program. */
static inline bool ckjit_number_seconds(const char *text, size_t n, uint64_t *microseconds) {
  uint64_t whole = 0, part = 0;
  size_t point = 0, digits = 0;
  while (point < n && text[point] != '.')
    point++;
  if (!ckjit_number(text, point, &whole) || whole > 1000000000)
    return false;
  for (size_t i = point + 1; i < n; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    if (digits < 6) {
      part = 10 * part + (uint64_t)(text[i] - '0');
      digits++;
    }
  }
  for (; digits < 6; digits++)
    part *= 10;
  *microseconds = whole * 1000000 + part;
  return point + 1 != n;
}

#endif
