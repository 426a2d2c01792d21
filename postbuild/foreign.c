/* foreign.c - records that were not made by a build with this home.
 *
 * A stub object says how it is compiled: by which compiler, with which words. A link without ckjit
 * only reads objects of any origin, and a link with ckjit must not run a command from a foreign
 * object, for example one in a downloaded archive.
 *
 * Records of this user's builds are in the log of the work directory, which nobody else can write
 * to: such a record is taken as it is. Any other (an archive of another project's, an object that
 * ccache has kept from an earlier build) is compiled only if its command does no more than a
 * compile of its text with this home would: by this home's compiler, with words that name nothing
 * to run, to load or to write to (core/cc/ccreach.c). Otherwise the link ends with an error that
 * says why.
 */
#include "link.h"

#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/base/trust.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the log ---- */

/* Mark in KNOWN the records of L whose lines are in the log. */
static void look_into_log(const struct link *l, bool *known) {
  autofree char *name = path_join(l->work, RECORD_FILE), *line = NULL;
  autofree_intern lines = {0};
  size_t size = 0;
  for (size_t i = 0; i < l->line.nrecords; i++)
    intern(&lines, l->line.lines.args[i]);
  autofree bool *seen = xcalloc(lines.texts.n + 1, sizeof *seen);
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const char *why = fd < 0 ? NULL : trust_open_why(fd);
  if (why)
    die(EXIT_FAILED, "%s %s; remove it, and build again [ckjit help untrusted-directory]", name, why);
  FILE *log = fd < 0 ? NULL : fdopen(fd, "r");
  for (ssize_t n; log && (n = getline(&line, &size, log)) > 0;) {
    autofree char *own = linkline_logged(line, (size_t)n);
    size_t k = intern_find(&lines, own);
    if (k != SIZE_MAX)
      seen[k] = true;
  }
  for (size_t i = 0; i < l->line.nrecords; i++)
    known[i] = seen[intern_find(&lines, l->line.lines.args[i])];
  if (log)
    fclose(log);
}

/* ---- what is not in it ---- */

static bool is_same_file(const struct stat *a, const char *path) {
  struct stat b;
  return path && stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Is PROGRAM, a path or a name on the PATH, one that this home's builds run? That is what the
 * home names, what has its name in the real home, or on the PATH, which is the user's word. */
static bool is_of_home(const char *program, void *link) {
  const struct link *l = link;
  const struct home *h = l->home;
  struct stat st;
  autofree char *path = path_which(program),
                *of_home = xasprintf("%s/bin/%s", h->real_home, path_base(program)),
                *cxx = path_which(h->real_cxx), *named = path_which(path_base(program));
  return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
         (is_same_file(&st, l->line.compiler) || is_same_file(&st, h->real_compiler) ||
          is_same_file(&st, cxx) || is_same_file(&st, of_home) || is_same_file(&st, named) ||
          (h->clang.n && is_same_file(&st, h->clang.args[0])));
}

/* Returns what R would run that this home does not; NULL: nothing. free() it. */
static char *reaches(struct link *l, const struct record *r) {
  if (!is_of_home(r->compiler, l))
    return xasprintf("the compiler %s", r->compiler);
  const char *word = ccargs_reaches(&r->cc, is_of_home, l);
  struct ccargs device = {0};
  autofree_argv words = {0};
  argv_add_all(&words, r->device.args);
  if (!word && words.n) {
    ccargs_scan(&device, r->compiler_kind->dialect, words.args);
    word = ccargs_reaches(&device, is_of_home, l);
  }
  char *what = word ? xasprintf("the option %s", word) : NULL;
  ccargs_free(&device);
  return what;
}

void link_judge_records(struct link *l) {
  autofree bool *known = xcalloc(l->line.nrecords + 1, sizeof *known);
  if (l->line.nrecords)
    look_into_log(l, known);
  for (size_t i = 0; i < l->line.nrecords; i++) {
    autofree char *what = known[i] ? NULL : reaches(l, &l->line.records[i]);
    const char *member = l->line.members.args[i];
    if (what)
      die(EXIT_FAILED,
          "%s%s%s%s: its record asks for %s, and no build with the fake home %s and the work directory "
          "%s has recorded it: it is not run, because the object may be somebody else's "
          "[ckjit help foreign-record]\n"
          "compile it again with this home, or link the object that the regular compiler makes of %s",
          l->line.files.args[i], *member ? "(" : "", member, *member ? ")" : "", what, l->home->dir, l->work,
          l->line.records[i].source);
  }
  argv_free(&l->line.lines);
}
