/* sections.c - the sections that a unit's object has in addition to host code, as text to compile
 * with it: the record, for the post-build linker; a reference that only a library linked by it
 * resolves; and, for a launcher, the device's text. */
#include "unit.h"
#include "core/base/path.h"
#include "core/files/embedded.h"
#include "core/files/stubobj.h"

#include <ctype.h>
#include <sys/stat.h>

/* N bytes as .ascii directives, in the form that they have within a C++ string. */
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

/* The file of the device's text, in a section that no link keeps. The names of HIP's kernels are
 * not known yet: they are those of the object that gets this section (embedded.h). */
static bool put_text(struct unit *u, struct buf *out) {
  autofree char *file = path_join(u->dir, "embedded" UNITTEXT_EXT), *err = NULL;
  struct stat st;
  bool done = !strpbrk(file, "\"\\\n") &&
              unittext_write(file, u->texts, u->ntexts, &u->names, &err) && !stat(file, &st);
  if (done)
    buf_printf(out,
               "__asm__(\".pushsection " EMBEDDED_SECTION ",\\\"e\\\",@progbits\\n\"\n"
               "\".ascii \\\"" EMBEDDED_HEAD "\\\"\\n.incbin \\\"%s\\\"\\n.popsection\\n\");\n",
               u->record.key, (uint64_t)st.st_size, file);
  else
    unit_not_lazy(u, "its text cannot be put into the object: %s", err ? err : file);
  return done;
}

/* HIP 5's hipcc takes the members of an archive with a section of such a name as if its command
 * named them: such an archive needs no index, and all that they define is in the library. */
#define UNPACKED                                                                                   \
  "__asm__(\".pushsection __CLANG_OFFLOAD_BUNDLE__ckjit,\\\"e\\\",@progbits\\n.popsection\");\n"

/* Write the sections. A link that removes unreferenced sections keeps the second one ("R"). */
bool unit_put_sections(struct unit *u, struct buf *out, const struct buf *record) {
  buf_puts(out, "\n__asm__(\".pushsection " STUB_SECTION ",\\\"e\\\",@progbits\\n\"\n");
  put_bytes(out, record->data, record->len);
  buf_puts(out, "\".popsection\\n\"\n\".pushsection " STUB_GUARD
                ",\\\"aR\\\",@progbits\\n.hidden " STUB_SYMBOL "\\n.balign 4\\n.long " STUB_SYMBOL
                " - .\\n.popsection\\n\");\n");
  if (unit_is_linked(u) && !unit_is_cuda(u))
    buf_puts(out, UNPACKED);
  return !u->embeds || put_text(u, out);
}
