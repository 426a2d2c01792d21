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
#include "lock.h"
#include "log.h"
#include "make.h"
#include "place.h"
#include "run.h"
#include "variant.h"
#include "core/base/elf.h"
#include "core/base/path.h"

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
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
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

/* Whether FILE is an object with device code in it, or, of a source without any, an object at all. */
static bool is_object(const char *file) {
  size_t len;
  char *bytes = file_read(file, &len);
  struct elf e;
  bool is = bytes && elf_open(&e, bytes, len, NULL) && e.type == ET_REL;
  free(bytes);
  return is;
}

static char *place_object(const struct compile_task *f, const char *file) {
  char *path = object_path(f), *dir = path_dir(path);
  char *why = NULL;
  if (!is_object(file))
    why = xasprintf("%s: what the compiler %s made is no object file", f->stem, f->compiler);
  else
    cachedir_open(dir, &why);
  if (!why)
    why = compile_seal(f, file, f->id, sizeof f->id);
  if (!why && (rename(file, path) || !compile_sync_dir(dir)))
    why = xasprintf("%s: cannot make %s: %s", f->stem, path, strerror(errno));
  free(path);
  free(dir);
  return why;
}

char *object_make(const struct compile_task *f, const char *temporary, const char *file) {
  struct argv command = {0};
  char *log = xasprintf("%s/%s.log", temporary, f->stem);
  compile_command_object(&command, f, NULL, NULL, file);
  if (!f->launcher.n)
    compile_say(f, &command);
  char *why = compile_from_source(f, &command, temporary, file, log);
  if (why)
    why = compile_log_keep(f, log, why);
  argv_free(&command);
  free(log);
  return why;
}

/* Our turn: compile F into the cache. */
static char *compile_object(struct compile_task *f, bool locked) {
  char *temporary, *why = compile_temporary(&temporary, f, locked);
  if (why)
    return why;
  char *file = xasprintf("%s/%s.o", temporary, f->stem);
  compile_stop_catch(temporary);
  compile_keeper_removes(temporary);
  compile_deadline(f->timeout);
  why = object_make(f, temporary, file);
  if (!why)
    why = compile_inputs_again(f);
  if (!why) {
    compile_variant_learn(f, file);
    why = place_object(f, file);
  }
  compile_stop_release();
  dir_remove(temporary);
  compile_keeper_removes("");
  free(temporary);
  free(file);
  return why;
}

char *object_get(struct compile_task *f, bool *compiled) {
  struct compile_lock lock;
  char *why = NULL;
  enum compile_turn turn = compile_lock_enter(&lock, f, &why);
  *compiled = turn == COMPILE_OURS;
  if (turn == COMPILE_OURS) {
    why = compile_object(f, lock.fd >= 0);
    compile_lock_leave(&lock, why);
  }
  return why;
}
