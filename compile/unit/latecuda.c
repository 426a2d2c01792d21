/* latecuda.c - the entry of a CUDA blob without its kernels; see late.h.
 *
 *     <stem>.so          host code; section .ckjit.nvvm: bitcode of all kernels;
 *                        .ckjit.steps: how to go on from it (frontsteps.h)
 *     <stem>.<hash>.so   the fat binary of one kernel (cudakernel.h)
 *
 *     plan       nvcc lists its steps (--dryrun); there must be one of each, as for one architecture
 *     divide     cicc into front end and rest                     core/cc/cicc.c
 *     run        the steps, side by side:
 *                  the device's text, its front end
 *                  the host's text, cudafe++, a stub, gcc         core/device/hoststub.c
 *     link       with the registry and the bitcode                latelink.h
 *
 * The host's code does not wait for the bitcode, although nvcc's own includes a stub that the device's front
 * end writes at its end: after 20 of the 26 s that flash_fwd_hdim64_bf16_causal_sm80 takes on 16 processors.
 * The stub is ours, or, as in the host side of a unit that the build makes, what the front end writes for a
 * text without the kernels' bodies, unless it is done within PATIENCE with the whole. If the host's compiler does not take that, or the name of a kernel is not
 * certain, its code is compiled again at the end, with the front end's own.
 *
 * Whatever is not understood ends the attempt, and the blob is compiled whole.
 */
#include "late.h"
#include "cudasteps.h"
#include "frontsteps.h"
#include "latelink.h"
#include "compile/command.h"
#include "compile/plan_run.h"
#include "compile/seen.h"
#include "compile/verify.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/cc/compiler.h"
#include "core/cxx/devicetext.h"
#include "core/device/hoststub.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* seconds from the end of the preprocessor on */
static const double PATIENCE = 3;

/* The file that has what frontsteps_write writes. */
#define STEPS "steps"
#define HOST_READS "host.d"
#define DEVICE_READS "device.d"

/* one attempt */
struct late {
  struct cuda c;
  struct buf module; /* the name of what is internal to it */
  /* files: what the host's code includes; the front end's own; cudafe++'s output as it was, if the stub is
   * ours; the device's text without bodies, if the front end has to make the stub of that */
  char *stub, *whole, *before, *emptied;
  bool held; /* the object is good */
  struct late_shim shim;
};

/* ---- nvcc's steps ---- */

static bool make_plan(struct late *l, const char **why) {
  autofree_argv command = {0};
  struct cuda *c = &l->c;
  command_object(&command, c->t, NULL, NULL, c->object);
  autofree char *text = cudasteps_plan(c, &command);
  bool done =
      (c->host_text && c->cudafe && c->device_text && c->cicc && c->ptxas && c->fatbinary && c->host) ||
      give_up(why, NVCC_UNKNOWN_STEPS);
  if (done)
    verify_answer(c->t, &command, text, &c->env);
  nvcc_environment(&c->nvcc, &c->env);
  return done;
}

/* ---- the stub, in a process of its own ---- */

/* Ours. */
static bool write_own(const struct late *l, const char *text, size_t len) {
  const struct cuda *c = &l->c;
  struct hoststub hs = {.plan = &c->nvcc};
  return hoststub_may(&hs, text, len, l->module.data) &&
         hoststub_write(&hs, c->cudafe->output, l->stub, nvcc_value(c->cicc, "--include_file_name"));
}

/* Has the front end come to its end within PATIENCE? The bitcode is the last file that it opens. */
static bool wait_for_front(const struct cuda *c) {
  enum { TICK = 20 }; /* ms */
  struct stat st;
  struct timespec now;
  double left = PATIENCE;
  clock_gettime(CLOCK_REALTIME, &now);
  if (stat(c->device_text->output, &st) == 0 && now.tv_sec > st.st_mtim.tv_sec)
    left -= (double)(now.tv_sec - st.st_mtim.tv_sec);
  for (; left > 0 && !file_exists(c->bitcode); left -= TICK / 1e3)
    nanosleep(&(struct timespec){.tv_nsec = TICK * 1000 * 1000}, NULL);
  return file_exists(c->bitcode);
}

/* Write the stub, and end with 0; or the text that the front end, which is started then, makes it of. */
static int write_stub(void *data) {
  const struct late *l = data;
  struct buf out = {0};
  size_t len;
  char *text = file_read(l->c.device_text->output, &len);
  if (!text || !file_copy(l->c.cudafe->output, l->before))
    return 1;
  if (write_own(l, text, len))
    return 0;
  unlink(l->before);
  if (wait_for_front(&l->c))
    return file_copy(l->whole, l->stub) ? 0 : 1;
  return devicetext_without_bodies(text, len, &out) && file_write(l->emptied, out.data, out.len, 0600) ? -1
                                                                                                       : 1;
}

/* Give the kernels of the object the names of the device's, if the stub is ours. The front end has
 * written its own by now, which has those names that our reading leaves open. */
