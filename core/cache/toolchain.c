/* toolchain.c - see toolchain.h. The compiler is queried for its steps, and the programs and
 * bitcode files in them are followed to the libraries they load. It is queried each time: the set
 * of these files depends on more than their content (the PATH, in which nvcc finds its g++; a gcc
 * that was installed since). Hashing them takes a second. So a memo keeps their digests with a
 * stamp for each, and a digest is computed again only for a file whose stamp has changed.
 */
#include "toolchain.h"
#include "lock.h"
#include "core/base/memofile.h"

#include "abi/ck_jit_access.h"
#include "core/base/directory.h"
#include "core/base/childenv.h"
#include "core/base/elf.h"
#include "core/base/image.h"
#include "core/cc/ltolinker.h"
#include "core/cc/nvcc.h"
#include "core/cc/steps.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/scratch.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void toolchain_stamp(char stamp[STAMP_SIZE], const char *file) {
  struct stat st;
  char image[IMAGE_SIZE];
  if (stat(file, &st)) {
    snprintf(stamp, STAMP_SIZE, "gone");
    return;
  }
  image_mark(image, file, &st);
  snprintf(stamp, STAMP_SIZE, "%lld %lld.%09ld %lld.%09ld %llu%s%s", (long long)st.st_size,
           (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
           st.st_ctim.tv_nsec, (unsigned long long)st.st_ino, *image ? " " : "", image);
}

/* ---- which files ---- */

/* Add FILE, with symbolic links resolved, once. False if it does not exist or is listed already. */
static bool add_file(struct argv *files, const char *file) {
  char *real = realpath(file, NULL);
  if (real && (argv_has(files, real) || file_is_dir(real) || !ckjit_may(real, R_OK))) {
    free(real);
    real = NULL;
  }
  if (real)
    argv_add_own(files, real);
  return real != NULL;
}

/* Is LIBRARY of the C, C++ or gcc's runtime, or one that compresses or calculates, as gcc's own
 * programs need it? These load no library of a compiler. */
