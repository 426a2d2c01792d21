/* runtime_api.c - a program that uses libckjit.so, told what to do by its arguments, one command each:
 *
 *   open:PATH[:loaded]     open a library; it is the one that the others are about. PATH "": the program
 *   dlopen:PATH, dlclose   load one, and unload it, as any program does
 *   use:I                  back to number I of those that were opened
 *   close                  close it
 *   list                   each kernel's stem, state, number of functions; each function's symbol, demangled
 *   info:NAME              source, architectures, build id
 *   find:NAME              the stem and the number of the function
 *   state:NAME             its state
 *   compile:NAME[:fresh|store[:FLAGS[:ARCHS]]]    prints "handle I" or "stored"
 *   export:NAME:FORMAT:FILE[:ARCHS[|FLAGS[|SYMBOL]]]   ckjit_export to a FILE; prints how many bytes
 *   exports:COUNT:NAME:FORMAT[:ARCHS]         COUNT threads do so; prints how many have the bytes of the first
 *   call:I:X               function 0 of handle I, an int (int)
 *   symbol:I:SYMBOL:X      the same by its name
 *   release:I              handle I
 *   stub:SYMBOL:X          the library's own function
 *   many:PARALLEL:NAMES[:store]     NAMES with commas between, or "all": ckjit_compile_many; events and result
 *   batch:PARALLEL:NAMES[:store]    ckjit_batch_start
 *   stop:N                 callbacks cancel their batch once N kernels are done
 *   poll, wait:SECONDS, cancel, free, result:I     of the batch
 *   prewarm:FILE[:skip]    ckjit_prewarm, or ckjit_list_read that skips, and ckjit_compile_many
 *   threads:COUNT:NAME:X   COUNT threads compile NAME and call it, every second one by the stub; prints the sum
 *   set:NAME=VALUE         an environment variable
 *   remove:FILE
 *   until:FILE[:TEXT]      waits until the file is there and holds the text
 *   maps:TEXT              how many lines of /proc/self/maps have TEXT
 *   fork                   what follows is done by a child, and the parent prints how that ended
 *   logger:WORD[:MS]       messages are printed behind WORD, after so many milliseconds; without a WORD: on standard error again.
 *                          WORD again: the logger tries to set one
 *   quiet                  no events from here on
 *
 * A failure is printed as "STATUS: message" and the program goes on. Its exit status is the number of
 * failures.
 */
#include "api/ckjit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static ckjit_library *libraries[MOST], *library;
static ckjit_handle *handles[MOST];
static ckjit_batch *batch;
static void *loaded;
static int nlibraries, nhandles, failures, quiet;
static size_t stop_at = SIZE_MAX;

struct logger {
  const char *word;
  long ms;
};

/* whether all is well; else says so, and frees *ERROR */
static int check(int status, char **error) {
  if (status) {
    printf("%s: %s\n", ckjit_status_name(status), *error ? *error : "no message");
    failures++;
    ckjit_free(*error);
    *error = NULL;
  }
  return status == CKJIT_OK;
}

static uint32_t kernel_of(const char *name) {
  uint32_t kernel = 0;
  char *error = NULL;
  return check(ckjit_find(library, name, &kernel, NULL, &error), &error) ? kernel : UINT32_MAX;
}

static const char *stem_of(uint32_t kernel) {
  struct ckjit_kernel_info info = {.size = sizeof info};
  return ckjit_kernel_info(library, kernel, &info, NULL) ? "?" : info.stem;
}

/* ---- libraries ---- */

static void command_open(char **arg) {
  char *error = NULL;
  unsigned flags = arg[1] && strcmp(arg[1], "loaded") == 0 ? CKJIT_OPEN_LOADED : 0;
  if (check(ckjit_open(*arg[0] ? arg[0] : NULL, flags, &library, &error), &error))
    libraries[nlibraries++] = library;
}

