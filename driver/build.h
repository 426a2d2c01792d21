/* build.h - the parts of ckjit-build: one file for each command, and what they share.
 *
 * Functions here end the program with a clear message and status 1 where they cannot do what they say, 2
 * where the command line is wrong. Whatever is made appears whole or not at all.
 */
#ifndef CKJIT_BUILD_H
#define CKJIT_BUILD_H

#include "core/base/argv.h"
#include "core/cc/compiler.h"
#include "core/files/manifest.h"
#include "profile.h"
#include "core/files/state.h"

/* --- main.c --- */

/* the arguments behind the options of COMMAND; there must be none */
void no_arguments(const char *command, int argc, char **argv);
/* a command line is wrong: print the reason and where help is, exit 2 */
_Noreturn void usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* seconds since some start, for printing how long a step took */
double now(void);
/* print a finished step: its name, the seconds since STARTED, and what it made */
void step_done(const char *step, double started, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* TEXT, given for OPTION of COMMAND, as a number of at least LEAST; a wrong command line where it is none */
unsigned build_number(const char *command, const char *option, const char *text, unsigned least);

/* --- home.c --- */

/* what the fake home stands in for */
struct toolchain {
  const struct compiler *kind;
  char *home;     /* the real home */
  char *compiler; /* the real compiler: hipcc, nvcc */
  char *cxx;      /* the real C++ compiler */
  char *clang;    /* the clang++ that hipcc starts; NULL where it is not known, and of another kind */
};

/* Append, for each home variable of P, "NAME" where the real compiler must not see it and "NAME=VALUE" where
 * it must: as it was before any fake home (home.c). */
void real_home_vars(struct argv *out, const struct profile *p, const struct toolchain *t);

/* Find the real tools of KIND: the variable that names its compiler, HOME (--rocm or --cuda, NULL where it
 * was not given), the variables that name its home, the PATH, the usual directories, in that order, fake
 * homes never. */
void toolchain_find(struct toolchain *t, const struct compiler *kind, const char *home);
void toolchain_free(struct toolchain *t);
/* Make or refresh the fake home DIR (absolute). */
void home_make(const char *dir, const struct profile *p, const struct toolchain *t, const char *work);
/* read the profile that --profile NAME means */
struct profile *profile_open(const char *name);

/* --- install.c --- */

/* a library that a build left in a work directory */
struct library {
  char *dir;           /* <work>/libmha_fwd */
  struct state *state; /* its ck_jit_quick_rebuild.json */
};

/* The libraries in work directory WORK, each with a good state file, in order of name. Where there is none:
 * dies. */
struct library *library_list(const char *work, size_t *n);
void library_list_free(struct library *libs, size_t n);
/* Write the install tree of LIBS into DEST, replacing what an earlier install left there. */
void install_tree(const struct library *libs, size_t n, const char *dest);
/* Die where DEST holds an installed library that is not among NAMES: it would be left without its sources. */
void install_check(const struct argv *names, const char *dest);
/* whether DEST holds an install tree */
bool install_is_there(const char *dest);
/* replace the libraries and programs in install tree DEST, and nothing else */
void install_libraries(const struct library *libs, size_t n, const char *dest);
/* make DEST where it is missing and check that it can be written to; WHAT is the option that named it */
void require_writable_dir(const char *dest, const char *what);

/* print the name of LIB, and what the post-build linker said of it */
void library_show(const struct library *lib);

/* --- relink.c --- */

/* kernels to be linked into the libraries, compiled */
struct aot_list {
  struct argv names, where; /* as given; "FILE:LINE" of each */
  bool given;
};

/* append what FILE lists; dies where it cannot be read */
void aot_list_add(struct aot_list *list, const char *file);
void aot_list_free(struct aot_list *list);
/* Run the link step of each of LIBS again, with the kernels of LIST compiled into it. Dies, before anything
 * is linked, where one of them is unknown to all; false, after saying why, where a link step fails. */
bool relink_libraries(const struct library *libs, size_t n, const struct aot_list *list, bool verbose);

/* --- the commands: each takes its own arguments, argv[0] being "ckjit-build COMMAND" --- */

int build_home(int argc, char **argv);
int build_full(int argc, char **argv);
int build_quick(int argc, char **argv);
int build_relink(int argc, char **argv);

#endif
