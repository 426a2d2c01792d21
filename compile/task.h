/* task.h - what is to be compiled, with nothing left open: what the whole room shares.
 *
 * Errors, here and in the other headers of this room: a function that can fail returns false or NULL, with a
 * message in *ERR. It is the caller's to print and to free(), and does not begin with the program's name. A
 * message names the stem, says what went wrong and what to do; it may have several lines. A WHY, in contrast,
 * is static text: why an attempt was given up that is not needed.
 *
 * Thread safety: ckjit-compile has one thread; nothing in this room is made for more.
 */
#ifndef CKJIT_COMPILE_TASK_H
#define CKJIT_COMPILE_TASK_H

#include "core/base/argv.h"
#include "core/cache/cachedir.h"
#include "core/cache/inputs.h"
#include "core/cc/compiler.h"
#include "core/files/export.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_entry.h"
#include "options.h"

struct compile_task {
  char *stem, *source; /* source: absolute */
  char *place;         /* SOURCE as it was named: another than SOURCE while a copy of it is compiled */
  char *text; /* the source as its library was built from it, since it is gone or changed; NULL: it is not */
  char *output, *dir;           /* the file wanted, absolute; its directory */
  struct argv flags, link;      /* {root} expanded */
  char archs[CKJIT_ARCHS_SIZE]; /* ';' list, "" for a compiler that is not told any */
  char *root;                   /* what {root} stands for */
  int output_fd;                /* the result is written to it and nowhere else; -1: to the file OUTPUT */
  char *said_flags, *said_link; /* the same as they are in the key, {root} not expanded */
  char *added_flags;            /* --add-flags, which are in FLAGS as well; NULL: none */
  char *inputs_file;            /* of --inputs or the manifest; NULL: none */
  struct inputs *inputs;        /* what it says */
  struct buf variant;           /* what is different from it: a line for each header, tool or set of flags */
  struct buf learnt;            /* … and what only shows when it is compiled (learnt.h) */
  struct argv learnt_files;     /* the same, a line for each file */
  struct seen *seen;            /* what its compile ran and read; NULL: that is not compared */
  char *stamps;                 /* of the source, the headers and the tools before the compile */
  struct places *places; /* make.c's: what leads to them while it is made (places.h); NULL: it is not */
  uint8_t asked[CKJIT_BUILD_ID_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE];   /* to be written into the result: the one asked for, or a variant */
  char hex[CKJIT_BUILD_ID_HEX_SIZE]; /* the same */
  char *compiler;                    /* program, a path */
  const struct compiler *kind;       /* its kind */
  bool kind_is_known;       /* KIND was recorded or detected, not guessed from the name in CK_JIT_HIPCC */
  struct ccargs cc;         /* FLAGS, read as KIND reads them; set by task_scan */
  struct argv passed;       /* CK_JIT_COMPILE_ENV's names, sorted */
  struct argv launcher;     /* CK_JIT_COMPILER_LAUNCHER's words; empty: there is none */
  double timeout, patience; /* seconds: CK_JIT_COMPILE_TIMEOUT, CK_JIT_LOCK_PATIENCE; 0: no limit */
  struct cachedir_limits limits;
  const struct argv
      *environment;    /* the toolchain's variables for a kernel of CUDA, borrowed; NULL: the inputs' */
  struct given *given; /* what its programs are given of these (environment.h); NULL: nobody has looked yet */
  const char *temporary;     /* the directory that it is made in, borrowed; NULL: it is not made yet */
  char placed[NAME_MAX + 1]; /* base name of the entry that was made; "" before */
  /* of an export (compile/export/export.h); all of it borrowed from the options */
  enum export_format format; /* EXPORT_NONE: nothing is exported */
  const char *soname;        /* of EXPORT_SO; NULL: it has none */
  const char *built; /* the architectures that the library was built for, as a ';' list; may be NULL */
  bool probe;        /* only ask whether the compiler knows the architectures */
  const struct argv *symbols; /* NAME or OLD=NAME */
  const struct argv *parts;   /* files to join instead of compiling the source; empty: compile it */
  bool cache, verbose, progress;
  bool unless_busy;   /* what another process is compiling is left to that one */
  uint64_t function;  /* that is called, by the hash of its name (compile/hostonly/alone.h); 0: not said */
  bool likely;        /* … and hardly launches */
  const char *kernel; /* the one to compile; NULL: compile the blob */
  bool
      of_unit; /* … of a lazy unit, SOURCE being its text (compile/unit/unit.h); else of CUDA, SOURCE being the
                       * entry of its blob (compile/cuda/entry.h) */
  /* of CUDA */
  bool asked_per_kernel; /* its kernels are to be left for their first launch, each compiled then */
  bool per_kernel;       /* … and nothing has shown yet that they cannot be */
  uint8_t whole[CKJIT_BUILD_ID_SIZE]; /* the build id of the blob compiled whole, for when they cannot */
  /* a part of a blob with -fgpu-rdc (parts.h) */
  bool fragment;    /* it is an object in .fragments/, not an entry */
  bool device_only; /* nothing in it is for the host */
};

/* Work out T from the options, reading the manifest in manifest mode. task_free in either case. */
bool task_read(struct compile_task *t, const struct compile_options *o, char **err);
void task_free(struct compile_task *t);
/* Set *ERR to "STEM: " and the text. Returns false. */
bool task_fail(const struct compile_task *t, char **err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* What T makes. */
enum ckjit_kind task_artefact(const struct compile_task *t);
/* Does T make all kernels of a unit or a blob, without code for the host? */
bool task_is_whole(const struct compile_task *t);
/* The build id of T, of the KEY of its blob or unit, T's kernel and architectures. */
void task_set_id(struct compile_task *t, const uint8_t key[CKJIT_KEY_SIZE]);
/* The argument of a linker's --build-id, in printf's form, and its two values: T's build id with its kind behind (abi/ck_jit_artefact.h). */
#define TASK_NOTE "0x%s%02x000000"
#define TASK_NOTE_OF(t) (t)->hex, (unsigned)task_artefact(t)

/* ---- what tasks are made with ---- */

/* the root that was said, absolute; NULL: none was. free() it */
char *task_root_given(const struct compile_options *o);
/* Read T's flags, once they are all there and the kind is known. */
void task_scan(struct compile_task *t);
/* append the words of TEXT (may be NULL), {root} replaced by ROOT */
void task_add_flags(struct argv *to, const char *text, const char *root);
/* Set T's source to SAID, which may begin with {root}, and its stem if it has none. T->root is
 * known. */
void task_set_source(struct compile_task *t, const char *said);
/* Can T's source be read: is it a regular file of bounded size? False with errno (abi/ck_jit_file.h). */
bool task_has_source(const struct compile_task *t);
/* Set *ERR: T's source cannot be read, and its text is not kept either. Returns false. */
bool task_no_source(const struct compile_task *t, char **err);
/* Have T compile a copy of T->text in its temporary directory. Nothing is done if T has none. */
bool task_use_text(struct compile_task *t, char **err);

#endif
