#include "exportformat.h"

#include <ctype.h>

static const struct {
  /* by runtime; with code for several architectures, or PTX */
  const char *name, *extension[2], *fat[2];
} formats[] = {
    [EXPORT_SO] = {"so", {".so", ".so"}, {".so", ".so"}},
    [EXPORT_OBJ] = {"obj", {".o", ".o"}, {".o", ".o"}},
    [EXPORT_CODE_OBJECT] = {"code-object", {".co", ".cubin"}, {".co", ".fatbin"}},
    [EXPORT_BITCODE] = {"bitcode", {".bc", ".ltoir"}, {".bc", ".ltoir"}},
    [EXPORT_ASM] = {"asm", {".s", ".ptx"}, {".s", ".ptx"}},
};
enum { NFORMATS = sizeof formats / sizeof *formats };

const char *const export_format_names[] = {"so", "obj", "code-object", "bitcode", "asm", NULL};

enum export_format export_format_parse(const char *name) {
  for (int i = EXPORT_NONE + 1; i < NFORMATS; i++)
    if (strcmp(name, formats[i].name) == 0)
      return (enum export_format)i;
  return EXPORT_NONE;
}

const char *export_format_name(enum export_format format) {
  return formats[format].name;
}

const char *export_extension(enum export_format format, enum gpu_runtime runtime, bool fat) {
  return fat ? formats[format].fat[runtime] : formats[format].extension[runtime];
}

bool export_is_device(enum export_format format) {
  return format >= EXPORT_CODE_OBJECT;
}

const char *export_symbol_parse(const char *text, char **old) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.$0123456789";
  const char *equals = strrchr(text, '='), *name = equals ? equals + 1 : text;
  *old = NULL;
  if (!*name || isdigit((unsigned char)*name) || strspn(name, letters) != strlen(name) ||
      str_starts(name, "llvm.") || equals == text)
    return NULL;
  if (equals)
    *old = xstrndup(text, (size_t)(equals - text));
  return name;
}

/* The length of the next feature, or of the processor, at *AT up to END. */
static size_t word_length(const char *at, const char *end) {
  const char *colon = memchr(at, ':', (size_t)(end - at));
  return (size_t)((colon ? colon : end) - at);
}

static bool has_word(const char *arch, size_t n, const char *word, size_t m) {
  for (const char *at = arch, *end = arch + n; at < end;) {
    size_t length = word_length(at, end);
    if (length == m && memcmp(at, word, m) == 0)
      return true;
    at += length + 1;
  }
  return false;
}

/* Do the architectures A and B have the same processor, and does B have all features of A? */
static bool has_all(const char *a, size_t n, const char *b, size_t m) {
  if (word_length(a, a + n) != word_length(b, b + m) || memcmp(a, b, word_length(a, a + n)) != 0)
    return false;
  for (const char *at = a, *end = a + n; at < end;) {
    size_t length = word_length(at, end);
    if (!has_word(b, m, at, length))
      return false;
    at += length + 1;
  }
  return true;
}

bool export_same_arch(const char *a, size_t n, const char *b, size_t m) {
  return n == m && has_all(a, n, b, m);
}

bool export_arch_serves(const char *made, const char *arch) {
  return has_all(made, strlen(made), arch, strlen(arch));
}

bool export_arch_is_sound(const char *arch, size_t n) {
  const char *end = arch + n;
  for (const char *at = arch; at <= end;) {
    size_t length = word_length(at, end), name = length;
    if (at != arch) { /* a feature ends with its sign, + or - */
      bool virtual = length > strlen("compute_") && str_starts(at, "compute_") &&
                     at + length == end;
      if (!virtual && (length < 2 || (at[length - 1] != '+' && at[length - 1] != '-')))
        return false;
      name -= !virtual;
    }
    for (size_t i = 0; i < name; i++)
      if (!isalnum((unsigned char)at[i]) && at[i] != '-' && at[i] != '_')
        return false;
    if (!name)
      return false;
    at += length + 1;
  }
  return true;
}
