/* kernels.c - which kernels are in a piece of device code.
 *
 * A kernel of CK's is guarded by architecture in one of two ways. The newer: an #if around the
 * whole specialisation, so that the device pass for another architecture finds no kernel. The
 * older: an #if around the kernel's body, which is then empty. Either compiles without a word, and
 * what comes out does nothing. Nobody wants to export that, so it is looked for: a code object
 * without a kernel descriptor, and kernels whose first instruction is the last.
 */
#include "kernels.h"
#include "core/base/elf.h"

enum {
  EM_GPU = 224,               /* EM_AMDGPU */
  EM_CUBIN = 190,             /* EM_CUDA */
  S_ENDPGM = (int)0xbf810000, /* up to gfx10 */
  S_ENDPGM_11 = (int)0xbfb00000,
};

void kernels_free(struct kernels *k) {
  argv_free(&k->names);
  k->empty = 0;
}

/* ---- code objects ---- */

/* whether the function NAME (N bytes) begins with the instruction that ends a wave */
static bool ends_at_once(const struct elf_symtab *syms, const char *name, size_t n) {
  struct elf_symbol s;
  struct elf_section text;
  for (size_t i = 0; i < syms->count; i++) {
    if (!elf_symbol(syms, i, &s) || s.type != STT_FUNC || strlen(s.name) != n || memcmp(s.name, name, n) != 0)
      continue;
    uint32_t first;
    if (!elf_section(syms->elf, s.section, &text) || !text.data || s.value < text.address ||
        s.value - text.address > text.size || text.size - (s.value - text.address) < sizeof first)
      return false;
    memcpy(&first, text.data + (s.value - text.address), sizeof first);
    return first == (uint32_t)S_ENDPGM || first == (uint32_t)S_ENDPGM_11;
  }
  return false;
}

bool kernels_of_code_object(struct kernels *k, const char *bytes, size_t size) {
  struct elf e;
  struct elf_symtab syms;
  struct elf_symbol s;
  if (!elf_open(&e, bytes, size, NULL) || e.machine != EM_GPU)
    return false;
  if (!elf_symtab(&e, SHT_SYMTAB, &syms) && !elf_symtab(&e, SHT_DYNSYM, &syms))
    return true;
  for (size_t i = 0; i < syms.count; i++) {
    if (!elf_symbol(&syms, i, &s) || s.section == SHN_UNDEF || s.type != STT_OBJECT ||
        !str_ends(s.name, ".kd"))
      continue;
    size_t n = strlen(s.name) - strlen(".kd");
    argv_addf(&k->names, "%.*s", (int)n, s.name);
    k->empty += ends_at_once(&syms, s.name, n);
  }
  return true;
}

/* ---- cubins ---- */

/* whether a function's CODE sets up its stack pointer, at most, and ends: EXIT without a predicate.
 * An instruction has 16 bytes since Volta, and its operation in the lowest bits. */
static bool exits_at_once(const struct elf_section *code) {
  enum { INSTRUCTION = 16, EXIT = 0x794d, FIRST = 2 };
  uint16_t operation;
  for (size_t i = 0; i < FIRST && code->data && code->size >= (i + 1) * INSTRUCTION; i++) {
    memcpy(&operation, code->data + i * INSTRUCTION, sizeof operation);
    if (operation == EXIT)
      return true;
  }
  return false;
}

bool kernels_of_cubin(struct kernels *k, const char *bytes, size_t size) {
  /* its parameters: a kernel has some, were it of no bytes */
  static const char prefix[] = ".nv.constant0.";
  struct elf e;
  struct elf_section s, code;
  if (!elf_open(&e, bytes, size, NULL) || e.machine != EM_CUBIN)
    return false;
  for (size_t i = 0; i < e.sections; i++) {
    if (!elf_section(&e, i, &s) || !str_starts(s.name, prefix))
      continue;
    const char *name = s.name + sizeof prefix - 1;
    autofree char *text = xasprintf(".text.%s", name);
    size_t at = 0;
    if (elf_find(&e, text, &at, &code)) {
      argv_add(&k->names, name);
      k->empty += exits_at_once(&code);
    }
  }
  return true;
}

/* ---- text ---- */

/* Returns the line after the one at P; NULL after the last line. */
static const char *next_line(const char *p) {
  p = strchr(p, '\n');
  return p && p[1] ? p + 1 : NULL;
}

/* Returns P after the blanks there. */
static const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t");
}

/* Returns P after the label NAME (N bytes) at the start of a line of TEXT; NULL if there is no such
 * label. */
static const char *find_label(const char *text, const char *name, size_t n) {
  for (const char *p = text; p; p = next_line(p))
    if (strncmp(p, name, n) == 0 && p[n] == ':')
      return p;
  return NULL;
}

/* Whether the first instruction after the line at HEAD (NULL: there is none) is LAST. Before it may
 * be labels, comments after a semicolon, and lines that begin with one of OTHERS. */
static bool begins_with(const char *head, const char *last, const char *others) {
  for (const char *p = head ? next_line(head) : NULL; p; p = next_line(p)) {
    const char *word = skip_blanks(p);
    size_t n = strcspn(word, " \t\r\n;");
    if (n && !strchr(others, *word) && word[n - 1] != ':')
      return n == strlen(last) && strncmp(word, last, n) == 0;
  }
  return false;
}

bool kernels_of_asm(struct kernels *k, const char *text) {
  static const char directive[] = ".amdhsa_kernel ";
  bool ours = false;
  for (const char *p = text; p; p = next_line(p)) {
    const char *word = skip_blanks(p);
    ours |= str_starts(word, ".amdgcn_target");
    if (!str_starts(word, directive))
      continue;
    word += sizeof directive - 1;
    size_t n = strcspn(word, " \t\n;");
    argv_addf(&k->names, "%.*s", (int)n, word);
    k->empty += begins_with(find_label(text, word, n), "s_endpgm", ".");
  }
  return ours;
}

bool kernels_of_ir(struct kernels *k, const char *text) {
  bool ours = false;
  for (const char *p = text; p; p = next_line(p)) {
    ours |= str_starts(p, "target triple = \"amdgcn");
    size_t line = strcspn(p, "\n");
    const char *attribute = str_starts(p, "define ") ? memmem(p, line, " amdgpu_kernel ", 15) : NULL;
    const char *at = attribute ? memchr(attribute, '@', (size_t)(p + line - attribute)) : NULL;
    if (!at)
      continue;
    bool quoted = at[1] == '"';
    at += 1 + quoted;
    argv_addf(&k->names, "%.*s", (int)strcspn(at, quoted ? "\"\n" : "(\n"), at);
    k->empty += begins_with(p, "ret", "");
  }
  return ours;
}

/* The line of the { after the line at ENTRY, which begins the body; NULL: there is none. */
static const char *find_brace(const char *entry) {
  const char *p = entry;
  while (p && *skip_blanks(p) != '{')
    p = next_line(p);
  return p;
}

bool kernels_of_ptx(struct kernels *k, const char *text) {
  bool ours = false;
  for (const char *p = text; p; p = next_line(p)) {
    ours |= str_starts(p, ".target sm_");
    const char *entry = *p == '.' ? memmem(p, strcspn(p, "\n"), ".entry ", strlen(".entry ")) : NULL;
    if (!entry)
      continue;
    entry = skip_blanks(entry + strlen(".entry "));
    argv_addf(&k->names, "%.*s", (int)strcspn(entry, "( \t\n"), entry);
    k->empty += begins_with(find_brace(p), "ret", "./");
  }
  return ours;
}
