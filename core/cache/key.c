#include "key.h"

#include "core/cc/ccargs.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_build_id.h"

#include <blake2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- flags ---- */

/* A flag with its value, and its family, within which order matters: -fx and -fno-x, -DM=1 and -UM. */
struct flag {
  const char *a, *b; /* b: the next word, if it is the value; else NULL */
  char *family;      /* NULL: order matters relative to all others */
  size_t at;
};

static char *family_of(const char *a, const char *b) {
  const char *p = a;
  char kind = 0;
  if (strcmp(a, "-mllvm") == 0 && b) {
    kind = 'l';
    p = b + strspn(b, "-");
  } else if ((a[0] == '-' && (a[1] == 'D' || a[1] == 'U')) && (a[2] || b)) {
    kind = 'D';
    p = a[2] ? a + 2 : b;
  } else if (a[0] == '-' && (a[1] == 'f' || a[1] == 'm')) {
    kind = a[1];
    p = a + 2;
    if (str_starts(p, "no-"))
      p += 3;
  } else {
    return NULL;
  }
  return xasprintf("%c%.*s", kind, (int)strcspn(p, "="), p);
}

/* Flags for warnings do not change the code. */
static bool is_irrelevant(const char *a) {
  return (str_starts(a, "-W") && !str_starts(a, "-Wl,") && !str_starts(a, "-Wp,") &&
          !str_starts(a, "-Wa,")) ||
         strcmp(a, "-w") == 0 || str_starts(a, "-fdiagnostics") || str_starts(a, "-fcolor-diagnostics") ||
         str_starts(a, "-fmessage-length");
}

/* Directories are only names: the key has the contents of the headers found in them. nvcc passes on options
 * that it does not know, such as -iquote/dir, if it is told to. */
static bool is_directory(const struct cc_word *w, char *const *args) {
  size_t at = w->arg;
  return w->role == CC_ROLE_DIR || ccargs_directory(args, &at);
}

static bool is_forced(const char *a) {
  return strcmp(a, "-include") == 0 || strcmp(a, "-imacros") == 0;
}

static int by_family(const void *x, const void *y) {
  const struct flag *a = x, *b = y;
  if (!a->family != !b->family)
    return a->family ? -1 : 1;
  int c = a->family ? strcmp(a->family, b->family) : 0;
  return c ? c : (a->at > b->at) - (a->at < b->at);
}

void key_flags(struct argv *out, enum cc_dialect dialect, char *const *flags) {
  size_t n = 0;
  struct flag *list = NULL;
  bool commute = true;
  struct ccargs words;
  ccargs_scan(&words, dialect, flags);
  for (size_t i = 0; i < words.nwords; i++) {
    const struct cc_word *w = &words.words[i];
    const char *a = flags[w->arg], *b = w->pair ? flags[w->arg + 1] : NULL;
    /* These set flags of other families, so the order is kept. */
    commute &= strcmp(a, "-ffast-math") != 0 && strcmp(a, "-Ofast") != 0;
    if (is_irrelevant(a) || is_directory(w, flags) || w->role == CC_ROLE_EFFORT)
      continue;
    /* nvcc's own options begin with one dash: -fmad and -m64 are not of gcc's families */
    bool has_family = dialect != CC_NVCC || w->role == CC_ROLE_MACRO;
    vec_push(list, n, (struct flag){a, b, has_family ? family_of(a, b) : NULL, n});
  }
  if (commute && n)
    qsort(list, n, sizeof *list, by_family);
  for (size_t i = 0; i < n; i++) {
    argv_add(out, list[i].a);
    /* The key has a forced header's contents, with the other headers; its directory does not matter. */
    if (list[i].b)
      argv_add(out, is_forced(list[i].a) ? path_base(list[i].b) : list[i].b);
    free(list[i].family);
  }
  free(list);
  ccargs_free(&words);
}

/* ---- the key ---- */

/* Each part is preceded by its length, so that no two lists of parts give the same bytes. */
static void part(blake2b_state *h, const void *bytes, uint64_t n) {
  blake2b_update(h, (const uint8_t *)&n, sizeof n);
  blake2b_update(h, bytes, n);
}

static void part_text(blake2b_state *h, const char *text) {
  part(h, text, strlen(text));
}

void key_blob(unsigned char key[16], const unsigned char digest[32], const char *flags, const char *headers,
              const char *link, const char *compiler) {
  blake2b_state h;
  blake2b_init(&h, CKJIT_KEY_SIZE);
  uint32_t format = CKJIT_ABI_FORMAT;
  part(&h, &format, sizeof format);
  part(&h, digest, 32);
  part_text(&h, flags);
  part_text(&h, headers);
  part_text(&h, link);
  part_text(&h, compiler);
  blake2b_final(&h, key, CKJIT_KEY_SIZE);
}

void digest_bytes(char hex[DIGEST_HEX], const void *bytes, size_t n) {
  unsigned char d[DIGEST_SIZE];
  blake2b(d, bytes, NULL, sizeof d, n, 0);
  ckjit_hex(hex, d, sizeof d);
}

bool digest_file(char hex[DIGEST_HEX], const char *path) {
  size_t n;
  char *bytes = file_read(path, &n);
  strcpy(hex, DIGEST_NONE);
  if (bytes)
    digest_bytes(hex, bytes, n);
  free(bytes);
  return bytes != NULL;
}
