/* ahead.c - see ahead.h.
 *
 * The runtime that starts us (runtime/ck_jit_ahead.c) has one compile running, for which a call
 * waits, and tells us the commands of others. We run as many of them as processors and memory
 * allow, one processor and the memory of one compile left for the call's own. Each is a
 * ckjit-compile like any other, with the lock that all compiles of a key share; but what another
 * process is at is left to that one (--unless-busy): each of a hundred ranks may have started one
 * of us.
 *
 * There are two reasons to compile ahead. Some commands are of kernels that are needed at once
 * (--together): the dispatcher's row calls them next, or they followed before. The others are those
 * that the library's calls waited for in the past, by the record of use (core/cache/used.h): after
 * an upgrade all of them have new keys. One process at a time does the latter for a cache.
 *
 * Of CUDA an entry has no kernels, and the commands of its kernels depend on it. So the list has
 * the kernels' names, those that were launched in the past, and their compiles begin when the entry
 * is there: side by side, before other entries. The entry of the call itself is in the list as
 * well. Its command makes nothing, for the call's own compile has the lock; it waits for that, and
 * has one of our places meanwhile, as an entry's own passes take several processors.
 *
 * We end with the job (unless --detach), and our compiles with us: nobody may need what is not made
 * by then. The job is not our parent, whose end the kernel would tell us, because it must not have
 * a child that it did not start: somebody in it may wait for any child. So the first process forks
 * and ends, and the second looks at the job five times a second.
 */
#include "ahead.h"
#include "abi/ck_jit_protocol.h"
#include "abi/ck_jit_seal.h"
#include "core/base/budget.h"
#include "core/base/env.h"
#include "core/base/number.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/kernelcommand.h"
#include "core/cache/times.h"
#include "core/cache/used.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LIST_MOST = 64 << 20 }; /* bytes */

/* what the list says of one compile */
struct command {
  struct argv words;
  /* of CUDA: those that were launched in the past, to be compiled of the entry that WORDS make */
  struct argv kernels;
  /* the call itself compiles it: wait for that, and go on with its kernels */
  bool own;
};

struct ahead {
  pid_t of;      /* the job */
  bool detached; /* its end is nothing to us */
  int pidfd;     /* of it; -1: the kernel has none */
  /* what a compile is assumed to need; 0: memory is ignored */
  uint64_t need;
  struct budget memory;
  struct command *commands;
  size_t n, together; /* the first ones are needed at once */
  /* The jobs of each command, followed by those of its kernels. */
  struct job *jobs;
  size_t njobs;
};

/* ---- the list ---- */

/* The whole of FD, free() it; NULL: it is no file, too long, or cannot be read. */
static char *read_list(int fd, size_t *len) {
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > LIST_MOST)
    return NULL;
  *len = (size_t)st.st_size;
  char *text = xcalloc(*len + 1, 1);
  if (ckjit_pread_all(fd, text, *len, 0))
    return text;
  free(text);
  return NULL;
}

/* Returns the text at *AT, which ends with a NUL before END, or NULL if there is none. *AT moves
 * past it. */
static const char *next_word(const char **at, const char *end) {
  const char *word = *at, *nul = memchr(word, 0, (size_t)(end - word));
  *at = nul ? nul + 1 : end;
  return nul ? word : NULL;
}

/* Takes the next WORD of COMMAND. Words that are meant for us do not go to its compile. */
static void take_word(struct command *command, const char *word) {
  if (str_starts(word, CKJIT_THEN_KERNEL))
    argv_add(&command->kernels, word + strlen(CKJIT_THEN_KERNEL));
  else if (strcmp(word, CKJIT_OWN_COMPILE) == 0)
    command->own = true;
  else
    argv_add(&command->words, word);
}

/* Read the commands in the N bytes at TEXT. False: that is not what they are. */
static bool read_commands(struct ahead *a, const char *text, size_t n) {
  const char *at = text, *end = text + n, *word;
  while (at < end) {
    uint64_t words;
    char *why = NULL;
    word = next_word(&at, end);
    if (!word || !number_read("--list-fd", word, 1, LIST_MOST, &words, &why)) {
      free(why);
      return false;
    }
    vec_reserve(a->commands, a->n, 1);
    struct command *command = &a->commands[a->n++];
    *command = (struct command){0};
    for (uint64_t i = 0; i < words; i++) {
      if (!(word = next_word(&at, end)))
        return false;
      take_word(command, word);
    }
    if (!command->own)
      argv_add(&command->words, "--unless-busy");
  }
  return a->n > 0;
}

/* ---- which of them, and in which order ---- */

struct place {
  struct command command;
  /* in milliseconds, when it was compiled last; 0: not known */
  uint64_t took;
  size_t at;
};

static int by_took(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  return x->took != y->took ? (x->took < y->took ? 1 : -1) : (x->at > y->at) - (x->at < y->at);
}

/* Sorts the jobs that are not needed at once: the most expensive come first, so that none of them
 * is left alone at the end. */
