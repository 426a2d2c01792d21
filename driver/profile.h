/* profile.h - rule profiles: what ckjit must know about one kind of build (share/profiles/NAME.yaml).
 *
 * A profile is flat YAML, each key a string or a list of strings; hip.yaml explains every key. It is read
 * once, by `ckjit-build home`, and goes into the fake home's ckjit.conf: the wrapper, which starts thousands
 * of times, reads no YAML.
 */
#ifndef CKJIT_PROFILE_H
#define CKJIT_PROFILE_H

#include "core/base/argv.h"

struct profile {
  char *file;  /* where it was read from */
  char *about; /* one line for people */
  char *kind;  /* of compiler (core/cc/compiler.h); NULL: HIP's */
  struct argv home_vars, compilers, cxx, tools;
  struct argv keep;                                      /* "sources" or none */
  struct argv yes, no, families, dispatchers, generated; /* globs */
};

/* Read FILE. NULL with *ERR set ("file:line: …", free() it) where it cannot be read, is no YAML, holds an
 * unknown key, a key twice or a value of another type, or lacks a compiler. */
struct profile *profile_read(const char *file, char **err);
void profile_free(struct profile *p);
/* the file that --profile NAME means: NAME itself where it has a slash, else share/ckjit/profiles/NAME.yaml;
 * free() it */
char *profile_file(const char *name);
/* the profile that --profile NAME means; ends the program with a message if it cannot be read */
struct profile *profile_open(const char *name);

#endif
