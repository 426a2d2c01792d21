/* nvvmgraph.c - see nvvmgraph.h.
 *
 *     module block     TYPE: which types are functions, and their results; a record for each
 *                      global; CONSTANTS
 *       function block   in the order of the defined functions: its own CONSTANTS, a record for
 *                        each instruction
 *     string table     the names of globals
 *
 * Values are numbered: globals, constants of the module; then for each function anew its arguments,
 * constants and instructions.
 */
#include "nvvmgraph.h"
#include "bitstream.h"
#include "core/base/vec.h"

/* Numbers of the format: blocks, records of the module, of types, of constants, of functions. */
enum {
  MODULE_BLOCK = 8,
  CONSTANTS_BLOCK = 11,
  FUNCTION_BLOCK = 12,
  TYPE_BLOCK = 17,
  STRTAB_BLOCK = 23
};
enum {
  MODULE_GLOBALVAR = 7,
  MODULE_FUNCTION = 8,
  MODULE_ALIAS = 14,
  MODULE_IFUNC = 15,
  STRTAB_BLOB = 1
};
enum {
  TYPE_NUMENTRY = 1,
  TYPE_VOID = 2,
  TYPE_METADATA = 16,
  TYPE_STRUCT_NAME = 19,
  TYPE_FUNCTION = 21
};
enum {
  CST_SETTYPE = 1,
  CST_AGGREGATE = 7,
  CST_BINOP = 10,
  CST_CAST = 11,
  CST_GEP = 12,
  CST_SELECT = 13,
  CST_EXTRACT = 14,
  CST_INSERT = 15,
  CST_SHUFFLE = 16,
  CST_CMP = 17,
  CST_SHUFFLE_EX = 19,
  CST_INBOUNDS_GEP = 20,
  CST_BLOCKADDRESS = 21,
  CST_GEP_INRANGE = 24,
  CST_UNOP = 25,
  CST_POISON = 26,
  /* in four versions: 18, 23, 28 and this */
  CST_INLINEASM = 30,
  /* of LLVM 20, which CUDA 13 writes for sm_120 */
  CST_GEP_20 = 32,
};
enum {
  DECLAREBLOCKS = 1,
  BINOP = 2,
  CAST = 3,
  EXTRACTELT = 6,
  INSERTELT = 7,
  SHUFFLEVEC = 8,
  CMP = 9,
  RET = 10,
  BR = 11,
  SWITCH = 12,
  UNREACHABLE = 15,
  PHI = 16,
  ALLOCA = 19,
  LOAD = 20,
  VAARG = 23,
  EXTRACTVAL = 26,
  INSERTVAL = 27,
  CMP2 = 28,
  VSELECT = 29,
  DEBUG_LOC_AGAIN = 33,
  CALL = 34,
  DEBUG_LOC = 35,
  FENCE = 36,
  CMPXCHG_OLD = 37,
  ATOMICRMW_OLD = 38,
  LOADATOMIC = 41,
  GEP = 43,
  STORE = 44,
  STOREATOMIC = 45,
  CMPXCHG = 46,
  OPERAND_BUNDLE = 55,
  UNOP = 56,
  FREEZE = 58,
  ATOMICRMW = 59,
};

struct type {
  bool is_void, is_metadata, is_function;
  uint64_t returns;
  uint32_t *parameters;
  size_t n;
};

struct graph_reader {
  struct nvvm_graph *g;
  struct type *types;
  size_t ntypes;
  /* the globals are complete, and numbered before all constants */
  bool sealed;
  /* the number of the next global whose body may follow */
  size_t body;
  struct nvvm_node *f; /* whose body is read; NULL: none */
  uint64_t next;       /* the number of its next value */
  /* its own constants begin and end: an inline assembly, which is called, is one */
  uint64_t constants, made;
  /* for each value of F: 1 + the number of the value that it is an address in; 0: unknown */
  uint32_t *leads;
  size_t nleads;
  /* the values of F that are used other than for reading from them */
  uint32_t *taken;
  size_t ntaken;
  /* the next operand is an address that is read, or becomes another */
  bool reads;
  uint64_t source; /* that operand is this value */
  /* for each value of the module: the last function that names it, so that it is noted once */
  uint64_t *stamps;
  uint64_t strtab, strtab_size;
  const char *why;
};

static void give_up(struct graph_reader *r, const char *why) {
  r->why = r->why ? r->why : why;
}

static const char *const damaged = "a body of an unknown form";

/* ---- types ---- */

