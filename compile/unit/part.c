/* part.c - see part.h.
 *
 *     cicc -lgenfe …               the unit's text to bitcode, as for a unit that is not linked
 *     cicc -libnvvm … -gen-lto     to LTO-IR; `cicc -lto` is both at once, but nothing would say what is in it
 *
 * HIP's part is bitcode alone (linkhip.c).
 */
#include "part.h"
#include "cudasteps.h"
#include "frontsteps.h"
#include "linkhip.h"
#include "compile/carried.h"
#include "compile/codeentry.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "compile/variant.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/device/rdc.h"
#include "core/files/unitkey.h"
#include "core/files/unittext.h"

#define LTOIR_SECTION ".ckjit.ltoir"
#define OPTIONS_SECTION ".ckjit.link"
#define DEVICE_ONLY_SECTION ".ckjit.deviceonly"

/* ---- making it ---- */

/* What the steps say that decides about the code, for nvJitLink, which runs the rest of cicc and ptxas itself: a line each. */
static void put_options(const struct cuda *c, struct buf *out) {
  static const char *const of_cicc[] = {"-ftz=", "-prec-div=", "-prec-sqrt=", "-fma="};
  for (size_t i = 0; i < c->back.n; i++)
    for (size_t k = 0; k < sizeof of_cicc / sizeof *of_cicc; k++)
      if (str_starts(c->back.args[i], of_cicc[k]))
        buf_printf(out, "%s\n", c->back.args[i]);
  buf_puts(out, argv_has(&c->back, "-generate-line-info") ? "-lineinfo\n" : "");
  const struct argv *ptxas = c->ptxas ? &c->ptxas->words : NULL;
  for (size_t i = 1; ptxas && i < ptxas->n; i++) {
    const char *w = ptxas->args[i];
    bool own = strcmp(w, "-m64") == 0 || strcmp(w, "--compile-only") == 0 || str_starts(w, "-arch=") ||
               strstr(w, "generate-line-info") || strcmp(w, "-lineinfo") == 0;
    if (strcmp(w, "-o") == 0)
      i++;
    else if (w[0] == '-' && !own)
      buf_printf(out, "-Xptxas=%s\n", w);
  }
}

/* The two steps of cicc. */
static bool run_steps(struct cuda *c, const char *ltoir, char **err) {
  autofree_argv front = {0}, back = {0};
  const char *why = NVCC_UNKNOWN_STEPS;
  bool done = c->cicc && cicc_divide(c->cicc, c->ptxas, c->bitcode, &front, &c->back, &why);
  for (size_t i = 0; i < c->back.n; i++)
    argv_add(&back, strcmp(c->back.args[i], CICC_IN) == 0    ? c->bitcode
                    : strcmp(c->back.args[i], CICC_OUT) == 0 ? ltoir
                                                             : c->back.args[i]);
  argv_add(&back, "-gen-lto");
  done = done && cudasteps_run_front(c, &front, &why) && cudasteps_run(c, "device", &back, &why);
  return done || cudasteps_fail(c, why, err);
}

/* A text of each section ends with a NUL, so that none is empty. */
static bool make_entry(const struct cuda *c, const char *ltoir, const char *output, char **err) {
  autofree char *names = argv_join(c->device_only.args);
  autofree_buf options = {0};
  put_options(c, &options);
  buf_putc(&options, 0);
  const struct code_section sections[] = {
      {.name = DEVICE_ONLY_SECTION, .align = 1, .bytes = names, .len = strlen(names) + 1},
      {.name = LTOIR_SECTION, .align = 1, .file = ltoir},
      {.name = FRONT_BITCODE, .align = 1, .file = c->bitcode},
      {.name = OPTIONS_SECTION, .align = 1, .bytes = options.data, .len = options.len},
  };
  return codeentry_write(c->t, output, sections, 4, err);
}

/* HIP's part is one text; lld reads its bitcode, and so do we. */
static bool make_hip(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  autofree char *bitcode = path_join(temporary, "part.bc");
  const struct code_section sections[] = {
      {.name = DEVICE_ONLY_SECTION, .align = 1, .bytes = "", .len = 1},
      {.name = FRONT_BITCODE, .align = 4, .file = bitcode},
      {.name = OPTIONS_SECTION, .align = 1, .bytes = "", .len = 1},
  };
  return hippart_compile(t, temporary, bitcode, err) && codeentry_write(t, output, sections, 3, err);
}

bool part_make(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct cuda c;
  if (task_is_hip(t))
    return make_hip(t, temporary, output, err);
  autofree char *ltoir = path_join(temporary, "part.ltoir");
  bool done = cudasteps_open(&c, t, temporary, err) && run_steps(&c, ltoir, err) &&
              make_entry(&c, ltoir, output, err);
  cudasteps_free(&c);
  return done;
}

/* ---- its entry ---- */

