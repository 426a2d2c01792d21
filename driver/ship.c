/* ship.c - `ckjit bundle`: libraries that can be given away, because they carry what their kernels
 * are compiled from.
 *
 * A library of a build is linked again, with a bundle in a separate section (postbuild/embed.c).
 * Libraries of an install tree share its ck_jit/, which becomes one file beside them. --list says
 * of each file that a kernel is compiled from whether it is carried. */
#include "common.h"
#include "libraries.h"
#include "relink.h"
#include "worklock.h"
#include "core/base/elf.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/cache/inputs.h"
#include "core/cache/toolchain.h"
#include "core/files/buildplaces.h"
#include "core/files/manifest.h"
#include "core/files/sourcebundle.h"

#include "abi/ck_jit_bundle.h"

#include <dirent.h>

struct request {
  char *output;
  struct aot_list list;
  bool lists, verbose;
};

static void add_list(void *into, const char *option, const char *value) {
  aot_list_add(&((struct request *)into)->list, options_path(option, value));
}

static const struct option_row rows[] = {
    {"output", "DIR", ABSOLUTE_INTO(struct request, output),
     "write the libraries there, with ck_jit.bundle if they share one (default: in place)",
     .letter = 'o'},
    {"aot-list", "FILE", OPTION_CALL, 0,
     "kernels to compile and link in: names, one a line, or a capture (CK_JIT_CAPTURE); - is "
     "standard input; may be repeated",
     .call = add_list},
    {"list", NULL, FLAG_INTO(struct request, lists),
     "write nothing; print each file that the kernels are compiled from: carried, toolkit or "
     "system, a tab, its name",
     .excludes = "output aot-list"},
    {"verbose", NULL, FLAG_INTO(struct request, verbose), "show the output of the link steps"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit bundle --help",
    .usage = "ckjit bundle [OPTION…] LIBRARY…",
    .text = "Let libraries carry what their kernels are compiled from: sources, the texts of units "
            "and headers, but for those of the compiler, its toolkit and the system. Such a "
            "library needs no ckjit, no sources and no work directory where it is used. A library "
            "of a build is linked again; libraries of an install tree get one file, ck_jit.bundle, "
            "in place of ck_jit/.",
    .rows = rows,
    .operands = ":file",
};

/* ---- --list ---- */

/* Is FILE of the compiler's toolkit, the directory above PROGRAM's? */
static bool is_of_toolkit(const char *file, const char *program) {
  autofree char *bin = path_dir(program), *top = path_dir(bin);
  bool is = strcmp(top, "/usr") != 0 && strcmp(top, "/") != 0 && path_within(file, top);
  return is || strstr(file, "/cuda") || strstr(file, "/rocm") || strstr(file, "/hip/") ||
         strstr(file, "/clang/");
}

/* Append the files of library FILE's lists that a bundle never has. */
static void add_others(struct argv *lines, const char *file) {
  struct inputs *in;
  char *err = NULL;
  for (size_t i = 0; (in = inputs_read_library(file, i, &err)); i++) {
    argv_addf(lines, "toolkit\t%s", in->program);
    for (size_t k = 0; k < in->nheaders; k++) {
      const struct input *h = &in->header[k];
      if (*h->path == '/' && strcmp(h->digest, DIGEST_NONE) != 0)
        argv_addf(lines, "%s\t%s", is_of_toolkit(h->path, in->program) ? "toolkit" : "system",
                  h->path);
    }
    inputs_free(in);
  }
  if (err)
    die(EXIT_FAILED, "%s", err);
}

static struct sourcebundle *bundle_of(const char *file) {
  autofree char *in = sourcebundle_of(file);
  char *err = NULL;
  struct sourcebundle *b = sourcebundle_open(in ? in : file, &err);
  if (!b)
    die(EXIT_FAILED, "%s", err);
  return b;
}

static void list_files(char **libraries) {
  autofree_argv lines = {0};
  for (char **file = libraries; *file; file++) {
    struct sourcebundle *b = bundle_of(*file);
    for (size_t i = 0; i < b->n; i++)
      argv_addf(&lines, "carried\t%s", b->entries[i].name);
    sourcebundle_free(b);
    add_others(&lines, *file);
  }
  argv_unique(&lines);
  for (size_t i = 0; i < lines.n; i++)
    puts(lines.args[i]);
}

/* ---- libraries of an install tree ---- */

/* A library in the directory of TO that has the bundle there, and is none of LIBRARIES; free() it.
 * NULL: there is none. */
static char *other_beside(const char *to, char **libraries) {
  autofree char *dir = path_dir(to);
  char *other = NULL;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && !other && (e = readdir(d));) {
    struct elf_section s;
    bool named = false;
    autofree char *file = path_join(dir, e->d_name);
    for (char **l = libraries; *l; l++)
      named |= strcmp(path_base(*l), e->d_name) == 0;
    autofree char *note =
        named || !file_is_regular(file) ? NULL : elf_read_section(file, ".note.ckjit", &s);
    if (note && !sourcebundle_is_in(file))
      other = xstrdup(file);
  }
  if (d)
    closedir(d);
  return other;
}

/* End the program if TO is the bundle of a library that is none of LIBRARIES, and not BYTES. */
static void keep_others(const char *to, const struct buf *bytes, char **libraries) {
  size_t n = 0;
  autofree char *there = file_exists(to) ? file_read(to, &n) : NULL;
  bool same = there && n == bytes->len && memcmp(there, bytes->data, n) == 0;
  autofree char *other = there && !same ? other_beside(to, libraries) : NULL;
  if (other)
    die(EXIT_FAILED,
        "%s belongs to %s as well, and one directory has one bundle; name that library too if its "
        "ck_jit/ is the same, else give another --output",
        to, other);
}

