/* doctor_machine.c - this machine: system calls, libc, processors, memory, limits, GPUs.
 *
 * A system call is tried, not looked up by the kernel's version: a container's seccomp filter may
 * refuse it, and old kernels may have it backported. */
#include "abi/ck_jit_access.h"
#include "findings.h"
#include "core/base/budget.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

/* ---- kernel and libc ---- */

/* An unlinked entry is a memfd, sealed against writing (runtime/ck_jit_unlinked.c). */
static int try_memfd(void) {
  int fd = memfd_create("ckjit-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int error = fd < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) < 0 ? errno : 0;
  if (fd >= 0)
    close(fd);
  return error;
}

/* The helper that compiles ahead waits with a pidfd for the end of its job (compile/ahead.c). */
static int try_pidfd(void) {
  int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
  int error = fd < 0 ? errno : 0;
  if (fd >= 0)
    close(fd);
  return error;
}

static int try_proc(void) {
  char self[8];
  return readlink("/proc/self/exe", self, sizeof self) < 0 ? errno : 0;
}

static void look_at_kernel(struct findings *f) {
  struct utsname u;
  const char *release = uname(&u) == 0 ? u.release : "of unknown version";
  int proc = try_proc(), memfd = try_memfd(), pidfd = try_pidfd();
  if (proc)
    found(f, FOUND_ERROR, "kernel",
          "mount /proc: ckjit finds its installation and its processes there",
          "Linux %s, cannot read /proc: %s", release, strerror(proc));
  if (memfd)
    found(f, FOUND_WARNING, "kernel",
          "allow the call in the container's seccomp profile; without it "
          "CK_JIT_DISABLE_FILE_CACHING needs a TMPDIR that is not mounted noexec",
          "Linux %s, memfd_create fails: %s", release, strerror(memfd));
  if (pidfd)
    found(f, FOUND_WARNING, "kernel",
          "allow the call in the container's seccomp profile (Linux 5.3 and later have it); "
          "without it ckjit may take another process with the same number for a job that has ended",
          "Linux %s, pidfd_open fails: %s", release, strerror(pidfd));
  if (!proc && !memfd && !pidfd)
    found_ok(f, "kernel", "Linux %s; /proc, memfd_create and pidfd_open work", release);
}

/* The version of glibc for programs of this machine; NULL if there is none, or it is unknown.
 * free() it. A static program, such as the wheel's, contains another glibc, so it asks getconf,
 * which comes with the machine's. */
static char *libc_version(void) {
  static const char glibc[] = "glibc ";
  if (getauxval(AT_BASE))
    return xstrdup(gnu_get_libc_version());
  char *args[] = {(char *)"getconf", (char *)"GNU_LIBC_VERSION", NULL}, *version = NULL;
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.status == 0 && job.output.len >= sizeof glibc &&
      memcmp(job.output.data, glibc, sizeof glibc - 1) == 0)
    version = xstrndup(job.output.data + sizeof glibc - 1,
                       strcspn(job.output.data + sizeof glibc - 1, "\n"));
  buf_free(&job.output);
  return version;
}

static void look_at_libc(struct findings *f) {
  autofree char *version = libc_version();
  char *dot = version ? strchr(version, '.') : NULL;
  long number =
      version ? 1000 * strtol(version, NULL, 10) + (dot ? strtol(dot + 1, NULL, 10) : 0) : 0;
  if (!version)
    found(f, FOUND_WARNING, "libc",
          "build and run libraries with lazy kernels on a machine with glibc",
          "no glibc found (getconf GNU_LIBC_VERSION)");
  else if (number < 2034)
    found(f, FOUND_WARNING, "libc",
          "open a job's files with O_CLOEXEC: before glibc 2.34 the compilers that it "
          "starts inherit its descriptors",
          "glibc %s", version);
  else
    found_ok(f, "libc", "glibc %s", version);
}

/* ---- processors, memory, limits ---- */

static void look_at_memory(struct findings *f) {
  uint64_t free_now = memory_free(), job = 0;
  char *err = NULL;
  const char *set = env_get("CK_JIT_JOB_MEMORY");
  if (!number_size("CK_JIT_JOB_MEMORY", set ? set : JOBS_MEMORY, 1000 * 1000, &job, &err)) {
    found(f, FOUND_ERROR, "memory", "unset it, or set it to a size such as 3G", "%s", err);
    return;
  }
  if (free_now == UINT64_MAX) {
    found(f, FOUND_WARNING, "memory",
          "pass --jobs: without it, memory does not limit the number of compilers",
          "free memory is unknown: cannot read /proc/meminfo");
    return;
  }
  autofree char *size = human_size(free_now), *each = human_size(job);
  if (free_now < job)
    found(f, FOUND_WARNING, "memory",
          xasprintf("free some, or lower CK_JIT_JOB_MEMORY: a compile is assumed to need %s, so "
                    "only one runs at a time, and it may be killed",
                    each),
          "%s free, in this machine or control group", size);
  else if (job)
    found_ok(f, "memory", "%s free, enough for %llu %s of %s at a time", size,
             (unsigned long long)(free_now / job), noun(free_now / job, "compile", "compiles"),
             each);
  else
    found_ok(f, "memory", "%s free, not taken into account (CK_JIT_JOB_MEMORY=0)", size);
}

