/* deploy.c - the install tree of a library of kernels:
 *
 *     DEST/libmha_fwd.so  libmha_bwd.so
 *     DEST/ck_jit/ckjit-compile                      compile kernels when they are first called
 *     DEST/ck_jit/ckjit  ckjit-prebuild              the commands for kernels and caches
 *     DEST/ck_jit/ck_jit_manifest.json               the blobs of all libraries, for ckjit-prebuild
 *     DEST/ck_jit/ck_jit_inputs/…                    the inputs of their keys, for ckjit-compile
 *     DEST/ck_jit/aiter/jit/build/…                  sources and headers of blobs, same places
 *
 * Everything is copied by content, so the aiter checkout and the work directory can be deleted, and
 * DEST can be moved. A library finds ck_jit/ beside itself, and "{root}/" in the flags of its blobs
 * means that directory. The names of the build are removed from the copies (buildplaces.h).
 *
 * The tree is made in a separate directory, DEST/.ckjit-tmp-<owner>-XXXXXX, and then renamed piece
 * by piece. It is made within DEST because DEST may be a mount point, and a directory beside it on
 * another file system. Its name identifies the process that makes it (core/cache/owned.h): the next
 * install removes it if that process was killed. The directory ck_jit is exchanged atomically if
 * the kernel can do that, so that a process that uses an older install never finds it missing. */
#include "deploy.h"
#include "libraries.h"
#include "tree.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/cache/inputs.h"
#include "core/cache/owned.h"
#include "core/files/buildplaces.h"
#include "core/files/manifest.h"
#include "core/files/sourcetext.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static const char MANIFEST[] = "ck_jit_manifest.json";
#define TEMPORARY ".ckjit-tmp" /* as in checkout.c */
static const char ROOT_MARK[] = "{root}";
/* One {root}-relative name a line: every header that the blobs read, as the compiler listed them
 * for their keys. This includes headers that no -I names: those found relative to the file that
 * includes them. */
static const char HEADERS[] = "ck_jit_headers.txt";
static const char *const programs[] = {"ckjit", "ckjit-compile", "ckjit-prebuild"};
enum { NPROGRAMS = sizeof programs / sizeof *programs };

/* ---- an installation in progress ---- */

struct installer {
  const char *dest;
  char *tmp;    /* DEST/.ckjit-tmp-<owner>-XXXXXX */
  char *ck_jit; /* TMP/ck_jit */
  struct tree headers, others;
  /* {root}-relative names that were copied already */
  struct argv copied;
  /* Sources that were removed or changed since the compile: destination and text of each. */
  struct argv kept;
  struct sourcetext_digests texts; /* of the library that is being added */
  /* destinations of sources whose texts were kept */
  struct intern placed;
  struct argv digests; /* the digest of each of them */
};