/* Write the bundle of the install tree TREE, of LIBRARIES, to TO. */
static void write_shared(const char *tree, const char *to, char **libraries) {
  struct sourcebundle_files files = {0};
  autofree_buf bytes = {0};
  autofree char *manifest = path_join(tree, MANIFEST_NAME),
                *compile = path_join(tree, "ckjit-compile"),
                *prebuild = path_join(tree, "ckjit-prebuild");
  char *err = NULL;
  struct manifest *m = manifest_read(manifest, &err);
  if (!m)
    die(EXIT_FAILED, "%s", err);
  const struct compiler *kind = manifest_kind(m, &m->groups[0]);
  autofree char *release = toolchain_release(manifest_compiler(m, &m->groups[0]), kind);
  if (!sourcebundle_add_tree(&files, tree, &err))
    die(EXIT_FAILED, "%s", err);
  sourcebundle_drop(&files, "ckjit");
  sourcebundle_drop(&files, "ckjit-compile");
  sourcebundle_drop(&files, "ckjit-prebuild");
  if (!sourcebundle_add_program(&files, prebuild, &err) ||
      !sourcebundle_write(&bytes, &files, compile, kind->kind, release, &err))
    die(EXIT_FAILED, "%s", err);
  keep_others(to, &bytes, libraries);
  if (!file_write(to, bytes.data, bytes.len, 0644))
    die(EXIT_FAILED, "cannot write %s: %s", to, strerror(errno));
  manifest_free(m);
}

/* ---- libraries of a build ---- */

/* Copy library FROM to DIR, unless it is there. */
static void copy_to(const char *from, const char *dir) {
  autofree char *to = path_join(dir, path_base(from)), *full = path_abs(from);
  if (strcmp(full, to) != 0 && !file_copy(from, to))
    die(EXIT_FAILED, "cannot copy %s to %s: %s", from, to, strerror(errno));
}

/* The directory that the link of library FILE left in its work directory; free() it. */
static char *directory_of(const char *file) {
  char *dir;
  if (!build_places_directory(file, &dir))
    die(EXIT_FAILED, "%s: cannot read it, or it is no library with lazy kernels", file);
  if (!dir || !file_is_dir(dir))
    die(EXIT_FAILED,
        "%s: %s%s; build it again with `ckjit run --bundle`, or bundle it before its build tree is "
        "removed",
        file,
        dir ? "its work directory is gone: "
            : "it has no ck_jit directory beside it, and no names of its build",
        dir ? dir : "");
  return dir;
}

static bool relink(const char *file, const struct request *r) {
  static char *locked; /* the last work directory */
  autofree char *dir = directory_of(file), *work = path_dir(dir), *full = path_abs(file);
  if (!locked || strcmp(locked, work) != 0)
    work_lock(work);
  free(locked);
  locked = xstrdup(work);
  struct library lib = library_read(dir);
  if (strcmp(lib.state->out_so, full) != 0)
    die(EXIT_FAILED, "%s: is a copy of %s, which the build has linked; bundle that, and copy it",
        file, lib.state->out_so);
  return relink_libraries(&lib, 1, &r->list, r->verbose);
}

/* Bundle FILE of LIBRARIES; *SHARED is the last install tree that was written. */
static bool bundle(const char *file, char **libraries, const struct request *r, char **shared) {
  autofree char *dir = path_dir(file), *tree = path_join(dir, "ck_jit"),
                *to = path_join(r->output ? r->output : dir, CKJIT_BUNDLE_FILE);
  bool ok = true;
  if (sourcebundle_is_in(file) && !r->list.given) {
    note("%s: it has its bundle already", file);
  } else if (file_is_dir(tree)) {
    if (r->list.given)
      die(EXIT_FAILED, "%s: it is installed; give --aot-list to ckjit relink --install-dir first",
          file);
    if (r->output && *shared && strcmp(*shared, tree) != 0)
      die(EXIT_FAILED,
          "%s and another library have a ck_jit/ each, %s and %s, and one directory has one "
          "bundle; "
          "give each its own --output, or build both in one --tmp-dir",
          file, tree, *shared);
    if (!*shared || strcmp(*shared, tree) != 0)
      write_shared(tree, to, libraries);
    free(*shared);
    *shared = xstrdup(tree);
  } else {
    ok = relink(file, r);
  }
  if (ok && r->output)
    copy_to(file, r->output);
  if (ok)
    step_says("bundled", "%s", file);
  return ok;
}

int build_bundle(char **argv) {
  struct request r = {.list.bundle = true};
  char **libraries = options_read(&page, &r, argv), *shared = NULL;
  bool ok = true;
  if (!*libraries)
    usage_error("bundle", "expected a library");
  if (r.lists) {
    list_files(libraries);
    return streams_answered();
  }
  if (r.output)
    require_writable_dir(r.output, "--output");
  for (char **file = libraries; *file; file++)
    if (!file_is_regular(*file))
      die(EXIT_FAILED, "%s: there is no such file; expected a library", *file);
  for (char **file = libraries; *file && ok; file++)
    ok = bundle(*file, libraries, &r, &shared);
  return ok ? EXIT_OK : EXIT_FAILED;
}
