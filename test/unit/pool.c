/* pool.c - running commands: order, statuses, output, memory, and what a signal does.
 *
 * The jobs are real processes. What must happen in an order is made to happen: eight jobs of which each waits until there are eight
 * show that they run side by side. No verdict depends on how fast they are.
 */
// tier: check
#include "check.h"
#include "core/base/jobs.h"
#include "core/base/pool.h"
#include "core/base/path.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SH(text) ((char *[]){"sh", "-c", text, NULL})

static void free_outputs(struct job *jobs, size_t n) {
  for (size_t i = 0; i < n; i++)
    buf_free(&jobs[i].output);
}

static void statuses(void) {
  struct job jobs[] = {
      {.args = SH("echo out; echo err >&2; echo out again")},
      {.args = SH("exit 3")},
      {.args = SH("kill -9 $$")},
      {.args = (char *[]){"no-such-program-anywhere", NULL}},
      {.args = SH("pwd; echo $NAME; cat"), .cwd = "/", .env = (char *[]){"NAME=value", NULL}},
      {.args = SH("true"), .cwd = "/nowhere"},
  };
  size_t failed = pool_run(jobs, 6, 3, NULL, NULL);
  CHECK(failed == 4, "%zu failed", failed);
  CHECK(jobs[0].status == 0 && strcmp(jobs[0].output.data, "out\nerr\nout again\n") == 0, "output: %s",
        jobs[0].output.data);
  CHECK(jobs[0].max_rss_kib > 0 && jobs[0].seconds > 0, "no rusage or time");
  CHECK(jobs[1].status == 3, "status %d", jobs[1].status);
  CHECK(jobs[2].status == 128 + 9, "status %d", jobs[2].status);
  CHECK(jobs[3].status == 127 && strstr(jobs[3].output.data, "no-such-program-anywhere"), "status %d",
        jobs[3].status);
  CHECK(jobs[4].status == 0 && strcmp(jobs[4].output.data, "/\nvalue\n") == 0, "output: %s",
        jobs[4].output.data);
  CHECK(jobs[5].status == 127 && strstr(jobs[5].output.data, "/nowhere"), "status %d", jobs[5].status);
  free_outputs(jobs, 6);
}

/* The N-th job has ended: what waits for the first gets its command only now, and what waits for the third none. */
static bool give_command(struct job *job, void *user) {
  struct job *jobs = user;
  static char *second[] = {"sh", "-c", "echo second", NULL};
  if (job == &jobs[1])
    jobs[0].args = second;
  return true;
}

static void one_after_another(void) {
  struct job jobs[] = {
      {.after = &jobs[1]},
      {.args = SH("sleep 0.1; echo first")},
      {.args = SH("exit 1")},
      {.args = SH("echo never"), .after = &jobs[2]},
      {.args = SH("echo never"), .after = &jobs[3]},
      {.after = &jobs[0]}, /* gets no command */
      {.args = SH("echo last"), .after = &jobs[0]},
  };
  for (unsigned parallel = 1; parallel < 8; parallel += 6) {
    jobs[0].args = NULL;
    CHECK(pool_run(jobs, 7, parallel, give_command, jobs) == 4, "others than three ended well");
    CHECK(jobs[0].status == 0 && strcmp(jobs[0].output.data, "second\n") == 0, "status %d", jobs[0].status);
    CHECK(jobs[0].started > jobs[1].started && jobs[6].started > jobs[0].started, "another order");
    CHECK(jobs[3].status == -1 && jobs[4].status == -1 && jobs[5].status == -1,
          "what waits for a failure was started");
    free_outputs(jobs, 7);
  }
}

static bool stop_at_first(struct job *job, void *user) {
  (void)job;
  ++*(int *)user;
  return false;
}

static void stopping(void) {
  struct job jobs[] = {{.args = SH("exit 0")}, {.args = SH("exit 0")}, {.args = SH("exit 0")}};
  int calls = 0;
  size_t failed = pool_run(jobs, 3, 1, stop_at_first, &calls);
  CHECK(failed == 2 && calls == 1, "%zu failed, %d calls", failed, calls);
  CHECK(jobs[0].status == 0 && jobs[2].status == -1, "statuses %d %d", jobs[0].status, jobs[2].status);
  free_outputs(jobs, 3);
  CHECK(pool_run(NULL, 0, 0, NULL, NULL) == 0, "no job at all failed");
}

