/* devicelink.c - a link for which lazy units with -rdc=true or -fgpu-rdc are objects like all
 * others: `nvcc -dlink`, which CMake runs before the library's link, or a link by nvcc or hipcc,
 * which links the device code itself.
 *
 * The objects of such units have no device code, so nvlink ignores them. But an object that has
 * device code cannot be given functions that only they define, and none of their kernels can be
 * given functions of such an object. So an object or archive with device code may stand beside them
 * if nvlink can link it without them, and it shares no variable with them (AMReX has one unit that
 * cannot be lazy). If nvlink cannot, or if the units were compiled with arithmetic that one link
 * cannot have, or share a variable, or lack a function (devicejudge.c), they become ordinary
 * objects: each is compiled by its recorded command, and takes its object's place in the build,
 * within an archive as well. The device link then runs unchanged. The objects keep their times,
 * because otherwise a build would link once more.
 */
#include "link.h"

#include "devicejudge.h"

#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/files/record.h"
#include "core/base/human.h"

#include <unistd.h>

static bool is_linked(const struct record *r) {
  return r->kind == RECORD_UNIT && compiler_links_kernels(r->compiler_kind, &r->device);
}

/* ---- what keeps them from being lazy ---- */

/* CUDA's own: of these, kernels that need one are not linked at their launch. */
static bool is_of_cuda(const char *file) {
  return str_starts(path_base(file), "libcudadevrt") || str_starts(path_base(file), "libcudart");
}

/* Append FILE to the list USER, borrowed, if device code is to be linked in it. */
static bool look_into(const char *file, const struct cc_input *in, void *user) {
  static const char mark[] =
      "__cudaRegisterLinkedBinary"; /* what an object with device code to be linked calls */
  struct argv *compiled = user;
  size_t len;
  (void)in;
  if (path_is_shared(file) || is_of_cuda(file))
    return true;
  autofree char *bytes = file_read(file, &len);
  if (bytes && memmem(bytes, len, mark, sizeof mark - 1))
    argv_add(compiled, file);
  return true;
}

/* ---- beside what was compiled already ---- */

/* The word of VARIABLES that FILE has as well: its host's code registers each of a device's by
 * its name. NULL: none. */
static const char *registers(const char *file, const struct argv *variables) {
  const char *found = NULL;
  size_t len;
  autofree char *bytes = variables->n ? file_read(file, &len) : NULL;
  for (size_t i = 0; bytes && i < variables->n && !found; i++)
    if (!*variables->args[i] || memmem(bytes, len, variables->args[i], strlen(variables->args[i])))
      found = variables->args[i];
  return found;
}

/* Why one of the N UNITS may share a variable with a file of COMPILED; NULL: none may. free()
 * it. */
static char *shares(const struct linkedunit *units, size_t n, const struct argv *compiled) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < units[i].ncode; k++) {
      autofree_argv variables = {0};
      const char *name = NULL;
      argv_add_all(&variables, units[i].code[k].variables.args);
      argv_add_all(&variables, units[i].code[k].fixed.args);
      for (size_t m = 0; m < compiled->n && !name; m++)
        if ((name = registers(compiled->args[m], &variables)))
          name =
              xasprintf("kernels of %s may share the device variable %s with %s, which was compiled already",
                        units[i].stem, name, compiled->args[m]);
      if (name)
        return (char *)name;
    }
  return NULL;
}

/* Has nvcc all that the device code of this link needs, without the lazy units? It is asked for a
 * device link of what is there: they have no device code, and nvlink passes them by. */
static bool links_alone(const struct link *l) {
  static const char *const left_out[] = {"-shared", "--shared", "-dlink", "--device-link", NULL};
  const struct argv *given = &l->line.given;
  autofree_argv command = {0};
  autofree char *output = path_join(l->dir, "objs/device-link.o");
  argv_add(&command, l->line.compiler);
  for (size_t i = 0; i < given->n; i++) {
    const char *w = given->args[i];
    bool value = strcmp(w, "-o") == 0 || strcmp(w, "--output-file") == 0, skip = value;
    for (size_t k = 0; left_out[k]; k++)
      skip |= strcmp(w, left_out[k]) == 0;
    i += value;
    if (!skip)
      argv_add(&command, w);
  }
  argv_add(&command, "-dlink");
  argv_add(&command, "-o");
  argv_add(&command, output);
  struct job job = {.args = command.args};
  bool done = !l->line.scan.nsources && pool_run(&job, 1, 1, NULL, NULL) == 0 && file_exists(output);
  unlink(output);
  buf_free(&job.output);
  return done;
}

/* ---- what else does ---- */

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
  autofree_argv words = {0};
  for (size_t i = 0; i < r->device.n; i++)
    if (is_arithmetic(r->device.args[i])) {
      bool value = !strchr(r->device.args[i], '=') && i + 1 < r->device.n && r->device.args[i + 1][0] != '-';
      argv_add(&words, r->device.args[i]);
      if (value)
        argv_add(&words, r->device.args[i + 1]);
    }
  return argv_join(words.args ? words.args : (char *[]){NULL});
}

