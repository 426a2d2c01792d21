/* compiler.h - the kinds of compiler that ckjit stands in for, as a table of their differences.
 *
 *     kind    is         command line of   compiles for a GPU
 *     hip     hipcc      gcc               every C++ source
 *     cuda    nvcc       nvcc              every .cu
 *     clang   clang++    gcc               a source that is HIP: `-x hip`, .hip
 *     c++     g++        gcc               nothing
 *
 * The kind of a program is decided once, where it is called: by the `kind` of the wrapper's home
 * and by the name that the wrapper was called by. From then on it is stored: in records
 * (core/files/record.h), the manifest, the library's tables, and `--kind` of ckjit-compile and
 * ckjit-link. No later step looks at the file name, so /opt/my-nvcc stays nvcc. Only data from
 * before records had a kind is resolved by name, in compiler_by_name().
 *
 * Differences that are more than data have modules of their own: compile/plan.c reads the steps of
 * HIP, core/cc/nvcc.c those of CUDA.
 *
 * Thread safety: constants only.
 */
#ifndef CKJIT_COMPILER_H
#define CKJIT_COMPILER_H

#include "ccargs.h"

enum gpu_runtime { RUNTIME_HIP, RUNTIME_CUDA };
enum compiler_device { DEVICE_NEVER, DEVICE_IF_HIP, DEVICE_ALWAYS };

struct compiler {
  const char *kind; /* as in a record */
  enum cc_dialect dialect;
  enum gpu_runtime runtime; /* that its code calls */
  /* an object that is there and must not be written to: GNU as does, clang refuses it */
  bool replaces;
  /* Its driver is clang's: it takes clang's options for HIP, and a compile says with -v what it
   * runs. */
  bool clang;
  /* It lists its steps in the form of `nvcc --dryrun`, not of -###. */
  bool dryrun;
  /* Its code may be PTX, which the GPU's driver compiles, and code of several kernels cannot be
   * joined. */
  bool ptx;
  /* It has no options for one pass of a compile: ckjit-nvcc makes one of its steps. */
  bool whole;
  /* -MD makes the depfile in a separate pass. */
  bool depfile_apart;
  /* Its tools take file names of letters, digits and / . _ - + only. */
  bool plain_names;
  /* Its front end finds the function of an alias only outside all namespaces. */
  bool aliases_outside;
  /* which sources are compiled for a GPU */
  enum compiler_device device;
  /* The home of such compilers; clang and c++ have none and use ROCm's. */
  const char *name;     /* of the program, in bin/ */
  const char *variable; /* names the real one */
  /* variables that name the home; ends with NULL */
  const char *home_vars[4];
  /* directories to search for it; ends with NULL */
  const char *homes[4];
  /* the same below the directory of Python packages, globs; ends with NULL */
  const char *sites[4];
  /* the package to install if there is none */
  const char *package;
  const char *toolkit; /* what a home holds */
  /* the program in a fake home that stands for it */
  const char *wrapper;
  /* the kind of its fake homes, and the name of their profile */
  const char *home;
  /* of `ckjit home`, which names the real home */
  const char *option;
  /* The variables by which CMake finds this compiler and its host compiler; NULL: there are
   * none. */
  const char *cmake, *cmake_host;
  /* of the sources of lazy units; CC_LANG_NONE: any that has code for a GPU */
  enum cc_lang unit;
  /* what stands before the release in its answer to --version */
  const char *release;
  /* The compiler that it starts, or itself: its name, what stands before its release, and the words
   * that make it list its GPUs. */
  const char *proper, *proper_release, *list_gpus[4];
  /* The host compiler that it starts by default; NULL: it is one itself. */
  const char *host;
  /* what of a command line of a link is not read, in words */
  const char *unreadable;
  /* Kernels of a blob may be compiled one by one, as separate entries: of a unit that is late, or of
   * every blob. */
  bool kernels_apart, all_apart;
  /* the option with which kernels of lazy units are linked with other units at a launch; NULL:
   * none */
  const char *links;
};

