/* unit.c - see unit.h.
 *
 *     the unit's text for the architecture       core/files/unittext.h
 *     … with the one kernel selected             devicetext_select_alone, core/cxx/devicetext.h
 *     … and asked for, if it is an instance      spelling.h
 *     … behind what was read before            header.h
 *     the device's pass of the unit's compiler   hipcc --offload-device-only -c
 *     may the kernel be used alone?              codeobject.h
 *     a bundle of the architectures' code        core/device/bundle.h
 *     the entry                                  compile/codeentry.h
 *
 * A kernel that is not to be had alone gets an entry without a fat binary, and the shim asks for "*", which is the text
 * as it stands. That is so if the unit has variables (codeobject.c), and if it is not certain that the kernel is there with its
 * body. The compiler's refusal of a text with one kernel selected is no
 * failure either; the text as it stands was compiled by the same command when the unit was built, or fails then.
 *
 * What leads to an instance of a template is host code, whose templates clang instantiates for each kernel again: of ComposableKernel's f32
 * GEMM with 26 kernels 2 of 13 s. So the functions of the host's have no bodies, and the instance is asked for by its name. If it cannot
 * be written, or the kernel is not to be had so, it is selected in the text with all its functions.
 *
 * The instructions are those of the whole unit's code object, as a rule. Of ComposableKernel's f32 GEMM some are not: LLVM's passes over
 * the whole module find other facts about a function if one kernel calls it than if ten do.
 *
 * The text is read with -undef and -nogpuinc: it is preprocessed, and a name such as `linux` that a header had undefined
 * must not be a macro again. (clang's own way for such a text, -x hip-cpp-output, wants it bundled with the host's.)
 * -fms-extensions is for the name that the kernel is selected by. No warnings: the build has shown them.
 */
#include "unit.h"
#include "codeobject.h"
#include "cuda.h"
#include "frontsteps.h"
#include "header.h"
#include "hipfront.h"
#include "joined.h"
#include "linked.h"
#include "linkhip.h"
#include "part.h"
#include "spelling.h"
#include "compile/child.h"
#include "compile/codeentry.h"
#include "compile/failure.h"
#include "compile/run.h"
#include "compile/trace.h"
#include "core/device/bundle.h"
#include "core/base/path.h"
#include "core/cxx/devicetext.h"
#include "core/files/unittext.h"
#include "abi/ck_jit_code.h"
#include "abi/ck_jit_protocol.h"

#include <ctype.h>
#include <unistd.h>

/* one architecture */
struct device {
  char *arch, *text, *code; /* text, code: files */
  struct bundle_part part;  /* what CODE holds */
  struct hipsteps steps;    /* by which CODE is made from TEXT */
};

/* what of the unit's text is compiled */
enum way {
  ALONE,    /* one kernel, and nothing that only the host has */
  SELECTED, /* one kernel */
  WHOLE,
};

struct unit_work {
  const struct compile_task *t;
  const char *temporary;
  struct device *devices;
  size_t n;
  bool constants;  /* the host may write some */
  const char *why; /* the kernel is not to be had alone; NULL: nothing says so yet */
  struct hipfront front;
};

/* ---- the entry of a host side that was made late ---- */

/* Read sections of the entry of T's blob, which is in its place. */
static bool read_entry(const struct compile_task *t, char **text, size_t *len, char **steps, char **err) {
  size_t size, n;
  struct elf e;
  autofree char *bytes = file_read_cached(t->place, CKJIT_ENTRY_MOST, &size);
  if (!bytes)
    return task_fail(t, err, "cannot read the entry of its blob, %s: %s", t->place, strerror(errno));
  bool good = elf_open(&e, bytes, size, NULL) && (*text = codeentry_section(&e, FRONT_TEXT, len)) &&
              (*steps = codeentry_section(&e, FRONT_STEPS, &n));
  return good ||
         task_fail(
             t, err,
             "%s does not hold the text of its kernels as this version of ckjit writes it; remove it, and ckjit compiles it again",
             t->place);
}

