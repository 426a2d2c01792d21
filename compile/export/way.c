#include "way.h"
#include "command.h"
#include "compile/failure.h"
#include "compile/run.h"
#include "compile/with_launcher.h"
#include "compile/unit/unit.h"

char *export_new_file(struct export *x, const char *extension) {
  return xasprintf("%s/export-%d%s", x->temporary, x->files++, extension);
}

bool export_run(struct export *x, const struct argv *command, char **err) {
  autofree char *log = xasprintf("%s/log-%d", x->temporary, x->logs++);
  say_command(x->t, command);
  return run_command(x->t, command, log, err);
}

bool export_run_compiler(struct export *x, const struct argv *command, char **err) {
  return with_launcher_run(x->t, x->temporary, command) || export_run(x, command, err);
}

bool export_compile_file(struct export *x, const char *source, enum export_format format, const char *archs,
                         const char *output, char **err) {
  autofree_argv command = {0};
  export_command_compile(&command, x->t, source, format, archs, output);
  return export_run_compiler(x, &command, err);
}

bool export_compile(struct export *x, enum export_format format, const char *archs, const char *output,
                    char **err) {
  const struct compile_task *t = x->t;
  if (!t->kernel)
    return export_compile_file(x, t->source, format, archs, output, err);
  /* A unit's text for one architecture is tried first without the functions of the host's, which
   * cost time. */
  autofree char *why = NULL, *text = export_new_file(x, ".hipi");
  bool done = unit_text_export(t, archs, false, text, &why) &&
              export_compile_file(x, text, format, archs, output, &why);
  failure_note(false);
  done = done || (unit_text_export(t, archs, true, text, err) &&
                  export_compile_file(x, text, format, archs, output, err));
  return done;
}
