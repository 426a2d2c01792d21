/* pool.c - see pool.h.
 *
 * The event loop, signals and polling are libuv's; starting and reaping processes are not. uv_spawn
 * reaps with waitpid and drops the rusage, but the memory that a compiler took decides how many may
 * run at once.
 *
 * Each running job has a slot with a pipe for its output. A slot is free again when the process has
 * been reaped and libuv has closed the poll handle. Of the output the first and the last KEEP bytes
 * are kept, since a runaway compiler can print gigabytes.
 */
#include "pool.h"
#include "jobs.h"
#include "path.h"
#include "abi/ck_jit_start.h"
#include "abi/ck_jit_clock.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

extern char **environ;

char *const *pool_environment;

enum {
  KEEP = 256 * 1024, /* bytes of output kept from each end */
  GRACE_MS = 5000,   /* between the signal that is passed on and SIGKILL */
  NSIGNALS = 3,
};

void (*pool_before_signal)(void);

static const int ending_signals[NSIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* a running job */
struct slot {
  struct pool *pool;
  struct job *job; /* NULL: free */
  pid_t pid;
  int fd; /* the read end of its output */
  uv_poll_t poll;
  /* output after the first KEEP bytes; at most 2 * KEEP */
  struct buf tail;
  /* bytes dropped between output and tail */
  size_t cut;
};

struct pool {
  uv_loop_t loop;
  uv_signal_t child, ending[NSIGNALS];
  uv_timer_t grace, tick;
  struct job *jobs;
  /* jobs; those before next have begun; good: ended with status 0 */
  size_t n, next, good;
  struct slot *slots;
  unsigned nslots, running;
  bool stopped; /* start no more jobs */
  /* the signal that is ending this process, or 0 */
  int ended_by;
  pool_admit *admit;
  pool_tick *watch;
  pool_done *done;
  void *user;
};

/* ---- output ---- */

static void keep_output(struct slot *s, const char *bytes, size_t n) {
  if (s->job->on_output)
    s->job->on_output(s->job, bytes, n);
  size_t head = s->job->output.len < KEEP ? KEEP - s->job->output.len : 0;
  head = head < n ? head : n;
  buf_add(&s->job->output, bytes, head);
  buf_add(&s->tail, bytes + head, n - head);
  if (s->tail.len > 2 * KEEP) {
    size_t drop = s->tail.len - KEEP;
    memmove(s->tail.data, s->tail.data + drop, KEEP + 1);
    s->tail.len = KEEP;
    s->cut += drop;
  }
}

static void join_output(struct slot *s) {
  if (s->tail.len > KEEP) {
    s->cut += s->tail.len - KEEP;
    memmove(s->tail.data, s->tail.data + s->tail.len - KEEP, KEEP);
    s->tail.len = KEEP;
  }
  if (s->cut)
    buf_printf(&s->job->output, "\n[… %zu bytes of output cut …]\n", s->cut);
  if (s->tail.len)
    buf_add(&s->job->output, s->tail.data, s->tail.len);
  buf_free(&s->tail);
  s->cut = 0;
}

/* Read the available output; false at its end. */
static bool drain(struct slot *s) {
  char bytes[16 * 1024];
  for (;;) {
    ssize_t n = read(s->fd, bytes, sizeof bytes);
    if (n > 0)
      keep_output(s, bytes, (size_t)n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
      return false;
    else if (errno == EAGAIN)
      return true;
  }
}

static void on_readable(uv_poll_t *poll, int status, int events) {
  (void)events;
  struct slot *s = poll->data;
  /* The end of the output is not the end of the job, and a closed pipe stays readable for ever. */
  if (status < 0 || !drain(s))
    uv_poll_stop(poll);
}

/* ---- starting ---- */

/* Start the command as a child: own process group, output to FD, without this process's signal
 * handling. 0 or an errno. */
static int spawn(const struct job *job, const char *program, int fd, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGCHLD);
  sigaddset(&defaults, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attr);
  if (!job->has_input)
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, job->out ? job->out : fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fd, STDERR_FILENO);
  if (job->cwd)
    posix_spawn_file_actions_addchdir_np(&files, job->cwd);
  posix_spawnattr_setflags(&attr,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &defaults);
  char *const *env = job->env ? job->env : pool_environment ? pool_environment : environ;
  int e = posix_spawn(pid, program, &files, &attr, job->args, env);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return e;
}

