/* fakehome.c - the directory of a fake ROCm or CUDA home.
 *
 * A build finds its compiler through ROCM_PATH, ROCM_HOME or HIP_PATH, through the PATH, or (newer
 * aiter) as realpath(which hipcc)/../.. So the fake home is a directory with every entry of the
 * real one, except for its own bin/, in which the compilers are the wrapper. They are files, not
 * symbolic links: realpath of a link would give the wrapper's installation instead of the home.
 * They are one file under many names (hard links). It is copied from the installation and not
 * linked, because an upgrade may replace that during a build.
 *
 * If the real home is /usr (Debian's hipcc), the rest of bin/ is omitted: it is on the PATH
 * anyway. */
#include "fakehome.h"
#include "profile.h"
#include "realtools.h"
#include "worklock.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/files/home.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fake home being filled: its entries, so that all others can be removed. */
struct maker {
  const char *dir;
  char *bin;
  /* the first copy of the wrapper, to which the other names are links */
  char *wrapper;
  struct argv names, files; /* entries of dir and of bin */
};

static _Noreturn void cannot(const char *what, const char *file) {
  die(EXIT_FAILED, "cannot %s %s: %s; choose another directory: --dir of home, --tmp-dir of full",
      what, file, strerror(errno));
}

static bool make_name(const char *tmp, void *file) {
  return link(file, tmp) == 0;
}

static bool make_link(const char *tmp, void *target) {
  return symlink(target, tmp) == 0;
}

/* FILE must not be a directory, which no rename replaces. */
static void make_room(const char *file) {
  struct stat st;
  if (lstat(file, &st) == 0 && S_ISDIR(st.st_mode) && !dir_remove(file))
    cannot("replace", file);
}

/* Replace FILE by the result of MAKE for TARGET; false with errno on failure. rename() does nothing
 * if both are names of one file, hence the unlink. */
static bool replace(const char *file, bool (*make)(const char *, void *), const char *target) {
  make_room(file);
  autofree char *tmp = file_make_beside(file, make, (char *)target);
  if (!tmp)
    return false;
  if (rename(tmp, file))
    cannot("write", file);
  unlink(tmp);
  return true;
}

/* Add the wrapper as bin/NAME. */
static void add_wrapper(struct maker *m, const char *name) {
  if (argv_has(&m->files, name))
    return;
  argv_add(&m->files, name);
  autofree char *file = path_join(m->bin, name),
                *from = m->wrapper ? NULL : install_program("ckjit-wrap");
  make_room(file);
  if (!m->wrapper && !from)
    die(EXIT_FAILED, "ckjit-wrap, the compiler wrapper, is not installed beside this program; run "
                     "`make install` again");
  /* Some file systems have no hard links (overlays, vfat), others limit their number: then a
   * copy. */
  if (!(m->wrapper && replace(file, make_name, m->wrapper)) &&
      !file_copy(from ? from : m->wrapper, file))
    cannot("write", file);
  if (!m->wrapper)
    m->wrapper = xstrdup(file);
}

/* Make the link DIR/NAME -> TARGET, and add it to LIST. */
static void add_link(const char *dir, const char *name, const char *target, struct argv *list) {
  if (argv_has(list, name))
    return;
  argv_add(list, name);
  autofree char *at = path_join(dir, name);
  if (!replace(at, make_link, target))
    cannot("write", at);
}

/* Make links in DIR to all entries of FROM that are not yet in LIST. */
static void link_entries(const char *dir, const char *from, struct argv *list) {
  DIR *d = opendir(from);
  if (!d)
    die(EXIT_FAILED, "cannot read %s, of the real home: %s", from, strerror(errno));
  for (struct dirent *e; (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    autofree char *target = path_join(from, e->d_name);
    add_link(dir, e->d_name, target, list);
  }
  closedir(d);
}

/* Remove the remains of an earlier run, with another profile or real home, from DIR. */
static void remove_others(const char *dir, const struct argv *list) {
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || argv_has(list, e->d_name))
      continue;
    autofree char *file = path_join(dir, e->d_name);
    struct stat st;
    if (lstat(file, &st) == 0 && !S_ISDIR(st.st_mode))
      unlink(file);
  }
  if (d)
    closedir(d);
}

