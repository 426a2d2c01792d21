#include "frontsteps.h"
#include "compile/environment.h"
#include "compile/learnt.h"
#include "compile/seen.h"
#include "compile/variant.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#define HEAD "ckjit-steps 5"

enum { TOOL_WORDS = 3 };

/* ---- writing ---- */

/* WORDS with the files FROM and TO by the names that stand for them. */
static void put_step(struct buf *out, const char *what, const struct argv *words, const char *from,
                     const char *to) {
  autofree_argv list = {0};
  for (size_t i = 0; i < words->n; i++) {
    const char *w = words->args[i], *at = from ? strstr(w, from) : NULL;
    if (at && !at[strlen(from)])
      argv_addf(&list, "%.*s" CICC_IN, (int)(at - w), w);
    else if (to && strcmp(w, to) == 0)
      argv_add(&list, CICC_OUT);
    else if (!str_starts(w, "--embedded-fatbin=") && !str_starts(w, "--create="))
      argv_add(&list, w);
  }
  lines_put_all(out, what, &list);
}

static void put_digest(struct buf *out, const char *program, const char *digest) {
  char stamp[STAMP_SIZE];
  toolchain_stamp(stamp, program);
  lines_put(out, "tool", digest, program, stamp, NULL);
}

/* A program that T's kernels will be made by: another one must not go on from this bitcode. Those of nvcc are 100 MB,
 * read once for a cache. */
static void put_tool(struct buf *out, const struct compile_task *t, const char *program) {
  char digest[DIGEST_HEX];
  learnt_digest(t, program, digest);
  put_digest(out, program, digest);
}

static void add_real(struct argv *files, const char *file) {
  char *real = realpath(file, NULL);
  argv_add_own(files, real ? real : xstrdup(file));
}

/* The compiler of T, a driver, and what it starts: the programs that this compile ran, and the files
 * of the library's compiler. */
static void put_tools(struct buf *out, const struct compile_task *t) {
  autofree_argv files = {0};
  char digest[DIGEST_HEX];
  add_real(&files, t->compiler);
  for (size_t i = 0; t->seen && i < t->seen->programs.n; i++)
    add_real(&files, t->seen->programs.args[i]);
  for (size_t i = 0; t->seen && i < t->inputs->ntools; i++)
    argv_add(&files, t->inputs->tools[i].path);
  argv_unique(&files);
  for (size_t i = 0; i < files.n; i++) {
    if (t->seen)
      variant_digest(t, t->inputs, files.args[i], digest);
    else
      digest_file(digest, files.args[i]);
    put_digest(out, files.args[i], digest);
  }
}

void frontsteps_write_host(const struct cuda *c, struct buf *out) {
  if (c->host_writes)
    lines_put_all(out, "host-writes-all-but", &c->device_only);
}

void frontsteps_write(const struct cuda *c, struct buf *out) {
  buf_puts(out, HEAD "\n");
  lines_put_all(out, "cicc", &c->back);
  put_step(out, "ptxas", &c->ptxas->words, c->cicc->output, c->ptxas->output);
  put_step(out, "fatbinary", &c->fatbinary->words, c->ptxas->output, NULL);
  lines_put_all(out, "env", &c->toolchain);
  put_tool(out, c->t, c->cicc->words.args[0]);
  put_tool(out, c->t, c->ptxas->words.args[0]);
  put_tool(out, c->t, c->fatbinary->words.args[0]);
}

void frontsteps_write_words(const struct compile_task *t, const struct argv *words, struct buf *out) {
  autofree_argv environment = {0}, all = {0};
  argv_add(&all, t->compiler);
  argv_add_all(&all, words->args);
  environment_toolchain(t, &environment);
  buf_puts(out, HEAD "\n");
  lines_put_all(out, "device", &all);
  lines_put_all(out, "env", &environment);
  put_tools(out, t);
}

void frontsteps_write_clang(const struct compile_task *t, const struct argv *back, const struct argv *link,
                            const char *object, const char *code, bool constants, struct buf *out) {
  autofree_argv environment = {0};
  environment_toolchain(t, &environment);
  buf_puts(out, HEAD "\n");
  lines_put_all(out, "clang", back);
  put_step(out, "lld", link, object, code);
  lines_put_all(out, "env", &environment);
  put_tool(out, t, back->args[0]);
  put_tool(out, t, link->args[0]);
  if (constants)
    lines_put(out, "host-writes-all-but", NULL);
}

/* ---- reading ---- */

bool frontsteps_read(struct frontsteps *s, const char *text) {
  const struct {
    const char *name;
    struct argv *words;
  } keys[] = {{"cicc", &s->cicc},
              {"ptxas", &s->ptxas},
              {"fatbinary", &s->fatbinary},
              {"host-writes-all-but", &s->device_only},
              {"env", &s->environment},
              {"tool", &s->tools},
              {"device", &s->device},
              {"clang", &s->clang},
              {"lld", &s->lld}};
  struct lines l;
  *s = (struct frontsteps){0};
  bool good = lines_open_text(&l, FRONT_STEPS, text, strlen(text), HEAD);
  while (good && lines_next(&l))
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      if (strcmp(l.field[0], keys[i].name) == 0) {
        argv_add_all(keys[i].words, l.field + 1);
        s->host_writes |= keys[i].words == &s->device_only;
      }
  good = good && lines_ended(&l);
  lines_close(&l);
  return good && s->tools.n % TOOL_WORDS == 0 &&
         (s->device.n || (s->clang.n && s->lld.n) || (s->cicc.n && s->ptxas.n && s->fatbinary.n));
}

void frontsteps_free(struct frontsteps *s) {
  argv_free(&s->cicc);
  argv_free(&s->ptxas);
  argv_free(&s->fatbinary);
  argv_free(&s->device_only);
  argv_free(&s->environment);
  argv_free(&s->tools);
  argv_free(&s->device);
  argv_free(&s->clang);
  argv_free(&s->lld);
}

const char *frontsteps_other_tool(const struct frontsteps *s) {
  for (size_t i = 0; i < s->tools.n; i += TOOL_WORDS) {
    char stamp[STAMP_SIZE], digest[DIGEST_HEX];
    const char *program = s->tools.args[i + 1];
    toolchain_stamp(stamp, program);
    if (strcmp(stamp, s->tools.args[i + 2]) == 0)
      continue;
    if (!digest_file(digest, program) || strcmp(digest, s->tools.args[i]) != 0)
      return program;
  }
  return NULL;
}
