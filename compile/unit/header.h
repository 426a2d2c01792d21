/* header.h - the precompiled header of a lazy unit of HIP: the front end's result for its text.
 *
 *     <cache>/.pch/<key>.unit.list   the kernel that was compiled from the text first, or the header's hash, or that none can be had
 *     <cache>/.pch/<key>.unit.pch    the header
 *     <cache>/.pch/<key>.unit.h      the text that it was made from; clang needs to see it again
 *
 * Each kernel's compile reads the unit's text again: for a unit with PyTorch's headers that is most
 * of its cost. So the process that compiles the second kernel makes the header
 * (devicetext_select_later), and that kernel and the later ones are selected after it. The first
 * kernel pays nothing: from many units only one kernel is launched.
 *
 * One process makes it, under a lock; others wait, because making it takes about as long as it
 * saves. A header whose size or hash differs from the list is ignored. It belongs to one compiler:
 * its programs' stamps, and the words of the inputs and the variant about them, are in its key.
 */
#ifndef CKJIT_COMPILE_UNIT_HEADER_H
#define CKJIT_COMPILE_UNIT_HEADER_H

#include "compile/task.h"
#include "core/cc/steps.h"

struct unit_header {
  bool ready;      /* FILE can be used */
  bool to_be_made; /* by us, of TEXT; the lock is held */
  bool ours;       /* we have made it, or tried to */
  /* name: of the list, which is a memo */
  char *file, *text, *list, *name, *dir, *lock_path;
  const struct compile_task *t;
  int lock;
};

/* Looks for the header of T's unit for ARCH. If it is time to make the header, gets the lock, or
 * waits for the process that has it. WORDS: the command that compiles a kernel, without files; STEPS: what it runs.
 * unit_header_free in any case. */
void unit_header_find(struct unit_header *h, const struct compile_task *t, const char *arch,
                      const struct argv *words, const struct steps *steps);
/* T's kernel was compiled from the text alone: the next one makes the header. */
void unit_header_note(const struct unit_header *h);
/* MADE, a file in the temporary directory, is what the compiler made of h->text: give it its name,
 * and end the lock. NULL: there is none; if it was REFUSED, nobody is to make it again. */
void unit_header_keep(struct unit_header *h, const char *made, bool refused);
/* The compiler does not take it, but it takes the text: remove it, and let nobody make it again. */
void unit_header_refuse(struct unit_header *h);
void unit_header_free(struct unit_header *h);

#endif
