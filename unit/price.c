/* price.c - is it worth making a unit lazy?
 *
 * With one architecture, making a unit lazy saves only its device compile: the host side is
 * compiled either way. If most of the unit are host headers, such as PyTorch's, the build saves
 * little, and a first launch waits. So the regular compiler gets the call, unless the unit has many
 * kernels. docs/units.md has the rule ("Units that save little"), docs/units-measured.md the
 * figures.
 *
 * The answer is needed before anything is run, because preprocessing such a unit is a tenth of its
 * compile. So this file adds up the sizes of the headers that the scan for depfiles finds, and
 * counts words.
 */
#include "unit.h"
#include "core/base/path.h"

#include <ctype.h>

/* ATen's headers have 8 MB; those of c10 that half and bfloat16 include have a fifth of a MB. */
static const size_t HEAVY = 2 * 1000 * 1000;
enum { HOST_TO_DEVICE = 4, MANY = 16 };

/* Is there one pass of the device? nvcc has one for all codes of a virtual architecture: sm_90 and
 * compute_90. */
static bool has_one_pass(const struct unit *u) {
  const struct argv *archs = &u->record.archs;
  if (!unit_is_cuda(u))
    return archs->n == 1;
  for (size_t i = 1; i < archs->n; i++)
    if (strcmp(strrchr(archs->args[i], '_'), strrchr(archs->args[0], '_')) != 0)
      return false;
  return true;
}

static size_t count_word(const char *text, const char *word) {
  size_t n = 0, len = strlen(word);
  for (const char *p = text; (p = strstr(p, word)); p += len)
    n += !isalnum((unsigned char)p[len]) && p[len] != '_' &&
         (p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_'));
  return n;
}

/* Does the source define or instantiate many kernels, or switch between many constants with which
 * it instantiates its kernels? */
static bool has_many_kernels(const struct unit *u) {
  size_t len;
  autofree char *text = file_read_text(u->record.cc.source->text, &len);
  size_t kernels = text ? count_word(text, "__global__") : 0;
  return kernels && kernels + count_word(text, "case") >= MANY;
}

/* Are most of the headers the host's? Not if HIP kernels are in a header of the build's own, one
 * that is not found by -isystem: those are dozens of instances, or others instantiate them and no
 * launch of this unit waits. The toolkit's headers do not count, since every unit has them. */
static bool is_of_the_host(const struct unit *u) {
  /* CUTLASS_DEVICE, … */
  static const char *const words[] = {"__device__", "__global__", "_DEVICE"};
  autofree_argv files = {0}, own = {0};
  size_t host = 0, device = 0;
  autofree char *home = unit_toolkit(u);
  unit_files(u, true, &files);
  for (size_t i = 1; i < files.n; i++) { /* the first is the source */
    size_t len = 0;
    autofree char *real =
        realpath(files.args[i], NULL); /* a build names the toolkit's by the fake home */
    autofree char *text = real && !path_within(real, home) ? file_read_text(real, &len) : NULL;
    bool speaks = false;
    for (size_t w = 0; w < sizeof words / sizeof *words && text; w++)
      speaks |= strstr(text, words[w]) != NULL;
    *(speaks ? &device : &host) += len;
  }
  bool heavy = host >= HEAVY && host >= HOST_TO_DEVICE * device;
  if (heavy && !unit_is_cuda(u))
    unit_files(u, false, &own);
  for (size_t i = 1; i < own.n && heavy; i++) {
    autofree char *real = realpath(own.args[i], NULL);
    heavy = !real || path_within(real, home) || !unit_file_has_kernels(real);
  }
  return heavy;
}

bool unit_is_worth_it(struct unit *u) {
  return u->any_price || !has_one_pass(u) || has_many_kernels(u) || !is_of_the_host(u) ||
         unit_not_lazy(
             u, "of one architecture, it would save little: most of it are headers of the host");
}
