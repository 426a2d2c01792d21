/* keeper.c - what is left when the process that does the work is killed at any instruction: the keeper removes the directory that was
 * named last, and never what half of a name means. The worker names two long paths in turn, without a pause, and nothing else; so it is
 * killed while it does. Either of the two goes, and nothing above them. */
// tier: check
#include "compile/keeper.h"
#include "core/base/path.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 120, DEEP = 16 };

/* DIR/LETTER…/LETTER…/…, DEEP times 200 letters; made */
static char *deep_directory(const char *dir, char letter) {
  struct buf b = {0};
  char name[201];
  memset(name, letter, 200);
  name[200] = 0;
  buf_puts(&b, dir);
  for (int i = 0; i < DEEP; i++)
    buf_printf(&b, "/%s", name);
  if (!dir_make(b.data))
    exit(1);
  return b.data;
}

/* the process that becomes the keeper; its child tells its process id by PIPE */
static _Noreturn void keep_and_work(int pipe, const char *a, const char *b) {
  keeper_start(false, NULL, NULL, false);
  pid_t worker = getpid();
  keeper_removes(a); /* on a busy machine it may be killed before it comes to the loop */
  if (write(pipe, &worker, sizeof worker) != sizeof worker)
    _exit(1);
  for (;;) {
    keeper_removes(a);
    keeper_removes(b);
  }
}

/* One of A and B is gone, and the directories above both are there. */
static bool is_right(const char *top, const char *a, const char *b) {
  char *of_a = path_dir(a), *of_b = path_dir(b);
  bool right =
      file_is_dir(a) + file_is_dir(b) == 1 && file_is_dir(of_a) && file_is_dir(of_b) && file_is_dir(top);
  free(of_a);
  free(of_b);
  return right;
}

int main(void) {
  const char *tmp = getenv("TMPDIR");
  char *top = xasprintf("%s/ckjit-keeper.XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(top))
    return 1;
  int wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    char *a = deep_directory(top, 'a'), *b = deep_directory(top, 'b');
    int ends[2], status;
    pid_t keeper, worker;
    if (pipe(ends) || (keeper = fork()) < 0)
      return 1;
    if (keeper == 0)
      keep_and_work(ends[1], a, b);
    if (read(ends[0], &worker, sizeof worker) != sizeof worker)
      return 1;
    nanosleep(&(struct timespec){.tv_nsec = 1000000 + i * 37000}, NULL);
    kill(worker, SIGKILL);
    waitpid(keeper, &status, 0);
    if (!is_right(top, a, b) && ++wrong < 5)
      fprintf(stderr, "round %d: a %s, b %s\n", i, file_is_dir(a) ? "is there" : "gone",
              file_is_dir(b) ? "is there" : "gone");
    close(ends[0]);
    close(ends[1]);
    free(a);
    free(b);
  }
  dir_remove(top);
  free(top);
  if (wrong)
    fprintf(stderr, "%d of %d rounds\n", wrong, ROUNDS);
  return wrong != 0;
}
