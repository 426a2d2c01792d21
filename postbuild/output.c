/* output.c - the link itself: the user's command with our objects in place of stub objects, and the check
 * that it leaves no function of a blob undefined. */
#include "link.h"

#include "linkdeps.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/files/state.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYMBOLS_SHOWN = 5 };

/* If all device code is left for later, -fgpu-rdc and --hip-link have nothing to link for the device. clang
 * 15 fails then, so the words go. */
static void drop_device_link(struct link *l) {
  bool lazy = l->fragments.n > 0;
  for (size_t i = 0; i < l->nblobs; i++)
    lazy |= l->blobs[i].rdc && blob_is_forwarded(&l->blobs[i]);
  if (!lazy || l->device_code || link_wants_fragments(l))
    return;
  struct argv kept = {0};
  for (size_t i = 0; i < l->command.n; i++)
    if (strcmp(l->command.args[i], "-fgpu-rdc") != 0 && strcmp(l->command.args[i], "-fcuda-rdc") != 0 &&
        strcmp(l->command.args[i], "--hip-link") != 0)
      argv_add(&kept, l->command.args[i]);
  argv_free(&l->command);
  l->command = kept;
}

static void collect_objects(struct link *l) {
  for (size_t i = 0; i < l->ndispatchers; i++)
    argv_add(&l->objs, l->dispatchers[i].object);
  for (size_t k = 0; k < l->units.nunits; k++)
    if (l->units.units[k].nblobs)
      argv_add(&l->objs, l->units.units[k].stubs);
  argv_add_all(&l->objs, l->aot.args);
}

void link_plan_output(struct link *l) {
  linkline_write(&l->line, l->line.output, &l->command, &l->objs);
  drop_device_link(l);
  collect_objects(l);
}

/* How many undefined symbols FILE has that a blob should have defined, some of them to NAMES. They are
 * mangled as "<length><name>I…": the name of a blob's function with template arguments. */
static size_t undefined_functions(const struct link *l, const char *file, struct buf *names) {
  size_t len, found = 0;
  char *bytes = file_read(file, &len);
  struct elf e;
  struct elf_symtab t;
  if (!bytes || !elf_open(&e, bytes, len, NULL) || !elf_symtab(&e, SHT_DYNSYM, &t)) {
    free(bytes); /* a static executable has no such table, and its linker has checked */
    return 0;
  }
  struct elf_symbol s;
  for (size_t i = 0; i < t.count; i++) {
    if (!elf_symbol(&t, i, &s) || s.section != SHN_UNDEF || !str_starts(s.name, "_Z"))
      continue;
    for (size_t k = 0; k < l->functions.names.n; k++) {
      char *mark = xasprintf("%zu%sI", strlen(l->functions.names.args[k]), l->functions.names.args[k]);
      const char *at = strstr(s.name, mark);
      bool hit = at && !isdigit((unsigned char)at[-1]);
      free(mark);
      if (!hit)
        continue;
      if (found++ < SYMBOLS_SHOWN)
        buf_printf(names, "\n  %s", s.name);
      break;
    }
  }
  free(bytes);
  return found;
}

/* It is linked beside the output, and moved there when it is whole. */
void link_output(struct link *l) {
  /* No process id in the name: links of one library wait for each other, and what a killed one left behind is
   * overwritten. */
  char *tmp = xasprintf("%s.ckjit-tmp", l->line.output);
  struct argv words = {0};
  for (size_t i = 0; i < l->command.n; i++) {
    const char *w = l->command.args[i];
    if (strcmp(w, STATE_OBJS) == 0)
      argv_add_all(&words, l->objs.args);
    else
      argv_add(&words, strcmp(w, l->line.output) == 0 ? tmp : w);
  }
  struct job job = {.args = words.args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    fwrite(job.output.data, 1, job.output.len, stderr);
  if (job.status) {
    unlink(tmp);
    if (l->no_rdc)
      warn("%s: all with -fgpu-rdc was compiled ahead of time: %s", l->line.output, l->no_rdc);
    char *text = argv_join(words.args);
    die(EXIT_FAILED, "%s: the linker ended with status %d\ncommand: %s", l->line.output, job.status, text);
  }
  struct buf names = {0};
  size_t missing = undefined_functions(l, tmp, &names);
  if (missing) {
    unlink(tmp);
    die(EXIT_FAILED,
        "%s: %zu functions of blobs are not defined by any object of this link:%s\n"
        "is a generated source missing from it?",
        l->line.output, missing, names.data);
  }
  char *deps = linkdeps_file(&words, l->line.cwd);
  if (deps)
    linkdeps_clean(deps, tmp, l->line.output, l->work);
  free(deps);
  if (rename(tmp, l->line.output)) {
    int e = errno;
    unlink(tmp);
    die(EXIT_FAILED, "%s: cannot move the linked library into place: %s", l->line.output, strerror(e));
  }
  buf_free(&job.output);
  argv_free(&words);
  free(tmp);
}
