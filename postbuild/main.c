/* main.c - ckjit-link, the post-build linker. The wrapper starts it in place of a link whose inputs
 * hold stub objects.
 *
 *     ckjit-link --home H --work W --compiler REAL [--aot-list FILE] [--moved-from W] -- ARGUMENTS OF THE LINK
 *
 * A partial link with device code ends early (partial.c). The blobs of the library are read, and a
 * forwarding stub is written for each function that they define. The dispatchers and the stubs are
 * compiled, for the host alone. The manifest is embedded, with the runtime. Then the user's own
 * link command runs with these objects in place of the stub objects.
 *
 * A blob that cannot be forwarded is compiled ahead of time, as the build asked for it, and is
 * named in the summary: nothing is dropped, and nothing is left undefined. So is each blob of FILE,
 * which has stems, one a line; `ckjit relink` writes it.
 */
#include "link.h"

#include "keep.h"

#include "core/base/ids.h"
#include "core/base/trace.h"
#include "core/base/jobs.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/files/state.h"

#include <unistd.h>

/* the command line; NULL: not given */
struct request {
  const char *home, *work, *compiler, *kind, *aot_list, *symbols, *moved_from;
  bool bundle;
};

static const struct option_row rows[] = {
    {"home", "DIR", PATH_INTO(struct request, home), "the fake home"},
    {"work", "DIR", PATH_INTO(struct request, work), "its work directory"},
    {"compiler", "PROGRAM", PATH_INTO(struct request, compiler), "the real compiler or linker"},
    {"kind", "KIND", CHOICE_INTO(struct request, kind),
     "its kind: hip, cuda, clang or c++ (default: by its name)", .words = "hip cuda clang c++"},
    {"aot-list", "FILE", PATH_INTO(struct request, aot_list), "stems of blobs to compile now, one a line"},
    {"symbols", "WHAT", CHOICE_INTO(struct request, symbols),
     "the command is not a link: it shows symbols (shown) or changes them (changed)",
     .words = "shown changed"},
    {"moved-from", "DIR", PATH_INTO(struct request, moved_from),
     "the work directory's place when the stub objects were written"},
    {"bundle", NULL, FLAG_INTO(struct request, bundle),
     "add what the kernels are compiled from, as a home with `keep: bundle` does"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit-link --help",
    .usage =
        "ckjit-link --home H --work W --compiler REAL [--aot-list FILE] [OPTION…] -- ARGUMENTS OF THE LINK",
    .text =
        "Link a library whose kernels are compiled when they are first called. The wrapper in a fake home starts this "
        "program for a link whose inputs include stub objects. The arguments are the compiler's.",
    .rows = rows,
    .version = "ckjit-link",
    .stops = true,
};

static void read_options(struct link *l, char **argv) {
  struct request r = {0};
  char **command = options_read(&page, &r, argv), *err;
  if (!r.home || !r.work || !r.compiler || !*command)
    die(EXIT_USAGE, "%s is missing; the wrapper of a fake home starts this program; see ckjit-link --help",
        !r.home       ? "--home DIR"
        : !r.work     ? "--work DIR"
        : !r.compiler ? "--compiler PROGRAM"
                      : "the link's command line, after --,");
  l->work = l->tools.work = r.work;
  l->moved = (struct moved){.from = r.moved_from, .to = r.work};
  l->aot_list = r.aot_list;
  l->symbols = r.symbols;
  l->bundle = r.bundle;
  message_color_of_compiler(command);
  l->home = home_read(r.home, &err);
  if (!l->home)
    die(EXIT_FAILED, "%s", err);
  l->runner.parallel = jobs_set();
  (l->symbols ? linkline_read_files : linkline_read)(
      &l->line, l->home, r.compiler, r.kind ? compiler_of_kind(r.kind) : compiler_by_name(r.compiler),
      command, l->moved.from ? &l->moved : NULL);
}

/* The stem of the output, for hipcc without what it would not write to; free() it. */
static char *directory_stem(const struct link *l) {
  char *stem = path_stem(l->line.output);
  bool expands = compiler_expands(l->line.kind, stem);
  for (size_t i = 0; i < l->line.nrecords && !expands; i++)
    expands = compiler_expands(l->line.records[i].compiler_kind, stem);
  for (char *at = stem; expands && (at = strpbrk(at, COMPILER_EXPANDED)); at++)
    *at = '_';
  return stem;
}

/* The directory is work/<stem>, or work/<stem>-2 … if another library of that name has it. It is
 * locked against a second link of the same library. */
static void open_directory(struct link *l) {
  autofree char *stem = directory_stem(l);
  char *err;
  if (file_is_dir(l->work)) /* before anything in it is read */
    link_own(l, l->work);
  for (int k = 1;; k++) {
    free(l->dir);
    autofree char *first = path_join(l->work, stem), *number = k == 1 ? xstrdup("") : xasprintf("-%d", k);
    l->dir = path_beside(first, number);
    autofree char *state = path_join(l->dir, STATE_FILE);
    if (file_exists(l->dir))
      link_own(l, l->dir);
    struct state *s = file_exists(state) ? state_read(state, &err) : NULL;
    bool other = s && strcmp(s->out_so, l->line.output) != 0 && file_exists(s->out_so);
    if (s) {
      state_free(s);
      free(s);
    }
    if (!other)
      break;
  }
  static const char *const parts[] = {"units", "objs"};
  for (size_t i = 0; i < 2; i++) {
    autofree char *p = path_join(l->dir, parts[i]);
    link_make_own(l, p);
  }
  link_own(l, l->work);        /* it may have been made since, and by somebody else */
  l->lock = link_lock(l->dir); /* held until the program ends */
}

/* The sources of the kernels, copied to where they stay. */
static void keep_tree(struct link *l) {
  if (!l->keep)
    return;
  autofree char *trees = path_join(l->work, "trees");
  l->tree = keep_sources(trees, &l->bases, l->blobs, l->nblobs, &l->units, &l->lazy);
}

static void link_free(struct link *l) {
  for (size_t i = 0; i < l->line.nrecords; i++)
    free(l->objects[i]);
  free(l->objects);
  for (size_t i = 0; i < l->nblobs; i++)
    blob_free(&l->blobs[i]);
  for (size_t i = 0; i < l->ndispatchers; i++) {
    free(l->dispatchers[i].object);
    free(l->dispatchers[i].near);
    free(l->dispatchers[i].why);
  }
  free(l->blobs);
  free(l->dispatchers);
  functions_free(&l->functions);
  cxx_shared_free(&l->headers);
  intern_free(&l->hidden);
  units_free(&l->units);
  fragments_free(&l->fragments);
  lazy_units_free(&l->lazy);
  tools_free(&l->tools);
  argv_free(&l->demanders);
  free(l->no_rdc);
  free(l->device_code.why);
  free(l->device_code.needs);
  linkline_free(&l->line);
  home_free(l->home);
  argv_free(&l->refused);
  free(l->refusal);
  buf_free(&l->stays);
  argv_free(&l->objs);
  argv_free(&l->command);
  free(l->runtime_obj);
  argv_free(&l->bases);
  free(l->tree);
  free(l->dir);
  close(l->lock);
}

int main(int argc, char **argv) {
  if (argc < 1)
    return EXIT_USAGE;
  program_name = "ckjit-link";
  ids_settle();
  streams_open(false);
  struct link l = {0};
  autofree_argv again = {0}; /* read_options() leaves the operands alone in ARGV */
  argv_add_all(&again, argv);
  l.start = ckjit_seconds();
  trace_process(program_name);
  read_options(&l, argv);
  open_directory(&l);
  link_judge_records(&l);
  step_launcher_open(&l.runner.launcher, l.work);
  link_restore_sources(&l);
  if (l.symbols)
    link_give_symbols(&l);
  link_leave_unread(&l);
  link_find_texts(&l);
  link_device(&l, again.args);
  if (link_is_late(&l))
    link_partial(&l);
  link_read_blobs(&l);
  link_look_beside(&l);
  link_choose_base(&l);
  link_read_headers(&l);
  link_settle_needs(&l);
  link_settle_demand(&l);
  link_settle_lazy_units(&l);
  link_settle_rdc(&l, again.args);
  link_read_list(&l);
  link_progress(&l, "blobs read");
  link_compile_units(&l);
  link_recheck_rdc(&l);
  link_make_units(&l);
  link_warn_of_refused(&l);
  link_warn_of_headers(&l);
  link_want_listed_units(&l);
  if (l.line.scan.mode == CC_RELOCATABLE)
    link_partial(&l);
  link_settle_names(&l);
  link_progress(&l, "forwarding units and dispatchers compiled");
  link_compile_ahead(&l);
  link_compile_lazy_ahead(&l);
  link_join_units(&l);
  keep_tree(&l);
  link_keep_sources(&l);
  link_write_manifest(&l);
  link_plan_output(&l);
  link_write_imports(&l);
  char *why = link_compile_runtime(&l);
  if (why)
    link_as_stock(&l, why);
  link_progress(&l, "runtime compiled");
  why = link_output(&l);
  if (why)
    link_as_stock(&l, why);
  link_progress(&l, "linked");
  link_write_state(&l);
  link_print_summary(&l);
  step_launcher_close(&l.runner.launcher);
  link_run(&l);
  link_free(&l);
  return EXIT_OK;
}
