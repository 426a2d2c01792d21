/* nvcc.c - what `nvcc --dryrun` says, read as steps: as CUDA 13.0 says it, and forms that it might have. */
// tier: check
#include "core/cc/nvcc.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void expect(const char *what, const char *got, const char *want) {
  if (!got != !want || (got && strcmp(got, want) != 0)) {
    fprintf(stderr, "%s\n  want %s\n  got  %s\n", what, want ? want : "(none)", got ? got : "(none)");
    bad = 1;
  }
}

static void expect_number(const char *what, size_t got, size_t want) {
  if (got != want) {
    fprintf(stderr, "%s: want %zu, got %zu\n", what, want, got);
    bad = 1;
  }
}

/* the kinds of P's steps, a letter each */
static void expect_kinds(const char *what, const struct nvcc_plan *p, const char *want) {
  char *kinds = xcalloc(p->n + 1, 1);
  for (size_t i = 0; i < p->n; i++)
    kinds[i] = "TFDCPBHRO"[p->steps[i].kind];
  expect(what, kinds, want);
  free(kinds);
}

/* P of TEXT, and WANT as what is wrong with it */
static void read_plan(const char *what, struct nvcc_plan *p, const char *text, const char *want) {
  char *err = NULL;
  bool read = nvcc_plan_read(p, text, &err);
  expect(what, err, want);
  expect_number(what, read, !want);
  free(err);
}

static void check_recorded(void) {
  static const struct {
    const char *file, *kinds;
  } recorded[] = {{"test/fuzz/corpus/nvcc/one", "TFDCPBRH"}, {"test/fuzz/corpus/nvcc/two", NULL}};
  for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
    size_t len;
    char *text = file_read(recorded[i].file, &len);
    if (!text)
      die(EXIT_FAILED, "%s: cannot be read; start this from the top directory", recorded[i].file);
    struct nvcc_plan p;
    read_plan(recorded[i].file, &p, text, NULL);
    if (recorded[i].kinds)
      expect_kinds(recorded[i].file, &p, recorded[i].kinds);
    const struct nvcc_step *cicc = p.first[NVCC_CICC], *bin = nvcc_only(&p, NVCC_FATBINARY),
                           *host = nvcc_only(&p, NVCC_HOST), *front = nvcc_only(&p, NVCC_FRONT);
    expect_number("two architectures have two", p.count[NVCC_CICC], i + 1);
    expect_number("of two none is the only one", nvcc_only(&p, NVCC_CICC) == cicc, !i);
    /* $CICC_PATH is nvcc's own variable */
    expect("cicc", cicc->words.args[0], "/opt/cuda/bin/../nvvm/bin/cicc");
    expect("-arch", nvcc_value(cicc, "-arch"), i ? "compute_80" : "compute_90");
    expect("none", nvcc_value(cicc, "--none"), NULL);
    expect("joined", nvcc_value(bin, "--cicc-cmdline"), "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 ");
    expect("output of fatbinary", bin->output, nvcc_value(bin, "--embedded-fatbin"));
    expect("output", host->output, "s.o");
    expect("output of cudafe++", front->output, nvcc_value(front, "--gen_c_file_name"));
    nvcc_plan_free(&p);
    free(text);
  }
}

static void check_forms(void) {
  struct nvcc_plan p;
  read_plan("of nothing", &p, "", "it lists no steps");
  read_plan("of an error", &p, "nvcc fatal   : Unknown option '-x'\n#$ PATH=/bin\n", "it lists no steps");
  nvcc_plan_free(&p);
  struct buf bomb = {0};
  buf_puts(&bomb, "#$ A=12345678\n");
  for (int i = 0; i < 60; i++)
    buf_puts(&bomb, "#$ A=$A$A\n");
  read_plan("of a value without end", &p, bomb.data, "it is longer than any commands are");
  buf_free(&bomb);
  nvcc_plan_free(&p);

  /* variables: a later one counts, what is none of nvcc's stays, as does a program that is nowhere */
  read_plan("variables", &p,
            "note\n#$ A=1\n#$ A=$A/2\n#$ PATH=/nonexistent\n#$ \"$A/ptxas\" -o $HOME $A$A$ -A=3\n#$ ", NULL);
  expect_number("of variables", p.env.n, 3);
  expect("A", p.env.args[1], "A=1/2");
  expect_number("steps", p.n, 1);
  expect("program", p.steps[0].words.args[0], "1/2/ptxas");
  expect("another's variable", p.steps[0].output, "$HOME");
  expect("twice", p.steps[0].words.args[3], "1/21/2$");
  nvcc_plan_free(&p);

  /* redirected, as with --threads; a file with a blank */
  read_plan("redirected", &p,
            "#$ ptxas \"a b.ptx\" -o \"a b.cubin\" > /tmp/x 2>&1\n#$ rm x\n#$ nvlink -o y\n#$ gcc -x c y",
            NULL);
  expect_kinds("redirected", &p, "PROO");
  expect_number("words", p.steps[0].words.n, 4);
  expect("blank", p.steps[0].output, "a b.cubin");
  expect_number("there is none", p.count[NVCC_CICC] + (p.first[NVCC_CICC] != NULL), 0);
  struct argv words = {0};
  argv_split(&words, "x --a b --c=d --ab e --a f", 26);
  char *old = nvcc_exchange_value(&words, "--a", "1"), *joined = nvcc_exchange_value(&words, "--c", "2 3");
  char *text = argv_join(words.args), *none = nvcc_exchange_value(&words, "f", "4");
  expect("exchanged", old, "b");
  expect("exchanged, joined", joined, "d");
  expect("words", text, "x --a 1 --c=2\\ 3 --ab e --a f");
  expect("nothing to exchange", none, NULL);
  free(old);
  free(joined);
  free(text);
  argv_free(&words);
  expect("an option at the end has no value", nvcc_value(&p.steps[3], "y"), NULL);
  nvcc_plan_free(&p);
}

int main(void) {
  check_recorded();
  check_forms();
  return bad;
}