/* Is F's text the one that its key was made of? */
static bool check_text(const struct compile_task *f, const struct linkedunit *u, char **err) {
  autofree_buf lines = {0};
  char key[DIGEST_HEX];
  autofree char *why = NULL;
  bool done = unitkey_file(&lines, f->source, &why) || task_fail(f, err, "%s", why);
  if (done && f->inputs) {
    unitkey_make(key, &lines, f->kind->dialect, u->device.args, f->inputs->compiler);
    done =
        strcmp(key, u->key) == 0 ||
        task_fail(
            f, err,
            "%s is not the text that the library was linked with; build the unit again, and link the library",
            f->source);
  }
  return done;
}

/* F: the part of U for ARCH, which T needs. task_free it in any case. */
static bool part_task(struct compile_task *f, const struct compile_task *t, const struct linkedunit *u,
                      const char *arch, char **err) {
  uint8_t key[CKJIT_KEY_SIZE] = {0};
  bool sound = ckjit_hex_parse(key, sizeof key, u->key);
  task_for(f, t, u->stem, key, arch, CKJIT_UNIT_PART_NAME);
  f->flags = (struct argv){0};
  f->cc = (struct ccargs){0};
  argv_add_all(&f->flags, u->device.args);
  task_scan(f);
  carried_adapt(f);
  f->said_flags = argv_join(u->device.args);
  f->stamps = NULL; /* a text is compared with its digest when it is read */
  autofree char *dir = path_dir(t->source);
  f->program_text = u->program_text;
  f->source = u->program_text ? xstrndup(u->program_text, strcspn(u->program_text, "\n"))
                              : xasprintf("%s/%s" UNITTEXT_EXT, dir, u->key);
  if (!sound)
    return task_fail(t, err, "%s: the unit %s has the invalid key %s; link the library again", t->source,
                     u->stem, u->key);
  variant_identify(f);
  return f->program_text || check_text(f, u, err);
}

/* ---- what it holds ---- */

static void take_symbol(const struct rdc_symbol *s, void *user) {
  struct part_code *code = user;
  if (s->defined && s->global && s->function) {
    argv_add(&code->defines, s->name);
    if (!s->weak)
      argv_add(&code->strong, s->name);
  } else if (!s->defined && !s->weak)
    argv_add(&code->needs, s->name);
}

static bool read_file(const struct compile_task *t, struct part_code *code, const char *file, char **err) {
  size_t len, nbitcode = 0, noptions, nnames;
  autofree char *bytes = file_read(file, &len), *bitcode = NULL, *options = NULL, *names = NULL;
  struct elf e;
  if (bytes && elf_open(&e, bytes, len, NULL)) {
    code->ltoir = codeentry_section(&e, LTOIR_SECTION, &code->len);
    bitcode = codeentry_section(&e, FRONT_BITCODE, &nbitcode);
    options = codeentry_section(&e, OPTIONS_SECTION, &noptions);
    names = codeentry_section(&e, DEVICE_ONLY_SECTION, &nnames);
  }
  autofree_argv device_only = {0};
  if (names)
    argv_split(&device_only, names, strlen(names));
  struct nvvm_facts facts = {0};
  const char *why;
  if (!code->ltoir && bitcode) {
    code->ltoir = xmalloc(nbitcode + 1);
    memcpy(code->ltoir, bitcode, nbitcode);
    code->len = nbitcode;
  }
  bool done = code->ltoir && options && bitcode && bitcode_symbols(bitcode, nbitcode, take_symbol, code) &&
              nvvm_graph_facts(bitcode, nbitcode, &device_only, &facts, &why);
  if (done && !nvvm_graph_read(&code->graph, bitcode, nbitcode, &why))
    nvvm_graph_free(&code->graph);
  argv_add_all(&code->variables, facts.variables.args);
  argv_drop_all(&code->needs, &facts.dynamic);
  nvvm_facts_free(&facts);
  for (char *p = options; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
    argv_add_own(&code->options, xstrndup(p, strcspn(p, "\n")));
  return done ||
         task_fail(
             t, err,
             "%s does not hold a unit's code as this version of ckjit writes it; remove it, and ckjit compiles it again",
             file);
}

bool part_get(const struct compile_task *t, const struct linkedunit *u, const char *arch, need_fn *need,
              const char *temporary, struct part_code *code, char **err) {
  struct compile_task f;
  enum whose whose;
  *code = (struct part_code){0};
  autofree char *file = NULL;
  bool done = part_task(&f, t, u, arch, err) && (temporary || need(&f, &whose, err));
  if (done && (file = cudasteps_entry(&f, temporary ? temporary : f.dir, part_make, err)))
    done = read_file(t, code, file, err);
  else
    done = false;
  if (!done && *err &&
      strncmp(u->stem, t->stem, strlen(u->stem)) != 0) { /* a matter of the kernel that needs it */
    char *whole = xasprintf("%s: it needs %s: %s", t->stem, u->stem, *err);
    free(*err);
    *err = whole;
  }
  task_free(&f);
  return done;
}

void part_code_free(struct part_code *code) {
  free(code->ltoir);
  nvvm_graph_free(&code->graph);
  argv_free(&code->defines);
  argv_free(&code->strong);
  argv_free(&code->needs);
  argv_free(&code->options);
  argv_free(&code->variables);
}
