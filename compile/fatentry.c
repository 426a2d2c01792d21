#include "fatentry.h"

void fatentry_source(struct buf *out, const char *section, unsigned align, const char *fatbin) {
  buf_printf(out,
             ".section %s, \"a\", @progbits\n"
             ".balign %u\n"
             ".globl ckjit_fatbin\n"
             ".type ckjit_fatbin, @object\n"
             "ckjit_fatbin:\n",
             section, align);
  if (fatbin)
    buf_printf(out, ".incbin \"%s\"\n", fatbin);
  buf_puts(out, ".Lend:\n"
                ".size ckjit_fatbin, .-ckjit_fatbin\n"
                ".balign 8\n"
                ".globl ckjit_fatbin_size\n"
                ".type ckjit_fatbin_size, @object\n"
                ".size ckjit_fatbin_size, 8\n"
                "ckjit_fatbin_size: .quad .Lend - ckjit_fatbin\n"
                ".section .note.GNU-stack, \"\", @progbits\n");
}

void fatentry_words(struct argv *command, const struct compile_task *t, const char *source,
                    const char *output) {
  argv_addf(command, "-Wl,--build-id=0x%s", t->hex);
  argv_add(command, "-shared");
  argv_add(command, "-nostdlib");
  argv_add(command, "-o");
  argv_add(command, output);
  argv_add(command, source);
}
