// runtime_hostile.cpp - an application that makes its first call of a kernel in a hostile state.
//
//   runtime_hostile LIBRARY MODE [ARGUMENT…]
//
// value_<N> of LIBRARY is called by number. Around each call that is not from several threads, all that the
// call must leave alone is compared: descriptors, signal mask and handlers, environment, directory, umask,
// errno, number of threads and children. Prints results, a line each, or "error: …" and ends with status 3.
//
//   value N X              value_<N>(X), nothing hostile
//   secure                 whether this is a set-user-ID process, 1 or 0
//   ignored N X            SIGCHLD is ignored
//   reaped N X             a thread reaps every child
//   blocked N X            all signals are blocked
//   closed BITS N X        standard streams are closed, a bit each; a thread writes to them meanwhile
//   chdir DIR N X          the directory is changed after load
//   after COMMAND N X      COMMAND, of a shell, is run after load
//   seteuid ID N X         the effective user and group are ID after load; the real ones stay
//   stack BYTES N X        in a thread with so small a stack
//   threads COUNT KERNELS  COUNT threads call all of KERNELS kernels at once; prints the sum of the results
//   errors COUNT N [HOLD]  COUNT threads call value_<N>; prints each distinct error and how many had it. The file
//                          HOLD is removed when all of them are in the call
//   fork N                 fork before the first call, and after it
//   forking N              eight forks while a thread is in the first call of value_<N>
//   storm KERNELS          forks all the time, while eight threads call KERNELS kernels for the first time
//   children N X           vfork and posix_spawn beside a first call; their ends are still the host's to see
//   reload TIMES N X [FILE]   dlopen, call, dlclose, fork; FILE is removed each time
//   flags NAME… - N X…     dlopen with these RTLD_ flags, then value_<N>(X) of LIBRARY, N X N X…
//   beside OTHER COUNT N   COUNT threads call value_<N>(0) of LIBRARY and of OTHER at once, both loaded RTLD_GLOBAL
//   constructor OTHER [N]  OTHER, whose constructor calls kernels, is loaded while a thread is in its first call of N
//   descriptors FREE N X   with FREE descriptors left, then with enough of them
//   nproc N X              no further process is allowed, then one is
//   stampede GO OUT KERNELS THREADS SEED   waits for file GO; THREADS threads call value_<0>, then all others, each in an
//                          order of its own; waits go to OUT, errors of value_<0> to standard output. When all threads are in
//                          the call of value_<0>, it says "in the first call"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static const char *library;
static void *loaded;

[[noreturn]] static void fail(const std::string &what) {
  dprintf(2, "runtime_hostile: %s\n", what.c_str());
  _exit(1);
}

static void load(int flags) {
  loaded = dlopen(library, flags);
  if (!loaded)
    fail(dlerror());
}

static int value_of(void *handle, int n, int x) {
  char name[64];
  snprintf(name, sizeof name, "_Z6value_ILi%dEEii", n);
  auto f = reinterpret_cast<int (*)(int)>(dlsym(handle, name));
  return f ? f(x) : -1;
}

static int value(int n, int x) {
  return value_of(loaded, n, x);
}

// ---- what a call must leave alone ----

static std::vector<std::string> names_in(const char *dir) {
  std::vector<std::string> names;
  DIR *d = opendir(dir);
  std::string own = d ? std::to_string(dirfd(d)) : "";
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.' && own != e->d_name)
      names.push_back(e->d_name);
  if (d)
    closedir(d);
  std::sort(names.begin(), names.end());
  return names;
}

static std::map<std::string, std::string> host_state() {
  std::map<std::string, std::string> state;
  char text[4096];
  for (const auto &fd : names_in("/proc/self/fd")) {
    ssize_t n = readlink(("/proc/self/fd/" + fd).c_str(), text, sizeof text);
    state["descriptor " + fd] = std::string(text, n > 0 ? static_cast<size_t>(n) : 0);
  }
  sigset_t mask;
  sigemptyset(&mask);
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  for (int i = 1; i < 65; i++) {
    struct sigaction act;
    state["signal mask"] += sigismember(&mask, i) ? '1' : '0';
    if (sigaction(i, nullptr, &act) == 0)
      state["signal handlers"] += std::to_string(reinterpret_cast<uintptr_t>(act.sa_handler)) + " ";
  }
  for (char **e = environ; e && *e; e++)
    state["environment"] += std::string(*e) + "\n";
  state["threads"] = std::to_string(names_in("/proc/self/task").size());
  state["directory"] = getcwd(text, sizeof text) ? text : "none";
  mode_t mode = umask(0);
  umask(mode);
  state["umask"] = std::to_string(mode);
  siginfo_t child;
  state["children"] = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) < 0 ? "none" : "some";
  return state;
}

