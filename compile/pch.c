/* pch.c - precompiled headers, shared by all processes that use the cache.
 *
 *     <cache>/.pch/<key>.pch     clang's result for the headers of one pass
 *     <cache>/.pch/<key>.h       the #include lines that it was made from; clang reads them again
 *     <cache>/.pch/<key>.list    the files that it depends on
 *
 * Code must never be made from headers that differ from those on the disk. clang's own check is not
 * enough for that: it compares size and time stamp, and does not look at headers in system
 * directories at all. So:
 *
 * - The key is a hash of the compiler (path, size, time stamp; and what is known of its other
 *   files), the pass's options and the #include lines.
 * - The list has a hash of the content of all headers that were read, and of the files that options
 *   name, such as a file system overlay. They are read again by each compile, once for the list of
 *   inputs and both passes (digests.c), which takes some 20 ms for the 560 of ComposableKernel. Time
 *   stamps do not count: images and copies change them.
 * - It also names files that did not exist: a header that appears later, in a directory that is
 *   searched earlier, would be found in place of another one. So would one beside a header of the
 *   build that includes it by a quoted name.
 * - A header may change while the precompiled header is made: then it contains old text, under the
 *   hash of the new text. No clock tells: that of a file server may lag behind ours by any time. So
 *   the preprocessor runs first, alone (a tenth of the time), and reports which files will be read.
 *   Content and stamps of all of them are recorded then, and again after the header is made: if the
 *   set of files or their content differs, the result is not kept.
 * - The list has a hash of the precompiled header itself, 40 ms for one of 52 MB. Processes that
 *   make it at the same time, where there are no locks, cannot put the list of one beside the file
 *   of the other.
 *
 * One process makes it, under a lock (core/cache/lock.h); the others wait, because making it takes
 * about as long as it saves. If it could not be made, they go on without it. It is written in the
 * temporary directory of the compile, synced and renamed, and only then the list that confirms it;
 * both while the lock is certainly ours.
 */
#include "pch.h"
#include "digests.h"
#include "memo.h"
#include "tell.h"
#include "wait.h"
#include "verify.h"
#include "core/cc/ccargs.h"
#include "core/cc/deps.h"
#include "core/cache/inputs.h"
#include "core/cache/lock.h"
#include "core/base/memofile.h"
#include "core/cache/toolchain.h"
#include "core/base/directory.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  FORMAT = 4, /* of the key */
  /* Precompiled headers in a cache: CK's two libraries with two architectures need six, of up to 52
   * MB each. */
  PCH_MOST = 12,
  PCH_ROOM = 256, /* MiB that must be free */
};

/* ---- the key ---- */

void pch_hash_text(blake2b_state *h, const char *text) {
  blake2b_update(h, (const uint8_t *)text, strlen(text) + 1);
}

static void hash_end(blake2b_state *h, char hex[CKJIT_BUILD_ID_HEX_SIZE]) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  blake2b_final(h, id, sizeof id);
  ckjit_build_id_hex(hex, id);
}

/* Options that differ from blob to blob and from directory to directory, but do not change what is
 * made of a header. */
static bool is_of_the_blob(const char *word, bool *has_value) {
  static const char *const pairs[] = {"-o",
                                      "-main-file-name",
                                      "-dumpdir",
                                      "-fcuda-include-gpubinary",
                                      "-fdebug-compilation-dir",
                                      "-fcoverage-compilation-dir"};
  *has_value = false;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(word, pairs[i]) == 0)
      return *has_value = true;
  return str_starts(word, "-cuid=") || str_starts(word, "-fdebug-compilation-dir=") ||
         str_starts(word, "-fcoverage-compilation-dir=");
}

