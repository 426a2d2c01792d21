/* profile.h - profiles: the description of one kind of build (share/profiles/NAME.yaml).
 *
 * A profile is flat YAML, each key a string or a list of strings; hip.yaml explains every key.
 * `ckjit-build home` reads it once and writes it into the fake home's ckjit.conf, because the
 * wrapper, which starts thousands of times, should not read YAML.
 */
#ifndef CKJIT_PROFILE_H
#define CKJIT_PROFILE_H

#include "core/base/argv.h"

struct profile {
  char *file;  /* where it was read from */
  char *about; /* one line for people */
  char *kind;  /* of compiler (core/cc/compiler.h); NULL: HIP's */
  struct argv home_vars, compilers, cxx, tools;
  struct argv keep; /* "sources", "bundle" or none */
  /* "lazy", UNITS_ALL (core/files/home.h) or none */
  struct argv units;
  struct argv front;                                     /* FRONT_BUILD, "launch" or none */
  struct argv yes, no, families, dispatchers, generated; /* globs */
  struct argv harmless_types;
};

/* Read FILE. NULL with *ERR set ("file:line: …", free() it) if it cannot be read, is not YAML, has
 * an unknown key, a key twice or a value of another type, or lacks a compiler. */
struct profile *profile_read(const char *file, char **err);
void profile_free(struct profile *p);
/* The profile that --profile NAME means; ends the program with a message if it cannot be read. */
struct profile *profile_open(const char *name);

#endif
