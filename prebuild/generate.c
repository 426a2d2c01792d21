/* generate.c - `matrix`: prints the combinations of a matrix, or writes sources from a template,
 * one for each:
 *
 *     check        every variable has a value, every name is valid, no file is in the way;
 *                  nothing is written before this has passed
 *     write        the files whose content changes, so that a build recompiles only those
 *     tidy up      files that an earlier run wrote and this one does not
 *     print        the files' names, for the build
 *
 * D/.MATRIX+TEMPLATE.outputs lists the files that were written from that pair, so the directory can
 * be shared with other pairs and with the user's own files. A file that is in no such list is not
 * overwritten. The list is extended before the first file is written, so a run that is killed
 * leaves no file unlisted. */
#include "help.h"
#include "prebuild.h"
#include "select.h"
#include "subst.h"
#include "core/base/human.h"
#include "core/base/memofile.h"
#include "core/base/path.h"
#include "core/base/streams.h"

#include <sys/stat.h>
#include <unistd.h>

#define LIST "outputs" /* the memo's name */
enum { MAX_MESSAGES = 8 };
/* NAME_MAX minus 16 for the suffix of a temporary file beside it. */
enum { NAME_LIMIT = 255 - 16 };

struct generation {
  struct request *r;
  const struct matrix *m;
  struct subst *template; /* NULL: only names are generated */
  struct subst *format;   /* NULL: everything goes into one file */
  /* with its dot; NULL without --output-dir */
  char *extension;
  struct intern files; /* names in the directory, in the order of the combinations */
  char *list;          /* D/.MATRIX+TEMPLATE.outputs */
  struct intern old;   /* the files it names */
  size_t wrong;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct generation *g, const char *fmt,
                                                        ...) {
  if (g->wrong++ >= MAX_MESSAGES)
    return;
  va_list ap;
  va_start(ap, fmt);
  autofree char *text = xvasprintf(fmt, ap);
  va_end(ap);
  complain("%s", text);
}

static void stop_if_wrong(const struct generation *g) {
  if (g->wrong > MAX_MESSAGES)
    note("%zu more %s like these", g->wrong - MAX_MESSAGES,
         noun(g->wrong - MAX_MESSAGES, "error", "errors"));
  if (g->wrong)
    die(EXIT_FAILED, "matrix: nothing was written");
}

/* ---- the template ---- */

/* ".cu" of "dir/kernel.cu.in". */
static char *extension_of(const char *template) {
  autofree char *base = xstrdup(path_base(template));
  if (str_ends(base, ".in"))
    base[strlen(base) - 3] = 0;
  const char *dot = strrchr(base, '.');
  if (!dot || !dot[1])
    die(EXIT_USAGE,
        "--template %s: expected a name such as kernel.cu.in; the generated sources end with .cu",
        template);
  return xstrdup(dot);
}

static struct subst *read_template(const char *file, const char *append, const struct matrix *m) {
  size_t n;
  autofree_buf all = {0};
  autofree char *text = file_read_any(file, &n);
  if (!text)
    die(EXIT_FAILED, "--template %s: cannot read it: %s", file, strerror(errno));
  buf_add(&all, text, n);
  buf_printf(&all, "%s", append ? append : "");
  struct subst *s = subst_template(file, all.data, all.len);
  matrix_bind(s, m, true);
  return s;
}

/* ---- checks ---- */

static void check_variables(struct generation *g, const struct combination *c) {
  const struct subst *const both[] = {g->format, g->template};
  for (int i = 0; i < 2; i++) {
    const struct subst_piece *missing = both[i] ? subst_missing(both[i], c) : NULL;
    if (!missing)
      continue;
    autofree char *what = matrix_describe(c, g->m);
    wrong(g, "%s:%u:%u: @%s@ has no value in %s", both[i]->file, missing->line, missing->column,
          both[i]->names.texts.args[missing->name], what);
  }
}

/* Why NAME cannot be used, or NULL. It becomes a file, a word in a build's lists and the stem of a
 * blob. */
static const char *bad_name(const char *name, const char *extension) {
  if (!*name)
    return "is empty";
  if (strlen(name) + strlen(extension) > NAME_LIMIT)
    return "is too long; expected at most 239 bytes with the extension";
  if (strchr(name, '/'))
    return "contains a /; expected a file name without a directory, which --output-dir gives";
  for (const char *p = name; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 0x7f)
      return "contains a control character";
  if (strchr("-.#", *name))
    return "begins with - . or #, which compilers and lists of blobs do not accept in a name";
  if (*name == ' ' || str_ends(name, " "))
    return "begins or ends with a blank, which a list of blobs does not keep";
  return NULL;
}

static void check_name(struct generation *g, const struct combination *c) {
  autofree_buf name = {0};
  subst_render(&name, g->format, c);
  buf_puts(&name, "");
  const char *bad = bad_name(name.data, g->extension);
  size_t known = g->files.texts.n;
  autofree char *file = xasprintf("%s%s", name.data, g->extension);
  bool again = !bad && intern(&g->files, file) < known;
  autofree char *what = bad || again ? matrix_describe(c, g->m) : NULL;
  if (bad)
    wrong(g, "--name-format: the name '%s' %s; it comes from %s", name.data, bad, what);
  else if (again)
    wrong(g,
          "--name-format: the name '%s' twice; expected a variable that tells the sources "
          "apart. It comes from %s",
          name.data, what);
}

