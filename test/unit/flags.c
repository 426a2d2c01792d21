/* flags.c - which words of a recorded compile are kept for which purpose, and what is in a key. If it is given
 * a file with a record, it prints what is kept for the first call, a NUL behind each word, for test/mutations.
 *
 * Three readers want something else of a recorded command: the first call's compile, the choice of architectures, and the link of the blob. Each has a
 * table of commands with the words that must be left of them.
 */
// tier: check
#include "core/base/path.h"
#include "core/files/stubobj.h"
#include "postbuild/flags.h"
#include "postbuild/linklibs.h"
#include "core/cache/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int bad;

static void expect(const char *what, struct argv *got, const char *want) {
  char *text = got->args ? argv_join(got->args) : xstrdup("");
  if (strcmp(text, want) != 0) {
    fprintf(stderr, "%s\n  want %s\n  got  %s\n", what, want, text);
    bad = 1;
  }
  free(text);
  argv_free(got);
}

static const struct {
  const char *args, *code, *blob, *archs; /* flags_code, flags_blob below /base, flags_archs; NULL: as code */
} compiles[] = {
    {"-O3 -c x.cu -o x.o -MMD -MF x.d", "-O3", NULL, ""},
    {"-MD -MP -MT x.o -MQ y -MFx.d -ox.o -Wp,-MMD,z.d -O2 x.cu -c -pipe --", "-O2", NULL, ""},
    {"-x hip x.cu -c -x none", "-x hip", NULL, ""},
    {"-mllvm -o -Xclang -c -D NAME=1 -x hip x.cu -c", "-mllvm -o -Xclang -c -D NAME=1 -x hip", NULL, ""},
    {"--offload-arch=gfx942 --offload-arch gfx950 --offload-arch=gfx942 -fvisibility=hidden -c x.cu -g",
     "--offload-arch=gfx942 --offload-arch gfx950 --offload-arch=gfx942 -fvisibility=hidden -g", "-g",
     "gfx942 gfx950"},
    /* the last says how visible functions are: the compiler does not even read the value of the others */
    {"-fvisibility=foo -fvisibility=hidden -c x.cu", "-fvisibility=foo -fvisibility=hidden", "", ""},
    {"-fvisibility=hidden -fvisibility=protected -c x.cu", "-fvisibility=hidden -fvisibility=protected", NULL,
     ""},
    {"-fvisibility=default -fvisibility-ms-compat -fvisibility-inlines-hidden -c x.cu",
     "-fvisibility=default -fvisibility-ms-compat -fvisibility-inlines-hidden", "-fvisibility-inlines-hidden",
     ""},
    {"-Xarch_host -fvisibility=internal -Xarch_device -fvisibility=hidden -c x.cu",
     "-Xarch_host -fvisibility=internal -Xarch_device -fvisibility=hidden",
     "-Xarch_device -fvisibility=hidden", ""},
    {"-I. -I ../inc -isystem/sys -include-pch p.pch -I/base/inc -I=usr -c x.cu",
     "-I. -I ../inc -isystem/sys -include-pch p.pch -I/base/inc -I=usr",
     "-I{root}/w -I {root}/inc -isystem/sys -include-pch {root}/w/p.pch -I{root}/inc -I=usr", ""},
    {"--include-directory=i --sysroot s -Bb -ivfsoverlay o -cxx-isystem c --rocm-path=../r "
     "--include-directory d x.cu -c",
     "--include-directory=i --sysroot s -Bb -ivfsoverlay o -cxx-isystem c --rocm-path=../r "
     "--include-directory d",
     "--include-directory={root}/w/i --sysroot {root}/w/s -B{root}/w/b -ivfsoverlay {root}/w/o -cxx-isystem "
     "{root}/w/c "
     "--rocm-path={root}/r --include-directory {root}/w/d",
     ""},
    {"-Xclang -include-pch -Xclang p.pch -Xclang -c.h x.cu",
     "-Xclang -include-pch -Xclang p.pch -Xclang -c.h",
     "-Xclang -include-pch -Xclang {root}/w/p.pch -Xclang -c.h", ""},
    /* looked for in the directories of headers if it is not there */
    {"-include hip/hip_runtime.h -include /etc/passwd x.cu",
     "-include hip/hip_runtime.h -include /etc/passwd", NULL, ""},
    {"-Xarch_gfx90a -O1 -e -c -A -o --compile -objcmt-x --write-dependencies x.cu",
     "-Xarch_gfx90a -O1 -e -c -A -o -objcmt-x", NULL, ""},
};

