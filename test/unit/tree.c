/* tree.c - copying trees: modes and times stay, links are followed, loops and contradictions are errors. */
// tier: check
#include "driver/tree.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int bad;
static char dir[] = "/tmp/ckjit-tree.XXXXXX";

static void expect(bool ok, const char *what) {
  if (!ok)
    fprintf(stderr, "%s\n", what);
  bad |= !ok;
}

static void put(const char *name, const char *text, mode_t mode) {
  char *up = path_dir(name);
  if (!dir_make(up) || !file_write(name, text, strlen(text), mode))
    die(EXIT_FAILED, "%s: cannot be written", name);
  free(up);
}

static void holds(const char *name, const char *text) {
  size_t len;
  char *have = file_read(name, &len);
  if (!have || strcmp(have, text) != 0) {
    fprintf(stderr, "%s: expected '%s', got '%s'\n", name, text, have ? have : "(nothing)");
    bad = 1;
  }
  free(have);
}

static enum tree_action choose(const char *below, const struct stat *st, void *user) {
  (void)st;
  ++*(int *)user;
  if (strcmp(below, "d/skip") == 0)
    return TREE_SKIP;
  return str_ends(below, ".big") ? TREE_LINK : TREE_COPY;
}

int main(void) {
  if (!mkdtemp(dir) || chdir(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  put("from/a", "text of a", 0644);
  put("from/d/program", "#!/bin/sh", 0755);
  put("from/d/skip/x", "x", 0644);
  put("from/d/data.big", "much", 0644);
  put("elsewhere/y", "y", 0644);
  struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000000}};
  utimensat(AT_FDCWD, "from/a", old, 0);
  if (symlink("../elsewhere", "from/link") || symlink("nowhere", "from/dangling"))
    die(EXIT_FAILED, "no symbolic links here");

  int asked = 0;
  char *absolute = path_abs("from");
  struct tree t = {.choose = choose, .user = &asked};
  expect(tree_copy(&t, absolute, "to"), t.err ? t.err : "copied");
  expect(t.files == 3 && asked == 7, "counts");
  holds("to/a", "text of a");
  holds("to/link/y", "y");
  struct stat st;
  expect(lstat("to/link", &st) == 0 && S_ISDIR(st.st_mode), "a link to a directory was not followed");
  expect(lstat("to/dangling", &st) == 0 && S_ISLNK(st.st_mode), "a link to nowhere was not kept");
  expect(lstat("to/d/data.big", &st) == 0 && S_ISLNK(st.st_mode), "TREE_LINK made no link");
  expect(!file_exists("to/d/skip"), "TREE_SKIP was copied");
  expect(stat("to/d/program", &st) == 0 && (st.st_mode & 0777) == 0755, "mode");
  expect(stat("to/a", &st) == 0 && st.st_mtim.tv_sec == 1000000, "time");
  holds("to/d/data.big", "much");

  expect(tree_copy_file(&t, "from/a", "to/new/dir/a"), "a file into a new directory");
  expect(tree_copy(&t, absolute, "to"), "the same once more");
  put("from/a", "other text", 0644);
  expect(!tree_copy(&t, absolute, "to") && strstr(t.err, "differs from"), "another content was accepted");
  holds("to/a", "text of a");
  free(t.err);

  struct tree loop = {0};
  if (symlink("..", "from/d/up"))
    die(EXIT_FAILED, "no symbolic links here");
  expect(!tree_copy(&loop, absolute, "to2") && strstr(loop.err, "is a link back to a directory above it"),
         "a loop");
  free(loop.err);
  struct tree missing = {0};
  expect(!tree_copy(&missing, "nowhere", "to3") && strstr(missing.err, "nowhere"),
         "a directory that is not there");
  free(missing.err);
  free(absolute);
  dir_remove(dir);
  return bad;
}
