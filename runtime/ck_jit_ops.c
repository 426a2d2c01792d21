/* ck_jit_ops.c - the functions of ck_jit_api.h, by which libckjit.so queries a library's runtime.
 *
 * ck_jit_api.h describes each of them. Errors are returned, never thrown or printed.
 */
#include "ck_jit_api.h"
#include "ck_jit_blob.h"
#include "ck_jit_combination.h"
#include "ck_jit_compile.h"
#include "ck_jit_entry.h"
#include "ck_jit_flight.h"
#include "ck_jit_lock.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_place.h"
#include "ck_jit_say.h"
#include "ck_jit_self.h"
#include "ck_jit_settings.h"
#include "ck_jit_spawn.h"
#include "ck_jit_start.h"
#include "ck_jit_states.h"
#include "ck_jit_symbols.h"
#include "ck_jit_table.h"
#include "ck_jit_unlinked.h"
#if CKJIT_LAZY
#include "ck_jit_lazy.h"
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- the beginning and end of each function ---- */

struct ckjit_visit {
  int saved_errno, cancel;
};

static void ckjit_visit_begin(struct ckjit_visit *v) {
  v->saved_errno = errno;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &v->cancel);
  ckjit_prepare_fork();
}

static void ckjit_visit_end(const struct ckjit_visit *v) {
  pthread_setcancelstate(v->cancel, NULL);
  errno = v->saved_errno;
}

/* *OUT takes over TEXT. */
static void ckjit_hand_over(struct ckjit_text *text, char **out) {
  if (text->lost)
    ckjit_text_free(text);
  *out = text->data;
}

/* *ERROR of BLOB becomes WHY, which is freed, unless the result is THERE. */
static void ckjit_hand_error(bool there, uint32_t blob, struct ckjit_text *why, char **error) {
  if (!there) {
    struct ckjit_text whole = {0};
    size_t n;
    const char *stem = ckjit_stem_of(blob, &n);
    ckjit_addf(&whole, "%.*s: %s", (int)n, stem, ckjit_reason(why));
    ckjit_hand_over(&whole, error);
  }
  ckjit_text_free(why);
}

/* ---- tables ---- */

static char *ckjit_op_source(uint32_t blob) {
  struct ckjit_visit v;
  struct ckjit_root root = {0};
  struct ckjit_text library = {0}, source = {0};
  char *out;
  ckjit_visit_begin(&v);
  ckjit_add_library(&library);
  ckjit_find_root(&root, &library);
  if (ckjit_whole(&root.path))
    ckjit_find_source(&source, blob, ckjit_whole(&root.path));
  ckjit_text_free(&root.path);
  ckjit_text_free(&library);
  ckjit_hand_over(&source, &out);
  ckjit_visit_end(&v);
  return out;
}

static char *ckjit_op_archs(uint32_t blob) {
  struct ckjit_visit v;
  char archs[CKJIT_ARCHS_SIZE];
  ckjit_visit_begin(&v);
  ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), archs);
  char *out = strdup(archs);
  ckjit_visit_end(&v);
  return out;
}

static char *ckjit_op_build_id(uint32_t blob) {
  struct ckjit_visit v;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char archs[CKJIT_ARCHS_SIZE], hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_visit_begin(&v);
  ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), archs);
  ckjit_artefact_id(id, ckjit_is_lazy_unit(blob) ? CKJIT_KIND_KERNEL : CKJIT_KIND_BLOB,
                    ckjit_blobs[blob].key, archs);
  ckjit_build_id_hex(hex, id);
  char *out = strdup(hex);
  ckjit_visit_end(&v);
  return out;
}

static uint32_t ckjit_op_function(uint32_t f, uint64_t *hash, const char **name) {
  *hash = ckjit_functions[f].hash;
  *name = ckjit_string(ckjit_functions[f].name);
  return ckjit_functions[f].blob;
}

/* ---- states ---- */

static bool ckjit_op_states(const uint32_t *blobs, size_t n, uint8_t *states, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  uint32_t about = 0;
  ckjit_visit_begin(&v);
  bool ok = ckjit_states(blobs, n, states, &about, &why);
  ckjit_hand_error(ok, about, &why, error);
  ckjit_visit_end(&v);
  return ok;
}

/* ---- compiling ---- */

/* Store BLOB in a cache, if no cache has it. False, and the reason in ERROR. */
static bool ckjit_store(uint32_t blob, struct ckjit_text *why) {
  struct ckjit_wanted w;
  bool there = false;
  if (ckjit_want(&w, blob, why)) {
    bool again = !w.unlinked;
    there = again && ckjit_has_readonly_entry(&w);
    for (int i = 0; i < CKJIT_ATTEMPTS && again && !there; i++) {
      ckjit_text_clear(why);
      again = ckjit_has_entry(&w) || ckjit_fly(&w, why);
      there = ckjit_has_entry(&w);
    }
    if (w.unlinked)
      ckjit_add(why, "CK_JIT_DISABLE_FILE_CACHING is set: there is no cache to compile it into");
  }
  ckjit_wanted_free(&w);
  return there;
}

