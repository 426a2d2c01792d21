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

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Run ARGS; end the program if it fails. */
static void run(struct argv *args) {
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

/* Replace FILE, which may be a hard link into a compiler cache, by FROM. */
static void replace(const char *file, const char *from) {
  char *tmp = xasprintf("%s.ckjit-tmp", file);
  bool done = file_copy(from, tmp) && rename(tmp, file) == 0;
  if (!done)
    die(EXIT_FAILED, "%s: cannot be replaced by what it stands for: %s", file, strerror(errno));
  free(tmp);
}

/* The records FIRST to LAST-1 were found in one file, and are compiled: put their objects there. */
static void put_file(const struct link *l, struct step *steps, size_t first, size_t last) {
  const char *file = l->line.files.args[first];
  if (*l->line.members.args[first]) {
    for (size_t i = first; i < last; i++) { /* one by one: two directories may have a member of one name */
      char *dir = path_dir(steps[i].object), *member = path_join(dir, l->line.members.args[i]);
      struct argv ar = {0};
      replace(member, steps[i].object);
      argv_add(&ar, "ar");
      argv_add(&ar, "r");
      argv_add(&ar, file);
      argv_add(&ar, member);
      run(&ar);
      unlink(member);
      argv_free(&ar);
      free(member);
      free(dir);
    }
    return;
  }
  if (last - first == 1) {
    replace(file, steps[first].object);
    return;
  }
  struct argv ld = {0}; /* a stub of ld -r */
  char *whole = xasprintf("%s.whole.o", steps[first].object);
  argv_add(&ld, "ld");
  argv_add(&ld, "-r");
  argv_add(&ld, "-o");
  argv_add(&ld, whole);
  for (size_t i = first; i < last; i++)
    argv_add(&ld, steps[i].object);
  run(&ld);
  replace(file, whole);
  argv_free(&ld);
  free(whole);
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
