/* functions.c - finds the host-only functions of a host object.
 *
 * The object is read as a graph. Its nodes are the symbols, and for each section the part that no
 * symbol covers. A relocation in a node is an arrow to its target: a call, an address that is
 * taken, a table. A node that leads to one of the following, by any number of arrows, is not
 * host-only:
 *
 *     a function of HIP's runtime        it launches, or asks about kernels; questions about devices and errors do not count
 *     data that can be written           a second copy of it, in the whole entry, would change independently
 *
 * All other code may exist twice without a visible difference: its result depends on its arguments,
 * on constants, and on other libraries.
 *
 * The assembler resolves a jump to a local symbol of the same section itself, without a relocation.
 * So the bytes of a function count, too: bytes that could be such a jump are an arrow to its
 * target. If instructions vary in size, nobody knows where one begins: then every byte may begin
 * one, and it counts if it leads to the beginning of a function. A superfluous arrow costs a
 * compile of the device code, a missing arrow would be an error: every doubt is decided
 * accordingly.
 *
 * The relocations and jumps of a machine are part of its data (abi/ck_jit_machine.h, struct
 * ckjit_leads).
 */
#include "functions.h"
#include "abi/ck_jit_machine.h"
#include "core/base/elf.h"
#include "core/base/vec.h"
#include "core/base/words.h"

struct node {
  uint32_t section;
  /* in the section; both 0: what no symbol of it covers */
  uint64_t from, to;
  bool bad;
};

struct arrow {
  uint32_t from, to; /* nodes */
};

/* where the linker writes */
struct place {
  uint32_t section;
  uint64_t at;
};

struct graph {
  struct elf elf;
  const struct ckjit_machine *machine;
  struct elf_symtab symbols;
  /* the sections', by their index; then the symbols', by section and start */
  struct node *nodes;
  struct arrow *arrows;
  struct place *written; /* in code; by section and place */
  size_t n, narrows, nwritten, sections;
  /* that is not of the host alone: all; HIP and other libraries */
  enum { BAD_ALL, BAD_OUTSIDE } what;
};

/* ---- nodes ---- */

static int by_place(const void *a, const void *b) {
  const struct node *x = a, *y = b;
  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* Constants with addresses in them are written by the dynamic linker, and by nobody else. */
static bool is_variable(const struct elf_section *s) {
  return (s->flags & SHF_WRITE) && !str_starts(s->name, ".data.rel.ro") && !str_starts(s->name, ".hipFatBin");
}

/* Its nodes come in the order of their places, and two names of one thing are one node. */
static void join_nodes(struct graph *g) {
  size_t kept = g->sections;
  qsort(g->nodes + g->sections, g->n - g->sections, sizeof *g->nodes, by_place);
  for (size_t i = g->sections; i < g->n; i++) {
    struct node *last = &g->nodes[kept - 1], *now = &g->nodes[i];
    if (kept == g->sections || last->section != now->section || now->from >= last->to) {
      g->nodes[kept++] = *now;
      continue;
    }
    last->to = now->to > last->to ? now->to : last->to;
    last->bad |= now->bad || now->from != last->from; /* one in another: it has two beginnings */
  }
  g->n = kept;
}

/* Is NAME a symbol that says where code and where data begins, and is neither? "$x", or "$x.1" as
 * clang had them. */
static bool is_mark(const struct graph *g, const char *name) {
  for (size_t i = 0; i < CKJIT_MARKS_MAX; i++) {
    const char *mark = g->machine->marks[i].name;
    size_t n = strlen(mark);
    if (n && strncmp(name, mark, n) == 0 && (!name[n] || name[n] == '.'))
      return true;
  }
  return false;
}

/* Code without a size is assembly, and nobody knows where it goes; so does code that is no
 * function. */
static bool add_nodes(struct graph *g) {
  struct elf_section s;
  struct elf_symbol y;
  g->sections = g->elf.sections;
  for (size_t i = 0; i < g->sections; i++) {
    if (!elf_section(&g->elf, i, &s))
      return false;
    vec_push(g->nodes, g->n,
             (struct node){.section = (uint32_t)i,
                           .bad = (is_variable(&s) && g->what == BAD_ALL) || (s.flags & SHF_EXECINSTR)});
  }
  for (size_t i = 1; i < g->symbols.count; i++) {
    if (!elf_symbol(&g->symbols, i, &y))
      return false;
    if (y.section == SHN_UNDEF || y.section >= g->sections || y.type == STT_SECTION || y.type == STT_FILE ||
        y.size >= UINT64_MAX - y.value || (y.type == STT_NOTYPE && !y.size && is_mark(g, y.name)))
      continue;
    elf_section(&g->elf, y.section, &s);
    bool code = s.flags & SHF_EXECINSTR, function = y.type == STT_FUNC && y.size;
    if (code || y.size)
      vec_push(g->nodes, g->n,
               (struct node){.section = y.section,
                             .from = y.value,
                             .to = y.value + (y.size ? y.size : 1),
                             .bad = (is_variable(&s) && g->what == BAD_ALL) || (code && !function)});
  }
  join_nodes(g);
  return true;
}

/* The node of offset AT of SECTION. */
static uint32_t node_at(const struct graph *g, uint32_t section, uint64_t at) {
  size_t low = g->sections, high = g->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const struct node *m = &g->nodes[middle];
    if (m->section < section || (m->section == section && m->to <= at))
      low = middle + 1;
    else
      high = middle;
  }
  bool in = low < g->n && g->nodes[low].section == section && g->nodes[low].from <= at;
  return in ? (uint32_t)low : section;
}

