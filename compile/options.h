/* options.h - the command line of ckjit-compile, as given.
 *
 * Ownership: the texts are those of argv. Errors: a wrong command line ends the program with
 * EXIT_USAGE, --help and --version end it with EXIT_OK.
 */
#ifndef CKJIT_COMPILE_OPTIONS_H
#define CKJIT_COMPILE_OPTIONS_H

#include "core/base/argv.h"
#include "core/cc/compiler.h"
#include "core/files/exportformat.h"

/* NULL for an option that was not given. */
struct compile_options {
  const char *source, *flags;  /* direct mode */
  const char *blob, *manifest; /* manifest mode */
  const char *output, *root, *bundle, *link, *arch, *build_id, *hipcc, *build_hipcc, *inputs;
  const char *kind;   /* of compiler */
  const char *format; /* NULL: an entry of a cache */
  const char *add_flags;
  const char *kernel, *entry; /* one kernel of a blob of CUDA */
  /* hash of the mangled name of the function that is called; NULL: not said */
  const char *function;
  bool likely; /* … and hardly launches */
  /* the build id of the blob compiled whole */
  const char *per_kernel;
  int output_fd; /* -1: none */
  bool cache, verbose, progress;
  const char *soname, *built;
  const char *host_target; /* a triple: the host side of an export is for that machine */
  struct argv symbols, parts;
  bool probe;
  /* what another process is compiling is left to that one; and we end with our parent */
  bool unless_busy;
  bool look; /* whether the cache has it, and nothing more */
  /* the library whose call this is for, by its base name: to be recorded; NULL: it is for none */
  const char *used_by;
  /* with ahead: go on when that process has ended */
  bool detach;
  /* with ahead: so many of the commands, the first ones, are needed at once */
  int together;
  /* compile the commands of list_fd beside a compile of this process; 0: nothing of the kind */
  int ahead;
  int list_fd;
};

/* read the command line, and check that its options go together */
void compile_options_read(struct compile_options *o, char **argv);
void compile_options_free(struct compile_options *o);

#endif
