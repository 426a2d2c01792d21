#include "way.h"
#include "command.h"
#include "compile/failure.h"
#include "compile/run.h"
#include "compile/with_launcher.h"
#include "compile/unit/unit.h"

#include <stdlib.h>

char *export_new_file(struct export *x, const char *extension) {
  return xasprintf("%s/export-%d%s", x->temporary, x->files++, extension);
}

bool export_run(struct export *x, const struct argv *command, char **err) {
  char *log = xasprintf("%s/log-%d", x->temporary, x->logs++);
  say_command(x->t, command);
  bool done = run_command(x->t, command, log, err);
  free(log);
  return done;
}

bool export_run_compiler(struct export *x, const struct argv *command, char **err) {
  return with_launcher_run(x->t, x->temporary, command) || export_run(x, command, err);
}

static bool compile_source(struct export *x, const struct compile_task *t, enum export_format format,
                           const char *archs, const char *output, char **err) {
  struct argv command = {0};
  export_command_compile(&command, t, format, archs, output);
  bool done = export_run_compiler(x, &command, err);
  argv_free(&command);
  return done;
}

/* A unit's text for ARCH. It is tried first without the functions of the host's, which cost time. */
static bool compile_text(struct export *x, const struct compile_task *t, enum export_format format,
                         const char *arch, const char *output, char **err) {
  char *why = NULL;
  struct compile_task of_text = *t;
  of_text.source = export_new_file(x, ".hipi");
  bool done = unit_text_export(t, arch, false, of_text.source, &why) &&
              compile_source(x, &of_text, format, arch, output, &why);
  free(why);
  failure_note(false);
  done = done || (unit_text_export(t, arch, true, of_text.source, err) &&
                  compile_source(x, &of_text, format, arch, output, err));
  free(of_text.source);
  return done;
}

bool export_compile(struct export *x, const struct compile_task *t, enum export_format format,
                    const char *archs, const char *output, char **err) {
  return (t->of_unit ? compile_text : compile_source)(x, t, format, archs, output, err);
}
