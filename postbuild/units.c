/* units.c - see units.h. A unit is text for a compiler and nothing that runs: for each function of its blobs
 * an empty function, and the blob's specialisation declared as an alias of it. In the unit's object both have
 * one address, and so each mangled name is found with the number of its function. The stubs are then written
 * without a compiler (stubs.c).
 */
#include "units.h"

#include "calls.h"
#include "flags.h"
#include "mangled.h"
#include "stubs.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_abi.h"

/* A unit of fewer functions would be nearly all headers: CK's take 5 s, 1,000 stubs take 0.3 s. */
enum { FUNCTIONS_A_UNIT = 2000 };

/* ---- groups ---- */

static bool only_includes(const char *text) {
  for (const char *line = text; *line; line = strchr(line, '\n') + 1)
    if (!str_starts(line, "#include"))
      return false;
  return true;
}

static bool is_quoted(const char *line, size_t n) {
  return memchr(line, '"', n) != NULL;
}

/* System headers commute, so blobs that differ only in these share a group (CK's batch_prefill adds
 * <cstdio>). The key has only the rest of the preamble. */
static void preamble_key(struct buf *key, const char *text) {
  bool simple = only_includes(text);
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n");
    if (!simple || is_quoted(line, n)) {
      buf_add(key, line, n);
      buf_putc(key, '\n');
    }
    line += n + (line[n] == '\n');
  }
}

static void preamble_merge(struct buf *have, const char *text) {
  if (!have->len || !only_includes(text)) {
    if (!have->len)
      buf_puts(have, text);
    return;
  }
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n") + 1;
    if (!memmem(have->data, have->len, line, n))
      buf_add(have, line, n);
    line += n;
  }
}

static const char *text_of(const struct buf *b) {
  return b->len ? b->data : "";
}

static const char *extension(const char *source) {
  const char *base = path_base(source), *dot = strrchr(base, '.');
  return dot ? dot : "";
}

/* All that two blobs must have in common to share a unit; free() it. *FLAGS: flags_code, for a new group. */
static char *group_key(const struct blob *b, struct argv *flags) {
  struct buf key = {0};
  flags_code(flags, b->record);
  autofree char *joined = argv_join(flags->args);
  buf_printf(&key, "%s\n%s\n%s\n%s\n%s\n", b->record->compiler, b->record->cwd, joined,
             extension(b->record->source), text_of(&b->context));
  if (b->preamble.len && memchr(b->preamble.data, '"', b->preamble.len)) {
    autofree char *dir = path_dir(b->record->source);
    buf_printf(&key, "%s\n", dir);
  }
  preamble_key(&key, text_of(&b->preamble));
  if (b->late)
    buf_puts(&key, "late\n");
  if (b->includes_within)
    buf_printf(&key, "%s\n", b->record->source); /* the keys of a group have the same headers */
  return key.data;
}

struct keyed {
  char *key;
  unsigned group;
};

/* The group of B, made if it is new. Neighbours in a build are alike, so the last key is tried first. */
static unsigned group_of(struct units *u, struct keyed **keys, const struct blob *b) {
  struct argv flags = {0};
  char *key = group_key(b, &flags);
  for (size_t i = u->ngroups; i-- > 0;) {
    if (strcmp((*keys)[i].key, key) == 0) {
      free(key);
      argv_free(&flags);
      preamble_merge(&u->groups[i].preamble, text_of(&b->preamble));
      return (unsigned)i;
    }
  }
  size_t n = u->ngroups;
  vec_reserve(*keys, n, 1);
  (*keys)[n] = (struct keyed){key, (unsigned)n};
  struct group *g = vec_add(u->groups, u->ngroups);
  *g = (struct group){.sample = b->record,
                      .flags = flags,
                      .extension = extension(b->record->source),
                      .includes_within = b->includes_within,
                      .late = b->late};
  buf_puts(&g->preamble, text_of(&b->preamble));
  buf_puts(&g->context, text_of(&b->context));
  return (unsigned)n;
}

static unsigned units_for(size_t functions, unsigned processors) {
  size_t n = (functions + FUNCTIONS_A_UNIT - 1) / FUNCTIONS_A_UNIT;
  return (unsigned)(n > processors ? processors : n < 1 ? 1 : n);
}

