/* calls.c - see calls.h. A function's declaration follows its CKJIT_STUB in the unit. A type that
 * is hidden in a typedef of another name or in a macro is not seen. */
#include "calls.h"

#include "core/base/path.h"

struct calls {
  const struct ckjit_calls *of;
  char *text;
};

static bool has_word(const struct ckjit_calls *of, const char *text, size_t len) {
  for (size_t i = 0; i < CKJIT_CALLS_WORDS && *of->words[i]; i++)
    if (memmem(text, len, of->words[i], strlen(of->words[i])))
      return true;
  return false;
}

struct calls *calls_read(const struct ckjit_machine *machine, const char *source) {
  size_t len;
  char *text = machine && machine->calls.bits ? file_read_text(source, &len) : NULL;
  if (!text || !has_word(&machine->calls, text, len)) {
    free(text);
    return NULL;
  }
  struct calls *c = xmalloc(sizeof *c);
  *c = (struct calls){&machine->calls, text};
  return c;
}

uint8_t calls_of(const struct calls *c, size_t function, const char *name) {
  if (!c)
    return 0;
  autofree char *head = xasprintf("\nCKJIT_STUB(%zu) ", function);
  const char *at = strstr(c->text, head), *end = at ? strstr(at + 1, "\nCKJIT_STUB(") : NULL;
  size_t len = !at ? 0 : end ? (size_t)(end - at) : strlen(at);
  return has_word(c->of, name, strlen(name)) || has_word(c->of, at ? at : "", len) ? c->of->bits : 0;
}

void calls_free(struct calls *c) {
  if (c)
    free(c->text);
  free(c);
}
