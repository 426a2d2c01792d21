/* hostvariables.c - the variables of the device that the host's side of a CUDA unit refers to,
 * registered without the front end of the device.
 *
 * nvcc's stub registers all variables of the unit, and Thrust alone has dozens. Here it registers
 * those that the object refers to, because no other can be requested: by cudaMemcpyToSymbol(table,
 * …), or because host code uses a variable that the device has as well, as Thrust's algorithms do
 * with the placeholder `_1`. The device's text has the variables and cicc's names for them
 * (core/cxx/devicetext.h). The object shows which are used, with address and size. So the
 * registering code cannot be in the text that the host's compiler reads. The stub has two sections
 * in place of it,
 *
 *     .data.rel.ro.ckjit_variables    a row of zeros, followed by the address of the other section
 *     .rodata.ckjit_variables         empty
 *
 * and in the finished object their contents, and relocations, are appended to it. If the name of a
 * variable is not certain, cicc does everything.
 */
#include "hostvariables.h"
#include "abi/ck_jit_machine.h"
#include "core/base/vec.h"

#include <unistd.h>

#define ROWS ".data.rel.ro.ckjit_variables"
#define NAMES ".rodata.ckjit_variables"

/* ---- the code that is added ---- */

/* nvcc 13 registers a variable with the arguments of its stub: 0 where it may be another unit's,
 * and 0 where the unit has no -rdc=true. */
const char hostvariables_declared[] =
    "struct ckjit_variable { char *host; const char *name; unsigned long size, constant; };\n"
    "extern \"C\" const ckjit_variable ckjit_variables[] __asm__(\".Lckjit_variables\") "
    "__attribute__((visibility(\"hidden\")));\n"
    "__asm__(\".pushsection " ROWS
    ",\\\"aw\\\",%progbits\\n.balign 8\\n.Lckjit_variables:\\n.8byte 0,0,0,0\\n"
    ".8byte .Lckjit_variable_names\\n.popsection\\n"
    ".pushsection " NAMES
    ",\\\"a\\\",%progbits\\n.Lckjit_variable_names:\\n.8byte 0\\n.popsection\");\n";
const char hostvariables_registered[] =
    "  for (const ckjit_variable *v = ckjit_variables; v->host; v++)\n"
    "    __cudaRegisterVar(handle, v->host, const_cast<char *>(v->name), v->name, 0, v->size, "
    "(int)v->constant, 0);\n";

struct variable_row {
  uint64_t host, name, size, constant;
};

/* ---- the variables that are needed ---- */

/* P follows a word of a mangled name. Can a variable's own name end there: before the end of its
 * scope, or before template arguments? */
static bool ends_name(const char *p) {
  return !*p || *p == 'E' || *p == 'I' || *p == 'B';
}

/* The same for a static variable of a function, whose own name is last, after everything that the
 * function is an instance of: x, x_0 or x__12_. */
static bool ends_local(const char *p) {
  p += strspn(p, "_");
  p += strspn(p, "0123456789");
  return !*p || strcmp(p, "_") == 0;
}

/* May S be the device variable NAME: by its own name, or with it as a word of a mangled one? */
static bool is_variable(const char *s, const char *name) {
  if (strcmp(s, name) == 0)
    return true;
  if (str_starts(s, "_ZT") ||
      str_starts(s, "_ZGV")) /* tables of a class, and guards of static variables */
    return false;
  char word[24];
  size_t n = (size_t)snprintf(word, sizeof word, "%zu", strlen(name));
  bool local = str_starts(s, "_ZZ");
  for (const char *p = s; str_starts(s, "_Z") && (p = strstr(p, name)); p++) {
    const char *behind = p + strlen(name);
    if ((size_t)(p - s) > n && memcmp(p - n, word, n) == 0 &&
        (local ? ends_local(behind) : ends_name(behind)))
      return true; /* not `_1` in cub's S2_10policy_hub */
  }
  return false;
}

/* Not a function, nor the symbol of a section group, which has a function's name. */
static bool is_data(const struct elf_symbol *s) {
  return s->type == STT_NOTYPE ? s->section == SHN_UNDEF
                               : s->type != STT_FUNC && s->type != STT_GNU_IFUNC;
}

/* Does gcc keep unreferenced variables? Without optimisation the object has all static variables,
 * such as cuRAND's tables in each unit of CUTLASS's attention, and PSTL's and Thrust's `seq` in
 * units with ATen's headers. Attributes or a pragma can make it optimise a function; that is
 * ignored here. */
