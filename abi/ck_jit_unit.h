/* ck_jit_unit.h - the placeholder for the fat binary of a lazy unit, an ordinary unit whose host
 * code the build compiled and whose kernels are compiled when they are launched.
 *
 * Host code registers a fat binary when it is loaded. That of a lazy unit has CKJIT_UNIT_SIZE
 * bytes: the magic, and the unit's key in hexadecimal digits. The library's shim recognises it by
 * them, whatever else is in the link, and finds the unit's row in the embedded tables.
 */
#ifndef CK_JIT_UNIT_H
#define CK_JIT_UNIT_H

#define CKJIT_UNIT_MAGIC "CKJTUNIT"

enum {
  CKJIT_UNIT_MAGIC_SIZE = 8,
  CKJIT_UNIT_KEY_HEX = 32,
  CKJIT_UNIT_SIZE = CKJIT_UNIT_MAGIC_SIZE + CKJIT_UNIT_KEY_HEX,
  CKJIT_UNIT_ALIGN = 8,
};

/* HIP: the section with the placeholder, and the section with the wrapper that points to it. Tools
 * find device code by clang's names, .hip_fatbin and .hipFatBinSegment, which have the same
 * lengths. */
#define CKJIT_UNIT_SECTION ".ckjit.unit"
#define CKJIT_UNIT_WRAPPERS ".ckjit.registered"

#endif
