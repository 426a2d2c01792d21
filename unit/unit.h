/* unit.h - the parts of ckjit-unit, in the order of main.c: which calls it takes and the words of
 * its commands (words.c), whether there can be kernels (scan.c) and it is worth it (price.c), the
 * preprocessed texts (texts.c), the key of the kernels (key.c), the object of the host's side
 * (host.c, sections.c), and what a build would notice if it were missing (place.c). For nvcc's
 * calls cuda.h has others of words, texts and object.
 *
 * One call a process: nothing is freed but what is large. Errors: a function that returns false has
 * said why in unit.why; the real compiler then gets the call. Thread safety: none.
 */
#ifndef CKJIT_UNIT_H
#define CKJIT_UNIT_H

#include "core/cache/key.h"
#include "core/files/linkedunit.h"
#include "core/files/record.h"
#include "core/base/elf.h"
#include "core/cc/nvcc.h"
#include "core/device/hoststub.h"
#include "core/files/unittext.h"

struct unit {
  const char *work;
  char **given; /* the call, as the wrapper was given it: given[0] is replaced by the real compiler */
  char *
      *environment; /* as it was then; the commands get one without variables whose words are in the record */
  const char *line; /* the wrapper's record of the call, as a host source */
  struct record record; /* that line, read; it becomes the unit's */
  char *output;         /* as given */
  bool verbose;
  bool embeds;    /* the object is to have the text, too: another build may get it from a cache */
  bool fronts;    /* what the front end makes of each text is kept with it */
  bool any_price; /* units that save little are lazy, too */
  bool
      at_link; /* ckjit-link asks, for a unit that the build has recorded: nothing is logged, and the compiler is not run */

  const char *
      text_of; /* ckjit-link asks, for the text of this key alone, which its object relies on; NULL: all is made */

  char *dir;                /* where all is made; in the work directory, removed at the end */
  char *host;               /* the host's text, without the bodies of kernels */
  size_t host_len, kernels; /* kernels: how many bodies there were */
  struct unittext
      *texts; /* the device's, one for each of record.archs; of CUDA for each virtual architecture */
  size_t ntexts;
  struct nvcc_plan plan;   /* of CUDA: nvcc's steps */
  char *depfile;           /* as the build asked for it; in dir */
  char cuid[DIGEST_HEX];   /* what host and device have in the names of static kernels */
  char *object;            /* in dir */
  struct hoststub stub;    /* of CUDA */
  struct argv device_only; /* of CUDA: those that the host's text does not name */
  struct argv names;       /* of the kernels that it registers; none: they are not known */
  struct linkedcode *code; /* what a device linker would read, for each of texts; of CUDA with -rdc=true */
  struct buf said;         /* warnings of the compiler's, for the user */

  char *why; /* why the real compiler gets the call; set by unit_not_lazy */
};

/* Is the compiler nvcc? */
static inline bool unit_is_cuda(const struct unit *u) {
  return u->record.compiler_kind->runtime == RUNTIME_CUDA;
}

/* Is its device code linked with that of others: nvcc's -rdc=true? (docs/fragments.md, "CUDA") */
static inline bool unit_is_linked(const struct unit *u) {
  return unit_is_cuda(u) && u->record.cc.rdc;
}

/* Set why. Returns false. */
bool unit_not_lazy(struct unit *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Is it a call that can be taken apart? Sets archs of the record. */
bool unit_take_call(struct unit *u);
/* May it have kernels, by the text of its files? (scan.c) */
bool unit_may_have_kernels(struct unit *u);
/* Is there a kernel in the text of FILE? (scan.c) */
bool unit_file_has_kernels(const char *file);
/* Append the source and what it includes, as far as the scan for depfiles finds it; without SYSTEM not what is found through -isystem or
 * -idirafter. Nothing, if the source cannot be read. The names are the caller's. (scan.c) */
void unit_files(const struct unit *u, bool system, struct argv *files);
/* The toolkit's directory that the compiler is in. free() it. (scan.c) */
char *unit_toolkit(const struct unit *u);
/* Does it save the build enough? (price.c) */
bool unit_is_worth_it(struct unit *u);
/* The warning that words of a command have no use in it. */
#define UNIT_UNUSED_WORDS "unused-command-line-argument"
/* The command that writes the preprocessed text for ARCH, NULL for the host, to TEXT, and what was read to
 * DEPFILE: as the build asked for it, if it is the host's. */
void unit_preprocess_words(struct argv *v, const struct unit *u, const char *arch, const char *text,
                           const char *depfile);
/* The command that compiles TEXT, preprocessed, to the host's object, with STAND_IN as its fat binary. */
void unit_host_words(struct argv *v, const struct unit *u, const char *text, const char *stand_in,
                     const char *object);
/* What a command for a device has beside architecture, source and output: set device of the record. The cuid is
 * added when it is known, by unit_key(). */
void unit_device_words(struct unit *u);

/* Run the N commands, at once. False if one fails; WHAT is what they do. */
bool unit_run(struct unit *u, const char *what, struct argv *commands, size_t n);
/* Fill in texts, host and kernels, and depfile. */
bool unit_make_texts(struct unit *u);
/* Is all of TEXT, preprocessed, in it? Else U is not lazy: it takes in a file (core/cc/takes.h). */
bool unit_text_is_whole(struct unit *u, const char *text, size_t len);

/* Set cuid, key and device_text. */
bool unit_key(struct unit *u);

/* Make the host's object, with its record. */
bool unit_make_object(struct unit *u);
/* Append what the object has beside the host's code, to be compiled with it: the record's section, a reference, and if it embeds it the
 * device's text. */
bool unit_put_sections(struct unit *u, struct buf *text, const struct buf *record);

/* Write text, depfile and record, and last the object. */
bool unit_place(struct unit *u);

#endif
