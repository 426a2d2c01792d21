/* shard.c - this task's part of the blobs, if several machines share the work.
 *
 * Every task computes the partition by itself, without communication, and all must get the same
 * one. So it depends only on the set of requested blobs, the number of shards, and a time for each
 * blob in whole milliseconds: the one from the --times file, else an estimate from its source. It
 * does not depend on the order of a list, nor on this machine's GPUs, nor on the contents of the
 * cache or the times recorded in it, which both change while other tasks run. A digest of the
 * partition is printed, so that users can check that all tasks agree.
 *
 * Blobs are assigned longest first, each to the shard with the least work so far. Blobs with the
 * same expected time are ordered by a hash of their stems: alphabetical neighbours differ in the
 * same trait again and again (…_dropout, …_ndropout), and in that order the slow ones would go to
 * the same shard each time.
 */
#include "shard.h"
#include "prebuild.h"
#include "abi/ck_jit_number.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/times.h"

#include <sys/stat.h>

enum { SHARDS_MAX = 100000 };

/* ---- the number of the shard ---- */

struct shard {
  unsigned index, count; /* from 0; count 0: not given */
  char *said;
};

/* The variables in which a scheduler passes a process its task number and the number of tasks.
 * FIRST: the first task number, 0 if unset; STEP: between two task numbers, 1 if unset; LAST: the
 * last task number. */
static const struct scheduler {
  const char *index, *count, *first, *step, *last, *hint;
} schedulers[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_MAX", "the number of tasks of the array"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, NULL, "the number of processes"},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL, "the Job's .spec.completions"},
};
enum { NSCHEDULERS = sizeof schedulers / sizeof *schedulers };

#define ANY_SCHEDULER "SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK or JOB_COMPLETION_INDEX"

static const char *variable(const char *name) {
  const char *value = name ? secure_getenv(name) : NULL;
  return value && *value ? value : NULL;
}

/* Parse a whole number, at most 2^31. */
static bool read_number(const char *text, size_t n, unsigned long *value) {
  uint64_t v;
  bool is = ckjit_number(text, n, &v) && v <= 1ul << 31;
  if (is)
    *value = v;
  return is;
}

/* The value of NAME; BY_DEFAULT if it is unset. */
static unsigned long number_of(const char *name, unsigned long by_default) {
  const char *text = variable(name);
  unsigned long value = by_default;
  if (text && !read_number(text, strlen(text), &value))
    die(EXIT_USAGE, "%s='%s': expected a whole number; --shard I/N says which shard this is", name,
        text);
  return value;
}

static unsigned check_count(const char *said, const char *value, unsigned long n) {
  if (n < 1 || n > SHARDS_MAX)
    die(EXIT_USAGE, "%s %s: expected from 1 to %d shards", said, value, SHARDS_MAX);
  return (unsigned)n;
}

/* The shard from scheduler C; COUNT is the number of shards given by the user, 0 if none. */
static struct shard ask(const struct scheduler *c, unsigned count) {
  unsigned long id = number_of(c->index, 0), n = c->count ? number_of(c->count, 0) : 0;
  unsigned long first = c->first ? number_of(c->first, 0) : 0,
                step = c->step ? number_of(c->step, 1) : 1;
  unsigned long last = c->last ? number_of(c->last, first + (n - 1) * step) : 0;
  if (variable(c->count))
    check_count(c->count, variable(c->count), n);
  if (!n && !count)
    die(EXIT_USAGE,
        "%s=%lu gives this shard's number, but not how many shards there are; pass "
        "CK_JIT_SHARD=auto/N or --shard auto/N, N being %s; --shard 0/1 builds everything",
        c->index, id, c->hint);
  if (n && count && n != count)
    die(EXIT_USAGE, "auto/%u: %s gives %lu tasks; pass --shard I/N", count, c->count, n);
  n = n ? n : count;
  if (!step || (c->last && variable(c->last) && last != first + (n - 1) * step))
    die(EXIT_USAGE,
        "%s=%lu: the array's %lu tasks from %lu to %lu are not evenly spaced, so the shard "
        "is unknown; pass --shard I/N, or number the tasks 0-%lu",
        c->index, id, n, first, last, n - 1);
  if (id < first || (id - first) % step || (id - first) / step >= n)
    die(EXIT_USAGE,
        "%s=%lu: expected one of %lu tasks from %lu on%s; pass --shard I/N, with I from 0 to %lu",
        c->index, id, n, first, step == 1 ? "" : ", by their step", n - 1);
  return (struct shard){
      .index = (unsigned)((id - first) / step), .count = (unsigned)n, .said = xstrdup(c->index)};
}

