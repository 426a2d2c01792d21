/* nvccargs.c - the scanner on nvcc's command lines, and the words of options files. With the argument "-" it
 * reads command lines, one a line and quoted as argv_join quotes them, expands their options files and prints
 * what they come to, so that test/nvcc-arguments.sh can hold it against nvcc; with --depfile ARGS… the
 * depfile, for test/nvcc-depfile.sh.
 */
// tier: check
#include "ccargs_summary.h"
#include "core/cc/deps.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *line, *want;
} cases[] = {
    {"", "query > a.out"},
    {"--version", "query > a.out"},
    {"-V x.cu -c", "query > x.o x.cu:cuda"},
    {"-dryrun -c x.cu", "query > x.o x.cu:cuda"},
    {"-clean -c x.cu", "query > x.o x.cu:cuda"},
    {"-c x.cu -o", "query > x.o x.cu:cuda"},
    {"-c x.cu -G=1", "query > x.o x.cu:cuda"},
    {"-c x.cu -x hip", "query > x.o x.cu:cuda"},

    /* two names, four ways to a value */
    {"-c x.cu -o y.o", "compile > y.o x.cu:cuda"},
    {"-c x.cu -o=y.o", "compile > y.o x.cu:cuda"},
    {"--compile x.cu --output-file y.o", "compile > y.o x.cu:cuda"},
    {"--compile x.cu --output-file=y.o", "compile > y.o x.cu:cuda"},
    {"-c x.cu -oy.o", "compile > x.o x.cu:cuda doubt=-oy.o"},
    {"-c x.cu --o y.o", "compile > x.o x.cu:cuda y.o doubt=--o"},
    {"-c x.cu -output-file=y.o", "compile > x.o x.cu:cuda doubt=-output-file=y.o"},
    {"-c x.cu -o a.o -o b.o", "compile > b.o x.cu:cuda doubt=-o"},
    {"-c d/x.y.cu", "compile > x.y.o d/x.y.cu:cuda"},
    {"-c d/x.cu -odir o", "compile > o/x.o d/x.cu:cuda doubt=-odir"},
    {"-c d/x.cu --output-directory=o -o y.o", "compile > y.o d/x.cu:cuda doubt=--output-directory=o"},
    {"-c x.cu -std=c++17 -std c++14 -O3 -O 2 -O=1 --optimize 0", "compile > x.o x.cu:cuda doubt=-std=c++17"},
    {"-c x.cu -Werror all-warnings -t4 -t 4 --threads=4 -maxrregcount 32 -e=k",
     "compile > x.o x.cu:cuda side=-e=k"},
    {"-c x.cu --", "compile > x.o x.cu:cuda doubt=--"},
    {"-c x.cu -o d$HOME.o", "compile > d$HOME.o x.cu:cuda side=-o"},
    {"-c a`b`.cu", "compile > a`b`.o a`b`.cu:cuda side=a`b`.cu"},

    /* lists */
    {"-c x.cu -Ia -I b -I=c -isystem d -isystem=e --include-path f --system-include=g",
     "compile > x.o x.cu:cuda user=a user=b user=c system=d system=e user=f system=g"},
    {"-c x.cu -Ia,b -I c,,", "compile > x.o x.cu:cuda user=a user=b user=c side=-Ia,b"},
    {"-c x.cu '-I\"a b\"' '-I\"a,b\"c' '-Ia\\\\,b'",
     "compile > x.o x.cu:cuda user=a b user=a,bc user=a,b side=-I\"a b\""},
    {"-c x.cu -isystemd", "compile > x.o x.cu:cuda doubt=-isystemd"},
    {"-c x.cu -DX -DY=1 -D Z -U W", "compile > x.o x.cu:cuda"},
    {"-c x.cu -DX,Y", "compile > x.o x.cu:cuda doubt=-DX,Y"},
    {"-c x.cu -DX='\"a\"'", "compile > x.o x.cu:cuda doubt=-DX=\"a\""},
    {"-c x.cu -include a.h", "compile > x.o x.cu:cuda forced=a.h doubt=-include"},
    {"-c x.cu --pre-include=a.h,b.h",
     "compile > x.o x.cu:cuda forced=a.h forced=b.h side=--pre-include=a.h,b.h"},

    /* languages, which hold for the whole line */
    {"-c a.c b.cc c.cpp d.cxx e.cu f.ii g.s",
     "compile > a.o a.c:c b.cc:c++ c.cpp:c++ d.cxx:c++ e.cu:cuda f.ii:other g.s:asm"},
    {"-c a.C", "compile > a.out a.C"},
    {"-c a.cuh", "compile > a.out a.cuh"},
    {"-c a.hip -x cu", "compile > a.o a.hip:cuda"},
    {"x.o -x cu", "link > a.out x.o:cuda"},
    {"-x cu -c a.cpp -x c++", "compile > a.o a.cpp:c++"},
    {"-c -x cu -", "compile > -.o -:cuda"},

    /* how far it goes */
    {"-c -ptx x.cu", "ir > x.o x.cu:cuda"},
    {"-c -E x.cu", "preprocess > x.o x.cu:cuda"},
    {"-c -M x.cu", "preprocess > x.o x.cu:cuda"},
    {"-cubin -c x.cu", "device > x.o x.cu:cuda"},
    {"-lib x.o y.cu", "archive > a.a x.o y.cu:cuda"},
    {"-lib x.o -o z.a", "archive > z.a x.o"},
    {"-lib -c x.cu", "compile > x.o x.cu:cuda doubt=-lib"},
    {"-dlink x.o -o y.o", "device > y.o x.o"},
    {"-c -shared x.cu", "compile > x.o x.cu:cuda doubt=-shared"},
    {"-c -run x.cu", "compile > x.o x.cu:cuda side=-run"},

    /* code that is not complete, more files */
    {"-dc x.cu", "compile > x.o x.cu:cuda side=-dc"},
    {"-dw x.cu", "compile > x.o x.cu:cuda doubt=-dw"},
    {"-c x.cu -rdc=true", "compile > x.o x.cu:cuda side=-rdc=true"},
    {"-c x.cu --relocatable-device-code true", "compile > x.o x.cu:cuda side=--relocatable-device-code"},
    {"-c x.cu -rdc true -rdc=false", "compile > x.o x.cu:cuda doubt=-rdc"},
    {"-c x.cu -arch=sm_90", "compile > x.o x.cu:cuda doubt=-arch=sm_90"},
    {"-c x.cu -gencode arch=compute_90,code=lto_90", "compile > x.o x.cu:cuda side=-gencode"},
    {"-c x.cu -dlto", "compile > x.o x.cu:cuda side=-dlto"},
    {"-c x.cu --keep", "compile > x.o x.cu:cuda side=--keep"},
    {"-c x.cu -keep-dir o", "compile > x.o x.cu:cuda side=-keep-dir"},
    {"-c x.cu -save-temps", "compile > x.o x.cu:cuda side=-save-temps"},
    {"-c x.cu -time t.csv", "compile > x.o x.cu:cuda side=-time"},
    {"-c x.cu -fdevice-time-trace -", "compile > x.o x.cu:cuda side=-fdevice-time-trace"},
    {"-c x.cu -Xptxas -v,-O3 -Xcudafe --diag_suppress=1 -Xfatbin -compress-all",
     "compile > x.o x.cu:cuda doubt=-Xptxas"},
    {"-c x.cu -Xptxas=-v,-o,y", "compile > x.o x.cu:cuda side=-Xptxas=-v,-o,y"},

    /* depfiles */
    {"-c x.cu -MD", "compile > x.o x.cu:cuda deps=x.d,system"},
    {"-c d/x.cu -MMD -o o/x.cuda.o", "compile > o/x.cuda.o d/x.cu:cuda deps=o/x.cuda.d"},
    {"-c d/x.cu -MMD -odir o", "compile > o/x.o d/x.cu:cuda deps=o/x.d doubt=-odir"},
    {"-c d/x.cu -MMD -odir o -o y.o", "compile > y.o d/x.cu:cuda deps=y.d side=-odir"},
    {"-c x.cu -MD -MF d -MT t -MP", "compile > x.o x.cu:cuda deps=d,system,phony target=t doubt=-MP"},
    {"-c x.cu -MD -MT x.cu", "compile > x.o x.cu:cuda deps=x.d,system target=x.cu"},
    {"-c x.cu -MD -MT a -MT b", "compile > x.o x.cu:cuda deps=x.d,system target=b"},
    {"-c x.cu --generate-dependencies-with-compile --dependency-output x.dep",
     "compile > x.o x.cu:cuda deps=x.dep,system"},
    {"-c x.cu -MFx.dep -MD", "compile > x.o x.cu:cuda deps=x.d,system doubt=-MFx.dep"},
    {"-c x.cu -MF x.dep", "compile > x.o x.cu:cuda doubt=-MF"},

    /* words for the host compiler: PyTorch's quotes, pairs over several options, what would be another call
     */
    {"-c x.cu --compiler-options ''\"'\"'-fPIC'\"'\"''", "compile > x.o x.cu:cuda doubt=--compiler-options"},
    {"-c x.cu -Xcompiler -fPIC,-O2 -Xcompiler=-Wall", "compile > x.o x.cu:cuda doubt=-Xcompiler"},
    {"-c x.cu -Xcompiler -include -Xcompiler /a.h -Xcompiler '-isystem /b,-I/c'",
     "compile > x.o x.cu:cuda system=/b user=/c forced=/a.h doubt=-Xcompiler"},
    {"-c x.cu -Xcompiler -Ia", "compile > x.o x.cu:cuda user=a side=-Ia"},
    {"-c x.cu -Xcompiler '\"-Wa,--noexecstack\"'", "compile > x.o x.cu:cuda doubt=-Xcompiler"},
    {"-c x.cu -Xcompiler -MD", "compile > x.o x.cu:cuda side=-MD"},
    {"-c x.cu -Xcompiler -o,y.o", "compile > x.o x.cu:cuda side=-o"},
    {"-c x.cu -Xcompiler -save-temps", "compile > x.o x.cu:cuda side=-save-temps"},
    {"-c x.cu -Xcompiler '$(rm x)'", "compile > x.o x.cu:cuda $(rm x) side=-Xcompiler"},
    {"-c x.cu -Xcompiler @r", "compile > x.o x.cu:cuda @r side=@r"},
    {"-c x.cu -Wall -forward-unknown-to-host-compiler", "compile > x.o x.cu:cuda doubt=-Wall"},
    {"-c x.cu -forward-unknown-opts -isystem/b -oy.o", "compile > x.o x.cu:cuda system=/b side=-oy.o"},

    /* links */
    {"-shared a.o b.so -Lc -L d,e -lf -l=g -l h,i -l:j.a -o k.so -cudart shared",
     "link > k.so a.o b.so -Lc -Ld -Le -lf -lg -lh -li -l:j.a"},
    {"a.o -Xlinker -rpath,/x -Xlinker=b.o -Xlinker -Bstatic,-lc", "link > a.out a.o /x b.o -Bstatic -lc"},
    {"a.o -Xcompiler -Wl,b.o -Xcompiler '\"-Wl,c.o\"'", "link > a.out a.o b.o c.o"},
    {"a.o -Xcompiler -Wl\\\\,c.o", "link > a.out a.o c.o side=-Xcompiler"},
    {"-r a.o b.o -o c.o", "relocatable > c.o a.o b.o"},
    {"a.o -ldir -lib -link -lthing", "link > a.out a.o -lthing"},
    {"a.o -optf x.opt", "link > a.out a.o side=-optf"},
    {"a.o @x", "link > a.out a.o @x"},
    {"a.o -odir o", "link > o/a.out a.o"},
};

