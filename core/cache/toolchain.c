/* toolchain.c - see toolchain.h. The compiler is asked for its steps, and the programs and bitcode files in
 * them are followed to the libraries they load. Hashing all of that takes a second. So the digests are kept
 * in a memo with a stamp for each file, and computed again only if a stamp has changed.
 */
#include "toolchain.h"

#include "core/cc/ccenv.h"
#include "core/base/elf.h"
#include "core/cc/nvcc.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void toolchain_stamp(char stamp[STAMP_SIZE], const char *file) {
  struct stat st;
  if (stat(file, &st))
    snprintf(stamp, STAMP_SIZE, "gone");
  else
    snprintf(stamp, STAMP_SIZE, "%lld %lld.%09ld %lld.%09ld %llu", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
             st.st_ctim.tv_nsec, (unsigned long long)st.st_ino);
}

/* ---- which files ---- */

/* Add FILE, with symbolic links resolved, once. False if it does not exist or is listed already. */
static bool add_file(struct argv *files, const char *file) {
  char *real = realpath(file, NULL);
  if (real && (argv_has(files, real) || file_is_dir(real) || access(real, R_OK) != 0)) {
    free(real);
    real = NULL;
  }
  if (real)
    argv_add_own(files, real);
  return real != NULL;
}

static bool loads_libraries(const char *file) {
  struct elf_section s;
  char *bytes = elf_read_section(file, ".interp", &s);
  free(bytes);
  return bytes;
}

/* Add the libraries that PROGRAM loads and that belong to a compiler, as the dynamic linker finds them. */
static void add_libraries(struct argv *files, const char *program) {
  static const char *const parts[] = {"LLVM", "clang", "lld", "comgr", "nvvm"};
  if (!loads_libraries(program))
    return; /* a static program or a script would run instead of listing its libraries */
  char *args[] = {(char *)"/usr/bin/env", (char *)"LD_TRACE_LOADED_OBJECTS=1", (char *)program, NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  for (char *line = job.output.data; line && *line;) {
    char *end = strchr(line, '\n'), *arrow = strstr(line, "=> /"), *file = NULL;
    if (arrow && (!end || arrow < end))
      file = xstrndup(arrow + 3, strcspn(arrow + 3, " \n"));
    for (size_t i = 0; file && i < sizeof parts / sizeof *parts; i++)
      if (strstr(path_base(file), parts[i])) {
        add_file(files, file);
        break;
      }
    free(file);
    line = end ? end + 1 : NULL;
  }
  buf_free(&job.output);
}

static bool is_bitcode(const char *name) {
  return str_ends(name, ".bc");
}

/* Add all bitcode beside FILE: flags and architecture decide which of it is linked. */
static void add_bitcode(struct argv *files, const char *file) {
  char *dir = path_dir(file);
  DIR *d = opendir(dir);
  struct argv names = {0};
  for (struct dirent *e; d && (e = readdir(d));)
    if (is_bitcode(e->d_name))
      argv_add_own(&names, path_join(dir, e->d_name));
  if (d)
    closedir(d);
  argv_sort(&names);
  for (size_t i = 0; i < names.n; i++)
    add_file(files, names.args[i]);
  argv_free(&names);
  free(dir);
}

/* Add the programs that clang starts from its own directory. */
static void add_neighbours(struct argv *files, const char *clang) {
  static const char *const names[] = {"lld", "ld.lld", "clang-offload-bundler", "llvm-link", "opt", "llc"};
  char *dir = path_dir(clang);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *file = path_join(dir, names[i]);
    if (add_file(files, file))
      add_libraries(files, files->args[files->n - 1]);
    free(file);
  }
  free(dir);
}

