/* stubobj.c - stubs are written and found again, in archives of every dialect; damaged files are refused
 * without a crash. Argument: an empty directory.
 *
 * The archives are made here, member by member: ar of one system does not write the other systems' dialects. Then an object is cut
 * off at many lengths, has many of its bytes changed, and is read again.
 */
// tier: check
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/files/stubobj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "failed: %s\n", what);
    bad = 1;
  }
}

static void put_file(const char *path, const struct buf *b) {
  if (!file_write(path, b->data, b->len, 0644))
    die(EXIT_FAILED, "%s: cannot be written", path);
}

static bool collect_note(const char *line, size_t len, const char *member, void *user) {
  struct buf *out = user;
  buf_printf(out, "%s:%.*s;", member ? member : "", (int)len, line);
  return true;
}

/* the records of PATH as "member:line;…", or "!" and the message */
static char *records(const char *path) {
  struct buf out = {0};
  char *err;
  buf_add(&out, "", 0);
  if (!stub_records_file(path, collect_note, &out, &err)) {
    buf_printf(&out, "!%s", err);
    free(err);
  }
  return out.data;
}

static void expect(const char *path, const char *want) {
  char *got = records(path);
  if (strcmp(got, want) != 0) {
    fprintf(stderr, "%s:\n  want %s\n  got  %s\n", path, want, got);
    bad = 1;
  }
  free(got);
}

static struct buf read_file(const char *path) {
  struct buf b = {0};
  b.data = file_read(path, &b.len);
  b.cap = b.len + 1;
  return b;
}

static void member(struct buf *ar, const char *name, const void *content, size_t n, bool outside) {
  buf_printf(ar, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, n);
  if (outside)
    return;
  buf_add(ar, content, n);
  if (n & 1)
    buf_putc(ar, '\n');
}

static void objects(void) {
  check(stub_write("a.o", &CKJIT_OWN, "one\n", 4) && stub_in_file("a.o"), "a stub is written");
  expect("a.o", ":one;");
  check(stub_write("a.o", &CKJIT_OWN, "two\nthree\n", 10), "and written again");
  expect("a.o", ":two;:three;");
  check(!stub_write("none/a.o", &CKJIT_OWN, "x\n", 2), "no directory, no stub");

  /* a hard link is somebody else's file */
  check(stub_write("b.o", &CKJIT_OWN, "b\n", 2) && link("b.o", "c.o") == 0 &&
            stub_write("c.o", &CKJIT_OWN, "c\n", 2),
        "hard link");
  expect("b.o", ":b;");
  expect("c.o", ":c;");

  struct buf b = {0}, text = read_file("/proc/self/exe");
  struct elf e;
  struct elf_section s;
  size_t i = 0;
  b = read_file("a.o");
  check(elf_open(&e, b.data, b.len, NULL) && e.type == ET_REL && elf_find(&e, STUB_SECTION, &i, &s),
        "valid ELF");
  check((s.flags & SHF_EXCLUDE) && s.type == SHT_PROGBITS && s.size == 10,
        "the section is excluded from links");
  i = 0;
  check(elf_find(&e, ".note.GNU-stack", &i, &s) && s.flags == 0, "no executable stack");
  buf_free(&b);

  put_file("program", &text);
  expect("program", "");
  check(!stub_in_file("program") && !stub_in_file("none.o") && !stub_in_file("."), "no stubs");
  expect("none.o", "!none.o: No such file or directory");
  buf_puts(&b, "INPUT(a.o)\n");
  put_file("libscript.so", &b);
  expect("libscript.so", "");
  buf_free(&b);
  put_file("empty", &(struct buf){.data = "", .len = 0});
  expect("empty", "");
  buf_free(&text);
}

