/* cuda.c - see cuda.h. */
#include "cuda.h"
#include "cudasteps.h"
#include "linked.h"
#include "part.h"
#include "compile/codeentry.h"
#include "compile/make.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "compile/turn.h"
#include "compile/variant.h"
#include "compile/cuda/kernel.h"
#include "compile/cuda/steps.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"
#include "core/cc/cicc.h"
#include "core/files/unittext.h"
#include "abi/ck_jit_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Code for one GPU is made of bitcode, kernel by kernel. */
static bool is_apart(const struct compile_task *t) {
  return str_starts(t->archs, "sm_") && !strchr(t->archs, ';');
}

/* ---- the front end ---- */

static bool write_front(const struct cuda *c, const char *output, char **err) {
  struct buf steps = {0};
  cuda_steps_write(c, &steps);
  const struct code_section sections[] = {
      {.name = CUDA_BITCODE_SECTION, .align = 1, .file = c->bitcode},
      {.name = CUDA_STEPS_SECTION, .align = 1, .bytes = steps.data, .len = steps.len},
  };
  bool done = codeentry_write(c->t, output, sections, 2, err);
  buf_free(&steps);
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
  const char *why = "nvcc's steps are unknown to this ckjit";
  bool done = c->cicc && c->ptxas && cicc_divide(c->cicc, c->ptxas, c->bitcode, &front, &c->back, &why);
  if (done && !has_front(c)) {
    say_command(c->t, &front);
    cuda_step(&p, "device front end", &front, 0);
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
  bool done = cudasteps_open(&c, err) && run_front(&c, err) && write_front(&c, output, err);
  cudasteps_free(&c);
  return done;
}

/* ---- its entry ---- */

/* The task that makes the front end's entry for T. front_free it. */
static void front_task(struct compile_task *f, const struct compile_task *t) {
  *f = *t;
  f->kernel = CKJIT_UNIT_FRONT_NAME;
  f->progress = f->unless_busy = false; /* T needs it, whoever makes it */
  f->learnt = (struct buf){0};
  f->learnt_files = (struct argv){0};
  f->seen = NULL;
  *f->placed = 0;
  struct artefact_name name;
  artefact_stem_read(&name, t->stem);
  f->stem = artefact_stem(t->stem, name.stem, f->kernel);
  f->output = xasprintf("%s/%s.so", t->dir, f->stem);
  task_set_id(f, t->asked);
  variant_identify(f);
}

static void front_free(struct compile_task *f) {
  free(f->stem);
  free(f->output);
  buf_free(&f->learnt);
  argv_free(&f->learnt_files);
}

bool cudaunit_front_get(const struct compile_task *t, char **err) {
  struct compile_task f;
  struct turn turn;
  enum whose whose;
  if (!t->cache || !t->of_unit || t->kind->dialect != CC_NVCC || task_artefact(t) != CKJIT_KIND_UNIT_KERNEL)
    return true;
  if (linked_is(t))
    return linked_parts_get(t, err);
  if (!is_apart(t))
    return true;
  front_task(&f, t);
  bool made = false, done = false;
  while (!made && (whose = turn_take(&turn, &f, err)) == TURN_OURS) {
    done = make_task(&f, err);
    made = !turn_end(&turn, done ? NULL : err);
  }
  done |= !made && whose == TURN_READY;
  front_free(&f);
  return done;
}

/* The file with T's bitcode: in the cache, or, if it is not there, made in TEMPORARY. free() it. */
static char *find_front(const struct compile_task *t, const char *temporary, char **err) {
  struct compile_task f;
  char path[PATH_MAX], *file = NULL;
  const char *why;
  front_task(&f, t);
  if (t->cache && ckjit_entry_find(path, t->dir, f.stem, strlen(f.stem), f.id, &why))
    file = xstrdup(path);
  if (!file) {
    char *dir = path_join(temporary, "front");
    file = path_join(temporary, "front.so");
    if (!dir_make(dir) || !make_front(&f, dir, file, err)) {
      if (!*err)
        task_fail(t, err, "cannot make %s: %s", dir, strerror(errno));
      free(file);
      file = NULL;
    }
    free(dir);
  }
  front_free(&f);
  return file;
}

static bool make_kernel(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct compile_task k = *t;
  k.source = find_front(t, temporary, err);
  bool done = k.source && cuda_kernel_make(&k, temporary, output, err);
  free(k.source);
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
    struct step *step = cuda_step(&p, s->kind == NVCC_CICC ? "device" : "assembler", &s->words, after);
    step->output = s->output ? xstrdup(s->output) : NULL;
  }
  bool done = room && plan_run(&p, &c->env, c->log, &why);
  plan_free(&p);
  return done || cudasteps_fail(c, why, err);
}

void cudaunit_ask_for_binary(struct cuda *c, const char *fatbin) {
  struct argv kept = {0};
  for (size_t i = 0; i < c->fatbinary->words.n; i++)
    if (!str_starts(c->fatbinary->words.args[i], "--embedded-fatbin="))
      argv_add(&kept, c->fatbinary->words.args[i]);
  argv_addf(&kept, "--create=%s", fatbin);
  argv_free(&c->fatbinary->words);
  c->fatbinary->words = kept;
}

static bool make_whole(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct cuda c = {.t = t, .temporary = temporary, .log = -1};
  bool all = task_is_whole(t), done = cudasteps_open(&c, err);
  char *fatbin = path_join(temporary, "unit.fatbin");
  if (done && all) {
    cudaunit_ask_for_binary(&c, fatbin);
    done = run_device(&c, err);
  }
  done = done && codeentry_of_fatbin(t, output, CKJIT_CODE_CUDA, all ? fatbin : NULL, err);
  free(fatbin);
  cudasteps_free(&c);
  return done;
}

bool cudaunit_make(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  if (task_artefact(t) == CKJIT_KIND_UNIT_PART)
    return part_make(t, temporary, output, err);
  if (linked_is(t))
    return linked_make(t, temporary, output, err);
  if (task_artefact(t) == CKJIT_KIND_UNIT_FRONT)
    return make_front(t, temporary, output, err);
  if (strchr(t->kernel, '+')) /* a combination */
    return task_fail(t, err, "it cannot be chosen by tags: its unit is not compiled with -rdc=true");
  return is_apart(t) ? make_kernel(t, temporary, output, err) : make_whole(t, temporary, output, err);
}
