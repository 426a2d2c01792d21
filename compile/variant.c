/* variant.c - the build id of what is made by another compiler, or with other system headers, than the
 * library's.
 *
 * Three things make a variant, and T->variant collects them, a line for each: a header of the system that is
 * not as the list of inputs has it (inputs.c), a file of the library's compiler that is not (an upgraded
 * package), and flags that were added by hand. The second part of the build id is then a hash of these lines
 * and the architectures, in place of the architectures alone.
 *
 * A fourth is not known before the compile. A compiler that is not the library's own by its name
 * (CK_JIT_HIPCC, one found on the PATH) may be a wrapper of it (ccache, a counter) or another version.
 * That shows in section .comment of what it makes, without asking it anything. What was learnt of a
 * compiler is kept in <cache>/.compilers, so that only the first result has to have its build id
 * corrected.
 */
#include "variant.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/cache/toolchain.h"

#include <blake2.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the compiler ---- */

bool variant_is_own_compiler(const struct compile_task *t, const struct inputs *in) {
  char *ours = realpath(t->compiler, NULL), *theirs = realpath(in->program, NULL);
  bool same = ours && theirs ? strcmp(ours, theirs) == 0 : strcmp(t->compiler, in->program) == 0;
  free(ours);
  free(theirs);
  return same;
}

/* <cache>/.compilers/<digest of NAME> */
static char *memo_name(const struct compile_task *t, const char *name) {
  char digest[DIGEST_HEX];
  digest_bytes(digest, name, strlen(name));
  return xasprintf("%s/" CKJIT_COMPILERS "/%s", t->dir, digest);
}

/* If it cannot be kept, it is worked out again. */
static void remember(const struct compile_task *t, const char *memo, const char *text, size_t n) {
  char *dir = path_dir(memo);
  mode_t mask = umask(077);
  if (dir_make(dir) && !file_write(memo, text, n, 0600) && t->verbose)
    warn("%s: cannot write: %s", memo, strerror(errno));
  umask(mask);
  free(dir);
}

/* They are 200 MB: while none of their time stamps changes, they are not read again. */
void variant_tools(struct compile_task *t, const struct inputs *in) {
  struct buf *variant = &t->variant;
  struct buf stamps = {0};
  for (size_t i = 0; i < in->ntools; i++) {
    char stamp[STAMP_SIZE];
    toolchain_stamp(stamp, in->tools[i].path);
    buf_printf(&stamps, "%s %s %s\n", in->tools[i].digest, in->tools[i].path, stamp);
  }
  char *memo = memo_name(t, stamps.data ? stamps.data : ""), found[DIGEST_HEX];
  size_t len;
  char *known = t->cache ? file_read(memo, &len) : NULL;
  if (known) {
    buf_puts(variant, known);
  } else {
    struct buf changes = {0};
    buf_puts(&changes, "");
    for (size_t i = 0; i < in->ntools; i++) {
      digest_file(found, in->tools[i].path);
      if (strcmp(found, in->tools[i].digest) != 0)
        buf_printf(&changes, "tool %s %s\n", in->tools[i].digest, found);
    }
    if (t->cache)
      remember(t, memo, changes.data, changes.len);
    buf_add(variant, changes.data, changes.len);
    buf_free(&changes);
  }
  free(known);
  free(memo);
  buf_free(&stamps);
}

/* what is remembered of a compiler that is not the library's: its .comment */
static char *memo_of_other(const struct compile_task *t) {
  char stamp[STAMP_SIZE], *real = realpath(t->compiler, NULL);
  toolchain_stamp(stamp, t->compiler);
  char *name = xasprintf("comment %s %s", real ? real : t->compiler, stamp), *memo = memo_name(t, name);
  free(name);
  free(real);
  return memo;
}

/* Is WANTED, that of the library's compiler, among the strings of a section .comment? The linker adds
 * those of the C library's start files. */
static bool comment_has(const char *comment, size_t n, const char *wanted) {
  for (const char *p = comment; p < comment + n; p += strlen(p) + 1)
    if (strcmp(p, wanted) == 0)
      return true;
  return false;
}

static void add_comment(struct buf *variant, const char *comment, size_t n) {
  buf_puts(variant, "comment ");
  buf_add(variant, comment, n);
}

