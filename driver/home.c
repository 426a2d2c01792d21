/* home.c - `ckjit-build home`: a fake home, and the variables that point a build at it. */
#include "build.h"
#include "fakehome.h"
#include "profile.h"
#include "tools.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/files/home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* export NAME=VALUE for sh, with VALUE quoted; REST is text for the shell after it */
static void print_export(const char *name, const char *value, const char *rest) {
  printf("export %s='", name);
  for (const char *s = value; *s; s++)
    if (*s == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*s);
  printf("'%s\n", rest);
}

static void help(void) {
  puts("usage: eval \"$(ckjit-build home --dir DIR [OPTION…])\"\n"
       "\n"
       "Make DIR a fake ROCm or CUDA home and print the variables that point a build at it.\n"
       "\n"
       "  --dir DIR         the fake home; created, or refreshed if it exists\n"
       "  --profile NAME    description of the build: hip, cuda or another name in\n"
       "                    share/ckjit/profiles, or a path with a slash (default: hip)\n"
       "  --rocm DIR        the real ROCm home, for --profile hip (default: found)\n"
       "  --cuda DIR        the real CUDA home, for --profile cuda (default: found)\n"
       "  --work DIR        directory for recorded commands, units and objects\n"
       "                    (default: DIR/work)\n"
       "  --units           ordinary units are lazy, too: each kernel is compiled when\n"
       "                    it is first launched (default: as the profile says)\n"
       "  --color WHEN      colour messages: never, always or auto (default: on a terminal,\n"
       "                    unless NO_COLOR is set)\n"
       "  --help");
}

/* HOME was given as --OPTION, which is for another kind of home than P is. */
static void warn_of_other_kind(const struct profile *p, const char *option, const char *home) {
  const char *kind = compiler_of_home(p->kind)->kind;
  bool cuda = home && strcmp(option, "cuda") == 0;
  const char *meant = cuda ? "cuda" : "hip";
  if (home && strcmp(meant, kind) != 0)
    warn("--%s %s: taken for the home of kind '%s', as the profile says; add --profile %s if %s is meant",
         option, home, kind, meant, cuda ? "CUDA" : "ROCm");
}

int build_home(int argc, char **argv) {
  bool units = false;
  const char *dir = NULL, *profile = "hip", *real = NULL, *option = NULL, *work = NULL;
  static const struct option options[] = {
      {"dir", required_argument, NULL, 'd'},  {"profile", required_argument, NULL, 'p'},
      {"rocm", required_argument, NULL, 'r'}, {"work", required_argument, NULL, 'w'},
      {"cuda", required_argument, NULL, 'c'}, {"units", no_argument, NULL, 'u'},
      {"help", no_argument, NULL, 'h'},       {0},
  };
  for (int c; (c = options_next(argc, argv, "h", options, "ckjit-build home --help")) != -1;) {
    switch (c) {
    case 'd':
      dir = options_path("--dir", optarg);
      break;
    case 'p':
      profile = options_path("--profile", optarg);
      break;
    case 'r':
      real = options_path("--rocm", optarg);
      option = "rocm";
      break;
    case 'c':
      real = options_path("--cuda", optarg);
      option = "cuda";
      break;
    case 'w':
      work = options_path("--work", optarg);
      break;
    case 'u':
      units = true;
      break;
    case 'h':
      help();
      return streams_answered();
    }
  }
  no_arguments("home", argc, argv, dir ? NULL : "--dir");
  if (!dir)
    usage_error("home", "--dir DIR is missing: the directory that becomes the fake home");

  struct profile *p = profile_open(profile);
  warn_of_other_kind(p, option, real);
  if (units && !p->units.n)
    argv_add(&p->units, "lazy");
  struct tools t;
  tools_find(&t, compiler_of_home(p->kind), option, real);
  char *home = path_abs(dir), *work_dir = work ? path_abs(work) : path_join(home, "work");
  fakehome_make(home, p, &t, work_dir);

  char *bin = path_join(home, "bin"), *cxx = path_join(bin, "ckjit-cxx"), *clang = path_join(bin, CLANG_NAME);
  char *own = path_join(bin, t.kind->name);
  for (size_t i = 0; i < p->home_vars.n; i++)
    print_export(p->home_vars.args[i], home, "");
  print_export("PATH", bin, ":\"$PATH\"");
  print_export("CXX", cxx, "");
  if (file_exists(clang)) /* for CMake's language HIP, for which it refuses hipcc */
    print_export("HIPCXX", clang, "");
  if (t.kind->dialect == CC_NVCC) /* the same for CUDA */
    print_export("CUDACXX", own, "");
  if (t.kind->dialect == CC_NVCC) /* CMake links CUDA with it; otherwise it would ask nvcc */
    print_export("CUDAHOSTCXX", cxx, "");
  free(own);
  free(bin);
  free(cxx);
  free(clang);
  free(home);
  free(work_dir);
  tools_free(&t);
  profile_free(p);
  streams_answered();
  return EXIT_OK;
}
