/* unread.c - a link with a response file or an options file that ckjit does not read as the compiler does: nvcc reads a backslash in one of
 * two ways, gcc and clang differ in a form feed, a NUL, a mark of UTF-8 and a quote that is left open.
 *
 * Such a link cannot be written again with other objects. But the stubs that it names can become what stock would have made: each is
 * compiled by its recorded command, and takes the stub's place in the build, in its archive too. Then the real compiler runs
 * the command as it was given. The library is stock's, with no kernel lazy. The next make finds objects and no stubs.
 */
#include "link.h"

#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/files/stubobj.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void link_run_tool(const struct argv *args) {
  struct job job = {.args = args->args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    fwrite(job.output.data, 1, job.output.len, stderr);
  char *text = argv_join(args->args);
  if (job.status)
    die(EXIT_FAILED, "%s ended with status %d\ncommand: %s", args->args[0], job.status, text);
  buf_free(&job.output);
  free(text);
}

void link_replace(const char *file, const char *from) {
  char *tmp = xasprintf("%s.ckjit-tmp", file);
  bool done = file_copy(from, tmp) && rename(tmp, file) == 0;
  if (!done)
    die(EXIT_FAILED, "%s: cannot be replaced by what it stands for: %s", file, strerror(errno));
  free(tmp);
}

/* Is FILE the object that was compiled when record I was written, with the host code of a lazy unit? */
static bool is_unit(const struct link *l, size_t i, const char *file) {
  const struct record *r = &l->line.records[i];
  char *output = path_abs_in(r->cwd, r->output), *found = path_abs_in(l->line.cwd, file);
  bool is = r->kind == RECORD_UNIT && strcmp(output, found) == 0;
  free(output);
  free(found);
  return is;
}

/* `ld -r` made the file of the records FIRST to LAST-1: of stubs ALONE, or of code beside them, which stays. Lazy units
 * have host code there, which cannot be told from the rest. */
static void put_joined(const struct link *l, struct step *steps, size_t first, size_t last, bool alone) {
  const char *file = l->line.files.args[first];
  struct argv ld = {0};
  char *whole = xasprintf("%s.whole.o", steps[first].object),
       *rest = xasprintf("%s.rest.o", steps[first].object);
  argv_add(&ld, "ld");
  argv_add(&ld, "-r");
  argv_add(&ld, "-o");
  argv_add(&ld, whole);
  if (!alone) {
    struct argv copy = {0};
    argv_add(&copy, "objcopy");
    argv_add(&copy, "--remove-section=" STUB_SECTION);
    argv_add(&copy, "--remove-section=" STUB_GUARD);
    argv_add(&copy, "--strip-symbol=" STUB_SYMBOL);
    argv_add(&copy, file);
    argv_add(&copy, rest);
    link_run_tool(&copy);
    argv_free(&copy);
    argv_add(&ld, rest);
  }
  for (size_t i = first; i < last; i++) {
    if (l->line.records[i].kind == RECORD_UNIT)
      die(EXIT_FAILED,
          "%s: the unit %s cannot be lazy in this link, and cannot be taken out of %s: compile it again with "
          "CK_JIT_UNITS=0",
          l->line.output, l->line.records[i].source, file);
    argv_add(&ld, steps[i].object);
  }
  link_run_tool(&ld);
  link_replace(file, whole);
  argv_free(&ld);
  free(whole);
  free(rest);
}

/* The records FIRST to LAST-1 were found in one file, and are compiled: put their objects there. */
static void put_file(const struct link *l, struct step *steps, size_t first, size_t last) {
  const char *file = l->line.files.args[first];
  if (*l->line.members.args[first]) {
    for (size_t i = first; i < last; i++) { /* one by one: two directories may have a member of one name */
      char *dir = path_dir(steps[i].object), *member = path_join(dir, l->line.members.args[i]);
      struct argv ar = {0};
      link_replace(member, steps[i].object);
      argv_add(&ar, "ar");
      argv_add(&ar, "r");
      argv_add(&ar, file);
      argv_add(&ar, member);
      link_run_tool(&ar);
      unlink(member);
      argv_free(&ar);
      free(member);
      free(dir);
    }
    return;
  }
  bool alone = linkline_only_records(file) || is_unit(l, first, file);
  if (last - first == 1 && alone)
    link_replace(file, steps[first].object);
  else
    put_joined(l, steps, first, last, alone);
}

_Noreturn void link_unread(struct link *l) {
  size_t n = l->line.nrecords;
  struct step *steps = xcalloc(n + 1, sizeof *steps);
  warn(
      "%s: it is made as without ckjit, with no kernel lazy: %s", l->line.output,
      l->line.kind->dialect == CC_NVCC
          ? "an options file of this link (-optf) cannot be read, or has a backslash, a NUL or a quote left open"
          : "a response file of this link has a form feed, a NUL, a byte order mark, a quote left open, or a backslash at its "
            "end, which gcc and clang read differently");
  for (size_t i = 0; i < n; i++) {
    char *object = xasprintf("%s/objs/unread-%zu-%s.o", l->dir, i, l->line.records[i].stem);
    steps[i] = link_whole_step(&l->line.records[i], object);
    free(object);
  }
  steps_run(&l->runner, steps, n);
  for (size_t i = 0; i < n; i++)
    if (steps[i].status)
      step_fail(&steps[i]);
  for (size_t i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && strcmp(l->line.files.args[next], l->line.files.args[i]) == 0;)
      next++;
    put_file(l, steps, i, next);
  }
  struct argv command = {0};
  argv_add(&command, l->line.compiler);
  argv_add_all(&command, l->line.given.args);
  step_launcher_close(&l->runner.launcher);
  execvp(command.args[0], command.args);
  die(EXIT_FAILED, "%s: cannot be run: %s", command.args[0], strerror(errno));
}