/* The row of KIND; NULL if there is none. */
const struct compiler *compiler_of_kind(const char *kind);
/* The row for the `kind` of a profile or a fake home, hip or cuda; HIP's for NULL. NULL if there is
 * none. */
const struct compiler *compiler_of_home(const char *kind);
/* The kind that the name of PROGRAM, a path or a base name, suggests. Only for records, manifests
 * and command lines from before they had a kind. Never NULL. */
const struct compiler *compiler_by_name(const char *program);
/* The kind of PROGRAM, which a user named (CK_JIT_HIPCC, CK_JIT_CXX) in place of a compiler of kind
 * MEANT. In place of nvcc it is nvcc, whatever its name. Otherwise the names of hipcc, clang++ and
 * g++ decide; any other name means MEANT. */
const struct compiler *compiler_meant(const struct compiler *meant, const char *program);

/* Does the name of PROGRAM identify it as hipcc, a clang, or a C++ compiler of the host? */
bool compiler_has_telling_name(const char *program);
/* Is it hipcc, which treats every C++ source as HIP and reads its own variables? */
static inline bool compiler_is_hipcc(const struct compiler *c) {
  return c->dialect == CC_GNU && c->device == DEVICE_ALWAYS;
}
/* Does C make another file than OUTPUT, the word after -o? hipcc, of HIP 5.2.3 in Perl and of HIP
 * 7.2.4, passes it to a shell in double quotes, all other words with backslashes: -o 'x$V.o' with
 * V=y is xy.o. */
#define COMPILER_EXPANDED "$`\"\\"
bool compiler_expands(const struct compiler *c, const char *output);
/* Does a compile by C with arguments A produce GPU code as well? */
bool compiler_has_device(const struct compiler *c, const struct ccargs *a);

/* Are the kernels of a lazy unit that a compiler of kind C compiles with FLAGS linked with other
 * units at a launch? */
bool compiler_links_kernels(const struct compiler *c, const struct argv *flags);

/* Append the option that has the compiler of DIALECT look for "…" in DIR first. False: it cannot
 * take such a name. */
bool compiler_add_quote_dir(struct argv *out, enum cc_dialect dialect, const char *dir);
/* Append the option that has a compiler of kind C make its host side for TRIPLE, such as
 * aarch64-linux-gnu. False: its host compiler is the program itself. */
bool compiler_add_host(struct argv *out, const struct compiler *c, const char *triple);
/* Append OPTION=VALUE for the linker. */
void compiler_add_linker_option(struct argv *out, enum cc_dialect dialect, const char *option,
                                const char *value);
/* Append what the WORDS of a link pass to the linker, word by word: of -Wl,A,B, of -Xlinker A and of
 * nvcc's -Xlinker=A,B, and gcc's own -u A. */
void compiler_linker_words(struct argv *out, const struct argv *words);

/* Append the architectures that A asks for, each once and in order: gfx942 for HIP; for CUDA sm_90
 * for code=sm_90, compute_90 for PTX, and sm_86:compute_80 if the code is made from another
 * architecture than its own. The words of A that ask for them have CC_ROLE_ARCH. */
void compiler_archs(struct argv *out, const struct ccargs *a);
/* Append the option that asks for architecture ARCH, of N bytes and in the above form, in
 * DIALECT. */
void compiler_add_arch(struct argv *out, enum cc_dialect dialect, const char *arch, size_t n);

/* Append COMMAND to OUT, so that a driver of DIALECT says what it would run: with -### or
 * --dryrun. */
void steps_question(struct argv *out, enum cc_dialect dialect, const struct argv *command);
/* Append the words with which a compiler of KIND is asked for its steps, of an empty source for
 * ARCH (NULL: for the host) and, of nvcc, with the host compiler CCBIN (NULL: its choice). */
void steps_question_of_nothing(struct argv *out, const struct compiler *kind, const char *arch,
                               const char *ccbin);

#endif
