/* stubs.c - the object of forwarding stubs. The linker takes it. An empty slot leads to the trampoline with the
 * right numbers, a filled one to the function, arguments untouched. Binding and visibility are those that were
 * asked for. The file is left alone if it would not change. */
// tier: check
#include "postbuild/stubs.h"
#include "core/base/elf.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "stubs: %s\n", what);
    bad = 1;
  }
}

/* Calls stub 0 and 2 of unit 7; the trampoline notes what it was told and fills the slot. */
static const char program[] =
    "#include <stdio.h>\n"
    "int first(int, double), third(int, double);\n"
    "unsigned long told[2]; void *slot;\n"
    "int real(int a, double b) { return a + (int)b; }\n"
    "__asm__(\".text\\n.globl ckjit_trampoline\\n.hidden ckjit_trampoline\\nckjit_trampoline:\\n\"\n"
    "  \"pop %rax\\nmov %rax, told(%rip)\\npop %rax\\nmov %rax, told+8(%rip)\\n\"\n"
    "  \"lea (%r11,%rax,8), %rax\\nmov %rax, slot(%rip)\\nlea real(%rip), %r11\\nmov %r11, (%rax)\\njmp "
    "*%r11\\n\");\n"
    "int main(void) {\n"
    "  int a = first(1, 2.5), n = (int)told[1]; told[1] = 99; void *of_first = slot;\n"
    "  int again = first(3, 4.5), untold = told[1] == 99;\n"
    "  int c = third(5, 6.5);\n"
    "  printf(\"%d %d %d %d %d %d %d\\n\", a, n, again, untold, c, (int)told[1], (int)told[0]);\n"
    "  return (char *)slot - (char *)of_first != 16; }\n";

static char *output(const char *dir) {
  char *line = xasprintf("cd '%s' && cc -O1 -o program program.c stubs.o && ./program >out", dir);
  char *file = path_join(dir, "out");
  size_t n;
  char *text = system(line) == 0 ? file_read(file, &n) : NULL;
  free(line);
  free(file);
  return text ? text : xstrdup("(does not link or run)");
}

/* *BIND and *VISIBILITY of NAME in FILE; false if it is not there */
static bool symbol(const char *file, const char *name, struct elf_symbol *s) {
  size_t len;
  char *bytes = file_read(file, &len);
  struct elf e;
  struct elf_symtab t;
  bool found = false;
  if (bytes && elf_open(&e, bytes, len, NULL) && elf_symtab(&e, SHT_SYMTAB, &t))
    for (size_t i = 0; i < t.count && !found; i++)
      found = elf_symbol(&t, i, s) && strcmp(s->name, name) == 0;
  free(bytes);
  return found;
}

int main(void) {
  char dir[] = "/tmp/ckjit-stubs.XXXXXX";
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  char *object = path_join(dir, "stubs.o"), *source = path_join(dir, "program.c");
  struct stub stubs[] = {
      {"first", STB_GLOBAL, STV_HIDDEN, 0xff}, {NULL, 0, 0, 0}, {"third", STB_WEAK, STV_DEFAULT, 0}};
  check(stubs_write(object, &CKJIT_OWN, 7, stubs, 3), "the object is written");
  check(file_write(source, program, sizeof program - 1, 0644), "the program is written");
  char *said = output(dir);
  check(strcmp(said, "3 0 7 1 11 2 7\n") == 0, said);
  struct elf_symbol s;
  check(symbol(object, "first", &s) && s.bind == STB_GLOBAL && s.visibility == STV_HIDDEN &&
            s.type == STT_FUNC && s.other == CKJIT_OWN.calls.bits,
        "first is global and hidden, and has what is the machine's of the other bits");
  check(symbol(object, "third", &s) && s.bind == STB_WEAK && s.visibility == STV_DEFAULT, "third is weak");
  check(symbol(object, "ckjit_u7_slots", &s) && s.size == 24, "the slots have a name and a size");

  struct stat before, after;
  stat(object, &before);
  check(stubs_write(object, &CKJIT_OWN, 7, stubs, 3) && stat(object, &after) == 0 &&
            before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec,
        "what would not change is left alone");
  check(!stubs_write("/nonexistent/stubs.o", &CKJIT_OWN, 7, stubs, 3), "no directory, no object");
  free(said);
  free(object);
  free(source);
  dir_remove(dir);
  return bad;
}
