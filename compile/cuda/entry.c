/* entry.c - the entry of a CUDA blob without its kernels.
 *
 *     plan       nvcc lists its steps (--dryrun); there must be one of each, as for one architecture
 *     divide     cicc into front end and rest                     core/cc/cicc.c
 *     files      that steps read besides: what cudafe++ tells cicc, what stands in for the fat binary,
 *                how to make kernels of the bitcode               steps.c
 *     run        the steps, side by side; the host's code is
 *                compiled with a stub made early                  stub.c
 *     link       with the shim and the bitcode                    link.c
 *
 * Whatever is not understood ends the attempt, and the blob is compiled whole.
 */
#include "entry.h"
#include "cuda.h"
#include "link.h"
#include "steps.h"
#include "stub.h"
#include "compile/command.h"
#include "compile/environment.h"
#include "compile/plan_run.h"
#include "compile/seen.h"
#include "compile/verify.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/cc/compiler.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST_READS "host.d"
#define DEVICE_READS "device.d"

/* ---- nvcc's steps ---- */

static bool make_plan(struct cuda *c, const char **why) {
  struct argv command = {0};
  command_object(&command, c->t, NULL, NULL, c->object);
  char *text = plan_ask_steps(CC_NVCC, &command, c->env.args, c->temporary, NULL), *unread = NULL;
  bool done = text || give_up(why, "nvcc does not answer --dryrun");
  if (done && !nvcc_plan_read(&c->nvcc, text, &unread))
    done = give_up(why, "nvcc lists no steps");
  if (done && !cuda_take_steps(c))
    done = give_up(why, NVCC_UNKNOWN_STEPS);
  if (done)
    verify_answer(c->t, &command, text, &c->env);
  nvcc_environment(&c->nvcc, &c->env);
  free(unread);
  free(text);
  argv_free(&command);
  return done;
}

/* ---- the files that steps read besides ---- */

/* Ours is the same name each time. */
static bool write_module_id(struct cuda *c) {
  struct buf id = {0};
  cicc_put_module_id(&id, c->t->hex, c->t->source);
  bool done = cicc_module_id(c->cudafe, c->cicc, id.data);
  buf_free(&id);
  return done;
}

/* The host code includes this in place of the fat binary. It is never registered. */
static bool write_no_fatbin(const struct cuda *c) {
  static const char text[] = "#include \"fatbinary_section.h\"\n"
                             "static const unsigned long long ckjit_no_fatbin[2] = {0, 0};\n"
                             "static const __fatBinC_Wrapper_t __fatDeviceText = "
                             "{FATBINC_MAGIC, FATBINC_VERSION, (unsigned long long *)ckjit_no_fatbin, 0};\n";
  const char *name = nvcc_value(c->cicc, "--include_file_name");
  return name && cuda_write(c, name, text, sizeof text - 1);
}

static bool write_steps(const struct cuda *c) {
  struct buf out = {0};
  cuda_steps_write(c, &out);
  bool done = cuda_write(c, "steps", out.data, out.len);
  buf_free(&out);
  return done;
}

static bool write_sections(const struct cuda *c) {
  char *text = xasprintf(".section " CUDA_BITCODE_SECTION ", \"\", @progbits\n.incbin \"%s\"\n"
                         ".section " CUDA_STEPS_SECTION ", \"\", @progbits\n.incbin \"%s/steps\"\n"
                         ".section .note.GNU-stack, \"\", @progbits\n",
                         c->bitcode, c->temporary);
  bool done = cuda_write(c, "sections.s", text, strlen(text));
  free(text);
  return done;
}

/* ---- the first run: everything up to the host's object ---- */

/* the object with the sections */
static void assemble_words(const struct cuda *c, struct argv *list) {
  argv_add(list, c->host->words.args[0]);
  argv_add(list, "-c");
  argv_addf(list, "%s/sections.s", c->temporary);
  argv_add(list, "-o");
  argv_addf(list, "%s/sections.o", c->temporary);
}

/* STEP of gcc's, and have it say what it reads in FILE. */
static void add_text_step(struct cuda *c, struct plan *p, const char *name, const struct nvcc_step *step,
                          const char *file) {
  struct step *s = plan_add(p, name, &step->words, 0);
  if (c->t->seen) {
    argv_add(&s->words, "-MD");
    argv_add(&s->words, "-MF");
    argv_addf(&s->words, "%s/%s", c->temporary, file);
  }
}

