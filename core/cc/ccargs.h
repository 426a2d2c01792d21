/* ccargs.h - what a command line of gcc, clang, hipcc or nvcc asks for.
 *
 * The wrapper uses it to decide whether a call may be recorded instead of run; the post-build
 * linker reads link lines with it. It answers which words are files and what the outputs are,
 * nothing about optimisation or warnings. It follows the wrapper's rule: an option whose effect is
 * not certain is named in `side_output`, and the call goes to the real compiler.
 *
 * A command is scanned once, where it comes in; all other code takes the struct ccargs.
 *
 * Ownership: a struct ccargs points into the scanned vector, which must outlive it. It owns the
 * strings that had to be cut out of a word (`-Wp,-MD,x.d`). Thread safety: no shared state.
 */
#ifndef CKJIT_CCARGS_H
#define CKJIT_CCARGS_H

#include "core/base/argv.h"

/* How far the compiler goes. If several are asked for, the first in this list applies. */
enum cc_mode {
  /* prints something or fails: --version, -###, -print-…, no input, a missing value */
  CC_QUERY,
  CC_PREPROCESS, /* -E, -M, -MM */
  CC_SYNTAX,     /* -fsyntax-only, --analyze */
  /* LLVM IR, AST, precompiled header, PTX: no object file */
  CC_IR,
  /* device code only: --genco, --offload-device-only */
  CC_DEVICE,
  CC_ASSEMBLY, /* -S */
  CC_COMPILE,  /* -c: one object for each source */
  /* -lib of nvcc: an archive of objects */
  CC_ARCHIVE,
  CC_RELOCATABLE, /* -r: a partial link */
  CC_LINK,
};

/* by the -x in force at the file, else by suffix */
enum cc_lang {
  CC_LANG_NONE, /* not a source: for the linker */
  CC_LANG_C,
  CC_LANG_CXX,
  CC_LANG_HIP,
  CC_LANG_CUDA,
  CC_LANG_ASM,
  CC_LANG_HEADER, /* output: a precompiled header */
  /* preprocessed, IR, Objective-C, Fortran … */
  CC_LANG_OTHER,
};

enum cc_input_kind {
  CC_IN_SOURCE,
  /* object, archive, shared library, linker script; a word of -Wl, or -Xlinker that may be one */
  CC_IN_FILE,
  CC_IN_LIBRARY, /* -lNAME: text is NAME, or ":FILE" */
  CC_IN_LIBDIR,  /* -LDIR */
  /* from here on -l finds archives only: -Wl,-Bstatic */
  CC_IN_STATIC,
  CC_IN_DYNAMIC, /* and off again: -Wl,-Bdynamic */
  /* -Wl,@FILE: the linker's own response file; text is FILE */
  CC_IN_RESPONSE,
};

struct cc_input {
  enum cc_input_kind kind;
  enum cc_lang lang;
  const char *text;
  /* index into args of its word; of an option with a value, the value's */
  size_t arg;
  /* it came in an option that hands words on to the linker: the word is not its own */
  bool to_linker;
  /* the script of the linker's, at ARG or found by -l, that names the file; NULL: none does */
  const char *script;
};

enum cc_dir_kind {
  CC_DIR_QUOTE,  /* -iquote */
  CC_DIR_USER,   /* -I */
  CC_DIR_SYSTEM, /* -isystem */
  CC_DIR_AFTER,  /* -idirafter */
  CC_DIR_EMBED,  /* --embed-dir, for #embed */
};

struct cc_dir {
  enum cc_dir_kind kind;
  const char *dir;
};

struct cc_target {
  const char *text;
  /* -MQ: escape it; -MT: take it as it is */
  bool quote;
};

/* a file that an option has the compiler read, besides the source and headers */
struct cc_read {
  const char *file;
  /* a row of the options says so; else the word may name a file, and does if there is one */
  bool known;
  /* a relative name is made absolute with its word (role CC_ROLE_PATH) */
  bool placed;
  bool names_others; /* its text may name further files */
};

/* the depfile that -MD or -MMD writes beside the object */
struct cc_deps {
  bool wanted;
  /* -MD: including headers from system directories */
  bool system;
  bool phony;       /* -MP */
  const char *file; /* -MF; NULL: named after the output */
  struct cc_target *targets;
  size_t ntargets; /* 0: the output */
};

