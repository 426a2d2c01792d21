#include "unitkey.h"

#include "abi/ck_jit_abi.h"

static void add_text(const char *arch, const char *digest, void *lines) {
  buf_printf(lines, "text %s %s\n", arch, digest);
}

void unitkey_texts(struct buf *lines, const struct unittext *texts, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char hex[DIGEST_HEX];
    digest_bytes(hex, texts[i].text, texts[i].len);
    add_text(texts[i].arch, hex, lines);
  }
}

bool unitkey_file(struct buf *lines, const char *file, char **err) {
  return unittext_each(file, add_text, lines, err);
}

void unitkey_program_text(struct buf *lines, const char *text) {
  char hex[DIGEST_HEX];
  digest_bytes(hex, text, strlen(text));
  add_text("program", hex, lines);
}

void unitkey_make(char key[DIGEST_HEX], const struct buf *lines, enum cc_dialect dialect,
                  char *const *device, const char *compiler) {
  autofree_buf all = {0};
  autofree_argv flags = {0};
  key_flags(&flags, dialect, device);
  autofree char *words = argv_join(flags.args);
  buf_printf(&all, "ckjit-unit=1 %d\n", CKJIT_ABI_FORMAT);
  buf_add(&all, lines->data, lines->len);
  buf_printf(&all, "device %s\ncompiler %s\n", words, compiler);
  digest_bytes(key, all.data, all.len);
}