/* what is kept of nvcc's commands for the first call */
#define HIDDEN " -Xcompiler=-fno-gnu-unique"
static const struct {
  const char *args, *blob;
} of_nvcc[] = {
    {"-Xcompiler -fvisibility=hidden -Xcompiler=-fvisibility=hidden -O2 -c x.cu", "-O2" HIDDEN},
    {"-Xcompiler=-fvisibility=hidden -Xcompiler -fvisibility=default -c x.cu",
     "-Xcompiler=-fvisibility=hidden -Xcompiler -fvisibility=default"},
    {"-Xcompiler -fPIC,-fvisibility=hidden -c x.cu",
     "-Xcompiler -fPIC,-fvisibility=hidden -Xcompiler=-fvisibility=default" HIDDEN},
    {"-Xcompiler -fvisibility-ms-compat -Xcompiler -fPIC,-fvisibility-inlines-hidden -c x.cu",
     "-Xcompiler -fPIC,-fvisibility-inlines-hidden" HIDDEN},
    {"-O2 -ccbin clang++ -Xcompiler -fvisibility=hidden -c x.cu", "-O2 -ccbin clang++"},
};

static void check_nvcc_visibility(void) {
  for (size_t i = 0; i < sizeof of_nvcc / sizeof *of_nvcc; i++) {
    struct record r = {.kind = RECORD_BLOB,
                       .source = "/w/x.cu",
                       .cwd = "/w",
                       .compiler = "nvcc",
                       .compiler_kind = compiler_of_kind("cuda")};
    argv_split(&r.args, of_nvcc[i].args, strlen(of_nvcc[i].args));
    record_scan(&r);
    struct argv blob = {0};
    flags_blob(&blob, &r, &(struct argv){0});
    expect(of_nvcc[i].args, &blob, of_nvcc[i].blob);
    argv_free(&r.args);
    ccargs_free(&r.cc);
  }
}

static void check_compiles(void) {
  for (size_t i = 0; i < sizeof compiles / sizeof *compiles; i++) {
    struct record r = {.kind = RECORD_BLOB,
                       .source = "/base/w/x.cu",
                       .cwd = "/base/w",
                       .compiler = "hipcc",
                       .compiler_kind = compiler_of_kind("hip")};
    argv_split(&r.args, compiles[i].args, strlen(compiles[i].args));
    record_scan(&r);
    struct argv code = {0}, blob = {0}, archs = {0};
    flags_code(&code, &r);
    flags_blob(&blob, &r, &(struct argv){.args = (char *[]){"/base"}, .n = 1});
    flags_archs(&archs, &r);
    expect(compiles[i].args, &code, compiles[i].code);
    expect(compiles[i].args, &blob, compiles[i].blob ? compiles[i].blob : compiles[i].code);
    expect(compiles[i].args, &archs, compiles[i].archs);
    argv_free(&r.args);
    ccargs_free(&r.cc);
  }
}

static void check_keys(void) {
  /* Each part counts, and where one ends and the next begins does. */
  static const char *const parts[][4] = {{"f", "h", "l", "c"}, {"", "h", "l", "c"}, {"f", "", "l", "c"},
                                         {"f", "h", "", "c"},  {"f", "h", "l", ""}, {"fh", "", "l", "c"},
                                         {"f", "hl", "", "c"}};
  enum { N = sizeof parts / sizeof *parts };
  unsigned char key[N + 1][16], digest[32] = {0};
  for (size_t i = 0; i < N; i++)
    key_blob(key[i], digest, parts[i][0], parts[i][1], parts[i][2], parts[i][3]);
  digest[31] = 1;
  key_blob(key[N], digest, "f", "h", "l", "c");
  for (size_t i = 0; i <= N; i++)
    for (size_t k = 0; k < i; k++)
      if (memcmp(key[i], key[k], sizeof key[i]) == 0) {
        fprintf(stderr, "keys %zu and %zu are the same\n", k, i);
        bad = 1;
      }
}

