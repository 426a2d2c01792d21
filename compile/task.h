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
#include "core/files/exportformat.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_entry.h"
#include "options.h"

/* What a call or a program asks besides the artefact. What an artefact needs first is made whoever
 * asks. */
struct task_call {
  /* Tell on standard output who compiles (tell.h). */
  bool progress;
  /* Leave to another process what that one is compiling. */
  bool unless_busy;
  /* Say whether the cache has it, and compile nothing. */
  bool look;
  /* The function that is called, by the hash of its name; 0: not known
   * (compile/hostonly/alone.h). */
  uint64_t function;
  /* The function hardly launches. */
  bool likely;
};

/* An export (compile/export/export.h); all of it borrowed from the options. */
struct task_export {
  enum export_format format;  /* EXPORT_NONE: nothing is exported */
  const char *soname;         /* of EXPORT_SO; NULL: it has none */
  const char *built;          /* the architectures that the library was built for, a ';' list; may be NULL */
  bool probe;                 /* only ask whether the compiler knows the architectures */
  const struct argv *symbols; /* NAME or OLD=NAME */
  const struct argv *parts;   /* files to join instead of compiling the source; empty: compile it */
};

struct compile_task {
  /* ---- which artefact ---- */
  char *stem;
  /* The kernel of a lazy unit, SOURCE being its text (compile/unit/unit.h), or of a CUDA blob; NULL:
   * the blob, or an object. */
  const char *kernel;
  /* Of a kernel of a CUDA blob: its blob's entry (compile/unit/late.h), which is SOURCE as well. */
  bool of_entry;
  /* An object in .fragments/ that blobs are linked of (parts.h); device_only: nothing in it is for
   * the host. */
  bool fragment, device_only;
  /* Of a blob of CUDA: its kernels are left for their first launch; per_kernel: nothing has shown
   * yet that they cannot be. */
  bool asked_per_kernel, per_kernel;
  /* ';' list, "" for a compiler that is not told any */
  char archs[CKJIT_ARCHS_SIZE];
  /* The build id that was asked for; that of the blob compiled whole, if its kernels cannot be left
   * for later; and the one to be written into the result, which may be a variant. */
  uint8_t asked[CKJIT_BUILD_ID_SIZE], whole[CKJIT_BUILD_ID_SIZE], id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE]; /* of id */

  /* ---- of what ---- */
  /* Of a part: "NAME\nTEXT" of a program (core/files/linkedunit.h), borrowed; NULL: of a unit. SOURCE
   * is then NAME. */
  const char *program_text;
  /* absolute; PLACE: as it was named, while SOURCE is a copy of it */
  char *source, *place;
  /* The source as its library was built from it, since it is gone or changed; NULL: it is not. */
  char *text;
  /* {root} expanded; and as they are in the key */
  struct argv flags, link;
  char *said_flags, *said_link;
  /* FLAGS, read as KIND reads them; set by task_scan */
  struct ccargs cc;
  /* --add-flags, which are in FLAGS as well; NULL: none */
  char *added_flags;
  /* of --inputs or the manifest, and what it says; NULL: none */
  char *inputs_file;
  struct inputs *inputs;
  /* What is different from it: a line for each header, tool or set of flags. */
  struct buf variant;
  /* of the source, the headers and the tools before the compile */
  char *stamps;

  /* ---- how ---- */
  char *root;     /* what {root} stands for */
  char *compiler; /* program, a path */
  const struct compiler *kind;
  /* KIND was recorded or detected, not guessed from the name in CK_JIT_HIPCC. */
  bool kind_is_known;
  /* CK_JIT_COMPILE_ENV's names, sorted; CK_JIT_COMPILER_LAUNCHER's words, empty: there is none */
  struct argv passed, launcher;
  /* The toolchain's variables for a kernel of CUDA, borrowed; NULL: the inputs'. */
  const struct argv *environment;
  /* What its programs are given of these (environment.h); NULL: nobody has looked yet. */
  struct given *given;
  /* seconds: CK_JIT_COMPILE_TIMEOUT, CK_JIT_LOCK_PATIENCE; 0: no limit */
  double timeout, patience;
  long starter; /* the process that we work for; 0: not known */
  bool verbose;

  /* ---- where to ---- */
  /* the file wanted, absolute; its directory */
  char *output, *dir;
  /* The result is written to it and nowhere else; -1: to the file OUTPUT. */
  int output_fd;
  /* DIR is a cache, with these limits. */
  bool cache;
  struct cachedir_limits limits;

  struct task_call call;
  struct task_export export;

  /* ---- what its compile found and made ---- */
  /* What only shows when it is compiled (learnt.h): as VARIANT, and a line for each file. */
  struct buf learnt;
  struct argv learnt_files;
  /* What the compile ran and read; NULL: that is not compared. */
  struct seen *seen;
  /* What leads to them while it is made (places.h), the engine's; NULL: it is not. */
  struct places *places;
  /* The directory that it is made in, borrowed; NULL: it is not made yet. */
  const char *temporary;
  /* Base name of the entry that was made; "" before. */
  char placed[NAME_MAX + 1];

  /* The task that needs this one, with which it shares what it inherits (task_for); NULL: none. */
  const struct compile_task *of;
};

/* F: KERNEL of STEM (NULL: the object of fragment STEM) under KEY for ARCHS, which T needs first.
 * It is of the same source, flags and inputs, and made in the same way, as long as nothing else is
 * put into F; it is not for T's call, and nothing of it is made yet. T must outlive F. task_free
 * it. */
void task_for(struct compile_task *f, const struct compile_task *t, const char *stem,
              const uint8_t key[CKJIT_KEY_SIZE], const char *archs, const char *kernel);
void task_free(struct compile_task *t);
/* Set *ERR to "STEM: " and the text. Returns false. */
bool task_fail(const struct compile_task *t, char **err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Write N bytes to FILE, of T's. */
bool task_write(const struct compile_task *t, const char *file, const char *bytes, size_t n, char **err);
/* What T makes. */
enum ckjit_kind task_artefact(const struct compile_task *t);
/* Does T make all kernels of a unit or a blob, without code for the host? */
bool task_is_whole(const struct compile_task *t);
static inline bool task_is_hip(const struct compile_task *t) {
  return t->kind->runtime == RUNTIME_HIP;
}
/* The build id of T, of the KEY of its blob or unit, T's kernel and architectures. */
void task_set_id(struct compile_task *t, const uint8_t key[CKJIT_KEY_SIZE]);
/* The argument of a linker's --build-id, in printf's form, and its two values: T's build id with its
 * kind behind it (abi/ck_jit_artefact.h). */
#define TASK_NOTE "0x%s%02x000000"
#define TASK_NOTE_OF(t) (t)->hex, (unsigned)task_artefact(t)

/* ---- what tasks are made with ---- */

/* Read T's flags, once they are all there and the kind is known. */
void task_scan(struct compile_task *t);
/* append the words of TEXT (may be NULL), {root} replaced by ROOT */
void task_add_flags(struct argv *to, const char *text, const char *root);
/* PATH of a list of inputs: {root} at its beginning is replaced by T's, and a file of the build's
 * toolkit is that of T's, if this is at another place and has it. free() it. */
char *task_expand(const struct compile_task *t, const char *path);
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
