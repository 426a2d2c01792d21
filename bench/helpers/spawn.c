/* spawn.c - how long two commands take, each from start to end, run in turn so that changes of the
 * machine's load affect both.
 *
 *   spawn ROUNDS BATCH COMMAND... -- COMMAND...
 *
 * In each round the first is run BATCH times, then the second: after a program that ran for long, a
 * short one meets cold caches and a scheduler that owes time to others. Prints a line a run, the
 * microseconds of each. In the COMMANDs, {n} is the number of the run, so that a name with it is
 * always that of a new file. A command that fails ends the program.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { MAX_BATCH = 100 };

/* The microseconds of COMMAND, with NUMBER for {n}. */
static double run(char **command, int number) {
  static char text[1 << 16];
  static char *args[1024];
  size_t used = 0;
  int argc = 0;
  for (; command[argc] && argc < 1023; argc++) {
    const char *n = strstr(command[argc], "{n}");
    args[argc] = command[argc];
    if (n && used < sizeof text) {
      args[argc] = text + used;
      used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%d%s",
                               (int)(n - command[argc]), command[argc], number, n + 3) +
              1;
    }
  }
  args[argc] = NULL;
  struct timespec from, to;
  pid_t pid;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (posix_spawn(&pid, args[0], NULL, NULL, args, environ) || waitpid(pid, &status, 0) != pid ||
      status) {
    fprintf(stderr, "spawn: %s failed\n", command[0]);
    exit(1);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
}

int main(int argc, char **argv) {
  int rounds = argc > 3 ? atoi(argv[1]) : 0, batch = argc > 3 ? atoi(argv[2]) : 0, dashes = 3;
  while (dashes < argc && strcmp(argv[dashes], "--") != 0)
    dashes++;
  if (rounds < 1 || batch < 1 || batch > MAX_BATCH || dashes >= argc - 1) {
    fprintf(stderr, "usage: spawn ROUNDS BATCH COMMAND... -- COMMAND...\n");
    return 2;
  }
  argv[dashes] = NULL;
  for (int i = 0; i < rounds; i++) {
    double a[MAX_BATCH], b[MAX_BATCH];
    for (int k = 0; k < batch; k++)
      a[k] = run(argv + 3, 2 * (i * batch + k));
    for (int k = 0; k < batch; k++)
      b[k] = run(argv + dashes + 1, 2 * (i * batch + k) + 1);
    for (int k = 0; k < batch; k++)
      printf("%.1f %.1f\n", a[k], b[k]);
  }
  return 0;
}