static void command_list(void) {
  uint32_t n = ckjit_kernel_count(library);
  uint8_t *states = calloc(n, 1);
  char *error = NULL;
  check(ckjit_states(library, NULL, n, states, &error), &error);
  for (uint32_t k = 0; k < n; k++) {
    struct ckjit_kernel_info info = {.size = sizeof info};
    error = NULL;
    if (!check(ckjit_kernel_info(library, k, &info, &error), &error))
      break;
    printf("%s %s %u\n", info.stem, ckjit_state_name(states[k]), info.functions);
    for (uint32_t f = 0; f < info.functions; f++) {
      struct ckjit_function_info function = {.size = sizeof function};
      error = NULL;
      if (check(ckjit_function_info(library, k, f, &function, &error), &error))
        printf("  %s  %s\n", function.symbol ? function.symbol : "-",
               function.demangled ? function.demangled : "-");
    }
  }
  free(states);
}

static void command_info(char **arg) {
  struct ckjit_kernel_info info = {.size = sizeof info};
  char *error = NULL;
  uint32_t kernel = kernel_of(arg[0]);
  if (check(ckjit_kernel_info(library, kernel, &info, &error), &error))
    printf("%s\n%s\n%s\n", info.source, info.archs, info.build_id);
}

static void command_find(char **arg) {
  uint32_t kernel, function;
  char *error = NULL;
  if (check(ckjit_find(library, arg[0], &kernel, &function, &error), &error))
    printf("%s %d\n", stem_of(kernel), (int)function);
}

static void command_state(char **arg) {
  int state;
  char *error = NULL;
  if (check(ckjit_state(library, kernel_of(arg[0]), &state, &error), &error))
    printf("%s\n", ckjit_state_name(state));
}

/* ---- one kernel ---- */

static void command_compile(char **arg) {
  struct ckjit_options o = {.size = sizeof o};
  char *error = NULL;
  int store = arg[1] && strcmp(arg[1], "store") == 0;
  if (arg[1])
    o.flags = store ? CKJIT_STORE_ONLY : strcmp(arg[1], "fresh") == 0 ? CKJIT_FRESH : 0;
  o.compiler_flags = arg[1] && arg[2] && *arg[2] ? arg[2] : NULL;
  o.archs = arg[1] && arg[2] ? arg[3] : NULL;
  ckjit_handle *handle = NULL;
  if (!check(ckjit_compile(library, kernel_of(arg[0]), &o, store ? NULL : &handle, &error), &error))
    return;
  if (store) {
    puts("stored");
  } else {
    printf("handle %d\n", nhandles);
    handles[nhandles++] = handle;
  }
}

static void call(int status, void *address, char *error, const char *x) {
  if (check(status, &error))
    printf("%d\n", ((int (*)(int))(uintptr_t)address)(atoi(x)));
}

static void command_call(char **arg) {
  void *address = NULL;
  char *error = NULL;
  int status = ckjit_handle_function(handles[atoi(arg[0])], 0, &address, &error);
  call(status, address, error, arg[1]);
}

static void command_symbol(char **arg) {
  void *address = NULL;
  char *error = NULL;
  int status = ckjit_handle_symbol(handles[atoi(arg[0])], arg[1], &address, &error);
  call(status, address, error, arg[2]);
}

static void *stub(const char *symbol) {
  void *dl = dlopen(ckjit_library_path(library), RTLD_NOW | RTLD_NOLOAD),
       *address = dl ? dlsym(dl, symbol) : NULL;
  if (dl)
    dlclose(dl);
  return address;
}

static void command_stub(char **arg) {
  void *address = stub(arg[0]);
  call(address ? CKJIT_OK : CKJIT_E_NOT_FOUND, address, NULL, arg[1]);
}

/* ---- many ---- */

