/* ck_jit_spawn.c - starts ckjit-compile from within somebody else's process.
 *
 * ck_jit_spawn.h lists what a host may do to its children. The answers: posix_spawn and no fork
 * (vfork in a host of two users); default signals and an empty mask; an environment without the
 * variables that are meant for the host (LD_PRELOAD, options of sanitizers), and an empty one in a
 * set-user-ID process; pipes whose ends are never 0, 1 or 2; all other descriptors closed. The end
 * of its pipe shows the end of the child, because another thread may reap it; its status is a hint
 * only.
 */
#include "ck_jit_spawn.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* bytes at the end of the child's output that are kept */
enum { CKJIT_OUTPUT_KEPT = 16 * 1024 };

/* ---- the child's environment ---- */

/* Variables meant for the host that would harm a compiler are not passed on. */
static bool ckjit_env_is_passed_on(const char *entry) {
  static const char *const drop[] = {
      "LD_PRELOAD=",   "LD_AUDIT=",      "ASAN_OPTIONS=", "LSAN_OPTIONS=",
      "TSAN_OPTIONS=", "UBSAN_OPTIONS=", "MSAN_OPTIONS=", "HWASAN_OPTIONS="};
  for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
    if (strncmp(entry, drop[i], strlen(drop[i])) == 0)
      return false;
  return true;
}

char ***ckjit_environ(void) {
  void *program = dlopen(NULL, RTLD_LAZY);
  char ***its = program ? dlsym(program, "environ") : NULL;
  if (program)
    dlclose(program);
  return its ? its : &environ;
}

/* The environment for the child, from ALL; free() the array, whose entries are ALL's. NULL: no
 * memory. It is empty in a set-user-ID process: a compiler reads more variables than anybody
 * knows. */
static char **ckjit_env_for_child(char **all) {
  if (getauxval(AT_SECURE))
    all = NULL;
  size_t n = 0;
  while (all && all[n])
    n++;
  char **env = calloc(n + 1, sizeof *env), **to = env;
  for (size_t i = 0; env && i < n && all[i]; i++)
    if (ckjit_env_is_passed_on(all[i]))
      *to++ = all[i];
  return env;
}

/* ---- the start ---- */

/* A pipe whose ends are neither inherited nor one of the three standard streams. 0 or errno. */
static int ckjit_pipe(int end[2]) {
  int raw[2], error = 0;
  if (pipe2(raw, O_CLOEXEC))
    return errno;
  for (int i = 0; i < 2; i++) {
    end[i] = error ? -1 : fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
    if (end[i] < 0 && !error)
      error = errno;
  }
  close(raw[0]);
  close(raw[1]);
  if (error && end[0] >= 0)
    close(end[0]);
  return error;
}

/* Its descriptors: OUTPUT as standard output and error, RESULT, unless it is -1, as
 * CKJIT_RESULT_FD. 0 or errno. */
static int ckjit_describe_files(posix_spawn_file_actions_t *files, int output, int result) {
  int error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (!error)
    error = posix_spawn_file_actions_adddup2(files, output, 1);
  if (!error)
    error = posix_spawn_file_actions_adddup2(files, output, 2);
  if (!error && result >= 0)
    error = posix_spawn_file_actions_adddup2(files, result, CKJIT_RESULT_FD);
#if defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
  /* A compiler, or a daemon that it starts, must not keep the host's sockets and locks open. */
  if (!error)
    error = posix_spawn_file_actions_addclosefrom_np(files, result < 0 ? CKJIT_RESULT_FD
                                                                       : CKJIT_RESULT_FD + 1);
#endif
#endif
  return error;
}

static void ckjit_describe_signals(posix_spawnattr_t *attr) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(attr, &all);
  posix_spawnattr_setsigmask(attr, &none);
  posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

/* ---- the start as one user ---- */

/* Whether the host's ids are those of several users: it is a set-user-ID program, or has called
 * seteuid. */
static bool ckjit_ids_differ(void) {
  uid_t uid[3];
  gid_t gid[3];
  return getresuid(&uid[0], &uid[1], &uid[2]) || getresgid(&gid[0], &gid[1], &gid[2]) ||
         uid[0] != uid[1] || uid[1] != uid[2] || gid[0] != gid[1] || gid[1] != gid[2];
}

/* The child of vfork, which shares the host's memory. It uses system calls only, because a function
 * of libc might take a lock or change the ids of all threads of the host. Its ids become UID and
 * GID, its descriptors and signals those of ckjit_describe_files and ckjit_describe_signals.
 * Returns if it fails. */
