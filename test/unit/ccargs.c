/* ccargs.c - the command-line scanner on the lines that broke others. With arguments it scans those instead
 * and prints the summary, so that test/wrapper-scan.sh can hold it against the stock compilers.
 *
 * The wanted side of the table is ccargs_summary.h's line for a command: its mode, its output, its inputs with their languages.
 */
// tier: check
#include "ccargs_summary.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *line, *want;
} cases[] = {
    {"", "query > a.out"},
    {"-v", "query > a.out"},
    {"-dumpfullversion", "query > a.out"},
    {"-O3 -fPIC -shared", "query > a.out"},
    {"--version -c x.cu", "query > x.o x.cu:cuda"},
    {"-### -c x.cu", "query > x.o x.cu:cuda"},
    {"-ccc-print-bindings -c x.cu", "query > x.o x.cu:cuda"},
    {"-print-file-name=libm.a", "query > a.out"},
    {"-c x.cu -o", "query > x.o x.cu:cuda"},
    {"-c x.cu -MF", "query > x.o x.cu:cuda"},

    /* every spelling of the output */
    {"-c x.cu -o y.o", "compile > y.o x.cu:cuda"},
    {"-c x.cu -oy.o", "compile > y.o x.cu:cuda"},
    {"-c x.cu --output y.o", "compile > y.o x.cu:cuda doubt=--output"},
    {"-c x.cu --output=y.o", "compile > y.o x.cu:cuda doubt=--output=y.o"},
    {"-o -c x.cpp", "link > -c x.cpp:c++"},
    {"-c d/x.y.hip", "compile > x.y.o d/x.y.hip:hip"},
    {"-c x.cu -o a.o -o b.o", "compile > b.o x.cu:cuda doubt=-o"},
    {"-S x.cpp", "assembly > x.s x.cpp:c++"},
    {"x.o", "link > a.out x.o"},
    {"-objcmt-migrate-all -c x.cpp", "compile > x.o x.cpp:c++ side=-objcmt-migrate-all"},

    /* languages: by suffix, by -x from where it stands, back by none */
    {"-c a.c b.cc c.CC d.C e.cxx f.c++", "compile > a.o a.c:c b.cc:c++ c.CC:c++ d.C:c++ e.cxx:c++ f.c++:c++"},
    {"-x hip -c x.cpp", "compile > x.o x.cpp:hip"},
    {"-xhip -c x.o", "compile > x.o x.o:hip"},
    {"-x hip a.cpp -x none b.o c.cpp -o d", "link > d a.cpp:hip b.o c.cpp:c++"},
    {"a.cpp -x hip b.cpp -c", "compile > a.o a.cpp:c++ b.cpp:hip"},
    {"--language=c++ -c x", "compile > x.o x:c++ doubt=--language=c++"},
    {"-x c++-header x.h -o x.pch", "link > x.pch x.h:header"},
    {"-c x.cui", "compile > x.o x.cui:other"},
    {"-x hip -c - -o y.o", "compile > y.o -:hip"},
    {"-E -P -x hip -", "preprocess > -.o -:hip"},
    {"-c -- -x.cpp", "compile > -x.o -x.cpp:c++ doubt=--"},

    /* pairs: the second word is never a file, never an option */
    {"-mllvm --amdgpu-kernarg-preload-count=16 -mllvm -S -c x.cu", "compile > x.o x.cu:cuda doubt=-mllvm"},
    {"-Xclang -mno-x -Xclang x.cpp -c y.cpp", "compile > y.o y.cpp:c++ doubt=-Xclang"},
    {"-Xlinker a.o -Xlinker -rpath -Xlinker /d b.o", "link > a.out a.o /d b.o"},
    {"-Xarch_device -O3 -Xarch_host -g -c x.hip", "compile > x.o x.hip:hip doubt=-Xarch_device"},
    {"-Xarch_host -ftime-trace -c x.hip", "compile > x.o x.hip:hip side=-ftime-trace"},
    {"-Xoffload-linker --lto-O3 -Xoffload-linker-amdgcn-amd-amdhsa -v x.o", "link > a.out x.o"},
    {"-Xopenmp-target=amdgcn -O2 -Xcuda-ptxas -v -Xassembler x.s -c y.cpp",
     "compile > y.o y.cpp:c++ doubt=-Xopenmp-target=amdgcn"},
    {"-target x86_64-linux-gnu -c x.cpp", "compile > x.o x.cpp:c++ doubt=-target"},
    {"-D -E -U c.cpp -c x.cpp", "compile > x.o x.cpp:c++ doubt=-D"},
    {"--param a=b --sysroot /s -T s.ld -u main -z defs x.o", "link > a.out s.ld x.o"},
    {"-Xclang -emit-pch -Xclang -include -Xclang p.h -o p.pch -c e.cpp", "ir > p.pch e.cpp:c++ forced=p.h"},

    /* no object comes out, or not only an object */
    {"-c -emit-llvm x.cu", "ir > x.o x.cu:cuda"},
    {"-emit-llvm x.o", "link > a.out x.o"}, /* for gcc `-e mit-llvm` */
    {"--genco x.cu -c", "device > x.o x.cu:cuda"},
    {"--offload-device-only -c x.cu", "device > x.o x.cu:cuda"},
    {"-fsyntax-only -c x.cu", "syntax > x.o x.cu:cuda"},
    {"-c -MM x.cu", "preprocess > x.o x.cu:cuda"},
    {"-c x.cu -fgpu-rdc", "compile > x.o x.cu:cuda side=-fgpu-rdc"},
    {"-c x.cu -fgpu-rdc -fno-gpu-rdc", "compile > x.o x.cu:cuda doubt=-fgpu-rdc"},
    {"-c x.cu --save-temps=obj", "compile > x.o x.cu:cuda side=--save-temps=obj"},
    {"-c x.cu -MJ x.json", "compile > x.o x.cu:cuda side=-MJ"},
    {"-c x.cu -fplugin=p.so", "compile > x.o x.cu:cuda side=-fplugin=p.so"},
    {"-c x.cu -fprofile-use", "compile > x.o x.cu:cuda side=-fprofile-use"},
    {"-c x.cu -fprofile-use=p.data -specs y.cu", "compile > x.o x.cu:cuda doubt=-fprofile-use=p.data"},
    {"-c x.cu --coverage", "compile > x.o x.cu:cuda side=--coverage"},
    {"-c x.cu -gsplit-dwarf=single", "compile > x.o x.cu:cuda side=-gsplit-dwarf=single"},
    {"-c x.cu -Wa,-adhln=x.lst", "compile > x.o x.cu:cuda side=-Wa,-adhln=x.lst"},
    {"-c x.cu -Wa,--noexecstack,-MD,x.d", "compile > x.o x.cu:cuda side=-Wa,--noexecstack,-MD,x.d"},
    {"-c x.cu -Xassembler -al=x", "compile > x.o x.cu:cuda side=-Xassembler"},
    {"-c x.cu -Wa,--noexecstack", "compile > x.o x.cu:cuda doubt=-Wa,--noexecstack"},
    {"-c x.cu --driver-mode=cl", "compile > x.o x.cu:cuda side=--driver-mode=cl"},
    {"-c x.cu -working-directory d", "compile > x.o x.cu:cuda side=-working-directory"},
    {"-c x.cu -Xclang -opaque-pointers", "compile > x.o x.cu:cuda doubt=-Xclang"},

    /* depfiles */
    {"-c x.cu -MD", "compile > x.o x.cu:cuda deps=x.d,system"},
    {"-c d/x.cu -MMD -o o/x.cuda.o", "compile > o/x.cuda.o d/x.cu:cuda deps=o/x.cuda.d"},
    {"-c x.cu -MMD -o o.d/x", "compile > o.d/x x.cu:cuda deps=o.d/x.d"},
    {"-c x.cu -MMD -MF d -MT 't t' -MQ q -MP",
     "compile > x.o x.cu:cuda deps=d,phony target=t t target=q,quoted"},
    {"-c x.cu -MD -MFx.dep -MTa", "compile > x.o x.cu:cuda deps=x.dep,system target=a"},
    {"-c x.cu -Wp,-MMD,k.d", "compile > x.o x.cu:cuda deps=k.d"},
    {"-c x.cu -Wp,-MD,k.d,-MT,k.o,-MP", "compile > x.o x.cu:cuda side=-Wp,-MD,k.d,-MT,k.o,-MP"},
    {"-c x.cu -Wp,-MD,k.d -MP -MT k.o", "compile > x.o x.cu:cuda deps=k.d,system,phony target=k.o"},
    {"-c x.cu -Wp,-MD,k.d -MD -MF l.d", "compile > x.o x.cu:cuda deps=l.d,system side=-MD"},
    {"-c x.cu -Wp,-MD,k.d,-DX", "compile > x.o x.cu:cuda side=-Wp,-MD,k.d,-DX"},
    {"-c x.cu -Wp,-v", "compile > x.o x.cu:cuda side=-Wp,-v"},
    {"-c x.cu -MD -MT a.cu", "compile > x.o x.cu:cuda deps=x.d,system target=a.cu side=-MT"},
    {"-c x.cu -MF x.d", "compile > x.o x.cu:cuda doubt=-MF"},

    /* what only the compiler knows */
    {"-c x.cu -DX -D Y=( -UZ -Ia -isystem b -x hip -MD -o x.o",
     "compile > x.o x.cu:cuda deps=x.d,system user=a system=b"},
    {"-c x.cu -Dand=1", "compile > x.o x.cu:cuda doubt=-Dand=1"},
    {"-c x.cu -DX(a)=1", "compile > x.o x.cu:cuda doubt=-DX(a)=1"},
    {"-c x.cu -I -c", "compile > x.o x.cu:cuda user=-c doubt=-I"},
    {"-c x.cu -xhip-cpp-output", "compile > x.o x.cu:cuda doubt=-xhip-cpp-output"},

    /* include directories, in every spelling */
    {"-Ia -I b -iquotec -iquote d -isystem e -isystemf -idirafter g -c x.cpp",
     "compile > x.o x.cpp:c++ user=a user=b quote=c quote=d system=e system=f after=g"},
    {"-include p.h -includeq.h --include r.h -include-pch s.pch -imacros t.h -c x.cpp",
     "compile > x.o x.cpp:c++ forced=p.h forced=q.h forced=r.h forced=t.h doubt=-include"},

    {"-Xclang -include -Xclang -emit.h -Xclang -include-pch -Xclang x.pch -c x.cpp",
     "compile > x.o x.cpp:c++ forced=-emit.h doubt=-Xclang"},
    {"-Xarch_host -include/a.h -Xarch_device -I/b -Xarch_host -DX -c x.cpp",
     "compile > x.o x.cpp:c++ user=/b forced=/a.h doubt=-Xarch_host"},
    {"-Xarch_host -includea.h -c x.cpp", "compile > x.o x.cpp:c++ side=-includea.h"},
    {"-Xarch_host -MD -c x.cpp", "compile > x.o x.cpp:c++ side=-MD"},
    {"-Xclang -isystem -Xclang d -c x.cpp", "compile > x.o x.cpp:c++ side=-Xclang"},
    {"-include-pch x.pch -MD -c x.cpp", "compile > x.o x.cpp:c++ deps=x.d,system side=-include-pch"},

    /* links */
    {"-shared a.o -Lb -L c -ld -l e -l:f.a -o g.so", "link > g.so a.o -Lb -Lc -ld -le -l:f.a"},
    {"-r a.o b.o -o c.o", "relocatable > c.o a.o b.o"},
    {"-nostdlib -Wl,-r a.o -o c.o", "relocatable > c.o a.o"},
    {"-Wl,--whole-archive,a.a,--no-whole-archive,-Bstatic -lx -Wl,-Bdynamic,@r -ly",
     "link > a.out a.a -Bstatic -lx -Bdynamic @r -ly"},
    {"a.cpp b.o -o c", "link > c a.cpp:c++ b.o"},
    {"--hip-link -fgpu-rdc a.o -o b", "link > b a.o side=-fgpu-rdc"},
    {"@missing.rsp -o x", "link > x @missing.rsp"},
};