/* If T's compiler is remembered as another than the library's, that goes into VARIANT. */
static void check_other(const struct compile_task *t, struct buf *variant) {
  char *memo = memo_of_other(t);
  size_t len;
  char *comment = *t->inputs->comment && t->cache ? file_read(memo, &len) : NULL;
  if (comment && !comment_has(comment, len, t->inputs->comment))
    add_comment(variant, comment, len);
  free(comment);
  free(memo);
}

/* ---- the build id ---- */

void variant_identify(struct compile_task *t) {
  if (!t->inputs && !t->variant.len && !t->asked_per_kernel)
    return;
  struct buf variant = {0};
  buf_add(&variant, t->variant.data ? t->variant.data : "", t->variant.len);
  if (t->inputs && !variant_is_own_compiler(t, t->inputs))
    check_other(t, &variant);
  bool whole = t->asked_per_kernel && !t->per_kernel;
  memcpy(t->id, whole ? t->whole : t->asked, sizeof t->id);
  if (variant.len && t->per_kernel)
    buf_puts(&variant, "per kernel\n");
  if (variant.len) { /* the same key, and another second part */
    blake2b_state h;
    blake2b_init(&h, CKJIT_BUILD_ID_SIZE - CKJIT_KEY_SIZE);
    blake2b_update(&h, (const uint8_t *)t->archs, strlen(t->archs) + 1);
    blake2b_update(&h, (const uint8_t *)variant.data, variant.len);
    blake2b_final(&h, t->id + CKJIT_KEY_SIZE, CKJIT_BUILD_ID_SIZE - CKJIT_KEY_SIZE);
  }
  ckjit_build_id_hex(t->hex, t->id);
  buf_free(&variant);
}

/* ---- what made it ---- */

bool variant_replace_id(const char *file, const uint8_t from[CKJIT_BUILD_ID_SIZE],
                        const uint8_t to[CKJIT_BUILD_ID_SIZE]) {
  uint8_t wanted[sizeof(Elf64_Nhdr) + 4 + CKJIT_BUILD_ID_SIZE];
  const Elf64_Nhdr head = {.n_namesz = 4, .n_descsz = CKJIT_BUILD_ID_SIZE, .n_type = NT_GNU_BUILD_ID};
  memcpy(wanted, &head, sizeof head);
  memcpy(wanted + sizeof head, "GNU", 4);
  memcpy(wanted + sizeof head + 4, from, CKJIT_BUILD_ID_SIZE);
  size_t len;
  char *bytes = file_read(file, &len), *at = bytes ? memmem(bytes, len, wanted, sizeof wanted) : NULL;
  int fd = at ? open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  off_t offset = at ? at - bytes + (off_t)(sizeof wanted - CKJIT_BUILD_ID_SIZE) : 0;
  bool done = fd >= 0 && pwrite(fd, to, CKJIT_BUILD_ID_SIZE, offset) == CKJIT_BUILD_ID_SIZE;
  if (fd >= 0)
    close(fd);
  free(bytes);
  return done;
}

void variant_learn(struct compile_task *t, const char *file) {
  if (t->format || !t->inputs || !*t->inputs->comment || variant_is_own_compiler(t, t->inputs))
    return;
  size_t n;
  char *comment = inputs_comment(file, &n), *memo = memo_of_other(t);
  if (comment && t->cache)
    remember(t, memo, comment, n);
  variant_identify(t);
  free(memo);
  free(comment);
}

bool variant_made(struct compile_task *t, const char *file, char **err) {
  if (!t->inputs || !*t->inputs->comment || variant_is_own_compiler(t, t->inputs))
    return true;
  uint8_t before[CKJIT_BUILD_ID_SIZE];
  memcpy(before, t->id, sizeof before);
  variant_learn(t, file);
  return memcmp(before, t->id, sizeof before) == 0 || variant_replace_id(file, before, t->id) ||
         task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
}

void variant_tell(const struct compile_task *t) {
  if (!t->format && memcmp(t->id, t->asked, sizeof t->id) != 0) {
    if (t->verbose)
      note("%s: made by another compiler, with other system headers or with other flags than the library's: "
           "it has another build id",
           t->stem);
    printf(CKJIT_STORED "%s\n", t->hex);
  }
}
