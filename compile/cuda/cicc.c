/* cicc.c - the command of nvcc's device compiler in two: its front end, and the rest.
 *
 * `cicc` is both: `cicc -lgenfe` is the front end, `cicc -libnvvm` the rest, and each has names of its own
 * for some options. With CUDA 13.0 the machine code of each of flash_fwd_hdim64_bf16_causal_sm80's 18 kernels
 * is byte for byte what the one command makes.
 *
 * An option that is not in the table is not passed on by guessing: the blob is compiled whole.
 * -nvvmir-library is one of these: the device library in the toolkit is not the one that is built into
 * cicc, and sinf of the two differs.
 */
#include "cicc.h"
#include "steps.h"

#include <string.h>

static const struct {
  const char *word;  /* of cicc; with '=': what is behind it is kept */
  const char *front; /* what -lgenfe calls it; NULL: it has no use for it */
  const char *back;  /* what -libnvvm calls it, likewise */
} words[] = {
    {"-m64", "--m64", NULL},
    {"--no-version-ident", "--no-version-ident", NULL},
    {"-ftz=", NULL, "-ftz="},
    {"-prec_div=", NULL, "-prec-div="},
    {"-prec_sqrt=", NULL, "-prec-sqrt="},
    {"-fmad=", NULL, "-fma="},
    {"-fast-math", NULL, "-fast-math"},
    {"-tused", "-tused", NULL},
    {"-generate-line-info", "--generate-line-info", "-generate-line-info"},
};

/* How W of cicc is said to the two; false for an option that is not known. EDG's own have two dashes. */
static bool split_word(struct cuda *c, const char *w, struct argv *front) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i].word);
    bool open = words[i].word[n - 1] == '=';
    if (open ? !str_starts(w, words[i].word) : strcmp(w, words[i].word) != 0)
      continue;
    if (words[i].front)
      argv_addf(front, "%s%s", words[i].front, open ? w + n : "");
    if (words[i].back)
      argv_addf(&c->back, "%s%s", words[i].back, open ? w + n : "");
    return true;
  }
  argv_add(front, w);
  return str_starts(w, "--");
}

/* Whether a step of the device's has one of the N WORDS. */
static bool has_any(const struct cuda *c, const char *const *list, size_t n) {
  const struct nvcc_step *const steps[] = {c->cicc, c->ptxas};
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
    for (size_t i = 0; i < n; i++)
      if (words_find(&steps[s]->words, list[i]) < steps[s]->words.n)
        return true;
  return false;
}

/* Variables for a debugger: they are left out below. */
static bool wants_debug(const struct cuda *c) {
  static const char *const options[] = {"--debug_mode", "-g"};
  return has_any(c, options, sizeof options / sizeof *options);
}

/* -lineinfo, for profilers: flash-attention 3 is built with it. */
static bool wants_lines(const struct cuda *c) {
  static const char *const options[] = {"--generate-line-info", "-generate-line-info", "-lineinfo"};
  return has_any(c, options, sizeof options / sizeof *options);
}

bool cicc_divide(struct cuda *c, struct argv *front, const char **why) {
  const struct argv *all = &c->cicc->words;
  if (wants_debug(c))
    return give_up(why, "it is compiled with -G");
  argv_add(front, all->args[0]);
  argv_add(front, "-lgenfe");
  argv_add(&c->back, all->args[0]);
  argv_add(&c->back, "-libnvvm");
  for (size_t i = 1; i < all->n; i++) {
    const char *w = all->args[i], *next = i + 1 < all->n ? all->args[i + 1] : NULL;
    if (strcmp(w, "-o") == 0 && next) {
      i++;
    } else if (strcmp(w, "-arch") == 0 && next) {
      argv_add(front, "--nv_arch");
      argv_add(front, next);
      argv_addf(&c->back, "-arch=%s", next);
      i++;
    } else if (w[0] != '-') {
      argv_add(front, w); /* the value of an option of EDG's, the input */
    } else if (!split_word(c, w, front)) {
      return give_up(why, "cicc is given an option that is not known");
    }
  }
  /* Half of the bitcode is names of values and lines, which come to nothing in the PTX: 28 MB of
   * flash-attention's become 15, and a kernel takes 7 s instead of 9.5. */
  argv_add(front, "--discard_value_names=1");
  if (!wants_lines(c))
    argv_add(front, "--no-line-numbers");
  argv_add(front, "--emit-llvm-bc");
  argv_add(front, "-o");
  argv_add(front, c->bitcode);
  argv_add(&c->back, CUDA_IN);
  argv_add(&c->back, "-o");
  argv_add(&c->back, CUDA_OUT);
  return true;
}
