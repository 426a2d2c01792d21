/* json.c - `list --json`: all facts about each kernel, one JSON object per line. docs/formats.md
 * describes the members. */
#include "json.h"
#include "cache.h"
#include "entrycode.h"
#include "lazykernels.h"
#include "parameters.h"
#include "prebuild.h"
#include "functionnames.h"
#include "core/base/jsonread.h"
#include "core/base/path.h"
#include "core/files/unitkernels.h"

#include <jansson.h>
#include <sys/stat.h>

/* The state of the entry with build id ID, and its *SIZE if it exists. */
static const char *state_of(const struct request *r, const struct manifest_blob *blob,
                            const uint8_t id[CKJIT_BUILD_ID_SIZE], json_int_t *size) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE], entry[PATH_MAX];
  struct stat st;
  ckjit_build_id_hex(hex, id);
  if (cache_find_id(r, blob, id, entry) && stat(entry, &st) == 0) {
    *size = st.st_size;
    return "cached";
  }
  autofree char *stem = cache_stem(blob);
  return cache_lacks(r, stem, hex);
}

/* The state of BLOB's entry for the list ARCHS; its size is added to *SIZE. */
static const char *state_for(const struct request *r, const struct manifest_blob *blob,
                             const char *archs, json_int_t *size) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  json_int_t found = 0;
  cache_build_id(blob, archs, id);
  const char *state = state_of(r, blob, id, &found);
  if (strcmp(state, "absent") == 0 && cache_key_apart(r, blob, archs, id))
    state = state_of(r, blob, id, &found);
  *size += found;
  return state;
}

/* Add "state" and "size" to OBJ. With several entries, one for each architecture, the first missing
 * one decides the state. */
static void add_state(json_t *obj, const struct request *r, const struct manifest_blob *blob) {
  const struct argv *lists = &r->archs[blob->group];
  json_int_t size = 0;
  /* The library contains the kernel and never looks it up. */
  const char *state = blob->linked ? "linked" : "cached";
  for (size_t i = 0; i < lists->n && strcmp(state, "cached") == 0; i++)
    state = state_for(r, blob, lists->args[i], &size);
  bool there = strcmp(state, "cached") == 0;
  json_object_set_new(obj, "state", json_string(state));
  json_object_set_new(obj, "size", there ? json_integer(size) : json_null());
}

static json_t *function(const char *mangled) {
  autofree char *signature = symbol_signature(mangled), *template = symbol_template(mangled);
  json_t *obj = json_object();
  json_object_set_new(obj, "template", json_printable(template));
  json_object_set_new(obj, "signature", json_printable(signature));
  json_object_set_new(obj, "symbol", json_printable(mangled));
  return obj;
}

/* The wanted kernels of UNIT. */
static json_t *unit_functions(struct request *r, const struct manifest_blob *unit) {
  const struct argv *kernels = kernels_wanted(r, unit);
  json_t *list = json_array();
  if (!kernels)
    kernels = kernels_of_unit(r, unit);
  for (size_t i = 0; i < kernels->n; i++) {
    autofree char *name = unitkernel_name(unit->stem, kernels->args[i]);
    json_t *obj = function(kernels->args[i]);
    bool there = kernels_is_cached(r, unit, kernels->args[i]);
    json_object_set_new(obj, "kernel", json_printable(name));
    json_object_set_new(obj, "state", json_string(there ? "cached" : "absent"));
    json_array_append_new(list, obj);
  }
  return list;
}

/* A kernel by its mangled name, with the types of its parameters, their names in FUNCTIONS, and its
 * rows of CODE. */
