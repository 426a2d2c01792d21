/* checkout.c - see checkout.h.
 *
 * The library is built from the copy, so its files are read once more, for a list of their
 * contents. The list answers three questions: whether the checkout changed since the last call in
 * this work directory; whether the post-build linker, which looks at sizes and time stamps
 * (postbuild/step.c), would notice; and whether two libraries have the same sources. Times alone
 * would not do: the files of an archive may all have the time of the release. */
#include "checkout.h"
#include "tree.h"
#include "worklock.h"
#include "core/base/memofile.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/files/home.h"
#include "core/files/record.h"

#include <dirent.h>
#include <sys/stat.h>

#define MEMO "checkout 1" /* its name */

/* ---- the copied files ---- */

struct copy {
  const char *aiter;
  /* the work directory itself, if it is in the checkout */
  struct stat work;
  struct checkout *list;
};

/* Has ckjit made DIR: a work directory, a fake home, the ck_jit/ of an install tree, or one that is
 * being made? Their links lead out of the checkout, and back into it. */
static bool is_ours(const char *dir) {
  static const char *const marks[] = {WORK_LOCK_FILE, HOME_FILE, ("home/" HOME_FILE), RECORD_FILE,
                                      "ck_jit_manifest.json"};
  bool ours = str_starts(path_base(dir), ".ckjit-tmp-");
  for (size_t i = 0; i < sizeof marks / sizeof *marks && !ours; i++) {
    autofree char *mark = path_join(dir, marks[i]);
    ours = file_exists(mark);
  }
  return ours;
}

/* Skips version control, products of earlier builds (a library in aiter/jit would count as built
 * already), and directories of ckjit. Code objects of aiter's assembly kernels, half of the
 * checkout, are only read, so links are enough. */
static enum tree_action choose(const char *below, const struct stat *st, void *user) {
  const struct copy *c = user;
  const char *name = path_base(below);
  if (S_ISDIR(st->st_mode)) {
    autofree char *dir = path_join(c->aiter, below);
    bool skip = strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0 ||
                strcmp(below, "aiter/jit/build") == 0 ||
                (st->st_dev == c->work.st_dev && st->st_ino == c->work.st_ino) || is_ours(dir);
    return skip ? TREE_SKIP : TREE_COPY;
  }
  if (strcmp(name, ".git") == 0 || str_ends(name, ".so"))
    return TREE_SKIP;
  return str_starts(below, "hsa/") && str_ends(name, ".co") ? TREE_LINK : TREE_COPY;
}

static void copied(const char *below, const char *to, const struct stat *st, void *user) {
  struct copy *c = user;
  char digest[DIGEST_HEX];
  digest_file(digest, to);
  if (!strchr(below, '\n')) /* no build reads a file of such a name */
    argv_addf(&c->list->files, "%s %lld %lld.%09ld %s", digest, (long long)st->st_size,
              (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, below);
}

/* ---- the list ---- */

/* The path in a line; "" if the line is damaged. */
static const char *path_of(const char *line) {
  for (int blanks = 0; blanks < 3; blanks++)
    if (*(line += strcspn(line, " ")))
      line++;
  return line;
}

static int by_path(const void *a, const void *b) {
  return strcmp(path_of(*(char *const *)a), path_of(*(char *const *)b));
}

static void sort(struct checkout *c) {
  if (c->files.n)
    qsort(c->files.args, c->files.n, sizeof *c->files.args, by_path);
}

static void walk(struct checkout *c, const char *aiter, const char *to, const char *work,
                 bool look) {
  struct copy copy = {.aiter = aiter, .list = c};
  struct tree tree = {.choose = choose, .copied = copied, .user = &copy, .look = look};
  stat(work, &copy.work);
  if (!tree_copy(&tree, aiter, to))
    die(EXIT_FAILED, "copying %s: %s", aiter, tree.err); /* an unreadable file cannot be copied */
  sort(c);
}

void checkout_copy(struct checkout *c, const char *aiter, const char *to, const char *work) {
  if (!dir_remove(to))
    die(EXIT_FAILED, "cannot remove %s, of an earlier build: %s", to, strerror(errno));
  walk(c, aiter, to, work, false);
}

void checkout_list(struct checkout *c, const char *aiter, const char *work) {
  walk(c, aiter, aiter, work, true);
}

char *checkout_digest(const struct checkout *c) {
  autofree_buf b = {0};
  buf_puts(&b, "");
  for (size_t i = 0; i < c->files.n; i++)
    buf_printf(&b, "%.*s %s\n", DIGEST_HEX - 1, c->files.args[i], path_of(c->files.args[i]));
  char *hex = xmalloc(DIGEST_HEX);
  digest_bytes(hex, b.data, b.len);
  return hex;
}

/* Append "DIGEST PATH" of each file below DIR to FILES, PATH without its first SKIP bytes. */
static void add_files(struct argv *files, const char *dir, size_t skip) {
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (e->d_name[0] == '.' || strcmp(e->d_name, "__pycache__") == 0)
      continue;
    struct stat st;
    autofree char *path = path_join(dir, e->d_name);
    char digest[DIGEST_HEX];
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
      add_files(files, path, skip);
    } else if (file_is_regular(path)) {
      digest_file(digest, path);
      argv_addf(files, "%s %s", digest, path + skip);
    }
  }
  if (d)
    closedir(d);
}

