#include "diagram.h"

#include "abi/ck_jit_abi.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is left of a row's conditions
 * ------------------------------------------------------------------------ */

/* Lists of (variable, answers allowed), each distinct one once: 0 is the empty list. */
struct need {
  uint16_t variable;
  uint64_t allowed;
  uint32_t next;
};

/* What is left of row FIRST + delta. */
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

/* Numbers for byte strings: of needs, and of lists of items. */
struct index {
  uint32_t *buckets; /* number + 1 */
  size_t nbuckets, n;
  const unsigned char **keys;
  size_t *lengths;
};

struct diagram {
  const struct atoms *a;
  struct need *needs;
  struct index need_index, node_index;
  struct node *nodes;
  size_t limit; /* of nodes */
  bool full;
};

static void rehash(struct index *x) {
  x->nbuckets = x->nbuckets ? 2 * x->nbuckets : 256;
  free(x->buckets);
  x->buckets = xcalloc(x->nbuckets, sizeof *x->buckets);
  for (size_t i = 0; i < x->n; i++) {
    size_t h = ckjit_fnv1a(x->keys[i], x->lengths[i]) % x->nbuckets;
    while (x->buckets[h])
      h = (h + 1) % x->nbuckets;
    x->buckets[h] = (uint32_t)i + 1;
  }
}

/* the number of the N bytes at KEY; x->n - 1 where they are new */
static size_t number_of(struct index *x, const void *key, size_t n) {
  if (2 * (x->n + 1) > x->nbuckets)
    rehash(x);
  size_t h = ckjit_fnv1a(key, n) % x->nbuckets;
  for (; x->buckets[h]; h = (h + 1) % x->nbuckets) {
    size_t i = x->buckets[h] - 1;
    if (x->lengths[i] == n && memcmp(x->keys[i], key, n) == 0)
      return i;
  }
  x->keys = xrealloc(x->keys, (x->n + 1) * sizeof *x->keys);
  x->lengths = xrealloc(x->lengths, (x->n + 1) * sizeof *x->lengths);
  unsigned char *copy = xmalloc(n ? n : 1);
  memcpy(copy, key, n);
  x->keys[x->n] = copy;
  x->lengths[x->n] = n;
  x->buckets[h] = (uint32_t)++x->n;
  return x->n - 1;
}

static void index_free(struct index *x) {
  for (size_t i = 0; i < x->n; i++)
    free((void *)x->keys[i]);
  free(x->buckets);
  free(x->keys);
  free(x->lengths);
}

static uint32_t cons(struct diagram *d, uint16_t variable, uint64_t allowed, uint32_t next) {
  unsigned char key[14];
  memcpy(key, &variable, 2);
  memcpy(key + 2, &allowed, 8);
  memcpy(key + 10, &next, 4);
  size_t known = d->need_index.n, i = number_of(&d->need_index, key, sizeof key);
  if (i == known) {
    d->needs = xrealloc(d->needs, (i + 2) * sizeof *d->needs);
    d->needs[i + 1] = (struct need){variable, allowed, next};
  }
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

/* LIST once VARIABLE has answered ANSWER; NONE where it does not hold then. */
static uint32_t restricted(struct diagram *d, uint32_t list, uint16_t variable, unsigned answer) {
  if (!list)
    return 0;
  struct need n = d->needs[list];
  if (n.variable == variable)
    return n.allowed >> answer & 1 ? n.next : NONE;
  uint32_t next = restricted(d, n.next, variable, answer);
  if (next == NONE || next == n.next)
    return next == NONE ? NONE : list;
  return cons(d, n.variable, n.allowed, next);
}

/* ---- nodes
 * ------------------------------------------------------------------------------------------------- */

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
  struct item *key = xmalloc(n * sizeof *key);
  for (size_t i = 0; i < n; i++)
    key[i] = (struct item){items[i].delta - base, items[i].needs, items[i].nothing};
  size_t known = d->node_index.n, self = number_of(&d->node_index, key, n * sizeof *key);
  if (self != known || self >= d->limit) {
    free(key);
    d->full |= self >= d->limit;
    return (struct edge){(uint32_t)self, base};
  }
  uint16_t v = d->needs[key[0].needs].variable;
  unsigned count = answers(d, v);
  d->nodes = xrealloc(d->nodes, (self + 1) * sizeof *d->nodes);
  struct edge *edges = xcalloc(count, sizeof *edges);
  d->nodes[self] = (struct node){v, edges};
  struct item *left = xmalloc(n * sizeof *left);
  for (unsigned k = 0; k < count && !d->full; k++) {
    size_t m = 0;
    for (size_t i = 0; i < n && !(m && !left[m - 1].needs); i++) {
      uint32_t needs = restricted(d, key[i].needs, v, bit_of(d, v, k));
      if (needs != NONE)
        left[m++] = (struct item){key[i].delta, needs, key[i].nothing};
    }
    edges[k] = build(d, left, m);
  }
  free(left);
  free(key);
  return (struct edge){(uint32_t)self, base};
}

/* ---- code
 * -------------------------------------------------------------------------------------------------- */

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
    const char * or = "";
    for (size_t j = k; j < v->tests.n; j++)
      if (same_edge(n->edges[j], n->edges[k])) {
        buf_printf(out, "%s(%s)", or, v->tests.args[j]);
        or = " || ";
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
  for (size_t i = 0; i < d->node_index.n; i++) {
    buf_printf(out, "%s_%zu:\n", prefix, i);
    put_node(out, prefix, d, &d->nodes[i]);
  }
}

bool diagram_write(struct buf *out, const char *prefix, const struct atoms *a, const struct diagram_row *rows,
                   size_t n) {
  enum { NODES_FREE = 256 };
  struct diagram d = {.a = a, .limit = n / 2 + NODES_FREE};
  struct item *items = xmalloc(n * sizeof *items);
  for (size_t i = 0; i < n; i++)
    items[i] = (struct item){(uint32_t)i, needs_of(&d, &rows[i]), rows[i].nothing};
  size_t m = 0; /* nothing behind a row without conditions is ever reached */
  while (m < n && items[m].needs)
    m++;
  struct edge root = build(&d, items, m < n ? m + 1 : n);
  if (!d.full)
    put_code(out, prefix, &d, root);
  for (size_t i = 0; i < d.node_index.n && d.nodes && i < d.limit; i++)
    free(d.nodes[i].edges);
  free(items);
  free(d.nodes);
  free(d.needs);
  index_free(&d.need_index);
  index_free(&d.node_index);
  return !d.full;
}
