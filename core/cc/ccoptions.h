/* ccoptions.h - options as rows of a table, and what a row does to a scan. Internal to the
 * implementation of ccargs.h:
 *
 *     gnuoptions.c   the rows of gcc, clang and hipcc     ccargs.c     the loop over their words
 *     nvccoptions.c  the rows of nvcc                     nvccargs.c   the loop over its words
 *     ccapply.c      what a row does, for both            nvccfiles.c  nvcc's options files
 */
#ifndef CKJIT_CCOPTIONS_H
#define CKJIT_CCOPTIONS_H

#include "ccargs.h"

enum form {
  FLAG = 1,     /* the word itself */
  SEPARATE = 2, /* the value is the next word */
  /* the value is the rest of the word, which may be empty */
  JOINED = 4,
  /* the rest of the word, or the next word if that is empty */
  EITHER = 6,
  /* something joined, then the value as the next word: -Xarch_host X */
  JOINED_NEXT = 8,
  /* every compiler accepts it with any value that is_plain() */
  SURE = 16,
};

enum what {
  /* in the table only because it takes a value */
  NOTHING,
  /* how far the compiler goes: row.mode is the enum cc_mode */
  MODE,
  SIDE,
  /* with -c or -S: LLVM IR in place of an object or assembly */
  EMIT_LLVM,
  RDC_ON,
  RDC_OFF,
  OUTPUT,
  LANGUAGE,
  MACRO,  /* -D, -U */
  DIR,    /* row.mode is the enum cc_dir_kind */
  FORCED, /* -include */
  /* in the table because its value is a path */
  PATH,
  /* its value is a file that is read; row.mode 1: the file may name others */
  READS,
  /* for which GPUs; row.mode is the enum cc_role */
  ARCH,
  DEPS_ALL,
  DEPS_USER,
  DEPS_FILE,
  DEPS_TARGET,
  DEPS_QUOTED,
  DEPS_PHONY,
  LIBRARY,
  LIBDIR,
  STATIC,
  TO_PREPROCESSOR, /* -Wp,A,B */
  TO_LINKER,       /* -Wl,A,B */
  TO_ASSEMBLER,    /* -Wa,A,B, -Xassembler A */
  TO_LINKER_WORD,  /* -Xlinker A */
  TO_FRONTEND,     /* -Xclang A */
  TO_CPP_WORD,     /* -Xpreprocessor A */
  TO_ARCH,         /* -Xarch_host A */
  WHATS,           /* enum nvcc_what continues from here */
};

/* Options that are taken in the same way and do the same. */
struct row {
  const char *names; /* separated by blanks */
  unsigned char form, what, mode;
};

struct scan {
  struct ccargs *out;
  char *const *args;
  size_t at; /* the word being looked at */
  bool has_mode;
  bool forced_lang;
  enum cc_lang lang;
  /* role of the next front-end word: the value of the last one */
  enum cc_role frontend_role;
  bool has_pch; /* -include-pch */
  bool emits_llvm;
  /* the words at hand are for the linker */
  bool to_linker;
  bool wp_deps; /* -Wp,-MD,x.d */
  /* the option that switched it on; NULL: off */
  const char *rdc;
};

/* ---- gnuoptions.c ---- */

/* The row with the longest name that matches WORD, and the LENGTH of that name; NULL if none
 * does. */
const struct row *gnu_find_option(const char *word, size_t *length);
/* The row of the option at args[*at], with its value: "" for a flag, NULL if it is missing. *at is
 * moved to its last word. NULL if the option is unknown. */
const struct row *gnu_take_option(char *const *args, size_t *at, const char **value);
/* The language of `-x NAME`; CC_LANG_NONE for "none", which returns to suffixes. */
enum cc_lang gnu_language(const char *name);
/* The language of FILE by its suffix; CC_LANG_NONE if the file is for the linker. */
enum cc_lang gnu_language_of(const char *file);

/* ---- ccapply.c ---- */

/* Apply the option of row R to the scan; OPTION is the word it is in. */
void cc_apply(struct scan *s, const struct row *r, const char *option, const char *value);
enum cc_role cc_role_of(const struct row *r, const char *value);

/* The compiler goes as far as MODE, unless an earlier word stops it sooner. */
void cc_set_mode(struct scan *s, enum cc_mode mode);
/* Send the call to the real compiler because of OPTION, unless an earlier word already did. */
void cc_side_output(struct scan *s, const char *option);
void cc_add_input(struct scan *s, enum cc_input_kind kind, const char *text, enum cc_lang lang);
/* Add the word, or the option and its value, from args[ARG] to args[at]. */
void cc_add_word(struct scan *s, size_t arg, enum cc_role role, bool sure, const char *value);
/* args[at] names the file NAME. */
void cc_add_file(struct scan *s, const char *name, enum cc_lang lang);
/* WORD, of an option of which no row says more, may name a file that is read, or mean this
 * machine's processor. */
void cc_mention(struct scan *s, const char *word);
/* Take one word for the linker. */
void cc_linker_word(struct scan *s, const char *word);
/* Is TEXT NAME or NAME=TEXT with an ordinary NAME? The language gives `defined`, `and` and
 * __VA_ARGS__ special meanings. */
bool cc_is_plain_macro(const char *text);

/* ---- nvcc ---- */

/* what an option of nvcc's does, in addition to enum what */
enum nvcc_what {
  RELOCATABLE = WHATS, /* -rdc true */
  DEVICE_C,            /* -dc */
  PARTIAL_LINK,        /* -r */
  DEVICE_LINK,
  TO_HOST, /* -Xcompiler A,B */
  TO_TOOL, /* -Xptxas A,B and the like */
  /* unknown options are … row.mode: bits of enum nvcc_forward */
  FORWARD,
  TEMPORARIES, /* -objtemp */
  EFFORT,      /* does not affect the output */
  DIRECTORY,   /* -odir */
  /* -ccbin: a program, a directory, or a name to look up in PATH */
  BINARY,
  OPTIONS_FILE,
  RUN, /* -run, --run-args */
};
enum nvcc_forward { TO_COMPILER = 1, TO_LD = 2 };
/* how it takes its value, in addition to enum form */
enum {
  LIST = 64, /* a list: split at commas */
};

static inline bool is_option(const char *word) {
  return word[0] == '-' && word[1];
}
static inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
/* The row of the option at args[*at], with its value: "" for a flag, NULL if a value is missing or
 * there are too many. *at is moved to its last word. NULL if the option is unknown. */
const struct row *nvcc_take_option(char *const *args, size_t *at, const char **value);
/* as for gcc; CC_LANG_NONE for a NAME that nvcc does not know */
enum cc_lang nvcc_language(const char *name);
enum cc_lang nvcc_language_of(const char *file);
/* Append the elements of list TEXT; with KEEP, double quotes are kept. True if TEXT needed no
 * unquoting. */
bool nvcc_cut_list(struct argv *out, const char *text, bool keep);

/* Scan all words of nvcc's command line, in order. */
void nvcc_scan(struct scan *s);
/* ccargs_expand and ccargs_split for nvcc */
bool nvcc_expand(struct argv *out, const char *cwd, char *const *args);
bool nvcc_split(struct argv *out, const char *text);

#endif
