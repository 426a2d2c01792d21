/* profile.c - see profile.h.
 *
 * A profile is loaded as a YAML document, and its one mapping is read key by key. The table `keys`
 * says which list of struct profile a key fills, so a new list takes one row there. Reading is
 * strict, because a misspelt key would otherwise be ignored silently: an unknown key, a key given
 * twice or a wrong type is an error that names file and line. The first error is kept.
 */
#include "profile.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/suggest.h"
#include "core/cc/compiler.h"
#include "core/files/home.h"

#include "realtools.h"

#include <dirent.h>
#include <yaml.h>

/* The keys of a profile that are lists, with their fields; "about" and "kind" are strings. */
static const struct {
  const char *name;
  size_t offset;
} keys[] = {
    {"home_vars", offsetof(struct profile, home_vars)},
    {"compilers", offsetof(struct profile, compilers)},
    {"cxx", offsetof(struct profile, cxx)},
    {"tools", offsetof(struct profile, tools)},
    {"keep", offsetof(struct profile, keep)},
    {"units", offsetof(struct profile, units)},
    {"front", offsetof(struct profile, front)},
    {"yes", offsetof(struct profile, yes)},
    {"no", offsetof(struct profile, no)},
    {"families", offsetof(struct profile, families)},
    {"dispatchers", offsetof(struct profile, dispatchers)},
    {"generated", offsetof(struct profile, generated)},
    {"harmless_types", offsetof(struct profile, harmless_types)},
};

static struct argv *list_of(struct profile *p, const char *key) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i].name, key) == 0)
      return (struct argv *)((char *)p + keys[i].offset);
  return NULL;
}

/* The state of a read. */
struct profile_reader {
  struct profile *p;
  yaml_document_t doc;
  char *err; /* the first error */
};