static json_t *kernel(const char *mangled, const struct global_functions *functions,
                      const struct resources_list *code) {
  autofree char *signature = symbol_signature(mangled), *template = symbol_template(mangled);
  char *space = strrchr(template, ':');
  const char *plain = space ? space + 1 : template;
  autofree_argv types = {0};
  bool known = symbol_parameters(&types, signature);
  json_t *obj = json_object(), *parameters = known ? json_array() : json_null();
  for (size_t i = 0; i < types.n; i++) {
    const char *name = parameters_name(functions, plain, i, types.n);
    json_array_append_new(parameters, json_pack("{s:o,s:o}", "name", json_printable(name), "type",
                                                json_printable(types.args[i])));
  }
  json_object_set_new(obj, "signature", json_printable(signature));
  json_object_set_new(obj, "symbol", json_printable(mangled));
  json_object_set_new(obj, "parameters", parameters);
  json_object_set_new(obj, "code", entrycode_json(code, mangled));
  return obj;
}

/* The functions of BLOB that are __global__: a unit's are known from its text, a blob's from its
 * compiled code; else null. */
static json_t *kernels(struct request *r, const struct manifest_blob *blob) {
  autofree_argv names = {0};
  if (blob->unit)
    argv_add_all(&names, kernels_of_unit(r, blob)->args);
  else if (r->m->unkeyed || blob->linked || !kernels_of_blob(&names, r, blob))
    return json_null();
  argv_unique(&names);
  struct global_functions functions = {0};
  struct resources_list code = {0};
  json_t *list = json_array();
  if (names.n) {
    parameters_of_blob(&functions, r, blob);
    entrycode_of_blob(&code, r, blob, &names);
  }
  for (size_t i = 0; i < names.n; i++)
    json_array_append_new(list, kernel(names.args[i], &functions, &code));
  resources_free(&code);
  parameters_free(&functions);
  return list;
}

/* An old manifest without symbols, or one made from records, has only the templates' names. */
static json_t *functions(const struct manifest_blob *blob) {
  json_t *list = json_array();
  for (size_t i = 0; i < blob->symbols.n; i++)
    json_array_append_new(list, function(blob->symbols.args[i]));
  for (size_t i = 0; !blob->symbols.n && i < blob->functions.n; i++) {
    json_t *obj = json_object();
    json_object_set_new(obj, "template", json_printable(blob->functions.args[i]));
    json_object_set_new(obj, "signature", json_null());
    json_object_set_new(obj, "symbol", json_null());
    json_array_append_new(list, obj);
  }
  return list;
}

static void print_object(json_t *obj) {
  autofree char *line = json_dumps(obj, JSON_COMPACT);
  puts(line);
  json_decref(obj);
}

static void print_blob(struct request *r, const struct manifest_blob *blob) {
  static const char *const of_first[] = {"template", "signature", "symbol"};
  json_t *obj = json_object(), *all = blob->unit ? unit_functions(r, blob) : functions(blob),
         *first = json_array_get(all, 0), *archs = json_array();
  autofree char *source = manifest_expand(blob->source, r->root);
  const struct argv *built = &r->m->groups[blob->group].archs;
  json_object_set_new(obj, "stem", json_printable(blob->stem));
  for (int i = 0; i < 3; i++)
    json_object_set_new(obj, of_first[i],
                        first ? json_incref(json_object_get(first, of_first[i])) : json_null());
  json_object_set_new(obj, "functions", all);
  json_object_set_new(obj, "kernels", kernels(r, blob));
  json_object_set_new(obj, "source", json_printable(source));
  for (size_t i = 0; i < built->n; i++)
    json_array_append_new(archs, json_printable(built->args[i]));
  json_object_set_new(obj, "architectures", archs);
  if (r->m->unkeyed) { /* nothing can be looked up without keys */
    json_object_set_new(obj, "state", json_null());
    json_object_set_new(obj, "size", json_null());
  } else {
    add_state(obj, r, blob);
  }
  print_object(obj);
}

void json_list_blobs(struct request *r, const struct manifest_blob *const *blobs, size_t n) {
  for (size_t i = 0; i < n; i++)
    print_blob(r, blobs[i]);
}

void json_list_unknown(const char *name) {
  json_t *obj = json_object();
  json_object_set_new(obj, "stem", json_printable(name));
  json_object_set_new(obj, "state", json_string("unknown"));
  print_object(obj);
}