static int by_object(const void *a, const void *b) {
  const struct blob *const *x = a, *const *y = b;
  return (*x)->apart != (*y)->apart ? (*x)->apart - (*y)->apart
                                    : strcmp((*x)->record->stem, (*y)->record->stem);
}

void units_plan(struct units *u, struct blob *blobs, size_t n, const char *dir, unsigned processors) {
  *u = (struct units){.blobs = blobs, .nblobs = n};
  autofree struct keyed *keys = NULL;
  for (size_t i = 0; i < 2 * n; i++) {
    struct blob *b = &blobs[i % n];
    /* the late ones last */
    if (!blob_is_forwarded(b) || b->late != (i >= n))
      continue;
    b->group = group_of(u, &keys, b);
    u->groups[b->group].nblobs++;
    u->groups[b->group].nfunctions += b->functions.n;
  }
  for (size_t g = 0; g < u->ngroups; g++) {
    free(keys[g].key);
    u->groups[g].first_unit = (unsigned)u->nunits;
    u->groups[g].nunits = units_for(u->groups[g].nfunctions, processors);
    u->nunits += u->groups[g].nunits;
    u->nwritten += u->groups[g].late ? 0 : u->groups[g].nunits;
  }
  u->units = xcalloc(u->nunits, sizeof *u->units);
  for (size_t g = 0; g < u->ngroups; g++) {
    for (unsigned k = u->groups[g].first_unit, e = k + u->groups[g].nunits; k < e; k++) {
      struct unit *un = &u->units[k];
      un->group = (unsigned)g;
      un->source = xasprintf("%s/units/unit-%u%s", dir, k, u->groups[g].extension);
      un->object = xasprintf("%s/objs/unit-%u.o", dir, k);
      un->stubs = xasprintf("%s/objs/stubs-%u.o", dir, k);
    }
  }
  for (size_t i = 0; i < n; i++) {
    struct blob *b = &blobs[i];
    if (!blob_is_forwarded(b))
      continue;
    const struct group *g = &u->groups[b->group];
    b->unit = g->first_unit + (unsigned)(ckjit_fnv1a(b->record->stem, strlen(b->record->stem)) % g->nunits);
    struct unit *un = &u->units[b->unit];
    vec_push(un->blobs, un->nblobs, b);
    free(b->stubs);
    b->stubs = b->apart ? xasprintf("%s/objs/stubs-of-%zu.o", dir, i) : NULL;
  }
  for (size_t k = 0; k < u->nunits; k++)
    if (u->units[k].nblobs)
      qsort(u->units[k].blobs, u->units[k].nblobs, sizeof *u->units[k].blobs, by_object);
}

void units_merge(struct units *u) {
  for (size_t g = 0; g < u->ngroups; g++) {
    buf_free(&u->groups[g].preamble);
    u->groups[g].nblobs = u->groups[g].nfunctions = 0;
  }
  for (size_t i = 0; i < u->nblobs; i++) {
    if (!blob_is_forwarded(&u->blobs[i]))
      continue;
    struct group *g = &u->groups[u->blobs[i].group];
    if (!g->nblobs++)
      buf_puts(&g->preamble, text_of(&u->blobs[i].preamble));
    else
      preamble_merge(&g->preamble, text_of(&u->blobs[i].preamble));
    g->nfunctions += u->blobs[i].functions.n;
  }
}

/* ---- text ---- */

/* Each specialisation is declared as an alias of an empty function: the compiler says what it is called, how
 * it is bound, and how visible it is. It has no body of its own, because clang 22 crashes on a naked function
 * that returns std::string at -O0, and needs four times as long. */
static void put_macros(struct buf *out, unsigned k) {
  static const char stub[] = "extern \"C\" __attribute__((used, visibility(\"hidden\"))) void";
  buf_printf(
      out,
      "#define CKJIT_STUB(i) %s ckjit_u%u_stub_##i(void) {}\n"
      "#define CKJIT_IS(i) __attribute__((alias(\"ckjit_u%u_stub_\" #i)))\n"
      "#define CKJIT_AT(i) extern \"C\" __attribute__((used)) void *ckjit_u%u_at_##i; void *ckjit_u%u_at_##i\n",
      stub, k, k, k, k);
}

