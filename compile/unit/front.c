#include "front.h"
#include "abi/ck_jit_access.h"
#include "compile/codeentry.h"
#include "compile/run.h"
#include "compile/variant.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"

#include <unistd.h>

void front_task(struct compile_task *f, const struct compile_task *t) {
  struct artefact_name name;
  artefact_stem_read(&name, t->stem);
  autofree char *stem = xstrndup(t->stem, name.stem);
  task_for(f, t, stem, t->asked, t->archs, CKJIT_UNIT_FRONT_NAME);
  variant_identify(f);
}

bool front_write(const struct compile_task *t, const char *output, const char *bitcode,
                 const struct buf *steps, char **err) {
  const struct code_section sections[] = {
      {.name = FRONT_BITCODE, .align = 1, .file = bitcode},
      {.name = FRONT_STEPS, .align = 1, .bytes = steps->data, .len = steps->len},
  };
  return codeentry_write(t, output, sections, 2, err);
}

bool front_read(struct front *f, const struct compile_task *t, char **err) {
  size_t len, n;
  struct elf e;
  autofree char *bytes = file_read_cached(f->file, CKJIT_ENTRY_MOST, &len), *text = NULL;
  if (!bytes)
    return task_fail(t, err, "cannot read the entry of its blob, %s: %s", f->file, strerror(errno));
  if (elf_open(&e, bytes, len, NULL)) {
    f->bitcode = codeentry_section(&e, FRONT_BITCODE, &f->len);
    text = codeentry_section(&e, FRONT_STEPS, &n);
  }
  bool found = f->bitcode && text && frontsteps_read(&f->steps, text);
  return found ||
         task_fail(
             t, err,
             "%s does not hold its kernels' bitcode as this version of ckjit writes it; remove it, and ckjit compiles it again",
             f->file);
}

void front_free(struct front *f) {
  free(f->bitcode);
  frontsteps_free(&f->steps);
}

bool front_check_tools(const struct front *f, const struct compile_task *t, char **err) {
  const char *other = frontsteps_other_tool(&f->steps);
  return !other ||
         task_fail(
             t, err,
             "%s is not the program that made its blob's entry (another release of the toolkit?); remove %s, and ckjit compiles it again with the present one",
             other, f->file);
}

bool front_run(const struct compile_task *t, const struct front *f, const struct argv *words, const char *in,
               const char *out, const char *temporary, const char *name, char **err) {
  autofree_argv command = {0};
  for (size_t i = 0; i < words->n; i++) {
    const char *w = words->args[i], *at = strstr(w, CICC_IN);
    if (at && !at[strlen(CICC_IN)])
      argv_addf(&command, "%.*s%s", (int)(at - w), w, in);
    else
      argv_add(&command, strcmp(w, CICC_OUT) == 0 ? out : w);
  }
  autofree char *log = xasprintf("%s/%s.log", temporary, name);
  say_command(t, &command);
  return ckjit_may(command.args[0], X_OK)
             ? run_command(t, &command, log, err)
             : task_fail(
                   t, err,
                   "%s, which made the blob's entry, no longer exists; remove %s, and ckjit compiles it again with the present compiler",
                   command.args[0], f->file);
}
