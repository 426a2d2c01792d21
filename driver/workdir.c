/* workdir.c - the work directory of a full build: made, locked, and prepared for this build.
 *
 * The files of an earlier call there are useful only if they have the same inputs. begin_build()
 * compares (built.h): if nothing changed that the post-build linker would not notice, it finds its
 * objects again and compiles only what changed; otherwise the library's directory is removed, and
 * the reason printed. The state file is removed first, so that a killed build leaves no library
 * that `quick` or `relink` would take for a whole one.
 */
#include "common.h"
#include "built.h"
#include "checkout.h"
#include "full.h"
#include "qola.h"
#include "unchanged.h"
#include "worklock.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/cc/deps.h"
#include "core/files/home.h"
#include "core/files/record.h"
#include "core/base/human.h"

#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Is DIR the directory AT, or above it? It compares the directories, not names: one of them may be
 * a link. */
static bool is_above(const char *dir, const char *at) {
  autofree char *here = realpath(at, NULL);
  bool found = false;
  while (here && !found) {
    found = is_same_file(dir, here);
    char *up = strcmp(here, "/") == 0 ? NULL : path_dir(here);
    free(here);
    here = up;
  }
  return found;
}

/* An older ckjit-build made no lock file. */
static bool is_work_dir(const struct full *f) {
  autofree char *lock = path_join(f->tmp, WORK_LOCK_FILE), *conf = path_join(f->home, HOME_FILE);
  return file_exists(lock) || file_exists(conf);
}

static void make_temporary(struct full *f) {
  const char *base = getenv("TMPDIR");
  f->tmp = xasprintf("%s/ckjit-build-XXXXXX", base && *base ? base : "/tmp");
  if (!dir_make_temporary(f->tmp))
    die(EXIT_FAILED, "cannot make a work directory %s: %s; name one with --tmp-dir", f->tmp,
        strerror(errno));
}

void make_work_dir(struct full *f) {
  if (!f->tmp)
    make_temporary(f);
  if (!dir_make_work(f->tmp) && errno != ENOTDIR)
    die(EXIT_FAILED, "--tmp-dir %s: cannot make this directory: %s", f->tmp, strerror(errno));
  require_writable_dir(f->tmp, "--tmp-dir");
  trust_own(f->tmp, "the work directory", "name another directory with --tmp-dir");
  f->home = path_join(f->tmp, "home");
  if (file_exists(f->home))
    trust_own(f->home, "the fake home", "remove it, or name another directory with --tmp-dir");
  if (is_same_file(f->tmp, f->aiter)) /* the copies would be copied, and so on */
    die(EXIT_FAILED,
        "--tmp-dir %s: is the aiter checkout itself; name another directory, which may lie in it",
        f->tmp);
  if (is_above(f->tmp, f->aiter))
    die(EXIT_FAILED,
        "--tmp-dir %s: holds the aiter checkout %s, and a build removes what it finds there; name "
        "another directory, which may lie in the checkout or beside it",
        f->tmp, f->aiter);
  for (int i = 0; i < APIS; i++) {
    autofree char *shadow = shadow_of(f, i);
    /* In this order: another process may make both at this moment, the mark first. */
    if (f->api[i] && file_exists(shadow) && !is_work_dir(f))
      die(EXIT_FAILED,
          "--tmp-dir %s: holds src_%s, which ckjit-build did not make; choose another directory",
          f->tmp, api_names[i]);
  }
  work_lock(f->tmp);
  step_says("work directory", "%s", f->tmp);
}

/* ---- remains of an earlier call ---- */

/* Why the remains of API in DIR may not be used again; NULL if there are none, or if they may. WAS:
 * the facts of their build; IS: the content of the copy. free() it. */
static char *why_anew(const struct full *f, const char *dir, const struct argv *was,
                      const struct checkout *is) {
  if (!file_is_dir(dir))
    return NULL;
  if (!was->n)
    return xstrdup("what it was built from is not known");
  char *why = built_difference(was, &f->facts, "contents");
  if (why)
    return why;
  struct checkout before = {0};
  autofree char *file = path_join(dir, CHECKOUT_FILE);
  checkout_read(&before, file);
  return checkout_stamps_tell(&before, is) ? NULL : xstrdup("the checkout's files changed");
}

/* Remove the wrapper's memory of the options that the compiler accepts, and the like. */
static void forget_answers(const struct full *f) {
  autofree char *answers = path_join(f->tmp, DEPS_CACHE);
  dir_remove(answers);
}

/* Move it aside; run_builds() removes it, which may take half a minute for aiter's tens of
 * thousands of files. */