/* Read a line of -### output, a command or another line. */
static void read_command(struct argv *files, const char *line, size_t len) {
  struct argv words = {0};
  argv_split(&words, line, len);
  bool program = words.n > 1 && words.args[0][0] == '/' && access(words.args[0], X_OK) == 0;
  bool proper =
      program && (strcmp(words.args[1], "-cc1") == 0 || str_starts(path_base(words.args[0]), "cc1"));
  if (proper && add_file(files, words.args[0])) {
    add_libraries(files, files->args[files->n - 1]);
    if (strcmp(words.args[1], "-cc1") == 0)
      add_neighbours(files, words.args[0]);
  }
  for (size_t i = 0; proper && i < words.n; i++)
    if (is_bitcode(words.args[i]) && words.args[i][0] == '/')
      add_bitcode(files, words.args[i]);
  argv_free(&words);
}

/* Add the compiler proper of HOST, nvcc's host compiler, which is a gcc or clang. */
static void add_host_compiler(struct argv *files, const char *host) {
  char *args[] = {(char *)host, (char *)"-print-prog-name=cc1plus", NULL};
  struct job job = {.args = args};
  add_file(files, host);
  add_libraries(files, host); /* clang is its own compiler proper */
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.status == 0 && job.output.len && job.output.data[0] == '/') {
    job.output.data[strcspn(job.output.data, "\n")] = 0;
    add_file(files, job.output.data);
  }
  buf_free(&job.output);
}

/* The same for nvcc. Its host compiler is the one on the PATH, or given by -ccbin or NVCC_CCBIN. */
static void find_files_of_nvcc(struct argv *files, const char *program, const char *arch) {
  struct nvcc_plan plan;
  nvcc_ask(&plan, program, arch);
  add_file(files, program);
  for (size_t i = 0; i < plan.n; i++) {
    const char *step = plan.steps[i].words.args[0];
    switch (plan.steps[i].kind) {
    case NVCC_HOST:
      add_host_compiler(files, step);
      break;
    case NVCC_FRONT:
    case NVCC_CICC:
    case NVCC_PTXAS:
    case NVCC_FATBINARY:
      if (add_file(files, step))
        add_libraries(files, files->args[files->n - 1]);
      break;
    default:
      break;
    }
  }
  const char *library = nvcc_variable(&plan, "NVVMIR_LIBRARY_DIR");
  if (library) {
    char *inside = path_join(library, "x");
    add_bitcode(files, inside);
    free(inside);
  }
  nvcc_plan_free(&plan);
}

static void find_files(struct argv *files, const char *program, const struct compiler *kind,
                       const char *arch) {
  struct argv ask = {0};
  if (arch && kind->dialect == CC_NVCC) {
    find_files_of_nvcc(files, program, arch);
    return;
  }
  argv_add(&ask, program);
  argv_add(&ask, "-###");
  argv_add(&ask, "-x");
  argv_add(&ask, arch ? "hip" : "c++");
  argv_add(&ask, "-c");
  argv_add(&ask, "/dev/null");
  argv_add(&ask, "-o");
  argv_add(&ask, "/dev/null");
  if (arch && *arch)
    compiler_add_arch(&ask, kind->dialect, arch, strlen(arch));
  struct job job = {.args = ask.args};
  pool_run(&job, 1, 1, NULL, NULL);
  add_file(files, program);
  add_libraries(files, program);
  for (const char *line = job.output.data; line && *line;) {
    size_t len = strcspn(line, "\n");
    if (*line == ' ')
      read_command(files, line, len);
    line += len + (line[len] == '\n');
  }
  buf_free(&job.output);
  argv_free(&ask);
}

/* ---- the memo ---- */

/* Lines: "ckjit-compiler 1", the question, then "DIGEST STAMP" and the path for each file. */

/* The question that the memo answers. It includes variables, which decide which clang hipcc starts. The kind
 * is in it only if the name does not tell it, so that the memos of earlier versions remain valid. */
static char *question(const char *program, const struct compiler *kind, const char *arch) {
  struct buf b = {0};
  buf_printf(&b, "%s %s", program, arch ? arch : "-");
  if (arch && kind != compiler_by_name(program))
    buf_printf(&b, " %s", kind->kind);
  for (const struct cc_variable *v = ccenv; v->name; v++)
    if (v->what & CCENV_CHOOSES)
      buf_printf(&b, " %s=%s", v->name, getenv(v->name) ? getenv(v->name) : "");
  for (char *p = b.data; *p; p++)
    if (*p == '\n')
      *p = ' ';
  return b.data;
}

