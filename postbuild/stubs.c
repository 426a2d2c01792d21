/* stubs.c - see stubs.h. What is in the object:
 *
 *     .text    cold path: pushes the unit and the slots, and jumps to ckjit_trampoline; all stubs share it
 *              stub 0, stub 1, …: 32 bytes each; stub I is called what function I of the unit is called, with
 *              the binding and the visibility that the compiler gave it
 *     .bss     slot 0, slot 1, …: 8 bytes each, empty at first; the local symbol ckjit_u<unit>_slots
 *
 * and ckjit_trampoline, the runtime's, as an undefined symbol. The code is in abi/ck_jit_stub.h.
 */
#include "stubs.h"

#include "abi/ck_jit_stub.h"
#include "core/base/elfwrite.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>

enum { SEC_NULL, SEC_TEXT, SEC_RELA, SEC_SLOTS, SEC_NOTE, SEC_SYMTAB, SEC_STRTAB, NSECTIONS };
enum { SYM_NULL, SYM_SLOTS, SYM_TRAMPOLINE_AND_GLOBALS }; /* local ones first, as the ABI wants */
enum { COLD_SIZE = 32 };

struct object {
  struct buf text, rela, symtab, strtab;
};

static void put32(unsigned char *at, uint32_t value) {
  memcpy(at, &value, sizeof value); /* hosts are little-endian: x86-64 */
}

static void add_rela(struct object *o, uint64_t at, uint32_t symbol, int64_t addend) {
  Elf64_Rela r = {
      .r_offset = at, .r_info = ELF64_R_INFO((uint64_t)symbol, R_X86_64_PC32), .r_addend = addend};
  buf_add(&o->rela, &r, sizeof r);
}

static void add_symbol(struct object *o, const char *name, Elf64_Sym s) {
  if (name) {
    s.st_name = (uint32_t)o->strtab.len;
    buf_add(&o->strtab, name, strlen(name) + 1);
  }
  buf_add(&o->symtab, &s, sizeof s);
}

/* At the start of the section. The frame that it makes is the trampoline's, which describes it to the unwinder. */
static void add_cold(struct object *o, unsigned unit) {
  unsigned char code[COLD_SIZE];
  memset(code, 0xcc, sizeof code);
  memcpy(code, ckjit_cold_form, sizeof ckjit_cold_form);
  put32(code + CKJIT_COLD_UNIT, unit);
  add_rela(o, CKJIT_COLD_SLOTS, SYM_SLOTS, -4);
  add_rela(o, CKJIT_COLD_TRAMPOLINE, SYM_TRAMPOLINE_AND_GLOBALS, -4);
  buf_add(&o->text, code, sizeof code);
}

static void add_stub(struct object *o, uint32_t i) {
  unsigned char code[CKJIT_STUB_SIZE];
  uint64_t at = o->text.len;
  memset(code, 0xcc, sizeof code);
  memcpy(code, ckjit_stub_form, sizeof ckjit_stub_form);
  put32(code + CKJIT_STUB_INDEX, i);
  put32(code + CKJIT_STUB_COLD, (uint32_t) - (int64_t)(at + CKJIT_STUB_CODE));
  add_rela(o, at + CKJIT_STUB_SLOT, SYM_SLOTS, 8 * (int64_t)i - 4);
  buf_add(&o->text, code, sizeof code);
}

static void add_all(struct object *o, unsigned unit, const struct stub *stubs, size_t n) {
  char *slots = xasprintf("ckjit_u%u_slots", unit);
  buf_add(&o->strtab, "", 1);
  add_symbol(o, NULL, (Elf64_Sym){0});
  add_symbol(
      o, slots,
      (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), .st_shndx = SEC_SLOTS, .st_size = 8 * n});
  add_symbol(o, "ckjit_trampoline",
             (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_other = STV_HIDDEN});
  free(slots);
  add_cold(o, unit);
  for (size_t i = 0; i < n; i++) {
    if (!stubs[i].name)
      continue;
    add_symbol(o, stubs[i].name,
               (Elf64_Sym){.st_info = ELF64_ST_INFO(stubs[i].bind, STT_FUNC),
                           .st_other = stubs[i].visibility,
                           .st_shndx = SEC_TEXT,
                           .st_value = o->text.len,
                           .st_size = CKJIT_STUB_CODE});
    add_stub(o, (uint32_t)i);
  }
}

static void put_object(struct buf *out, const struct object *o, size_t n) {
  const struct elf_part parts[NSECTIONS] = {
      [SEC_TEXT] = {".text",
                    o->text.data,
                    {.sh_type = SHT_PROGBITS,
                     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                     .sh_size = o->text.len,
                     .sh_addralign = 32}},
      [SEC_RELA] = {".rela.text",
                    o->rela.data,
                    {.sh_type = SHT_RELA,
                     .sh_flags = SHF_INFO_LINK,
                     .sh_size = o->rela.len,
                     .sh_link = SEC_SYMTAB,
                     .sh_info = SEC_TEXT,
                     .sh_addralign = 8,
                     .sh_entsize = sizeof(Elf64_Rela)}},
      [SEC_SLOTS] = {".bss",
                     NULL,
                     {.sh_type = SHT_NOBITS,
                      .sh_flags = SHF_ALLOC | SHF_WRITE,
                      .sh_size = 8 * (n ? n : 1),
                      .sh_addralign = 16}},
      [SEC_NOTE] = {".note.GNU-stack", NULL, {.sh_type = SHT_PROGBITS, .sh_addralign = 1}},
      [SEC_SYMTAB] = {".symtab",
                      o->symtab.data,
                      {.sh_type = SHT_SYMTAB,
                       .sh_size = o->symtab.len,
                       .sh_link = SEC_STRTAB,
                       .sh_info = SYM_TRAMPOLINE_AND_GLOBALS,
                       .sh_addralign = 8,
                       .sh_entsize = sizeof(Elf64_Sym)}},
      [SEC_STRTAB] = {".strtab",
                      o->strtab.data,
                      {.sh_type = SHT_STRTAB, .sh_size = o->strtab.len, .sh_addralign = 1}},
  };
  elf_write(out, EM_X86_64, parts, NSECTIONS, 16);
}

bool stubs_write(const char *file, unsigned unit, const struct stub *stubs, size_t n) {
  struct object o = {0};
  struct buf out = {0};
  add_all(&o, unit, stubs, n);
  put_object(&out, &o, n);
  bool done = file_update(file, out.data, out.len, 0666);
  buf_free(&o.text);
  buf_free(&o.rela);
  buf_free(&o.symtab);
  buf_free(&o.strtab);
  buf_free(&out);
  return done;
}