static bool is_of_runtime(const char *library) {
  static const char *const names[] = {"ld-linux",  "libc.so.",       "libdl.so.", "libgcc_s.so",
                                      "libm.so.",  "libpthread.so.", "librt.so.", "libstdc++.so.",
                                      "libz.so.",  "libzstd.so.",    "libgmp.so", "libisl.so",
                                      "libmpc.so", "libmpfr.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (str_starts(library, names[i]))
      return true;
  return false;
}

bool toolchain_loads_others(struct argv *known, const char *program) {
  size_t len, at = 0;
  autofree char *real = realpath(program, NULL), *dir = path_dir(real ? real : program);
  const char *bytes = file_map(program, &len);
  struct elf e;
  struct elf_section interpreter, dynamic, names;
  autofree_argv needed = {0};
  autofree_buf places = {0};
  bool loads =
      bytes && elf_open(&e, bytes, len, NULL) && elf_find(&e, ".interp", &at, &interpreter);
  at = 0;
  loads = loads && elf_find(&e, ".dynamic", &at, &dynamic) && dynamic.data &&
          elf_section(&e, dynamic.link, &names) && names.data;
  for (uint64_t i = 0; loads && i + sizeof(Elf64_Dyn) <= dynamic.size; i += sizeof(Elf64_Dyn)) {
    Elf64_Dyn d;
    memcpy(&d, dynamic.data + i, sizeof d);
    const char *text = (const char *)names.data + d.d_un.d_val;
    bool place = d.d_tag == DT_RUNPATH || d.d_tag == DT_RPATH;
    if ((d.d_tag != DT_NEEDED && !place) || d.d_un.d_val >= names.size ||
        !memchr(text, 0, names.size - d.d_un.d_val))
      continue;
    if (place) /* $ORIGIN is the program's directory */
      buf_printf(&places, " %d %s %s", (int)d.d_tag, text, strchr(text, '$') ? dir : "");
    else if (!is_of_runtime(text))
      argv_add(&needed, text);
  }
  if (bytes)
    munmap((void *)(uintptr_t)bytes, len);
  size_t before = known->n;
  for (size_t i = 0; i < needed.n; i++)
    argv_add_once(known, xasprintf("%s%s", needed.args[i], places.len ? places.data : ""));
  return known->n > before;
}

void toolchain_libraries(struct argv *files, const char *listing) {
  static const char *const parts[] = {"LLVM", "clang", "lld", "comgr", "nvvm"};
  for (const char *line = listing; line && *line;) {
    const char *end = strchr(line, '\n'), *arrow = strstr(line, "=> /");
    autofree char *file = NULL;
    if (arrow && (!end || arrow < end))
      file = xstrndup(arrow + 3, strcspn(arrow + 3, " \n"));
    for (size_t i = 0; file && i < sizeof parts / sizeof *parts; i++)
      if (strstr(path_base(file), parts[i])) {
        add_file(files, file);
        break;
      }
    line = end ? end + 1 : NULL;
  }
}

/* The files of a compiler, and what toolchain_loads_others() knows of them. */
struct found {
  struct argv files, loads;
};

/* Add the libraries that PROGRAM loads and that belong to a compiler, as the dynamic linker finds
 * them. */
static void add_libraries(struct found *f, const char *program) {
  if (!toolchain_loads_others(&f->loads, program))
    return;
  char *args[] = {(char *)program, NULL};
  autofree_argv env = {0};
  argv_add_all(&env, pool_environment ? pool_environment : environ);
  childenv_set(&env, "LD_TRACE_LOADED_OBJECTS", "1");
  struct job job = {.args = args, .env = env.args};
  pool_run(&job, 1, 1, NULL, NULL);
  toolchain_libraries(&f->files, job.output.data);
  buf_free(&job.output);
}

char *toolchain_release(const char *program, const struct compiler *kind) {
  char *args[] = {(char *)program, "--version", NULL}, *at;
  const char *mark = kind->release;
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  at = job.output.data ? strstr(job.output.data, mark) : NULL;
  if (!at && job.output.data && (at = strstr(job.output.data, kind->proper_release)))
    mark = kind->proper_release;
  char *release =
      at ? xstrndup(at + strlen(mark), strspn(at + strlen(mark), "0123456789.")) : xstrdup("");
  buf_free(&job.output);
  return release;
}

static bool is_bitcode(const char *name) {
  return str_ends(name, ".bc");
}

/* Add all bitcode beside FILE: flags and architecture decide which of it is linked. */
static void add_bitcode(struct argv *files, const char *file) {
  autofree char *dir = path_dir(file);
  autoclose_dir *d = opendir(dir);
  autofree_argv names = {0};
  for (struct dirent *e; d && (e = readdir(d));)
    if (is_bitcode(e->d_name))
      argv_add_own(&names, path_join(dir, e->d_name));
  argv_sort(&names);
  for (size_t i = 0; i < names.n; i++)
    add_file(files, names.args[i]);
}

/* Add the programs that clang starts from its own directory. */
static void add_neighbours(struct found *f, const char *clang) {
  static const char *const names[] = {"lld",
                                      "ld.lld",
                                      "clang-offload-bundler",
                                      "llvm-link",
                                      "opt",
                                      "llc",
                                      "clang-offload-packager",
                                      "llvm-offload-binary",
                                      "clang-linker-wrapper"};
  autofree char *dir = path_dir(clang);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    autofree char *file = path_join(dir, names[i]);
    if (add_file(&f->files, file))
      add_libraries(f, f->files.args[f->files.n - 1]);
  }
}

/* Is it followed: the compiler proper, or another program that makes code, such as the device's
 * linker? */
static bool is_part(const char *program) {
  autofree char *real =
      program[0] == '/' && ckjit_may(program, X_OK) ? realpath(program, NULL) : NULL;
  return real && !steps_is_binutils(real);
}