static int on_event(const struct ckjit_event *e, void *user) {
  static size_t last[2];
  (void)user;
  if (!quiet && e->kind == CKJIT_EVENT_STARTED)
    printf("started %s\n", stem_of(e->kernel));
  if (!quiet && e->kind == CKJIT_EVENT_DONE)
    printf("done %s %s%s %zu/%zu\n", stem_of(e->kernel), ckjit_status_name(e->status),
           e->handle ? " handle" : "", e->progress.done, e->progress.total);
  if (e->kind == CKJIT_EVENT_DONE && e->progress.done != last[1] + 1 && e->progress.done != 1)
    puts("out of order");
  last[e->kind] = e->progress.done;
  return e->progress.done >= stop_at;
}

/* NAMES to kernels; NULL is "all" */
static uint32_t *kernels_of(char *names, size_t *n) {
  static uint32_t list[4096];
  char *save = NULL;
  *n = ckjit_kernel_count(library);
  if (strcmp(names, "all") == 0)
    return NULL;
  *n = 0;
  for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
    list[(*n)++] = kernel_of(name);
  return list;
}

static void print_progress(const struct ckjit_progress *p) {
  printf("%zu done, %zu failed, %zu cancelled, %zu running of %zu\n", p->done, p->failed, p->cancelled,
         p->running, p->total);
}

static void command_many(char **arg, int start) {
  struct ckjit_options o = {.size = sizeof o, .parallel = (unsigned)atoi(arg[0])};
  struct ckjit_progress p = {.size = sizeof p};
  size_t n;
  char *error = NULL;
  uint32_t *kernels = kernels_of(arg[1], &n);
  if (arg[2])
    o.flags = strcmp(arg[2], "store") == 0 ? CKJIT_STORE_ONLY : CKJIT_FRESH;
  if (start) {
    check(ckjit_batch_start(library, kernels, n, &o, on_event, NULL, &batch, &error), &error);
    return;
  }
  check(ckjit_compile_many(library, kernels, n, &o, on_event, NULL, &p, &error), &error);
  print_progress(&p);
}

static void command_prewarm(char **arg) {
  struct ckjit_progress p = {.size = sizeof p};
  uint32_t *kernels;
  size_t n;
  char *error = NULL;
  if (!arg[1]) {
    check(ckjit_prewarm(library, arg[0], NULL, on_event, NULL, &p, &error), &error);
  } else {
    if (!check(ckjit_list_read(library, arg[0], CKJIT_LIST_SKIP_UNKNOWN, &kernels, &n, &error), &error))
      return;
    check(ckjit_compile_many(library, kernels, n, NULL, on_event, NULL, &p, &error), &error);
    ckjit_free(kernels);
  }
  print_progress(&p);
}

static void command_poll(void) {
  struct ckjit_progress p = {.size = sizeof p};
  int status = ckjit_batch_poll(batch, &p);
  printf("%s: ", ckjit_status_name(status));
  print_progress(&p);
}

static void command_wait(char **arg) {
  struct ckjit_progress p = {.size = sizeof p};
  char *error = NULL;
  check(ckjit_batch_wait(batch, atof(arg[0]), &p, &error), &error);
  print_progress(&p);
}

static void command_result(char **arg) {
  char *error = NULL;
  ckjit_handle *handle;
  if (check(ckjit_batch_result(batch, (size_t)atoi(arg[0]), &handle, &error), &error) && handle) {
    printf("handle %d\n", nhandles);
    handles[nhandles++] = handle;
  }
}

/* ---- threads ---- */

struct crowd {
  const char *name;
  int x, sum, number;
  void *address;
};

static void *one_of_many(void *user) {
  struct crowd *c = user;
  int number = __atomic_fetch_add(&c->number, 1, __ATOMIC_RELAXED);
  ckjit_handle *handle = NULL;
  void *address = NULL;
  uint32_t kernel, function;
  char *error = NULL;
  int state;
  if (number % 2) {
    address = c->address;
  } else if (ckjit_find(library, c->name, &kernel, &function, &error) ||
             ckjit_state(library, kernel, &state, &error) ||
             ckjit_compile(library, kernel, NULL, &handle, &error) ||
             ckjit_handle_function(handle, 0, &address, &error)) {
    printf("%s\n", error);
    return NULL;
  }
  __atomic_fetch_add(&c->sum, ((int (*)(int))(uintptr_t)address)(c->x), __ATOMIC_RELAXED);
  ckjit_handle_release(handle);
  return NULL;
}

