/* commands.h - the table of ckjit-prebuild's commands. Thread safety: for the main thread. */
#ifndef CKJIT_PREBUILD_COMMANDS_H
#define CKJIT_PREBUILD_COMMANDS_H

#include "prebuild.h"

struct command {
  const char *name;
  int (*run)(struct request *r); /* returns the exit status */
  const char *summary;           /* its line in the overview */
  const char *usage, *text;      /* the beginning of its help page */
};

/* In the order in which they are listed. */
extern const struct command commands[];
extern const size_t ncommands;

/* Positions in the table, as bits, for the options that belong to several commands. */
enum {
  LIST = 1,
  BUILD = 2,
  CLEAN = 4,
  TIMES = 8,
  EXPORT = 16,
  MATRIX = 32,
  PACK = 64,
  UNPACK = 128,
  STATUS = 256,
  WARM = 512,
  READY = 1024,
  CACHE = 2048,
  VERIFY = 4096,
  STATS = 8192,
  DOCTOR = 16384,
  TRACE = 32768,
  LOG = 65536,
  REPORT = 131072,
  KEYGEN = 262144,
  SIGN = 524288,
  ALL = 1048575,
  OF_RECORD = WARM | READY, /* their arguments are libraries */
  OF_BLOBS = LIST | BUILD | CLEAN | TIMES | EXPORT | PACK,
  OF_LIBRARY = OF_BLOBS | OF_RECORD | CACHE | VERIFY | REPORT /* where.c finds their manifest */
};

/* The row of NAME; NULL if there is no such command, or NAME is NULL. */
const struct command *command_named(const char *name);
/* Their names, ending with NULL; static. */
const char *const *command_names(void);

#endif
