/* object.c - one part of a blob with -fgpu-rdc, as an object in the cache.
 *
 *     <object> <build id, 24 bytes> <seal of ck_jit_entry.h>
 *
 * Tools that read an object go by its section table, and do not see what is behind it.
 */
#include "object.h"
#include "child.h"
#include "command.h"
#include "inputs.h"
#include "keeper.h"
#include "log.h"
#include "make.h"
#include "place.h"
#include "run.h"
#include "turn.h"
#include "variant.h"
#include "verify.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cache/owned.h"
#include "core/cache/placing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *object_path(const struct compile_task *f) {
  return xasprintf("%s/" CKJIT_FRAGMENTS "/%s.o", f->dir, f->hex);
}

bool object_is_there(const struct compile_task *f) {
  char *path = object_path(f);
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct stat st;
  const off_t behind = sizeof id + sizeof(struct ckjit_seal);
  int fd = ckjit_open_cached(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, NULL);
  bool there = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !ckjit_owner_check(&st) &&
               st.st_size > behind && ckjit_pread_all(fd, id, sizeof id, (uint64_t)(st.st_size - behind)) &&
               memcmp(id, f->id, sizeof id) == 0 && !ckjit_seal_check(fd, (uint64_t)st.st_size);
  if (there)
    futimens(fd, NULL); /* when it was used last */
  if (fd >= 0)
    close(fd);
  free(path);
  return there;
}

/* Any object will do: that of a source may have no device code. */
static bool is_object(const char *file) {
  size_t len;
  char *bytes = file_read(file, &len);
  struct elf e;
  bool is = bytes && elf_open(&e, bytes, len, NULL) && e.type == ET_REL;
  free(bytes);
  return is;
}

static bool place_object(const struct compile_task *f, const char *file, char **err) {
  if (!is_object(file))
    return task_fail(f, err, "the output of the compiler %s is not an object file", f->compiler);
  char *path = object_path(f), *dir = path_dir(path);
  bool done = cachedir_open(dir, err) && place_seal(f, file, f->id, sizeof f->id, err);
  if (done && (rename(file, path) || !placing_sync_dir(dir)))
    done = task_fail(f, err, "cannot make %s: %s", path, strerror(errno));
  free(path);
  free(dir);
  return done;
}

bool object_make(struct compile_task *f, const char *temporary, const char *file, char **err) {
  struct argv command = {0};
  if (!task_use_text(f, err))
    return false;
  char *log = xasprintf("%s/%s.log", temporary, f->stem);
  command_object(&command, f, NULL, NULL, file);
  if (!f->launcher.n)
    say_command(f, &command);
  bool done = make_from_source(f, &command, temporary, file, log, err);
  if (!done)
    log_keep(f, log, err);
  argv_free(&command);
  free(log);
  return done;
}

/* Our turn: compile F into the cache. */
static bool compile_object(struct compile_task *f, char **err) {
  char *temporary = place_temporary(f, err);
  if (!temporary)
    return false;
  char *file = xasprintf("%s/%s.o", temporary, f->stem);
  f->temporary = temporary;
  stop_catch(temporary);
  keeper_removes(temporary);
  deadline_set(f->timeout);
  bool done = object_make(f, temporary, file, err) && compile_inputs_again(f, err) && verify_made(f, err);
  if (done) {
    variant_learn(f, file);
    done = place_object(f, file, err);
  }
  stop_release();
  owned_remove(temporary);
  keeper_removes("");
  f->temporary = NULL;
  free(temporary);
  free(file);
  return done;
}

bool object_get(struct compile_task *f, bool *compiled, char **err) {
  struct turn turn;
  enum whose whose;
  bool done = false;
  while ((whose = turn_take(&turn, f, err)) == TURN_OURS) {
    done = compile_object(f, err);
    if (!turn_end(&turn, done ? NULL : err))
      break;
  }
  *compiled = whose == TURN_OURS;
  return done || whose == TURN_READY;
}