static int name_kernels(void *data) {
  const struct late *l = data;
  struct hoststub hs = {.plan = &l->c.nvcc};
  autofree_argv listed = {0};
  size_t len;
  if (!file_exists(l->before))
    return 0;
  hoststub_names(l->whole, &listed);
  char *text = file_read(l->c.device_text->output, &len);
  hs.before.data = file_read(l->before, &hs.before.len);
  return text && hs.before.data && hoststub_may(&hs, text, len, l->module.data) &&
                 hoststub_held(&hs, l->c.object, &listed)
             ? 0
             : 1;
}

static void kernels_named(void *data, bool succeeded) {
  struct late *l = data;
  l->held = succeeded && file_exists(l->c.object);
}

/* Write the steps behind the bitcode, meanwhile. */
static int write_steps(void *data) {
  const struct late *l = data;
  struct buf out = {0};
  frontsteps_write(&l->c, &out);
  return late_write(l->c.temporary, STEPS, out.data, out.len) ? 0 : 1;
}

/* The command FRONT for the text without bodies, with other outputs but for the stub. */
static bool stub_words(const struct late *l, const struct argv *front, struct argv *words) {
  static const struct {
    const char *option, *suffix;
  } files[] = {{"--gen_c_file_name", ".c"}, {"--gen_device_file_name", ".gpu"}, {"-o", ".bc"}};
  argv_add_all(words, front->args);
  size_t text = words_find(words, l->c.device_text->output);
  bool done = text < words->n;
  if (done)
    words_set(words, text, l->emptied);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    autofree char *file = xasprintf("%s%s", l->emptied, files[i].suffix);
    autofree char *old = nvcc_exchange_value(words, files[i].option, file);
    done &= old != NULL;
  }
  return done;
}

/* ---- the first run: everything up to the host's object ---- */

/* STEP of gcc's, and have it say what it reads in FILE. */
static void add_text_step(const struct cuda *c, struct plan *p, const char *name,
                          const struct nvcc_step *step, const char *file) {
  struct step *s = plan_add(p, name, &step->words, 0);
  if (c->t->seen) {
    argv_add_words(&s->words, "-MD", "-MF", NULL);
    argv_addf(&s->words, "%s/%s", c->temporary, file);
  }
}

static void note_reads(const struct cuda *c) {
  static const char *const files[] = {HOST_READS, DEVICE_READS};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    autofree char *file = path_abs_in(c->temporary, files[i]);
    seen_depfile(c->t, file);
  }
}

/* With fewer processors than steps their order matters: first the device's front end, which takes longest,
 * then what the host's compile waits for. */
static void add_passes(struct late *l, struct plan *p, const struct argv *front, const struct argv *stub) {
  enum { DEVICE = 1, BITCODE = 2, TEXT = 4, FRONT = 8, STUB = 16, HOST = 32 };
  const struct cuda *c = &l->c;
  add_text_step(c, p, "device text", c->device_text, DEVICE_READS);
  plan_add(p, "device front end", front, DEVICE);
  add_text_step(c, p, "host text", c->host_text, HOST_READS);
  plan_add(p, "host front end", &c->cudafe->words, TEXT);
  struct step *s = plan_add(p, "stub", stub, DEVICE | FRONT);
  s->prepare = write_stub;
  s->data = l;
  s->optional = true;
  plan_add(p, "host pass", &c->host->words, STUB)->optional = true;
  s = plan_add(p, "kernel names", &c->host->words, BITCODE | HOST);
  s->prepare = name_kernels;
  s->ended = kernels_named;
  s->data = l;
  s->optional = true;
  s = plan_add(p, "steps", &c->cicc->words, 0);
  s->prepare = write_steps;
  s->data = l;
}

/* The host's code once more, with the front end's own stub. */
static bool compile_host_again(const struct late *l, const char **why) {
  const struct cuda *c = &l->c;
  struct plan p = {0};
  if (c->t->verbose)
    note("%s: its host code needs the stub of the device's front end: compiling it again", c->t->stem);
  plan_add(&p, "host pass", &c->host->words, 0);
  bool done =
      file_copy(l->whole, l->stub) && (!file_exists(l->before) || file_copy(l->before, c->cudafe->output))
          ? plan_run(&p, &c->env, c->log, why)
          : give_up(why, LATE_UNWRITTEN);
  plan_free(&p);
  return done;
}

/* What the steps read besides: what cudafe++ tells cicc, and what stands in for the fat binary. */
static bool write_files(struct late *l, const char **why) {
  struct cuda *c = &l->c;
  const char *name = nvcc_value(c->cicc, "--include_file_name");
  autofree_buf text = {0};
  cicc_put_module_id(&l->module, c->t->hex, c->t->source);
  hoststub_stand_in(&text, c->t->hex);
  bool done = cicc_module_id(c->cudafe, c->cicc, l->module.data) && name &&
              late_write(c->temporary, name, text.data, text.len);
  return done || give_up(why, LATE_UNWRITTEN);
}