static void compare(const std::map<std::string, std::string> &before,
                    const std::map<std::string, std::string> &after) {
  for (const auto &[what, was] : before)
    if (!after.count(what) || after.at(what) != was)
      fail("the call changed: " + what);
  for (const auto &[what, is] : after)
    if (!before.count(what))
      fail("the call left behind: " + what + ": " + is);
}

static int checked(int n, int x) {
  auto before = host_state();
  errno = EXDEV;
  int result = value(n, x), e = errno;
  if (e != EXDEV)
    fail("the call changed errno");
  compare(before, host_state());
  return result;
}

// ---- threads ----

template <class F> static void in_threads(int count, F f) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++)
    threads.emplace_back([&, i] {
      ready++;
      while (ready < count)
        std::this_thread::yield();
      f(i);
    });
  for (auto &t : threads)
    t.join();
}

// what another thread of the host does, again and again, until the object goes
class meanwhile {
  std::atomic<bool> over{false};
  std::thread thread;

public:
  template <class F>
  explicit meanwhile(F f)
      : thread([this, f] {
          while (!over)
            f();
        }) {}
  ~meanwhile() {
    over = true;
    thread.join();
  }
};

// until every thread of this process but the caller, COUNT with it, sleeps: whoever is not in the call yet would run.
// Whether it came to that; it does not if it is over before
static bool all_wait(int count, const std::atomic<bool> &over) {
  for (int seen = 0; seen < 3 && !over;) {
    int asleep = 0;
    auto tasks = names_in("/proc/self/task");
    for (const auto &task : tasks) {
      std::ifstream stat("/proc/self/task/" + task + "/stat");
      std::string text;
      std::getline(stat, text);
      asleep += text.find(") S ") != std::string::npos;
    }
    seen = static_cast<int>(tasks.size()) >= count && asleep == static_cast<int>(tasks.size()) - 1 ? seen + 1
                                                                                                   : 0;
    usleep(20000);
  }
  return !over;
}

// until the compile of value_<N> has begun: the log of the library's compiler says so
static void started(int n) {
  std::string file = library, line, wanted = "start k" + std::to_string(n) + " ";
  file.resize(file.rfind('/'));
  for (;; usleep(10000)) {
    std::ifstream log(file + "/log");
    while (std::getline(log, line))
      if (line.compare(0, wanted.size(), wanted) == 0)
        return;
  }
}

static void threads(int count, int kernels) {
  std::atomic<long> sum{0};
  in_threads(count, [&](int i) {
    for (int k = 0; k < kernels; k++)
      sum += value((i + k) % kernels, 0);
  });
  printf("%ld\n", sum.load());
}

static void errors(int count, int n, const char *hold) {
  std::atomic<bool> over{!hold};
  std::thread releaser([&] {
    if (all_wait(count + 2, over))
      unlink(hold);
  });
  std::mutex mutex;
  std::map<std::string, int> messages;
  in_threads(count, [&](int) {
    std::string message = "none";
    try {
      value(n, 0);
    } catch (const std::runtime_error &e) {
      message = e.what();
    }
    std::lock_guard<std::mutex> guard(mutex);
    messages[message]++;
  });
  over = true;
  releaser.join();
  for (const auto &[message, times] : messages)
    printf("%d times: %s\n", times, message.c_str());
}

static int with_stack(size_t bytes, int n, int x) {
  struct job {
    int n, x, result;
    std::string error;
  } job = {n, x, 0, ""};
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  if (pthread_attr_setstacksize(&attr, bytes) || pthread_create(
                                                     &thread, &attr,
                                                     [](void *p) -> void * {
                                                       auto *j = static_cast<struct job *>(p);
                                                       try {
                                                         j->result = value(j->n, j->x);
                                                       } catch (const std::runtime_error &e) {
                                                         j->error = e.what();
                                                       }
                                                       return nullptr;
                                                     },
                                                     &job))
    fail("no thread with such a stack");
  pthread_join(thread, nullptr);
  if (!job.error.empty())
    throw std::runtime_error(job.error);
  return job.result;
}

