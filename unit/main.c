/* main.c - ckjit-unit, which compiles the host side of an ordinary HIP or CUDA unit in the build,
 * and keeps its device code as text. A kernel is compiled from that text when it is first launched.
 *
 * The wrapper becomes this program for one source that is not a blob, in a home with `units=lazy`
 * (docs/formats.md). Except for the fat binary, the build gets the real compiler's result: the same
 * machine code, symbols and depfile. clang's host pass instantiates everything that the bodies of
 * kernels use, and discards it; without the bodies a unit of ComposableKernel's instances takes a
 * twentieth of its whole compile.
 *
 * If anything is not understood, or fails, this process becomes the real compiler, with the
 * untouched call. So errors in the unit are reported in the compiler's words, and with its status.
 */
#include "unit.h"
#include "core/base/env.h"
#include "core/base/ids.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/streams.h"
#include "core/cc/ccenv.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void set_text(void *into, const char *option, const char *value) {
  struct unit *u = into;
  (void)option;
  u->text_of = value;
  u->at_link = u->any_price = true;
}

static const struct option_row rows[] = {
    {"any-price", NULL, FLAG_INTO(struct unit, any_price),
     "make the unit lazy even if that saves the build little time"},
    {"front", NULL, FLAG_INTO(struct unit, fronts),
     "run the front end of nvcc's device compiler now, and keep its output"},
    {"work", "DIR", PATH_INTO(struct unit, work), "the work directory"},
    {"record", "RECORD", TEXT_INTO(struct unit, line), "the wrapper's record of the call"},
    {"at-link", NULL, FLAG_INTO(struct unit, at_link),
     "the call is already in the work directory's log: do not log it again; fail if the unit "
     "cannot be lazy, and do not start the compiler"},
    {"text", "KEY", OPTION_CALL, 0,
     "only write the missing text of this key again; fail if its key would differ",
     .call = set_text},
    {"compiler", "DIGEST", TEXT_INTO(struct unit, compiler),
     "what the key has of the compiler (default: it is asked)"},
    {"answer", "FILE", PATH_INTO(struct unit, answer),
     "what the compiler says to -### for this call (default: it is asked)"},
    {"embed", NULL, FLAG_INTO(struct unit, embeds),
     "store the text in the object too, for ccache or sccache to give it to another build"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit-unit --help",
    .usage = "ckjit-unit --work W --record RECORD -- COMPILER ARGUMENTS",
    .text = "Compile the host side of a source, and keep its device code as text, from which each "
            "kernel is compiled when it is first launched. The wrapper in a fake home starts this "
            "program; the arguments are the compiler's.",
    .rows = rows,
    .version = "ckjit-unit",
    .stops = true,
};

static void read_options(struct unit *u, char **argv) {
  u->given = options_read(&page, u, argv);
  if (!u->work || !u->line || !*u->given)
    die(EXIT_USAGE,
        "%s is missing; the wrapper of a fake home starts this program; see ckjit-unit --help",
        !u->work   ? "--work DIR"
        : !u->line ? "--record RECORD"
                   : "the compiler's command line, after --,");
  message_color_of_compiler(u->given + 1);
  char *err;
  if (!record_parse(u->line, strlen(u->line), &u->record, &err))
    die(EXIT_USAGE, "--record: %s", err);
  record_scan(&u->record);
  if (u->record.kind != RECORD_HOST || !u->record.cc.source)
    die(EXIT_USAGE, "--record: expected one of kind host, with a source");
}

/* The record has the words that the wrapper took from the environment, so the commands must not get
 * them once more from there. */
static void take_environment(struct unit *u) {
  struct argv given = {0};
  argv_add_all(&given, environ);
  u->environment = given.args;
  u->verbose = env_flag("CK_JIT_VERBOSE");
  ccenv_clean();
}

static char *to_remove;

static void remove_dir(void) {
  if (to_remove)
    dir_remove(to_remove);
}

/* Lock the directory DIR as its owner does, which keeps the descriptor. -1: another process has the
 * lock, or the file system has no such locks. */
static int lock_dir(const char *dir) {
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* Remove the directory DIR if its owner was killed: nobody has its lock, or, without locks, it is a
 * day old. A directory that was made this moment may have no lock yet; its owner checks whether it
 * still exists (make_dir). */
static void remove_if_left(const char *dir) {
  enum { A_DAY = 24 * 60 * 60 };
  struct stat st;
  int fd = lock_dir(dir);
  if (fd >= 0 || (stat(dir, &st) == 0 && time(NULL) - st.st_mtime > A_DAY))
    dir_remove(dir);
  if (fd >= 0)
    close(fd);
}

static void remove_left(const char *parent) {
  DIR *d = opendir(parent);
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *name = path_join(parent, e->d_name);
    if (e->d_name[0] != '.')
      remove_if_left(name);
  }
  if (d)
    closedir(d);
}

/* Make a directory below PARENT that belongs to this process until it ends; NULL with errno. */
static char *own_dir(const char *parent) {
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    char *dir = xasprintf("%s/XXXXXX", parent);
    if (!dir_make_temporary(dir)) {
      int e = errno;
      free(dir);
      /* another process has removed it before it had its lock */
      if (e == ENOENT && file_is_dir(parent))
        continue;
      errno = e;
      return NULL;
    }
    int fd = lock_dir(dir);
    if (file_is_dir(dir) && (fd >= 0 || errno != EWOULDBLOCK))
      return dir;
    if (fd >= 0)
      close(fd);
    free(dir);
  }
  errno = EBUSY;
  return NULL;
}

