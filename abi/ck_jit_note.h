/* ck_jit_note.h - iterates over the notes of an ELF file. libc only, no state, thread-safe.
 *
 * The bytes are untrusted: each size is checked before it is used.
 */
#ifndef CK_JIT_NOTE_H
#define CK_JIT_NOTE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Both point into the bytes. */
struct ckjit_note {
  unsigned type;
  const unsigned char *owner, *desc; /* owner: with its NUL */
  size_t owner_len, desc_len;
};

/* Read the note at *AT, of whose bytes N may be read, and advance both. False if there is no note
 * or it is truncated. Offsets are rounded from the start of each note, as in glibc: a segment whose
 * ALIGN is 8 (.note.gnu.property beside others) pads differently from one with 4. */
static inline bool ckjit_note_next(const unsigned char **at, size_t *n, size_t align,
                                   struct ckjit_note *note) {
  const size_t mask = align == 8 ? 7 : 3;
  Elf64_Nhdr h;
  if (*n < sizeof h)
    return false;
  memcpy(&h, *at, sizeof h);
  size_t desc = (sizeof h + (size_t)h.n_namesz + mask) & ~mask;
  if (desc > *n || h.n_descsz > *n - desc)
    return false;
  *note = (struct ckjit_note){h.n_type, *at + sizeof h, *at + desc, h.n_namesz, h.n_descsz};
  size_t next = (desc + h.n_descsz + mask) & ~mask;
  if (next > *n)
    next = *n;
  *at += next;
  *n -= next;
  return true;
}

#endif
