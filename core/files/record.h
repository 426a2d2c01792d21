/* record.h - what one call of the wrapper was: a line of manifest.json.ndjson, and the content of a stub
 * object.
 *
 * docs/formats.md, "The record", describes the format. It is written and read here without a JSON library:
 * the writer is a static program that starts thousands of times in one build, and a record is one flat
 * object.
 *
 * Text that is not UTF-8 (a file name in Latin-1) is stored as lone surrogates U+DC80…U+DCFF and restored
 * byte for byte. NUL cannot occur in an argument. Thread safety: everything here may be called from any
 * thread on its own records.
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
  RECORD_UNIT,     /* its host code is compiled, its kernels are when they are launched */
  RECORD_LINK,
  RECORD_OTHER, /* probe, preprocess, -v, standard input: passed through */
};

/* A call and its scanned command line. Paths are absolute. record_parse fills a record that owns everything;
 * record_format only reads, so a writer may point into strings of its own. */
struct record {
  enum record_kind kind;
  char *stem, *source, *output; /* NULL except for blob, dispatcher, fragment and unit */
  /* The source's text at the compile, which ends at its NUL: what the link and the first call
   * compile, whatever is at SOURCE by then. NULL in the log, and in a stub object of an earlier
   * ckjit. */
  char *source_text;
  char *copy_of;  /* not stored: SOURCE is a copy of its text, and this was its path; NULL: it is none */
  char *cwd;      /* base of relative arguments */
  char *compiler; /* the real one */
  const struct compiler *compiler_kind; /* its kind; never NULL after record_parse */
  struct reason why;                    /* of its kind; RULE_NONE: not said. Of a blob, without the text */
  struct argv args;                     /* without argv[0] */
  char *not_lazy; /* of a host source in a home with units=lazy: why it is no unit; NULL: not said */
  /* of a unit */
  char *
      stub; /* of CUDA, in the log alone: why the front end of the device runs at the build, in words; NULL: it does not */
  unsigned kernels;  /* that its host code registers, in the log alone; 0: not said */
  char *key;         /* RECORD_KEY_HEX digits: of its kernels */
  char *device_text; /* the file that they are compiled from (unittext.h) */
  struct argv archs; /* that it was built for */
  struct argv
      device; /* the words of the command that compiles that text, without architecture, source and output */
  struct ccargs cc; /* args, scanned; set by record_scan */
};

/* The kind as written in the file. */
const char *record_kind_name(enum record_kind kind);

/* Append R to OUT as one line with its newline. */
void record_format(struct buf *out, const struct record *r);

/* Append LINE (LEN bytes, including its newline) to FILE, which is created if missing, with one O_APPEND
 * write: lines of parallel compilers do not mix. False with errno (ENOSPC for a short write). */
bool record_append(const char *file, const char *line, size_t len);

/* Parse one line, with or without its newline. False with *ERR saying what was expected at which byte (the
 * caller adds file and line number); *R is then empty. Unknown keys are skipped, so that a later version can
 * add some. */
bool record_parse(const char *line, size_t len, struct record *r, char **err);

/* Scan R's arguments into R->cc: once, when they are final. All later users take them from there. */
void record_scan(struct record *r);

/* The host compiler that R's call gives nvcc by -ccbin, as a path that does not depend on the directory, or a name of the PATH; NULL: none. free() it. */
char *record_ccbin(const struct record *r);

/* Where the build has R's source: SOURCE, unless that is a copy. R's. */
const char *record_place(const struct record *r);

/* Free what record_parse and record_scan filled in. */
void record_free(struct record *r);

#endif
