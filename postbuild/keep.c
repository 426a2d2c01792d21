#include "keep.h"
#include "flags.h"

#include "core/base/path.h"

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

/* A kept record. */
struct kept {
  const char *base;
  /* "DIGEST NAME//FILE"; NAME is relative to the root. No path has "//", and some have newlines. */
  struct argv lines;
};

static void keep_file(struct kept *k, const char *file, const char *digest) {
  autofree char *below = flags_below(file, k->base);
  if (below)
    argv_addf(&k->lines, "%s %s//%s", digest, below, file);
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
  argv_unique(&k->lines);
}

/* DIR/<digest of all lines>; free() it */
static char *tree_of(const char *dir, const struct kept *k) {
  autofree_buf all = {0};
  char digest[DIGEST_HEX];
  buf_puts(&all, "tree\n");
  for (size_t i = 0; i < k->lines.n; i++)
    buf_printf(&all, "%.*s\n", (int)(strstr(k->lines.args[i], "//") - k->lines.args[i]), k->lines.args[i]);
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
  autofree char *below = r->source_text ? flags_below(record_place(r), k->base) : NULL;
  autofree char *to = below ? path_join(tree, below) : NULL, *parent = to ? path_dir(to) : NULL;
  if (to && (!dir_make(parent) || !file_update(to, r->source_text, strlen(r->source_text), 0666)))
    die(EXIT_FAILED, "%s: cannot be written: %s; kernels are compiled from there when the build tree is gone",
        to, strerror(errno));
}

char *keep_sources(const char *dir, const char *base, const struct blob *blobs, size_t n,
                   const struct units *u, const struct lazy_units *lazy) {
  struct kept k = {.base = base};
  collect(&k, blobs, n, u, lazy);
  char *tree = tree_of(dir, &k);
  for (size_t i = 0; i < n; i++)
    keep_text(&k, tree, blobs[i].record);
  for (size_t i = 0; i < k.lines.n; i++) {
    const char *below = k.lines.args[i] + DIGEST_HEX, *from = strstr(below, "//") + 2;
    autofree char *name = xstrndup(below, (size_t)(from - below) - 2), *to = path_join(tree, name),
                  *parent = path_dir(to);
    if (!is_there(to, k.lines.args[i]) && (!dir_make(parent) || !file_copy(from, to)))
      die(EXIT_FAILED,
          "%s: cannot be copied to %s: %s; kernels are compiled from there when the build tree is gone "
          "(`keep: sources` of the profile)",
          from, to, strerror(errno));
  }
  argv_free(&k.lines);
  return tree;
}
