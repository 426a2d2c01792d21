/* price.c - is a unit of CUDA worth it?
 *
 * For one architecture a lazy unit costs what the host's side costs, which nvcc's own steps have as well, and one run of cicc's front end
 * more. Where headers of the host are most of the unit, as PyTorch's are, that is nearly the whole compile: 0.95 of it for a unit of
 * xformers with ATen's headers. Then the build saves nothing and a first launch has to wait, so the real compiler gets the call. With two
 * architectures or more the device's side is most of it.
 *
 * It has to be known before anything is run: to preprocess such a unit is a tenth of its compile. So the headers are weighed, as the scan for
 * depfiles finds them: those that say nothing of a device against those that do, as CUTLASS does on every page.
 */
#include "unit.h"
#include "core/base/path.h"
#include "core/cc/deps.h"

#include <stdlib.h>
#include <string.h>

/* ATen's headers have 8 MB, those of c10 that half and bfloat16 come with a fifth of a MB. */
static const size_t HEAVY = 2 * 1000 * 1000;
enum { HOST_TO_DEVICE = 4 };

/* The number of ARCH's virtual architecture: of sm_90 and compute_90, and of sm_86:compute_80 that of compute_80. */
static const char *virtual_arch(const char *arch, size_t *n) {
  const char *colon = strrchr(arch, ':'), *number = strchr(colon ? colon : arch, '_');
  number = number ? number + 1 : arch;
  *n = strcspn(number, ":,");
  return number;
}

static bool has_one_text(const struct argv *archs) {
  size_t n, k;
  const char *first = archs->n ? virtual_arch(archs->args[0], &n) : NULL;
  for (size_t i = 1; i < archs->n; i++) {
    const char *next = virtual_arch(archs->args[i], &k);
    if (k != n || memcmp(first, next, n) != 0)
      return false;
  }
  return first;
}

/* Does a header speak of a device: by CUDA's words, or by macros such as CUTLASS_DEVICE and C10_HOST_DEVICE? */
static bool speaks_of_device(const char *text) {
  static const char *const words[] = {"__device__", "__global__", "_DEVICE"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(text, words[i]))
      return true;
  return false;
}

/* The toolkit that U's compiler is of. free() it. */
static char *toolkit(const struct unit *u) {
  char *compiler = realpath(u->record.compiler, NULL), *bin = path_dir(compiler ? compiler : "/");
  char *home = path_dir(bin);
  free(bin);
  free(compiler);
  return home;
}

/* The bytes of FILES but for the first, the source, and for the toolkit's, which each unit has; a build names them by the fake home. */
static void weigh(const struct unit *u, const struct argv *files, size_t *host, size_t *device) {
  char *home = toolkit(u);
  for (size_t i = 1; i < files->n; i++) {
    size_t len = 0;
    char *real = realpath(files->args[i], NULL);
    char *text = real && !path_within(real, home) ? file_read(real, &len) : NULL;
    if (text)
      *(speaks_of_device(text) ? device : host) += len;
    free(text);
    free(real);
  }
  free(home);
}

bool unit_is_worth_it(struct unit *u) {
  if (!unit_is_cuda(u) || u->any_price || !has_one_text(&u->record.archs))
    return true;
  struct ccargs all = u->record.cc;
  char *cache = path_join(u->work, DEPS_CACHE);
  struct buf rule = {0};
  struct argv files = {0};
  size_t len, host = 0, device = 0;
  char *text = file_read(all.source->text, &len);
  all.deps = (struct cc_deps){.wanted = true, .system = true};
  if (text) {
    deps_format(&rule, &all, NULL, text, len, cache);
    deps_read(&files, rule.data);
    weigh(u, &files, &host, &device);
  }
  buf_free(&rule);
  argv_free(&files);
  free(text);
  free(cache);
  return host < HEAVY || host < HOST_TO_DEVICE * device ||
         unit_not_lazy(u, "of one architecture, it would save little: most of it are headers of the host");
}