/* The line at *AT without its newline; free() it. NULL at the end. */
static char *next_line(const char **at) {
  if (!**at)
    return NULL;
  size_t n = strcspn(*at, "\n");
  char *line = xstrndup(*at, n);
  *at += n + ((*at)[n] == '\n');
  return line;
}

static bool memo_read(struct inputs *in, const char *memo, const char *asked) {
  size_t len;
  char *text = file_read(memo, &len);
  const char *at = text ? text : "";
  char *head = next_line(&at), *what = next_line(&at), *facts, *path = NULL;
  bool good = head && what && strcmp(head, "ckjit-compiler 1") == 0 && strcmp(what, asked) == 0;
  while (good && (facts = next_line(&at))) {
    char stamp[STAMP_SIZE], digest[DIGEST_HEX];
    path = next_line(&at);
    good = path && strlen(facts) > DIGEST_HEX;
    if (good) {
      toolchain_stamp(stamp, path);
      good = strcmp(facts + DIGEST_HEX, stamp) == 0;
      snprintf(digest, sizeof digest, "%s", facts);
      inputs_add(&in->tools, &in->ntools, digest, path);
    } else {
      free(path);
    }
    free(facts);
  }
  free(head);
  free(what);
  free(text);
  if (good && in->ntools)
    return true;
  for (size_t i = 0; i < in->ntools; i++)
    free(in->tools[i].path);
  free(in->tools);
  in->tools = NULL;
  in->ntools = 0;
  return false;
}

static void memo_write(const struct inputs *in, const char *memo, const char *asked) {
  struct buf b = {0};
  buf_printf(&b, "ckjit-compiler 1\n%s\n", asked);
  for (size_t i = 0; i < in->ntools; i++) {
    char stamp[STAMP_SIZE];
    toolchain_stamp(stamp, in->tools[i].path);
    buf_printf(&b, "%s %s\n%s\n", in->tools[i].digest, stamp, in->tools[i].path);
  }
  char *dir = path_dir(memo);
  if (dir_make(dir))
    file_write(memo, b.data, b.len, 0600); /* on failure the files are hashed again next time */
  free(dir);
  buf_free(&b);
}

/* Append the output of PROGRAM --version, without lines that name directories. It is all that is known of the
 * compiler behind a wrapper that does not answer -###. */
static void add_version(struct buf *out, const char *program) {
  char *args[] = {(char *)program, (char *)"--version", NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  const char *at = job.output.data ? job.output.data : "";
  for (char *line; (line = next_line(&at)); free(line))
    if (!strchr(line, '/'))
      buf_printf(out, "%s\n", line);
  buf_free(&job.output);
}

/* The digest of all tools, from the sorted digests of the files: names and places do not matter. */
static void digest_tools(struct inputs *in) {
  struct argv list = {0};
  struct buf b = {0};
  add_version(&b, in->program);
  for (size_t i = 0; i < in->ntools; i++)
    argv_add(&list, in->tools[i].digest);
  argv_sort(&list);
  buf_puts(&b, "compiler");
  for (size_t i = 0; i < in->ntools; i++)
    buf_puts(&b, list.args[i]);
  digest_bytes(in->compiler, b.data, b.len);
  buf_free(&b);
  argv_free(&list);
}

void toolchain_read(struct inputs *in, const char *program, const struct compiler *kind, const char *arch,
                    const char *memo) {
  char *asked = question(program, kind, arch);
  if (!memo_read(in, memo, asked)) {
    struct argv files = {0};
    find_files(&files, program, kind, arch);
    for (size_t i = 0; i < files.n; i++) {
      char digest[DIGEST_HEX];
      digest_file(digest, files.args[i]);
      inputs_add(&in->tools, &in->ntools, digest, xstrdup(files.args[i]));
    }
    argv_free(&files);
    memo_write(in, memo, asked);
  }
  free(asked);
  in->program = xstrdup(program);
  digest_tools(in);
}
