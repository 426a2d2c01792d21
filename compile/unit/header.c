/* header.c - see header.h. */
#include "header.h"
#include "compile/memo.h"
#include "compile/pch.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cache/lock.h"
#include "core/base/memofile.h"
#include "core/cache/toolchain.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

/* Headers in a cache: one of ComposableKernel's has 100 MB, with PyTorch's headers 165. A program
 * that tunes goes from unit to unit. */
enum { MOST = 6 };

/* A cache that may hold less is not filled with what is made in seconds again. */
#define LEAST_CACHE (UINT64_C(1) << 30)

#define MAGIC "unit pch" /* name of the memo */
#define NONE "none"      /* it cannot be had */
#define AFTER "after"    /* … a kernel that was compiled from the text */

/* ---- the key ---- */

/* The programs that T's compiler would start, by their stamps: hipcc stays what it was if the clang
 * that it starts is exchanged. */
static void hash_programs(blake2b_state *h, const struct steps *steps) {
  char stamp[STAMP_SIZE];
  for (size_t i = 0; i < steps->n; i++) {
    toolchain_stamp(stamp, steps->list[i].args[0]);
    pch_hash_text(h, steps->list[i].args[0]);
    pch_hash_text(h, stamp);
  }
}

static void hash_key(char hex[CKJIT_BUILD_ID_HEX_SIZE], const struct unit_header *h, const char *arch,
                     const struct argv *words, const struct steps *steps) {
  const struct compile_task *t = h->t;
  blake2b_state s;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char stamp[STAMP_SIZE];
  blake2b_init(&s, CKJIT_BUILD_ID_SIZE);
  autofree char *unit = xasprintf(MAGIC " %s %.*s %s", h->dir, 2 * CKJIT_KEY_SIZE, t->hex, arch);
  pch_hash_text(&s, unit);
  toolchain_stamp(stamp, t->compiler);
  pch_hash_text(&s, stamp);
  toolchain_stamp(stamp, t->of_entry ? t->place : t->source);
  pch_hash_text(&s, stamp);
  for (size_t i = 0; i < words->n; i++)
    pch_hash_text(&s, words->args[i]);
  pch_hash_text(&s, t->inputs ? t->inputs->compiler : "");
  pch_hash_text(&s, t->variant.len ? t->variant.data : "");
  hash_programs(&s, steps);
  blake2b_final(&s, id, sizeof id);
  ckjit_build_id_hex(hex, id);
}

/* ---- the list ---- */

/* A memo: "after KERNEL", "none", or sizes and hashes of the header and of its text. */
static bool is_ready(const struct unit_header *h, const char *said) {
  long long size, text_size;
  uint64_t hash, text_hash;
  return sscanf(said, "%lld %" SCNx64 " %lld %" SCNx64, &size, &hash, &text_size, &text_hash) == 4 &&
         pch_is_file(h->text, text_size, text_hash) && pch_is_file(h->file, size, hash);
}

enum state {
  /* nothing is known, or what there is does not hold */
  NOTHING,
  SECOND, /* another kernel was compiled before */
  CANNOT,
  READY
};

static enum state look(struct unit_header *h) {
  autofree char *said = memo_read_file(h->list, h->name);
  enum state state = NOTHING;
  if (said && str_starts(said, NONE)) {
    state = CANNOT;
  } else if (said && str_starts(said, AFTER " ")) {
    state = strcmp(said + strlen(AFTER " "), h->t->kernel) == 0 ? NOTHING : SECOND;
  } else if (said && is_ready(h, said)) {
    state = READY;
    utimensat(AT_FDCWD, h->file, NULL, 0); /* the least recently used one is removed first */
  }
  return state;
}

/* ---- looking, waiting ---- */

/* Can one be had at all? Information for a debugger says which files a text came from. */
static bool is_wanted(const struct compile_task *t) {
  const char *wanted = env_get("CK_JIT_PCH");
  return t->cache && !(wanted && !ckjit_is_on(wanted)) && !argv_has_prefix(&t->flags, "-g") &&
         !(t->limits.bytes && t->limits.bytes < LEAST_CACHE);
}

static void unlock(struct unit_header *h) {
  lock_release(h->lock, h->lock_path);
  h->lock = -1;
  h->to_be_made = false;
}

/* It is to be made. If another process has made it meanwhile, it is ready. */
static void claim(struct unit_header *h) {
  bool waited;
  if (!pch_take_lock(&h->lock, h->lock_path, h->t->patience, &waited))
    return;
  enum state state = look(h);
  h->ready = state == READY;
  h->to_be_made = state == SECOND;
  if (!h->to_be_made)
    unlock(h);
}

void unit_header_find(struct unit_header *h, const struct compile_task *t, const char *arch,
                      const struct argv *words, const struct steps *steps) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  *h = (struct unit_header){.t = t, .lock = -1};
  if (!is_wanted(t))
    return;
  h->dir = path_join(t->dir, CKJIT_PCH);
  hash_key(hex, h, arch, words, steps);
  h->file = xasprintf("%s/%s" PCH_OF_UNIT, h->dir, hex);
  h->text = xasprintf("%s/%s.unit.h", h->dir, hex);
  h->list = xasprintf("%s/%s.unit.list", h->dir, hex);
  h->name = xasprintf(MAGIC " %s", hex);
  h->lock_path = xasprintf("%s/" CKJIT_LOCKS "/%s", t->dir, hex);
  enum state state = look(h);
  h->ready = state == READY;
  if (state != SECOND)
    return;
  pch_make_room(h->dir, PCH_OF_UNIT, MOST);
  if (pch_has_room(h->dir))
    claim(h);
}

/* ---- making ---- */

void unit_header_note(const struct unit_header *h) {
  if (!h->list || h->ready || h->ours)
    return;
  bool there = dir_make_own(h->dir);
  autofree char *said = memo_read_file(h->list, h->name), *mine = xasprintf(AFTER " %s", h->t->kernel);
  if (there && !(said && str_starts(said, NONE)))
    memofile_write(h->list, h->name, mine);
}

struct end {
  struct unit_header *h;
  const char *made;
  char *said;
};

/* Between the rename and the list there is a header that no list confirms. */
static void commit(void *data) {
  struct end *end = data;
  struct unit_header *h = end->h;
  h->ready =
      unlink(h->list) == 0 && rename(end->made, h->file) == 0 && memofile_write(h->list, h->name, end->said);
}

static void note_none(void *data) {
  const struct unit_header *h = data;
  memofile_write(h->list, h->name, NONE);
  unlink(h->file);
  unlink(h->text);
}

void unit_header_keep(struct unit_header *h, const char *made, bool refused) {
  long long size, text_size;
  uint64_t hash, text_hash;
  h->ours = true;
  if (!made && refused) {
    lock_protect(h->lock, h->lock_path, note_none, h);
  } else if (made && pch_sync_file(made, &size, &hash) && pch_sync_file(h->text, &text_size, &text_hash)) {
    struct end end = {h, made, xasprintf("%lld %" PRIx64 " %lld %" PRIx64, size, hash, text_size, text_hash)};
    lock_protect(h->lock, h->lock_path, commit, &end);
    free(end.said);
  }
  unlock(h);
}

void unit_header_refuse(struct unit_header *h) {
  h->ready = false;
  note_none(h);
}

void unit_header_free(struct unit_header *h) {
  if (h->lock >= 0)
    unlock(h);
  free(h->dir);
  free(h->file);
  free(h->text);
  free(h->list);
  free(h->name);
  free(h->lock_path);
}
