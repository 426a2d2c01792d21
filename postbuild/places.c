/* places.c - what is linked in the place of each recorded object. To the linker a place is more
 * than an object: a member of an archive is linked only if something needs it and nothing before it
 * has that, --exclude-libs hides what it defines, --whole-archive takes it in any case, and the
 * first archive of two with one function wins. So the linker gets an archive with the same members
 * in the same order, under the same name, and decides as it would without ckjit:
 *
 *     a record in                 is linked as
 *     an object of the line       what was compiled for it, or stubs in an object that blobs share,
 *                                 since all are linked
 *     a member of an archive      that member of a copy of the archive: what was compiled for it,
 *                                 or its blob's stubs alone
 *     what `ld -r` made of        that object of a copy, with the stubs or what was compiled joined
 *     stubs and code              to the code
 *     an object between           the same, alone
 *     --start-lib and --end-lib
 *     two of these                the same in both places, as it would be
 *
 * What the linker leaves out costs the library a row in its tables.
 */
#include "link.h"

#include "core/base/path.h"
#include "core/cc/linkscript.h"
#include "core/files/stubobj.h"

/* The number of R, or of a copy of it; it is a record of this link. */
static size_t number_of(const struct link *l, const struct record *r) {
  const struct linkline *line = &l->line;
  if (r >= line->records && r < line->records + line->nrecords)
    return (size_t)(r - line->records);
  size_t i = 0;
  while (i + 1 < line->nrecords &&
         (strcmp(line->records[i].output, r->output) != 0 || strcmp(line->records[i].source, r->source) != 0))
    i++;
  return i;
}

void link_put_object(struct link *l, const struct record *r, const char *object) {
  char **place = &l->objects[number_of(l, r)];
  char *copy = object ? xstrdup(object) : NULL;
  free(*place);
  *place = copy;
}

/* Writes an object to link for units that need no code, such as a fragment that is linked into
 * kernels when they are called. */
static void write_empty(const struct link *l) {
  autofree char *empty = path_join(l->dir, PLACE_EMPTY);
  if (!stub_write_allowed(empty, link_machine(l)))
    die(EXIT_FAILED, "%s: cannot be written: %s", empty, strerror(errno));
}

/* ---- copies of containers ---- */

/* The file in the directory NAME of the copies that has the name of FILE; free() it. */
static char *copy_name(const struct link *l, const char *name, const char *file) {
  autofree char *dir = xasprintf("%s/copies/%s", l->dir, name);
  char *copy = path_join(dir, path_base(file));
  if (!dir_make(dir))
    die(EXIT_FAILED, "%s: cannot make the directory: %s", dir, strerror(errno));
  return copy;
}