static void read_command(struct found *f, const struct argv *words) {
  bool proper = words->n > 1 && is_part(words->args[0]);
  if (proper && add_file(&f->files, words->args[0])) {
    add_libraries(f, f->files.args[f->files.n - 1]);
    if (steps_is_cc1(words))
      add_neighbours(f, words->args[0]);
  }
  for (size_t i = 0; proper && i < words->n; i++)
    if (is_bitcode(words->args[i]) && words->args[i][0] == '/')
      add_bitcode(&f->files, words->args[i]);
}

/* Add PROGRAM, and the files beside it that contain its settings, or the driver itself. */
static void add_driver(struct argv *files, const char *program) {
  static const char *const names[] = {"nvcc.profile", "hipcc.bin", "hipcc.pl", "hipvars.pm"};
  autofree char *real = realpath(program, NULL), *dir = real ? path_dir(real) : NULL;
  add_file(files, program);
  for (size_t i = 0; dir && i < sizeof names / sizeof *names; i++) {
    autofree char *file = path_join(dir, names[i]);
    add_file(files, file);
  }
}

/* Add the compiler proper of HOST, nvcc's host compiler, which is a gcc or clang. */
static void add_host_compiler(struct found *f, const char *host) {
  char *args[] = {(char *)host, (char *)"-print-prog-name=cc1plus", NULL};
  struct job job = {.args = args};
  add_file(&f->files, host);
  add_libraries(f, host); /* clang is its own compiler proper */
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.status == 0 && job.output.len && job.output.data[0] == '/') {
    job.output.data[strcspn(job.output.data, "\n")] = 0;
    add_file(&f->files, job.output.data);
  }
  buf_free(&job.output);
}

/* Add NAME from the first directory of the options in TEXT, -I and -isystem, that has it. */
static void add_header(struct argv *files, const char *text, const char *name) {
  autofree_argv words = {0};
  bool done = false;
  argv_split(&words, text, strlen(text));
  for (size_t i = 0; i < words.n && !done; i++) {
    const char *dir = str_starts(words.args[i], "-I") ? words.args[i] + 2 : words.args[i];
    autofree char *file = path_join(dir, name);
    if ((done = dir[0] == '/' && file_exists(file)))
      add_file(files, file);
  }
}

void toolchain_nvcc_last(struct argv *files, const struct nvcc_plan *plan) {
  static const char *const headers[] = {"crt/host_runtime.h", "crt/storage_class.h",
                                        "crt/func_macro.h", "fatbinary_section.h"};
  static const char *const names[] = {"nvlink", "crt/link.stub", "crt/prelink.stub"};
  const char *here = nvcc_variable(plan, "_HERE_"), *own = nvcc_variable(plan, "INCLUDES");
  for (size_t i = 0; own && i < sizeof headers / sizeof *headers; i++)
    add_header(files, own, headers[i]);
  for (size_t i = 0; here && i < sizeof names / sizeof *names; i++) {
    autofree char *file = path_join(here, names[i]);
    add_file(files, file);
  }
}

/* Which nvcc was asked last, with which host compiler (NULL: its own choice), and its answer. */
static char *last_nvcc, *last_ccbin;
static struct nvcc_plan last_plan;

/* PROGRAM with CCBIN is asked now. */
static void begin_plan(const char *program, const char *ccbin) {
  free(last_nvcc);
  free(last_ccbin);
  nvcc_plan_free(&last_plan);
  last_nvcc = xstrdup(program);
  last_ccbin = ccbin ? xstrdup(ccbin) : NULL;
}

const struct nvcc_plan *toolchain_nvcc_plan(const char *program, const char *ccbin) {
  return str_same(last_nvcc, program) && str_same(last_ccbin, ccbin) ? &last_plan : NULL;
}