static void note_reads(const struct cuda *c) {
  static const char *const files[] = {HOST_READS, DEVICE_READS};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *file = path_abs_in(c->temporary, files[i]);
    seen_depfile(c->t, file);
    free(file);
  }
}

/* With fewer processors than steps their order matters: first the device's front end, which takes longest,
 * then what the host's compile waits for. EARLY: the stub is made by a step of its own. */
static void add_passes(struct cuda *c, struct plan *p, const struct argv *front, struct cuda_stub *early) {
  enum { DEVICE = 1, CICC = 2, TEXT = 4, FRONT = 8, STUB = 16 };
  struct argv assemble = {0};
  assemble_words(c, &assemble);
  add_text_step(c, p, "device text", c->device_text, DEVICE_READS);
  plan_add(p, "device front end", front, DEVICE);
  add_text_step(c, p, "host text", c->host_text, HOST_READS);
  plan_add(p, "host front end", &c->cudafe->words, TEXT);
  if (early) {
    struct step *s = plan_add(p, "stub", &early->words, DEVICE);
    s->prepare = cuda_stub_prepare;
    s->data = early;
    s->optional = true;
  }
  plan_add(p, "host pass", &c->host->words, early ? FRONT | STUB : FRONT | CICC)->optional = early != NULL;
  plan_add(p, "bitcode", &assemble, CICC);
  argv_free(&assemble);
}

/* The host's code once more, with the front end's own stub. */
static bool compile_host_again(struct cuda *c, const struct cuda_stub *early, const char **why) {
  struct plan p = {0};
  if (c->t->verbose)
    note("%s: its host code depends on the bodies of its kernels: compiling it again", c->t->stem);
  plan_add(&p, "host pass", &c->host->words, 0);
  bool done = cuda_stub_correct(early) ? plan_run(&p, &c->env, c->log, why)
                                       : give_up(why, "a temporary file cannot be written");
  plan_free(&p);
  return done;
}

static bool write_files(struct cuda *c, const char **why) {
  return (write_module_id(c) && write_no_fatbin(c) && write_steps(c) && write_sections(c)) ||
         give_up(why, "a temporary file cannot be written");
}

static bool run_passes(struct cuda *c, const char **why) {
  struct plan p = {0};
  struct argv front = {0};
  struct cuda_stub early = {0};
  bool done = cicc_divide(c->cicc, c->ptxas, c->bitcode, &front, &c->back, why) && write_files(c, why);
  if (done) {
    bool planned = cuda_stub_plan(&early, &front, c->device_text->output, c->bitcode, c->temporary);
    add_passes(c, &p, &front, planned ? &early : NULL);
    done = plan_run(&p, &c->env, c->log, why);
    if (done && planned && (!file_exists(c->object) || !cuda_stub_held(&early)))
      done = compile_host_again(c, &early, why);
  }
  plan_free(&p);
  cuda_stub_free(&early);
  argv_free(&front);
  return done;
}

/* ---- the attempt ---- */

/* Code for one GPU, not PTX: what the driver compiles by itself cannot be taken apart. */
static bool is_eligible(const struct compile_task *t) {
  const char *set = env_get("CK_JIT_PER_KERNEL");
  return t->per_kernel && t->kind->kernels_apart && !t->launcher.n && str_starts(t->archs, "sm_") &&
         !strchr(t->archs, ';') && !(set && !ckjit_is_on(set));
}

bool cuda_entry_make(const struct compile_task *t, const char *temporary, const char *output) {
  if (!is_eligible(t))
    return false;
  struct cuda c = {.t = t,
                   .temporary = temporary,
                   .bitcode = path_join(temporary, "front.bc"),
                   .object = path_join(temporary, "host.o")};
  char *log = path_join(temporary, "kernels-log");
  c.log = open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  argv_add_all(&c.env, compile_environment(t));
  environment_toolchain(t, &c.toolchain);
  const char *why = "no log";
  seen_again(t);
  bool done = c.log >= 0 && make_plan(&c, &why) && run_passes(&c, &why) && cuda_link(&c, output, &why);
  if (done)
    note_reads(&c);
  if (t->verbose)
    note("%s: %s%s", t->stem,
         done ? "its kernels are compiled when they are launched" : "compiled whole: ", done ? "" : why);
  if (c.log >= 0)
    close(c.log);
  nvcc_plan_free(&c.nvcc);
  argv_free(&c.env);
  argv_free(&c.toolchain);
  argv_free(&c.back);
  free(c.bitcode);
  free(c.object);
  free(log);
  return done;
}