static int check(const char *about, const char *got, const char *want) {
  if (strcmp(got, want) == 0)
    return 0;
  fprintf(stderr, "%s\n  want %s\n  got  %s\n", about, want, got);
  return 1;
}

static char *scanned(char *const *args) {
  struct ccargs a;
  ccargs_scan(&a, CC_NVCC, args);
  char *s = summary(&a);
  ccargs_free(&a);
  return s;
}

/* The role of each word, with a + where it is sure and the value where it is not the word itself. */
static int check_roles(void) {
  static const char *const roles[] = {"other",   "file",    "end",    "compile", "language", "output",
                                      "depfile", "dir",     "forced", "path",    "macro",    "arch",
                                      "code",    "gencode", "host",   "linker",  "run",      "effort"};
  static const struct {
    const char *line, *want;
  } lines[] = {
      {"-c x.cu -o=y.o -odir d -x cu", "+compile= +file=x.cu +output=y.o output=d +language=cu"},
      {"-Ia --system-include=b -include c.h -D X -Dand=1", "+dir=a +dir=b forced=c.h +macro=X macro=and=1"},
      {"-MD --dependency-output x.d -MT t -MP", "+depfile= +depfile=x.d +depfile=t depfile="},
      {"-arch=sm_90 --gpu-code sm_90 -gencode=arch=compute_80,code=sm_80",
       "arch=sm_90 code=sm_90 gencode=arch=compute_80,code=sm_80"},
      {"-Xcompiler -a,-b --compiler-options=-c -Xlinker -d --linker-options=-e,f",
       "host=-a,-b host=-c linker=-d linker=-e,f"},
      {"-ccbin g++ -ccbin=/usr/bin/g++ -ldir l -La", "other=g++ path=/usr/bin/g++ path=l path=a"},
      {"-t4 --threads 2 -split-compile=0 -jobserver -objtemp", "effort=4 effort=2 effort=0 effort= effort="},
      {"-run --run-args a,b -run-args c", "run= run=a,b run=c"},
      {"-dc -rdc=true -O3 -lz --bogus -Werror all-warnings -G=1",
       "other= other=true other=3 other=z other= other=all-warnings other="},
  };
  int bad = 0;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct argv v = {0};
    struct ccargs a;
    struct buf got = {0};
    argv_split(&v, lines[i].line, strlen(lines[i].line));
    ccargs_scan(&a, CC_NVCC, v.args);
    for (size_t k = 0; k < a.nwords; k++)
      buf_printf(&got, "%s%s%s=%s", k ? " " : "", a.words[k].sure ? "+" : "", roles[a.words[k].role],
                 a.words[k].value);
    bad |= check(lines[i].line, got.data, lines[i].want);
    buf_free(&got);
    ccargs_free(&a);
    argv_free(&v);
  }
  return bad;
}

