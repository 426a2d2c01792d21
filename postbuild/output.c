/* output.c - the link itself: the user's command with our objects in place of stub objects. The
 * linker may refuse the additions of ckjit (-nostdlib, or an option with which no object of ours
 * was compiled): then the library is made without them. The linker reports a mistake of the build
 * itself, because nothing is gained by compiling thousands of kernels before the same error. */
#include "link.h"

#include "linkdeps.h"
#include "linklibs.h"
#include "mangled.h"

#include "core/base/elf.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/files/state.h"

#include <sys/mman.h>
#include <unistd.h>

enum { SYMBOLS_SHOWN = 5 };

void link_drop_device_words(struct argv *words) {
  struct argv kept = {0};
  for (size_t i = 0; i < words->n; i++)
    if (strcmp(words->args[i], "-fgpu-rdc") != 0 && strcmp(words->args[i], "-fcuda-rdc") != 0 &&
        strcmp(words->args[i], "--hip-link") != 0)
      argv_add(&kept, words->args[i]);
  argv_free(words);
  *words = kept;
}

/* If all device code is left for later, -fgpu-rdc and --hip-link have nothing to link for the
 * device. clang 15 fails then, so the words go. */
static void drop_device_link(struct link *l) {
  bool lazy = l->fragments.n > 0;
  for (size_t i = 0; i < l->nblobs; i++)
    lazy |= l->blobs[i].rdc && blob_is_forwarded(&l->blobs[i]);
  for (size_t i = 0; i < l->lazy.n; i++)
    lazy |= l->lazy.list[i].linked && !l->lazy.list[i].why;
  if (lazy && !l->device_code.there && !link_wants_fragments(l) && l->line.kind->runtime == RUNTIME_HIP)
    link_drop_device_words(&l->command);
}

static void collect_objects(struct link *l) {
  link_add_stubs(l, &l->objs);
  if (l->line.stubs_stay)
    argv_addf(&l->objs, "%s/" PLACE_EMPTY, l->dir);
}

void link_plan_output(struct link *l) {
  link_fill_places(l);
  argv_add(&l->command, l->line.compiler);
  link_wrap_calls(l);
  linkline_write(&l->line, l->line.output, l->objects, &l->command, &l->objs);
  linklibs_keep(&l->command, &l->line.scan);
  drop_device_link(l);
  collect_objects(l);
  link_turn_tables(l);
}

/* ---- what the linker says ---- */

/* Does LINE of what the linker has printed blame what ckjit has added? A stub that is defined twice
 * does not count: so would be the blob's own function. Neither does a command line that a -v asked
 * for. */
static bool blames_us(const struct link *l, const char *line, size_t n) {
  static const char *const of_others[] = {" -o ", "multiple definition", "duplicate symbol", ">>> defined"};
  static const char *const parts[] = {"/objs/stubs-", "/objs/ck_jit_", "/objs/ckjit_"};
  for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
    if (memmem(line, n, of_others[i], strlen(of_others[i])))
      return false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    autofree char *ours = xasprintf("%s%s", l->dir, parts[i]);
    bool found = memmem(line, n, ours, strlen(ours)) != NULL;
    if (found && memmem(line, n, ": ", 2))
      return true;
  }
  /* the last is a section's, of a lazy unit */
  static const char *const names[] = {"`ckjit_", "symbol: ckjit_", ".ckjit_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (memmem(line, n, names[i], strlen(names[i])))
      return true;
  return false;
}

/* The first line of OUTPUT that blames what ckjit has added; NULL if there is none, and the link
 * would fail without ckjit as well. free() it. */
static char *our_fault(const struct link *l, const struct buf *output) {
  for (const char *line = output->len ? output->data : ""; *line;) {
    size_t n = strcspn(line, "\n");
    if (blames_us(l, line, n))
      return xstrndup(line, n);
    line += n + (line[n] == '\n');
  }
  return NULL;
}

/* The text of a late blob may not have told what it defines: does the linker miss anything? */
static char *missed_of_late(const struct link *l, const struct buf *output) {
  bool late = false;
  for (size_t i = 0; i < l->nblobs; i++)
    late |= l->blobs[i].late && (blob_is_forwarded(&l->blobs[i]) || l->blobs[i].fate == BLOB_UNUSED);
  const char *at = late && output->len ? strstr(output->data, "undefined ") : NULL;
  return at ? xasprintf("a late unit may define it: %.*s", (int)strcspn(at, "\n"), at) : NULL;
}

/* ---- holes ---- */

/* Is the symbol NAME that of a function of a blob, an instance of a function template? */
static bool is_of_blob(const struct link *l, const char *name) {
  bool is = false;
  for (size_t k = 0; k < l->functions.names.n && !is; k++)
    is = mangled_has_instance(name, l->functions.names.args[k]);
  return is;
}

/* The dynamic symbols of FILE that are defined, or are not; of these only a blob's functions. free
 * OUT. */
static void dynamic_symbols(const struct link *l, const char *file, bool defined, struct argv *out) {
  struct elf_symbols all;
  struct elf_symbol s;
  /* a static executable has no such table, and its linker has checked */
  elf_symbols_open(&all, file, SHT_DYNSYM);
  while (elf_symbols_next(&all, &s))
    if ((s.section != SHN_UNDEF) == defined && str_starts(s.name, "_Z") && is_of_blob(l, s.name))
      argv_add(out, s.name);
  elf_symbols_close(&all);
}

struct holes {
  const struct link *l;
  struct argv names;
};

