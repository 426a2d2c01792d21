/* runtime_atfork.c - a program in which pthread_atfork takes long for the first thread that calls it.
 *
 *   runtime_atfork LIBRARY LOG HOLD
 *
 * One thread is in its first call, of value_<0>, and in pthread_atfork. Meanwhile another one makes a first call, of
 * value_<1>, whose compile lasts as long as the file HOLD is there; LOG says when it has begun. Then the program forks, and
 * the child calls value_<1> as well. When all have their results and the first thread is through, it forks once more.
 * Prints the results, or what is wrong.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int value(int);
typedef int registers(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

static void *library;
static const char *log_file;
static int entered, through, let_go; /* atomic */

static void moment(void) {
  nanosleep(&(struct timespec){.tv_nsec = 10000000L}, NULL);
}

/* what pthread_atfork, which is linked statically, calls in glibc */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso) {
  registers *real = (registers *)dlsym(RTLD_NEXT, "__register_atfork");
  if (__atomic_fetch_add(&entered, 1, __ATOMIC_ACQ_REL) == 0)
    while (!__atomic_load_n(&let_go, __ATOMIC_ACQUIRE))
      moment();
  int error = real(prepare, parent, child, dso);
  __atomic_fetch_add(&through, 1, __ATOMIC_ACQ_REL);
  return error;
}

static int call(int n, int x) {
  char name[32];
  snprintf(name, sizeof name, "_Z6value_ILi%dEEii", n);
  value *f = (value *)dlsym(library, name);
  return f ? f(x) : -1;
}

static void *call_0(void *unused) {
  (void)unused;
  return (void *)(long)call(0, 7);
}

static void *call_1(void *unused) {
  (void)unused;
  return (void *)(long)call(1, 7);
}

static int log_has(const char *text) {
  char line[256];
  int found = 0;
  FILE *f = fopen(log_file, "r");
  while (f && !found && fgets(line, sizeof line, f))
    found = strncmp(line, text, strlen(text)) == 0;
  if (f)
    fclose(f);
  return found;
}

/* Fork; the child calls value_<N>. HOLD, unless it is NULL, is removed then. */
static int forked(int n, const char *hold) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0)
    _exit(call(n, 7) == 1000 * n + 7 ? 0 : 1);
  if (hold)
    unlink(hold);
  for (int tries = 0; waitpid(pid, &status, WNOHANG) == 0; tries++) {
    if (tries == 6000) {
      puts("the child waits for a thread that it does not have");
      return 1;
    }
    moment();
  }
  return status != 0;
}

int main(int argc, char **argv) {
  pthread_t first, second;
  void *result;
  if (argc != 4 || !(library = dlopen(argv[1], RTLD_NOW)))
    return 2;
  log_file = argv[2];
  pthread_create(&first, NULL, call_0, NULL);
  while (!__atomic_load_n(&entered, __ATOMIC_ACQUIRE))
    moment();
  pthread_create(&second, NULL, call_1, NULL);
  while (!log_has("start k1 "))
    moment();
  if (!__atomic_load_n(&through, __ATOMIC_ACQUIRE)) {
    puts("a call went on while no registration had ended");
    return 1;
  }
  if (forked(1, argv[3]))
    return 1;
  pthread_join(second, &result);
  printf("%ld\n", (long)result);
  __atomic_store_n(&let_go, 1, __ATOMIC_RELEASE);
  pthread_join(first, &result);
  printf("%ld\n", (long)result);
  if (forked(2, NULL))
    return 1;
  printf("%d\n%d registered\n", call(3, 7), __atomic_load_n(&through, __ATOMIC_ACQUIRE));
  return 0;
}
