/* inputs.c - is what would be compiled what the key was made from?
 *
 * A key says: this source, these headers, these flags, this compiler. What lies on the disk now may be
 * something else: a header was edited after the library was linked, the compiler's package was upgraded, the
 * machine has other system headers. Code made from that and stored under the key would be served to everybody
 * who has the library, for ever. So the files are read again, against the list that the post-build linker
 * left (core/cache/inputs.h):
 *
 *     the source, or a header of the library's own tree ({root}): refused. The library's callers were
 * compiled against what was there; the library has to be linked again. a system header, the compiler: stored
 * under another build id, with the same key and another second part. So it is found again under the same
 * circumstances, and by nobody else.
 *
 * A compiler that is not the library's own (CK_JIT_HIPCC, one found on the PATH) may be a wrapper of it
 * (ccache, a counter) or another version. That shows in section .comment of what it made, without asking it
 * anything; what was learnt is kept in <cache>/.compilers.
 */
#include "compile.h"
#include "core/cc/compiler.h"
#include "core/cache/key.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#include <blake2.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the key ---- */

bool compile_inputs_key(uint8_t key[CKJIT_KEY_SIZE], const char *source, const char *said, const char *link,
                        const struct inputs *in) {
  size_t len;
  char *text = file_read(source, &len);
  if (!text)
    return false;
  struct argv flags = {0}, reduced = {0};
  argv_split(&flags, said, strlen(said));
  key_flags(&reduced, compiler_dialect(in->program), flags.args ? flags.args : (char *[]){NULL});
  char *joined = argv_join(reduced.args);
  unsigned char digest[32];
  blake2b(digest, text, NULL, sizeof digest, len, 0);
  key_blob(key, digest, joined, in->headers, link, in->compiler);
  free(joined);
  free(text);
  argv_free(&flags);
  argv_free(&reduced);
  return true;
}

/* The key of T as it is made of what is there; false where its source cannot be read. */
static bool key_now(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t, const struct inputs *in) {
  return compile_inputs_key(key, t->source, t->said_flags, t->said_link, in);
}

/* ---- headers ---- */

static char *expanded(const struct compile_task *t, const char *path) {
  return str_starts(path, "{root}") ? xasprintf("%s%s", t->root, path + strlen("{root}")) : xstrdup(path);
}

/* Whether header H of the list is not what it was, FOUND its digest now. */
static bool is_changed(const struct compile_task *t, const struct input *h, char found[DIGEST_HEX]) {
  char *file = expanded(t, h->path);
  digest_file(found, file);
  if (strcmp(h->digest, DIGEST_NONE) == 0 && access(file, F_OK) == 0 && strcmp(found, DIGEST_NONE) == 0)
    strcpy(found, "1"); /* a directory where there was nothing */
  free(file);
  return strcmp(h->digest, found) != 0;
}

static const char *what_happened(const struct input *h, const char *found) {
  if (strcmp(h->digest, DIGEST_NONE) == 0)
    return "is there now, and would be found in place of another one";
  return strcmp(found, DIGEST_NONE) == 0 ? "is gone" : "was changed";
}

/* Look at ALL headers, or those of the system alone: the message about the first of the library's own that is
 * not what it was, or NULL; what else changed goes into VARIANT. */
static char *check_headers(const struct compile_task *t, const struct inputs *in, bool all,
                           struct buf *variant) {
  char found[DIGEST_HEX];
  for (size_t i = 0; i < in->nheaders; i++) {
    const struct input *h = &in->header[i];
    if ((!all && str_starts(h->path, "{root}")) || !is_changed(t, h, found))
      continue;
    if (str_starts(h->path, "{root}")) {
      char *file = expanded(t, h->path);
      char *why =
          xasprintf("%s: not compiled: %s %s since the library was linked; link the library again, for what "
                    "calls this kernel was compiled with the other",
                    t->stem, file, what_happened(h, found));
      free(file);
      return why;
    }
    if (t->verbose)
      note("%s: %s %s since the library was linked", t->stem, h->path, what_happened(h, found));
    buf_printf(variant, "header %s %s\n", h->digest, found);
  }
  return NULL;
}

/* ---- the compiler ---- */

