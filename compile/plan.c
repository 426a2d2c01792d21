/* plan.c - the steps of the plain command, as the compiler's driver itself prints them.
 *
 * `hipcc -### …` prints the commands that it would run, each on a line that begins with a space and
 * a quote. They are taken over word by word, so our passes have the macros, the options, the device
 * libraries and the linker that the plain command would have, with every release and every
 * configuration of clang. With clang 15 and 22 and one architecture:
 *
 *     clang -cc1 … -fcuda-is-device … -o K.o -x hip S     device pass; one for each architecture
 *     [clang-offload-bundler -unbundle …]                 clang 15: a library of the compiler's
 *     lld … -o K.out K.o                                  the code object
 *     clang-offload-bundler … -output=K.hipfb             the fat binary
 *     clang -cc1 … -fcuda-include-gpubinary K.hipfb …     host pass
 *     ld -shared …                                        the link
 *
 * and of the object of a part of a blob, with -fgpu-rdc:
 *
 *     clang -cc1 … -emit-llvm-bc … -o K.bc -x hip S       device pass; one for each architecture
 *     clang -cc1 … -emit-obj … -o H.o -x hip S            host pass
 *     clang-offload-bundler … -output=S.o                 both in one object
 *
 * or, with --offload-new-driver, clang 23's default:
 *
 *     clang -cc1 … -emit-llvm-bc … -o K.bc -x hip S       device pass; one for each architecture
 *     llvm-offload-binary -o K.out --image=file=K.bc…     their bitcode in one file
 *     clang -cc1 … -fembed-offload-object=K.out … -o S.o  host pass
 *
 * A step must follow those whose output one of its words names. The one arrow that we cut is that
 * from the fat binary to the host pass (fatbin.c). If the list looks otherwise (-save-temps, a
 * driver that embeds code in another way, another compiler), it is not understood, and the plain
 * command runs.
 */
#include "plan.h"
#include "core/cc/steps.h"

bool give_up(const char **why, const char *text) {
  *why = text;
  return false;
}

struct step *plan_add(struct plan *p, const char *name, const struct argv *words, uint64_t after) {
  struct step *s = &p->steps[p->n++];
  *s = (struct step){.role = STEP_OTHER, .name = name, .after = after};
  argv_add_all(&s->words, words->args);
  p->last = p->n - 1;
  return s;
}

size_t words_find(const struct argv *words, const char *word) {
  size_t i = 0;
  while (i < words->n && strcmp(words->args[i], word) != 0)
    i++;
  return i;
}

void words_set(struct argv *words, size_t i, const char *word) {
  free(words->args[i]);
  words->args[i] = xstrdup(word);
}

/* what a step writes: the value of -o or -output= */
static const char *output_of(const struct argv *words) {
  for (size_t i = 0; i < words->n; i++) {
    if (str_starts(words->args[i], "-output="))
      return words->args[i] + strlen("-output=");
    if (strcmp(words->args[i], "-o") == 0 && i + 1 < words->n)
      return words->args[i + 1];
  }
  return NULL;
}

/* A step of the compiler proper must do what we expect, and write nothing but its output. */
static bool check_pass(const struct argv *w, const struct compile_task *t, const char **why) {
  /* the section's flags depend on its size */
  static const char *const refused[] = {
      "-dependency-file",           "-include-pch", "-split-dwarf-output", "-coverage-data-file",
      "-serialize-diagnostic-file", "-fmodules",    "-mcmodel=medium",     "-P",
      "-header-include-file"};
  if (w->n < 6 || strcmp(w->args[w->n - 1], t->source) != 0 || strcmp(w->args[w->n - 2], "hip") != 0 ||
      strcmp(w->args[w->n - 3], "-x") != 0)
    return give_up(why, "a pass does not read the source");
  bool bitcode =
      t->fragment && words_find(w, "-fcuda-is-device") < w->n && words_find(w, "-emit-llvm-bc") < w->n;
  if (!bitcode && words_find(w, "-emit-obj") == w->n)
    return give_up(why, "a pass does not make an object file");
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (words_find(w, refused[i]) < w->n)
      return give_up(why, refused[i]);
  return true;
}

static bool add_step(struct plan *p, const struct compile_task *t, const struct argv *step,
                     const char **why) {
  const char *output = output_of(step);
  if (p->n == PLAN_STEPS / 2 || !output) /* the other half is for the precompiled headers */
    return give_up(why, output ? "too many steps" : "a step without an output");
  struct argv words = {0};
  argv_add_all(&words, step->args);
  struct step *s = &p->steps[p->n++];
  *s = (struct step){.role = STEP_OTHER, .words = words, .output = xstrdup(output)};
  if (!steps_is_cc1(&words))
    return true;
  size_t fatbin = words_find(&words, "-fcuda-include-gpubinary");
  if (words_find(&words, "-fcuda-is-device") < words.n) {
    s->role = STEP_DEVICE;
  } else if (fatbin + 1 < words.n && !p->fatbin) {
    s->role = STEP_HOST;
    p->host = p->n - 1;
    p->fatbin = xstrdup(words.args[fatbin + 1]);
  } else if (t->fragment && fatbin == words.n && !p->hosts++) {
    s->role = STEP_HOST;
    p->host = p->n - 1;
  } else {
    return give_up(why, "a pass that is neither the device's nor the host's");
  }
  return check_pass(&words, t, why);
}

/* FILE is a word, the end of one, or in the middle: --image=file=K.bc,triple=… */
static bool is_named(const struct argv *words, const char *file) {
  for (size_t i = 0; i < words->n; i++)
    if (strstr(words->args[i], file))
      return true;
  return false;
}

/* Which step follows which; the host pass is cut off from the fat binary, which the link waits
 * for. */
static bool order(struct plan *p, bool object, const char *output, const char **why) {
  bool device = false, bundled = object;
  if (object ? !p->hosts : !p->fatbin)
    return give_up(why, "no host pass");
  p->last = p->n - 1;
  for (size_t i = 0; i < p->n; i++) {
    struct step *s = &p->steps[i];
    device |= s->role == STEP_DEVICE;
    bundled |= p->fatbin && strcmp(s->output, p->fatbin) == 0;
    for (size_t j = 0; j < i; j++)
      if (s->role != STEP_HOST && is_named(&s->words, p->steps[j].output))
        s->after |= UINT64_C(1) << j;
    if (i == p->last)
      s->after |= (UINT64_C(1) << i) - 1;
  }
  if (!device || !bundled)
    return give_up(why, "no device pass");
  const struct step *last = &p->steps[p->last];
  bool makes = last->role == STEP_OTHER || (object && last->role == STEP_HOST &&
                                            argv_has_prefix(&last->words, "-fembed-offload-object="));
  if (!makes || strcmp(last->output, output) != 0)
    return give_up(why, "the last step does not make what is wanted");
  return true;
}

bool plan_read(struct plan *p, const struct compile_task *t, const char *text, const char *output,
               const char **why) {
  struct steps steps;
  bool done = true;
  *p = (struct plan){0};
  steps_read(&steps, text);
  for (size_t i = 0; done && i < steps.n; i++)
    done = add_step(p, t, &steps.list[i], why);
  steps_free(&steps);
  if (!done)
    return false;
  return p->n ? order(p, t->fragment, output, why) : give_up(why, "it lists no steps");
}

void plan_free(struct plan *p) {
  for (size_t i = 0; i < p->n; i++) {
    argv_free(&p->steps[i].words);
    free(p->steps[i].output);
    free(p->steps[i].depfile);
  }
  free(p->fatbin);
  free(p->stand_in);
}
