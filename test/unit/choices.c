/* choices.c - the name of a combination: its parts, how much of it a message has, and whether an
 * entry was made for it or for another name with the same hash. */
// tier: check
#include "check.h"
#include "core/base/elfwrite.h"
#include "core/files/linkedunit.h"
#include "abi/ck_jit_code.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOLDS(ok) CHECK(ok, "choices")

static const char name[] = "_Z4scanv+odd+a::b+-Xptxas=-O1+=f.cu\nint f(int a) { return a +1; }\n\036"
                           "+=g.cu\n\036";

static void parts(void) {
  struct linkedunit_choices c;
  linkedunit_choices_read(&c, name);
  HOLDS(strcmp(c.kernel, "_Z4scanv") == 0);
  HOLDS(c.tags.n == 2 && strcmp(c.tags.args[1], "a::b") == 0);
  HOLDS(c.options.n == 1 && strcmp(c.options.args[0], "-Xptxas=-O1") == 0);
  HOLDS(c.texts.n == 2 && strcmp(c.texts.args[0], "f.cu\nint f(int a) { return a +1; }\n") == 0);
  HOLDS(c.texts.n == 2 && strcmp(c.texts.args[1], "g.cu\n") == 0);
  linkedunit_choices_free(&c);
  linkedunit_choices_read(&c, "plain");
  HOLDS(strcmp(c.kernel, "plain") == 0 && !c.tags.n && !c.options.n && !c.texts.n);
  linkedunit_choices_free(&c);
  HOLDS(ckjit_choices_len(name) == strlen("_Z4scanv+odd+a::b+-Xptxas=-O1"));
  HOLDS(ckjit_choices_len("plain") == strlen("plain"));
}

/* An entry with the section SECTION of TEXT, open. */
static int entry(const char *section, const char *text) {
  const struct elf_part list[] = {
      {0}, {section, text, {.sh_type = SHT_PROGBITS, .sh_size = strlen(text), .sh_addralign = 1}}};
  struct buf out = {0};
  char file[] = "/tmp/choices.XXXXXX";
  int fd = mkstemp(file);
  unlink(file);
  elf_write(&out, EM_NONE, list, 2, 1);
  HOLDS(write(fd, out.data, out.len) == (ssize_t)out.len);
  buf_free(&out);
  return fd;
}

static bool is_of(const char *section, const char *text, const char *wanted) {
  int fd = entry(section, text);
  bool is = ckjit_code_is_of(fd, wanted);
  close(fd);
  return is;
}

static void entries(void) {
  char *other = strdup(name), *longer = malloc(3000);
  other[strlen(other) - 9] ^= 1; /* in a text */
  memset(longer, 'x', 2999);
  memcpy(longer, name, strlen(name));
  longer[2999] = 0;
  HOLDS(is_of(CKJIT_CODE_NAME, name, name));
  HOLDS(is_of(CKJIT_CODE_NAME, longer, longer));
  HOLDS(!is_of(CKJIT_CODE_NAME, other, name));
  HOLDS(!is_of(CKJIT_CODE_NAME, longer, name));
  HOLDS(!is_of(CKJIT_CODE_NAME, name, longer));
  HOLDS(!is_of(CKJIT_CODE_CUDA, name, name));        /* no such section */
  HOLDS(is_of(CKJIT_CODE_CUDA, "", "_Z4scanv+odd")); /* tags need none */
  longer[2998] = 'y';
  char *third = strdup(longer);
  third[2998] = 'z';
  HOLDS(!is_of(CKJIT_CODE_NAME, longer, third));
  free(third);
  free(other);
  free(longer);
}

int main(void) {
  parts();
  entries();
  return bad;
}
