/* inputs.c - is what would be compiled what the key was made from?
 *
 * A key says: this source, these headers, these flags, this compiler. What is on the disk now may be
 * something else: a header was edited after the library was linked, the compiler's package was upgraded, the
 * machine has other system headers. Code made from that and stored under the key would be served to everybody
 * who has the library, for ever. So the files are read again and compared with the list that the post-build
 * linker left (core/cache/inputs.h):
 *
 *     the source, or a header of       refused: the library's callers were compiled against what was
 *     the library's tree ({root})      there, so the library has to be linked again
 *     a header of the system,          compiled, and stored with the same key and another second part of
 *     the compiler                     the build id (variant.h): it is found again under the same
 *                                      circumstances, and by nobody else
 *
 * A file may change while it is compiled, or its name lead elsewhere for a while (places.h). So the time stamps of source, headers
 * and tools are taken before, and compared after the compile; what came out in between is then thrown away.
 */
#include "inputs.h"
#include "abi/ck_jit_access.h"
#include "digests.h"
#include "environment.h"
#include "places.h"
#include "seen.h"
#include "variant.h"
#include "core/cc/compiler.h"
#include "core/cache/key.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"
#include "core/files/sourcetext.h"
#include "core/files/unitkey.h"

#include <blake2.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- the key ---- */

bool compile_inputs_key(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t, const char *link,
                        const struct inputs *in) {
  size_t len = t->text ? strlen(t->text) : 0;
  autofree char *text = t->text ? xstrdup(t->text) : file_read_text(t->source, &len);
  if (!text)
    return false;
  autofree_argv flags = {0}, reduced = {0};
  argv_split(&flags, t->said_flags, strlen(t->said_flags));
  key_flags(&reduced, t->kind->dialect, flags.args);
  autofree char *joined = argv_join(reduced.args);
  unsigned char digest[32];
  blake2b(digest, text, NULL, sizeof digest, len, 0);
  key_blob(key, digest, joined, in->headers, link, in->compiler);
  return true;
}

/* The same of a lazy unit, whose text is T's source. False: the text is not understood. */
static bool unit_key_now(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t, const struct inputs *in) {
  autofree_buf lines = {0};
  autofree_argv words = {0};
  char hex[DIGEST_HEX];
  autofree char *why = NULL;
  bool done = unitkey_file(&lines, t->source, &why);
  if (done) {
    argv_split(&words, t->said_flags, strlen(t->said_flags));
    unitkey_make(hex, &lines, t->kind->dialect, words.args, in->compiler);
    ckjit_hex_parse(key, CKJIT_KEY_SIZE, hex);
  } else {
    memset(key, 0, CKJIT_KEY_SIZE); /* there is a file, which has no key that anybody asks for */
  }
  return done || ckjit_may(t->source, R_OK);
}

/* T's key, made of what is there now. False: its source cannot be read. */
static bool key_now(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t, const struct inputs *in) {
  if (t->kernel)
    return unit_key_now(key, t, in);
  return compile_inputs_key(key, t, t->said_link, in);
}

/* ---- headers ---- */

/* Has header H changed since it was listed? FOUND: its digest now. */
static bool is_changed(const struct compile_task *t, const struct input *h, char found[DIGEST_HEX]) {
  autofree char *file = task_expand(t, h->path);
  header_digest(found, file);
  if (strcmp(h->digest, DIGEST_NONE) == 0 && file_exists(file) && strcmp(found, DIGEST_NONE) == 0)
    strcpy(found, "1"); /* a directory where there was nothing */
  return strcmp(h->digest, found) != 0;
}

static const char *what_happened(const struct input *h, const char *found) {
  if (strcmp(h->digest, DIGEST_NONE) == 0)
    return "now exists, and would be found instead of another one";
  return strcmp(found, DIGEST_NONE) == 0 ? "is gone" : "was changed";
}

/* Look at ALL headers, or at those of the system alone. False: one of the library's own is not what it
 * was. What else has changed goes into T->variant. */
static bool check_headers(struct compile_task *t, const struct inputs *in, bool all, char **err) {
  char found[DIGEST_HEX];
  for (size_t i = 0; i < in->nheaders; i++) {
    const struct input *h = &in->header[i];
    if ((!all && str_starts(h->path, "{root}")) || !is_changed(t, h, found))
      continue;
    if (str_starts(h->path, "{root}")) {
      autofree char *file = task_expand(t, h->path);
      task_fail(
          t, err,
          "not compiled: %s %s since the library was linked; "
          "link the library again: this kernel's callers were compiled with the old one [ckjit help changed-since-link]",
          file, what_happened(h, found));
      return false;
    }
    if (t->verbose)
      note("%s: %s %s since the library was linked", t->stem, h->path, what_happened(h, found));
    buf_printf(&t->variant, "header %s %s\n", h->digest, found);
  }
  return true;
}

/* ---- before the compile ---- */

/* Of a blob with fragments: the compiler and the system's headers, of any part. The library's own files
 * are looked at when a part is compiled: only parts that are needed matter. */
