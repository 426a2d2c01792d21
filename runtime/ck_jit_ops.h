/* ck_jit_ops.h - the functions of ck_jit_api.h: what a program can ask of a library's runtime, through
 * libckjit.so. Included by ck_jit_runtime.c behind everything else.
 */
#ifndef CK_JIT_OPS_H
#define CK_JIT_OPS_H

#include "ck_jit_api.h"

#include <sys/file.h>

/* ---- how each of them begins and ends ---- */

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

/* TEXT is *OUT's from here on. */
static void ckjit_hand_over(struct ckjit_text *text, char **out) {
  if (text->lost)
    ckjit_text_free(text);
  *out = text->data;
}

static void ckjit_hand_error(uint32_t blob, struct ckjit_text *why, char **error) {
  struct ckjit_text whole = {0};
  size_t n;
  const char *stem = ckjit_stem_of(blob, &n), *text = ckjit_whole(why);
  ckjit_addf(&whole, "%.*s: %s", (int)n, stem, text && *text ? text : "out of memory");
  ckjit_text_free(why);
  ckjit_hand_over(&whole, error);
}

/* ---- what there is ---- */

static void ckjit_add_source(struct ckjit_text *source, uint32_t blob, const char *root) {
  const struct ckjit_blob *b = &ckjit_blobs[blob];
  ckjit_add_expanded(source, ckjit_string(b->dir ? b->dir : b->name), root);
  ckjit_add(source, b->dir ? "/" : "");
  ckjit_add(source, b->dir ? ckjit_string(b->name) : "");
}

static char *ckjit_op_source(uint32_t blob) {
  struct ckjit_visit v;
  struct ckjit_text root = {0}, source = {0};
  char *out;
  ckjit_visit_begin(&v);
  ckjit_find_root(&root);
  if (ckjit_whole(&root))
    ckjit_add_source(&source, blob, ckjit_whole(&root));
  ckjit_text_free(&root);
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
  ckjit_build_id(id, ckjit_blobs[blob].key, archs);
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

static void ckjit_op_each_symbol(void *handle, bool (*each)(const char *name, void *user), void *user) {
  struct ckjit_symbols s;
  if (!ckjit_symbols_of(handle, &s))
    return;
  for (size_t i = s.first; i < s.end; i++) {
    const ElfW(Sym) *sym = &s.table[i];
    if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
        !each(s.names + sym->st_name, user))
      return;
  }
}

/* ---- states ---- */

static bool ckjit_is_flying(uint32_t blob) {
  pthread_mutex_lock(&ckjit_mutex);
  const struct ckjit_flight *f = ckjit_flights;
  while (f && f->blob != blob)
    f = f->next;
  pthread_mutex_unlock(&ckjit_mutex);
  return f;
}

/* Whether a process holds the lock of a compile of W. Unlocked by name: a fork at this moment would leave the
 * child a lock that only its end releases. */
static bool ckjit_is_locked(const struct ckjit_wanted *w) {
  char path[PATH_MAX], hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, w->id);
  if (snprintf(path, sizeof path, "%s/" CKJIT_LOCKS "/%s", w->cache.data, hex) >= (int)sizeof path)
    return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  bool held = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
  if (!held)
    flock(fd, LOCK_UN);
  close(fd);
  return held;
}

static bool ckjit_is_readonly(const struct ckjit_wanted *w) {
  char path[PATH_MAX];
  const char *why;
  return w->readonly.len && ckjit_entry_find(path, w->readonly.data, w->stem, w->stem_len, w->id, &why);
}

/* The state of W's blob, which is not in the table. */
static enum ckjit_api_state ckjit_state_of(const struct ckjit_wanted *w) {
  if (!w->unlinked && (ckjit_is_readonly(w) || ckjit_has_entry(w)))
    return CKJIT_API_CACHED;
  return ckjit_is_flying(w->blob) || (!w->unlinked && ckjit_is_locked(w)) ? CKJIT_API_COMPILING
                                                                          : CKJIT_API_ABSENT;
}

/* W is about BLOB now, in the same library; asking where things are once is enough for thousands of them. */
static void ckjit_want_other(struct ckjit_wanted *w, uint32_t blob) {
  if (ckjit_blobs[blob].group != ckjit_blobs[w->blob].group)
    ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), w->archs);
  w->blob = blob;
  w->stem = ckjit_stem_of(blob, &w->stem_len);
  ckjit_build_id(w->id, ckjit_blobs[blob].key, w->archs);
}

static bool ckjit_op_states(const uint32_t *blobs, size_t n, uint8_t *states, char **error) {
  struct ckjit_visit v;
  struct ckjit_wanted w;
  struct ckjit_text why = {0};
  bool asked = false, ok = true;
  ckjit_visit_begin(&v);
  for (size_t i = 0; i < n; i++) {
    void *loaded = ckjit_memory_off() ? NULL : __atomic_load_n(&ckjit_handles[blobs[i]], __ATOMIC_ACQUIRE);
    states[i] = loaded ? CKJIT_API_LOADED : CKJIT_API_ABSENT;
    if (loaded || !ok)
      continue;
    if (!asked) {
      asked = true;
      ok = ckjit_want(&w, blobs[i], &why);
      if (!ok)
        ckjit_hand_error(blobs[i], &why, error);
    } else {
      ckjit_want_other(&w, blobs[i]);
    }
    if (ok)
      states[i] = ckjit_state_of(&w);
  }
  if (asked)
    ckjit_wanted_free(&w);
  ckjit_text_free(&why);
  ckjit_visit_end(&v);
  return ok;
}