/* Have T made of what its blob's entry holds: its text becomes the source. */
static bool take_entry(struct compile_task *t, const char *temporary, struct frontsteps *s, char **err) {
  size_t len;
  autofree char *text = NULL, *steps = NULL, *file = path_join(temporary, "unit" UNITTEXT_EXT);
  bool done = read_entry(t, &text, &len, &steps, err);
  if (done && (!frontsteps_read(s, steps) || !s->device.n))
    done = task_fail(t, err,
                     "%s: section " FRONT_STEPS " is not as expected; remove it, and ckjit "
                     "compiles it again",
                     t->place);
  const char *other = done ? frontsteps_other_tool(s) : NULL;
  if (other)
    done = task_fail(t, err,
                     "%s is not the compiler that made its blob's entry (another release of ROCm?); "
                     "remove %s, and ckjit compiles it again with the present one",
                     other, t->place);
  done = done && task_write(t, file, text, len, err);
  if (done) {
    t->environment = &s->environment;
    free(t->source);
    t->source = xstrdup(file);
    free(t->compiler);
    t->compiler = xstrdup(s->device.args[0]);
    argv_free(&t->flags);
    argv_add_all(&t->flags, s->device.args + 1);
  }
  return done;
}

/* ---- the text ---- */

/* The text is called by its key, which is in the build id. */
static bool check_key(const struct compile_task *t, char **err) {
  const char *name = path_base(t->source);
  if (t->of_entry) /* which is the one that was asked for */
    return true;
  size_t n = 2 * CKJIT_KEY_SIZE;
  bool named = strspn(name, "0123456789abcdef") == n && strcmp(name + n, UNITTEXT_EXT) == 0;
  return !named || strncmp(name, t->hex, n) == 0 ||
         task_fail(t, err,
                   "%s is not the text of its kernels, which is named %.*s" UNITTEXT_EXT
                   "; build the unit again, and link the library",
                   t->source, (int)n, t->hex);
}

/* Has the host functions that a device may call all the same? */
static bool is_of_host(const struct argv *flags) {
  return argv_has_prefix(flags, "--hipstdpar") || argv_has_prefix(flags, "-hipstdpar");
}

/* Append what D is compiled from, of the unit's TEXT. Sets W->why if the kernel cannot be had that way. */
static void put_text(struct unit_work *w, enum way way, const char *text, size_t len, struct buf *out) {
  const char *kernel = w->t->kernel;
  struct devicetext_variables has = devicetext_variables(text, len);
  autofree char *instance = way == ALONE ? spelling_instance(kernel) : NULL;
  w->constants = has.constant;
  if (way == SELECTED && !devicetext_select(text, len, kernel, out))
    w->why = "its text cannot be parsed";
  if (way == ALONE && (!instance || has.constant || has.device || is_of_host(&w->t->flags) ||
                       !devicetext_select_alone(text, len, kernel, out)))
    w->why = "its text needs the host's functions";
  if (way == ALONE && !w->why)
    buf_printf(out, "\n%s\n", instance);
}

/* The text that D is compiled from, in its file. */
static bool make_text(struct unit_work *w, const struct device *d, enum way way, char **err) {
  size_t len;
  autofree char *text = unit_text_read(w->t, d->arch, &len, err);
  autofree_buf out = {0};
  if (!text)
    return false;
  if (way == WHOLE)
    buf_add(&out, text, len);
  else
    put_text(w, way, text, len, &out);
  return w->why || task_write(w->t, d->text, out.data, out.len, err);
}

/* ---- an export ---- */

/* Append TEXT with T's kernel and no other. False: its text cannot be parsed. */
static bool put_exported(const struct compile_task *t, const char *text, size_t len, bool hosts,
                         struct buf *out) {
  struct devicetext_variables has = devicetext_variables(text, len);
  autofree char *instance = hosts ? NULL : spelling_instance(t->kernel);
  /* What is no instance is asked for by the host's functions alone, if it is static. */
  bool alone = instance && *instance && !has.constant && !has.device && !is_of_host(&t->flags);
  bool done = (hosts || alone) && devicetext_export(text, len, t->kernel, hosts, out);
  if (done && !hosts)
    buf_printf(out, "\n%s\n", instance);
  return done;
}

bool unit_text_export(const struct compile_task *t, const char *arch, bool hosts, const char *file,
                      char **err) {
  autofree_buf out = {0};
  size_t len;
  autofree char *text = check_key(t, err) ? unit_text_read(t, arch, &len, err) : NULL;
  bool done = text != NULL;
  if (done && task_is_whole(t))
    buf_add(&out, text, len);
  else if (done && !put_exported(t, text, len, hosts, &out))
    done = task_fail(
        t, err, "%s: kernel %s cannot be separated from its text; export the whole unit, by its own name",
        t->source, t->kernel);
  done = done && task_write(t, file, out.data, out.len, err);
  return done;
}

