#include "steps.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "ckjit-cuda-steps 3"

enum { TOOL_WORDS = 3 };

/* ---- nvcc's steps ---- */

bool cuda_take_steps(struct cuda *c) {
  const struct {
    enum nvcc_kind kind;
    struct nvcc_step **step;
  } all[] = {{NVCC_HOST_TEXT, &c->host_text},
             {NVCC_FRONT, &c->cudafe},
             {NVCC_DEVICE_TEXT, &c->device_text},
             {NVCC_CICC, &c->cicc},
             {NVCC_PTXAS, &c->ptxas},
             {NVCC_FATBINARY, &c->fatbinary},
             {NVCC_HOST, &c->host}};
  bool whole = true;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    *all[i].step = nvcc_only(&c->nvcc, all[i].kind);
    whole &= *all[i].step != NULL;
  }
  return whole;
}

/* ---- writing ---- */

bool cuda_write(const struct cuda *c, const char *name, const char *text, size_t n) {
  char *file = path_abs_in(c->temporary, name);
  bool done = file_write(file, text, n, 0600);
  free(file);
  return done;
}

/* WORDS with the files FROM and TO by the names that stand for them. */
static void put_step(struct buf *out, const char *what, const struct nvcc_step *s, const char *from,
                     const char *to) {
  struct argv list = {0};
  for (size_t i = 0; i < s->words.n; i++) {
    const char *w = s->words.args[i], *at = from ? strstr(w, from) : NULL;
    if (at && !at[strlen(from)])
      argv_addf(&list, "%.*s" CICC_IN, (int)(at - w), w);
    else if (to && strcmp(w, to) == 0)
      argv_add(&list, CICC_OUT);
    else if (!str_starts(w, "--embedded-fatbin=") && !str_starts(w, "--create="))
      argv_add(&list, w);
  }
  lines_put_all(out, what, &list);
  argv_free(&list);
}

/* A program that kernels will be made by: another one must not go on from this bitcode. */
static void put_tool(struct buf *out, const char *program) {
  char digest[DIGEST_HEX], stamp[STAMP_SIZE];
  digest_file(digest, program);
  toolchain_stamp(stamp, program);
  lines_put(out, "tool", digest, program, stamp, NULL);
}

void cuda_steps_write(const struct cuda *c, struct buf *out) {
  buf_puts(out, HEAD "\n");
  lines_put_all(out, "cicc", &c->back);
  put_step(out, "ptxas", c->ptxas, c->cicc->output, c->ptxas->output);
  put_step(out, "fatbinary", c->fatbinary, c->ptxas->output, NULL);
  lines_put_all(out, "device-only", &c->device_only);
  lines_put_all(out, "env", &c->toolchain);
  put_tool(out, c->cicc->words.args[0]);
  put_tool(out, c->ptxas->words.args[0]);
  put_tool(out, c->fatbinary->words.args[0]);
}

/* ---- reading ---- */

bool cuda_steps_read(struct cuda_steps *s, const char *text) {
  const struct {
    const char *name;
    struct argv *words;
  } keys[] = {{"cicc", &s->cicc},           {"ptxas", &s->ptxas},
              {"fatbinary", &s->fatbinary}, {"device-only", &s->device_only},
              {"env", &s->environment},     {"tool", &s->tools}};
  struct lines l;
  *s = (struct cuda_steps){0};
  bool good = lines_open_text(&l, CUDA_STEPS_SECTION, text, strlen(text), HEAD);
  while (good && lines_next(&l))
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      if (strcmp(l.field[0], keys[i].name) == 0)
        argv_add_all(keys[i].words, l.field + 1);
  good = good && lines_ended(&l);
  lines_close(&l);
  return good && s->cicc.n && s->ptxas.n && s->fatbinary.n && s->tools.n % TOOL_WORDS == 0;
}

void cuda_steps_free(struct cuda_steps *s) {
  argv_free(&s->cicc);
  argv_free(&s->ptxas);
  argv_free(&s->fatbinary);
  argv_free(&s->device_only);
  argv_free(&s->environment);
  argv_free(&s->tools);
}

const char *cuda_steps_other_tool(const struct cuda_steps *s) {
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