/* Add the names of LIST that the real bin/ has; if FIRST, the first of them in any case. */
static void add_names(struct maker *m, const struct argv *list, const char *real_bin, bool first) {
  for (size_t i = 0; i < list->n; i++) {
    autofree char *real = path_join(real_bin, list->args[i]);
    if ((first && i == 0) || file_is_program(real))
      add_wrapper(m, list->args[i]);
  }
}

/* Programs that show or change the symbols of objects: a recorded object gets its symbols before
 * they see it. */
static const char *const symbol_readers[] = {"nm", "gcc-nm", "llvm-nm"};
static const char *const symbol_editors[] = {"objcopy", "llvm-objcopy"};

/* Append those of the N NAMES that are on the PATH. */
static void find_programs(struct argv *out, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    autofree char *path = path_which(names[i]);
    if (path)
      argv_add(out, names[i]);
  }
}

static void find_symbol_tools(struct argv *readers, struct argv *editors) {
  find_programs(readers, symbol_readers, sizeof symbol_readers / sizeof *symbol_readers);
  find_programs(editors, symbol_editors, sizeof symbol_editors / sizeof *symbol_editors);
}

static void make_bin(struct maker *m, const struct profile *p, const struct tools *t) {
  autofree char *real_bin = path_join(t->home, "bin");
  add_names(m, &p->compilers, real_bin, true);
  if (t->clang && argv_has(&p->compilers, CLANG_NAME))
    add_wrapper(m, CLANG_NAME);
  add_names(m, &p->tools, real_bin, false);
  add_wrapper(m, "ckjit-cxx");
  for (size_t i = 0; i < p->cxx.n; i++)
    add_wrapper(m, p->cxx.args[i]);
  autofree_argv symbols = {0};
  find_symbol_tools(&symbols, &symbols);
  for (size_t i = 0; i < symbols.n; i++)
    add_wrapper(m, symbols.args[i]);
  if (strcmp(t->home, "/usr") != 0)
    link_entries(m->bin, real_bin, &m->files);
  remove_others(m->bin, &m->files);
}

static void make_rest(struct maker *m, const struct tools *t) {
  static const char *const of_usr[] = {"include", "lib", "lib64", "share"};
  argv_add_words(&m->names, "bin", HOME_FILE, HOME_LOCK_FILE, NULL);
  if (strcmp(t->home, "/usr") != 0) {
    link_entries(m->dir, t->home, &m->names);
  } else {
    for (size_t i = 0; i < sizeof of_usr / sizeof *of_usr; i++) {
      autofree char *target = path_join(t->home, of_usr[i]);
      if (file_is_dir(target))
        add_link(m->dir, of_usr[i], target, &m->names);
    }
  }
  remove_others(m->dir, &m->names);
}

/* The value of variable NAME for the real compiler: the environment's, or if that is a fake home,
 * the value from before it; NULL: unset. If it was unset it must stay unset: Debian's HIP 7.2.4
 * does not find its device library with ROCM_PATH=/usr, although /usr is its home. */
static char *real_value(const char *name, const struct tools *t) {
  const char *value = getenv(name);
  if (!value || !*value)
    return NULL;
  autofree char *conf = path_join(value, HOME_FILE);
  char *found = NULL, *err;
  if (!file_exists(conf)) {
    found = xstrdup(path_within(t->compiler, value) ? value : t->home);
  } else {
    struct home *h = home_read(value, &err);
    if (!h)
      die(EXIT_FAILED, "%s", err);
    size_t n = strlen(name);
    for (size_t i = 0; i < h->home_vars.n; i++)
      if (strncmp(h->home_vars.args[i], name, n) == 0 && h->home_vars.args[i][n] == '=')
        found = xstrdup(h->home_vars.args[i] + n + 1);
    home_free(h);
  }
  return found;
}

void fakehome_vars(struct argv *out, const struct profile *p, const struct tools *t) {
  for (size_t i = 0; i < p->home_vars.n; i++) {
    autofree char *value = real_value(p->home_vars.args[i], t);
    argv_addf(out, value ? "%s=%s" : "%s", p->home_vars.args[i], value);
  }
}