static void check_combinations(struct generation *g) {
  struct combination *c = combination_new(g->m);
  for (size_t i = 0; i < g->m->count; i++) {
    combination_set(c, g->m, i);
    size_t before = g->wrong;
    check_variables(g, c);
    if (g->r->output_dir && g->wrong == before)
      check_name(g, c);
  }
  combination_free(c);
  stop_if_wrong(g);
}

/* ---- the list of written files ---- */

static char *origin(const char *file) {
  return strcmp(file, "-") == 0 ? xstrdup("-") : path_abs(file);
}

/* The list names its matrix and template. Another pair with the same base names would take this
 * pair's files for stale, unless the first pair no longer exists. */
static void check_origin(const struct generation *g, const char *matrix, const char *template) {
  autofree char *our_matrix = origin(g->r->names.args[0]),
                *our_template = origin(g->r->template_file);
  bool same = strcmp(our_matrix, matrix) == 0 && strcmp(our_template, template) == 0;
  bool there = (strcmp(matrix, "-") == 0 || file_exists(matrix)) &&
               (strcmp(template, "-") == 0 || file_exists(template));
  if (!same && there)
    die(EXIT_FAILED,
        "%s: lists sources of %s and %s, other files of the same names; pass another --output-dir",
        g->list, matrix, template);
}

static void read_list(struct generation *g) {
  struct lines l;
  bool good = memofile_open(&l, g->list, LIST) && lines_next(&l) && lines_is(&l, "of", 2);
  if (good)
    check_origin(g, l.field[1], l.field[2]);
  else if (file_exists(g->list))
    die(EXIT_FAILED,
        "%s: expected a list that this version of `ckjit matrix` wrote; remove it, and the sources "
        "that were generated",
        g->list);
  while (good && lines_next(&l))
    if (lines_is(&l, "file", 1) &&
        !bad_name(l.field[1], "")) /* another's list must not remove a file elsewhere */
      intern(&g->old, l.field[1]);
  lines_close(&l);
}

/* Write the list: the files of this run and, with ALSO_OLD, those of the earlier ones. */
static void write_list(const struct generation *g, bool also_old) {
  autofree char *matrix = origin(g->r->names.args[0]), *template = origin(g->r->template_file);
  autofree_buf out = {0};
  lines_put(&out, "of", matrix, template, NULL);
  for (size_t i = 0; i < g->files.texts.n; i++)
    lines_put(&out, "file", g->files.texts.args[i], NULL);
  for (size_t i = 0; also_old && i < g->old.texts.n; i++)
    if (intern_find(&g->files, g->old.texts.args[i]) == SIZE_MAX)
      lines_put(&out, "file", g->old.texts.args[i], NULL);
  buf_putc(&out, 0);
  if (!memofile_update(g->list, LIST, out.data))
    die(EXIT_FAILED, "%s: cannot be written: %s", g->list, strerror(errno));
}

/* ---- the files ---- */

/* Call VISIT with the path and the text of each combination's file. */
static void each_file(struct generation *g,
                      void (*visit)(struct generation *, const char *, const struct buf *)) {
  struct combination *c = combination_new(g->m);
  autofree_buf text = {0};
  for (size_t i = 0; i < g->m->count; i++) {
    autofree char *path = path_join(g->r->output_dir, g->files.texts.args[i]);
    combination_set(c, g->m, i);
    text.len = 0;
    buf_puts(&text, "");
    subst_render(&text, g->template, c);
    visit(g, path, &text);
  }
  combination_free(c);
}

static void check_file(struct generation *g, const char *path, const struct buf *text) {
  struct stat st;
  if (lstat(path, &st))
    return;
  if (!S_ISREG(st.st_mode)) {
    wrong(g, "%s: exists and is not a regular file; remove it, or pass another --output-dir", path);
    return;
  }
  if (intern_find(&g->old, path_base(path)) != SIZE_MAX)
    return;
  size_t n;
  autofree char *have = file_read(path, &n);
  if (!have || n != text->len || memcmp(have, text->data, n) != 0)
    wrong(g,
          "%s: exists, and no earlier run with this matrix and template wrote it; remove it, "
          "or pass another --name-format or --output-dir",
          path);
}

