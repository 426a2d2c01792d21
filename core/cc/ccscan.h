/* ccscan.h - what core/cc/ccargs.c (gcc, clang, hipcc) and core/cc/nvccargs.c (nvcc) share: rows of options, and
 * the scan that they are applied to. For these two files only.
 */
#ifndef CKJIT_CCSCAN_H
#define CKJIT_CCSCAN_H

#include "ccargs.h"

enum form {
  FLAG = 1,        /* the word itself */
  SEPARATE = 2,    /* the value is the next word */
  JOINED = 4,      /* the value is the rest of the word, which may be empty */
  EITHER = 6,      /* the rest of the word, or where there is none the next word */
  JOINED_NEXT = 8, /* something joined, and the value is the next word: -Xarch_host X */
  SURE = 16,       /* every compiler takes it with any value that is_plain() */
};

enum what {
  NOTHING, /* known for its value only */
  MODE,    /* more than FLAG's value would be a mode: row.mode */
  SIDE,
  RDC_ON,
  RDC_OFF,
  OUTPUT,
  LANGUAGE,
  MACRO,  /* -D, -U */
  DIR,    /* row.mode is the enum cc_dir_kind */
  FORCED, /* -include */
  PATH,   /* known because its value is a path */
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
  TO_LINKER_WORD,  /* -Xlinker A */
  TO_FRONTEND,     /* -Xclang A */
  TO_CPP_WORD,     /* -Xpreprocessor A */
  TO_ARCH,         /* -Xarch_host A */
  WHATS,           /* core/cc/nvccargs.c goes on from here */
};

struct row {
  const char *name;
  unsigned char form, what, mode;
};

struct scan {
  struct ccargs *out;
  char *const *args;
  size_t at; /* the word being looked at */
  bool has_mode;
  bool forced_lang;
  enum cc_lang lang;
  enum cc_role frontend_role; /* of the next word for the front end, the value of the last one */
  bool has_pch;               /* -include-pch */
  bool wp_deps;               /* -Wp,-MD,x.d */
  const char *rdc;            /* the option that switched it on, NULL: off */
};

/* The row of gcc's and clang's with the longest name that WORD can be; NULL where no row is. */
const struct row *cc_find_row(const char *word);
/* What the option of row R does to the scan; OPTION is the word it stands in. */
void cc_apply(struct scan *s, const struct row *r, const char *option, const char *value);
enum cc_role cc_role_of(const struct row *r, const char *value);

/* The mode, where none before was one that goes less far. */
void cc_set_mode(struct scan *s, enum cc_mode mode);
/* OPTION is why the call is the real compiler's, where nothing before was. */
void cc_side_output(struct scan *s, const char *option);
void cc_add_input(struct scan *s, enum cc_input_kind kind, const char *text, enum cc_lang lang);
/* The word, or the pair, from args[ARG] to args[at]. */
void cc_add_word(struct scan *s, size_t arg, enum cc_role role, bool sure, const char *value);
/* args[at] is the file NAME. */
void cc_add_file(struct scan *s, const char *name, enum cc_lang lang);
/* One word that the linker gets. */
void cc_linker_word(struct scan *s, const char *word);
/* NAME or NAME=TEXT, of a name that no language gives a meaning of its own */
bool cc_is_plain_macro(const char *text);

/* nvcc's command line: all words of it, in order. */
void nvcc_scan(struct scan *s);
/* ccargs_expand and ccargs_split for it */
bool nvcc_expand(struct argv *out, const char *cwd, char *const *args);
bool nvcc_split(struct argv *out, const char *text);

#endif
