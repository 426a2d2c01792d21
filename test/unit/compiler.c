/* compiler.c - kinds of compiler by name, and which architectures a command line asks for.
 *
 * Tables: what a program's name says, and what it is taken for if it is named in another's place; which compilers have a device;
 * which words of a command line are architectures, in each dialect.
 */
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

/* What a name says; and what the program is, if it is named in the place of hipcc, of nvcc, of g++ */
static const struct {
  const char *name, *kind, *hip, *cuda, *cxx;
} names[] = {{"nvcc", "cuda", "hip", "cuda", "c++"},
             {"/opt/cuda/bin/nvcc", "cuda", "hip", "cuda", "c++"},
             {"nvcc-12.8", "cuda", "hip", "cuda", "c++"},
             {"hipcc", "hip", "hip", "cuda", "hip"},
             {"hipcc.bin", "hip", "hip", "cuda", "hip"},
             {"amdclang++", "clang", "clang", "cuda", "clang"},
             {"/opt/rocm/llvm/bin/clang++-22", "clang", "clang", "cuda", "clang"},
             {"c++", "c++", "c++", "cuda", "c++"},
             {"/usr/bin/g++-12", "c++", "c++", "cuda", "c++"},
             {"x86_64-linux-gnu-g++", "c++", "c++", "cuda", "c++"},
             {"/opt/my-nvcc", "clang", "hip", "cuda", "c++"},
             {"", "clang", "hip", "cuda", "c++"}};

static void check_names(void) {
  const struct compiler *hip = compiler_of_home(NULL), *cuda = compiler_of_home("cuda"),
                        *cxx = compiler_of_kind("c++");
  expect("by default", hip->kind, "hip");
  expect("cuda", cuda->name, "nvcc");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    expect(names[i].name, compiler_by_name(names[i].name)->kind, names[i].kind);
    expect(names[i].name, compiler_meant(hip, names[i].name)->kind, names[i].hip);
    expect(names[i].name, compiler_meant(cuda, names[i].name)->kind, names[i].cuda);
    expect(names[i].name, compiler_meant(cxx, names[i].name)->kind, names[i].cxx);
  }
  static const char *const kinds[] = {"hip", "cuda", "clang", "c++"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    expect(kinds[i], compiler_of_kind(kinds[i])->kind, kinds[i]);
  if (compiler_of_kind("x") || compiler_of_kind("") || compiler_of_home("x") || compiler_of_home("clang")) {
    fprintf(stderr, "there is a kind 'x' or '', or a home of kind 'x' or 'clang'\n");
    bad = 1;
  }
}

/* Which compiles are for a GPU as well. */
static const struct {
  const char *kind, *line;
  bool device;
} devices[] = {{"hip", "-c x.cpp", true},    {"hip", "-c x.cu", true},     {"cuda", "-c x.cu", true},
               {"clang", "-c x.cpp", false}, {"clang", "-c x.hip", true},  {"clang", "-x hip -c x.cpp", true},
               {"clang", "-c x.cu", false},  {"c++", "-x hip -c x", false}};

static void check_devices(void) {
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    const struct compiler *c = compiler_of_kind(devices[i].kind);
    struct argv args = {0};
    struct ccargs a;
    argv_split(&args, devices[i].line, strlen(devices[i].line));
    ccargs_scan(&a, c->dialect, args.args);
    expect(devices[i].line, compiler_has_device(c, &a) ? "device" : "host",
           devices[i].device ? "device" : "host");
    ccargs_free(&a);
    argv_free(&args);
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

static char *archs_in(enum cc_dialect dialect, char *const *words, struct argv *archs) {
  struct ccargs a;
  ccargs_scan(&a, dialect, words);
  compiler_archs(archs, &a);
  ccargs_free(&a);
  return archs->n ? argv_join(archs->args) : xstrdup("");
}

static void check_archs(void) {
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct argv args = {0}, archs = {0}, again = {0}, back = {0};
    enum cc_dialect dialect = compiler_by_name(lines[i].compiler)->dialect;
    argv_split(&args, lines[i].line, strlen(lines[i].line));
    char *text = archs_in(dialect, args.args, &archs);
    expect(lines[i].line, text, lines[i].want);
    for (size_t k = 0; k < archs.n; k++)
      compiler_add_arch(&again, dialect, archs.args[k], strlen(archs.args[k]));
    char *said = again.n ? argv_join(again.args) : xstrdup("");
    expect(lines[i].line, said, lines[i].again);
    char *same = archs_in(dialect, again.args, &back);
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
    found += cc_is_arch(&a.words[i]);
  if (found != 3) {
    fprintf(stderr, "%s: %zu words are about architectures\n", line, found);
    bad = 1;
  }
  ccargs_free(&a);
  argv_free(&args);
}

int main(void) {
  check_names();
  check_devices();
  check_archs();
  check_words();
  return bad;
}
