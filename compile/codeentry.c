#include "codeentry.h"
#include "core/base/elfwrite.h"
#include "core/base/path.h"
#include "abi/ck_jit_code.h"

/* The build id and the kind, as a linker's --build-id writes them. */
struct id_note {
  Elf64_Nhdr head;
  char owner[4];
  uint8_t id[CKJIT_BUILD_ID_SIZE], kind, pad[3];
};

bool codeentry_write(const struct compile_task *t, const char *output, const struct code_section *sections,
                     size_t n, char **err) {
  struct id_note note = {{sizeof note.owner, CKJIT_NOTE_SIZE, NT_GNU_BUILD_ID},
                         ELF_NOTE_GNU,
                         {0},
                         (uint8_t)task_artefact(t),
                         {0}};
  struct elf_part parts[n + 2];
  char *bytes[n + 1];
  autofree_buf out = {0};
  bool done = true;
  memcpy(note.id, t->id, sizeof note.id);
  parts[0] = (struct elf_part){0};
  parts[1] = (struct elf_part){
      ".note.gnu.build-id", &note, {.sh_type = SHT_NOTE, .sh_size = sizeof note, .sh_addralign = 4}};
  for (size_t i = 0; i < n; i++) {
    size_t len = sections[i].len;
    bytes[i] = sections[i].file && done ? file_read(sections[i].file, &len) : NULL;
    if (sections[i].file && done && !bytes[i])
      done = task_fail(t, err, "cannot read %s: %s", sections[i].file, strerror(errno));
    parts[i + 2] =
        (struct elf_part){sections[i].name,
                          sections[i].file ? bytes[i] : sections[i].bytes,
                          {.sh_type = SHT_PROGBITS, .sh_size = len, .sh_addralign = sections[i].align}};
  }
  if (done) {
    elf_write(&out, EM_NONE, parts, n + 2, 1);
    done = task_write(t, output, out.data, out.len, err);
  }
  for (size_t i = 0; i < n; i++)
    free(bytes[i]);
  return done;
}

bool codeentry_of_fatbin(const struct compile_task *t, const char *output, const char *section,
                         const char *fatbin, char **err) {
  const struct code_section sections[] = {
      {.name = section, .align = CKJIT_CODE_ALIGN, .file = fatbin},
      {.name = CKJIT_CODE_NAME, .align = 1, .bytes = t->kernel, .len = t->kernel ? strlen(t->kernel) : 0}};
  bool texts = t->kernel && t->kernel[ckjit_choices_len(t->kernel)];
  return codeentry_write(t, output, sections, texts ? 2 : 1, err);
}

char *codeentry_section(const struct elf *e, const char *name, size_t *len) {
  size_t at = 0;
  struct elf_section s;
  if (!elf_find(e, name, &at, &s) || !s.data)
    return NULL;
  char *bytes = xmalloc(s.size + 1);
  memcpy(bytes, s.data, s.size);
  bytes[s.size] = 0;
  *len = s.size;
  return bytes;
}
