/* outputplace.c - `export`: the places of the files. All are made in a directory beside the output
 * and renamed when the last one is complete. */
#include "export.h"
#include "core/base/path.h"
#include "core/cache/owned.h"

#include <sys/stat.h>
#include <unistd.h>

/* The target of FILE if it is a link, which need not exist; else FILE. */
static char *real_file(const char *file) {
  char *real = realpath(file, NULL);
  return real ? real : path_abs(file);
}

/* Create a temporary directory in IN, and remove those left by exports that were killed. */
static void make_temporary(struct exporting *x, const char *in) {
  autofree char *prefix = xasprintf("%s/.ckjit-export", in);
  owned_sweep(in, path_base(prefix));
  x->dir = owned_make(prefix);
  if (!x->dir)
    die(EXIT_FAILED, "--output %s: cannot write to %s: %s", x->r->output, in, strerror(errno));
}

static const char *temporary_place(void) {
  const char *place = secure_getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

/* Make the output directory. */
static void into_directory(struct exporting *x) {
  autofree char *dir = path_abs(x->r->output);
  char *first = xstrdup(dir);
  plan_directory(x, dir);
  /* Remember the outermost directory that does not exist yet: removing it undoes everything if the
   * export fails. */
  for (char *up = path_dir(first); !file_exists(up) && strcmp(up, first) != 0; up = path_dir(first))
    first = up;
  bool made = !file_exists(dir);
  if (!dir_make(dir))
    die(EXIT_FAILED, "--output %s: cannot make the directory: %s", x->r->output, strerror(errno));
  if (made)
    x->made_dir = first;
  make_temporary(x, dir);
}

static void into_file(struct exporting *x) {
  char *file = real_file(x->r->output);
  autofree char *dir = path_dir(file);
  bool special = file_is_special(file);
  if (!file_is_dir(dir))
    die(EXIT_FAILED, "--output %s: there is no directory %s", x->r->output, dir);
  plan_file(x, file);
  make_temporary(x, special ? temporary_place() : dir);
}

static void into_stdout(struct exporting *x) {
  if (x->format != EXPORT_ASM && isatty(STDOUT_FILENO))
    die(EXIT_USAGE,
        "export: %s is not written to a terminal; redirect standard output, or pass --output FILE",
        export_format_name(x->format));
  plan_file(x, xstrdup("-"));
  make_temporary(x, temporary_place());
}

bool is_stdout(const struct request *r) {
  return strcmp(r->output, "-") == 0;
}

void choose_place(struct exporting *x) {
  if (is_stdout(x->r))
    into_stdout(x);
  else if (str_ends(x->r->output, "/") || file_is_dir(x->r->output))
    into_directory(x);
  else
    into_file(x);
  for (size_t i = 0; i < x->n; i++)
    x->outputs[i].made = new_file(x);
}