/* Each of eight waits until there are eight. */
static void side_by_side(void) {
  char dir[] = "/tmp/ckjit-pool.XXXXXX";
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  char *command = xasprintf("cd %s && touch $$ && n=0 && until [ $(ls | wc -l) = 8 ]; do n=$((n + 1)); "
                            "[ $n -lt 10000 ] || exit 1; sleep 0.02; done",
                            dir);
  char **together = SH(command);
  struct job jobs[8];
  for (int i = 0; i < 8; i++)
    jobs[i] = (struct job){.args = together};
  CHECK(pool_run(jobs, 8, 8, NULL, NULL) == 0, "eight jobs do not run at a time");
  free_outputs(jobs, 8);
  dir_remove(dir);
  free(command);
}

static size_t heard;
static void hear(struct job *job, const char *bytes, size_t n) {
  (void)job;
  (void)bytes;
  heard += n;
}

/* 3 MB: the first and the last 256 KiB stay */
static void long_output(void) {
  struct job jobs[] = {
      {.args = SH("echo first; yes 0123456789 | head -n 300000; echo last"), .on_output = hear}};
  CHECK(pool_run(jobs, 1, 1, NULL, NULL) == 0, "it failed");
  struct buf *o = &jobs[0].output;
  CHECK(o->len > 512 * 1024 && o->len < 513 * 1024, "%zu bytes kept", o->len);
  CHECK(str_starts(o->data, "first\n") && str_ends(o->data, "\nlast\n"), "the ends are not kept");
  CHECK(strstr(o->data, " bytes of output cut "), "the cut is not marked");
  CHECK(heard == 6 + 300000 * 11 + 5, "on_output got %zu bytes", heard);
  free_outputs(jobs, 1);
}

/* sccache's server keeps the pipe of the compile that started it */
static void daemons(void) {
  struct job jobs[] = {{.args = SH("sleep 100000 & echo $!; exit 0")}};
  CHECK(pool_run(jobs, 1, 1, NULL, NULL) == 0, "it failed");
  int left = atoi(jobs[0].output.data);
  CHECK(left > 0 && kill(left, SIGTERM) == 0, "what was left behind is gone: '%s'", jobs[0].output.data);
  free_outputs(jobs, 1);
}

/* A host that ignores SIGCHLD is inherited by who it starts. */
static void ignored_sigchld(void) {
  signal(SIGCHLD, SIG_IGN);
  struct job jobs[] = {{.args = SH("exit 5")}};
  pool_run(jobs, 1, 1, NULL, NULL);
  CHECK(jobs[0].status == 5, "status %d", jobs[0].status);
  free_outputs(jobs, 1);
  signal(SIGCHLD, SIG_DFL);
}

/* It may be dead, and nobody have asked for its status. */
static bool is_running(int pid) {
  char *path = xasprintf("/proc/%d/stat", pid);
  size_t len;
  char *text = kill(pid, 0) ? NULL : file_read(path, &len);
  bool runs = text && !strstr(text, ") Z ");
  free(text);
  free(path);
  return runs;
}

/* SIGTERM ends the jobs with all that they started, then us. */
static void ending(void) {
  char dir[] = "/tmp/ckjit-pool.XXXXXX";
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  char *command = xasprintf("sleep 100000 & echo $! >%s/part && mv %s/part %s/started; wait", dir, dir, dir);
  char *started = xasprintf("%s/started", dir);
  pid_t pid = fork();
  if (pid == 0) {
    struct job jobs[] = {{.args = (char *[]){"sh", "-c", command, NULL}}, {.args = SH("touch never")}};
    pool_run(jobs, 2, 1, NULL, NULL);
    _exit(0);
  }
  size_t len;
  char *text = NULL;
  for (int i = 0; i < 30000 && !(text = file_read(started, &len)); i++)
    usleep(10000);
  int status, grandchild = text ? atoi(text) : 0;
  kill(pid, SIGTERM);
  waitpid(pid, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "wait status %x", status);
  CHECK(grandchild > 0, "the job did not start");
  for (int i = 0; i < 30000 && is_running(grandchild); i++)
    usleep(10000);
  CHECK(!is_running(grandchild), "a grandchild lived on");
  dir_remove(dir);
  free(command);
  free(started);
  free(text);
}

int main(void) {
  statuses();
  one_after_another();
  stopping();
  side_by_side();
  long_output();
  daemons();
  ignored_sigchld();
  ending();
  CHECK(ckjit_processors() >= 1, "no processor");
  return bad;
}
