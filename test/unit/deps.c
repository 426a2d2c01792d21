/* deps.c - the depfile of a recorded unit: what is found, how names are escaped. Argument: an empty
 * directory. */
// tier: check
#include "core/base/argv.h"
#include "core/cc/deps.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *path, *text;
} tree[] = {
    {"src/x.cu",
     "#include \"near.h\"\n  #  include <inc.h>\n#include <sys.h>\n#include MACRO\n// #include \"gone.h\"\n"
     "#include \"near.h\"\nint a; #include \"not_first.h\"\n#include \"unclosed\n#include <a b/c#d$e.h>\n"},
    {"src/near.h", "#include \"deeper/d.h\"\n"},
    {"src/deeper/d.h", "#include \"../near.h\"\n#include \"quoted.h\""},
    {"src/not_first.h", ""},
    {"inc/inc.h", "#include_next <inc.h>\n#import <sys.h>\n"},
    {"inc/a b/c#d$e.h", ""},
    {"inc2/inc.h", ""},
    {"quote/quoted.h", ""},
    {"sys/sys.h", "#include \"sys2.h\"\n"},
    {"sys/sys2.h", ""},
    {"pre.h", ""},
    {"src/cycle.cu", "#include \"cycle.cu\"\n"},
    {"src/macro.cu",
     "#define NEAR \"near.h\"\n#include NEAR /* so */\n#include LATER\n#include \"later.h\"\n#define SUM \"pre.h\" + 1\n"
     "#include SUM\n#include OPTION\n#include CALL(1)\n#define CALL(x) \"pre.h\"\n"},
    {"src/later.h", "# define LATER <inc.h> // so\n#define UNUSED \"not_first.h\"\n"},
};

static const struct {
  const char *args, *want;
} cases[] = {
    {"-c src/x.cu -MD -iquote quote -Iinc -I inc2 -isystem sys -include pre.h -o o/x.o",
     "o/x.o: src/x.cu \\\n  pre.h \\\n  src/near.h \\\n  inc/inc.h \\\n  sys/sys.h \\\n  inc/a\\ "
     "b/c\\#d$$e.h \\\n"
     "  src/deeper/d.h \\\n  inc2/inc.h \\\n  sys/sys2.h \\\n  quote/quoted.h\n"},
    {"-c src/x.cu -MMD -Iinc -isystem sys -MP -MT 'a b' -MQ 'c d'",
     "a b c\\ d: src/x.cu \\\n  src/near.h \\\n  inc/inc.h \\\n  inc/a\\ b/c\\#d$$e.h \\\n  src/deeper/d.h\n"
     "src/near.h:\ninc/inc.h:\ninc/a\\ b/c\\#d$$e.h:\nsrc/deeper/d.h:\n"},
    {"-c src/cycle.cu -MD -o 'a\\\\ b.o'", "a\\\\\\ b.o: src/cycle.cu\n"},
    {"-c ././/src/cycle.cu -MD -I. -include ./pre.h", "cycle.o: src/cycle.cu \\\n  pre.h\n"},
    {"-c src/cycle.cu -MD -Inone", "cycle.o: src/cycle.cu\n"},
    {"-c src/macro.cu -MD -Iinc -Iquote '-DOPTION=\"quoted.h\"' -DSUM=1",
     "macro.o: src/macro.cu \\\n  src/later.h \\\n  src/near.h \\\n  quote/quoted.h \\\n  inc/inc.h \\\n  src/deeper/d.h\n"},
};

/* Depfiles as gcc and clang write them, and the names in them, one a line. */
static const struct {
  const char *text, *want;
} rules[] = {
    {"x.o: a.h \\\n  b.h\tc.h \\\n\nb.h:\n", "a.h\nb.h\nc.h\n"},
    {"C\\:/x.o: a\\ b \\\tc\\#d$$e", "a b\n\tc#d$e\n"},
    {"x.o: a\\\\\\ b\\\\ c\\d\\\\e\\\n f", "a\\ b\\\nc\\d\\\\e\nf\n"},
    {"x.o:", ""},
    {"", ""},
};

static int check_rules(void) {
  int bad = 0;
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    struct argv names = {0};
    struct buf got = {0};
    buf_add(&got, "", 0);
    deps_read(&names, rules[i].text);
    for (size_t k = 0; k < names.n; k++)
      buf_printf(&got, "%s\n", names.args[k]);
    if (strcmp(got.data, rules[i].want) != 0) {
      fprintf(stderr, "%s\n  want %s\n  got  %s\n", rules[i].text, rules[i].want, got.data);
      bad = 1;
    }
    buf_free(&got);
    argv_free(&names);
  }
  return bad;
}

int main(void) {
  char tmp[] = "/tmp/ckjit-deps.XXXXXX";
  int bad = check_rules();
  if (!mkdtemp(tmp) || chdir(tmp))
    die(EXIT_FAILED, "%s: cannot be made", tmp);
  for (size_t i = 0; i < sizeof tree / sizeof tree[0]; i++) {
    char *dir = path_dir(tree[i].path);
    if (!dir_make(dir) || !file_write(tree[i].path, tree[i].text, strlen(tree[i].text), 0644))
      die(EXIT_FAILED, "%s: cannot be written", tree[i].path);
    free(dir);
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct argv v = {0};
    struct ccargs a;
    struct buf here = {0}, elsewhere = {0}; /* asked in the compile's directory, and from another one */
    size_t len;
    argv_split(&v, cases[i].args, strlen(cases[i].args));
    ccargs_scan(&a, CC_GNU, v.args);
    char *text = file_read(a.source->text, &len);
    deps_format(&here, &a, NULL, text, len, NULL, NULL);
    bool moved = chdir("/") == 0;
    deps_format(&elsewhere, &a, tmp, text, len, NULL, NULL);
    if (!moved || chdir(tmp))
      die(EXIT_FAILED, "%s: cannot be left or entered again", tmp);
    if (strcmp(here.data, cases[i].want) != 0 || strcmp(elsewhere.data, cases[i].want) != 0) {
      fprintf(stderr, "%s\n  want %s\n  here %s\n  from / %s\n", cases[i].args, cases[i].want, here.data,
              elsewhere.data);
      bad = 1;
    }
    free(text);
    buf_free(&here);
    buf_free(&elsewhere);
    ccargs_free(&a);
    argv_free(&v);
  }
  dir_remove(tmp);
  return bad;
}