// ---- signals and streams ----

static int with_reaper(int n, int x) {
  meanwhile reaper([] {
    waitpid(-1, nullptr, 0);
    usleep(200);
  });
  return checked(n, x);
}

static int with_signals_blocked(int n, int x) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  return checked(n, x);
}

static void with_streams_closed(int bits, int n, int x) {
  int out = fcntl(1, F_DUPFD_CLOEXEC, 100);
  for (int fd = 0; fd < 3; fd++)
    if (bits >> fd & 1)
      close(fd);
  meanwhile logger([bits] { // a host that does not know that its streams are gone
    for (int fd = 0; fd < 3; fd++)
      if (bits >> fd & 1 && write(fd, "garbage\n", 8) > 0)
        continue;
    usleep(100);
  });
  try {
    dprintf(out, "%d\n", checked(n, x));
  } catch (const std::runtime_error &e) {
    dprintf(out, "error: %s\n", e.what());
  }
}

// ---- processes ----

static void child_prints(const std::function<int()> &f) {
  pid_t pid = fork();
  if (pid == 0) {
    alarm(1800); // a child that waits for a lock of the parent would wait for ever
    int result = -1;
    try {
      result = f();
    } catch (const std::runtime_error &e) {
      dprintf(1, "error: %s\n", e.what());
    }
    dprintf(1, "%d\n", result);
    _exit(0);
  }
}

static void children_end() {
  for (int status; waitpid(-1, &status, 0) > 0;)
    if (status)
      fail("a child ended with wait status " + std::to_string(status));
}

static void forks(int n) {
  child_prints([&] { return checked(n, 1); });
  dprintf(1, "%d\n", value(n, 2)); // at the same time
  children_end();
  child_prints([&] { return checked(n, 3) + checked(n + 1, 0); });
  children_end();
  dprintf(1, "%d\n", checked(n + 1, 4));
}

static void forks_while_compiling(int n) {
  std::thread busy([&] { dprintf(1, "%d\n", value(n, 0)); });
  started(n);
  for (int i = 1; i <= 8; i++)
    child_prints([&] { return i % 2 ? value(n, i) : value(n + 1, i); });
  busy.join();
  children_end();
}

static void fork_storm(int kernels) {
  int forked = 0;
  {
    meanwhile forker([&] {
      int k = forked++ % kernels, status;
      pid_t pid = fork();
      if (pid == 0) {
        alarm(1800);
        _exit(value(k, 0) == k * 1000 ? 0 : 1);
      }
      if (waitpid(pid, &status, 0) != pid || status)
        fail("a child ended with wait status " + std::to_string(status));
    });
    threads(8, kernels);
  }
  fprintf(stderr, "%d forks\n", forked);
}

static int beside_children(int n, int x) {
  static const char *const sleeper[] = {"/bin/sh", "-c", "sleep 0.2; exit 7", nullptr};
  pid_t spawned, forked = vfork();
  if (forked == 0) {
    execv(sleeper[0], const_cast<char **>(sleeper));
    _exit(127);
  }
  if (posix_spawn(&spawned, sleeper[0], nullptr, nullptr, const_cast<char **>(sleeper), environ))
    fail("posix_spawn");
  int result, status;
  {
    meanwhile spawner([] { // each of them has to find its own end
      pid_t pid;
      int end;
      static const char *const quick[] = {"/bin/true", nullptr};
      if (posix_spawn(&pid, quick[0], nullptr, nullptr, const_cast<char **>(quick), environ) ||
          waitpid(pid, &end, 0) != pid || end)
        fail("a child of the host was lost");
    });
    result = value(n, x);
  }
  for (pid_t pid : {forked, spawned})
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
      fail("a child of the host was reaped by the call");
  if (waitpid(-1, &status, WNOHANG) != -1)
    fail("the call left a child behind");
  return result;
}

// ---- loading ----

