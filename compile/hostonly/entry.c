/* entry.c - the functions of a HIP blob that launch nothing, without its kernels: see entry.h.
 *
 * The host's object is linked as the blob's is, with three differences. What begins when a library is loaded is left out:
 * it would register kernels that are not there. An object of ours stands in for HIP's runtime, but for questions about
 * devices; nothing in it is ever reached. And of the object's functions only those are exported that are of the host alone.
 */
#include "entry.h"
#include "functions.h"
#include "compile/inputs.h"
#include "compile/place.h"
#include "compile/plan_run.h"
#include "compile/reads.h"
#include "compile/seen.h"
#include "core/base/elf.h"
#include "core/base/elfwrite.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- in the cache ---- */

/* The build id of T's entry of the host alone. False: T is not the library's own build. */
static bool find_id(const struct compile_task *t, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  uint8_t plain[CKJIT_BUILD_ID_SIZE];
  ckjit_build_id(plain, t->id, t->archs);
  ckjit_host_id(id, t->id, t->archs);
  return memcmp(plain, t->id, sizeof plain) == 0;
}

/* Does the shared object FILE define T's function? */
static bool defines(const struct compile_task *t, const char *file) {
  size_t len;
  struct elf e;
  struct elf_symtab symbols;
  struct elf_symbol y;
  bool found = false;
  char *bytes = file_read(file, &len);
  if (bytes && elf_open(&e, bytes, len, NULL) && elf_symtab(&e, SHT_DYNSYM, &symbols))
    for (size_t i = 1; i < symbols.count && !found; i++)
      found = elf_symbol(&symbols, i, &y) && y.section != SHN_UNDEF && y.type == STT_FUNC &&
              ckjit_fnv1a(y.name, strlen(y.name)) == t->function;
  free(bytes);
  return found;
}

bool hostonly_is_there(const struct compile_task *t) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  const char *why;
  if (!t->function || !t->cache || !find_id(t, id))
    return false;
  char *dir = path_join(t->dir, CKJIT_HOST);
  bool there = ckjit_entry_find(path, dir, t->stem, strlen(t->stem), id, &why) && defines(t, path);
  free(dir);
  return there;
}

/* ---- is it of the host alone? ---- */

bool hostonly_may_do(const struct compile_task *t) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  return t->function && t->cache && !t->launcher.n && !t->fragment && !t->format && !t->probe &&
         t->output_fd < 0 && find_id(t, id);
}

void hostonly_tell_not(const struct compile_task *t) {
  static bool told;
  if (!t->function || told)
    return;
  told = true;
  fputs(CKJIT_LAUNCHES, stdout);
  fflush(stdout);
}

static bool has_function(const struct hostonly *h, uint64_t function) {
  for (size_t i = 0; i < h->functions.n; i++)
    if (ckjit_fnv1a(h->functions.args[i], strlen(h->functions.args[i])) == function)
      return true;
  return false;
}

bool hostonly_suffices(const struct compile_task *t, const char *object) {
  size_t len;
  struct hostonly h = {0};
  char *bytes = file_read(object, &len);
  bool suffices = bytes && hostonly_find(&h, bytes, len) && has_function(&h, t->function);
  hostonly_free(&h);
  free(bytes);
  if (!suffices)
    hostonly_tell_not(t);
  return suffices;
}

/* ---- the link ---- */

/* An object that defines NAMES, for nobody else, as an instruction that ends the process. */
static bool write_stand_in(const char *file, const struct ckjit_machine *machine, const struct argv *names) {
  enum { TEXT = 1, SYMBOLS, STRINGS, STACK, PARTS };
  struct buf strings = {0}, out = {0};
  Elf64_Sym *symbols = xcalloc(names->n + 1, sizeof *symbols);
  buf_putc(&strings, 0);
  for (size_t i = 0; i < names->n; i++) {
    symbols[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)strings.len,
                                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                 .st_other = STV_HIDDEN,
                                 .st_shndx = TEXT,
                                 .st_size = machine->trap_size};
    buf_add(&strings, names->args[i], strlen(names->args[i]) + 1);
  }
  const struct elf_part parts[PARTS] = {
      [TEXT] = {".text",
                machine->trap,
                {.sh_type = SHT_PROGBITS,
                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                 .sh_size = machine->trap_size,
                 .sh_addralign = 16}},
      [SYMBOLS] = {".symtab",
                   symbols,
                   {.sh_type = SHT_SYMTAB,
                    .sh_size = (names->n + 1) * sizeof *symbols,
                    .sh_link = STRINGS,
                    .sh_info = 1,
                    .sh_addralign = 8,
                    .sh_entsize = sizeof *symbols}},
      [STRINGS] = {".strtab",
                   strings.data,
                   {.sh_type = SHT_STRTAB, .sh_size = strings.len, .sh_addralign = 1}},
      [STACK] = {".note.GNU-stack", NULL, {.sh_type = SHT_PROGBITS, .sh_addralign = 1}}};
  elf_write(&out, machine->elf, parts, PARTS, 8);
  bool done = file_write(file, out.data, out.len, 0600);
  buf_free(&out);
  buf_free(&strings);
  free(symbols);
  return done;
}