static void note_type(const struct bitstream_record *in, void *user) {
  struct graph_reader *r = user;
  if (in->code == TYPE_NUMENTRY || in->code == TYPE_STRUCT_NAME)
    return;
  struct type *t = vec_add(r->types, r->ntypes);
  t->is_void = in->code == TYPE_VOID;
  t->is_metadata = in->code == TYPE_METADATA;
  t->is_function = in->code == TYPE_FUNCTION;
  if (!t->is_function) /* [is vararg, returned, parameter…] */
    return;
  if (in->n < 2) {
    give_up(r, damaged);
    return;
  }
  t->returns = in->values[1];
  for (size_t i = 2; i < in->n; i++)
    vec_push(t->parameters, t->n, (uint32_t)in->values[i]);
}

static const struct type *type_of(struct graph_reader *r, uint64_t i) {
  static const struct type none;
  if (i < r->ntypes)
    return &r->types[i];
  give_up(r, damaged);
  return &none;
}

/* ---- the module ---- */

static void add_ref(struct nvvm_node *n, uint64_t to) {
  vec_push(n->refs, n->nrefs, (uint32_t)to);
}

static void note_global(const struct bitstream_record *in, void *user) {
  struct graph_reader *r = user;
  bool variable = in->code == MODULE_GLOBALVAR, function = in->code == MODULE_FUNCTION;
  if (!variable && !function && in->code != MODULE_ALIAS && in->code != MODULE_IFUNC)
    return;
  if (in->n < 6 || r->sealed) {
    give_up(r, "a global of an unknown form");
    return;
  }
  /* A variable [name, size, type, flags, initialiser + 1 or 0, …], a function [name, size, type,
   * convention, is declared, …], another name [name, size, type, space, of what, …]. */
  struct nvvm_node *n = vec_add(r->g->nodes, r->g->n);
  n->what = variable ? NVVM_VARIABLE : function ? NVVM_FUNCTION : NVVM_ALIAS;
  n->offset = in->values[0];
  n->size = in->values[1];
  n->type = in->values[2];
  n->fixed = variable && in->values[3] & 1;
  n->defined = variable ? in->values[4] != 0 : function ? !in->values[4] : true;
  if (variable && n->defined)
    add_ref(n, in->values[4] - 1);
  else if (!variable && !function)
    add_ref(n, in->values[4]);
}

/* A constant names its parts by numbers that may come later. N begins at the first operand that is
 * a value. */
static void constant_refs(const struct bitstream_record *in, struct nvvm_node *n,
                          struct graph_reader *r) {
  const uint64_t *v = in->values;
  size_t from = 0, to = in->n, step = 1;
  switch (in->code) {
  case CST_AGGREGATE:
  case CST_SELECT:
  case CST_EXTRACT:
  case CST_INSERT:
  case CST_SHUFFLE:
  case CST_SHUFFLE_EX:
  case CST_BLOCKADDRESS:
    break; /* this counts types among these as values, so it names too many */
  case CST_UNOP:
  case CST_BINOP: /* [operator, value…, flags] */
    from = 1;
    to = to < 3 ? to : in->code == CST_UNOP ? 2 : 3;
    break;
  case CST_CAST: /* [operator, type, value] */
    from = 2;
    to = to < 3 ? to : 3;
    break;
  case CST_CMP: /* [type, value, value, predicate] */
    from = 1;
    to = to < 3 ? to : 3;
    break;
  case CST_GEP:
  case CST_INBOUNDS_GEP:
  case CST_GEP_INRANGE:
  case CST_GEP_20: /* [type, type, value, type, value, …], with flags after the first in some */
    from = 2 + (in->n + 1) % 2;
    step = 2;
    break;
  default:
    if (in->code > CST_INLINEASM || in->code == 27 || in->code == 29)
      give_up(r, "a constant of an unknown form");
    return;
  }
  for (size_t i = from; i < to; i += step)
    add_ref(n, v[i]);
}

/* Is it an address inside the first value that it names? */
static bool constant_leads(const struct bitstream_record *in) {
  return in->code == CST_CAST || in->code == CST_GEP || in->code == CST_INBOUNDS_GEP ||
         in->code == CST_GEP_INRANGE || in->code == CST_GEP_20;
}

static void note_constant(const struct bitstream_record *in, void *user) {
  struct graph_reader *r = user;
  if (in->code == CST_SETTYPE)
    return;
  struct nvvm_node *n = vec_add(r->g->nodes, r->g->n);
  constant_refs(in, n, r);
  n->leads = constant_leads(in);
}

/* ---- written variables ---- */