/* cudafe++, nvcc's front end, finds the function that an alias is of only if that stands outside of all
 * namespaces. For nvcc all N empty functions come first, and at their own place they are nothing. */
static void put_functions_apart(struct buf *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    buf_printf(out, "CKJIT_STUB(%zu)\n", i);
  buf_puts(out, "#undef CKJIT_STUB\n#define CKJIT_STUB(i)\n");
}

static uint32_t count_lines(const char *text, size_t n) {
  uint32_t lines = 0;
  for (const char *p = text; (p = memchr(p, '\n', n - (size_t)(p - text))); p++)
    lines++;
  return lines;
}

static void put_forward(struct buf *out, const struct blob *b) {
  const char *p = b->forward.data, *end = p + b->forward.len;
  bool other = false; /* within the form that is not meant */
  for (; p < end; p++) {
    if (*p < MARK_BLOB || *p > MARK_END) {
      if (!other)
        buf_putc(out, *p);
    } else if (*p == MARK_EITHER) {
      other = b->by_address;
    } else if (*p == MARK_OR) {
      other = !b->by_address;
    } else if (*p == MARK_END) {
      other = false;
    } else if (*p == MARK_STUB) {
      p++;
      if (!other)
        buf_printf(out, "%zu", b->first_function + (unsigned char)*p - 1);
    } else if (!other) {
      buf_printf(out, "%u", b->number);
    }
  }
}

bool unit_say_by_address(struct blob *b) {
  if (b->by_address || b->unclear || !b->forward.len || !memchr(b->forward.data, MARK_EITHER, b->forward.len))
    return false;
  return b->by_address = true;
}

static void number_functions(struct unit *un) {
  un->nfunctions = 0;
  for (size_t i = 0; i < un->nblobs; i++) {
    un->blobs[i]->number = (unsigned)i;
    un->blobs[i]->first_function = un->nfunctions;
    un->nfunctions += un->blobs[i]->functions.n;
  }
}

/* Append the text of UN, which is unit K or a part of it. */
static void put_unit(struct buf *out, const struct group *g, struct unit *un, unsigned k,
                     const char *preamble, bool functions) {
  number_functions(un);
  buf_puts(out, "// Forwarding stubs, written by ckjit-link: do not edit.\n");
  buf_puts(out, preamble);
  put_macros(out, k);
  if (g->sample->compiler_kind->aliases_outside)
    put_functions_apart(out, un->nfunctions);
  if (g->nblobs) /* with none left the compiler is asked for nothing that it may refuse */
    buf_puts(out, text_of(&g->context));
  un->lines = xrealloc(un->lines, (un->nblobs + 1) * sizeof *un->lines);
  uint32_t line = 1 + count_lines(out->data, out->len);
  for (size_t i = 0; i < un->nblobs && functions; i++) {
    size_t from = out->len;
    un->lines[i] = line;
    put_forward(out, un->blobs[i]);
    line += count_lines(out->data + from, out->len - from);
  }
}

static void write_unit(const char *file, struct buf *text) {
  if (!file_update(file, text->data, text->len, 0666))
    die(EXIT_FAILED, "%s: cannot write the forwarding unit: %s", file, strerror(errno));
  buf_free(text);
}

void unit_write(struct units *u, unsigned k) {
  struct buf out = {0};
  const struct group *g = &u->groups[u->units[k].group];
  put_unit(&out, g, &u->units[k], k, text_of(&g->preamble), true);
  write_unit(u->units[k].source, &out);
}

void unit_write_part(const struct units *u, unsigned k, struct blob **blobs, size_t n, bool functions,
                     const char *file) {
  struct buf out = {0};
  autofree_buf preamble = {0};
  struct unit part = {.blobs = blobs, .nblobs = n};
  buf_puts(&preamble, n ? text_of(&blobs[0]->preamble) : "");
  for (size_t i = 1; i < n; i++)
    preamble_merge(&preamble, text_of(&blobs[i]->preamble));
  put_unit(&out, &u->groups[u->units[k].group], &part, k, text_of(&preamble), functions);
  write_unit(file, &out);
  free(part.lines);
}