static void command_threads(char **arg) {
  pthread_t threads[256];
  int n = atoi(arg[0]);
  struct crowd c = {.name = arg[1], .x = atoi(arg[2]), .address = stub(arg[1])};
  for (int i = 0; i < n; i++)
    pthread_create(&threads[i], NULL, one_of_many, &c);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  printf("%d\n", c.sum);
}

/* ---- exports ---- */

static int export_to(const char *name, const struct ckjit_export_options *o, void **bytes, size_t *size) {
  char *error = NULL;
  uint32_t kernel = kernel_of(name);
  return kernel != UINT32_MAX && check(ckjit_export(library, kernel, o, bytes, size, &error), &error);
}

/* the next word of *TEXT, up to a |; NULL: none, or an empty one */
static const char *next_of(char **text) {
  char *word = *text ? strsep(text, "|") : NULL;
  return word && *word ? word : NULL;
}

static void command_export(char **arg) {
  const char *archs = next_of(&arg[3]), *flags = next_of(&arg[3]), *symbol = next_of(&arg[3]);
  struct ckjit_export_options o = {.size = sizeof o,
                                   .format = arg[1],
                                   .archs = archs,
                                   .compiler_flags = flags,
                                   .symbols = &symbol,
                                   .nsymbols = symbol != NULL};
  void *bytes = (void *)1;
  size_t size = 1;
  if (!export_to(arg[0], &o, &bytes, &size)) {
    if (bytes || size)
      printf("a failure left something: %p, %zu\n", bytes, size);
    return;
  }
  FILE *f = fopen(arg[2], "w");
  /* with the NUL behind them */
  if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) || ((char *)bytes)[size])
    printf("%s cannot be written\n", arg[2]);
  ckjit_free(bytes);
  printf("%zu bytes\n", size);
}

struct exported {
  const char *name;
  struct ckjit_export_options options;
  void *bytes;
  size_t size;
};

static void *one_export(void *user) {
  struct exported *e = user;
  export_to(e->name, &e->options, &e->bytes, &e->size);
  return NULL;
}

static void command_exports(char **arg) {
  pthread_t threads[MOST];
  struct exported all[MOST] = {{0}};
  int n = atoi(arg[0]), same = 0;
  for (int i = 0; i < n; i++) {
    all[i] = (struct exported){.name = arg[1],
                               .options = {.size = sizeof all->options, .format = arg[2], .archs = arg[3]}};
    pthread_create(&threads[i], NULL, one_export, &all[i]);
  }
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < n; i++)
    same += all[i].size && all[i].size == all[0].size && memcmp(all[i].bytes, all[0].bytes, all[0].size) == 0;
  for (int i = 0; i < n; i++)
    ckjit_free(all[i].bytes);
  printf("%d\n", same);
}

/* ---- the rest ---- */

static void command_maps(char **arg) {
  char line[8192];
  int n = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f))
    n += strstr(line, arg[0]) != NULL;
  if (f)
    fclose(f);
  printf("%d\n", n);
}

static int has_text(const char *file, const char *text) {
  static char all[1 << 20];
  FILE *f = fopen(file, "r");
  if (!f)
    return 0;
  all[fread(all, 1, sizeof all - 1, f)] = 0;
  fclose(f);
  return strstr(all, text ? text : "") != NULL;
}

static void command_until(char **arg) {
  while (!has_text(arg[0], arg[1]))
    nanosleep(&(struct timespec){.tv_nsec = 10000000L}, NULL);
}

static void command_fork(void) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0)
    return;
  int status;
  waitpid(pid, &status, 0);
  printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  exit(failures);
}

