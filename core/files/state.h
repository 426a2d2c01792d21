/* state.h - ck_jit_quick_rebuild.json: the data with which `ckjit quick` links a library again with
 * a new runtime.
 *
 * The post-build linker writes it after each successful link, `ckjit-build` reads it; both use this
 * module, so the format (docs/formats.md) has one owner. In memory all paths are absolute. In the
 * file every path below the work directory starts with {jit}, which stands for the parent of the
 * state file's directory. So the work directory can be moved or renamed between a full and a quick
 * build.
 *
 * The caller replaces two placeholders: "{objs}" in link by all_objs (state_link), and
 * "{runtime_src}" in runtime_cc by the runtime's source. Errors: functions that fail set *ERR to a
 * message that names the file and the next step; free() it. Thread-safe.
 */
#ifndef CKJIT_STATE_H
#define CKJIT_STATE_H

#include "core/base/argv.h"

#define STATE_FILE "ck_jit_quick_rebuild.json"
#define STATE_OBJS "{objs}"
#define STATE_OBJS_NVCC "-Xlinker=\"{objs}\"" /* each object as a word for the linker of nvcc */
#define STATE_RUNTIME_SRC "{runtime_src}"

/* Start with {0}. */
struct state {
  char *out_so; /* the library made by the link step */
  /* every object and library file of the link, in order */
  struct argv all_objs;
  struct argv arch_fl; /* --offload-arch=… of the link */
  /* the link command, program first; state_link() puts all_objs into it */
  struct argv link;
  /* the element of all_objs that is compiled from the runtime */
  char *runtime_obj;
  /* the command that makes runtime_obj, program first; STATE_RUNTIME_SRC is the source */
  struct argv runtime_cc;
  /* For `ckjit relink`, which runs the whole link step again; empty in a file from an older
   * ckjit. */
  char *cwd; /* where the link ran; NULL: unknown */
  /* The absolute path of the work directory when the stub objects were made, which name sources in
   * it. For state_write NULL: its present path. */
  char *place;
  /* arguments of the post-build linker, response files expanded */
  struct argv link_step;
  struct argv link_env; /* NAME=VALUE: its CK_JIT variables */
};

/* Write S to FILE atomically. On failure nothing is written. */
bool state_write(const char *file, const struct state *s, char **err);
/* Read FILE and check every member; free with state_free and free(). NULL if it is missing, damaged
 * or of another format. */
struct state *state_read(const char *file, char **err);
/* Append the words of LINK to OUT, with OBJS in the place of STATE_OBJS or STATE_OBJS_NVCC. */
void state_link(struct argv *out, const struct argv *link, const struct argv *objs);
/* WORD, of a command line, with each path at or below FROM replaced by the same place below TO;
 * free() it. */
char *state_moved(const char *word, const char *from, const char *to);
/* Free what S owns, but not S. */
void state_free(struct state *s);

#endif
