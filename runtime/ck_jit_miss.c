/* ck_jit_miss.c - the message for a kernel that no cache has, if nothing may be compiled. */
#include "ck_jit_miss.h"
#include "ck_jit_artefact.h"
#include "ck_jit_manifest.h"
#include "ck_jit_place.h"
#include "ck_jit_protocol.h"
#include "ck_jit_settings.h"
#include "ck_jit_states.h"

/* The directories that were searched. */
static void ckjit_tell_places(const struct ckjit_wanted *w, struct ckjit_text *missing) {
  if (w->unlinked)
    ckjit_add(missing, ckjit_file_off()
                           ? "\nlooked into: no cache, because CK_JIT_DISABLE_FILE_CACHING is set"
                           : "\nlooked into: no cache, because a fresh compile was asked for");
  else if (!w->readonly.len && !w->cache.len)
    ckjit_add(
        missing,
        "\nlooked into: no cache: there is no directory for one; set CK_JIT_CACHE_READONLY_DIR or "
        "CK_JIT_CACHE_DIR");
  else
    ckjit_addf(missing, "\nlooked into: %s%s%s", w->readonly.len ? w->readonly.data : "",
               w->readonly.len && w->cache.len ? ", " : "", w->cache.len ? w->cache.data : "");
}

/* An image that was made for another machine has entries made by another compiler or for another
 * GPU. Its user sees the file, and wonders. */
static void ckjit_tell_variant(const struct ckjit_wanted *w, struct ckjit_text *missing) {
  const struct ckjit_text *dirs[] = {&w->readonly, &w->cache};
  for (int i = 0; i < 2 && !w->kernel; i++)
    if (dirs[i]->len && ckjit_has_variant(dirs[i]->data, w->blob))
      ckjit_addf(
          missing,
          "\n%s has it from another compiler, with other system headers or for other architectures",
          dirs[i]->data);
}

static void ckjit_add_argument(struct ckjit_text *t, const char *option, const char *value) {
  ckjit_addf(t, " %s ", option);
  ckjit_add_quoted(t, value);
}

/* ckjit-prebuild compiles whole blobs, whose entries have all kernels. */
static void ckjit_tell_command(const struct ckjit_wanted *w, struct ckjit_text *missing) {
  struct ckjit_text program = {0}, manifest = {0}, stem = {0};
  size_t n;
  const char *name = ckjit_stem_of(w->blob, &n);
  if (w->kernel && strstr(w->kernel, CKJIT_CHOICE)) {
    ckjit_add(missing, "\nto build it: run the program once without CK_JIT_ON_MISS=error, because "
                       "ckjit-prebuild build takes no tags");
    return;
  }
  ckjit_add_bytes(&stem, name, n);
  ckjit_find_prebuild(&program, &manifest, w->root.path.data ? w->root.path.data : "");
  ckjit_add(missing, "\nto build it: ");
  ckjit_add_quoted(missing, program.data ? program.data : "ckjit-prebuild");
  ckjit_add(missing, " build");
  if (manifest.len)
    ckjit_add_argument(missing, "--manifest", manifest.data);
  ckjit_add_argument(missing, "--arch", w->archs);
  if (w->cache.len)
    ckjit_add_argument(missing, "--cache-dir", w->cache.data);
  ckjit_add(missing, stem.len && *stem.data == '-' ? " -- " : " ");
  ckjit_add_quoted(missing, stem.data ? stem.data : "");
  ckjit_text_free(&program);
  ckjit_text_free(&manifest);
  ckjit_text_free(&stem);
}

void ckjit_tell_miss(const struct ckjit_wanted *w, struct ckjit_text *missing) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, w->id);
  ckjit_addf(missing,
             "it is not compiled, because CK_JIT_ON_MISS is error, and no cache has it with build "
             "id %s [ckjit help on-miss]",
             hex);
  ckjit_tell_places(w, missing);
  ckjit_tell_variant(w, missing);
  ckjit_tell_command(w, missing);
}