/* ---- compiling ---- */

static void *ckjit_op_load(uint32_t blob, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  ckjit_visit_begin(&v);
  void *handle = ckjit_handle(blob, &why);
  if (!handle)
    ckjit_hand_error(blob, &why, error);
  else
    ckjit_text_free(&why);
  ckjit_visit_end(&v);
  return handle;
}

static bool ckjit_op_store(uint32_t blob, char **error) {
  struct ckjit_visit v;
  struct ckjit_wanted w;
  struct ckjit_text why = {0};
  bool there = false;
  ckjit_visit_begin(&v);
  if (ckjit_want(&w, blob, &why)) {
    bool again = !w.unlinked;
    there = again && ckjit_is_readonly(&w);
    for (int i = 0; i < CKJIT_ATTEMPTS && again && !there; i++) {
      ckjit_text_clear(&why);
      again = ckjit_has_entry(&w) || ckjit_fly(&w, &why);
      there = ckjit_has_entry(&w);
    }
    if (w.unlinked)
      ckjit_add(&why, "CK_JIT_DISABLE_FILE_CACHING is set: there is no cache that it could be compiled into");
  }
  if (!there)
    ckjit_hand_error(blob, &why, error);
  else
    ckjit_text_free(&why);
  ckjit_wanted_free(&w);
  ckjit_visit_end(&v);
  return there;
}

/* W for an executor of its own: no cache, and perhaps other architectures. */
static void ckjit_want_fresh(struct ckjit_wanted *w, uint32_t blob, const char *add_flags,
                             const char *archs) {
  *w = (struct ckjit_wanted){
      .blob = blob, .environment = ckjit_environ(), .unlinked = true, .file = -1, .add_flags = add_flags};
  ckjit_find_root(&w->root);
  ckjit_add_library(&w->library);
  w->stem = ckjit_stem_of(blob, &w->stem_len);
  ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), w->archs);
  const char *at = archs, *word;
  if (archs)
    w->archs[0] = 0;
  for (size_t n; at && (word = ckjit_arch_next(&at, &n));)
    ckjit_arch_add(w->archs, word, n);
  ckjit_build_id(w->id, ckjit_blobs[blob].key, w->archs);
}

static void *ckjit_op_fresh(uint32_t blob, const char *add_flags, const char *archs, char **error) {
  struct ckjit_visit v;
  struct ckjit_wanted w;
  struct ckjit_text why = {0};
  void *handle = NULL;
  ckjit_visit_begin(&v);
  ckjit_want_fresh(&w, blob, add_flags, archs);
  if (ckjit_may_load(&why) && ckjit_compile(&w, &why)) {
    ckjit_text_clear(&why);
    handle = ckjit_unlinked_load(w.file, w.id, &why);
  }
  if (!handle)
    ckjit_hand_error(blob, &why, error);
  else
    ckjit_tell(&w, "loaded from an unlinked file, for its own handle");
  ckjit_wanted_free(&w);
  ckjit_text_free(&why);
  ckjit_visit_end(&v);
  return handle;
}

static void ckjit_op_close(void *handle) {
  struct ckjit_visit v;
  ckjit_visit_begin(&v);
  dlclose(handle);
  ckjit_visit_end(&v);
}

static void *ckjit_op_address(uint32_t f, void *handle, char **error) {
  struct ckjit_visit v;
  struct ckjit_text why = {0};
  ckjit_visit_begin(&v);
  void *address = ckjit_address(f, handle, &why);
  if (!address)
    ckjit_hand_error(ckjit_functions[f].blob, &why, error);
  else
    ckjit_text_free(&why);
  ckjit_visit_end(&v);
  return address;
}

static void ckjit_op_free_text(char *text) {
  free(text);
}

/* ---- the note ---- */

/* A table of pointers would have to be relocated when the library is loaded; this is code. */
__attribute__((used, visibility("hidden"))) void ckjit_api(struct ckjit_api *api) {
  *api = (struct ckjit_api){.kernels = CKJIT_BLOBS,
                            .functions = CKJIT_FUNCTIONS,
                            .stem = ckjit_stem_of,
                            .source = ckjit_op_source,
                            .archs = ckjit_op_archs,
                            .build_id = ckjit_op_build_id,
                            .function = ckjit_op_function,
                            .each_symbol = ckjit_op_each_symbol,
                            .states = ckjit_op_states,
                            .load = ckjit_op_load,
                            .store = ckjit_op_store,
                            .fresh = ckjit_op_fresh,
                            .close = ckjit_op_close,
                            .address = ckjit_op_address,
                            .free_text = ckjit_op_free_text};
}

#define CKJIT_NUMBER_(n) #n
#define CKJIT_NUMBER(n) CKJIT_NUMBER_(n)
#define CKJIT_NOTE_FORMAT 1
_Static_assert(CKJIT_NOTE_FORMAT == CKJIT_API_FORMAT && CKJIT_API_NOTE == 1, "the note below says them");

__asm__(".pushsection .note.ckjit, \"a\", @note\n"
        "  .balign 4\n"
        "  .long 6, 8, 1\n"
        "  .asciz \"" CKJIT_API_OWNER "\"\n"
        "  .balign 4\n"
        "  .long " CKJIT_NUMBER(CKJIT_NOTE_FORMAT) "\n"
                                                   "  .long ckjit_api - .\n"
                                                   ".popsection\n");

#endif
