/* learnt.c - remembers what only a compile shows, for the next process that wants the same blob.
 *
 * The list of inputs says which headers were read and which programs ran at the link. A header that
 * appeared later and is found in place of a listed one, or a program that is started in place of a
 * listed one, shows only when a compile reports what it reads and runs (verify.c). The result is a
 * variant, under a separate build id. The next process must find it by that id without compiling
 * first. So the files are remembered with their digests, in a memo for the requested build id, the
 * compiler, and the other differences (T->variant):
 *
 *     set                                       the newest first, SETS_MOST at most
 *     header 3f0c… /usr/local/include/math.h        a file that is not in the list, and its digest
 *     tool 91b2… /opt/gcc-13/libexec/cc1plus
 *     set                                       nothing was different
 *
 * A set holds if all its files have these digests now, and T gets the first set that holds. That
 * only predicts the next compile: what the compile finds decides under which build id the result is
 * kept. So a set that holds by chance leads to an entry that was made with these files, never to
 * one with others.
 *
 * A set without files always holds. It is written only above others.
 */
#include "learnt.h"
#include "memo.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#include <sys/stat.h>
#include <time.h>

enum {
  SETS_MOST = 8,
  /* seconds; a file that was changed so short ago may change again and keep its stamp */
  FRESH = 3,
};

#define SET "set\n"

char *learnt_line(const char *word, const char *digest, const char *path) {
  struct buf b = {0};
  buf_printf(&b, "%s %s ", word, digest);
  lines_escape(&b, path);
  return b.data;
}

char *learnt_word(const char *line) {
  return xstrndup(line, (size_t)(strchr(line, ' ') + DIGEST_HEX - line));
}

/* ---- digests ---- */

static bool is_fresh(const char *file) {
  struct stat st;
  time_t now = time(NULL);
  return stat(file, &st) || (st.st_ctim.tv_sec + FRESH >= now && st.st_ctim.tv_sec <= now + FRESH);
}

void learnt_digest(const struct compile_task *t, const char *file, char digest[DIGEST_HEX]) {
  char stamp[STAMP_SIZE];
  toolchain_stamp(stamp, file);
  autofree char *name = xasprintf("file %s %s", file, stamp), *known = memo_read(t, name);
  if (known && strlen(known) == DIGEST_HEX - 1) {
    memcpy(digest, known, DIGEST_HEX);
  } else {
    digest_file(digest, file);
    if (!is_fresh(file))
      memo_write(t, name, digest);
  }
}

/* ---- sets ---- */

static char *name_of_sets(const struct compile_task *t) {
  char asked[CKJIT_BUILD_ID_HEX_SIZE];
  autofree char *real = realpath(t->compiler, NULL);
  ckjit_build_id_hex(asked, t->asked);
  return xasprintf("sets %s %s\n%s", asked, real ? real : t->compiler, t->variant.len ? t->variant.data : "");
}

/* The length of the set at TEXT. */
static size_t set_length(const char *text) {
  const char *next = strstr(text + strlen(SET), SET);
  while (next && next[-1] != '\n')
    next = strstr(next + 1, SET);
  return next ? (size_t)(next - text) : strlen(text);
}

/* Is the file of the line LINE, N bytes, as the line says? */
static bool line_holds(const struct compile_task *t, const char *line, size_t n) {
  const char *digest = memchr(line, ' ', n);
  size_t head = digest ? (size_t)(digest + 1 - line) + DIGEST_HEX : n + 1;
  if (head > n)
    return false;
  autofree char *path = lines_unescape(line + head, n - head);
  char now[DIGEST_HEX];
  if (str_starts(line, "tool "))
    learnt_digest(t, path, now);
  else
    digest_file(now, path);
  return memcmp(digest + 1, now, DIGEST_HEX - 1) == 0;
}

static bool set_holds(const struct compile_task *t, const char *set, size_t n) {
  for (const char *line = set + strlen(SET); line < set + n; line = strchr(line, '\n') + 1)
    if (!line_holds(t, line, strcspn(line, "\n")))
      return false;
  return true;
}

/* The first set of TEXT that holds, N bytes; NULL: none does. */
static const char *find_set(const struct compile_task *t, const char *text, size_t *n) {
  while (str_starts(text, SET)) {
    *n = set_length(text);
    if (set_holds(t, text, *n))
      return text;
    text += *n;
  }
  return NULL;
}

/* T->learnt is the words and digests of SET, N bytes: a file's name is no part of a variant. */
static void take_set(struct compile_task *t, const char *set, size_t n) {
  autofree_argv lines = {0};
  buf_free(&t->learnt);
  argv_free(&t->learnt_files);
  for (const char *line = set + (n ? strlen(SET) : 0); line < set + n; line = strchr(line, '\n') + 1) {
    argv_add_own(&lines, learnt_word(line));
    argv_add_own(&t->learnt_files, xstrndup(line, strcspn(line, "\n")));
  }
  argv_unique(&lines);
  for (size_t i = 0; i < lines.n; i++)
    buf_printf(&t->learnt, "%s\n", lines.args[i]);
}

void learnt_find(struct compile_task *t) {
  size_t n = 0;
  autofree char *name = name_of_sets(t), *text = memo_read(t, name);
  const char *set = text ? find_set(t, text, &n) : NULL;
  take_set(t, set ? set : "", set ? n : 0);
}

/* SET before the others of TEXT, which may be NULL. */
static void put_sets(struct buf *out, const char *set, const char *text) {
  size_t n, length = strlen(set);
  buf_puts(out, set);
  for (int i = 1; text && str_starts(text, SET) && i < SETS_MOST; text += n) {
    n = set_length(text);
    if (n == length && memcmp(text, set, n) == 0)
      continue;
    buf_add(out, text, n);
    i++;
  }
}

void learnt_set(struct compile_task *t, const struct argv *files) {
  autofree_buf set = {0}, all = {0};
  autofree_argv lines = {0};
  argv_add_all(&lines, files->n ? files->args : (char *[]){NULL});
  argv_unique(&lines);
  buf_puts(&set, SET);
  for (size_t i = 0; i < lines.n; i++)
    buf_printf(&set, "%s\n", lines.args[i]);
  autofree char *name = name_of_sets(t), *text = memo_read(t, name);
  if (text || lines.n) {
    put_sets(&all, set.data, text);
    if (!text || strcmp(text, all.data) != 0)
      memo_write(t, name, all.data);
  }
  take_set(t, set.data, set.len);
}
