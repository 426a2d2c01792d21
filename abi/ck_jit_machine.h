/* ck_jit_machine.h - the machines that libraries can be for: what of ckjit differs from one to the other, as data.
 *
 * One file for each machine, ck_jit_<name>.h, has all of it, and is found by being there: make lists them. What ELF and the compilers call the machine, the machine code of a forwarding
 * stub, ckjit_trampoline, and the little trampolines of ck_jit_registry.h. A library's machine is its compiler's target, not what ckjit
 * runs on: the link goes by the ELF machine of the objects, the runtime by what the compiler defines (__aarch64__). docs/tour.md says
 * what to do for another machine.
 *
 * A stub is a form: bytes, and holes in them. The link fills the holes or leaves them to the linker, by relocations; the runtime reads
 * them again (ck_jit_stub.h). So neither knows an instruction.
 *
 * libc only, no state, thread-safe. No pointers in the tables: they need no relocations in a user's library. Each unit that includes this has its
 * own: machines are compared by their ELF numbers.
 */
#ifndef CK_JIT_MACHINE_H
#define CK_JIT_MACHINE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* what a hole is for */
enum ckjit_hole_of {
  CKJIT_HOLE_NONE,       /* the end of the list */
  CKJIT_HOLE_SLOT,       /* of the stub: where its slot is … */
  CKJIT_HOLE_INDEX,      /* … its number in the unit … */
  CKJIT_HOLE_COLD,       /* … where the cold part is, in the same section */
  CKJIT_HOLE_UNIT,       /* of the cold part: the unit's number … */
  CKJIT_HOLE_SLOTS,      /* … where the slots begin … */
  CKJIT_HOLE_TRAMPOLINE, /* … where ckjit_trampoline is */
};

/* what the bytes of a hole are */
enum ckjit_hole_as {
  CKJIT_AS_WORD,      /* 4 bytes: a number */
  CKJIT_AS_NEXT32,    /* 4 bytes: the distance from what is behind them */
  CKJIT_AS_DISTANCE,  /* 8 bytes: the distance from offset FROM of the form */
  CKJIT_AS_BRANCH26,  /* an instruction whose lower 26 bits are the distance from itself, in words */
  CKJIT_AS_LINKER_IS, /* an instruction that the linker may replace by another: nobody reads it */
};

struct ckjit_hole {
  uint8_t of, as, at, from;
  uint16_t relocation; /* its type; 0: the link itself fills it */
  int16_t addend;      /* that of slot 0, if it is a slot's */
};

/* Functions that are called otherwise than by the machine's usual convention: the dynamic linker, when it binds a call lazily, keeps the registers of the
 * usual one. The symbol says so by BITS of st_other, and so does its stub's. clang does not set them for an alias, which is all that a forwarding
 * unit has: there a function is one if its name or its declaration has one of the WORDS, which end at the first empty one. One too many is bound early, no more. */
enum { CKJIT_CALLS_WORDS = 8 };
struct ckjit_calls {
  uint8_t bits;
  char words[CKJIT_CALLS_WORDS][20];
};

enum { CKJIT_FORM_MAX = 64, CKJIT_HOLES_MAX = 5, CKJIT_MARKS_MAX = 3, CKJIT_PROPERTY_MAX = 32 };

struct ckjit_form {
  uint8_t size, code; /* bytes that it takes, and those of them that are code; the rest is filled up */
  unsigned char bytes[CKJIT_FORM_MAX];
  struct ckjit_hole holes[CKJIT_HOLES_MAX]; /* in the order of their places */
};

/* An instruction that goes somewhere by itself, without a relocation: its lower BITS behind SHIFT are a distance, in units of
 * SCALE bytes, with a sign, from FROM bytes behind its beginning. It is one if what MASK leaves of its first bytes IS that. */
struct ckjit_jump {
  uint32_t mask, is;
  uint8_t shift, bits, scale, from;
};

