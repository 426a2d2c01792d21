/* cicc.c - splits the command of nvcc's device compiler into its front end and the rest.
 *
 * `cicc` contains both: `cicc -lgenfe` is the front end, `cicc -libnvvm` the rest, and the two have
 * different names for some options. With CUDA 13.0 the machine code of each of
 * flash_fwd_hdim64_bf16_causal_sm80's 18 kernels is byte for byte that of the single command.
 *
 * An option that is not in the table is not passed on by guessing: the blob is compiled whole.
 * -nvvmir-library is one of these: the device library in the toolkit is not the one that is built
 * into cicc, and their sinf differs.
 */
#include "cicc.h"
#include "core/base/path.h"

/* The two commands that are made. */
struct halves {
  const struct nvcc_step *cicc, *ptxas;
  struct argv *front, *back;
};

static const struct {
  /* An option of cicc; with '=' the text after it is kept. */
  const char *word;
  /* what -lgenfe calls it; NULL: it has no use for it */
  const char *front;
  const char *back; /* what -libnvvm calls it, likewise */
} words[] = {
    {"-m64", "--m64", NULL},
    {"-w", "-w", NULL},
    {"--no-version-ident", "--no-version-ident", NULL},
    {"-ftz=", NULL, "-ftz="},
    {"-prec_div=", NULL, "-prec-div="},
    {"-prec_sqrt=", NULL, "-prec-sqrt="},
    {"-fmad=", NULL, "-fma="},
    {"-fast-math", NULL, "-fast-math"},
    {"-tused", "-tused", NULL},
    {"-kernel-params-are-restrict", "--kernel-params-are-restrict", NULL},
    {"-generate-line-info", "--generate-line-info", "-generate-line-info"},
};

/* Adds W of cicc to the two commands; false for an option that is not known. EDG's own options have
 * two dashes. */
static bool split_word(const struct halves *c, const char *w) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i].word);
    bool open = words[i].word[n - 1] == '=';
    if (open ? !str_starts(w, words[i].word) : strcmp(w, words[i].word) != 0)
      continue;
    if (words[i].front)
      argv_addf(c->front, "%s%s", words[i].front, open ? w + n : "");
    if (words[i].back)
      argv_addf(c->back, "%s%s", words[i].back, open ? w + n : "");
    return true;
  }
  argv_add(c->front, w);
  return str_starts(w, "--");
}

/* Whether a step of the device's has one of the N WORDS. */
static bool has_any(const struct halves *c, const char *const *list, size_t n) {
  const struct nvcc_step *const steps[] = {c->cicc, c->ptxas};
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
    for (size_t i = 0; i < n; i++)
      if (steps[s] && argv_has(&steps[s]->words, list[i]))
        return true;
  return false;
}

/* Variables for a debugger: they are left out below. */
static bool wants_debug(const struct halves *c) {
  static const char *const options[] = {"--debug_mode", "-g"};
  return has_any(c, options, sizeof options / sizeof *options);
}

/* -lineinfo, for profilers: flash-attention 3 is built with it. */
static bool wants_lines(const struct halves *c) {
  static const char *const options[] = {"--generate-line-info", "-generate-line-info", "-lineinfo"};
  return has_any(c, options, sizeof options / sizeof *options);
}

static bool give_up(const char **why, const char *text) {
  *why = text;
  return false;
}

bool cicc_divide(const struct nvcc_step *cicc, const struct nvcc_step *ptxas, const char *bitcode,
                 struct argv *front, struct argv *back, const char **why) {
  const struct halves c = {cicc, ptxas, front, back};
  const struct argv *all = &cicc->words;
  if (wants_debug(&c))
    return give_up(why, "it is compiled with -G");
  argv_add_words(front, all->args[0], "-lgenfe", NULL);
  argv_add_words(back, all->args[0], "-libnvvm", NULL);
  for (size_t i = 1; i < all->n; i++) {
    const char *w = all->args[i], *next = i + 1 < all->n ? all->args[i + 1] : NULL;
    if (strcmp(w, "-o") == 0 && next) {
      i++;
    } else if (strcmp(w, "-arch") == 0 && next) {
      argv_add_words(front, "--nv_arch", next, NULL);
      argv_addf(back, "-arch=%s", next);
      i++;
    } else if (strcmp(w, "-maxreg") == 0 && next) { /* -maxrregcount; ptxas has it as well */
      argv_addf(back, "-maxreg=%s", next);
      i++;
    } else if (w[0] != '-') {
      argv_add(front, w); /* the value of an option of EDG's, the input */
    } else if (!split_word(&c, w)) {
      return give_up(why, "an unknown option of cicc");
    }
  }
  /* Half of the bitcode is names of values and lines, which come to nothing in the PTX: 28 MB of
   * flash-attention's become 15, and a kernel takes 7 s instead of 9.5. */
  argv_add(front, "--discard_value_names=1");
  if (!wants_lines(&c))
    argv_add(front, "--no-line-numbers");
  argv_add_words(front, "--emit-llvm-bc", "-o", bitcode, NULL);
  argv_add_words(back, CICC_IN, "-o", CICC_OUT, NULL);
  return true;
}

bool cicc_module_id(struct nvcc_step *step, const struct nvcc_step *cicc, const char *id) {
  const char *file = nvcc_value(cicc, "--module_id_file_name");
  struct argv kept = {0};
  for (size_t i = 0; i < step->words.n; i++)
    if (strcmp(step->words.args[i], "--gen_module_id_file") != 0)
      argv_add(&kept, step->words.args[i]);
  argv_free(&step->words);
  step->words = kept;
  return file && file_write(file, id, strlen(id), 0600);
}

void cicc_put_module_id(struct buf *id, const char *hex, const char *source) {
  autofree_buf name = {0};
  for (const char *s = path_base(source); *s; s++)
    buf_putc(&name, strchr(".-+ ", *s) || (unsigned char)*s >= 0x80 ? '_' : *s);
  buf_printf(id, "_%.8s_%zu_%s_%.8s_0", hex, name.len, name.data ? name.data : "", hex + 8);
}
