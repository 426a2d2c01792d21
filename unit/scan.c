/* scan.c - can a unit have kernels, by the text of its files alone?
 *
 * Many units have none: main programs, bindings, sources that are HIP because their library is.
 * Preprocessing one of them costs up to a tenth of its compile, reading its files a hundredth. So
 * the word __global__ is searched for in the source and in all files that it includes, as far as
 * the wrapper's own scan for depfiles finds them; for CUDA also in the toolkit's own headers,
 * because a call of thrust::sort launches kernels of Thrust. The compiler's other directories are
 * not searched: the real compiler gets a unit whose kernels come from there alone (Debian's
 * hipCUB).
 */
#include "unit.h"
#include "core/base/path.h"
#include "core/cc/deps.h"
#include "core/cc/kernelwords.h"

static bool file_has(const char *file, bool device) {
  autofree_argv one = {0};
  argv_add(&one, file);
  return kernelwords_in(&one, device);
}

bool unit_file_has_kernels(const char *file) {
  return file_has(file, false);
}

char *unit_toolkit(const struct unit *u) {
  autofree char *compiler = realpath(u->record.compiler, NULL),
                *bin = path_dir(compiler ? compiler : "/");
  return path_dir(bin);
}

/* Make A's headers be searched for in the toolkit of U's compiler as well, as nvcc does. */
static void add_toolkit(struct ccargs *a, const struct unit *u) {
  static const char *const below[] = {"include", "include/cccl"};
  enum { N = sizeof below / sizeof *below };
  autofree char *home = unit_toolkit(u);
  struct cc_dir *dirs = xcalloc(a->ndirs + N, sizeof *dirs);
  if (a->ndirs)
    memcpy(dirs, a->dirs, a->ndirs * sizeof *dirs);
  for (size_t i = 0; i < N; i++)
    dirs[a->ndirs++] = (struct cc_dir){CC_DIR_SYSTEM, path_join(home, below[i])};
  a->dirs = dirs;
}

/* As unit_files; with TOOLKIT also the files beside nvcc's own headers. */
static void find_files(const struct unit *u, bool system, bool toolkit, struct argv *files) {
  struct ccargs all = u->record.cc;
  autofree char *cache = path_join(u->work, DEPS_CACHE);
  size_t len;
  autofree char *text = file_read_text(all.source->text, &len);
  all.deps = (struct cc_deps){.wanted = true, .system = system};
  if (toolkit)
    add_toolkit(&all, u);
  if (text)
    deps_list(files, &all, NULL, text, len, cache);
}

void unit_files(const struct unit *u, bool system, struct argv *files) {
  find_files(u, system, false, files);
}

/* Do the source or its headers have the words? */
static bool includes(const struct unit *u, bool toolkit, bool device) {
  autofree_argv files = {0};
  find_files(u, true, toolkit, &files);
  return kernelwords_in(&files, device);
}

bool unit_may_have_kernels(struct unit *u) {
  bool device = unit_is_linked(u); /* kernels of other units may call its functions */
  bool may = file_has(u->record.cc.source->text, device) || (device && includes(u, false, true)) ||
             includes(u, unit_is_cuda(u), false);
  return may || unit_not_lazy(u, KERNELWORDS_NONE, device ? "__device__" : "__global__");
}
