/* ck_jit_stub.h - the machine code of a forwarding stub, which postbuild/stubs.c writes and the runtime can read.
 *
 *     stub    mov slot(%rip), %r11; test %r11, %r11; je 1f; jmp *%r11; 1: mov $index, %r11d; jmp cold
 *     cold    push %r11; push $unit; lea slots(%rip), %r11; jmp ckjit_trampoline       shared by a unit's stubs
 *
 * A dispatcher tells the runtime which functions it is about to call by their addresses (ckjit_together). A stub says
 * itself which function it is. That it is one of this library's is seen by where it ends: at this library's trampoline.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_STUB_H
#define CK_JIT_STUB_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  CKJIT_STUB_SIZE = 32, /* with what fills it up */
  CKJIT_STUB_CODE = 26,
  CKJIT_STUB_SLOT = 3, /* where the four bytes of each number are */
  CKJIT_STUB_INDEX = 17,
  CKJIT_STUB_COLD = 22,
  CKJIT_COLD_CODE = 19,
  CKJIT_COLD_UNIT = 3,
  CKJIT_COLD_SLOTS = 10,
  CKJIT_COLD_TRAMPOLINE = 15,
};

static const unsigned char ckjit_stub_form[CKJIT_STUB_CODE] = {0x4c, 0x8b, 0x1d, 0,    0,    0,    0,    0x4d,
                                                               0x85, 0xdb, 0x74, 0x03, 0x41, 0xff, 0xe3, 0x41,
                                                               0xbb, 0,    0,    0,    0,    0xe9};
static const unsigned char ckjit_cold_form[CKJIT_COLD_CODE] = {0x41, 0x53, 0x68, 0, 0, 0, 0,   0x4c,
                                                               0x8d, 0x1d, 0,    0, 0, 0, 0xe9};

/* Whether CODE has the N bytes of FORM, the four at each of HOLES apart. No byte is read behind the first that differs: what is
 * not a stub may end anywhere. */
static inline bool ckjit_code_is(const unsigned char *code, const unsigned char *form, int n,
                                 const int holes[3]) {
  for (int i = 0, hole = 0; i < n; i++)
    if (hole < 3 && i == holes[hole])
      hole++, i += 3;
    else if (code[i] != form[i])
      return false;
  return true;
}

static inline const unsigned char *ckjit_code_target(const unsigned char *at) {
  int32_t distance;
  memcpy(&distance, at, sizeof distance);
  return at + 4 + distance;
}

/* Whether CODE, a function, is a stub that goes to TRAMPOLINE: then which function of which unit it stands for. */
static inline bool ckjit_stub_read(const void *code, const void *trampoline, uint32_t *unit,
                                   uint32_t *index) {
  static const int stub_holes[3] = {CKJIT_STUB_SLOT, CKJIT_STUB_INDEX, CKJIT_STUB_COLD};
  static const int cold_holes[3] = {CKJIT_COLD_UNIT, CKJIT_COLD_SLOTS, CKJIT_COLD_TRAMPOLINE};
  const unsigned char *stub = code;
  if (!ckjit_code_is(stub, ckjit_stub_form, CKJIT_STUB_CODE, stub_holes))
    return false;
  const unsigned char *cold = ckjit_code_target(stub + CKJIT_STUB_COLD);
  if (!ckjit_code_is(cold, ckjit_cold_form, CKJIT_COLD_CODE, cold_holes) ||
      ckjit_code_target(cold + CKJIT_COLD_TRAMPOLINE) != trampoline)
    return false;
  memcpy(unit, cold + CKJIT_COLD_UNIT, sizeof *unit);
  memcpy(index, stub + CKJIT_STUB_INDEX, sizeof *index);
  return true;
}

#endif
