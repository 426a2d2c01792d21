/* nvvmreach.c - what a function of nvcc's bitcode reaches, and which variables kernels or the host
 * may write; see nvvmgraph.h. */
#include "nvvmgraph.h"
#include "core/base/vec.h"

/* Mark all nodes that node I reaches. It uses a work list instead of recursion, because chains of
 * constants may be long. */
static void reach(struct nvvm_graph *g, size_t first, enum nvvm_mark mark, struct argv *needs) {
  autofree uint32_t *open = NULL;
  size_t n = 0;
  if (!(g->nodes[first].marks & mark))
    vec_push(open, n, (uint32_t)first);
  g->nodes[first].marks |= mark;
  while (n) {
    const struct nvvm_node *at = &g->nodes[open[--n]];
    if (needs && at->name && !at->defined)
      argv_add(needs, at->name);
    for (size_t i = 0; i < at->nrefs; i++)
      if (!(g->nodes[at->refs[i]].marks & mark)) {
        g->nodes[at->refs[i]].marks |= mark;
        vec_push(open, n, at->refs[i]);
      }
  }
}

/* Unused variables stay in a link, and the values that they name must exist: otherwise ptxas fails
 * with 'cannot take address of function'. The compiler's own are dropped. */
static void reach_variables(struct nvvm_graph *g, struct argv *needs) {
  for (size_t i = 0; i < g->globals; i++)
    if (g->nodes[i].what == NVVM_VARIABLE && g->nodes[i].defined &&
        !nvvm_is_compilers(g->nodes[i].name))
      reach(g, i, NVVM_LINKED, needs);
}

bool nvvm_graph_reach(struct nvvm_graph *g, const char *name, struct argv *needs) {
  for (size_t i = 0; i < g->globals; i++)
    if (strcmp(g->nodes[i].name, name) == 0 && g->nodes[i].defined) {
      reach(g, i, NVVM_USED, NULL);
      reach(g, i, NVVM_LINKED, needs);
      reach_variables(g, needs);
      return true;
    }
  return false;
}

bool nvvm_graph_uses(const struct nvvm_graph *g, const char *name) {
  bool uses = false;
  for (size_t i = 0; i < g->globals; i++)
    uses |= g->nodes[i].what == NVVM_VARIABLE && g->nodes[i].marks & NVVM_USED &&
            strcmp(g->nodes[i].name, name) == 0;
  return uses;
}

bool nvvm_graph_leading(const struct nvvm_graph *g, bool (*is)(const char *name),
                        struct argv *names) {
  autofree bool *leads = xcalloc(g->n + 1, sizeof *leads);
  bool variable = false, more = true;
  for (size_t i = 0; i < g->globals; i++)
    leads[i] = !g->nodes[i].defined && is(g->nodes[i].name);
  while (more) {
    more = false;
    for (size_t i = g->n; i-- > 0;)
      for (size_t k = 0; !leads[i] && k < g->nodes[i].nrefs; k++)
        more |= leads[i] = leads[g->nodes[i].refs[k]];
  }
  for (size_t i = 0; i < g->globals; i++)
    if (leads[i] && g->nodes[i].defined && g->nodes[i].what == NVVM_FUNCTION)
      argv_add(names, g->nodes[i].name);
    else
      variable |= leads[i] && g->nodes[i].defined && !nvvm_is_compilers(g->nodes[i].name);
  return !variable;
}

bool nvvm_graph_calls(const struct nvvm_graph *g, bool all) {
  bool calls = !g->n;
  for (size_t i = 0; i < g->globals; i++)
    calls |= g->nodes[i].calls && (all || g->nodes[i].marks & NVVM_USED);
  return calls;
}

