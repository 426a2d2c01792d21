/* record.h - what one call of the wrapper was: a line of manifest.json.ndjson, and the content of a stub
 * object.
 *
 * docs/formats.md, "The record", is the format. Written and read here without a JSON library: the writer is a
 * static program that starts thousands of times in one build, and a record is one flat object.
 *
 * Text that is not UTF-8 (a file name in Latin-1) travels as lone surrogates U+DC80…U+DCFF and comes back
 * byte for byte. NUL cannot occur: it cannot be in an argument. Thread safety: everything here may be called
 * from any thread on records of its own.
 */
#ifndef CKJIT_RECORD_H
#define CKJIT_RECORD_H

#include "core/cc/compiler.h"

#define RECORD_FILE "manifest.json.ndjson" /* in the work directory */

enum record_kind {
  RECORD_BLOB,
  RECORD_DISPATCHER,
  RECORD_FRAGMENT, /* device functions alone, with -fgpu-rdc */
  RECORD_HOST,     /* compiled by the real compiler */
  RECORD_LINK,
  RECORD_OTHER, /* probe, preprocess, -v, standard input: passed through */
};

/* A call, and how its command line reads. Paths are absolute. record_parse fills a record
 * that owns everything; record_format only reads, so a writer may point into strings of its own. */
struct record {
  enum record_kind kind;
  char *stem, *source, *output;         /* NULL but for blob, dispatcher and fragment */
  char *cwd;                            /* what relative arguments are relative to */
  char *compiler;                       /* the real one */
  const struct compiler *compiler_kind; /* its kind; never NULL after record_parse */
  struct argv args;                     /* without argv[0] */
  struct ccargs cc;                     /* args, read; set by record_scan */
};

/* the kind as it stands in the file */
const char *record_kind_name(enum record_kind kind);

/* append R to OUT as one line with its newline */
void record_format(struct buf *out, const struct record *r);

/* Append LINE (LEN bytes, its newline included) to FILE, made if it is missing, with one O_APPEND write:
 * lines of parallel compilers do not mix. False with errno (ENOSPC for a short write). */
bool record_append(const char *file, const char *line, size_t len);

/* Read one line back, its newline optional. false with *ERR saying what was expected at which byte (the
 * caller adds file and line number), *R then being empty. Unknown keys are skipped, so that a later ckjit may
 * add some. */
bool record_parse(const char *line, size_t len, struct record *r, char **err);

/* Read R's arguments into R->cc: once, when they are what they shall be. Everybody who is handed R after that takes them
 * from there. */
void record_scan(struct record *r);

/* free what record_parse and record_scan filled in */
void record_free(struct record *r);

#endif
