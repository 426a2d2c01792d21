/* sources.c - the sources of the link's stubs as they were when the stubs were recorded.
 *
 * A link compiles the units of its stubs, and reads the sources for that. In the meantime make may
 * have removed a source that was only an intermediate file, or a script may have written the next
 * text to the same temporary name. The stub object has the text of its compile. If the source
 * differs now, the text is written to the work directory (core/files/sourcetext.h), and the record
 * then names that copy. Keys and manifest have the build's own source and words: they belong to the
 * text, wherever it is.
 */
#include "link.h"

#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/inputs.h"
#include "core/files/sourcetext.h"

#include <sys/stat.h>

#define COPIES ".sources" /* in the work directory */

static bool is_unchanged(const struct record *r) {
  size_t len;
  autofree char *text = file_read(r->source, &len);
  return text && len == strlen(r->source_text) && memcmp(text, r->source_text, len) == 0;
}

/* The file for R's copy, which is of its path and text; free() it. */
static char *copy_of(const struct record *r, const char *work) {
  char digest[DIGEST_HEX];
  autofree char *both = xasprintf("%s\n%s", r->source, r->source_text);
  digest_bytes(digest, both, strlen(both));
  return xasprintf("%s/" COPIES "/%s/%s", work, digest, path_base(r->source));
}

/* Have R's words compile COPY. */
static void use_copy(struct record *r, char *copy) {
  struct argv words = {0};
  if (!sourcetext_words(&words, r->cc.dialect, r->source))
    die(EXIT_FAILED,
        "%s: has changed since %s was compiled, and nvcc's host compiler cannot be told a directory with such a "
        "name; build the object again",
        r->source, r->output);
  for (size_t i = 0; i < r->args.n; i++)
    argv_add(&words, r->cc.source && i == r->cc.source->arg ? copy : r->args.args[i]);
  ccargs_free(&r->cc);
  argv_free(&r->args);
  r->args = words;
  r->copy_of = r->source;
  r->source = copy;
  record_scan(r);
}

void link_restore_sources(struct link *l) {
  for (size_t i = 0; i < l->line.nrecords; i++) {
    struct record *r = &l->line.records[i];
    if (!r->source_text || is_unchanged(r))
      continue;
    char *copy = copy_of(r, l->work);
    autofree char *dir = path_dir(copy);
    if (!dir_make(dir) || !sourcetext_copy(copy, r->source, r->source_text))
      die(EXIT_FAILED,
          "%s: cannot write the text that %s was compiled from: %s; is the work directory writable?", copy,
          r->output, strerror(errno));
    use_copy(r, copy);
  }
}

/* ---- headers ---- */

/* When the object of record R was written, or the archive that it was found in. False: that is not
 * known. */
static bool written(const struct link *l, const struct record *r, struct timespec *when) {
  struct stat st;
  bool known = stat(l->line.files.args[r - l->line.records], &st) == 0;
  if (known)
    *when = st.st_mtim;
  return known;
}

static bool is_before(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* The forwarded blob of group G whose object is the oldest; NULL: none is known. */
static const struct record *oldest_of(const struct link *l, size_t g, struct timespec *when) {
  const struct record *oldest = NULL;
  struct timespec t;
  for (size_t i = 0; i < l->nblobs; i++) {
    const struct blob *b = &l->blobs[i];
    if (b->group != g || !blob_is_forwarded(b) || !written(l, b->record, &t) ||
        (oldest && !is_before(&t, when)))
      continue;
    oldest = b->record;
    *when = t;
  }
  return oldest;
}

void link_warn_of_headers(const struct link *l) {
  autofree_argv younger = {0};
  const char *object = NULL; /* of the first */
  for (size_t g = 0; g < l->units.ngroups; g++) {
    const struct group *group = &l->units.groups[g];
    struct timespec when;
    const struct record *r = oldest_of(l, g, &when);
    for (size_t i = 0; r && i < group->ninputs; i++) {
      struct stat st;
      if (stat(group->inputs[i].path, &st) || !is_before(&when, &st.st_mtim))
        continue;
      argv_add(&younger, group->inputs[i].path);
      object = object ? object : r->output;
    }
  }
  autofree char *first = younger.n ? xstrdup(younger.args[0]) : NULL;
  argv_unique(&younger);
  autofree char *others = younger.n > 1 ? xasprintf(" (and %zu other %s)", younger.n - 1,
                                                    noun(younger.n - 1, "header", "headers"))
                                        : xstrdup("");
  if (first)
    warn("%s: has changed since %s was compiled%s: kernels are made with headers as they are now; build the "
         "object again [ckjit help younger-header]",
         first, object, others);
}

/* ---- for first calls ---- */

void link_keep_sources(const struct link *l) {
  struct sourcetexts texts = {0};
  autofree char *file = xasprintf("%s/" INPUTS_DIR "/" SOURCETEXT_FILE, l->dir);
  char *err = NULL;
  for (size_t i = 0; i < l->nblobs; i++)
    if (blob_is_forwarded(&l->blobs[i]) && l->blobs[i].record->source_text)
      sourcetext_add(&texts, record_place(l->blobs[i].record), l->blobs[i].record->source_text);
  for (size_t i = 0; i < l->fragments.n; i++)
    if (l->fragments.list[i].record->source_text)
      sourcetext_add(&texts, record_place(l->fragments.list[i].record),
                     l->fragments.list[i].record->source_text);
  if (!sourcetext_write(&texts, file, &err))
    die(EXIT_FAILED, "%s", err);
}
