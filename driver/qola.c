/* qola.c - `full --with-qola`: QoLA's build of the libraries of a manifest, in place of aiter's
 * compile.py.
 *
 * QoLA is a Python package that calls aiter's build_module() with its own sources, flags and linker
 * script, once for each module of a TOML manifest, so that one build makes several libraries. It
 * writes into its own directory. So the package is copied as well, into the copy of the checkout,
 * and so is its output, because all sources of kernels have to lie below one directory. A manifest
 * does not say how a library will be called: those that the build has linked are found by their
 * state files. */
#include "qola.h"
#include "checkout.h"
#include "tree.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/base/vec.h"

#include <dirent.h>
#include <unistd.h>

/* In the copy of the checkout: the parent of the package, and QoLA's --output-dir. */
#define COPY ".qola"
#define OUTPUT ".qola-output"

/* Does the `build` of F's QoLA take OPTION? */
static bool takes(const struct full *f, const char *option) {
  autofree char *cli = path_join(f->qola_dir, "qola/cli.py");
  size_t len;
  autofree char *text = file_read_text(cli, &len);
  return text && strstr(text, option);
}

void qola_check(const struct full *f) {
  autofree char *cli = path_join(f->qola_dir, "qola/cli.py");
  size_t len;
  autofree char *text = file_read_text(f->qola_manifest, &len);
  if (!file_exists(cli))
    die(EXIT_FAILED,
        "--qola-dir %s: no qola/cli.py in it; expected a checkout of QoLA; is a submodule empty?",
        f->qola_dir);
  if (takes(f, "--aiter-commit") && !takes(f, "--skip-checkout"))
    die(EXIT_FAILED,
        "--qola-dir %s: this QoLA checks aiter out itself, over the copy of --aiter-dir; expected "
        "one whose `build` has --skip-checkout, or none of --aiter-commit",
        f->qola_dir);
  if (!text)
    die(EXIT_FAILED, "--qola-manifest %s: cannot be read: %s", f->qola_manifest, strerror(errno));
  if (!strstr(text, "[[modules]]") && !strstr(text, "[[mha_fwd_variants]]"))
    die(EXIT_FAILED,
        "--qola-manifest %s: is no manifest of QoLA: it has no [[modules]]; expected such as "
        "example/te-manifest.toml in QoLA",
        f->qola_manifest);
}

/* D/qola: the rest of QoLA, such as a submodule of aiter, takes no part in a build. */
static char *package_of(const struct full *f) {
  return path_join(f->qola_dir, "qola");
}

char *qola_digest(const struct full *f) {
  struct checkout list = {0};
  autofree char *package = package_of(f);
  char manifest[DIGEST_HEX];
  checkout_list(&list, package, f->tmp);
  digest_file(manifest, f->qola_manifest);
  argv_addf(&list.files, "%s 0 0 manifest", manifest);
  return checkout_digest(&list);
}

void qola_copy(const struct full *f, const char *shadow) {
  struct checkout list = {0};
  autofree char *from = package_of(f), *to = path_join(shadow, COPY "/qola");
  checkout_copy(&list, from, to, f->tmp);
}

char *qola_place(const char *shadow) {
  return path_join(shadow, COPY);
}

void qola_command(struct argv *command, const struct full *f, const char *shadow) {
  argv_add_words(command, "python3", "-m", "qola.cli", "build", "--manifest", f->qola_manifest,
                 "--aiter-root", shadow, "--output-dir", NULL);
  argv_add_own(command, path_join(shadow, OUTPUT));
  argv_add_words(command, "--arch", f->archs, NULL);
  if (takes(f, "--skip-checkout")) /* an older QoLA checks nothing out */
    argv_add(command, "--skip-checkout");
}

struct library *qola_libraries(const struct full *f, size_t *n) {
  autofree char *shadow = shadow_of(f, QOLA);
  size_t found;
  autofree struct library *all = libraries_find(f->tmp, &found);
  struct library *libs = NULL;
  *n = 0;
  for (size_t i = 0; i < found; i++)
    if (path_within(all[i].state->out_so, shadow))
      vec_push(libs, *n, all[i]);
  return libs;
}

void qola_forget(const struct full *f, bool all) {
  DIR *d = opendir(f->tmp);
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *dir = path_join(f->tmp, e->d_name), *state = path_join(dir, STATE_FILE),
                  *objects = path_join(dir, "objs");
    if (e->d_name[0] != '.')
      unlink(state);
    if (all && e->d_name[0] != '.' && file_is_dir(objects) && !dir_remove(dir))
      die(EXIT_FAILED, "cannot remove %s, of an earlier build: %s", dir, strerror(errno));
  }
  if (d)
    closedir(d);
}

/* Copy the entry NAME of QoLA's output to TO, replacing an earlier one. */
static void deliver(struct tree *tree, const char *from, const char *to, const char *name) {
  autofree char *source = path_join(from, name), *copy = path_join(to, name);
  bool ok = file_is_dir(copy) ? dir_remove(copy) : !unlink(copy) || errno == ENOENT;
  if (!ok)
    die(EXIT_FAILED, "cannot replace %s: %s", copy, strerror(errno));
  if (!(file_is_dir(source) ? tree_copy(tree, source, copy) : tree_copy_file(tree, source, copy)))
    die(EXIT_FAILED, "%s", tree->err);
}

void qola_deliver(const struct full *f, const struct library *libs, size_t n) {
  autofree char *shadow = shadow_of(f, QOLA), *from = path_join(shadow, OUTPUT);
  struct tree tree = {0};
  DIR *d = opendir(from);
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.' && e->d_name[0] != '_') /* those are the build's */
      deliver(&tree, from, f->qola_output, e->d_name);
  if (d)
    closedir(d);
  for (size_t i = 0; i < n; i++) { /* QoLA's copy has no kernels of an --aot-list */
    autofree char *lib = path_join(f->qola_output, "lib"),
                  *to = path_join(lib, path_base(libs[i].state->out_so));
    if (file_exists(to) && !file_copy(libs[i].state->out_so, to))
      die(EXIT_FAILED, "cannot write %s: %s", to, strerror(errno));
  }
}