static bool make_dir(struct unit *u) {
  char *parent = path_join(u->work, UNITTEXT_DIR "/.making");
  if (dir_make(parent))
    remove_left(parent);
  u->dir = to_remove = own_dir(parent);
  if (!u->dir)
    return unit_not_lazy(u, "%s: %s", parent, strerror(errno));
  pool_before_signal = remove_dir;
  free(parent);
  return true;
}

/* Become the real compiler, with the call as given. The record of the call is a log: if it cannot
 * be written, the call continues. */
static _Noreturn void become_compiler(struct unit *u) {
  if (u->verbose)
    note("%s: not lazy: %s", u->record.cc.source->text, u->why);
  char *manifest = path_join(u->work, RECORD_FILE), *compiler = u->record.compiler;
  struct buf line = {0};
  struct record r;
  char *err = NULL;
  /* again: u->record may have become that of a unit */
  record_parse(u->line, strlen(u->line), &r, &err);
  r.not_lazy = u->why;
  record_format(&line, &r);
  if (!record_append(manifest, line.data, line.len) && errno == ENOENT && dir_make_work(u->work))
    record_append(manifest, line.data, line.len);
  u->given[0] = compiler;
  execve(compiler, u->given, u->environment);
  die(EXIT_FAILED, "%s: cannot be started: %s", compiler, strerror(errno));
}

int main(int argc, char **argv) {
  if (argc < 1)
    return EXIT_USAGE;
  program_name = "ckjit-unit";
  /* The tokens of a large text are 40 MB, and several texts are read: what is freed is used again,
   * and not mapped anew. */
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  ids_settle();
  streams_open(false);
  struct unit u = {0};
  read_options(&u, argv);
  take_environment(&u);
  bool made = unit_take_call(&u) && unit_may_have_kernels(&u) && unit_is_worth_it(&u) &&
              make_dir(&u) && unit_make_texts(&u) && unit_key(&u) && unit_make_object(&u) &&
              unit_place(&u);
  remove_dir();
  if (!made && u.at_link)
    die(EXIT_FAILED, "%s: not lazy: %s", u.record.source, u.why);
  if (!made)
    become_compiler(&u);
  if (u.said.len)
    fwrite(u.said.data, 1, u.said.len, stderr);
  return EXIT_OK;
}