static bool run_passes(struct late *l, const char **why) {
  struct plan p = {0};
  autofree_argv front = {0}, stub = {0};
  struct cuda *c = &l->c;
  bool done = cicc_divide(c->cicc, c->ptxas, c->bitcode, &front, &c->back, why) && write_files(l, why);
  if (done && (!stub_words(l, &front, &stub) ||
               !(l->stub = nvcc_exchange_value(&front, "--stub_file_name", l->whole))))
    done = give_up(why, NVCC_UNKNOWN_STEPS);
  if (done) {
    add_passes(l, &p, &front, &stub);
    done = plan_run(&p, &c->env, c->log, why) && (l->held || compile_host_again(l, why));
  }
  plan_free(&p);
  return done;
}

/* ---- the link ---- */

/* Have the registry's object hold the bitcode and the steps behind it as well. */
static bool put_sections(struct late *l) {
  struct cuda *c = &l->c;
  autofree_buf host = {0};
  size_t len;
  c->host_writes = l->shim.host_writes;
  autofree char *text = c->host_writes ? file_read(c->host_text->output, &len) : NULL;
  if (text)
    devicetext_device_only(text, len, &c->device_only);
  buf_puts(&host, "");
  frontsteps_write_host(c, &host);
  autofree char *writes = path_join(c->temporary, "host-writes"), *steps = path_join(c->temporary, STEPS);
  return file_write(writes, host.data, host.len, 0600) &&
         late_shim_section(&l->shim, FRONT_BITCODE, (const char *const[]){c->bitcode, NULL}) &&
         late_shim_section(&l->shim, FRONT_STEPS, (const char *const[]){steps, writes, NULL});
}

/* The words of the library's link, and the libraries of nvcc's own: CUDA's runtime, as the library has it. */
static void add_libraries(const struct cuda *c, struct argv *link) {
  static const char option[] = "-cudart=";
  const char *runtime = argv_has_prefix(&c->t->link, "-lcudart") ? "none" : "static";
  for (size_t i = 0; i < c->t->link.n; i++) {
    if (str_starts(c->t->link.args[i], option))
      runtime = c->t->link.args[i] + sizeof option - 1;
    else
      argv_add(link, c->t->link.args[i]);
  }
  const char *libraries = strcmp(runtime, "none") != 0 ? nvcc_variable(&c->nvcc, "LIBRARIES") : NULL;
  if (libraries)
    argv_split(link, libraries, strlen(libraries));
  if (strcmp(runtime, "shared") == 0)
    argv_add(link, "-lcudart");
  if (strcmp(runtime, "static") == 0)
    argv_add_words(link, "-lcudart_static", "-lrt", "-lpthread", "-ldl", NULL);
}

/* nvcc's host compiler, gcc, as g++ links. */
static void link_command(const struct late *l, struct argv *link, const char *output) {
  const struct cuda *c = &l->c;
  argv_add_words(link, c->host->words.args[0], "-shared", "-shared-libgcc", "-Wl,-Bsymbolic-functions", NULL);
  argv_addf(link, "-Wl,--build-id=" TASK_NOTE, TASK_NOTE_OF(c->t));
  argv_add_all(link, l->shim.wraps.args);
  argv_add_words(link, "-o", output, c->object, NULL);
  argv_addf(link, "%s/" LATE_SHIM, c->temporary);
  add_libraries(c, link);
  argv_add_words(link, "-lstdc++", "-lm", NULL);
}

static bool make_entry(struct late *l, const char *output, const char **why) {
  autofree_argv link = {0};
  struct cuda *c = &l->c;
  l->shim.t = c->t;
  l->shim.temporary = c->temporary;
  l->shim.object = c->object;
  bool done = late_shim_look(&l->shim, why) && (put_sections(l) || give_up(why, LATE_UNWRITTEN));
  if (done) {
    link_command(l, &link, output);
    done = late_shim_link(&l->shim, c->host->words.args[0], &link, &c->env, c->log, why);
  }
  return done;
}

/* ---- the attempt ---- */

/* Code for one GPU, not PTX: what the driver compiles by itself cannot be taken apart. */
static bool is_for_one(const struct compile_task *t) {
  return str_starts(t->archs, "sm_") && !strchr(t->archs, ';');
}

bool late_cuda_make(const struct compile_task *t, const char *temporary, const char *output,
                    const char **why) {
  struct late l = {.whole = path_join(temporary, "whole.stub.c"),
                   .before = path_join(temporary, "host-text"),
                   .emptied = path_join(temporary, "without-bodies.ii")};
  *why = is_for_one(t) ? "no log" : "it is not for one GPU";
  bool done = is_for_one(t) && cudasteps_begin(&l.c, t, temporary) && make_plan(&l, why) &&
              run_passes(&l, why) && make_entry(&l, output, why);
  if (done)
    note_reads(&l.c);
  cudasteps_free(&l.c);
  late_shim_free(&l.shim);
  buf_free(&l.module);
  free(l.stub);
  free(l.whole);
  free(l.before);
  free(l.emptied);
  return done;
}