/* Whether T's compiler is the library's own by its name. */
static bool is_own(const struct compile_task *t, const struct inputs *in) {
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

/* Where it cannot be kept it is worked out again. */
static void remember(const struct compile_task *t, const char *memo, const char *text, size_t n) {
  char *dir = path_dir(memo);
  mode_t mask = umask(077);
  if (dir_make(dir) == 0 && file_write(memo, text, n, 0600) && t->verbose)
    warn("%s: cannot write: %s", memo, strerror(errno));
  umask(mask);
  free(dir);
}

/* The files of the library's own compiler, each with the digest that it has now, into VARIANT where one is
 * not what it was. They are 200 MB: while none of their time stamps changes, they are not read again. */
static void check_tools(const struct compile_task *t, const struct inputs *in, struct buf *variant) {
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

/* Whether COMMENT, the strings of a section .comment, has that of the library's compiler among its own: the
 * linker adds those of the C library's start files. */
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

/* What is remembered of T's compiler into VARIANT, where it is not the library's. */
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

void compile_inputs_identify(struct compile_task *t) {
  if (!t->inputs && !t->variant.len && !t->asked_per_kernel)
    return;
  struct buf variant = {0};
  buf_add(&variant, t->variant.data ? t->variant.data : "", t->variant.len);
  if (t->inputs && !is_own(t, t->inputs))
    check_other(t, &variant);
  bool whole = t->asked_per_kernel && !t->per_kernel;
  memcpy(t->id, whole ? t->whole : t->asked, sizeof t->id);
  if (variant.len && t->per_kernel)
    buf_puts(&variant, "per kernel\n");
  if (variant.len) { /* the same key, and a second part made of the architectures and what is different */
    blake2b_state h;
    blake2b_init(&h, CKJIT_BUILD_ID_SIZE - CKJIT_KEY_SIZE);
    blake2b_update(&h, (const uint8_t *)t->archs, strlen(t->archs) + 1);
    blake2b_update(&h, (const uint8_t *)variant.data, variant.len);
    blake2b_final(&h, t->id + CKJIT_KEY_SIZE, CKJIT_BUILD_ID_SIZE - CKJIT_KEY_SIZE);
  }
  ckjit_build_id_hex(t->hex, t->id);
  buf_free(&variant);
}

/* Of a blob with fragments: what is not as it was of the compiler and of the system's headers, in any part.
 * The library's own files are looked at when a part is compiled: only those that are needed matter. */
static char *check_parts(struct compile_task *t) {
  struct argv lists = {0};
  char *why = NULL;
  argv_add(&lists, t->inputs->entry);
  for (size_t i = 0; i < t->inputs->nfragments; i++)
    argv_add(&lists, t->inputs->fragments[i].list);
  inputs_unique(&lists);
  for (size_t i = 0; i < lists.n && !why; i++) {
    struct inputs *in = inputs_read_named(t->inputs_file, lists.args[i], &why);
    if (in)
      check_headers(t, in, false, &t->variant);
    if (in && strcmp(lists.args[i], t->inputs->entry) == 0 && is_own(t, in))
      check_tools(t, in, &t->variant);
    inputs_free(in);
  }
  argv_free(&lists);
  return why;
}

static char *stamps_now(const struct compile_task *t, const struct inputs *in) {
  struct buf b = {0};
  char stamp[STAMP_SIZE];
  toolchain_stamp(stamp, t->source);
  buf_printf(&b, "%s\n", stamp);
  for (size_t i = 0; i < in->nheaders; i++) {
    char *file = expanded(t, in->header[i].path);
    toolchain_stamp(stamp, file);
    buf_printf(&b, "%s\n", stamp);
    free(file);
  }
  return b.data;
}

/* List I of T's file, which is one list, or a library with several: T's inputs. False behind the last one, or
 * with *WHY. */
static bool read_list(struct compile_task *t, size_t i, char **why) {
  char magic[4] = "";
  int fd = open(t->inputs_file, O_RDONLY | O_CLOEXEC);
  bool library =
      fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
  if (fd >= 0)
    close(fd);
  if (i && !library)
    return false;
  struct inputs *in =
      library ? inputs_read_library(t->inputs_file, i, why) : inputs_read(t->inputs_file, why);
  if (in) {
    inputs_free(t->inputs);
    t->inputs = in;
  }
  return in != NULL;
}

char *compile_inputs_check(struct compile_task *t) {
  char *why = NULL;
  memcpy(t->asked, t->id, sizeof t->asked);
  if (!t->inputs_file) {
    compile_inputs_identify(t);
    return NULL;
  }
  uint8_t key[CKJIT_KEY_SIZE];
  bool matches = false;
  for (size_t i = 0; !matches && read_list(t, i, &why); i++) {
    if (!key_now(key, t, t->inputs))
      return xasprintf("%s: cannot read %s: %s", t->stem, t->source, strerror(errno));
    matches = memcmp(key, t->id, sizeof key) == 0;
  }
  if (why) {
    char *whole = xasprintf("%s: %s", t->stem, why);
    free(why);
    return whole;
  }
  if (matches) { /* once more, for a source that is written at this moment */
    t->stamps = stamps_now(t, t->inputs);
    matches = key_now(key, t, t->inputs) && memcmp(key, t->id, sizeof key) == 0;
  }
  if (!matches)
    return xasprintf(
        "%s: not compiled: %s was changed since the library was linked (or %s is not the list of its "
        "inputs); link the library again",
        t->stem, t->source, t->inputs_file);
  why = check_headers(t, t->inputs, true, &t->variant);
  if (!why && *t->inputs->entry)
    why = check_parts(t);
  else if (!why && !t->format &&
           is_own(t, t->inputs)) /* what is exported has no key: 200 MB less to be read */
    check_tools(t, t->inputs, &t->variant);
  if (!why)
    compile_inputs_identify(t);
  return why;
}

char *compile_inputs_again(struct compile_task *t) {
  if (!t->inputs)
    return NULL;
  char *now = stamps_now(t, t->inputs);
  bool same = strcmp(now, t->stamps) == 0;
  free(now);
  return same
             ? NULL
             : xasprintf(
                   "%s: its source or a header was changed while it was compiled: what came out was not kept",
                   t->stem);
}

/* ---- what made it ---- */

bool compile_inputs_replace_id(const char *file, const uint8_t from[CKJIT_BUILD_ID_SIZE],
                               const uint8_t to[CKJIT_BUILD_ID_SIZE]) {
  uint8_t note[sizeof(Elf64_Nhdr) + 4 + CKJIT_BUILD_ID_SIZE];
  const Elf64_Nhdr head = {.n_namesz = 4, .n_descsz = CKJIT_BUILD_ID_SIZE, .n_type = NT_GNU_BUILD_ID};
  memcpy(note, &head, sizeof head);
  memcpy(note + sizeof head, "GNU", 4);
  memcpy(note + sizeof head + 4, from, CKJIT_BUILD_ID_SIZE);
  size_t len;
  char *bytes = file_read(file, &len), *at = bytes ? memmem(bytes, len, note, sizeof note) : NULL;
  int fd = at ? open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  off_t where = at ? at - bytes + (off_t)(sizeof note - CKJIT_BUILD_ID_SIZE) : 0;
  bool done = fd >= 0 && pwrite(fd, to, CKJIT_BUILD_ID_SIZE, where) == CKJIT_BUILD_ID_SIZE;
  if (fd >= 0)
    close(fd);
  free(bytes);
  return done;
}

char *compile_inputs_learn(struct compile_task *t, const char *file) {
  if (t->format || !t->inputs || !*t->inputs->comment || is_own(t, t->inputs))
    return NULL;
  size_t n;
  char *comment = inputs_comment(file, &n), *memo = memo_of_other(t);
  if (comment && t->cache)
    remember(t, memo, comment, n);
  compile_inputs_identify(t);
  free(memo);
  free(comment);
  return NULL;
}

char *compile_inputs_made(struct compile_task *t, const char *file) {
  if (!t->inputs || !*t->inputs->comment || is_own(t, t->inputs))
    return NULL;
  uint8_t before[CKJIT_BUILD_ID_SIZE];
  memcpy(before, t->id, sizeof before);
  compile_inputs_learn(t, file);
  return memcmp(before, t->id, sizeof before) == 0 || compile_inputs_replace_id(file, before, t->id)
             ? NULL
             : xasprintf("%s: cannot write %s: %s", t->stem, file, strerror(errno));
}

void compile_inputs_tell(const struct compile_task *t) {
  if (!t->format && memcmp(t->id, t->asked, sizeof t->id) != 0) {
    if (t->verbose)
      note("%s: made by another compiler, with other system headers or with other flags than the library's: "
           "it has another build id",
           t->stem);
    printf(CKJIT_STORED "%s\n", t->hex);
  }
}
