/* verbose.c - of what a compile prints with -v, the steps are the answer, and the log is what it is without -v. */
// tier: check
#include "compile/verbose.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void check(const char *what, const struct buf *found, const char *wanted) {
  const char *text = found->len ? found->data : "";
  if (strcmp(text, wanted) != 0) {
    fprintf(stderr, "%s: expected\n%sfound\n%s", what, wanted, text);
    failures++;
  }
}

static void split(const char *what, const char *text, const char *answer, const char *rest) {
  struct buf a = {0}, r = {0};
  verbose_split(text, &a, &r);
  check(what, &a, answer);
  check(what, &r, rest);
  buf_free(&a);
  buf_free(&r);
}

int main(void) {
  // as Debian's hipcc prints it, long lines cut
  static const char head[] = "Debian clang version 15.0.6\nTarget: x86_64-pc-linux-gnu\nThread model: posix\n"
                             "InstalledDir: /usr/bin\nConfiguration file: /etc/clang/hipcc.cfg\n"
                             "System configuration file directory: /etc/clang\n"
                             "Found candidate GCC installation: /usr/bin/../lib/gcc/x86_64-linux-gnu/12\n"
                             "Selected GCC installation: /usr/bin/../lib/gcc/x86_64-linux-gnu/12\n"
                             "Candidate multilib: .;@m64\nSelected multilib: .;@m64\n"
                             "Found HIP installation: /usr, version 5.2.21153\n";
#define CC1                                                                                                  \
  " (in-process)\n \"/usr/lib/llvm-15/bin/clang\" -cc1 -o /tmp/k.o -x hip k.hip\n"                           \
  "clang -cc1 version 15.0.6 based upon LLVM 15.0.6 default target x86_64-pc-linux-gnu\n"                    \
  "ignoring nonexistent directory \"/usr/hsa/include\"\nignoring duplicate directory \"/usr/include\"\n"     \
  "  as it is a non-system directory that duplicates a system directory\n"                                   \
  "#include \"...\" search starts here:\n#include <...> search starts here:\n /usr/include\nEnd of search list.\n"
#define ERROR                                                                                                \
  "k.hip:2:29: error: use of undeclared identifier 'oops'\n *p = oops; // clang version 3\n"                 \
  "                            ^\n1 error generated when compiling for gfx90a.\n"
  static const char steps[] = "Configuration file: /etc/clang/hipcc.cfg\n"
                              " \"/usr/lib/llvm-15/bin/clang\" -cc1 -o /tmp/k.o -x hip k.hip\n"
                              " \"/usr/bin/ld\" -shared -o k.so\n";
  struct buf text = {0};
  buf_printf(&text, "%s%s%s \"/usr/bin/ld\" -shared -o k.so\n/usr/bin/ld: cannot find -lx", head, CC1,
             "k.hip:1:1: warning: deprecated\n");
  split("a link that fails", text.data, steps,
        "k.hip:1:1: warning: deprecated\n/usr/bin/ld: cannot find -lx");
  buf_free(&text);
  split("an error", CC1 ERROR, " \"/usr/lib/llvm-15/bin/clang\" -cc1 -o /tmp/k.o -x hip k.hip\n",
        "k.hip:2:29: error: use of undeclared identifier 'oops'\n *p = oops; // clang version 3\n"
        "                            ^\n1 error generated when compiling for gfx90a.\n");
  split("without -v", ERROR "  \"/not/a/step\",\n", "", ERROR "  \"/not/a/step\",\n");
  split("nothing", "", "", "");
  // a list that does not end, of a compiler that was killed
  split("a list that does not end", "#include \"...\" search starts here:\n /usr/include\n", "", "");
  return failures != 0;
}
