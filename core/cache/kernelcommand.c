/* kernelcommand.c - see kernelcommand.h. */
#include "kernelcommand.h"
#include "artefact.h"
#include "core/base/path.h"
#include "abi/ck_jit_entry.h"
#include "abi/ck_jit_protocol.h"

const char *kernels_word(const struct argv *command, const char *word) {
  for (size_t i = 0; i + 1 < command->n; i++)
    if (strcmp(command->args[i], word) == 0)
      return command->args[i + 1];
  return NULL;
}

/* The host side of STEM with ID in DIR, into PATH. False: there is none; a blob that cannot be
 * split has an entry with all of its kernels. */
static bool find_host_side(char path[PATH_MAX], const char *dir, const char *stem,
                           const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  uint8_t have[CKJIT_BUILD_ID_SIZE];
  enum ckjit_kind kind;
  const char *why;
  return ckjit_entry_find(path, dir, stem, strlen(stem), id, &why) &&
         ckjit_entry_open(path, have, &kind, &why) == CKJIT_ENTRY_OTHER &&
         kind == CKJIT_KIND_BLOB_HOST;
}

static void add_option(struct argv *command, const char *option, const char *value) {
  if (!value)
    return;
  argv_add_words(command, option, value, NULL);
}

bool kernels_stored(uint8_t id[CKJIT_BUILD_ID_SIZE], const struct argv *entry,
                    const struct buf *said) {
  const char *hex = kernels_word(entry, "--build-id"),
             *line = said->len ? strstr(said->data, CKJIT_STORED) : NULL;
  char stored[CKJIT_BUILD_ID_HEX_SIZE];
  if (!line)
    return hex && ckjit_build_id_parse(id, hex);
  snprintf(stored, sizeof stored, "%s", line + strlen(CKJIT_STORED));
  return ckjit_build_id_parse(id, stored);
}

bool kernels_command(struct argv *command, const struct argv *entry, const struct buf *said,
                     const char *kernel) {
  const char *output = kernels_word(entry, "--output");
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX], made[CKJIT_BUILD_ID_HEX_SIZE];
  if (!output || !kernels_word(entry, "--per-kernel") || !kernels_stored(id, entry, said))
    return false;
  autofree char *dir = path_dir(output), *stem = path_stem(output);
  bool there = find_host_side(path, dir, stem, id);
  if (there) {
    autofree char *entry_stem = artefact_stem(stem, strlen(stem), kernel);
    ckjit_symbol_id(id, artefact_symbol(kernel));
    ckjit_build_id_hex(made, id);
    argv_add(command, entry->args[0]);
    add_option(command, "--bundle", kernels_word(entry, "--bundle"));
    if (kernels_word(entry, "--bundle"))
      add_option(command, "--root", kernels_word(entry, "--root"));
    add_option(command, "--kernel", kernel);
    add_option(command, "--entry", path);
    add_option(command, "--arch", kernels_word(entry, "--arch"));
    add_option(command, "--build-id", made);
    add_option(command, "--kind", kernels_word(entry, "--kind"));
    add_option(command, "--build-hipcc", kernels_word(entry, "--build-hipcc"));
    argv_add_words(command, "--cache", "--output", NULL);
    argv_addf(command, "%s/%s.so", dir, entry_stem);
  }
  return there;
}