static bool write_exports(const char *file, const struct argv *names) {
  struct buf out = {0};
  buf_puts(&out, "{ global:\n");
  for (size_t i = 0; i < names->n; i++)
    buf_printf(&out, "%s;\n", names->args[i]);
  buf_puts(&out, "local: *; };\n");
  bool done = file_write(file, out.data, out.len, 0600);
  buf_free(&out);
  return done;
}

/* Have the linker leave out what begins and ends with the library. */
static bool leave_out_constructors(char *bytes, size_t len, const char *file) {
  struct elf e;
  struct elf_section s;
  if (!elf_open(&e, bytes, len, NULL))
    return false;
  for (size_t i = 1; i < e.sections; i++) {
    Elf64_Shdr header;
    if (!elf_section(&e, i, &s))
      return false;
    if (!str_starts(s.name, ".init_array") && !str_starts(s.name, ".fini_array") &&
        !str_starts(s.name, ".ctors") && !str_starts(s.name, ".dtors") &&
        !str_starts(s.name, ".preinit_array"))
      continue;
    char *at = bytes + e.table + i * sizeof header;
    memcpy(&header, at, sizeof header);
    header.sh_flags |= SHF_EXCLUDE;
    memcpy(at, &header, sizeof header);
  }
  return file_write(file, bytes, len, 0600);
}

static bool write_parts(const char *temporary, const char *object, const char **why) {
  size_t len;
  struct hostonly h = {0};
  char *bytes = file_read(object, &len), *host = path_join(temporary, "host-alone.o"),
       *stand_in = path_join(temporary, "host-stand-in.o"), *exports = path_join(temporary, "host-exports");
  bool done = (bytes && hostonly_find(&h, bytes, len) && leave_out_constructors(bytes, len, host) &&
               write_stand_in(stand_in, &ckjit_x86_64, &h.hip) && write_exports(exports, &h.functions)) ||
              give_up(why, "no temporary file");
  hostonly_free(&h);
  free(bytes);
  free(host);
  free(stand_in);
  free(exports);
  return done;
}

/* The words of LINK, with our object in the place of OBJECT, another output and another build id. False: it is no link
 * that is known. */
static bool link_words(const struct compile_task *t, struct argv *words, const struct step *link,
                       const char *temporary, const char *object) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE], *file = hostonly_file(temporary),
                                     *asked = xasprintf("--build-id=0x%s", t->hex);
  bool objects = false, build_id = false, output = false;
  find_id(t, id);
  ckjit_build_id_hex(hex, id);
  for (size_t i = 0; i < link->words.n; i++) {
    const char *word = link->words.args[i];
    if (strcmp(word, object) == 0) {
      argv_addf(words, "%s/host-alone.o", temporary);
      argv_addf(words, "%s/host-stand-in.o", temporary);
      objects = true;
    } else if (strcmp(word, asked) == 0) {
      argv_addf(words, "--build-id=0x%s", hex);
      build_id = true;
    } else if (i && strcmp(link->words.args[i - 1], "-o") == 0) {
      argv_add(words, file);
      output = true;
    } else {
      argv_add(words, word);
    }
  }
  argv_addf(words, "--version-script=%s/host-exports", temporary);
  free(file);
  free(asked);
  return objects && build_id && output;
}

bool hostonly_link(const struct compile_task *t, const char *temporary, const char *object,
                   const struct step *link, const struct argv *env, int log, const char **why) {
  struct plan p = {.n = 1};
  p.steps[0] = (struct step){.role = STEP_OTHER, .name = "link"};
  bool done = (link_words(t, &p.steps[0].words, link, temporary, object) ||
               give_up(why, "the link has another form")) &&
              write_parts(temporary, object, why) && plan_run(&p, env, log, why);
  plan_free(&p);
  return done;
}

char *hostonly_file(const char *temporary) {
  return path_join(temporary, "host-alone.so");
}

/* ---- its name ---- */

/* The list of inputs is compared with what the host pass read. What the device pass reads is compared when that is run. */
static bool is_of_its_inputs(const struct compile_task *t, char **err) {
  return compile_inputs_again(t, err) && (!t->seen || (reads_compare(t, err) && !t->seen->files.n));
}

bool hostonly_keep(const struct compile_task *t, const char *file, char **err) {
  struct compile_task alone = *t;
  if (!is_of_its_inputs(t, err))
    return false;
  find_id(t, alone.id);
  ckjit_build_id_hex(alone.hex, alone.id);
  alone.dir = path_join(t->dir, CKJIT_HOST);
  bool done = cachedir_open(alone.dir, err) && place_result(&alone, file, err);
  free(alone.dir);
  return done;
}