static void add_arrow(struct graph *g, uint32_t from, uint32_t to) {
  const struct arrow *last = g->narrows ? &g->arrows[g->narrows - 1] : NULL;
  if (from != to && !(last && last->from == from && last->to == to))
    vec_push(g->arrows, g->narrows, (struct arrow){from, to});
}

/* ---- arrows ---- */

/* Functions that only ask about devices and errors. A function may call them and launch nothing.
 * Functions that take the address of a kernel or a variable, or may do so, are not in the list. */
static const char questions[] =
    "hipDeviceGetAttribute hipDriverGetVersion hipGetDevice hipGetDeviceCount hipGetErrorName"
    " hipGetErrorString hipGetLastError hipPeekAtLastError hipRuntimeGetVersion"
    " hipGetDeviceProperties hipGetDevicePropertiesR0600";

/* Of HIP's runtime, and no question. */
static bool is_hip(const char *name) {
  static const char *const begins[] = {"hip", "__hip", "hsa_"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (str_starts(name, begins[i]))
      return !words_have(questions, name, strlen(name));
  return false;
}

/* Of the C++ runtime, and of libc without an effect: what the constructor of a variable may call.
 * Whether it writes to a file or asks the environment cannot be seen of anything else. */
static bool is_runtime(const struct graph *g, const char *name) {
  static const char *const begins[] = {
      "_ZNSt", "_ZNKSt", "_ZSt",   "_ZTVNSt",      "_ZTVSt",         "_ZTVN10__cxxabiv1",
      "_Znw",  "_Zna",   "_Zdl",   "_Zda",         "__cxa_",         "__gxx_personality_v0",
      "mem",   "strlen", "strcmp", "__dso_handle", "_Unwind_Resume", "__stack_chk_fail"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (str_starts(name, begins[i]))
      return true;
  const char *helpers = g->machine->leads.helpers;
  return *helpers && str_starts(name, helpers);
}

enum how { ABSOLUTE, RELATIVE, UNKNOWN };
enum { NO_RELOCATION = 0 }; /* of every machine */

static bool is_among(const struct ckjit_relocations *list, uint64_t type) {
  for (size_t i = 0; i < CKJIT_RELOCATIONS_MAX && list[i].first; i++)
    if (list[i].first <= type && type <= list[i].last)
      return true;
  return false;
}

static enum how how_of(const struct graph *g, const Elf64_Rela *r) {
  const struct ckjit_leads *leads = &g->machine->leads;
  uint64_t type = ELF64_R_TYPE(r->r_info);
  return is_among(leads->absolute, type) ? ABSOLUTE : is_among(leads->relative, type) ? RELATIVE : UNKNOWN;
}

/* The number that R adds to the beginning of the section that it names. */
static uint64_t place_of(const struct graph *g, const Elf64_Rela *r) {
  return (uint64_t)r->r_addend + (how_of(g, r) == RELATIVE ? g->machine->leads.behind : 0);
}

/* R, which stands in node FROM, in code if IN_CODE, goes to ADDEND of the section TO, INDEX, not to
 * a symbol. */
static void add_local(struct graph *g, uint32_t from, bool in_code, uint32_t index,
                      const struct elf_section *to, const Elf64_Rela *r) {
  bool code = to->flags & SHF_EXECINSTR;
  /* of an array's address and what is added to it the compiler makes one: it may lie outside of the
   * array */
  if (!code)
    add_arrow(g, from, index);
  else if (how_of(g, r) == ABSOLUTE ||
           in_code) /* of a call or an address: no constant follows the distance */
    add_arrow(g, from, node_at(g, index, place_of(g, r)));
  /* else, in data: the table of a switch, which leads back into the function that uses it; or a
   * table of unwinding */
}

/* Relocation R in SECTION, which is code if IN_CODE. False: it names nothing. */
static bool add_relocation(struct graph *g, uint32_t section, bool in_code, const Elf64_Rela *r) {
  struct elf_symbol y;
  struct elf_section to;
  uint32_t from = node_at(g, section, r->r_offset);
  if (!elf_symbol(&g->symbols, ELF64_R_SYM(r->r_info), &y))
    return false;
  if (ELF64_R_TYPE(r->r_info) == NO_RELOCATION)
    return true;
  if (y.section == SHN_UNDEF)
    g->nodes[from].bad |= is_hip(y.name) || (g->what == BAD_OUTSIDE && !is_runtime(g, y.name));
  else if (y.section >= g->sections) /* a common block is a variable */
    g->nodes[from].bad |= y.section != SHN_ABS && g->what == BAD_ALL;
  else if (how_of(g, r) == UNKNOWN || !elf_section(&g->elf, y.section, &to))
    g->nodes[from].bad = true;
  else if (y.type == STT_SECTION)
    add_local(g, from, in_code, y.section, &to, r);
  else
    add_arrow(g, from, node_at(g, y.section, y.value));
  return true;
}

/* A reference to a section of data as a whole may mean everything in it. */
static void add_contents(struct graph *g) {
  struct elf_section s;
  for (uint32_t i = (uint32_t)g->sections; i < g->n; i++)
    if (elf_section(&g->elf, g->nodes[i].section, &s) && !(s.flags & SHF_EXECINSTR))
      add_arrow(g, g->nodes[i].section, i);
}

static int by_written(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static bool is_written(const struct graph *g, uint32_t section, uint64_t at) {
  const struct place want = {section, at};
  return g->nwritten && bsearch(&want, g->written, g->nwritten, sizeof want, by_written);
}

static bool add_relocations(struct graph *g) {
  struct elf_section s, of;
  for (size_t i = 1; i < g->sections; i++) {
    if (!elf_section(&g->elf, i, &s))
      return false;
    if (s.type == SHT_REL || (s.type == SHT_RELA && (!s.data || !elf_section(&g->elf, s.info, &of))))
      return false;
    if (s.type != SHT_RELA || !(of.flags & SHF_ALLOC))
      continue;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= s.size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, s.data + at, sizeof r);
      if (!add_relocation(g, s.info, of.flags & SHF_EXECINSTR, &r))
        return false;
      if (of.flags & SHF_EXECINSTR)
        vec_push(g->written, g->nwritten, (struct place){s.info, r.r_offset});
    }
  }
  add_contents(g);
  if (g->nwritten)
    qsort(g->written, g->nwritten, sizeof *g->written, by_written);
  return true;
}

/* If something has its beginning at AT of SECTION, an arrow to it; if what leads there is SURELY a
 * jump, to whatever is there. */
static void add_if_beginning(struct graph *g, uint32_t from, uint32_t section, uint64_t at, bool surely) {
  uint32_t to = node_at(g, section, at);
  if (surely || (to >= g->sections && g->nodes[to].from == at))
    add_arrow(g, from, to);
}

/* Up to 8 bytes at AT, as a number. */
static uint64_t bytes_at(const unsigned char *code, uint64_t at, uint64_t size) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < sizeof n && at + i < size; i++)
    n |= (uint64_t)code[at + i] << 8 * i;
  return n;
}

