/* compiler.c - kinds of compiler by name, and which architectures a command line asks for. */
// tier: check
#include "core/cc/compiler.h"

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

static const struct {
  const char *name, *kind;
} names[] = {{"nvcc", "cuda"}, {"/opt/cuda/bin/nvcc", "cuda"}, {"nvcc-12.8", "cuda"},
             {"hipcc", "hip"}, {"amdclang++", "hip"},          {"clang++-22", "hip"},
             {"c++", NULL},    {"/usr/bin/g++-12", NULL},      {"x86_64-linux-gnu-g++", NULL}};

static void check_names(void) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct compiler *c = compiler_of(names[i].name);
    expect(names[i].name, c ? c->kind : NULL, names[i].kind);
    bool nvcc = names[i].kind && strcmp(names[i].kind, "cuda") == 0;
    if ((compiler_dialect(names[i].name) == CC_NVCC) != nvcc) {
      fprintf(stderr, "%s: another dialect\n", names[i].name);
      bad = 1;
    }
  }
  expect("by default", compiler_named(NULL)->kind, "hip");
  expect("cuda", compiler_named("cuda")->name, "nvcc");
  if (compiler_named("x") || compiler_named("")) {
    fprintf(stderr, "there is a kind 'x' or ''\n");
    bad = 1;
  }
}

/* What a line asks for; and said again in the words of compiler_add_arch; NULL: by the words WANT has. */
static const struct {
  const char *compiler, *line, *want, *again;
} lines[] = {
    {"hipcc", "--offload-arch=gfx942 --offload-arch gfx950 --offload-arch=gfx942 x.cu", "gfx942 gfx950",
     "--offload-arch=gfx942 --offload-arch=gfx950"},
    {"nvcc", "-c x.cu", "", ""},
    {"nvcc",
     "-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode "
     "arch=compute_80,code=sm_80",
     "sm_80 sm_90", "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90"},
    {"nvcc", "--generate-code=arch=compute_90a,code=sm_90a --generate-code arch=compute_90,code=compute_90",
     "sm_90a compute_90", "-gencode=arch=compute_90a,code=sm_90a -gencode=arch=compute_90,code=compute_90"},
    {"nvcc", "-gencode arch=compute_80,code=[sm_80,sm_86,compute_80]", "sm_80 sm_86:compute_80 compute_80",
     "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=sm_86 "
     "-gencode=arch=compute_80,code=compute_80"},
    {"nvcc", "'-gencode=arch=compute_90,code=\"sm_90,compute_90\"'", "sm_90 compute_90",
     "-gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90"},
    {"nvcc", "-gencode code=sm_90,arch=compute_90", "sm_90", "-gencode=arch=compute_90,code=sm_90"},
    {"nvcc", "-arch=sm_90", "sm_90 compute_90",
     "-gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90"},
    {"nvcc", "-arch sm_80 -arch sm_90a", "sm_90a compute_90a", /* the last counts */
     "-gencode=arch=compute_90a,code=sm_90a -gencode=arch=compute_90a,code=compute_90a"},
    {"nvcc", "--gpu-architecture=compute_80 --gpu-code=sm_80,sm_89", "sm_80 sm_89:compute_80",
     "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=sm_89"},
    {"nvcc", "-arch=native", "native", "-arch=native"},
    {"nvcc", "-arch all-major", "all-major", "-arch=all-major"},
    {"nvcc", "-Xcompiler -arch=sm_10 -D code=sm_20", "", ""},
};

static void check_archs(void) {
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct argv args = {0}, archs = {0}, again = {0}, back = {0};
    argv_split(&args, lines[i].line, strlen(lines[i].line));
    compiler_archs(&archs, lines[i].compiler, args.args);
    char *text = archs.n ? argv_join(archs.args) : xstrdup("");
    expect(lines[i].line, text, lines[i].want);
    for (size_t k = 0; k < archs.n; k++)
      compiler_add_arch(&again, lines[i].compiler, archs.args[k], strlen(archs.args[k]));
    char *said = again.n ? argv_join(again.args) : xstrdup("");
    expect(lines[i].line, said, lines[i].again);
    if (again.n)
      compiler_archs(&back, lines[i].compiler, again.args);
    char *same = back.n ? argv_join(back.args) : xstrdup("");
    expect(said, same, lines[i].want);
    free(text);
    free(said);
    free(same);
    argv_free(&args);
    argv_free(&archs);
    argv_free(&again);
    argv_free(&back);
  }
}

static void check_words(void) {
  static const char *const line =
      "-O3 -gencode arch=compute_80,code=sm_80 -arch=sm_90 -code sm_90 -I arch x.cu";
  struct argv args = {0};
  struct ccargs a;
  size_t found = 0;
  argv_split(&args, line, strlen(line));
  ccargs_scan(&a, CC_NVCC, args.args);
  for (size_t i = 0; i < a.nwords; i++)
    found += compiler_is_arch("nvcc", &a.words[i], args.args);
  if (found != 3) {
    fprintf(stderr, "%s: %zu words are about architectures\n", line, found);
    bad = 1;
  }
  ccargs_free(&a);
  argv_free(&args);
}

int main(void) {
  check_names();
  check_archs();
  check_words();
  return bad;
}
