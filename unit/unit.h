/* unit.h - the parts of ckjit-unit, in the order of main.c: which calls it accepts and the words of
 * its commands (words.c), whether there can be kernels (scan.c) and lazy compiling is worth it
 * (price.c), the preprocessed texts (texts.c), the key of the kernels (kernelkey.c), the object of
 * the host side (host.c, sections.c), and the files that the build expects (outputs.c). For nvcc's
 * calls cuda.h has other functions for words, texts and object.
 *
 * One call a process: only large things are freed. Errors: a function that returns false has set
 * unit.why; then the real compiler gets the call. Thread safety: none.
 */
#ifndef CKJIT_UNIT_H
#define CKJIT_UNIT_H

#include "core/cache/key.h"
#include "core/files/linkedunit.h"
#include "core/files/record.h"
#include "core/base/elf.h"
#include "core/cc/nvcc.h"
#include "core/cc/steps.h"
#include "core/device/hoststub.h"
#include "core/files/unittext.h"

struct unit {
  const char *work;
  /* the wrapper's call; given[0] is replaced by the real compiler */
  char **given;
  /* that of the call; the commands get it without variables whose words are in the record */
  char **environment;
  /* the wrapper's record of the call, as a host source */
  const char *line;
  /* that line, parsed; it becomes the unit's */
  struct record record;
  char *output; /* as given */
  bool verbose;
  /* the object gets the text, too, because another build may get it from a cache */
  bool embeds;
  /* the texts get the front end's output */
  bool fronts;
  /* make units lazy that save little, too */
  bool any_price;
  /* ckjit-link runs this for a unit that the build has recorded: no log, no compiler */
  bool at_link;

  /* ckjit-link needs only the text of this key, on which its object relies; NULL: make
   * everything */
  const char *text_of;

  /* what the key has of the compiler, from a caller that knows it; NULL: ask */
  const char *compiler;

  /* HIP: the file with the driver's answer to -### for the call; NULL: ask. And the steps in it */
  const char *answer;
  struct steps steps;

  /* directory for all files; in the work directory, removed at the end */
  char *dir;
  /* the host's text, without the bodies of kernels */
  char *host;
  size_t host_len, kernels; /* kernels: the number of bodies */
  /* the device's, one for each of record.archs; for CUDA for each virtual architecture */
  struct unittext *texts;
  size_t ntexts;
  struct nvcc_plan plan; /* of CUDA: nvcc's steps */
  char *depfile;         /* as the build requested it; in dir */
  /* part of the names of static kernels, on host and device */
  char cuid[DIGEST_HEX];
  char *object;         /* in dir */
  struct hoststub stub; /* CUDA */
  /* of CUDA: those that the host's text does not name */
  struct argv device_only;
  /* device names of the kernels that it registers; empty: not known */
  struct argv names;
  /* the facts for a device linker, for each of texts; of CUDA with -rdc=true */
  struct linkedcode *code;
  /* warnings of the compiler, for the user */
  struct buf said;

  /* why the real compiler gets the call; set by unit_not_lazy */
  char *why;
};

/* Is the compiler nvcc? */
static inline bool unit_is_cuda(const struct unit *u) {
  return u->record.compiler_kind->runtime == RUNTIME_CUDA;
}

/* Is its device code linked with that of others: -fgpu-rdc, nvcc's -rdc=true? (docs/fragments.md,
 * "Ordinary units") */
static inline bool unit_is_linked(const struct unit *u) {
  return u->record.cc.rdc;
}

/* Set why. Returns false. */
bool unit_not_lazy(struct unit *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Is it a call that can be taken apart? Sets archs of the record. */
bool unit_take_call(struct unit *u);
/* Take from it the architectures, each of which IS_PLAIN and is called so after OPTION, and the
 * output. */
bool unit_take_target(struct unit *u, bool (*is_plain)(const char *arch), const char *option);
/* Can it have kernels, by the text of its files? (scan.c) */
bool unit_may_have_kernels(struct unit *u);
/* Does the text of FILE have a kernel? (scan.c) */
bool unit_file_has_kernels(const char *file);
/* Append the source and its includes, as far as the scan for depfiles finds them; without SYSTEM
 * not those found through -isystem or -idirafter. Nothing if the source cannot be read. The caller
 * owns the names. (scan.c) */
void unit_files(const struct unit *u, bool system, struct argv *files);
/* The directory of the compiler's toolkit. free() it. (scan.c) */
char *unit_toolkit(const struct unit *u);
/* Does it save the build enough? (price.c) */
bool unit_is_worth_it(struct unit *u);
/* The command that writes the preprocessed text for ARCH, NULL for the host, to TEXT, and its
 * inputs to DEPFILE: for the host as the build requested it. */
void unit_preprocess_words(struct argv *v, const struct unit *u, const char *arch, const char *text,
                           const char *depfile);
/* The command that compiles TEXT, preprocessed, to the host's object, with STAND_IN as its fat
 * binary. */
void unit_host_words(struct argv *v, const struct unit *u, const char *text, const char *stand_in,
                     const char *object);
/* Set device of the record: the words of a device command beside architecture, source and output.
 * unit_key() adds the cuid later. */
void unit_device_words(struct unit *u);

/* The command that compiles a device's TEXT for ARCH to BITCODE with all bodies, not optimised: it
 * has what a device linker would find in the unit. */
void unit_front_words(struct argv *v, const struct unit *u, const char *arch, const char *text,
                      const char *bitcode);

/* Run the N commands at the same time. False if one fails; WHAT names their task. */
bool unit_run(struct unit *u, const char *what, struct argv *commands, size_t n);
/* The file of HIP's text I with EXTENSION: hipi, or d for its depfile. free() it. */
char *unit_device_file(const struct unit *u, size_t i, const char *extension);
/* Fill in texts, host and kernels, and depfile. */
bool unit_make_texts(struct unit *u);
/* Is all of TEXT, preprocessed, in it? Otherwise U is not lazy: it takes in a file
 * (core/cc/takes.h). */
bool unit_text_is_whole(struct unit *u, const char *text, size_t len);

/* Set cuid, key and device_text. */
bool unit_key(struct unit *u);

/* ---- linkfacts.c ---- */

/* The file for the front end's bitcode of text I, which may be that of an equal text. free() it. */
char *unit_linked_bitcode(const struct unit *u, size_t i);
/* Read these files of a unit whose device code is linked: sets code. */
bool unit_linked_read(struct unit *u);

/* Make the host's object, with its record. */
bool unit_make_object(struct unit *u);
/* Append the additions to the host's code, to be compiled with it: the record's section, a
 * reference, and if the object embeds it the device's text. */
bool unit_put_sections(struct unit *u, struct buf *text, const struct buf *record);

/* Write text, depfile and record, and last the object. */
bool unit_place(struct unit *u);

#endif
