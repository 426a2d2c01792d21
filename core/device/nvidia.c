/* nvidia.c - the compute capabilities of this machine's NVIDIA GPUs, for ckjit's programs. They are
 * linked statically and cannot load the driver, so they ask nvidia-smi; the runtime asks the driver
 * in its process (runtime/ck_jit_cuda.c). */
#include "core/base/path.h"
#include "core/base/pool.h"
#include "abi/ck_jit_arch.h"

size_t ckjit_cuda_capabilities(unsigned *list, size_t max) {
  autofree char *program = path_which("nvidia-smi");
  size_t found = 0;
  if (!program)
    return 0;
  char *args[] = {program, (char *)"--query-gpu=compute_cap", (char *)"--format=csv,noheader",
                  NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  for (const char *line = job.status == 0 && job.output.len ? job.output.data : "";
       *line && found < max;) {
    char *end;
    unsigned long major = strtoul(line, &end, 10),
                  minor = *end == '.' ? strtoul(end + 1, &end, 10) : 10;
    if (end > line && major && major < 100 && minor < 10)
      list[found++] = (unsigned)(10 * major + minor);
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  buf_free(&job.output);
  return found;
}