/* what an option, or another word, is for */
enum cc_role {
  CC_ROLE_OTHER,    /* affects the code, or is unknown */
  CC_ROLE_FILE,     /* a file, -lNAME */
  CC_ROLE_END,      /* "--" */
  CC_ROLE_COMPILE,  /* -c */
  CC_ROLE_LANGUAGE, /* -x, for the files after it */
  CC_ROLE_OUTPUT,
  CC_ROLE_DEPFILE, /* -MD, -MF, -MT … */
  CC_ROLE_DIR,     /* a header search path */
  /* -include: a header that is searched for like #include "…" */
  CC_ROLE_FORCED,
  /* another file or directory that is read, relative to the compiler's directory */
  CC_ROLE_PATH,
  CC_ROLE_MACRO, /* -D, -U */
  /* for which GPUs: --offload-arch; -arch of nvcc */
  CC_ROLE_ARCH,
  CC_ROLE_CODE, /* of nvcc: -code */
  /* of nvcc: -gencode, which combines both */
  CC_ROLE_GENCODE,
  /* of nvcc: words for the host compiler, -Xcompiler; the value is a comma-separated list */
  CC_ROLE_HOST,
  /* of nvcc: words for the host linker, -Xlinker */
  CC_ROLE_LINKER,
  /* of nvcc: the program is run when it is linked: -run, --run-args */
  CC_ROLE_RUN,
  /* how the compiler works, without effect on the output: --threads */
  CC_ROLE_EFFORT,
};

/* a word of the line, with its value if it takes one */
struct cc_word {
  const char *value; /* joined or separate; "" for none */
  unsigned arg;
  enum cc_role role : 8;
  bool pair; /* args[arg + 1] is its value */
  /* every compiler accepts it, and it does not change how the other words are read */
  bool sure;
};

/* Does it name GPU architectures? */
static inline bool cc_is_arch(const struct cc_word *w) {
  return w->role == CC_ROLE_ARCH || w->role == CC_ROLE_CODE || w->role == CC_ROLE_GENCODE;
}

/* Whose command line it is. The meaning of an option, and how it takes its value, depend on it. */
enum cc_dialect {
  CC_GNU,  /* gcc, clang, hipcc */
  CC_NVCC, /* nvcc */
};

/* The characters of which the value of an option of DIALECT consists if it is a list of several: a
 * path with one cannot be written. */
static inline const char *cc_list_characters(enum cc_dialect dialect) {
  return dialect == CC_NVCC ? ",\"\\" : "";
}
/* Does a driver of DIALECT collect its options, of each kind a list, before it uses any? Then none
 * interferes with a macro. */
static inline bool cc_collects_options(enum cc_dialect dialect) {
  return dialect == CC_NVCC;
}

/* Does -x of DIALECT apply to all files of the line? Then an object is a word for the linker. */
static inline bool cc_language_is_of_all(enum cc_dialect dialect) {
  return dialect == CC_NVCC;
}
/* Is relocatable device code of DIALECT LLVM's bitcode? */
static inline bool cc_rdc_is_bitcode(enum cc_dialect dialect) {
  return dialect == CC_GNU;
}

struct ccargs {
  enum cc_dialect dialect;
  char *const *args; /* the scanned words; borrowed */
  enum cc_mode mode;
  struct cc_word *words; /* all of the line, in order */
  size_t nwords;
  /* the first word that is not sure; NULL if all are */
  const char *doubt;
  struct cc_input *inputs; /* in order */
  size_t ninputs;
  size_t nsources;
  /* the first one; NULL if there is none */
  const struct cc_input *source;
  /* as given; NULL: the default, see ccargs_output */
  const char *output;
  /* of nvcc, for files with a default name: -odir */
  const char *directory;
  /* the host compiler that nvcc is given: a program, its directory, or a name of the PATH; NULL:
   * none */
  const char *ccbin;
  bool from_stdin; /* a source is "-" */
  bool is_static;  /* -static, -static-pie */
  /* The first option that adds an output beside the object and the depfile, or makes the output
   * something else than it seems; NULL: none. */
  const char *side_output;
  struct cc_read *reads;
  size_t nreads;
  /* the first word that means the processor of the machine that compiles: -march=native */
  const char *machine;
  /* the option that asks for relocatable device code, such as -fgpu-rdc; NULL: none */
  const char *rdc;
  struct cc_deps deps;
  struct cc_dir *dirs; /* in order */
  size_t ndirs;
  const char **forced; /* -include and -imacros */
  size_t nforced;
  struct argv own;
};

