// runtime_failing.cpp - an application in whose first call of a kernel the N-th request to the system fails,
// for each N.
//
//   runtime_failing LIBRARY KIND KERNELS
//
// KIND: memory (the N-th malloc, calloc or realloc), starved (that and all behind it), calls (the N-th of
// pipe2, fcntl, open, posix_spawn and what prepares it). For each N a process of its own calls value_<N>(5)
// for the first time. The call is right or throws; no descriptor is left; the next call is right. Prints how
// many N there were and each distinct error with how often it came, its numbers as #.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <new>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// ---- failing ----

static long countdown; // 0: nothing fails; 1: the next one does
static bool memory, starved;

static bool fails(bool is_memory) {
  if (!countdown || is_memory != memory)
    return false;
  if (countdown > 1) {
    countdown--;
    return false;
  }
  if (!starved)
    countdown = 0;
  else
    countdown = 1;
  return true;
}

static bool failed_already; // whether the N-th came at all

static bool strike(bool is_memory, int error) {
  if (!fails(is_memory))
    return false;
  failed_already = true;
  errno = error;
  return true;
}

template <class F> static F real(const char *name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

extern "C" {
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n) {
  return strike(true, ENOMEM) ? nullptr : __libc_malloc(n);
}

void *calloc(size_t n, size_t m) {
  return strike(true, ENOMEM) ? nullptr : __libc_calloc(n, m);
}

void *realloc(void *p, size_t n) {
  return strike(true, ENOMEM) ? nullptr : __libc_realloc(p, n);
}

int pipe2(int *ends, int flags) {
  static auto f = real<int (*)(int *, int)>("pipe2");
  return strike(false, EMFILE) ? -1 : f(ends, flags);
}

int fcntl(int fd, int command, ...) {
  static auto f = real<int (*)(int, int, long)>("fcntl");
  va_list ap;
  va_start(ap, command);
  long argument = va_arg(ap, long);
  va_end(ap);
  return strike(false, EMFILE) ? -1 : f(fd, command, argument);
}

int open(const char *path, int flags, ...) {
  static auto f = real<int (*)(const char *, int, unsigned)>("open");
  va_list ap;
  va_start(ap, flags);
  unsigned mode = va_arg(ap, unsigned);
  va_end(ap);
  return strike(false, ENFILE) ? -1 : f(path, flags, mode);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *attr, char *const args[], char *const env[]) {
  static auto f = real<decltype(&posix_spawn)>("posix_spawn");
  return strike(false, EAGAIN) ? EAGAIN : f(pid, path, files, attr, args, env);
}

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *files) {
  static auto f = real<decltype(&posix_spawn_file_actions_init)>("posix_spawn_file_actions_init");
  return strike(false, ENOMEM) ? ENOMEM : f(files);
}

int posix_spawnattr_init(posix_spawnattr_t *attr) {
  static auto f = real<decltype(&posix_spawnattr_init)>("posix_spawnattr_init");
  return strike(false, ENOMEM) ? ENOMEM : f(attr);
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *files, int fd, int to) {
  static auto f = real<decltype(&posix_spawn_file_actions_adddup2)>("posix_spawn_file_actions_adddup2");
  return strike(false, ENOMEM) ? ENOMEM : f(files, fd, to);
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *files, int fd, const char *path, int flags,
                                     mode_t mode) {
  static auto f = real<decltype(&posix_spawn_file_actions_addopen)>("posix_spawn_file_actions_addopen");
  return strike(false, ENOMEM) ? ENOMEM : f(files, fd, path, flags, mode);
}
}

// ---- trying ----

static int descriptors() {
  int n = 0;
  DIR *d = opendir("/proc/self/fd");
  while (d && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n;
}

static void complain(int n, const char *what) {
  fprintf(stderr, "runtime_failing: request %d: %s\n", n, what);
  _exit(1);
}

// In a child: the call of which request N fails, and one more. Writes its error to OUT. Ends with 9 if
// there is no N-th.
[[noreturn]] static void try_one(int n, int kernel, int (*f)(int), int out) {
  alarm(30);
  int before = descriptors(), result = -1;
  bool threw = true;
  static char message[65536];
  failed_already = false;
  try {
    countdown = n;
    result = f(5);
    countdown = 0;
    threw = false;
  } catch (const std::runtime_error &e) {
    countdown = 0;
    strncpy(message, e.what(), sizeof message - 1);
  } catch (const std::bad_alloc &) {
    countdown = 0;
    strcpy(message, "std::bad_alloc");
  }
  if (descriptors() != before)
    complain(n, "the call left a descriptor open");
  if (!threw && result != kernel * 1000 + 5)
    complain(n, "a wrong result");
  if (write(out, message, strlen(message)) < 0)
    complain(n, "no pipe");
  try {
    if (f(6) != kernel * 1000 + 6)
      complain(n, "a wrong result of the next call");
  } catch (const std::runtime_error &e) {
    complain(n, e.what());
  }
  if (!failed_already && threw)
    complain(n, message);
  _exit(failed_already ? 0 : 9);
}

static std::string all_of(int fd) {
  std::string text;
  char bytes[4096];
  for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(n));
  return text;
}

static std::string without_numbers(const std::string &text) {
  std::string out;
  for (char c : text)
    if (c < '0' || c > '9')
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  return out;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int kernels = atoi(argv[3]), n = 1;
  memory = strcmp(argv[2], "calls") != 0;
  starved = strcmp(argv[2], "starved") == 0;
  std::map<std::string, int> errors;
  for (bool more = handle; more; n++) {
    int kernel = n - 1, ends[2], status;
    if (kernel == kernels)
      complain(n, "more requests than kernels");
    std::string name = "_Z6value_ILi" + std::to_string(kernel) + "EEii";
    auto f = reinterpret_cast<int (*)(int)>(dlsym(handle, name.c_str()));
    if (!f || pipe2(ends, O_CLOEXEC))
      complain(n, "no function, or no pipe");
    pid_t pid = fork();
    if (pid == 0)
      try_one(n, kernel, f, ends[1]);
    close(ends[1]);
    std::string message = all_of(ends[0]);
    close(ends[0]);
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
        (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 9))
      complain(n, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "failed");
    more = WEXITSTATUS(status) == 0;
    if (!message.empty())
      errors[without_numbers(message)]++;
  }
  printf("%d requests\n", n - 2);
  for (const auto &[message, times] : errors)
    printf("%d times: %s\n", times, message.c_str());
  return handle ? 0 : 1;
}