/* ---- the compile ---- */

/* Run COMMAND. The log of the last one is kept if it fails. */
static bool run(const struct unit_work *w, const struct argv *command, char **err) {
  autofree char *log = path_join(w->temporary, "log");
  unlink(log);
  say_command(w->t, command);
  return run_command(w->t, command, log, err);
}

void unit_text_words(struct argv *words, const struct compile_task *t) {
  argv_add_words(words, "-x", "hip", "-nogpuinc", "-undef", "-w", NULL);
  if (!task_is_whole(t))
    argv_add(words, "-fms-extensions");
}

/* What each command of D begins with. */
static void add_words(const struct unit_work *w, const struct device *d, struct argv *command) {
  argv_add(command, w->t->compiler);
  argv_add_all(command, w->t->flags.args);
  argv_addf(command, "--offload-arch=%s", d->arch);
  unit_text_words(command, w->t);
  argv_add(command, "--offload-device-only");
}

/* Add WORDS as those of clang's own front end. */
static void add_front(struct argv *command, const char *const *words) {
  for (; *words; words++)
    argv_add_words(command, "-Xclang", *words, NULL);
}

/* The command that makes D's code; HEADER as below. */
static void compile_words(const struct unit_work *w, const struct device *d, const char *header,
                          struct argv *command) {
  add_words(w, d, command);
  if (header)
    add_front(command, (const char *const[]){"-include-pch", header, NULL});
  argv_add_words(command, "-c", "--no-gpu-bundle-output", "-o", d->code, d->text, NULL);
}

/* By the driver's steps, for the driver is a script that takes longer than they do with a small kernel. */
static bool compile_in_steps(struct unit_work *w, const struct device *d, const char *header, char **err) {
  size_t n = 0;
  autofree char *whole = w->front.wanted && !header ? unit_text_read(w->t, d->arch, &n, err) : NULL;
  bool done = d->steps.pass && hipfront_compile(&w->front, &d->steps, d->text, header, whole, n);
  if (done && whole) {
    hipfront_keep(&w->front, &d->steps, d->code, devicetext_variables(whole, n).constant);
    w->front.wanted = false;
  }
  return done;
}

/* HEADER: the precompiled header that D's text stands behind; NULL: none. */
static bool compile(struct unit_work *w, const struct device *d, const char *header, char **err) {
  autofree_argv command = {0};
  if (compile_in_steps(w, d, header, err))
    return true;
  if (header && d->steps.pass) /* the text is tried next */
    return task_fail(w->t, err, "the compiler does not take a precompiled header");
  free(*err);
  *err = NULL;
  compile_words(w, d, header, &command);
  return run(w, &command, err);
}

/* MARKED: it is of a text with one kernel selected. */
static bool read_code(struct unit_work *w, struct device *d, bool marked, char **err) {
  d->part.arch = d->arch;
  free((char *)d->part.bytes);
  char *bytes = file_read(d->code, &d->part.len);
  d->part.bytes = bytes;
  if (!bytes)
    return task_fail(w->t, err, "the compiler %s succeeded but made no output", w->t->compiler);
  if (!task_is_whole(w->t))
    codeobject_stands_alone(bytes, d->part.len, w->t->kernel, w->constants, marked, &w->why);
  return true;
}

/* The code of D, made that WAY, or why there is none for the kernel alone. */
static bool make_code(struct unit_work *w, struct device *d, enum way way, char **err) {
  if (!make_text(w, d, way, err))
    return false;
  if (w->why)
    return true;
  bool done = compile(w, d, NULL, err);
  if (!done && !task_is_whole(w->t) && failure_is_of_key()) {
    free(*err);
    *err = NULL;
    failure_note(false);
    w->why = "the compiler does not take its text with one kernel selected";
    return true;
  }
  return done && read_code(w, d, true, err);
}

/* ---- behind the unit's precompiled header ---- */

/* The text that header H is made from. */
static bool write_header_text(const struct unit_work *w, const struct device *d, const struct unit_header *h,
                              char **err) {
  size_t len;
  autofree char *text = unit_text_read(w->t, d->arch, &len, err);
  autofree_buf out = {0};
  return text && devicetext_select_later(text, len, &out) &&
         task_write(w->t, h->text, out.data, out.len, err);
}