bool nvvm_graph_uses_unnamed(struct nvvm_graph *g) {
  for (size_t i = 0; i < g->globals; i++)
    if (g->nodes[i].what == NVVM_FUNCTION)
      reach(g, i, NVVM_USED, NULL);
  bool used = false;
  for (size_t i = 0; i < g->globals; i++)
    used |= g->nodes[i].what == NVVM_VARIABLE && g->nodes[i].defined && !g->nodes[i].fixed &&
            g->nodes[i].marks & NVVM_USED && !*g->nodes[i].name;
  return used;
}

/* ---- variables that kernels or the host may write ---- */

/* NAME without nvcc's prefix of names with internal linkage in a unit with -rdc=true:
 * __nv_static_22_MODULE_, where MODULE has 22 characters. */
static const char *without_module(const char *name) {
  static const char begin[] = "__nv_static_";
  if (!str_starts(name, begin))
    return name;
  char *end;
  unsigned long n = strtoul(name + sizeof begin - 1, &end, 10);
  return n < strlen(end) && end[0] == '_' && end[n + 1] == '_' ? end + n + 2 : name;
}

/* The name of a variable in its source, from the mangled NAME: x of _ZN2ns1xE, _ZL1x and x. *LEN 0:
 * it is more than a name in namespaces. */
static const char *source_name(const char *name, size_t *len) {
  name = without_module(name);
  *len = 0;
  if (!str_starts(name, "_Z")) {
    *len = strlen(name);
    return name;
  }
  const char *p = name + 2, *last = p;
  bool nested = *p == 'N';
  unsigned long n = 0;
  for (p += nested; p += *p == 'L', *p >= '1' && *p <= '9'; p += n) {
    char *end;
    n = strtoul(p, &end, 10);
    p = last = end;
    if (n > strlen(p))
      return name;
  }
  if (strcmp(p, nested ? "E" : "") == 0)
    *len = n;
  return last;
}

bool nvvm_graph_is_device_only(const char *name, const struct argv *device_only) {
  size_t len;
  const char *own = source_name(name, &len);
  bool is = !device_only;
  for (size_t i = 0; len && !is && i < device_only->n; i++)
    is = strlen(device_only->args[i]) == len && memcmp(device_only->args[i], own, len) == 0;
  return is;
}

/* Does no function write the variable NAME? */
static bool is_read_only(const struct nvvm_graph *g, const char *name) {
  bool found = false, written = false;
  for (size_t i = 0; i < g->globals; i++)
    if (g->nodes[i].what == NVVM_VARIABLE && strcmp(g->nodes[i].name, name) == 0) {
      found = true;
      written |= (g->nodes[i].marks & NVVM_WRITTEN) != 0;
    }
  return found && !written;
}

/* Sort the variables of F anew: those that nobody writes are fixed. Nameless ones count only if a
 * function reaches them. */
static void sort_variables(struct nvvm_facts *f, struct nvvm_graph *g,
                           const struct argv *device_only) {
  struct argv kept = {0};
  size_t internal = 0;
  bool unnamed = nvvm_graph_uses_unnamed(g);
  for (size_t i = 0; i < f->variables.n; i++) {
    const char *name = f->variables.args[i];
    bool fixed = *name && nvvm_graph_is_device_only(name, device_only) && is_read_only(g, name);
    if (fixed && i >= f->internal_variables)
      argv_add(&f->fixed, name);
    if (fixed || (!*name && !unnamed))
      continue;
    internal += i < f->internal_variables;
    argv_add(&kept, name);
  }
  argv_free(&f->variables);
  f->variables = kept;
  f->internal_variables = internal;
}

bool nvvm_graph_facts(void *bytes, size_t n, const struct argv *device_only,
                      struct nvvm_facts *facts, const char **why) {
  if (!nvvm_keep(bytes, n, NULL, true, facts, why))
    return false;
  struct nvvm_graph g = {0};
  const char *unread;
  if (facts->variables.n && nvvm_graph_read(&g, bytes, n, &unread))
    sort_variables(facts, &g, device_only);
  nvvm_graph_free(&g);
  return true;
}
