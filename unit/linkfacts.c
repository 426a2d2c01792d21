/* linkfacts.c - the facts that a device linker would read in the object of a unit with -rdc=true or
 * -fgpu-rdc: the functions and variables that it defines for others, and those that it needs.
 *
 * They are read from the bitcode of the device's front end for each text, with all bodies: most
 * needs are those of kernels. Bitcode has more needs than an object, because nothing is optimised
 * yet. Those that only the toolkit defines are omitted (core/device/toolkit.h). If another one is
 * superfluous, the device link is the build's, and its linker decides.
 *
 * HIP's texts for two architectures are mostly the same: then one run of the front end is enough.
 */
#include "unit.h"
#include "core/base/path.h"
#include "core/device/nvvmgraph.h"
#include "core/device/rdc.h"
#include "core/device/toolkit.h"

char *unit_linked_bitcode(const struct unit *u, size_t i) {
  size_t same = 0;
  while (same < i && (unit_is_cuda(u) || u->texts[same].len != u->texts[i].len ||
                      memcmp(u->texts[same].text, u->texts[i].text, u->texts[i].len) != 0))
    same++;
  return xasprintf("%s/front-%zu.bc", u->dir, same);
}

/* A kernel is a separate module, with its own copies of things that others would share. Names of
 * strings and other generated names have a `$` or a dot in them. */
static bool is_shared_variable(const struct rdc_symbol *s) {
  return s->defined && s->global && !s->weak && !s->function && !str_starts(s->name, "__") &&
         !strpbrk(s->name, "$.");
}

struct fact_reader {
  struct unit *u;
  struct linkedcode *code;
  char launch[64]; /* a needed function with which kernels launch others; "": none */
};

static void note_symbol(const struct rdc_symbol *s, void *user) {
  struct fact_reader *r = user;
  if (is_shared_variable(s) && !r->u->why)
    unit_not_lazy(r->u, "it has the device variable %s, which all kernels of a device link share",
                  s->name);
  else if (!s->defined && toolkit_launches(s->name))
    snprintf(r->launch, sizeof r->launch, "%s", s->name);
  else if (s->defined && s->global && s->function)
    argv_add(s->weak ? &r->code->weak : &r->code->strong, s->name);
  else if (!s->defined && !s->weak && !toolkit_has(s->name))
    argv_add(&r->code->needs, s->name);
}

/* Note the writable variables, and those of a launch, which no unit defines (cuVS's scans have one
 * in a namespace); compile/unit/part.c has the same rule. */
static bool note_variables(struct fact_reader *r, void *bytes, size_t n) {
  struct nvvm_facts facts = {0};
  const char *why;
  bool done = nvvm_graph_facts(bytes, n, &r->u->device_only, &facts, &why);
  for (size_t i = 0; i < facts.variables.n; i++)
    argv_add(i < facts.internal_variables ? &r->code->statics : &r->code->variables,
             facts.variables.args[i]);
  argv_drop_all(&r->code->needs, &facts.dynamic);
  argv_add_all(&r->code->fixed, facts.fixed.args);
  nvvm_facts_free(&facts);
  return done;
}

/* Is each launch on the device in a function that no kernel can reach? The text has the device's
 * version of each host function of Thrust that a source calls, thrust::sort for example, and nvcc
 * drops it. Such functions are not offered to other units. */
static bool launches_are_dropped(struct fact_reader *r, const void *bytes, size_t n) {
  autofree_argv leading = {0};
  struct nvvm_graph g = {0};
  const char *why;
  bool dropped = nvvm_graph_read(&g, bytes, n, &why) &&
                 nvvm_graph_leading(&g, toolkit_launches, &leading) && r->u->names.n;
  nvvm_graph_free(&g);
  for (size_t i = 0; i < leading.n; i++)
    dropped &=
        !argv_has(&r->u->names, leading.args[i]) && !argv_has(&r->code->strong, leading.args[i]);
  argv_drop_all(&r->code->weak, &leading);
  return dropped;
}

bool unit_linked_read(struct unit *u) {
  u->code = xcalloc(u->ntexts, sizeof *u->code);
  for (size_t i = 0; i < u->ntexts && !u->why; i++) {
    struct fact_reader r = {u, &u->code[i], ""};
    autofree char *file = unit_linked_bitcode(u, i);
    size_t n;
    autofree char *bytes = file_read(file, &n);
    r.code->arch = xstrdup(u->texts[i].arch);
    if (!bytes || !bitcode_symbols(bytes, n, note_symbol, &r) || !note_variables(&r, bytes, n))
      unit_not_lazy(u, "the symbols of its device code are not understood");
    else if (*r.launch && !launches_are_dropped(&r, bytes, n))
      unit_not_lazy(u,
                    "a kernel of its launches others (%s), and no kernel is linked with "
                    "libcudadevrt at its launch",
                    r.launch);
  }
  return !u->why;
}