/* The distance in J, of which these are the bytes. */
static uint64_t distance_of(const struct ckjit_jump *j, uint64_t bytes) {
  uint64_t sign = UINT64_C(1) << (j->bits - 1), distance = bytes >> j->shift & ((sign << 1) - 1);
  return ((distance ^ sign) - sign) * j->scale;
}

/* Adds the arrows that the bytes may mean: distances to places in their own section. */
static void add_jumps(struct graph *g, uint32_t n, const unsigned char *code, uint64_t size) {
  const struct ckjit_leads *leads = &g->machine->leads;
  const struct node node = g->nodes[n];
  for (uint64_t at = node.from + (-node.from % leads->step); at < node.to && at < size; at += leads->step)
    for (const struct ckjit_jump *j = leads->jumps; j < leads->jumps + CKJIT_JUMPS_MAX && j->bits; j++) {
      uint64_t bytes = bytes_at(code, at, size), in = j->shift / 8U;
      bool whole = at + (j->shift + j->bits + 7U) / 8 <= size;
      if (whole && (bytes & j->mask) == j->is && !is_written(g, node.section, at + in))
        add_if_beginning(g, n, node.section, at + j->from + distance_of(j, bytes), leads->step > 1);
    }
}

static bool add_all_jumps(struct graph *g) {
  struct elf_section s;
  for (uint32_t i = (uint32_t)g->sections; i < g->n; i++) {
    if (!elf_section(&g->elf, g->nodes[i].section, &s))
      return false;
    if ((s.flags & SHF_EXECINSTR) && !s.data)
      return false;
    if (s.flags & SHF_EXECINSTR)
      add_jumps(g, i, s.data, s.size);
  }
  return true;
}

