/* export.c - `export`: kernels as files that do not need ckjit (docs/export.md).
 *
 * ckjit-compile --format makes each file, with the flags, checks and limits of every other compile.
 * This program decides which files there are (files.c) and how each is made (stages.c). Everything
 * is made in a directory beside the output and renamed when the last file is complete: either all
 * files are written or none.
 */
#include "export.h"
#include "abi/ck_jit_machine.h"
#include "core/base/path.h"
#include "core/base/suggest.h"
#include "core/cache/owned.h"
#include "core/files/unitkernels.h"
#include "prebuild/compilewords.h"
#include "prebuild/help.h"
#include "prebuild/lazykernels.h"

#include <signal.h>

/* Write O's bytes to a file that is not regular: standard output, a pipe, a device. False with
 * errno. */
static bool pour(const struct output *o, FILE *out) {
  size_t n;
  autofree char *bytes = file_read(o->made, &n);
  return bytes && fwrite(bytes, 1, n, out) == n && fflush(out) == 0;
}

static bool deliver(const struct exporting *x, const struct output *o) {
  if (is_stdout(x->r))
    return pour(o, stdout);
  if (!file_is_special(o->path))
    return rename(o->made, o->path) == 0;
  FILE *out = fopen(o->path, "we");
  bool done = out && pour(o, out);
  if (out && fclose(out))
    done = false;
  return done;
}

static bool deliver_all(struct exporting *x) {
  for (size_t i = 0; i < x->n; i++)
    if (!deliver(x, &x->outputs[i])) {
      complain("--output %s: cannot write %s: %s", x->r->output,
               is_stdout(x->r) ? "standard output" : x->outputs[i].path, strerror(errno));
      return false;
    }
  x->made_dir = NULL; /* the directory stays */
  for (size_t i = 0; i < x->n && !is_stdout(x->r); i++)
    puts(x->outputs[i].path);
  return fflush(stdout) == 0 || is_stdout(x->r);
}

static struct exporting *current; /* for tidy_up, which signals and die() call */

static void tidy_up(void) {
  if (current && current->dir)
    dir_remove(current->dir);
  if (current && current->made_dir)
    dir_remove(current->made_dir);
  current = NULL;
}

/* An installation may have HIP and CUDA libraries; the formats of a kernel's code differ. */
static void require_one_kind(const struct request *r) {
  const struct compiler *first = manifest_kind(r->m, &r->m->groups[r->blobs[0]->group]);
  for (size_t i = 1; i < r->nblobs; i++) {
    const struct compiler *kind = manifest_kind(r->m, &r->m->groups[r->blobs[i]->group]);
    if (kind->runtime != first->runtime)
      die(EXIT_FAILED,
          "export: %s belongs to a library of %s, %s to one of %s, and their code has "
          "different formats; export them one after the other",
          r->blobs[0]->stem, first->kind, r->blobs[i]->stem, kind->kind);
  }
}

/* A kernel of a lazy unit is exported like a blob: as a copy of the unit's row with the kernel's
 * name, and its mangled name as its symbol. The unit itself has no symbol, and is exported with all
 * its kernels. */
static void add_kernels(const struct request *r, const struct manifest_blob *unit,
                        struct manifest_blob *to) {
  const struct argv *kernels = kernels_wanted(r, unit);
  for (size_t i = 0; i < kernels->n; i++) {
    to[i] = *unit;
    to[i].stem = unitkernel_name(unit->stem, kernels->args[i]);
    to[i].symbols = (struct argv){0};
    argv_add(&to[i].symbols, kernels->args[i]);
  }
}

static size_t count(const struct request *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->nblobs; i++) {
    const struct argv *kernels = kernels_wanted(r, r->blobs[i]);
    n += r->blobs[i]->unit && kernels ? kernels->n : 1;
  }
  return n;
}

/* Make R's blobs the exported ones: blobs, units and kernels of units. */
static void name_kernels(struct request *r) {
  size_t total = count(r), n = 0;
  struct manifest_blob *copies = xcalloc(total, sizeof *copies);
  const struct manifest_blob **all = xcalloc(total, sizeof *all);
  for (size_t i = 0; i < r->nblobs; i++) {
    const struct argv *kernels = kernels_wanted(r, r->blobs[i]);
    size_t first = n;
    if (!r->blobs[i]->unit || !kernels) {
      all[n++] = r->blobs[i];
      continue;
    }
    add_kernels(r, r->blobs[i], copies + first);
    for (; n < first + kernels->n; n++)
      all[n] = &copies[n];
  }
  r->blobs = all; /* both live until the end */
  r->nblobs = total;
}

static void require_formats(const struct exporting *x) {
  const struct request *r = x->r;
  for (size_t i = 0; i < r->nblobs; i++) {
    if (r->blobs[i]->unit && !export_is_device(x->format))
      die(EXIT_FAILED,
          "export: %s belongs to an ordinary unit, whose functions are in its library; "
          "expected --format code-object, bitcode or asm; nothing was written",
          r->blobs[i]->stem);
    if (r->blobs[i]->unit && r->add_flags)
      die(EXIT_FAILED,
          "export: %s belongs to an ordinary unit, whose text is already preprocessed; "
          "expected no --add-flags; nothing was written",
          r->blobs[i]->stem);
  }
}

static void check_host(const struct request *r) {
  autofree char *triple = host_triple(r);
  if (triple && !*triple) {
    struct buf names = {0};
    for (size_t i = 0; i < CKJIT_MACHINES; i++)
      buf_printf(&names, "%slinux-%s", i ? " or " : "", ckjit_machines[i]->name);
    die(EXIT_USAGE, "export: --host-target '%s': expected %s", r->host_target, names.data);
  }
  if (triple && export_is_device(export_format_parse(r->format)))
    die(EXIT_USAGE, "export: --host-target is for so and obj; %s has no code for a host",
        r->format);
}

void export_check_options(const struct request *r) {
  if (!r->format)
    die_usage(r, "--format FORMAT is missing: %s", one_of(export_format_names));
  if (!export_format_parse(r->format))
    die(EXIT_USAGE, "export: unknown format '%s': expected %s%s", r->format,
        one_of(export_format_names), did_you_mean(r->format, export_format_names));
  if (!r->output)
    die(EXIT_USAGE,
        "export: --output PATH is missing: a file, a directory, or - for standard output");
  check_host(r);
}

int prebuild_export(struct request *r) {
  struct exporting x = {.r = r, .format = export_format_parse(r->format)};
  if (!r->nblobs)
    die(EXIT_FAILED, "export: no blob is named: nothing was written");
  name_kernels(r);
  require_formats(&x);
  require_one_kind(r);
  check_settings();
  current = &x;
  signal(SIGPIPE, SIG_IGN); /* turns a closed standard output into an error that can be reported */
  atexit(tidy_up);
  pool_before_signal = tidy_up;
  x.program = find_compile(r);
  choose_place(&x);
  plan_steps(&x);
  bool ok = true;
  for (int s = 0; s < STAGES && ok; s++)
    ok = run_stage(&x, &x.stages[s]);
  ok = ok && deliver_all(&x);
  if (!ok)
    note("export: nothing was written");
  if (x.dir)
    owned_remove(x.dir);
  tidy_up();
  return ok ? EXIT_OK : EXIT_FAILED;
}
