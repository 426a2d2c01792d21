/* rocm.c - see rocm.h. The rule of ROCm's own tools is realpath/../.., and it holds for hipcc in
 * ROCm's bin/. But hipcc may be a script elsewhere that starts another: /usr/local/bin/hipcc,
 * /some/dir/hipcc of a module system or a site's wrapper. Then it is asked; the first answer that
 * is a home counts:
 *
 *     hipcc -v -###    Found HIP installation: /opt/rocm, version 6.2    clang's own output
 *     hipconfig        --rocmpath, of the hipconfig beside it
 *     hipcc -###       "/opt/rocm/lib/llvm/bin/clang-18" "-cc1" …      a directory above its clang
 *     ROCM_PATH, HIP_PATH, ROCM_HOME                                      which hipcc reads, too
 *
 * In the shell of a build these may name the fake home: then its real one counts.
 */
#include "rocm.h"

#include "core/base/path.h"
#include "core/base/scratch.h"
#include "core/cc/steps.h"
#include "core/files/home.h"

static bool has(const char *dir, const char *name) {
  autofree char *path = path_join(dir, name);
  return file_exists(path);
}

/* DIR, or the real home if DIR is a fake one; NULL if it is not a home. Frees DIR, which may be
 * NULL. */
static char *home_at(char *dir) {
  char *err = NULL;
  if (dir && *dir == '/' && has(dir, HOME_FILE)) {
    struct home *h = home_read(dir, &err);
    free(dir);
    dir = h ? xstrdup(h->real_home) : NULL;
    home_free(h);
    free(err);
  }
  char *real = dir && *dir == '/' && has(dir, "include/hip") ? realpath(dir, NULL) : NULL;
  free(dir);
  return real;
}

static struct buf output_of(char *const *args) {
  struct job job = {.args = args};
  scratch_run(&job, 1, 1);
  return job.output;
}

/* The text after MARK in TEXT, up to one of ENDS or the end of the line; NULL if MARK is missing.
 * free() it. */
static char *behind(const struct buf *text, const char *mark, const char *ends) {
  const char *at = text->len ? strstr(text->data, mark) : NULL;
  at = at ? at + strlen(mark) : NULL;
  return at ? xstrndup(at, strcspn(at, ends)) : NULL;
}

/* The nearest home above clang's front end in OUTPUT, of -###. */
static char *above_clang(const struct buf *output) {
  struct steps steps;
  steps_read(&steps, output->len ? output->data : "");
  const struct argv *cc1 = steps_cc1(&steps);
  char *home = NULL;
  autofree char *dir = cc1 ? path_dir(cc1->args[0]) : NULL;
  while (dir && *dir == '/' && dir[1] && !home) {
    char *above = path_dir(dir);
    home = home_at(xstrdup(above));
    free(dir);
    dir = above;
  }
  steps_free(&steps);
  return home;
}

/* The home that hipconfig in the directory of HIPCC prints. */
static char *ask_hipconfig(const char *hipcc) {
  autofree char *dir = path_dir(hipcc), *hipconfig = path_join(dir, "hipconfig");
  char *home = NULL;
  if (file_is_program(hipconfig)) {
    char *args[] = {hipconfig, (char *)"--rocmpath", NULL};
    autofree_buf output = output_of(args);
    home = home_at(behind(&output, "", "\n"));
  }
  return home;
}

char *rocm_home(const char *hipcc) {
  static const char *const variables[] = {"ROCM_PATH", "HIP_PATH", "ROCM_HOME"};
  autofree char *real = realpath(hipcc, NULL), *bin = path_dir(real ? real : hipcc),
                *top = path_dir(bin);
  bool in_bin = strcmp(path_base(bin), "bin") == 0;
  char *home = in_bin && has(top, "include/hip") ? xstrdup(top) : NULL;
  if (!home) {
    char *args[] = {(char *)hipcc,       (char *)"-v", (char *)"-###",      (char *)"-x",
                    (char *)"hip",       (char *)"-c", (char *)"/dev/null", (char *)"-o",
                    (char *)"/dev/null", NULL};
    autofree_buf output = output_of(args);
    home = home_at(behind(&output, "Found HIP installation: ", ",\n"));
    home = home ? home : ask_hipconfig(hipcc);
    home = home ? home : above_clang(&output);
  }
  for (size_t i = 0; i < sizeof variables / sizeof *variables && !home; i++) {
    const char *dir = getenv(variables[i]);
    home = home_at(dir ? xstrdup(dir) : NULL);
  }
  if (!home && in_bin) /* it has the layout of a home, but not the files of ROCm */
    home = xstrdup(top);
  return home;
}