/* A response file of the linker's own, with copies named in it; its copy's name, free() it. */
static char *copy_list(const struct link *l, const char *number, const char *list) {
  autofree char *at = xasprintf("@%s", list);
  char *args[] = {at, NULL}, *copy = copy_name(l, number, list);
  autofree_argv words = {0};
  autofree_buf out = {0};
  argv_expand(&words, "", args);
  for (size_t i = 0; i < words.n; i++) {
    const char *word = words.args[i];
    for (size_t k = 0; k < l->line.ncontainers; k++)
      if (!l->line.containers[k].searched && l->line.containers[k].copy &&
          strcmp(l->line.containers[k].text, words.args[i]) == 0 &&
          strcmp(l->line.containers[k].list, list) == 0 &&
          !(i && str_ends(words.args[i - 1], "-exclude-libs")))
        word = l->line.containers[k].copy;
    for (const char *p = word; *p; p++) {
      if (strchr(" \t\n\"'\\", *p))
        buf_putc(&out, '\\');
      buf_putc(&out, *p);
    }
    buf_putc(&out, '\n');
  }
  if (!file_write(copy, out.data ? out.data : "", out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", copy, strerror(errno));
  return copy;
}

struct scripting {
  const struct link *l;
  const char *list, *script, *text;
  size_t at; /* the end of what is written */
  struct buf out;
  bool any; /* a copy is named */
};

static char *copy_script(const struct link *l, const char *list, const char *script, const char *copy);

/* Write the word at AT, LEN bytes, that finds FILE. */
static bool write_scripted(const char *file, size_t at, size_t len, void *user) {
  struct scripting *s = user;
  const struct linkline *line = &s->l->line;
  autofree char *name = file ? path_abs_in(line->cwd, file) : NULL, *inner = NULL;
  const char *copy = NULL;
  for (size_t i = 0; file && i < line->ncontainers && !copy; i++)
    if (line->containers[i].script && strcmp(line->containers[i].list, s->list) == 0 &&
        strcmp(line->containers[i].text, file) == 0)
      copy = line->containers[i].copy;
  if (file && !copy && linkscript_is(file) && strcmp(file, s->script) != 0) {
    autofree char *dir = xasprintf("%s/copies/in-%s", s->l->dir, path_base(s->list));
    autofree char *to = dir_make(dir) ? path_join(dir, path_base(file)) : NULL;
    copy = inner = to ? copy_script(s->l, s->list, file, to) : NULL;
  }
  s->any |= copy != NULL;
  buf_add(&s->out, s->text + s->at, at - s->at);
  if (name)
    buf_printf(&s->out, "\"%s\"", copy ? copy : name);
  else
    buf_add(&s->out, s->text + at, len);
  s->at = at + len;
  return true;
}

/* SCRIPT, which LIST is or names, with copies named in it, as the file COPY. Returns COPY, or NULL if there
 * are none; free() it. */
static char *copy_script(const struct link *l, const char *list, const char *script, const char *copy) {
  size_t len;
  autofree char *text = file_read_text(script, &len);
  struct scripting s = {.l = l, .list = list, .script = script, .text = text};
  if (!text)
    return NULL;
  cc_script_files(&l->line.scan, script, text, write_scripted, &s);
  buf_puts(&s.out, text + s.at);
  if (s.any && !file_write(copy, s.out.data, s.out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", copy, strerror(errno));
  buf_free(&s.out);
  return s.any ? xstrdup(copy) : NULL;
}

/* The copy of A's list, with the number NUMBER; NULL: there is none. free() it. */
static char *copy_of_list(struct link *l, const struct container *a, const char *number) {
  if (!a->script)
    return copy_list(l, number, a->list);
  autofree char *to = copy_name(l, a->list_searched ? "searched" : number, a->list);
  char *copy = copy_script(l, a->list, a->list, to);
  if (copy && a->list_searched && !l->line.searched)
    l->line.searched = path_dir(copy);
  return copy;
}

void link_copy_containers(struct link *l) {
  struct linkline *line = &l->line;
  for (size_t i = 0; i < line->ncontainers; i++) {
    struct container *a = &line->containers[i];
    autofree char *number = xasprintf("%zu", i);
    char *copy = copy_name(l, a->searched ? "searched" : number, a->text);
    free(a->copy);
    a->copy = link_copy_container(l, a->text, a->archive, copy, l->objects) ? copy : NULL;
    if (a->copy && a->searched && !line->searched)
      line->searched = path_dir(copy);
    if (!a->copy)
      free(copy);
  }
  for (size_t i = 0; i < line->ncontainers; i++) {
    struct container *a = &line->containers[i];
    if (!*a->list || a->searched || !a->copy)
      continue;
    autofree char *number = xasprintf("%zu", i);
    free(a->list_copy);
    a->list_copy = copy_of_list(l, a, number);
  }
}

/* ---- all places ---- */

void link_fill_places(struct link *l) {
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate == BLOB_LAZY)
      link_put_object(l, l->blobs[i].record, l->blobs[i].stubs);
  for (size_t i = 0; i < l->ndispatchers; i++)
    link_put_object(l, l->dispatchers[i].record, l->dispatchers[i].object);
  write_empty(l);
  autofree char *empty = path_join(l->dir, PLACE_EMPTY);
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (l->line.places[i].contained && !l->objects[i] && l->line.records[i].kind == RECORD_FRAGMENT)
      link_put_object(l, &l->line.records[i], empty);
  units_write_stubs(&l->units);
  link_copy_containers(l);
}

void link_add_stubs(const struct link *l, struct argv *out) {
  for (size_t k = 0; k < l->units.nunits; k++)
    if (unit_has_stubs(&l->units.units[k]))
      argv_add(out, l->units.units[k].stubs);
}

/* ---- what the linker says of them ---- */

/* TEXT with TO in place of each FROM; taken over. */
static char *replaced(char *text, const char *from, const char *to) {
  struct buf out = {0};
  buf_puts(&out, "");
  const char *p = text;
  for (const char *at; (at = strstr(p, from)); p = at + strlen(from))
    buf_printf(&out, "%.*s%s", (int)(at - p), p, to);
  buf_puts(&out, p);
  free(text);
  return out.data;
}

char *link_name_originals(const struct link *l, char *text) {
  for (size_t i = 0; i < l->line.ncontainers; i++) {
    const struct container *c = &l->line.containers[i];
    if (!c->copy)
      continue;
    autofree char *original = path_abs_in(l->line.cwd, c->text);
    text = replaced(text, c->copy, original);
  }
  return text;
}
