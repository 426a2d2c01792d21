#include "wait.h"
#include "child.h"
#include "tell.h"
#include "trace.h"
#include "core/base/trace.h"
#include "core/cache/lock.h"

static void look(void) {
  stop_check();
  tell_look();
}

bool wait_for_lock(int *fd, const char *path, const struct lock_wait *how, bool *waited, char **err) {
  const struct lock_wait with = {
      .patience = how->patience, .interrupt = ticks, .look = look, .over = how->over, .data = how->data};
  uint64_t start = trace_now();
  enum lock_state state = lock_take(fd, path, &with, waited, err);
  if (*waited)
    compile_trace_span("wait", start, state == LOCK_OURS ? "0" : "not ours");
  return state != LOCK_FAILED;
}
