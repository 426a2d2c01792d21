#include "cuda.h"
#include "core/base/childenv.h"
#include "core/cc/compiler.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- nvcc's steps ---- */

/* The one step of KIND; *MORE where there are several. */
static struct nvcc_step *only(struct cuda *c, enum nvcc_kind kind, bool *more) {
  size_t i = nvcc_plan_find(&c->nvcc, kind, 0);
  *more |= i < c->nvcc.n && nvcc_plan_find(&c->nvcc, kind, i + 1) < c->nvcc.n;
  return i < c->nvcc.n ? &c->nvcc.steps[i] : NULL;
}

static const char *make_plan(struct cuda *c) {
  struct argv command = {0};
  compile_command_object(&command, c->t, NULL, NULL, c->object);
  argv_add(&command, "--dryrun");
  char *file = path_join(c->temporary, "dryrun");
  size_t len;
  char *text = plan_ask(&command, &c->env, file) ? file_read(file, &len) : NULL;
  char *unread = text ? nvcc_plan_read(&c->nvcc, text) : NULL;
  const char *why = !text ? "nvcc does not answer --dryrun" : unread ? "nvcc lists no steps" : NULL;
  bool more = false;
  c->text = only(c, NVCC_HOST_TEXT, &more);
  c->front = only(c, NVCC_FRONT, &more);
  c->device = only(c, NVCC_DEVICE_TEXT, &more);
  c->cicc = only(c, NVCC_CICC, &more);
  c->ptxas = only(c, NVCC_PTXAS, &more);
  c->fatbinary = only(c, NVCC_FATBINARY, &more);
  c->host = only(c, NVCC_HOST, &more);
  if (!why &&
      (!c->text || !c->front || !c->device || !c->cicc || !c->ptxas || !c->fatbinary || !c->host || more))
    why = "nvcc has other steps than are known";
  nvcc_environment(&c->nvcc, &c->env);
  free(unread);
  free(text);
  free(file);
  argv_free(&command);
  return why;
}

/* ---- cicc in two: its front end, and the rest ----
 *
 * `cicc` is both: `cicc -lgenfe` is the front end, `cicc -libnvvm` the rest, and each has names of its own
 * for some options. With CUDA 13.0 the machine code of each of flash_fwd_hdim64_bf16_causal_sm80's 18 kernels
 * is byte for byte that of the one. -nvvmir-library is not among them: the device library in the toolkit is
 * not the one that cicc has built in, and sinf of the two differs. */

