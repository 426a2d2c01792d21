#include "key.h"
#include "commute.h"

#include "core/cc/ccargs.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_artefact.h"

#include <blake2.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- flags ---- */

/* A flag with its value. Flags of one stretch are known to commute with each other, except those of
 * one family. An unknown flag is a stretch by itself, so that no flag moves from one side of it to
 * the other. */
struct flag {
  const char *a, *b; /* b: the next word, if it is the value; else NULL */
  char *family;      /* NULL: it keeps its place relative to others without a family */
  size_t stretch, at;
};

/* Flags for warnings do not change the code. */
static bool is_irrelevant(const char *a) {
  return (str_starts(a, "-W") && !str_starts(a, "-Wl,") && !str_starts(a, "-Wp,") &&
          !str_starts(a, "-Wa,")) ||
         strcmp(a, "-w") == 0 || str_starts(a, "-fdiagnostics") ||
         str_starts(a, "-fcolor-diagnostics") || str_starts(a, "-fmessage-length");
}

/* Directories are only names: the key has the contents of the headers found in them. nvcc can be
 * told to pass on options that it does not know, such as -iquote/dir. */
static bool is_directory(const struct cc_word *w, char *const *args) {
  size_t at = w->arg;
  return w->role == CC_ROLE_DIR || ccargs_directory(args, &at);
}

static bool is_forced(const char *a) {
  return strcmp(a, "-include") == 0 || strcmp(a, "-imacros") == 0;
}

static int by_family(const void *x, const void *y) {
  const struct flag *a = x, *b = y;
  if (a->stretch != b->stretch)
    return a->stretch < b->stretch ? -1 : 1;
  if (!a->family != !b->family)
    return a->family ? -1 : 1;
  int c = a->family ? strcmp(a->family, b->family) : 0;
  return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* Does the flag of word W commute with those around it? nvcc's own options begin with one dash:
 * -fmad and -m64 are not gcc's. nvcc collects its options, a list of each kind, before it uses any:
 * none interferes with a macro. */
static enum commute commute_of_word(enum cc_dialect dialect, const struct cc_word *w,
                                    const struct flag *f, char **family) {
  if (cc_collects_options(dialect) && w->role != CC_ROLE_MACRO)
    return COMMUTE_KEPT;
  return commute_of(f->a, f->b, family);
}

void key_flags(struct argv *out, enum cc_dialect dialect, char *const *flags) {
  size_t n = 0, stretch = 0;
  autofree struct flag *list = NULL;
  bool whole = true; /* each -mllvm is a separate option */
  struct ccargs words;
  ccargs_scan(&words, dialect, flags);
  for (size_t i = 0; i < words.nwords; i++) {
    const struct cc_word *w = &words.words[i];
    struct flag f = {flags[w->arg], w->pair ? flags[w->arg + 1] : NULL, NULL, stretch, n};
    if (is_irrelevant(f.a) || is_directory(w, flags) || w->role == CC_ROLE_EFFORT)
      continue;
    if (commute_of_word(dialect, w, &f, &f.family) == COMMUTE_NOT) {
      f.stretch = stretch + 1;
      stretch += 2;
    }
    whole &= !f.b || strcmp(f.a, "-mllvm") != 0 || !commute_is_continued(f.b);
    vec_push(list, n, f);
  }
  if (whole && n)
    qsort(list, n, sizeof *list, by_family);
  for (size_t i = 0; i < n; i++) {
    argv_add(out, list[i].a);
    /* The key has the contents of a forced header, with the other headers; its directory does not
     * matter. */
    if (list[i].b)
      argv_add(out, is_forced(list[i].a) ? path_base(list[i].b) : list[i].b);
    free(list[i].family);
  }
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

void key_blob(unsigned char key[16], const unsigned char digest[32], const char *flags,
              const char *headers, const char *link, const char *compiler) {
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

/* In pieces: libLLVM has more bytes than the memory of some containers. */
bool digest_file(char hex[DIGEST_HEX], const char *path) {
  enum { PIECE = 256 * 1024 };
  unsigned char d[DIGEST_SIZE];
  blake2b_state h;
  ssize_t n = -1;
  strcpy(hex, DIGEST_NONE);
  autoclose fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  autofree uint8_t *piece = xmalloc(PIECE);
  blake2b_init(&h, sizeof d);
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  while ((n = read(fd, piece, PIECE)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0)
      blake2b_update(&h, piece, (size_t)n);
  if (n < 0)
    return false;
  blake2b_final(&h, d, sizeof d);
  ckjit_hex(hex, d, sizeof d);
  return true;
}