/* Complain and leave DEST unchanged. */
static _Noreturn void give_up(struct installer *in, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void give_up(struct installer *in, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *text = xvasprintf(fmt, ap);
  va_end(ap);
  owned_remove(in->tmp);
  die(EXIT_FAILED, "install into %s: %s", in->dest, text);
}

/* In a directory of headers everything is copied except the products of a build: kernels include
 * files of any name (.inc, .def, none). */
static enum tree_action choose_header(const char *below, const struct stat *st, void *user) {
  (void)user;
  static const char *const products[] = {".o", ".so", ".a", ".d", ".pyc", ".rsp", ".ninja", ".log"};
  const char *name = path_base(below);
  if (S_ISDIR(st->st_mode))
    return strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0 ? TREE_SKIP : TREE_COPY;
  for (size_t i = 0; i < sizeof products / sizeof *products; i++)
    if (str_ends(name, products[i]))
      return TREE_SKIP;
  return str_starts(name, ".ninja_") ? TREE_SKIP : TREE_COPY;
}

/* From a directory of -L only the libraries are copied. */
static enum tree_action choose_library(const char *below, const struct stat *st, void *user) {
  (void)user;
  if (S_ISDIR(st->st_mode))
    return TREE_SKIP;
  return strstr(path_base(below), ".so") || str_ends(below, ".a") ? TREE_COPY : TREE_SKIP;
}

static void start(struct installer *in, const char *dest) {
  *in = (struct installer){
      .dest = dest, .headers.choose = choose_header, .others.choose = choose_library};
  autofree char *prefix = path_join(dest, TEMPORARY);
  owned_sweep(dest, TEMPORARY "-");
  in->tmp = dir_make(dest) ? owned_make(prefix) : NULL;
  if (!in->tmp)
    die(EXIT_FAILED, "install into %s: cannot make a directory there: %s", dest, strerror(errno));
  in->ck_jit = path_join(in->tmp, "ck_jit");
  if (!dir_make(in->ck_jit))
    give_up(in, "cannot make %s: %s", in->ck_jit, strerror(errno));
}

/* ---- files that the blobs need ---- */

/* Copy BELOW, a file or directory relative to ROOT, unless that was done. A missing one is skipped:
 * compilers ignore an include directory that does not exist. */
static void copy_below(struct installer *in, struct tree *tree, const char *root,
                       const char *below) {
  autofree char *from = path_join(root, below), *key = xasprintf("%s/%s", root, below),
                *to = path_join(in->ck_jit, below);
  bool done = false;
  for (size_t i = 0; i < in->copied.n && !done; i++)
    done = strcmp(in->copied.args[i], key) == 0;
  bool ok = true;
  if (!done) {
    argv_add(&in->copied, key);
    if (file_is_dir(from))
      ok = tree_copy(tree, from, to);
    else if (file_exists(from))
      ok = tree_copy_file(tree, from, to);
  }
  if (!ok)
    give_up(in, "%s", tree->err);
}

/* Copy every {root}/… path in WORDS. */
static void copy_paths(struct installer *in, struct tree *tree, const char *root,
                       const struct argv *words) {
  for (size_t i = 0; i < words->n; i++)
    for (const char *s = words->args[i]; (s = strstr(s, ROOT_MARK));) {
      s += strlen(ROOT_MARK);
      size_t n = strcspn(s, ",\"'");
      autofree char *path = xasprintf("/%.*s", (int)n, s), *norm = path_abs(path);
      copy_below(in, tree, root, norm + 1);
    }
}

static void copy_listed_headers(struct installer *in, const struct library *lib, const char *root) {
  autofree char *file = path_join(lib->dir, HEADERS);
  size_t len;
  autofree char *text = file_read(file, &len);
  if (!text && errno != ENOENT)
    give_up(in, "cannot read %s: %s", file, strerror(errno));
  for (char *s = text; s && *s;) {
    size_t n = strcspn(s, "\n");
    autofree char *line = xstrndup(s, n);
    const char *below = str_starts(line, "{root}/") ? line + strlen("{root}/") : line;
    if (*below && *below != '/')
      copy_below(in, &in->headers, root, below);
    s += n + (s[n] == '\n');
  }
}

/* The source FROM belongs at TO. If it was removed, or differs from the one that LIB was built
 * from, and its text was kept, that text is written at the end, over the copy of its directory.
 * False: not necessary. */
static bool take_kept(struct installer *in, const struct library *lib, const char *from,
                      const char *to) {
  const char *kept = sourcetext_digest(&in->texts, from);
  char now[DIGEST_HEX];
  if (!kept)
    return false;
  if (intern_new(&in->placed, to))
    argv_add(&in->digests, kept);
  else if (strcmp(in->digests.args[intern_find(&in->placed, to)], kept) != 0)
    give_up(
        in,
        "%s: libraries were compiled from different texts of it; give the sources different names",
        from);
  if (digest_file(now, from) && strcmp(now, kept) == 0)
    return false;
  size_t len;
  autofree char *file = xasprintf("%s/" INPUTS_DIR "/" SOURCETEXT_FILE, lib->dir);
  char *text = sourcetext_read(file, from, &len);
  if (text) {
    argv_add(&in->kept, to);
    argv_add_own(&in->kept, text);
  }
  return text;
}

static void write_kept(struct installer *in) {
  for (size_t i = 0; i < in->kept.n; i += 2) {
    const char *to = in->kept.args[i], *text = in->kept.args[i + 1];
    autofree char *dir = path_dir(to);
    if (!dir_make(dir) || !file_write(to, text, strlen(text), 0644))
      give_up(in, "cannot write %s: %s", to, strerror(errno));
  }
}

/* SOURCE of WHAT ("blob", "fragment") STEM, as a manifest or a list of LIB names it. */
static void copy_source(struct installer *in, const struct library *lib, const char *root,
                        const char *source, const char *what, const char *stem) {
  if (!str_starts(source, "{root}/")) {
    give_up(in,
            "the source of %s %s, %s, does not lie below the build's root %s, so that it cannot be "
            "installed; set CK_JIT_BASE to a directory that holds all sources and build again",
            what, stem, source, *root ? root : "(none)");
  }
  const char *below = source + strlen("{root}/");
  autofree char *from = path_join(root, below), *to = path_join(in->ck_jit, below);
  if (!take_kept(in, lib, from, to)) {
    if (!file_exists(from))
      give_up(in, "the source of %s %s is gone: %s; build again", what, stem, from);
    if (!tree_copy_file(&in->others, from, to))
      give_up(in, "%s", in->others.err);
  }
}

static void copy_sources(struct installer *in, const struct library *lib, const struct manifest *m,
                         const char *root) {
  for (size_t i = 0; i < m->nblobs; i++)
    copy_source(in, lib, root, m->blobs[i].source, "blob", m->blobs[i].stem);
}

static void add_file(struct installer *in, const char *from, const char *dir, const char *name) {
  autofree char *to = path_join(dir, name);
  if (!file_copy(from, to))
    give_up(in, "cannot copy %s to %s: %s", from, to, strerror(errno));
}

/* Copy the files that the list FILE refers to: the lists of a blob's parts, which are in FROM, and
 * the fragments. */
static void copy_fragments(struct installer *in, const struct library *lib, const char *file,
                           const char *from, const char *to, const char *root) {
  char *err = NULL;
  struct inputs *list_of = inputs_read(file, &err);
  if (!list_of)
    give_up(in, "%s", err);
  if (*list_of->entry) {
    autofree char *list = path_join(from, list_of->entry);
    add_file(in, list, to, list_of->entry);
  }
  for (size_t i = 0; i < list_of->nfragments; i++) {
    const struct input_fragment *f = &list_of->fragments[i];
    autofree_argv flags = {0};
    autofree char *list = path_join(from, f->list);
    add_file(in, list, to, f->list);
    copy_source(in, lib, root, f->source, "fragment", f->stem);
    argv_split(&flags, f->flags, strlen(f->flags));
    copy_paths(in, &in->headers, root, &flags);
  }
  inputs_free(list_of);
}

/* Copy the lists of inputs of the keys (core/cache/inputs.h): without them nothing can be
 * compiled. */
static void copy_inputs(struct installer *in, const struct library *lib, const struct manifest *m,
                        const char *root) {
  autofree char *from = path_join(lib->dir, INPUTS_DIR), *to = path_join(in->ck_jit, INPUTS_DIR);
  if (!dir_make(to))
    give_up(in, "cannot make %s: %s", to, strerror(errno));
  for (size_t i = 0; i < m->ngroups; i++) {
    const char *name = m->groups[i].inputs;
    autofree char *file = path_join(from, name ? name : "");
    if (name && *name) {
      add_file(in, file, to, name);
      copy_fragments(in, lib, file, from, to, root);
    }
  }
}

/* The root of a manifest; if the work directory was moved since, its new place. */
static char *find_root(const struct library *lib, const struct manifest *m) {
  if (file_is_dir(m->root))
    return xstrdup(m->root);
  autofree char *work = path_dir(lib->dir);
  return path_join(work, path_base(m->root));
}

/* ---- the files ---- */

static void add_library(struct installer *in, const struct library *lib, struct manifest **merged) {
  autofree char *file = path_join(lib->dir, MANIFEST);
  char *err;
  struct manifest *m = manifest_read(file, &err);
  if (!m)
    give_up(in, "%s", err);
  autofree char *root = find_root(lib, m);
  autofree char *texts = xasprintf("%s/" INPUTS_DIR "/" SOURCETEXT_FILE, lib->dir);
  sourcetext_digests_read(&in->texts, texts);
  copy_sources(in, lib, m, root);
  for (size_t i = 0; i < m->ngroups; i++) {
    copy_paths(in, &in->headers, root, &m->groups[i].flags);
    copy_paths(in, &in->others, root, &m->groups[i].link);
  }
  copy_listed_headers(in, lib, root);
  copy_inputs(in, lib, m, root);
  in->texts = (struct sourcetext_digests){0};
  if (!*merged)
    *merged = m;
  else if (!manifest_merge(*merged, m, &err))
    give_up(in, "%s", err);
}

static void add_programs(struct installer *in) {
  for (int i = 0; i < NPROGRAMS; i++) {
    autofree char *from = install_program(programs[i]);
    if (!from)
      give_up(in, "%s is not installed beside this program; run `make install` again", programs[i]);
    add_file(in, from, in->ck_jit, programs[i]);
  }
}

static void add_shared_objects(struct installer *in, const struct library *libs, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *so = libs[i].state->out_so;
    if (!file_exists(so))
      give_up(in, "%s is gone; run `ckjit full` again", so);
    add_file(in, so, in->tmp, path_base(so));
    autofree char *copy = path_join(in->tmp, path_base(so));
    char *err;
    if (!build_places_clear(copy, &err))
      give_up(in, "%s", err);
  }
}