static void write_file(struct generation *g, const char *path, const struct buf *text) {
  (void)g;
  if (!file_update(path, text->data, text->len, 0666))
    die(EXIT_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

static void remove_stale(const struct generation *g) {
  size_t n = 0;
  for (size_t i = 0; i < g->old.texts.n; i++) {
    struct stat st;
    if (intern_find(&g->files, g->old.texts.args[i]) != SIZE_MAX)
      continue;
    autofree char *path = path_join(g->r->output_dir, g->old.texts.args[i]);
    bool there = lstat(path, &st) == 0 && S_ISREG(st.st_mode);
    if (there && unlink(path))
      die(EXIT_FAILED, "%s: is stale and cannot be removed: %s", path, strerror(errno));
    n += there;
  }
  if (n)
    note("%s: removed %zu %s of an earlier run that the matrix no longer makes", g->r->output_dir,
         n, noun(n, "source", "sources"));
}

static char *list_name(const struct request *r) {
  const char *matrix = r->names.args[0];
  return xasprintf("%s/.%s+%s.outputs", r->output_dir,
                   strcmp(matrix, "-") == 0 ? "-" : path_base(matrix), path_base(r->template_file));
}

static void write_directory(struct generation *g) {
  const char *dir = g->r->output_dir;
  if (!dir_make(dir))
    die(EXIT_FAILED, "--output-dir %s: cannot be made: %s", dir, strerror(errno));
  g->list = list_name(g->r);
  read_list(g);
  each_file(g, check_file);
  stop_if_wrong(g);
  write_list(g, true);
  each_file(g, write_file);
  remove_stale(g);
  write_list(g, false);
  for (size_t i = 0; i < g->files.texts.n; i++) {
    autofree char *path = path_join(dir, g->files.texts.args[i]);
    puts(path);
  }
}

/* ---- without files ---- */

/* Render S for each combination, one after the other. */
static void render_all(struct buf *out, const struct generation *g, const struct subst *s,
                       const char *end) {
  struct combination *c = combination_new(g->m);
  buf_puts(out, "");
  for (size_t i = 0; i < g->m->count; i++) {
    combination_set(c, g->m, i);
    subst_render(out, s, c);
    buf_puts(out, end);
  }
  combination_free(c);
}

/* An output that is also an input is a mistake that would destroy a source file. */
static void check_not_input(const char *output, const char *input) {
  struct stat a, b;
  if (stat(output, &a) == 0 && stat(input, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    die(EXIT_USAGE, "--output %s: is %s, which is an input; expected another file", output, input);
}

static void write_one(const struct generation *g) {
  const char *file = g->r->output;
  check_not_input(file, g->r->template_file);
  check_not_input(file, g->r->names.args[0]);
  autofree_buf out = {0};
  render_all(&out, g, g->template, "");
  if (strcmp(file, "-") == 0)
    fwrite(out.data, 1, out.len, stdout);
  else if (!file_put_update(file, out.data, out.len, 0666))
    die(EXIT_FAILED, "--output %s: cannot be written: %s", file, strerror(errno));
  else if (!file_is_special(file))
    puts(file);
}

static void print_names(const struct generation *g) {
  autofree_buf out = {0};
  render_all(&out, g, g->format, "\n");
  fwrite(out.data, 1, out.len, stdout);
}

/* ---- the command ---- */

static void check_options(const struct request *r) {
  if (!r->template_file && (r->output_dir || r->output))
    die(EXIT_USAGE, "matrix: %s needs --template FILE",
        r->output_dir ? "--output-dir" : "--output");
  if (r->template_file && !r->output_dir == !r->output)
    die(EXIT_USAGE,
        "matrix: --template needs --output-dir DIR for one file per combination, or --output "
        "FILE for a single file");
  if (r->output_dir && !r->name_format)
    die(EXIT_USAGE,
        "matrix: --output-dir needs --name-format FORMAT, such as kernel_@hdim@_@dtype@");
  if (r->output && r->name_format)
    die(EXIT_USAGE, "matrix: --output FILE names the file; --name-format is for --output-dir");
}

/* Write the results of --template, --output-dir, --output and --name-format. */
static void generate(struct request *r, const struct matrix *m) {
  struct generation g = {.r = r, .m = m};
  check_options(r);
  g.extension = r->output_dir ? extension_of(r->template_file) : NULL;
  if (r->template_file)
    g.template = read_template(r->template_file, r->append, m);
  if (r->name_format) {
    g.format = subst_text("--name-format", r->name_format);
    matrix_bind(g.format, m, false);
  }
  if (g.format) /* one output for all may ignore variables that only name files */
    matrix_warn_unused(m, g.format, g.template);
  check_combinations(&g);
  if (r->output_dir)
    write_directory(&g);
  else if (r->output)
    write_one(&g);
  else
    print_names(&g);
}

/* ---- the command ---- */

static void print_product(const struct matrix *m) {
  struct combination *c = combination_new(m);
  autofree_buf line = {0};
  for (size_t i = 0; i < m->count && !ferror(stdout); i++) {
    line.len = 0;
    combination_set(c, m, i);
    combination_json(&line, c, m);
    puts(line.data);
  }
  combination_free(c);
}

int prebuild_matrix(struct request *r) {
  bool generates = r->template_file || r->output_dir || r->output || r->name_format;
  if (r->names.n != 1 || r->lists || r->all || r->matrix)
    die_usage(r, "expected one FILE, - for standard input");
  struct matrix *m = matrix_open(r->names.args[0]);
  if (generates)
    generate(r, m);
  else
    print_product(m);
  streams_answered();
  return EXIT_OK;
}
