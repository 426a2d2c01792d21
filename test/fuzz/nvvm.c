/* nvvm.c - one kernel out of bitcode, and what it reaches: what nvcc's front end writes, from an entry that anything may have
 * happened to. The kernel's name is one of the seed's. */
#include "fuzz.h"

#include "core/device/nvvmgraph.h"

static volatile size_t seen; /* so that each byte handed out is read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  void *exact = xmalloc(size ? size : 1); /* a read behind its end is seen */
  struct nvvm_facts facts;
  if (size)
    memcpy(exact, data, size);
  const char *why;
  bool all = nvvm_keep(exact, size, NULL, false, &facts, &why);
  CHECK(!size || memcmp(exact, data, size) == 0);
  CHECK(!facts.found);
  size_t functions = facts.functions;
  for (size_t i = 0; i < facts.variables.n; i++)
    seen += strlen(facts.variables.args[i]);
  argv_free(&facts.variables);
  argv_free(&facts.dynamic);
  bool one = nvvm_keep(exact, size, "_Z6squarePf", false, &facts, &why);
  CHECK(all || !one);
  CHECK(!one || facts.functions <= functions + 1 || !facts.found || functions == 0);
  argv_free(&facts.variables);
  argv_free(&facts.dynamic);
  struct nvvm_graph g;
  struct argv needs = {0};
  if (nvvm_graph_read(&g, exact, size, &why))
    seen += nvvm_graph_reach(&g, "_Z6squarePf", &needs) + nvvm_graph_uses_unnamed(&g);
  for (size_t i = 0; i < needs.n; i++)
    seen += strlen(needs.args[i]);
  argv_free(&needs);
  nvvm_graph_free(&g);
  seen += nvvm_keep_function(exact, size, "add", &why);
  free(exact);
  return 0;
}