/* Which files -l finds: a shared library hides the archive beside it, unless the link is static. */
static bool collect(const char *path, const struct cc_input *in, void *user) {
  (void)in;
  buf_printf(user, "%s ", path);
  return true;
}

static int check_link_files(void) {
  char dir[] = "/tmp/ckjit-ccargs.XXXXXX";
  static const char *const makes[] = {"a/libx.so", "a/libx.a", "a/liby.a", "b/libx.a"};
  struct argv v = {0};
  struct buf want = {0}, got = {0};
  int bad = 0;
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
    char *file = path_join(dir, makes[i]), *parent = path_dir(file);
    if (!dir_make(parent) || !file_write(file, "", 0, 0644))
      die(EXIT_FAILED, "%s: cannot be written", file);
    free(file);
    free(parent);
  }
  argv_addf(&v, "-L%s/a", dir);
  argv_addf(&v, "-L%s/b", dir);
  argv_add(&v, "-lx");
  argv_add(&v, "-ly");
  argv_add(&v, "-Wl,-Bstatic");
  argv_add(&v, "-lx");
  argv_add(&v, "-l:libx.a");
  argv_add(&v, "-lnone");
  struct ccargs a;
  ccargs_scan(&a, CC_GNU, v.args);
  ccargs_link_files(&a, collect, &got);
  buf_printf(&want, "%1$s/a/libx.so %1$s/a/liby.a %1$s/a/libx.a %1$s/a/libx.a ", dir);
  if (!got.data || strcmp(got.data, want.data) != 0) {
    fprintf(stderr, "link files:\n  want %s\n  got  %s\n", want.data, got.data ? got.data : "");
    bad = 1;
  }
  dir_remove(dir);
  ccargs_free(&a);
  argv_free(&v);
  buf_free(&want);
  buf_free(&got);
  return bad;
}

int main(int argc, char **argv) {
  struct ccargs a;
  if (argc > 1) {
    ccargs_scan(&a, CC_GNU, argv + 1);
    char *s = summary(&a);
    puts(s);
    free(s);
    ccargs_free(&a);
    return 0;
  }
  int bad = check_link_files();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct argv v = {0};
    argv_split(&v, cases[i].line, strlen(cases[i].line));
    ccargs_scan(&a, CC_GNU, v.args);
    char *got = summary(&a);
    if (strcmp(got, cases[i].want) != 0) {
      fprintf(stderr, "%s\n  want %s\n  got  %s\n", cases[i].line, cases[i].want, got);
      bad = 1;
    }
    free(got);
    ccargs_free(&a);
    argv_free(&v);
  }
  return bad;
}
