/* machinefiles.c - the files of the machines, within the program: see machinefiles.h. */
#include "machinefiles.h"
#include "abi/ck_jit_machine.h"
#include "core/base/embed.h"
#include "core/base/path.h"

EMBED(machine, "abi/ck_jit_machine.h");
EMBED(machines, "abi/ck_jit_machines.h");
#define MACHINE(name) EMBED(of_##name, "abi/ck_jit_" #name ".h");
CKJIT_EACH_MACHINE(MACHINE)
#undef MACHINE
#define MACHINE(name) {"ck_jit_" #name ".h", of_##name##_begin, of_##name##_end},

static const struct {
  const char *name, *text, *end;
} sources[] = {{"ck_jit_machine.h", machine_begin, machine_end},
               {"ck_jit_machines.h", machines_begin, machines_end},
               CKJIT_EACH_MACHINE(MACHINE)};

bool machinefiles_write(const char *dir) {
  bool done = true;
  for (size_t i = 0; done && i < sizeof sources / sizeof *sources; i++) {
    autofree char *file = path_join(dir, sources[i].name);
    done = file_write(file, sources[i].text, (size_t)(sources[i].end - sources[i].text), 0600);
  }
  return done;
}