/* The handle of a lazy unit, whose entry has no host code: the address of its row. */
static void *ckjit_unit_handle(uint32_t row) {
  return (void *)(uintptr_t)&ckjit_blobs[row];
}

static bool ckjit_is_unit_handle(const void *handle) {
  return (uintptr_t)handle >= (uintptr_t)ckjit_blobs &&
         (uintptr_t)handle < (uintptr_t)&ckjit_blobs[ckjit_facts.blobs];
}

static void ckjit_op_each(void *handle, bool (*each)(const char *name, void *user), void *user) {
  if (!ckjit_is_unit_handle(handle))
    ckjit_each_function(handle, each, user);
}

static void *ckjit_op_load(uint32_t blob, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  void *handle = NULL;
  ckjit_visit_begin(&v);
  if (!ckjit_is_lazy_unit(blob))
    handle = ckjit_handle(blob, ckjit_facts.functions, &why);
#if CKJIT_LAZY
  else if (ckjit_lazy_load(blob, &why))
    handle = ckjit_unit_handle(blob);
#endif
  ckjit_hand_error(handle, blob, &why, error);
  ckjit_visit_end(&v);
  return handle;
}

static bool ckjit_op_store(uint32_t blob, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  ckjit_visit_begin(&v);
  bool there = ckjit_store(blob, &why);
  ckjit_hand_error(there, blob, &why, error);
  ckjit_visit_end(&v);
  return there;
}

static void *ckjit_op_fresh(uint32_t blob, const char *add_flags, const char *archs, char **error) {
  struct ckjit_visit v;
  struct ckjit_wanted w;
  struct ckjit_text why = {0};
  void *handle = NULL;
  ckjit_visit_begin(&v);
  ckjit_want_fresh(&w, blob, add_flags, archs);
  if (ckjit_may_load(&why) && ckjit_compile(&w, &why, NULL)) {
    ckjit_text_clear(&why);
    handle = ckjit_is_lazy_unit(blob) ? ckjit_unit_handle(blob)
                                      : ckjit_unlinked_load(w.file, w.id, &why);
  }
  if (handle)
    ckjit_tell(&w, "loaded from an unlinked file, for its own handle");
  ckjit_hand_error(handle, blob, &why, error);
  ckjit_wanted_free(&w);
  ckjit_visit_end(&v);
  return handle;
}

static int ckjit_op_export(uint32_t blob, const struct ckjit_api_export *how, char **error) {
  struct ckjit_visit v;
  struct ckjit_wanted w;
  struct ckjit_text why = {0};
  int file = -1;
  ckjit_visit_begin(&v);
  ckjit_want_fresh(&w, blob, how->add_flags, how->archs);
  w.as = how;
  if (ckjit_may_load(&why) && ckjit_compile(&w, &why, NULL)) {
    file = w.file;
    w.file = -1;
  }
  ckjit_hand_error(file >= 0, blob, &why, error);
  ckjit_wanted_free(&w);
  ckjit_visit_end(&v);
  return file;
}

/* ---- packs ---- */

/* Find the library's PROGRAM and CACHE; false, and the reason in ERROR. */
static bool ckjit_find_packing(struct ckjit_text *program, struct ckjit_text *cache,
                               struct ckjit_text *error) {
  struct ckjit_root root = {0};
  struct ckjit_text library = {0};
  bool none = false;
  ckjit_add_library(&library);
  ckjit_find_root(&root, &library);
  bool found = ckjit_may_load(error) && ckjit_check_root(&root, error) &&
               ckjit_find_packer(program, &root, ckjit_reason(&library), error);
  if (found && ckjit_file_off()) {
    ckjit_add(error, "CK_JIT_DISABLE_FILE_CACHING is set: there is no cache");
    found = false;
  }
  found = found && ckjit_find_cache(cache, error, &none) && cache->len;
  ckjit_text_free(&root.path);
  ckjit_text_free(&library);
  return found;
}

/* As ckjit_op_prebuild. */
static bool ckjit_prebuild(const char *const *words, int file, struct ckjit_text *why) {
  enum { MOST = 16 };
  struct ckjit_text program = {0}, cache = {0}, output = {0};
  char *args[MOST + 4];
  size_t n = 1;
  int status = CKJIT_STATUS_UNKNOWN, error = 0;
  bool found = ckjit_find_packing(&program, &cache, why);
  for (; found && *words && n < MOST; words++)
    args[n++] = (char *)(uintptr_t)*words;
  args[0] = program.data;
  args[n++] = (char[]){"--cache-dir"};
  args[n++] = cache.data;
  args[n] = NULL;
  if (found)
    error = ckjit_run(args, *ckjit_environ(), file, NULL, &output, &status, NULL);
  bool done = found && !error && (status == 0 || status == CKJIT_STATUS_UNKNOWN);
  if (error) {
    char text[256];
    ckjit_start_why(text, sizeof text, error);
    ckjit_addf(why, "%s cannot be run: %s", program.data, text);
  } else if (found && !done) {
    ckjit_add(why, output.len ? output.data : "ckjit-prebuild ended without a word");
    while (why->len && why->data[why->len - 1] == '\n')
      why->data[--why->len] = 0;
  }
  ckjit_text_free(&program);
  ckjit_text_free(&cache);
  ckjit_text_free(&output);
  return done;
}