struct blob *unit_blob_at(const struct unit *u, uint32_t line) {
  struct blob *found = NULL;
  for (size_t i = 0; i < u->nblobs && u->lines[i] <= line; i++)
    found = u->blobs[i];
  return found;
}

void unit_drop(struct unit *u, struct blob *b, char *why) {
  for (size_t i = 0; i < u->nblobs; i++)
    if (u->blobs[i] == b) {
      memmove(&u->blobs[i], &u->blobs[i + 1], (u->nblobs - i - 1) * sizeof *u->blobs);
      u->nblobs--;
      break;
    }
  blob_settle(b, BLOB_AHEAD, why);
}

/* ---- symbols ---- */

/* The address of an empty function. The specialisation that is its alias has the same one. */
struct at {
  uint64_t value;
  uint32_t section;
  size_t function;
};

static int by_value(const void *a, const void *b) {
  const struct at *x = a, *y = b;
  return x->section != y->section ? (x->section < y->section ? -1 : 1)
                                  : (x->value > y->value) - (x->value < y->value);
}

static bool open_symbols(const char *bytes, size_t len, struct elf *e, struct elf_symtab *syms, char **err) {
  if (!elf_open(e, bytes, len, err))
    return false;
  if (!ckjit_machine_of(e->machine)) {
    autofree_buf names = {0};
    for (size_t i = 0; i < CKJIT_MACHINES; i++)
      buf_printf(&names, "%s%s", i ? ", " : "", ckjit_machines[i]->name);
    *err = xasprintf("it is for ELF machine %u; ckjit has stubs for %s", e->machine, names.data);
  } else if (elf_symtab(e, SHT_SYMTAB, syms)) {
    return true;
  } else {
    *err = xstrdup("it has no symbol table");
  }
  return false;
}

/* For each function of U: does the object of a blob of --aot-list define it? It must have no stub then. The
 * blob stays in its unit all the same, so that a list with one kernel more costs one compile, and no unit.
 * free() it. */
static bool *defined_elsewhere(const struct unit *u) {
  bool *defined = xcalloc(u->nfunctions + 1, sizeof *defined);
  for (size_t i = 0; i < u->nblobs; i++)
    for (size_t f = 0; u->blobs[i]->fate == BLOB_WANTED && f < u->blobs[i]->functions.n; f++)
      defined[u->blobs[i]->first_function + f] = true;
  return defined;
}

static void free_symbols(struct unit *u) {
  for (size_t i = 0; i < u->nsymbols; i++)
    free(u->names[i]);
  free(u->names);
  free(u->forward);
  free(u->hashes);
  free(u->hidden);
  free(u->withheld);
  u->names = NULL;
  u->forward = NULL;
  u->hashes = NULL;
  u->hidden = u->withheld = NULL;
  u->nsymbols = 0;
}

/* The addresses of U's empty functions, sorted; free() it. */
static struct at *read_addresses(const struct unit *u, unsigned k, const struct elf_symtab *syms, size_t *n) {
  struct at *all = xcalloc(u->nfunctions, sizeof *all);
  autofree char *prefix = xasprintf("ckjit_u%u_stub_", k);
  struct elf_symbol s;
  *n = 0;
  for (size_t i = 0; i < syms->count; i++)
    if (elf_symbol(syms, i, &s) && str_starts(s.name, prefix) && *n < u->nfunctions)
      all[(*n)++] = (struct at){s.value, s.section, strtoul(s.name + strlen(prefix), NULL, 10)};
  qsort(all, *n, sizeof *all, by_value);
  return all;
}

/* Function I of U is called S.name. If the build hides functions by a flag, the unit has them protected (link_unit_step):
 * what is hidden there all the same has an attribute. */