/* ---- options files ---- */

static const struct {
  const char *name, *text;
} files[] = {
    {"plain", "-DA\r\n  -I\tb\n"},
    {"quoted", "-DA=\"b c\" \"-I d\" \"\""},
    {"nested", "-DN -optf plain,quoted -DM"},
    {"self", "-DA -optf self"},
    {"open", "-DA=\"b"},
    {"backslash", "-DA=\\\"b\\\""},
    {"half", "-DA -o"},
    {"apostrophes", "'-DA b'"},
    {"hash", "# -DA"},
};

static const struct {
  const char *line, *want;
  bool unclear;
} expansions[] = {
    {"-c x.cu -optf plain", "-c x.cu -DA -I b", false},
    {"-optf=plain x.cu --options-file plain --options-file=plain", "-DA -I b x.cu -DA -I b -DA -I b", false},
    {"-optf 'plain, quoted'", "-DA -I b -DA=b\\ c -I\\ d \"\"", false},
    {"-optf nested -c", "-DN -DA -I b -DA=b\\ c -I\\ d \"\" -DM -c", false},
    {"-o -optf plain", "-o -optf plain", false}, /* a name */
    {"-Xcompiler -optf=plain", "-Xcompiler -optf=plain", false},
    {"-optf", "-optf", false},
    {"@plain", "@plain", false},
    {"-optf apostrophes", "\\'-DA b\\'", false},
    {"-optf hash", "# -DA", false},
    {"-optf missing x.cu", "--options-file=missing x.cu", true},
    {"-optf /", "--options-file=/", true},
    {"-optf open", "-DA=b", true},
    {"-optf backslash", "-DA=\\\\b\\\\", true},
    {"-optf half x.o", "-DA -o x.o", true},
};

