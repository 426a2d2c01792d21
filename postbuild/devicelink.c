/* devicelink.c - a link of nvcc's for which lazy units with -rdc=true are objects like all others: `nvcc -dlink`, which CMake runs before the
 * library's link, or a link by nvcc, which links the device code itself.
 *
 * The objects of such units have no device code: nothing is left to be linked for them, and nvlink passes them by. But it cannot give
 * an object that has some what only they define, and no kernel of theirs can be given what such an object defines. So if there is one,
 * or an archive of some, or if the units were compiled with arithmetic that one link cannot have, or share a variable, or lack a
 * function (devicejudge.c), they become what stock would have made: each is compiled by its recorded command, and takes its object's place in the build, within an archive as well. The device link then
 * is stock's. The objects keep their times, for otherwise a build would link once more.
 */
#include "link.h"

#include "devicejudge.h"

#include "core/base/path.h"
#include "core/files/record.h"
#include "core/base/human.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_linked(const struct record *r) {
  return r->kind == RECORD_UNIT && r->compiler_kind->dialect == CC_NVCC && argv_has(&r->device, "-rdc=true");
}

/* ---- what keeps them from being lazy ---- */

/* CUDA's own: of these, kernels that need one are not linked at their launch. */
static bool is_of_cuda(const char *file) {
  return str_starts(path_base(file), "libcudadevrt") || str_starts(path_base(file), "libcudart");
}

static bool look_into(const char *file, const struct cc_input *in, void *user) {
  static const char mark[] =
      "__cudaRegisterLinkedBinary"; /* what an object with device code to be linked calls */
  char **why = user;
  size_t len;
  (void)in;
  if (strstr(path_base(file), ".so") || is_of_cuda(file))
    return true;
  char *bytes = file_read(file, &len);
  if (bytes && memmem(bytes, len, mark, sizeof mark - 1))
    *why = xasprintf("%s, which was compiled already, has device code that is linked with it", file);
  free(bytes);
  return !*why;
}

/* Is WORD of nvcc's one that decides about arithmetic, which LTO has one of for a whole link? */
static bool is_arithmetic(const char *word) {
  static const char *const words[] = {"-use_fast_math", "--use_fast_math", "-ftz",       "--ftz",
                                      "-prec-div",      "--prec-div",      "-prec-sqrt", "--prec-sqrt",
                                      "-fmad",          "--fmad"};
  size_t n = strcspn(word, "=");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == n && strncmp(word, words[i], n) == 0)
      return true;
  return false;
}

/* These words of R; free() it. */
static char *arithmetic_of(const struct record *r) {
  struct argv words = {0};
  for (size_t i = 0; i < r->device.n; i++)
    if (is_arithmetic(r->device.args[i])) {
      bool value = !strchr(r->device.args[i], '=') && i + 1 < r->device.n && r->device.args[i + 1][0] != '-';
      argv_add(&words, r->device.args[i]);
      if (value)
        argv_add(&words, r->device.args[i + 1]);
    }
  char *text = argv_join(words.args ? words.args : (char *[]){NULL});
  argv_free(&words);
  return text;
}

static char *other_arithmetic(const struct link *l) {
  const struct record *first = NULL;
  char *of_first = NULL, *why = NULL;
  for (size_t i = 0; i < l->line.nrecords && !why; i++) {
    const struct record *r = &l->line.records[i];
    if (!is_linked(r))
      continue;
    char *words = arithmetic_of(r);
    if (first && strcmp(words, of_first) != 0)
      why = xasprintf("%s is compiled with other arithmetic (%s) than %s (%s)", r->source, words,
                      first->source, of_first);
    if (first) {
      free(words);
    } else {
      first = r;
      of_first = words;
    }
  }
  free(of_first);
  return why;
}

/* What of the units' own code is in the way. Each unit counts once, in how many libraries it may be found. */
static char *judge_units(const struct link *l) {
  struct linkedunit *units = xcalloc(l->line.nrecords + 1, sizeof *units);
  struct argv keys = {0};
  size_t n = 0;
  char *why = NULL;
  for (size_t i = 0; i < l->line.nrecords && !why; i++) {
    const struct record *r = &l->line.records[i];
    if (!is_linked(r) || argv_has(&keys, r->key))
      continue;
    argv_add(&keys, r->key);
    units[n].stem = xstrdup(path_base(r->source));
    if (!linkedunit_read(&units[n++], r->device_text))
      why = xasprintf("what %s has for others was written by another version of ckjit", r->source);
  }
  if (!why)
    why = devicejudge(units, n);
  for (size_t i = 0; i < n; i++)
    linkedunit_free(&units[i]);
  free(units);
  argv_free(&keys);
  return why;
}

/* Why they are not lazy; NULL: they are. free() it. */
static char *obstacle(const struct link *l) {
  char *why = link_unstorable(l);
  if (!why)
    why = other_arithmetic(l);
  if (!why)
    ccargs_link_files(&l->line.scan, look_into, &why);
  return why ? why : judge_units(l);
}

/* ---- as stock ---- */

/* For `ckjit explain`. */
static void tell(const struct link *l, const struct record *unit, char *why) {
  struct record r = *unit;
  struct buf line = {0};
  char *log = path_join(l->work, RECORD_FILE);
  r.kind = RECORD_HOST;
  r.why = (struct reason){.rule = RULE_OUTPUTS};
  r.not_lazy = why;
  record_format(&line, &r);
  if (!record_append(log, line.data, line.len))
    warn("%s: cannot write: %s", log, strerror(errno));
  buf_free(&line);
  free(log);
}

static void compile_all(struct link *l, char *why) {
  struct step *steps = xcalloc(l->line.nrecords + 1, sizeof *steps);
  char **objects = xcalloc(l->line.nrecords + 1, sizeof *objects);
  size_t n = 0;
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (is_linked(&l->line.records[i])) {
      objects[i] = xasprintf("%s/objs/stock-%zu-%s.o", l->dir, i, l->line.records[i].stem);
      steps[n++] = link_whole_step(&l->line.records[i], objects[i]);
    }
  warn("%s: %zu %s compiled as without ckjit: %s", l->line.output, n,
       noun(n, "unit with -rdc=true is", "units with -rdc=true are"), why);
  steps_run(&l->runner, steps, n);
  for (size_t i = 0; i < n; i++)
    if (steps[i].status)
      step_fail(&steps[i]);
  link_put_objects(l, objects, why);
  for (size_t i = 0; i < l->line.nrecords; i++) {
    if (objects[i])
      tell(l, &l->line.records[i], why);
    free(objects[i]);
  }
  free(objects);
  free(steps);
}

static _Noreturn void become(struct link *l, const char *program, char *const *args) {
  step_launcher_close(&l->runner.launcher);
  execvp(program, args);
  die(EXIT_FAILED, "%s: cannot be run: %s", program, strerror(errno));
}

void link_device(struct link *l, char **argv) {
  bool alone = l->line.scan.mode == CC_DEVICE, others = false;
  size_t n = 0;
  for (size_t i = 0; i < l->line.nrecords; i++) {
    n += is_linked(&l->line.records[i]);
    others |= !is_linked(&l->line.records[i]);
  }
  char *why = n && l->line.kind->dialect == CC_NVCC ? obstacle(l) : NULL;
  if (why)
    compile_all(l, why);
  if (why && !alone && others)
    become(l, "/proc/self/exe", argv);
  if (alone || why) {
    struct argv command = {0};
    argv_add(&command, l->line.compiler);
    argv_add_all(&command, l->line.given.args);
    become(l, command.args[0], command.args);
  }
}