static bool check_parts(struct compile_task *t, char **err) {
  autofree_argv lists = {0};
  bool done = true;
  argv_add(&lists, t->inputs->entry);
  for (size_t i = 0; i < t->inputs->nfragments; i++)
    argv_add(&lists, t->inputs->fragments[i].list);
  argv_unique(&lists);
  for (size_t i = 0; i < lists.n && done; i++) {
    struct inputs *in = inputs_read_named(t->inputs_file, lists.args[i], err);
    done = in && check_headers(t, in, false, err);
    if (done && strcmp(lists.args[i], t->inputs->entry) == 0 && variant_is_own_compiler(t, in))
      variant_tools(t, in);
    inputs_free(in);
  }
  return done;
}

/* Add the stamp of FILE to STAMPS. If AT, which is at its stamp of another time, has another one, *CHANGED. */
static void add_stamp(struct buf *stamps, const char *file, const char **at, char **changed) {
  char stamp[STAMP_SIZE];
  toolchain_stamp(stamp, file);
  buf_printf(stamps, "%s\n", stamp);
  if (!at || *changed)
    return;
  size_t n = strcspn(*at, "\n");
  if (strlen(stamp) != n || strncmp(*at, stamp, n) != 0)
    *changed = xstrdup(file);
  *at += n + ((*at)[n] == '\n');
}

/* The stamps of T's source and of IN. If BEFORE is not NULL: *CHANGED is the first file that has another stamp there. */
static char *stamps_now(const struct compile_task *t, const struct inputs *in, const char *before,
                        char **changed) {
  struct buf b = {0};
  const char **at = before ? &before : NULL;
  if (!t->text)
    add_stamp(&b, t->source, at, changed);
  for (size_t i = 0; i < in->nheaders; i++) {
    autofree char *file = task_expand(t, in->header[i].path);
    add_stamp(&b, file, at, changed);
  }
  for (size_t i = 0; i < in->ntools; i++)
    add_stamp(&b, in->tools[i].path, at, changed);
  return b.data;
}

/* List I of T's file, which is one list, or a library with several: T's inputs. False: there is no such
 * list, or *ERR. */
static bool read_list(struct compile_task *t, size_t i, char **err) {
  bool library = inputs_in_library(t->inputs_file);
  if (i && !library)
    return false;
  struct inputs *in =
      library ? inputs_read_library(t->inputs_file, i, err) : inputs_read(t->inputs_file, err);
  if (in) {
    inputs_free(t->inputs);
    t->inputs = in;
  }
  return in != NULL;
}

static bool has_key(const struct compile_task *t) {
  uint8_t key[CKJIT_KEY_SIZE];
  return key_now(key, t, t->inputs) && memcmp(key, t->id, sizeof key) == 0;
}

/* Has the source of T's key been kept with its list of inputs? Then that is T's text. */
static bool has_kept_text(struct compile_task *t) {
  if (t->kernel || t->text)
    return false;
  autofree char *dir = path_dir(t->inputs_file), *file = path_join(dir, SOURCETEXT_FILE);
  size_t len;
  t->text = sourcetext_read(file, t->place, &len);
  bool has = t->text && has_key(t);
  if (!has) {
    free(t->text);
    t->text = NULL;
  }
  return has;
}

/* Find the list that gives T's key, from the source or, if that is gone or changed, from its kept
 * text. A library has one for each of its compilers and sets of headers. */
static bool find_list(struct compile_task *t, char **err) {
  bool matches = false;
  char *why = NULL;
  for (size_t i = 0; !matches && read_list(t, i, &why); i++)
    matches = has_key(t) || has_kept_text(t);
  if (why) {
    task_fail(t, err, "%s", why);
    free(why);
    return false;
  }
  if (matches) { /* once more, for a source that is written at this moment */
    t->stamps = stamps_now(t, t->inputs, NULL, NULL);
    matches = has_key(t);
  }
  if (!matches && !task_has_source(t))
    return task_no_source(t, err);
  return matches ||
         task_fail(
             t, err,
             "not compiled: %s was changed since the library was linked "
             "(or %s is not the list of its inputs); link the library again [ckjit help changed-since-link]",
             t->source, t->inputs_file);
}

bool compile_inputs_check(struct compile_task *t, char **err) {
  if (t->inputs_file) {
    if (!find_list(t, err) || !check_headers(t, t->inputs, true, err))
      return false;
    bool of_parts = *t->inputs->entry;
    if (of_parts && !check_parts(t, err))
      return false;
    /* What is exported has no key: 200 MB less to be read. */
    if (!of_parts && !t->export.format && variant_is_own_compiler(t, t->inputs))
      variant_tools(t, t->inputs);
    if (!t->export.format)
      t->seen = seen_new();
  } else if (!task_has_source(t)) {
    return task_no_source(t, err);
  }
  environment_vary(t);
  variant_identify(t);
  return true;
}

/* ---- after it ---- */

char *compile_inputs_changed(const struct compile_task *t) {
  char *changed = NULL;
  if (!t->inputs || !t->stamps)
    return NULL;
  free(stamps_now(t, t->inputs, t->stamps, &changed));
  const char *place = changed ? NULL : places_changed(t->places);
  return place ? xstrdup(place) : changed;
}

bool compile_inputs_again(const struct compile_task *t, char **err) {
  autofree char *changed = compile_inputs_changed(t);
  return !changed || task_fail(t, err, "%s changed while it was compiled: the result was discarded", changed);
}