static void reload(int times, int n, int x, const char *file) {
  for (int i = 0; i < times; i++) {
    load(RTLD_NOW | RTLD_LOCAL);
    printf("%d\n", checked(n, x + i));
    fflush(stdout);
    dlclose(loaded);
    if (dlopen(library, RTLD_NOW | RTLD_NOLOAD))
      fail("the library stays loaded"); // then nothing is tested here
    child_prints([&] { return 0; });    // handlers of fork that the library left behind would crash here
    children_end();
    if (file)
      unlink(file);
  }
}

static void with_flags(char **args) {
  int flags = 0;
  for (; *args && strcmp(*args, "-") != 0; args++)
    flags |= !strcmp(*args, "LAZY")     ? RTLD_LAZY
             : !strcmp(*args, "NOW")    ? RTLD_NOW
             : !strcmp(*args, "GLOBAL") ? RTLD_GLOBAL
             : !strcmp(*args, "DEEP")   ? RTLD_DEEPBIND
                                        : 0;
  load(flags);
  while (args[0] && args[1] && args[2]) {
    printf("%d\n", checked(atoi(args[1]), atoi(args[2])));
    args += 2;
  }
}

static void beside(const char *other, int count, int n) {
  load(RTLD_NOW | RTLD_GLOBAL);
  void *second = dlopen(other, RTLD_NOW | RTLD_GLOBAL);
  if (!second)
    fail(dlerror());
  std::atomic<long> sum[2] = {};
  in_threads(count, [&](int i) {
    for (int j = 0; j < 2; j++)
      sum[(i + j) % 2] += value_of((i + j) % 2 ? second : loaded, n, 0);
  });
  printf("%ld\n%ld\n", sum[0].load() / count, sum[1].load() / count);
}

static void in_constructor(const char *user, int n) {
  alarm(1800); // a deadlock
  std::thread busy([n] {
    if (n >= 0)
      value(n, 0);
  });
  if (n >= 0)
    started(n);
  void *handle = dlopen(user, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail(dlerror());
  busy.join();
  printf("%d\n", reinterpret_cast<int (*)()>(dlsym(handle, "result"))());
}

// ---- limits ----

// the result or the error of a call that may fail, and then the result of the next one
static void twice(const std::function<void()> &release, int n, int x) {
  auto before = host_state();
  std::string error;
  int result = -1;
  try {
    result = value(n, x);
  } catch (const std::runtime_error &e) {
    error = e.what();
  }
  auto after = host_state();
  release();
  compare(before, after);
  if (error.empty())
    printf("%d\n", result);
  else
    printf("error: %s\n", error.c_str());
  printf("%d\n", value(n, x));
}

static void with_descriptors(int free_ones, int n, int x) {
  struct rlimit limit = {64, 64};
  setrlimit(RLIMIT_NOFILE, &limit);
  std::vector<int> taken;
  for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
    taken.push_back(fd);
  int held = static_cast<int>(taken.size()) - free_ones;
  for (; static_cast<int>(taken.size()) > held; taken.pop_back())
    close(taken.back());
  std::string error;
  int result = -1;
  try {
    result = value(n, x);
  } catch (const std::runtime_error &e) {
    error = e.what();
  }
  std::vector<int> again; // as many as before: none was lost
  for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
    again.push_back(fd);
  if (static_cast<int>(again.size()) != free_ones)
    fail("the call left descriptors open: " + std::to_string(free_ones - static_cast<int>(again.size())));
  for (int fd : again)
    close(fd);
  for (int fd : taken)
    close(fd);
  if (error.empty())
    printf("%d\n", result);
  else
    printf("error: %s\n", error.c_str());
  printf("%d\n", checked(n, x));
}

static void without_processes(int n, int x) {
  struct rlimit old, none;
  getrlimit(RLIMIT_NPROC, &old);
  none = old;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NPROC, &none);
  twice([&] { setrlimit(RLIMIT_NPROC, &old); }, n, x);
}

// ---- many processes ----