/* Templates are not instantiated in it: an instance that host code has asked for by then could not be wanted any more. */
static bool compile_header(const struct unit_work *w, const struct device *d, const struct unit_header *h,
                           const char *file, char **err) {
  autofree_argv command = {0};
  add_words(w, d, &command);
  argv_add(&command, "-fsyntax-only"); /* the driver's; in its place: */
  add_front(&command, (const char *const[]){"-emit-pch", "-fno-pch-timestamp", "-o", file, NULL});
  argv_add(&command, h->text);
  return run(w, &command, err);
}

/* Whatever went wrong with a header, the text alone may do; not if all time is over. */
static bool do_without(char **err) {
  if (deadline_passed())
    return false;
  free(*err);
  *err = NULL;
  failure_note(false);
  return true;
}

/* Make the header H, which is for us to make. */
static bool make_header(const struct unit_work *w, const struct device *d, struct unit_header *h,
                        char **err) {
  autofree char *file = path_join(w->temporary, "unit.pch");
  bool made = write_header_text(w, d, h, err) && compile_header(w, d, h, file, err);
  bool goes_on = made || do_without(err);
  unit_header_keep(h, made ? file : NULL, goes_on);
  if (w->t->verbose && made)
    note("%s: precompiled header of its unit: made", w->t->stem);
  compile_time_anew(); /* it is not this kernel's alone */
  return goes_on;
}

/* The text that asks for the kernel behind the header. */
static bool write_asking_text(struct unit_work *w, const struct device *d, char **err) {
  autofree char *instance = spelling_instance(w->t->kernel);
  autofree_buf out = {0};
  devicetext_want(w->t->kernel, &out);
  buf_printf(&out, "%s\n", instance);
  return task_write(w->t, d->text, out.data, out.len, err);
}

/* The code of D behind H. *MADE: it is there. False: *ERR. */
static bool make_behind(struct unit_work *w, struct device *d, struct unit_header *h, bool *made,
                        char **err) {
  *made = false;
  if (h->to_be_made && !make_header(w, d, h, err))
    return false;
  if (!h->ready)
    return true;
  bool done = write_asking_text(w, d, err) && compile(w, d, h->file, err);
  if (!done || !read_code(w, d, true, err))
    return do_without(err);
  *made = !w->why;
  w->why = NULL;
  if (w->t->verbose && *made)
    note("%s: precompiled header of its unit: used", w->t->stem);
  return true;
}

/* One kernel and nothing that only the host has: behind the unit's header, or of the text. */
static bool make_alone(struct unit_work *w, struct device *d, char **err) {
  struct unit_header h;
  autofree_argv words = {0};
  autofree char *instance = spelling_instance(w->t->kernel);
  bool template = instance && *instance, made = false;
  add_words(w, d, &words);
  if (template)
    unit_header_find(&h, w->t, d->arch, &words, &d->steps.all);
  bool done = !template || make_behind(w, d, &h, &made, err);
  if (done && !made) {
    bool refused = template && h.ready && h.ours; /* others have used theirs */
    done = make_code(w, d, ALONE, err);
    if (done && !w->why && refused)
      unit_header_refuse(&h);
    else if (done && !w->why && template)
      unit_header_note(&h);
  }
  if (template)
    unit_header_free(&h);
  return done;
}

/* The code of D from the bitcode of the unit's front end. *MADE: it is there, or is known not to be had alone.
 * False: *ERR. */
static bool make_from_front(struct unit_work *w, struct device *d, bool *made, char **err) {
  *made = false;
  if (!w->front.file)
    return true;
  if (!hipfront_kernel(&w->front, d->code, &w->constants, err) || !read_code(w, d, false, err)) {
    if (w->t->verbose && *err)
      note("%s", *err);
    return do_without(err);
  }
  *made = !w->why || w->why == codeobject_shares;
  if (!*made)
    w->why = NULL;
  if (w->t->verbose && *made)
    note("%s: front end of its unit: used", w->t->stem);
  return true;
}

static void ask_steps(const struct unit_work *w, struct device *d) {
  autofree_argv command = {0};
  compile_words(w, d, NULL, &command);
  file_write(d->text, "", 0, 0600); /* the driver wants to see it */
  hipsteps_ask(&d->steps, w->t, &command, w->temporary);
}