/* Value ID of the function is used other than for reading from it. */
static void take(struct graph_reader *r, uint64_t id) {
  const struct nvvm_graph *g = r->g;
  bool plain = id < g->n ? g->nodes[id].what == NVVM_FUNCTION ||
                               (g->nodes[id].what == NVVM_CONSTANT && !g->nodes[id].nrefs)
                         : id < r->next && id - g->n < r->nleads && !r->leads[id - g->n];
  if (!plain)
    vec_push(r->taken, r->ntaken, (uint32_t)id);
}

/* The function has another value, an address inside value LEADS - 1; 0: not an address that is
 * followed. */
static void make_value(struct graph_reader *r, uint64_t leads) {
  while (r->nleads < r->next - r->g->n)
    vec_push(r->leads, r->nleads, 0);
  vec_push(r->leads, r->nleads, (uint32_t)leads);
  r->next++;
}

/* Mark the variables that value ID may be an address in as written: through all names in
 * constants. */
static void mark_written(struct graph_reader *r, uint64_t id) {
  struct nvvm_graph *g = r->g;
  autofree uint32_t *open = NULL;
  size_t n = 0, hops = 0;
  vec_push(open, n, (uint32_t)id);
  while (n) {
    uint64_t i = open[--n];
    if (i >= g->n) {
      uint32_t to = i - g->n < r->nleads ? r->leads[i - g->n] : 0;
      if (to && hops++ > r->nleads) /* a cycle */
        give_up(r, damaged);
      else if (to)
        vec_push(open, n, to - 1);
    } else if (!(g->nodes[i].marks & NVVM_WRITTEN)) {
      struct nvvm_node *at = &g->nodes[i];
      at->marks |= NVVM_WRITTEN;
      for (size_t k = 0; at->what != NVVM_VARIABLE && at->what != NVVM_FUNCTION && k < at->nrefs;
           k++)
        vec_push(open, n, at->refs[k]);
    }
  }
}

/* The end of a body. */
static void end_body(struct graph_reader *r) {
  for (size_t i = 0; i < r->ntaken && !r->why; i++)
    mark_written(r, r->taken[i]);
  r->ntaken = r->nleads = 0;
}

/* ---- a body ---- */

static void name_value(struct graph_reader *r, uint64_t id) {
  size_t f = (size_t)(r->f - r->g->nodes) + 1;
  if (id < r->g->n && r->stamps[id] != f) {
    r->stamps[id] = f;
    add_ref(r->f, id);
  }
}

/* A function's own constants exist because it names them. */
static void note_own_constant(const struct bitstream_record *in, void *user) {
  struct graph_reader *r = user;
  struct nvvm_node constant = {0};
  if (in->code == CST_SETTYPE)
    return;
  constant_refs(in, &constant, r);
  bool leads = constant_leads(in) && constant.nrefs;
  for (size_t i = 0; i < constant.nrefs; i++) {
    name_value(r, constant.refs[i]);
    if (!leads || i)
      vec_push(r->taken, r->ntaken, constant.refs[i]); /* it may come later */
  }
  make_value(r, leads ? (uint64_t)constant.refs[0] + 1 : 0);
  r->made = r->next;
  free(constant.refs);
}

/* The operand at *AT; with TYPED its type follows if it is defined later. */
static uint64_t take_value(struct graph_reader *r, const struct bitstream_record *in, size_t *at,
                           bool typed) {
  if (*at >= in->n) {
    give_up(r, damaged);
    return UINT64_MAX;
  }
  uint64_t id = (uint32_t)(r->next - in->values[(*at)++]);
  if (typed && id >= r->next)
    ++*at;
  name_value(r, id);
  if (r->reads)
    r->source = id;
  else
    take(r, id);
  r->reads = false;
  return id;
}

/* FORM describes the operands from AT on: v a value, V one with a type, . something else, * repeats
 * the last. */
static void take_form(struct graph_reader *r, const struct bitstream_record *in, size_t at,
                      const char *form) {
  for (const char *p = form; *p && !r->why; p++) {
    if (*p == '*' && at < in->n)
      p -= 2;
    else if (*p == 'v' || *p == 'V')
      (void)take_value(r, in, &at, *p == 'V');
    else if (*p == '.')
      at++;
  }
}

