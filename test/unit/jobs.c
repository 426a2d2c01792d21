/* jobs.c - how many compilers run at once: variables, affinity, quotas and limits of control groups, all below a directory of the
 * test's own. */
// tier: check
#include "check.h"
#include "core/base/jobs.h"
#include "core/base/path.h"

#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/ckjit-jobs.XXXXXX";

static void put(const char *file, const char *text) {
  char *path = xasprintf("%s/%s", root, file), *dir = path_dir(path);
  CHECK(dir_make(dir) && file_put(path, text, strlen(text), 0600), "%s", file);
  free(dir);
  free(path);
}

static void group(const char *file, const char *text) {
  char *below = xasprintf("sys/fs/cgroup/%s", file);
  put(below, text);
  free(below);
}

static void no_groups(const char *own) {
  char *path = xasprintf("%s/sys", root);
  dir_remove(path);
  free(path);
  put("proc/self/cgroup", own);
}

static uint64_t own_quota(void) {
  struct ckjit_cgroup g;
  ckjit_cgroup_own(&g, "cpu");
  return ckjit_quota_of(&g);
}

static void quotas(void) {
  static const struct {
    const char *text;
    uint64_t processors;
  } all[] = {{"800000 100000\n", 8}, {"250000 100000\n", 3},
             {"100000 100000\n", 1}, {"50000 100000\n", 1},
             {"1 1000000\n", 1},     {"max 100000\n", 0},
             {"max\n", 0},           {"", 0},
             {"100000\n", 0},        {"100000 0\n", 0},
             {"-1 100000\n", 0},     {"rubbish\n", 0},
             {"0 100000\n", 0},      {"99999999999999999999 100000\n", 0}};
  no_groups("0::/slice/pod\n");
  CHECK(own_quota() == 0, "no file");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    group("slice/pod/cpu.max", all[i].text);
    CHECK(own_quota() == all[i].processors, "'%s': %llu", all[i].text, (unsigned long long)own_quota());
  }
  no_groups("5:cpuacct:/other\n4:cpu,cpuset:/pod\n0::/slice\n");
  group("cpu/pod/cpu.cfs_period_us", "100000\n");
  group("cpu/pod/cpu.cfs_quota_us", "-1\n");
  CHECK(own_quota() == 0, "version 1, no quota");
  group("cpu/pod/cpu.cfs_quota_us", "150000\n");
  CHECK(own_quota() == 2, "version 1");
}

/* The whole path counts, and the top of it where the names are the host's. */
static void nested(void) {
  unsigned all = ckjit_affinity();
  no_groups("0::/slice/pod\n");
  CHECK(ckjit_processors() == all, "no group");
  group("slice/cpu.max", "100000 100000\n");
  group("slice/pod/cpu.max", "9900000 100000\n");
  CHECK(ckjit_processors() == 1, "the group above has less");
  group("slice/cpu.max", "9900000 100000\n");
  CHECK(ckjit_processors() == all, "more than there are");
  group("cpu.max", "100000 100000\n");
  CHECK(ckjit_processors() == 1, "the top");
  no_groups("0::/name/of/the/host\n");
  group("cpu.max", "50000 100000\n");
  CHECK(ckjit_processors() == 1, "the host's names");
  no_groups("rubbish");
  CHECK(ckjit_processors() == all, "no control groups");
}

static void variables(void) {
  const char *wrong;
  no_groups("0::/\n");
  group("cpu.max", "100000 100000\n");
  CHECK(ckjit_jobs() == 1 && jobs_set() == 0, "the quota");
  setenv("MAX_JOBS", "7", 1);
  CHECK(ckjit_jobs() == 7 && jobs_unwatched() == 7 && jobs_set() == 7, "MAX_JOBS");
  setenv("CK_JIT_JOBS", "5", 1);
  CHECK(ckjit_jobs() == 5 && jobs_unwatched() == 5 && jobs_set() == 5, "CK_JIT_JOBS before MAX_JOBS");
  setenv("CK_JIT_JOBS", "many", 1);
  CHECK(ckjit_jobs_set(&wrong) == 0 && wrong && strcmp(wrong, "many") == 0, "not a number");
  CHECK(ckjit_jobs() == 1, "not a number");
  unsetenv("CK_JIT_JOBS");
  static const char *const other[] = {"", "0", "-1", "auto", "70000"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    setenv("MAX_JOBS", other[i], 1);
    CHECK(ckjit_jobs_set(&wrong) == 0 && !wrong && ckjit_jobs() == 1, "MAX_JOBS=%s", other[i]);
  }
  unsetenv("MAX_JOBS");
}

static void memory(void) {
  unsigned all = ckjit_affinity();
  no_groups("0::/pod\n");
  CHECK(jobs_unwatched() == all, "no limit");
  group("pod/memory.max", "max\n");
  CHECK(jobs_unwatched() == all, "max");
  group("memory.max", "3221225472\n");
  CHECK(jobs_unwatched() == 1, "3 GiB above it");
  CHECK(ckjit_jobs() == all, "a program that watches memory");
  setenv("CK_JIT_JOB_MEMORY", "9G", 1);
  CHECK(jobs_unwatched() == 1, "less than one");
  setenv("CK_JIT_JOB_MEMORY", "1M", 1);
  CHECK(jobs_unwatched() == all, "a small compile");
  setenv("CK_JIT_JOB_MEMORY", "0", 1);
  CHECK(jobs_unwatched() == all, "memory is ignored");
  unsetenv("CK_JIT_JOB_MEMORY");
  no_groups("3:memory:/pod\n0::/\n");
  group("memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(jobs_unwatched() == all, "version 1, no limit");
  group("memory/pod/memory.limit_in_bytes", "2147483648\n");
  CHECK(jobs_unwatched() == 1, "version 1");
}

int main(void) {
  CHECK(mkdtemp(root), "mkdtemp");
  setenv("CK_JIT_MEMORY_ROOT", root, 1);
  unsetenv("MAX_JOBS");
  unsetenv("CK_JIT_JOBS");
  unsetenv("CK_JIT_JOB_MEMORY");
  quotas();
  nested();
  variables();
  memory();
  dir_remove(root);
  return bad;
}
