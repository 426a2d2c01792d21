/* ck_jit_machine.h - the machines that libraries can be for: what differs between them, as data.
 *
 * Each machine has one file, ck_jit_<name>.h, with everything: the names of the machine for ELF and
 * the compilers, the machine code of a forwarding stub, ckjit_trampoline, and the small trampolines
 * of ck_jit_registry.h. make finds these files and lists them. A library's machine is its
 * compiler's target, not the machine on which ckjit runs: the link uses the ELF machine of the
 * objects, the runtime the compiler's macros (__aarch64__). docs/tour.md describes how to add a
 * machine.
 *
 * A stub is a form: bytes with holes. The link fills the holes or leaves them to the linker, by
 * relocations; the runtime reads them again (ck_jit_stub.h). So neither knows an instruction.
 *
 * libc only, no state, thread-safe. The tables have no pointers, so they need no relocations in a
 * user's library. Each unit that includes this has its own copy: compare machines by their ELF
 * numbers.
 */
#ifndef CK_JIT_MACHINE_H
#define CK_JIT_MACHINE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* the purpose of a hole */
enum ckjit_hole_of {
  CKJIT_HOLE_NONE, /* the end of the list */
  /* of the stub: the distance to its slot */
  CKJIT_HOLE_SLOT,
  /* of the stub: its number in the unit */
  CKJIT_HOLE_INDEX,
  /* of the stub: the distance to the cold part, in the same section */
  CKJIT_HOLE_COLD,
  /* of the cold part: the unit's number */
  CKJIT_HOLE_UNIT,
  /* of the cold part: the distance to the first slot */
  CKJIT_HOLE_SLOTS,
  /* of the cold part: the distance to ckjit_trampoline */
  CKJIT_HOLE_TRAMPOLINE,
  /* of the code that finds a thread-local variable: the variable, and __tls_get_addr */
  CKJIT_HOLE_VARIABLE,
  CKJIT_HOLE_GETTER,
};

/* the encoding of a hole */
enum ckjit_hole_as {
  CKJIT_AS_WORD, /* 4 bytes: a number */
  /* 4 bytes: the distance from the byte after them */
  CKJIT_AS_NEXT32,
  /* 8 bytes: the distance from offset FROM of the form */
  CKJIT_AS_DISTANCE,
  /* an instruction whose lower 26 bits are the distance from itself, in words */
  CKJIT_AS_BRANCH26,
  /* an instruction that the linker may replace; nobody reads it */
  CKJIT_AS_LINKER_IS,
};

struct ckjit_hole {
  uint8_t of, as, at, from;
  /* its type; 0: the link fills the hole */
  uint16_t relocation;
  int16_t addend; /* of slot 0, for a hole of a slot */
};

/* Functions with another calling convention than the machine's usual one. When the dynamic linker
 * binds a call lazily, it preserves only the registers of the usual convention. BITS of st_other of
 * the symbol, and of its stub, mark such a function. clang does not set them for an alias, and a
 * forwarding unit has only aliases: there a function counts as one if its name or its declaration
 * has one of the WORDS, which end at the first empty one. A function that is marked wrongly is
 * bound early; nothing else changes. */
enum { CKJIT_CALLS_WORDS = 8 };
struct ckjit_calls {
  uint8_t bits;
  char words[CKJIT_CALLS_WORDS][20];
};

enum { CKJIT_FORM_MAX = 64, CKJIT_HOLES_MAX = 5, CKJIT_MARKS_MAX = 3, CKJIT_PROPERTY_MAX = 32 };

struct ckjit_form {
  /* Its bytes, and how many of them are code; the rest is padding. */
  uint8_t size, code;
  unsigned char bytes[CKJIT_FORM_MAX];
  struct ckjit_hole holes[CKJIT_HOLES_MAX]; /* in the order of their offsets */
};

/* An instruction with a built-in distance, without a relocation. Its lower BITS after SHIFT are a
 * signed distance, in units of SCALE bytes, from the address FROM bytes after its beginning. It is
 * such an instruction if its first bytes, masked with MASK, equal IS. */
struct ckjit_jump {
  uint32_t mask, is;
  uint8_t shift, bits, scale, from;
};