/* ---- replacing the former ones ---- */

/* Replace DEST/NAME by TMP/NAME; the old one is removed with TMP. */
static void move_in(struct installer *in, const char *name) {
  autofree char *from = path_join(in->tmp, name), *to = path_join(in->dest, name),
                *old = xasprintf("%s/old-%s", in->tmp, name);
  if (file_is_dir(to) && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
    return;
  if (file_is_dir(to) && rename(to, old))
    give_up(in, "cannot replace %s: %s", to, strerror(errno));
  if (rename(from, to))
    give_up(in, "cannot write %s: %s", to, strerror(errno));
}

static void finish(struct installer *in, const struct library *libs, size_t n, bool with_ck_jit) {
  if (with_ck_jit)
    move_in(in, "ck_jit");
  for (size_t i = 0; i < n; i++)
    move_in(in, path_base(libs[i].state->out_so));
  if (!owned_remove(in->tmp))
    warn("cannot remove %s: %s; nothing needs it, remove it by hand", in->tmp, strerror(errno));
}

void deploy_check(const struct argv *names, const char *dest) {
  autofree char *below = path_join("ck_jit", MANIFEST), *file = path_join(dest, below);
  char *err;
  struct manifest *m = file_exists(file) ? manifest_read(file, &err) : NULL;
  for (size_t i = 0; m && i < m->libraries.n; i++) {
    const char *name = m->libraries.args[i];
    autofree char *so = path_join(dest, name);
    bool replaced = !file_exists(so);
    for (size_t k = 0; k < names->n && !replaced; k++)
      replaced = strcmp(names->args[k], name) == 0;
    if (!replaced)
      die(EXIT_FAILED,
          "%s holds %s of an earlier install, which is not a library of this work directory; build "
          "it into the same --tmp-dir, remove it, or choose another --install-dir",
          dest, name);
  }
}

void deploy_tree(const struct library *libs, size_t n, const char *dest) {
  struct installer in;
  struct manifest *merged = NULL;
  autofree_argv names = {0};
  for (size_t i = 0; i < n; i++)
    argv_add(&names, path_base(libs[i].state->out_so));
  deploy_check(&names, dest);
  char *err;
  start(&in, dest);
  for (size_t i = 0; i < n; i++)
    add_library(&in, &libs[i], &merged);
  write_kept(&in);
  add_programs(&in);
  add_shared_objects(&in, libs, n);
  merged->root = xstrdup(""); /* the directory of the manifest itself */
  autofree char *file = path_join(in.ck_jit, MANIFEST);
  if (!manifest_write(merged, file, &err))
    give_up(&in, "%s", err);
  finish(&in, libs, n, true);
}

bool deploy_has(const char *dest, const char *name) {
  autofree char *below = path_join("ck_jit", MANIFEST), *file = path_join(dest, below),
                *so = path_join(dest, name);
  char *err;
  struct manifest *m = file_exists(file) && file_exists(so) ? manifest_read(file, &err) : NULL;
  return m && argv_has(&m->libraries, name);
}

void deploy_libraries(const struct library *libs, size_t n, const char *dest) {
  struct installer in;
  start(&in, dest);
  add_programs(&in);
  add_shared_objects(&in, libs, n);
  for (int i = 0; i < NPROGRAMS; i++) {
    autofree char *from = path_join(in.ck_jit, programs[i]),
                  *below = path_join("ck_jit", programs[i]);
    autofree char *to = path_join(dest, below);
    if (rename(from, to))
      give_up(&in, "cannot write %s: %s", to, strerror(errno));
  }
  finish(&in, libs, n, false);
}