static void write_conf(const char *dir, const struct profile *p, const struct tools *t,
                       const char *work) {
  autofree char *link = install_program("ckjit-link");
  char *err;
  if (!link)
    die(EXIT_FAILED, "ckjit-link, the post-build linker, is not installed beside this program; run "
                     "`make install` again");
  autofree_argv vars = {0}, clang = {0}, kind = {0}, machine = {0}, readers = {0}, editors = {0};
  find_symbol_tools(&readers, &editors);
  argv_add(&kind, t->kind->kind);
  if (t->clang)
    argv_add(&clang, t->clang);
  if (t->machine && t->machine->elf != CKJIT_OWN.elf)
    argv_add(&machine, t->machine->name);
  fakehome_vars(&vars, p, t);
  /* Borrows everything: home_write only reads. */
  struct home h = {.dir = (char *)dir,
                   .real_home = t->home,
                   .real_compiler = t->compiler,
                   .real_cxx = t->cxx,
                   .work = (char *)work,
                   .link = link,
                   .home_vars = vars,
                   .kind = kind,
                   .keep = p->keep,
                   .units = p->units,
                   .front = p->front,
                   .machine = machine,
                   .clang = clang,
                   .compilers = p->compilers,
                   .cxx = p->cxx,
                   .tools = p->tools,
                   .readers = readers,
                   .editors = editors,
                   .yes = p->yes,
                   .no = p->no,
                   .family = p->families,
                   .dispatcher = p->dispatchers,
                   .generated = p->generated,
                   .harmless = p->harmless_types};
  if (!home_write(&h, &err))
    die(EXIT_FAILED, "%s", err);
}

/* A mistyped --dir must not clear somebody's directory and turn it into a fake home. A home that
 * another process has begun, or one that was killed, has the lock file. */
static void require_ours_or_empty(const char *dir) {
  autofree char *conf = path_join(dir, HOME_FILE), *lock = path_join(dir, HOME_LOCK_FILE);
  DIR *d = opendir(dir);
  if (d && !file_exists(conf) && !file_exists(lock))
    for (struct dirent *e; (e = readdir(d));)
      if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
        die(EXIT_FAILED,
            "%s is neither empty nor a fake home (it has %s but no " HOME_FILE "); "
            "choose another directory",
            dir, e->d_name);
  if (d)
    closedir(d);
}

/* A home must not mix files and records of two kinds of compiler; a build may be running in it. */
static void require_same_kind(const char *dir, const struct compiler *kind) {
  autofree char *conf = path_join(dir, HOME_FILE), *err = NULL;
  struct home *h = file_exists(conf) ? home_read(dir, &err) : NULL;
  const char *was = h && h->kind.n ? h->kind.args[0] : compiler_of_home(NULL)->kind;
  if (h && strcmp(was, kind->kind) != 0)
    die(EXIT_FAILED,
        "%s is a fake home for kind '%s', and the profile is for kind '%s'; "
        "remove it, or choose another directory",
        dir, was, kind->kind);
  home_free(h); /* a configuration that cannot be read is overwritten */
}

void fakehome_make(const char *dir, const struct profile *p, const struct tools *t,
                   const char *work) {
  struct maker m = {.dir = dir, .bin = path_join(dir, "bin")};
  require_ours_or_empty(dir);
  require_same_kind(dir, t->kind);
  if (!dir_make_work(dir))
    cannot("make", dir);
  trust_own(dir, "the fake home", "choose another directory: --dir of home, --tmp-dir of full");
  if (!path_within(work, dir) && !dir_make_work(work)) {
    int e = errno;
    rmdir(dir); /* if it was made just now; with files in it, it stays */
    die(EXIT_FAILED, "cannot make the work directory %s: %s; name another with --work", work,
        strerror(e));
  }
  home_lock(dir);
  require_same_kind(dir, t->kind); /* it may belong to another process already */
  if (!dir_make_work(work))
    die(EXIT_FAILED, "cannot make the work directory %s: %s; name another with --work", work,
        strerror(errno));
  trust_own(work, "the work directory", "name another with --work");
  if (!dir_make_work(m.bin))
    cannot("make", m.bin);
  trust_own(m.bin, "the directory of the fake home's programs", "remove it: it is made anew");
  /* The configuration first: there must never be a wrapper without one. */
  write_conf(dir, p, t, work);
  make_bin(&m, p, t);
  if (path_within(work, dir) && strcmp(work, dir) != 0) {
    const char *below = path_below(work, dir);
    argv_add_own(&m.names, xstrndup(below, strcspn(below, "/")));
  }
  make_rest(&m, t);
  home_unlock();
}
