/* latelink.c - see latelink.h.
 *
 * The registry (runtime/ck_jit_cuda_kernels.c) is what the object's registrations of kernels, and its calls
 * that take kernels, come to: the linker's --wrap sends them there. So what the object calls is looked
 * through first. If it asks for something that the registry could not answer, the blob is compiled whole.
 */
#include "latelink.h"
#include "frontsteps.h"
#include "compile/machinefiles.h"
#include "compile/plan_run.h"
#include "core/base/elf.h"
#include "core/base/embed.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"
#include "core/cxx/devicetext.h"
#include "core/cxx/devicetext.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is linked into the blob ---- */

EMBED(kernels, "runtime/ck_jit_cuda_kernels.c");
EMBED(mutex, "runtime/ck_jit_mutex.h");
EMBED(registry, "runtime/ck_jit_registry.h");
EMBED(unit_registry, "runtime/ck_jit_unit_registry.h");
EMBED(unit, "abi/ck_jit_unit.h");

/* The sources themselves, and their names in the directory of the compile. */
static const struct {
  const char *name, *text, *end;
} sources[] = {{"shim.c", kernels_begin, kernels_end},
               {"ck_jit_mutex.h", mutex_begin, mutex_end},
               {"ck_jit_registry.h", registry_begin, registry_end},
               {"ck_jit_unit_registry.h", unit_registry_begin, unit_registry_end},
               {"ck_jit_unit.h", unit_begin, unit_end}};
enum { NSOURCES = sizeof sources / sizeof *sources };

/* ---- the link ---- */

/* Read the undefined symbols of the host's object: into LINES the calls that take kernels or variables, into
 * WRAPS the options of the link. False: it must be compiled whole. */
static bool look_at_calls(struct cuda *c, struct buf *lines, struct argv *wraps, const char **why) {
  struct elf_symbols all;
  struct elf_symbol s;
  bool done = true, kernels = false;
  for (size_t i = 0; i < gpu_calls_n; i++)
    if (gpu_calls[i].runtime == RUNTIME_CUDA && gpu_calls[i].is == CALL_REGISTERS)
      argv_addf(wraps, "-Wl,--wrap=%s", gpu_calls[i].name);
  buf_puts(lines, "");
  elf_symbols_open(&all, c->object, SHT_SYMTAB);
  while (done && elf_symbols_next(&all, &s)) {
    const struct gpu_call *call = s.section == SHN_UNDEF ? calls_find(s.name) : NULL;
    enum call_is is = call ? call->is : CALL_OTHER;
    kernels |= strcmp(s.name, "__cudaRegisterFunction") == 0;
    c->host_writes |= is == CALL_TAKES_VARIABLE;
    if (is == CALL_REFUSED)
      done = give_up(why, "its host code passes kernels on in a way that ckjit cannot follow");
    else if (is >= CALL_TAKES) {
      calls_put(lines, call);
      argv_addf(wraps, "-Wl,--wrap=%s", s.name);
    }
  }
  elf_symbols_close(&all);
  size_t len;
  char *text = c->host_writes ? file_read(c->host_text->output, &len) : NULL;
  if (text)
    devicetext_device_only(text, len, &c->device_only);
  free(text);
  return done && (kernels || give_up(why, "it has no kernels"));
}

/* Have the registry's object hold the bitcode and the steps behind it as well. */
static bool put_sections(const struct cuda *c, struct buf *lines) {
  struct buf host = {0};
  buf_puts(&host, "");
  frontsteps_write_host(c, &host);
  bool done = !strpbrk(c->temporary, "\"\\\n") && cuda_write(c, "host-writes", host.data, host.len);
  buf_printf(lines,
             "__asm__(\".pushsection " FRONT_BITCODE
             ", \\\"\\\", @progbits\\n.incbin \\\"%s\\\"\\n.popsection\\n"
             ".pushsection " FRONT_STEPS ", \\\"\\\", @progbits\\n.incbin \\\"%s/" LATE_STEPS "\\\"\\n"
             ".incbin \\\"%s/host-writes\\\"\\n.popsection\");\n",
             c->bitcode, c->temporary, c->temporary);
  buf_free(&host);
  return done;
}

/* the shim's source, and what it includes */
static bool write_shim(const struct cuda *c, const struct buf *calls_text) {
  bool done = cuda_write(c, "ck_jit_unit_calls.h", calls_text->data, calls_text->len) &&
              machinefiles_write(c->temporary);
  for (size_t i = 0; done && i < NSOURCES; i++)
    done = cuda_write(c, sources[i].name, sources[i].text, (size_t)(sources[i].end - sources[i].text));
  return done;
}

static void shim_command(const struct cuda *c, struct argv *shim) {
  static const char *const flags[] = {
      "-DCKJIT_ENTRY", "-x", "c", "-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-fexceptions", "-w"};
  argv_add(shim, c->host->words.args[0]);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    argv_add(shim, flags[i]);
  argv_addf(shim, "-I%s", c->temporary);
  argv_add(shim, "-c");
  argv_addf(shim, "%s/shim.c", c->temporary);
  argv_add(shim, "-o");
  argv_addf(shim, "%s/shim.o", c->temporary);
}

/* The words of the library's link, and the libraries of nvcc's own: CUDA's runtime, as the library has it. */
static void add_libraries(const struct cuda *c, struct argv *link) {
  static const char *const own[] = {"-lcudart_static", "-lrt", "-lpthread", "-ldl"}, option[] = "-cudart=";
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
  for (size_t i = 0; strcmp(runtime, "static") == 0 && i < sizeof own / sizeof *own; i++)
    argv_add(link, own[i]);
}

/* nvcc's host compiler, gcc, as g++ links. */
static void link_command(const struct cuda *c, struct argv *link, const struct argv *wraps,
                         const char *output) {
  argv_add(link, c->host->words.args[0]);
  argv_add(link, "-shared");
  argv_add(link, "-shared-libgcc");
  argv_add(link, "-Wl,-Bsymbolic");
  argv_addf(link, "-Wl,--build-id=" TASK_NOTE, TASK_NOTE_OF(c->t));
  argv_add_all(link, wraps->args);
  argv_add(link, "-o");
  argv_add(link, output);
  argv_add(link, c->object);
  argv_addf(link, "%s/shim.o", c->temporary);
  add_libraries(c, link);
  argv_add(link, "-lstdc++");
  argv_add(link, "-lm");
}

bool late_link(struct cuda *c, const char *output, const char **why) {
  struct plan p = {0};
  struct argv shim = {0}, link = {0}, wraps = {0};
  struct buf lines = {0};
  bool done = look_at_calls(c, &lines, &wraps, why) && ((put_sections(c, &lines) && write_shim(c, &lines)) ||
                                                        give_up(why, "a temporary file cannot be written"));
  if (done) {
    shim_command(c, &shim);
    link_command(c, &link, &wraps, output);
    plan_add(&p, "shim", &shim, 0);
    plan_add(&p, "link", &link, 1);
    done = plan_run(&p, &c->env, c->log, why);
  }
  plan_free(&p);
  buf_free(&lines);
  argv_free(&shim);
  argv_free(&link);
  argv_free(&wraps);
  return done;
}