static void set_aside(const struct full *f, int api, const char *shadow) {
  autofree char *old = old_shadow_of(f, api);
  dir_remove(old); /* of a killed call */
  rename(shadow, old);
}

/* CK: the digest of CK_DIR's files; NULL if it is not set. The linker itself finds those that
 * changed, and keeps the rest. */
static void begin_library(struct full *f, int api, const char *ck, size_t *files) {
  autofree char *dir = library_dir(f, api), *shadow = shadow_of(f, api),
                *state = path_join(dir, STATE_FILE);
  autofree_argv was = {0};
  struct checkout list = {0};
  unlink(state);
  unchanged_forget(f, api);
  built_read(&was, dir);
  set_aside(f, api, shadow);
  checkout_copy(&list, f->aiter, shadow, f->tmp);
  char *contents = checkout_digest(&list);
  autofree char *why = why_anew(f, dir, &was, &list);
  if (api == QOLA) {
    qola_copy(f, shadow);
    qola_forget(f, why != NULL);
  }
  autofree_argv facts = {0};
  argv_add_all(&facts, f->facts.args);
  built_add(&facts, "contents", contents);
  if (ck)
    built_add(&facts, "ck", ck);
  if (why) {
    autofree char *made = made_by(api);
    step_says("rebuild", "%s: %s", made, why);
    forget_answers(f);
    if (!dir_remove(dir))
      die(EXIT_FAILED, "cannot remove %s, of an earlier build: %s", dir, strerror(errno));
  }
  autofree char *file = path_join(dir, CHECKOUT_FILE);
  if (!dir_make_work(dir))
    die(EXIT_FAILED, "cannot make %s: %s", dir, strerror(errno));
  checkout_write(&list, file);
  built_write(&facts, dir);
  *files += list.files.n;
  f->contents = contents;
}

/* Report if the library API, which is not built now, belongs to another build: it is neither listed
 * nor installed. */
static void tell_of_other(const struct full *f, int api) {
  autofree char *dir = library_dir(f, api), *state = path_join(dir, STATE_FILE);
  autofree_argv was = {0};
  if (file_exists(state)) {
    bool known = built_read(&was, dir);
    autofree char *why =
        known ? built_difference(&was, &f->facts, NULL) : xstrdup("by an earlier ckjit-build");
    autofree char *made = made_by(api);
    if (why)
      step_says("left", "%s, of another build: %s", made, why);
  }
}

/* The digest of CK_DIR's files; NULL if it is not set. */
static char *digest_of_ck(void) {
  const char *ck_dir = getenv("CK_DIR");
  return ck_dir && *ck_dir ? checkout_digest_of_ck(ck_dir) : NULL;
}

/* Add the facts that are known when the checkout has been read; and report how they affect the
 * libraries that are not built. */
static void add_contents(struct full *f, const char *ck) {
  built_add(&f->facts, "contents", f->contents);
  if (ck)
    built_add(&f->facts, "ck", ck);
  for (int i = 0; i < APIS; i++)
    if (!f->api[i])
      tell_of_other(f, i);
}

/* Why one of the libraries has to be built; NULL: none has to. */
static char *why_not_unchanged(const struct full *f, const char *contents, const char *ck) {
  char *why = NULL;
  for (int i = 0; i < APIS && !why; i++)
    if (f->api[i])
      why = unchanged_why_not(f, i, contents, ck);
  return why;
}

bool is_unchanged(struct full *f) {
  for (int i = 0; i < APIS; i++)
    if (f->api[i] && !unchanged_is_known(f, i))
      return false;
  struct checkout list = {0};
  checkout_list(&list, f->aiter, f->tmp);
  char *contents = checkout_digest(&list), *ck = digest_of_ck(),
       *why = why_not_unchanged(f, contents, ck);
  if (why) {
    step_says("rebuild", "%s", why);
    return false;
  }
  step_says("kept", "nothing has changed since the last build here; to build again: --anew");
  f->contents = contents;
  add_contents(f, ck);
  return true;
}

void begin_build(struct full *f) {
  double started = ckjit_seconds();
  size_t files = 0;
  step_begin(f->verbose, "copying the checkout");
  char *ck = digest_of_ck();
  /* Records are only appended. Those of a library that is not built now stay. */
  autofree char *records = path_join(f->tmp, RECORD_FILE);
  if (f->api[QOLA] || (f->api[FWD] && f->api[BWD]))
    unlink(records);
  for (int i = 0; i < APIS; i++)
    if (f->api[i])
      begin_library(f, i, ck, &files);
  step_done("copy", started, "%zu %s of %s", files, noun(files, "file", "files"), f->aiter);
  add_contents(f, ck);
}
