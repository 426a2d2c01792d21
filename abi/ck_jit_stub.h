/* ck_jit_stub.h - reads the machine code of a forwarding stub, which postbuild/stubs.c writes by
 * ck_jit_machine.h.
 *
 * A dispatcher passes the addresses of the functions that it is about to call to the runtime
 * (ckjit_together). A stub itself contains its unit and number. It is one of this library's if it
 * leads to this library's trampoline.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_STUB_H
#define CK_JIT_STUB_H

#include "ck_jit_machine.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The size of a hole, and the bits of its first word that belong to the form. */
static inline int ckjit_hole_size(const struct ckjit_hole *hole) {
  return hole->as == CKJIT_AS_DISTANCE ? 8 : 4;
}
static inline uint32_t ckjit_hole_form(const struct ckjit_hole *hole) {
  return hole->as == CKJIT_AS_BRANCH26 ? 0xfc000000 : 0;
}

static inline uint32_t ckjit_code_word(const unsigned char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Does CODE have the bytes of FORM, except in the holes? Reads no byte after the first difference:
 * other code may end anywhere. */
static inline bool ckjit_code_is(const unsigned char *code, const struct ckjit_form *form) {
  const struct ckjit_hole *hole = form->holes;
  for (int i = 0; i < form->code; i++)
    if (!hole->of || i != hole->at) {
      if (code[i] != form->bytes[i])
        return false;
    } else {
      if ((ckjit_code_word(code + i) ^ ckjit_code_word(form->bytes + i)) & ckjit_hole_form(hole))
        return false;
      i += ckjit_hole_size(hole++) - 1;
    }
  return true;
}

/* The number in the hole OF of CODE, which has FORM. */
static inline uint32_t ckjit_code_number(const unsigned char *code, const struct ckjit_form *form,
                                         enum ckjit_hole_of of) {
  const struct ckjit_hole *hole = form->holes;
  while (hole->of != of)
    hole++;
  return ckjit_code_word(code + hole->at);
}

/* The target of the hole OF of CODE, which has FORM. */
static inline const unsigned char *
ckjit_code_target(const unsigned char *code, const struct ckjit_form *form, enum ckjit_hole_of of) {
  const struct ckjit_hole *hole = form->holes;
  while (hole->of != of)
    hole++;
  const unsigned char *at = code + hole->at;
  int64_t distance;
  switch (hole->as) {
  case CKJIT_AS_BRANCH26:
    return at + (int64_t)(int32_t)(ckjit_code_word(at) << 6) / 16;
  case CKJIT_AS_DISTANCE:
    memcpy(&distance, at, sizeof distance);
    return code + hole->from + distance;
  default:
    return at + 4 + (int32_t)ckjit_code_word(at);
  }
}

/* Is CODE, a function, a stub that leads to TRAMPOLINE? Then UNIT and INDEX identify its
 * function. */
static inline bool ckjit_stub_read(const void *code, const void *trampoline, uint32_t *unit,
                                   uint32_t *index) {
  const struct ckjit_machine *m = &CKJIT_OWN;
  const unsigned char *stub = code;
  if (!ckjit_code_is(stub, &m->stub))
    return false;
  const unsigned char *cold = ckjit_code_target(stub, &m->stub, CKJIT_HOLE_COLD);
  if (!ckjit_code_is(cold, &m->cold) ||
      ckjit_code_target(cold, &m->cold, CKJIT_HOLE_TRAMPOLINE) != trampoline)
    return false;
  *unit = ckjit_code_number(cold, &m->cold, CKJIT_HOLE_UNIT);
  *index = ckjit_code_number(stub, &m->stub, CKJIT_HOLE_INDEX);
  return true;
}

#endif