static int check_expansions(void) {
  char dir[] = "/tmp/ckjit-nvccargs.XXXXXX";
  int bad = 0;
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *file = path_join(dir, files[i].name);
    if (!file_write(file, files[i].text, strlen(files[i].text), 0644))
      die(EXIT_FAILED, "%s: cannot be written", file);
    free(file);
  }
  for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++) {
    struct argv line = {0}, words = {0};
    argv_split(&line, expansions[i].line, strlen(expansions[i].line));
    bool clear = ccargs_expand(&words, CC_NVCC, dir, line.args);
    char *got = argv_join(words.args);
    bad |= check(expansions[i].line, got, expansions[i].want);
    bad |=
        check(expansions[i].line, clear ? "clear" : "unclear", expansions[i].unclear ? "unclear" : "clear");
    free(got);
    argv_free(&line);
    argv_free(&words);
  }
  static char *self[] = {"-optf", "self", NULL};
  struct argv words = {0};
  if (ccargs_expand(&words, CC_NVCC, dir, self)) {
    fprintf(stderr, "a file that names itself is clear\n");
    bad = 1;
  }
  argv_free(&words);
  dir_remove(dir);
  return bad;
}

static int check_variables(void) {
  static const struct {
    const char *text, *want;
    bool unclear;
  } variables[] = {
      {" -DA\t-I\nb ", "-DA -I b", false}, {"", "", false},           {"'-DA b'", "\\'-DA b\\'", false},
      {"-DA\\ b", "-DA\\\\ b", false},     {"-DA=\"b c\"", "", true},
  };
  int bad = 0;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    struct argv words = {0};
    bool clear = ccargs_split(&words, CC_NVCC, variables[i].text);
    char *got = argv_join(words.args);
    if (!variables[i].unclear)
      bad |= check(variables[i].text, got, variables[i].want);
    bad |= check(variables[i].text, clear ? "clear" : "unclear", variables[i].unclear ? "unclear" : "clear");
    free(got);
    argv_free(&words);
  }
  return bad;
}

