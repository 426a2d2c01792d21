/* ccenv.h - the environment variables that a compiler reads besides its command line, and how ckjit
 * treats each. This is the only list of them.
 *
 * A unit is compiled later, in the environment of any job instead of that of the recorded call. The
 * job's settings must not change the code, because the result is kept under a key that does not
 * depend on the job. So a compile gets an environment that is made for it (ccenv_make), of three
 * kinds of variables:
 *
 *     CCENV_TOOLCHAIN   as they were when the library was linked
 *     CCENV_LIFE        needed by any process
 *     CCENV_LAUNCHER    needed by ccache and similar programs: where the cache is, who may use it
 *
 * Nothing else reaches a compiler. A variable that holds options becomes options in the record
 * (BEFORE, BEHIND). A variable that no option can express prevents the call from being recorded
 * (BENDS, ADDS).
 *
 * Thread safety: constants; the environment is read. ccenv_clean() changes it.
 */
#ifndef CKJIT_CCENV_H
#define CKJIT_CCENV_H

#include "compiler.h"

enum {
  /* options, before those of the command line */
  CCENV_BEFORE = 1,
  /* options, after those of the command line */
  CCENV_BEHIND = 2,
  /* even if empty: adds outputs or changes how the line is read */
  CCENV_BENDS = 4,
  CCENV_ADDS = 8, /* as CCENV_BENDS, unless it is empty */
  /* removed from the environment of a recorded command */
  CCENV_CLEANED = 16,
  /* selects the programs and libraries that make up the compiler */
  CCENV_CHOOSES = 32,
  /* a compile gets the value of the library's link, an empty one being none */
  CCENV_TOOLCHAIN = 64,
  /* … and it is in the key: it changes the code, and no file that is hashed shows it */
  CCENV_KEYED = 128,
  /* … if __DATE__ or its like is in what is compiled */
  CCENV_DATED = 4096,
  /* its value is a ':' list of directories, recorded as absolute ones */
  CCENV_PATH = 256,
  CCENV_DIR = 8192, /* its value is one directory */
  CCENV_LIFE = 512, /* a compile gets the job's */
  /* the same; NAME* is each variable whose name begins so */
  CCENV_LAUNCHER = 1024,
  /* … but for this one, which would choose a compiler or weaken a launcher's hash */
  CCENV_WITHHELD = 2048,
};

struct cc_variable {
  /* kind: of the compilers that read it; NULL: all */
  const char *name, *kind;
  unsigned what;
  /* for CCENV_BEFORE and CCENV_BEHIND; a NULL option: the value itself is words */
  const char *option; /* the option that takes the value */
  /* one option per entry of a ':' list; an empty entry is the current directory */
  bool list;
};

/* The variables; a row without a name ends them. */
extern const struct cc_variable ccenv[];

/* Does a compiler of kind C read V? */
bool ccenv_is_read(const struct cc_variable *v, const struct compiler *c);
/* Is a variable set that makes a compiler of kind C do something its command line does not say? */
bool ccenv_is_bent(const struct compiler *c);
/* The value used if PATH is not known. */
#define CCENV_PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* Append "NAME=VALUE" of each CCENV_TOOLCHAIN variable that compilers of kind C may read and that
 * is set here and not empty, in the table's order. */
void ccenv_toolchain(struct argv *list, const struct compiler *c);
/* Is VARIABLE, "NAME=VALUE", of CCENV_KEYED, or if what is compiled is DATED of CCENV_DATED? */
bool ccenv_is_keyed(const char *variable, bool dated);
/* Does VARIABLE, "NAME=VALUE", name directories: CCENV_PATH, CCENV_DIR, or 0. */
int ccenv_directories(const char *variable);
/* Append to ENV all that a compiler is started with: TOOLCHAIN ("NAME=VALUE", of ccenv_toolchain;
 * without a PATH: the default), what a process and a launcher need, of this process's environment,
 * and TEMPORARY as TMPDIR. NULL: TMPDIR is this process's. */
void ccenv_make(struct argv *env, const struct argv *toolchain, const char *temporary);
/* Remove from this process's environment the variables whose options a recorded command already
 * contains. */
void ccenv_clean(void);

#endif