static bool fill_holes(const char *file, const struct cc_input *in, void *user) {
  struct holes *h = user;
  autofree_argv defined = {0};
  struct argv left = {0};
  (void)in;
  dynamic_symbols(h->l, file, true, &defined);
  for (size_t i = 0; i < h->names.n; i++)
    if (!argv_has(&defined, h->names.args[i]))
      argv_add(&left, h->names.args[i]);
  argv_free(&h->names);
  h->names = left;
  return true;
}

/* A function of a blob that no object of the link defines, and none of its libraries: a library
 * with such a hole links without ckjit, too, but is seldom meant. */
static void warn_of_holes(const struct link *l, const char *file) {
  struct holes h = {.l = l};
  autofree_buf names = {0};
  dynamic_symbols(l, file, false, &h.names);
  if (h.names.n)
    ccargs_link_files(&l->line.scan, fill_holes, &h);
  for (size_t i = 0; i < h.names.n && i < SYMBOLS_SHOWN; i++)
    buf_printf(&names, "\n  %s", h.names.args[i]);
  if (h.names.n)
    warn("%s: %zu %s not defined by any object or library of this link; it cannot be loaded "
         "unless another library has them; is a generated source missing from it?%s",
         l->line.output, h.names.n, noun(h.names.n, "function of a blob is", "functions of blobs are"),
         names.data);
  argv_free(&h.names);
}

/* The link as it was run. */
struct linked {
  struct job job;
  struct argv words; /* the command */
  /* what it has written on its standard output; 0: on ours as well */
  int out;
};

/* Run the link: its output has the name that the build gave it, for the linker writes that into
 * other files as well, and names others after it. */
static struct linked run_linker(const struct link *l) {
  struct linked r = {.out = memfd_create("ckjit-link", MFD_CLOEXEC)};
  autofree_argv words = {0};
  autofree char *output = linkline_output(&l->line);
  state_link(&words, &l->command, &l->objs);
  for (size_t i = 0; i < words.n; i++)
    argv_add(&r.words, strcmp(words.args[i], l->line.output) == 0 ? output : words.args[i]);
  r.out = r.out < 0 ? STDOUT_FILENO : r.out;
  r.job = (struct job){.args = r.words.args, .out = r.out, .has_input = l->line.scan.from_stdin};
  pool_run(&r.job, 1, 1, NULL, NULL);
  return r;
}

/* Print N bytes of what the linker has said, as it would name its inputs without ckjit. */
static void say(const struct link *l, FILE *to, const char *bytes, size_t n) {
  if (!n)
    return;
  if (!l->line.ncontainers) {
    fwrite(bytes, 1, n, to);
    return;
  }
  autofree char *text = link_name_originals(l, xstrndup(bytes, n));
  fputs(text, to);
}

/* Prints R's output where the build expects it. */
static void say_linked(const struct link *l, struct linked *r) {
  say(l, stderr, r->job.output.data, r->job.output.len);
  autofree_buf out = {0};
  char bytes[64 * 1024];
  off_t at = 0;
  for (ssize_t n; r->out != STDOUT_FILENO && (n = pread(r->out, bytes, sizeof bytes, at)) > 0; at += n)
    buf_add(&out, bytes, (size_t)n);
  say(l, stdout, out.data, out.len);
  fflush(stdout);
}

static void linked_free(struct linked *r) {
  if (r->out != STDOUT_FILENO)
    close(r->out);
  buf_free(&r->job.output);
  argv_free(&r->words);
}

/* Has the link failed over distances in place of addresses? A name of one of these objects is
 * enough: the link is made once more, and what it says then counts. */
static bool blames_distances(const struct link *l, const struct job *job) {
  autofree char *ours = xasprintf("%s/objs/near-", l->dir);
  return job->status && job->output.len && memmem(job->output.data, job->output.len, ours, strlen(ours));
}

/* The list of inputs DEPS names those of the build. */
static void name_inputs(const struct link *l, const char *deps) {
  size_t len;
  autofree char *text = file_read(deps, &len);
  if (!text)
    return;
  text = link_name_originals(l, text);
  file_overwrite(deps, text, strlen(text), 0666);
}

char *link_output(struct link *l) {
  struct linked r = run_linker(l);
  if (blames_distances(l, &r.job) && link_turn_back(l)) {
    linked_free(&r);
    r = run_linker(l);
  }
  char *fault = r.job.status && !l->stock ? our_fault(l, &r.job.output) : NULL;
  if (fault) {
    linked_free(&r);
    return xasprintf("the linker refuses what ckjit adds to it: %s", fault);
  }
  fault = r.job.status && !l->stock ? missed_of_late(l, &r.job.output) : NULL;
  if (fault) {
    linked_free(&r);
    return fault;
  }
  say_linked(l, &r);
  if (r.job.status) {
    if (l->no_rdc && !l->stock)
      warn("%s: all with -fgpu-rdc was compiled ahead of time: %s", l->line.output, l->no_rdc);
    char *text = argv_join(r.words.args);
    die(EXIT_FAILED, "%s: the linker ended with status %d\ncommand: %s", l->line.output, r.job.status, text);
  }
  warn_of_holes(l, l->line.output);
  autofree char *deps = linkdeps_file(&r.words, l->line.cwd);
  if (deps)
    name_inputs(l, deps);
  if (deps)
    linkdeps_clean(deps, &l->line, l->work);
  linked_free(&r);
  return NULL;
}

void link_run(struct link *l) {
  struct argv words = {0};
  linkline_run(&l->line, &words);
  if (!words.n)
    return;
  fflush(stdout);
  execv(words.args[0], words.args);
  die(EXIT_FAILED, "%s: cannot be started: %s", words.args[0], strerror(errno));
}