/* The shard from the schedulers' variables. Several may be set (an array of MPI jobs); they must
 * agree, or all but one must be 0/1. */
static bool ask_all(struct shard *s, unsigned count) {
  bool found = false;
  for (int i = 0; i < NSCHEDULERS; i++) {
    if (!variable(schedulers[i].index))
      continue;
    struct shard other = ask(&schedulers[i], count);
    if (!found || s->count == 1) {
      if (found)
        free(s->said);
      *s = other;
    } else if (other.count == 1 || (other.count == s->count && other.index == s->index)) {
      free(other.said);
    } else {
      die(EXIT_USAGE, "%s gives shard %u/%u and %s gives shard %u/%u; choose one with --shard I/N",
          s->said, s->index, s->count, other.said, other.index, other.count);
    }
    found = true;
  }
  return found;
}

/* Parse "I/N", "auto" or "auto/N"; SAID is the option or variable that it comes from. */
static void read_shard(struct shard *s, const char *said, const char *value) {
  const char *slash = strchr(value, '/');
  unsigned long index, count = 0;
  bool automatic = strncmp(value, "auto", 4) == 0 && (value[4] == '/' || !value[4]);
  size_t n = slash ? (size_t)(slash - value) : strlen(value);
  if ((slash && !read_number(slash + 1, strlen(slash + 1), &count)) ||
      (!automatic && (!slash || !read_number(value, n, &index))))
    die(EXIT_USAGE, "%s: expected I/N, auto or auto/N, found '%s'; 0/4 is the first of four shards",
        said, value);
  if (slash)
    check_count(said, value, count);
  if (automatic) {
    if (!ask_all(s, (unsigned)count))
      die(EXIT_USAGE, "%s %s: none of " ANY_SCHEDULER " is set; pass %s I/N", said, value, said);
    return;
  }
  if (index >= count)
    die(EXIT_USAGE, "%s %s: shards count from 0, so I is from 0 to %lu", said, value, count - 1);
  *s = (struct shard){.index = (unsigned)index, .count = (unsigned)count, .said = xstrdup(said)};
}

void shard_options(struct request *r) {
  bool build = strcmp(r->command, "build") == 0, list = strcmp(r->command, "list") == 0;
  /* list shards only with --shard: scripts and completions call it for all stems. */
  const char *from_user = build ? env_get("CK_JIT_SHARD") : NULL;
  struct shard s = {0};
  if (r->shard_given)
    read_shard(&s, "--shard", r->shard_given);
  else if (from_user)
    read_shard(&s, "CK_JIT_SHARD", from_user);
  else if (build)
    ask_all(&s, 0);
  r->shard = s.index;
  r->shards = s.count;
  r->shard_said = s.said;
  if (list && (r->shards || r->times) && !r->lists && !r->names.n && !r->matrix)
    r->all = true;
}

/* ---- the expected times ---- */

/* A blob of the partition. */
struct share {
  const struct manifest_blob *blob;
  uint64_t ms, hash;
  bool recorded;
  unsigned shard;
};

/* An estimate without a unit, to compare kernels of one build with each other. */
static uint64_t estimate(const struct request *r, const struct manifest_blob *blob) {
  autofree char *source = manifest_expand(blob->source, r->root);
  struct stat st = {0};
  if (stat(source, &st) && r->shards)
    die(EXIT_FAILED,
        "%s: its source cannot be read: %s: %s [ckjit help no-source]\nwithout it this task "
        "would divide the blobs differently from the others; --times FILE with a time for "
        "each blob needs no sources",
        blob->stem, source, strerror(errno));
  return (uint64_t)st.st_size + 1;
}

static int by_stem(const void *a, const void *b) {
  return strcmp(((const struct share *)a)->blob->stem, ((const struct share *)b)->blob->stem);
}

static int longest_first(const void *a, const void *b) {
  const struct share *x = a, *y = b;
  if (x->ms != y->ms)
    return x->ms < y->ms ? 1 : -1;
  return x->hash != y->hash ? (x->hash > y->hash ? 1 : -1) : by_stem(a, b);
}

