/* stubs.c - see stubs.h. The contents of the object:
 *
 *     .text    cold path: passes the unit and the slots to ckjit_trampoline; all stubs share it
 *              stub 0, stub 1, …: all of one size; stub I has the name of function I of the unit, with
 *              the binding and the visibility that the compiler gave it
 *     .bss     slot 0, slot 1, …: 8 bytes each, empty at first; the local symbol ckjit_u<unit>_slots
 *
 * and ckjit_trampoline, the runtime's, as an undefined symbol. The code is the machine's
 * (abi/ck_jit_machine.h).
 */
#include "stubs.h"

#include "abi/ck_jit_stub.h"
#include "core/base/elfwrite.h"
#include "core/base/path.h"

enum { SEC_NULL, SEC_TEXT, SEC_RELA, SEC_SLOTS, NSECTIONS, SEC_SYMTAB = NSECTIONS + ELF_SYMTAB };
enum { SYM_NULL, SYM_SLOTS };
enum { ALIGN = 32, BRANCH26 = 1 << 27 /* bytes, either way */ };

struct object {
  const struct ckjit_machine *machine;
  const char *section; /* of the text */
  struct buf text, rela, symtab, strtab;
  /* The symbols: local ones first, as the ABI requires, then ckjit_trampoline. */
  uint32_t locals;
};

static void put32(unsigned char *at, uint32_t value) {
  memcpy(at, &value, sizeof value); /* all machines are little-endian */
}

static void add_rela(struct object *o, uint64_t at, uint32_t symbol, uint32_t type, int64_t addend) {
  Elf64_Rela r = {.r_offset = at, .r_info = ELF64_R_INFO((uint64_t)symbol, type), .r_addend = addend};
  buf_add(&o->rela, &r, sizeof r);
}

static void add_symbol(struct object *o, const char *name, Elf64_Sym s) {
  if (name) {
    s.st_name = (uint32_t)o->strtab.len;
    buf_add(&o->strtab, name, strlen(name) + 1);
  }
  buf_add(&o->symtab, &s, sizeof s);
}

/* The cold part is at the start of the section. */
static void fill_hole(struct object *o, unsigned char *code, const struct ckjit_hole *hole, uint32_t number) {
  uint64_t at = o->text.len + hole->at;
  if (hole->relocation)
    add_rela(o, at, hole->of == CKJIT_HOLE_TRAMPOLINE ? o->locals : SYM_SLOTS, hole->relocation,
             hole->addend + (hole->of == CKJIT_HOLE_SLOT ? 8 * (int64_t)number : 0));
  else if (hole->as == CKJIT_AS_WORD)
    put32(code + hole->at, number);
  else if (hole->as == CKJIT_AS_NEXT32)
    put32(code + hole->at, (uint32_t) - (int64_t)(at + 4));
  else
    put32(code + hole->at, ckjit_code_word(code + hole->at) | (((uint32_t) - (int64_t)at >> 2) & 0x3ffffff));
}

/* NUMBER is the unit's, or the index of a stub. */
static void add_form(struct object *o, const struct ckjit_form *form, uint32_t number) {
  unsigned char code[UINT8_MAX];
  memset(code, o->machine->fill, form->size);
  memcpy(code, form->bytes, form->code);
  for (const struct ckjit_hole *hole = form->holes; hole->of; hole++)
    fill_hole(o, code, hole, number);
  buf_add(&o->text, code, form->size);
}

static void add_locals(struct object *o, unsigned unit, size_t n) {
  autofree char *slots = xasprintf("ckjit_u%u_slots", unit);
  buf_add(&o->strtab, "", 1);
  add_symbol(o, NULL, (Elf64_Sym){0});
  add_symbol(
      o, slots,
      (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), .st_shndx = SEC_SLOTS, .st_size = 8 * n});
  for (size_t i = 0; i < CKJIT_MARKS_MAX && *o->machine->marks[i].name; i++)
    add_symbol(o, o->machine->marks[i].name,
               (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE),
                           .st_shndx = SEC_TEXT,
                           .st_value = o->machine->marks[i].at});
  o->locals = (uint32_t)(o->symtab.len / sizeof(Elf64_Sym));
}

