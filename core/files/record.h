/* record.h - one call of the wrapper: a line of manifest.json.ndjson, and the content of a stub
 * object.
 *
 * docs/formats.md, "The record", describes the format. It is written and read here without a JSON
 * library: the writer is a static program that starts thousands of times in one build, and a record
 * is one flat object.
 *
 * Text that is not UTF-8 (a file name in Latin-1) is stored as lone surrogates U+DC80…U+DCFF and
 * restored byte for byte. NUL cannot occur in an argument. Thread safety: everything here may be
 * called from any thread on its own records.
 */
#ifndef CKJIT_RECORD_H
#define CKJIT_RECORD_H

#include "core/base/reason.h"
#include "core/cc/compiler.h"

#define RECORD_FILE "manifest.json.ndjson" /* in the work directory */

enum { RECORD_KEY_HEX = 32 };

enum record_kind {
  RECORD_BLOB,
  RECORD_DISPATCHER,
  RECORD_FRAGMENT, /* only device functions, with -fgpu-rdc */
  RECORD_HOST,     /* compiled by the real compiler */
  /* host code compiled by the build, kernels when they are launched */
  RECORD_UNIT,
  RECORD_LINK,
  /* probe, preprocess, -v, standard input: passed through */
  RECORD_OTHER,
};

/* A call and its scanned command line. Paths are absolute. record_parse fills a record that owns
 * everything; record_format only reads, so a writer may point into its own strings. */
struct record {
  enum record_kind kind;
  /* NULL except for blob, dispatcher, fragment and unit */
  char *stem, *source, *output;
  /* The source's text at the compile, which ends at its NUL. The link and the first call compile
   * it, even if SOURCE has changed since. NULL in the log, and in a stub object of an earlier
   * ckjit. */
  char *source_text;
  /* not stored: the original path, if SOURCE is a copy of its text; otherwise NULL */
  char *copy_of;
  char *cwd;                            /* base of relative arguments */
  char *compiler;                       /* the real one */
  const struct compiler *compiler_kind; /* never NULL after record_parse */
  /* the reason for its kind; RULE_NONE: not given; for a blob without the text */
  struct reason why;
  struct argv args; /* without argv[0] */
  /* of a host source in a home with units=lazy: why it is not a unit; NULL: not given */
  char *not_lazy;
  /* Of a unit. */
  /* for CUDA, in the log only: why the device's front end runs at the build, in words; NULL: it
   * does not */
  char *stub;
  /* number that its host code registers, in the log only; 0: unknown */
  unsigned kernels;
  /* key of its kernels, RECORD_KEY_HEX digits */
  char *key;
  /* the file from which they are compiled (unittext.h) */
  char *device_text;
  /* the architectures that it was built for */
  struct argv archs;
  /* the words of the command that compiles that text, without architecture, source and output */
  struct argv device;
  struct ccargs cc; /* args, scanned; set by record_scan */
};

/* The kind as written in the file. */
const char *record_kind_name(enum record_kind kind);

/* Append R to OUT as one line with its newline. */
void record_format(struct buf *out, const struct record *r);

/* Append LINE (LEN bytes, including its newline) to FILE, which is created if missing, with one
 * O_APPEND write: lines of parallel compilers do not mix. False with errno (ENOSPC for a short
 * write). */
bool record_append(const char *file, const char *line, size_t len);

/* Parse one line, with or without its newline. False with *ERR saying what was expected at which
 * byte (the caller adds file and line number); *R is then empty. Unknown keys are skipped, so that
 * a later version can add some. */
bool record_parse(const char *line, size_t len, struct record *r, char **err);

/* Scan R's arguments into R->cc: once, when they are final. All later users read them there. */
void record_scan(struct record *r);

/* The host compiler that R's call passes to nvcc by -ccbin, as a path that does not depend on the
 * directory, or a name of the PATH; NULL: none. free() it. */
char *record_ccbin(const struct record *r);

/* The path of R's source in the build: SOURCE, unless that is a copy. R's. */
const char *record_place(const struct record *r);

/* Free what record_parse and record_scan filled in. */
void record_free(struct record *r);

#endif
