/* ck_jit_unit.h - the placeholder for the fat binary of a lazy unit, an ordinary unit whose host
 * code the build compiled and whose kernels are compiled when they are launched.
 *
 * Host code registers a fat binary when it is loaded. That of a lazy unit has CKJIT_UNIT_SIZE
 * bytes: the magic, and the unit's key in hexadecimal digits. The library's shim recognises it by
 * them, whatever else is in the link, and finds the unit's row in the embedded tables.
 *
 * The stem of a unit is SOURCE-DIGITS, the stem of its source and the beginning of its key. The
 * digits differ after each change of the unit or of the compiler; the source's stem says which
 * units of two builds correspond.
 */
#ifndef CK_JIT_UNIT_H
#define CK_JIT_UNIT_H

#include <stddef.h>

#define CKJIT_UNIT_MAGIC "CKJTUNIT"

enum {
  CKJIT_UNIT_MAGIC_SIZE = 8,
  CKJIT_UNIT_KEY_HEX = 32,
  CKJIT_UNIT_SIZE = CKJIT_UNIT_MAGIC_SIZE + CKJIT_UNIT_KEY_HEX,
  CKJIT_UNIT_ALIGN = 8,
  CKJIT_UNIT_DIGITS = 12, /* in a stem: units in several directories may have one name */
};

/* The length of the source's stem in the N bytes at STEM; 0: it is not the stem of a unit. */
static inline size_t ckjit_unit_source(const char *stem, size_t n) {
  size_t digits = 0;
  while (digits < n && ((stem[n - 1 - digits] >= '0' && stem[n - 1 - digits] <= '9') ||
                        (stem[n - 1 - digits] >= 'a' && stem[n - 1 - digits] <= 'f')))
    digits++;
  return digits >= CKJIT_UNIT_DIGITS && n > CKJIT_UNIT_DIGITS + 1 &&
                 stem[n - CKJIT_UNIT_DIGITS - 1] == '-'
             ? n - CKJIT_UNIT_DIGITS - 1
             : 0;
}

/* HIP: the section with the placeholder, and the section with the wrapper that points to it. Tools
 * find device code by clang's names, .hip_fatbin and .hipFatBinSegment, which have the same
 * lengths. */
#define CKJIT_UNIT_SECTION ".ckjit.unit"
#define CKJIT_UNIT_WRAPPERS ".ckjit.registered"

#endif
