/* host.c - the object of the host side of a HIP unit.
 *
 * It is compiled from the host's text without the bodies of kernels, to which sections are added in
 * assembly (sections.c). A placeholder for its fat binary has the unit's key (docs/formats.md, "The
 * lazy unit").
 *
 * A first launch handles only registrations of kernels and variables. If the object has others, the
 * real compiler gets the unit.
 */
#include "unit.h"
#include "cuda.h"
#include "abi/ck_jit_unit.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"
#include "core/files/registered.h"
#include "core/files/stubobj.h"

/* Rename the sections in which clang puts the placeholder and the wrapper that host code registers:
 * by their names rocm-kpack, llvm-objdump and roc-obj-ls find device code, and the placeholder has
 * none. Names of the same length, which the table of names has room for. The placeholder no
 * longer fills a page. Changes BYTES, the object E; true if there is one. */
static bool hide_placeholder(char *bytes, const struct elf *e) {
  static const char *const names[][2] = {{".hip_fatbin", CKJIT_UNIT_SECTION},
                                         {".hipFatBinSegment", CKJIT_UNIT_WRAPPERS}};
  const uint64_t align = CKJIT_UNIT_ALIGN;
  struct elf_section s;
  bool found = false;
  for (size_t i = 1; i < e->sections && elf_section(e, i, &s); i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      /* the wrapper's relocations have its name, too, which the table may have once for both */
      if (!str_ends(s.name, names[k][0]))
        continue;
      size_t n = strlen(names[k][1]), header = e->table + i * sizeof(Elf64_Shdr);
      memcpy(bytes + (size_t)(s.name - bytes) + strlen(s.name) - n, names[k][1], n);
      if (k == 0)
        memcpy(bytes + header + offsetof(Elf64_Shdr, sh_addralign), &align, sizeof align);
      found = true;
    }
  return found;
}

static bool is_as_expected(struct unit *u) {
  size_t len, at = 0;
  autofree char *bytes = file_read(u->object, &len), *err = NULL,
                *obstacle = calls_obstacle(u->object);
  struct elf e;
  struct elf_section record;
  if (!bytes)
    return unit_not_lazy(u, "%s: %s", u->object, strerror(errno));
  if (!elf_open(&e, bytes, len, &err) || e.type != ET_REL ||
      !elf_find(&e, STUB_SECTION, &at, &record))
    unit_not_lazy(u, "its object is %s", err ? err : "not as expected");
  else if (obstacle)
    unit_not_lazy(u,
                  "it registers more than kernels and variables, or hands kernels over in a way "
                  "that is not followed: %s",
                  obstacle);
  else
    registered_kernels(&u->names, &e);
  if (!u->why && hide_placeholder(bytes, &e) && !file_write(u->object, bytes, len, 0666))
    unit_not_lazy(u, "%s: %s", u->object, strerror(errno));
  return !u->why;
}

/* Does one of the N COMMANDS name FILE? */
static bool is_output(const struct argv *commands, size_t n, const char *file) {
  bool is = false;
  for (size_t i = 0; i < n; i++)
    is |= argv_has(&commands[i], file);
  return is;
}

/* Compile the object from the host's text, and what its device code has for others. */
static bool compile_host(struct unit *u, const struct buf *record) {
  const char *source = u->record.cc.source->text;
  autofree_buf text = {.data = u->host, .len = u->host_len, .cap = u->host_len + 1}, stand_in = {0};
  bool written = unit_put_sections(u, &text, record);
  buf_printf(&stand_in, CKJIT_UNIT_MAGIC "%s", u->record.key);
  /* Symbols contain the source's base name. */
  char *dir = path_join(u->dir, "source"), *file = path_join(dir, path_base(source)),
       *binary = path_join(u->dir, "stand-in");
  u->object = path_join(u->dir, "object.o");
  autofree struct argv *commands = xcalloc(u->ntexts + 1, sizeof *commands);
  size_t n = 1;
  unit_host_words(&commands[0], u, file, binary, u->object);
  for (size_t i = 0; unit_is_linked(u) && i < u->ntexts; i++) {
    autofree char *bitcode = unit_linked_bitcode(u, i);
    if (!is_output(commands, n, bitcode))
      unit_front_words(&commands[n++], u, u->texts[i].arch, unit_device_file(u, i, "hipi"),
                       bitcode);
  }
  written = written && dir_make(dir) && file_write(file, text.data, text.len, 0600) &&
            file_write(binary, stand_in.data, stand_in.len, 0600);
  if (!written && !u->why)
    unit_not_lazy(u, "%s: %s", u->dir, strerror(errno));
  written = written && unit_run(u, "compiling the host's side", commands, n);
  return written && (!unit_is_linked(u) || unit_linked_read(u));
}

/* The record's copy of SOURCE, for a link that compiles the unit as the build does; NULL: not
 * possible. */
static char *text_of_source(const char *source) {
  size_t len;
  char *text = file_read(source, &len);
  if (!text || strlen(text) == len)
    return text;
  free(text);
  return NULL;
}

bool unit_make_object(struct unit *u) {
  struct record *r = &u->record;
  const char *source = r->cc.source->text;
  autofree_buf line = {0};
  r->kind = RECORD_UNIT;
  r->why = (struct reason){.rule = RULE_UNIT};
  r->stem = path_stem(source);
  r->source = path_abs_in(r->cwd, source);
  r->output = path_abs_in(r->cwd, u->output);
  r->source_text = u->at_link ? NULL : text_of_source(source);
  record_format(&line, r);
  bool made = (unit_is_cuda(u) ? unit_cuda_object(u, &line) : compile_host(u, &line)) &&
              is_as_expected(u) && (!unit_is_cuda(u) || unit_cuda_fronts(u));
  free(r->source_text); /* the log does without it */
  r->source_text = NULL;
  return made;
}