static const struct {
  const char *word;  /* of cicc; with '=': what is behind it is kept */
  const char *front; /* the same to -lgenfe, NULL: it has no use for it */
  const char *lower; /* to -libnvvm, likewise */
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
    if (words[i].lower)
      argv_addf(&c->lower, "%s%s", words[i].lower, open ? w + n : "");
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

static const char *split_cicc(struct cuda *c, struct argv *front) {
  const struct argv *all = &c->cicc->words;
  if (wants_debug(c))
    return "it is compiled with -G";
  argv_add(front, all->args[0]);
  argv_add(front, "-lgenfe");
  argv_add(&c->lower, all->args[0]);
  argv_add(&c->lower, "-libnvvm");
  for (size_t i = 1; i < all->n; i++) {
    const char *w = all->args[i], *next = i + 1 < all->n ? all->args[i + 1] : NULL;
    if (strcmp(w, "-o") == 0 && next) {
      i++;
    } else if (strcmp(w, "-arch") == 0 && next) {
      argv_add(front, "--nv_arch");
      argv_add(front, next);
      argv_addf(&c->lower, "-arch=%s", next);
      i++;
    } else if (w[0] != '-') {
      argv_add(front, w); /* the value of an option of EDG's, the input */
    } else if (!split_word(c, w, front)) {
      return "cicc is given an option that is not known";
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
  argv_add(&c->lower, CUDA_IN);
  argv_add(&c->lower, "-o");
  argv_add(&c->lower, CUDA_OUT);
  return NULL;
}

/* ---- the files that steps read besides ---- */

bool cuda_write(const struct cuda *c, const char *name, const char *text, size_t n) {
  char *file = path_abs_in(c->temporary, name);
  bool done = file_write(file, text, n, 0600) == 0;
  free(file);
  return done;
}

/* cudafe++ makes up a name for what is internal to the unit and tells it to cicc in a file, so that they
 * would have to run one after the other. It may be any name; ours is the same each time. */
static bool write_module_id(struct cuda *c) {
  const char *file = nvcc_value(c->cicc, "--module_id_file_name");
  struct argv kept = {0};
  for (size_t i = 0; i < c->front->words.n; i++)
    if (strcmp(c->front->words.args[i], "--gen_module_id_file") != 0)
      argv_add(&kept, c->front->words.args[i]);
  argv_free(&c->front->words);
  c->front->words = kept;
  struct buf name = {0}, id = {0};
  for (const char *s = path_base(c->t->source); *s; s++)
    buf_putc(&name, strchr(".-+ ", *s) || (unsigned char)*s >= 0x80 ? '_' : *s);
  buf_printf(&id, "_%.8s_%zu_%s_%.8s_0", c->t->hex, name.len, name.data, c->t->hex + 8);
  bool done = file && file_write(file, id.data, id.len, 0600) == 0;
  buf_free(&name);
  buf_free(&id);
  return done;
}

/* What the host code includes in place of the fat binary. It is registered with nobody. */
static bool write_no_fatbin(const struct cuda *c) {
  static const char text[] = "#include \"fatbinary_section.h\"\n"
                             "static const unsigned long long ckjit_no_fatbin[2] = {0, 0};\n"
                             "static const __fatBinC_Wrapper_t __fatDeviceText = "
                             "{FATBINC_MAGIC, FATBINC_VERSION, (unsigned long long *)ckjit_no_fatbin, 0};\n";
  const char *name = nvcc_value(c->cicc, "--include_file_name");
  return name && cuda_write(c, name, text, sizeof text - 1);
}

static void put_words(struct buf *out, const char *what, const struct argv *list) {
  char *text = argv_join(list->args);
  buf_printf(out, "%s %s\n", what, text);
  free(text);
}

/* WORDS with the files FROM and TO by the names that stand for them. */
static void put_step(struct buf *out, const char *what, const struct nvcc_step *s, const char *from,
                     const char *to) {
  struct argv list = {0};
  for (size_t i = 0; i < s->words.n; i++) {
    const char *w = s->words.args[i], *at = from ? strstr(w, from) : NULL;
    if (at && !at[strlen(from)])
      argv_addf(&list, "%.*s" CUDA_IN, (int)(at - w), w);
    else if (to && strcmp(w, to) == 0)
      argv_add(&list, CUDA_OUT);
    else if (!str_starts(w, "--embedded-fatbin=") && !str_starts(w, "--create="))
      argv_add(&list, w);
  }
  put_words(out, what, &list);
  argv_free(&list);
}

/* A program that kernels will be made by: another one must not go on from this bitcode. */
static void put_tool(struct buf *out, const char *program) {
  char digest[DIGEST_HEX], stamp[STAMP_SIZE];
  digest_file(digest, program);
  toolchain_stamp(stamp, program);
  buf_printf(out, "tool %s ", digest);
  argv_quote(out, program);
  buf_putc(out, ' ');
  argv_quote(out, stamp);
  buf_putc(out, '\n');
}

/* How to go on from the bitcode, as kernel.c reads it. */
static bool write_steps(const struct cuda *c) {
  struct buf out = {0};
  buf_puts(&out, CUDA_STEPS_HEAD "\n");
  put_words(&out, "cicc", &c->lower);
  put_step(&out, "ptxas", c->ptxas, c->cicc->output, c->ptxas->output);
  put_step(&out, "fatbinary", c->fatbinary, c->ptxas->output, NULL);
  buf_printf(&out, "host ");
  argv_quote(&out, c->host->words.args[0]);
  buf_putc(&out, '\n');
  put_tool(&out, c->cicc->words.args[0]);
  put_tool(&out, c->ptxas->words.args[0]);
  bool done = cuda_write(c, "steps", out.data, out.len);
  buf_free(&out);
  return done;
}

static bool write_sections(const struct cuda *c) {
  char *text = xasprintf(".section " CUDA_BITCODE_SECTION ", \"\", @progbits\n.incbin \"%s\"\n"
                         ".section " CUDA_STEPS_SECTION ", \"\", @progbits\n.incbin \"%s/steps\"\n"
                         ".section .note.GNU-stack, \"\", @progbits\n",
                         c->bitcode, c->temporary);
  bool done = cuda_write(c, "sections.s", text, strlen(text));
  free(text);
  return done;
}

/* ---- the first run: everything up to the host's object ---- */

struct step *cuda_step(struct plan *p, const char *name, const struct argv *list, uint64_t after) {
  struct step *s = &p->steps[p->n++];
  *s = (struct step){.kind = STEP_OTHER, .name = name, .after = after};
  argv_add_all(&s->words, list->args);
  p->last = p->n - 1;
  return s;
}

/* An object of the section that the bitcode is put into. */
static void assemble_words(const struct cuda *c, struct argv *list) {
  argv_add(list, c->host->words.args[0]);
  argv_add(list, "-c");
  argv_addf(list, "%s/sections.s", c->temporary);
  argv_add(list, "-o");
  argv_addf(list, "%s/sections.o", c->temporary);
}

/* The steps in order of what matters first, where there are fewer processors than steps: the device's front
 * end, which takes longest, then what the host's compile waits for. EARLY: the stub is made of its own. */
static void add_passes(struct cuda *c, struct plan *p, const struct argv *front, struct cuda_stub *early) {
  enum { DEVICE = 1, CICC = 2, TEXT = 4, FRONT = 8, STUB = 16 };
  struct argv assemble = {0};
  assemble_words(c, &assemble);
  cuda_step(p, "device text", &c->device->words, 0);
  cuda_step(p, "device front end", front, DEVICE);
  cuda_step(p, "host text", &c->text->words, 0);
  cuda_step(p, "host front end", &c->front->words, TEXT);
  if (early) {
    struct step *s = cuda_step(p, "stub", &early->words, DEVICE);
    s->prepare = cuda_stub_prepare;
    s->data = early;
    s->optional = true;
  }
  cuda_step(p, "host pass", &c->host->words, early ? FRONT | STUB : FRONT | CICC)->optional = early != NULL;
  cuda_step(p, "bitcode", &assemble, CICC);
  argv_free(&assemble);
}

/* The host's code once more, with the front end's own stub. */
static const char *compile_host_again(struct cuda *c, const struct cuda_stub *early) {
  struct plan p = {0};
  if (c->t->verbose)
    note("%s: the bodies of its kernels matter to its host code, which is compiled again", c->t->stem);
  cuda_step(&p, "host pass", &c->host->words, 0);
  const char *why =
      cuda_stub_correct(early) ? plan_run(c->t, &p, &c->env, c->log) : "a temporary file cannot be written";
  plan_free(&p);
  return why;
}

static const char *run_passes(struct cuda *c) {
  struct plan p = {0};
  struct argv front = {0};
  struct cuda_stub early = {0};
  const char *why = split_cicc(c, &front);
  if (!why && (!write_module_id(c) || !write_no_fatbin(c) || !write_steps(c) || !write_sections(c)))
    why = "a temporary file cannot be written";
  if (!why) {
    bool planned = cuda_stub_plan(&early, &front, c->device->output, c->bitcode, c->temporary);
    add_passes(c, &p, &front, planned ? &early : NULL);
    why = plan_run(c->t, &p, &c->env, c->log);
    if (!why && planned && (access(c->object, F_OK) != 0 || !cuda_stub_held(&early)))
      why = compile_host_again(c, &early);
  }
  plan_free(&p);
  cuda_stub_free(&early);
  argv_free(&front);
  return why;
}

/* ---- the attempt ---- */

/* One GPU's code, not PTX: what the driver compiles by itself is not ours to take apart. */
static bool is_eligible(const struct compile_task *t) {
  const char *off = env_get("CK_JIT_PER_KERNEL");
  return t->per_kernel && compiler_dialect(t->compiler) == CC_NVCC && !t->launcher.n &&
         str_starts(t->archs, "sm_") && !strchr(t->archs, ';') && !(off && strcmp(off, "0") == 0);
}

bool compile_cuda(const struct compile_task *t, const char *temporary, const char *output) {
  if (!is_eligible(t))
    return false;
  struct cuda c = {.t = t,
                   .temporary = temporary,
                   .bitcode = path_join(temporary, "front.bc"),
                   .object = path_join(temporary, "host.o")};
  char *log = path_join(temporary, "kernels-log");
  c.log = open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  childenv_copy(&c.env);
  childenv_set(&c.env, "TMPDIR", temporary);
  const char *why = c.log < 0 ? "no log" : make_plan(&c);
  if (!why)
    why = run_passes(&c);
  if (!why)
    why = cuda_link(&c, output);
  if (t->verbose)
    note("%s: %s%s", t->stem, why ? "compiled whole: " : "its kernels are compiled when they are launched",
         why ? why : "");
  if (c.log >= 0)
    close(c.log);
  nvcc_plan_free(&c.nvcc);
  argv_free(&c.env);
  argv_free(&c.lower);
  free(c.bitcode);
  free(c.object);
  free(log);
  return !why;
}