/* Start JOB. False if that fails; the job has the reason. */
static bool start(struct slot *s, struct job *job) {
  autofree char *program = path_which(job->args[0]);
  uint64_t started = ckjit_microseconds(); /* before anything that the job does */
  int ends[2] = {-1, -1}, e;
  if (!program)
    e = ENOENT;
  else if (pipe2(ends, O_CLOEXEC))
    e = errno;
  else
    e = spawn(job, program, ends[1], &s->pid);
  if (ends[1] >= 0)
    close(ends[1]);
  if (e) {
    if (ends[0] >= 0)
      close(ends[0]);
    const char *in = job->cwd && !file_is_dir(job->cwd) ? job->cwd : NULL;
    char why[256];
    ckjit_start_why(why, sizeof why, e);
    job->status = 127;
    buf_printf(&job->output, "%s: error: cannot start %s%s%s: %s\n", program_name, job->args[0],
               in ? " in " : "", in ? in : "", why);
    return false;
  }
  s->job = job;
  job->pid = s->pid;
  job->place = (unsigned)(s - s->pool->slots);
  s->fd = ends[0];
  job->started = started;
  fcntl(s->fd, F_SETFL, O_NONBLOCK);
  uv_poll_init(&s->pool->loop, &s->poll, s->fd);
  s->poll.data = s;
  uv_poll_start(&s->poll, UV_READABLE, on_readable);
  return true;
}

static struct slot *free_slot(struct pool *p) {
  /* A slot is reusable only after libuv has closed its poll handle. */
  for (unsigned i = 0; i < p->nslots; i++)
    if (!p->slots[i].job && p->slots[i].fd < 0)
      return &p->slots[i];
  return NULL;
}

static void finished(struct pool *p, struct job *job) {
  job->ended = true;
  p->good += job->status == 0;
  if (p->done && !p->ended_by && !p->done(job, p->user))
    p->stopped = true;
}

static void close_all(struct pool *p) {
  uv_close((uv_handle_t *)&p->child, NULL);
  uv_close((uv_handle_t *)&p->grace, NULL);
  uv_close((uv_handle_t *)&p->tick, NULL);
  for (int i = 0; i < NSIGNALS; i++)
    uv_close((uv_handle_t *)&p->ending[i], NULL);
}

/* The first job that may begin; NULL: none is left, or all wait for running ones. */
static struct job *next_job(struct pool *p) {
  while (p->next < p->n && p->jobs[p->next].begun)
    p->next++;
  for (size_t i = p->next; i < p->n; i++) {
    struct job *job = &p->jobs[i];
    const struct job *after = job->after;
    if (job->begun || (after && !after->ended))
      continue;
    if (job->args && !(after && after->status))
      return job;
    job->begun = job->ended = true; /* skipped */
  }
  return NULL;
}

/* The next job, if it may be started now; else NULL. */
static struct job *may_start(struct pool *p) {
  struct job *job = p->stopped ? NULL : next_job(p);
  return job && (!p->running || !p->admit || p->admit(job, p->user)) ? job : NULL;
}

static void start_more(struct pool *p) {
  struct slot *s;
  struct job *job;
  while ((s = free_slot(p)) && (job = may_start(p))) {
    job->begun = true;
    if (start(s, job))
      p->running++;
    else
      finished(p, job);
  }
  if (!p->running && (p->stopped || !next_job(p)) && !uv_is_closing((uv_handle_t *)&p->child))
    close_all(p);
}

/* ---- ending ---- */

static void on_poll_closed(uv_handle_t *h) {
  struct slot *s = h->data;
  close(s->fd);
  s->fd = -1;
  start_more(s->pool);
}

static void reap(struct slot *s, int status, const struct rusage *usage) {
  struct job *job = s->job;
  struct pool *p = s->pool;
  /* All its output is in the pipe already. A daemon that it started (sccache's server) may hold the
   * pipe open, so do not wait for the end of the output. */
  drain(s);
  join_output(s);
  job->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  job->seconds = (double)(ckjit_microseconds() - job->started) / 1e6;
  job->max_rss_kib = usage->ru_maxrss;
  job->pid = 0;
  s->job = NULL;
  p->running--;
  uv_close((uv_handle_t *)&s->poll, on_poll_closed);
  finished(p, job);
}

