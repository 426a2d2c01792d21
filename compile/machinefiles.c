/* machinefiles.c - the files of the machines, within the program: see machinefiles.h. */
#include "machinefiles.h"
#include "abi/ck_jit_machine.h"
#include "core/base/path.h"

#include <stdlib.h>

/* SOURCE(LABEL, FILE, its name in the directory) */
#define EACH_SOURCE                                                                                          \
  SOURCE(machine, "abi/ck_jit_machine.h", "ck_jit_machine.h")                                                \
  SOURCE(machines, "abi/ck_jit_machines.h", "ck_jit_machines.h")                                             \
  CKJIT_EACH_MACHINE(MACHINE)
#define MACHINE(name) SOURCE(of_##name, "abi/ck_jit_" #name ".h", "ck_jit_" #name ".h")

#define SOURCE(label, file, name) "source_" #label ": .incbin \"" file "\"\nsource_" #label "_end:\n"
__asm__(".pushsection .rodata\n" EACH_SOURCE ".byte 0\n.popsection\n");
#undef SOURCE
#define SOURCE(label, file, name)                                                                            \
  extern const char source_##label[] __attribute__((visibility("hidden")));                                  \
  extern const char source_##label##_end[] __attribute__((visibility("hidden")));
EACH_SOURCE
#undef SOURCE
#define SOURCE(label, file, name) {name, source_##label, source_##label##_end},
static const struct { const char *name, *text, *end; } sources[] = {EACH_SOURCE};

bool machinefiles_write(const char *dir) {
  bool done = true;
  for (size_t i = 0; done && i < sizeof sources / sizeof *sources; i++) {
    char *file = path_join(dir, sources[i].name);
    done = file_write(file, sources[i].text, (size_t)(sources[i].end - sources[i].text), 0600);
    free(file);
  }
  return done;
}
