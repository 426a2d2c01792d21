/* lazy.c - functions for all parts: record why a unit is not lazy, run its commands, check that a
 * text is whole. */
#include "unit.h"
#include "core/base/pool.h"
#include "core/cc/takes.h"

#include <sys/stat.h>

bool unit_not_lazy(struct unit *u, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  u->why = xvasprintf(fmt, ap);
  va_end(ap);
  return false;
}

bool unit_take_target(struct unit *u, bool (*is_plain)(const char *arch), const char *option) {
  const struct ccargs *a = &u->record.cc;
  struct argv *archs = &u->record.archs;
  struct stat st;
  compiler_archs(archs, a);
  if (!archs->n)
    return unit_not_lazy(u, "the call names no architecture");
  for (size_t i = 0; i < archs->n; i++)
    if (!is_plain(archs->args[i]))
      return unit_not_lazy(u, "%s%s is not one architecture", option, archs->args[i]);
  u->output = ccargs_output(a);
  if (lstat(u->output, &st) == 0 && !S_ISREG(st.st_mode))
    return unit_not_lazy(u, "%s is no regular file", u->output);
  return true;
}

bool unit_run(struct unit *u, const char *what, struct argv *commands, size_t n) {
  autofree struct job *jobs = xcalloc(n, sizeof *jobs);
  for (size_t i = 0; i < n; i++)
    jobs[i].args = commands[i].args;
  size_t failed = pool_run(jobs, n, 0, NULL, NULL);
  for (size_t i = 0; i < n; i++) {
    if (jobs[i].output.len)
      buf_add(&u->said, jobs[i].output.data, jobs[i].output.len);
    buf_free(&jobs[i].output);
    argv_free(&commands[i]);
  }
  return failed ? unit_not_lazy(u, "%s fails", what) : true;
}

bool unit_text_is_whole(struct unit *u, const char *text, size_t len) {
  const char *takes = takes_file(text, len);
  return !takes || unit_not_lazy(u, "its text takes in a file that no depfile names (%s)", takes);
}