/* The cache's own times change while other tasks compile. */
static void refuse_own_times(const struct request *r) {
  autofree char *own = path_join(r->cache, TIMES_FILE);
  struct stat a, b;
  if (stat(own, &a) == 0 && stat(r->times, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    die(EXIT_USAGE,
        "--times %s: it changes with every compile, so each task would divide the blobs "
        "differently; `ckjit times >FILE` makes a copy that stays the same",
        r->times);
}

/* The times in the cache of R, if no other task has to agree. */
static void read_own_times(const struct request *r, struct times *own) {
  autofree char *file = path_join(r->cache, TIMES_FILE);
  char *err;
  if (file_exists(file) && !times_read(own, file, TIMES_LAST, &err))
    warn("%s", err);
}

/* Set the times: recorded ones unchanged, estimates scaled to match. Integers only, since every
 * machine must get the same result. */
static void set_times(const struct request *r, struct share *all) {
  const char *file = r->times;
  struct times times = {0}, own = {0};
  char *err;
  if (!r->shards && strcmp(r->command, "list") != 0)
    read_own_times(r, &own);
  if (file)
    refuse_own_times(r);
  if (file && !times_read(&times, file, TIMES_LARGEST, &err))
    die(EXIT_FAILED, "--times %s", err);
  uint64_t known = 0, estimated = 0;
  autofree uint64_t *estimates = xcalloc(r->nblobs, sizeof *estimates);
  size_t unknown = 0;
  for (size_t i = 0; i < r->nblobs; i++) {
    const char *stem = all[i].blob->stem;
    all[i].recorded = times_find(&times, stem, &all[i].ms) || times_find(&own, stem, &all[i].ms);
    unknown += !all[i].recorded;
  }
  for (size_t i = 0; unknown && i < r->nblobs; i++) {
    estimates[i] = estimate(r, all[i].blob);
    known += all[i].recorded ? all[i].ms : 0;
    estimated += all[i].recorded ? estimates[i] : 0;
  }
  for (size_t i = 0; i < r->nblobs; i++)
    if (!all[i].recorded)
      all[i].ms = estimated && known
                      ? (uint64_t)((unsigned __int128)estimates[i] * known / estimated)
                      : estimates[i];
  if (file && !times.n)
    warn("--times %s: it holds no times; expected the output of `ckjit times`", file);
  else if (file && unknown == r->nblobs && r->nblobs)
    warn("--times %s: it has no time of a requested blob; it lists other kernels", file);
  for (size_t i = 0; i < r->nblobs; i++)
    all[i].ms += !all[i].ms; /* with time 0 they would all go to one shard */
}

/* ---- the partition ---- */

/* Assign each of ALL, longest first, to the shard with the least work. Returns the work of each;
 * free() it. */
static uint64_t *divide(struct share *all, size_t n, unsigned count) {
  uint64_t *load = xcalloc(count, sizeof *load);
  for (size_t i = 0; i < n; i++) {
    unsigned least = 0;
    for (unsigned k = 1; k < count; k++)
      if (load[k] < load[least])
        least = k;
    all[i].shard = least;
    load[least] += all[i].ms;
  }
  return load;
}

/* A digest of the whole partition, the same in every shard. ALL is sorted. */
static uint64_t digest(const struct share *all, size_t n, unsigned count) {
  autofree_buf text = {0};
  buf_printf(&text, "%u\n", count);
  for (size_t i = 0; i < n; i++)
    buf_printf(&text, "%u %s\n", all[i].shard, all[i].blob->stem);
  return ckjit_fnv1a(text.data, text.len);
}

static void tell_share(const struct request *r, const uint64_t *load, size_t all,
                       uint64_t partition) {
  unsigned __int128 sum = 0;
  for (unsigned k = 0; k < r->shards; k++)
    sum += load[k];
  printf("shard %u/%u (%s): %zu of %zu %s, %.1f%% of the time by %s; partition %016llx\n", r->shard,
         r->shards, r->shard_said, r->nblobs, all, noun(all, "blob", "blobs"),
         sum ? 100.0 * (double)load[r->shard] / (double)sum : 0.0, r->times ? r->times : "estimate",
         (unsigned long long)partition);
  fflush(stdout);
}

void shard_blobs(struct request *r) {
  size_t n = r->nblobs;
  unsigned count = r->shards ? r->shards : 1;
  autofree struct share *all = xcalloc(n, sizeof *all);
  for (size_t i = 0; i < n; i++) {
    const char *stem = r->blobs[i]->stem;
    all[i] = (struct share){.blob = r->blobs[i], .hash = ckjit_fnv1a(stem, strlen(stem))};
  }
  set_times(r, all);
  if (n)
    qsort(all, n, sizeof *all, longest_first);
  autofree uint64_t *load = divide(all, n, count);
  r->ms = xcalloc(n, sizeof *r->ms);
  r->nblobs = 0;
  for (size_t i = 0; i < n; i++)
    if (all[i].shard == r->shard) {
      r->ms[r->nblobs] = all[i].ms;
      r->blobs[r->nblobs++] = all[i].blob;
    }
  if (r->shards && strcmp(r->command, "list") != 0)
    tell_share(r, load, n, digest(all, n, count));
}