/* [attributes, convention and flags, fast-math flags?, type, callee, argument…] */
static void take_call(struct graph_reader *r, const struct bitstream_record *in) {
  enum { HAS_TYPE = 15, HAS_FLAGS = 17 };
  if (in->n < 4 || !(in->values[1] >> HAS_TYPE & 1)) {
    give_up(r, "a call does not say its type");
    return;
  }
  size_t at = 2 + (in->values[1] >> HAS_FLAGS & 1);
  uint64_t id = in->values[at++];
  const struct type *t = type_of(r, id);
  uint64_t callee = take_value(r, in, &at, true);
  const struct nvvm_node *n = callee < r->g->globals ? &r->g->nodes[callee] : NULL;
  r->f->calls |= callee >= r->g->n && (callee < r->constants || callee >= r->made);
  if (!t->is_function ||
      (n && (n->what == NVVM_VARIABLE || (n->what == NVVM_FUNCTION && n->type != id))))
    give_up(r, "a call names what is no function of its type");
  for (size_t i = 0; i < t->n && !r->why; i++) {
    if (type_of(r, t->parameters[i])->is_metadata)
      at++;
    else
      (void)take_value(r, in, &at, false);
  }
  while (at < in->n && !r->why) /* of a function with a variable number */
    (void)take_value(r, in, &at, true);
  if (!type_of(r, t->returns)->is_void)
    make_value(r, 0);
}

/* [type, value, block, value, block, …]: the lowest bit of a value is its sign. */
static void take_phi(struct graph_reader *r, const struct bitstream_record *in) {
  for (size_t i = 1; i + 1 < in->n; i += 2) {
    uint64_t v = in->values[i];
    uint32_t id = (uint32_t)(v & 1 ? r->next + (v >> 1) : r->next - (v >> 1));
    name_value(r, id);
    take(r, id);
  }
  make_value(r, 0);
}

static void note_instruction(const struct bitstream_record *in, void *user) {
  static const struct {
    uint8_t code, makes;
    const char *form;
  } known[] = {
      {DECLAREBLOCKS, 0, ""},   {BINOP, 1, "Vv"},        {CAST, 1, "V"},
      {EXTRACTELT, 1, "VV"},    {INSERTELT, 1, "VvV"},   {SHUFFLEVEC, 1, "VvV"},
      {CMP, 1, "Vv"},           {UNREACHABLE, 0, ""},    {SWITCH, 0, ".v"},
      {ALLOCA, 1, ""},          {LOAD, 1, "V"},          {VAARG, 1, ".v"},
      {EXTRACTVAL, 1, "V"},     {INSERTVAL, 1, "VV"},    {CMP2, 1, "Vv"},
      {VSELECT, 1, "VvV"},      {FENCE, 0, ""},          {DEBUG_LOC_AGAIN, 0, ""},
      {DEBUG_LOC, 0, ""},       {CMPXCHG_OLD, 1, "VVv"}, {LOADATOMIC, 1, "V"},
      {ATOMICRMW_OLD, 1, "Vv"}, {GEP, 1, "..V*"},        {STORE, 0, "VV"},
      {STOREATOMIC, 0, "VV"},   {CMPXCHG, 1, "VVv"},     {OPERAND_BUNDLE, 0, ".V*"},
      {UNOP, 1, "V"},           {FREEZE, 1, "V"},        {ATOMICRMW, 1, "VV"},
  };
  struct graph_reader *r = user;
  if (r->why)
    return;
  if (in->code == CALL) {
    take_call(r, in);
  } else if (in->code == PHI) {
    take_phi(r, in);
  } else if (in->code == RET) {
    take_form(r, in, 0, in->n ? "V" : "");
  } else if (in->code == BR) {
    take_form(r, in, 2, in->n == 3 ? "v" : "");
  } else {
    size_t i = 0;
    while (i < sizeof known / sizeof *known && known[i].code != in->code)
      i++;
    if (i == sizeof known / sizeof *known) {
      give_up(r, "a body with an unknown instruction");
      return;
    }
    bool leads = in->code == CAST || in->code == GEP;
    r->reads = leads || in->code == LOAD;
    take_form(r, in, 0, known[i].form);
    r->reads = false;
    if (known[i].makes)
      make_value(r, leads ? r->source + 1 : 0);
  }
}

static void read_in_body(struct bitstream *s, const struct bitstream_block *b, void *user) {
  if (b->id == CONSTANTS_BLOCK)
    bitstream_blocks(s, b, note_own_constant, NULL, user);
}

/* All globals and constants of the module come before the first body. */
static void seal(struct graph_reader *r) {
  if (!r->stamps)
    r->stamps = xcalloc(r->g->n + 1, sizeof *r->stamps);
}

