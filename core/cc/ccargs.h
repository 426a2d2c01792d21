/* ccargs.h - what a command line of gcc, clang, hipcc or nvcc asks for.
 *
 * The wrapper decides by it whether a call may be recorded instead of run; the post-build linker reads link
 * lines with it. It answers "which words are files, and what comes out", nothing about optimisation or
 * warnings. Its rule is the wrapper's: whatever it cannot vouch for is named in `side_output`, and the call
 * goes to the real compiler.
 *
 * A command is scanned once, where it comes in; everybody else is handed the struct ccargs.
 *
 * Ownership: a struct ccargs points into the vector it was made from, which must outlive it, and owns what it
 * had to cut out of a word (`-Wp,-MD,x.d`). Thread safety: no shared state.
 */
#ifndef CKJIT_CCARGS_H
#define CKJIT_CCARGS_H

#include "core/base/argv.h"

/* How far the compiler goes. If several are asked for, it does the first of this list. */
enum cc_mode {
  CC_QUERY,       /* prints something, or fails: --version, -###, -print-…, no input, a missing value */
  CC_PREPROCESS,  /* -E, -M, -MM */
  CC_SYNTAX,      /* -fsyntax-only, --analyze */
  CC_IR,          /* LLVM IR, AST, precompiled header, PTX: no object file */
  CC_DEVICE,      /* device code only: --genco, --offload-device-only */
  CC_ASSEMBLY,    /* -S */
  CC_COMPILE,     /* -c: one object for each source */
  CC_ARCHIVE,     /* -lib of nvcc: an archive of objects */
  CC_RELOCATABLE, /* -r: a partial link */
  CC_LINK,
};

/* by the -x in force where the file stands, else by suffix */
enum cc_lang {
  CC_LANG_NONE, /* no source: the linker's */
  CC_LANG_C,
  CC_LANG_CXX,
  CC_LANG_HIP,
  CC_LANG_CUDA,
  CC_LANG_ASM,
  CC_LANG_HEADER, /* a precompiled header comes out */
  CC_LANG_OTHER,  /* preprocessed, IR, Objective-C, Fortran … */
};

enum cc_input_kind {
  CC_IN_SOURCE,
  CC_IN_FILE, /* object, archive, shared library, linker script; a word of -Wl, or -Xlinker that may be one */
  CC_IN_LIBRARY,  /* -lNAME: text is NAME, or ":FILE" */
  CC_IN_LIBDIR,   /* -LDIR */
  CC_IN_STATIC,   /* from here on -l finds archives only: -Wl,-Bstatic */
  CC_IN_DYNAMIC,  /* back: -Wl,-Bdynamic */
  CC_IN_RESPONSE, /* -Wl,@FILE: the linker's own response file; text is FILE */
};

struct cc_input {
  enum cc_input_kind kind;
  enum cc_lang lang;
  const char *text;
  size_t arg; /* index into args of the word that it stands in; of a pair, of the value */
};

enum cc_dir_kind {
  CC_DIR_QUOTE,  /* -iquote */
  CC_DIR_USER,   /* -I */
  CC_DIR_SYSTEM, /* -isystem */
  CC_DIR_AFTER,  /* -idirafter */
};

struct cc_dir {
  enum cc_dir_kind kind;
  const char *dir;
};

struct cc_target {
  const char *text;
  bool quote; /* -MQ: to be escaped; -MT: as it is */
};

/* the depfile that -MD or -MMD writes on the side of a compile */
struct cc_deps {
  bool wanted;
  bool system;      /* -MD: with headers of system directories */
  bool phony;       /* -MP */
  const char *file; /* -MF; NULL: by the output's name */
  struct cc_target *targets;
  size_t ntargets; /* 0: the output */
};

/* what an option, or a word that is none, is there for */
enum cc_role {
  CC_ROLE_OTHER,    /* makes the code what it is, or nobody here knows */
  CC_ROLE_FILE,     /* a file, -lNAME */
  CC_ROLE_END,      /* "--" */
  CC_ROLE_COMPILE,  /* -c */
  CC_ROLE_LANGUAGE, /* -x, for the files after it */
  CC_ROLE_OUTPUT,
  CC_ROLE_DEPFILE, /* -MD, -MF, -MT … */
  CC_ROLE_DIR,     /* where headers are */
  CC_ROLE_FORCED,  /* -include: a header that is looked for as #include "…" would be */
  CC_ROLE_PATH,    /* another file or directory that is read, found from the compiler's directory */
  CC_ROLE_MACRO,   /* -D, -U */
  CC_ROLE_ARCH,    /* for which GPUs: --offload-arch; -arch of nvcc */
  CC_ROLE_CODE,    /* of nvcc: -code */
  CC_ROLE_GENCODE, /* of nvcc: -gencode, which says both */
  CC_ROLE_HOST,    /* of nvcc: words for the host compiler, -Xcompiler; the value has commas between them */
  CC_ROLE_LINKER,  /* of nvcc: words for the host linker, -Xlinker */
  CC_ROLE_EFFORT,  /* how the compiler goes about it, nothing of what comes out: --threads */
};

