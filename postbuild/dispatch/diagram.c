/* diagram.c - see diagram.h. A list of rows is an array of items; what is left of a row's
 * conditions is a linked list that is made once for each content (cons), so that items compare as
 * numbers and an array of them is its own key. The diagram is built depth first: a node is numbered
 * when its list of items is first met, and its edges are what is left of the list for each answer.
 */
#include "diagram.h"

#include "core/base/intern.h"
#include "core/base/vec.h"

/* ---- what is left of a row's conditions ---- */

/* Lists of (variable, answers allowed), each distinct one once: 0 is the empty list, N the one that
 * begins with needs[N - 1]. */
struct need {
  uint16_t variable;
  uint64_t allowed;
  uint32_t next;
};

/* The remainder of row FIRST + delta. */
struct item {
  uint32_t delta, needs, nothing;
};

struct edge {
  uint32_t node; /* NONE, FOUND or a node's number */
  uint32_t weight;
};

enum { NONE = UINT32_MAX, FOUND = UINT32_MAX - 1 };

struct node {
  uint16_t variable;
  struct edge *edges; /* one for each answer, "other" last */
};

struct diagram {
  const struct atoms *a;
  struct need *needs;
  size_t nneeds;
  struct node *nodes;
  size_t nnodes;
  /* numbers of needs, and of lists of items */
  struct intern need_index, node_index;
  size_t limit; /* of nodes */
  bool full;
};

static uint32_t cons(struct diagram *d, uint16_t variable, uint64_t allowed, uint32_t next) {
  unsigned char key[14];
  memcpy(key, &variable, 2);
  memcpy(key + 2, &allowed, 8);
  memcpy(key + 10, &next, 4);
  size_t i = intern_bytes(&d->need_index, key, sizeof key);
  if (i == d->nneeds)
    vec_push(d->needs, d->nneeds, (struct need){variable, allowed, next});
  return (uint32_t)i + 1;
}

/* A row's atoms as needs; those of one variable together, where its first stands. */
static uint32_t needs_of(struct diagram *d, const struct diagram_row *row) {
  uint32_t list = 0;
  for (size_t i = row->n; i-- > 0;) {
    const struct atom *at = &d->a->all[row->atoms[i]];
    bool first = true;
    uint64_t allowed = UINT64_MAX;
    for (size_t k = 0; k < row->n; k++) {
      if (d->a->all[row->atoms[k]].variable != at->variable)
        continue;
      first = first && k >= i;
      allowed &= d->a->all[row->atoms[k]].allowed;
    }
    if (first)
      list = cons(d, at->variable, allowed, list);
  }
  return list;
}

/* LIST once VARIABLE has answered ANSWER; NONE if it does not hold then */
static uint32_t restricted(struct diagram *d, uint32_t list, uint16_t variable, unsigned answer) {
  if (!list)
    return 0;
  struct need n = d->needs[list - 1];
  if (n.variable == variable)
    return n.allowed >> answer & 1 ? n.next : NONE;
  uint32_t next = restricted(d, n.next, variable, answer);
  if (next == NONE || next == n.next)
    return next == NONE ? NONE : list;
  return cons(d, n.variable, n.allowed, next);
}

/* ---- nodes ---- */

static unsigned answers(const struct diagram *d, uint16_t variable) {
  return (unsigned)d->a->variables[variable].tests.n + 1;
}

/* the bit of answer I, "other" being the last */
static unsigned bit_of(const struct diagram *d, uint16_t variable, unsigned i) {
  return i + 1 == answers(d, variable) ? ATOM_OTHER : i;
}