static void ckjit_become(char *const args[], char *const env[], int output, int result, uid_t uid,
                         gid_t gid) {
  static const unsigned long default_action[8],
      no_signals[2]; /* the kernel's sigaction and sigset_t, all zero */
  int null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
  for (int sig = 1; sig < NSIG; sig++)
    syscall(SYS_rt_sigaction, sig, default_action, NULL, (size_t)(NSIG - 1) / 8);
  if (syscall(SYS_setresgid, gid, gid, gid) || syscall(SYS_setresuid, uid, uid, uid) || null < 0 ||
      (null && syscall(SYS_dup3, null, 0, 0) < 0) || syscall(SYS_dup3, output, 1, 0) < 0 ||
      syscall(SYS_dup3, output, 2, 0) < 0 ||
      (result == CKJIT_RESULT_FD && syscall(SYS_fcntl, result, F_SETFD, 0)) ||
      (result >= 0 && result != CKJIT_RESULT_FD &&
       syscall(SYS_dup3, result, CKJIT_RESULT_FD, 0) < 0))
    return;
  syscall(SYS_close_range, result < 0 ? CKJIT_RESULT_FD : CKJIT_RESULT_FD + 1, ~0u, 0u);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, no_signals, NULL, (size_t)(NSIG - 1) / 8);
  syscall(SYS_execve, args[0], args, env);
}

/* As posix_spawn, which cannot do this: start ARGS with the effective ids as its only ones. Shells
 * would return to the real user, and a program with two users (AT_SECURE) ignores the environment
 * that the library trusts. 0 or an errno. */
static int ckjit_start_as_effective(char *const args[], char *const env[], int output, int result,
                                    pid_t *pid) {
  volatile int error = 0;
  uid_t uid = geteuid();
  gid_t gid = getegid();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* the child runs no handler of the host's */
  *pid = vfork();
  if (*pid == 0) {
    ckjit_become(args, env, output, result, uid, gid);
    error = errno;
    _exit(127);
  }
  if (*pid < 0)
    error = errno;
  else if (error)
    waitpid(*pid, NULL, 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

/* Start ARGS with the descriptors above. 0 or an errno. */
static int ckjit_start(char *const args[], char **environment, int output, int result, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  char **env = ckjit_env_for_child(environment);
  if (!env)
    return ENOMEM;
  if (ckjit_ids_differ()) {
    int failed = ckjit_start_as_effective(args, env, output, result, pid);
    free(env);
    return failed;
  }
  int error = posix_spawn_file_actions_init(&files);
  if (error) {
    free(env);
    return error;
  }
  if ((error = posix_spawnattr_init(&attr)) == 0) {
    ckjit_describe_signals(&attr);
    error = ckjit_describe_files(&files, output, result);
    if (!error)
      error = posix_spawn(pid, args[0], &files, &attr, args, env);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&files);
  free(env);
  return error;
}

/* ---- from its start to its end ---- */

/* Remove the first LINE from OUTPUT; false: it is not there. */
static bool ckjit_take_line(struct ckjit_text *output, const char *line) {
  char *at = output->len ? strstr(output->data, line) : NULL;
  size_t n = strlen(line);
  if (!at)
    return false;
  output->len -= n;
  memmove(at, at + n, output->len - (size_t)(at - output->data) + 1);
  return true;
}

/* Read FD to its end; OUTPUT keeps the last bytes. Meanwhile print the messages that are due, and
 * run MEANWHILE once, at its line. */
static void ckjit_drain(int fd, struct ckjit_waiting *waiting, struct ckjit_text *output,
                        const struct ckjit_meanwhile *meanwhile) {
  bool told = !meanwhile || !meanwhile->line;
  for (;;) {
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int ready = poll(&end, 1, waiting ? ckjit_waiting_say(waiting) : -1);
    if (ready == 0 || (ready < 0 && errno == EINTR))
      continue;
    char *room = ckjit_text_room(output, 4096), spill[512];
    ssize_t n = room ? read(fd, room, 4096) : read(fd, spill, sizeof spill);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    if (!room)
      continue; /* out of memory: drain, so that the child need not wait */
    output->len += (size_t)n;
    output->data[output->len] = 0;
    if (waiting)
      ckjit_waiting_hear(waiting, output);
    if (output->len > 2 * CKJIT_OUTPUT_KEPT) {
      memmove(output->data, output->data + output->len - CKJIT_OUTPUT_KEPT, CKJIT_OUTPUT_KEPT);
      output->len = CKJIT_OUTPUT_KEPT;
    }
    output->data[output->len] = 0;
    if (!told && ckjit_take_line(output, meanwhile->line)) {
      told = true;
      meanwhile->run(meanwhile->user);
    }
  }
}

int ckjit_run(char *const args[], char **environment, int result, struct ckjit_waiting *waiting,
              struct ckjit_text *output, int *status, const struct ckjit_meanwhile *meanwhile) {
  int end[2];
  pid_t pid, waited;
  int error = ckjit_pipe(end);
  if (error)
    return error;
  error = ckjit_start(args, environment, end[1], result, &pid);
  close(end[1]);
  if (!error && meanwhile && !meanwhile->line)
    meanwhile->run(meanwhile->user);
  if (!error) {
    if (waiting)
      waiting->pid = pid;
    ckjit_drain(end[0], waiting, output, meanwhile);
  }
  close(end[0]);
  if (error)
    return error;
  do
    waited = waitpid(pid, status, 0);
  while (waited < 0 && errno == EINTR);
  if (waited != pid)
    *status = CKJIT_STATUS_UNKNOWN;
  return 0;
}
