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

bool wait_for_lock(int *fd, const char *path, double patience, bool *waited, char **err) {
  const struct lock_wait how = {.patience = patience, .interrupt = ticks, .look = look};
  uint64_t start = trace_now();
  enum lock_state state = lock_take(fd, path, &how, waited, err);
  if (*waited)
    compile_trace_span("wait", start, state == LOCK_OURS ? "0" : "not ours");
  return state != LOCK_FAILED;
}