/* The same for nvcc, by its ANSWER to --dryrun. */
static void find_files_of_nvcc(struct found *f, const char *program, const char *ccbin,
                               const struct job *answer) {
  const struct nvcc_plan *plan = &last_plan;
  autofree char *why = NULL;
  begin_plan(program, ccbin);
  nvcc_plan_read(&last_plan, answer->output.len ? answer->output.data : "", &why);
  add_driver(&f->files, program);
  for (size_t i = 0; i < plan->n; i++) {
    const char *step = plan->steps[i].words.args[0];
    switch (plan->steps[i].kind) {
    case NVCC_HOST:
      add_host_compiler(f, step);
      break;
    case NVCC_FRONT:
    case NVCC_CICC:
    case NVCC_PTXAS:
    case NVCC_FATBINARY:
      if (add_file(&f->files, step))
        add_libraries(f, f->files.args[f->files.n - 1]);
      break;
    default:
      break;
    }
  }
  toolchain_nvcc_last(&f->files, plan);
  const char *library = nvcc_variable(plan, "NVVMIR_LIBRARY_DIR");
  if (library) {
    autofree char *inside = path_join(library, "x");
    add_bitcode(&f->files, inside);
  }
}

/* PROGRAM's answer to --version, without lines that name directories. For a compiler hidden by a
 * wrapper that does not answer -### nothing else is known. */
static void read_version(struct buf *version, const char *program) {
  char *args[] = {(char *)program, (char *)"--version", NULL};
  struct job job = {.args = args};
  scratch_run(&job, 1, 1);
  for (const char *line = job.output.len ? job.output.data : ""; *line;) {
    size_t n = strcspn(line, "\n");
    if (!memchr(line, '/', n))
      buf_printf(version, "%.*s\n", (int)n, line);
    line += n + (line[n] == '\n');
  }
  buf_free(&job.output);
}

/* In which order clang looks for headers: in the directories of OPTION, then in those of a later
 * rank. */
static int rank_of(const char *option) {
  return str_starts(option, "-idirafter") ? 2 : str_starts(option, "-internal-");
}

/* Append the directories of WORDS, a cc1, that exist, in the order of the search. */
static void add_directories(struct argv *dirs, const struct argv *words) {
  for (int rank = 0; rank < 3; rank++)
    for (size_t i = 0; i < words->n; i++) {
      bool is = rank_of(words->args[i]) == rank;
      const char *dir = ccargs_directory(words->args, &i);
      if (is && dir && file_is_dir(dir))
        argv_add_once(dirs, xstrdup(dir));
    }
}

static void read_steps(struct inputs *in, struct found *f, const char *program,
                       const struct job *job) {
  struct steps steps;
  add_driver(&f->files, program);
  add_libraries(f, program);
  steps_read(&steps, job->output.len ? job->output.data : "");
  for (size_t i = 0; i < steps.configs.n; i++)
    add_file(&f->files, steps.configs.args[i]);
  for (size_t i = 0; i < steps.n; i++) {
    const struct argv *words = &steps.list[i];
    read_command(f, words);
    if (steps_is_cc1(words) && !argv_has(words, "-fcuda-is-device"))
      add_directories(&in->directories, words);
  }
  steps_free(&steps);
}

static bool digest_answer(char digest[DIGEST_HEX], const struct compiler *kind,
                          const struct job *job) {
  autofree_argv words = {0};
  if (job->status == 0 && job->output.len)
    steps_words(&words, kind->dialect, job->output.data);
  char *all = words.n ? argv_join(words.args) : NULL;
  if (all)
    digest_bytes(digest, all, strlen(all));
  free(all);
  return all != NULL;
}

bool toolchain_plan(char digest[DIGEST_HEX], const char *program, const struct compiler *kind,
                    const struct argv *question, char *const *env) {
  autofree_argv ask = {0};
  argv_add(&ask, program);
  argv_add_all(&ask, question->args);
  struct job job = {.args = ask.args, .env = env};
  scratch_run(&job, 1, 1);
  bool answered = digest_answer(digest, kind, &job);
  buf_free(&job.output);
  return answered;
}

/* ---- may the question be left out? ---- */

static bool has_tool(const struct inputs *in, const char *file) {
  autofree char *real = realpath(file, NULL);
  bool has = false;
  for (size_t i = 0; real && !has && i < in->ntools; i++)
    has = strcmp(in->tools[i].path, real) == 0;
  return has;
}

/* Does the program FILE contain the text NAME? */
static bool contains(const char *file, const char *name) {
  struct elf_section s;
  autofree char *bytes = elf_read_section(file, ".rodata", &s);
  return bytes && memmem(s.data, s.size, name, strlen(name) + 1);
}