static int print_lines(void) {
  char *line = NULL, *cwd = getcwd(NULL, 0);
  size_t cap = 0;
  ssize_t n;
  while ((n = getline(&line, &cap, stdin)) > 0) {
    struct argv given = {0}, words = {0};
    argv_split(&given, line, (size_t)n);
    bool clear = ccargs_expand(&words, CC_NVCC, cwd, given.args);
    char *s = scanned(words.args);
    printf("%s%s\n", s, clear ? "" : " unclear");
    free(s);
    argv_free(&given);
    argv_free(&words);
  }
  free(line);
  free(cwd);
  return 0;
}

/* the depfile of a compile */
static int print_depfile(char *const *args) {
  struct ccargs a;
  struct buf out = {0};
  size_t len;
  ccargs_scan(&a, CC_NVCC, args);
  char *text = a.source ? file_read(a.source->text, &len) : NULL;
  if (!text)
    die(EXIT_FAILED, "no source that can be read");
  deps_format(&out, &a, NULL, text, len, NULL, NULL);
  fputs(out.data, stdout);
  buf_free(&out);
  free(text);
  ccargs_free(&a);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "--depfile") == 0)
    return print_depfile(argv + 2);
  if (argc == 2 && strcmp(argv[1], "-") == 0)
    return print_lines();
  int bad = check_expansions() | check_variables() | check_roles();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct argv v = {0};
    argv_split(&v, cases[i].line, strlen(cases[i].line));
    char *got = scanned(v.args);
    bad |= check(cases[i].line, got, cases[i].want);
    free(got);
    argv_free(&v);
  }
  return bad;
}
