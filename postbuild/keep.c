#include "keep.h"
#include "flags.h"

#include "core/base/path.h"
#include "core/base/vec.h"

/* BASE shortened to what it has in common with DIR */
static void shorten(char *base, const char *dir) {
  size_t n = 0, end = 0;
  for (; base[n] && base[n] == dir[n]; n++)
    if (base[n] == '/')
      end = n;
  bool whole = (!base[n] && (!dir[n] || dir[n] == '/')) || (!dir[n] && base[n] == '/');
  base[whole ? n : end] = 0;
}

char *keep_base(const struct blob *blobs, size_t n, const char *cwd) {
  char *base = xstrdup(cwd);
  for (size_t i = 0; i < n; i++) {
    autofree char *dir = path_dir(record_place(blobs[i].record));
    shorten(base, dir);
  }
  const char *second = *base ? strchr(base + 1, '/') : NULL;
  if (second && second[1])
    return base;
  free(base);
  return NULL;
}

/* A file that is kept. */
struct kept_file {
  char *line; /* "DIGEST NAME", NAME relative to the root */
  char *file; /* where it is now */
};

struct kept {
  const struct argv *bases;
  struct kept_file *files; /* sorted by line */
  size_t n;
};

static void keep_file(struct kept *k, const char *file, const char *digest) {
  autofree char *below = flags_below(file, k->bases);
  if (below)
    vec_push(k->files, k->n,
             (struct kept_file){.line = xasprintf("%s %s", digest, below), .file = xstrdup(file)});
}

static int by_line(const void *a, const void *b) {
  const struct kept_file *x = a, *y = b;
  int order = strcmp(x->line, y->line);
  return order ? order : strcmp(x->file, y->file);
}

static void collect(struct kept *k, const struct blob *blobs, size_t n, const struct units *u,
                    const struct lazy_units *lazy) {
  for (size_t i = 0; i < n; i++) {
    char digest[DIGEST_HEX];
    const struct record *r = blobs[i].record;
    if (r->source_text)
      digest_bytes(digest, r->source_text, strlen(r->source_text));
    else
      digest_file(digest, r->source);
    keep_file(k, record_place(r), digest);
  }
  for (size_t i = 0; i < lazy->n; i++) {
    char digest[DIGEST_HEX];
    digest_file(digest, lazy->list[i].record->device_text);
    keep_file(k, lazy->list[i].record->device_text, digest);
    if (lazy->list[i].own) {
      digest_file(digest, lazy->list[i].own->device_text);
      keep_file(k, lazy->list[i].own->device_text, digest);
    }
  }
  for (size_t g = 0; g < u->ngroups; g++)
    for (size_t i = 0; i < u->groups[g].ninputs; i++)
      keep_file(k, u->groups[g].inputs[i].path, u->groups[g].inputs[i].digest);
  if (k->n)
    qsort(k->files, k->n, sizeof *k->files, by_line);
}

/* DIR/<digest of all lines>; free() it */
static char *tree_of(const char *dir, const struct kept *k) {
  autofree_buf all = {0};
  char digest[DIGEST_HEX];
  buf_puts(&all, "tree\n");
  for (size_t i = 0; i < k->n; i++)
    if (i == 0 || by_line(&k->files[i - 1], &k->files[i]) != 0)
      buf_printf(&all, "%s\n", k->files[i].line);
  digest_bytes(digest, all.data, all.len);
  return path_join(dir, digest);
}

/* Is FILE there, with the content of LINE? An earlier link has copied it then. */
static bool is_there(const char *file, const char *line) {
  char digest[DIGEST_HEX];
  return digest_file(digest, file) && strncmp(digest, line, DIGEST_HEX - 1) == 0;
}

/* The source of R as it was compiled. Then it need not be copied, and may have changed or gone. */
static void keep_text(const struct kept *k, const char *tree, const struct record *r) {
  autofree char *below = r->source_text ? flags_below(record_place(r), k->bases) : NULL;
  autofree char *to = below ? path_join(tree, below) : NULL, *parent = to ? path_dir(to) : NULL;
  if (to && (!dir_make(parent) || !file_update(to, r->source_text, strlen(r->source_text), 0666)))
    die(EXIT_FAILED, "%s: cannot be written: %s; kernels are compiled from there when the build tree is gone",
        to, strerror(errno));
}

char *keep_sources(const char *dir, const struct argv *bases, const struct blob *blobs, size_t n,
                   const struct units *u, const struct lazy_units *lazy) {
  struct kept k = {.bases = bases};
  collect(&k, blobs, n, u, lazy);
  char *tree = tree_of(dir, &k);
  for (size_t i = 0; i < n; i++)
    keep_text(&k, tree, blobs[i].record);
  for (size_t i = 0; i < k.n; i++) {
    const char *from = k.files[i].file;
    autofree char *to = path_join(tree, k.files[i].line + DIGEST_HEX), *parent = path_dir(to);
    if (!is_there(to, k.files[i].line) && (!dir_make(parent) || !file_copy(from, to)))
      die(EXIT_FAILED,
          "%s: cannot be copied to %s: %s; kernels are compiled from there when the build tree is gone "
          "(`keep: sources` of the profile)",
          from, to, strerror(errno));
  }
  for (size_t i = 0; i < k.n; i++) {
    free(k.files[i].line);
    free(k.files[i].file);
  }
  free(k.files);
  return tree;
}