static void print_message(int severity, const char *message, void *user) {
  static const char *const severities[] = {"progress", "note", "warning", "error"};
  const struct logger *l = user;
  char *error = NULL;
  printf("%s: %s: %s\n", l->word, severities[severity], message);
  if (strcmp(l->word, "again") == 0)
    check(ckjit_set_logger(library, print_message, user, &error), &error);
  nanosleep(&(struct timespec){l->ms / 1000, l->ms % 1000 * 1000000}, NULL);
  printf("%s: out\n", l->word);
}

static void command_logger(char **arg) {
  struct logger *l = calloc(1, sizeof *l); /* a message may be on its way */
  char *error = NULL;
  l->word = arg[0];
  l->ms = arg[1] ? atol(arg[1]) : 0;
  check(ckjit_set_logger(library, arg[0] ? print_message : NULL, l, &error), &error);
  puts("set");
}

static void command_cache(char **arg) {
  char *error = NULL;
  check(ckjit_set_cache_dir(library, arg[0], &error), &error);
}

static void run(const char *name, char **arg) {
  if (!strcmp(name, "open"))
    command_open(arg);
  else if (!strcmp(name, "cache"))
    command_cache(arg);
  else if (!strcmp(name, "dlopen"))
    check((loaded = dlopen(arg[0], RTLD_NOW)) ? CKJIT_OK : CKJIT_E_OPEN, &(char *){NULL});
  else if (!strcmp(name, "dlclose"))
    dlclose(loaded);
  else if (!strcmp(name, "use"))
    library = libraries[atoi(arg[0])];
  else if (!strcmp(name, "close"))
    ckjit_close(library);
  else if (!strcmp(name, "list"))
    command_list();
  else if (!strcmp(name, "info"))
    command_info(arg);
  else if (!strcmp(name, "find"))
    command_find(arg);
  else if (!strcmp(name, "state"))
    command_state(arg);
  else if (!strcmp(name, "compile"))
    command_compile(arg);
  else if (!strcmp(name, "call"))
    command_call(arg);
  else if (!strcmp(name, "symbol"))
    command_symbol(arg);
  else if (!strcmp(name, "release"))
    ckjit_handle_release(handles[atoi(arg[0])]);
  else if (!strcmp(name, "stub"))
    command_stub(arg);
  else if (!strcmp(name, "many"))
    command_many(arg, 0);
  else if (!strcmp(name, "batch"))
    command_many(arg, 1);
  else if (!strcmp(name, "stop"))
    stop_at = (size_t)atoi(arg[0]);
  else if (!strcmp(name, "poll"))
    command_poll();
  else if (!strcmp(name, "wait"))
    command_wait(arg);
  else if (!strcmp(name, "cancel"))
    ckjit_batch_cancel(batch);
  else if (!strcmp(name, "free"))
    ckjit_batch_free(batch);
  else if (!strcmp(name, "result"))
    command_result(arg);
  else if (!strcmp(name, "prewarm"))
    command_prewarm(arg);
  else if (!strcmp(name, "export"))
    command_export(arg);
  else if (!strcmp(name, "exports"))
    command_exports(arg);
  else if (!strcmp(name, "threads"))
    command_threads(arg);
  else if (!strcmp(name, "set"))
    putenv(arg[0]);
  else if (!strcmp(name, "remove"))
    unlink(arg[0]);
  else if (!strcmp(name, "until"))
    command_until(arg);
  else if (!strcmp(name, "maps"))
    command_maps(arg);
  else if (!strcmp(name, "fork"))
    command_fork();
  else if (!strcmp(name, "logger"))
    command_logger(arg);
  else if (!strcmp(name, "quiet"))
    quiet = 1;
  else
    exit(fprintf(stderr, "runtime_api: unknown command '%s'\n", name) ? 99 : 99);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; i++) {
    char *arg[6] = {NULL}, *at = argv[i];
    for (int n = 0; n < 5 && at; n++) {
      arg[n] = at;
      at = n < 4 ? strchr(at, ':') : NULL;
      if (at)
        *at++ = 0;
    }
    run(arg[0], arg + 1);
  }
  return failures;
}