/* Function S, at the end of the text. */
static Elf64_Sym function_symbol(const struct object *o, const struct stub *s) {
  return (Elf64_Sym){.st_info = ELF64_ST_INFO(s->bind, STT_FUNC),
                     .st_other = s->visibility | (s->other & o->machine->calls.bits),
                     .st_shndx = SEC_TEXT,
                     .st_value = o->text.len};
}

static void add_all(struct object *o, unsigned unit, const struct stub *stubs, size_t n) {
  add_locals(o, unit, n);
  add_symbol(o, "ckjit_trampoline",
             (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_other = STV_HIDDEN});
  add_form(o, &o->machine->cold, unit);
  for (size_t i = 0; i < n; i++) {
    if (!stubs[i].name)
      continue;
    Elf64_Sym symbol = function_symbol(o, &stubs[i]);
    symbol.st_size = o->machine->stub.code;
    add_symbol(o, stubs[i].name, symbol);
    add_form(o, &o->machine->stub, (uint32_t)i);
  }
}

static void put_object(struct buf *out, const struct object *o, size_t n) {
  struct elf_part parts[NSECTIONS + ELF_LAST] = {
      [SEC_TEXT] = {o->section,
                    o->text.data,
                    {.sh_type = SHT_PROGBITS,
                     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                     .sh_size = o->text.len,
                     .sh_addralign = ALIGN}},
      [SEC_RELA] = {".rela.text",
                    o->rela.data,
                    {.sh_type = SHT_RELA,
                     .sh_flags = SHF_INFO_LINK,
                     .sh_size = o->rela.len,
                     .sh_link = SEC_SYMTAB,
                     .sh_info = SEC_TEXT,
                     .sh_addralign = 8,
                     .sh_entsize = sizeof(Elf64_Rela)}},
      [SEC_SLOTS] =
          {".bss",
           NULL,
           {.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_size = 8 * n, .sh_addralign = 16}},
  };
  const struct elf_last last = {.symbols = o->symtab.data,
                                .symbols_size = o->symtab.len,
                                .locals = o->locals,
                                .names = o->strtab.data,
                                .names_size = o->strtab.len,
                                .property = o->machine->property,
                                .property_size = o->machine->property_size};
  elf_write_last(out, o->machine->elf, parts, NSECTIONS, &last, 16);
}

static void object_free(struct object *o) {
  buf_free(&o->text);
  buf_free(&o->rela);
  buf_free(&o->symtab);
  buf_free(&o->strtab);
}

bool stubs_write(const char *file, const struct ckjit_machine *machine, unsigned unit,
                 const struct stub *stubs, size_t n) {
  struct object o = {.machine = machine, .section = ".text"};
  autofree_buf out = {0};
  if (n > (size_t)BRANCH26 / machine->stub.size - 2) {
    errno = EFBIG;
    return false;
  }
  add_all(&o, unit, stubs, n);
  put_object(&out, &o, n);
  bool done = file_update(file, out.data, out.len, 0666);
  object_free(&o);
  return done;
}

bool stubs_write_names(const char *file, const struct ckjit_machine *machine, const struct stub *stubs,
                       size_t n) {
  struct object o = {.machine = machine, .section = STUBS_NAMES};
  autofree_buf out = {0};
  buf_add(&o.strtab, "", 1);
  add_symbol(&o, NULL, (Elf64_Sym){0});
  o.locals = 1;
  for (size_t i = 0; i < n; i++)
    if (stubs[i].name)
      add_symbol(&o, stubs[i].name, function_symbol(&o, &stubs[i]));
  put_object(&out, &o, 0);
  bool done = file_update(file, out.data, out.len, 0666);
  object_free(&o);
  return done;
}
