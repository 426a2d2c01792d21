/* price.c - is a unit worth it?
 *
 * For one architecture a lazy unit costs what the host's side costs, which the real compiler has as well. Where headers of the host are most of
 * the unit, as PyTorch's are, that is nearly the whole compile with nvcc, 0.95 of it for a unit of xformers with ATen's headers, and half of it
 * with clang, which reads them for the device, too, and again for each kernel that is launched: 0.54 and 0.48 for aiter's cache_kernels.cu. Then
 * the build saves little and a first launch has to wait, so the real compiler gets the call. With two architectures or more the device's side is
 * most of it.
 *
 * It has to be known before anything is run: to preprocess such a unit is a tenth of its compile. So the headers are weighed, as the scan for
 * depfiles finds them: those that say nothing of a device against those that do, as CUTLASS does on every page.
 *
 * What weight does not tell is how many kernels there are. A unit of HIP that has them from a header of its own build instantiates them by the
 * dozen, as aiter's rope does, 2,736 at 0.25, or it calls other units' and instantiates none, as its gemm_a8w8.cu does: 0.54, and no launch
 * waits. Either is worth it. What is written in the source itself is a handful of them, unless it switches between constants that it makes its
 * kernels of: aiter's attention_v1.cu has 30 cases for 1,600 instances, 0.16. Of its sources that save little none has more than 8. Or it writes
 * the instantiations out, as vLLM's Marlin does, up to 75 in a unit behind PyTorch's headers: 0.57 and 0.51 for two
 * of 48.
 */
#include "unit.h"
#include "core/base/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ATen's headers have 8 MB, those of c10 that half and bfloat16 come with a fifth of a MB. */
static const size_t HEAVY = 2 * 1000 * 1000;
enum { HOST_TO_DEVICE = 4, MANY_CASES = 16, MANY_INSTANCES = 16 };

/* The number of ARCH's virtual architecture: of sm_90 and compute_90, and of sm_86:compute_80 that of compute_80. */
static const char *virtual_arch(const char *arch, size_t *n) {
  const char *colon = strrchr(arch, ':'), *number = strchr(colon ? colon : arch, '_');
  number = number ? number + 1 : arch;
  *n = strcspn(number, ":,");
  return number;
}

/* Is there one pass of the device? */
static bool has_one_text(const struct unit *u) {
  const struct argv *archs = &u->record.archs;
  size_t n, k;
  if (!unit_is_cuda(u))
    return archs->n == 1;
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

/* The bytes of FILES but for the first, the source, and for the toolkit's, which each unit has; a build names them by the fake home. */
static void weigh(const struct unit *u, const struct argv *files, size_t *host, size_t *device) {
  char *home = unit_toolkit(u);
  for (size_t i = 1; i < files->n; i++) {
    size_t len = 0;
    char *real = realpath(files->args[i], NULL);
    char *text = real && !path_within(real, home) ? file_read_text(real, &len) : NULL;
    if (text)
      *(speaks_of_device(text) ? device : host) += len;
    free(text);
    free(real);
  }
  free(home);
}

static bool is_of_the_host(const struct unit *u) {
  struct argv files = {0};
  size_t host = 0, device = 0;
  unit_files(u, true, &files);
  weigh(u, &files, &host, &device);
  argv_free(&files);
  return host >= HEAVY && host >= HOST_TO_DEVICE * device;
}

/* Are there kernels in a header of the build's own: one that is not found through -isystem, and not the toolkit's? */
static bool has_kernels_of_headers(const struct unit *u) {
  struct argv files = {0};
  char *home = unit_toolkit(u);
  bool has = false;
  unit_files(u, false, &files);
  for (size_t i = 1; i < files.n && !has; i++) {
    char *real = realpath(files.args[i], NULL);
    has = real && !path_within(real, home) && unit_file_has_kernels(real);
    free(real);
  }
  free(home);
  argv_free(&files);
  return has;
}

/* Does TEXT begin with WORD, which ends there? */
static bool begins_word(const char *text, const char *word) {
  size_t len = strlen(word);
  return strncmp(text, word, len) == 0 && !isalnum((unsigned char)text[len]) && text[len] != '_';
}

/* How many times WORD is in TEXT, as a word, with nothing but white space between it and NEXT, if there is one. */
static size_t count_word(const char *text, const char *word, const char *next) {
  size_t n = 0, len = strlen(word);
  for (const char *p = text; (p = strstr(p, word)); p += len) {
    char before = p == text ? ' ' : p[-1];
    if (isalnum((unsigned char)before) || before == '_' || !begins_word(p, word))
      continue;
    n += !next || begins_word(p + len + strspn(p + len, " \t\r\n"), next);
  }
  return n;
}

/* Does the source switch between so many constants that its own kernels are instances by the hundred, or instantiate so many itself? */
static bool has_many_instances(const struct unit *u) {
  size_t len;
  char *text = file_read_text(u->record.cc.source->text, &len);
  bool many =
      text && ((count_word(text, "__global__", NULL) && count_word(text, "case", NULL) >= MANY_CASES) ||
               count_word(text, "template", "__global__") >= MANY_INSTANCES);
  free(text);
  return many;
}

bool unit_is_worth_it(struct unit *u) {
  if (u->any_price || !has_one_text(u) || has_many_instances(u) || !is_of_the_host(u))
    return true;
  return (!unit_is_cuda(u) && has_kernels_of_headers(u)) ||
         unit_not_lazy(u, "of one architecture, it would save little: most of it are headers of the host");
}
