/* latelink.c - see latelink.h.
 *
 * The registry (runtime/ck_jit_registry.h) is what the object's registrations of kernels, and its
 * calls that take kernels, come to: the linker's --wrap sends them there. So what the object calls
 * is looked through first. If it asks for something that the registry could not answer, the blob is
 * compiled whole.
 */
#include "latelink.h"
#include "late.h"
#include "compile/machinefiles.h"
#include "compile/plan_run.h"
#include "core/base/elf.h"
#include "core/base/embed.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"

/* ---- what is linked into the blob ---- */

EMBED(cuda_kernels, "runtime/ck_jit_cuda_kernels.c");
EMBED(hip_kernels, "runtime/ck_jit_hip_kernels.c");
EMBED(mutex, "runtime/ck_jit_mutex.h");
EMBED(registry, "runtime/ck_jit_registry.h");
EMBED(unit_registry, "runtime/ck_jit_unit_registry.h");
EMBED(unit, "abi/ck_jit_unit.h");

struct source {
  const char *name, *text, *end;
};

static const struct source shims[] = {[RUNTIME_HIP] = {"shim.c", hip_kernels_begin, hip_kernels_end},
                                      [RUNTIME_CUDA] = {"shim.c", cuda_kernels_begin, cuda_kernels_end}};
static const struct source headers[] = {{"ck_jit_mutex.h", mutex_begin, mutex_end},
                                        {"ck_jit_registry.h", registry_begin, registry_end},
                                        {"ck_jit_unit_registry.h", unit_registry_begin, unit_registry_end},
                                        {"ck_jit_unit.h", unit_begin, unit_end}};

/* ---- the shim ---- */

bool late_shim_look(struct late_shim *s, const char **why) {
  struct elf_symbols all;
  struct elf_symbol sym;
  const enum gpu_runtime runtime = s->t->kind->runtime;
  const char *registers = runtime == RUNTIME_CUDA ? "__cudaRegisterFunction" : "__hipRegisterFunction";
  bool done = true, kernels = false;
  for (size_t i = 0; i < gpu_calls_n; i++)
    if (gpu_calls[i].runtime == runtime && gpu_calls[i].is == CALL_REGISTERS)
      argv_addf(&s->wraps, "-Wl,--wrap=%s", gpu_calls[i].name);
  buf_puts(&s->calls, "");
  elf_symbols_open(&all, s->object, SHT_SYMTAB);
  while (done && elf_symbols_next(&all, &sym)) {
    const struct gpu_call *call = sym.section == SHN_UNDEF ? calls_find(sym.name) : NULL;
    enum call_is is = call ? call->is : CALL_OTHER;
    kernels |= strcmp(sym.name, registers) == 0;
    s->host_writes |= is == CALL_TAKES_VARIABLE;
    if (is == CALL_REFUSED)
      done = give_up(why, "its host code passes kernels on in a way that ckjit cannot follow");
    else if (is >= CALL_TAKES) {
      calls_put(&s->calls, call);
      argv_addf(&s->wraps, "-Wl,--wrap=%s", sym.name);
    }
  }
  elf_symbols_close(&all);
  return done && (kernels || give_up(why, "it has no kernels"));
}

bool late_shim_section(struct late_shim *s, const char *name, const char *const *files) {
  bool quotable = true;
  buf_printf(&s->calls, "__asm__(\".pushsection %s, \\\"\\\", @progbits\\n", name);
  for (; *files; files++) {
    quotable &= !strpbrk(*files, "\"\\\n");
    buf_printf(&s->calls, ".incbin \\\"%s\\\"\\n", *files);
  }
  buf_puts(&s->calls, ".popsection\");\n");
  return quotable;
}

/* the shim's source, and what it includes */
static bool write_shim(const struct late_shim *s) {
  bool done = late_write(s->temporary, "ck_jit_unit_calls.h", s->calls.data, s->calls.len) &&
              machinefiles_write(s->temporary);
  for (size_t i = 0; done && i <= sizeof headers / sizeof *headers; i++) {
    const struct source *f = i ? &headers[i - 1] : &shims[s->t->kind->runtime];
    done = late_write(s->temporary, f->name, f->text, (size_t)(f->end - f->text));
  }
  return done;
}

static void shim_command(const struct late_shim *s, const char *compiler, struct argv *words) {
  argv_add_words(words, compiler, "-DCKJIT_ENTRY", "-x", "c", "-std=gnu11", "-O2", "-fPIC",
                 "-fvisibility=hidden", "-fexceptions", "-w", NULL);
  argv_addf(words, "-I%s", s->temporary);
  argv_add(words, "-c");
  argv_addf(words, "%s/shim.c", s->temporary);
  argv_add(words, "-o");
  argv_addf(words, "%s/" LATE_SHIM, s->temporary);
}

bool late_shim_link(const struct late_shim *s, const char *compiler, const struct argv *link,
                    const struct argv *env, int log, const char **why) {
  struct plan p = {0};
  autofree_argv shim = {0};
  if (!write_shim(s))
    return give_up(why, LATE_UNWRITTEN);
  shim_command(s, compiler, &shim);
  plan_add(&p, "shim", &shim, 0);
  plan_add(&p, "link", link, 1);
  bool done = plan_run(&p, env, log, why);
  plan_free(&p);
  return done;
}

bool late_write(const char *temporary, const char *name, const char *text, size_t n) {
  autofree char *file = path_abs_in(temporary, name);
  return file_write(file, text, n, 0600);
}

void late_shim_free(struct late_shim *s) {
  buf_free(&s->calls);
  argv_free(&s->wraps);
}