static void set_symbol(struct unit *u, size_t i, struct elf_symbol *s) {
  u->withheld[i] = s->visibility != STV_DEFAULT && s->visibility != STV_PROTECTED;
  if (s->visibility == STV_PROTECTED && flags_hide(u->blobs[0]->record))
    s->visibility = STV_HIDDEN;
  u->hashes[i] = ckjit_fnv1a(s->name, strlen(s->name));
  u->hidden[i] = s->visibility != STV_DEFAULT && s->visibility != STV_PROTECTED;
  free(u->names[i]);
  u->names[i] = xstrdup(s->name);
}

/* Room for what is known of each function of U. */
static void make_symbols(struct unit *u) {
  u->nsymbols = u->nfunctions;
  u->names = xcalloc(u->nsymbols + 1, sizeof *u->names);
  u->hashes = xcalloc(u->nsymbols + 1, sizeof *u->hashes);
  u->hidden = xcalloc(u->nsymbols + 1, sizeof *u->hidden);
  u->withheld = xcalloc(u->nsymbols + 1, sizeof *u->withheld);
  u->forward = xcalloc(u->nsymbols + 1, sizeof *u->forward);
}

/* The index of the symbol whose address is at VALUE of section SECTION of E; 0: there is none. */
static uint32_t symbol_at(const struct elf *e, const struct ckjit_machine *machine, uint32_t section,
                          uint64_t value) {
  struct elf_section s;
  for (size_t i = 1; elf_section(e, i, &s); i++)
    for (uint64_t at = 0;
         s.type == SHT_RELA && s.info == section && s.data && at + sizeof(Elf64_Rela) <= s.size;
         at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, s.data + at, sizeof r);
      if (r.r_offset == value && ELF64_R_TYPE(r.r_info) == machine->absolute64 && !r.r_addend)
        return (uint32_t)ELF64_R_SYM(r.r_info);
    }
  return 0;
}

/* Is the function SYMBOL of B hidden by B's command? */
static bool is_hidden(const struct blob *b, const char *symbol) {
  autofree_argv names = {0};
  bool of_class;
  if (flags_hide(b->record))
    mangled_names(&names, symbol, &of_class);
  return !blob_shows(b, &names, names.n && mangled_has_instance(symbol, names.args[names.n - 1]));
}

/* The blob of U that has function I. */
static const struct blob *blob_of(const struct unit *u, size_t i) {
  size_t k = u->nblobs - 1;
  while (k && u->blobs[k]->first_function > i)
    k--;
  return u->blobs[k];
}

/* The functions of U, number K, that the object E with symbols SYMS says by their addresses. Instances are weak,
 * as in the blob's own object. */
static void take_addresses(struct unit *u, unsigned k, const struct elf *e, const struct elf_symtab *syms,
                           const bool *defined) {
  autofree char *prefix = xasprintf("ckjit_u%u_at_", k);
  struct elf_symbol at, s;
  for (size_t i = 0; i < syms->count; i++) {
    if (!elf_symbol(syms, i, &at) || !str_starts(at.name, prefix))
      continue;
    size_t function = strtoul(at.name + strlen(prefix), NULL, 10);
    uint32_t index = symbol_at(e, u->machine, at.section, at.value);
    if (function >= u->nfunctions || !index || !elf_symbol(syms, index, &s) || !str_starts(s.name, "_Z"))
      continue;
    if (is_hidden(blob_of(u, function), s.name))
      s.visibility = STV_PROTECTED;
    set_symbol(u, function, &s);
    if (!defined[function])
      u->forward[function] = (struct stub){u->names[function], STB_WEAK, s.visibility, s.other};
  }
}