/* The edge to the diagram of ITEMS, the distance to their first row included. */
static struct edge build(struct diagram *d, const struct item *items, size_t n) {
  if (!n)
    return (struct edge){NONE, 0};
  uint32_t base = items[0].delta;
  if (!items[0].needs)
    return items[0].nothing ? (struct edge){NONE, 0} : (struct edge){FOUND, base};
  autofree struct item *key = xmalloc(n * sizeof *key);
  for (size_t i = 0; i < n; i++)
    key[i] = (struct item){items[i].delta - base, items[i].needs, items[i].nothing};
  size_t known = d->node_index.texts.n, self = intern_bytes(&d->node_index, key, n * sizeof *key);
  if (self != known || self >= d->limit) {
    d->full |= self >= d->limit;
    return (struct edge){(uint32_t)self, base};
  }
  uint16_t v = d->needs[key[0].needs - 1].variable;
  unsigned count = answers(d, v);
  struct edge *edges = xcalloc(count, sizeof *edges);
  vec_push(d->nodes, d->nnodes, (struct node){v, edges});
  autofree struct item *left = xmalloc(n * sizeof *left);
  for (unsigned k = 0; k < count && !d->full; k++) {
    size_t m = 0;
    for (size_t i = 0; i < n && !(m && !left[m - 1].needs); i++) {
      uint32_t needs = restricted(d, key[i].needs, v, bit_of(d, v, k));
      if (needs != NONE)
        left[m++] = (struct item){key[i].delta, needs, key[i].nothing};
    }
    edges[k] = build(d, left, m);
  }
  return (struct edge){(uint32_t)self, base};
}

/* ---- code ---- */

static void put_go(struct buf *out, const char *prefix, struct edge e) {
  if (e.weight && e.node != NONE)
    buf_printf(out, "ckjit_row += %u; ", e.weight);
  if (e.node == NONE)
    buf_printf(out, "goto %s_none;", prefix);
  else if (e.node == FOUND)
    buf_printf(out, "goto %s_found;", prefix);
  else
    buf_printf(out, "goto %s_%u;", prefix, e.node);
}

static bool same_edge(struct edge a, struct edge b) {
  return a.node == b.node && a.weight == b.weight;
}

/* The answers that lead elsewhere than "other" does, each edge once. */
static void put_node(struct buf *out, const char *prefix, const struct diagram *d, const struct node *n) {
  const struct atom_variable *v = &d->a->variables[n->variable];
  struct edge other = n->edges[v->tests.n];
  for (size_t k = 0; k < v->tests.n; k++) {
    bool done = same_edge(n->edges[k], other);
    for (size_t j = 0; j < k; j++)
      done |= same_edge(n->edges[j], n->edges[k]);
    if (done)
      continue;
    buf_puts(out, "if (");
    const char *sep = "";
    for (size_t j = k; j < v->tests.n; j++)
      if (same_edge(n->edges[j], n->edges[k])) {
        buf_printf(out, "%s(%s)", sep, v->tests.args[j]);
        sep = " || ";
      }
    buf_puts(out, ") { ");
    put_go(out, prefix, n->edges[k]);
    buf_puts(out, " }\n");
  }
  put_go(out, prefix, other);
  buf_putc(out, '\n');
}

static void put_code(struct buf *out, const char *prefix, const struct diagram *d, struct edge root) {
  for (size_t i = 0; i < d->a->nvariables; i++) {
    const struct argv *c = &d->a->variables[i].constants;
    for (size_t k = 1; k < c->n; k++)
      for (size_t j = 0; j < k; j++)
        buf_printf(out, "static_assert((%s) != (%s), \"\");\n", c->args[j], c->args[k]);
  }
  put_go(out, prefix, root);
  buf_putc(out, '\n');
  for (size_t i = 0; i < d->nnodes; i++) {
    buf_printf(out, "%s_%zu:\n", prefix, i);
    put_node(out, prefix, d, &d->nodes[i]);
  }
}

bool diagram_write(struct buf *out, const char *prefix, const struct atoms *a, const struct diagram_row *rows,
                   size_t n) {
  enum { NODES_FREE = 256 };
  struct diagram d = {.a = a, .limit = n / 2 + NODES_FREE};
  autofree struct item *items = xmalloc(n * sizeof *items);
  for (size_t i = 0; i < n; i++)
    items[i] = (struct item){(uint32_t)i, needs_of(&d, &rows[i]), rows[i].nothing};
  size_t m = 0; /* No row after a row without conditions is ever reached. */
  while (m < n && items[m].needs)
    m++;
  struct edge root = build(&d, items, m < n ? m + 1 : n);
  if (!d.full)
    put_code(out, prefix, &d, root);
  for (size_t i = 0; i < d.nnodes; i++)
    free(d.nodes[i].edges);
  free(d.nodes);
  free(d.needs);
  intern_free(&d.need_index);
  intern_free(&d.node_index);
  return !d.full;
}