static bool keeps_unused(const struct hoststub *hs) {
  const struct argv *words = &hs->plan->first[NVCC_HOST]->words;
  const char *level = "-O0";
  for (size_t i = 0; i < words->n; i++)
    if (str_starts(words->args[i], "-O"))
      level = words->args[i];
    else if (*words->args[i] == '@')
      return false;
  return strcmp(level, "-O0") == 0 && !strstr(hs->before.data, "optimize(") &&
         !strstr(hs->before.data, "optimize__(") && !strstr(hs->before.data, "GCC optimize");
}

/* Does A, a relocation to the section of S, refer to S? If the distance counts from the byte after
 * its four, the instruction may have up to four more, of a constant. */
static bool is_within(const struct elf *e, const Elf64_Rela *a, const struct elf_symbol *s) {
  const struct ckjit_machine *m = ckjit_machine_of(e->machine);
  uint64_t type = ELF64_R_TYPE(a->r_info);
  bool counts = m && m->behind[0] && (type == m->behind[0] || type == m->behind[1]);
  int64_t least = (int64_t)s->value - (counts ? 8 : 0),
          end = (int64_t)(s->value + s->size) - (counts ? 4 : 0);
  return a->r_addend >= least && a->r_addend < end;
}

/* Does one of the relocations R refer to symbol INDEX, S? Relocations to a local symbol usually
 * name its section. */
static bool is_referred_to(const struct elf_symtab *t, const struct elf_section *r, size_t index,
                           const struct elf_symbol *s) {
  for (size_t at = 0; at + sizeof(Elf64_Rela) <= r->size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela a;
    struct elf_symbol of;
    memcpy(&a, r->data + at, sizeof a);
    if (ELF64_R_SYM(a.r_info) == index)
      return true;
    if (elf_symbol(t, ELF64_R_SYM(a.r_info), &of) && of.type == STT_SECTION &&
        of.section == s->section && is_within(t->elf, &a, s))
      return true;
  }
  return false;
}

/* Does the object need symbol INDEX, S, which is in it? Other objects may refer to a symbol that is
 * not local, except to one that each of them has. */
static bool is_needed(const struct elf_symtab *t, size_t index, const struct elf_symbol *s,
                      bool keeps) {
  struct elf_section r, of;
  if (!keeps || s->section >= SHN_LORESERVE || s->bind == STB_GLOBAL)
    return true;
  for (size_t i = 0; elf_section(t->elf, i, &r); i++)
    if ((r.type == SHT_REL || r.type == SHT_RELA) && elf_section(t->elf, r.info, &of) &&
        of.flags & SHF_ALLOC && (r.type == SHT_REL || !r.data || is_referred_to(t, &r, index, s)))
      return true;
  return false;
}

/* Is S the host's name of V in the device's text: _ZN2ns1xE, and with an L before its own name if
 * it is internal? */
static bool is_named(const char *s, const struct devicetext_named *v) {
  autofree char *word = xasprintf("%zu%s%s", strlen(v->name), v->name, *v->scope ? "E" : "");
  size_t n = strlen(v->scope);
  bool mangled = str_starts(s, *v->scope ? "_ZN" : "_ZL");
  const char *own = mangled && strncmp(s + 3, v->scope, n) == 0 ? s + 3 + n : "";
  return strcmp(own + (*v->scope && *own == 'L'), word) == 0 ||
         (!*v->scope && strcmp(s, v->name) == 0);
}

/* The variable of symbol S; NULL: it is not certain. A variable may be declared several times, each
 * time alike. */
static const struct devicetext_named *certain(const struct hoststub *hs,
                                              const struct elf_symbol *s) {
  const struct devicetext_named *found = NULL;
  bool is =
      s->type == STT_OBJECT && s->section != SHN_UNDEF && s->section < SHN_LORESERVE && s->size;
  for (size_t i = 0; is && i < hs->nvariables; i++) {
    const struct devicetext_named *v = &hs->variables[i];
    if (!is_named(s->name, v))
      continue;
    is = v->device &&
         (!found || (found->constant == v->constant && strcmp(found->device, v->device) == 0));
    found = v;
  }
  return is ? found : NULL;
}

/* ---- the rows ---- */

