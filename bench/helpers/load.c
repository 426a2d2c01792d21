/* load.c - the time to load a library, or to find one function in it, in a fresh process.
 *
 *   load ROUNDS FILE [SYMBOL] [-- PRELOADED...]
 *
 * Each round is a fork in which FILE is loaded with RTLD_NOW and, if given, SYMBOL is looked up.
 * Prints a line a round, in microseconds. PRELOADED are libraries that FILE needs; they are loaded
 * first and not measured. With "SYMBOL()", FILE is loaded first, too, and the line is the double
 * that the function returns. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *load(const char *file) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    fprintf(stderr, "load: %s\n", dlerror());
    _exit(1);
  }
  return handle;
}

static void *find(void *handle, const char *symbol) {
  void *at = dlsym(handle, symbol);
  if (!at) {
    fprintf(stderr, "load: %s\n", dlerror());
    _exit(1);
  }
  return at;
}

static double measure(const char *file, const char *symbol) {
  size_t n = symbol ? strlen(symbol) : 0;
  if (n > 2 && strcmp(symbol + n - 2, "()") == 0) {
    char *name = strndup(symbol, n - 2);
    double (*function)(void);
    *(void **)&function = find(load(file), name);
    return function();
  }
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  void *handle = load(file);
  if (symbol)
    find(handle, symbol);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
}

int main(int argc, char **argv) {
  int at = 3, rounds = argc > 2 ? atoi(argv[1]) : 0;
  if (rounds < 1)
    return 2;
  const char *symbol = argc > 3 && strcmp(argv[3], "--") != 0 ? argv[at++] : NULL;
  for (at++; at < argc; at++)
    load(argv[at]);
  for (int i = 0; i < rounds; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      printf("%.2f\n", measure(argv[2], symbol));
      fflush(stdout);
      _exit(0);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
      return 1;
  }
  return 0;
}