static void fail(struct profile_reader *r, const yaml_node_t *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void fail(struct profile_reader *r, const yaml_node_t *at, const char *fmt, ...) {
  if (r->err)
    return;
  va_list ap;
  va_start(ap, fmt);
  autofree char *text = xvasprintf(fmt, ap);
  va_end(ap);
  r->err = xasprintf("%s:%zu: %s", r->p->file, at ? at->start_mark.line + 1 : 1, text);
}

/* The text of a scalar; NULL if NODE is not one. */
static const char *scalar(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* `key:` with nothing after it, an empty plain scalar, is an empty list. */
static bool is_empty(const yaml_node_t *node) {
  return scalar(node) && node->data.scalar.length == 0 &&
         node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static void add_word(struct profile_reader *r, const char *key, const yaml_node_t *node,
                     struct argv *list) {
  const char *word = scalar(node);
  if (!word)
    fail(r, node, "%s: expected a string or a list of strings", key);
  else if (!*word || strchr(word, '\n'))
    fail(r, node, "%s: expected one line of text, found an empty string or several lines", key);
  else
    argv_add(list, word);
}

static void read_list(struct profile_reader *r, const char *key, yaml_node_t *node,
                      struct argv *list) {
  if (is_empty(node))
    return;
  if (node->type != YAML_SEQUENCE_NODE) {
    add_word(r, key, node, list);
    return;
  }
  yaml_node_item_t *i = node->data.sequence.items.start;
  for (; i < node->data.sequence.items.top && !r->err; i++)
    add_word(r, key, yaml_document_get_node(&r->doc, *i), list);
}

static bool seen_before(struct profile_reader *r, yaml_node_t *map, yaml_node_pair_t *pair,
                        const char *key) {
  for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++) {
    const char *other = scalar(yaml_document_get_node(&r->doc, p->key));
    if (other && strcmp(other, key) == 0)
      return true;
  }
  return false;
}

static void unknown_key(struct profile_reader *r, yaml_node_t *at, const char *key) {
  enum { N = sizeof keys / sizeof *keys };
  const char *names[N + 3] = {"about", "kind"};
  for (size_t i = 0; i < N; i++)
    names[2 + i] = keys[i].name;
  autofree char *all = one_of(names), *meant = did_you_mean(key, names);
  fail(r, at, "unknown key '%s': expected %s%s", key, all, meant);
}

/* A key that takes none but some words has none of them, or some. */
static void check_values(struct profile_reader *r, const char *key, yaml_node_t *at,
                         const struct argv *list) {
  static const char *const of_keep[] = {"sources", "bundle", NULL},
                           *const of_front[] = {FRONT_BUILD, "launch", NULL},
                           *const of_units[] = {"lazy", UNITS_BUILD, UNITS_ALL, NULL};
  const char *const *words = list == &r->p->keep    ? of_keep
                             : list == &r->p->front ? of_front
                             : list == &r->p->units ? of_units
                                                    : NULL;
  for (size_t i = 0; words && i < list->n && !r->err; i++) {
    size_t k = 0;
    while (words[k] && strcmp(words[k], list->args[i]) != 0)
      k++;
    autofree char *all = words[k] ? NULL : one_of(words);
    if (all)
      fail(r, at, "%s: '%s': expected %s, or nothing", key, list->args[i], all);
  }
}

static void read_pair(struct profile_reader *r, yaml_node_t *map, yaml_node_pair_t *pair) {
  yaml_node_t *knode = yaml_document_get_node(&r->doc, pair->key);
  yaml_node_t *vnode = yaml_document_get_node(&r->doc, pair->value);
  const char *key = scalar(knode);
  struct argv *list = key ? list_of(r->p, key) : NULL;
  if (!key)
    fail(r, knode, "expected a key, a plain word");
  else if (seen_before(r, map, pair, key))
    fail(r, knode, "key '%s' is given twice; put all its values into one list", key);
  else if (list)
    read_list(r, key, vnode, list);
  else if (strcmp(key, "about") != 0 && strcmp(key, "kind") != 0)
    unknown_key(r, knode, key);
  else if (!scalar(vnode))
    fail(r, vnode, "%s: expected a string", key);
  else if (strcmp(key, "about") == 0)
    r->p->about = xstrdup(scalar(vnode));
  else if (!compiler_of_home(scalar(vnode)))
    fail(r, vnode, "kind: unknown kind of compiler '%s'; expected hip or cuda", scalar(vnode));
  else
    r->p->kind = xstrdup(scalar(vnode));
  check_values(r, key, vnode, list);
}

static void read_document(struct profile_reader *r) {
  yaml_node_t *top = yaml_document_get_root_node(&r->doc);
  if (!top || top->type != YAML_MAPPING_NODE) {
    fail(r, top, "expected `key: value` lines");
    return;
  }
  yaml_node_pair_t *pair = top->data.mapping.pairs.start;
  for (; pair < top->data.mapping.pairs.top && !r->err; pair++)
    read_pair(r, top, pair);
  if (!r->p->compilers.n)
    fail(r, NULL, "compilers: missing; expected the name of at least one compiler to stand in for");
}

struct profile *profile_read(const char *file, char **err) {
  FILE *in = fopen(file, "re");
  if (!in) {
    *err = xasprintf("%s: cannot read this profile: %s", file, strerror(errno));
    return NULL;
  }
  struct profile_reader r = {.p = xcalloc(1, sizeof *r.p)};
  r.p->file = xstrdup(file);
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    die(EXIT_FAILED, "out of memory");
  yaml_parser_set_input_file(&parser, in);
  if (yaml_parser_load(&parser, &r.doc)) {
    read_document(&r);
    yaml_document_delete(&r.doc);
  } else {
    r.err = xasprintf("%s:%zu: %s", file, parser.problem_mark.line + 1,
                      parser.problem ? parser.problem : "not readable as YAML");
  }
  yaml_parser_delete(&parser);
  fclose(in);
  if (!r.err)
    return r.p;
  *err = r.err;
  profile_free(r.p);
  return NULL;
}

void profile_free(struct profile *p) {
  if (!p)
    return;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    argv_free((struct argv *)((char *)p + keys[i].offset));
  free(p->file);
  free(p->about);
  free(p->kind);
  free(p);
}

/* The file that --profile NAME means: NAME itself if it has a slash, else
 * share/ckjit/profiles/NAME.yaml; free() it. */
static char *profile_file(const char *name) {
  if (strchr(name, '/'))
    return xstrdup(name);
  autofree char *below = xasprintf("profiles/%s.yaml", name);
  return install_share(below);
}

/* The names of the profiles beside FILE; ends with NULL. */
static const char *const *names_beside(const char *file) {
  struct argv names = {0};
  char *dir = path_dir(file);
  struct dirent **entries;
  int n = scandir(dir, &entries, NULL, alphasort);
  for (int i = 0; i < n; i++)
    if (str_ends(entries[i]->d_name, ".yaml") && entries[i]->d_name[0] != '.')
      argv_add_own(&names, path_stem(entries[i]->d_name));
  argv_add_own(&names, NULL);
  return (const char *const *)names.args;
}

/* Report that there is no profile of that name. */
static _Noreturn void unknown(const char *name, const char *file) {
  const char *const *names = names_beside(file);
  char *meant = did_you_mean(name, names), *here = xasprintf("./%s", name);
  bool is_file = file_is_regular(here);
  die(EXIT_FAILED, "--profile '%s': no such profile: expected %s%s%s%s%s", name,
      *names ? one_of(names) : "one", is_file ? "" : ", or a file with a slash in its name", meant,
      is_file ? ", or with a slash the file " : "", is_file ? here : "");
}

struct profile *profile_open(const char *name) {
  autofree char *file = profile_file(name);
  char *err;
  if (!strchr(name, '/') && !file_exists(file))
    unknown(name, file);
  struct profile *p = profile_read(file, &err);
  if (!p)
    die(EXIT_FAILED, "--profile %s", err);
  if (!p->cxx.n)
    tools_linkers(&p->cxx);
  return p;
}