static void read_body(struct graph_reader *r, struct bitstream *s,
                      const struct bitstream_block *b) {
  struct nvvm_graph *g = r->g;
  while (r->body < g->globals &&
         !(g->nodes[r->body].what == NVVM_FUNCTION && g->nodes[r->body].defined))
    r->body++;
  if (r->body == g->globals) {
    give_up(r, "there are more bodies than functions");
    return;
  }
  seal(r);
  r->f = &g->nodes[r->body++];
  const struct type *t = type_of(r, r->f->type);
  if (!t->is_function)
    give_up(r, "a function has not the type of one");
  r->next = r->constants = r->made = g->n + t->n;
  bitstream_blocks(s, b, note_instruction, read_in_body, r);
  end_body(r);
}

static void read_in_module(struct bitstream *s, const struct bitstream_block *b, void *user) {
  struct graph_reader *r = user;
  if (r->why)
    return;
  if (b->id == TYPE_BLOCK) {
    bitstream_blocks(s, b, note_type, NULL, r);
  } else if (b->id == CONSTANTS_BLOCK && !r->stamps) {
    if (!r->sealed)
      r->g->globals = r->g->n;
    r->sealed = true;
    bitstream_blocks(s, b, note_constant, NULL, r);
  } else if (b->id == CONSTANTS_BLOCK) {
    give_up(r, "constants of the module are behind a body");
  } else if (b->id == FUNCTION_BLOCK) {
    if (!r->sealed)
      r->g->globals = r->g->n;
    r->sealed = true;
    read_body(r, s, b);
  }
}

static void note_strings(const struct bitstream_record *in, void *user) {
  struct graph_reader *r = user;
  if (in->code == STRTAB_BLOB) {
    r->strtab = in->blob;
    r->strtab_size = in->blob_size;
  }
}

/* ---- the whole module ---- */

static void take_names(struct graph_reader *r, const char *bytes) {
  for (size_t i = 0; i < r->g->globals && !r->why; i++) {
    struct nvvm_node *n = &r->g->nodes[i];
    if (n->offset > r->strtab_size || n->size > r->strtab_size - n->offset)
      give_up(r, "a name is outside of the table of names");
    else
      n->name = xstrndup(bytes + r->strtab + n->offset, n->size);
  }
}

static void check_refs(struct graph_reader *r) {
  for (size_t i = 0; i < r->g->n; i++)
    for (size_t k = 0; k < r->g->nodes[i].nrefs; k++)
      if (r->g->nodes[i].refs[k] >= r->g->n)
        r->g->nodes[i].refs[k] =
            (uint32_t)i; /* a type that was taken for a value: itself, which means nothing */
}

static void check_bodies(struct graph_reader *r) {
  for (; r->body < r->g->globals; r->body++)
    if (r->g->nodes[r->body].what == NVVM_FUNCTION && r->g->nodes[r->body].defined)
      give_up(r, "a function has no body");
}

/* Variables named in the initial value of another variable may be written through that. llvm.used
 * and the like only keep the values that they name. */
static void mark_named_by_variables(struct graph_reader *r) {
  for (size_t i = 0; i < r->g->globals && !r->why; i++) {
    const struct nvvm_node *n = &r->g->nodes[i];
    for (size_t k = 0; n->what == NVVM_VARIABLE && !nvvm_is_compilers(n->name) && k < n->nrefs; k++)
      mark_written(r, n->refs[k]);
  }
}

bool nvvm_graph_read(struct nvvm_graph *g, const void *bytes, size_t n, const char **why) {
  struct bitstream s;
  struct bitstream_block b;
  *g = (struct nvvm_graph){0};
  struct graph_reader r = {.g = g};
  if (!bitstream_open(&s, bytes, n)) {
    *why = "it is not LLVM bitcode";
    return false;
  }
  while (bitstream_next(&s, &b)) {
    if (b.id == MODULE_BLOCK)
      bitstream_blocks(&s, &b, note_global, read_in_module, &r);
    else if (b.id == STRTAB_BLOCK)
      bitstream_records(&s, &b, note_strings, &r);
    s.at = b.end;
  }
  if (!r.sealed)
    g->globals = g->n;
  if (s.bad || !g->n || !r.strtab)
    give_up(&r, "it is damaged, or of an unknown form");
  check_bodies(&r);
  take_names(&r, bytes);
  check_refs(&r);
  mark_named_by_variables(&r);
  bitstream_close(&s);
  for (size_t i = 0; i < r.ntypes; i++)
    free(r.types[i].parameters);
  free(r.types);
  free(r.stamps);
  free(r.leads);
  free(r.taken);
  *why = r.why;
  return !r.why;
}

void nvvm_graph_free(struct nvvm_graph *g) {
  for (size_t i = 0; i < g->n; i++) {
    free(g->nodes[i].name);
    free(g->nodes[i].refs);
  }
  free(g->nodes);
  *g = (struct nvvm_graph){0};
}
