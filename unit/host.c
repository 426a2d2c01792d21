/* host.c - the object of the host's side.
 *
 * It is compiled from the host's text without the bodies of kernels, to which two sections are added in assembly: the
 * record, for the post-build linker, and a reference that only a library linked by it resolves. Its fat binary says
 * whose kernels these are (docs/formats.md, "The lazy unit").
 *
 * What is registered as more than a kernel or a variable is not handled at a first launch. The object says so: the
 * unit then goes to the real compiler.
 */
#include "unit.h"
#include "cuda.h"
#include "abi/ck_jit_unit.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"
#include "core/files/embedded.h"
#include "core/files/registered.h"
#include "core/files/stubobj.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* N bytes as .ascii directives, in the form that they have within a string of C++. */
static void put_bytes(struct buf *out, const char *bytes, size_t n) {
  enum { A_LINE = 64 };
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (i % A_LINE == 0)
      buf_puts(out, "\".ascii \\\"");
    if (isalnum(c) || (c && strchr(" ./_-+=:,{}[]", c)))
      buf_putc(out, (char)c);
    else
      buf_printf(out, "\\\\%03o", c);
    if (i % A_LINE == A_LINE - 1 || i + 1 == n)
      buf_puts(out, "\\\"\\n\"\n");
  }
}

/* The device's text, as the file of it, in a section that no link keeps. The names of HIP's kernels are not known yet: they are those of the
 * object that this is put into (embedded.h). */
static bool put_text(struct unit *u, struct buf *out) {
  char *file = path_join(u->dir, "embedded" UNITTEXT_EXT), *err = NULL;
  struct stat st;
  bool done = !strpbrk(file, "\"\\\n") && unittext_write(file, u->texts, u->ntexts, &u->names, &err) &&
              !stat(file, &st);
  if (done)
    buf_printf(out,
               "__asm__(\".pushsection " EMBEDDED_SECTION ",\\\"e\\\",@progbits\\n\"\n"
               "\".ascii \\\"" EMBEDDED_HEAD "\\\"\\n.incbin \\\"%s\\\"\\n.popsection\\n\");\n",
               u->record.key, (uint64_t)st.st_size, file);
  else
    unit_not_lazy(u, "its text cannot be put into the object: %s", err ? err : file);
  free(err);
  free(file);
  return done;
}

/* The sections. The second is kept by a link that removes what nobody refers to ("R"). */
bool unit_put_sections(struct unit *u, struct buf *out, const struct buf *record) {
  buf_puts(out, "\n__asm__(\".pushsection " STUB_SECTION ",\\\"e\\\",@progbits\\n\"\n");
  put_bytes(out, record->data, record->len);
  buf_puts(out,
           "\".popsection\\n\"\n\".pushsection " STUB_GUARD ",\\\"aR\\\",@progbits\\n.hidden " STUB_SYMBOL
           "\\n.balign 4\\n.long " STUB_SYMBOL " - .\\n.popsection\\n\");\n");
  return !u->embeds || put_text(u, out);
}

static bool is_as_expected(struct unit *u) {
  size_t len, at = 0;
  char *bytes = file_read(u->object, &len), *err = NULL, *obstacle = calls_obstacle(u->object);
  struct elf e;
  struct elf_section record;
  if (!bytes)
    return unit_not_lazy(u, "%s: %s", u->object, strerror(errno));
  if (!elf_open(&e, bytes, len, &err) || e.type != ET_REL || !elf_find(&e, STUB_SECTION, &at, &record))
    unit_not_lazy(u, "its object is %s", err ? err : "not as expected");
  else if (obstacle)
    unit_not_lazy(
        u,
        "it registers more than kernels and variables, or hands kernels over in a way that is not followed: %s",
        obstacle);
  else
    registered_kernels(&u->names, &e);
  free(obstacle);
  free(err);
  free(bytes);
  return !u->why;
}

/* The object from the host's text. */
static bool compile_host(struct unit *u, const struct buf *record) {
  const char *source = u->record.cc.source->text;
  struct buf text = {.data = u->host, .len = u->host_len, .cap = u->host_len + 1}, stand_in = {0};
  bool written = unit_put_sections(u, &text, record);
  buf_printf(&stand_in, CKJIT_UNIT_MAGIC "%s", u->record.key);
  /* Symbols have the source's base name in them. */
  char *dir = path_join(u->dir, "source"), *file = path_join(dir, path_base(source)),
       *binary = path_join(u->dir, "stand-in");
  u->object = path_join(u->dir, "object.o");
  struct argv command = {0};
  unit_host_words(&command, u, file, binary, u->object);
  written = written && dir_make(dir) && file_write(file, text.data, text.len, 0600) &&
            file_write(binary, stand_in.data, stand_in.len, 0600);
  if (!written && !u->why)
    unit_not_lazy(u, "%s: %s", u->dir, strerror(errno));
  written = written && unit_run(u, "compiling the host's side", &command, 1);
  buf_free(&text);
  buf_free(&stand_in);
  return written;
}

/* What the record keeps of SOURCE, for a link that compiles the unit as the build does; NULL: it
 * cannot. */
static char *text_of_source(const char *source) {
  size_t len;
  char *text = file_read(source, &len);
  if (!text || strlen(text) == len)
    return text;
  free(text);
  return NULL;
}

bool unit_make_object(struct unit *u) {
  struct record *r = &u->record;
  const char *source = r->cc.source->text;
  struct buf line = {0};
  r->kind = RECORD_UNIT;
  r->why = (struct reason){.rule = RULE_UNIT};
  r->stem = path_stem(source);
  r->source = path_abs_in(r->cwd, source);
  r->output = path_abs_in(r->cwd, u->output);
  r->source_text = u->at_link ? NULL : text_of_source(source);
  record_format(&line, r);
  bool made = (unit_is_cuda(u) ? unit_cuda_object(u, &line) : compile_host(u, &line)) && is_as_expected(u) &&
              (!unit_is_cuda(u) || unit_cuda_fronts(u));
  buf_free(&line);
  free(r->source_text); /* the log goes without */
  r->source_text = NULL;
  return made;
}