/* the new contents */
struct rows {
  struct variable_row *rows;
  Elf64_Rela *relocations;
  size_t n, nrelocations;
  struct buf names;
  /* the stub's own relocation, to the section of names */
  Elf64_Rela model;
};

/* The value at OFFSET of the rows is the address of SYMBOL plus ADDEND. */
static void add_address(struct rows *r, size_t offset, uint64_t symbol, size_t addend) {
  Elf64_Rela a = {.r_offset = offset,
                  .r_info = ELF64_R_INFO(symbol, ELF64_R_TYPE(r->model.r_info)),
                  .r_addend = (Elf64_Sxword)addend};
  vec_push(r->relocations, r->nrelocations, a);
}

static void add_row(struct rows *r, size_t index, const struct elf_symbol *s,
                    const struct devicetext_named *v) {
  size_t at = r->n * sizeof *r->rows;
  vec_push(r->rows, r->n, (struct variable_row){.size = s->size, .constant = v->constant});
  add_address(r, at + offsetof(struct variable_row, host), index, 0);
  add_address(r, at + offsetof(struct variable_row, name), ELF64_R_SYM(r->model.r_info),
              (size_t)r->model.r_addend + r->names.len);
  buf_add(&r->names, v->device, strlen(v->device) + 1);
}

/* Make a row for each variable that the object refers to. */
static bool find_rows(const struct hoststub *hs, const struct elf *e, struct rows *r, char **stub) {
  struct elf_symtab t;
  struct elf_symbol s;
  bool keeps = keeps_unused(hs);
  for (size_t i = 0; elf_symtab(e, SHT_SYMTAB, &t) && i < t.count; i++) {
    bool may_be = false;
    for (size_t k = 0; elf_symbol(&t, i, &s) && is_data(&s) && !may_be && k < hs->nvariables; k++)
      may_be = is_variable(s.name, hs->variables[k].name);
    if (!may_be || !is_needed(&t, i, &s, keeps))
      continue;
    const struct devicetext_named *v = certain(hs, &s);
    if (!v) {
      *stub = xasprintf("its host code uses the variable %s of the device", s.name);
      return false;
    }
    add_row(r, i, &s, v);
  }
  return true;
}

/* ---- writing into the object ---- */

/* Make section INDEX the SIZE bytes at DATA, appended after the *END bytes of the file. */
static bool put_section(const struct elf *e, int fd, size_t index, const void *data, size_t size,
                        off_t *end) {
  Elf64_Shdr header;
  off_t at = (off_t)(e->table + index * sizeof header);
  memcpy(&header, e->data + at, sizeof header);
  *end = (*end + 7) & ~(off_t)7;
  header.sh_offset = (Elf64_Off)*end;
  header.sh_size = size;
  bool done = pwrite(fd, data, size, *end) == (ssize_t)size &&
              pwrite(fd, &header, sizeof header, at) == (ssize_t)sizeof header;
  *end += (off_t)size;
  return done;
}

/* Find the sections of the rows, of their relocations, of which the stub has one, and of names. */
static bool find_sections(const struct elf *e, size_t index[3], struct rows *r) {
  struct elf_section s;
  index[0] = index[1] = index[2] = 0;
  if (!elf_find(e, ROWS, &index[0], &s) || !elf_find(e, NAMES, &index[2], &s))
    return false;
  while (elf_section(e, ++index[1], &s))
    if (s.type == SHT_RELA && s.info == index[0] && s.data && s.size == sizeof r->model) {
      memcpy(&r->model, s.data, sizeof r->model);
      return r->model.r_offset == sizeof *r->rows;
    }
  return false;
}

bool hostvariables_held(const struct hoststub *hs, const struct elf *e, int fd, char **stub) {
  struct rows r = {0};
  size_t index[3];
  off_t end = (off_t)e->size;
  bool has = hs->nvariables, known = has && find_sections(e, index, &r);
  bool done = !has || find_rows(hs, e, &r, stub);
  if (done && r.n) {
    vec_push(r.rows, r.n, (struct variable_row){0});
    done =
        known && put_section(e, fd, index[0], r.rows, r.n * sizeof *r.rows, &end) &&
        put_section(e, fd, index[1], r.relocations, r.nrelocations * sizeof *r.relocations, &end) &&
        put_section(e, fd, index[2], r.names.data, r.names.len, &end);
    if (!done)
      *stub = xstrdup("its object is not as expected");
  }
  free(r.rows);
  free(r.relocations);
  buf_free(&r.names);
  return done;
}