static void on_child(uv_signal_t *signal, int number) {
  (void)number;
  struct pool *p = signal->data;
  for (unsigned i = 0; i < p->nslots; i++) {
    struct slot *s = &p->slots[i];
    int status;
    struct rusage usage;
    if (s->job && wait4(s->pid, &status, WNOHANG, &usage) == s->pid)
      reap(s, status, &usage);
  }
}

static void signal_all(struct pool *p, int number) {
  for (unsigned i = 0; i < p->nslots; i++)
    if (p->slots[i].job)
      kill(-p->slots[i].pid, number);
}

static void on_tick(uv_timer_t *timer) {
  struct pool *p = timer->data;
  if (p->admit && !free_slot(p))
    may_start(p); /* it may look at the running jobs */
  if (p->watch && p->running && !p->ended_by)
    p->watch(p->user);
  start_more(p);
}

static void on_grace_over(uv_timer_t *timer) {
  signal_all(timer->data, SIGKILL);
}

static void on_ending(uv_signal_t *signal, int number) {
  struct pool *p = signal->data;
  /* A second signal means that the user does not want to wait. */
  signal_all(p, p->ended_by ? SIGKILL : number);
  p->stopped = true;
  p->ended_by = number;
  uv_timer_start(&p->grace, on_grace_over, GRACE_MS, 0);
  start_more(p);
}

static bool is_ignored(int number) {
  struct sigaction now;
  return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* ---- the run ---- */

static void set_up(struct pool *p, unsigned parallel) {
  p->nslots = parallel ? parallel : p->admit ? ckjit_jobs() : jobs_unwatched();
  if (p->nslots > p->n)
    p->nslots = (unsigned)p->n;
  p->slots = xcalloc(p->nslots, sizeof *p->slots);
  for (unsigned i = 0; i < p->nslots; i++)
    p->slots[i] = (struct slot){.pool = p, .fd = -1};
  for (size_t i = 0; i < p->n; i++) {
    struct job *job = &p->jobs[i];
    job->status = -1;
    job->begun = job->ended = false;
    job->output = (struct buf){0};
    job->started = 0;
    job->place = 0;
    job->seconds = 0;
    job->max_rss_kib = 0;
    job->pid = 0;
  }
  int e = uv_loop_init(&p->loop);
  if (e)
    die(EXIT_FAILED, "cannot make an event loop: %s", uv_strerror(e));
  uv_timer_init(&p->loop, &p->grace);
  p->grace.data = p;
  uv_timer_init(&p->loop, &p->tick);
  p->tick.data = p;
  if (p->admit || p->watch)
    uv_timer_start(&p->tick, on_tick, POOL_TICK_MS, POOL_TICK_MS);
  uv_signal_init(&p->loop, &p->child);
  p->child.data = p;
  uv_signal_start(&p->child, on_child, SIGCHLD);
  for (int i = 0; i < NSIGNALS; i++) {
    uv_signal_init(&p->loop, &p->ending[i]);
    p->ending[i].data = p;
    /* nohup and a shell's background jobs start this process with signals ignored; keep them so. */
    if (!is_ignored(ending_signals[i]))
      uv_signal_start(&p->ending[i], on_ending, ending_signals[i]);
  }
}

size_t pool_run(struct job *jobs, size_t n, unsigned parallel, pool_done *done, void *user) {
  return pool_run_admitted(jobs, n, parallel, NULL, done, user);
}

size_t pool_run_admitted(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit,
                         pool_done *done, void *user) {
  return pool_run_watched(jobs, n, parallel, admit, NULL, done, user);
}

size_t pool_run_watched(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit,
                        pool_tick *watch, pool_done *done, void *user) {
  if (!n)
    return 0;
  struct pool p = {
      .jobs = jobs, .n = n, .admit = admit, .watch = watch, .done = done, .user = user};
  set_up(&p, parallel);
  start_more(&p);
  uv_run(&p.loop, UV_RUN_DEFAULT);
  uv_loop_close(&p.loop);
  free(p.slots);
  if (p.ended_by) {
    if (pool_before_signal)
      pool_before_signal();
    signal(p.ended_by, SIG_DFL);
    raise(p.ended_by);
  }
  return n - p.good;
}