/* The gcc that an nvcc in the directory HERE asks for its version, if it is one of IN's tools;
 * free() it. NULL: it is not, or another one may be found first. */
static char *host_of_nvcc(const struct inputs *in, const char *here, char *const *env) {
  static const char *const before[] = {"gcc", "../nvvm/bin/gcc"};
  const char *path = NULL;
  for (; *env; env++)
    if (str_starts(*env, "PATH="))
      path = *env + strlen("PATH=");
  char *host = path ? path_which_in(path, "gcc") : NULL;
  bool good = host && has_tool(in, host);
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    autofree char *file = path_join(here, before[i]);
    good = good && !file_exists(file);
  }
  if (good)
    return host;
  free(host);
  return NULL;
}

/* Is there a file that changes what a gcc does, beside a program of IN's, which a gcc starts? */
static bool has_specs(const struct inputs *in) {
  bool has = false;
  for (size_t i = 0; i < in->ntools && !has; i++) {
    autofree char *dir = path_dir(in->tools[i].path), *file = path_join(dir, "specs"),
                  *above = path_join(dir, "../specs");
    has = file_exists(file) || file_exists(above);
  }
  return has;
}

bool toolchain_same_answer(const struct inputs *in, const char *program, char *const *env) {
  autofree char *dir = path_dir(program), *here = realpath(dir, NULL),
                *listed = path_dir(in->tools[0].path);
  autofree char *host = here && strcmp(here, listed) == 0 ? host_of_nvcc(in, here, env) : NULL;
  return host && !has_specs(in);
}

void toolchain_settle(struct inputs *in) {
  if (!in->question.n || argv_has(&in->question, "-ccbin") || !in->ntools || !in->environment.n)
    return;
  char *const *env = in->environment.args;
  autofree char *here = path_dir(in->tools[0].path), *profile = path_join(here, "nvcc.profile"),
                *host = host_of_nvcc(in, here, env);
  in->settled = host && has_tool(in, profile) && contains(in->tools[0].path, "nvcc.profile") &&
                contains(host, "GCC_EXEC_PREFIX") && toolchain_same_answer(in, in->program, env);
}

/* The files of PROGRAM. IN's question is set, and its plan if there is an answer. Without one there
 * is no question either, and VERSION is what PROGRAM says to --version. */
static void find_files(struct inputs *in, struct argv *files, struct buf *version,
                       const char *program, const struct compiler *kind, const char *arch,
                       const char *ccbin) {
  struct found f = {0};
  autofree_argv ask = {0};
  argv_add(&ask, program);
  argv_add_all(&ask, in->question.args);
  struct job job = {.args = ask.args};
  scratch_run(&job, 1, 1);
  if (arch && kind->dryrun)
    find_files_of_nvcc(&f, program, ccbin, &job);
  else
    read_steps(in, &f, program, &job);
  if (!digest_answer(in->plan, kind, &job)) {
    argv_free(&in->question);
    read_version(version, program);
  }
  *files = f.files;
  argv_free(&f.loads);
  buf_free(&job.output);
}

/* ---- the memo ---- */

/* The name of the memo, whose text has two lines for each file: "DIGEST STAMP", and its path. */
#define MEMO "compiler"

/* Does TEXT have the digest of FILE with the present stamp STAMP? */
static bool memo_knows(const char *text, const char *file, const char *stamp,
                       char digest[DIGEST_HEX]) {
  bool known = false;
  char *facts, *path;
  for (const char *at = text; !known && memofile_next_file(&at, &facts, &path);
       free(facts), free(path)) {
    known = strlen(facts) > DIGEST_HEX && strcmp(path, file) == 0 &&
            strcmp(facts + DIGEST_HEX, stamp) == 0;
    if (known)
      memcpy(digest, facts, DIGEST_HEX - 1);
  }
  return known;
}