static bool hash_key(struct pch *p, const struct compile_task *t, const struct step *pass,
                     const struct head *head) {
  struct stat st;
  const struct argv *w = &pass->words;
  if (stat(w->args[0], &st))
    return false;
  blake2b_state h;
  blake2b_init(&h, CKJIT_BUILD_ID_SIZE);
  autofree char *compiler = xasprintf("%d %s %s %jd %jd.%ld", FORMAT, p->dir, w->args[0],
                                      (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  pch_hash_text(&h, compiler);
  bool relative = false, has_value;
  inputs_directories(&p->include_dirs, w->args);
  for (size_t i = 0; i < w->n; i++) {
    bool own = str_starts(w->args[i], "-I");
    const char *dir = ccargs_directory(w->args, &i);
    if (dir && own)
      argv_add(&p->own_dirs, dir);
  }
  for (size_t i = 0; i < p->include_dirs.n; i++)
    relative |= p->include_dirs.args[i][0] != '/';
  for (size_t i = 1; i + 1 < w->n; i++) {
    relative |= strcmp(w->args[i], "-include") == 0 && w->args[i + 1][0] != '/' &&
                strcmp(w->args[i + 1], "__clang_hip_runtime_wrapper.h") != 0;
    if (is_of_the_blob(w->args[i], &has_value))
      i += has_value;
    else
      pch_hash_text(&h, w->args[i]);
  }
  if (t->inputs) { /* the library that clang loads is not in its stamp: libLLVM */
    autofree char *programs = verify_programs(t);
    pch_hash_text(&h, t->inputs->compiler);
    pch_hash_text(&h, t->variant.len ? t->variant.data : "");
    pch_hash_text(&h, programs);
  }
  autofree char *cwd = relative ? getcwd(NULL, 0) : NULL;
  pch_hash_text(&h, cwd ? cwd : "");
  pch_hash_text(&h, head->text.data);
  hash_end(&h, p->hex);
  return true;
}

/* ---- the list ---- */

/* A memo of the name "pch KEY". Its lines: "SIZE XXH64 HASH", the first two numbers of the
 * precompiled header itself, then +FILE for each header and -NAME for what must not be there. */
#define LIST_NAME "pch "

/* hashes of the headers of a list */
struct hashes {
  char contents[CKJIT_BUILD_ID_HEX_SIZE]; /* of their names and texts */
  /* of what shows that they were written to */
  char stamps[CKJIT_BUILD_ID_HEX_SIZE];
};

/* Hash the headers of LIST, as they are now, each of them read once. IN_USE: to use what was made
 * of them, so what this compile has read is not read again, and no stamps are taken. False: one is
 * gone, or one is there that must not be. */
static bool hash_headers(const char *list, bool in_use, struct hashes *hashes) {
  blake2b_state contents, stamps;
  blake2b_init(&contents, CKJIT_BUILD_ID_SIZE);
  blake2b_init(&stamps, CKJIT_BUILD_ID_SIZE);
  bool same = true;
  for (const char *line = list; *line && same;) {
    size_t len = strcspn(line, "\n");
    autofree char *name = xstrndup(line + 1, len ? len - 1 : 0);
    if (*line == '-') {
      same = !file_exists(name);
    } else if (*line == '+') {
      char digest[DIGEST_HEX], stamp[STAMP_SIZE] = "";
      same = in_use ? header_digest(digest, name) : digest_file(digest, name);
      if (!in_use)
        toolchain_stamp(stamp, name);
      pch_hash_text(&contents, name);
      pch_hash_text(&contents, digest);
      pch_hash_text(&stamps, stamp);
    }
    line += len + (line[len] == '\n');
  }
  hash_end(&contents, hashes->contents);
  hash_end(&stamps, hashes->stamps);
  return same;
}

bool pch_is_file(const char *file, long long size, uint64_t wanted) {
  struct stat st;
  uint64_t hash;
  autoclose fd = ckjit_open_cached(file, O_RDONLY, 0, PCH_FILE_MOST, &st);
  return fd >= 0 && !ckjit_owner_check(&st) && st.st_size == size && ckjit_xxh64(fd, (uint64_t)size, &hash) &&
         hash == wanted;
}

static bool is_current(const struct pch *p) {
  char wanted[CKJIT_BUILD_ID_HEX_SIZE], name[sizeof LIST_NAME + sizeof p->hex];
  struct hashes found;
  int at = 0;
  long long size;
  uint64_t hash;
  snprintf(name, sizeof name, LIST_NAME "%s", p->hex);
  autofree char *list = memo_read_file(p->list, name);
  return list && sscanf(list, "%lld %" SCNx64 " %48s\n%n", &size, &hash, wanted, &at) == 3 && at &&
         hash_headers(list + at, true, &found) && strcmp(wanted, found.contents) == 0 &&
         pch_is_file(p->file, size, hash);
}

/* The name by which FILE, a header that was read, is included, if it is the build's own: found by
 * -I, or beside what includes it. A header of the system or of -isystem: NULL. */
static const char *own_name(const struct pch *p, const char *file) {
  const char *name = inputs_name(&p->include_dirs, file);
  if (!name)
    return path_base(file);
  autofree char *dir = xstrndup(file, (size_t)(name - 1 - file));
  bool own = argv_has(&p->own_dirs, dir);
  return own ? name : NULL;
}

/* Append to MISSING what would be found in place of one of HEADERS by a quoted name: it beside each
 * of them, for the list does not say which includes which. Of the build's own; who edits those of
 * the system does not put files beside them. */
static void add_beside(const struct pch *p, const struct argv *headers, struct argv *missing) {
  autofree_argv dirs = {0}, names = {0};
  for (size_t i = 0; i < headers->n; i++) {
    const char *file = headers->args[i], *name = own_name(p, file);
    if (name && strcmp(file, p->header) != 0) {
      argv_add_own(&dirs, path_dir(file));
      argv_add(&names, name);
    }
  }
  argv_unique(&dirs);
  argv_unique(&names);
  for (size_t i = 0; i < names.n; i++)
    inputs_lacking(missing, &dirs, names.args[i]);
}

/* The lines of the list, from DEPFILE and the files that options name. False: there is none. */
static bool list_headers(const struct pch *p, const char *depfile, struct buf *list) {
  size_t len;
  autofree char *text = file_read(depfile, &len);
  if (!text)
    return false;
  autofree_argv headers = {0}, missing = {0};
  deps_read(&headers, text);
  for (size_t i = 0; i < headers.n; i++) {
    if (strcmp(headers.args[i], p->header) == 0)
      continue;
    buf_printf(list, "+%s\n", headers.args[i]);
    inputs_missing(&missing, &p->include_dirs, headers.args[i]);
  }
  for (size_t i = 0; i < p->reads.n; i++)
    buf_printf(list, "+%s\n", p->reads.args[i]);
  add_beside(p, &headers, &missing);
  argv_unique(&missing);
  for (size_t i = 0; i < missing.n; i++)
    buf_printf(list, "-%s\n", missing.args[i]);
  return headers.n > 0;
}

/* Returns the current state of the headers of LIST as text: the hash of their contents, that of
 * their stamps, and LIST. free() it. Returns NULL if one is gone, or one exists that must not. */
static char *headers_now(const char *list) {
  struct hashes now;
  return hash_headers(list, false, &now) ? xasprintf("%s\n%s\n%s", now.contents, now.stamps, list) : NULL;
}

/* ---- looking, waiting ---- */

void pch_find(struct pch *p, const struct compile_task *t, const struct step *pass, const struct head *head) {
  *p = (struct pch){
      .lock = -1, .head_bytes = head->bytes, .patience = t->patience, .dir = path_join(t->dir, CKJIT_PCH)};
  if (!hash_key(p, t, pass, head))
    return;
  ccargs_reads(&p->reads, &t->cc, ".");
  p->file = xasprintf("%s/%s.pch", p->dir, p->hex);
  p->header = xasprintf("%s/%s.h", p->dir, p->hex);
  p->list = xasprintf("%s/%s.list", p->dir, p->hex);
  p->lock_path = xasprintf("%s/" CKJIT_LOCKS "/%s", t->dir, p->hex);
  if (is_current(p)) {
    p->state = PCH_READY;
    utimensat(AT_FDCWD, p->file, NULL, 0); /* the least recently used one is removed first */
  }
}

static void unlock(struct pch *p) {
  lock_release(p->lock, p->lock_path);
  p->lock = -1;
}

bool pch_take_lock(int *lock, const char *path, double patience, bool *waited) {
  autofree char *err = NULL;
  tell_waits_for(path, "a precompiled header", "");
  bool done = wait_for_lock(lock, path, &(struct lock_wait){.patience = patience}, waited, &err);
  tell_waits_for(NULL, NULL, NULL);
  return done;
}

void pch_claim(struct pch *p) {
  if (p->state == PCH_READY || !p->lock_path)
    return;
  bool waited;
  if (!pch_take_lock(&p->lock, p->lock_path, p->patience, &waited))
    return;
  if (is_current(p))
    p->state = PCH_READY;
  else if (!waited)
    p->state = PCH_OURS;
  /* otherwise the process that we waited for could not make it */
  if (p->state != PCH_OURS)
    unlock(p);
}

/* ---- making ---- */

/* Is NAME one of those that end with END? All end with .pch, those of units with more. */
static bool is_counted(const char *name, const char *end) {
  return str_ends(name, end) && (strcmp(end, PCH_OF_UNIT) == 0 || !str_ends(name, PCH_OF_UNIT));
}

void pch_make_room(const char *dir, const char *end, size_t most) {
  autoclose_dir *d = opendir(dir);
  size_t n = 0;
  autofree char *oldest = NULL;
  struct timespec when = {0};
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *file = path_join(dir, e->d_name);
    struct stat st;
    if (is_counted(file, end) && lstat(file, &st) == 0) {
      bool older = !n || st.st_mtim.tv_sec < when.tv_sec ||
                   (st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec < when.tv_nsec);
      n++;
      if (older) {
        free(oldest);
        oldest = xstrndup(file, strlen(file) - strlen(".pch"));
        when = st.st_mtim;
      }
    }
  }
  static const char *const ends[] = {"list", "pch", "h"};
  for (size_t i = 0; i < 3 && n >= most; i++) {
    autofree char *file = xasprintf("%s.%s", oldest, ends[i]);
    unlink(file);
  }
}

bool pch_has_room(const char *dir) {
  struct statvfs fs;
  return statvfs(dir, &fs) == 0 &&
         (unsigned long long)fs.f_bavail * fs.f_frsize >= (unsigned long long)PCH_ROOM << 20;
}

/* The words of PASS with ACTION in the place of what it does, and the names of all headers in
 * DEPFILE. */
static void add_words(const struct pch *p, struct argv *command, const struct argv *w, const char *action,
                      const char *depfile) {
  argv_add_words(command, "-dependency-file", depfile, "-sys-header-deps", "-MT", "pch", NULL);
  for (size_t i = 2; i + 1 < w->n; i++)
    argv_add(command, strcmp(w->args[i], "-emit-obj") == 0 || strcmp(w->args[i], "-emit-llvm-bc") == 0
                          ? action
                          : w->args[i]);
  argv_add(command, p->header);
  words_set(command, words_find(command, "-o") + 1, p->made);
}

bool pch_command(struct pch *p, struct argv *command, const struct step *pass, const struct head *head,
                 const struct argv *env, const char *temporary) {
  bool made = dir_make_own(p->dir);
  if (made)
    pch_make_room(p->dir, ".pch", PCH_MOST);
  if (!made || !pch_has_room(p->dir) || !file_write(p->header, head->text.data, head->text.len, 0600))
    return false;
  p->made = xasprintf("%s/%s.pch", temporary, p->hex);
  p->depfile = xasprintf("%s/%s.d", temporary, p->hex);
  p->before = xasprintf("%s/%s.before", temporary, p->hex);
  p->env = env;
  const struct argv *w = &pass->words;
  argv_add_words(command, w->args[0], w->args[1], NULL);
  argv_add_all(&p->preprocess, command->args);
  add_words(p, &p->preprocess, w, "-Eonly", p->depfile);
  /* The templates that the headers use are instantiated once, not in each blob. Without time
   * stamps: see above. */
  argv_add_words(command, "-fpch-instantiate-templates", "-fno-pch-timestamp", NULL);
  add_words(p, command, w, "-emit-pch", p->depfile);
  return true;
}

int pch_before(void *data) {
  struct pch *p = data;
  struct buf list = {0};
  pid_t pid;
  int status = -1;
  if (posix_spawn(&pid, p->preprocess.args[0], NULL, NULL, p->preprocess.args, p->env->args))
    return 1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (status || !list_headers(p, p->depfile, &list))
    return 1;
  char *now = headers_now(list.data);
  return now && unlink(p->depfile) == 0 && file_write(p->before, now, strlen(now), 0600) ? -1 : 1;
}

bool pch_sync_file(const char *file, long long *size, uint64_t *hash) {
  struct stat st;
  autoclose fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool done = fd >= 0 && fsync(fd) == 0 && fchmod(fd, 0600) == 0 && fstat(fd, &st) == 0 && st.st_size > 0 &&
              ckjit_xxh64(fd, (uint64_t)st.st_size, hash);
  *size = done ? (long long)st.st_size : 0;
  return done;
}

/* Gives the complete files their names. Between the first rename and the second there is a
 * precompiled header that no list confirms. */
static void commit(void *data) {
  struct pch *p = data;
  unlink(p->list);
  if (rename(p->made, p->file) == 0 && rename(p->before, p->list) == 0)
    p->state = PCH_READY;
}

/* The hash in the list is that of the compared texts: a header that is edited after the comparison
 * has other content than the text that was read. */
void pch_keep(void *data, bool succeeded) {
  struct pch *p = data;
  autofree_buf list = {0};
  long long size;
  uint64_t own;
  size_t len;
  autofree char *now = succeeded && list_headers(p, p->depfile, &list) ? headers_now(list.data) : NULL;
  autofree char *before = now ? file_read(p->before, &len) : NULL;
  p->state = PCH_NONE;
  if (before && strcmp(before, now) == 0 && pch_sync_file(p->made, &size, &own)) {
    autofree char *name = xasprintf(LIST_NAME "%s", p->hex);
    autofree char *text =
        xasprintf("%lld %" PRIx64 " %.*s\n%s", size, own, CKJIT_BUILD_ID_HEX_SIZE - 1, now, list.data);
    if (memofile_write(p->before, name, text))
      lock_protect(p->lock, p->lock_path, commit, p);
  }
  unlock(p);
}

void pch_free(struct pch *p) {
  unlock(p);
  free(p->dir);
  free(p->file);
  free(p->header);
  free(p->list);
  free(p->lock_path);
  free(p->made);
  free(p->depfile);
  free(p->before);
  argv_free(&p->include_dirs);
  argv_free(&p->own_dirs);
  argv_free(&p->reads);
  argv_free(&p->preprocess);
}