/* a word of the line, with the value after it if it takes one */
struct cc_word {
  const char *value; /* wherever it stands; "" for none */
  unsigned arg;
  enum cc_role role : 8;
  bool pair; /* args[arg + 1] is its value */
  bool sure; /* every compiler takes it, and it changes nothing about what is taken of the others */
};

/* says for which GPUs */
static inline bool cc_is_arch(const struct cc_word *w) {
  return w->role == CC_ROLE_ARCH || w->role == CC_ROLE_CODE || w->role == CC_ROLE_GENCODE;
}

/* Whose command line it is. What an option means, and how it takes its value, depends on it. */
enum cc_dialect {
  CC_GNU,  /* gcc, clang, hipcc */
  CC_NVCC, /* nvcc */
};

struct ccargs {
  enum cc_dialect dialect;
  char *const *args; /* what was scanned; borrowed */
  enum cc_mode mode;
  struct cc_word *words; /* all of the line, in order */
  size_t nwords;
  const char *doubt;       /* the first word that is not sure, NULL: all are */
  struct cc_input *inputs; /* in order */
  size_t ninputs;
  size_t nsources;
  const struct cc_input *source; /* the first one, NULL: there is none */
  const char *output;            /* as given; NULL: by default, see ccargs_output */
  const char *directory;         /* of nvcc, for what is named by default: -odir */
  bool from_stdin;               /* a source is "-" */
  bool is_static;                /* -static, -static-pie */
  const char
      *side_output; /* the first option because of which more comes out than the output and a depfile, or
                                    the output is not what it seems; NULL: none */
  const char *rdc;  /* the option that asks for relocatable device code, -fgpu-rdc; NULL: none does */
  struct cc_deps deps;
  struct cc_dir *dirs; /* in order */
  size_t ndirs;
  const char **forced; /* -include and -imacros */
  size_t nforced;
  struct argv own;
};

/* Scan ARGS: without argv[0], response files expanded (ccargs_expand). */
void ccargs_scan(struct ccargs *a, enum cc_dialect dialect, char *const *args);
void ccargs_free(struct ccargs *a);

/* The directory of headers that the option at args[*AT] of a gcc or clang line, or of clang's -cc1 line,
 * names; NULL if it is none. *AT comes to its last word. */
const char *ccargs_directory(char *const *args, size_t *at);

/* Append ARGS to V with the files of words that they name in place: @FILE of gcc and clang (argv_expand), the
 * options files of nvcc (-optf FILE; it takes no @FILE). Relative names are taken from directory CWD. False
 * if it is not clear which words those are, or if a file of nvcc's cannot be read: the call is the real
 * compiler's. */
bool ccargs_expand(struct argv *v, enum cc_dialect dialect, const char *cwd, char *const *args);
/* Append the words of TEXT, the value of a variable with options in it: NVCC_APPEND_FLAGS. False as above. */
bool ccargs_split(struct argv *v, enum cc_dialect dialect, const char *text);

/* The output's name, relative to the compiler's directory as given: -o, or the default (base.o, base.s,
 * a.out). free() it. */
char *ccargs_output(const struct ccargs *a);
/* The depfile's name: -MF, or the output's with .d for its suffix, or the source's base name with .d. free()
 * it. */
char *ccargs_depfile(const struct ccargs *a);

/* Called for each file of a link; IN is the input that it came from. Returning false ends the walk. */
typedef bool cc_each_file(const char *path, const struct cc_input *in, void *user);

/* The files that the linker will see, in order (cclink.c): files as named; -lNAME and -l:FILE if a -L
 * directory has them, a shared library before an archive, as the linker chooses (system directories are not
 * searched); the words of linker response files. Names are relative to the current directory; a file need not
 * exist. */
void ccargs_link_files(const struct ccargs *a, cc_each_file *each, void *user);

#endif
