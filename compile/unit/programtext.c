/* programtext.c - see programtext.h. */
#include "programtext.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/cicc.h"
#include "core/files/unitkey.h"

#include <ctype.h>

/* "filter-1a2b3c4d5e6f" of the text "dir/filter.cu\n…" with KEY: part of a file's name. */
static char *text_stem(const char *text, const char *key) {
  autofree char *name = xstrndup(text, strcspn(text, "\n")), *stem = path_stem(name);
  for (char *p = stem; *p; p++)
    if (!isalnum((unsigned char)*p))
      *p = '_';
  return xasprintf("%.40s-%.12s", stem, key);
}

/* The words of the kernel's unit, with another name for what is internal to the text. */
static void put_text_words(struct argv *words, const struct linkedunit *of, const char *text) {
  char hex[DIGEST_HEX];
  autofree_buf id = {0};
  digest_bytes(hex, text, strlen(text));
  cicc_put_module_id(&id, hex, "text.cu");
  for (size_t i = 0; i < of->device.n; i++)
    if (str_starts(of->device.args[i], UNITKEY_MODULE))
      argv_addf(words, UNITKEY_MODULE "%s", id.data);
    else
      argv_add(words, of->device.args[i]);
}

void programtext_add(struct linkedunits *all, const struct argv *texts, const struct compile_task *t) {
  for (size_t i = 0; i < texts->n; i++) {
    const char *text = texts->args[i], *compiler = t->inputs ? t->inputs->compiler : t->compiler;
    struct linkedunit u = {.program_text = xstrdup(text)};
    autofree_buf lines = {0};
    char key[DIGEST_HEX];
    put_text_words(&u.device, &all->list[0], text);
    unitkey_program_text(&lines, text);
    unitkey_make(key, &lines, t->kind->dialect, u.device.args, compiler);
    u.key = xstrdup(key);
    u.stem = text_stem(text, key);
    vec_push(all->list, all->n, u);
  }
}
