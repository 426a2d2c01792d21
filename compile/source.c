#include "source.h"
#include "command.h"
#include "keeper.h"
#include "passes.h"
#include "run.h"
#include "seen.h"
#include "trace.h"
#include "verify.h"
#include "with_launcher.h"
#include "compile/hostonly/alone.h"
#include "core/base/path.h"
#include "core/device/rdc.h"

#include <unistd.h>

/* The plain command. */
static void plain_words(struct argv *command, const struct compile_task *t, const char *output) {
  /* its kernels cannot be left for later */
  bool after_all = t->asked_per_kernel && !t->per_kernel && command_is_cuda(t);
  if (t->fragment)
    command_object(command, t, NULL, NULL, output);
  else
    command_plain(command, t, output);
  if (after_all)
    argv_add(command, "--split-compile=0"); /* all processors for what somebody waits for */
  else if (!t->launcher.n)
    say_command(t, command);
}

/* Run the plain COMMAND, and have it say what it runs and reads. */
static bool run_verified(const struct compile_task *t, const struct argv *command, const char *temporary,
                         const char *log, char **err) {
  verify_begin(t, command, temporary);
  bool done = run_command(t, command, log, err);
  verify_end(t, command, temporary);
  return done;
}

/* A late unit's kernels are in its fragment, too, and no other kernel calls them. */
static bool drop_kernels(const char *object) {
  size_t len;
  autofree char *bytes = file_read(object, &len);
  if (!bytes)
    return false;
  rdc_drop_lists(bytes, len);
  return file_write(object, bytes, len, 0600);
}

bool source_make(const struct compile_task *t, const char *temporary, const char *output, const char *log,
                 char **err) {
  autofree_argv command = {0}, suspects = {0};
  plain_words(&command, t, output);
  seen_again(t);
  if (!hostonly_may_do(t))
    keeper_needed();
  compile_time_anew();
  bool done = with_launcher_make(t, temporary, output);
  if (!done) {
    compile_time_anew();
    done = !t->launcher.n && passes_make(t, &command, temporary, output, &suspects);
  }
  if (!done) {
    keeper_needed();
    compile_time_anew();
    done = run_verified(t, &command, temporary, log, err);
    for (size_t i = 0; done && i < suspects.n; i++)
      unlink(suspects.args[i]);
  }
  if (done && t->device_only && !drop_kernels(output))
    done = task_fail(t, err, "%s: cannot write: %s", output, strerror(errno));
  return done;
}