/* relocations, by their types: from FIRST to LAST */
struct ckjit_relocations {
  uint16_t first, last;
};

enum { CKJIT_RELOCATIONS_MAX = 4, CKJIT_JUMPS_MAX = 7 };

/* Tells compile/hostonly where the code in a compiler's object leads. Anything that is not listed
 * here is in doubt. 0 ends a list. */
struct ckjit_leads {
  struct ckjit_relocations absolute[CKJIT_RELOCATIONS_MAX]; /* relocations that hold an address */
  /* relocations that hold a distance, from BEHIND bytes after their place */
  struct ckjit_relocations relative[CKJIT_RELOCATIONS_MAX];
  uint8_t behind;
  /* Distance from one instruction to the next; 1: the size varies, so a match may not be an
   * instruction. */
  uint8_t step;
  struct ckjit_jump jumps[CKJIT_JUMPS_MAX];
  /* Code of a function that does nothing and may be called from anywhere. */
  uint8_t nothing_size;
  unsigned char nothing[8];
  /* Prefix of the compiler's helper functions that exist on this machine only; "": none. */
  char helpers[12];
};

struct ckjit_machine {
  /* its name in uname -m, and the first part of a compiler's triple */
  char name[12];
  /* its directory below targets/ of a CUDA toolkit; "": none */
  char toolkit[16];
  uint16_t elf; /* EM_X86_64 … */
  /* type of the relocation of a word that is the distance from itself */
  uint16_t relative32;
  /* types of the relocations of 8 bytes: an address, and the distance from itself */
  uint16_t absolute64, distance64;
  /* types of the dynamic relocations of 8 bytes that are the address of a symbol, in a table; the
   * second one of functions that are only called */
  uint16_t got, got_of_calls;
  /* type of the dynamic relocation of 8 bytes that is the module of a thread-local variable; the
   * variable's place in the module's block is in the 8 bytes after it */
  uint16_t thread_module;
  /* relocations of compilers, of 4 bytes, whose distance counts from the byte after them */
  uint16_t behind[2];
  struct ckjit_calls calls;
  unsigned char fill; /* padding of code */
  /* A unit has one cold part, followed by its stubs. */
  struct ckjit_form cold, stub;
  /* A function that returns the address of a thread-local variable, in the sequence that linkers
   * know. */
  struct ckjit_form thread;
  /* Symbols that mark where data begins among code, and where code begins again: offsets in the
   * cold part. */
  struct {
    char name[4];
    uint8_t at;
  } marks[CKJIT_MARKS_MAX];
  /* .note.gnu.property: the promise that all code of the library keeps. */
  uint8_t property_size;
  unsigned char property[CKJIT_PROPERTY_MAX];
  /* compiler's option for that promise; "": none */
  char option[32];
  struct ckjit_leads leads;
};

/* The list: CKJIT_EACH_MACHINE(M), and their files. */
#include "ck_jit_machines.h"
#define CKJIT_ADDRESS(name) &ckjit_##name,
static const struct ckjit_machine *const ckjit_machines[] = {CKJIT_EACH_MACHINE(CKJIT_ADDRESS)};
#undef CKJIT_ADDRESS
enum { CKJIT_MACHINES = sizeof ckjit_machines / sizeof *ckjit_machines };

/* The machine with this ELF number; NULL: ckjit has no stubs for it. */
static inline const struct ckjit_machine *ckjit_machine_of(uint16_t elf) {
  for (size_t i = 0; i < CKJIT_MACHINES; i++)
    if (ckjit_machines[i]->elf == elf)
      return ckjit_machines[i];
  return NULL;
}

/* The machine whose name is TEXT or the first part of the triple TEXT: aarch64-linux-gnu, but not
 * aarch64_be. NULL as above. */
static inline const struct ckjit_machine *ckjit_machine_named(const char *text) {
  size_t n = strcspn(text, "-");
  for (size_t i = 0; i < CKJIT_MACHINES; i++)
    if (strlen(ckjit_machines[i]->name) == n && strncmp(text, ckjit_machines[i]->name, n) == 0)
      return ckjit_machines[i];
  return NULL;
}

/* These surround the code of the runtime: directives for the machine's compilers. */
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