static bool make_device(struct unit_work *w, struct device *d, char **err) {
  bool made;
  if (!make_from_front(w, d, &made, err))
    return false;
  if (made)
    return true;
  ask_steps(w, d);
  if (task_is_whole(w->t))
    return make_code(w, d, WHOLE, err);
  if (!make_alone(w, d, err))
    return false;
  if (!w->why || w->why == codeobject_shares)
    return true;
  w->why = NULL;
  return make_code(w, d, SELECTED, err);
}

/* ---- the entry ---- */

static bool write_bundle(const struct unit_work *w, const char *file, char **err) {
  autofree struct bundle_part *parts = xcalloc(w->n, sizeof *parts);
  autofree_buf bytes = {0};
  for (size_t i = 0; i < w->n; i++)
    parts[i] = w->devices[i].part;
  bundle_write(&bytes, parts, w->n);
  return task_write(w->t, file, bytes.data, bytes.len, err);
}

static bool make_entry(const struct unit_work *w, const char *output, char **err) {
  autofree char *fatbin = w->why ? NULL : path_join(w->temporary, "kernel.hipfb");
  return (w->why || write_bundle(w, fatbin, err)) &&
         codeentry_of_fatbin(w->t, output, CKJIT_CODE_HIP, fatbin, err);
}

static void add_device(struct unit_work *w, const char *arch, size_t n) {
  struct device *d = &w->devices[w->n];
  d->arch = xstrndup(arch, n);
  d->text = xasprintf("%s/device-%zu.hipi", w->temporary, w->n);
  d->code = xasprintf("%s/device-%zu.co", w->temporary, w->n);
  w->n++;
}

static void begin(struct unit_work *w) {
  const char *at = w->t->archs, *word;
  w->devices = xcalloc(strlen(at) + 1, sizeof *w->devices);
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    add_device(w, word, n);
  hipfront_find(&w->front, w->t, w->temporary);
}

static void end(struct unit_work *w) {
  for (size_t i = 0; i < w->n; i++) {
    free(w->devices[i].arch);
    free(w->devices[i].text);
    free(w->devices[i].code);
    free((char *)w->devices[i].part.bytes);
    hipsteps_free(&w->devices[i].steps);
  }
  free(w->devices);
  hipfront_free(&w->front);
}

static bool make(struct unit_work *w, const char *output, char **err) {
  if (!w->n)
    return task_fail(w->t, err, "no architecture to compile it for; pass --arch");
  for (size_t i = 0; i < w->n && !w->why; i++)
    if (!make_device(w, &w->devices[i], err))
      return false;
  if (w->why && w->t->verbose)
    note("%s: %s: the unit is compiled whole", w->t->stem, w->why);
  return make_entry(w, output, err);
}

bool unit_needs(const struct compile_task *t, need_fn *need, char **err) {
  if (!t->kernel)
    return true;
  if (t->kind->runtime == RUNTIME_CUDA)
    return cudaunit_needs(t, need, err);
  return task_artefact(t) != CKJIT_KIND_KERNEL || t->of_entry || !joined_is(t) ||
         joined_parts_get(t, need, err);
}

bool unit_make(struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct unit_work w = {.t = t, .temporary = temporary};
  struct frontsteps steps = {0};
  bool done = check_key(t, err);
  if (done && t->kind->runtime == RUNTIME_CUDA) {
    done = cudaunit_make(t, temporary, output, err);
  } else if (done && task_artefact(t) == CKJIT_KIND_UNIT_PART) {
    done = part_make(t, temporary, output, err);
  } else if (done && !t->of_entry && joined_is(t)) {
    done = linked_make(t, temporary, output, err);
  } else if (done && (!t->of_entry || (done = take_entry(t, temporary, &steps, err)))) {
    begin(&w);
    done = make(&w, output, err);
    end(&w);
    t->environment = t->of_entry ? NULL : t->environment;
  }
  frontsteps_free(&steps);
  if (!done && !t->of_entry && !t->program_text) {
    autofree char *said = *err;
    const char *name = task_is_whole(t) ? "all" : t->kernel;
    *err =
        xasprintf("%s\nkernel: %.*s, of the text in %s", said, (int)ckjit_choices_len(name), name, t->source);
  }
  return done;
}