static long long now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void stampede(const char *go, const char *out, int kernels, int count, unsigned seed) {
  FILE *waits = fopen(out, "w");
  std::mutex mutex;
  std::map<std::string, int> messages;
  if (!waits)
    fail(out);
  puts("ready");
  fflush(stdout);
  while (access(go, F_OK))
    usleep(1000);
  std::atomic<bool> over{false};
  std::thread watcher([&] {
    if (all_wait(count + 2, over)) {
      puts("in the first call");
      fflush(stdout);
    }
  });
  in_threads(count, [&](int i) {
    std::vector<int> order;
    std::vector<std::pair<long long, long long>> times;
    std::string error = "none";
    for (int k = 1; k < kernels; k++)
      order.push_back(k);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed * 1000 + static_cast<unsigned>(i)));
    try {
      value(0, 0);
    } catch (const std::runtime_error &e) {
      error = e.what();
    }
    for (int k : order) {
      long long start = now();
      int got = value(k, i);
      times.push_back({start, now()});
      if (got != k * 1000 + i)
        fail("value_<" + std::to_string(k) + ">: " + std::to_string(got));
    }
    std::lock_guard<std::mutex> guard(mutex);
    messages[error]++;
    for (size_t j = 0; j < order.size(); j++)
      fprintf(waits, "k%d %lld %lld\n", order[j], times[j].first, times[j].second);
  });
  over = true;
  watcher.join();
  fclose(waits);
  for (const auto &[message, times] : messages)
    printf("%d times: %s\n", times, message.c_str());
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  library = argv[1];
  std::string mode = argv[2];
  auto number = [&](int i) { return argc > i ? atoi(argv[i]) : 0; };
  if (mode != "reload" && mode != "flags" && mode != "beside")
    load(RTLD_LAZY | RTLD_LOCAL);
  try {
    if (mode == "value") {
      printf("%d\n", checked(number(3), number(4)));
    } else if (mode == "secure") {
      printf("%lu\n", getauxval(AT_SECURE));
    } else if (mode == "ignored") {
      signal(SIGCHLD, SIG_IGN);
      printf("%d\n", checked(number(3), number(4)));
    } else if (mode == "reaped") {
      printf("%d\n", with_reaper(number(3), number(4)));
    } else if (mode == "blocked") {
      printf("%d\n", with_signals_blocked(number(3), number(4)));
    } else if (mode == "closed") {
      with_streams_closed(number(3), number(4), number(5));
    } else if (mode == "chdir") {
      if (chdir(argv[3]))
        fail(argv[3]);
      printf("%d\n", checked(number(4), number(5)));
    } else if (mode == "after") {
      if (system(argv[3]))
        fail(argv[3]);
      printf("%d\n", checked(number(4), number(5)));
    } else if (mode == "seteuid") {
      if (setegid(static_cast<gid_t>(number(3))) || seteuid(static_cast<uid_t>(number(3))))
        fail("seteuid");
      printf("%d\n", checked(number(4), number(5)));
    } else if (mode == "stack") {
      printf("%d\n", with_stack(static_cast<size_t>(number(3)), number(4), number(5)));
    } else if (mode == "threads") {
      threads(number(3), number(4));
    } else if (mode == "errors") {
      errors(number(3), number(4), argc > 5 ? argv[5] : nullptr);
    } else if (mode == "fork") {
      forks(number(3));
    } else if (mode == "forking") {
      forks_while_compiling(number(3));
    } else if (mode == "storm") {
      fork_storm(number(3));
    } else if (mode == "children") {
      printf("%d\n", beside_children(number(3), number(4)));
    } else if (mode == "reload") {
      reload(number(3), number(4), number(5), argc > 6 ? argv[6] : nullptr);
    } else if (mode == "flags") {
      with_flags(argv + 3);
    } else if (mode == "beside") {
      beside(argv[3], number(4), number(5));
    } else if (mode == "constructor") {
      in_constructor(argv[3], number(4));
    } else if (mode == "descriptors") {
      with_descriptors(number(3), number(4), number(5));
    } else if (mode == "nproc") {
      without_processes(number(3), number(4));
    } else if (mode == "stampede") {
      stampede(argv[3], argv[4], number(5), number(6), static_cast<unsigned>(number(7)));
    } else {
      fprintf(stderr, "unknown mode '%s'\n", mode.c_str());
      return 2;
    }
  } catch (const std::runtime_error &e) {
    printf("error: %s\n", e.what());
    return 3;
  }
  return 0;
}
