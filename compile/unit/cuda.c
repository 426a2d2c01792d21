/* cuda.c - see cuda.h. */
#include "cuda.h"
#include "cudasteps.h"
#include "linked.h"
#include "part.h"
#include "compile/fatentry.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "compile/variant.h"
#include "compile/cuda/kernel.h"
#include "compile/cuda/steps.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/files/unittext.h"
#include "abi/ck_jit_unit.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRONT "+front" /* in place of a kernel's name: no function is called so */

static bool is_front(const struct compile_task *t) {
  return strcmp(t->kernel, FRONT) == 0;
}

/* Code for one GPU is made of bitcode, kernel by kernel. */
static bool is_apart(const struct compile_task *t) {
  return str_starts(t->archs, "sm_") && !strchr(t->archs, ';');
}

/* ---- the front end ---- */

/* The sections, as assembly, and what links them. */
static bool link_front(const struct cuda *c, const char *output, char **err) {
  char *source = path_join(c->temporary, "sections.s"), *steps = path_join(c->temporary, "steps"),
       *log = path_join(c->temporary, "front.log");
  struct buf words = {0}, text = {0};
  struct argv command = {0};
  cuda_steps_write(c, &words);
  buf_printf(&text,
             ".section " CUDA_BITCODE_SECTION ", \"\", @progbits\n.incbin \"%s\"\n"
             ".section " CUDA_STEPS_SECTION ", \"\", @progbits\n.incbin \"%s\"\n"
             ".section .note.GNU-stack, \"\", @progbits\n",
             c->bitcode, steps);
  argv_add(&command, c->host->words.args[0]);
  fatentry_words(&command, c->t, source, output);
  bool done = task_write(c->t, steps, words.data, words.len, err) &&
              task_write(c->t, source, text.data, text.len, err) && run_command(c->t, &command, log, err);
  argv_free(&command);
  buf_free(&words);
  buf_free(&text);
  free(log);
  free(steps);
  free(source);
  return done;
}

/* The bitcode that the build has kept with the text, in its file. */
static bool has_front(const struct cuda *c) {
  char *arch = xasprintf(UNITTEXT_FRONT "%s", nvcc_value(c->cicc, "-arch")), *why = NULL;
  size_t len;
  char *bitcode = unittext_read(c->t->source, arch, &len, &why);
  bool found = bitcode && file_write(c->bitcode, bitcode, len, 0600);
  free(bitcode);
  free(arch);
  free(why);
  return found;
}

static bool run_front(struct cuda *c, char **err) {
  struct argv front = {0};
  struct plan p = {0};
  const char *why = NVCC_UNKNOWN_STEPS;
  bool done = c->cicc && c->ptxas && cicc_divide(c->cicc, c->ptxas, c->bitcode, &front, &c->back, &why);
  if (done && !has_front(c)) {
    say_command(c->t, &front);
    plan_add(&p, "device front end", &front, 0);
    /* `cicc -lgenfe` ends with 0 behind errors as well */
    done = plan_run(&p, &c->env, c->log, &why) &&
           (file_exists(c->bitcode) || (why = "the device front end failed", false));
  }
  plan_free(&p);
  argv_free(&front);
  return done || cudasteps_fail(c, why, err);
}

static bool make_front(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct cuda c = {.t = t, .temporary = temporary, .log = -1};
  bool done = cudasteps_open(&c, err) && run_front(&c, err) && link_front(&c, output, err);
  cudasteps_free(&c);
  return done;
}

/* ---- its entry ---- */

/* The length of T's stem without the hash of a kernel. */
static size_t stem_length(const struct compile_task *t) {
  enum { DIGITS = 16 };
  size_t n = strlen(t->stem);
  bool hash = n > DIGITS + 1 && t->stem[n - DIGITS - 1] == '.';
  for (size_t i = 0; hash && i < DIGITS; i++)
    hash = isxdigit((unsigned char)t->stem[n - DIGITS + i]);
  return hash ? n - DIGITS - 1 : n;
}

/* F: the front end's entry for T. task_free it. */
static void front_task(struct compile_task *f, const struct compile_task *t) {
  char *stem = xstrndup(t->stem, stem_length(t));
  task_for(f, t, stem, t->asked, t->archs, FRONT);
  variant_identify(f);
  free(stem);
}

bool cudaunit_needs(const struct compile_task *t, need_fn *need, char **err) {
  struct compile_task f;
  enum whose whose;
  if (is_front(t) || part_is(t))
    return true;
  if (linked_is(t))
    return linked_parts_get(t, need, err);
  if (!is_apart(t))
    return true;
  front_task(&f, t);
  bool done = need(&f, &whose, err);
  task_free(&f);
  return done;
}

static bool make_kernel(struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct compile_task f;
  front_task(&f, t);
  char *front = cudasteps_entry(&f, temporary, make_front, err);
  bool done = front && cuda_kernel_make(t, front, temporary, output, err);
  task_free(&f);
  free(front);
  return done;
}

/* ---- all kernels together ---- */

/* Each of nvcc's steps of the device's side, in its order. */
static bool run_device(struct cuda *c, char **err) {
  struct plan p = {0};
  const char *why = "nvcc lists too many steps";
  uint64_t before = 0;
  bool room = c->nvcc.n <= PLAN_STEPS;
  for (size_t i = 0; room && i < c->nvcc.n; i++) {
    const struct nvcc_step *s = &c->nvcc.steps[i];
    if (s->kind != NVCC_CICC && s->kind != NVCC_PTXAS && s->kind != NVCC_FATBINARY)
      continue;
    uint64_t after = s->kind == NVCC_FATBINARY ? before : 0;
    for (size_t k = 0; s->kind == NVCC_PTXAS && k < p.n; k++) /* the cicc whose PTX it reads */
      for (size_t w = 0; w < s->words.n; w++)
        if (p.steps[k].output && strcmp(s->words.args[w], p.steps[k].output) == 0)
          after |= 1ULL << k;
    before |= 1ULL << p.n;
    struct step *step = plan_add(&p, s->kind == NVCC_CICC ? "device" : "assembler", &s->words, after);
    step->output = s->output ? xstrdup(s->output) : NULL;
  }
  bool done = room && plan_run(&p, &c->env, c->log, &why);
  plan_free(&p);
  return done || cudasteps_fail(c, why, err);
}

static bool make_whole(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct cuda c = {.t = t, .temporary = temporary, .log = -1};
  bool all = strcmp(t->kernel, CKJIT_UNIT_WHOLE) == 0, done = cudasteps_open(&c, err);
  char *fatbin = path_join(temporary, "unit.fatbin");
  if (done && all) {
    cudasteps_ask_for_binary(&c, fatbin);
    done = run_device(&c, err);
  }
  done = done && cudasteps_link(&c, all ? fatbin : NULL, output, err);
  free(fatbin);
  cudasteps_free(&c);
  return done;
}

bool cudaunit_make(struct compile_task *t, const char *temporary, const char *output, char **err) {
  if (part_is(t))
    return part_make(t, temporary, output, err);
  if (linked_is(t))
    return linked_make(t, temporary, output, err);
  if (is_front(t))
    return make_front(t, temporary, output, err);
  if (strchr(t->kernel, '+')) /* a combination */
    return task_fail(t, err, "it cannot be chosen by tags: its unit is not compiled with -rdc=true");
  return is_apart(t) ? make_kernel(t, temporary, output, err) : make_whole(t, temporary, output, err);
}