/* -L and -l of a link, but for the build's own libraries and archives of stubs */
static void check_libraries(void) {
  char dir[] = "/tmp/ckjit-flags.XXXXXX";
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  char *own = path_join(dir, "own/libmine.so"), *stubs = path_join(dir, "libstubs.a");
  char *line =
      xasprintf("-Lown -L %s -L/usr/lib -lmine -lstubs -lm -Wl,-rpath,/r -Wl,--as-needed x.o -L", dir);
  char *want = xasprintf("-L%s -L/usr/lib -lm -Wl,-rpath,/r", dir), *base = path_join(dir, "own");
  static const char record[] =
      "{\"ckjit\":1,\"kind\":\"blob\",\"stem\":\"x\",\"source\":\"/x\",\"output\":\"/x\",\"cwd\":\"/\","
      "\"compiler\":\"c\",\"args\":[]}\n";
  char *command = xasprintf("cd '%s' && ar rc libstubs.a x.o", dir), *object = path_join(dir, "x.o");
  if (!dir_make(base) || !file_write(own, "", 0, 0644) ||
      !stub_write(object, &CKJIT_OWN, record, sizeof record - 1) || system(command))
    die(EXIT_FAILED, "%s: cannot be written", stubs);
  struct argv args = {0}, out = {0};
  argv_split(&args, line, strlen(line));
  struct ccargs a;
  ccargs_scan(&a, CC_GNU, args.args);
  linklibs_read(&out, &a, dir, base);
  expect(line, &out, want);
  ccargs_free(&a);
  argv_free(&args);
  char *const strings[] = {own, stubs, line, want, base, command, object};
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
    free(strings[i]);
  dir_remove(dir);
}

/* The same of other links, in g++'s words. */
static const struct {
  const char *args, *want;
  enum cc_dialect dialect;
} links[] = {
    {"-Wl,-L/a,-lx -Xlinker -ly -Wl,-rpath -Wl,/r -Wl,-rpath=/s,-z,now -Wl,-rpath-link,/t",
     "-L/a -lx -ly -Wl,-rpath,/r -Wl,-rpath,/s", CC_GNU},
    {"-Wl,-Bstatic -lx -l:y.a -Wl,-Bdynamic -lz none.a none.so", "-l:libx.a -l:y.a -lz", CC_GNU},
    {"-shared a.o -o l.so", "", CC_NVCC},
    {"-L/a,/b --library-path /c -lx --library=y,z a.o", "-L/a -L/b -L/c -lx -ly -lz", CC_NVCC},
    {"-Xlinker -rpath,/r -Xlinker=-rpath=/s --linker-options -rpath -Xlinker /t -Xlinker -z,now",
     "-Wl,-rpath,/r -Wl,-rpath,/s -Wl,-rpath,/t", CC_NVCC},
    {"-Xcompiler '\"-Wl,-rpath,/r\"' -Xcompiler '-Wl\\,-rpath\\,/s' -Xcompiler -fPIC,-Wall",
     "-Wl,-rpath,/r -Wl,-rpath,/s", CC_NVCC},
    {"-Xlinker -rpath-link,/r -Xlinker --no-rpath", "", CC_NVCC},
    {"-cudart static -cudart=shared -lm", "-lm -cudart=shared", CC_NVCC},
    {"--cudart none -lcudart", "-lcudart -cudart=none", CC_NVCC},
};

/* LIBRARY_PATH, in which the compiler has the linker search after all -L. */
static void check_library_path(void) {
  static const char line[] = "-L/a -lx";
  struct argv args = {0}, out = {0};
  setenv("LIBRARY_PATH", "/p::/q", 1);
  argv_split(&args, line, strlen(line));
  struct ccargs a;
  ccargs_scan(&a, CC_GNU, args.args);
  linklibs_read(&out, &a, "/w", NULL);
  expect("with LIBRARY_PATH", &out, "-L/a -lx -L/p -L/q");
  unsetenv("LIBRARY_PATH");
  ccargs_free(&a);
  argv_free(&args);
}

static void check_more_libraries(void) {
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    struct argv args = {0}, out = {0};
    argv_split(&args, links[i].args, strlen(links[i].args));
    struct ccargs a;
    ccargs_scan(&a, links[i].dialect, args.args);
    linklibs_read(&out, &a, "/w", NULL);
    expect(links[i].args, &out, links[i].want);
    ccargs_free(&a);
    argv_free(&args);
  }
}

static int print_flags(const char *file) {
  size_t len;
  char *text = file_read(file, &len), *err;
  struct record r;
  if (!text || !record_parse(text, len, &r, &err))
    die(EXIT_FAILED, "%s: %s", file, text ? err : "cannot be read");
  record_scan(&r);
  struct argv out = {0};
  flags_blob(&out, &r, &(struct argv){0});
  for (size_t i = 0; i < out.n; i++)
    fwrite(out.args[i], 1, strlen(out.args[i]) + 1, stdout);
  argv_free(&out);
  record_free(&r);
  free(text);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return print_flags(argv[1]);
  unsetenv("LIBRARY_PATH");
  check_compiles();
  check_nvcc_visibility();
  check_keys();
  check_libraries();
  check_more_libraries();
  check_library_path();
  return bad;
}