static char *other_arithmetic(const struct link *l) {
  const struct record *first = NULL;
  autofree char *of_first = NULL;
  char *why = NULL;
  for (size_t i = 0; i < l->line.nrecords && !why; i++) {
    const struct record *r = &l->line.records[i];
    if (!is_linked(r))
      continue;
    char *words = arithmetic_of(r);
    if (first && strcmp(words, of_first) != 0)
      why = xasprintf("%s is compiled with other arithmetic (%s) than %s (%s)", record_place(r), words,
                      record_place(first), of_first);
    if (first) {
      free(words);
    } else {
      first = r;
      of_first = words;
    }
  }
  return why;
}

/* Returns what in the units' own code prevents laziness, beside COMPILED. Each unit counts once, in
 * however many libraries it may be found. */
static char *judge_units(const struct link *l, const struct argv *compiled) {
  autofree struct linkedunit *units = xcalloc(l->line.nrecords + 1, sizeof *units);
  autofree_argv keys = {0};
  size_t n = 0;
  char *why = NULL;
  for (size_t i = 0; i < l->line.nrecords && !why; i++) {
    const struct record *r = &l->line.records[i];
    if (!is_linked(r) || argv_has(&keys, r->key))
      continue;
    argv_add(&keys, r->key);
    units[n].stem = xstrdup(path_base(r->source));
    if (!linkedunit_read(&units[n++], r->device_text))
      why = xasprintf("what %s has for others was written by another version of ckjit", record_place(r));
  }
  if (!why)
    why = devicejudge(units, n);
  if (!why)
    why = shares(units, n, compiled);
  for (size_t i = 0; i < n; i++)
    linkedunit_free(&units[i]);
  return why;
}

/* Why no unit of this link can be lazy, by what is there before any of them is compiled; NULL: they
 * may be. COMPILED: files with device code of CUDA. free() it. */
static char *obstacle_of_files(struct link *l, struct argv *compiled) {
  char *why = link_unstorable(l);
  if (l->line.kind->runtime == RUNTIME_HIP) {
    const struct device_code *d = link_device_code(l);
    if (!why && d->why)
      why = xstrdup(d->why);
    else if (!why && d->needs)
      why = xasprintf("%s, which was compiled already, needs device code of others", d->needs);
  } else {
    ccargs_link_files(&l->line.scan, look_into, compiled);
  }
  return why ? why : other_arithmetic(l);
}

/* The same by the units themselves. Units that are compiled already, because they cannot be lazy,
 * are linked now and the others later, if neither needs the other. */
static char *obstacle_of_units(const struct link *l, const struct argv *compiled) {
  char *why = judge_units(l, compiled);
  if (!why && compiled->n && !links_alone(l))
    why = xasprintf("%s, which was compiled already, has device code that is linked with it",
                    compiled->args[0]);
  return why;
}

/* ---- as without ckjit ---- */

/* For `ckjit explain`. */
static void tell(const struct link *l, const struct record *unit, char *why) {
  struct record r = *unit;
  autofree_buf line = {0};
  autofree char *log = path_join(l->work, RECORD_FILE);
  r.kind = RECORD_HOST;
  r.why = (struct reason){.rule = RULE_OUTPUTS};
  r.not_lazy = why;
  record_format(&line, &r);
  if (!record_append(log, line.data, line.len))
    warn("%s: cannot write: %s", log, strerror(errno));
}

static void compile_all(struct link *l, char *why) {
  autofree char **objects = xcalloc(l->line.nrecords + 1, sizeof *objects);
  size_t n = 0;
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (is_linked(&l->line.records[i])) {
      objects[i] = xasprintf("%s/objs/stock-%zu-%s.o", l->dir, i, l->line.records[i].stem);
      n++;
    }
  warn("%s: %zu %s with %s %s compiled without ckjit: %s", l->line.output, n, noun(n, "unit", "units"),
       l->line.kind->links, noun(n, "is", "are"), why);
  link_put_whole(l, objects, why);
  for (size_t i = 0; i < l->line.nrecords; i++) {
    if (objects[i])
      tell(l, &l->line.records[i], why);
    free(objects[i]);
  }
}

/* A partial link of HIP's unpacks and links device code, and there is none. */
static _Noreturn void become_plain(struct link *l) {
  link_drop_device_words(&l->line.given);
  link_become_given(l);
}

void link_device(struct link *l, char **argv) {
  bool alone = l->line.scan.mode == CC_DEVICE, others = false;
  size_t n = 0;
  for (size_t i = 0; i < l->line.nrecords; i++) {
    n += is_linked(&l->line.records[i]);
    others |= !is_linked(&l->line.records[i]);
  }
  bool hip = l->line.kind->runtime == RUNTIME_HIP;
  if (n && link_put_back(l))
    link_become(l, "/proc/self/exe", argv);
  autofree_argv compiled = {0};
  bool judged = n && l->line.kind->links;
  char *why = judged ? obstacle_of_files(l, &compiled) : NULL;
  if (n && others && hip && !why)
    link_join_rdc(l, "its device code is linked with that of lazy units", argv);
  if (judged && !why)
    why = obstacle_of_units(l, &compiled);
  if (why)
    compile_all(l, why);
  if (why && !alone && others)
    link_become(l, "/proc/self/exe", argv);
  if (alone || why)
    link_become_given(l);
  if (n && !others && hip && l->line.scan.mode == CC_RELOCATABLE && !l->device_code.there)
    become_plain(l);
}