/* Does TEXT, which may be NULL, have the present digests of all FILES? */
static bool memo_knows_all(const char *text, const struct argv *files) {
  char stamp[STAMP_SIZE], digest[DIGEST_HEX];
  bool all = text;
  for (size_t i = 0; i < files->n && all; i++) {
    toolchain_stamp(stamp, files->args[i]);
    all = memo_knows(text, files->args[i], stamp, digest);
  }
  return all;
}

/* The lock for reading files that MEMO lacks: of the compiles of a build that begin together one
 * reads the compiler, and the others wait for it. Errors are ignored: then each reads it. */
static int memo_enter(const char *lock) {
  autofree char *dir = path_dir(lock), *err = NULL;
  int fd = -1;
  bool waited;
  if (dir_make(dir))
    lock_take(&fd, lock, &(struct lock_wait){.patience = 20}, &waited, &err);
  return fd;
}

/* Add FILES to the tools of IN. */
static void add_tools(struct inputs *in, const struct argv *files, const char *memo) {
  autofree char *known = memofile_read(memo, MEMO), *lock = xasprintf("%s.lock", memo);
  int turn = -1;
  if (!memo_knows_all(known, files)) {
    turn = memo_enter(lock);
    free(known);
    known = memofile_read(memo, MEMO);
  }
  autofree_buf b = {0};
  buf_puts(&b, "");
  for (size_t i = 0; i < files->n; i++) {
    char stamp[STAMP_SIZE], digest[DIGEST_HEX] = "";
    toolchain_stamp(stamp, files->args[i]);
    if (!known || !memo_knows(known, files->args[i], stamp, digest))
      digest_file(digest, files->args[i]);
    inputs_add(&in->tools, &in->ntools, digest, xstrdup(files->args[i]));
    memofile_put_file(&b, digest, stamp, files->args[i]);
  }
  if (!known || strcmp(known, b.data) != 0)
    memofile_write(memo, MEMO, b.data); /* on failure the files are hashed again next time */
  lock_release(turn, lock);
}

/* The digest of all tools, from the sorted digests of the files and VERSION: names and places do
 * not matter. */
static void digest_tools(struct inputs *in, const struct buf *version) {
  autofree_argv list = {0};
  autofree_buf b = {0};
  buf_add(&b, version->len ? version->data : "", version->len);
  if (in->question.n)
    buf_printf(&b, "plan %s\n", in->plan);
  for (size_t i = 0; i < in->ntools; i++)
    argv_add(&list, in->tools[i].digest);
  argv_sort(&list);
  buf_puts(&b, "compiler");
  for (size_t i = 0; i < in->ntools; i++)
    buf_puts(&b, list.args[i]);
  digest_bytes(in->compiler, b.data, b.len);
}

void toolchain_read(struct inputs *in, const char *program, const struct compiler *kind,
                    const char *arch, const char *ccbin, const char *memo) {
  autofree_argv files = {0};
  autofree_buf version = {0};
  steps_question_of_nothing(&in->question, kind, arch, ccbin);
  find_files(in, &files, &version, program, kind, arch, ccbin);
  add_tools(in, &files, memo);
  in->program = xstrdup(program);
  digest_tools(in, &version);
}

char *toolchain_lto_linker(struct inputs *in, const char *program, const char *arch,
                           const char *memo) {
  struct lto_linker linker;
  autofree_argv all = {0}, files = {0};
  autofree_buf digests = {0};
  char digest[DIGEST_HEX], *word = NULL;
  size_t before = in->ntools;
  if (!str_same(last_nvcc, program)) {
    begin_plan(program, NULL);
    nvcc_ask(&last_plan, program, arch, NULL);
  }
  if (lto_linker_find(&linker, &last_plan, NULL)) {
    lto_linker_files(&linker, &all);
    for (size_t i = 0; i < all.n; i++)
      add_file(&files, all.args[i]);
    add_tools(in, &files, memo);
    for (size_t i = before; i < in->ntools; i++)
      buf_puts(&digests, in->tools[i].digest);
    digest_bytes(digest, digests.data ? digests.data : "", digests.len);
    word = xasprintf("%s %s", lto_linker_name(&linker), digest);
  }
  lto_linker_free(&linker);
  return word;
}