/* Scan ARGS: without argv[0] and with response files expanded (ccargs_expand). */
void ccargs_scan(struct ccargs *a, enum cc_dialect dialect, char *const *args);
void ccargs_free(struct ccargs *a);

/* Is PROGRAM, the host compiler that nvcc is given, one that may be run? */
typedef bool cc_is_program(const char *program, void *user);
/* The first word of A by which the compiler may run, load or write something that the word names
 * (ccreach.c), the output aside; NULL: there is none. For a line whose author is not known. */
const char *ccargs_reaches(const struct ccargs *a, cc_is_program *is_program, void *user);

/* The header search path that the option at args[*AT] of a gcc, clang or clang -cc1 line gives;
 * NULL if it gives none. *AT is moved to the option's last word. */
const char *ccargs_directory(char *const *args, size_t *at);

/* Append ARGS to V, expanding in place the words that name files of options: @FILE of gcc and clang
 * (argv_expand), -optf FILE of nvcc, which takes no @FILE. Relative names are relative to the
 * directory CWD. False if the expansion is not certain, or if an options file of nvcc's cannot be
 * read: then the call must go to the real compiler. */
bool ccargs_expand(struct argv *v, enum cc_dialect dialect, const char *cwd, char *const *args);
/* Append the words of TEXT, the value of a variable that holds options: NVCC_APPEND_FLAGS. False as
 * above. */
bool ccargs_split(struct argv *v, enum cc_dialect dialect, const char *text);

/* The output's name as given, relative to the compiler's directory: -o, or the default (base.o,
 * base.s, a.out). free() it. */
char *ccargs_output(const struct ccargs *a);
/* The depfile's name: -MF, or the output's name with the suffix .d, or the source's base name with
 * .d. free() it. */
char *ccargs_depfile(const struct ccargs *a);

/* The file that an option of A names and whose content cannot be followed from the record to the
 * first call; NULL: all can. The call must go to the real compiler then. CWD: where it runs. free()
 * it. */
char *ccargs_unfollowed(const struct ccargs *a, const char *cwd);
/* Append to OUT the files that options of A have the compiler read, absolute. */
void ccargs_reads(struct argv *out, const struct ccargs *a, const char *cwd);

/* Called for each file of a link; IN is the input it comes from. Return false to stop. */
typedef bool cc_each_file(const char *path, const struct cc_input *in, void *user);

/* The files that the linker will see, in order (cclink.c): files as named; for -lNAME and -l:FILE
 * the match in the -L directories and then in those of LIBRARY_PATH (system directories are not
 * searched), a shared library before an archive, as the linker chooses; the words of linker response
 * files; and after each script of the linker's the files that it names. Names are relative to the
 * current directory; a file need not exist. */
void ccargs_link_files(const struct ccargs *a, cc_each_file *each, void *user);
/* Called for each file that a script names: what is found, or NULL, for the word of LEN bytes at AT. */
typedef bool cc_each_scripted(const char *file, size_t at, size_t len, void *user);
/* The same for the text TEXT of the SCRIPT of A's link alone, not for scripts that it names. Returns
 * whether all of it is understood (linkscript_read). */
bool cc_script_files(const struct ccargs *a, const char *script, const char *text, cc_each_scripted *each,
                     void *user);
/* What -lNAME (or -l:FILE) finds in the first of the -LDIR among WORDS that has it; NULL: nothing.
 * free() it. */
char *cc_find_library(const struct argv *words, const char *name);
/* Append the words of A, a link in CWD, that are about libraries, as g++ takes them: -LDIR with
 * absolute names, -lNAME and -Wl,-rpath,DIR. *CUDART: the value of nvcc's -cudart, if it is given; free()
 * it. */
void ccargs_libraries(struct argv *out, const struct ccargs *a, const char *cwd, char **cudart);

#endif