/* ---- what is registered ---- */

/* The node of the function NAME; 0, that of no section: there is none. */
static uint32_t function_node(const struct graph *g, const char *name) {
  struct elf_symbol y;
  for (size_t i = 1; i < g->symbols.count; i++)
    if (elf_symbol(&g->symbols, i, &y) && y.section != SHN_UNDEF && y.section < g->sections &&
        strcmp(y.name, name) == 0)
      return node_at(g, y.section, y.value);
  return 0;
}

/* clang's own, which registers */
static uint32_t registration(const struct graph *g) {
  return function_node(g, "__hip_module_ctor");
}

/* The data symbol that R names, if there is one. */
static uint32_t named_data(const struct graph *g, const Elf64_Rela *r) {
  struct elf_symbol y;
  struct elf_section to;
  if (!elf_symbol(&g->symbols, ELF64_R_SYM(r->r_info), &y) || y.section == SHN_UNDEF ||
      !elf_section(&g->elf, y.section, &to) || (to.flags & SHF_EXECINSTR))
    return 0;
  uint32_t node = node_at(g, y.section, y.type == STT_SECTION ? place_of(g, r) : y.value);
  return node >= g->sections ? node : 0;
}

/* HIP knows a kernel or a variable of the device by the address that is registered. A constant of
 * the device, which the host cannot write to either, is in no section that says so. */
static void mark_registered(struct graph *g) {
  const uint32_t by[] = {registration(g), function_node(g, "__hip_register_globals")};
  struct elf_section s;
  for (size_t i = 1; i < g->sections; i++) {
    if (!elf_section(&g->elf, i, &s) || s.type != SHT_RELA)
      continue;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= s.size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, s.data + at, sizeof r);
      uint32_t from = node_at(g, s.info, r.r_offset), to = 0;
      if (from && (from == by[0] || from == by[1]))
        to = named_data(g, &r);
      if (to)
        g->nodes[to].bad = true;
    }
  }
}

/* ---- the answer ---- */

static void spread(struct graph *g) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < g->narrows; i++) {
      struct node *from = &g->nodes[g->arrows[i].from];
      if (!from->bad && g->nodes[g->arrows[i].to].bad)
        more = from->bad = true;
    }
  }
}

/* Other units may call it. */
static bool is_exported(const struct elf_symbol *y) {
  return y->type == STT_FUNC && (y->bind == STB_GLOBAL || y->bind == STB_WEAK) &&
         y->visibility == STV_DEFAULT;
}