static bool ckjit_op_prebuild(const char *const *words, int file, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  ckjit_visit_begin(&v);
  bool done = ckjit_prebuild(words, file, &why);
  if (done)
    ckjit_text_free(&why);
  else
    ckjit_hand_over(&why, error);
  ckjit_visit_end(&v);
  return done;
}

static void ckjit_op_close(void *handle) {
  struct ckjit_visit v;
  ckjit_visit_begin(&v);
  if (!ckjit_is_unit_handle(handle))
    dlclose(handle);
  ckjit_visit_end(&v);
}

static void *ckjit_op_address(uint32_t f, void *handle, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  ckjit_visit_begin(&v);
  void *address = ckjit_address(f, handle, &why);
  ckjit_hand_error(address, ckjit_functions[f].blob, &why, error);
  ckjit_visit_end(&v);
  return address;
}

static void ckjit_op_free_text(char *text) {
  free(text);
}

static bool ckjit_op_set_logger(ckjit_api_logger *logger, void *user) {
  struct ckjit_visit v;
  ckjit_visit_begin(&v);
  bool set = ckjit_set_logger_(logger, user);
  ckjit_visit_end(&v);
  return set;
}

static bool ckjit_op_set_cache(const char *dir) {
  struct ckjit_visit v;
  ckjit_visit_begin(&v);
  bool set = ckjit_choose_cache(dir);
  ckjit_visit_end(&v);
  return set;
}

/* CK JIT's libraries, which `ckjit full` makes, export this function. */
#ifdef CK_JIT_IS_FWD
__attribute__((visibility("default"))) void ck_jit_set_cache_dir(const char *dir);

void ck_jit_set_cache_dir(const char *dir) {
  if (dir && *dir)
    ckjit_op_set_cache(dir);
}
#endif

/* ---- CUDA kernels by tags ---- */

#if CKJIT_LAZY && CKJIT_CUDA
static bool ckjit_op_combination_get(void *address, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  ckjit_visit_begin(&v);
  bool there = ckjit_combination_get(address, &why);
  if (there)
    ckjit_text_free(&why);
  else
    ckjit_hand_over(&why, error);
  ckjit_visit_end(&v);
  return there;
}
#endif

/* ---- the note ---- */

/* The loader would have to relocate a table of pointers; this is code. */
__attribute__((used, visibility("hidden"))) void ckjit_api(struct ckjit_api *api) {
  *api = (struct ckjit_api){.kernels = ckjit_facts.blobs,
                            .functions = ckjit_facts.functions,
                            .stem = ckjit_stem_of,
                            .source = ckjit_op_source,
                            .archs = ckjit_op_archs,
                            .build_id = ckjit_op_build_id,
                            .function = ckjit_op_function,
                            .each_symbol = ckjit_op_each,
                            .states = ckjit_op_states,
                            .load = ckjit_op_load,
                            .store = ckjit_op_store,
                            .fresh = ckjit_op_fresh,
                            .close = ckjit_op_close,
                            .address = ckjit_op_address,
                            .free_text = ckjit_op_free_text,
                            .export = ckjit_op_export,
                            .prebuild = ckjit_op_prebuild,
                            .set_logger = ckjit_op_set_logger,
                            .set_cache = ckjit_op_set_cache};
#if CKJIT_LAZY && CKJIT_CUDA
  api->combination_kernels = ckjit_combination_kernels;
  api->combination = ckjit_combination;
  api->combination_get = ckjit_op_combination_get;
  api->combination_launch = ckjit_combination_launch;
#endif
}

#define CKJIT_NUMBER_(n) #n
#define CKJIT_NUMBER(n) CKJIT_NUMBER_(n)
#define CKJIT_NOTE_FORMAT 6
_Static_assert(CKJIT_NOTE_FORMAT == CKJIT_API_FORMAT && CKJIT_API_NOTE == 1,
               "the note below says them");

/* clang-format off */
__asm__(".pushsection .note.ckjit, \"a\", @note\n"
        "  .balign 4\n"
        "  .long 6, 8, 1\n"
        "  .asciz \"" CKJIT_API_OWNER "\"\n"
        "  .balign 4\n"
        "  .long " CKJIT_NUMBER(CKJIT_NOTE_FORMAT) "\n"
        "  .long ckjit_api - .\n"
        ".popsection\n");
/* clang-format on */