/* relocations, by their types: from FIRST to LAST */
struct ckjit_relocations {
  uint16_t first, last;
};

enum { CKJIT_RELOCATIONS_MAX = 4, CKJIT_JUMPS_MAX = 7 };

/* What a compiler's object leads where, for who looks for it (compile/hostonly). What is not among it is in doubt. 0 ends a list. */
struct ckjit_leads {
  struct ckjit_relocations absolute[CKJIT_RELOCATIONS_MAX]; /* an address */
  struct ckjit_relocations
      relative[CKJIT_RELOCATIONS_MAX]; /* a distance, from BEHIND bytes behind its place */
  uint8_t behind;
  uint8_t
      step; /* from one instruction to the next; 1: they have no one size, so what looks like one may be none */
  struct ckjit_jump jumps[CKJIT_JUMPS_MAX];
  uint8_t nothing_size; /* of the code of a function that does nothing, wherever it may be called from … */
  unsigned char nothing[8];
  char helpers
      [12]; /* … and what the names of the compiler's own functions begin with, that are of this machine alone; "": none */
};

struct ckjit_machine {
  char name[12];                   /* as uname -m says it, and as a compiler's triple begins */
  char toolkit[16];                /* its directory below targets/ of a CUDA toolkit; "": none */
  uint16_t elf;                    /* EM_X86_64 … */
  uint16_t relative32;             /* the relocation of a word that is the distance from itself */
  uint16_t absolute64, distance64; /* of a word of 8 bytes: an address, and the distance from itself */
  uint16_t behind[2]; /* of compilers: relocations of 4 bytes whose distance is from what is behind them */
  struct ckjit_calls calls;
  unsigned char fill;           /* what code is filled up with */
  struct ckjit_form cold, stub; /* a unit has one cold part, and behind it its stubs */
  /* symbols that say where data begins among code, and where code again: offsets in the cold part */
  struct {
    char name[4];
    uint8_t at;
  } marks[CKJIT_MARKS_MAX];
  /* .note.gnu.property: what the code may be linked with and all of it keeps the promise of */
  uint8_t property_size;
  unsigned char property[CKJIT_PROPERTY_MAX];
  char option[32]; /* the compiler's, for it to keep that promise, too; "": none */
  struct ckjit_leads leads;
};

/* The list: CKJIT_EACH_MACHINE(M), and their files. */
#include "ck_jit_machines.h"
#define CKJIT_ADDRESS(name) &ckjit_##name,
static const struct ckjit_machine *const ckjit_machines[] = {CKJIT_EACH_MACHINE(CKJIT_ADDRESS)};
#undef CKJIT_ADDRESS
enum { CKJIT_MACHINES = sizeof ckjit_machines / sizeof *ckjit_machines };

/* The machine that ELF calls so; NULL: ckjit has no stubs for it. */
static inline const struct ckjit_machine *ckjit_machine_of(uint16_t elf) {
  for (size_t i = 0; i < CKJIT_MACHINES; i++)
    if (ckjit_machines[i]->elf == elf)
      return ckjit_machines[i];
  return NULL;
}

/* The machine whose name is TEXT, or what a triple begins with: aarch64-linux-gnu, but not aarch64_be. NULL as above. */
static inline const struct ckjit_machine *ckjit_machine_named(const char *text) {
  size_t n = strcspn(text, "-");
  for (size_t i = 0; i < CKJIT_MACHINES; i++)
    if (strlen(ckjit_machines[i]->name) == n && strncmp(text, ckjit_machines[i]->name, n) == 0)
      return ckjit_machines[i];
  return NULL;
}

/* around the code of the runtime: what the machine's compilers have to be told */
#ifndef CKJIT_CODE_BEGIN
#define CKJIT_CODE_BEGIN
#endif
#ifndef CKJIT_CODE_END
#define CKJIT_CODE_END
#endif

#ifndef CKJIT_OWN
#error "ckjit has no stubs for this machine: docs/tour.md says what is to be written"
#endif

#endif
