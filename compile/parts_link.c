/* parts_link.c - the link of a blob's parts, or what the same parts were linked into before. */
#include "parts.h"
#include "command.h"
#include "memo.h"
#include "run.h"
#include "trace.h"
#include "variant.h"
#include "core/base/path.h"
#include "core/base/memofile.h"

#include <blake2.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- linked before ---- */

/* The key of a blob covers all fragments that it may need. If one changes that it does not need,
 * its parts are the same as before and only its build id is another one.
 * <cache>/.fragments/<digits>.linked has the name of the entry that they were linked into; the
 * digits are a hash of the parts and of the command that links them. */
static char *memo_path(const struct parts *p, const struct compile_task *t) {
  autofree_argv command = {0};
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  command_link_parts(&command, t, "", NULL);
  autofree char *words = argv_join(command.args);
  blake2b_state h;
  blake2b_init(&h, sizeof id);
  blake2b_update(&h, (const uint8_t *)t->stem, strlen(t->stem) + 1);
  /* the build id is one of the words */
  for (char *at; (at = strstr(words, t->hex));)
    memset(at, '.', strlen(t->hex));
  blake2b_update(&h, (const uint8_t *)words, strlen(words) + 1);
  for (size_t i = 0; i < p->ids.n; i++)
    blake2b_update(&h, (const uint8_t *)p->ids.args[i], strlen(p->ids.args[i]) + 1);
  blake2b_final(&h, id, sizeof id);
  ckjit_build_id_hex(hex, id);
  return xasprintf("%s/" CKJIT_FRAGMENTS "/%s.linked", t->dir, hex);
}

/* Copy the entry PATH to FILE without its seal; its build id. */
static bool copy_entry(const char *path, const char *file, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct stat st;
  enum ckjit_kind kind;
  autoclose fd = ckjit_open_cached(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  return fd >= 0 && !ckjit_owner_check(&st) && !ckjit_entry_read(fd, id, &kind) && file_copy(path, file) &&
         chmod(file, 0600) == 0 && truncate(file, st.st_size - (off_t)sizeof(struct ckjit_seal)) == 0;
}

bool parts_linked_before(const struct compile_task *t, const char *memo, const char *file) {
  uint8_t id[CKJIT_BUILD_ID_SIZE], wanted[CKJIT_BUILD_ID_SIZE];
  autofree char *text = memo_read_file(memo, path_base(memo));
  char *hex = text ? strchr(text, '\n') : NULL; /* "NAME\nBUILD ID" */
  bool found = false;
  if (hex && !strchr(text, '/')) {
    *hex++ = 0;
    autofree char *path = path_join(t->dir, text);
    found = ckjit_build_id_parse(wanted, hex) && copy_entry(path, file, id) &&
            memcmp(id, wanted, sizeof id) == 0 &&
            (memcmp(id, t->id, sizeof id) == 0 || variant_replace_id(file, id, t->id));
  }
  if (!found)
    unlink(file);
  return found;
}

static bool linked_before(const struct parts *p, const struct compile_task *t, const char *file) {
  autofree char *memo = t->cache ? memo_path(p, t) : NULL;
  return memo && parts_linked_before(t, memo, file);
}

void parts_remember_as(const struct compile_task *t, const char *memo) {
  if (!t->cache || !*t->placed)
    return;
  autofree char *text = xasprintf("%s\n%s", t->placed, t->hex);
  memofile_write(memo, path_base(memo), text); /* if it cannot be kept, the blob is linked again */
}

void parts_remember(const struct parts *p, const struct compile_task *t) {
  autofree char *memo = memo_path(p, t);
  parts_remember_as(t, memo);
}

/* ---- the link ---- */

/* Gives the objects separate names in TEMPORARY, so that no process that makes room in the cache
 * removes them while they are linked. Returns false if one is gone already. */
static bool hold(struct parts *p, const struct compile_task *t, const char *temporary) {
  for (size_t i = 0; i < p->objects.n && t->cache; i++) {
    char *own = xasprintf("%s/%zu.o", temporary, i);
    if (link(p->objects.args[i], own) && !file_copy(p->objects.args[i], own)) {
      free(own);
      return false;
    }
    free(p->objects.args[i]);
    p->objects.args[i] = own;
  }
  return true;
}

void parts_name_missing(const struct compile_task *t, const char *of, const struct buf *missing, char **err) {
  if (!missing->len)
    return;
  autofree char *why = *err;
  task_fail(t, err,
            "device functions are missing; no %s that it may use defines them, "
            "so a source is missing in the library's link, or a tag [ckjit help fragments]\n%s%s",
            of, missing->data, why);
}

/* Have the device's linker keep what the entry defines and drop what only its fragments do, such as
 * other units' kernels. A pattern matches what only LTO makes: a kernel's descriptor, <kernel>.kd. */
static bool add_script(const struct parts *p, const struct compile_task *t, const char *temporary,
                       struct argv *command, char **err) {
  autofree_buf text = {0};
  autofree char *file = path_join(temporary, "exports.map");
  buf_puts(&text, "{ global: __hip_cuid_*;\n");
  for (size_t i = 0; i < p->exports.n; i++)
    buf_printf(&text, "  \"%s\"; %s.k[d];\n", p->exports.args[i], p->exports.args[i]);
  buf_puts(&text, "  local: *; };\n");
  argv_add(command, "-Xoffload-linker");
  argv_addf(command, "--version-script=%s", file);
  return task_write(t, file, text.data, text.len, err);
}

bool parts_link(struct parts *p, const struct compile_task *t, const char *temporary, const char *file,
                const char *log, char **err) {
  if (!hold(p, t, temporary))
    return task_fail(
        t, err,
        "one of its objects has just been removed; CK_JIT_CACHE_MAX_SIZE may be too small for one kernel");
  if (linked_before(p, t, file)) {
    if (t->verbose)
      note("%s: the same %zu parts were linked before", t->stem, p->objects.n);
    return true;
  }
  if (t->verbose)
    note("%s: linking %zu parts, %zu of them compiled now", t->stem, p->objects.n, p->compiled);
  autofree_argv command = {0};
  command_link_parts(&command, t, file, &p->objects);
  bool done = !p->exports.n || add_script(p, t, temporary, &command, err);
  say_command(t, &command);
  compile_time_anew(); /* each part has its own */
  done = done && run_command(t, &command, log, err);
  if (!done)
    parts_name_missing(t, "fragment", &p->missing, err);
  return done;
}