char *checkout_digest_of_ck(const char *ck) {
  static const char *const parts[] = {"include", "library/include", "example/ck_tile"};
  autofree_argv files = {0};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    autofree char *dir = path_join(ck, parts[i]);
    add_files(&files, dir, strlen(ck));
  }
  argv_unique(&files);
  autofree char *text = files.n ? argv_join(files.args) : xstrdup("");
  char *hex = xmalloc(DIGEST_HEX);
  digest_bytes(hex, text, strlen(text));
  return hex;
}

bool checkout_stamps_tell(const struct checkout *was, const struct checkout *is) {
  if (was->files.n != is->files.n)
    return false;
  for (size_t i = 0; i < is->files.n; i++) {
    const char *a = was->files.args[i], *b = is->files.args[i], *path = path_of(b);
    if (strcmp(path_of(a), path) != 0)
      return false;
    bool same_content = strncmp(a, b, DIGEST_HEX - 1) == 0;
    size_t stamp = (size_t)(path - b) - DIGEST_HEX;
    bool same_stamp =
        strlen(a) >= DIGEST_HEX && strncmp(a + DIGEST_HEX, b + DIGEST_HEX, stamp) == 0;
    if (!same_content && same_stamp)
      return false;
  }
  return true;
}

void checkout_read(struct checkout *c, const char *file) {
  memofile_load(&c->files, file, MEMO);
}

void checkout_write(const struct checkout *c, const char *file) {
  if (!memofile_store(file, MEMO, &c->files))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}

/* ---- the commit ---- */

/* The first line of DIR/NAME; NULL if there is none. */
static char *first_line(const char *dir, const char *name) {
  autofree char *file = path_join(dir, name);
  size_t len;
  char *text = file_read(file, &len);
  if (text)
    text[strcspn(text, "\n")] = 0;
  return text;
}

/* The value of the ref NAME in the packed refs of GIT; NULL if it is not there. */
static char *packed_ref(const char *git, const char *name) {
  autofree char *file = path_join(git, "packed-refs");
  char *commit = NULL;
  size_t len;
  autofree char *text = file_read(file, &len);
  for (const char *s = text; s && *s && !commit;) {
    size_t n = strcspn(s, "\n"), hash = strcspn(s, " \n");
    if (hash < n && n - hash - 1 == strlen(name) && strncmp(s + hash + 1, name, n - hash - 1) == 0)
      commit = xstrndup(s, hash);
    s += n + (s[n] == '\n');
  }
  return commit;
}

/* Read without git, which a build machine need not have. For messages only: contents decide. */
char *checkout_commit(const char *aiter) {
  autofree char *git = path_join(aiter, ".git");
  char *commit = NULL;
  autofree char *link =
      file_is_dir(git) ? NULL : first_line(aiter, ".git"); /* a submodule, or a worktree */
  if (link && str_starts(link, "gitdir: ")) {
    free(git);
    git = path_abs_in(aiter, link + strlen("gitdir: "));
  }
  char *head = first_line(git, "HEAD");
  if (head && str_starts(head, "ref: ")) {
    const char *name = head + strlen("ref: ");
    commit = first_line(git, name);
    if (!commit)
      commit = packed_ref(git, name);
  } else {
    commit = head;
  }
  return commit ? commit : xstrdup("");
}