static void archives(void) {
  struct buf a = read_file("a.o"), b = read_file("b.o"), ar = {0};
  buf_puts(&ar, "!<arch>\n");
  member(&ar, "/", "\0\0\0\0", 4, false);
  member(&ar, "//", "a long name with blanks.o/\n", 27, false);
  member(&ar, "a.o/", a.data, a.len, false);
  member(&ar, "readme/", "odd", 3, false);
  member(&ar, "/0", b.data, b.len, false);
  put_file("gnu.a", &ar);
  expect("gnu.a", "a.o:two;a.o:three;a long name with blanks.o:b;");
  check(stub_in_file("gnu.a"), "stubs in an archive");

  struct buf content = {0};
  buf_add(&content, "bsd name.o\0\0", 12);
  buf_add(&content, b.data, b.len);
  buf_free(&ar);
  buf_puts(&ar, "!<arch>\n");
  member(&ar, "__.SYMDEF", "", 0, false);
  member(&ar, "#1/12", content.data, content.len, false);
  put_file("bsd.a", &ar);
  expect("bsd.a", "bsd name.o:b;");

  buf_free(&ar);
  buf_puts(&ar, "!<thin>\n");
  member(&ar, "//", "a.o/\nsub/../b.o/\nnone.o/\n", 25, false);
  member(&ar, "/0", NULL, a.len, true);
  member(&ar, "/5", NULL, b.len, true);
  put_file("thin.a", &ar);
  mkdir("sub", 0777);
  expect("thin.a", "a.o:two;a.o:three;sub/../b.o:b;");
  member(&ar, "/17", NULL, 9, true);
  put_file("thin.a", &ar);
  expect("thin.a", "a.o:two;a.o:three;sub/../b.o:b;!thin.a: its member ./none.o: No such file or directory");

  buf_free(&ar);
  buf_puts(&ar, "!<arch>\n");
  member(&ar, "a.o/", a.data, a.len, false);
  member(&ar, "a.o/", b.data, b.len, false);
  size_t whole = ar.len;
  put_file("twice.a", &ar);
  expect("twice.a", "a.o:two;a.o:three;a.o:b;");
  ar.len -= 2;
  put_file("torn.a", &ar);
  expect("torn.a", "a.o:two;a.o:three;!torn.a: the archive ends within its member a.o");
  ar.len = whole;
  member(&ar, "/7", a.data, a.len, false);
  char *why = xasprintf("a.o:two;a.o:three;a.o:b;!bad.a: the archive is damaged at byte %zu", whole);
  put_file("bad.a", &ar);
  expect("bad.a", why);
  free(why);
  buf_free(&ar);
  buf_free(&content);
  buf_free(&a);
  buf_free(&b);
}

/* N bytes of an object in a block of just that size, so that the sanitizers see a byte too far. */
static void read_elf(const char *data, size_t n) {
  char *exact = xmalloc(n);
  struct elf e;
  struct elf_section s;
  struct elf_symtab t;
  struct elf_symbol y;
  memcpy(exact, data, n);
  if (elf_open(&e, exact, n, NULL)) {
    for (size_t k = 0; k < 40; k++)
      check(!elf_section(&e, k, &s) || strlen(s.name) < n, "section names end");
    for (size_t k = 0; elf_symtab(&e, SHT_SYMTAB, &t) && k < 40; k++)
      check(!elf_symbol(&t, k, &y) || strlen(y.name) < n, "symbol names end");
  }
  free(exact);
}

/* Every truncation and many damaged bytes of FILE: any answer but a crash. */
static void damage(const char *file) {
  struct buf b = read_file(file);
  const char *set = getenv("SEED"); /* another each time */
  unsigned random = set ? (unsigned)strtoul(set, NULL, 10) : (unsigned)time(NULL) ^ (unsigned)getpid() << 16;
  printf("%s: SEED=%u\n", file, random);
  fflush(stdout);
  for (size_t n = 0; n < b.len; n += 1 + n / 64) {
    put_file("cut", &(struct buf){.data = b.data, .len = n});
    free(records("cut"));
    read_elf(b.data, n);
  }
  for (int i = 0; i < 3000; i++) {
    random = random * 1103515245 + 12345;
    size_t at = (random >> 8) % b.len;
    char was = b.data[at];
    b.data[at] = (char)(random >> 4);
    read_elf(b.data, b.len);
    if (i % 8 == 0) {
      put_file("cut", &b);
      free(records("cut"));
    }
    b.data[at] = was;
  }
  buf_free(&b);
}

/* what the compiler put into real.o */
static void symbols(void) {
  struct buf b = read_file("real.o");
  struct elf e;
  struct elf_symtab t;
  struct elf_symbol y;
  int seen = 0;
  check(elf_open(&e, b.data, b.len, NULL) && elf_symtab(&e, SHT_SYMTAB, &t), "a compiled object has symbols");
  check(!elf_symtab(&e, SHT_DYNSYM, &(struct elf_symtab){0}), "and no dynamic ones");
  for (size_t i = 0; elf_symbol(&t, i, &y); i++) {
    if (strcmp(y.name, "f") == 0)
      seen += y.type == STT_FUNC && y.bind == STB_GLOBAL && y.section != SHN_UNDEF && y.size > 0;
    if (strcmp(y.name, "g") == 0)
      seen += y.section == SHN_UNDEF;
  }
  check(seen == 2, "f is defined, g is not");
  buf_free(&b);
}

int main(void) {
  char dir[] = "/tmp/ckjit-stubobj.XXXXXX";
  if (!mkdtemp(dir) || chdir(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  objects();
  archives();
  damage("a.o");
  damage("gnu.a");
  damage("bsd.a");
  damage("thin.a");
  if (!system("echo 'int a; int f(void) { return a + g(); }' | cc -w -x c -c - -o real.o")) {
    expect("real.o", "");
    damage("real.o");
    symbols();
  }
  dir_remove(dir);
  return bad;
}
