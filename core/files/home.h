/* home.h - H/ckjit.conf, the file that makes a directory a fake home of ROCm or CUDA
 * (docs/formats.md, "The fake home").
 *
 * ckjit-build writes it once from a profile; the wrapper reads it at each of its thousands of
 * starts. So it is flat text that takes one read and one pass over the lines, and only ckjit-build
 * reads YAML.
 *
 * Ownership: a struct home owns all its strings. Errors: *ERR is a message that names file and
 * line; free() it. Thread safety: no shared state, except for home_leave*, which change the
 * environment.
 */
#ifndef CKJIT_HOME_H
#define CKJIT_HOME_H

#include "abi/ck_jit_machine.h"
#include "core/base/argv.h"

#define HOME_FILE "ckjit.conf"

#define FRONT_BUILD "build" /* value of front: at the build */
#define UNITS_ALL "all"     /* value of units: also those that save the build little */
/* in units: the host side of each is made at the build */
#define UNITS_BUILD "build"

/* The name of clang++ in ROCm's bin/; a fake home has it even if the real one does not. */
#define CLANG_NAME "amdclang++"

struct home {
  /* H itself, absolute; not in the file */
  char *dir;
  char *real_home; /* the real home */
  /* the program of the names in `compilers` */
  char *real_compiler;
  char *real_cxx; /* the program of the names in `cxx` */
  /* work directory; CK_JIT_TMP_DIR overrides it */
  char *work;
  char *link; /* the post-build linker */
  /* "NAME": unset in every child; "NAME=VALUE": set */
  struct argv home_vars;
  struct argv compilers; /* names for real_compiler */
  /* kind of compiler (core/cc/compiler.h): one word; none: HIP's */
  struct argv kind;
  /* "sources": copy them into the work directory; "bundle": into the library as well; none: do
   * not */
  struct argv keep;
  /* real_compiler's target, a name of ck_jit_machine.h; none: the machine that ckjit runs on */
  struct argv machine;
  /* the clang++ that real_compiler starts, if known: one path or none */
  struct argv clang;
  /* names for real_cxx; "ckjit-cxx" is one as well, and is not listed */
  struct argv cxx;
  struct argv tools; /* names passed to real_home/bin/NAME */
  /* names of programs of the PATH that read the symbols of objects: nm … */
  struct argv readers;
  /* names of programs that change them: objcopy */
  struct argv editors;
  /* globs on a source's base name: always a blob, always a host source */
  struct argv yes, no;
  /* globs on the base name: a blob if the content does not decide */
  struct argv family;
  /* globs on the base name: an API dispatcher */
  struct argv dispatcher;
  /* "only": report how a call would be recorded, and do nothing else; none: as always */
  struct argv judge;
  /* "lazy", UNITS_BUILD, UNITS_ALL: ordinary units go to ckjit-unit; none: to the real compiler */
  struct argv units;
  /* FRONT_BUILD: the compiler's front end reads CUDA's lazy units at the build; none: at a first
   * launch */
  struct argv front;
  /* types whose constructors have no visible effects (core/cxx/cxxstate.h) */
  struct argv harmless;
  /* globs on the whole path that narrow `family`; none: no narrowing */
  struct argv generated;
};

/* The target of H's compiler. */
const struct ckjit_machine *home_machine(const struct home *h);

/* Are ordinary units lazy, by CK_JIT_UNITS, else by H? */
bool home_wants_units(const struct home *h);
/* Are those that define functions alone to be compiled as a whole when one of these is called? */
bool home_wants_late(const struct home *h);
/* Append to V the options of ckjit-unit that H contains. */
void home_unit_options(const struct home *h, struct argv *v);

/* The home that the running program is installed in: the parent of the directory of /proc/self/exe.
 * free() it. */
char *home_find(void);

/* Read DIR/ckjit.conf. NULL with *ERR if it is missing, damaged or of another format. */
struct home *home_read(const char *dir, char **err);

/* Write H->dir/ckjit.conf atomically. False with *ERR if it cannot be written, or if a value
 * contains a newline, which the format cannot express. */
bool home_write(const struct home *h, char **err);

void home_free(struct home *h);

/* Restore this process's environment to what it was without H: variables reset or unset, H/bin
 * removed from the PATH. Not thread-safe (setenv). */
void home_leave(const struct home *h);
/* Only remove H/bin from the PATH. Not thread-safe. */
void home_leave_path(const struct home *h);
/* The fake home that one of the home variables names now, as in a shell that `ckjit home` has set
 * up. NULL: none, or a damaged one. home_free() it. */
struct home *home_active(void);
/* The directory of the homes that `ckjit home` and `ckjit run` make without --dir; free() it. NULL:
 * neither XDG_DATA_HOME nor HOME is an absolute path. */
char *home_default_place(void);
/* Leave the fake home that one of the home variables names now, if any: a kernel may be called for
 * the first time in the very shell that its library was built in. Not thread-safe. */
void home_leave_any(void);

#endif
