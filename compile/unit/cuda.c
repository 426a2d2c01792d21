/* cuda.c - see cuda.h. */
#include "cuda.h"
#include "cudakernel.h"
#include "cudasteps.h"
#include "front.h"
#include "joined.h"
#include "linked.h"
#include "part.h"
#include "compile/codeentry.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/files/unittext.h"
#include "abi/ck_jit_code.h"

#include <unistd.h>

/* Code for one GPU is made of bitcode, kernel by kernel. */
static bool is_apart(const struct compile_task *t) {
  return str_starts(t->archs, "sm_") && !strchr(t->archs, ';');
}

/* ---- the front end ---- */

static bool write_front(const struct cuda *c, const char *output, char **err) {
  autofree_buf steps = {0};
  frontsteps_write(c, &steps);
  frontsteps_write_host(c, &steps);
  return front_write(c->t, output, c->bitcode, &steps, err);
}

/* The bitcode that the build has kept with the text, in its file. */
static bool has_front(const struct cuda *c) {
  autofree char *arch = xasprintf(UNITTEXT_FRONT "%s", nvcc_value(c->cicc, "-arch")), *why = NULL;
  size_t len;
  autofree char *bitcode = unittext_read(c->t->source, arch, &len, &why);
  return bitcode && file_write(c->bitcode, bitcode, len, 0600);
}

static bool run_front(struct cuda *c, char **err) {
  autofree_argv front = {0};
  const char *why = NVCC_UNKNOWN_STEPS;
  bool done = c->cicc && c->ptxas && cicc_divide(c->cicc, c->ptxas, c->bitcode, &front, &c->back, &why) &&
              (has_front(c) || cudasteps_run_front(c, &front, &why));
  return done || cudasteps_fail(c, why, err);
}

static bool make_front(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct cuda c;
  bool done = cudasteps_open(&c, t, temporary, err) && run_front(&c, err) && write_front(&c, output, err);
  cudasteps_free(&c);
  return done;
}

/* ---- its entry ---- */

bool cudaunit_needs(const struct compile_task *t, need_fn *need, char **err) {
  struct compile_task f;
  enum whose whose;
  if (task_artefact(t) != CKJIT_KIND_KERNEL || t->of_entry)
    return true;
  if (joined_is(t))
    return joined_parts_get(t, need, err);
  if (!is_apart(t))
    return true;
  front_task(&f, t);
  bool done = need(&f, &whose, err);
  task_free(&f);
  return done;
}

static bool make_kernel(struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct compile_task f;
  if (t->of_entry)
    return cuda_kernel_make(t, t->source, temporary, output, err);
  front_task(&f, t);
  autofree char *front = cudasteps_entry(&f, temporary, make_front, err);
  bool done = front && cuda_kernel_make(t, front, temporary, output, err);
  task_free(&f);
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
  struct cuda c;
  bool all = task_is_whole(t), done = cudasteps_open(&c, t, temporary, err);
  autofree char *fatbin = path_join(temporary, "unit.fatbin");
  if (done && all) {
    cudasteps_ask_for_binary(&c, fatbin);
    done = run_device(&c, err);
  }
  done = done && codeentry_of_fatbin(t, output, CKJIT_CODE_CUDA, all ? fatbin : NULL, err);
  cudasteps_free(&c);
  return done;
}

bool cudaunit_make(struct compile_task *t, const char *temporary, const char *output, char **err) {
  if (task_artefact(t) == CKJIT_KIND_UNIT_PART)
    return part_make(t, temporary, output, err);
  if (joined_is(t))
    return linked_make(t, temporary, output, err);
  if (task_artefact(t) == CKJIT_KIND_UNIT_FRONT)
    return make_front(t, temporary, output, err);
  if (strchr(t->kernel, '+')) /* a combination */
    return task_fail(
        t, err, "it cannot be combined with tags, texts or options: its unit is not compiled with -rdc=true");
  return is_apart(t) ? make_kernel(t, temporary, output, err) : make_whole(t, temporary, output, err);
}