bool unit_symbols(struct unit *u, unsigned k, char **err) {
  size_t len, n;
  free_symbols(u);
  if (!u->nblobs)
    return true;
  autofree char *bytes = file_read(u->object, &len);
  struct elf e;
  struct elf_symtab syms;
  if (!bytes)
    *err = xasprintf("%s: %s", u->object, strerror(errno));
  if (!bytes || !open_symbols(bytes, len, &e, &syms, err))
    return false;
  make_symbols(u);
  autofree struct at *addresses = read_addresses(u, k, &syms, &n);
  autofree bool *defined = defined_elsewhere(u);
  u->machine = ckjit_machine_of(e.machine);
  struct calls *calls = calls_read(u->machine, u->source);
  struct elf_symbol s;
  for (size_t i = 0; i < syms.count; i++) {
    if (!elf_symbol(&syms, i, &s) || s.section == SHN_UNDEF || !str_starts(s.name, "_Z"))
      continue;
    struct at want = {s.value, s.section, 0};
    struct at *hit = bsearch(&want, addresses, n, sizeof want, by_value);
    if (!hit || hit->function >= u->nfunctions)
      continue;
    set_symbol(u, hit->function, &s);
    if (!defined[hit->function])
      u->forward[hit->function] = (struct stub){u->names[hit->function], s.bind, s.visibility,
                                                s.other | calls_of(calls, hit->function, s.name)};
  }
  take_addresses(u, k, &e, &syms, defined);
  calls_free(calls);
  return true;
}

void unit_demanded(struct unit *u, const struct ckjit_machine *machine) {
  free_symbols(u);
  number_functions(u);
  autofree bool *defined = defined_elsewhere(u);
  u->machine = machine;
  make_symbols(u);
  for (size_t i = 0; i < u->nblobs; i++) {
    const struct blob *b = u->blobs[i];
    for (size_t f = 0; f < b->functions.n; f++) {
      size_t at = b->first_function + f;
      u->names[at] = xstrdup(b->demanded.args[f]);
      u->hashes[at] = ckjit_fnv1a(u->names[at], strlen(u->names[at]));
      u->hidden[at] = is_hidden(b, u->names[at]);
      if (!defined[at])
        u->forward[at] = (struct stub){u->names[at], argv_has(&b->weak, u->names[at]) ? STB_WEAK : STB_GLOBAL,
                                       u->hidden[at] ? STV_HIDDEN : STV_DEFAULT, 0};
    }
  }
}

/* ---- stubs ---- */

/* How many of U's functions are in its own object: those before the first of a blob apart. */
static size_t functions_together(const struct unit *u) {
  for (size_t i = 0; i < u->nblobs; i++)
    if (u->blobs[i]->apart)
      return u->blobs[i]->first_function;
  return u->nfunctions;
}

bool unit_has_stubs(const struct unit *u) {
  return u->nblobs && !u->blobs[0]->apart;
}

size_t units_objects(const struct units *u) {
  size_t n = u->nunits;
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++)
      n += u->units[k].blobs[i]->apart;
  return n;
}

/* The object number NUMBER, FILE, has the stubs of N functions of U, the first of which is
 * FIRST. */
static void write_stubs(const struct unit *u, const char *file, unsigned number, size_t first, size_t n) {
  if (!stubs_write(file, u->machine, number, u->forward + first, n))
    die(EXIT_FAILED, "%s: cannot write the forwarding stubs: %s", file, strerror(errno));
}

void units_write_stubs(const struct units *u) {
  unsigned number = 0;
  for (size_t k = 0; k < u->nunits; k++) {
    const struct unit *un = &u->units[k];
    if (unit_has_stubs(un))
      write_stubs(un, un->stubs, number, 0, functions_together(un));
    number++;
    for (size_t i = 0; i < un->nblobs; i++)
      if (un->blobs[i]->apart)
        write_stubs(un, un->blobs[i]->stubs, number++, un->blobs[i]->first_function,
                    un->blobs[i]->functions.n);
  }
}

void units_free(struct units *u) {
  for (size_t g = 0; g < u->ngroups; g++) {
    argv_free(&u->groups[g].flags);
    buf_free(&u->groups[g].preamble);
    buf_free(&u->groups[g].context);
    free(u->groups[g].headers_digest);
    argv_free(&u->groups[g].absent);
    argv_free(&u->groups[g].own);
    for (size_t i = 0; i < u->groups[g].ninputs; i++)
      free(u->groups[g].inputs[i].path);
    free(u->groups[g].inputs);
  }
  for (size_t k = 0; k < u->nunits; k++) {
    free(u->units[k].source);
    free(u->units[k].object);
    free(u->units[k].stubs);
    free(u->units[k].blobs);
    free(u->units[k].lines);
    free_symbols(&u->units[k]);
  }
  free(u->groups);
  free(u->units);
  *u = (struct units){0};
}