static void sort_rest(struct ahead *a, const char *dir) {
  struct times times = {0};
  autofree char *file = path_join(dir, TIMES_FILE), *err = NULL;
  size_t n = a->n - a->together;
  autofree struct place *rest = xcalloc(n + 1, sizeof *rest);
  if (file_exists(file))
    times_read(&times, file, TIMES_LAST, &err);
  for (size_t i = 0; i < n; i++) {
    const char *output = kernels_word(&a->commands[a->together + i].words, "--output");
    autofree char *stem = path_stem(output ? output : "");
    rest[i] = (struct place){.command = a->commands[a->together + i], .at = i};
    times_find(&times, stem, &rest[i].took);
  }
  if (n)
    qsort(rest, n, sizeof *rest, by_took);
  for (size_t i = 0; i < n; i++)
    a->commands[a->together + i] = rest[i].command;
  times_free(&times);
}

/* The others only if no process is at such a list of this cache: a hundred ranks would otherwise
 * have a hundred of us through the whole of a job's beginning. */
static void choose(struct ahead *a) {
  const char *output = kernels_word(&a->commands[0].words, "--output");
  autofree char *dir = path_dir(output ? output : "");
  if (a->together > a->n)
    a->together = a->n;
  if (a->n > a->together && !used_warmer(dir))
    a->n = a->together;
  sort_rest(a, dir);
}

/* ---- running them ---- */

static bool job_has_ended(const struct ahead *a) {
  struct pollfd p = {.fd = a->pidfd, .events = POLLIN};
  if (a->pidfd >= 0)
    return poll(&p, 1, 0) == 1;
  return kill(a->of, 0) && errno == ESRCH;
}

/* The signal ends the compiles, then this process (core/base/pool.c). */
static void on_tick(void *user) {
  const struct ahead *a = user;
  if (!a->detached && job_has_ended(a))
    raise(SIGTERM);
}

/* The memory of one compile stays for the job's own, which has only begun. */
static bool is_enough(struct ahead *a) {
  return !a->need || (memory_free() / 2 >= a->need && budget_admits(&a->memory));
}

static bool may_start(const struct job *job, void *user) {
  (void)job;
  return is_enough(user);
}

/* The kernels of the entry that JOB made, if it made one without kernels. */
static void give_kernels(struct ahead *a, const struct job *job) {
  const struct command *made = job->user;
  size_t first = (size_t)(job - a->jobs) + 1;
  for (size_t i = 0; i < made->kernels.n; i++) {
    struct argv words = {0}; /* the pool has them until the end */
    if (!kernels_command(&words, &made->words, &job->output, made->kernels.args[i]))
      continue;
    argv_add(&words, "--unless-busy");
    a->jobs[first + i].args = words.args;
  }
}

static bool on_done(struct job *job, void *user) {
  struct ahead *a = user;
  budget_failed(&a->memory, job);
  if (job->user && !job->status)
    give_kernels(a, job);
  buf_free(&job->output);
  return true;
}

static void lay_out(struct ahead *a) {
  size_t most = a->n;
  for (size_t i = 0; i < a->n; i++)
    most += a->commands[i].kernels.n;
  a->jobs = xcalloc(most, sizeof *a->jobs);
  for (size_t i = 0; i < a->n; i++) {
    struct job *job = &a->jobs[a->njobs++];
    *job = (struct job){.args = a->commands[i].words.args, .user = &a->commands[i]};
    for (size_t k = 0; k < a->commands[i].kernels.n; k++)
      a->jobs[a->njobs++].after = job;
  }
}

static void run(struct ahead *a, unsigned parallel) {
  lay_out(a);
  budget_start(&a->memory, a->need, a->jobs, a->njobs);
  if (is_enough(a)) /* the pool does not ask for the first */
    pool_run_watched(a->jobs, a->njobs, parallel, may_start, on_tick, on_done, a);
  budget_end(&a->memory);
}

/* ---- ourselves ---- */

/* Returns how many compiles the settings allow beside one compile; 0: none. */
static unsigned read_settings(struct ahead *a) {
  const char *memory = env_get("CK_JIT_JOB_MEMORY");
  char *why = NULL;
  if (!number_size("CK_JIT_JOB_MEMORY", memory ? memory : JOBS_MEMORY, 0, &a->need, &why))
    die(EXIT_USAGE, "%s", why);
  return ckjit_jobs() - 1;
}

/* Go on as a process that nobody waits for. */
static void leave_starter(void) {
  pid_t pid = fork();
  if (pid)
    _exit(pid < 0 ? EXIT_FAILED : EXIT_OK);
  int null = open("/dev/null", O_RDWR);
  for (int fd = 0; null >= 0 && fd < 3; fd++)
    dup2(null, fd);
  if (null > 2)
    close(null);
}

_Noreturn void ahead_run(const struct compile_options *o) {
  struct ahead a = {.of = o->ahead, .detached = o->detach, .together = (size_t)o->together};
  size_t len;
  char *text = read_list(o->list_fd, &len);
  if (!text || !read_commands(&a, text, len))
    die(EXIT_USAGE,
        "--list-fd %d: expected a file with commands, of each the number of its words, and its words",
        o->list_fd);
  close(o->list_fd);
  /* The process that started us waits now, so its pid still belongs to it. */
  a.pidfd = (int)syscall(SYS_pidfd_open, a.of, 0);
  if (a.pidfd >= 0)
    fcntl(a.pidfd, F_SETFD, FD_CLOEXEC);
  unsigned parallel = read_settings(&a);
  leave_starter();
  if (a.detached)
    setsid(); /* the signals of its terminal and its group are not for us either */
  choose(&a);
  if (parallel && a.n)
    run(&a, parallel);
  exit(EXIT_OK);
}