static void collect(const struct graph *g, struct hostonly *h) {
  struct elf_symbol y;
  for (size_t i = 1; i < g->symbols.count; i++) {
    elf_symbol(&g->symbols, i, &y);
    if (y.section == SHN_UNDEF && is_hip(y.name)) {
      h->registers |= strcmp(y.name, "__hipRegisterFatBinary") == 0;
    } else if (y.section != SHN_UNDEF && y.section < g->sections && is_exported(&y) && y.size &&
               !g->nodes[node_at(g, y.section, y.value)].bad) {
      argv_add(&h->functions, y.name);
    }
  }
}

/* The graph of OBJECT. False: it is not understood. graph_free in either case. */
static bool graph_make(struct graph *g, const char *object, size_t size) {
  bool done = elf_open(&g->elf, object, size, NULL) && g->elf.type == ET_REL &&
              (g->machine = ckjit_machine_of(g->elf.machine)) && g->machine->leads.step &&
              elf_symtab(&g->elf, SHT_SYMTAB, &g->symbols) && add_nodes(g) && add_relocations(g) &&
              add_all_jumps(g);
  if (done && g->what == BAD_ALL)
    mark_registered(g);
  if (done)
    spread(g);
  return done;
}

static void graph_free(struct graph *g) {
  free(g->nodes);
  free(g->arrows);
  free(g->written);
}

bool hostonly_find(struct hostonly *h, const char *object, size_t size) {
  struct graph g = {0};
  bool done = graph_make(&g, object, size);
  if (done)
    collect(&g, h);
  graph_free(&g);
  return done;
}

/* ---- what begins with the library ---- */

/* Does what is in the section of node N run when the library is loaded? */
static bool runs_when_loaded(const struct graph *g, uint32_t n) {
  struct elf_section s;
  return elf_section(&g->elf, g->nodes[n].section, &s) &&
         (str_starts(s.name, ".init_array") || str_starts(s.name, ".ctors") ||
          str_starts(s.name, ".preinit_array"));
}

/* Does what runs when the library is loaded lead to what is bad, the registration aside? */
static bool begins_badly(const struct graph *g, uint32_t registers) {
  for (size_t i = 0; i < g->narrows; i++)
    if (g->arrows[i].to != registers && g->nodes[g->arrows[i].to].bad &&
        runs_when_loaded(g, g->arrows[i].from))
      return true;
  return false;
}

/* Nothing is to be written into the N bytes at AT of SECTION: the relocations there are made
 * none. */
static void relocate_nothing(const struct graph *g, char *object, uint32_t section, uint64_t at, uint64_t n) {
  struct elf_section s;
  for (size_t i = 1; i < g->sections; i++) {
    if (!elf_section(&g->elf, i, &s) || s.type != SHT_RELA || s.info != section)
      continue;
    for (size_t k = 0; k + sizeof(Elf64_Rela) <= s.size; k += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, s.data + k, sizeof r);
      if (r.r_offset < at || r.r_offset - at >= n)
        continue;
      r.r_info = ELF64_R_INFO(0, NO_RELOCATION);
      memcpy(object + ((const char *)s.data - object) + k, &r, sizeof r);
    }
  }
}

bool hostonly_registers_nothing(char *object, size_t size) {
  struct graph g = {.what = BAD_OUTSIDE};
  struct elf_section s;
  bool done = graph_make(&g, object, size);
  uint32_t registers = done ? registration(&g) : 0;
  done = done && !begins_badly(&g, registers);
  if (done && registers) {
    const struct node *node = &g.nodes[registers];
    const struct ckjit_leads *leads = &g.machine->leads;
    done = registers >= g.sections && elf_section(&g.elf, node->section, &s) && s.data &&
           node->to <= s.size && node->to - node->from >= leads->nothing_size;
    if (done) {
      relocate_nothing(&g, object, node->section, node->from, leads->nothing_size);
      memcpy(object + ((const char *)s.data - object) + node->from, leads->nothing, leads->nothing_size);
    }
  }
  graph_free(&g);
  return done;
}

void hostonly_free(struct hostonly *h) {
  argv_free(&h->functions);
}
