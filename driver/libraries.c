/* libraries.c - the libraries that a build left in a work directory. */
#include "common.h"
#include "libraries.h"
#include "worklock.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/base/vec.h"
#include "core/files/home.h"
#include "core/files/summary.h"

#include <dirent.h>

static int by_dir(const void *a, const void *b) {
  return strcmp(((const struct library *)a)->dir, ((const struct library *)b)->dir);
}

/* Die with a hint: the user may have named a fake home instead of its work directory, or a
 * library's own directory in it. */
static _Noreturn void die_without(const char *work) {
  char *conf = path_join(work, HOME_FILE), *state = path_join(work, STATE_FILE),
       *parent = path_dir(work), *err;
  struct home *h = file_exists(conf) ? home_read(work, &err) : NULL;
  const char *meant = h ? h->work : file_exists(state) ? parent : NULL;
  if (meant && strcmp(meant, work) != 0)
    die(EXIT_FAILED, "%s: is %s, not a work directory; did you mean --tmp-dir %s?", work,
        h ? "a fake home" : "the directory of one library", meant);
  die(EXIT_FAILED,
      "%s: no library was built here: no */" STATE_FILE " in it; build one first, with `ckjit full "
      "--tmp-dir %s` or with a fake home",
      work, work);
}

struct library library_read(const char *dir) {
  autofree char *file = path_join(dir, STATE_FILE);
  char *err;
  struct state *state = state_read(file, &err);
  if (!state)
    die(EXIT_FAILED, "%s", err);
  return (struct library){.dir = xstrdup(dir), .state = state};
}

struct library *libraries_find(const char *work, size_t *n) {
  struct library *libs = NULL;
  DIR *d = opendir(work);
  if (!d)
    die(EXIT_FAILED,
        "cannot read the work directory %s: %s; expected the --tmp-dir of a full build", work,
        strerror(errno));
  *n = 0;
  for (struct dirent *e; (e = readdir(d));) {
    autofree char *dir = path_join(work, e->d_name), *file = path_join(dir, STATE_FILE);
    if (e->d_name[0] != '.' && file_exists(file))
      vec_push(libs, *n, library_read(dir));
  }
  closedir(d);
  if (*n)
    qsort(libs, *n, sizeof *libs, by_dir);
  return libs;
}

/* As libraries_find(), but dies if there is none. */
static struct library *libraries_read(const char *work, size_t *n) {
  if (file_is_dir(work))
    trust_own(work, "the work directory", "build in a directory of your own");
  struct library *libs = libraries_find(work, n);
  if (!*n)
    die_without(work);
  return libs;
}

/* A running build has no state file until it has linked, so this waits for it. A directory that is
 * not ckjit's gets no lock file. */
struct library *libraries_open(const char *work, size_t *n) {
  autofree char *file = path_join(work, WORK_LOCK_FILE);
  if (!file_exists(file))
    libraries_read(work, n);
  work_lock(work);
  return libraries_read(work, n);
}

/* Also prints the link step's summary, because aiter does not show the output of a build that
 * succeeds. */
void library_show(const struct library *lib, bool verbose) {
  step_says("library", "%s", lib->state->out_so);
  autofree char *file = path_join(lib->dir, SUMMARY_FILE);
  size_t len;
  autofree char *text = file_read(file, &len);
  if (text)
    summary_print(stdout, text, file, verbose || summary_is_whole());
}