/* The soft limit of RESOURCE if it is below LEAST, else 0. */
static uint64_t limited(int resource, uint64_t least) {
  struct rlimit l;
  return getrlimit((__rlimit_resource_t)resource, &l) == 0 && l.rlim_cur != RLIM_INFINITY &&
                 l.rlim_cur < least
             ? (uint64_t)l.rlim_cur
             : 0;
}

static void look_at_limits(struct findings *f) {
  enum { FILES = 256 };
  const uint64_t gigabyte = 1000 * 1000 * 1000;
  uint64_t files = limited(RLIMIT_NOFILE, FILES), space = limited(RLIMIT_AS, 16 * gigabyte),
           size = limited(RLIMIT_FSIZE, gigabyte);
  autofree char *space_said = human_size(space), *size_said = human_size(size);
  if (files)
    found(f, FOUND_WARNING, "limits",
          "raise the limit to 1024: compilers, and jobs that load many kernels, need more",
          "%llu open %s (ulimit -n)", (unsigned long long)files, noun(files, "file", "files"));
  if (space)
    found(f, FOUND_WARNING, "limits",
          "raise the limit: compilers inherit it, and map more memory than they use",
          "%s of address space (ulimit -v)", space_said);
  if (size)
    found(f, FOUND_WARNING, "limits",
          "raise the limit: larger kernels and temporary files of compilers cannot be written",
          "files of at most %s (ulimit -f)", size_said);
  if (!files && !space && !size)
    found_ok(f, "limits", "open files, address space and file size are sufficient");
}

/* ---- GPUs ---- */

static void look_at_amd(struct findings *f) {
  char archs[CKJIT_ARCHS_SIZE];
  const char *root = env_get("CK_JIT_KFD_ROOT");
  ckjit_arch_present(archs);
  /* A test's machine has no device. */
  bool usable = root || ckjit_may("/dev/kfd", R_OK | W_OK);
  if (*archs && usable)
    found_ok(f, "gpu amd", "%s", archs);
  else if (*archs)
    found(f, FOUND_ERROR, "gpu amd",
          "add the user to the groups of /dev/kfd and /dev/dri (render, video), or pass "
          "these devices to the container",
          "%s, but /dev/kfd: %s", archs, strerror(errno));
  else
    found_ok(f, "gpu amd", "none; to compile for a GPU elsewhere, set CK_JIT_ARCH or pass --arch");
}

static void look_at_nvidia(struct findings *f) {
  enum { MOST = 64 };
  unsigned caps[MOST];
  bool device = file_exists("/dev/nvidiactl");
  size_t n = ckjit_cuda_capabilities(caps, MOST);
  autofree_buf list = {0};
  for (size_t i = 0; i < n; i++)
    buf_printf(&list, "%ssm_%u", i ? " " : "", caps[i]);
  if (n)
    found_ok(f, "gpu nvidia", "%s", list.data);
  else if (device)
    found(f, FOUND_WARNING, "gpu nvidia",
          "install nvidia-smi, or pass --arch: ckjit asks nvidia-smi for the GPUs "
          "(libraries ask the driver)",
          "a driver is installed, but nvidia-smi does not list its GPUs");
  else
    found_ok(f, "gpu nvidia",
             "none; to compile for a GPU elsewhere, set CK_JIT_ARCH or pass --arch");
}

static void look_at_processors(struct findings *f) {
  unsigned usable = ckjit_processors(), jobs = ckjit_jobs();
  found_ok(f, "processors", "%u available to this process%s; ckjit starts at most %u %s at once",
           usable, usable < ckjit_affinity() ? ", by the CPU quota of its control group" : "", jobs,
           noun(jobs, "compiler", "compilers"));
}

void doctor_machine(struct findings *f) {
  look_at_kernel(f);
  look_at_libc(f);
  look_at_processors(f);
  look_at_memory(f);
  look_at_limits(f);
  look_at_amd(f);
  look_at_nvidia(f);
}
